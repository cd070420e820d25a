//! What the documents of each kind of format mean: how their sections are found, how a heading is
//! written, and what an edit may change elsewhere. Each kind is a module that implements
//! [`FormatRules`]; the table of [`crate::format`] says which formats it has.

mod code;
mod keys;
mod lines;
mod markdown;
mod markup;

use std::fmt::Debug;

pub(crate) use code::CodeRules;
pub(crate) use keys::KeyRules;
pub(crate) use lines::{IniRules, TextRules};
pub(crate) use markdown::MarkdownRules;
pub(crate) use markup::{AsciiDoc, Html, Latex, Man, Markup, MarkupRules, Org, Rst, is_roff};

use crate::document::LoadedDocument;
use crate::edit::Effect;
use crate::format::Format;
use crate::outline::Collector;
use folio_keys::Syntax;
use folio_markdown::blocks::Dialect;
use folio_text::edit::EditSet;
use folio_text::lines::Block;

/// The rules of a kind of format.
pub(crate) trait FormatRules: Sync {
    /// Begins to outline a document of a format.
    fn scan(&self, format: Format) -> Box<dyn Scan>;

    /// Begins to outline text that will be inserted into a document.
    fn scan_content(&self, format: Format, _document: &[u8]) -> Box<dyn Scan> {
        self.scan(format)
    }

    /// Returns the marks before the text of a heading, which messages and names show.
    fn heading_marks(&self, _level: u8) -> &'static str {
        ""
    }

    /// Returns what edits of a document would change outside the edited parts.
    fn effect(&self, _document: &LoadedDocument, _edits: &EditSet) -> Option<Effect> {
        None
    }

    /// Whether the only sections are entries, which are not nested.
    fn has_only_entries(&self) -> bool {
        false
    }

    /// Whether sections are adjacent lines, unless a document shows otherwise.
    fn has_adjacent_sections(&self, _format: Format) -> bool {
        false
    }

    /// Returns the syntax of keys, if documents are trees of keys.
    fn syntax(&self) -> Option<Syntax> {
        None
    }

    /// Returns the dialect of Markdown.
    fn dialect(&self) -> Option<Dialect> {
        None
    }

    /// Returns the language of markup other than Markdown.
    fn markup(&self) -> Option<&'static dyn Markup> {
        None
    }
}

/// Finds the parts of a document, block by block.
pub(crate) trait Scan: Debug {
    /// Processes the next block.
    fn push(&mut self, block: &Block<'_>, collector: &mut Collector);

    /// Returns the number of lines processed.
    fn lines(&self) -> u64;

    /// Counts lines that are not processed. Only logs may be read from a later line.
    fn skip_lines(&mut self, _lines: u64) {}

    /// Ends the document.
    fn finish(&mut self, _collector: &mut Collector) {}
}
