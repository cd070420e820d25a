//! Handles the text of the open paragraph, which may become a heading or contain link reference
//! definitions.

use super::starts::may_be_definition;
use super::table::holds_table;
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
    /// Whether the text was found to contain a table.
    pub(super) has_table: bool,
}

impl Paragraph {
    pub(super) fn keep(&mut self, bytes: &[u8]) {
        let room = PARAGRAPH_LIMIT.saturating_sub(self.kept.len());
        self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

impl Scanner {
    #[inline(always)]
    pub(super) fn open_paragraph(&mut self, block: &[u8], from: usize, end: usize) {
        self.leaf = Leaf::Paragraph;
        let paragraph = &mut self.paragraph;
        paragraph.line = self.line;
        paragraph.lines = 1;
        paragraph.has_table = false;
        paragraph.bracket = block[from] == b'[' && may_be_definition(&block[from..end]);
        paragraph.offset = self.base + from as u64;
        paragraph.resume = from;
        paragraph.first_end = end;
        paragraph.kept.clear();
    }

    pub(super) fn extend_paragraph(
        &mut self,
        block: &[u8],
        start: usize,
        end: usize,
        nonspace: usize,
    ) {
        self.paragraph.lines += 1;
        if self.containers.is_empty() {
            return;
        }
        self.gather_paragraph(block, start);
        if !self.paragraph.kept.is_empty() {
            self.paragraph.keep(b"\n");
        }
        self.paragraph.keep(&block[(start + nonspace).min(end)..end]);
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

    /// Saves the paragraph's text in `kept` before the next block replaces the current one.
    pub(super) fn stash(&mut self, block: &[u8]) {
        if self.leaf == Leaf::Paragraph {
            self.gather_paragraph(block, block.len());
        }
        self.paragraph.resume = 0;
        self.paragraph.first_end = 0;
    }

    /// Whether the open paragraph ends with a table, for sinks that do not request tables.
    pub(super) fn has_table(&mut self, block: &[u8], upto: usize) -> bool {
        if self.paragraph.lines > 1 && !self.paragraph.has_table {
            self.gather_paragraph(block, upto);
            self.paragraph.has_table = holds_table(&self.paragraph.kept);
        }
        self.paragraph.has_table
    }

    /// Turns the open paragraph into a heading, if it contains more than definitions.
    pub(super) fn setext<S: Sink>(
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
            consumed = definitions::take(&text, |label| sink.definition(label, self.line - 1));
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
