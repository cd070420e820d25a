//! Converts between line numbers and offsets in a text in memory. It stores the number of line
//! endings before each block of 512 bytes and counts the rest on demand.

use crate::content::LineEnd;
use crate::lines::{count_newlines, skip_lines};

/// Size of a block in bytes.
const BLOCK: usize = 512;

/// Index of the starts of lines in a text. All methods expect the same text.
#[derive(Clone, Debug)]
pub struct LineIndex {
    /// Number of line endings before each block.
    before: Vec<u64>,
    /// Total number of line endings.
    ended: u64,
    start: usize,
    has_last_end: bool,
    first_end: Option<LineEnd>,
}

impl LineIndex {
    /// Indexes the text that begins at `start`, the offset after a byte order mark.
    pub fn new(bytes: &[u8], start: usize) -> Self {
        let mut ended = 0;
        let before = bytes.chunks(BLOCK).map(|block| {
            let lines_before = ended;
            ended += count_newlines(block);
            lines_before
        });
        let before = before.collect();
        let first = memchr::memchr(b'\n', bytes).map(|at| &bytes[..=at]);
        let has_last_end = bytes[start..].last().is_none_or(|&byte| byte == b'\n');
        Self { before, ended, start, has_last_end, first_end: first.and_then(LineEnd::at_end) }
    }

    /// Returns the number of lines.
    pub fn total_lines(&self) -> u64 {
        self.ended + u64::from(!self.has_last_end)
    }

    /// Returns the ending of the first line that has a line ending.
    pub fn first_line_end(&self) -> Option<LineEnd> {
        self.first_end
    }

    /// Returns the offset at which a line begins, or the end of the text if there is no such line.
    pub fn start_of(&self, bytes: &[u8], line: u64) -> u64 {
        let wanted = line.saturating_sub(1);
        if wanted == 0 {
            return self.start as u64;
        }
        if wanted > self.ended {
            return bytes.len() as u64;
        }
        let block = self.before.partition_point(|&before| before < wanted).saturating_sub(1);
        let rest = skip_lines(&bytes[block * BLOCK..], wanted - self.before[block]);
        rest.map_or(bytes.len(), |length| block * BLOCK + length) as u64
    }

    /// Returns the number of the line that contains an offset. For an offset after the last line
    /// ending, returns the number of lines plus one.
    pub fn line_of(&self, bytes: &[u8], offset: u64) -> u64 {
        let offset = (offset as usize).min(bytes.len());
        let block = (offset / BLOCK).min(self.before.len().saturating_sub(1));
        let before = self.before.get(block).copied().unwrap_or_default();
        before + count_newlines(&bytes[block * BLOCK..offset]) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, lines: u64) {
        let bytes = ["\u{feff}", text].concat().into_bytes();
        let index = LineIndex::new(&bytes, 3);
        assert_eq!(index.total_lines(), lines, "{} bytes", text.len());
        let mut at = 3;
        for (line, number) in text.split_inclusive('\n').zip(1..) {
            assert_eq!(index.start_of(&bytes, number), at);
            assert_eq!(index.line_of(&bytes, at), number);
            at += line.len() as u64;
            assert_eq!(index.line_of(&bytes, at - 1), number);
        }
        assert_eq!(index.start_of(&bytes, lines + 1), at);
        assert_eq!(index.start_of(&bytes, lines + 9999), at);
    }

    #[test]
    fn lines_are_found_by_number_and_by_offset() {
        check("", 0);
        check("a", 1);
        check("a\n", 1);
        check("a\n\nb", 3);
        check(&"x\n".repeat(2046), 2046);
        check(&"xy\r\n".repeat(2500), 2500);
        check(&format!("{}z", "\n".repeat(4093)), 4094);
        check(&format!("{0}\n{0}\n", "z".repeat(10_000)), 2);
    }

    #[test]
    fn the_first_line_ending_is_found() {
        for (text, expected) in
            [("a\r\nb\n", Some(LineEnd::CrLf)), ("a\n", Some(LineEnd::Lf)), ("a", None)]
        {
            assert_eq!(LineIndex::new(text.as_bytes(), 0).first_line_end(), expected);
        }
    }
}
