//! Light markup other than Markdown: headings, anchors and code blocks, found line by line. Each
//! language is a module that implements [`Markup`]; everything else is the same for all of them.

mod asciidoc;
mod html;
mod latex;
mod man;
mod org;
mod rst;

use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::Range;

pub(crate) use asciidoc::AsciiDoc;
pub(crate) use html::Html;
pub(crate) use latex::Latex;
pub(crate) use man::{Man, is_roff};
pub(crate) use org::Org;
pub(crate) use rst::Rst;

use super::lines::changes_of_keys;
use super::{FormatRules, Scan};
use crate::document::LoadedDocument;
use crate::edit::Effect;
use crate::format::Format;
use crate::outline::Collector;
use crate::structure::{self, StructureChange};
use folio_text::edit::EditSet;
use folio_text::ini_dialect::IniDialect;
use folio_text::lines::{Block, LineOffsets};

/// Number of bytes at the start of a line that are parsed.
const MAX_LINE: usize = 64 << 10;

/// A language of markup.
pub(crate) trait Markup: Debug + Sync {
    /// Creates a parser at the start of a document.
    fn parser(&self) -> Box<dyn Parser>;

    /// Creates a parser of text that will be inserted into a document, where markup may have another
    /// meaning.
    fn parser_for(&self, _document: &[u8]) -> Box<dyn Parser> {
        self.parser()
    }

    /// Returns the dialect of the lines that are keys.
    fn keys(&self) -> Option<IniDialect> {
        None
    }

    /// Returns the text of a heading as a reader sees it.
    fn rendered(&self, source: &str) -> String;

    /// Returns the lines of a heading with another text. `name` is the range of its present text.
    fn renamed(&self, heading: &[u8], name: Range<usize>, text: &[u8]) -> Vec<u8> {
        [&heading[..name.start], text, &heading[name.end..]].concat()
    }

    /// Returns which lines of a heading are its title, without the labels before it and the
    /// properties below it. `name` is the line with its text.
    fn title(&self, heading: &[&[u8]], _name: usize) -> Range<usize> {
        0..heading.len()
    }

    /// Returns the first characters of lines that may precede a heading.
    fn marks_before_headings(&self) -> &'static [u8] {
        b""
    }

    /// Whether the lines of code blocks are indented, and the indentation ends them.
    fn indents_code(&self) -> bool {
        false
    }

    /// Whether blank lines between paragraphs and sections are unusual.
    fn is_dense(&self) -> bool {
        false
    }

    /// Returns pairs of text that edits must not separate, as a change of the structure.
    fn unpaired(&self, _old: &[u8], _new: &[u8]) -> Option<StructureChange> {
        None
    }
}

/// A line of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    /// The number of the line.
    pub(crate) number: u64,
    /// The line without its line ending.
    pub(crate) text: &'a [u8],
    /// The line with its line ending.
    pub(crate) whole: &'a [u8],
    /// The offset at which the line begins.
    pub(crate) offset: u64,
}

impl Line<'_> {
    /// Returns the number of blanks at the start. A tab extends to the next multiple of 8.
    fn indentation(&self) -> usize {
        let blanks = self.text.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
        blanks
            .fold(0, |column, byte| if *byte == b'\t' { (column / 8 + 1) * 8 } else { column + 1 })
    }

    fn is_blank(&self) -> bool {
        self.text.trim_ascii().is_empty()
    }
}

/// Finds the parts of a document, line by line.
pub(crate) trait Parser: Debug {
    /// Processes the next line.
    fn line(&mut self, line: &Line<'_>, collector: &mut Collector);

    /// Ends the document after a number of lines.
    fn finish(&mut self, _lines: u64, _collector: &mut Collector) {}
}

/// The rules of a language of markup.
#[derive(Debug)]
pub(crate) struct MarkupRules(pub(crate) &'static dyn Markup);

impl FormatRules for MarkupRules {
    fn scan(&self, _: Format) -> Box<dyn Scan> {
        Box::new(MarkupScan { parser: self.0.parser(), lines: 0 })
    }

    fn scan_content(&self, _: Format, document: &[u8]) -> Box<dyn Scan> {
        Box::new(MarkupScan { parser: self.0.parser_for(document), lines: 0 })
    }

    fn effect(&self, document: &LoadedDocument, edits: &EditSet) -> Option<Effect> {
        let (text, lines) = (document.whole(), document.index());
        let changes =
            structure::changes(text, lines, edits, document.format(), || document.outline());
        let of_keys = || {
            let syntax = document.format().syntax()?;
            Effect::of_changes(changes_of_keys(syntax, document, edits), true, edits)
        };
        Effect::of_changes(changes, false, edits).or_else(of_keys)
    }

    fn has_adjacent_sections(&self, _: Format) -> bool {
        self.0.is_dense()
    }

    fn markup(&self) -> Option<&'static dyn Markup> {
        Some(self.0)
    }
}

#[derive(Debug)]
struct MarkupScan {
    parser: Box<dyn Parser>,
    lines: u64,
}

impl Scan for MarkupScan {
    fn push(&mut self, block: &Block<'_>, collector: &mut Collector) {
        let parser = &mut self.parser;
        self.lines += each_line(block, self.lines, |line| {
            collector.custom_entry(line.number, line.text);
            parser.line(&line, collector);
        });
    }

    fn lines(&self) -> u64 {
        self.lines
    }

    fn finish(&mut self, collector: &mut Collector) {
        self.parser.finish(self.lines, collector);
    }
}

/// Passes the lines of a block to `each`, and returns their number. `before` is the number of lines
/// before the block.
fn each_line(block: &Block<'_>, before: u64, mut each: impl FnMut(Line<'_>)) -> u64 {
    if block.continues {
        return 0;
    }
    let (bytes, mut count) = (block.bytes, 0);
    for (start, end) in LineOffsets::new(bytes) {
        count += 1;
        let text = &bytes[start..end.min(start + MAX_LINE)];
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let whole = &bytes[start..bytes.len().min(end + 1)];
        each(Line { number: before + count, text, whole, offset: block.offset + start as u64 });
    }
    count
}

/// Returns the first word of a text, and the rest without blanks around it.
fn first_word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii();
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    (&text[..end], text[end..].trim_ascii_start())
}

/// Returns the offset of a part of a text.
fn offset_in(text: &[u8], part: &[u8]) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len())
}

/// Returns the text with consecutive whitespace as single blanks, and none at the ends.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns text as UTF-8.
fn lossy(text: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(text)
}

/// Removes a mark such as `*` around words.
fn without_marks(text: &str, marks: &[char]) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut shown = String::new();
    let mut at = 0;
    while at < characters.len() {
        let mark = characters[at];
        let is_word = |index: usize| characters.get(index).is_some_and(|c| c.is_alphanumeric());
        let begins = marks.contains(&mark) && !(at > 0 && is_word(at - 1));
        let run = characters[at..].iter().take_while(|other| **other == mark).count();
        let close = (at + run..characters.len()).find(|&index| {
            let end = index + run;
            characters[index..].iter().take(run).filter(|other| **other == mark).count() == run
                && !characters[index - 1].is_whitespace()
                && characters.get(end) != Some(&mark)
                && !is_word(end)
        });
        let opens = characters.get(at + run).is_some_and(|next| !next.is_whitespace());
        match close.filter(|&close| begins && opens && run <= 2 && close > at + run) {
            Some(close) => {
                let inner: String = characters[at + run..close].iter().collect();
                shown.push_str(&if mark == '`' { inner } else { without_marks(&inner, marks) });
                at = close + run;
            }
            None => {
                shown.extend(&characters[at..at + run]);
                at += run;
            }
        }
    }
    shown
}
