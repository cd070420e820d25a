//! Line endings, also of the last line, are preserved.

use serde_json::{Value, json};

use super::{check_batch, check_blank_lines};
use crate::support::Sandbox;
use crate::support::edits::{Edited, check_edit, check_edit_and_undo};

#[test]
fn line_endings_and_the_last_line_are_preserved() {
    check_edit_and_undo(
        "a.txt",
        "a\r\nb\r\nc",
        &["replace", "--lines", "2", "-c", "x\ny"],
        "a\r\nx\r\ny\r\nc",
    );
    check_edit_and_undo("a.txt", "a\nb", &["replace", "--lines", "2", "-c", "x\ny\n"], "a\nx\ny");
    check_edit_and_undo("a.txt", "a\r\nb", &["append", "-c", "c"], "a\r\nb\r\nc");
    check_edit_and_undo("a.txt", "a\nb", &["insert", "--lines", "2", "-c", "x"], "a\nx\nb");
    check_edit_and_undo(
        "a.txt",
        "a\r\nb\nc\r\n",
        &["replace", "--text", "a\nb", "-c", "x\ny"],
        "x\r\ny\nc\r\n",
    );
    check_edit_and_undo(
        "a.txt",
        "\u{feff}a\n",
        &["replace", "--lines", "1", "-c", "b"],
        "\u{feff}b\n",
    );
    check_edit_and_undo(
        "a.py",
        "def f():\n    a()\n",
        &["replace", "--lines", "2", "-c", "if x:\n    b()"],
        "def f():\n    if x:\n        b()\n",
    );
}

#[test]
fn mixed_line_endings_are_preserved() {
    let text = b"a\r\nb\nc\r\nd\n";
    check_edit("a.txt", text, &["replace", "--lines", "2", "-c", "x\ny"], b"a\r\nx\ny\nc\r\nd\n");
    check_edit("a.txt", text, &["replace", "--lines", "3", "-c", "x\ny"], b"a\r\nb\nx\r\ny\r\nd\n");
    check_edit("a.txt", text, &["replace", "--text", "b\nc", "-c", "z"], b"a\r\nz\r\nd\n");
    check_edit("a.txt", text, &["delete", "--text", "a"], b"\r\nb\nc\r\nd\n");
    check_edit("a.txt", text, &["insert", "--lines", "4", "-c", "x"], b"a\r\nb\nc\r\nx\nd\n");
    check_edit("a.txt", b"a\rb\n", &["replace", "--text", "b", "-c", "c"], b"a\rc\n");
}

#[test]
fn deleting_a_last_line_without_a_line_ending_leaves_no_blank_line() {
    let edited = check_edit("a.txt", "a\nb\nc", &["move", "--lines=3", "--to=a.txt"], "a\nb\nc");
    assert_eq!(edited.records[0]["status"], "unchanged");
    check_edit("a.txt", "a\nb\nc", &["move", "--lines=2-3", "--to=a.txt"], "a\nb\nc");
    check_edit("a.txt", "a\nb\nc", &["move", "--lines=1-3", "--to=a.txt"], "a\nb\nc");
    check_edit("a.txt", "a\nb\nc", &["move", "--lines=1", "--to=a.txt"], "b\nc\na");
    check_edit("a.txt", "a\nb\nc", &["move", "--lines=3", "--to=a.txt:1", "--before"], "c\na\nb\n");
    check_edit("a.txt", "a\nb\nc", &["copy", "--lines=3", "--to=a.txt"], "a\nb\nc\nc");
    let edits = json!([
        {"address": "a.txt:3", "operation": "delete"},
        {"address": "a.txt", "operation": "append", "content": "d"},
    ]);
    check_batch("a\nb\nc", &edits, "a\nb\nd");
}

#[test]
fn adding_a_line_ending_to_the_last_line_is_reported() {
    let said = |edited: &Edited| {
        let details = edited.records[0]["details"].as_array().cloned().unwrap_or_default();
        let is_it = |it: &&Value| it.as_str().is_some_and(|it| it.contains("line ending added"));
        details.iter().filter(is_it).count()
    };
    let edited = check_edit("a.md", "# A\n\na", &["append", "-c", "b"], "# A\n\na\n\nb");
    assert_eq!(said(&edited), 1);
    let edited = check_edit("a.txt", "a\nb\nc", &["move", "--lines=1", "--to=a.txt"], "b\nc\na");
    assert_eq!(said(&edited), 1);
    for (before, arguments, after) in [
        ("a\n", &["append", "-c", "b"][..], "a\nb\n"),
        ("a\nb", &["insert", "--lines", "2", "-c", "x"], "a\nx\nb"),
        ("a\nb", &["replace", "--lines", "2", "-c", "x"], "a\nx"),
        ("a\nb\nc", &["move", "--lines=3", "--to=a.txt"], "a\nb\nc"),
        ("a\nb\nc", &["move", "--lines=3", "--to=a.txt:1", "--before"], "c\na\nb\n"),
    ] {
        assert_eq!(said(&check_edit("a.txt", before, arguments, after)), 0, "{arguments:?}");
    }
    let text = |sandbox: &Sandbox, name| std::fs::read_to_string(sandbox.path(name)).unwrap();
    let sandbox = Sandbox::with(&[("a.md", "# A\n\na\n"), ("b.md", "# X\n\nx\n\n# Y\n\ny")]);
    // If a last line has no line ending, it gets one when it is inserted in the middle of another
    // file, but not at its end.
    sandbox.run(&["patch", "copy", "b.md", "--section", "Y", "--to", "a.md#a"]).exits(0);
    assert_eq!(text(&sandbox, "a.md"), "# A\n\na\n\n# Y\n\ny\n");
    let moved = sandbox.run(&["patch", "move", "a.md", "--section", "A", "--to", "b.md"]).exits(0);
    let said = "to b.md:9-11; line ending added to the old last line, the new one has none";
    assert!(moved.text().contains(said), "{moved}");
    assert_eq!(text(&sandbox, "b.md"), "# X\n\nx\n\n# Y\n\ny\n\n# A\n\na");
    sandbox.run(&["patch", "move", "b.md", "--section", "A", "--to", "a.md"]).exits(0);
    assert_eq!(text(&sandbox, "a.md"), "# Y\n\ny\n\n# A\n\na\n");
    assert_eq!(text(&sandbox, "b.md"), "# X\n\nx\n\n# Y\n\ny\n");
}

#[test]
fn a_carriage_return_at_the_end_of_content_is_not_text() {
    for (arguments, after) in [
        (["replace", "--lines", "1", "-c", "q\r"], "q\nb\n"),
        (["replace", "--text", "b", "-c", "q\r"], "a\nq\n"),
    ] {
        check_blank_lines("a\nb\n", &arguments, after, None);
    }
    let windows = ["replace", "-U", "--pattern", "a.*", "-c", "#"];
    check_blank_lines("xa\r\nb\r\n", &windows, "x#\r\nb\r\n", None);
}
