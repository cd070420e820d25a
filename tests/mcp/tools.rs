//! The lists of tools, their schemas, and calls with wrong names.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Called, Client, sandbox};
use crate::support::Sandbox;

fn listed(arguments: &[&str]) -> Vec<Value> {
    let mut client = Client::new(&sandbox(), arguments);
    let listed = client.request("tools/list", json!({}));
    listed["result"]["tools"].as_array().unwrap().clone()
}

#[test]
fn the_option_for_sections_without_headings_is_listed() {
    let mut client = Client::new(&sandbox(), &[]);
    let body = client.call("read", json!({"address": "a.md", "body": "Install"})).first();
    assert!(!body.is_empty() && !body.contains("## Install"), "{body}");
    for (tool, parameter) in [("read", "/body"), ("patch", "/section")] {
        let tools = listed(&[]);
        let tool = tools.iter().find(|candidate| candidate["name"] == tool).unwrap();
        let about = tool.pointer(&format!("/inputSchema/properties{parameter}/description"));
        assert!(about.unwrap().as_str().unwrap().contains("without"), "{tool}");
    }
}

#[test]
fn lists_of_tools_are_short() {
    for (set, most) in [("core", 13_200), ("all", 41_500)] {
        let tools = Value::from(listed(&["--tools", set])).to_string();
        assert!(tools.len() <= most, "{set}: {} bytes", tools.len());
    }
}

const CORE: [&str; 8] = ["inspect", "read", "grep", "list", "links", "patch", "undo", "search"];

/// Clients support different parts of JSON Schema. The schemas use only parts that all of them
/// support.
#[test]
#[cfg_attr(not(feature = "search"), ignore = "needs the feature search")]
fn schemas_contain_nothing_that_a_client_refuses() {
    fn check(schema: &Value, place: &str) {
        let Value::Object(fields) = schema else { panic!("{place}: {schema}") };
        assert!(fields["type"].is_string(), "{place}: {schema}");
        let known = [
            "type",
            "description",
            "properties",
            "required",
            "items",
            "enum",
            "default",
            "minimum",
            "maximum",
        ];
        for name in fields.keys() {
            assert!(known.contains(&name.as_str()), "{place}: {name}");
        }
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            assert!(name.chars().all(is_plain), "{place}: {name}");
            check(property, &format!("{place}.{name}"));
        }
        if fields["type"] == "array" {
            check(&schema["items"], &format!("{place}[]"));
        }
    }
    let tools = listed(&["--tools", "all"]);
    let mut names = BTreeSet::new();
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        assert!(names.insert(name), "{name}");
        assert!("folio__".len() + name.len() < 60, "{name}");
        let input = &tool["inputSchema"];
        check(input, name);
        assert!(input["properties"].is_object(), "{name}");
        jsonschema::meta::validate(input).expect(name);
        if tool["outputSchema"].is_object() {
            check(&tool["outputSchema"], name);
            jsonschema::meta::validate(&tool["outputSchema"]).expect(name);
        }
        let examples = tool["description"].as_str().unwrap().matches("\n{").count();
        assert!(examples >= 1, "{name} has no example");
    }
    let core = tools.iter().filter(|tool| CORE.contains(&tool["name"].as_str().unwrap()));
    for tool in core {
        assert!(tool["inputSchema"]["properties"].as_object().unwrap().len() <= 16);
    }
    let names: Vec<Value> = listed(&[]).into_iter().map(|mut tool| tool["name"].take()).collect();
    assert_eq!(names, CORE);
    assert_eq!(tools.len(), 29);
}

/// Models copy examples, so each example must be a valid call.
#[test]
fn examples_in_descriptions_are_calls() {
    for tool in listed(&["--tools", "all"]) {
        let name = tool["name"].as_str().unwrap();
        let validator = jsonschema::validator_for(&tool["inputSchema"]).unwrap();
        let lines = tool["description"].as_str().unwrap().lines();
        for line in lines.filter(|line| line.starts_with('{')) {
            let example: Value = serde_json::from_str(line).expect(line);
            assert!(validator.is_valid(&example), "{name}: {line}");
            for field in example.as_object().unwrap().keys() {
                assert!(tool["inputSchema"]["properties"][field].is_object(), "{name}: {field}");
            }
        }
    }
}

#[test]
fn writing_tools_are_marked_and_can_be_excluded() {
    let tools = listed(&["--tools", "all"]);
    let writers: BTreeSet<String> = tools
        .iter()
        .filter(|tool| tool["annotations"]["readOnlyHint"] == false)
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect();
    assert!(writers.contains("patch") && !writers.contains("read"), "{writers:?}");
    for tool in &tools {
        assert_eq!(tool["annotations"]["openWorldHint"], false);
    }
    let left: BTreeSet<String> = listed(&["--tools", "all", "--read-only"])
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect();
    assert!(left.is_disjoint(&writers));
    assert_eq!(left.len() + writers.len(), tools.len());
}

#[test]
fn an_unknown_set_is_reported_with_the_known_sets() {
    let sandbox = sandbox();
    let outcome = sandbox.run(&["mcp", "--tools", "core,tekst"]).exits(2);
    outcome.tells("unknown set 'tekst'").tells("core, fs-mcp, text");
}

#[test]
fn unknown_tools_and_arguments_get_suggestions() {
    let sandbox = sandbox();
    let mut client = Client::new(&sandbox, &[]);
    let (code, message) = client.call("raed", json!({})).fault();
    assert_eq!(code, -32602);
    assert!(message.contains("unknown tool 'raed'; read  # similar"), "{message}");
    client.call("read", json!({"adress": "a.md"})).fails("hint: address  # similar");
    client.call("grep", json!({"pattern": "a", "ignoreCase": true})).fails("hint: ignore_case");
    client.call("read", json!({"address": "-"})).fails("standard input");
    let list = json!({"name": "read", "arguments": ["a.md"]});
    let answer = client.request("tools/call", list);
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let text = json!({"name": "read", "arguments": "{\"address\":\"a.md:1\"}"});
    let answer = Called(client.request("tools/call", text));
    assert_eq!(answer.first(), "# Guide\n");
    let nothing = Called(client.request("tools/call", json!({"name": "list"})));
    assert!(nothing.first().contains("a.md"), "{nothing:?}");
    client
        .call("read", json!({"address": "x".repeat(1 << 20)}))
        .fails("more than the maximum for a path");
    client.call("read", json!({"address": "a\u{0}b"})).fails("a");
}

#[test]
fn tools_can_be_called_from_a_shell() {
    let sandbox = sandbox();
    let input = r#"{"address":"a.md","section":"Install"}"#;
    let outcome = sandbox.run_with_input(&["call", "read"], input).exits(0);
    assert!(outcome.text().starts_with("## Install\n\nRun make.\n"), "{outcome}");
    let input = r#"{"address":"a.md","section":"No"}"#;
    let outcome = sandbox.run_with_input(&["call", "read"], input).exits(1);
    assert_eq!(outcome.json_errors()[0].code, "TARGET_NOT_FOUND");
    assert!(outcome.stdout.is_empty());
    // An error of the file system is an answer of the tool, but a failure of `call`.
    let outcome = sandbox.run_with_input(&["call", "fs_read"], r#"{"path":"no.md"}"#).exits(2);
    assert_eq!(outcome.json_text()["error"]["code"], "NOT_FOUND");
    sandbox.run_with_input(&["call", "raed"], "{}").exits(2).tells("unknown tool 'raed'");
    sandbox.run_with_input(&["call", "read"], "[]").exits(2).tells("an object is needed");
    sandbox.run(&["call"]).exits(2).tells("folio call --list");
    let names = sandbox.run(&["call", "--list"]).succeeds().text();
    for line in names.lines() {
        let name = line.split('\t').nth(1).unwrap();
        let schema = sandbox.run(&["schema", &format!("mcp:{name}")]).succeeds().json_text();
        assert_eq!(schema["type"], "object", "{name}");
    }
    sandbox.run(&["schema", "read_files"]).succeeds();
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
