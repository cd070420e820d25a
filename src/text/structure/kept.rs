//! Which lines edits leave as they are.

use super::{Window, pieces};
use crate::text::edit::{Edit, Piece};
use crate::text::lines::lines_with_ends;
use crate::text::span::Span;

/// Where the lines of a text begin.
pub(super) fn line_starts(text: &[u8]) -> Vec<usize> {
    let mut at = 0;
    lines_with_ends(text)
        .map(|line| {
            at += line.len();
            at - line.len()
        })
        .collect()
}

/// Lines that edits leave as they are, in runs: from their numbers in the old
/// document to those in the new one and back. All numbers are from 1.
#[derive(Default)]
pub(super) struct KeptLines {
    runs: Vec<KeptRun>,
}

struct KeptRun {
    old: u64,
    new: u64,
    count: u64,
}

impl KeptLines {
    /// Takes the next line.
    fn push(&mut self, old: u64, new: u64) {
        match self.runs.last_mut() {
            Some(run) if (run.old + run.count, run.new + run.count) == (old, new) => run.count += 1,
            _ => self.runs.push(KeptRun { old, new, count: 1 }),
        }
    }

    /// The number that a line of the old document has in the new one.
    pub(super) fn new_of(&self, line: u64) -> Option<u64> {
        let run = &self.runs[self.runs.partition_point(|run| run.old <= line).checked_sub(1)?];
        (line - run.old < run.count).then(|| run.new + line - run.old)
    }

    /// The number that a line of the new document had in the old one.
    pub(super) fn old_of(&self, line: u64) -> Option<u64> {
        let run = &self.runs[self.runs.partition_point(|run| run.new <= line).checked_sub(1)?];
        (line - run.new < run.count).then(|| run.old + line - run.new)
    }
}

/// Which lines of the old window are lines of the new one as they stand.
/// The starts of their lines are given.
pub(super) fn unchanged_lines(
    window: &Window,
    edits: &[Edit],
    old_starts: &[usize],
    new_starts: &[usize],
) -> KeptLines {
    let part = Span::new(window.offset, window.offset + window.old.len() as u64);
    let mut lines = KeptLines::default();
    let mut new_at = 0usize;
    for piece in pieces(edits, part) {
        let span = match piece {
            Piece::New(content) => {
                new_at += content.len();
                continue;
            }
            Piece::Old(span) => span,
        };
        let start = (span.start() - window.offset) as usize;
        let end = (span.end() - window.offset) as usize;
        let first = old_starts.partition_point(|&at| at < start);
        for index in first..old_starts.len() {
            let line_start = old_starts[index];
            let line_end = old_starts.get(index + 1).copied().unwrap_or(window.old.len());
            if line_end > end || line_start >= end {
                break;
            }
            let new_start = new_at + line_start - start;
            let new_end = new_at + line_end - start;
            let ended = window.old[line_end - 1] == b'\n'
                || matches!(window.new[new_end..], [] | [b'\n', ..] | [b'\r', b'\n', ..]);
            if ended && let Ok(number) = new_starts.binary_search(&new_start) {
                lines.push(index as u64 + 1, number as u64 + 1);
            }
        }
        new_at += end - start;
    }
    lines
}
