//! The options of `collection`.

use std::ffi::OsString;

use clap::{Args, Command, ValueEnum};

use crate::commands::request::CommandLine;
use crate::commands::rules::{Rule, needs};
use crate::commands::shared_args::{OutputArgs, RootArgs, positive};
use folio_files::error::Error;
use folio_search::catalogue::Settings;
use folio_search::manifest;

/// The options of `add`.
const OF_ADD: &str = if cfg!(feature = "postgres") {
    "alias description version include exclude language store"
} else {
    "alias description version include exclude language"
};

impl CommandLine for CollectionArgs {
    const NAME: &'static str = "collection";
    const ABOUT: &'static str = "Manage named collections of documents";
    const LONG_ABOUT: &'static str = "\
Manage named collections of documents. A collection is a directory with a name. All
commands accept @NAME/DOCUMENT as an address, and folio search searches all collections.

  folio collection add docs ./docs     make ./docs available as @docs
  folio collection list                list all collections";
    const AFTER_HELP: &'static str = "\
Actions:
  add NAME DIR      give a directory a name (add DIR: use the name in its folio.toml)
  list              list all collections and their numbers of documents
  show NAME         list the documents and their titles
  update [NAME]     update the index now (otherwise, the next search does)
  remove NAME       remove the name and the index, but not the documents
  alias NAME ALIAS  add another name, and print it in results

NAME may be an alias; show and update also accept an unnamed directory (./docs).

A folio.toml in the directory may set name, description, version, include, exclude, alias
and language; options take precedence. By default, a collection contains all text files
that are not ignored, except CSS, CSV, SVG and generated HTML.

Examples:
  folio collection add api ./reference --include '*.md' --exclude drafts
  folio read @api/errors.md --section Retry
  folio collection show api --limit 20 --offset 40

Exit status: 0 success, 2 error.";
    const RULES: &'static [Rule] = &[
        needs(OF_ADD, "action=add").named(|| "collection add".to_owned()),
        needs("limit offset", "action=show").named(|| "collection show".to_owned()),
    ];

    fn flags(command: Command) -> Command {
        // In this command, `--version` is the version of a collection.
        command.disable_version_flag(true)
    }
}

/// The action to perform.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ActionArg {
    /// Name a directory
    Add,
    /// List all collections
    #[default]
    List,
    /// List the documents of a collection
    Show,
    /// Update indexes
    Update,
    /// Remove a name and its index
    Remove,
    /// Add another name
    Alias,
}

impl ActionArg {
    /// Returns the names of the operands of an action.
    fn operands(self) -> &'static [&'static str] {
        match self {
            Self::Add => &["NAME", "DIR"],
            Self::List => &[],
            Self::Show | Self::Remove => &["NAME"],
            Self::Update => &["[NAME]"],
            Self::Alias => &["NAME", "ALIAS"],
        }
    }
}

/// The options of `collection`, in the order of the help.
#[derive(Args, Debug, Default)]
pub struct CollectionArgs {
    /// What to do
    #[arg(value_name = "ACTION", value_enum, default_value_t)]
    pub action: ActionArg,
    /// Names and directories, depending on the action
    #[arg(value_name = "NAME")]
    pub operands: Vec<OsString>,
    /// add: Another name for the collection (repeatable)
    #[arg(long, value_name = "ALIAS", help_heading = "add")]
    pub alias: Vec<String>,
    /// add: Description of the collection
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, help_heading = "add")]
    pub description: Option<String>,
    /// add: Version that the documents describe
    #[arg(long, value_name = "VERSION", allow_hyphen_values = true, help_heading = "add")]
    pub version: Option<String>,
    /// add: Include only documents that match the glob (repeatable)
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true, help_heading = "add")]
    pub include: Vec<String>,
    /// add: Exclude documents and directories that match the glob (repeatable)
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true, help_heading = "add")]
    pub exclude: Vec<String>,
    /// add: Language of the documents; none for no stemming [default: detected]
    #[arg(long, value_name = "LANGUAGE", help_heading = "add")]
    pub language: Option<String>,
    /// add: Store the index and the documents in a PostgreSQL database with pgvector; without DIR,
    /// use the documents in the database. PGPASSWORD is the password
    #[cfg(feature = "postgres")]
    #[arg(long, value_name = "URL", help_heading = "add")]
    pub store: Option<String>,
    /// show: Maximum number of documents [default: 100]
    #[arg(long, value_name = "N", value_parser = positive())]
    #[arg(help_heading = "show")]
    pub limit: Option<u64>,
    /// show: Skip the first N documents [default: 0]
    #[arg(long, value_name = "N", help_heading = "show")]
    pub offset: Option<u64>,
    /// Options for confinement.
    #[command(flatten)]
    pub roots: RootArgs,
    /// Options for output.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl CollectionArgs {
    #[cfg(feature = "postgres")]
    pub(super) fn store(&self) -> Option<&str> {
        self.store.as_deref()
    }

    #[cfg(not(feature = "postgres"))]
    pub(super) fn store(&self) -> Option<&str> {
        None
    }

    /// Returns the settings in the options.
    pub(super) fn settings(&self) -> Result<Settings, Error> {
        let language = self.language.as_deref().map(manifest::language).transpose()?;
        Ok(Settings {
            description: self.description.clone(),
            version: self.version.clone(),
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            language,
        })
    }

    /// Returns the operands as text.
    ///
    /// # Errors
    ///
    /// Fails if an operand is missing, or if there are too many.
    pub(super) fn operands(&self) -> Result<Vec<String>, Error> {
        let expected = self.action.operands();
        let count = self.operands.len();
        let least = match self.action {
            ActionArg::Add => 1,
            ActionArg::Update => 0,
            _ => expected.len(),
        };
        if count < least || count > expected.len() {
            let action = self.action.to_possible_value();
            let name = action.as_ref().map_or("", |action| action.get_name());
            let usage = [&["collection", name], expected].concat().join(" ");
            let message = if count < least {
                format!("{name} needs {}", expected.join(" and "))
            } else {
                format!("{name} does not accept '{}'", self.operands[expected.len()].display())
            };
            return Err(Error::usage(message).hint(format!("usage: {usage}")));
        }
        Ok(self.operands.iter().map(|word| word.to_string_lossy().into_owned()).collect())
    }
}
