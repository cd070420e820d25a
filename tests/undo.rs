//! `folio undo`: edits are undone completely or not at all. Also tests the history and interrupted
//! runs.

use std::path::PathBuf;

use crate::support::records::{HistoryEntry, Record, TakenBack, TakenDiffs};
use crate::support::{Outcome, Sandbox, outcome};

const OLD: &str = "one\ntwo\nthree\n";
const NEW: &str = "one\nTWO\n2\nthree\n";

fn sandbox() -> Sandbox {
    Sandbox::with(&[("a.md", OLD), ("d/b.md", OLD), ("c.md", OLD)])
}

/// Replaces the second line of files in one transaction. Returns the number of the patch.
fn patch(sandbox: &Sandbox, names: &[&str]) -> u64 {
    let flags = ["--lines", "2", "-c", "TWO\n2"];
    sandbox.run(&[&["patch", "replace"], names, &flags].concat()).succeeds();
    entries(sandbox, &[])[0].undo.unwrap()
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
    TakenBack::one(&outcome)
}

#[track_caller]
fn entries(sandbox: &Sandbox, arguments: &[&str]) -> Vec<HistoryEntry> {
    let outcome = sandbox.run(&[&["undo", "--list", "--json"], arguments].concat()).succeeds();
    HistoryEntry::all(&outcome)
}

#[test]
fn the_last_patch_is_undone() {
    let sandbox = sandbox();
    patch(&sandbox, &["a.md"]);
    patch(&sandbox, &["d/b.md"]);
    check(&sandbox, "d/b.md", NEW);
    let expected = "d/b.md: undid replace --lines 2; 1 fewer line\n";
    sandbox.run(&["undo"]).succeeds().prints(expected);
    check(&sandbox, "d/b.md", OLD);
    check(&sandbox, "a.md", NEW);
    let expected = "a.md: undid replace --lines 2; 1 fewer line\n";
    sandbox.run(&["undo"]).succeeds().prints(expected);
    check(&sandbox, "a.md", OLD);
    sandbox.run(&["undo"]).exits(1).prints("").tells("there is nothing to undo");
    assert_eq!(sandbox.run(&["undo", "--json"]).exits(1).json_error().code, "TARGET_NOT_FOUND");
}

#[test]
fn json_has_the_number_and_the_files() {
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
fn a_number_or_a_file_selects_another_patch() {
    let sandbox = sandbox();
    for name in ["a.md", "d/b.md", "c.md", "a.md"] {
        // Each patch changes the same line again.
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
fn if_a_file_has_changed_no_file_is_undone() {
    let sandbox = sandbox();
    patch(&sandbox, &["a.md", "d/b.md"]);
    sandbox.write("d/b.md", "mine\n");
    let outcome = sandbox.run(&["undo"]).exits(4).prints("");
    outcome.tells("folio undo: 'd/b.md': it has changed since the patch");
    check(&sandbox, "a.md", NEW);
    check(&sandbox, "d/b.md", "mine\n");
    assert_eq!(sandbox.run(&["undo", "--json"]).exits(4).json_error().code, "FILE_CHANGED");
    std::fs::remove_file(sandbox.path("d/b.md")).unwrap();
    sandbox.run(&["undo"]).exits(4).tells("it was deleted");
    sandbox.write("d/b.md", NEW).run(&["undo"]).succeeds();
    check(&sandbox, "a.md", OLD);
}

#[test]
fn created_files_are_deleted() {
    let sandbox = sandbox();
    create(&sandbox, "d/new.md");
    let expected = "d/new.md: undid create; deleted the file\n";
    sandbox.run(&["undo"]).succeeds().prints(expected);
    assert!(!sandbox.path("d/new.md").exists());
    create(&sandbox, "new.md");
    assert!(taken_back(&sandbox, &["new.md"]).files[0].removed);
    check(&sandbox, "a.md", OLD);
}

#[test]
fn a_moved_created_file_is_reported_and_nothing_is_undone() {
    let sandbox = sandbox();
    patch(&sandbox, &["a.md"]);
    create(&sandbox, "new.md");
    std::fs::rename(sandbox.path("new.md"), sandbox.path("d/new.md")).unwrap();
    for arguments in [&["undo", "--dry-run"][..], &["undo"], &["undo", "2"]] {
        let outcome = sandbox.run(arguments).exits(4).prints("").tells("folio undo --forget 2");
        let outcome = outcome.tells("folio undo 1");
        outcome.tells("'new.md': it has changed since the patch: it was deleted");
    }
    assert_eq!(entries(&sandbox, &[]).len(), 2);
    check(&sandbox, "a.md", NEW);
    check(&sandbox, "d/new.md", NEW);
    sandbox.run(&["undo", "--forget", "2"]).succeeds();
    sandbox.run(&["undo"]).succeeds();
    check(&sandbox, "a.md", OLD);
}

#[test]
fn the_list_is_newest_first() {
    let sandbox = sandbox();
    sandbox.run(&["undo", "--list"]).exits(0).prints("").tells("nothing to undo");
    patch(&sandbox, &["a.md"]);
    patch(&sandbox, &["a.md", "d/b.md"]);
    create(&sandbox, "new.md");
    let listed = sandbox.run(&["undo", "--list"]).succeeds().text();
    let fields: Vec<Vec<&str>> = listed.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(fields.len(), 3, "{listed}");
    let expected = ["create", "+4 lines", "1 file", "new.md:1"];
    assert_eq!((fields[0][0], &fields[0][2..]), ("3", &expected[..]));
    let expected = ["replace --lines 2", "+2 lines", "2 files", "a.md:2", "d/b.md:2"];
    assert_eq!((fields[1][0], &fields[1][2..]), ("2", &expected[..]));
    let ids = |arguments: &[&str]| -> Vec<u64> {
        entries(&sandbox, arguments).iter().filter_map(|entry| entry.undo).collect()
    };
    assert_eq!(ids(&[]), [3, 2, 1]);
    assert_eq!(ids(&["a.md"]), [2, 1]);
    assert_eq!(ids(&["2"]), [2]);
    let entry = entries(&sandbox, &["2"]).remove(0);
    assert!(entry.time.starts_with("20") && entry.time.ends_with('Z') && entry.age_seconds < 600);
    assert_eq!((entry.files[0].lines_delta, entry.files[0].line), (Some(1), Some(2)));
    assert_eq!(entry.parts, ["--lines 2"]);
    sandbox.run(&["undo", "--list", "c.md"]).exits(1).tells("no patch of this file");
}

#[test]
fn the_list_names_values_and_five_files() {
    let sandbox = sandbox();
    sandbox.write("k.yml", "name: a\nversion: 1.2.0\n");
    sandbox.run(&["patch", "set", "k.yml#version", "-c", "1.3.0"]).succeeds();
    for number in 0..7 {
        sandbox.write(format!("many/{number}.md"), "old\n");
    }
    sandbox.run(&["patch", "replace", "many", "-T", "old", "-c", "new"]).succeeds();
    let listed = sandbox.run(&["undo", "--list"]).succeeds().text();
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[0].ends_with("\tmany/4.md:1\tand 2 more"), "{listed}");
    assert!(lines[1].contains("\tset version: 1.2.0 → 1.3.0\t"), "{listed}");
    let entries = entries(&sandbox, &[]);
    assert_eq!(entries[0].files.len(), 7);
    assert_eq!(entries[1].values, ["version: 1.2.0 → 1.3.0"]);
    sandbox.run(&["undo", "1"]).prints("k.yml: undid set version: 1.2.0 → 1.3.0\n");
    // Values alone would not describe a batch that does something else too.
    let edits = r#"[
        {"operation":"set","address":"k.yml","key":"version","content":"1.4.0"},
        {"operation":"delete","address":"many/1.md:1"}
    ]"#;
    sandbox.run_with_input(&["patch", "apply", "-"], edits).succeeds();
    let last = self::entries(&sandbox, &[]).remove(0);
    assert!(last.values.is_empty() && last.parts.contains(&"--key version".to_owned()), "{last:?}");
}

#[test]
fn undos_are_listed_and_can_be_forgotten() {
    let sandbox = sandbox();
    sandbox.run(&["patch", "replace", "a.md", "--lines", "2", "-c", "secret"]).succeeds();
    sandbox.run(&["undo"]).succeeds();
    let listed = entries(&sandbox, &[]).remove(0);
    assert_eq!((listed.undo, listed.redo, listed.undone), (None, Some(2), Some(1)));
    assert!(sandbox.run(&["undo", "--list"]).text().contains("\tundo of 1: replace --lines 2\t"));
    let entry = std::fs::read_to_string(entry_file(&sandbox)).unwrap();
    assert!(entry.contains("secret"), "{entry}");
    sandbox.run(&["undo", "--forget", "2"]).succeeds();
    sandbox.run(&["undo", "--list"]).exits(0).prints("").tells("nothing to undo");
    let history = std::fs::read_dir(sandbox.path(".local/state/folio/history")).unwrap();
    assert_eq!(history.filter(|item| item.as_ref().unwrap().file_name() != "last").count(), 0);
}

#[test]
fn contradictory_flags_are_refused() {
    let sandbox = sandbox();
    sandbox.run(&["undo", "--list", "--recover"]).exits(2).tells("cannot be used with");
    sandbox.run(&["undo", "--recover", "7"]).exits(2).tells("--recover cannot be used with");
    sandbox.run(&["undo", "--recover"]).exits(0).prints("").tells("nothing to recover");
    sandbox
        .command()
        .env_remove("HOME")
        .arg("undo")
        .output()
        .map(|output| assert_eq!(output.status.code(), Some(2)))
        .unwrap();
}

#[test]
fn an_edit_is_found_by_a_symlink_to_its_file() {
    let sandbox = sandbox();
    std::os::unix::fs::symlink("d/b.md", sandbox.path("link.md")).unwrap();
    patch(&sandbox, &["link.md"]);
    check(&sandbox, "d/b.md", NEW);
    assert_eq!(taken_back(&sandbox, &["link.md"]).files[0].file_path, "d/b.md");
    check(&sandbox, "d/b.md", OLD);
    assert!(sandbox.path("link.md").is_symlink());
}

#[track_caller]
fn diffs(sandbox: &Sandbox, arguments: &[&str]) -> TakenDiffs {
    let outcome = sandbox.run(&[arguments, &["--json"]].concat()).succeeds();
    TakenDiffs::one(&outcome)
}

/// Runs folio in a directory of the sandbox.
fn run_in(sandbox: &Sandbox, directory: &str, arguments: &[&str]) -> Outcome {
    outcome(sandbox.command().current_dir(sandbox.path(directory)).args(arguments), b"")
}

#[test]
fn without_a_number_only_this_repository_is_considered() {
    let sandbox = Sandbox::with(&[
        ("one/.git/HEAD", ""),
        ("one/a.md", OLD),
        ("one/deep/er/a.md", OLD),
        ("two/.git", "gitdir: elsewhere\n"),
        ("two/a.md", OLD),
        ("plain/a.md", OLD),
        ("plain/deep/a.md", OLD),
    ]);
    patch(&sandbox, &["one/a.md"]);
    patch(&sandbox, &["plain/a.md"]);
    patch(&sandbox, &["two/a.md"]);
    let here = sandbox.path("plain").canonicalize().unwrap();
    run_in(&sandbox, "one/deep/er", &["undo"]).succeeds().tells("");
    check(&sandbox, "one/a.md", OLD);
    check(&sandbox, "two/a.md", NEW);
    let outcome = run_in(&sandbox, "one", &["undo"]).exits(1).prints("");
    outcome.tells("there is nothing to undo below the repository").tells("folio undo --any");
    // Outside a repository, the parent directory is not included.
    let outcome = run_in(&sandbox, "plain/deep", &["undo"]).exits(1);
    outcome.tells(&format!("below the directory '{}'", here.join("deep").display()));
    check(&sandbox, "plain/a.md", NEW);
    let listed = run_in(&sandbox, "plain", &["undo", "--list"]).exits(0).tells("2 more elsewhere");
    assert_eq!(listed.text().lines().count(), 1);
    let listed = run_in(&sandbox, "plain", &["undo", "--list", "--any"]).succeeds();
    assert_eq!(listed.text().lines().count(), 3);
    run_in(&sandbox, "plain", &["undo", "--dry-run"]).succeeds();
    run_in(&sandbox, "plain", &["undo"]).succeeds();
    check(&sandbox, "plain/a.md", OLD);
    run_in(&sandbox, "plain", &["redo"]).succeeds();
    check(&sandbox, "plain/a.md", NEW);
    run_in(&sandbox, "two", &["redo"]).exits(1).tells("nothing to redo");
    run_in(&sandbox, "two", &["redo", "--any"]).succeeds();
    check(&sandbox, "one/a.md", NEW);
    run_in(&sandbox, "plain/deep", &["undo", "--any"]).succeeds();
    check(&sandbox, "one/a.md", OLD);
    check(&sandbox, "two/a.md", NEW);
}

#[test]
fn a_patch_of_several_repositories_is_undone_only_by_number() {
    let sandbox = Sandbox::with(&[("one/a.md", OLD), ("two/a.md", OLD)]);
    patch(&sandbox, &["one/a.md", "two/a.md"]);
    run_in(&sandbox, "one", &["undo"]).exits(4).tells("in another directory").tells("folio undo 1");
    check(&sandbox, "one/a.md", NEW);
    // Paths outside the directory are absolute, without a second slash.
    let shown = run_in(&sandbox, "one", &["undo", "1", "--dry-run"]).succeeds().text();
    let elsewhere = sandbox.path("two/a.md").display().to_string();
    assert!(shown.contains(&format!("--- a{elsewhere}\n+++ b{elsewhere}\n")), "{shown}");
    run_in(&sandbox, "one", &["undo", "1"]).succeeds();
    check(&sandbox, "two/a.md", OLD);
    let outcome = run_in(&sandbox, "one", &["redo"]).exits(4);
    outcome.tells("undo 2 also changed this file, in another directory").tells("to redo all of it");
}

#[test]
fn dry_run_and_show_print_diffs() {
    let sandbox = sandbox();
    let id = patch(&sandbox, &["a.md"]).to_string();
    let back = "--- a/a.md\n+++ b/a.md\n@@ -1,4 +1,3 @@\n one\n-TWO\n-2\n+two\n three\n";
    for look in ["--dry-run", "--diff", "-d"] {
        sandbox.run(&["undo", look]).succeeds().prints(back);
    }
    check(&sandbox, "a.md", NEW);
    let forth = "--- a/a.md\n+++ b/a.md\n@@ -1,3 +1,4 @@\n one\n-two\n+TWO\n+2\n three\n";
    sandbox.run(&["undo", "--show", &id]).succeeds().prints(forth);
    let shown = diffs(&sandbox, &["undo", "--show", &id]);
    assert_eq!((shown.status.as_str(), shown.files[0].diff.as_str()), ("shown", forth));
    assert_eq!(diffs(&sandbox, &["undo", "--dry-run"]).files[0].diff.as_str(), back);
    sandbox.run(&["undo"]).succeeds();
    sandbox.run(&["redo", "--dry-run"]).succeeds().prints(forth);
    check(&sandbox, "a.md", OLD);
    sandbox
        .run(&["undo", "--redo"])
        .succeeds()
        .prints("a.md: redid replace --lines 2; 1 more line\n");
    check(&sandbox, "a.md", NEW);
    create(&sandbox, "new.md");
    let created = "--- /dev/null\n+++ b/new.md\n@@ -0,0 +1,4 @@\n+one\n+TWO\n+2\n+three\n";
    let id = entries(&sandbox, &[])[0].undo.unwrap().to_string();
    sandbox.run(&["undo", "--show", &id]).succeeds().prints(created);
    // If the file has changed, the diff is built from the history.
    sandbox.write("a.md", "all is new\n");
    let id = entries(&sandbox, &["a.md"])[0].undo.unwrap().to_string();
    sandbox.run(&["undo", "--show", &id]).succeeds().prints(forth);
}

#[test]
fn other_changes_in_the_file_are_kept() {
    let text: String = (1..40).map(|number| format!("line {number}\n")).collect();
    let sandbox = Sandbox::with(&[("a.txt", &text)]);
    let path = sandbox.path("a.txt");
    let edit = |from: &str, to: &str| {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
    };
    let replace = |from: &str, to: &str| {
        sandbox.run(&["patch", "replace", "a.txt", "--text", from, "-c", to]).succeeds();
    };
    // Edits before, after and around the patched line.
    replace("line 20\n", "LINE\n");
    edit("line 3\n", "line 3\nmore\nlines\n");
    edit("line 35\n", "");
    let output = sandbox.run(&["undo"]).succeeds().text();
    assert!(output.ends_with("; now at line 22, because the file has changed\n"), "{output}");
    let mine = text.replace("line 3\n", "line 3\nmore\nlines\n").replace("line 35\n", "");
    check(&sandbox, "a.txt", &mine);
    sandbox.run(&["redo"]).succeeds();
    check(&sandbox, "a.txt", &mine.replace("line 20", "LINE"));
    sandbox.run(&["undo"]).succeeds();
    sandbox.run(&["patch", "delete", "a.txt", "--lines", "10-12"]).succeeds();
    edit("line 5\nline 6\n", "");
    edit("line 36\n", "");
    sandbox.run(&["undo"]).succeeds();
    check(&sandbox, "a.txt", &mine.replace("line 5\nline 6\n", "").replace("line 36\n", ""));
    sandbox.run(&["redo"]).succeeds();
    // The deleted line was next to this line.
    edit("line 7\n", "line seven\n");
    sandbox.run(&["undo"]).exits(4).tells("is closest to the text of the patch");
}

#[test]
fn missing_text_is_reported_with_the_closest_place() {
    let sandbox = sandbox();
    patch(&sandbox, &["c.md"]);
    sandbox.run(&["patch", "replace", "a.md", "--text", "two", "-c", "second"]).succeeds();
    sandbox.write("a.md", "one\nseconds\nthree\nfour\n");
    let outcome = sandbox.run(&["undo"]).exits(4).prints("");
    let outcome = outcome.tells("line 2 is closest").tells("folio read a.md:2");
    outcome.tells("folio undo --show 2").tells("folio undo 1").tells("folio undo --forget 2");
    sandbox.write("a.md", "one\nsecond\nthree\nfour\none\nsecond\nthree\n");
    sandbox.run(&["undo"]).exits(4).tells("occurs on line 2 and on line 6");
    sandbox.write("a.md", "0\none\nsecond\nthree\nfour\nzero\none\nsecond\nthree\nfour\n");
    sandbox.run(&["undo"]).exits(4).tells("occurs on line 3 and on line 8");
    // The later patch does not prevent undoing the earlier one.
    sandbox.run(&["undo", "1"]).succeeds();
    check(&sandbox, "c.md", OLD);
    let id = entries(&sandbox, &[]).iter().find_map(|entry| entry.undo).unwrap().to_string();
    let expected = "a.md: removed replace --text two from the history; the file is unchanged\n";
    sandbox.run(&["undo", "--forget", &id]).succeeds().prints(expected);
    sandbox.run(&["undo"]).exits(1);
}

#[test]
fn equal_lines_are_not_confused() {
    // The section with the patched line was deleted. An equal line in another section was not
    // patched.
    let sandbox = Sandbox::with(&[("a.md", "# A\n\n- [x] tea\n\n# B\n\n- [ ] tea\n")]);
    let finish = |from: &str, to: &str| {
        sandbox.run(&["patch", "replace", "a.md", "--lines", from, "-c", to]).succeeds();
    };
    finish("7", "- [x] tea");
    for text in ["# A\n\n- [x] tea\n", "- [x] tea\n\n# A\n"] {
        sandbox.write("a.md", text);
        sandbox.run(&["undo"]).exits(4).prints("");
        check(&sandbox, "a.md", text);
    }
    // The line is identified by the line before it.
    sandbox.write("a.md", "- [x] tea\n# B\n\n- [x] tea\n");
    sandbox.run(&["undo"]).succeeds();
    check(&sandbox, "a.md", "- [x] tea\n# B\n\n- [ ] tea\n");
    // The text before the edit and the text after it are now in different places.
    let sandbox = Sandbox::with(&[("a.md", "1\n2\n3\n4\n5\n")]);
    sandbox.run(&["patch", "replace", "a.md", "--lines", "3", "-c", "x"]).succeeds();
    sandbox.write("a.md", "1\n2\nx\n6\nx\n4\n5\n");
    sandbox.run(&["undo"]).exits(4).tells("occurs on line 3 and on line 5");
}

#[test]
fn an_ambiguous_place_is_refused() {
    let task = "a\nb\n- [ ] tea\nc\nd\n";
    let sandbox = Sandbox::with(&[("a.md", task)]);
    sandbox.run(&["patch", "replace", "a.md", "--lines", "3", "-c", "- [x] tea"]).succeeds();
    let done = task.replace("[ ]", "[x]");
    for text in [format!("{done}{done}"), format!("{done}more\n{done}")] {
        sandbox.write("a.md", &text);
        sandbox.run(&["undo"]).exits(4).tells("the text of the patch occurs on line 3 and on line");
        check(&sandbox, "a.md", &text);
    }
    sandbox.write("a.md", format!("more\n{done}"));
    sandbox.run(&["undo"]).succeeds();
    // Repeated lines before the deleted one.
    let rows = "row\nrow\nrow\n";
    sandbox.write("a.md", format!("{rows}last\nrow\n"));
    sandbox.run(&["patch", "delete", "a.md", "--lines", "4"]).succeeds();
    sandbox.write("a.md", format!("{rows}row\nmore\n"));
    sandbox.run(&["undo"]).exits(4).tells("occurs on line 3 and on line 4");
    // The position of a later edit depends on the edit before it.
    let old = format!("x\n- [ ] tea\nc\nd\n{task}{task}");
    sandbox.write("a.md", &old);
    let edit = |line: u32| {
        format!(
            r#"{{"filePath":"a.md","target":{{"lines":{{"start":{line},"end":{line}}}}},"operation":"replace","content":"- [x] tea"}}"#
        )
    };
    sandbox.write("edits.jsonl", [2, 7, 12].map(edit).join("\n"));
    sandbox.run(&["patch", "apply", "edits.jsonl"]).succeeds();
    check(&sandbox, "a.md", &old.replace("[ ]", "[x]"));
    sandbox.write("a.md", format!("more\n{}", old.replace("[ ]", "[x]")));
    sandbox.run(&["undo"]).succeeds();
    check(&sandbox, "a.md", &format!("more\n{old}"));
}

#[test]
fn an_undo_keeps_the_structure_elsewhere() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n\n```\ncode\n```\n\n# B\n\nx\n")]);
    sandbox.run(&["patch", "replace", "a.md", "--lines", "5", "-c", "~~~\n```"]).succeeds();
    let changed = std::fs::read_to_string(sandbox.path("a.md")).unwrap() + "~~~\n# C\n~~~\n";
    sandbox.write("a.md", &changed);
    sandbox.run(&["undo"]).succeeds();
    sandbox.run(&["patch", "delete", "a.md", "--lines", "2-6", "--force"]).succeeds();
    sandbox.write("a.md", "# A\n# B\n\nx\n\n```\n# C\n```\n");
    let outcome = sandbox.run(&["undo"]);
    assert!(matches!(outcome.status, Some(0 | 4)), "{outcome}");
}

/// Returns the file of the only entry in the history.
fn entry_file(sandbox: &Sandbox) -> PathBuf {
    let items = std::fs::read_dir(sandbox.path(".local/state/folio/history")).unwrap();
    let mut paths = items.map(|item| item.unwrap().path());
    paths.find(|path| path.extension().is_some_and(|extension| extension == "entry")).unwrap()
}

#[test]
fn an_inconsistent_record_removes_no_file() {
    for since in ["", "\nwritten since\n"] {
        let sandbox = sandbox();
        patch(&sandbox, &["a.md"]);
        let path = entry_file(&sandbox);
        let sound = std::fs::read(&path).unwrap();
        // The record is changed as if the file had been created.
        let record = &sound[..];
        let start = memchr::memmem::rfind(record, b"\"before\":{").unwrap();
        let end = start + memchr::memmem::find(&record[start..], b"},").unwrap() + 2;
        std::fs::write(&path, [&record[..start], &record[end..]].concat()).unwrap();
        let now = format!("{NEW}{since}");
        sandbox.write("a.md", &now);
        sandbox.run(&["undo"]).exits(2).tells("the record of patch 1 is damaged");
        check(&sandbox, "a.md", &now);
    }
}

#[test]
fn only_intact_records_are_applied() {
    let sandbox = sandbox();
    patch(&sandbox, &["a.md"]);
    let first = entry_file(&sandbox);
    let sound = std::fs::read(&first).unwrap();
    let kept = first.with_extension("kept");
    for at in (0..sound.len()).step_by(3) {
        let mut damaged = sound.clone();
        damaged[at] ^= 0x20;
        std::fs::write(&first, &damaged).unwrap();
        let outcome = sandbox.run(&["undo"]).exits(2).prints("");
        let shown = first.file_name().unwrap().to_string_lossy().into_owned();
        outcome.tells("the record of patch 1 is damaged").tells(&shown);
        check(&sandbox, "a.md", NEW);
    }
    std::fs::write(&kept, &sound).unwrap();
    std::fs::rename(&kept, &first).unwrap();
    patch(&sandbox, &["c.md"]);
    let items = std::fs::read_dir(first.parent().unwrap()).unwrap();
    let second = items.map(|item| item.unwrap().path()).find(|path| {
        path != &first && path.extension().is_some_and(|extension| extension == "entry")
    });
    std::fs::write(second.unwrap(), "cut").unwrap();
    let expected = "d/b.md: undid replace --lines 2; 1 fewer line\n";
    // A newer entry can still be undone.
    sandbox.run(&["patch", "replace", "d/b.md", "--lines", "2", "-c", "TWO\n2"]).succeeds();
    sandbox.run(&["undo"]).succeeds().prints(expected);
    check(&sandbox, "d/b.md", OLD);
    sandbox.run(&["undo", "--list"]).exits(0).tells("the record of patch 2 is damaged");
    sandbox.run(&["undo"]).exits(2).tells("patch 2 is damaged").tells("folio undo --list");
    sandbox.run(&["undo", "1"]).succeeds();
    check(&sandbox, "a.md", OLD);
    check(&sandbox, "c.md", NEW);
    sandbox.run(&["undo", "--forget", "2"]).exits(0).tells("removed the damaged record");
    sandbox.run(&["undo", "--list"]).succeeds();
}

#[test]
fn a_file_is_found_by_its_name_in_the_history() {
    let sandbox = Sandbox::with(&[("d/a.md", "x\n"), ("e/b.md", "x\n"), ("f/b.md", "x\n")]);
    for file in ["d/a.md", "e/b.md", "f/b.md"] {
        sandbox.run(&["patch", "replace", file, "--text", "x", "-c", "y"]).exits(0);
    }
    let miss = sandbox.run(&["undo", "a.md"]).exits(1);
    miss.tells("hint: folio undo d/a.md  # the only file with this name in the history");
    sandbox.run(&["undo", "--resolve", "b.md"]).exits(3).tells("folio undo e/b.md");
    sandbox.run(&["undo", "--resolve", "c.md"]).exits(1).tells("no patch of this file");
    let taken = "note: 'a.md' does not exist, using 'd/a.md'";
    // The history contains files that no longer exist.
    sandbox.run(&["undo", "--resolve", "--list", "a.md"]).exits(0).tells(taken);
    sandbox.run(&["undo", "--resolve", "a.md"]).exits(0).tells(taken);
    assert_eq!(std::fs::read_to_string(sandbox.path("d/a.md")).unwrap(), "x\n");
    sandbox.run(&["redo", "--resolve", "gone/a.md"]).exits(0).tells("using 'd/a.md'");
    let again = sandbox.run(&["redo", "d/a.md"]).exits(1);
    assert!(!again.errors().contains("the only file"), "{again}");
}

#[test]
fn special_files_in_the_state_directory_are_reported_without_waiting() {
    let sandbox = sandbox();
    patch(&sandbox, &["a.md"]);
    let state = sandbox.path(".local/state/folio");
    let entry = entry_file(&sandbox);
    let special = |path: &std::path::Path| {
        let _ = std::fs::remove_file(path);
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    special(&entry);
    let listed = sandbox.run(&["undo", "--list"]);
    assert!(listed.errors().contains("damaged"), "{listed}");
    special(&state.join("journal/1-1-1.journal"));
    let edited = sandbox.run(&["patch", "replace", "c.md", "--lines", "1", "-c", "1"]).exits(0);
    assert!(edited.errors().contains("1-1-1.journal' is not a regular file"), "{edited}");
    std::fs::remove_file(state.join("journal/1-1-1.journal")).unwrap();
    special(&state.join("history/last"));
    let refused = sandbox.run(&["patch", "replace", "c.md", "--lines", "1", "-c", "2"]);
    assert_eq!(refused.status, Some(2), "{refused}");
    assert!(refused.errors().contains("last' is not a regular file"), "{refused}");
    check(&sandbox, "c.md", "1\ntwo\nthree\n");
}

#[test]
fn an_impossible_number_is_quoted_as_given() {
    let sandbox = sandbox();
    let number = "99999999999999999999";
    for command in ["undo", "redo"] {
        sandbox.run(&[command, number]).exits(1).tells(&format!("no patch {number}"));
    }
}

#[test]
fn directories_that_a_patch_created_are_removed_with_their_files() {
    let sandbox = sandbox();
    let copy = ["patch", "copy", "a.md", "--to", "new/dir/b.md", "--whole-file", "--parents"];
    let is_directory = |name: &str| sandbox.path(name).is_dir();
    sandbox.run(&copy).exits(0);
    sandbox.run(&["undo"]).exits(0).tells("'new/dir': removed the directory");
    assert!(!is_directory("new"));
    sandbox.run(&["redo", "--dry-run"]).exits(2).tells("does not create the directory");
    assert!(!is_directory("new"));
    sandbox.run(&["redo"]).exits(0).tells("'new': created the directory");
    check(&sandbox, "new/dir/b.md", OLD);
    // A directory in which something else lies stays.
    std::fs::write(sandbox.path("new/other.md"), "x").unwrap();
    sandbox.run(&["undo"]).exits(0);
    assert!(is_directory("new") && !is_directory("new/dir"));
    // A file is found by its path, although its directory is gone.
    let file = ["patch", "create", "x/y/f.md", "-c", "x", "--parents"];
    sandbox.run(&file).exits(0);
    sandbox.run(&["undo"]).exits(0);
    sandbox.run(&["redo", "x/y/f.md"]).exits(0);
    sandbox.run(&["undo"]).exits(0);
    // A directory that the user made in the meantime stays.
    std::fs::create_dir(sandbox.path("x")).unwrap();
    sandbox.run(&["redo"]).exits(0);
    sandbox.run(&["undo"]).exits(0);
    assert!(is_directory("x") && !is_directory("x/y"));
    // A redo that is refused leaves nothing.
    sandbox.run(&["patch", "create", "p/1.md", "q/2.md", "-c", "x", "--parents"]).exits(0);
    sandbox.run(&["undo"]).exits(0);
    std::fs::write(sandbox.path("q"), "x").unwrap();
    sandbox.run(&["redo"]).exits(4).tells("its directory was deleted or moved");
    assert!(!is_directory("p"));
    // So does one that existed before.
    sandbox.run(&["patch", "create", "d/e/f.md", "-c", "x", "--parents"]).exits(0);
    sandbox.run(&["undo"]).exits(0);
    assert!(is_directory("d") && !is_directory("d/e"));
}

#[test]
fn a_redo_names_the_undo_that_removed_its_directory() {
    let sandbox = sandbox();
    sandbox.run(&["patch", "create", "n/1.md", "-c", "x", "--parents"]).exits(0);
    sandbox.run(&["patch", "create", "n/2.md", "-c", "x"]).exits(0);
    sandbox.run(&["undo"]).exits(0);
    sandbox.run(&["undo"]).exits(0);
    sandbox.run(&["redo", "3"]).exits(4).tells("undo 4 removed it").tells("folio redo 4");
    sandbox.run(&["redo", "4"]).exits(0);
    sandbox.run(&["redo", "3"]).exits(0);
    check(&sandbox, "n/2.md", "x\n");
}

#[test]
fn removed_text_can_be_removed_from_the_history() {
    let sandbox = Sandbox::with(&[("a.md", "one\nsecret \"1\"\n"), ("b.md", "two\n")]);
    let state = || String::from_utf8_lossy(&sandbox.run(&["undo", "--list"]).stdout).into_owned();
    let delete = ["patch", "delete", "--text", "secret \"1\"\n"];
    sandbox.run(&[&delete[..], &["a.md"]].concat()).succeeds();
    sandbox.run(&["undo"]).succeeds();
    sandbox.run(&["patch", "replace", "b.md", "--lines", "1", "-c", "three"]).succeeds();
    // These are words of the record, not of its text.
    for other in ["other", "inode", "sha256"] {
        let outcome = sandbox.run(&["undo", "--forget-matching", other]);
        outcome.exits(1).tells("nothing to remove");
    }
    let forget = ["undo", "--forget-matching", "secret \"1\""];
    let before = state();
    let preview = sandbox.run(&[&forget[..], &["--dry-run"]].concat()).exits(0).text();
    assert!(preview.contains("a.md") && !preview.contains("b.md"), "{preview}");
    assert_eq!(state(), before);
    sandbox.run(&forget).succeeds();
    assert!(!state().contains("a.md") && state().contains("b.md"), "{}", state());
    sandbox.run(&["undo", "--forget"]).exits(2).tells("--forget needs a number, or --all");
    sandbox.run(&["undo", "--forget", "1", "--all"]).exits(2);
    sandbox.run(&["undo", "--forget", "--all"]).succeeds();
    assert_eq!(state(), "");
    sandbox.run(&["undo", "--forget", "--all"]).exits(1);
}
