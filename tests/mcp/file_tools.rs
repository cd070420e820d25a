//! The tools of the sets `fs-mcp` and `fs`: reading, searching and writing files.

use serde_json::{Value, json};

use super::{Called, Client, texts};
use crate::support::Sandbox;

fn content(text: &str) -> String {
    text.split("---\n").nth(1).unwrap_or_default().to_owned()
}

#[track_caller]
fn read_files(client: &mut Client, file: Value) -> Called {
    client.call("read_files", json!({"files": [file]}))
}

#[test]
fn sections_are_read_to_the_next_pattern() {
    let sandbox = texts();
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
    let sandbox = texts();
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
    let sandbox = texts();
    sandbox.write("big.json", "[]\n".repeat(400_000));
    let mut client = Client::new(&sandbox, &["--tools", "fs-mcp"]);
    let files = json!([
        {"path": "CONTEXT.md", "head": 1}, {"path": "no.md"}, {"path": "CONTEXT.md", "tail": 1},
    ]);
    let called = client.call("read_files", json!({"files": files}));
    let text = called.text();
    assert!(!called.is_error());
    let (first, rest) = text.split_once("File: no.md\n---\nError: NOT_FOUND").unwrap();
    assert!(first.contains("# Context\n---\n") && rest.ends_with("---\nlater\n---\n"), "{text}");
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
    let sandbox = texts();
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
    let mut custom = decision;
    custom["section_patterns"] = json!([r"^\[LOG-017"]);
    check(
        custom,
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
fn fs(client: &mut Client, name: &str, arguments: Value) -> Value {
    client.call(name, arguments).json()
}

/// The answers of `fs_read`.
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
        let answer = read(arguments.clone());
        assert_eq!(
            (&answer["success"], &answer["error"]["code"]),
            (&json!(false), &json!(code)),
            "{arguments}: {answer}"
        );
        let hint = answer["hint"].as_str().unwrap_or_default().to_owned();
        assert!(!hint.is_empty(), "{answer}");
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
        let hits: Vec<String> = results
            .iter()
            .map(|hit| match hit["line"].as_u64() {
                Some(line) => format!("{}:{line}", hit["path"].as_str().unwrap()),
                None => hit["path"].as_str().unwrap().to_owned(),
            })
            .collect();
        assert_eq!(hits, expected, "{found}");
    };
    check(json!({"query": "timeout"}), &["README.md:1"]);
    check(json!({"query": "timeout", "caseInsensitive": false}), &[]);
    check(json!({"query": "time_out"}), &["src/time_out.rs"]);
    check(json!({"query": "rdme", "patternMode": "fuzzy", "target": "filename"}), &["README.md"]);
    check(json!({"query": r"fn \w+\(", "patternMode": "regex"}), &["src/time_out.rs:1"]);
    check(json!({"query": "f()", "types": ["rs"]}), &["src/time_out.rs:1"]);
    check(json!({"query": "out", "wholeWord": true, "target": "content"}), &[]);
    let answer =
        fs(&mut client, "fs_search", json!({"path": ".", "query": "(", "patternMode": "regex"}));
    assert_eq!(answer["error"]["code"], "INVALID_PATTERN", "{answer}");
    // A missing or inaccessible path is an error, not an empty result.
    sandbox.write(".env", "x=1\n");
    for (path, code) in [("no", "NOT_FOUND"), ("../x", "OUT_OF_SCOPE"), (".env", "OUT_OF_SCOPE")] {
        let answer = fs(&mut client, "fs_search", json!({"path": path, "query": "x"}));
        assert_eq!((&answer["success"], &answer["error"]["code"]), (&json!(false), &json!(code)));
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
    let answer = write(preview);
    assert_eq!(answer["status"], "preview", "{answer}");
    assert!(answer["diff"].as_str().unwrap().contains("-two\n+2\n"), "{answer}");
    let answer = write(replace.clone());
    assert_eq!(answer["status"], "applied", "{answer}");
    let new = answer["checksum"].as_str().unwrap();
    let answer = write(replace);
    assert_eq!(answer["error"]["code"], "CHECKSUM_MISMATCH", "{answer}");
    let answer = write(json!({"action": "delete_lines", "lines": "1", "checksum": "md5"}));
    assert_eq!(answer["error"]["code"], "CHECKSUM_MISMATCH", "{answer}");
    let answer = write(json!({"action": "delete_lines", "lines": "1", "checksum": ""}));
    assert_eq!(answer["error"]["code"], "INVALID_ARGUMENT");
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
