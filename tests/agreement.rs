//! Compares the lines that `grep`, `inspect --mode search` and `read --pattern` find, for a table
//! of patterns, options and documents.

use serde_json::Value;

use crate::support::{Sandbox, utf16};

const TEXT: &str = "\
# The foo\n\
\n\
foo bar foo\n\
    foo_bar food\n\
FOO Bar\n\
naïve café übermut 𝄞 foo\n\
a\rfoo\n\
\n\
-2 = x\n\
the end\tfoo\n\
last foo without an end";

fn documents() -> Sandbox {
    let sandbox = Sandbox::with(&[("lf.md", TEXT), ("empty.md", ""), ("ended.md", "foo\n\n")]);
    sandbox.write("crlf.md", TEXT.replace('\n', "\r\n"));
    sandbox.write("mixed.txt", "foo\r\nfoo\nx\rfoo\rx\n foo\r\n\r\n\nfoo \r\n");
    sandbox.write("le.md", utf16(&TEXT.replace('\n', "\r\n"), true));
    sandbox.write("be.md", utf16(TEXT, false));
    sandbox.write("bom.md", format!("\u{feff}{TEXT}"));
    sandbox.write("bytes.md", b"caf\xe9 foo\n\xff\xfe\nfoo \xc3\n\xffoo foo");
    let long = format!("{} foo {}\nfoo\n", "x".repeat(5 << 18), "y".repeat(70_000));
    sandbox.write("long.txt", long);
    sandbox.write("many.md", "# A\nfoo\n\ntext\n".repeat(9_000));
    sandbox.write("late_nul.txt", late_nul());
    sandbox
}

/// Returns a file with a NUL byte after the bytes that are examined to detect binary files.
fn late_nul() -> Vec<u8> {
    let filling = "0123456789\n".repeat(10_000);
    [b"foo bar\n", filling.as_bytes(), b"\nx\0x nul\n\nthe last foo\n"].concat()
}

const FILES: &[&str] = &[
    "late_nul.txt",
    "lf.md",
    "empty.md",
    "ended.md",
    "crlf.md",
    "mixed.txt",
    "le.md",
    "be.md",
    "bom.md",
    "bytes.md",
    "long.txt",
    "many.md",
];

const PATTERNS: &[&str] = &[
    "foo",
    "^foo",
    "foo$",
    "fo+.",
    "^$",
    r"\s$",
    r"\w+ foo",
    "[^a]r",
    "x|y",
    "-2",
    "é",
    r"(?-u)\xff",
    "^",
    ".*",
    r"\Afoo",
    r"foo\z",
    r"o\r",
    r"[\r\t]$",
];

const FLAGS: &[&[&str]] = &[&[], &["-i"], &["-S"], &["-w"], &["-x"], &["-i", "-w"]];

/// Returns the fields of a match that both commands report.
fn facts(hit: &Value) -> [Value; 5] {
    ["line", "column", "byteOffset", "text", "context"].map(|name| hit[name].clone())
}

fn search(
    sandbox: &Sandbox,
    flags: &[&str],
    pattern: &str,
    file: &str,
) -> (Vec<Value>, Vec<Value>) {
    let query = format!("--query={pattern}");
    let by_grep = [&["grep", "--json", "-C1"], flags, &["-e", pattern, file]].concat();
    let search = ["inspect", "--json", "--mode", "search", "--regex", "-C1", &query, file];
    let by_inspect = [&search[..], flags].concat();
    let (by_grep, by_inspect) = (sandbox.run(&by_grep), sandbox.run(&by_inspect));
    assert_eq!(by_grep.status, by_inspect.status, "{by_grep}{by_inspect}");
    let mut records = by_grep.json_lines();
    records.pop();
    let matches = by_inspect.json()["matches"].as_array().unwrap().clone();
    (records, matches)
}

/// Returns pairs of patterns and documents. Large documents are not printed if a test fails.
fn pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.iter().flat_map(|&file| {
        let patterns = match file {
            "many.md" | "long.txt" => &PATTERNS[2..5],
            "late_nul.txt" => &PATTERNS[..3],
            _ => PATTERNS,
        };
        patterns.iter().map(move |&pattern| (file, pattern))
    })
}

#[test]
fn all_commands_find_the_same_lines() {
    let sandbox = documents();
    for (file, pattern) in pairs() {
        // One document is tested with all options.
        let flags = if file == "crlf.md" { FLAGS } else { &FLAGS[..1] };
        for flags in flags {
            let context = format!("{flags:?} {pattern} {file}");
            let (records, matches) = search(&sandbox, flags, pattern, file);
            assert_eq!(records.len(), matches.len(), "{context}");
            for (record, found) in records.iter().zip(&matches) {
                assert_eq!(facts(record), facts(found), "{context}");
            }
            let by_pattern = format!("--pattern={pattern}");
            let read = [&["read", "--json", file, &by_pattern], *flags].concat();
            let read = sandbox.run(&read);
            let first = records.first().map(|record| record["line"].clone());
            let line = (read.status == Some(0)).then(|| read.json()["range"]["startLine"].clone());
            assert_eq!(line, first, "{context}\n{read}");
        }
    }
}

#[test]
fn a_nul_late_in_a_file_does_not_stop_a_search_and_is_not_printed() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", late_nul());
    sandbox.write("early.md", "foo\n\0\n");
    for place in ["a.md", "."] {
        sandbox.run(&["grep", "-o", "foo", place, "--no-filename"]).prints("1:foo\n10005:foo\n");
        let result = sandbox.run(&["inspect", "--mode", "search", "--query", "foo", place]);
        result.exits(0).prints("a.md:1:foo bar\na.md:10005:the last foo\n");
    }
    sandbox.run(&["grep", "-c", "nul", "a.md"]).prints("1\n");
    sandbox.run(&["read", "a.md:10005"]).prints("the last foo\n");
    let grep = ["-n", "-C1", "-W"].map(|flag| vec!["grep", flag, "nul", "a.md"]);
    let refused = [
        vec!["inspect", "--mode", "search", "--query", "nul", "a.md"],
        vec!["inspect", "--mode", "search", "--query", "last", "-C2", "a.md"],
        vec!["inspect", "--mode", "lines", "--query", "10003", "a.md"],
        vec!["read", "a.md", "--text", "nul"],
        vec!["read", "a.md:10000-"],
        vec!["read", "a.md"],
    ];
    for arguments in grep.iter().chain(&refused) {
        let result = sandbox.run(arguments);
        assert!(!result.stdout.contains(&0), "{result}");
        let is_grep = arguments[0] == "grep";
        if is_grep {
            assert!(result.text().contains("binary file matches (found \"\\0\""), "{result}");
        } else {
            assert!(result.exits(2).errors().contains("it contains a NUL byte"));
        }
        let takes_all = if is_grep { "-a" } else { "--binary" };
        let result = sandbox.run(&[&arguments[..], &[takes_all]].concat());
        assert!(result.stdout.contains(&0), "{result}");
    }
    sandbox.run(&["inspect", "--mode", "search", "--query", "foo", "early.md"]).exits(2);
    sandbox.run(&["read", "early.md"]).exits(2);
}

#[test]
fn every_command_processes_a_repeated_file_once() {
    let sandbox = Sandbox::with(&[("d/a.md", "# One\nfoo\n"), ("d/b.md", "# Two\nfoo\n")]);
    sandbox.run(&["grep", "-c", "foo", "d/a.md", "./d/a.md"]).prints("d/a.md:1\n");
    sandbox.run(&["grep", "-c", "foo", "d/b.md", "d"]).prints("d/b.md:1\nd/a.md:1\n");
    for flags in [&["--matching", "O"][..], &[]] {
        let twice = [&["inspect"], flags, &["d/a.md", "./d/a.md", "d/a.md"]].concat();
        let once = [&["inspect"], flags, &["d/a.md"]].concat();
        sandbox.run(&twice).prints(sandbox.run(&once).text());
    }
}

#[test]
fn grep_accepts_line_ranges_like_other_commands() {
    let sandbox = Sandbox::with(&[("a.txt", "foo\nfoo\nbar\nfoo\nfoo\n"), ("a.txt:9", "foo\n")]);
    for (operands, expected) in [
        (&["a.txt:2-4"][..], "2:foo\n4:foo\n"),
        (&["a.txt:4-"], "4:foo\n5:foo\n"),
        (&["a.txt:1,4"], "1:foo\n4:foo\n"),
        (&["a.txt:9"], "1:foo\n"),
        (&["a.txt:4-5", "a.txt:1-4"], "a.txt:1:foo\na.txt:2:foo\na.txt:4:foo\na.txt:5:foo\n"),
        (&["a.txt:4", "a.txt"], "a.txt:1:foo\na.txt:2:foo\na.txt:4:foo\na.txt:5:foo\n"),
    ] {
        sandbox.run(&[&["grep", "-n", "foo"], operands].concat()).prints(expected);
    }
    sandbox.run(&["grep", "foo", "a.txt:3"]).exits(1);
    sandbox.run(&["grep", "foo", "gone.txt:3"]).exits(2).tells("gone.txt");
}
