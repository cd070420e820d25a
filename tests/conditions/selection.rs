//! Which parts meet conditions: on names, kinds, nested parts, text, keys and positions.

use proptest::prelude::*;

use super::{inspect, sandbox};
use crate::support::Sandbox;

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
fn a_start_may_be_excluded() {
    // The time has the unit in which it was given, so the whole minute is excluded.
    check(
        &["--kind", "entry", "--since", "2026-01-05 10:30", "app.log"],
        &["app.log:4", "app.log:5"],
    );
    check(&["--kind", "entry", "--later-than", "2026-01-05 10:30", "app.log"], &["app.log:5"]);
    inspect(&["--later-than", "2026-01-05", "app.log"]).exits(1).tells("meets --later-than 2026");
    inspect(&["--later-than", "2026-01-06", "--until", "2026-01-05", "app.log"])
        .exits(2)
        .tells("--until is before --later-than");
}

#[test]
fn headings_in_containers_and_markup_may_be_told_apart() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n\n> # Q\n\n- # L\n\n## `B`\n\n## B\n\n## B\n")]);
    let check = |arguments: &[&str], expected: &str| {
        let outcome = sandbox.run(&[&["inspect", "a.md"], arguments].concat());
        outcome.succeeds().prints(expected);
    };
    check(&["--top-level"], "a.md:1-11:A\na.md:7-8:A > B\na.md:9-10:A > B\na.md:11:A > B\n");
    check(&["--repeated"], "a.md:7,9,11: B\n");
    check(&["--repeated", "--by-source"], "a.md:9,11: B\n");
    check(&["--repeated", "--by-source", "--across"], "a.md:9,11: B\n");
    let refuses = |arguments: &[&str], message: &str| {
        sandbox.run(&[&["inspect", "a.md"], arguments].concat()).exits(2).tells(message);
    };
    refuses(&["--by-source"], "--by-source needs --repeated");
    refuses(&["--top-level", "--kind", "code"], "--top-level cannot be used with --kind code");
}

#[test]
fn custom_patterns_define_entries() {
    let arguments = ["--section-pattern", "^  ", "--kind", "entry", "app.log"];
    check(&arguments, &["app.log:3-5"]);
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
        let below = |part: &&Heading| part.start > heading.start && part.start <= heading.end;
        headings.iter().filter(below).any(|below| below.name.contains(word))
    };
    let mut left: Vec<&Heading> = headings
        .iter()
        .filter(|part| !has("--matching=a") || part.name.contains('a'))
        .filter(|part| !has("--level=2-") || part.level >= 2)
        .filter(|part| !has("--having=beta") || is_below(part, "beta"))
        .filter(|part| !has("--not-having=GA") || !is_below(part, "GA"))
        .filter(|part| !has("--containing=beta") || holds(part, "beta"))
        .filter(|part| !has("--lacking=model") || !holds(part, "model"))
        .collect();
    if has("--innermost") {
        let all = left.clone();
        left.retain(|part| {
            !all.iter().any(|other| other.start > part.start && other.end <= part.end)
        });
    }
    if has("--repeated") {
        let all = left.clone();
        left.retain(|part| all.iter().filter(|other| other.name == part.name).count() > 1);
    }
    if has("--first") {
        left.truncate(1);
    }
    left.iter().map(|part| format!("{}-{}", part.start, part.end)).collect()
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
