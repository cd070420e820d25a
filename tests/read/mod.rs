//! `folio read`: every way to select a part, and the output for it.

mod addresses;
mod batches;
mod files;
mod limits;
mod lines;
mod max_tokens;
mod merged;
mod parts;
mod sections;
mod targets;
mod to_next;
mod usage;

use crate::support::documents::{APP, GUIDE, lines_of};
use crate::support::records::{Piece, Record};
use crate::support::{Sandbox, checksum, numbers};

fn sandbox() -> Sandbox {
    Sandbox::with(&[("guide.md", GUIDE), ("app.ini", APP), ("n.txt", &numbers(100))])
}

#[track_caller]
fn piece(sandbox: &Sandbox, arguments: &[&str]) -> Piece {
    Piece::one(&sandbox.run(&[&["read", "--json"], arguments].concat()).succeeds())
}

/// Checks that the text output is exactly the content, and that the JSON output contains the same
/// content.
#[track_caller]
fn check(arguments: &[&str], expected: &str) {
    let sandbox = sandbox();
    sandbox.run(&[&["read"], arguments].concat()).exits(0).prints(expected);
    let piece = Piece::one(&sandbox.run(&[&["read", "--json"], arguments].concat()).exits(0));
    assert_eq!(piece.content, expected, "{arguments:?}");
    assert!(!piece.truncated, "{arguments:?}");
}

/// Checks that the part consists of these lines of the guide.
#[track_caller]
fn check_guide(arguments: &[&str], start: usize, end: usize) {
    let sandbox = sandbox();
    let arguments = [&["guide.md"], arguments].concat();
    check(&arguments, &lines_of(GUIDE, start, end));
    let piece = Piece::one(&sandbox.run(&[&["read", "--json"], &arguments[..]].concat()).exits(0));
    assert_eq!(piece.lines(), (start as u64, end as u64), "{arguments:?}");
    assert_eq!(piece.returned_lines, (end + 1 - start) as u64, "{arguments:?}");
    assert_eq!(piece.total_lines, Some(35));
    assert_eq!(piece.range_checksum, checksum(lines_of(GUIDE, start, end)));
}

/// Checks the exit status, the error code and parts of the message.
#[track_caller]
fn check_error(arguments: &[&str], status: i32, code: &str, parts: &[&str]) {
    let sandbox = sandbox();
    let text = sandbox.run(&[&["read"], arguments].concat()).exits(status).prints("");
    for part in parts {
        assert!(text.errors().contains(part), "expected: {part}\n{text}");
    }
    let json = sandbox.run(&[&["read", "--json"], arguments].concat()).exits(status).prints("");
    let error = json.json_error();
    assert_eq!((error.status.as_str(), error.code.as_str()), ("error", code), "{json}");
}

#[track_caller]
fn piece_with_note(sandbox: &Sandbox, arguments: &[&str]) -> Piece {
    Piece::one(&sandbox.run(&[&["read", "--json"], arguments].concat()).exits(0))
}

/// Checks the lines that are read, and the line before which the part ends.
#[track_caller]
fn check_part(sandbox: &Sandbox, arguments: &[&str], lines: (u64, u64), boundary: Option<u64>) {
    let piece = piece_with_note(sandbox, arguments);
    assert_eq!(piece.lines(), lines, "{arguments:?}");
    assert_eq!(piece.boundary.as_ref().map(|boundary| boundary.line), boundary, "{arguments:?}");
    let text = sandbox.run(&[&["read"], arguments].concat()).exits(0);
    assert_eq!(text.text(), piece.content.as_str(), "{arguments:?}");
    let whole = std::fs::read_to_string(sandbox.path(piece.file_path.as_str())).unwrap();
    assert_eq!(text.text(), lines_of(&whole, lines.0 as usize, lines.1 as usize));
}
