//! Computes an earlier text of a file from its current text and the later entries of its history,
//! and where the bytes of the earlier text are now.

use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::history::{self, HistoryEntry, InsertedText, MAX_HASHED, Reverse, hex_digits};
use crate::records::{FileRecord, Reversed};
use crate::state::StateDirectory;
use folio_text::edit::{Edit, EditSet};
use folio_text::span::Span;

/// The change of a file by an entry.
#[derive(Debug)]
pub(super) struct LaterChange {
    id: u64,
    reverses: Option<Reversed>,
    record: FileRecord,
    /// The edits that undo the change, and their places.
    reverse: Reverse,
}

/// Returns the changes of a file by the entries later than `id`, newest first. Damaged entries are
/// skipped, as if another program had made their changes.
pub(super) fn later_changes(
    state: &StateDirectory,
    file: &FileRecord,
    id: u64,
) -> Result<Vec<LaterChange>, Error> {
    let (entries, _) = history::list_after(state, id)?;
    let change = |entry: HistoryEntry| {
        let index = entry.record.files.iter().position(|other| other.path == file.path)?;
        let reverse = entry.reverse().ok()??.swap_remove(index);
        let record = entry.record.files[index].clone();
        Some(LaterChange { id: entry.id, reverses: entry.record.reverses, record, reverse })
    };
    Ok(entries.into_iter().filter_map(change).collect())
}

impl LaterChange {
    /// Returns the edits that the change made, or `None` if they are not recorded.
    fn edits(&self) -> Option<EditSet> {
        let places = self.reverse.places.iter().zip(&self.record.around);
        let written = places.map(|(place, (before, after))| {
            place[*before as usize..place.len() - *after as usize].to_vec()
        });
        let written: Vec<Vec<u8>> = written.collect();
        let edits = &self.reverse.edits;
        (written.len() == edits.edits().len()).then(|| edits.reversed(written))
    }
}

/// The edits of a patch with their context, after later changes.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// The contents with context.
    pub(super) bytes: Vec<Vec<u8>>,
    /// The lengths of the context before and after each content.
    pub(super) around: Vec<(u64, u64)>,
    /// The offsets of the places.
    pub(super) starts: Vec<u64>,
    /// The size of the file.
    pub(super) size: u64,
    /// Whether all changes by folio are known to be included.
    pub(super) is_followed: bool,
}

impl Places {
    /// Returns the places with only the adjacent lines as context before the content, or after it.
    pub(super) fn trimmed(&self, is_before: bool) -> Self {
        let mut trimmed = self.clone();
        for (index, bytes) in trimmed.bytes.iter_mut().enumerate() {
            let around = &mut trimmed.around[index];
            let adjacent = InsertedText { bytes, around: *around }.adjacent();
            if is_before {
                around.0 -= adjacent.start as u64;
                trimmed.starts[index] += adjacent.start as u64;
                bytes.drain(..adjacent.start);
            } else {
                around.1 -= (bytes.len() - adjacent.end) as u64;
                bytes.truncate(adjacent.end);
            }
        }
        trimmed
    }

    /// Returns the places after a patch.
    pub(super) fn after_patch(record: &FileRecord, reverse: &Reverse) -> Self {
        Self {
            bytes: reverse.places.clone(),
            around: record.around.clone(),
            starts: record.places().map(Span::start).collect(),
            size: record.after.map_or(0, |after| after.size),
            is_followed: true,
        }
    }

    /// Changes the places as the `later` changes of the file did, oldest first, until another
    /// program changed the file. `record` of entry `id` contains the file before them. Returns
    /// `None` if a change replaced the start or the end of a place.
    pub(super) fn carry_all<'a>(
        mut self,
        record: &FileRecord,
        later: impl Iterator<Item = &'a LaterChange>,
        id: u64,
    ) -> Option<Self> {
        let (mut file, mut last) = (record.after, id);
        for change in later {
            // A commit that was undone since is not in the history. If nothing was changed between
            // it and its undo, both have no effect.
            let undone =
                change.reverses.as_ref().map(|reversed| reversed.id).filter(|undone| *undone > id);
            if undone.is_some_and(|undone| undone > last) {
                let size = change.record.after.map(|after| after.size);
                if size != Some(self.size) {
                    self.is_followed = false;
                    break;
                }
            } else {
                let edits = change.edits().filter(|_| change.record.before == file);
                let Some(edits) = edits.filter(|_| undone.is_none()) else {
                    self.is_followed = false;
                    break;
                };
                for index in 0..self.bytes.len() {
                    self.carry(index, &edits)?;
                }
            }
            (file, last) = (change.record.after, change.id);
            self.size = file.map_or(0, |file| file.size);
        }
        Some(self)
    }

    fn carry(&mut self, index: usize, edits: &EditSet) -> Option<()> {
        let (bytes, around) = (&mut self.bytes[index], &mut self.around[index]);
        let span = Span::new(self.starts[index], self.starts[index] + bytes.len() as u64);
        let content = Span::new(span.start() + around.0, span.end() - around.1);
        let had_context = (around.0 > 0, around.1 > 0);
        let overlaps =
            |edit: &&Edit| edit.span.end() > span.start() && edit.span.start() < span.end();
        let mut start = span.start();
        for edit in edits.edits().iter().rev().filter(overlaps) {
            let (from, until) = (edit.span.start(), edit.span.end());
            let side = match (until <= content.start(), from >= content.end()) {
                (true, false) => &mut around.0,
                (false, true) => &mut around.1,
                _ => return None,
            };
            start = start.min(from);
            let (from, until) = (from.max(span.start()), until.min(span.end()));
            *side = *side + edit.content.len() as u64 - (until - from);
            let [from, until] = [from, until].map(|at| (at - span.start()) as usize);
            bytes.splice(from..until, edit.content.iter().copied());
        }
        let before = edits.edits().iter().filter(|edit| edit.span.end() <= start);
        self.starts[index] =
            before.fold(start, |start, edit| start + edit.content.len() as u64 - edit.span.len());
        (had_context == (around.0 > 0, around.1 > 0)).then_some(())
    }
}

/// A piece of the earlier text.
#[derive(Clone, Debug)]
struct EarlierPiece {
    /// The bytes in [`Past::bytes`].
    bytes: Span,
    /// The start and end of the piece in the current text. For bytes that a later change removed,
    /// this is the text that replaced them. `None` if the position is not known.
    start: Option<u64>,
    end: Option<u64>,
    /// The edit that, when it was undone, restored the piece: the index of the change in the list
    /// of later changes, and the index of the edit.
    by: Option<(usize, usize)>,
}

impl EarlierPiece {
    fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Divides the piece into its first `length` bytes and the rest. If they were removed, the
    /// position between the two parts is not known.
    fn split(self, length: u64, current: u64) -> (Self, Self) {
        let at = self.bytes.start() + length;
        let middle = self.start.filter(|_| self.bytes.end() <= current).map(|start| start + length);
        let first = Self { bytes: Span::new(self.bytes.start(), at), end: middle, ..self.clone() };
        (first, Self { bytes: Span::new(at, self.bytes.end()), start: middle, ..self })
    }
}

/// A patch and its undo, or an undo and its redo, of which only the last is in the history.
#[derive(Debug)]
struct Toggle {
    /// The numbers of the commits that are not in the history, earliest first.
    ids: Vec<u64>,
    /// The index of the last one in the list of changes.
    index: usize,
    /// For each edit, the pieces of the other of the two states.
    other: Vec<Vec<EarlierPiece>>,
}

/// An earlier text of a file.
#[derive(Debug)]
pub(super) struct Past {
    /// The current text, followed by the bytes that changes removed.
    bytes: Vec<u8>,
    /// The length of the current text.
    current: u64,
    pieces: Vec<EarlierPiece>,
    /// The pieces that are not empty, with their offsets.
    placed: Vec<(u64, EarlierPiece)>,
    toggles: Vec<Toggle>,
    /// The number of later changes that are undone.
    pub(super) undone: usize,
    /// Whether this is the text after the recorded change. Otherwise, another program has changed
    /// the file, and this is the earliest known text after that.
    pub(super) is_certain: bool,
}

impl Past {
    /// Undoes the `later` changes in `current`, newest first, until the text after the change in
    /// `record` of entry `id`, or as far as checksums prove that no other program changed the file.
    pub(super) fn reconstruct(
        current: &[u8],
        later: &[LaterChange],
        id: u64,
        record: &FileRecord,
    ) -> Self {
        // One checksum at the end is usually sufficient.
        let mut past = Self::new(current);
        past.is_certain = later.iter().all(|change| past.undo(change, false));
        past.toggle(id);
        past.is_certain &= past.is_text_after(record);
        if !past.is_certain {
            past = Self::new(current);
            if later.iter().all(|change| past.undo(change, true)) {
                past.toggle(id);
            }
            // The text of the patch may be missing if it was deleted and restored since.
            if past.toggles.iter().any(|toggle| toggle.ids.last() > Some(&id)) {
                past = Self::new(current);
            }
        }
        let mut at = 0;
        for piece in past.pieces.iter().filter(|piece| !piece.is_empty()) {
            past.placed.push((at, piece.clone()));
            at += piece.bytes.len();
        }
        past
    }

    fn new(text: &[u8]) -> Self {
        let current = text.len() as u64;
        let (start, end) = (Some(0), Some(current));
        let piece = EarlierPiece { bytes: Span::new(0, current), start, end, by: None };
        Self {
            bytes: text.to_vec(),
            current,
            pieces: vec![piece],
            placed: Vec::new(),
            toggles: Vec::new(),
            undone: 0,
            is_certain: false,
        }
    }

    /// Undoes a change. Returns `false` if the text is not the one after it. Examines this with the
    /// checksum only if `checks` is set.
    fn undo(&mut self, change: &LaterChange, checks: bool) -> bool {
        self.toggle(change.id);
        if checks && !self.is_text_after(&change.record) {
            return false;
        }
        let index = self.undone;
        self.undone += 1;
        if change.record.before.is_none() || change.record.after.is_none() {
            // The text before a deletion and after its undo is the same.
            return change.reverses.is_some();
        }
        let Some(other) = self.replace(&change.reverse.edits, index) else { return false };
        let toggle = |reversed: &Reversed| {
            let (first, last) = ([reversed.origin], [reversed.id]);
            let mut ids = [&first[..], &reversed.between, &last].concat();
            ids.dedup();
            // In records of earlier versions, an undo and a redo in between are missing. They are
            // taken for consecutive, which a checksum confirms or not.
            if (ids.len() % 2 == 1) != reversed.is_undo {
                ids.pop();
            }
            Toggle { ids, index, other }
        };
        self.toggles.extend(change.reverses.as_ref().map(toggle));
        true
    }

    /// Undoes the commits that are later than entry `id`, but not in the history.
    fn toggle(&mut self, id: u64) {
        let last = |toggle: &Toggle| toggle.ids.last().copied().filter(|&last| last > id);
        while let Some(toggle) = self.toggles.iter_mut().max_by_key(|toggle| last(toggle)) {
            if last(toggle).is_none() {
                return;
            }
            toggle.ids.pop();
            for (edit, other) in toggle.other.iter_mut().enumerate() {
                let by = Some((toggle.index, edit));
                let is_by_edit = |piece: &EarlierPiece| piece.by == by;
                // If the edits do not fit, the checksum of the text is wrong later.
                let Some(first) = self.pieces.iter().position(is_by_edit) else { continue };
                let end = 1 + self.pieces.iter().rposition(is_by_edit).unwrap_or(first);
                // Empty pieces mark the start and end, in case the edit is undone again.
                let mark = || EarlierPiece { bytes: Span::new(0, 0), start: None, end: None, by };
                let marked = [mark()].into_iter().chain(std::mem::take(other)).chain([mark()]);
                *other = self.pieces.splice(first..end, marked).collect();
            }
        }
    }

    /// Applies the edits of the change with an index. Returns the pieces that each edit replaces,
    /// or `None` if the text is too short.
    fn replace(&mut self, edits: &EditSet, index: usize) -> Option<Vec<Vec<EarlierPiece>>> {
        let mut rest: Vec<EarlierPiece> = std::mem::take(&mut self.pieces);
        rest.reverse();
        let (mut at, mut replaced) = (0, Vec::new());
        for (edit, change) in edits.edits().iter().enumerate() {
            let kept = self.take(&mut rest, change.span.start() - at);
            self.pieces.extend(kept);
            // Empty pieces at the start of the edit are before it.
            while rest.last().is_some_and(EarlierPiece::is_empty) {
                self.pieces.extend(rest.pop());
            }
            let old = self.take(&mut rest, change.span.len());
            at = change.span.end();
            let is_short =
                old.iter().map(|piece| piece.bytes.len()).sum::<u64>() < change.span.len();
            if is_short {
                rest.extend(old.into_iter().rev());
                break;
            }
            let first = old.iter().chain(rest.iter().rev()).find(|piece| !piece.is_empty());
            let last = self.pieces.iter().chain(&old).rfind(|piece| !piece.is_empty());
            let before = last.map_or(Some(0), |piece| piece.end);
            let after = first.map_or(Some(self.current), |piece| piece.start);
            let (start, end) = match change.span.is_empty() {
                false => (after, before),
                true if before == after => (before, after),
                // Text was inserted since on one side of the removed bytes, or on the other.
                true => (None, None),
            };
            let bytes = Span::new(
                self.bytes.len() as u64,
                (self.bytes.len() + change.content.len()) as u64,
            );
            self.bytes.extend_from_slice(&change.content);
            self.pieces.push(EarlierPiece { bytes, start, end, by: Some((index, edit)) });
            replaced.push(old);
        }
        self.pieces.extend(rest.into_iter().rev());
        (replaced.len() == edits.edits().len()).then_some(replaced)
    }

    /// Removes pieces with this number of bytes from the end of a reversed list. Stops before empty
    /// pieces that follow them.
    fn take(&self, rest: &mut Vec<EarlierPiece>, mut length: u64) -> Vec<EarlierPiece> {
        let mut removed = Vec::new();
        while length > 0 {
            let Some(piece) = rest.pop() else { break };
            if piece.bytes.len() <= length {
                length -= piece.bytes.len();
                removed.push(piece);
            } else {
                let (first, second) = piece.split(length, self.current);
                rest.push(second);
                removed.push(first);
                break;
            }
        }
        removed
    }

    /// Whether this is the text after the change in a record.
    fn is_text_after(&self, record: &FileRecord) -> bool {
        let size: u64 = self.pieces.iter().map(|piece| piece.bytes.len()).sum();
        let is_possible = record.after.is_some_and(|after| after.size == size);
        is_possible
            && size <= MAX_HASHED
            && record.sha256 == hex_digits(self.parts().fold(Sha256::new(), Sha256::chain_update))
    }

    /// Returns the parts of the text, in order.
    fn parts(&self) -> impl Iterator<Item = &[u8]> {
        let part = |piece: &EarlierPiece| piece.bytes.start() as usize..piece.bytes.end() as usize;
        self.pieces.iter().map(move |piece| &self.bytes[part(piece)])
    }

    pub(super) fn text(&self) -> Vec<u8> {
        self.parts().flatten().copied().collect()
    }

    /// Returns the current offset of a point between two bytes. Returns `None` if later changes
    /// inserted text there, or replaced the text on both sides together.
    pub(super) fn current_offset(&self, at: u64) -> Option<u64> {
        let (left, right) = self.offsets_around(at);
        left.filter(|_| left == right)
    }

    /// Returns the current offset after the byte before a point, and the one of the byte after it.
    pub(super) fn offsets_around(&self, at: u64) -> (Option<u64>, Option<u64>) {
        let next = self.placed.partition_point(|(offset, _)| *offset < at);
        let mut left = Some(0);
        if let Some((offset, piece)) = self.placed[..next].last() {
            let length = at - offset;
            if length < piece.bytes.len() {
                let (first, second) = piece.clone().split(length, self.current);
                return (first.end, second.start);
            }
            left = piece.end;
        }
        let right = self.placed.get(next).map_or(Some(self.current), |(_, piece)| piece.start);
        (left, right)
    }

    /// Returns the current offset of a span that is not empty. Returns `None` if later changes
    /// edited it.
    pub(super) fn current_start(&self, span: Span) -> Option<u64> {
        let next = self.placed.partition_point(|(offset, _)| *offset <= span.start());
        let placed = &self.placed[next.checked_sub(1)?..];
        let (offset, first) = placed.first()?;
        let mut end = first.bytes.start();
        for (_, piece) in placed.iter().take_while(|(offset, _)| *offset < span.end()) {
            if piece.bytes.start() != end || piece.bytes.end() > self.current {
                return None;
            }
            end = piece.bytes.end();
        }
        Some(first.bytes.start() + span.start() - offset)
    }

    /// Whether a span of the current text includes bytes of the earlier text.
    pub(super) fn has_kept(&self, span: Span) -> bool {
        let kept = self.pieces.iter().filter(|piece| piece.bytes.end() <= self.current);
        let mut kept = kept.map(|piece| piece.bytes);
        kept.any(|kept| kept.start() < span.end() && span.start() < kept.end())
    }
}
