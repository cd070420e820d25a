//! The flags of `related`.

use std::ffi::OsString;

use clap::Args;

use super::Options;
use crate::commands::shared_args::{BudgetArgs, OutputArgs, RootArgs};

/// What `--help` opens with.
pub const ABOUT: &str = "Find sections about the same as a document, or as lines of it";

/// The long help's opening.
pub const LONG_ABOUT: &str = "\
Find sections that are about the same as a document, as lines of it, or as a passage.

  folio related @docs/guide/setup.md          what else is about it
  folio related @docs/guide/setup.md:15-51    about these lines";

/// The long help's end.
pub const AFTER_HELP: &str = "\
The document is one of a collection, or of a directory that -c names. Its own sections
are left out unless --same-document asks for them. What is printed is as search prints
it, the nearest first.

Examples:
  folio related ./docs/setup.md -c ./docs     in a directory without a name
  folio related @docs/faq.md --chunk \"restore a backup\" --json

Exit status: 0 found, 1 nothing found, 2 trouble.";

/// The flags, in the order of help.
#[derive(Args, Debug, Default)]
pub struct RelatedArgs {
    /// A document, or lines of it: @COLLECTION/DOCUMENT:10-20
    #[arg(value_name = "ADDRESS", value_hint = clap::ValueHint::FilePath)]
    pub address: OsString,
    /// Compare this passage in place of the document
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub chunk: Option<String>,
    /// Look in this collection, or directory: a value with a slash, or . (repeatable)
    #[arg(short = 'c', long, value_name = "COLLECTION")]
    pub collection: Vec<String>,
    /// The most sections
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub limit: usize,
    /// Take sections of the same document too
    #[arg(long)]
    pub same_document: bool,
    /// Take the index as it is, without looking for files that changed
    #[arg(long)]
    pub no_update: bool,
    /// Add the text of each section to JSON
    #[arg(long, help_heading = "Output")]
    pub content: bool,
    /// Records are address NUL text NUL, for any file name
    #[arg(short = '0', long, help_heading = "Output")]
    pub null: bool,
    /// What an answer may come to.
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Where files may be.
    #[command(flatten)]
    pub roots: RootArgs,
    /// How output is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl RelatedArgs {
    /// What these flags ask for.
    pub fn options(&self) -> Options {
        Options {
            address: self.address.clone(),
            chunk: self.chunk.clone(),
            collections: self.collection.clone(),
            limit: self.limit,
            same_document: self.same_document,
            update: !self.no_update,
            content: self.content,
            null: self.null,
        }
    }
}
