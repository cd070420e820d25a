//! The command line: dispatches to commands, parses options, and manages streams and the exit
//! status.

mod answer;
mod complete;
mod confinement;
mod env;
mod install;
mod manual;
mod own_flags;
mod serve;
mod session;
mod short_help;
mod signals;
pub mod subcommands;
mod synonyms;
mod terminal;
mod top;
mod topics;
mod typed_line;
mod usage;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::process::ExitCode;

use clap::ArgMatches;
use clap::error::ErrorKind;

use crate::commands::host::Host;
use crate::commands::output::{Note, Sink};
use crate::commands::patch::operation_args;
use confinement::{Writes, confine};
use folio_files::address::STDIN_MARK;
use folio_files::env::Env;
use folio_files::error::{ExitStatus, Hint};
use folio_files::journal::{self, Journal};
use folio_files::undo;
use session::Session;
use subcommands::{SUBCOMMANDS, Subcommand};

/// Runs the command line and returns the exit status of the process.
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    ExitCode::from(run(&arguments).number())
}

fn run(arguments: &[OsString]) -> ExitStatus {
    let invoked = arguments.first().map(OsString::as_os_str).unwrap_or_default();
    if let Some(command) = multicall(invoked) {
        return run_command(command, arguments);
    }
    let Some(first) = arguments.get(1) else {
        return top::usage(false);
    };
    match find(first) {
        Some(command) => run_command(command, &arguments[1..]),
        None => {
            let (roots, rest) = leading_roots(&arguments[1..]);
            match rest.first().map(|name| find(name)) {
                Some(Some(command)) => {
                    run_command(command, &[&rest[..1], roots, &rest[1..]].concat())
                }
                Some(None) => top::run(rest),
                None => top::run(roots),
            }
        }
    }
}

/// Splits the `--root` options from the beginning of a line.
fn leading_roots(line: &[OsString]) -> (&[OsString], &[OsString]) {
    let mut at = 0;
    while let Some(word) = line.get(at) {
        match word.as_bytes() {
            b"--root" => at += 2,
            word if word.starts_with(b"--root=") => at += 1,
            _ => break,
        }
    }
    line.split_at(at.min(line.len()))
}

/// Returns the command that the name of a link to the binary selects, such as `folio-read` or
/// `read`.
fn multicall(invoked: &OsStr) -> Option<&'static Subcommand> {
    let name = std::path::Path::new(invoked).file_name()?.to_str()?;
    let name = name.strip_suffix(".exe").unwrap_or(name);
    find(OsStr::new(name.strip_prefix("folio-").unwrap_or(name)))
}

/// Returns the command called `name`.
fn find(name: &OsStr) -> Option<&'static Subcommand> {
    SUBCOMMANDS.iter().find(|command| name == command.name)
}

/// Runs a command. The first argument is its name.
fn run_command(command: &'static Subcommand, arguments: &[OsString]) -> ExitStatus {
    let parsed = parse(command, arguments);
    let matches = match parsed {
        Ok(matches) => matches,
        Err(error) if error.kind() == ErrorKind::DisplayHelp => {
            return session::print_help(&help(command, arguments).unwrap_or(error));
        }
        Err(error) if !error.use_stderr() => return session::print_help(&error),
        Err(error) => {
            let session = Session::before_arguments(command.name, arguments);
            return session.finish(Err(usage::error(command, &error, arguments)));
        }
    };
    if command.name == serve::NAME {
        return serve::serve(&matches);
    }
    let mut session = Session::new(command.name, &arguments[1..], &matches);
    let roots: Vec<OsString> = roots(&matches).cloned().collect();
    let outcome = match command.run {
        None => top::run_info_command(command.name, &matches, &mut session),
        Some(run) => env::host(&roots).and_then(|host| {
            // The configuration is read only for commands that use it.
            let wants_config = matches.ids().any(|id| id == "no_config");
            let mut matches = matches;
            let (limits, configs) = if wants_config && !is_set(&matches, "no_config") {
                env::config(&host.env.roots)?
            } else {
                Default::default()
            };
            let wait_notice = session.wait_notice();
            let env = Env { wait_notice, limits, configs, ..host.env };
            let host = Host { env, confirm: session.confirm(), ..host };
            let writes = Writes::for_command(command.name);
            if writes != Some(Writes::Nothing) {
                signals::survive_size_limit();
            }
            if writes.is_none_or(|writes| writes == Writes::Documents) {
                session.interrupted = signals::defer_during_changes(&host.env.cancel);
            }
            if writes == Some(Writes::Nothing) {
                note_interrupted(&host.env, &mut session);
            }
            if let Some(writes) = writes {
                confine(&env::given_roots(&roots), writes, &host);
            }
            session.link_names(&matches, &host.env.roots)?;
            answer::run(run, &mut matches, &host, &mut session)
        }),
    };
    session.finish(outcome)
}

/// Prints a note if an edit of files in this place was interrupted. A command that writes nothing
/// prints it once, so that a killed run does not go unnoticed.
fn note_interrupted(env: &Env, session: &mut Session) {
    let Some(pending) = env.state.as_ref().and_then(|state| journal::pending(state).ok()) else {
        return;
    };
    let Some(scope) = (!pending.is_empty()).then(|| undo::scope(&env.roots)).flatten() else {
        return;
    };
    let is_here = |journal: &&Journal| {
        let mut paths = journal.record().paths();
        journal.lies_in(&env.roots) && paths.any(|path| path.starts_with(&scope.directory))
    };
    // Each of them is marked.
    let unseen = pending.iter().filter(is_here).filter(|journal| journal.mark_seen()).count();
    if unseen > 0 {
        let hint = Hint::command("undo", ["--recover"]).why("to finish it or roll it back");
        session.note(Note::new("a previous run was interrupted").hint(hint));
    }
}

/// Returns the help of a command, or of an operation of `patch`. `-h` requests the short help and
/// `--help` the long help.
fn help(command: &Subcommand, arguments: &[OsString]) -> Option<clap::Error> {
    let mut built = command.command();
    let operation = arguments.get(1).and_then(|word| word.to_str());
    if let Some(operation) = operation.filter(|_| command.name == "patch") {
        built = operation_args::with_operation_help(built, operation);
    }
    built = if arguments.iter().any(|word| word == "--help") {
        short_help::full_help(built, command.name)
    } else {
        short_help::shortened(built, command.name)
    };
    built.try_get_matches_from(arguments).err()
}

/// Returns the values of `--root`, if the command has this option.
fn roots(matches: &ArgMatches) -> impl Iterator<Item = &OsString> {
    matches.try_get_many("root").ok().flatten().into_iter().flatten()
}

/// Whether a switch is given.
fn is_set(matches: &ArgMatches, flag: &str) -> bool {
    matches.try_get_one(flag).ok().flatten() == Some(&true)
}

/// Parses the options of a command. `-:5` and `-#id` are addresses in standard input. If clap
/// interprets them as options, the line is escaped and parsed again.
fn parse(command: &Subcommand, arguments: &[OsString]) -> Result<ArgMatches, clap::Error> {
    let quick = command.quick.map(|quick| quick().try_get_matches_from(arguments));
    if let Some(Ok(matches)) = quick {
        return Ok(matches);
    }
    let first = command.command().try_get_matches_from(arguments);
    let is_part = |argument: &OsString| {
        let bytes = argument.as_bytes();
        bytes.starts_with(b"-:") || bytes.starts_with(b"-#")
    };
    match first {
        Err(error)
            if error.kind() == ErrorKind::UnknownArgument && arguments.iter().any(is_part) =>
        {
            let marked = arguments.iter().map(|argument| {
                if !is_part(argument) {
                    return argument.clone();
                }
                OsString::from_vec([STDIN_MARK, argument.as_bytes()].concat())
            });
            command.command().try_get_matches_from(marked)
        }
        parsed => parsed,
    }
}
