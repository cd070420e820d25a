//! Batches of edits, most of which find their targets. Nothing panics, a refused batch changes
//! nothing, lines outside the reported ones are unchanged, and an undo restores every byte.

#![no_main]

use folio_fuzz::{Applied, Choices, Place, check_undo};
use folio_outline::format::Format;
use folio_outline::naming::unique_names;
use folio_outline::outline::Outline;
use folio_text::lines::lines_with_ends;
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value, json};

const NAMES: &[&str] = &["a.md", "a.ini", "a.log", "a.txt"];
const CONTENTS: &[&str] = &[
    "",
    "\n",
    "new",
    "new\n",
    "two\nlines",
    "# H",
    "## H\n\ntext\n",
    "- item",
    "> quote",
    "```",
    "```\ncode\n```",
    "---",
    "===",
    "k: v",
    "k = v",
    "[s]",
    "[LOG-9] x",
    "    deep",
    "\ttab",
    "$1",
    "{{x}}",
    "\r\n",
    "a\r\nb",
    "ä",
    "| a |\n|---|",
    "<!--",
    "[x]: /y",
    "\\",
    "'",
    "\"",
    " ",
];
const PATTERNS: &[&str] = &[
    "^", "$", "x*", ".", "\\s+", "(\\w+)", "[^a]", "a|e", "^$", "\\b", ".*", "\\n", "(?s).", "\\pL",
];
const OPERATIONS: &[&str] =
    &["replace", "insert", "append", "delete", "rename", "set", "move", "copy", "create"];

fuzz_target!(|data: &[u8]| {
    let Some((mut choices, document)) = Choices::split(data) else { return };
    let other = b"# Other\n\ntext\n\n## Below\n\nmore\n";
    let name = choices.one_of(NAMES);
    let place = Place::with(&[(name, document), ("other.md", other)]);
    let before = place.files();
    let is_raw = choices.below(16) == 15;
    let (edits, only) = match is_raw {
        true => (document.to_vec(), None),
        false => batch(&mut choices, name, document),
    };
    let (force, in_place) = (choices.flag(), choices.flag());
    let applied = place.apply(&edits, |options| {
        options.write.force = force;
        options.write.in_place = in_place;
    });
    let after = place.files();
    if !applied.is_done {
        assert_eq!(after, before, "what is refused changes nothing: {applied:?}");
        return;
    }
    if let Some(operation) = only.as_deref() {
        check_outside(operation, &applied, document, &place.bytes(name));
    }
    check_undo(&place, &before, &after);
});

/// Generates edits of a document as JSON, with the operation if there is only one.
fn batch(choices: &mut Choices, name: &str, document: &[u8]) -> (Vec<u8>, Option<String>) {
    let format = match name {
        "a.md" => Format::Markdown,
        "a.ini" => Format::INI,
        _ => Format::LOG,
    };
    let outline = Outline::of(document, format);
    let names: Vec<String> = unique_names(&outline).into_iter().flatten().collect();
    let text = String::from_utf8_lossy(document);
    let count = [1, 1, 2, 3][choices.below(4)];
    let edits: Vec<Value> =
        (0..count).map(|_| edit(choices, name, &outline, &names, &text)).collect();
    let only = (count == 1).then(|| edits[0]["operation"].as_str().unwrap_or_default().to_owned());
    let batch = json!({"edits": edits, "sequential": choices.flag()});
    (batch.to_string().into_bytes(), only)
}

fn edit(
    choices: &mut Choices,
    name: &str,
    outline: &Outline,
    names: &[String],
    text: &str,
) -> Value {
    let operation = choices.one_of(OPERATIONS);
    let mut edit = Map::new();
    edit.insert("operation".into(), operation.into());
    let lines = outline.total_lines().min(u64::from(u16::MAX)) as usize;
    let line = |choices: &mut Choices| choices.below_many(lines + 2).max(1);
    let is_create = operation == "create";
    let file = if is_create && !choices.flag() { "made.md" } else { name };
    if choices.below(8) == 7 {
        let (one, other) = (line(choices), line(choices));
        let address = format!("{file}:{}-{}", one.min(other), one.max(other));
        edit.insert("address".into(), address.into());
    } else {
        edit.insert("filePath".into(), file.into());
        if !is_create && choices.below(16) != 15 {
            let target = target(choices, outline, names, text);
            edit.insert("target".into(), target);
        }
    }
    if !matches!(operation, "delete" | "move" | "copy") {
        let content = match choices.flag() {
            true => choices.part(text),
            false => choices.one_of(CONTENTS).to_owned(),
        };
        edit.insert("content".into(), content.into());
    }
    if matches!(operation, "move" | "copy") {
        let to = match choices.below(5) {
            0 => "other.md".to_owned(),
            1 => "other.md#below".to_owned(),
            2 => "made.md".to_owned(),
            3 => format!("{file}:{}", line(choices)),
            _ => format!("other.md:{}", choices.below(8)),
        };
        edit.insert("to".into(), to.into());
    }
    if matches!(operation, "insert" | "move" | "copy") {
        edit.insert(choices.one_of(&["before", "after"]).into(), true.into());
    }
    flags(choices, &mut edit);
    Value::Object(edit)
}

fn flags(choices: &mut Choices, edit: &mut Map<String, Value>) {
    let target = edit.get("target").and_then(Value::as_object).cloned().unwrap_or_default();
    if target.contains_key("text") || target.contains_key("pattern") {
        let which = [json!("all"), json!("first"), json!("last"), json!(2)];
        edit.insert("occurrence".into(), which[choices.below(4)].clone());
        for flag in [
            "outsideCode",
            "ignoreCase",
            "wordRegexp",
            "ignoreWhitespace",
            "normalizeUnicode",
            "multiline",
            "lineRegexp",
        ] {
            if choices.below(8) == 7 {
                edit.insert(flag.into(), true.into());
            }
        }
        if target.contains_key("pattern") && choices.flag() {
            edit.insert("expand".into(), true.into());
        }
    }
    if choices.flag() {
        edit.insert("exact".into(), true.into());
    } else if choices.flag() {
        edit.insert("preserveIndent".into(), false.into());
    }
}

fn target(choices: &mut Choices, outline: &Outline, names: &[String], text: &str) -> Value {
    let name = |choices: &mut Choices| match names.len() {
        0 => choices.part(text),
        count => names[choices.below_many(count)].clone(),
    };
    let lines = outline.total_lines().min(u64::from(u16::MAX)) as usize;
    match choices.below(14) {
        0 => {
            let start = choices.below_many(lines + 1) + 1;
            json!({"lines": {"start": start, "end": start + choices.below(5)}})
        }
        1 => match choices.flag() {
            true => json!({"section": name(choices), "includeChildren": false}),
            false => json!({"section": name(choices)}),
        },
        2 => json!({"body": name(choices)}),
        3 => json!({"heading": name(choices)}),
        4 => json!({"codeBlock": {"index": choices.below(4), "fences": choices.flag()}}),
        5 => json!({"table": {"index": choices.below(3)}}),
        6 => json!({"anchor": name(choices).to_lowercase().replace(' ', "-")}),
        7 => {
            let keys: Vec<_> = outline.section_keys().collect();
            if keys.is_empty() {
                return json!({"key": "k", "value": choices.flag()});
            }
            let (tree, key) = keys[choices.below_many(keys.len())];
            let section = outline.section_of(key).and_then(|index| names.get(index));
            let name = tree.name(key).unwrap_or_default();
            match section.filter(|_| !choices.flag()) {
                Some(section) => {
                    json!({"section": section, "key": name, "value": choices.flag()})
                }
                None => json!({"key": name, "value": choices.flag()}),
            }
        }
        8 => {
            let keys = outline.front_matter().map(|found| &found.keys[..]).unwrap_or_default();
            match keys.len() {
                0 => json!({"frontMatter": {"key": choices.one_of(&["k", "title", "a.b"])}}),
                count => {
                    let key = &keys[choices.below_many(count)].name;
                    json!({"frontMatter": {"key": key}, "value": choices.flag()})
                }
            }
        }
        9 => json!({"text": choices.part(text)}),
        10 => json!({"pattern": choices.one_of(PATTERNS)}),
        11 => json!({"wholeFile": true}),
        12 => json!({"afterHeading": name(choices)}),
        _ => json!({"beforeHeading": name(choices)}),
    }
}

/// Checks that the lines before and after the reported ones are unchanged.
fn check_outside(operation: &str, applied: &Applied, before: &[u8], after: &[u8]) {
    let is_other = matches!(operation, "move" | "copy" | "create");
    // The bytes of UTF-16 are not lines.
    let is_wide = before.starts_with(b"\xff\xfe") || before.starts_with(b"\xfe\xff");
    let Some(affected) = applied.records.first().and_then(|record| record.get("affectedLines"))
    else {
        return;
    };
    if is_other || is_wide || before.contains(&0) {
        return;
    }
    let line = |side: &str| affected[side].as_u64().expect("a line") as usize;
    let old: Vec<&[u8]> = lines_with_ends(before).collect();
    let head = old[..(line("start") - 1).min(old.len())].concat();
    let tail = old[line("end").min(old.len())..].concat();
    assert!(after.starts_with(&head), "what stands before stays: {applied:?}");
    assert!(after.ends_with(&tail), "what stands behind stays: {applied:?}");
    let is_insert = operation == "insert" || operation == "append";
    assert!(is_insert || head.len() + tail.len() <= after.len(), "{applied:?}");
}
