//! Edits of entries of documents that are trees of keys. Other parsers also read the result, and
//! must find the other top-level entries unchanged.

use std::collections::BTreeMap;

use folio_keys::Mistake;
use folio_keys::edit::Check;
use folio_keys::models::{Models, Reading};
use folio_keys::{Kind, Syntax, Tree, change, edit, find, parse, value};
use saphyr_parser::{Event, Parser};

use crate::Choices;

/// Values to write, many of which need quotes in some format.
pub const VALUES: &[&str] = &[
    "",
    "new",
    "a b",
    "3",
    "1.5",
    "true",
    "null",
    "~",
    "a: b",
    "a # b",
    "- a",
    "[1, 2]",
    "{a: 1}",
    "{ a = 1 }",
    "'q'",
    "\"q\"",
    "'",
    "\"",
    "\\",
    "@x",
    "%",
    "&a",
    "*a",
    "!t",
    "|",
    ">",
    "\u{e4}",
    "2024-01-01",
    "1.2.3",
    "yes",
    "---",
    "...",
    "#",
    " x",
    "x ",
    "\u{85}",
    "\u{2028}",
    "{{ x }}",
    "=",
    "a\tb",
    "a\nb",
    "a: 1\nb: 2",
    "$x",
    "!",
    ":",
];

const NAMES: &[&str] =
    &["new", "a", "a b", "a.b", "\u{e4}", "1", "-", "#x", "\"", "null", "<<", ""];

/// Parses a document, and makes an edit that the first bytes determine.
pub fn run(data: &[u8], syntax: Syntax) {
    let Some((mut choices, document)) = Choices::split(data) else { return };
    let tree = match parse(syntax, document) {
        Ok(tree) => tree,
        Err(Mistake { line, column, .. }) => {
            assert!(line > 0 && column > 0);
            return;
        }
    };
    for index in 0..tree.nodes.len().min(64) {
        check_entry(&tree, index);
    }
    let index = choices.below_many(tree.nodes.len());
    let text = choices.one_of(VALUES);
    let names = [choices.one_of(NAMES).to_owned()];
    let operation = choices.below(6);
    let models = match operation {
        3 | 4 => Models::of_item(&tree, index),
        5 => Models::of_key(&tree, index, &names),
        _ => Models::of_value(&tree, index),
    };
    let Ok(Reading { value, .. }) = models.read(text, None) else { return };
    let planned = match operation {
        0 => edit::replace(&tree, index, &value, Check::Now),
        1 => edit::remove(&tree, index, Check::Now),
        2 => edit::rename(&tree, index, &names[0], Check::Now),
        3 => edit::insert_item(&tree, index, None, &value, Check::Now),
        4 => edit::insert_item(&tree, index, Some(choices.below(4) as u32), &value, Check::Now),
        _ => edit::insert_key(&tree, index, &names, &value, Check::Now),
    };
    let Ok(edit::Edits { changes, .. }) = planned else { return };
    let text = change::apply(&tree.text, &changes);
    let new = parse(syntax, text.as_bytes()).expect("the result is valid");
    if new.node(Tree::ROOT).kind != Kind::Mapping {
        return;
    }
    let Some(mut old) = entries(syntax, &tree.text) else { return };
    let now = entries(syntax, &text);
    // In YAML, `entries` reads only mappings with plain keys.
    assert!(now.is_some() || syntax == Syntax::Yaml, "valid for another parser, too: {changes:?}");
    let Some(mut now) = now else { return };
    let own = top(&tree, index);
    for all in [&mut old, &mut now] {
        all.retain(|name, _| own.as_deref() != Some(name) && !names.contains(name));
    }
    if own.is_some() {
        assert_eq!(old, now, "{changes:?}");
    }
}

/// Finds an entry by its own path, unless the path is ambiguous or goes through an alias.
fn check_entry(tree: &Tree, index: usize) {
    let _ = (tree.lines(index), tree.value(index), value::data(tree, index));
    assert!(tree.text.get(tree.span(index)).is_some());
    let path = tree.path(index);
    if path.is_empty() {
        return;
    }
    let (path, found) = find::look_up(tree, &path).expect("a path");
    if let Ok(found) = found
        && found.alias.is_none()
    {
        assert_eq!(tree.path(found.index), path.source);
    }
}

/// Returns the name of the top-level entry that contains an entry, or `None` for the root and for
/// items.
fn top(tree: &Tree, index: usize) -> Option<String> {
    let mut at = index;
    while let Some(parent) = tree.parent(at).filter(|&parent| parent != Tree::ROOT) {
        at = parent;
    }
    tree.name(at).map(str::to_owned)
}

/// Returns the top-level entries and their values, as another parser reads them.
fn entries(syntax: Syntax, text: &str) -> Option<BTreeMap<String, String>> {
    match syntax {
        Syntax::Toml => {
            let table: toml::Table = toml::from_str(text).ok()?;
            Some(table.into_iter().map(|(name, value)| (name, format!("{value:?}"))).collect())
        }
        Syntax::Json => {
            let all: BTreeMap<String, serde_json::Value> = serde_json::from_str(text).ok()?;
            Some(all.into_iter().map(|(name, value)| (name, value.to_string())).collect())
        }
        Syntax::Yaml => yaml(text),
        _ => None,
    }
}

/// Returns the top-level keys of a mapping, with the events of their values.
pub fn yaml(text: &str) -> Option<BTreeMap<String, String>> {
    let mut values = BTreeMap::new();
    let (mut depth, mut key, mut value) = (0, None, String::new());
    for event in Parser::new_from_str(text) {
        let (event, _) = event.ok()?;
        let is_end = matches!(event, Event::MappingEnd | Event::SequenceEnd);
        if is_end {
            depth -= 1;
        }
        if depth == 1 && !(is_end && key.is_none()) {
            match (&key, &event) {
                (None, Event::Scalar(name, ..)) => {
                    key = Some(name.to_string());
                    continue;
                }
                (None, _) => return None,
                _ => {}
            }
        }
        if depth >= 1 && key.is_some() {
            // Anchors are numbered.
            match &event {
                Event::Scalar(text, style, ..) => value.push_str(&format!("{text:?} {style:?} ")),
                Event::Alias(_) => value.push_str("* "),
                Event::MappingStart(..) => value.push_str("{ "),
                Event::SequenceStart(..) => value.push_str("[ "),
                event => value.push_str(&format!("{event:?} ")),
            }
        }
        if matches!(event, Event::MappingStart(..) | Event::SequenceStart(..)) {
            depth += 1;
        } else if depth == 1
            && let Some(name) = key.take()
        {
            values.insert(name, std::mem::take(&mut value));
        }
    }
    Some(values)
}
