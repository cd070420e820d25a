//! Finds lines that match, with their sections, for `grep` and `inspect --mode search`.
//!
//! A document is outlined only if it has matches, and no further than to the end of the last
//! match's section.

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
use crate::commands::shared_args::{flag_error, section_patterns};
use crate::error::{Error, Hint};
use crate::files::address::Part;
use crate::files::document::DocumentOptions;
use crate::text::format::Format;
use crate::text::pattern::{Pattern, PatternOptions};

/// What to search for, and what to print.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The patterns; a line matches if any of them does.
    pub patterns: Vec<String>,
    /// How the patterns are interpreted.
    pub pattern: PatternOptions,
    /// Whether lines that do not match are selected.
    pub invert: bool,
    /// Whether matches may span lines.
    pub multi_line: bool,
    /// Whether NUL ends lines.
    pub null_data: bool,
    /// Whether NUL bytes are text.
    pub text: bool,
    /// Whether binary files found by a walk are searched like those that are operands.
    pub binary: bool,
    /// Whether to stop at the first line after a match that does not match.
    pub stop_on_nonmatch: bool,
    /// Whether all other lines are printed as context.
    pub passthru: bool,
    /// How documents are opened.
    pub document: DocumentOptions,
    /// What to print.
    pub mode: Mode,
    /// The number of context lines.
    pub context: Context,
    /// Maximum number of matches per document.
    pub max_count: Option<u64>,
    /// Maximum number of matches in total.
    pub max_total: Option<u64>,
    /// Whether matches beyond these limits are counted.
    pub totals: bool,
    /// Whether individual matches are counted.
    pub stats: bool,
    /// Whether the end of the section is printed with each match.
    pub section_hints: bool,
    /// Patterns that define the sections, instead of the document's format.
    pub section_patterns: Vec<String>,
    /// The part of the document to search.
    pub inside: Option<Inside>,
    /// Whether to search only code blocks, or only other lines.
    pub code: Option<CodeFilter>,
    /// Whether matches in HTML comments are ignored.
    pub outside_comments: bool,
    /// How matches are printed.
    pub layout: Layout,
    /// Whether only the matches of a line are printed.
    pub only_matching: bool,
    /// Maximum length of a printed line, in bytes.
    pub max_columns: Option<usize>,
    /// How lines are printed.
    pub format: LineFormat,
    /// Whether counts of zero are printed.
    pub include_zero: bool,
    /// Whether NUL ends file names, or addresses and texts.
    pub null: bool,
    /// Whether file names are printed; by default if several files may be searched.
    pub names: Option<bool>,
    /// Whether line numbers are omitted.
    pub no_numbers: bool,
}

impl Options {
    /// Whether file names are printed; `several` is whether several files may be searched.
    fn has_names(&self, several: bool) -> bool {
        let is_address = self.section_hints && self.mode != Mode::Count;
        self.names.unwrap_or(several || is_address)
    }
}

/// What to print of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Matching lines, with context lines.
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
    /// Nothing; only the exit status is set.
    Quiet,
}

impl Mode {
    /// Whether the first match of a document suffices.
    pub fn is_yes_or_no(self) -> bool {
        matches!(self, Self::Files | Self::FilesWithout | Self::Quiet)
    }

    /// Whether matches are printed.
    pub fn lists(self) -> bool {
        matches!(self, Self::Lines | Self::Sections)
    }
}

/// The number of context lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Lines before each match.
    pub before: usize,
    /// Lines after each match.
    pub after: usize,
}

impl Context {
    /// The larger of both.
    pub fn most(self) -> u64 {
        self.before.max(self.after) as u64
    }
}

/// A part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inside {
    /// The section with this name.
    Section(String),
    /// The part of an address.
    Part(Part),
}

/// Which lines to search, by whether they are code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeFilter {
    /// Lines outside code blocks and their fences.
    Outside,
    /// Lines of code blocks and their fences.
    Only,
}

/// How matches are printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// One line per match.
    #[default]
    Lines,
    /// A block of lines per match.
    Blocks,
    /// One line per match, beginning with an address; in JSON one object per document, which
    /// contains this query.
    Object(String),
    /// Nothing is printed: matching lines are collected in [`Found`].
    Collected,
}

/// A matching line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The number of its first line.
    pub line: u64,
    /// Its text without the line ending.
    pub text: Vec<u8>,
}

/// The result of searching a document.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The number of matching lines within the limit.
    pub hits: u64,
    /// The number of matches in them, if counted.
    pub matches: u64,
    /// The number of matching lines beyond the limit, as far as they were searched for.
    pub left_out: u64,
    /// The number of matches in these, if counted.
    pub matches_left_out: u64,
    /// The number of matching lines after the first one, if that suffices and all are counted.
    pub further: u64,
    /// Whether it has matches, but only outside the part that is searched.
    pub is_elsewhere: bool,
    /// The NUL byte that makes it binary.
    pub binary: Option<Binary>,
    /// The number of bytes searched.
    pub bytes: u64,
    /// The matching lines, with [`Layout::Collected`].
    pub lines: Vec<Hit>,
}

impl Found {
    /// Whether the search stopped because the document is binary.
    pub fn is_passed_over(&self) -> bool {
        self.binary.is_some_and(|binary| binary.stopped)
    }
}

/// A NUL byte in a document.
#[derive(Clone, Copy, Debug)]
pub struct Binary {
    /// The approximate offset of the first one.
    pub offset: u64,
    /// Whether the search stopped there, because the document was found by a walk.
    pub stopped: bool,
}

/// Compiled options.
#[derive(Clone, Debug)]
pub struct Query<'a> {
    /// The options.
    pub options: &'a Options,
    /// The output style.
    pub style: Style,
    /// Whether more than one document may be searched.
    pub several: bool,
    /// Whether matches beyond a limit are counted.
    pub counts_on: bool,
    matcher: LineMatcher,
    sections: SectionQuery,
    /// Whether to find out if there are matches beyond the limit.
    looks_on: bool,
    needs_numbers: bool,
    /// Whether the position of the first match of each line is needed.
    needs_positions: bool,
    /// Whether individual matches are counted.
    needs_matches: bool,
    names: bool,
    /// Whether matches are printed as addresses and texts that end with NUL.
    null_pairs: bool,
    /// Whether file names are printed above their matches.
    has_headings: bool,
}

/// How sections affect a search.
#[derive(Clone, Debug, Default)]
struct SectionQuery {
    /// Whether the section of each match is printed.
    hints: bool,
    /// Whether headings and the names of sections are printed.
    names: bool,
    inside: Option<Inside>,
    code: Option<CodeFilter>,
    outside_comments: bool,
    starts: Vec<Pattern>,
}

impl SectionQuery {
    /// Whether only some parts of a document are searched.
    fn filters(&self) -> bool {
        self.inside.is_some() || self.code.is_some() || self.outside_comments
    }
}

/// Whether line numbers are printed or looked up.
fn needs_numbers(options: &Options, style: Style, sections: &SectionQuery) -> bool {
    !options.no_numbers
        || style.json
        || style.hyperlinks.is_some()
        || sections.filters()
        || options.mode == Mode::Sections
        || options.context != Context::default()
}

impl<'a> Query<'a> {
    /// Compiles the patterns.
    pub fn new(options: &'a Options, style: Style, several: bool) -> Result<Self, Error> {
        let extent = match (options.multi_line, options.null_data) {
            (true, _) => Extent::Lines,
            (false, true) => Extent::Record,
            (false, false) => Extent::Line,
        };
        let sources: Vec<&str> = options.patterns.iter().map(String::as_str).collect();
        let mode = options.mode;
        let is_object = matches!(options.layout, Layout::Object(_));
        let has_hints = options.section_hints || options.layout == Layout::Blocks;
        let is_named = matches!(options.inside, Some(Inside::Section(_)));
        let breadcrumbs = options.format.breadcrumbs && mode == Mode::Lines;
        let is_placed = has_hints || is_object || mode == Mode::Sections || is_named || breadcrumbs;
        let names_sections = style.json && mode.lists() && is_placed;
        let sections = SectionQuery {
            names: names_sections || breadcrumbs,
            hints: mode.lists() && has_hints || names_sections && !is_object,
            inside: options.inside.clone(),
            code: options.code,
            outside_comments: options.outside_comments,
            starts: section_patterns(&options.section_patterns)?,
        };
        let names = options.has_names(several);
        let may_head = names && options.layout == Layout::Lines;
        Ok(Self {
            matcher: LineMatcher::new(&sources, options.pattern, extent).map_err(|error| {
                let is_over_lines = || LineMatcher::new(&sources, options.pattern, Extent::Lines);
                match is_object {
                    true => flag_error("--query", error),
                    false if extent == Extent::Line && is_over_lines().is_ok() => {
                        error.hint(Hint::flag(["-U"]).why("to match over lines"))
                    }
                    false => error,
                }
            })?,
            counts_on: options.totals && !matches!(mode, Mode::FilesWithout | Mode::Quiet),
            looks_on: style.json && !mode.is_yes_or_no() || options.max_total.is_some(),
            needs_numbers: needs_numbers(options, style, &sections),
            needs_positions: style.json && mode.lists(),
            needs_matches: options.stats
                || options.format.by_match
                || (options.only_matching && (style.json || mode == Mode::Count))
                || (options.multi_line && mode == Mode::Count),
            names: is_object || names,
            null_pairs: options.null && (sections.hints || is_object),
            has_headings: match options.format.heading {
                Some(heading) => heading && may_head && !style.json,
                None => style.terminal && may_head && !options.null,
            },
            sections,
            options,
            style,
            several,
        })
    }

    /// Limits the search to a part of a document.
    pub fn within(&self, part: &Part) -> Self {
        let inside = (*part != Part::Whole).then(|| Inside::Part(part.clone()));
        Self { sections: SectionQuery { inside, ..self.sections.clone() }, ..self.clone() }
    }

    fn prints_nul(&self) -> bool {
        self.options.text || self.options.null_data
    }

    /// Whether printing matches needs an outline.
    fn needs_outline(&self) -> bool {
        self.sections.hints || self.sections.names || self.options.mode == Mode::Sections
    }

    /// The number of lines around a line that printing it needs. JSON has context lines within its
    /// matches, and context lines of matches that do not count are not printed.
    fn reach(&self) -> u64 {
        let needs_others = self.style.json || self.sections.filters();
        if needs_others { self.options.context.most() } else { 0 }
    }

    /// The separator between the lines of two files.
    pub fn between_files(&self) -> &[u8] {
        let options = self.options;
        let has_context = options.context.most() > 0 && options.layout != Layout::Blocks;
        match has_context && !options.null {
            _ if self.has_headings => b"\n",
            true => options.format.gap(),
            false => b"",
        }
    }

    /// Whether individual matches are printed or counted, instead of lines.
    pub fn is_by_match(&self) -> bool {
        let is_printed = match self.options.mode {
            Mode::Lines => self.options.only_matching,
            Mode::Count => self.options.only_matching || self.options.multi_line,
            _ => false,
        };
        is_printed && !self.options.invert
    }

    /// All matches in a matching line.
    fn all_matches(&self, text: &[u8]) -> Vec<std::ops::Range<usize>> {
        let mut found = Vec::new();
        self.matcher.find_all(text, |range| {
            found.push(range);
            true
        });
        found
    }

    /// How documents are opened: their format is detected only when it is needed.
    pub fn load(&self) -> DocumentOptions {
        let format = Some(self.options.document.format.unwrap_or(Format::Text));
        DocumentOptions { format, ..self.options.document.clone() }
    }
}
