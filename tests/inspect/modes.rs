//! `--mode search` and `--mode lines`.

use super::{check_guide, check_refused, guide, tree};
use crate::support::documents::long_texts;
use crate::support::records::{Lines, Match, Record, Search};
use crate::support::{Outcome, Sandbox, numbers, outcome, utf16};

#[test]
fn matches_are_addresses_in_a_pipe() {
    check_guide(
        &["--mode", "search", "--query", "body", "guide.md"],
        "guide.md:23:> body\nguide.md:33:body\n",
    );
    check_guide(&["--mode=search", "--query=install", "guide.md"], "guide.md:15:make install\n");
}

#[track_caller]
fn hits(sandbox: &Sandbox, arguments: &[&str]) -> Vec<Match> {
    let outcome = sandbox.run(&[&["inspect", "--json", "--mode", "search"], arguments].concat());
    let search = Search::one(&outcome.succeeds());
    assert_eq!(search.total_matches, search.matches.len() as u64);
    search.matches
}

/// Checks the positions of a query in a text: line, column and byte offset.
#[track_caller]
fn check_hits(bytes: impl AsRef<[u8]>, arguments: &[&str], expected: &[(u64, u64, u64)]) {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", bytes);
    let found: Vec<_> = hits(&sandbox, &[&["a.md"], arguments].concat())
        .iter()
        .map(|hit| (hit.line, hit.column, hit.byte_offset))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn matches_have_line_column_and_offset() {
    check_hits("ab\ncab\n", &["--query", "ab"], &[(1, 1, 0), (2, 2, 4)]);
    check_hits("a a\n", &["--query", "a"], &[(1, 1, 0)]);
    check_hits("äöü x\n", &["--query", "x"], &[(1, 5, 7)]);
    check_hits("😀😀x\n", &["--query", "x"], &[(1, 3, 8)]);
    check_hits("a\r\nx\r\n", &["--query", "x"], &[(2, 1, 3)]);
    check_hits("no newline", &["--query", "line"], &[(1, 7, 6)]);
}

#[test]
fn offsets_refer_to_the_bytes_of_the_file() {
    check_hits(b"\xef\xbb\xbfx\ny\n", &["--query", "x"], &[(1, 1, 3)]);
    check_hits(b"\xef\xbb\xbfx\ny\n", &["--query", "y"], &[(2, 1, 5)]);
    for little in [true, false] {
        check_hits(utf16("ä\nbä x\n", little), &["--query", "x"], &[(2, 4, 12)]);
        check_hits(utf16("😀x\r\ny\r\n", little), &["--query", "x"], &[(1, 2, 6)]);
        check_hits(utf16("😀x\r\ny\r\n", little), &["--query", "y"], &[(2, 1, 12)]);
    }
    check_hits(b"\xe9\xe9x\n", &["--query", "x", "--encoding", "latin1"], &[(1, 3, 2)]);
    check_hits(b"a\n\xff\xffx\n", &["--query", "x"], &[(2, 3, 4)]);
}

#[test]
fn a_query_is_literal_unless_it_is_a_regex() {
    let text = "a.c\nabc\nA.C\n";
    check_hits(text, &["--query", "a.c"], &[(1, 1, 0)]);
    check_hits(text, &["--query", "a.c", "--regex"], &[(1, 1, 0), (2, 1, 4)]);
    check_hits(text, &["--query", "^a.c$", "--regex", "-i"], &[(1, 1, 0), (2, 1, 4), (3, 1, 8)]);
    check_hits(text, &["--query", "A.c", "-i"], &[(1, 1, 0), (3, 1, 8)]);
    check_hits(text, &["--query", "A.C", "-S"], &[(3, 1, 8)]);
    check_hits(text, &["--query", "a.c", "-S"], &[(1, 1, 0), (3, 1, 8)]);
    check_hits(text, &["--query", "a.c", "-i", "-s"], &[(1, 1, 0)]);
    check_hits("cat concat\nconcat\n", &["--query", "cat", "-w"], &[(1, 1, 0)]);
    check_hits("cat\ncats\n", &["--query", "cat", "-x"], &[(1, 1, 0)]);
    check_hits("cat\r\ncats\r\n", &["--query", "t$", "--regex"], &[(1, 3, 2)]);
    check_hits("-x\n", &["--query", "-x"], &[(1, 1, 0)]);
    check_hits("x [DECISION] y\n", &["--query", "[DECISION]"], &[(1, 3, 2)]);
}

#[test]
fn context_lines_surround_matches() {
    let sandbox = Sandbox::with(&[("n.txt", &numbers(12))]);
    let found = hits(&sandbox, &["--query", "5", "-C", "2", "n.txt"]);
    let context = found[0].context.as_ref().expect("context");
    assert!(context.before.len() == 2 && context.before[0] == "3" && context.before[1] == "4");
    assert!(context.after.len() == 2 && context.after[0] == "6" && context.after[1] == "7");
    let found = hits(&sandbox, &["--query", "1", "-C", "1", "n.txt"]);
    let counts: Vec<_> = found
        .iter()
        .map(|hit| hit.context.as_ref().unwrap())
        .map(|context| (context.before.len(), context.after.len()))
        .collect();
    assert_eq!(counts, [(0, 1), (1, 1), (1, 1), (1, 0)]);
    assert!(hits(&sandbox, &["--query", "5", "n.txt"])[0].context.is_none());
    let text =
        sandbox.run(&["inspect", "--mode", "search", "--query", "1", "--context", "1", "n.txt"]);
    text.succeeds()
        .prints("n.txt:1:1\nn.txt-2-2\n--\nn.txt-9-9\nn.txt:10:10\nn.txt:11:11\nn.txt:12:12\n");
}

#[test]
fn matches_have_the_nearest_heading() {
    let sandbox = guide();
    let heading = |query: &str| {
        let hit = hits(&sandbox, &["--query", query, "guide.md"]).remove(0);
        hit.nearest_heading
            .map(|heading| (heading.level, heading.text.as_str().to_owned(), heading.line))
    };
    assert_eq!(heading("Front Title"), None);
    assert_eq!(heading("database"), Some((1, "Project Overview".to_owned(), 7)));
    assert_eq!(heading("make install"), Some((2, "Installation".to_owned(), 11)));
    assert_eq!(heading("> body"), Some((2, "Quoted".to_owned(), 22)));
    assert_eq!(heading("no language"), Some((3, "Linux".to_owned(), 18)));
    assert_eq!(heading("first entry"), Some((2, "Usage".to_owned(), 30)));
    assert_eq!(heading("# Second"), Some((1, "Second".to_owned(), 35)));
}

#[test]
fn no_match_exits_with_1() {
    let search = ["inspect", "--mode", "search", "--query", "zebra"];
    let outcome = guide().run(&[&search[..], &["guide.md"]].concat()).exits(1);
    assert!(outcome.stdout.is_empty(), "{outcome}");
    guide().run(&search).exits(1);
    let outcome = guide().run(&[&search[..], &["--json", "guide.md"]].concat()).exits(1);
    let found = Search::one(&outcome);
    assert_eq!((found.query.as_str(), found.total_matches), ("zebra", 0));
}

#[test]
fn a_search_includes_directories() {
    let search = ["inspect", "--mode", "search", "--query", "# "];
    tree()
        .run(&search)
        .succeeds()
        .prints("a.txt:1:# A\nb.md:1:# B\nsub/z.md:1:# Z\nsub-2.md:1:# Two\n");
    let outcome = tree().run(&[&search[..], &["--json", "sub"]].concat()).succeeds();
    assert_eq!(Search::one(&outcome).file_path, "sub/z.md");
}

#[test]
fn an_address_limits_a_search() {
    let search = |address: &str| -> Outcome {
        guide().run(&["inspect", "--mode", "search", "--query", "body", address])
    };
    search("guide.md:30-").succeeds().prints("guide.md:33:body\n");
    search("guide.md#linux").succeeds().prints("guide.md:23:> body\n");
    search("guide.md:1-10").exits(1).prints("");
}

#[test]
fn adjacent_matches_share_context_lines() {
    // Each line matches, and has five hundred context lines.
    let sandbox = Sandbox::with(&[("a.txt", &format!("{}x\n", "-".repeat(78)).repeat(1_000))]);
    for (flags, length) in [("", 80_000), ("--json", 35_000_000)] {
        let line = format!(
            "ulimit -d 16384 && \"$0\" inspect --mode search --query x -C 250 {flags} a.txt | wc -c"
        );
        let mut shell = sandbox.command_of("sh");
        let outcome = outcome(shell.args(["-c", &line, env!("CARGO_BIN_EXE_folio")]), b"");
        let count: u64 = outcome.text().trim().parse().unwrap();
        assert!(outcome.errors().is_empty() && count > length, "{count} {}", outcome.errors());
    }
}

#[test]
fn lines_are_shown_by_number() {
    let lines = ["--mode", "lines", "--query"];
    check_guide(
        &[&lines[..], &["1-2,9", "guide.md"]].concat(),
        "guide.md:1:---\nguide.md:2:title: Front Title\nguide.md:9:Intro with database.\n",
    );
    check_guide(
        &[&lines[..], &["34-", "guide.md"]].concat(),
        "guide.md:34:\nguide.md:35:# Second\n",
    );
    check_guide(&[&lines[..], &["35-99", "guide.md"]].concat(), "guide.md:35:# Second\n");
    let outcome =
        guide().run(&["inspect", "--json", "--mode", "lines", "--query", "7-8", "guide.md"]);
    let found = Lines::one(&outcome.succeeds());
    assert_eq!(found.query, "7-8");
    let found: Vec<_> = found.lines.iter().map(|line| (line.number, line.text.as_str())).collect();
    assert_eq!(found, [(7, "# Project `Overview` {#top}"), (8, "")]);
    guide()
        .run(&["inspect", "--mode", "lines", "--query", "36", "guide.md"])
        .exits(1)
        .tells("35 lines");
    for query in ["0", "5-3", "x", "1,,2"] {
        check_refused(&["--mode", "lines", "--query", query], &["--query"]);
    }
}

#[test]
fn lines_lose_only_their_line_endings() {
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", b"\xef\xbb\xbf a \t\r\nb\rc\n\xff");
    let outcome = sandbox.run(&["inspect", "--json", "--mode", "lines", "--query", "1-", "a.txt"]);
    let found = Lines::one(&outcome.succeeds());
    let texts: Vec<_> = found.lines.iter().map(|line| line.text.to_bytes()).collect();
    assert_eq!(texts, [&b" a \t"[..], b"b\rc", b"\xff"]);
}

#[test]
fn options_of_another_mode_are_refused() {
    check_refused(&["--query", "x"], &["--query"]);
    check_refused(&["--regex"], &["--regex"]);
    check_refused(&["-C", "1"], &["--context"]);
    check_refused(&["-i"], &["--ignore-case"]);
    check_refused(&["--mode", "search"], &["--query"]);
    check_refused(&["--mode", "lines"], &["--query"]);
    check_refused(&["--mode", "search", "--query", ""], &["--query"]);
    check_refused(&["--mode", "search", "--query", "x", "--flat"], &["--flat", "search"]);
    check_refused(&["--mode", "search", "--query", "x", "-O"], &["--outline", "search"]);
    check_refused(&["--mode", "lines", "--query", "1", "--tokens"], &["--tokens", "lines"]);
    check_refused(&["--mode", "lines", "--query", "1", "--regex"], &["--regex", "search"]);
    check_refused(
        &["--mode", "search", "--query", "x", "--regex", "-F"],
        &["--regex", "--fixed-strings"],
    );
    check_refused(&["-O", "--only", "code"], &["--outline", "--only"]);
    check_refused(&["--mode", "nonsense"], &["nonsense", "structure"]);
    check_refused(&["--only", "nonsense"], &["nonsense", "headings"]);
}

#[test]
fn a_search_returns_positions_context_and_headings() {
    let sandbox = long_texts();
    let arguments = ["inspect", "--json", "--mode", "search", "--query", "database connection"];
    let outcome = sandbox.run(&[&arguments[..], &["-C", "2", "docs/README.md"]].concat());
    let found = Search::one(&outcome.succeeds());
    assert_eq!((found.query.as_str(), found.total_matches), ("database connection", 2));
    let first = &found.matches[0];
    assert_eq!((first.line, first.column), (91, 15));
    assert_eq!(first.text, "Configure the database connection string:");
    let context = first.context.as_ref().unwrap();
    let before: Vec<_> = context.before.iter().map(|line| line.as_str()).collect();
    let after: Vec<_> = context.after.iter().map(|line| line.as_str()).collect();
    assert_eq!((before, after), (vec!["filling 89", ""], vec!["", "filling 93"]));
    let headings: Vec<_> = found
        .matches
        .iter()
        .map(|hit| hit.nearest_heading.as_ref().unwrap())
        .map(|heading| (heading.level, heading.text.as_str(), heading.line))
        .collect();
    assert_eq!(headings, [(2, "Configuration", 52), (3, "Performance Tuning", 300)]);
}

#[test]
fn a_search_accepts_a_regular_expression() {
    let outcome = long_texts().run(&[
        "inspect",
        "--json",
        "--mode",
        "search",
        "--query",
        "rec[ie]+ve",
        "--regex",
        "docs/README.md",
    ]);
    let found = Search::one(&outcome.succeeds());
    assert_eq!((found.matches[0].line, found.matches[0].column), (87, 10));
}

#[test]
fn lines_are_previewed() {
    let sandbox = long_texts();
    let arguments = ["inspect", "--json", "--mode", "lines", "--query", "50-53", "docs/README.md"];
    let found = Lines::one(&sandbox.run(&arguments).succeeds());
    let lines: Vec<_> = found.lines.iter().map(|line| (line.number, line.text.as_str())).collect();
    let heading = "## Configuration {#config-options}";
    let last = "The following options are available:";
    assert_eq!(lines, [(50, ""), (51, ""), (52, heading), (53, last)]);
    let arguments =
        ["inspect", "--json", "--mode", "lines", "--query", "50-60,100-110", "docs/README.md"];
    let found = Lines::one(&sandbox.run(&arguments).succeeds());
    assert_eq!((found.query.as_str(), found.lines.len()), ("50-60,100-110", 22));
}
