//! Lines that do not exist, empty files, and very long lines.

use crate::support::documents::few_files;
use crate::support::failures::check_failure;
use crate::support::records::{File, Piece, Record};
use crate::support::{Sandbox, numbers};

#[test]
fn an_invalid_range_is_reported() {
    for range in ["0", "5-3", "x", "1-2-3", "1,", "99999999999999999999"] {
        check_failure(&["read", "n.txt", "--lines", range], 2, "INVALID_RANGE", &["--lines"]);
        let lines = ["inspect", "n.txt", "--mode", "lines", "--query", range];
        check_failure(&lines, 2, "INVALID_RANGE", &["--query"]);
    }
    check_failure(&["read", "n.txt", "--from", "0"], 2, "INVALID_RANGE", &[]);
    check_failure(&["read", "n.txt", "--from", "x"], 2, "INVALID_ARGUMENT", &["--from"]);
    check_failure(&["read", "n.txt", "--limit", "-1"], 2, "INVALID_ARGUMENT", &["-1"]);
}

#[test]
fn a_reversed_range_in_an_address_is_reported() {
    check_failure(&["read", "n.txt:5-3"], 2, "INVALID_RANGE", &["5-3"]);
    check_failure(&["read", "n.txt:0"], 2, "INVALID_RANGE", &["0"]);
}

#[test]
fn a_line_past_the_end_is_reported_with_the_number_of_lines() {
    for arguments in [
        &["read", "n.txt:21"][..],
        &["read", "n.txt:21-30"],
        &["read", "n.txt:1-2,21"],
        &["read", "n.txt", "--lines", "21"],
        &["read", "n.txt", "--from", "21"],
        &["read", "n.txt", "--from", "21", "--limit", "2"],
        &["read", "n.txt", "--from", "21", "--to-next", "x"],
        &["read", "n.txt:21", "--to-section-end"],
        &["read", "n.txt:21", "-W"],
        &["inspect", "n.txt:21"],
        &["inspect", "n.txt", "--mode", "lines", "--query", "21"],
    ] {
        let sandbox = few_files();
        let text = sandbox.run(arguments).exits(1);
        assert!(text.errors().contains("20 lines") && text.errors().contains("21"), "{text}");
        let json = sandbox.run(&[arguments, &["--json"]].concat()).exits(1).prints("");
        assert_eq!(json.json_error().code, "LINE_OUT_OF_RANGE");
    }
    let empty = Sandbox::with(&[("empty", ""), ("one", "x")]);
    empty.run(&["read", "empty:2"]).exits(1).tells("empty");
    empty.run(&["read", "one:2"]).exits(1).tells("1 line");
}

#[test]
fn very_large_numbers_are_accepted() {
    let most = u64::MAX.to_string();
    let sandbox = few_files();
    let all = numbers(20);
    let past = [
        &["--lines", &most][..],
        &["--from", &most],
        &["--from", &most, "--limit", &most],
        &["--from", &most, "--to-next", "x"],
        &["--from", &most, "-W"],
    ];
    for arguments in past {
        sandbox.run(&[&["read", "n.txt"], arguments].concat()).exits(1).tells("20 lines");
    }
    let range = format!("1-{most}");
    let within = [
        &["--lines", &range][..],
        &["--from", "1", "--limit", &most],
        &["--limit", &most],
        &["--head", &most],
        &["--tail", &most],
        &["--max-lines", &most],
        &["--max-bytes", &most],
        &["--text", "5", "-C", &most],
    ];
    for arguments in within {
        sandbox.run(&[&["read", "n.txt"], arguments].concat()).succeeds().prints(&all);
        sandbox.run(&[&["read", "--json", "n.txt"], arguments].concat()).succeeds();
    }
    let limit = ["read", "n.txt", "--from", "5", "--limit", &most];
    sandbox.run(&limit).succeeds().prints(&all[8..]);
    sandbox.run(&["read", "n.txt", "--code-block", &most]).exits(1);
    sandbox.run(&["inspect", &format!("n.txt:1-{most}")]).exits(0);
    let search = ["inspect", "--mode", "search", "--query", "20", "-C", &most, "n.txt"];
    let found = sandbox.run(&search).succeeds();
    assert_eq!(found.text().lines().count(), 20, "{found}");
}

#[test]
fn an_empty_file_has_no_lines() {
    let sandbox = Sandbox::with(&[("empty.md", ""), ("newline.md", "\n")]);
    for arguments in [&["empty.md"][..], &["empty.md", "--head", "3"], &["empty.md", "--tail", "3"]]
    {
        sandbox.run(&[&["read"], arguments].concat()).succeeds().prints("");
    }
    let piece = Piece::one(&sandbox.run(&["read", "--json", "empty.md"]).succeeds());
    assert_eq!((piece.total_lines, piece.returned_lines), (Some(0), 0));
    assert_eq!(piece.line_ending.as_deref(), Some("none"));
    let file = File::one(&sandbox.run(&["inspect", "--json", "empty.md"]).succeeds());
    assert_eq!((file.total_lines, file.size_bytes), (0, 0));
    let piece = Piece::one(&sandbox.run(&["read", "--json", "newline.md"]).succeeds());
    assert_eq!((piece.total_lines, piece.returned_lines), (Some(1), 1));
}

#[test]
fn a_last_line_without_a_line_ending_is_a_line() {
    let sandbox = Sandbox::with(&[("a", "1\n2"), ("b", "x")]);
    sandbox.run(&["read", "a:2"]).succeeds().prints("2");
    sandbox.run(&["read", "b"]).succeeds().prints("x");
    sandbox.run(&["read", "a:2", "b"]).succeeds().prints("==> a:2 <==\n2\n\n==> b:1 <==\nx\n");
    let piece = Piece::one(&sandbox.run(&["read", "--json", "a"]).succeeds());
    assert_eq!((piece.total_lines, piece.returned_lines), (Some(2), 2));
    assert_eq!(piece.content, "1\n2");
}

#[test]
fn a_line_of_20_megabytes_is_a_line() {
    let sandbox = Sandbox::new();
    let long = "x".repeat(20 << 20);
    let text = format!("# A\n{long}\nlast needle\n# B\n");
    sandbox.write("a.md", &text);
    sandbox.run(&["read", "a.md"]).succeeds().prints(&text);
    sandbox.run(&["read", "a.md:3"]).succeeds().prints("last needle\n");
    sandbox.run(&["read", "a.md:2"]).succeeds().prints(format!("{long}\n"));
    sandbox.run(&["read", "a.md", "--section", "B"]).succeeds().prints("# B\n");
    sandbox
        .run(&["read", "a.md:1", "--to-next", "^last"])
        .succeeds()
        .prints(&text[..4 + long.len() + 1]);
    sandbox.run(&["read", "a.md", "--tail", "2"]).succeeds().prints("last needle\n# B\n");
    let outcome = sandbox.run(&["read", "a.md:2", "--max-bytes", "10"]).exits(0);
    outcome.prints(format!("{long}\n")).tells("line 2 is longer than --max-bytes");
    let outline = "a.md:1-3:# A\na.md:4:# B\n";
    sandbox.run(&["inspect", "a.md"]).succeeds().prints(outline);
    let search = ["inspect", "--mode", "search", "--query", "needle", "a.md"];
    sandbox.run(&search).succeeds().prints("a.md:3:last needle\n");
    let without = Sandbox::with(&[("a.txt", &long)]);
    without.run(&["read", "a.txt:1"]).succeeds().prints(&long);
}
