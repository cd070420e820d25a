//! Runs `folio` without a command for documents: its own options, help, schemas, completions and
//! manual pages.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use clap::ArgMatches;

use super::complete::{self, scripts::completion_script};
use super::install;
use super::manual;
use super::own_flags::{CompletionsArgs, ManArgs, SchemaArgs, command};
use super::serve;
use super::session::{Session, asks_json, print, print_help, printed};
use super::subcommands::{SUBCOMMANDS, groups, schemas};
use super::terminal;
use super::topics;
use super::{synonyms, usage};
use crate::commands::json;
use crate::commands::output::{Outcome, Sink, counted};
use crate::commands::patch;
use crate::commands::request::parsed;
use folio_files::error::{Code, Error, ExitStatus, Hint};
use folio_text::fuzzy::name::nearest;

/// Prints the usage of folio.
pub(super) fn usage(is_requested: bool) -> ExitStatus {
    let template = ["{about}\n\nUsage: {usage}\n\n", &groups(), "Options:\n{options}{after-help}"];
    let command = command().override_usage("folio [OPTIONS] [COMMAND]");
    let help = command.help_template(template.concat()).render_help().to_string();
    if is_requested {
        return print(&help);
    }
    let _ = terminal::stderr().write(help.as_bytes());
    ExitStatus::Trouble
}

/// Runs `folio` with arguments that do not begin with a command.
pub(super) fn run(arguments: &[OsString]) -> ExitStatus {
    let first = arguments[0].to_string_lossy().into_owned();
    match first.as_str() {
        "--version" | "-V" => return print(concat!("folio ", env!("CARGO_PKG_VERSION"), "\n")),
        "--help" | "-h" => return usage(true),
        "--list" if arguments.len() == 1 => {
            let names: String =
                SUBCOMMANDS.iter().map(|command| format!("{}\n", command.name)).collect();
            return print(&names);
        }
        "help" => return help(&arguments[1..]),
        complete::WORD => return complete::run(&arguments[1..]),
        _ => {}
    }
    if !first.starts_with('-') {
        return refuse(&unknown_command(None, &first, &arguments[1..]), arguments);
    }
    let argv = std::iter::once(OsString::from("folio")).chain(arguments.iter().cloned());
    match command().try_get_matches_from(argv) {
        Ok(matches) => match matches.get_one::<PathBuf>("install") {
            Some(directory) => install_links(directory, arguments),
            None => usage(false),
        },
        Err(error) if !error.use_stderr() => print_help(&error),
        Err(_) if first == "--install" => refuse(
            &Error::usage("--install needs one directory")
                .hint(Hint::command("--install", ["DIR"])),
            arguments,
        ),
        Err(_) => refuse(&usage::flags_first(arguments).hint(all_commands()), arguments),
    }
}

/// Runs `folio help [COMMAND|TOPIC]` or `folio help agents --for AGENT`.
fn help(arguments: &[OsString]) -> ExitStatus {
    let Some(name) = arguments.first() else { return usage(true) };
    if name == "agents" && arguments.len() > 1 {
        return help_for_agent(&arguments[1..]);
    }
    if let Some(topic) = name.to_str().and_then(topics::find) {
        return print(&topic.text());
    }
    match super::find(name) {
        Some(command) => super::run_command(command, &[name.clone(), OsString::from("--help")]),
        None => {
            let mut error = unknown_command(Some("help"), &name.to_string_lossy(), &[]);
            for topic in topics::TOPICS {
                error = error.hint(Hint::command("help", [topic.name]).why(topic.about));
            }
            refuse(&error, arguments)
        }
    }
}

/// Prints the instructions for the coding agent in `--for AGENT` or `--for=AGENT`.
fn help_for_agent(arguments: &[OsString]) -> ExitStatus {
    let words: Vec<String> =
        arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let words: Vec<&str> = words.iter().flat_map(|word| word.split('=')).collect();
    let names = || topics::AGENTS.iter().map(|agent| agent.name).collect::<Vec<_>>().join(", ");
    let error = match words[..] {
        ["--for", name] => match topics::AGENTS.iter().find(|agent| agent.name == name) {
            Some(agent) => {
                let note = format!("folio help: note: for the file {}\n", agent.file);
                let _ = terminal::stderr().say(&note);
                return print(&agent.instructions());
            }
            None => format!("--for: '{name}' is not one of {}", names()),
        },
        ["--for"] => format!("--for needs a value, one of {}", names()),
        [word, ..] => format!("unexpected argument '{word}'"),
        [] => return print(""),
    };
    refuse(
        &Error::usage(error).hint(Hint::command("help", ["agents", "--for", "claude"])),
        arguments,
    )
}

/// Prints an error, as JSON if the command line contains the option for JSON output.
fn refuse(error: &Error, line: &[OsString]) -> ExitStatus {
    if asks_json(line) {
        let _ = terminal::stderr().write_json(&json::error_line(error));
        return error.code.exit_status();
    }
    let hints = error.hints.iter().map(|hint| format!("hint: {hint}\n"));
    let text = format!("folio: {error}\n{}", hints.collect::<String>());
    // If standard error is closed, the exit status still shows the error.
    let _ = terminal::stderr().say(&text);
    error.code.exit_status()
}

fn all_commands() -> Hint {
    Hint::command("--help", None::<&str>).why("the commands")
}

/// Returns the error for an unknown command. The name follows `folio` itself, or a command that
/// expects the name of another command.
fn unknown_command(parent: Option<&'static str>, name: &str, rest: &[OsString]) -> Error {
    let names: Vec<&'static str> = SUBCOMMANDS.iter().map(|command| command.name).collect();
    let mut error = Error::usage(format!("unknown command '{name}'"));
    let command_first = rest.iter().position(|word| super::find(word).is_some()).and_then(|at| {
        let words = [&[name.into()], &rest[..at], &rest[at + 1..]].concat();
        synonyms::same_line(&rest[at].to_string_lossy(), &words)
    });
    if let Some(hint) = command_first.filter(|_| parent.is_none()) {
        return error.hint(hint.why("the command comes first")).hint(all_commands());
    }
    error.hints.extend(match parent {
        Some(parent) => synonyms::command_name(name).map(|name| Hint::command(parent, [name])),
        None => synonyms::equivalent(name, rest).or_else(|| synonyms::unsupported_hint(name)),
    });
    if error.hints.is_empty() {
        let near = nearest(name, names.iter().copied(), 2);
        error.hints.extend(near.iter().map(|at| {
            let same = synonyms::same_line(names[*at], rest).filter(|_| !rest.is_empty());
            let hint = same.unwrap_or_else(|| match parent {
                None => Hint::command(names[*at], ["--help"]),
                Some(parent) => Hint::command(parent, [names[*at]]),
            });
            hint.why("similar")
        }));
    }
    if super::env::host(&[]).is_ok_and(|host| host.env.roots.exists(Path::new(name))) {
        error = error.hint(Hint::command("inspect", [name]).why("show the outline of the file"));
    }
    error.hint(all_commands())
}

fn install_links(directory: &Path, line: &[OsString]) -> ExitStatus {
    match install::install(directory) {
        Ok((made, kept)) => {
            let shown = directory.display();
            let mut text = format!("made {} in '{shown}'", counted(made.len() as u64, "link"));
            if !kept.is_empty() {
                text = format!("{text}; {} already existed", kept.len());
            }
            let text = format!("{text}: {}\n", [made, kept].concat().join(" "));
            printed(terminal::stdout().say(&text))
        }
        Err(error) => refuse(&error, line),
    }
}

/// Runs the command `name`, which prints information about folio.
pub(super) fn run_info_command(name: &str, matches: &ArgMatches, session: &mut Session) -> Outcome {
    let text = match name {
        "call" => return serve::call(matches, session),
        "schema" => schema(&parsed(matches, false)?)?.into_bytes(),
        "completions" => completion_script(parsed::<CompletionsArgs>(matches, false)?.shell),
        _ => man(&parsed(matches, false)?)?,
    };
    if !(name == "man" && session.style().terminal && show_page(&text)) {
        let _ = session.write(&text);
    }
    Ok(ExitStatus::Done)
}

fn schema(args: &SchemaArgs) -> Result<String, Error> {
    let names = || schemas().map(|(name, _)| name);
    let Some(name) = &args.name else {
        return Ok(names().map(|name| format!("{name}\n")).collect());
    };
    if args.example {
        if name != "edits" {
            let error = Error::usage(format!("'{name}' has no example"));
            return Err(error.hint(Hint::command("schema", ["edits", "--example"])));
        }
        return Ok(patch::EDITS_EXAMPLE.to_owned());
    }
    let schema = schemas().find(|(other, _)| other == name);
    let schema = schema.map(|(_, schema)| schema());
    schema.or_else(|| serve::schema_of_tool(name)).ok_or_else(|| {
        let all: Vec<&str> = names().collect();
        Error::usage(format!("unknown schema '{name}'"))
            .hint(format!("it is one of {}, or a tool of mcp", all.join(", ")))
    })
}

fn man(args: &ManArgs) -> Result<Vec<u8>, Error> {
    manual::page(args.name.as_deref())
        .ok_or_else(|| unknown_command(Some("man"), args.name.as_deref().unwrap_or(""), &[]))?
        .map_err(|error| Error::new(Code::IoError, error.to_string()))
}

/// Shows a page on the terminal with `man`. Returns `false` if that fails.
fn show_page(page: &[u8]) -> bool {
    let mut man = std::process::Command::new("man");
    let Ok(mut man) = man.args(["-l", "-"]).stdin(Stdio::piped()).spawn() else { return false };
    // `man` may exit before it has read the whole page.
    let _ = man.stdin.take().map(|mut stdin| stdin.write_all(page));
    man.wait().is_ok_and(|status| status.success())
}
