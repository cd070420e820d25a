//! Pipes, devices and standard streams.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::time::Duration;

use crate::support::documents::few_files;
use crate::support::records::{Piece, Record};
use crate::support::{Sandbox, numbers, outcome};

#[test]
fn on_a_terminal_a_wait_for_a_fifo_is_reported() {
    let sandbox = Sandbox::new();
    outcome(sandbox.command_of("mkfifo").arg("pipe"), b"").succeeds();
    let line = r#"(sleep 1.5; echo x > pipe) & "$FOLIO" read pipe"#;
    let mut command = sandbox.command_of("script");
    command.args(["-qec", line, "/dev/null"]).env("FOLIO", env!("CARGO_BIN_EXE_folio"));
    if command.stdin(Stdio::null()).output().is_err() {
        eprintln!("skipped: there is no script(1)");
        return;
    }
    let shown = outcome(&mut command, b"").text().replace('\r', "");
    assert!(shown.contains("waiting for 'pipe'") && shown.ends_with("\nx\n"), "{shown}");
}

#[test]
fn endless_files_are_read_only_by_commands_that_read_pipes() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n\nx\n"), ("d/b.md", "# B\n\nx\n")]);
    for pipe in ["pipe.md", "d/pipe.md"] {
        outcome(sandbox.command_of("mkfifo").arg(pipe), b"").succeeds();
    }
    sandbox.run(&["links", "pipe.md"]).exits(2).tells("'pipe.md': it is a pipe").tells("hint: -");
    sandbox.run(&["links", "/dev/zero", "--as", "markdown"]).exits(2).tells("it is a device");
    for operation in [&["replace", "--text", "x"][..], &["append"]] {
        let arguments = [&["patch"], operation, &["pipe.md", "--dry-run", "-c", "y"]].concat();
        sandbox.run(&arguments).exits(2).tells("a pipe");
    }
    let rename = ["patch", "rename", "a.md", "--heading", "A", "-c", "B", "--links-in", "pipe.md"];
    sandbox.run(&rename).exits(2).tells("'pipe.md': it is a pipe");
    for command in [&["inspect", "d"][..], &["links", "d"], &["grep", "x", "d"], &["list", "d"]] {
        sandbox.run(command).exits(0);
    }
}

#[test]
fn a_closed_pipe_ends_a_run_without_an_error() {
    let sandbox = Sandbox::new();
    sandbox.write("n.txt", numbers(200_000));
    let headings: String = (0..50_000).map(|number| format!("# {number}\n\n")).collect();
    sandbox.write("h.md", &headings);
    for arguments in [
        &["read", "n.txt"][..],
        &["read", "-n", "n.txt"],
        &["read", "n.txt", "n.txt"],
        &["read", "n.txt:1", "--to-next", "never"],
        &["read", "--json", "n.txt", "n.txt"],
        &["inspect", "h.md"],
        &["inspect", "--json", "h.md"],
        &["inspect", "."],
        &["inspect", "--mode", "search", "--query", "1", "."],
    ] {
        let mut child = sandbox.command().args(arguments).spawn().unwrap();
        let mut stdout = BufReader::with_capacity(64, child.stdout.take().unwrap());
        let mut line = Vec::new();
        (&mut stdout).take(100).read_until(b'\n', &mut line).unwrap();
        assert!(!line.is_empty());
        drop(stdout);
        let ended = child.wait_with_output().unwrap();
        assert!(
            ended.stderr.is_empty(),
            "{arguments:?}: {:?}",
            String::from_utf8_lossy(&ended.stderr)
        );
        assert_eq!(ended.status.code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn a_full_disk_is_reported() {
    let Ok(full) = std::fs::File::options().write(true).open("/dev/full") else {
        eprintln!("skipped: there is no /dev/full");
        return;
    };
    let sandbox = few_files();
    let mut command = sandbox.command();
    command.args(["read", "n.txt"]).stdout(full);
    let outcome = outcome(&mut command, b"").exits(2);
    assert!(outcome.errors().contains("No space left"), "{outcome}");
}

#[test]
fn the_null_device_is_an_empty_file() {
    let sandbox = Sandbox::new();
    sandbox.run(&["read", "/dev/null"]).succeeds().prints("");
    sandbox.run(&["inspect", "/dev/null"]).exits(0).prints("");
    let piece = Piece::one(&sandbox.run(&["read", "--json", "/dev/null"]).succeeds());
    assert_eq!(piece.total_lines, Some(0));
}

#[test]
fn a_fifo_is_read_like_a_stream() {
    let sandbox = Sandbox::with(&[("source", "# A\n1\n# B\n2\n")]);
    let made = outcome(sandbox.command_of("mkfifo").arg("pipe"), b"");
    assert_eq!(made.status, Some(0), "{made}");
    for (arguments, expected) in [
        (&["read", "pipe"][..], "# A\n1\n# B\n2\n"),
        (&["read", "pipe", "--section", "B"], "# B\n2\n"),
        (&["read", "pipe", "--tail", "1"], "2\n"),
        (&["read", "pipe:3"], "# B\n"),
        (&["inspect", "pipe"], "pipe:1-2:# A\npipe:3-4:# B\n"),
    ] {
        let mut writer = sandbox.command_of("sh");
        let mut writer = writer.args(["-c", "cat source > pipe"]).spawn().unwrap();
        sandbox.run(arguments).succeeds().prints(expected);
        let _ = writer.kill();
        let _ = writer.wait();
    }
    // A walk does not wait for a pipe and does not print it.
    sandbox.run(&["inspect", "."]).exits(0).prints("");
}

#[test]
#[cfg(target_os = "linux")]
fn every_file_that_can_be_opened_is_read() {
    let sandbox = Sandbox::with(&[("source", "# A\n1\n")]);
    let folio = sandbox.command().get_program().to_owned();
    for (line, expected) in [
        (r#""$0" read <(cat source)"#, "# A\n1\n"),
        (r#""$0" read <(sleep 0.2; cat source)"#, "# A\n1\n"),
        (r#""$0" read <(true)"#, ""),
        (r#"exec 9< <(true); sleep 0.1; "$0" read /dev/fd/9"#, ""),
        (r#"cat source | "$0" read /dev/stdin"#, "# A\n1\n"),
        (r#"(sleep 0.2; cat source) | "$0" grep 1 /dev/stdin"#, "2:1\n"),
        (r#""$0" read /dev/stdin < source"#, "# A\n1\n"),
        (r#""$0" read --addresses-from <(sleep 0.1; echo source:2)"#, "==> source:2 <==\n1\n"),
        (r#""$0" read /proc/self/comm"#, "folio\n"),
        (r#""$0" grep -c . /dev/null"#, ""),
    ] {
        let mut bash = sandbox.command_of("bash");
        let run = outcome(bash.args(["-c", line]).arg(&folio), b"");
        assert_eq!((run.text().as_str(), run.errors().as_str()), (expected, ""), "{line}");
    }
}

#[test]
fn a_fifo_is_waited_for_until_it_is_written_to() {
    let sandbox = Sandbox::new();
    outcome(sandbox.command_of("mkfifo").arg("pipe"), b"").succeeds();
    let start = || {
        let mut command = sandbox.command();
        let reader = command.args(["read", "pipe:2"]).stdin(Stdio::null()).stdout(Stdio::piped());
        reader.spawn().unwrap()
    };
    let reader = start();
    std::thread::sleep(Duration::from_millis(300));
    std::fs::write(sandbox.path("pipe"), "one\ntwo\n").unwrap();
    assert_eq!(reader.wait_with_output().unwrap().stdout, b"two\n");
    let mut reader = start();
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(reader.try_wait().unwrap(), None);
    reader.kill().unwrap();
    reader.wait().unwrap();
}

#[test]
fn standard_input_is_read_once_and_only_if_no_other_file_is_named() {
    let sandbox = few_files();
    sandbox.run_with_input(&["read", "n.txt:1"], "unused").succeeds().prints("1\n");
    sandbox.run_with_input(&["read"], "used").succeeds().prints("used");
    sandbox
        .run_with_input(&["read", "-", "n.txt:1"], "in\n")
        .succeeds()
        .prints("==> -:1 <==\nin\n\n==> n.txt:1 <==\n1\n");
}
