//! Finds the edits of a patch in a file. If only folio has changed the file since the patch, the
//! history determines where the edited text is now. Otherwise, each edited text must occur exactly
//! once with its context.

use std::fs::File;
use std::io::Cursor;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::changed_error;
use super::context::Context;
use super::past::{self, LaterChange, Past, Places};
use crate::document::{self, DocumentOptions};
use crate::env::Env;
use crate::error::{Code, Error};
use crate::history::{self, HistoryEntry, Reverse};
use crate::records::FileRecord;
use crate::replace::hash_spans;
use crate::state::StateDirectory;
use folio_outline::format::Feature;
use folio_outline::structure;
use folio_text::edit::{Edit, EditSet};
use folio_text::line_index::LineIndex;
use folio_text::lines::count_newlines;
use folio_text::span::Span;

/// Maximum size in bytes of a file to search.
const MAX_SEARCHED: u64 = history::MAX_HASHED;

/// The edits that undo a patch.
pub(super) struct Fit {
    pub(super) edits: EditSet,
    /// The line of the first edit. `None` unless it has moved.
    pub(super) moved_to: Option<u64>,
}

/// Finds the edits of a record of an entry in a file.
///
/// # Errors
///
/// Fails with [`Code::FileChanged`] if it is not certain where the edits are, and with
/// [`Code::StructureChanged`] if undoing them would change headings or code blocks elsewhere.
pub(super) fn fit(
    file: &File,
    size: u64,
    (state, entry): (&StateDirectory, &HistoryEntry),
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
    if record.before.is_none() || reverse.edits.is_empty() || size > MAX_SEARCHED {
        return Err(changed_size(record, size));
    }
    let mut text = vec![0; size as usize];
    file.read_exact_at(&mut text, 0).map_err(failed)?;
    let later = past::later_changes(state, record, entry.id)?;
    let past = Past::reconstruct(&text, &later, entry.id, record);
    let edits =
        PlaceSearch { text: &text, record, reverse: &reverse }.edits(&past, &later, entry.id)?;
    check_structure(&text, path, &edits, env)?;
    let first = edits.edits().first().map_or(0, |edit| edit.span.start());
    let line = 1 + count_newlines(&text[..first as usize]);
    // A change after the edit does not move it.
    Ok(Fit { edits, moved_to: Some(line).filter(|_| record.line != Some(line)) })
}

/// Returns the error for a file in which the edits cannot be searched for.
fn changed_size(record: &FileRecord, size: u64) -> Error {
    let left = record.after.map_or(0, |after| after.size);
    changed_error(
        record.path(),
        &if size == left {
            "its bytes have changed".to_owned()
        } else {
            format!("it has {size} bytes, not {left}")
        },
    )
}

struct PlaceSearch<'a> {
    /// The current text.
    text: &'a [u8],
    record: &'a FileRecord,
    reverse: &'a Reverse,
}

impl PlaceSearch<'_> {
    /// Returns the edits of entry `id`, with spans in the current text.
    fn edits(&self, past: &Past, later: &[LaterChange], id: u64) -> Result<EditSet, Error> {
        let earlier = past.text();
        let places = Places::after_patch(self.record, self.reverse);
        let now = Context { text: self.text, record: self.record, places: &places };
        let then = Context { text: &earlier, ..now };
        let found = match past.is_certain {
            true => {
                let edits = self.reverse.edits.edits();
                let starts: Vec<u64> = edits.iter().map(|edit| edit.span.start()).collect();
                let moved = self.current_offsets(past, &earlier, &starts);
                moved.or_else(|| self.written_elsewhere(past, &then, &now))
            }
            false if places.bytes.is_empty() => {
                return Err(changed_size(self.record, self.text.len() as u64));
            }
            false => {
                let unknown = later[past.undone..].iter().rev();
                match places.clone().carry_all(self.record, unknown, id) {
                    None => None,
                    Some(places) => {
                        let then = Context { places: &places, ..then };
                        self.current_offsets(past, &earlier, &then.find_certain()?)
                    }
                }
            }
        };
        let found = found.ok_or_else(|| self.refusal_error(past, &now))?;
        let edits = self.reverse.edits.edits().iter().zip(found).map(|(edit, start)| Edit {
            span: Span::new(start, start + edit.span.len()),
            content: edit.content.clone(),
        });
        let disordered = |_| changed_error(self.record.path(), "what it wrote has been moved");
        EditSet::new(edits.collect()).map_err(disordered)
    }

    /// Returns the error for edits whose text or place later patches changed.
    fn refusal_error(&self, past: &Past, now: &Context<'_>) -> Error {
        let deleted = self.reverse.edits.edits().iter().filter(|edit| edit.span.is_empty());
        let mut ends = deleted.map(|edit| past.offsets_around(edit.span.start()));
        let is_crowded = |ends: &(Option<u64>, Option<u64>)| ends.0.is_some() && ends.0 < ends.1;
        match ends.find(is_crowded) {
            Some((Some(first), Some(last))) if past.is_certain => now.crowded_error(first, last),
            _ => now.missing_error(0),
        }
    }

    /// Returns the offsets of edits whose text a later patch moved: the text occurred only once, it
    /// occurs only once now, and later patches wrote all of that text.
    fn written_elsewhere(
        &self,
        past: &Past,
        then: &Context<'_>,
        now: &Context<'_>,
    ) -> Option<Vec<u64>> {
        // An undo may have restored lines equal to those around a deleted text.
        if self.reverse.edits.edits().iter().any(|edit| edit.span.is_empty()) {
            return None;
        }
        let found = then.find().and_then(|_| now.find()).ok()?;
        let is_new = now.spans(&found).into_iter().all(|place| !past.has_kept(place));
        is_new.then_some(found)
    }

    /// Returns the current offsets of the edits, which begin at `starts` in an earlier text.
    /// Returns `None` if later patches changed the text of an edit.
    fn current_offsets(&self, past: &Past, text: &[u8], starts: &[u64]) -> Option<Vec<u64>> {
        let edits = self.reverse.edits.edits().iter().zip(starts);
        edits
            .map(|(edit, &start)| {
                EarlierPlace::new(text, edit, start).current_offset(past, self.text)
            })
            .collect()
    }
}

/// The place of an edit in an earlier text.
struct EarlierPlace<'a> {
    text: &'a [u8],
    edit: &'a Edit,
    start: usize,
    end: usize,
}

impl<'a> EarlierPlace<'a> {
    fn new(text: &'a [u8], edit: &'a Edit, start: u64) -> Self {
        Self { text, edit, start: start as usize, end: (start + edit.span.len()) as usize }
    }

    /// Whether the edit restores only whole lines, between two lines.
    fn is_between_lines(&self) -> bool {
        let (content, is_end) = (&self.edit.content, self.end == self.text.len());
        let is_before_line = || is_end || content.ends_with(b"\n");
        let is_after_line = || content.starts_with(b"\n") || content.starts_with(b"\r\n");
        self.start == self.end
            && (begins_line(self.text, self.start) && is_before_line()
                || ends_line(self.text, self.end) && is_after_line())
    }

    /// Returns the span that later patches must not have changed: the text of the edit. If it
    /// begins or ends within a line, the span includes the word there, and one more character,
    /// because the new text of a later patch may belong to it.
    fn core(&self) -> Span {
        let (mut start, mut end) = (self.start, self.end);
        if !self.is_between_lines() {
            let is_word = |at: usize| is_word(self.text[at]);
            if !begins_line(self.text, start) {
                while start > 0 && is_word(start - 1) {
                    start -= 1;
                }
                start = start.saturating_sub(usize::from(!begins_line(self.text, start)));
            }
            if start == end || !begins_line(self.text, end) {
                while end < self.text.len() && is_word(end) {
                    end += 1;
                }
                end = self.text.len().min(end + 1);
            }
        }
        Span::new(start as u64, end as u64)
    }

    /// Returns the offset of the edit in the `current` text. Returns `None` if later patches
    /// changed its text, or if undoing it would join lines.
    fn current_offset(&self, past: &Past, current: &[u8]) -> Option<u64> {
        let core = self.core();
        let start = if core.is_empty() {
            past.current_offset(core.start())?
        } else {
            past.current_start(core)? + (self.start as u64 - core.start())
        };
        let (at, end) = (start as usize, start as usize + self.end - self.start);
        let is_first = !begins_line(self.text, self.start) || begins_line(current, at);
        let is_last = if begins_line(self.text, self.end) {
            // The last line of the file may have no line ending.

            let is_end = self.end < self.text.len() || end == current.len();
            is_end || self.edit.content.is_empty() || self.edit.content.ends_with(b"\n")
        } else {
            !ends_line(self.text, self.end) || ends_line(current, end)
        };
        (is_first && is_last).then_some(start)
    }
}

/// Whether a byte is part of a word or a number.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || b"_-+./".contains(&byte)
}

fn begins_line(text: &[u8], at: usize) -> bool {
    at == 0 || text[at - 1] == b'\n'
}

fn ends_line(text: &[u8], at: usize) -> bool {
    text.get(at).is_none_or(|&byte| byte == b'\n') || text[at..].starts_with(b"\r\n")
}

/// Fails if the edits would change headings or code blocks elsewhere.
fn check_structure(text: &[u8], path: &Path, edits: &EditSet, env: &Env) -> Result<(), Error> {
    let options = DocumentOptions { binary: true, ..DocumentOptions::default() };
    let stream = Box::new(Cursor::new(text.to_vec()));
    let document = document::of_stream(path, stream, &options, &env.cancel)?;
    if !document.format().has(Feature::FarEffects) || !document.encoding().is_utf8() {
        return Ok(());
    }
    let lines = LineIndex::new(text, document.bom_length());
    let outline = document.sections()?;
    let found = structure::changes(text, &lines, edits, document.format(), || outline);
    let Some(first) = found.first() else { return Ok(()) };
    let shown = String::from_utf8_lossy(&first.text);
    let shown = shown.lines().next().unwrap_or_default();
    let message = format!(
        "the file was changed since, and this would change headings or code blocks \
         elsewhere: '{shown}'"
    );
    Err(Error::new(Code::StructureChanged, message).at(path))
}
