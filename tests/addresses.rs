//! Addresses in JSON: every record contains an address, and `read` accepts it.

use crate::support::records::{File, Found, Line, Lines, LinkRecord, Listed, Record, Search};
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
fn an_invalid_line_number_is_reported_with_its_file() {
    let sandbox = Sandbox::with(&[("a.md", GUIDE)]);
    let error = sandbox.run(&["read", "a.md:0", "--json"]).exits(2).json_error();
    assert_eq!(error.file_path.expect("a file"), "a.md");
}

#[test]
fn a_printed_line_is_an_address_while_the_file_has_its_text_there() {
    let sandbox = Sandbox::with(&[("a.md", "# One\n\nx\n\n## Two\ny\nx\n")]);
    for printed in ["a.md:5-7:## Two", "a.md:5-7:One > Two", "a.md:6:y", "a.md:6:1:y"] {
        sandbox.run(&["read", printed]).exits(0);
    }
    // After another edit, the text is on another line.
    let delete = ["patch", "delete", "a.md:3:y", "--dry-run"];
    let outcome =
        sandbox.run(&delete).exits(1).tells("line 3 is not 'y'; this text is only on line 6");
    outcome.tells("folio patch delete a.md:6 --dry-run");
    let outcome = sandbox.run(&["read", "a.md:1-3:## Two"]).exits(1);
    outcome.tells("folio read a.md:5-7");
    let moved = ["patch", "move", "a.md:6:y", "--to", "a.md:2:## Two", "--dry-run"];
    sandbox.run(&moved).exits(1).tells("--to a.md:5-7");
    // Several lines have this text, or none.
    for text in ["x", "z"] {
        let outcome = sandbox.run(&["patch", "delete", &format!("a.md:5:{text}")]).exits(1);
        outcome.tells("line 5 is not").tells("folio read a.md:5");
    }
}
