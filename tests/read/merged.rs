//! Adjacent or overlapping parts, and the positions of parts.

use crate::support::records::{Piece, Record};
use crate::support::{Sandbox, numbers};

const GUIDE: &str = "# Guide\n\n## Install\none\n\n### Linux\ntwo\n\n## Use\nthree\n";

/// Checks the output for several parts of a guide and of a file of numbers.
#[track_caller]
fn check(words: &[&str], expected: &str) {
    let sandbox = Sandbox::with(&[("a.md", GUIDE), ("n.txt", &numbers(9)), ("b.md", "# B\n")]);
    sandbox.run(&[&["read"], words].concat()).succeeds().prints(expected);
}

#[test]
fn adjacent_and_overlapping_parts_are_merged() {
    check(&["n.txt:1-2", "n.txt:3-4"], "==> n.txt:1-4 <==\n1\n2\n3\n4\n");
    check(&["n.txt:3-4", "n.txt:1-3"], "==> n.txt:1-4 <==\n1\n2\n3\n4\n");
    check(
        &["n.txt:8", "b.md", "n.txt:1", "n.txt:7-"],
        "==> n.txt:7-9 <==\n7\n8\n9\n\n==> b.md:1 <==\n# B\n\n==> n.txt:1 <==\n1\n",
    );
    check(&["n.txt:1,5", "n.txt:6"], "==> n.txt:1,5-6 <==\n1\n5\n6\n");
    check(&["n.txt:2", "n.txt:2"], "==> n.txt:2 <==\n2\n");
    // A whole file contains all of its parts.
    let whole = format!("==> n.txt:1-9 <==\n{}", numbers(9));
    check(&["n.txt:3", "n.txt", "n.txt:5-6"], &whole);
}

#[test]
fn sections_are_merged_with_lines() {
    check(
        &["a.md", "--section", "Linux", "--section", "Use"],
        "==> a.md:6-10 Guide > Install > Linux <==\n### Linux\ntwo\n\n## Use\nthree\n",
    );
    let install = "==> a.md:3-8 Guide > Install <==\n## Install\none\n\n### Linux\ntwo\n";
    let both = ["a.md", "--section", "Linux", "--section", "Install"];
    let sandbox = Sandbox::with(&[("a.md", GUIDE)]);
    sandbox.run(&[&["read"], &both[..]].concat()).succeeds().prints(format!("{install}\n"));
    // The value of a key is not a whole line, and is printed once.
    let sandbox = Sandbox::with(&[("a.ini", "[a]\nk = 1\n")]);
    let key = ["read", "a.ini", "a.ini", "--section", "a", "--key", "k", "--value"];
    sandbox.run(&key).succeeds().prints("==> a.ini:2 [a] <==\n1\n");
}

#[test]
fn lines_directly_after_the_end_are_still_reported_missing() {
    let sandbox = Sandbox::with(&[("n.txt", &numbers(9))]);
    let outcome = sandbox.run(&["read", "n.txt:8-9", "n.txt:10"]).exits(1);
    outcome.prints("==> n.txt:8-9 <==\n8\n9\n").tells("no line 10");
    let outcome = sandbox.run(&["read", "n.txt:8-", "n.txt:10"]).exits(1);
    outcome.prints("==> n.txt:8-9 <==\n8\n9\n").tells("no line 10");
    let outcome = sandbox.run(&["read", "n.txt:8", "gone.md", "n.txt:9"]).exits(2);
    outcome.prints("==> n.txt:8-9 <==\n8\n9\n").tells("gone.md");
}

#[test]
fn each_request_has_its_own_record_and_checksum() {
    let sandbox = Sandbox::with(&[("n.txt", &numbers(9))]);
    let pieces = Piece::all(&sandbox.run(&["read", "--json", "n.txt:1-2", "n.txt:2-3"]).succeeds());
    let parts: Vec<_> = pieces.iter().map(|piece| (piece.index, piece.address.as_str())).collect();
    assert_eq!(parts, [(Some(0), "n.txt:1-2"), (Some(1), "n.txt:2-3")]);
    let sums = sandbox.run(&["read", "--checksum", "n.txt:1-2", "n.txt:2-3"]).succeeds();
    assert_eq!(sums.text().lines().count(), 2);
    let batch = "{\"address\":\"n.txt:1-2\"}\n{\"address\":\"n.txt:2\"}\n";
    let outcome = sandbox.run_with_input(&["read", "--batch", "-"], batch).succeeds();
    outcome.prints("==> n.txt:1-2 <==\n1\n2\n\n==> n.txt:2 <==\n2\n");
}

#[test]
fn parts_of_standard_input_are_merged() {
    let sandbox = Sandbox::new();
    let read = |words: &[&str]| {
        sandbox.run_with_input(&[&["read"], words].concat(), GUIDE).succeeds().text()
    };
    assert_eq!(read(&["-:1", "-:2-3"]), "==> -:1-3 Guide <==\n# Guide\n\n## Install\n");
    let sections = read(&["-", "--section", "Linux", "--section", "Use"]);
    assert!(sections.starts_with("==> -:6-10 Guide > Install > Linux <==\n"), "{sections}");
}

#[test]
fn standard_input_is_read_again_after_another_file() {
    let sandbox = Sandbox::with(&[("n.txt", &numbers(9))]);
    let outcome = sandbox.run_with_input(&["read", "-:1", "n.txt:2", "-:3"], GUIDE).succeeds();
    let input = "==> -:1 Guide <==\n# Guide\n\n==> n.txt:2 <==\n2\n\n";
    outcome.prints(format!("{input}==> -:3 Guide > Install <==\n## Install\n"));
}

#[test]
fn a_range_past_the_end_does_not_hide_other_parts() {
    let sandbox = Sandbox::with(&[("n.txt", &numbers(9))]);
    let outcome = sandbox.run(&["read", "n.txt:8-9,20", "n.txt:9"]).exits(1);
    outcome.prints("==> n.txt:9 <==\n9\n").tells("no line 20");
}

/// With a budget, the pieces of merged parts contain every line once.
#[test]
fn a_budget_counts_merged_lines_once() {
    let sandbox = Sandbox::with(&[("n.txt", &numbers(90)), ("m.txt", &numbers(9))]);
    let parts = ["read", "n.txt:1-20", "n.txt:15-40", "m.txt:1-3", "m.txt:2-5"];
    let all = sandbox.run(&parts).succeeds().text();
    assert!(all.starts_with("==> n.txt:1-40 <==\n") && all.contains("\n==> m.txt:1-5 <==\n"));
    let whole = sandbox.run(&[&parts[..], &["--max-tokens", "31"]].concat()).succeeds();
    assert_eq!(whole.text(), all, "111 and 10 bytes");
    let cut = sandbox.run(&[&parts[..], &["--max-tokens", "20"]].concat()).exits(0);
    assert!(cut.text().starts_with("==> n.txt:1-29 <==\n") && !cut.text().contains("m.txt"));
    cut.tells("for more: folio read --max-tokens 20 n.txt:30-40");
    let cut = sandbox.run(&[&parts[..], &["--max-tokens", "20"]].concat());
    cut.tells("1 part is left out; for more: folio read --max-tokens 20 m.txt:1-5\n");
}

#[test]
fn the_place_of_lines_is_reported() {
    let sandbox = Sandbox::with(&[("a.md", GUIDE), ("n.txt", &numbers(3))]);
    for flags in [&["--breadcrumbs"][..], &["--path"]] {
        let read = |words: &[&str]| sandbox.run(&[&["read"], words, flags].concat()).succeeds();
        read(&["a.md:7"]).prints("a.md:6-8:Guide > Install > Linux\n");
        read(&["a.md:7", "a.md:2"]).prints("a.md:6-8:Guide > Install > Linux\na.md:1-10:Guide\n");
        read(&["n.txt:2"]).prints("n.txt:2:\n");
        let piece = Piece::one(&read(&["a.md:7", "--json"]));
        let place = serde_json::json!(
            {"path": ["Guide", "Install", "Linux"], "startLine": 6, "endLine": 8});
        assert_eq!(piece.place.expect("a place"), place);
        assert_eq!(piece.content, "two\n");
        let piece = Piece::one(&read(&["n.txt:2", "--json"]));
        assert_eq!(piece.place.expect("a place"), serde_json::json!({"path": []}));
    }
    // If a pattern is given, the option is a condition, both before and after the file.
    let linux = sandbox.run(&["read", "--path", "Linux$", "a.md"]).succeeds().text();
    assert!(linux.starts_with("==> a.md:6-8 Guide > Install > Linux <==\n### Linux\n"), "{linux}");
    let refused = sandbox.run(&["read", "a.md:7", "--breadcrumbs", "--checksum"]).exits(2);
    refused.tells("--breadcrumbs cannot be used with --checksum");
    sandbox.run(&["read", "a.md:7", "--breadcrumbs", "--no-headers"]).exits(2);
}

#[test]
fn parts_that_differ_only_past_the_end_are_merged() {
    let sandbox = Sandbox::with(&[("a.txt", "1\n2\n3\n4\n"), ("e.md", "")]);
    let list = "a.txt:3-9\na.txt:3-12\na.txt:4-8\n";
    let args = ["read", "--addresses-from", "-", "--json"];
    // In JSON, a part within another has its own record.
    assert_eq!(sandbox.run_with_input(&args, list).succeeds().text().lines().count(), 2);
    let read = sandbox.run(&["read", "a.txt:2-3,4-9", "a.txt:3"]).succeeds();
    assert!(read.text().ends_with("2\n3\n4\n"), "{read}");
    let empty = sandbox.run(&["read", "e.md", "--json", "--breadcrumbs"]).succeeds();
    assert!(!empty.text().contains("place"), "{empty}");
}

#[test]
fn nested_parts_that_meet_conditions_have_their_own_records() {
    let sandbox = Sandbox::with(&[("a.md", "# A\nx\n## B\ny\n### C\nz\n")]);
    let read = ["read", "--json", "--matching", ".", "a.md"];
    let addresses: Vec<_> =
        sandbox.run(&read).succeeds().json_lines().iter().map(|it| it["address"].clone()).collect();
    assert_eq!(addresses, ["a.md:1-6", "a.md:3-6", "a.md:5-6"]);
    let text = "==> a.md:1-6 A <==\n# A\nx\n## B\ny\n### C\nz\n";
    sandbox.run(&["read", "--matching", ".", "a.md"]).prints(text);
}
