//! Edits without effect: they write nothing and are reported as such.

use super::GUIDE;
use crate::support::Sandbox;
use crate::support::edits::{check_refused, check_text_refusal, edited};

#[test]
fn edits_without_effect_do_nothing() {
    check_refused(
        "a.md",
        GUIDE,
        &["replace", "--section", "Instal", "-c", "x"],
        1,
        "TARGET_NOT_FOUND",
    );
    check_refused(
        "a.md",
        GUIDE,
        &["replace", "--section", "install", "-c", "x"],
        1,
        "TARGET_NOT_FOUND",
    );
    check_refused(
        "a.md",
        GUIDE,
        &["replace", "--text", "nowhere", "-c", "x"],
        1,
        "TARGET_NOT_FOUND",
    );
    check_refused(
        "a.md",
        GUIDE,
        &["replace", "--text", "nowhere", "-c", "Intro"],
        1,
        "TARGET_NOT_FOUND",
    );
    check_refused(
        "a.md",
        GUIDE,
        &["replace", "--text", "Intrx", "-c", "Intro"],
        1,
        "ALREADY_APPLIED",
    );
    check_refused(
        "a.md",
        GUIDE,
        &["replace", "--text", "s", "--unique", "-c", "x"],
        3,
        "TARGET_AMBIGUOUS",
    );
    check_refused(
        "a.md",
        GUIDE,
        &["replace", "--text", "Use", "--expect", "2", "-c", "x"],
        4,
        "COUNT_MISMATCH",
    );
    check_refused("a.md", GUIDE, &["replace", "--text", "Use", "-c", ""], 2, "EMPTY_CONTENT");
    check_refused("a.md", GUIDE, &["replace", "--text", "", "-c", "x"], 2, "INVALID_ARGUMENT");
    check_refused("a.md", GUIDE, &["replace", "-c", "x"], 2, "INVALID_ARGUMENT");
    check_refused("a.md", GUIDE, &["replace", "--lines", "99", "-c", "x"], 1, "LINE_OUT_OF_RANGE");
    check_refused("a.md", GUIDE, &["replace", "--lines", "0", "-c", "x"], 2, "INVALID_RANGE");
    let underline = ["append", "--section", "Usage", "-c", "---", "--exact"];
    check_refused("a.md", GUIDE, &underline, 4, "STRUCTURE_CHANGED");
    check_refused("a.md", GUIDE, &["replace", "--lines", "3", "-c", "```"], 4, "STRUCTURE_CHANGED");
    check_refused(
        "a.md",
        GUIDE,
        &["delete", "--section", "Guide", "--max-delete", "3"],
        4,
        "DELETE_LIMIT",
    );
    check_refused(
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
fn a_section_replaced_by_its_own_text_is_unchanged() {
    for text in ["# A\n\nx\n  \n", "# A\n\nx\n  ", "# A\nx\n\t\n\n# B\n"] {
        let sandbox = Sandbox::with(&[("a.md", text)]);
        let section = sandbox.run(&["read", "a.md", "--section", "A"]).stdout;
        let replace = ["patch", "replace", "a.md", "--section", "A", "-f", "-"];
        let run = sandbox.run_with_input(&replace, String::from_utf8(section).unwrap());
        assert!(String::from_utf8_lossy(&run.stdout).contains("unchanged"), "{text:?}");
        assert_eq!(std::fs::read_to_string(sandbox.path("a.md")).unwrap(), text);
    }
}

#[test]
fn an_edit_counts_as_applied_only_at_the_closest_place() {
    let bump = ["replace", "--text", "v1.0.0", "-c", "v2.0.0"];
    let with = |more: &[&'static str]| [&bump[..], more].concat();
    let applied = "the content already appears on line 1";
    check_text_refusal("a.txt", "version = v2.0.0\n", &bump, 1, applied);
    check_text_refusal("a.txt", "version = v2.0.0\nother = v3.7.9\n", &bump, 1, applied);
    check_text_refusal("a.txt", "a = v2.0.0\n", &with(&["--check"]), 0, applied);
    check_text_refusal(
        "a.txt",
        "a = v2.0.0\nb = v2.0.0\n",
        &with(&["--occurrence", "all"]),
        1,
        applied,
    );
    // Another place is equally close, or closer.
    for before in [
        "a v1.0.1\nb v2.0.0\n",
        "b v2.0.0\na v1.0.1\n",
        // In a short text, a single different letter is a large difference.
        "b v2.0.0\na v1.9.0\n",
        "v2.0.0\nv2.0.0\n",
        "v2.0.0 v2.0.0",
    ] {
        let run = check_text_refusal("a.txt", before, &bump, 1, "text not found: 'v1.0.0'")
            .tells("the replacement already appears");
        assert!(!run.errors().contains("nothing to do"), "{run}");
        check_text_refusal("a.txt", before, &with(&["--check"]), 2, "text not found: 'v1.0.0'");
    }
    let unlike = ["replace", "--text", "alpha beta", "-c", "gamma"];
    check_text_refusal("a.txt", "gamma\n", &unlike, 1, "the replacement already appears on line 1");
    // The closest match of a text of several lines begins at its first line.
    let body = ["replace", "--text", "fn a() {\n    old();\n}", "-c", "fn a() {\n    new();\n}"];
    check_text_refusal("a.rs", "fn a() {\n    new();\n}\n", &body, 1, applied);
    check_text_refusal(
        "a.rs",
        "fn a() {\n    o();\n}\nfn a() {\n    new();\n}\n",
        &body,
        1,
        "text not found: 'fn a()",
    );
}

#[test]
fn an_insertion_next_to_a_missing_text_is_not_already_applied() {
    let arguments = ["insert", "--text", "import a", "--after", "-c", "\nimport b", "--check"];
    edited("i.py", "x\nimport b\n", &arguments).0.exits(2);
}
