//! Reads lines in one pass over a document, and computes counts and checksums of the file.

use super::locate::Reader;
use super::reading::{LineRequest, Reading, Settings, Take};
use super::{FileFacts, Piece};
use crate::commands::json::Checksum;
use folio_files::error::Error;
use folio_outline::boundary::last_line_is_code;
use folio_outline::document::Document;
use folio_text::encoding::Encoding;
use folio_text::span::Span;
use folio_text::text_stats::TextStats;

/// Up to this offset in bytes, a boundary is checked for being in code by parsing the whole
/// Markdown document before it. For a later boundary, only the last [`WINDOW`] bytes are parsed.
const EXACT_LIMIT: u64 = 8 << 20;

/// Number of bytes before a boundary to parse when checking whether it is in code.
const WINDOW: u64 = 1 << 20;

/// What is determined about the file while it is read.
struct StreamFacts {
    encoding: Encoding,
    stats: Option<TextStats>,
    checksum: Option<Checksum>,
    decoded: Vec<u8>,
}

impl StreamFacts {
    fn new(document: &Document, settings: Settings) -> Self {
        let encoding = document.encoding();
        let mut checksum = settings.file_checksum.then(Checksum::default);
        if let Some(checksum) = &mut checksum {
            checksum.push(&encoding.bom()[..document.bom_length()]);
        }
        let stats = settings.total.then(TextStats::default);
        Self { encoding, stats, checksum, decoded: Vec::new() }
    }

    /// Whether a requested fact requires reading the whole file.
    fn need_all(&self) -> bool {
        self.stats.is_some() || self.checksum.is_some()
    }

    fn push(&mut self, raw: &[u8]) {
        if let Some(stats) = &mut self.stats {
            if self.encoding.is_utf8() {
                stats.push_bytes(raw);
            } else {
                self.decoded.clear();
                self.encoding.decode(raw, &mut self.decoded);
                stats.push_bytes(&self.decoded);
            }
        }
        if let Some(checksum) = &mut self.checksum {
            checksum.push(raw);
        }
    }

    fn finish(self) -> FileFacts {
        let mut encoding = self.encoding.name();
        if self.stats.as_ref().is_some_and(|stats| !stats.is_utf8() && self.encoding.is_utf8()) {
            encoding = "unknown-8bit".to_owned();
        }
        FileFacts {
            checksum: self.checksum.map(Checksum::digits),
            total_lines: self.stats.as_ref().map(TextStats::lines),
            encoding,
            line_ending: self.stats.as_ref().map(|stats| stats.line_ending().name()),
        }
    }
}

impl Reader<'_> {
    /// Reads lines and passes their content to `take`. The content is decoded unless raw bytes are
    /// requested. Reading begins at the last known line before the first requested line.
    pub(super) fn lines(
        &self,
        line_request: &LineRequest,
        settings: Settings,
        take: &mut Take<'_>,
    ) -> Result<Piece, Error> {
        let has_code = self.document.format().dialect().is_some();
        let checks_code = line_request
            .until
            .as_ref()
            .is_some_and(|until| has_code && until.outside_code.is_none());
        let mut facts = StreamFacts::new(&self.document, settings);
        let known = self.facts.get().cloned().filter(|_| facts.need_all());
        let is_pass_needed = known.is_none() && facts.need_all();
        let mut reading = Reading::from_document(&self.document, line_request, settings, take);
        let first = line_request.ranges.first().filter(|_| !is_pass_needed);
        let (line, offset) = self.known_start(first.map_or(1, |range| range.start()));
        reading.line = line;
        let mut blocks = self.document.blocks_at(offset).raw();
        if line_request.until.is_some() || settings.max_bytes.is_some() {
            // Output is truncated between lines.
            blocks = blocks.of_whole_lines();
        }
        while (is_pass_needed || !reading.is_done())
            && let Some(block) = blocks.next()?
        {
            if is_pass_needed {
                facts.push(block.raw);
            }
            if !reading.is_done() {
                let mut starts = self.starts.borrow_mut();
                let is_new = starts.last().is_none_or(|&(_, offset)| offset < block.offset);
                if is_new && !block.continues {
                    starts.push((reading.line, block.offset));
                }
                reading.block(&block);
            }
        }
        let file = known.unwrap_or_else(|| facts.finish());
        if is_pass_needed {
            let _ = self.facts.set(file.clone());
        }
        reading.end(&self.document)?;
        let piece = &mut reading.piece;
        let is_limited = piece.next_line.is_some() && !piece.truncated;
        if is_limited && file.total_lines.is_none() && !piece.has_more {
            piece.has_more = blocks.next()?.is_some();
        }
        if let (Some(boundary), Some(span)) = (&mut piece.boundary, reading.boundary_span)
            && checks_code
        {
            boundary.in_code = is_code(&self.document, span)?;
        }
        Ok(reading.finish(file))
    }

    /// Returns the last known line at or before a line, and its offset in the file.
    fn known_start(&self, line: u64) -> (u64, u64) {
        let starts = self.starts.borrow();
        let after = starts.partition_point(|&(known, _)| known <= line);
        after.checked_sub(1).map_or((1, 0), |nearest| starts[nearest])
    }

    /// Returns what was determined about the file.
    pub(super) fn facts(&self, settings: Settings) -> Result<FileFacts, Error> {
        let settings = Settings { checksum: false, ..settings };
        Ok(self.lines(&LineRequest::default(), settings, &mut |_| Ok(()))?.file)
    }
}

/// Whether the line at `span` is in a code block.
fn is_code(document: &Document, span: Span) -> Result<bool, Error> {
    let mark = document.bom_length() as u64;
    let exact = span.start() <= EXACT_LIMIT;
    let from = if exact { mark } else { span.start() - WINDOW };
    let raw = document.bytes_at(Span::new(from, span.end()))?;
    let encoding = document.encoding();
    let start = if exact { 0 } else { encoding.after_line_feed(&raw, 0).unwrap_or(0) };
    let mut text = Vec::new();
    encoding.decode(&raw[start..], &mut text);
    Ok(last_line_is_code(&text, exact))
}
