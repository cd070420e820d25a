//! `folio edit`: the text that the editor gets, and what becomes of the edited text. If it cannot
//! be written, the file is unchanged and the text is kept.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::support::{Outcome, Sandbox, utf16};

const DOCUMENT: &str = "\
---
title: Guide
---
# Guide

One.

## Install

Run make.

```sh
make
```

## Use

- item
";

/// Runs `folio edit` with a script as the editor. The file is `$1` in the script. Keeps a copy of
/// the text that the editor got.
#[track_caller]
fn edit(sandbox: &Sandbox, arguments: &[&str], script: &str) -> Outcome {
    let editor = sandbox.path("editor.sh");
    sandbox
        .write("editor.sh", format!("cp \"$1\" '{}'\n{script}\n", shown_path(sandbox).display()));
    let editor = format!("sh {}", editor.display());
    let arguments = [&["edit"], arguments].concat();
    sandbox.run_with_environment(&arguments, &[("EDITOR", &editor)])
}

fn shown_path(sandbox: &Sandbox) -> PathBuf {
    sandbox.path("shown")
}

/// Returns the files of edited texts that were kept.
fn kept(sandbox: &Sandbox) -> Vec<PathBuf> {
    let entries = |path: &Path| {
        let entries = std::fs::read_dir(path).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    let all = sandbox.path(".local/state/folio/edits");
    entries(&all).iter().flat_map(|directory| entries(directory)).collect()
}

/// Checks the text that the editor gets, and the document after the edit.
#[track_caller]
fn check(document: &str, arguments: &[&str], shown: &str, script: &str, expected: &str) {
    let sandbox = Sandbox::with(&[("a.md", document), ("a.ini", document)]);
    edit(&sandbox, arguments, script).succeeds();
    let read = |name: &str| std::fs::read_to_string(sandbox.path(name)).unwrap();
    assert_eq!(read("shown"), shown, "{arguments:?}");
    let name = if arguments[0].starts_with("a.ini") { "a.ini" } else { "a.md" };
    assert_eq!(read(name), expected, "{arguments:?}");
    assert_eq!(kept(&sandbox), Vec::<PathBuf>::new());
    if document != expected {
        sandbox.run(&["undo"]).succeeds();
        assert_eq!(read(name), document, "{arguments:?}");
    }
}

#[track_caller]
fn check_part(arguments: &[&str], shown: &str, script: &str, old: &str, new: &str) {
    check(DOCUMENT, arguments, shown, script, &DOCUMENT.replacen(old, new, 1));
}

#[test]
fn parts_are_opened_and_written_back() {
    let install = "## Install\n\nRun make.\n\n```sh\nmake\n```\n";
    let sed = "sed -i 's/make/just/g' \"$1\"";
    check(
        DOCUMENT,
        &["a.md", "--section", "Install"],
        install,
        sed,
        &DOCUMENT.replace("make", "just"),
    );
    check(DOCUMENT, &["a.md#install"], install, sed, &DOCUMENT.replace("make", "just"));
    check_part(
        &["a.md", "--heading", "Use"],
        "## Use\n",
        "echo '## Usage' > \"$1\"",
        "## Use\n",
        "## Usage\n",
    );
    check_part(
        &["a.md", "--body", "Use"],
        "- item\n",
        "echo '- two' >> \"$1\"",
        "- item\n",
        "- item\n- two\n",
    );
    check_part(
        &["a.md", "--code-block", "sh:0"],
        "make\n",
        "echo run >> \"$1\"",
        "make\n```",
        "make\nrun\n```",
    );
    check_part(&["a.md:6"], "One.\n", "echo Two. > \"$1\"", "One.", "Two.");
    check_part(&["a.md", "--lines", "16-17"], "## Use\n\n", sed_to("Use", "Us"), "## Use", "## Us");
    check_part(&["a.md", "--text", "One"], "One.\n", "echo Two. > \"$1\"", "One.", "Two.");
    check_part(&["a.md", "-e", "^O.e"], "One.\n", "echo Two. > \"$1\"", "One.", "Two.");
    check_part(
        &["a.md", "--front-matter"],
        "---\ntitle: Guide\n---\n",
        sed_to("Guide", "Handbook"),
        "title: Guide",
        "title: Handbook",
    );
    check_part(
        &["a.md", "--front-matter", "--key", "title", "--value"],
        "Guide\n",
        "echo 'Pod: Life' > \"$1\"",
        "Guide",
        "'Pod: Life'",
    );
    check_part(
        &["a.md", "--target", r##"{"section":"Use"}"##],
        "## Use\n\n- item\n",
        sed_to("item", "thing"),
        "item",
        "thing",
    );
    check_part(&["a.md"], DOCUMENT, sed_to("One", "Two"), "One", "Two");
}

fn sed_to(old: &str, new: &str) -> &'static str {
    Box::leak(format!("sed -i 's/{old}/{new}/' \"$1\"").into_boxed_str())
}

#[test]
fn keys_of_ini_files_are_edited() {
    let document = "[a]\nhost = x\n\n[b]\nhost = y ; why\n";
    let expected = "[a]\nhost = x\n\n[b]\nhost = z ; why\n";
    check(
        document,
        &["a.ini", "-s", "b", "--key", "host"],
        "host = y ; why\n",
        sed_to("y ", "z "),
        expected,
    );
    let value = ["a.ini", "-s", "b", "--key", "host", "--value"];
    check(document, &value, "y\n", "printf z > \"$1\"", expected);
    check(document, &["a.ini", "-s", "b"], "[b]\nhost = y ; why\n", sed_to("y ", "z "), expected);
}

#[test]
fn blank_lines_around_a_part_belong_to_the_document() {
    let document = "# A\n\none\n\n\n# B\n";
    let shown = "# A\n\none\n";
    check(
        document,
        &["a.md", "-s", "A"],
        shown,
        "echo two >> \"$1\"",
        "# A\n\none\ntwo\n\n\n# B\n",
    );
    // No line ending is added to a last line without one.
    check("# A\none", &["a.md", "-s", "A"], "# A\none\n", "echo two >> \"$1\"", "# A\none\ntwo");
    let crlf = "# A\r\n\r\none\r\n\r\n# B\r\n";
    let expected = "# A\r\n\r\none\r\ntwo\r\n\r\n# B\r\n";
    check(crlf, &["a.md", "-s", "A"], "# A\r\n\r\none\r\n", "echo two >> \"$1\"", expected);
    let mixed = "# A\r\n\r\none\ntwo\r\nthree\nfour\r\n\r\n# B\r\n";
    let expected = "# A\r\n\r\none\ntwo\r\nnew\r\nthree\nfour\r\n\r\n# B\r\n";
    let shown = "# A\r\n\r\none\ntwo\r\nthree\nfour\r\n";
    check(mixed, &["a.md", "-s", "A"], shown, "sed -i 's/^three/new\\nthree/' \"$1\"", expected);
}

#[test]
fn marks_of_quotes_and_lists_are_not_shown() {
    let quoted = "> ## Q\n>\n> text\n\nend\n";
    let expected = "> ## Q\n>\n> text\n> more\n\nend\n";
    check(quoted, &["a.md", "-s", "Q"], "## Q\n\ntext\n", "echo more >> \"$1\"", expected);
    let listed = "- item\n\n  ```sh\n  make\n\n  run\n  ```\n";
    let expected = "- item\n\n  ```sh\n  make\n\n  run\n  end\n  ```\n";
    check(listed, &["a.md", "--code-block", "0"], "make\n\nrun\n", "echo end >> \"$1\"", expected);
    // A line without a quote marker would look the same as one with it, so all lines are shown
    // unchanged.
    let lazy = "> ## Q\n> text\nlazy\n";
    let expected = "> ## Q\n> text\nlazy\n> more\n";
    check(lazy, &["a.md", "-s", "Q"], lazy, "echo '> more' >> \"$1\"", expected);
}

#[test]
fn unchanged_text_does_not_change_the_file() {
    for text in [DOCUMENT, "# Install", "# Install\r\na\nb\r\n", "> # Install\nlazy\n", ""] {
        check(text, &["a.md"], &with_end(text), "touch \"$1\"", text);
        if text.contains("Install") {
            let sandbox = Sandbox::with(&[("a.md", text)]);
            let before = std::fs::metadata(sandbox.path("a.md")).unwrap().mtime_nsec();
            let outcome = edit(&sandbox, &["a.md", "-s", "Install"], "true").succeeds();
            assert!(outcome.text().contains("unchanged"), "{outcome}");
            assert_eq!(std::fs::metadata(sandbox.path("a.md")).unwrap().mtime_nsec(), before);
            let json = edit(&sandbox, &["a.md", "-s", "Install", "--json"], "true").succeeds();
            assert_eq!(json.json()["status"], "unchanged");
        }
    }
}

fn with_end(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

#[test]
fn an_encoding_is_kept() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", utf16("# Ä\n\nö\n\n# B\n", true));
    edit(&sandbox, &["a.md", "-s", "Ä"], "echo ü >> \"$1\"").succeeds();
    assert_eq!(std::fs::read_to_string(sandbox.path("shown")).unwrap(), "# Ä\n\nö\n");
    let expected = utf16("# Ä\n\nö\nü\n\n# B\n", true);
    assert_eq!(std::fs::read(sandbox.path("a.md")).unwrap(), expected);
}

#[test]
fn the_text_is_private_and_has_the_name_of_its_document() {
    let sandbox = Sandbox::with(&[("d/a b.md", DOCUMENT)]);
    edit(
        &sandbox,
        &["d/a b.md", "-s", "Use"],
        "echo \"$1\" > name; stat -c %a \"$1\" \"${1%/*}\" > modes",
    )
    .succeeds();
    let name = std::fs::read_to_string(sandbox.path("name")).unwrap();
    assert!(name.ends_with("/a b.md\n"), "{name}");
    assert_eq!(std::fs::read_to_string(sandbox.path("modes")).unwrap(), "600\n700\n");
}

/// Checks the status and the message of an edit that cannot be applied. The document has the
/// contents that the script wrote, and the edited text is kept.
#[track_caller]
fn check_kept(arguments: &[&str], script: &str, code: &str, message: &str) -> (Sandbox, Outcome) {
    let sandbox = Sandbox::with(&[("a.md", DOCUMENT)]);
    let outcome = edit(&sandbox, &[arguments, &["--json"]].concat(), script);
    let errors = outcome.errors();
    assert!(errors.contains(&format!("\"{code}\"")), "{outcome}");
    assert!(errors.contains(message), "{outcome}");
    let kept = kept(&sandbox);
    assert_eq!(kept.len(), 1, "{outcome}");
    assert!(errors.contains(kept[0].to_str().unwrap()), "{outcome}");
    assert!(
        errors.contains("folio patch replace") && errors.contains("--content-file"),
        "{outcome}"
    );
    (sandbox, outcome)
}

#[test]
fn a_change_by_another_program_is_a_conflict() {
    let section = ["a.md", "--section", "Install"];
    let other = "sed -i s/make/other/ a.md; echo mine >> \"$1\"";
    let (sandbox, outcome) =
        check_kept(&section, other, "FILE_CHANGED", "read --json a.md --section Install");
    outcome.exits(4);
    let now = std::fs::read_to_string(sandbox.path("a.md")).unwrap();
    assert_eq!(now, DOCUMENT.replace("make", "other"));
    // The command in the hint applies the text.
    let kept = kept(&sandbox).remove(0);
    let line = ["patch", "replace", "a.md", "--section", "Install", "--content-file"];
    let line = [&line[..], &[kept.to_str().unwrap(), "--no-preserve-indent"]].concat();
    sandbox.run(&line).succeeds();
    let now = std::fs::read_to_string(sandbox.path("a.md")).unwrap();
    assert!(now.contains("mine\n\n## Use\n"), "{now}");

    let gone = "sed -i 's/## Install/## Setup/' a.md; echo mine >> \"$1\"";
    check_kept(&section, gone, "FILE_CHANGED", "another program has changed the file").1.exits(4);
    // Line numbers are valid only while the file is unchanged.
    let moved = "sed -i '5i new' a.md; echo mine >> \"$1\"";
    check_kept(&["a.md:6"], moved, "FILE_CHANGED", "read --json a.md:6").1.exits(4);
    check_kept(&["a.md", "--code-block", "0"], moved, "FILE_CHANGED", "").1.exits(4);
    check_kept(&["a.md", "--text", "One"], moved, "FILE_CHANGED", "").1.exits(4);
}

#[test]
fn a_change_elsewhere_is_not_a_conflict() {
    let sandbox = Sandbox::with(&[("a.md", DOCUMENT)]);
    let other = "sed -i s/One/Other/ a.md; echo mine >> \"$1\"";
    edit(&sandbox, &["a.md", "-s", "Use"], other).succeeds();
    let now = std::fs::read_to_string(sandbox.path("a.md")).unwrap();
    assert_eq!(now, DOCUMENT.replace("One", "Other") + "mine\n");
}

#[test]
fn the_text_of_a_refused_edit_is_kept() {
    let fence = "printf '```\\nopen\\n' >> \"$1\"";
    let (sandbox, outcome) =
        check_kept(&["a.md", "-s", "Install"], fence, "STRUCTURE_CHANGED", "--force");
    outcome.exits(4);
    assert_eq!(std::fs::read_to_string(sandbox.path("a.md")).unwrap(), DOCUMENT);
}

#[test]
fn many_lines_may_be_deleted() {
    let lines = "line\n".repeat(500);
    let document = format!("# A\n\n{lines}\n# B\n");
    check(
        &document,
        &["a.md", "-s", "A"],
        &format!("# A\n\n{lines}"),
        "echo '# A' > \"$1\"",
        "# A\n\n# B\n",
    );
}

#[test]
fn an_editor_that_fails_writes_nothing() {
    let sandbox = Sandbox::with(&[("a.md", DOCUMENT)]);
    let outcome = edit(&sandbox, &["a.md", "-s", "Use"], "exit 3").exits(2);
    outcome.tells("exit status: 3").tells("nothing was written");
    assert_eq!(kept(&sandbox), Vec::<PathBuf>::new());
    // The edited text is kept.
    check_kept(
        &["a.md", "-s", "Use"],
        "echo mine >> \"$1\"; exit 1",
        "IO_ERROR",
        "nothing was written",
    )
    .1
    .exits(2);
    let outcome = edit(&sandbox, &["a.md", "-s", "Use"], "rm \"$1\"").exits(2);
    outcome.tells("No such file");
    // An empty text is refused.
    for script in [": > \"$1\"", "echo > \"$1\""] {
        let outcome = edit(&sandbox, &["a.md", "-s", "Use"], script).exits(2);
        outcome.tells("folio patch delete a.md -s Use");
    }
    assert_eq!(kept(&sandbox), Vec::<PathBuf>::new());
    assert_eq!(std::fs::read_to_string(sandbox.path("a.md")).unwrap(), DOCUMENT);
}

#[test]
fn the_editor_is_the_one_of_the_environment() {
    let sandbox = Sandbox::with(&[("a.md", DOCUMENT), ("b c.sh", "echo \"$1\" >> \"$2\"\n")]);
    let line = ["edit", "a.md", "-s", "Use"];
    let run = |environment: &[(&str, &str)]| sandbox.run_with_environment(&line, environment);
    // A shell splits the command into words and removes quotes.
    run(&[("EDITOR", "sh 'b c.sh' 'two words'")]).succeeds();
    run(&[("VISUAL", "sh 'b c.sh' visual"), ("EDITOR", "false")]).succeeds();
    run(&[("VISUAL", "false"), ("EDITOR", "sh 'b c.sh' dumb"), ("TERM", "dumb")]).succeeds();
    run(&[("VISUAL", ""), ("EDITOR", "sh 'b c.sh' none")]).succeeds();
    let expected = DOCUMENT.to_owned() + "two words\nvisual\ndumb\nnone\n";
    assert_eq!(std::fs::read_to_string(sandbox.path("a.md")).unwrap(), expected);
    run(&[]).exits(2).tells("VISUAL nor EDITOR").tells("export EDITOR=");
    run(&[("EDITOR", "no-such-program")]).exits(2).tells("'no-such-program' failed");
    assert_eq!(kept(&sandbox), Vec::<PathBuf>::new());
}

#[test]
fn invalid_edits_are_reported_before_the_editor_opens() {
    let two = "# A\n\n# A\n";
    let sandbox = Sandbox::with(&[("a.md", DOCUMENT), ("two.md", two), ("named.md", two)]);
    std::fs::hard_link(sandbox.path("named.md"), sandbox.path("linked.md")).unwrap();
    let opens = "touch opened";
    let check = |arguments: &[&str], status: i32, message: &str| {
        edit(&sandbox, arguments, opens).exits(status).tells(message);
        assert!(!sandbox.path("opened").exists(), "{arguments:?}");
    };
    check(&["a.md", "-s", "Instal"], 1, "folio edit a.md -s '## Install'");
    check(&["a.md", "--text", "Onee"], 1, "text not found: 'Onee'");
    check(&["a.md:99"], 1, "line 99");
    check(&["two.md", "-s", "A"], 3, "folio edit two.md -s");
    check(&["linked.md", "-s", "A[2]"], 2, "--in-place");
    check(&["-"], 2, "edit needs a file");
    check(&["none.md"], 2, "No such file");
    check(&["names.md"], 2, "folio edit named.md  # similar");
    check(&["."], 2, "directory");
    check(&["a.md", "-s", "Use", "-c", "x"], 2, "folio patch replace");
    edit(&sandbox, &["linked.md", "-s", "A[2]", "--in-place"], "echo x >> \"$1\"").succeeds();
    assert_eq!(std::fs::read_to_string(sandbox.path("named.md")).unwrap(), "# A\n\n# A\nx\n");
}

#[test]
fn files_that_are_not_regular_are_refused_immediately() {
    for script in ["mkfifo \"$1\"", "mkdir \"$1\"", "ln -s /dev/zero \"$1\"", "ln -s fifo \"$1\""] {
        let sandbox = Sandbox::with(&[("a.md", DOCUMENT)]);
        let script = format!("rm \"$1\"; {script}");
        let refused = edit(&sandbox, &["a.md", "--section", "Install"], &script);
        assert_eq!(refused.status, Some(2), "{script}: {refused}");
        assert!(refused.errors().contains("not a regular file"), "{script}: {refused}");
        // The editor may have saved the text in another file.
        assert!(refused.errors().contains("the editor's files are kept in"), "{refused}");
        assert_eq!(std::fs::read_to_string(sandbox.path("a.md")).unwrap(), DOCUMENT);
    }
}
