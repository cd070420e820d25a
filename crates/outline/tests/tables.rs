//! Headings and code blocks next to tables, compared with another parser, comrak. The scanner finds
//! the same blocks, whether or not the sink requests tables.

use comrak::nodes::NodeValue;
use folio_markdown::blocks::{CodeBlock, HeadingBlock, Sink, TableBlock};
use folio_markdown::scanner::Scanner;
use folio_text::lines::Block;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    /// The first line and the level.
    Heading(u64, u8),
    /// The first line of a fenced block.
    Fenced(u64),
    /// The first line of an indented block.
    Indented(u64),
    /// comrak does not know the line of a table below other lines of a paragraph.
    Table,
}

use Found::{Fenced, Heading, Indented, Table};

#[derive(Default)]
struct Collected<const TABLES: bool> {
    found: Vec<Found>,
    definitions: usize,
}

impl<const TABLES: bool> Sink for Collected<TABLES> {
    const TABLES: bool = TABLES;
    const DEFINITIONS: bool = true;

    fn heading(&mut self, heading: HeadingBlock<'_>) {
        self.found.push(Heading(heading.line, heading.level));
    }
    fn code(&mut self, code: CodeBlock<'_>) {
        let kind = if code.info.is_some() { Fenced } else { Indented };
        self.found.push(kind(code.start_line));
    }
    fn table(&mut self, _: TableBlock<'_>) {
        self.found.push(Table);
    }
    fn definition(&mut self, _: &[u8], _: u64) {
        self.definitions += 1;
    }
}

fn scan<const TABLES: bool>(text: &str) -> Collected<TABLES> {
    let mut found = Collected::default();
    let mut scanner = Scanner::new();
    scanner.scan(&Block::new(text.as_bytes(), 0), &mut found);
    scanner.finish(&mut found);
    found
}

fn comrak(text: &str) -> Vec<Found> {
    let arena = comrak::Arena::new();
    let mut options = comrak::Options::default();
    options.extension.table = true;
    let root = comrak::parse_document(&arena, text, &options);
    let found = root.descendants().filter_map(|node| {
        let data = node.data();
        let line = data.sourcepos.start.line as u64;
        match &data.value {
            NodeValue::Heading(heading) => Some(Heading(line, heading.level)),
            NodeValue::CodeBlock(code) if code.fenced => Some(Fenced(line)),
            NodeValue::CodeBlock(_) => Some(Indented(line)),
            NodeValue::Table(_) => Some(Table),
            _ => None,
        }
    });
    found.collect()
}

fn sorted(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_unstable();
    found
}

/// Checks that both sinks and comrak find the same blocks. Returns them.
#[track_caller]
fn check_parsers(text: &str) -> Vec<Found> {
    let with_tables = sorted(scan::<true>(text).found);
    let mut without_tables = with_tables.clone();
    without_tables.retain(|found| *found != Table);
    assert_eq!(sorted(scan::<false>(text).found), without_tables, "{text:?}");
    assert_eq!(with_tables, sorted(comrak(text)), "{text:?}");
    with_tables
}

#[track_caller]
fn check(text: &str, expected: &[Found]) {
    assert_eq!(check_parsers(text), expected, "{text:?}");
    let found = check_parsers(&text.replace('\n', "\r\n"));
    assert_eq!(found, expected, "{text:?} with carriage returns");
}

#[test]
fn text_is_no_lazy_continuation_of_a_table() {
    check("> | a |\n> |---|\ntext\n===\n", &[Heading(3, 1), Table]);
    check("> | a |\n> |---|\n> | b |\ntext\n---\n", &[Heading(4, 2), Table]);
    check("> > | a |\n> > |---|\n> text\n> ===\n", &[Heading(3, 1), Table]);
    check("- | a |\n  |---|\ntext\n===\n", &[Heading(3, 1), Table]);
    check("1. | a |\n   |---|\n text\n ===\n", &[Heading(3, 1), Table]);
    check("> | a |\n> |---|\n    code\n", &[Indented(3), Table]);
    check("- | a |\n  |---|\n\n      code\ntext\n---\n", &[Heading(5, 2), Indented(4), Table]);
    // Lines that continue a paragraph lazily begin no table.
    check("> | a |\n|---|\n> ===\n", &[Heading(1, 1)]);
    check("> b\na | a\n> -|-\ntext\n===\n", &[Heading(4, 1), Table]);
}

#[test]
fn a_table_ends_at_a_line_without_cells() {
    check("-|\n-|\n|\n-", &[Heading(3, 2), Table]);
    check("| a |\n|---|\n|\n===\n", &[Heading(3, 1), Table]);
    check("| a |\n|---|\n||\n===\n", &[Table]);
    check("| a |\n|---|\n\ntext\n===\n", &[Heading(4, 1), Table]);
    check("> | a |\n> |---|\n>\n> text\n> ===\n", &[Heading(4, 1), Table]);
}

#[test]
fn blocks_end_a_table() {
    check("||\n-|\n\t|", &[Indented(3), Table]);
    check("| a |\n|---|\n    code\n", &[Indented(3), Table]);
    check("| a |\n|---|\n| b |\n    code\n\n    code\n", &[Indented(4), Table]);
    check("- | a |\n  |---|\n      code\n", &[Indented(3), Table]);
    check("text\n| a |\n|---|\n    code\n", &[Indented(4), Table]);
    check("| a |\n|---|\n# b\n", &[Heading(3, 1), Table]);
    check("| a |\n|---|\n> text\n> ===\n", &[Heading(3, 1), Table]);
    check("| a |\n|---|\n```\n| b |\n```\n", &[Fenced(3), Table]);
    check("| a |\n|---|\n2. ```\n", &[Fenced(3), Table]);
    check("| a |\n|---|\n---\ntext\n---\n", &[Heading(4, 2), Table]);
    // With carriage returns, comrak does not recognize this tag.
    let found = check_parsers("| a |\n|---|\n<x-y>\n    text\n\n    code\n");
    assert_eq!(found, [Indented(6), Table]);
    // Any other text is a row.
    check("| a |\n|---|\ntext\n===\n-\n", &[Table]);
    check("| a |\n|---|\n| b |\n===\n", &[Table]);
}

#[test]
fn header_and_delimiter_row_have_equally_many_cells() {
    check("| a |\n|---|---|\n===\n", &[Heading(1, 1)]);
    check("| a | b |\n|---|\n===\n", &[Heading(1, 1)]);
    check("| a | b |\n|---|---|\n===\n", &[Table]);
    check("| a \\| b |\n|---|\n===\n", &[Table]);
    check("| a \\| b |\n|---|---|\n===\n", &[Heading(1, 1)]);
    check("`a \\| b`\n:-\n    code\n", &[Indented(3), Table]);
    check("`a | b`\n-|:-:\n    code\n", &[Indented(3), Table]);
    // A delimiter row with another number of cells makes the whole paragraph text.
    check("| a |\n|---|---|\n|---|\n===\n", &[Heading(1, 1)]);
    check("| a |\n|---|---|\n\n| a |\n|---|\n===\n", &[Table]);
    // An indented delimiter row is text.
    check("| a |\n    |---|\n===\n", &[Heading(1, 1)]);
}

#[test]
fn the_header_is_the_last_line_of_the_paragraph() {
    check("text\n| a |\n|---|\n===\n", &[Table]);
    check("one\ntwo\n  three | four\n -|-\n    code\n", &[Indented(5), Table]);
    check("> one\n> a | b\n> -|-\ntext\n---\n", &[Heading(4, 2), Table]);
    check("one | two\ntext\n-|-\n===\n", &[Heading(1, 1)]);
    check("text\n---\n| a |\n|---|\n===\n", &[Heading(1, 2), Table]);
}

#[test]
fn a_header_is_no_definition() {
    check("[a]: b|c\n-|-\n===\n", &[Table]);
    // A table, unlike a definition, is content of the item, so a blank line does not end it.
    check("- [a]: b|c\n  -|-\n\n     # d\n", &[Heading(4, 1), Table]);
    for (text, definitions) in [
        ("[a]: b|c\n-|-\n", 0),
        ("> [a]: b|c\n> -|-\n", 0),
        ("[a]: b\n[c]: d|e\n-|-\n", 1),
        ("> [a]: b\n> [c]: d|e\n> -|-\n", 1),
        ("- [a]: b\n  'c|d'\n  -|-\n", 1),
        ("[a]: b\n\n[c]: d\n", 2),
    ] {
        assert_eq!(scan::<false>(text).definitions, definitions, "{text:?}");
        assert_eq!(scan::<true>(text).definitions, definitions, "{text:?}");
    }
}

#[test]
fn a_table_may_follow_an_extremely_long_paragraph() {
    let lines = "a line of text\n".repeat(1 << 15);
    let count = 1 << 15;
    check(&format!("{lines}a | b\n-|-\n===\n    code\n"), &[Indented(count + 4), Table]);
    check(&format!("{lines}a | b\n-|\n\n    code\n"), &[Indented(count + 4)]);
    let header = "a|".repeat(1 << 18);
    let delimiters = "-|".repeat(1 << 18);
    assert_eq!(scan::<true>(&format!("{header}\n{delimiters}\n===\n")).found, [Table]);
    assert_eq!(scan::<false>(&format!("{header}\n{delimiters}\n===\n")).found, []);
}

/// Parts of random documents. Tables occur in about every fourth of them.
const PARTS: [&str; 36] = [
    "|",
    "|",
    "|",
    "-",
    "-",
    "-|",
    "|-",
    "a",
    "a",
    "> ",
    "> ",
    ">",
    " ",
    "    ",
    "\t",
    "\n",
    "\n",
    "\n",
    "\n",
    "\n",
    "#",
    "# ",
    "=",
    "===",
    "---",
    "```",
    "`",
    "- ",
    "1. ",
    "2. ",
    "\\|",
    ":",
    "|a|\n|-|\n",
    "|a|b|\n|-|-|\n",
    "a|b\n-|-\n",
    "|\n-|\n",
];

#[test]
fn blocks_of_random_documents_are_the_same_as_in_another_parser() {
    let mut state = 1_u64;
    let mut below = |end: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % end
    };
    for _ in 0..10_000 {
        let count = 1 + below(16);
        let text: String = (0..count).map(|_| PARTS[below(PARTS.len())]).collect();
        check_parsers(&text);
    }
}
