//! The JSON Schemas of the input. They accept all input that folio accepts, and folio refuses all
//! input that they refuse.

use std::io::{Cursor, Read};
use std::sync::{Arc, OnceLock};

use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::cli::subcommands;
use crate::patch::{PatchOptions, Request, WriteArgs};
use crate::read::ReadArgs;
use crate::{Code, Collected, Host, Stdin, patch, read};

fn validator(name: &'static str) -> &'static Validator {
    static EDITS: OnceLock<Validator> = OnceLock::new();
    static BATCH: OnceLock<Validator> = OnceLock::new();
    let validator = if name == "edits" { &EDITS } else { &BATCH };
    validator.get_or_init(|| {
        let (_, schema) = subcommands::schemas().find(|(known, _)| *known == name).unwrap();
        jsonschema::validator_for(&serde_json::from_str(&schema()).unwrap()).unwrap()
    })
}

fn takes_edits(value: &Value) -> bool {
    let write = WriteArgs { dry_run: true, ..WriteArgs::default() };
    let options =
        PatchOptions { edit: Request::apply(value.to_string()), write, ..PatchOptions::default() };
    // A missing file is not an error in the edits themselves.
    patch::run(&options, &Host::default(), &mut Collected::json()).is_ok()
}

/// Whether a line of `read --batch` for a missing file is accepted, so that it is not a usage
/// error.
fn takes_batch(value: &Value) -> bool {
    let line = value.to_string();
    let open = move || -> Box<dyn Read + Send> { Box::new(Cursor::new(line.clone())) };
    let stdin = Some(Stdin { is_data: || true, open: Arc::new(open) });
    let args = ReadArgs { batch: Some("-".into()), ..ReadArgs::default() };
    let mut collected = Collected::json();
    let outcome = read::run(args, &Host { stdin, ..Host::default() }, &mut collected);
    let errors = outcome.err().into_iter().chain(collected.errors);
    errors.into_iter().all(|error| error.code == Code::NotFound)
}

#[test]
fn edits_of_all_kinds_are_described() {
    let edit = json!({"filePath": "a", "operation": "delete", "target": {"section": "A"}});
    for edits in [
        edit.clone(),
        json!([edit, edit]),
        json!({"edits": [edit], "sequential": true}),
        json!({"address": "a#b", "operation": "rename", "content": "x", "linksIn": ["docs"]}),
        json!({"address": "a:1", "operation": "move", "to": "b#c", "before": true}),
        json!({"filePath": "a", "operation": "create", "content": "x"}),
        json!({"filePath": "a", "operation": "append", "content": "x", "wholeFile": true}),
        json!({"filePath": "a", "operation": "replace", "target": {"pattern": "x", "flags": "i"},
               "content": "y", "occurrence": 2, "ifMatch": "0123456789ab"}),
        json!({"filePath": "a", "operation": "replace", "target": {"text": "x"}, "content": "{{v}}",
               "set": {"v": "1"}, "occurrence": "all", "expect": 2}),
        json!({"filePath": "a", "operation": "replace", "content": "1",
               "target": {"key": "k", "section": "s", "value": true}}),
        json!({"filePath": "a", "operation": "replace", "content": "1",
               "target": {"frontMatter": {"key": "title"}, "value": true}}),
    ] {
        assert!(takes_edits(&edits), "{edits}");
        let errors: Vec<_> =
            validator("edits").iter_errors(&edits).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{edits}: {errors:?}");
    }
}

#[test]
fn input_that_a_schema_forbids_is_refused() {
    for edits in [
        json!([]),
        json!({"edits": []}),
        json!({"operation": "delete"}),
        json!({"filePath": "a", "operation": "rewrite"}),
        json!({"filePath": "a", "address": "a", "operation": "create", "content": "x"}),
        json!({"filePath": "a", "operation": "delete", "target": {}}),
        json!({"filePath": "a", "operation": "delete", "target": {"sektion": "A"}}),
        json!({"filePath": "a", "operation": "delete", "target": {"lines": {"start": 0}}}),
        json!({"filePath": "a", "operation": "delete", "target": {"text": ""}}),
        json!({"filePath": "a", "operation": "delete", "target": {"text": "x", "flags": "i"}}),
        json!({"filePath": "a", "operation": "delete", "target": {"text": "x"}, "occurrence": 0}),
        json!({"filePath": "a", "operation": "delete", "target": {"text": "x"}, "ifMatch": "12"}),
        json!({"filePath": "a", "operation": "create", "content": "x", "wild": true}),
    ] {
        assert!(!validator("edits").is_valid(&edits), "{edits}");
        assert!(!takes_edits(&edits), "{edits}");
    }
    for line in [
        json!({}),
        json!({"target": {"section": "A"}}),
        json!({"filePath": "a", "target": {}}),
        json!({"filePath": "a", "target": {"limit": 0}}),
        json!({"filePath": "a", "target": {"from": 0, "limit": 1}}),
        json!({"filePath": "a", "target": {"ranges": []}}),
        json!({"filePath": "a", "target": {"section": "A", "flags": "i"}}),
        json!({"filePath": "a", "address": "a"}),
    ] {
        assert!(!validator("batch").is_valid(&line), "{line}");
        assert!(!takes_batch(&line), "{line}");
    }
}

/// Generates objects with some of these fields.
fn object(fields: Vec<(&'static str, Vec<Value>)>) -> impl Strategy<Value = Value> {
    let chosen: Vec<_> = fields
        .into_iter()
        .map(|(name, values)| {
            let field = proptest::sample::select(values).prop_map(move |value| (name, value));
            proptest::option::weighted(0.2, field)
        })
        .collect();
    chosen.prop_map(|fields| {
        let fields = fields.into_iter().flatten();
        Value::Object(fields.map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
    })
}

fn texts() -> Vec<Value> {
    vec![json!("a"), json!("A > B"), json!(""), json!(1)]
}

fn numbers() -> Vec<Value> {
    vec![json!(0), json!(1), json!(7), json!(-1), json!("1")]
}

fn yes_or_no() -> Vec<Value> {
    vec![json!(true), json!(false)]
}

fn target_fields() -> Vec<(&'static str, Vec<Value>)> {
    let lines = || vec![json!({"start": 1}), json!({"start": 2, "end": 3}), json!({"end": 3})];
    vec![
        ("lines", lines()),
        ("ranges", vec![json!([{"start": 1}]), json!([])]),
        ("section", texts()),
        ("body", texts()),
        ("heading", vec![json!("A"), json!({"text": "A", "includeChildren": false}), json!({})]),
        ("includeChildren", yes_or_no()),
        ("codeBlock", vec![json!({"index": 0}), json!({"index": 1, "language": "sh"}), json!({})]),
        ("table", vec![json!({"index": 0}), json!({"index": -1}), json!({})]),
        ("anchor", texts()),
        ("key", texts()),
        ("value", yes_or_no()),
        ("frontMatter", vec![json!({}), json!({"key": "k"}), json!({"k": 1})]),
        ("text", texts()),
        ("pattern", texts()),
        ("flags", vec![json!("i"), json!("gmu"), json!("x"), json!("")]),
        ("wholeFile", yes_or_no()),
        ("search", vec![json!({"query": "a"}), json!({"query": "", "contextLines": 1})]),
        ("contextLines", numbers()),
        ("from", numbers()),
        ("toNext", texts()),
        ("toSectionEnd", yes_or_no()),
        ("limit", numbers()),
        ("outsideCode", yes_or_no()),
        ("sectionContext", yes_or_no()),
        ("head", numbers()),
        ("tail", numbers()),
        ("in", texts()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1024, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn accepted_edits_match_the_schema(
        target in proptest::option::of(object(target_fields())),
        edit in object(vec![
            ("address", vec![json!("a#b"), json!("a:1-2"), json!("")]),
            ("content", texts()),
            ("to", texts()),
            ("before", yes_or_no()),
            ("after", yes_or_no()),
            ("occurrence", vec![json!(1), json!(0), json!("all"), json!("2"), json!("none")]),
            ("unique", yes_or_no()),
            ("expect", numbers()),
            ("expand", yes_or_no()),
            ("ignoreCase", yes_or_no()),
            ("outsideCode", yes_or_no()),
            ("multiline", yes_or_no()),
            ("ignoreWhitespace", yes_or_no()),
            ("preserveIndent", yes_or_no()),
            ("linksIn", vec![json!([]), json!(["a"]), json!("a")]),
            ("links", yes_or_no()),
            ("set", vec![json!({}), json!({"a": "b"}), json!({"a": 1})]),
            ("ifMatch", vec![json!("0123456789abcdef"), json!("0123")]),
            ("in", texts()),
            ("wholeFile", yes_or_no()),
        ]),
        operation in proptest::sample::select(vec![
            "replace", "insert", "append", "delete", "rename", "move", "copy", "create", "undo",
        ]),
    ) {
        let mut edit = edit;
        edit["operation"] = operation.into();
        if edit.get("address").is_none() {
            edit["filePath"] = "a".into();
        }
        if let Some(target) = target {
            edit["target"] = target;
        }
        let errors: Vec<_> = validator("edits").iter_errors(&edit).map(|e| e.to_string()).collect();
        prop_assert!(errors.is_empty() || !takes_edits(&edit), "{edit}: {errors:?}");
    }

    #[test]
    fn accepted_targets_match_the_schema(target in object(target_fields())) {
        let line = json!({"filePath": "a", "target": &target});
        let is_valid = validator("batch").is_valid(&line);
        let is_taken = takes_batch(&line);
        prop_assert!(is_valid || !is_taken, "{line}");
    }
}
