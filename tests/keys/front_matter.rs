//! Front matter of Markdown documents and its keys.

use super::{check_invalid, check_missing, in_front_matter};
use crate::support::Sandbox;
use crate::support::edits::{
    check_edit, check_edit_and_undo, check_refused, check_text_edit, edit, edited,
};

#[test]
fn front_matter_has_keys_too() {
    let before = "---\ntitle: Old # note\n---\n# A\n";
    check_edit_and_undo(
        "a.md",
        before,
        &["replace", "--front-matter", "--key", "title", "--value", "-c", "New"],
        "---\ntitle: New # note\n---\n# A\n",
    );
    check_edit_and_undo(
        "a.md",
        before,
        &["insert", "--front-matter", "--key", "date", "--value", "-c", "2026"],
        "---\ntitle: Old # note\ndate: 2026\n---\n# A\n",
    );
    check_edit_and_undo("a.md", before, &["delete", "--front-matter"], "# A\n");
}

#[test]
fn front_matter_is_edited_in_any_syntax() {
    let set = |key: &'static str, value: &'static str| {
        ["replace", "--front-matter", "--key", key, "--value", "-c", value]
    };
    let lines = |key: &'static str, line: &'static str| {
        ["replace", "--front-matter", "--key", key, "-c", line]
    };
    let insert = ["insert", "--front-matter", "--key", "z", "--value", "-c", "1"];
    let indented = "---\n\n  # note\n  title: Old  # why\n  list:\n    - a\n---";
    let with = |old: &str, new: &str| indented.replace(old, new);
    check_edit_and_undo("a.md", indented, &set("title", "New"), &with("Old", "New"));
    check_edit_and_undo(
        "a.md",
        indented,
        &set("list", "[b]"),
        &with("list:\n    - a", "list: [b]"),
    );
    check_edit_and_undo(
        "a.md",
        indented,
        &lines("list", "  list: b"),
        &with("list:\n    - a", "list: b"),
    );
    check_edit_and_undo("a.md", indented, &insert, &with("    - a\n", "    - a\n  z: 1\n"));
    let delete = ["delete", "--front-matter", "--key", "title"];
    check_edit_and_undo("a.md", indented, &delete, &with("  # note\n  title: Old  # why\n", ""));
    check_edit_and_undo("a.md", indented, &set("title", "a: b"), &with("Old", "'a: b'"));

    let flow = "---\n{title: Old, \"q\": 'x', list: [a, b], none, e: }\n---\n# A\n";
    let with = |old: &str, new: &str| flow.replace(old, new);
    check_edit_and_undo("a.md", flow, &set("title", "New one"), &with("Old", "New one"));
    check_edit_and_undo("a.md", flow, &set("q", "a, b}"), &with("'x'", "'a, b}'"));
    check_edit_and_undo("a.md", flow, &set("list", "[c]"), &with("[a, b]", "[c]"));
    check_edit_and_undo("a.md", flow, &set("e", "1"), &with("e: }", "e: 1 }"));
    for value in ["a, b", "a}", "a: b", "[a", "a{b}", "x # y"] {
        check_edit_and_undo(
            "a.md",
            flow,
            &set("title", value),
            &with("Old", &format!("'{value}'")),
        );
    }
    check_edit_and_undo("a.md", flow, &set("none", "1"), &with("none", "none: 1"));
    check_edit_and_undo("a.md", flow, &lines("title", "title: x"), &with("Old", "x"));
    check_edit_and_undo("a.md", flow, &delete, &with("title: Old, ", ""));
    check_edit_and_undo("a.md", flow, &insert, &with("e: }", "e:, z: 1 }"));
    check_edit_and_undo("a.md", "---\n---\n", &insert, "---\nz: 1\n---\n");
    check_edit_and_undo("a.md", "---\n\n---", &insert, "---\n\nz: 1\n---");

    let long = format!("---\ntitle: x\nwords: {}\n---\n# A\n", "w ".repeat(70_000));
    check_edit_and_undo("a.md", &long, &set("title", "z"), &long.replace("title: x", "title: z"));
    let heading = ["replace", "--heading", "A", "-c", "# B"];
    check_edit_and_undo("a.md", &long, &heading, &long.replace("# A", "# B"));
    let closing = ["delete", "--lines", "4"];
    check_refused("a.md", &format!("{long}\n---\n"), &closing, 4, "STRUCTURE_CHANGED");
}

#[test]
fn a_directory_is_reported_with_a_command_for_all_its_documents() {
    let sandbox = Sandbox::with(&[("d/a.md", "---\nt: 1\n---\n"), ("d/b.md", "---\nk: 2\n---\n")]);
    let set = ["patch", "set", "d", "--front-matter", "--key", "k", "-c", "1"];
    let hint = "folio patch set d --front-matter --key k -c 1 --without-key k";
    let expected = format!("hint: {hint}  # in all documents below it that lack the key\n");
    sandbox.run(&set).exits(2).tells(&expected);
    sandbox.run(&hint.split(' ').skip(1).collect::<Vec<_>>()).exits(0);
    assert_eq!(std::fs::read(sandbox.path("d/a.md")).unwrap(), b"---\nt: 1\nk: 1\n---\n");
    assert_eq!(std::fs::read(sandbox.path("d/b.md")).unwrap(), b"---\nk: 2\n---\n");
}

const PAGE: &str = "---\ntitle: x\nparams:\n  weight: 3 # kg\n  list: [a, b]\nf: {a: 1, b: \"c\"}\nn:\n---\n\n# T\n";

#[test]
fn front_matter_is_set_and_created() {
    let text = "# T\n";
    let made = "---\ntitle: 'Pod: Life'\n---\n\n# T\n";
    check_edit("a.md", text, &in_front_matter("title", "Pod: Life"), made);
    let nested = "---\nparams:\n  weight: 3\n---\n\n# T\n";
    check_edit("a.md", text, &in_front_matter("params.weight", "3"), nested);
    check_edit("a.md", PAGE, &in_front_matter("new", "v"), &PAGE.replace("n:\n", "n:\nnew: v\n"));
    check_invalid("a.txt", "text\n", &in_front_matter("k", "v"), "only Markdown has front matter");
    let toml = "+++\ntitle = \"x\"\n[extra]\nw = 3\n+++\n";
    check_edit(
        "a.md",
        toml,
        &in_front_matter("title", "a \"b\""),
        &toml.replace("\"x\"", "\"a \\\"b\\\"\""),
    );
    check_edit(
        "a.md",
        toml,
        &in_front_matter("new", "it"),
        &toml.replace("[e", "new = \"it\"\n[e"),
    );
    check_edit("a.md", toml, &in_front_matter("extra.w", "4"), &toml.replace('3', "4"));
    check_edit(
        "a.md",
        toml,
        &in_front_matter("extra.z", "y"),
        &toml.replace("= 3\n", "= 3\nz = \"y\"\n"),
    );
    let table = toml.replace("= 3\n", "= 3\n[o]\nz = true\n");
    check_edit("a.md", toml, &in_front_matter("o.z", "true"), &table);
}

#[test]
fn nested_keys_are_parts() {
    let set = |key, value, old: &str, new: &str| {
        check_edit("a.md", PAGE, &in_front_matter(key, value), &PAGE.replace(old, new));
    };
    set("params.weight", "4", "weight: 3", "weight: 4");
    set("params.weight", "a # b", "weight: 3", "weight: 'a # b'");
    set("params.height", "4", "[a, b]\n", "[a, b]\n  height: 4\n");
    set("params.x.y", "4", "[a, b]\n", "[a, b]\n  x:\n    y: 4\n");
    set("n.y", "4", "n:\n", "n:\n  y: 4\n");
    set("f.a", "x, y", "a: 1", "a: \"x, y\"");
    set("f.b", "say \"hi\"", "\"c\"", "\"say \\\"hi\\\"\"");
    set("f.c", "x", "\"c\"}", "\"c\", c: \"x\"}");
    check_missing(PAGE, &in_front_matter("title.c", "x"), "no key 'title.c' in 'title'");
    let delete = ["delete", "--front-matter", "--key", "params.weight"];
    check_edit("a.md", PAGE, &delete, &PAGE.replace("  weight: 3 # kg\n", ""));
    let sandbox = Sandbox::with(&[("a.md", PAGE)]);
    let read = |key| sandbox.run(&["read", "a.md", "--front-matter", "--key", key, "--value"]);
    read("params.weight").succeeds().prints("3\n");
    read("params.list.1").succeeds().prints("b\n");
    read("f.b").succeeds().prints("c\n");
    read("params.lst").exits(1).tells("--key params.list");
    let record = sandbox.run(&["inspect", "--json", "a.md"]).succeeds().json();
    let nested = &record["structure"]["frontmatter"]["nestedKeys"];
    assert_eq!(*nested, serde_json::json!(["params.weight", "params.list", "f.a", "f.b"]));
}

#[test]
fn an_inserted_key_is_at_the_same_place_as_with_set() {
    let insert = |key, value| ["insert", "--front-matter", "--key", key, "--value", "-c", value];
    let after = PAGE.replace("[a, b]\n", "[a, b]\n  height: 4\n");
    check_edit("a.md", PAGE, &insert("params.height", "4"), &after);
    check_invalid("a.md", PAGE, &insert("params.weight", "4"), "already exists");
}

#[test]
fn content_before_front_matter_is_refused_with_a_hint() {
    let edited = edit("a.md", PAGE.as_bytes(), &["insert", "--whole-file", "--before", "-c", "x"]);
    assert!(edited.errors.contains("--front-matter --after  #"), "{}", edited.errors);
}

#[test]
fn a_new_key_of_front_matter_is_a_valid_path() {
    let text = "---\n'a..b': 1\n---\n# A\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    for key in ["x..y", "x.", "a[b", "\"q"] {
        let outcome = sandbox.run(&["patch", "set", "a.md", "--key", key, "-c", "2"]);
        outcome.exits(2).tells(&format!("'a.md': --key '{key}': "));
    }
    sandbox.run(&["patch", "set", "a.md", "--key", "a..b", "-c", "2"]).succeeds();
    let expected = text.replace(": 1", ": 2");
    assert_eq!(std::fs::read_to_string(sandbox.path("a.md")).unwrap(), expected);
}

#[test]
fn unrecognized_front_matter_gets_no_second_one() {
    let set = ["set", "--front-matter", "--key", "k", "-c", "v"];
    for text in [
        "---\n<<<<<<< HEAD\na: 1\n=======\n>>>>>>> b\n---\n",
        "{\"a\": 1}\n\n# T\n",
        "\n---\ntext\n",
    ] {
        check_refused("a.md", text, &set, 2, "but begins no valid front matter");
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
fn entries_are_inserted_beside_keys_of_front_matter() {
    let text = "---\ntags:\n  - a\nz: 1\n---\nbody\n";
    let insert = |key, side, content| ["insert", "--key", key, side, "-c", content];
    let item = insert("tags[0]", "--before", "q");
    check_edit("a.md", text, &item, &text.replace("  - a", "  - q\n  - a"));
    let line = insert("z", "--before", "y: 0");
    check_edit("a.md", text, &line, &text.replace("z: 1", "y: 0\nz: 1"));
    let first = insert("tags", "--before", "y: 0");
    check_edit("a.md", text, &first, &text.replace("tags:", "y: 0\ntags:"));
    let toml = "+++\na = 1\n+++\n";
    let line = insert("a", "--after", "b = 2");
    check_edit("a.md", toml, &line, "+++\na = 1\nb = 2\n+++\n");
    check_refused("a.md", text, &insert("z", "--before", "0"), 2, "the content is not one entry");
}

#[test]
fn front_matter_values_follow_their_own_key() {
    let before = "---\ntitle: 'it''s'\nb: \"say \\\"hi\\\"\"\n\"a: b\": c\nog:title: Hello\n---\n";
    for (key, old, new) in [
        ("title", "'it''s'", "'NEW'"),
        ("b", "\"say \\\"hi\\\"\"", "\"NEW\""),
        ("a: b", "\": c", "\": NEW"),
        ("og:title", "Hello", "NEW"),
    ] {
        let arguments = ["replace", "--front-matter", "--key", key, "--value", "-c", "NEW"];
        let (run, after) = edited("f.md", before, &arguments);
        run.exits(0);
        assert_eq!(after, before.replace(old, new));
    }
}

#[test]
fn front_matter_keeps_its_delimiters() {
    let page = "---\ntitle: x\n---\n# A\n";
    let replace = |content| ["replace", "--front-matter", "-c", content];
    let expected = "---\ntitle: y\n---\n# A\n";
    check_text_edit("a.md", page, &replace("title: y"), expected);
    check_text_edit("a.md", page, &replace("---\ntitle: y\n---"), expected);
    check_text_edit("a.md", page, &replace("+++\na = 1\n+++"), "+++\na = 1\n+++\n# A\n");
}

#[test]
fn front_matter_without_its_last_key_is_still_front_matter() {
    let delete = ["delete", "--front-matter", "--key", "a"];
    let set = ["set", "--front-matter", "--key", "n", "-c", "1"];
    for (before, empty, after) in [
        ("---\na: 1\n---\n# A\n", "---\n{}\n---\n# A\n", "---\n{n: 1}\n---\n# A\n"),
        ("+++\n# a\na = 1\n+++\n# A\n", "+++\n+++\n# A\n", "+++\nn = 1\n+++\n# A\n"),
        ("---toml\na = 1\n---\n", "---toml\n---\n", "---toml\nn = 1\n---\n"),
        (";;;\n{\"a\": 1}\n;;;\n# A\n", ";;;\n{}\n;;;\n# A\n", ";;;\n{\n  \"n\": 1\n}\n;;;\n# A\n"),
        ("{\n  \"a\": 1\n}\n\n# A\n", "{\n}\n\n# A\n", "{\n  \"n\": 1\n}\n\n# A\n"),
    ] {
        check_edit("a.md", before, &delete, empty);
        check_edit("a.md", empty, &set, after);
    }
}

#[test]
fn multi_line_toml_values_are_not_tables() {
    let lists = "+++\nm = [\n[1, 2],\n[3, 4],\n]\n+++\n";
    let set = in_front_matter("title", "x");
    check_edit("a.md", lists, &set, &lists.replace("]\n+++\n", "]\ntitle = \"x\"\n+++\n"));
    let text = "+++\nm = \"\"\"\na\n[x]\nk = 1\n\"\"\"\n[t]\ny = 1\n+++\n";
    check_edit("a.md", text, &set, &text.replace("[t]", "title = \"x\"\n[t]"));
    check_edit("a.md", text, &in_front_matter("k", "x"), &text.replace("[t]", "k = \"x\"\n[t]"));
    let table = "+++\n[params]\nl = [\n[1],\n  [2],\n]\n\n[o]\nx = 1\n+++\n";
    check_edit(
        "a.md",
        table,
        &in_front_matter("params.y", "5"),
        &table.replace("]\n\n", "]\ny = 5\n\n"),
    );
}

#[test]
fn toml_keys_are_inserted_at_valid_places() {
    let set = in_front_matter("params.y", "5");
    let made = |before: &str, after: &str| {
        let page = |text: &str| format!("+++\n{text}\n+++\n");
        check_edit("a.md", &page(before), &set, &page(after));
    };
    made("params.x = 1", "params.x = 1\nparams.y = 5");
    made("[\"params\"]\nx = 1", "[\"params\"]\nx = 1\ny = 5");
    made("[ params ] # c\nx = 1", "[ params ] # c\nx = 1\ny = 5");
    made("[params.o]\nx = 1", "[params]\ny = 5\n\n[params.o]\nx = 1");
    made("x = 1\n", "x = 1\n\n[params]\ny = 5");
    let around = "+++\n[a]\nb.x = 1\n+++\n";
    let set = in_front_matter("a.b.y", "5");
    check_edit("a.md", around, &set, &around.replace("= 1\n", "= 1\nb.y = 5\n"));
    let named = in_front_matter("a b", "5");
    check_edit("a.md", "+++\nx = 1\n+++\n", &named, "+++\nx = 1\n\"a b\" = 5\n+++\n");
    made("params = { x = 1 }", "params = { x = 1, y = 5 }");
    for before in ["[[params]]\nx = 1", "params = 3", "params = [1]"] {
        let page = format!("+++\n{before}\n+++\n");
        let message = "no key 'params.y' in 'params'";
        check_missing(&page, &in_front_matter("params.y", "5"), message);
    }
}

#[test]
fn invalid_toml_values_are_quoted() {
    let page = |value: &str| format!("+++\nv = {value}\n+++\n");
    for value in ["1.2.3", "2nd", "1-2", "[x] y [z]", "3 # x", "1,"] {
        let quoted = page(&format!("\"{value}\""));
        check_edit("a.md", &page("1"), &in_front_matter("v", value), &quoted);
    }
    check_edit("a.md", &page("1"), &in_front_matter("v", "[1, 2]"), &page("[1, 2]"));
}
