//! Reads one or several parts in one pass over a document, and computes counts and checksums of
//! the file.

use std::ops::ControlFlow;

use super::reading::{Reading, Settings, Take, Wanted, ends_line};
use super::{FileFacts, Piece};
use crate::commands::json::Checksum;
use crate::error::Error;
use crate::files::document::Document;
use crate::text::boundary::last_line_is_code;
use crate::text::encoding::Encoding;
use crate::text::format::Feature;
use crate::text::span::Span;
use crate::text::text_stats::TextStats;

/// Up to this offset in bytes, the whole Markdown document is parsed to decide whether a
/// boundary is in code; after it, only the last [`WINDOW`] bytes.
const EXACT_LIMIT: u64 = 8 << 20;

/// Number of bytes before a boundary to parse, to decide whether it is in code.
const WINDOW: u64 = 1 << 20;

/// Facts about the file, collected while it is read.
struct Facts {
    encoding: Encoding,
    stats: Option<TextStats>,
    checksum: Option<Checksum>,
    decoded: Vec<u8>,
}

impl Facts {
    fn new(document: &Document, settings: Settings) -> Self {
        let encoding = document.encoding();
        let mut checksum = settings.file_checksum.then(Checksum::default);
        if let Some(checksum) = &mut checksum {
            checksum.push(&encoding.bom()[..document.bom_length()]);
        }
        let stats = settings.total.then(TextStats::new);
        Self { encoding, stats, checksum, decoded: Vec::new() }
    }

    /// Whether any facts about the whole file are needed.
    fn are_wanted(&self) -> bool {
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

/// Reads lines and passes their content to `take`, decoded unless raw bytes are requested.
pub(super) fn lines(
    document: &mut Document,
    wanted: &Wanted<'_>,
    settings: Settings,
    take: &mut Take<'_>,
) -> Result<Piece, Error> {
    if wanted.until.is_some() {
        document.take_whole_lines();
        if document.format().has(Feature::Code) {
            document.keep()?;
        }
    }
    if settings.max_bytes.is_some() {
        // Truncation happens between lines.
        document.take_whole_lines();
    }
    let mut reading = Reading::new(document, wanted, settings, take);
    if wanted.whole {
        let mark = &reading.encoding.bom()[..document.bom_length()];
        if let Some(checksum) = &mut reading.checksum {
            checksum.push(mark);
        }
        if settings.raw || reading.encoding.is_utf8() {
            reading.closed |= (reading.take)(mark).is_err();
        }
    }
    let mut readings = [reading];
    let (file, seen) = pass(document, settings, &mut readings)?;
    let [reading] = readings;
    let mut reading = reading.ended(seen, document)?;
    let open_limit = reading.piece.next_line.is_some() && !reading.piece.truncated;
    if open_limit && file.total_lines.is_none() && !reading.piece.has_more {
        reading.piece.has_more = more_follows(document)?;
    }
    let span = reading.boundary_span;
    let mut piece = reading.finish(&file);
    let judged = wanted.until.as_ref().is_some_and(|until| until.outside_code_of.is_none());
    if judged
        && let (Some(boundary), Some(span)) = (&mut piece.boundary, span)
        && document.format().has(Feature::Code)
    {
        boundary.in_code = is_code(document, span)?;
    }
    piece.file = file;
    Ok(piece)
}

/// A part and its content.
pub(super) type Gathered = (Piece, Vec<u8>);

/// Reads several parts, given as lines in any order, in one pass.
pub(super) fn many(
    document: &mut Document,
    wanted: &[Wanted<'_>],
    settings: Settings,
) -> Result<Vec<Result<Gathered, Error>>, Error> {
    if settings.max_bytes.is_some() {
        document.take_whole_lines();
    }
    let mut contents: Vec<Vec<u8>> = wanted.iter().map(|_| Vec::new()).collect();
    let mut takes: Vec<_> = contents
        .iter_mut()
        .map(|content| {
            |bytes: &[u8]| {
                content.extend_from_slice(bytes);
                Ok(())
            }
        })
        .collect();
    let mut readings: Vec<Reading<'_, '_>> = wanted
        .iter()
        .zip(&mut takes)
        .map(|(wanted, take)| Reading::new(document, wanted, settings, take))
        .collect();
    let (file, seen) = pass(document, settings, &mut readings)?;
    let ended: Vec<Result<Piece, Error>> = readings
        .into_iter()
        .map(|reading| {
            let piece = reading.ended(seen, document)?.finish(&file);
            Ok(Piece { file: file.clone(), ..piece })
        })
        .collect();
    drop(takes);
    Ok(ended.into_iter().zip(contents).map(|(piece, content)| Ok((piece?, content))).collect())
}

/// Scans a document once for all readings, each from its first line on. Also returns the number
/// of lines, which is exact if a reading asks for a line past the end.
fn pass(
    document: &mut Document,
    settings: Settings,
    readings: &mut [Reading<'_, '_>],
) -> Result<(FileFacts, u64), Error> {
    let encoding = document.encoding();
    let first = |index: &usize| readings[*index].wanted.ranges.first().map(|range| range.start());
    let mut order: Vec<(u64, usize)> =
        (0..readings.len()).filter_map(|index| first(&index).map(|line| (line, index))).collect();
    order.sort_unstable();
    let mut waiting = order.into_iter().peekable();
    let mut open: Vec<usize> = Vec::new();
    let mut facts = Facts::new(document, settings);
    let (mut line, mut seen) = (1, 0);
    document.raw_blocks(|block| {
        facts.push(block.raw);
        open.retain(|&index| {
            readings[index].block(block);
            !readings[index].is_done()
        });
        let mut at = 0;
        while let Some(&(start, index)) = waiting.peek() {
            match encoding.skip_lines(&block.raw[at..], start - line) {
                Ok(skipped) if at + skipped < block.raw.len() => {
                    (at, line) = (at + skipped, start);
                    readings[index].start(block, at, line);
                    if !readings[index].is_done() {
                        open.push(index);
                    }
                    waiting.next();
                }
                _ => break,
            }
        }
        if waiting.peek().is_some() {
            line += encoding.count_line_feeds(&block.raw[at..]);
            seen = line - 1 + u64::from(!ends_line(encoding, block.raw));
        }
        let goes_on = waiting.peek().is_some() || !open.is_empty() || facts.are_wanted();
        if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok((facts.finish(), seen))
}

/// Whether the document continues after the last block.
fn more_follows(document: &mut Document) -> Result<bool, Error> {
    let mut more = false;
    document.raw_blocks(|block| {
        more = !block.raw.is_empty();
        ControlFlow::Break(())
    })?;
    Ok(more)
}

/// Whether the line at `span` is in a code block.
fn is_code(document: &mut Document, span: Span) -> Result<bool, Error> {
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
