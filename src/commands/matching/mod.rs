//! The search of `grep` and of `inspect --mode search`: lines that match, with
//! the sections they are in.
//!
//! Search comes first; only documents with hits are outlined, and never further
//! than the end of the last hit's section.

pub mod document;
mod line_buffer;
pub mod line_format;
mod places;
mod printer;
mod resync;
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

/// What to look for in documents, and what to print of it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Patterns of which any may match.
    pub patterns: Vec<String>,
    /// How they are meant.
    pub pattern: PatternOptions,
    /// Lines that do not match are the hits.
    pub invert: bool,
    /// Matches may span lines.
    pub multi_line: bool,
    /// NUL ends lines.
    pub null_data: bool,
    /// NUL bytes are text.
    pub text: bool,
    /// Binary files that a walk found are searched as those that are named.
    pub binary: bool,
    /// A document is left where a line is after a hit that is none.
    pub stop_on_nonmatch: bool,
    /// Lines that are no hits are printed too, as context.
    pub passthru: bool,
    /// How documents are taken.
    pub document: DocumentOptions,
    /// What is printed.
    pub mode: Mode,
    /// Lines before and after each hit.
    pub context: Context,
    /// Hits of each document, at most.
    pub max_count: Option<u64>,
    /// Hits of all documents, at most.
    pub max_total: Option<u64>,
    /// Hits that these limits leave out are counted.
    pub totals: bool,
    /// Matches are counted.
    pub stats: bool,
    /// Hits are printed with the ends of their sections.
    pub section_hints: bool,
    /// The only section starts, in place of the usual ones.
    pub section_patterns: Vec<String>,
    /// Only hits in a part of the document.
    pub inside: Option<Inside>,
    /// Only hits in code, or only those outside.
    pub code: Option<CodeFilter>,
    /// Only hits outside of HTML comments.
    pub outside_comments: bool,
    /// What hits look like.
    pub layout: Layout,
    /// Only what matches is printed of a line.
    pub only_matching: bool,
    /// Longer lines are left out, in bytes.
    pub max_columns: Option<usize>,
    /// What stands around and in place of the text of lines.
    pub format: LineFormat,
    /// Documents without hits are counted too.
    pub include_zero: bool,
    /// A NUL ends names, or addresses and texts.
    pub null: bool,
    /// Whether names of files are printed; where several may be unless it is said.
    pub names: Option<bool>,
    /// Line numbers are left out.
    pub no_numbers: bool,
}

impl Options {
    /// Whether names of files are printed, where several files may be searched or not.
    fn has_names(&self, several: bool) -> bool {
        let is_address = self.section_hints && self.mode != Mode::Count;
        self.names.unwrap_or(several || is_address)
    }
}

/// What is printed of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Hits, with the lines around them.
    #[default]
    Lines,
    /// The whole section of each hit.
    Sections,
    /// How many hits there are.
    Count,
    /// Whether there are any; the document's name.
    Files,
    /// Whether there are none; the document's name.
    FilesWithout,
    /// Nothing; the exit status says it.
    Quiet,
}

impl Mode {
    /// Whether the first hit of a document says all.
    pub fn is_yes_or_no(self) -> bool {
        matches!(self, Self::Files | Self::FilesWithout | Self::Quiet)
    }

    /// Whether hits are printed.
    pub fn lists(self) -> bool {
        matches!(self, Self::Lines | Self::Sections)
    }
}

/// Lines around a hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Before it.
    pub before: usize,
    /// After it.
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
    /// The section of this name.
    Section(String),
    /// What an address names.
    Part(Part),
}

/// Where hits may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeFilter {
    /// Not in a code block or on its fences.
    Outside,
    /// Only there.
    Only,
}

/// What hits look like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// A hit a line.
    #[default]
    Lines,
    /// A hit a block of lines.
    Blocks,
    /// A hit a line that begins with an address; in JSON one object a document,
    /// which says what was looked for.
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

/// What a document came to.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Hits that are printed.
    pub hits: u64,
    /// Matches in them, where they are counted.
    pub matches: u64,
    /// Hits that a limit left out, as far as they were looked for.
    pub left_out: u64,
    /// Matches in these, where they are counted.
    pub matches_left_out: u64,
    /// Hits after the one that says all, where all are counted.
    pub further: u64,
    /// Whether it has hits, but none where they are wanted.
    pub is_elsewhere: bool,
    /// Where a NUL byte was found, and whether the search ended there.
    pub binary: Option<Binary>,
    /// Bytes that were searched.
    pub bytes: u64,
    /// The matching lines, with [`Layout::Collected`].
    pub lines: Vec<Hit>,
}

impl Found {
    /// Whether the document was passed over as binary.
    pub fn is_passed_over(&self) -> bool {
        self.binary.is_some_and(|binary| binary.stopped)
    }
}

/// A document that is not text.
#[derive(Clone, Copy, Debug)]
pub struct Binary {
    /// Where its first NUL byte was found.
    pub offset: u64,
    /// Whether the search ended there: nobody named the document.
    pub stopped: bool,
}

/// Options that are ready to search with.
#[derive(Clone, Debug)]
pub struct Query<'a> {
    /// What was asked for.
    pub options: &'a Options,
    /// How it is to look.
    pub style: Style,
    /// Whether more than one document may be searched.
    pub several: bool,
    /// Whether hits that a limit leaves out are counted.
    pub counts_on: bool,
    matcher: LineMatcher,
    sections: SectionQuery,
    /// Whether it must be known that hits were left out.
    looks_on: bool,
    needs_numbers: bool,
    /// Whether it must be known where the first match of each hit stands.
    needs_positions: bool,
    /// Whether matches are counted.
    needs_matches: bool,
    names: bool,
    /// Whether hits are addresses and texts that NULs end.
    null_pairs: bool,
    /// Whether hits are under the name of their file.
    has_headings: bool,
}

/// What sections have to do with a search.
#[derive(Clone, Debug, Default)]
struct SectionQuery {
    /// The section of each hit is printed.
    hints: bool,
    /// The headings above hits and the names of sections are printed.
    names: bool,
    inside: Option<Inside>,
    code: Option<CodeFilter>,
    outside_comments: bool,
    starts: Vec<Pattern>,
}

impl SectionQuery {
    /// Whether a hit may be left out for where it stands.
    fn filters(&self) -> bool {
        self.inside.is_some() || self.code.is_some() || self.outside_comments
    }
}

/// Whether lines are counted, because their numbers are printed or looked up.
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
                Some(asked) => asked && may_head && !style.json,
                None => style.terminal && may_head && !options.null,
            },
            sections,
            options,
            style,
            several,
        })
    }

    /// The same search in a part of a document.
    pub fn within(&self, part: &Part) -> Self {
        let inside = (*part != Part::Whole).then(|| Inside::Part(part.clone()));
        Self { sections: SectionQuery { inside, ..self.sections.clone() }, ..self.clone() }
    }

    fn prints_nul(&self) -> bool {
        self.options.text || self.options.null_data
    }

    /// Whether hits are printed with what only an outline knows.
    fn needs_outline(&self) -> bool {
        self.sections.hints || self.sections.names || self.options.mode == Mode::Sections
    }

    /// How far from a line another may stand that must be known to print it: JSON has
    /// context within its hits, and context of hits that are left out is left out too.
    fn reach(&self) -> u64 {
        let needs_others = self.style.json || self.sections.filters();
        if needs_others { self.options.context.most() } else { 0 }
    }

    /// What is between the lines of two files.
    pub fn between_files(&self) -> &[u8] {
        let options = self.options;
        let has_context = options.context.most() > 0 && options.layout != Layout::Blocks;
        match has_context && !options.null {
            _ if self.has_headings => b"\n",
            true => options.format.gap(),
            false => b"",
        }
    }

    /// Whether matches are printed one by one, or counted, and not the lines
    /// they are in.
    pub fn is_by_match(&self) -> bool {
        let is_printed = match self.options.mode {
            Mode::Lines => self.options.only_matching,
            Mode::Count => self.options.only_matching || self.options.multi_line,
            _ => false,
        };
        is_printed && !self.options.invert
    }

    /// All matches in a hit.
    fn all_matches(&self, text: &[u8]) -> Vec<std::ops::Range<usize>> {
        let mut found = Vec::new();
        self.matcher.find_all(text, |range| {
            found.push(range);
            true
        });
        found
    }

    /// How documents are opened: their format is judged when it matters.
    pub fn load(&self) -> DocumentOptions {
        let format = Some(self.options.document.format.unwrap_or(Format::Text));
        DocumentOptions { format, ..self.options.document.clone() }
    }
}
