//! Parts of documents that have a name: one model for the commands that read
//! and edit them. How a target is typed, how it is in JSON and what it leads
//! to are said here once for all of them.

pub mod flags;
pub mod json;
pub mod spell;

use crate::text::pattern::PatternOptions;
use crate::text::span::LineRange;

/// Lines of context that `--search` prints by default.
pub const SEARCH_CONTEXT: u64 = 5;

/// A part that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Lines by number; an open end is `u64::MAX`.
    Lines(Vec<LineRange>),
    /// A section, or a part of one.
    Section {
        /// Its name.
        name: String,
        /// What of it.
        part: SectionPart,
        /// Whether sections below it belong to it; they do unless it is said.
        children: Option<bool>,
    },
    /// A fenced code block.
    CodeBlock {
        /// Only blocks of this language are counted.
        language: Option<String>,
        /// Its number, from 0.
        index: usize,
        /// With the fences.
        fences: bool,
    },
    /// A table, by its number from 0.
    Table(usize),
    /// What `#id` leads to.
    Anchor(String),
    /// A key of an INI section, or before the first.
    Key {
        /// The section.
        section: Option<String>,
        /// The key.
        key: String,
        /// Only the value.
        value: bool,
    },
    /// Front matter, or a key of it.
    FrontMatter {
        /// The key.
        key: Option<String>,
        /// Only the value.
        value: bool,
    },
    /// A text, or what a pattern matches.
    Match(Query),
    /// All of the file.
    WholeFile,
}

impl Target {
    /// The flag that names it.
    pub fn flag(&self) -> &'static str {
        match self {
            Self::Lines(_) => "--lines",
            Self::Section { part, .. } => part.flag(),
            Self::CodeBlock { .. } => "--code-block",
            Self::Table(_) => "--table",
            Self::Anchor(_) => "--anchor",
            Self::Key { .. } => "--key",
            Self::FrontMatter { .. } => "--front-matter",
            Self::Match(query) => query.kind.flag(),
            Self::WholeFile => "--whole-file",
        }
    }

    /// The flag whose name is empty, which names nothing.
    pub fn nameless(&self) -> Option<&'static str> {
        let is_empty = |name: &String| name.trim().is_empty();
        match self {
            Self::Section { name, .. } | Self::Anchor(name) if is_empty(name) => Some(self.flag()),
            Self::Key { section: Some(section), .. } if is_empty(section) => Some("--section"),
            Self::Key { key, .. } | Self::FrontMatter { key: Some(key), .. } if is_empty(key) => {
                Some("--key")
            }
            _ => None,
        }
    }

    /// What is looked for, where it is a text or pattern.
    pub fn query(&self) -> Option<&Query> {
        match self {
            Self::Match(query) => Some(query),
            _ => None,
        }
    }

    /// A section with all that is in it.
    pub fn section(name: impl Into<String>) -> Self {
        Self::Section { name: name.into(), part: SectionPart::Whole, children: None }
    }
}

/// What of a section is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionPart {
    /// All of it.
    Whole,
    /// All but its first line.
    Body,
    /// What its heading stands for: to readers all of it, to editors the line.
    Heading,
}

impl SectionPart {
    /// The flag that names it.
    pub fn flag(self) -> &'static str {
        match self {
            Self::Whole => "--section",
            Self::Body => "--body",
            Self::Heading => "--heading",
        }
    }
}

/// A text or pattern to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// As it was given.
    pub source: String,
    /// How it was asked for.
    pub kind: QueryKind,
    /// Case, words, lines.
    pub patterns: PatternOptions,
    /// Lines around it, for readers.
    pub context: Option<u64>,
    /// Whether a flag of the expression asks for every match, `g`.
    pub every: bool,
    /// Whether a pattern may match over several lines.
    pub multiline: bool,
    /// Whether runs of blanks are taken for equal.
    pub ignore_whitespace: bool,
    /// Whether characters that look the same are taken for equal.
    pub normalize_unicode: bool,
}

impl Query {
    /// Compared as it is written.
    pub fn new(source: &str, kind: QueryKind, patterns: PatternOptions) -> Self {
        Self {
            source: source.to_owned(),
            kind,
            patterns,
            context: None,
            every: false,
            multiline: false,
            ignore_whitespace: false,
            normalize_unicode: false,
        }
    }

    /// Whether it is a regular expression.
    pub fn is_regex(&self) -> bool {
        self.kind == QueryKind::Pattern
    }

    /// How it is compiled: a text is taken literally.
    pub fn options(&self) -> PatternOptions {
        PatternOptions { fixed: self.patterns.fixed || !self.is_regex(), ..self.patterns }
    }

    /// Whether other spellings are taken for equal.
    pub fn relaxes(&self) -> bool {
        self.ignore_whitespace || self.normalize_unicode
    }
}

/// How a text or pattern is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKind {
    /// A text.
    Text,
    /// A regular expression.
    Pattern,
    /// A text with lines around it.
    Search,
}

impl QueryKind {
    /// The flag that asks for it.
    pub fn flag(self) -> &'static str {
        match self {
            Self::Text => "--text",
            Self::Pattern => "--pattern",
            Self::Search => "--search",
        }
    }
}
