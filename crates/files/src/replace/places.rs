//! The contents of edits with context, with which an undo finds the edits again after other changes
//! to the file.

use std::io;

use super::content::Source;
use crate::history::{InsertedText, count_similar};
use folio_text::span::Span;

/// Maximum length in bytes of the context on each side of an edit.
pub(super) const MAX_AROUND: u64 = 256;
/// Maximum number of whole lines of context on each side.
const LINES: usize = 2;
/// Maximum number of bytes to read for one file. If the edits need more, no context is recorded.
const MAX_BYTES: u64 = 1 << 20;
/// Maximum number of bytes to search for other occurrences of the contents.
const MAX_SEARCHED: u64 = 64 << 20;

/// The edits of one file with their context.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// For each edit, the lengths of the context before and after its content.
    pub(super) around: Vec<(u64, u64)>,
    /// The contents and contexts of all edits.
    pub(super) bytes: Vec<u8>,
    /// The number of other places that match an edit and its context: completely, and on one side.
    /// `None` if the file is large.
    pub(super) alike: Option<(u64, u64)>,
}

impl Places {
    /// Reads the contents of edits at `spans`, and their context, from an edited file of `size`
    /// bytes.
    pub(super) fn read(source: &mut Source<'_>, size: u64, spans: &[Span]) -> io::Result<Self> {
        let wide = |span: &Span| {
            let start = span.start().saturating_sub(MAX_AROUND);
            Span::new(start, (span.end() + MAX_AROUND).min(size))
        };
        let mut places = Self::default();
        if spans.iter().map(|span| wide(span).len()).sum::<u64>() > MAX_BYTES {
            return Ok(places);
        }
        for span in spans {
            let wide = wide(span);
            let mut text = Vec::with_capacity(wide.len() as usize);
            source.for_each_piece(wide, |bytes| {
                text.extend_from_slice(bytes);
                Ok(())
            })?;
            let [start, end] = [span.start(), span.end()].map(|at| (at - wide.start()) as usize);
            let (before, after) = (last_lines(&text[..start]), first_lines(&text[end..]));
            places.around.push((before as u64, after as u64));
            places.bytes.extend_from_slice(&text[start - before..end + after]);
        }
        if size <= MAX_BYTES && size * spans.len() as u64 <= MAX_SEARCHED {
            let mut text = Vec::with_capacity(size as usize);
            source.for_each_piece(Span::new(0, size), |bytes| {
                text.extend_from_slice(bytes);
                Ok(())
            })?;
            let found = spans.iter().zip(&places.around).map(|(span, &around)| {
                let (start, end) = (span.start() - around.0, span.end() + around.1);
                InsertedText { bytes: &text[start as usize..end as usize], around }
            });
            places.alike = Some(count_similar(&found.collect::<Vec<_>>(), &text));
        }
        Ok(places)
    }
}

/// Returns the length of the last lines of a text. The first of these lines may be incomplete.
fn last_lines(text: &[u8]) -> usize {
    let mut feeds = memchr::memrchr_iter(b'\n', text);
    feeds.nth(LINES).map_or(text.len(), |feed| text.len() - feed - 1)
}

/// Returns the length of the first lines of a text. The last of these lines may be incomplete.
fn first_lines(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).nth(LINES).map_or(text.len(), |feed| feed + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use folio_text::edit::{Edit, EditSet};

    #[test]
    fn a_few_lines_around_each_edit_are_kept() {
        let old: String = (0..100).map(|number| format!("line {number}\n")).collect();
        let at = |text: &str| old.find(text).expect("there") as u64;
        let edits = vec![
            Edit::new(Span::new(0, 4), "L"),
            Edit::new(Span::new(at("line 50"), at("line 51")), ""),
            Edit::new(Span::new(at("99"), at("99") + 2), "last"),
        ];
        let edits = EditSet::new(edits).expect("disjoint");
        let new = edits.apply(old.as_bytes());
        let spans = edits.new_spans();
        let mut source = Source::of_bytes(&new);
        let places = Places::read(&mut source, new.len() as u64, &spans).expect("read");
        let kept: Vec<String> = spans
            .iter()
            .zip(&places.around)
            .map(|(span, (before, after))| {
                let part = (span.start() - before) as usize..(span.end() + after) as usize;
                String::from_utf8(new[part].to_vec()).expect("UTF-8")
            })
            .collect();
        let expected = [
            "L 0\nline 1\nline 2\n",
            "line 48\nline 49\nline 51\nline 52\nline 53\n",
            "line 97\nline 98\nline last\n",
        ];
        assert_eq!(kept, expected);
        assert_eq!(String::from_utf8(places.bytes).expect("UTF-8"), expected.concat());
    }
}
