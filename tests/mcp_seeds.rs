//! The test cases, checklists and examples in the feature requests for the tools.

use serde_json::{Value, json};

use crate::mcp::{Called, Client};
use crate::support::Sandbox;

/// Returns a log with entries at lines 100, 120, 145, 170 and 200 of 201.
fn log() -> String {
    let mut lines = vec!["x".to_owned(); 201];
    for (line, number) in [(100, 14), (120, 15), (145, 16), (170, 17), (200, 18)] {
        let kind = if number == 15 { "DECISION" } else { "NOTE" };
        lines[line - 1] = format!("[LOG-{number:03}] - [{kind}] - Task");
    }
    lines.join("\n") + "\n"
}

const CONTEXT: &str =
    "# Context\n\nline 3\nline 4\n\n\n## Phase Boundary\n\ntext\n\n## Deferred Ideas\n\nlater\n";

const README: &str = "# Project\n\nIntro.\n\n## Installation\n\nRun make.\n\n### Quick Start\n\nGo.\n\n\
    ## Usage {#use}\n\nI recieve it.\n\n```bash\nls\n```\n\n```json\n{}\n```\n\n## Contributing\n\nMail.\n";

const CONF: &str = "# settings\n\n[database]\nhost = localhost\nport = 5432\n\n[cache]\nsize = 1\n";

fn sandbox() -> Sandbox {
    Sandbox::with(&[
        ("WORK.md", log().as_str()),
        ("CONTEXT.md", CONTEXT),
        ("README.md", README),
        ("app.conf", CONF),
    ])
}

fn content(text: &str) -> String {
    text.split("---\n").nth(1).unwrap_or_default().to_owned()
}

#[track_caller]
fn read_files(client: &mut Client, file: Value) -> Called {
    client.call("read_files", json!({"files": [file]}))
}

/// Feature request 000: the checklist and the five examples.
#[test]
fn sections_are_read_to_the_next_pattern() {
    let sandbox = sandbox();
    let mut client = Client::new(&sandbox, &["--tools", "fs-mcp"]);
    let mut check = |path: &str, start: u64, pattern: &str, lines: &str, head: &str| {
        let file = json!({"path": path, "start_line": start, "read_to_next_pattern": pattern});
        let text = read_files(&mut client, file).text();
        assert!(text.starts_with(&format!("File: {path}, Lines: {lines} of ")), "{text}");
        assert!(content(&text).starts_with(head), "{text}");
        text
    };
    check("WORK.md", 120, r"^\[LOG-", "120-144", "[LOG-015]");
    check("CONTEXT.md", 7, "^## ", "7-10", "## Phase Boundary\n");
    let last = check("CONTEXT.md", 11, "^## ", "11-13", "## Deferred Ideas\n\nlater\n");
    assert!(last.contains("Note: no later line matches ^## "), "{last}");
    check("CONTEXT.md", 3, "^$", "3-4", "line 3\nline 4\n");
    check("WORK.md", 1, r"^\[LOG-014", "1-99", "x\n");
    check("CONTEXT.md", 1, "^#+ ", "1-6", "# Context\n");
    // The boundary is on the next line; the first line is never a boundary; the pattern need not be
    // anchored.
    check("CONTEXT.md", 3, "line 4", "3-3", "line 3\n");
    check("WORK.md", 170, "LOG-", "170-199", "[LOG-017]");
}

#[test]
fn conflicting_ends_are_named() {
    let sandbox = sandbox();
    let mut client = Client::new(&sandbox, &["--tools", "fs-mcp"]);
    let mut check = |file: Value, part: &str| {
        let mut file = file;
        file["path"] = "WORK.md".into();
        read_files(&mut client, file).fails(part);
    };
    check(
        json!({"read_to_next_pattern": "x"}),
        "start_line is required when using read_to_next_pattern",
    );
    for other in ["end_line", "head", "tail"] {
        let mut file = json!({"read_to_next_pattern": "x", "start_line": 1});
        file[other] = 5.into();
        check(file, &format!("{other} cannot be used with read_to_next_pattern"));
    }
    check(json!({"head": 1, "tail": 1}), "head cannot be used with tail");
    check(json!({"start_line": 999}), "start_line is from 1 to 201");
    check(json!({"start_line": 5, "end_line": 3}), "INVALID_RANGE");
    check(json!({"start_line": 5, "read_to_next_pattern": "("}), "INVALID_PATTERN");
}

#[test]
fn errors_of_files_are_reported_in_order() {
    let sandbox = sandbox();
    sandbox.write("big.json", "[]\n".repeat(400_000));
    let mut client = Client::new(&sandbox, &["--tools", "fs-mcp"]);
    let files = json!([
        {"path": "CONTEXT.md", "head": 1}, {"path": "no.md"}, {"path": "CONTEXT.md", "tail": 1},
    ]);
    let called = client.call("read_files", json!({"files": files}));
    let text = called.text();
    assert!(!called.is_error());
    let (one, rest) = text.split_once("File: no.md\n---\nError: NOT_FOUND").unwrap();
    assert!(one.contains("# Context\n---\n") && rest.ends_with("---\nlater\n---\n"), "{text}");
    read_files(&mut client, json!({"path": "big.json"})).fails("large_file_passthrough");
    read_files(&mut client, json!({"path": "big.json", "head": 1})).text();
    let keys = format!("name: x\nwords:\n{}last: 1\n", "- word\n".repeat(200_000));
    sandbox.write("big.yaml", keys);
    let refused = read_files(&mut client, json!({"path": "big.yaml"}));
    refused.fails(r#""start_line":2,"end_line":200002  # words"#);
    let whole = json!({"files": [{"path": "big.json"}], "large_file_passthrough": true});
    let text = client.call("read_files", whole).text();
    assert!(text.contains("continue with start_line"), "{}", &text[..200]);
    client.call("read_files", json!({"files": []})).fails("is empty");
    client
        .call("read_files", json!({"files": [{"path": "a", "lines": 1}]}))
        .fails("unknown argument 'lines'");
}

#[test]
fn matches_report_the_end_of_their_section() {
    let sandbox = sandbox();
    let mut client = Client::new(&sandbox, &["--tools", "fs-mcp"]);
    let mut check = |arguments: Value, expected: &str| {
        assert_eq!(client.call("grep_content", arguments).first(), expected);
    };
    let hit = "[LOG-015] - [DECISION] - Task\n---\n";
    let decision = json!({"pattern": r"\[DECISION\]", "search_path": "WORK.md"});
    let hint = r"File: WORK.md, Line: 120, Section-End-Hint: 144 (next: ^\[LOG-)";
    check(decision.clone(), &format!("{hint}\n---\n{hit}"));
    let mut none = decision.clone();
    none["section_patterns"] = json!([]);
    check(none, &format!("File: WORK.md, Line: 120\n---\n{hit}"));
    let mut own = decision;
    own["section_patterns"] = json!([r"^\[LOG-017"]);
    check(
        own,
        &format!("File: WORK.md, Line: 120, Section-End-Hint: 169 (next: ^\\[LOG-017)\n---\n{hit}"),
    );
    let quiet = json!({"pattern": "PHASE", "search_path": ".", "case_insensitive": true,
        "include": "*.md", "max_results": 1});
    let text = client.call("grep_content", quiet).first();
    assert!(
        text.starts_with("File: CONTEXT.md, Line: 7, Section-End-Hint: 10 (next: ^## )"),
        "{text}"
    );
    let called = client.call("grep_content", json!({"pattern": "zzz", "search_path": "."}));
    assert_eq!((called.text().as_str(), called.is_error()), ("No match.", false));
}

#[track_caller]
fn patch(client: &mut Client, operation: &str, target: Value, content: Option<&str>) -> Called {
    let mut arguments = json!({"filePath": "README.md", "operation": operation, "target": target});
    if let Some(content) = content {
        arguments["content"] = content.into();
    }
    client.call("TextPatch", arguments)
}

/// Feature request 001: the five workflows.
#[test]
fn text_tools_support_their_workflows() {
    let sandbox = sandbox();
    let mut client = Client::new(&sandbox, &["--tools", "text"]);
    let text = |name: &str| std::fs::read_to_string(sandbox.path(name)).unwrap();
    // 1: insert a section before another one.
    let seen = client.call("TextInspect", json!({"filePath": "README.md"})).json();
    assert_eq!(seen["structure"]["headings"][0]["children"][2]["text"], "Contributing");
    let anchors = seen["structure"]["anchors"].as_array().unwrap();
    assert!(anchors.contains(&json!({"id": "installation", "line": 5})), "{anchors:?}");
    assert!(anchors.contains(&json!({"id": "use", "line": 13})), "{anchors:?}");
    let target = json!({"beforeHeading": "## Contributing"});
    let done =
        patch(&mut client, "insert", target.clone(), Some("## Troubleshooting\n\nHelp.\n\n"));
    let done = done.json();
    assert_eq!((&done["status"], &done["operation"]), (&json!("success"), &json!("insert")));
    assert_eq!(done["target"], target);
    assert!(text("README.md").contains("## Troubleshooting\n\nHelp.\n\n## Contributing\n"));
    // 2: a code block.
    let read = json!({"filePath": "README.md", "target": {"codeBlock": {"index": 1}}});
    assert_eq!(client.call("TextRead", read).json()["content"], "{}\n");
    patch(&mut client, "replace", json!({"codeBlock": {"index": 1}}), Some("{\"a\": 1}")).json();
    assert!(text("README.md").contains("```json\n{\"a\": 1}\n```\n"));
    // 3: a typo.
    let search = json!({"filePath": "README.md", "mode": "search", "query": "recieve"});
    let found = client.call("TextInspect", search).json();
    assert_eq!((&found["totalMatches"], &found["matches"][0]["line"]), (&json!(1), &json!(15)));
    let done = patch(&mut client, "replace", json!({"text": "recieve"}), Some("receive")).json();
    assert_eq!(done["affectedLines"], json!({"start": 15, "end": 15}));
    // 4: a key of a section.
    let seen = client.call("TextInspect", json!({"filePath": "app.conf"})).json();
    assert_eq!(seen["format"], "text");
    assert_eq!(seen["structure"]["sections"][0]["marker"], "[database]");
    let read = json!({"filePath": "app.conf", "target": {"section": "[database]"}});
    let part = client.call("TextRead", read).json();
    assert!(part["content"].as_str().unwrap().starts_with("[database]\nhost = localhost\n"));
    let key = json!({"filePath": "app.conf", "operation": "replace", "content": "host = db",
        "target": {"section": "[database]", "key": "host"}});
    client.call("TextPatch", key).json();
    assert!(text("app.conf").contains("[database]\nhost = db\nport = 5432\n"));
    // 5: several edits by name; the names remain valid.
    patch(&mut client, "insert", json!({"afterHeading": "## Usage"}), Some("\nNew.\n")).json();
    patch(&mut client, "delete", json!({"heading": "### Quick Start"}), None).json();
    assert!(!text("README.md").contains("Quick Start"));
}

#[test]
fn text_tools_report_the_cause_of_a_failure() {
    let sandbox = sandbox();
    let mut client = Client::new(&sandbox, &["--tools", "text"]);
    let called = patch(&mut client, "replace", json!({"heading": "## Instalation"}), Some("## X"));
    assert!(called.is_error());
    let told: Value = serde_json::from_str(&called.text()).unwrap();
    assert_eq!(told["status"], "error");
    assert_eq!(told["message"], "Target not found: heading '## Instalation'");
    let suggestions = told["suggestions"].as_array().unwrap();
    assert_eq!(suggestions[0], "Similar heading found: '## Installation' at line 5");
    let all = "Use TextInspect to see all headings in the document";
    assert!(suggestions.contains(&json!(all)), "{told}");
    let mut check = |operation: &str, target: Value, content: Option<&str>, part: &str| {
        let text = patch(&mut client, operation, target, content).fails(part);
        let told: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(told["status"], "error", "{told}");
    };
    check("replace", json!({"heading": "Installation"}), Some("x"), "'## Installation' at line 5");
    check("replace", json!({"text": "a"}), Some(""), "operation \\\"delete\\\"");
    check("insert", json!({"text": "a"}), None, "delete");
    check("replace", json!({"text": "a", "anchor": "b"}), Some("x"), "cannot be used with");
    check("replace", json!({}), Some("x"), "the target is empty");
    check("replaceLines", json!({"text": "a"}), Some("x"), "needs a target of lines");
    check("delete", json!({"afterHeading": "## Usage"}), None, "can only be used with insert");
    check("replace", json!({"pattern": "("}), Some("x"), "INVALID_PATTERN");
    check("rewrite", json!({"text": "a"}), Some("x"), "unknown value 'rewrite'");
    assert_eq!(std::fs::read_to_string(sandbox.path("README.md")).unwrap(), README);
}

#[test]
fn parts_are_read_and_truncated() {
    let sandbox = sandbox();
    sandbox.write("long.md", format!("# A\n\n{}\n## B\n\nb\n", "x\n".repeat(300)));
    let mut client = Client::new(&sandbox, &["--tools", "text"]);
    let mut read = |path: &str, target: Value| {
        client.call("TextRead", json!({"filePath": path, "target": target})).json()
    };
    let long = read("long.md", json!({"heading": {"text": "A"}}));
    assert_eq!((&long["truncated"], &long["totalLines"]), (&json!(true), &json!(306)));
    assert_eq!(long["content"].as_str().unwrap().lines().count(), 200);
    assert!(long["suggestion"].as_str().unwrap().contains("TextInspect"));
    let part =
        read("README.md", json!({"heading": {"text": "Installation", "includeChildren": true}}));
    assert_eq!(part["truncated"], false);
    assert!(part["content"].as_str().unwrap().contains("### Quick Start"));
    // Up to the next heading of any level.
    let part = read("README.md", json!({"anchor": "installation"}));
    assert_eq!(part["content"].as_str().unwrap().trim_end(), "## Installation\n\nRun make.");
    assert_eq!(part["target"], json!({"anchor": "installation"}));
    let part = read("README.md", json!({"lines": {"start": 1, "end": 3}}));
    assert_eq!(part["content"], "# Project\n\nIntro.\n");
    let part = read("README.md", json!({"search": {"query": "recieve", "contextLines": 0}}));
    assert_eq!(part["content"], "I recieve it.\n");
    // A target that is a string containing JSON is parsed as an object.
    let text = json!({"filePath": "README.md", "target": "{\"lines\":{\"start\":1,\"end\":1}}"});
    assert_eq!(client.call("TextRead", text).json()["content"], "# Project\n");
}

/// Feature request 003: TC1 to TC6, the numeric errors, and the related tools.
#[test]
fn text_files_are_read_in_pages() {
    let sandbox = Sandbox::new();
    let numbers: String = (1..=100).map(|number| format!("{number}\n")).collect();
    sandbox.write("hello.txt", "Hello\nWorld\n").write("numbers.txt", numbers);
    sandbox
        .write("image.png", b"\x89PNG\0\0")
        .write("empty.txt", "")
        .write("odd.txt", b"caf\xe9\n");
    let mut client = Client::new(&sandbox, &["--tools", "read_text_file"]);
    let path = |name: &str| sandbox.path(name).to_str().unwrap().to_owned();
    let mut check = |arguments: Value, content: &str, meta: Value| {
        let expected = json!({"content": content, "_meta": meta});
        assert_eq!(client.call("read_text_file", arguments).json(), expected);
    };
    let meta = |total: u64, returned: u64, more: bool| json!({"total_lines": total, "returned_lines": returned, "has_more": more});
    check(json!({"path": path("hello.txt")}), "Hello\nWorld\n", meta(2, 2, false));
    let mut page = meta(100, 5, true);
    page["next_line"] = 15.into();
    let arguments = json!({"path": path("numbers.txt"), "line": 10, "limit": 5});
    check(arguments, "10\n11\n12\n13\n14\n", page);
    check(json!({"path": path("numbers.txt"), "line": 99}), "99\n100\n", meta(100, 2, false));
    check(json!({"path": path("empty.txt")}), "", meta(0, 0, false));
    check(json!({"path": path("empty.txt"), "line": 1}), "", meta(0, 0, false));
    let mut lossy = meta(1, 1, false);
    lossy["lossy"] = true.into();
    check(json!({"path": path("odd.txt")}), "caf\u{fffd}\n", lossy);
    let mut check = |arguments: Value, code: i64, message: &str| {
        assert_eq!(client.call("read_text_file", arguments).fault(), (code, message.to_owned()));
    };
    let missing = path("missing.txt");
    check(json!({"path": missing}), -32001, &format!("File not found: {missing}"));
    let relative = "Path must be absolute: relative/path.txt";
    check(json!({"path": "relative/path.txt"}), -32600, relative);
    let image = path("image.png");
    check(json!({"path": image}), -32004, &format!("Cannot read binary file: {image}"));
    let directory = sandbox.path("").to_str().unwrap().trim_end_matches('/').to_owned();
    check(json!({"path": directory}), -32003, &format!("{directory} is not a file"));
    let hello = path("hello.txt");
    check(json!({"path": hello, "line": 0}), -32600, "Line number must be >= 1: 0");
    check(json!({"path": hello, "line": -3}), -32600, "Line number must be >= 1: -3");
    check(json!({"path": hello, "limit": 0}), -32600, "Limit must be >= 1: 0");
    let (code, message) = client.call("read_text_file", json!({"path": hello, "line": 9})).fault();
    assert!(code == -32600 && message.contains("2 lines"), "{message}");
    // A path is not parsed as an address.
    let (code, _) = client.call("read_text_file", json!({"path": format!("{hello}:1")})).fault();
    assert_eq!(code, -32001);
}

#[test]
fn text_files_are_written_and_edited() {
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", "one\r\ntwo\r\ntwo\r\n").write("odd.txt", b"caf\xe9 one\n");
    let mut client = Client::new(&sandbox, &["--tools", "read_text_file"]);
    let path = |name: &str| sandbox.path(name).to_str().unwrap().to_owned();
    let bytes = |name: &str| std::fs::read(sandbox.path(name)).unwrap();
    let arguments = json!({"path": path("new.txt"), "content": "x\ny"});
    // A missing last line ending is added.
    let expected = json!({"bytes_written": 4, "created": true});
    assert_eq!(client.call("write_text_file", arguments).json(), expected);
    assert_eq!(bytes("new.txt"), b"x\ny\n");
    let edit =
        |old: &str, new: &str| json!({"path": path("a.txt"), "old_string": old, "new_string": new});
    let called = client.call("edit_text_file", edit("one", "1")).json();
    assert_eq!(called, json!({"line_range": {"start": 1, "end": 1}}));
    assert_eq!(bytes("a.txt"), b"1\r\ntwo\r\ntwo\r\n");
    assert_eq!(client.call("edit_text_file", edit("three", "3")).fault().0, -32010);
    assert_eq!(client.call("edit_text_file", edit("two", "2")).fault().0, -32011);
    let odd = json!({"path": path("odd.txt"), "old_string": "one", "new_string": "1"});
    let (code, message) = client.call("edit_text_file", odd).fault();
    assert!(code == -32004 && message.contains("not UTF-8"), "{message}");
    let edits = json!([
        {"old_string": "1", "new_string": "one\nmore"}, {"old_string": "no", "new_string": "x"},
    ]);
    let both = json!({"path": path("a.txt"), "edits": edits});
    assert_eq!(client.call("multi_edit_text_file", both).fault().0, -32010);
    assert_eq!(bytes("a.txt"), b"1\r\ntwo\r\ntwo\r\n");
    let edits = json!([
        {"old_string": "1", "new_string": "one\nmore"}, {"old_string": "more", "new_string": "less"},
    ]);
    let both = json!({"path": path("a.txt"), "edits": edits});
    let ranges = client.call("multi_edit_text_file", both).json();
    assert_eq!(ranges["line_ranges"].as_array().unwrap().len(), 2, "{ranges}");
    assert_eq!(bytes("a.txt"), b"one\r\nless\r\ntwo\r\ntwo\r\n");
}

#[track_caller]
fn fs(client: &mut Client, name: &str, arguments: Value) -> Value {
    client.call(name, arguments).json()
}

/// Feature request 004: the answers of `fs_read`.
#[test]
fn files_and_directories_are_read_by_relative_paths() {
    let sandbox = Sandbox::new();
    let lines: String = (1..=150).map(|number| format!("l{number}\n")).collect();
    sandbox.write("m/docs/a.md", "# A\ntext\n").write("m/docs/long.md", lines);
    sandbox.write("m/docs/x/same.md", "x\n").write("m/docs/y/same.md", "y\n");
    sandbox.write("m/docs/image.bin", b"\0\x01").write("m/.gitignore", "out/\n");
    sandbox.write("m/out/a.md", "").write("secret.md", "s\n").write("n/b.md", "b\n");
    std::os::unix::fs::symlink("../secret.md", sandbox.path("m/leak.md")).unwrap();
    let mut client = Client::new(&sandbox, &["--tools", "fs", "--root", "m"]);
    let mut read = |arguments: Value| fs(&mut client, "fs_read", arguments);
    let all = read(json!({"path": "."}));
    assert_eq!((&all["success"], &all["type"]), (&json!(true), &json!("directory")), "{all}");
    let names: Vec<&str> = all["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|entry| entry["path"].as_str())
        .collect();
    assert!(names.contains(&"docs") && !names.contains(&"out"), "{names:?}");
    let file = read(json!({"path": "docs/a.md", "extra": 1}));
    assert_eq!(file["content"]["text"], "1|# A\n2|text\n");
    assert_eq!(file["content"]["totalLines"], 2);
    assert_eq!(file["content"]["checksum"].as_str().unwrap().len(), 16);
    let long = read(json!({"path": "docs/long.md"}));
    assert_eq!(
        (&long["content"]["truncated"], &long["content"]["totalLines"]),
        (&json!(true), &json!(150))
    );
    assert_eq!(long["content"]["range"], json!({"start": 1, "end": 100}));
    assert!(long["hint"].as_str().unwrap().contains(r#""lines":"101-200""#), "{long}");
    let part = read(json!({"path": "docs/long.md", "lines": "149-200"}));
    assert_eq!(part["content"]["text"], "149|l149\n150|l150\n");
    let found = read(json!({"path": "a.md"}));
    assert_eq!(found["path"], "docs/a.md", "{found}");
    assert!(found["hint"].as_str().unwrap().contains("the only file of that name"), "{found}");
    let tree = read(json!({"path": "docs", "mode": "tree", "depth": 2}));
    assert!(tree["entries"].as_array().unwrap().iter().all(|entry| entry["kind"] == "directory"));
    let page = read(json!({"path": "docs", "limit": 1, "offset": 1}));
    assert_eq!(page["stats"]["returned"], 1);
    assert!(page["hint"].as_str().unwrap().contains(r#""offset":2"#), "{page}");
    let mut fails = |arguments: Value, code: &str| {
        let told = read(arguments.clone());
        assert_eq!(
            (&told["success"], &told["error"]["code"]),
            (&json!(false), &json!(code)),
            "{arguments}: {told}"
        );
        let hint = told["hint"].as_str().unwrap_or_default().to_owned();
        assert!(!hint.is_empty(), "{told}");
        hint
    };
    fails(json!({"path": "/docs/a.md"}), "OUT_OF_SCOPE");
    fails(json!({"path": "../secret.md"}), "OUT_OF_SCOPE");
    fails(json!({"path": "leak.md"}), "SYMLINK_ESCAPE");
    fails(json!({"path": "none.md"}), "NOT_FOUND");
    fails(json!({"path": "same.md"}), "AMBIGUOUS_PATH");
    let hint = fails(json!({"path": "nope/same.md"}), "AMBIGUOUS_PATH");
    assert_eq!(hint, "It may be one of these:\n  docs/x/same.md\n  docs/y/same.md");
    let hint = fails(json!({"path": "../none"}), "OUT_OF_SCOPE");
    assert_eq!(hint, "paths inside it begin with ./");
    fails(json!({"path": "docs/image.bin"}), "NOT_TEXT");
    fails(json!({"path": ".", "mode": "content"}), "MODE_MISMATCH");
    fails(json!({"path": "docs", "mode": "content"}), "MODE_MISMATCH");
    fails(json!({"path": "docs/a.md", "mode": "tree"}), "MODE_MISMATCH");
    for lines in ["5-2", "5-", "0", "x"] {
        fails(json!({"path": "docs/a.md", "lines": lines}), "INVALID_RANGE");
    }
    fails(json!({"path": "docs/a.md", "lines": "9"}), "INVALID_RANGE");
    let mut client =
        Client::new(&sandbox, &["--tools", "fs", "--root", "one=m", "--root", "two=n"]);
    let mounts = fs(&mut client, "fs_read", json!({"path": "/"}));
    let names: Vec<&Value> =
        mounts["entries"].as_array().unwrap().iter().map(|entry| &entry["path"]).collect();
    assert_eq!(names, ["one", "two"], "{mounts}");
    let file = fs(&mut client, "fs_read", json!({"path": "two/b.md"}));
    assert_eq!(file["content"]["text"], "1|b\n");
}

#[test]
fn files_are_found_by_name_and_by_content() {
    let sandbox = Sandbox::new();
    sandbox.write("README.md", "a Timeout here\n").write("src/time_out.rs", "fn f() {}\n");
    let mut client = Client::new(&sandbox, &["--tools", "fs"]);
    let mut check = |arguments: Value, expected: &[&str]| {
        let mut arguments = arguments;
        arguments["path"] = ".".into();
        let found = fs(&mut client, "fs_search", arguments);
        let results = found["results"].as_array().unwrap_or_else(|| panic!("{found}"));
        let told: Vec<String> = results
            .iter()
            .map(|hit| match hit["line"].as_u64() {
                Some(line) => format!("{}:{line}", hit["path"].as_str().unwrap()),
                None => hit["path"].as_str().unwrap().to_owned(),
            })
            .collect();
        assert_eq!(told, expected, "{found}");
    };
    check(json!({"query": "timeout"}), &["README.md:1"]);
    check(json!({"query": "timeout", "caseInsensitive": false}), &[]);
    check(json!({"query": "time_out"}), &["src/time_out.rs"]);
    check(json!({"query": "rdme", "patternMode": "fuzzy", "target": "filename"}), &["README.md"]);
    check(json!({"query": r"fn \w+\(", "patternMode": "regex"}), &["src/time_out.rs:1"]);
    check(json!({"query": "f()", "types": ["rs"]}), &["src/time_out.rs:1"]);
    check(json!({"query": "out", "wholeWord": true, "target": "content"}), &[]);
    let told =
        fs(&mut client, "fs_search", json!({"path": ".", "query": "(", "patternMode": "regex"}));
    assert_eq!(told["error"]["code"], "INVALID_PATTERN", "{told}");
    // A missing or inaccessible path is an error, not an empty result.
    sandbox.write(".env", "x=1\n");
    for (path, code) in [("no", "NOT_FOUND"), ("../x", "OUT_OF_SCOPE"), (".env", "OUT_OF_SCOPE")] {
        let told = fs(&mut client, "fs_search", json!({"path": path, "query": "x"}));
        assert_eq!((&told["success"], &told["error"]["code"]), (&json!(false), &json!(code)));
    }
}

#[test]
fn files_are_written_only_if_their_checksum_matches() {
    let sandbox = Sandbox::with(&[("a.md", "one\ntwo\nthree\n")]);
    let mut client = Client::new(&sandbox, &["--tools", "fs"]);
    let checksum =
        fs(&mut client, "fs_read", json!({"path": "a.md"}))["content"]["checksum"].clone();
    let mut write = |arguments: Value| {
        let mut arguments = arguments;
        arguments["path"] = "a.md".into();
        arguments["operation"] = "update".into();
        fs(&mut client, "fs_write", arguments)
    };
    let replace = json!({"action": "replace", "lines": "2", "content": "2", "checksum": checksum});
    let mut preview = replace.clone();
    preview["dryRun"] = true.into();
    let told = write(preview);
    assert_eq!(told["status"], "preview", "{told}");
    assert!(told["diff"].as_str().unwrap().contains("-two\n+2\n"), "{told}");
    let told = write(replace.clone());
    assert_eq!(told["status"], "applied", "{told}");
    let new = told["checksum"].as_str().unwrap();
    let told = write(replace);
    assert_eq!(told["error"]["code"], "CHECKSUM_MISMATCH", "{told}");
    let told = write(json!({"action": "delete_lines", "lines": "1", "checksum": "md5"}));
    assert_eq!(told["error"]["code"], "CHECKSUM_MISMATCH", "{told}");
    let told = write(json!({"action": "delete_lines", "lines": "1", "checksum": ""}));
    assert_eq!(told["error"]["code"], "INVALID_ARGUMENT");
    write(json!({"action": "delete_lines", "lines": "1", "checksum": new}));
    write(json!({"action": "insert_before", "lines": "1", "content": "zero"}));
    write(json!({"action": "insert_after", "lines": "3", "content": "four"}));
    assert_eq!(std::fs::read_to_string(sandbox.path("a.md")).unwrap(), "zero\n2\nthree\nfour\n");
    let create = json!({"path": "b.md", "operation": "create", "content": "# B\n"});
    assert_eq!(fs(&mut client, "fs_write", create.clone())["status"], "applied");
    assert_eq!(fs(&mut client, "fs_write", create)["success"], false);
}

/// Missing directories for a new file are created, but only below the root. They are removed if the
/// file cannot be created.
#[test]
fn files_are_created_with_their_directories() {
    let sandbox = Sandbox::with(&[("there/a.md", "a\n")]);
    std::os::unix::fs::symlink("..", sandbox.path("there/out")).unwrap();
    let root = sandbox.path("there");
    let mut client = Client::new(&sandbox, &["--tools", "fs", "--root", root.to_str().unwrap()]);
    let mut create = |path: &str, more: Value| {
        let mut arguments = json!({"path": path, "operation": "create", "content": "x\n"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        fs(&mut client, "fs_write", arguments)
    };
    let preview = create("b/c/d.md", json!({"dryRun": true}));
    assert_eq!(preview["status"], "preview", "{preview}");
    assert_eq!(preview["createdDirs"], json!(["b", "b/c"]));
    assert_eq!(preview["diff"], "--- /dev/null\n+++ b/b/c/d.md\n@@ -0,0 +1 @@\n+x\n");
    assert!(!root.join("b").exists());
    let refused = create("b/c/d.md", json!({"createDirs": false}));
    assert_eq!(refused["error"]["code"], "NOT_FOUND", "{refused}");
    let applied = create("b/c/d.md", json!({}));
    assert_eq!(
        (&applied["status"], &applied["createdDirs"], &applied["diff"]),
        (&json!("applied"), &preview["createdDirs"], &preview["diff"])
    );
    // This is the checksum that `sha256sum` prints.
    assert_eq!(applied["checksum"], "73cb3858a687a849");
    assert_eq!(applied["checksum"], preview["checksum"]);
    assert_eq!(std::fs::read_to_string(root.join("b/c/d.md")).unwrap(), "x\n");
    assert!(create("b/e.md", json!({}))["createdDirs"].is_null());
    for path in ["out/new/d.md", "../new/d.md", ".git/new/d.md", "new/.env", "a.md/b/c.md"] {
        let refused = create(path, json!({}));
        assert_eq!(refused["success"], false, "{path}: {refused}");
    }
    let names = |path: &std::path::Path| std::fs::read_dir(path).unwrap().count();
    assert_eq!(names(&root), 3);
    assert!(!sandbox.path("new").exists());
}
