//! The flags of `search`.

use std::ffi::OsString;

use clap::Args;

use super::Options;
use crate::collections::ranking::Ranking;
use crate::commands::shared_args::{BudgetArgs, OutputArgs, RootArgs};

/// What `--help` opens with.
pub const ABOUT: &str = "Find the sections that answer a question, in its words or in others";

/// The long help's opening.
pub const LONG_ABOUT: &str = "\
Find the sections of documents that answer a question best, by its words and by what
they mean. It runs on this machine alone.

  folio search \"how do I install it\"           in all collections, else below here
  folio search -c ./docs undo a change         in a directory, which needs no name

Each answer is a range of lines that is in its file now, as an address that read and
patch take:
  folio search -c ./docs \"undo a change\" | folio read --addresses-from -";

/// The long help's end.
pub const AFTER_HELP: &str = "\
Words are found in any inflection, identifiers whole and in parts, and sections about
the same in other words are found too. What is called by the words of a query, by its
heading or file name, comes first. A word that occurs nowhere is replaced by the nearest
one that does, and folio says so. Of one document, in all its translations, at most two
sections are among the first five. In a query:
  \"quick start\"        these words one behind the other
  -word, -\"two words\"  sections without it
  title:word           documents whose title has it
  path:guide/*.md      documents whose path matches

A directory is indexed when it is first searched; files that change are read again
before the next search. The index keeps no text, and is made anew if it is lost.
folio collection add NAME DIR gives a directory a name.

In a pipe a line is an address, the headings above it, and a line of the section:
  @docs/guide.md:15-51:Setup > Install: run the installer …

Examples:
  folio search -c docs --limit 3 --content --json \"retry a failed job\" | jq -r .content
  folio search -q \"install\" -q \"uninstall\" -c docs
  folio search --keyword-only '\"exit status\" path:reference/**'

Exit status: 0 found, 1 nothing found, 2 trouble.";

/// The flags, in the order of help.
#[derive(Args, Debug, Default)]
pub struct SearchArgs {
    /// A question; several words are one
    #[arg(value_name = "QUERY")]
    pub words: Vec<OsString>,
    /// A question; up to ten are answered, in order (repeatable)
    #[arg(short = 'q', long, value_name = "QUERY", allow_hyphen_values = true)]
    pub query: Vec<OsString>,
    /// Search this collection, or a directory: a value with a slash, or . (repeatable)
    #[arg(short = 'c', long, value_name = "COLLECTION", help_heading = "Where")]
    pub collection: Vec<String>,
    /// Only sections below a heading that is called so
    #[arg(long = "in", value_name = "SECTION", allow_hyphen_values = true, help_heading = "Where")]
    pub inside: Option<String>,
    /// The most sections for each question
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub limit: usize,
    /// At most N sections of each document (default: 2 among the first 5)
    #[arg(long, value_name = "N")]
    pub per_document: Option<usize>,
    /// Only sections at most so far from the question, from 0 (the same) to 2
    #[arg(long, value_name = "DISTANCE")]
    pub max_distance: Option<f32>,
    /// Judge by words alone
    #[arg(long, overrides_with = "semantic_only")]
    pub keyword_only: bool,
    /// Judge by meaning alone
    #[arg(long, overrides_with = "keyword_only")]
    pub semantic_only: bool,
    /// Search for words as they are typed, even where none such occurs
    #[arg(long)]
    pub no_correction: bool,
    /// Search the index as it is, without looking for files that changed
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

impl SearchArgs {
    /// What these flags ask for.
    pub fn options(&self) -> Options {
        let text = |word: &OsString| word.to_string_lossy().into_owned();
        let words: Vec<String> = self.words.iter().map(text).collect();
        let first = (!words.is_empty()).then(|| words.join(" "));
        Options {
            queries: first.into_iter().chain(self.query.iter().map(text)).collect(),
            collections: self.collection.clone(),
            inside: self.inside.clone(),
            limit: self.limit,
            per_document: self.per_document,
            max_distance: self.max_distance,
            ranking: match (self.keyword_only, self.semantic_only) {
                (true, _) => Ranking::Keywords,
                (_, true) => Ranking::Meaning,
                _ => Ranking::Both,
            },
            corrects: !self.no_correction,
            update: !self.no_update,
            content: self.content,
            null: self.null,
        }
    }
}
