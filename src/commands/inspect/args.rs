//! The flags of `inspect`.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

use super::{Listing, Mode, Options, Parts};
use crate::commands::conditions::Kind;
use crate::commands::conditions::flags::RareConditionArgs;
use crate::commands::shared_args::{
    BudgetArgs, ConfigArgs, DocumentArgs, HyperlinkArgs, OutputArgs, PatternArgs, ResolveArgs,
    RootArgs,
};
use crate::files::ignore_rules::RuleOptions;
use crate::files::listing::WalkOptions;

/// What `--help` opens with.
pub const ABOUT: &str = "Show the outline of files: headings, code blocks, sections, anchors";

/// The long help's opening.
pub const LONG_ABOUT: &str = "\
Show the outline of files: headings with the lines their sections span, code
blocks, front matter, anchors, log entries, INI sections. Body text is not shown.

  folio inspect README.md        the outline of a file
  folio inspect -O docs/         every heading below a directory, as addresses

Each line of output in a pipe begins with an address that `folio read` takes:
  docs/guide.md:15-51:## Installation
A code block is named as --code-block of read takes it: bash:0 is the first in bash.";

/// The long help's end.
pub const AFTER_HELP: &str = "\
Modes:
  structure  the outline (default)
  search     lines that hold --query, with the heading they stand below
  lines      lines by number: --query 50-60,100-110

Examples:
  folio inspect --max-level 2 README.md
  folio inspect --depth-budget 2000 docs/
  folio inspect -p README.md | less -R
  git show HEAD~9:README.md | folio inspect
  folio inspect --mode search --query 'database' -C 2 docs/
  folio inspect --only sections app.ini
  folio inspect --matching '^Graduation' --not-having '^GA$' docs/
  folio inspect --without-key reviewed docs/
  folio inspect --json README.md | jq '.structure.headings'

Without an address, what is piped in is looked at, else the current directory.

Exit status: 0 done, 1 no match in search mode or no part selected, 2 trouble,
3 several candidates.";

/// `--mode`.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModeArg {
    /// The outline
    #[default]
    Structure,
    /// Lines that hold the query
    Search,
    /// Lines by number
    Lines,
}

/// `--only`.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartArg {
    /// Headings
    Headings,
    /// Code blocks
    Code,
    /// Tables
    Tables,
    /// Front matter
    FrontMatter,
    /// Explicit anchors
    Anchors,
    /// Log entries, INI sections, blank groups, comment blocks
    Sections,
}

/// The flags, in the order of help.
#[derive(Args, Debug, Default)]
pub struct InspectArgs {
    /// Files, parts of files (FILE:10-50, FILE#slug) or directories; - is standard input
    #[arg(value_name = "ADDRESS")]
    #[arg(value_hint = clap::ValueHint::AnyPath)]
    pub addresses: Vec<OsString>,
    /// What to show
    #[arg(long, value_name = "MODE", value_enum, default_value_t)]
    pub mode: ModeArg,
    /// What to search for, or which lines to show
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
    pub query: Option<String>,
    /// Take the query as a regular expression
    #[arg(long)]
    pub regex: bool,
    /// Lines to show around each hit
    #[arg(short = 'C', long, value_name = "N")]
    pub context: Option<usize>,
    /// Headings only
    #[arg(short = 'O', long, conflicts_with = "only")]
    pub outline: bool,
    /// Only these parts of the structure
    #[arg(long, value_name = "PARTS", value_enum, value_delimiter = ',')]
    pub only: Vec<PartArg>,
    /// Leave out headings of deeper levels
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(1..=6))]
    pub max_level: Option<u8>,
    /// Print as many levels as fit this many tokens (bytes / 4): directories, then titles, then
    /// headings level by level
    #[arg(long, value_name = "N")]
    pub depth_budget: Option<u64>,
    /// Headings as one list, not as a tree
    #[arg(long)]
    pub flat: bool,
    /// Tell the size of each section in tokens (bytes / 4)
    #[arg(long)]
    pub tokens: bool,
    /// Tell the checksum of each file (16 digits of its SHA-256)
    #[arg(long)]
    pub checksum: bool,
    /// Print the anchor of each heading behind it, as links name it
    #[arg(long)]
    pub anchors: bool,
    /// Name the headings above behind each name: in Guide > Install
    #[arg(long)]
    pub breadcrumbs: bool,
    /// Lines that begin a section, in place of ^\[LOG-
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pub section_pattern: Vec<String>,
    /// Which parts are listed.
    #[command(flatten)]
    pub conditions: RareConditionArgs,
    /// Of selected parts print only the names of their files
    #[arg(short = 'l', long, conflicts_with = "count", help_heading = "Output")]
    pub files_with_matches: bool,
    /// Of selected parts print how many each file has
    #[arg(short = 'c', long, help_heading = "Output")]
    pub count: bool,
    /// Only files whose path matches the glob; !GLOB leaves out
    #[arg(
        short = 'g',
        long,
        value_name = "GLOB",
        allow_hyphen_values = true,
        help_heading = "Directories"
    )]
    pub glob: Vec<String>,
    /// Only files of this type (md, rust, …)
    #[arg(short = 't', long = "type", value_name = "TYPE", help_heading = "Directories")]
    pub types: Vec<String>,
    /// Draw a tree as on a terminal, in a pipe too
    #[arg(long, conflicts_with = "null", help_heading = "Output")]
    pub tree: bool,
    /// The same with colours, for a pager
    #[arg(short = 'p', long, conflicts_with = "null", help_heading = "Output")]
    pub pretty: bool,
    /// Records as ADDRESS NUL TEXT NUL, for any file name
    #[arg(short = '0', long, help_heading = "Output")]
    pub null: bool,
    /// How patterns are meant.
    #[command(flatten)]
    pub patterns: PatternArgs,
    /// How documents are taken.
    #[command(flatten)]
    pub documents: DocumentArgs,
    /// What an answer may come to.
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Where files may be.
    #[command(flatten)]
    pub roots: RootArgs,
    /// Whether configuration counts.
    #[command(flatten)]
    pub config: ConfigArgs,
    /// How they are found.
    #[command(flatten)]
    pub resolve: ResolveArgs,
    /// Links of a terminal.
    #[command(flatten)]
    pub hyperlinks: HyperlinkArgs,
    /// How output is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl InspectArgs {
    /// What these flags ask for.
    pub fn options(&self) -> Options {
        let has = |part| self.only.contains(&part);
        let (globs, types) = (self.glob.clone(), self.types.clone());
        let rules = RuleOptions { globs, types, ..RuleOptions::default() };
        let mut conditions = self.conditions.conditions(self.patterns.options().case);
        // With conditions, -O selects headings.
        let of_headings = conditions.kind.is_empty() || conditions.kind == [Kind::Heading];
        let lists_headings = self.outline && conditions.is_given() && of_headings;
        if lists_headings {
            conditions.kind = vec![Kind::Heading];
        }
        Options {
            addresses: self.addresses.clone(),
            walk: WalkOptions { rules, ..WalkOptions::default() },
            document: self.documents.options(),
            resolve: self.resolve.resolve,
            mode: match self.mode {
                ModeArg::Structure => Mode::Structure,
                ModeArg::Search => Mode::Search,
                ModeArg::Lines => Mode::Lines,
            },
            query: self.query.clone(),
            regex: self.regex,
            pattern: self.patterns.options(),
            context: self.context,
            outline: self.outline && !lists_headings,
            only: (!self.only.is_empty()).then(|| Parts {
                headings: has(PartArg::Headings),
                code: has(PartArg::Code),
                tables: has(PartArg::Tables),
                front_matter: has(PartArg::FrontMatter),
                anchors: has(PartArg::Anchors),
                sections: has(PartArg::Sections),
            }),
            max_level: self.max_level,
            depth_budget: self.depth_budget,
            flat: self.flat,
            tokens: self.tokens,
            checksum: self.checksum,
            anchors: self.anchors,
            breadcrumbs: self.breadcrumbs,
            section_patterns: self.section_pattern.clone(),
            null: self.null,
            conditions,
            listing: match (self.files_with_matches, self.count) {
                (true, _) => Listing::Files,
                (_, true) => Listing::Counts,
                _ => Listing::Parts,
            },
        }
    }
}
