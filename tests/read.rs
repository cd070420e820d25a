//! `folio read`: every way to select a part, and the output for it.

use crate::support::documents::{APP, GUIDE};
use crate::support::records::{Piece, Record};
use crate::support::{Outcome, Sandbox, checksum, numbers, utf16};

fn sandbox() -> Sandbox {
    Sandbox::with(&[("guide.md", GUIDE), ("app.ini", APP), ("n.txt", &numbers(100))])
}

/// Returns lines of a text, counted from 1.
fn lines_of(text: &str, start: usize, end: usize) -> String {
    text.split_inclusive('\n').skip(start - 1).take(end + 1 - start).collect()
}

#[track_caller]
fn piece(sandbox: &Sandbox, arguments: &[&str]) -> Piece {
    Piece::one(&sandbox.run(&[&["read", "--json"], arguments].concat()).succeeds())
}

/// Checks that the text output is exactly the content, and that the JSON output contains the same
/// content.
#[track_caller]
fn check(arguments: &[&str], expected: &str) {
    let sandbox = sandbox();
    sandbox.run(&[&["read"], arguments].concat()).exits(0).prints(expected);
    let piece = Piece::one(&sandbox.run(&[&["read", "--json"], arguments].concat()).exits(0));
    assert_eq!(piece.content, expected, "{arguments:?}");
    assert!(!piece.truncated, "{arguments:?}");
}

/// Checks that the part consists of these lines of the guide.
#[track_caller]
fn check_guide(arguments: &[&str], start: usize, end: usize) {
    let sandbox = sandbox();
    let arguments = [&["guide.md"], arguments].concat();
    check(&arguments, &lines_of(GUIDE, start, end));
    let piece = Piece::one(&sandbox.run(&[&["read", "--json"], &arguments[..]].concat()).exits(0));
    assert_eq!(piece.lines(), (start as u64, end as u64), "{arguments:?}");
    assert_eq!(piece.returned_lines, (end + 1 - start) as u64, "{arguments:?}");
    assert_eq!(piece.total_lines, Some(35));
    assert_eq!(piece.range_checksum, checksum(lines_of(GUIDE, start, end)));
}

/// Checks the exit status, the error code and parts of the message.
#[track_caller]
fn check_error(arguments: &[&str], status: i32, code: &str, parts: &[&str]) {
    let sandbox = sandbox();
    let text = sandbox.run(&[&["read"], arguments].concat()).exits(status).prints("");
    for part in parts {
        assert!(text.errors().contains(part), "expected: {part}\n{text}");
    }
    let json = sandbox.run(&[&["read", "--json"], arguments].concat()).exits(status).prints("");
    let error = json.json_error();
    assert_eq!((error.status.as_str(), error.code.as_str()), ("error", code), "{json}");
}

// Whole files.

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

// Addresses.

#[test]
fn addresses_select_lines() {
    check(&["n.txt:12"], "12\n");
    check(&["n.txt:12-14"], "12\n13\n14\n");
    check(&["n.txt:98-"], "98\n99\n100\n");
    check(&["n.txt:2-3,7,99-100"], "2\n3\n7\n99\n100\n");
    check(&["n.txt:12:5"], "12\n");
    check(&["n.txt#L12"], "12\n");
    check(&["n.txt#L12-L13"], "12\n13\n");
    check(&["n.txt:99-200"], "99\n100\n");
    check(&["./n.txt:1"], "1\n");
    check_error(&["n.txt:101"], 1, "LINE_OUT_OF_RANGE", &["101", "100 lines"]);
}

#[test]
fn addresses_select_headings_and_anchors() {
    check_guide(&[], 1, 35);
    let sandbox = sandbox();
    let read = |address: &str| sandbox.run(&["read", address]).succeeds();
    read("guide.md#installation").prints(lines_of(GUIDE, 11, 29));
    read("guide.md#project-overview").prints(lines_of(GUIDE, 7, 34));
    // The anchor of a heading selects its section. Other anchors select the lines up to the next
    // heading.
    read("guide.md#top").prints(lines_of(GUIDE, 7, 34));
    read("guide.md#linux-anchor").prints(lines_of(GUIDE, 20, 21));
    let other = Sandbox::with(&[("a.md", "# Über uns\nx\n# A\n# A\ny\n")]);
    other.run(&["read", "a.md#über-uns"]).succeeds().prints("# Über uns\nx\n");
    other.run(&["read", "a.md#%C3%BCber-uns"]).succeeds().prints("# Über uns\nx\n");
    other.run(&["read", "a.md#a-1"]).succeeds().prints("# A\ny\n");
    check_error(
        &["guide.md#instalation"],
        1,
        "TARGET_NOT_FOUND",
        &["instalation", "guide.md#installation"],
    );
}

#[test]
fn a_file_with_the_whole_name_takes_precedence() {
    let sandbox = Sandbox::with(&[
        ("a:2", "1\n2\n3\n"),
        ("a", "x\ny\n"),
        ("b#c", "# C\n"),
        ("d e", "1\n2\n"),
    ]);
    sandbox.run(&["read", "a:2"]).succeeds().prints("1\n2\n3\n");
    sandbox.run(&["read", "a:2:3"]).succeeds().prints("3\n");
    sandbox.run(&["read", "a:1"]).succeeds().prints("x\n");
    sandbox.run(&["read", "b#c"]).succeeds().prints("# C\n");
    sandbox.run(&["read", "b#c#c"]).succeeds().prints("# C\n");
    sandbox.run(&["read", "d e:2"]).succeeds().prints("2\n");
}

#[test]
fn a_path_that_begins_with_at_is_written_with_a_dot() {
    let sandbox = Sandbox::with(&[("@x", "1\n2\n")]);
    sandbox.run(&["read", "./@x:2"]).succeeds().prints("2\n");
}

#[test]
fn standard_input_has_addresses() {
    let sandbox = Sandbox::new();
    let check = |arguments: &[&str], expected: &str| {
        let arguments = [&["read"], arguments].concat();
        sandbox.run_with_input(&arguments, GUIDE).succeeds().prints(expected);
    };
    check(&["-"], GUIDE);
    check(&["-:7"], &lines_of(GUIDE, 7, 7));
    check(&["-:7-9"], &lines_of(GUIDE, 7, 9));
    check(&["-#usage"], &lines_of(GUIDE, 30, 34));
    check(&["-", "--section", "Usage"], &lines_of(GUIDE, 30, 34));
    check(&["-", "--tail", "2"], &lines_of(GUIDE, 34, 35));
    check(&["-", "--code-block", "0"], &lines_of(GUIDE, 14, 15));
    check(&["-:30", "--to-next", "^# "], &lines_of(GUIDE, 30, 34));
    check(&["-", "--text", "first entry"], &lines_of(GUIDE, 32, 32));
}

#[test]
fn several_operands_are_printed_below_their_addresses() {
    let sandbox = sandbox();
    let two = sandbox.run(&["read", "n.txt:2-3", "guide.md#usage", "n.txt:9"]).succeeds();
    two.prints(format!(
        "==> n.txt:2-3 <==\n2\n3\n\n==> guide.md:30-34 Project Overview > Usage <==\n{}\n\
         ==> n.txt:9 <==\n9\n",
        lines_of(GUIDE, 30, 34)
    ));
    let both = sandbox.run(&["read", "--head", "1", "n.txt", "app.ini"]).exits(0);
    both.prints("==> n.txt:1 <==\n1\n\n==> app.ini:1 <==\n; settings\n");
    let pieces = Piece::all(&sandbox.run(&["read", "--json", "n.txt:2", "n.txt:1"]).succeeds());
    assert!(pieces[0].content == "2\n" && pieces[1].content == "1\n" && pieces.len() == 2);
}

#[test]
fn a_failed_operand_does_not_stop_the_others() {
    let outcome = sandbox().run(&["read", "n.txt:1", "gone", "n.txt:3"]).exits(2);
    outcome.tells("gone").prints("==> n.txt:1 <==\n1\n\n==> n.txt:3 <==\n3\n");
}

// Targets.

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
    let own = ["read", "a.txt", "--section-pattern", "^TASK", "--section", "TASK 1"];
    sandbox.run(&own).succeeds().prints("TASK 1\nx\n");
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
fn an_error_lists_at_most_100_sections_or_keys() {
    let sandbox = Sandbox::with(&[("a.md", &"# A\n".repeat(150)), ("b.ini", &"k=1\n".repeat(150))]);
    for (address, part) in [("a.md", ["--section", "A"]), ("b.ini", ["--key", "k"])] {
        let told = sandbox.run(&["read", address, part[0], part[1]]).exits(3);
        assert!(told.errors().contains("; the first 100 are listed"), "{told}");
        let listed = told.errors().lines().filter(|line| line.starts_with("  line ")).count();
        assert_eq!(listed, 100, "{told}");
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
fn a_code_block_is_the_text_between_its_fences() {
    check_guide(&["--code-block", "0"], 14, 15);
    check_guide(&["--code-block", "bash:0"], 14, 15);
    check_guide(&["--code-block", "BASH:0"], 14, 15);
    check_guide(&["--code-block", "0", "--fences"], 13, 16);
    // The indentation of the container is removed.
    check(&["guide.md", "--code-block", "1"], "no language\n");
    check(&["guide.md", "--code-block", "1", "--fences"], "~~~\nno language\n~~~\n");
    let text = "> ```sh\n> a\n>   b\n> ```\n\n```sh\nc\n```\n\n```rs\n```\n\n```rs\nopen";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let check = |block: &str, expected: &str| {
        sandbox.run(&["read", "a.md", "--code-block", block]).succeeds().prints(expected);
    };
    check("0", "a\n  b\n");
    check("sh:1", "c\n");
    check("rs:0", "");
    check("rs:1", "open");
    check_error(&["guide.md", "--code-block", "x"], 2, "INVALID_ARGUMENT", &["--code-block"]);
    check_error(&["guide.md", "--code-block", "-1"], 2, "INVALID_ARGUMENT", &["--code-block"]);
}

#[test]
fn an_anchor_is_selected_by_option() {
    check_guide(&["--anchor", "installation"], 11, 29);
    check_guide(&["--anchor", "#installation"], 11, 29);
    check_guide(&["--anchor", "linux-anchor"], 20, 21);
    check_guide(&["--anchor", "top"], 7, 34);
}

#[test]
fn keys_of_ini_sections_are_lines_or_values() {
    let ini = "top = 1\n[db]\nhost = a.example ; note\nquoted = \"b # c\"\nlong = a \\\n  b\nempty =\nurl: http://x/#y\n[other]\nhost = z\n";
    let sandbox = Sandbox::with(&[("a.ini", ini)]);
    let check = |arguments: &[&str], line: &str, value: &str| {
        let arguments = [&["a.ini"], arguments].concat();
        let text = sandbox.run(&[&["read"], &arguments[..]].concat()).succeeds();
        text.prints(line);
        let found = piece(&sandbox, &arguments);
        assert_eq!((found.content.as_str(), found.value.unwrap().as_str()), (line, Some(value)));
        let text = sandbox.run(&[&["read", "--value"], &arguments[..]].concat()).succeeds();
        assert_eq!(text.text().trim_end_matches('\n'), value);
        let found = piece(&sandbox, &[&arguments[..], &["--value"]].concat());
        assert_eq!(found.value.unwrap(), value);
    };
    check(&["--key", "top"], "top = 1\n", "1");
    check(&["--section", "db", "--key", "host"], "host = a.example ; note\n", "a.example");
    check(&["--section", "[other]", "--key", "host"], "host = z\n", "z");
    check(&["--section", "db", "--key", "HOST"], "host = a.example ; note\n", "a.example");
    check(&["--section", "db", "--key", "quoted"], "quoted = \"b # c\"\n", "b # c");
    check(&["--section", "db", "--key", "long"], "long = a \\\n  b\n", "a b");
    check(&["--section", "db", "--key", "empty"], "empty =\n", "");
    check(&["--section", "db", "--key", "url"], "url: http://x/#y\n", "http://x/#y");
    let repeated = Sandbox::with(&[("a.ini", "[a]\nk=1\nk=2\n")]);
    let key = ["read", "a.ini", "--section", "a", "--key"];
    repeated.run(&[&key[..], &["k"]].concat()).exits(3);
    repeated.run(&[&key[..], &["k[1]"]].concat()).succeeds().prints("k=2\n");
}

#[test]
fn an_ini_section_includes_its_marker() {
    check(&["app.ini", "--section", "database"], &lines_of(APP, 6, 11));
    check(&["app.ini", "--section", "[cache]"], "[cache]\nsize=1\n");
    check(&["app.ini", "--body", "cache"], "size=1\n");
}

#[test]
fn front_matter_and_its_keys_are_read() {
    check_guide(&["--front-matter"], 1, 5);
    check_guide(&["--front-matter", "--key", "tags"], 4, 4);
    check(&["guide.md", "--front-matter", "--key", "title", "--value"], "Front Title\n");
    assert_eq!(
        piece(&sandbox(), &["guide.md", "--front-matter", "--key", "date"]).value.unwrap(),
        "2026-01-01"
    );
    let text = "---\nlist:\n  - a\n  - b\nquoted: 'x: y '\n---\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let list = ["read", "a.md", "--front-matter", "--key", "list"];
    sandbox.run(&list).succeeds().prints("list:\n  - a\n  - b\n");
    let quoted = ["read", "a.md", "--front-matter", "--key", "quoted", "--value"];
    sandbox.run(&quoted).succeeds().prints("x: y \n");
}

#[test]
fn keys_of_front_matter_are_read_in_any_syntax() {
    let check = |text: &str, key: &str, line: &str, value: &str| {
        let sandbox = Sandbox::with(&[("a.md", text)]);
        let arguments = ["read", "a.md", "--front-matter", "--key", key];
        sandbox.run(&arguments).succeeds().prints(line);
        sandbox.run(&[&arguments[..], &["--value"]].concat()).succeeds().prints(value);
        sandbox.run(&["read", "a.md", "--front-matter"]).succeeds();
    };
    let indented = "---\n\n  title: 'x'  # note\n  list:\n    - a\n---";
    check(indented, "title", "  title: 'x'  # note\n", "x\n");
    check(indented, "list", "  list:\n    - a\n", "- a\n");
    let flow = "---\n{title: x y, \"a b\": 'c, d'}\n---\n";
    check(flow, "title", "{title: x y, \"a b\": 'c, d'}\n", "x y\n");
    check(flow, "a b", "{title: x y, \"a b\": 'c, d'}\n", "c, d\n");
    let colons = "---\nog:list:\n- a\n---\n";
    check(colons, "og:list", "og:list:\n- a\n", "- a\n");
}

#[test]
fn a_text_is_read_with_its_line_and_context() {
    check_guide(&["--text", "make"], 15, 15);
    check_guide(&["--text", "make", "-C", "1"], 14, 16);
    check_guide(&["--text", "MAKE", "-i"], 15, 15);
    check_guide(&["--search", "make"], 10, 20);
    check_guide(&["--search", "make", "-C", "2"], 13, 17);
    check_guide(&["--search", "title"], 1, 7);
    check_guide(&["--pattern", "^m.ke"], 15, 15);
    check_guide(&["--pattern", "^M.KE", "-i", "--context", "1"], 14, 16);
    check_guide(&["--text", "{#top}"], 7, 7);
    check_error(&["guide.md", "--text", "MAKE"], 1, "TARGET_NOT_FOUND", &["MAKE"]);
    check_error(&["guide.md", "--text", ""], 2, "INVALID_ARGUMENT", &["--text"]);
    check_error(&["guide.md", "--pattern", "("], 2, "INVALID_PATTERN", &["--pattern"]);
}

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

// From a line.

#[test]
fn from_a_line_to_the_end_of_the_file() {
    check_guide(&["--from", "30"], 30, 35);
    check_guide(&["--from", "1"], 1, 35);
    check_error(&["guide.md", "--from", "36"], 1, "LINE_OUT_OF_RANGE", &["36", "35 lines"]);
    check_error(&["guide.md", "--from", "0"], 2, "INVALID_RANGE", &["0"]);
}

#[test]
fn from_a_line_to_the_next_match() {
    check_guide(&["--from", "7", "--to-next", "^## "], 7, 10);
    check_guide(&["--from", "11", "--to-next", "^## "], 11, 29);
    check_guide(&["--from", "11", "--to-next", "Linux"], 11, 17);
    check_guide(&["--from", "11", "--to-next", "LINUX", "-i"], 11, 17);
    check_guide(&["--from", "7", "--to-next", "^$"], 7, 7);
    check_guide(&["--from", "13", "--to-next", "a heading", "-F"], 13, 13);
    let sandbox = sandbox();
    let same = sandbox.run(&["read", "guide.md:11", "--to-next", "^## "]).succeeds();
    same.prints(lines_of(GUIDE, 11, 29));
    let piece = piece(&sandbox, &["guide.md:11", "--to-next", "^## "]);
    let boundary = piece.boundary.expect("a boundary");
    assert_eq!((boundary.line, boundary.text.as_str(), boundary.in_code), (30, "## Usage", false));
    assert!(!piece.has_more && piece.next_line.is_none());
    let target = serde_json::json!({"from": 11, "toNext": "^## "});
    assert_eq!(serde_json::Value::Object(piece.target.unwrap()), target);
}

#[test]
fn without_a_match_reading_ends_with_the_file_and_a_note() {
    let sandbox = sandbox();
    let text = sandbox.run(&["read", "guide.md:30", "--to-next", "zzz"]).exits(0);
    let text = text.prints(lines_of(GUIDE, 30, 35));
    assert!(text.errors().contains("no later line matches"), "{text}");
    let json =
        Piece::one(&sandbox.run(&["read", "--json", "guide.md:30", "--to-next", "zzz"]).exits(0));
    assert!(json.boundary.is_none() && json.lines() == (30, 35));
}

#[test]
fn a_match_in_code_is_reported_or_skipped() {
    let sandbox = sandbox();
    let stopped = sandbox.run(&["read", "guide.md:11", "--to-next", "^# "]).exits(0);
    let stopped = stopped.prints(lines_of(GUIDE, 11, 13));
    assert!(stopped.errors().contains("--outside-code"), "{stopped}");
    let piece = piece(&sandbox, &["guide.md:11", "--to-next", "^# "]);
    let boundary = piece.boundary.expect("a boundary");
    assert!(boundary.in_code && boundary.line == 14);
    check_guide(&["--from", "11", "--to-next", "^# ", "--outside-code"], 11, 34);
}

#[test]
fn from_a_line_to_the_end_of_its_section() {
    check_guide(&["--from", "13", "--to-section-end"], 13, 29);
    check_guide(&["--from", "20", "--to-section-end"], 20, 29);
    check_guide(&["--from", "33", "--to-section-end"], 33, 34);
    check_guide(&["--from", "9", "--to-section-end"], 9, 34);
    let address = sandbox().run(&["read", "guide.md:20", "--to-section-end"]).succeeds();
    address.prints(lines_of(GUIDE, 20, 29));
}

#[test]
fn the_section_around_a_line() {
    check_guide(&["--from", "13", "-W"], 11, 29);
    check_guide(&["--from", "20", "--section-context"], 18, 29);
    check_guide(&["--from", "33", "-W"], 32, 34);
    check_guide(&["--from", "35", "-W"], 35, 35);
    let sandbox = sandbox();
    sandbox.run(&["read", "guide.md:23", "-W"]).succeeds().prints(lines_of(GUIDE, 22, 23));
    sandbox.run(&["read", "app.ini:7", "-W"]).succeeds().prints(lines_of(APP, 6, 11));
    sandbox.run(&["read", "guide.md:36", "-W"]).exits(1).tells("35 lines");
    // In plain text, a line is not in a section.
    sandbox.run(&["read", "n.txt:5", "-W"]).exits(1);
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

// Paging.

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

// Many parts.

#[test]
fn a_batch_reads_the_parts_in_its_lines() {
    let sandbox = sandbox();
    let batch = "{\"address\":\"n.txt:3\"}\n\n{\"filePath\":\"guide.md\",\"target\":{\"section\":\"Usage\"}}\n\
                 {\"address\":\"app.ini\",\"target\":{\"section\":\"cache\",\"key\":\"size\",\"value\":true}}\n";
    let pieces =
        Piece::all(&sandbox.run_with_input(&["read", "--json", "--batch", "-"], batch).succeeds());
    let contents: Vec<_> = pieces.iter().map(|piece| piece.content.as_str().to_owned()).collect();
    assert_eq!(contents, ["3\n".to_owned(), lines_of(GUIDE, 30, 34), "1\n".to_owned()]);
    sandbox.write("batch.jsonl", batch);
    let text = sandbox.run(&["read", "--batch", "batch.jsonl"]).succeeds();
    text.prints(format!(
        "==> n.txt:3 <==\n3\n\n==> guide.md:30-34 Project Overview > Usage <==\n{}\n\
         ==> app.ini:13 [cache] <==\n1\n",
        lines_of(GUIDE, 30, 34)
    ));
}

#[test]
fn a_failing_line_of_a_batch_does_not_affect_others() {
    let sandbox = sandbox();
    let check = |line: &str, status: i32, code: &str| {
        let batch = format!("{{\"address\":\"n.txt:1\"}}\n{line}\n{{\"address\":\"n.txt:2\"}}\n");
        let outcome =
            sandbox.run_with_input(&["read", "--json", "--batch", "-"], batch).exits(status);
        let contents: Vec<_> =
            Piece::all(&outcome).iter().map(|piece| piece.content.as_str().to_owned()).collect();
        assert_eq!(contents, ["1\n", "2\n"], "{outcome}");
        assert_eq!(outcome.json_error().code, code, "{outcome}");
    };
    check("{\"address\":\"n.txt:999\"}", 1, "LINE_OUT_OF_RANGE");
    check("{\"address\":\"gone\"}", 2, "NOT_FOUND");
    check("{\"filePath\":\"guide.md\",\"target\":{\"section\":\"i\"}}", 3, "TARGET_AMBIGUOUS");
    check("{\"filePath\":\"n.txt\",\"target\":{}}", 2, "INVALID_ARGUMENT");
    check("{\"filePath\":\"n.txt\",\"adress\":1}", 2, "INVALID_ARGUMENT");
    check("{}", 2, "INVALID_ARGUMENT");
    check("nonsense", 2, "INVALID_ARGUMENT");
}

#[test]
fn a_file_path_of_a_batch_has_no_suffix() {
    let sandbox = Sandbox::with(&[("a:2", "x\n"), ("a", "1\n2\n")]);
    let batch = "{\"filePath\":\"a:2\"}\n{\"address\":\"a:1\"}\n";
    let pieces = Piece::all(&sandbox.run_with_input(&["read", "--json", "--batch", "-"], batch));
    assert!(pieces[0].content == "x\n" && pieces[1].content == "1\n");
}

/// Checks the parts that are read from addresses at the beginning of lines.
#[track_caller]
fn addressed(sandbox: &Sandbox, arguments: &[&str], input: &str) -> Outcome {
    let arguments = [&["read", "--addresses-from", "-"], arguments].concat();
    sandbox.run_with_input(&arguments, input)
}

#[test]
fn addresses_are_read_from_the_output_of_other_programs() {
    let sandbox = sandbox();
    let outcome =
        addressed(&sandbox, &[], "n.txt:3:3\nn.txt:7-8:what: 9:10\n--\n\nn.txt:12\n").succeeds();
    outcome.prints("==> n.txt:3 <==\n3\n\n==> n.txt:7-8 <==\n7\n8\n\n==> n.txt:12 <==\n12\n");
    // No line is printed twice.
    let outcome =
        addressed(&sandbox, &[], "n.txt:3-9:x\nn.txt:5:y\nn.txt:4-9:z\nn.txt:9-10:w\n").succeeds();
    outcome.prints("==> n.txt:3-10 <==\n3\n4\n5\n6\n7\n8\n9\n10\n");
    sandbox.write("list", "n.txt:3:x\n");
    let outcome = sandbox.run(&["read", "--addresses-from", "list"]).succeeds();
    outcome.prints("==> n.txt:3 <==\n3\n");
    let outcome = addressed(&sandbox, &["--json"], "n.txt:3:x\r\n").succeeds();
    assert_eq!(Piece::one(&outcome).content, "3\n");
}

#[test]
fn the_output_of_inspect_is_accepted() {
    let sandbox = sandbox();
    let listed = sandbox.run(&["inspect", "-O", "guide.md"]).succeeds();
    let outcome =
        addressed(&sandbox, &[], "guide.md:30-34:## Usage\nguide.md:11-29:## Installation\n");
    outcome.succeeds().prints(format!(
        "==> guide.md:11-34 Project Overview > Installation <==\n{}",
        lines_of(GUIDE, 11, 34)
    ));
    let outcome = addressed(&sandbox, &["--json"], &listed.text()).succeeds();
    let lines: Vec<_> = Piece::all(&outcome).iter().map(Piece::lines).collect();
    assert_eq!(lines, [(7, 34), (11, 29), (18, 29), (22, 23), (30, 34), (35, 35)]);
}

#[test]
fn lines_without_an_address_are_reported() {
    let outcome = addressed(&sandbox(), &[], "n.txt:3:x\nno address\ngone.txt:4:y\n").exits(0);
    let outcome = outcome.prints("==> n.txt:3 <==\n3\n");
    assert!(outcome.errors().contains("no address"), "{outcome}");
    addressed(&sandbox(), &[], "nothing\n").exits(2);
}

#[test]
fn names_with_colons_and_spaces_are_found_in_lines() {
    let sandbox = Sandbox::with(&[("a b: c.txt", "1\n2\n"), ("d:3", "x\ny\n"), ("d", "1\n2\n3\n")]);
    let outcome = addressed(&sandbox, &["--json"], "a b: c.txt:2:text: 5:6\nd:3:x\n").succeeds();
    let found: Vec<_> = Piece::all(&outcome)
        .iter()
        .map(|piece| (piece.file_path.as_str().to_owned(), piece.content.as_str().to_owned()))
        .collect();
    // The address ends at the leftmost number that follows the path of an existing file.
    assert_eq!(found, [("a b: c.txt".into(), "2\n".into()), ("d".into(), "3\n".into())]);
}

#[test]
fn addresses_ended_by_nul_may_contain_any_bytes() {
    let sandbox = Sandbox::with(&[("a:1:b\nc", "1\n2\n"), ("n.txt", &numbers(9))]);
    let input = "a:1:b\nc:2\0some text\nof lines\0n.txt:3-4\0x\0";
    let outcome = addressed(&sandbox, &["-0", "--json"], input).succeeds();
    let contents: Vec<_> =
        Piece::all(&outcome).iter().map(|piece| piece.content.as_str().to_owned()).collect();
    assert_eq!(contents, ["2\n", "3\n4\n"]);
}

#[test]
fn addresses_can_be_combined_with_an_end_or_context() {
    let sandbox = sandbox();
    let outcome = addressed(&sandbox, &["-W"], "guide.md:15:make\n").succeeds();
    outcome.prints(format!(
        "==> guide.md:11-29 Project Overview > Installation <==\n{}",
        lines_of(GUIDE, 11, 29)
    ));
    let outcome = addressed(&sandbox, &["--to-next", "^## "], "guide.md:7:x\n").succeeds();
    outcome.prints(format!("==> guide.md:7-10 Project Overview <==\n{}", lines_of(GUIDE, 7, 10)));
}

#[test]
fn a_section_with_several_matches_is_printed_once() {
    let listed = "guide.md:14:# not a heading\nguide.md:15:make install\nguide.md:30:## Usage\n";
    let outcome = addressed(&sandbox(), &["-W", "--json"], listed).succeeds();
    let found: Vec<_> = Piece::all(&outcome).iter().map(Piece::lines).collect();
    assert_eq!(found, [(11, 29), (30, 34)]);
}

// Output formats.

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
fn a_unique_file_name_is_found() {
    let sandbox =
        Sandbox::with(&[("sub/deep/one.md", "1\n2\n"), ("a/two.md", ""), ("b/two.md", "")]);
    let outcome = sandbox.run(&["read", "--resolve", "wrong/one.md:2"]).exits(0).prints("2\n");
    assert!(outcome.errors().contains("sub/deep/one.md"), "{outcome}");
    let outcome = sandbox.run(&["read", "--resolve", "--json", "one.md"]).exits(0);
    assert_eq!(Piece::one(&outcome).file_path, "sub/deep/one.md");
    let outcome = sandbox.run(&["read", "--resolve", "--json", "two.md"]).exits(3).prints("");
    assert_eq!(outcome.json_error().code, "AMBIGUOUS_PATH");
    let outcome = sandbox.run(&["read", "--resolve", "two.md"]).exits(3);
    assert!(outcome.errors().contains("a/two.md") && outcome.errors().contains("b/two.md"));
    sandbox.run(&["read", "--resolve", "three.md"]).exits(2);
    sandbox.run(&["read", "one.md"]).exits(2);
}

// Invalid combinations of options.

#[test]
fn two_ends_or_targets_are_refused() {
    let selections: &[&[&str]] = &[
        &["--to-next", "x"],
        &["--to-section-end"],
        &["--limit", "1"],
        &["--section-context"],
        &["--head", "1"],
        &["--tail", "1"],
        &["--lines", "1"],
        &["--section", "x"],
        &["--body", "x"],
        &["--heading", "x"],
        &["--code-block", "0"],
        &["--anchor", "x"],
        &["--front-matter"],
        &["--text", "x"],
        &["--pattern", "x"],
        &["--search", "x"],
        &["--target", r#"{"section":"x"}"#],
    ];
    let sandbox = sandbox();
    for (at, first) in selections.iter().enumerate() {
        for second in &selections[at + 1..] {
            // The search for a text may be restricted to a section.
            if first[0] == "--section" && matches!(second[0], "--text" | "--pattern") {
                continue;
            }
            let outcome = sandbox
                .run(&[&["read", "guide.md:1"], *first, second].concat())
                .exits(2)
                .prints("");
            for flag in [first[0], second[0]] {
                assert!(outcome.errors().contains(flag), "{flag}: {outcome}");
            }
        }
    }
}

#[test]
fn a_start_with_another_way_to_name_a_part_is_refused() {
    for flag in [
        &["--head", "1"][..],
        &["--tail", "1"],
        &["--lines", "1"],
        &["--section", "x"],
        &["--body", "x"],
        &["--heading", "x"],
        &["--anchor", "x"],
        &["--front-matter"],
        &["--text", "x"],
        &["--pattern", "x"],
        &["--search", "x"],
        &["--section", "x", "--no-children"],
    ] {
        let arguments = [&["guide.md", "--from", "1"], flag].concat();
        check_error(&arguments, 2, "INVALID_ARGUMENT", &["--from", flag[0]]);
        let arguments = [&["guide.md:1-2"], flag].concat();
        check_error(&arguments, 2, "INVALID_ARGUMENT", &[]);
        let arguments = [&["guide.md#usage"], flag].concat();
        check_error(&arguments, 2, "INVALID_ARGUMENT", &[]);
    }
    check_error(&["guide.md:1", "--from", "2"], 2, "INVALID_ARGUMENT", &["--from"]);
    check_error(&["guide.md#usage", "--from", "2"], 2, "INVALID_ARGUMENT", &["--from"]);
}

#[test]
fn an_end_needs_a_line_to_start_from() {
    check_error(&["guide.md", "--to-next", "x"], 2, "INVALID_ARGUMENT", &["--to-next", "--from"]);
    check_error(
        &["guide.md", "--to-section-end"],
        2,
        "INVALID_ARGUMENT",
        &["--to-section-end", "--from"],
    );
    check_error(&["guide.md", "-W"], 2, "INVALID_ARGUMENT", &["--section-context", "--from"]);
    check_error(&["guide.md#usage", "--to-next", "x"], 2, "INVALID_ARGUMENT", &["--to-next"]);
    check_error(&["guide.md:1-5", "--to-next", "x"], 2, "INVALID_ARGUMENT", &["--to-next"]);
}

#[test]
fn options_without_the_option_they_modify_are_refused() {
    for (arguments, parts) in [
        (&["--outside-code"][..], ["--outside-code", "--to-next"]),
        (&["--no-children"], ["--no-children", "--section"]),
        (&["--fences"], ["--fences", "--code-block"]),
        (&["--value"], ["--value", "--key"]),
        (&["-C", "1"], ["--context", "--text"]),
        (&["-0"], ["--null", "--addresses-from"]),
        (&["-i"], ["--ignore-case", "--to-next"]),
        (&["--in", "x"], ["--in", "--section"]),
        (&["--no-total"], ["--no-total", "--json"]),
        (&["--no-headers", "--json"], ["--no-headers", "--json"]),
        (&["--no-headers", "--checksum"], ["--no-headers", "--checksum"]),
    ] {
        let outcome =
            sandbox().run(&[&["read", "guide.md"], arguments].concat()).exits(2).prints("");
        for part in parts {
            assert!(outcome.errors().contains(part), "{part}: {outcome}");
        }
    }
}

#[test]
fn conflicting_output_options_are_refused() {
    for (first, second) in [
        ("--show-whitespace", "--json"),
        ("--raw", "--json"),
        ("--raw", "--number"),
        ("--raw", "--show-whitespace"),
        ("--number", "--checksum"),
        ("--raw", "--checksum"),
    ] {
        let outcome = sandbox().run(&["read", "guide.md", first, second]).exits(2).prints("");
        for flag in [first, second] {
            assert!(outcome.errors().contains(flag), "{flag}: {outcome}");
        }
    }
}

#[test]
fn lists_of_parts_exclude_other_operands() {
    check_error(&["--batch", "-", "guide.md"], 2, "INVALID_ARGUMENT", &["--batch"]);
    check_error(
        &["--addresses-from", "-", "guide.md"],
        2,
        "INVALID_ARGUMENT",
        &["--addresses-from"],
    );
    check_error(
        &["--addresses-from", "-", "--batch", "-"],
        2,
        "INVALID_ARGUMENT",
        &["--addresses-from", "--batch"],
    );
    check_error(&["--batch", "-", "--section", "x"], 2, "INVALID_ARGUMENT", &["--batch"]);
    check_error(&["--batch", "gone"], 2, "NOT_FOUND", &["gone"]);
    check_error(&["--addresses-from", "gone"], 2, "NOT_FOUND", &["gone"]);
    check_error(&[], 2, "INVALID_ARGUMENT", &["folio read"]);
}

#[test]
fn a_key_may_be_searched_in_a_scope() {
    check(&["app.ini", "--in", "cache", "--key", "size"], "size=1\n");
    let sandbox = sandbox();
    let outcome = sandbox.run(&["read", "app.ini", "--in", "cache", "--lines", "3"]);
    assert_eq!(outcome.status, Some(2));
    assert!(String::from_utf8_lossy(&outcome.stderr).contains("--in cannot be used with --lines"));
}
