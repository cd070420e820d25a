//! Options that several commands share.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::os::unix::ffi::OsStrExt;

use clap::builder::{PossibleValue, PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::{Args, ValueEnum};

use folio_files::document::DocumentOptions;
use folio_files::error::{Change, Error, Hint, LITERALLY, Opt};
use folio_files::options::{
    CASE_SENSITIVE, FIXED_STRINGS, IGNORE_CASE, LINE_REGEXP, PATTERN, QUERY, REGEX, REMAP, ROOT,
    SECTION_PATTERN, SMART_CASE, TEXT, WORD_REGEXP,
};
use folio_outline::format::Format;
use folio_outline::part::CodeFilter;
use folio_text::pattern::{Case, Pattern, PatternOptions};

/// The group of options that must not be given several times. No value of them may be ignored, and
/// only one can apply, such as the content of an edit. The group contains options with the action
/// `ArgAction::Append`, so that the parser keeps all values. An option that selects a part is not
/// one of them, because each of its values selects a part. For a setting, the last value applies.
pub const ONCE: &str = "once";

/// Returns the error for a value that is not one of the values of an option. If there are many, they
/// are a hint.
pub fn invalid_choice(option: &str, value: &str, choices: &[String]) -> Error {
    const MOST_IN_MESSAGE: usize = 10;
    if choices.len() > MOST_IN_MESSAGE {
        return one_of(Error::usage(format!("{option}: '{value}' is not a valid value")), choices);
    }
    Error::usage(format!("{option}: '{value}' is not one of {}", choices.join(", ")))
}

/// Adds all possible values to an error.
pub fn one_of(error: Error, choices: &[String]) -> Error {
    match choices {
        [] => error,
        choices => error.hint(format!("it is one of {}", choices.join(", "))),
    }
}

/// Options for output that every command has.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    #[arg(overrides_with = "json")]
    pub format: OutputFormat,
    /// Short for --format json
    #[arg(long, overrides_with = "format")]
    pub json: bool,
    /// When to color text
    #[arg(long, alias = "colour", value_name = "WHEN", value_enum, default_value_t)]
    pub color: ColorChoice,
}

/// Options for terminal hyperlinks.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Output")]
pub struct HyperlinkArgs {
    /// Format of hyperlinks: none, file, vscode, … or a URL with {path}
    #[arg(long, value_name = "FORMAT")]
    pub hyperlink_format: Option<String>,
}

/// `--format`.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputFormat {
    /// Text for people and pipes
    #[default]
    Text,
    /// JSON Lines
    Json,
}

/// `--color`.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Options for confinement.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Roots")]
pub struct RootArgs {
    /// Allow access only below DIR, written as NAME in addresses (repeatable)
    #[arg(long, value_name = "[NAME=]DIR", value_hint = clap::ValueHint::DirPath)]
    pub root: Vec<OsString>,
}

/// Options for finding a missing file.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Roots")]
pub struct ResolveArgs {
    /// If a file is missing, find one of that name below the current directory
    #[arg(long)]
    pub resolve: bool,
}

/// Options for finding files.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Roots")]
pub struct LookupArgs {
    /// Options for confinement.
    #[command(flatten)]
    pub roots: RootArgs,
    /// Ignore folio.toml and the user configuration (folio help config)
    #[arg(long)]
    pub no_config: bool,
    /// Options for finding a missing file.
    #[command(flatten)]
    pub missing: ResolveArgs,
}

/// Parses a number of 1 or more.
pub fn positive() -> RangedU64ValueParser {
    clap::value_parser!(u64).range(1..)
}

/// Parses a number of search results. Searches rank at least 100 sections.
#[cfg(feature = "search")]
pub fn number_of_results() -> RangedU64ValueParser {
    clap::value_parser!(u64).range(1..=100)
}

/// Options that limit output. Their identifiers differ from their names, because some commands have
/// other options with these names.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Output")]
pub struct BudgetArgs {
    /// Stop after N tokens (4 bytes each), and print how to continue
    #[arg(id = "answer_tokens", long = "max-tokens", value_name = "N", value_parser = positive())]
    pub max_tokens: Option<u64>,
    /// Skip the first N lines of output
    #[arg(id = "answer_offset", long = "offset", value_name = "N")]
    pub offset: Option<u64>,
}

/// Returns the option `--root` as arguments.
pub fn root_flag(root: &OsStr) -> Vec<OsString> {
    if !root.as_bytes().starts_with(b"-") {
        return vec![ROOT.0.into(), root.to_owned()];
    }
    let mut flag = OsString::from("--root=");
    flag.push(root);
    vec![flag]
}

/// Options for reading documents.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Documents")]
pub struct DocumentArgs {
    /// Read files in this format, such as markdown, yaml or rust
    #[arg(long = "as", value_name = "FORMAT", value_parser = format_parser(), hide_possible_values = true)]
    pub as_format: Option<Format>,
    /// Encoding of the files: utf-16le, shift_jis, latin1 (windows-1252), …
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    pub encoding: Option<String>,
    /// Treat binary files as text
    #[arg(short = 'a', long)]
    pub binary: bool,
}

/// Returns the parser of the values of `--as`.
pub fn format_parser() -> impl TypedValueParser<Value = Format> {
    let value = |format: &Format| PossibleValue::new(format.name()).help(format.help());
    PossibleValuesParser::new(Format::ALL.iter().map(value))
        .try_map(|name| Format::named(&name).ok_or("unknown format"))
}

impl DocumentArgs {
    /// Converts the arguments to options.
    pub fn options(&self) -> DocumentOptions {
        DocumentOptions {
            encoding: self.encoding.clone(),
            binary: self.binary,
            format: self.as_format,
            ..DocumentOptions::default()
        }
    }
}

/// Options for patterns.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Patterns")]
pub struct PatternArgs {
    /// Treat the pattern as literal text
    #[arg(short = 'F', long)]
    pub fixed_strings: bool,
    /// Match case-insensitively
    #[arg(short = 'i', long, overrides_with_all = ["case_sensitive", "smart_case"])]
    pub ignore_case: bool,
    /// Match case-sensitively (the default)
    #[arg(short = 's', long, overrides_with_all = ["ignore_case", "smart_case"])]
    pub case_sensitive: bool,
    /// Match case-insensitively unless the pattern contains an uppercase letter
    #[arg(short = 'S', long, overrides_with_all = ["ignore_case", "case_sensitive"])]
    pub smart_case: bool,
    /// Match only whole words
    #[arg(short = 'w', long, overrides_with = "line_regexp")]
    pub word_regexp: bool,
    /// Match only whole lines
    #[arg(short = 'x', long)]
    pub line_regexp: bool,
}

impl PatternArgs {
    /// Converts the arguments to options.
    pub fn options(&self) -> PatternOptions {
        let case = if self.ignore_case {
            Case::Insensitive
        } else if self.smart_case {
            Case::Smart
        } else {
            Case::Sensitive
        };
        PatternOptions {
            fixed: self.fixed_strings,
            case,
            word: self.word_regexp,
            line: self.line_regexp,
        }
    }

    /// Returns the first of these options that is given. If there are conditions on parts, ignores
    /// the options for case, because the conditions use them.
    pub fn given_option(&self, selects: bool) -> Option<Opt> {
        [
            (self.fixed_strings, FIXED_STRINGS),
            (self.ignore_case && !selects, IGNORE_CASE),
            (self.case_sensitive && !selects, CASE_SENSITIVE),
            (self.smart_case && !selects, SMART_CASE),
            (self.word_regexp, WORD_REGEXP),
            (self.line_regexp, LINE_REGEXP),
        ]
        .into_iter()
        .find_map(|(is_set, name)| is_set.then_some(name))
    }
}

/// Compiles the patterns of `--section-pattern`.
pub fn section_patterns(sources: &[String]) -> Result<Vec<Pattern>, Error> {
    sources
        .iter()
        .map(|source| {
            Pattern::new(source, PatternOptions::default())
                .map_err(|error| option_error(SECTION_PATTERN, error))
        })
        .collect()
}

/// Whether an option also applies to the rest of a part. Takes the option, with or without dashes,
/// and its help heading.
pub fn is_kept_to_go_on(option: &str, heading: &str) -> bool {
    let name = option.trim_start_matches('-').replace('_', "-");
    ["Printing", "Documents", "Roots", "Output"].contains(&heading) || name == "section-pattern"
}

/// Returns the error for two options that exclude each other.
pub fn contradiction(first: impl Display, second: impl Display) -> Error {
    Error::usage(format!("{first} cannot be used with {second}"))
}

/// Adds the option whose value caused an error to the beginning of the message. The hint for a
/// literal search is that of this option.
pub fn option_error(option: Opt, error: impl Into<Error>) -> Error {
    let mut error = error.into().after(format!("{option}: "));
    // The option does not apply to the patterns of `links`.
    error.hints.retain(|hint| option != REMAP || hint.reason() != LITERALLY);
    for hint in error.hints.iter_mut().filter(|hint| hint.reason() == LITERALLY) {
        match option {
            PATTERN => *hint = Hint::again([Change::Rename(PATTERN, TEXT)]).why(LITERALLY),
            QUERY => *hint = Hint::again([Change::remove(REGEX)]).why(LITERALLY),
            SECTION_PATTERN => *hint = Hint::with_value(option, r"\[").why("to match a ["),
            _ => {}
        }
    }
    error
}

/// Returns the filter for the options `--outside-code` and `--only-code`.
pub fn code_filter(outside_code: bool, only_code: bool) -> Option<CodeFilter> {
    match (outside_code, only_code) {
        (true, _) => Some(CodeFilter::Outside),
        (_, true) => Some(CodeFilter::Only),
        (false, false) => None,
    }
}

/// Returns the error for an option whose value is empty.
pub fn empty_flag(flag: impl Display) -> Error {
    Error::usage(format!("{flag} is empty"))
}
