//! Links that are known to be broken, and links that `--fix` corrects.

use crate::support::records::{LinkRecord, Record};
use crate::support::{Outcome, Sandbox, utf16};

fn sandbox() -> Sandbox {
    Sandbox::with(&[
        ("a.md", "# A\n\n[x](gone.md) and [y](b.md#no)\n"),
        ("b.md", "# B\n\n[z](lost.png)\n"),
    ])
}

/// Creates a sandbox with a baseline that contains its broken links.
fn with_baseline() -> Sandbox {
    let sandbox = sandbox();
    let known = sandbox.run(&["links", "--json", "."]).exits(1);
    sandbox.write("known.jsonl", &known.stdout);
    sandbox
}

fn records(outcome: &Outcome) -> Vec<LinkRecord> {
    LinkRecord::all(outcome)
}

#[test]
fn links_in_the_baseline_are_not_reported() {
    let sandbox = with_baseline();
    sandbox.run(&["links", "--baseline", "known.jsonl"]).succeeds().prints("");
    // Known links may have moved to other lines. An additional equal link is new.
    sandbox.write("a.md", "# A\n\nNew.\n\n[y](b.md#no) [x](gone.md)\n\n[w](gone.md)\n");
    let expected = "a.md:7:5: no file 'gone.md'\n";
    sandbox.run(&["links", "--baseline", "known.jsonl", "a.md"]).exits(1).prints(expected);
    let outcome = sandbox.run(&["links", "--baseline", "known.jsonl", "--json"]).exits(1);
    let records = records(&outcome);
    let [LinkRecord::Broken(_), LinkRecord::Summary(summary)] = &records[..] else {
        panic!("{records:?}");
    };
    assert_eq!((summary.broken, summary.known), (1, Some(3)));
}

#[test]
fn links_in_the_baseline_are_listed_with_all_and_never_fixed() {
    let sandbox = Sandbox::with(&[("a.md", "[x](B.md) [y](gone.md)\n"), ("b.md", "")]);
    let known = sandbox.run(&["links", "--json", "a.md"]).exits(1);
    sandbox.write("known.jsonl", &known.stdout);
    let run = |flags: &[&str]| {
        sandbox.run(&[&["links", "--baseline", "known.jsonl", "a.md"], flags].concat()).exits(0)
    };
    let all = run(&["--json", "--all"]);
    let links = all.json_lines();
    assert_eq!((&links[0]["status"], &links[0]["reason"]), (&"broken".into(), &"otherCase".into()));
    assert_eq!((&links[2]["broken"], &links[2]["known"]), (&0.into(), &2.into()));
    run(&["--fix"]).prints("");
    let text = std::fs::read_to_string(sandbox.path("a.md")).unwrap();
    assert_eq!(text, "[x](B.md) [y](gone.md)\n");
}

#[test]
fn a_link_with_another_reason_or_document_is_reported() {
    let sandbox = with_baseline();
    sandbox.write("c.md", "[x](gone.md)\n");
    std::fs::remove_file(sandbox.path("b.md")).unwrap();
    let outcome = sandbox.run(&["links", "--baseline", "known.jsonl"]).exits(1);
    assert!(outcome.text().starts_with("a.md:3:22: no file 'b.md'"), "{outcome}");
    assert!(outcome.text().ends_with("c.md:1:5: no file 'gone.md'\n"), "{outcome}");
}

#[test]
fn fixed_links_of_the_baseline_are_counted() {
    let sandbox = with_baseline();
    sandbox.write("gone.md", "").write("a.md", "[x](gone.md)\n");
    let outcome = sandbox.run(&["links", "--baseline", "./known.jsonl"]).exits(0);
    outcome.tells("'./known.jsonl': 2 baseline links are no longer broken").tells("links --json");
    let outcome = sandbox.run(&["links", "--baseline", "known.jsonl", "a.md"]).exits(0);
    assert!(!outcome.errors().contains("links --json"), "{outcome}");
    // Nothing is reported about files that are not checked.
    let outcome = sandbox.run(&["links", "--baseline", "known.jsonl", "b.md"]).succeeds();
    assert_eq!(outcome.errors(), "");
    std::fs::remove_file(sandbox.path("a.md")).unwrap();
    let outcome = sandbox.run(&["links", "--baseline", "known.jsonl", "b.md"]).exits(0);
    outcome.tells("2 baseline links");
}

#[test]
fn a_baseline_must_be_json_of_links() {
    let sandbox = sandbox();
    let outcome = sandbox.run(&["links", "--baseline", "no.jsonl", "a.md"]).exits(2);
    outcome
        .prints("")
        .tells("no.jsonl")
        .tells("folio links --json a.md  # creates a baseline, with > no");
    sandbox.write("text", "a.md:3:5: no file 'gone.md'\n");
    let outcome = sandbox.run(&["links", "--baseline", "text", "a.md"]).exits(2);
    outcome.tells("'text': line 1 is not part of the output of --json");
}

const BROKEN: &str = "\
# One [ref]

[case](Docs/Guide.md#set-up) [moved](unique.md) [slip](docs/guide.md#set-upp)
[left out](docs/guide) [gone](nowhere.md) ![picture](docs/guid.png)
[number](docs/guide.md#step-2) <a href=\"docs/GUIDE.md\">x</a>

[ref]: docs/guide.md#set_up
";

fn broken() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("a.md", BROKEN),
        ("docs/guide.md", "# Guide\n## Set up\n## Step 1\n"),
        ("docs/deep/unique.md", "[back](../guide.md#guid)\n"),
        ("fine.md", "[x](a.md)\n"),
    ]);
    sandbox.write("docs/guide.png", b"\x89PNG\0");
    sandbox
}

#[test]
fn links_with_one_possible_target_are_fixed() {
    let sandbox = broken();
    let outcome = sandbox.run(&["links", "--fix", "."]).exits(1);
    let output = outcome.text();
    assert!(output.starts_with("a.md:3:8: no file 'Docs/Guide.md'\n"), "{output}");
    assert!(
        output.contains("a.md:3:38: replaced 'unique.md' with 'docs/deep/unique.md'\n"),
        "{output}"
    );
    let expected = BROKEN
        .replace("unique.md", "docs/deep/unique.md")
        .replace("set-upp", "set-up")
        .replace("(docs/guide)", "(docs/guide.md)")
        .replace("guid.png", "guide.png")
        .replace("docs/GUIDE.md", "docs/guide.md");
    let text = std::fs::read_to_string(sandbox.path("a.md")).unwrap();
    assert_eq!(text, expected.replace("set_up", "set-up"), "{outcome}");
    let deep = std::fs::read_to_string(sandbox.path("docs/deep/unique.md")).unwrap();
    assert_eq!(deep, "[back](../guide.md#guide)\n");
    outcome.tells("fixed 7 links in 2 documents; 3 links are still broken; to undo it");
    // One undo reverts all fixes.
    sandbox.run(&["undo"]).succeeds();
    assert_eq!(std::fs::read_to_string(sandbox.path("a.md")).unwrap(), BROKEN);
    let deep = std::fs::read_to_string(sandbox.path("docs/deep/unique.md")).unwrap();
    assert_eq!(deep, "[back](../guide.md#guid)\n");
}

#[test]
fn a_dry_run_prints_a_diff_and_writes_nothing() {
    let sandbox = broken();
    let outcome = sandbox.run(&["links", "--fix", "--dry-run", "docs"]).exits(1);
    let diff = "--- a/docs/deep/unique.md\n+++ b/docs/deep/unique.md\n@@ -1 +1 @@\n\
                -[back](../guide.md#guid)\n+[back](../guide.md#guide)\n";
    outcome.prints(diff).tells("would fix 1 link in 1 document");
    let deep = std::fs::read_to_string(sandbox.path("docs/deep/unique.md")).unwrap();
    assert_eq!(deep, "[back](../guide.md#guid)\n");
    sandbox.run(&["links", "--fix", "--diff", "docs"]).exits(0).prints(diff);
    sandbox.run(&["links", "docs"]).succeeds().prints("");
}

#[test]
fn json_reports_the_fixes() {
    let sandbox = broken();
    let outcome = sandbox.run(&["links", "--fix", "--json", "docs"]).exits(0);
    let records = records(&outcome);
    let [LinkRecord::Broken(link), LinkRecord::Summary(summary)] = &records[..] else {
        panic!("{records:?}");
    };
    assert!(link.fix.as_ref().is_some_and(|fix| *fix == "../guide.md#guide"), "{outcome}");
    assert_eq!((summary.broken, summary.fixed, summary.undo), (0, Some(1), Some(1)));
    let outcome = sandbox.run(&["links", "--fix", "docs"]).succeeds();
    assert_eq!((outcome.text(), outcome.errors()), (String::new(), String::new()));
}

#[test]
fn escaped_destinations_are_not_fixed() {
    let sandbox = Sandbox::with(&[("Guide.md", "# Set up\n"), ("a b.md", "# Top\n")]);
    let text = "\u{feff}[a](<A b.md>) [b](a\\ b.md) [c](gui\\de.md) [d](Guide\\.md#sett-up)\n";
    sandbox.write("x.md", text);
    sandbox.write("wide.md", utf16("[a](guide.md)\n", true));
    sandbox.run(&["links", "--fix", "x.md", "wide.md", "x.md"]).exits(1);
    let expected = text.replace("<A b.md>", "<a%20b.md>").replace("sett-up", "set-up");
    assert_eq!(std::fs::read_to_string(sandbox.path("x.md")).unwrap(), expected);
    let wide = std::fs::read(sandbox.path("wide.md")).unwrap();
    assert_eq!(wide, utf16("[a](guide.md)\n", true));
}

#[test]
fn all_files_are_fixed_or_none() {
    let sandbox = broken();
    sandbox.run(&["links", "--fix", "-"]).exits(2).tells("--fix cannot be used");
    sandbox.run(&["links", "--fix", "-q"]).exits(2).tells("--quiet cannot be used with --fix");
    sandbox.run(&["links", "--diff"]).exits(2).tells("--fix");
    std::fs::hard_link(sandbox.path("docs/deep/unique.md"), sandbox.path("other.txt")).unwrap();
    sandbox.run(&["links", "--fix", "."]).exits(2).tells("docs/deep/unique.md");
    assert_eq!(std::fs::read_to_string(sandbox.path("a.md")).unwrap(), BROKEN);
}

#[test]
fn uncertain_suggestions_are_printed_as_commands() {
    let text = "# A\n\n[a](part-1.md) [a](part-1.md)\n[b](part-1.md#x) [c](gone.md)\n";
    let sandbox = Sandbox::with(&[("a.md", text), ("part-2.md", "# B\n\n## X\n")]);
    let outcome = sandbox.run(&["links", "--fix", "a.md"]).exits(1);
    let errors = outcome.errors();
    let note = "folio links: note: fixed no link, because none has exactly one possible target; \
                4 links are still broken\n";
    let hint = "folio links: note: the other suggestions are not certain; to use a suggestion: \
                folio patch replace a.md:4 --text 'part-1.md#x' -c 'part-2.md#x'\n";
    assert_eq!(errors, [note, hint].concat());
    let line = ["patch", "replace", "a.md:4", "--text", "part-1.md#x", "-c", "part-2.md#x"];
    sandbox.run(&line).exits(0);
    assert_eq!(sandbox.run(&["links", "a.md"]).exits(1).text().lines().count(), 3);
}
