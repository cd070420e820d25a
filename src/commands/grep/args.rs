//! The flags of `grep`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::report::View;
use super::{CodeFilter, Context, Facts, Limits, Mode, Options, SectionOptions};
use crate::commands::input::whole_input;
use crate::commands::line_matcher::{Extent, LineMatcher};
use crate::commands::output::Style;
use crate::commands::shared_args::{
    OutputArgs, PatternArgs, RootArgs, contradiction, empty_flag, section_patterns,
};
use crate::error::{Code, Error};
use crate::files::env::Env;
use crate::files::ignore_rules::RuleOptions;
use crate::files::listing::WalkOptions;
use crate::text::format::Format;

/// What `--help` opens with.
pub const ABOUT: &str = "Search files for lines that match; tell the sections they stand in";

/// The long help's opening.
pub const LONG_ABOUT: &str = "\
Search files for lines that match a pattern. What ripgrep users type keeps its
meaning; hits can be told with the sections they stand in.

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
  folio grep --json -k 'error' logs/ | jq .section

Without a path, the current directory is searched, or standard input where that
is a pipe or a file.

Exit status: 0 something matched, 1 nothing did, 2 trouble (with -q: 0 as soon
as something matched), 3 several sections have the name that --in gives.";

/// Whether a flag is given, its name, and those that it cannot stand with.
type Contradiction<'a> = (bool, &'a str, &'a [(bool, &'a str)]);

/// `--style`.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StyleArg {
    /// A hit a line
    #[default]
    Lines,
    /// A hit a block: file, line and section end, then the line
    Blocks,
}

/// `--sort`.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortArg {
    /// As by path
    None,
    /// By path
    #[default]
    Path,
    /// By the time of the last change, oldest first
    Modified,
    /// By the time of the last access
    Accessed,
    /// By the time of creation
    Created,
}

/// The flags, in the order of help.
#[derive(Args, Debug)]
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
    #[arg(short = 'W', long, help_heading = "Sections")]
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
    /// Only hits in code blocks, fences included
    #[arg(long, help_heading = "Sections")]
    pub only_code: bool,
    /// Take documents for this kind of text instead of detecting it
    #[arg(long = "as", value_name = "FORMAT", value_enum, help_heading = "Sections")]
    pub as_format: Option<Format>,

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
    /// Refused: look-around and backreferences are not supported
    #[arg(short = 'P', long, hide = true)]
    pub pcre2: bool,

    /// Tell how many lines match, with -o how many matches there are
    #[arg(
        short = 'c',
        long,
        conflicts_with_all = ["files_with_matches", "files_without_match"],
        help_heading = "Output"
    )]
    pub count: bool,
    /// Tell only the names of files with a match
    #[arg(short = 'l', long, conflicts_with = "files_without_match", help_heading = "Output")]
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
    /// Tell line numbers (the default)
    #[arg(short = 'n', long, overrides_with = "no_line_number", help_heading = "Output")]
    pub line_number: bool,
    /// Tell no line numbers
    #[arg(short = 'N', long, overrides_with = "line_number", help_heading = "Output")]
    pub no_line_number: bool,
    /// Tell the names of files (the default for several)
    #[arg(short = 'H', long, overrides_with = "no_filename", help_heading = "Output")]
    pub with_filename: bool,
    /// Tell no names of files
    #[arg(short = 'I', long, overrides_with = "with_filename", help_heading = "Output")]
    pub no_filename: bool,
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
    /// Count on after --max-count and --max-total, so that the totals are true
    #[arg(long, help_heading = "Output")]
    pub totals: bool,
    /// Leave out lines that are longer, in bytes
    #[arg(short = 'M', long, value_name = "N", help_heading = "Output")]
    pub max_columns: Option<usize>,
    /// Tell at the end what was searched and found
    #[arg(long, help_heading = "Output")]
    pub stats: bool,
    /// A NUL behind file names; with -k behind addresses and texts
    #[arg(short = '0', long, help_heading = "Output")]
    pub null: bool,

    /// Only files whose path matches the glob; !GLOB leaves out
    #[arg(
        short = 'g',
        long,
        value_name = "GLOB",
        allow_hyphen_values = true,
        help_heading = "Directories"
    )]
    pub glob: Vec<String>,
    /// Only files of this type (md, rust, ...)
    #[arg(short = 't', long = "type", value_name = "TYPE", help_heading = "Directories")]
    pub types: Vec<String>,
    /// No files of this type
    #[arg(short = 'T', long = "type-not", value_name = "TYPE", help_heading = "Directories")]
    pub types_not: Vec<String>,
    /// Tell the types of files and their globs
    #[arg(long, help_heading = "Directories")]
    pub type_list: bool,
    /// Search hidden files and directories too
    #[arg(short = '.', long, help_heading = "Directories")]
    pub hidden: bool,
    /// Search what ignore files leave out too
    #[arg(long, help_heading = "Directories")]
    pub no_ignore: bool,
    /// Follow symbolic links
    #[arg(short = 'L', long, help_heading = "Directories")]
    pub follow: bool,
    /// Go no deeper into directories
    #[arg(long, value_name = "N", help_heading = "Directories")]
    pub max_depth: Option<usize>,
    /// In which order files are told
    #[arg(long, value_name = "BY", value_enum, default_value_t, help_heading = "Directories")]
    pub sort: SortArg,
    /// How many threads search; 0 lets folio choose
    #[arg(short = 'j', long, value_name = "N", help_heading = "Directories")]
    pub threads: Option<usize>,
    /// Accepted: directories are always searched as a whole
    #[arg(short = 'r', long, visible_short_alias = 'R', help_heading = "Directories")]
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
    /// Where files may be.
    #[command(flatten)]
    pub roots: RootArgs,
    /// How output is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl GrepArgs {
    /// The files that are wanted below a directory.
    pub fn walk(&self) -> WalkOptions {
        WalkOptions {
            rules: RuleOptions {
                globs: self.glob.clone(),
                excludes: Vec::new(),
                types: self.types.clone(),
                types_not: self.types_not.clone(),
                hidden: self.hidden,
                no_ignore: self.no_ignore,
            },
            follow: self.follow,
            depth: self.max_depth.unwrap_or(usize::MAX),
            ..WalkOptions::default()
        }
    }

    /// The operands that name files and directories.
    pub fn operands(&self) -> Vec<PathBuf> {
        let first = self.has_pattern_flags().then_some(self.pattern.as_ref()).flatten();
        first.map(PathBuf::from).into_iter().chain(self.paths.iter().cloned()).collect()
    }

    fn has_pattern_flags(&self) -> bool {
        !self.regexp.is_empty() || !self.file.is_empty()
    }

    /// The mode that these flags ask for.
    fn mode(&self) -> Mode {
        if self.quiet {
            Mode::Quiet
        } else if self.count {
            Mode::Count
        } else if self.files_with_matches {
            Mode::Files
        } else if self.files_without_match {
            Mode::FilesWithout
        } else if self.section_context {
            Mode::Sections
        } else {
            Mode::Lines
        }
    }

    /// What these flags ask for; flags that contradict one another are refused.
    pub fn options(&self, style: Style, env: &Env) -> Result<Options, Error> {
        self.refuse_strays()?;
        let mode = self.mode();
        let sources = self.sources(env)?;
        let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
        let extent = match (self.multiline, self.null_data) {
            (true, _) => Extent::Lines,
            (false, true) => Extent::Record,
            (false, false) => Extent::Line,
        };
        let lists = matches!(mode, Mode::Lines | Mode::Sections);
        let with_places = self.section_hints || self.style == StyleArg::Blocks;
        let named =
            style.json && lists && (with_places || self.section_context || self.inside.is_some());
        let filters = self.inside.is_some() || self.outside_code || self.only_code;
        Ok(Options {
            matcher: LineMatcher::new(&sources, self.patterns.options(), extent)
                .map_err(over_lines)?,
            mode,
            invert: self.invert_match,
            multi_line: self.multiline,
            null_data: self.null_data,
            context: Context {
                before: self.before_context.or(self.context).unwrap_or(0),
                after: self.after_context.or(self.context).unwrap_or(0),
            },
            limits: Limits {
                of_document: self.max_count,
                total: self.max_total,
                count_on: self.totals && !matches!(mode, Mode::FilesWithout | Mode::Quiet),
                look_on: style.json && !mode.is_yes_or_no() || self.max_total.is_some(),
            },
            text: self.text,
            encoding: self.encoding.clone(),
            format: self.as_format,
            facts: Facts {
                numbers: !self.no_line_number
                    || filters
                    || self.section_context
                    || self.has_context()
                    || style.json,
                positions: style.json && lists,
                matches: self.stats
                    || (self.only_matching && (style.json || mode == Mode::Count))
                    || (self.multiline && mode == Mode::Count),
            },
            sections: SectionOptions {
                told: lists && (with_places || named),
                named,
                inside: self.inside.clone(),
                code: match (self.outside_code, self.only_code) {
                    (true, _) => Some(CodeFilter::Outside),
                    (_, true) => Some(CodeFilter::Only),
                    _ => None,
                },
                starts: section_patterns(&self.section_pattern)?,
            },
        })
    }

    /// How hits are to look; `several` tells that more than one file may be
    /// searched.
    pub fn view(&self, style: Style, several: bool) -> View {
        let blocks = self.style == StyleArg::Blocks;
        let is_address = self.section_hints && !self.count;
        View {
            style,
            names: !self.no_filename && (several || self.with_filename || is_address),
            numbers: !self.no_line_number,
            null: self.null,
            blocks,
            only_matching: self.only_matching,
            max_columns: self.max_columns.filter(|&most| most > 0),
        }
    }

    fn has_context(&self) -> bool {
        self.context.is_some() || self.before_context.is_some() || self.after_context.is_some()
    }

    /// The patterns as written.
    fn sources(&self, env: &Env) -> Result<Vec<String>, Error> {
        let utf8 = |text: &std::ffi::OsStr, flag: &str| {
            text.to_str().map(str::to_owned).ok_or_else(|| {
                Error::new(Code::InvalidPattern, format!("{flag} is not UTF-8"))
                    .hint(r"a byte is written like this: (?-u:\xff)")
            })
        };
        let mut sources = Vec::new();
        for pattern in &self.regexp {
            sources.push(utf8(pattern, "a pattern")?);
        }
        for file in &self.file {
            let text = whole_input(file.as_os_str(), env)?;
            let text = std::str::from_utf8(&text).map_err(|_| {
                Error::new(Code::InvalidPattern, "its patterns are not UTF-8").at(file)
            })?;
            sources.extend(text.lines().map(str::to_owned));
        }
        if !self.has_pattern_flags() {
            let Some(pattern) = &self.pattern else {
                return Err(Error::usage("a pattern to look for is needed")
                    .hint("folio grep PATTERN  # in all files below here")
                    .hint("folio grep --help  # all flags"));
            };
            sources.push(utf8(pattern, "the pattern")?);
        }
        Ok(sources)
    }

    /// Flags that mean nothing, or nothing together.
    fn refuse_strays(&self) -> Result<(), Error> {
        if self.inside.as_deref() == Some("") {
            return Err(empty_flag("--in"));
        }
        if self.pcre2 {
            return Err(Error::usage(
                "-P is not supported: patterns have no look-around and no backreferences",
            )
            .hint("leave -P out  # for patterns without them"));
        }
        let counts = [
            (self.count, "--count"),
            (self.files_with_matches, "--files-with-matches"),
            (self.files_without_match, "--files-without-match"),
            (self.only_matching, "--only-matching"),
            (self.has_context(), "--context"),
            (self.style == StyleArg::Blocks, "--style blocks"),
            (self.null, "--null"),
            (self.null_data, "--null-data"),
        ];
        let addresses = [
            (self.no_line_number, "--no-line-number"),
            (self.null_data, "--null-data"),
            (self.null && self.has_context(), "--null with --context"),
        ];
        let blocks = [
            (self.null_data, "--null-data"),
            (self.only_matching, "--only-matching"),
            (self.null, "--null"),
        ];
        let records = [(self.null_data, "--null-data")];
        let without = [(self.max_total.is_some(), "--max-total"), (self.totals, "--totals")];
        let by_flag: [Contradiction<'_>; 6] = [
            (self.files_without_match, "--files-without-match", &without),
            (self.section_context, "--section-context", &counts),
            (self.section_hints, "--section-hints", &addresses),
            (self.style == StyleArg::Blocks, "--style blocks", &blocks),
            (self.inside.is_some(), "--in", &records),
            (self.multiline, "--multiline", &records),
        ];
        for (given, flag, others) in by_flag {
            if let Some((_, other)) = others.iter().find(|(other, _)| given && *other) {
                return Err(contradiction(flag, other));
            }
        }
        Ok(())
    }
}

/// The error for a pattern of several lines, with the flag that allows them.
fn over_lines(error: Error) -> Error {
    if error.message.contains("line end") { error.hint("-U  # to match over lines") } else { error }
}
