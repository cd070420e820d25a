//! Runs that are killed or get a signal at any of their system calls.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use super::{
    ALL, EDIT, Expected, IN_PLACE, OLD, ONE, REDO, SEVERAL, Scenario,
    UNDO_FILE_MOVE_WITHOUT_EXCHANGE, UNDO_IN_PLACE, UNDO_SEVERAL, changes, disturb_all, snapshot,
};
use crate::support::system::{has, leftovers};
use crate::support::{Sandbox, outcome};

#[test]
fn a_kill_leaves_the_old_file_or_the_new_one() {
    ONE.disturb(&["signal=KILL"], changes);
}

#[test]
fn a_kill_leaves_all_files_old_or_all_new() {
    SEVERAL.disturb(&["signal=KILL"], |call| {
        changes(call) && !["newfstatat", "fchmod", "pwrite64"].contains(&call)
    });
}

#[test]
fn a_kill_while_writing_in_place_can_be_recovered() {
    for scenario in [IN_PLACE, UNDO_IN_PLACE] {
        scenario.disturb(&["signal=KILL"], |call| {
            ["copy_file_range", "pwrite64", "ftruncate", "unlink", "write"].contains(&call)
        });
    }
    UNDO_IN_PLACE.disturb(&["error=EIO+"], |call| call == "fstat");
}

#[test]
fn a_kill_leaves_an_undo_of_several_files_done_or_not() {
    for scenario in [UNDO_SEVERAL, UNDO_FILE_MOVE_WITHOUT_EXCHANGE] {
        scenario.disturb(&["signal=KILL"], |call| {
            ["linkat", "renameat", "renameat2", "unlinkat", "write"].contains(&call)
        });
    }
}

#[test]
fn a_kill_before_a_temporary_file_is_complete_leaves_no_file_after_recovery() {
    ONE.disturb(&["signal=KILL"], |call| {
        ["fchmod", "fsetxattr", "openat", "write"].contains(&call)
    });
}

#[test]
fn a_kill_leaves_a_redo_done_or_not() {
    REDO.disturb(&["signal=KILL"], |call| ["renameat2", "unlinkat", "write"].contains(&call));
}

/// Runs the scenario with each signal at each wanted call, and checks that all files are old or all
/// are new, without temporary files, and that the run says which.
fn signal_at_each(scenario: &Scenario, signals: &[(&str, i32)], wanted: impl Fn(&str) -> bool) {
    if !has("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let Expected { old, new, calls } = scenario.expected();
    for (call, times) in calls.iter().filter(|(call, _)| wanted(call)) {
        for (signal, number) in signals {
            for time in 1..=*times {
                let sandbox = scenario.sandbox();
                let injected = format!("inject={call}:signal={signal}:when={time}");
                let outcome = scenario.faulted(&sandbox, &injected);
                let about = format!("{} {injected}: {outcome}", scenario.name);
                let now = snapshot(&sandbox.path("w"));
                assert!(now == old || now == new, "{about}");
                match outcome.status {
                    // Before the commit, the signal ends the process. After it, there is no call.
                    None => assert_eq!(now, old, "{about}"),
                    Some(0) => assert_eq!(now, new, "{about}"),
                    status => {
                        assert_eq!(status, Some(128 + number), "{about}");
                        let words = if now == old { "no file was changed" } else { "too late" };
                        assert!(outcome.errors().contains(words), "{about}");
                    }
                }
                let next = scenario.run(&sandbox, &["undo", "--recover"]).exits(0);
                assert!(next.errors().contains("nothing to recover"), "{about}\n{next}");
            }
        }
    }
}

#[test]
fn a_signal_cancels_a_commit_or_waits_for_its_end() {
    signal_at_each(&SEVERAL, &[("HUP", 1), ("INT", 2), ("TERM", 15)], |call| call == "renameat2");
    let calls = ["copy_file_range", "fsync", "unlinkat", "write"];
    signal_at_each(&SEVERAL, &[("INT", 2)], |call| calls.contains(&call));
    signal_at_each(&UNDO_SEVERAL, &[("INT", 2)], |call| call == "renameat2");
    signal_at_each(&IN_PLACE, &[("INT", 2)], |call| call == "pwrite64");
}

#[test]
#[ignore = "takes minutes: every call"]
fn a_signal_at_any_call() {
    for scenario in ALL {
        signal_at_each(scenario, &[("HUP", 1), ("INT", 2), ("TERM", 15), ("XFSZ", 25)], changes);
    }
}

#[test]
fn a_signal_that_the_parent_ignores_is_ignored() {
    if !has("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let sandbox = SEVERAL.sandbox();
    let folio = env!("CARGO_BIN_EXE_folio");
    let arguments = SEVERAL.arguments.join("' '");
    let inject = "inject=renameat2:signal=HUP:when=1";
    let script =
        format!("trap '' HUP; exec strace -f -o ../trace -e {inject} {folio} '{arguments}'");
    let mut command = sandbox.command_of("sh");
    command.current_dir(sandbox.path("w")).args(["-c", &script]);
    outcome(&mut command, b"").exits(0);
}

#[test]
#[ignore = "takes minutes: every call, killed"]
fn a_kill_at_any_call() {
    disturb_all(&["signal=KILL"]);
}

#[test]
fn a_kill_in_a_large_write_leaves_the_old_file_or_the_new_one() {
    let line = "some words that are there to take room\n";
    let old = line.repeat(24_000_000 / line.len()) + "the old words\n" + &line.repeat(600_000);
    let new = old.replace("old", "newer");
    let sandbox = Sandbox::with(&[("w/a.md", &old), ("w/next.md", OLD)]);
    let path = sandbox.path("w/a.md");
    for turn in 0..10 {
        fs::write(&path, &old).unwrap();
        let mut command = sandbox.command();
        command.args(["patch", "replace", "w/a.md"]).args(EDIT).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(turn * turn * 3));
        let _ = child.kill();
        child.wait().unwrap();
        let found = fs::read(&path).unwrap();
        assert!(found == old.as_bytes() || found == new.as_bytes(), "turn {turn}");
        sandbox.run(&[&["patch", "replace", "w/next.md"], EDIT].concat()).exits(0);
        assert_eq!(leftovers(&sandbox.path("w")), Vec::<PathBuf>::new(), "turn {turn}");
        fs::write(sandbox.path("w/next.md"), OLD).unwrap();
    }
    assert_eq!(fs::read_dir(sandbox.path("w")).unwrap().count(), 2);
}
