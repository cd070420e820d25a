//! The output of commands, word for word: errors, hints, notes and reports.
//!
//! Each file in `messages/` is a table. `== title` begins a new directory, `> line` is a shell
//! command that prepares it, and `$ line` is a command to check. Its output follows: `exit` with
//! the status and the error codes, standard output with the prefix `| `, and standard error
//! unchanged. `UPDATE_GENERATED=1 cargo test --test it messages` updates the tables.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::generated::{root, shell, updates};
use crate::support::{Outcome, Sandbox, outcome};

/// The name of a sandbox in the table, because the real name differs in each run.
const HERE: &str = "/HERE";

/// Maximum number of lines of standard output to show.
const SHOWN: usize = 12;

/// Error codes that do not occur in the tables, and the reason.
const LEFT_OUT: &[(&str, &str)] = &[
    ("LOCKED", "folio waits ten seconds for another writer"),
    ("CANCELLED", "the command line sets no deadline"),
    ("FILE_TOO_LARGE", "no fixture has a gigabyte"),
];

/// Marks a directory whose files cannot be read, except by root.
const FOR_PLAIN_USERS: &str = "(not as root)";

#[test]
#[cfg_attr(not(feature = "search"), ignore = "needs the feature search")]
fn cli() {
    check("cli");
}

#[test]
fn roots() {
    check("roots");
}

#[test]
fn inspect() {
    check("inspect");
}

#[test]
#[cfg_attr(not(feature = "search"), ignore = "needs the feature search")]
fn read() {
    check("read");
}

#[test]
fn grep() {
    check("grep");
}

#[test]
fn keys() {
    check("keys");
}

#[test]
fn list() {
    check("list");
}

#[test]
fn links() {
    check("links");
}

#[test]
#[cfg_attr(not(feature = "search"), ignore = "needs the feature search")]
fn collections() {
    check("collections");
}

#[test]
fn undo() {
    check("undo");
}

#[test]
fn patch_usage() {
    check("patch-usage");
}

#[test]
fn patch_parts() {
    check("patch-parts");
}

#[test]
fn patch_files() {
    check("patch-files");
}

#[test]
fn apply() {
    check("apply");
}

#[test]
fn every_code_is_in_the_table() {
    let source = fs::read_to_string(root().join("crates/files/src/error.rs")).expect("the codes");
    let codes = source.split_once("\ncodes! {").expect("the codes").1;
    let names = codes.lines().take_while(|line| *line != "}").filter_map(|line| {
        let (_, name) = line.trim().split_once(" = \"")?;
        Some(name.strip_suffix("\",")?.to_owned())
    });
    let names: BTreeSet<String> = names.collect();
    assert!(names.contains("NOT_FOUND") && names.contains("LOCKED"), "{names:?}");
    let tables = tables();
    let tabled: BTreeSet<&str> = tables
        .iter()
        .flat_map(|(_, table)| table.lines())
        .filter_map(|line| line.strip_prefix("exit "))
        .flat_map(|line| line.split(' ').skip(1))
        .collect();
    let left_out = |name: &str| LEFT_OUT.iter().any(|(code, _)| *code == name);
    let missing: Vec<&String> =
        names.iter().filter(|name| !tabled.contains(name.as_str()) && !left_out(name)).collect();
    assert!(missing.is_empty(), "no message has {missing:?}");
    let needless = LEFT_OUT.iter().filter(|(code, _)| tabled.contains(code));
    assert_eq!(needless.count(), 0, "it is in the table, and said to be left out");
}

#[test]
fn every_table_is_checked() {
    let this_file = fs::read_to_string(root().join("tests/messages.rs")).expect("this file");
    for (path, _) in tables() {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        assert!(this_file.contains(&format!("check(\"{name}\")")), "{name}");
    }
}

/// Returns the files of the table.
fn tables() -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(root().join("tests/messages")).expect("the table");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a table");
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

/// Runs the commands in a file of the table, compares the output, and checks every line.
#[track_caller]
fn check(name: &str) {
    let path = root().join(format!("tests/messages/{name}.txt"));
    let table = fs::read_to_string(&path).expect("a table");
    let mut faults = Vec::new();
    let played = play(&table, &mut faults);
    if updates() {
        fs::write(&path, &played).expect("written");
    } else if played != table {
        let same = played.lines().zip(table.lines()).take_while(|(left, right)| left == right);
        let same = same.count();
        let after = |text: &str| -> String {
            text.lines()
                .skip(same.saturating_sub(3))
                .take(9)
                .fold(String::new(), |all, line| all + "  " + line + "\n")
        };
        panic!(
            "{name}.txt is not what is printed, from line {}\nprinted:\n{}in the file:\n{}",
            same + 1,
            after(&played),
            after(&table),
        );
    }
    assert!(faults.is_empty(), "{name}.txt:\n{}", faults.join("\n"));
}

/// Returns the table with the current output of its commands.
fn play(table: &str, faults: &mut Vec<String>) -> String {
    let mut played = String::new();
    let mut lines = table.lines().peekable();
    // Each command runs twice, because error codes are only in JSON.
    let mut scene = Scene::new();
    while let Some(line) = lines.next() {
        played.push_str(line);
        played.push('\n');
        if let Some(title) = line.strip_prefix("== ") {
            scene = Scene::new();
            if title.ends_with(FOR_PLAIN_USERS) && rustix::process::geteuid().is_root() {
                eprintln!("skipped: {title}");
                while let Some(line) = lines.next_if(|line| !line.starts_with("== ")) {
                    played.push_str(line);
                    played.push('\n');
                }
            }
        } else if let Some(command) = line.strip_prefix("> ") {
            scene.prepare(command);
        } else if let Some(command) = line.strip_prefix("$ ") {
            let is_next =
                |line: &&str| ["$ ", "> ", "== "].iter().any(|mark| line.starts_with(mark));
            while lines.next_if(|line| !is_next(line)).is_some() {}
            played.push_str(&scene.play(command, faults));
            played.push_str(if lines.peek().is_some() { "\n" } else { "" });
        }
    }
    played
}

/// A directory in which commands run, and another one for the same commands with JSON output.
struct Scene {
    text: Sandbox,
    json: Sandbox,
    hints: BTreeSet<String>,
}

impl Scene {
    fn new() -> Self {
        Self { text: Sandbox::new(), json: Sandbox::new(), hints: BTreeSet::new() }
    }

    fn prepare(&self, command: &str) {
        for sandbox in [&self.text, &self.json] {
            let made = outcome(&mut shell(sandbox, command), b"");
            assert_eq!(made.status, Some(0), "{command}\n{made}");
        }
    }

    /// Runs a command and returns its output.
    fn play(&mut self, command: &str, faults: &mut Vec<String>) -> String {
        let result = outcome(&mut shell(&self.text, command), b"");
        let in_json = outcome(&mut shell(&self.json, &format!("{command} --json")), b"");
        let errors = self.hide_place(&result.errors());
        let mut shown = format!("exit {}", result.status.unwrap_or(-1));
        for code in codes(&errors, &in_json) {
            let _ = write!(shown, " {code}");
        }
        shown.push('\n');
        let text = self.hide_place(&result.text());
        let count = text.lines().count();
        for line in text.lines().take(SHOWN) {
            let _ = writeln!(shown, "| {line}").map(|()| shown.truncate(shown.trim_end().len()));
            shown.push('\n');
        }
        if count > SHOWN {
            let _ = writeln!(shown, "| … and {} more lines", count - SHOWN);
        }
        shown.push_str(&errors);
        assert!(errors.is_empty() || errors.ends_with('\n'), "{command}\n{result}");
        let mut fault = |what: &str, line: &str| faults.push(format!("{what}\n  {line}"));
        let is_help = errors.starts_with("Read, search");
        let is_json = command.contains("--json");
        for line in errors.lines().filter(|_| !is_help && !is_json) {
            manners(line, &mut fault);
        }
        for line in errors.lines().filter_map(|line| line.strip_prefix("hint: ")) {
            self.type_hint(line, &mut fault);
        }
        shown
    }

    fn hide_place(&self, text: &str) -> String {
        text.replace(&*self.text.path("").to_string_lossy(), &format!("{HERE}/"))
            .replace(self.text.path("").to_string_lossy().trim_end_matches('/'), HERE)
    }

    /// Runs the command in a hint, and checks that it is useful.
    fn type_hint(&mut self, hint: &str, fault: &mut impl FnMut(&str, &str)) {
        let typed = hint.split("  # ").next().unwrap_or_default();
        let edit = format!("folio patch apply - <<< '{}'", typed.replace('\'', r"'\''"));
        let typed = if typed.starts_with('{') { &edit } else { typed };
        if !typed.starts_with("folio ") || has_gaps(typed) || !self.hints.insert(typed.to_owned()) {
            return;
        }
        let typed = typed.replace(HERE, &self.text.path("").to_string_lossy());
        let run = |sandbox: &Sandbox| {
            outcome(shell(sandbox, "exec bash -c \"$TYPED\"").env("TYPED", &typed), b"")
        };
        let beside = Sandbox::new();
        let came = if typed.contains(" undo ") {
            // The history contains absolute paths, so the directory is restored afterwards.
            copy(&self.text.path(""), &beside.path(""));
            let came = run(&self.text);
            empty(&self.text.path(""));
            copy(&beside.path(""), &self.text.path(""));
            came
        } else if typed.contains(" patch ") || typed.contains("--install") {
            copy(&self.text.path(""), &beside.path(""));
            run(&beside)
        } else {
            run(&self.text)
        };
        // A hint mends one mistake; the next one has a hint of its own.
        let errors = came.errors();
        let mut hints = errors.lines().filter_map(|line| line.strip_prefix("hint: "));
        let asks = hints.any(|next| !next.starts_with(&typed) && next != hint);
        if came.status.is_none() || came.status == Some(2) && !asks {
            fault(&format!("a hint that does not work: {came}"), &typed);
        }
    }
}

/// Whether a command line contains placeholders.
fn has_gaps(typed: &str) -> bool {
    let is_gap = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_ascii_uppercase());
        let known = ["LOG", "README", "INI", "TODO", "A", "B", "C"].contains(&word);
        !word.is_empty() && !known && word.chars().all(|c| c.is_ascii_uppercase())
    };
    typed.split([' ', ':', '=']).any(is_gap)
}

/// Returns the error codes in the JSON output. The messages must be the same as in the text output.
fn codes(errors: &str, in_json: &Outcome) -> Vec<String> {
    let objects = in_json.errors();
    let objects = objects.lines().filter_map(|line| {
        let object: serde_json::Value = serde_json::from_str(line).ok()?;
        let code = object.get("code")?.as_str()?.to_owned();
        let message = object.get("message")?.as_str()?.to_owned();
        errors.contains(&message).then_some(code)
    });
    objects.collect()
}

fn empty(directory: &Path) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.is_symlink() {
            fs::remove_dir_all(path).expect("removed");
        } else {
            fs::remove_file(path).expect("removed");
        }
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        let (path, new) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().expect("a kind");
        if kind.is_dir() {
            fs::create_dir_all(&new).expect("made");
            let mode = fs::metadata(&path).expect("there").permissions();
            fs::set_permissions(&new, mode).expect("set");
            copy(&path, &new);
        } else if kind.is_symlink() {
            symlink(fs::read_link(&path).expect("a link"), &new).expect("linked");
        } else if kind.is_file() {
            let _ = fs::copy(&path, &new);
        }
    }
}

/// Words that only readers of the source code would understand.
const JARGON: &[&str] = &[
    "operand",
    "resolve",
    "staged",
    "os error",
    "Some(",
    "None",
    "Err(",
    "Ok(",
    "::",
    "panicked",
    "regex crate",
    "unwrap",
    "serde",
    "clap",
    "stdin",
    "stdout",
    "stderr",
];

/// Maximum length of a message, not counting text from the command line.
const MAX_COLUMNS: usize = 115;

/// Messages of the operating system.
const OF_THE_SYSTEM: &[&str] = &[
    "No such file or directory",
    "Is a directory",
    "Not a directory",
    "Permission denied",
    "No space left on device",
    "Too many levels of symbolic links",
    "File name too long",
    "Input/output error",
];

/// Verbs in the singular.
const VERBS: &[&str] = &["is", "has", "was", "takes", "needs", "goes", "holds", "begins"];

/// Checks the rules for each line on standard error.
fn manners(line: &str, fault: &mut impl FnMut(&str, &str)) {
    let hint = line.strip_prefix("hint: ");
    // Candidate sections and patterns are indented.
    let candidate = line.starts_with("  line ") || line.starts_with("    ");
    let Some(message) = hint.or_else(|| message(line)) else {
        if !candidate {
            fault("who says that?", line);
        }
        return;
    };
    // Quoted text comes from the command line or a file.
    let plain = unquoted(message.split(": folio ").next().unwrap_or_default());
    if plain.chars().count() > MAX_COLUMNS && hint.is_none() {
        fault("it is too long", line);
    }
    let own_end = message.strip_suffix('.');
    if own_end.is_some_and(|start| !start.ends_with([' ', '/', '.']) && !start.is_empty()) {
        fault("a full stop at the end", line);
    }
    let first = plain.trim_start_matches("note: ").chars().next().unwrap_or(' ');
    let is_name = plain.split([' ', ':', '=']).next().is_some_and(|word| {
        word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    });
    let system = OF_THE_SYSTEM.iter().any(|text| message.contains(text));
    if first.is_uppercase() && !is_name && !system {
        fault("a capital letter at the beginning", line);
    }
    for word in JARGON.iter().filter(|word| plain.contains(*word)) {
        fault(&format!("jargon: {word}"), line);
    }
    let words: Vec<&str> = plain.split(' ').collect();
    for pair in words.windows(2) {
        let noun = pair[1].trim_end_matches(|c: char| !c.is_alphabetic());
        if pair[0] == "1" && noun.ends_with('s') && !VERBS.contains(&noun) {
            fault("one of several", line);
        }
    }
    if hint.is_none() && plain.contains('"') && !plain.contains('{') {
        fault("names stand in single quotes", line);
    }
}

/// Returns the message in a line, after the names of the command and the file.
fn message(line: &str) -> Option<&str> {
    let (name, message) = line.strip_prefix("folio")?.split_once(": ")?;
    let is_name = name.is_empty() || name[1..].bytes().all(|byte| byte.is_ascii_lowercase());
    let message = message.strip_prefix("note: ").unwrap_or(message);
    let path_ends = message.strip_prefix('\'').and_then(|rest| rest.find("': "));
    is_name.then(|| path_ends.map_or(message, |end| &message[end + 4..]))
}

/// Removes quoted text from a message.
fn unquoted(message: &str) -> String {
    message.split('\'').step_by(2).collect::<Vec<_>>().join("''")
}
