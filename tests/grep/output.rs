//! Records, summaries, counts and context of matches, and their form on a terminal.

use super::{WORK, found, tree, work};
use crate::support::records::{Found, Record};
use crate::support::{Sandbox, terminal, utf16};

#[test]
fn records_contain_sections_headings_and_context() {
    let records = found(&["-k", "-C1", "end", "WORK.md"]);
    let Found::Match { line, column, byte_offset, text, section, nearest_heading, context, .. } =
        &records[0]
    else {
        panic!("{records:?}")
    };
    assert_eq!((*line, *column, *byte_offset), (12, 5, WORK.find("end").unwrap() as u64));
    assert_eq!(text.as_str(), "foo end");
    let section = section.as_ref().unwrap();
    assert_eq!((section.start_line, section.end_line), (11, 16));
    let path: Vec<&str> = section.path.iter().map(|name| name.as_str()).collect();
    assert_eq!(path, ["Work", "Log", "[LOG-002] - x"]);
    assert_eq!(section.next.as_deref(), Some("^## "));
    assert_eq!(nearest_heading.as_ref().unwrap().line, 5);
    let context = context.as_ref().unwrap();
    assert_eq!(context.before[0].as_str(), "[LOG-002] - x");
    assert_eq!(context.after[0].as_str(), "```");
}

#[track_caller]
fn check_summary(arguments: &[&str], expected: (u64, Option<u64>, Option<u64>, bool)) {
    match found(arguments).last().unwrap() {
        Found::Summary { files, matches, total_matches, truncated, .. } => {
            assert_eq!((*files, *matches, *total_matches, *truncated), expected, "{arguments:?}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn summaries_report_exceeded_limits() {
    check_summary(&["foo"], (3, Some(12), Some(12), false));
    check_summary(&["-m1", "foo"], (3, Some(3), None, true));
    check_summary(&["-m1", "--totals", "foo"], (3, Some(3), Some(12), true));
    check_summary(&["-m7", "foo"], (3, Some(12), Some(12), false));
    check_summary(&["--max-total", "8", "foo"], (2, Some(8), None, true));
    check_summary(&["--max-total", "8", "--totals", "foo"], (2, Some(8), Some(12), true));
    check_summary(&["--max-total", "12", "foo"], (3, Some(12), Some(12), false));
    check_summary(&["--max-total", "7", "foo"], (1, Some(7), None, true));
    check_summary(&["--in", "Log", "-m2", "foo", "WORK.md"], (1, Some(2), None, true));
    check_summary(&["-l", "foo"], (3, None, None, false));
    check_summary(&["-l", "--totals", "foo"], (3, None, Some(12), false));
    check_summary(&["-l", "--totals", "-m1", "foo"], (3, None, Some(12), false));
    check_summary(&["-l", "--max-total", "2", "foo"], (2, None, None, true));
    check_summary(&["-l", "--max-total", "2", "--totals", "foo"], (2, None, Some(12), true));
    check_summary(&["-l", "--max-total", "3", "--totals", "foo"], (3, None, Some(12), false));
    check_summary(&["-c", "foo"], (3, Some(12), Some(12), false));
}

#[test]
fn only_matching_counts_matches_instead_of_lines() {
    let sandbox = Sandbox::with(&[("a.txt", "foo foo\nfoo\nbar\nfoo foo foo\n")]);
    for (flags, expected) in [
        (&["-o"][..], (Some(6), Some(6), false)),
        (&["-o", "-m1"], (Some(2), None, true)),
        (&["-o", "-m1", "--totals"], (Some(2), Some(6), true)),
        (&["-o", "-c"], (Some(6), Some(6), false)),
        (&["-o", "-v"], (Some(1), Some(1), false)),
        (&["-U", "-c"], (Some(3), Some(3), false)),
        (&[], (Some(3), Some(3), false)),
    ] {
        let arguments = [&["grep", "--json", "foo", "a.txt"], flags].concat();
        let records = Found::all(&sandbox.run(&arguments).succeeds());
        let printed = records.iter().filter(|record| matches!(record, Found::Match { .. })).count();
        match records.last().unwrap() {
            Found::Summary { matches, total_matches, truncated, .. } => {
                assert_eq!((*matches, *total_matches, *truncated), expected, "{flags:?}");
                assert!(flags.contains(&"-c") || *matches == Some(printed as u64), "{flags:?}");
            }
            other => panic!("{other:?}"),
        }
    }
    sandbox.run(&["grep", "-U", "-c", r"o\n?", "a.txt"]).prints("12\n");
}

#[test]
fn offsets_refer_to_the_file() {
    let sandbox = Sandbox::new();
    sandbox.write("le.md", utf16("# Ä𝄞\n\nxx foo\n", true));
    sandbox.write("be.md", utf16("# Ä𝄞\n\nxx foo\n", false));
    sandbox.write("bom.md", "\u{feff}# Ä𝄞\n\nxx foo\n");
    for (name, expected) in [("le.md", 2 + 2 * (5 + 2 + 3)), ("be.md", 22), ("bom.md", 17)] {
        let outcome = sandbox.run(&["grep", "-k", "--json", "foo", name]).succeeds();
        let Found::Match { byte_offset, column, line, section, .. } = &Found::all(&outcome)[0]
        else {
            panic!("{outcome}")
        };
        assert_eq!((*line, *column), (3, 4), "{name}");
        assert_eq!(section.as_ref().unwrap().end_line, 3);
        // In UTF-16, the line of the heading has 5 units; in UTF-8, it has 9 bytes.
        let expected = if name == "bom.md" { 3 + 9 + 1 + 3 } else { expected - 2 + 2 };
        assert_eq!(*byte_offset, expected, "{name}");
    }
    sandbox.write("latin.txt", b"\xe9\n\xe9 foo");
    let arguments = ["grep", "--json", "-E", "latin1", "foo", "latin.txt"];
    let records = Found::all(&sandbox.run(&arguments).succeeds());
    assert!(matches!(records[0], Found::Match { byte_offset: 4, column: 3, .. }), "{records:?}");
}

#[test]
fn matches_can_be_read_for_any_file_name() {
    let sandbox = Sandbox::new();
    for name in ["a b.md", "c:3.md", "d:7: e.md", "-f.md", "it's.md"] {
        sandbox.write(name, "# A\nfoo\n# B\n");
    }
    let hits = sandbox.run(&["grep", "-k", "foo", "."]).succeeds();
    assert_eq!(hits.text().lines().count(), 5);
    let read = sandbox.run_with_input(&["read", "--addresses-from", "-"], &hits.stdout);
    assert_eq!(read.succeeds().text().matches("foo").count(), 5);
}

#[cfg(target_os = "linux")]
#[test]
fn nul_separated_pairs_support_any_file_name() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::new();
    for name in [&b"a\nb.md"[..], b"\xff.md", b"c:1\n.md"] {
        sandbox.write(std::ffi::OsStr::from_bytes(name), "# A\nfoo\nbar\n");
    }
    let hits = sandbox.run(&["grep", "-k", "-0", "foo", "."]).succeeds();
    assert_eq!(hits.stdout.split(|&byte| byte == 0).count(), 7);
    let read = sandbox.run_with_input(&["read", "-0", "--addresses-from", "-"], &hits.stdout);
    assert_eq!(String::from_utf8_lossy(&read.succeeds().stdout).matches("foo\nbar").count(), 3);
}

#[test]
fn paths_lines_and_matches_are_colored() {
    let outcome = work().run(&["grep", "--color", "always", "-H", "bar", "plain.txt"]).succeeds();
    let text = outcome.text();
    assert!(text.contains("\u{1b}[35mplain.txt") && text.contains("\u{1b}[31;1mbar"), "{text:?}");
}

#[test]
fn many_matches_are_printed_in_order() {
    let sandbox = Sandbox::new();
    for number in 0..300 {
        sandbox.write(format!("{:02}/{number}.md", number % 17), "# A\nfoo\n".repeat(number));
    }
    let by_one_thread = sandbox.run(&["grep", "-k", "-j1", "foo"]).succeeds().stdout;
    for _ in 0..3 {
        sandbox.run(&["grep", "-k", "-j8", "foo"]).succeeds().prints(&by_one_thread);
    }
}

#[test]
fn more_matches_than_fit_in_the_buffer_are_printed() {
    let text = "# A\nfoo and some more text to fill the line\n".repeat(120_000);
    let sandbox = Sandbox::with(&[("a.md", &text)]);
    let output = sandbox.run(&["grep", "-k", "foo", "a.md"]).succeeds().text();
    assert_eq!(output.lines().count(), 120_000);
    let right =
        |(index, line): (usize, &str)| line.starts_with(&format!("a.md:{}:", index * 2 + 2));
    assert!(output.lines().enumerate().all(right));
}

#[test]
fn notes_count_correctly() {
    let sandbox = Sandbox::with(&[("a.txt", "foo\nfoo\n"), ("b.txt", "foo\n")]);
    let remark = |arguments: &[&str]| sandbox.run(&[&["grep", "foo"], arguments].concat());
    remark(&["--max-total", "1"]).tells("stopped after 1 matching line;");
    remark(&["--max-total", "2"]).tells("stopped after 2 matching lines;");
    remark(&["-m1", "--totals"]).tells("2 of 3 matching lines shown");
    remark(&["-l", "--max-total", "1"]).tells("stopped after 1 file;");
    remark(&["-l", "--max-total", "1", "--totals"]).tells("showing 1 file; 3 matches in all");
    sandbox.run(&["read", "--max-lines", "1", "a.txt"]).tells("truncated after 1 line;");
    sandbox.run(&["inspect", "b.txt"]).tells("(text, 1 line)");
}

#[test]
fn more_context_than_exists_prints_all_lines() {
    let most = usize::MAX.to_string();
    let sandbox = Sandbox::with(&[("a.txt", "1\nfoo\n3\n")]);
    sandbox
        .run(&["grep", "-C", &most, "foo"])
        .succeeds()
        .prints("a.txt-1-1\na.txt:2:foo\na.txt-3-3\n");
    sandbox.run(&["grep", "--json", "-k", "-C", &most, "foo"]).succeeds();
    sandbox.run(&["inspect", "--mode=search", "--query=foo", "-C", &most, "a.txt"]).succeeds();
}

#[test]
fn a_count_below_a_limit_is_marked_as_incomplete() {
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", "foo\nfoo\nfoo\n");
    for flags in [&["-c", "-m1"][..], &["-m1"]] {
        let arguments = [&["grep", "--json", "foo", "a.txt"][..], flags].concat();
        let outcome = sandbox.run(&arguments);
        let text = String::from_utf8(outcome.stdout).unwrap();
        let summary: serde_json::Value =
            serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!(summary["truncated"], true, "{flags:?}");
        assert_eq!(summary.get("totalMatches"), None, "{flags:?}");
    }
}

#[test]
fn matches_elsewhere_are_reported() {
    let sandbox = Sandbox::with(&[
        ("d/a.md", "# A\n\nword\n\n# B\n\n```\nx\n```\n"),
        ("d/b.md", "word\n"),
        ("d/c.md", "other\n"),
    ]);
    let errors_of = |line: &str| {
        let arguments: Vec<&str> = line.split(' ').collect();
        sandbox.run(&arguments).exits(1).prints("").errors()
    };
    let nowhere = "folio grep: note: matches in 2 files, but none in a section 'Nope'\n";
    assert_eq!(errors_of("grep --in Nope word d"), nowhere);
    assert_eq!(errors_of("grep --in B word d"), nowhere.replace("Nope", "B"));
    assert!(errors_of("grep --only-code word d").contains("in 2 files, but none in code"));
    assert!(
        errors_of("grep --outside-code x d/a.md").contains("in 1 file, but none outside of code")
    );
    assert_eq!(errors_of("grep --in Nope absent d"), "");
    assert_eq!(errors_of("grep -q --in Nope word d"), "");
    sandbox.run(&["grep", "--in", "A", "word", "d"]).succeeds();
}

#[test]
fn whitespace_can_be_made_visible() {
    let sandbox = Sandbox::with(&[("a.txt", "a\tfoo\u{a0}b  \r\nx\nfoo\n")]);
    let grep = |words: &[&str]| sandbox.run(&[&["grep", "--show-whitespace"], words].concat());
    grep(&["foo", "a.txt"]).succeeds().prints("1:a→\tfoo<U+00A0>b··␍␊\n3:foo␊\n");
    grep(&["-o", "foo.b", "a.txt"]).succeeds().prints("1:foo<U+00A0>b\n");
    let painted = grep(&["--color", "always", "-N", "foo.b", "a.txt"]).succeeds().text();
    assert!(painted.contains("→\t\u{1b}[31;1mfoo<U+00A0>b\u{1b}[0m··␍␊\n"), "{painted:?}");
    grep(&["--json", "foo"]).exits(2).tells("--show-whitespace cannot be used with --json");
}

#[track_caller]
fn on_terminal(sandbox: &Sandbox, arguments: &[&str], expected: &str) {
    let mut command = sandbox.command();
    command.arg("grep").args(arguments).env("NO_COLOR", "1").env("TERM", "xterm");
    assert_eq!(terminal::printed(&mut command), expected, "{arguments:?}");
}

#[test]
fn on_a_terminal_matches_are_grouped_by_file() {
    let sandbox = tree();
    let grouped = "docs/a.md\n3:foo one\n\ndocs/b.md\n3:foo two\n\ndocs/deep/c.md\n1:foo three\n";
    on_terminal(&sandbox, &["foo", "docs"], grouped);
    on_terminal(&sandbox, &["-k", "foo", "docs"], grouped);
    on_terminal(&sandbox, &["foo", "docs/a.md"], "3:foo one\n");
    on_terminal(&sandbox, &["-I", "foo", "docs/a.md", "docs/b.md"], "3:foo one\n3:foo two\n");
    on_terminal(&sandbox, &["-l", "foo", "docs/a.md", "docs/b.md"], "docs/a.md\ndocs/b.md\n");
    on_terminal(&sandbox, &["-c", "foo", "docs/a.md", "docs/b.md"], "docs/a.md:1\ndocs/b.md:1\n");
    let context = ["-B1", "foo", "docs/a.md", "docs/b.md"];
    on_terminal(&sandbox, &context, "docs/a.md\n2-\n3:foo one\n\ndocs/b.md\n2-\n3:foo two\n");
    let whole = "==> docs/a.md:1-3 <==\n# A\n\nfoo one\n\n==> docs/b.md:1-3 <==\n# B\n\nfoo two\n";
    on_terminal(&sandbox, &["-W", "foo", "docs/a.md", "docs/b.md"], whole);
}

#[test]
fn matches_in_whole_sections_are_colored_and_a_blank_line_separates_sections() {
    let log = "# A\n\nfoo one, foo\nbar\n\n# B\n\nbar\n\n# C\n\n```\nfoo code\n```\nfoo two\n";
    let sandbox = Sandbox::with(&[("a.md", log), ("b.md", "# D\nfoo\n\n"), ("c.md", "foo")]);
    let painted = |arguments: &[&str]| {
        let line = [&["grep", "-W", "--color", "always"], arguments].concat();
        let text = sandbox.run(&line).succeeds().text();
        text.replace("\u{1b}[31;1m", "<").replace("\u{1b}[0m", ">")
    };
    let shown = painted(&["foo", "a.md", "--outside-code"]);
    assert!(shown.contains("\n<foo> one, <foo>\nbar\n\n==> "), "{shown:?}");
    // Text that is not a match is not highlighted.
    assert!(shown.contains("\nfoo code\n```\n<foo> two\n"), "{shown:?}");
    assert!(!painted(&["-v", "foo", "a.md"]).contains("<foo"));
    let plain = "==> b.md:1-3 <==\n# D\nfoo\n\n==> c.md:1 <==\nfoo\n";
    for jobs in ["1", "2"] {
        sandbox.run(&["grep", "-W", "-j", jobs, "foo", "b.md", "c.md"]).succeeds().prints(plain);
    }
    let turned = "==> c.md:1 <==\nfoo\n\n==> b.md:1-3 <==\n# D\nfoo\n\n";
    sandbox.run(&["grep", "-W", "foo", "c.md", "b.md"]).succeeds().prints(turned);
    let limited = ["grep", "-W", "--max-total", "2", "foo", "b.md", "c.md"];
    sandbox.run(&limited).succeeds().prints(plain);
}

#[test]
fn on_a_terminal_control_characters_are_escaped() {
    let sandbox = Sandbox::with(&[("a\u{1b}[2J.md", "foo \u{1b}[31m \u{202e}x\n")]);
    let mut command = sandbox.command();
    command.args(["grep", "foo", "."]).env("NO_COLOR", "1").env("TERM", "xterm");
    let printed = terminal::printed(&mut command);
    assert!(!printed.contains(['\u{1b}', '\u{202e}']), "{printed:?}");
    assert!(printed.contains("[2J.md\n1:foo "), "{printed:?}");
}

#[test]
fn on_a_terminal_names_lines_and_matches_are_colored() {
    let sandbox = tree();
    let mut command = sandbox.command();
    command.args(["grep", "-i", "FOO|two", "docs/a.md", "docs/b.md"]).env("TERM", "xterm");
    let printed = terminal::printed(&mut command);
    let expected = "\u{1b}[35mdocs/a.md\u{1b}[0m\n\u{1b}[32m3\u{1b}[0m:\
                    \u{1b}[31;1mfoo\u{1b}[0m one\n\n\
                    \u{1b}[35mdocs/b.md\u{1b}[0m\n\u{1b}[32m3\u{1b}[0m:\
                    \u{1b}[31;1mfoo\u{1b}[0m \u{1b}[31;1mtwo\u{1b}[0m\n";
    assert_eq!(printed, expected);
}
