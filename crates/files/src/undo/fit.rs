//! Finds the edits of a patch in a file. If the file has not changed since the patch, their
//! positions are known. Otherwise, each edited text and its context must occur exactly once.

use std::fs::File;
use std::io::Cursor;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use memchr::memmem;

use super::changed;
use crate::address::display;
use crate::document::{Document, DocumentOptions};
use crate::env::Env;
use crate::error::{Candidate, Code, Error, Hint};
use crate::history::{self, Reverse};
use crate::records::FileRecord;
use crate::replace::hash_spans;
use folio_outline::format::Feature;
use folio_outline::outline::{Outline, Wants};
use folio_outline::structure;
use folio_text::edit::{Edit, EditSet};
use folio_text::fuzzy::text::closest;
use folio_text::line_index::LineIndex;
use folio_text::lines::{count_newlines, without_end};
use folio_text::span::{LineRange, Span};

/// Maximum size in bytes of a file to search.
const MAX_SEARCHED: u64 = history::MAX_HASHED;

/// The edits that undo a patch.
pub(super) struct Fit {
    pub(super) edits: EditSet,
    /// The line of the first edit. `None` unless the file has changed elsewhere.
    pub(super) moved_to: Option<u64>,
}

/// Finds the edits of a record in a file.
///
/// # Errors
///
/// Fails with [`Code::FileChanged`] if the edits do not occur exactly once, and with
/// [`Code::StructureChanged`] if undoing them would change headings or code blocks elsewhere.
pub(super) fn fit(
    file: &File,
    size: u64,
    record: &FileRecord,
    reverse: Reverse,
    env: &Env,
) -> Result<Fit, Error> {
    let path = record.path();
    let failed = |error: std::io::Error| Error::io(&error, path);
    let left = record.after.map_or(0, |after| after.size);
    // Equal times do not prove that the file is unchanged, because the clocks of file systems are
    // not precise.
    let brought: Vec<Span> = reverse.edits.edits().iter().map(|edit| edit.span).collect();
    let hash = || hash_spans(file, &history::hashed_spans(left, &brought)).map_err(failed);
    if size == left && hash()? == record.sha256 {
        return Ok(Fit { edits: reverse.edits, moved_to: None });
    }
    if record.around.is_empty() || reverse.edits.is_empty() || size > MAX_SEARCHED {
        return Err(changed(
            path,
            &match size == left {
                true => "its bytes have changed".to_owned(),
                false => format!("it has {size} bytes, not {left}"),
            },
        ));
    }
    let mut text = vec![0; size as usize];
    file.read_exact_at(&mut text, 0).map_err(failed)?;
    let search = Search { text: &text, record, left };
    let edits = search.edits(reverse)?;
    search.check_structure(&edits, env)?;
    let first = edits.edits().first().map_or(0, |edit| edit.span.start());
    let line = 1 + count_newlines(&text[..first as usize]);
    Ok(Fit { edits, moved_to: Some(line) })
}

struct Search<'a> {
    text: &'a [u8],
    record: &'a FileRecord,
    /// The size of the file after the patch.
    left: u64,
}

/// The text that an edit inserted, with its context.
struct Place {
    bytes: Vec<u8>,
    /// The range of the inserted text.
    brought: Range<usize>,
}

impl Place {
    /// Returns the whole lines that contain the inserted text. For a deletion, returns the lines on
    /// both sides.
    fn lines(&self) -> Range<usize> {
        let (before, after) = (&self.bytes[..self.brought.start], &self.bytes[self.brought.end..]);
        let is_cut = self.brought.is_empty();
        let begins_line = before.last().is_none_or(|&byte| byte == b'\n');
        let skipped = usize::from(is_cut && begins_line);
        let start = memchr::memrchr_iter(b'\n', before).nth(skipped).map_or(0, |feed| feed + 1);
        let ends_line = !is_cut && self.bytes[..self.brought.end].ends_with(b"\n");
        let end = match memchr::memchr(b'\n', after) {
            _ if ends_line => 0,
            Some(feed) => feed + 1,
            None => after.len(),
        };
        start..self.brought.end + end
    }
}

impl Search<'_> {
    fn edits(&self, reverse: Reverse) -> Result<EditSet, Error> {
        let mut shift = None;
        let mut edits = Vec::new();
        let places = reverse.places.into_iter().zip(&self.record.around);
        for (edit, (bytes, (before, after))) in reverse.edits.edits().iter().zip(places) {
            let brought = *before as usize..bytes.len() - *after as usize;
            let place = Place { bytes, brought };
            let start = self.find(&place, edit.span.start(), shift)?;
            shift = Some(start as i64 - edit.span.start() as i64);
            let span = Span::new(start, start + edit.span.len());
            edits.push(Edit { span, content: edit.content.clone() });
        }
        let disordered = |_| changed(self.record.path(), "what it wrote has been moved");
        EditSet::new(edits).map_err(disordered)
    }

    /// Finds an edit whose position was `start`. The previous edit has moved by `shift`. The
    /// context must match completely on at least one side, because equal lines may occur elsewhere.
    fn find(&self, place: &Place, start: u64, shift: Option<i64>) -> Result<u64, Error> {
        let own = start - place.brought.start as u64;
        let moved = shift.and_then(|shift| own.checked_add_signed(shift)).map(|at| at as usize);
        let there = moved.and_then(|moved| self.text.get(moved..));
        if let (Some(moved), true) = (moved, there.is_some_and(|it| it.starts_with(&place.bytes))) {
            return Ok((moved + place.brought.start) as u64);
        }
        let (lines, length) = (place.lines(), place.bytes.len());
        if let Some(at) = self.only(std::iter::once(0..length), place)? {
            return Ok(at);
        }
        // At the start or end of the file, there is no context on that side.
        let has_before = lines.start > 0 || own > 0;
        let has_after = lines.end < length || own + (length as u64) < self.left;
        let before = has_before.then_some(0..lines.end);
        let after = has_after.then_some(lines.start..length);
        let found = self.only([before, after].into_iter().flatten(), place)?;
        found.ok_or_else(|| self.missing(&place.bytes[lines], start))
    }

    /// Finds an edit by parts of its context. Returns `None` if they do not occur.
    ///
    /// # Errors
    ///
    /// Fails if they occur several times.
    fn only(
        &self,
        parts: impl IntoIterator<Item = Range<usize>>,
        place: &Place,
    ) -> Result<Option<u64>, Error> {
        let mut only: Option<(usize, usize)> = None;
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            let finder = memmem::Finder::new(&place.bytes[part.clone()]);
            // If lines are repeated, occurrences overlap.
            let mut from = 0;
            let occurrences = std::iter::from_fn(|| {
                let at = from + finder.find(&self.text[from..])?;
                from = at + 1;
                Some(at)
            });
            for at in occurrences.take(2) {
                let start = at + place.brought.start - part.start;
                match only {
                    Some((first, own)) if own != start => return Err(self.several(first, at)),
                    _ => only = Some((at, start)),
                }
            }
        }
        Ok(only.map(|(_, start)| start as u64))
    }

    fn line_of(&self, at: usize) -> u64 {
        1 + count_newlines(&self.text[..at])
    }

    fn several(&self, first: usize, second: usize) -> Error {
        let path = self.record.path();
        let [first, second] = [self.line_of(first), self.line_of(second)];
        changed(path, &format!("the text of the patch occurs on line {first} and on line {second}"))
    }

    /// Returns the error for a missing text, with the closest match and its difference.
    fn missing(&self, wanted: &[u8], own: u64) -> Error {
        let path = self.record.path();
        let own = self.line_of(self.text.len().min(own as usize));
        let wanted = std::str::from_utf8(wanted).ok();
        let Some(near) = wanted.and_then(|wanted| closest(wanted, self.text, 1, false)) else {
            let what = format!("the text that the patch wrote near line {own} no longer exists");
            return changed(path, &what);
        };
        let line = near.line;
        let what =
            format!("line {line} is closest to the text of the patch, which no longer exists");
        let mut lines = self.text.split_inclusive(|&byte| byte == b'\n');
        let text = without_end(lines.nth(line as usize - 1).unwrap_or_default());
        let text = String::from_utf8_lossy(text).into_owned();
        let candidates = vec![Candidate { line, text: text.clone(), path: vec![text] }];
        let address = display(path, Some(LineRange::line(line)));
        Error { candidates, ..changed(path, &what) }
            .hint(Hint::command("read", [address]).why("print the current text"))
    }

    /// Fails if the edits would change headings or code blocks elsewhere.
    fn check_structure(&self, edits: &EditSet, env: &Env) -> Result<(), Error> {
        let path = self.record.path();
        let options = DocumentOptions { binary: true, ..DocumentOptions::default() };
        let stream = Box::new(Cursor::new(self.text.to_vec()));
        let document = Document::stream(path, stream, &options, &env.cancel)?;
        if !document.format().has(Feature::FarEffects) || !document.encoding().is_utf8() {
            return Ok(());
        }
        let (start, format) = (document.bom_length(), document.format());
        let lines = LineIndex::new(self.text, start);
        let outline = Outline::of_part(&self.text[start..], start as u64, format, Wants::default());
        let found = structure::changes(self.text, &lines, edits, format.dialect(), || &outline);
        let Some(first) = found.first() else { return Ok(()) };
        let shown = String::from_utf8_lossy(&first.text);
        let shown = shown.lines().next().unwrap_or_default();
        let message = format!(
            "the file was changed since, and this would change headings or code blocks \
             elsewhere: '{shown}'"
        );
        Err(Error::new(Code::StructureChanged, message).at(path))
    }
}
