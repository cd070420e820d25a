//! The JSON of hits.

use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::ser::Serializer;

use super::line_buffer::Line;
use super::places::Structure;
use crate::commands::json::{self, Text};
use crate::text::lines::without_end;
use crate::text::span::LineRange;

fn text<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    Text(bytes).serialize(serializer)
}

fn texts<S: Serializer>(lines: &[Vec<u8>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(lines.iter().map(|line| Text(line)))
}

fn path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    json::path(path).serialize(serializer)
}

fn maybe_text<S: Serializer>(bytes: &Option<Vec<u8>>, serializer: S) -> Result<S::Ok, S::Error> {
    bytes.as_deref().map(Text).serialize(serializer)
}

/// A hit.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(serialize_with = "path")]
    file_path: PathBuf,
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u64>,
    column: u64,
    byte_offset: u64,
    #[serde(serialize_with = "text")]
    text: Vec<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<Section>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest_heading: Option<Heading>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<Around>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Section {
    start_line: u64,
    end_line: u64,
    #[serde(serialize_with = "texts")]
    path: Vec<Vec<u8>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "maybe_text")]
    content: Option<Vec<u8>>,
}

#[derive(Debug, Serialize)]
struct Heading {
    level: u8,
    #[serde(serialize_with = "text")]
    text: Vec<u8>,
    line: u64,
}

/// Lines around a hit, without their ends.
#[derive(Debug, Serialize)]
pub struct Around {
    /// Before it.
    #[serde(serialize_with = "texts")]
    pub before: Vec<Vec<u8>>,
    /// After it.
    #[serde(serialize_with = "texts")]
    pub after: Vec<Vec<u8>>,
}

impl Record {
    /// A hit with the text it was found in.
    pub fn new(path: &Path, line: &Line, text: &[u8], context: Option<Around>) -> Self {
        Self {
            kind: "match",
            file_path: path.to_owned(),
            line: line.number,
            end_line: (line.last > line.number).then_some(line.last),
            column: column(text, line.found.start),
            byte_offset: line.byte_offset,
            text: without_end(text).to_vec(),
            section: None,
            nearest_heading: None,
            context,
        }
    }

    /// Adds the heading above it and, if wanted, its section.
    pub fn place(&mut self, structure: &Structure, line: u64, with_section: bool) {
        self.nearest_heading = structure.heading(line).map(|heading| Heading {
            level: heading.level,
            text: heading.text,
            line: heading.line,
        });
        if !with_section {
            return;
        }
        self.section = structure.section(line).map(|section| Section {
            start_line: section.lines.start(),
            end_line: section.lines.end(),
            path: structure.path(&section),
            next: section.next.map(str::to_owned),
            content: None,
        });
    }

    /// Its line.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Adds the text of its section, if that is the one of these lines; a text
    /// is given once.
    pub fn give_content(&mut self, lines: LineRange, text: &mut Vec<u8>) {
        let section = self.section.as_mut();
        let own = section.filter(|section| {
            (section.start_line, section.end_line) == (lines.start(), lines.end())
        });
        if let Some(section) = own.filter(|_| !text.is_empty()) {
            section.content = Some(std::mem::take(text));
        }
    }

    /// Makes it tell of one match alone; `base` is where its line begins.
    pub fn narrow(&mut self, text: &[u8], found: Range<usize>, base: u64) {
        self.column = column(text, found.start);
        self.byte_offset = base + found.start as u64;
        self.text = text[found].to_vec();
    }
}

/// Unicode scalar values before a match, plus 1; counted in its line.
fn column(text: &[u8], start: usize) -> u64 {
    let line = memchr::memrchr(b'\n', &text[..start]).map_or(0, |end| end + 1);
    String::from_utf8_lossy(&text[line..start]).chars().count() as u64 + 1
}

/// A document with hits, or without.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct File<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    file_path: Text<'a>,
}

impl<'a> File<'a> {
    /// By its path.
    pub fn new(path: &'a Path) -> Self {
        Self { kind: "file", file_path: Text(path.as_os_str().as_bytes()) }
    }
}

/// How many hits a document has.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Count<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    file_path: Text<'a>,
    count: u64,
}

impl<'a> Count<'a> {
    /// By its path.
    pub fn new(path: &'a Path, count: u64) -> Self {
        Self { kind: "count", file_path: Text(path.as_os_str().as_bytes()), count }
    }
}

/// A binary file that matches.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Binary<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    file_path: Text<'a>,
    byte_offset: u64,
}

impl<'a> Binary<'a> {
    /// By its path, and where its first NUL byte was found.
    pub fn new(path: &'a Path, byte_offset: u64) -> Self {
        Self { kind: "binary", file_path: Text(path.as_os_str().as_bytes()), byte_offset }
    }
}

/// The last record.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    #[serde(rename = "type")]
    kind: &'static str,
    files: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_matches: Option<u64>,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<Stats>,
}

/// What `--stats` adds.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// Matches, of which a line may hold several.
    pub matches: u64,
    /// Documents that were searched.
    pub files_searched: u64,
    /// Bytes that were searched.
    pub bytes_searched: u64,
    /// Seconds from start to end.
    pub seconds: f64,
}

impl Summary {
    /// Of all documents.
    pub fn new(
        files: u64,
        matches: Option<u64>,
        total_matches: Option<u64>,
        truncated: bool,
        stats: Option<Stats>,
    ) -> Self {
        Self { kind: "summary", files, matches, total_matches, truncated, stats }
    }
}
