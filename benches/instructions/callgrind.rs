//! Counts the instructions of a run with valgrind.

use std::process::{Command, Output};

/// Whether valgrind can be run.
pub fn is_installed() -> bool {
    Command::new("valgrind").arg("--version").output().is_ok()
}

/// Options of valgrind, before the program and its arguments.
pub const OPTIONS: [&str; 2] = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];

/// Returns the number of instructions, which callgrind prints after a run.
pub fn count(output: &Output) -> Option<u64> {
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(' ').next()?.parse().ok()
}
