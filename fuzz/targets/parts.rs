//! Edits of parts in memory, by the engine alone. Nothing panics; sections that are replaced by
//! themselves stay as they are; what is inserted is there, and all other text, too.

#![no_main]

use std::path::Path;

use folio_fuzz::Choices;
use folio_outline::document::LoadedDocument;
use folio_outline::edit::{EditRequest, Operation, Side};
use folio_outline::format::Format;
use folio_outline::naming::unique_names;
use folio_outline::part::{Part, SectionPart};
use libfuzzer_sys::fuzz_target;

const OPERATIONS: &[Operation] = &[
    Operation::Replace,
    Operation::Insert,
    Operation::Append,
    Operation::Delete,
    Operation::Rename,
    Operation::Set,
];

const CONTENTS: &[&str] =
    &["text", "# H", "## H\n\ntext\n", "- item", "```\ncode\n```", "k = v", "[s]", "> q", ""];

fuzz_target!(|data: &[u8]| {
    let Some((mut choices, text)) = Choices::split(data) else { return };
    let format = Format::ALL[choices.below(Format::ALL.len())];
    let document = LoadedDocument::of_text(Path::new("document"), text.to_vec(), format);
    let names: Vec<String> = unique_names(document.outline()).into_iter().flatten().collect();
    let name = match names.len() {
        0 => choices.part(&String::from_utf8_lossy(text)),
        count => names[choices.below_many(count)].clone(),
    };
    check_same(&document, &name);
    let part = part(&mut choices, name);
    let operation = OPERATIONS[choices.below(OPERATIONS.len())];
    let side = [None, Some(Side::Before), Some(Side::After)][choices.below(3)];
    let content = choices.one_of(CONTENTS);
    let force = choices.below(4) == 3;
    let request = EditRequest { side, force, ..EditRequest::of(operation, part, content) };
    let Ok(edited) = document.with_edit(&request) else { return };
    if matches!(operation, Operation::Insert | Operation::Append) {
        let removed = edited.text().len() < document.text().len();
        assert!(!removed, "nothing is removed: {request:?}");
    }
});

/// Replaces a section by itself.
fn check_same(document: &LoadedDocument, name: &str) {
    let part = Some(Part::section(name));
    let request = EditRequest { part, ..EditRequest::default() };
    let Ok(excerpt) = document.excerpt(&request) else { return };
    let Some(lines) = excerpt.lines else { return };
    let own = document.bytes(document.span_of(lines)).to_vec();
    if document.format().syntax().is_some() {
        return;
    }
    if let Ok(edited) = document.with_edit(&EditRequest::replace(Part::section(name), own)) {
        assert!(edited.text() == document.text(), "{name}");
    }
}

fn part(choices: &mut Choices, name: String) -> Part {
    let section = |part| Part::Section { name: name.clone(), part, children: None };
    match choices.below(9) {
        0 => Part::Whole,
        1 => section(SectionPart::Whole),
        2 => section(SectionPart::Body),
        3 => section(SectionPart::Heading),
        4 => Part::CodeBlock { language: None, index: choices.below(3), fences: choices.flag() },
        5 => Part::Table(choices.below(3)),
        6 => Part::FrontMatter { key: Some("title".to_owned()), value: choices.flag() },
        7 => Part::Anchor(name),
        _ => Part::Key { section: None, key: name, value: choices.flag() },
    }
}
