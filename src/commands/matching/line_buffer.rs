//! Buffers matching lines and context lines until they are printed.

use std::ops::Range;

/// The role of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineRole {
    /// The line matches.
    Match,
    /// The line is near a matching line.
    Context,
}

/// A line, or several lines that one match spans.
#[derive(Clone, Debug)]
pub struct Line {
    pub kind: LineRole,
    /// The number of the line. 0 if lines are not counted.
    pub number: u64,
    /// The number of the last line that the match spans.
    pub last: u64,
    /// The offset of the first match in the file, if needed.
    pub byte_offset: u64,
    /// The first match in the line, if needed.
    pub found: Range<usize>,
    /// The place of the text in the buffer. [`LineBuffer::push`] sets it.
    pub text: Range<usize>,
}

/// A buffer of lines in order. Printed lines remain in the buffer while they may be context of
/// another line.
#[derive(Debug, Default)]
pub struct LineBuffer {
    lines: Vec<Line>,
    texts: Vec<u8>,
    printed: usize,
}

impl LineBuffer {
    /// Adds the next line. `text` is its text with its line ending.
    pub fn push(&mut self, line: Line, text: &[u8]) {
        let start = self.texts.len();
        self.texts.extend_from_slice(text);
        self.lines.push(Line { text: start..self.texts.len(), ..line });
    }

    /// Removes all lines.
    pub fn clear(&mut self) {
        self.lines.clear();
        self.texts.clear();
        self.printed = 0;
    }

    /// Returns the approximate size of the buffer in bytes.
    pub fn size(&self) -> usize {
        self.texts.len() + self.lines.len() * size_of::<Line>()
    }

    /// Returns all buffered lines.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Returns the numbers of the matching lines at some indexes.
    pub fn matches(&self, lines: Range<usize>) -> Vec<u64> {
        let matches = self.lines[lines].iter().filter(|line| line.kind == LineRole::Match);
        matches.map(|line| line.number).collect()
    }

    /// Returns the text of a line with its line ending.
    pub fn text(&self, line: &Line) -> &[u8] {
        &self.texts[line.text.clone()]
    }

    /// Returns the lines that can be printed: lines whose context is complete, or all lines at the
    /// end of the document.
    pub fn ready(&self, context: u64, is_end: bool) -> Range<usize> {
        let end = match self.lines.last() {
            Some(last) if !is_end && context > 0 => {
                self.lines.partition_point(|line| line.last.saturating_add(context) < last.number)
            }
            _ => self.lines.len(),
        };
        self.printed..end.max(self.printed)
    }

    /// Removes printed lines, except lines that may still be context of another line.
    pub fn forget(&mut self, printed: Range<usize>, context: u64) {
        self.printed = printed.end;
        let keep = match self.lines.get(printed.end) {
            None if context == 0 => return self.clear(),
            Some(next) => next.number,
            None => u64::MAX,
        };
        let last = self.lines.last().map_or(0, |line| line.last);
        let from = keep.min(last).saturating_sub(context);
        let drop = self.lines.partition_point(|line| line.last < from).min(printed.end);
        if drop == 0 {
            return;
        }
        let bytes = self.lines.get(drop).map_or(self.texts.len(), |line| line.text.start);
        self.texts.drain(..bytes);
        self.lines.drain(..drop);
        for line in &mut self.lines {
            line.text = line.text.start - bytes..line.text.end - bytes;
        }
        self.printed -= drop;
    }
}
