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
        let length = line.iter().zip(marks).take_while(|(one, other)| one == other).count();
        // The blanks after the marker of a quote are optional.
        let has_marks = length >= marks.trim_ascii_end().len();
        text.extend_from_slice(if has_marks { &line[length..] } else { line });
    }
    text
}

/// Adds a line ending at the end of a text, unless the text is empty.
fn with_end(text: &[u8]) -> Vec<u8> {
    let end: &[u8] = if text.is_empty() || text.ends_with(b"\n") { b"" } else { b"\n" };
    [text, end].concat()
}
