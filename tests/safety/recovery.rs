//! The recovery of interrupted runs, and runs of `undo` and `redo` that fail.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::{
    IN_PLACE, NEW, OLD, REDO, SEVERAL, Scenario, Snapshot, UNDO_ONE, UNDO_SEVERAL, is_any, snapshot,
};
use crate::support::Sandbox;
use crate::support::system::has;

#[test]
fn recovery_completes_partial_changes() {
    if !has("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let undoes = |call: &str| ["fsync", "renameat2", "unlinkat"].contains(&call);
    for scenario in [SEVERAL, UNDO_SEVERAL] {
        assert!(scenario.disturb(&["error=EIO+"], undoes) > 0, "{}", scenario.name);
    }
    IN_PLACE.disturb(&["error=EIO+"], undoes);
}

/// Commits of several files, and the calls at which they are interrupted. The first file is new.
const CUT_OFF: &[(Scenario, &str)] =
    &[(SEVERAL, "renameat2:signal=KILL:when=2"), (IN_PLACE, "copy_file_range:signal=KILL:when=5")];

/// Injects faults into recoveries, and into the recoveries after them.
fn disturb_recoveries(
    cut_off: &[(Scenario, &str)],
    faults: &[&str],
    wanted: impl Fn(&str) -> bool,
) {
    if !has("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let every = std::env::var("EVERY").map_or(1, |every| every.parse().unwrap());
    for (scenario, cut_off_by) in cut_off {
        for is_changed in [false, true] {
            let recovery = Recovery { scenario, cut_off_by, is_changed };
            let calls = recovery.calls();
            let wanted = calls.iter().filter(|(call, _)| wanted(call));
            let times = wanted.flat_map(|(call, times)| (1..=*times).map(move |time| (call, time)));
            let mut trials = 0;
            for (at, (call, time)) in times.enumerate() {
                for fault in faults.iter().skip(at % every).step_by(every) {
                    let (fault, on) = fault.strip_suffix('+').map_or((*fault, ""), |it| (it, "+"));
                    recovery.try_with(&format!("inject={call}:{fault}:when={time}{on}"));
                    trials += 1;
                }
            }
            let changed = if is_changed { ", changed since" } else { "" };
            eprintln!("| recovery of {}{changed} | {faults:?} | {trials} | 0 |", scenario.name);
        }
    }
}

const RECOVER: &[&str] = &["undo", "--recover"];
const THEIRS: &str = "theirs\n";

struct Recovery<'a> {
    scenario: &'a Scenario,
    cut_off_by: &'a str,
    /// Whether another program changes the first file before the recovery.
    is_changed: bool,
}

impl Recovery<'_> {
    /// Returns a sandbox with an interrupted commit, and the state before the commit.
    fn cut_off(&self) -> (Sandbox, Snapshot) {
        let sandbox = self.scenario.sandbox();
        let before = snapshot(&sandbox.path("w"));
        let outcome = self.scenario.faulted(&sandbox, &format!("inject={}", self.cut_off_by));
        assert_eq!(outcome.status, None, "{outcome}");
        let new = fs::read_to_string(sandbox.path("w/a.md")).unwrap();
        let last = fs::read_to_string(sandbox.path("w/d/c.md")).unwrap();
        assert_eq!((&new[..], &last[..]), (NEW, OLD), "{}", self.scenario.name);
        if self.is_changed {
            fs::write(sandbox.path("w/a.md"), THEIRS).unwrap();
        }
        (sandbox, before)
    }

    /// Returns the exit status of the recovery.
    fn in_order(&self) -> i32 {
        if self.is_changed { 4 } else { 0 }
    }

    /// Returns the system calls of the recovery.
    fn calls(&self) -> BTreeMap<String, usize> {
        let (sandbox, _) = self.cut_off();
        self.scenario.under_strace(&sandbox, &[], RECOVER).exits(self.in_order());
        self.scenario.calls_in_trace(&sandbox)
    }

    fn try_with(&self, injected: &str) {
        let (sandbox, mut old) = self.cut_off();
        let outcome = self.scenario.under_strace(&sandbox, &["-e", injected], RECOVER);
        let next = self.scenario.run(&sandbox, RECOVER);
        let about = format!("{} {} {injected}", self.scenario.name, self.is_changed);
        let is_told = [Some(0), Some(self.in_order())].contains(&next.status);
        assert!(is_told, "{about}: {next}\nafter\n{outcome}");
        self.scenario.run(&sandbox, &["patch", "append", "next.md", "-c", "x"]).exits(0);
        fs::write(sandbox.path("w/next.md"), OLD).unwrap();
        let is_in_place = self.scenario.name == IN_PLACE.name;
        if self.is_changed {
            let theirs = (THEIRS.to_owned(), old[Path::new("a.md")].1);
            let replaced = old.insert("a.md".into(), theirs).unwrap();
            if !is_in_place {
                old.insert("a.md.before".into(), replaced);
            }
        }
        assert_eq!(snapshot(&sandbox.path("w")), old, "{about} {outcome}");
        let journal = snapshot(&sandbox.path(".local/state/folio/journal"));
        // A copy without a record is removed only after some time.
        let kept = journal.iter().filter(|(name, _)| !name.to_string_lossy().ends_with(".copy"));
        let kept: Vec<_> = kept.map(|(_, (text, _))| &text[..]).collect();
        let of_theirs = is_in_place && self.is_changed;
        assert_eq!(kept, Vec::from_iter(of_theirs.then_some("old words\n")), "{about} {outcome}");
    }
}

#[test]
fn an_interrupted_patch_is_not_skipped_by_undo() {
    if !has("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let (scenario, cut_off_by) = &CUT_OFF[0];
    let recovery = Recovery { scenario, cut_off_by, is_changed: false };
    let (sandbox, _) = recovery.cut_off();
    let now = snapshot(&sandbox.path("w"));
    for arguments in [&["undo"][..], &["undo", "--dry-run"], &["redo"]] {
        let refused = scenario.run(&sandbox, arguments).exits(4).prints("");
        refused
            .tells("interrupted: replace in a.md and 2 more files")
            .tells("folio undo --recover");
    }
    assert_eq!(snapshot(&sandbox.path("w")), now);
    // Commands that only read say it once.
    scenario.run(&sandbox, &["list"]).exits(0).tells("folio undo --recover");
    scenario.run(&sandbox, &["read", "a.md"]).succeeds();
    scenario.run(&sandbox, RECOVER).exits(0);
    assert!(snapshot(&sandbox.path(".local/state/folio/journal")).is_empty());
}

#[test]
fn an_interrupted_recovery_loses_nothing() {
    let changes = |call: &str| ["rename", "renameat2", "unlinkat"].contains(&call);
    disturb_recoveries(CUT_OFF, &["signal=KILL", "error=EIO+"], changes);
    disturb_recoveries(&CUT_OFF[..1], &["error=EIO"], |call| call == "newfstatat");
}

#[test]
#[ignore = "takes minutes: every call of a recovery"]
fn a_recovery_is_interrupted_at_any_call() {
    disturb_recoveries(CUT_OFF, &["signal=KILL", "error=EIO", "error=EIO+"], is_any);
}

#[test]
fn an_undo_or_redo_that_cannot_be_recorded_is_reported() {
    REDO.disturb(&["error=ENOSPC", "error=EIO+"], |call| call == "write");
}

#[test]
fn an_undo_that_cannot_read_its_state_keeps_the_record() {
    let looks = |call: &str| ["getdents64", "newfstatat", "openat", "statx"].contains(&call);
    UNDO_ONE.disturb(&["error=EIO", "error=EIO+"], looks);
}

#[test]
fn an_undo_that_cannot_replace_a_file_suggests_no_option_of_patch() {
    if !has("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let outcome = UNDO_ONE.traced(&UNDO_ONE.sandbox(), &["-e", "inject=renameat2:error=EIO"]);
    let errors = outcome.errors();
    assert!(errors.contains("another file cannot take its place"), "{errors}");
    assert!(!errors.contains("--in-place"), "{errors}");
}
