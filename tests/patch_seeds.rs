//! The first feature requests for editing: their workflows, safety features, validation rules and
//! write actions, on the command line.

use serde_json::json;

use crate::support::edits::check_schema;
use crate::support::{Outcome, Sandbox, checksum};

/// Returns a README of about two hundred lines.
fn readme() -> String {
    let filling = |count: usize| "Words that fill a line.\n".repeat(count);
    [
        "---\ntitle: Field Notes\n---\n\n# Field Notes\n\n",
        &filling(60),
        "\n## Setup\n\nTo set up, recieve the key first.\n\n",
        &filling(60),
        "\n## Contributing\n\n",
        &filling(20),
        "\n## License\n\nMIT.\n",
    ]
    .concat()
}

const API: &str = "# API\n\n```bash\nnpm i\n```\n\n## Auth\n\n```json\n{}\n```\n\n## Calls\n\n\
    ```http\nGET /\n```\n\n```typescript\nconst client = old();\nclient.call();\n```\n\nEnd.\n";

const CONF: &str = "# Service\n\n[server]\nhost = 0.0.0.0\nport = 80\n\n[database]\n# where\n\
    host = localhost\nport = 5432\n\n[cache]\nhost = cache.local\n";

fn files() -> Sandbox {
    Sandbox::with(&[("README.md", &readme()), ("API.md", API), ("app.conf", CONF)])
}

#[track_caller]
fn patch(sandbox: &Sandbox, arguments: &[&str]) -> serde_json::Value {
    let told = sandbox.run(&[&["patch"], arguments, &["--json", "--preview"]].concat());
    let told = told.succeeds().json();
    check_schema(&told);
    told
}

#[track_caller]
fn refused(sandbox: &Sandbox, arguments: &[&str], status: i32, code: &str) -> Outcome {
    let outcome = sandbox.run(&[&["patch"], arguments, &["--json"]].concat()).exits(status);
    assert_eq!(outcome.json_errors()[0].code, code, "{outcome}");
    assert!(!outcome.json_errors()[0].suggestions.is_empty(), "no hint: {outcome}");
    outcome
}

#[track_caller]
fn text_of(sandbox: &Sandbox, name: &str) -> String {
    std::fs::read_to_string(sandbox.path(name)).unwrap()
}

/// Returns the headings with their lines.
#[track_caller]
fn headings(sandbox: &Sandbox, name: &str) -> Vec<(String, u64)> {
    let told = sandbox.run(&["inspect", "--json", "--flat", name]).succeeds().json();
    let headings = told["structure"]["headings"].as_array().unwrap();
    let text = |heading: &serde_json::Value| heading["text"].as_str().unwrap().to_owned();
    headings.iter().map(|one| (text(one), one["line"].as_u64().unwrap())).collect()
}

#[test]
fn workflow_1_a_section_is_added_before_another() {
    let sandbox = files();
    let before = readme();
    let line = headings(&sandbox, "README.md").into_iter().find(|(name, _)| name == "Contributing");
    let line = line.unwrap().1;
    let content =
        "## Troubleshooting\n\nWhat often happens:\n\n### Build Errors\n\nRun it again.\n\n";
    let told = patch(
        &sandbox,
        &["insert", "README.md", "--heading", "## Contributing", "--before", "-c", content],
    );
    assert_eq!(told["status"], "success");
    assert_eq!(told["linesChanged"], 0);
    assert_eq!(told["linesDelta"], 8);
    assert_eq!(told["resultLines"], json!({"start": line, "end": line + 7}));
    let expected = before.replace("## Contributing\n", &format!("{content}## Contributing\n"));
    assert_eq!(text_of(&sandbox, "README.md"), expected);
    let after = headings(&sandbox, "README.md");
    assert!(after.contains(&("Build Errors".to_owned(), line + 4)), "{after:?}");
    assert!(after.contains(&("Contributing".to_owned(), line + 8)), "{after:?}");
}

#[test]
fn workflow_2_an_example_in_code_is_replaced() {
    let sandbox = files();
    let told = sandbox.run(&["inspect", "--json", "API.md"]).succeeds().json();
    let block = &told["structure"]["codeBlocks"][3];
    assert_eq!((&block["language"], &block["startLine"]), (&json!("typescript"), &json!(19)));
    let old = "const client = old();\nclient.call();\n";
    sandbox.run(&["read", "API.md", "--code-block", "3"]).succeeds().prints(old);
    let new = "const client = new Client({\n  baseUrl: 'https://api.example.org',\n});";
    let told = patch(&sandbox, &["replace", "API.md", "--code-block", "3", "-c", new]);
    assert_eq!(told["target"], json!({"codeBlock": {"index": 3}}));
    assert_eq!(told["affectedLines"], json!({"start": 20, "end": 21}));
    assert_eq!(told["linesDelta"], 1);
    assert_eq!(text_of(&sandbox, "API.md"), API.replace(old, &format!("{new}\n")));
}

#[test]
fn workflow_3_a_typo_is_corrected_where_a_search_found_it() {
    let sandbox = files();
    let search = ["inspect", "--json", "README.md", "--mode", "search", "--query", "recieve"];
    let found = sandbox.run(&search).succeeds().json();
    let line = &found["matches"][0]["line"];
    let told = patch(&sandbox, &["replace", "README.md", "--text", "recieve", "-c", "receive"]);
    assert_eq!(told["affectedLines"], json!({"start": line, "end": line}));
    assert_eq!(told["linesChanged"], 1);
    assert_eq!(told["preview"]["after"], "To set up, receive the key first.");
    assert_eq!(text_of(&sandbox, "README.md"), readme().replace("recieve", "receive"));
}

#[test]
fn workflow_4_a_key_of_a_configuration_is_replaced() {
    let sandbox = files();
    let told = sandbox.run(&["inspect", "--json", "app.conf"]).succeeds().json();
    assert_eq!(told["structure"]["sections"][1]["marker"], "[database]");
    let section = "[database]\n# where\nhost = localhost\nport = 5432\n\n";
    sandbox.run(&["read", "app.conf", "--section", "[database]"]).succeeds().prints(section);
    let line = "host = db.example.org";
    let told = patch(
        &sandbox,
        &["replace", "app.conf", "--section", "[database]", "--key", "host", "-c", line],
    );
    assert_eq!(told["target"], json!({"section": "[database]", "key": "host"}));
    assert_eq!(told["affectedLines"], json!({"start": 9, "end": 9}));
    assert_eq!(text_of(&sandbox, "app.conf"), CONF.replace("host = localhost", line));
}

#[test]
fn workflow_5_edits_by_heading_do_not_interfere() {
    let sandbox = files();
    let license = |sandbox: &Sandbox| headings(sandbox, "README.md").last().unwrap().1;
    let before = license(&sandbox);
    let usage = format!("## Usage\n\n{}\n", "Use it.\n".repeat(17));
    patch(&sandbox, &["insert", "README.md", "--section", "Setup", "-c", &usage]);
    // The old line numbers now refer to other lines.
    assert_eq!(license(&sandbox), before + 20);
    let told = patch(&sandbox, &["replace", "README.md", "--body", "License", "-c", "\nApache."]);
    assert_eq!(told["affectedLines"]["start"], before + 21);
    let expected = readme()
        .replace("\n## Contributing", &format!("\n{usage}## Contributing"))
        .replace("\nMIT.\n", "\nApache.\n");
    assert_eq!(text_of(&sandbox, "README.md"), expected);
    // Both edits in one batch, with line numbers from before the edits.
    let sandbox = files();
    let edits = json!([
        {"filePath": "README.md", "operation": "insert", "target": {"section": "Setup"},
         "content": usage},
        {"filePath": "README.md", "operation": "replace",
         "target": {"lines": {"start": before + 2, "end": before + 2}}, "content": "Apache."},
    ]);
    let apply = ["patch", "apply", "-", "--json"];
    let told = sandbox.run_with_input(&apply, edits.to_string()).succeeds().json_lines();
    assert_eq!((&told[2]["files"], &told[2]["edits"]), (&json!(1), &json!(2)));
    assert_eq!(text_of(&sandbox, "README.md"), expected);
}

#[test]
fn a_replaced_heading_is_reported_as_in_the_example() {
    let sandbox = Sandbox::with(&[("a.md", "# T\n\n## Installation\n\ntext\n")]);
    let told = patch(
        &sandbox,
        &["replace", "a.md", "--heading", "## Installation", "-c", "## Getting Started"],
    );
    assert_eq!(told["target"], json!({"heading": "## Installation"}));
    assert_eq!(told["affectedLines"], json!({"start": 3, "end": 3}));
    assert_eq!((&told["linesChanged"], &told["linesDelta"]), (&json!(1), &json!(0)));
    let preview = json!({"before": "## Installation", "after": "## Getting Started"});
    assert_eq!(told["preview"], preview);
    assert!(told.get("note").is_none());
}

#[test]
fn replaced_lines_report_the_new_number_of_lines() {
    let numbers: String = (1..=847).map(|number| format!("{number}\n")).collect();
    let sandbox = Sandbox::with(&[("a.txt", &numbers)]);
    let new = ["a", "b", "c", "d"].join("\n");
    let told = patch(&sandbox, &["replace-lines", "a.txt", "--lines", "50-55", "-c", &new]);
    assert_eq!(told["operation"], "replace");
    assert_eq!(told["affectedLines"], json!({"start": 50, "end": 55}));
    assert_eq!((&told["linesChanged"], &told["linesDelta"]), (&json!(6), &json!(-2)));
    assert_eq!(told["note"], "File now has 845 lines (was 847)");
}

#[test]
fn a_misspelled_heading_is_reported_with_the_existing_one() {
    let sandbox = Sandbox::with(&[("a.md", "# T\n\n## Installation\n\ntext\n")]);
    let outcome = refused(
        &sandbox,
        &["replace", "a.md", "--heading", "## Instalation", "-c", "## New"],
        1,
        "TARGET_NOT_FOUND",
    );
    let error = outcome.json_error();
    assert!(error.message.contains("## Instalation"), "{outcome}");
    let told = format!("{:?} {:?}", error.suggestions, error.candidates);
    assert!(told.contains("Installation") && told.contains('3'), "{outcome}");
    assert!(error.suggestions.iter().any(|hint| hint.contains("folio inspect")), "{outcome}");
}

#[test]
fn the_rules_for_valid_edits() {
    let sandbox = files();
    let before = readme();
    // Paths, lines, patterns, targets, content.
    refused(&sandbox, &["delete", "none.md", "--lines", "1"], 2, "NOT_FOUND");
    refused(&sandbox, &["delete", "README.md", "--lines", "9999"], 1, "LINE_OUT_OF_RANGE");
    refused(&sandbox, &["delete", "README.md", "--pattern", "("], 2, "INVALID_PATTERN");
    refused(&sandbox, &["delete", "README.md", "--heading", "# Setup"], 1, "TARGET_NOT_FOUND");
    refused(&sandbox, &["replace", "README.md", "--lines", "1", "-c", ""], 2, "EMPTY_CONTENT");
    refused(&sandbox, &["insert", "README.md", "--lines", "1", "-c", ""], 2, "EMPTY_CONTENT");
    let hint = sandbox.run(&["patch", "replace", "README.md", "--lines", "1", "-c", ""]);
    hint.exits(2).tells("folio patch delete");
    assert_eq!(text_of(&sandbox, "README.md"), before);
}

#[test]
fn an_edit_has_one_target() {
    let sandbox = files();
    let targets = [
        ["--lines", "1"],
        ["--text", "Words"],
        ["--pattern", "Words"],
        ["--heading", "Setup"],
        ["--section", "Setup"],
        ["--body", "Setup"],
        ["--code-block", "0"],
        ["--anchor", "setup"],
    ];
    for (number, first) in targets.iter().enumerate() {
        for second in &targets[number + 1..] {
            // The search for a text can be restricted to another part.
            let is_text = |target: &[&str; 2]| ["--text", "--pattern"].contains(&target[0]);
            if is_text(first) != is_text(second) {
                continue;
            }
            let arguments = [&["patch", "delete", "README.md"], &first[..], &second[..]].concat();
            let outcome = sandbox.run(&arguments).exits(2);
            assert!(outcome.errors().contains(first[0]), "{outcome}");
            assert!(outcome.errors().contains(second[0]), "{outcome}");
        }
    }
    assert_eq!(text_of(&sandbox, "README.md"), readme());
}

#[test]
fn content_gets_the_indentation_of_the_first_line() {
    let source = "def f():\n    if x:\n\treturn\n";
    let check = |arguments: &[&str], after: &str| {
        let sandbox = Sandbox::with(&[("a.py", source)]);
        patch(&sandbox, &[&[arguments[0], "a.py"], &arguments[1..]].concat());
        assert_eq!(text_of(&sandbox, "a.py"), after, "{arguments:?}");
    };
    let content = "while y:\n    z()";
    let replaced = "def f():\n    while y:\n        z()\n\treturn\n";
    check(&["replace", "--lines", "2", "-c", content], replaced);
    check(&["replace", "--lines", "2", "--preserve-indent", "-c", content], replaced);
    let plain = "def f():\nwhile y:\n    z()\n\treturn\n";
    check(&["replace", "--lines", "2", "--no-preserve-indent", "-c", content], plain);
    check(&["insert", "--lines", "3", "-c", "pass"], "def f():\n    if x:\n\tpass\n\treturn\n");
}

#[test]
fn large_deletions_must_be_confirmed() {
    let sandbox = files();
    let whole = ["delete", "README.md", "--section", "Field Notes", "--max-delete", "100"];
    let outcome = refused(&sandbox, &whole, 4, "DELETE_LIMIT");
    assert!(outcome.errors().contains("--force"), "{outcome}");
    assert_eq!(text_of(&sandbox, "README.md"), readme());
    patch(&sandbox, &[&whole[..], &["--force"]].concat());
    assert_eq!(text_of(&sandbox, "README.md"), "---\ntitle: Field Notes\n---\n");
}

#[test]
fn the_old_file_is_kept_on_request() {
    let sandbox = files();
    let edit = ["replace", "API.md", "--text", "End.", "-c", "Fin."];
    let told = patch(&sandbox, &[&edit[..], &["--backup"]].concat());
    assert_eq!(text_of(&sandbox, "API.md.bak"), API);
    assert!(told["backupPath"].as_str().unwrap().ends_with("API.md.bak"));
    assert_eq!(text_of(&sandbox, "API.md"), API.replace("End.", "Fin."));
    sandbox.write("API.md", API);
    patch(&sandbox, &[&edit[..], &["--backup=.old"]].concat());
    assert_eq!(text_of(&sandbox, "API.md.old"), API);
}

#[test]
fn no_temporary_files_remain() {
    let sandbox = Sandbox::with(&[("notes/a.md", "# A\n\ntext\n")]);
    patch(&sandbox, &["replace", "notes/a.md", "--text", "text", "-c", "words"]);
    sandbox.run(&["patch", "delete", "notes/a.md", "--text", "none"]).exits(1);
    let names: Vec<_> = std::fs::read_dir(sandbox.path("notes"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["a.md"]);
}

// Writing lines, from the feature request for a file server.

const LINES: &str = "one\ntwo\nthree\nfour\n";

#[track_caller]
fn check_lines(arguments: &[&str], after: &str, range: Option<(u64, u64)>) {
    let sandbox = Sandbox::with(&[("a.txt", LINES)]);
    let preview = sandbox.run(&[&["patch"], arguments, &["--json", "--dry-run"]].concat());
    let preview = preview.succeeds().json();
    assert_eq!(preview["status"], "preview");
    assert!(preview["diff"].as_str().unwrap().starts_with("--- a/a.txt\n+++ b/a.txt\n@@ "));
    assert_eq!(text_of(&sandbox, "a.txt"), LINES);
    let told = patch(&sandbox, &[arguments, &["--diff", "--checksum"]].concat());
    assert_eq!(told["diff"], preview["diff"]);
    assert_eq!(text_of(&sandbox, "a.txt"), after);
    assert_eq!(told["checksumBefore"].as_str().unwrap(), checksum(LINES));
    assert_eq!(told["checksum"].as_str().unwrap(), checksum(after));
    let range = range.map(|(start, end)| json!({"start": start, "end": end}));
    assert_eq!(told.get("resultLines"), range.as_ref());
}

#[test]
fn lines_are_inserted_replaced_and_deleted() {
    check_lines(
        &["insert", "a.txt:2", "--before", "-c", "x\ny"],
        "one\nx\ny\ntwo\nthree\nfour\n",
        Some((2, 3)),
    );
    check_lines(
        &["insert", "a.txt:2-3", "--after", "-c", "x"],
        "one\ntwo\nthree\nx\nfour\n",
        Some((4, 4)),
    );
    check_lines(&["replace", "a.txt:2-3", "-c", "x"], "one\nx\nfour\n", Some((2, 2)));
    check_lines(&["delete", "a.txt:2-3"], "one\nfour\n", None);
    check_lines(&["delete", "a.txt", "--lines", "4"], "one\ntwo\nthree\n", None);
}

#[test]
fn a_file_is_created_once() {
    let sandbox = Sandbox::new();
    let told = patch(&sandbox, &["create", "new.md", "-c", "# New\n"]);
    assert_eq!((&told["status"], &told["linesDelta"]), (&json!("success"), &json!(1)));
    assert_eq!(text_of(&sandbox, "new.md"), "# New\n");
    refused(&sandbox, &["create", "new.md", "-c", "# Other\n"], 2, "INVALID_ARGUMENT");
    assert_eq!(text_of(&sandbox, "new.md"), "# New\n");
    // Missing directories are not created.
    refused(&sandbox, &["create", "far/new.md", "-c", "x"], 2, "NOT_FOUND").tells("--parents");
    assert!(!sandbox.path("far").exists());
    sandbox.run(&["patch", "create", "later.md", "-c", "x", "--dry-run"]).exits(0);
    assert!(!sandbox.path("later.md").exists());
}

#[test]
fn a_checksum_guards_the_file_that_was_read() {
    let sandbox = Sandbox::with(&[("a.txt", LINES)]);
    let edit = ["replace", "a.txt:2", "-c", "x", "--if-match"];
    let read = sandbox.run(&["read", "a.txt", "--checksum"]).succeeds().text();
    let own = read.split(' ').next().unwrap();
    assert_eq!(own, checksum(LINES));
    sandbox.write("a.txt", "other\ntwo\n");
    refused(&sandbox, &[&edit[..], &[own]].concat(), 4, "CHECKSUM_MISMATCH");
    // An empty or short string is not a valid checksum.
    for wrong in ["", "abc", "not hexadecimal"] {
        let outcome = sandbox.run(&[&["patch"], &edit[..], &[wrong]].concat()).exits(2);
        assert!(outcome.errors().contains("not a checksum"), "{outcome}");
    }
    assert_eq!(text_of(&sandbox, "a.txt"), "other\ntwo\n");
    sandbox.write("a.txt", LINES);
    patch(&sandbox, &[&edit[..], &[own]].concat());
    assert_eq!(text_of(&sandbox, "a.txt"), LINES.replace("two", "x"));
    let part = ["replace", "a.txt:3", "-c", "y", "--if-range-match"];
    refused(&sandbox, &[&part[..], &[own]].concat(), 4, "CHECKSUM_MISMATCH");
    patch(&sandbox, &[&part[..], &[&checksum("three\n")]].concat());
    assert_eq!(text_of(&sandbox, "a.txt"), "one\nx\ny\nfour\n");
}

// Replacing a text that must occur exactly once.

#[test]
fn a_unique_text_is_replaced() {
    let sandbox = Sandbox::with(&[("a.txt", "alpha\nbeta\nalpha beta\n")]);
    let edit = |old, new| {
        let texts = ["--text", old, "-c", new, "--unique", "--json"];
        sandbox.run(&[&["patch", "replace", "a.txt"], &texts[..]].concat())
    };
    let told = edit("alpha\nbeta", "one\ntwo\nthree").succeeds().json();
    assert_eq!(told["resultLines"], json!({"start": 1, "end": 3}));
    let after = "one\ntwo\nthree\nalpha beta\n";
    assert_eq!(text_of(&sandbox, "a.txt"), after);
    assert_eq!(edit("gamma", "delta").exits(1).json_error().code, "TARGET_NOT_FOUND");
    let several = edit("e", "E").exits(3).json_error();
    assert_eq!(several.code, "TARGET_AMBIGUOUS");
    let lines: Vec<u64> = several.candidates.iter().map(|candidate| candidate.line).collect();
    assert_eq!(lines, [1, 3, 3, 4]);
    assert_eq!(text_of(&sandbox, "a.txt"), after);
}

#[test]
fn several_texts_are_replaced_together_or_not_at_all() {
    let sandbox = Sandbox::with(&[("a.txt", "alpha\nbeta\n")]);
    let edit = |old: &str, new: &str| {
        json!({"filePath": "a.txt", "operation": "replace", "target": {"text": old},
               "content": new, "unique": true})
    };
    let apply = |edits: serde_json::Value| {
        sandbox.run_with_input(&["patch", "apply", "-", "--json"], edits.to_string())
    };
    apply(json!([edit("alpha", "one"), edit("none", "two")])).exits(1).tells("TARGET_NOT_FOUND");
    assert_eq!(text_of(&sandbox, "a.txt"), "alpha\nbeta\n");
    apply(json!([edit("alpha", "one"), edit("beta", "two")])).succeeds();
    assert_eq!(text_of(&sandbox, "a.txt"), "one\ntwo\n");
    // In a sequential batch, the second edit finds the result of the first.
    let steps = json!({"sequential": true, "edits": [edit("one", "x"), edit("x", "y")]});
    apply(steps).succeeds();
    assert_eq!(text_of(&sandbox, "a.txt"), "y\ntwo\n");
}
