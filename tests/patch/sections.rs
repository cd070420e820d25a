//! Sections, bodies and anchors as targets.

use super::{LINKED, SPACED, check_blank_lines, check_not_edited, edit_with_force};
use crate::support::edits::{check_edit, check_refused, edit, edited};

#[test]
fn a_replaced_section_keeps_its_heading() {
    let text = "# A\n\na\n\n## B {#b}\n\nb\n\n### C\n";
    for target in [["--section", "B"], ["--anchor", "b"]] {
        let replace = |content| ["replace", target[0], target[1], "-c", content];
        for content in ["new", "text\n\n## B\n\nnew", "```\n## B\n```"] {
            let run = check_refused("a.md", text, &replace(content), 4, "STRUCTURE_CHANGED");
            assert!(run.errors.contains("so '## B' would be removed"), "{}", run.errors);
            assert!(run.errors.contains("--body B"), "{}", run.errors);
            edit_with_force(text, &replace(content));
        }
        let same = edit("a.md", text.as_bytes(), &replace("<a id=\"x\"></a>\n## B {#b}\n\nnew"));
        assert_eq!(same.status, 0, "{}", same.errors);
        assert!(!same.records[0]["warnings"].to_string().contains("changes from"));
        for content in ["## Z\n\nnew", "### B\n\nnew", "\nB\n===\n\nnew"] {
            let other = edit("a.md", text.as_bytes(), &replace(content));
            assert_eq!(other.status, 0, "{}", other.errors);
            let warnings = other.records[0]["warnings"].to_string();
            assert!(warnings.contains("the heading changes from '## B' to '"), "{warnings}");
        }
    }
    let heading = ["replace", "--heading", "B", "-c", "Z"];
    let run = check_refused("a.md", text, &heading, 4, "STRUCTURE_CHANGED");
    assert!(run.errors.contains("rename a.md --heading B -c Z"), "{}", run.errors);
    for content in ["## B\n\nnew", "# Z", "\n### B\n"] {
        let run = check_refused(
            "a.md",
            text,
            &["replace", "--body", "B", "-c", content],
            4,
            "STRUCTURE_CHANGED",
        );
        assert!(run.errors.contains("a.md --section B"), "{}", run.errors);
    }
    check_edit(
        "a.md",
        text,
        &["replace", "--body", "B", "-c", "### Z"],
        &text.replace("b\n\n### C", "### Z"),
    );

    let ini = "[a]\nk = 1\n[b]\nl = 2\n";
    check_refused(
        "a.ini",
        ini,
        &["replace", "--section", "b", "-c", "l = 3"],
        4,
        "STRUCTURE_CHANGED",
    );
    check_refused(
        "a.ini",
        ini,
        &["replace", "--body", "b", "-c", "[b]\nl = 3"],
        4,
        "STRUCTURE_CHANGED",
    );
    check_edit(
        "a.ini",
        ini,
        &["replace", "--section", "b", "-c", "[c]\nl = 3"],
        "[a]\nk = 1\n[c]\nl = 3\n",
    );
    let log = "[LOG-1] a\nx\n[LOG-2] b\ny\n";
    check_refused(
        "a.log",
        log,
        &["replace", "--section", "LOG-2", "-c", "z"],
        4,
        "STRUCTURE_CHANGED",
    );
    let entry = ["replace", "--section", "LOG-2", "-c", "[LOG-2] c\nz"];
    check_edit("a.log", log, &entry, "[LOG-1] a\nx\n[LOG-2] c\nz\n");
}

#[test]
fn only_the_lines_of_the_last_section_are_deleted() {
    check_edit("a.md", "# A\nx\n\r\n# B\ny\n\n", &["delete", "--section", "B"], "# A\nx\n\r\n");
}

#[test]
fn deleting_nested_sections_is_reported() {
    let text = b"# A\n\nx\n\n## B\n\n### C\n\n# D\n";
    let edited =
        check_edit("a.md", text, &["replace", "--section", "A", "-c", "# N"], b"# N\n\n# D\n");
    let warnings = edited.records[0]["warnings"].to_string();
    assert!(warnings.contains("2 nested sections"), "{warnings}");
    let edited = check_edit("a.md", text, &["delete", "--section", "B"], b"# A\n\nx\n\n# D\n");
    let warnings = edited.records[0]["warnings"].to_string();
    assert!(warnings.contains("1 nested section"), "{warnings}");
    let alone = ["replace", "--section", "A", "--no-children", "-c", "# N"];
    let edited = check_edit("a.md", text, &alone, b"# N\n\n## B\n\n### C\n\n# D\n");
    assert!(!edited.records[0]["warnings"].to_string().contains("nested"));
}

#[test]
fn a_missing_heading_is_not_created() {
    let text = b"# A\n\n## Changes\n";
    for name in ["Change", "changes", "## Change", "Changes > New", "Changes[2]"] {
        let edited = check_refused(
            "a.md",
            text,
            &["append", "--section", name, "-c", "x"],
            1,
            "TARGET_NOT_FOUND",
        );
        assert!(edited.errors.contains("Changes"), "{}", edited.errors);
        check_refused(
            "a.md",
            text,
            &["insert", "--heading", name, "-c", "x"],
            1,
            "TARGET_NOT_FOUND",
        );
    }
    let ini = b"[a]\nk = 1\n";
    check_refused(
        "a.ini",
        ini,
        &["append", "--section", "b", "-c", "x = 1"],
        1,
        "TARGET_NOT_FOUND",
    );
    let key = ["replace", "--section", "a", "--key", "x", "-c", "x = 1"];
    check_refused("a.ini", ini, &key, 1, "TARGET_NOT_FOUND");
}

#[test]
fn content_is_appended_to_the_target_of_an_anchor() {
    let before = "# A\n<a id=\"x\"></a>\ntext\n\n# B\nb\n";
    let (run, after) = edited("a.md", before, &["append", "--anchor", "x", "-c", "new"]);
    run.exits(0);
    assert_eq!(after, "# A\n<a id=\"x\"></a>\ntext\n\nnew\n\n# B\nb\n");
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
fn a_body_does_not_repeat_its_heading() {
    for before in ["<!-- c -->\n", "<a id=\"a\"></a>\n\n", "x\n\n", "---\nt: 1\n---\n", ""] {
        let content = format!("{before}## A\n\nnew");
        check_not_edited(SPACED, &["replace", "--body", "A", "-c", &content], "the heading '## A'");
    }
    check_not_edited(
        SPACED,
        &["replace", "--body", "A", "-c", "x\n\n## X\n\n## A"],
        "the heading '## A'",
    );
    let other = edit("a.md", SPACED.as_bytes(), &["replace", "--body", "A", "-c", "x\n\n## X"]);
    assert_eq!(other.status, 0, "{}", other.errors);
    let warning = other.records[0]["warnings"].to_string();
    assert!(warning.contains("the heading '## X' in the content ends the section"), "{warning}");
    let deeper = ["replace", "--body", "A", "-c", "> ## A\n\n### D"];
    check_blank_lines(SPACED, &deeper, &SPACED.replace("a text", "> ## A\n\n### D"), None);
}
