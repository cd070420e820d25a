//! Answers of tools to agents: grouped, short, and continued by a call.

use serde_json::{Value, json};

use crate::mcp::Client;
use crate::support::Sandbox;

const GUIDE: &str = "\
---
tags: make
---
# Guide

## Install

Run make.

```sh
# make all
```

<!-- make later -->

## Notes

make

## Notes
";

#[test]
fn results_are_grouped_by_file() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", GUIDE);
    sandbox.write("b.md", "# B\n\nmake\n");
    let mut client = Client::new(&sandbox, &[]);
    let outline = client.call("inspect", json!({"outline": true})).first();
    let expected =
        "a.md\n4-20 # Guide\n6-15 ## Install\n16-19 ## Notes\n20 ## Notes\n\nb.md\n1-3 # B\n";
    assert_eq!(outline, expected);
    let repeated = client.call("inspect", json!({"repeated": true})).first();
    assert_eq!(repeated, "a.md\n16,20 Notes\n");
    sandbox.run(&["inspect", "--repeated", "."]).prints("a.md:16,20: Notes\n");
    sandbox.write("c/a.md", "## Fixed\n\n".repeat(10));
    let repeated = client.call("inspect", json!({"repeated": true, "path": "c"})).first();
    assert_eq!(repeated, "c/a.md\n1,3,5,7,9,11,13,15,… (10) Fixed\n");
    let lines = client.call("inspect", json!({"mode": "lines", "query": "1-2", "address": "b.md"}));
    assert_eq!(lines.first(), "b.md\n1 # B\n2 \n");
    let found = client.call("inspect", json!({"mode": "search", "query": "B"})).first();
    assert_eq!(found, "b.md\n1 # B\n");
}

/// The path of a section is printed once for the section, and not for the heading itself.
#[test]
fn matches_are_shown_with_their_place() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", GUIDE);
    let mut client = Client::new(&sandbox, &[]);
    let expected = "\
a.md
2-3 [front matter] tags: make
8-15 Guide > Install: Run make.
11-15 [code] # make all
14-15 [comment] <!-- make later -->
18-19 Guide > Notes: make
";
    assert_eq!(client.call("grep", json!({"pattern": "make"})).first(), expected);
    let found = client.call("grep", json!({"pattern": "Install|Run"})).first();
    assert_eq!(found, "a.md\n6-15 Guide: ## Install\n8-15 Run make.\n");
    let matched = client.call("grep", json!({"pattern": "Ru.", "only_matching": true})).blocks();
    assert_eq!(matched, ["a.md\n8-15 Guide > Install: Run\n", "1 match in 1 file"]);
    let expected = "2:[front matter] tags: make\n8:Guide > Install: Run make.\n\
        11:Guide > Install: [code] # make all\n14:Guide > Install: [comment] <!-- make later -->\n\
        18:Guide > Notes: make\n";
    sandbox.run(&["grep", "--breadcrumbs", "make", "a.md"]).prints(expected);
}

/// Calls a tool, and then the call in each answer. Returns the lines that contain `word`.
fn all_lines(client: &mut Client, tool: &str, arguments: Value, word: &str) -> Vec<String> {
    let (mut lines, mut next) = (Vec::new(), Some(arguments));
    while let Some(arguments) = next.take() {
        let text = client.call(tool, arguments).blocks().join("\n");
        lines.extend(text.lines().filter(|line| line.ends_with(word)).map(str::to_owned));
        let call = text.split_once(&format!("for more: {tool} "));
        next = call.map(|(_, call)| serde_json::from_str(call).unwrap());
    }
    lines
}

#[test]
fn truncated_answers_are_continued_by_the_call_in_them() {
    let sandbox = Sandbox::new();
    for file in 0..7 {
        sandbox.write(format!("{file}.md"), "# word\n".repeat(60 + file));
    }
    let mut client = Client::new(&sandbox, &[]);
    let grep = json!({"pattern": "word", "max_bytes": 1000});
    assert_eq!(all_lines(&mut client, "grep", grep, "# word").len(), 441);
    let inspect = json!({"max_bytes": 1000});
    assert_eq!(all_lines(&mut client, "inspect", inspect, "# word").len(), 441);
    let list = all_lines(&mut client, "list", json!({"max_bytes": 20}), ".md");
    assert_eq!(list, ["0.md", "1.md", "2.md", "3.md", "4.md", "5.md", "6.md"]);
    let mut next = json!({"pattern": "word", "max_bytes": 1000, "format": "json", "offset": 430});
    let value = client.call("grep", next.clone()).json();
    let (_, call) = value["cut"].as_str().unwrap().split_once("for more: grep ").unwrap();
    next = serde_json::from_str(call).unwrap();
    let shown = value["records"].as_array().unwrap().len();
    assert_eq!(next["offset"], 430 + shown);

    for arguments in [
        json!({"address": ["0.md", "1.md", "2.md:2-5,8-20", "3.md"], "max_bytes": 500}),
        json!({"address": ["0.md", "1.md:9-", "3.md:1-62"], "max_bytes": 500, "numbered": true}),
        json!({"address": ".", "matching": "word", "max_bytes": 500}),
    ] {
        let lines = all_lines(&mut client, "read", arguments.clone(), "# word");
        let mut whole = arguments;
        whole["max_bytes"] = json!(1 << 20);
        let whole = client.call("read", whole).first();
        assert_eq!(
            lines,
            whole.lines().filter(|line| line.ends_with("# word")).collect::<Vec<_>>()
        );
    }
    let read = json!({"address": ["0.md", "1.md", "2.md"], "max_bytes": 700});
    let facts = client.call("read", read).blocks().pop().unwrap();
    assert!(facts.contains("1.md:1-"), "{facts}");
    assert!(facts.contains("max_bytes 700 is used up: 1 part is left out; for more: read {"));

    let past = client.call("inspect", json!({"offset": 441})).text();
    let expected =
        "offset 441 is past the end: the answer has 441 lines; from the first: inspect {}";
    assert_eq!(past, expected);

    let blocks = client.call("inspect", json!({"max_bytes": 1000})).blocks();
    let totals = "441 results in 7 files, most in 6.md (66), 5.md (65), 4.md (64), 3.md (63), \
        2.md (62)";
    assert_eq!(blocks[0], totals);
    let called = client.call("grep", json!({"pattern": "word", "path": "1.md", "max_bytes": 100}));
    let facts = called.blocks().pop().unwrap();
    let expected = "61 matches in 1 file\nshowing 10 of 61 lines within max_bytes 100, ";
    assert!(facts.starts_with(expected), "{facts}");
    assert!(facts.contains(" left; 61 results in 1 file: 1.md (61); for more: grep {"));
}

/// A document's outline is one record, which cannot be divided.
#[test]
fn a_json_record_that_is_too_long_is_refused() {
    let headings = |count| (0..count).map(|at| format!("# Heading {at}\n")).collect::<String>();
    let sandbox = Sandbox::with(&[("a.md", &headings(100)), ("b.md", &headings(9000))]);
    let mut client = Client::new(&sandbox, &[]);
    let mut inspect = |arguments: Value| client.call("inspect", arguments);
    let records = |value: Value| value["records"].as_array().unwrap().len();
    assert_eq!(records(inspect(json!({"path": "a.md", "format": "json"})).json()), 1);
    let value = inspect(json!({"format": "json"})).json();
    let cut = value["cut"].as_str().unwrap().to_owned();
    assert!(cut.starts_with("showing 1 of 2 records within max_bytes 12288, "), "{cut}");
    assert_eq!(records(value), 1);
    let told = inspect(json!({"path": "b.md", "format": "json"}))
        .fails("INVALID_ARGUMENT: record 1 of the answer is longer than max_bytes 131072: ");
    let as_text = "\nhint: inspect {\"address\":\"b.md\"}  # as text, in pages";
    assert!(told.ends_with(as_text), "{told}");
    inspect(json!({"format": "json", "offset": 1}))
        .fails("record 2 of the answer is longer than max_bytes 131072: ");
    let told = inspect(json!({"path": "a.md", "format": "json", "max_bytes": 1000}))
        .fails("record 1 of the answer is longer than max_bytes 1000: ");
    assert!(told.contains(r#"{"address":"a.md","format":"json","max_bytes":"#), "{told}");
    assert!(inspect(json!({"path": "b.md"})).blocks()[1].contains("Heading 9"));
}

/// Agents do not need dry runs, because the answer shows what was kept and how to undo the edit.
#[test]
fn edits_report_what_they_kept_and_how_to_undo_them() {
    let sandbox = Sandbox::with(&[
        ("a.ini", "[s]\nk = 1 # note\n"),
        ("a.md", GUIDE),
        ("a.txt", "x"),
        ("b.yml", "k: 'a' # note\n"),
    ]);
    let mut client = Client::new(&sandbox, &[]);
    for (arguments, expected) in [
        (
            json!({"operation": "set", "address": "a.ini", "section": "s", "key": "k",
                "content": "2"}),
            "a.ini:2: set 1 line; comment kept (undo 1 restores it)\n",
        ),
        (
            json!({"operation": "replace", "address": "a.md", "code_block": "sh:0",
                "content": "```\n"}),
            "a.md:10-12: replaced 3 lines; fence lengthened to 4 characters (undo 2 restores it)\n",
        ),
        (
            json!({"operation": "append", "address": "a.txt", "content": "y"}),
            "a.txt:2: appended 1 line; line ending added to the old last line, the new one has \
             none (undo 3 restores it)\n",
        ),
        (
            json!({"operation": "append", "address": "a.md", "content": "\n"}),
            "a.md:21: appended 1 empty line (undo 4 restores it)\n",
        ),
        (
            json!({"operation": "set", "address": "b.yml", "key": "k", "content": "b"}),
            "b.yml:1: set 1 line; comment kept (undo 5 restores it)\n",
        ),
    ] {
        assert_eq!(client.call("patch", arguments).first(), expected);
    }
}

#[test]
fn hints_of_patch_are_its_parameters() {
    let sandbox = Sandbox::with(&[("one/a.md", "# A\n"), ("two/a.md", "# A\n")]);
    let mut client = Client::new(&sandbox, &["--root", "one", "--root", "two"]);
    let edit = json!({"operation": "delete", "address": "a.md", "lines": "1"});
    client
        .call("patch", edit)
        .fails(r#"hint: patch {"address":"one/a.md","lines":"1","operation":"delete"}"#);
    let mut client = Client::new(&sandbox, &[]);
    let edit = json!({"operation": "create", "address": "new/a.md", "content": "x"});
    client.call("patch", edit).fails(
        r#"hint: patch {"address":"new/a.md","content":"x","operation":"create","parents":true}"#,
    );
}

#[test]
fn excluding_one_side_selects_the_other() {
    let sandbox = Sandbox::with(&[("a.txt", "one\ntwo\n")]);
    let mut client = Client::new(&sandbox, &[]);
    let edit = json!({"operation": "insert", "address": "a.txt:1", "content": "new",
        "before": false});
    client.call("patch", edit);
    assert_eq!(std::fs::read_to_string(sandbox.path("a.txt")).unwrap(), "one\nnew\ntwo\n");
    // A call may give every parameter its default.
    let edit = json!({"operation": "insert", "filePath": "a.txt", "lines": "1", "content": "new",
        "before": false, "after": false});
    client.call("patch", json!({"operation": "apply", "edits": [edit]}));
    assert_eq!(std::fs::read_to_string(sandbox.path("a.txt")).unwrap(), "new\none\nnew\ntwo\n");
}

/// With several roots, `.` means all of them.
#[test]
#[cfg_attr(not(feature = "search"), ignore = "needs the feature search")]
fn the_current_directory_of_several_roots_is_all_of_them() {
    let sandbox = Sandbox::with(&[("one/a.md", "# One\n"), ("two/a.md", "# Two\n")]);
    let mut client = Client::new(&sandbox, &["--root", "one", "--root", "two"]);
    for (tool, operand, here) in [
        ("list", "path", json!(".")),
        ("list", "path", json!(["."])),
        ("grep", "path", json!("./")),
        ("links", "path", json!(".")),
        ("inspect", "address", json!(".")),
        ("search", "collection", json!(["."])),
    ] {
        let mut arguments = json!({"pattern": "#", "query": "one two"});
        arguments.as_object_mut().unwrap().retain(|name, _| match tool {
            "grep" => name == "pattern",
            "search" => name == "query",
            _ => false,
        });
        let all = client.call(tool, arguments.clone()).first();
        arguments[operand] = here;
        assert_eq!(client.call(tool, arguments).first(), all, "{tool}");
    }
}

#[test]
#[cfg_attr(not(feature = "search"), ignore = "needs the feature search")]
fn search_accepts_the_limits_in_its_schema() {
    let sandbox = Sandbox::with(&[("a.md", "# One\n")]);
    let mut client = Client::new(&sandbox, &["--tools", "core,related"]);
    let listed = client.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    for (name, operand) in [("search", "query"), ("related", "address")] {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        let most = &tool["inputSchema"]["properties"]["limit"]["maximum"];
        let answer = client.call(name, json!({operand: "a.md", "limit": most}));
        assert!(!answer.is_error(), "{name}: {}", answer.first());
    }
}

#[test]
fn edits_of_many_files_are_summarized() {
    let sandbox = Sandbox::new();
    for file in 0..12 {
        sandbox.write(format!("{file}.md"), "# A\n\nold\n");
    }
    let mut client = Client::new(&sandbox, &[]);
    let edit = json!({"operation": "insert", "address": ".", "kind": ["file"], "content": "end"});
    let answer = client.call("patch", edit).text();
    assert_eq!(answer, "12 edits in 12 files, 1 line each (undo 1 restores them)\n");
    assert!(std::fs::read_to_string(sandbox.path("7.md")).unwrap().ends_with("old\n\nend\n"));
    let edit = json!({"operation": "replace", "address": ".", "text": "old", "content": "new"});
    let answer = client.call("patch", edit).text();
    assert_eq!(answer, "12 places in 12 files, 1 line each (undo 2 restores them)\n");
    let edit = json!({"operation": "append", "address": ".", "glob": ["*.md"], "content": "x"});
    let refused = client.call("patch", edit).fails("glob chooses files below a directory");
    assert!(
        refused.contains(
            r#""kind":["file"],"operation":"append"}  # to insert or append in every file"#
        )
    );
}

#[test]
fn updated_links_are_previewed_without_context() {
    let sandbox = Sandbox::with(&[
        ("a.md", "# A\n\ntext\n"),
        ("b.md", "# B\n\nbefore\n[a](a.md#a)\nafter\n"),
    ]);
    std::fs::create_dir(sandbox.path(".git")).unwrap();
    let mut client = Client::new(&sandbox, &[]);
    let edit = json!({"operation": "rename", "address": "a.md", "heading": "A", "content": "N",
        "links": true, "dry_run": true});
    let diff = client.call("patch", edit).first();
    let links = "--- a/b.md\n+++ b/b.md\n@@ -4 +4 @@\n-[a](a.md#a)\n+[a](a.md#n)\n";
    assert!(diff.ends_with(links) && diff.contains("@@ -1,3 +1,3 @@\n-# A\n"), "{diff}");
}

#[test]
fn globs_that_match_no_file_are_reported() {
    let sandbox = Sandbox::with(&[("docs/sub/a.md", "# A\n")]);
    let note = "folio grep: note: 'docs': no file matches the glob 'sub/*.md'; below it: \
        folio grep A docs -g 'docs/sub/*.md'\n";
    sandbox.run(&["grep", "A", "docs", "-g", "sub/*.md"]).exits(1).tells(note);
    let note = "folio inspect: note: 'docs': no file matches the glob '*.rst'\n";
    let run = sandbox.run(&["inspect", "docs", "-g", "*.rst", "-g", "!x"]).exits(0);
    assert_eq!(run.errors(), note);
    let mut client = Client::new(&sandbox, &[]);
    let answer = client.call("grep", json!({"pattern": "A", "glob": ["sub/*.md"]})).text();
    let note = "'.': no file matches the glob 'sub/*.md'; at any depth: grep {\"glob\":[\"**/sub/*.md\"],\"pattern\":\"A\"}";
    assert_eq!(answer, format!("no match\n{note}"));
}

/// In a command line, globs with a slash are relative to the current directory.
#[test]
fn globs_may_be_relative_to_the_searched_directory() {
    let sandbox = Sandbox::with(&[
        ("docs/sub/a.md", "# A\n"),
        ("docs/sub/old/b.md", "# A\n"),
        ("docs/docs/c.md", "# A\n"),
        ("docs/d.md", "# A\n"),
    ]);
    let mut client = Client::new(&sandbox, &[]);
    let mut check = |path: &str, globs: &[&str], expected: &[&str]| {
        let search =
            json!({"pattern": "A", "path": path, "glob": globs, "files_with_matches": true});
        let blocks = client.call("grep", search).blocks();
        let files: Vec<&str> = blocks[0].lines().collect();
        assert_eq!(files, expected, "{path} {globs:?}");
        blocks[1..].join("\n")
    };
    assert_eq!(check("docs", &["sub/*.md"], &["docs/sub/a.md"]), "1 file");
    let whole = sandbox.path("docs").to_string_lossy().into_owned();
    let file = format!("{whole}/sub/a.md");
    assert_eq!(check(&whole, &["sub/*.md"], &[&file]), "1 file");
    check("./docs/sub/", &["**/*.md", "!old/*"], &["./docs/sub/a.md"]);
    // A glob that matches files in one of the directories is not changed.
    assert_eq!(check("docs", &["docs/*.md"], &["docs/d.md"]), "1 file");
    let search = json!({"pattern": "A", "path": ["docs/sub", "."], "glob": ["docs/*.md"]});
    assert_eq!(client.call("grep", search).blocks()[1], "1 match in 1 file");
    let list = json!({"path": "docs", "glob": ["sub/old/*"], "depth": 9});
    assert_eq!(client.call("list", list).first(), "docs/sub/old/b.md\n");
    let edit = json!({"operation": "replace", "address": "docs", "text": "A", "content": "B",
        "glob": ["sub/*.md"]});
    assert!(client.call("patch", edit).first().starts_with("docs/sub/a.md:1: replaced 1 match"));
}

#[test]
fn a_call_without_a_directory_searches_that_of_its_globs() {
    let job = "jobs:\n  build:\n    steps: []\n";
    let sandbox = Sandbox::with(&[
        (".github/workflows/a.yml", job),
        (".github/workflows/b.yml", job),
        (".github/workflows/c.yml", "jobs:\n  test: {}\n"),
    ]);
    let mut client = Client::new(&sandbox, &[]);
    let glob = ".github/workflows/*.yml";
    let found = client.call("grep", json!({"pattern": "build", "glob": [glob]})).blocks();
    assert!(found[0].contains("2 jobs.build:   build:\n"), "{found:?}");
    let set =
        json!({"operation": "set", "glob": glob, "key": "jobs.build.timeout", "content": "5"});
    let set = client.call("patch", set).text();
    assert!(set.contains("\n2 places in 2 files (undo 1 restores them)"), "{set}");
    let text = |name: &str| {
        std::fs::read_to_string(sandbox.path(format!(".github/workflows/{name}"))).unwrap()
    };
    assert_eq!(text("b.yml"), format!("{job}    timeout: 5\n"));
    assert_eq!(text("c.yml"), "jobs:\n  test: {}\n");
    let literal = json!({"operation": "replace", "glob": [glob], "content": "${1}x",
        "pattern": "(t): 5", "occurrence": "all"});
    let refused = client.call("patch", literal).blocks();
    let hint = "hint: '${1}' in the content is literal; expand inserts the group";
    assert!(refused[0].contains("would no longer be valid YAML: line 5"), "{refused:?}");
    assert!(refused[0].contains(hint), "{refused:?}");
    let literal = json!({"operation": "replace", "glob": [glob], "content": "t: ${1}x",
        "pattern": "(t): 5", "occurrence": "all"});
    let notes = client.call("patch", literal).blocks();
    let note = "a.yml': '${1}' in the content is literal; expand inserts the group (and in 1 more \
                file)";
    assert!(notes[1].contains(note), "{notes:?}");
}

#[test]
fn lists_that_are_too_long_show_their_total_and_the_next_call() {
    let sandbox = Sandbox::new();
    for file in 0..9 {
        sandbox.write(format!("{file}.md"), "# A\n");
    }
    let mut client = Client::new(&sandbox, &[]);
    let list = json!({"details": true, "extension": ["md"], "max_bytes": 120});
    let text = client.call("list", list.clone()).blocks().join("\n");
    assert!(text.contains("\n'.': showing 3 of 9 entries; for more: list {"), "{text}");
    let lines = all_lines(&mut client, "list", list, "\t");
    assert_eq!(lines.len(), 9, "{lines:?}");
    let list = client.call("list", json!({"limit": 2, "recursive": true}));
    let text = list.blocks().join("\n");
    assert!(text.contains("showing 2 of 9 entries; for more: list {"), "{text}");
}

/// The most frequent name comes first in each file, and the file with the most frequent name comes
/// first.
#[test]
fn repeated_names_are_sorted_by_frequency() {
    let sandbox = Sandbox::with(&[
        ("a.md", "# A\n# A\n"),
        ("b.md", "# B\n# B\n# C\n# C\n# C\n# D\n# D\n"),
        ("c.md", "# A\n# A\n"),
    ]);
    let mut client = Client::new(&sandbox, &[]);
    let expected = "b.md\n3,4,5 C\n1,2 B\n6,7 D\n\na.md\n1,2 A\n\nc.md\n1,2 A\n";
    assert_eq!(client.call("inspect", json!({"repeated": true})).first(), expected);
    let lines = "a.md:1,2: A\nb.md:1,2: B\nb.md:3,4,5: C\nb.md:6,7: D\nc.md:1,2: A\n";
    sandbox.run(&["inspect", "--repeated", "."]).prints(lines);
}

#[test]
fn long_diffs_are_summarized_unless_they_are_requested() {
    let sandbox = Sandbox::new();
    let filler = "text\n".repeat(9);
    sandbox.write("a.md", format!("old {}\n{filler}", "x".repeat(300)).repeat(2));
    sandbox.write("b.md", format!("old {}\n{filler}", "x".repeat(300)).repeat(2));
    let mut client = Client::new(&sandbox, &[]);
    let mut edit = json!({"operation": "replace", "address": ".", "text": "old", "content": "new",
        "occurrence": "all", "dry_run": true});
    let blocks = client.call("patch", edit.clone()).blocks();
    assert!(blocks[0].starts_with("a.md: 2 changes (+2 -2)\nb.md: 2 changes (+2 -2)\n--- a/a.md"));
    assert_eq!(blocks[0].matches("\n@@").count(), 3);
    let whole = r#"4 places in 2 files; for the whole diff: patch {"address":".","content":"new","diff":true,"#;
    assert!(blocks[1].starts_with(whole), "{}", blocks[1]);
    edit["diff"] = true.into();
    let blocks = client.call("patch", edit.clone()).blocks();
    assert!(blocks[0].starts_with("--- a/a.md") && blocks[0].matches("\n@@").count() == 4);
    assert_eq!(blocks[1], "4 places in 2 files");
    // A change that is too long for the summary is only counted.
    sandbox.write("c.txt", "old\n".repeat(20_000));
    edit["diff"] = false.into();
    let mut of_one = edit.clone();
    of_one["address"] = "c.txt".into();
    let blocks = client.call("patch", of_one).blocks();
    assert_eq!(blocks[0], "c.txt: 1 change (+20000 -20000)\n");
    let note = "20000 places in 1 file; for the whole diff: patch {";
    assert!(blocks[1].starts_with(note), "{}", blocks[1]);
    sandbox.write("c.txt", "");
    // A short diff is printed in full.
    edit["text"] = "old x".into();
    edit["occurrence"] = "first".into();
    let blocks = client.call("patch", edit).blocks();
    assert_eq!(blocks[0].matches("\n@@").count(), 2);
    let left = "2 places in 2 files\n2 more matches are left; to edit all matches: patch {";
    assert!(blocks[1].starts_with(left), "{}", blocks[1]);
    assert!(blocks[1].contains("\"occurrence\":\"all\""), "{}", blocks[1]);
}

#[test]
fn a_text_that_occurs_several_times_in_several_files_is_one_error() {
    let sandbox = Sandbox::new();
    for file in 0..6 {
        sandbox.write(format!("{file}.md"), "old\nold\n");
    }
    let mut client = Client::new(&sandbox, &[]);
    let edit = json!({"operation": "replace", "address": ".", "text": "old", "content": "new"});
    let expected = "TARGET_AMBIGUOUS: '0.md': 'old' occurs 2 times; the same in 5 other files: \
        1.md, 2.md, 3.md and 2 more\n  line 1: old\n  line 2: old\n\
        hint: patch {\"address\":\".\",\"content\":\"new\",\"occurrence\":\"all\",\
        \"operation\":\"replace\",\"text\":\"old\"}  # all of them, in all files";
    assert_eq!(client.call("patch", edit).blocks()[0], expected);
}

#[test]
fn an_answer_without_results_says_so() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n\n[a](#a)\n"), ("b/c.md", "# C\n")]);
    let mut client = Client::new(&sandbox, &[]);
    assert_eq!(client.call("links", json!({})).text(), "There are no results.");
    let all = json!({"options": {"all": true, "format": "json"}});
    assert!(client.call("links", all).text().contains(r#""status":"ok""#));
    let list = client.call("list", json!({"glob": ["b/*.md"]})).text();
    assert!(list.contains(r#"also below it: list {"glob":["b/*.md"]"#), "{list}");
}

#[test]
fn edits_may_be_applied_one_after_the_other() {
    let sandbox = Sandbox::with(&[("a.yml", "k: 1\n")]);
    let mut client = Client::new(&sandbox, &[]);
    let set =
        |key: &str| json!({"filePath": "a.yml", "operation": "set", "key": key, "content": "1"});
    let edits = json!([set("x.y"), set("x.z")]);
    let refused = client.call("patch", json!({"operation": "apply", "edits": edits})).blocks();
    let refused = refused[0].clone();
    assert!(refused.contains("OVERLAPPING_EDITS") && refused.contains("sequential"), "{refused}");
    let more = json!({"sequential": true});
    client.call("patch", json!({"operation": "apply", "edits": edits, "options": more})).text();
    let text = std::fs::read_to_string(sandbox.path("a.yml")).unwrap();
    assert_eq!(text, "k: 1\nx:\n  y: 1\n  z: 1\n");
    let one = json!({"operation": "set", "address": "a.yml", "key": "k", "content": "2",
        "sequential": true});
    let expected = "edits and sequential can only be used with apply";
    assert!(client.call("patch", one).text().contains(expected));
}
