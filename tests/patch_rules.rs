//! `folio patch`: rules that hold however an edit is asked for, by flags, by a
//! target in JSON, or one after the other.

use crate::support::{Outcome, Sandbox};

/// What a file is after edits in JSON.
#[track_caller]
fn applied(name: &str, before: &str, edits: &str) -> (Outcome, String) {
    let sandbox = Sandbox::with(&[(name, before)]);
    let run = sandbox.run_with_input(&["patch", "apply", "-"], edits.as_bytes());
    let after = std::fs::read_to_string(sandbox.path(name)).unwrap();
    (run, after)
}

/// What a file is after an edit by flags.
#[track_caller]
fn edited(name: &str, before: &str, arguments: &[&str]) -> (Outcome, String) {
    let sandbox = Sandbox::with(&[(name, before)]);
    let all = [&["patch", arguments[0], name], &arguments[1..]].concat();
    let run = sandbox.run(&all);
    (run, std::fs::read_to_string(sandbox.path(name)).unwrap())
}

#[test]
fn the_structure_is_checked_step_by_step_too() {
    let before = "# A\nx\n\n# B\ny\n\n# C\nz\n";
    for sequential in [false, true] {
        let edits = format!(
            r#"{{"sequential":{sequential},"edits":[
            {{"filePath":"s.md","operation":"replace","target":{{"text":"x"}},"content":"```"}},
            {{"filePath":"s.md","operation":"replace","target":{{"text":"z"}},"content":"zz"}}]}}"#
        );
        let (run, after) = applied("s.md", before, &edits);
        run.exits(4).tells("# B");
        assert_eq!(after, before);
    }
}

#[test]
fn the_scope_of_a_key_is_its_section() {
    let edit = r#"{"filePath":"k.ini","operation":"replace","in":"t","target":{"key":"k"},"content":"k=9"}"#;
    let (run, after) = applied("k.ini", "k=0\n[t]\nk=2\n", edit);
    run.exits(0);
    assert_eq!(after, "k=0\n[t]\nk=9\n");
    let edit =
        r#"{"filePath":"k.ini","operation":"delete","in":"t","target":{"section":"t","key":"k"}}"#;
    applied("k.ini", "k=0\n[t]\nk=2\n", edit).0.exits(2);
}

#[test]
fn options_of_texts_need_a_text() {
    for option in [r#""expect":3"#, r#""unique":true"#, r#""occurrence":7"#, r#""ignoreCase":true"#]
    {
        let edit = format!(
            r#"{{"filePath":"g.md","operation":"delete","target":{{"section":"A"}},{option}}}"#
        );
        let (run, after) = applied("g.md", "# A\nx\n", &edit);
        run.exits(2);
        assert_eq!(after, "# A\nx\n", "{option}");
    }
}

#[test]
fn values_of_front_matter_stand_behind_their_own_key() {
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
fn a_heading_like_its_marks_is_renamed_in_its_text() {
    for (before, after) in [
        ("# T\n\n1. # 1\n", "# T\n\n1. # New\n"),
        ("## # ##\n", "## New ##\n"),
        ("10. ## 1\n", "10. ## New\n"),
        ("> # >\n", "> # New\n"),
    ] {
        let line = before.matches('\n').count();
        let sandbox = Sandbox::with(&[("r.md", before)]);
        let address = format!("r.md:{line}");
        sandbox.run(&["patch", "rename", &address, "-c", "New"]).exits(0);
        assert_eq!(std::fs::read_to_string(sandbox.path("r.md")).unwrap(), after);
    }
}

#[test]
fn content_is_appended_to_what_an_anchor_leads_to() {
    let before = "# A\n<a id=\"x\"></a>\ntext\n\n# B\nb\n";
    let (run, after) = edited("a.md", before, &["append", "--anchor", "x", "-c", "new"]);
    run.exits(0);
    assert_eq!(after, "# A\n<a id=\"x\"></a>\ntext\nnew\n\n# B\nb\n");
}

#[test]
fn a_renamed_anchor_stands_in_the_scope() {
    let before = "# A\n\n## X\n\n# B\n\n## Y\n";
    let arguments = ["rename", "--in", "B", "--anchor", "x", "-c", "Z"];
    let (run, after) = edited("s.md", before, &arguments);
    run.exits(1);
    assert_eq!(after, before);
}

#[test]
fn limits_may_be_as_large_as_a_number() {
    let most = u64::MAX.to_string();
    edited("a.txt", "a\n", &["replace", "--lines", "1", "-c", "z", "--max-delete", &most])
        .0
        .exits(0);
}

#[test]
fn steps_that_take_lines_away_are_counted_each() {
    let before = "x\n".repeat(400);
    let edits = format!(
        r#"{{"sequential":true,"edits":[
        {{"filePath":"a.txt","operation":"delete","target":{{"lines":{{"start":1,"end":300}}}}}},
        {{"filePath":"a.txt","operation":"append","content":"{}"}}]}}"#,
        "y\\n".repeat(300)
    );
    let (run, after) = applied("a.txt", &before, &edits);
    run.exits(4).tells("300 lines");
    assert_eq!(after, before);
}

#[test]
fn an_insertion_beside_a_missing_text_is_not_there_already() {
    let arguments = ["insert", "--text", "import a", "--after", "-c", "\nimport b", "--check"];
    edited("i.py", "x\nimport b\n", &arguments).0.exits(2);
}

#[test]
fn a_quoted_block_takes_content_with_a_fence() {
    let before = "> ```\n> x\n> ```\n\n# B\n";
    let (run, after) =
        edited("q.md", before, &["insert", "--code-block", "0", "-c", "```\ny\n```"]);
    run.exits(0);
    assert_eq!(after, "> ````\n> x\n> ```\n> y\n> ```\n> ````\n\n# B\n");
}

#[test]
fn the_document_of_standard_input_has_warnings_too() {
    let sandbox = Sandbox::new();
    let arguments = ["patch", "replace", "-", "--text", "x", "-c", "```", "--force"];
    sandbox.run_with_input(&arguments, b"# A\nx\n# B\n").exits(0).tells("# B");
}

#[test]
fn a_dry_run_says_what_would_be_refused() {
    let sandbox = Sandbox::with(&[("a.md", "# A\nx\n"), ("b.md", "# B\nx\n")]);
    std::fs::hard_link(sandbox.path("a.md"), sandbox.path("c.md")).unwrap();
    let dry = ["patch", "replace", "a.md", "b.md", "--text", "x", "-c", "y", "--dry-run"];
    let outcome = sandbox.run(&dry).exits(0);
    let told = outcome.errors();
    assert!(
        told.contains("'a.md': it would be refused: a hard link gives it another name"),
        "{outcome}"
    );
    assert!(told.contains("--in-place") && !told.contains("b.md"), "{outcome}");
    let in_place = sandbox.run(&[&dry[..], &["--in-place"]].concat()).exits(0);
    assert_eq!(in_place.errors(), "");
    let read_only = std::os::unix::fs::PermissionsExt::from_mode(0o444);
    std::fs::set_permissions(sandbox.path("b.md"), read_only).unwrap();
    sandbox.run(&[&dry[..], &["--in-place"]].concat()).exits(0).tells("b.md': it would be refused");
    // Nothing would be written here: what may be is not asked.
    let check = ["patch", "replace", "b.md", "--text", "x", "-c", "y", "--check"];
    assert_eq!(sandbox.run(&check).exits(1).errors(), "");
}

#[test]
fn a_hint_writes_only_where_that_was_asked_for() {
    let sandbox = Sandbox::with(&[("a.md", "# Setup\nx\n")]);
    let line = ["patch", "delete", "a.md", "--section", "Setp"];
    let told = |more: &[&str]| sandbox.run(&[&line[..], more].concat()).exits(1).errors();
    let dry = told(&["--dry-run", "--in-place", "--max-delete", "9", "--as", "markdown"]);
    let flags = "--dry-run --in-place --max-delete 9 --as markdown  # similar";
    assert!(dry.contains(flags), "{dry}");
    let hint = dry.lines().find_map(|line| line.strip_prefix("hint: ")).unwrap();
    crate::support::outcome(&mut crate::generated::shell(&sandbox, hint), b"").exits(0);
    assert_eq!(std::fs::read_to_string(sandbox.path("a.md")).unwrap(), "# Setup\nx\n");
    assert!(!told(&[]).contains("--dry-run"));
    let guarded = told(&["--if-range-match", "0123456789ab"]);
    assert!(guarded.contains("--if-range-match 0123456789ab"), "{guarded}");
}
