//! Entries of TOML, YAML, JSON, `.env` and `.properties` by key path.

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::edits::{self, edit, makes};

const CARGO: &str = "\
[package]
name = \"x\" # the name
version = \"0.1.0\"

# Libraries.
[dependencies]
serde = { version = \"1\", features = [\"derive\"] }
";

const CI: &str = "\
name: CI
on:
  push:
    branches: [main, dev] # all
env: &env
  A: '1'
jobs:
  test:
    env: *env
    steps:
      - uses: actions/checkout@v4
      # Tests.
      - name: Test
        run: |
          cargo test
";

const PACKAGE: &str = "{\n  \"name\": \"x\",\n  \"scripts\": {\n    \"a.b\": \"c\"\n  }\n}\n";

#[track_caller]
fn value(name: &str, text: &str, key: &str, expected: &str) {
    let sandbox = Sandbox::with(&[(name, text)]);
    sandbox.run(&["read", name, "--key", key, "--value"]).exits(0).prints(format!("{expected}\n"));
}

#[track_caller]
fn refused(name: &str, text: &str, arguments: &[&str], status: i32, message: &str) {
    edits::refused(name, text, arguments, status, message);
}

#[test]
fn a_line_added_at_the_end_has_its_own_number() {
    for (name, text, set) in [
        (".env", "A=1\nB=2\n", "C"),
        ("a.yml", "a: 1\nb: 2\n", "c"),
        ("a.toml", "a = 1\nb = 2\n", "c"),
    ] {
        let sandbox = Sandbox::with(&[(name, text)]);
        let run = sandbox.run(&["patch", "set", name, "--key", set, "-c", "3"]).succeeds();
        assert_eq!(run.text(), format!("{name}:3: added 1 line (undo: folio undo 1)\n"));
    }
}

#[test]
fn a_block_scalar_without_final_line_ending_is_not_changed() {
    let text = "s:\n  - run: |\n      x";
    let message = "has no line ending; add one first";
    refused("a.yml", text, &["append", "--key", "s", "-c", "y"], 2, message);
    refused("a.yml", text, &["set", "--key", "t", "-c", "y"], 2, message);
    let ended = format!("{text}\n");
    makes("a.yml", &ended, &["set", "--key", "t", "-c", "y"], &format!("{ended}t: 'y'\n"));
}

#[test]
fn values_are_read_by_path() {
    value("Cargo.toml", CARGO, "package.version", "0.1.0");
    value("Cargo.toml", CARGO, "dependencies.serde.features[0]", "derive");
    value("ci.yml", CI, "jobs.test.steps[name=Test].run", "cargo test\n");
    value("ci.yml", CI, "jobs.test.env.A", "1");
    value("ci.yml", CI, "on.push.branches[-1]", "dev");
    value("package.json", PACKAGE, "scripts.\"a.b\"", "c");
    value("tsconfig.json", "{\n  // c\n  'x': [1, ],\n}\n", "x[0]", "1");
    value("log.jsonl", "{\"a\":1}\n{\"a\":2}\n", "[-1].a", "2");
    value(".env", "export A=\"x y\" # c\nB=2\n", "A", "x y");
    value("app.properties", "server.port: 80\\\n  80\n", "server.port", "8080");
    value("two.yaml", "kind: A\nx: 1\n---\nkind: B\n", "[kind=B].kind", "B");
}

#[test]
fn lines_and_data_of_an_entry_are_read() {
    let sandbox = Sandbox::with(&[("ci.yml", CI)]);
    let step = "      - name: Test\n        run: |\n          cargo test\n";
    sandbox.run(&["read", "ci.yml", "--key", "jobs.test.steps[1]"]).exits(0).prints(step);
    sandbox.run(&["read", "ci.yml#jobs.test.steps[1]"]).exits(0).prints(step);
    let record = sandbox.run(&["read", "ci.yml", "--key", "jobs.test.env", "--json"]).json();
    assert_eq!(record["value"], json!({"A": "1"}));
    assert_eq!(record["range"], json!({"startLine": 9, "endLine": 9}));
}

#[test]
fn entries_are_listed_with_their_lines() {
    let sandbox = Sandbox::with(&[("Cargo.toml", CARGO), ("d/p.json", PACKAGE)]);
    sandbox.run(&["inspect", "Cargo.toml"]).exits(0).prints(
        "Cargo.toml:1-3:package\nCargo.toml:2:package.name\nCargo.toml:3:package.version\n\
         Cargo.toml:6-7:dependencies\nCargo.toml:7:dependencies.serde\n\
         Cargo.toml:7:dependencies.serde.version\nCargo.toml:7:dependencies.serde.features\n\
         Cargo.toml:7:dependencies.serde.features[0]\n",
    );
    sandbox
        .run(&["inspect", "Cargo.toml", "--max-level", "1"])
        .exits(0)
        .prints("Cargo.toml:1-3:package\nCargo.toml:6-7:dependencies\n");
    let structure = sandbox.run(&["inspect", "d/p.json", "--json"]).json();
    let entries = structure["structure"]["entries"].as_array().unwrap().clone();
    let keys: Vec<&Value> = entries.iter().map(|entry| &entry["key"]).collect();
    assert_eq!(keys, ["name", "scripts", "scripts.\"a.b\""]);
    assert_eq!(entries[0]["value"], "x");
    assert_eq!(entries[1]["type"], "mapping");
    sandbox
        .run(&["inspect", "--kind", "key", "--matching", r"^package\.", "."])
        .exits(0)
        .prints("Cargo.toml:2:package.name\nCargo.toml:3:package.version\n");
    sandbox.run(&["inspect", "--with-key", "scripts", "-l", "."]).exits(0).prints("d/p.json\n");
}

#[test]
fn a_missing_key_is_reported_with_similar_names() {
    let sandbox = Sandbox::with(&[("Cargo.toml", CARGO), ("two.yml", "a: 1\n---\na: 2\n")]);
    let read = |name: &str, key: &str| sandbox.run(&["read", name, "--key", key]);
    read("Cargo.toml", "package.version2")
        .exits(1)
        .tells("hint: folio read Cargo.toml --key package.version  # similar\n");
    read("Cargo.toml", "package.zzz")
        .exits(1)
        .tells("its keys are package.name, package.version\n");
    read("Cargo.toml", "package.name.x").exits(1).tells("it is a value of the type string\n");
    read("two.yml", "a")
        .exits(3)
        .tells("hint: folio read two.yml --key '[0].a'  # the first of them\n");
    read("two.yml", "a[").exits(2).tells("the closing ] is missing");
}

#[test]
fn a_value_is_set_in_its_style() {
    let set = |key: &'static str, content: &'static str| ["set", "--key", key, "-c", content];
    let cargo = |key, content, old: &str, new: &str| {
        makes("Cargo.toml", CARGO, &set(key, content), &CARGO.replacen(old, new, 1));
    };
    cargo("package.version", "1.0.0", "0.1.0", "1.0.0");
    cargo("package.edition", "2024", "0.1.0\"\n", "0.1.0\"\nedition = 2024\n");
    cargo("dependencies.serde.optional", "true", "] }", "], optional = true }");
    cargo("profile.release.lto", "true", "] }\n", "] }\n\n[profile.release]\nlto = true\n");
    let ci = |key, content, old: &str, new: &str| {
        makes("ci.yml", CI, &set(key, content), &CI.replacen(old, new, 1));
    };
    ci("env.A", "2", "'1'", "'2'");
    ci("on.push.branches[0]", "a b", "main", "a b");
    ci("jobs.test.timeout", "5", "test\n", "test\n    timeout: 5\n");
    let crlf = CI.replace('\n', "\r\n");
    makes("ci.yml", &crlf, &set("env.B", "x"), &crlf.replace("'1'\r\n", "'1'\r\n  B: 'x'\r\n"));
    makes(
        "package.json",
        PACKAGE,
        &set("scripts.test.x", "1"),
        &PACKAGE.replace("\"c\"\n", "\"c\",\n    \"test\": {\n      \"x\": 1\n    }\n"),
    );
    makes(".env", "A=1\n# c\nB='x'\n", &set("B", "it"), "A=1\n# c\nB='it'\n");
}

#[test]
fn an_empty_value_in_braces_becomes_a_mapping_or_list() {
    let text = "a: {b: , c: {d}}\n";
    let set = ["set", "--key", "a.b.e", "-c", "1"];
    makes("a.yml", text, &set, "a: {b: {e: 1} , c: {d}}\n");
    let set = ["set", "--key", "a.c.d.e", "-c", "1"];
    makes("a.yml", text, &set, "a: {b: , c: {d: {e: 1}}}\n");
    let append = ["append", "--key", "a.b", "-c", "x"];
    makes("a.yml", text, &append, "a: {b: [x] , c: {d}}\n");
}

#[test]
fn quotes_around_the_content_are_not_part_of_a_string() {
    let set = |key, content| ["set", "--key", key, "-c", content];
    for (file, before, after) in [
        ("a.json", "{\"k\": \"1\"}\n", "{\"k\": \"^2\"}\n"),
        ("a.toml", "k = '1'\n", "k = '^2'\n"),
        ("a.yml", "k: v\n", "k: ^2\n"),
        (".env", "k=v\n", "k=^2\n"),
    ] {
        let edited = makes(file, before, &set("k", "\"^2\""), after);
        assert!(edited.records[0]["details"].to_string().contains("--type string"), "{edited:?}");
        makes(file, before, &set("k", "^2"), after);
        let replace = ["replace", "--key", "k", "-c", "^2"];
        makes(file, before, &replace, after);
    }
    let typed = [&set("k", "\"a\"")[..], &["--type", "string"]].concat();
    makes("a.json", "{\"k\": \"1\"}\n", &typed, "{\"k\": \"\\\"a\\\"\"}\n");
    makes("a.json", "{\"k\": \"1\"}\n", &set("k", "'a'"), "{\"k\": \"'a'\"}\n");
    makes("a.yml", "k: v\n", &set("k", "\"a\" and \"b\""), "k: '\"a\" and \"b\"'\n");
}

#[test]
fn the_type_of_a_value_can_be_selected() {
    let set = |kind: &'static str, content: &'static str| {
        ["set", "--key", "a", "-c", content, "--type", kind]
    };
    makes("a.yml", "a: 1\n", &set("string", "2"), "a: '2'\n");
    makes("a.yml", "a: x\n", &set("int", "2"), "a: 2\n");
    makes("a.yml", "a: x\n", &set("null", "null"), "a: null\n");
    makes("a.toml", "a = 1\n", &set("json", "{\"b\": [true]}"), "a = { b = [true] }\n");
    refused("a.yml", "a: 1\n", &set("int", "x"), 2, "'x' is not of the type integer");
    refused(
        "a.yml",
        "a:\n  b: 1\n",
        &["set", "--key", "a", "-c", "2"],
        2,
        "is a mapping with entries",
    );
    refused("a.yml", "a: x\n", &set("null", "5"), 2, "'5' is not null");
}

#[test]
fn entries_are_deleted_renamed_and_inserted() {
    let deleted = |key: &'static str| ["delete", "--key", key];
    makes("ci.yml", CI, &deleted("jobs.test.steps[1]"), &CI[..CI.find("      # Tests").unwrap()]);
    makes("ci.yml", CI, &deleted("on.push.branches[0]"), &CI.replace("main, ", ""));
    makes("package.json", PACKAGE, &deleted("name"), &PACKAGE.replace("  \"name\": \"x\",\n", ""));
    makes("package.json", PACKAGE, &deleted("scripts"), "{\n  \"name\": \"x\"\n}\n");
    makes("Cargo.toml", CARGO, &deleted("dependencies"), &CARGO[..CARGO.find("\n#").unwrap()]);
    makes(
        "Cargo.toml",
        CARGO,
        &["rename", "--key", "dependencies.serde", "-c", "serde2"],
        &CARGO.replace("serde =", "serde2 ="),
    );
    makes(
        "ci.yml",
        CI,
        &["append", "--key", "jobs.test.steps", "-c", "uses: a"],
        &format!("{CI}      - uses: a\n"),
    );
    makes(
        "ci.yml",
        CI,
        &["insert", "--key", "jobs.test.steps[0]", "--after", "-c", "uses: a"],
        &CI.replace("@v4\n", "@v4\n      - uses: a\n"),
    );
    makes(
        "Cargo.toml",
        CARGO,
        &["replace", "--key", "package.name", "-c", "name = 'y'"],
        &CARGO.replace("name = \"x\" # the name", "name = 'y'"),
    );
}

#[test]
fn edits_that_would_change_something_else_are_refused() {
    let set = ["set", "--key", "jobs.test.env.A", "-c", "2"];
    refused("ci.yml", CI, &set, 2, "through the alias *env");
    refused("ci.yml", CI, &["delete", "--key", "env"], 2, "anchor");
    let replace = ["replace", "--key", "package.name", "-c", "other = 1"];
    refused("Cargo.toml", CARGO, &replace, 2, "the content is not an entry 'package.name'");
    let insert = ["insert", "--key", "package.edition", "--before", "-c", "2024"];
    refused("Cargo.toml", CARGO, &insert, 2, "--before and --after need an existing key or item");
    let rename = ["rename", "--key", "package.name", "-c", "version"];
    refused("Cargo.toml", CARGO, &rename, 2, "there is already a key 'version'");
    let twice = ["set", "--key", "a", "-c", "3"];
    refused("a.yml", "a: 1\na: 2\n", &twice, 3, "2 entries match 'a'");
    makes("a.yml", "a: 1\na: 2\n", &["set", "--key", "a[1]", "-c", "3"], "a: 1\na: 3\n");
}

#[test]
fn invalid_files_are_refused_with_line_and_column() {
    for (name, text, place) in [
        ("a.json", "{\"a\": 1\n\"b\": 2}", "line 2, column 1: invalid JSON: "),
        ("a.toml", "a = 1\nb\n", "line 2, column 2: invalid TOML: "),
        ("a.yml", "a: [1\nb: 2\n", "line 2, column "),
        ("b.yml", "a:\n\t- b\n", "line 2, column "),
        ("c.yml", &format!("a: {}1", "[".repeat(100_000)), "recursion limit exceeded"),
        ("b.json", &"[".repeat(100_000), "nested more than 512 levels deep"),
    ] {
        let set = ["set", "--key", "a", "-c", "1"];
        refused(name, text, &set, 2, place);
        let sandbox = Sandbox::with(&[(name, text)]);
        sandbox.run(&["inspect", name]).exits(2).tells(place);
    }
}

#[test]
fn edits_of_one_file_that_affect_each_other_are_refused() {
    let apply = |edits: &[Value], is_sequential: bool| {
        let sandbox = Sandbox::with(&[("a.json", "{\"a\": [1], \"b\": 2}\n")]);
        let batch = json!({ "edits": edits, "sequential": is_sequential });
        sandbox.write("edits.json", batch.to_string());
        let run = sandbox.run(&["patch", "apply", "edits.json"]);
        (run.status, std::fs::read_to_string(sandbox.path("a.json")).unwrap())
    };
    let edit = |operation: &str, key: &str, content: Option<&str>| {
        let mut edit = json!({ "filePath": "a.json", "operation": operation, "key": key });
        content.into_iter().for_each(|content| edit["content"] = content.into());
        edit
    };
    let old = "{\"a\": [1], \"b\": 2}\n";
    let list = [edit("delete", "a[0]", None), edit("append", "a", Some("5"))];
    assert_eq!(apply(&list, false), (Some(4), old.to_owned()));
    assert_eq!(apply(&list, true), (Some(0), "{\"a\": [5], \"b\": 2}\n".to_owned()));
    let same = [edit("set", "c", Some("1")), edit("set", "c", Some("2"))];
    assert_eq!(apply(&same, false), (Some(4), old.to_owned()));
    let apart =
        [edit("set", "c", Some("1")), edit("set", "b", Some("3")), edit("set", "d", Some("4"))];
    let new = "{\"a\": [1], \"b\": 3, \"c\": 1, \"d\": 4}\n";
    assert_eq!(apply(&apart, false), (Some(0), new.to_owned()));
}

#[test]
fn an_edit_is_undone() {
    let edited = edit("ci.yml", CI.as_bytes(), &["set", "--key", "name", "-c", "X"]);
    assert_eq!(edited.status, 0, "{}", edited.errors);
    let sandbox = Sandbox::with(&[("ci.yml", CI)]);
    sandbox.run(&["patch", "delete", "ci.yml", "--key", "jobs"]).exits(0);
    sandbox.run(&["undo"]).exits(0);
    assert_eq!(std::fs::read_to_string(sandbox.path("ci.yml")).unwrap(), CI);
}

#[test]
fn an_entry_is_moved_and_copied_with_its_comments() {
    let copy = ["copy", "Cargo.toml", "--key", "dependencies.serde", "--to"];
    let sandbox = Sandbox::with(&[
        ("Cargo.toml", CARGO),
        ("b.toml", "[dependencies]\na = \"1\"\n"),
        ("ci.yml", CI),
        ("package.json", PACKAGE),
    ]);
    let patch = |arguments: &[&str]| sandbox.run(&[&["patch"], arguments].concat());
    let text = |name: &str| std::fs::read_to_string(sandbox.path(name)).unwrap();
    patch(&[&copy[..], &["b.toml"]].concat()).succeeds();
    let serde = "serde = { version = \"1\", features = [\"derive\"] }\n";
    assert_eq!(text("b.toml"), format!("[dependencies]\na = \"1\"\n{serde}"));
    patch(&[&copy[..], &["package.json#scripts"]].concat()).succeeds();
    let json = "\"a.b\": \"c\",\n    \"serde\": {\"version\":\"1\",\"features\":[\"derive\"]}";
    assert_eq!(text("package.json"), PACKAGE.replace("\"a.b\": \"c\"", json));
    patch(&["move", "Cargo.toml", "--key", "package.name", "--to", "b.toml"]).succeeds();
    assert_eq!(text("Cargo.toml"), CARGO.replace("name = \"x\" # the name\n", ""));
    let added = format!("{serde}\n[package]\nname = \"x\" # the name\n");
    assert_eq!(text("b.toml"), format!("[dependencies]\na = \"1\"\n{added}"));
    let step = ["copy", "ci.yml", "--key", "jobs.test.steps[1]", "--before", "--to"];
    patch(&[&step[..], &["ci.yml#jobs.test.steps[0]"]].concat()).succeeds();
    let test = "      # Tests.\n      - name: Test\n        run: |\n          cargo test\n";
    let first = "      - uses: actions";
    assert_eq!(text("ci.yml"), CI.replace(first, &format!("{test}{first}")));
    let taken = ["copy", "ci.yml", "--key", "name", "--to", "ci.yml#env.A"];
    patch(&taken).exits(2).tells("the key 'env.A' already exists on line 6");
    let renamed = ["move", "ci.yml", "--key", "on.push", "--to", "ci.yml#on.pull"];
    patch(&renamed).exits(2).tells("folio patch rename ci.yml --key on.push --content pull");
    let branches = ["move", "ci.yml", "--key", "on.push.branches", "--to", "ci.yml#env.branches"];
    patch(&branches).succeeds();
    let env = "on:\n  push: {}\nenv: &env\n  A: '1'\n  branches: [main, dev] # all\n";
    assert!(text("ci.yml").contains(env), "{}", text("ci.yml"));
}

#[test]
fn a_mapping_is_read_and_searched_as_a_section() {
    let sandbox = Sandbox::with(&[("ci.yml", CI), ("Cargo.toml", CARGO)]);
    let read = |name: &str| sandbox.run(&["read", "Cargo.toml", "--section", name]);
    let table = sandbox.run(&["read", "Cargo.toml", "--key", "dependencies"]).succeeds().text();
    read("dependencies").prints(table);
    read("nope").exits(1).tells("no key 'nope' in the document");
    let within = ["read", "ci.yml", "--section", "steps", "--in", "jobs.test"];
    let steps = sandbox.run(&["read", "ci.yml", "--key", "jobs.test.steps"]).succeeds().text();
    sandbox.run(&within).succeeds().prints(steps);
    let elsewhere = ["patch", "delete", "ci.yml", "--section", "on", "--in", "jobs.test"];
    sandbox.run(&elsewhere).exits(1).tells("no key 'jobs.test.on' in 'jobs.test'");
    let directory = ["patch", "delete", ".", "--section", "dependencies"];
    sandbox.run(&directory).exits(1).tells("none of 2 files contains --section dependencies");
    let grep = |name: &str| sandbox.run(&["grep", "-o", "--in", name, "uses|run", "ci.yml"]);
    assert_eq!(grep("jobs.test.steps[1]").succeeds().text().lines().count(), 1);
    assert!(grep("jobs.test").succeeds().text().lines().count() > 1);
    grep("env").exits(1);
    let entries: String =
        (0..9000).map(|number| format!("  k{number}:\n    v: {number}\n")).collect();
    let sandbox = Sandbox::with(&[("big.yml", &format!("a:\n{entries}z:\n  v: 1\n"))]);
    let grep = |option: &[&str]| sandbox.run(&[&["grep", "v: 1$", "big.yml"], option].concat());
    grep(&["--in", "z"]).succeeds().prints("18003:  v: 1\n");
    grep(&["--breadcrumbs"]).prints("5:a.k1.v:     v: 1\n18003:z.v:   v: 1\n");
}

#[test]
fn selected_keys_are_set_and_deleted() {
    let sandbox = Sandbox::with(&[
        ("a.toml", "a = { b = 1, c = 2, bc = 3, d = 4 }\n"),
        ("b.yml", "x:\n  b: 5 # five\nb: 6\n"),
    ]);
    let all = ["--kind", "key", "--matching", r"^(a|x)\.(b|d)$"];
    let found = "a.toml:1:a.b\na.toml:1:a.d\nb.yml:2:x.b\n";
    let inspect = [&["inspect", "--innermost", "."], &all[..]].concat();
    sandbox.run(&inspect).succeeds().prints(found);
    sandbox.run(&[&["patch", "set", ".", "-c", "7"], &all[..]].concat()).succeeds();
    let text = |name: &str| std::fs::read_to_string(sandbox.path(name)).unwrap();
    assert_eq!(text("a.toml"), "a = { b = 7, c = 2, bc = 3, d = 7 }\n");
    assert_eq!(text("b.yml"), "x:\n  b: 7 # five\nb: 6\n");
    sandbox.run(&[&["patch", "delete", "a.toml"], &all[..]].concat()).succeeds();
    assert_eq!(text("a.toml"), "a = { c = 2, bc = 3 }\n");
    let heading = ["patch", "set", ".", "-c", "7", "--kind", "heading", "--matching", "b"];
    sandbox.run(&heading).exits(2).tells("set needs a key");
}

#[test]
fn an_item_is_moved_within_its_list() {
    let sandbox = Sandbox::with(&[
        ("a.yml", "l:\n  - a\n  # b\n  - b: 1\n    c: 2\n  - d\n"),
        ("a.json", "{\"l\":[1,1,[2]]}\n"),
        ("a.toml", "[[t]]\na = 1\n\n[[t]]\na = 2\n"),
    ]);
    let moved = |name: &str, from: &str, to: &str, side: &str| {
        let to = format!("{name}#{to}");
        sandbox.run(&["patch", "move", name, "--key", from, "--to", &to, side]).succeeds();
        std::fs::read_to_string(sandbox.path(name)).unwrap()
    };
    let text = moved("a.yml", "l[0]", "l[2]", "--after");
    assert_eq!(text, "l:\n  # b\n  - b: 1\n    c: 2\n  - d\n  - a\n");
    let text = moved("a.yml", "l[2]", "l[0]", "--before");
    assert_eq!(text, "l:\n  - a\n  # b\n  - b: 1\n    c: 2\n  - d\n");
    assert_eq!(moved("a.json", "l[2]", "l[1]", "--before"), "{\"l\":[1,[2],1]}\n");
    assert_eq!(moved("a.json", "l[0]", "l[2]", "--after"), "{\"l\":[[2],1,1]}\n");
    assert_eq!(moved("a.toml", "t[1]", "t[0]", "--before"), "[[t]]\na = 2\n\n[[t]]\na = 1\n");
    let edits = json!([
        { "filePath": "a.json", "operation": "delete", "key": "l[0]" },
        { "filePath": "a.json", "operation": "append", "key": "l", "content": "7" },
    ]);
    sandbox.write("edits.json", json!({ "edits": edits }).to_string());
    sandbox.run(&["patch", "apply", "edits.json"]).succeeds();
    let text = std::fs::read_to_string(sandbox.path("a.json")).unwrap();
    assert_eq!(text, "{\"l\":[1,1,7]}\n");
}

#[test]
fn an_ini_key_has_a_path_of_its_section_and_name() {
    let text = "[core]\n\teditor = vim\n[remote \"origin\"]\n\turl = git@x\n[a.b]\nc = 1\nc = 2\n";
    let sandbox = Sandbox::with(&[("git.ini", text)]);
    let read = |key: &str| sandbox.run(&["read", "git.ini", "--value", "--key", key]);
    read("core.editor").prints("vim\n");
    read("remote.origin.url").prints("git@x\n");
    read("a.b.c[1]").prints("2\n");
    read("a.b.c").exits(3).tells("--key '\"a.b\".c[0]'");
    sandbox.run(&["read", "git.ini#core.editor"]).prints("\teditor = vim\n");
    for (condition, status) in
        [("core.editor=^vi", 0), ("editor", 0), ("editor=emacs", 1), ("core.url", 1)]
    {
        sandbox.run(&["inspect", "--with-key", condition, "git.ini"]).exits(status);
    }
    for (key, value) in [("remote.origin.url", "y"), ("core.pager", "less"), ("new.key", "1")] {
        sandbox.run(&["patch", "set", "git.ini", "--key", key, "-c", value]).succeeds();
    }
    let set = text.replace("git@x", "y").replace("vim\n", "vim\n\tpager = less\n");
    let all = format!("{set}[new]\nkey = 1\n");
    sandbox.run(&["read", "git.ini"]).prints(all);
}

#[test]
fn a_moved_table_or_block_keeps_its_comments_and_types() {
    let moved = |name: &str, text: &str, to: &str, new: &str| {
        makes(name, text, &["move", "--key", "a", "--to", to], new);
    };
    moved(
        "a.toml",
        "[a]\n# why\nd = 1979-05-27 # birth\nf = inf\n\n[b]\nz = 1\n",
        "a.toml#b.a",
        "[b]\nz = 1\n\n[b.a]\n# why\nd = 1979-05-27 # birth\nf = inf\n",
    );
    moved(
        "a.yml",
        "a: # on a\n  # why 3\n  replicas: 3 # three\nb:\n  z: 1\n",
        "a.yml#b.a",
        "b:\n  z: 1\n  a: # on a\n    # why 3\n    replicas: 3 # three\n",
    );
    moved("a.json", "{\"b\":{\"c\":1},\"a\":2}\n", "a.json#b", "{\"b\":{\"c\":1,\"a\":2}}\n");
}

#[test]
fn numbers_are_moved_with_all_digits_or_not_at_all() {
    let sandbox = Sandbox::with(&[
        ("n.yml", "wei: 100000000000000000001\nlimit: .inf\n"),
        ("m.json", "{}\n"),
    ]);
    let moved = |key| sandbox.run(&["patch", "move", "n.yml", "--key", key, "--to", "m.json"]);
    moved("wei").succeeds();
    moved("limit").exits(2).tells("JSON cannot represent '.inf'");
    sandbox.run(&["read", "m.json"]).prints("{\"wei\": 100000000000000000001}\n");
    sandbox.run(&["read", "n.yml"]).prints("limit: .inf\n");
}

#[test]
fn variables_are_copied_with_their_quotes() {
    let sandbox = Sandbox::with(&[
        (".env", "A=1\nB='x $y'\n"),
        ("b.env", "Z=9\n"),
        ("s.json", "{\"C\": \"a b\", \"D\": 5}\n"),
        ("p.properties", "a.b = 1\n"),
    ]);
    let copy = |from: &str, key: &str, to: &str| {
        sandbox.run(&["patch", "copy", from, "--key", key, "--to", to])
    };
    copy(".env", "A", "b.env").succeeds();
    copy(".env", "B", "b.env").succeeds();
    copy("s.json", "C", "b.env").succeeds();
    copy("s.json", "D", "b.env").exits(2).tells("values of this format are strings");
    sandbox.run(&["read", "b.env"]).prints("Z=9\nA=1\nB='x $y'\nC='a b'\n");
    copy("p.properties", "a.b", "p.properties#c.d").succeeds();
    sandbox.run(&["read", "p.properties"]).prints("a.b = 1\nc.d = 1\n");
}

#[test]
fn json_lines_stay_on_one_line() {
    let text = "{\"x\":1}\n{\"x\":[1]}\n";
    let value = "{\n \"p\": 1\n}";
    for (arguments, new) in [
        (&["set", "--key", "[0].x", "--type", "json"][..], "{\"x\":{\"p\":1}}\n{\"x\":[1]}\n"),
        (&["append", "--key", "[1].x"], "{\"x\":1}\n{\"x\":[1,{\"p\":1}]}\n"),
        (&["insert", "--key", "[1]", "--before"], "{\"x\":1}\n{\"p\":1}\n{\"x\":[1]}\n"),
        (&["replace", "--key", "[1]"], "{\"x\":1}\n{\"p\":1}\n"),
        (&["replace", "--key", "[1]", "--value"], "{\"x\":1}\n{\"p\":1}\n"),
        (&["append"], "{\"x\":1}\n{\"x\":[1]}\n{\"p\":1}\n"),
    ] {
        makes("l.jsonl", text, &[arguments, &["-c", value]].concat(), new);
    }
}

#[test]
fn the_hint_for_an_ambiguous_item_keeps_the_rest_of_the_path() {
    let text = "s:\n- n: T\n  env: x\n- n: T\n  run: b\n";
    refused("c.yml", text, &["delete", "--key", "s[n=T].env"], 3, "--key 's[0].env'");
    refused("c.yml", text, &["delete", "--key", "s[n=T].run"], 3, "--key 's[1].run'");
}

#[test]
fn a_yaml_tag_determines_the_type() {
    let text = "a: !!str 12\n";
    let message = "the tag !!str determines the type of this value";
    for (content, kind) in [("5", "int"), ("{}", "json")] {
        refused("a.yml", text, &["set", "--key", "a", "-c", content, "--type", kind], 2, message);
    }
    makes("a.yml", text, &["set", "--key", "a", "-c", "x"], "a: !!str x\n");
}

#[test]
fn a_file_in_another_encoding_needs_an_option() {
    let sandbox = Sandbox::new();
    sandbox.write("a.yml", b"a: \xe9\n");
    let set = ["patch", "set", "a.yml", "--key", "a", "-c", "b"];
    sandbox.run(&set).exits(2).tells("--encoding LABEL");
    sandbox.run(&[&set[..], &["--encoding", "windows-1252"]].concat()).succeeds();
}

#[test]
fn a_path_of_a_missing_ini_section_creates_it() {
    let set = |key: &'static str| ["set", "--key", key, "-c", "1"];
    makes("a.ini", "[u]\n\tn = a\n", &set("core.e"), "[u]\n\tn = a\n\n[core]\ne = 1\n");
    makes("a.ini", "a.x = 2\n", &set("a.y"), "a.x = 2\na.y = 1\n");
    let twice = "[a]\nx=1\n\n[a]\ny=2\n";
    makes("a.ini", twice, &set("a.y"), "[a]\nx=1\n\n[a]\ny=1\n");
    refused("a.ini", twice, &set("a.n"), 3, "--key 'a[1].n'");
    let sandbox = Sandbox::with(&[("a.ini", twice)]);
    sandbox.run(&["read", "a.ini", "--key", "a.x", "--value"]).prints("1\n");
    sandbox.run(&["read", "a.ini", "--key", "a.q"]).exits(3).tells("--key 'a[1].q'");
    sandbox.run(&["inspect", "--with-key", "a.y", "a.ini"]).exits(0);
}

#[test]
fn ini_keys_are_renamed_emptied_and_numbered() {
    let text = "[u]\na = 1 ; one\nb=2\nb=3\n";
    makes("a.ini", text, &["rename", "--key", "u.a", "-c", "c"], &text.replace("a =", "c ="));
    makes("a.ini", text, &["rename", "--key", "u.a", "-c", "A"], &text.replace("a =", "A ="));
    for name in ["b", "[x", "x=y", "a"] {
        refused("a.ini", text, &["rename", "--key", "u.a", "-c", name], 2, name);
    }
    makes("a.ini", text, &["set", "--key", "u.b[1]", "-c", ""], &text.replace("b=3", "b="));
    makes("a.ini", text, &["set", "--key", "u.b[-2]", "-c", "4"], &text.replace("b=2", "b=4"));
    makes("a.ini", text, &["set", "--key", "u.n", "-c", ""], &format!("{text}n=\n"));
    refused("a.ini", text, &["set", "--key", "u.b[2]", "-c", "4"], 1, "no key 'b[2]'");
}

#[test]
fn a_value_that_may_continue_after_a_blank_line_is_not_edited() {
    let text = "[a]\nl = one\n  two\n\n  three\n";
    let message = "line 2: the value of 'l' may continue on line 5, after a blank line";
    refused("a.ini", text, &["set", "--key", "a.l", "-c", "x"], 2, message);
    refused("a.ini", text, &["delete", "--key", "a.l"], 2, message);
    let other = "[a]\n\tl = one\n\n\tthree\n";
    makes("a.ini", other, &["set", "--key", "a.l", "-c", "x"], &other.replace("one", "x"));
    let text = "[tox]\nl = one\n\n  # c\n\n  two: 2\n";
    let message = "line 2: the value of 'l' may continue on line 6, after a blank line";
    refused("tox.ini", text, &["set", "--key", "tox.l", "-c", "x"], 2, message);
    refused("tox.ini", text, &["set", "--key", "tox.n", "-c", "x"], 2, message);
    makes("pytest.ini", text, &["set", "--key", "tox.l", "-c", "x"], "[tox]\nl = x\n");
}

#[test]
fn an_anchor_stays_with_its_item() {
    let list = "l: [&i two, three]\nb: *i\n";
    refused("a.yml", list, &["delete", "--key", "l[0]"], 2, "unknown anchor");
    let insert = ["insert", "--key", "l[0]", "--before", "-c", "x"];
    makes("a.yml", list, &insert, "l: [x, &i two, three]\nb: *i\n");
    let after = "l: [&i two, three, x]\nb: *i\n";
    makes("a.yml", list, &["append", "--key", "l", "-c", "x"], after);
    let copies = "x:\n  e: &e {A: 1} # &z\nl: [&f 1]\nsvc: *e\n";
    let copy = |key, to| ["copy", "--key", key, "--to", to];
    refused("a.yml", copies, &copy("x", "a.yml#y"), 2, "the anchor &e already exists on line 2");
    refused("a.yml", copies, &copy("l", "a.yml#m"), 2, "the anchor &f already exists on line 3");
    let moved = "l: [&f 1]\nsvc: *e\n";
    let move_it = ["move", "--key", "x.e", "--to", "a.yml#y"];
    refused("a.yml", copies, &move_it, 2, "");
    makes("a.yml", moved.trim_end_matches("svc: *e\n"), &["delete", "--key", "l"], "{}\n");
}

#[test]
fn an_entry_is_not_nested_in_an_existing_one_of_its_name() {
    let sandbox = Sandbox::with(&[
        ("a.toml", "[deps]\nx = 1\n"),
        ("b.toml", "[deps]\ny = 1\n"),
        ("c.json", "{\"deps\": [2]}\n"),
    ]);
    for to in ["a.toml", "b.toml", "c.json"] {
        let copy = sandbox.run(&["patch", "copy", "a.toml", "--key", "deps", "--to", to]);
        copy.exits(2).tells("the key 'deps' already exists on line 1");
    }
}

#[test]
fn a_table_is_not_moved_into_itself() {
    let text = "b.c = 1\n[t]\nx = 1\n";
    for (key, to) in [("b", "a.toml#b"), ("t", "a.toml#t"), ("t", "a.toml#t.y")] {
        refused("a.toml", text, &["move", "--key", key, "--to", to], 2, "into itself");
    }
}

#[test]
fn comments_move_with_an_entry_or_it_is_not_moved() {
    let top = ["move", "--key", "m.y", "--to", "a.toml#top"];
    makes("a.toml", "[m]\n# on y\ny = 2\n", &top, "# on y\ntop = 2\n\n[m]\n");
    let json = "{\n  // on y\n  \"y\": 1,\n  \"n\": {}\n}\n";
    let inner = ["move", "--key", "y", "--to", "a.jsonc#n"];
    refused("a.jsonc", json, &inner, 2, "line 3: the comments of the entry would be lost");
    let beside = "{\n  \"y\": 1, // on y\n  \"n\": {}\n}\n";
    refused("a.jsonc", beside, &inner, 2, "line 2: the comments of the entry would be lost");
    let flow = ["move", "--key", "y", "--to", "a.yml#n"];
    refused(
        "a.yml",
        "y: 1 # on y\nn: {a: 1}\n",
        &flow,
        2,
        "the comments of the entry would be lost",
    );
    makes("a.yml", "y: 1  # on y\nn:\n  a: 1\n", &flow, "n:\n  a: 1\n  y: 1  # on y\n");
}

#[test]
fn values_of_several_lines_are_indented() {
    let json =
        "{\n  \"a\": {\n    \"x\": [\n      1\n    ]\n  },\n  \"b\": {\n    \"c\": {}\n  }\n}\n";
    let inner = "{\n      \"a\": {\n        \"x\": [\n          1\n        ]\n      }\n    }";
    let copy = ["copy", "--key", "a", "--to", "a.json#b.c"];
    let copied = json.replace("\"c\": {}", &format!("\"c\": {inner}"));
    makes("a.json", json, &copy, &copied);
    let crlf = |text: &str| text.replace('\n', "\r\n");
    makes("a.json", &crlf(json), &copy, &crlf(&copied));
    let set = ["set", "--key", "b.c", "--type", "json", "-c", "{\n  \"x\": 1\n}"];
    let set_to = "\"c\": {\n      \"x\": 1\n    }";
    makes("a.json", json, &set, &json.replace("\"c\": {}", set_to));
}

#[test]
fn merge_keys_and_aliases_are_data() {
    let sandbox = Sandbox::with(&[
        ("a.yml", "b: &b {x: 1}\ns:\n  <<: [*b, {z: 3}]\n  y: 12345678901234567890123\n"),
        ("o.json", "{}\n"),
    ]);
    let read = sandbox.run(&["read", "a.yml", "--key", "s", "--json"]).succeeds();
    assert!(
        read.text().contains("\"value\":{\"y\":12345678901234567890123,\"x\":1,\"z\":3}"),
        "{read}"
    );
    sandbox.run(&["read", "a.yml", "--key", "s.z", "--value"]).prints("3\n");
    sandbox.run(&["patch", "copy", "a.yml", "--key", "s", "--to", "o.json"]).succeeds();
    let json = std::fs::read_to_string(sandbox.path("o.json")).unwrap();
    assert_eq!(json, "{\"s\": {\"y\":12345678901234567890123,\"x\":1,\"z\":3}}\n");
    let items: String = (0..6000).map(|item| format!("- {item}\n")).collect();
    sandbox.write("long.yml", format!("b: &b\n{items}y: [{}]\n", vec!["*b"; 200].join(",")));
    sandbox.run(&["read", "long.yml", "--key", "y", "--json"]).exits(2).tells("cannot be resolved");
}

#[test]
fn files_with_invalid_syntax_are_not_skipped_silently() {
    let sandbox = Sandbox::with(&[("d/a.yml", "v: 1\n"), ("d/b.yml", "v: 1\nx: [\n")]);
    let set = |paths: &[&str]| {
        let edit = ["patch", "set", "--with-key", "v", "--key", "v", "-c", "3"];
        sandbox.run(&[&edit, paths].concat())
    };
    set(&["d/a.yml", "d/b.yml"]).exits(2).tells("'d/b.yml': line 3, column 1: invalid YAML");
    set(&["d"]).exits(0).tells("left out 1 file with invalid syntax");
    let inspect = sandbox.run(&["inspect", "--without-key", "z", "d/b.yml"]).exits(2);
    assert_eq!(inspect.errors().lines().count(), 1, "{inspect}");
}

#[test]
fn unrecognized_front_matter_gets_no_second_one() {
    let set = ["set", "--front-matter", "--key", "k", "-c", "v"];
    for text in [
        "---\n<<<<<<< HEAD\na: 1\n=======\n>>>>>>> b\n---\n",
        "{\"a\": 1}\n\n# T\n",
        "\n---\ntext\n",
    ] {
        refused("a.md", text, &set, 2, "but begins no valid front matter");
    }
}

#[test]
fn front_matter_after_blanks_gets_no_second_one() {
    for (text, line) in [
        ("\n\n---\na: 1\n---\n# T\n", 3),
        (" ---\na: 1\n---\n", 1),
        ("\r\n+++\r\na = 1\r\n+++\r\n", 2),
    ] {
        let sandbox = Sandbox::with(&[("a.md", text)]);
        let set = ["patch", "set", "a.md", "--front-matter", "--key", "a", "-c", "2"];
        let message = format!("line {line}: front matter must begin at the start of line 1");
        let errors = sandbox.run(&set).exits(2).tells(&message).errors();
        let hint = errors.lines().find_map(|line| line.strip_prefix("hint: folio ")).unwrap();
        let words = hint.split("  #").next().unwrap().replace('\'', "");
        sandbox.run(&words.split(' ').collect::<Vec<_>>()).exits(0);
        sandbox.run(&set).succeeds();
        let after = std::fs::read_to_string(sandbox.path("a.md")).unwrap();
        assert_eq!(after, text.trim_ascii_start().replace('1', "2"));
    }
}

#[test]
fn names_in_the_file_determine_the_steps_of_a_path() {
    let yaml = "m:\n  app.io/name: x\n  a: {}\n'[md]': {e.w: 1}\n";
    let set = |key| ["set", "--key", key, "-c", "y"];
    makes("a.yml", yaml, &set("m.app.io/name"), &yaml.replace("name: x", "name: 'y'"));
    makes("a.yml", yaml, &set("[md].e.w"), &yaml.replace("e.w: 1", "e.w: 'y'"));
    makes(
        "a.yml",
        yaml,
        &["delete", "--key", "m.app.io/name"],
        &yaml.replace("  app.io/name: x\n", ""),
    );
    makes(
        "a.yml",
        yaml,
        &["rename", "--key", "m.app.io/name", "-c", "n.m"],
        &yaml.replace("app.io/name", "n.m"),
    );
    makes(
        "a.yml",
        yaml,
        &["insert", "--key", "m.a.'b.c'", "-c", "1"],
        &yaml.replace("{}", "{b.c: 1}"),
    );
    let nested = makes("a.yml", "m: {a.b: 1}\n", &set("m.c.d"), "m: {a.b: 1, c: {d: 'y'}}\n");
    assert_eq!(nested.records[0]["details"], json!(["in the new mapping 'm.c'"]));
    let sandbox = Sandbox::with(&[("d/a.yml", yaml), ("d/b.yml", "m: {b: 1}\n")]);
    sandbox.run(&["inspect", "--with-key", "m.app.io/name=x", "-l", "d"]).prints("d/a.yml\n");
    sandbox.run(&["patch", "set", "d", "--key", "m.app.io/name", "-c", "z"]).succeeds();
    value("a.yml", yaml, "m.app.io/name", "x");
    let path = ["k"].repeat(20_000).join(".");
    refused("a.yml", yaml, &set(&path), 2, "the path has more than 512 levels");
}

#[test]
fn a_name_in_quotes_is_what_was_typed() {
    let set = |key| ["set", "--key", key, "-c", "2"];
    let toml = "[t]\na = 1\n";
    makes("a.toml", toml, &set(r#"t."C:\x""#), &format!("{toml}\"C:\\\\x\" = 2\n"));
    makes("a.toml", toml, &set(r#"t."C:\new""#), &format!("{toml}\"C:\\\\new\" = 2\n"));
    makes("a.toml", toml, &set(r#"t.'x."y"'"#), &format!("{toml}\"x.\\\"y\\\"\" = 2\n"));
    let escaped = "[t]\n\"C:\\\\x\" = 1\n\"a\\tb\" = 1\n";
    for key in [r#"t."C:\x""#, r#"t."C:\\x""#, r#"t.'C:\x'"#] {
        makes("a.toml", escaped, &set(key), &escaped.replacen("= 1", "= 2", 1));
    }
    makes("a.toml", escaped, &["delete", "--key", r#"t."a\tb""#], "[t]\n\"C:\\\\x\" = 1\n");
}

#[test]
fn a_new_mapping_is_named() {
    let set = ["set", "--key", "a.b.c", "-c", "1"];
    let edited = makes("a.toml", "x = 1\n", &set, "x = 1\n\n[a.b]\nc = 1\n");
    assert_eq!(edited.records[0]["details"], json!(["in the new mapping 'a.b'"]));
}

#[test]
fn values_of_units_have_no_inline_comments() {
    let unit = "[Service]\nExecStart=/bin/sh -c \"a ; b\" \\\n# not this\n  -d\n";
    let sandbox = Sandbox::with(&[("y.service", unit)]);
    let read = ["read", "y.service", "--key", "Service.ExecStart", "--value"];
    sandbox.run(&read).exits(0).prints("/bin/sh -c \"a ; b\" -d\n");
}

#[test]
fn an_ini_key_moves_to_sections_and_other_formats() {
    let sandbox = Sandbox::with(&[
        ("a.ini", "[s]\nw = 0\n\n; about x\nx = 1 ; one\n"),
        ("b.ini", "[s]\ny = 1\n[z]\nx = 2\n"),
        ("c.json", "{}\n"),
        ("d.toml", "[s]\ny = 1\n"),
        ("e.ini", "[t]\nu = 1\n"),
        ("f.md", "# A\n"),
    ]);
    let copy = |to: &str| sandbox.run(&["patch", "copy", "a.ini", "--key", "s.x", "--to", to]);
    let contents = |name: &str| std::fs::read_to_string(sandbox.path(name)).unwrap();
    copy("c.json").succeeds();
    assert_eq!(contents("c.json"), "{\"s\": {\"x\": \"1\"}}\n");
    copy("d.toml#s").succeeds();
    assert_eq!(contents("d.toml"), "[s]\ny = 1\n# about x\nx = \"1\" # one\n");
    copy("e.ini#t").succeeds();
    assert_eq!(contents("e.ini"), "[t]\nu = 1\n; about x\nx = 1 ; one\n");
    copy("e.ini#t").exits(2).tells("the key 't.x' already exists on line 4");
    copy("f.md:1").exits(2).tells("only to a line of an INI file");
    sandbox.run(&["patch", "move", "a.ini", "--key", "s.x", "--to", "e.ini"]).succeeds();
    assert_eq!(
        contents("e.ini"),
        "[t]\nu = 1\n; about x\nx = 1 ; one\n\n[s]\n; about x\nx = 1 ; one\n"
    );
    assert_eq!(contents("a.ini"), "[s]\nw = 0\n\n");
    sandbox.write("a.ini", b"[s]\nx = 1\n");
    sandbox.run(&["patch", "copy", "a.ini", "--key", "s.x", "--to", "b.ini:2"]).succeeds();
    let copied = std::fs::read_to_string(sandbox.path("b.ini")).unwrap();
    assert_eq!(copied, "[s]\ny = 1\nx = 1\n[z]\nx = 2\n");
    let set = sandbox.run(&["patch", "set", "a.ini", "--key", "x", "-c", "3"]).exits(1);
    set.tells("folio patch set a.ini --key s.x -c 3");
}

#[test]
fn only_a_scalar_replaces_the_value_of_an_entry() {
    for (name, text, key, content) in [
        ("a.toml", "a = 1\nb = 2\n", "a", "a = unquoted"),
        ("a.toml", "a = 1\nb = 2\n", "b", "08"),
        ("a.json", "{\"b\": \"x\"}\n", "b", "\"b\": z"),
        ("a.json", "{\"b\": \"x\"}\n", "b", "{\"b\": \"z\"}"),
        ("a.json", "{\"b\": [\"x\"]}\n", "b[0]", "\"z\", \"y\""),
        ("a.yml", "b:\n- x\n", "b[0]", "&k 9"),
    ] {
        let replace = ["replace", "--key", key, "-c", content];
        refused(name, text, &replace, 2, "the content is not an entry");
    }
}

#[test]
fn selected_keys_have_the_dialect_of_their_file() {
    let git = "[core]\n  a = 1\n    b = 2\n";
    let delete = ["delete", "--kind", "key", "--matching", "^a$"];
    makes(".gitconfig", git, &delete, "[core]\n    b = 2\n");
    let rc = "[run]\nsetenv = A=1\n    B=2\n";
    makes(".coveragerc", rc, &["delete", "--section", "run", "--key", "setenv"], "[run]\n");
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
fn keys_are_added_to_a_blank_file() {
    let set = ["set", "--key", "a.b", "-c", "1"];
    makes("a.json", "", &set, "{\"a\": {\"b\": 1}}\n");
    makes("a.json", "\n", &set, "{\"a\": {\"b\": 1}}\n");
    makes("a.yml", "", &set, "a:\n  b: 1\n");
    makes("a.toml", "", &set, "[a]\nb = 1\n");
    let sandbox = Sandbox::with(&[("a.json", "{\"k\": [1]}\n"), ("b.json", "")]);
    sandbox.run(&["patch", "copy", "a.json", "--key", "k", "--to", "b.json#c"]).exits(0);
    assert_eq!(std::fs::read(sandbox.path("b.json")).unwrap(), b"{\"c\": [1]}\n");
    sandbox.run(&["read", "a.json", "--key", "none"]).exits(1);
}

#[test]
fn a_carried_entry_leaves_its_own_anchor() {
    let text = "c: &c {A: 1}\nd: *c\n";
    let copy = ["copy", "--key", "c", "--to", "a.yml#e"];
    makes("a.yml", text, &copy, "c: &c {A: 1}\nd: *c\ne: {A: 1}\n");
}

#[test]
fn steps_are_added_as_they_are_written() {
    let steps = "steps:\n  - uses: a\n";
    let append = |content, added: &str| {
        makes(
            "a.yml",
            steps,
            &["append", "--key", "steps", "-c", content],
            &format!("{steps}{added}"),
        );
    };
    append("uses: b # v4", "  - uses: b # v4\n");
    append("name: T\nrun: |\n  make\n", "  - name: T\n    run: |\n      make\n");
    append("  - name: T\n    run: >\n      x", "  - name: T\n    run: >\n      x\n");
    append("- uses: b", "  - uses: b\n");
    let set = ["set", "--key", "n", "-c", "  a:\n  b: 1"];
    makes("a.yml", "x: 1\n", &set, "x: 1\nn:\n  a:\n  b: 1\n");
    let merge = "a: &a {x: 1}\nc:\n  <<: *a\n";
    refused("a.yml", merge, &["set", "--key", "c.<<", "-c", "*a"], 2, "merge keys cannot be set");
}

#[test]
fn the_type_applies_to_any_form_of_the_key() {
    let sandbox = Sandbox::with(&[("a.yml", "x: 1\n"), ("d/a.yml", "x: 1\n")]);
    let json = json!({"filePath": "a.yml", "operation": "set", "target": {"key": "v"},
        "content": "1.10", "type": "string"});
    sandbox.run_with_input(&["patch", "apply", "-"], json.to_string()).exits(0);
    sandbox.run(&["patch", "replace", "a.yml#x", "--type", "string", "-c", "5"]).exits(0);
    assert_eq!(std::fs::read(sandbox.path("a.yml")).unwrap(), b"x: '5'\nv: '1.10'\n");
    let json = json.to_string().replace("\"string\"", "\"text\"");
    sandbox.run_with_input(&["patch", "apply", "-"], json).exits(2).tells("'text' is not string");
    let set = ["patch", "set", "d", "--key", "x.y", "-t", "json", "-c", "5"];
    sandbox.run(&set).exits(2).tells("--glob '*.json'");
}

#[test]
fn options_of_keys_without_effect_are_refused() {
    let text = "{\"a\": 1, \"b\": 2}\n";
    refused("a.json", text, &["rename", "--key", "a", "--value", "-c", "c"], 2, "--value");
    refused("a.json", text, &["delete", "--key", "a", "--value"], 2, "only whole entries");
    let steps = "steps:\n- uses: a\n";
    let replace = |content| ["replace", "--key", "steps[0].uses", "-c", content];
    refused(
        "a.yml",
        steps,
        &replace("uses: x # v4"),
        2,
        "-c x --json --preview --no-sync --no-undo --value ",
    );
    refused(
        "a.yml",
        steps,
        &replace("ses: x"),
        2,
        "-c 'ses: x' --json --preview --no-sync --no-undo --value",
    );
    let map = "env:\n  A: 1\n";
    let hint = "set a.yml --key env.NEW -c 5 ";
    refused("a.yml", map, &["append", "--key", "env", "-c", "NEW: 5"], 2, hint);
}

#[test]
fn lines_from_a_file_keep_their_final_line_ending() {
    let map = "data:\n  a.conf: |\n    x\n";
    let sandbox = Sandbox::with(&[("a.yml", map), ("new", "1\n2\n"), ("one", "1\n")]);
    let set = |key, file| {
        sandbox.run(&["patch", "set", "a.yml", "--key", key, "-f", file]).exits(0);
    };
    set("data['a.conf']", "new");
    set("n", "one");
    let expected = "data:\n  a.conf: |\n    1\n    2\nn: 1\n";
    assert_eq!(std::fs::read_to_string(sandbox.path("a.yml")).unwrap(), expected);
}

#[test]
fn a_repeated_key_meets_conditions() {
    let sandbox = Sandbox::with(&[
        ("a.yml", "kind: A\n---\nkind: B\n"),
        ("b.yml", "c:\n- name: w\n  image: 'x=1'\n"),
    ]);
    let selects = |flag, key, expected: &str| {
        sandbox.run(&["inspect", "-l", flag, key, "."]).prints(expected);
    };
    selects("--with-key", "kind", "a.yml\n");
    selects("--with-key", "kind=B", "a.yml\n");
    selects("--without-key", "kind", "b.yml\n");
    sandbox.write("c.cfg", "[a]\nb =\n  x\n  y\n");
    selects("--with-key", "b=^y$", "c.cfg\n");
    std::fs::remove_file(sandbox.path("c.cfg")).unwrap();
    selects("--with-key", "c[name=w].image=x=1", "b.yml\n");
    selects("--with-key", "c[name=w].image", "b.yml\n");
    let value = ["read", ".", "--key", "c[name=w].image", "--value"];
    sandbox.run(&value).prints("==> b.yml:3 <==\nx=1\n");
}

#[test]
fn a_value_that_is_read_and_set_again_is_unchanged() {
    let yaml = "a: |-\n  x\n  y\nb: |\n  x\nc: \"x\\ny\"\nd: 1\n";
    let sandbox = Sandbox::with(&[("a.yml", yaml)]);
    for key in ["a", "b", "c", "d"] {
        let read = sandbox.run(&["read", "a.yml", "--key", key, "--value"]).exits(0);
        sandbox.write("value", &read.stdout);
        let set = ["patch", "set", "a.yml", "--key", key, "-f", "value"];
        assert!(sandbox.run(&set).exits(0).text().contains("unchanged"), "{key}");
    }
}

#[test]
fn a_dash_is_part_of_an_item_that_is_no_value() {
    for content in ["- c # d", "- {{ x }}", "- a\n- b"] {
        let edited = edit("a.yml", b"l:\n- a\n", &["append", "--key", "l", "-c", content]);
        let after = String::from_utf8(edited.after.0).unwrap();
        assert!(after.contains(content.split('\n').next().unwrap()), "{after}");
    }
}

#[test]
fn a_literal_block_at_the_end_gets_a_line_ending() {
    let set = |content| ["set", "--key", "n", "-c", content];
    makes("a.yml", "m: 1", &set("x: |\n  2"), "m: 1\nn:\n  x: |\n    2\n");
    makes("a.yml", "m: 1", &set("x: 1\ny: 2\n"), "m: 1\nn:\n  x: 1\n  y: 2");
}

#[test]
fn a_file_whose_name_contains_a_hash_is_no_key() {
    let sandbox = Sandbox::with(&[("x", "{\"a\": 1}\n"), ("x#a", "{\"a\": 2}\n")]);
    sandbox.run(&["patch", "set", "x#a", "-c", "5", "--as", "json"]).exits(2).tells("needs a key");
    assert_eq!(std::fs::read(sandbox.path("x")).unwrap(), b"{\"a\": 1}\n");
}

#[test]
fn an_entry_is_moved_into_the_mapping_above_it() {
    let text = "[p]\nx = 1\n\n[d]\ny = 1\n";
    let moved = ["move", "--key", "d", "--to", "a.toml#p.d"];
    makes("a.toml", text, &moved, &text.replace("[d]", "[p.d]"));
    let moved = ["move", "--key", "b", "--to", "a.yml#a"];
    makes("a.yml", "a:\n  x: 1\nb: 2", &moved, "a:\n  x: 1\n  b: 2");
}

#[test]
fn a_tag_moves_with_its_value() {
    let text =
        "a:\n  v: &x !Ref X\n  l: !If\n    - C\n    - !vault |\n      $A\nb: [!Sub 'c', d]\n";
    let copy = |key, to| ["copy", "--key", key, "--to", to];
    let value = "c: !If\n  - C\n  - !vault |\n    $A\n";
    makes("a.yml", text, &copy("a.l", "a.yml#c"), &format!("{text}{value}"));
    makes("a.yml", text, &copy("a.v", "a.yml#b"), &text.replace("d]", "d, !Ref X]"));
    makes("a.yml", text, &["delete", "--key", "b[0]"], &text.replace("!Sub 'c', ", ""));
    makes("a.yml", "e: !t\n  k: 1\n", &["delete", "--key", "e.k"], "e: !t {}\n");
    let sandbox = Sandbox::with(&[("a.yml", text), ("b.yml", "k: 1\n"), ("c.json", "{}\n")]);
    let moved = ["patch", "move", "a.yml", "--key", "b[0]", "--to"];
    sandbox.run(&[&moved[..], &["c.json#k"]].concat()).exits(2).tells("the tag !Sub would be lost");
    sandbox.run(&[&moved[..], &["b.yml#t"]].concat()).succeeds();
    assert_eq!(std::fs::read_to_string(sandbox.path("b.yml")).unwrap(), "k: 1\nt: !Sub 'c'\n");
}

#[test]
fn a_choice_of_types_is_noted() {
    let ci = "python-version: [\"3.8\", \"3.9\"]\n";
    let append = ["append", "--key", "python-version", "-c", "3.10"];
    let edited = makes("ci.yml", ci, &append, &ci.replace("]", ", \"3.10\"]"));
    let note = "'3.10' is written as a string, like the other items of the list; \
                to write a float: --type float";
    assert_eq!(edited.records[0]["warnings"], json!([note]));
    let typed = [&append[..], &["--type", "float"]].concat();
    let edited = makes("ci.yml", ci, &typed, &ci.replace("]", ", 3.10]"));
    assert!(edited.records[0].get("warnings").is_none(), "{edited:?}");
}

#[test]
fn entries_are_inserted_beside_keys_of_front_matter() {
    let text = "---\ntags:\n  - a\nz: 1\n---\nbody\n";
    let insert = |key, side, content| ["insert", "--key", key, side, "-c", content];
    let item = insert("tags[0]", "--before", "q");
    makes("a.md", text, &item, &text.replace("  - a", "  - q\n  - a"));
    let line = insert("z", "--before", "y: 0");
    makes("a.md", text, &line, &text.replace("z: 1", "y: 0\nz: 1"));
    let first = insert("tags", "--before", "y: 0");
    makes("a.md", text, &first, &text.replace("tags:", "y: 0\ntags:"));
    let toml = "+++\na = 1\n+++\n";
    let line = insert("a", "--after", "b = 2");
    makes("a.md", toml, &line, "+++\na = 1\nb = 2\n+++\n");
    refused("a.md", text, &insert("z", "--before", "0"), 2, "the content is not one entry");
}

#[test]
fn the_tag_of_a_key_is_not_lost() {
    for text in ["!T a: 1\nb: {}\n", "? !T a\n: 1\nb: {}\n"] {
        let message = "the tag !T of the key would be lost";
        refused("a.yml", text, &["copy", "--key", "a", "--to", "a.yml#b"], 2, message);
        refused("a.yml", text, &["move", "--key", "a", "--to", "a.yml#b"], 2, message);
    }
}

#[test]
fn an_item_in_brackets_is_replaced_like_its_value() {
    let text = "v: [\"3.8\", \"3.9\"]\nw: \"1\"\n";
    let replace = ["replace", "--key", "v[0]", "-c", "3.10"];
    makes("a.yml", text, &replace, &text.replace("3.8", "3.10"));
    let sandbox = Sandbox::with(&[("a.yml", text)]);
    let run = sandbox.run(&["patch", "replace", "a.yml", "--key", "w", "-c", "w: 2"]).exits(0);
    run.tells("'w' was a string, and is an integer now");
}

#[test]
fn messages_have_the_article_of_a_type() {
    refused("a.yml", "a: 1\n", &["append", "--key", "a", "-c", "2"], 2, "'a' is an integer");
}

#[test]
fn scalars_in_the_content_are_compared_with_those_of_the_same_key() {
    let note = "'v' is a float, but the other values of this key are strings";
    for (name, text, arguments) in [
        ("a.yml", "x: [{v: '1'}]\n", &["append", "--key", "x", "-c", "v: 3.10"][..]),
        ("a.yml", "b: {v: '1'}\n", &["set", "--key", "c", "-c", "{v: 3.10}"]),
        ("a.yml", "v: '1'\nb: 1\n", &["set", "--key", "b", "-c", "{v: 3.10}"]),
        ("a.yml", "v: '1'\nb: {x: 1}\n", &["insert", "--key", "b.x", "--after", "-c", "v: 3.10"]),
        ("a.toml", "[d]\na = { v = '1' }\n", &["set", "--key", "d.b", "-c", "{ v = 3.10 }"]),
        ("a.json", "{\"v\": \"1\"}\n", &["set", "--key", "b", "-c", "{\"v\": 3.10}"]),
    ] {
        edits::edited(name, text, arguments).0.exits(0).tells(note);
    }
    let json = ["set", "--key", "b", "--type", "json", "-c", "{\"v\": 3.10}"];
    edits::edited("a.json", "{\"v\": \"1\"}\n", &json).0.succeeds();
}
