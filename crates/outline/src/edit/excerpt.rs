//! The text of a part as an editor shows it: whole lines, without the prefixes of the quotes and
//! lists around them.

use super::place::{Place, Planner, Shape};
use super::{EditRequest, Refusal};
use crate::document::LoadedDocument;
use folio_text::lines::lines_with_ends;
use folio_text::span::{LineRange, Span};

/// The text of a part.
#[derive(Clone, Debug)]
pub struct Excerpt {
    /// The text, which ends with a line ending unless it is empty.
    pub text: Vec<u8>,
    /// The lines of the part. `None` if it is empty.
    pub lines: Option<LineRange>,
    /// The bytes of the part or, if it is a value, those of its lines.
    pub span: Span,
}

impl LoadedDocument {
    /// Returns the text of the part that a request would replace.
    ///
    /// # Errors
    ///
    /// Fails if the part is missing or ambiguous.
    pub fn excerpt(&self, request: &EditRequest) -> Result<Excerpt, Refusal> {
        let planner = Planner { source: self, request };
        let place = planner.place()?;
        let inner =
            if planner.keeps_separation(&place) { planner.trimmed(&place) } else { place.clone() };
        let lines = LineRange::new(inner.line, planner.last_line(&inner));
        Ok(Excerpt {
            text: with_end(&unprefixed(self.bytes(inner.span), &inner)),
            lines: lines.filter(|_| !inner.span.is_empty()),
            span: match place.shape {
                Shape::Value(lines) => lines,
                _ => place.span,
            },
        })
    }
}

/// Returns the text of a place without the prefixes of its containers.
fn unprefixed(bytes: &[u8], place: &Place) -> Vec<u8> {
    let (first, rest) = match (&place.shape, &place.container) {
        (Shape::Code(fences), _) => (&fences.prefix, &fences.prefix),
        (_, Some(marks)) => (&marks.first, &marks.rest),
        (_, None) => return bytes.to_vec(),
    };
    let mut text = Vec::with_capacity(bytes.len());
    for (number, line) in lines_with_ends(bytes).enumerate() {
        let marks = if number == 0 { first } else { rest };
        text.extend_from_slice(without_marks(line, marks).unwrap_or(line));
    }
    text
}

/// Returns a line without container prefixes. Blanks around the markers of quotes are optional.
fn without_marks<'a>(line: &'a [u8], marks: &[u8]) -> Option<&'a [u8]> {
    let mut rest = line;
    for mark in marks {
        let blanks = rest.iter().take_while(|&&byte| byte == b' ').count();
        rest = match mark {
            b' ' | b'\t' => rest.strip_prefix(&[*mark]).unwrap_or(rest),
            b'>' if blanks <= 3 => rest[blanks..].strip_prefix(b">")?,
            mark => rest.strip_prefix(&[*mark])?,
        };
    }
    Some(rest)
}

/// Adds a line ending at the end of a text, unless the text is empty.
fn with_end(text: &[u8]) -> Vec<u8> {
    let end: &[u8] = if text.is_empty() || text.ends_with(b"\n") { b"" } else { b"\n" };
    [text, end].concat()
}
