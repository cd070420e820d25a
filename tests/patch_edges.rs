//! Edits at the edges of documents and parts, where a simple implementation would fail.

use serde_json::{Value, json};

use crate::support::edits::{Edited, check_schema, edit, makes as check, refused};
use crate::support::{Sandbox, checksum};

/// Applies several edits to one file and returns their records.
#[track_caller]
fn applied(before: &str, edits: &Value, after: &str) -> Vec<Value> {
    let sandbox = Sandbox::with(&[("a.txt", before)]);
    let run =
        sandbox.run_with_input(&["patch", "apply", "-", "--json", "--preview"], edits.to_string());
    let records = run.exits(0).json_lines();
    records.iter().for_each(check_schema);
    assert_eq!(std::fs::read_to_string(sandbox.path("a.txt")).unwrap(), after);
    records
}

#[test]
fn deleting_a_last_line_without_a_line_ending_leaves_no_blank_line() {
    let edited = check("a.txt", "a\nb\nc", &["move", "--lines=3", "--to=a.txt"], "a\nb\nc");
    assert_eq!(edited.records[0]["status"], "unchanged");
    check("a.txt", "a\nb\nc", &["move", "--lines=2-3", "--to=a.txt"], "a\nb\nc");
    check("a.txt", "a\nb\nc", &["move", "--lines=1-3", "--to=a.txt"], "a\nb\nc");
    check("a.txt", "a\nb\nc", &["move", "--lines=1", "--to=a.txt"], "b\nc\na");
    check("a.txt", "a\nb\nc", &["move", "--lines=3", "--to=a.txt:1", "--before"], "c\na\nb\n");
    check("a.txt", "a\nb\nc", &["copy", "--lines=3", "--to=a.txt"], "a\nb\nc\nc");
    let edits = json!([
        {"address": "a.txt:3", "operation": "delete"},
        {"address": "a.txt", "operation": "append", "content": "d"},
    ]);
    applied("a\nb\nc", &edits, "a\nb\nd");
}

#[test]
fn adding_a_line_ending_to_the_last_line_is_reported() {
    let said = |edited: &Edited| {
        let details = edited.records[0]["details"].as_array().cloned().unwrap_or_default();
        let is_it = |it: &&Value| it.as_str().is_some_and(|it| it.contains("line ending added"));
        details.iter().filter(is_it).count()
    };
    let edited = check("a.md", "# A\n\na", &["append", "-c", "b"], "# A\n\na\n\nb");
    assert_eq!(said(&edited), 1);
    let edited = check("a.txt", "a\nb\nc", &["move", "--lines=1", "--to=a.txt"], "b\nc\na");
    assert_eq!(said(&edited), 1);
    for (before, arguments, after) in [
        ("a\n", &["append", "-c", "b"][..], "a\nb\n"),
        ("a\nb", &["insert", "--lines", "2", "-c", "x"], "a\nx\nb"),
        ("a\nb", &["replace", "--lines", "2", "-c", "x"], "a\nx"),
        ("a\nb\nc", &["move", "--lines=3", "--to=a.txt"], "a\nb\nc"),
        ("a\nb\nc", &["move", "--lines=3", "--to=a.txt:1", "--before"], "c\na\nb\n"),
    ] {
        assert_eq!(said(&check("a.txt", before, arguments, after)), 0, "{arguments:?}");
    }
    let text = |sandbox: &Sandbox, name| std::fs::read_to_string(sandbox.path(name)).unwrap();
    let sandbox = Sandbox::with(&[("a.md", "# A\n\na\n"), ("b.md", "# X\n\nx\n\n# Y\n\ny")]);
    // If a last line has no line ending, it gets one when it is inserted in the middle of another
    // file, but not at its end.
    sandbox.run(&["patch", "copy", "b.md", "--section", "Y", "--to", "a.md#a"]).exits(0);
    assert_eq!(text(&sandbox, "a.md"), "# A\n\na\n\n# Y\n\ny\n");
    let moved = sandbox.run(&["patch", "move", "a.md", "--section", "A", "--to", "b.md"]).exits(0);
    let said = "to b.md:9-11; line ending added to the old last line, the new one has none";
    assert!(moved.text().contains(said), "{moved}");
    assert_eq!(text(&sandbox, "b.md"), "# X\n\nx\n\n# Y\n\ny\n\n# A\n\na");
    sandbox.run(&["patch", "move", "b.md", "--section", "A", "--to", "a.md"]).exits(0);
    assert_eq!(text(&sandbox, "a.md"), "# Y\n\ny\n\n# A\n\na\n");
    assert_eq!(text(&sandbox, "b.md"), "# X\n\nx\n\n# Y\n\ny\n");
}

#[test]
fn moving_a_part_to_its_own_place_changes_nothing() {
    for (to, side) in [("1", "--after"), ("2", "--before"), ("2", "--after"), ("3", "--before")] {
        let to = format!("--to=a.txt:{to}");
        let edited = check("a.txt", "a\nb\nc\n", &["move", "--lines=2", &to, side], "a\nb\nc\n");
        assert_eq!(edited.records[0]["status"], "unchanged", "{to} {side}");
    }
    let edited = check("a.txt", "a\nb\nc\n", &["move", "--lines=1", "--to=a.txt:2"], "b\na\nc\n");
    assert_eq!(edited.records[0]["status"], "success");
    assert_eq!(edited.records[0]["linesDelta"], 0);
    assert!(edited.records[0].get("note").is_none());
    let into = ["move", "--lines=1-2", "--to=a.txt:2", "--before"];
    refused("a.txt", "a\nb\nc\n", &into, 2, "into itself");
}

#[test]
fn a_scope_applies_to_every_target() {
    let text =
        "---\nk: v\n---\n# A\n\n<a id=\"x\"></a> foo\n\n```\n1\n```\n\n# B\n\nfoo\n\n```\n2\n```\n";
    let within = |rest: &[&'static str]| [&["replace", "--in", "B", "-c", "new"], rest].concat();
    refused("a.md", text, &within(&["--anchor", "x"]), 1, "TARGET_NOT_FOUND");
    refused("a.md", text, &within(&["--whole-file"]), 2, "INVALID_ARGUMENT");
    refused("a.md", text, &within(&["--front-matter"]), 2, "INVALID_ARGUMENT");
    refused("a.md", text, &within(&["--lines", "14"]), 2, "INVALID_ARGUMENT");
    refused("a.md", text, &within(&["--section", "A"]), 1, "TARGET_NOT_FOUND");
    refused("a.md", text, &within(&[]), 2, "INVALID_ARGUMENT");
    refused("a.md", text, &within(&["--code-block", "1"]), 1, "TARGET_NOT_FOUND");
    check("a.md", text, &within(&["--code-block", "0"]), &text.replace("\n2\n", "\nnew\n"));
    check("a.md", text, &within(&["--text", "foo"]), &text.replace("\nfoo\n", "\nnew\n"));
}

#[test]
fn code_keeps_the_indentation_of_its_fence() {
    let block = |before: &str, content: &str, after: &str| {
        let flags = ["replace", "--code-block", "0", "-c", content];
        check("a.md", before, &flags, after);
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
fn each_edit_of_a_batch_reports_its_own_lines() {
    let told = |record: &Value, text: &str| {
        let preview = &record["preview"]["after"];
        assert_eq!(preview, text.trim_end(), "{record}");
        assert_eq!(record["rangeChecksum"].as_str().unwrap(), checksum(text), "{record}");
    };
    let edits = json!([
        {"address": "a.txt:2", "operation": "insert", "content": "before"},
        {"address": "a.txt:2", "operation": "replace", "content": "B"},
        {"address": "a.txt:2", "operation": "insert", "after": true, "content": "after"},
        {"address": "a.txt:4", "operation": "insert", "content": "x"},
    ]);
    let records = applied("a\nb\nc\nd\n", &edits, "a\nbefore\nB\nafter\nc\nx\nd\n");
    for (record, (line, text)) in
        records.iter().zip([(2, "before"), (3, "B"), (4, "after"), (6, "x")])
    {
        assert_eq!(record["resultLines"], json!({"start": line, "end": line}), "{record}");
        told(record, &format!("{text}\n"));
    }
}

#[test]
fn joined_lines_are_reported_together() {
    let edited = check("a.txt", "a\n\nb\n", &["replace", "--text", "\n\n", "-c", "-"], "a-b\n");
    let record = &edited.records[0];
    assert_eq!(record["affectedLines"], json!({"start": 1, "end": 3}));
    assert_eq!(record["resultLines"], json!({"start": 1, "end": 1}));
    assert_eq!(record["preview"], json!({"before": "a\n\nb", "after": "a-b"}));
    assert_eq!(record["rangeChecksum"].as_str().unwrap(), checksum("a-b\n"));
}

#[test]
fn a_value_must_be_one_line_that_can_be_read_back() {
    let ini = "[a]\nk = 1\n[b]\nx = 1\n";
    let insert =
        |rest: [&'static str; 3]| [&["insert", "--section", "a", "--key", "n"], &rest[..]].concat();
    refused("a.ini", ini, &insert(["--value", "-c", "5\n[evil]"]), 2, "INVALID_ARGUMENT");
    let line = ["insert", "--section", "a", "--key", "n", "-c", "n = 5\n[evil]\nz = 1"];
    refused("a.ini", ini, &line, 2, "INVALID_ARGUMENT");
    let replace = ["replace", "--section", "a", "--key", "k", "--value", "-c", "5\n[evil]"];
    refused("a.ini", ini, &replace, 2, "INVALID_ARGUMENT");
    check("a.ini", ini, &insert(["--value", "-c", "5"]), "[a]\nk = 1\nn = 5\n[b]\nx = 1\n");
    let yaml = "---\nq: x\nr: 'x'\n---\n";
    for value in
        ["# b", "a: b", "b:", "- x", "[x", "*x", "&x", "!x", "'x", "%x", "@x", "`x", "x #y"]
    {
        let content = format!("--content={value}");
        let set = ["replace", "--front-matter", "--key", "q", "--value", &content];
        let quoted = match value {
            // The key beside it has single quotes.
            "'x" => "'''x'".to_owned(),
            _ => format!("'{value}'"),
        };
        check("a.md", yaml, &set, &yaml.replace("q: x", &format!("q: {quoted}")));
    }
    let quoted = ["replace", "--front-matter", "--key", "r", "--value", "-c", "a: b # c"];
    check("a.md", yaml, &quoted, "---\nq: x\nr: 'a: b # c'\n---\n");
}

#[test]
fn quotes_and_lists_keep_their_marks() {
    let text = "# T\n\n> ## Q\n>\n> body\n\n- # L\n\n  in\n";
    let quote = "> ## Q\n>\n> body\n";
    let check = |arguments: &[&str], old: &str, new: &str| {
        check("a.md", text, arguments, &text.replace(old, new));
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
fn content_does_not_become_part_of_an_unclosed_block() {
    for (text, line, end) in [
        ("# S\n```sh\nx\n", 2, "```"),
        ("# S\n\n~~~~\nx\n\ny\n", 3, "~~~~"),
        ("# S\n<!-- x\n", 2, "-->"),
        ("# S\n\n<pre>\n\nx\n", 3, "</pre>"),
        ("# S\r\n```\r\nx", 2, "```"),
        ("> # S\n> ```\n> x\n", 2, "```"),
    ] {
        let last = text.lines().count();
        let close = format!("insert a.md:{last} --after --content");
        let message = format!("line {line} begins a");
        for content in ["## New\ntext", "text", "\n\ntext", "```sh\ny"] {
            for edit in
                [&["append", "--section", "S"][..], &["append"], &["insert", "--section", "S"]]
            {
                let is_contained = text.starts_with('>');
                if is_contained && edit.len() == 1 {
                    continue;
                }
                let arguments = [edit, &["-c", content]].concat();
                let run = refused("a.md", text, &arguments, 4, "STRUCTURE_CHANGED");
                assert!(run.errors.contains(&message), "{}", run.errors);
                let hints = run.errors.contains(&close) && run.errors.contains(end);
                assert_eq!(hints, !is_contained, "{}", run.errors);
                let forced = edit_with_force(text, &arguments);
                assert!(forced.contains("so the content becomes part of it"), "{forced}");
                assert!(forced.contains(content.trim_end().lines().last().unwrap()), "{forced}");
            }
        }
    }
}

fn edit_with_force(text: &str, arguments: &[&str]) -> String {
    let edited = edit("a.md", text.as_bytes(), &[arguments, &["--force"]].concat());
    assert_eq!(edited.status, 0, "{arguments:?}: {}", edited.errors);
    let warnings = edited.records[0]["warnings"].to_string();
    String::from_utf8(edited.after.0).unwrap() + &warnings
}

#[test]
fn content_does_not_include_the_text_below() {
    let text = "# S\n\n```\nx\n```\n\nbelow\n\n    code\n";
    for content in ["<!-- y", "```\ny", "<pre>"] {
        let insert = ["insert", "--code-block", "0", "--fences", "-c", content];
        refused("a.md", text, &insert, 4, "STRUCTURE_CHANGED");
        let replace = ["replace", "--code-block", "0", "--fences", "-c", content];
        refused("a.md", text, &replace, 4, "STRUCTURE_CHANGED");
    }
    let code = text.replace("below\n\n", "");
    let list = ["insert", "--code-block", "0", "--fences", "-c", "- y"];
    let run = refused("a.md", &code, &list, 4, "STRUCTURE_CHANGED");
    assert!(run.errors.contains("line 7 would become part of the content"), "{}", run.errors);
}

#[test]
fn a_replaced_section_keeps_its_heading() {
    let text = "# A\n\na\n\n## B {#b}\n\nb\n\n### C\n";
    for target in [["--section", "B"], ["--anchor", "b"]] {
        let replace = |content| ["replace", target[0], target[1], "-c", content];
        for content in ["new", "text\n\n## B\n\nnew", "```\n## B\n```"] {
            let run = refused("a.md", text, &replace(content), 4, "STRUCTURE_CHANGED");
            assert!(run.errors.contains("so '## B' would be removed"), "{}", run.errors);
            assert!(run.errors.contains("--body B"), "{}", run.errors);
            edit_with_force(text, &replace(content));
        }
        let same = edit("a.md", text.as_bytes(), &replace("<a id=\"x\"></a>\n## B {#b}\n\nnew"));
        assert_eq!(same.status, 0, "{}", same.errors);
        assert!(!same.records[0]["warnings"].to_string().contains("changes from"));
        for content in ["## Z\n\nnew", "### B\n\nnew", "\nB\n===\n\nnew"] {
            let other = edit("a.md", text.as_bytes(), &replace(content));
            assert_eq!(other.status, 0, "{}", other.errors);
            let warnings = other.records[0]["warnings"].to_string();
            assert!(warnings.contains("the heading changes from '## B' to '"), "{warnings}");
        }
    }
    let heading = ["replace", "--heading", "B", "-c", "Z"];
    let run = refused("a.md", text, &heading, 4, "STRUCTURE_CHANGED");
    assert!(run.errors.contains("rename a.md --heading B -c Z"), "{}", run.errors);
    for content in ["## B\n\nnew", "# Z", "\n### B\n"] {
        let run = refused(
            "a.md",
            text,
            &["replace", "--body", "B", "-c", content],
            4,
            "STRUCTURE_CHANGED",
        );
        assert!(run.errors.contains("a.md --section B"), "{}", run.errors);
    }
    check(
        "a.md",
        text,
        &["replace", "--body", "B", "-c", "### Z"],
        &text.replace("b\n\n### C", "### Z"),
    );

    let ini = "[a]\nk = 1\n[b]\nl = 2\n";
    refused("a.ini", ini, &["replace", "--section", "b", "-c", "l = 3"], 4, "STRUCTURE_CHANGED");
    refused("a.ini", ini, &["replace", "--body", "b", "-c", "[b]\nl = 3"], 4, "STRUCTURE_CHANGED");
    check(
        "a.ini",
        ini,
        &["replace", "--section", "b", "-c", "[c]\nl = 3"],
        "[a]\nk = 1\n[c]\nl = 3\n",
    );
    let log = "[LOG-1] a\nx\n[LOG-2] b\ny\n";
    refused("a.log", log, &["replace", "--section", "LOG-2", "-c", "z"], 4, "STRUCTURE_CHANGED");
    let entry = ["replace", "--section", "LOG-2", "-c", "[LOG-2] c\nz"];
    check("a.log", log, &entry, "[LOG-1] a\nx\n[LOG-2] c\nz\n");
}

#[test]
fn a_heading_is_renamed_to_the_requested_text() {
    let refused = |before: &str, name: &str, new: &str| {
        refused("a.md", before, &["rename", "--heading", name, "-c", new], 2, "INVALID_ARGUMENT");
    };
    refused("## A\n", "A", "C #");
    refused("> A\n> ===\n", "A", "- x");
    refused("A\n---\n", "A", "> x");
    refused("A\n---\n", "A", "[x]: /y");
    refused("# A\n", "A", "a\nb");
}

#[test]
fn a_heading_that_would_be_in_a_list_is_reported() {
    let text = "# A\n\nx\n\n  # C\n";
    refused("a.md", text, &["replace", "--text", "x", "-c", "- y"], 4, "STRUCTURE_CHANGED");
    let quoted = "# A\n\nx\n# C\n";
    check("a.md", quoted, &["replace", "--text", "x", "-c", "> y"], "# A\n\n> y\n# C\n");
}

#[test]
fn a_new_file_contains_its_content() {
    let sandbox = Sandbox::new();
    for (name, text) in [("mixed", &b"a\r\nb\nc"[..]), ("blank", b"\n\n"), ("odd", b"\xe9 \r")] {
        sandbox.write("content", text);
        sandbox.run(&["patch", "create", name, "-f", "content"]).exits(0);
        assert_eq!(std::fs::read(sandbox.path(name)).unwrap(), text, "{name}");
    }
    sandbox.run(&["patch", "create", "no directory/", "-c", "x"]).exits(2);
    assert!(!sandbox.path("no directory").exists());
}

#[test]
fn steps_can_edit_a_file_created_by_an_earlier_step() {
    let sandbox = Sandbox::new();
    let edits = json!({"sequential": true, "edits": [
        {"filePath": "n.md", "operation": "create", "content": "# N\n"},
        {"filePath": "n.md", "operation": "append", "target": {"section": "N"}, "content": "x"},
        {"filePath": "n.md", "operation": "rename", "target": {"heading": "N"}, "content": "M"},
    ]});
    let apply = ["patch", "apply", "-", "--json"];
    sandbox.run_with_input(&apply, edits.to_string()).exits(0);
    assert_eq!(std::fs::read_to_string(sandbox.path("n.md")).unwrap(), "# M\n\nx\n");
}

#[test]
fn lines_past_the_end_are_refused_except_in_an_open_range() {
    refused("a.txt", "a\nb\n", &["delete", "--lines", "2-9"], 1, "LINE_OUT_OF_RANGE");
    refused("a.txt", "a\nb\n", &["replace", "--lines=3-", "-c", "x"], 1, "LINE_OUT_OF_RANGE");
    check("a.txt", "a\nb\n", &["delete", "--lines", "2-"], "a\n");
}

#[test]
fn different_spellings_are_found_only_on_request() {
    let flags = |text, flag| ["replace", "--text", text, "-c", "X", flag];
    let text = "foo  bar\n\tbaz\nit\u{2019}s \u{201c}q\u{201d} \u{2014} e\u{301}\n";
    let blanks = "foo bar\nbaz";
    refused("a.txt", text, &flags(blanks, "--force"), 1, "TARGET_NOT_FOUND");
    let after = text.replace("foo  bar\n\tbaz", "X");
    check("a.txt", text, &flags(blanks, "--ignore-whitespace"), &after);
    let spelt = "it's \"q\"";
    refused("a.txt", text, &flags(spelt, "--ignore-case"), 1, "TARGET_NOT_FOUND");
    let after = text.replace("it\u{2019}s \u{201c}q\u{201d}", "X");
    check("a.txt", text, &flags(spelt, "--normalize-unicode"), &after);
    let after = text.replace("e\u{301}", "X");
    check("a.txt", text, &flags("\u{e9}", "--normalize-unicode"), &after);
    refused("a.txt", "ab\n", &flags("a b", "--ignore-whitespace"), 1, "TARGET_NOT_FOUND");
}

#[test]
fn deleting_empty_matches_is_reported() {
    let delete = ["delete", "--occurrence", "all", "--pattern"];
    let check = |pattern: &[&str], after: &str| {
        let edited = check("a.txt", "a\n\nb\n", &[&delete[..], pattern].concat(), after);
        edited.records[0]["warnings"].to_string()
    };
    let told = check(&["^$"], "a\n\nb\n");
    assert!(told.contains("the matches are empty, so nothing is deleted"), "{told}");
    assert!(told.contains("with --multiline, as in '^\\\\n'"), "{told}");
    assert_eq!(check(&["^\\n", "--multiline"], "a\nb\n"), "null");
}

#[test]
fn documents_over_a_gibibyte_are_refused_without_reading_them() {
    let sandbox = Sandbox::new();
    let file = std::fs::File::create(sandbox.path("a.txt")).expect("a file");
    file.set_len((1 << 30) + 1).expect("a sparse file");
    let run = sandbox.run(&["patch", "append", "a.txt", "-c", "x", "--binary", "--json"]);
    assert!(run.exits(2).errors().contains("FILE_TOO_LARGE"));
}

#[test]
fn a_text_is_searched_in_the_part_of_an_address() {
    let text = "v 1.4.2\nb 1.4.2\n\n# H\n\nb 1.4.2\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    sandbox.run(&["patch", "replace", "a.md:2", "--text", "1.4.2", "-c", "1.4.3"]).exits(0);
    sandbox.run(&["patch", "delete", "a.md#h", "--pattern", r"[.]\d$"]).exits(0);
    sandbox.run(&["patch", "replace", "a.md:1-2", "--text", "H", "-c", "x"]).exits(1);
    let after = std::fs::read_to_string(sandbox.path("a.md")).unwrap();
    assert_eq!(after, "v 1.4.2\nb 1.4.3\n\n# H\n\nb 1.4\n");
}

#[test]
fn a_batch_can_copy_to_a_file_that_it_creates() {
    for sequential in [false, true] {
        let sandbox = Sandbox::with(&[("a.md", "# A\n\na\n")]);
        let edits = json!({"sequential": sequential, "edits": [
            {"filePath": "n.md", "operation": "create", "content": "# N\n"},
            {"filePath": "a.md", "operation": "copy", "target": {"section": "A"}, "to": "n.md"},
            {"filePath": "n.md", "operation": "append", "content": "x"},
        ]});
        sandbox.run_with_input(&["patch", "apply", "-"], edits.to_string()).exits(0);
        let new = std::fs::read_to_string(sandbox.path("n.md")).unwrap();
        assert_eq!(new, "# N\n\n# A\n\na\n\nx\n", "{sequential}");
    }
}

#[test]
fn a_missing_whole_file_is_created_and_no_existing_file_overwritten() {
    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    let errors = sandbox.run(&["patch", "replace", "e.md", "--whole-file", "-c", "x"]).errors();
    assert!(errors.contains("folio patch create e.md"), "{errors}");
    assert!(!errors.contains("replace a.md"), "{errors}");
}

#[test]
fn a_section_replaced_by_its_own_text_is_unchanged() {
    for text in ["# A\n\nx\n  \n", "# A\n\nx\n  ", "# A\nx\n\t\n\n# B\n"] {
        let sandbox = Sandbox::with(&[("a.md", text)]);
        let own = sandbox.run(&["read", "a.md", "--section", "A"]).stdout;
        let replace = ["patch", "replace", "a.md", "--section", "A", "-f", "-"];
        let run = sandbox.run_with_input(&replace, String::from_utf8(own).unwrap());
        assert!(String::from_utf8_lossy(&run.stdout).contains("unchanged"), "{text:?}");
        assert_eq!(std::fs::read_to_string(sandbox.path("a.md")).unwrap(), text);
    }
}

#[test]
fn only_the_lines_of_the_last_section_are_deleted() {
    check("a.md", "# A\nx\n\r\n# B\ny\n\n", &["delete", "--section", "B"], "# A\nx\n\r\n");
}

#[test]
fn moved_lines_arrive_unchanged() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n\na\n\n# B\n\nb\n"), ("b.md", "# Y\n")]);
    let run = sandbox.run(&["patch", "move", "a.md", "--section", "A", "--to", "b.md"]).exits(0);
    let told = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(told.starts_with("a.md:1-3: moved 3 lines to b.md:3-5"), "{told}");
}

#[test]
fn a_group_in_the_content_without_expand_is_reported() {
    let sandbox = Sandbox::with(&[("a.txt", "foo=bar\n")]);
    let note = "in the content is literal; --expand inserts the group";
    for (pattern, content, is_noted) in
        [(r"(\w+)=(\w+)", "$2=x", true), (r"\w+", "$1", false), (r"(\w+)=", "$HOME", false)]
    {
        let edit = [
            "patch",
            "replace",
            "a.txt",
            "-e",
            pattern,
            "-c",
            content,
            "--occurrence",
            "all",
            "-d",
        ];
        let outcome = sandbox.run(&edit).exits(0);
        assert_eq!(outcome.errors().contains(note), is_noted, "{outcome}");
    }
}

#[test]
fn a_part_that_is_given_twice_is_edited_once() {
    let sandbox = Sandbox::with(&[("a.txt", "x\ny\n")]);
    std::os::unix::fs::symlink("a.txt", sandbox.path("link")).unwrap();
    sandbox.run(&["patch", "append", "a.txt", "./a.txt", "link", "-c", "z"]).exits(0);
    sandbox.run(&["patch", "replace", "a.txt:1", "link:2", "link:1", "-c", "w"]).exits(0);
    sandbox.run(&["read", "a.txt"]).prints("w\nw\nz\n");
    let all = ["patch", "insert", ".", "./link", "--text", "z", "-c", "q", "--occurrence", "all"];
    sandbox.run(&all).exits(0);
    sandbox.run(&["read", "a.txt"]).prints("w\nw\nzq\n");
}

#[test]
fn a_heading_is_not_renamed_to_nothing() {
    let text = "# Top\n\n## Old\n";
    for content in ["", "## ", "##"] {
        refused("a.md", text, &["rename", "--heading", "Old", "-c", content], 2, "empty");
    }
}

#[test]
fn a_file_with_hard_links_is_edited_once_in_place() {
    let sandbox = Sandbox::with(&[("d/a.txt", "x\n")]);
    std::fs::hard_link(sandbox.path("d/a.txt"), sandbox.path("d/b.txt")).unwrap();
    let edit = ["patch", "replace", "d", "--text", "x", "-c", "y", "--in-place"];
    let printed = "d/a.txt:1: replaced 1 match\n1 place in 1 file (undo: folio undo 1)\n";
    sandbox.run(&edit).exits(0).prints(printed);
    sandbox.run(&["patch", "append", "d/a.txt", "d/b.txt", "-c", "z", "--in-place"]).exits(0);
    sandbox.run(&["read", "d/b.txt"]).prints("y\nz\n");
    sandbox.run(&["patch", "delete", "d/a.txt:1", "d/b.txt:2", "--in-place"]).exits(0);
    sandbox.run(&["read", "d/b.txt"]).prints("");
}

#[test]
fn conditions_and_batches_edit_a_file_with_hard_links_once_in_place() {
    let text = "# A\n\na\n\n# B\n\nb\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    std::fs::hard_link(sandbox.path("a.md"), sandbox.path("b.md")).unwrap();
    let patch = |words: &[&str]| {
        let run = sandbox.run(&[&["patch"], words, &["--in-place"]].concat()).exits(0);
        let after = std::fs::read_to_string(sandbox.path("b.md")).unwrap();
        std::fs::write(sandbox.path("a.md"), text).unwrap();
        (run.text(), after)
    };
    for operands in [&["."][..], &["a.md", "b.md"]] {
        let (printed, after) = patch(&[&["delete", "--matching", "^A$"], operands].concat());
        assert!(printed.contains("a.md:1") && !printed.contains("b.md"), "{printed}");
        assert_eq!(after, "# B\n\nb\n");
    }
    let delete = |file: &str, line: u64| {
        let target = serde_json::json!({"lines": {"start": line, "end": line}});
        serde_json::json!({"filePath": file, "operation": "delete", "target": target})
    };
    sandbox.write("e.json", serde_json::json!([delete("a.md", 3), delete("b.md", 7)]).to_string());
    let (printed, after) = patch(&["apply", "e.json"]);
    assert!(printed.contains("in 1 file"), "{printed}");
    assert_eq!(after, "# A\n\n\n# B\n\n");
}
