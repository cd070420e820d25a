//! Runs a command on a terminal: either only its standard output or all of its streams.

use std::fs::File;
use std::io::Write;
use std::process::{Command, Stdio};

use nix::pty::{Winsize, openpty};

use super::{drain, within_deadline};

/// Returns the output of a command on a terminal, with the original line endings.
#[track_caller]
pub fn printed(command: &mut Command) -> String {
    let terminal = openpty(None, None).unwrap();
    command.stdout(terminal.slave);
    let mut child = command.spawn().unwrap();
    // The command also has a file descriptor of the terminal.
    command.stdout(Stdio::null());
    let printed = drain(Some(File::from(terminal.master)));
    let printed = within_deadline(&printed, &mut child);
    child.wait().unwrap();
    String::from_utf8_lossy(&printed).replace("\r\n", "\n")
}

/// Returns the screen of a command on a terminal with this number of columns.
#[track_caller]
pub fn screen(command: &mut Command, columns: u16) -> String {
    screen_after(command, columns, b"")
}

/// Like [`screen`], after some input is typed.
#[track_caller]
pub fn screen_after(command: &mut Command, columns: u16, typed: &[u8]) -> String {
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let terminal = openpty(Some(&size), None).unwrap();
    let end = || terminal.slave.try_clone().unwrap();
    let child = command.stdin(end()).stdout(end()).stderr(end()).spawn();
    // Only the child process may have file descriptors of the terminal.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    drop(terminal.slave);
    let mut child = child.unwrap();
    let mut master = File::from(terminal.master);
    master.write_all(typed).unwrap();
    let printed = drain(Some(master));
    let printed = within_deadline(&printed, &mut child);
    child.wait().unwrap();
    String::from_utf8_lossy(&printed).replace("\r\n", "\n")
}
