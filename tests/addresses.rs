//! Addresses in JSON: every record contains an address, and `read` accepts it.

use crate::support::records::{
    File, Found, Line, Lines, LinkRecord, Listed, Piece, Record, Search,
};
use crate::support::{Sandbox, numbers};

const GUIDE: &str =
    "# Guide\n\nintro\n\n## Install\n\n```sh\nmake\n```\n\n[LOG-1] begun - ok\nbody\n";

fn sandbox() -> Sandbox {
    Sandbox::with(&[("a.md", GUIDE), ("n.txt", &numbers(9)), ("d/-x.md", "[gone](no.md)\n")])
}

#[test]
fn every_record_has_an_address() {
    let sandbox = sandbox();
    let file = File::one(&sandbox.run(&["inspect", "--json", "a.md"]).succeeds());
    assert_eq!(file.address, "a.md");
    let guide = &file.structure.headings.expect("headings")[0];
    assert_eq!(guide.address, "a.md:1-12");
    assert_eq!(guide.children.as_ref().expect("children")[0].address, "a.md:5-12");
    assert_eq!(file.structure.code_blocks.expect("blocks")[0].address, "a.md:7-9");
    let entry = &file.structure.sections.expect("entries")[0];
    assert_eq!(entry.address, "a.md:11-12");
    assert_eq!(entry.text.as_ref().expect("a text").as_str(), "[LOG-1] begun - ok");
    let search = ["inspect", "--json", "--mode", "search", "--query", "ma", "a.md"];
    assert_eq!(Search::one(&sandbox.run(&search).succeeds()).matches[0].address, "a.md:8");
    let lines = ["inspect", "--json", "--mode", "lines", "--query", "3", "a.md"];
    let lines = Lines::one(&sandbox.run(&lines).succeeds()).lines;
    assert!(matches!(&lines[..], [Line { address, .. }] if *address == "a.md:3"), "{lines:?}");
    let links = LinkRecord::all(&sandbox.run(&["links", "--json", "d"]).exits(1));
    assert!(matches!(&links[0], LinkRecord::Broken(link) if link.address == "d/-x.md:1"));
    let listed = Listed::one(&sandbox.run(&["list", "--json"]).succeeds());
    let addresses: Vec<_> = listed.entries.iter().map(|entry| entry.address.as_ref()).collect();
    assert!(*addresses[0].expect("a file") == "a.md" && addresses[1].is_none(), "{addresses:?}");
}

#[track_caller]
fn check_grep(flags: &[&str], expected: &str) {
    let sandbox = sandbox();
    let run = [&["grep", "--json", "make", "a.md"], flags].concat();
    let record = Found::all(&sandbox.run(&run).succeeds()).remove(0);
    let (Found::Match { address, .. } | Found::File { address, .. } | Found::Count { address, .. }) =
        record
    else {
        panic!("{record:?}")
    };
    assert_eq!(address, expected, "{flags:?}");
}

#[test]
fn matches_have_the_address_at_the_start_of_their_text() {
    check_grep(&[], "a.md:8");
    check_grep(&["-k"], "a.md:8-12");
    check_grep(&["-W"], "a.md:5-12");
    check_grep(&["-l"], "a.md");
    check_grep(&["-c"], "a.md");
}

#[test]
fn read_accepts_the_addresses_in_records() {
    let sandbox = sandbox();
    for (command, expected) in [
        (&["grep", "make", "a.md"][..], &["a.md:8"][..]),
        (&["grep", "-k", "make"], &["a.md:8-12"]),
        (
            &["inspect", "--mode", "search", "--query", "e", "a.md"],
            &["a.md:1", "a.md:8", "a.md:11"],
        ),
        (&["inspect", "--mode", "lines", "--query", "2-3", "n.txt"], &["n.txt:2-3"]),
        (&["inspect", "n.txt"], &["n.txt:1-9"]),
        (&["read", "n.txt:3-4", "n.txt:8"], &["n.txt:3-4", "n.txt:8"]),
        (&["list", "d"], &["d/-x.md:1"]),
        (&["links", "d"], &["d/-x.md:1"]),
    ] {
        let printed = sandbox.run(&[command, &["--json"]].concat()).stdout;
        let read = ["read", "--addresses-from", "-"];
        let outcome = sandbox.run_with_input(&read, printed).succeeds();
        let text = outcome.text();
        let headers =
            text.lines().filter_map(|line| line.strip_prefix("==> ")?.strip_suffix(" <=="));
        // A heading path follows each address.
        let addresses = headers.map(|header| header.split(' ').next().unwrap_or_default());
        assert_eq!(addresses.collect::<Vec<_>>(), expected, "{command:?}");
    }
    // Names that look like options, and names that are not UTF-8.
    sandbox.write("d/-y", "text\n");
    let odd = std::os::unix::ffi::OsStrExt::from_bytes(b"caf\xe9");
    sandbox.write(std::path::Path::new::<std::ffi::OsStr>(odd), "odd\n");
    let mut run = sandbox.command();
    run.current_dir(sandbox.path("d")).args(["list", "--json"]);
    let listed = Listed::one(&crate::support::outcome(&mut run, b""));
    assert_eq!(listed.entries[0].address.as_ref().expect("a file").as_str(), "./-x.md");
    let printed = sandbox.run(&["grep", "--json", "odd"]).stdout;
    let outcome = sandbox.run_with_input(&["read", "--addresses-from", "-"], printed).succeeds();
    assert!(outcome.text().ends_with("odd\n"), "{outcome}");
}

#[test]
fn an_answer_stays_within_its_tokens() {
    let sandbox = Sandbox::with(&[("n.txt", &numbers(99)), ("m.txt", &numbers(99))]);
    let piece = Piece::one(&sandbox.run(&["read", "--json", "n.txt", "--max-tokens", "3"]));
    assert_eq!((piece.content.as_str(), piece.truncated), ("1\n2\n3\n4\n5\n6\n", true));
    assert_eq!(piece.next.expect("a rest"), "n.txt:7-");
    // A limit for all parts together.
    let parts = ["read", "n.txt:1-3", "m.txt:50-", "n.txt:9", "m.txt:1", "--max-tokens", "4"];
    let outcome = sandbox.run(&parts).exits(0);
    let expected = "==> n.txt:1-3 <==\n1\n2\n3\n\n==> m.txt:50-52 <==\n50\n51\n52\n";
    let outcome = outcome.prints(expected).tells("for more: folio read --max-tokens 4 m.txt:53-\n");
    let left = "--max-tokens 4 is used up: 2 parts are left out; for more: \
                folio read n.txt:9 m.txt:1 --max-tokens 4\n";
    outcome.tells(left);
    sandbox.run(&["read", "n.txt:1", "m.txt:1", "--max-tokens", "1"]).succeeds();
}

#[test]
fn a_line_longer_than_all_tokens_is_refused_by_name() {
    let sandbox = Sandbox::with(&[("a.txt", "123\n1234567890\n"), ("b.txt", "123\n")]);
    for part in [&["a.txt:2"][..], &["a.txt:2", "--json"], &["a.txt:2", "a.txt:2"]] {
        let outcome = sandbox.run(&[&["read", "--max-tokens", "2"], part].concat()).exits(2);
        outcome.prints("").tells("line 2 is longer than --max-tokens 2").tells("a.txt:2@0-8");
    }
    // The parts after the last one that fits are omitted.
    let outcome = sandbox.run(&["read", "b.txt:1", "a.txt:2", "--max-tokens", "2"]).exits(0);
    outcome.prints("==> b.txt:1 <==\n123\n").tells("1 part is left out; for more");
    sandbox.run(&["read", "a.txt", "--max-tokens", "0"]).exits(2).tells("--max-tokens: '0' is not");
}

#[test]
fn omitted_output_is_reported_for_every_command() {
    let text = "# A\n\n1234567\n\n# B\n\nb\n";
    let sandbox = Sandbox::with(&[("a.md", text), ("list", "a.md:3\na.md:5-7\n")]);
    sandbox.write("batch", r#"[{"address":"a.md:3"},{"address":"a.md","target":{"tail":2}}]"#);
    let read = |flags: &[&str], hint: &str| {
        let outcome = sandbox.run(&[&["read", "--max-tokens", "2"], flags].concat()).exits(0);
        outcome.tells(hint);
    };
    let on = "1 part is left out; for more: folio read --max-tokens 2 a.md:5-7\n";
    read(&["--addresses-from", "list"], on);
    read(&["--batch", "batch"], "for more: folio read --max-tokens 2 a.md --tail 2\n");
    let json = ["a.md:3", "a.md:5", "--json"];
    read(&json, "1 part is left out, from index 1 on");
    // The command for the rest has the same options.
    let flags = ["--as", "text", "--encoding", "latin1", "--section-pattern", "^x", "-n"];
    let parts = [&["a.md:3", "a.md:5", "--resolve", "--show-whitespace"], &flags[..]].concat();
    let typed = "--max-tokens 2 a.md:5 --resolve --show-whitespace --as text --encoding latin1 \
                 --section-pattern '^x' -n\n";
    read(&parts, &format!("for more: folio read {typed}"));
    let parts = ["a.md:3", "a.md:5", "--checksum"];
    read(&parts, "folio read --max-tokens 2 a.md:5 --checksum\n");
    let outcome = sandbox.run(&["read", "a.md", "--max-lines", "2", "--show-whitespace"]);
    outcome.tells("folio read --max-lines 2 --show-whitespace a.md:3-\n");
}

#[test]
fn merged_parts_are_truncated_like_single_parts() {
    let sandbox = Sandbox::with(&[("n.txt", &numbers(99))]);
    sandbox.write("u.txt", crate::support::utf16(&numbers(99), true));
    for name in ["n.txt", "u.txt"] {
        let addresses: Vec<String> = (0..20).map(|at| format!("{name}:{}", at * 4 + 10)).collect();
        let words: Vec<&str> = addresses.iter().map(String::as_str).collect();
        for tokens in 1..20usize {
            let limit = ["read", "--max-tokens", &tokens.to_string()].map(str::to_owned);
            let limit: Vec<&str> = limit.iter().map(String::as_str).collect();
            let text = sandbox.run(&[&limit[..], &words].concat()).text();
            let given = text.lines().filter(|line| line.parse::<u64>().is_ok()).count();
            // Three bytes of text per part. A UTF-16 character must fit in the form in which the
            // file contains it.
            let fits = match name {
                "n.txt" => tokens * 4 / 3,
                _ => (tokens * 4).saturating_sub(6) / 3 + usize::from(tokens > 1),
            };
            assert_eq!(given, fits.min(20), "{name} {tokens}");
        }
    }
    // Only the last part that fits is truncated.
    let parts = ["read", "n.txt:10-11", "n.txt:20-29", "n.txt:40", "--max-tokens", "3"];
    let outcome = sandbox.run(&parts).exits(0);
    let expected = "==> n.txt:10-11 <==\n10\n11\n\n==> n.txt:20-21 <==\n20\n21\n";
    outcome.prints(expected).tells("1 part is left out");
}

#[test]
fn limits_apply_to_values() {
    let text = "---\nlong: |\n  one\n  two\n  three\nname: abcdefghijkl\n---\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let read = |key: &str, flag: &str, most: &str| {
        let line = ["read", "a.md", "--front-matter", "--key", key, "--value", flag, most];
        sandbox.run(&line)
    };
    let over = read("name", "--max-bytes", "5").exits(2).prints("");
    over.tells("the value has 13 bytes, more than --max-bytes 5")
        .tells("read --max-bytes 5 a.md:6");
    read("name", "--max-bytes", "13").exits(0).prints("abcdefghijkl\n");
    let over = read("long", "--max-lines", "2").exits(2).prints("");
    over.tells("lines, more than --max-lines 2").tells("folio read --max-lines 2 a.md:2-5");
    let over = read("name", "--max-tokens", "2").exits(2).prints("");
    over.tells("line 6 is longer than --max-tokens 2").tells("a.md:6@0-8");
    let over = read("long", "--max-tokens", "2").exits(2).prints("");
    over.tells("lines 2-5 are longer than --max-tokens 2");
    // The parts after the last one that fits are omitted.
    let batch = r#"[{"address":"a.md:3"},{"address":"a.md","target":{"frontMatter":{"key":"name"},"value":true}}]"#;
    let line = ["read", "--batch", "-", "--max-tokens", "3"];
    let outcome = sandbox.run_with_input(&line, batch).exits(0);
    outcome.prints("==> a.md:3 <==\n  one\n").tells("1 part is left out; for more");
}

#[test]
fn conflicting_limits_are_refused() {
    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    let line = ["read", "a.md", "--max-bytes", "2", "--max-tokens", "9"];
    sandbox.run(&line).exits(2).tells("--max-bytes cannot be used with --max-tokens");
}

#[test]
fn keys_of_every_kind_are_shown() {
    let text = "top = 1\nflag\n[db]\nhost = a\nskip-networking\nport=1\n";
    let sandbox = Sandbox::with(&[("a.ini", text)]);
    let file = File::one(&sandbox.run(&["inspect", "--json", "a.ini"]).succeeds());
    assert_eq!(file.structure.keys.expect("keys"), ["top", "flag"]);
    let db = &file.structure.sections.expect("sections")[0];
    assert_eq!(db.keys.as_ref().expect("keys"), &["host", "skip-networking", "port"]);
    let shown = sandbox.run(&["inspect", "a.ini"]).succeeds();
    shown.prints("a.ini:1-2:keys: top, flag\na.ini:3-6:[db]\n");
    let read = |words: &[&str]| sandbox.run(&[&["read", "a.ini"], words].concat()).succeeds();
    read(&["--key", "flag"]).prints("flag\n");
    read(&["--section", "db", "--key", "skip-networking"]).prints("skip-networking\n");
    read(&["--section", "db", "--key", "skip-networking", "--value"]).prints("\n");
    let patch = ["patch", "replace", "a.ini", "--section", "db", "--key", "skip-networking"];
    sandbox.run(&[&patch[..], &["--value", "-c", "1"]].concat()).succeeds();
    read(&["--key", "db.skip-networking"]).prints("skip-networking=1\n");
}

#[test]
fn a_file_in_a_subdirectory_is_suggested_by_its_name() {
    let sandbox =
        Sandbox::with(&[("docs/deep/only.md", "# A\n"), ("a/two.md", ""), ("b/two.md", "")]);
    for (command, hint) in [
        (&["read", "only.md"][..], "folio read docs/deep/only.md"),
        (&["inspect", "only.md"], "folio inspect docs/deep/only.md"),
        (&["grep", "x", "only.md"], "folio grep x docs/deep/only.md"),
        (&["links", "only.md"], "folio links docs/deep/only.md"),
        (&["patch", "delete", "x/only.md", "--section", "A"], "folio inspect docs/deep/only.md"),
    ] {
        let outcome = sandbox.run(command).exits(2);
        outcome
            .tells(&format!("hint: {hint}  # the only file of that name below this directory\n"));
    }
    let two = sandbox.run(&["read", "two.md"]).exits(2);
    assert!(!two.errors().contains("two.md  #"), "{two}");
}

#[test]
fn every_command_finds_a_file_by_its_name() {
    let sandbox = Sandbox::with(&[
        ("docs/deep/only.md", "# A\n[x](#b)\n"),
        ("a/two.md", ""),
        ("b/two.md", ""),
    ]);
    let found = |words: &[&str], status: i32, part: &str| {
        let outcome = sandbox.run(&[words, &["--resolve"]].concat()).exits(status);
        let told = "note: 'only.md' does not exist, using 'docs/deep/only.md'";
        assert!(outcome.text().contains(part), "{outcome}");
        outcome.tells(told);
    };
    found(&["read", "only.md:1"], 0, "# A");
    found(&["inspect", "only.md"], 0, "docs/deep/only.md:1-2:# A");
    found(&["grep", "-H", "x", "only.md"], 0, "docs/deep/only.md:2:");
    found(&["links", "only.md"], 1, "docs/deep/only.md:2:");
    let list = sandbox.run(&["list", "x/deep", "--resolve"]).exits(0).prints("docs/deep/only.md\n");
    list.tells("note: 'x/deep' does not exist, using 'docs/deep'");
    sandbox
        .run(&["list", "only.md", "--resolve"])
        .exits(2)
        .tells("and no file below has this name");
    found(&["patch", "replace", "only.md", "--text", "x", "-c", "y", "-d"], 0, "+[y](#b)");
    for words in [
        &["read", "two.md"][..],
        &["inspect", "two.md"],
        &["grep", "x", "two.md"],
        &["links", "two.md"],
        &["patch", "delete", "two.md:1"],
    ] {
        let outcome = sandbox.run(&[words, &["--resolve"]].concat()).exits(3);
        outcome.tells("2 files have this name");
    }
    sandbox
        .run(&["inspect", "none.md", "--resolve"])
        .exits(2)
        .tells("and no file below has this name");
}

#[test]
fn several_named_roots_are_the_entries_of_a_list() {
    let sandbox = Sandbox::with(&[("d1/x/a.md", ""), ("d2/b.md", ""), ("d2/c.md", "")]);
    let list = ["list", "--root", "a=d1", "--root", "b=d2"];
    sandbox.run(&list).succeeds().prints("a/\nb/\n");
    let listed = Listed::one(&sandbox.run(&[&list[..], &["--json"]].concat()).succeeds());
    assert_eq!(listed.path, ".");
    let told: Vec<_> = listed
        .entries
        .iter()
        .map(|entry| (entry.path.as_str(), entry.kind.as_str(), entry.children))
        .collect();
    assert_eq!(told, [("a", "directory", Some(1)), ("b", "directory", Some(2))]);
    sandbox.run(&[&list[..], &["b"]].concat()).succeeds().prints("b/b.md\nb/c.md\n");
    sandbox.run(&[&list[..], &["-e", "md"]].concat()).prints("b/b.md\nb/c.md\n");
}

#[test]
fn the_difference_of_a_name_is_reported() {
    let text = "# A\n\n## Set  up\n\n## No\u{a0}break\n\n## Other\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let told = |command: &[&str], name: &str, why: &str| {
        let words = [command, &["a.md", "--section", name]].concat();
        sandbox.run(&words).exits(1).tells(&format!("  # {why}\n"));
    };
    told(&["read"], "Set up", "it differs only in blanks, at line 3");
    told(&["read"], "No break", "it differs only in blanks, at line 5");
    told(&["read"], "no break", "it differs only in blanks and case, at line 5");
    let delete = ["patch", "delete"];
    told(&delete, "A > other", "it differs only in case, at line 7");
    told(&delete, "## OTHER", "it differs only in case, at line 7");
    told(&delete, "Othr", "similar, at line 7");
}

#[test]
fn targets_may_be_next_to_a_heading() {
    let text = "# A\n\n## B\n\nb\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let after = r###"{"afterHeading":"## B"}"###;
    let outcome = sandbox.run(&["read", "a.md", "--target", after]).succeeds();
    outcome.prints("\nb\n");
    let insert = ["patch", "insert", "a.md", "-d", "-c", "new", "--target"];
    let placed = |target: &str| {
        let diff = sandbox.run(&[&insert[..], &[target]].concat()).exits(0).text();
        let before = diff.lines().position(|line| line == "+new").expect("a line");
        let heading = diff.lines().position(|line| line == " ## B").expect("a heading");
        before < heading
    };
    assert!(placed(r###"{"beforeHeading":"## B"}"###) && !placed(after));
    for (side, is_before) in [("beforeHeading", true), ("afterHeading", false)] {
        let edit = format!(
            r###"{{"filePath":"a.md","operation":"insert","target":{{"{side}":"## B"}},"content":"new"}}"###
        );
        let run = ["patch", "apply", "-d"];
        let diff = sandbox.run_with_input(&run, &edit).exits(0).text();
        let at = |wanted: &str| diff.lines().position(|line| line == wanted).expect("a line");
        assert_eq!(at("+new") < at(" ## B"), is_before, "{side}");
        let edit = edit.replace("insert", "replace");
        sandbox
            .run_with_input(&run, &edit)
            .exits(2)
            .tells(&format!("{side} can only be used with insert"));
    }
}

#[test]
fn an_invalid_line_number_is_reported_with_its_file() {
    let sandbox = Sandbox::with(&[("a.md", GUIDE)]);
    let error = sandbox.run(&["read", "a.md:0", "--json"]).exits(2).json_error();
    assert_eq!(error.file_path.expect("a file"), "a.md");
}
