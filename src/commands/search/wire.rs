//! The records of a search: hits as JSON, names, counts and binary files as both.

use std::borrow::Cow;
use std::io::Write;
use std::ops::Range;
use std::path::Path;

use serde::Serialize;
use serde::ser::Serializer;

use super::Query;
use super::line_buffer::{Line, LineBuffer};
use crate::commands::json::{self, Address, Text};
use crate::commands::output::{Record, Role, Style};
use crate::text::lines::without_end;
use crate::text::span::LineRange;

fn text<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    Text(bytes).serialize(serializer)
}

fn texts<S: Serializer>(lines: &[Vec<u8>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(lines.iter().map(|line| Text(line)))
}

fn maybe_text<S: Serializer>(bytes: &Option<Vec<u8>>, serializer: S) -> Result<S::Ok, S::Error> {
    bytes.as_deref().map(Text).serialize(serializer)
}

/// A hit.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "match", rename_all = "camelCase")]
pub(super) struct Match<'a> {
    file_path: Text<'a>,
    /// As text begins: with hints of sections, up to the end of its section.
    pub(super) address: Address<'a>,
    pub(super) line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u64>,
    column: u64,
    byte_offset: u64,
    #[serde(serialize_with = "text")]
    text: Cow<'a, [u8]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) section: Option<Section>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) nearest_heading: Option<Heading>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<Around<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Section {
    pub(super) start_line: u64,
    pub(super) end_line: u64,
    #[serde(serialize_with = "texts")]
    pub(super) path: Vec<Vec<u8>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "maybe_text")]
    pub(super) content: Option<Vec<u8>>,
}

/// A heading above a hit: its text as a reader sees it, and its first line.
#[derive(Debug, Serialize)]
pub(super) struct Heading {
    pub(super) level: u8,
    #[serde(serialize_with = "text")]
    pub(super) text: Vec<u8>,
    pub(super) line: u64,
}

/// Lines around a hit, without their ends.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Around<'a> {
    pub(super) before: Lines<'a>,
    pub(super) after: Lines<'a>,
}

/// Lines of a buffer. Nothing is copied: many hits may share them.
#[derive(Clone, Debug)]
pub(super) struct Lines<'a>(pub(super) &'a LineBuffer, pub(super) Range<usize>);

impl Serialize for Lines<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let lines = self.0.lines()[self.1.clone()].iter();
        serializer.collect_seq(lines.map(|line| Text(without_end(self.0.text(line)))))
    }
}

impl<'a> Match<'a> {
    /// A hit with the text that it was found in.
    pub(super) fn new(
        path: &'a Path,
        line: &Line,
        text: Cow<'a, [u8]>,
        context: Option<Around<'a>>,
    ) -> Self {
        let column = Columns::default().at(&text, line.found.start);
        Self {
            file_path: json::path(path),
            address: Address::lines(path, line.number, line.last),
            line: line.number,
            end_line: (line.last > line.number).then_some(line.last),
            column,
            byte_offset: line.byte_offset,
            text: match text {
                Cow::Borrowed(text) => without_end(text).into(),
                Cow::Owned(text) => without_end(&text).to_vec().into(),
            },
            section: None,
            nearest_heading: None,
            context,
        }
    }

    /// Adds the text of its section, if that is the one of these lines; a text
    /// is given once.
    pub(super) fn give_content(&mut self, lines: LineRange, text: &mut Vec<u8>) {
        let section = self.section.as_mut();
        let own = section.filter(|section| {
            (section.start_line, section.end_line) == (lines.start(), lines.end())
        });
        if let Some(section) = own.filter(|_| !text.is_empty()) {
            section.content = Some(std::mem::take(text));
        }
    }

    /// Makes it one match alone; its line begins at `base` of the file.
    pub(super) fn narrow(
        &mut self,
        text: &'a [u8],
        found: Range<usize>,
        base: u64,
        columns: &mut Columns,
    ) {
        self.column = columns.at(text, found.start);
        self.byte_offset = base + found.start as u64;
        self.text = text[found].into();
    }

    /// As one of the hits of an object.
    pub(super) fn item(&self) -> Item<'_> {
        Item {
            address: self.address,
            line: self.line,
            column: self.column,
            byte_offset: self.byte_offset,
            text: Text(&self.text),
            context: self.context.as_ref(),
            nearest_heading: self.nearest_heading.as_ref(),
        }
    }
}

/// A hit of an object that says where it stands.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Item<'a> {
    address: Address<'a>,
    line: u64,
    column: u64,
    byte_offset: u64,
    text: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<&'a Around<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest_heading: Option<&'a Heading>,
}

/// Columns in a text for places in order: Unicode scalar values of the line
/// before a place, plus 1.
#[derive(Debug, Default)]
pub(super) struct Columns {
    at: usize,
    before: u64,
}

impl Columns {
    fn at(&mut self, text: &[u8], place: usize) -> u64 {
        if let Some(end) = memchr::memrchr(b'\n', &text[self.at..place]) {
            *self = Self { at: self.at + end + 1, before: 0 };
        }
        let count = String::from_utf8_lossy(&text[self.at..place]).chars().count() as u64;
        // In the middle of a character nothing can be counted from.
        if !text.get(place).is_some_and(|byte| (0x80..0xc0).contains(byte)) {
            *self = Self { at: place, before: self.before + count };
            return self.before + 1;
        }
        self.before + count + 1
    }
}

/// What comes before the hits of a document that are one object.
pub(super) fn begin_object(path: &Path, query: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"filePath\":");
    json::push(&json::path(path), out);
    out.extend_from_slice(b",\"query\":");
    json::push(&query, out);
    out.extend_from_slice(b",\"matches\":[");
}

/// What comes behind them.
pub(super) fn end_object(hits: u64, out: &mut Vec<u8>) {
    // Writing to a vector does not fail.
    let _ = writeln!(out, "],\"totalMatches\":{hits}}}");
}

/// A document with hits, or without.
#[derive(Serialize)]
#[serde(tag = "type", rename = "file", rename_all = "camelCase")]
pub struct File<'a> {
    /// Its path.
    pub file_path: Text<'a>,
    /// The same, as an operand.
    pub address: Address<'a>,
    /// What was looked for.
    #[serde(skip)]
    pub query: &'a Query<'a>,
}

impl Record for File<'_> {
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        style.paint_path(self.address.path, out);
        out.push(if self.query.options.null { 0 } else { b'\n' });
    }

    fn json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&json::line(self));
    }
}

/// How many hits a document has.
#[derive(Serialize)]
#[serde(tag = "type", rename = "count", rename_all = "camelCase")]
pub(super) struct Count<'a> {
    pub(super) file_path: Text<'a>,
    pub(super) address: Address<'a>,
    pub(super) count: u64,
    #[serde(skip)]
    pub(super) query: &'a Query<'a>,
}

impl Record for Count<'_> {
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        if self.query.names {
            style.paint_path(self.address.path, out);
            out.push(if self.query.options.null { 0 } else { b':' });
        }
        let _ = writeln!(out, "{}", self.count);
    }

    fn json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&json::line(self));
    }
}

/// A binary file that matches.
#[derive(Serialize)]
#[serde(tag = "type", rename = "binary", rename_all = "camelCase")]
pub(super) struct BinaryMatch<'a> {
    pub(super) file_path: Text<'a>,
    pub(super) byte_offset: u64,
    #[serde(skip)]
    pub(super) stopped: bool,
    #[serde(skip)]
    pub(super) query: &'a Query<'a>,
}

impl Record for BinaryMatch<'_> {
    /// In ripgrep's words.
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        if self.query.names && !self.query.has_headings {
            style.paint_bytes(Role::Path, self.file_path.0, out);
            out.extend_from_slice(b": ");
        }
        let what = match self.stopped {
            true => "WARNING: stopped searching binary file after match",
            false => "binary file matches",
        };
        let offset = self.byte_offset;
        let _ = writeln!(out, "{what} (found \"\\0\" byte around offset {offset})");
    }

    fn json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&json::line(self));
    }
}
