//! Finds the edits of a patch in a text by their context, and describes candidates if this fails.

use super::changed_error;
use super::past::Places;
use crate::address::display;
use crate::error::{Candidate, Error, Hint};
use crate::history::{InsertedText, MAX_CANDIDATES, Miss, count_similar, offsets};
use crate::records::FileRecord;
use folio_text::fuzzy::text::closest;
use folio_text::lines::{count_newlines, without_end};
use folio_text::span::{LineRange, Span};

/// A text in which the edits of a patch are searched for.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) text: &'a [u8],
    pub(super) record: &'a FileRecord,
    pub(super) places: &'a Places,
}

impl<'a> Context<'a> {
    fn places(&self) -> Vec<InsertedText<'a>> {
        let places = self.places.bytes.iter().zip(&self.places.around);
        places.map(|(bytes, &around)| InsertedText { bytes, around }).collect()
    }

    /// Returns the offsets of the edits.
    ///
    /// # Errors
    ///
    /// Fails unless each of them occurs exactly once with its context.
    pub(super) fn find(&self) -> Result<Vec<u64>, Error> {
        offsets(&self.places(), self.text).map_err(|miss| match miss {
            Miss::Missing(index) => self.missing_error(index),
            Miss::Several(all) => self.ambiguous_error(all),
        })
    }

    /// Returns the offsets of the edits, unless other places may be mistaken for theirs.
    ///
    /// Another program may have deleted the place of an edit, and made another place equal to it.
    /// Therefore, its distance from the start or the end of the file must be the same as before,
    /// unless no other place was or is similar. In this case, one line of context is sufficient on
    /// one of the two sides.
    pub(super) fn find_certain(&self) -> Result<Vec<u64>, Error> {
        let Some((others, on_one_side)) = self.record.alike else { return self.find() };
        let found = self.find();
        if found.as_ref().is_ok_and(|found| others == 0 && self.is_certain(found, on_one_side)) {
            return found;
        }
        let is_distinct = (others, on_one_side) == (0, 0) && self.places.is_followed;
        for is_before in [true, false].into_iter().filter(|_| is_distinct) {
            let places = self.places.trimmed(is_before);
            let trimmed = Context { places: &places, ..*self };
            if let Some(found) = trimmed.find().ok().filter(|found| trimmed.is_certain(found, 0)) {
                return Ok(found);
            }
        }
        found?;
        let places = self.places();
        let partial = places.iter().flat_map(|place| place.partial_occurrences(self.text));
        Err(self.ambiguous_error(partial.take(MAX_CANDIDATES).collect()))
    }

    /// Whether edits begin at `found`. At the time of the patch, `on_one_side` other places matched
    /// the context on one side.
    fn is_certain(&self, found: &[u64], on_one_side: u64) -> bool {
        let places = self.places();
        let is_certain = |index: usize| {
            let (place, old_start) = (&places[index], self.places.starts[index]);
            let start = found[index] - place.around.0;
            let is_near = start == old_start
                || start + self.places.size == old_start + self.text.len() as u64;
            let count = places.iter().filter(|other| *other == place).count();
            is_near
                || on_one_side == 0
                    && place.is_enclosed(start as usize, self.text)
                    && place.has_side(self.text, count)
        };
        count_similar(&places, self.text).1 <= on_one_side && (0..places.len()).all(is_certain)
    }

    /// Returns the spans in the text of edits that begin at `starts`, including their context.
    pub(super) fn spans(&self, starts: &[u64]) -> Vec<Span> {
        let spans = self.places().into_iter().zip(starts).map(|(place, start)| {
            let start = start - place.around.0;
            Span::new(start, start + place.bytes.len() as u64)
        });
        spans.collect()
    }

    fn line_of(&self, at: usize) -> u64 {
        1 + count_newlines(&self.text[..at])
    }

    /// Returns the error for an edit that may be at several offsets.
    pub(super) fn ambiguous_error(&self, mut all: Vec<usize>) -> Error {
        all.sort_unstable();
        all.dedup();
        all.truncate(MAX_CANDIDATES);
        let lines: Vec<u64> = all.iter().map(|&at| self.line_of(at)).collect();
        let shown: Vec<String> = lines.iter().take(5).map(u64::to_string).collect();
        let more = if shown.len() < lines.len() { " and others" } else { "" };
        let what = match &shown[..] {
            [only] => {
                format!("line {only} matches the text of the patch, but may not be its place")
            }
            [first, second] => {
                format!("the text of the patch occurs on line {first} and on line {second}")
            }
            several => {
                format!("the text of the patch occurs on lines {}{more}", several.join(", "))
            }
        };
        let candidates = lines.into_iter().map(|line| self.candidate(line)).collect();
        Error { candidates, ..changed_error(self.record.path(), &what) }
    }

    /// Returns the error for a deleted text, if later patches inserted text in its place, from
    /// offset `first` to `last`.
    pub(super) fn crowded_error(&self, first: u64, last: u64) -> Error {
        let lines = [first, last].map(|at| self.line_of(at as usize));
        let what = format!("a later patch inserted text on line {}, in its place", lines[0]);
        let candidates = lines.map(|line| self.candidate(line)).to_vec();
        Error { candidates, ..changed_error(self.record.path(), &what) }
    }

    /// Returns the error for an edit that does not occur with its context.
    pub(super) fn missing_error(&self, index: usize) -> Error {
        let path = self.record.path();
        let place = self.places().get(index).copied();
        let partial = place.iter().flat_map(|place| place.partial_occurrences(self.text));
        let mut partial: Vec<usize> = partial.take(MAX_CANDIDATES).collect();
        partial.sort_unstable();
        partial.dedup();
        if partial.len() > 1 {
            return self.ambiguous_error(partial);
        }
        let what = "matches the text of the patch, but the lines next to it have changed";
        let what = partial.first().map(|&at| (self.line_of(at), what));
        let expected =
            place.and_then(|place| std::str::from_utf8(&place.bytes[place.lines()]).ok());
        let near = || {
            let line = closest(expected?, self.text, 1, false)?.line;
            Some((line, "is closest to the text of the patch, which no longer exists"))
        };
        let Some((line, what)) = what.or_else(near) else {
            let offset = self.record.edits.get(index).map_or(0, |edit| edit.0);
            let line = self.line_of(self.text.len().min(offset as usize));
            let what = format!("the text that the patch wrote near line {line} no longer exists");
            return changed_error(path, &what);
        };
        let candidates = vec![self.candidate(line)];
        let address = display(path, Some(LineRange::line(line)));
        Error { candidates, ..changed_error(path, &format!("line {line} {what}")) }
            .hint(Hint::command("read", [address]).why("print the current text"))
    }

    fn candidate(&self, line: u64) -> Candidate {
        let mut lines = self.text.split_inclusive(|&byte| byte == b'\n');
        let text = without_end(lines.nth(line as usize - 1).unwrap_or_default());
        let text = String::from_utf8_lossy(text).into_owned();
        Candidate { line, text: text.clone(), path: vec![text] }
    }
}
