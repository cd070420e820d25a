//! Options and values that `patch` refuses.

use super::{apply_edits, check_refused_with_hint, files, readme};
use crate::support::Sandbox;
use crate::support::edits::{check_edit, check_text_refusal};

#[test]
fn invalid_files_lines_patterns_and_contents_are_refused() {
    let sandbox = files();
    let before = readme();
    // Paths, lines, patterns, targets, content.
    check_refused_with_hint(&sandbox, &["delete", "none.md", "--lines", "1"], 2, "NOT_FOUND");
    check_refused_with_hint(
        &sandbox,
        &["delete", "README.md", "--lines", "9999"],
        1,
        "LINE_OUT_OF_RANGE",
    );
    check_refused_with_hint(
        &sandbox,
        &["delete", "README.md", "--pattern", "("],
        2,
        "INVALID_PATTERN",
    );
    check_refused_with_hint(
        &sandbox,
        &["delete", "README.md", "--heading", "# Setup"],
        1,
        "TARGET_NOT_FOUND",
    );
    check_refused_with_hint(
        &sandbox,
        &["replace", "README.md", "--lines", "1", "-c", ""],
        2,
        "EMPTY_CONTENT",
    );
    check_refused_with_hint(
        &sandbox,
        &["insert", "README.md", "--lines", "1", "-c", ""],
        2,
        "EMPTY_CONTENT",
    );
    let hint = sandbox.run(&["patch", "replace", "README.md", "--lines", "1", "-c", ""]);
    hint.exits(2).tells("folio patch delete");
    assert_eq!(sandbox.text("README.md"), before);
}

#[test]
fn an_edit_has_one_target() {
    let sandbox = files();
    let targets = [
        ["--lines", "1"],
        ["--text", "Words"],
        ["--pattern", "Words"],
        ["--heading", "Setup"],
        ["--section", "Setup"],
        ["--body", "Setup"],
        ["--code-block", "0"],
        ["--anchor", "setup"],
    ];
    for (number, first) in targets.iter().enumerate() {
        for second in &targets[number + 1..] {
            // The search for a text can be restricted to another part.
            let is_text = |target: &[&str; 2]| ["--text", "--pattern"].contains(&target[0]);
            if is_text(first) != is_text(second) {
                continue;
            }
            let arguments = [&["patch", "delete", "README.md"], &first[..], &second[..]].concat();
            let outcome = sandbox.run(&arguments).exits(2);
            assert!(outcome.errors().contains(first[0]), "{outcome}");
            assert!(outcome.errors().contains(second[0]), "{outcome}");
        }
    }
    assert_eq!(sandbox.text("README.md"), readme());
}

#[test]
fn options_for_texts_require_a_text() {
    for option in [r#""expect":3"#, r#""unique":true"#, r#""occurrence":7"#, r#""ignoreCase":true"#]
    {
        let edit = format!(
            r#"{{"filePath":"g.md","operation":"delete","target":{{"section":"A"}},{option}}}"#
        );
        let (run, after) = apply_edits("g.md", "# A\nx\n", &edit);
        run.exits(2);
        assert_eq!(after, "# A\nx\n", "{option}");
    }
}

#[test]
fn a_placeholder_has_one_value() {
    let twice = ["replace", "--lines", "1", "-c", "{{X}}", "--set", "X=1", "--set", "X=2"];
    check_text_refusal("a.txt", "a\n", &twice, 2, "--set: 'X' has two values");
}

#[test]
fn an_empty_name_is_not_a_target() {
    for flags in [&["--section", ""][..], &["--body", " "], &["--section", "a", "--key", ""]] {
        let arguments = [&["replace"], flags, &["-c", "x"]].concat();
        check_text_refusal("a.md", "# A\n", &arguments, 2, "is empty");
    }
    let sandbox = Sandbox::with(&[("a.md", "# A\n")]);
    sandbox.run(&["read", "a.md", "--section", ""]).exits(2).tells("--section is empty");
}

#[test]
fn content_that_begins_with_a_hyphen_is_not_an_option() {
    let text = b"-x --text\n";
    check_edit("a.txt", text, &["replace", "--text", "-x", "-c", "-c"], b"-c --text\n");
    check_edit(
        "a.txt",
        text,
        &["replace", "--pattern", "--t\\w+", "-c", "--lines"],
        b"-x --lines\n",
    );
    check_edit("a.md", b"# -a\n\nx\n", &["delete", "--section", "-a"], b"");
    check_edit("a.md", b"# A\n", &["append", "-c", "- item"], b"# A\n\n- item\n");
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
