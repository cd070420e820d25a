//! Content other than whole lines of the file, such as the lines of code blocks and tables
//! without their container prefixes.

use std::ops::ControlFlow;
use std::path::Path;

use super::Piece;
use super::reading::{Settings, Wanted};
use crate::commands::json::Checksum;
use crate::commands::locate::Located;
use crate::error::{Code, Error};
use crate::files::document::Document;
use crate::text::lines::{lines_with_ends, without_end};
use crate::text::markdown::DocumentScanner;
use crate::text::markdown::blocks::{CodeLine, HeadingBlock, Sink, TableLine};
use crate::text::sections;
use crate::text::span::{LineRange, Span};

/// The result of locating a request.
pub(super) enum Found<'r> {
    /// Lines of the file.
    Lines(Wanted<'r>),
    /// The lines of a key, and its value.
    Value {
        /// The lines of the key.
        lines: LineRange,
        /// The value to return instead of the lines, if any.
        value: Vec<u8>,
        /// Whether to return only the value.
        alone: bool,
    },
    /// Lines without their container prefixes.
    Content(Content),
    /// Bytes of a line.
    Bytes {
        /// The line.
        line: u64,
        /// The bytes; an open end is `u64::MAX`.
        span: Span,
    },
}

/// Lines of text, each of which corresponds to a line of the file.
#[derive(Debug, Default)]
pub(super) struct Content {
    /// The number of the first line; 0 if there are none.
    first: u64,
    text: Vec<u8>,
}

/// Lines of a code block.
pub(super) fn of_code(document: &mut Document, lines: Option<LineRange>) -> Result<Content, Error> {
    let Some(lines) = lines else { return Ok(Content::default()) };
    let sink = CodeSink(Gathered { lines, text: Vec::new() });
    let sink = scanned(document, lines.end(), sink)?;
    sink.0.content(document)
}

/// The rows of a table.
pub(super) fn of_table(document: &mut Document, lines: LineRange) -> Result<Content, Error> {
    let sink = TableSink(Gathered { lines, text: Vec::new() });
    let sink = scanned(document, lines.end(), sink)?;
    sink.0.content(document)
}

/// Scans a document up to the line `last`.
fn scanned<S: Sink>(document: &mut Document, last: u64, mut sink: S) -> Result<S, Error> {
    document.take_whole_lines();
    let mut scanner = DocumentScanner::new(document.format().dialect());
    document.blocks(|text| {
        scanner.scan(text, &mut sink);
        if scanner.lines() >= last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    scanner.finish(&mut sink);
    document.rewind()?;
    Ok(sink)
}

impl Content {
    /// Drops the content before a line of the file.
    ///
    /// # Errors
    ///
    /// Fails if the line is not in the content.
    pub(super) fn from(mut self, line: Option<u64>, path: &Path) -> Result<Self, Error> {
        let Some(line) = line.filter(|&line| line > self.first) else { return Ok(self) };
        let skipped = line - self.first;
        let last = self.lines().map_or(0, LineRange::end);
        if line > last {
            let message = format!("no line {line}: what is named ends with line {last}");
            return Err(Error::new(Code::LineOutOfRange, message).at(path));
        }
        let start: usize =
            lines_with_ends(&self.text).take(skipped as usize).map(<[u8]>::len).sum();
        self.text.drain(..start);
        Ok(Self { first: line, ..self })
    }

    /// The corresponding lines of the file.
    pub(super) fn lines(&self) -> Option<LineRange> {
        let count = lines_with_ends(&self.text).count() as u64;
        LineRange::new(self.first, (self.first + count).saturating_sub(1))
    }

    /// The text.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// As many whole lines as the limits allow, but at least the first one.
    pub(super) fn piece(&self, settings: Settings) -> (Piece, &[u8]) {
        let mut piece = Piece::default();
        let mut end = 0;
        for line in lines_with_ends(&self.text) {
            let fits = |limit: Option<u64>, used: u64| limit.is_none_or(|limit| used <= limit);
            let is_short = fits(settings.max_bytes, (end + line.len()) as u64);
            piece.is_long |= piece.returned_lines == 0 && !is_short;
            let is_first = piece.returned_lines == 0 && !settings.is_strict;
            if !fits(settings.max_lines, piece.returned_lines + 1) || !(is_short || is_first) {
                piece.truncated = true;
                piece.has_more = true;
                piece.next_line = Some(self.first + piece.returned_lines);
                break;
            }
            piece.returned_lines += 1;
            end += line.len();
        }
        piece.returned_bytes = end as u64;
        let last = (self.first + piece.returned_lines).saturating_sub(1);
        piece.ranges = LineRange::new(self.first, last).into_iter().collect();
        let given = &self.text[..end];
        piece.range_checksum = settings.checksum.then(|| {
            let mut checksum = Checksum::default();
            checksum.push(given);
            checksum.digits()
        });
        (piece, given)
    }
}

/// A sink that collects the text of lines.
struct Gathered {
    lines: LineRange,
    text: Vec<u8>,
}

impl Gathered {
    fn content(self, document: &Document) -> Result<Content, Error> {
        if !document.prints_nul() && memchr::memchr(0, &self.text).is_some() {
            return Err(document.binary_error());
        }
        Ok(Content { first: self.lines.start(), text: self.text })
    }
}

struct CodeSink(Gathered);

impl Sink for CodeSink {
    const CODE_LINES: bool = true;

    fn heading(&mut self, _: HeadingBlock<'_>) {}

    fn code_line(&mut self, line: CodeLine<'_>) {
        let gathered = &mut self.0;
        if gathered.lines.contains(line.line) {
            gathered.text.resize(gathered.text.len() + line.spaces, b' ');
            gathered.text.extend_from_slice(line.bytes);
        }
    }
}

struct TableSink(Gathered);

impl Sink for TableSink {
    const TABLES: bool = true;

    fn heading(&mut self, _: HeadingBlock<'_>) {}

    fn table_line(&mut self, line: TableLine<'_>) {
        if self.0.lines.contains(line.line) {
            self.0.text.extend_from_slice(line.bytes);
        }
    }
}

/// The value of a key, given the text of its lines.
pub(super) fn value(raw: &[u8], found: &Located<'_>) -> Vec<u8> {
    let span = found.value_in(raw).unwrap_or_default();
    let value = raw.get(span.clone()).unwrap_or_default();
    if let Located::Key(_) = found {
        return ini_value(raw, value);
    }
    let is_quoted = matches!(raw.get(span.end), Some(quote @ (b'"' | b'\''))
        if span.start > 0 && raw[span.start - 1] == *quote);
    if is_quoted {
        return value.to_vec();
    }
    let value = value.strip_prefix(b"\r").unwrap_or(value);
    value.strip_prefix(b"\n").unwrap_or(value).trim_ascii_end().to_vec()
}

/// The value of an INI key, from its lines. The lines of a multi-line value are joined as in
/// the file.
fn ini_value(raw: &[u8], value: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = lines_with_ends(raw).map(without_end).collect();
    let [first, further @ ..] = &lines[..] else { return Vec::new() };
    if further.is_empty() {
        return value.to_vec();
    }
    let value = lines_with_ends(value).next().unwrap_or_default();
    let mut joined = without_end(value).trim_ascii().to_vec();
    let mut before = *first;
    for line in further {
        if sections::is_continued(before) {
            joined.pop();
        } else {
            joined.push(b'\n');
        }
        joined.extend_from_slice(line.trim_ascii());
        before = line;
    }
    joined
}
