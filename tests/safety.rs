//! `folio patch` in difficult situations: it is killed, system calls fail, the disk is full, or
//! other programs write at the same time. After each test, each file has its old or its new
//! contents, and folio's temporary files are gone.
//!
//! strace injects faults, and unshare creates separate mounts. If one of them is missing, tests
//! print a note. By default, only the few calls that change something are tested. To test all
//! calls, and more writers: `cargo test --release --test it safety -- --ignored --nocapture`. With
//! `EVERY=4` in the environment, only every fourth call of a kind is tested. With
//! `SCENARIO=backup`, only scenarios with this word in their name are tested. The files are below
//! `TMPDIR`, which may be on another file system.

#![allow(clippy::print_stderr)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::support::{Outcome, Sandbox, outcome};

const OLD: &str = "# Title\n\nthe old words\n";
const NEW: &str = "# Title\n\nthe newer words\n";
const EDIT: &[&str] = &["--text", "old", "-c", "newer"];

/// System calls that change files, or whose result determines whether files are changed.
const CALLS_THAT_CHANGE: &[&str] = &[
    "copy_file_range",
    "fchmod",
    "fsync",
    "ftruncate",
    "linkat",
    "mkdir",
    "newfstatat",
    "pwrite64",
    "renameat2",
    "symlinkat",
    "syncfs",
    "unlink",
    "unlinkat",
    "write",
];

/// System calls that occur before the command begins, or that must not fail.
const CALLS_OF_THE_PROCESS: &[&str] = &[
    "arch_prctl",
    "brk",
    "clone3",
    "execve",
    "exit",
    "exit_group",
    "futex",
    "geteuid",
    "getrandom",
    "gettid",
    "madvise",
    "mmap",
    "mprotect",
    "munmap",
    "poll",
    "prlimit64",
    "rseq",
    "rt_sigaction",
    "rt_sigprocmask",
    "sched_getaffinity",
    "set_robust_list",
    "set_tid_address",
    "sigaltstack",
];

const NOT_KILLED: &str = "it was not killed";

/// A command in which faults are injected.
struct Scenario {
    name: &'static str,
    /// The commands to run before the scenario.
    before: &'static [&'static [&'static str]],
    arguments: &'static [&'static str],
    /// The commands that restore the state before the scenario.
    back: &'static [&'static str],
    /// System calls that are not available during the scenario.
    lacks: &'static [&'static str],
}

/// Edits that replace, delete and create text.
const EDITS: &str = r#"{"filePath":"a.md","target":{"text":"old"},"operation":"replace","content":"newer"}
{"filePath":"d/c.md","operation":"delete","target":{"lines":{"start":3,"end":3}}}
{"filePath":"d/made.md","operation":"create","content":"new"}
"#;

const FILES: &[&str] = &["a.md", "b.md", "d/c.md", "next.md"];
const UNDO: &[&str] = &["undo"];
const OF_ONE: &[&str] = &["patch", "replace", "a.md", "--text", "old", "-c", "newer"];
const OF_THREE: &[&str] =
    &["patch", "replace", "a.md", "b.md", "d/c.md", "--text", "old", "-c", "newer"];
const BACKUP_OF_THREE: &[&str] =
    &["patch", "replace", "--backup", "a.md", "b.md", "d/c.md", "--text", "old", "-c", "newer"];
const IN_PLACE_OF_TWO: &[&str] =
    &["patch", "replace", "--in-place", "a.md", "d/c.md", "--text", "old", "-c", "newer"];

const ONE: Scenario =
    Scenario { name: "replace", before: &[], arguments: OF_ONE, back: UNDO, lacks: &[] };
const SEVERAL: Scenario = Scenario { name: "replace of three", arguments: OF_THREE, ..ONE };
const IN_PLACE: Scenario = Scenario { name: "in place", arguments: IN_PLACE_OF_TWO, ..ONE };
const UNDO_ONE: Scenario =
    Scenario { name: "undo", before: &[OF_ONE], arguments: UNDO, back: OF_ONE, lacks: &[] };
const UNDO_SEVERAL: Scenario = Scenario {
    name: "undo of three",
    before: &[OF_THREE],
    arguments: UNDO,
    back: OF_THREE,
    lacks: &[],
};
const REDO: Scenario =
    Scenario { name: "redo of three", before: &[OF_THREE, UNDO], arguments: &["redo"], ..ONE };
const WITHOUT_EXCHANGE: Scenario =
    Scenario { name: "replace without exchange", lacks: &["renameat2:error=EINVAL"], ..ONE };
const CREATE: Scenario =
    Scenario { name: "create", arguments: &["patch", "create", "d/made.md", "-c", "new"], ..ONE };
const RENAME: Scenario = Scenario {
    name: "rename with links",
    arguments: &["patch", "rename", "a.md", "--heading", "Title", "-c", "Name", "--links-in", "."],
    ..ONE
};
const MOVE: Scenario = Scenario {
    name: "move across files",
    arguments: &["patch", "move", "a.md:3", "--to", "d/c.md"],
    ..ONE
};
const APPLY: Scenario =
    Scenario { name: "apply of three", arguments: &["patch", "apply", "../edits.jsonl"], ..ONE };
const BACKUP_WITHOUT_EXCHANGE: Scenario =
    Scenario { name: "backup without exchange", lacks: WITHOUT_EXCHANGE.lacks, ..BACKUP };
const BACKUP: Scenario = Scenario {
    name: "backup",
    arguments: &["patch", "replace", "--backup", "a.md", "--text", "old", "-c", "newer"],
    ..ONE
};
const BACKUP_SEVERAL: Scenario =
    Scenario { name: "backup of three", arguments: BACKUP_OF_THREE, ..ONE };
const FILE_MOVE: Scenario = Scenario {
    name: "move of a file",
    arguments: &["patch", "move", "a.md", "--to", "d/moved.md"],
    ..ONE
};
const UNDO_APPLY: Scenario = Scenario {
    name: "undo of apply",
    before: &[APPLY.arguments],
    back: APPLY.arguments,
    ..UNDO_ONE
};
const UNDO_IN_PLACE: Scenario = Scenario {
    name: "undo in place",
    before: &[IN_PLACE_OF_TWO],
    back: IN_PLACE_OF_TWO,
    ..UNDO_ONE
};
const UNDO_FILE_MOVE: Scenario = Scenario {
    name: "undo of the move of a file",
    before: &[FILE_MOVE.arguments],
    back: FILE_MOVE.arguments,
    ..UNDO_ONE
};

const FILE_MOVE_WITHOUT_EXCHANGE: Scenario = Scenario {
    name: "move of a file without exchange",
    lacks: WITHOUT_EXCHANGE.lacks,
    ..FILE_MOVE
};
const UNDO_FILE_MOVE_WITHOUT_EXCHANGE: Scenario = Scenario {
    name: "undo of the move of a file without exchange",
    lacks: WITHOUT_EXCHANGE.lacks,
    ..UNDO_FILE_MOVE
};

const ALL: &[Scenario] = &[
    ONE,
    SEVERAL,
    WITHOUT_EXCHANGE,
    IN_PLACE,
    BACKUP,
    BACKUP_WITHOUT_EXCHANGE,
    BACKUP_SEVERAL,
    CREATE,
    RENAME,
    MOVE,
    APPLY,
    FILE_MOVE,
    UNDO_ONE,
    UNDO_SEVERAL,
    UNDO_APPLY,
    UNDO_IN_PLACE,
    UNDO_FILE_MOVE,
    FILE_MOVE_WITHOUT_EXCHANGE,
    UNDO_FILE_MOVE_WITHOUT_EXCHANGE,
    REDO,
];

/// The contents of a directory: text and mode by path.
type Snapshot = BTreeMap<PathBuf, (String, u32)>;

fn snapshot(directory: &Path) -> Snapshot {
    fn walk(root: &Path, directory: &Path, found: &mut Snapshot) {
        for item in fs::read_dir(directory).unwrap().map(Result::unwrap) {
            let (path, metadata) = (item.path(), item.metadata().unwrap());
            if metadata.is_dir() {
                walk(root, &path, found);
            } else {
                let text = match metadata.is_symlink() {
                    true => format!("-> {}", fs::read_link(&path).unwrap().display()),
                    false => String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned(),
                };
                let name = path.strip_prefix(root).unwrap().to_owned();
                found.insert(name, (text, metadata.mode() & 0o7777));
            }
        }
    }
    let mut found = Snapshot::new();
    walk(directory, directory, &mut found);
    found
}

/// The result of a scenario without faults.
struct Expected {
    old: Snapshot,
    new: Snapshot,
    /// The system calls of the scenario, and how often each occurs.
    calls: BTreeMap<String, usize>,
}

impl Expected {
    /// Whether none or all of the changes are made. Returns `None` if only some of them are made.
    fn stage(&self, now: &Snapshot) -> Option<bool> {
        if *now == self.old { Some(false) } else { (*now == self.new).then_some(true) }
    }

    /// Returns the files that have neither their old nor their new contents.
    fn torn(&self, now: &Snapshot) -> Vec<PathBuf> {
        let names = self.old.keys().chain(self.new.keys());
        let is_torn = |name: &&PathBuf| {
            now.get(*name) != self.old.get(*name) && now.get(*name) != self.new.get(*name)
        };
        names.filter(is_torn).cloned().collect()
    }
}

impl Scenario {
    fn sandbox(&self) -> Sandbox {
        let sandbox = Sandbox::new();
        for file in FILES {
            sandbox.write(Path::new("w").join(file), OLD);
        }
        sandbox.write("w/d/links.md", "[a](../a.md#title)\n");
        sandbox.write("edits.jsonl", EDITS);
        for arguments in self.before {
            self.run(&sandbox, arguments).exits(0);
        }
        sandbox
    }

    /// Runs the scenario under strace with further arguments.
    fn traced(&self, sandbox: &Sandbox, arguments: &[&str]) -> Outcome {
        self.under_strace(sandbox, arguments, self.arguments)
    }

    /// Runs the scenario with a fault, `inject=CALL:…`. Other calls are not traced.
    fn faulted(&self, sandbox: &Sandbox, injected: &str) -> Outcome {
        let call_of = |fault: &'_ str| fault.split(':').next().unwrap_or_default().to_owned();
        let own = call_of(injected.trim_start_matches("inject="));
        let calls = self.lacks.iter().map(|lacks| call_of(lacks)).chain([own]);
        let traced = format!("trace={}", calls.collect::<Vec<_>>().join(","));
        // With this filter, strace 6.1 does not deliver signals.
        let filter = (!injected.contains("signal=")).then_some("--seccomp-bpf");
        let flags = filter.into_iter().chain(["-e", &traced, "-e", injected]);
        self.traced(sandbox, &flags.collect::<Vec<_>>())
    }

    fn under_strace(&self, sandbox: &Sandbox, flags: &[&str], arguments: &[&str]) -> Outcome {
        let mut command = sandbox.command_of("strace");
        command.current_dir(sandbox.path("w")).args(["-f", "-o", "../trace"]);
        for lacks in self.lacks {
            command.args(["-e", &format!("inject={lacks}")]);
        }
        command.args(flags).arg(env!("CARGO_BIN_EXE_folio")).args(arguments);
        outcome(&mut command, b"")
    }

    fn expected(&self) -> Expected {
        let sandbox = self.sandbox();
        let old = snapshot(&sandbox.path("w"));
        self.traced(&sandbox, &[]).exits(0);
        let new = snapshot(&sandbox.path("w"));
        assert_ne!(old, new, "{}", self.name);
        Expected { old, new, calls: self.calls_in_trace(&sandbox) }
    }

    /// Returns the calls in the last trace, and how often each occurred.
    fn calls_in_trace(&self, sandbox: &Sandbox) -> BTreeMap<String, usize> {
        let trace = fs::read_to_string(sandbox.path("trace")).unwrap();
        let mut calls = BTreeMap::new();
        for line in trace.lines() {
            let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
            let name = line.split('(').next().unwrap_or_default();
            if line.contains('(') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                *calls.entry(name.to_owned()).or_default() += 1;
            }
        }
        for lacking in self.lacks.iter().filter_map(|lacks| lacks.split(':').next()) {
            calls.remove(lacking);
        }
        calls
    }

    /// Injects faults at every occurrence of the calls that `wanted` selects. Returns how often
    /// only some of the changes were made before a recovery.
    fn disturb(&self, faults: &[&str], wanted: impl Fn(&str) -> bool) -> usize {
        let (problems, in_part) = self.problems(faults, wanted);
        assert!(problems.is_empty(), "{}:\n{}", problems.len(), problems.join("\n"));
        in_part
    }

    /// Like [`Scenario::disturb`], but returns the problems. Prints a table row for each fault: the
    /// number of trials, how often only some of the changes were made before a recovery, and the
    /// number of problems.
    fn problems(&self, faults: &[&str], wanted: impl Fn(&str) -> bool) -> (Vec<String>, usize) {
        let (mut problems, mut all_in_part) = (Vec::new(), 0);
        if !has("strace", &["-o", "/dev/null", "true"]) {
            return (problems, all_in_part);
        }
        let every = std::env::var("EVERY").map_or(1, |every| every.parse().unwrap());
        let expected = self.expected();
        for (turn, fault) in faults.iter().enumerate() {
            let (mut met, mut trials, mut in_part, found) = (0, 0, 0, problems.len());
            let mut missed = 0;
            // With a `+`, the fault also affects all later calls.
            let (fault, on) = fault.strip_suffix('+').map_or((*fault, ""), |fault| (fault, "+"));
            for (call, times) in expected.calls.iter().filter(|(call, _)| wanted(call)) {
                for time in 1..=*times {
                    met += 1;
                    // Different calls are selected for each fault.
                    if (met + turn) % every != 0 {
                        continue;
                    }
                    trials += 1;
                    let injected = format!("inject={call}:{fault}:when={time}{on}");
                    match self.try_with(&injected, trials % 2 == 0, &expected) {
                        Ok(was_in_part) => in_part += usize::from(was_in_part),
                        // The command made fewer calls this time.
                        Err(problem) if problem == NOT_KILLED => missed += 1,
                        Err(problem) => {
                            let problem = format!("{}: {injected}: {problem}", self.name);
                            eprintln!("{problem}");
                            problems.push(problem);
                        }
                    }
                }
            }
            assert!(trials > 2 * missed, "{}: {missed} of {trials} were not killed", self.name);
            let failures = problems.len() - found;
            eprintln!("| {} | {fault}{on} | {trials} | {in_part} | {failures} |", self.name);
            all_in_part += in_part;
        }
        (problems, all_in_part)
    }

    /// Injects one fault, lets the next run or `--recover` clean up, and repeats or undoes the
    /// scenario. Returns whether only some of the changes were made before that.
    fn try_with(
        &self,
        injected: &str,
        by_recovery: bool,
        expected: &Expected,
    ) -> Result<bool, String> {
        let sandbox = self.sandbox();
        let told = self.faulted(&sandbox, injected);
        let now = || snapshot(&sandbox.path("w"));
        let at_once = now();
        let torn = expected.torn(&at_once);
        // If a call keeps failing, the rollback also fails, and the message suggests `--recover`.
        // If standard error is closed, there is no message.
        let is_silent = told.errors().is_empty() && !matches!(told.status, Some(0) | None);
        let is_for_recovery =
            injected.ends_with('+') && (told.errors().contains("--recover") || is_silent);
        let was_killed = told.status.is_none();
        // A file that is overwritten in place may be incomplete until it is recovered.
        let may_be_torn = (is_for_recovery || was_killed) && self.name.contains("in place");
        if !torn.is_empty() && !may_be_torn {
            return Err(format!("neither old nor new: {torn:?}\n{told}"));
        }
        if injected.contains("signal=KILL") && !was_killed {
            return Err(NOT_KILLED.to_owned());
        }
        let blames = ["another program changed", "changed by another program"];
        if blames.iter().any(|blame| told.errors().contains(blame)) {
            return Err(format!("another program is blamed\n{told}"));
        }
        let mut seen = at_once.clone();
        // The next run removes leftover files.
        seen.retain(|name, _| !is_own(name));
        let stage = expected.stage(&seen);
        match (told.status, stage) {
            (Some(0), Some(true)) | (None, _) => {}
            (Some(status), None) if status != 0 && is_for_recovery => {}
            (Some(0), _) => return Err(format!("exit 0, not done\n{told}")),
            (_, None) => return Err(format!("done in part: {at_once:?}\n{told}")),
            _ => {}
        }
        // A deleted file is also a change.
        let names: BTreeSet<_> = expected.old.keys().chain(expected.new.keys()).collect();
        let differs = |name: &&&PathBuf| expected.old.get(**name) != expected.new.get(**name);
        let recovers = by_recovery || is_for_recovery || names.iter().filter(differs).count() > 1;
        if recovers && self.run(&sandbox, &["undo", "--recover"]).status != Some(0) {
            return Err("--recover failed".to_owned());
        }
        let next = ["patch", "replace", "--no-sync", "--no-undo", "next.md"];
        let next = self.run(&sandbox, &[&next, EDIT].concat());
        if next.status != Some(0) {
            return Err(format!("the next patch failed\n{next}\nafter\n{told}"));
        }
        fs::write(sandbox.path("w/next.md"), OLD).unwrap();
        let Some(is_done) = expected.stage(&now()) else {
            return Err(format!("not all or none: {:?}\n{told}", now()));
        };
        if !was_killed && !is_for_recovery && stage.is_some_and(|stage| stage != is_done) {
            return Err(format!("cleaning changed what was there\n{told}"));
        }
        let (arguments, wanted) = match is_done {
            true => (self.back, &expected.old),
            false => (self.arguments, &expected.new),
        };
        // If writing to standard error also fails, there can be no message.
        let cannot = told.errors().contains("cannot record the edit for undo")
            || !was_killed && told.status != Some(0) && told.errors().is_empty();
        let next = self.run(&sandbox, arguments);
        let now = self.without_backups(now(), wanted);
        if !cannot && now != *wanted {
            let what = if is_done { "undone" } else { "done again" };
            return Err(format!("it is not {what}\n{next}\nafter\n{told}"));
        }
        Ok(stage.is_none())
    }

    /// Removes the backups that an undo leaves and that a second attempt adds.
    fn without_backups(&self, mut now: Snapshot, wanted: &Snapshot) -> Snapshot {
        now.retain(|name, _| wanted.contains_key(name) || !name.to_string_lossy().contains(".bak"));
        now
    }

    /// Runs folio without the system calls that the scenario lacks.
    fn run(&self, sandbox: &Sandbox, arguments: &[&str]) -> Outcome {
        if !self.lacks.is_empty() {
            return self.under_strace(sandbox, &[], arguments);
        }
        outcome(sandbox.command().current_dir(sandbox.path("w")).args(arguments), b"")
    }
}

/// Returns the files of folio below a directory.
pub fn leftovers(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for item in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        if item.file_type().unwrap().is_dir() {
            found.extend(leftovers(&item.path()));
        } else if is_own(&item.path()) {
            found.push(item.path());
        }
    }
    found
}

fn is_own(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".folio"))
}

/// Whether a program works on this machine. If it does not, prints a note.
pub fn has(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    let works = command.status().is_ok_and(|status| status.success());
    if !works {
        eprintln!("skipped: `{program} {}` does not work here", arguments.join(" "));
    }
    works
}

fn changes(call: &str) -> bool {
    CALLS_THAT_CHANGE.contains(&call)
}

fn is_any(call: &str) -> bool {
    !CALLS_OF_THE_PROCESS.contains(&call)
}

// Faults.

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

#[test]
fn an_edit_whose_result_cannot_be_printed_is_reported_as_made() {
    let sandbox = Sandbox::with(&[("a.md", OLD)]);
    let run = |arguments: &[&str]| {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        outcome(sandbox.command().args(arguments).stdout(full), b"").exits(2)
    };
    let told = run(&[&["patch", "replace", "a.md"], EDIT].concat());
    told.tells("the files were changed").tells("folio undo 1");
    assert_eq!(fs::read_to_string(sandbox.path("a.md")).unwrap(), NEW);
    run(&["undo"]).tells("the files were changed").tells("folio redo 2");
    assert_eq!(fs::read_to_string(sandbox.path("a.md")).unwrap(), OLD);
    let told = run(&[&["patch", "replace", "--dry-run", "a.md"], EDIT].concat());
    assert!(!told.errors().contains("changed"), "{told}");
}

#[test]
fn copies_of_a_private_file_are_private() {
    let sandbox = Sandbox::with(&[("d/a.md", OLD), ("d/b.md", OLD)]);
    let private = fs::Permissions::from_mode(0o600);
    for name in ["d/a.md", "d/b.md"] {
        fs::set_permissions(sandbox.path(name), private.clone()).unwrap();
    }
    let patch = |flags: &[&str]| {
        let arguments = [&["patch", "replace", "--backup"], flags, EDIT].concat();
        sandbox.run(&arguments).exits(0);
    };
    patch(&["d/a.md"]);
    patch(&["--in-place", "d/b.md"]);
    sandbox.run(&["undo"]).exits(0);
    sandbox.run(&["redo"]).exits(0);
    sandbox.run(&["undo"]).exits(0);
    let mut modes = snapshot(&sandbox.path("d"));
    assert_eq!(modes.len(), 4, "{modes:?}");
    modes.append(&mut snapshot(&sandbox.path(".local/state/folio")));
    assert!(modes.values().all(|(_, mode)| *mode == 0o600), "{modes:?}");
    for name in [".local/state/folio", ".local/state/folio/history"] {
        assert_eq!(fs::metadata(sandbox.path(name)).unwrap().mode() & 0o777, 0o700, "{name}");
    }
}

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

#[test]
fn bytes_are_compared_if_times_are_coarse() {
    if !has("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let sandbox = Sandbox::new();
    // Inodes of 128 bytes cannot contain fractions of a second.
    let script = "truncate -s 4M image && mkfs.ext4 -q -F -I 128 image >/dev/null 2>&1 &&
        mkdir disk && mount -o loop image disk && cd disk || exit 77
        printf 'the old words\n' > a.md
        (sleep 0.3; printf 'THE' | dd of=a.md conv=notrunc 2>/dev/null) &
        strace -o /dev/null -e inject=renameat2:delay_enter=700000:when=1 \
        $FOLIO patch replace a.md --text old -c newer; echo $?; cat a.md";
    let Some(told) = with_mounts(&sandbox, script) else { return };
    if told.status == Some(77) {
        eprintln!("skipped: no loop mounts of ext4 here");
        return;
    }
    told.exits(0).prints("4\nTHE old words\n");
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

#[test]
fn without_exchange_permanent_failures_are_reported_and_left_to_recovery() {
    let renames = |call: &str| ["linkat", "renameat", "renameat2", "unlinkat"].contains(&call);
    for scenario in [FILE_MOVE_WITHOUT_EXCHANGE, BACKUP_WITHOUT_EXCHANGE, BACKUP] {
        scenario.disturb(&["error=EIO", "error=EIO+"], renames);
    }
    BACKUP_WITHOUT_EXCHANGE.disturb(&["error=EIO"], |call| call == "newfstatat");
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
                let told = scenario.faulted(&sandbox, &injected);
                let about = format!("{} {injected}: {told}", scenario.name);
                let now = snapshot(&sandbox.path("w"));
                assert!(now == old || now == new, "{about}");
                match told.status {
                    // Before the commit, the signal ends the process. After it, there is no call.
                    None => assert_eq!(now, old, "{about}"),
                    Some(0) => assert_eq!(now, new, "{about}"),
                    status => {
                        assert_eq!(status, Some(128 + number), "{about}");
                        let words = if now == old { "no file was changed" } else { "too late" };
                        assert!(told.errors().contains(words), "{about}");
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
        signal_at_each(scenario, &[("HUP", 1), ("INT", 2), ("TERM", 15)], changes);
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
        let told = self.scenario.faulted(&sandbox, &format!("inject={}", self.cut_off_by));
        assert_eq!(told.status, None, "{told}");
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
        let told = self.scenario.under_strace(&sandbox, &["-e", injected], RECOVER);
        let next = self.scenario.run(&sandbox, RECOVER);
        let about = format!("{} {} {injected}", self.scenario.name, self.is_changed);
        let is_told = [Some(0), Some(self.in_order())].contains(&next.status);
        assert!(is_told, "{about}: {next}\nafter\n{told}");
        self.scenario.run(&sandbox, &["patch", "append", "next.md", "-c", "x"]).exits(0);
        fs::write(sandbox.path("w/next.md"), OLD).unwrap();
        let is_in_place = self.scenario.name == IN_PLACE.name;
        if self.is_changed {
            let theirs = (THEIRS.to_owned(), old[Path::new("a.md")].1);
            let own = old.insert("a.md".into(), theirs).unwrap();
            if !is_in_place {
                old.insert("a.md.before".into(), own);
            }
        }
        assert_eq!(snapshot(&sandbox.path("w")), old, "{about} {told}");
        let journal = snapshot(&sandbox.path(".local/state/folio/journal"));
        // A copy without a record is removed only after some time.
        let kept = journal.iter().filter(|(name, _)| !name.to_string_lossy().ends_with(".copy"));
        let kept: Vec<_> = kept.map(|(_, (text, _))| &text[..]).collect();
        let of_theirs = is_in_place && self.is_changed;
        assert_eq!(kept, Vec::from_iter(of_theirs.then_some("old words\n")), "{about} {told}");
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
    let told = UNDO_ONE.traced(&UNDO_ONE.sandbox(), &["-e", "inject=renameat2:error=EIO"]);
    let errors = told.errors();
    assert!(errors.contains("another file cannot take its place"), "{errors}");
    assert!(!errors.contains("--in-place"), "{errors}");
}

#[test]
fn a_full_disk_leaves_no_partial_changes() {
    let writes = |call: &str| {
        ["copy_file_range", "linkat", "pwrite64", "symlinkat", "write"].contains(&call)
    };
    SEVERAL.disturb(&["error=ENOSPC"], writes);
}

#[test]
#[ignore = "takes minutes: every call, killed"]
fn a_kill_at_any_call() {
    disturb_all(&["signal=KILL"]);
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

fn disturb_all(faults: &[&str]) {
    let wanted = std::env::var("SCENARIO").unwrap_or_default();
    let scenarios = ALL.iter().filter(|scenario| scenario.name.contains(&wanted));
    let problems: Vec<String> =
        scenarios.flat_map(|scenario| scenario.problems(faults, is_any).0).collect();
    assert!(problems.is_empty(), "{}:\n{}", problems.len(), problems.join("\n"));
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
        let told = SEVERAL.traced(&sandbox, &["-e", &inject]).exits(0);
        let texts = ["a.md", "b.md", "d/c.md"]
            .map(|file| fs::read_to_string(sandbox.path("w").join(file)).unwrap());
        assert_eq!(texts, [NEW; 3], "{lacks}: {told}");
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
        let told = SEVERAL.traced(&sandbox, &["-e", lacks]).exits(2);
        told.tells("cannot exchange files").tells("--in-place");
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
    let told = ONE.traced(&sandbox, &["-e", &format!("inject=fsync:error=EIO:when={last}")]);
    told.exits(0).tells("applied, durability unknown");
    assert_eq!(fs::read_to_string(sandbox.path("w/a.md")).unwrap(), NEW);
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

// Mounts.

/// Runs a shell script in a sandbox with its own mounts.
pub fn with_mounts(sandbox: &Sandbox, script: &str) -> Option<Outcome> {
    if !has("unshare", &["-m", "mount", "-t", "tmpfs", "none", "/mnt"]) {
        return None;
    }
    let mut command = sandbox.command_of("unshare");
    command.args(["-m", "sh", "-c", script]).env("FOLIO", env!("CARGO_BIN_EXE_folio"));
    Some(outcome(&mut command, b""))
}

#[test]
fn on_a_full_disk_the_old_file_is_kept() {
    let sandbox = Sandbox::new();
    let script = "mkdir disk && mount -t tmpfs -o size=64k none disk && cd disk &&
        yes 'the old words' | head -c 45056 > a.md && cp a.md ../before &&
        $FOLIO patch replace a.md --text old -c newer --occurrence all --force; echo $?;
        cmp a.md ../before && ls -A";
    let Some(told) = with_mounts(&sandbox, script) else { return };
    let told = told.exits(0).prints("2\na.md\n");
    assert!(told.errors().contains("No space left on device"), "{told}");
}

#[test]
fn a_mount_point_is_edited_in_place_only() {
    let sandbox = Sandbox::with(&[("a.md", OLD), ("b.md", "")]);
    let script = "mount --bind a.md b.md && $FOLIO patch replace b.md --text old -c newer;
        echo $?; cat a.md; $FOLIO patch replace b.md --text old -c newer --in-place >/dev/null;
        echo $?; cat a.md; ls -A | grep -c folio-";
    let Some(told) = with_mounts(&sandbox, script) else { return };
    let told = told.prints(format!("2\n{OLD}0\n{NEW}0\n"));
    assert!(
        told.errors().contains("mount point") && told.errors().contains("--in-place"),
        "{told}"
    );
}

#[test]
fn after_a_restart_a_disk_may_have_another_number() {
    let sandbox = Sandbox::new();
    let script = "truncate -s 4M image other && mkfs.ext4 -q -F image >/dev/null 2>&1 &&
        mkfs.ext4 -q -F other >/dev/null 2>&1 && mkdir d e && mount -o loop image d || exit 77
        for file in a b; do printf 'the old words\n' > d/$file.md; done; device=$(stat -c %d d)
        strace -o /dev/null -e inject=renameat2:signal=KILL:when=2 \
            $FOLIO patch replace d/a.md d/b.md --text old -c newer >/dev/null; cat d/a.md d/b.md
        umount d && mount -o loop other e && mount -o loop image d || exit 77
        test $device != $(stat -c %d d) || exit 77
        $FOLIO undo --recover >/dev/null; echo $?; cat d/a.md d/b.md; ls -A d | grep -v lost";
    let Some(told) = with_mounts(&sandbox, script) else { return };
    if told.status == Some(77) {
        eprintln!("skipped: no loop mounts of ext4 here");
        return;
    }
    let old = "the old words\n";
    told.prints(format!("the newer words\n{old}0\n{old}{old}a.md\nb.md\n"));
}

#[test]
fn files_of_an_overlay_of_several_file_systems_are_edited_and_cleaned() {
    let sandbox = Sandbox::with(&[("l/x", ""), ("u/x", ""), ("o/x", "")]);
    let script = "mount -t tmpfs none l && mount -t tmpfs none u && mkdir u/u u/w &&
        for file in l/a.md l/b.md u/u/c.md; do printf 'the old words\n' > $file; done &&
        mount -t overlay -o lowerdir=l,upperdir=u/u,workdir=u/w none o && cd o || exit 77
        $FOLIO patch replace a.md c.md --text old -c newer >/dev/null; echo $?
        $FOLIO patch replace --in-place b.md --text old -c newer >/dev/null; echo $?
        $FOLIO undo 1 >/dev/null; echo $?; cat a.md b.md c.md; ls -A
        strace -o /dev/null -e inject=unlinkat:signal=KILL:when=1 \
            $FOLIO patch replace a.md --text old -c newer >/dev/null
        $FOLIO patch append c.md -c x >/dev/null; cat a.md; ls -A";
    let Some(told) = with_mounts(&sandbox, script) else { return };
    if told.status == Some(77) {
        eprintln!("skipped: no overlays here");
        return;
    }
    let texts = "the old words\nthe newer words\nthe old words\n";
    let names = "a.md\nb.md\nc.md\n";
    told.prints(format!("0\n0\n0\n{texts}{names}the newer words\n{names}"));
}

// Concurrent writers.

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
                    let mut told = outcome(command, b"");
                    // On a busy machine, a writer may fail because it waits too long for the lock.
                    while told.errors().contains("run the command again after that run has ended") {
                        told = outcome(command, b"");
                    }
                    told.exits(0);
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
    let mut told = append(&sandbox, writers, lines);
    let text = fs::read_to_string(sandbox.path("a.md")).unwrap();
    let lines_there = text.lines().skip(1).filter(|line| !line.is_empty());
    let mut there: Vec<String> = lines_there.map(str::to_owned).collect();
    told.sort();
    there.sort();
    assert_eq!(there, told);
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
            let told = sandbox.run(&edit);
            match told.status {
                Some(0) => edited += 1,
                Some(1 | 4) => refused += 1,
                _ => panic!("{told}"),
            }
        }
        ended.store(true, Ordering::Relaxed);
        (other.join().unwrap(), edited, refused)
    });
    assert_eq!(version_of(&fs::read_to_string(&path).unwrap()), written);
    assert_eq!(leftovers(&sandbox.path(".")), Vec::<PathBuf>::new());
    eprintln!("{written} writes of the other, {edited} edits, {refused} refused");
}

// Kinds of files.

#[test]
fn symlinks_modes_and_owners_are_preserved() {
    let sandbox = Sandbox::with(&[("d/a.md", OLD)]);
    let path = sandbox.path("d/a.md");
    symlink("d/a.md", sandbox.path("link.md")).unwrap();
    let _ = std::os::unix::fs::chown(&path, Some(12), Some(34));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let before = fs::metadata(&path).unwrap();
    sandbox.run(&[&["patch", "replace", "link.md"], EDIT].concat()).exits(0);
    let after = fs::metadata(&path).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), NEW);
    assert!(sandbox.path("link.md").is_symlink());
    let facts = |metadata: &fs::Metadata| (metadata.mode(), metadata.uid(), metadata.gid());
    assert_eq!(facts(&after), facts(&before));
    assert_eq!(fs::read_dir(sandbox.path("d")).unwrap().count(), 1);
}

#[test]
fn files_that_cannot_be_replaced_are_reported_with_a_hint() {
    let sandbox = Sandbox::with(&[("a.md", OLD), ("read-only.md", OLD), ("d/x", "")]);
    fs::hard_link(sandbox.path("a.md"), sandbox.path("b.md")).unwrap();
    let read_only = fs::Permissions::from_mode(0o444);
    fs::set_permissions(sandbox.path("read-only.md"), read_only).unwrap();
    assert!(Command::new("mkfifo").arg(sandbox.path("pipe")).status().unwrap().success());
    let run = |name: &str| {
        sandbox.run(&[&["patch", "replace", "--json", name], EDIT].concat()).exits(2).json_error()
    };
    let code_and_hint = |name: &str| {
        let error = run(name);
        (error.code, error.suggestions.first().cloned().unwrap_or_default())
    };
    let (code, hint) = code_and_hint("a.md");
    assert!(code == "HARD_LINKED" && hint.contains("--in-place"), "{hint}");
    let expected = ("READ_ONLY".to_owned(), "chmod u+w read-only.md".to_owned());
    assert_eq!(code_and_hint("read-only.md"), expected);
    let begun = Instant::now();
    assert_eq!(code_and_hint("pipe").0, "NOT_REGULAR");
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert_eq!(code_and_hint("/dev/null").0, "NOT_REGULAR");
    sandbox.run(&[&["patch", "replace", "--in-place", "a.md"], EDIT].concat()).exits(0);
    assert_eq!(fs::read_to_string(sandbox.path("b.md")).unwrap(), NEW);
}

#[test]
fn a_missing_permission_is_reported() {
    let drop = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
    if !has("setpriv", &[&drop[..], &["true"]].concat()) {
        return;
    }
    let sandbox = Sandbox::with(&[("closed/a.md", OLD), ("open/a.md", OLD), ("home/x", "")]);
    let mode = |name: &str, mode| {
        fs::set_permissions(sandbox.path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    for (name, bits) in [(".", 0o755), ("closed", 0o755), ("open", 0o777), ("home", 0o777)] {
        mode(name, bits);
    }
    let _ = std::os::unix::fs::chown(sandbox.path("home"), Some(65534), Some(65534));
    mode("closed/a.md", 0o666);
    mode("open/a.md", 0o666);
    let run = |arguments: &[&str]| {
        let mut command = sandbox.command_of("setpriv");
        command.args(drop).arg(env!("CARGO_BIN_EXE_folio")).args(["patch", "replace"]);
        command.env("XDG_STATE_HOME", sandbox.path("home/state"));
        outcome(command.args(arguments).args(EDIT), b"")
    };
    if run(&["nowhere.md"]).status != Some(2) {
        eprintln!("skipped: another user cannot run the binary");
        return;
    }
    run(&["closed/a.md"]).exits(2).tells("Permission denied").tells("--in-place");
    run(&["open/a.md"]).exits(2).tells("owner").tells("--in-place");
    assert_eq!(fs::read_to_string(sandbox.path("open/a.md")).unwrap(), OLD);
    mode("open/a.md", 0o644);
    run(&["open/a.md"]).exits(2).tells("Permission denied");
    // Journals of another user are ignored.
    sandbox.write("home/theirs/folio/journal/1-2-0.journal", "");
    let mut command = sandbox.command_of("setpriv");
    command.args(drop).arg(env!("CARGO_BIN_EXE_folio")).args(["undo", "--recover"]);
    command.env("XDG_STATE_HOME", sandbox.path("home/theirs"));
    outcome(&mut command, b"").exits(2).tells("belongs to another user");
    assert_eq!(leftovers(&sandbox.path(".")), Vec::<PathBuf>::new());
}
