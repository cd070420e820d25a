//! Link definitions. With `--links`, they are copied with text that is moved to another file, and
//! remain in a file that still uses them. Without `--links`, a note is printed.

use std::fs;

use crate::support::Sandbox;

const GUIDE: &str = "\
# Guide

Read [the notes][Notes], [site] and [a b][].

## Setup

See [the notes][notes] and ![logo][logo], [site] and [site].

## Rest

[notes] here.

[notes]: ../notes/n.md \"The notes\"
[logo]: img/logo.png
[site]: https://example.org/
[a b]: <sub dir/x.md>
";

fn repository() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("docs/guide.md", GUIDE),
        ("other/b.md", "# B\n\nText.\n"),
        ("notes/n.md", "# N\n"),
        ("docs/img/logo.png", ""),
    ]);
    fs::create_dir(sandbox.path(".git")).unwrap();
    sandbox
}

const MOVE: [&str; 7] =
    ["patch", "move", "docs/guide.md", "--section", "Setup", "--to", "other/b.md"];

#[test]
fn definitions_move_with_their_links() {
    let sandbox = repository();
    sandbox.run(&[&MOVE[..], &["--links"]].concat()).exits(0);
    let expected = "\
# B

Text.

## Setup

See [the notes][notes] and ![logo][logo], [site] and [site].

[logo]: ../docs/img/logo.png
[notes]: ../notes/n.md \"The notes\"
[site]: https://example.org/
";
    assert_eq!(sandbox.text("other/b.md"), expected);
    assert!(sandbox.text("docs/guide.md").ends_with(GUIDE.split_once("## Rest").unwrap().1));
    sandbox.run(&["undo"]).exits(0);
    assert_eq!(sandbox.text("docs/guide.md"), GUIDE);
}

#[test]
fn missing_definitions_are_counted_with_a_command_that_moves_them() {
    let sandbox = repository();
    let run = sandbox.run(&MOVE).exits(0);
    let run = run.tells("4 references are not defined there: [logo] (docs/guide.md:7), [notes]");
    let run = run.tells("4 links no longer lead to the same section");
    run.tells("--links");
}

#[test]
fn existing_labels_at_the_destination_keep_their_meaning() {
    let sandbox = repository();
    let b = "# B\n\n[site] [notes]\n\n[site]: https://example.org/\n[NOTES]: own.md\n";
    sandbox.write("other/b.md", b);
    sandbox.run(&[&MOVE[..], &["--links", "--before"]].concat()).exits(0);
    let text = sandbox.text("other/b.md");
    let inline =
        "See [the notes](../notes/n.md \"The notes\") and ![logo][logo], [site] and [site].";
    assert!(text.contains(inline), "{text}");
    assert!(text.contains("\n\n[logo]: ../docs/img/logo.png\n\n# B"), "{text}");
    assert!(text.ends_with(b), "{text}");
}

#[test]
fn definitions_remain_where_they_are_used() {
    for operation in
        [&["delete", "docs/guide.md"][..], &["move", "docs/guide.md", "--to", "other/b.md"]]
    {
        let words = [&["patch"], operation, &["--section", "Rest"]].concat();
        let sandbox = repository();
        let run = sandbox.run(&words).exits(0);
        run.tells("the definitions of 7 links are deleted: [notes], [logo], [site], [a b]");
        let sandbox = repository();
        let run = sandbox.run(&[&words[..], &["--links"]].concat()).exits(0);
        assert!(!run.errors().contains("definition"), "{run}");
        let text = sandbox.text("docs/guide.md");
        let expected = format!(
            "{}[notes]:{}",
            GUIDE.split_once("## Rest").unwrap().0,
            GUIDE.split_once("\n[notes]:").unwrap().1
        );
        assert_eq!(text, expected, "{operation:?}");
    }
}

#[test]
fn footnotes_are_reported() {
    let notes = "# A\n\na[^1]\n\n# B\n\nb[^n]\n\n[^1]: One.\n[^n]: Two\n";
    let sandbox = Sandbox::with(&[("a.md", notes), ("b.md", "# X\n")]);
    let words = ["patch", "copy", "a.md", "--section", "A", "--to", "b.md", "--links"];
    let run = sandbox.run(&words).exits(0);
    run.tells("1 reference is not defined there: [^1] (a.md:3)");
    let run = sandbox.run(&["patch", "delete", "a.md", "--section", "B"]).exits(0);
    run.tells("the definition of 1 link is deleted: [^1]");
}

#[test]
fn text_in_a_quote_gets_inline_links() {
    let sandbox = Sandbox::with(&[("a.md", "> [x] y\n\n[x]: c.md\n"), ("d/b.md", "# B\n")]);
    let words = ["patch", "copy", "a.md", "--lines", "1", "--to", "d/b.md", "--links"];
    sandbox.run(&words).exits(0);
    assert_eq!(sandbox.text("d/b.md"), "# B\n\n> [x](../c.md) y\n");
}

#[test]
fn text_is_added_to_the_last_section_before_the_definitions() {
    let log = "# C\n\n## [1.0.0]\n\n### Added\n- old\n\n";
    let ends = [
        "[1.0.0]: https://x.example/1\n",
        "[1.0.0]:\n  https://x.example/1\n[b]: /b\n\n[c]: /c",
        "<!-- links -->\n[1.0.0]: https://x.example/1\n\n",
        "[^1]: note\n\n    more\n",
    ];
    for definitions in ends {
        let before = format!("{log}{definitions}");
        let check = |arguments: &[&str], after: &str| {
            let sandbox = Sandbox::with(&[("a.md", &before)]);
            sandbox.run(&[&["patch", arguments[0], "a.md"], &arguments[1..]].concat()).exits(0);
            assert_eq!(sandbox.text("a.md"), after, "{arguments:?}");
        };
        let item = before.replace("- old\n", "- old\n- new\n");
        check(&["append", "--section", "Added", "-c", "- new"], &item);
        check(&["append", "--section", "C", "-c", "- new"], &item);
        let section = before.replace("- old\n", "- old\n\n### Fixed\n- new\n");
        check(&["insert", "--section", "Added", "-c", "### Fixed\n- new"], &section);
        check(&["append", "--section", "Added", "-c", "### Fixed\n- new"], &section);
        // Definitions follow the others, and the end of the file is after them.
        for arguments in
            [&["append", "--section", "Added", "-c", "[z]: /z"][..], &["append", "-c", "new"]]
        {
            let sandbox = Sandbox::with(&[("a.md", &before)]);
            sandbox.run(&[&["patch", arguments[0], "a.md"], &arguments[1..]].concat()).exits(0);
            assert!(sandbox.text("a.md").starts_with(before.trim_end()), "{arguments:?}");
        }
    }
}

#[test]
fn definitions_of_other_text_remain_when_the_last_section_moves() {
    let sandbox = repository();
    let part = ["patch", "move", "docs/guide.md", "--section", "Rest", "--to", "other/b.md"];
    sandbox.run(&[&part[..], &["--links"]].concat()).exits(0);
    // The section uses the definition of [notes], which is not at its end.
    let moved =
        "# B\n\nText.\n\n## Rest\n\n[notes] here.\n\n[notes]: ../notes/n.md \"The notes\"\n";
    assert_eq!(sandbox.text("other/b.md"), moved);
    let guide = "# A\n\n[x] [y]\n\n## B\n\nb\n\n[x]: x.md\n[y]: y.md";
    let sandbox = Sandbox::with(&[("a.md", guide), ("b.md", "# X\n\n## Y\n\ny\n")]);
    let copy = ["patch", "copy", "a.md", "--section", "B", "--to", "b.md#x", "--links"];
    sandbox.run(&[&copy[..], &["--no-children"]].concat()).exits(0);
    assert!(sandbox.text("b.md").contains("## B\n\nb\n"), "{}", sandbox.text("b.md"));
    assert!(!sandbox.text("b.md").contains("]:"), "{}", sandbox.text("b.md"));
    let part = ["patch", "move", "a.md", "--section", "B", "--to", "b.md", "--links"];
    sandbox.run(&part).exits(0);
    assert_eq!(sandbox.text("a.md"), "# A\n\n[x] [y]\n\n[x]: x.md\n[y]: y.md\n");
}

#[test]
fn a_kept_definition_leads_to_the_moved_section() {
    let a = "# T\n\nSee [x].\n\n## X\n\nbody\n\n[x]: #x\n\n## Y\n\ny\n";
    let sandbox = Sandbox::with(&[("a.md", a), ("b.md", "# B\n")]);
    let words = ["patch", "move", "a.md", "--section", "X", "--to", "b.md", "--links"];
    sandbox.run(&words).exits(0);
    assert_eq!(sandbox.text("a.md"), "# T\n\nSee [x].\n\n## Y\n\ny\n\n[x]: b.md#x\n");
    sandbox.write("a.md", a);
    let run = sandbox.run(&["patch", "delete", "a.md", "--section", "X", "--links"]).exits(0);
    run.tells("1 link leads to what goes: a.md:9");
}

#[test]
fn labels_that_are_defined_differently_are_refused() {
    let check = |(a, b): (&str, &str), words: &[&str], status: i32| {
        let sandbox = Sandbox::with(&[("a.md", a), ("b.md", b)]);
        let words = [&["patch"], words, &["a.md", "--section", "X"]].concat();
        let run = sandbox.run(&words).exits(status);
        if status == 4 {
            run.tells("'b.md': the inserted text defines [").tells("] differently");
            assert_eq!((&*sandbox.text("a.md"), &*sandbox.text("b.md")), (a, b));
            let run = sandbox.run(&[&words[..], &["--force"]].concat()).exits(0);
            run.tells("the inserted text defines [");
        }
    };
    let links = ("## X\n\n[r]\n\n[r]: u1\n", "## Y\n\n[R]\n\n[R]: u2\n");
    let notes = ("## X\n\n[^r]\n\n[^r]: One.\n", "## Y\n\n[^r]\n\n[^r]: Two.\n");
    for files in [links, notes] {
        check(files, &["move", "--to", "b.md#y", "--before", "--links"], 4);
        check(files, &["move", "--to", "b.md#y", "--before"], 4);
        check(files, &["copy", "--to", "b.md"], 4);
        check((files.0, files.0), &["copy", "--to", "b.md"], 0);
    }
    // The first definition applies, so unused definitions do not matter.
    let unused = ("## X\n\nx\n\n[r]: u3\n", "## Y\n\n[r]\n\n[r]: u2\n");
    check(unused, &["copy", "--to", "b.md"], 0);
    check(unused, &["copy", "--to", "b.md", "--before"], 4);
    check((links.0, unused.0), &["copy", "--to", "b.md"], 4);
    check((links.0, unused.0), &["copy", "--to", "b.md", "--before"], 0);
}

#[test]
fn text_between_definitions_is_reported() {
    let sandbox = Sandbox::with(&[("r.md", "# T\n\n[a] [b]\n\n[a]: u1\n[b]: u2\n")]);
    let insert = ["patch", "insert", "r.md:5", "--after", "-c"];
    let run = sandbox.run(&[&insert[..], &["some text"]].concat()).exits(0);
    run.tells("the definition of 1 link is deleted: [b]");
    let run = sandbox.run(&["patch", "insert", "r.md:4", "-c", "text\n"]).exits(0);
    assert!(!run.errors().contains("definition"), "{run}");
}

#[test]
fn few_deleted_definitions_are_listed() {
    let labels: Vec<String> = (1..8).map(|number| format!("[l{number}]")).collect();
    let definitions = labels.join(": u\n");
    let guide = format!("# T\n\n{}\n\n## X\n\n{definitions}: u\n", labels.join(" "));
    let sandbox = Sandbox::with(&[("a.md", &guide)]);
    let run = sandbox.run(&["patch", "delete", "a.md", "--section", "X"]).exits(0);
    run.tells("of 7 links are deleted: [l1], [l2], [l3], [l4], [l5] and 2 more\n");
}

#[test]
fn two_inserted_texts_that_define_a_label_differently_are_refused() {
    let sandbox = Sandbox::with(&[
        ("a.md", "# A\n\n[x]\n\n[x]: one.md\n"),
        ("b.md", "# B\n\n[x]\n\n[x]: two.md\n"),
        ("c.md", "# C\n\n[x]\n\n[x]: one.md\n"),
        ("to.md", "# T\n"),
    ]);
    let copies = |second: &str| {
        let copy = |from: &str, name: &str| {
            let target = serde_json::json!({"section": name});
            serde_json::json!({"filePath": from, "operation": "copy", "target": target, "to": "to.md"})
        };
        let edits =
            serde_json::json!([copy("a.md", "A"), copy(second, &second[..1].to_uppercase())]);
        sandbox.write("edits.json", edits.to_string());
        sandbox.run(&["patch", "apply", "edits.json", "--dry-run"])
    };
    copies("b.md").exits(4).tells("the inserted text defines [x] differently");
    copies("c.md").exits(0);
}
