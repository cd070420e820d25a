//! What edits bring and a little of what stands around that, kept so that an undo
//! finds it again when the file has changed elsewhere.

use std::fs::File;
use std::io;

use super::content::{Source, read_edited};
use crate::text::edit::EditSet;
use crate::text::span::Span;

/// Bytes that are kept before and after what an edit brought, at most.
const MAX_AROUND: u64 = 256;
/// Whole lines of them.
const LINES: usize = 2;
/// Bytes that are looked at for one file: of more edits nothing is kept.
const MAX_BYTES: u64 = 1 << 20;

/// What is kept of one file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// For each edit, how many bytes before and after what it brought are kept.
    pub(super) around: Vec<(u64, u64)>,
    /// All bytes that are kept, edit by edit.
    pub(super) bytes: Vec<u8>,
}

impl Places {
    /// Of a document of `length` bytes after its edits, which bring `spans`.
    pub(super) fn of(
        file: &File,
        length: u64,
        edits: &EditSet,
        spans: &[Span],
    ) -> io::Result<Self> {
        let size = edits.new_length(length);
        let wide = |span: &Span| {
            let start = span.start().saturating_sub(MAX_AROUND);
            Span::new(start, (span.end() + MAX_AROUND).min(size))
        };
        let mut places = Self::default();
        if spans.iter().map(|span| wide(span).len()).sum::<u64>() > MAX_BYTES {
            return Ok(places);
        }
        let mut windows: Vec<Span> = Vec::new();
        for wide in spans.iter().map(wide) {
            match windows.last_mut().filter(|last| wide.start() <= last.end()) {
                Some(last) => *last = Span::new(last.start(), wide.end().max(last.end())),
                None => windows.push(wide),
            }
        }
        let mut text = Vec::new();
        let mut source = Source::new(file, length);
        read_edited(&mut source, length, edits, &windows, &mut |bytes| {
            text.extend_from_slice(bytes);
        })?;
        let mut windows = windows.into_iter().peekable();
        let mut base = 0;
        for span in spans {
            while let Some(past) = windows.next_if(|window| window.end() < wide(span).end()) {
                base += past.len() as usize;
            }
            let start = windows.peek().map_or(0, |window| window.start());
            let at = |offset: u64| base + (offset - start) as usize;
            let wide = wide(span);
            let before = back(&text[at(wide.start())..at(span.start())]);
            let after = on(&text[at(span.end())..at(wide.end())]);
            places.around.push((before as u64, after as u64));
            let (from, until) = (at(span.start()) - before, at(span.end()) + after);
            places.bytes.extend_from_slice(&text[from..until]);
        }
        Ok(places)
    }
}

/// The length of the beginning of a line at the end of a text, and of some lines before.
fn back(text: &[u8]) -> usize {
    let mut feeds = memchr::memrchr_iter(b'\n', text);
    feeds.nth(LINES).map_or(text.len(), |feed| text.len() - feed - 1)
}

/// The length of the rest of a line at the start of a text, and of some lines after it.
fn on(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).nth(LINES).map_or(text.len(), |feed| feed + 1)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;
    use crate::text::edit::Edit;

    #[test]
    fn a_few_lines_around_each_edit_are_kept() {
        let old: String = (0..100).map(|number| format!("line {number}\n")).collect();
        let file = tempfile::tempfile().expect("a file");
        file.write_all_at(old.as_bytes(), 0).expect("written");
        let at = |text: &str| old.find(text).expect("there") as u64;
        let edits = vec![
            Edit::new(Span::new(0, 4), "L"),
            Edit::new(Span::new(at("line 50"), at("line 51")), ""),
            Edit::new(Span::new(at("99"), at("99") + 2), "last"),
        ];
        let edits = EditSet::new(edits).expect("disjoint");
        let new = edits.apply(old.as_bytes());
        let spans = edits.new_spans();
        let places = Places::of(&file, old.len() as u64, &edits, &spans).expect("read");
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
