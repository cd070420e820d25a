//! The records of a search. Matches have a JSON form; names, counts and binary files also have a
//! text form.

use std::borrow::Cow;
use std::io::Write;
use std::ops::Range;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde::ser::Serializer;

use super::Query;
use super::line_buffer::{Line, LineBuffer};
use crate::commands::json::{self, Address, OwnedText, Text};
use crate::commands::output::{Record, Role, Style};
use crate::commands::schema::{self, RecordSchema};
use folio_text::lines::without_end;
use folio_text::span::LineRange;

fn text<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    Text(bytes).serialize(serializer)
}

/// The first fields of a [`Match`].
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Head<'a> {
    r#type: &'static str,
    file_path: Text<'a>,
    address: Address<'a>,
}

impl<'a> Head<'a> {
    /// Creates the first fields of a match with an address.
    pub(super) fn new(path: &'a Path, lines: LineRange) -> Self {
        let address = Address { path, lines: Some(lines) };
        Self { r#type: "match", file_path: json::path(path), address }
    }

    /// Returns the fields as the beginning of a JSON object.
    pub(super) fn json(&self) -> Vec<u8> {
        let mut json = json::line(self);
        // The last two bytes are a brace and a line ending.
        json.truncate(json.len() - 2);
        json
    }
}

/// A matching line. With -o, a match.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Match<'a> {
    #[schemars(extend("const" = "match"))]
    r#type: &'static str,
    /// The path that the user gave or folio found. - is standard input.
    file_path: Text<'a>,
    /// The address of the matching lines, for read and patch. With --section-hints it extends to
    /// the end of the section, and with --section-context it contains the whole section.
    pub(super) address: Address<'a>,
    /// The line number. If the match spans lines, the number of the first line.
    pub(super) line: u64,
    /// The last line, if the match spans lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u64>,
    /// The column of the first match, in Unicode scalar values from 1.
    column: u64,
    /// The offset of the first match in the file, in bytes, including a byte order mark.
    byte_offset: u64,
    /// The line without its line ending. With -o, the match.
    #[serde(serialize_with = "text")]
    #[schemars(with = "Text<'static>")]
    text: Cow<'a, [u8]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) section: Option<Section>,
    /// The innermost heading whose section contains the line. In a long stream and in source code, only
    /// with -k, -W or --in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) nearest_heading: Option<Heading>,
    /// The key path of the innermost entry that contains the line, with --breadcrumbs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<String>,
    /// The context lines without their line endings, with -A, -B or -C.
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<Around<'a>>,
}

/// The innermost section that contains the line. For a line before the first section, the range of
/// all lines before that section. Absent in a file without sections, and in a long stream and in source
/// code unless -k, -W or --in is given.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Section {
    /// The number of a line, from 1.
    pub(super) start_line: u64,
    /// The number of a line, from 1.
    pub(super) end_line: u64,
    /// The names of the sections that contain the line, outermost first. Empty before the first
    /// section.
    pub(super) path: Vec<OwnedText>,
    /// The pattern of the line that ends the section. Absent if no section begins after this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<String>,
    /// With -W, the text of the whole section, only in its first match. Absent if the section is
    /// nested in another section of the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<OwnedText>,
}

/// The innermost heading whose section contains the line. In a long stream, only with -k, -W or --in.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Heading {
    /// The level of a heading.
    pub(super) level: u8,
    pub(super) text: OwnedText,
    /// The number of a line, from 1.
    pub(super) line: u64,
}

/// The context lines without their line endings, with -A, -B or -C.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub(super) struct Around<'a> {
    #[schemars(with = "Vec<Text<'static>>")]
    pub(super) before: Lines<'a>,
    #[schemars(with = "Vec<Text<'static>>")]
    pub(super) after: Lines<'a>,
}

/// Lines of a buffer. Several matches may share the buffer.
#[derive(Clone, Debug)]
pub(super) struct Lines<'a>(pub(super) &'a LineBuffer, pub(super) Range<usize>);

impl Serialize for Lines<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let lines = self.0.lines()[self.1.clone()].iter();
        serializer.collect_seq(lines.map(|line| Text(without_end(self.0.text(line)))))
    }
}

impl<'a> Match<'a> {
    /// Creates the record of a matching line.
    pub(super) fn new(
        path: &'a Path,
        line: &Line,
        text: Cow<'a, [u8]>,
        context: Option<Around<'a>>,
    ) -> Self {
        let column = Columns::default().at(&text, line.found.start);
        Self {
            r#type: "match",
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
            key: None,
            context,
        }
    }

    /// Reduces the record to one match. `base` is the offset of the text in the file.
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

    /// Returns the record in the form used within an object that contains all matches of a file.
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

/// A match within an object that contains all matches of a file.
#[derive(JsonSchema, Serialize)]
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

/// Computes columns in a text, in Unicode scalar values from 1. Offsets must be in ascending order.
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
        // Counting cannot continue within a character.
        if !text.get(place).is_some_and(|byte| (0x80..0xc0).contains(byte)) {
            *self = Self { at: place, before: self.before + count };
            return self.before + 1;
        }
        self.before + count + 1
    }
}

/// All matches of a file as one object. The object is written match by match.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(dead_code, reason = "it is the schema of what begin_object and end_object write")]
struct SearchObject<'a> {
    file_path: Text<'a>,
    /// The query as the user typed it.
    query: &'a str,
    matches: Vec<Item<'a>>,
    /// The number of matching lines.
    total_matches: u64,
}

/// The records of individual matches, and of files.
pub const RECORDS: &[RecordSchema] = &[
    schema::record::<Match<'_>>,
    schema::record::<BinaryMatch<'_>>,
    schema::record::<File<'_>>,
    schema::record::<Count<'_>>,
];

/// The record of all matches of a file.
pub const OBJECT: RecordSchema = schema::record::<SearchObject<'_>>;

/// Writes the beginning of the object that contains all matches of a file.
pub(super) fn begin_object(path: &Path, query: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"filePath\":");
    json::push(&json::path(path), out);
    out.extend_from_slice(b",\"query\":");
    json::push(&query, out);
    out.extend_from_slice(b",\"matches\":[");
}

/// Writes the end of the object that contains all matches of a file.
pub(super) fn end_object(hits: u64, out: &mut Vec<u8>) {
    // Writing to a vector cannot fail.
    let _ = writeln!(out, "],\"totalMatches\":{hits}}}");
}

/// A file with matches or, with --files-without-match, without matches.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct File<'a> {
    #[schemars(extend("const" = "file"))]
    pub r#type: &'static str,
    /// The path that the user gave or folio found. - is standard input.
    pub file_path: Text<'a>,
    /// The address of the file, for read and patch.
    pub address: Address<'a>,
    /// The query.
    #[serde(skip)]
    pub query: &'a Query<'a>,
}

impl Record for File<'_> {
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        style.paint_path(self.address.path, out);
        out.push(if self.query.options.null { 0 } else { b'\n' });
    }
}

/// The number of matching lines in a file; with -o, the number of matches. Files without matches
/// are omitted.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Count<'a> {
    #[schemars(extend("const" = "count"))]
    pub(super) r#type: &'static str,
    /// The path that the user gave or folio found. - is standard input.
    pub(super) file_path: Text<'a>,
    /// The address of the file, for read and patch.
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
}

/// A binary file with a match. Because it contains a NUL byte, the match is not printed.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BinaryMatch<'a> {
    #[schemars(extend("const" = "binary"))]
    pub(super) r#type: &'static str,
    /// The path that the user gave or folio found. - is standard input.
    pub(super) file_path: Text<'a>,
    /// The approximate offset of the byte.
    pub(super) byte_offset: u64,
    #[serde(skip)]
    pub(super) stopped: bool,
    #[serde(skip)]
    pub(super) query: &'a Query<'a>,
}

impl Record for BinaryMatch<'_> {
    /// Prints the same text as ripgrep.
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        if self.query.names && !self.query.has_headings {
            style.paint_bytes(Role::Path, self.file_path.0, out);
            out.extend_from_slice(b": ");
        }
        let what = if self.stopped {
            "WARNING: stopped searching binary file after match"
        } else {
            "binary file matches"
        };
        let offset = self.byte_offset;
        let _ = writeln!(out, "{what} (found \"\\0\" byte around offset {offset})");
    }
}
