//! Implements `--max-tokens` and `--offset` for commands that list results: runs a command, prints
//! part of its output, and suggests the command line that prints the rest.

use std::ffi::OsString;

use clap::ArgMatches;

use super::is_set;
use super::session::Session;
use super::subcommands::{RunFunction, Subcommand};
use crate::commands::answer_budget::{Limited, Limits};
use crate::commands::host::Host;
use crate::commands::output::Outcome;
use crate::commands::shared_args::contradiction;
use folio_files::error::Hint;

/// Runs a command and prints the requested part of its output. `line` is the command line,
/// beginning with the name of the command.
pub(super) fn run(
    (command, run): (&Subcommand, RunFunction),
    line: &[OsString],
    matches: &mut ArgMatches,
    host: &Host,
    session: &mut Session,
) -> Outcome {
    let number = |flag: &str| matches.try_get_one::<u64>(flag).ok().flatten().copied();
    let (tokens, offset) = (number("answer_tokens"), number("answer_offset"));
    if tokens.is_none() && offset.is_none() {
        return run(matches, host, session);
    }
    let name = if tokens.is_some() { "--max-tokens" } else { "--offset" };
    // Records separated by NUL have no line endings at which the output could be truncated. After
    // --fix, a second run would find nothing to fix.
    for (flag, other) in [("null", "--null"), ("null_data", "--null-data"), ("fix", "--fix")] {
        if is_set(matches, flag) {
            return Err(contradiction(name, other));
        }
    }
    let limits = Limits { tokens, offset: offset.unwrap_or(0) };
    let mut limited = Limited::new(limits, session);
    let status = run(matches, host, &mut limited)?;
    let again = |offset: u64, tokens: Option<u64>| {
        let set = [("--max-tokens", tokens), ("--offset", Some(offset).filter(|&at| at > 0))];
        Hint::command(command.name, with_numbers(&line[1..], &set))
    };
    limited.finish(&again)?;
    Ok(status)
}

/// Returns the command line with new values for some options, inserted before `--`.
fn with_numbers(line: &[OsString], flags: &[(&str, Option<u64>)]) -> Vec<OsString> {
    let is_number = |word: &OsString| word.to_str().is_some_and(|word| word.parse::<u64>().is_ok());
    let mut words = Vec::new();
    let mut rest = line.iter().peekable();
    while let Some(word) = rest.next() {
        let is_flag = |(flag, _): &(&str, Option<u64>)| word == flag;
        if flags.iter().any(is_flag) && rest.peek().is_some_and(|next| is_number(next)) {
            rest.next();
            continue;
        }
        let has_value = |(flag, _): &(&str, Option<u64>)| {
            let value = word.to_str().and_then(|word| word.strip_prefix(flag)?.strip_prefix('='));
            value.is_some_and(|value| value.parse::<u64>().is_ok())
        };
        if !flags.iter().any(has_value) {
            words.push(word.clone());
        }
    }
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let set = flags.iter().filter_map(|(flag, value)| value.map(|value| (flag, value)));
    let set = set.flat_map(|(flag, value)| [OsString::from(flag), value.to_string().into()]);
    words.splice(end..end, set);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let words: Vec<OsString> = line.split(' ').map(Into::into).collect();
        let set = with_numbers(&words, &[("--max-tokens", Some(9)), ("--offset", Some(40))]);
        let set: Vec<_> = set.iter().filter_map(|word| word.to_str()).collect();
        assert_eq!(set.join(" "), expected);
    }

    #[test]
    fn options_get_new_values_at_any_position() {
        check("--max-tokens 9 a docs", "a docs --max-tokens 9 --offset 40");
        check("--offset=20 a --max-tokens=9 -- -b", "a --max-tokens 9 --offset 40 -- -b");
        check("a --offset 5 docs", "a docs --max-tokens 9 --offset 40");
    }
}
