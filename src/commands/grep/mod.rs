//! `grep`: lines that match, as addresses of the sections they stand in.
//!
//! Search comes first; only documents with hits are outlined, and never further
//! than the end of the last hit's section.

pub mod args;
pub mod line_buffer;
pub mod places;
pub mod report;
mod resync;
pub mod run;
pub mod search;
pub mod wire;

use crate::commands::line_matcher::LineMatcher;
use crate::files::document::DocumentOptions;
use crate::text::format::Format;
use crate::text::pattern::Pattern;

/// The JSON Schema of what is printed.
pub const SCHEMA: &str = include_str!("schema.json");

/// What to look for and what to tell of it.
#[derive(Clone, Debug)]
pub struct Options {
    /// The pattern.
    pub matcher: LineMatcher,
    /// What is told.
    pub mode: Mode,
    /// Lines that do not match are the hits.
    pub invert: bool,
    /// Matches may span lines.
    pub multi_line: bool,
    /// NUL ends lines.
    pub null_data: bool,
    /// Lines before and after each hit.
    pub context: Context,
    /// Which hits are left out.
    pub limits: Limits,
    /// Binary files are text.
    pub text: bool,
    /// The encoding of all documents, by label.
    pub encoding: Option<String>,
    /// The format of all documents.
    pub format: Option<Format>,
    /// What of a hit must be known.
    pub facts: Facts,
    /// What sections have to do with it.
    pub sections: SectionOptions,
}

/// What is told of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Hits, with the lines around them.
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

/// How many hits are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Of each document.
    pub of_document: Option<u64>,
    /// Of all, in order.
    pub total: Option<u64>,
    /// Whether those left out are counted.
    pub count_on: bool,
    /// Whether it must be known that some were left out.
    pub look_on: bool,
}

/// What must be known of each hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Its line's number.
    pub numbers: bool,
    /// Its first match and where that stands in the file.
    pub positions: bool,
    /// How many matches there are in it.
    pub matches: bool,
}

/// What sections have to do with the search.
#[derive(Clone, Debug, Default)]
pub struct SectionOptions {
    /// The section of each hit is told.
    pub told: bool,
    /// The headings above hits and the names of sections are told.
    pub named: bool,
    /// Only hits in the section of this name.
    pub inside: Option<String>,
    /// Only hits in code, or only those outside.
    pub code: Option<CodeFilter>,
    /// The only section starts, in place of the usual ones.
    pub starts: Vec<Pattern>,
}

impl SectionOptions {
    /// Whether a hit may be left out for where it stands.
    pub fn filter(&self) -> bool {
        self.inside.is_some() || self.code.is_some()
    }
}

/// Where hits may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeFilter {
    /// Not in a code block or on its fences.
    Outside,
    /// Only there.
    Only,
}

impl Options {
    /// Whether hits are told with what only an outline knows.
    pub fn needs_outline(&self) -> bool {
        self.sections.told || self.sections.named || self.mode == Mode::Sections
    }

    /// How documents are opened: binary ones too, and the format is judged
    /// when it matters.
    pub fn load(&self) -> DocumentOptions {
        DocumentOptions {
            encoding: self.encoding.clone(),
            binary: true,
            format: Some(self.format.unwrap_or(Format::Text)),
        }
    }
}
