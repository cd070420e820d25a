//! Code blocks, tables, quotes, lists and tags: their fences, rows and marks.

use std::fs;

use super::{SPACED, check_blank_lines, check_not_edited};
use crate::support::Sandbox;
use crate::support::edits::{check_edit, check_text_edit, edited};

#[test]
fn quotes_and_lists_keep_their_marks() {
    let text = "# T\n\n> ## Q\n>\n> body\n\n- # L\n\n  in\n";
    let quote = "> ## Q\n>\n> body\n";
    let check = |arguments: &[&str], old: &str, new: &str| {
        check_edit("a.md", text, arguments, &text.replace(old, new));
    };
    check(&["insert", "--heading", "Q", "-c", "a\n\nb"], "> ## Q\n", "> ## Q\n> a\n>\n> b\n");
    check(&["replace", "--heading", "Q", "-c", "### Z"], "> ## Q\n", "> ### Z\n");
    check(&["replace", "--body", "Q", "-c", "a\n\nb"], ">\n> body\n", "> a\n>\n> b\n");
    check(&["replace", "--section", "Q", "-c", "## Z\na"], quote, "> ## Z\n> a\n");
    check(&["append", "--section", "Q", "-c", "a"], "> body\n", "> body\n>\n> a\n");
    check(&["rename", "--heading", "Q", "-c", "Z"], "> ## Q\n", "> ## Z\n");
    check(&["replace", "--heading", "L", "-c", "# Z"], "- # L\n", "- # Z\n");
    check(&["insert", "--heading", "L", "-c", "a"], "- # L\n", "- # L\n  a\n");
    check(&["replace", "--body", "L", "-c", "\na"], "\n  in\n", "\n  a\n");
    check(&["append", "--section", "L", "-c", "a\nb"], "  in\n", "  in\n\n  a\n  b\n");
}

#[test]
fn blocks_in_a_container_stay_blocks() {
    let quote = "> # Q\n>\n> | A |\n> |---|\n> | 1 |\n\nend\n";
    let with = |part: &str| quote.replace("> | 1 |\n", &format!("> | 1 |\n{part}"));
    for target in [["--table", "0"], ["--section", "Q"]] {
        let append = |content| ["append", target[0], target[1], "-c", content];
        check_blank_lines(quote, &append("| 2 |"), &with("> | 2 |\n"), None);
        check_blank_lines(
            quote,
            &append("| B |\n|---|"),
            &with(">\n> | B |\n> |---|\n"),
            Some((1, 0)),
        );
    }
    check_blank_lines(
        quote,
        &["append", "--section", "Q", "-c", "x"],
        &with(">\n> x\n"),
        Some((1, 0)),
    );
    check_blank_lines(quote, &["append", "--section", "Q", "-c", "- x"], &with("> - x\n"), None);
    let item = "- # L\n\n  in\n";
    let append = ["append", "--section", "L", "-c", "x\ny"];
    check_blank_lines(item, &append, &format!("{item}\n  x\n  y\n"), Some((1, 0)));
}

#[test]
fn a_heading_in_a_quote_or_list_does_not_begin_a_section() {
    for content in ["> ## A\n> new\n\nrest", "- ## A\n\nrest"] {
        let replace = ["replace", "--section", "A", "-c", content];
        check_not_edited(SPACED, &replace, "does not begin with a heading");
    }
}

#[test]
fn a_part_in_a_container_is_copied_without_its_prefixes() {
    let text = "- a\n  - b\n\n    ```py\n    z\n\n      y\n    ```\n\n> ```sh\n> q\n> ```\n\n- | a |\n  |---|\n";
    for (target, expected) in [
        (&["--code-block", "py:0"][..], "z\n\n  y\n"),
        (&["--code-block", "0", "--fences"], "```py\nz\n\n  y\n```\n"),
        (&["--code-block", "sh:0", "--fences"], "```sh\nq\n```\n"),
        (&["--table", "0"], "| a |\n|---|\n"),
    ] {
        for operation in ["copy", "move"] {
            let sandbox = Sandbox::with(&[("a.md", text)]);
            let edit = ["patch", operation, "a.md", "--to", "b.md"];
            sandbox.run(&[&edit[..], target].concat()).exits(0);
            sandbox.run(&["read", "b.md"]).prints(expected);
        }
    }
}

#[test]
fn a_list_marker_with_other_content_is_not_deleted() {
    let item = |tail: &str| format!("10. ```sh\n    x\n    ```\n{tail}\n11. b\n");
    let fences = ["--code-block", "0", "--fences"];
    let delete = [&["patch", "delete", "a.md"], &fences[..]].concat();
    let sandbox = Sandbox::with(&[("a.md", &item("\n    more\n"))]);
    sandbox.run(&delete).exits(4).tells("list marker '10.'");
    let to = ["--to", "b.md"];
    sandbox.run(&[&["patch", "move", "a.md"], &fences[..], &to].concat()).exits(4);
    sandbox.run(&[&delete[..], &["--force"]].concat()).exits(0);
    let sandbox = Sandbox::with(&[("a.md", &item(""))]);
    sandbox.run(&delete).exits(0);
    for text in ["-\t```sh\n\tx\n\t```\n\n\tmore\n", "> - ```sh\n>   x\n>   ```\n>\n>   more\n"] {
        let sandbox = Sandbox::with(&[("a.md", text)]);
        sandbox.run(&delete).exits(4).tells("list marker");
    }
}

#[test]
fn a_block_that_moves_within_its_container_keeps_its_prefixes() {
    let sandbox = Sandbox::with(&[("a.md", "> ```sh\n> x\n> ```\n>\n> # H\n> t\n")]);
    let edit = ["patch", "copy", "a.md", "--code-block", "0", "--fences", "--to", "a.md:6"];
    sandbox.run(&edit).exits(0);
    let found = fs::read_to_string(sandbox.path("a.md")).unwrap();
    assert!(found.ends_with("> t\n> ```sh\n> x\n> ```\n"), "{found}");
}

#[test]
fn closing_tags_of_the_surrounding_text_are_kept() {
    let tabs = "<Tabs>\n  <Tab>\n\n## In\n\nx\n\n  </Tab>\n</Tabs>\n\n## Next\n";
    check_text_edit(
        "a.mdx",
        tabs,
        &["replace", "--body", "In", "-c", "y"],
        &tabs.replace("\nx\n", "\ny\n"),
    );
    let without = "<Tabs>\n  <Tab>\n\n  </Tab>\n</Tabs>\n\n## Next\n";
    check_text_edit("a.mdx", tabs, &["delete", "--section", "In"], without);
    let more = tabs.replace("\nx\n", "\nx\n\ny\n");
    check_text_edit("a.mdx", tabs, &["append", "--section", "In", "-c", "y"], &more);
    let nested = "<details>\n\n## A\n\n<div>\nx\n</div>\n\n</details>\n";
    check_text_edit("a.md", nested, &["delete", "--section", "A"], "<details>\n\n</details>\n");
    // The tags of the section itself are part of it, also if they are on one line with others.
    let both = "<a>\n\n## A\n\n<b>\n<b-c>\nx\n</b-c></b>\n</a>\n";
    check_text_edit("a.md", both, &["delete", "--section", "A"], "<a>\n\n</a>\n");
    let text = "## A\n\nx\n</a> y\n";
    check_text_edit("a.md", text, &["replace", "--body", "A", "-c", "z"], "## A\n\nz\n");
}

#[test]
fn code_keeps_the_indentation_of_its_fence() {
    let block = |before: &str, content: &str, after: &str| {
        let flags = ["replace", "--code-block", "0", "-c", content];
        check_edit("a.md", before, &flags, after);
    };
    block("   ```\n     i\n   ```\n", "x\n    q", "   ```\n   x\n       q\n   ```\n");
    block("> ```\n> x\n> ```\n", "  y\n\nz", "> ```\n>   y\n>\n> z\n> ```\n");
    block("- ```\n  x\n  ```\n", "y\n\n z", "- ```\n  y\n\n   z\n  ```\n");
    block("> > ```\n", "y", "> > ```\n> > y\n");
    block("```sh", "y", "```sh\ny");
    // The new fence is longer than any fence in the content.
    block("```\nx\n```\n", "```\ny\n```", "````\n```\ny\n```\n````\n");
    block("~~~\nx\n~~~\n", "```\ny\n```", "~~~\n```\ny\n```\n~~~\n");
    block("> ```\n> x\n> ```\n", "```", "> ````\n> ```\n> ````\n");
}

#[test]
fn a_quoted_code_block_accepts_content_with_a_fence() {
    let before = "> ```\n> x\n> ```\n\n# B\n";
    let (run, after) =
        edited("q.md", before, &["insert", "--code-block", "0", "-c", "```\ny\n```"]);
    run.exits(0);
    assert_eq!(after, "> ````\n> x\n> ```\n> y\n> ```\n> ````\n\n# B\n");
}

#[test]
fn a_table_is_a_part() {
    let text =
        "# A\n\nintro\n| x | y |\n|---|---|\n| 1 | 2 |\n\n> - | q |\n>   |---|\n>   | 3 |\n\nend\n";
    let rows = "| z |\n|---|\n| 9 |";
    let check = |arguments: &[&str], expected: &str| {
        let sandbox = Sandbox::with(&[("t.md", text)]);
        let operation = arguments[0];
        sandbox.run(&[&["patch", operation, "t.md"], &arguments[1..]].concat()).succeeds();
        assert_eq!(fs::read_to_string(sandbox.path("t.md")).expect("a file"), expected);
    };
    let first = "| x | y |\n|---|---|\n| 1 | 2 |\n";
    check(&["replace", "--table", "0", "-c", rows], &text.replace(first, &format!("{rows}\n")));
    check(&["delete", "--table", "0"], &text.replace(first, ""));
    let longer = format!("{first}| 3 | 4 |\n");
    check(&["insert", "--table", "0", "-c", "| 3 | 4 |"], &text.replace(first, &longer));
    check(&["append", "--table", "0", "-c", "| 3 | 4 |"], &text.replace(first, &longer));
    // The markers of its quote and list are added before the content.
    let quoted = "> - | q |\n>   |---|\n>   | 3 |\n";
    let marked = "> - | z |\n>   |---|\n>   | 9 |\n";
    check(&["replace", "--table", "1", "-c", rows], &text.replace(quoted, marked));
    let longer = format!("{quoted}>   | 4 |\n");
    check(&["append", "--table", "1", "-c", "| 4 |"], &text.replace(quoted, &longer));
    let json = r#"{"table":{"index":0}}"#;
    check(&["delete", "--target", json], &text.replace(first, ""));

    let sandbox = Sandbox::with(&[("t.md", text)]);
    let read = sandbox.run(&["read", "t.md", "--table", "1"]).succeeds().text();
    let arguments = ["patch", "replace", "t.md", "--json", "--table", "1", "-f", "-"];
    let outcome = sandbox.run_with_input(&arguments, &read).succeeds();
    assert_eq!(outcome.json()["status"], "unchanged");
    assert_eq!(outcome.json()["target"], serde_json::json!({"table": {"index": 1}}));
    let miss = sandbox.run(&["patch", "delete", "t.md", "--table", "2"]).exits(1);
    miss.tells("no table 2: the document has 2").tells("folio inspect --only tables t.md");
    sandbox.run(&["patch", "delete", "t.md", "--table", "0", "--section", "A"]).exits(2);
}

#[test]
fn rows_become_part_of_the_table_they_are_appended_to() {
    let append = |table: &str, target: [&str; 2], row: &str, added: Option<(u64, u64)>| {
        let blank = if added.is_some() { "\n" } else { "" };
        let arguments = ["append", target[0], target[1], "-c", row];
        check_blank_lines(table, &arguments, &format!("{table}{blank}{row}\n"), added);
    };
    let (bare, piped) = ("A | B\n--|--\n1 | 2\n", "| A | B |\n|---|---|\n| 1 | 2 |\nlast row\n");
    let (rows, section) = ("| A |\n|---|\n| 1 |\n", "# S\n\nA | B\n--|--\n1 | 2\n");
    let by_number = ["--table", "0"];
    let by_section = ["--section", "S"];
    for row in ["3 | 4", "| 3 | 4 |", "3 | 4\n5 | 6"] {
        append(bare, by_number, row, None);
        append(piped, by_number, row, None);
        append(section, by_section, row, None);
    }
    append(rows, by_number, "2", None);
    append(&format!("# S\n\n{rows}"), by_section, "2", Some((1, 0)));
    append(section, by_section, "3 | 4 | 5", Some((1, 0)));
    // A complete table is another table.
    for table in ["| C |\n|---|\n| 3 |", "C | D\n--|--"] {
        append(piped, by_number, table, Some((1, 0)));
        append(section, by_section, table, Some((1, 0)));
    }
    let windows = bare.replace('\n', "\r\n");
    let arguments = ["append", "--table", "0", "-c", "3 | 4"];
    check_blank_lines(&windows, &arguments, &format!("{windows}3 | 4\r\n"), None);
    let cut = bare.trim_end();
    check_blank_lines(cut, &arguments, &format!("{cut}\n3 | 4"), None);
}

#[test]
fn rows_of_a_table_are_adjacent() {
    let table = "| a |\n|---|\n| 1 |\n";
    for content in ["\n| 2 |", "    | 2 |", "| 2 |\n\n"] {
        check_blank_lines(
            table,
            &["append", "--table", "0", "-c", content],
            &format!("{table}| 2 |\n"),
            None,
        );
    }
    let apart = ["append", "--table", "0", "-c", "| 2 |\n\n| 3 |"];
    check_not_edited(table, &apart, "a blank line would end the table");
}
