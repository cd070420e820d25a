//! Lines by number: ranges, numbers of lines, bytes of a line, and how lines are printed.

use super::{check, check_error, check_guide, check_part, piece, piece_with_note, sandbox};
use crate::support::records::{Piece, Record};
use crate::support::{Sandbox, checksum, numbers};

#[test]
fn lines_are_selected_by_option() {
    check(&["n.txt", "--lines", "10"], "10\n");
    check(&["n.txt", "--lines", "10-12"], "10\n11\n12\n");
    check(&["n.txt", "--lines", "99-"], "99\n100\n");
    check(&["n.txt", "--lines", "50-51,100-110"], "50\n51\n100\n");
    check(&["n.txt", "--lines", "1-2, 5"], "1\n2\n5\n");
    for range in ["0", "5-3", "x", "1,,2", "", "-5", "1-2-3"] {
        check_error(&["n.txt", "--lines", range], 2, "INVALID_RANGE", &["--lines"]);
    }
}

#[test]
fn several_ranges_are_reported_as_ranges() {
    let piece = piece(&sandbox(), &["n.txt:5-6,2"]);
    assert!(piece.range.is_none());
    let ranges: Vec<_> =
        piece.ranges.unwrap().iter().map(|range| (range.start_line, range.end_line)).collect();
    assert_eq!(ranges, [(2, 2), (5, 6)]);
    assert_eq!((piece.content.as_str(), piece.returned_lines), ("2\n5\n6\n", 3));
}

#[test]
fn from_a_line_to_the_end_of_the_file() {
    check_guide(&["--from", "30"], 30, 35);
    check_guide(&["--from", "1"], 1, 35);
    check_error(&["guide.md", "--from", "36"], 1, "LINE_OUT_OF_RANGE", &["36", "35 lines"]);
    check_error(&["guide.md", "--from", "0"], 2, "INVALID_RANGE", &["0"]);
}

#[test]
fn a_number_of_lines() {
    check(&["n.txt", "--from", "10", "--limit", "3"], "10\n11\n12\n");
    check(&["n.txt:10", "--limit", "3"], "10\n11\n12\n");
    check(&["n.txt", "--limit", "2"], "1\n2\n");
    check(&["n.txt", "--head", "2"], "1\n2\n");
    check(&["n.txt", "--tail", "2"], "99\n100\n");
    check(&["n.txt", "--head", "200"], &numbers(100));
    check(&["n.txt", "--tail", "200"], &numbers(100));
    check_error(&["n.txt", "--limit", "0"], 2, "INVALID_ARGUMENT", &["--limit"]);
    let open = Sandbox::with(&[("a", "1\n2\n3")]);
    open.run(&["read", "a", "--tail", "2"]).succeeds().prints("2\n3");
    let errors = open.run(&["read", "a", "--head", "0"]).exits(0).errors();
    assert!(errors.trim_end().ends_with("for more: folio read a:1-"), "{errors}");
    open.run(&["read", "a", "--head", "3"]).succeeds().prints("1\n2\n3");
}

#[test]
fn lines_are_one_or_a_range_within_the_file() {
    let text = numbers(60);
    let sandbox = Sandbox::with(&[("a.txt", &text)]);
    check_part(&sandbox, &["a.txt", "--lines", "10"], (10, 10), None);
    check_part(&sandbox, &["a.txt", "--lines", "10-50"], (10, 50), None);
    // An end after the last line is allowed, but not such a start.
    check_part(&sandbox, &["a.txt", "--lines", "50-99"], (50, 60), None);
    for range in ["61", "61-70"] {
        let outcome =
            sandbox.run(&["read", "--json", "a.txt", "--lines", range]).exits(1).prints("");
        let error = outcome.json_error();
        assert_eq!(error.code, "LINE_OUT_OF_RANGE");
        assert!(error.message.contains("60 lines"), "{}", error.message);
    }
    for range in ["50-10", "0", "0-5", "a-b"] {
        let outcome =
            sandbox.run(&["read", "--json", "a.txt", "--lines", range]).exits(2).prints("");
        assert_eq!(outcome.json_error().code, "INVALID_RANGE", "{range}");
    }
    let piece = piece_with_note(&sandbox, &["a.txt", "--lines", "10-50", "--checksum"]);
    assert_eq!((piece.total_lines, piece.checksum), (Some(60), Some(checksum(&text))));
}

#[test]
fn bytes_of_a_long_line_add_up_to_the_line() {
    let line = "naïve 中文 😀 ".repeat(2000);
    let sandbox = Sandbox::with(&[("a.txt", &format!("first\n{line}\r\nlast\n"))]);
    sandbox.write("b.txt", crate::support::utf16(&format!("first\n{line}\r\nlast"), true));
    for file in ["a.txt", "b.txt"] {
        for width in [1, 7, 4096, 100_000] {
            let (mut read, mut next) = (String::new(), format!("{file}:2@0-"));
            for _ in 0..line.len().min(60) {
                let words = ["read", "--json", &next, "--max-bytes", &format!("{width}")];
                let piece = Piece::one(&sandbox.run(&words).exits(0));
                let content = piece.content.as_str();
                assert!(!content.is_empty() && content.len() <= width.max(4), "{next}");
                assert_eq!(piece.has_more, piece.next.is_some(), "{next}");
                read.push_str(content);
                let Some(rest) = piece.next else { break };
                next = rest.as_str().to_owned();
            }
            assert!(format!("{line}\r\n").starts_with(&read), "{file} {width}");
            assert!(width < 4096 || read == format!("{line}\r\n"), "{file} {width}");
        }
    }
}

#[test]
fn bytes_of_a_line_are_reported() {
    let sandbox = Sandbox::with(&[("a.txt", "0123456789\néa\n")]);
    let read = |words: &[&str]| sandbox.run(&[&["read"], words].concat()).exits(0);
    read(&["a.txt:1@2-5"])
        .prints("234")
        .tells("line 1 is longer; for more: folio read a.txt:1@5-8\n");
    read(&["a.txt:1@8-"]).prints("89\n");
    read(&["a.txt:1@8-99"]).prints("89\n");
    read(&["a.txt:1@2-4", "a.txt:2"]).prints("==> a.txt:1@2-4 <==\n23\n\n==> a.txt:2 <==\néa\n");
    // A start within a character is moved to the start of the character.
    read(&["a.txt:2@0-1"]).prints("é");
    read(&["a.txt:2@1-2"]).prints("é");
    read(&["a.txt:2@1-3"]).prints("éa");
    let piece = Piece::one(&read(&["--json", "a.txt:1@2-5"]));
    assert_eq!(piece.bytes.expect("bytes"), serde_json::json!({"start": 2, "end": 5}));
    assert_eq!((piece.address.as_str(), piece.truncated), ("a.txt:1@2-5", false));
    assert_eq!(piece.range_checksum, checksum("234"));
    let list = "{\"address\":\"a.txt:1@0-1\"}\n{\"address\":\"a.txt:1@1-2\"}\n";
    let both = sandbox.run_with_input(&["read", "--addresses-from", "-"], list).exits(0);
    both.prints("==> a.txt:1@0-1 <==\n0\n\n==> a.txt:1@1-2 <==\n1\n");
    sandbox.run(&["read", "a.txt:1@99-"]).exits(1).tells("no byte 99: line 1 has 11 bytes");
    sandbox.run(&["read", "a.txt:9@0-1"]).exits(1).tells("no line 9");
    sandbox.run(&["read", "a.txt:1@5-2"]).exits(2).tells("the range of bytes is empty");
    sandbox.run(&["read", "a.txt:1@5-5"]).exits(2).prints("").tells("the range of bytes is empty");
    sandbox.run(&["read", "a.txt:1@0-2", "--head", "1"]).exits(2).tells("--head");
    // A part of a line cannot be edited, so that an edit never affects the rest of the line.
    sandbox.run(&["patch", "delete", "a.txt:1@0-2"]).exits(2);
    let long = sandbox.run(&["read", "a.txt:1", "--max-bytes", "3"]).exits(0);
    long.tells("to print it in pieces: folio read a.txt:1@0-4096");
}

#[test]
fn bytes_of_a_line_cannot_be_read_raw() {
    let sandbox = Sandbox::with(&[("empty.txt", "")]);
    sandbox.write("u.txt", crate::support::utf16("abcdef\n", true));
    sandbox.run(&["read", "u.txt:1@0-3"]).exits(0).prints("abc");
    let refused = sandbox.run(&["read", "--raw", "u.txt:1@0-3"]).exits(2).prints("");
    refused.tells("the bytes of the address cannot be used with --raw");
    // The address of an empty part can be read.
    let piece = Piece::one(&sandbox.run(&["read", "--json", "empty.txt:1@0-9"]).exits(0));
    sandbox.run(&["read", piece.address.as_str()]).exits(0);
}

#[test]
fn lines_are_numbered() {
    let sandbox = sandbox();
    let outcome = sandbox.run(&["read", "-n", "n.txt:9-10,100"]).succeeds();
    let found: Vec<(String, String)> = outcome
        .text()
        .lines()
        .map(|line| line.split_once('\t').map(|(n, text)| (n.trim().into(), text.into())).unwrap())
        .collect();
    let expected = ["9", "10", "100"].map(|number| (number.to_owned(), number.to_owned()));
    assert_eq!(found, expected);
    let outcome = sandbox.run(&["read", "--number", "guide.md", "--section", "Usage"]).succeeds();
    assert!(outcome.text().starts_with("    30\t## Usage\n    31\t\n"), "{outcome}");
}

#[test]
fn whitespace_is_made_visible() {
    let sandbox = Sandbox::with(&[("a.txt", "\u{feff}a\tb\u{a0}c\u{200b}d \r\ne\nlast")]);
    let outcome = sandbox.run(&["read", "--show-whitespace", "a.txt"]).succeeds();
    let text = outcome.text();
    for hidden in ["\u{a0}", "\u{200b}", "\u{feff}", "\r"] {
        assert!(!text.contains(hidden), "{hidden:?} {outcome}");
    }
    for part in ["FEFF", "→", "00A0", "200B"] {
        assert!(text.contains(part), "{part} {outcome}");
    }
    let lines: Vec<&str> = text.split('\n').collect();
    assert_eq!(lines.len(), 3, "{outcome}");
    // Different line endings can be distinguished from each other and from a missing one.
    let ends: Vec<_> = lines.iter().map(|line| line.chars().last().unwrap()).collect();
    assert_eq!(ends, ['␊', '␊', 't']);
    assert!(lines[0].ends_with("␍␊"), "{outcome}");
}

#[test]
fn lines_are_numbered_in_json() {
    let sandbox = Sandbox::with(&[("n.txt", &numbers(30))]);
    let piece = Piece::one(&sandbox.run(&["read", "n.txt:9-10", "-n", "--json"]).succeeds());
    assert_eq!(piece.content, "     9\t9\n    10\t10\n");
    let plain = Piece::one(&sandbox.run(&["read", "n.txt:9-10", "--json"]));
    assert_eq!(piece.range_checksum, plain.range_checksum);
}
