//! Parts with their own syntax in random documents: code blocks, keys and moved lines. Also checks
//! the report of a dry run.

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
    let told = sandbox.run(&["inspect", "--json", "a.md"]).succeeds().json();
    let blocks = told["structure"]["codeBlocks"].as_array().cloned().unwrap_or_default();
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
        let Some(own) = one_end(&before.0) else { return Ok(()) };
        prop_assume!(!lines.is_empty() && !end_of(lines[lines.len() - 1]).is_empty());
        let (one, other) = (first.index(lines.len()), second.index(lines.len()));
        let (start, end) = (one.min(other), one.max(other) + 1);
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
        prop_assert_eq!(&edited.after, &Bytes([mark, &new.concat()].concat()), "{:?}", own);
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
    let told = sandbox.run(&["inspect", "--json", "a.ini"]).succeeds().json();
    let sections = told["structure"]["sections"].as_array().cloned().unwrap_or_default();
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

#[test]
fn a_table_is_a_part() {
    let text =
        "# A\n\nintro\n| x | y |\n|---|---|\n| 1 | 2 |\n\n> - | q |\n>   |---|\n>   | 3 |\n\nend\n";
    let rows = "| z |\n|---|\n| 9 |";
    let check = |arguments: &[&str], expected: &str| {
        let sandbox = Sandbox::with(&[("t.md", text)]);
        let operation = arguments[0];
        sandbox.run(&[&["patch", operation, "t.md"], &arguments[1..]].concat()).succeeds();
        assert_eq!(fs::read_to_string(sandbox.path("t.md")).expect("a file"), expected);
    };
    let first = "| x | y |\n|---|---|\n| 1 | 2 |\n";
    check(&["replace", "--table", "0", "-c", rows], &text.replace(first, &format!("{rows}\n")));
    check(&["delete", "--table", "0"], &text.replace(first, ""));
    let longer = format!("{first}| 3 | 4 |\n");
    check(&["insert", "--table", "0", "-c", "| 3 | 4 |"], &text.replace(first, &longer));
    check(&["append", "--table", "0", "-c", "| 3 | 4 |"], &text.replace(first, &longer));
    // The markers of its quote and list are added before the content.
    let quoted = "> - | q |\n>   |---|\n>   | 3 |\n";
    let marked = "> - | z |\n>   |---|\n>   | 9 |\n";
    check(&["replace", "--table", "1", "-c", rows], &text.replace(quoted, marked));
    let longer = format!("{quoted}>   | 4 |\n");
    check(&["append", "--table", "1", "-c", "| 4 |"], &text.replace(quoted, &longer));
    let json = r#"{"table":{"index":0}}"#;
    check(&["delete", "--target", json], &text.replace(first, ""));

    let sandbox = Sandbox::with(&[("t.md", text)]);
    let read = sandbox.run(&["read", "t.md", "--table", "1"]).succeeds().text();
    let arguments = ["patch", "replace", "t.md", "--json", "--table", "1", "-f", "-"];
    let outcome = sandbox.run_with_input(&arguments, &read).succeeds();
    assert_eq!(outcome.json()["status"], "unchanged");
    assert_eq!(outcome.json()["target"], serde_json::json!({"table": {"index": 1}}));
    let miss = sandbox.run(&["patch", "delete", "t.md", "--table", "2"]).exits(1);
    miss.tells("no table 2: the document has 2").tells("folio inspect --only tables t.md");
    sandbox.run(&["patch", "delete", "t.md", "--table", "0", "--section", "A"]).exits(2);
}

#[test]
fn a_text_is_searched_within_lines() {
    for place in [&["a.txt:3"][..], &["a.txt", "--lines", "3"], &["a.txt", "--lines", "2-3"]] {
        for flag in ["--text", "--pattern"] {
            let sandbox = Sandbox::with(&[("a.txt", "v1\nx\nv1 v1\nv1\n")]);
            let edit = ["patch", "replace", flag, "v1", "-c", "v2", "--occurrence", "first"];
            sandbox.run(&[&edit[..], place].concat()).exits(0);
            let text = fs::read_to_string(sandbox.path("a.txt")).unwrap();
            assert_eq!(text, "v1\nx\nv2 v1\nv1\n", "{place:?} {flag}");
        }
    }
    let sandbox = Sandbox::with(&[("a.txt", "v1\nx\n")]);
    let edit = ["patch", "replace", "a.txt", "--lines", "2", "--text", "v1", "-c", "v2"];
    sandbox.run(&edit).exits(1);
    sandbox.run(&["read", "a.txt", "--lines", "1", "--text", "v1"]).exits(2).tells("--lines");
    sandbox.run(&["read", "a.txt", "--lines", "1", "--section", "v1"]).exits(2).tells("--lines");
}

#[test]
fn a_text_is_searched_within_a_part() {
    let markdown = "---\ntitle: foo\n---\n# foo\n\n```sh\nfoo\n```\n\n| a |\n|---|\n| foo |\n";
    let edited = |from: &str, to: &str| markdown.replacen(from, to, 1);
    let yaml = "a: foo # foo\nb: foo\n";
    let ini = "[a]\nk = foo\n[b]\nk = foo\n";
    for (name, text, options, expected) in [
        ("a.md", markdown, &["--code-block", "sh:0"][..], edited("sh\nfoo", "sh\nX")),
        ("a.md", markdown, &["--table", "0"], edited("| foo", "| X")),
        ("a.md", markdown, &["--heading", "foo"], edited("# foo", "# X")),
        ("a.md", markdown, &["--body", "foo"], edited("sh\nfoo", "sh\nX")),
        ("a.md", markdown, &["--anchor", "foo"], edited("# foo", "# X")),
        ("a.md", markdown, &["--front-matter"], edited("title: foo", "title: X")),
        ("a.md", markdown, &["--front-matter", "--key", "title"], edited("title: foo", "title: X")),
        ("a.md", markdown, &["--in", "foo", "--code-block", "0"], edited("sh\nfoo", "sh\nX")),
        ("a.yml", yaml, &["--key", "b"], yaml.replace("b: foo", "b: X")),
        ("a.yml", yaml, &["--key", "a", "--value"], yaml.replace("a: foo", "a: X")),
        ("a.ini", ini, &["--section", "b", "--key", "k"], "[a]\nk = foo\n[b]\nk = X\n".into()),
        ("a.ini", ini, &["--in", "b", "--key", "k"], "[a]\nk = foo\n[b]\nk = X\n".into()),
    ] {
        for flag in ["--text", "--pattern"] {
            let sandbox = Sandbox::with(&[(name, text)]);
            let edit = ["patch", "replace", "--force", name, flag, "foo", "-c", "X"];
            let first = ["--occurrence", "first"];
            sandbox.run(&[&edit[..], options, &first].concat()).exits(0);
            let found = fs::read_to_string(sandbox.path(name)).unwrap();
            assert_eq!(found, expected, "{name} {options:?} {flag}");
        }
    }
    let sandbox = Sandbox::with(&[("a.md", markdown)]);
    let target = r#"{"codeBlock":{"index":0},"text":"foo"}"#;
    let edit = ["patch", "replace", "a.md", "-c", "X", "--json", "--dry-run"];
    let outcome = sandbox.run(&[&edit[..], &["--target", target]].concat()).succeeds();
    assert_eq!(outcome.json()["affectedLines"], serde_json::json!({"start": 7, "end": 7}));
    let miss = ["patch", "replace", "a.md", "--code-block", "0", "--text", "none", "-c", "X"];
    sandbox.run(&miss).exits(1);
    let several = ["patch", "delete", "a.md", "--anchor", "foo", "--text", "foo", "--unique"];
    sandbox.run(&several).exits(3).tells("--anchor foo --text foo --occurrence all");
    for options in [["a.md", "--whole-file"], ["a.md:1-9", "--front-matter"]] {
        let edit = ["patch", "delete", "--text", "foo"];
        sandbox.run(&[&edit[..], &options].concat()).exits(2).tells(options[1]);
    }
    for option in [["--code-block", "0"], ["--key", "a"], ["--tail", "1"]] {
        let read = ["read", "a.md", "--text", "foo"];
        sandbox.run(&[&read[..], &option].concat()).exits(2).tells(option[0]);
    }
}

#[test]
fn a_text_is_searched_within_code() {
    let text = "foo\n\n```sh\nfoo\n```\n\n```py\nfoo\nfoo\n```\n";
    for (options, expected) in [
        (
            &["--only-code", "--occurrence", "first"][..],
            "foo\n\n```sh\nX\n```\n\n```py\nfoo\nfoo\n```\n",
        ),
        (
            &["--kind", "code", "--occurrence", "first"],
            "foo\n\n```sh\nX\n```\n\n```py\nX\nfoo\n```\n",
        ),
        (&["--lang", "py", "--occurrence", "all"], "foo\n\n```sh\nfoo\n```\n\n```py\nX\nX\n```\n"),
    ] {
        let sandbox = Sandbox::with(&[("a.md", text)]);
        let edit = ["patch", "replace", "a.md", "--text", "foo", "-c", "X"];
        sandbox.run(&[&edit[..], options].concat()).succeeds();
        sandbox.run(&["read", "a.md"]).prints(expected);
    }
}

#[test]
fn hints_for_a_text_within_code_name_the_block() {
    let sandbox = Sandbox::with(&[("a.md", "foo\n\n```\nfoo foo\n```\n")]);
    let edit = ["patch", "replace", "a.md", "--kind", "code", "--text", "foo", "-c"];
    let several = sandbox.run(&[&edit[..], &["X", "--unique"]].concat()).exits(3);
    several.tells("--occurrence all");
    let empty = sandbox.run(&[&edit[..], &[""]].concat()).exits(2);
    empty.tells("folio patch delete a.md --kind code --text foo");
}

#[test]
fn a_part_is_edited_in_each_file_of_a_directory_that_has_it() {
    let (one, other) = ("# A\n\n## Notes\n\n- x\n", "# B\n");
    let sandbox = Sandbox::with(&[("d/a.md", one), ("d/b.md", other), ("d/c/c.md", one)]);
    let append = ["patch", "append", "d", "--section", "Notes", "-c", "- y"];
    sandbox.run(&append).succeeds();
    for (name, text) in [("d/a.md", "- y\n"), ("d/b.md", other), ("d/c/c.md", "- y\n")] {
        assert!(fs::read_to_string(sandbox.path(name)).unwrap().ends_with(text), "{name}");
    }
    let missing = ["patch", "delete", "d", "--heading", "Other"];
    sandbox.run(&missing).exits(1).tells("none of 3 files contains --heading Other");
    sandbox.write("d/b.md", "## Notes\n\n## Notes\n");
    sandbox.run(&append).exits(3).tells("2 sections match 'Notes'");
    // Every file has lines, and `set` would create the key.
    sandbox.run(&["patch", "delete", "d", "--lines", "1"]).exits(2).tells("Is a directory");
}

#[test]
fn a_part_in_a_container_is_copied_without_its_prefixes() {
    let text = "- a\n  - b\n\n    ```py\n    z\n\n      y\n    ```\n\n> ```sh\n> q\n> ```\n\n- | a |\n  |---|\n";
    for (target, expected) in [
        (&["--code-block", "py:0"][..], "z\n\n  y\n"),
        (&["--code-block", "0", "--fences"], "```py\nz\n\n  y\n```\n"),
        (&["--code-block", "sh:0", "--fences"], "```sh\nq\n```\n"),
        (&["--table", "0"], "| a |\n|---|\n"),
    ] {
        for operation in ["copy", "move"] {
            let sandbox = Sandbox::with(&[("a.md", text)]);
            let edit = ["patch", operation, "a.md", "--to", "b.md"];
            sandbox.run(&[&edit[..], target].concat()).exits(0);
            sandbox.run(&["read", "b.md"]).prints(expected);
        }
    }
}

#[test]
fn a_list_marker_with_other_content_is_not_deleted() {
    let item = |tail: &str| format!("10. ```sh\n    x\n    ```\n{tail}\n11. b\n");
    let fences = ["--code-block", "0", "--fences"];
    let delete = [&["patch", "delete", "a.md"], &fences[..]].concat();
    let sandbox = Sandbox::with(&[("a.md", &item("\n    more\n"))]);
    sandbox.run(&delete).exits(4).tells("list marker '10.'");
    let to = ["--to", "b.md"];
    sandbox.run(&[&["patch", "move", "a.md"], &fences[..], &to].concat()).exits(4);
    sandbox.run(&[&delete[..], &["--force"]].concat()).exits(0);
    let sandbox = Sandbox::with(&[("a.md", &item(""))]);
    sandbox.run(&delete).exits(0);
    for text in ["-\t```sh\n\tx\n\t```\n\n\tmore\n", "> - ```sh\n>   x\n>   ```\n>\n>   more\n"] {
        let sandbox = Sandbox::with(&[("a.md", text)]);
        sandbox.run(&delete).exits(4).tells("list marker");
    }
}

#[test]
fn an_empty_match_after_a_part_is_not_in_it() {
    let yaml = "a: x\nb: y\n";
    let code = "```sh\nx\n```\n";
    for (name, text, target, expected) in [
        ("a.yml", yaml, &["a.yml", "--key", "a"][..], "#a: x\nb: y\n"),
        ("a.md", code, &["a.md", "--code-block", "0"], "```sh\n#x\n```\n"),
        ("a.txt", "x\ny\n", &["a.txt:1"], "#x\ny\n"),
    ] {
        for occurrence in ["1", "last", "all"] {
            let sandbox = Sandbox::with(&[(name, text)]);
            let edit =
                ["patch", "replace", "--pattern", "^", "-c", "#", "--occurrence", occurrence];
            sandbox.run(&[&edit[..], target].concat()).exits(0);
            let found = fs::read_to_string(sandbox.path(name)).unwrap();
            assert_eq!(found, expected, "{target:?} {occurrence}");
        }
    }
}

#[test]
fn a_block_that_moves_within_its_container_keeps_its_prefixes() {
    let sandbox = Sandbox::with(&[("a.md", "> ```sh\n> x\n> ```\n>\n> # H\n> t\n")]);
    let edit = ["patch", "copy", "a.md", "--code-block", "0", "--fences", "--to", "a.md:6"];
    sandbox.run(&edit).exits(0);
    let found = fs::read_to_string(sandbox.path("a.md")).unwrap();
    assert!(found.ends_with("> t\n> ```sh\n> x\n> ```\n"), "{found}");
}

#[test]
fn a_target_object_has_one_text() {
    let sandbox = Sandbox::with(&[("a.md", "v1\n")]);
    for target in [r#"{"search":{"query":"z"},"text":"v1"}"#, r#"{"text":"v1","pattern":"v1"}"#] {
        sandbox.run(&["patch", "delete", "a.md", "--target", target]).exits(2);
        let both = ["patch", "delete", "a.md", "--target", r#"{"section":"A"}"#, "--text", "v1"];
        sandbox.run(&both).exits(2).tells("--target");
    }
}
