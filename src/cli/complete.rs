//! Shell completion of names: the requests of the shells' completion scripts, and the answers of
//! this binary. `folio completions` prints the scripts.

mod answers;
mod bash_line;
mod question;
pub(super) mod scripts;

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use super::session::print;
use answers::{Candidate, candidates};
use bash_line::quoted;
use folio_files::error::ExitStatus;
use question::{Expected, Line, Question, question};

/// First argument of the requests that a completion script makes. No command has this name.
pub(super) const WORD: &str = "__complete";

/// Answers a completion script. The request is one of:
///
/// - `bash TYPE TYPED BEFORE AFTER`, with the text before and after the cursor.
/// - `zsh COUNT WORDS…` or `fish COUNT WORDS…`, with unquoted words. COUNT is the number of words
///   before the word at the cursor.
///
/// The exit status specifies what completes the word. 0: the printed candidates are complete; 1:
/// the script; 3: the shell, which completes file names. Errors are not reported.
pub(super) fn run(arguments: &[OsString]) -> ExitStatus {
    let Some((shell, arguments)) = arguments.split_first() else { return ExitStatus::No };
    let bytes: Vec<&[u8]> = arguments.iter().map(|argument| argument.as_bytes()).collect();
    match (shell.as_bytes(), &bytes[..]) {
        (b"bash", [kind, typed, before, after]) => {
            let line = bash_line::line(before, after);
            answer(&line, |question, found| match *kind {
                // The user pressed Tab again, so the candidates are displayed and not inserted.
                b"63" => listed(question, &line, found),
                // Type 33 (`!`) lists all candidates immediately. The typed text itself may be one
                // of them.
                _ => in_bash(question, &line, found, (before, typed), *kind == b"33"),
            })
        }
        (b"zsh" | b"fish", [count, words @ ..]) => {
            let count = std::str::from_utf8(count).ok().and_then(|count| count.parse().ok());
            let count = count.filter(|count| *count <= words.len()).unwrap_or(words.len());
            let (before, rest) = arguments[1..].split_at(count);
            let (current, after) = match rest.split_first() {
                Some((current, after)) => (current.clone(), after),
                None => (OsString::new(), rest),
            };
            let line = Line { before: before.to_vec(), current, after: after.to_vec() };
            let is_zsh = shell == "zsh";
            answer(
                &line,
                |question, found| {
                    if is_zsh { in_zsh(question, found) } else { in_fish(question, found) }
                },
            )
        }
        _ => ExitStatus::No,
    }
}

fn answer(line: &Line, lines: impl Fn(&Question, &[Candidate]) -> Vec<String>) -> ExitStatus {
    let Some(question) = question(line) else { return ExitStatus::No };
    let found = candidates(&question);
    // If there are no patches or collections, the word may be a file name.
    let may_be_file = match question.expected {
        Expected::File => true,
        Expected::Patch => found.is_empty(),
        Expected::Collection | Expected::Document(_) => fitting(&question, line, &found).is_empty(),
        _ => false,
    };
    if may_be_file {
        return ExitStatus::Several;
    }
    let lines = lines(&question, &found).into_iter();
    print(&lines.map(|line| line + "\n").collect::<String>())
}

/// Formats candidates for zsh. The first line is the part of the word to keep. The other lines
/// contain value, tab and description. zsh filters and quotes the values.
fn in_zsh(question: &Question, found: &[Candidate]) -> Vec<String> {
    let kept = question.kept.to_string_lossy().into_owned();
    let about = |candidate: &Candidate| format!("{}\t{}", candidate.value, candidate.about);
    std::iter::once(kept).chain(found.iter().map(about)).collect()
}

/// Formats candidates for fish: value, tab and description. fish handles `--flag=` itself.
fn in_fish(question: &Question, found: &[Candidate]) -> Vec<String> {
    let kept = question.kept.to_string_lossy();
    let kept = if kept.starts_with('-') { "" } else { &kept };
    found
        .iter()
        .map(|candidate| format!("{kept}{}\t{}", candidate.value, candidate.about))
        .collect()
}

/// Formats candidates for bash. Returns those that match the typed text, with its quoting. They
/// replace the text that bash considers the word, which may be only part of the word.
fn in_bash(
    question: &Question,
    line: &Line,
    found: &[Candidate],
    (before, typed): (&[u8], &[u8]),
    shows_all: bool,
) -> Vec<String> {
    let (beginning, quotes) = bash_line::word_beginning(before, typed);
    let kept = question.kept.to_string_lossy();
    let mut lines: Vec<String> = fitting(question, line, found)
        .into_iter()
        .filter_map(|candidate| {
            let word = format!("{kept}{}", candidate.value);
            let rest = word.as_bytes().strip_prefix(&beginning[..])?;
            Some(quoted(std::str::from_utf8(rest).ok()?, quotes))
        })
        .collect();
    // bash inserts the common prefix of all candidates. If the typed text occurs in the middle of
    // the candidates, that would delete it.
    let typed = String::from_utf8_lossy(typed);
    let (lower, first) = (typed.to_lowercase(), typed.to_lowercase().chars().next());
    if lines.len() > 1 && !lines.iter().all(|word| word.to_lowercase().starts_with(&lower)) {
        let is_apart = |word: &String| word.to_lowercase().chars().next() != first;
        if shows_all && lines.iter().any(is_apart) {
            lines.insert(0, typed.into_owned())
        } else {
            lines.clear()
        }
    }
    lines
}

/// Formats candidates with descriptions, for bash to display.
fn listed(question: &Question, line: &Line, found: &[Candidate]) -> Vec<String> {
    let found = fitting(question, line, found);
    let about = |candidate: &Candidate| match candidate.about.as_str() {
        "" => candidate.value.clone(),
        about => format!("{}  ({about})", candidate.value),
    };
    found.into_iter().map(about).collect()
}

/// Returns the candidates that begin with the typed text. If there are none, ignores case. If there
/// are still none, returns the candidates that contain the text.
fn fitting<'a>(question: &Question, line: &Line, found: &'a [Candidate]) -> Vec<&'a Candidate> {
    let current = line.current.to_string_lossy();
    let kept = question.kept.to_string_lossy();
    let typed = current.strip_prefix(&*kept).unwrap_or(&current);
    let lower = typed.to_lowercase();
    let ways: [&dyn Fn(&str) -> bool; 3] = [
        &|value| value.starts_with(typed),
        &|value| value.to_lowercase().starts_with(&lower),
        &|value| value.to_lowercase().contains(&lower),
    ];
    let by = |fits: &&dyn Fn(&str) -> bool| -> Vec<&Candidate> {
        found.iter().filter(|candidate| fits(&candidate.value)).collect()
    };
    ways.iter().map(by).find(|fitting| !fitting.is_empty()).unwrap_or_default()
}
