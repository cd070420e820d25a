//! Selected parts are read, searched and edited.

use std::fs::File;
use std::io::Write;
use std::process::Stdio;

use super::{FIRST, LOG, SECOND, THIRD, sandbox};
use crate::support::{Sandbox, outcome};

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
fn every_file_either_has_a_match_in_the_selected_lines_or_not() {
    let sandbox = sandbox();
    let files = |option: &str, conditions: &[&str]| {
        let found = sandbox.run(&[&["grep", "beta", option], conditions, &["."]].concat());
        found.text().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let mut all = sandbox.run(&["grep", "--files", "."]).succeeds().text().to_owned();
    all.push('\n');
    for conditions in [
        CRITERIA,
        &["--in", "Alpha"],
        &["--kind", "heading"],
        &["--kind", "code"],
        &["--kind", "table"],
        &["--kind", "file", "--outside-comments"],
        &["--with-key", "reviewed", "--in", "Design"],
    ] {
        let mut both = files("--files-with-matches", conditions);
        both.extend(files("--files-without-match", conditions));
        both.sort();
        let mut expected: Vec<&str> = all.lines().filter(|line| !line.is_empty()).collect();
        expected.sort();
        assert_eq!(both, expected, "{conditions:?}");
    }
    let without = ["grep", "beta", "--files-without-match", "--kind", "table", "keps"];
    sandbox
        .run(&without)
        .exits(0)
        .prints("keps/1.md\nkeps/2.md\nkeps/3.md\n")
        .tells("no part that meets --kind table");
    sandbox.run(&[&without[..], &["-q"]].concat()).succeeds().prints("");
    sandbox
        .run(&[&without[..5], &["keps/1.md", "none.md"]].concat())
        .exits(2)
        .prints("keps/1.md\n");
}

#[test]
fn only_the_lines_of_headings_are_searched() {
    let text = "# A x\n\nx\n\nB\nx\n===\n\n> ## C x\n> x\n\n```\n# x\n```\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let grep =
        |pattern: &str, kinds: &str| sandbox.run(&["grep", pattern, "--kind", kinds, "a.md"]);
    grep("x", "heading").succeeds().prints("1:# A x\n6:x\n9:> ## C x\n");
    grep("x", "heading,code").succeeds().prints("1:# A x\n6:x\n9:> ## C x\n13:# x\n");
    grep("x", "heading,section")
        .succeeds()
        .prints("1:# A x\n3:x\n6:x\n9:> ## C x\n10:> x\n13:# x\n");
    grep("^x", "heading").succeeds().prints("6:x\n");
    grep("^# x", "heading").exits(1).tells(
        "none in a selected heading; to search their sections: folio grep '^# x' --kind section",
    );
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
    let output = sandbox.run(&set).exits(0).text();
    assert!(output.ends_with("\n2 places in 2 files (undo: folio undo 1)\n"), "{output}");
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
