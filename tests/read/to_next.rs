//! From a line to the next line that matches, or to the end of the section.

use super::{check_guide, check_part, piece, sandbox};
use crate::support::Sandbox;
use crate::support::documents::{APP, GUIDE, document_with_lines, lines_of};
use crate::support::records::{Piece, Record};

#[test]
fn from_a_line_to_the_next_match() {
    check_guide(&["--from", "7", "--to-next", "^## "], 7, 10);
    check_guide(&["--from", "11", "--to-next", "^## "], 11, 29);
    check_guide(&["--from", "11", "--to-next", "Linux"], 11, 17);
    check_guide(&["--from", "11", "--to-next", "LINUX", "-i"], 11, 17);
    check_guide(&["--from", "7", "--to-next", "^$"], 7, 7);
    check_guide(&["--from", "13", "--to-next", "a heading", "-F"], 13, 13);
    let sandbox = sandbox();
    let same = sandbox.run(&["read", "guide.md:11", "--to-next", "^## "]).succeeds();
    same.prints(lines_of(GUIDE, 11, 29));
    let piece = piece(&sandbox, &["guide.md:11", "--to-next", "^## "]);
    let boundary = piece.boundary.expect("a boundary");
    assert_eq!((boundary.line, boundary.text.as_str(), boundary.in_code), (30, "## Usage", false));
    assert!(!piece.has_more && piece.next_line.is_none());
    let target = serde_json::json!({"from": 11, "toNext": "^## "});
    assert_eq!(serde_json::Value::Object(piece.target.unwrap()), target);
}

#[test]
fn without_a_match_reading_ends_with_the_file_and_a_note() {
    let sandbox = sandbox();
    let text = sandbox.run(&["read", "guide.md:30", "--to-next", "zzz"]).exits(0);
    let text = text.prints(lines_of(GUIDE, 30, 35));
    assert!(text.errors().contains("no later line matches"), "{text}");
    let json =
        Piece::one(&sandbox.run(&["read", "--json", "guide.md:30", "--to-next", "zzz"]).exits(0));
    assert!(json.boundary.is_none() && json.lines() == (30, 35));
}

#[test]
fn a_match_in_code_is_reported_or_skipped() {
    let sandbox = sandbox();
    let stopped = sandbox.run(&["read", "guide.md:11", "--to-next", "^# "]).exits(0);
    let stopped = stopped.prints(lines_of(GUIDE, 11, 13));
    assert!(stopped.errors().contains("--outside-code"), "{stopped}");
    let piece = piece(&sandbox, &["guide.md:11", "--to-next", "^# "]);
    let boundary = piece.boundary.expect("a boundary");
    assert!(boundary.in_code && boundary.line == 14);
    check_guide(&["--from", "11", "--to-next", "^# ", "--outside-code"], 11, 34);
}

#[test]
fn from_a_line_to_the_end_of_its_section() {
    check_guide(&["--from", "13", "--to-section-end"], 13, 29);
    check_guide(&["--from", "20", "--to-section-end"], 20, 29);
    check_guide(&["--from", "33", "--to-section-end"], 33, 34);
    check_guide(&["--from", "9", "--to-section-end"], 9, 34);
    let address = sandbox().run(&["read", "guide.md:20", "--to-section-end"]).succeeds();
    address.prints(lines_of(GUIDE, 20, 29));
}

#[test]
fn the_section_around_a_line() {
    check_guide(&["--from", "13", "-W"], 11, 29);
    check_guide(&["--from", "20", "--section-context"], 18, 29);
    check_guide(&["--from", "33", "-W"], 32, 34);
    check_guide(&["--from", "35", "-W"], 35, 35);
    let sandbox = sandbox();
    sandbox.run(&["read", "guide.md:23", "-W"]).succeeds().prints(lines_of(GUIDE, 22, 23));
    sandbox.run(&["read", "app.ini:7", "-W"]).succeeds().prints(lines_of(APP, 6, 11));
    sandbox.run(&["read", "guide.md:36", "-W"]).exits(1).tells("35 lines");
    // In plain text, a line is not in a section.
    sandbox.run(&["read", "n.txt:5", "-W"]).exits(1);
}

const DECISION: &str = "[LOG-015] - [2026-01-27 10:00] - [DECISION] - Task: MODEL-A";

fn log() -> Sandbox {
    let work = document_with_lines(
        220,
        &[
            (1, "## 1. Current Understanding"),
            (31, "## 2. Key Events Index"),
            (98, "## Log"),
            (100, "[LOG-014] - [2026-01-26 10:00] - [NOTE] - Task: MODEL-A"),
            (120, DECISION),
            (145, "[LOG-016] - [2026-01-27 11:00] - [NOTE] - Task: MODEL-A"),
            (170, "[LOG-017] - [2026-01-27 12:00] - [NOTE] - Task: MODEL-B"),
            (200, "[LOG-018] - [2026-01-27 13:00] - [NOTE] - Task: MODEL-B"),
            (201, "[LOG-019] - [2026-01-27 14:00] - [NOTE] - Task: MODEL-B"),
        ],
    );
    let context = document_with_lines(
        200,
        &[
            (1, "# Context"),
            (7, "## Phase Boundary"),
            (12, "### Part of it"),
            (23, "## Decisions"),
            (45, "## Specifics"),
            (189, "## Deferred Ideas"),
        ],
    );
    let readme =
        document_with_lines(40, &[(1, "# Project"), (8, "## About"), (9, ""), (14, ""), (20, "")]);
    Sandbox::with(&[("WORK.md", &work), ("CONTEXT.md", &context), ("README.md", &readme)])
}

#[test]
fn entries_sections_and_paragraphs_end_at_the_next_match() {
    let sandbox = log();
    // A log entry.
    check_part(
        &sandbox,
        &["WORK.md", "--from", "120", "--to-next", r"^\[LOG-"],
        (120, 144),
        Some(145),
    );
    check_part(&sandbox, &["WORK.md:120", "--to-next", r"^\[LOG-"], (120, 144), Some(145));
    // A Markdown section.
    check_part(&sandbox, &["CONTEXT.md:7", "--to-next", "^## "], (7, 22), Some(23));
    // The last section.
    check_part(&sandbox, &["CONTEXT.md:189", "--to-next", "^## "], (189, 200), None);
    // A paragraph.
    check_part(&sandbox, &["README.md:10", "--to-next", "^$"], (10, 13), Some(14));
    // From a known line to a known boundary.
    check_part(&sandbox, &["WORK.md:1", "--to-next", r"^## 2\."], (1, 30), Some(31));
}

#[track_caller]
fn check_refused(sandbox: &Sandbox, arguments: &[&str], parts: &[&str]) {
    let outcome = sandbox.run(&[&["read"], arguments].concat()).exits(2).prints("");
    for part in parts {
        assert!(outcome.errors().contains(part), "expected: {part}\n{outcome}");
    }
}

#[test]
fn to_next_ends_before_a_match_or_with_the_file() {
    let sandbox = log();
    // The boundary is a log entry, a heading of one level, or a heading of any level.
    check_part(&sandbox, &["WORK.md:100", "--to-next", r"^\[LOG-"], (100, 119), Some(120));
    check_part(&sandbox, &["CONTEXT.md:23", "--to-next", "^## "], (23, 44), Some(45));
    check_part(&sandbox, &["CONTEXT.md:7", "--to-next", "^#+ "], (7, 11), Some(12));
    // If nothing matches, the part ends at the end of the file, and a note is printed.
    let outcome = sandbox.run(&["read", "WORK.md:201", "--to-next", r"^\[LOG-"]).exits(0);
    assert!(outcome.errors().contains("no later line matches"), "{outcome}");
    check_part(&sandbox, &["WORK.md:201", "--to-next", r"^\[LOG-"], (201, 220), None);
    // The next line matches: one line.
    check_part(&sandbox, &["WORK.md:200", "--to-next", r"^\[LOG-"], (200, 200), Some(201));
    // Options that cannot be used with `--to-next`, and a missing start.
    let next = ["WORK.md", "--to-next", r"^\[LOG-"];
    check_refused(&sandbox, &next, &["--to-next", "--from"]);
    let next = ["WORK.md", "--from", "120", "--to-next", r"^\[LOG-"];
    for other in [["--lines", "120-144"], ["--head", "5"], ["--tail", "5"], ["--limit", "5"]] {
        check_refused(&sandbox, &[&next[..], &other].concat(), &["--to-next", other[0]]);
    }
    check_refused(&sandbox, &["WORK.md:120-144", "--to-next", "x"], &["--to-next"]);
    // A start that is past the end.
    let outcome = sandbox.run(&["read", "WORK.md:221", "--to-next", "x"]).exits(1).prints("");
    assert!(outcome.errors().contains("220 lines"), "{outcome}");
}

#[test]
fn a_pattern_is_searched_and_not_anchored() {
    let sandbox = log();
    check_part(&sandbox, &["WORK.md:120", "--to-next", r"\[NOTE\]"], (120, 144), Some(145));
    check_part(&sandbox, &["WORK.md:120", "--to-next", "MODEL-B$"], (120, 169), Some(170));
}

#[test]
fn two_steps_find_and_read_an_entry() {
    let sandbox = log();
    let found = sandbox.run(&["inspect", "--mode", "search", "--query", "[DECISION]", "WORK.md"]);
    let found = found.succeeds().prints(format!("WORK.md:120:{DECISION}\n")).text();
    let entry = sandbox.run_with_input(
        &["read", "--addresses-from", "-", "--to-next", r"^\[LOG-", "--json"],
        &found,
    );
    assert_eq!(Piece::one(&entry.succeeds()).lines(), (120, 144));
    // The same entry, by its name and by a line in it.
    check_part(&sandbox, &["WORK.md", "--section", "LOG-015"], (120, 144), None);
    check_part(&sandbox, &["WORK.md:130", "-W"], (120, 144), None);
    check_part(&sandbox, &["WORK.md:120", "--to-section-end"], (120, 144), None);
}

#[test]
fn the_boundary_is_reported_in_json() {
    let value =
        log().run(&["read", "--json", "WORK.md:120", "--to-next", r"^\[LOG-"]).exits(0).json();
    assert_eq!(value["target"], serde_json::json!({"from": 120, "toNext": r"^\[LOG-"}));
    assert_eq!(value["range"], serde_json::json!({"startLine": 120, "endLine": 144}));
    assert_eq!((&value["totalLines"], &value["returnedLines"]), (&220.into(), &25.into()));
    assert_eq!((&value["hasMore"], &value["truncated"]), (&false.into(), &false.into()));
    assert_eq!(value["boundary"]["line"], 145);
    assert!(value["boundary"]["text"].as_str().unwrap().starts_with("[LOG-016]"));
}
