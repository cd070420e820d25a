//! Checks that other programs can apply the diffs, and that the result is the new document.

#![allow(clippy::unwrap_used, clippy::print_stderr)]
// Other programs apply diffs to files.
#![allow(clippy::disallowed_methods)]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use folio_text::diff::{Change, DiffKind, Hunk, unified};
use folio_text::edit::{Edit, EditSet};
use folio_text::encoding::Encoding;
use folio_text::span::Span;
use proptest::prelude::*;
use proptest::sample::Index;

/// Lines of documents and edits. There are only a few different ones, so that many lines are equal.
const LINES: &[&str] = &["a", "b", "c", "", "\\ no line end", "-- x", "@@ -1 +1 @@", "ä\t", "\r"];

fn document(most: usize) -> impl Strategy<Value = Vec<u8>> {
    let end = prop_oneof![4 => Just("\n"), 1 => Just("\r\n")];
    let line = (proptest::sample::select(LINES), end);
    (proptest::collection::vec(line, 0..most), any::<bool>()).prop_map(|(lines, ended)| {
        let mut text: Vec<u8> =
            lines.iter().flat_map(|(line, end)| [*line, *end]).collect::<String>().into();
        if !ended {
            text.truncate(text.len().saturating_sub(1));
        }
        text
    })
}

/// Generates documents and edits, some of whole lines and some within lines.
fn document_and_edits() -> impl Strategy<Value = (Vec<u8>, Vec<Edit>)> {
    let edit = (any::<Index>(), 0..12usize, document(6), any::<bool>());
    (document(60), proptest::collection::vec(edit, 1..5)).prop_map(|(old, edits)| {
        let starts: Vec<usize> =
            std::iter::once(0).chain(memchr::memchr_iter(b'\n', &old).map(|at| at + 1)).collect();
        let mut disjoint: Vec<Edit> = Vec::new();
        for (index, length, content, is_whole_lines) in edits {
            let (start, end) = if is_whole_lines {
                let at = index.index(starts.len());
                (starts[at], starts[(at + length).min(starts.len() - 1)])
            } else {
                let at = index.index(old.len() + 1);
                (at, (at + length).min(old.len()))
            };
            let edit = Edit::new(Span::new(start as u64, end as u64), content);
            disjoint.push(edit);
            if EditSet::new(disjoint.clone()).is_err() {
                disjoint.pop();
            }
        }
        (old, disjoint)
    })
}

fn hunks_of(old: &[u8], edits: &EditSet) -> Vec<Hunk<'static>> {
    let line = |edit: &Edit| {
        1 + memchr::memchr_iter(b'\n', &old[..edit.span.start() as usize]).count() as u64
    };
    let first_lines: Vec<u64> = edits.edits().iter().map(line).collect();
    Change { old, edits, first_lines: &first_lines, encoding: Encoding::Utf8 }.hunks()
}

/// Applies hunks strictly: each line must be at the stated position.
fn apply_hunks(old: &[u8], hunks: &[Hunk<'_>]) -> Vec<u8> {
    let lines: Vec<&[u8]> = old.split_inclusive(|byte| *byte == b'\n').collect();
    let mut new: Vec<&[u8]> = Vec::new();
    let mut at = 0;
    for hunk in hunks {
        let first = |start: u64, count: u64| (start - u64::from(count > 0)) as usize;
        let start = first(hunk.old.start, hunk.old.count);
        new.extend(&lines[at..start]);
        at = start;
        assert_eq!(new.len(), first(hunk.new.start, hunk.new.count));
        for line in &hunk.lines {
            assert_eq!(line.ended, line.text.ends_with(b"\n"));
            if line.kind != DiffKind::Added {
                assert_eq!(lines[at], &*line.text);
                at += 1;
            }
            if line.kind != DiffKind::Removed {
                new.push(&line.text);
            }
        }
        assert_eq!(at, start + hunk.old.count as usize);
    }
    new.extend(&lines[at..]);
    new.concat()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_diff_turns_the_old_document_into_the_new_one((old, edits) in document_and_edits()) {
        let edits = EditSet::new(edits).unwrap();
        let hunks = hunks_of(&old, &edits);
        prop_assert_eq!(apply_hunks(&old, &hunks), edits.apply(&old));
        for pair in hunks.windows(2) {
            prop_assert!(pair[0].old.start + pair[0].old.count < pair[1].old.start);
        }
    }
}

fn run(directory: &Path, program: &str, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(program);
    // git looks for its configuration in HOME.
    command.args(arguments).current_dir(directory).env("HOME", directory);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that fails need not read all of its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn other_tools_apply_a_diff((old, edits) in document_and_edits()) {
        let edits = EditSet::new(edits).unwrap();
        let diff = unified(&hunks_of(&old, &edits), b"a/some file", b"b/some file");
        if diff.is_empty() {
            return Ok(());
        }
        for (tool, arguments) in [("patch", &["-s", "-p1", "--binary"][..]), ("git", &["apply"])] {
            if Command::new(tool).arg("--version").output().is_err() {
                eprintln!("passed over: {tool} is not here");
                continue;
            }
            let directory = tempfile::tempdir().unwrap();
            let file = directory.path().join("some file");
            std::fs::write(&file, &old).unwrap();
            let run = run(directory.path(), tool, arguments, &diff);
            prop_assert!(run.status.success(), "{}: {}\n{:?}", tool, diff.escape_ascii(), run);
            let new = std::fs::read(file).unwrap_or_default();
            prop_assert_eq!(new, edits.apply(&old), "{}", tool);
        }
    }
}
