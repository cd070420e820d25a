//! `folio patch`: what it calls done is done, and what it hints at can be pasted.

use crate::support::{Outcome, Sandbox};

/// What a file is after an edit by flags: the operation, then what stands behind
/// the file.
#[track_caller]
fn edited(name: &str, before: &str, arguments: &[&str]) -> (Outcome, String) {
    let sandbox = Sandbox::with(&[(name, before)]);
    let run = sandbox.run(&[&["patch", arguments[0], name], &arguments[1..]].concat());
    (run, std::fs::read_to_string(sandbox.path(name)).unwrap())
}

/// An edit makes `after` of `before`.
#[track_caller]
fn makes(name: &str, before: &str, arguments: &[&str], after: &str) -> Outcome {
    let (run, text) = edited(name, before, arguments);
    let run = run.exits(0);
    assert_eq!(text, after, "{arguments:?}");
    run
}

/// An edit is refused with a status and a message, and changes nothing.
#[track_caller]
fn refused(name: &str, before: &str, arguments: &[&str], status: i32, message: &str) -> Outcome {
    let (run, text) = edited(name, before, arguments);
    let run = run.exits(status).tells(message);
    assert_eq!(text, before, "{arguments:?}");
    run
}

#[test]
fn an_edit_is_applied_only_where_its_place_is_closest() {
    let bump = ["replace", "--text", "v1.0.0", "-c", "v2.0.0"];
    let with = |more: &[&'static str]| [&bump[..], more].concat();
    let applied = "the content already is, at line 1: nothing to do";
    refused("a.txt", "version = v2.0.0\n", &bump, 1, applied);
    refused("a.txt", "version = v2.0.0\nother = v3.7.9\n", &bump, 1, applied);
    refused("a.txt", "a = v2.0.0\n", &with(&["--check"]), 0, applied);
    refused("a.txt", "a = v2.0.0\nb = v2.0.0\n", &with(&["--occurrence", "all"]), 1, applied);
    // Another place is as close, or closer.
    for before in
        ["a v1.0.1\nb v2.0.0\n", "b v2.0.0\na v1.0.1\n", "v2.0.0\nv2.0.0\n", "v2.0.0 v2.0.0"]
    {
        let run =
            refused("a.txt", before, &bump, 1, "no text 'v1.0.0'").tells("the content stands");
        assert!(!run.errors().contains("nothing to do"), "{run}");
        refused("a.txt", before, &with(&["--check"]), 2, "no text 'v1.0.0'");
    }
    let unlike = ["replace", "--text", "alpha beta", "-c", "gamma"];
    refused("a.txt", "gamma\n", &unlike, 1, "the content stands at line 1 already");
    // Of several lines, the first is closest.
    let body = ["replace", "--text", "fn a() {\n    old();\n}", "-c", "fn a() {\n    new();\n}"];
    refused("a.rs", "fn a() {\n    new();\n}\n", &body, 1, applied);
    refused(
        "a.rs",
        "fn a() {\n    o();\n}\nfn a() {\n    new();\n}\n",
        &body,
        1,
        "no text 'fn a()",
    );
}

#[test]
fn guards_come_before_what_is_applied_already() {
    let bump = ["replace", "--text", "v1.0.0", "-c", "v2.0.0"];
    let expecting = [&bump[..], &["--expect", "2"]].concat();
    refused("a.txt", "a = v2.0.0\n", &expecting, 4, "'v1.0.0' is not there, and not 2 times");
    let in_section = [&bump[..], &["--in", "B"]].concat();
    let text = "# A\n\nuse v2.0.0\n\n# B\n\nuse v1.0.2\n";
    let run = refused("a.md", text, &in_section, 1, "no text 'v1.0.0' in section 'B'");
    assert!(!run.errors().contains("the content stands"), "{run}");
}

#[test]
fn content_comes_in_the_encoding_of_the_file() {
    let latin = b"caf\xe9\nplain\n";
    let sandbox = Sandbox::new();
    let edit = |more: &[&str]| {
        sandbox.write("l.txt", latin);
        let base = ["patch", "replace", "l.txt", "--lines", "2", "-c", "na\u{ef}ve"];
        let run = sandbox.run(&[&base[..], more].concat());
        (run, std::fs::read(sandbox.path("l.txt")).unwrap())
    };
    let (run, after) = edit(&[]);
    run.exits(2).tells("line 1 is not UTF-8").tells("--encoding");
    assert_eq!(after, latin);
    assert_eq!(edit(&["--encoding", "latin1"]).1, b"caf\xe9\nna\xefve\n");
    assert_eq!(edit(&["--encoding", "utf-8"]).1, b"caf\xe9\nna\xc3\xafve\n");
    // From another file it is the same.
    sandbox.write("l.txt", latin).write("u.txt", "\u{ef}\nplain\n");
    sandbox.run(&["patch", "copy", "u.txt:1", "--to", "l.txt"]).exits(2).tells("not UTF-8");
    sandbox.run(&["patch", "copy", "u.txt:2", "--to", "l.txt"]).exits(0);
    sandbox.run(&["patch", "replace", "l.txt:2", "-c", "ASCII"]).exits(0);
}

#[test]
fn utf32_is_told() {
    let sandbox = Sandbox::new();
    sandbox.write("u.txt", b"\xff\xfe\0\0a\0\0\0\n\0\0\0");
    for command in [&["read", "u.txt"][..], &["patch", "replace", "u.txt:1", "-c", "x"]] {
        sandbox.run(command).exits(2).tells("it is UTF-32").tells("iconv -f UTF-32 -t UTF-8 u.txt");
    }
}

#[test]
fn content_that_is_indented_stays_as_it_is() {
    let function = "def f():\n    pass\n";
    let docstring = ["insert", "--lines", "1", "--after", "-c", "    \"\"\"Doc.\"\"\""];
    makes("p.py", function, &docstring, "def f():\n    \"\"\"Doc.\"\"\"\n    pass\n");
    let none = ["insert", "--lines", "2", "-c", "x = 1\nif x:\n    y()"];
    makes("p.py", function, &none, "def f():\n    x = 1\n    if x:\n        y()\n    pass\n");
    let code = ["insert", "--lines", "3", "--after", "-c", "\n    code\n    more"];
    makes("i.md", "# A\n\ntext\n", &code, "# A\n\ntext\n\n    code\n    more\n");
    let replaced = ["replace", "--lines", "3", "-c", "    code"];
    makes("i.md", "# A\n\ntext\n", &replaced, "# A\n\n    code\n");
}

#[test]
fn backups_are_named_as_their_files() {
    let sandbox = Sandbox::with(&[("d/a.txt", "x\n")]);
    let run = sandbox.run(&["patch", "replace", "d/a.txt:1", "-c", "y", "--backup", "--json"]);
    assert!(run.text().contains(r#""backupPath":"d/a.txt.bak""#), "{run}");
}

#[test]
fn of_a_name_that_is_set_twice_the_last_value_holds() {
    let twice = ["replace", "--lines", "1", "-c", "{{X}}", "--set", "X=1", "--set", "X=2"];
    makes("a.txt", "a\n", &twice, "2\n");
}

#[test]
fn an_empty_name_is_no_target() {
    for flags in [&["--section", ""][..], &["--body", " "], &["--section", "a", "--key", ""]] {
        let arguments = [&["replace"], flags, &["-c", "x"]].concat();
        refused("a.md", "# A\n", &arguments, 2, "is empty: there is nothing to look for");
    }
    let sandbox = Sandbox::with(&[("a.md", "# A\n")]);
    sandbox.run(&["read", "a.md", "--section", ""]).exits(2).tells("--section is empty");
}

#[test]
fn a_text_is_looked_for_in_the_section_beside_it() {
    let before = "# A\n\nfoo\n\n# B\n\nfoo\n";
    let after = "# A\n\nfoo\n\n# B\n\nbar\n";
    for target in [
        &["--section", "B", "--text", "foo"][..],
        &["--section", "B", "--pattern", "fo+"],
        &["--target", r#"{"section":"B","text":"foo"}"#],
        &["--target", r#"{"section":"B","pattern":"fo+"}"#],
    ] {
        makes("a.md", before, &[&["replace"], target, &["-c", "bar"]].concat(), after);
    }
    let sandbox = Sandbox::with(&[("a.md", before)]);
    let read = ["read", "a.md", "--section", "B", "--text", "foo", "--json"];
    assert_eq!(sandbox.run(&read).exits(0).json()["range"]["startLine"], 7);
    for strays in [&["--in", "A"][..], &["--key", "k"], &["--no-children"], &["--lines", "1"]] {
        let flags = [&["replace", "--section", "B", "--text", "foo", "-c", "x"], strays].concat();
        refused("a.md", before, &flags, 2, strays[0]);
    }
}
