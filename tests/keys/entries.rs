//! Entries that are added, replaced, renamed and deleted.

use serde_json::{Value, json};

use super::{CARGO, CI, PACKAGE, SETTINGS, check_invalid, check_missing, in_front_matter};
use crate::support::Sandbox;
use crate::support::edits::{
    check_edit, check_refused, check_text_edit, check_text_refusal, edit, edited,
};

#[test]
fn entries_are_deleted_renamed_and_inserted() {
    let deleted = |key: &'static str| ["delete", "--key", key];
    check_edit(
        "ci.yml",
        CI,
        &deleted("jobs.test.steps[1]"),
        &CI[..CI.find("      # Tests").unwrap()],
    );
    check_edit("ci.yml", CI, &deleted("on.push.branches[0]"), &CI.replace("main, ", ""));
    check_edit(
        "package.json",
        PACKAGE,
        &deleted("name"),
        &PACKAGE.replace("  \"name\": \"x\",\n", ""),
    );
    check_edit("package.json", PACKAGE, &deleted("scripts"), "{\n  \"name\": \"x\"\n}\n");
    check_edit("Cargo.toml", CARGO, &deleted("dependencies"), &CARGO[..CARGO.find("\n#").unwrap()]);
    check_edit(
        "Cargo.toml",
        CARGO,
        &["rename", "--key", "dependencies.serde", "-c", "serde2"],
        &CARGO.replace("serde =", "serde2 ="),
    );
    check_edit(
        "ci.yml",
        CI,
        &["append", "--key", "jobs.test.steps", "-c", "uses: a"],
        &format!("{CI}      - uses: a\n"),
    );
    check_edit(
        "ci.yml",
        CI,
        &["insert", "--key", "jobs.test.steps[0]", "--after", "-c", "uses: a"],
        &CI.replace("@v4\n", "@v4\n      - uses: a\n"),
    );
    check_edit(
        "Cargo.toml",
        CARGO,
        &["replace", "--key", "package.name", "-c", "name = 'y'"],
        &CARGO.replace("name = \"x\" # the name", "name = 'y'"),
    );
}

#[test]
fn edits_that_would_change_something_else_are_refused() {
    let set = ["set", "--key", "jobs.test.env.A", "-c", "2"];
    check_refused("ci.yml", CI, &set, 2, "through the alias *env");
    check_refused("ci.yml", CI, &["delete", "--key", "env"], 2, "anchor");
    let replace = ["replace", "--key", "package.name", "-c", "other = 1"];
    check_refused("Cargo.toml", CARGO, &replace, 2, "the content is not an entry 'package.name'");
    let insert = ["insert", "--key", "package.edition", "--before", "-c", "2024"];
    check_refused(
        "Cargo.toml",
        CARGO,
        &insert,
        2,
        "--before and --after need an existing key or item",
    );
    let rename = ["rename", "--key", "package.name", "-c", "version"];
    check_refused("Cargo.toml", CARGO, &rename, 2, "there is already a key 'version'");
    let twice = ["set", "--key", "a", "-c", "3"];
    check_refused("a.yml", "a: 1\na: 2\n", &twice, 3, "2 entries match 'a'");
    check_edit("a.yml", "a: 1\na: 2\n", &["set", "--key", "a[1]", "-c", "3"], "a: 1\na: 3\n");
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
        check_refused(name, text, &set, 2, place);
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
    assert_eq!(apply(&list, false), (Some(0), "{\"a\": [5], \"b\": 2}\n".to_owned()));
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
        check_edit("l.jsonl", text, &[arguments, &["-c", value]].concat(), new);
    }
}

#[test]
fn the_hint_for_an_ambiguous_item_keeps_the_rest_of_the_path() {
    let text = "s:\n- n: T\n  env: x\n- n: T\n  run: b\n";
    check_refused("c.yml", text, &["delete", "--key", "s[n=T].env"], 3, "--key 's[0].env'");
    check_refused("c.yml", text, &["delete", "--key", "s[n=T].run"], 3, "--key 's[1].run'");
}

#[test]
fn a_file_in_another_encoding_needs_an_option() {
    let sandbox = Sandbox::new();
    sandbox.write("a.yml", b"a: \xe9\n");
    let set = ["patch", "set", "a.yml", "--key", "a", "-c", "b"];
    sandbox.run(&set).exits(2).tells("--encoding latin1");
    sandbox.run(&[&set[..], &["--encoding", "windows-1252"]].concat()).succeeds();
}

#[test]
fn an_anchor_stays_with_its_item() {
    let list = "l: [&i two, three]\nb: *i\n";
    check_refused("a.yml", list, &["delete", "--key", "l[0]"], 2, "its anchor is used");
    let insert = ["insert", "--key", "l[0]", "--before", "-c", "x"];
    check_edit("a.yml", list, &insert, "l: [x, &i two, three]\nb: *i\n");
    let after = "l: [&i two, three, x]\nb: *i\n";
    check_edit("a.yml", list, &["append", "--key", "l", "-c", "x"], after);
    let copies = "x:\n  e: &e {A: 1} # &z\nl: [&f 1]\nsvc: *e\n";
    let copy = |key, to| ["copy", "--key", key, "--to", to];
    check_refused(
        "a.yml",
        copies,
        &copy("x", "a.yml#y"),
        2,
        "the anchor &e already exists on line 2",
    );
    check_refused(
        "a.yml",
        copies,
        &copy("l", "a.yml#m"),
        2,
        "the anchor &f already exists on line 3",
    );
    let moved = "l: [&f 1]\nsvc: *e\n";
    let move_it = ["move", "--key", "x.e", "--to", "a.yml#y"];
    check_refused("a.yml", copies, &move_it, 2, "");
    check_edit("a.yml", moved.trim_end_matches("svc: *e\n"), &["delete", "--key", "l"], "{}\n");
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
fn a_new_mapping_is_named() {
    let set = ["set", "--key", "a.b.c", "-c", "1"];
    let edited = check_edit("a.toml", "x = 1\n", &set, "x = 1\n\n[a.b]\nc = 1\n");
    assert_eq!(edited.records[0]["details"], json!(["in the new mapping 'a.b'"]));
}

#[test]
fn keys_are_added_to_a_blank_file() {
    let set = ["set", "--key", "a.b", "-c", "1"];
    check_edit("a.json", "", &set, "{\"a\": {\"b\": 1}}\n");
    check_edit("a.json", "\n", &set, "{\"a\": {\"b\": 1}}\n");
    check_edit("a.yml", "", &set, "a:\n  b: 1\n");
    check_edit("a.toml", "", &set, "[a]\nb = 1\n");
    let sandbox = Sandbox::with(&[("a.json", "{\"k\": [1]}\n"), ("b.json", "")]);
    sandbox.run(&["patch", "copy", "a.json", "--key", "k", "--to", "b.json#c"]).exits(0);
    assert_eq!(std::fs::read(sandbox.path("b.json")).unwrap(), b"{\"c\": [1]}\n");
    sandbox.run(&["read", "a.json", "--key", "none"]).exits(1);
}

#[test]
fn steps_are_added_as_they_are_written() {
    let steps = "steps:\n  - uses: a\n";
    let append = |content, added: &str| {
        check_edit(
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
    check_edit("a.yml", "x: 1\n", &set, "x: 1\nn:\n  a:\n  b: 1\n");
    let merge = "a: &a {x: 1}\nc:\n  <<: *a\n";
    check_refused(
        "a.yml",
        merge,
        &["set", "--key", "c.<<", "-c", "*a"],
        2,
        "merge keys cannot be set",
    );
}

#[test]
fn options_of_keys_without_effect_are_refused() {
    let text = "{\"a\": 1, \"b\": 2}\n";
    check_refused("a.json", text, &["rename", "--key", "a", "--value", "-c", "c"], 2, "--value");
    check_refused("a.json", text, &["delete", "--key", "a", "--value"], 2, "only whole entries");
    let steps = "steps:\n- uses: a\n";
    let replace = |content| ["replace", "--key", "steps[0].uses", "-c", content];
    check_refused(
        "a.yml",
        steps,
        &replace("uses: x # v4"),
        2,
        "-c x --json --preview --no-sync --no-undo --value ",
    );
    check_refused(
        "a.yml",
        steps,
        &replace("ses: x"),
        2,
        "-c 'ses: x' --json --preview --no-sync --no-undo --value",
    );
    let map = "env:\n  A: 1\n";
    let hint = "set a.yml --key env.NEW -c 5 ";
    check_refused("a.yml", map, &["append", "--key", "env", "-c", "NEW: 5"], 2, hint);
}

#[test]
fn a_dash_is_part_of_an_item_that_is_no_value() {
    for content in ["- c # d", "- {{ x }}", "- a\n- b"] {
        let edited = edit("a.yml", b"l:\n- a\n", &["append", "--key", "l", "-c", content]);
        let after = String::from_utf8(edited.after.0).unwrap();
        assert!(after.contains(content.split('\n').next().unwrap()), "{after}");
    }
}

const FRONT: &str = "---\ntitle: Old\ntags: [a]\n---\n\n# Doc\n\nText\n";
const INI: &str = "[db]\nhost = a\nport = 1\n\n[log]\nfile = x\n";

#[test]
fn a_key_is_replaced_by_its_own_line() {
    let not_its_line = "the content is not a line that sets the key";
    let title = ["replace", "--front-matter", "--key", "title", "-c"];
    let with = |base: &[&'static str], content| [base, &[content]].concat();
    check_text_refusal(
        "a.md",
        FRONT,
        &with(&title, "name: New"),
        2,
        "the content is not an entry 'title'",
    )
    .tells("folio patch replace a.md --front-matter --key title -c 'name: New' --value");
    // It is not an entry of any name.
    check_text_edit("a.md", FRONT, &with(&title, "New"), &FRONT.replace("Old", "New"));
    check_text_edit("a.md", FRONT, &with(&title, "title: New"), &FRONT.replace("Old", "New"));
    let host = ["replace", "--section", "db", "--key", "host", "-c"];
    check_text_refusal("a.ini", INI, &with(&host, "new"), 2, not_its_line)
        .tells("folio patch replace a.ini --section db --key host -c new --value");
    check_text_refusal("a.ini", INI, &with(&host, "host = x\n[evil]"), 2, not_its_line);
    check_text_edit(
        "a.ini",
        INI,
        &with(&host, "host = b ; c"),
        &INI.replace("host = a", "host = b ; c"),
    );
}

#[test]
fn keys_and_front_matter_elsewhere_are_unchanged() {
    for (operation, why) in [
        (&["delete", "--lines", "4"][..], "line 2 is no longer the key 'title'"),
        (&["delete", "--lines", "1"], "line 2 is no longer the key 'title'"),
        (&["replace", "--lines", "2", "-c", "---"], "line 3 is no longer the key 'tags'"),
        (&["insert", "--lines", "3", "-c", "---"], "line 3 is no longer the key 'tags'"),
        (&["replace", "--text", "title: Old", "-c", "Old"], "front matter"),
    ] {
        check_text_refusal("a.md", FRONT, operation, 4, why)
            .tells("this would change front matter elsewhere");
        edited("a.md", FRONT, &[operation, &["--force"]].concat()).0.exits(0);
    }
    for (operation, why) in [
        (&["delete", "--lines", "5"][..], "the key 'file', line 6, moves to another"),
        (&["replace", "--lines", "2", "-c", "host = x\n[evil]"], "the key 'port', line 3"),
        (&["insert", "--lines", "3", "-c", "[evil]"], "the key 'port', line 3"),
        (&["replace", "--text", "a", "-c", "a\n[evil]"], "the key 'port', line 3"),
        (&["append", "--section", "db", "-c", "k = x\n[evil]"], "another section: '[evil]'"),
        (&["replace", "--body", "db", "-c", "k = x\n[evil]"], "another section: '[evil]'"),
    ] {
        check_text_refusal("a.ini", INI, operation, 4, why);
        edited("a.ini", INI, &[operation, &["--force"]].concat()).0.exits(0);
    }
    check_text_edit(
        "a.ini",
        INI,
        &["replace", "--lines", "5", "-c", "[logs]"],
        &INI.replace("log", "logs"),
    );
    check_text_edit("a.ini", INI, &["delete", "--section", "log"], "[db]\nhost = a\nport = 1\n");
}

#[test]
fn an_edit_that_makes_a_file_with_keys_invalid_is_refused() {
    let (before, invalid) = ("{\"a\": 1}\n", "valid JSON: line 2, column 1");
    let append = ["append", "-c", "\"b\": 1"];
    check_text_refusal(
        "a.json",
        before,
        &append,
        4,
        &format!("the file would no longer be {invalid}"),
    );
    let forced = [&append[..], &["--force"]].concat();
    let run = check_text_edit("a.json", before, &forced, "{\"a\": 1}\n\"b\": 1\n");
    run.tells(&format!("the file is no longer {invalid}"));
    // A file that is not valid is edited.
    check_text_edit("b.json", "{\"a\" 1}\n", &["replace", "--text", "1", "-c", "2"], "{\"a\" 2}\n");
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
fn names_must_be_valid_keys() {
    for name in ["x\n[evil]\ny", "[x]", " x ", "x=y", "x:y", "#x", ";x"] {
        check_invalid("a.ini", SETTINGS, &["set", "--key", name, "-c", "v"], "name of a key");
        let section = ["set", "--section", "a", "--key", name, "-c", "v"];
        check_invalid("a.ini", SETTINGS, &section, "name of a key");
    }
    for name in ["a #b", "? x", "&x", "*x", "!x", "@x", "- x", "a: b"] {
        let page = |name: &str| format!("---\nk: 1\n{name}---\n");
        let quoted = page(&format!("'{name}': v\n"));
        check_edit("a.md", &page(""), &in_front_matter(name, "v"), &quoted);
        let nested = page(&format!("o:\n  '{name}': v\n"));
        check_edit("a.md", &page("o:\n"), &in_front_matter(&format!("o.{name}"), "v"), &nested);
        let made = format!("---\n'{name}': v\n---\n\ntext\n");
        check_edit("a.md", "text\n", &in_front_matter(name, "v"), &made);
    }
    let lines = "---\nk: 1\n\"a\\nb\": v\n---\n";
    check_edit("a.md", "---\nk: 1\n---\n", &in_front_matter("a\nb", "v"), lines);
}

#[test]
fn conflicts_with_a_new_key_are_named() {
    let items = "---\nauthors:\n- name: A\n---\n";
    let message = "no key 'authors.2.name' in 'authors'";
    check_missing(items, &in_front_matter("authors.2.name", "x"), message);
    let template = "---\nt: {{ x }}\np:\n  q: 1\n---\n";
    check_edit(
        "a.md",
        template,
        &in_front_matter("p.r", "x"),
        &template.replace("1\n", "1\n  r: x\n"),
    );
    let tables = "+++\n[[menu]]\nn = 1\n+++\n";
    check_missing(tables, &in_front_matter("menu.n", "x"), "no key 'menu.n' in 'menu'");
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
    check_edit("a.md", twice, &second, "---\nt: 1\nu: 2\nt: 9\n---\n");
    check_edit("a.md", twice, &in_front_matter("u", "9"), "---\nt: 1\nu: 9\nt: 3\n---\n");
}

/// The setting replaces an example in a comment, as administrators would do it.
#[test]
fn a_commented_example_is_replaced() {
    let set = |key| ["set", "--section", "Journal", "--key", key, "-c", "none"];
    let before = "[Journal]\n# Storage=where logs are\n#Storage=auto ; note\nX=1\n[Other]\n#Y=1\n";
    let after = before.replace("#Storage=auto", "Storage=none");
    check_edit("a.conf", before, &set("Storage"), &after);
    // Neither the example of another section nor a comment that is not an example is replaced.
    let added = before.replace("X=1\n", "X=1\nY=none\n");
    check_edit("a.conf", before, &set("Y"), &added);
    // Several examples.
    let several = "[Journal]\n#Storage=a\n#Storage=b\nX=1\n";
    check_edit("a.conf", several, &set("Storage"), &format!("{several}Storage=none\n"));
    // The line is within a value of several lines.
    let within = "[Journal]\nX=1 \\\n#Storage=a\n  2\n";
    let edited = edit("a.conf", within.as_bytes(), &set("Storage"));
    assert!(String::from_utf8_lossy(&edited.after.0).contains("\n#Storage=a\n"));
    let plain = ["set", "--key", "port", "-c", "5"];
    check_edit(
        "a.conf",
        "a = 1\n#port = 5432\t# (restart)\n",
        &plain,
        "a = 1\nport = 5\t# (restart)\n",
    );
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
        check_invalid(name, text, &set, "line 2, column 1: invalid");
    }
    let text = &format!("{text}[d]\nx = 1\n");
    check_edit("a.ini", text, &["delete", "--section", "d"], text.trim_end_matches("[d]\nx = 1\n"));
}

#[test]
fn entries_are_inserted_beside_others_in_every_format() {
    let insert = |key: &'static str, content: &'static str| {
        ["insert", "--key", key, "--before", "-c", content]
    };
    for (name, before, key, content, after) in [
        ("a.ini", "[s]\na = 1\n; b\nb = 2\n", "s.b", "z = 0", "[s]\na = 1\nz = 0\n; b\nb = 2\n"),
        ("a.toml", "[[s]]\nx=1\n", "s[0]", "x = 0", "[[s]]\nx = 0\n\n[[s]]\nx=1\n"),
        ("a.toml", "a = {b.c = 1}\n", "a.b.c", "z = 0", "a = {b.z = 0, b.c = 1}\n"),
        ("a.json", "{\"a\": 1}\n", "a", "z: 0,", "{\"z\": 0, \"a\": 1}\n"),
        ("a.jsonl", "{\"a\":1}\n", "[0].a", "\"z\":0", "{\"z\":0,\"a\":1}\n"),
        ("a.md", "---json\n{\"a\": [1]}\n---\n", "a[0]", "0", "---json\n{\"a\": [0, 1]}\n---\n"),
        ("a.yml", "x: &d 1\na: 2\n", "a", "z: *d", "x: &d 1\nz: *d\na: 2\n"),
    ] {
        check_edit(name, before, &insert(key, content), after);
    }
    check_refused("a.ini", "[s]\na = 1\n", &insert("s.z", "b = 1"), 2, "existing key or item");
}

#[test]
fn append_creates_lists_and_adds_to_lists_at_the_root() {
    let key = |key: &'static str| ["append", "--key", key, "-c", "x"];
    for (name, before, arguments, after) in [
        ("a.yml", "a: 1\n", &key("m.l")[..], "a: 1\nm:\n  l:\n    - x\n"),
        ("a.yml", "a:\n- 1\n", &key("l"), "a:\n- 1\nl:\n- x\n"),
        ("a.toml", "[t]\na = 1\n", &key("t.l"), "[t]\na = 1\nl = [\"x\"]\n"),
        ("a.md", "---\na: 1\n---\n", &key("tags"), "---\na: 1\ntags:\n  - x\n---\n"),
        ("a.json", "[\n  1\n]\n", &["append", "-c", "2"], "[\n  1,\n  2\n]\n"),
        ("a.yml", "- a\n", &["append", "-c", "b"], "- a\n- b\n"),
        ("a.yml", "[]\n", &["append", "-c", "b"], "[b]\n"),
    ] {
        check_edit(name, before, arguments, after);
    }
    check_refused("a.yml", "a: [1]\n", &key("a.l"), 1, "no key 'a.l'");
}

#[test]
fn an_item_of_a_type_is_appended_to_a_file_that_is_a_list() {
    let append = |content, kind| ["append", "-c", content, "--type", kind];
    for (name, before, content, kind, after) in [
        ("a.json", "[\n  1\n]\n", "{\"k\": 1}", "json", "[\n  1,\n  {\"k\": 1}\n]\n"),
        ("a.json", "[]\n", "5", "string", "[\"5\"]\n"),
        ("a.jsonl", "{\"a\":1}\n", "{\"a\":2}", "json", "{\"a\":1}\n{\"a\":2}\n"),
        ("a.yml", "- a\n", "{\"k\": 1}", "json", "- a\n- {\"k\": 1}\n"),
        ("a.yml", "- a\n", "- b", "yaml", "- a\n- - b\n"),
    ] {
        check_edit(name, before, &append(content, kind), after);
        let whole_file = [&append(content, kind)[..], &["--whole-file"]].concat();
        check_edit(name, before, &whole_file, after);
    }
    for (name, text) in [("a.md", "# A\n"), ("a.toml", "a = 1\n"), ("a.json", "{\"a\": 1}\n")] {
        check_refused(name, text, &append("{}", "json"), 2, "this file is not a list");
    }
}

#[test]
fn a_value_is_yaml_if_the_file_is_read_as_yaml() {
    let set = ["set", "--key", "b", "-c", "*x", "--type", "yaml", "--as"];
    let as_yaml = [&set[..], &["yaml"]].concat();
    check_edit("a.conf", "a: &x 1\n", &as_yaml, "a: &x 1\nb: *x\n");
    let as_json = [&set[..], &["json"]].concat();
    check_refused("a.conf", "{\"a\": 1}\n", &as_json, 2, "--as json");
}

#[test]
fn several_items_of_a_list_are_deleted_together() {
    for (before, keys, after) in [
        ("a: [1, 2, 3, 4]\n", &["a[2]", "a[3]"][..], "a: [1, 2]\n"),
        ("a: [1, 2, 3, 4]\n", &["a[-1]", "a[-2]"], "a: [1, 2]\n"),
        ("a: [1, 2, 3, 4]\n", &["a[0]", "a[2]"], "a: [2, 4]\n"),
        ("a:\n- 1\n- 2\n- 3\n", &["a[1]", "a[0]"], "a:\n- 3\n"),
        ("a:\n- 1\n- 2\n", &["a[0]", "a[1]"], "a: []\n"),
    ] {
        let keys = keys.iter().flat_map(|key| ["--key", key]);
        let arguments: Vec<&str> = std::iter::once("delete").chain(keys).collect();
        check_edit("a.yml", before, &arguments, after);
    }
    let anchored = "x: &b 1\ny: *b\nz: *b\nw: 2\n";
    let all = ["delete", "--key", "x", "--key", "y", "--key", "z"];
    check_edit("a.yml", anchored, &all, "w: 2\n");
    check_refused("a.yml", anchored, &all[..5], 2, "its anchor is used by the alias *b on line 3");
    // The path of an item in a deleted list would be that of another.
    let nested = ["delete", "--key", "a[0]", "--key", "a[0][1]"];
    check_refused("a.yml", "a: [[1, 2], [3, 4]]\n", &nested, 4, "overlap");
}

#[test]
fn aliases_refer_to_anchors_of_the_file() {
    let text = "d: &d {k: 1}\ns:\n  a:\n    <<: *d\n  b: 2\n";
    let copied = format!("{text}  c:\n    <<: *d\n");
    check_edit("a.yml", text, &["copy", "--key", "s.a", "--to", "a.yml#s.c"], &copied);
    let set = |value: &'static str| ["set", "--key", "s.b", "-c", value, "--type", "yaml"];
    check_edit("a.yml", text, &set("*d"), &text.replace("b: 2", "b: *d"));
    check_edit("a.yml", text, &set("!Ref Z"), &text.replace("b: 2", "b: !Ref Z"));
    check_refused("a.yml", text, &set("*e"), 2, "no anchor 'e'");
    check_refused("a.yml", text, &["move", "--key", "s.a", "--to", "a.yml#d"], 2, "contains it");
    check_refused("a.yml", text, &["copy", "--key", "s.a", "--to", "b.yml#c"], 2, "&d is not in");
}
