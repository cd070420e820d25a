//! The inputs of `folio grep`: operands, files that cannot be read or that disappear, standard
//! input without data, and a terminal.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use crate::support::{Outcome, Sandbox, drain, outcome, terminal, within_deadline};

/// Maximum duration of a run. A longer run hangs.
const DEADLINE: Duration = Duration::from_secs(60);

fn tree() -> Sandbox {
    Sandbox::with(&[
        ("docs/a.md", "# A\n\nfoo one\n"),
        ("docs/b.md", "# B\n\nfoo two\n"),
        ("docs/deep/c.md", "foo three\n"),
        (".hidden.md", "foo hidden\n"),
        (".ignore", "ignored.md\n"),
        ("ignored.md", "foo ignored\n"),
        ("top.md", "nothing\n"),
    ])
}

const ALL: &str = "docs/a.md:3:foo one\ndocs/b.md:3:foo two\ndocs/deep/c.md:1:foo three\n";

#[track_caller]
fn check(arguments: &[&str], expected: &str) {
    tree().run(&[&["grep"], arguments].concat()).succeeds().prints(expected);
}

// Operands.

#[test]
fn an_explicitly_named_file_is_always_searched() {
    check(&["foo", "docs/a.md"], "3:foo one\n");
    check(&["foo", "./docs/../docs/a.md"], "3:foo one\n");
    check(&["-H", "foo", "./docs/a.md"], "./docs/a.md:3:foo one\n");
    check(&["-k", "foo", "docs/a.md"], "docs/a.md:3:foo one\n");
    check(&["foo", ".hidden.md"], "1:foo hidden\n");
    check(&["foo", "ignored.md"], "1:foo ignored\n");
    check(&["foo", "docs/"], ALL);
    check(&["foo", "docs/b.md", "docs/a.md"], "docs/b.md:3:foo two\ndocs/a.md:3:foo one\n");
    check(&["foo", "docs/a.md", "docs/a.md"], "docs/a.md:3:foo one\n");
    let sandbox = tree();
    let whole = sandbox.path("docs/a.md");
    let arguments = [OsStr::new("grep"), OsStr::new("-H"), OsStr::new("foo"), whole.as_os_str()];
    let expected = format!("{}:3:foo one\n", whole.display());
    sandbox.run(&arguments).succeeds().prints(expected);
}

#[test]
fn a_pattern_that_looks_like_an_option_gets_a_hint() {
    let sandbox = Sandbox::with(&[("a.txt", "--bar\n-x\n")]);
    sandbox.run(&["grep", "--bar", "a.txt"]).exits(2).tells("-e --bar");
    sandbox.run(&["grep", "--", "--bar", "a.txt"]).succeeds().prints("1:--bar\n");
    sandbox.run(&["grep", "-e-x", "a.txt"]).succeeds().prints("2:-x\n");
    sandbox.run(&["grep", "--regexp=-x", "a.txt"]).succeeds().prints("2:-x\n");
    sandbox.run(&["grep", "-e", "-x", "-e", "--bar", "-c", "a.txt"]).succeeds().prints("2\n");
    sandbox.run(&["grep", "-Fwe", "-x", "a.txt"]).succeeds().prints("2:-x\n");
    let in_section = ["grep", "--in", "-a", "-e", "x", "a.txt"];
    sandbox.run(&in_section).exits(1).tells("no section '-a'");
}

// Unreadable files.

#[test]
fn a_broken_symlink_is_reported_and_the_rest_searched() {
    let sandbox = tree();
    symlink("nowhere.md", sandbox.path("dangling.md")).unwrap();
    let outcome = sandbox.run(&["grep", "foo", "dangling.md", "docs"]).exits(2);
    assert_eq!(outcome.text(), ALL);
    let told = outcome.tells("'dangling.md': No such file").tells("a link to 'nowhere.md'");
    assert!(!told.errors().contains("similar"), "{told}");
    // A walk follows symlinks only with -L.
    sandbox.run(&["grep", "foo"]).succeeds().prints(ALL);
    let outcome = sandbox.run(&["grep", "-L", "foo"]).exits(2).tells("dangling.md");
    assert_eq!(outcome.text(), ALL);
}

#[test]
fn a_symlink_loop_is_reported_and_the_rest_searched() {
    let sandbox = tree();
    symlink(".", sandbox.path("docs/up")).unwrap();
    symlink("self.md", sandbox.path("self.md")).unwrap();
    let outcome = sandbox.run(&["grep", "-L", "foo", "docs"]).exits(2).tells("docs/up");
    assert_eq!(outcome.text(), ALL);
    let outcome = sandbox.run(&["grep", "foo", "self.md", "docs/a.md"]).exits(2).tells("self.md");
    assert_eq!(outcome.text(), "docs/a.md:3:foo one\n");
    let json = sandbox.run(&["grep", "--json", "foo", "self.md", "docs/a.md"]).exits(2);
    assert_eq!(json.json_error().file_path.unwrap().as_str(), "self.md");
}

#[test]
fn an_unreadable_file_is_reported_and_the_rest_searched() {
    let sandbox = tree();
    let locked = sandbox.path("docs/b.md");
    std::fs::set_permissions(&locked, Permissions::from_mode(0o000)).unwrap();
    if File::open(&locked).is_ok() {
        // Shown with `--nocapture`, because tests cannot be skipped at run time.
        eprintln!("whoever runs this may read every file: nothing is tested");
        return;
    }
    let outcome = sandbox.run(&["grep", "foo", "docs"]).exits(2);
    assert_eq!(outcome.text(), ALL.replace("docs/b.md:3:foo two\n", ""));
    outcome.tells("'docs/b.md': Permission denied");
}

/// Runs a command that waits for a FIFO, and changes the tree while it is waiting.
fn while_it_waits(arguments: &[&str], meanwhile: impl FnOnce(&Sandbox)) -> Outcome {
    let sandbox = tree();
    outcome(sandbox.command_of("mkfifo").arg("pipe"), b"").succeeds();
    let pipe = sandbox.path("pipe");
    let mut command = sandbox.command();
    let mut child = command.args(arguments).spawn().unwrap();
    let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
    let (sender, opened) = mpsc::channel();
    // Opening succeeds as soon as the command is waiting at the other end.
    std::thread::spawn(move || sender.send(OpenOptions::new().write(true).open(pipe)));
    let Ok(opened) = opened.recv_timeout(DEADLINE) else {
        let _ = child.kill();
        panic!("it does not open the pipe");
    };
    meanwhile(&sandbox);
    opened.unwrap().write_all(b"foo piped\n").unwrap();
    let stdout = within_deadline(&stdout, &mut child);
    let stderr = within_deadline(&stderr, &mut child);
    Outcome { status: child.wait().unwrap().code(), stdout, stderr }
}

#[test]
fn files_that_are_deleted_or_changed_during_a_search_are_handled() {
    let arguments = ["grep", "-j1", "-k", "foo", "pipe", "docs"];
    let outcome = while_it_waits(&arguments, |sandbox| {
        std::fs::remove_file(sandbox.path("docs/a.md")).unwrap();
        sandbox.write("docs/b.md", "foo now\n# B\n");
        std::fs::remove_dir_all(sandbox.path("docs/deep")).unwrap();
    });
    let outcome = outcome.exits(2).tells("'docs/a.md': No such file").tells("docs/deep/c.md");
    assert_eq!(outcome.text(), "pipe:1:foo piped\ndocs/b.md:1:foo now\n");
}

// Standard input.

#[test]
fn a_wait_for_standard_input_is_reported() {
    let sandbox = tree();
    let mut command = sandbox.command();
    let mut child = command.args(["grep", "foo"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let stderr = child.stderr.take().unwrap();
    let (sender, told) = mpsc::channel();
    std::thread::spawn(move || {
        let mut lines = BufReader::new(stderr).lines();
        let _ = sender.send(lines.next());
        lines.count()
    });
    let told = told.recv_timeout(DEADLINE).expect("a remark").unwrap().unwrap();
    assert!(told.contains("waiting for standard input"), "{told}");
    assert!(told.contains("to process files, name them"), "{told}");
    stdin.write_all(b"one\nfoo\n").unwrap();
    drop(stdin);
    let stdout = drain(child.stdout.take());
    assert_eq!(within_deadline(&stdout, &mut child), b"2:foo\n");
    assert!(child.wait().unwrap().success());
}

// On a terminal.

#[track_caller]
fn on_terminal(sandbox: &Sandbox, arguments: &[&str], expected: &str) {
    let mut command = sandbox.command();
    command.arg("grep").args(arguments).env("NO_COLOR", "1").env("TERM", "xterm");
    assert_eq!(terminal::printed(&mut command), expected, "{arguments:?}");
}

#[test]
fn on_a_terminal_matches_are_grouped_by_file() {
    let sandbox = tree();
    let grouped = "docs/a.md\n3:foo one\n\ndocs/b.md\n3:foo two\n\ndocs/deep/c.md\n1:foo three\n";
    on_terminal(&sandbox, &["foo", "docs"], grouped);
    on_terminal(&sandbox, &["-k", "foo", "docs"], grouped);
    on_terminal(&sandbox, &["foo", "docs/a.md"], "3:foo one\n");
    on_terminal(&sandbox, &["-I", "foo", "docs/a.md", "docs/b.md"], "3:foo one\n3:foo two\n");
    on_terminal(&sandbox, &["-l", "foo", "docs/a.md", "docs/b.md"], "docs/a.md\ndocs/b.md\n");
    on_terminal(&sandbox, &["-c", "foo", "docs/a.md", "docs/b.md"], "docs/a.md:1\ndocs/b.md:1\n");
    let context = ["-B1", "foo", "docs/a.md", "docs/b.md"];
    on_terminal(&sandbox, &context, "docs/a.md\n2-\n3:foo one\n\ndocs/b.md\n2-\n3:foo two\n");
    let whole = "==> docs/a.md:1-3 <==\n# A\n\nfoo one\n\n==> docs/b.md:1-3 <==\n# B\n\nfoo two\n";
    on_terminal(&sandbox, &["-W", "foo", "docs/a.md", "docs/b.md"], whole);
}

#[test]
fn matches_in_whole_sections_are_colored_and_a_blank_line_separates_sections() {
    let log = "# A\n\nfoo one, foo\nbar\n\n# B\n\nbar\n\n# C\n\n```\nfoo code\n```\nfoo two\n";
    let sandbox = Sandbox::with(&[("a.md", log), ("b.md", "# D\nfoo\n\n"), ("c.md", "foo")]);
    let painted = |arguments: &[&str]| {
        let line = [&["grep", "-W", "--color", "always"], arguments].concat();
        let text = sandbox.run(&line).succeeds().text();
        text.replace("\u{1b}[31;1m", "<").replace("\u{1b}[0m", ">")
    };
    let shown = painted(&["foo", "a.md", "--outside-code"]);
    assert!(shown.contains("\n<foo> one, <foo>\nbar\n\n==> "), "{shown:?}");
    // Text that is not a match is not highlighted.
    assert!(shown.contains("\nfoo code\n```\n<foo> two\n"), "{shown:?}");
    assert!(!painted(&["-v", "foo", "a.md"]).contains("<foo"));
    let plain = "==> b.md:1-3 <==\n# D\nfoo\n\n==> c.md:1 <==\nfoo\n";
    for jobs in ["1", "2"] {
        sandbox.run(&["grep", "-W", "-j", jobs, "foo", "b.md", "c.md"]).succeeds().prints(plain);
    }
    let turned = "==> c.md:1 <==\nfoo\n\n==> b.md:1-3 <==\n# D\nfoo\n\n";
    sandbox.run(&["grep", "-W", "foo", "c.md", "b.md"]).succeeds().prints(turned);
    let limited = ["grep", "-W", "--max-total", "2", "foo", "b.md", "c.md"];
    sandbox.run(&limited).succeeds().prints(plain);
}

#[test]
fn on_a_terminal_control_characters_are_escaped() {
    let sandbox = Sandbox::with(&[("a\u{1b}[2J.md", "foo \u{1b}[31m \u{202e}x\n")]);
    let mut command = sandbox.command();
    command.args(["grep", "foo", "."]).env("NO_COLOR", "1").env("TERM", "xterm");
    let printed = terminal::printed(&mut command);
    assert!(!printed.contains(['\u{1b}', '\u{202e}']), "{printed:?}");
    assert!(printed.contains("[2J.md\n1:foo "), "{printed:?}");
}

#[test]
fn on_a_terminal_names_lines_and_matches_are_colored() {
    let sandbox = tree();
    let mut command = sandbox.command();
    command.args(["grep", "-i", "FOO|two", "docs/a.md", "docs/b.md"]).env("TERM", "xterm");
    let printed = terminal::printed(&mut command);
    let expected = "\u{1b}[35mdocs/a.md\u{1b}[0m\n\u{1b}[32m3\u{1b}[0m:\
                    \u{1b}[31;1mfoo\u{1b}[0m one\n\n\
                    \u{1b}[35mdocs/b.md\u{1b}[0m\n\u{1b}[32m3\u{1b}[0m:\
                    \u{1b}[31;1mfoo\u{1b}[0m \u{1b}[31;1mtwo\u{1b}[0m\n";
    assert_eq!(printed, expected);
}

#[test]
fn a_file_whose_name_begins_with_a_hyphen_is_found_by_a_walk() {
    let sandbox = Sandbox::with(&[("-", "foo\n"), ("-x.md", "foo\n"), ("b.md", "foo\n")]);
    let found = "./-:1:foo\n./-x.md:1:foo\nb.md:1:foo\n";
    sandbox.run_with_input(&["grep", "foo", "."], b"foo input\n").succeeds().prints(found);
}
