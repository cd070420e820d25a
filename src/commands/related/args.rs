//! The options of `related`.

use std::ffi::OsString;

use clap::{ArgAction, Args};

use crate::commands::request::CommandLine;
use crate::commands::rules::{JSON, Rule, excludes};
use crate::commands::shared_args::{BudgetArgs, ONCE, OutputArgs, RootArgs, number_of_results};

impl CommandLine for RelatedArgs {
    const NAME: &'static str = "related";
    const ABOUT: &'static str = "Find sections related to a document or a passage";
    const LONG_ABOUT: &'static str = "\
Find sections related to a document, a line range or a passage.

  folio related @docs/guide/setup.md          sections related to a document
  folio related @docs/guide/setup.md:15-51    sections related to these lines";
    const AFTER_HELP: &'static str = "\
The document must be in a collection, or in a directory given by -c. Its own sections are
excluded unless --same-document is given. The output has the same format as in folio
search, and the most closely related section comes first.

Examples:
  folio related ./docs/setup.md -c ./docs     in an unnamed directory
  folio related @docs/faq.md --chunk \"restore a backup\" --json

Exit status: 0 found, 1 nothing found, 2 error.";
    const RULES: &'static [Rule] = &[excludes("null", JSON)];
}

/// The options of `related`, in the order of the help.
#[derive(Args, Debug, Default)]
pub struct RelatedArgs {
    /// A document, or lines of a document: @COLLECTION/DOCUMENT:10-20
    #[arg(value_name = "ADDRESS", value_hint = clap::ValueHint::FilePath)]
    pub address: OsString,
    /// Compare this text instead of the document
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[arg(action = ArgAction::Append, group = ONCE)]
    pub chunk: Option<String>,
    /// Collection or directory to search, or all (repeatable)
    #[arg(short = 'c', long, value_name = "COLLECTION")]
    pub collection: Vec<String>,
    /// Maximum number of sections (1 to 100)
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = number_of_results())]
    pub limit: u64,
    /// Include sections of the same document
    #[arg(long)]
    pub same_document: bool,
    /// Do not check for changed files before searching
    #[arg(long)]
    pub no_update: bool,
    /// Include the text of each section in JSON output
    #[arg(long, help_heading = "Output")]
    pub content: bool,
    /// Print records as ADDRESS NUL TEXT NUL
    #[arg(short = '0', long, help_heading = "Output")]
    pub null: bool,
    /// Options that limit output.
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Options for confinement.
    #[command(flatten)]
    pub roots: RootArgs,
    /// Options for output.
    #[command(flatten)]
    pub output: OutputArgs,
}
