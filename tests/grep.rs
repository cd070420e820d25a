//! `folio grep`: matches and their sections, as text and as JSON. `differential` compares the
//! features that ripgrep also has.

use crate::support::records::{File, Found, Heading, Record};
use crate::support::{Outcome, Sandbox, utf16};

const WORK: &str = "\
# Work

intro foo

## Log

[LOG-001] - [DECISION] foo
text
### Sub
foo in sub
[LOG-002] - x
foo end
```
foo in code
# not foo
```
## Next
foo
";

const APP: &str = "root = foo\n\n[database]\nhost = foo\n\n[cache]\nhost = foo\n";

fn work() -> Sandbox {
    Sandbox::with(&[("WORK.md", WORK), ("app.ini", APP), ("plain.txt", "foo\nbar foo\n")])
}

#[track_caller]
fn check(arguments: &[&str], expected: &str) {
    work().run(&[&["grep"], arguments].concat()).succeeds().prints(expected);
}

fn found(arguments: &[&str]) -> Vec<Found> {
    Found::all(&work().run(&[&["grep", "--json"], arguments].concat()).succeeds())
}

// Sections.

#[test]
fn hints_are_addresses_to_the_end_of_the_section() {
    check(
        &["-k", "foo", "WORK.md"],
        "WORK.md:3-18:intro foo\nWORK.md:7-10:[LOG-001] - [DECISION] foo\n\
         WORK.md:10:foo in sub\nWORK.md:12-16:foo end\nWORK.md:14-16:foo in code\n\
         WORK.md:15-16:# not foo\nWORK.md:18:foo\n",
    );
    check(
        &["-k", "foo", "app.ini"],
        "app.ini:1-2:root = foo\napp.ini:4-5:host = foo\napp.ini:7:host = foo\n",
    );
    check(&["-k", "foo", "plain.txt"], "plain.txt:1:foo\nplain.txt:2:bar foo\n");
    check(&["-k", "-I", "end", "WORK.md"], "12-16:foo end\n");
    check(
        &["-k", "-C", "1", "end", "WORK.md"],
        "WORK.md-11-[LOG-002] - x\nWORK.md:12-16:foo end\nWORK.md-13-```\n",
    );
}

#[test]
fn blocks_name_the_boundary() {
    check(
        &["--style", "blocks", r"DECISION|end|^foo$", "WORK.md"],
        "File: WORK.md, Line: 7, Section-End-Hint: 10 (next: ^\\[LOG-)\n---\n\
         [LOG-001] - [DECISION] foo\n---\n\
         File: WORK.md, Line: 12, Section-End-Hint: 16 (next: ^## )\n---\nfoo end\n---\n\
         File: WORK.md, Line: 18, Section-End-Hint: 18 (next: end of file)\n---\nfoo\n---\n",
    );
    check(
        &["--style", "blocks", "bar", "plain.txt"],
        "File: plain.txt, Line: 2\n---\nbar foo\n---\n",
    );
    check(
        &["--style", "blocks", "cache", "app.ini"],
        "File: app.ini, Line: 6, Section-End-Hint: 7 (next: end of file)\n---\n[cache]\n---\n",
    );
}

#[test]
fn blocks_name_the_end_of_a_section_without_a_next_line() {
    let text = "> # Quoted\n> foo\n\nfoo\n\n- # Listed\n\n  foo\n\ntext\n\n> # Last\n> foo\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let blocks = sandbox.run(&["grep", "--style", "blocks", "foo", "a.md"]).succeeds().text();
    let ends: Vec<&str> = blocks.lines().filter(|line| line.starts_with("File")).collect();
    assert_eq!(
        ends,
        [
            "File: a.md, Line: 2, Section-End-Hint: 2 (next: end of the quote)",
            "File: a.md, Line: 4, Section-End-Hint: 5 (next: ^# )",
            "File: a.md, Line: 8, Section-End-Hint: 8 (next: end of the list item)",
            "File: a.md, Line: 13, Section-End-Hint: 13 (next: end of file)",
        ]
    );
}

#[test]
fn custom_patterns_replace_other_section_starts() {
    let own = &["-k", "--section-pattern", "^foo", "--section-pattern", r"^\[LOG-002"];
    check(
        &[own, &["text|end|Next", "WORK.md"][..]].concat(),
        "WORK.md:8-9:text\nWORK.md:12-17:foo end\nWORK.md:17:## Next\n",
    );
    let blocks = &["--style", "blocks", "--section-pattern", "^foo", "Sub", "WORK.md"];
    check(blocks, "File: WORK.md, Line: 9, Section-End-Hint: 9 (next: ^foo)\n---\n### Sub\n---\n");
}

#[test]
fn whole_sections_are_printed_once() {
    check(
        &["-W", "foo in|end", "WORK.md"],
        "==> WORK.md:9-10 <==\n### Sub\nfoo in sub\n\n==> WORK.md:11-16 <==\n\
         [LOG-002] - x\nfoo end\n```\nfoo in code\n# not foo\n```\n",
    );
    check(&["-W", "foo", "WORK.md"], &format!("==> WORK.md:1-18 <==\n{WORK}"));
    check(
        &["-W", "host", "app.ini", "plain.txt"],
        "==> app.ini:3-5 <==\n[database]\nhost = foo\n\n\
         ==> app.ini:6-7 <==\n[cache]\nhost = foo\n",
    );
    check(&["-W", "bar", "."], "==> plain.txt:2 <==\nbar foo\n");
}

#[test]
fn a_section_or_code_limits_the_search() {
    check(
        &["--in", "log", "foo", "WORK.md"],
        "7:[LOG-001] - [DECISION] foo\n10:foo in sub\n12:foo end\n14:foo in code\n15:# not foo\n",
    );
    check(&["--in", "LOG-002", "--outside-code", "foo", "WORK.md"], "12:foo end\n");
    check(&["--only-code", "foo", "WORK.md"], "14:foo in code\n15:# not foo\n");
    check(&["--outside-code", "-c", "foo", "WORK.md"], "5\n");
    check(
        &["--only-code", "-m1", "-C1", "foo", "WORK.md"],
        "13-```\n14:foo in code\n15-# not foo\n",
    );
    check(&["--in", "cache", "foo", "."], "app.ini:7:host = foo\n");
    check(&["--in", "Log", "-l", "foo"], "WORK.md\n");
    let miss = work().run(&["grep", "--in", "Lug", "foo", "WORK.md"]).exits(1);
    miss.tells("no section 'Lug'");
    let sandbox = Sandbox::with(&[("a.md", "# A\nfoo\n# A\nfoo\n")]);
    sandbox.run(&["grep", "--in", "A", "foo", "a.md"]).exits(3).tells("A[1]");
    sandbox.run(&["grep", "--in", "A", "foo", "."]).succeeds().prints("a.md:2:foo\na.md:4:foo\n");
}

#[test]
fn hints_never_change_which_lines_match() {
    let sandbox = work();
    for flags in [&["foo"][..], &["-v", "foo"], &["-m1", "foo"], &["-i", "-w", "FOO"]] {
        let lines = |outcome: Outcome| -> Vec<String> {
            outcome.text().lines().map(|line| line.splitn(3, ':').last().unwrap().into()).collect()
        };
        let plain = lines(sandbox.run(&[&["grep"], flags].concat()));
        let hinted = lines(sandbox.run(&[&["grep", "-k"], flags].concat()));
        assert_eq!(plain, hinted, "{flags:?}");
    }
}

/// Checks that the section of every line is the innermost section that `inspect` lists.
#[test]
fn sections_are_the_same_as_in_inspect() {
    let mut text = String::new();
    for number in 0..12_000_u32 {
        match number.wrapping_mul(2_654_435_761) >> 28 {
            0 => text.push_str("## Heading x\n"),
            1 => text.push_str("# Top x\n"),
            2 => text.push_str("```\n# x in code\n```\n"),
            3 => text.push_str("[LOG-1] x\n"),
            4 => text.push_str("Setext x\n---\n"),
            5 => text.push_str("#### Deep x\n"),
            6 => text.push_str("> # Quoted x\n> x\n\n"),
            _ => text.push_str("text x and more of it, so that blocks are many\n\n"),
        }
    }
    let sandbox = Sandbox::with(&[("a.md", &text)]);
    let file = File::one(&sandbox.run(&["inspect", "--json", "a.md"]).succeeds());
    let mut sections: Vec<(u64, u64)> = Vec::new();
    fn gather(headings: &[Heading], sections: &mut Vec<(u64, u64)>) {
        for heading in headings {
            sections.push((heading.line, heading.end_line));
            gather(heading.children.as_deref().unwrap_or_default(), sections);
        }
    }
    gather(file.structure.headings.as_deref().unwrap(), &mut sections);
    let entries = file.structure.sections.unwrap();
    sections.extend(entries.iter().map(|entry| (entry.line, entry.end_line)));
    let records = Found::all(&sandbox.run(&["grep", "-k", "--json", "x", "a.md"]).succeeds());
    assert!(records.len() > 9000);
    // Single matches are also searched for, so that outlines end early.
    let lines = text.lines().count();
    for record in &records {
        let Found::Match { line, section, .. } = record else { continue };
        let around = sections.iter().filter(|(start, end)| (*start..=*end).contains(line));
        let Some(innermost) = around.min_by_key(|(start, end)| end - start) else { continue };
        let section = section.as_ref().unwrap();
        assert_eq!((section.start_line, section.end_line), *innermost, "line {line} of {lines}");
    }
    for limit in ["1", "2", "50", "700", "5000"] {
        let some = sandbox.run(&["grep", "-k", "-m", limit, "x", "a.md"]).succeeds().text();
        let all = sandbox.run(&["grep", "-k", "x", "a.md"]).succeeds().text();
        assert!(all.starts_with(&some), "{limit}");
    }
}

// JSON.

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
        let told = records.iter().filter(|record| matches!(record, Found::Match { .. })).count();
        match records.last().unwrap() {
            Found::Summary { matches, total_matches, truncated, .. } => {
                assert_eq!((*matches, *total_matches, *truncated), expected, "{flags:?}");
                assert!(flags.contains(&"-c") || *matches == Some(told as u64), "{flags:?}");
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
fn whole_sections_are_in_the_first_record_that_has_them() {
    let records = found(&["-W", "foo in|end", "WORK.md"]);
    let contents: Vec<bool> = records
        .iter()
        .filter_map(|record| match record {
            Found::Match { section, .. } => Some(section.as_ref()?.content.is_some()),
            _ => None,
        })
        .collect();
    assert_eq!(contents, [true, true, false]);
}

// Addresses.

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

// Errors.

#[test]
fn invalid_patterns_show_the_position() {
    let sandbox = work();
    sandbox.run(&["grep", "a(b"]).exits(2).tells("unclosed group");
    sandbox.run(&["grep", r"\w{1000}{1000}"]).exits(2).tells("more than 10 MiB");
    sandbox.run(&["grep", "-P", "foo"]).exits(2).tells("look-around");
    sandbox.run(&["grep", "--section-pattern", "(", "foo"]).exits(2).tells("--section-pattern");
    sandbox.run(&["grep"]).exits(2).tells("pattern");
    sandbox
        .run(&["grep", "a\nb"])
        .exits(2)
        .tells("--multiline")
        .tells("the pattern contains a line ending");
    sandbox.run(&["grep", "--in", "", "foo"]).exits(2).tells("--in is empty");
    sandbox.run(&["read", "--in", "", "--head", "1", "WORK.md"]).exits(2).tells("--in is empty");
    let error = sandbox.run(&["grep", "--json", "a(b"]).exits(2).json_error();
    assert_eq!(error.code, "INVALID_PATTERN");
}

#[test]
fn patterns_may_begin_with_a_hyphen() {
    let sandbox = Sandbox::with(&[("a.txt", "-foo\n--bar\n")]);
    sandbox.run(&["grep", "-e", "-foo", "a.txt"]).succeeds().prints("1:-foo\n");
    sandbox.run(&["grep", "--", "--bar", "a.txt"]).succeeds().prints("2:--bar\n");
    sandbox.run(&["grep", "--regexp", "--bar", "a.txt"]).succeeds().prints("2:--bar\n");
    let own = ["grep", "-k", "--section-pattern", "--bar", "-e", "-foo", "a.txt"];
    sandbox.run(&own).succeeds().prints("a.txt:1:-foo\n");
}

#[test]
fn unreadable_files_are_reported_and_the_others_searched() {
    let sandbox = work();
    let outcome = sandbox.run(&["grep", "bar", "missing.md", "plain.txt"]).exits(2);
    assert_eq!(outcome.text(), "plain.txt:2:bar foo\n");
    outcome.tells("'missing.md': No such file");
    sandbox.run(&["grep", "-q", "bar", "missing.md", "plain.txt"]).exits(0).tells("missing.md");
    sandbox.run(&["grep", "-q", "zzz", "missing.md", "plain.txt"]).exits(2).tells("missing.md");
    sandbox.run(&["grep", "zzz"]).exits(1);
    sandbox.run(&["grep", "plain.txt"]).exits(1).tells("folio grep PATTERN plain.txt");
    std::os::unix::fs::symlink(".", sandbox.path("loop")).unwrap();
    sandbox.run(&["grep", "-L", "bar"]).exits(2).tells("loop");
    sandbox.run(&["grep", "bar"]).succeeds().prints("plain.txt:2:bar foo\n");
}

#[test]
fn conflicting_options_are_refused() {
    let sandbox = work();
    for (flags, parts) in [
        (&["-k", "-N"][..], ["--section-hints", "--no-line-number"]),
        (&["-W", "-c"], ["--section-context", "--count"]),
        (&["-k", "--null-data"], ["--section-hints", "--null-data"]),
        (&["--files-without-match", "--max-total=1"], ["--files-without-match", "--max-total"]),
        (&["--only-code", "--outside-code"], ["--only-code", "--outside-code"]),
    ] {
        let outcome = sandbox.run(&[&["grep", "foo"], flags].concat()).exits(2);
        for part in parts {
            assert!(outcome.errors().contains(part), "{outcome}");
        }
    }
}

// Input and output.

#[test]
fn standard_input_is_searched_without_a_path() {
    let sandbox = work();
    sandbox.run_with_input(&["grep", "foo"], "a\nfoo\n").succeeds().prints("2:foo\n");
    let hits = sandbox.run_with_input(&["grep", "-k", "foo", "-"], "# A\nfoo\n# B\n");
    hits.succeeds().prints("-:2:foo\n");
    sandbox.run_with_input(&["grep", "-f", "-", "-c"], "foo\nhost").succeeds();
}

#[test]
fn recursion_flags_change_nothing() {
    let plain = work().run(&["grep", "foo"]).stdout;
    work().run(&["grep", "-R", "foo", "."]).succeeds().prints(&plain);
}

#[test]
fn recursion_options_of_grep_are_refused_or_explained() {
    let sandbox = Sandbox::with(&[("sub/a.md", "alpha\n"), ("b.md", "alpha\n")]);
    let refused = |line: &[&str], hint: &str| {
        sandbox.run(line).exits(2).prints("").tells(hint);
    };
    let what = "-r replaces matches with 'alpha', and the pattern 'sub' is a directory\n\
                hint: folio grep alpha sub  # directories are searched without -r\n\
                hint: folio grep -r alpha sub .  # for that pattern\n";
    refused(&["grep", "-r", "alpha", "sub"], what);
    refused(&["grep", "-lir", "alpha", "."], "hint: folio grep -l -i alpha .  #");
    refused(&["grep", "-r", "-i", "sub", "--json"], r#""line":"folio grep --json -i sub""#);
    refused(&["grep", "-r", "alpha"], "hint: folio grep alpha  # directories");
    // If both interpretations are possible, a note explains the option.
    let note = "-r replaces matches in the output, as in ripgrep";
    sandbox.run(&["grep", "-rn", "alpha", "sub"]).exits(0).tells(note);
    sandbox.run(&["grep", "-r", "-e", "alpha", "sub"]).exits(0).tells(note);
    sandbox.run(&["grep", "-r", "alpha", "sub", "b.md"]).exits(1).tells(note);
    sandbox.run(&["grep", "-r", "alpha", "b.md"]).exits(1).tells(note);
    sandbox.run(&["grep", "-r", "beta", "alpha", "b.md"]).exits(0).prints("1:beta\n");
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
    let one = sandbox.run(&["grep", "-k", "-j1", "foo"]).succeeds().stdout;
    for _ in 0..3 {
        sandbox.run(&["grep", "-k", "-j8", "foo"]).succeeds().prints(&one);
    }
}

#[test]
fn more_matches_than_fit_in_the_buffer_are_printed() {
    let text = "# A\nfoo and some more text to fill the line\n".repeat(120_000);
    let sandbox = Sandbox::with(&[("a.md", &text)]);
    let told = sandbox.run(&["grep", "-k", "foo", "a.md"]).succeeds().text();
    assert_eq!(told.lines().count(), 120_000);
    let right =
        |(index, line): (usize, &str)| line.starts_with(&format!("a.md:{}:", index * 2 + 2));
    assert!(told.lines().enumerate().all(right));
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
fn code_filters_alone_print_no_heading() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "# A\nfoo\n```\nfoo\n```\n");
    for flag in ["--only-code", "--outside-code"] {
        let outcome = sandbox.run(&["grep", "--json", flag, "foo", "a.md"]);
        let text = String::from_utf8(outcome.stdout).unwrap();
        assert!(!text.contains("nearestHeading"), "{text}");
    }
}

#[test]
fn matches_elsewhere_are_reported() {
    let sandbox = Sandbox::with(&[
        ("d/a.md", "# A\n\nword\n\n# B\n\n```\nx\n```\n"),
        ("d/b.md", "word\n"),
        ("d/c.md", "other\n"),
    ]);
    let told = |line: &str| {
        let arguments: Vec<&str> = line.split(' ').collect();
        sandbox.run(&arguments).exits(1).prints("").errors()
    };
    let nowhere = "folio grep: note: matches in 2 files, but none in a section 'Nope'\n";
    assert_eq!(told("grep --in Nope word d"), nowhere);
    assert_eq!(told("grep --in B word d"), nowhere.replace("Nope", "B"));
    assert!(told("grep --only-code word d").contains("in 2 files, but none in code"));
    assert!(told("grep --outside-code x d/a.md").contains("in 1 file, but none outside of code"));
    assert_eq!(told("grep --in Nope absent d"), "");
    assert_eq!(told("grep -q --in Nope word d"), "");
    sandbox.run(&["grep", "--in", "A", "word", "d"]).succeeds();
}

#[test]
fn breadcrumbs_name_the_sections_of_a_match() {
    let sandbox = Sandbox::with(&[("a.md", "foo\n# A\n## B\nfoo\n"), ("b.txt", "foo\n")]);
    let grep = |flags: &str| {
        let flags = flags.split(' ').map(str::to_owned);
        let words: Vec<String> =
            ["grep".into(), "--breadcrumbs".into()].into_iter().chain(flags).collect();
        sandbox.run(&words).succeeds().text()
    };
    assert_eq!(grep("foo ."), "a.md:1:foo\na.md:4:A > B: foo\nb.txt:1:foo\n");
    assert_eq!(grep("-o fo a.md"), "1:fo\n4:A > B: fo\n");
    assert_eq!(grep("-B1 B a.md"), "2-# A\n3:A > B: ## B\n");
    assert_eq!(grep("-c foo a.md"), "2\n");
    let json = sandbox.run(&["grep", "--json", "--breadcrumbs", "foo", "a.md"]).succeeds();
    assert_eq!(json.json_lines()[1]["section"]["path"], serde_json::json!(["A", "B"]));
}

#[test]
fn breadcrumbs_name_the_key_of_a_match() {
    let yaml = "jobs:\n  build:\n    steps:\n      - run: foo\n      # foo\n";
    let sandbox = Sandbox::with(&[("a.yml", yaml), ("b.toml", "[a.b]\nc = 'foo'\n")]);
    let found = "a.yml:4:jobs.build.steps[0].run:       - run: foo\na.yml:5:      # foo\n\
                 b.toml:2:a.b.c: c = 'foo'\n";
    sandbox.run(&["grep", "--breadcrumbs", "foo", "."]).succeeds().prints(found);
    let json = sandbox.run(&["grep", "--json", "--breadcrumbs", "run", "a.yml"]).succeeds();
    assert_eq!(json.json_lines()[0]["key"], "jobs.build.steps[0].run");
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
