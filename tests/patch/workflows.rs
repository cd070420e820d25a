//! A part that `inspect` or `read` found is edited, by its name or by its line.

use serde_json::json;

use super::{API, CONF, files, patch, readme};
use crate::support::Sandbox;

/// Returns the headings with their lines.
#[track_caller]
fn headings(sandbox: &Sandbox, name: &str) -> Vec<(String, u64)> {
    let record = sandbox.run(&["inspect", "--json", "--flat", name]).succeeds().json();
    let headings = record["structure"]["headings"].as_array().unwrap();
    let text = |heading: &serde_json::Value| heading["text"].as_str().unwrap().to_owned();
    headings.iter().map(|heading| (text(heading), heading["line"].as_u64().unwrap())).collect()
}

#[test]
fn a_section_is_inserted_before_a_heading() {
    let sandbox = files();
    let before = readme();
    let line = headings(&sandbox, "README.md").into_iter().find(|(name, _)| name == "Contributing");
    let line = line.unwrap().1;
    let content =
        "## Troubleshooting\n\nWhat often happens:\n\n### Build Errors\n\nRun it again.\n\n";
    let record = patch(
        &sandbox,
        &["insert", "README.md", "--heading", "## Contributing", "--before", "-c", content],
    );
    assert_eq!(record["status"], "success");
    assert_eq!(record["linesChanged"], 0);
    assert_eq!(record["linesDelta"], 8);
    assert_eq!(record["resultLines"], json!({"start": line, "end": line + 7}));
    let expected = before.replace("## Contributing\n", &format!("{content}## Contributing\n"));
    assert_eq!(sandbox.text("README.md"), expected);
    let after = headings(&sandbox, "README.md");
    assert!(after.contains(&("Build Errors".to_owned(), line + 4)), "{after:?}");
    assert!(after.contains(&("Contributing".to_owned(), line + 8)), "{after:?}");
}

#[test]
fn a_code_block_is_replaced_by_its_number_in_the_outline() {
    let sandbox = files();
    let record = sandbox.run(&["inspect", "--json", "API.md"]).succeeds().json();
    let block = &record["structure"]["codeBlocks"][3];
    assert_eq!((&block["language"], &block["startLine"]), (&json!("typescript"), &json!(19)));
    let old = "const client = old();\nclient.call();\n";
    sandbox.run(&["read", "API.md", "--code-block", "3"]).succeeds().prints(old);
    let new = "const client = new Client({\n  baseUrl: 'https://api.example.org',\n});";
    let record = patch(&sandbox, &["replace", "API.md", "--code-block", "3", "-c", new]);
    assert_eq!(record["target"], json!({"codeBlock": {"index": 3}}));
    assert_eq!(record["affectedLines"], json!({"start": 20, "end": 21}));
    assert_eq!(record["linesDelta"], 1);
    assert_eq!(sandbox.text("API.md"), API.replace(old, &format!("{new}\n")));
}

#[test]
fn a_typo_is_corrected_where_a_search_found_it() {
    let sandbox = files();
    let search = ["inspect", "--json", "README.md", "--mode", "search", "--query", "recieve"];
    let found = sandbox.run(&search).succeeds().json();
    let line = &found["matches"][0]["line"];
    let record = patch(&sandbox, &["replace", "README.md", "--text", "recieve", "-c", "receive"]);
    assert_eq!(record["affectedLines"], json!({"start": line, "end": line}));
    assert_eq!(record["linesChanged"], 1);
    assert_eq!(record["preview"]["after"], "To set up, receive the key first.");
    assert_eq!(sandbox.text("README.md"), readme().replace("recieve", "receive"));
}

#[test]
fn the_line_of_a_key_in_a_section_is_replaced() {
    let sandbox = files();
    let record = sandbox.run(&["inspect", "--json", "app.conf"]).succeeds().json();
    assert_eq!(record["structure"]["sections"][1]["marker"], "[database]");
    let section = "[database]\n# where\nhost = localhost\nport = 5432\n\n";
    sandbox.run(&["read", "app.conf", "--section", "[database]"]).succeeds().prints(section);
    let line = "host = db.example.org";
    let record = patch(
        &sandbox,
        &["replace", "app.conf", "--section", "[database]", "--key", "host", "-c", line],
    );
    assert_eq!(record["target"], json!({"section": "[database]", "key": "host"}));
    assert_eq!(record["affectedLines"], json!({"start": 9, "end": 9}));
    assert_eq!(sandbox.text("app.conf"), CONF.replace("host = localhost", line));
}

#[test]
fn edits_by_heading_do_not_interfere() {
    let sandbox = files();
    let license = |sandbox: &Sandbox| headings(sandbox, "README.md").last().unwrap().1;
    let before = license(&sandbox);
    let usage = format!("## Usage\n\n{}\n", "Use it.\n".repeat(17));
    patch(&sandbox, &["insert", "README.md", "--section", "Setup", "-c", &usage]);
    // The old line numbers now refer to other lines.
    assert_eq!(license(&sandbox), before + 20);
    let record = patch(&sandbox, &["replace", "README.md", "--body", "License", "-c", "\nApache."]);
    assert_eq!(record["affectedLines"]["start"], before + 21);
    let expected = readme()
        .replace("\n## Contributing", &format!("\n{usage}## Contributing"))
        .replace("\nMIT.\n", "\nApache.\n");
    assert_eq!(sandbox.text("README.md"), expected);
    // Both edits in one batch, with line numbers from before the edits.
    let sandbox = files();
    let edits = json!([
        {"filePath": "README.md", "operation": "insert", "target": {"section": "Setup"},
         "content": usage},
        {"filePath": "README.md", "operation": "replace",
         "target": {"lines": {"start": before + 2, "end": before + 2}}, "content": "Apache."},
    ]);
    let apply = ["patch", "apply", "-", "--json"];
    let record = sandbox.run_with_input(&apply, edits.to_string()).succeeds().json_lines();
    assert_eq!((&record[2]["files"], &record[2]["edits"]), (&json!(1), &json!(2)));
    assert_eq!(sandbox.text("README.md"), expected);
}
