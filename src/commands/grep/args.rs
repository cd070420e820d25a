//! The options of `grep`.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::{ArgAction, Args, Command, ValueEnum};

use super::file_args::FileArgs;
use super::line_args::LineArgs;
use super::ripgrep_args::with_silent_flags;
use crate::commands::conditions::Conditions;
use crate::commands::matching::{self, Context, Layout, Mode};
use crate::commands::request::CommandLine;
use crate::commands::rules::{JSON, Rule, excludes};
use crate::commands::shared_args::{
    BudgetArgs, LookupArgs, ONCE, OutputArgs, PatternArgs, code_filter, format_parser,
};
use folio_files::document::DocumentOptions;
use folio_files::error::{Code, Error};
use folio_outline::format::Format;

impl CommandLine for GrepArgs {
    const NAME: &'static str = "grep";
    const ABOUT: &'static str = "Search files, showing the section each match is in";
    const LONG_ABOUT: &'static str = "\
Search files for lines that match a regular expression. Options have the same meaning
as in ripgrep (see `folio help ripgrep`); folio also shows the section of each match.

  folio grep TODO docs/          every line that contains TODO
  folio grep -k DECISION .       each match, and where its section ends

With -k, each line of output begins with an address for `folio read`:
  WORK.md:120-144:[LOG-015] - [DECISION] - ...";
    const AFTER_HELP: &'static str = "\
Sections begin at Markdown headings, log entries (^\\[LOG-) and INI section headers;
--section-pattern replaces these. A line in a code block is never a heading.

Examples:
  folio grep -k TODO . | folio read --addresses-from -
  folio grep -W 'max_connections' config/
  folio grep --in Installation --only-code 'sudo' README.md
  folio grep sudo --matching '^Install' docs/
  folio grep --json -k 'error' logs/ | jq .section

Without a path, folio searches standard input if it is a pipe or a file, and otherwise
the current directory.

Exit status: 0 match found, 1 no match, 2 error (with -q, 0 if there was also a match), 3 several sections match the name in --in.";
    const RULES: &'static [Rule] = RULES;

    fn flags(command: Command) -> Command {
        with_silent_flags(command)
    }
}

const RULES: &[Rule] = &[
    excludes("quiet", "stats"),
    excludes("files-without-match", "max-total totals"),
    excludes(
        "section-context",
        "only-matching count-matches context after-context before-context style=blocks null \
         null-data",
    ),
    excludes("section-hints", "no-line-number null-data"),
    excludes("vimgrep column byte-offset trim replace", "style=blocks section-context"),
    excludes("style=blocks", "null-data only-matching count-matches null"),
    excludes("in multiline", "null-data"),
    excludes("passthru", "in outside-code only-code max-count max-total"),
    excludes("null-data passthru", "CONDITIONS public").named(|| "conditions on parts".to_owned()),
    excludes(
        "passthru vimgrep column trim show-whitespace heading pretty max-columns \
         context-separator field-match-separator field-context-separator null type-list",
        JSON,
    ),
];

const USAGE: &str = "\
folio grep [OPTIONS] PATTERN [PATH]...
       folio grep [OPTIONS] -e PATTERN... [PATH]...";

/// `--style`.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StyleArg {
    /// One line per match
    #[default]
    Lines,
    /// One block per match: file, line number, end of the section, then the text
    Blocks,
}

/// The options of `grep`, in the order of the help.
#[derive(Args, Debug, Default)]
#[command(override_usage = USAGE)]
pub struct GrepArgs {
    /// Regular expression to search for (with -e or -f, this is a PATH)
    #[arg(value_name = "PATTERN")]
    pub pattern: Option<OsString>,
    /// Files, addresses or directories; - for standard input
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,

    /// Before each match, print the address of the rest of the section
    #[arg(short = 'k', long, help_heading = "Sections")]
    pub section_hints: bool,
    /// Print each section that contains a match
    #[arg(short = 'W', long, conflicts_with_all = ["count", "count_matches"])]
    #[arg(conflicts_with_all = ["files_with_matches", "files_without_match"])]
    #[arg(help_heading = "Sections")]
    pub section_context: bool,
    /// Output style
    #[arg(long, value_name = "STYLE", value_enum, default_value_t, help_heading = "Sections")]
    pub style: StyleArg,
    /// Pattern for lines that begin a section (instead of headings)
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true, help_heading = "Sections")]
    pub section_pattern: Vec<String>,
    /// Search only in the section with this name
    #[arg(id = "in", long, value_name = "SECTION", allow_hyphen_values = true)]
    #[arg(action = ArgAction::Append, group = ONCE, help_heading = "Sections")]
    pub inside: Option<String>,
    /// Ignore matches in code blocks
    #[arg(long, conflicts_with = "only_code", help_heading = "Sections")]
    pub outside_code: bool,
    /// Ignore matches in HTML comments
    #[arg(long, help_heading = "Sections")]
    pub outside_comments: bool,
    /// Search only in code blocks, including their fences
    #[arg(long, alias = "inside-code", help_heading = "Sections")]
    pub only_code: bool,
    /// Read files in this format, such as markdown, yaml or rust
    #[arg(long = "as", value_name = "FORMAT", value_parser = format_parser(), hide_possible_values = true, help_heading = "Sections")]
    pub as_format: Option<Format>,

    /// Conditions that select parts.
    #[command(flatten)]
    pub conditions: Conditions,

    /// Pattern to search for (repeatable)
    #[arg(short = 'e', long = "regexp", value_name = "PATTERN", allow_hyphen_values = true)]
    #[arg(help_heading = "Patterns")]
    pub regexp: Vec<OsString>,
    /// Read patterns from FILE, one per line (- for standard input)
    #[arg(short = 'f', long = "file", value_name = "FILE", allow_hyphen_values = true)]
    #[arg(value_hint = clap::ValueHint::FilePath, help_heading = "Patterns")]
    pub file: Vec<PathBuf>,
    /// Options for patterns.
    #[command(flatten)]
    pub patterns: PatternArgs,
    /// Print lines that do not match
    #[arg(short = 'v', long, help_heading = "Patterns")]
    pub invert_match: bool,
    /// Allow matches to span lines
    #[arg(short = 'U', long, help_heading = "Patterns")]
    pub multiline: bool,
    /// Let . match line endings
    #[arg(long, help_heading = "Patterns")]
    pub multiline_dotall: bool,
    /// Make classes such as \w match only ASCII characters
    #[arg(long, help_heading = "Patterns")]
    pub no_unicode: bool,
    /// Count the matching lines of each file or, with -o, the matches
    #[arg(short = 'c', long)]
    #[arg(overrides_with_all = ["count_matches", "files_with_matches", "files_without_match"])]
    #[arg(help_heading = "Output")]
    pub count: bool,
    /// Print the number of matches in each file
    #[arg(long, overrides_with_all = ["files_with_matches", "files_without_match"])]
    #[arg(help_heading = "Output")]
    pub count_matches: bool,
    /// With --count and --count-matches, include files without a match
    #[arg(long, help_heading = "Output")]
    pub include_zero: bool,
    /// Print only the names of files with a match
    #[arg(short = 'l', long, overrides_with = "files_without_match", help_heading = "Output")]
    pub files_with_matches: bool,
    /// Print only the names of files without a match
    #[arg(long, help_heading = "Output")]
    pub files_without_match: bool,
    /// Print only the matching text
    #[arg(short = 'o', long, help_heading = "Output")]
    pub only_matching: bool,
    /// Print nothing; exit with 0 if there is a match
    #[arg(short = 'q', long, help_heading = "Output")]
    pub quiet: bool,
    /// Options for output lines.
    #[command(flatten)]
    pub lines: LineArgs,
    /// Print N lines of context after each match
    #[arg(short = 'A', long, value_name = "N", help_heading = "Output")]
    pub after_context: Option<usize>,
    /// Print N lines of context before each match
    #[arg(short = 'B', long, value_name = "N", help_heading = "Output")]
    pub before_context: Option<usize>,
    /// Print N lines of context before and after each match
    #[arg(short = 'C', long, value_name = "N", help_heading = "Output")]
    pub context: Option<usize>,
    /// Stop after N matching lines in each file
    #[arg(short = 'm', long, value_name = "N", help_heading = "Output")]
    pub max_count: Option<u64>,
    /// Stop after N matching lines in total
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub max_total: Option<u64>,
    /// Stop searching a file at the first nonmatching line after a match
    #[arg(long, help_heading = "Output")]
    pub stop_on_nonmatch: bool,
    /// Also count matches beyond --max-count or --max-total
    #[arg(long, help_heading = "Output")]
    pub totals: bool,
    /// Print statistics about the search
    #[arg(long, help_heading = "Output")]
    pub stats: bool,
    /// Print NUL after file names (with -k, after each address and text)
    #[arg(short = '0', long, help_heading = "Output")]
    pub null: bool,

    /// Suppress error messages about files
    #[arg(long, help_heading = "Output")]
    pub no_messages: bool,
    /// Options for selecting files.
    #[command(flatten)]
    pub files: FileArgs,
    /// Accepted for compatibility: directories are always searched recursively
    #[arg(short = 'R', long, help_heading = "Directories")]
    pub recursive: bool,

    /// Treat binary files as text
    #[arg(short = 'a', long, help_heading = "Documents")]
    pub text: bool,
    /// Use NUL as the line terminator
    #[arg(long, help_heading = "Documents")]
    pub null_data: bool,
    /// Encoding of the files: utf-16le, shift_jis, latin1 (windows-1252), …
    #[arg(short = 'E', long, value_name = "LABEL", help_heading = "Documents")]
    pub encoding: Option<String>,
    /// Options that limit output.
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Options for finding files.
    #[command(flatten)]
    pub lookup: LookupArgs,
    /// Options for output.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl GrepArgs {
    /// Returns the patterns on the command line, and the paths.
    ///
    /// # Errors
    ///
    /// Fails if a pattern is not valid UTF-8.
    pub fn patterns_and_paths(&self) -> Result<(Vec<String>, Vec<PathBuf>), Error> {
        let patterns = self.regexp.iter().map(|pattern| utf8(pattern, "a pattern"));
        let mut patterns: Vec<String> = patterns.collect::<Result<_, Error>>()?;
        let mut paths = self.paths.clone();
        let has_pattern_flags = !self.regexp.is_empty() || !self.file.is_empty();
        match &self.pattern {
            Some(first) if has_pattern_flags || self.files.files => paths.insert(0, first.into()),
            Some(pattern) => patterns.push(utf8(pattern, "the pattern")?),
            None => {}
        }
        Ok((patterns, paths))
    }

    /// Applies the options that modify a pattern.
    fn flagged(&self, pattern: String) -> String {
        let flags = match (self.multiline_dotall, self.no_unicode) {
            (true, true) => "s-u",
            (true, false) => "s",
            (false, true) => "-u",
            (false, false) => return pattern,
        };
        if self.patterns.fixed_strings { pattern } else { format!("(?{flags}:{pattern})") }
    }

    /// Returns the options of the search.
    pub fn search(&self, patterns: Vec<String>) -> Result<matching::SearchOptions, Error> {
        let lines = &self.lines;
        Ok(matching::SearchOptions {
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
                // `auto` detects byte order marks, which folio always does.
                encoding: self.encoding.clone().filter(|label| label != "auto"),
                binary: true,
                format: self.as_format,
                as_it_comes: lines.line_buffered,
                ..DocumentOptions::default()
            },
            mode: match () {
                () if self.quiet && self.files_without_match => Mode::QuietWithout,
                () if self.quiet => Mode::Quiet,
                () if self.count || self.count_matches => Mode::Count,
                () if self.files_with_matches => Mode::Files,
                () if self.files_without_match => Mode::FilesWithout,
                () if self.section_context => Mode::Sections,
                () => Mode::Lines,
            },
            context: if lines.passthru {
                Context::default()
            } else {
                Context {
                    before: self.before_context.or(self.context).unwrap_or(0),
                    after: self.after_context.or(self.context).unwrap_or(0),
                }
            },
            max_count: self.max_count,
            max_total: self.max_total,
            totals: self.totals,
            stats: self.stats,
            section_hints: self.section_hints,
            section_patterns: self.section_pattern.clone(),
            inside: self.inside.clone(),
            code: code_filter(self.outside_code, self.only_code),
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
