//! Content that is no run of whole lines of the file: the lines of code blocks
//! and tables without what their containers put before them.

use std::ops::ControlFlow;
use std::path::Path;

use super::Piece;
use super::reading::{Settings, Wanted};
use crate::commands::json::Checksum;
use crate::error::{Code, Error};
use crate::files::document::Document;
use crate::text::lines::{lines_with_ends, without_end};
use crate::text::markdown::DocumentScanner;
use crate::text::markdown::blocks::{CodeLine, HeadingBlock, Sink, TableLine};
use crate::text::outline::Code as CodeLines;
use crate::text::sections::{self, LineKind};
use crate::text::span::{LineRange, Span};

/// What a request leads to.
pub(super) enum Found<'r> {
    /// Lines of the file.
    Lines(Wanted<'r>),
    /// A key's lines, and the value in them.
    Value {
        /// The lines.
        lines: LineRange,
        /// What is given out in their place, if it is.
        value: Vec<u8>,
        /// Whether only the value is.
        alone: bool,
    },
    /// Lines without what their containers put before them.
    Content(Content),
    /// Bytes of a line.
    Bytes {
        /// The line.
        line: u64,
        /// The bytes; an open end is `u64::MAX`.
        span: Span,
    },
}

/// Lines of the file, one of these for each.
#[derive(Debug, Default)]
pub(super) struct Content {
    /// The number of the first; 0 where there are none.
    first: u64,
    text: Vec<u8>,
}

/// What is in a code block, or all of it.
pub(super) fn of_code(
    document: &mut Document,
    block: &CodeLines,
    fences: bool,
) -> Result<Content, Error> {
    let lines = match fences {
        true => Some(block.lines),
        false => {
            LineRange::new(block.lines.start() + 1, block.lines.end() - u64::from(block.closed))
        }
    };
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

/// Scans a document up to a line.
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
    /// From a line of the file on.
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

    /// The lines of the file that it is in.
    pub(super) fn lines(&self) -> Option<LineRange> {
        let count = lines_with_ends(&self.text).count() as u64;
        LineRange::new(self.first, (self.first + count).saturating_sub(1))
    }

    /// Its text.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// As much as limits let through, cut between lines: at least the first.
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

/// The text of some lines.
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

/// The value that the lines of an INI key hold: of several lines, their texts
/// joined as the file joins them.
pub(super) fn ini_value(raw: &[u8]) -> Vec<u8> {
    let mut lines = raw.split_inclusive(|&byte| byte == b'\n').map(without_end);
    let Some(first) = lines.next() else { return Vec::new() };
    let LineKind::Key(parts) = sections::ini_line(first) else { return Vec::new() };
    if raw.len() == first.len() || !lines.clone().any(|_| true) {
        return first[parts.value].to_vec();
    }
    let start = parts.value.start.min(first.len());
    let mut value = first[start..].trim_ascii().to_vec();
    let mut before = first;
    for line in lines {
        if sections::is_continued(before) {
            value.pop();
        } else {
            value.push(b'\n');
        }
        value.extend_from_slice(line.trim_ascii());
        before = line;
    }
    value
}
