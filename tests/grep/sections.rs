//! The sections of matches: hints, blocks, breadcrumbs and scopes.

use super::{WORK, found, work};
use crate::support::records::{File, Found, Heading, Record};
use crate::support::{Outcome, Sandbox};

#[track_caller]
fn check(arguments: &[&str], expected: &str) {
    work().run(&[&["grep"], arguments].concat()).succeeds().prints(expected);
}

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
    let custom = &["-k", "--section-pattern", "^foo", "--section-pattern", r"^\[LOG-002"];
    check(
        &[custom, &["text|end|Next", "WORK.md"][..]].concat(),
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

#[test]
fn json_names_the_section_of_each_match() {
    let sandbox = Sandbox::with(&[("a.md", "# A\nfoo\n"), ("b.rs", "// foo\n")]);
    let records = Found::all(&sandbox.run(&["grep", "--json", "foo", "a.md", "b.rs"]));
    let Found::Match { address, section, nearest_heading, .. } = &records[0] else {
        panic!("{records:?}");
    };
    let section = section.as_ref().expect("a section");
    assert_eq!((section.start_line, section.end_line), (1, 2));
    assert_eq!(nearest_heading.as_ref().map(|heading| heading.line), Some(1));
    // The address is that of the line, unless sections are requested.
    assert_eq!(*address, "a.md:2");
    assert!(matches!(&records[1], Found::Match { section: None, .. }), "{records:?}");
    // A long stream is printed as it is read, so its sections are not known.
    let long = format!("# A\nfoo\n{}", "text\n".repeat(1 << 18));
    let streamed = sandbox.run_with_input(&["grep", "--json", "foo", "-"], long);
    assert!(matches!(&Found::all(&streamed)[0], Found::Match { section: None, .. }), "{streamed}");
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
fn lines_are_selected_also_if_their_numbers_are_not_printed() {
    let text = "# A\n\n```sh\nbeta\n```\n\nbeta 2\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    sandbox.run(&["grep", "-N", "beta", "a.md:7"]).succeeds().prints("beta 2\n");
    sandbox.run(&["grep", "-N", "beta", "a.md", "--kind", "code"]).succeeds().prints("beta\n");
}
