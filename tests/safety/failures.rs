//! System calls that fail, or that a system lacks.

use std::fs;
use std::path::PathBuf;

use super::{
    BACKUP, BACKUP_WITHOUT_EXCHANGE, EDIT, FILE_MOVE_WITHOUT_EXCHANGE, NEW, OF_ONE, OF_THREE, OLD,
    ONE, SEVERAL, UNDO, WITHOUT_EXCHANGE, changes, disturb_all, snapshot,
};
use crate::support::system::{has, leftovers};
use crate::support::{Sandbox, outcome};

#[test]
fn an_edit_whose_result_cannot_be_printed_is_reported_as_made() {
    let sandbox = Sandbox::with(&[("a.md", OLD)]);
    let run = |arguments: &[&str]| {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        outcome(sandbox.command().args(arguments).stdout(full), b"").exits(2)
    };
    let result = run(&[&["patch", "replace", "a.md"], EDIT].concat());
    result.tells("the files were changed").tells("folio undo 1");
    assert_eq!(fs::read_to_string(sandbox.path("a.md")).unwrap(), NEW);
    run(&["undo"]).tells("the files were changed").tells("folio redo 2");
    assert_eq!(fs::read_to_string(sandbox.path("a.md")).unwrap(), OLD);
    let result = run(&[&["patch", "replace", "--dry-run", "a.md"], EDIT].concat());
    assert!(!result.errors().contains("changed"), "{result}");
}

#[test]
fn a_failing_call_is_reported_and_leaves_no_partial_changes() {
    ONE.disturb(&["error=EIO"], changes);
}

#[test]
fn a_call_that_keeps_failing_ends_the_run() {
    ONE.disturb(&["error=EIO+"], |call| call == "newfstatat");
}

#[test]
fn without_exchange_permanent_failures_are_reported_and_left_to_recovery() {
    let renames = |call: &str| ["linkat", "renameat", "renameat2", "unlinkat"].contains(&call);
    for scenario in [FILE_MOVE_WITHOUT_EXCHANGE, BACKUP_WITHOUT_EXCHANGE, BACKUP] {
        scenario.disturb(&["error=EIO", "error=EIO+"], renames);
    }
    BACKUP_WITHOUT_EXCHANGE.disturb(&["error=EIO"], |call| call == "newfstatat");
}

#[test]
fn a_size_limit_is_an_error_and_leaves_no_files() {
    let sandbox = Sandbox::with(&[("w/a.md", &format!("old\n{}\n", "x".repeat(200_000)))]);
    let old = snapshot(&sandbox.path("w"));
    let folio = env!("CARGO_BIN_EXE_folio");
    let script = format!("ulimit -f 50; exec {folio} patch replace a.md --text old -c newer");
    let mut command = sandbox.command_of("sh");
    command.current_dir(sandbox.path("w")).args(["-c", &script]);
    outcome(&mut command, b"").exits(2).tells("File too large");
    assert_eq!(snapshot(&sandbox.path("w")), old);
}

#[test]
fn a_full_disk_leaves_no_partial_changes() {
    let writes = |call: &str| {
        ["copy_file_range", "linkat", "pwrite64", "symlinkat", "write"].contains(&call)
    };
    SEVERAL.disturb(&["error=ENOSPC"], writes);
}

#[test]
#[ignore = "takes minutes: every call, failing"]
fn a_failure_of_any_call() {
    disturb_all(&[
        "error=EIO",
        "error=EIO+",
        "error=ENOSPC",
        "error=ENOSPC+",
        "error=EACCES",
        "error=EINTR",
    ]);
}

#[test]
fn missing_system_calls_have_fallbacks() {
    if !has("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    for lacks in [
        "copy_file_range:error=EXDEV",
        "linkat:error=EPERM",
        "symlinkat:error=EPERM",
        "flistxattr:error=EOPNOTSUPP",
        "flock:error=ENOLCK",
    ] {
        let sandbox = SEVERAL.sandbox();
        let inject = format!("inject={lacks}");
        let outcome = SEVERAL.traced(&sandbox, &["-e", &inject]).exits(0);
        let texts = ["a.md", "b.md", "d/c.md"]
            .map(|file| fs::read_to_string(sandbox.path("w").join(file)).unwrap());
        assert_eq!(texts, [NEW; 3], "{lacks}: {outcome}");
        assert_eq!(leftovers(&sandbox.path("w")), Vec::<PathBuf>::new(), "{lacks}");
    }
}

#[test]
fn without_exchange_several_files_are_edited_in_place_only() {
    if !has("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    for lacks in ["inject=renameat2:error=EINVAL", "inject=renameat2:error=ENOSYS"] {
        let sandbox = SEVERAL.sandbox();
        let before = snapshot(&sandbox.path("w"));
        let outcome = SEVERAL.traced(&sandbox, &["-e", lacks]).exits(2);
        outcome.tells("cannot exchange files").tells("--in-place");
        assert_eq!(snapshot(&sandbox.path("w")), before);
        let in_place = [OF_THREE, &["--in-place"]].concat();
        SEVERAL.under_strace(&sandbox, &["-e", lacks], &in_place).exits(0);
        SEVERAL.under_strace(&sandbox, &["-e", lacks], UNDO).exits(0);
        assert_eq!(snapshot(&sandbox.path("w")), before);
        WITHOUT_EXCHANGE.under_strace(&sandbox, &[], OF_ONE).exits(0).tells("cannot exchange");
        assert_eq!(fs::read_to_string(sandbox.path("w/a.md")).unwrap(), NEW);
    }
}

#[test]
fn many_files_are_synced_at_once_and_none_changes_if_that_fails() {
    if !has("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let sandbox = Sandbox::new();
    for number in 0..20 {
        sandbox.write(format!("w/{number}.md"), OLD);
    }
    let old = snapshot(&sandbox.path("w"));
    let traced = |flags: &[&str]| {
        let edit = ["patch", "replace", "."].iter().chain(EDIT).chain(&["--max-files", "20"]);
        ONE.under_strace(&sandbox, flags, &edit.copied().collect::<Vec<_>>())
    };
    traced(&[]).exits(0);
    let calls = ONE.calls_in_trace(&sandbox);
    ONE.run(&sandbox, UNDO).exits(0);
    assert_eq!(snapshot(&sandbox.path("w")), old);
    if !calls.contains_key("syncfs") {
        // On other file systems than those of local disks, each file is synced.
        assert!(calls["fsync"] >= 20, "{}", calls["fsync"]);
        return;
    }
    assert!(calls["syncfs"] == 1 && calls["fsync"] < 10, "{calls:?}");
    for error in ["EIO", "ENOSPC"] {
        let failed = traced(&["-e", &format!("inject=syncfs:error={error}")]);
        assert_ne!(failed.status, Some(0));
        assert_eq!(snapshot(&sandbox.path("w")), old, "{error}");
    }
    traced(&["-e", "inject=syncfs:signal=KILL"]);
    ONE.run(&sandbox, &["undo", "--recover"]);
    assert_eq!(snapshot(&sandbox.path("w")), old);
    traced(&[]).exits(0);
    let now = snapshot(&sandbox.path("w"));
    assert!(now.values().all(|(text, _)| text == NEW));
}

#[test]
fn a_failing_sync_of_the_directory_is_reported() {
    if !has("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let sandbox = ONE.sandbox();
    let last = ONE.expected().calls["fsync"];
    let outcome = ONE.traced(&sandbox, &["-e", &format!("inject=fsync:error=EIO:when={last}")]);
    outcome.exits(0).tells("applied, durability unknown");
    assert_eq!(fs::read_to_string(sandbox.path("w/a.md")).unwrap(), NEW);
}
