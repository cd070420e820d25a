//! Several edits in a batch: independent, or one after the other.

use serde_json::{Value, json};

use super::apply_edits;
use crate::support::Sandbox;

#[test]
fn edits_in_json_refer_to_the_original_files() {
    let sandbox = Sandbox::with(&[("a.md", "1\n2\n3\n"), ("b.md", "x\n")]);
    sandbox.write(
        "edits.json",
        r#"[
        {"filePath":"a.md","operation":"insert","target":{"lines":{"start":1,"end":1}},"content":"0\n"},
        {"filePath":"a.md","operation":"replace","target":{"lines":{"start":3,"end":3}},"content":"three"},
        {"address":"b.md:1","operation":"copy","to":"a.md:2"}
    ]"#,
    );
    let lines = sandbox.run(&["patch", "apply", "edits.json", "--json"]).succeeds().json_lines();
    assert_eq!(std::fs::read_to_string(sandbox.path("a.md")).expect("text"), "0\n1\n2\nx\nthree\n");
    assert_eq!(lines[1]["resultLines"]["start"], 5);
    assert_eq!(lines[2]["to"]["resultLines"]["start"], 4);
    sandbox.write(
        "overlap.json",
        r#"[
        {"filePath":"a.md","operation":"delete","target":{"lines":{"start":1,"end":2}}},
        {"filePath":"a.md","operation":"replace","target":{"lines":{"start":2}},"content":"y"}
    ]"#,
    );
    sandbox.run(&["patch", "apply", "overlap.json", "--json"]).exits(4).tells("OVERLAPPING_EDITS");
    sandbox.write(
        "steps.json",
        r#"{"sequential":true,"edits":[
        {"filePath":"a.md","operation":"delete","target":{"lines":{"start":1,"end":2}}},
        {"filePath":"a.md","operation":"replace","target":{"lines":{"start":1,"end":1}},"content":"y"}
    ]}"#,
    );
    sandbox.run(&["patch", "apply", "steps.json"]).succeeds();
    assert_eq!(std::fs::read_to_string(sandbox.path("a.md")).expect("text"), "y\nx\nthree\n");
}

#[test]
fn a_sequential_edit_applies_to_a_file_that_a_section_was_moved_to() {
    for operation in ["move", "copy"] {
        let sandbox = Sandbox::with(&[("a.md", "# A\n\n## B\nb\n")]);
        let edits = json!({"sequential": true, "edits": [
            {"filePath": "a.md", "operation": operation, "target": {"section": "B"}, "to": "c.md"},
            {"filePath": "c.md", "operation": "replace", "text": "b", "content": "c"},
        ]});
        let edits = edits.to_string();
        sandbox.run_with_input(&["patch", "apply", "-"], edits.as_bytes()).exits(0);
        sandbox.run(&["read", "c.md"]).prints("## B\nc\n");
    }
}

/// Applies edits to `FILE`, and returns its new content, or the message of the error.
fn text_after_batch(file: &str, text: &str, edits: Value) -> String {
    let sandbox = Sandbox::with(&[(file, text)]);
    let mut edits = edits;
    for edit in edits.as_array_mut().unwrap() {
        edit["address"] = file.into();
    }
    let outcome = sandbox.run_with_input(&["patch", "apply", "-"], edits.to_string().as_bytes());
    match outcome.status {
        Some(0) => std::fs::read_to_string(sandbox.path(file)).unwrap(),
        _ => outcome.errors().lines().next().unwrap().to_owned(),
    }
}

/// Each content is inserted in the part that its edit names, in whatever order the edits are given.
#[test]
fn insertions_at_the_same_place_belong_to_their_parts() {
    let text = "# A\n\n## B\n\nb\n\n## C\n\nc\n";
    let new = json!({"operation": "insert", "section": "B", "after": true, "content": "## N\n"});
    let more = json!({"operation": "append", "section": "B", "content": "more"});
    let expected = "# A\n\n## B\n\nb\n\nmore\n\n## N\n\n## C\n\nc\n";
    for edits in [json!([new, more]), json!([more, new])] {
        assert_eq!(text_after_batch("a.md", text, edits), expected);
    }
    let table = "# A\n\n| a |\n|---|\n";
    let row = json!({"operation": "append", "table": 0, "content": "| 1 |"});
    let text_after = json!({"operation": "append", "section": "A", "content": "x"});
    let edits = json!([text_after, row]);
    assert_eq!(text_after_batch("a.md", table, edits), "# A\n\n| a |\n|---|\n| 1 |\n\nx\n");
    let edits = json!([
        {"operation": "append", "content": "[LOG-2] b"},
        {"operation": "append", "section": "LOG-1", "content": "more"},
    ]);
    assert_eq!(text_after_batch("a.log", "[LOG-1] a\n", edits), "[LOG-1] a\nmore\n[LOG-2] b\n");
    let edits = json!([
        {"operation": "set", "key": "t.x", "content": "1"},
        {"operation": "set", "key": "s.y", "content": "2"},
        {"operation": "set", "key": "s.z", "content": "3"},
    ]);
    assert_eq!(text_after_batch("a.ini", "[s]\nk=1\n", edits), "[s]\nk=1\ny=2\nz=3\n\n[t]\nx=1\n");
    let edits = json!([
        {"operation": "insert", "section": "A", "before": true, "content": "x"},
        {"operation": "set", "frontMatter": true, "key": "k", "content": "v"},
    ]);
    assert_eq!(text_after_batch("a.md", "# A\n", edits), "---\nk: v\n---\n\nx\n\n# A\n");
}

#[test]
fn edits_that_only_make_sense_one_after_the_other_are_refused() {
    let set = |key: &str| json!({"operation": "set", "key": key, "content": "9"});
    let refused = |file: &str, text: &str, edits: Value| {
        let message = text_after_batch(file, text, edits);
        let reasons = ["together", " overlap"];
        let is_refused = message.starts_with("folio patch: ");
        assert!(is_refused && reasons.iter().any(|it| message.contains(it)), "{message}");
    };
    refused("a.ini", "[a]\n", json!([set("b.x"), set("b.y")]));
    refused("a.ini", "[a]\n", json!([set("a.x"), set("a.x")]));
    let rename = json!({"operation": "rename", "key": "a.k", "content": "x"});
    refused("a.ini", "[a]\nk=1\n", json!([rename, set("a.x")]));
    let delete = json!({"operation": "delete", "section": "a"});
    refused("a.ini", "[a]\nk=1\n", json!([delete, set("a.x")]));
    let append = json!({"operation": "append", "section": "B", "content": "x"});
    let delete = json!({"operation": "delete", "section": "B"});
    refused("a.md", "# A\n\n## B\n\nb\n", json!([append, delete]));
    let set =
        |key: &str| json!({"operation": "set", "frontMatter": true, "key": key, "content": "9"});
    refused("a.md", "# A\n", json!([set("x"), set("y")]));
    // Sections and keys that are repeated already are kept.
    let set = |key: &str| json!({"operation": "set", "key": key, "content": "9"});
    let kept =
        text_after_batch("a.ini", "[a]\nk=1\nk=2\n[b]\n[b]\n", json!([set("a.x"), set("c.y")]));
    assert_eq!(kept, "[a]\nk=1\nk=2\nx=9\n[b]\n[b]\n[c]\ny=9\n");
}

/// Several edits of a tree of keys are verified together.
#[test]
fn many_keys_are_edited_at_once() {
    let edits = json!([
        {"operation": "set", "key": "a", "content": "9"},
        {"operation": "rename", "key": "b.c", "content": "n"},
        {"operation": "delete", "key": "b.d"},
        {"operation": "set", "key": "b.e.f", "content": "x"},
        {"operation": "set", "key": "g", "content": "z"},
    ]);
    for (file, text, expected) in [
        (
            "a.yml",
            "a: 1\nb:\n  c: {x: 2}\n  d: 3\n",
            "a: 9\nb:\n  n: {x: 2}\n  e:\n    f: x\ng: z\n",
        ),
        (
            "a.toml",
            "a = 1\n[b]\nc.x = 2\nd = 3\n",
            "a = 9\ng = \"z\"\n[b]\nn.x = 2\n[b.e]\nf = \"x\"\n",
        ),
        (
            "a.json",
            "{\"a\":1,\"b\":{\"c\":2,\"d\":3}}\n",
            "{\"a\":9,\"b\":{\"n\":2,\"e\":{\"f\":\"x\"}},\"g\":\"z\"}\n",
        ),
    ] {
        assert_eq!(text_after_batch(file, text, edits.clone()), expected);
    }
    // The error is that of the edit by itself.
    let edits = json!([
        {"operation": "set", "key": "c", "content": "1"},
        {"operation": "rename", "key": "b", "content": "a"},
    ]);
    let message = text_after_batch("a.yml", "a: 1\nb: 2\n", edits);
    assert!(message.contains("edit 2: line 2: there is already a key 'a'"), "{message}");
    // A key that is an anchor cannot be deleted while an alias refers to it.
    let edits = json!([
        {"operation": "delete", "key": "a"},
        {"operation": "set", "key": "c", "content": "1"},
    ]);
    let message = text_after_batch("a.yml", "a: &x 1\nb: *x\n", edits);
    assert!(message.contains("edit 1: "), "{message}");
    // Both deletions together leave an empty mapping.
    let edits =
        json!([{"operation": "delete", "key": "m.a"}, {"operation": "delete", "key": "m.b"}]);
    let text = text_after_batch("a.yml", "m:\n  a: 1\n  b: 2\nc: 3\n", edits);
    assert_eq!(text, "m: {}\nc: 3\n");
}

#[test]
fn lines_of_one_name_are_appended_together() {
    let append = |content: &str| json!({"operation": "append", "section": "S", "content": content});
    let edits = json!([append("E=1"), append("E=2")]);
    assert_eq!(text_after_batch("a.service", "[S]\nk=1\n", edits), "[S]\nk=1\nE=1\nE=2\n");
    let set = json!({"operation": "set", "key": "S.E", "content": "3"});
    let message = text_after_batch("a.service", "[S]\nk=1\n", json!([append("E=1"), set]));
    assert!(message.contains("would repeat a section or a key"), "{message}");
}

/// Another insertion does not hide that the part is deleted.
#[test]
fn nothing_is_appended_to_a_deleted_part() {
    let text = "# T\n\n## A\n\na\n\n### S\n\ns\n";
    let edits = json!([
        {"operation": "delete", "section": "A"},
        {"operation": "insert", "section": "S", "after": true, "content": "x"},
        {"operation": "append", "section": "A", "content": "y"},
    ]);
    let message = text_after_batch("a.md", text, edits);
    assert!(message.contains(" overlap"), "{message}");
}

#[test]
fn several_texts_are_replaced_together_or_not_at_all() {
    let sandbox = Sandbox::with(&[("a.txt", "alpha\nbeta\n")]);
    let edit = |old: &str, new: &str| {
        json!({"filePath": "a.txt", "operation": "replace", "target": {"text": old},
               "content": new, "unique": true})
    };
    let apply = |edits: Value| {
        sandbox.run_with_input(&["patch", "apply", "-", "--json"], edits.to_string())
    };
    apply(json!([edit("alpha", "one"), edit("none", "two")])).exits(1).tells("TARGET_NOT_FOUND");
    assert_eq!(sandbox.text("a.txt"), "alpha\nbeta\n");
    apply(json!([edit("alpha", "one"), edit("beta", "two")])).succeeds();
    assert_eq!(sandbox.text("a.txt"), "one\ntwo\n");
    // In a sequential batch, the second edit finds the result of the first.
    let steps = json!({"sequential": true, "edits": [edit("one", "x"), edit("x", "y")]});
    apply(steps).succeeds();
    assert_eq!(sandbox.text("a.txt"), "y\ntwo\n");
}

#[test]
fn steps_can_edit_a_file_created_by_an_earlier_step() {
    let sandbox = Sandbox::new();
    let edits = json!({"sequential": true, "edits": [
        {"filePath": "n.md", "operation": "create", "content": "# N\n"},
        {"filePath": "n.md", "operation": "append", "target": {"section": "N"}, "content": "x"},
        {"filePath": "n.md", "operation": "rename", "target": {"heading": "N"}, "content": "M"},
    ]});
    let apply = ["patch", "apply", "-", "--json"];
    sandbox.run_with_input(&apply, edits.to_string()).exits(0);
    assert_eq!(std::fs::read_to_string(sandbox.path("n.md")).unwrap(), "# M\n\nx\n");
}

#[test]
fn a_batch_can_copy_to_a_file_that_it_creates() {
    for sequential in [false, true] {
        let sandbox = Sandbox::with(&[("a.md", "# A\n\na\n")]);
        let edits = json!({"sequential": sequential, "edits": [
            {"filePath": "n.md", "operation": "create", "content": "# N\n"},
            {"filePath": "a.md", "operation": "copy", "target": {"section": "A"}, "to": "n.md"},
            {"filePath": "n.md", "operation": "append", "content": "x"},
        ]});
        sandbox.run_with_input(&["patch", "apply", "-"], edits.to_string()).exits(0);
        let new = std::fs::read_to_string(sandbox.path("n.md")).unwrap();
        assert_eq!(new, "# N\n\n# A\n\na\n\nx\n", "{sequential}");
    }
}

#[test]
fn a_sequential_batch_may_pass_through_invalid_text() {
    let sandbox = Sandbox::with(&[("a.json", "{\"a\": \"x\"}\n")]);
    let edits = r#"{"sequential":true,"edits":[
        {"filePath":"a.json","operation":"replace","target":{"text":"{"},"content":"["},
        {"filePath":"a.json","operation":"replace","target":{"text":"\"a\": \"x\"}"},"content":"1]"}]}"#;
    sandbox.run_with_input(&["patch", "apply", "-"], edits).exits(0);
    assert_eq!(std::fs::read_to_string(sandbox.path("a.json")).unwrap(), "[1]\n");
}

#[test]
fn every_error_of_several_edits_has_the_number_of_its_edit() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n\nx\n\n# B\n")]);
    let good = r#"{"filePath":"a.md","operation":"replace","target":{"text":"x"},"content":"y"}"#;
    for (bad, message) in [
        (
            r#"{"filePath":"a.md","operation":"delete","target":{"text":"z"}}"#,
            "edit 2: text not found",
        ),
        (r#"{"filePath":"a.md","operation":"delete","target":{"section":"Z"}}"#, "edit 2: no sec"),
        (r#"{"filePath":"no.md","operation":"append","content":"x"}"#, "edit 2: No such file"),
        (
            r#"{"filePath":"a.md","operation":"insert","target":{"lines":{"start":4}},"content":"```"}"#,
            "edits 1, 2: this would",
        ),
        (
            r#"{"filePath":"a.md","operation":"move","target":{"section":"A"},"to":"no/a.md"}"#,
            "edit 2: its directory",
        ),
    ] {
        for flags in [&["patch", "apply", "-"][..], &["patch", "apply", "-", "--json"]] {
            sandbox.run_with_input(flags, format!("[{good},{bad}]")).tells(message);
        }
    }
}

#[test]
fn messages_quote_user_text_unchanged() {
    for (edit, message) in [
        (r#""operation":"a --foo-bar b""#, "unknown operation 'a --foo-bar b'"),
        (
            r#""operation":"delete","target":{"text":"x"},"occurrence":"a --foo-bar""#,
            "occurrence: 'a --foo-bar' is not first, last, all or a number from 1",
        ),
        (
            r#""operation":"delete","target":{"text":"x"},"ifRangeMatch":"x --y-z""#,
            "ifRangeMatch: 'x --y-z' is not a checksum",
        ),
    ] {
        let edit = format!(r#"{{"filePath":"a.md",{edit}}}"#);
        apply_edits("a.md", "x\n", &edit).0.exits(2).tells(message);
    }
}

#[test]
fn errors_about_edits_in_json_use_field_names() {
    let checksum = "0123456789ab";
    for (edit, message) in [
        (
            r#""operation":"delete","target":{"text":"x"},"unique":true,"expect":1"#.to_owned(),
            "unique cannot be used with expect",
        ),
        (
            format!(
                r#""operation":"delete","target":{{"text":"x"}},"occurrence":"all","ifRangeMatch":"{checksum}""#
            ),
            "ifRangeMatch needs a part",
        ),
        (
            r#""operation":"replace","target":{"pattern":"x"},"content":"$9","expand":true"#
                .to_owned(),
            ": expand: the pattern has no group '9'",
        ),
        (
            r#""operation":"replace","target":{"text":"x"},"content":"y","set":{"a":"b"}"#
                .to_owned(),
            ": set: the content does not contain {{a}}",
        ),
    ] {
        let edit = format!(r#"{{"filePath":"a.md",{edit}}}"#);
        apply_edits("a.md", "x x\n", &edit).0.exits(2).tells(message);
    }
    let edit = r#"{"filePath":"a.md","operation":"delete","target":{"text":"x"},"unique":true}"#;
    apply_edits("a.md", "x x\n", edit).0.exits(3).tells(r#""occurrence":"all""#);
}
