//! The flags of `grep`.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Options;
use super::file_args::FileArgs;
use super::line_args::LineArgs;
use crate::commands::conditions::flags::ConditionArgs;
use crate::commands::search::{self, CodeFilter, Context, Inside, Layout, Mode};
use crate::commands::shared_args::{
    BudgetArgs, ConfigArgs, OutputArgs, PatternArgs, ResolveArgs, RootArgs,
};
use crate::error::{Code, Error};
use crate::files::document::DocumentOptions;
use crate::text::format::Format;

/// What `--help` opens with.
pub const ABOUT: &str = "Search files for lines that match; tell the sections they stand in";

/// The long help's opening.
pub const LONG_ABOUT: &str = "\
Search files for lines that match a pattern. What ripgrep users type keeps its
meaning, see `folio help ripgrep`; hits can be printed with the sections they stand in.

  folio grep TODO docs/          every line that holds TODO
  folio grep -k 'DECISION' .     the same as addresses, to the end of their sections

With -k each line of output begins with an address that `folio read` takes:
  WORK.md:120-144:[LOG-015] - [DECISION] - ...";

const USAGE: &str = "\
folio grep [OPTIONS] PATTERN [PATH]...
       folio grep [OPTIONS] -e PATTERN... [PATH]...";

/// The long help's end.
pub const AFTER_HELP: &str = "\
Sections are what Markdown headings, log entries (^\\[LOG-) and INI markers
begin; --section-pattern says other starts. Headings in code never count.

Examples:
  folio grep -k TODO . | folio read --addresses-from -
  folio grep -W 'max_connections' config/
  folio grep --in Installation --only-code 'sudo' README.md
  folio grep sudo --matching '^Install' docs/
  folio grep --json -k 'error' logs/ | jq .section

Without a path, the current directory is searched, or standard input where that
is a pipe or a file.

Exit status: 0 something matched, 1 nothing did, 2 trouble (with -q: 0 as soon
as something matched), 3 several sections have the name that --in gives.";

/// `--style`.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StyleArg {
    /// A hit a line
    #[default]
    Lines,
    /// A hit a block: file, line and section end, then the line
    Blocks,
}

/// The flags, in the order of help.
#[derive(Args, Debug, Default)]
#[command(override_usage = USAGE)]
pub struct GrepArgs {
    /// What to look for: a regular expression; with -e or -f the first path
    #[arg(value_name = "PATTERN")]
    pub pattern: Option<OsString>,
    /// Files or directories; - is standard input
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,

    /// Tell hits as addresses that go to the end of their sections
    #[arg(short = 'k', long, help_heading = "Sections")]
    pub section_hints: bool,
    /// Show the whole section of each hit, once
    #[arg(
        short = 'W',
        long,
        conflicts_with_all = ["count", "count_matches"],
        conflicts_with_all = ["files_with_matches", "files_without_match"],
        help_heading = "Sections"
    )]
    pub section_context: bool,
    /// How hits are told; blocks have section hints
    #[arg(long, value_name = "STYLE", value_enum, default_value_t, help_heading = "Sections")]
    pub style: StyleArg,
    /// Lines that begin a section, in place of all others; repeatable
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true, help_heading = "Sections")]
    pub section_pattern: Vec<String>,
    /// Only hits in the section of this name; a section may be named as for read
    #[arg(
        long = "in",
        value_name = "SECTION",
        allow_hyphen_values = true,
        help_heading = "Sections"
    )]
    pub inside: Option<String>,
    /// Only hits that are not in code blocks
    #[arg(long, conflicts_with = "only_code", help_heading = "Sections")]
    pub outside_code: bool,
    /// Only hits that are not in HTML comments of Markdown
    #[arg(long, help_heading = "Sections")]
    pub outside_comments: bool,
    /// Only hits in code blocks, fences included
    #[arg(long, help_heading = "Sections")]
    pub only_code: bool,
    /// Take documents for this kind of text instead of detecting it
    #[arg(long = "as", value_name = "FORMAT", value_enum, help_heading = "Sections")]
    pub as_format: Option<Format>,

    /// Which parts are searched.
    #[command(flatten)]
    pub conditions: ConditionArgs,

    /// A pattern; repeatable, any may match
    #[arg(
        short = 'e',
        long = "regexp",
        value_name = "PATTERN",
        allow_hyphen_values = true,
        help_heading = "Patterns"
    )]
    pub regexp: Vec<OsString>,
    /// Patterns from a file, one a line; - is standard input
    #[arg(
        short = 'f',
        long = "file",
        value_name = "FILE",
        allow_hyphen_values = true,
        value_hint = clap::ValueHint::FilePath,
        help_heading = "Patterns"
    )]
    pub file: Vec<PathBuf>,
    /// How patterns are meant.
    #[command(flatten)]
    pub patterns: PatternArgs,
    /// Lines that do not match
    #[arg(short = 'v', long, help_heading = "Patterns")]
    pub invert_match: bool,
    /// Let matches go on over lines
    #[arg(short = 'U', long, help_heading = "Patterns")]
    pub multiline: bool,
    /// Let . match line ends too
    #[arg(long, help_heading = "Patterns")]
    pub multiline_dotall: bool,
    /// Let classes such as \\w hold ASCII characters only
    #[arg(long, help_heading = "Patterns")]
    pub no_unicode: bool,
    /// Tell how many lines match, with -o how many matches there are
    #[arg(
        short = 'c',
        long,
        overrides_with_all = ["count_matches", "files_with_matches", "files_without_match"],
        help_heading = "Output"
    )]
    pub count: bool,
    /// Print how many matches there are
    #[arg(
        long,
        overrides_with_all = ["files_with_matches", "files_without_match"],
        help_heading = "Output"
    )]
    pub count_matches: bool,
    /// With these two, count files without a match too
    #[arg(long, help_heading = "Output")]
    pub include_zero: bool,
    /// Tell only the names of files with a match
    #[arg(short = 'l', long, overrides_with = "files_without_match", help_heading = "Output")]
    pub files_with_matches: bool,
    /// Tell only the names of files without a match
    #[arg(long, help_heading = "Output")]
    pub files_without_match: bool,
    /// Tell only what matches, not its line; --json counts matches then, not lines
    #[arg(short = 'o', long, help_heading = "Output")]
    pub only_matching: bool,
    /// Tell nothing; the exit status says whether something matches
    #[arg(short = 'q', long, help_heading = "Output")]
    pub quiet: bool,
    /// How hits are written.
    #[command(flatten)]
    pub lines: LineArgs,
    /// Lines to show after each hit
    #[arg(short = 'A', long, value_name = "N", help_heading = "Output")]
    pub after_context: Option<usize>,
    /// Lines to show before each hit
    #[arg(short = 'B', long, value_name = "N", help_heading = "Output")]
    pub before_context: Option<usize>,
    /// Lines to show before and after each hit
    #[arg(short = 'C', long, value_name = "N", help_heading = "Output")]
    pub context: Option<usize>,
    /// Stop after so many hits in each file
    #[arg(short = 'm', long, value_name = "N", help_heading = "Output")]
    pub max_count: Option<u64>,
    /// Stop after so many hits in all files, in order
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub max_total: Option<u64>,
    /// Leave a file where a line behind a hit is none
    #[arg(long, help_heading = "Output")]
    pub stop_on_nonmatch: bool,
    /// Count on after --max-count and --max-total, so that the totals are true
    #[arg(long, help_heading = "Output")]
    pub totals: bool,
    /// Tell at the end what was searched and found
    #[arg(long, help_heading = "Output")]
    pub stats: bool,
    /// A NUL behind file names; with -k behind addresses and texts
    #[arg(short = '0', long, help_heading = "Output")]
    pub null: bool,

    /// Print no errors about files; the exit status still tells of them
    #[arg(long, help_heading = "Output")]
    pub no_messages: bool,
    /// Which files are searched.
    #[command(flatten)]
    pub files: FileArgs,
    /// Accepted: directories are always searched as a whole
    #[arg(short = 'R', long, help_heading = "Directories")]
    pub recursive: bool,

    /// Take binary files for text
    #[arg(short = 'a', long, help_heading = "Documents")]
    pub text: bool,
    /// Lines end in NUL
    #[arg(long, help_heading = "Documents")]
    pub null_data: bool,
    /// Take documents for text in this encoding (utf-8, utf-16le, latin1, ...)
    #[arg(short = 'E', long, value_name = "LABEL", help_heading = "Documents")]
    pub encoding: Option<String>,
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
    /// How output is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl GrepArgs {
    /// What these flags ask for.
    ///
    /// Fails where a pattern is no UTF-8, and where a value is none.
    pub fn options(&self) -> Result<Options, Error> {
        let mut patterns = Vec::new();
        for pattern in &self.regexp {
            patterns.push(utf8(pattern, "a pattern")?);
        }
        let mut paths = self.paths.clone();
        let has_pattern_flags = !self.regexp.is_empty() || !self.file.is_empty();
        match &self.pattern {
            Some(first) if has_pattern_flags || self.files.files => paths.insert(0, first.into()),
            Some(pattern) => patterns.push(utf8(pattern, "the pattern")?),
            None => {}
        }
        Ok(Options {
            resolve: self.resolve.resolve,
            search: self.search(patterns)?,
            pattern_files: self.file.clone(),
            paths,
            conditions: self.conditions.conditions(self.patterns.options().case),
            walk: self.files.walk()?,
            order: self.files.order(),
            threads: self.files.threads,
            no_messages: self.no_messages,
            type_list: self.files.type_list,
            files: self.files.files,
        })
    }

    /// A pattern with what flags say of it.
    fn flagged(&self, pattern: String) -> String {
        let flags = match (self.multiline_dotall, self.no_unicode) {
            (true, true) => "s-u",
            (true, false) => "s",
            (false, true) => "-u",
            (false, false) => return pattern,
        };
        if self.patterns.fixed_strings { pattern } else { format!("(?{flags}:{pattern})") }
    }

    fn search(&self, patterns: Vec<String>) -> Result<search::Options, Error> {
        let lines = &self.lines;
        Ok(search::Options {
            patterns: patterns.into_iter().map(|pattern| self.flagged(pattern)).collect(),
            pattern: self.patterns.options(),
            invert: self.invert_match,
            multi_line: self.multiline,
            null_data: self.null_data,
            text: self.text,
            binary: self.files.takes_binary(),
            stop_on_nonmatch: self.stop_on_nonmatch,
            passthru: lines.passthru,
            document: DocumentOptions {
                // What a byte order mark says, which is what is done anyway.
                encoding: self.encoding.clone().filter(|label| label != "auto"),
                binary: true,
                format: self.as_format,
                as_it_comes: lines.line_buffered,
            },
            mode: match () {
                () if self.quiet => Mode::Quiet,
                () if self.count || self.count_matches => Mode::Count,
                () if self.files_with_matches => Mode::Files,
                () if self.files_without_match => Mode::FilesWithout,
                () if self.section_context => Mode::Sections,
                () => Mode::Lines,
            },
            context: match lines.passthru {
                true => Context::default(),
                false => Context {
                    before: self.before_context.or(self.context).unwrap_or(0),
                    after: self.after_context.or(self.context).unwrap_or(0),
                },
            },
            max_count: self.max_count,
            max_total: self.max_total,
            totals: self.totals,
            stats: self.stats,
            section_hints: self.section_hints,
            section_patterns: self.section_pattern.clone(),
            inside: self.inside.clone().map(Inside::Section),
            code: match (self.outside_code, self.only_code) {
                (true, _) => Some(CodeFilter::Outside),
                (_, true) => Some(CodeFilter::Only),
                _ => None,
            },
            outside_comments: self.outside_comments,
            layout: match self.style {
                StyleArg::Lines => Layout::Lines,
                StyleArg::Blocks => Layout::Blocks,
            },
            only_matching: self.only_matching || self.count_matches,
            max_columns: lines.max_columns,
            format: lines.format()?,
            include_zero: self.include_zero,
            null: self.null,
            names: lines.names(),
            no_numbers: lines.no_line_number,
        })
    }
}

fn utf8(text: &OsStr, what: &str) -> Result<String, Error> {
    text.to_str().map(str::to_owned).ok_or_else(|| {
        Error::new(Code::InvalidPattern, format!("{what} is not UTF-8"))
            .hint(r"a byte is written like this: (?-u:\xff)")
    })
}
