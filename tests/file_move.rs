//! Moves of whole files.

use std::fs;
use std::os::unix::fs::PermissionsExt;

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
    refused(&["a.md", "--to", "b.md"], "--whole-file --to b.md");
    refused(&["a.md", "--to", "a.md"], "already exists");
    refused(&["a.md", "--to", "."], "already exists");
    refused(&["a.md", "--to", "gone/b.md"], "mkdir -p gone");
    refused(&["a.md", "--to", "gone/"], "mkdir -p gone");
    refused(&["link.md", "--to", "c.md"], "it is a symlink");
    refused(&["a.md", "b.md", "--to", "c.md"], "two files would be moved to this path");
    refused(&["a.md", "a.md", "--to", "d"], "two files would be moved to this path");
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
