//! The one table of commands: dispatch, help, completions, manual pages and
//! schemas all walk it.

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::own_flags;
use crate::commands::output::{Outcome, Sink};
use crate::commands::target::flags::with_letters;
use crate::commands::{
    collection, collection_search as search, grep, inspect, links, list, patch, read, related, undo,
};
use crate::error::Error;
use crate::files::env::Env;

/// A command with its flags, what is around it, and what takes its records.
pub type Run = fn(&ArgMatches, &Env, &mut dyn Sink) -> Outcome;

/// The name of a JSON Schema, and what makes it.
pub type Schema = (&'static str, fn() -> String);

/// A command.
pub struct Subcommand {
    /// Its name.
    pub name: &'static str,
    /// The name of its manual page.
    pub page: &'static str,
    /// One line on what it does.
    pub about: &'static str,
    /// Its flags; built only when it is the one that runs.
    pub build: fn() -> Command,
    /// Those that most lines do with, where all cost much; what else a line may hold is
    /// an error to it.
    pub quick: Option<fn() -> Command>,
    /// What it does; `None` where it prints what folio says of itself.
    pub run: Option<Run>,
    /// JSON Schemas by their names: of what it prints, and of what it takes.
    pub schemas: &'static [Schema],
}

impl Subcommand {
    /// Its flags, for a run or for help: whatever name the binary has, the
    /// usage shows a line that can be typed.
    pub fn command(&self) -> Command {
        let typed = format!("folio {}", self.name);
        (self.build)().bin_name(&typed).display_name(typed)
    }

    /// Whether it has a flag of this name.
    pub fn takes(&self, flag: &str) -> bool {
        (self.build)().get_arguments().any(|argument| argument.get_id() == flag)
    }
}

/// All commands, in the order of help.
pub const SUBCOMMANDS: &[Subcommand] = &[
    Subcommand {
        name: "inspect",
        page: "folio-inspect",
        about: inspect::args::ABOUT,
        build: || {
            command::<inspect::args::InspectArgs>("inspect", inspect::args::ABOUT)
                .long_about(inspect::args::LONG_ABOUT)
                .after_long_help(inspect::args::AFTER_HELP)
        },
        quick: Some(|| quick::<inspect::args::InspectArgs>("inspect")),
        run: Some(|matches, env, sink| {
            let args: inspect::args::InspectArgs = parsed(matches)?;
            inspect::run::run(&args.options(), env, sink)
        }),
        schemas: &[("inspect", inspect::schema)],
    },
    Subcommand {
        name: "read",
        page: "folio-read",
        about: read::args::ABOUT,
        build: || {
            let command = command::<read::args::ReadArgs>("read", read::args::ABOUT)
                .long_about(read::args::LONG_ABOUT)
                .after_long_help(read::args::AFTER_HELP);
            with_letters(command.mut_arg("path", read::args::path_or_none))
        },
        quick: Some(|| with_letters(quick::<read::args::ReadArgs>("read"))),
        run: Some(|matches, env, sink| {
            let args: read::args::ReadArgs = parsed(matches)?;
            read::run::run(&args.options()?, env, sink)
        }),
        schemas: &[("read", read::schema), ("batch", read::batch_schema)],
    },
    Subcommand {
        name: "grep",
        page: "folio-grep",
        about: grep::args::ABOUT,
        build: || {
            let command = command::<grep::args::GrepArgs>("grep", grep::args::ABOUT)
                .long_about(grep::args::LONG_ABOUT)
                .after_long_help(grep::args::AFTER_HELP);
            grep::ripgrep_args::with_silent_flags(command)
        },
        quick: None,
        run: Some(|matches, env, sink| {
            let args: grep::args::GrepArgs = parsed(matches)?;
            grep::run::run(&args.options()?, env, sink)
        }),
        schemas: &[("grep", grep::schema)],
    },
    Subcommand {
        name: "patch",
        page: "folio-patch",
        about: patch::args::ABOUT,
        build: || {
            let command = command::<patch::args::PatchArgs>("patch", patch::args::ABOUT)
                .long_about(patch::args::LONG_ABOUT)
                .after_long_help(patch::args::AFTER_HELP);
            with_letters(command)
        },
        quick: None,
        run: Some(|matches, env, sink| {
            patch::operation_args::refuse_flags(matches)?;
            let args: patch::args::PatchArgs = parsed(matches)?;
            patch::run::run(&args.options()?, env, sink)
        }),
        schemas: &[("patch", patch::schema), ("edits", patch::edits_schema)],
    },
    Subcommand {
        name: "edit",
        page: "folio-edit",
        about: patch::edit_args::ABOUT,
        build: || {
            command::<patch::edit_args::EditArgs>("edit", patch::edit_args::ABOUT)
                .long_about(patch::edit_args::LONG_ABOUT)
                .after_long_help(patch::edit_args::AFTER_HELP)
        },
        quick: None,
        run: Some(|matches, env, sink| {
            let args: patch::edit_args::EditArgs = parsed(matches)?;
            patch::editor::run(&args.options()?, env, sink)
        }),
        schemas: &[],
    },
    Subcommand {
        name: "undo",
        page: "folio-undo",
        about: undo::args::ABOUT,
        build: || {
            command::<undo::args::UndoArgs>("undo", undo::args::ABOUT)
                .long_about(undo::args::LONG_ABOUT)
                .after_long_help(undo::args::AFTER_HELP)
        },
        quick: None,
        run: Some(|matches, env, sink| {
            undo::run::run(&parsed::<undo::args::UndoArgs>(matches)?.options()?, env, sink)
        }),
        schemas: &[("undo", undo::schema)],
    },
    Subcommand {
        name: "redo",
        page: "folio-redo",
        about: undo::args::REDO_ABOUT,
        build: || {
            command::<undo::args::RedoArgs>("redo", undo::args::REDO_ABOUT)
                .long_about(undo::args::REDO_LONG_ABOUT)
        },
        quick: None,
        run: Some(|matches, env, sink| {
            undo::run::run(&parsed::<undo::args::RedoArgs>(matches)?.options()?, env, sink)
        }),
        schemas: &[],
    },
    Subcommand {
        name: "list",
        page: "folio-list",
        about: list::args::ABOUT,
        build: || {
            command::<list::args::ListArgs>("list", list::args::ABOUT)
                .long_about(list::args::LONG_ABOUT)
                .after_long_help(list::args::AFTER_HELP)
        },
        quick: None,
        run: Some(|matches, env, sink| {
            list::run::run(&parsed::<list::args::ListArgs>(matches)?.options()?, env, sink)
        }),
        schemas: &[("list", list::schema)],
    },
    Subcommand {
        name: "links",
        page: "folio-links",
        about: links::args::ABOUT,
        build: || {
            command::<links::args::LinksArgs>("links", links::args::ABOUT)
                .long_about(links::args::LONG_ABOUT)
                .after_long_help(links::args::AFTER_HELP)
        },
        quick: None,
        run: Some(|matches, env, sink| {
            links::run::run(&parsed::<links::args::LinksArgs>(matches)?.options(), env, sink)
        }),
        schemas: &[("links", links::schema)],
    },
    Subcommand {
        name: "search",
        page: "folio-search",
        about: search::args::ABOUT,
        build: || {
            command::<search::args::SearchArgs>("search", search::args::ABOUT)
                .long_about(search::args::LONG_ABOUT)
                .after_long_help(search::args::AFTER_HELP)
        },
        quick: None,
        run: Some(|matches, env, sink| {
            let args: search::args::SearchArgs = parsed(matches)?;
            search::run::run(&args.options(), env, sink)
        }),
        schemas: &[("search", search::schema)],
    },
    Subcommand {
        name: "related",
        page: "folio-related",
        about: related::args::ABOUT,
        build: || {
            command::<related::args::RelatedArgs>("related", related::args::ABOUT)
                .long_about(related::args::LONG_ABOUT)
                .after_long_help(related::args::AFTER_HELP)
        },
        quick: None,
        run: Some(|matches, env, sink| {
            let args: related::args::RelatedArgs = parsed(matches)?;
            related::run::run(&args.options(), env, sink)
        }),
        schemas: &[("related", related::schema)],
    },
    Subcommand {
        name: "collection",
        page: "folio-collection",
        about: collection::args::ABOUT,
        build: || {
            command::<collection::args::CollectionArgs>("collection", collection::args::ABOUT)
                // `--version` says which version of something it tells of.
                .disable_version_flag(true)
                .long_about(collection::args::LONG_ABOUT)
                .after_long_help(collection::args::AFTER_HELP)
        },
        quick: None,
        run: Some(|matches, env, sink| {
            let args: collection::args::CollectionArgs = parsed(matches)?;
            collection::run::run(&args.options()?, env, sink)
        }),
        schemas: &[("collection", collection::schema)],
    },
    Subcommand {
        name: "mcp",
        page: "folio-mcp",
        about: own_flags::MCP_ABOUT,
        build: || {
            command::<own_flags::McpArgs>("mcp", own_flags::MCP_ABOUT)
                .long_about(own_flags::MCP_LONG_ABOUT)
        },
        quick: None,
        run: None,
        schemas: &[],
    },
    Subcommand {
        name: "call",
        page: "folio-call",
        about: own_flags::CALL_ABOUT,
        build: || {
            command::<own_flags::CallArgs>("call", own_flags::CALL_ABOUT)
                .long_about(own_flags::CALL_LONG_ABOUT)
        },
        quick: None,
        run: None,
        schemas: &[],
    },
    Subcommand {
        name: "schema",
        page: "folio-schema",
        about: own_flags::SCHEMA_ABOUT,
        build: || {
            command::<own_flags::SchemaArgs>("schema", own_flags::SCHEMA_ABOUT)
                .long_about(own_flags::SCHEMA_LONG_ABOUT)
        },
        quick: None,
        run: None,
        schemas: &[],
    },
    Subcommand {
        name: "completions",
        page: "folio-completions",
        about: own_flags::COMPLETIONS_ABOUT,
        build: || {
            command::<own_flags::CompletionsArgs>("completions", own_flags::COMPLETIONS_ABOUT)
                .long_about(own_flags::COMPLETIONS_LONG_ABOUT)
        },
        quick: None,
        run: None,
        schemas: &[],
    },
    Subcommand {
        name: "man",
        page: "folio-man",
        about: own_flags::MAN_ABOUT,
        build: || {
            command::<own_flags::ManArgs>("man", own_flags::MAN_ABOUT)
                .long_about(own_flags::MAN_LONG_ABOUT)
        },
        quick: None,
        run: None,
        schemas: &[],
    },
];

/// The commands by what they are for.
const GROUPS: &[(&str, &[&str])] = &[
    ("Read", &["inspect", "read", "grep", "list"]),
    ("Edit", &["patch", "edit", "undo", "redo"]),
    ("Find", &["links", "search", "related"]),
    ("Collections", &["collection"]),
    ("Integrations", &["mcp", "call", "schema", "completions", "man"]),
];

/// The list of commands in the help, by groups.
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

/// Whether flags say where files may be.
pub fn takes_roots(command: &Command) -> bool {
    command.get_arguments().any(|argument| argument.get_id() == "root")
}

/// All JSON Schemas by their names.
pub fn schemas() -> impl Iterator<Item = Schema> {
    SUBCOMMANDS.iter().flat_map(|command| command.schemas.iter().copied())
}

fn command<T: Args>(name: &'static str, about: &'static str) -> Command {
    // The descriptions come last: those of the types are for programmers.
    T::augment_args(Command::new(name))
        .about(about)
        .long_about(None::<&str>)
        .version(env!("CARGO_PKG_VERSION"))
        // Lines are put together by aliases and scripts: what is said last holds.
        .args_override_self(true)
}

/// The same without flags that few lines hold, and without help.
fn quick<T: Args>(name: &'static str) -> Command {
    T::augment_args_for_update(Command::new(name)).args_override_self(true)
}

/// The flags of a command.
pub fn parsed<T: FromArgMatches>(matches: &ArgMatches) -> Result<T, Error> {
    T::from_arg_matches(matches).map_err(|error| Error::usage(error.to_string()))
}

/// The whole command line, for completions and manual pages.
pub fn whole() -> Command {
    let mut whole = own_flags::command();
    for subcommand in SUBCOMMANDS {
        whole = whole.subcommand((subcommand.build)());
    }
    whole
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;

    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let mut all: Vec<&str> = SUBCOMMANDS.iter().map(|command| command.name).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }

    #[test]
    fn a_flag_may_be_given_twice() {
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
