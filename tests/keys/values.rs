//! New values of keys: their type, quotes and style.

use serde_json::json;

use super::{CARGO, CI, PACKAGE, check_invalid, in_front_matter};
use crate::support::Sandbox;
use crate::support::edits::{self, check_edit, check_edit_and_undo, check_refused};

#[test]
fn a_value_is_set_in_its_style() {
    let set = |key: &'static str, content: &'static str| ["set", "--key", key, "-c", content];
    let cargo = |key, content, old: &str, new: &str| {
        check_edit("Cargo.toml", CARGO, &set(key, content), &CARGO.replacen(old, new, 1));
    };
    cargo("package.version", "1.0.0", "0.1.0", "1.0.0");
    cargo("package.edition", "2024", "0.1.0\"\n", "0.1.0\"\nedition = 2024\n");
    cargo("dependencies.serde.optional", "true", "] }", "], optional = true }");
    cargo("profile.release.lto", "true", "] }\n", "] }\n\n[profile.release]\nlto = true\n");
    let ci = |key, content, old: &str, new: &str| {
        check_edit("ci.yml", CI, &set(key, content), &CI.replacen(old, new, 1));
    };
    ci("env.A", "2", "'1'", "'2'");
    ci("on.push.branches[0]", "a b", "main", "a b");
    ci("jobs.test.timeout", "5", "test\n", "test\n    timeout: 5\n");
    let crlf = CI.replace('\n', "\r\n");
    check_edit(
        "ci.yml",
        &crlf,
        &set("env.B", "x"),
        &crlf.replace("'1'\r\n", "'1'\r\n  B: 'x'\r\n"),
    );
    check_edit(
        "package.json",
        PACKAGE,
        &set("scripts.test.x", "1"),
        &PACKAGE.replace("\"c\"\n", "\"c\",\n    \"test\": {\n      \"x\": 1\n    }\n"),
    );
    check_edit(".env", "A=1\n# c\nB='x'\n", &set("B", "it"), "A=1\n# c\nB='it'\n");
}

#[test]
fn a_block_scalar_becomes_a_value_of_another_type() {
    let set = |value, kind| ["set", "--key", "a", "-c", value, "--type", kind];
    for (value, kind) in [("null", "null"), ("5", "int"), ("true", "bool"), ("[1]", "json")] {
        check_edit("a.yml", "a: |\n  x\nb: 1\n", &set(value, kind), &format!("a: {value}\nb: 1\n"));
    }
}

#[test]
fn an_empty_value_in_braces_becomes_a_mapping_or_list() {
    let text = "a: {b: , c: {d}}\n";
    let set = ["set", "--key", "a.b.e", "-c", "1"];
    check_edit("a.yml", text, &set, "a: {b: {e: 1} , c: {d}}\n");
    let set = ["set", "--key", "a.c.d.e", "-c", "1"];
    check_edit("a.yml", text, &set, "a: {b: , c: {d: {e: 1}}}\n");
    let append = ["append", "--key", "a.b", "-c", "x"];
    check_edit("a.yml", text, &append, "a: {b: [x] , c: {d}}\n");
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
        let edited = check_edit(file, before, &set("k", "\"^2\""), after);
        assert!(edited.records[0]["details"].to_string().contains("--type string"), "{edited:?}");
        check_edit(file, before, &set("k", "^2"), after);
        let replace = ["replace", "--key", "k", "-c", "^2"];
        check_edit(file, before, &replace, after);
    }
    let typed = [&set("k", "\"a\"")[..], &["--type", "string"]].concat();
    check_edit("a.json", "{\"k\": \"1\"}\n", &typed, "{\"k\": \"\\\"a\\\"\"}\n");
    check_edit("a.json", "{\"k\": \"1\"}\n", &set("k", "'a'"), "{\"k\": \"'a'\"}\n");
    check_edit("a.yml", "k: v\n", &set("k", "\"a\" and \"b\""), "k: '\"a\" and \"b\"'\n");
}

#[test]
fn the_type_of_a_value_can_be_selected() {
    let set = |kind: &'static str, content: &'static str| {
        ["set", "--key", "a", "-c", content, "--type", kind]
    };
    check_edit("a.yml", "a: 1\n", &set("string", "2"), "a: '2'\n");
    check_edit("a.yml", "a: x\n", &set("int", "2"), "a: 2\n");
    check_edit("a.yml", "a: x\n", &set("null", "null"), "a: null\n");
    check_edit("a.toml", "a = 1\n", &set("json", "{\"b\": [true]}"), "a = { b = [true] }\n");
    check_refused("a.yml", "a: 1\n", &set("int", "x"), 2, "'x' is not of the type integer");
    check_refused(
        "a.yml",
        "a:\n  b: 1\n",
        &["set", "--key", "a", "-c", "2"],
        2,
        "is a mapping with entries",
    );
    check_refused("a.yml", "a: x\n", &set("null", "5"), 2, "'5' is not null");
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
fn a_yaml_tag_determines_the_type() {
    let text = "a: !!str 12\n";
    let message = "the tag !!str determines the type of this value";
    for (content, kind) in [("5", "int"), ("{}", "json")] {
        check_refused(
            "a.yml",
            text,
            &["set", "--key", "a", "-c", content, "--type", kind],
            2,
            message,
        );
    }
    check_edit("a.yml", text, &["set", "--key", "a", "-c", "x"], "a: !!str x\n");
}

#[test]
fn a_choice_of_types_is_noted() {
    let ci = "python-version: [\"3.8\", \"3.9\"]\n";
    let append = ["append", "--key", "python-version", "-c", "3.10"];
    let edited = check_edit("ci.yml", ci, &append, &ci.replace("]", ", \"3.10\"]"));
    let note = "'3.10' is written as a string, like the other items of the list; \
                to write a float: --type float";
    assert_eq!(edited.records[0]["warnings"], json!([note]));
    let typed = [&append[..], &["--type", "float"]].concat();
    let edited = check_edit("ci.yml", ci, &typed, &ci.replace("]", ", 3.10]"));
    assert!(edited.records[0].get("warnings").is_none(), "{edited:?}");
}

#[test]
fn an_item_in_brackets_is_replaced_like_its_value() {
    let text = "v: [\"3.8\", \"3.9\"]\nw: \"1\"\n";
    let replace = ["replace", "--key", "v[0]", "-c", "3.10"];
    check_edit("a.yml", text, &replace, &text.replace("3.8", "3.10"));
    let sandbox = Sandbox::with(&[("a.yml", text)]);
    let run = sandbox.run(&["patch", "replace", "a.yml", "--key", "w", "-c", "w: 2"]).exits(0);
    run.tells("'w' was a string, and is an integer now");
}

#[test]
fn messages_have_the_article_of_a_type() {
    check_refused("a.yml", "a: 1\n", &["append", "--key", "a", "-c", "2"], 2, "'a' is an integer");
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

#[test]
fn values_of_several_lines_are_indented() {
    let json =
        "{\n  \"a\": {\n    \"x\": [\n      1\n    ]\n  },\n  \"b\": {\n    \"c\": {}\n  }\n}\n";
    let inner = "{\n      \"a\": {\n        \"x\": [\n          1\n        ]\n      }\n    }";
    let copy = ["copy", "--key", "a", "--to", "a.json#b.c"];
    let copied = json.replace("\"c\": {}", &format!("\"c\": {inner}"));
    check_edit("a.json", json, &copy, &copied);
    let crlf = |text: &str| text.replace('\n', "\r\n");
    check_edit("a.json", &crlf(json), &copy, &crlf(&copied));
    let set = ["set", "--key", "b.c", "--type", "json", "-c", "{\n  \"x\": 1\n}"];
    let set_to = "\"c\": {\n      \"x\": 1\n    }";
    check_edit("a.json", json, &set, &json.replace("\"c\": {}", set_to));
}

#[test]
fn a_block_scalar_without_final_line_ending_is_not_changed() {
    let text = "s:\n  - run: |\n      x";
    let message = "has no line ending; add one first";
    check_refused("a.yml", text, &["append", "--key", "s", "-c", "y"], 2, message);
    check_refused("a.yml", text, &["set", "--key", "t", "-c", "y"], 2, message);
    let ended = format!("{text}\n");
    check_edit("a.yml", &ended, &["set", "--key", "t", "-c", "y"], &format!("{ended}t: 'y'\n"));
}

#[test]
fn a_literal_block_at_the_end_gets_a_line_ending() {
    let set = |content| ["set", "--key", "n", "-c", content];
    check_edit("a.yml", "m: 1", &set("x: |\n  2"), "m: 1\nn:\n  x: |\n    2\n");
    check_edit("a.yml", "m: 1", &set("x: 1\ny: 2\n"), "m: 1\nn:\n  x: 1\n  y: 2");
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
        check_refused(name, text, &replace, 2, "the content is not an entry");
    }
}

const INI: &str =
    "; top\n[database]\nhost = \"localhost\" ; main\nport=5432\n\n[cache]\nttl = 60\n";

#[test]
fn keys_keep_the_text_around_their_value() {
    let check =
        |arguments: &[&str], after: &str| check_edit_and_undo("a.ini", INI, arguments, after);
    let with = |old: &str, new: &str| INI.replace(old, new);
    let database = ["--section", "database", "--key"];
    let of = |operation: &'static str, key: &'static str, rest: &[&'static str]| {
        [&[operation], &database[..], &[key], rest].concat()
    };
    check(&of("replace", "host", &["--value", "-c", "db"]), &with("\"localhost\"", "\"db\""));
    check(&of("replace", "port", &["--value", "-c", "1"]), &with("port=5432", "port=1"));
    check(&of("replace", "port", &["-c", "port = 1"]), &with("port=5432", "port = 1"));
    check(&of("insert", "user", &["-c", "user = me"]), &with("5432\n", "5432\nuser = me\n"));
    check(&of("insert", "user", &["--value", "-c", "me"]), &with("5432\n", "5432\nuser=me\n"));
    check(&of("delete", "port", &[]), &with("port=5432\n", ""));
    check(&["append", "--section", "database", "-c", "x = 1"], &with("5432\n", "5432\nx = 1\n"));
    check_refused(
        "a.ini",
        INI,
        &of("replace", "host", &["--value", "-c", "a\"b ; c"]),
        2,
        "INVALID_ARGUMENT",
    );
    check_refused("a.ini", INI, &of("insert", "port", &["-c", "port=5432"]), 1, "ALREADY_APPLIED");
}

#[test]
fn a_value_must_be_one_line_that_can_be_read_back() {
    let ini = "[a]\nk = 1\n[b]\nx = 1\n";
    let insert =
        |rest: [&'static str; 3]| [&["insert", "--section", "a", "--key", "n"], &rest[..]].concat();
    check_refused("a.ini", ini, &insert(["--value", "-c", "5\n[evil]"]), 2, "INVALID_ARGUMENT");
    let line = ["insert", "--section", "a", "--key", "n", "-c", "n = 5\n[evil]\nz = 1"];
    check_refused("a.ini", ini, &line, 2, "INVALID_ARGUMENT");
    let replace = ["replace", "--section", "a", "--key", "k", "--value", "-c", "5\n[evil]"];
    check_refused("a.ini", ini, &replace, 2, "INVALID_ARGUMENT");
    check_edit("a.ini", ini, &insert(["--value", "-c", "5"]), "[a]\nk = 1\nn = 5\n[b]\nx = 1\n");
    let yaml = "---\nq: x\nr: 'x'\n---\n";
    for value in
        ["# b", "a: b", "b:", "- x", "[x", "*x", "&x", "!x", "'x", "%x", "@x", "`x", "x #y"]
    {
        let content = format!("--content={value}");
        let set = ["replace", "--front-matter", "--key", "q", "--value", &content];
        let quoted = match value {
            // The key beside it has single quotes.
            "'x" => "'''x'".to_owned(),
            _ => format!("'{value}'"),
        };
        check_edit("a.md", yaml, &set, &yaml.replace("q: x", &format!("q: {quoted}")));
    }
    let quoted = ["replace", "--front-matter", "--key", "r", "--value", "-c", "a: b # c"];
    check_edit("a.md", yaml, &quoted, "---\nq: x\nr: 'a: b # c'\n---\n");
}

#[test]
fn values_are_quoted_if_necessary() {
    let value = |content| ["replace", "--front-matter", "--key", "title", "--value", "-c", content];
    let check = |before: &str, content, after: &str| {
        let page = |line: &str| format!("---\n{line}\n---\n");
        check_edit("a.md", &page(before), &value(content), &page(after));
    };
    check("title: x", "Pod: Life", "title: 'Pod: Life'");
    check("title: x", "plain", "title: plain");
    check("title: x # c", "[a, b]", "title: '[a, b]' # c");
    check("title: 'x'", "it's", "title: 'it''s'");
    check("title: \"x\"", "a \\ \"b\"", "title: \"a \\\\ \\\"b\\\"\"");
    check("title:", "*x", "title: '*x'");
    check("other: {{ x }}\ntitle: y", "z", "other: {{ x }}\ntitle: z");
    let invalid = "---\nother: {{ x }}: {{ y }}\ntitle: y\n---\n";
    check_invalid("a.md", invalid, &value("z"), "line 2, column 15: invalid YAML");
}

#[test]
fn a_byte_order_mark_is_not_part_of_a_key() {
    let text = "\u{feff}[a]\nx = 1\n";
    check_edit("a.ini", text, &["set", "--key", "a.x", "-c", "v"], "\u{feff}[a]\nx = v\n");
    check_edit("a.ini", "\u{feff}x = 1\n", &["set", "--key", "x", "-c", "v"], "\u{feff}x = v\n");
}

#[test]
fn keys_without_values_get_a_value() {
    let set = ["set", "--key", "skip", "-c", "y"];
    check_edit("a.ini", "k = 1\nskip\nz = 2\n", &set, "k = 1\nskip = y\nz = 2\n");
    check_edit("a.ini", "k=1\nskip # c\n", &set, "k=1\nskip=y # c\n");
    let set = ["set", "--key", "SKIP", "-c", "y"];
    check_edit(
        "a.ini",
        "[a]\nx: 1\n[b]\n  skip",
        &[&set[..], &["--section", "b"]].concat(),
        "[a]\nx: 1\n[b]\n  skip: y",
    );
    let set = ["set", "--key", "B", "-c", "y"];
    check_edit(".env", "A=1\nexport B=2\n", &set, "A=1\nexport B=y\n");
    check_edit(".env", "export A=1\n", &set, "export A=1\nexport B=y\n");
}

#[test]
fn a_comment_after_a_new_value_is_kept() {
    let set = in_front_matter("t", "x");
    check_edit("a.md", "---\nt:   # c\n---\n", &set, "---\nt: x   # c\n---\n");
    let nested = in_front_matter("o.t", "x");
    check_edit("a.md", "---\no:\n  t:  # c\n---\n", &nested, "---\no:\n  t: x  # c\n---\n");
}
