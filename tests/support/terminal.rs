//! A run on a terminal: its standard output is one.

use std::fs::File;
use std::process::Command;

use nix::pty::openpty;

use super::{drain, within_deadline};

/// What a command prints on a terminal, its line ends as it wrote them.
#[track_caller]
pub fn printed(command: &mut Command) -> String {
    let terminal = openpty(None, None).unwrap();
    command.stdout(terminal.slave);
    let mut child = command.spawn().unwrap();
    // The command holds an end of the terminal open too.
    command.stdout(std::process::Stdio::null());
    let printed = drain(Some(File::from(terminal.master)));
    let printed = within_deadline(&printed, &mut child);
    child.wait().unwrap();
    String::from_utf8_lossy(&printed).replace("\r\n", "\n")
}
