//! The text of the open paragraph: it may prove to be a heading or hold link
//! reference definitions.

use super::starts::may_be_definition;
use super::{Leaf, Scanner};
use crate::text::markdown::blocks::Sink;
use crate::text::markdown::definitions;

/// Bytes of a paragraph that are kept for a heading's text or for link
/// reference definitions; more is cut.
pub const PARAGRAPH_LIMIT: usize = 256 * 1024;

#[derive(Debug, Default)]
pub(super) struct Paragraph {
    /// The line its text begins on.
    pub(super) line: u64,
    /// Whether its text may begin with a definition.
    pub(super) bracket: bool,
    /// Text that is no longer, or not unchanged, in the current block.
    pub(super) kept: Vec<u8>,
    /// Where the rest of it begins in the current block. In containers that is
    /// the first line at most: the others are kept.
    pub(super) resume: usize,
    /// Where the first line ends in the current block.
    pub(super) first_end: usize,
    /// Where `kept` plus the rest begins in the file.
    pub(super) offset: u64,
    /// How many lines it has so far; exact only up to 2.
    pub(super) lines: u32,
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
        // Nothing of it is left to be gathered.
        self.paragraph.resume = self.paragraph.first_end;
    }

    /// Brings the whole text of the paragraph together in `kept`; at the top
    /// level it goes on up to `upto` of the block.
    pub(super) fn gather_paragraph(&mut self, block: &[u8], upto: usize) {
        let paragraph = &mut self.paragraph;
        let end = if self.containers.is_empty() { upto } else { paragraph.first_end };
        if paragraph.resume < end {
            let text = &block[paragraph.resume..end];
            paragraph.keep(text);
            paragraph.resume = end;
        }
    }

    /// Keeps what the next block of the document will not hold any more.
    pub(super) fn stash(&mut self, block: &[u8]) {
        if self.leaf == Leaf::Paragraph {
            self.gather_paragraph(block, block.len());
        }
        self.paragraph.resume = 0;
        self.paragraph.first_end = 0;
    }

    /// Makes the open paragraph a heading, if it contains more than definitions.
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
            self.tell_heading(level, line, text, Some(offset), sink);
            return true;
        }
        self.gather_paragraph(block, upto);
        let text = std::mem::take(&mut self.paragraph.kept);
        let mut consumed = 0;
        if self.paragraph.bracket {
            consumed = definitions::take(&text, |label| sink.definition(label));
        }
        let content = &text[consumed..];
        let skipped = content.len() - content.trim_ascii_start().len();
        let content = content.trim_ascii();
        let before = memchr::memchr_iter(b'\n', &text[..consumed + skipped]).count() as u64;
        let is_heading = !content.is_empty();
        if is_heading {
            self.leaf = Leaf::None;
            // Outside containers the text is in the file as it was gathered.
            let top = self.containers.is_empty() || single_line;
            let in_place = top.then_some(self.paragraph.offset + (consumed + skipped) as u64);
            self.tell_heading(level, self.paragraph.line + before, content, in_place, sink);
            self.paragraph.kept = text;
        } else {
            // Only definitions: they are done with, and this line is text.
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
