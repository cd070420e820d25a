//! Properties of code blocks, keys, moved lines and dry runs, checked on random documents.

use std::fs;
use std::process::Stdio;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

use crate::support::edits::{Bytes, cases, document, edit, edit_in, end_of, one_end, parts};
use crate::support::{Sandbox, outcome, utf16};

/// Lines of documents with code blocks.
const CODE: &[&str] = &[
    "```sh", "```", "```", "~~~", "~~~~", "````", "> ```", "> ```", ">```", ">x", "> x", ">  y",
    "- ```", "  ```", "  x", "1. ~~~", "   ~~~", "   ```", "   x", "  - ```", "    ```", "\t```",
    "x", "", "", "# One", "- item", "> > ```", "> > x",
];

/// Lines to insert into code blocks.
const INTO_CODE: &[&str] =
    &["make", "  deeper", "", "# no heading", "```", "~~~~~", "> no quote", "\ttab", " y", "- z"];

/// Lines of INI files.
const INI: &[&str] = &[
    "[one]",
    "[two]",
    "[three]",
    "host = a",
    "host=a",
    "port: 1",
    "name = \"x\" ; note",
    "  more",
    "; note",
    "# note",
    "",
    "empty =",
    "flag",
    "path = /a b/c",
    "k = v # w",
    "quote = 'x'",
    "[odd",
    "two = a = b",
    " indented = 1",
];

fn blocks(bytes: &[u8]) -> Vec<(u64, u64)> {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", bytes);
    let record = sandbox.run(&["inspect", "--json", "a.md"]).succeeds().json();
    let blocks = record["structure"]["codeBlocks"].as_array().cloned().unwrap_or_default();
    let line = |block: &Value, name: &str| block[name].as_u64().unwrap();
    blocks.iter().map(|block| (line(block, "startLine"), line(block, "endLine"))).collect()
}

/// Removes carriage returns before line feeds, and the last line ending.
fn plain(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    text.strip_suffix('\n').unwrap_or(&text).to_owned()
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn a_code_block_contains_the_inserted_content(
        before in document(CODE, 16),
        index in any::<Index>(),
        content in proptest::collection::vec(proptest::sample::select(INTO_CODE), 1..5),
    ) {
        let old = blocks(&before.0);
        prop_assume!(!old.is_empty() && content.iter().any(|line| !line.is_empty()));
        // A blank line without a line ending is not a line.
        prop_assume!(content.last() != Some(&"") || before.0.ends_with(b"\n"));
        let index = index.index(old.len());
        let number = index.to_string();
        let text = format!("--content={}\n", content.join("\n"));
        let edited = edit("a.md", &before.0, &["replace", "--code-block", &number, &text, "--force"]);
        prop_assert_eq!(edited.status, 0, "{}", edited.errors);
        let sandbox = Sandbox::new();
        sandbox.write("a.md", &edited.after.0);
        let held = sandbox.run(&["read", "a.md", "--code-block", &number]).succeeds().stdout;
        prop_assert_eq!(plain(&held), content.join("\n"), "{:?}", &edited.after);
        let new = blocks(&edited.after.0);
        prop_assert_eq!(new.len(), old.len());
        let (mark, lines) = parts(&before.0);
        let (_, new_lines) = parts(&edited.after.0);
        let came = new_lines.len() as i64 - lines.len() as i64;
        for (number, (old, new)) in old.iter().zip(&new).enumerate() {
            let moved = |line: u64, by: bool| (line as i64 + if by { came } else { 0 }) as u64;
            prop_assert_eq!(*new, (moved(old.0, number > index), moved(old.1, number >= index)));
        }
        let (first, last) = (old[index].0 as usize - 1, old[index].1 as usize);
        let head = [mark, &lines[..first].concat()].concat();
        prop_assert!(edited.after.0.starts_with(&head));
        prop_assert!(edited.after.0.ends_with(&lines[last..].concat()));
    }

    #[test]
    fn setting_a_value_changes_no_other_value(
        before in document(INI, 14),
        index in any::<Index>(),
        value in proptest::sample::select(
            &["b", "two words", "a=b", "x ; y", "x # y", "\"q\"", "'q'", "it's", "[z]", "ä", "/a/b", "1"][..],
        ),
    ) {
        let old = values(&before.0);
        prop_assume!(!old.is_empty());
        let (section, key, _) = &old[index.index(old.len())];
        let same = old.iter().filter(|other| (&other.0, &other.1) == (section, key)).count();
        prop_assume!(same == 1);
        let content = format!("--content={value}");
        let mut flags = vec!["replace", "--key", key, "--value", &content];
        if let Some(section) = section {
            flags.extend(["--section", section]);
        }
        let edited = edit("a.ini", &before.0, &flags);
        if edited.status == 3 {
            // Two sections have this name.
            return Ok(());
        }
        if edited.status == 2 {
            let reasons = ["read as something else", "may continue on line"];
            let is_known = reasons.iter().any(|reason| edited.errors.contains(reason));
            prop_assert!(is_known, "{}", edited.errors);
            prop_assert_eq!(&edited.after, &before);
            return Ok(());
        }
        prop_assert_eq!(edited.status, 0, "{}", edited.errors);
        let mut expected = old.clone();
        for other in &mut expected {
            if (&other.0, &other.1) == (section, key) {
                other.2 = value.trim_matches(['"', '\'']).to_owned();
            }
        }
        prop_assert_eq!(values(&edited.after.0), expected, "{:?}", edited.after);
        let lines = &edited.records[0]["affectedLines"];
        let (start, end) = (lines["start"].as_u64().unwrap(), lines["end"].as_u64().unwrap());
        let (mark, lines) = parts(&before.0);
        let head = [mark, &lines[..start as usize - 1].concat()].concat();
        prop_assert!(edited.after.0.starts_with(&head));
        prop_assert!(edited.after.0.ends_with(&lines[end as usize..].concat()));
    }

    #[test]
    fn lines_are_moved_and_copied(
        before in document(&["a", "b", "c", "", "  d"], 9),
        (first, second, third) in any::<(Index, Index, Index)>(),
        side in proptest::sample::select(&["--before", "--after"][..]),
        copies in any::<bool>(),
    ) {
        let (mark, lines) = parts(&before.0);
        let Some(ending) = one_end(&before.0) else { return Ok(()) };
        prop_assume!(!lines.is_empty() && !end_of(lines[lines.len() - 1]).is_empty());
        let (from, other) = (first.index(lines.len()), second.index(lines.len()));
        let (start, end) = (from.min(other), from.max(other) + 1);
        let to = third.index(lines.len());
        let at = if side == "--before" { to } else { to + 1 };
        let operation = if copies { "copy" } else { "move" };
        let lines_flag = format!("--lines={}-{}", start + 1, end);
        let to_flag = format!("--to=a.txt:{}", to + 1);
        let edited = edit("a.txt", &before.0, &[operation, &lines_flag, &to_flag, side]);
        if !copies && start < at && at < end {
            prop_assert_ne!(edited.status, 0);
            prop_assert_eq!(&edited.after, &before);
            return Ok(());
        }
        prop_assert_eq!(edited.status, 0, "{}", edited.errors);
        let mut new: Vec<&[u8]> = lines.clone();
        let carried: Vec<&[u8]> = lines[start..end].to_vec();
        let count = carried.len();
        new.splice(at..at, carried);
        if !copies {
            let gone = if at <= start { start + count } else { start };
            new.drain(gone..gone + count);
        }
        prop_assert_eq!(&edited.after, &Bytes([mark, &new.concat()].concat()), "{:?}", ending);
    }

    #[test]
    fn a_preview_equals_the_actual_edit(
        before in document(&["a", "b", "text", "", "  d", "# One", "ä"], 30),
        needle in proptest::sample::select(&["a", "text", "\n", "b\n", "# "][..]),
        content in proptest::sample::select(&["x", "two\nlines", "\n\n"][..]),
    ) {
        let needle = format!("--text={needle}");
        let content = format!("--content={content}");
        let flags = ["replace", &needle, &content, "--occurrence=all"];
        let edited = edit("some file.txt", &before.0, &flags);
        prop_assume!(edited.status == 0 && edited.after != before);
        let sandbox = Sandbox::new();
        sandbox.write("some file.txt", &before.0);
        let shown = [&flags[..1], &["some file.txt"], &flags[1..]].concat();
        let diff = |flag| sandbox.run(&[&["patch"], &shown[..], &[flag]].concat());
        let preview = diff("--dry-run").exits(0).stdout;
        prop_assert_eq!(&fs::read(sandbox.path("some file.txt")).unwrap(), &before.0);
        diff("--check").exits(1);
        prop_assert_eq!(&fs::read(sandbox.path("some file.txt")).unwrap(), &before.0);
        for (tool, arguments) in [("patch", &["-s", "-p1", "--binary"][..]), ("git", &["apply"])] {
            sandbox.write("some file.txt", &before.0);
            if sandbox.command_of(tool).arg("--version").output().is_err() {
                eprintln!("passed over: {tool} is not here");
                continue;
            }
            let mut command = sandbox.command_of(tool);
            let run = outcome(command.args(arguments).stdin(Stdio::piped()), &preview);
            prop_assert_eq!(run.status, Some(0), "{}: {}", tool, preview.escape_ascii());
            let found = fs::read(sandbox.path("some file.txt")).unwrap();
            prop_assert_eq!(&Bytes(found), &edited.after, "{}", tool);
        }
        sandbox.write("some file.txt", &before.0);
        prop_assert_eq!(diff("--diff").exits(0).stdout, preview);
        prop_assert_eq!(&fs::read(sandbox.path("some file.txt")).unwrap(), &edited.after.0);
    }

    #[test]
    fn every_way_to_give_a_document_has_the_same_result(
        before in document(&["a", "b", "text", "", "# One", "ä 😀"], 12),
        index in any::<Index>(),
        little in any::<bool>(),
    ) {
        let (_, lines) = parts(&before.0);
        prop_assume!(!lines.is_empty());
        let Ok(text) = std::str::from_utf8(&before.0) else { return Ok(()) };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let line = format!("--lines={}", index.index(lines.len()) + 1);
        let flags = ["replace", &line, "-c", "new ß\nline", "--as", "text"];
        let edited = edit("a.txt", text.as_bytes(), &flags);
        prop_assert_eq!(edited.status, 0, "{}", edited.errors);
        let wide = edit("a.txt", &utf16(text, little), &flags);
        let expected = String::from_utf8(edited.after.0.clone()).unwrap();
        prop_assert_eq!(&wide.after, &Bytes(utf16(&expected, little)));
        prop_assert_eq!(&wide.records[0]["affectedLines"], &edited.records[0]["affectedLines"]);
        prop_assert_eq!(&wide.records[0]["resultLines"], &edited.records[0]["resultLines"]);
        let sandbox = Sandbox::new();
        let streamed = [&["patch", "replace", "-"], &flags[1..]].concat();
        sandbox.run_with_input(&streamed, text).exits(0).prints(&expected);
        sandbox.write("a.txt", text).write("edit.json", format!(
            r#"{{"address":"a.txt:{}","operation":"replace","content":"new ß\nline"}}"#,
            index.index(lines.len()) + 1,
        ));
        let applied = edit_in(&sandbox, "edit.json", &["apply", "--as", "text"]);
        prop_assert_eq!(applied.status, 0, "{}", applied.errors);
        prop_assert_eq!(&fs::read(sandbox.path("a.txt")).unwrap(), &edited.after.0);
    }
}

/// Returns the keys of an INI file: section, name and value.
fn values(bytes: &[u8]) -> Vec<(Option<String>, String, String)> {
    let sandbox = Sandbox::new();
    sandbox.write("a.ini", bytes);
    let record = sandbox.run(&["inspect", "--json", "a.ini"]).succeeds().json();
    let sections = record["structure"]["sections"].as_array().cloned().unwrap_or_default();
    let mut found = Vec::new();
    for section in &sections {
        let marker = section["marker"].as_str().unwrap().to_owned();
        for key in section["keys"].as_array().into_iter().flatten() {
            let key = key.as_str().unwrap().to_owned();
            let flags = ["read", "--json", "a.ini", "--section", &marker, "--key", &key];
            let outcome = sandbox.run(&flags);
            if outcome.status != Some(0) {
                continue;
            }
            let value = outcome.json()["value"].as_str().unwrap_or_default().to_owned();
            found.push((Some(marker.clone()), key, value));
        }
    }
    found
}
