//! Edits of one document, and a simple implementation with which to compare them.

use std::fmt;
use std::sync::OnceLock;

use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::Value;

use super::{Outcome, Sandbox, records};

/// A document that is readable in the output of a failed test.
#[derive(Clone, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl fmt::Debug for Bytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "b\"{}\"", self.0.escape_ascii())
    }
}

/// The result of a run of `patch`.
#[derive(Debug)]
pub struct Edited {
    pub status: i32,
    /// The document after the edit.
    pub after: Bytes,
    /// The records on standard output.
    pub records: Vec<Value>,
    pub errors: String,
}

/// Runs `patch` on a document. `arguments` begins with the operation, and the file is inserted
/// after it.
#[track_caller]
pub fn edit(name: &str, before: &[u8], arguments: &[&str]) -> Edited {
    let sandbox = Sandbox::new();
    sandbox.write(name, before);
    edit_in(&sandbox, name, arguments)
}

/// Like [`edit`], in a directory with further files.
#[track_caller]
pub fn edit_in(sandbox: &Sandbox, name: &str, arguments: &[&str]) -> Edited {
    let mut all = vec!["patch", arguments[0], name];
    all.extend(&arguments[1..]);
    all.extend(["--json", "--preview", "--no-sync", "--no-undo"]);
    let outcome = sandbox.run(&all);
    let records = outcome.json_lines();
    records.iter().for_each(check_schema);
    Edited {
        status: outcome.status.unwrap_or(-1),
        after: Bytes(std::fs::read(sandbox.path(name)).unwrap()),
        records,
        errors: outcome.errors(),
    }
}

/// Makes an edit and compares every byte of the result.
#[track_caller]
pub fn check_edit(
    name: &str,
    before: &(impl AsRef<[u8]> + ?Sized),
    arguments: &[&str],
    after: &(impl AsRef<[u8]> + ?Sized),
) -> Edited {
    let edited = edit(name, before.as_ref(), arguments);
    assert_eq!(edited.status, 0, "{arguments:?}: {}", edited.errors);
    assert_eq!(edited.after, Bytes(after.as_ref().into()), "{arguments:?}");
    edited
}

/// Checks that an edit is refused with a status and a code or message, and changes nothing.
#[track_caller]
pub fn check_refused(
    name: &str,
    before: &(impl AsRef<[u8]> + ?Sized),
    arguments: &[&str],
    status: i32,
    message: &str,
) -> Edited {
    let edited = edit(name, before.as_ref(), arguments);
    assert_eq!(edited.status, status, "{arguments:?}: {}", edited.errors);
    assert!(edited.errors.contains(message), "{arguments:?}: {}", edited.errors);
    assert_eq!(edited.after, Bytes(before.as_ref().into()), "{arguments:?}");
    edited
}

/// Runs an edit with text output, and reads the file afterwards.
#[track_caller]
pub fn edited(name: &str, before: &str, arguments: &[&str]) -> (Outcome, String) {
    let sandbox = Sandbox::with(&[(name, before)]);
    let run = sandbox.run(&[&["patch", arguments[0], name], &arguments[1..]].concat());
    (run, std::fs::read_to_string(sandbox.path(name)).unwrap())
}

/// Like [`check_edit`], with text output.
#[track_caller]
pub fn check_text_edit(name: &str, before: &str, arguments: &[&str], after: &str) -> Outcome {
    let (run, text) = edited(name, before, arguments);
    let run = run.exits(0);
    assert_eq!(text, after, "{arguments:?}");
    run
}

/// Like [`check_refused`], with text output.
#[track_caller]
pub fn check_text_refusal(
    name: &str,
    before: &str,
    arguments: &[&str],
    status: i32,
    message: &str,
) -> Outcome {
    let (run, text) = edited(name, before, arguments);
    let run = run.exits(status).tells(message);
    assert_eq!(text, before, "{arguments:?}");
    run
}

/// Runs an edit of a document with text output and compares the result, and that of its undo.
#[track_caller]
pub fn check_edit_and_undo(name: &str, before: &str, arguments: &[&str], after: &str) {
    let sandbox = Sandbox::with(&[(name, before)]);
    let mut all = vec!["patch", arguments[0], name];
    all.extend(&arguments[1..]);
    sandbox.run(&all).exits(0);
    let found = std::fs::read_to_string(sandbox.path(name)).expect("readable");
    assert_eq!(found, after, "{arguments:?}");
    // Undo restores the old contents.
    sandbox.run(&["undo"]).exits(0);
    let found = std::fs::read_to_string(sandbox.path(name)).expect("readable");
    assert_eq!(found, before, "undo of {arguments:?}");
}

/// Checks a record against its schema.
#[track_caller]
pub fn check_schema(record: &Value) {
    static PATCH: OnceLock<Validator> = OnceLock::new();
    let build = || jsonschema::validator_for(&records::schema("patch")).expect("a schema");
    let validator = PATCH.get_or_init(build);
    let errors: Vec<String> = validator
        .iter_errors(record)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{record} against its schema: {errors:?}");
}

/// Splits a document into a byte order mark, if there is one, and lines with their line endings.
pub fn parts(bytes: &[u8]) -> (&[u8], Vec<&[u8]>) {
    let mark = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let (mark, text) = bytes.split_at(mark);
    (mark, text.split_inclusive(|&byte| byte == b'\n').collect())
}

/// Returns the line ending of a line.
pub fn end_of(line: &[u8]) -> &[u8] {
    match line {
        [.., b'\r', b'\n'] => b"\r\n",
        [.., b'\n'] => b"\n",
        _ => b"",
    }
}

/// Returns the line ending of all lines, or `None` if they have different line endings.
pub fn one_end(bytes: &[u8]) -> Option<&'static [u8]> {
    let (_, lines) = parts(bytes);
    let windows = lines.iter().any(|line| end_of(line) == b"\r\n");
    let unix = lines.iter().any(|line| end_of(line) == b"\n");
    match (windows, unix) {
        (true, true) => None,
        (true, false) => Some(b"\r\n"),
        _ => Some(b"\n"),
    }
}

/// Joins lines of content with a line ending, but ends the last line with another.
pub fn joined(content: &[&str], end: &[u8], last: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = content.iter().map(|line| line.as_bytes()).collect();
    [&lines.join(end)[..], last].concat()
}

/// Generates the line endings of a document.
pub fn ends() -> impl Strategy<Value = Vec<&'static str>> {
    prop_oneof![
        4 => Just(vec!["\n"]),
        2 => Just(vec!["\r\n"]),
        1 => Just(vec!["\n", "\r\n"]),
    ]
}

/// Generates a document of some of these lines, possibly with a byte order mark, with bytes that
/// are not UTF-8, or without a last line ending.
pub fn document(lines: &'static [&'static str], most: usize) -> impl Strategy<Value = Bytes> {
    let line = proptest::sample::select(lines);
    let lines = ends().prop_flat_map(move |ends| {
        let end = proptest::sample::select(ends);
        proptest::collection::vec((line.clone(), end), 1..most)
    });
    let rarely = || prop::bool::weighted(0.1);
    (lines, rarely(), rarely(), prop::bool::weighted(0.7)).prop_map(|(lines, mark, odd, ended)| {
        let mut bytes = if mark { b"\xef\xbb\xbf".to_vec() } else { Vec::new() };
        if odd {
            bytes.extend_from_slice(b"caf\xe9 \xff");
            bytes.extend_from_slice(lines[0].1.as_bytes());
        }
        for (line, end) in &lines {
            bytes.extend_from_slice(line.as_bytes());
            bytes.extend_from_slice(end.as_bytes());
        }
        if !ended {
            let end = end_of(&bytes).len();
            bytes.truncate(bytes.len() - end);
        }
        Bytes(bytes)
    })
}

/// Returns the number of cases for a property, unless the environment sets it.
pub fn cases(usual: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = asked.unwrap_or(usual);
    ProptestConfig {
        cases,
        max_global_rejects: cases.saturating_mul(10),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
