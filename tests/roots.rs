//! `--root` and `FOLIO_ROOT`: files below roots are read, listed, searched and edited as usual, and
//! no other files are accessed.

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::records::Text;
use crate::support::{Outcome, Sandbox};

/// Creates a project with symlinks of all kinds, next to files that must not be accessed.
fn project() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("docs/guide.md", "# Guide\n\nfind me\n\n## Set up\n\nSteps.\n"),
        ("docs/deep/notes.md", "# Notes\n\nfind me too\n"),
        ("docs/app.ini", "[a]\nkey = 1\n"),
        ("other/guide.md", "# Other guide\n"),
        ("other/only.md", "# Only here\n"),
        ("docs-evil/guide.md", "# find SECRET\n"),
        ("secret/s.md", "# find SECRET\n"),
    ]);
    for (link, text) in [
        ("docs/inside.md", "deep/notes.md"),
        ("docs/out.md", "../secret/s.md"),
        ("docs/deep/far", "../../secret"),
        ("docs/dead.md", "nothing.md"),
        ("docs/proc", "/proc/self/cwd"),
    ] {
        symlink(text, sandbox.path(link)).unwrap();
    }
    symlink(sandbox.path("docs/deep/notes.md"), sandbox.path("docs/absolute.md")).unwrap();
    sandbox
}

/// Runs a command line whose words are separated by blanks.
#[track_caller]
fn run(sandbox: &Sandbox, line: &str) -> Outcome {
    let whole = sandbox.path("").display().to_string();
    let line = line.replace("{whole}", whole.trim_end_matches('/'));
    sandbox.run(&line.split_whitespace().collect::<Vec<_>>())
}

#[track_caller]
fn refuses(line: &str, code: &str, message: &str) {
    let sandbox = project();
    let status = if code == "AMBIGUOUS_PATH" { 3 } else { 2 };
    let outcome = run(&sandbox, line).exits(status).prints("").tells(message);
    assert!(!outcome.errors().contains("SECRET"), "{outcome}");
    let as_json = run(&sandbox, &format!("{line} --json")).exits(status);
    assert_eq!(as_json.json_error().code, code, "{as_json}");
}

// Meaning of paths.

#[test]
fn files_below_a_root_can_be_named_in_any_form() {
    for line in [
        "read docs/guide.md:1 --root docs",
        "read ./docs//guide.md:1 --root docs/",
        "read docs/deep/../guide.md:1 --root docs",
        "read {whole}/docs/guide.md:1 --root docs",
        "read docs/guide.md:1 --root {whole}/docs",
        "read docs/guide.md:1 --root .",
        "read docs/guide.md:1 --root / --root docs",
        "read m/guide.md:1 --root m=docs",
        "read m/../m/guide.md:1 --root m=docs --root .",
        "read docs/guide.md:1 --root m=docs",
        "read m/guide.md:1 --root other --root m={whole}/docs",
        "--root m=docs read m/guide.md:1",
        "--root=other --root m=docs read m/guide.md:1",
    ] {
        let sandbox = project();
        if line.contains("m/../m") {
            // In a mount, `..` cannot leave the root.
            run(&sandbox, line).exits(2);
            continue;
        }
        run(&sandbox, line).succeeds().prints("# Guide\n");
    }
}

#[test]
fn a_name_refers_to_its_root_first() {
    let sandbox = project();
    run(&sandbox, "read other/guide.md:1 --root other=docs").succeeds().prints("# Guide\n");
    run(&sandbox, "read ./other/guide.md --root other=docs").exits(2).tells("outside the root");
    // A file found by a walk is printed with a path that refers to it and can be opened.
    let both = "--root other=docs --root .";
    let found = run(&sandbox, &format!("grep -i guide other . {both}")).succeeds().text();
    assert!(found.contains("\n./other/guide.md:1:# Other guide\n"), "{found}");
    assert!(found.contains("other/guide.md:1:# Guide\n"), "{found}");
    let listed = run(&sandbox, &format!("list . {both}")).succeeds().text();
    assert!(listed.contains("\n./other/\n"), "{listed}");
    let read = "inspect . other/guide.md -O --root other=docs --root .";
    let output = run(&sandbox, read).succeeds().text();
    assert!(output.contains("./other/guide.md:1:# Other guide\n"), "{output}");
    run(&sandbox, &format!("read ./other/guide.md {both}")).prints("# Other guide\n");
    run(&sandbox, &format!("patch replace ./other/only.md --text Only --content A {both}"))
        .succeeds()
        .prints("./other/only.md:1: replaced 1 match (undo: folio undo 1)\n");
}

#[test]
fn the_variable_replaces_the_option() {
    let sandbox = project();
    let read = |path: &str, roots: &str| {
        sandbox.run_with_environment(&["read", path], &[("FOLIO_ROOT", roots)])
    };
    read("docs/guide.md:1", "docs").succeeds().prints("# Guide\n");
    read("m/only.md", "docs:m=other").succeeds().prints("# Only here\n");
    read("secret/s.md", "docs").exits(2).tells("outside the root 'docs'");
    read("secret/s.md", "").succeeds();
    read("x", "nix").exits(2).tells("FOLIO_ROOT 'nix': No such file");
    let flag = ["read", "secret/s.md", "--root", "secret"];
    sandbox.run_with_environment(&flag, &[("FOLIO_ROOT", "docs")]).succeeds();
}

#[test]
fn without_operands_all_roots_are_processed() {
    let sandbox = project();
    let listed = run(&sandbox, "list --root docs --root m=other -e md").succeeds();
    assert_eq!(listed.text(), "docs/guide.md\nm/guide.md\nm/only.md\n");
    // The roots are listed, also with a limit or titles.
    let roots = "--root docs --root m=other";
    let list = |flags: &str| run(&sandbox, &format!("list {flags} {roots}")).exits(0);
    assert_eq!(list("").text(), "docs/\nm/\n");
    assert_eq!(list("--titles").text(), "docs/\t\nm/\t\n");
    let first = list("--limit 1");
    assert_eq!(first.text(), "docs/\n");
    first.tells("showing 1 of 2 entries; for more: folio list");
    assert_eq!(list("--limit 1 --offset 1").text(), "m/\n");
    list("--offset 9").tells("--offset 9 is beyond the last of 2 entries");
    let children = |flags: &str| list(&format!("--json {flags}")).text();
    assert_eq!(children("--sort size").matches(r#""children":2"#).count(), 1);
    let found = run(&sandbox, "grep -c find --root docs --root m=other").succeeds();
    assert_eq!(found.text(), "docs/deep/notes.md:1\ndocs/guide.md:1\n");
    run(&sandbox, "links --root docs").succeeds();
    // In a directory below a root, paths are relative to that directory.
    let here = run(&sandbox, "grep -l find --root .").succeeds();
    assert_eq!(here.text(), run(&sandbox, "grep -l find").succeeds().text());
}

#[test]
fn a_path_outside_is_reported_with_a_valid_path() {
    refuses(
        "read guide.md --root docs",
        "OUTSIDE_ROOT",
        "folio read docs/guide.md --root docs  # its path below the root",
    );
    refuses("read guide.md --root m=docs", "OUTSIDE_ROOT", "read m/guide.md --root m=docs  # its");
    refuses(
        "read deep/../docs/guide.md --root docs",
        "OUTSIDE_ROOT",
        "docs/guide.md --root docs  # its",
    );
    refuses("read secret/s.md --root docs", "OUTSIDE_ROOT", "inside it begin with docs/");
    refuses("read ../x --root docs --root m=other", "OUTSIDE_ROOT", "begin with docs/ or m/");
    refuses("read guide.md --root docs --root m=other", "AMBIGUOUS_PATH", "read m/guide.md --root");
}

#[test]
fn paths_that_point_outside_are_refused() {
    for path in [
        "secret/s.md",
        "docs/../secret/s.md",
        "docs/deep/../../secret/s.md",
        "docs/..",
        "{whole}/secret/s.md",
        "{whole}/docs-evil/guide.md",
        "docs-evil/guide.md",
        "/etc/passwd",
        "/proc/self/cwd/secret/s.md",
        "/",
        "..",
    ] {
        refuses(&format!("read {path} --root docs"), "OUTSIDE_ROOT", "outside the root 'docs'");
        refuses(&format!("inspect {path} --root docs"), "OUTSIDE_ROOT", "outside the root");
        refuses(&format!("list {path} --root docs"), "OUTSIDE_ROOT", "outside the root");
        refuses(&format!("links {path} --root docs"), "OUTSIDE_ROOT", "outside the root");
        refuses(&format!("grep find {path} --root docs"), "OUTSIDE_ROOT", "outside the root");
        refuses(
            &format!("patch replace {path} --text find --content lost --root docs"),
            "OUTSIDE_ROOT",
            "outside the root",
        );
        refuses(&format!("undo {path} --root docs"), "OUTSIDE_ROOT", "outside the root");
    }
    for path in ["secret/new.md", "docs/../new.md", "{whole}/new.md"] {
        let line = format!("patch create {path} --content x --root docs");
        refuses(&line, "OUTSIDE_ROOT", "outside the root 'docs'");
    }
}

#[test]
fn symlinks_that_point_outside_are_refused() {
    for path in ["docs/out.md", "docs/deep/far/s.md", "docs/proc/secret/s.md"] {
        for command in [
            "read {path}",
            "inspect {path}",
            "grep find {path}",
            "patch replace {path} --text find --content lost",
            "patch replace {path} --text find --content lost --dry-run",
            "patch replace {path} --text find --content lost --in-place",
            "patch copy {path} --all --to docs/guide.md",
            "patch copy docs/guide.md --section Guide --to {path}",
        ] {
            let line = format!("{} --root docs", command.replace("{path}", path));
            if !line.contains("--all") {
                refuses(&line, "SYMLINK_ESCAPE", "points outside the root 'docs'");
            }
        }
    }
    refuses("list docs/deep/far --root docs", "SYMLINK_ESCAPE", "points outside the root");
    let line = "patch create docs/deep/far/new.md --content x --root docs";
    refuses(line, "SYMLINK_ESCAPE", "points outside the root");
    refuses("read docs/absolute.md --root docs", "SYMLINK_ESCAPE", "ln -sfn deep/notes.md docs/");
    refuses("read m/absolute.md --root m=docs", "SYMLINK_ESCAPE", "only relative symlinks");
}

#[test]
fn other_input_files_must_be_inside_the_roots() {
    let sandbox = project();
    sandbox.write("secret/p", "find\n").write("docs/p", "find\n");
    for line in [
        "grep -f {p} docs",
        "read --addresses-from {p}",
        "read --batch {p}",
        "patch apply {p}",
        "patch replace docs/guide.md --text find --content-file {p}",
    ] {
        let outside = line.replace("{p}", "secret/p");
        let outcome = run(&sandbox, &format!("{outside} --root docs")).exits(2);
        assert!(outcome.errors().contains("outside the root"), "{line}: {outcome}");
    }
    run(&sandbox, "grep -c -f docs/p docs/guide.md --root docs").succeeds().prints("1\n");
    let edits = r#"{"filePath":"secret/s.md","operation":"append","wholeFile":true,"content":"x"}"#;
    sandbox
        .run_with_input(&["patch", "apply", "-", "--root", "docs"], edits)
        .exits(2)
        .tells("outside the root");
    sandbox
        .run_with_input(
            &["read", "--batch", "-", "--root", "docs"],
            "{\"address\":\"secret/s.md\"}",
        )
        .exits(2)
        .tells("outside the root");
}

#[test]
fn invalid_roots_are_reported() {
    let check = |line: &str, message: &str| {
        run(&project(), line).exits(2).prints("").tells(message);
    };
    check("read x --root nix", "--root 'nix': No such file or directory");
    check("read x --root docs/guide.md", "--root 'docs/guide.md': Not a directory");
    check("read x --root m=", "the directory is missing");
    check("read x --root m=docs --root m=other", "two directories have the name 'm'");
    check("read x --root .=docs", "cannot be a name");
    let sandbox = Sandbox::with(&[("a=b/x.md", "x\n")]);
    run(&sandbox, "read a=b/x.md --root a=b").exits(2).tells("--root ./a=b");
    run(&sandbox, "read a=b/x.md --root ./a=b").succeeds().prints("x\n");
}

// Commands below roots.

#[test]
fn edits_and_their_undo_stay_below_a_root() {
    let sandbox = project();
    let edit = "patch replace m/guide.md --section Set --content # --root m=docs";
    run(&sandbox, edit).exits(1);
    run(&sandbox, "patch replace m/inside.md --text too --content now --root m=docs").succeeds();
    assert!(fs::read_to_string(sandbox.path("docs/deep/notes.md")).unwrap().contains("me now"));
    assert!(sandbox.path("docs/inside.md").is_symlink());
    run(&sandbox, "patch replace other/only.md --text Only --content Just").succeeds();
    run(&sandbox, "patch create m/new.md --content x --root m=docs").succeeds();
    // The patch of `other` is outside this root.
    let listed = run(&sandbox, "undo --list --root docs").succeeds().text();
    assert!(!listed.contains("other") && listed.lines().count() == 2, "{listed}");
    run(&sandbox, "undo --root docs").succeeds();
    run(&sandbox, "undo --root docs").succeeds();
    run(&sandbox, "undo --root docs").exits(1);
    assert!(!sandbox.path("docs/new.md").exists());
    assert!(fs::read_to_string(sandbox.path("docs/deep/notes.md")).unwrap().contains("me too"));
    run(&sandbox, "undo 2 --root docs").exits(2).tells("patch 2 changed files outside the root");
    run(&sandbox, "undo --root other").succeeds();
    let edits = ["docs/guide.md", "other/only.md"].map(|path| {
        format!("{{\"filePath\":\"{path}\",\"operation\":\"append\",\"wholeFile\":true,\"content\":\"x\"}}\n")
    });
    run(&sandbox, "patch append docs/guide.md --all --content y").exits(2);
    sandbox.run_with_input(&["patch", "apply", "-"], &edits[0]).succeeds();
    sandbox.run_with_input(&["patch", "apply", "-"], edits.concat()).succeeds();
    // Only the last patch of the file itself is undone, at its current position.
    let outcome = run(&sandbox, "undo docs/guide.md --root docs").succeeds();
    assert!(!outcome.errors().contains("other"), "{outcome}");
}

#[test]
fn other_hard_links_of_a_file_are_reported() {
    let sandbox = project();
    fs::hard_link(sandbox.path("secret/s.md"), sandbox.path("docs/s.md")).unwrap();
    let edit = "patch replace docs/s.md --text find --content found";
    run(&sandbox, &format!("{edit} --root docs")).exits(2);
    let expected = "'docs/s.md': it has other names, which may lie outside the root";
    run(&sandbox, &format!("{edit} --in-place --root docs")).exits(0).tells(expected);
    let undone = run(&sandbox, "undo").exits(0);
    assert!(!undone.errors().contains("other names"), "{undone}");
}

#[test]
fn links_to_files_outside_cannot_be_checked() {
    let sandbox = Sandbox::with(&[
        ("docs/a.md", "[x](../secret.md) [y](b.md#b) [z](out.md) [w](/b.md) [v](/none.md)\n"),
        ("docs/b.md", "# B\n"),
        ("secret.md", "# S\n"),
    ]);
    symlink("../secret.md", sandbox.path("docs/out.md")).unwrap();
    let outcome = run(&sandbox, "links --root docs").exits(1);
    assert_eq!(
        outcome.text(),
        "docs/a.md:1:5: '../secret.md' is outside the root\n\
         docs/a.md:1:35: 'out.md' is outside the root\n\
         docs/a.md:1:58: '/none.md' is outside the root\n"
    );
    // The README of a directory is a symlink that points outside the root.
    sandbox.write("docs/sub/x.md", "").write("docs/c.md", "[x](sub#s)\n");
    symlink("../../secret.md", sandbox.path("docs/sub/README.md")).unwrap();
    run(&sandbox, "links docs/c.md").succeeds();
    run(&sandbox, "links docs/c.md --root docs")
        .exits(1)
        .prints("docs/c.md:1:5: 'sub' is outside the root\n");
    run(&sandbox, "links docs").exits(1).prints("docs/a.md:1:58: no file '/none.md'\n");
}

#[test]
fn ignore_rules_above_a_root_are_not_read() {
    let sandbox = Sandbox::with(&[
        (".ignore", "a.md\n"),
        (".gitignore", "b.md\n"),
        (".git/HEAD", ""),
        ("docs/.gitignore", "c.md\n"),
        ("docs/a.md", "x\n"),
        ("docs/b.md", "x\n"),
        ("docs/c.md", "x\n"),
        ("docs/d.md", "x\n"),
        ("rules", "d.md\n"),
    ]);
    symlink("../rules", sandbox.path("docs/.ignore")).unwrap();
    run(&sandbox, "grep -l x docs").exits(1);
    // Rules outside the root do not apply either.
    let found = |root: &str| run(&sandbox, &format!("grep -l x docs --root {root}")).text();
    assert_eq!(found("docs"), "docs/a.md\ndocs/b.md\ndocs/d.md\n");
    assert_eq!(found("."), "");
    run(&sandbox, "list docs --root docs").prints("docs/a.md\ndocs/b.md\ndocs/d.md\n");
}

#[test]
fn adjacent_and_nested_roots_contain_all_accessible_files() {
    let sandbox = project();
    sandbox.write("docs/x.md", "[x](../other/only.md#only-here) [y](../secret/s.md)\n");
    run(&sandbox, "read docs/../other/only.md --root docs --root other").succeeds();
    run(&sandbox, "read docs/../secret/s.md --root docs --root other").exits(2);
    run(&sandbox, "links docs/x.md --root docs --root other")
        .exits(1)
        .prints("docs/x.md:1:37: '../secret/s.md' is outside the root\n");
    symlink("../other", sandbox.path("docs/vend")).unwrap();
    let within = "--root docs --root docs/vend --root docs/deep --root docs";
    run(&sandbox, &format!("read docs/vend/only.md {within}")).succeeds();
    let found = run(&sandbox, "grep -c find --root docs --root docs/deep --root docs").text();
    assert_eq!(found, "docs/deep/notes.md:1\ndocs/guide.md:1\n");
    // The contents of a repository above the root are unknown.
    sandbox.write(".git/HEAD", "").write("docs/x.md", "[w](/docs/guide.md) [v](/app.ini)\n");
    run(&sandbox, "links docs --root docs")
        .exits(1)
        .prints("docs/x.md:1:5: '/docs/guide.md' is outside the root\n");
}

#[test]
fn names_of_roots_are_not_file_names() {
    let sandbox = project();
    sandbox.write("here/x.md", "[x](m/guide.md)\n").write("here/m2/y.md", "# Y\n");
    let mut command = sandbox.command();
    command.current_dir(sandbox.path("here"));
    let mounted = ["links", "x.md", "--root", ".", "--root", "m=../docs"];
    let outcome = crate::support::outcome(command.args(mounted), b"").exits(1);
    assert!(outcome.text().contains("no file 'm/guide.md'"), "{outcome}");
    let outside = run(&sandbox, "patch create m/new/a.md --content x --root m=docs").exits(2);
    assert!(outside.errors().contains("--parents"), "{outside}");
}

#[test]
fn the_logical_path_of_the_shell_is_the_current_directory() {
    let sandbox = project();
    symlink(".", sandbox.path("alias")).unwrap();
    let alias = sandbox.path("alias");
    let guide = alias.join("docs/guide.md");
    let mut command = sandbox.command();
    command.current_dir(&alias).env("PWD", &alias);
    let read = ["read", guide.to_str().unwrap(), "--root", "docs"];
    crate::support::outcome(command.args(read), b"").succeeds();
    // Even if the working directory has been deleted, files below the root can be accessed.
    let script = "mkdir g && cd g && rmdir ../g && \"$0\" read \"$1\" --root \"$2\"";
    let binary = env!("CARGO_BIN_EXE_folio");
    let (docs, guide) = (sandbox.path("docs"), sandbox.path("docs/guide.md"));
    let arguments = ["-c", script, binary, guide.to_str().unwrap(), docs.to_str().unwrap()];
    crate::support::outcome(sandbox.command_of("sh").args(arguments), b"").succeeds();
}

#[test]
fn a_trailing_slash_requires_a_directory() {
    let sandbox = project();
    symlink("guide.md/", sandbox.path("docs/slash.md")).unwrap();
    for line in [
        "read docs/guide.md/. --root docs",
        "read docs/slash.md --root docs",
        "patch replace docs/slash.md --text find --content lost --root docs",
        "read docs/guide.md/ --root docs",
    ] {
        run(&sandbox, line).exits(2).tells("Not a directory");
    }
    sandbox.run(&["read", "", "--root", "."]).exits(2).tells("No such file");
}

#[test]
fn trees_are_listed_in_the_same_order() {
    let sandbox =
        Sandbox::with(&[("1.md", "x\n"), ("@f.md", "x\n"), ("-g.md", "x\n"), ("a", "x\n")]);
    let usual = run(&sandbox, "grep -l x .").succeeds().text();
    assert_eq!(run(&sandbox, "grep -l x . --root .").succeeds().text(), usual);
    sandbox.write("A/A/f", "x\n");
    symlink("..", sandbox.path("A/A/l1")).unwrap();
    symlink("A/A", sandbox.path("l1")).unwrap();
    let usual = run(&sandbox, "grep -l --follow x .");
    let confined = run(&sandbox, "grep -l --follow x . --root .").exits(usual.status.unwrap());
    assert_eq!(confined.text(), usual.text());
}

#[test]
fn a_tree_may_be_as_deep_as_a_path_is_long() {
    let sandbox = Sandbox::with(&[("v/a.md", "x\n")]);
    let mut directory = fs::File::open(sandbox.path("v")).unwrap();
    for _ in 0..9_000 {
        use rustix::fs::{Mode, OFlags, mkdirat, openat};
        mkdirat(&directory, "d", Mode::from_raw_mode(0o777)).unwrap();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        directory = openat(&directory, "d", flags, Mode::empty()).unwrap().into();
    }
    let usual = run(&sandbox, "grep -l x v").exits(2);
    let confined = run(&sandbox, "grep -l x v --root .").exits(2);
    assert_eq!(confined.text(), usual.text());
    assert!(confined.errors().contains("name too long"), "{}", confined.errors().len());
    // The sandbox cannot remove paths of this length, but `rm` can.
    crate::support::outcome(sandbox.command_of("rm").args(["-rf", "v"]), b"").exits(0);
}

#[test]
fn hints_are_data_in_json() {
    let sandbox = project();
    let line = "read m/guide.md --section Setup --root m=docs --json";
    let error = run(&sandbox, line).exits(1).json_errors().remove(0);
    let hint = &error.hints[0];
    assert_eq!(hint.command.as_deref(), Some("read"), "{error:?}");
    let words = ["m/guide.md", "--section", "## Set up", "--root", "m=docs", "--json"];
    assert_eq!(hint.args, words.map(|word| Text::Text(word.to_owned())).to_vec(), "{error:?}");
    assert_eq!(hint.why, "similar, at line 5");
    assert_eq!(error.suggestions[0], format!("{}  # {}", hint.line, hint.why));
    let outcome = run(&sandbox, "links m/app.ini --root m=docs --json");
    let note = outcome.errors();
    let hints = r#""hints":[{"line":"folio links --root m=docs --json --as markdown m/app.ini","command":"links","args":["--root","m=docs","--json","--as","markdown","m/app.ini"],"why":"to check it"}]"#;
    assert!(note.contains(r#""filePath":"m/app.ini""#) && note.contains(hints), "{note}");
}

#[test]
fn hints_show_the_accessible_directories() {
    let sandbox = project();
    let outcome = run(&sandbox, "read m/guide.md --section Setup --root m=docs").exits(1);
    let hint = "folio read m/guide.md --section '## Set up' --root m=docs";
    assert!(outcome.errors().contains(hint), "{outcome}");
    sandbox.run(&["--root", "m=docs", "read", "m/guide.md", "--section", "## Set up"]).succeeds();
    for (line, command) in [
        (
            "read m/guide.md --max-lines 2 --root m=docs",
            "folio read --max-lines 2 --root m=docs m/guide.md:3-",
        ),
        ("links m/app.ini --root m=docs", "folio links --root m=docs --as markdown m/app.ini"),
        ("--root=-d read ./-d/x", " --root=-d "),
    ] {
        sandbox.write("-d/y.md", "x\n");
        let messages = run(&sandbox, line).errors();
        assert!(messages.contains(command), "{line}: {messages}");
    }
    run(&sandbox, "--root docs raed x").exits(2).tells("folio read x  # similar");
    run(&sandbox, "--root docs --help").succeeds();
    run(&sandbox, "--root docs").exits(2).tells("--root needs a command");
    let listed = run(&sandbox, "list --limit 1 --root m=docs").exits(0);
    let next = "folio list --limit 1 --root m=docs m --offset 1\n";
    assert!(listed.errors().contains(next), "{listed}");
}
