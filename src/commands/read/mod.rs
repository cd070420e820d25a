//! `read`: the part of a document that an address or a target names.
//!
//! Parts that are told by line numbers or by the next match are found in one
//! pass that stops when they end; parts of the structure need the outline first.

pub mod args;
mod locate;
pub mod report;
pub mod run;
mod stream;
pub mod wire;

use crate::commands::line_matcher::LineMatcher;
use crate::files::address::Address;
use crate::text::pattern::Pattern;
use crate::text::span::LineRange;
use crate::text::target::Extent;

/// The JSON Schema of what is printed.
pub const SCHEMA: &str = include_str!("schema.json");

/// The JSON Schema of a line that `--batch` takes.
pub const BATCH_SCHEMA: &str = include_str!("batch.json");

/// One part to read.
#[derive(Clone, Debug)]
pub struct Request {
    /// The file, and the lines or anchor behind its name.
    pub address: Address,
    /// What is wanted of it.
    pub selection: Selection,
    /// The section within which a target is looked for.
    pub scope: Option<String>,
}

/// What is wanted of a file.
#[derive(Clone, Debug)]
pub enum Selection {
    /// What the address says.
    Address,
    /// From a line, that of the address unless given, to an end.
    From {
        /// The first line.
        start: Option<u64>,
        /// Where it ends.
        end: End,
    },
    /// The first lines.
    Head(u64),
    /// The last lines.
    Tail(u64),
    /// The innermost section that holds a line, that of the address unless given.
    SectionAround(Option<u64>),
    /// A target.
    Target(Target),
}

/// Where a part ends that begins at a line.
#[derive(Clone, Debug)]
pub enum End {
    /// Before the next line that matches.
    ToNext {
        /// The pattern.
        pattern: Pattern,
        /// Whether lines of code blocks are passed over.
        outside_code: bool,
    },
    /// With the innermost section that holds the first line.
    SectionEnd,
    /// After so many lines.
    Limit(u64),
    /// With the file.
    FileEnd,
}

/// A part that has a name.
#[derive(Clone, Debug)]
pub enum Target {
    /// Lines by number; an open end is `u64::MAX`.
    Lines(Vec<LineRange>),
    /// A section.
    Section {
        /// Its name.
        name: String,
        /// Which lines of it.
        extent: Extent,
        /// How it was asked for.
        flag: SectionFlag,
    },
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
    /// A fenced code block.
    CodeBlock {
        /// Only blocks of this language are counted.
        language: Option<String>,
        /// Its number, from 0.
        index: usize,
        /// With the fences.
        fences: bool,
    },
    /// What `#id` leads to.
    Anchor(String),
    /// The first line that matches, with lines around it.
    Match {
        /// The pattern.
        matcher: LineMatcher,
        /// As it was asked for.
        query: String,
        /// How it was asked for.
        flag: MatchFlag,
        /// Lines around it.
        context: u64,
    },
}

/// The flag that named a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionFlag {
    /// `--section`.
    Section,
    /// `--body`.
    Body,
    /// `--heading`.
    Heading,
}

impl SectionFlag {
    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Section => "--section",
            Self::Body => "--body",
            Self::Heading => "--heading",
        }
    }
}

/// The flag that named a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchFlag {
    /// `--text`.
    Text,
    /// `--pattern`.
    Pattern,
    /// `--search`.
    Search,
}

/// What holds for every part that is read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// A part is cut after so many lines.
    pub max_lines: Option<u64>,
    /// A part is cut after so many bytes.
    pub max_bytes: Option<u64>,
    /// The file's own bytes, not decoded.
    pub raw: bool,
    /// Whether the file is read to its end, for its line count.
    pub total: bool,
    /// Whether the checksum of the whole file is taken.
    pub file_checksum: bool,
    /// Whether the checksum of the part is taken.
    pub checksum: bool,
    /// Patterns of lines that begin entries, in place of `[LOG-`.
    pub entries: Vec<Pattern>,
}

/// What was read, its content aside.
#[derive(Clone, Debug, Default)]
pub struct Piece {
    /// The lines that were given out.
    pub ranges: Vec<LineRange>,
    /// How many lines that is.
    pub returned_lines: u64,
    /// Whether the part is longer than what a limit let through.
    pub has_more: bool,
    /// The line to go on from.
    pub next_line: Option<u64>,
    /// Whether `--max-lines` or `--max-bytes` cut it.
    pub truncated: bool,
    /// Whether the cut is within a line.
    pub cut_line: bool,
    /// The match that ended it.
    pub boundary: Option<Boundary>,
    /// Whether a match was looked for and not found.
    pub no_boundary: bool,
    /// The value of a key.
    pub value: Option<Vec<u8>>,
    /// The last line of the part, where that is known without reading on.
    pub part_end: Option<u64>,
    /// The part's checksum.
    pub range_checksum: Option<String>,
    /// The file's checksum.
    pub file_checksum: Option<String>,
    /// The file's line count.
    pub total_lines: Option<u64>,
    /// The name of the file's encoding.
    pub encoding: String,
    /// How the file's lines end, where all of it was read.
    pub line_ending: Option<&'static str>,
}

/// The line that a part stops before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// Its number.
    pub line: u64,
    /// Its text without the line end.
    pub text: Vec<u8>,
    /// Whether it stands in a code block.
    pub in_code: bool,
}
