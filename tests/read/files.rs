//! Whole files: their bytes, encodings, line endings and checksums.

use super::{piece, sandbox};
use crate::support::documents::{GUIDE, lines_of};
use crate::support::records::{Piece, Record};
use crate::support::{Sandbox, checksum, utf16};

#[test]
fn a_file_is_printed_unchanged() {
    let texts: [&[u8]; 12] = [
        b"",
        b"a",
        b"a\n",
        b"\n\n",
        b"a\r\nb\r\n",
        b"a\r\nb\nc\rd",
        b"\xef\xbb\xbfa\n",
        b"\xef\xbb\xbf",
        b"caf\xe9\n\xff\xfe\n",
        b"\x1b[31m\x07\n",
        b" \t \n",
        b"# A\n```\nopen",
    ];
    let sandbox = Sandbox::new();
    for text in texts {
        sandbox.write("a.md", text);
        sandbox.run(&["read", "a.md"]).succeeds().prints(text);
        sandbox.run_with_input(&["read", "-"], text).succeeds().prints(text);
        sandbox.run(&["read", "--raw", "a.md"]).succeeds().prints(text);
    }
}

#[test]
fn a_large_file_is_printed_unchanged() {
    let text: String = (0..200_000).map(|number| format!("line {number}\r\n")).collect();
    let sandbox = Sandbox::with(&[("a.txt", &text)]);
    sandbox.run(&["read", "a.txt"]).succeeds().prints(&text);
    sandbox
        .run(&["read", "a.txt:150000-150001"])
        .succeeds()
        .prints("line 149999\r\nline 150000\r\n");
    let piece = piece(&sandbox, &["a.txt:150000"]);
    assert_eq!((piece.total_lines, piece.line_ending.as_deref()), (Some(200_000), Some("crlf")));
}

#[test]
fn a_whole_file_in_json() {
    let outcome = sandbox().run(&["read", "--json", "guide.md"]).succeeds();
    Piece::one(&outcome);
    let expected = serde_json::json!({
        "filePath": "guide.md", "range": {"startLine": 1, "endLine": 35}, "content": GUIDE,
        "address": "guide.md", "partStartLine": 1, "partEndLine": 35,
        "totalLines": 35, "returnedLines": 35, "hasMore": false, "truncated": false,
        "rangeChecksum": checksum(GUIDE), "encoding": "utf-8", "lineEnding": "lf"});
    assert_eq!(outcome.json(), expected);
}

#[test]
fn content_that_is_not_utf8_is_base64_in_json() {
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", b"ok\ncaf\xe9\n");
    let whole = piece(&sandbox, &["a.txt"]);
    assert_eq!(whole.content.to_bytes(), b"ok\ncaf\xe9\n");
    assert_eq!(whole.encoding, "unknown-8bit");
    assert_eq!(piece(&sandbox, &["a.txt:1"]).content.as_str(), "ok\n");
    let latin = piece(&sandbox, &["--encoding", "latin1", "a.txt"]);
    assert_eq!((latin.content.as_str(), latin.encoding.as_str()), ("ok\ncafé\n", "windows-1252"));
}

#[test]
fn utf16_is_converted_to_utf8_unless_raw() {
    let text = "# Ä\r\n\r\n## 😀\r\nlast";
    for little in [true, false] {
        let sandbox = Sandbox::new();
        sandbox.write("a.md", utf16(text, little));
        sandbox.run(&["read", "a.md"]).succeeds().prints(text);
        sandbox.run(&["read", "a.md:1-2"]).succeeds().prints("# Ä\r\n\r\n");
        sandbox.run(&["read", "a.md", "--section", "😀"]).succeeds().prints("## 😀\r\nlast");
        sandbox.run(&["read", "a.md:1", "--to-next", "^## "]).succeeds().prints("# Ä\r\n\r\n");
        sandbox.run(&["read", "--raw", "a.md"]).succeeds().prints(utf16(text, little));
        let line = &utf16("\r\n", little)[2..];
        sandbox.run(&["read", "--raw", "a.md:2"]).succeeds().prints(line);
        sandbox.write("code.md", utf16("```sh\na\n```\n", little));
        let code = ["read", "code.md", "--code-block", "0"];
        sandbox.run(&code).succeeds().prints("a\n");
        let raw = sandbox.run(&[&code[..], &["--raw"]].concat()).succeeds();
        raw.prints(&utf16("a\n", little)[2..]);
        let piece = piece(&sandbox, &["--checksum", "a.md:2"]);
        assert_eq!(piece.content, "\r\n");
        assert_eq!(piece.range_checksum, checksum(line));
        assert_eq!(piece.checksum, Some(checksum(utf16(text, little))));
        assert_eq!(piece.encoding, if little { "utf-16le" } else { "utf-16be" });
    }
}

#[test]
fn a_byte_order_mark_is_not_part_of_a_line() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", b"\xef\xbb\xbf# A\nb\n");
    sandbox.run(&["read", "a.md:1"]).succeeds().prints("# A\n");
    sandbox.run(&["read", "a.md", "--section", "A"]).succeeds().prints("# A\nb\n");
    sandbox.run(&["read", "a.md", "--head", "1"]).exits(0).prints("# A\n");
    assert_eq!(piece(&sandbox, &["a.md"]).encoding, "utf-8-bom");
}

#[test]
fn line_endings_are_kept() {
    let sandbox = Sandbox::with(&[("a.md", "# A\r\nb\n# C\r\nd\re")]);
    sandbox.run(&["read", "a.md:1-2"]).succeeds().prints("# A\r\nb\n");
    sandbox.run(&["read", "a.md#c"]).succeeds().prints("# C\r\nd\re");
    sandbox.run(&["read", "a.md", "--tail", "1"]).succeeds().prints("d\re");
    let piece = piece(&sandbox, &["a.md:4"]);
    assert_eq!((piece.total_lines, piece.line_ending.as_deref()), (Some(4), Some("mixed")));
}

#[test]
fn checksums_are_sha256() {
    let sandbox = sandbox();
    let check = |arguments: &[&str], expected: String| {
        sandbox.run(&[&["read", "--checksum"], arguments].concat()).succeeds().prints(expected);
    };
    check(&["guide.md"], format!("{}  guide.md\n", checksum(GUIDE)));
    check(&["guide.md:7-9"], format!("{}  guide.md:7-9\n", checksum(lines_of(GUIDE, 7, 9))));
    check(&["guide.md#usage"], format!("{}  guide.md:30-34\n", checksum(lines_of(GUIDE, 30, 34))));
    check(
        &["n.txt:1", "n.txt:2"],
        format!("{}  n.txt:1\n{}  n.txt:2\n", checksum("1\n"), checksum("2\n")),
    );
    let piece = piece(&sandbox, &["--checksum", "guide.md:7-9"]);
    assert_eq!(piece.range_checksum, checksum(lines_of(GUIDE, 7, 9)));
    assert_eq!(piece.checksum, Some(checksum(GUIDE)));
}

#[test]
fn the_checksum_of_a_whole_file_covers_its_bytes() {
    for bytes in [
        b"".to_vec(),
        b"a\r\nb".to_vec(),
        b"caf\xe9".to_vec(),
        b"\xef\xbb\xbfa\n".to_vec(),
        utf16("a\n", true),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write("a.txt", &bytes);
        let expected = format!("{}  a.txt\n", checksum(&bytes));
        sandbox.run(&["read", "--checksum", "a.txt"]).succeeds().prints(expected);
        assert_eq!(piece(&sandbox, &["--checksum", "a.txt"]).checksum, Some(checksum(&bytes)));
    }
}

#[test]
fn a_file_with_a_nul_is_read_only_on_request() {
    let sandbox = Sandbox::new();
    sandbox.write("nul", "a\0b\nc\n");
    for part in [&["nul"][..], &["nul:1"], &["nul", "--text", "a"], &["nul:1", "nul:2"]] {
        let outcome = sandbox.run(&[&["read"], part].concat()).exits(2).prints("");
        outcome.tells("'nul': binary file: it contains a NUL byte");
    }
    sandbox.run(&["read", "-a", "nul:1"]).succeeds().prints("a\0b\n");
    sandbox.run(&["read", "--json", "nul"]).exits(2).prints("");
}
