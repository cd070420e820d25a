//! INI files: keys and values are within their lines, and setting a key changes no other line.

#![no_main]

use folio_fuzz::{Choices, Place, check_undo};
use folio_outline::format::Format;
use folio_outline::naming::unique_names;
use folio_outline::outline::Outline;
use folio_text::lines::{lines_with_ends, without_end};
use folio_text::sections::{IniParser, LineKind};
use libfuzzer_sys::fuzz_target;
use serde_json::json;

const VALUES: &[&str] = &[
    "", "new", "a b", " a", "a ", "\"q\"", "'q", "a;b", "a ; b", "a # b", "\\", "x\\", "[s]", "=",
    "ä", "\"",
];

fuzz_target!(|data: &[u8]| {
    let Some((mut choices, document)) = Choices::split(data) else { return };
    let mut parser = IniParser::default();
    for line in lines_with_ends(document).map(without_end) {
        match parser.line(line) {
            LineKind::Key(parts) => {
                assert!(!line[parts.name.clone()].is_empty(), "{}", line.escape_ascii());
                assert!(parts.name.end <= parts.value.start, "{}", line.escape_ascii());
                let _ = &line[parts.value];
            }
            LineKind::Marker(range) => drop(line[range].to_vec()),
            _ => {}
        }
    }
    let outline = Outline::of(document, Format::INI);
    let names = unique_names(&outline);
    let keys: Vec<_> = outline.section_keys().collect();
    let (key, section) = match keys.len() {
        0 => ("new".to_owned(), None),
        count => {
            let (tree, key) = keys[choices.below_many(count)];
            let name = tree.name(key).unwrap_or_default().to_owned();
            let name = if choices.flag() { "new".to_owned() } else { name };
            (name, outline.section_of(key))
        }
    };
    let section = match section {
        Some(index) => match names.get(index).cloned().flatten() {
            Some(name) => Some(name),
            // The key cannot be addressed, and a dot in its name would name another section.
            None => return,
        },
        None => None,
    };
    let value = choices.one_of(VALUES);
    let target = match &section {
        Some(section) => json!({"section": section, "key": key}),
        None => json!({"key": key}),
    };
    let edit = json!({"filePath": "a.ini", "operation": "set", "target": target, "content": value});
    let place = Place::with(&[("a.ini", document)]);
    let before = place.files();
    let applied = place.apply(edit.to_string().as_bytes(), |_| {});
    let after = place.files();
    if !applied.is_done {
        assert_eq!(before, after);
        return;
    }
    check_undo(&place, &before, &after);
    let after = &after[0].1;
    let is_wide = |text: &[u8]| text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff");
    if is_wide(document) || document.contains(&0) {
        return;
    }
    let read = Outline::of(after, Format::INI);
    let count = |outline: &Outline| (outline.sections().len(), outline.section_keys().count());
    let (old, new) = (count(&outline), count(&read));
    assert!(new.0 == old.0, "sections stay: {applied:?}");
    assert!(new.1 == old.1 || new.1 == old.1 + 1, "{applied:?}");
    let name_of = |outline: &Outline| -> Vec<String> {
        let keys = outline.section_keys();
        keys.map(|(tree, key)| tree.name(key).unwrap_or_default().to_owned()).collect()
    };
    let (mut old, new) = (name_of(&outline), name_of(&read));
    if old.len() < new.len() {
        let at = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
        old.insert(at, key);
    }
    assert_eq!(old, new, "{applied:?}");
});
