//! Names that do not exist: similar names are suggested, and `--resolve` finds a file by its name.

use crate::support::Sandbox;
use crate::support::records::{Piece, Record};

#[test]
fn a_file_in_a_subdirectory_is_suggested_by_its_name() {
    let sandbox =
        Sandbox::with(&[("docs/deep/only.md", "# A\n"), ("a/two.md", ""), ("b/two.md", "")]);
    for (command, hint) in [
        (&["read", "only.md"][..], "folio read docs/deep/only.md"),
        (&["inspect", "only.md"], "folio inspect docs/deep/only.md"),
        (&["grep", "x", "only.md"], "folio grep x docs/deep/only.md"),
        (&["links", "only.md"], "folio links docs/deep/only.md"),
        (&["patch", "delete", "x/only.md", "--section", "A"], "folio inspect docs/deep/only.md"),
    ] {
        let outcome = sandbox.run(command).exits(2);
        outcome
            .tells(&format!("hint: {hint}  # the only file of that name below this directory\n"));
    }
    let two = sandbox.run(&["read", "two.md"]).exits(2);
    assert!(!two.errors().contains("two.md  #"), "{two}");
}

#[test]
fn every_command_finds_a_file_by_its_name() {
    let sandbox = Sandbox::with(&[
        ("docs/deep/only.md", "# A\n[x](#b)\n"),
        ("a/two.md", ""),
        ("b/two.md", ""),
    ]);
    let found = |words: &[&str], status: i32, part: &str| {
        let outcome = sandbox.run(&[words, &["--resolve"]].concat()).exits(status);
        let expected = "note: 'only.md' does not exist, using 'docs/deep/only.md'";
        assert!(outcome.text().contains(part), "{outcome}");
        outcome.tells(expected);
    };
    found(&["read", "only.md:1"], 0, "# A");
    found(&["inspect", "only.md"], 0, "docs/deep/only.md:1-2:# A");
    found(&["grep", "-H", "x", "only.md"], 0, "docs/deep/only.md:2:");
    found(&["links", "only.md"], 1, "docs/deep/only.md:2:");
    let list = sandbox.run(&["list", "x/deep", "--resolve"]).exits(0).prints("docs/deep/only.md\n");
    list.tells("note: 'x/deep' does not exist, using 'docs/deep'");
    sandbox
        .run(&["list", "only.md", "--resolve"])
        .exits(2)
        .tells("and no file below has this name");
    found(&["patch", "replace", "only.md", "--text", "x", "-c", "y", "-d"], 0, "+[y](#b)");
    for words in [
        &["read", "two.md"][..],
        &["inspect", "two.md"],
        &["grep", "x", "two.md"],
        &["links", "two.md"],
        &["patch", "delete", "two.md:1"],
    ] {
        let outcome = sandbox.run(&[words, &["--resolve"]].concat()).exits(3);
        outcome.tells("2 files have this name");
    }
    sandbox
        .run(&["inspect", "none.md", "--resolve"])
        .exits(2)
        .tells("and no file below has this name");
}

#[test]
fn the_difference_of_a_name_is_reported() {
    let text = "# A\n\n## Set  up\n\n## No\u{a0}break\n\n## Other\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let check = |command: &[&str], name: &str, why: &str| {
        let words = [command, &["a.md", "--section", name]].concat();
        sandbox.run(&words).exits(1).tells(&format!("  # {why}\n"));
    };
    check(&["read"], "Set up", "it differs only in blanks, at line 3");
    check(&["read"], "No break", "it differs only in blanks, at line 5");
    check(&["read"], "no break", "it differs only in blanks and case, at line 5");
    let delete = ["patch", "delete"];
    check(&delete, "A > other", "it differs only in case, at line 7");
    check(&delete, "## OTHER", "it differs only in case, at line 7");
    check(&delete, "Othr", "similar, at line 7");
}

#[test]
fn five_of_several_files_with_the_same_name_are_suggested() {
    let sandbox = Sandbox::new();
    for directory in ["a", "b", "c", "d", "e", "f", "g"] {
        sandbox.write(format!("{directory}/same.md"), "x\n");
    }
    let outcome = sandbox.run(&["read", "--json", "--resolve", "same.md"]).exits(3).prints("");
    let error = outcome.json_error();
    assert_eq!(error.code, "AMBIGUOUS_PATH");
    assert!(error.message.contains('7'), "{outcome}");
    let offered = error.suggestions.iter().filter(|hint| hint.contains("same.md")).count();
    assert_eq!(offered, 5, "{outcome}");
}

#[test]
fn a_unique_file_name_is_found() {
    let sandbox =
        Sandbox::with(&[("sub/deep/one.md", "1\n2\n"), ("a/two.md", ""), ("b/two.md", "")]);
    let outcome = sandbox.run(&["read", "--resolve", "wrong/one.md:2"]).exits(0).prints("2\n");
    assert!(outcome.errors().contains("sub/deep/one.md"), "{outcome}");
    let outcome = sandbox.run(&["read", "--resolve", "--json", "one.md"]).exits(0);
    assert_eq!(Piece::one(&outcome).file_path, "sub/deep/one.md");
    let outcome = sandbox.run(&["read", "--resolve", "--json", "two.md"]).exits(3).prints("");
    assert_eq!(outcome.json_error().code, "AMBIGUOUS_PATH");
    let outcome = sandbox.run(&["read", "--resolve", "two.md"]).exits(3);
    assert!(outcome.errors().contains("a/two.md") && outcome.errors().contains("b/two.md"));
    sandbox.run(&["read", "--resolve", "three.md"]).exits(2);
    sandbox.run(&["read", "one.md"]).exits(2);
}

/// The hint for a misspelled file contains the other arguments of the command line.
#[test]
fn a_misspelled_file_is_replaced_in_the_command_line() {
    let sandbox = Sandbox::with(&[("guide.md", "# Install\n\ntext\n")]);
    for (line, hint) in [
        (&["read", "giude.md", "-s", "Install"][..], "folio read guide.md -s Install"),
        (&["read", "giude.md:1-2"], "folio read guide.md:1-2"),
        (&["grep", "-i", "TEXT", "giude.md"], "folio grep -i TEXT guide.md"),
        (&["inspect", "--flat", "giude.md"], "folio inspect --flat guide.md"),
        (&["read", "guide.md#instal"], "folio read 'guide.md#install'"),
    ] {
        let outcome = sandbox.run(line);
        assert!(outcome.status != Some(0), "{line:?}");
        outcome.tells(&format!("hint: {hint}  # similar"));
    }
}
