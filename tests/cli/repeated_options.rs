//! Options that are given several times: each value selects a part, or the option is refused. None
//! is ignored.

use std::fs;

use serde_json::json;

use crate::support::Sandbox;

const TEXT: &str = "# T\n\n## A {#one}\n\naa\n\n## B\n\nbb\n\n```sh\nx\n```\n\n```sh\ny\n```\n\n\
    | a |\n|---|\n| 1 |\n\ntext\n\n| b |\n|---|\n| 2 |\n";

/// Runs `patch`, and checks that it edits each part. `edits` maps texts of the file to new texts.
#[track_caller]
fn edits(arguments: &[&str], edits: &[(&str, &str)]) {
    let sandbox = Sandbox::with(&[("a.md", TEXT)]);
    let (operation, rest) = arguments.split_first().unwrap();
    let outcome = sandbox.run(&[&["patch", operation, "a.md"], rest].concat()).succeeds();
    let expected = edits.iter().fold(TEXT.to_owned(), |text, (old, new)| text.replace(old, new));
    assert_eq!(fs::read_to_string(sandbox.path("a.md")).unwrap(), expected, "{outcome}");
    assert!(outcome.text().contains(&format!("{} edits in 1 file", edits.len())), "{outcome}");
    sandbox.run(&["undo"]).succeeds();
    assert_eq!(fs::read_to_string(sandbox.path("a.md")).unwrap(), TEXT);
}

#[test]
fn each_value_of_a_repeated_selector_is_edited() {
    edits(
        &["replace", "--body", "A", "--body", "B", "-c", "new", "--force"],
        &[("\naa\n", "\nnew\n"), (&TEXT[TEXT.find("bb").unwrap()..], "new\n")],
    );
    edits(
        &["replace", "--code-block", "0", "--code-block", "sh:1", "-c", "z"],
        &[("\nx\n", "\nz\n"), ("\ny\n", "\nz\n")],
    );
    edits(&["delete", "--lines", "5", "--lines", "23"], &[("aa\n", ""), ("\ntext\n", "\n")]);
    edits(
        &["replace", "--heading", "A", "--heading", "B", "-c", "## C", "--force"],
        &[("## A {#one}", "## C"), ("## B", "## C")],
    );
    edits(
        &["replace", "--text", "aa", "--text", "bb", "-c", "cc"],
        &[("\naa\n", "\ncc\n"), ("\nbb\n", "\ncc\n")],
    );
    edits(
        &["insert", "--pattern", "^aa$", "--pattern", "^bb$", "--after", "-c", "!"],
        &[("\naa\n", "\naa!\n"), ("\nbb\n", "\nbb!\n")],
    );
    edits(
        &["replace", "--section", "A", "--section", "B", "--pattern", "^(aa|bb)$", "-c", "cc"],
        &[("\naa\n", "\ncc\n"), ("\nbb\n", "\ncc\n")],
    );
    edits(
        &["replace", "--target", r#"{"text":"aa"}"#, "--target", r#"{"text":"bb"}"#, "-c", "cc"],
        &[("\naa\n", "\ncc\n"), ("\nbb\n", "\ncc\n")],
    );
}

#[test]
fn a_part_that_is_named_twice_is_one_part() {
    let sandbox = Sandbox::with(&[("a.md", TEXT)]);
    let outcome = sandbox.run(&["patch", "append", "a.md", "--section", "A", "--section", "A"]);
    outcome.exits(2);
    let append = ["patch", "append", "a.md", "--section", "A", "--section", "A", "-c", "more"];
    sandbox.run(&append).succeeds();
    let text = fs::read_to_string(sandbox.path("a.md")).unwrap();
    assert_eq!(text.matches("more").count(), 1);
}

#[test]
fn repeated_keys_and_sections_are_edited_in_one_transaction() {
    let text = "[one]\na = 1\nb = 2\n[two]\na = 3\nb = 4\n";
    let sandbox = Sandbox::with(&[("a.ini", text)]);
    let sections = ["--section", "one", "--section", "two"];
    let set = ["patch", "set", "a.ini", "--key", "a", "--key", "b", "-c", "0"];
    sandbox.run(&[&set[..], &sections].concat()).succeeds();
    let text = fs::read_to_string(sandbox.path("a.ini")).unwrap();
    assert_eq!(text, "[one]\na = 0\nb = 0\n[two]\na = 0\nb = 0\n");
    // If one of the parts is missing, nothing is edited.
    let delete = ["patch", "delete", "a.ini", "--section", "one", "--section", "three"];
    sandbox.run(&delete).exits(1);
    assert_eq!(fs::read_to_string(sandbox.path("a.ini")).unwrap(), text);
    let delete = ["patch", "delete", "a.ini", "--section", "one", "--section", "two", "--dry-run"];
    let shown = sandbox.run(&delete).succeeds().text();
    assert!(shown.contains("-[one]") && shown.contains("-[two]"), "{shown}");
}

#[test]
fn a_directory_is_searched_for_each_part() {
    let sandbox = Sandbox::with(&[("d/a.md", "aa\n"), ("d/b.md", "bb\n"), ("d/c.md", "cc\n")]);
    let replace = ["patch", "replace", "d", "--text", "aa", "--text", "bb", "-c", "x"];
    sandbox.run(&replace).succeeds();
    let read = |name: &str| fs::read_to_string(sandbox.path(name)).unwrap();
    assert_eq!([read("d/a.md"), read("d/b.md"), read("d/c.md")], ["x\n", "x\n", "cc\n"]);
}

#[test]
fn edits_in_json_may_name_several_parts() {
    let sandbox = Sandbox::with(&[("a.md", TEXT)]);
    let edit = json!({"filePath": "a.md", "operation": "delete", "section": ["A", "B"]});
    sandbox.run_with_input(&["patch", "apply", "-"], edit.to_string()).succeeds();
    assert_eq!(fs::read_to_string(sandbox.path("a.md")).unwrap(), "# T\n");
    let call =
        json!({"address": "a.md", "operation": "replace", "pattern": ["^#", "T$"], "content": "x"});
    sandbox.run_with_input(&["call", "patch"], call.to_string()).succeeds();
    assert_eq!(fs::read_to_string(sandbox.path("a.md")).unwrap(), "x x\n");
}

#[test]
fn read_prints_each_part() {
    let sandbox = Sandbox::with(&[("a.md", TEXT)]);
    let read = |arguments: &[&str]| {
        let all = [&["read", "--no-headers", "a.md"], arguments].concat();
        sandbox.run(&all).succeeds().text()
    };
    assert_eq!(read(&["--code-block", "0", "--code-block", "1"]), "x\ny\n");
    assert_eq!(read(&["--lines", "5", "--lines", "9"]), "aa\nbb\n");
    assert_eq!(read(&["--text", "aa", "--text", "bb"]), "aa\nbb\n");
}

#[test]
fn an_option_of_which_only_one_value_can_apply_is_refused() {
    let sandbox = Sandbox::with(&[("a.md", TEXT), ("b.md", TEXT)]);
    let part = ["patch", "replace", "a.md", "--body", "A"];
    for (command, option, values) in [
        (&part[..], "--content", ["b", "c"]),
        (&part, "--content-file", ["b.md", "a.md"]),
        (&[&part[..], &["-c", "x"]].concat(), "--if-match", ["0123456789ab", "0123456789ac"]),
        (&["patch", "replace", "a.md", "-c", "x", "--text", "a"], "--occurrence", ["1", "2"]),
        (&["patch", "replace", "a.md", "-c", "x", "--text", "a"], "--in", ["A", "B"]),
        (&["patch", "move", "a.md", "--section", "A"], "--to", ["b.md", "c.md"]),
        (&["patch", "delete", "a.md", "--kind", "heading"], "--level", ["1", "2"]),
        (&["read", "a.md"], "--from", ["1", "2"]),
        (&["read", "a.md"], "--search", ["aa", "bb"]),
        (&["read"], "--batch", ["b.md", "a.md"]),
        (&["grep", "aa", "a.md"], "--in", ["A", "B"]),
        (&["inspect", "a.md"], "--section", ["A", "B"]),
        (&["undo"], "--forget", ["1", "2"]),
    ] {
        let repeated = [option, values[0], option, values[1]];
        let outcome = sandbox.run(&[command, &repeated].concat());
        outcome.exits(2).tells(&format!("{option} cannot be used multiple times"));
    }
    let rename = ["patch", "rename", "a.md", "--heading", "A", "--heading", "B", "-c", "C"];
    sandbox.run(&rename).exits(2).tells("rename accepts only one --heading");
    sandbox.run(&["edit", "a.md", "--section", "A", "--section", "B"]).exits(2).tells("one part");
    assert_eq!(fs::read_to_string(sandbox.path("a.md")).unwrap(), TEXT);
}

#[test]
fn the_last_value_of_a_setting_applies() {
    let sandbox = Sandbox::with(&[("a.md", TEXT)]);
    let read = ["read", "a.md", "--head", "5", "--head", "1", "--color", "always"];
    let outcome = sandbox.run(&[&read[..], &["--color", "never"]].concat());
    assert_eq!(outcome.exits(0).text(), "# T\n");
}

#[test]
fn a_field_that_occurs_twice_is_refused() {
    let sandbox = Sandbox::with(&[("a.md", TEXT)]);
    let refused = |arguments: &[&str], input: &str, name: &str| {
        let outcome = sandbox.run_with_input(arguments, input);
        assert_eq!(outcome.status, Some(2), "{outcome}");
        assert!(outcome.errors().contains(&format!("'{name}' occurs twice")), "{outcome}");
    };
    let apply = ["patch", "apply", "-"];
    let target =
        r#"{"filePath":"a.md","operation":"delete","target":{"section":"A","section":"B"}}"#;
    refused(&apply, target, "section");
    refused(&apply, r#"{"edits":[],"edits":[]}"#, "edits");
    let call = r#"{"address":"a.md","operation":"append","content":"x","content":"y"}"#;
    refused(&["call", "patch"], call, "content");
    refused(&["call", "read"], r#"{"address":"a.md","section":"A","section":"B"}"#, "section");
    let batch = r#"{"filePath":"a.md","section":"A","section":"B"}"#;
    refused(&["read", "--batch", "-"], batch, "section");
    refused(&["read", "a.md", "--target", r#"{"section":"A","section":"B"}"#], "", "section");
    assert_eq!(fs::read_to_string(sandbox.path("a.md")).unwrap(), TEXT);
}

#[test]
fn a_number_with_a_fraction_is_not_taken_for_text() {
    let sandbox = Sandbox::with(&[("a.yml", "v: '3.9'\n")]);
    for number in ["3.10", "1e3", "-0", "12345678901234567890123"] {
        let call =
            format!(r#"{{"address":"a.yml","operation":"set","key":"v","content":{number}}}"#);
        let refused = sandbox.run_with_input(&["call", "patch"], call).exits(2);
        refused.tells("content: expected a string, found a number with a fraction or exponent");
    }
    let call = r#"{"address":"a.yml","operation":"set","key":"v","content":310}"#;
    sandbox.run_with_input(&["call", "patch"], call).succeeds();
    assert_eq!(fs::read_to_string(sandbox.path("a.yml")).unwrap(), "v: '310'\n");
}

#[test]
fn a_part_that_no_file_of_a_directory_has_is_an_error() {
    let files = [("d/a.md", "# A\n\na\n"), ("d/b.md", "# B\n\nx\ny\n")];
    let sandbox = Sandbox::with(&files);
    let missing: [&[&str]; 4] = [
        &["delete", "d", "--section", "A", "--section", "Z"],
        &["replace", "d", "--body", "A", "--body", "Z", "-c", "new"],
        &["replace", "d", "--text", "a", "--text", "zzz", "-c", "new"],
        &["replace", "d", "--text", "x\ny", "--text", "x\nz", "-c", "new"],
    ];
    for arguments in missing {
        for dry_run in [&[][..], &["--dry-run"]] {
            let refused = sandbox.run(&[&["patch"], arguments, dry_run].concat());
            assert_eq!(refused.status, Some(1), "{arguments:?}: {refused}");
        }
    }
    for (name, text) in files {
        assert_eq!(fs::read_to_string(sandbox.path(name)).unwrap(), text);
    }
    sandbox.run(&["patch", "delete", "d", "--section", "A", "--section", "B"]).succeeds();
}
