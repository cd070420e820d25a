//! Recognizes tables. The last line of a paragraph becomes a header if a delimiter row with the same
//! number of cells follows. All sinks need this, because a table ends where a paragraph would go on:
//! its rows are neither lazy continuation lines nor the text of a setext heading, and indented code
//! may follow them.

use super::starts::with_end;
use super::{Leaf, Scanner};
use crate::blocks::{Sink, TableBlock, TableLine};
use crate::cursor::Cursor;
use crate::tables::{cells, delimiter_cells};

/// The open table.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// The header with its line ending.
    header: Vec<u8>,
    start: u64,
    end: u64,
    columns: usize,
}

impl Table {
    /// Returns the first line and the number of columns.
    pub(super) fn extent(&self) -> (u64, usize) {
        (self.start, self.columns)
    }
}

impl Scanner {
    /// Handles the delimiter row after a header, or another row of an open table. Returns whether
    /// the line is one of them.
    #[inline(always)]
    pub(super) fn take_table_line<S: Sink>(
        &mut self,
        block: &[u8],
        (start, end): (usize, usize),
        cursor: &Cursor<'_>,
        in_paragraph: bool,
        sink: &mut S,
    ) -> bool {
        let is_taken = if in_paragraph {
            self.open_table(block, start, cursor.rest(), sink)
        } else {
            self.leaf == Leaf::Table
        };
        if is_taken {
            self.content_line = self.line;
            self.table.end = self.line;
            if S::TABLES {
                let bytes = with_end(block, start + cursor.nonspace(), end);
                sink.table_line(TableLine { line: self.line, bytes });
            }
        }
        is_taken
    }

    /// Makes the last line of the open paragraph the header of a table, if `row`, which is the
    /// current line, is its delimiter row.
    fn open_table<S: Sink>(
        &mut self,
        block: &[u8],
        start: usize,
        row: &[u8],
        sink: &mut S,
    ) -> bool {
        let Some(columns) = delimiter_cells(row) else { return false };
        if self.paragraph.refused_table {
            return false;
        }
        let header = self.paragraph.take_last(block, start);
        if cells(super::without_end(&header)).len() != columns {
            self.paragraph.refused_table = true;
            return false;
        }
        // The header is not part of the paragraph. Otherwise, it could be a definition.
        self.remove_last(block, start);
        self.close_leaf(block, start, self.line.saturating_sub(2), sink);
        self.add_child();
        self.leaf = Leaf::Table;
        self.table = Table { header, start: self.line - 1, end: self.line, columns };
        if S::TABLES {
            sink.table_line(TableLine { line: self.line - 1, bytes: &self.table.header });
        }
        true
    }

    pub(super) fn end_table<S: Sink>(&self, sink: &mut S) {
        if S::TABLES {
            sink.table(TableBlock {
                start_line: self.table.start,
                end_line: self.table.end,
                columns: self.table.columns,
                header: super::without_end(&self.table.header),
                is_contained: !self.containers.is_empty(),
            });
        }
    }
}
