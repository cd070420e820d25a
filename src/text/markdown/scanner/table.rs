//! Recognizes tables, for sinks that request them. The last line of a paragraph becomes a header if
//! a delimiter row with the same number of cells follows.

use super::{Leaf, Scanner};
use crate::text::markdown::blocks::{Sink, TableBlock, TableLine};
use crate::text::markdown::tables::{cells, delimiter_cells};

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

#[cfg(test)]
mod tests {
    use crate::text::format::Format;
    use crate::text::outline::{Outline, Wants};

    fn outline(text: &str) -> Outline {
        let wants = Wants { tables: true, code: true, ..Wants::default() };
        Outline::of(text.as_bytes(), Format::Markdown, wants)
    }

    /// Checks tables, given as `LINES:COLUMNS:HEADER`.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let tables = outline(text);
        let shown = tables.tables().iter().map(|table| {
            let (start, end) = (table.lines.start(), table.lines.end());
            format!("{start}-{end}:{}:{}", table.columns, table.header.join(","))
        });
        assert_eq!(shown.collect::<Vec<_>>().join(" "), expected, "{text:?}");
    }

    #[test]
    fn a_table_is_a_header_a_delimiter_row_and_rows() {
        check("| foo | bar |\n| --- | --- |\n| baz | bim |\n", "1-3:2:foo,bar");
        check("| abc | defghi |\n:-: | -----------:\nbar | baz", "1-3:2:abc,defghi");
        check("| f\\|oo  |\n| ------ |\n| b `\\|` az |\n", "1-3:1:f|oo");
        check("| a |\n| - |", "1-2:1:a");
        check("a\n:-\n", "1-2:1:a");
        check("a | b\r\n- | -\r\n1 | 2\r\n", "");
        check("a | b\r\n-|-\r\n1 | 2\r\n", "1-3:2:a,b");
    }

    #[test]
    fn header_and_delimiter_row_have_the_same_number_of_cells() {
        check("| abc | def |\n| --- |\n| bar |\n", "");
        check("| a |\n|-|-|\n", "");
        // Only the first delimiter row of a paragraph counts.
        check("| a |\n|-|-|\n|-|\n", "");
        check("a | b\n\n-|-\n", "");
        check("| abc | def |\n| --- | --- |\n| bar |\n| bar | baz | boo |\n", "1-4:2:abc,def");
    }

    #[test]
    fn a_table_ends_with_a_blank_line_or_another_block() {
        check("|a|b|\n|-|-|\n|c|d|\n\n|e|\n", "1-3:2:a,b");
        check("|a|b|\n|-|-|\nbar\n\nbar\n", "1-3:2:a,b");
        for end in ["> quote", "# h", "```\n```", "- x", "2. x", "---", "<div>", "<x-y>", "    c"] {
            check(&format!("|a|b|\n|-|-|\n|c|d|\n{end}\n"), "1-3:2:a,b");
        }
        check("|a|b|\n|-|-|\n|\n|c|\n", "1-2:2:a,b");
        check("|a|\n|-|\n===\n", "1-3:1:a");
        assert_eq!(outline("|a|\n|-|\n===\n").sections().len(), 0);
        assert_eq!(outline("|a|\n|-|\n# b\n").sections().len(), 1);
    }

    #[test]
    fn an_underline_after_a_table_is_no_heading() {
        let sections = |text: &str| {
            let outline = Outline::of(text.as_bytes(), Format::Markdown, Wants::default());
            assert_eq!(outline.sections().len(), self::outline(text).sections().len(), "{text:?}");
            outline.sections().len()
        };
        for end in ["---", "===", "-", "= "] {
            assert_eq!(sections(&format!("|a|b|\n|-|-|\n|c|d|\n{end}\n")), 0);
            assert_eq!(sections(&format!("x\n> y\n> |a|\n> |-|\n> {end}\n")), 0);
            assert_eq!(sections(&format!("|a|b|\n|-|\n|c|d|\n{end}\n")), 1);
        }
        assert_eq!(sections("|a|\n|-|\n---\nTitle\n===\n"), 1);
        assert_eq!(sections("|a|\n|-|\n===\nrow\n===\n"), 0);
    }

    #[test]
    fn a_header_may_end_a_paragraph() {
        check("text\nmore\n|a|b|\n|-|-|\n|c|d|\n", "3-5:2:a,b");
        check("|x|\na | b\n-|-\n", "2-3:2:a,b");
    }

    #[test]
    fn code_and_html_contain_no_tables() {
        check("```\n|a|\n|-|\n```\n", "");
        check("    |a|\n    |-|\n", "");
        check("<div>\n|a|\n|-|\n</div>\n", "");
        check("<!--\n|a|\n\n|-|\n-->\n|a|\n|-|\n", "6-7:1:a");
        check("|a|\n    |-|\n", "");
    }

    #[test]
    fn containers_may_contain_tables() {
        check("> |a|b|\n> |-|-|\n> |c|d|\n|e|f|\n", "1-3:2:a,b");
        check("- |a|b|\n  |-|-|\n  |c|d|\n\n  |e|\n  |-|\n", "1-3:2:a,b 5-6:1:e");
        check("> a | b\n-|-\n", "");
        check("> - |a|\n>   |-|\n>   |b|\n> |c|\n", "1-3:1:a");
    }

    #[test]
    fn a_table_may_span_blocks() {
        use crate::text::lines::Block;
        use crate::text::outline::OutlineBuilder;
        let text = b"x\n|a|b|\n|-|-|\n|c|d|\n\ny\n";
        for (at, _) in text.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            let wants = Wants { tables: true, ..Wants::default() };
            let mut builder = OutlineBuilder::new(Format::Markdown, wants);
            builder.push(&Block::new(&text[..=at], 0));
            builder.push(&Block::new(&text[at + 1..], at as u64 + 1));
            let outline = builder.finish();
            assert_eq!(outline.tables().len(), 1, "{at}");
            assert_eq!(outline.tables()[0].header, ["a", "b"], "{at}");
        }
    }
}
