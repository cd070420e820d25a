//! The index: changed files, damage, languages and the cache directory.

use std::fs;
use std::path::PathBuf;

use super::{SETUP, sandbox, search};
use crate::support::Sandbox;

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
fn ignore_files_above_a_collection_are_noticed() {
    let sandbox = sandbox();
    sandbox.write(".git/info/exclude", "");
    assert_eq!(search(&sandbox, &["--keyword-only", "script"]).len(), 1);
    sandbox.write(".gitignore", "setup.md");
    assert_eq!(search(&sandbox, &["--keyword-only", "script"]).len(), 0);
    sandbox.write(".ignore", "!setup.md");
    assert_eq!(search(&sandbox, &["--keyword-only", "script"]).len(), 1);
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
