//! The options of `search`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use clap::{ArgAction, Args};

use crate::commands::request::CommandLine;
use crate::commands::rules::{JSON, Rule, excludes};
use crate::commands::shared_args::{
    BudgetArgs, ONCE, OutputArgs, RootArgs, number_of_results, positive,
};
use folio_search::ranking::Ranking;

impl CommandLine for SearchArgs {
    const NAME: &'static str = "search";
    const ABOUT: &'static str = "Search documents by meaning and by keyword";
    const LONG_ABOUT: &'static str = "\
Search the sections of documents by meaning and by keyword. folio search runs entirely on
this machine.

  folio search \"how do I install it\"    search the current directory
  folio search \"undo a change\" docs/    search another directory
  folio search -c all \"undo a change\"   search all collections

Each result is a range of lines in a file, so you can pass it to read or patch:
  folio search -c ./docs \"undo a change\" | folio read --addresses-from -";
    const AFTER_HELP: &'static str = "\
folio finds sections with a similar meaning, and sections that contain the words of the
query, in any inflection or as part of an identifier. Sections whose heading or file name
contains all words come first. If a word is not in the index, folio searches for the most
similar word and prints a note. The first five results include at most two sections of a
document and its translations, unless the other documents match much less well. In a query:
  \"quick start\"        the words next to each other, in any inflection
  -word, -\"two words\"  exclude sections that contain the word or phrase, in any inflection
  title:word           documents whose title contains the word
  path:guide/*.md      documents whose path matches the glob; -path: and -title: exclude

Without -c and a directory, folio searches the collection that contains the current
directory or, if there is none, the current directory. A directory after the words of the
query is searched, unless it follows -- or the whole query is one argument.

The first search of a directory builds an index; later searches update it for changed
files. The index contains no text and can be deleted at any time. To give a directory a name, use
folio collection add NAME DIR.

In a pipe, each line contains an address, the heading path and an excerpt:
  @docs/guide.md:15-51:Setup > Install: run the installer …

Examples:
  folio search -c docs --limit 3 --content --json \"retry a failed job\" | jq -r .content
  folio search -q \"install\" -q \"uninstall\" -c docs
  folio search --keyword-only '\"exit status\" path:reference/**'

Exit status: 0 found, 1 nothing found, 2 error.";
    const RULES: &'static [Rule] =
        &[excludes("null", JSON), excludes("keyword-only", "max-distance semantic-only")];
}

/// The options of `search`, in the order of the help.
#[derive(Args, Debug, Default)]
pub struct SearchArgs {
    /// Question or keywords; a directory as the last argument is searched
    #[arg(value_name = "QUERY")]
    pub words: Vec<OsString>,
    /// Words after `--`, none of which is a directory to search.
    #[arg(last = true, hide = true)]
    pub literal_words: Vec<OsString>,
    /// Query; repeat the option for up to ten queries
    #[arg(short = 'q', long, value_name = "QUERY", allow_hyphen_values = true)]
    pub query: Vec<OsString>,
    /// Collection or directory to search, or all (repeatable)
    #[arg(short = 'c', long, value_name = "COLLECTION", help_heading = "Where")]
    pub collection: Vec<String>,
    /// Search only in this section and its subsections
    #[arg(id = "in", long, value_name = "SECTION", allow_hyphen_values = true)]
    #[arg(action = ArgAction::Append, group = ONCE, help_heading = "Where")]
    pub inside: Option<String>,
    /// Maximum number of sections for each query (1 to 100)
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = number_of_results())]
    pub limit: u64,
    /// Maximum number of sections per document (default: 2 within the first 5 results)
    #[arg(long, value_name = "N", value_parser = positive())]
    pub per_document: Option<u64>,
    /// Omit results with a cosine distance greater than DISTANCE (0 to 2)
    #[arg(long, value_name = "DISTANCE")]
    pub max_distance: Option<f32>,
    /// Rank only by keywords
    #[arg(long)]
    pub keyword_only: bool,
    /// Rank only by meaning
    #[arg(long)]
    pub semantic_only: bool,
    /// Do not correct query words that are not in the index
    #[arg(long)]
    pub no_correction: bool,
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

impl SearchArgs {
    /// Returns the words of the query among the operands, and the directory to search, if the last
    /// operand is one or ends with a slash. A query that is a single operand is never a directory.
    pub fn operands(
        &self,
        is_directory: impl Fn(&Path) -> bool,
    ) -> (&[OsString], Option<&OsString>) {
        let has_query = self.words.len() > 1 || !self.query.is_empty();
        let may_be_directory = has_query && self.literal_words.is_empty();
        match self.words.split_last().filter(|_| may_be_directory) {
            Some((last, words))
                if last.as_bytes().ends_with(b"/") || is_directory(Path::new(last)) =>
            {
                (words, Some(last))
            }
            _ => (&self.words, None),
        }
    }

    /// Returns the queries in the order of their answers. `words` are the operands of the first
    /// query.
    pub fn queries(&self, words: &[OsString]) -> Vec<String> {
        let text = |word: &OsString| word.to_string_lossy().into_owned();
        let words: Vec<String> = words.iter().chain(&self.literal_words).map(text).collect();
        let first = (!words.is_empty()).then(|| words.join(" "));
        first.into_iter().chain(self.query.iter().map(text)).collect()
    }

    /// Returns the ranking that the options select.
    pub fn ranking(&self) -> Ranking {
        match (self.keyword_only, self.semantic_only) {
            (true, _) => Ranking::Keywords,
            (_, true) => Ranking::Meaning,
            _ => Ranking::Both,
        }
    }
}
