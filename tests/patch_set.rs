//! Keys: they are set, added if they are missing, and found within other keys.

use crate::support::Sandbox;
use crate::support::edits::{self, edit, makes as check};

#[track_caller]
fn refused(name: &str, before: &str, arguments: &[&str], message: &str) {
    edits::refused(name, before, arguments, 2, message);
}

#[track_caller]
fn missing(before: &str, arguments: &[&str], message: &str) {
    edits::refused("a.md", before, arguments, 1, message);
}

fn in_front_matter<'a>(key: &'a str, value: &'a str) -> [&'a str; 6] {
    ["set", "--front-matter", "--key", key, "-c", value]
}

const SETTINGS: &str = "[a]\nx = 1 ; note\n\n[b]\ny=2\n";

#[test]
fn a_directory_is_reported_with_a_command_for_all_its_documents() {
    let sandbox = Sandbox::with(&[("d/a.md", "---\nt: 1\n---\n"), ("d/b.md", "---\nk: 2\n---\n")]);
    let set = ["patch", "set", "d", "--front-matter", "--key", "k", "-c", "1"];
    let hint = "folio patch set d --front-matter --key k -c 1 --without-key k";
    let told = format!("hint: {hint}  # in all documents below it that lack the key\n");
    sandbox.run(&set).exits(2).tells(&told);
    sandbox.run(&hint.split(' ').skip(1).collect::<Vec<_>>()).exits(0);
    assert_eq!(std::fs::read(sandbox.path("d/a.md")).unwrap(), b"---\nt: 1\nk: 1\n---\n");
    assert_eq!(std::fs::read(sandbox.path("d/b.md")).unwrap(), b"---\nk: 2\n---\n");
}

#[test]
fn values_that_continue_by_the_rules_of_toml_are_refused() {
    let toml = "[a]\nx = 1\nlist = [\n  \"b\",\n]\n[c]\ny = \"\"\"\nz\n\"\"\"\n";
    for (operation, section, key, message) in [
        ("replace", "a", "list", "line 3: the value of 'list' spans several lines"),
        ("delete", "a", "list", "line 3: "),
        ("set", "a", "list", "line 3: "),
        ("set", "a", "new", "line 3: "),
        ("set", "c", "y", "line 7: "),
    ] {
        let content = &["-c", "list = 1"][..if operation == "delete" { 0 } else { 2 }];
        let target = [operation, "--as", "ini", "--section", section, "--key", key];
        let edited = edit("a.toml", toml.as_bytes(), &[&target, content].concat());
        assert_eq!((edited.status, &*edited.after.0), (1, toml.as_bytes()), "{target:?}");
        assert!(edited.errors.contains(message), "{}", edited.errors);
    }
    let x = ["set", "--as", "ini", "--section", "a", "--key", "x", "-c", "2"];
    check("a.toml", toml, &x, &toml.replace("x = 1", "x = 2"));
    check(
        "a.ini",
        "k = [\n  1\n  ]\n",
        &["set", "--key", "l", "-c", "2"],
        "k = [\n  1\n  ]\nl = 2\n",
    );
}

#[test]
fn keys_are_not_added_to_other_formats() {
    let nginx = "http {\n  gzip off;\n}\n";
    for (name, text) in [("nginx.conf", nginx), ("a.xml", "<a/>\n")] {
        let edited =
            edit(name, text.as_bytes(), &["set", "--section", "http", "--key", "gzip", "-c", "on"]);
        assert_eq!((edited.status, &*edited.after.0), (1, text.as_bytes()), "{name}");
        assert!(
            edited.errors.contains("this file is text") && !edited.errors.contains("--as"),
            "{name}"
        );
    }
}

#[test]
fn keys_of_sections_are_set_and_created() {
    let set = |section, key| ["set", "--section", section, "--key", key, "-c", "v w"];
    check("a.ini", SETTINGS, &set("a", "x"), &SETTINGS.replace("x = 1", "x = v w"));
    check("a.ini", SETTINGS, &set("a", "z"), &SETTINGS.replace("note\n", "note\nz = v w\n"));
    check("a.ini", SETTINGS, &set("[n]", "z"), &format!("{SETTINGS}\n[n]\nz=v w\n"));
    let top = ["set", "--key", "z", "-c", "v w"];
    refused("a.ini", SETTINGS, &top, "the new key 'z' needs a section");
    refused("a.service", SETTINGS, &top, "needs a section");
    check(".editorconfig", "[*]\n", &["set", "--key", "root", "-c", "true"], "root = true\n[*]\n");
    check("a.ini", "k = 1\n[a]\n", &top, "k = 1\nz = v w\n[a]\n");
    check("a.ini", "", &set("n", "z"), "[n]\nz = v w\n");
    // The style is that of the last key with a value in any section.
    let bare = "a: 1\n[b]\n x\ny=2\n[c]\nz\n  more\n";
    check("a.ini", bare, &set("b", "x"), &bare.replace(" x\n", " x=v w\n"));
    check("a.ini", "[b]\nx\ny\n", &set("b", "x"), "[b]\nx = v w\ny\n");
    let edited = edit("a.ini", SETTINGS.as_bytes(), &set("A", "x"));
    assert!(edited.records[0]["warnings"][0].as_str().is_some_and(|text| text.contains("'[a]'")));
    let same = edit("a.ini", b"k = v w\n", &["set", "--key", "k", "-c", "v w"]);
    assert_eq!(same.records[0]["status"], "unchanged");
    refused("a.ini", "k = 1\nk = 2\n[x]\n", &["set", "-c", "v"], "needs a key");
    refused("a.ini", SETTINGS, &set("a]b", "x"), "would not be the name");
    refused("a.md", "# A\n", &["set", "--section", "A", "-c", "v"], "needs a key");
    let two = ["set", "--key", "k", "-c", "a\nb"];
    refused("a.ini", SETTINGS, &two, "one line");
    let json = r#"{"filePath":"b.ini","operation":"set","target":{"key":"k"},"content":"v"}"#;
    let sandbox = Sandbox::with(&[("b.ini", "k = 1\n")]);
    sandbox.run_with_input(&["patch", "apply", "-"], json).succeeds();
    assert_eq!(std::fs::read(sandbox.path("b.ini")).unwrap(), b"k = v\n");
}

#[test]
fn sections_of_settings_are_renamed() {
    let rename = |content| ["rename", "--section", "a", "-c", content];
    check("a.ini", SETTINGS, &rename("new"), &SETTINGS.replace("[a]", "[new]"));
    check("a.ini", " [a] ; c\n", &rename("[new]"), " [new] ; c\n");
    let twice = edit("a.ini", SETTINGS.as_bytes(), &rename("b"));
    assert!(twice.records[0]["warnings"][0].as_str().is_some_and(|text| text.contains("line 4")));
    refused("a.ini", SETTINGS, &rename("x]y"), "would not be the name");
    refused("a.ini", SETTINGS, &rename("[]"), "would not be the name");
}

const PAGE: &str = "---\ntitle: x\nparams:\n  weight: 3 # kg\n  list: [a, b]\nf: {a: 1, b: \"c\"}\nn:\n---\n\n# T\n";

#[test]
fn front_matter_is_set_and_created() {
    let text = "# T\n";
    let made = "---\ntitle: 'Pod: Life'\n---\n\n# T\n";
    check("a.md", text, &in_front_matter("title", "Pod: Life"), made);
    let nested = "---\nparams:\n  weight: 3\n---\n\n# T\n";
    check("a.md", text, &in_front_matter("params.weight", "3"), nested);
    check("a.md", PAGE, &in_front_matter("new", "v"), &PAGE.replace("n:\n", "n:\nnew: v\n"));
    refused("a.txt", "text\n", &in_front_matter("k", "v"), "only Markdown has front matter");
    let toml = "+++\ntitle = \"x\"\n[extra]\nw = 3\n+++\n";
    check(
        "a.md",
        toml,
        &in_front_matter("title", "a \"b\""),
        &toml.replace("\"x\"", "\"a \\\"b\\\"\""),
    );
    check("a.md", toml, &in_front_matter("new", "it"), &toml.replace("[e", "new = \"it\"\n[e"));
    check("a.md", toml, &in_front_matter("extra.w", "4"), &toml.replace('3', "4"));
    check(
        "a.md",
        toml,
        &in_front_matter("extra.z", "y"),
        &toml.replace("= 3\n", "= 3\nz = \"y\"\n"),
    );
    let table = toml.replace("= 3\n", "= 3\n[o]\nz = true\n");
    check("a.md", toml, &in_front_matter("o.z", "true"), &table);
}

#[test]
fn nested_keys_are_parts() {
    let set = |key, value, old: &str, new: &str| {
        check("a.md", PAGE, &in_front_matter(key, value), &PAGE.replace(old, new));
    };
    set("params.weight", "4", "weight: 3", "weight: 4");
    set("params.weight", "a # b", "weight: 3", "weight: 'a # b'");
    set("params.height", "4", "[a, b]\n", "[a, b]\n  height: 4\n");
    set("params.x.y", "4", "[a, b]\n", "[a, b]\n  x:\n    y: 4\n");
    set("n.y", "4", "n:\n", "n:\n  y: 4\n");
    set("f.a", "x, y", "a: 1", "a: \"x, y\"");
    set("f.b", "say \"hi\"", "\"c\"", "\"say \\\"hi\\\"\"");
    set("f.c", "x", "\"c\"}", "\"c\", c: \"x\"}");
    missing(PAGE, &in_front_matter("title.c", "x"), "no key 'title.c' in 'title'");
    let delete = ["delete", "--front-matter", "--key", "params.weight"];
    check("a.md", PAGE, &delete, &PAGE.replace("  weight: 3 # kg\n", ""));
    let sandbox = Sandbox::with(&[("a.md", PAGE)]);
    let read = |key| sandbox.run(&["read", "a.md", "--front-matter", "--key", key, "--value"]);
    read("params.weight").succeeds().prints("3\n");
    read("params.list.1").succeeds().prints("b\n");
    read("f.b").succeeds().prints("c\n");
    read("params.lst").exits(1).tells("--key params.list");
    let told = sandbox.run(&["inspect", "--json", "a.md"]).succeeds().json();
    let nested = &told["structure"]["frontmatter"]["nestedKeys"];
    assert_eq!(*nested, serde_json::json!(["params.weight", "params.list", "f.a", "f.b"]));
}

#[test]
fn values_are_quoted_if_necessary() {
    let value = |content| ["replace", "--front-matter", "--key", "title", "--value", "-c", content];
    let check = |before: &str, content, after: &str| {
        let page = |line: &str| format!("---\n{line}\n---\n");
        check("a.md", &page(before), &value(content), &page(after));
    };
    check("title: x", "Pod: Life", "title: 'Pod: Life'");
    check("title: x", "plain", "title: plain");
    check("title: x # c", "[a, b]", "title: '[a, b]' # c");
    check("title: 'x'", "it's", "title: 'it''s'");
    check("title: \"x\"", "a \\ \"b\"", "title: \"a \\\\ \\\"b\\\"\"");
    check("title:", "*x", "title: '*x'");
    check("other: {{ x }}\ntitle: y", "z", "other: {{ x }}\ntitle: z");
    let invalid = "---\nother: {{ x }}: {{ y }}\ntitle: y\n---\n";
    refused("a.md", invalid, &value("z"), "line 2, column 15: invalid YAML");
}

#[test]
fn multi_line_toml_values_are_not_tables() {
    let lists = "+++\nm = [\n[1, 2],\n[3, 4],\n]\n+++\n";
    let set = in_front_matter("title", "x");
    check("a.md", lists, &set, &lists.replace("]\n+++\n", "]\ntitle = \"x\"\n+++\n"));
    let text = "+++\nm = \"\"\"\na\n[x]\nk = 1\n\"\"\"\n[t]\ny = 1\n+++\n";
    check("a.md", text, &set, &text.replace("[t]", "title = \"x\"\n[t]"));
    check("a.md", text, &in_front_matter("k", "x"), &text.replace("[t]", "k = \"x\"\n[t]"));
    let table = "+++\n[params]\nl = [\n[1],\n  [2],\n]\n\n[o]\nx = 1\n+++\n";
    check(
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
        check("a.md", &page(before), &set, &page(after));
    };
    made("params.x = 1", "params.x = 1\nparams.y = 5");
    made("[\"params\"]\nx = 1", "[\"params\"]\nx = 1\ny = 5");
    made("[ params ] # c\nx = 1", "[ params ] # c\nx = 1\ny = 5");
    made("[params.o]\nx = 1", "[params]\ny = 5\n\n[params.o]\nx = 1");
    made("x = 1\n", "x = 1\n\n[params]\ny = 5");
    let around = "+++\n[a]\nb.x = 1\n+++\n";
    let set = in_front_matter("a.b.y", "5");
    check("a.md", around, &set, &around.replace("= 1\n", "= 1\nb.y = 5\n"));
    let named = in_front_matter("a b", "5");
    check("a.md", "+++\nx = 1\n+++\n", &named, "+++\nx = 1\n\"a b\" = 5\n+++\n");
    made("params = { x = 1 }", "params = { x = 1, y = 5 }");
    for before in ["[[params]]\nx = 1", "params = 3", "params = [1]"] {
        let page = format!("+++\n{before}\n+++\n");
        let message = "no key 'params.y' in 'params'";
        missing(&page, &in_front_matter("params.y", "5"), message);
    }
}

#[test]
fn invalid_toml_values_are_quoted() {
    let page = |value: &str| format!("+++\nv = {value}\n+++\n");
    for value in ["1.2.3", "2nd", "1-2", "[x] y [z]", "3 # x", "1,"] {
        let quoted = page(&format!("\"{value}\""));
        check("a.md", &page("1"), &in_front_matter("v", value), &quoted);
    }
    check("a.md", &page("1"), &in_front_matter("v", "[1, 2]"), &page("[1, 2]"));
}

#[test]
fn names_must_be_valid_keys() {
    for name in ["x\n[evil]\ny", "[x]", " x ", "x=y", "x:y", "#x", ";x"] {
        refused("a.ini", SETTINGS, &["set", "--key", name, "-c", "v"], "name of a key");
        let section = ["set", "--section", "a", "--key", name, "-c", "v"];
        refused("a.ini", SETTINGS, &section, "name of a key");
    }
    for name in ["a #b", "? x", "&x", "*x", "!x", "@x", "- x", "a: b"] {
        let page = |name: &str| format!("---\nk: 1\n{name}---\n");
        let quoted = page(&format!("'{name}': v\n"));
        check("a.md", &page(""), &in_front_matter(name, "v"), &quoted);
        let nested = page(&format!("o:\n  '{name}': v\n"));
        check("a.md", &page("o:\n"), &in_front_matter(&format!("o.{name}"), "v"), &nested);
        let made = format!("---\n'{name}': v\n---\n\ntext\n");
        check("a.md", "text\n", &in_front_matter(name, "v"), &made);
    }
    let lines = "---\nk: 1\n\"a\\nb\": v\n---\n";
    check("a.md", "---\nk: 1\n---\n", &in_front_matter("a\nb", "v"), lines);
}

#[test]
fn a_byte_order_mark_is_not_part_of_a_key() {
    let text = "\u{feff}[a]\nx = 1\n";
    check("a.ini", text, &["set", "--key", "a.x", "-c", "v"], "\u{feff}[a]\nx = v\n");
    check("a.ini", "\u{feff}x = 1\n", &["set", "--key", "x", "-c", "v"], "\u{feff}x = v\n");
}

#[test]
fn keys_without_values_get_a_value() {
    let set = ["set", "--key", "skip", "-c", "y"];
    check("a.ini", "k = 1\nskip\nz = 2\n", &set, "k = 1\nskip = y\nz = 2\n");
    check("a.ini", "k=1\nskip # c\n", &set, "k=1\nskip=y # c\n");
    let set = ["set", "--key", "SKIP", "-c", "y"];
    check(
        "a.ini",
        "[a]\nx: 1\n[b]\n  skip",
        &[&set[..], &["--section", "b"]].concat(),
        "[a]\nx: 1\n[b]\n  skip: y",
    );
    let set = ["set", "--key", "B", "-c", "y"];
    check(".env", "A=1\nexport B=2\n", &set, "A=1\nexport B=y\n");
    check(".env", "export A=1\n", &set, "export A=1\nexport B=y\n");
}

#[test]
fn ambiguous_ini_values_are_quoted() {
    for (key, operation) in [("y", "replace"), ("n", "insert")] {
        let sandbox = Sandbox::with(&[("a.ini", SETTINGS)]);
        let set = ["patch", "set", "a.ini", "--section", "b", "--key", key, "-c", "a # b"];
        let whole = format!("{key} = \"a # b\"");
        let hint = format!("folio patch {operation} a.ini --section b --key {key} -c '{whole}'");
        let errors = sandbox.run(&set).errors();
        assert!(errors.contains(&hint), "{errors}");
        let typed = ["--section", "b", "--key", key, "--content", &whole];
        sandbox.run(&[&["patch", operation, "a.ini"], &typed[..]].concat()).succeeds();
    }
}

#[test]
fn files_without_changes_do_not_prevent_other_edits() {
    let old = "# S\n\nthe colour of it\n";
    let done = "# S\n\nthe color of it\n\n# T\n\nthe colour of it\n";
    let sandbox = Sandbox::with(&[("d/a.md", old), ("d/b.md", done)]);
    let edit = |directory: &str| {
        let replace = ["--in", "S", "--text", "the colour of it", "-c", "the color of it"];
        sandbox.run(&[&["patch", "replace", directory], &replace[..]].concat())
    };
    edit("d").succeeds();
    assert_eq!(std::fs::read_to_string(sandbox.path("d/a.md")).unwrap(), old.replace('u', ""));
    assert_eq!(std::fs::read_to_string(sandbox.path("d/b.md")).unwrap(), done);
    assert!(edit("d").errors().contains("already appears"));
}

#[test]
fn a_comment_after_a_new_value_is_kept() {
    let set = in_front_matter("t", "x");
    check("a.md", "---\nt:   # c\n---\n", &set, "---\nt: x   # c\n---\n");
    let nested = in_front_matter("o.t", "x");
    check("a.md", "---\no:\n  t:  # c\n---\n", &nested, "---\no:\n  t: x  # c\n---\n");
}

#[test]
fn an_inserted_key_is_at_the_same_place_as_with_set() {
    let insert = |key, value| ["insert", "--front-matter", "--key", key, "--value", "-c", value];
    let after = PAGE.replace("[a, b]\n", "[a, b]\n  height: 4\n");
    check("a.md", PAGE, &insert("params.height", "4"), &after);
    refused("a.md", PAGE, &insert("params.weight", "4"), "already exists");
}

#[test]
fn conflicts_with_a_new_key_are_named() {
    let items = "---\nauthors:\n- name: A\n---\n";
    let message = "no key 'authors.2.name' in 'authors'";
    missing(items, &in_front_matter("authors.2.name", "x"), message);
    let template = "---\nt: {{ x }}\np:\n  q: 1\n---\n";
    check("a.md", template, &in_front_matter("p.r", "x"), &template.replace("1\n", "1\n  r: x\n"));
    let tables = "+++\n[[menu]]\nn = 1\n+++\n";
    missing(tables, &in_front_matter("menu.n", "x"), "no key 'menu.n' in 'menu'");
    let sandbox = Sandbox::with(&[("a.md", tables)]);
    let replace =
        ["patch", "replace", "a.md", "--front-matter", "--key", "z.y", "--value", "-c", "1"];
    let hint = "folio patch set a.md --front-matter --key z.y -c 1";
    sandbox.run(&replace).exits(1).tells(hint);
}

#[test]
fn a_key_that_occurs_twice_is_ambiguous() {
    let twice = "---\nt: 1\nu: 2\nt: 3\n---\n";
    let edited = edit("a.md", twice.as_bytes(), &in_front_matter("t", "9"));
    assert_eq!(edited.status, 3, "{}", edited.errors);
    assert!(edited.errors.contains("2 entries match 't'"), "{}", edited.errors);
    assert!(edited.errors.contains("--key 't[0]'"), "{}", edited.errors);
    let second = in_front_matter("t[1]", "9");
    check("a.md", twice, &second, "---\nt: 1\nu: 2\nt: 9\n---\n");
    check("a.md", twice, &in_front_matter("u", "9"), "---\nt: 1\nu: 9\nt: 3\n---\n");
}

#[test]
fn content_before_front_matter_is_refused_with_a_hint() {
    let edited = edit("a.md", PAGE.as_bytes(), &["insert", "--whole-file", "--before", "-c", "x"]);
    assert!(edited.errors.contains("--front-matter --after  #"), "{}", edited.errors);
}

/// The setting replaces an example in a comment, as administrators would do it.
#[test]
fn a_commented_example_is_replaced() {
    let set = |key| ["set", "--section", "Journal", "--key", key, "-c", "none"];
    let before = "[Journal]\n# Storage=where logs are\n#Storage=auto ; note\nX=1\n[Other]\n#Y=1\n";
    let after = before.replace("#Storage=auto", "Storage=none");
    check("a.conf", before, &set("Storage"), &after);
    // Neither the example of another section nor a comment that is not an example is replaced.
    let added = before.replace("X=1\n", "X=1\nY=none\n");
    check("a.conf", before, &set("Y"), &added);
    // Several examples.
    let several = "[Journal]\n#Storage=a\n#Storage=b\nX=1\n";
    check("a.conf", several, &set("Storage"), &format!("{several}Storage=none\n"));
    // The line is within a value of several lines.
    let within = "[Journal]\nX=1 \\\n#Storage=a\n  2\n";
    let edited = edit("a.conf", within.as_bytes(), &set("Storage"));
    assert!(String::from_utf8_lossy(&edited.after.0).contains("\n#Storage=a\n"));
    let plain = ["set", "--key", "port", "-c", "5"];
    check("a.conf", "a = 1\n#port = 5432\t# (restart)\n", &plain, "a = 1\nport = 5\t# (restart)\n");
}

/// `set` adds a missing key, so it edits only files with the section.
#[test]
fn keys_are_set_in_each_file_with_the_section() {
    let sandbox = Sandbox::with(&[
        ("a.ini", "[server]\nport = 80\n\n[db]\nport = 1\n"),
        ("b.conf", "[server]\nhost = h\n"),
        ("c.ini", "[other]\nport = 80\n"),
        ("d.toml", "[server]\nport = 80\n"),
        ("e.yaml", "server: 1\n"),
        ("f.md", "# server\n"),
    ]);
    let holds = |name: &str, text: &str| {
        assert_eq!(std::fs::read_to_string(sandbox.path(name)).unwrap(), text);
    };
    let set = ["patch", "set", ".", "--section", "server", "--key", "port", "-c", "81"];
    let run = sandbox.run(&[&set[..], &["--glob", "!b.conf", "--dry-run"]].concat()).exits(0);
    assert!(run.errors().contains("2 places in 2 files"), "{run}");
    let run = sandbox.run(&set).exits(0);
    assert!(run.text().contains("3 places in 3 files"), "{run}");
    holds("a.ini", "[server]\nport = 81\n\n[db]\nport = 1\n");
    holds("b.conf", "[server]\nhost = h\nport = 81\n");
    holds("c.ini", "[other]\nport = 80\n");
    holds("d.toml", "[server]\nport = 81\n");
    holds("e.yaml", "server: 1\n");
    let none = ["patch", "set", ".", "--section", "none", "--key", "port", "-c", "81"];
    sandbox.run(&none).exits(1).tells("none of 6 files contains --section none --key port");
    // Without a section, every file could be edited.
    sandbox.run(&["patch", "set", ".", "--key", "port", "-c", "81"]).exits(2);
}

#[test]
fn the_name_of_an_ini_file_determines_where_a_value_ends() {
    let set = |key| ["set", "--key", key, "-c", "new"];
    let git = "[user]\nname = Me\n\temail = me@x\n";
    check(".gitconfig", git, &set("user.name"), &git.replace("Me", "new"));
    let quoted = "[a]\nx = \"b;c\" d#e\n";
    check(".gitconfig", quoted, &set("a.x"), "[a]\nx = new#e\n");
    let escaped = "[a]\nx = \"b\\\\c\" # d\n";
    check(
        ".gitconfig",
        escaped,
        &["set", "--key", "a.x", "-c", r"C:\d"],
        &escaped.replace("b", "C:").replace('c', "d"),
    );
    check("a.ini", "[a]\nx = 1\n", &["set", "--key", "a.x", "-c", "\"b c\""], "[a]\nx = \"b c\"\n");
    let keys = "[Desktop Entry]\nName=X\nName[de]=Y\n";
    let german = ["set", "--key", "Desktop Entry.Name[de]", "-c", "Z"];
    check("a.desktop", keys, &german, &keys.replace('Y', "Z"));
    let added = "[*]\na = 1\n\n[*.py]\nb = 2\n";
    let of_suffix = ["set", "--key", "*.py.b", "-c", "2"];
    check(".editorconfig", "[*]\na = 1\n", &of_suffix, added);
    let npm = ["set", "--key", "@a:b", "-c", "x#y"];
    check(".npmrc", "@a:b=1 ; c\n", &npm, "@a:b=\"x#y\" ; c\n");
    check(
        "a.ini",
        "[a]\nk = \"a\", \"b\"\n",
        &["set", "--key", "a.k", "-c", "\"c\""],
        "[a]\nk = \"c\"\n",
    );
    let same_line = ["set", "--key", "a.k", "-c", "2"];
    refused(".gitconfig", "[a] k = 1\n", &same_line, "the line of its section");
    let beside = "[z]\ny = 1\n[core] k = v\n[a \"q\\\"x\"]\nb = 1\n";
    check(
        ".gitconfig",
        beside,
        &["delete", "--section", "z"],
        beside.trim_start_matches("[z]\ny = 1\n"),
    );
    let list = "[options]\nrequires =\n  a\n  b\n";
    edits::refused("setup.cfg", list, &["delete", "--key", "options.requires[0]"], 1, "no key");
    let unit = "[Service]\nExecStart=/a \"b ; c\"\n  # d\n  Restart=no\n";
    let start = "Service.ExecStart";
    check("x.service", unit, &set(start), &unit.replace("/a \"b ; c\"", "new"));
    check("x.service", unit, &["delete", "--key", start], "[Service]\n  # d\n  Restart=no\n");
    let editor = "[*]\nindent_style = space\n  indent_size = 4\n";
    let delete = ["delete", "--section", "*", "--key", "indent_style"];
    check(".editorconfig", editor, &delete, "[*]\n  indent_size = 4\n");
    check("a.conf", editor, &delete, "[*]\n  indent_size = 4\n");
    check("setup.cfg", editor, &delete, "[*]\n");
}

#[test]
fn the_key_may_be_in_the_address() {
    let sandbox = Sandbox::with(&[("a.yaml", "a:\n  b: 'x y'\n"), ("a.ini", "[a]\nb = 1\n")]);
    sandbox.run(&["read", "a.yaml#a.b", "--value"]).exits(0).prints("x y\n");
    sandbox.run(&["read", "a.yaml", "--value"]).exits(2).tells("--value needs --key");
    sandbox.run(&["patch", "set", "a.yaml#a.b", "-c", "z"]).exits(0);
    sandbox.run(&["patch", "set", "a.ini#a.c", "-c", "2"]).exits(0);
    assert_eq!(std::fs::read(sandbox.path("a.yaml")).unwrap(), b"a:\n  b: 'z'\n");
    assert_eq!(std::fs::read(sandbox.path("a.ini")).unwrap(), b"[a]\nb = 1\nc = 2\n");
}

#[test]
fn keys_with_merge_conflicts_are_refused() {
    let text = "[a]\n<<<<<<< HEAD\nb = 1\n=======\nb = 2\n>>>>>>> x\n";
    for (name, key) in [("a.ini", "a.c"), (".gitconfig", "d.b"), ("a.properties", "b")] {
        let set = ["set", "--key", key, "-c", "2"];
        refused(name, text, &set, "line 2, column 1: invalid");
    }
    let text = &format!("{text}[d]\nx = 1\n");
    check("a.ini", text, &["delete", "--section", "d"], text.trim_end_matches("[d]\nx = 1\n"));
}

#[test]
fn a_key_of_a_section_is_set_in_each_file_with_the_section() {
    let sandbox = Sandbox::with(&[("d/a.service", "[Unit]\nA=1\n"), ("d/b.yaml", "A: 1\n")]);
    sandbox.run(&["patch", "set", "d", "--key", "Unit.A", "-c", "2"]).exits(0);
    assert_eq!(std::fs::read(sandbox.path("d/a.service")).unwrap(), b"[Unit]\nA=2\n");
    let set = ["patch", "set", "d", "--key", "A", "-c", "2"];
    let hint = ["--with-key", "A"];
    sandbox.run(&set).exits(2).tells("patch set d --key A -c 2 --with-key A");
    sandbox.run(&[&set[..], &hint].concat()).exits(0);
    assert_eq!(std::fs::read(sandbox.path("d/b.yaml")).unwrap(), b"A: 2\n");
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

const PEERS: &str = "[Interface]\nKey = 0\n\n[Peer]\nKey = a\n\n[Peer]\nKey = b\nPort = 1\n";

#[test]
fn names_of_ini_sections_may_contain_dots_and_brackets() {
    let text = "root = true\n\n[*.[ch]]\nx = 1\n\n[{a,[bc]}.py]\ny = 1\n";
    let set = |key| ["set", "--key", key, "-c", "2"];
    check(".editorconfig", text, &set("*.[ch].x"), &text.replace("x = 1", "x = 2"));
    check(".editorconfig", text, &set("*.[ch].z"), &text.replace("x = 1\n", "x = 1\nz = 2\n"));
    check(".editorconfig", text, &set("{a,[bc]}.py.y"), &text.replace("y = 1", "y = 2"));
    check(".editorconfig", text, &set("\"*.[ch]\".x"), &text.replace("x = 1", "x = 2"));
    check(".editorconfig", text, &["delete", "--key", "*.[ch].x"], &text.replace("x = 1\n", ""));
    let rename = ["rename", "--key", "*.[ch].x", "-c", "z"];
    check(".editorconfig", text, &rename, &text.replace("x =", "z ="));
    for section in ["*.[ch]", "[*.[ch]]"] {
        let set = ["set", "--section", section, "--key", "x", "-c", "2"];
        check(".editorconfig", text, &set, &text.replace("x = 1", "x = 2"));
    }
    for key in ["[ab].[cd].x", "*.rs.x", "file[12].x"] {
        let added = format!("{text}\n[{}]\nx = 2\n", key.trim_end_matches(".x"));
        check(".editorconfig", text, &set(key), &added);
    }
    check(".editorconfig", "root = true\n", &set("*.c.x"), "root = true\n\n[*.c]\nx = 2\n");
    let git = "[branch \"a.b\"]\n\tmerge = 1\n";
    for key in ["branch.a.b.merge", "branch.\"a.b\".merge"] {
        check(".gitconfig", git, &set(key), &git.replace('1', "2"));
    }
}

#[test]
fn names_of_ini_keys_may_be_in_quotes() {
    let set = |key| ["set", "--key", key, "-c", "2"];
    let text = "//r.io/:_authToken=1\n";
    for key in ["//r.io/:_authToken", "\"//r.io/:_authToken\"", "'//r.io/:_authToken'"] {
        check(".npmrc", text, &set(key), &text.replace('1', "2"));
        check(".npmrc", text, &["delete", "--key", key], "");
        check(".npmrc", "", &set(key), "//r.io/:_authToken = 2\n");
        check(".npmrc", "a=1\n", &set(key), "a=1\n//r.io/:_authToken=2\n");
    }
    check(".npmrc", "\"q\"=1\n", &set("\"q\""), "\"q\"=2\n");
    check("a.ini", "[s]\na = 1\n", &set("s.\"b.c\""), "[s]\na = 1\nb.c = 2\n");
    let edited = check("a.ini", "a = 1\n", &set("b.c"), "a = 1\nb.c = 2\n");
    assert_eq!(edited.records[0]["details"], serde_json::json!(["as a key named 'b.c'"]));
    let edited = check("a.ini", "[a]\nx = 1\n", &set("b.c"), "[a]\nx = 1\n\n[b]\nc = 2\n");
    assert_eq!(edited.records[0]["details"], serde_json::json!(["in the new section '[b]'"]));
}

#[test]
fn a_number_selects_one_of_several_ini_sections() {
    let set = |key| ["set", "--key", key, "-c", "x"];
    check("wg0.conf", PEERS, &set("Peer[2].Key"), &PEERS.replace("= b", "= x"));
    check("wg0.conf", PEERS, &set("Peer.Port"), &PEERS.replace("Port = 1", "Port = x"));
    let added = PEERS.replace("= a\n", "= a\nPort = x\n");
    check("wg0.conf", PEERS, &set("Peer[1].Port"), &added);
    let delete = ["delete", "--key", "Peer[2].Port"];
    check("wg0.conf", PEERS, &delete, &PEERS.replace("Port = 1\n", ""));
    for (key, status, hint) in [
        ("Peer.Key", 3, "--key 'Peer[1].Key'"),
        ("Peer[3].Key", 1, "--key 'Peer[1].Key'"),
        ("Peer[0].Key", 1, "--key 'Peer[1].Key'"),
        ("Other[2].Key", 1, "no key 'Other[2].Key'"),
    ] {
        edits::refused("wg0.conf", PEERS, &set(key), status, hint);
    }
    for key in ["'Peer[2]'.Key", "Peer[Key=b].Key"] {
        let message = "would not be the name of a section";
        edits::refused("wg0.conf", PEERS, &set(key), 2, message);
    }
    let text = "[S]\nE=1\nE=2\n";
    check("a.service", text, &set("S.'E[1]'"), &format!("{text}E[1]=x\n"));
    edits::refused("a.service", text, &["delete", "--key", "S.'E[1]'"], 1, "no key");
    let globs = "[*]\na = 1\n";
    check(".editorconfig", globs, &set("'*[12]'.a"), &format!("{globs}\n[*[12]]\na = x\n"));
    let read = ["read", "wg0.conf", "--value", "--key"];
    let sandbox = Sandbox::with(&[("wg0.conf", PEERS)]);
    sandbox.run(&[&read[..], &["Peer[2].Key"]].concat()).prints("b\n");
    let hint = "folio read wg0.conf --value --key 'Peer[1].Key'";
    sandbox.run(&[&read[..], &["Peer[9].Key"]].concat()).exits(1).tells(hint);
}

#[test]
fn values_of_configparser_have_all_their_lines() {
    let text = "[o]\nreq = a # x\n    b\n\n    # note\n    c ; y\nnext = \"1\" # z\n";
    let sandbox = Sandbox::with(&[("setup.cfg", text), ("a.ini", text)]);
    let read = |name, key| sandbox.run(&["read", name, "--value", "--key", key]);
    read("setup.cfg", "o.req").prints("a # x\nb\n\nc ; y\n");
    read("setup.cfg", "o.next").prints("\"1\" # z\n");
    read("a.ini", "o.next").prints("1\n");
    let (_, next) = text.split_once("next").unwrap();
    let set = ["set", "--key", "o.req", "-c", "d # e"];
    check("setup.cfg", text, &set, &format!("[o]\nreq = d # e\nnext{next}"));
    check("setup.cfg", text, &["delete", "--key", "o.req"], &format!("[o]\nnext{next}"));
    let set = ["set", "--key", "o.next", "-c", "2"];
    check("setup.cfg", text, &set, &text.replace("\"1\" # z", "2"));
    check("a.ini", text, &set, &text.replace('1', "2"));
}
