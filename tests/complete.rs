//! Completion of names: the answers of the binary to the scripts, the scripts in bash, zsh and
//! fish, and the completed command lines, which must run.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::pty::openpty;

use crate::support::{Outcome, Sandbox, drain, outcome, within_deadline};

const GUIDE: &str = "\
---
title: Guide
draft: no
---
# Guide
intro
## Install
one
### From source
two
## It's \"quoted\" `code` $HOME!
three
## Überblick größer
four
## a: b = c
five
## back\\\\slash *and* more
six
## # no mark
seven
## Log
### Install
<a id=\"here\"></a>
eight
```bash
x
```
```ini
y
```
";

const APP: &str = "top=1\n[server]\nport=1\n[data base]\nhost=2\nhost=3\n";

/// Headings with characters that have a special meaning in shells or in names. A different text is
/// below each heading.
const HARD: &[&str] = &[
    "plain",
    "two words",
    "a'b",
    "a\"b",
    "'all'",
    "\"all\"",
    "x `y` z",
    "$HOME and ${x} and $(true)",
    "50% \\& more; true | cat > f < g",
    "# mark",
    "~",
    "tail #1",
    "a/b",
    "a > b",
    "-n dash",
    "--section",
    "[brackets] (round) {curly}",
    "star \\* and \\?",
    "wow!",
    "wow! again",
    "日本語 のテキスト",
    "é: à",
    "key=value",
    "tab\\\\slash",
    "^caret^",
];

fn sandbox() -> Sandbox {
    Sandbox::with(&[("guide.md", GUIDE), ("app.ini", APP)])
}

fn hard() -> Sandbox {
    let text: String = HARD
        .iter()
        .enumerate()
        .map(|(at, name)| format!("# {}\nbody {at}.\n", name.replace("# mark", "\\# mark")))
        .collect();
    Sandbox::with(&[("hard.md", &text)])
}

/// Requests candidates in the same way as fish. `|` is the cursor, and blanks separate words.
#[track_caller]
fn ask(sandbox: &Sandbox, line: &str) -> Outcome {
    let (before, after) = line.split_once('|').unwrap();
    let mut words: Vec<&str> = before.split(' ').collect();
    let count = (words.len() - 1).to_string();
    words.extend(after.split(' ').filter(|word| !word.is_empty()));
    let outcome = sandbox.run(&[&["__complete", "fish", &count], &words[..]].concat());
    assert_eq!(outcome.errors(), "", "{line}");
    outcome
}

/// Checks the values of the candidates.
#[track_caller]
fn offers(sandbox: &Sandbox, line: &str, expected: &[&str]) {
    let output = ask(sandbox, line).exits(0).text();
    let values: Vec<&str> =
        output.lines().map(|line| line.split_once('\t').expect("what it is").0).collect();
    assert_eq!(values, expected, "{line}");
}

const SECTIONS: &[&str] = &[
    "Guide",
    "Guide > Install",
    "From source",
    "It's \"quoted\" code $HOME!",
    "Überblick größer",
    "a: b = c",
    "back\\slash and more",
    "# no mark",
    "Log",
    "Log > Install",
];

#[test]
fn only_files_below_roots_are_completed() {
    let sandbox = Sandbox::with(&[("docs/a.md", "# A\n"), ("b.md", "# B\n")]);
    offers(&sandbox, "folio read m/a.md --root m=docs --section |", &["A"]);
    offers(&sandbox, "folio --root m=docs read m/a.md --section |", &["A"]);
    offers(&sandbox, "folio --root=docs read b.md --section |", &[]);
    offers(&sandbox, "folio --root nix read b.md --section |", &[]);
}

#[test]
fn every_option_for_a_part_offers_the_parts_of_the_file() {
    let sandbox = sandbox();
    for flag in ["section", "body", "heading", "in"] {
        offers(&sandbox, &format!("folio read guide.md --{flag} |"), SECTIONS);
        offers(&sandbox, &format!("folio patch delete guide.md --{flag} |"), SECTIONS);
    }
    offers(&sandbox, "folio grep x guide.md --in |", SECTIONS);
    offers(&sandbox, "folio read --section | guide.md", SECTIONS);
    offers(&sandbox, "folio read -n --section=| guide.md:5", SECTIONS);
    offers(&sandbox, "folio-read guide.md#log --section |", SECTIONS);
    offers(&sandbox, "folio read ~/guide.md --section |", SECTIONS);
    offers(&sandbox, "folio read guide.md --in Log --section |", &["Log", "Log > Install"]);
    offers(&sandbox, "folio read guide.md --in Log --anchor |", &["log", "install-1", "here"]);
    offers(&sandbox, "folio read guide.md --code-block |", &["0", "1", "bash:0", "ini:0"]);
    sandbox.write("t.md", "# A\n\n| x | y |\n|---|---|\n\n| z |\n|---|\n");
    offers(&sandbox, "folio read t.md --table |", &["0", "1"]);
    offers(&sandbox, "folio read guide.md --front-matter --key |", &["title", "draft"]);
    offers(&sandbox, "folio read app.ini --section |", &["server", "data base"]);
    offers(&sandbox, "folio read app.ini --key |", &["top"]);
    offers(&sandbox, "folio patch replace app.ini --section server --key |", &["port"]);
    offers(&sandbox, "folio read app.ini --section=data --key |", &["host[0]", "host[1]"]);
    offers(&sandbox, "folio read app.ini --as text --section |", &[]);
    sandbox.write("notes.txt", "== A\nx\n== B\ny\n");
    offers(&sandbox, "folio read notes.txt --section-pattern ^== --in |", &["== A", "== B"]);
}

#[test]
fn addresses_are_completed_with_anchors() {
    let output = ask(&sandbox(), "folio read guide.md#|").exits(0).text();
    assert!(output.starts_with("guide.md#guide\tline 5\nguide.md#install\t"), "{output}");
    assert!(output.ends_with("guide.md#here\tline 23\n"), "{output}");
}

fn collections() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("work/guide/setup.md", "# Setup\n"),
        ("work/guide/a b.md", "# Two\n"),
        ("work/.ignore", "left.md\n"),
        ("work/left.md", "# Left\n"),
        ("work/notes.md", "# Notes\n"),
    ]);
    let add = ["collection", "add", "docs", "work", "--alias", "d", "--description", "The guide"];
    sandbox.run(&add).succeeds();
    sandbox.run(&["collection", "add", "api", "work/guide"]).exits(0);
    sandbox
}

#[test]
#[cfg_attr(not(feature = "search"), ignore = "needs the feature search")]
fn collections_and_their_documents_are_offered() {
    let sandbox = collections();
    let names = ["api", "docs", "d"];
    for line in ["search -c ", "related notes.md -c", "collection show ", "collection remove "] {
        offers(&sandbox, &format!("folio {line} |").replace("  ", " "), &names);
    }
    let addresses = ["@api/", "@docs/", "@d/"];
    for line in ["read @|", "related @|", "grep x @d|", "patch delete @|", "search -c @|"] {
        offers(&sandbox, &format!("folio {line}"), &addresses);
    }
    offers(&sandbox, "folio read @d/|", &["@d/guide/", "@d/notes.md"]);
    offers(&sandbox, "folio read @docs/guide/se|", &["@docs/guide/a b.md", "@docs/guide/setup.md"]);
    offers(&sandbox, "folio read @d/guide/setup.md#|", &["@d/guide/setup.md#setup"]);
    offers(&sandbox, "folio read @d/guide/setup.md --section |", &["Setup"]);
    offers(&sandbox, "folio read --root work/guide @|", &["@api/"]);
    let output = ask(&sandbox, "folio read @d|").exits(0).text();
    assert!(output.contains("@d/\tThe guide\n"), "{output}");
    // A word that is not a collection may be a directory or a file.
    for line in ["search -c wo|", "search -c ./|", "read @x|", "read @gone/|", "collection add x |"]
    {
        ask(&sandbox, &format!("folio {line}")).exits(3).prints("");
    }
}

#[test]
fn lists_are_offered() {
    let sandbox = sandbox();
    let has = |line: &str, wanted: &str| {
        let output = ask(&sandbox, line).exits(0).text();
        assert!(
            output.lines().any(|line| line.split('\t').next() == Some(wanted)),
            "{line}: {output}"
        );
    };
    has("folio |", "read");
    has("folio |", "help");
    has("folio help |", "addresses");
    has("folio help |", "grep");
    has("folio schema |", "inspect");
    has("folio man |", "read");
    has("folio grep -t |", "rust");
    has("folio read guide.md --as |", "markdown");
    has("folio patch |", "rename");
    has("folio inspect --only code,|", "code,anchors");
}

#[test]
fn patches_that_can_be_undone_are_offered() {
    let sandbox = sandbox();
    ask(&sandbox, "folio undo |").exits(3);
    sandbox.run(&["patch", "delete", "guide.md", "--section", "From source"]).succeeds();
    sandbox.run(&["patch", "delete", "app.ini:1"]).succeeds();
    let output = ask(&sandbox, "folio undo |").exits(0).text();
    assert_eq!(output, "2\tdelete app.ini\n1\tdelete guide.md\n");
    ask(&sandbox, "folio undo g|").exits(3);
}

#[test]
fn the_shell_completes_other_words() {
    let sandbox = sandbox();
    for line in ["folio read |", "folio patch delete |", "folio links gui|", "folio read -- --x|"] {
        ask(&sandbox, line).exits(3).prints("");
    }
    for line in
        ["folio --|", "folio read --sec|", "folio grep |", "folio gone |", "folio read --text |"]
    {
        ask(&sandbox, line).exits(1).prints("");
    }
    for arguments in [&["__complete"][..], &["__complete", "csh"], &["__complete", "bash", "9"]] {
        sandbox.run(arguments).exits(1).prints("");
    }
    sandbox.run(&["__complete", "zsh", "9", "folio"]).exits(0);
}

#[test]
fn unreadable_files_are_skipped_silently() {
    let sandbox = sandbox();
    sandbox.write("binary.md", b"# A\n\0\n").write("latin.md", b"# caf\xe9\n# B\n");
    sandbox.write("dir/x.md", "# X\n").write("tabs.md", "# a\tb\n# c\n#\n");
    outcome(sandbox.command_of("mkfifo").arg("pipe.md"), b"").succeeds();
    for file in ["gone.md", "binary.md", "pipe.md", "dir", "-", ""] {
        offers(&sandbox, &format!("folio read {file} --section |"), &[]);
    }
    offers(&sandbox, "folio read latin.md --section |", &["B"]);
    offers(&sandbox, "folio read latin.md --encoding latin1 --section |", &["café", "B"]);
    offers(&sandbox, "folio read tabs.md --section |", &["c"]);
    sandbox.write("other.md", "# Log\n# Other\n");
    let several = "folio read gone.md app.ini:1 other.md --section |";
    offers(&sandbox, several, &["server", "data base", "Log", "Other"]);
}

#[test]
fn only_the_beginning_of_a_large_file_is_read() {
    let sandbox = Sandbox::new();
    let many: String = (0..40_000).map(|at| format!("# Same\n## {at}\n")).collect();
    let long = format!("# First\n{}\n# Last\n", "text of a line\n".repeat(3_000_000));
    sandbox.write("many.md", many).write("long.md", long);
    let begun = Instant::now();
    let output = ask(&sandbox, "folio read many.md --section |").exits(0).text();
    let count = output.lines().count();
    assert!((1000..=5000).contains(&count), "{count}");
    offers(&sandbox, "folio read long.md --section |", &["First"]);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn offered_names_are_accepted() {
    let sandbox = sandbox();
    let documents = [("guide.md", sandbox), ("hard.md", hard())];
    for (file, sandbox) in documents {
        let output = ask(&sandbox, &format!("folio read {file} --section |")).exits(0).text();
        assert!(output.lines().count() >= SECTIONS.len());
        for line in output.lines() {
            let (name, about) = line.split_once('\t').unwrap();
            let lines = about.split(' ').next_back().unwrap();
            let whole = sandbox.run(&["read", &format!("{file}:{lines}")]).succeeds();
            sandbox.run(&["read", file, "--section", name]).succeeds().prints(&whole.stdout);
        }
        let output = ask(&sandbox, &format!("folio read {file}#|")).exits(0).text();
        for line in output.lines() {
            sandbox.run(&["read", line.split('\t').next().unwrap()]).succeeds();
        }
    }
}

/// Returns the candidates that the bash function offers for a line with the cursor at `^`. `typed`
/// is the text that bash considers the word.
#[track_caller]
fn bash_offers(sandbox: &Sandbox, line: &str, typed: &str, expected: &[&str]) {
    bash_offers_by(sandbox, "9", line, typed, expected);
}

#[track_caller]
fn bash_offers_by(sandbox: &Sandbox, kind: &str, line: &str, typed: &str, expected: &[&str]) {
    let (before, behind) = line.split_once('^').unwrap();
    let words: Vec<&str> = before.split(' ').collect();
    let run = "source completions; COMP_LINE=$1$2; COMP_POINT=${#1}; COMP_TYPE=$3; typed=$4; shift 4\n\
               COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMPREPLY=()\n\
               _folio_ask \"$1\" \"$typed\" \"${COMP_WORDS[COMP_CWORD - 1]}\"\n\
               [ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' \"${COMPREPLY[@]}\"";
    let arguments = ["--norc", "-c", run, "bash", before, behind, kind, typed];
    let mut command = sandbox.command_of("bash");
    command.args(arguments).args(&words).env("PATH", path());
    let result = outcome(&mut command, b"");
    assert_eq!(result.errors(), "", "{line}");
    let text = result.text();
    assert_eq!(text.lines().collect::<Vec<_>>(), expected, "{line}");
}

/// Returns a `PATH` in which this binary comes first.
fn path() -> std::ffi::OsString {
    let binary = Path::new(env!("CARGO_BIN_EXE_folio")).parent().unwrap().to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(binary).chain(std::env::split_paths(&path))).unwrap()
}

/// Returns a `PATH` without folio, even if folio is installed on this machine.
fn path_without_folio() -> std::ffi::OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_without = |directory: &std::path::PathBuf| !directory.join("folio").exists();
    std::env::join_paths(std::env::split_paths(&path).filter(is_without)).unwrap()
}

/// Whether a shell is installed. Writes its script next to the documents.
fn has(sandbox: &Sandbox, shell: &str, script: &str) -> bool {
    let there = sandbox.command_of(shell).arg("--version").output().is_ok();
    if !there {
        eprintln!("passed over: {shell} is not here");
    }
    let printed = sandbox.run(&["completions", shell]).succeeds();
    sandbox.write(script, printed.stdout);
    there
}

#[test]
fn bash_gets_words_that_continue_the_typed_text() {
    let sandbox = sandbox();
    if !has(&sandbox, "bash", "completions") {
        return;
    }
    let read = "folio read guide.md --section ";
    let check = |typed: &str, word: &str, expected: &[&str]| {
        bash_offers(&sandbox, &format!("{read}{typed}^"), word, expected);
    };
    check("Fr", "Fr", &["From\\ source"]);
    check("fr", "fr", &["From\\ source"]);
    check("From\\ so", "From\\ so", &["From\\ source"]);
    check("'From so", "From so", &["From source"]);
    check("\"From so", "From so", &["From source"]);
    check("It", "It", &[r#"It\'s\ \"quoted\"\ code\ \$HOME\!"#]);
    check("'It", "It", &[r#"It'\''s "quoted" code $HOME!"#]);
    check("\"It", "It", &[r#"It's \"quoted\" code \$HOME!"#]);
    check("Ü", "Ü", &["Überblick\\ größer"]);
    check("a:", "", &["\\ b\\ =\\ c"]);
    check("a:\\ b\\ ", "\\ b\\ ", &["\\ b\\ =\\ c"]);
    check("b", "b", &["back\\\\slash\\ and\\ more"]);
    check("\\#", "\\#", &["\\#\\ no\\ mark"]);
    check("nothing", "nothing", &[]);
    // Candidates that contain the text in the middle are displayed, but not inserted.
    check("Inst", "Inst", &[]);
    let line = format!("{read}Inst^");
    bash_offers_by(
        &sandbox,
        "63",
        &line,
        "Inst",
        &["Guide > Install  (level 2, lines 7-10)", "Log > Install  (level 3, lines 22-30)"],
    );
    let shown = ["Inst", "Guide\\ \\>\\ Install", "Log\\ \\>\\ Install"];
    bash_offers_by(&sandbox, "33", &line, "Inst", &shown);
    bash_offers(&sandbox, "folio read --section Fr^ guide.md", "Fr", &["From\\ source"]);
    bash_offers(&sandbox, "folio read --section 'Fr^om' guide.md", "Fr", &["From source"]);
    bash_offers(&sandbox, "folio read guide.md --section=Fr^", "Fr", &["From\\ source"]);
    bash_offers(&sandbox, "folio read guide.md#fr^", "guide.md#fr", &["guide.md#from-source"]);
    bash_offers(&sandbox, "folio read guide.md --code-block bash:^", "", &["0"]);
    bash_offers(&sandbox, "folio-read guide.md --section Fr^", "Fr", &["From\\ source"]);
    bash_offers(&sandbox, "folio read guide.md --format=j^", "j", &["json"]);
}

#[test]
#[cfg_attr(not(feature = "search"), ignore = "needs the feature search")]
fn bash_completes_names_in_collections() {
    let sandbox = collections();
    if !has(&sandbox, "bash", "completions") {
        return;
    }
    // bash splits words at `@`.
    bash_offers(&sandbox, "folio read @do^", "@do", &["@docs/"]);
    bash_offers(&sandbox, "folio read @do^", "do", &["docs/"]);
    bash_offers(&sandbox, "folio read @d/gu^", "d/gu", &["d/guide/"]);
    bash_offers(&sandbox, "folio read @d/guide/a^", "d/guide/a", &["d/guide/a\\ b.md"]);
    bash_offers(&sandbox, "folio search -c a^", "a", &["api"]);
}

#[test]
fn a_dash_begins_an_option() {
    let sandbox = sandbox();
    ask(&sandbox, "folio read guide.md -|").exits(1);
    ask(&sandbox, "folio read guide.md --|").exits(1);
    ask(&sandbox, "folio read app.ini --key |").exits(0).prints("top\tline 1\n");
}

#[test]
fn bash_completes_flags() {
    let sandbox = sandbox();
    if !has(&sandbox, "bash", "completions") {
        return;
    }
    bash_offers(&sandbox, "folio read --sh^", "--sh", &["--show-whitespace"]);
    bash_offers(&sandbox, "folio-read guide.md --sh^", "--sh", &["--show-whitespace"]);
    bash_offers(&sandbox, "folio --inst^", "--inst", &["--install"]);
    bash_offers(&sandbox, "folio read ^", "", &[]);
    // With an older version of folio or without folio, options are still completed.
    sandbox.write("folio", "#!/bin/sh\necho trouble >&2\nexit 2\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(sandbox.path("folio"), mode).unwrap();
    bash_offers(&sandbox, "./folio read --sh^", "--sh", &["--show-whitespace"]);
}

#[track_caller]
fn fish_offers(sandbox: &Sandbox, line: &str, expected: &[&str]) {
    let run = "source completions; complete -C $argv[1]";
    let mut command = sandbox.command_of("fish");
    let result = outcome(command.args(["--no-config", "-c", run, line]).env("PATH", path()), b"");
    assert_eq!(result.errors(), "", "{line}");
    assert_eq!(result.text().lines().collect::<Vec<_>>(), expected, "{line}");
}

#[test]
#[cfg_attr(not(feature = "search"), ignore = "needs the feature search")]
fn fish_offers_names_and_flags() {
    let sandbox = sandbox();
    if !has(&sandbox, "fish", "completions") {
        return;
    }
    let source = "From source\tlevel 3, lines 9-10";
    fish_offers(&sandbox, "folio read guide.md --section Fr", &[source]);
    fish_offers(&sandbox, "folio read guide.md --section 'From so", &[source]);
    fish_offers(&sandbox, "folio-read guide.md --section From\\ ", &[source]);
    let operations = ["create\tCreate a file"];
    fish_offers(&sandbox, "folio patch cr", &operations);
    fish_offers(&sandbox, "folio-patch cr", &operations);
    fish_offers(&sandbox, "folio patch delete cr", &[]);
    fish_offers(&sandbox, "folio completions z", &["zsh"]);
    let with_flag = format!("--section={source}");
    fish_offers(&sandbox, "folio read guide.md --section=Fr", &[&with_flag]);
    fish_offers(
        &sandbox,
        "folio patch rename guide.md --heading Übe",
        &["Überblick größer\tlevel 2, lines 13-14"],
    );
    fish_offers(
        &sandbox,
        "folio read app.ini --section 'data base' --key ",
        &["host[0]\tline 5", "host[1]\tline 6"],
    );
    fish_offers(&sandbox, "folio read guide.md#fr", &["guide.md#from-source\tline 9"]);
    fish_offers(&sandbox, "folio grep -t rust", &["rust\t*.rs"]);
    fish_offers(
        &sandbox,
        "folio help add",
        &["addresses\tHow to refer to files and parts of files"],
    );
    let flag = "--show-whitespace\tMake whitespace, line endings and invisible characters visible";
    fish_offers(&sandbox, "folio read guide.md --sh", &[flag]);
    fish_offers(&sandbox, "folio-read guide.md --sh", &[flag]);
    fish_offers(&sandbox, "folio read gui", &["guide.md"]);
    fish_offers(&sandbox, "folio read gone.md --section ", &[]);
    sandbox.run(&["patch", "delete", "app.ini:1"]).succeeds();
    fish_offers(&sandbox, "folio undo 1", &["1\tdelete app.ini"]);
    let sandbox = collections();
    has(&sandbox, "fish", "completions");
    fish_offers(&sandbox, "folio read @do", &["@docs/\tThe guide"]);
    fish_offers(&sandbox, "folio read @docs/guide/se", &["@docs/guide/setup.md"]);
    fish_offers(&sandbox, "folio search -c do", &["docs\tThe guide"]);
    fish_offers(&sandbox, "folio collection show do", &["docs\tThe guide"]);
}

#[test]
fn without_folio_no_names_are_offered() {
    let sandbox = sandbox();
    let bash = "source completions; COMP_LINE='folio read --sh'; COMP_POINT=15; COMP_TYPE=9\n\
                COMP_WORDS=(folio read --sh); COMP_CWORD=2; _folio_ask folio --sh read\n\
                echo ${COMPREPLY[@]}";
    let fish = "source completions; complete -C 'folio read guide.md --section '";
    for (shell, arguments, shown) in [
        ("bash", ["--norc", "-c", bash], "--show-whitespace\n"),
        ("fish", ["--no-config", "-c", fish], ""),
    ] {
        if has(&sandbox, shell, "completions") {
            let mut command = sandbox.command_of(shell);
            command.args(arguments).env("PATH", path_without_folio());
            outcome(&mut command, b"").succeeds().prints(shown);
        }
    }
}

/// Returns the screen of a shell on a terminal after these keys are typed.
#[track_caller]
fn typed(sandbox: &Sandbox, shell: &str, arguments: &[&str], keys: &str) -> String {
    let terminal = openpty(None, None).unwrap();
    let end = || Stdio::from(terminal.slave.try_clone().unwrap());
    let mut command = sandbox.command_of(shell);
    command.args(arguments).env("PATH", path()).env("TERM", "dumb").env("PS1", "> ");
    command.stdin(end()).stdout(end()).stderr(end());
    let mut child = command.spawn().unwrap();
    // The command also has file descriptors of the terminal.
    drop((command, terminal.slave));
    let mut master = File::from(terminal.master);
    let shown = drain(Some(master.try_clone().unwrap()));
    master.write_all(keys.as_bytes()).unwrap();
    let shown = within_deadline(&shown, &mut child);
    child.wait().unwrap();
    String::from_utf8_lossy(&shown).replace("\r\n", "\n")
}

/// Completes command lines and runs them. Each prints the section of the heading whose name was
/// completed.
#[track_caller]
fn completes_and_runs(shell: &str, arguments: &[&str], setup: &str, script: &str) {
    let sandbox = hard();
    if !has(&sandbox, shell, script) {
        return;
    }
    // The shortest unique beginning of each name, which a user would type.
    let beginnings = [
        ("plai", 0),
        ("two\\ ", 1),
        ("'two ", 1),
        ("\"two wo", 1),
        ("a\\'", 2),
        ("a\\\"", 3),
        ("\"a'", 2),
        ("'a\"", 3),
        ("\\'al", 4),
        ("\\\"al", 5),
        ("x", 6),
        ("\\$H", 7),
        ("'$H", 7),
        ("50", 8),
        ("\"50", 8),
        ("\\#", 9),
        ("tail", 11),
        ("a/", 12),
        ("a\\ ", 13),
        ("-n", 14),
        ("\\[br", 16),
        ("star", 17),
        ("\"wow! ", 19),
        ("'wow! ", 19),
        ("wow\\!\\ ", 19),
        ("日", 20),
        ("é:", 21),
        ("key=", 22),
        ("tab", 23),
        ("\\^", 24),
    ];
    let lines: String = beginnings
        .iter()
        .map(|(beginning, _)| format!("folio read hard.md --body {beginning}\t\n"))
        .collect();
    let shown = typed(&sandbox, shell, arguments, &format!("{setup}\n{lines}exit\n"));
    let printed: Vec<&str> = shown.lines().filter(|line| line.starts_with("body ")).collect();
    let expected: Vec<String> =
        beginnings.iter().map(|(_, number)| format!("body {number}.")).collect();
    assert_eq!(printed, expected, "{shell}: {shown}");
}

/// Checks that Tab continues after a directory, but not after a document.
#[track_caller]
fn goes_on_below_collections(shell: &str, arguments: &[&str], setup: &str, script: &str) {
    let sandbox = collections();
    if !has(&sandbox, shell, script) {
        return;
    }
    let lines =
        "folio read @do\tgu\tse\t\nfolio read @d/no\t\nfolio search -c ap\t--limit 1 setup\n";
    let shown = typed(&sandbox, shell, arguments, &format!("{setup}\n{lines}exit\n"));
    let expected = ["# Setup", "# Notes", "@api/setup.md:1:Setup"];
    let printed: Vec<&str> = shown.lines().filter(|line| expected.contains(line)).collect();
    assert_eq!(printed, expected, "{shell}: {shown}");
}

#[test]
#[cfg_attr(not(feature = "search"), ignore = "needs the feature search")]
fn lines_below_collections_run_in_bash_and_zsh() {
    let bash = "source completions; bind 'set enable-bracketed-paste off'";
    let zsh = "fpath=($PWD $fpath); autoload -U compinit; compinit -u -D";
    let arguments = ["--norc", "--noprofile", "-i"];
    goes_on_below_collections("bash", &arguments, bash, "completions");
    goes_on_below_collections("zsh", &["-f", "-i"], zsh, "_folio");
}

#[test]
fn lines_that_tab_completes_in_bash_run() {
    let setup = "source completions; bind 'set enable-bracketed-paste off'";
    completes_and_runs("bash", &["--norc", "--noprofile", "-i"], setup, "completions");
}

#[test]
fn lines_that_tab_completes_in_zsh_run() {
    let setup = "fpath=($PWD $fpath); autoload -U compinit; compinit -u -D";
    completes_and_runs("zsh", &["-f", "-i"], setup, "_folio");
}

#[test]
fn zsh_completes_flags() {
    let sandbox = sandbox();
    if !has(&sandbox, "zsh", "_folio") {
        return;
    }
    let setup = "fpath=($PWD $fpath); autoload -U compinit; compinit -u -D";
    let lines = "folio read guide.md:6 --form\tj\t\nfolio read --section Fr\t guide.md\n\
                 folio-read guide.md:8 --form\tj\t\nfolio sch\tpat\t\n";
    let keys = format!("folio-read() {{ folio read \"$@\"; }}\n{setup}\n{lines}exit\n");
    let shown = typed(&sandbox, "zsh", &["-f", "-i"], &keys);
    for part in ["\"content\":\"intro\\n\"", "\ntwo\n", "\"content\":\"one\\n\"", "\"$schema\""] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}
