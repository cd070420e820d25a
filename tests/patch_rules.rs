//! Rules of `folio patch` that apply to options, JSON targets and sequences of edits.

use serde_json::{Value, json};

use crate::support::edits::edited;
use crate::support::terminal::screen_after;
use crate::support::{Outcome, Sandbox};

/// Returns a file after edits in JSON.
#[track_caller]
fn applied(name: &str, before: &str, edits: &str) -> (Outcome, String) {
    let sandbox = Sandbox::with(&[(name, before)]);
    let run = sandbox.run_with_input(&["patch", "apply", "-"], edits.as_bytes());
    let after = std::fs::read_to_string(sandbox.path(name)).unwrap();
    (run, after)
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
fn options_for_texts_require_a_text() {
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
fn front_matter_values_follow_their_own_key() {
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
fn renaming_a_heading_does_not_change_its_marks() {
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
fn content_is_appended_to_the_target_of_an_anchor() {
    let before = "# A\n<a id=\"x\"></a>\ntext\n\n# B\nb\n";
    let (run, after) = edited("a.md", before, &["append", "--anchor", "x", "-c", "new"]);
    run.exits(0);
    assert_eq!(after, "# A\n<a id=\"x\"></a>\ntext\n\nnew\n\n# B\nb\n");
}

#[test]
fn a_renamed_anchor_must_be_in_the_scope() {
    let before = "# A\n\n## X\n\n# B\n\n## Y\n";
    let arguments = ["rename", "--in", "B", "--anchor", "x", "-c", "Z"];
    let (run, after) = edited("s.md", before, &arguments);
    run.exits(1);
    assert_eq!(after, before);
}

#[test]
fn limits_accept_the_largest_number() {
    let most = u64::MAX.to_string();
    edited("a.txt", "a\n", &["replace", "--lines", "1", "-c", "z", "--max-delete", &most])
        .0
        .exits(0);
}

#[test]
fn deleted_lines_are_counted_for_each_step() {
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
fn an_insertion_next_to_a_missing_text_is_not_already_applied() {
    let arguments = ["insert", "--text", "import a", "--after", "-c", "\nimport b", "--check"];
    edited("i.py", "x\nimport b\n", &arguments).0.exits(2);
}

#[test]
fn a_quoted_code_block_accepts_content_with_a_fence() {
    let before = "> ```\n> x\n> ```\n\n# B\n";
    let (run, after) =
        edited("q.md", before, &["insert", "--code-block", "0", "-c", "```\ny\n```"]);
    run.exits(0);
    assert_eq!(after, "> ````\n> x\n> ```\n> y\n> ```\n> ````\n\n# B\n");
}

#[test]
fn edits_of_standard_input_print_warnings() {
    let sandbox = Sandbox::new();
    let arguments = ["patch", "replace", "-", "--text", "x", "-c", "```", "--force"];
    sandbox.run_with_input(&arguments, b"# A\nx\n# B\n").exits(0).tells("# B");
}

#[test]
fn a_dry_run_reports_refusals() {
    let sandbox = Sandbox::with(&[("a.md", "# A\nx\n"), ("b.md", "# B\nx\n")]);
    std::fs::hard_link(sandbox.path("a.md"), sandbox.path("c.md")).unwrap();
    let dry = ["patch", "replace", "a.md", "b.md", "--text", "x", "-c", "y", "--dry-run"];
    let outcome = sandbox.run(&dry).exits(0);
    let told = outcome.errors();
    assert!(
        told.contains("'a.md': the edit would be refused: the file has other hard links"),
        "{outcome}"
    );
    assert!(told.contains("--in-place") && !told.contains("'b.md'"), "{outcome}");
    let in_place = sandbox.run(&[&dry[..], &["--in-place"]].concat()).exits(0);
    assert_eq!(in_place.errors(), "");
    let read_only = std::os::unix::fs::PermissionsExt::from_mode(0o444);
    std::fs::set_permissions(sandbox.path("b.md"), read_only).unwrap();
    sandbox
        .run(&[&dry[..], &["--in-place"]].concat())
        .exits(0)
        .tells("b.md': the edit would be refused");
    // `--check` writes nothing, so it does not check permissions.
    let check = ["patch", "replace", "b.md", "--text", "x", "-c", "y", "--check"];
    assert_eq!(sandbox.run(&check).exits(1).errors(), "");
}

#[test]
fn a_hint_writes_only_if_the_command_would() {
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

#[test]
fn lines_of_steps_refer_to_the_final_file() {
    let sandbox = Sandbox::with(&[("a.txt", "a\nb\nc\n")]);
    let edits = r#"{"sequential":true,"edits":[
        {"address":"a.txt:3","operation":"insert","after":true,"content":"one\ntwo"},
        {"address":"a.txt:1","operation":"insert","content":"top"},
        {"address":"a.txt:2","operation":"replace","content":"A\nA"},
        {"address":"a.txt:3","operation":"delete"},
        {"address":"a.txt:5","operation":"insert","after":true,"content":"gone"},
        {"address":"a.txt:6","operation":"delete"}]}"#;
    let run = sandbox.run_with_input(&["patch", "apply", "-", "--json"], edits).exits(0);
    let after = std::fs::read_to_string(sandbox.path("a.txt")).unwrap();
    assert_eq!(after, "top\nA\nb\nc\none\ntwo\n");
    let lines = run.json_lines();
    let result = |number: usize| lines[number].get("resultLines").map(ToString::to_string);
    let expected = [Some(r#"{"end":6,"start":5}"#), Some(r#"{"end":1,"start":1}"#)];
    assert_eq!([result(0).as_deref(), result(1).as_deref()], expected, "{run}");
    assert_eq!(result(2).as_deref(), Some(r#"{"end":2,"start":2}"#), "{run}");
    assert_eq!([result(3), result(4), result(5)], [None, None, None], "{run}");
    for edit in &lines[..6] {
        assert_eq!(edit["note"], "File now has 6 lines (was 3)", "{edit}");
    }
}

#[test]
fn steps_can_move_parts_within_a_file() {
    let edits = r#"{"sequential":true,"edits":[
        {"address":"a.txt:1","operation":"replace","content":"A"},
        {"address":"a.txt:1","operation":"move","to":"a.txt:3"}]}"#;
    let (run, after) = applied("a.txt", "a\nb\nc\n", edits);
    run.exits(0);
    assert_eq!(after, "b\nc\nA\n");
}

#[test]
fn messages_quote_user_text_unchanged() {
    for (edit, told) in [
        (r#""operation":"a --foo-bar b""#, "unknown operation 'a --foo-bar b'"),
        (
            r#""operation":"delete","target":{"text":"x"},"occurrence":"a --foo-bar""#,
            "occurrence: 'a --foo-bar' is not first, last, all or a number from 1",
        ),
        (
            r#""operation":"delete","target":{"text":"x"},"ifRangeMatch":"x --y-z""#,
            "ifRangeMatch: 'x --y-z' is not a checksum",
        ),
    ] {
        let edit = format!(r#"{{"filePath":"a.md",{edit}}}"#);
        applied("a.md", "x\n", &edit).0.exits(2).tells(told);
    }
}

#[test]
fn errors_about_edits_in_json_use_field_names() {
    let checksum = "0123456789ab";
    for (edit, told) in [
        (
            r#""operation":"delete","target":{"text":"x"},"unique":true,"expect":1"#.to_owned(),
            "unique cannot be used with expect",
        ),
        (
            format!(
                r#""operation":"delete","target":{{"text":"x"}},"occurrence":"all","ifRangeMatch":"{checksum}""#
            ),
            "ifRangeMatch needs a part",
        ),
        (
            r#""operation":"replace","target":{"pattern":"x"},"content":"$9","expand":true"#
                .to_owned(),
            ": expand: the pattern has no group '9'",
        ),
        (
            r#""operation":"replace","target":{"text":"x"},"content":"y","set":{"a":"b"}"#
                .to_owned(),
            ": set: the content does not contain {{a}}",
        ),
    ] {
        let edit = format!(r#"{{"filePath":"a.md",{edit}}}"#);
        applied("a.md", "x x\n", &edit).0.exits(2).tells(told);
    }
    let edit = r#"{"filePath":"a.md","operation":"delete","target":{"text":"x"},"unique":true}"#;
    applied("a.md", "x x\n", edit).0.exits(3).tells(r#""occurrence":"all""#);
}

#[test]
fn facts_about_destination_files_are_reported() {
    let sandbox = Sandbox::with(&[("a.md", "# A\nx\n"), ("b.md", "# B\n")]);
    let edit = ["patch", "move", "a.md:2", "--to", "b.md", "--json", "--checksum"];
    let shown = sandbox.run(&[&edit[..], &["--dry-run"]].concat()).exits(0).json();
    assert!(shown["to"]["diff"].as_str().unwrap().contains("+++ b/b.md\n"), "{shown}");
    let done = sandbox.run(&[&edit[..], &["--backup"]].concat()).exits(0).json();
    let backup = |of: &Value| of["backupPath"].as_str().unwrap().to_owned();
    assert!(backup(&done).ends_with("a.md.bak") && backup(&done["to"]).ends_with("b.md.bak"));
    let checksum = |name: &str| {
        let digits = crate::support::checksum(std::fs::read(sandbox.path(name)).unwrap());
        digits[..16].to_owned()
    };
    assert_eq!(done["to"]["checksum"], checksum("b.md").as_str());
    assert_eq!(done["to"]["checksumBefore"], checksum("b.md.bak").as_str());
    crate::support::edits::check_schema(&done);
}

/// If an operand is a directory, folio must not change more than the user expects.
#[test]
fn a_run_changes_a_limited_number_of_files_without_confirmation() {
    let sandbox = Sandbox::new();
    let count = || {
        let text = |number: &u32| std::fs::read(sandbox.path(format!("d/{number}.txt"))).unwrap();
        (0..51).filter(|number| text(number) == b"y\n").count()
    };
    let patch = ["patch", "replace", "d", "--text", "x", "-c", "y"];
    let batch: Vec<String> = (0..51)
        .map(|number| {
            let path = format!("d/{number}.txt");
            let target = json!({"text": "x"});
            let edit =
                json!({"filePath": path, "operation": "replace", "target": target, "content": "y"});
            edit.to_string()
        })
        .collect();
    let batch = batch.join("\n");
    let reset = || {
        (0..51).for_each(|number| {
            sandbox.write(format!("d/{number}.txt"), "x\n");
        })
    };
    reset();
    sandbox.run(&patch).exits(4).tells("51 files would change, more than the limit of 50");
    sandbox.run_with_input(&["patch", "apply"], batch.as_bytes()).exits(4).tells("--max-files 51");
    let arguments = json!({"operation": "replace", "address": "d", "text": "x", "content": "y"});
    let call = |arguments: Value| {
        sandbox.run_with_input(&["call", "patch"], arguments.to_string().as_bytes())
    };
    call(arguments.clone()).exits(4).tells("\\\"max_files\\\":51");
    for (typed, changed) in [("\n", 0), ("n\n", 0), ("y\n", 51)] {
        let shown = screen_after(sandbox.command().args(patch), 80, typed.as_bytes());
        assert!(shown.contains("51 files would change. Change them? (y/N)"), "{shown}");
        assert_eq!(count(), changed, "{typed:?}");
    }
    reset();
    sandbox.run(&[&patch[..], &["--dry-run"]].concat()).exits(0);
    assert_eq!(count(), 0);
    sandbox.run(&[&patch[..], &["--max-files", "51"]].concat()).exits(0);
    assert_eq!(count(), 51);
    // Undoing the patch needs no confirmation.
    sandbox.run(&["undo"]).exits(0);
    assert_eq!(count(), 0);
    let mut agreed = arguments;
    agreed["options"] = json!({"max_files": 51});
    call(agreed).exits(0);
    assert_eq!(count(), 51);
}

#[test]
fn conditions_select_a_limited_number_of_parts() {
    let text = "# a\n".repeat(20_001);
    let (told, after) = edited("a.md", &text, &["delete", "--matching", "a", "--dry-run"]);
    told.exits(4).tells("the conditions select more parts than the limit of 20000");
    assert_eq!(after, text);
    // The limit applies to the parts that are picked, and to all files together.
    let picked = ["delete", "--matching", "a", "--last", "--force"];
    let (told, after) = edited("a.md", &text, &picked);
    told.exits(0);
    assert_eq!(after, "# a\n".repeat(20_000));
    let half = "# a\n".repeat(10_001);
    let sandbox = Sandbox::with(&[("a.md", &half), ("b.md", &half)]);
    let both = ["patch", "delete", "a.md", "b.md", "--matching", "a", "--dry-run"];
    sandbox.run(&both).exits(4).tells("more parts than the limit of 20000");
    sandbox.run(&[&both[..], &["--across", "--first"]].concat()).exits(0);
}

/// The name of a heading consists of at most the first MiB of the line, so this heading cannot be
/// found by its name.
#[test]
fn a_very_long_heading_is_edited_by_its_lines() {
    let text = format!("# {}\nx\n# b\n", "a".repeat(1_100_000));
    let (told, after) = edited("a.md", &text, &["delete", "--matching", "a"]);
    told.exits(0);
    assert_eq!(after, "# b\n");
}
