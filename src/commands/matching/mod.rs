//! Finds matching lines and their sections, for `grep` and `inspect --mode search`.
//!
//! A document is outlined only if it has matches. In a log, only the entries with matches are kept.

pub mod document;
mod line_buffer;
pub mod line_format;
mod pending;
mod places;
mod prefix;
mod printer;
mod whole;
pub mod wire;

pub use line_format::LineFormat;
pub use places::lines_of_part;

use crate::commands::line_matcher::{Extent, LineMatcher};
use crate::commands::output::Style;
use crate::commands::shared_args::{option_error, section_patterns};
use folio_files::document::{DocumentOptions, Passes};
use folio_files::error::{Error, Hint};
use folio_files::options::{MULTILINE, QUERY};
use folio_keys::Syntax;
use folio_outline::document::Document;
use folio_outline::part::CodeFilter;
use folio_text::pattern::{Pattern, PatternOptions};

/// The options of a search: the patterns, the lines to search, and the output.
#[derive(Clone, Debug, Default)]
pub struct SearchOptions {
    /// The patterns. A line matches if any pattern matches.
    pub patterns: Vec<String>,
    /// The options for compiling the patterns.
    pub pattern: PatternOptions,
    /// Whether to select the lines that do not match.
    pub invert: bool,
    /// Whether matches may span lines.
    pub multi_line: bool,
    /// Whether lines end with NUL instead of a line feed.
    pub null_data: bool,
    /// Whether to treat NUL bytes as text.
    pub text: bool,
    /// Whether binary files that were found by a walk are searched in the same way as operands.
    pub binary: bool,
    /// Whether to stop at the first line after a match that does not match.
    pub stop_on_nonmatch: bool,
    /// Whether to print all other lines as context.
    pub passthru: bool,
    /// The options for opening documents.
    pub document: DocumentOptions,
    /// What to print of each document.
    pub mode: Mode,
    /// The number of context lines.
    pub context: Context,
    /// Maximum number of matches per document.
    pub max_count: Option<u64>,
    /// Maximum number of matches in total.
    pub max_total: Option<u64>,
    /// Whether to count the matches after these limits.
    pub totals: bool,
    /// Whether to count individual matches, in addition to matching lines.
    pub stats: bool,
    /// Whether to print where the section of each match ends.
    pub section_hints: bool,
    /// Patterns for lines that begin sections. They replace the sections of the document's format.
    pub section_patterns: Vec<String>,
    /// The name of the section to search. `None` for the whole document.
    pub inside: Option<String>,
    /// Restricts the search to code blocks, or to other lines.
    pub code: Option<CodeFilter>,
    /// Whether to ignore matches in HTML comments.
    pub outside_comments: bool,
    /// The layout of printed matches.
    pub layout: Layout,
    /// Whether to print only the matching text of a line.
    pub only_matching: bool,
    /// Maximum length of a printed line, in bytes.
    pub max_columns: Option<usize>,
    /// The format of output lines.
    pub format: LineFormat,
    /// Whether to print counts of zero.
    pub include_zero: bool,
    /// Whether to print NUL after file names, or after addresses and texts.
    pub null: bool,
    /// Whether to print file names. By default, they are printed if several files may be searched.
    pub names: Option<bool>,
    /// Whether to omit line numbers.
    pub no_numbers: bool,
}

impl SearchOptions {
    /// Whether to print file names. `several` is whether several files may be searched.
    fn has_names(&self, several: bool) -> bool {
        let is_address = self.section_hints && self.mode != Mode::Count;
        self.names.unwrap_or(several || is_address)
    }
}

/// What to print of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Matching lines and their context lines.
    #[default]
    Lines,
    /// The whole section of each match.
    Sections,
    /// The number of matches.
    Count,
    /// The name of the document, if it has matches.
    Files,
    /// The name of the document, if it has no matches.
    FilesWithout,
    /// Nothing. Only the exit status is set, by whether there are matches.
    Quiet,
    /// Nothing. Only the exit status is set, by whether a document has no matches.
    QuietWithout,
}

impl Mode {
    /// Whether the result depends only on whether there is a match.
    pub fn is_yes_or_no(self) -> bool {
        self.is_quiet() || matches!(self, Self::Files | Self::FilesWithout)
    }

    /// Whether nothing is printed.
    pub fn is_quiet(self) -> bool {
        matches!(self, Self::Quiet | Self::QuietWithout)
    }

    /// Whether the results are the documents without matches.
    pub fn is_without(self) -> bool {
        matches!(self, Self::FilesWithout | Self::QuietWithout)
    }

    /// Whether this mode prints matches.
    pub fn lists(self) -> bool {
        matches!(self, Self::Lines | Self::Sections)
    }
}

/// The number of context lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Number of lines before each match.
    pub before: usize,
    /// Number of lines after each match.
    pub after: usize,
}

impl Context {
    /// Returns the larger of the two numbers.
    pub fn most(self) -> u64 {
        self.before.max(self.after) as u64
    }
}

/// The layout of printed matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// One line for each match.
    #[default]
    Lines,
    /// A block of lines for each match.
    Blocks,
    /// One line for each match, beginning with an address. In JSON, one object for each document;
    /// it contains this query.
    Object(String),
    /// Nothing is printed. Matching lines are collected in [`DocumentMatches`].
    Collected,
}

/// A matching line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The number of the first line of the match.
    pub line: u64,
    /// The text without the line ending.
    pub text: Vec<u8>,
}

/// The result of searching a document.
#[derive(Clone, Debug, Default)]
pub struct DocumentMatches {
    /// Number of matching lines within the limit.
    pub hits: u64,
    /// Number of matches in these lines, if counted.
    pub matches: u64,
    /// Number of matching lines after the limit, up to where the search ended.
    pub left_out: u64,
    /// Number of matches in the lines after the limit, if counted.
    pub matches_left_out: u64,
    /// Number of matching lines after the first one, if only the first one affects the result but
    /// all are counted.
    pub further: u64,
    /// Whether all matches are outside the part that is searched.
    pub is_elsewhere: bool,
    /// The NUL byte that makes the document binary.
    pub binary: Option<Binary>,
    /// Number of bytes that were searched.
    pub bytes: u64,
    /// The matching lines, for [`Layout::Collected`].
    pub lines: Vec<Hit>,
}

impl DocumentMatches {
    /// Whether the search stopped because the document is binary.
    pub fn is_passed_over(&self) -> bool {
        self.binary.is_some_and(|binary| binary.stopped)
    }
}

/// The NUL byte that makes a document binary.
#[derive(Clone, Copy, Debug)]
pub struct Binary {
    /// The approximate offset of the first NUL byte.
    pub offset: u64,
    /// Whether the search stopped at this byte, because the document was found by a walk.
    pub stopped: bool,
}

/// The compiled options of a search.
#[derive(Clone, Debug)]
pub struct Query<'a> {
    /// The options.
    pub options: &'a SearchOptions,
    /// The output style.
    pub style: Style,
    /// Whether more than one document may be searched.
    pub several: bool,
    /// Whether to count the matches after a limit.
    pub counts_on: bool,
    matcher: LineMatcher,
    /// Whether a match may span several lines.
    multi_line: bool,
    sections: SectionQuery,
    /// Whether to find out if there are matches after the limit.
    looks_on: bool,
    needs_numbers: bool,
    /// Whether the position of the first match of each line is needed.
    needs_positions: bool,
    /// Whether individual matches are counted.
    needs_matches: bool,
    names: bool,
    /// Whether matches are printed as addresses and texts that each end with NUL.
    null_pairs: bool,
    /// Whether file names are printed above their matches.
    pub has_headings: bool,
}

/// Determines how sections affect a search.
#[derive(Clone, Debug, Default)]
struct SectionQuery {
    /// Whether to print the section of each match.
    hints: bool,
    /// Whether the names of headings and sections are printed.
    names: bool,
    /// Whether the sections of matches are named in files, but not in source code, which would have
    /// to be parsed, and not in streams, which would have to be read to their end first.
    names_in_files: bool,
    inside: Option<String>,
    code: Option<CodeFilter>,
    outside_comments: bool,
    /// Whether to print the path of each match's section, and to mark matches in code, comments and
    /// front matter.
    breadcrumbs: bool,
    starts: Vec<Pattern>,
}

impl SectionQuery {
    /// Whether only some parts of a document are searched.
    fn filters(&self) -> bool {
        self.inside.is_some() || self.code.is_some() || self.outside_comments
    }

    /// Returns the syntax of a document whose key paths are needed. Larger documents than 64 MiB
    /// are not parsed.
    fn keys_of(&self, document: &Document) -> Option<Syntax> {
        const MAX_SIZE: u64 = 64 * 1024 * 1024;
        let is_needed = self.breadcrumbs || self.inside.is_some();
        let is_small = document.size().is_none_or(|size| size <= MAX_SIZE);
        let format = document.format();
        let syntax = format.syntax().filter(|_| is_needed && is_small && format.is_tree())?;
        (!syntax.is_flat()).then_some(syntax)
    }
}

/// Whether line numbers are printed or looked up.
fn needs_numbers(options: &SearchOptions, style: Style, sections: &SectionQuery) -> bool {
    !options.no_numbers
        || style.json
        || style.hyperlinks.is_some()
        || sections.filters()
        || options.mode == Mode::Sections
        || options.context != Context::default()
}

/// Compiles the patterns.
fn matcher(options: &SearchOptions) -> Result<LineMatcher, Error> {
    let extent = match (options.multi_line, options.null_data) {
        (true, _) => Extent::Lines,
        (false, true) => Extent::Record,
        _ => Extent::Line,
    };
    let sources: Vec<&str> = options.patterns.iter().map(String::as_str).collect();
    LineMatcher::new(&sources, options.pattern, extent).map_err(|error| {
        let over_lines = || LineMatcher::new(&sources, options.pattern, Extent::Lines);
        match extent {
            _ if matches!(options.layout, Layout::Object(_)) => option_error(QUERY, error),
            Extent::Line if over_lines().is_ok() => {
                error.hint(Hint::with_switch(MULTILINE).why("to match across lines"))
            }
            _ => error,
        }
    })
}

impl<'a> Query<'a> {
    /// Compiles the patterns.
    pub fn new(options: &'a SearchOptions, style: Style, several: bool) -> Result<Self, Error> {
        let mode = options.mode;
        let is_object = matches!(options.layout, Layout::Object(_));
        let has_hints = options.section_hints || options.layout == Layout::Blocks;
        let is_named = options.inside.is_some();
        let shows_path = options.format.breadcrumbs || style.grouped && options.section_hints;
        let breadcrumbs = shows_path && mode == Mode::Lines;
        let is_placed = has_hints || is_object || mode == Mode::Sections || is_named || breadcrumbs;
        let names_sections = style.json && mode.lists() && is_placed;
        let sections = SectionQuery {
            names: names_sections || breadcrumbs,
            names_in_files: style.json && mode.lists() && !is_object,
            hints: mode.lists() && has_hints || names_sections && !is_object,
            inside: options.inside.clone(),
            code: options.code,
            outside_comments: options.outside_comments,
            breadcrumbs,
            starts: section_patterns(&options.section_patterns)?,
        };
        let matcher = matcher(options)?;
        let multi_line = matcher.spans_lines();
        let names = options.has_names(several);
        let null_pairs = options.null && (sections.hints || is_object);
        let may_head = names && options.layout == Layout::Lines;
        Ok(Self {
            matcher,
            multi_line,
            counts_on: options.totals && !(mode.is_without() || mode.is_quiet()),
            looks_on: style.json && !mode.is_yes_or_no() || options.max_total.is_some(),
            needs_numbers: needs_numbers(options, style, &sections),
            needs_positions: style.json && mode.lists(),
            needs_matches: options.stats
                || options.format.by_match
                || (options.only_matching && (style.json || style.grouped || mode == Mode::Count))
                || (multi_line && mode == Mode::Count),
            names: is_object || names,
            null_pairs,
            has_headings: match options.format.heading {
                _ if style.grouped => mode == Mode::Lines && (is_object || may_head),
                Some(heading) => heading && may_head && !style.json && !null_pairs,
                None => style.terminal && may_head && !options.null,
            },
            sections,
            options,
            style,
            several,
        })
    }

    fn prints_nul(&self) -> bool {
        self.options.text || self.options.null_data
    }

    /// Whether an outline is needed to print matches, even those in a stream.
    fn always_needs_outline(&self) -> bool {
        self.sections.hints || self.sections.names || self.options.mode == Mode::Sections
    }

    /// Whether an outline is needed to print matches in a document.
    fn needs_outline(&self, document: &Document) -> bool {
        let is_cheap = document.size().is_some() && !document.format().is_code();
        self.always_needs_outline() || self.sections.names_in_files && is_cheap
    }

    /// Returns the separator between the lines of two files.
    pub fn between_files(&self) -> &[u8] {
        let options = self.options;
        let has_context = options.context.most() > 0 && options.layout != Layout::Blocks;
        match has_context && !options.null {
            _ if self.style.grouped => b"",
            _ if self.has_headings => b"\n",
            true => options.format.gap(),
            false => b"",
        }
    }

    /// Whether to print or count individual matches instead of lines.
    pub fn is_by_match(&self) -> bool {
        let is_printed = match self.options.mode {
            Mode::Lines => self.options.only_matching,
            Mode::Count => self.options.only_matching || self.multi_line,
            _ => false,
        };
        is_printed && !self.options.invert
    }

    /// Returns all matches in a matching line.
    fn all_matches(&self, text: &[u8]) -> Vec<std::ops::Range<usize>> {
        let mut found = Vec::new();
        self.matcher.find_all(text, |range| {
            found.push(range);
            true
        });
        found
    }

    /// Returns the options for opening a document. `is_part` is whether only some of its lines are
    /// searched.
    pub fn load(&self, is_part: bool) -> DocumentOptions {
        let is_outlined = self.always_needs_outline() || self.sections.filters() || is_part;
        let passes = if is_outlined { Passes::Several } else { Passes::One };
        DocumentOptions { passes, ..self.options.document.clone() }
    }
}
