//! The face: which command is meant, its flags, the streams, the exit status.

mod complete;
mod install;
mod manual;
mod session;
pub mod subcommands;
mod top;
mod topics;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::process::ExitCode;

use clap::ArgMatches;
use clap::error::ErrorKind;

use crate::commands::output::Output;
use crate::error::{Error, ExitStatus};
use crate::files::address::STDIN_MARK;
use session::Session;
use subcommands::{SUBCOMMANDS, Subcommand};

/// Runs the command line; the process exits with what comes back.
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

/// The flags `--root` that begin a line, and what stands behind them.
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

/// The command that a link to the binary names: `folio-read`, `read`.
fn multicall(invoked: &OsStr) -> Option<&'static Subcommand> {
    let name = std::path::Path::new(invoked).file_name()?.to_str()?;
    let name = name.strip_suffix(".exe").unwrap_or(name);
    find(OsStr::new(name.strip_prefix("folio-").unwrap_or(name)))
}

/// The command of a name.
fn find(name: &OsStr) -> Option<&'static Subcommand> {
    SUBCOMMANDS.iter().find(|command| name == command.name)
}

/// Runs a command; the first argument stands for its name.
fn run_command(command: &'static Subcommand, arguments: &[OsString]) -> ExitStatus {
    let parsed = parse(command, arguments);
    let matches = match parsed {
        Ok(matches) => matches,
        Err(error) if !error.use_stderr() => return session::print_help(&error),
        Err(error) => {
            let mut session = Session::before_arguments(command.name, arguments);
            session.error(&usage_error(command, &error));
            return session.finish();
        }
    };
    let mut session = Session::new(command.name, &matches);
    if let Err(error) = (command.run)(&matches, &mut session) {
        session.error(&error);
    }
    session.finish()
}

/// Parses the flags of a command. `-:5` and `-#id` are parts of standard input:
/// where clap takes them for flags, it is asked again with a mark before them.
fn parse(command: &Subcommand, arguments: &[OsString]) -> Result<ArgMatches, clap::Error> {
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

/// What clap found wrong, as one of our errors.
fn usage_error(command: &Subcommand, error: &clap::Error) -> Error {
    let rendered = error.render().to_string();
    let mut lines = rendered.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let mut message = first.strip_prefix("error: ").unwrap_or(first).to_owned();
    let mut hints = Vec::new();
    let mut listing = matches!(error.kind(), ErrorKind::MissingRequiredArgument);
    for line in lines {
        if let Some(tip) = line.strip_prefix("tip: ") {
            hints.push(tip.to_owned());
            listing = false;
        } else if line.starts_with("Usage:") || line.starts_with("For more information") {
            listing = false;
        } else if let Some(values) = line.strip_prefix("[possible values: ") {
            hints.push(format!("it is one of: {}", values.trim_end_matches(']')));
        } else if listing {
            message = format!("{message} {line}");
        }
    }
    let mut told = Error::usage(message);
    told.hints = hints;
    told.hint(format!("folio {} --help  # all flags", command.name))
}
