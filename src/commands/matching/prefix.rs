//! The fields before the text of an output line, and positions in a text.

use super::line_buffer::{Line, LineRole};
use folio_text::lines::count_newlines;

/// The fields to print before the text of a line.
#[derive(Clone, Copy)]
pub(super) struct Prefix {
    pub(super) number: u64,
    pub(super) kind: LineRole,
    /// The offset of the first match in the line.
    pub(super) column: Option<usize>,
    /// The offset in the file.
    pub(super) offset: u64,
}

impl Prefix {
    pub(super) fn of(line: &Line) -> Self {
        Self { number: line.number, kind: line.kind, column: None, offset: line.byte_offset }
    }

    /// Returns the prefix for a match at this position in a line.
    pub(super) fn at(line: &Line, position: &Position) -> Self {
        Self {
            number: position.number,
            kind: line.kind,
            column: Some(position.at - position.line_start),
            offset: line.byte_offset + position.at as u64,
        }
    }
}

/// A position in the text of a match. It can only move forward.
pub(super) struct Position {
    at: usize,
    pub(super) number: u64,
    line_start: usize,
}

impl Position {
    pub(super) fn of(line: &Line) -> Self {
        Self { at: 0, number: line.number, line_start: 0 }
    }

    pub(super) fn advance(&mut self, text: &[u8], to: usize) {
        let passed = &text[self.at..to];
        self.number += count_newlines(passed);
        if let Some(end) = memchr::memrchr(b'\n', passed) {
            self.line_start = self.at + end + 1;
        }
        self.at = to;
    }
}
