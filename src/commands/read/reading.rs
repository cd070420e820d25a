//! Reads one part while its document is scanned block by block: finds the start and end of its
//! ranges, applies limits, and finds the boundary line.

use super::wire::NamedSection;
use super::{Boundary, FileFacts, Piece, ReadOptions};
use crate::commands::json::Checksum;
use crate::commands::misses;
use crate::commands::output::{Closed, Style};
use folio_files::document::binary_error;
use folio_files::error::Error;
use folio_markdown::comments::CommentLines;
use folio_outline::document::Document;
use folio_text::encoding::Encoding;
use folio_text::lines::{Block, count_newlines, without_end};
use folio_text::pattern::Pattern;
use folio_text::span::{LineRange, Span, merged};

/// Receives content as it is read.
pub(super) type Take<'a> = dyn FnMut(&[u8]) -> Result<(), Closed> + 'a;

/// What to determine about a part and its file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Settings {
    pub max_lines: Option<u64>,
    pub max_bytes: Option<u64>,
    /// Whether to omit the first line if it is too long.
    pub is_strict: bool,
    pub raw: bool,
    /// Whether to read the file to its end to count its lines.
    pub total: bool,
    pub file_checksum: bool,
    pub checksum: bool,
    /// Whether to determine what only JSON shows: the end of a truncated part, and the section with
    /// a name.
    pub json: bool,
}

impl Settings {
    /// Creates the settings. JSON output contains more than text.
    pub(super) fn new(options: &ReadOptions, style: Style) -> Self {
        let has_facts = style.json || style.tools;
        Self {
            max_lines: options.max_lines,
            max_bytes: options.max_bytes,
            is_strict: false,
            raw: options.raw,
            total: has_facts && !options.no_total,
            file_checksum: has_facts && options.checksum,
            checksum: has_facts || options.checksum,
            json: has_facts,
        }
    }
}

/// The lines to read.
#[derive(Clone, Debug, Default)]
pub(super) struct LineRequest {
    /// The ranges, sorted and disjoint. An open end is `u64::MAX`. There is only one range if
    /// `until` or `limit` is set.
    pub ranges: Vec<LineRange>,
    /// If set, reading stops before the first match after the first line.
    pub until: Option<Until>,
    /// Maximum number of lines, if the user has given one.
    pub limit: Option<u64>,
    /// Whether to read the whole file, including its byte order mark.
    pub is_whole_file: bool,
    /// The section, if the request named one.
    pub section: Option<NamedSection>,
}

impl LineRequest {
    /// Creates a request for ranges, which may be in any order. Overlapping ranges are merged.
    pub(super) fn lines(ranges: &[LineRange]) -> Self {
        Self { ranges: merged(ranges.to_vec(), 0), ..Self::default() }
    }

    pub(super) fn whole_file() -> Self {
        Self { is_whole_file: true, ..Self::lines(&[LineRange::from_to(1, u64::MAX)]) }
    }

    /// Returns the last line of a range within the limit.
    fn end(&self, range: LineRange) -> u64 {
        let limit = self.limit.map(|limit| range.start().saturating_add(limit) - 1);
        range.end().min(limit.unwrap_or(u64::MAX))
    }
}

/// The condition at which to stop reading.
#[derive(Clone, Debug)]
pub(super) struct Until {
    pub pattern: Pattern,
    /// The lines of the code blocks to skip, in order. `None` if matches in code blocks count.
    pub outside_code: Option<Vec<LineRange>>,
    /// The comments to skip.
    pub outside: CommentLines,
}

/// The state of reading one part, block by block.
pub(super) struct Reading<'a, 'b> {
    line_request: &'a LineRequest,
    settings: Settings,
    encoding: Encoding,
    take: &'a mut Take<'b>,
    pub(super) piece: Piece,
    /// The number of the line at the current position.
    pub(super) line: u64,
    /// Whether the current position is within a line.
    is_open: bool,
    next_range: usize,
    /// Whether content of the current range has been read.
    is_inside: bool,
    pub(super) boundary_span: Option<Span>,
    checksum: Option<Checksum>,
    /// Whether the part has been truncated, so that reading continues only to determine its end.
    is_seeking: bool,
    /// Whether the output has been closed.
    closed: bool,
    prints_nul: bool,
    found_nul: bool,
    decoded: Vec<u8>,
}

impl<'a, 'b> Reading<'a, 'b> {
    pub(super) fn new(
        encoding: Encoding,
        line_request: &'a LineRequest,
        settings: Settings,
        take: &'a mut Take<'b>,
    ) -> Self {
        Self {
            line_request,
            settings,
            encoding,
            take,
            piece: Piece::default(),
            line: 1,
            is_open: false,
            next_range: 0,
            is_inside: false,
            boundary_span: None,
            checksum: settings.checksum.then(Checksum::default),
            is_seeking: false,
            closed: false,
            prints_nul: true,
            found_nul: false,
            decoded: Vec::new(),
        }
    }

    pub(super) fn from_document(
        document: &Document,
        line_request: &'a LineRequest,
        settings: Settings,
        take: &'a mut Take<'b>,
    ) -> Self {
        let mut reading = Self::new(document.encoding(), line_request, settings, take);
        reading.prints_nul = document.prints_nul();
        if line_request.is_whole_file {
            let mark = &reading.encoding.bom()[..document.bom_length()];
            if let Some(checksum) = &mut reading.checksum {
                checksum.push(mark);
            }
            if settings.raw || reading.encoding.is_utf8() {
                reading.closed = (reading.take)(mark).is_err();
            }
        }
        reading
    }

    pub(super) fn is_done(&self) -> bool {
        let is_given = self.next_range >= self.line_request.ranges.len();
        self.closed || (is_given && !self.is_seeking)
    }

    pub(super) fn block(&mut self, block: &Block<'_>) {
        let mut rest = *block;
        while !rest.raw.is_empty() && !self.is_done() {
            let count = self.step(&rest);
            let raw = &rest.raw[count..];
            rest = Block { bytes: raw, raw, offset: rest.offset + count as u64, ..rest };
        }
    }

    /// Handles the start of a block: lines before the next range, or lines in it. Returns the
    /// number of bytes handled.
    fn step(&mut self, block: &Block<'_>) -> usize {
        let raw = block.raw;
        if self.is_seeking {
            self.is_seeking = self.boundary(block, raw.len()).is_none();
            return self.pass(raw);
        }
        let range = self.line_request.ranges[self.next_range];
        if self.line < range.start() {
            return match self.encoding.skip_lines(raw, range.start() - self.line) {
                Ok(count) => {
                    (self.line, self.is_open) = (range.start(), false);
                    count
                }
                Err(found) => {
                    self.line += found;
                    self.is_open = !ends_line(self.encoding, raw);
                    raw.len()
                }
            };
        }
        self.is_inside = true;
        let end = self.line_request.end(range);
        let left = end.saturating_add(1).saturating_sub(self.line);
        let (mut stop, mut is_ended) = match self.encoding.skip_lines(raw, left) {
            Ok(stop) => (stop, true),
            Err(_) => (raw.len(), false),
        };
        let is_limited = is_ended && end < range.end();
        let boundary = self.boundary(block, stop);
        if let Some(boundary) = boundary {
            (stop, is_ended) = (boundary, true);
        }
        let count = self.limited(&raw[..stop]);
        self.emit(&raw[..count]);
        self.pass(&raw[..count]);
        if count < stop {
            self.piece.truncated = true;
            self.piece.has_more = true;
            self.piece.next_line = Some(self.line);
            self.end_range();
            self.next_range = self.line_request.ranges.len();
            self.is_seeking =
                self.settings.json && self.line_request.until.is_some() && boundary.is_none();
        } else if is_ended {
            if is_limited && boundary.is_none() {
                // Whether this line exists is known only if there is more input.
                self.piece.next_line = Some(self.line);
                self.piece.has_more = count < raw.len();
            }
            self.end_range();
        }
        count
    }

    /// Advances the position past some bytes, and returns their number.
    fn pass(&mut self, raw: &[u8]) -> usize {
        self.line += self.encoding.count_line_feeds(raw);
        if !raw.is_empty() {
            self.is_open = !ends_line(self.encoding, raw);
        }
        raw.len()
    }

    /// Ends the current range at the current position.
    fn end_range(&mut self) {
        let start = self.line_request.ranges[self.next_range].start();
        self.piece.ranges.extend(LineRange::new(start, self.lines_so_far()));
        self.is_inside = false;
        self.next_range += 1;
    }

    /// Returns the number of lines up to the current position.
    fn lines_so_far(&self) -> u64 {
        self.line - u64::from(!self.is_open)
    }

    /// Returns how many of the next bytes the limits allow.
    fn limited(&mut self, bytes: &[u8]) -> usize {
        let mut count = bytes.len();
        if let Some(left) = &mut self.settings.max_lines {
            count = self.encoding.skip_lines(bytes, *left).unwrap_or(count);
            *left = left.saturating_sub(self.encoding.count_line_feeds(&bytes[..count]));
        }
        if let Some(left) = self.settings.max_bytes {
            if count as u64 > left {
                count = self.byte_cut(&bytes[..count], left as usize);
            }
            self.settings.max_bytes = Some(left.saturating_sub(count as u64));
        }
        self.piece.returned_bytes += count as u64;
        count
    }

    /// Returns the length of the whole lines that fit. Includes the first line even if it does not
    /// fit, because reading cannot continue within a line.
    fn byte_cut(&mut self, bytes: &[u8], left: usize) -> usize {
        let fits = self.encoding.after_last_line_feed(&bytes[..left.min(bytes.len())]);
        match fits {
            Some(end) => end,
            None if self.piece.returned_bytes == 0 => {
                self.piece.is_long = true;
                if self.settings.is_strict {
                    return 0;
                }
                self.encoding.after_line_feed(bytes, 0).unwrap_or(bytes.len())
            }
            None => 0,
        }
    }

    /// Returns the offset of the boundary line in the first `stop` bytes of a block.
    fn boundary(&mut self, block: &Block<'_>, stop: usize) -> Option<usize> {
        let until = self.line_request.until.as_ref()?;
        let raw = block.raw;
        let (mut from, mut number) = (0, self.line);
        if self.line == self.line_request.ranges[0].start() {
            // The first line cannot be the boundary.
            from = self.encoding.after_line_feed(&raw[..stop], 0)?;
            number += 1;
        }
        self.decoded.clear();
        let text: &[u8] = if self.encoding.is_utf8() {
            &raw[from..stop]
        } else {
            self.encoding.decode(&raw[from..stop], &mut self.decoded);
            &self.decoded
        };
        let (mut search_from, mut at_line, mut counted) = (0, number, 0);
        let found = loop {
            let found = until.pattern.next_line(text, search_from)?;
            at_line += count_newlines(&text[counted..found.start]);
            counted = found.start;
            if !until.skips(at_line, &text[found.clone()]) {
                break found;
            }
            search_from = found.end;
        };
        let start = from + self.encoding.skip_lines(&raw[from..], at_line - number).ok()?;
        let end = self.encoding.after_line_feed(raw, start).unwrap_or(raw.len());
        let text = without_end(&text[found]).to_vec();
        self.piece.boundary = Some(Boundary { line: at_line, text, in_code: false });
        let offset = |at: usize| block.offset + at as u64;
        self.boundary_span = Some(Span::new(offset(start), offset(end)));
        Some(start)
    }

    fn emit(&mut self, raw: &[u8]) {
        if raw.is_empty() || self.found_nul {
            return;
        }
        if !self.prints_nul && memchr::memchr(0, raw).is_some() {
            (self.found_nul, self.closed) = (true, true);
            return;
        }
        if let Some(checksum) = &mut self.checksum {
            checksum.push(raw);
        }
        let sent = if self.settings.raw || self.encoding.is_utf8() {
            (self.take)(raw)
        } else {
            self.decoded.clear();
            self.encoding.decode(raw, &mut self.decoded);
            (self.take)(&self.decoded)
        };
        self.closed |= sent.is_err();
    }

    /// Ends the reading after the last block.
    ///
    /// # Errors
    ///
    /// Fails if the document is shorter than the requested lines, or binary.
    pub(super) fn end(&mut self, document: &Document) -> Result<(), Error> {
        if self.found_nul {
            return Err(binary_error(document));
        }
        if self.is_inside {
            self.end_range();
        }
        let missing = self.line_request.ranges.get(self.next_range).filter(|_| !self.closed);
        let (start, all) = (missing.map_or(1, |range| range.start()), self.lines_so_far());
        // Line 1 of an empty file is allowed and has no content.
        if missing.is_some() && !(all == 0 && start == 1) {
            Err(misses::past_end(start, all, document.path()))
        } else {
            Ok(())
        }
    }

    pub(super) fn finish(mut self, file: FileFacts) -> Piece {
        if self.is_inside {
            self.end_range();
        }
        let next = self.piece.next_line.filter(|_| !self.piece.truncated);
        if let (Some(next), Some(total)) = (next, file.total_lines) {
            self.piece.has_more = next <= total;
        }
        if !self.piece.has_more {
            self.piece.next_line = None;
        }
        let is_sought =
            self.line_request.until.is_some() && (!self.piece.truncated || self.settings.json);
        self.piece.no_boundary = is_sought && self.piece.boundary.is_none();
        self.piece.returned_lines = self.piece.ranges.iter().map(|range| range.count()).sum();
        self.piece.range_checksum = self.checksum.map(Checksum::digits);
        self.piece.file = file;
        self.piece
    }
}

impl Until {
    /// Whether a matching line is in code or in a comment, so that the part does not end there.
    fn skips(&self, number: u64, line: &[u8]) -> bool {
        let is_code = self.outside_code.as_ref().is_some_and(|code| {
            let at = code.partition_point(|lines| lines.end() < number);
            code.get(at).is_some_and(|lines| lines.contains(number))
        });
        let is_commented = || {
            let found: Vec<_> = self.pattern.find_all(without_end(line)).collect();
            self.outside.hold_all(number, line, &found)
        };
        is_code || (!self.outside.is_empty() && is_commented())
    }
}

fn ends_line(encoding: Encoding, raw: &[u8]) -> bool {
    match encoding.unit_size() {
        1 => raw.last() == Some(&b'\n'),
        _ => encoding.after_last_line_feed(raw) == Some(raw.len()),
    }
}
