//! The options of `inspect`.

use std::ffi::OsString;

use clap::{ArgAction, Args, ValueEnum};

use crate::commands::conditions::flags::{GROUP, HEADING, RareConditionArgs};
use crate::commands::conditions::{Conditions, PartKind};
use crate::commands::request::CommandLine;
use crate::commands::rules::{CONDITIONS, JSON, Rule, excludes, needs};
use crate::commands::shared_args::{
    BudgetArgs, DocumentArgs, HyperlinkArgs, LookupArgs, ONCE, OutputArgs, PatternArgs,
    contradiction, positive,
};
use folio_files::error::{Change, Error, Hint};
use folio_files::ignore_rules::RuleOptions;
use folio_files::listing::WalkOptions;
use folio_files::options::{
    DEPTH_BUDGET, KIND, LEVEL, MATCHING, MAX_LEVEL, MODE, ONLY, OUTLINE, QUERY,
};

impl CommandLine for InspectArgs {
    const NAME: &'static str = "inspect";
    const ABOUT: &'static str = "Show the outline of files: headings, code blocks, sections, keys";
    const LONG_ABOUT: &'static str = "\
Show the outline of files: headings (with the line ranges of their sections), code
blocks, front matter, anchors, log entries and INI sections. Body text is not shown.

  folio inspect README.md        the outline of a file
  folio inspect -O docs/         all headings of a directory's files, as addresses

In a pipe, each line of output begins with an address for `folio read`:
  docs/guide.md:15-51:## Installation
Code blocks are numbered from 0: read --code-block bash:0 prints the first bash block.";
    const AFTER_HELP: &'static str = "\
Modes:
  structure  the outline (default)
  search     lines that match --query, with the heading above each
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

Without an address, folio inspects piped input, or else the current directory.

Exit status: 0 success, 1 no match or no part selected, 2 error, 3 ambiguous name.";
    const IS_QUICK: bool = true;
    const RULES: &'static [Rule] = RULES;
}

const TO_SEARCH: fn() -> Hint =
    || Hint::again([Change::set(MODE, "search"), Change::set(QUERY, "TEXT")]).why("to search");

const RULES: &[Rule] = &[
    excludes("null", JSON),
    needs("files-with-matches count", "CONDITIONS public")
        .named(|| format!("a condition such as {MATCHING}"))
        .hint(|| Hint::command("help", ["selecting"]).why("all conditions")),
    excludes("only", CONDITIONS).named(|| "conditions on parts".to_owned()).hint(|| {
        Hint::again([Change::set(KIND, "KIND"), Change::remove(ONLY)]).why("to choose parts")
    }),
    excludes("max-level", CONDITIONS).named(|| "conditions on parts".to_owned()).hint(|| {
        Hint::again([Change::set(LEVEL, "1-2"), Change::remove(MAX_LEVEL)]).why("to choose levels")
    }),
    excludes("fixed-strings", CONDITIONS)
        .named(|| "conditions on parts".to_owned())
        .hint(|| Hint::from(r"remove it, or write \. for a dot  # patterns of conditions")),
    excludes(
        "mode=search mode=lines query regex context word-regexp line-regexp depth-budget flat \
         tokens checksum anchors",
        CONDITIONS,
    )
    .named(|| "conditions on parts".to_owned()),
    excludes("depth-budget", "outline only flat tokens checksum anchors public breadcrumbs")
        .hint(|| Hint::again([Change::remove(DEPTH_BUDGET)]).why("for all levels")),
    needs("query", "mode=search mode=lines")
        .hint(|| Hint::with_value(MODE, "search").why("to search")),
    needs("regex context fixed-strings word-regexp line-regexp", "mode=search").hint(TO_SEARCH),
    needs("ignore-case smart-case", "mode=search CONDITIONS")
        .named(|| format!("{MODE} search or a condition on parts"))
        .hint(TO_SEARCH),
    excludes(
        "depth-budget outline only max-level flat tokens checksum anchors public breadcrumbs",
        "mode=search mode=lines",
    )
    .hint(|| Hint::again([MODE, QUERY].map(Change::remove)).why("for the outline")),
    excludes("section-pattern", "mode=lines"),
    excludes("regex", "fixed-strings"),
    needs("mode=search", "query").named(|| format!("{QUERY} TEXT")),
    needs("mode=lines", "query").named(|| format!("{QUERY} RANGES, such as 50-60,100-110")),
];

/// `--mode`.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The outline
    #[default]
    Structure,
    /// Lines that match the query
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
    /// Log entries, INI sections, groups of blank lines, comment blocks
    Sections,
    /// Keys of TOML, YAML, JSON, .env and .properties (by default for files, not for directories)
    Keys,
}

/// The options of `inspect`, in the order of the help.
#[derive(Args, Debug, Default)]
pub struct InspectArgs {
    /// Files, addresses (FILE:10-50, FILE#slug) or directories; - for standard input
    #[arg(value_name = "ADDRESS")]
    #[arg(value_hint = clap::ValueHint::AnyPath)]
    pub addresses: Vec<OsString>,
    /// What to show
    #[arg(long, value_name = "MODE", value_enum, default_value_t)]
    pub mode: Mode,
    /// Text to search for (--mode search), or lines to show (--mode lines)
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
    #[arg(action = ArgAction::Append, group = ONCE)]
    pub query: Option<String>,
    /// Treat the query as a regular expression
    #[arg(long)]
    pub regex: bool,
    /// Show N lines of context around each match
    #[arg(short = 'C', long, value_name = "N")]
    pub context: Option<usize>,
    /// Show only headings
    #[arg(short = 'O', long, conflicts_with = "only")]
    pub outline: bool,
    /// Show only these parts of the structure
    #[arg(long, value_name = "PARTS", value_enum, value_delimiter = ',')]
    pub only: Vec<PartArg>,
    /// Omit headings deeper than LEVEL
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(1..=6))]
    pub max_level: Option<u8>,
    /// Omit the deepest headings, so that the output fits in N tokens
    #[arg(long, value_name = "N", value_parser = positive())]
    pub depth_budget: Option<u64>,
    /// In JSON output, list the headings instead of printing a tree
    #[arg(long)]
    pub flat: bool,
    /// Show the size of each section in tokens (4 bytes each)
    #[arg(long)]
    pub tokens: bool,
    /// Show the checksum of each file (the first 16 digits of its SHA-256)
    #[arg(long)]
    pub checksum: bool,
    /// Show the anchor of each heading, for links
    #[arg(long)]
    pub anchors: bool,
    /// Show the path of each heading, such as Guide > Install
    #[arg(long)]
    pub breadcrumbs: bool,
    /// Pattern for lines that begin a log entry (default: a time, ^\[LOG-)
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pub section_pattern: Vec<String>,
    /// Select sections with this name: Install, or 'Guide > Install'
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    #[arg(groups = [GROUP, ONCE], action = ArgAction::Append, help_heading = HEADING)]
    pub section: Option<String>,
    /// Conditions that select parts.
    #[command(flatten)]
    pub conditions: RareConditionArgs,
    /// Print only the names of files that contain a selected part
    #[arg(short = 'l', long, conflicts_with = "count", help_heading = "Output")]
    pub files_with_matches: bool,
    /// Print the number of selected parts in each file
    #[arg(short = 'c', long, help_heading = "Output")]
    pub count: bool,
    /// Include only files that match the glob; !GLOB excludes (repeatable)
    #[arg(short = 'g', long, value_name = "GLOB", allow_hyphen_values = true)]
    #[arg(help_heading = "Directories")]
    pub glob: Vec<String>,
    /// Include only files of this type: md, rust, … (repeatable)
    #[arg(id = "type", short = 't', long, value_name = "TYPE", help_heading = "Directories")]
    pub types: Vec<String>,
    /// Draw a tree even when the output is not a terminal
    #[arg(long, conflicts_with = "null", help_heading = "Output")]
    pub tree: bool,
    /// Draw a tree in color, for a pager
    #[arg(short = 'p', long, conflicts_with = "null", help_heading = "Output")]
    pub pretty: bool,
    /// Print records as ADDRESS NUL TEXT NUL
    #[arg(short = '0', long, help_heading = "Output")]
    pub null: bool,
    /// Options for patterns.
    #[command(flatten)]
    pub patterns: PatternArgs,
    /// Options for reading documents.
    #[command(flatten)]
    pub documents: DocumentArgs,
    /// Options that limit output.
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Options for finding files.
    #[command(flatten)]
    pub lookup: LookupArgs,
    /// Options for terminal hyperlinks.
    #[command(flatten)]
    pub hyperlinks: HyperlinkArgs,
    /// Options for output.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl InspectArgs {
    /// Returns the conditions on parts. If there are any, `-O` selects headings.
    ///
    /// # Errors
    ///
    /// Fails if other kinds of parts are also selected.
    pub fn conditions(&self) -> Result<Conditions, Error> {
        let mut conditions = self.conditions.conditions(self.patterns.options().case);
        conditions.sections.extend(self.section.clone());
        if self.outline && conditions.is_given() {
            if !(conditions.kind.is_empty() || conditions.kind == [PartKind::Heading]) {
                let only = [Change::set(KIND, "heading"), Change::remove(OUTLINE)];
                let hint = Hint::again(only).why("only headings");
                return Err(contradiction(OUTLINE, KIND).hint(hint));
            }
            conditions.kind = vec![PartKind::Heading];
        }
        Ok(conditions)
    }

    /// Returns the options for walking directories.
    pub fn walk(&self) -> WalkOptions {
        let (globs, types) = (self.glob.clone(), self.types.clone());
        let rules = RuleOptions { globs, types, ..RuleOptions::default() };
        WalkOptions { rules, ..WalkOptions::default() }
    }
}
