//! Blank lines around parts that are changed, inserted or deleted. They belong to the document.

use super::{SPACED, check_blank_lines, check_not_edited};
use crate::support::Sandbox;

const DENSE: &str = "# T\nintro\n## A\na text\n## B\n- b1\n## C\nc text\n";

#[test]
fn replaced_parts_keep_their_blank_lines() {
    let section = ["replace", "--section", "A", "-c", "## A\n\nnew"];
    check_blank_lines(SPACED, &section, &SPACED.replace("a text", "new"), None);
    check_blank_lines(
        SPACED,
        &["replace", "--body", "A", "-c", "new"],
        &SPACED.replace("a text", "new"),
        None,
    );
    let padded = ["replace", "--body", "A", "-c", "\n\nnew\n\n\n"];
    check_blank_lines(SPACED, &padded, &SPACED.replace("\na text\n\n", "\n\nnew\n\n\n"), None);
    check_blank_lines(
        DENSE,
        &["replace", "--body", "A", "-c", "new"],
        &DENSE.replace("a text", "new"),
        None,
    );
    let exact = ["replace", "--section", "A", "-c", "## A\n\nnew", "--exact"];
    check_blank_lines(SPACED, &exact, &SPACED.replace("a text\n\n", "new\n"), None);
    // The empty section was closer to the next heading than sections with text are.
    let close = "# T\n\n## A\n## B\n\nb\n";
    let text = ["replace", "--section", "A", "-c", "## A\n\nnew"];
    check_blank_lines(close, &text, "# T\n\n## A\n\nnew\n\n## B\n\nb\n", Some((0, 1)));
    check_blank_lines(
        "# A\n\n# B\n",
        &["replace", "--body", "A", "-c", "x"],
        "# A\n\nx\n\n# B\n",
        Some((1, 0)),
    );
    let windows = SPACED.replace('\n', "\r\n");
    let after = SPACED.replace("a text", "new").replace('\n', "\r\n");
    check_blank_lines(&windows, &section, &after, None);
}

#[test]
fn text_from_read_can_be_written_back() {
    for text in [SPACED, DENSE, SPACED.trim_end()] {
        for part in ["--section", "--body"] {
            let sandbox = Sandbox::with(&[("a.md", text)]);
            let read = sandbox.run(&["read", "a.md", part, "B"]).succeeds().stdout;
            let put = ["patch", "replace", "a.md", part, "B", "-f", "-", "--json"];
            let record = sandbox.run_with_input(&put, read).succeeds().json();
            assert_eq!(record["status"], "unchanged", "{record}");
        }
    }
}

#[test]
fn inserted_parts_are_separated_by_blank_lines() {
    let after = ["insert", "--section", "A", "-c", "## X\n\nx"];
    check_blank_lines(SPACED, &after, &SPACED.replace("## B", "## X\n\nx\n\n## B"), Some((1, 0)));
    let before = ["insert", "--section", "A", "--before", "-c", "## X\n\nx"];
    check_blank_lines(SPACED, &before, &SPACED.replace("## A", "## X\n\nx\n\n## A"), Some((0, 1)));
    let padded = ["insert", "--section", "A", "-c", "\n## X\n\nx\n\n"];
    check_blank_lines(SPACED, &padded, &SPACED.replace("## B", "## X\n\nx\n\n## B"), None);
    let dense = ["insert", "--section", "A", "-c", "## X\nx"];
    check_blank_lines(DENSE, &dense, &DENSE.replace("## B", "## X\nx\n## B"), None);
    let heading = ["insert", "--heading", "A", "-c", "x"];
    check_blank_lines(SPACED, &heading, &SPACED.replace("a text", "x\n\na text"), Some((1, 0)));
    let block = ["insert", "--whole-file", "--before", "-c", "---\nk: v\n---"];
    check_blank_lines(SPACED, &block, &format!("---\nk: v\n---\n\n{SPACED}"), Some((0, 1)));
}

#[test]
fn appended_content_continues_a_list_or_is_separated() {
    check_blank_lines(SPACED, &["append", "-c", "end"], &format!("{SPACED}\nend\n"), Some((1, 0)));
    let item = ["append", "--section", "B", "-c", "- b3"];
    check_blank_lines(SPACED, &item, &SPACED.replace("- b2\n", "- b2\n- b3\n"), None);
    let text = ["append", "--section", "B", "-c", "after"];
    check_blank_lines(SPACED, &text, &SPACED.replace("- b2\n", "- b2\n\nafter\n"), Some((1, 0)));
    check_blank_lines(DENSE, &["append", "-c", "## D\nd"], &format!("{DENSE}## D\nd\n"), None);
    let cut = SPACED.trim_end();
    check_blank_lines(cut, &["append", "-c", "end"], &format!("{cut}\n\nend"), Some((1, 0)));
    check_blank_lines("", &["append", "-c", "x"], "x\n", None);
}

#[test]
fn blocks_that_become_adjacent_stay_blocks() {
    let code = "one\n```\nx\n```\ntwo\n";
    let replace = ["replace", "--code-block", "0", "--fences", "-c", "text"];
    check_blank_lines(code, &replace, "one\n\ntext\n\ntwo\n", Some((1, 1)));
    let table = "one\n| a |\n|---|\n\ntwo\n";
    let replace = ["replace", "--table", "0", "-c", "| b |\n|---|"];
    check_blank_lines(table, &replace, &table.replace("| a |", "| b |"), None);
    let quotes = "> one\n\n```\nx\n```\n> two\n";
    let insert = ["insert", "--code-block", "0", "--fences", "-c", "> new"];
    check_blank_lines(quotes, &insert, &quotes.replace("> two", "\n> new\n\n> two"), Some((1, 1)));
    let dense = "# A\n<div>\n# B\ntext\n";
    let append = ["append", "--section", "A", "-c", "# C"];
    check_blank_lines(dense, &append, &format!("{dense}\n# C\n"), Some((1, 0)));
}

#[test]
fn deleted_parts_leave_no_gap() {
    let without = |part: &str| SPACED.replace(part, "");
    check_blank_lines(SPACED, &["delete", "--section", "A"], &without("## A\n\na text\n\n"), None);
    check_blank_lines(SPACED, &["delete", "--section", "C"], &without("\n## C\n\nc text\n"), None);
    check_blank_lines(SPACED, &["delete", "--body", "A"], &without("a text\n\n"), None);
    check_blank_lines(SPACED, &["delete", "--heading", "A"], &without("## A\n\n"), None);
    check_blank_lines(
        DENSE,
        &["delete", "--section", "A"],
        &DENSE.replace("## A\na text\n", ""),
        None,
    );
    let code = "one\n\n```\nx\n```\n\ntwo\n";
    check_blank_lines(code, &["delete", "--code-block", "0", "--fences"], "one\n\ntwo\n", None);
    let close = "one\n```\nx\n```\ntwo\n";
    check_blank_lines(
        close,
        &["delete", "--code-block", "0", "--fences"],
        "one\n\ntwo\n",
        Some((0, 1)),
    );
}

#[test]
fn moved_parts_do_not_move_blank_lines() {
    let c = "## C\n\nc text\n";
    let without = SPACED.replace("\n## C\n\nc text\n", "");
    let moved = without.replace("## B", &format!("{c}\n## B"));
    check_blank_lines(SPACED, &["move", "--section", "C", "--to", "a.md#a"], &moved, Some((1, 0)));
    check_blank_lines(
        SPACED,
        &["move", "--section", "C", "--to", "a.md#b", "--before"],
        &moved,
        Some((0, 1)),
    );
    let last = format!("{}\n## A\n\na text\n", SPACED.replace("## A\n\na text\n\n", ""));
    check_blank_lines(SPACED, &["move", "--section", "A", "--to", "a.md"], &last, Some((1, 0)));
    // The section is already in this place.
    for to in [["a.md#b", "--after"], ["a.md#c", "--after"], ["a.md#c", "--before"]] {
        let words = [&["move", "--section", "C", "--to"], &to[..]].concat();
        check_blank_lines(SPACED, &words, SPACED, None);
    }
    let copied = format!("{c}\n{SPACED}");
    check_blank_lines(
        SPACED,
        &["copy", "--section", "C", "--to", "a.md:1", "--before"],
        &copied,
        Some((0, 1)),
    );
}

#[test]
fn edits_by_line_number_do_not_adjust_blank_lines() {
    let sandbox = Sandbox::with(&[("a.md", SPACED)]);
    sandbox.run(&["patch", "insert", "a.md:5", "-c", "x", "--json"]).succeeds();
    sandbox.run(&["patch", "delete", "a.md:4", "--json"]).succeeds();
    let text = std::fs::read_to_string(sandbox.path("a.md")).unwrap();
    assert_eq!(text, SPACED.replace("intro\n\n## A", "intro\nx\n## A"));
}

#[test]
fn front_matter_after_invisible_characters_is_not_doubled() {
    for blanks in ["\n", "\u{a0}\n", "\u{200b}", "\u{feff}\u{feff}"] {
        let text = format!("{blanks}---\ntitle: x\n---\n\n# A\n");
        let set = ["set", "--front-matter", "--key", "title", "-c", "y"];
        check_not_edited(&text, &set, "front matter must begin at the start of line 1");
        let replace = ["replace", "--front-matter", "-c", "---\ntitle: y\n---"];
        check_not_edited(&text, &replace, "front matter must begin at the start of line 1");
    }
}
