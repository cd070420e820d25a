//! Implements `--max-tokens` and `--offset` for commands that list results: runs a command, prints
//! part of its output, and suggests the command line that prints the rest.

use clap::ArgMatches;

use super::is_set;
use super::session::Session;
use super::subcommands::RunFunction;
use crate::commands::answer_budget::{Limit, Limited, Limits};
use crate::commands::host::Host;
use crate::commands::output::Outcome;
use crate::commands::shared_args::contradiction;

/// Runs a command and prints the requested part of its output.
pub(super) fn run(
    run: RunFunction,
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
    let size = Limit::tokens(tokens.unwrap_or(u64::MAX));
    let limits = Limits { size, first: size, offset: offset.unwrap_or(0), may_repeat: true };
    Limited::run(limits, session, |limited| run(matches, host, limited))
}
