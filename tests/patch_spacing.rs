//! Blank lines around parts that are changed, inserted or deleted. They belong to the document.

use serde_json::json;

use crate::support::Sandbox;
use crate::support::edits::edit;

const GUIDE: &str = "# T\n\nintro\n\n## A\n\na text\n\n## B\n\n- b1\n- b2\n\n## C\n\nc text\n";
const DENSE: &str = "# T\nintro\n## A\na text\n## B\n- b1\n## C\nc text\n";

/// Checks the result of an edit, and the number of blank lines that it reports.
#[track_caller]
fn check(before: &str, arguments: &[&str], after: &str, added: Option<(u64, u64)>) {
    let edited = edit("a.md", before.as_bytes(), arguments);
    assert_eq!(edited.status, 0, "{}", edited.errors);
    assert_eq!(String::from_utf8_lossy(&edited.after.0), after, "{arguments:?}");
    let added = added.map(|(before, after)| json!({"before": before, "after": after}));
    assert_eq!(edited.records[0].get("blankLines"), added.as_ref(), "{arguments:?}");
}

#[test]
fn replaced_parts_keep_their_blank_lines() {
    let section = ["replace", "--section", "A", "-c", "## A\n\nnew"];
    check(GUIDE, &section, &GUIDE.replace("a text", "new"), None);
    check(GUIDE, &["replace", "--body", "A", "-c", "new"], &GUIDE.replace("a text", "new"), None);
    let own = ["replace", "--body", "A", "-c", "\n\nnew\n\n\n"];
    check(GUIDE, &own, &GUIDE.replace("\na text\n\n", "\n\nnew\n\n\n"), None);
    check(DENSE, &["replace", "--body", "A", "-c", "new"], &DENSE.replace("a text", "new"), None);
    let exact = ["replace", "--section", "A", "-c", "## A\n\nnew", "--exact"];
    check(GUIDE, &exact, &GUIDE.replace("a text\n\n", "new\n"), None);
    // The empty section was closer to the next heading than sections with text are.
    let close = "# T\n\n## A\n## B\n\nb\n";
    let text = ["replace", "--section", "A", "-c", "## A\n\nnew"];
    check(close, &text, "# T\n\n## A\n\nnew\n\n## B\n\nb\n", Some((0, 1)));
    check(
        "# A\n\n# B\n",
        &["replace", "--body", "A", "-c", "x"],
        "# A\n\nx\n\n# B\n",
        Some((1, 0)),
    );
    let windows = GUIDE.replace('\n', "\r\n");
    let after = GUIDE.replace("a text", "new").replace('\n', "\r\n");
    check(&windows, &section, &after, None);
}

#[test]
fn text_from_read_can_be_written_back() {
    for text in [GUIDE, DENSE, GUIDE.trim_end()] {
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
    check(GUIDE, &after, &GUIDE.replace("## B", "## X\n\nx\n\n## B"), Some((1, 0)));
    let before = ["insert", "--section", "A", "--before", "-c", "## X\n\nx"];
    check(GUIDE, &before, &GUIDE.replace("## A", "## X\n\nx\n\n## A"), Some((0, 1)));
    let own = ["insert", "--section", "A", "-c", "\n## X\n\nx\n\n"];
    check(GUIDE, &own, &GUIDE.replace("## B", "## X\n\nx\n\n## B"), None);
    let dense = ["insert", "--section", "A", "-c", "## X\nx"];
    check(DENSE, &dense, &DENSE.replace("## B", "## X\nx\n## B"), None);
    let heading = ["insert", "--heading", "A", "-c", "x"];
    check(GUIDE, &heading, &GUIDE.replace("a text", "x\n\na text"), Some((1, 0)));
    let block = ["insert", "--whole-file", "--before", "-c", "---\nk: v\n---"];
    check(GUIDE, &block, &format!("---\nk: v\n---\n\n{GUIDE}"), Some((0, 1)));
}

#[test]
fn appended_content_continues_a_list_or_is_separated() {
    check(GUIDE, &["append", "-c", "end"], &format!("{GUIDE}\nend\n"), Some((1, 0)));
    let item = ["append", "--section", "B", "-c", "- b3"];
    check(GUIDE, &item, &GUIDE.replace("- b2\n", "- b2\n- b3\n"), None);
    let text = ["append", "--section", "B", "-c", "after"];
    check(GUIDE, &text, &GUIDE.replace("- b2\n", "- b2\n\nafter\n"), Some((1, 0)));
    check(DENSE, &["append", "-c", "## D\nd"], &format!("{DENSE}## D\nd\n"), None);
    let cut = GUIDE.trim_end();
    check(cut, &["append", "-c", "end"], &format!("{cut}\n\nend"), Some((1, 0)));
    check("", &["append", "-c", "x"], "x\n", None);
}

#[test]
fn rows_become_part_of_the_table_they_are_appended_to() {
    let append = |table: &str, target: [&str; 2], row: &str, added: Option<(u64, u64)>| {
        let blank = if added.is_some() { "\n" } else { "" };
        let arguments = ["append", target[0], target[1], "-c", row];
        check(table, &arguments, &format!("{table}{blank}{row}\n"), added);
    };
    let (bare, piped) = ("A | B\n--|--\n1 | 2\n", "| A | B |\n|---|---|\n| 1 | 2 |\nlast row\n");
    let (one, section) = ("| A |\n|---|\n| 1 |\n", "# S\n\nA | B\n--|--\n1 | 2\n");
    let by_number = ["--table", "0"];
    let by_section = ["--section", "S"];
    for row in ["3 | 4", "| 3 | 4 |", "3 | 4\n5 | 6"] {
        append(bare, by_number, row, None);
        append(piped, by_number, row, None);
        append(section, by_section, row, None);
    }
    append(one, by_number, "2", None);
    append(&format!("# S\n\n{one}"), by_section, "2", Some((1, 0)));
    append(section, by_section, "3 | 4 | 5", Some((1, 0)));
    // A complete table is another table.
    for table in ["| C |\n|---|\n| 3 |", "C | D\n--|--"] {
        append(piped, by_number, table, Some((1, 0)));
        append(section, by_section, table, Some((1, 0)));
    }
    let windows = bare.replace('\n', "\r\n");
    let arguments = ["append", "--table", "0", "-c", "3 | 4"];
    check(&windows, &arguments, &format!("{windows}3 | 4\r\n"), None);
    let cut = bare.trim_end();
    check(cut, &arguments, &format!("{cut}\n3 | 4"), None);
}

#[test]
fn blocks_in_a_container_stay_blocks() {
    let quote = "> # Q\n>\n> | A |\n> |---|\n> | 1 |\n\nend\n";
    let with = |part: &str| quote.replace("> | 1 |\n", &format!("> | 1 |\n{part}"));
    for target in [["--table", "0"], ["--section", "Q"]] {
        let append = |content| ["append", target[0], target[1], "-c", content];
        check(quote, &append("| 2 |"), &with("> | 2 |\n"), None);
        check(quote, &append("| B |\n|---|"), &with(">\n> | B |\n> |---|\n"), Some((1, 0)));
    }
    check(quote, &["append", "--section", "Q", "-c", "x"], &with(">\n> x\n"), Some((1, 0)));
    check(quote, &["append", "--section", "Q", "-c", "- x"], &with("> - x\n"), None);
    let item = "- # L\n\n  in\n";
    let append = ["append", "--section", "L", "-c", "x\ny"];
    check(item, &append, &format!("{item}\n  x\n  y\n"), Some((1, 0)));
}

#[test]
fn blocks_that_become_adjacent_stay_blocks() {
    let code = "one\n```\nx\n```\ntwo\n";
    let replace = ["replace", "--code-block", "0", "--fences", "-c", "text"];
    check(code, &replace, "one\n\ntext\n\ntwo\n", Some((1, 1)));
    let table = "one\n| a |\n|---|\n\ntwo\n";
    let replace = ["replace", "--table", "0", "-c", "| b |\n|---|"];
    check(table, &replace, &table.replace("| a |", "| b |"), None);
    let quotes = "> one\n\n```\nx\n```\n> two\n";
    let insert = ["insert", "--code-block", "0", "--fences", "-c", "> new"];
    check(quotes, &insert, &quotes.replace("> two", "\n> new\n\n> two"), Some((1, 1)));
    let dense = "# A\n<div>\n# B\ntext\n";
    let append = ["append", "--section", "A", "-c", "# C"];
    check(dense, &append, &format!("{dense}\n# C\n"), Some((1, 0)));
}

#[test]
fn deleted_parts_leave_no_gap() {
    let without = |part: &str| GUIDE.replace(part, "");
    check(GUIDE, &["delete", "--section", "A"], &without("## A\n\na text\n\n"), None);
    check(GUIDE, &["delete", "--section", "C"], &without("\n## C\n\nc text\n"), None);
    check(GUIDE, &["delete", "--body", "A"], &without("a text\n\n"), None);
    check(GUIDE, &["delete", "--heading", "A"], &without("## A\n\n"), None);
    check(DENSE, &["delete", "--section", "A"], &DENSE.replace("## A\na text\n", ""), None);
    let code = "one\n\n```\nx\n```\n\ntwo\n";
    check(code, &["delete", "--code-block", "0", "--fences"], "one\n\ntwo\n", None);
    let close = "one\n```\nx\n```\ntwo\n";
    check(close, &["delete", "--code-block", "0", "--fences"], "one\n\ntwo\n", Some((0, 1)));
}

#[test]
fn moved_parts_do_not_move_blank_lines() {
    let c = "## C\n\nc text\n";
    let without = GUIDE.replace("\n## C\n\nc text\n", "");
    let moved = without.replace("## B", &format!("{c}\n## B"));
    check(GUIDE, &["move", "--section", "C", "--to", "a.md#a"], &moved, Some((1, 0)));
    check(GUIDE, &["move", "--section", "C", "--to", "a.md#b", "--before"], &moved, Some((0, 1)));
    let last = format!("{}\n## A\n\na text\n", GUIDE.replace("## A\n\na text\n\n", ""));
    check(GUIDE, &["move", "--section", "A", "--to", "a.md"], &last, Some((1, 0)));
    // The section is already in this place.
    for to in [["a.md#b", "--after"], ["a.md#c", "--after"], ["a.md#c", "--before"]] {
        let words = [&["move", "--section", "C", "--to"], &to[..]].concat();
        check(GUIDE, &words, GUIDE, None);
    }
    let copied = format!("{c}\n{GUIDE}");
    check(GUIDE, &["copy", "--section", "C", "--to", "a.md:1", "--before"], &copied, Some((0, 1)));
}

#[test]
fn edits_by_line_number_do_not_adjust_blank_lines() {
    let sandbox = Sandbox::with(&[("a.md", GUIDE)]);
    sandbox.run(&["patch", "insert", "a.md:5", "-c", "x", "--json"]).succeeds();
    sandbox.run(&["patch", "delete", "a.md:4", "--json"]).succeeds();
    let text = std::fs::read_to_string(sandbox.path("a.md")).unwrap();
    assert_eq!(text, GUIDE.replace("intro\n\n## A", "intro\nx\n## A"));
}

#[test]
fn previews_are_short_and_only_made_on_request() {
    let long = "line\n".repeat(30);
    let sandbox = Sandbox::with(&[("a.txt", "one\n")]);
    let replace = ["patch", "replace", "a.txt:1", "-c", &long, "--json", "--preview"];
    let record = sandbox.run(&replace).succeeds().json();
    assert_eq!(record["preview"]["after"].as_str().map(|text| text.lines().count()), Some(20));
    assert_eq!(record["preview"]["truncated"], true);
    for flags in [&["--json"][..], &["--json", "--preview", "--no-preview"]] {
        let bare = sandbox.run(&[&["patch", "delete", "a.txt:1"], flags].concat()).succeeds();
        crate::support::edits::check_schema(&bare.json());
        assert!(bare.json().get("preview").is_none());
    }
}

#[track_caller]
fn refused(before: &str, arguments: &[&str], message: &str) {
    let edited = edit("a.md", before.as_bytes(), arguments);
    assert!([2, 4].contains(&edited.status), "{arguments:?}: {}", edited.errors);
    assert!(edited.errors.contains(message), "{arguments:?}: {}", edited.errors);
    assert_eq!(String::from_utf8_lossy(&edited.after.0), before, "{arguments:?}");
}

#[test]
fn a_body_does_not_repeat_its_heading() {
    for before in ["<!-- c -->\n", "<a id=\"a\"></a>\n\n", "x\n\n", "---\nt: 1\n---\n", ""] {
        let content = format!("{before}## A\n\nnew");
        refused(GUIDE, &["replace", "--body", "A", "-c", &content], "the heading '## A'");
    }
    refused(GUIDE, &["replace", "--body", "A", "-c", "x\n\n## X\n\n## A"], "the heading '## A'");
    let other = edit("a.md", GUIDE.as_bytes(), &["replace", "--body", "A", "-c", "x\n\n## X"]);
    assert_eq!(other.status, 0, "{}", other.errors);
    let warning = other.records[0]["warnings"].to_string();
    assert!(warning.contains("the heading '## X' in the content ends the section"), "{warning}");
    let deeper = ["replace", "--body", "A", "-c", "> ## A\n\n### D"];
    check(GUIDE, &deeper, &GUIDE.replace("a text", "> ## A\n\n### D"), None);
}

#[test]
fn a_heading_in_a_quote_or_list_does_not_begin_a_section() {
    for content in ["> ## A\n> new\n\nrest", "- ## A\n\nrest"] {
        let replace = ["replace", "--section", "A", "-c", content];
        refused(GUIDE, &replace, "does not begin with a heading");
    }
}

#[test]
fn rows_of_a_table_are_adjacent() {
    let table = "| a |\n|---|\n| 1 |\n";
    for content in ["\n| 2 |", "    | 2 |", "| 2 |\n\n"] {
        check(table, &["append", "--table", "0", "-c", content], &format!("{table}| 2 |\n"), None);
    }
    let apart = ["append", "--table", "0", "-c", "| 2 |\n\n| 3 |"];
    refused(table, &apart, "a blank line would end the table");
}

#[test]
fn exact_content_is_not_added_to_an_unclosed_block() {
    let open = "# S\n\n```sh\nx\n";
    for flags in [&["--exact"][..], &[]] {
        let append = [&["append", "--section", "S", "-c", "y"], flags].concat();
        refused(open, &append, "line 3 begins a code block that is not closed");
        let insert = [&["insert", "--section", "S", "--after", "-c", "y"], flags].concat();
        refused(open, &insert, "line 3 begins a code block that is not closed");
    }
    let sandbox = Sandbox::with(&[("m.md", open), ("n.md", "# X\n\nx\n")]);
    let copy = sandbox.run(&["patch", "copy", "n.md", "-s", "X", "--to", "m.md"]).exits(4);
    copy.tells("folio patch insert m.md:4 --after");
}

#[test]
fn front_matter_after_invisible_characters_is_not_doubled() {
    for blanks in ["\n", "\u{a0}\n", "\u{200b}", "\u{feff}\u{feff}"] {
        let text = format!("{blanks}---\ntitle: x\n---\n\n# A\n");
        let set = ["set", "--front-matter", "--key", "title", "-c", "y"];
        refused(&text, &set, "front matter must begin at the start of line 1");
        let replace = ["replace", "--front-matter", "-c", "---\ntitle: y\n---"];
        refused(&text, &replace, "front matter must begin at the start of line 1");
    }
}

#[test]
fn a_carriage_return_at_the_end_of_content_is_not_text() {
    for (arguments, after) in [
        (["replace", "--lines", "1", "-c", "q\r"], "q\nb\n"),
        (["replace", "--text", "b", "-c", "q\r"], "a\nq\n"),
    ] {
        check("a\nb\n", &arguments, after, None);
    }
    let windows = ["replace", "-U", "--pattern", "a.*", "-c", "#"];
    check("xa\r\nb\r\n", &windows, "x#\r\nb\r\n", None);
}
