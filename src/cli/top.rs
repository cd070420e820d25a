//! What `folio` does without a command of the engine: its own flags, help,
//! schemas, completions, manual pages.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_complete::Shell;

use super::complete::{self, scripts::completion_script};
use super::install;
use super::manual;
use super::session::{print, print_help};
use super::subcommands::{SUBCOMMANDS, schemas};
use super::topics;
use super::{synonyms, usage};
use crate::commands::output::{Outcome, Sink, counted};
use crate::error::{Code, Error, ExitStatus, Hint};
use crate::text::fuzzy::name::nearest;

/// What `folio --help` opens with.
pub(super) const ABOUT: &str = "Address, read, search and edit the parts of text files";

const HELP_END: &str = "\
The two commonest uses:
  folio inspect README.md                        the outline of a file
  folio read README.md --section Installation    one section of it

`folio COMMAND --help` tells of each command. `folio help TOPIC` tells of
addresses, exit-status, and agents: a page for the instructions of coding agents.

--root [NAME=]DIR, before a command or behind it, lets it touch only files below DIR.";

/// What `schema --help` opens with.
pub(super) const SCHEMA_ABOUT: &str = "Print the JSON Schema of what a command prints or takes";
/// What `completions --help` opens with.
pub(super) const COMPLETIONS_ABOUT: &str = "Print a completion script for a shell";
/// What `man --help` opens with.
pub(super) const MAN_ABOUT: &str = "Print a manual page";

/// The long help's opening of `schema`.
pub(super) const SCHEMA_LONG_ABOUT: &str = "\
Print the JSON Schema of what a command prints with --json, or of JSON that it takes.
Without a name, print the names of all. The last part of a schema's $id is its version.

  folio schema read     what `folio read --json` prints
  folio schema edits    what `folio patch apply` takes; batch: `folio read --batch`";

/// The long help's opening of `completions`.
pub(super) const COMPLETIONS_LONG_ABOUT: &str = "\
Print a completion script for a shell.

bash: a line in ~/.bashrc
  source <(folio completions bash)

zsh: a file, and two lines in ~/.zshrc where compinit is not called yet
  mkdir -p ~/.zfunc && folio completions zsh > ~/.zfunc/_folio
  fpath=(~/.zfunc $fpath)
  autoload -Uz compinit && compinit

fish: a line in ~/.config/fish/config.fish
  folio completions fish | source

In these three, Tab also completes what is in the file, such as sections, keys
and anchors: folio read README.md --section <Tab>. The folio in $PATH is asked.
With the package bash-completion the script for bash may be a file instead,
~/.local/share/bash-completion/completions/folio; fish reads one in
~/.config/fish/completions/folio.fish. Both then know the links of
folio --install only after folio itself was completed.";

/// The long help's opening of `man`.
pub(super) const MAN_LONG_ABOUT: &str = "\
Print a manual page.

  folio man read | man -l -       to read it
  folio man > ~/.local/share/man/man1/folio.1
  folio man addresses > ~/.local/share/man/man7/folio-addresses.7";

/// The command line without commands.
pub(super) fn command() -> Command {
    Command::new("folio")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(HELP_END)
        .arg_required_else_help(true)
        .subcommand_value_name("COMMAND")
        .disable_help_subcommand(true)
        .arg(
            clap::Arg::new("list")
                .long("list")
                .action(clap::ArgAction::SetTrue)
                .help("Print the names of the commands"),
        )
        .arg(
            clap::Arg::new("install")
                .long("install")
                .value_name("DIR")
                .value_hint(clap::ValueHint::DirPath)
                .value_parser(clap::value_parser!(PathBuf))
                .help("Make links named folio-COMMAND to this binary in DIR"),
        )
}

/// Prints the usage of folio as a whole.
pub(super) fn usage(asked: bool) -> ExitStatus {
    let mut command = command();
    for subcommand in SUBCOMMANDS {
        command = command.subcommand(Command::new(subcommand.name).about(subcommand.about));
    }
    let help = command.render_help().to_string();
    if asked {
        return print(&help);
    }
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(help.as_bytes());
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
        return refuse(&unknown_command("folio", &first, &arguments[1..]));
    }
    let argv = std::iter::once(OsString::from("folio")).chain(arguments.iter().cloned());
    match command().try_get_matches_from(argv) {
        Ok(matches) => match matches.get_one::<PathBuf>("install") {
            Some(directory) => install_links(directory),
            None => usage(false),
        },
        Err(error) if !error.use_stderr() => print_help(&error),
        Err(_) if first == "--install" => refuse(
            &Error::usage("--install needs one directory").hint("folio --install ~/.local/bin"),
        ),
        Err(_) => refuse(&usage::flags_first(arguments).hint("folio --help  # the commands")),
    }
}

/// `folio help [COMMAND|TOPIC]`.
fn help(arguments: &[OsString]) -> ExitStatus {
    let Some(name) = arguments.first() else { return usage(true) };
    if let Some(topic) = name.to_str().and_then(topics::find) {
        return print(topic.text);
    }
    match super::find(name) {
        Some(command) => super::run_command(command, &[name.clone(), OsString::from("--help")]),
        None => {
            let mut error = unknown_command("folio help", &name.to_string_lossy(), &[]);
            for topic in topics::TOPICS {
                error = error.hint(format!("folio help {}  # {}", topic.name, topic.about));
            }
            refuse(&error)
        }
    }
}

fn refuse(error: &Error) -> ExitStatus {
    let mut stderr = std::io::stderr().lock();
    let _ = writeln!(stderr, "folio: {error}");
    for hint in &error.hints {
        let _ = writeln!(stderr, "hint: {hint}");
    }
    error.code.exit_status()
}

/// The error for a command that there is none of, behind what was `typed`.
fn unknown_command(typed: &str, name: &str, rest: &[OsString]) -> Error {
    let names: Vec<&str> = SUBCOMMANDS.iter().map(|command| command.name).collect();
    let mut error = Error::usage(format!("there is no command '{name}'"));
    if typed != "folio" {
        let names = synonyms::of_command(name);
        error.hints.extend(names.map(|name| format!("{typed} {name}").into()));
    } else {
        error.hints.extend(synonyms::of_line(name, rest).map(Hint::Text));
    }
    if error.hints.is_empty() {
        let near = nearest(name, names.iter().copied(), 2);
        error.hints.extend(near.iter().map(|at| {
            let line = synonyms::same_line(names[*at], rest).filter(|_| !rest.is_empty());
            let line = line.unwrap_or_else(|| match typed {
                "folio" => format!("folio {} --help", names[*at]),
                typed => format!("{typed} {}", names[*at]),
            });
            Hint::Text(format!("{line}  # similar"))
        }));
    }
    if super::env::env(&[]).is_ok_and(|env| env.roots.exists(Path::new(name))) {
        let word = crate::error::shell_word(name);
        error = error.hint(format!("folio inspect {word}  # the outline of that file"));
    }
    error.hint("folio --help  # the commands")
}

fn install_links(directory: &Path) -> ExitStatus {
    match install::install(directory) {
        Ok((made, kept)) => {
            let shown = directory.display();
            let mut text = format!("made {} in '{shown}'", counted(made.len() as u64, "link"));
            if !kept.is_empty() {
                text = format!("{text}; {} were there already", kept.len());
            }
            print(&format!("{text}: {}\n", [made, kept].concat().join(" ")))
        }
        Err(error) => refuse(&error),
    }
}

/// The flags of `schema`.
#[derive(Args, Debug)]
pub(super) struct SchemaArgs {
    /// A command, for what it prints; edits or batch, for what patch and read take
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

/// Prints a JSON Schema.
pub(super) fn schema(args: &SchemaArgs, output: &mut dyn Sink) -> Outcome {
    let names = || schemas().map(|(name, _)| name);
    let Some(name) = &args.name else {
        let lines: String = names().map(|name| format!("{name}\n")).collect();
        let _ = output.write(lines.as_bytes());
        return Ok(ExitStatus::Done);
    };
    match schemas().find(|(other, _)| other == name) {
        Some((_, schema)) => {
            let _ = output.write(schema.as_bytes());
            Ok(ExitStatus::Done)
        }
        None => {
            let all: Vec<&str> = names().collect();
            Err(Error::usage(format!("there is no schema '{name}'"))
                .hint(format!("it is one of {}", all.join(", "))))
        }
    }
}

/// The flags of `completions`.
#[derive(Args, Debug)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

/// Prints a completion script.
pub(super) fn completions(args: &CompletionsArgs, output: &mut dyn Sink) -> Outcome {
    let _ = output.write(&completion_script(args.shell));
    Ok(ExitStatus::Done)
}

/// The flags of `man`.
#[derive(Args, Debug)]
pub(super) struct ManArgs {
    /// The command or the page of help; without one, folio as a whole
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

/// Prints a manual page.
pub(super) fn man(args: &ManArgs, output: &mut dyn Sink) -> Outcome {
    let page = manual::page(args.name.as_deref())
        .ok_or_else(|| unknown_command("folio man", args.name.as_deref().unwrap_or(""), &[]))?
        .map_err(|error| Error::new(Code::IoError, error.to_string()))?;
    let _ = output.write(&page);
    Ok(ExitStatus::Done)
}
