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
    check_same(&document, Part::section(&name));
    let part = part(&mut choices, name);
    check_same(&document, part.clone());
    let operation = OPERATIONS[choices.below(OPERATIONS.len())];
    let side = [None, Some(Side::Before), Some(Side::After)][choices.below(3)];
    let content = choices.one_of(CONTENTS);
    let force = choices.below(4) == 3;
    let request = EditRequest { side, force, ..EditRequest::new(operation, part, content) };
    let Ok(edited) = document.with_edit(&request) else { return };
    if matches!(operation, Operation::Insert | Operation::Append) {
        check_inserted(&document, &edited, &request, content);
    }
});

/// Replaces a part by itself, unless it is an entry, whose text is that of a value.
fn check_same(document: &LoadedDocument, part: Part) {
    if matches!(part, Part::Key { .. } | Part::FrontMatter { key: Some(_), .. }) {
        return;
    }
    let request = EditRequest { part: Some(part.clone()), ..EditRequest::default() };
    let Ok(excerpt) = document.excerpt(&request) else { return };
    let Some(lines) = excerpt.lines else { return };
    let own = document.bytes(document.span_of(lines)).to_vec();
    // In a quote or list, and between indented fences, content is without the prefixes of lines.
    let is_code = matches!(part, Part::CodeBlock { fences: false, .. });
    let is_contained = is_code || !excerpt.text.starts_with(&own);
    // A line without a prefix continues a paragraph, and with a prefix, it may be another block.
    let is_lazy = |line: &&[u8]| !line.starts_with(b">") && !line.starts_with(b"  ");
    let has_lazy = own.split(|&byte| byte == b'\n').skip(1).any(|line| is_lazy(&line));
    if is_contained
        && !has_lazy
        && let Ok(edited) =
            document.with_edit(&EditRequest::replace(part.clone(), &excerpt.text[..]))
        && let Ok(again) = edited.excerpt(&request)
    {
        // Lines that get a prefix may also get another line ending.
        let shown = |text: &[u8]| text.escape_ascii().to_string().replace("\\r", "");
        assert_eq!(
            shown(&again.text),
            shown(&excerpt.text),
            "{part:?}\n{}\n{}",
            document.text().escape_ascii(),
            edited.text().escape_ascii()
        );
    }
    // A carriage return at the end of content is read as part of the missing line ending.
    let is_cut = own.ends_with(b"\r");
    if document.format().syntax().is_some() || is_contained || is_cut {
        return;
    }
    if let Ok(edited) = document.with_edit(&EditRequest::replace(part.clone(), own)) {
        let (old, new) = (document.text().escape_ascii(), edited.text().escape_ascii());
        assert!(edited.text() == document.text(), "{part:?} {:?}\n{old}\n{new}", document.format());
    }
}

/// Checks that an insertion removes nothing, and that the content is in the document.
fn check_inserted(
    document: &LoadedDocument,
    edited: &LoadedDocument,
    request: &EditRequest,
    content: &str,
) {
    let (old, new) = (document.text(), edited.text());
    let shown = || format!("{request:?}\n{}\n{}", old.escape_ascii(), new.escape_ascii());
    assert!(new.len() >= old.len(), "nothing is removed: {}", shown());
    let has_entries = document.format().syntax().is_some()
        || matches!(request.part, Some(Part::FrontMatter { .. } | Part::Key { .. }));
    // Fences may become longer.
    if has_entries || matches!(request.part, Some(Part::CodeBlock { .. })) {
        return;
    }
    let same = |(one, other): &(&u8, &u8)| one == other;
    let before = old.iter().zip(new).take_while(same).count();
    let after = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
    assert!(before + after >= old.len(), "all other text stays: {}", shown());
    for line in content.lines() {
        let is_there = new.windows(line.len().max(1)).any(|text| text == line.as_bytes());
        assert!(line.is_empty() || is_there, "{line:?} is there: {}", shown());
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
