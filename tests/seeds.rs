//! The first feature requests: their checklists, examples and test cases, on the command line.

use crate::support::records::{File, Heading, Lines, Piece, Record, Search};
use crate::support::{Sandbox, checksum, numbers};

/// Creates a text with these lines at these positions, and other lines between them.
fn document(total: usize, lines: &[(usize, &str)]) -> String {
    let line = |number: usize| {
        let given = lines.iter().find(|(at, _)| *at == number);
        given.map_or_else(|| format!("filling {number}"), |(_, text)| (*text).to_owned())
    };
    (1..=total).map(|number| line(number) + "\n").collect()
}

fn lines_of(text: &str, start: usize, end: usize) -> String {
    text.split_inclusive('\n').skip(start - 1).take(end + 1 - start).collect()
}

#[track_caller]
fn piece(sandbox: &Sandbox, arguments: &[&str]) -> Piece {
    Piece::one(&sandbox.run(&[&["read", "--json"], arguments].concat()).exits(0))
}

/// Checks the lines that are read, and the line before which the part ends.
#[track_caller]
fn check_part(sandbox: &Sandbox, arguments: &[&str], lines: (u64, u64), boundary: Option<u64>) {
    let piece = piece(sandbox, arguments);
    assert_eq!(piece.lines(), lines, "{arguments:?}");
    assert_eq!(piece.boundary.as_ref().map(|boundary| boundary.line), boundary, "{arguments:?}");
    let text = sandbox.run(&[&["read"], arguments].concat()).exits(0);
    assert_eq!(text.text(), piece.content.as_str(), "{arguments:?}");
    let whole = std::fs::read_to_string(sandbox.path(piece.file_path.as_str())).unwrap();
    assert_eq!(text.text(), lines_of(&whole, lines.0 as usize, lines.1 as usize));
}

#[track_caller]
fn check_refused(sandbox: &Sandbox, arguments: &[&str], parts: &[&str]) {
    let outcome = sandbox.run(&[&["read"], arguments].concat()).exits(2).prints("");
    for part in parts {
        assert!(outcome.errors().contains(part), "expected: {part}\n{outcome}");
    }
}

// Reading to the next section.

const DECISION: &str = "[LOG-015] - [2026-01-27 10:00] - [DECISION] - Task: MODEL-A";

fn log() -> Sandbox {
    let work = document(
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
    let context = document(
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
    let readme = document(40, &[(1, "# Project"), (8, "## About"), (9, ""), (14, ""), (20, "")]);
    Sandbox::with(&[("WORK.md", &work), ("CONTEXT.md", &context), ("README.md", &readme)])
}

#[test]
fn the_five_examples_of_reading_to_the_next_pattern() {
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

#[test]
fn the_checklist_of_reading_to_the_next_pattern() {
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
fn the_example_of_the_json_of_read() {
    let value =
        log().run(&["read", "--json", "WORK.md:120", "--to-next", r"^\[LOG-"]).exits(0).json();
    assert_eq!(value["target"], serde_json::json!({"from": 120, "toNext": r"^\[LOG-"}));
    assert_eq!(value["range"], serde_json::json!({"startLine": 120, "endLine": 144}));
    assert_eq!((&value["totalLines"], &value["returnedLines"]), (&220.into(), &25.into()));
    assert_eq!((&value["hasMore"], &value["truncated"]), (&false.into(), &false.into()));
    assert_eq!(value["boundary"]["line"], 145);
    assert!(value["boundary"]["text"].as_str().unwrap().starts_with("[LOG-016]"));
}

// Inspecting and reading texts.

fn overview() -> String {
    document(
        847,
        &[
            (1, "---"),
            (2, "title: Overview"),
            (3, "date: 2026-01-01"),
            (4, "tags: [a]"),
            (5, "---"),
            (6, ""),
            (7, "# Project Overview"),
            (15, "## Installation"),
            (18, "### Prerequisites"),
            (20, "```bash"),
            (25, "```"),
            (35, "### Quick Start"),
            (50, ""),
            (51, ""),
            (52, "## Configuration {#config-options}"),
            (53, "The following options are available:"),
            (55, "```json"),
            (72, "```"),
            (87, "- how to recieve it"),
            (90, ""),
            (91, "Configure the database connection string:"),
            (92, ""),
            (120, "## API Reference"),
            (125, "```typescript"),
            (180, "```"),
            (200, "## Contributing"),
            (300, "### Performance Tuning"),
            (304, "The database connection pool size can be adjusted"),
        ],
    )
}

fn texts() -> Sandbox {
    let settings = document(
        160,
        &[
            (1, "# settings"),
            (2, "# of the"),
            (3, "# application"),
            (4, ""),
            (5, "[database]"),
            (6, "host = localhost"),
            (7, "port = 5432"),
            (44, ""),
            (45, "[cache]"),
            (88, ""),
            (89, "[logging]"),
            (150, ""),
        ],
    );
    // The filler lines are neither keys nor comments in INI.
    Sandbox::with(&[("docs/README.md", &overview()), ("config/settings.conf", &settings)])
}

#[test]
fn the_structure_of_a_markdown_document() {
    let sandbox = texts();
    let file = File::one(&sandbox.run(&["inspect", "--json", "docs/README.md"]).succeeds());
    assert_eq!((file.format.as_str(), file.total_lines), ("markdown", 847));
    assert_eq!(file.title.unwrap(), "Project Overview");
    let structure = file.structure;
    let front_matter = structure.frontmatter.unwrap();
    assert_eq!((front_matter.start_line, front_matter.end_line), (1, 5));
    assert_eq!(front_matter.keys, ["title", "date", "tags"]);
    let headings: Vec<_> = structure.headings.unwrap().iter().map(Heading::describe).collect();
    assert_eq!(
        headings,
        ["7-847 # Project Overview (\
          15-51 ## Installation (18-34 ### Prerequisites, 35-51 ### Quick Start), \
          52-119 ## Configuration, 120-199 ## API Reference, \
          200-847 ## Contributing (300-847 ### Performance Tuning))"]
    );
    let blocks: Vec<_> = structure
        .code_blocks
        .unwrap()
        .into_iter()
        .map(|block| (block.index, block.language.unwrap(), block.start_line, block.end_line))
        .collect();
    assert_eq!(
        blocks,
        [
            (0, "bash".into(), 20, 25),
            (1, "json".into(), 55, 72),
            (2, "typescript".into(), 125, 180)
        ]
    );
    let anchors = structure.anchors.unwrap();
    assert_eq!((anchors[0].id.as_str(), anchors[0].line), ("config-options", 52));
}

#[test]
fn the_structure_of_a_configuration_file() {
    let sandbox = texts();
    let file = File::one(&sandbox.run(&["inspect", "--json", "config/settings.conf"]).succeeds());
    assert_eq!((file.format.as_str(), file.total_lines), ("ini", 160));
    let structure = file.structure;
    let sections: Vec<_> = structure
        .sections
        .unwrap()
        .into_iter()
        .map(|section| (section.marker.as_str().to_owned(), section.line, section.end_line))
        .collect();
    assert_eq!(
        sections,
        [("[database]".into(), 5, 44), ("[cache]".into(), 45, 88), ("[logging]".into(), 89, 160)]
    );
    assert_eq!(structure.blank_line_groups.unwrap(), [4, 44, 88, 150]);
    let comments = structure.comment_blocks.unwrap();
    assert_eq!((comments[0].start_line, comments[0].end_line), (1, 3));
    assert_eq!((comments.len(), comments[0].prefix.as_str()), (1, "#"));
}

#[test]
fn a_search_returns_positions_context_and_headings() {
    let sandbox = texts();
    let arguments = ["inspect", "--json", "--mode", "search", "--query", "database connection"];
    let outcome = sandbox.run(&[&arguments[..], &["-C", "2", "docs/README.md"]].concat());
    let found = Search::one(&outcome.succeeds());
    assert_eq!((found.query.as_str(), found.total_matches), ("database connection", 2));
    let first = &found.matches[0];
    assert_eq!((first.line, first.column), (91, 15));
    assert_eq!(first.text, "Configure the database connection string:");
    let context = first.context.as_ref().unwrap();
    let before: Vec<_> = context.before.iter().map(|line| line.as_str()).collect();
    let after: Vec<_> = context.after.iter().map(|line| line.as_str()).collect();
    assert_eq!((before, after), (vec!["filling 89", ""], vec!["", "filling 93"]));
    let headings: Vec<_> = found
        .matches
        .iter()
        .map(|hit| hit.nearest_heading.as_ref().unwrap())
        .map(|heading| (heading.level, heading.text.as_str(), heading.line))
        .collect();
    assert_eq!(headings, [(2, "Configuration", 52), (3, "Performance Tuning", 300)]);
}

#[test]
fn a_search_accepts_a_regular_expression() {
    let outcome = texts().run(&[
        "inspect",
        "--json",
        "--mode",
        "search",
        "--query",
        "rec[ie]+ve",
        "--regex",
        "docs/README.md",
    ]);
    let found = Search::one(&outcome.succeeds());
    assert_eq!((found.matches[0].line, found.matches[0].column), (87, 10));
}

#[test]
fn lines_are_previewed() {
    let sandbox = texts();
    let arguments = ["inspect", "--json", "--mode", "lines", "--query", "50-53", "docs/README.md"];
    let found = Lines::one(&sandbox.run(&arguments).succeeds());
    let lines: Vec<_> = found.lines.iter().map(|line| (line.number, line.text.as_str())).collect();
    let heading = "## Configuration {#config-options}";
    let last = "The following options are available:";
    assert_eq!(lines, [(50, ""), (51, ""), (52, heading), (53, last)]);
    let arguments =
        ["inspect", "--json", "--mode", "lines", "--query", "50-60,100-110", "docs/README.md"];
    let found = Lines::one(&sandbox.run(&arguments).succeeds());
    assert_eq!((found.query.as_str(), found.lines.len()), ("50-60,100-110", 22));
}

#[test]
fn every_way_to_target_a_part_of_a_text() {
    let sandbox = texts();
    for (target, lines) in [
        (r#"{"lines":{"start":50,"end":75}}"#, (50, 75)),
        (r#"{"heading":{"text":"Installation","includeChildren":true}}"#, (15, 51)),
        (r#"{"heading":{"text":"Installation","includeChildren":false}}"#, (15, 17)),
        (r#"{"codeBlock":{"index":2}}"#, (126, 179)),
        (r#"{"search":{"query":"recieve","contextLines":10}}"#, (77, 97)),
    ] {
        check_part(&sandbox, &["docs/README.md", "--target", target], lines, None);
    }
    check_part(&sandbox, &["docs/README.md#config-options"], (52, 119), None);
    let section = r#"{"section":"[database]"}"#;
    check_part(&sandbox, &["config/settings.conf", "--target", section], (5, 44), None);
    let key = r#"{"section":"[database]","key":"host"}"#;
    check_part(&sandbox, &["config/settings.conf", "--target", key], (6, 6), None);
    let large = ["docs/README.md", "--heading", "## API Reference", "--max-lines", "20"];
    let cut = piece(&sandbox, &large);
    assert!(cut.truncated && cut.lines() == (120, 139) && cut.next_line == Some(140));
}

#[test]
fn a_missing_target_is_reported_with_existing_ones() {
    let sandbox = texts();
    let outcome = sandbox.run(&["read", "--json", "docs/README.md", "--heading", "## Instalation"]);
    let error = outcome.exits(1).json_error();
    assert_eq!((error.status.as_str(), error.code.as_str()), ("error", "TARGET_NOT_FOUND"));
    assert!(error.message.contains("## Instalation"));
    assert!(
        error
            .suggestions
            .iter()
            .any(|hint| hint.contains("## Installation") && hint.contains("15"))
    );
    assert!(error.suggestions.iter().any(|hint| hint.contains("folio inspect")));
}

#[test]
fn the_reading_half_of_the_workflows() {
    let sandbox = texts();
    let outline = sandbox.run(&["inspect", "-O", "docs/README.md"]).succeeds().text();
    assert!(outline.contains("docs/README.md:200-847:## Contributing\n"), "{outline}");
    let code = sandbox.run(&["inspect", "--only", "code", "docs/README.md"]).succeeds().text();
    assert!(code.contains("docs/README.md:125-180:code typescript:0\n"), "{code}");
    check_part(&sandbox, &["docs/README.md", "--code-block", "2"], (126, 179), None);
    let typo = ["inspect", "--mode", "search", "--query", "recieve", "docs/README.md"];
    sandbox.run(&typo).succeeds().prints("docs/README.md:87:- how to recieve it\n");
    let host =
        ["read", "config/settings.conf", "--section", "[database]", "--key", "host", "--value"];
    sandbox.run(&host).succeeds().prints("localhost\n");
}

// Reading a text file in pages.

/// Checks the content, totalLines, returnedLines, hasMore and nextLine.
#[track_caller]
fn check_page(
    sandbox: &Sandbox,
    arguments: &[&str],
    expected: (&str, u64, u64, bool, Option<u64>),
) {
    let piece = Piece::one(&sandbox.run(&[&["read", "--json"], arguments].concat()).succeeds());
    let found = (
        piece.content.as_str(),
        piece.total_lines.unwrap(),
        piece.returned_lines,
        piece.has_more,
        piece.next_line,
    );
    assert_eq!(found, expected);
}

#[test]
fn tc1_an_entire_file() {
    let sandbox = Sandbox::with(&[("hello.txt", "Hello\nWorld\n")]);
    let path = sandbox.path("hello.txt").display().to_string();
    check_page(&sandbox, &[&path], ("Hello\nWorld\n", 2, 2, false, None));
}

#[test]
fn tc2_a_page() {
    let sandbox = Sandbox::with(&[("numbers.txt", &numbers(100))]);
    let path = sandbox.path("numbers.txt").display().to_string();
    let page = ("10\n11\n12\n13\n14\n", 100, 5, true, Some(15));
    check_page(&sandbox, &[&path, "--from", "10", "--limit", "5"], page);
    check_page(&sandbox, &[&format!("{path}:10"), "--limit", "5"], page);
    check_page(&sandbox, &[&path, "--from", "99"], ("99\n100\n", 100, 2, false, None));
}

#[test]
fn tc3_a_missing_file() {
    let outcome = Sandbox::new().run(&["read", "--json", "/test/missing.txt"]).exits(2).prints("");
    let error = outcome.json_error();
    assert_eq!(
        (error.code.as_str(), error.file_path.unwrap().as_str()),
        ("NOT_FOUND", "/test/missing.txt")
    );
}

#[test]
fn tc5_a_binary_file() {
    let sandbox = Sandbox::new();
    sandbox.write("image.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let outcome = sandbox.run(&["read", "--json", "image.png"]).exits(2).prints("");
    let error = outcome.json_error();
    assert_eq!(
        (error.code.as_str(), error.file_path.unwrap().as_str()),
        ("BINARY_FILE", "image.png")
    );
}

#[test]
fn tc6_an_empty_file() {
    let sandbox = Sandbox::with(&[("empty.txt", "")]);
    check_page(&sandbox, &["empty.txt"], ("", 0, 0, false, None));
    check_page(&sandbox, &["empty.txt", "--from", "1"], ("", 0, 0, false, None));
    check_page(&sandbox, &["empty.txt", "--from", "1", "--limit", "5"], ("", 0, 0, false, None));
}

// Reading lines of a file.

#[test]
fn lines_are_one_or_a_range_within_the_file() {
    let text = numbers(60);
    let sandbox = Sandbox::with(&[("a.txt", &text)]);
    check_part(&sandbox, &["a.txt", "--lines", "10"], (10, 10), None);
    check_part(&sandbox, &["a.txt", "--lines", "10-50"], (10, 50), None);
    // An end after the last line is allowed, but not such a start.
    check_part(&sandbox, &["a.txt", "--lines", "50-99"], (50, 60), None);
    for range in ["61", "61-70"] {
        let outcome =
            sandbox.run(&["read", "--json", "a.txt", "--lines", range]).exits(1).prints("");
        let error = outcome.json_error();
        assert_eq!(error.code, "LINE_OUT_OF_RANGE");
        assert!(error.message.contains("60 lines"), "{}", error.message);
    }
    for range in ["50-10", "0", "0-5", "a-b"] {
        let outcome =
            sandbox.run(&["read", "--json", "a.txt", "--lines", range]).exits(2).prints("");
        assert_eq!(outcome.json_error().code, "INVALID_RANGE", "{range}");
    }
    let piece = piece(&sandbox, &["a.txt", "--lines", "10-50", "--checksum"]);
    assert_eq!((piece.total_lines, piece.checksum), (Some(60), Some(checksum(&text))));
}

#[test]
fn a_long_file_is_truncated_on_request_with_the_next_line() {
    let sandbox = Sandbox::with(&[("a.txt", &numbers(250))]);
    let first = piece(&sandbox, &["a.txt", "--max-lines", "100"]);
    assert!(first.truncated && first.has_more && first.lines() == (1, 100));
    assert_eq!(first.next_line, Some(101));
    assert_eq!(piece(&sandbox, &["a.txt"]).returned_lines, 250);
}

#[test]
fn five_of_several_files_with_the_same_name_are_suggested() {
    let sandbox = Sandbox::new();
    for directory in ["a", "b", "c", "d", "e", "f", "g"] {
        sandbox.write(format!("{directory}/same.md"), "x\n");
    }
    let outcome = sandbox.run(&["read", "--json", "--resolve", "same.md"]).exits(3).prints("");
    let error = outcome.json_error();
    assert_eq!(error.code, "AMBIGUOUS_PATH");
    assert!(error.message.contains('7'), "{outcome}");
    let offered = error.suggestions.iter().filter(|hint| hint.contains("same.md")).count();
    assert_eq!(offered, 5, "{outcome}");
}
