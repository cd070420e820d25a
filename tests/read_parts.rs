//! `folio read`: many parts of one file, truncated parts, and tables.

use std::fmt::Write;

use crate::support::records::{Piece, Record};
use crate::support::{Sandbox, numbers};

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
    for limit in [
        &["--max-bytes", "1"][..],
        &["--max-bytes", "8"],
        &["--max-bytes", "20"],
        &["--max-lines", "1"],
        &["--max-lines", "2"],
    ] {
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
fn lines_are_numbered_in_json() {
    let sandbox = Sandbox::with(&[("n.txt", &numbers(30))]);
    let piece = Piece::one(&sandbox.run(&["read", "n.txt:9-10", "-n", "--json"]).succeeds());
    assert_eq!(piece.content, "     9\t9\n    10\t10\n");
    let plain = Piece::one(&sandbox.run(&["read", "n.txt:9-10", "--json"]));
    assert_eq!(piece.range_checksum, plain.range_checksum);
}

#[test]
fn the_rest_is_read_with_the_same_options() {
    let sandbox = Sandbox::with(&[("n.txt", &numbers(30))]);
    let part = ["read", "n.txt", "--max-lines", "2", "--encoding", "latin1", "-n"];
    sandbox.run(&part).tells("folio read --max-lines 2 --encoding latin1 -n n.txt:3-\n");
}

#[test]
fn several_sections_are_read_from_every_file() {
    let text = "# A\n\n## One\n1\n## Two\n2\n";
    let sandbox = Sandbox::with(&[("a.md", text), ("b.md", "## Two\nb\n")]);
    let two = ["read", "--section", "Two", "--section", "One", "a.md"];
    let expected = "==> a.md:3-6 A > One <==\n## One\n1\n## Two\n2\n";
    sandbox.run(&two).succeeds().prints(expected);
    let outcome = sandbox.run(&[&two[..], &["b.md", "--json"]].concat()).exits(1);
    let told: Vec<_> = Piece::all(&outcome)
        .into_iter()
        .map(|piece| (piece.index, piece.address.as_str().to_owned()))
        .collect();
    let expected = [(0, "a.md:5-6"), (1, "a.md:3-4"), (2, "b.md:1-2")];
    assert_eq!(told, expected.map(|(index, address)| (Some(index), address.to_owned())));
    assert_eq!(outcome.json_error().index, Some(3));
}

#[test]
fn a_batch_may_be_an_array_and_answers_have_the_request_index() {
    let sandbox = Sandbox::with(&[("n.txt", &numbers(9))]);
    let requests = [
        r#"{"address":"n.txt:2"}"#,
        r#"{"address":"gone:1"}"#,
        r#"{"adress":"n.txt:1"}"#,
        r#"{"filePath":"n.txt","target":{"head":1}}"#,
    ];
    for batch in [requests.join("\n\n"), format!("[\n{}\n]", requests.join(",\n"))] {
        let run = ["read", "--json", "--batch", "-"];
        let outcome = sandbox.run_with_input(&run, batch).exits(2);
        let answers = Piece::all(&outcome).into_iter();
        let answers: Vec<_> =
            answers.map(|piece| (piece.index, piece.content.as_str().to_owned())).collect();
        assert_eq!(answers, [(Some(0), "2\n".to_owned()), (Some(3), "1\n".to_owned())]);
        let errors = outcome.json_errors();
        let errors: Vec<_> = errors.iter().map(|error| (error.index, &error.code[..])).collect();
        assert_eq!(errors, [(Some(1), "NOT_FOUND"), (Some(2), "INVALID_ARGUMENT")]);
    }
    let outcome = sandbox.run_with_input(&["read", "--batch", "-"], "[{\"address\":1}]").exits(2);
    outcome.tells("--batch, index 0: ");
    sandbox.run_with_input(&["read", "--batch", "-"], "[{]").exits(2).tells("invalid JSON");
}

#[test]
fn the_section_found_by_a_name_is_reported() {
    let text = "# Guide\n\n## Set `up`\nx\n\n[LOG-1] a\n";
    let sandbox = Sandbox::with(&[("a.md", text), ("a.ini", "[db]\nk=1\n")]);
    let told = |file: &str, name: &str| {
        let outcome = sandbox.run(&["read", "--json", file, "--section", name]).succeeds();
        Piece::one(&outcome).section.expect("a section")
    };
    let guide = serde_json::json!({
        "text": "Set up", "level": 2, "path": ["Guide", "Set up"], "line": 3, "exact": true});
    assert_eq!(told("a.md", "Set up"), guide);
    assert_eq!(told("a.md", "## Set `up`"), guide);
    for other in ["set up", "up"] {
        assert_eq!(told("a.md", other)["exact"], false, "{other}");
    }
    let marker = serde_json::json!({"text": "[db]", "path": ["[db]"], "line": 1, "exact": true});
    assert_eq!(told("a.ini", "db"), marker);
    let body = Piece::one(&sandbox.run(&["read", "--json", "a.md", "--body", "Guide"]));
    assert_eq!(body.section.expect("a section")["line"], 1);
    let lines = Piece::one(&sandbox.run(&["read", "--json", "a.md:3"]));
    assert!(lines.section.is_none());
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
    assert_eq!(piece.range_checksum, crate::support::checksum("234"));
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
fn a_batch_without_requests_is_refused() {
    let sandbox = Sandbox::new();
    for text in ["", "\n\n", "[]", " [ ]\n"] {
        let outcome = sandbox.run_with_input(&["read", "--batch", "-"], text).exits(2).prints("");
        outcome
            .tells("--batch: there is no request")
            .tells(r#"hint: a line looks like {"filePath":"#);
    }
}

#[test]
fn a_text_of_several_lines_is_found() {
    let text = "# A\n\none two\r\nthree\n## B\none two\nthree four\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let read = |words: &[&str]| sandbox.run(&[&["read", "a.md"], words].concat()).succeeds();
    read(&["--text", "two\nthree"]).prints("one two\r\nthree\n");
    read(&["--text", "two\nthree f"]).prints("one two\nthree four\n");
    read(&["--text", "two\nthree", "--in", "B"]).prints("one two\nthree four\n");
    read(&["--text", "THREE\n## b", "-i", "-C", "1"]).prints("one two\r\nthree\n## B\none two\n");
    read(&["--text", "three\n"]).prints("three\n");
    read(&["--target", r#"{"text":"A\n\none"}"#]).prints("# A\n\none two\r\n");
    let outcome = sandbox.run(&["read", "a.md", "--text", "two\nfour"]).exits(1);
    outcome.tells("folio grep -i -U -F -e ");
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
    let told = "line 1 is longer than --max-bytes, but printed completely";
    outcome.tells(told).tells("folio read --max-bytes 3 a:2-");
    sandbox.run(&["read", "one", "--max-bytes", "3"]).exits(0).prints("1234567").tells(told);
    sandbox.run(&["read", "one", "--max-bytes", "7"]).succeeds().prints("1234567");
}

#[test]
fn addresses_of_files_are_in_the_order_of_the_requests() {
    let sandbox = Sandbox::with(&[("a", "a1\na2\na3\n"), ("b", "b1\nb2\nb3\n")]);
    let list = "b:3\na:2-3\nb:1\ngone:1\nb:9\na:3\nb:1:text\na:2\n";
    let outcome = sandbox.run_with_input(&["read", "--addresses-from", "-"], list).exits(1);
    let outcome = outcome.prints("==> b:3 <==\nb3\n\n==> a:2-3 <==\na2\na3\n\n==> b:1 <==\nb1\n");
    outcome.tells("no line 9: the file has 3 lines").tells("'gone:1'");
    let batch = "{\"address\":\"a:3\"}\n{\"address\":\"b#x\"}\n{\"address\":\"a:1\"}\n";
    let outcome = sandbox.run_with_input(&["read", "--json", "--batch", "-"], batch).exits(1);
    let read: Vec<_> = Piece::all(&outcome).into_iter().collect();
    let contents: Vec<_> = read.iter().map(|piece| piece.content.as_str().to_owned()).collect();
    assert_eq!(contents, ["a3\n", "a1\n"]);
    assert!(read.iter().all(|piece| piece.total_lines == Some(3)));
    let checksum = ["read", "--checksum", "a:1", "b:2", "a:1-2"];
    assert_eq!(sandbox.run(&checksum).succeeds().text().lines().count(), 3);
}

#[test]
fn standard_input_is_read_once_for_several_parts() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.run_with_input(&["read", "-:3", "-:1"], "1\n2\n3\n").succeeds();
    outcome.prints("==> -:3 <==\n3\n\n==> -:1 <==\n1\n");
}

#[test]
fn many_addresses_of_a_file_are_read_in_one_pass() {
    // If each address required a pass over the file, this would take over two minutes.
    const COUNT: u64 = 100_000;
    let sandbox = Sandbox::with(&[("n.txt", &numbers(COUNT))]);
    let mut list = String::new();
    for line in (1..=COUNT).rev().filter(|line| line % 2 == 1 || *line > COUNT / 2) {
        writeln!(list, "n.txt:{line}:x").expect("a text");
    }
    let begun = std::time::Instant::now();
    let outcome = sandbox.run_with_input(&["read", "--addresses-from", "-"], &list).succeeds();
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
    assert!(outcome.text().starts_with("==> n.txt:50001-100000 <==\n50001\n"), "{outcome}");
    assert!(outcome.text().ends_with("==> n.txt:1 <==\n1\n"));
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

#[test]
fn errors_are_printed_between_the_parts_of_other_operands() {
    let sandbox = Sandbox::with(&[("a", "1\n"), ("b", "2\n")]);
    let outcome = sandbox.run(&["read", "a:1", "a:5", "gone", "b:1"]).exits(2);
    let outcome = outcome.prints("==> a:1 <==\n1\n\n==> b:1 <==\n2\n");
    let errors = outcome.errors();
    let told: Vec<&str> = errors.lines().filter(|line| line.starts_with("folio read: ")).collect();
    assert_eq!(
        told,
        [
            "folio read: 'a': no line 5: the file has 1 line",
            "folio read: 'gone': No such file or directory"
        ]
    );
}

const TABLES: &str = "# A\n\nintro\n| x | y |\n|---|---|\n| 1 | 2 |\n\n```\n| no |\n|----|\n```\n\n\
                      ## B\n\n> - | in | list |\n>   |----|------|\n>   | a  | b    |\n> | c |\n\nend\n";

#[test]
fn a_table_is_read_by_its_number() {
    let sandbox = Sandbox::with(&[("t.md", TABLES)]);
    let check = |arguments: &[&str], expected: &str| {
        sandbox.run(&[&["read", "t.md"], arguments].concat()).succeeds().prints(expected);
    };
    check(&["--table", "0"], "| x | y |\n|---|---|\n| 1 | 2 |\n");
    // A table in a quote or list is printed without container prefixes.
    let inner = "| in | list |\n|----|------|\n| a  | b    |\n";
    check(&["--table", "1"], inner);
    check(&["--table", "0", "--in", "B"], inner);
    check(&["--target", r#"{"table":{"index":1}}"#], inner);
    let piece = Piece::one(&sandbox.run(&["read", "--json", "t.md", "--table", "0"]));
    assert_eq!((piece.lines(), piece.returned_lines), ((4, 6), 3));
    assert_eq!(piece.target.expect("a target")["table"]["index"], 0);
    sandbox
        .run(&["read", "t.md", "--table", "2"])
        .exits(1)
        .tells("no table 2: the document has 2, numbered from 0")
        .tells("folio inspect --only tables t.md");
    sandbox.run(&["read", "t.md", "--table", "1", "--in", "B"]).exits(1).tells("the section has 1");
    sandbox.run(&["read", "t.md", "--table", "x"]).exits(2);
}

#[test]
fn several_parts_without_headers_are_whole_lines() {
    let sandbox =
        Sandbox::with(&[("a.ini", "[s]\nk = 1\n"), ("b.ini", "[s]\nk = 2\n"), ("c.txt", "x")]);
    let values = ["read", "a.ini", "b.ini", "--section", "s", "--key", "k", "--value"];
    let values = sandbox.run(&[&values[..], &["--no-headers"]].concat());
    values.succeeds().prints("1\n2\n");
    sandbox.run(&["read", "c.txt:1", "a.ini:2", "--no-headers"]).succeeds().prints("x\nk = 1\n");
}
