//! Handles the text of the open paragraph, which may become a heading or contain link reference
//! definitions.

use super::starts::may_be_definition;
use super::{Leaf, Scanner};
use crate::blocks::Sink;
use crate::definitions;

/// Maximum number of bytes of a paragraph to keep for the text of a heading or for link reference
/// definitions. Further text is dropped.
pub const PARAGRAPH_LIMIT: usize = 256 * 1024;

#[derive(Clone, Debug, Default)]
pub(super) struct Paragraph {
    /// The line on which the text begins.
    pub(super) line: u64,
    /// Whether the text begins with a bracket, so that it may begin with a definition.
    pub(super) bracket: bool,
    /// The text so far, except text that is in the current block in the same form.
    pub(super) kept: Vec<u8>,
    /// Offset in the current block of the text that is not in `kept`. In a container, this text is
    /// at most the first line, because `kept` contains all other lines.
    pub(super) resume: usize,
    /// Offset in the current block at which the first line ends.
    pub(super) first_end: usize,
    /// Offset in the file at which the text begins.
    pub(super) offset: u64,
    /// Number of lines so far. Values above 2 are not exact.
    pub(super) lines: u32,
    /// Offset in the current block at which the last line begins. The line ends where the next one
    /// begins.
    pub(super) last_start: usize,
    /// The last line, if it is in an earlier block. `last_start` is 0 in this case.
    pub(super) last_line: Vec<u8>,
    /// Whether a delimiter row had the wrong number of cells, so that this paragraph cannot become
    /// a table.
    pub(super) refused_table: bool,
}

impl Paragraph {
    pub(super) fn keep(&mut self, bytes: &[u8]) {
        let room = PARAGRAPH_LIMIT.saturating_sub(self.kept.len());
        self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    #[inline(always)]
    fn set_last(&mut self, start: usize) {
        self.last_start = start;
        self.last_line.clear();
    }

    /// Returns the last line with its line ending. The line after it begins at `upto` of the block.
    pub(super) fn take_last(&mut self, block: &[u8], upto: usize) -> Vec<u8> {
        let mut line = std::mem::take(&mut self.last_line);
        line.extend_from_slice(&block[self.last_start..upto]);
        line
    }
}

impl Scanner {
    #[inline(always)]
    pub(super) fn open_paragraph(&mut self, block: &[u8], from: usize, end: usize) {
        self.leaf = Leaf::Paragraph;
        let paragraph = &mut self.paragraph;
        paragraph.line = self.line;
        paragraph.lines = 1;
        paragraph.refused_table = false;
        paragraph.bracket = block[from] == b'[' && may_be_definition(&block[from..end]);
        paragraph.offset = self.base + from as u64;
        paragraph.resume = from;
        paragraph.first_end = end;
        paragraph.kept.clear();
        paragraph.set_last(from);
    }

    pub(super) fn extend_paragraph(
        &mut self,
        block: &[u8],
        start: usize,
        end: usize,
        nonspace: usize,
    ) {
        let from = (start + nonspace).min(end);
        self.paragraph.lines += 1;
        self.paragraph.set_last(from);
        if self.containers.is_empty() {
            return;
        }
        self.gather_paragraph(block, start);
        if !self.paragraph.kept.is_empty() {
            self.paragraph.keep(b"\n");
        }
        self.paragraph.keep(&block[from..end]);
        // No text remains to be collected.
        self.paragraph.resume = self.paragraph.first_end;
    }

    /// Collects the complete text of the paragraph in `kept`. Outside containers, the text ends at
    /// `upto` of the block.
    pub(super) fn gather_paragraph(&mut self, block: &[u8], upto: usize) {
        let paragraph = &mut self.paragraph;
        let end = if self.containers.is_empty() { upto } else { paragraph.first_end };
        if paragraph.resume < end {
            let text = &block[paragraph.resume..end];
            paragraph.keep(text);
            paragraph.resume = end;
        }
    }

    /// Saves the paragraph's text before the next block replaces the current one.
    pub(super) fn stash(&mut self, block: &[u8]) {
        if self.leaf == Leaf::Paragraph {
            let last = &block[self.paragraph.last_start..];
            self.paragraph.last_line.extend_from_slice(last);
            self.gather_paragraph(block, block.len());
        }
        self.paragraph.resume = 0;
        self.paragraph.first_end = 0;
        self.paragraph.last_start = 0;
    }

    /// Removes the last line from the open paragraph. The current line begins at `upto` of the
    /// block.
    pub(super) fn remove_last(&mut self, block: &[u8], upto: usize) {
        self.gather_paragraph(block, upto);
        let kept = &mut self.paragraph.kept;
        let text = kept.strip_suffix(b"\n").unwrap_or(kept);
        kept.truncate(memchr::memrchr(b'\n', text).map_or(0, |at| at + 1));
    }

    /// Turns the open paragraph into a heading, if it contains more than definitions.
    pub(super) fn end_setext<S: Sink>(
        &mut self,
        block: &[u8],
        upto: usize,
        level: u8,
        sink: &mut S,
    ) -> bool {
        let single_line = self.paragraph.lines == 1 && !self.paragraph.bracket;
        if single_line && self.paragraph.kept.is_empty() {
            let top = self.containers.is_empty();
            let text_end = if top { upto } else { self.paragraph.first_end };
            let text = block[self.paragraph.resume..text_end].trim_ascii_end();
            let indent = text.len() - text.trim_ascii_start().len();
            let text = &text[indent..];
            self.leaf = Leaf::None;
            let (line, offset) = (self.paragraph.line, self.paragraph.offset + indent as u64);
            self.report_heading(level, line, text, Some(offset), false, sink);
            return true;
        }
        self.gather_paragraph(block, upto);
        let text = std::mem::take(&mut self.paragraph.kept);
        let mut consumed = 0;
        if self.paragraph.bracket {
            consumed = definitions::consume_definitions(&text, |label| {
                sink.definition(label, self.line - 1)
            });
        }
        let content = &text[consumed..];
        let skipped = content.len() - content.trim_ascii_start().len();
        let content = content.trim_ascii();
        let before = memchr::memchr_iter(b'\n', &text[..consumed + skipped]).count() as u64;
        let is_heading = !content.is_empty();
        if is_heading {
            self.leaf = Leaf::None;
            // Outside containers, the file contains the text in the same form as it was collected.
            let top = self.containers.is_empty() || single_line;
            let in_place = top.then_some(self.paragraph.offset + (consumed + skipped) as u64);
            self.report_heading(
                level,
                self.paragraph.line + before,
                content,
                in_place,
                false,
                sink,
            );
            self.paragraph.kept = text;
        } else {
            // The paragraph consisted of definitions only, so this line is text.
            self.paragraph.kept = text;
            self.paragraph.kept.clear();
            self.paragraph.line = self.line;
            self.paragraph.lines = 0;
            self.paragraph.bracket = false;
            self.paragraph.resume = upto;
            self.paragraph.first_end = upto;
            self.paragraph.offset = self.base + upto as u64;
        }
        is_heading
    }
}
