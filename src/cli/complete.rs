//! Completion of names: what the scripts of the shells ask this binary, and what
//! it answers. `folio completions` prints the scripts.

mod answers;
mod bash_line;
mod question;
pub(super) mod scripts;

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use super::session::print;
use crate::error::ExitStatus;
use answers::{Candidate, candidates};
use bash_line::quoted;
use question::{Asked, Line, Question, question};

/// The word after which scripts ask. It is nobody's command.
pub(super) const WORD: &str = "__complete";

/// Answers a script: `bash TYPE TYPED BEFORE BEHIND`, the line before the cursor
/// and after it, or `zsh COUNT WORDS…` and `fish COUNT WORDS…`, words without
/// their quotes, COUNT of them before the one at the cursor.
///
/// The status says who answers: 0 what is printed is all there is, 1 the script
/// itself, 3 the shell, with files. Nothing is told of what fails.
pub(super) fn run(arguments: &[OsString]) -> ExitStatus {
    let Some((shell, arguments)) = arguments.split_first() else { return ExitStatus::No };
    let bytes: Vec<&[u8]> = arguments.iter().map(|argument| argument.as_bytes()).collect();
    match (shell.as_bytes(), &bytes[..]) {
        (b"bash", [kind, typed, before, behind]) => {
            let line = bash_line::line(before, behind);
            answer(&line, |question, found| match *kind {
                // Tab was pressed again: what is printed is shown, not put in.
                b"63" => listed(question, &line, found),
                // Where all are shown at once, what was typed may stand among them.
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

fn answer(line: &Line, told: impl Fn(&Question, &[Candidate]) -> Vec<String>) -> ExitStatus {
    let Some(question) = question(line) else { return ExitStatus::No };
    let found = candidates(&question);
    // Where there is no patch and no collection, there may be files.
    let may_be_file = match question.asked {
        Asked::File => true,
        Asked::Patch => found.is_empty(),
        Asked::Collection | Asked::Document(_) => fitting(&question, line, &found).is_empty(),
        _ => false,
    };
    if may_be_file {
        return ExitStatus::Several;
    }
    let lines = told(&question, &found).into_iter();
    print(&lines.map(|line| line + "\n").collect::<String>())
}

/// A line with what stays of the word, then a line for each: value, tab, what it
/// is. zsh itself narrows them down and quotes them.
fn in_zsh(question: &Question, found: &[Candidate]) -> Vec<String> {
    let kept = question.kept.to_string_lossy().into_owned();
    let about = |one: &Candidate| format!("{}\t{}", one.value, one.about);
    std::iter::once(kept).chain(found.iter().map(about)).collect()
}

/// A line for each: value, tab, what it is. fish knows about `--flag=` itself.
fn in_fish(question: &Question, found: &[Candidate]) -> Vec<String> {
    let kept = question.kept.to_string_lossy();
    let kept = if kept.starts_with('-') { "" } else { &kept };
    found.iter().map(|one| format!("{kept}{}\t{}", one.value, one.about)).collect()
}

/// A line for each of those that fit what is typed, quoted as it is; they take
/// the place of what bash calls the word, which may be a part of it.
fn in_bash(
    question: &Question,
    line: &Line,
    found: &[Candidate],
    (before, typed): (&[u8], &[u8]),
    shows_all: bool,
) -> Vec<String> {
    let (stays, quotes) = bash_line::stays(before, typed);
    let kept = question.kept.to_string_lossy();
    let mut lines: Vec<String> = fitting(question, line, found)
        .into_iter()
        .filter_map(|one| {
            let word = format!("{kept}{}", one.value);
            let rest = word.as_bytes().strip_prefix(&stays[..])?;
            Some(quoted(std::str::from_utf8(rest).ok()?, quotes))
        })
        .collect();
    // bash puts in what they begin with alike. It must not take away what was
    // typed because that is in their middle.
    let typed = String::from_utf8_lossy(typed);
    let (lower, first) = (typed.to_lowercase(), typed.to_lowercase().chars().next());
    if lines.len() > 1 && !lines.iter().all(|one| one.to_lowercase().starts_with(&lower)) {
        let is_apart = |one: &String| one.to_lowercase().chars().next() != first;
        match shows_all && lines.iter().any(is_apart) {
            true => lines.insert(0, typed.into_owned()),
            false => lines.clear(),
        }
    }
    lines
}

/// The same for people, with what they are.
fn listed(question: &Question, line: &Line, found: &[Candidate]) -> Vec<String> {
    let found = fitting(question, line, found);
    let about = |one: &Candidate| match one.about.as_str() {
        "" => one.value.clone(),
        about => format!("{}  ({about})", one.value),
    };
    found.into_iter().map(about).collect()
}

/// Those that begin with what is typed; else in whatever case; else those that
/// hold it.
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
        found.iter().filter(|one| fits(&one.value)).collect()
    };
    ways.iter().map(by).find(|fitting| !fitting.is_empty()).unwrap_or_default()
}
