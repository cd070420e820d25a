//! The messages in the tables in `messages/`, in the form in which MCP clients get them. They must
//! not contain shell commands.

use std::fs;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::Client;
use crate::generated::{root, shell};
use crate::support::{Sandbox, outcome};

/// One-letter options, with the parameters that replace them.
const LETTERS: &[(&str, &str)] = &[
    ("-C", "context"),
    ("-F", "fixed_strings"),
    ("-O", "outline"),
    ("-W", "section_context"),
    ("-d", "dry_run"),
    ("-e", "extension"),
    ("-g", "glob"),
    ("-i", "ignore_case"),
    ("-k", "section_hints"),
    ("-l", "files_with_matches"),
];

/// The operands before the options of a command.
fn operands(tool: &str) -> &'static [&'static str] {
    match tool {
        "grep" => &["pattern", "path"],
        "patch" => &["operation", "address"],
        "list" => &["path"],
        "search" => &["query"],
        _ => &["address"],
    }
}

/// Returns the words of a line that runs only folio.
fn words(sandbox: &Sandbox, line: &str) -> Option<Vec<String>> {
    let rest = line.strip_prefix("folio ")?;
    if rest.contains(['|', '<', '>', ';', '&', '$', '`']) {
        return None;
    }
    let printed = outcome(&mut shell(sandbox, &format!("printf '%s\\n' {rest}")), b"").text();
    Some(printed.lines().map(str::to_owned).collect())
}

/// Returns the equivalent call, if there is one.
fn call_of(words: &[String], tools: &[Value], sandbox: &Sandbox) -> Option<(String, Value)> {
    let (tool, rest) = words.split_first()?;
    let known = tools.iter().find(|other| other["name"] == **tool)?;
    let properties = &known["inputSchema"]["properties"];
    let mut arguments = Map::new();
    let mut positions = operands(tool).iter();
    let mut rest = rest.iter();
    while let Some(word) = rest.next() {
        let is_flag = word.starts_with('-') && word.len() > 1;
        let (flag, given) = match word.split_once('=').filter(|_| word.starts_with("--")) {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (&**word, None),
        };
        let letter = || LETTERS.iter().find(|(letter, _)| *letter == flag);
        let name = match flag.strip_prefix("--") {
            _ if !is_flag => (*positions.next()?).to_owned(),
            Some(name) => name.replace('-', "_"),
            None if flag == "-c" && tool == "patch" => "content".to_owned(),
            None if flag == "-c" => "collection".to_owned(),
            None => letter()?.1.to_owned(),
        };
        let kind = properties[&name]["type"].as_str()?;
        let mut value = || {
            if is_flag {
                given.clone().or_else(|| rest.next().cloned())
            } else {
                Some(word.clone())
            }
        };
        let value = match kind {
            "boolean" => json!(true),
            "array" => json!([value()?]),
            _ => json!(value()?),
        };
        arguments.insert(name, value);
    }
    if tool == "patch" && arguments.get("operation")? == "apply" {
        let file = arguments.remove("address")?;
        let text = fs::read_to_string(sandbox.path(file.as_str()?)).ok()?;
        arguments.insert("edits".to_owned(), serde_json::from_str(&text).ok()?);
    }
    Some((tool.clone(), arguments.into()))
}

/// Returns faults in the texts of an answer. The first text is output, which may contain anything.
/// Quoted text is not a message of folio.
fn faults(texts: &[String], is_error: bool) -> Vec<String> {
    let answers = texts.iter().skip(usize::from(!is_error));
    let lines = answers.flat_map(|text| text.lines());
    let bare =
        |line: &str| -> String { line.split('\'').step_by(2).collect::<Vec<_>>().join("''") };
    let is_wrong = |line: &&str| {
        let line = bare(line);
        line.contains("folio ") || line.contains(" --") || line.starts_with("--")
    };
    lines.filter(is_wrong).map(str::to_owned).collect()
}

#[test]
fn no_message_suggests_typing_a_command() {
    let mut tables: Vec<PathBuf> = fs::read_dir(root().join("tests/messages"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    tables.sort();
    let (mut failures, mut calls, mut errors) = (Vec::new(), 0, 0);
    for table in tables {
        let table = fs::read_to_string(table).unwrap();
        for scene in table.split("\n== ").skip(1) {
            let sandbox = Sandbox::new();
            let mut client = None;
            for line in scene.lines() {
                if let Some(command) = line.strip_prefix("> ") {
                    outcome(&mut shell(&sandbox, command), b"");
                }
                let Some(command) = line.strip_prefix("$ ") else { continue };
                let client = client.get_or_insert_with(|| {
                    let mut client = Client::new(&sandbox, &["--timeout", "5"]);
                    let listed = client.request("tools/list", json!({}));
                    (client, listed["result"]["tools"].as_array().unwrap().clone())
                });
                let Some(words) = words(&sandbox, command) else { continue };
                let Some((tool, arguments)) = call_of(&words, &client.1, &sandbox) else {
                    continue;
                };
                let called = client.0.call(&tool, arguments);
                calls += 1;
                errors += usize::from(called.is_error());
                let found = faults(&called.blocks(), called.is_error());
                failures.extend(found.into_iter().map(|fault| format!("{command}\n  {fault}")));
            }
        }
    }
    assert!(failures.is_empty(), "{} of {calls}:\n{}", failures.len(), failures.join("\n"));
    assert!(calls >= 200 && errors >= 100, "{calls} calls, {errors} errors");
}
