//! Texts and patterns as targets.

use serde_json::json;

use crate::support::Sandbox;
use crate::support::edits::{check_edit, check_refused, check_text_edit, check_text_refusal};

#[test]
fn a_unique_text_is_replaced() {
    let sandbox = Sandbox::with(&[("a.txt", "alpha\nbeta\nalpha beta\n")]);
    let edit = |old, new| {
        let texts = ["--text", old, "-c", new, "--unique", "--json"];
        sandbox.run(&[&["patch", "replace", "a.txt"], &texts[..]].concat())
    };
    let record = edit("alpha\nbeta", "one\ntwo\nthree").succeeds().json();
    assert_eq!(record["resultLines"], json!({"start": 1, "end": 3}));
    let after = "one\ntwo\nthree\nalpha beta\n";
    assert_eq!(sandbox.text("a.txt"), after);
    assert_eq!(edit("gamma", "delta").exits(1).json_error().code, "TARGET_NOT_FOUND");
    let several = edit("e", "E").exits(3).json_error();
    assert_eq!(several.code, "TARGET_AMBIGUOUS");
    let lines: Vec<u64> = several.candidates.iter().map(|candidate| candidate.line).collect();
    assert_eq!(lines, [1, 3, 3, 4]);
    assert_eq!(sandbox.text("a.txt"), after);
}

#[test]
fn different_spellings_are_found_only_on_request() {
    let flags = |text, flag| ["replace", "--text", text, "-c", "X", flag];
    let text = "foo  bar\n\tbaz\nit\u{2019}s \u{201c}q\u{201d} \u{2014} e\u{301}\n";
    let blanks = "foo bar\nbaz";
    check_refused("a.txt", text, &flags(blanks, "--force"), 1, "TARGET_NOT_FOUND");
    let after = text.replace("foo  bar\n\tbaz", "X");
    check_edit("a.txt", text, &flags(blanks, "--ignore-whitespace"), &after);
    let spelt = "it's \"q\"";
    check_refused("a.txt", text, &flags(spelt, "--ignore-case"), 1, "TARGET_NOT_FOUND");
    let after = text.replace("it\u{2019}s \u{201c}q\u{201d}", "X");
    check_edit("a.txt", text, &flags(spelt, "--normalize-unicode"), &after);
    let after = text.replace("e\u{301}", "X");
    check_edit("a.txt", text, &flags("\u{e9}", "--normalize-unicode"), &after);
    check_refused("a.txt", "ab\n", &flags("a b", "--ignore-whitespace"), 1, "TARGET_NOT_FOUND");
}

#[test]
fn deleting_empty_matches_is_reported() {
    let delete = ["delete", "--occurrence", "all", "--pattern"];
    let check = |pattern: &[&str], after: &str| {
        let edited = check_edit("a.txt", "a\n\nb\n", &[&delete[..], pattern].concat(), after);
        edited.records[0]["warnings"].to_string()
    };
    let warnings = check(&["^$"], "a\n\nb\n");
    assert!(warnings.contains("the matches are empty, so nothing is deleted"), "{warnings}");
    assert!(warnings.contains("with --multiline, as in '^\\\\n'"), "{warnings}");
    assert_eq!(check(&["^\\n", "--multiline"], "a\nb\n"), "null");
}

#[test]
fn a_group_in_the_content_without_expand_is_reported() {
    let sandbox = Sandbox::with(&[("a.txt", "foo=bar\n")]);
    let note = "in the content is literal; --expand inserts the group";
    for (pattern, content, is_noted) in
        [(r"(\w+)=(\w+)", "$2=x", true), (r"\w+", "$1", false), (r"(\w+)=", "$HOME", false)]
    {
        let edit = [
            "patch",
            "replace",
            "a.txt",
            "-e",
            pattern,
            "-c",
            content,
            "--occurrence",
            "all",
            "-d",
        ];
        let outcome = sandbox.run(&edit).exits(0);
        assert_eq!(outcome.errors().contains(note), is_noted, "{outcome}");
    }
}

#[test]
fn a_backslash_and_an_n_are_two_characters() {
    let text = b"print(\"a\\nb\")\n";
    check_edit(
        "a.txt",
        text,
        &["replace", "--text", "a\\nb", "-c", "x\\ty"],
        b"print(\"x\\ty\")\n",
    );
    check_edit("a.txt", text, &["replace", "--lines", "1", "-c", "\\n\\r\\0"], b"\\n\\r\\0\n");
    check_refused("a.txt", b"a\nb\n", &["delete", "--text", "a\\nb"], 1, "TARGET_NOT_FOUND");
    check_edit("a.txt", b"a.b\n", &["replace", "--pattern", "\\.", "-c", "\\1"], b"a\\1b\n");
}

#[test]
fn an_invalid_pattern_is_reported() {
    for pattern in ["(", "[a", "a{2,1}", "(?P<x", "\\"] {
        let pattern = format!("--pattern={pattern}");
        check_refused("a.txt", b"a\n", &["delete", &pattern], 2, "INVALID_PATTERN");
    }
}

#[test]
fn an_empty_text_is_refused_and_empty_matches_end() {
    check_refused("a.txt", b"ab\n", &["replace", "--text", "", "-c", "x"], 2, "INVALID_ARGUMENT");
    let all = ["--occurrence", "all"];
    let every = |pattern| [&["replace", "--pattern", pattern, "-c", "-"], &all[..]].concat();
    check_edit("a.txt", b"ab\n", &every("x*"), b"-a-b-\n");
    check_edit("a.txt", b"ab\n\nc", &every("^"), b"-ab\n-\n-c");
    check_edit("a.txt", b"ab\r\n\r\nc\r\n", &every("$"), b"ab-\r\n-\r\nc-\r\n");
}

#[test]
fn a_pattern_may_match_several_lines() {
    let over = ["replace", "--pattern", "one\\n(t)wo$", "-c", "$1\nx", "--expand", "-U"];
    check_text_edit("a.txt", "zero\none\ntwo\nthree\n", &over, "zero\nt\nx\nthree\n");
    check_text_edit("a.txt", "one\r\ntwo\r\n", &over, "t\r\nx\r\n");
    let after = ["insert", "--pattern", "o\\w+\\nt", "-c", "X", "--after", "--multiline"];
    check_text_edit("a.txt", "one\ntwo\n", &after, "one\ntXwo\n");
    let without = ["replace", "--pattern", "one\\ntwo", "-c", "x"];
    check_text_refusal("a.txt", "one\ntwo\n", &without, 2, "--multiline  # to match across lines");
    let text = ["replace", "--text", "one", "-c", "x", "-U"];
    check_text_refusal("a.txt", "one\ntwo\n", &text, 2, "--multiline needs --pattern");
    let empty = ["replace", "--pattern", " *", "-c", "_", "--occurrence", "all"];
    check_text_edit("a.txt", "d\u{e9} j\n", &empty, "_d_\u{e9}_j_\n");
    let sandbox = Sandbox::with(&[("a.txt", "one\ntwo\n")]);
    let edit = r#"{"filePath":"a.txt","operation":"delete","target":{"pattern":"e\\nt"},"multiline":true}"#;
    sandbox.run_with_input(&["patch", "apply", "-"], edit).exits(0);
    assert_eq!(std::fs::read_to_string(sandbox.path("a.txt")).unwrap(), "onwo\n");
}

#[test]
fn a_text_that_overlaps_itself_is_ambiguous() {
    for (text, old) in [("aaa\n", "aa"), ("xyxyx\n", "xyx"), ("x\nx\nx\n", "x\nx\n")] {
        let sandbox = Sandbox::with(&[("a.txt", text)]);
        let arguments = ["patch", "replace", "a.txt", "--text", old, "-c", "new"];
        sandbox.run(&arguments).exits(3).tells("--occurrence first");
        sandbox.run(&[&arguments[..], &["--occurrence", "first"]].concat()).succeeds();
    }
}

/// Content is inserted next to the lines of a match, once for several matches on a line.
#[test]
fn text_is_inserted_next_to_the_line_of_a_match() {
    let text = "x\n  a b\n  b b\r\ny";
    let after = ["insert", "--text", "b", "-c", "new", "--occurrence", "all"];
    check_text_edit("a.txt", text, &after, "x\n  a b\n  new\n  b b\r\n  new\r\ny");
    let before = [&after[..], &["--before"]].concat();
    check_text_edit("a.txt", text, &before, "x\n  new\n  a b\n  new\r\n  b b\r\ny");
    let lines = ["insert", "--text", "b\n  b", "-c", "new"];
    check_text_edit("a.txt", &text.replace('\r', ""), &lines, "x\n  a b\n  b b\n  new\ny");
    for part in [["--lines", "1"], ["--pattern", "a"]] {
        let needs = [&["insert", "-c", "new", "--inline"], &part[..]].concat();
        check_text_refusal("a.txt", text, &needs, 2, "--inline needs --text");
    }
}
