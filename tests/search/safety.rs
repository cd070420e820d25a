//! Indexes in difficult situations: killed runs, full or read-only disks, damage, and concurrent
//! writers. The next search gives the correct answer, and errors are reported.
//!
//! strace injects faults, and unshare creates separate mounts. If one of them is missing, tests
//! print a note. To run all tests: `cargo test --release --test it search::safety -- --ignored
//! --nocapture`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::support::system::{has, with_mounts};
use crate::support::{Outcome, Sandbox, outcome};

const SEARCH: &[&str] =
    &["search", "-c", "./docs", "--json", "--content", "the retried job", "--limit", "20"];
const UPDATE: &[&str] = &["search", "-c", "./docs", "--keyword-only", "nothing at all"];

/// Creates documents, some of which change during the test.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for at in 0..6 {
        let section = |part: usize| format!("## Part {part}\n\nA failed job {at} is retried.\n\n");
        let text: String = (0..5).map(section).collect();
        sandbox.write(format!("docs/{at}.md"), format!("# Document {at}\n\n{text}"));
    }
    sandbox
}

fn change(sandbox: &Sandbox) {
    sandbox.write("docs/1.md", "# Document 1\n\nThe job was retried and is done.\n");
    sandbox.write("docs/new.md", "# New\n\nThe retried job, anew.\n");
    fs::remove_file(sandbox.path("docs/2.md")).unwrap();
}

// Kills.

/// Runs folio under strace. Returns `None` if strace is not installed.
fn traced(sandbox: &Sandbox, strace: &[&str], arguments: &[&str]) -> Outcome {
    let mut command = sandbox.command_of("strace");
    command.args(["-f", "-o", "trace"]).args(strace).arg(env!("CARGO_BIN_EXE_folio"));
    outcome(command.args(arguments), b"")
}

/// Returns how often each system call occurs.
fn calls(sandbox: &Sandbox) -> BTreeMap<String, usize> {
    let trace = fs::read_to_string(sandbox.path("trace")).unwrap();
    let mut calls = BTreeMap::new();
    for line in trace.lines() {
        let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
        let name = line.split('(').next().unwrap_or_default();
        if name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_') {
            *calls.entry(name.to_owned()).or_default() += 1;
        }
    }
    calls
}

/// Creates a sandbox with an outdated index or without an index.
fn behind(has_index: bool) -> Sandbox {
    let sandbox = sandbox();
    if has_index {
        sandbox.run(UPDATE).exits(1);
    }
    change(&sandbox);
    sandbox
}

/// Returns what to compare of an answer: addresses and texts. Scores depend on the weights of
/// tokens, which may be outdated.
fn places(found: &Outcome) -> Vec<String> {
    let text = String::from_utf8_lossy(&found.stdout);
    let mut places: Vec<String> = text
        .lines()
        .map(|line| {
            let found: Value = serde_json::from_str(line).unwrap();
            format!("{} {} {}", found["address"], found["rangeChecksum"], found["content"])
        })
        .collect();
    places.sort_unstable();
    places
}

/// Kills runs that update an index at each of their system calls.
fn kill(has_index: bool, wanted: impl Fn(&str) -> bool) {
    if !has("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let sandbox = behind(has_index);
    traced(&sandbox, &[], UPDATE).exits(1);
    let calls = calls(&sandbox);
    let right = places(&sandbox.run(SEARCH).succeeds());
    let (mut count, mut problems) = (0, Vec::new());
    for (call, times) in calls.iter().filter(|(call, _)| wanted(call)) {
        for time in 1..=*times {
            let sandbox = behind(has_index);
            let injected = format!("inject={call}:signal=SIGKILL:when={time}");
            let killed = traced(&sandbox, &["-e", &injected], UPDATE);
            count += usize::from(killed.status != Some(1));
            let next = sandbox.run(SEARCH);
            let spools = fs::read_dir(sandbox.path(".cache/folio/collections")).unwrap();
            let is_left =
                |path: &PathBuf| path.extension().is_some_and(|extension| extension == "spool");
            let left = spools.filter(|entry| is_left(&entry.as_ref().unwrap().path())).count();
            if next.status != Some(0) || places(&next) != right || !next.errors().is_empty() {
                problems.push(format!("{injected}: {next}"));
            }
            if left > 1 {
                problems.push(format!("{injected}: {left} spools are left"));
            }
        }
    }
    eprintln!("{count} kills, {} failures", problems.len());
    assert!(count > 0, "nothing was killed");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Whether a system call changes the disk and is rare.
fn is_rare_change(call: &str) -> bool {
    ["fdatasync", "ftruncate", "mkdir", "unlink", "rename"].contains(&call)
}

#[test]
fn the_next_search_recovers_from_a_kill_during_indexing() {
    kill(false, is_rare_change);
}

#[test]
fn the_next_search_recovers_from_a_kill_during_an_update() {
    kill(true, is_rare_change);
}

#[test]
#[ignore = "takes minutes: a kill at each call"]
fn a_kill_at_any_call() {
    kill(false, |_| true);
    kill(true, |_| true);
}

// Disks.

#[test]
fn on_a_full_disk_nothing_is_lost() {
    let sandbox = sandbox();
    let section = |at: usize| format!("## Part {at}\n\nWord{at} of many others {}.\n\n", at * 7);
    sandbox.write("large/a.md", (0..3000).map(section).collect::<String>());
    let script = "mkdir disk && mount -t tmpfs -o size=300k none disk &&
        export XDG_CACHE_HOME=$PWD/disk &&
        $FOLIO search -c ./large 'word7 of many' --limit 1; echo $?;
        $FOLIO search -c ./large 'word7 of many' --limit 1 2>/dev/null; echo $?;
        mount -o remount,size=30m disk &&
        $FOLIO search -c ./large --keyword-only 'word7' --limit 1; echo $?";
    let Some(outcome) = with_mounts(&sandbox, script) else { return };
    let text = outcome.text();
    assert!(text.starts_with("2\n2\n./large/a.md:29-31:Part 7: Word7 of"), "{outcome}");
    assert!(text.ends_with("\n0\n"), "{outcome}");
    assert!(
        outcome.errors().contains("full") && !outcome.errors().contains("damaged"),
        "{outcome}"
    );
}

#[test]
fn an_index_on_a_full_disk_is_used_without_an_update() {
    let sandbox = sandbox();
    let section = |at: usize| format!("## Part {at}\n\nWord{at} of many others {}.\n\n", at * 7);
    sandbox.write("more.md", (0..3000).map(section).collect::<String>());
    let script = "mkdir disk && mount -t tmpfs -o size=600k none disk &&
        export XDG_CACHE_HOME=$PWD/disk &&
        $FOLIO search -c ./docs 'job 3 retried' --limit 1; echo $?;
        cp more.md docs/; head -c 9m /dev/zero > disk/filled 2>/dev/null;
        $FOLIO search -c ./docs 'job 3 retried' --limit 1; echo $?;
        rm disk/filled; mount -o remount,size=30m disk &&
        $FOLIO search -c ./docs --keyword-only word7 --limit 1; echo $?";
    let Some(outcome) = with_mounts(&sandbox, script) else { return };
    let answers: Vec<String> = outcome.text().lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), 6, "{outcome}");
    assert_eq!((&answers[1], &answers[3]), (&"0".to_owned(), &"0".to_owned()), "{outcome}");
    assert_eq!(answers[0], answers[2], "{outcome}");
    assert!(answers[4].contains("Word7"), "{outcome}");
    assert!(outcome.errors().contains("was not updated: the disk is full"), "{outcome}");
    assert!(!outcome.errors().contains("damaged"), "{outcome}");
}

#[test]
fn an_index_that_cannot_be_written_is_used_without_an_update() {
    let sandbox = sandbox();
    let script = "mkdir disk && mount -t tmpfs none disk && export XDG_CACHE_HOME=$PWD/disk &&
        $FOLIO search -c ./docs 'job 3 retried' --limit 1; echo $?;
        mount -o remount,ro disk && printf 'other\n' > docs/0.md;
        $FOLIO search -c ./docs 'job 3 retried' --limit 1; echo $?;
        $FOLIO collection update ./docs; echo $?;
        $FOLIO search -c ./docs 'job 0 retried' --limit 30 | grep -c docs/0.md;
        rm -r docs; mkdir docs; printf 'x\n' > docs/x.md;
        $FOLIO search -c ./docs 'job'; echo $?";
    let Some(outcome) = with_mounts(&sandbox, script) else { return };
    let lines: Vec<String> = outcome.text().lines().map(str::to_owned).collect();
    assert_eq!((&*lines[1], &*lines[3]), ("0", "0"), "{outcome}");
    assert_eq!(lines[0], lines[2], "{outcome}");
    // The index is outdated but cannot be written. Sections of deleted files are not found.
    assert_eq!(lines[4..], ["2", "0", "1"], "{outcome}");
    assert!(outcome.errors().contains("was not updated: it cannot be written"), "{outcome}");
    assert!(outcome.errors().contains("left out: their files have changed"), "{outcome}");
}

#[test]
fn without_a_cache_directory_the_index_is_not_kept() {
    let sandbox = sandbox();
    let script = "mkdir disk tmp && mount -t tmpfs none disk && mount -o remount,ro disk &&
        export TMPDIR=$PWD/tmp && touch file
        $FOLIO search -c ./docs 'job 3 retried' --limit 1 --json >expected
        for cache in $PWD/disk $PWD/file/below /proc; do
            XDG_CACHE_HOME=$cache $FOLIO search -c ./docs 'job 3 retried' --limit 1 --json >found
            cmp expected found || exit; ls tmp
        done
        env -u XDG_CACHE_HOME -u HOME $FOLIO search -c ./docs job --limit 1 >found; ls tmp
        TMPDIR=$PWD/disk XDG_CACHE_HOME=$PWD/disk $FOLIO search -c ./docs job; echo $?";
    let Some(outcome) = with_mounts(&sandbox, script) else { return };
    assert_eq!(outcome.text(), "2\n", "{outcome}");
    let kept = "the index of './docs' is not kept for other runs: ";
    assert_eq!(outcome.errors().matches(kept).count(), 4, "{outcome}");
    let reasons = ["Read-only file system", "Not a directory", "HOME is set"];
    assert!(reasons.iter().all(|reason| outcome.errors().contains(reason)), "{outcome}");
}

// Concurrent writers.

/// Returns the database of the only index.
fn database(sandbox: &Sandbox) -> PathBuf {
    let entries = fs::read_dir(sandbox.path(".cache/folio/collections")).unwrap();
    let mut paths = entries.map(|entry| entry.unwrap().path());
    paths.find(|path| path.extension().is_some_and(|extension| extension == "db")).unwrap()
}

#[test]
fn an_index_is_used_without_an_update_while_another_run_writes() {
    let sandbox = sandbox();
    let before = sandbox.run(SEARCH).succeeds();
    let other = rusqlite::Connection::open(database(&sandbox)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    sandbox.write("docs/other.md", "# Other\n\nThe retried job of another day.\n");
    let outcome = sandbox.run(SEARCH).exits(0).tells("another run is writing it");
    assert_eq!(outcome.stdout, before.stdout);
    let update = ["collection", "update", "./docs", "--json"];
    let errors = sandbox.run(&update).exits(4).json_errors();
    assert_eq!(errors[0].code, "LOCKED");
    other.execute_batch("ROLLBACK").unwrap();
    sandbox.run(&update).succeeds();
    let now = sandbox.run(SEARCH).succeeds();
    assert!(now.text().contains("docs/other.md"), "{now}");
}

#[test]
fn two_writers_lose_nothing() {
    let sandbox = sandbox();
    for turn in 0..3 {
        for at in 0..40 {
            let text = format!("# Turn {turn}\n\nThe retried job {at}.\n");
            sandbox.write(format!("docs/more/{at}.md"), text);
        }
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| sandbox.run(&["collection", "update", "./docs"]).succeeds());
            }
        });
        let found = ["search", "-c", "./docs", "--no-update", "--limit", "99", "--keyword-only"];
        let found = sandbox.run(&[&found[..], &[&format!("\"turn {turn}\"")]].concat()).succeeds();
        assert_eq!(found.text().lines().count(), 40, "{found}");
    }
}

/// Returns the version of a section of `count.md`. All of its text contains the version.
fn version(content: &str) -> Option<usize> {
    let version = content.lines().last()?.strip_prefix("count ")?.parse().ok()?;
    (content == text_of(version)).then_some(version)
}

fn text_of(version: usize) -> String {
    format!("# Count\n\n{}count {version}\n", "line\n".repeat(version % 7))
}

/// Checks the result of a search during which the file changed from one version to another.
fn check_found(outcome: &Outcome, begun: usize, ended: usize) {
    assert!(matches!(outcome.status, Some(0 | 1)), "{outcome}");
    assert!(!outcome.errors().contains("damaged"), "{outcome}");
    for line in String::from_utf8_lossy(&outcome.stdout).lines() {
        let found: Value = serde_json::from_str(line).unwrap();
        let content = found["content"].as_str().unwrap();
        let digest: String =
            Sha256::digest(content)[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(found["rangeChecksum"], digest.as_str(), "{outcome}");
        if found["documentId"] != "count.md" {
            continue;
        }
        let version = version(content).unwrap_or_else(|| panic!("no version: {outcome}"));
        assert!((begun..=ended).contains(&version), "{begun} {version} {ended}: {outcome}");
        let lines = (found["startLine"].as_u64().unwrap(), found["endLine"].as_u64().unwrap());
        assert_eq!(lines, (1, content.lines().count() as u64), "{outcome}");
    }
}

/// Runs concurrent searches while files change and other runs index them.
fn search_while_files_change(searchers: usize, rounds: usize) {
    let sandbox = sandbox();
    sandbox.write("docs/count.md", text_of(0));
    sandbox.run(UPDATE).exits(1);
    let (version, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let searching: Vec<_> = (0..searchers)
            .map(|at| {
                let (sandbox, version) = (&sandbox, &version);
                scope.spawn(move || {
                    for _ in 0..rounds {
                        let how = if at % 2 == 0 { "--no-update" } else { "--keyword-only" };
                        let all = [
                            "search",
                            "-c",
                            "./docs",
                            "--json",
                            "--content",
                            "count line",
                            "--limit",
                            "50",
                        ];
                        // The file may already contain the next version before the counter
                        // increases.
                        let begun = version.load(Ordering::SeqCst);
                        let outcome = sandbox.run(&[&all[..], &[how]].concat());
                        let ended = version.load(Ordering::SeqCst) + 1;
                        check_found(&outcome, begun, ended);
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                let next = version.load(Ordering::SeqCst) + 1;
                sandbox.write("docs/.count", text_of(next));
                fs::rename(sandbox.path("docs/.count"), sandbox.path("docs/count.md")).unwrap();
                version.store(next, Ordering::SeqCst);
                sandbox.write(format!("docs/other-{}.md", next % 9), text_of(next));
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                sandbox.run(&["collection", "update", "./docs"]);
            }
        });
        let ended: Vec<_> = searching.into_iter().map(|searching| searching.join()).collect();
        is_over.store(true, Ordering::SeqCst);
        assert!(ended.iter().all(Result::is_ok), "a search found what is not there");
    });
    let all = ["search", "-c", "./docs", "--json", "--content", "count", "--limit", "50"];
    let last = sandbox.run(&all).succeeds();
    let now = version.load(Ordering::SeqCst);
    check_found(&last, now, now);
    assert!(last.text().contains("count.md"), "{last}");
}

#[test]
fn concurrent_searches_find_existing_text() {
    search_while_files_change(8, 4);
}

#[test]
#[ignore = "takes minutes: 100 processes"]
fn a_hundred_concurrent_searches_find_existing_text() {
    search_while_files_change(100, 10);
}

/// folio writes to an index only in its own directory, not through a symlink.
#[test]
fn an_index_that_is_a_symlink_or_of_another_user_is_not_written() {
    let sandbox = sandbox();
    sandbox.run(SEARCH).succeeds();
    let index = database(&sandbox);
    let elsewhere = sandbox.path("elsewhere.db");
    fs::remove_file(&index).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &index).unwrap();
    sandbox.run(SEARCH).exits(2).tells("is not a regular file of your own");
    assert!(!elsewhere.exists());
    fs::remove_file(&index).unwrap();
    sandbox.run(SEARCH).succeeds();
    if rustix::process::geteuid().is_root() {
        let directory = index.parent().unwrap();
        std::os::unix::fs::chown(directory, Some(65534), None).unwrap();
        fs::remove_file(&index).unwrap();
        sandbox.run(SEARCH).exits(2).tells("belongs to another user");
        assert!(!index.exists());
    }
}
