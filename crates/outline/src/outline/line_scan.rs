//! Outlines documents in line-based formats: INI files, logs and plain text.

use super::collect::Collector;
use super::model::CommentBlock;
use folio_text::lines::{Block, LineOffsets, count_newlines, without_end};
use folio_text::logs::LogKind;
use folio_text::sections::{self, IniParser};
use folio_text::span::LineRange;

/// Scans the lines of a document that is not Markdown.
#[derive(Debug)]
pub(crate) struct LineScan {
    /// Recognizes sections.
    parser: Option<IniParser>,
    /// Without a parser, says which lines begin entries.
    kind: LogKind,
    line: u64,
    was_blank: bool,
}

impl LineScan {
    pub(crate) fn new(parser: Option<IniParser>, kind: LogKind) -> Self {
        Self { parser, kind, line: 0, was_blank: false }
    }

    /// Returns the number of lines processed.
    pub(crate) fn lines(&self) -> u64 {
        self.line
    }

    /// Counts lines that are not processed.
    pub(crate) fn skip_lines(&mut self, lines: u64) {
        self.line += lines;
    }

    pub(crate) fn push(&mut self, block: &Block<'_>, collector: &mut Collector) {
        if block.continues {
            return;
        }
        let bytes = block.bytes;
        if let Some(with) = &collector.options.only_with
            && collector.open.is_empty()
            && memchr::memmem::find(bytes, with).is_none()
        {
            let is_open = bytes.last().is_some_and(|&last| last != b'\n');
            self.line += count_newlines(bytes) + u64::from(is_open);
            return;
        }
        let has_custom_entries = !collector.options.entries.is_empty();
        for (start, end) in LineOffsets::new(bytes) {
            self.line += 1;
            let line = without_end(&bytes[start..bytes.len().min(end + 1)]);
            let offset = block.offset + start as u64;
            if has_custom_entries {
                collector.open_custom_entry(self.line, line);
            }
            let mark = match &mut self.parser {
                Some(parser) => collector.line_of_kind(parser.line(line), self.line, line, offset),
                None => {
                    if !has_custom_entries && self.kind.begins_entry(line) {
                        collector.entry(self.line, line, offset);
                    }
                    if collector.options.groups { sections::comment_mark(line) } else { None }
                }
            };
            if collector.options.groups {
                self.group(line, mark, collector);
            }
        }
    }

    /// Adds a line to the groups of blank lines and comment blocks.
    fn group(&mut self, line: &[u8], mark: Option<&'static str>, collector: &mut Collector) {
        let outline = &mut collector.outline;
        let blank = line.iter().all(u8::is_ascii_whitespace);
        if blank && !self.was_blank {
            outline.blank_groups.push(self.line);
        }
        self.was_blank = blank;
        let Some(prefix) = mark else { return };
        match outline.comment_blocks.last_mut() {
            Some(last) if last.prefix == prefix && last.lines.end() + 1 == self.line => {
                last.lines = LineRange::from_to(last.lines.start(), self.line);
            }
            _ => outline
                .comment_blocks
                .push(CommentBlock { lines: LineRange::line(self.line), prefix }),
        }
    }
}
