//! Files that are created, replaced completely, or kept as backups, and edited standard input.

use serde_json::json;

use super::{API, check_refused_with_hint, files, patch};
use crate::support::Sandbox;

#[test]
fn a_file_is_created_once() {
    let sandbox = Sandbox::new();
    let record = patch(&sandbox, &["create", "new.md", "-c", "# New\n"]);
    assert_eq!((&record["status"], &record["linesDelta"]), (&json!("success"), &json!(1)));
    assert_eq!(sandbox.text("new.md"), "# New\n");
    check_refused_with_hint(
        &sandbox,
        &["create", "new.md", "-c", "# Other\n"],
        2,
        "INVALID_ARGUMENT",
    );
    assert_eq!(sandbox.text("new.md"), "# New\n");
    // Missing directories are not created.
    check_refused_with_hint(&sandbox, &["create", "far/new.md", "-c", "x"], 2, "NOT_FOUND")
        .tells("--parents");
    assert!(!sandbox.path("far").exists());
    sandbox.run(&["patch", "create", "later.md", "-c", "x", "--dry-run"]).exits(0);
    assert!(!sandbox.path("later.md").exists());
}

#[test]
fn the_old_file_is_kept_on_request() {
    let sandbox = files();
    let edit = ["replace", "API.md", "--text", "End.", "-c", "Fin."];
    let record = patch(&sandbox, &[&edit[..], &["--backup"]].concat());
    assert_eq!(sandbox.text("API.md.bak"), API);
    assert!(record["backupPath"].as_str().unwrap().ends_with("API.md.bak"));
    assert_eq!(sandbox.text("API.md"), API.replace("End.", "Fin."));
    sandbox.write("API.md", API);
    patch(&sandbox, &[&edit[..], &["--backup=.old"]].concat());
    assert_eq!(sandbox.text("API.md.old"), API);
}

#[test]
fn no_temporary_files_remain() {
    let sandbox = Sandbox::with(&[("notes/a.md", "# A\n\ntext\n")]);
    patch(&sandbox, &["replace", "notes/a.md", "--text", "text", "-c", "words"]);
    sandbox.run(&["patch", "delete", "notes/a.md", "--text", "none"]).exits(1);
    let names: Vec<_> = std::fs::read_dir(sandbox.path("notes"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["a.md"]);
}

#[test]
fn a_new_file_contains_its_content() {
    let sandbox = Sandbox::new();
    for (name, text) in [("mixed", &b"a\r\nb\nc"[..]), ("blank", b"\n\n"), ("odd", b"\xe9 \r")] {
        sandbox.write("content", text);
        sandbox.run(&["patch", "create", name, "-f", "content"]).exits(0);
        assert_eq!(std::fs::read(sandbox.path(name)).unwrap(), text, "{name}");
    }
    sandbox.run(&["patch", "create", "no directory/", "-c", "x"]).exits(2);
    assert!(!sandbox.path("no directory").exists());
}

#[test]
fn a_missing_whole_file_is_created_and_no_existing_file_overwritten() {
    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    let errors = sandbox.run(&["patch", "replace", "e.md", "--whole-file", "-c", "x"]).errors();
    assert!(errors.contains("folio patch create e.md"), "{errors}");
    assert!(!errors.contains("replace a.md"), "{errors}");
}

#[test]
fn backups_are_named_as_their_files() {
    let sandbox = Sandbox::with(&[("d/a.txt", "x\n")]);
    let run = sandbox.run(&["patch", "replace", "d/a.txt:1", "-c", "y", "--backup", "--json"]);
    assert!(run.text().contains(r#""backupPath":"d/a.txt.bak""#), "{run}");
}

#[test]
fn edited_standard_input_is_printed() {
    let sandbox = Sandbox::new();
    let run =
        sandbox.run_with_input(&["patch", "replace", "-", "--lines", "2", "-c", "x"], b"a\nb");
    run.succeeds().prints("a\nx");
}

#[test]
fn edits_of_standard_input_print_warnings() {
    let sandbox = Sandbox::new();
    let arguments = ["patch", "replace", "-", "--text", "x", "-c", "```", "--force"];
    sandbox.run_with_input(&arguments, b"# A\nx\n# B\n").exits(0).tells("# B");
}
