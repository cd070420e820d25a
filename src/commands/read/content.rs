//! Content other than whole lines of the file, such as the lines of code blocks and tables without
//! their container prefixes.

use std::path::Path;

use super::reading::{LineRequest, Reading, Settings, Take};
use super::{FileFacts, Piece};
use serde_json::value::RawValue;

use crate::commands::json::Checksum;
use folio_files::document::binary_error;
use folio_files::error::{Code, Error};
use folio_markdown::DocumentScanner;
use folio_markdown::blocks::{CodeLine, PartLines};
use folio_outline::document::Document;
use folio_text::encoding::Encoding;
use folio_text::lines::{Block, lines_with_ends};
use folio_text::span::{LineRange, Span};

/// The result of locating a request.
pub(super) enum LocatedRequest {
    /// Lines of the file.
    Lines(LineRequest),
    /// The value of a key.
    Value {
        /// The lines of the key.
        lines: LineRange,
        /// The value.
        value: Vec<u8>,
        /// The value as data, for JSON, if the document is a tree of keys.
        data: Option<Box<RawValue>>,
        /// Whether to return only the value.
        alone: bool,
    },
    /// Lines without their container prefixes.
    Content(Content),
    /// Bytes of a line.
    Bytes {
        /// The line.
        line: u64,
        /// The bytes. An open end is `u64::MAX`.
        span: Span,
    },
}

impl LocatedRequest {
    /// Returns the lines, if only line numbers select the part.
    pub(super) fn plain(&self) -> Option<&LineRequest> {
        match self {
            Self::Lines(line_request)
                if line_request.until.is_some() || line_request.limit.is_some() =>
            {
                None
            }
            Self::Lines(line_request) => {
                Some(line_request).filter(|line_request| !line_request.ranges.is_empty())
            }
            _ => None,
        }
    }

    /// Returns the line number in the file at which the part begins.
    pub(super) fn first_line(&self) -> Option<u64> {
        match self {
            Self::Lines(line_request) => line_request.ranges.first().map(|range| range.start()),
            Self::Value { lines, .. } => Some(lines.start()),
            Self::Content(content) => content.lines().map(LineRange::start),
            Self::Bytes { line, .. } => Some(*line),
        }
    }

    /// Whether both parts have the same content of the file.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Lines(lines), Self::Lines(other)) => {
                let is_same_end = lines.until.is_some() == other.until.is_some();
                lines.ranges == other.ranges && lines.limit == other.limit && is_same_end
            }
            (
                Self::Value { lines, alone, .. },
                Self::Value { lines: other, alone: other_alone, .. },
            ) => lines == other && alone == other_alone,
            (Self::Content(content), Self::Content(other)) => content == other,
            (Self::Bytes { line, span }, Self::Bytes { line: other, span: other_span }) => {
                line == other && span == other_span
            }
            _ => false,
        }
    }
}

/// Lines of text, each of which corresponds to a line of the file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Content {
    /// The number of the first line. 0 if there are none.
    first: u64,
    text: Vec<u8>,
}

/// Returns the lines of a code block, or the rows of a table.
pub(super) fn part_content<const TABLE: bool>(
    document: &Document,
    lines: Option<LineRange>,
) -> Result<Content, Error> {
    let Some(lines) = lines else { return Ok(Content::default()) };
    let mut content = Vec::new();
    let each = |line: CodeLine<'_>| {
        content.resize(content.len() + line.spaces, b' ');
        content.extend_from_slice(line.bytes);
    };
    let mut sink = PartLines::<_, TABLE> { lines, each };
    let mut scanner = DocumentScanner::new(document.format().dialect().unwrap_or_default());
    let mut blocks = document.blocks().of_whole_lines();
    while scanner.lines() < lines.end()
        && let Some(block) = blocks.next()?
    {
        scanner.scan(&block, &mut sink);
    }
    scanner.finish(&mut sink);
    if !document.prints_nul() && memchr::memchr(0, &content).is_some() {
        return Err(binary_error(document));
    }
    Ok(Content { first: lines.start(), text: content })
}

impl Content {
    /// Creates content whose first line has this number in the file.
    pub(super) fn new(first: u64, text: Vec<u8>) -> Self {
        Self { first, text }
    }

    /// Restricts the content to lines of the file, which it contains.
    pub(super) fn within(self, lines: LineRange) -> Self {
        let inner = lines_with_ends(&self.text).skip((lines.start() - self.first) as usize);
        let text = inner.take(lines.count() as usize).collect::<Vec<_>>().concat();
        Self { first: lines.start(), text }
    }

    /// Drops the content before a line of the file.
    ///
    /// # Errors
    ///
    /// Fails if the content does not contain the line.
    pub(super) fn from(mut self, line: Option<u64>, path: &Path) -> Result<Self, Error> {
        let Some(line) = line.filter(|&line| line > self.first) else { return Ok(self) };
        let skipped = line - self.first;
        let last = self.lines().map_or(0, LineRange::end);
        if line > last {
            let message = format!("no line {line}: the part ends with line {last}");
            return Err(Error::new(Code::LineOutOfRange, message).at(path));
        }
        let start: usize =
            lines_with_ends(&self.text).take(skipped as usize).map(<[u8]>::len).sum();
        self.text.drain(..start);
        Ok(Self { first: line, ..self })
    }

    /// Returns the corresponding lines of the file.
    pub(super) fn lines(&self) -> Option<LineRange> {
        let count = lines_with_ends(&self.text).count() as u64;
        LineRange::new(self.first, (self.first + count).saturating_sub(1))
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Reads as many whole lines as the limits allow.
    pub(super) fn read(&self, file: FileFacts, settings: Settings, take: &mut Take<'_>) -> Piece {
        let ranges = self.lines().into_iter().collect();
        let line_request = LineRequest { ranges, ..LineRequest::default() };
        let mut reading = Reading::new(Encoding::Utf8, &line_request, settings, take);
        reading.line = self.first;
        reading.block(&Block::new(&self.text, 0));
        reading.finish(file)
    }
}

pub(super) fn checksum(content: &[u8]) -> String {
    let mut checksum = Checksum::default();
    checksum.push(content);
    checksum.digits()
}
