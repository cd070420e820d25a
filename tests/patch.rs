//! `folio patch`: each operation changes the document as expected, and nothing else.

use crate::support::Sandbox;
use crate::support::edits::refused;

const GUIDE: &str = "# Guide\n\nIntro.\n\n## Install\n\nRun this:\n\n```bash\nmake\n```\n\n### Linux\n\napt.\n\n## Usage\n\nUse it.\n";
const INI: &str =
    "; top\n[database]\nhost = \"localhost\" ; main\nport=5432\n\n[cache]\nttl = 60\n";

/// Runs an edit of a document and compares the result.
#[track_caller]
fn check(name: &str, before: &str, arguments: &[&str], after: &str) {
    let sandbox = Sandbox::with(&[(name, before)]);
    let mut all = vec!["patch", arguments[0], name];
    all.extend(&arguments[1..]);
    sandbox.run(&all).exits(0);
    let found = std::fs::read_to_string(sandbox.path(name)).expect("readable");
    assert_eq!(found, after, "{arguments:?}");
    // Undo restores the old contents.
    sandbox.run(&["undo"]).exits(0);
    let found = std::fs::read_to_string(sandbox.path(name)).expect("readable");
    assert_eq!(found, before, "undo of {arguments:?}");
}

/// Returns the guide with one part replaced.
fn with(old: &str, new: &str) -> String {
    assert_eq!(GUIDE.matches(old).count(), 1, "{old:?}");
    GUIDE.replace(old, new)
}

#[test]
fn parts_of_markdown_are_replaced() {
    let check = |arguments: &[&str], after: &str| check("a.md", GUIDE, arguments, after);
    check(
        &["replace", "--heading", "## Install", "-c", "## Setup"],
        &with("## Install", "## Setup"),
    );
    check(
        &["replace", "--section", "Linux", "-c", "### BSD\n\npkg.\n"],
        &with("### Linux\n\napt.\n", "### BSD\n\npkg.\n"),
    );
    check(
        &["replace", "--body", "Usage", "-c", "x"],
        &with("## Usage\n\nUse it.\n", "## Usage\n\nx\n"),
    );
    check(
        &["replace", "--section", "Install", "--no-children", "-c", "## I"],
        &with("## Install\n\nRun this:\n\n```bash\nmake\n```\n", "## I\n"),
    );
    check(&["replace", "--code-block", "bash:0", "-c", "make all"], &with("make\n", "make all\n"));
    check(&["replace", "--lines", "3", "-c", "A.\nB."], &with("Intro.", "A.\nB."));
    check(&["replace", "--text", "Use", "-c", "Try"], &with("Use it", "Try it"));
    check(
        &["replace", "--pattern", "(\\w+) this", "--expand", "-c", "$1 that"],
        &with("Run this", "Run that"),
    );
    check(&["replace", "--whole-file", "-c", "# New"], "# New\n");
    check(
        &["replace", "--anchor", "linux", "-c", "### BSD"],
        &with("### Linux\n\napt.\n", "### BSD\n"),
    );
}

#[test]
fn content_is_inserted_next_to_a_part() {
    let check = |arguments: &[&str], after: &str| check("a.md", GUIDE, arguments, after);
    check(&["insert", "--lines", "3", "-c", "First."], &with("Intro.", "First.\nIntro."));
    check(
        &["insert", "--lines", "3", "--after", "-c", "Then."],
        &with("Intro.\n", "Intro.\nThen.\n"),
    );
    check(
        &["insert", "--heading", "Usage", "-c", "\nNew."],
        &with("## Usage\n", "## Usage\n\nNew.\n"),
    );
    check(
        &["insert", "--section", "Usage", "--before", "-c", "## More\n\n"],
        &with("## Usage", "## More\n\n## Usage"),
    );
    check(&["insert", "--text", "apt", "--after", "-c", "-get"], &with("apt.", "apt-get."));
    check(
        &["append", "--section", "Install", "--no-children", "-c", "\nDone."],
        &with("```\n\n###", "```\n\nDone.\n\n###"),
    );
    check(&["append", "--section", "Install", "-c", "yum."], &with("apt.\n", "apt.\n\nyum.\n"));
    check(&["append", "-c", "End."], &format!("{GUIDE}\nEnd.\n"));
}

#[test]
fn parts_are_deleted_moved_and_copied() {
    let check = |arguments: &[&str], after: &str| check("a.md", GUIDE, arguments, after);
    check(&["delete", "--section", "Linux"], &with("### Linux\n\napt.\n\n", ""));
    check(&["delete", "--text", " it"], &with("Use it", "Use"));
    check(&["delete", "--code-block", "0", "--fences"], &with("```bash\nmake\n```\n\n", ""));
    check(
        &["move", "--section", "Linux", "--to", "a.md"],
        &format!("{}\n### Linux\n\napt.\n", with("### Linux\n\napt.\n\n", "")),
    );
    check(&["copy", "--lines", "3", "--to", "a.md:19"], &format!("{GUIDE}Intro.\n"));
    check(&["rename", "--heading", "Install", "-c", "Setup"], &with("## Install", "## Setup"));
}

#[test]
fn headings_keep_their_form_when_renamed() {
    check("a.md", "A *b*\n===\n", &["rename", "--heading", "A b", "-c", "C"], "C\n===\n");
    check("a.md", "## A ## \n", &["rename", "--heading", "A", "-c", "## B"], "## B ## \n");
    check("a.md", "# A {#id}\n", &["rename", "--heading", "A", "-c", "B"], "# B {#id}\n");
    refused("a.md", "# A\n", &["rename", "--heading", "A", "-c", "## B"], 2, "INVALID_ARGUMENT");
    refused("a.md", "A\n===\n", &["rename", "--heading", "A", "-c", "- b"], 2, "INVALID_ARGUMENT");
}

#[test]
fn links_follow_a_renamed_heading() {
    let sandbox = Sandbox::with(&[
        ("docs/guide.md", "# Guide\n\n[to](#set-up) ![i](#set-up-1)\n\n## Set up\n\n## Set up\n"),
        ("docs/other.md", "[a](guide.md#set-up \"t\") [b]\n\n[b]: ./guide.md#set-up-1\n"),
        ("docs/code.md", "`[a](guide.md#set-up)` [c](no.md#set-up)\n"),
    ]);
    let rename = ["patch", "rename", "docs/guide.md", "--heading", "Set up[1]", "-c", "Install"];
    let warned = sandbox.run(&[&rename[..], &["--dry-run"]].concat()).exits(0);
    warned.tells("2 links no longer lead to the same section");
    let json = sandbox.run(&[&rename[..], &["--links-in", "docs", "--json"]].concat()).succeeds();
    assert_eq!(json.json_lines()[0]["links"].as_array().map(Vec::len), Some(2));
    let text = |name: &str| std::fs::read_to_string(sandbox.path(name)).expect("text");
    assert_eq!(
        text("docs/guide.md"),
        "# Guide\n\n[to](#install) ![i](#set-up)\n\n## Install\n\n## Set up\n"
    );
    assert_eq!(
        text("docs/other.md"),
        "[a](guide.md#install \"t\") [b]\n\n[b]: ./guide.md#set-up\n"
    );
    assert_eq!(text("docs/code.md"), "`[a](guide.md#set-up)` [c](no.md#set-up)\n");
}

#[test]
fn keys_keep_the_text_around_their_value() {
    let check = |arguments: &[&str], after: &str| check("a.ini", INI, arguments, after);
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
    refused(
        "a.ini",
        INI,
        &of("replace", "host", &["--value", "-c", "a\"b ; c"]),
        2,
        "INVALID_ARGUMENT",
    );
    refused("a.ini", INI, &of("insert", "port", &["-c", "port=5432"]), 1, "ALREADY_APPLIED");
}

#[test]
fn front_matter_has_keys_too() {
    let before = "---\ntitle: Old # note\n---\n# A\n";
    check(
        "a.md",
        before,
        &["replace", "--front-matter", "--key", "title", "--value", "-c", "New"],
        "---\ntitle: New # note\n---\n# A\n",
    );
    check(
        "a.md",
        before,
        &["insert", "--front-matter", "--key", "date", "--value", "-c", "2026"],
        "---\ntitle: Old # note\ndate: 2026\n---\n# A\n",
    );
    check("a.md", before, &["delete", "--front-matter"], "# A\n");
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
    check("a.md", indented, &set("title", "New"), &with("Old", "New"));
    check("a.md", indented, &set("list", "[b]"), &with("list:\n    - a", "list: [b]"));
    check("a.md", indented, &lines("list", "  list: b"), &with("list:\n    - a", "list: b"));
    check("a.md", indented, &insert, &with("    - a\n", "    - a\n  z: 1\n"));
    let delete = ["delete", "--front-matter", "--key", "title"];
    check("a.md", indented, &delete, &with("  # note\n  title: Old  # why\n", ""));
    check("a.md", indented, &set("title", "a: b"), &with("Old", "'a: b'"));

    let flow = "---\n{title: Old, \"q\": 'x', list: [a, b], none, e: }\n---\n# A\n";
    let with = |old: &str, new: &str| flow.replace(old, new);
    check("a.md", flow, &set("title", "New one"), &with("Old", "New one"));
    check("a.md", flow, &set("q", "a, b}"), &with("'x'", "'a, b}'"));
    check("a.md", flow, &set("list", "[c]"), &with("[a, b]", "[c]"));
    check("a.md", flow, &set("e", "1"), &with("e: }", "e: 1 }"));
    for value in ["a, b", "a}", "a: b", "[a", "a{b}", "x # y"] {
        check("a.md", flow, &set("title", value), &with("Old", &format!("'{value}'")));
    }
    check("a.md", flow, &set("none", "1"), &with("none", "none: 1"));
    check("a.md", flow, &lines("title", "title: x"), &with("Old", "x"));
    check("a.md", flow, &delete, &with("title: Old, ", ""));
    check("a.md", flow, &insert, &with("e: }", "e:, z: 1 }"));
    check("a.md", "---\n---\n", &insert, "---\nz: 1\n---\n");
    check("a.md", "---\n\n---", &insert, "---\n\nz: 1\n---");

    let long = format!("---\ntitle: x\nwords: {}\n---\n# A\n", "w ".repeat(70_000));
    check("a.md", &long, &set("title", "z"), &long.replace("title: x", "title: z"));
    let heading = ["replace", "--heading", "A", "-c", "# B"];
    check("a.md", &long, &heading, &long.replace("# A", "# B"));
    let closing = ["delete", "--lines", "4"];
    refused("a.md", &format!("{long}\n---\n"), &closing, 4, "STRUCTURE_CHANGED");
}

#[test]
fn line_endings_and_the_last_line_are_preserved() {
    check("a.txt", "a\r\nb\r\nc", &["replace", "--lines", "2", "-c", "x\ny"], "a\r\nx\r\ny\r\nc");
    check("a.txt", "a\nb", &["replace", "--lines", "2", "-c", "x\ny\n"], "a\nx\ny");
    check("a.txt", "a\r\nb", &["append", "-c", "c"], "a\r\nb\r\nc");
    check("a.txt", "a\nb", &["insert", "--lines", "2", "-c", "x"], "a\nx\nb");
    check("a.txt", "a\r\nb\nc\r\n", &["replace", "--text", "a\nb", "-c", "x\ny"], "x\r\ny\nc\r\n");
    check("a.txt", "\u{feff}a\n", &["replace", "--lines", "1", "-c", "b"], "\u{feff}b\n");
    check(
        "a.py",
        "def f():\n    a()\n",
        &["replace", "--lines", "2", "-c", "if x:\n    b()"],
        "def f():\n    if x:\n        b()\n",
    );
}

#[test]
fn edits_without_effect_do_nothing() {
    refused("a.md", GUIDE, &["replace", "--section", "Instal", "-c", "x"], 1, "TARGET_NOT_FOUND");
    refused("a.md", GUIDE, &["replace", "--section", "install", "-c", "x"], 1, "TARGET_NOT_FOUND");
    refused("a.md", GUIDE, &["replace", "--text", "nowhere", "-c", "x"], 1, "TARGET_NOT_FOUND");
    refused("a.md", GUIDE, &["replace", "--text", "nowhere", "-c", "Intro"], 1, "TARGET_NOT_FOUND");
    refused("a.md", GUIDE, &["replace", "--text", "Intrx", "-c", "Intro"], 1, "ALREADY_APPLIED");
    refused(
        "a.md",
        GUIDE,
        &["replace", "--text", "s", "--unique", "-c", "x"],
        3,
        "TARGET_AMBIGUOUS",
    );
    refused(
        "a.md",
        GUIDE,
        &["replace", "--text", "Use", "--expect", "2", "-c", "x"],
        4,
        "COUNT_MISMATCH",
    );
    refused("a.md", GUIDE, &["replace", "--text", "Use", "-c", ""], 2, "EMPTY_CONTENT");
    refused("a.md", GUIDE, &["replace", "--text", "", "-c", "x"], 2, "INVALID_ARGUMENT");
    refused("a.md", GUIDE, &["replace", "-c", "x"], 2, "INVALID_ARGUMENT");
    refused("a.md", GUIDE, &["replace", "--lines", "99", "-c", "x"], 1, "LINE_OUT_OF_RANGE");
    refused("a.md", GUIDE, &["replace", "--lines", "0", "-c", "x"], 2, "INVALID_RANGE");
    let underline = ["append", "--section", "Usage", "-c", "---", "--exact"];
    refused("a.md", GUIDE, &underline, 4, "STRUCTURE_CHANGED");
    refused("a.md", GUIDE, &["replace", "--lines", "3", "-c", "```"], 4, "STRUCTURE_CHANGED");
    refused(
        "a.md",
        GUIDE,
        &["delete", "--section", "Guide", "--max-delete", "3"],
        4,
        "DELETE_LIMIT",
    );
    refused(
        "a.md",
        GUIDE,
        &["delete", "--text", "it", "--if-match", "000000000000"],
        4,
        "CHECKSUM_MISMATCH",
    );
}

#[test]
fn an_edit_without_changes_writes_nothing() {
    let sandbox = Sandbox::with(&[("a.md", GUIDE)]);
    let json = sandbox.run(&["patch", "replace", "a.md", "--lines", "3", "-c", "Intro.", "--json"]);
    assert_eq!(json.succeeds().json()["status"], "unchanged");
    sandbox.run(&["undo"]).exits(1);
}

#[test]
fn several_files_are_edited_together_or_not_at_all() {
    let sandbox = Sandbox::with(&[("a.md", "one two\n"), ("b.md", "two\n"), ("c.md", "three\n")]);
    let edit = ["--text", "two", "-c", "2", "--json"];
    let all = [&["patch", "replace", "a.md", "b.md"], &edit[..]].concat();
    let summary = sandbox.run(&all).succeeds().json_lines().pop().expect("a summary");
    assert_eq!((&summary["files"], &summary["edits"]), (&2.into(), &2.into()));
    sandbox.run(&["undo"]).exits(0);
    assert_eq!(std::fs::read(sandbox.path("b.md")).expect("readable"), b"two\n");
    let missing = [&["patch", "replace", "a.md", "c.md", "b.md"], &edit[..]].concat();
    sandbox.run(&missing).exits(1);
    assert_eq!(std::fs::read(sandbox.path("a.md")).expect("readable"), b"one two\n");
    let kept = [&missing[..], &["--keep-going"]].concat();
    sandbox.run(&kept).exits(1);
    assert_eq!(std::fs::read(sandbox.path("b.md")).expect("readable"), b"2\n");
}

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
fn edited_standard_input_is_printed() {
    let sandbox = Sandbox::new();
    let run =
        sandbox.run_with_input(&["patch", "replace", "-", "--lines", "2", "-c", "x"], b"a\nb");
    run.succeeds().prints("a\nx");
}

#[test]
fn previews_write_nothing() {
    let sandbox = Sandbox::with(&[("a.md", GUIDE)]);
    let edit = ["patch", "replace", "a.md", "--text", "Intro", "-c", "Intra"];
    let shown = sandbox.run(&[&edit[..], &["--dry-run"]].concat()).succeeds();
    assert!(shown.text().contains("\n-Intro.\n+Intra.\n"), "{}", shown.text());
    sandbox.run(&[&edit[..], &["--check"]].concat()).exits(1);
    assert_eq!(std::fs::read_to_string(sandbox.path("a.md")).expect("text"), GUIDE);
    sandbox.run(&edit).succeeds();
    sandbox.run(&[&edit[..], &["--check"]].concat()).exits(0);
    sandbox.run(&["patch", "delete", "a.md", "--text", "zzz", "--check"]).exits(2);
    // With a diff, it shows what would change, but still writes nothing.
    let other = ["patch", "replace", "a.md:1", "-c", "another line", "--check"];
    let before = std::fs::read(sandbox.path("a.md")).unwrap();
    for flag in ["--diff", "--dry-run"] {
        let outcome = sandbox.run(&[&other[..], &[flag]].concat()).exits(1);
        assert!(outcome.text().contains("\n+another line\n"), "{outcome}");
        let json = sandbox.run(&[&other[..], &[flag, "--json"]].concat()).exits(1).json();
        assert_eq!(json["status"], "preview");
        assert!(json["diff"].as_str().unwrap().contains("+another line"), "{json}");
        sandbox.run(&[&edit[..], &["--check", flag]].concat()).exits(0);
    }
    assert_eq!(std::fs::read(sandbox.path("a.md")).unwrap(), before);
}

#[test]
fn encodings_are_preserved() {
    let sandbox = Sandbox::new();
    let text = "# Ä\r\n\r\n## B\r\ntext\r\n";
    for little in [true, false] {
        sandbox.write("a.md", crate::support::utf16(text, little));
        sandbox.run(&["patch", "replace", "a.md", "--body", "B", "-c", "é\nf"]).succeeds();
        let expected = crate::support::utf16("# Ä\r\n\r\n## B\r\né\r\nf\r\n", little);
        assert_eq!(std::fs::read(sandbox.path("a.md")).expect("readable"), expected);
    }
    sandbox.write("l.txt", b"caf\xe9 one\nb\n");
    sandbox.run(&["patch", "replace", "l.txt", "--text", "one", "-c", "two"]).succeeds();
    assert_eq!(std::fs::read(sandbox.path("l.txt")).expect("readable"), b"caf\xe9 two\nb\n");
    let latin = ["patch", "replace", "l.txt", "--encoding", "latin1", "--text", "é"];
    sandbox.run(&[&latin[..], &["-c", "è"]].concat()).succeeds();
    assert_eq!(std::fs::read(sandbox.path("l.txt")).expect("readable"), b"caf\xe8 two\nb\n");
    let latin = ["patch", "append", "l.txt", "--encoding", "latin1", "-c", "ж"];
    sandbox.run(&latin).exits(2).tells("cannot be encoded");
}
