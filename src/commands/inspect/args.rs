//! The flags of `inspect`.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

use super::{LinesOptions, Mode, Options, Parts, SearchOptions, StructureOptions};
use crate::commands::line_matcher::{Extent, LineMatcher};
use crate::commands::output::Style;
use crate::commands::shared_args::{
    DocumentArgs, OutputArgs, PatternArgs, RootArgs, contradiction, empty_flag, flag_error,
    section_patterns,
};
use crate::error::{Code, Error};
use crate::files::ignore_rules::RuleOptions;
use crate::files::listing::WalkOptions;
use crate::text::span::parse_line_ranges;

/// What `--help` opens with.
pub const ABOUT: &str = "Show the outline of files: headings, code blocks, sections, anchors";

/// The long help's opening.
pub const LONG_ABOUT: &str = "\
Show the outline of files: headings with the lines their sections span, code
blocks, front matter, anchors, log entries, INI sections. Body text is not shown.

  folio inspect README.md        the outline of a file
  folio inspect -O docs/         every heading below a directory, as addresses

Each line of output in a pipe begins with an address that `folio read` takes:
  docs/guide.md:15-51:## Installation";

/// The long help's end.
pub const AFTER_HELP: &str = "\
Modes:
  structure  the outline (default)
  search     lines that hold --query, with the heading they stand below
  lines      lines by number: --query 50-60,100-110

Examples:
  folio inspect --max-level 2 README.md
  folio inspect --mode search --query 'database' -C 2 docs/
  folio inspect --only sections app.ini
  folio inspect --json README.md | jq '.structure.headings'

Exit status: 0 done, 1 no match in search mode, 2 trouble, 3 several candidates.";

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
#[derive(Args, Debug)]
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
    /// Headings as one list, not as a tree
    #[arg(long)]
    pub flat: bool,
    /// Tell the size of each section in tokens (bytes / 4)
    #[arg(long)]
    pub tokens: bool,
    /// Tell the checksum of each file (16 digits of its SHA-256)
    #[arg(long)]
    pub checksum: bool,
    /// Lines that begin a section, in place of ^\[LOG-
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pub section_pattern: Vec<String>,
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
    /// Records as ADDRESS NUL TEXT NUL, for any file name
    #[arg(short = '0', long, help_heading = "Output")]
    pub null: bool,
    /// How patterns are meant.
    #[command(flatten)]
    pub patterns: PatternArgs,
    /// How documents are taken.
    #[command(flatten)]
    pub documents: DocumentArgs,
    /// Where files may be.
    #[command(flatten)]
    pub roots: RootArgs,
    /// How output is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl InspectArgs {
    /// The files that are wanted below a directory.
    pub fn walk(&self) -> WalkOptions {
        let (globs, types) = (self.glob.clone(), self.types.clone());
        let rules = RuleOptions { globs, types, ..RuleOptions::default() };
        WalkOptions { rules, ..WalkOptions::default() }
    }

    /// What these flags ask for; flags that contradict one another are refused.
    pub fn options(&self, style: Style) -> Result<Options, Error> {
        self.refuse_strays()?;
        if self.null && style.json {
            return Err(contradiction("--null", "--json"));
        }
        let entries = section_patterns(&self.section_pattern)?;
        let mode = match self.mode {
            ModeArg::Structure => Mode::Structure(StructureOptions {
                only: self.parts(style),
                max_level: self.max_level.unwrap_or(6),
                flat: self.flat,
                tokens: self.tokens,
                checksum: self.checksum,
                entries,
                facts: style.json || style.terminal,
                late_names: !style.json,
            }),
            ModeArg::Search => {
                let query = self.needed_query("search", "--query TEXT")?;
                let mut options = self.patterns.options();
                options.fixed |= !self.regex;
                let matcher = LineMatcher::new(&[&query], options, Extent::Line)
                    .map_err(|error| flag_error("--query", error))?;
                Mode::Search(SearchOptions {
                    query,
                    regex: self.regex,
                    matcher,
                    context: self.context.unwrap_or(0),
                    headings: style.json,
                    entries,
                })
            }
            ModeArg::Lines => {
                let query = self.needed_query("lines", "--query RANGES, such as 50-60,100-110")?;
                let ranges = parse_line_ranges(&query).map_err(|message| {
                    Error::new(Code::InvalidRange, format!("--query: {message}"))
                })?;
                Mode::Lines(LinesOptions { query, ranges })
            }
        };
        Ok(Options { mode, load: self.documents.options(), null: self.null })
    }

    fn needed_query(&self, mode: &str, needs: &str) -> Result<String, Error> {
        match self.query.as_deref() {
            Some("") => Err(empty_flag("--query")),
            Some(query) => Ok(query.to_owned()),
            None => Err(Error::usage(format!("--mode {mode} needs {needs}"))),
        }
    }

    /// In a pipe the parts that have no line of their own there are not
    /// looked for.
    fn parts(&self, style: Style) -> Parts {
        if self.outline {
            return Parts { headings: true, ..Parts::NONE };
        }
        if self.only.is_empty() {
            // Front matter has no heading's place in a list of addresses.
            let front_matter = style.json || style.terminal;
            return Parts { front_matter, ..Parts::ALL };
        }
        let has = |part| self.only.contains(&part);
        Parts {
            headings: has(PartArg::Headings),
            code: has(PartArg::Code),
            tables: has(PartArg::Tables),
            front_matter: has(PartArg::FrontMatter),
            anchors: has(PartArg::Anchors),
            sections: has(PartArg::Sections),
        }
    }

    /// Flags that mean nothing in the chosen mode.
    fn refuse_strays(&self) -> Result<(), Error> {
        let structure: [(bool, &str); 6] = [
            (self.outline, "--outline"),
            (!self.only.is_empty(), "--only"),
            (self.max_level.is_some(), "--max-level"),
            (self.flat, "--flat"),
            (self.tokens, "--tokens"),
            (self.checksum, "--checksum"),
        ];
        let search: [(bool, &str); 2] =
            [(self.regex, "--regex"), (self.context.is_some(), "--context")];
        let pattern = self.patterns.given().map(|name| (true, name));
        let searching = search.into_iter().chain(pattern);
        let (strays, mode): (Vec<(bool, &str)>, &str) = match self.mode {
            ModeArg::Structure => {
                let query = (self.query.is_some(), "--query");
                (searching.chain([query]).collect(), "structure")
            }
            ModeArg::Search => (structure.into_iter().collect(), "search"),
            ModeArg::Lines => {
                let sections = (!self.section_pattern.is_empty(), "--section-pattern");
                (structure.into_iter().chain(searching).chain([sections]).collect(), "lines")
            }
        };
        match strays.into_iter().find(|(given, _)| *given) {
            Some((_, name)) => {
                let error = Error::usage(format!("{name} means nothing with --mode {mode}"));
                let searches = matches!(name, "--query" | "--regex" | "--context")
                    || self.patterns.given() == Some(name);
                Err(match (self.mode, searches) {
                    (_, true) => error.hint("--mode search --query TEXT  # to search"),
                    (_, false) if name == "--section-pattern" => error,
                    _ => error.hint(format!("leave --mode {mode} out  # for the outline")),
                })
            }
            None if self.regex && self.patterns.fixed_strings => {
                Err(contradiction("--regex", "--fixed-strings"))
            }
            None => Ok(()),
        }
    }
}
