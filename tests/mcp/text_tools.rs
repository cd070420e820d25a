//! The tools for parts of texts, and those for text files by absolute path.

use serde_json::{Value, json};

use super::{Called, Client, README, texts};
use crate::support::Sandbox;

#[track_caller]
fn patch(client: &mut Client, operation: &str, target: Value, content: Option<&str>) -> Called {
    let mut arguments = json!({"filePath": "README.md", "operation": operation, "target": target});
    if let Some(content) = content {
        arguments["content"] = content.into();
    }
    client.call("TextPatch", arguments)
}

#[test]
fn text_tools_support_their_workflows() {
    let sandbox = texts();
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
    let sandbox = texts();
    let mut client = Client::new(&sandbox, &["--tools", "text"]);
    let called = patch(&mut client, "replace", json!({"heading": "## Instalation"}), Some("## X"));
    assert!(called.is_error());
    let answer: Value = serde_json::from_str(&called.text()).unwrap();
    assert_eq!(answer["status"], "error");
    assert_eq!(answer["message"], "Target not found: heading '## Instalation'");
    let suggestions = answer["suggestions"].as_array().unwrap();
    assert_eq!(suggestions[0], "Similar heading found: '## Installation' at line 5");
    let all = "Use TextInspect to see all headings in the document";
    assert!(suggestions.contains(&json!(all)), "{answer}");
    let mut check = |operation: &str, target: Value, content: Option<&str>, part: &str| {
        let text = patch(&mut client, operation, target, content).fails(part);
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(answer["status"], "error", "{answer}");
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
    let sandbox = texts();
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

/// Pages, and errors with their numbers.
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
