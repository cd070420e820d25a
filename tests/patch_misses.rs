//! Messages for edits that cannot be made: the reason, similar names, and commands that can be
//! pasted.

use std::path::Path;

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
    let text = |name: &str| std::fs::read_to_string(sandbox.path(name)).unwrap();
    assert_eq!((&*text("a.md"), &*text("c.md")), ("n n\n", "n\ny\n"));
    replace(&["--occurrence", "all"]).exits(1).tells("text not found: 'x' in 4 files");
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

#[test]
fn a_dry_run_shows_an_edit_that_deletes_too_much() {
    let sandbox = Sandbox::with(&[("a.md", &format!("# A\n\n{}", "line\n".repeat(300)))]);
    let delete = ["patch", "delete", "a.md", "-s", "A"];
    sandbox.run(&delete).exits(4).tells("-s A --dry-run");
    let shown = sandbox.run(&[&delete[..], &["--dry-run"]].concat()).exits(0);
    let shown = shown.tells("the edit would be refused: 302 lines would be deleted");
    assert!(shown.text().contains("-line"), "{shown}");
    let piped = sandbox
        .run_with_input(&["patch", "append", "-", "-s", "A", "-c", "x", "--dry-run"], "# A\n");
    assert!(!piped.exits(0).errors().contains("refused"));
}
