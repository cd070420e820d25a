//! Files that cannot be read or that disappear, standard input without data, and names.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use super::{tree, work};
use crate::support::{Outcome, Sandbox, drain, outcome, within_deadline};

const ALL: &str = "docs/a.md:3:foo one\ndocs/b.md:3:foo two\ndocs/deep/c.md:1:foo three\n";

#[track_caller]
fn check(arguments: &[&str], expected: &str) {
    tree().run(&[&["grep"], arguments].concat()).succeeds().prints(expected);
}

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
fn a_broken_symlink_is_reported_and_the_rest_searched() {
    let sandbox = tree();
    symlink("nowhere.md", sandbox.path("dangling.md")).unwrap();
    let outcome = sandbox.run(&["grep", "foo", "dangling.md", "docs"]).exits(2);
    assert_eq!(outcome.text(), ALL);
    let result = outcome.tells("'dangling.md': No such file").tells("a link to 'nowhere.md'");
    assert!(!result.errors().contains("similar"), "{result}");
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

/// Maximum duration of a run. A longer run hangs.
const DEADLINE: Duration = Duration::from_secs(60);

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

#[test]
fn a_wait_for_standard_input_is_reported() {
    let sandbox = tree();
    let mut command = sandbox.command();
    let mut child = command.args(["grep", "foo"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let stderr = child.stderr.take().unwrap();
    let (sender, remark) = mpsc::channel();
    std::thread::spawn(move || {
        let mut lines = BufReader::new(stderr).lines();
        let _ = sender.send(lines.next());
        lines.count()
    });
    let remark = remark.recv_timeout(DEADLINE).expect("a remark").unwrap().unwrap();
    assert!(remark.contains("waiting for standard input"), "{remark}");
    assert!(remark.contains("to process files, name them"), "{remark}");
    stdin.write_all(b"one\nfoo\n").unwrap();
    drop(stdin);
    let stdout = drain(child.stdout.take());
    assert_eq!(within_deadline(&stdout, &mut child), b"2:foo\n");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_file_whose_name_begins_with_a_hyphen_is_found_by_a_walk() {
    let sandbox = Sandbox::with(&[("-", "foo\n"), ("-x.md", "foo\n"), ("b.md", "foo\n")]);
    let found = "./-:1:foo\n./-x.md:1:foo\nb.md:1:foo\n";
    sandbox.run_with_input(&["grep", "foo", "."], b"foo input\n").succeeds().prints(found);
}

#[test]
fn unreadable_files_are_reported_and_the_others_searched() {
    let sandbox = work();
    let outcome = sandbox.run(&["grep", "bar", "missing.md", "plain.txt"]).exits(2);
    assert_eq!(outcome.text(), "plain.txt:2:bar foo\n");
    outcome.tells("'missing.md': No such file");
    sandbox.run(&["grep", "-q", "bar", "missing.md", "plain.txt"]).exits(0).tells("missing.md");
    sandbox.run(&["grep", "-q", "zzz", "missing.md", "plain.txt"]).exits(2).tells("missing.md");
    sandbox.run(&["grep", "zzz"]).exits(1);
    sandbox.run(&["grep", "plain.txt"]).exits(1).tells("folio grep PATTERN plain.txt");
    symlink(".", sandbox.path("loop")).unwrap();
    sandbox.run(&["grep", "-L", "bar"]).exits(2).tells("loop");
    sandbox.run(&["grep", "bar"]).succeeds().prints("plain.txt:2:bar foo\n");
}

#[test]
fn standard_input_is_searched_without_a_path() {
    let sandbox = work();
    sandbox.run_with_input(&["grep", "foo"], "a\nfoo\n").succeeds().prints("2:foo\n");
    let hits = sandbox.run_with_input(&["grep", "-k", "foo", "-"], "# A\nfoo\n# B\n");
    hits.succeeds().prints("-:2:foo\n");
    sandbox.run_with_input(&["grep", "-f", "-", "-c"], "foo\nhost").succeeds();
}

#[test]
fn an_open_pipe_is_printed_as_data_arrives() {
    use std::io::{BufRead, BufReader, Write};
    let sandbox = Sandbox::new();
    let mut command = sandbox.command();
    command.args(["grep", "--line-buffered", "foo"]);
    let piped = Stdio::piped;
    let mut child = command.stdin(piped()).stdout(piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for number in 1..4 {
        // The next line is written only after this one has been read.
        writeln!(input, "foo {number}").unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), format!("{number}:foo {number}"));
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn context_is_printed_as_data_arrives() {
    use std::io::{BufRead, BufReader, Write};
    let sandbox = Sandbox::new();
    let mut command = sandbox.command();
    command.args(["grep", "--line-buffered", "-B1", "-A2", "foo"]);
    let piped = Stdio::piped;
    let mut child = command.stdin(piped()).stdout(piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let cases = [
        ("a\nfoo\n", &["1-a", "2:foo"][..]),
        ("b\n", &["3-b"]),
        ("c\nd\ne\n", &["4-c"]),
        ("foo\n", &["--", "6-e", "7:foo"]),
    ];
    for (text, expected) in cases {
        write!(input, "{text}").unwrap();
        for line in expected {
            assert_eq!(lines.next().unwrap().unwrap(), *line);
        }
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}
