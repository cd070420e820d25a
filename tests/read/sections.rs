//! Sections by name: headings, log entries and INI sections.

use super::{check, check_error, check_guide};
use crate::support::Sandbox;
use crate::support::documents::{APP, lines_of, long_texts};
use crate::support::records::{Piece, Record};

#[test]
fn a_section_is_selected_by_its_heading() {
    for name in [
        "Installation",
        "installation",
        "## Installation",
        "INSTALL",
        "Project Overview > Installation",
    ] {
        check_guide(&["--section", name], 11, 29);
        check_guide(&["--heading", name], 11, 29);
        check_guide(&["--body", name], 12, 29);
        check_guide(&["--section", name, "--no-children"], 11, 17);
        check_guide(&["--body", name, "--no-children"], 12, 17);
    }
    // The name in source form, and in rendered form.
    check_guide(&["--section", "Project `Overview`"], 7, 34);
    check_guide(&["--section", "Project Overview"], 7, 34);
    check_guide(&["--section", "Project Overview/Installation/Linux"], 18, 29);
    check_guide(&["--section", "Quoted"], 22, 23);
}

#[test]
fn names_in_a_large_log_must_be_exact() {
    // A document is binary only if its beginning contains a NUL byte.
    let text = format!("[LOG-001] first\n[LOG-002] second\n{}", "text\n".repeat(20_000));
    let sandbox = Sandbox::with(&[("a.log", &text)]);
    let log = std::fs::OpenOptions::new().write(true).open(sandbox.path("a.log"));
    log.and_then(|log| log.set_len(65 << 20)).expect("a large log");
    let named = |name| sandbox.run(&["read", "a.log", "--section", name]);
    named("LOG-001").succeeds().prints("[LOG-001] first\n");
    named("log-001")
        .exits(1)
        .tells("no section 'log-001' (above 64 MiB, names must be exact)")
        .tells("folio grep -F -k -- log-001 a.log  # entries that contain it");
}

#[test]
fn a_log_entry_is_a_section() {
    for name in ["LOG-001", "[LOG-001]", "[log-001]", "[LOG-001] - first entry"] {
        check_guide(&["--section", name], 32, 34);
        check_guide(&["--body", name], 33, 34);
    }
    let sandbox = Sandbox::with(&[("a.txt", "TASK 1\nx\nTASK 2\ny\n")]);
    let custom = ["read", "a.txt", "--section-pattern", "^TASK", "--section", "TASK 1"];
    sandbox.run(&custom).succeeds().prints("TASK 1\nx\n");
}

#[test]
fn the_body_of_a_setext_heading_begins_below_its_line() {
    let sandbox = Sandbox::with(&[("a.md", "Title\n=====\nx\n\nTwo\nlines\n---\ny\n")]);
    sandbox
        .run(&["read", "a.md", "--body", "Title"])
        .succeeds()
        .prints("x\n\nTwo\nlines\n---\ny\n");
    sandbox
        .run(&["read", "a.md", "--section", "Title", "--no-children"])
        .succeeds()
        .prints("Title\n=====\nx\n\n");
    let empty = Sandbox::with(&[("a.md", "# A\n# B\n")]);
    empty.run(&["read", "a.md", "--body", "A"]).succeeds().prints("");
}

#[test]
fn names_are_disambiguated_by_path_or_number() {
    let text = "# A\n## Setup\n1\n# B\n## Setup\n2\n## Setup tools\n3\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let check = |name: &str, expected: &str| {
        sandbox.run(&["read", "a.md", "--section", name]).succeeds().prints(expected);
    };
    check("Setup[1]", "## Setup\n1\n");
    check("Setup[2]", "## Setup\n2\n");
    check("A > Setup", "## Setup\n1\n");
    check("B/Setup", "## Setup\n2\n");
    check("tools", "## Setup tools\n3\n");
    let outcome = sandbox.run(&["read", "a.md", "--section", "Setup"]).exits(3).prints("");
    for part in ["line 2: A > Setup", "line 5: B > Setup"] {
        assert!(outcome.errors().contains(part), "{outcome}");
    }
    let error =
        sandbox.run(&["read", "--json", "a.md", "--section", "Setup"]).exits(3).json_error();
    assert_eq!(error.code, "TARGET_AMBIGUOUS");
    let found: Vec<_> =
        error.candidates.iter().map(|found| (found.line, found.path.join(" > "))).collect();
    assert_eq!(found, [(2, "A > Setup".to_owned()), (5, "B > Setup".to_owned())]);
    sandbox.run(&["read", "a.md", "--section", "Setup[3]"]).exits(1);
}

#[test]
fn an_error_lists_at_most_20_sections_or_keys() {
    let sandbox = Sandbox::with(&[("a.md", &"# A\n".repeat(150)), ("b.ini", &"k=1\n".repeat(150))]);
    for (address, part) in [("a.md", ["--section", "A"]), ("b.ini", ["--key", "k"])] {
        let outcome = sandbox.run(&["read", address, part[0], part[1]]).exits(3);
        assert!(outcome.errors().contains("; the first 20 are listed"), "{outcome}");
        let listed = outcome.errors().lines().filter(|line| line.starts_with("  line ")).count();
        assert_eq!(listed, 20, "{outcome}");
    }
}

#[test]
fn missing_names_are_reported_with_the_nearest() {
    check_error(
        &["guide.md", "--section", "Instalation"],
        1,
        "TARGET_NOT_FOUND",
        &["Instalation", "## Installation", "line 11", "hint: "],
    );
    check_error(&["guide.md", "--heading", "zzz"], 1, "TARGET_NOT_FOUND", &["zzz"]);
    check_error(&["guide.md", "--anchor", "zzz"], 1, "TARGET_NOT_FOUND", &["zzz"]);
    check_error(&["guide.md", "--code-block", "2"], 1, "TARGET_NOT_FOUND", &["2"]);
    check_error(&["guide.md", "--text", "zzz"], 1, "TARGET_NOT_FOUND", &["zzz"]);
    check_error(
        &["guide.md", "--front-matter", "--key", "zzz"],
        1,
        "TARGET_NOT_FOUND",
        &["title, date, tags"],
    );
    check_error(&["app.ini", "--front-matter"], 1, "TARGET_NOT_FOUND", &["front matter"]);
    check_error(
        &["app.ini", "--section", "database", "--key", "hots"],
        1,
        "TARGET_NOT_FOUND",
        &["host"],
    );
    // A line in a code block is not a heading.
    check_error(&["guide.md", "--section", "not a heading"], 1, "TARGET_NOT_FOUND", &[]);
}

#[test]
fn an_ini_section_includes_its_marker() {
    check(&["app.ini", "--section", "database"], &lines_of(APP, 6, 11));
    check(&["app.ini", "--section", "[cache]"], "[cache]\nsize=1\n");
    check(&["app.ini", "--body", "cache"], "size=1\n");
}

#[test]
fn a_missing_target_is_reported_with_existing_ones() {
    let sandbox = long_texts();
    let outcome = sandbox.run(&["read", "--json", "docs/README.md", "--heading", "## Instalation"]);
    let error = outcome.exits(1).json_error();
    assert_eq!((error.status.as_str(), error.code.as_str()), ("error", "TARGET_NOT_FOUND"));
    assert!(error.message.contains("## Instalation"));
    assert!(
        error
            .suggestions
            .iter()
            .any(|hint| hint.contains("## Installation") && hint.contains("15"))
    );
    assert!(error.suggestions.iter().any(|hint| hint.contains("folio inspect")));
}

#[test]
fn several_sections_are_read_from_every_file() {
    let text = "# A\n\n## One\n1\n## Two\n2\n";
    let sandbox = Sandbox::with(&[("a.md", text), ("b.md", "## Two\nb\n")]);
    let two = ["read", "--section", "Two", "--section", "One", "a.md"];
    let expected = "==> a.md:3-6 A > One <==\n## One\n1\n## Two\n2\n";
    sandbox.run(&two).succeeds().prints(expected);
    let outcome = sandbox.run(&[&two[..], &["b.md", "--json"]].concat()).exits(1);
    let parts: Vec<_> = Piece::all(&outcome)
        .into_iter()
        .map(|piece| (piece.index, piece.address.as_str().to_owned()))
        .collect();
    let expected = [(0, "a.md:5-6"), (1, "a.md:3-4"), (2, "b.md:1-2")];
    assert_eq!(parts, expected.map(|(index, address)| (Some(index), address.to_owned())));
    assert_eq!(outcome.json_error().index, Some(3));
}

#[test]
fn the_section_found_by_a_name_is_reported() {
    let text = "# Guide\n\n## Set `up`\nx\n\n[LOG-1] a\n";
    let sandbox = Sandbox::with(&[("a.md", text), ("a.ini", "[db]\nk=1\n")]);
    let section_of = |file: &str, name: &str| {
        let outcome = sandbox.run(&["read", "--json", file, "--section", name]).succeeds();
        Piece::one(&outcome).section.expect("a section")
    };
    let guide = serde_json::json!({
        "text": "Set up", "level": 2, "path": ["Guide", "Set up"], "line": 3, "exact": true});
    assert_eq!(section_of("a.md", "Set up"), guide);
    assert_eq!(section_of("a.md", "## Set `up`"), guide);
    for other in ["set up", "up"] {
        assert_eq!(section_of("a.md", other)["exact"], false, "{other}");
    }
    let marker = serde_json::json!({"text": "[db]", "path": ["[db]"], "line": 1, "exact": true});
    assert_eq!(section_of("a.ini", "db"), marker);
    let body = Piece::one(&sandbox.run(&["read", "--json", "a.md", "--body", "Guide"]));
    assert_eq!(body.section.expect("a section")["line"], 1);
    let lines = Piece::one(&sandbox.run(&["read", "--json", "a.md:3"]));
    assert!(lines.section.is_none());
}

/// In a file that is not UTF-8, names and texts with other characters than ASCII are not found. The
/// encoding solves it, not a heading that contains a replacement character.
#[test]
fn a_miss_in_a_file_that_is_not_utf8_suggests_an_encoding() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", b"# Caf\xe9\n\ntext caf\xe9\n");
    for arguments in [["-s", "Café"], ["-s", "Cafe"], ["-T", "café"]] {
        let outcome = sandbox.run(&[&["read", "a.md"], &arguments[..]].concat()).exits(1);
        assert!(outcome.errors().contains(" --encoding latin1"), "{outcome}");
        assert!(!outcome.errors().contains('\u{fffd}'), "{outcome}");
    }
    let read = ["read", "a.md", "-s", "Café", "--encoding", "latin1"];
    sandbox.run(&read).succeeds().prints("# Café\n\ntext café\n");
    let patch = ["patch", "replace", "a.md", "-T", "café", "-c", "x"];
    let outcome = sandbox.run(&patch).exits(1);
    assert!(outcome.errors().contains(" --encoding latin1"), "{outcome}");
    sandbox.run(&["read", "a.md", "-s", "Other"]).exits(1).tells("no section 'Other'");
}
