//! Results of `search` and `related`: sections that can be read, their fields and order.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use serde_json::Value;

use super::{sandbox, search};
use crate::support::Sandbox;

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
    for query in ["failed jobs", "teh job", "jobs there", "retired job", "job clippers"] {
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
fn one_translation_of_a_page_is_found_in_the_language_of_the_question() {
    let sandbox = Sandbox::with(&[("docs/other.md", "# Other\n\nA widget.\n")]);
    for (path, words) in [
        ("docs/guide.md", "Install the package with the"),
        ("docs/de/guide.md", "Installiere das Paket mit dem"),
        ("docs/fr/guide.md", "Installez le paquet avec le"),
    ] {
        sandbox.write(path, format!("# Widget\n\n{words} widget installer\n"));
    }
    let cases = [
        ("how do I use the widget installer", "guide.md"),
        ("wie benutze ich den widget installer", "de/guide.md"),
        ("comment utiliser le widget installer", "fr/guide.md"),
    ];
    for (question, first) in cases {
        let found = search(&sandbox, &[question]);
        let documents: Vec<&str> =
            found.iter().map(|found| found["documentId"].as_str().unwrap()).collect();
        assert_eq!(documents[..2], [first, "other.md"], "{question}");
    }
}

/// A directory with the name of a language need not contain translations.
#[test]
fn a_page_in_a_directory_with_a_short_name_is_found() {
    let sandbox = Sandbox::with(&[
        ("docs/onboarding.md", "# Welcome\n\nMeet the team.\n"),
        ("docs/hr/onboarding.md", "# Forms\n\nSign the payroll forms.\n"),
        ("docs/tokens.html", "<p>The session token is generated by the server.</p>\n"),
    ]);
    let first = |question| search(&sandbox, &["--limit", "1", question])[0]["documentId"].clone();
    assert_eq!(first("payroll forms"), "hr/onboarding.md");
    assert_eq!(first("session token"), "tokens.html");
}

#[test]
fn the_manual_comes_before_news() {
    let sandbox = Sandbox::with(&[
        ("docs/blog/2024-02-29-launch.md", "# Launch\n\nYou configure the proxy.\n"),
        ("docs/guide.md", "# Guide\n\nHere you configure the proxy and the server.\n"),
    ]);
    let found = search(&sandbox, &["configure proxy"]);
    assert_eq!(found[0]["documentId"], "guide.md");
    assert_eq!(found.len(), 2);
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
    assert_eq!(count(&["--limit", "10"]), (10, 6));
    assert_eq!(count(&["--limit", "10", "--per-document", "1"]).1, 1);
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
