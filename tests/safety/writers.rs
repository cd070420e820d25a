//! Other programs that write the same files at the same time.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{NEW, OLD};
use crate::support::system::{has, leftovers};
use crate::support::{Sandbox, outcome};

#[test]
fn late_writes_to_the_old_file_are_kept() {
    if !has("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let sandbox = Sandbox::with(&[("a.md", OLD)]);
    // The directory is synced only after the exchange.
    let script = "exec 3>>a.md; (sleep 0.4; echo late >&3) &
        exec strace -o /dev/null -e inject=fsync:delay_enter=1000000:when=2 \
        $FOLIO patch replace a.md --text old -c newer";
    let mut command = sandbox.command_of("sh");
    command.args(["-c", script]).env("FOLIO", env!("CARGO_BIN_EXE_folio"));
    outcome(&mut command, b"").exits(0).tells("a.md.before");
    assert_eq!(fs::read_to_string(sandbox.path("a.md")).unwrap(), NEW);
    let kept = fs::read_to_string(sandbox.path("a.md.before")).unwrap();
    assert_eq!(kept, format!("{OLD}late\n"));
}

/// Runs writers that append lines until each reports success. Returns the lines.
fn append(sandbox: &Sandbox, writers: usize, lines: usize) -> Vec<String> {
    let path = sandbox.path("a.md");
    let threads: Vec<_> = (0..writers)
        .map(|writer| {
            let mut commands: Vec<(String, Command)> = (0..lines)
                .map(|line| {
                    let text = format!("writer {writer} line {line}");
                    let mut command = sandbox.command();
                    command.args(["patch", "append", "--no-sync", "-c", &text]).arg(&path);
                    (text, command)
                })
                .collect();
            std::thread::spawn(move || {
                let run = |(text, command): &mut (String, Command)| {
                    let mut result = outcome(command, b"");
                    // On a busy machine, a writer may fail because it waits too long for the lock.
                    while result.errors().contains("run the command again after that run has ended")
                    {
                        result = outcome(command, b"");
                    }
                    result.exits(0);
                    text.clone()
                };
                commands.iter_mut().map(run).collect::<Vec<String>>()
            })
        })
        .collect();
    threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
}

#[track_caller]
fn check_writers(writers: usize, lines: usize) {
    let sandbox = Sandbox::with(&[("a.md", "# Log\n")]);
    let mut reported = append(&sandbox, writers, lines);
    let text = fs::read_to_string(sandbox.path("a.md")).unwrap();
    let lines_there = text.lines().skip(1).filter(|line| !line.is_empty());
    let mut there: Vec<String> = lines_there.map(str::to_owned).collect();
    reported.sort();
    there.sort();
    assert_eq!(there, reported);
    assert_eq!(leftovers(&sandbox.path(".")), Vec::<PathBuf>::new());
}

#[test]
fn two_writers_lose_nothing() {
    check_writers(2, 40);
}

#[test]
fn many_writers_lose_nothing() {
    check_writers(40, 1);
}

#[test]
#[ignore = "the numbers that are aimed at"]
fn more_writers_lose_nothing() {
    check_writers(2, 100);
    check_writers(100, 1);
}

#[test]
fn data_of_other_programs_is_never_destroyed() {
    let sandbox = Sandbox::with(&[("a.md", "version 0\n\nthe old words\n")]);
    let path = sandbox.path("a.md");
    let ended = AtomicBool::new(false);
    let version_of = |text: &str| -> u64 {
        let number = text.lines().next().and_then(|line| line.strip_prefix("version "));
        number.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{text:?}"))
    };
    let (written, edited, refused) = std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let next = sandbox.path("theirs");
            let mut version = 0;
            while !ended.load(Ordering::Relaxed) {
                version += 1;
                fs::write(&next, format!("version {version}\n\nthe old words\n")).unwrap();
                fs::rename(&next, &path).unwrap();
                // If folio exchanged a file with the wrong version, it immediately restores it.
                let patience = Instant::now() + Duration::from_secs(5);
                while version_of(&fs::read_to_string(&path).unwrap()) != version {
                    assert!(Instant::now() < patience, "version {version} is lost");
                }
                std::thread::sleep(Duration::from_millis(version % 8));
            }
            version
        });
        let (mut edited, mut refused) = (0, 0);
        for turn in 0..60 {
            let new = format!("newer{turn}");
            let edit = ["patch", "replace", "--no-sync", "a.md", "--text", "old", "-c", &new];
            let outcome = sandbox.run(&edit);
            match outcome.status {
                Some(0) => edited += 1,
                Some(1 | 4) => refused += 1,
                _ => panic!("{outcome}"),
            }
        }
        ended.store(true, Ordering::Relaxed);
        (other.join().unwrap(), edited, refused)
    });
    assert_eq!(version_of(&fs::read_to_string(&path).unwrap()), written);
    assert_eq!(leftovers(&sandbox.path(".")), Vec::<PathBuf>::new());
    eprintln!("{written} writes of the other, {edited} edits, {refused} refused");
}
