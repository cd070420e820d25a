//! Determines how a text is parsed after other text: whether it begins a new block, or becomes part
//! of the last one. Also finds the definitions at the end of a text.

use super::blocks::{ContainerKind, Dialect, HeadingBlock, Sink, TableLine};
use super::scanner::{Scanner, Unclosed};
use super::tables::{cells, delimiter_cells};
use folio_text::lines::{Block, lines_with_ends, without_end};
use folio_text::separation::is_blank;

/// How a text continues the text before it, if no blank line separates them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continuation {
    /// It begins a new block.
    Block,
    /// It begins another item of the list, or a list in its last item.
    Item,
    /// It begins with rows of the table.
    Rows,
    /// It begins with a definition, like the block before it.
    Definition,
    /// Its first line becomes part of the last block.
    Merged,
}

/// The end of a text at which another text follows.
#[derive(Clone, Debug)]
pub struct Seam {
    scanner: Scanner,
    /// Whether the other text is in the same container as the end of the text.
    is_contained: bool,
}

impl Seam {
    /// Creates the seam at the end of a text that begins after line `before`, outside all blocks.
    pub fn after_text(before: u64, text: &[u8], dialect: Dialect, is_contained: bool) -> Self {
        let scanner = Scanner::after_line(before).in_dialect(dialect);
        let mut seam = Self { scanner, is_contained };
        seam.scan(text);
        seam
    }

    /// Moves the seam to the end of more text.
    pub fn scan(&mut self, text: &[u8]) {
        self.scanner.scan(&Block::new(text, 0), &mut Rows::default());
    }

    /// Returns the open block, if it ends only with a certain text.
    pub fn unclosed(&self) -> Option<Unclosed> {
        self.scanner.unclosed()
    }

    /// Returns how a text continues the text so far. If `is_for_table` is set, all lines that may
    /// be rows of the open table are; otherwise only lines that look like rows.
    pub fn continuation(&self, text: &[u8], is_for_table: bool) -> Continuation {
        let lines: Vec<&[u8]> = lines_with_ends(text).take_while(|line| !is_blank(line)).collect();
        let Some((first, rest)) = lines.split_first() else { return Continuation::Block };
        let mut below = self.clone();
        below.scan(first);
        let number = below.scanner.lines();
        let began = below.scanner.began_in();
        if let Some(depth) = began.filter(|depth| *depth == 0 || self.is_contained) {
            return self.continuation_of_new_block(&below.scanner, depth);
        }
        let is_in_list = matches!(self.scanner.container(0), Some((ContainerKind::List, _)));
        if let Some(depth) = began.filter(|_| is_in_list)
            && matches!(below.scanner.container(depth), Some((ContainerKind::List, _)))
        {
            return Continuation::Item;
        }
        if let (Some((_, columns)), Some(_)) = (self.scanner.in_table(), below.scanner.in_table()) {
            let mut rows = Rows::default();
            self.clone().scanner.scan(&Block::new(text, 0), &mut rows);
            return if !rows.begin_table() && (is_for_table || rows.look_like_rows(columns)) {
                Continuation::Rows
            } else {
                Continuation::Merged
            };
        }
        let was_definition = self.scanner.in_definitions().is_some();
        for line in rest {
            below.scan(line);
            if below.scanner.in_table().is_some_and(|(start, _)| start == number) {
                return Continuation::Block;
            }
        }
        if was_definition && below.scanner.in_definitions().is_some() {
            Continuation::Definition
        } else {
            Continuation::Merged
        }
    }

    /// Returns how a new block continues the blocks before it. `below` is the state after its first
    /// line, and `depth` the number of containers around it.
    fn continuation_of_new_block(&self, below: &Scanner, depth: usize) -> Continuation {
        let (old, new) = (self.scanner.container(depth), below.container(depth));
        match new {
            Some((ContainerKind::List, _)) if old == new => Continuation::Item,
            Some((ContainerKind::Footnote, _)) if old == new => Continuation::Definition,
            _ => Continuation::Block,
        }
    }
}

/// A sink for a scanner that recognizes tables. Keeps the first two rows, without the prefixes of
/// their containers.
#[derive(Default)]
struct Rows(Vec<Vec<u8>>);

impl Sink for Rows {
    const TABLES: bool = true;

    fn heading(&mut self, _: HeadingBlock<'_>) {}

    fn table_line(&mut self, row: TableLine<'_>) {
        if self.0.len() < 2 {
            self.0.push(without_end(row.bytes).to_vec());
        }
    }
}

impl Rows {
    /// Whether the rows are the header and the delimiter row of another table.
    fn begin_table(&self) -> bool {
        let [header, delimiters] = &self.0[..] else { return false };
        delimiter_cells(delimiters) == Some(cells(header).len())
    }

    /// Whether the first row begins with a bar, or has as many cells as the table.
    fn look_like_rows(&self, columns: usize) -> bool {
        let row = self.0.first().map_or(&b""[..], |row| row.trim_ascii());
        row.starts_with(b"|") || (columns > 1 && cells(row).len() == columns)
    }
}

/// Returns the first line, counted from 1, of the link reference definitions and footnotes at the
/// end of a text that begins outside all blocks. A comment directly above them belongs to them.
pub fn trailing_definitions(text: &[u8], dialect: Dialect) -> Option<u64> {
    let mut seam = Seam::after_text(0, b"", dialect, false);
    // The first line of the definitions or of the comment above them.
    let (mut first, mut has_definition) = (None, false);
    let mut lines = lines_with_ends(text).peekable();
    while let Some(line) = lines.next() {
        seam.scan(line);
        let scanner = &seam.scanner;
        if is_blank(line) {
            first = first.filter(|_| has_definition);
            continue;
        }
        // Whether a paragraph consists of definitions is known at its end.
        let ends_paragraph =
            |next: &[u8]| is_blank(next) || next.starts_with(b"[^") || next.starts_with(b"<");
        let is_complete = lines.peek().is_none_or(|next| ends_paragraph(next));
        let is_comment = scanner.began_in() == Some(0) && line.trim_ascii().starts_with(b"<!--");
        if let Some((ContainerKind::Footnote, _)) = scanner.container(0) {
            first.get_or_insert(scanner.lines());
            has_definition = true;
        } else if is_comment && seam.unclosed().is_none() {
            first.get_or_insert(scanner.lines());
        } else if !scanner.in_paragraph() || scanner.container(0).is_some() {
            (first, has_definition) = (None, false);
        } else if is_complete {
            match scanner.in_definitions() {
                Some(start) => {
                    first.get_or_insert(start);
                    has_definition = true;
                }
                None => (first, has_definition) = (None, false),
            }
        }
    }
    first.filter(|_| has_definition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(above: &str, below: &str, expected: Continuation) {
        let seam = Seam::after_text(0, above.as_bytes(), Dialect::Github, false);
        assert_eq!(seam.continuation(below.as_bytes(), false), expected, "{above:?} {below:?}");
    }

    #[test]
    fn text_begins_a_block_or_becomes_part_of_one() {
        use Continuation::{Block, Merged};
        for (above, below) in [
            ("", "text\n"),
            ("text\n\n", "more\n"),
            ("text\n", "# H\n"),
            ("text\n", "- a\n"),
            ("text\n", "```\n"),
            ("text\n", "<div>\n"),
            ("text\n", "| a |\n|---|\n"),
            ("| a |\n|---|\n", "> q\n"),
            ("- a\n", "* b\n"),
            ("- a\n", "# H\n"),
            ("```\nx\n```\n", "text\n"),
            ("<!-- x -->\n", "text\n"),
            ("# H\n", "text\n"),
            ("[^1]: x\n\n", "text\n"),
        ] {
            check(above, below, Block);
        }
        for (above, below) in [
            ("text\n", "more\n"),
            ("text\n", "---\n"),
            ("text\n", "Title\n---\n"),
            ("text\n", "2. b\n"),
            ("text\n", "<span>\n"),
            ("text\n", "[a]: /x\n"),
            ("| a |\n|---|\n", "text\n"),
            ("| a |\n|---|\n", "| b |\n|---|\n"),
            ("> a\n", "> b\n"),
            ("> a\n", "text\n"),
            ("- a\n", "text\n"),
            ("- a\n", "  more\n"),
            ("    a\n", "    b\n"),
            ("<div>\n", "# H\n"),
            ("```\nx\n", "# H\n"),
            ("<!-- x\n\n", "# H\n"),
            ("[^1]: x\n", "[a]: /x\n"),
            ("[a]: /x\ntext\n", "[b]: /y\n"),
        ] {
            check(above, below, Merged);
        }
    }

    #[test]
    fn items_rows_and_definitions_continue_a_block() {
        use Continuation::{Block, Definition, Item, Merged, Rows};
        check("- a\n", "- b\n", Item);
        check("- a\nlazy\n\n", "- b\n", Item);
        check("- a\n", "  - b\n", Item);
        check("1. a\n", "7. b\n", Item);
        check("1. a\n", "1) b\n", Block);
        check("text\n2. b\n", "3. c\n", Merged);
        check("<div>\n- a\n", "- b\n", Merged);
        check("| a | b |\n|---|---|\n", "| 1 |\n", Rows);
        check("a | b\n--|--\n", "1 | 2\n", Rows);
        check("a | b\n--|--\nlast\n", "1 | 2\n", Rows);
        check("a | b\n--|--\n", "1 | 2 | 3\n", Merged);
        check("| a |\n|---|\n", "1\n", Merged);
        check("[a]: /x\n", "[b]: /y\n", Definition);
        check("[^1]: x\n", "[^2]: y\n", Definition);
        let table = Seam::after_text(0, b"| a |\n|---|\n", Dialect::Github, false);
        assert_eq!(table.continuation(b"1\n", true), Rows);
        assert_eq!(table.continuation(b"# H\n", true), Block);
        assert_eq!(table.continuation(b"| b |\n|---|\n", true), Merged);
    }

    #[test]
    fn the_container_of_both_texts_is_ignored() {
        let check = |above: &str, below: &str, expected| {
            let seam = Seam::after_text(0, above.as_bytes(), Dialect::Github, true);
            assert_eq!(seam.continuation(below.as_bytes(), false), expected, "{above:?} {below:?}");
        };
        check("> a\n", "> b\n", Continuation::Merged);
        check("> a\n>\n", "> b\n", Continuation::Block);
        check("> - a\n", "> - b\n", Continuation::Item);
        check("> | a |\n> |---|\n", "> | b |\n", Continuation::Rows);
        check("> | a |\n> |---|\n", "> | b |\n> |---|\n", Continuation::Merged);
        check("- x\n\n  | a |\n  |---|\n", "  | b |\n", Continuation::Rows);
    }

    #[test]
    fn unclosed_blocks_are_found() {
        let check = |text: &str, dialect, expected: Option<(u64, &str, &str)>| {
            let open = Seam::after_text(0, text.as_bytes(), dialect, false).unclosed();
            let open = open.as_ref().map(|open| (open.line, open.kind, &open.end[..]));
            let expected = expected.map(|(line, kind, end)| (line, kind, end.as_bytes()));
            assert_eq!(open, expected, "{text:?}");
        };
        let github = Dialect::Github;
        check("a\n~~~~ sh\nx\n\ny\n", github, Some((2, "code block", "~~~~")));
        check("<!-- a\n\nb\n", github, Some((1, "comment", "-->")));
        check("a\n\n<pre>\n\nb\n", github, Some((3, "HTML block", "")));
        check("<?php\n", github, Some((1, "HTML block", "?>")));
        check("```\nx\n```\n", github, None);
        check("<!-- a -->\n<div>\n", github, None);
        check("a {\n\n{x(\n", Dialect::Mdx, Some((3, "tag or expression", "")));
    }

    #[test]
    fn definitions_at_the_end_are_found() {
        let check = |text: &str, expected| {
            assert_eq!(
                trailing_definitions(text.as_bytes(), Dialect::Github),
                expected,
                "{text:?}"
            );
        };
        check("- a\n\n[a]: /x\n[b]:\n  /y\n\n[^1]: note\n\n    more\n", Some(3));
        check("[a]: /x\n", Some(1));
        check("text\n\n<!-- links -->\n[a]: /x\n", Some(3));
        check("text\n\n<!-- note -->\n\n[a]: /x\n", Some(5));
        check("text\n[a]: /x\n", None);
        check("[a]: /x\ntext\n", None);
        check("[a]: /x\n\ntext\n", None);
        check("[a]: /x\n<!-- end -->\n", Some(1));
        check("```\n[a]: /x\n```\n", None);
        check("> [a]: /x\n", None);
        check("text\n\n<!-- note -->\n", None);
        check("", None);
    }
}
