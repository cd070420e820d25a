//! Answers that are too long are continued by a call, and calls that take too long end.

use serde_json::{Value, json};

use super::Client;
use crate::support::Sandbox;

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
    let message = inspect(json!({"path": "b.md", "format": "json"}))
        .fails("INVALID_ARGUMENT: record 1 of the answer is longer than max_bytes 131072: ");
    let as_text = "\nhint: inspect {\"address\":\"b.md\"}  # as text, in pages";
    assert!(message.ends_with(as_text), "{message}");
    inspect(json!({"format": "json", "offset": 1}))
        .fails("record 2 of the answer is longer than max_bytes 131072: ");
    let message = inspect(json!({"path": "a.md", "format": "json", "max_bytes": 1000}))
        .fails("record 1 of the answer is longer than max_bytes 1000: ");
    assert!(message.contains(r#"{"address":"a.md","format":"json","max_bytes":"#), "{message}");
    assert!(inspect(json!({"path": "b.md"})).blocks()[1].contains("Heading 9"));
}

/// Names of a directory are below its path, so more of them fit into an answer.
#[test]
fn lists_do_not_repeat_the_path_of_a_directory() {
    let sandbox = Sandbox::new();
    let deep = "content/en/docs/concepts/architecture";
    for name in ["a.md", "b/c.md", "b/d.md", "b/e/f.md", "g/h.md", "i.md", "j.md"] {
        sandbox.write(format!("{deep}/{name}"), "# A\n");
    }
    let mut client = Client::new(&sandbox, &[]);
    let list = json!({"path": deep, "recursive": true});
    let text = client.call("list", list.clone()).first();
    let expected = format!(
        "{deep}/a.md\n{deep}/b/\n  c.md\n  d.md\n{deep}/b/e/\n  f.md\n{deep}/g/\n  h.md\n\
         {deep}/\n  i.md\n  j.md\n"
    );
    assert_eq!(text, expected);
    // Each page begins with complete paths.
    let mut paths = Vec::new();
    for offset in 0..10 {
        let page = json!({"path": deep, "recursive": true, "limit": 1, "offset": offset});
        paths.push(client.call("list", page).first());
    }
    let line = ["list", deep, "--recursive"];
    sandbox.run(&line).succeeds().prints(paths.concat());
    let details = json!({"path": deep, "details": true});
    let text = client.call("list", details).first();
    assert!(text.starts_with(&format!("{deep}/\n  a.md\tfile\t4\t")), "{text}");
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
fn truncated_answers_are_marked() {
    let sandbox = Sandbox::new();
    sandbox.write("long.txt", "0123456789\n".repeat(100_000));
    let mut client = Client::new(&sandbox, &[]);
    for (tool, arguments, most) in [
        ("read", json!({"address": "long.txt"}), 48 << 10),
        ("grep", json!({"pattern": "0", "path": "long.txt"}), 12 << 10),
    ] {
        let called = client.call(tool, arguments.clone());
        let blocks = called.blocks();
        let [.., text, facts] = &blocks[..] else { panic!("{blocks:?}") };
        assert!(text.len() <= most && text.ends_with('\n'), "{tool}");
        assert!(text.len() > most - 1024, "{tool}: {}", text.len());
        assert!(facts.contains("max_bytes"), "{facts}");
        let mut more = arguments;
        more["max_bytes"] = json!(4 << 20);
        assert!(client.call(tool, more.clone()).blocks().concat().len() > 1_000_000);
        more["max_bytes"] = json!(5000);
        more["format"] = json!("json");
        let text = client.call(tool, more).text();
        assert!(text.len() < 6000, "{tool}: {}", text.len());
        let value: Value = serde_json::from_str(&text).unwrap();
        assert!(value["records"].is_array());
    }
}

/// Without the deadline, a pattern that takes quadratic time would run for minutes on a long line.
#[test]
fn a_call_ends_at_its_deadline_with_an_error() {
    let sandbox = Sandbox::new();
    let line = "A".repeat(100 << 10) + "\n";
    sandbox.write("long.txt", &line);
    let mut client = Client::new(&sandbox, &["--timeout", "1", "--tools", "all"]);
    for target in [
        json!({"pattern": ".*[^A-Z]|[A-Z]"}),
        json!({"pattern": "(?s).*[^A-Z\n]|[A-Z]", "flags": "m"}),
    ] {
        let edit = json!({"filePath": "long.txt", "operation": "replace", "content": "b",
            "target": target});
        client.call("TextPatch", edit).fails("took too long");
    }
    assert_eq!(std::fs::read_to_string(sandbox.path("long.txt")).unwrap(), line);
    // Searches that need only the first match of each line are fast.
    let search = json!({"pattern": ".*[^A-Z]|[A-Z]", "path": "long.txt"});
    assert!(!client.call("grep", search).is_error());
    let search = json!({"filePath": "long.txt", "mode": "search", "query": ".*[^A-Z]|[A-Z]",
        "regex": true});
    assert_eq!(client.call("TextInspect", search).json()["totalMatches"], 1);
}
