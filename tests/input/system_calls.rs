//! Failing system calls in commands that read directories. If something cannot be examined, the
//! command fails and writes nothing.
//!
//! strace injects the faults. Without strace, the tests print a note. To run all of them: `cargo
//! test --release --test it system_calls -- --ignored --nocapture`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::support::system::has;
use crate::support::{Outcome, Sandbox, outcome};

/// System calls that examine directories and files.
const LOOKS: &[&str] = &[
    "fstat",
    "getcwd",
    "getdents64",
    "lstat",
    "newfstatat",
    "openat",
    "openat2",
    "pread64",
    "read",
    "readlink",
    "readlinkat",
    "stat",
    "statx",
];

const ERRORS: &[&str] = &["EIO", "EINTR", "ENOSPC", "EACCES"];

const FILES: &[(&str, &str)] = &[
    ("w/a.md", "# Old\n\n[own](#old) [other](b.md#old)\n"),
    ("w/b.md", "[x](a.md#old) [root](/a.md#old)\n"),
    ("w/d/c.md", "# Old\n\n[x](../a.md#old) [gone](gone.md)\n"),
    ("w/d/left-out.md", "[x](../a.md#old)\n"),
    ("w/d/.gitignore", "left-out.md\n"),
    ("w/e/f.md", "text\n"),
    ("w/.ignore", "e/\n"),
    ("w/.git/info/exclude", "nothing\n"),
];

const RENAME: &[&str] =
    &["patch", "rename", "a.md", "--heading", "Old", "-c", "New", "--links-in", "."];

const COMMANDS: &[&[&str]] = &[
    RENAME,
    &["grep", "x", "-j1"],
    &["inspect"],
    &["links"],
    &["list", "-l", "--titles", "--depth", "9"],
    &["list", "--json", "--sort", "size"],
    &["read", "--resolve", "c.md"],
];

/// Creates files with fixed times.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(FILES);
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let paths: BTreeSet<_> =
        FILES.iter().flat_map(|(file, _)| Path::new(file).ancestors()).collect();
    for path in paths {
        fs::File::open(sandbox.path(path)).unwrap().set_modified(time).unwrap();
    }
    sandbox
}

fn run(sandbox: &Sandbox, strace: &[&str], arguments: &[&str]) -> Outcome {
    let mut command = sandbox.command_of("strace");
    command.current_dir(sandbox.path("w")).args(["-f", "-o", "../trace"]).args(strace);
    outcome(command.arg(env!("CARGO_BIN_EXE_folio")).args(arguments), b"")
}

/// Returns how often a command makes each call, its output, and the files afterwards.
fn undisturbed(arguments: &[&str]) -> (BTreeMap<String, usize>, Outcome, Vec<String>) {
    let sandbox = sandbox();
    let done = run(&sandbox, &[], arguments);
    let trace = fs::read_to_string(sandbox.path("trace")).unwrap();
    let mut calls = BTreeMap::new();
    for line in trace.lines() {
        let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
        let name = line.split('(').next().unwrap_or_default();
        if LOOKS.contains(&name) {
            *calls.entry(name.to_owned()).or_default() += 1;
        }
    }
    let files = texts(&sandbox);
    (calls, done, files)
}

fn texts(sandbox: &Sandbox) -> Vec<String> {
    FILES.iter().map(|(file, _)| fs::read_to_string(sandbox.path(file)).unwrap()).collect()
}

/// Checks the result if a call fails: it must be an error message, or the same output as without
/// the fault.
fn problem(
    injected: &str,
    arguments: &[&str],
    expected: &Outcome,
    files: &[String],
) -> Option<String> {
    let sandbox = sandbox();
    let done = run(&sandbox, &["-e", injected], arguments);
    let after = texts(&sandbox);
    let is_same = done.status == expected.status && after == files;
    if is_same && done.stdout == expected.stdout {
        return None;
    }
    let is_old = after.iter().zip(FILES).all(|(text, (_, old))| text == old);
    let is_told = !matches!(done.status, Some(0 | 1)) && !done.stderr.is_empty();
    // Undo numbers need the state directory.
    let is_written = done.status == Some(0) && after == files && arguments == RENAME;
    (!is_written && !(is_told && (is_old || after == files)))
        .then(|| format!("{injected} {arguments:?}: {after:?}\n{done}"))
}

fn sweep(commands: &[&[&str]], errors: &[&str], wanted: impl Fn(&str) -> bool) {
    if !has("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let (mut problems, mut count) = (Vec::new(), 0);
    for arguments in commands {
        let (calls, expected, files) = undisturbed(arguments);
        for (call, times) in calls.iter().filter(|(call, _)| wanted(call)) {
            for time in 1..=*times {
                for error in errors {
                    count += 1;
                    let injected = format!("inject={call}:error={error}:when={time}");
                    problems.extend(problem(&injected, arguments, &expected, &files));
                }
            }
        }
    }
    eprintln!("{count} faults, {} failures", problems.len());
    assert!(count > 0, "no calls");
    assert!(problems.is_empty(), "{} of {count}:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn a_rename_fails_if_links_cannot_be_searched() {
    sweep(&[RENAME], &["EIO"], |call| {
        ["statx", "readlink", "getcwd", "newfstatat", "getdents64"].contains(&call)
    });
}

/// Of all errors, only this one looks like a missing file.
#[test]
fn a_rename_fails_if_the_working_directory_is_lost() {
    sweep(&[RENAME], &["ENOENT"], |call| call == "getcwd");
}

#[test]
fn an_unreadable_directory_is_an_error_in_every_command() {
    sweep(&COMMANDS[1..], &["EIO"], |call| call == "getdents64");
}

#[test]
fn matches_name_their_files_even_if_examining_the_directory_fails() {
    sweep(&[&["grep", "x", "-j1"]], &["EIO"], |call| call == "newfstatat");
}

#[test]
#[ignore = "takes minutes: every look, failing"]
fn a_failure_of_any_examining_call() {
    sweep(COMMANDS, ERRORS, |_| true);
}
