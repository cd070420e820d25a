//! `folio undo`: what was written goes back, all of it or nothing; what can be
//! taken back, and what a run left that was cut off.

use crate::support::Sandbox;
use crate::support::shapes::{HistoryEntry, Record, Taken, TakenBack};

const OLD: &str = "one\ntwo\nthree\n";
const NEW: &str = "one\nTWO\n2\nthree\n";

fn sandbox() -> Sandbox {
    Sandbox::with(&[("a.md", OLD), ("d/b.md", OLD), ("c.md", OLD)])
}

/// Replaces the second line of files, as one transaction; the number that takes
/// it back.
fn patch(sandbox: &Sandbox, names: &[&str]) -> u64 {
    let flags = ["--lines", "2", "-c", "TWO\n2"];
    sandbox.run(&[&["patch", "replace"], names, &flags].concat()).succeeds();
    entries(sandbox, &[])[0].undo
}

fn create(sandbox: &Sandbox, name: &str) {
    sandbox.run(&["patch", "create", name, "-c", NEW]).succeeds();
}

#[track_caller]
fn check(sandbox: &Sandbox, name: &str, expected: &str) {
    assert_eq!(std::fs::read_to_string(sandbox.path(name)).unwrap(), expected, "{name}");
}

#[track_caller]
fn taken_back(sandbox: &Sandbox, arguments: &[&str]) -> TakenBack {
    let outcome = sandbox.run(&[&["undo", "--json"], arguments].concat()).succeeds();
    match Taken::one(&outcome) {
        Taken::Back(taken) => taken,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn entries(sandbox: &Sandbox, arguments: &[&str]) -> Vec<HistoryEntry> {
    let outcome = sandbox.run(&[&["undo", "--list", "--json"], arguments].concat()).succeeds();
    let entry = |taken| match taken {
        Taken::Entry(entry) => entry,
        other => panic!("{other:?}"),
    };
    Taken::all(&outcome).into_iter().map(entry).collect()
}

#[test]
fn the_last_patch_goes_back() {
    let sandbox = sandbox();
    patch(&sandbox, &["a.md"]);
    patch(&sandbox, &["d/b.md"]);
    check(&sandbox, "d/b.md", NEW);
    let told = "d/b.md: replace taken back; 1 line is gone again\n";
    sandbox.run(&["undo"]).succeeds().prints(told);
    check(&sandbox, "d/b.md", OLD);
    check(&sandbox, "a.md", NEW);
    sandbox.run(&["undo"]).succeeds().prints("a.md: replace taken back; 1 line is gone again\n");
    check(&sandbox, "a.md", OLD);
    sandbox.run(&["undo"]).exits(1).prints("").tells("there is nothing to take back");
    assert_eq!(sandbox.run(&["undo", "--json"]).exits(1).json_error().code, "TARGET_NOT_FOUND");
}

#[test]
fn json_tells_the_number_and_the_files() {
    let sandbox = sandbox();
    let undo = patch(&sandbox, &["a.md", "d/b.md"]);
    let taken = taken_back(&sandbox, &[]);
    assert_eq!((taken.undo, taken.operation.as_str()), (undo, "replace"));
    let files: Vec<(&str, Option<i64>)> =
        taken.files.iter().map(|file| (file.file_path.as_str(), file.lines_delta)).collect();
    assert_eq!(files, [("a.md", Some(-1)), ("d/b.md", Some(-1))]);
    check(&sandbox, "a.md", OLD);
    check(&sandbox, "d/b.md", OLD);
}

#[test]
fn a_number_or_a_file_names_another_patch() {
    let sandbox = sandbox();
    for name in ["a.md", "d/b.md", "c.md", "a.md"] {
        // Each of them changes the same line anew.
        sandbox.write(name, OLD);
        patch(&sandbox, &[name]);
    }
    assert_eq!(taken_back(&sandbox, &["d/b.md"]).undo, 2);
    assert_eq!(taken_back(&sandbox, &["3"]).undo, 3);
    assert_eq!(taken_back(&sandbox, &["./a.md"]).undo, 4);
    sandbox.run(&["undo", "3"]).exits(1).tells("no patch 3").tells("folio undo --list");
    sandbox.run(&["undo", "d/b.md"]).exits(1).tells("no patch of this file");
    sandbox.run(&["undo", "nowhere.md"]).exits(1).tells("no patch of this file");
    check(&sandbox, "c.md", OLD);
}

#[test]
fn a_file_that_changed_since_stays_and_so_do_the_others() {
    let sandbox = sandbox();
    patch(&sandbox, &["a.md", "d/b.md"]);
    sandbox.write("d/b.md", "mine\n");
    let outcome = sandbox.run(&["undo"]).exits(4).prints("");
    outcome.tells("folio undo: 'd/b.md': it was changed since the patch");
    check(&sandbox, "a.md", NEW);
    check(&sandbox, "d/b.md", "mine\n");
    assert_eq!(sandbox.run(&["undo", "--json"]).exits(4).json_error().code, "FILE_CHANGED");
    std::fs::remove_file(sandbox.path("d/b.md")).unwrap();
    sandbox.run(&["undo"]).exits(4).tells("it is gone");
    sandbox.write("d/b.md", NEW).run(&["undo"]).succeeds();
    check(&sandbox, "a.md", OLD);
}

#[test]
fn created_files_go() {
    let sandbox = sandbox();
    create(&sandbox, "d/new.md");
    let told = "d/new.md: create taken back; the file is gone\n";
    sandbox.run(&["undo"]).succeeds().prints(told);
    assert!(!sandbox.path("d/new.md").exists());
    create(&sandbox, "new.md");
    assert!(taken_back(&sandbox, &["new.md"]).files[0].removed);
    check(&sandbox, "a.md", OLD);
}

#[test]
fn the_list_is_newest_first() {
    let sandbox = sandbox();
    sandbox.run(&["undo", "--list"]).exits(0).prints("").tells("nothing to take back");
    patch(&sandbox, &["a.md"]);
    patch(&sandbox, &["a.md", "d/b.md"]);
    create(&sandbox, "new.md");
    let listed = sandbox.run(&["undo", "--list"]).succeeds().text();
    let fields: Vec<Vec<&str>> = listed.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(fields.len(), 3, "{listed}");
    assert_eq!((fields[0][0], &fields[0][2..]), ("3", &["create", "new.md"][..]));
    assert_eq!((fields[1][0], &fields[1][2..]), ("2", &["replace", "a.md", "d/b.md"][..]));
    let ids = |arguments: &[&str]| -> Vec<u64> {
        entries(&sandbox, arguments).iter().map(|entry| entry.undo).collect()
    };
    assert_eq!(ids(&[]), [3, 2, 1]);
    assert_eq!(ids(&["a.md"]), [2, 1]);
    assert_eq!(ids(&["2"]), [2]);
    let entry = entries(&sandbox, &["2"]).remove(0);
    assert!(entry.time.starts_with("20") && entry.time.ends_with('Z') && entry.age_seconds < 600);
    assert_eq!(entry.files[0].lines_delta, Some(1));
    sandbox.run(&["undo", "--list", "c.md"]).exits(1).tells("no patch of this file");
}

#[test]
fn flags_that_contradict_one_another_are_refused() {
    let sandbox = sandbox();
    sandbox.run(&["undo", "--list", "--recover"]).exits(2).tells("contradict");
    sandbox.run(&["undo", "--recover", "7"]).exits(2).tells("folio undo --recover");
    sandbox.run(&["undo", "--recover"]).exits(0).prints("").tells("nothing to put in order");
    sandbox
        .command()
        .env_remove("HOME")
        .arg("undo")
        .output()
        .map(|output| assert_eq!(output.status.code(), Some(2)))
        .unwrap();
}

#[test]
fn an_edit_of_a_linked_file_is_found_by_the_link() {
    let sandbox = sandbox();
    std::os::unix::fs::symlink("d/b.md", sandbox.path("link.md")).unwrap();
    patch(&sandbox, &["link.md"]);
    check(&sandbox, "d/b.md", NEW);
    assert_eq!(taken_back(&sandbox, &["link.md"]).files[0].file_path, "d/b.md");
    check(&sandbox, "d/b.md", OLD);
    assert!(sandbox.path("link.md").is_symlink());
}
