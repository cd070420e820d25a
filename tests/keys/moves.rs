//! Entries that are moved and copied, also between formats.

use serde_json::json;

use super::{CARGO, CI, PACKAGE};
use crate::support::Sandbox;
use crate::support::edits::{check_edit, check_refused};

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
fn a_moved_table_or_block_keeps_its_comments_and_types() {
    let moved = |name: &str, text: &str, to: &str, new: &str| {
        check_edit(name, text, &["move", "--key", "a", "--to", to], new);
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
        check_refused("a.toml", text, &["move", "--key", key, "--to", to], 2, "into itself");
    }
}

#[test]
fn comments_move_with_an_entry_or_it_is_not_moved() {
    let top = ["move", "--key", "m.y", "--to", "a.toml#top"];
    check_edit("a.toml", "[m]\n# on y\ny = 2\n", &top, "# on y\ntop = 2\n\n[m]\n");
    let json = "{\n  // on y\n  \"y\": 1,\n  \"n\": {}\n}\n";
    let inner = ["move", "--key", "y", "--to", "a.jsonc#n"];
    check_refused("a.jsonc", json, &inner, 2, "line 3: the comments of the entry would be lost");
    let beside = "{\n  \"y\": 1, // on y\n  \"n\": {}\n}\n";
    check_refused("a.jsonc", beside, &inner, 2, "line 2: the comments of the entry would be lost");
    let flow = ["move", "--key", "y", "--to", "a.yml#n"];
    check_refused(
        "a.yml",
        "y: 1 # on y\nn: {a: 1}\n",
        &flow,
        2,
        "the comments of the entry would be lost",
    );
    check_edit("a.yml", "y: 1  # on y\nn:\n  a: 1\n", &flow, "n:\n  a: 1\n  y: 1  # on y\n");
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
fn a_carried_entry_leaves_its_own_anchor() {
    let text = "c: &c {A: 1}\nd: *c\n";
    let copy = ["copy", "--key", "c", "--to", "a.yml#e"];
    check_edit("a.yml", text, &copy, "c: &c {A: 1}\nd: *c\ne: {A: 1}\n");
}

#[test]
fn an_entry_is_moved_into_the_mapping_above_it() {
    let text = "[p]\nx = 1\n\n[d]\ny = 1\n";
    let moved = ["move", "--key", "d", "--to", "a.toml#p.d"];
    check_edit("a.toml", text, &moved, &text.replace("[d]", "[p.d]"));
    let moved = ["move", "--key", "b", "--to", "a.yml#a"];
    check_edit("a.yml", "a:\n  x: 1\nb: 2", &moved, "a:\n  x: 1\n  b: 2");
}

#[test]
fn a_tag_moves_with_its_value() {
    let text =
        "a:\n  v: &x !Ref X\n  l: !If\n    - C\n    - !vault |\n      $A\nb: [!Sub 'c', d]\n";
    let copy = |key, to| ["copy", "--key", key, "--to", to];
    let value = "c: !If\n  - C\n  - !vault |\n    $A\n";
    check_edit("a.yml", text, &copy("a.l", "a.yml#c"), &format!("{text}{value}"));
    check_edit("a.yml", text, &copy("a.v", "a.yml#b"), &text.replace("d]", "d, !Ref X]"));
    check_edit("a.yml", text, &["delete", "--key", "b[0]"], &text.replace("!Sub 'c', ", ""));
    check_edit("a.yml", "e: !t\n  k: 1\n", &["delete", "--key", "e.k"], "e: !t {}\n");
    let sandbox = Sandbox::with(&[("a.yml", text), ("b.yml", "k: 1\n"), ("c.json", "{}\n")]);
    let moved = ["patch", "move", "a.yml", "--key", "b[0]", "--to"];
    sandbox.run(&[&moved[..], &["c.json#k"]].concat()).exits(2).tells("the tag !Sub would be lost");
    sandbox.run(&[&moved[..], &["b.yml#t"]].concat()).succeeds();
    assert_eq!(std::fs::read_to_string(sandbox.path("b.yml")).unwrap(), "k: 1\nt: !Sub 'c'\n");
}

#[test]
fn the_tag_of_a_key_is_not_lost() {
    for text in ["!T a: 1\nb: {}\n", "? !T a\n: 1\nb: {}\n"] {
        let message = "the tag !T of the key would be lost";
        check_refused("a.yml", text, &["copy", "--key", "a", "--to", "a.yml#b"], 2, message);
        check_refused("a.yml", text, &["move", "--key", "a", "--to", "a.yml#b"], 2, message);
    }
}

#[test]
fn a_key_is_moved_to_a_key_of_a_new_file() {
    let sandbox = Sandbox::with(&[("a.yml", "s:\n  d: 1\nx: 2\n")]);
    sandbox.run(&["patch", "move", "a.yml", "--key", "s", "--to", "new.yml#k.s"]).succeeds();
    assert_eq!(sandbox.text("new.yml"), "k:\n  s:\n    d: 1\n");
    sandbox.run(&["patch", "copy", "a.yml", "--key", "x", "--to", "b.json#x"]).succeeds();
    assert_eq!(sandbox.text("b.json"), "{\"x\": 2}\n");
}

/// An anchor is known only in its document.
#[test]
fn an_alias_is_not_copied_to_another_document() {
    let text = "---\na: &x 1\nb: *x\n---\nc: 2\n";
    let copy = ["copy", "--key", "[0].b", "--to", "a.yml#[1].d"];
    check_edit("a.yml", text, &copy, "---\na: &x 1\nb: *x\n---\nc: 2\nd: 1\n");
    let set = ["set", "--key", "[1].d", "-c", "*x", "--type", "yaml"];
    check_refused("a.yml", text, &set, 2, "no anchor 'x'");
}

#[test]
fn all_entries_of_a_compact_item_are_deleted_together() {
    let delete = |first, second| ["delete", "--key", first, "--key", second];
    let list = "l:\n- - a\n  - b\nz: 1\n";
    check_edit("a.yml", list, &delete("l[0][0]", "l[0][1]"), "l:\n- []\nz: 1\n");
    let aliased = "l:\n  - a: 1\n    b: 2\nd: &x 3\ny: *x\n";
    let left = "l:\n  - {}\nd: &x 3\ny: *x\n";
    check_edit("a.yml", aliased, &delete("l[0].a", "l[0].b"), left);
    let tables = "k = 1\n\n[[s]]\na = 1\n\n[[s]]\nb = 1\n";
    check_edit("a.toml", tables, &delete("s[0]", "s[1]"), "k = 1\n");
}

#[test]
fn comments_are_appended_to_a_list_as_comments() {
    check_edit("a.yml", "- a\n", &["append", "-c", "# c"], "- a\n# c\n");
    check_edit("a.json", "[1]\n", &["append", "-c", "// c"], "[1]\n// c\n");
    let record = ["insert", "--key", "[0].a", "--after", "-c", "\"b\": {\n}"];
    check_refused("a.jsonl", "{\"a\":1}\n", &record, 2, "is on one line");
}

#[test]
fn an_entry_is_moved_within_its_table_or_mapping() {
    let move_to = |key: &'static str, to: &'static str| ["move", "--key", key, "--to", to];
    let scattered = "a.x = 1\nk.y = 2\na.c = 3\n";
    for (name, before, key, to, after) in [
        ("a.toml", scattered, "a", "a.toml#k.n", "k.y = 2\nk.n = { x = 1, c = 3 }\n"),
        ("a.toml", "[t.a.b]\nd = 1\n", "t.a.b", "a.toml#t.b", "[t.b]\nd = 1\n"),
        ("a.toml", "[t.a.b]\nd = 1\n", "t.a.b", "a.toml#t.x.b", "[t.x.b]\nd = 1\n"),
        ("a.toml", "t = {a = 1}\n", "t.a", "a.toml#t.b.a", "t = {b = { a = 1 }}\n"),
        ("a.yml", "t:\n  a:\n    b: 1\n", "t.a", "a.yml#t.c.a", "t:\n  c:\n    a:\n      b: 1\n"),
        ("a.json", "{\"a\": 1}\n", "a", "a.json#b.a", "{\"b\": {\"a\": 1}}\n"),
    ] {
        check_edit(name, before, &move_to(key, to), after);
    }
    let inside = move_to("t.a", "a.yml#t.a.b.c");
    check_refused("a.yml", "t:\n  a:\n    b: {d: 1}\n", &inside, 2, "into itself");
}
