//! Messages for edits that cannot be made: the reason, similar names, and commands that can be
//! pasted.

use std::path::Path;

use super::check_refused_with_hint;
use crate::support::{Outcome, Sandbox, outcome};

const GUIDE: &str = "# Guide\n\nIntro.\n\n## Install\n\nRun:\n\n```sh\nmake\n```\n\n### Linux\n\n\
    apt. foo\n\n## Usage\n\nUse it\u{2019}s foo.\n\n## Install\n\nagain\n";
const INI: &str = "; top\n[a]\nname = x\nhost = 1\nhost = 2\n[b]\nport = 1\n[a]\nz = 2\n";

fn files() -> Sandbox {
    Sandbox::with(&[("guide.md", GUIDE), ("app.ini", INI), ("plain.txt", "one\ntwo\n")])
}

/// Runs a line in a shell.
#[track_caller]
fn pasted(sandbox: &Sandbox, line: &str) -> Outcome {
    let folio = Path::new(env!("CARGO_BIN_EXE_folio")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = sandbox.command_of("bash");
    command.env("PATH", format!("{}:{path}", folio.display())).args(["-c", line]);
    outcome(&mut command, b"")
}

/// Checks the message of an edit that cannot be made. Each suggested command runs, and `works` is
/// one of them. The failed edit changes nothing.
#[track_caller]
fn check(edit: &str, status: i32, message: &str, works: &str) {
    let sandbox = files();
    let run = pasted(&sandbox, &format!("folio patch {edit}")).exits(status);
    let errors = run.errors();
    assert!(errors.contains(message), "expected: {message}\n{edit}: {run}");
    for (name, text) in [("guide.md", GUIDE), ("app.ini", INI), ("plain.txt", "one\ntwo\n")] {
        assert_eq!(std::fs::read_to_string(sandbox.path(name)).unwrap(), text, "{edit}");
    }
    let hints: Vec<&str> = errors.lines().filter_map(|line| line.strip_prefix("hint: ")).collect();
    assert!(!hints.is_empty(), "no hint: {edit}: {run}");
    assert!(hints.iter().any(|hint| hint.contains(works)), "expected: {works}\n{edit}: {run}");
    // Words in capitals are placeholders.
    let whole = |hint: &&str| {
        let gaps = [" NAME", " SECTION", " FILE", " --as ini"];
        hint.starts_with("folio ") && !gaps.iter().any(|gap| hint.contains(gap))
    };
    for hint in hints.into_iter().filter(whole) {
        let sandbox = files();
        let run = pasted(&sandbox, hint);
        assert_eq!(run.status, Some(0), "{edit}: {hint}: {run}");
    }
}

#[test]
fn a_missing_name_is_reported_with_similar_names() {
    let similar = "folio patch append guide.md --section '## Usage' -c X";
    check("append guide.md --section Usag -c X", 1, "no section 'Usag'", similar);
    check("append guide.md --section usage -c X", 1, "no section 'usage'", similar);
    check("delete guide.md --heading Linx", 1, "'Linx'", "delete guide.md --heading '### Linux'");
    check(
        "rename guide.md --heading Usag -c New",
        1,
        "'Usag'",
        "rename guide.md --heading '## Usage' -c New",
    );
    check(
        "replace guide.md --in Usag --text foo -c bar",
        1,
        "no section 'Usag'",
        "replace guide.md --in '## Usage' --text foo -c bar",
    );
    check("delete guide.md --anchor usag", 1, "no anchor '#usag'", "--anchor usage");
    check("delete guide.md#usag", 1, "no anchor '#usag'", "delete 'guide.md#usage'");
    check("delete guide.md --code-block 7", 1, "no code block 7", "folio inspect --only code");
    check(
        "replace app.ini --section b --key prot --value -c 9",
        1,
        "no key 'prot'",
        "--section b --key port --value -c 9",
    );
    check("append gide.md --section Usage -c X", 2, "No such file", "append guide.md --section");
}

#[test]
fn an_ambiguous_name_is_reported_with_a_command_for_each_part() {
    check(
        "replace guide.md --section Install -c '## Setup'",
        3,
        "2 sections match 'Install'",
        "folio patch replace guide.md --section 'Guide > Install[1]' -c '## Setup'",
    );
    check(
        "replace app.ini --section a --key name --value -c 9",
        3,
        "2 sections match 'a'",
        "[1]' --key name --value -c 9",
    );
    check(
        "replace app.ini --section a[1] --key host --value -c 9",
        3,
        "2 entries match 'a.host'",
        "--key 'a[1].host[0]' --value -c 9",
    );
    check(
        "replace guide.md --text foo --unique -c bar",
        3,
        "'foo' occurs 2 times",
        "--occurrence first",
    );
}

#[test]
fn a_missing_text_is_reported_with_the_closest_match_and_an_option() {
    let check = |text: &str, kind: &str, flag: &str| {
        check(&format!("replace guide.md --text {text} -c bar"), 1, kind, flag);
    };
    check(
        "'intro.'",
        "closest match: line 3, with different case at column 1",
        "-c bar --ignore-case",
    );
    check(
        "'apt.  foo'",
        "closest match: line 15, with different whitespace at column 5",
        "-c bar --ignore-whitespace",
    );
    check("\"it's foo\"", "closest match: line 19", "-c bar --normalize-unicode");
    check("'apt. fob'", "at column 8: 'o' instead of 'b'", "--show-whitespace guide.md:15");
    check("'zzz'", "text not found: 'zzz'", "folio read guide.md");
}

#[test]
fn missing_lines_are_reported_with_the_number_of_lines() {
    check("delete plain.txt:3", 1, "no line 3: the file has 2 lines", "folio read plain.txt");
    check("delete plain.txt:2-9", 1, "the file has 2 lines", "folio read plain.txt");
    check("insert plain.txt --lines 9 -c x", 1, "the file has 2 lines", "folio read plain.txt");
}

#[test]
fn an_incomplete_command_is_reported_with_a_complete_one() {
    check(
        "replace plain.txt -c x",
        2,
        "needs a part of the file",
        "folio patch replace plain.txt -c x --whole-file",
    );
    check("delete plain.txt", 2, "needs a part", "folio patch delete plain.txt --whole-file");
    check("replace plain.txt:1", 2, "needs content", "--content TEXT");
    check("replace plain.txt:1 -c ''", 2, "content is empty", "folio patch delete plain.txt:1");
    check("create plain.txt -c x", 2, "already exists", "replace plain.txt -c x --whole-file");
    check("create far/a.md -c x", 2, "does not exist", "--parents");
    check("replace guide.md --in Usage -c '## Usage'", 2, "--in", "--section Usage");
    check("delete plain.txt --key k", 1, "this file is text", "--as ini");
    check("delete plain.txt:1,2", 2, "one range", "FILE:1-3");
}

#[test]
fn a_conflict_is_reported_with_a_solution() {
    check("append guide.md -c --- --exact", 4, "'## again'", "--force");
    check("delete guide.md --section Guide --max-delete 3", 4, "limit of 3", "--force");
    check("replace guide.md --text foo --expect 3 -c x", 4, "2 times, not 3", "folio grep");
    let guard = "delete plain.txt:1 --if-match 000000000000";
    check(guard, 4, "not 000000000000", "folio read --checksum plain.txt");
}

#[test]
fn an_unusual_file_name_is_quoted_for_the_shell() {
    let name = "it's a $(file) \"name\".md";
    let sandbox = Sandbox::with(&[(name, "# One\n\n## It's \"two\" $x\n")]);
    let run = sandbox.run(&["patch", "delete", name, "--section", "It's \"two\" $y"]).exits(1);
    let errors = run.errors();
    let hint = errors.lines().find_map(|line| line.strip_prefix("hint: folio patch")).unwrap();
    pasted(&sandbox, &format!("folio patch{hint}")).exits(0);
    assert_eq!(std::fs::read_to_string(sandbox.path(name)).unwrap(), "# One\n");
}

/// A file may consist of one long line.
#[test]
fn candidates_in_long_lines_are_shortened() {
    let sandbox = Sandbox::with(&[("a.txt", &"word ".repeat(20_000))]);
    let outcome = sandbox.run(&["patch", "replace", "a.txt", "-T", "word", "-c", "x", "--unique"]);
    let outcome = outcome.exits(3).tells("…");
    assert!(outcome.errors().len() < 8000, "{}", outcome.errors().len());
}

#[test]
fn a_misspelled_heading_is_reported_with_the_existing_one() {
    let sandbox = Sandbox::with(&[("a.md", "# T\n\n## Installation\n\ntext\n")]);
    let outcome = check_refused_with_hint(
        &sandbox,
        &["replace", "a.md", "--heading", "## Instalation", "-c", "## New"],
        1,
        "TARGET_NOT_FOUND",
    );
    let error = outcome.json_error();
    assert!(error.message.contains("## Instalation"), "{outcome}");
    let offered = format!("{:?} {:?}", error.suggestions, error.candidates);
    assert!(offered.contains("Installation") && offered.contains('3'), "{outcome}");
    assert!(error.suggestions.iter().any(|hint| hint.contains("folio inspect")), "{outcome}");
}

#[test]
fn a_hint_writes_only_if_the_command_would() {
    let sandbox = Sandbox::with(&[("a.md", "# Setup\nx\n")]);
    let line = ["patch", "delete", "a.md", "--section", "Setp"];
    let errors_of = |more: &[&str]| sandbox.run(&[&line[..], more].concat()).exits(1).errors();
    let dry = errors_of(&["--dry-run", "--in-place", "--max-delete", "9", "--as", "markdown"]);
    let flags = "--dry-run --in-place --max-delete 9 --as markdown  # similar";
    assert!(dry.contains(flags), "{dry}");
    let hint = dry.lines().find_map(|line| line.strip_prefix("hint: ")).unwrap();
    outcome(&mut crate::generated::shell(&sandbox, hint), b"").exits(0);
    assert_eq!(std::fs::read_to_string(sandbox.path("a.md")).unwrap(), "# Setup\nx\n");
    assert!(!errors_of(&[]).contains("--dry-run"));
    let guarded = errors_of(&["--if-range-match", "0123456789ab"]);
    assert!(guarded.contains("--if-range-match 0123456789ab"), "{guarded}");
}

#[test]
fn hints_edit_the_same_file_and_keep_the_content() {
    let sandbox = Sandbox::with(&[("notes.md", "x\n"), ("note2.md", "y\n"), ("-a.md", "# A\n")]);
    let run = sandbox.run(&["patch", "append", "nots.md", "-c", "hi"]).exits(2);
    let run = run
        .tells("hint: folio patch append notes.md -c hi  # similar")
        .tells("hint: folio inspect note2.md  # similar");
    run.tells("hint: folio patch create nots.md -c hi  # to make it");
    let piped = sandbox.run_with_input(&["patch", "append", "new.md", "-f", "-"], "hi\n").exits(2);
    piped.tells("folio patch create new.md -f -");
    let edit = r#"{"filePath":"-a.md","operation":"delete","target":{"section":"B"}}"#;
    sandbox.run_with_input(&["patch", "apply", "-"], edit).exits(1).tells("folio inspect ./-a.md");
    let guarded = ["patch", "replace", "notes.md:1", "-c", "z", "--if-range-match", "123456789012"];
    sandbox.run(&guarded).exits(4).tells("folio read --checksum notes.md:1");
    let spelt = ["patch", "replace", "notes.md", "--text", " X", "-i", "-c", "z"];
    let run = sandbox.run(&spelt).exits(1);
    assert!(run.errors().matches("--ignore-case").count() <= 1, "{run}");
    sandbox.write("two.md", "x x\n");
    let unique = ["patch", "replace", "two.md", "--text", "x", "--unique", "-c", "z"];
    let run = sandbox.run(&unique).exits(3);
    run.tells("folio patch replace two.md --text x -c z --occurrence first");
}
