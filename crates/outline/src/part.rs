//! The parts of documents that can be read and edited by name. This module declares what a part is.
//! It does not search for one, and does not know how options or JSON spell it.

use folio_text::pattern::PatternOptions;
use folio_text::span::LineRange;

/// A part of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// The whole document.
    #[default]
    Whole,
    /// Lines by number. An open end is `u64::MAX`.
    Lines(Vec<LineRange>),
    /// A section, or a part of one.
    Section {
        /// The name of the section.
        name: String,
        /// The part of the section.
        part: SectionPart,
        /// Whether to include nested sections. The default is true.
        children: Option<bool>,
    },
    /// A fenced code block.
    CodeBlock {
        /// Count only blocks in this language.
        language: Option<String>,
        /// The number of the block, from 0.
        index: usize,
        /// Whether to include the fences.
        fences: bool,
        /// The name of a symbol in the block, which is source code.
        symbol: Option<String>,
    },
    /// A table. The value is its number, from 0.
    Table(usize),
    /// The part to which the anchor `#id` refers.
    Anchor(String),
    /// A key of an INI section, or before the first section.
    Key {
        /// The section that contains the key. `None` for keys before the first section.
        section: Option<String>,
        /// The name of the key.
        key: String,
        /// Whether to select only the value.
        value: bool,
    },
    /// Front matter, or a key of the front matter.
    FrontMatter {
        /// The key. `None` for the whole front matter.
        key: Option<String>,
        /// Whether to select only the value.
        value: bool,
    },
    /// A text, or a match of a pattern.
    Match(Query),
}

impl Part {
    /// Returns the query, if the part is a text or pattern.
    pub fn query(&self) -> Option<&Query> {
        match self {
            Self::Match(query) => Some(query),
            _ => None,
        }
    }

    /// Returns the part in which to search, if the part is a text or pattern.
    pub fn place(&self) -> Option<&Part> {
        self.query()?.within.as_deref()
    }

    /// Restricts a text or pattern to a part. A whole section is the scope of the part instead.
    pub fn within(mut self, part: Option<Part>) -> Self {
        let is_scope = |part: &Part| matches!(part, Self::Section { part: SectionPart::Whole, .. });
        if let Self::Match(query) = &mut self {
            query.within = part.filter(|part| !is_scope(part)).map(Box::new);
        }
        self
    }

    /// Creates a part for a whole section.
    pub fn section(name: impl Into<String>) -> Self {
        Self::Section { name: name.into(), part: SectionPart::Whole, children: None }
    }
}

/// A part of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionPart {
    /// The whole section.
    Whole,
    /// All lines except the first.
    Body,
    /// The whole section when reading. When editing, only the line of the heading.
    Heading,
}

/// A text or pattern to search for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The text or pattern as the user typed it.
    pub source: String,
    /// The kind of query.
    pub kind: QueryKind,
    /// The part in which to search, except for a whole section, which is the scope of the part.
    /// `None` in reads.
    pub within: Option<Box<Part>>,
    /// Options for case, words and lines.
    pub patterns: PatternOptions,
    /// Number of lines of context to read.
    pub context: Option<u64>,
    /// Whether the query selects all matches, because the expression has the flag `g`.
    pub every: bool,
    /// Whether a match may span several lines.
    pub multiline: bool,
    /// Whether any two sequences of whitespace are treated as equal.
    pub ignore_whitespace: bool,
    /// Whether characters that look the same are treated as equal.
    pub normalize_unicode: bool,
}

impl Query {
    /// Creates a query with exact comparison.
    pub fn new(source: &str, kind: QueryKind, patterns: PatternOptions) -> Self {
        Self {
            source: source.to_owned(),
            kind,
            within: None,
            patterns,
            context: None,
            every: false,
            multiline: false,
            ignore_whitespace: false,
            normalize_unicode: false,
        }
    }

    /// Whether the query is a regular expression.
    pub fn is_regex(&self) -> bool {
        self.kind == QueryKind::Pattern
    }

    /// Returns the options for compiling the query. A text is compiled as a literal.
    pub fn options(&self) -> PatternOptions {
        PatternOptions { fixed: self.patterns.fixed || !self.is_regex(), ..self.patterns }
    }

    /// Whether the query also matches some other spellings.
    pub fn relaxes(&self) -> bool {
        self.ignore_whitespace || self.normalize_unicode
    }
}

/// The kind of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKind {
    /// A text.
    Text,
    /// A regular expression.
    Pattern,
    /// A text with lines of context.
    Search,
}

/// Selects among several matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Occurrence {
    /// The only match. Several matches are ambiguous.
    #[default]
    Only,
    /// Only the first match.
    First,
    /// Only the last match.
    Last,
    /// All matches.
    All,
    /// The match with this number, from 1.
    Number(u64),
}

/// Selects lines by whether they are in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeFilter {
    /// Lines outside code blocks and their fences.
    Outside,
    /// Lines of code blocks and their fences.
    Only,
}
