//! `folio search`, `folio related` and `@` addresses. The results match the files, even after the
//! files have changed or the index was damaged.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::support::{Sandbox, outcome};

const SETUP: &str = "# Setup\n\n## Install\n\nRun the script.\n\n## Undo\n\nTake a change back.\n";

fn sandbox() -> Sandbox {
    Sandbox::with(&[
        ("docs/setup.md", SETUP),
        ("docs/deep/jobs.md", "# Jobs\n\nA failed job is retried three times.\n"),
        ("docs/.ignore", "left.md\n"),
        ("docs/left.md", "# Left\n\nThe ignored zebra.\n"),
        ("docs/data.bin", "a\0b"),
    ])
}

#[track_caller]
fn search(sandbox: &Sandbox, arguments: &[&str]) -> Vec<Value> {
    let all = [&["search", "-c", "./docs", "--json", "--content"], arguments].concat();
    let outcome = sandbox.run(&all);
    assert!(matches!(outcome.status, Some(0 | 1)), "{outcome}");
    let text = String::from_utf8(outcome.stdout).unwrap();
    let found: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for found in &found {
        check_is_there(sandbox, found);
    }
    found
}

/// Checks that a result is in its file, and has its checksum.
#[track_caller]
fn check_is_there(sandbox: &Sandbox, found: &Value) {
    let path = sandbox.path("docs").join(found["documentId"].as_str().unwrap());
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let number = |key: &str| found[key].as_u64().unwrap() as usize;
    let part = lines[number("startLine") - 1..number("endLine")].concat();
    assert_eq!(found["content"], part.as_str());
    let digest: String = Sha256::digest(&part)[..8].iter().map(|b| format!("{b:02x}")).collect();
    assert_eq!(found["rangeChecksum"], digest.as_str());
}

#[test]
fn a_first_search_finds_sections_that_can_be_read() {
    let sandbox = sandbox();
    let found = sandbox.run(&["search", "how do I take a change back", "-c", "./docs"]).succeeds();
    assert!(found.text().starts_with("./docs/setup.md:7-9:Setup > Undo: Take a change back.\n"));
    let read = sandbox.run_with_input(&["read", "--addresses-from", "-"], found.text());
    assert!(read.text().contains("## Undo\n\nTake a change back.\n"), "{read}");
}

#[test]
fn every_field_is_printed() {
    let sandbox = sandbox();
    let found = search(&sandbox, &["retrying jobs", "--limit", "1"]);
    let found = &found[0];
    assert_eq!(found["collection"], "./docs");
    assert_eq!(found["documentId"], "deep/jobs.md");
    assert_eq!(found["documentTitle"], "Jobs");
    assert_eq!(found["sectionHeading"], "Jobs");
    assert_eq!(found["snippet"], "A failed job is retried three times.");
    assert_eq!(found["address"], "./docs/deep/jobs.md:1-3");
    assert_eq!((&found["chunkIndex"], &found["totalChunks"]), (&1.into(), &1.into()));
    assert!(found["distance"].as_f64().unwrap() < 1.0);
    let score = found["relevanceScore"].as_f64().unwrap();
    assert!(score > 0.0 && score <= 1.0);
}

#[test]
fn changed_files_are_found_in_their_current_state() {
    let sandbox = sandbox();
    assert_eq!(search(&sandbox, &["--keyword-only", "walrus"]).len(), 0);
    // One file is changed several times within the resolution of its timestamp.
    for turn in 0..5 {
        sandbox.write("docs/setup.md", format!("{SETUP}\n## Walrus\n\nwalrus{turn}\n"));
        let word = format!("walrus{turn}");
        let found = search(&sandbox, &["--keyword-only", &word]);
        assert_eq!(found[0]["sectionHeading"], "Walrus", "{turn}");
    }
    sandbox.write("docs/new/other.md", "# Narwhal\n\nnarwhal\n");
    assert_eq!(search(&sandbox, &["--keyword-only", "narwhal"]).len(), 1);
    fs::remove_file(sandbox.path("docs/new/other.md")).unwrap();
    assert_eq!(search(&sandbox, &["--keyword-only", "narwhal"]).len(), 0);
    assert_eq!(search(&sandbox, &["--keyword-only", "zebra"]).len(), 0);
    sandbox.write("docs/.ignore", "");
    assert_eq!(search(&sandbox, &["--keyword-only", "zebra"]).len(), 1);
}

#[test]
fn an_outdated_index_finds_no_deleted_text() {
    let sandbox = sandbox();
    assert_eq!(search(&sandbox, &["--keyword-only", "script"]).len(), 1);
    sandbox.write("docs/setup.md", "# Other\n\nscripture and more words than before\n");
    assert_eq!(search(&sandbox, &["--keyword-only", "--no-update", "script"]).len(), 0);
    fs::remove_file(sandbox.path("docs/setup.md")).unwrap();
    assert_eq!(search(&sandbox, &["--no-update", "script"]).len(), 1, "only what is there");
}

#[test]
fn the_language_is_detected_once_there_is_enough_text() {
    let sandbox = Sandbox::with(&[("n/a.md", "# Notiz\n\nKurze Notiz.\n")]);
    sandbox.run(&["collection", "add", "n", "n"]).succeeds();
    let text = "Die Installationen werden mit dem Skript gestartet, und der Server liest die \
                Datei von der Platte.\n";
    for name in ["b", "c", "d"] {
        sandbox.write(format!("n/{name}.md"), format!("# {name}\n\n{}", text.repeat(3)));
    }
    sandbox.write("n/image.png", [0, 1, 2].repeat(1000));
    let update = sandbox.run(&["collection", "update", "n"]).succeeds();
    assert!(!update.errors().contains("damaged"), "{update}");
    let question = ["search", "--keyword-only", "--no-correction", "-c", "n", "Installation"];
    assert_eq!(sandbox.run(&question).succeeds().text().lines().count(), 3);
}

#[test]
fn a_directory_takes_precedence_over_a_collection_of_its_name() {
    let here = ("@types/f.md", "# Here\n\nalpha local\n");
    let there = ("other/f.md", "# There\n\nalpha elsewhere\n");
    let sandbox = Sandbox::with(&[("top.md", "[x](@types/f.md#here)\n"), here, there]);
    sandbox.run(&["collection", "add", "types", "other"]).succeeds();
    let found = sandbox.run(&["grep", "alpha", "@types", "."]).succeeds();
    let local = "@types/f.md:3:alpha local\n";
    assert_eq!(found.text(), format!("{local}other/f.md:3:alpha elsewhere\n"));
    sandbox.run(&["links", "top.md"]).succeeds();
    sandbox.run(&["patch", "replace", "@types", "--text", "alpha", "-c", "beta"]).succeeds();
    let read = |name| fs::read_to_string(sandbox.path(name)).unwrap();
    assert_eq!(read(here.0), here.1.replace("alpha", "beta"));
    assert_eq!(read(there.0), there.1);
    let search = sandbox.run(&["search", "--keyword-only", "-c", "types", "alpha"]).succeeds();
    let text = search.text();
    let (address, _) = text.split_once(": ").expect("a result");
    let address = address.rsplit_once(':').map_or(address, |(address, _)| address);
    assert!(sandbox.run(&["read", address]).succeeds().text().contains("There"), "{search}");
}

#[test]
fn a_stop_word_of_one_collection_is_found_in_another() {
    let german = "Der Server wird mit dem Skript gestartet und liest die Datei von der Platte.\n";
    let english = "The die is made of steel, and it cracks if it is not cooled by the oil.\n";
    let sandbox = Sandbox::with(&[]);
    sandbox.write("a/a.md", format!("# Server\n\n{}", german.repeat(5)));
    sandbox.write("z/z.md", format!("# Die\n\n{}", english.repeat(5)));
    for name in ["a", "z"] {
        sandbox.run(&["collection", "add", name, name]).succeeds();
    }
    let found =
        sandbox.run(&["search", "-c", "all", "--keyword-only", "what a die does"]).succeeds();
    assert!(found.text().starts_with("@z/z.md:1-"), "{found}");
}

#[test]
fn a_damaged_index_is_rebuilt() {
    let sandbox = sandbox();
    search(&sandbox, &["script"]);
    let directory = sandbox.path(".cache/folio/collections");
    let files = || {
        let entries = fs::read_dir(&directory).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    for damage in [b"".as_slice(), b"no index at all"] {
        files().iter().for_each(|file| fs::write(file, damage).unwrap());
        let outcome = sandbox.run(&["search", "-c", "./docs", "script"]).exits(0);
        assert!(outcome.text().contains("setup.md:3-5"), "{outcome}");
    }
    let file = files().into_iter().find(|file| file.to_string_lossy().ends_with("db")).unwrap();
    let bytes = fs::read(&file).unwrap();
    let filled = [&bytes[..bytes.len() / 2], &vec![0x5a; bytes.len() / 2]].concat();
    // Most of these lengths end within a page.
    let truncated = (1..6).map(|sixths| bytes[..bytes.len() * sixths / 6 + 7].to_vec());
    for damaged in truncated.chain([filled]) {
        fs::write(&file, damaged).unwrap();
        assert_eq!(search(&sandbox, &["--keyword-only", "script"]).len(), 1);
    }
}

/// The database is valid, but its contents are wrong.
#[test]
fn related_rebuilds_a_damaged_index() {
    let sandbox = sandbox();
    let related = ["related", "docs/setup.md", "-c", "./docs"];
    let before = sandbox.run(&related).succeeds();
    let mut files = fs::read_dir(sandbox.path(".cache/folio/collections")).unwrap();
    let is_database = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "db");
    let file = files.find_map(|entry| Some(entry.unwrap().path()).filter(is_database)).unwrap();
    let index = rusqlite::Connection::open(file).unwrap();
    index.execute("DELETE FROM sections", []).unwrap();
    drop(index);
    let outcome = sandbox.run(&related).exits(0).tells("was damaged and is being rebuilt");
    assert_eq!(outcome.stdout, before.stdout);
}

/// The values in an index are checked before use: a length is not used to allocate memory, and a
/// number is not used as an index, without a check.
#[test]
fn an_index_with_altered_values_is_rebuilt() {
    for change in [
        "UPDATE sections SET tokens = x'FFFF03'",
        "UPDATE sections SET start = 0, size = 99999999999",
        "UPDATE sections SET last_line = last_line + 21",
        "UPDATE sections SET first_line = first_line + 1, last_line = last_line + 1",
        "UPDATE sections SET trail = 'Other'",
        "UPDATE documents SET title = 'Other'",
        "UPDATE sections SET start = 9223372036854775807, size = 1",
        "UPDATE facts SET value = 99999999999 WHERE name = 'next_section'",
    ] {
        let sandbox = sandbox();
        let question = ["search", "-c", "./docs", "script"];
        let before = sandbox.run(&question).exits(0);
        let mut files = fs::read_dir(sandbox.path(".cache/folio/collections")).unwrap();
        let is_database = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "db");
        let file = files.find_map(|entry| Some(entry.unwrap().path()).filter(is_database)).unwrap();
        let index = rusqlite::Connection::open(file).unwrap();
        assert!(index.execute(change, []).unwrap() > 0, "{change}");
        drop(index);
        let outcome = sandbox.run(&question).exits(0);
        assert_eq!(outcome.text(), before.text(), "{change}");
    }
}

#[test]
fn related_reads_changed_documents_again() {
    let sandbox = sandbox();
    let related = ["related", "docs/setup.md", "-c", "./docs", "--limit", "50"];
    let count = || sandbox.run(&related).succeeds().text().lines().count();
    let before = count();
    sandbox
        .write("docs/deep/jobs.md", "# Jobs\n\nOther text, longer than what was there before.\n");
    let as_it_is = [related.as_slice(), &["--no-update"]].concat();
    sandbox.run(&as_it_is).exits(1).tells("1 section left out: their files have changed");
    assert_eq!(count(), before);
}

#[test]
fn many_queries_are_answered_in_order() {
    let sandbox = sandbox();
    let found = search(&sandbox, &["-q", "failed job", "-q", "script", "--limit", "1"]);
    let queries: Vec<&str> = found.iter().map(|found| found["query"].as_str().unwrap()).collect();
    assert_eq!(queries, ["failed job", "script"]);
    let again = search(&sandbox, &["-q", "failed job", "-q", "script", "--limit", "1"]);
    assert_eq!(found, again);
}

#[test]
fn conditions_restrict_results() {
    let sandbox = sandbox();
    let paths = |query: &str| -> Vec<String> {
        let found = search(&sandbox, &[query, "--limit", "9"]);
        let path = |found: &Value| found["address"].as_str().unwrap().to_owned();
        found.iter().map(path).collect()
    };
    assert_eq!(paths("\"take a change\""), ["./docs/setup.md:7-9"]);
    assert_eq!(paths("\"change take\""), Vec::<String>::new());
    assert!(!paths("script -script").contains(&"./docs/setup.md:3-5".to_owned()));
    assert_eq!(paths("title:jobs"), ["./docs/deep/jobs.md:1-3"]);
    assert_eq!(paths("job path:deep/*"), ["./docs/deep/jobs.md:1-3"]);
    assert!(paths("job").contains(&"./docs/deep/jobs.md:1-3".to_owned()));
    for excluded in ["-path:deep/*", "-title:jobs"] {
        let found = paths(&format!("script job {excluded}"));
        assert!(!found.is_empty() && !found.concat().contains("jobs.md"), "{found:?}");
    }
}

#[test]
fn unusual_queries_and_names_are_answered() {
    let sandbox = sandbox();
    sandbox.write("docs/a b: c#1.md", "# Odd\n\nOddity here.\n");
    fs::write(
        sandbox.path("docs").join(std::ffi::OsStr::from_bytes(b"caf\xe9.md")),
        "# Latin\n\nLatinity here.\n",
    )
    .unwrap();
    std::os::unix::fs::symlink(".", sandbox.path("docs/loop")).unwrap();
    let text = sandbox.run(&["search", "-c", "./docs", "oddity"]).succeeds();
    let read = sandbox.run_with_input(&["read", "--addresses-from", "-"], &text.stdout);
    assert!(read.text().contains("Oddity here."), "{read}");
    let text = sandbox.run(&["search", "-c", "./docs", "latinity", "-0", "--limit", "1"]);
    let read = sandbox.run_with_input(&["read", "--addresses-from", "-", "-0"], &text.stdout);
    assert!(String::from_utf8_lossy(&read.stdout).contains("Latinity here."), "{read}");
    let long = "word ".repeat(2000);
    for query in ["the", "日本語", "5\" disk", "\"never closed", "a -", long.as_str(), "C# --flag"]
    {
        let outcome = sandbox.run(&["search", "-c", "./docs", query]);
        assert!(matches!(outcome.status, Some(0 | 1)), "{query}: {outcome}");
    }
}

#[test]
fn collections_are_confined_by_roots() {
    let sandbox = sandbox();
    sandbox.write("other/x.md", "# X\n\nwords\n");
    sandbox.run(&["collection", "add", "docs", "docs"]).succeeds();
    sandbox.run(&["collection", "add", "other", "other"]).succeeds();
    sandbox.run(&["--root", "docs", "read", "@docs/setup.md:1"]).prints("# Setup\n");
    let outcome = sandbox.run(&["--root", "docs", "read", "@other/x.md:1", "--json"]).exits(2);
    assert_eq!(outcome.json_errors()[0].code, "COLLECTION_NOT_FOUND");
    sandbox.run(&["--root", "docs", "read", "@docs/../other/x.md"]).exits(2);
    let list = sandbox.run(&["--root", "docs", "collection", "list"]).succeeds().text();
    assert!(list.contains("@docs") && !list.contains("@other"), "{list}");
    sandbox.run(&["--root", "docs", "search", "-c", "other", "words"]).exits(2);
}

#[test]
fn collections_are_addresses_for_every_command() {
    let sandbox = sandbox();
    sandbox.run(&["collection", "add", "docs", "docs", "--alias", "d"]).succeeds();
    let outline = sandbox.run(&["inspect", "-O", "@d/setup.md"]).succeeds().text();
    assert!(outline.starts_with("@d/setup.md:1-9:# Setup\n"), "{outline}");
    let hits = sandbox.run(&["grep", "-H", "change", "@docs"]).succeeds().text();
    assert_eq!(hits, "@docs/setup.md:9:Take a change back.\n");
    let patch = ["patch", "replace", "@docs/setup.md", "--text", "script", "-c", "installer"];
    sandbox.run(&patch).succeeds();
    assert!(fs::read_to_string(sandbox.path("docs/setup.md")).unwrap().contains("installer"));
    sandbox.run(&["undo"]).succeeds();
    assert_eq!(fs::read_to_string(sandbox.path("docs/setup.md")).unwrap(), SETUP);
    sandbox.run(&["links", "@docs"]).succeeds();
    sandbox.write("@docs/own.md", "own\n");
    sandbox.run(&["read", "./@docs/own.md"]).prints("own\n");
    let found = sandbox.run(&["search", "-c", "d", "script", "--limit", "1"]).succeeds().text();
    assert!(found.starts_with("@d/setup.md:3-5:Setup > Install: "), "{found}");
}

#[test]
fn a_last_operand_that_is_a_directory_is_searched() {
    let sandbox = sandbox();
    sandbox.write("other/a.md", "# Other\n\nRun another script.\n");
    let search = |operands: &[&str]| sandbox.run(&[&["search"], operands].concat()).exits(0);
    for directory in ["other", "other/", "./other"] {
        let outcome = search(&["script", directory]);
        assert!(outcome.text().lines().all(|line| line.contains("other/a.md")), "{outcome}");
        outcome.tells(&format!("searched the directory '{directory}'; after --, it is a word"));
    }
    search(&["-q", "script", "other"]).tells("searched the directory 'other'");
    for words in [&["--", "script", "other"][..], &["script other"], &["other"]] {
        let outcome = search(words);
        assert!(outcome.text().contains("docs/setup.md"), "{outcome}");
        assert!(!outcome.errors().contains("searched the directory"), "{outcome}");
    }
    search(&["other/", "script"]).tells("'other/' is a word of the query 'other/ script'");
    search(&["script", "other/a.md"]).tells("'other/a.md' is a word of the query");
    sandbox.run(&["search", "script", "missing/"]).exits(2).tells("No such file");
}

#[test]
fn the_scope_is_the_collection_around_the_current_directory_or_that_directory() {
    let sandbox = sandbox();
    sandbox.write("other/deep/a.md", "# Other\n\nRun another script.\n");
    sandbox.run(&["collection", "add", "aa", "docs"]).succeeds();
    let search = |directory: &str, arguments: &[&str]| {
        let mut command = sandbox.command();
        command.current_dir(sandbox.path(directory)).arg("search").args(arguments).arg("script");
        outcome(&mut command, b"").exits(0)
    };
    let here = search("other", &[]);
    assert!(here.text().lines().all(|line| line.starts_with("deep/a.md:")), "{here}");
    here.tells("searched the current directory; to search all collections: folio search script --collection all");
    let inside = search("docs/deep", &[]);
    assert!(inside.text().starts_with("@aa/setup.md:"), "{inside}");
    inside.tells("searched the collection 'aa'");
    assert!(search("other", &["-c", "all"]).text().starts_with("@aa/setup.md:"));
    // A document is compared within its own collection.
    let related = sandbox.run(&["related", "docs/setup.md"]).exits(0);
    assert!(related.text().starts_with("@aa/"), "{related}");
    sandbox.run(&["collection", "remove", "aa"]).succeeds();
    sandbox.run(&["search", "-c", "all", "script"]).exits(2).tells("no collections");
}

#[test]
fn a_collection_is_removed_by_its_address() {
    let sandbox = sandbox();
    sandbox.run(&["collection", "add", "aa", "docs"]).succeeds();
    sandbox.run(&["search", "-c", "@aa/", "script"]).succeeds();
    assert_eq!(fs::read_dir(sandbox.path(".cache/folio/collections")).unwrap().count(), 1);
    sandbox.run(&["collection", "remove", "@aa/"]).succeeds();
    sandbox.run(&["collection", "list"]).exits(0).tells("no collections");
    assert_eq!(fs::read_dir(sandbox.path(".cache/folio/collections")).unwrap().count(), 0);
    sandbox.run(&["collection", "remove", "@aa/"]).exits(2).tells("no collection 'aa'");
}

#[test]
fn the_index_of_a_deleted_directory_can_be_removed() {
    let sandbox = sandbox();
    search(&sandbox, &["script"]);
    fs::rename(sandbox.path("docs"), sandbox.path("old")).unwrap();
    sandbox.run(&["collection", "remove", "./dosc"]).exits(2).tells("No such file");
    sandbox.run(&["collection", "remove", "./docs"]).succeeds();
    assert_eq!(fs::read_dir(sandbox.path(".cache/folio/collections")).unwrap().count(), 0);
    sandbox.run(&["collection", "remove", "./docs"]).exits(2).tells("No such file");
    sandbox.run(&["collection", "remove", "./old"]).exits(2).tells("has no index");
}

#[test]
fn words_that_do_not_occur_are_corrected() {
    let sandbox = sandbox();
    let queries = [
        ("a fialed job", "a failed job"),
        ("Retreid job", "Retried job"),
        ("setup undoFialedJob", "setup undoFailedJob"),
        ("\"fialed job\" scirpt", "\"fialed job\" script"),
    ];
    for (query, corrected) in queries {
        let outcome = sandbox.run(&["search", "-c", "./docs", "--json", query]);
        let found = outcome.text().lines().next().map(|line| serde_json::from_str(line).unwrap());
        let found: Value = found.unwrap_or_default();
        let is_empty = found.is_null();
        assert!(is_empty || found["correctedQuery"] == corrected, "{query}: {outcome}");
        assert!(is_empty || found["query"] == query, "{query}: {outcome}");
        assert!(outcome.errors().contains("searched for "), "{query}: {outcome}");
    }
    for query in ["failed jobs", "teh job", "jobs there"] {
        let outcome = sandbox.run(&["search", "-c", "./docs", query]).succeeds();
        assert!(!outcome.errors().contains("searched for"), "{query}: {outcome}");
    }
    sandbox
        .run(&["search", "-c", "./docs", "fialed job fialed"])
        .exits(0)
        .tells("instead of 'fialed'; to search");
    let as_typed = ["search", "-c", "./docs", "--keyword-only", "--no-correction", "fialed"];
    sandbox.run(&as_typed).exits(1).tells("'fialed' occurs in no section");
}

#[test]
fn changing_the_language_rebuilds_the_index() {
    let sandbox = Sandbox::with(&[("docs/a.md", "# A\n\nViele Häuser.\n")]);
    let line = ["search", "-c", "./docs", "--keyword-only", "--no-correction", "haus"];
    sandbox.run(&line).exits(1);
    sandbox.write("docs/folio.toml", "language = \"german\"\n");
    sandbox.run(&line).exits(0);
    fs::remove_file(sandbox.path("docs/folio.toml")).unwrap();
    sandbox.run(&line).exits(1);
}

#[test]
fn sections_named_like_the_query_come_first() {
    let sandbox = Sandbox::with(&[
        ("docs/a.md", "# Lock\n\nThe app.requestLock and app.requestLock of eip 1559, eip 1559.\n"),
        ("docs/b.md", "# B\n\n## `app.requestLock([data])`\n\nKeeps others out.\n"),
        ("docs/eip-1559.md", "# Fee market\n\nA change.\n"),
    ]);
    let cases = [
        ("app.requestLock", "b.md"),
        ("requestLock", "b.md"),
        ("requestlock", "b.md"),
        ("EIP 1559", "eip-1559.md"),
    ];
    for (query, path) in cases {
        assert_eq!(search(&sandbox, &[query])[0]["documentId"], path, "{query}");
    }
}

#[test]
fn a_word_with_dots_is_found_by_its_parts_in_order() {
    let versions: Vec<String> =
        (0..512).map(|n| format!("{}.{}.{}", n / 64, n / 8 % 8, n % 8)).collect();
    let section = |version: &String| format!("## v{version}\n\n- Fix 1 of 2 and 3 of 4.\n\n");
    let text: String = versions.iter().rev().map(section).collect();
    let sandbox = Sandbox::with(&[("docs/changes.md", &format!("# Changes\n\n{text}"))]);
    for version in ["1.2.3", "v3.2.1", "2.1.2", "4.4.4"] {
        let found = search(&sandbox, &[version, "--limit", "1"]);
        let heading = found[0]["sectionHeading"].as_str().unwrap();
        assert_eq!(heading.trim_start_matches('v'), version.trim_start_matches('v'));
    }
}

#[test]
fn all_of_a_long_line_is_searched() {
    let line = format!("{}zebra{}", "word ".repeat(40_000), " other".repeat(40_000));
    let sandbox = Sandbox::with(&[("docs/a.md", &format!("# A\n\n{line}\n"))]);
    for query in ["zebra", "other", "word"] {
        let found = search(&sandbox, &[query]);
        assert_eq!((found.len(), &found[0]["startLine"]), (1, &serde_json::json!(1)), "{query}");
    }
}

#[test]
fn headings_without_text_are_found() {
    let changes = "# Changelog\n\n## [1.12.2] Xylophone\n\n### Fixed\n\n- A bug in the parser.\n";
    let sandbox = Sandbox::with(&[
        ("docs/changes.md", changes),
        ("docs/other.md", "# Other\n\nSomething about the xylophone 1.12.2, a xylophone.\n"),
    ]);
    let found = search(&sandbox, &["--keyword-only", "1.12.2 xylophone"]);
    assert_eq!(found[0]["headingPath"][1], "[1.12.2] Xylophone");
    assert_eq!(found[0]["sectionHeading"], "Fixed");
}

#[test]
fn results_come_from_several_documents() {
    let section = |number: u32| format!("## Part {number}\n\nA bear in the woods, {number}.\n\n");
    let long: String = (0..6).map(section).collect();
    let sandbox = Sandbox::with(&[
        ("docs/en/long.md", &long),
        ("docs/de/long.md", &long),
        ("docs/x.md", &section(7)),
        ("docs/y.md", &section(8)),
        ("docs/z.md", &section(9)),
        ("docs/other.md", "# Other\n\nPrime numbers.\n"),
    ]);
    let count = |more: &[&str]| {
        let found = search(&sandbox, &[&["bear in the woods"], more].concat());
        let is_long = |found: &&Value| found["documentId"].as_str().unwrap().contains("long");
        (found.len(), found.iter().filter(is_long).count())
    };
    assert_eq!(count(&[]), (5, 2));
    assert_eq!(count(&["--limit", "10"]), (10, 7));
    assert_eq!(count(&["--limit", "10", "--per-document", "1"]).1, 1);
}

#[test]
fn the_language_is_detected_unless_set() {
    let german = "# Server\n\nDer Server wird mit dem Skript gestartet, wenn er nicht bereits läuft \
                  und die Dateien von der Platte gelesen sind.\n";
    let sandbox = Sandbox::with(&[("docs/a.md", german)]);
    let found = |query: &str| search(&sandbox, &["--keyword-only", "--no-correction", query]).len();
    assert_eq!((found("Datei"), found("Skripte")), (1, 1), "German stems");
    sandbox.write("docs/folio.toml", "language = 'english'\n");
    assert_eq!(found("Datei"), 0);
    fs::remove_file(sandbox.path("docs/folio.toml")).unwrap();
    assert_eq!(found("Datei"), 1);
    sandbox.write("docs/b.md", "# Other\n\nThe file is read from the disk by the server.\n");
    assert_eq!(found("Datei"), 1, "it is detected once");
}

#[test]
fn a_directory_needs_no_slash() {
    let sandbox = sandbox();
    let outcome = sandbox.run(&["search", "-c", "docs", "script"]).exits(0);
    assert!(outcome.text().starts_with("./docs/setup.md:3-5:"), "{outcome}");
    outcome.tells("no collection 'docs': searched the directory ./docs");
    sandbox.run(&["related", "docs/setup.md", "-c", "docs"]).exits(0).tells("the directory ./docs");
    sandbox.run(&["collection", "show", "docs"]).exits(2);
}

#[test]
fn only_some_absent_words_are_named() {
    let sandbox = sandbox();
    let query: String = ('a'..='t').map(|last| format!("qqwx{last} qqwxa ")).collect();
    let outcome = sandbox.run(&["search", "-c", "./docs", "--keyword-only", &query]).exits(1);
    let absent = outcome.errors().split("; ").nth(1).unwrap_or_default().to_owned();
    assert_eq!(absent.matches("'qqwx").count(), 8, "{absent}");
    assert!(absent.contains("'qqwxh' occur in no section"), "{absent}");
}

#[test]
fn related_sections_are_in_other_documents_by_default() {
    let sandbox = sandbox();
    sandbox.write("docs/rollback.md", "# Rollback\n\nRevert the last change.\n");
    sandbox.run(&["collection", "add", "docs", "docs"]).succeeds();
    let related = |more: &[&str]| {
        let all = [&["related", "@docs/setup.md:7-9"], more].concat();
        sandbox.run(&all).succeeds().text()
    };
    let found = related(&["--limit", "1"]);
    assert!(found.starts_with("@docs/rollback.md:1-3:"), "{found}");
    assert!(!related(&[]).contains("setup.md"));
    assert!(related(&["--same-document"]).starts_with("@docs/setup.md:7-9:"));
    let passage = related(&["--chunk", "jobs that fail are tried again", "--limit", "1"]);
    assert!(passage.starts_with("@docs/deep/jobs.md:1-3:"), "{passage}");
}

#[test]
fn related_distinguishes_other_files_from_files_elsewhere() {
    let sandbox = sandbox();
    for other in ["docs/data.bin", "docs/left.md", "docs/deep"] {
        let outcome = sandbox.run(&["related", other, "-c", "./docs"]).exits(2);
        outcome.tells("it is in ./docs, but not a document");
    }
    let outcome = sandbox.run(&["related", "./docs/setup.md", "-c", "./docs/deep"]).exits(2);
    outcome.tells("it is not in ./docs/deep").tells("related ./docs/setup.md -c ./docs  #");
}

#[test]
fn a_cache_that_cannot_be_created_is_named() {
    let sandbox = sandbox();
    sandbox.write(".cache/folio", "");
    let outcome = sandbox.run(&["search", "-c", "./docs", "script"]).exits(0);
    outcome.tells("is not kept for other runs: ").tells(".cache/folio': Not a directory");
}

#[test]
fn an_index_that_cannot_be_written_is_read() {
    if rustix::process::geteuid().is_root() {
        eprintln!("skipped: root may write everywhere");
        return;
    }
    let sandbox = sandbox();
    search(&sandbox, &["script"]);
    let directory = sandbox.path(".cache/folio/collections");
    let set = |mode: u32| {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&directory, fs::Permissions::from_mode(mode)).unwrap();
    };
    set(0o500);
    let outcome = sandbox.run(&["search", "-c", "./docs", "script"]);
    set(0o700);
    outcome.succeeds();
}

/// There are more sections than one transaction contains, so the runs alternate.
#[test]
fn concurrent_first_searches_have_the_same_answer() {
    let sandbox = Sandbox::new();
    for at in 0..70 {
        let part = |part: usize| format!("## Part {part}\n\nWord{} of {at}.\n\n", part * at);
        let text: String = (0..60).map(part).collect();
        sandbox.write(format!("docs/{at}.md"), format!("# Document {at}\n\n{text}"));
    }
    let answers: Vec<String> = std::thread::scope(|scope| {
        let run = || sandbox.run(&["search", "-c", "./docs", "part of word", "--limit", "3"]);
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
        let outcomes = runs.into_iter().map(|run| run.join().unwrap().succeeds());
        outcomes.map(|outcome| format!("{}{}", outcome.text(), outcome.errors())).collect()
    });
    assert!(!answers[0].contains("damaged"), "{}", answers[0]);
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:#?}");
}

#[test]
fn concurrent_searches_while_files_change() {
    let sandbox = sandbox();
    search(&sandbox, &["script"]);
    std::thread::scope(|scope| {
        for searcher in 0..4 {
            let sandbox = &sandbox;
            scope.spawn(move || {
                for _ in 0..4 {
                    let outcome =
                        sandbox.run(&["search", "-c", "./docs", "--keyword-only", "count"]);
                    assert!(matches!(outcome.status, Some(0 | 1)), "{searcher}: {outcome}");
                }
            });
        }
        for turn in 0..20 {
            let text = format!("# Count\n\n{}count {turn}\n", "line\n".repeat(turn));
            // Replace the file atomically, as editors do.
            sandbox.write("docs/.count", text);
            fs::rename(sandbox.path("docs/.count"), sandbox.path("docs/count.md")).unwrap();
        }
    });
    assert_eq!(search(&sandbox, &["--keyword-only", "count"]).len(), 1);
}

#[test]
fn an_invalid_glob_is_refused_before_a_collection_is_stored() {
    let sandbox = Sandbox::with(&[("d/a.md", "# A\n\nword\n")]);
    let add = ["collection", "add", "n", "d", "--include", "["];
    sandbox.run(&add).exits(2).tells("glob '[': unclosed character class");
    assert!(!sandbox.run(&["collection", "list"]).text().contains("@n"));
    let both = ["search", "-c", "d", "--keyword-only", "--semantic-only", "word"];
    sandbox.run(&both).exits(2).tells("--keyword-only cannot be used with --semantic-only");
}

#[test]
fn a_file_name_may_have_its_extension() {
    let sandbox = Sandbox::with(&[
        ("m/setup-guide.md", "# Guide\n\nText about nothing.\n"),
        ("m/z.md", "# Else\n\nsee setup-guide.md and setup-guide.md for setup guide.\n"),
    ]);
    for query in ["setup-guide", "setup-guide.md", "m/setup-guide.md"] {
        let found = sandbox.run(&["search", "-c", "m", query]).exits(0).text();
        assert!(found.starts_with("./m/setup-guide.md:"), "{query}: {found}");
    }
}
