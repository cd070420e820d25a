//! The operations of `patch`: their help, and the check of the options that they accept.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command, ValueEnum};
use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::options::not_with_apply;
use crate::commands::conditions;
use crate::commands::option_rows::{OPTIONS, OptionRow};
use crate::commands::shared_args::contradiction;
use folio_files::error::{Error, Opt};
use folio_files::options::CONTENT;
use folio_outline::edit;

/// An operation on a part. For `Apply`, each edit contains its own operation.
#[derive(ValueEnum, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[schemars(rename_all = "lowercase", inline)]
pub enum Operation {
    /// Replace the part with the content
    #[default]
    #[value(alias = "replace-lines", alias = "replaceLines")]
    Replace,
    /// Insert the content before or after the part
    Insert,
    /// Append the content to a section or to the file
    Append,
    /// Delete the part
    Delete,
    /// Rename a heading or INI section
    Rename,
    /// Move the part or the file
    Move,
    /// Copy the part
    Copy,
    /// Create a file
    Create,
    /// Set a key, adding it if necessary
    Set,
    /// Apply edits in JSON
    #[schemars(skip)]
    Apply,
}

struct Help {
    name: &'static str,
    about: &'static str,
    /// The help of the operands.
    operands: &'static str,
    examples: &'static str,
}

/// If the fields of `insert` exclude one side of the part, sets the other side.
pub fn set_side(fields: &mut Map<String, Value>) {
    if fields.get("operation").is_none_or(|operation| operation != "insert") {
        return;
    }
    for (side, other) in [("before", "after"), ("after", "before")] {
        if fields.get(side) == Some(&false.into()) && !fields.contains_key(other) {
            fields.insert(other.to_owned(), true.into());
        }
    }
}

/// Returns the options that an operation does not accept.
fn rejected_options(operation: &str) -> impl Iterator<Item = &'static OptionRow> {
    OPTIONS.iter().filter(move |row| !row.is_accepted_by(operation))
}

/// Fails if an option is given that the operation does not accept.
fn refuse_rejected(operation: &str, is_given: impl Fn(&str) -> bool) -> Result<(), Error> {
    let is_batch = operation == "apply";
    let mut given = rejected_options(operation).filter(|row| is_given(row.id));
    let stray = given.find(|row| {
        if is_batch { !conditions::flags::is_in_group(row.id) } else { !row.is_checked_elsewhere }
    });
    let Some(row) = stray else { return Ok(()) };
    let flag = Opt::marked(&format!("--{}", row.id.replace('_', "-")));
    if is_batch {
        return Err(not_with_apply(&flag, row.is_in_edits));
    }
    let by = row.operations;
    if by.split(' ').count() > 5 {
        return Err(contradiction(&flag, operation));
    }
    let by = match by.rsplit_once(' ') {
        Some((first, last)) => format!("{} or {last}", first.replace(' ', ", ")),
        None => by.to_owned(),
    };
    let error = Error::usage(format!("{flag} can only be used with {by}"));
    Err(match (operation, row.id) {
        ("rename", "to") => error.hint(format!("{CONTENT} is the new name")),
        _ => error,
    })
}

/// Fails if an option is given that the operation on the command line does not accept.
pub fn refuse_flags(matches: &ArgMatches) -> Result<(), Error> {
    let operation = matches.get_one::<Operation>("operation").map_or("", Operation::name);
    refuse_rejected(operation, |id| matches.value_source(id) == Some(ValueSource::CommandLine))
}

impl Operation {
    /// Returns the name of the operation.
    pub fn name(&self) -> &'static str {
        OPERATIONS[*self as usize].name
    }

    /// Returns the operation on a part of a document. `None` if there is none.
    pub fn engine_operation(self) -> Option<edit::Operation> {
        Some(match self {
            Self::Replace => edit::Operation::Replace,
            Self::Insert => edit::Operation::Insert,
            Self::Append => edit::Operation::Append,
            Self::Delete => edit::Operation::Delete,
            Self::Rename => edit::Operation::Rename,
            Self::Move => edit::Operation::Move,
            Self::Copy => edit::Operation::Copy,
            Self::Set => edit::Operation::Set,
            Self::Create | Self::Apply => return None,
        })
    }

    /// Whether the operation inserts text at a destination.
    pub fn carries(self) -> bool {
        matches!(self, Self::Move | Self::Copy)
    }

    /// Whether the operation may change the targets of links.
    pub fn relocates(self) -> bool {
        self.carries() || matches!(self, Self::Rename | Self::Delete)
    }

    /// Fails if `name` is not the name of an operation.
    pub fn check(name: &str) -> Result<(), Error> {
        Self::from_str(name, false).map(drop).map_err(|_| unknown_operation(name))
    }
}

/// Returns the error for an unknown operation.
pub fn unknown_operation(name: &str) -> Error {
    let names = "replace, insert, append, delete, rename, move, copy, create, set";
    Error::usage(format!("unknown operation '{name}'")).hint(format!("it is one of {names}"))
}

/// The help of the operands of most operations.
const PARTS: &str = "Files or addresses (FILE:10-50); directories if a target is given; - edits \
                     standard input and prints the result";

const OPERATIONS: &[Help] = &[
    Help {
        name: "replace",
        about: "Replace part of a file with new content.",
        operands: PARTS,
        examples: "  folio patch replace README.md --section Install -f install.md
  folio patch replace README.md --code-block bash:0 --text v1 -c v2
  folio patch replace README.md --text teh -c the --occurrence all --dry-run",
    },
    Help {
        name: "insert",
        about: "Insert the content --before the part (the default for lines) or --after it.",
        operands: PARTS,
        examples: "  folio patch insert TODO.md:2 -c '- [ ] call home'
  folio patch insert README.md --section Usage --before -f install.md
  folio patch insert app.ini --section database --key port -c 'port = 5432'",
    },
    Help {
        name: "append",
        about: "Append the content to a section, to the keys of a section, or to the file.",
        operands: PARTS,
        examples: "  folio patch append CHANGELOG.md --section Unreleased -c '- Faster.'
  folio patch append app.ini --section database -c 'port = 5432'
  date | folio patch append TODO.md -f -",
    },
    Help {
        name: "delete",
        about: "Delete the part.",
        operands: PARTS,
        examples: "  folio patch delete README.md --section Usage --links
  folio patch delete TODO.md:2-3
  folio patch delete app.ini --section database --key host",
    },
    Help {
        name: "rename",
        about: "Change the text of a heading (not its level) or the name of an INI section.",
        operands: "Files, or addresses of headings (FILE:10, FILE#anchor); directories if a heading is given",
        examples: "  folio patch rename README.md --heading Install -c Setup
  folio patch rename README.md --heading Install -c Setup --links
  folio patch rename README.md --heading 'Guide > Usage' -c Use --dry-run",
    },
    Help {
        name: "move",
        about: "\
Move the part after the address in --to, or --before it. Without a part, move the file.",
        operands: PARTS,
        examples: "  folio patch move README.md --section Usage --to TODO.md --links
  folio patch move README.md --section Usage --to 'README.md#install' --before
  folio patch move TODO.md --to docs/ --links",
    },
    Help {
        name: "copy",
        about: "Copy the part after the address in --to, or --before it.",
        operands: PARTS,
        examples: "  folio patch copy README.md --section Install --to TODO.md --links
  folio patch copy TODO.md:2-3 --to README.md
  folio patch copy app.ini --section database --to other.ini",
    },
    Help {
        name: "create",
        about: "Create a file with the content. folio does not overwrite an existing file.",
        operands: "The files to create",
        examples: "  folio patch create page.md -c '# A page'
  folio patch create docs/install.md -f install.md
  folio patch create hello.md -c 'Hello {{NAME}}' --set NAME=Ann",
    },
    Help {
        name: "set",
        about: "\
Set the value of a key, adding the key and its section if necessary.",
        operands: "Files, or addresses of keys (FILE#KEY); with conditions on parts also directories",
        examples: "  folio patch set app.ini --section database --key host -c db.example
  folio patch set README.md --front-matter --key title -c Guide
  folio patch set Cargo.toml --key package.version -c 1.2.3",
    },
    Help {
        name: "apply",
        about: "\
Apply edits in JSON, from a file or standard input: one edit, an array, JSON Lines, or
{\"edits\":[…]}. folio applies all edits or none. The fields are options in camelCase, such
as ifMatch; `folio schema edits` describes all fields.

  {\"filePath\":\"README.md\",\"operation\":\"replace\",
   \"target\":{\"body\":\"Install\"},\"content\":\"Run make.\"}",
        operands: "A file with edits; - or nothing for standard input",
        examples: "  folio patch apply edits.json --check
  folio patch apply edits.json --dry-run
  folio patch apply - < edits.json",
    },
];

/// Builds the help of the operation that follows `patch`, without options that it does not accept.
pub fn with_operation_help(command: Command, operation: &str) -> Command {
    let Some(help) = OPERATIONS.iter().find(|help| help.name == operation) else { return command };
    let operand = if help.name == "apply" { "[FILE]" } else { "ADDRESS..." };
    let typed = format!("folio patch {operation}");
    let command = command
        .override_usage(format!("{typed} [OPTIONS] {operand}"))
        .bin_name(&typed)
        .display_name(typed)
        .about(help.about)
        .long_about(help.about)
        .after_long_help(format!("Examples:\n{}", help.examples))
        // Otherwise, the addresses are the last operands.
        .mut_arg("operation", |operation| operation.index(1).hide(true))
        .mut_arg("addresses", |addresses| addresses.index(2).help(help.operands));
    rejected_options(operation)
        .fold(command, |command, row| command.mut_arg(row.id, |flag| flag.hide(true)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_its_help() {
        let names = Operation::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let names: Vec<String> = names.map(|value| value.get_name().to_owned()).collect();
        assert_eq!(OPERATIONS.iter().map(|help| help.name).collect::<Vec<_>>(), names);
        for help in OPERATIONS {
            assert_eq!(help.examples.lines().count(), 3, "{}", help.name);
        }
    }
}
