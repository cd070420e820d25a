//! The table of commands. Dispatch, help, completions, manual pages and schemas are derived from
//! it.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{ArgMatches, Command};

use super::own_flags;
use crate::commands::host::Host;
use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{self, CommandLine, Request, Schema};
#[cfg(test)]
use crate::commands::rules::Rule;
#[cfg(feature = "search")]
use crate::commands::{collection, collection_search, related};
use crate::commands::{grep, inspect, links, list, patch, read, undo};
use folio_files::error::Error;

/// Runs a command. Takes parsed options, an environment, and a sink for the records.
pub type RunFunction = fn(&mut ArgMatches, &Host, &mut dyn Sink) -> Outcome;

/// A command.
pub struct Subcommand {
    /// The name of the command.
    pub name: &'static str,
    /// A description in one line.
    pub about: &'static str,
    /// Builds all options of the command. Called only for the command that runs.
    pub build: fn() -> Command,
    /// Builds only the common options, for a command with many options. If the command line
    /// contains other options, it cannot be parsed, and is parsed again with all options.
    pub quick: Option<fn() -> Command>,
    /// Runs the command. `None` for commands that print information about folio.
    pub run: Option<RunFunction>,
    /// Fails if options cannot be used together. The second argument is whether the output is JSON.
    check: fn(&ArgMatches, bool) -> Result<(), Error>,
    /// The JSON Schemas of the command's output and input, by name.
    pub schemas: &'static [Schema],
    #[cfg(test)]
    rules: &'static [Rule],
}

impl Subcommand {
    /// Creates a command that runs a request of type `T`.
    const fn from_request<T: Request>() -> Self {
        Self { run: Some(request::run::<T>), schemas: T::SCHEMAS, ..Self::from_command_line::<T>() }
    }

    /// Creates a command that prints information about folio.
    const fn from_command_line<T: CommandLine>() -> Self {
        Self {
            name: T::NAME,
            about: T::ABOUT,
            build: command::<T>,
            quick: if T::IS_QUICK { Some(quick::<T>) } else { None },
            run: None,
            check: request::check::<T>,
            schemas: &[],
            #[cfg(test)]
            rules: T::RULES,
        }
    }

    /// Returns the name of the command's manual page.
    pub fn page(&self) -> String {
        format!("folio-{}", self.name)
    }

    /// Builds the clap command, for a run or for help. The usage line always starts with `folio`,
    /// even if the binary has another name.
    pub fn command(&self) -> Command {
        let typed = format!("folio {}", self.name);
        (self.build)().bin_name(&typed).display_name(typed)
    }

    /// Whether the command accepts these options together. Values may be placeholders.
    pub fn accepts(&self, arguments: &[OsString], json: bool) -> bool {
        let line = [self.name.into()].into_iter().chain(arguments.iter().cloned());
        match super::parse(self, &line.collect::<Vec<OsString>>()) {
            Ok(matches) => (self.check)(&matches, json).is_ok(),
            Err(error) => {
                matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation)
            }
        }
    }
}

/// All commands, in the order of the help.
pub const SUBCOMMANDS: &[Subcommand] = &[
    Subcommand::from_request::<inspect::args::InspectArgs>(),
    Subcommand::from_request::<read::args::ReadArgs>(),
    Subcommand::from_request::<grep::args::GrepArgs>(),
    Subcommand::from_request::<patch::args::PatchArgs>(),
    Subcommand::from_request::<patch::edit_args::EditArgs>(),
    Subcommand::from_request::<undo::args::UndoArgs>(),
    Subcommand::from_request::<undo::args::RedoArgs>(),
    Subcommand::from_request::<list::args::ListArgs>(),
    Subcommand::from_request::<links::args::LinksArgs>(),
    #[cfg(feature = "search")]
    Subcommand::from_request::<collection_search::args::SearchArgs>(),
    #[cfg(feature = "search")]
    Subcommand::from_request::<related::args::RelatedArgs>(),
    #[cfg(feature = "search")]
    Subcommand::from_request::<collection::args::CollectionArgs>(),
    Subcommand::from_command_line::<own_flags::McpArgs>(),
    Subcommand::from_command_line::<own_flags::CallArgs>(),
    Subcommand::from_command_line::<own_flags::SchemaArgs>(),
    Subcommand::from_command_line::<own_flags::CompletionsArgs>(),
    Subcommand::from_command_line::<own_flags::ManArgs>(),
];

/// The groups of commands, by topic.
const GROUPS: &[(&str, &[&str])] = &[
    ("Read", &["inspect", "read", "grep", "list"]),
    ("Edit", &["patch", "edit", "undo", "redo"]),
    #[cfg(feature = "search")]
    ("Find", &["links", "search", "related"]),
    #[cfg(not(feature = "search"))]
    ("Find", &["links"]),
    #[cfg(feature = "search")]
    ("Collections", &["collection"]),
    ("Integrations", &["mcp", "call", "schema", "completions", "man"]),
];

/// Formats the list of commands in the help, grouped by topic.
pub(super) fn groups() -> String {
    let mut text = String::new();
    for (title, names) in GROUPS {
        text += &format!("{title}:\n");
        for command in SUBCOMMANDS.iter().filter(|command| names.contains(&command.name)) {
            text += &format!("  {:<13}{}\n", command.name, command.about);
        }
        text.push('\n');
    }
    text
}

/// Whether a command has the option `--root`.
pub fn takes_roots(command: &Command) -> bool {
    command.get_arguments().any(|argument| argument.get_id() == "root")
}

/// Returns all JSON Schemas, by name.
pub fn schemas() -> impl Iterator<Item = Schema> {
    SUBCOMMANDS.iter().flat_map(|command| command.schemas.iter().copied())
}

fn command<T: CommandLine>() -> Command {
    // The descriptions come last, because the doc comments of the types would replace them.
    let command = T::augment_args(request::command(T::NAME));
    let command = command.about(T::ABOUT).long_about(T::LONG_ABOUT);
    let command = match T::AFTER_HELP {
        "" => command,
        text => command.after_long_help(text),
    };
    T::flags(command.version(env!("CARGO_PKG_VERSION")))
}

/// Builds a command with only its common options, and without help.
fn quick<T: CommandLine>() -> Command {
    T::flags(T::augment_args_for_update(request::command(T::NAME)))
}

/// Builds the complete command line, for completions and manual pages.
pub fn complete_command() -> Command {
    let mut command = own_flags::command();
    for subcommand in SUBCOMMANDS {
        command = command.subcommand((subcommand.build)());
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_refer_to_existing_options() {
        for subcommand in SUBCOMMANDS {
            let command = subcommand.command();
            let unknown = |id: &str| command.get_arguments().all(|flag| flag.get_id() != id);
            for id in subcommand.rules.iter().flat_map(Rule::ids) {
                assert!(!unknown(&id), "{}: {id}", subcommand.name);
            }
        }
    }

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let mut all: Vec<&str> = SUBCOMMANDS.iter().map(|command| command.name).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }

    #[test]
    fn an_option_may_be_given_twice() {
        for subcommand in SUBCOMMANDS {
            let command = subcommand.command();
            let flags = command.get_arguments().filter_map(|flag| Some((flag, flag.get_long()?)));
            for (flag, name) in flags {
                let values = flag.get_possible_values();
                let value = values.first().map_or("1", |value| value.get_name()).to_owned();
                let needs_value = flag.get_action().takes_values()
                    && flag.get_num_args().is_none_or(|range| range.min_values() > 0);
                let word =
                    if needs_value { format!("--{name}={value}") } else { format!("--{name}") };
                let line = [subcommand.name, word.as_str(), word.as_str()];
                if let Err(error) = subcommand.command().try_get_matches_from(line) {
                    let missing = ErrorKind::MissingRequiredArgument;
                    assert_eq!(error.kind(), missing, "{} --{name}: {error}", subcommand.name);
                }
            }
        }
    }
}
