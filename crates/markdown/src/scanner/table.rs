//! Recognizes tables, for sinks that request them. The last line of a paragraph becomes a header if
//! a delimiter row with the same number of cells follows.

use super::{Leaf, Scanner};
use crate::blocks::{Sink, TableBlock, TableLine};
use crate::tables::{cells, delimiter_cells};

/// The open table, or the line that may become the header of a table.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// The last line of the paragraph, or the header, with its line ending.
    header: Vec<u8>,
    start: u64,
    end: u64,
    columns: usize,
    /// Whether a delimiter row had the wrong number of cells, so that this paragraph cannot become
    /// a table.
    was_refused: bool,
}

impl Table {
    /// Returns the first line and the number of columns.
    pub(super) fn extent(&self) -> (u64, usize) {
        (self.start, self.columns)
    }
}

/// Whether a paragraph contains a table. Only its first delimiter row counts.
pub(super) fn holds_table(paragraph: &[u8]) -> bool {
    let lines = || paragraph.split(|&byte| byte == b'\n');
    let is_indented = |line: &[u8]| line.starts_with(b"    ") || line.starts_with(b"\t");
    let pairs = lines().zip(lines().skip(1)).filter(|(_, line)| !is_indented(line));
    let mut tables = pairs.filter_map(|(header, line)| Some((header, delimiter_cells(line)?)));
    tables.next().is_some_and(|(header, columns)| cells(header).len() == columns)
}

impl Scanner {
    /// Stores a line of a paragraph, because the next line may make it the header of a table.
    pub(super) fn note_text(&mut self, text: &[u8], is_first: bool) {
        self.table.header.clear();
        self.table.header.extend_from_slice(text);
        self.table.was_refused &= !is_first;
    }

    /// Whether a line continues an open table.
    pub(super) fn is_row(rest: &[u8]) -> bool {
        !cells(rest).is_empty()
    }

    /// Handles the delimiter row after a header, or another row of an open table.
    pub(super) fn take_table_line<S: Sink>(
        &mut self,
        block: &[u8],
        start: usize,
        text: &[u8],
        in_paragraph: bool,
        sink: &mut S,
    ) -> bool {
        if in_paragraph {
            return self.open_table(block, start, text, sink);
        }
        let is_row = self.leaf == Leaf::Table;
        if is_row {
            self.table_row(text, sink);
        }
        is_row
    }

    /// Makes the last line of the open paragraph the header of a table, if this line is its
    /// delimiter row.
    fn open_table<S: Sink>(
        &mut self,
        block: &[u8],
        start: usize,
        text: &[u8],
        sink: &mut S,
    ) -> bool {
        if self.table.was_refused {
            return false;
        }
        let Some(columns) = delimiter_cells(super::without_end(text)) else { return false };
        if cells(super::without_end(&self.table.header)).len() != columns {
            self.table.was_refused = true;
            return false;
        }
        self.close_leaf(block, start, self.line - 1, sink);
        self.leaf = Leaf::Table;
        (self.table.start, self.table.columns) = (self.line - 1, columns);
        sink.table_line(TableLine { line: self.line - 1, bytes: &self.table.header });
        self.table_row(text, sink);
        true
    }

    fn table_row<S: Sink>(&mut self, text: &[u8], sink: &mut S) {
        self.content_line = self.line;
        self.table.end = self.line;
        sink.table_line(TableLine { line: self.line, bytes: text });
    }

    pub(super) fn end_table<S: Sink>(&self, sink: &mut S) {
        sink.table(TableBlock {
            start_line: self.table.start,
            end_line: self.table.end,
            columns: self.table.columns,
            header: super::without_end(&self.table.header),
            is_contained: !self.containers.is_empty(),
        });
    }
}
