//! Edits of several files and of directories: all of them or none, and each file once.

use std::fs;

use serde_json::json;

use crate::support::Sandbox;

#[test]
fn several_files_are_edited_together_or_not_at_all() {
    let sandbox = Sandbox::with(&[("a.md", "one two\n"), ("b.md", "two\n"), ("c.md", "three\n")]);
    let edit = ["--text", "two", "-c", "2", "--json"];
    let all = [&["patch", "replace", "a.md", "b.md"], &edit[..]].concat();
    let summary = sandbox.run(&all).succeeds().json_lines().pop().expect("a summary");
    assert_eq!((&summary["files"], &summary["edits"]), (&2.into(), &2.into()));
    sandbox.run(&["undo"]).exits(0);
    assert_eq!(fs::read(sandbox.path("b.md")).expect("readable"), b"two\n");
    let missing = [&["patch", "replace", "a.md", "c.md", "b.md"], &edit[..]].concat();
    sandbox.run(&missing).exits(1);
    assert_eq!(fs::read(sandbox.path("a.md")).expect("readable"), b"one two\n");
    let kept = [&missing[..], &["--keep-going"]].concat();
    sandbox.run(&kept).exits(1);
    assert_eq!(fs::read(sandbox.path("b.md")).expect("readable"), b"2\n");
}

#[test]
fn a_text_is_replaced_in_the_files_below_a_directory() {
    let files = [
        ("docs/a.md", "# One\n\nAlpha Alpha\n\n```\nAlpha\n```\n"),
        ("docs/sub/b.md", "# Two\n\nAlpha\n\n# One\n\nAlpha\n"),
        ("docs/c.txt", "Alpha\n"),
        ("docs/none.md", "nothing\n"),
        ("docs/no.md", "Alpha\n"),
        ("docs/.gitignore", "no.md\n"),
        ("docs/binary", "\0Alpha\n"),
        (".git/HEAD", ""),
    ];
    let sandbox = Sandbox::with(&files);
    let text = |name: &str| fs::read_to_string(sandbox.path(name)).unwrap();
    let base = ["patch", "replace", "docs", "--text", "Alpha", "-c", "Beta"];
    let run = |more: &[&str]| sandbox.run(&[&base[..], more].concat());
    let all = ["--occurrence", "all"];
    let shown = run(&[&all[..], &["--dry-run"]].concat()).exits(0).tells("6 places in 3 files");
    for name in ["a/docs/a.md", "a/docs/sub/b.md", "a/docs/c.txt"] {
        assert!(shown.text().contains(&format!("--- {name}\n")), "{shown}");
    }
    let none = run(&["-g", "*.rs"]).exits(1).tells("text not found: 'Alpha' in 0 files");
    assert!(none.stdout.is_empty(), "{none}");
    run(&["--occurrence", "all", "--in", "Nowhere"]).exits(1).tells("text not found: 'Alpha' in");
    run(&["--occurrence", "7"]).exits(1);
    let in_section = run(&["-t", "md", "--in", "One", "--outside-code", "--occurrence", "all"]);
    assert!(in_section.text().ends_with("3 places in 2 files (undo: folio undo 1)\n"));
    assert_eq!(text("docs/a.md"), "# One\n\nBeta Beta\n\n```\nAlpha\n```\n");
    assert_eq!(text("docs/sub/b.md"), "# Two\n\nAlpha\n\n# One\n\nBeta\n");
    assert_eq!(text("docs/c.txt"), "Alpha\n");
    let json = run(&["--occurrence", "all", "--json"]).exits(0).json_lines();
    let summary = json.last().unwrap();
    assert_eq!((&summary["files"], &summary["matches"]), (&3.into(), &3.into()), "{summary}");
    // It is one transaction, and files without the text are unchanged.
    sandbox.run(&["undo"]).exits(0);
    sandbox.run(&["undo"]).exits(0);
    for (name, before) in files {
        assert_eq!(text(name), before, "{name}");
    }
    sandbox
        .run(&["patch", "replace", "docs/a.md", "--text", "Alpha", "-c", "x", "-t", "md"])
        .exits(2);
    sandbox.run(&["patch", "append", "docs", "-c", "x"]).exits(2).tells("folio list docs");
}

#[test]
fn the_other_files_are_edited_if_one_fails() {
    let sandbox = Sandbox::with(&[("a.md", "1\n2\n3\n"), ("b.md", "1\n")]);
    let lines = ["patch", "delete", "a.md:1", "b.md:7", "a.md:3", "b.md:0", "--keep-going"];
    let run = sandbox.run(&lines).exits(2).tells("no line 7").tells("1 of 3 files were edited");
    // Line numbers refer to the file before the edits.
    assert_eq!(fs::read_to_string(sandbox.path("a.md")).unwrap(), "2\n", "{run}");
}

#[test]
fn some_of_several_files_may_lack_a_text_that_is_replaced_everywhere() {
    let sandbox =
        Sandbox::with(&[("a.md", "x x\n"), ("b.md", "y\n"), ("c.md", "x\ny\n"), ("d.md", "z\n")]);
    let replace = |more: &[&str]| {
        let files = ["patch", "replace", "a.md", "b.md", "c.md:1", "c.md:2"];
        sandbox.run(&[&files[..], &["--text", "x", "-c", "n"], more].concat())
    };
    replace(&["--occurrence", "first"])
        .exits(1)
        .tells("'b.md': text not found: 'x'")
        .tells("nothing was written");
    replace(&["--occurrence", "all", "--keep-going", "-d"]).exits(1).tells("'b.md': text not");
    replace(&["--occurrence", "all"]).exits(0).tells("note: no match in 1 of 4 files");
    let text = |name: &str| fs::read_to_string(sandbox.path(name)).unwrap();
    assert_eq!((&*text("a.md"), &*text("c.md")), ("n n\n", "n\ny\n"));
    replace(&["--occurrence", "all"]).exits(1).tells("text not found: 'x' in 4 files");
}

#[test]
fn files_without_changes_do_not_prevent_other_edits() {
    let old = "# S\n\nthe colour of it\n";
    let done = "# S\n\nthe color of it\n\n# T\n\nthe colour of it\n";
    let sandbox = Sandbox::with(&[("d/a.md", old), ("d/b.md", done)]);
    let edit = |directory: &str| {
        let replace = ["--in", "S", "--text", "the colour of it", "-c", "the color of it"];
        sandbox.run(&[&["patch", "replace", directory], &replace[..]].concat())
    };
    edit("d").succeeds();
    assert_eq!(fs::read_to_string(sandbox.path("d/a.md")).unwrap(), old.replace('u', ""));
    assert_eq!(fs::read_to_string(sandbox.path("d/b.md")).unwrap(), done);
    assert!(edit("d").errors().contains("already appears"));
}

#[test]
fn a_part_is_edited_in_each_file_of_a_directory_that_has_it() {
    let (with_notes, other) = ("# A\n\n## Notes\n\n- x\n", "# B\n");
    let sandbox =
        Sandbox::with(&[("d/a.md", with_notes), ("d/b.md", other), ("d/c/c.md", with_notes)]);
    let append = ["patch", "append", "d", "--section", "Notes", "-c", "- y"];
    sandbox.run(&append).succeeds();
    for (name, text) in [("d/a.md", "- y\n"), ("d/b.md", other), ("d/c/c.md", "- y\n")] {
        assert!(fs::read_to_string(sandbox.path(name)).unwrap().ends_with(text), "{name}");
    }
    let missing = ["patch", "delete", "d", "--heading", "Other"];
    sandbox.run(&missing).exits(1).tells("none of 3 files contains --heading Other");
    sandbox.write("d/b.md", "## Notes\n\n## Notes\n");
    sandbox.run(&append).exits(3).tells("2 sections match 'Notes'");
    // Every file has lines, and `set` would create the key.
    sandbox.run(&["patch", "delete", "d", "--lines", "1"]).exits(2).tells("Is a directory");
}

#[test]
fn a_part_that_is_given_twice_is_edited_once() {
    let sandbox = Sandbox::with(&[("a.txt", "x\ny\n")]);
    std::os::unix::fs::symlink("a.txt", sandbox.path("link")).unwrap();
    sandbox.run(&["patch", "append", "a.txt", "./a.txt", "link", "-c", "z"]).exits(0);
    sandbox.run(&["patch", "replace", "a.txt:1", "link:2", "link:1", "-c", "w"]).exits(0);
    sandbox.run(&["read", "a.txt"]).prints("w\nw\nz\n");
    let all = ["patch", "insert", ".", "./link", "--text", "z", "-c", "q", "--occurrence", "all"];
    sandbox.run(&all).exits(0);
    sandbox.run(&["read", "a.txt"]).prints("w\nw\nz\nq\n");
}

#[test]
fn a_file_with_hard_links_is_edited_once_in_place() {
    let sandbox = Sandbox::with(&[("d/a.txt", "x\n")]);
    fs::hard_link(sandbox.path("d/a.txt"), sandbox.path("d/b.txt")).unwrap();
    let edit = ["patch", "replace", "d", "--text", "x", "-c", "y", "--in-place"];
    let printed = "d/a.txt:1: replaced 1 match\n1 place in 1 file (undo: folio undo 1)\n";
    sandbox.run(&edit).exits(0).prints(printed);
    sandbox.run(&["patch", "append", "d/a.txt", "d/b.txt", "-c", "z", "--in-place"]).exits(0);
    sandbox.run(&["read", "d/b.txt"]).prints("y\nz\n");
    sandbox.run(&["patch", "delete", "d/a.txt:1", "d/b.txt:2", "--in-place"]).exits(0);
    sandbox.run(&["read", "d/b.txt"]).prints("");
}

#[test]
fn conditions_and_batches_edit_a_file_with_hard_links_once_in_place() {
    let text = "# A\n\na\n\n# B\n\nb\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    fs::hard_link(sandbox.path("a.md"), sandbox.path("b.md")).unwrap();
    let patch = |words: &[&str]| {
        let run = sandbox.run(&[&["patch"], words, &["--in-place"]].concat()).exits(0);
        let after = fs::read_to_string(sandbox.path("b.md")).unwrap();
        fs::write(sandbox.path("a.md"), text).unwrap();
        (run.text(), after)
    };
    for operands in [&["."][..], &["a.md", "b.md"]] {
        let (printed, after) = patch(&[&["delete", "--matching", "^A$"], operands].concat());
        assert!(printed.contains("a.md:1") && !printed.contains("b.md"), "{printed}");
        assert_eq!(after, "# B\n\nb\n");
    }
    let delete = |file: &str, line: u64| {
        let target = json!({"lines": {"start": line, "end": line}});
        json!({"filePath": file, "operation": "delete", "target": target})
    };
    sandbox.write("e.json", json!([delete("a.md", 3), delete("b.md", 7)]).to_string());
    let (printed, after) = patch(&["apply", "e.json"]);
    assert!(printed.contains("in 1 file"), "{printed}");
    assert_eq!(after, "# A\n\n\n# B\n\n");
}
