//! Parts and whole files that are moved or copied.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::apply_edits;
use crate::support::edits::{Bytes, check_edit, check_refused, edit};
use crate::support::{Outcome, Sandbox};

#[track_caller]
fn shows(run: &Outcome, part: &str) {
    assert!(String::from_utf8_lossy(&run.stdout).contains(part), "expected: {part}\n{run}");
}

#[test]
fn a_file_is_moved_and_the_move_is_undone() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n\ntext"), ("dir/x.md", "x\n")]);
    fs::set_permissions(sandbox.path("a.md"), fs::Permissions::from_mode(0o751)).unwrap();
    let json = sandbox.run(&["patch", "move", "a.md", "--to", "dir/b.md", "--json"]).succeeds();
    assert_eq!(json.json_lines()[0]["to"]["filePath"], "dir/b.md");
    let text = |name: &str| fs::read_to_string(sandbox.path(name)).ok();
    assert_eq!(text("dir/b.md").as_deref(), Some("# A\n\ntext"));
    assert_eq!(text("a.md"), None);
    let mode = fs::metadata(sandbox.path("dir/b.md")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o751);
    sandbox.run(&["undo"]).succeeds();
    assert_eq!((text("a.md").as_deref(), text("dir/b.md")), (Some("# A\n\ntext"), None));
    sandbox.run(&["redo"]).succeeds();
    assert_eq!((text("a.md"), text("dir/b.md").as_deref()), (None, Some("# A\n\ntext")));
}

#[test]
fn several_files_of_any_kind_are_moved_into_a_directory() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n"), ("b.md", "# B\n"), ("dir/x.md", "x\n")]);
    fs::write(sandbox.path("p.png"), b"\x89PNG\0\xff").unwrap();
    let run = sandbox.run(&["patch", "move", "a.md", "b.md", "p.png", "--to", "dir"]).exits(0);
    shows(&run, "a.md: moved to dir/a.md\nb.md: moved to dir/b.md\np.png: moved to dir/p.png");
    assert_eq!(fs::read(sandbox.path("dir/p.png")).unwrap(), b"\x89PNG\0\xff");
    assert!(!sandbox.path("b.md").exists());
}

#[test]
fn an_edit_of_the_same_run_is_moved_with_the_file() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n\nold\n")]);
    let edits = r#"[{"filePath":"a.md","operation":"replace","target":{"text":"old"},"content":"new"},
        {"filePath":"a.md","operation":"move","to":"b.md"}]"#;
    sandbox.write("edits.json", edits);
    let run = sandbox.run(&["patch", "apply", "edits.json", "--dry-run"]).exits(0);
    shows(&run, "rename from a.md\nrename to b.md\n--- a/a.md\n+++ b/b.md\n@@ -1,3 +1,3 @@");
    shows(&run, "+new");
    assert!(sandbox.path("a.md").exists());
    sandbox.run(&["patch", "apply", "edits.json"]).succeeds();
    assert_eq!(fs::read_to_string(sandbox.path("b.md")).unwrap(), "# A\n\nnew\n");
    let edits = format!(r#"{{"sequential":true,"edits":{edits}}}"#).replace("a.md", "b.md");
    sandbox.write("edits.json", edits.replace("old", "new"));
    sandbox.run(&["patch", "apply", "edits.json"]).exits(2);
}

#[test]
fn a_move_overwrites_and_creates_nothing_else() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n"), ("b.md", "# B\n"), ("d/x.md", "x\n")]);
    std::os::unix::fs::symlink("a.md", sandbox.path("link.md")).unwrap();
    let refused = |arguments: &[&str], message: &str| {
        sandbox.run(&[&["patch", "move"], arguments].concat()).exits(2).tells(message);
        assert_eq!(fs::read_to_string(sandbox.path("a.md")).unwrap(), "# A\n");
    };
    refused(&["a.md", "--to", "b.md"], "already exists");
    refused(&["a.md", "--to", "b.md"], "--to b.md --whole-file");
    refused(&["a.md", "--to", "a.md"], "already exists");
    refused(&["a.md", "--to", "."], "already exists");
    refused(&["a.md", "--to", "gone/b.md"], "--to gone/b.md --parents");
    refused(&["a.md", "--to", "gone/"], "--to gone/ --parents");
    refused(&["link.md", "--to", "c.md"], "it is a symlink");
    refused(&["a.md", "b.md", "--to", "c.md"], "two files would be moved to this path");
    refused(&["a.md", "link.md", "--to", "d"], "it is a symlink");
    refused(&["a.md", "--to", "c.md", "--backup"], "--backup");
    refused(&["a.md", "--to", "c.md", "--before"], "--before");
    refused(&["a.md", "--to", "c.md", "--root", "d"], "outside");
    refused(&["d", "--to", "e"], "Is a directory");
}

#[test]
fn a_name_that_differs_only_in_case_is_a_different_name() {
    let sandbox = Sandbox::with(&[("readme.md", "# R\n")]);
    if sandbox.path("README.md").exists() {
        return;
    }
    sandbox.run(&["patch", "move", "readme.md", "--to", "README.md"]).succeeds();
    assert_eq!(fs::read_to_string(sandbox.path("README.md")).unwrap(), "# R\n");
    assert!(!sandbox.path("readme.md").exists());
}

#[test]
fn missing_directories_are_created_on_request() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n"), ("b.md", "# B\n")]);
    let edit = r#"{"filePath":"b.md","operation":"move","to":"far/b.md"}"#;
    sandbox.write("edits.json", edit);
    sandbox
        .run(&["patch", "apply", "edits.json"])
        .exits(2)
        .tells("hint: folio patch apply edits.json --parents  # to create the directory\n");
    let hint = "hint: folio patch move a.md --to new/dir/ --parents  # to create the directory\n";
    sandbox.run(&["patch", "move", "a.md", "--to", "new/dir/"]).exits(2).tells(hint);
    let run = sandbox.run(&["patch", "move", "a.md", "--to", "new/dir/", "--parents", "-d"]);
    run.exits(2).tells("'new': a dry run does not create the directory");
    let run = sandbox.run(&["patch", "move", "a.md", "--to", "new/dir/", "--parents"]).exits(0);
    shows(&run, "a.md: moved to new/dir/a.md");
    run.tells("note: 'new/dir': created the directory\n");
    // If the edit fails, the directories are removed.
    let failed = ["patch", "move", "b.md", "--to", "x/y/", "--parents", "--if-match"];
    sandbox.run(&[&failed[..], &["0123456789abcdef"]].concat()).exits(4);
    assert!(sandbox.path("b.md").exists() && !sandbox.path("x").exists());
    sandbox.run(&["patch", "create", "c/d.md", "-c", "x", "--parents"]).exits(0);
    assert_eq!(fs::read_to_string(sandbox.path("c/d.md")).unwrap(), "x\n");
}

#[test]
fn paths_that_mdbook_includes_follow_a_moved_file() {
    let page = "{{#include ../inc/a.md:2:3}}\n\n```rust\n{{#rustdoc_include ../inc/a.md}}\n```\n\
        \\{{#include ../inc/a.md}} {{#include other.md}} {{#title ../inc/a.md}}\n";
    let sandbox = Sandbox::with(&[("src/page.md", page), ("inc/a.md", "a\nb\nc\n"), ("d/x", "")]);
    fs::create_dir(sandbox.path(".git")).unwrap();
    sandbox.run(&["patch", "move", "inc/a.md", "--to", "d/", "--links"]).exits(0);
    let text = |name: &str| fs::read_to_string(sandbox.path(name)).unwrap();
    let moved = page
        .replace("include ../inc/a.md:2:3", "include ../d/a.md:2:3")
        .replace("rustdoc_include ../inc", "rustdoc_include ../d");
    assert_eq!(text("src/page.md"), moved);
    sandbox.run(&["patch", "move", "src/page.md", "--to", ".", "--links"]).exits(0);
    let moved = moved.replace("include ../d/", "include d/").replace("other", "src/other");
    assert_eq!(text("page.md"), moved);
    // mdBook does not decode paths, so a path that would need encoding is only reported.
    fs::create_dir(sandbox.path("e f")).unwrap();
    let run = sandbox.run(&["patch", "move", "d/a.md", "--to", "e f/", "--links"]).exits(0);
    run.tells("2 links");
}

#[test]
fn parts_are_moved_to_new_files() {
    let sandbox =
        Sandbox::with(&[("a.md", "# A\n\na\n\n# B\n\nb\n\n# C\n\nc"), ("notes.md", "x\n")]);
    let text = |name: &str| fs::read_to_string(sandbox.path(name)).ok();
    let run = ["patch", "move", "a.md", "--section", "B", "--to"];
    let moved = sandbox.run(&[&run[..], &["archive.md"]].concat()).exits(0);
    shows(&moved, "a.md:5-7: moved 3 lines to archive.md:1-3; file created (undo: folio undo 1)");
    assert_eq!(text("archive.md").as_deref(), Some("# B\n\nb\n"));
    sandbox.run(&["undo"]).succeeds();
    assert_eq!((text("archive.md"), text("a.md").unwrap().contains("# B")), (None, true));
    let copy = ["patch", "copy", "a.md", "--section", "C", "--to", "d/e.md", "--parents"];
    sandbox.run(&copy).exits(0).tells("note: 'd': created the directory\n");
    assert_eq!(text("d/e.md").as_deref(), Some("# C\n\nc\n"));
    let edits = r#"[{"filePath":"a.md","operation":"move","target":{"section":"A"},"to":"two.md"},
        {"filePath":"a.md","operation":"move","target":{"section":"B"},"to":"two.md"}]"#;
    sandbox.write("edits.json", edits);
    sandbox.run(&["patch", "apply", "edits.json"]).succeeds();
    assert!(text("two.md").unwrap().ends_with("# B\n\nb\n"));
    assert_eq!(text("a.md").as_deref(), Some("# C\n\nc"));
}

#[test]
fn moving_a_part_to_its_own_place_changes_nothing() {
    for (to, side) in [("1", "--after"), ("2", "--before"), ("2", "--after"), ("3", "--before")] {
        let to = format!("--to=a.txt:{to}");
        let edited =
            check_edit("a.txt", "a\nb\nc\n", &["move", "--lines=2", &to, side], "a\nb\nc\n");
        assert_eq!(edited.records[0]["status"], "unchanged", "{to} {side}");
    }
    let edited =
        check_edit("a.txt", "a\nb\nc\n", &["move", "--lines=1", "--to=a.txt:2"], "b\na\nc\n");
    assert_eq!(edited.records[0]["status"], "success");
    assert_eq!(edited.records[0]["linesDelta"], 0);
    assert!(edited.records[0].get("note").is_none());
    let into = ["move", "--lines=1-2", "--to=a.txt:2", "--before"];
    check_refused("a.txt", "a\nb\nc\n", &into, 2, "into itself");
}

#[test]
fn moved_lines_arrive_unchanged() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n\na\n\n# B\n\nb\n"), ("b.md", "# Y\n")]);
    let run = sandbox.run(&["patch", "move", "a.md", "--section", "A", "--to", "b.md"]).exits(0);
    let output = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(output.starts_with("a.md:1-3: moved 3 lines to b.md:3-5"), "{output}");
}

#[test]
fn a_file_copied_or_moved_onto_itself_still_exists() {
    let text = b"a\nb\n";
    let sandbox = Sandbox::with(&[("a.txt", "a\nb\n")]);
    sandbox.run(&["patch", "copy", "a.txt", "--whole-file", "--to", "a.txt"]).exits(0);
    assert_eq!(fs::read(sandbox.path("a.txt")).unwrap(), b"a\nb\na\nb\n");
    let moved = edit("a.txt", text, &["move", "--whole-file", "--to", "a.txt"]);
    assert_eq!(moved.after, Bytes(text.to_vec()));
    let sandbox = Sandbox::with(&[("a.txt", "a\nb\n")]);
    sandbox.run(&["patch", "replace", "a.txt", "--whole-file", "-f", "a.txt"]).exits(0);
    assert_eq!(fs::read(sandbox.path("a.txt")).unwrap(), text);
    std::os::unix::fs::symlink("a.txt", sandbox.path("b.txt")).unwrap();
    sandbox.run(&["patch", "move", "a.txt:1", "--to", "b.txt"]).exits(0);
    assert_eq!(fs::read(sandbox.path("b.txt")).unwrap(), b"b\na\n");
    assert!(sandbox.path("b.txt").symlink_metadata().unwrap().is_symlink());
}

#[test]
fn parts_that_are_moved_to_a_new_file_are_separated() {
    let sandbox = Sandbox::with(&[("d/a.md", "N\n---\n\nx\n"), ("d/b.md", "N\n---\n\ny\n")]);
    sandbox.run(&["patch", "copy", "d", "--matching", "^N$", "--to", "c.md"]).exits(0);
    let text = fs::read_to_string(sandbox.path("c.md")).unwrap();
    assert_eq!(text, "N\n---\n\nx\n\nN\n---\n\ny\n");
}

#[test]
fn steps_can_move_parts_within_a_file() {
    let edits = r#"{"sequential":true,"edits":[
        {"address":"a.txt:1","operation":"replace","content":"A"},
        {"address":"a.txt:1","operation":"move","to":"a.txt:3"}]}"#;
    let (run, after) = apply_edits("a.txt", "a\nb\nc\n", edits);
    run.exits(0);
    assert_eq!(after, "b\nc\nA\n");
}

#[test]
fn a_diff_with_a_moved_file_can_be_applied() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n"), ("b.md", "[a](a.md)\n")]);
    let diff = sandbox.run(&["patch", "move", "a.md", "--to", "c.md", "--links", "-d"]).exits(0);
    assert!(diff.text().contains("rename to c.md\n\n--- a/b.md\n"), "{diff}");
}
