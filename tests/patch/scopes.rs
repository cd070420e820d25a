//! The part of a document in which a target is searched.

use std::fs;

use super::apply_edits;
use crate::support::Sandbox;
use crate::support::edits::{
    check_edit, check_refused, check_text_edit, check_text_refusal, edited,
};

#[test]
fn a_scope_applies_to_every_target() {
    let text =
        "---\nk: v\n---\n# A\n\n<a id=\"x\"></a> foo\n\n```\n1\n```\n\n# B\n\nfoo\n\n```\n2\n```\n";
    let within = |rest: &[&'static str]| [&["replace", "--in", "B", "-c", "new"], rest].concat();
    check_refused("a.md", text, &within(&["--anchor", "x"]), 1, "TARGET_NOT_FOUND");
    check_refused("a.md", text, &within(&["--whole-file"]), 2, "INVALID_ARGUMENT");
    check_refused("a.md", text, &within(&["--front-matter"]), 2, "INVALID_ARGUMENT");
    check_refused("a.md", text, &within(&["--lines", "14"]), 2, "INVALID_ARGUMENT");
    check_refused("a.md", text, &within(&["--section", "A"]), 1, "TARGET_NOT_FOUND");
    check_refused("a.md", text, &within(&[]), 2, "INVALID_ARGUMENT");
    check_refused("a.md", text, &within(&["--code-block", "1"]), 1, "TARGET_NOT_FOUND");
    check_edit("a.md", text, &within(&["--code-block", "0"]), &text.replace("\n2\n", "\nnew\n"));
    check_edit("a.md", text, &within(&["--text", "foo"]), &text.replace("\nfoo\n", "\nnew\n"));
}

#[test]
fn a_text_is_searched_in_the_part_of_an_address() {
    let text = "v 1.4.2\nb 1.4.2\n\n# H\n\nb 1.4.2\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    sandbox.run(&["patch", "replace", "a.md:2", "--text", "1.4.2", "-c", "1.4.3"]).exits(0);
    sandbox.run(&["patch", "delete", "a.md#h", "--pattern", r"[.]\d$"]).exits(0);
    sandbox.run(&["patch", "replace", "a.md:1-2", "--text", "H", "-c", "x"]).exits(1);
    let after = fs::read_to_string(sandbox.path("a.md")).unwrap();
    assert_eq!(after, "v 1.4.2\nb 1.4.3\n\n# H\n\nb 1.4\n");
}

#[test]
fn a_text_is_searched_in_the_given_section() {
    let before = "# A\n\nfoo\n\n# B\n\nfoo\n";
    let after = "# A\n\nfoo\n\n# B\n\nbar\n";
    for target in [
        &["--section", "B", "--text", "foo"][..],
        &["--section", "B", "--pattern", "fo+"],
        &["--target", r#"{"section":"B","text":"foo"}"#],
        &["--target", r#"{"section":"B","pattern":"fo+"}"#],
    ] {
        check_text_edit("a.md", before, &[&["replace"], target, &["-c", "bar"]].concat(), after);
    }
    let sandbox = Sandbox::with(&[("a.md", before)]);
    let read = ["read", "a.md", "--section", "B", "--text", "foo", "--json"];
    assert_eq!(sandbox.run(&read).exits(0).json()["range"]["startLine"], 7);
    for strays in [&["--in", "A"][..], &["--no-children"], &["--lines", "1"]] {
        let flags = [&["replace", "--section", "B", "--text", "foo", "-c", "x"], strays].concat();
        check_text_refusal("a.md", before, &flags, 2, strays[0]);
    }
}

#[test]
fn the_scope_of_a_key_is_its_section() {
    let edit = r#"{"filePath":"k.ini","operation":"replace","in":"t","target":{"key":"k"},"content":"k=9"}"#;
    let (run, after) = apply_edits("k.ini", "k=0\n[t]\nk=2\n", edit);
    run.exits(0);
    assert_eq!(after, "k=0\n[t]\nk=9\n");
    let edit =
        r#"{"filePath":"k.ini","operation":"delete","in":"t","target":{"section":"t","key":"k"}}"#;
    apply_edits("k.ini", "k=0\n[t]\nk=2\n", edit).0.exits(2);
}

#[test]
fn a_renamed_anchor_must_be_in_the_scope() {
    let before = "# A\n\n## X\n\n# B\n\n## Y\n";
    let arguments = ["rename", "--in", "B", "--anchor", "x", "-c", "Z"];
    let (run, after) = edited("s.md", before, &arguments);
    run.exits(1);
    assert_eq!(after, before);
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
