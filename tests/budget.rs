//! Instruction budgets for frequent operations, so that an increase in cost is noticed. Unlike
//! time, the number of instructions is the same on a busy machine. valgrind counts the instructions
//! of a release build. Without valgrind, the tests print a note and are skipped.

#![allow(clippy::print_stderr)]

use std::fs::File;
use std::process::{Command, Output, Stdio};

use crate::support::Sandbox;

mod growth;
#[path = "../benches/compare/markdown.rs"]
mod markdown;

/// Maximum number of instructions for `inspect -O` of 10 MB of Markdown.
const OUTLINE: u64 = 89_000_000;

/// Maximum number of instructions for `--version`. The system uses about 200,000 of them before the
/// program begins: it loads libm, and relocates the tables of SQLite and of the server's runtime.
const VERSION: u64 = 765_000;

/// Maximum number of instructions for `read FILE:1`. Each run builds only the options that it
/// needs. The options for conditions take about 130,000 instructions, and are built only if the
/// command line contains one.
const FIRST_LINE: u64 = 1_305_000;

#[test]
fn an_outline_stays_within_its_budget() {
    let mut random = markdown::Random::new(1);
    let mut text = String::new();
    markdown::push_front_matter(&mut random, &mut text);
    markdown::push_document(&mut random, 10_000_000, &mut text);
    check(&text, &["inspect", "-O", "a.md"], OUTLINE);
}

#[test]
fn the_version_stays_within_its_budget() {
    check("", &["--version"], VERSION);
}

#[test]
fn a_first_line_stays_within_its_budget() {
    check("# A title\n\nText.\n", &["read", "a.md:1"], FIRST_LINE);
}

/// The cost used to be quadratic, because each read examined the whole line again.
#[test]
fn the_time_for_a_long_line_is_linear() {
    let sandbox = Sandbox::new();
    let search = |length: usize| {
        sandbox.write("line", "a".repeat(length) + "\nx\n");
        let line = File::open(sandbox.path("line")).unwrap();
        count(&sandbox, &["grep", "-c", "x", "-"], line.into())
    };
    let (Some(short), Some(long)) = (search(4 << 20), search(32 << 20)) else { return };
    assert!(long < 8 * short, "{short} instructions, and {long} for eight times the length");
}

/// Runs the binary in a directory with a file `a.md`.
#[track_caller]
fn check(text: &str, arguments: &[&str], budget: u64) {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", text);
    let Some(count) = count(&sandbox, arguments, Stdio::null()) else { return };
    let name = arguments.join(" ");
    eprintln!("`{name}` takes {count} instructions of {budget}");
    assert!(count <= budget, "`{name}` takes {count} instructions, over {budget}");
}

/// Counts the instructions of a run that succeeds. Returns `None` if they cannot be counted.
#[track_caller]
fn count(sandbox: &Sandbox, arguments: &[&str], input: Stdio) -> Option<u64> {
    let (output, count) = counted(sandbox, arguments, input)?;
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !output.stdout.is_empty(), "{arguments:?}: {told}");
    Some(count)
}

/// Runs a command and counts its instructions. Returns `None` and prints a note if they cannot be
/// counted.
#[track_caller]
fn counted(sandbox: &Sandbox, arguments: &[&str], input: Stdio) -> Option<(Output, u64)> {
    let name = arguments.join(" ");
    if cfg!(debug_assertions) {
        eprintln!("skipped: the budget of `{name}` is for a release build");
        return None;
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        eprintln!("skipped: the budget of `{name}` needs valgrind");
        return None;
    }
    let mut command = sandbox.command_of("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    command.arg(env!("CARGO_BIN_EXE_folio")).args(arguments).stdin(input);
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    let count = collected(&told).unwrap_or_else(|| panic!("{name}: no count in: {told}"));
    Some((output, count))
}

/// Returns the instruction count in the output of callgrind.
fn collected(told: &str) -> Option<u64> {
    let line = told.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(' ').next()?.parse().ok()
}
