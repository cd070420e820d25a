//! Determines which lines remain unchanged by edits.

use folio_text::edit::Edit;
use folio_text::lines::count_newlines;
use folio_text::span::Span;

/// The lines that remain unchanged by edits. Line numbers begin at 1.
#[derive(Default)]
pub(super) struct KeptLines {
    runs: Vec<KeptRun>,
}

/// Consecutive unchanged lines, with the number of the first one in the old and the new document.
pub(super) struct KeptRun {
    pub(super) old: u64,
    pub(super) new: u64,
    pub(super) count: u64,
}

impl KeptLines {
    /// Returns the unchanged lines of a part that begins at the start of a line. No edit may cross
    /// the start or end of the part.
    pub(super) fn new(bytes: &[u8], part: Span, edits: &[Edit]) -> Self {
        let old = &bytes[part.start() as usize..part.end() as usize];
        let within = edits.iter().filter(|edit| part.start() <= edit.span.start());
        let within = within.take_while(|edit| edit.span.end() <= part.end());
        let mut lines = Self::default();
        // Number of complete lines, and whether another line has begun, in both documents.
        let (mut ended, mut open) = ((0, 0), (false, false));
        // Whether the current line is unchanged so far.
        let mut is_same = false;
        let mut at = 0;
        for edit in within {
            let start = (edit.span.start() - part.start()) as usize;
            let end = (edit.span.end() - part.start()) as usize;
            lines.keep(&old[at..start], &mut ended, &mut open, &mut is_same);
            let (removed, content) = (&old[start..end], &edit.content[..]);
            at = end;
            // If the last line only gains a line ending, it counts as unchanged.
            let ends = content.starts_with(b"\n") || content.starts_with(b"\r\n");
            if is_same && start == old.len() && ends {
                lines.push(ended, 1);
                (ended.0, open.0) = (ended.0 + 1, false);
            }
            is_same &= removed.is_empty() && content.is_empty();
            ended.0 += count_newlines(removed);
            ended.1 += count_newlines(content);
            open.0 = removed.last().map_or(open.0, |&byte| byte != b'\n');
            open.1 = content.last().map_or(open.1, |&byte| byte != b'\n');
        }
        lines.keep(&old[at..], &mut ended, &mut open, &mut is_same);
        if is_same {
            lines.push(ended, 1);
        }
        lines
    }

    /// Returns the number in the new document of a line of the old one, if it is unchanged.
    pub(super) fn new_line(&self, old: u64) -> Option<u64> {
        let after = self.runs.partition_point(|run| run.old <= old);
        let run = self.runs.get(after.checked_sub(1)?)?;
        (old < run.old + run.count).then(|| run.new + (old - run.old))
    }

    /// Returns the number in the old document of a line of the new one, if it is unchanged.
    pub(super) fn old_line(&self, new: u64) -> Option<u64> {
        let after = self.runs.partition_point(|run| run.new <= new);
        let run = self.runs.get(after.checked_sub(1)?)?;
        (new < run.new + run.count).then(|| run.old + (new - run.new))
    }

    /// Handles bytes that no edit touches.
    fn keep(
        &mut self,
        bytes: &[u8],
        ended: &mut (u64, u64),
        open: &mut (bool, bool),
        is_same: &mut bool,
    ) {
        let mut rest = bytes;
        if *open != (false, false) && !bytes.is_empty() {
            let Some(feed) = memchr::memchr(b'\n', bytes) else {
                *open = (true, true);
                return;
            };
            (*ended, *open) = ((ended.0 + 1, ended.1 + 1), (false, false));
            rest = &bytes[feed + 1..];
        }
        let count = count_newlines(rest);
        self.push(*ended, count);
        *ended = (ended.0 + count, ended.1 + count);
        if rest.last().is_some_and(|&byte| byte != b'\n') {
            (*open, *is_same) = ((true, true), true);
        }
    }

    /// Adds lines after those that were added before.
    fn push(&mut self, ended: (u64, u64), count: u64) {
        let (old, new) = (ended.0 + 1, ended.1 + 1);
        match self.runs.last_mut() {
            _ if count == 0 => {}
            Some(run) if (run.old + run.count, run.new + run.count) == (old, new) => {
                run.count += count;
            }
            _ => self.runs.push(KeptRun { old, new, count }),
        }
    }

    pub(super) fn runs(&self) -> &[KeptRun] {
        &self.runs
    }

    /// Converts a line number of the old document to a line number of the new one.
    pub(super) fn new_of(&self, line: u64) -> Option<u64> {
        let run = &self.runs[self.runs.partition_point(|run| run.old <= line).checked_sub(1)?];
        (line - run.old < run.count).then(|| run.new + line - run.old)
    }

    /// Converts a line number of the new document to a line number of the old one.
    pub(super) fn old_of(&self, line: u64) -> Option<u64> {
        let run = &self.runs[self.runs.partition_point(|run| run.new <= line).checked_sub(1)?];
        (line - run.new < run.count).then(|| run.old + line - run.new)
    }
}
