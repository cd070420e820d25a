//! The tool `patch`: its reports, hints and parameters.

use serde_json::json;

use super::{Client, TAGGED_GUIDE};
use crate::support::Sandbox;

/// Agents do not need dry runs, because the answer shows what was kept and how to undo the edit.
#[test]
fn edits_report_what_they_kept_and_how_to_undo_them() {
    let sandbox = Sandbox::with(&[
        ("a.ini", "[s]\nk = 1 # note\n"),
        ("a.md", TAGGED_GUIDE),
        ("a.txt", "x"),
        ("b.yml", "k: 'a' # note\n"),
    ]);
    let mut client = Client::new(&sandbox, &[]);
    for (arguments, expected) in [
        (
            json!({"operation": "set", "address": "a.ini", "section": "s", "key": "k",
                "content": "2"}),
            "a.ini:2: set s.k: 1 → 2; comment kept (undo 1 restores it)\n",
        ),
        (
            json!({"operation": "replace", "address": "a.md", "code_block": "sh:0",
                "content": "```\n"}),
            "a.md:10-12: replaced 3 lines; fence lengthened to 4 characters (undo 2 restores it)\n",
        ),
        (
            json!({"operation": "append", "address": "a.txt", "content": "y"}),
            "a.txt:2: appended 1 line; line ending added to the old last line, the new one has \
             none (undo 3 restores it)\n",
        ),
        (
            json!({"operation": "append", "address": "a.md", "content": "\n"}),
            "a.md:21: appended 1 empty line (undo 4 restores it)\n",
        ),
        (
            json!({"operation": "set", "address": "b.yml", "key": "k", "content": "b"}),
            "b.yml:1: set k: a → b; comment kept (undo 5 restores it)\n",
        ),
    ] {
        assert_eq!(client.call("patch", arguments).first(), expected);
    }
}

#[test]
fn hints_of_patch_are_its_parameters() {
    let sandbox = Sandbox::with(&[("one/a.md", "# A\n"), ("two/a.md", "# A\n")]);
    let mut client = Client::new(&sandbox, &["--root", "one", "--root", "two"]);
    let edit = json!({"operation": "delete", "address": "a.md", "lines": "1"});
    client
        .call("patch", edit)
        .fails(r#"hint: patch {"address":"one/a.md","lines":"1","operation":"delete"}"#);
    let mut client = Client::new(&sandbox, &[]);
    let edit = json!({"operation": "create", "address": "new/a.md", "content": "x"});
    client.call("patch", edit).fails(
        r#"hint: patch {"address":"new/a.md","content":"x","operation":"create","parents":true}"#,
    );
}

#[test]
fn excluding_one_side_selects_the_other() {
    let sandbox = Sandbox::with(&[("a.txt", "one\ntwo\n")]);
    let mut client = Client::new(&sandbox, &[]);
    let edit = json!({"operation": "insert", "address": "a.txt:1", "content": "new",
        "before": false});
    client.call("patch", edit);
    assert_eq!(std::fs::read_to_string(sandbox.path("a.txt")).unwrap(), "one\nnew\ntwo\n");
    // A call may give every parameter its default.
    let edit = json!({"operation": "insert", "filePath": "a.txt", "lines": "1", "content": "new",
        "before": false, "after": false});
    client.call("patch", json!({"operation": "apply", "edits": [edit]}));
    assert_eq!(std::fs::read_to_string(sandbox.path("a.txt")).unwrap(), "new\none\nnew\ntwo\n");
}

#[test]
fn edits_of_many_files_are_summarized() {
    let sandbox = Sandbox::new();
    for file in 0..12 {
        sandbox.write(format!("{file}.md"), "# A\n\nold\n");
    }
    let mut client = Client::new(&sandbox, &[]);
    let edit = json!({"operation": "insert", "address": ".", "kind": ["file"], "content": "end"});
    let answer = client.call("patch", edit).text();
    assert_eq!(answer, "12 edits in 12 files, 1 line each (undo 1 restores them)\n");
    assert!(std::fs::read_to_string(sandbox.path("7.md")).unwrap().ends_with("old\n\nend\n"));
    let edit = json!({"operation": "replace", "address": ".", "text": "old", "content": "new"});
    let answer = client.call("patch", edit).text();
    assert_eq!(answer, "12 places in 12 files, 1 line each (undo 2 restores them)\n");
    let edit = json!({"operation": "append", "address": ".", "glob": ["*.md"], "content": "x"});
    let refused = client.call("patch", edit).fails("glob chooses files below a directory");
    assert!(
        refused.contains(
            r#""kind":["file"],"operation":"append"}  # to insert or append in every file"#
        )
    );
}

#[test]
fn updated_links_are_previewed_without_context() {
    let sandbox = Sandbox::with(&[
        ("a.md", "# A\n\ntext\n"),
        ("b.md", "# B\n\nbefore\n[a](a.md#a)\nafter\n"),
    ]);
    std::fs::create_dir(sandbox.path(".git")).unwrap();
    let mut client = Client::new(&sandbox, &[]);
    let edit = json!({"operation": "rename", "address": "a.md", "heading": "A", "content": "N",
        "links": true, "dry_run": true});
    let diff = client.call("patch", edit).first();
    let links = "--- a/b.md\n+++ b/b.md\n@@ -4 +4 @@\n-[a](a.md#a)\n+[a](a.md#n)\n";
    assert!(diff.ends_with(links) && diff.contains("@@ -1,3 +1,3 @@\n-# A\n"), "{diff}");
}

#[test]
fn a_text_that_occurs_several_times_in_several_files_is_one_error() {
    let sandbox = Sandbox::new();
    for file in 0..6 {
        sandbox.write(format!("{file}.md"), "old\nold\n");
    }
    let mut client = Client::new(&sandbox, &[]);
    let edit = json!({"operation": "replace", "address": ".", "text": "old", "content": "new"});
    let expected = "TARGET_AMBIGUOUS: '0.md': 'old' occurs 2 times; the same in 5 other files: \
        1.md, 2.md, 3.md and 2 more\n  line 1: old\n  line 2: old\n\
        hint: patch {\"address\":\".\",\"content\":\"new\",\"occurrence\":\"all\",\
        \"operation\":\"replace\",\"text\":\"old\"}  # all of them, in all files";
    assert_eq!(client.call("patch", edit).blocks()[0], expected);
}

#[test]
fn edits_may_be_applied_one_after_the_other() {
    let sandbox = Sandbox::with(&[("a.yml", "k: 1\n")]);
    let mut client = Client::new(&sandbox, &[]);
    let set =
        |key: &str| json!({"filePath": "a.yml", "operation": "set", "key": key, "content": "1"});
    let edits = json!([set("x.y"), set("x.z")]);
    let refused = client.call("patch", json!({"operation": "apply", "edits": edits})).blocks();
    let refused = refused[0].clone();
    assert!(refused.contains("OVERLAPPING_EDITS") && refused.contains("sequential"), "{refused}");
    let more = json!({"sequential": true});
    client.call("patch", json!({"operation": "apply", "edits": edits, "options": more})).text();
    let text = std::fs::read_to_string(sandbox.path("a.yml")).unwrap();
    assert_eq!(text, "k: 1\nx:\n  y: 1\n  z: 1\n");
    let single = json!({"operation": "set", "address": "a.yml", "key": "k", "content": "2",
        "sequential": true});
    let expected = "edits and sequential can only be used with apply";
    assert!(client.call("patch", single).text().contains(expected));
}
