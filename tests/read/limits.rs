//! Truncated parts: pages, limits, and the command that reads the rest.

use super::{check_error, piece, piece_with_note, sandbox};
use crate::support::documents::GUIDE;
use crate::support::records::{Piece, Record};
use crate::support::{Sandbox, numbers};

/// Checks the number of lines of the content, hasMore, nextLine and truncated.
#[track_caller]
fn check_page(arguments: &[&str], expected: (u64, bool, Option<u64>, bool)) {
    let piece = Piece::one(&sandbox().run(&[&["read", "--json"], arguments].concat()).exits(0));
    let found = (piece.returned_lines, piece.has_more, piece.next_line, piece.truncated);
    assert_eq!(found, expected, "{arguments:?}");
    let lines = piece.content.as_str().lines().count() as u64;
    assert_eq!(lines, piece.returned_lines, "{arguments:?}");
}

#[test]
fn pages_report_whether_there_is_more() {
    check_page(&["n.txt", "--limit", "10"], (10, true, Some(11), false));
    check_page(&["n.txt", "--from", "91", "--limit", "10"], (10, false, None, false));
    check_page(&["n.txt", "--from", "90", "--limit", "10"], (10, true, Some(100), false));
    check_page(&["n.txt", "--from", "95", "--limit", "10"], (6, false, None, false));
    check_page(&["n.txt", "--limit", "10", "--no-total"], (10, true, Some(11), false));
    check_page(&["n.txt", "--limit", "100", "--no-total"], (100, false, None, false));
    check_page(&["n.txt:10-20"], (11, false, None, false));
    check_page(&["n.txt", "--max-lines", "10"], (10, true, Some(11), true));
    check_page(&["n.txt:10-20", "--max-lines", "5"], (5, true, Some(15), true));
    check_page(&["n.txt:10-20", "--max-lines", "11"], (11, false, None, false));
    check_page(&["n.txt", "--max-lines", "100"], (100, false, None, false));
    check_page(&["n.txt:10-20", "--max-bytes", "7"], (2, true, Some(12), true));
    check_page(&["n.txt:10-20", "--max-bytes", "33"], (11, false, None, false));
    check_page(&["guide.md", "--section", "Usage", "--max-lines", "2"], (2, true, Some(32), true));
    check_page(
        &["guide.md", "--from", "11", "--to-next", "^## ", "--max-lines", "2"],
        (2, true, Some(13), true),
    );
    check_page(&["guide.md", "--code-block", "0", "--max-lines", "1"], (1, true, Some(15), true));
}

#[test]
fn pages_add_up_to_the_whole() {
    let sandbox = sandbox();
    for (limit, size) in [("--limit", "7"), ("--max-lines", "7"), ("--max-bytes", "60")] {
        let mut whole = String::new();
        let mut next = Some(1);
        while let Some(line) = next {
            let arguments = ["guide.md", limit, size, "--from", &line.to_string()];
            let page = piece(&sandbox, &arguments);
            assert_eq!(page.has_more, page.next_line.is_some());
            assert_eq!(page.truncated, page.has_more && limit != "--limit");
            whole.push_str(page.content.as_str());
            next = page.next_line;
        }
        assert_eq!(whole, GUIDE, "{limit}");
    }
}

#[test]
fn truncation_is_reported_with_the_line_to_continue() {
    let sandbox = sandbox();
    let outcome = sandbox.run(&["read", "n.txt", "--max-lines", "2"]).exits(0).prints("1\n2\n");
    assert!(outcome.errors().contains("folio read --max-lines 2 n.txt:3-"), "{outcome}");
    let outcome = sandbox.run(&["read", "n.txt", "--max-bytes", "5"]).exits(0).prints("1\n2\n");
    assert!(outcome.errors().contains("folio read --max-bytes 5 n.txt:3-"), "{outcome}");
    sandbox.run(&["read", "n.txt", "--max-lines", "100"]).succeeds();
    check_error(&["n.txt", "--max-lines", "0"], 2, "INVALID_ARGUMENT", &["--max-lines"]);
    check_error(&["n.txt", "--max-bytes", "0"], 2, "INVALID_ARGUMENT", &["--max-bytes"]);
}

#[test]
fn the_line_count_can_be_omitted() {
    let piece = piece(&sandbox(), &["n.txt:1-2", "--no-total"]);
    assert_eq!(piece.total_lines, None);
    assert_eq!(piece.content, "1\n2\n");
}

/// Reads a part in pieces, each with the address or command that the previous one printed.
/// Together, the pieces are the complete part, byte for byte.
#[track_caller]
fn check_pages(sandbox: &Sandbox, arguments: &[&str], limit: &[&str]) {
    for by_address in [true, false] {
        check_pages_by(sandbox, arguments, limit, by_address);
    }
}

#[track_caller]
fn check_pages_by(sandbox: &Sandbox, arguments: &[&str], limit: &[&str], by_address: bool) {
    let input = std::fs::read(sandbox.path("n.txt")).unwrap_or_default();
    let run = |words: &[&str]| sandbox.run_with_input(words, &input).exits(0);
    let whole = run(&[&["read"], arguments].concat()).text();
    let mut read = String::new();
    let mut command: Vec<String> =
        [&["read", "--json"], arguments].concat().iter().map(|word| (*word).to_owned()).collect();
    let mut part = None;
    for _ in 0..100 {
        command.extend(limit.iter().map(|word| (*word).to_owned()));
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let piece = Piece::one(&run(&words));
        read.push_str(piece.content.as_str());
        assert!(!piece.truncated || piece.next_line.is_some(), "{command:?}");
        if let Some(end) = piece.part_end_line.filter(|_| piece.truncated) {
            assert_eq!(*part.get_or_insert(end), end, "{command:?}");
        }
        let Some(hint) = piece.hints.first().filter(|_| piece.truncated) else { break };
        command = match piece.next.filter(|_| by_address) {
            Some(next) => vec!["read".to_owned(), "--json".to_owned(), next.as_str().to_owned()],
            None => {
                let args = hint["args"].as_array().expect("arguments");
                let args = args.iter().map(|word| word.as_str().expect("a text").to_owned());
                std::iter::once("read".to_owned()).chain(args).collect()
            }
        };
    }
    assert_eq!(read, whole, "{arguments:?} {limit:?}");
}

#[test]
fn the_command_in_the_note_reads_the_rest() {
    let text = "# A\n\n- one\n\n  ```sh\n  first\n    second line\n\n  third\n  ```\n\n> | a | b |\n\
                > |---|---|\n> | c | d |\n> | e | f |\n\ntext\n\n## B\n\nlast\n";
    let sandbox = Sandbox::with(&[("a.md", text), ("n.txt", &numbers(30))]);
    for limit in [&["--max-bytes", "1"][..], &["--max-bytes", "20"], &["--max-lines", "2"]] {
        for part in [
            &["a.md", "--code-block", "0"][..],
            &["a.md", "--code-block", "sh:0", "--in", "A"],
            &["a.md", "--code-block", "0", "--fences"],
            &["a.md", "--table", "0"],
            &["a.md", "--section", "A", "--no-children"],
            &["a.md"],
            &["n.txt:3-7,12-14,20-"],
            &["n.txt:3", "--to-next", "^1.$"],
            &["n.txt:28", "--to-next", "x", "-i"],
            &["n.txt:3", "--limit", "7"],
            &["n.txt", "--head", "4"],
            &["n.txt", "--tail", "4"],
            &["n.txt:3-20", "--limit", "9"],
            &["-", "--from", "3", "--to-next", "^1.$"],
            &["-:5-12"],
            &["-", "--head", "5"],
        ] {
            check_pages(&sandbox, part, limit);
        }
    }
}

/// Checks what a truncated read reports about the rest, as text and as JSON.
#[track_caller]
fn check_rest(arguments: &[&str], hint: &str, next: Option<&str>, part: (u64, u64)) {
    let sandbox = Sandbox::with(&[("a.md", LISTED), ("n.txt", &numbers(30)), ("-x", &numbers(9))]);
    let run = |words: &[&str]| sandbox.run_with_input(words, numbers(30)).exits(0);
    let limit = arguments.iter().position(|word| *word == "--max-lines");
    let kept = limit.map(|at| format!("folio read --max-lines {}", arguments[at + 1]));
    let hint = hint.replacen("folio read", kept.as_deref().unwrap_or("folio read"), 1);
    run(&[&["read"], arguments].concat()).tells(&format!("for more: {hint}\n"));
    let piece = Piece::one(&run(&[&["read", "--json"], arguments].concat()));
    assert_eq!(piece.next.as_ref().map(crate::support::records::Text::as_str), next);
    assert_eq!((piece.part_start_line, piece.part_end_line), (Some(part.0), Some(part.1)));
    assert!(piece.has_more && !piece.hints.is_empty(), "{arguments:?}");
}

const LISTED: &str = "# A\n\n```sh\none\ntwo\n```\n\n- ```sh\n  three\n  four\n  ```\n";

#[test]
fn the_rest_of_a_part_ends_where_the_part_does() {
    let cut = |part: &[&'static str]| [part, &["--max-lines", "3"]].concat();
    let next = &["n.txt:3", "--to-next", "^1.$"][..];
    check_rest(&cut(next), "folio read n.txt:6-9", Some("n.txt:6-9"), (3, 9));
    check_rest(&cut(&["n.txt", "--head", "5"]), "folio read n.txt:4-5", Some("n.txt:4-5"), (1, 5));
    let limit = cut(&["n.txt:3", "--limit", "5"]);
    check_rest(&limit, "folio read n.txt:6-7", Some("n.txt:6-7"), (3, 7));
    check_rest(&cut(&["n.txt"]), "folio read n.txt:4-", Some("n.txt:4-"), (1, 30));
    check_rest(&cut(&["n.txt:2-3,7-9"]), "folio read n.txt:8-9", Some("n.txt:8-9"), (2, 9));
    check_rest(&cut(&["-", "--head", "5"]), "folio read -:4-5", Some("-:4-5"), (1, 5));
    check_rest(&cut(&["./-x"]), "folio read ./-x:4-", Some("./-x:4-"), (1, 9));
    let marked = cut(&["--", "-x"]);
    let sandbox = Sandbox::with(&[("-x", &numbers(9))]);
    let words = [&["read", "--max-lines", "3"], &marked[..2]].concat();
    sandbox.run(&words).tells("folio read --max-lines 3 ./-x:4-\n");
    let block = |index| ["a.md", "--code-block", index, "--max-lines", "1"];
    check_rest(&block("0"), "folio read a.md --code-block 0 --from 5", Some("a.md:5"), (4, 5));
    check_rest(&block("1"), "folio read a.md --code-block 1 --from 10", None, (9, 10));
}

#[test]
fn reading_in_pages_always_advances() {
    let sandbox = Sandbox::with(&[("a", "é\nab")]);
    check_pages(&sandbox, &["a"], &["--max-bytes", "1"]);
}

#[test]
fn the_address_after_a_limit_is_reported() {
    check_rest(
        &["n.txt", "--head", "5"],
        "folio read n.txt:6- --limit 5",
        Some("n.txt:6-"),
        (1, 5),
    );
    let page = ["n.txt", "--from", "3", "--limit", "5"];
    check_rest(&page, "folio read n.txt:8- --limit 5", Some("n.txt:8-"), (3, 7));
    let page = ["n.txt:3-20", "--limit", "5"];
    check_rest(&page, "folio read n.txt:8-20 --limit 5", Some("n.txt:8-20"), (3, 7));
    let sandbox = Sandbox::with(&[("n.txt", &numbers(5))]);
    sandbox.run(&["read", "n.txt", "--head", "5"]).succeeds();
    sandbox.run(&["read", "n.txt:3-9", "--limit", "3"]).succeeds().prints("3\n4\n5\n");
}

#[test]
fn the_end_of_a_truncated_part_in_a_long_file_is_found() {
    let text = format!("begin\n{}end\n{}", numbers(300_000), numbers(10));
    let sandbox = Sandbox::with(&[("n.txt", &text)]);
    let part = ["read", "n.txt", "--from", "1", "--to-next", "^end$", "--max-lines", "2"];
    let piece = Piece::one(&sandbox.run(&[&part[..], &["--json"]].concat()));
    assert_eq!(piece.next.expect("a rest"), "n.txt:3-300001");
    let piece = Piece::one(&sandbox.run(&[&part[..], &["--json", "--no-total"]].concat()));
    assert_eq!((piece.part_end_line, piece.total_lines), (Some(300_001), None));
    // Text output does not read more than necessary.
    sandbox.run(&part).exits(0).tells("folio read --max-lines 2 n.txt:3 --to-next '^end$'\n");
}

#[test]
fn a_value_is_never_truncated() {
    let text = "---\nabout: |\n  one\n  two\n---\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let key = ["read", "a.md", "--front-matter", "--key", "about"];
    let value =
        |most: &str| sandbox.run(&[&key[..], &["--json", "--value", "--max-lines", most]].concat());
    value("1").exits(2).prints("").tells("the value has 3 lines, more than --max-lines 1");
    let piece = Piece::one(&value("3"));
    assert!(!piece.truncated && piece.content.as_str().contains("two"), "{piece:?}");
    let outcome = sandbox.run(&[&key[..], &["--max-lines", "1"]].concat());
    outcome.prints("about: |\n").tells("folio read --max-lines 1 a.md:3-4\n");
}

#[test]
fn the_rest_is_read_with_the_same_options() {
    let sandbox = Sandbox::with(&[("n.txt", &numbers(30))]);
    let part = ["read", "n.txt", "--max-lines", "2", "--encoding", "latin1", "-n"];
    sandbox.run(&part).tells("folio read --max-lines 2 --encoding latin1 -n n.txt:3-\n");
}

#[test]
fn a_code_block_is_truncated_between_lines() {
    let text = "- ```\n  naïve\n  é\n  ```\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let outcome = sandbox.run(&["read", "a.md", "--code-block", "0", "--max-bytes", "8"]).exits(0);
    outcome.prints("naïve\n").tells("folio read --max-bytes 8 a.md --code-block 0 --from 3");
    sandbox.run(&["read", "a.md", "--code-block", "0", "--from", "3"]).succeeds().prints("é\n");
    let json = ["read", "--json", "a.md", "--code-block", "0", "--max-lines", "1"];
    let piece = Piece::one(&sandbox.run(&json).succeeds());
    assert_eq!((piece.lines(), piece.next_line, piece.returned_lines), ((2, 2), Some(3), 1));
    let last = Piece::one(&sandbox.run(&["read", "--json", "a.md", "--code-block", "0"]));
    assert_eq!((last.lines(), last.truncated, last.has_more), ((2, 3), false, false));
    sandbox.run(&["read", "a.md", "--code-block", "0", "--from", "9"]).exits(1).tells("line 3");
}

#[test]
fn a_line_longer_than_the_limit_is_printed_completely() {
    let sandbox = Sandbox::with(&[("a", "äöü\nx\n"), ("one", "1234567")]);
    let outcome = sandbox.run(&["read", "a", "--max-bytes", "3"]).exits(0).prints("äöü\n");
    let expected = "line 1 is longer than --max-bytes, but printed completely";
    outcome.tells(expected).tells("folio read --max-bytes 3 a:2-");
    sandbox.run(&["read", "one", "--max-bytes", "3"]).exits(0).prints("1234567").tells(expected);
    sandbox.run(&["read", "one", "--max-bytes", "7"]).succeeds().prints("1234567");
}

/// Checks the content, totalLines, returnedLines, hasMore and nextLine.
#[track_caller]
fn check_whole_page(
    sandbox: &Sandbox,
    arguments: &[&str],
    expected: (&str, u64, u64, bool, Option<u64>),
) {
    let piece = Piece::one(&sandbox.run(&[&["read", "--json"], arguments].concat()).succeeds());
    let found = (
        piece.content.as_str(),
        piece.total_lines.unwrap(),
        piece.returned_lines,
        piece.has_more,
        piece.next_line,
    );
    assert_eq!(found, expected);
}

#[test]
fn an_entire_file_is_one_page() {
    let sandbox = Sandbox::with(&[("hello.txt", "Hello\nWorld\n")]);
    let path = sandbox.path("hello.txt").display().to_string();
    check_whole_page(&sandbox, &[&path], ("Hello\nWorld\n", 2, 2, false, None));
}

#[test]
fn a_page_reports_the_next_line() {
    let sandbox = Sandbox::with(&[("numbers.txt", &numbers(100))]);
    let path = sandbox.path("numbers.txt").display().to_string();
    let page = ("10\n11\n12\n13\n14\n", 100, 5, true, Some(15));
    check_whole_page(&sandbox, &[&path, "--from", "10", "--limit", "5"], page);
    check_whole_page(&sandbox, &[&format!("{path}:10"), "--limit", "5"], page);
    check_whole_page(&sandbox, &[&path, "--from", "99"], ("99\n100\n", 100, 2, false, None));
}

#[test]
fn an_empty_file_is_an_empty_page() {
    let sandbox = Sandbox::with(&[("empty.txt", "")]);
    check_whole_page(&sandbox, &["empty.txt"], ("", 0, 0, false, None));
    check_whole_page(&sandbox, &["empty.txt", "--from", "1"], ("", 0, 0, false, None));
    check_whole_page(
        &sandbox,
        &["empty.txt", "--from", "1", "--limit", "5"],
        ("", 0, 0, false, None),
    );
}

#[test]
fn a_long_file_is_truncated_on_request_with_the_next_line() {
    let sandbox = Sandbox::with(&[("a.txt", &numbers(250))]);
    let first = piece_with_note(&sandbox, &["a.txt", "--max-lines", "100"]);
    assert!(first.truncated && first.has_more && first.lines() == (1, 100));
    assert_eq!(first.next_line, Some(101));
    assert_eq!(piece_with_note(&sandbox, &["a.txt"]).returned_lines, 250);
}
