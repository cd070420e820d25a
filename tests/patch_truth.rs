//! `folio patch`: edits that are reported as made are in the file, and suggested commands can be
//! pasted.

use crate::support::edits::edited;
use crate::support::{Outcome, Sandbox};

/// Checks that an edit turns `before` into `after`.
#[track_caller]
fn makes(name: &str, before: &str, arguments: &[&str], after: &str) -> Outcome {
    let (run, text) = edited(name, before, arguments);
    let run = run.exits(0);
    assert_eq!(text, after, "{arguments:?}");
    run
}

/// Checks that an edit is refused with a status and a message, and changes nothing.
#[track_caller]
fn refused(name: &str, before: &str, arguments: &[&str], status: i32, message: &str) -> Outcome {
    let (run, text) = edited(name, before, arguments);
    let run = run.exits(status).tells(message);
    assert_eq!(text, before, "{arguments:?}");
    run
}

#[test]
fn an_edit_counts_as_applied_only_at_the_closest_place() {
    let bump = ["replace", "--text", "v1.0.0", "-c", "v2.0.0"];
    let with = |more: &[&'static str]| [&bump[..], more].concat();
    let applied = "the content already appears on line 1";
    refused("a.txt", "version = v2.0.0\n", &bump, 1, applied);
    refused("a.txt", "version = v2.0.0\nother = v3.7.9\n", &bump, 1, applied);
    refused("a.txt", "a = v2.0.0\n", &with(&["--check"]), 0, applied);
    refused("a.txt", "a = v2.0.0\nb = v2.0.0\n", &with(&["--occurrence", "all"]), 1, applied);
    // Another place is equally close, or closer.
    for before in [
        "a v1.0.1\nb v2.0.0\n",
        "b v2.0.0\na v1.0.1\n",
        // In a short text, a single different letter is a large difference.
        "b v2.0.0\na v1.9.0\n",
        "v2.0.0\nv2.0.0\n",
        "v2.0.0 v2.0.0",
    ] {
        let run = refused("a.txt", before, &bump, 1, "text not found: 'v1.0.0'")
            .tells("the replacement already appears");
        assert!(!run.errors().contains("nothing to do"), "{run}");
        refused("a.txt", before, &with(&["--check"]), 2, "text not found: 'v1.0.0'");
    }
    let unlike = ["replace", "--text", "alpha beta", "-c", "gamma"];
    refused("a.txt", "gamma\n", &unlike, 1, "the replacement already appears on line 1");
    // The closest match of a text of several lines begins at its first line.
    let body = ["replace", "--text", "fn a() {\n    old();\n}", "-c", "fn a() {\n    new();\n}"];
    refused("a.rs", "fn a() {\n    new();\n}\n", &body, 1, applied);
    refused(
        "a.rs",
        "fn a() {\n    o();\n}\nfn a() {\n    new();\n}\n",
        &body,
        1,
        "text not found: 'fn a()",
    );
}

#[test]
fn guards_are_checked_before_applied_edits() {
    let bump = ["replace", "--text", "v1.0.0", "-c", "v2.0.0"];
    let expecting = [&bump[..], &["--expect", "2"]].concat();
    refused("a.txt", "a = v2.0.0\n", &expecting, 4, "'v1.0.0' is not there, and not 2 times");
    let in_section = [&bump[..], &["--in", "B"]].concat();
    let text = "# A\n\nuse v2.0.0\n\n# B\n\nuse v1.0.2\n";
    let run = refused("a.md", text, &in_section, 1, "text not found: 'v1.0.0' in section 'B'");
    assert!(!run.errors().contains("the replacement already appears"), "{run}");
}

#[test]
fn content_is_written_in_the_encoding_of_the_file() {
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
    // The same applies to text from another file.
    sandbox.write("l.txt", latin).write("u.txt", "\u{ef}\nplain\n");
    sandbox.run(&["patch", "copy", "u.txt:1", "--to", "l.txt"]).exits(2).tells("not UTF-8");
    sandbox.run(&["patch", "copy", "u.txt:2", "--to", "l.txt"]).exits(0);
    sandbox.run(&["patch", "replace", "l.txt:2", "-c", "ASCII"]).exits(0);
}

#[test]
fn utf32_is_reported() {
    let sandbox = Sandbox::new();
    sandbox.write("u.txt", b"\xff\xfe\0\0a\0\0\0\n\0\0\0");
    for command in [&["read", "u.txt"][..], &["patch", "replace", "u.txt:1", "-c", "x"]] {
        sandbox.run(command).exits(2).tells("it is UTF-32").tells("iconv -f UTF-32 -t UTF-8 u.txt");
    }
}

#[test]
fn indented_content_is_unchanged() {
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
fn a_placeholder_has_one_value() {
    let twice = ["replace", "--lines", "1", "-c", "{{X}}", "--set", "X=1", "--set", "X=2"];
    refused("a.txt", "a\n", &twice, 2, "--set: 'X' has two values");
}

#[test]
fn an_empty_name_is_not_a_target() {
    for flags in [&["--section", ""][..], &["--body", " "], &["--section", "a", "--key", ""]] {
        let arguments = [&["replace"], flags, &["-c", "x"]].concat();
        refused("a.md", "# A\n", &arguments, 2, "is empty");
    }
    let sandbox = Sandbox::with(&[("a.md", "# A\n")]);
    sandbox.run(&["read", "a.md", "--section", ""]).exits(2).tells("--section is empty");
}

#[test]
fn a_text_is_searched_in_the_given_section() {
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
    for strays in [&["--in", "A"][..], &["--no-children"], &["--lines", "1"]] {
        let flags = [&["replace", "--section", "B", "--text", "foo", "-c", "x"], strays].concat();
        refused("a.md", before, &flags, 2, strays[0]);
    }
}

const FRONT: &str = "---\ntitle: Old\ntags: [a]\n---\n\n# Doc\n\nText\n";
const INI: &str = "[db]\nhost = a\nport = 1\n\n[log]\nfile = x\n";

#[test]
fn a_key_is_replaced_by_its_own_line() {
    let not_its_line = "the content is not a line that sets the key";
    let title = ["replace", "--front-matter", "--key", "title", "-c"];
    let with = |base: &[&'static str], content| [base, &[content]].concat();
    refused("a.md", FRONT, &with(&title, "name: New"), 2, "the content is not an entry 'title'")
        .tells("folio patch replace a.md --front-matter --key title -c 'name: New' --value");
    // It is not an entry of any name.
    makes("a.md", FRONT, &with(&title, "New"), &FRONT.replace("Old", "New"));
    makes("a.md", FRONT, &with(&title, "title: New"), &FRONT.replace("Old", "New"));
    let host = ["replace", "--section", "db", "--key", "host", "-c"];
    refused("a.ini", INI, &with(&host, "new"), 2, not_its_line)
        .tells("folio patch replace a.ini --section db --key host -c new --value");
    refused("a.ini", INI, &with(&host, "host = x\n[evil]"), 2, not_its_line);
    makes("a.ini", INI, &with(&host, "host = b ; c"), &INI.replace("host = a", "host = b ; c"));
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
        refused("a.md", FRONT, operation, 4, why).tells("this would change front matter elsewhere");
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
        refused("a.ini", INI, operation, 4, why);
        edited("a.ini", INI, &[operation, &["--force"]].concat()).0.exits(0);
    }
    makes("a.ini", INI, &["replace", "--lines", "5", "-c", "[logs]"], &INI.replace("log", "logs"));
    makes("a.ini", INI, &["delete", "--section", "log"], "[db]\nhost = a\nport = 1\n");
}

const LINKED: &str = "# Top\n\n[a](#setup-id) [b](#setup) [c](#su)\n\n## <a id=\"setup-id\"></a>Setup {#su}\n\n\
    text\n\n### Below\n";

#[test]
fn a_rename_keeps_the_ids_of_its_heading() {
    let renamed = |before: &str, after: &str| {
        let arguments = ["rename", "--lines", "1", "-c", "New"];
        makes("a.md", &format!("{before}\n"), &arguments, &format!("{after}\n"));
    };
    renamed("## <a id=\"x\"></a> Old {#y}", "## <a id=\"x\"></a> New {#y}");
    renamed("## Old <a name='x'></a>", "## New <a name='x'></a>");
    renamed("## O<a id=\"x\"></a>ld", "## <a id=\"x\"></a>New");
    renamed("## <a id=\"x\">Old</a>", "## <a id=\"x\">New</a>");
    renamed("## `<a id=\"x\">` old", "## New");
    renamed("## Old <b>bold</b>", "## New");
    let rename = ["rename", "--heading", "Setup", "--links-in", "a.md", "-c"];
    let with = |content| [&rename[..], &[content]].concat();
    let after = LINKED.replace("Setup {", "New {").replace("(#setup)", "(#new)");
    makes("a.md", LINKED, &with("New"), &after).succeeds();
    // If the new heading has its own id, links to the old ids are changed to it.
    let own = LINKED.replace("Setup {#su}", "New {#own}").replace("(#setup)", "(#new)");
    makes("a.md", LINKED, &with("New {#own}"), &own.replace("(#su)", "(#own)"));
    refused("a.md", LINKED, &with(" \t"), 2, "the content is empty");
}

#[test]
fn warnings_do_not_depend_on_how_a_part_is_named() {
    let section = "## <a id=\"setup-id\"></a>Setup {#su}\n\ntext\n\n### Below\n";
    for target in [
        &["--section", "Setup"][..],
        &["--anchor", "su"],
        &["--anchor", "setup-id"],
        &["--lines", "5-9"],
        &["--text", section],
    ] {
        let replace = [&["replace", "--force"], target, &["-c", "x"]].concat();
        let (run, _) = edited("a.md", LINKED, &replace);
        run.exits(0)
            .tells("1 nested section is included")
            .tells("the content has no heading")
            .tells("the link to #setup-id at line 3 will be broken");
        let (run, _) = edited("a.md", LINKED, &[&["delete"], target].concat());
        let run = run.exits(0).tells("1 nested section is included");
        assert!(!run.errors().contains("no heading"), "{run}");
    }
}

#[test]
fn hints_edit_the_same_file_and_keep_the_content() {
    let sandbox = Sandbox::with(&[("notes.md", "x\n"), ("note2.md", "y\n"), ("-a.md", "# A\n")]);
    let run = sandbox.run(&["patch", "append", "nots.md", "-c", "hi"]).exits(2);
    let run = run
        .tells("hint: folio patch append notes.md -c hi  # similar")
        .tells("hint: folio inspect note2.md  # similar");
    run.tells("hint: folio patch create nots.md -c hi  # to make it");
    let piped = sandbox.run_with_input(&["patch", "append", "new.md", "-f", "-"], "hi\n").exits(2);
    piped.tells("folio patch create new.md -f -");
    let edit = r#"{"filePath":"-a.md","operation":"delete","target":{"section":"B"}}"#;
    sandbox.run_with_input(&["patch", "apply", "-"], edit).exits(1).tells("folio inspect ./-a.md");
    let guarded = ["patch", "replace", "notes.md:1", "-c", "z", "--if-range-match", "123456789012"];
    sandbox.run(&guarded).exits(4).tells("folio read --checksum notes.md:1");
    let spelt = ["patch", "replace", "notes.md", "--text", " X", "-i", "-c", "z"];
    let run = sandbox.run(&spelt).exits(1);
    assert!(run.errors().matches("--ignore-case").count() <= 1, "{run}");
    sandbox.write("two.md", "x x\n");
    let unique = ["patch", "replace", "two.md", "--text", "x", "--unique", "-c", "z"];
    let run = sandbox.run(&unique).exits(3);
    run.tells("folio patch replace two.md --text x -c z --occurrence first");
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
fn the_other_files_are_edited_if_one_fails() {
    let sandbox = Sandbox::with(&[("a.md", "1\n2\n3\n"), ("b.md", "1\n")]);
    let lines = ["patch", "delete", "a.md:1", "b.md:7", "a.md:3", "b.md:0", "--keep-going"];
    let run = sandbox.run(&lines).exits(2).tells("no line 7").tells("1 of 3 files were edited");
    // Line numbers refer to the file before the edits.
    assert_eq!(std::fs::read_to_string(sandbox.path("a.md")).unwrap(), "2\n", "{run}");
}

#[test]
fn invalid_commands_are_reported_in_json() {
    let sandbox = Sandbox::new();
    for line in
        [&["bogus", "--json"][..], &["--bogus", "--format", "json"], &["help", "bogus", "--json"]]
    {
        assert_eq!(sandbox.run(line).exits(2).json_error().code, "INVALID_ARGUMENT");
    }
}

#[test]
fn a_pattern_may_match_several_lines() {
    let over = ["replace", "--pattern", "one\\n(t)wo$", "-c", "$1\nx", "--expand", "-U"];
    makes("a.txt", "zero\none\ntwo\nthree\n", &over, "zero\nt\nx\nthree\n");
    makes("a.txt", "one\r\ntwo\r\n", &over, "t\r\nx\r\n");
    let behind = ["insert", "--pattern", "o\\w+\\nt", "-c", "X", "--after", "--multiline"];
    makes("a.txt", "one\ntwo\n", &behind, "one\ntXwo\n");
    let without = ["replace", "--pattern", "one\\ntwo", "-c", "x"];
    refused("a.txt", "one\ntwo\n", &without, 2, "--multiline  # to match across lines");
    let text = ["replace", "--text", "one", "-c", "x", "-U"];
    refused("a.txt", "one\ntwo\n", &text, 2, "--multiline needs --pattern");
    let empty = ["replace", "--pattern", " *", "-c", "_", "--occurrence", "all"];
    makes("a.txt", "d\u{e9} j\n", &empty, "_d_\u{e9}_j_\n");
    let sandbox = Sandbox::with(&[("a.txt", "one\ntwo\n")]);
    let edit = r#"{"filePath":"a.txt","operation":"delete","target":{"pattern":"e\\nt"},"multiline":true}"#;
    sandbox.run_with_input(&["patch", "apply", "-"], edit).exits(0);
    assert_eq!(std::fs::read_to_string(sandbox.path("a.txt")).unwrap(), "onwo\n");
}

#[test]
fn a_text_is_replaced_in_the_files_below_a_directory() {
    let files = [
        ("docs/a.md", "# One\n\nAlpha Alpha\n\n```\nAlpha\n```\n"),
        ("docs/sub/b.md", "# Two\n\nAlpha\n\n# One\n\nAlpha\n"),
        ("docs/c.txt", "Alpha\n"),
        ("docs/none.md", "nothing\n"),
        ("docs/no.md", "Alpha\n"),
        ("docs/.gitignore", "no.md\n"),
        ("docs/binary", "\0Alpha\n"),
        (".git/HEAD", ""),
    ];
    let sandbox = Sandbox::with(&files);
    let text = |name: &str| std::fs::read_to_string(sandbox.path(name)).unwrap();
    let base = ["patch", "replace", "docs", "--text", "Alpha", "-c", "Beta"];
    let run = |more: &[&str]| sandbox.run(&[&base[..], more].concat());
    let all = ["--occurrence", "all"];
    let shown = run(&[&all[..], &["--dry-run"]].concat()).exits(0).tells("6 places in 3 files");
    for name in ["a/docs/a.md", "a/docs/sub/b.md", "a/docs/c.txt"] {
        assert!(shown.text().contains(&format!("--- {name}\n")), "{shown}");
    }
    let none = run(&["-g", "*.rs"]).exits(1).tells("text not found: 'Alpha' in 0 files");
    assert!(none.stdout.is_empty(), "{none}");
    run(&["--occurrence", "all", "--in", "Nowhere"]).exits(1).tells("text not found: 'Alpha' in");
    run(&["--occurrence", "7"]).exits(1);
    let in_section = run(&["-t", "md", "--in", "One", "--outside-code", "--occurrence", "all"]);
    assert!(in_section.text().ends_with("3 places in 2 files (undo: folio undo 1)\n"));
    assert_eq!(text("docs/a.md"), "# One\n\nBeta Beta\n\n```\nAlpha\n```\n");
    assert_eq!(text("docs/sub/b.md"), "# Two\n\nAlpha\n\n# One\n\nBeta\n");
    assert_eq!(text("docs/c.txt"), "Alpha\n");
    let json = run(&["--occurrence", "all", "--json"]).exits(0).json_lines();
    let summary = json.last().unwrap();
    assert_eq!((&summary["files"], &summary["matches"]), (&3.into(), &3.into()), "{summary}");
    // It is one transaction, and files without the text are unchanged.
    sandbox.run(&["undo"]).exits(0);
    sandbox.run(&["undo"]).exits(0);
    for (name, before) in files {
        assert_eq!(text(name), before, "{name}");
    }
    sandbox
        .run(&["patch", "replace", "docs/a.md", "--text", "Alpha", "-c", "x", "-t", "md"])
        .exits(2);
    sandbox.run(&["patch", "append", "docs", "-c", "x"]).exits(2).tells("folio list docs");
}

#[test]
fn closing_tags_of_the_surrounding_text_are_kept() {
    let tabs = "<Tabs>\n  <Tab>\n\n## In\n\nx\n\n  </Tab>\n</Tabs>\n\n## Next\n";
    makes("a.mdx", tabs, &["replace", "--body", "In", "-c", "y"], &tabs.replace("\nx\n", "\ny\n"));
    let without = "<Tabs>\n  <Tab>\n\n  </Tab>\n</Tabs>\n\n## Next\n";
    makes("a.mdx", tabs, &["delete", "--section", "In"], without);
    let more = tabs.replace("\nx\n", "\nx\n\ny\n");
    makes("a.mdx", tabs, &["append", "--section", "In", "-c", "y"], &more);
    let own = "<details>\n\n## A\n\n<div>\nx\n</div>\n\n</details>\n";
    makes("a.md", own, &["delete", "--section", "A"], "<details>\n\n</details>\n");
    // The tags of the section itself are part of it, also if they are on one line with others.
    let both = "<a>\n\n## A\n\n<b>\n<b-c>\nx\n</b-c></b>\n</a>\n";
    makes("a.md", both, &["delete", "--section", "A"], "<a>\n\n</a>\n");
    let text = "## A\n\nx\n</a> y\n";
    makes("a.md", text, &["replace", "--body", "A", "-c", "z"], "## A\n\nz\n");
}

#[test]
fn front_matter_keeps_its_delimiters() {
    let page = "---\ntitle: x\n---\n# A\n";
    let replace = |content| ["replace", "--front-matter", "-c", content];
    let expected = "---\ntitle: y\n---\n# A\n";
    makes("a.md", page, &replace("title: y"), expected);
    makes("a.md", page, &replace("---\ntitle: y\n---"), expected);
    makes("a.md", page, &replace("+++\na = 1\n+++"), "+++\na = 1\n+++\n# A\n");
}

#[test]
fn a_line_does_not_become_a_heading_unnoticed() {
    let rule = "# A\n\ntext\n\n---\n\nend\n";
    let message = "line 5 becomes '## new'";
    refused("a.md", rule, &["insert", "--lines", "5", "-c", "new"], 4, message);
    let apart = "# A\n\ntext\n\nnew\n\n---\n\nend\n";
    makes("a.md", rule, &["insert", "--lines", "5", "-c", "new\n\n"], apart);
}

#[test]
fn parts_that_are_moved_to_a_new_file_are_separated() {
    let sandbox = Sandbox::with(&[("d/a.md", "N\n---\n\nx\n"), ("d/b.md", "N\n---\n\ny\n")]);
    sandbox.run(&["patch", "copy", "d", "--matching", "^N$", "--to", "c.md"]).exits(0);
    let text = std::fs::read_to_string(sandbox.path("c.md")).unwrap();
    assert_eq!(text, "N\n---\n\nx\n\nN\n---\n\ny\n");
}

#[test]
fn encodings_are_not_mixed() {
    let sandbox = Sandbox::with(&[("utf8.md", "\u{e9}\n")]);
    sandbox.write("latin.md", "caf\u{e9}\n".chars().map(|it| it as u8).collect::<Vec<u8>>());
    let copied = sandbox.run(&["patch", "copy", "latin.md:1", "--to", "utf8.md"]);
    copied.exits(2).tells("'utf8.md': line 1 is UTF-8, but the new text is not");
    let nul = r#"{"address":"utf8.md","operation":"append","content":"a\u0000b"}"#;
    sandbox.run_with_input(&["patch", "apply", "-"], nul).exits(2).tells("NUL byte");
}

#[test]
fn a_part_is_converted_to_the_encoding_of_the_other_file() {
    let sandbox = Sandbox::new();
    let latin = b"caf\xe9\nline\n";
    let copy = |from: &str, to: &str| {
        sandbox.write("latin.txt", latin).write("utf8.txt", "\u{e9}\n");
        let words = ["patch", "copy", from, "--to", to, "--encoding", "latin1"];
        sandbox.run(&words).exits(0);
        std::fs::read(sandbox.path(to)).unwrap()
    };
    assert_eq!(copy("latin.txt:1", "utf8.txt"), "\u{e9}\ncaf\u{e9}\n".as_bytes());
    assert_eq!(copy("utf8.txt:1", "latin.txt"), b"caf\xe9\nline\n\xe9\n");
    // Without null bytes, ASCII is not UTF-16.
    sandbox.write("utf16.txt", b"a\0\n\0").write("ascii.txt", "b\n");
    let words = ["patch", "copy", "utf16.txt:1", "--to", "ascii.txt", "--encoding", "utf-16le"];
    sandbox.run(&words).exits(0);
    assert_eq!(std::fs::read(sandbox.path("ascii.txt")).unwrap(), b"b\na\n");
    sandbox.write("utf8.txt", "\u{20ac}\n");
    let words = ["patch", "move", "utf8.txt:1", "--to", "latin.txt", "--encoding", "iso-8859-2"];
    sandbox.run(&words).exits(2).tells("cannot be encoded in iso-8859-2");
}

#[test]
fn an_edit_that_makes_a_file_with_keys_invalid_is_refused() {
    let (before, invalid) = ("{\"a\": 1}\n", "valid JSON: line 2, column 1");
    let append = ["append", "-c", "\"b\": 1"];
    refused("a.json", before, &append, 4, &format!("the file would no longer be {invalid}"));
    let forced = [&append[..], &["--force"]].concat();
    let run = makes("a.json", before, &forced, "{\"a\": 1}\n\"b\": 1\n");
    run.tells(&format!("the file is no longer {invalid}"));
    // A file that is not valid is edited.
    makes("b.json", "{\"a\" 1}\n", &["replace", "--text", "1", "-c", "2"], "{\"a\" 2}\n");
}

#[test]
fn a_diff_with_a_moved_file_can_be_applied() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n"), ("b.md", "[a](a.md)\n")]);
    let diff = sandbox.run(&["patch", "move", "a.md", "--to", "c.md", "--links", "-d"]).exits(0);
    assert!(diff.text().contains("rename to c.md\n\n--- a/b.md\n"), "{diff}");
}
