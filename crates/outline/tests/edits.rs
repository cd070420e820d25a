//! Properties of edits in memory, checked on random documents: an edit changes its part and nothing
//! else, or is refused.

#[path = "../../../tests/support/random_documents.rs"]
mod random_documents;

use std::path::Path;

use folio_outline::document::LoadedDocument;
use folio_outline::edit::{EditRequest, Operation, Refusal, Side};
use folio_outline::format::Format;
use folio_outline::naming::unique_names;
use folio_outline::part::{Part, SectionPart};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use random_documents::{Document, document};

const FORMATS: [Format; 10] = [
    Format::Markdown,
    Format::Mdx,
    Format::INI,
    Format::LOG,
    Format::Rst,
    Format::AsciiDoc,
    Format::Org,
    Format::Html,
    Format::Man,
    Format::Latex,
];

/// The content of insertions. It begins no block, and is in no random document.
const LINE: &str = "zz = inserted";

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Calls `check` for each section of a document that has a name of its own.
fn each_section(
    bytes: &[u8],
    check: impl Fn(&LoadedDocument, usize, &str) -> TestCaseResult,
) -> TestCaseResult {
    for format in FORMATS {
        let path = Path::new("document");
        let document = LoadedDocument::of_text(path, bytes.to_vec(), format);
        for (index, name) in unique_names(document.outline()).into_iter().enumerate() {
            if let Some(name) = name {
                check(&document, index, &name)?;
            }
        }
    }
    Ok(())
}

/// Returns the names of the sections of a document in the source, without those within a section.
fn names(document: &LoadedDocument, without: Option<usize>) -> Vec<Vec<u8>> {
    let outline = document.outline();
    let sections = outline.sections();
    let excluded = without.map(|index| sections[index].lines());
    let is_kept = |index: &usize| {
        let start = sections[*index].lines().start();
        excluded.is_none_or(|gone| !gone.contains(start))
    };
    let kept = (0..sections.len()).filter(is_kept);
    kept.map(|index| outline.name(index).to_vec()).collect()
}

/// Returns the lines of a document that are neither blank nor inserted.
fn lines(document: &LoadedDocument) -> Vec<&[u8]> {
    let lines = document.text().split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let is_blank = |line: &[u8]| line.iter().all(|byte| b" \t>".contains(byte));
    let is_inserted = |line: &[u8]| line.ends_with(LINE.as_bytes());
    lines.filter(|line| !is_blank(line) && !is_inserted(line)).collect()
}

proptest! {
    #![proptest_config(config(48))]

    #[test]
    fn a_section_that_is_replaced_by_itself_stays_as_it_is(Document(bytes) in document()) {
        each_section(&bytes, |document, index, name| {
            let lines = document.outline().sections()[index].lines();
            let section_text = document.bytes(document.span_of(lines)).to_vec();
            let request = EditRequest::replace(Part::section(name), section_text);
            if let Ok(edited) = document.with_edit(&request) {
                prop_assert!(edited.text() == document.text(), "{}", name);
            }
            Ok(())
        })?;
    }

    #[test]
    fn a_deletion_keeps_all_other_sections(Document(bytes) in document()) {
        each_section(&bytes, |document, index, name| {
            let operation = Operation::Delete;
            let part = Some(Part::section(name));
            let request = EditRequest { operation, part, ..EditRequest::default() };
            if let Ok(edited) = document.with_edit(&request) {
                prop_assert_eq!(names(&edited, None), names(document, Some(index)), "{}", name);
            }
            Ok(())
        })?;
    }

    #[test]
    fn insertions_keep_all_lines_and_sections(Document(bytes) in document()) {
        each_section(&bytes, |document, _, name| {
            let body = Part::Section { name: name.to_owned(), part: SectionPart::Body, children: None };
            for (operation, side, part) in [
                (Operation::Append, None, Part::section(name)),
                (Operation::Insert, Some(Side::Before), Part::section(name)),
                (Operation::Insert, Some(Side::After), Part::section(name)),
                (Operation::Insert, Some(Side::Before), body),
            ] {
                let request = EditRequest { side, ..EditRequest::new(operation, part, LINE) };
                match document.with_edit(&request) {
                    Ok(edited) => {
                        prop_assert_eq!(lines(&edited), lines(document), "{} {:?}", name, request);
                        prop_assert_eq!(names(&edited, None), names(document, None), "{}", name);
                    }
                    Err(refusal) => prop_assert!(
                        !matches!(refusal, Refusal::Missed(_)),
                        "{}: {:?}", name, refusal
                    ),
                }
            }
            Ok(())
        })?;
    }
}

#[test]
fn an_excerpt_has_no_markers_of_quotes() {
    let text = |source: &str, part: Part| {
        let path = Path::new("document");
        let document = LoadedDocument::of_text(path, source.into(), Format::Markdown);
        let request = EditRequest { part: Some(part), ..EditRequest::default() };
        String::from_utf8(document.excerpt(&request).expect("an excerpt").text).expect("UTF-8")
    };
    let code = || Part::CodeBlock { language: None, index: 0, fences: false, symbol: None };
    // Blanks around a marker are optional.
    assert_eq!(text("> # A\n>one\n>\n> two\n", Part::section("A")), "# A\none\n\ntwo\n");
    assert_eq!(text("> > # A\n>> one\n > >two\n", Part::section("A")), "# A\none\ntwo\n");
    assert_eq!(text(">```\n>one\n>\n> two\n>```\n", code()), "one\n\ntwo\n");
    assert_eq!(text("> ```\n>one\n>   two\n> ```\n", code()), "one\n  two\n");
    // The code has less indentation than its fence.
    assert_eq!(text("- x\n\n    ```\n  one\n    ```\n", code()), "one\n");
}

#[test]
fn unchanged_lines_keep_their_line_endings() {
    let body = Part::Section { name: "A".to_owned(), part: SectionPart::Body, children: None };
    let source = "# A\r\n\r\none\ntwo\n";
    let document = LoadedDocument::of_text(Path::new("document"), source.into(), Format::Markdown);
    let edited = document.with_edit(&EditRequest::replace(body, "one\nnew\n")).expect("an edit");
    assert_eq!(String::from_utf8_lossy(edited.text()), "# A\r\n\r\none\nnew\n");
}
