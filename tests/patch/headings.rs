//! Headings as targets, and their new names.

use super::LINKED;
use crate::support::Sandbox;
use crate::support::edits::{
    check_edit, check_edit_and_undo, check_refused, check_text_edit, check_text_refusal,
};

#[test]
fn headings_keep_their_form_when_renamed() {
    check_edit_and_undo(
        "a.md",
        "A *b*\n===\n",
        &["rename", "--heading", "A b", "-c", "C"],
        "C\n===\n",
    );
    check_edit_and_undo(
        "a.md",
        "## A ## \n",
        &["rename", "--heading", "A", "-c", "## B"],
        "## B ## \n",
    );
    check_edit_and_undo(
        "a.md",
        "# A {#id}\n",
        &["rename", "--heading", "A", "-c", "B"],
        "# B {#id}\n",
    );
    check_refused(
        "a.md",
        "# A\n",
        &["rename", "--heading", "A", "-c", "## B"],
        2,
        "INVALID_ARGUMENT",
    );
    check_refused(
        "a.md",
        "A\n===\n",
        &["rename", "--heading", "A", "-c", "- b"],
        2,
        "INVALID_ARGUMENT",
    );
}

#[test]
fn a_heading_inside_a_fence_is_not_a_target() {
    let text = b"# A\n\n```sh\n# Setup\n```\n\n~~~\n## B\n~~~\n\n    # Code\n\n## B\n\nx\n";
    check_refused("a.md", text, &["delete", "--section", "Setup"], 1, "TARGET_NOT_FOUND");
    check_refused("a.md", text, &["rename", "--heading", "Code", "-c", "x"], 1, "TARGET_NOT_FOUND");
    let after = b"# A\n\n```sh\n# Setup\n```\n\n~~~\n## B\n~~~\n\n    # Code\n\n## C\n\nx\n";
    check_edit("a.md", text, &["rename", "--heading", "## B", "-c", "C"], after);
    let ini = b"[a]\n; [b]\nk = [c]\n";
    check_refused("a.ini", ini, &["delete", "--section", "b"], 1, "TARGET_NOT_FOUND");
}

#[test]
fn headings_of_windows_documents_are_targets() {
    let text = b"# A\r\n\r\n## B\r\n\r\nx\r\n\r\nC\r\n---\r\n\r\ny\r\n";
    let rename = |name| ["rename", "--heading", name, "-c", "New"];
    check_edit(
        "a.md",
        text,
        &rename("B"),
        b"# A\r\n\r\n## New\r\n\r\nx\r\n\r\nC\r\n---\r\n\r\ny\r\n",
    );
    check_edit(
        "a.md",
        text,
        &rename("C"),
        b"# A\r\n\r\n## B\r\n\r\nx\r\n\r\nNew\r\n---\r\n\r\ny\r\n",
    );
    check_edit(
        "a.md",
        text,
        &["append", "--section", "B", "-c", "one\ntwo\n"],
        b"# A\r\n\r\n## B\r\n\r\nx\r\n\r\none\r\ntwo\r\n\r\nC\r\n---\r\n\r\ny\r\n",
    );
    let block = b"```sh\r\nmake\r\n```\r\n";
    check_edit(
        "a.md",
        block,
        &["replace", "--code-block", "0", "-c", "a\nb"],
        b"```sh\r\na\r\nb\r\n```\r\n",
    );
}

#[test]
fn closing_marks_and_indentation_are_not_part_of_a_heading() {
    let text = b"   ## A ###\n\nx\n\n ### B #\n";
    check_edit(
        "a.md",
        text,
        &["rename", "--heading", "A", "-c", "Z"],
        b"   ## Z ###\n\nx\n\n ### B #\n",
    );
    check_edit("a.md", text, &["delete", "--section", "### B"], b"   ## A ###\n\nx\n");
}

#[test]
fn a_mark_that_belongs_to_a_name_is_kept() {
    let text = b"## C#\n\nx\n\n## C\n";
    check_edit("a.md", text, &["delete", "--section", "C#"], b"## C\n");
    check_edit("a.md", text, &["delete", "--section", "C"], b"## C#\n\nx\n");
    check_edit("a.md", text, &["rename", "--heading", "C#", "-c", "F#"], b"## F#\n\nx\n\n## C\n");
    // A number sign at the end of the text would be read as the closing mark of the heading.
    check_refused("a.md", text, &["rename", "--heading", "C", "-c", "A #"], 2, "INVALID_ARGUMENT");
}

#[test]
fn underlined_headings_after_lists_and_front_matter_are_targets() {
    let text = b"---\nk: v\n---\nA\n===\n\n- item\n\nB\n---\nx\n";
    let rename = |name| ["rename", "--heading", name, "-c", "New"];
    check_edit("a.md", text, &rename("A"), b"---\nk: v\n---\nNew\n===\n\n- item\n\nB\n---\nx\n");
    check_edit("a.md", text, &rename("B"), b"---\nk: v\n---\nA\n===\n\n- item\n\nNew\n---\nx\n");
    check_edit("a.md", text, &["delete", "--section", "B"], b"---\nk: v\n---\nA\n===\n\n- item\n");
    let insert = ["insert", "--heading", "B", "-c", "y"];
    check_edit("a.md", text, &insert, b"---\nk: v\n---\nA\n===\n\n- item\n\nB\n---\n\ny\n\nx\n");
}

#[test]
fn a_heading_is_renamed_to_the_requested_text() {
    let refused = |before: &str, name: &str, new: &str| {
        check_refused(
            "a.md",
            before,
            &["rename", "--heading", name, "-c", new],
            2,
            "INVALID_ARGUMENT",
        );
    };
    refused("## A\n", "A", "C #");
    refused("> A\n> ===\n", "A", "- x");
    refused("A\n---\n", "A", "> x");
    refused("A\n---\n", "A", "[x]: /y");
    refused("# A\n", "A", "a\nb");
}

#[test]
fn a_heading_is_not_renamed_to_nothing() {
    let text = "# Top\n\n## Old\n";
    for content in ["", "## ", "##"] {
        check_refused("a.md", text, &["rename", "--heading", "Old", "-c", content], 2, "empty");
    }
}

#[test]
fn renaming_a_heading_does_not_change_its_marks() {
    for (before, after) in [
        ("# T\n\n1. # 1\n", "# T\n\n1. # New\n"),
        ("## # ##\n", "## New ##\n"),
        ("10. ## 1\n", "10. ## New\n"),
        ("> # >\n", "> # New\n"),
    ] {
        let line = before.matches('\n').count();
        let sandbox = Sandbox::with(&[("r.md", before)]);
        let address = format!("r.md:{line}");
        sandbox.run(&["patch", "rename", &address, "-c", "New"]).exits(0);
        assert_eq!(std::fs::read_to_string(sandbox.path("r.md")).unwrap(), after);
    }
}

#[test]
fn a_rename_keeps_the_ids_of_its_heading() {
    let renamed = |before: &str, after: &str| {
        let arguments = ["rename", "--lines", "1", "-c", "New"];
        check_text_edit("a.md", &format!("{before}\n"), &arguments, &format!("{after}\n"));
    };
    renamed("## <a id=\"x\"></a> Old {#y}", "## <a id=\"x\"></a> New {#y}");
    renamed("## Old <a name='x'></a>", "## New <a name='x'></a>");
    renamed("## O<a id=\"x\"></a>ld", "## <a id=\"x\"></a>New");
    renamed("## <a id=\"x\">Old</a>", "## <a id=\"x\">New</a>");
    renamed("## `<a id=\"x\">` old", "## New");
    renamed("## Old <b>bold</b>", "## New");
    let rename = ["rename", "--heading", "Setup", "--links-in", "a.md", "-c"];
    let with = |content| [&rename[..], &[content]].concat();
    let after = LINKED.replace("Setup {", "New {").replace("(#setup)", "(#new)");
    check_text_edit("a.md", LINKED, &with("New"), &after).succeeds();
    // If the new heading has its own id, links to the old ids are changed to it.
    let with_id = LINKED.replace("Setup {#su}", "New {#own}").replace("(#setup)", "(#new)");
    check_text_edit("a.md", LINKED, &with("New {#own}"), &with_id.replace("(#su)", "(#own)"));
    check_text_refusal("a.md", LINKED, &with(" \t"), 2, "the content is empty");
}
