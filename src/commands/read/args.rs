//! The options of `read`.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgGroup, Args, Command};

use super::{End, Selection};
use crate::commands::conditions::Conditions;
use crate::commands::conditions::flags::{NO_PATTERN, RareConditionArgs};
use crate::commands::request::CommandLine;
use crate::commands::rules::{JSON, Rule, excludes, needs};
use crate::commands::shared_args::{
    DocumentArgs, LookupArgs, ONCE, OutputArgs, PatternArgs, contradiction, empty_flag,
    option_error, positive,
};
use crate::commands::target::flags::{MATCH, PART, Scoped, TargetArgs, query, with_letters};
use crate::commands::target::spell::Flag;
use folio_files::error::{Change, Error, Hint};
use folio_files::ignore_rules::RuleOptions;
use folio_files::listing::WalkOptions;
use folio_files::options::{
    CODE_BLOCK, FROM, HEAD, KEY, LIMIT, MATCHING, PATTERN, SEARCH, SECTION, TAIL, TEXT, TO_NEXT,
};
use folio_outline::part::{Part, QueryKind};
use folio_text::pattern::Pattern;

impl CommandLine for ReadArgs {
    const NAME: &'static str = "read";
    const ABOUT: &'static str =
        "Print part of a file: lines, a section, a code block, a table or a key";
    const LONG_ABOUT: &'static str = "\
Print part of a file, byte for byte.

  folio read README.md --section Installation     a heading's section
  folio read WORK.md:120 --to-next '^\\[LOG-'      from a line to the next match

Find a line, then read up to the next boundary:
  1. folio grep '\\[DECISION\\]' WORK.md                WORK.md:120:[LOG-015] …
  2. folio read WORK.md:120 --to-next '^\\[LOG-'       lines 120-144
folio does not print the boundary line; if no line matches, it prints the rest of the file.

Common boundary patterns:
  '^#+ '      headings of any level         '^\\[LOG-'    log entries
  '^## '      headings of level 2           '^$'         blank lines, for one paragraph
  '</section>'  a closing tag
";
    const AFTER_HELP: &'static str = "\
Addresses:
  FILE  FILE:120  FILE:120-144  FILE:120-  FILE:50-60,100-110  FILE#L10-L20
  FILE:120@0-4096      a range of bytes of a very long line
  'FILE#installation'  the section with this anchor on GitHub, or the part at an explicit anchor

Examples:
  folio read Cargo.toml --key package.version --value
  folio read README.md --code-block bash:0 | sh
  folio read --matching '^Install' --containing sudo docs/
  rg -n TODO docs | folio read --addresses-from - --section-context

In text, folio prints each line of a file at most once: it merges adjacent and overlapping
parts. In JSON and with --batch, each part has its own record.

Exit status: 0 success, 1 no such part, 2 error, 3 ambiguous name.";
    const IS_QUICK: bool = true;
    const RULES: &'static [Rule] = RULES;

    fn flags(command: Command) -> Command {
        let has_path = command.get_arguments().any(|flag| flag.get_id() == "path");
        let command = if has_path { command.mut_arg("path", path_or_none) } else { command };
        with_letters(command.group(ArgGroup::new(MATCH).conflicts_with_all([PART, "code_block"])))
    }
}

pub(super) const FROM_A_LINE: &str = "From a line";

/// The options that select the part.
const TARGETS: &str = "section body heading code-block table anchor front-matter text pattern \
    search target key lines head tail";

const RULES: &[Rule] = &[
    excludes("addresses-from", "batch"),
    excludes("addresses-from batch", "addresses").named(|| "an address".to_owned()),
    excludes("batch", TARGETS),
    excludes("batch", "from to-next to-section-end limit section-context"),
    needs("glob type", "section key CONDITIONS public")
        .named(|| format!("{SECTION}, {KEY} or a condition such as {MATCHING}"))
        .hint(|| Hint::command("help", ["selecting"]).why("all conditions")),
    excludes("addresses-from batch", "CONDITIONS public")
        .named(|| "conditions on parts".to_owned()),
    needs("outside-code outside-comments", "to-next"),
    needs("context", "text pattern search"),
    needs("in", TARGETS)
        .named(|| format!("a target such as {SECTION} or {CODE_BLOCK}, or {HEAD} or {TAIL}")),
    needs("fixed-strings word-regexp line-regexp", "to-next text pattern search target")
        .named(a_pattern),
    needs(
        "ignore-case case-sensitive smart-case",
        "to-next text pattern search target section CONDITIONS public",
    )
    .named(a_pattern),
    excludes("from", "head").hint(|| {
        let limited = [Change::set(LIMIT, "M"), Change::remove(HEAD)];
        Hint::with_value(FROM, "N").but(limited).why("M lines from line N")
    }),
    excludes("from", "tail"),
    excludes("raw", "json"),
    excludes("raw number show-whitespace", "checksum breadcrumbs").in_text(),
    excludes("raw", "number show-whitespace breadcrumbs"),
    excludes("show-whitespace", JSON),
    excludes("breadcrumbs", "checksum").in_text(),
    excludes("no-headers", "json checksum breadcrumbs"),
    needs("no-total", JSON),
    excludes("max-bytes", "max-tokens"),
];

fn a_pattern() -> String {
    format!("a pattern: {TO_NEXT}, {TEXT}, {PATTERN} or {SEARCH}")
}

/// Makes the pattern of `--path` optional. Without a pattern, the option means `--breadcrumbs`.
fn path_or_none(path: Arg) -> Arg {
    path.num_args(0..=1).default_missing_value(NO_PATTERN)
}

/// The options of `read`, in the order of the help.
#[derive(Args, Debug, Default)]
pub struct ReadArgs {
    /// Files and addresses (FILE:10-50, FILE#slug); default in a pipe: -, standard input
    #[arg(value_name = "ADDRESS", value_hint = clap::ValueHint::FilePath)]
    pub addresses: Vec<OsString>,

    /// Start at this line of the file
    #[arg(long, value_name = "LINE", help_heading = FROM_A_LINE)]
    #[arg(action = ArgAction::Append, group = ONCE)]
    pub from: Option<u64>,
    /// Stop before the next line that matches
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    #[arg(groups = [PART, ONCE], action = ArgAction::Append, help_heading = FROM_A_LINE)]
    pub to_next: Option<String>,
    /// Stop at the end of the innermost section that contains the first line
    #[arg(long, group = PART, help_heading = FROM_A_LINE)]
    pub to_section_end: bool,
    /// Stop after N lines
    #[arg(long, value_name = "N", group = PART, help_heading = FROM_A_LINE, value_parser = positive())]
    pub limit: Option<u64>,
    /// With --to-next, ignore matches in code blocks
    #[arg(long, help_heading = FROM_A_LINE)]
    pub outside_code: bool,
    /// With --to-next, ignore matches in HTML comments
    #[arg(long, help_heading = FROM_A_LINE)]
    pub outside_comments: bool,
    /// Print the innermost section that contains the line
    #[arg(short = 'W', long, group = PART, help_heading = FROM_A_LINE)]
    pub section_context: bool,
    /// Print only the first N lines
    #[arg(long, value_name = "N", group = PART, help_heading = FROM_A_LINE)]
    pub head: Option<u64>,
    /// Print only the last N lines
    #[arg(long, value_name = "N", group = PART, help_heading = FROM_A_LINE)]
    pub tail: Option<u64>,

    /// The part to read.
    #[command(flatten)]
    pub target: TargetArgs,
    /// Short for --text STRING -C 5
    #[arg(long, value_name = "STRING", allow_hyphen_values = true)]
    #[arg(groups = [PART, ONCE], action = ArgAction::Append)]
    #[arg(help_heading = "Targets (one of them)")]
    pub search: Option<String>,
    /// Print N lines of context around the match
    #[arg(short = 'C', long, value_name = "N", help_heading = "Target options")]
    pub context: Option<u64>,

    /// Read the parts at the addresses in FILE, one address per line
    #[arg(long, value_name = "FILE", action = ArgAction::Append, group = ONCE)]
    #[arg(help_heading = "Multiple parts", value_hint = clap::ValueHint::FilePath)]
    pub addresses_from: Option<OsString>,
    /// End parts with NUL; with --addresses-from, read ADDRESS NUL TEXT NUL
    #[arg(short = '0', long = "null", help_heading = "Multiple parts")]
    pub null: bool,
    /// Take JSON requests from FILE (format: folio schema batch)
    #[arg(long, value_name = "FILE", action = ArgAction::Append, group = ONCE)]
    #[arg(help_heading = "Multiple parts", value_hint = clap::ValueHint::FilePath)]
    pub batch: Option<OsString>,

    /// Conditions that select parts.
    #[command(flatten)]
    pub conditions: RareConditionArgs,
    /// Select parts only in files that match the glob; !GLOB excludes (repeatable)
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true, help_heading = "Directories")]
    pub glob: Vec<String>,
    /// Select parts only in files of this type (repeatable)
    #[arg(id = "type", long, value_name = "TYPE", help_heading = "Directories")]
    pub types: Vec<String>,

    /// Truncate each part after N lines
    #[arg(long, value_name = "N", help_heading = "Printing", value_parser = positive())]
    pub max_lines: Option<u64>,
    /// Truncate each part after N bytes, at a line boundary
    #[arg(long, value_name = "N", help_heading = "Printing", value_parser = positive())]
    pub max_bytes: Option<u64>,
    /// Truncate the output after N tokens (4 bytes each), at a line boundary
    #[arg(long, value_name = "N", help_heading = "Printing", value_parser = positive())]
    pub max_tokens: Option<u64>,
    /// Print line numbers
    #[arg(short = 'n', long, help_heading = "Printing")]
    pub number: bool,
    /// Do not print a header before each part
    #[arg(long, help_heading = "Printing")]
    pub no_headers: bool,
    /// Print only addresses and heading paths; in JSON, add the heading paths
    #[arg(long, help_heading = "Printing")]
    pub breadcrumbs: bool,
    /// Make whitespace, line endings and invisible characters visible
    #[arg(long, help_heading = "Printing")]
    pub show_whitespace: bool,
    /// Print only checksums and addresses; in JSON, add the checksums
    #[arg(long, help_heading = "Printing")]
    pub checksum: bool,
    /// Print the bytes of the file without decoding them
    #[arg(long, help_heading = "Printing")]
    pub raw: bool,
    /// Do not count the lines of the file; omit the total from the output
    #[arg(long, help_heading = "Printing")]
    pub no_total: bool,

    /// Options for patterns.
    #[command(flatten)]
    pub patterns: PatternArgs,
    /// Options for reading documents.
    #[command(flatten)]
    pub documents: DocumentArgs,
    /// Options for finding files.
    #[command(flatten)]
    pub lookup: LookupArgs,
    /// Options for output.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl ReadArgs {
    /// Returns the requested parts, each with the section in which to look for it.
    pub fn selections(&self) -> Result<Vec<Scoped<Selection>>, Error> {
        let targets = self.target.targets(self.patterns.options())?.into_iter();
        targets.map(|(target, scope)| Ok((self.selection(target)?, scope))).collect()
    }

    /// Returns the conditions on parts.
    pub fn conditions(&self) -> Conditions {
        let mut conditions = self.conditions.conditions(self.patterns.options().case);
        conditions.path.retain(|pattern| pattern != NO_PATTERN);
        conditions
    }

    /// Whether to print only the headings above the parts.
    pub fn has_breadcrumbs(&self) -> bool {
        self.breadcrumbs || self.conditions.path.iter().any(|pattern| pattern == NO_PATTERN)
    }

    /// Returns the options for walking directories to look for parts.
    pub fn walk(&self) -> WalkOptions {
        let (globs, types) = (self.glob.clone(), self.types.clone());
        let rules = RuleOptions { globs, types, ..RuleOptions::default() };
        WalkOptions { rules, ..WalkOptions::default() }
    }

    fn selection(&self, target: Option<Part>) -> Result<Selection, Error> {
        if let Some(target) = &target
            && let Some(place) = target.place()
        {
            return Err(contradiction(target.flag(), place.flag()));
        }
        let start = self.from;
        let end = match (&self.to_next, self.limit) {
            (Some(source), _) => Some(self.to_next(source)?),
            (None, Some(limit)) => Some(End::Limit(limit)),
            (None, None) if self.to_section_end => Some(End::OfSection),
            (None, None) => None,
        };
        let searched = match &self.search {
            Some(source) => Some(query(source, QueryKind::Search, self.patterns.options())?),
            None => target,
        };
        Ok(match (searched, end, self.head, self.tail) {
            (Some(Part::Match(mut query)), ..) => {
                query.context = self.context.or(query.context);
                Selection::Part { target: Part::Match(query), from: start }
            }
            (Some(target), ..) => Selection::Part { target, from: start },
            (None, Some(end), ..) => Selection::From { start, end },
            (None, None, Some(count), _) => Selection::Head(count),
            (None, None, None, Some(count)) => Selection::Tail(count),
            _ if self.section_context => Selection::SectionAround(start),
            _ if start.is_some() => Selection::From { start, end: End::OfFile },
            _ => Selection::Address,
        })
    }

    fn to_next(&self, source: &str) -> Result<End, Error> {
        if source.is_empty() {
            let blank = Hint::with_value(TO_NEXT, "^$").why("to stop at a blank line");
            return Err(empty_flag(TO_NEXT).hint(blank));
        }
        let pattern = Pattern::new(source, self.patterns.options())
            .map_err(|error| option_error(TO_NEXT, error))?;
        let (outside_code, outside_comments) = (self.outside_code, self.outside_comments);
        Ok(End::ToNext { pattern, outside_code, outside_comments })
    }
}
