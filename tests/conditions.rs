//! Parts selected by conditions: which parts `inspect` lists, and the messages if there are none.

use std::fs::File;
use std::io::Write;
use std::process::Stdio;

use proptest::prelude::*;
use serde_json::json;

use crate::support::records::check_schema;
use crate::support::{Outcome, Sandbox, outcome, utf16};

const FIRST: &str = "\
---
title: One
status: implementable
reviewed: 2026-01-03
tags: [a, b]
---
# KEP-1

## Design

### Graduation Criteria

#### Alpha

- in code

#### Beta

- moves to beta

### Test Plan

beta

## Drawbacks
";

const SECOND: &str = "\
---
title: Two
status: implemented
---
# KEP-2

## Graduation Criteria

### Alpha

moves to beta

### GA

done

## Setup
## Setup
";

const THIRD: &str = "\
# KEP-3

## Graduation Criteria
### Alpha
<!-- mention beta here -->
```
beta
```
## Notes
```sh
make install
```
";

const WORK: &str = "\
# Log
[LOG-001] - [DECISION] - a
The model is kept.
[LOG-002] - [DECISION] - b
No.
[LOG-003] - [NOTE] - c
The model again.
";

const LOG: &str = "\
2026-01-05 09:59:59 INFO start
2026-01-05 10:00:00 ERROR disk
  full
2026-01-05 10:30:59 ERROR net
2026-01-05 10:31:00 ERROR late
";

const INI: &str = "[database]\nhost = a\n[cache]\nttl = 5\n";

fn sandbox() -> Sandbox {
    Sandbox::with(&[
        ("keps/1.md", FIRST),
        ("keps/2.md", SECOND),
        ("keps/3.md", THIRD),
        ("WORK.md", WORK),
        ("app.log", LOG),
        ("conf/app.ini", INI),
        (
            "docs/guide.md",
            "# Guide\n\n## Install\n\n```bash\nmake install\n```\n\n### Linux\n\nTODO\n",
        ),
        ("docs/more.md", "# More\n\n## Setup\n\n<!-- TODO -->\n\n## Use\n\n## Use\n"),
        ("docs/other.md", "# Other\n\n## Setup\n"),
    ])
}

fn inspect(arguments: &[&str]) -> Outcome {
    sandbox().run(&[&["inspect"], arguments].concat())
}

/// Compares the printed addresses, without the text after them.
#[track_caller]
fn check(arguments: &[&str], expected: &[&str]) {
    let outcome = inspect(arguments).succeeds();
    let text = outcome.text();
    let addresses: Vec<&str> = text
        .lines()
        .map(|line| match line.match_indices(':').nth(1) {
            Some((at, _)) => &line[..at],
            None => line,
        })
        .collect();
    assert_eq!(addresses, expected, "{arguments:?}\n{outcome}");
}

// Typical uses of conditions.

#[test]
fn sections_with_one_sub_section_that_mention_a_word_and_lack_another() {
    let name = ["--matching", "^Graduation Criteria$"];
    let all = [&name[..], &["--having", "^Alpha$", "--containing", "beta"]].concat();
    check(&[&all[..], &["keps"]].concat(), &["keps/1.md:11-20", "keps/2.md:7-16"]);
    check(&[&all[..], &["--not-having", "^GA$", "keps"]].concat(), &["keps/1.md:11-20"]);
}

#[test]
fn pages_that_lack_a_key_of_front_matter() {
    let outcome = inspect(&["--without-key", "reviewed", "keps"]).exits(0);
    assert_eq!(outcome.text(), "keps/2.md\nkeps/3.md\n");
    let hint = "to leave them out: folio inspect --without-key reviewed keps --kind front-matter\n";
    outcome.tells(&format!("note: without front matter: 1 of 2 files; {hint}"));
    // A format without keys never lacks one.
    let files = ["conf", "keps/2.md", "app.log"];
    let lacks = inspect(&[&["--without-key", "reviewed"], &files[..]].concat());
    assert_eq!(lacks.text(), "conf/app.ini\nkeps/2.md\n");
}

#[test]
fn headings_that_occur_twice_in_one_file() {
    let expected = ["docs/more.md:7,9", "keps/2.md:17,18"];
    check(&["--kind", "heading", "--repeated", "."], &expected);
}

#[test]
fn the_last_entry_with_a_tag_whose_text_mentions_a_word() {
    let tagged = ["--kind", "entry", "--matching", r"\[DECISION\]", "--containing", "model"];
    check(&[&tagged[..], &["--last", "WORK.md"]].concat(), &["WORK.md:2-3"]);
}

#[test]
fn entries_between_two_times() {
    let times = ["--since", "2026-01-05 10:00", "--until", "2026-01-05 10:30"];
    let arguments = [&["--matching", "ERROR"], &times[..], &["app.log"]].concat();
    check(&arguments, &["app.log:2-3", "app.log:4"]);
}

// Single conditions.

#[test]
fn conditions_apply_to_names_and_kinds() {
    check(&["--matching", "^Alpha$", "."], &["keps/1.md:13-16", "keps/2.md:9-12", "keps/3.md:4-8"]);
    check(&["--matching", "^alpha$", "-i", "keps/1.md"], &["keps/1.md:13-16"]);
    check(&["--path", "^KEP-1 > Design > Grad", "--level", "3", "."], &["keps/1.md:11-20"]);
    check(&["--level", "4-", "."], &["keps/1.md:13-16", "keps/1.md:17-20"]);
    check(&["--level", "1-2", "docs/guide.md"], &["docs/guide.md:1-11", "docs/guide.md:3-11"]);
    check(
        &["--kind", "code", "keps", "docs"],
        &["keps/3.md:6-8", "keps/3.md:10-12", "docs/guide.md:5-7"],
    );
    check(&["--lang", "SH", "."], &["keps/3.md:10-12"]);
    check(
        &["--kind", "key", "--matching", "^t", "."],
        &["conf/app.ini:4", "keps/1.md:2", "keps/1.md:5", "keps/2.md:2"],
    );
    check(&["--kind", "front-matter", "."], &["keps/1.md:1-6", "keps/2.md:1-4"]);
    check(
        &["--kind", "marker,key", "conf"],
        &["conf/app.ini:1-2", "conf/app.ini:2", "conf/app.ini:3-4", "conf/app.ini:4"],
    );
    check(&["--matching", "^cache$", "."], &["conf/app.ini:3-4"]);
    check(&["--kind", "file", "--matching", "more", "."], &["docs/more.md"]);
    check(&["--matching", "d", "--matching", "b", "conf"], &["conf/app.ini:1-2"]);
}

#[test]
fn conditions_apply_to_nested_parts() {
    check(&["--kind", "marker", "--not-having", "^host$", "."], &["conf/app.ini:3-4"]);
    check(&["--kind", "marker", "--having", "^host$", "."], &["conf/app.ini:1-2"]);
    check(&["--kind", "file", "--having", "^GA$", "."], &["keps/2.md"]);
    check(
        &["--level", "2", "--not-having", ".", "keps"],
        &["keps/1.md:25", "keps/2.md:17", "keps/2.md:18", "keps/3.md:9-12"],
    );
    check(&["--level", "1", "--having", "Setup", "--having", "Use", "."], &["docs/more.md:1-9"]);
}

#[test]
fn conditions_on_nested_names_apply_to_keys() {
    let sandbox = Sandbox::with(&[
        ("a.yml", "services:\n  db:\n    image: x\n  web:\n    image: y\n    ports: [1]\n"),
        ("b.ini", "[Unit]\nRestart=on-failure\n[Service]\nType=simple\n"),
    ]);
    let services = ["inspect", "--kind", "key", "--matching", r"^services\.[^.]*$"];
    let lacking = sandbox.run(&[&services[..], &["--not-having", "^ports$"]].concat());
    lacking.prints("a.yml:2-3:services.db\n");
    sandbox
        .run(&[&services[..], &["--having", "^ports$"]].concat())
        .prints("a.yml:4-6:services.web\n");
    let of_files = sandbox.run(&[&services[..], &["--without-key", "ports"]].concat());
    of_files.tells(r"apply to whole files; for keys in each part: folio inspect --kind key");
    let service = ["inspect", "b.ini", "--section", "Service", "--with-key", "Restart=on-failure"];
    sandbox.run(&service).tells("--section Service --having '^Restart$'");
}

#[test]
fn files_are_counted_together() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n"), ("b.md", "---\nk: v\n---\n"), ("c.md", "")]);
    let count = ["inspect", "--kind", "file", "--without-key", "k", "--count"];
    sandbox.run(&count).prints("2\n");
}

#[test]
fn conditions_on_text_ignore_code_and_comments() {
    let third = |more: &[&str], expected: &[&str]| {
        let arguments = [&["--level", "3", "--containing", "beta"], more, &["keps/3.md"]].concat();
        match expected {
            [] => drop(inspect(&arguments).exits(1)),
            expected => check(&arguments, expected),
        }
    };
    third(&[], &[]);
    third(&["--include-code"], &["keps/3.md:4-8"]);
    third(&["--include-comments"], &["keps/3.md:4-8"]);
    check(
        &["--level", "2", "--lacking", "beta", "keps"],
        &["keps/1.md:25", "keps/2.md:17", "keps/2.md:18", "keps/3.md:3-8", "keps/3.md:9-12"],
    );
    check(
        &["--kind", "code", "--containing", "install", "."],
        &["docs/guide.md:5-7", "keps/3.md:10-12"],
    );
    check(
        &["--containing", "beta", "--innermost", "."],
        &["keps/1.md:17-20", "keps/1.md:21-24", "keps/2.md:9-12"],
    );
    check(&["--kind", "file", "--lacking", "^#", "."], &["app.log", "conf/app.ini"]);
    check(
        &["--containing", "moves", "--containing", "in code", "--innermost", "."],
        &["keps/1.md:11-20"],
    );
}

#[test]
fn conditions_apply_to_front_matter() {
    check(&["--with-key", "reviewed", "."], &["keps/1.md"]);
    check(&["--with-key", "status=ed$", "."], &["keps/2.md"]);
    check(&["--with-key", "tags=b", "--level", "1", "."], &["keps/1.md:7-25"]);
    check(&["--with-key", "title", "--without-key", "reviewed", "."], &["keps/2.md"]);
}

#[test]
fn position_conditions_count_the_remaining_parts() {
    check(
        &["--level", "2", "--first", "docs"],
        &["docs/guide.md:3-11", "docs/more.md:3-6", "docs/other.md:3"],
    );
    check(&["--level", "2", "--last", "--across", "docs"], &["docs/other.md:3"]);
    check(&["--level", "2", "--nth", "2", "docs"], &["docs/more.md:7-8"]);
    check(
        &["--level", "2", "--repeated", "--across", "docs"],
        &["docs/more.md:3", "docs/more.md:7,9", "docs/other.md:3"],
    );
    check(&["--kind", "heading", "--repeated", "--last", "docs"], &["docs/more.md:9"]);
    check(&["--kind", "entry", "--since", "2026-01-05 10:31", "app.log"], &["app.log:5"]);
    check(&["--kind", "entry", "--first", "app.log"], &["app.log:1"]);
    check(&["--matching", "ERROR", "--last", "app.log"], &["app.log:5"]);
}

#[test]
fn custom_patterns_define_entries() {
    let arguments = ["--section-pattern", "^  ", "--kind", "entry", "app.log"];
    check(&arguments, &["app.log:3-5"]);
}

// Output formats.

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

// Messages if no part is selected, and for invalid conditions.

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
        (&["--since", "yesterday"], "--since: 'yesterday' is not a time"),
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

// Selected parts are read, searched and edited.

const CRITERIA: &[&str] = &["--matching", "^Graduation Criteria$"];

#[test]
fn reading_selected_parts_equals_reading_their_addresses() {
    let sandbox = sandbox();
    for conditions in [
        CRITERIA,
        &["--containing", "beta"],
        &["--kind", "code"],
        &["--without-key", "reviewed"],
        &["--kind", "entry", "--since", "2026-01-05 10:30"],
        &["--level", "2", "--last", "--across"],
        &["--kind", "key,front-matter"],
    ] {
        for json in [&[][..], &["--json"]] {
            let read = sandbox.run(&[&["read"], conditions, json, &["."]].concat()).succeeds();
            // There may be a note about files without front matter.
            let list = sandbox.run(&[&["inspect"], conditions, &["."]].concat()).exits(0);
            let from = [&["read", "--addresses-from", "-"], json].concat();
            let piped = sandbox.run_with_input(&from, &list.stdout).succeeds();
            assert!(!read.stdout.is_empty());
            assert_eq!(read.text(), piped.text(), "{conditions:?}");
            let nul = sandbox.run(&[&["inspect", "-0"], conditions, &["."]].concat()).exits(0);
            let piped = sandbox.run_with_input(&[&from[..], &["-0"]].concat(), &nul.stdout);
            assert_eq!(read.text(), piped.succeeds().text(), "{conditions:?}");
        }
    }
}

#[test]
fn selected_parts_are_read_completely_below_their_addresses() {
    let read =
        |more: &[&str]| sandbox().run(&[&["read", "--level", "4"], more, &["keps"]].concat());
    read(&["--matching", "Beta"]).succeeds().prints(
        "==> keps/1.md:17-20 KEP-1 > Design > Graduation Criteria > Beta <==\n\
                 #### Beta\n\n- moves to beta\n\n",
    );
    read(&["--matching", "Zeta"])
        .exits(1)
        .tells("none of 2 parts")
        .tells("folio inspect --level 4 keps");
    for (flags, message) in [
        (&["--body", "Beta"][..], "--body cannot be used with conditions"),
        (&["--addresses-from", "x"], "--addresses-from"),
        (&["-F"], "--fixed-strings needs a pattern"),
    ] {
        read(flags).exits(2).tells(message);
    }
    let input = sandbox().run_with_input(&["read", "--matching", "^Alpha$", "-"], FIRST).succeeds();
    let file = sandbox().run(&["read", "--matching", "^Alpha$", "keps/1.md"]).succeeds();
    assert_eq!(input.text(), file.text().replace("keps/1.md", "-"));
    sandbox()
        .run(&["read", "--glob", "*.md", "WORK.md"])
        .exits(2)
        .tells("--glob needs --section, --key or a condition");
    let files =
        ["read", "--without-key", "reviewed", "--front-matter", "--key", "title", "--glob", "2*"];
    sandbox()
        .run(&[&files[..], &["keps"]].concat())
        .succeeds()
        .prints("==> keps/2.md:2 <==\ntitle: Two\n");
}

#[test]
fn a_name_can_be_a_condition() {
    check(&["--section", "Setup", "docs"], &["docs/more.md:3-6", "docs/other.md:3"]);
    check(
        &["--section", "## Setup", "--not-having", "x", "docs"],
        &["docs/more.md:3-6", "docs/other.md:3"],
    );
    check(&["--section", "Guide > Install", "."], &["docs/guide.md:3-11"]);
    inspect(&["--section", "### Setup", "docs"]).exits(1).tells("meets --section '### Setup'");
    inspect(&["--section", "Set", "docs"]).exits(1).tells("meets --section Set");
    let read = |more: &[&str]| sandbox().run(&[&["read"], more].concat());
    read(&["docs", "--section", "Setup"]).succeeds().prints(
        "==> docs/more.md:3-6 More > Setup <==\n## Setup\n\n<!-- TODO -->\n\n\n\
         ==> docs/other.md:3 Other > Setup <==\n## Setup\n",
    );
    read(&["docs", "--section", "Set"]).exits(1).tells("meets --section Set");
    read(&["docs", "keps", "--section", "Setup", "--glob", "o*"])
        .exits(0)
        .prints("==> docs/other.md:3 Other > Setup <==\n## Setup\n");
    read(&["docs", "-i", "--section", "set"]).exits(1).tells("meets --section set --ignore-case");
    inspect(&["docs", "-i", "--section", "guide > install"])
        .prints("docs/guide.md:3-11:Guide > Install\n");
    let sandbox = Sandbox::with(&[
        ("a.yml", "db:\n  image: a\nweb:\n  image: b\n"),
        ("b.yml", "db:\n  image: a\n  check: c\n"),
        ("c.ini", "[db]\nimage = d\n"),
    ]);
    sandbox
        .run(&["read", ".", "--key", "db", "--without-key", "db.check"])
        .succeeds()
        .prints("==> a.yml:1-2 <==\ndb:\n  image: a\n");
    for section in ["db", "[db]"] {
        sandbox
            .run(&["read", ".", "--section", section, "--key", "image"])
            .succeeds()
            .prints("==> c.ini:2 [db] <==\nimage = d\n");
    }
}

#[test]
fn the_same_names_select_sections_in_a_file_and_in_a_directory() {
    let sandbox = Sandbox::with(&[
        ("d/a.md", "# A\n\n## **Bold** name\n\n## Setup\n\n### B [x] y\n\n## Setup\nlast\n"),
        ("d/b.log", "[LOG-1] one\nbody\n\n[LOG-2] two\nbody\n"),
        ("d/c.ini", "[db]\na = 1\n\n[other]\nb = 2\n"),
    ]);
    for (name, file, lines) in [
        ("**Bold** name", "d/a.md", "3-4"),
        ("## Bold name", "d/a.md", "3-4"),
        ("A/Bold name", "d/a.md", "3-4"),
        ("Setup[2]", "d/a.md", "9-10"),
        ("A > Setup[1]", "d/a.md", "5-8"),
        ("B [x] y", "d/a.md", "7-8"),
        ("LOG-2", "d/b.log", "4-5"),
        ("[LOG-2]", "d/b.log", "4-5"),
        ("[LOG-2] two", "d/b.log", "4-5"),
        ("[db]", "d/c.ini", "1-3"),
        ("db", "d/c.ini", "1-3"),
    ] {
        let read =
            |operand| sandbox.run(&["read", "--json", operand, "--section", name]).succeeds();
        assert_eq!(read("d").json()["content"], read(file).json()["content"], "{name}");
        let listed = sandbox.run(&["inspect", "d", "--section", name]).succeeds();
        let address = format!("{file}:{lines}:");
        assert!(
            listed.text().starts_with(&address) && listed.text().lines().count() == 1,
            "{name}"
        );
    }
}

#[test]
fn only_selected_parts_are_searched() {
    let grep = |more: &[&str]| sandbox().run(&[&["grep"], more].concat());
    let within = [&["beta"], CRITERIA, &["keps"]].concat();
    grep(&within).succeeds().prints("keps/1.md:19:- moves to beta\nkeps/2.md:11:moves to beta\nkeps/3.md:5:<!-- mention beta here -->\nkeps/3.md:7:beta\n");
    grep(&[&["--outside-code", "-c"], &within[..]].concat())
        .succeeds()
        .prints("keps/1.md:1\nkeps/2.md:1\nkeps/3.md:1\n");
    grep(&[&within[..1], &["--not-having", "GA", "--level", "3", "-l", "."]].concat())
        .succeeds()
        .prints("keps/1.md\nkeps/2.md\nkeps/3.md\n");
    grep(&["-v", ".", "--kind", "front-matter", "keps"]).exits(1);
    grep(&["status", "--with-key", "reviewed", "keps"])
        .succeeds()
        .prints("keps/1.md:3:status: implementable\n");
    grep(&["ERROR", "--until", "2026-01-05 10:00", "app.log"])
        .succeeds()
        .prints("2:2026-01-05 10:00:00 ERROR disk\n");
    grep(&["beta", "--matching", "^Notes$", "."])
        .exits(1)
        .tells("matches in 1 file, but none in a selected part");
    grep(&["x", "--matching", "Zeta", "keps"]).exits(1).tells("meets --matching Zeta");
    let input = [&["grep", "beta"], CRITERIA, &["-"]].concat();
    sandbox().run_with_input(&input, FIRST).succeeds().prints("19:- moves to beta\n");
    sandbox().run_with_input(&input, "# A\n\nbeta\n").exits(1).prints("");
    grep(&["x", "--level", "9"]).exits(2).tells("--level: '9'");
}

#[test]
fn the_section_of_a_match_in_a_selected_part_is_printed() {
    let outcome = sandbox().run(&[&["grep", "-k", "beta"], CRITERIA, &["keps/1.md"]].concat());
    outcome.succeeds().prints("keps/1.md:19-20:- moves to beta\n");
}

#[test]
fn each_selected_part_is_edited() {
    let sandbox = sandbox();
    let patch = |arguments: &[&str]| sandbox.run(&[&["patch"], arguments].concat());
    let text = |name: &str| std::fs::read_to_string(sandbox.path(name)).unwrap();
    patch(&["delete", "keps", "--matching", "^Graduation Criteria$", "--having", "GA"]).exits(0);
    assert!(!text("keps/2.md").contains("Graduation") && text("keps/1.md") == FIRST);
    sandbox.run(&["undo"]).exits(0);
    assert_eq!(text("keps/2.md"), SECOND);
    patch(&["rename", "keps", "--matching", "^Alpha$", "-c", "First"]).exits(0);
    assert_eq!(text("keps/1.md"), FIRST.replace("#### Alpha", "#### First"));
    assert_eq!(text("keps/2.md"), SECOND.replace("### Alpha", "### First"));
    assert_eq!(text("keps/3.md"), THIRD.replace("### Alpha", "### First"));
    // One transaction, one undo.
    sandbox.run(&["undo"]).exits(0);
    assert_eq!([text("keps/1.md"), text("keps/3.md")], [FIRST, THIRD]);
    patch(&["append", "docs", "--matching", "^Setup$", "-c", "Done."]).exits(0);
    assert_eq!(text("docs/other.md"), "# Other\n\n## Setup\n\nDone.\n");
    patch(&["replace", "keps", "--matching", "^Alpha$", "--text", "moves", "-c", "goes"]).exits(0);
    assert_eq!(text("keps/2.md"), SECOND.replace("moves", "goes"));
    assert_eq!(text("keps/1.md"), FIRST);
    patch(&["delete", "conf", "--kind", "key", "--matching", "ttl"]).exits(0);
    assert_eq!(text("conf/app.ini"), "[database]\nhost = a\n[cache]\n");
    patch(&["set", "conf", "--kind", "marker", "--not-having", "host", "--key", "ttl", "-c", "9"])
        .exits(0);
    assert_eq!(text("conf/app.ini"), "[database]\nhost = a\n[cache]\nttl = 9\n");
    patch(&["delete", "app.log", "--until", "2026-01-05 10:00"]).exits(0);
    assert_eq!(text("app.log"), LOG.split_once("  full\n").unwrap().1);
    patch(&["delete", "docs", "--kind", "code"]).exits(0);
    assert!(!text("docs/guide.md").contains("```"));
}

#[test]
fn a_key_is_set_in_the_files_that_lack_it() {
    let sandbox = sandbox();
    let set = ["patch", "set", "keps", "--without-key", "reviewed", "--front-matter"];
    let set = [&set[..], &["--key", "reviewed", "-c", "no", "--expect", "2"]].concat();
    sandbox.run(&set).exits(0);
    sandbox
        .run(&["inspect", "--with-key", "reviewed=^no$", "keps", "-l"])
        .succeeds()
        .prints("keps/2.md\nkeps/3.md\n");
    sandbox.run(&set).exits(1).tells("none of 3 files meets --without-key reviewed");
}

#[test]
fn front_matter_is_set_only_in_files_that_can_have_it() {
    let sandbox = Sandbox::with(&[("d/a.md", "# A\n"), ("d/b.yaml", "k: 1\n")]);
    let set =
        ["patch", "set", "d", "--without-key", "r", "--front-matter", "--key", "r", "-c", "1"];
    sandbox.run(&set).exits(0);
    assert!(std::fs::read_to_string(sandbox.path("d/a.md")).unwrap().starts_with("---\nr: 1\n"));
}

#[test]
fn keys_that_are_set_are_counted() {
    let sandbox = Sandbox::with(&[("d/a.md", "---\nt: 1\n---\n"), ("d/b.md", "---\nt: 2\n---\n")]);
    let set =
        ["patch", "set", "d", "--without-key", "u", "--front-matter", "--key", "u", "-c", "3"];
    sandbox.run(&[&set[..], &["-d"]].concat()).exits(0).tells("2 places in 2 files");
    let told = sandbox.run(&set).exits(0).text();
    assert!(told.ends_with("\n2 places in 2 files (undo: folio undo 1)\n"), "{told}");
}

#[test]
fn nothing_is_edited_if_the_selection_differs_from_the_expectation() {
    let sandbox = sandbox();
    let refused = |arguments: &[&str], status: i32, message: &str| {
        let outcome = sandbox.run(&[&["patch"], arguments].concat()).exits(status).tells(message);
        assert!(outcome.stdout.is_empty(), "{outcome}");
        let text = std::fs::read_to_string(sandbox.path("keps/1.md")).unwrap();
        assert_eq!(text, FIRST);
    };
    let alpha = ["--matching", "^Alpha$"];
    refused(
        &[&["delete", "keps", "--expect", "2"], &alpha[..]].concat(),
        4,
        "the conditions select 3 parts, but --expect is 2",
    );
    refused(
        &["delete", "keps", "--containing", "beta"],
        4,
        "'KEP-1 > Design' is selected, and so is 'KEP-1', which contains it",
    );
    refused(&[&["delete", "keps", "gone.md"], &alpha[..]].concat(), 2, "gone.md");
    refused(&["delete", "keps", "--matching", "Zeta"], 1, "meets --matching Zeta");
    refused(
        &[&["replace", "keps", "--text", "zeta", "-c", "x"], &alpha[..]].concat(),
        1,
        "text not found: 'zeta' in the selected parts of 3 files",
    );
    refused(
        &[&["create", "x.md", "-c", "x"], &alpha[..]].concat(),
        2,
        "create cannot be used with conditions",
    );
    refused(
        &[&["delete", "keps", "--whole-file"], &alpha[..]].concat(),
        2,
        "--whole-file cannot be used with conditions",
    );
    refused(
        &["delete", "keps", "--kind", "code", "--heading", "x"],
        2,
        "--heading cannot be used in parts of kind code",
    );
    refused(&[&["apply", "x.json"], &alpha[..]].concat(), 2, "cannot be used with apply");
    refused(&[&["delete", "-"], &alpha[..]].concat(), 2, "parts are edited in files");
    sandbox.run(&[&["patch", "delete", "keps", "--check"], &alpha[..]].concat()).exits(1);
    sandbox.run(&[&["patch", "delete", "keps", "-d"], &alpha[..]].concat()).exits(0);
    refused(&["delete", "keps", "--matching", "Zeta", "-d"], 1, "Zeta");
}

/// Selected parts are edited only if they still meet the conditions after the files are locked.
#[test]
fn parts_that_change_after_selection_are_not_edited() {
    let log = "2026-01-05 10:00 ERROR a\n2026-01-05 11:00 ERROR b\n";
    let page = "# A\n\nold\n\n# B\n\nnew\n";
    for (name, old, now, conditions, exits) in [
        ("a.log", log, format!("2026-01-05 09:00 x\n{log}"), ["--kind=entry", "--last"], 4),
        ("a.md", page, page.replace("old", "other"), ["--containing", "old"], 4),
        ("a.md", page, format!("before\n\n{page}"), ["--containing", "old"], 0),
        ("a.md", page, format!("{page}# C\n\nold\n"), ["--containing", "old"], 4),
    ] {
        for place in [name, "."] {
            let sandbox = Sandbox::with(&[(&format!("d/{name}"), old), ("d/other.md", "# A\n")]);
            outcome(sandbox.command_of("mkfifo").arg("pipe"), b"").succeeds();
            let mut command = sandbox.command();
            command.current_dir(sandbox.path("d")).args(["patch", "append", place]);
            command.args(conditions).args(["--content-file", "../pipe"]);
            command.stdout(Stdio::null()).stderr(Stdio::piped());
            let child = command.spawn().expect("started");
            // Content is read when parts are selected.
            let mut pipe = File::options().write(true).open(sandbox.path("pipe")).expect("a pipe");
            sandbox.write(format!("d/{name}"), &now);
            pipe.write_all(b"more\n").expect("written");
            drop(pipe);
            let ended = child.wait_with_output().expect("ended");
            let errors = String::from_utf8_lossy(&ended.stderr);
            assert_eq!(ended.status.code(), Some(exits), "{now}: {errors}");
            let text = std::fs::read_to_string(sandbox.path(format!("d/{name}"))).expect("text");
            assert_eq!(text != now, exits == 0, "{text}");
            assert_eq!(errors.contains("changed while its parts were selected"), exits != 0);
        }
    }
    // Addresses of several parts of one file refer to the parts before the first edit.
    let sandbox = Sandbox::with(&[("a.md", page)]);
    let typed = ["patch", "append", "a.md:1-3", "a.md:5-7", "--level", "1", "-c", "more"];
    sandbox.run(&typed).succeeds();
    let text = std::fs::read_to_string(sandbox.path("a.md")).expect("text");
    assert_eq!(text.matches("more").count(), 2, "{text}");
}

// Comparison with a simple implementation, on random documents.

const LINES: &[&str] = &[
    "# One",
    "## Two",
    "## alpha",
    "### beta",
    "### GA",
    "# GA",
    "text beta",
    "text",
    "a model",
    "",
    "",
    "```",
    "```sh",
    "<!--",
    "beta -->",
    "x <!-- beta --> y",
    "a `<!--` model",
    "-->",
];

struct Heading {
    level: usize,
    name: String,
    start: usize,
    end: usize,
}

/// Returns the headings, and the visible text of each line.
fn read(lines: &[&str], code: bool, comments: bool) -> (Vec<Heading>, Vec<String>) {
    let (mut headings, mut seen): (Vec<Heading>, Vec<String>) = Default::default();
    let (mut fence, mut comment) = (false, false);
    for (at, line) in lines.iter().enumerate() {
        let was_comment = comment;
        comment = !fence && (comment || line.starts_with("<!--")) && !line.contains("-->");
        let is_fence =
            !was_comment && !comment && line.starts_with("```") && (!fence || *line == "```");
        let in_code = fence || is_fence;
        fence ^= is_fence;
        let in_comment = !in_code && (was_comment || comment);
        let hashes = line.bytes().take_while(|&byte| byte == b'#').count();
        if hashes > 0 && !in_code && !in_comment {
            let name = line[hashes..].trim().to_owned();
            headings.push(Heading { level: hashes, name, start: at + 1, end: lines.len() });
        }
        seen.push(match () {
            () if in_code && !code || in_comment && !comments => String::new(),
            () if !in_code && !comments => line.replace("<!-- beta -->", ""),
            () => (*line).to_owned(),
        });
    }
    for at in 0..headings.len() {
        let next = headings[at + 1..].iter().find(|next| next.level <= headings[at].level);
        headings[at].end = next.map_or(lines.len(), |next| next.start - 1);
    }
    (headings, seen)
}

/// Returns the parts that conditions select, determined by examining every part.
fn expected(lines: &[&str], flags: &[&str]) -> Vec<String> {
    let has = |flag: &str| flags.contains(&flag);
    let (headings, seen) = read(lines, has("--include-code"), has("--include-comments"));
    let holds = |heading: &Heading, word: &str| {
        seen[heading.start - 1..heading.end].iter().any(|line| line.contains(word))
    };
    let is_below = |heading: &Heading, word: &str| {
        let below = |one: &&Heading| one.start > heading.start && one.start <= heading.end;
        headings.iter().filter(below).any(|below| below.name.contains(word))
    };
    let mut left: Vec<&Heading> = headings
        .iter()
        .filter(|one| !has("--matching=a") || one.name.contains('a'))
        .filter(|one| !has("--level=2-") || one.level >= 2)
        .filter(|one| !has("--having=beta") || is_below(one, "beta"))
        .filter(|one| !has("--not-having=GA") || !is_below(one, "GA"))
        .filter(|one| !has("--containing=beta") || holds(one, "beta"))
        .filter(|one| !has("--lacking=model") || !holds(one, "model"))
        .collect();
    if has("--innermost") {
        let all = left.clone();
        left.retain(|one| !all.iter().any(|other| other.start > one.start && other.end <= one.end));
    }
    if has("--repeated") {
        let all = left.clone();
        left.retain(|one| all.iter().filter(|other| other.name == one.name).count() > 1);
    }
    if has("--first") {
        left.truncate(1);
    }
    left.iter().map(|one| format!("{}-{}", one.start, one.end)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn conditions_select_the_same_parts_as_an_exhaustive_search(
        documents in prop::collection::vec(
            prop::collection::vec(prop::sample::select(LINES), 1..30), 1..6),
        flags in prop::sample::subsequence(
            vec!["--matching=a", "--level=2-", "--having=beta", "--not-having=GA",
                 "--containing=beta", "--lacking=model", "--include-code", "--include-comments",
                 "--innermost", "--repeated", "--first"], 1..5),
    ) {
        let has = |flag: &str| flags.iter().any(|given| given.starts_with(flag));
        prop_assume!(has("--containing") || has("--lacking") || !has("--include"));
        let sandbox = Sandbox::new();
        let mut wanted = Vec::new();
        for (index, lines) in documents.iter().enumerate() {
            sandbox.write(format!("{index}.md"), lines.join("\n") + "\n");
            let parts = expected(lines, &flags).into_iter();
            wanted.extend(parts.map(|part| format!("{index}.md:{part}")));
        }
        let arguments = [&["inspect", "--json", "--kind=heading"], &flags[..], &["."]].concat();
        let outcome = sandbox.run(&arguments);
        let found: Vec<String> = outcome.json_lines().iter().map(|part| {
            let number = |name: &str| part[name].as_u64().unwrap();
            format!("{}:{}-{}", part["filePath"].as_str().unwrap(), number("startLine"), number("endLine"))
        }).collect();
        prop_assert_eq!(found, wanted, "{:?} {:?}", flags, documents);
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

#[test]
fn a_file_may_lack_a_key_with_a_value() {
    let page = |status: &str| format!("---\nstatus: {status}\n---\n# A\n");
    let sandbox =
        Sandbox::with(&[("a.md", &page("draft")), ("b.md", &page("done")), ("c.md", "# C\n")]);
    let check = |condition: &str, expected: &str| {
        let outcome = sandbox.run(&["inspect", "-l", condition, "status=do", "."]).exits(0);
        assert_eq!(outcome.text(), expected, "{condition}");
    };
    check("--with-key", "b.md\n");
    check("--without-key", "a.md\nc.md\n");
}

#[test]
fn timestamps_begin_entries_of_logs_with_any_name() {
    let timed = "2026-01-05 10:00:00 A\n2026-01-05 10:01:00 B\n  more\n";
    let marked = "[LOG-2] b\n2026-01-05 10:01:00 B\n";
    for name in ["app.log", "app.log.1", "t.txt"] {
        let sandbox = Sandbox::with(&[(name, timed)]);
        for condition in [&["--matching", "B"][..], &["--last"], &["--since", "2026-01-05 10:01"]] {
            let printed = format!("{name}:2-3:2026-01-05 10:01:00 B\n");
            sandbox.run(&[&["inspect", name], condition].concat()).succeeds().prints(&printed);
        }
        // With marked entries, timestamps are text.
        let sandbox = Sandbox::with(&[(name, marked)]);
        let printed = format!("{name}:1-2:[LOG-2] b\n");
        sandbox.run(&["inspect", "--matching", "LOG", name]).succeeds().prints(&printed);
        sandbox.run(&["inspect", "--kind", "entry", "--last", name]).succeeds().prints(&printed);
    }
}
