//! The tools of `core`: they accept the options of their commands, and return the same output.

use serde_json::{Value, json};

use super::{Client, sandbox};
use crate::support::Sandbox;

#[test]
fn tools_accept_the_options_of_their_commands() {
    let text = "# A\n\n## Setup\n\nfoo foo\n\n## Use\n\nbar\n";
    let sandbox = Sandbox::with(&[("a.md", text), ("b.md", "# B\n\nsee [A](a.md#setup)\n")]);
    let file = |name: &str| std::fs::read_to_string(sandbox.path(name)).unwrap();
    let mut client = Client::new(&sandbox, &[]);
    let mut first = |tool: &str, arguments: Value| client.call(tool, arguments).blocks()[0].clone();
    for arguments in [
        json!({"address": ".", "containing": "^foo", "number": true}),
        json!({"address": "a.md", "section": "Setup", "options": {"number": true}}),
        json!({"address": "a.md", "target": "Setup", "options": "{\"number\":\"true\"}"}),
    ] {
        let read = first("read", arguments);
        assert!(read.contains("     3\t## Setup\n"), "{read}");
    }
    let both = json!({"address": "a.md", "section": "Setup", "lines": "3"});
    assert!(first("read", both).contains("lines cannot be used with section"));
    let replace = |more: Value| {
        let mut call = json!({"operation": "replace", "address": "a.md", "content": "x"});
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call
    };
    for call in [
        replace(json!({"text": "foo"})),
        replace(json!({"target": {"pattern": "f.o"}})),
        json!({"operation": "apply", "edits": [{"filePath": "a.md", "operation": "replace",
            "target": {"text": "foo"}, "content": "x"}]}),
    ] {
        assert!(first("patch", call).contains("TARGET_AMBIGUOUS"));
    }
    first("patch", replace(json!({"text": "foo", "occurrence": 2})));
    assert!(file("a.md").contains("foo x\n"));
    first("undo", json!({}));
    assert_eq!(file("a.md"), text);
    let rename = json!({"operation": "rename", "address": "a.md", "heading": "Setup",
        "content": "Install", "links": true});
    first("patch", rename);
    assert!(file("b.md").contains("a.md#install"));
    first("undo", json!({"which": "a.md"}));
    let moved = json!({"operation": "move", "address": "a.md", "section": "Setup", "to": "b.md"});
    first("patch", moved);
    assert!(file("b.md").contains("foo foo"));
    assert!(first("links", json!({})).contains("b.md:3"));
}

#[test]
fn checksums_that_read_reports_guard_edits() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n\n## Setup\n\nfoo\n\n## Use\n\nbar\n")]);
    let mut client = Client::new(&sandbox, &[]);
    let part = json!({"address": "a.md", "section": "Setup", "numbered": true});
    let blocks = client.call("read", part).blocks();
    assert!(blocks[0].contains("     3\t## Setup\n"), "{blocks:?}");
    let (_, checksum) = blocks[1].split_once("checksum ").unwrap();
    let mut replace = |content: &str, checksum: &str| {
        let edit = json!({"operation": "replace", "address": "a.md", "section": "Setup",
            "content": content, "if_match": checksum});
        client.call("patch", edit)
    };
    assert!(!replace("## Setup\n\nnew\n", checksum).is_error());
    replace("## Setup\n\nnewer\n", checksum).fails("CHECKSUM_MISMATCH");
    let whole = client.call("read", json!({"address": "a.md"})).blocks()[1].clone();
    let (_, checksum) = whole.split_once("checksum ").unwrap();
    let delete = json!({"operation": "delete", "address": "a.md", "section": "Use",
        "if_match": checksum});
    assert!(!client.call("patch", delete).is_error());
}

/// A call of a core tool, and the equivalent command line.
type Pair = (&'static str, Value, Vec<&'static str>);

fn pairs() -> Vec<Pair> {
    vec![
        ("inspect", json!({"address": "a.md"}), vec!["inspect", "a.md"]),
        ("inspect", json!({}), vec!["inspect"]),
        ("inspect", json!({"address": "docs"}), vec!["inspect", "docs"]),
        ("inspect", json!({"address": "a.md", "outline": true}), vec!["inspect", "-O", "a.md"]),
        (
            "inspect",
            json!({"address": "a.md", "max_level": 1}),
            vec!["inspect", "--max-level", "1", "a.md"],
        ),
        (
            "inspect",
            json!({"address": "a.md", "tokens": true}),
            vec!["inspect", "--tokens", "a.md"],
        ),
        (
            "inspect",
            json!({"address": "a.md", "mode": "search", "query": "make"}),
            vec!["inspect", "--mode", "search", "--query", "make", "a.md"],
        ),
        (
            "inspect",
            json!({"address": "a.md", "mode": "search", "query": "m.ke", "regex": true, "context": 1}),
            vec!["inspect", "--mode", "search", "--query", "m.ke", "--regex", "-C1", "a.md"],
        ),
        (
            "inspect",
            json!({"address": "a.md", "mode": "lines", "query": "1-3"}),
            vec!["inspect", "--mode", "lines", "--query", "1-3", "a.md"],
        ),
        ("inspect", json!({"address": ".", "glob": ["*.ini"]}), vec!["inspect", "-g*.ini", "."]),
        ("inspect", json!({"address": ["a.md", "app.ini"]}), vec!["inspect", "a.md", "app.ini"]),
        ("inspect", json!({"address": "a.md#install"}), vec!["inspect", "a.md#install"]),
        ("inspect", json!({"address": "x.md"}), vec!["inspect", "x.md"]),
        (
            "inspect",
            json!({"address": "a.md", "query": "x"}),
            vec!["inspect", "--query", "x", "a.md"],
        ),
        (
            "inspect",
            json!({"address": "a.md", "mode": "search"}),
            vec!["inspect", "--mode", "search", "a.md"],
        ),
        ("read", json!({"address": "a.md"}), vec!["read", "a.md"]),
        ("read", json!({"address": "a.md:3"}), vec!["read", "a.md:3"]),
        ("read", json!({"address": "a.md:3-5"}), vec!["read", "a.md:3-5"]),
        ("read", json!({"address": "a.md#use"}), vec!["read", "a.md#use"]),
        (
            "read",
            json!({"address": "a.md", "section": "Install"}),
            vec!["read", "a.md", "--section", "Install"],
        ),
        (
            "read",
            json!({"address": "app.ini", "section": "database", "key": "host"}),
            vec!["read", "app.ini", "--section", "database", "--key", "host"],
        ),
        (
            "read",
            json!({"address": "a.md", "code_block": "sh:0"}),
            vec!["read", "a.md", "--code-block", "sh:0"],
        ),
        (
            "read",
            json!({"address": "a.md", "search": "make"}),
            vec!["read", "a.md", "--search", "make"],
        ),
        (
            "read",
            json!({"address": "WORK.md:120", "to_next": "^\\[LOG-"}),
            vec!["read", "WORK.md:120", "--to-next", "^\\[LOG-"],
        ),
        (
            "read",
            json!({"address": "WORK.md", "from": 120, "limit": 2}),
            vec!["read", "WORK.md", "--from", "120", "--limit", "2"],
        ),
        (
            "read",
            json!({"address": "WORK.md", "limit": 2}),
            vec!["read", "WORK.md", "--limit", "2"],
        ),
        ("read", json!({"address": "WORK.md", "tail": 2}), vec!["read", "WORK.md", "--tail", "2"]),
        (
            "read",
            json!({"address": "a.md:5", "section_context": true}),
            vec!["read", "a.md:5", "-W"],
        ),
        ("read", json!({"address": ["a.md:1", "a.md:3-4"]}), vec!["read", "a.md:1", "a.md:3-4"]),
        ("read", json!({"address": "x.md"}), vec!["read", "x.md"]),
        ("read", json!({"address": "docs"}), vec!["read", "docs"]),
        ("read", json!({"address": "a.md:99"}), vec!["read", "a.md:99"]),
        (
            "read",
            json!({"address": "a.md", "section": "Instal x"}),
            vec!["read", "a.md", "--section", "Instal x"],
        ),
        (
            "read",
            json!({"address": "a.md", "to_next": "x"}),
            vec!["read", "a.md", "--to-next", "x"],
        ),
        (
            "read",
            json!({"address": "a.md:1", "to_next": "("}),
            vec!["read", "a.md:1", "--to-next", "("],
        ),
        (
            "read",
            json!({"address": "a.md:1-2", "to_next": "x"}),
            vec!["read", "a.md:1-2", "--to-next", "x"],
        ),
        (
            "read",
            json!({"address": "a.md", "section": "Use", "key": "x"}),
            vec!["read", "a.md", "--section", "Use", "--key", "x"],
        ),
        (
            "read",
            json!({"address": "a.md", "code_block": "7"}),
            vec!["read", "a.md", "--code-block", "7"],
        ),
        (
            "read",
            json!({"address": "a.md", "code_block": "x"}),
            vec!["read", "a.md", "--code-block", "x"],
        ),
        ("read", json!({"address": "a.md#no"}), vec!["read", "a.md#no"]),
        ("grep", json!({"pattern": "make", "section_hints": false}), vec!["grep", "make", "."]),
        ("grep", json!({"pattern": "make"}), vec!["grep", "-k", "make", "."]),
        ("grep", json!({"pattern": "make", "path": "docs"}), vec!["grep", "-k", "make", "docs"]),
        (
            "grep",
            json!({"pattern": "make", "path": ["a.md", "docs"]}),
            vec!["grep", "-k", "make", "a.md", "docs"],
        ),
        ("grep", json!({"pattern": "MAKE", "ignore_case": true}), vec!["grep", "-ki", "MAKE", "."]),
        (
            "grep",
            json!({"pattern": "[LOG-015]", "fixed_strings": true}),
            vec!["grep", "-kF", "[LOG-015]", "."],
        ),
        (
            "grep",
            json!({"pattern": "make", "section_context": true}),
            vec!["grep", "-W", "make", "."],
        ),
        (
            "grep",
            json!({"pattern": "make", "context": 1, "section_hints": false}),
            vec!["grep", "-C1", "make", "."],
        ),
        (
            "grep",
            json!({"pattern": "make", "files_with_matches": true}),
            vec!["grep", "-l", "make", "."],
        ),
        (
            "grep",
            json!({"pattern": "e", "max_total": 2}),
            vec!["grep", "-k", "--max-total=2", "e", "."],
        ),
        (
            "grep",
            json!({"pattern": "host", "glob": ["*.ini"]}),
            vec!["grep", "-kg*.ini", "host", "."],
        ),
        ("grep", json!({"pattern": "("}), vec!["grep", "-k", "(", "."]),
        ("grep", json!({"pattern": "x", "path": "no"}), vec!["grep", "-k", "x", "no"]),
        ("list", json!({}), vec!["list", "--limit=100"]),
        ("list", json!({"path": "docs"}), vec!["list", "docs", "--limit=100"]),
        ("list", json!({"mode": "tree"}), vec!["list", "--mode", "tree", "--limit=100"]),
        (
            "list",
            json!({"depth": 2, "extension": ["md"]}),
            vec!["list", "--depth=2", "-e", "md", "--limit=100"],
        ),
        (
            "list",
            json!({"titles": true, "depth": 2}),
            vec!["list", "--titles", "--depth=2", "--limit=100"],
        ),
        ("list", json!({"limit": 1, "offset": 1}), vec!["list", "--limit=1", "--offset=1"]),
        ("list", json!({"path": "no"}), vec!["list", "no"]),
        ("list", json!({"path": "a.md"}), vec!["list", "a.md"]),
        (
            "patch",
            json!({"operation": "replace", "address": "a.md", "text": "make", "content": "cargo",
                   "dry_run": true}),
            vec!["patch", "replace", "a.md", "--text", "make", "-c", "cargo", "-d"],
        ),
        (
            "patch",
            json!({"operation": "replace", "address": "a.md", "section": "No", "content": "x"}),
            vec!["patch", "replace", "a.md", "--section", "No", "-c", "x"],
        ),
        (
            "patch",
            json!({"operation": "delete", "address": "a.md", "content": "x", "section": "Use"}),
            vec!["patch", "delete", "a.md", "-c", "x", "--section", "Use"],
        ),
        (
            "patch",
            json!({"operation": "replace", "address": "a.md", "section": "Use"}),
            vec!["patch", "replace", "a.md", "--section", "Use"],
        ),
    ]
}

/// Replaces options in a message with parameters, in the same way as a tool.
fn respelt(text: &str) -> String {
    let words = text.split_inclusive(' ').map(|word| {
        let flag = word.trim_start_matches('(');
        match flag.strip_prefix("--") {
            Some(name) if flag.starts_with("--") => {
                word[..word.len() - flag.len()].to_owned() + &name.replace('-', "_")
            }
            _ => word.to_owned(),
        }
    });
    words.collect()
}

#[test]
fn tools_return_the_output_of_commands() {
    let sandbox = sandbox();
    let mut client = Client::new(&sandbox, &[]);
    assert!(pairs().len() >= 60, "{}", pairs().len());
    for (tool, arguments, line) in pairs() {
        let command = sandbox.run(&line);
        let called = client.call(tool, arguments.clone());
        let failure = command.errors();
        let failure =
            failure.lines().find_map(|line| line.strip_prefix(&format!("folio {tool}: ")));
        if command.stdout.is_empty() && failure.is_some_and(|text| !text.starts_with("note: ")) {
            let answer = called.fails("");
            let message = answer.lines().next().unwrap().split_once(": ").unwrap().1.to_owned();
            assert_eq!(message, respelt(failure.unwrap()), "{line:?}");
            continue;
        }
        // Tools group the results of these commands by file or directory.
        if !command.stdout.is_empty() && !["inspect", "grep", "list"].contains(&tool) {
            assert_eq!(called.first(), command.text(), "{line:?}");
        }
        let mut json_line = line.clone();
        json_line.push("--json");
        let mut json_arguments = arguments;
        json_arguments["format"] = json!("json");
        let mut value = client.call(tool, json_arguments).json();
        let mut records = sandbox.run(&json_line).json_lines();
        // Hints are calls in one output and commands in the other.
        let mut without_hints = |record: &mut Value| {
            let Some(record) = record.as_object_mut() else { return };
            record.retain(|name, _| name != "hint" && name != "hints");
        };
        records.iter_mut().for_each(&mut without_hints);
        value["records"].as_array_mut().unwrap().iter_mut().for_each(&mut without_hints);
        without_hints(&mut value["summary"]);
        if records.last().is_some_and(|record| record["type"] == "summary") {
            assert_eq!(value["summary"], records.pop().unwrap(), "{line:?}");
        }
        assert_eq!(value["records"], Value::from(records), "{line:?}");
    }
}

/// Repositories, environments and keys are not listed, read or written under any name. The ignore
/// file of a repository still applies.
#[test]
fn files_that_may_contain_secrets_are_hidden() {
    let sandbox = sandbox();
    sandbox.write(".env", "TOKEN=1\n").write("docs/id_rsa", "TOKEN\n").write("a.pem", "TOKEN\n");
    sandbox.write(".git/config", "TOKEN\n").write(".git/info/exclude", "docs/b.md\n");
    std::os::unix::fs::symlink("../.env", sandbox.path("docs/plain.md")).unwrap();
    let mut client = Client::new(&sandbox, &[]);
    for address in
        [".env", "./docs/../.env", "docs/plain.md", ".git/config", "a.pem", "docs/id_rsa"]
    {
        client.call("read", json!({"address": address})).fails("it may contain secrets");
        let edit = json!({"operation": "append", "address": address, "content": "x"});
        client.call("patch", edit).fails("it may contain secrets");
    }
    let create = json!({"operation": "create", "address": ".env.local", "content": "x\n"});
    client.call("patch", create).fails("it may contain secrets");
    for arguments in [json!({"pattern": "TOKEN"}), json!({"pattern": "TOKEN", "glob": [".env"]})] {
        let answer = client.call("grep", arguments).first();
        assert_eq!(answer.lines().next(), Some("no match"));
    }
    let listed = client.call("list", json!({"depth": 5})).first();
    assert_eq!(listed, "WORK.md\na.md\napp.ini\ndocs/\n  plain.md\n");
    let mut client = Client::new(&sandbox, &["--allow-secrets"]);
    assert_eq!(client.call("read", json!({"address": ".env"})).first(), "TOKEN=1\n");
    assert!(!sandbox.path(".env.local").exists());
}
