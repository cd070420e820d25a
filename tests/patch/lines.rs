//! Edits by line number, and the indentation of their content.

use serde_json::json;

use super::{LINES, patch};
use crate::support::edits::{Bytes, check_edit, check_refused, check_text_edit, edit};
use crate::support::{Sandbox, checksum};

#[track_caller]
fn check_lines(arguments: &[&str], after: &str, range: Option<(u64, u64)>) {
    let sandbox = Sandbox::with(&[("a.txt", LINES)]);
    let preview = sandbox.run(&[&["patch"], arguments, &["--json", "--dry-run"]].concat());
    let preview = preview.succeeds().json();
    assert_eq!(preview["status"], "preview");
    assert!(preview["diff"].as_str().unwrap().starts_with("--- a/a.txt\n+++ b/a.txt\n@@ "));
    assert_eq!(sandbox.text("a.txt"), LINES);
    let record = patch(&sandbox, &[arguments, &["--diff", "--checksum"]].concat());
    assert_eq!(record["diff"], preview["diff"]);
    assert_eq!(sandbox.text("a.txt"), after);
    assert_eq!(record["checksumBefore"].as_str().unwrap(), checksum(LINES));
    assert_eq!(record["checksum"].as_str().unwrap(), checksum(after));
    let range = range.map(|(start, end)| json!({"start": start, "end": end}));
    assert_eq!(record.get("resultLines"), range.as_ref());
}

#[test]
fn lines_are_inserted_replaced_and_deleted() {
    check_lines(
        &["insert", "a.txt:2", "--before", "-c", "x\ny"],
        "one\nx\ny\ntwo\nthree\nfour\n",
        Some((2, 3)),
    );
    check_lines(
        &["insert", "a.txt:2-3", "--after", "-c", "x"],
        "one\ntwo\nthree\nx\nfour\n",
        Some((4, 4)),
    );
    check_lines(&["replace", "a.txt:2-3", "-c", "x"], "one\nx\nfour\n", Some((2, 2)));
    check_lines(&["delete", "a.txt:2-3"], "one\nfour\n", None);
    check_lines(&["delete", "a.txt", "--lines", "4"], "one\ntwo\nthree\n", None);
}

#[test]
fn content_gets_the_indentation_of_the_first_line() {
    let source = "def f():\n    if x:\n\treturn\n";
    let check = |arguments: &[&str], after: &str| {
        let sandbox = Sandbox::with(&[("a.py", source)]);
        patch(&sandbox, &[&[arguments[0], "a.py"], &arguments[1..]].concat());
        assert_eq!(sandbox.text("a.py"), after, "{arguments:?}");
    };
    let content = "while y:\n    z()";
    let replaced = "def f():\n    while y:\n        z()\n\treturn\n";
    check(&["replace", "--lines", "2", "-c", content], replaced);
    check(&["replace", "--lines", "2", "--preserve-indent", "-c", content], replaced);
    let plain = ["insert", "--lines", "3", "--after", "--no-preserve-indent", "-c", "x = 1"];
    check(&plain, &format!("{source}x = 1\n"));
    check(&["insert", "--lines", "3", "-c", "pass"], "def f():\n    if x:\n\tpass\n\treturn\n");
}

#[test]
fn indented_content_is_unchanged() {
    let function = "def f():\n    pass\n";
    let docstring = ["insert", "--lines", "1", "--after", "-c", "    \"\"\"Doc.\"\"\""];
    check_text_edit("p.py", function, &docstring, "def f():\n    \"\"\"Doc.\"\"\"\n    pass\n");
    let none = ["insert", "--lines", "2", "-c", "x = 1\nif x:\n    y()"];
    check_text_edit(
        "p.py",
        function,
        &none,
        "def f():\n    x = 1\n    if x:\n        y()\n    pass\n",
    );
    let code = ["insert", "--lines", "3", "--after", "-c", "\n    code\n    more"];
    check_text_edit("i.md", "# A\n\ntext\n", &code, "# A\n\ntext\n\n    code\n    more\n");
    let replaced = ["replace", "--lines", "3", "-c", "    code"];
    check_text_edit("i.md", "# A\n\ntext\n", &replaced, "# A\n\n    code\n");
}

#[test]
fn there_is_no_line_after_the_final_line_ending() {
    check_refused("a.txt", b"a\nb\n", &["delete", "--lines", "3"], 1, "LINE_OUT_OF_RANGE");
    check_refused("a.txt", b"", &["delete", "--lines", "1"], 1, "LINE_OUT_OF_RANGE");
    check_edit("a.txt", b"a\nb\n", &["append", "-c", "c"], b"a\nb\nc\n");
    check_edit("a.txt", b"a\nb\n", &["insert", "--lines", "2", "--after", "-c", "c"], b"a\nb\nc\n");
    let edited = check_edit("a.txt", b"a\nb\n", &["delete", "--lines", "2-"], b"a\n");
    assert_eq!(edited.records[0]["note"], "File now has 1 line (was 2)");
}

#[test]
fn line_0_is_an_error() {
    for lines in ["0", "0-1", "-1", "1-0", "", "1.5", "18446744073709551616"] {
        let lines = format!("--lines={lines}");
        let edited = edit("a.txt", b"a\nb\n", &["delete", &lines]);
        assert_eq!(edited.status, 2, "{lines}: {}", edited.errors);
        assert_eq!(edited.after, Bytes(b"a\nb\n".to_vec()));
    }
    let edits =
        r#"{"filePath":"a.txt","operation":"delete","target":{"lines":{"start":0,"end":1}}}"#;
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    sandbox
        .run_with_input(&["patch", "apply", "-", "--json"], edits)
        .exits(2)
        .tells("INVALID_RANGE");
}

#[test]
fn lines_past_the_end_are_refused_except_in_an_open_range() {
    check_refused("a.txt", "a\nb\n", &["delete", "--lines", "2-9"], 1, "LINE_OUT_OF_RANGE");
    check_refused("a.txt", "a\nb\n", &["replace", "--lines=3-", "-c", "x"], 1, "LINE_OUT_OF_RANGE");
    check_edit("a.txt", "a\nb\n", &["delete", "--lines", "2-"], "a\n");
}
