//! Front matter, compared with parsers of YAML and TOML: folio finds the same top-level keys, and
//! setting a key changes only the value of that key.

#![no_main]

use std::collections::BTreeMap;

use folio_fuzz::keys::{VALUES, yaml};
use folio_fuzz::{Choices, Place, check_undo};
use folio_markdown::front_matter::{self, FrontMatter, FrontMatterFormat};
use libfuzzer_sys::fuzz_target;
use serde_json::json;

fuzz_target!(|data: &[u8]| {
    let Some((mut choices, document)) = Choices::split(data) else { return };
    let Some(found) = front_matter::find(document) else { return };
    assert!(found.length <= document.len());
    for key in &found.keys {
        assert!(key.lines.end() < found.lines.end(), "{key:?} {found:?}");
    }
    for name in found.nested_keys() {
        let _ = found.find(&name);
    }
    let is_valid = found.tree().is_ok();
    let names: Vec<String> =
        found.keys.iter().map(|key| key.name.clone()).chain(found.nested_keys()).collect();
    let key = match (names.len(), choices.below(4)) {
        (0, _) | (_, 3) => choices.one_of(&["new", "a", "a.b", "a.b.c"]).to_owned(),
        (count, _) => names[choices.below_many(count)].clone(),
    };
    let value = choices.one_of(VALUES);
    let target = json!({"frontMatter": {"key": key}});
    let edit = json!({"filePath": "a.md", "operation": "set", "target": target, "content": value});
    let place = Place::with(&[("a.md", document)]);
    let before = place.files();
    let applied = place.apply(edit.to_string().as_bytes(), |_| {});
    let after = place.files();
    if !applied.is_done {
        assert_eq!(before, after);
        return;
    }
    check_undo(&place, &before, &after);
    let changed = front_matter::find(&after[0].1).expect("it is front matter still");
    assert_eq!(document[found.length..], after[0].1[changed.length..], "the rest stays");
    // The name of a key in quotes or in one of several documents is not a prefix of its path.
    if key.contains(['"', '\'']) || key.starts_with('[') {
        return;
    }
    let (Some(mut old), Some(mut new)) = (values(document, &found), values(&after[0].1, &changed))
    else {
        assert!(!is_valid || values(document, &found).is_none(), "valid before, and not behind");
        return;
    };
    // Keys that contain the key also change.
    let is_own = |name: &String| {
        let is_within = |inner: &str, outer: &str| {
            inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with(['.', '[']))
        };
        *name == key || is_within(&key, name) || is_within(name, &key)
    };
    old.retain(|name, _| !is_own(name));
    new.retain(|name, _| !is_own(name));
    assert_eq!(old, new, "{applied:?}");
});

/// Returns the values by key, as another parser reads them.
fn values(document: &[u8], found: &FrontMatter) -> Option<BTreeMap<String, String>> {
    let text = std::str::from_utf8(&document[..found.length]).ok()?;
    if found.format == FrontMatterFormat::Json {
        let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).ok()?;
        return Some(object.into_iter().map(|(name, value)| (name, value.to_string())).collect());
    }
    let (_, text) = text.split_once('\n')?;
    let text = text.trim_end_matches(['\n', '\r', ' ', '\t']);
    let text = &text[..text.rfind('\n').map_or(0, |at| at + 1)];
    match found.format {
        FrontMatterFormat::Toml => {
            let table: toml::Table = toml::from_str(text).ok()?;
            let mut values = BTreeMap::new();
            collect(&table, "", &mut values);
            Some(values)
        }
        FrontMatterFormat::Yaml | FrontMatterFormat::Json => yaml(text),
    }
}

fn collect(table: &toml::Table, prefix: &str, values: &mut BTreeMap<String, String>) {
    for (name, value) in table {
        let path = format!("{prefix}{name}");
        match value {
            toml::Value::Table(inner) => collect(inner, &format!("{path}."), values),
            value => drop(values.insert(path, format!("{value:?}"))),
        }
    }
}
