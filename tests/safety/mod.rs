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

mod failures;
mod file_systems;
mod kills;
mod recovery;
mod writers;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::support::system::{has, is_own};
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
        let injected_call = call_of(injected.trim_start_matches("inject="));
        let calls = self.lacks.iter().map(|lacks| call_of(lacks)).chain([injected_call]);
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
        let result = self.faulted(&sandbox, injected);
        let now = || snapshot(&sandbox.path("w"));
        let at_once = now();
        let torn = expected.torn(&at_once);
        // If a call keeps failing, the rollback also fails, and the message suggests `--recover`.
        // If standard error is closed, there is no message.
        let is_silent = result.errors().is_empty() && !matches!(result.status, Some(0) | None);
        let is_for_recovery =
            injected.ends_with('+') && (result.errors().contains("--recover") || is_silent);
        let was_killed = result.status.is_none();
        // A file that is overwritten in place may be incomplete until it is recovered.
        let may_be_torn = (is_for_recovery || was_killed) && self.name.contains("in place");
        if !torn.is_empty() && !may_be_torn {
            return Err(format!("neither old nor new: {torn:?}\n{result}"));
        }
        if injected.contains("signal=KILL") && !was_killed {
            return Err(NOT_KILLED.to_owned());
        }
        let blames = ["another program changed", "changed by another program"];
        if blames.iter().any(|blame| result.errors().contains(blame)) {
            return Err(format!("another program is blamed\n{result}"));
        }
        let mut seen = at_once.clone();
        // The next run removes leftover files.
        seen.retain(|name, _| !is_own(name));
        let stage = expected.stage(&seen);
        match (result.status, stage) {
            (Some(0), Some(true)) | (None, _) => {}
            (Some(status), None) if status != 0 && is_for_recovery => {}
            (Some(0), _) => return Err(format!("exit 0, not done\n{result}")),
            (_, None) => return Err(format!("done in part: {at_once:?}\n{result}")),
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
            return Err(format!("the next patch failed\n{next}\nafter\n{result}"));
        }
        fs::write(sandbox.path("w/next.md"), OLD).unwrap();
        let Some(is_done) = expected.stage(&now()) else {
            return Err(format!("not all or none: {:?}\n{result}", now()));
        };
        if !was_killed && !is_for_recovery && stage.is_some_and(|stage| stage != is_done) {
            return Err(format!("cleaning changed what was there\n{result}"));
        }
        let (arguments, wanted) = match is_done {
            true => (self.back, &expected.old),
            false => (self.arguments, &expected.new),
        };
        // If writing to standard error also fails, there can be no message.
        let cannot = result.errors().contains("cannot record the edit for undo")
            || !was_killed && result.status != Some(0) && result.errors().is_empty();
        let next = self.run(&sandbox, arguments);
        let now = self.without_backups(now(), wanted);
        if !cannot && now != *wanted {
            let what = if is_done { "undone" } else { "done again" };
            return Err(format!("it is not {what}\n{next}\nafter\n{result}"));
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

fn changes(call: &str) -> bool {
    CALLS_THAT_CHANGE.contains(&call)
}

fn is_any(call: &str) -> bool {
    !CALLS_OF_THE_PROCESS.contains(&call)
}

fn disturb_all(faults: &[&str]) {
    let wanted = std::env::var("SCENARIO").unwrap_or_default();
    let scenarios = ALL.iter().filter(|scenario| scenario.name.contains(&wanted));
    let problems: Vec<String> =
        scenarios.flat_map(|scenario| scenario.problems(faults, is_any).0).collect();
    assert!(problems.is_empty(), "{}:\n{}", problems.len(), problems.join("\n"));
}
