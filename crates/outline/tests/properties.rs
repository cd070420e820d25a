//! Properties of the outline of every document, checked on random documents.

#[path = "../../../tests/support/random_documents.rs"]
mod random_documents;

use std::path::Path;

use folio_outline::document;
use folio_outline::format::Format;
use folio_outline::lookup::{Matching, find_section};
use folio_outline::naming::unique_names;
use folio_outline::outline::Outline;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use random_documents::{Document, document};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(48))]

    #[test]
    fn the_name_of_a_section_finds_the_section(Document(bytes) in document()) {
        for format in [Format::Markdown, Format::INI, Format::LOG] {
            let outline = Outline::of(&bytes, format);
            for (index, name) in unique_names(&outline).into_iter().enumerate() {
                let Some(name) = name else { continue };
                let found = find_section(&outline, &name, None, Matching::Exact);
                prop_assert_eq!(found, Ok(index), "{}", name);
            }
        }
    }
}

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn sections_are_nested_or_disjoint(Document(bytes) in document()) {
        for format in [Format::Markdown, Format::INI, Format::LOG, Format::Text] {
            check_nesting(&bytes, format)?;
        }
    }
}

fn check_nesting(bytes: &[u8], format: Format) -> TestCaseResult {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let outline = Outline::of(text, format);
    let total = text.split_inclusive(|&byte| byte == b'\n').count() as u64;
    prop_assert_eq!(outline.total_lines(), total);
    let mut open: Vec<(u64, u64)> = Vec::new();
    let mut last = 0;
    for section in outline.sections() {
        let lines = section.lines();
        prop_assert!(lines.start() >= last && lines.end() <= total);
        last = lines.start();
        open.retain(|(_, end)| *end >= lines.start());
        for (start, end) in &open {
            prop_assert!(
                *start <= lines.start() && lines.end() <= *end,
                "{start}-{end} and {lines:?} overlap"
            );
        }
        if let Some(body) = section.body() {
            prop_assert!(lines.covers(body) && body.start() > lines.start());
        }
        open.push((lines.start(), lines.end()));
    }
    for code in outline.code() {
        prop_assert!(code.lines.end() <= total);
    }
    Ok(())
}

/// Lines of tables, and lines that end tables.
const TABLE_LINES: &[&str] = &[
    "| a | b |",
    "a | b",
    "| a |",
    "|-|-|",
    "| --- | :-: |",
    "-|-",
    "|-|",
    "| a \\| b | c |",
    "| `a | b` |",
    "",
    "",
    "# One",
    "> q",
    "- i",
    "```",
    "---",
];

/// Returns the tables that pulldown-cmark finds, each with its first line and its number of
/// columns.
fn tables_of_reference(text: &str) -> Vec<(u64, usize)> {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    let line_of = |at: usize| 1 + text[..at].matches('\n').count() as u64;
    let parser = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    parser
        .filter_map(|(event, span)| match event {
            Event::Start(Tag::Table(columns)) => Some((line_of(span.start), columns.len())),
            _ => None,
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tables_are_the_same_as_in_another_parser(
        groups in proptest::collection::vec(
            proptest::collection::vec(proptest::sample::select(TABLE_LINES), 0..3), 0..4),
    ) {
        // If the line before a table header belongs to a paragraph, the reference parser does not
        // recognize the header. Therefore a blank line precedes each possible header.
        let text: String = groups
            .iter()
            .flat_map(|rows| ["", "| x | y |", "|---|---|"].iter().chain(rows))
            .map(|line| format!("{line}\n"))
            .collect();
        let path = Path::new("a.md");
        let document = document::Document::in_memory(path, text.clone().into_bytes());
        let outline = document.outline_with_tables().expect("an outline");
        let found: Vec<_> = outline
            .tables()
            .iter()
            .map(|table| (table.lines.start(), table.columns))
            .collect();
        prop_assert_eq!(found, tables_of_reference(&text), "{}", text);
    }
}
