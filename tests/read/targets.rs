//! Targets as JSON, and their form in the output.

use super::{check, check_error, check_guide, check_part, piece_with_note, sandbox};
use crate::support::Sandbox;
use crate::support::documents::long_texts;
use crate::support::records::{Piece, Record};

#[test]
fn targets_can_be_given_in_json() {
    for (target, start, end) in [
        (r#"{"lines":{"start":14,"end":15}}"#, 14, 15),
        (r#"{"lines":{"start":30}}"#, 30, 35),
        (r#"{"section":"Installation"}"#, 11, 29),
        (r#"{"body":"Installation"}"#, 12, 29),
        (r###"{"heading":"## Installation"}"###, 11, 29),
        (r#"{"heading":{"text":"Installation","includeChildren":true}}"#, 11, 29),
        (r#"{"heading":{"text":"Installation","includeChildren":false}}"#, 11, 17),
        (r#"{"codeBlock":{"index":0}}"#, 14, 15),
        (r#"{"anchor":"linux-anchor"}"#, 20, 21),
        (r#"{"frontMatter":{"key":"date"}}"#, 3, 3),
        (r#"{"text":"make"}"#, 15, 15),
        (r#"{"pattern":"^MAKE","flags":"i"}"#, 15, 15),
        (r#"{"search":{"query":"make","contextLines":1}}"#, 14, 16),
    ] {
        check_guide(&["--target", target], start, end);
    }
    let ranges = r#"{"ranges":[{"start":2,"end":3},{"start":9,"end":9}]}"#;
    check(&["n.txt", "--target", ranges], "2\n3\n9\n");
    let key = r#"{"section":"[database]","key":"port"}"#;
    check(&["app.ini", "--target", key], "port: 5432\n");
    check_error(&["n.txt", "--target", "{"], 2, "INVALID_ARGUMENT", &["target"]);
    check_error(&["n.txt", "--target", "{}"], 2, "INVALID_ARGUMENT", &["target"]);
    check_error(&["n.txt", "--target", r#"{"sektion":"x"}"#], 2, "INVALID_ARGUMENT", &["sektion"]);
    check_error(
        &["n.txt", "--target", r#"{"lines":{"start":3,"end":2}}"#],
        2,
        "INVALID_RANGE",
        &["3-2"],
    );
    let two = r#"{"section":"a","anchor":"b"}"#;
    check_error(&["n.txt", "--target", two], 2, "INVALID_ARGUMENT", &["section", "anchor"]);
}

#[test]
fn json_contains_the_target_in_a_form_that_read_accepts() {
    let sandbox = sandbox();
    for arguments in [
        &["--lines", "10-12"][..],
        &["--lines", "10-"],
        &["--lines", "1,3-4"],
        &["--section", "Installation"],
        &["--section", "Installation", "--no-children"],
        &["--body", "Installation"],
        &["--heading", "## Usage"],
        &["--heading", "Installation", "--no-children"],
        &["--code-block", "bash:0"],
        &["--anchor", "top"],
        &["--front-matter"],
        &["--front-matter", "--key", "title"],
        &["--text", "make"],
        &["--pattern", "m.ke"],
        &["--pattern", "M.KE", "-i"],
        &["--pattern", "m.ke", "-w"],
        &["--search", "make", "-C", "1"],
        &["--code-block", "0", "--from", "15"],
        &["--from", "11", "--to-next", "^## "],
        &["--from", "11", "--to-next", "^# ", "--outside-code"],
        &["--from", "11", "--to-next", "^[a-z]+", "-i"],
        &["--from", "13", "--to-section-end"],
        &["--from", "13", "--limit", "3"],
        &["--from", "13", "-W"],
        &["--head", "3"],
        &["--tail", "3"],
        &["--section", "Linux", "--in", "Installation"],
    ] {
        let first =
            Piece::one(&sandbox.run(&[&["read", "--json", "guide.md"], arguments].concat()));
        let target = serde_json::Value::Object(first.target.expect("a target"));
        let line = serde_json::json!({"filePath": "guide.md", "target": target}).to_string();
        let outcome = sandbox.run_with_input(&["read", "--json", "--batch", "-"], &line);
        let second = Piece::one(&outcome);
        assert_eq!(second.content, first.content, "{line}");
    }
}

#[test]
fn patterns_are_reported_as_written() {
    let sandbox = sandbox();
    for arguments in [
        &["--pattern", "M.KE", "-i"][..],
        &["--pattern", "m.ke", "-S"],
        &["--target", r#"{"pattern":"M.KE","flags":"i"}"#],
    ] {
        let all = [&["read", "--json", "guide.md"], arguments].concat();
        let target = Piece::one(&sandbox.run(&all)).target.expect("a target");
        let written = arguments[1].trim_start_matches(r#"{"pattern":""#);
        assert_eq!(target["pattern"], written[..4], "{arguments:?}");
        assert_eq!(target["flags"], "i", "{arguments:?}");
    }
    let next = ["read", "--json", "guide.md:1", "--to-next", "^## I", "-i"];
    let target = Piece::one(&sandbox.run(&next)).target.expect("a target");
    assert_eq!((&target["toNext"], &target["flags"]), (&"^## I".into(), &"i".into()));
}

#[test]
fn a_target_is_searched_only_in_the_given_section() {
    let text = "# A\nx 1\n```\na\n```\n## Setup\n1\n# B\nx 2\n```\nb\n```\n## Setup\n2\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let check = |arguments: &[&str], expected: &str| {
        let arguments = [&["read", "a.md", "--in", "B"], arguments].concat();
        sandbox.run(&arguments).succeeds().prints(expected);
    };
    check(&["--section", "Setup"], "## Setup\n2\n");
    check(&["--body", "Setup"], "2\n");
    check(&["--code-block", "0"], "b\n");
    check(&["--text", "x"], "x 2\n");
    check(&["--text", "x", "-C", "9"], "# B\nx 2\n```\nb\n```\n## Setup\n2\n");
    check(&["--pattern", "^x"], "x 2\n");
    check(&["--anchor", "setup-1"], "## Setup\n2\n");
    check(&["--tail", "1"], "2\n");
    let first = sandbox.run(&["read", "a.md", "--in", "B", "--head", "1"]).exits(0).prints("# B\n");
    first.tells("folio read a.md:9-14 --limit 1");
    let outcome = sandbox.run(&["read", "a.md", "--in", "B", "--text", "x 1"]).exits(1);
    outcome.tells("'B'");
    sandbox.run(&["read", "a.md", "--in", "C", "--text", "x"]).exits(1).tells("'C'");
    check_error(&["guide.md", "--in", "Usage"], 2, "INVALID_ARGUMENT", &["--in"]);
}

#[test]
fn every_way_to_target_a_part_of_a_text() {
    let sandbox = long_texts();
    for (target, lines) in [
        (r#"{"lines":{"start":50,"end":75}}"#, (50, 75)),
        (r#"{"heading":{"text":"Installation","includeChildren":true}}"#, (15, 51)),
        (r#"{"heading":{"text":"Installation","includeChildren":false}}"#, (15, 17)),
        (r#"{"codeBlock":{"index":2}}"#, (126, 179)),
        (r#"{"search":{"query":"recieve","contextLines":10}}"#, (77, 97)),
    ] {
        check_part(&sandbox, &["docs/README.md", "--target", target], lines, None);
    }
    check_part(&sandbox, &["docs/README.md#config-options"], (52, 119), None);
    let section = r#"{"section":"[database]"}"#;
    check_part(&sandbox, &["config/settings.conf", "--target", section], (5, 44), None);
    let key = r#"{"section":"[database]","key":"host"}"#;
    check_part(&sandbox, &["config/settings.conf", "--target", key], (6, 6), None);
    let large = ["docs/README.md", "--heading", "## API Reference", "--max-lines", "20"];
    let cut = piece_with_note(&sandbox, &large);
    assert!(cut.truncated && cut.lines() == (120, 139) && cut.next_line == Some(140));
}

#[test]
fn targets_may_be_next_to_a_heading() {
    let text = "# A\n\n## B\n\nb\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let after = r###"{"afterHeading":"## B"}"###;
    let outcome = sandbox.run(&["read", "a.md", "--target", after]).succeeds();
    outcome.prints("\nb\n");
    let insert = ["patch", "insert", "a.md", "-d", "-c", "new", "--target"];
    let placed = |target: &str| {
        let diff = sandbox.run(&[&insert[..], &[target]].concat()).exits(0).text();
        let before = diff.lines().position(|line| line == "+new").expect("a line");
        let heading = diff.lines().position(|line| line == " ## B").expect("a heading");
        before < heading
    };
    assert!(placed(r###"{"beforeHeading":"## B"}"###) && !placed(after));
    for (side, is_before) in [("beforeHeading", true), ("afterHeading", false)] {
        let edit = format!(
            r###"{{"filePath":"a.md","operation":"insert","target":{{"{side}":"## B"}},"content":"new"}}"###
        );
        let run = ["patch", "apply", "-d"];
        let diff = sandbox.run_with_input(&run, &edit).exits(0).text();
        let at = |wanted: &str| diff.lines().position(|line| line == wanted).expect("a line");
        assert_eq!(at("+new") < at(" ## B"), is_before, "{side}");
        let edit = edit.replace("insert", "replace");
        sandbox
            .run_with_input(&run, &edit)
            .exits(2)
            .tells(&format!("{side} can only be used with insert"));
    }
}
