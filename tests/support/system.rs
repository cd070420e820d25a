//! Programs of the system that tests need, mounts, and the files that folio leaves.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Outcome, Sandbox, outcome};

/// Returns the files of folio below a directory.
pub fn leftovers(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for item in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        if item.file_type().unwrap().is_dir() {
            found.extend(leftovers(&item.path()));
        } else if is_own(&item.path()) {
            found.push(item.path());
        }
    }
    found
}

/// Whether a file has a name that folio gives to its own files.
pub fn is_own(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".folio"))
}

/// Whether a program works on this machine. If it does not, prints a note.
pub fn has(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    let works = command.status().is_ok_and(|status| status.success());
    if !works {
        eprintln!("skipped: `{program} {}` does not work here", arguments.join(" "));
    }
    works
}

/// Runs a shell script in a sandbox with its own mounts.
pub fn with_mounts(sandbox: &Sandbox, script: &str) -> Option<Outcome> {
    if !has("unshare", &["-m", "mount", "-t", "tmpfs", "none", "/mnt"]) {
        return None;
    }
    let mut command = sandbox.command_of("unshare");
    command.args(["-m", "sh", "-c", script]).env("FOLIO", env!("CARGO_BIN_EXE_folio"));
    Some(outcome(&mut command, b""))
}
