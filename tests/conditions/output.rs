//! Selected parts as addresses, records and outlines, and messages if no part meets the conditions.

use serde_json::json;

use super::{FIRST, inspect, sandbox};
use crate::support::records::check_schema;
use crate::support::{Sandbox, outcome, utf16};

#[test]
fn parts_are_printed_after_their_addresses() {
    let deep = ["--level", "4", "--matching", "Alpha"];
    let path = "KEP-1 > Design > Graduation Criteria > Alpha";
    inspect(&[&deep[..], &["keps"]].concat())
        .succeeds()
        .prints(format!("keps/1.md:13-16:{path}\n"));
    let nul = inspect(&[&deep[..], &["-0", "keps"]].concat()).succeeds();
    nul.prints(format!("keps/1.md:13-16\0{path}\0"));
    let code = inspect(&["--kind", "code", "keps/3.md"]).succeeds();
    code.prints(
        "keps/3.md:6-8:KEP-3 > Graduation Criteria > Alpha > code 0\n\
                 keps/3.md:10-12:KEP-3 > Notes > code sh:0\n",
    );
    let two = ["--level", "2", "docs"];
    inspect(&[&["-l"], &two[..]].concat())
        .succeeds()
        .prints("docs/guide.md\ndocs/more.md\ndocs/other.md\n");
    inspect(&[&["-l0"], &two[..]].concat())
        .succeeds()
        .prints("docs/guide.md\0docs/more.md\0docs/other.md\0");
    inspect(&[&["-c"], &two[..]].concat())
        .succeeds()
        .prints("docs/guide.md:1\ndocs/more.md:3\ndocs/other.md:1\n");
}

#[test]
fn parts_are_records_in_json() {
    let value =
        inspect(&["--json", "--level", "4", "--matching", "Beta", "keps"]).succeeds().json();
    let expected = json!({
        "address": "keps/1.md:17-20", "filePath": "keps/1.md", "kind": "heading", "name": "Beta",
        "path": ["KEP-1", "Design", "Graduation Criteria", "Beta"], "level": 4, "anchor": "beta",
        "startLine": 17, "endLine": 20,
    });
    assert_eq!(value, expected);
    let count = inspect(&["--json", "-c", "--level", "4", "keps"]).succeeds().json();
    assert_eq!(count, json!({"address": "keps/1.md", "filePath": "keps/1.md", "count": 2}));
    let kinds = "file,front-matter,section,key,code,table";
    for value in inspect(&["--json", "--kind", kinds, "."]).succeeds().json_lines() {
        check_schema("inspect", &value);
    }
    check_schema("inspect", &expected);
    check_schema("inspect", &count);
}

#[test]
fn parts_are_selected_in_any_encoding_and_in_standard_input() {
    let sandbox = sandbox();
    sandbox.write("wide.md", utf16(FIRST, true));
    let arguments = ["inspect", "--level", "3", "--containing", "moves"];
    let run = |more: &str| sandbox.run(&[&arguments[..], &[more]].concat()).succeeds();
    run("wide.md").prints("wide.md:11-20:KEP-1 > Design > Graduation Criteria\n");
    let input = sandbox.run_with_input(&[&arguments[..], &["-"]].concat(), FIRST);
    input.succeeds().prints("-:11-20:KEP-1 > Design > Graduation Criteria\n");
    run("wide.md:1-15").prints("wide.md:11-20:KEP-1 > Design > Graduation Criteria\n");
    sandbox.run(&[&arguments[..], &["wide.md:12-15"]].concat()).exits(1);
}

#[test]
fn parts_are_selected_in_a_document_larger_than_the_buffer() {
    let filler = "filler text\n".repeat(20_000);
    let text = format!("# A\n{filler}## B\n<!-- beta\n\n{filler}-->\n## C\n{filler}beta\n# D\n");
    let sandbox = Sandbox::with(&[("big.md", &text)]);
    let arguments = ["inspect", "--containing", "beta", "--innermost", "big.md"];
    sandbox.run(&arguments).succeeds().prints("big.md:40006-60007:A > C\n");
}

#[test]
fn a_miss_names_the_condition_that_no_part_meets() {
    let miss = |arguments: &[&str], message: &str, hint: &str| {
        inspect(&[arguments, &["keps"]].concat()).exits(1).tells(message).tells(hint);
    };
    let all = "folio inspect keps  # all parts";
    miss(&["--matching", "Zeta"], "none of 17 parts meets --matching Zeta", all);
    miss(
        &["--matching", "Graduation", "--having", "Zeta"],
        "none of 3 parts left by the previous conditions meets --having Zeta",
        "folio inspect --matching Graduation keps",
    );
    miss(&["--containing", "zeta"], "no line in 3 files matches --containing zeta", all);
    miss(
        &["--level", "3", "--containing", "mention"],
        "--containing mention matches in 1 file, but outside the selected parts",
        "--include-code --include-comments  # code and comments are not searched",
    );
    miss(&["--with-key", "zeta"], "none of 3 files meets --with-key zeta", all);
    miss(&["--kind", "table"], "no part that meets --kind table in 3 files", all);
}

#[test]
fn conflicting_conditions_are_refused() {
    for (arguments, message) in [
        (&["--across", "--matching", "a"][..], "--across needs"),
        (&["--include-code", "--matching", "a"], "--include-code needs"),
        (&["--matching", "("], "--matching: the pattern is not valid"),
        (&["--matching", ""], "--matching is empty"),
        (&["--nth", "0"], "--nth starts at 1"),
        (&["--first", "--last"], "--first cannot be used with --last"),
        (&["--level", "7"], "--level: '7' is not a level"),
        (&["--level", "3-2"], "--level: '3-2' is not a level"),
        (&["--since", "tomorrow"], "--since: 'tomorrow' is not a time"),
        (&["--since", "2026-01-05", "--until", "2026-01-04"], "--until is before --since"),
        (&["--kind", "code", "--level", "2"], "--level cannot be used with --kind code"),
        (&["--kind", "code", "--having", "a"], "--having cannot be used with --kind code"),
        (&["--lang", "sh", "--kind", "heading"], "--lang cannot be used with --kind heading"),
        (&["-l"], "--files-with-matches needs a condition"),
        (&["-c"], "--count needs a condition"),
        (&["--matching", "a", "--only", "code"], "--only cannot be used with conditions on parts"),
        (&["--matching", "a", "--anchors"], "--anchors cannot be used with conditions on parts"),
        (
            &["--matching", "a", "--mode", "search", "--query", "b"],
            "--mode search cannot be used with conditions",
        ),
    ] {
        inspect(&[arguments, &["docs"]].concat()).exits(2).tells(message);
    }
}

#[test]
fn parent_headings_are_always_named() {
    let plain = inspect(&["--level", "4", "keps/1.md"]).exits(0).text();
    assert!(plain.contains(" > "), "{plain}");
    inspect(&["--level", "4", "keps/1.md", "--breadcrumbs"]).exits(0).prints(plain);
}

#[test]
fn a_failing_file_does_not_affect_others() {
    let outcome = inspect(&["--level", "4", "gone.md", "keps/1.md"]).exits(2);
    assert_eq!(outcome.text().lines().count(), 2, "{outcome}");
    outcome.tells("gone.md");
}

/// Checks that every command on the page runs unchanged and selects something.
#[test]
fn the_examples_of_the_page_work() {
    let sandbox = sandbox();
    sandbox.write("src/lib.rs", "pub fn main() {}\n");
    let page = sandbox.run(&["help", "selecting"]).succeeds().text();
    let commands: Vec<&str> =
        page.lines().filter_map(|line| line.strip_prefix("    folio ")).collect();
    let help = sandbox.run(&["inspect", "--help"]).succeeds().text();
    let (_, conditions) = help.split_once("Selecting parts").unwrap();
    let (conditions, _) = conditions.split_once("\nOutput:").unwrap();
    let flags = conditions.lines().filter_map(|line| line.split_whitespace().next());
    for flag in flags.filter(|word| word.starts_with("--")) {
        let has = |command: &&str| command.split([' ', '=']).any(|word| word == flag);
        assert!(commands.iter().any(has), "no example of {flag}");
    }
    for command in commands {
        let folio = env!("CARGO_BIN_EXE_folio");
        let script = format!("{folio} {command}").replace("| folio", &format!("| {folio}"));
        let outcome = outcome(sandbox.command_of("sh").args(["-c", &script]), b"");
        assert!(outcome.status == Some(0) && !outcome.stdout.is_empty(), "{command}\n{outcome}");
    }
}

#[test]
fn an_outline_with_conditions_lists_headings() {
    let sandbox = Sandbox::with(&[("a.md", "# Foo\n\n```foo\n```\n\n## Bar\n\n### Foo 2\n")]);
    let named = sandbox.run(&["inspect", "--kind", "heading", "--matching", "Foo", "a.md"]);
    sandbox.run(&["inspect", "-O", "--matching", "Foo", "a.md"]).prints(named.text());
    sandbox.run(&["inspect", "-O", "--kind", "code", "--matching", "Foo", "a.md"]).exits(2);
}

/// Without `--kind`, only sections are selected.
#[test]
fn a_miss_names_the_option_for_other_log_entries() {
    let text = "# Journal\n\n[INC-1] [P2] a\n\n[INC-2] [P1] b\nmore\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let read = ["read", "a.md", "--matching", r"\[P1\]"];
    let option = r"--section-pattern '^\[[A-Z]+-[0-9]+\]'  # to select 1 part";
    sandbox.run(&read).exits(1).tells(option);
    let named = [&read[..], &["--section-pattern", r"^\[[A-Z]+-[0-9]+\]"]].concat();
    assert!(sandbox.run(&named).succeeds().text().ends_with("\n[INC-2] [P1] b\nmore\n"));
}

#[test]
fn a_miss_says_that_keys_meet_the_conditions() {
    let sandbox = Sandbox::with(&[
        ("docs/a.md", "---\n# Draft\ntags: make\n---\n# A\n\ntext\n"),
        ("conf/a.toml", "[server]\nport = 1\n"),
        ("conf/b.yaml", "port: 2\n"),
    ]);
    let keys = " --kind key  # to select 1 part\n";
    sandbox.run(&["inspect", "--containing", "make", "docs"]).exits(1).tells(keys);
    sandbox.run(&["read", "--matching", "^tags$", "docs"]).exits(1).tells(keys);
    sandbox.run(&["inspect", "--kind", "key", "--matching", "^tags$", "docs"]).succeeds();
    let front_matter = " --kind front-matter  # to select 1 part\n";
    sandbox.run(&["inspect", "--containing", "Draft", "docs"]).exits(1).tells(front_matter);
    let edit = ["patch", "delete", "conf", "--matching", "port$"];
    sandbox.run(&edit).exits(1).tells(" --kind key  # to select 2 parts\n");
    let outline = sandbox.run(&["inspect", "-O", "--containing", "make", "docs"]).exits(1);
    outline.tells(" --kind key  # to select 1 part instead of headings and sections\n");
    for conditions in [["--matching", "no"], ["--containing", "no"], ["--having", "tags"]] {
        let run = sandbox.run(&[&["inspect"], &conditions[..], &["docs"]].concat()).exits(1);
        assert!(!run.errors().contains("--kind"), "{run}");
    }
}
