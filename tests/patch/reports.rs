//! Records of edits: lines, checksums, previews and notes.

use serde_json::{Value, json};

use super::{check_batch, patch};
use crate::support::edits::check_edit;
use crate::support::{Sandbox, checksum};

#[test]
fn a_replaced_heading_is_reported_with_its_lines_and_a_preview() {
    let sandbox = Sandbox::with(&[("a.md", "# T\n\n## Installation\n\ntext\n")]);
    let record = patch(
        &sandbox,
        &["replace", "a.md", "--heading", "## Installation", "-c", "## Getting Started"],
    );
    assert_eq!(record["target"], json!({"heading": "## Installation"}));
    assert_eq!(record["affectedLines"], json!({"start": 3, "end": 3}));
    assert_eq!((&record["linesChanged"], &record["linesDelta"]), (&json!(1), &json!(0)));
    let preview = json!({"before": "## Installation", "after": "## Getting Started"});
    assert_eq!(record["preview"], preview);
    assert!(record.get("note").is_none());
}

#[test]
fn replaced_lines_report_the_new_number_of_lines() {
    let numbers: String = (1..=847).map(|number| format!("{number}\n")).collect();
    let sandbox = Sandbox::with(&[("a.txt", &numbers)]);
    let new = ["a", "b", "c", "d"].join("\n");
    let record = patch(&sandbox, &["replace-lines", "a.txt", "--lines", "50-55", "-c", &new]);
    assert_eq!(record["operation"], "replace");
    assert_eq!(record["affectedLines"], json!({"start": 50, "end": 55}));
    assert_eq!((&record["linesChanged"], &record["linesDelta"]), (&json!(6), &json!(-2)));
    assert_eq!(record["note"], "File now has 845 lines (was 847)");
}

#[test]
fn each_edit_of_a_batch_reports_its_own_lines() {
    let check = |record: &Value, text: &str| {
        let preview = &record["preview"]["after"];
        assert_eq!(preview, text.trim_end(), "{record}");
        assert_eq!(record["rangeChecksum"].as_str().unwrap(), checksum(text), "{record}");
    };
    let edits = json!([
        {"address": "a.txt:2", "operation": "insert", "content": "before"},
        {"address": "a.txt:2", "operation": "replace", "content": "B"},
        {"address": "a.txt:2", "operation": "insert", "after": true, "content": "after"},
        {"address": "a.txt:4", "operation": "insert", "content": "x"},
    ]);
    let records = check_batch("a\nb\nc\nd\n", &edits, "a\nbefore\nB\nafter\nc\nx\nd\n");
    for (record, (line, text)) in
        records.iter().zip([(2, "before"), (3, "B"), (4, "after"), (6, "x")])
    {
        assert_eq!(record["resultLines"], json!({"start": line, "end": line}), "{record}");
        check(record, &format!("{text}\n"));
    }
}

#[test]
fn joined_lines_are_reported_together() {
    let edited =
        check_edit("a.txt", "a\n\nb\n", &["replace", "--text", "\n\n", "-c", "-"], "a-b\n");
    let record = &edited.records[0];
    assert_eq!(record["affectedLines"], json!({"start": 1, "end": 3}));
    assert_eq!(record["resultLines"], json!({"start": 1, "end": 1}));
    assert_eq!(record["preview"], json!({"before": "a\n\nb", "after": "a-b"}));
    assert_eq!(record["rangeChecksum"].as_str().unwrap(), checksum("a-b\n"));
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
fn facts_about_destination_files_are_reported() {
    let sandbox = Sandbox::with(&[("a.md", "# A\nx\n"), ("b.md", "# B\n")]);
    let edit = ["patch", "move", "a.md:2", "--to", "b.md", "--json", "--checksum"];
    let shown = sandbox.run(&[&edit[..], &["--dry-run"]].concat()).exits(0).json();
    assert!(shown["to"]["diff"].as_str().unwrap().contains("+++ b/b.md\n"), "{shown}");
    let done = sandbox.run(&[&edit[..], &["--backup"]].concat()).exits(0).json();
    let backup = |of: &Value| of["backupPath"].as_str().unwrap().to_owned();
    assert!(backup(&done).ends_with("a.md.bak") && backup(&done["to"]).ends_with("b.md.bak"));
    let checksum = |name: &str| {
        let digits = checksum(std::fs::read(sandbox.path(name)).unwrap());
        digits[..16].to_owned()
    };
    assert_eq!(done["to"]["checksum"], checksum("b.md").as_str());
    assert_eq!(done["to"]["checksumBefore"], checksum("b.md.bak").as_str());
    crate::support::edits::check_schema(&done);
}

#[test]
fn previews_are_short_and_only_made_on_request() {
    let long = "line\n".repeat(30);
    let sandbox = Sandbox::with(&[("a.txt", "one\n")]);
    let replace = ["patch", "replace", "a.txt:1", "-c", &long, "--json", "--preview"];
    let record = sandbox.run(&replace).succeeds().json();
    assert_eq!(record["preview"]["after"].as_str().map(|text| text.lines().count()), Some(20));
    assert_eq!(record["preview"]["truncated"], true);
    for flags in [&["--json"][..], &["--json", "--preview", "--no-preview"]] {
        let bare = sandbox.run(&[&["patch", "delete", "a.txt:1"], flags].concat()).succeeds();
        crate::support::edits::check_schema(&bare.json());
        assert!(bare.json().get("preview").is_none());
    }
}

/// A number that would select another part if it were counted from another first number.
#[test]
fn a_part_selected_by_a_doubtful_number_is_named() {
    let sandbox = Sandbox::with(&[
        ("a.md", "# S\n\n```sh\none\n```\n\n# S\n\n```sh\ntwo\n```\n"),
        ("l.yml", "tags: [a, b, c]\n"),
        ("k.ini", "a=1\nb=2\nb=3\nc=4\n"),
    ]);
    let patch = |arguments: &[&str]| {
        let dry = [&["patch"], arguments, &["--dry-run", "--json"]].concat();
        sandbox.run(&dry).succeeds().text()
    };
    let tells = |arguments: &[&str], sentence: &str| {
        let printed = patch(arguments);
        assert!(printed.contains(sentence), "{printed}");
    };
    let silent = |arguments: &[&str]| {
        let printed = patch(arguments);
        assert!(!printed.contains(" is the "), "{printed}");
    };
    tells(
        &["replace", "a.md", "--code-block", "sh:1", "-c", "x"],
        "code block sh:1 is the 2nd of 2",
    );
    silent(&["replace", "a.md", "--code-block", "sh:0", "-c", "x"]);
    silent(&["replace", "a.md", "--code-block", "0", "--in", "S[2]", "-c", "x"]);
    tells(&["delete", "a.md", "-s", "S[1]"], "section 'S[1]' is the 1st of 2");
    silent(&["delete", "a.md", "-s", "S[2]"]);
    tells(&["set", "l.yml", "--key", "tags[1]", "-c", "x"], "'tags[1]' is the 2nd of 3");
    silent(&["set", "l.yml", "--key", "tags[0]", "-c", "x"]);
    tells(&["set", "k.ini", "--key", "b[1]", "-c", "x"], "'b[1]' is the 2nd of 2");
    silent(&["set", "l.yml", "--key", "tags[-1]", "-c", "x"]);
}
