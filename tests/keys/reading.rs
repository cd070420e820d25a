//! Keys that are read and found: their values, lines and paths.

use serde_json::{Value, json};

use super::{CARGO, CI, PACKAGE};
use crate::support::Sandbox;
use crate::support::edits::{check_edit, check_refused};

#[track_caller]
fn value(name: &str, text: &str, key: &str, expected: &str) {
    let sandbox = Sandbox::with(&[(name, text)]);
    sandbox.run(&["read", name, "--key", key, "--value"]).exits(0).prints(format!("{expected}\n"));
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
fn names_in_the_file_determine_the_steps_of_a_path() {
    let yaml = "m:\n  app.io/name: x\n  a: {}\n'[md]': {e.w: 1}\n";
    let set = |key| ["set", "--key", key, "-c", "y"];
    check_edit("a.yml", yaml, &set("m.app.io/name"), &yaml.replace("name: x", "name: 'y'"));
    check_edit("a.yml", yaml, &set("[md].e.w"), &yaml.replace("e.w: 1", "e.w: 'y'"));
    check_edit(
        "a.yml",
        yaml,
        &["delete", "--key", "m.app.io/name"],
        &yaml.replace("  app.io/name: x\n", ""),
    );
    check_edit(
        "a.yml",
        yaml,
        &["rename", "--key", "m.app.io/name", "-c", "n.m"],
        &yaml.replace("app.io/name", "n.m"),
    );
    check_edit(
        "a.yml",
        yaml,
        &["insert", "--key", "m.a.'b.c'", "-c", "1"],
        &yaml.replace("{}", "{b.c: 1}"),
    );
    let nested = check_edit("a.yml", "m: {a.b: 1}\n", &set("m.c.d"), "m: {a.b: 1, c: {d: 'y'}}\n");
    assert_eq!(nested.records[0]["details"], json!(["in the new mapping 'm.c'"]));
    let sandbox = Sandbox::with(&[("d/a.yml", yaml), ("d/b.yml", "m: {b: 1}\n")]);
    sandbox.run(&["inspect", "--with-key", "m.app.io/name=x", "-l", "d"]).prints("d/a.yml\n");
    sandbox.run(&["patch", "set", "d", "--key", "m.app.io/name", "-c", "z"]).succeeds();
    value("a.yml", yaml, "m.app.io/name", "x");
    let path = ["k"].repeat(20_000).join(".");
    check_refused("a.yml", yaml, &set(&path), 2, "the path has more than 512 levels");
}

#[test]
fn a_name_in_quotes_is_what_was_typed() {
    let set = |key| ["set", "--key", key, "-c", "2"];
    let toml = "[t]\na = 1\n";
    check_edit("a.toml", toml, &set(r#"t."C:\x""#), &format!("{toml}\"C:\\\\x\" = 2\n"));
    check_edit("a.toml", toml, &set(r#"t."C:\new""#), &format!("{toml}\"C:\\\\new\" = 2\n"));
    check_edit("a.toml", toml, &set(r#"t.'x."y"'"#), &format!("{toml}\"x.\\\"y\\\"\" = 2\n"));
    let escaped = "[t]\n\"C:\\\\x\" = 1\n\"a\\tb\" = 1\n";
    for key in [r#"t."C:\x""#, r#"t."C:\\x""#, r#"t.'C:\x'"#] {
        check_edit("a.toml", escaped, &set(key), &escaped.replacen("= 1", "= 2", 1));
    }
    check_edit("a.toml", escaped, &["delete", "--key", r#"t."a\tb""#], "[t]\n\"C:\\\\x\" = 1\n");
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
fn a_file_whose_name_contains_a_hash_is_no_key() {
    let sandbox = Sandbox::with(&[("x", "{\"a\": 1}\n"), ("x#a", "{\"a\": 2}\n")]);
    sandbox.run(&["patch", "set", "x#a", "-c", "5", "--as", "json"]).exits(2).tells("needs a key");
    assert_eq!(std::fs::read(sandbox.path("x")).unwrap(), b"{\"a\": 1}\n");
}
