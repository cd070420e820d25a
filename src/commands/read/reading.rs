//! Reads one part while its document is scanned block by block: finds the start and end of its
//! ranges, applies limits, and finds the boundary line.

use std::rc::Rc;

use super::{Boundary, FileFacts, NamedSection, Options, Piece};
use crate::commands::json::Checksum;
use crate::commands::misses;
use crate::commands::output::{Closed, Style};
use crate::error::Error;
use crate::files::document::Document;
use crate::text::encoding::Encoding;
use crate::text::lines::{Block, count_newlines, without_end};
use crate::text::markdown::comments::CommentLines;
use crate::text::outline::Outline;
use crate::text::pattern::Pattern;
use crate::text::span::{LineRange, Span};

/// Receives content as it is read.
pub(super) type Take<'a> = dyn FnMut(&[u8]) -> Result<(), Closed> + 'a;

/// What to collect about a part and its file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Settings {
    pub max_lines: Option<u64>,
    pub max_bytes: Option<u64>,
    /// Whether to omit a first line that is too long.
    pub is_strict: bool,
    pub raw: bool,
    /// Whether to read the file to its end, to count its lines.
    pub total: bool,
    pub file_checksum: bool,
    pub checksum: bool,
    /// Whether to determine what only JSON shows: the end of a truncated part, and the section of a
    /// name.
    pub json: bool,
}

impl Settings {
    /// Creates the settings. JSON contains more than text.
    pub(super) fn new(options: &Options, style: Style) -> Self {
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
pub(super) struct Wanted<'a> {
    /// The ranges, sorted and disjoint; an open end is `u64::MAX`.
    pub ranges: Vec<LineRange>,
    /// Stop before the first match after the first line.
    pub until: Option<Until<'a>>,
    /// Maximum number of lines, if the user asked for a number of lines.
    pub limit: Option<u64>,
    /// The whole file, including its byte order mark.
    pub whole: bool,
    /// The section that was named.
    pub section: Option<NamedSection>,
}

impl Wanted<'_> {
    /// Creates a request for ranges in any order; overlapping ones are merged.
    pub(super) fn lines(ranges: &[LineRange]) -> Self {
        let mut sorted = ranges.to_vec();
        sorted.sort_unstable();
        let mut merged: Vec<LineRange> = Vec::with_capacity(sorted.len());
        for range in sorted {
            match merged.last_mut() {
                Some(last) if range.start() <= last.end() => {
                    *last = LineRange::from_to(last.start(), last.end().max(range.end()));
                }
                _ => merged.push(range),
            }
        }
        Self { ranges: merged, ..Self::default() }
    }

    /// Whether it consists only of line numbers.
    pub(super) fn is_plain(&self) -> bool {
        self.until.is_none() && self.limit.is_none() && !self.whole && !self.ranges.is_empty()
    }
}

/// The condition at which to stop.
#[derive(Clone, Debug)]
pub(super) struct Until<'a> {
    pub pattern: &'a Pattern,
    /// An outline whose code blocks are skipped.
    pub outside_code_of: Option<Rc<Outline>>,
    /// Comments to skip.
    pub outside: CommentLines,
}

/// A part that is read block by block.
pub(super) struct Reading<'a, 'b> {
    pub(super) wanted: &'a Wanted<'a>,
    raw: bool,
    pub(super) encoding: Encoding,
    pub(super) take: &'a mut Take<'b>,
    pub(super) piece: Piece,
    /// The number of the line in which the next block begins.
    line: u64,
    next_range: usize,
    /// The current range: its first line and the number of its lines that are done.
    inside: Option<(u64, u64)>,
    pub(super) boundary_span: Option<Span>,
    limit_left: Option<u64>,
    lines_left: Option<u64>,
    bytes_left: Option<u64>,
    is_strict: bool,
    pub(super) checksum: Option<Checksum>,
    /// Whether the part was truncated and only its end is still looked for.
    seeks: bool,
    seeks_end: bool,
    /// Whether the last line seen has no line ending.
    is_open: bool,
    pub(super) closed: bool,
    prints_nul: bool,
    found_nul: bool,
    decoded: Vec<u8>,
}

impl<'a, 'b> Reading<'a, 'b> {
    pub(super) fn new(
        document: &Document,
        wanted: &'a Wanted<'a>,
        settings: Settings,
        take: &'a mut Take<'b>,
    ) -> Self {
        Self {
            wanted,
            raw: settings.raw,
            encoding: document.encoding(),
            take,
            piece: Piece::default(),
            line: 1,
            next_range: 0,
            inside: None,
            boundary_span: None,
            limit_left: wanted.limit,
            lines_left: settings.max_lines,
            bytes_left: settings.max_bytes,
            is_strict: settings.is_strict,
            checksum: settings.checksum.then(Checksum::default),
            seeks: false,
            seeks_end: settings.json,
            is_open: false,
            closed: false,
            prints_nul: document.prints_nul(),
            found_nul: false,
            decoded: Vec::new(),
        }
    }

    /// Starts reading with `line`, which begins at `at` of a block.
    pub(super) fn start(&mut self, block: &Block<'_>, at: usize, line: u64) {
        self.line = line;
        let bytes = &block.raw[at..];
        let continues = block.continues && at == 0;
        let offset = block.offset + at as u64;
        self.block(&Block { bytes, offset, raw: bytes, continues });
    }

    pub(super) fn block(&mut self, block: &Block<'_>) {
        self.line += self.give_out(block);
        if !block.raw.is_empty() {
            self.is_open = !ends_line(self.encoding, block.raw);
        }
    }

    pub(super) fn is_done(&self) -> bool {
        let is_given = self.inside.is_none() && self.next_range >= self.wanted.ranges.len();
        self.closed || (is_given && !self.seeks)
    }

    /// Passes on the wanted part of a block. Returns the number of line endings in the block, or as
    /// many as were needed if the part is complete.
    fn give_out(&mut self, block: &Block<'_>) -> u64 {
        let raw = block.raw;
        let mut at = 0;
        // Line endings before `at`.
        let mut passed = 0;
        while !self.is_done() {
            if self.seeks {
                let line = self.line + passed;
                self.seeks = self.boundary(block, at, raw.len(), true, line).is_none();
                return passed + self.encoding.count_line_feeds(&raw[at..]);
            }
            if self.inside.is_none() {
                match self.enter(&raw[at..], self.line + passed) {
                    Ok((offset, skipped)) => (at, passed) = (at + offset, passed + skipped),
                    Err(found) => return passed + found,
                }
            }
            let Some((start, done)) = self.inside else { break };
            let line = self.line + passed;
            let end = self.wanted.ranges[self.next_range].end();
            // The last line of the range that this block may contain.
            let left = match self.limit_left {
                Some(limit) => limit.min(end.saturating_sub(line).saturating_add(1)),
                None => end.saturating_sub(line).saturating_add(1),
            };
            let (mut stop, mut ended) = match self.encoding.skip_lines(&raw[at..], left) {
                Ok(offset) => (at + offset, true),
                Err(_) => (raw.len(), false),
            };
            if let Some(found) = self.boundary(block, at, stop, done > 0, line) {
                stop = found;
                ended = true;
            }
            let (given, lines) =
                self.limited(&raw[at..stop], done > 0 && block.continues && at == 0);
            let cut = given < stop - at;
            self.emit(&raw[at..at + given]);
            if let Some(limit) = &mut self.limit_left {
                *limit -= self.encoding.count_line_feeds(&raw[at..at + given]).min(*limit);
            }
            let total_done = done + lines;
            at += given;
            passed += self.encoding.count_line_feeds(&raw[at - given..at]);
            if cut || ended {
                let limited = !cut && self.boundary_span.is_none() && line + left - 1 < end;
                self.end_range(start, total_done, cut, limited, at, raw);
                if cut {
                    self.next_range = self.wanted.ranges.len();
                    let is_open = self.wanted.until.is_some() && self.boundary_span.is_none();
                    self.seeks = self.seeks_end && is_open;
                }
            } else {
                self.inside = Some((start, total_done));
                return passed;
            }
        }
        passed
    }

    /// Begins the next range if it starts in these bytes, which begin with `line`. Returns the
    /// number of bytes and of line endings before it. Otherwise `Err` contains the number of line
    /// endings in the bytes, counted as far as needed.
    fn enter(&mut self, raw: &[u8], line: u64) -> Result<(usize, u64), u64> {
        let start = self.wanted.ranges[self.next_range].start();
        let skip = start - line;
        match self.encoding.skip_lines(raw, skip) {
            Ok(offset) if offset < raw.len() => {
                self.inside = Some((start, 0));
                Ok((offset, skip))
            }
            Ok(_) => Err(skip),
            Err(found) => Err(found),
        }
    }

    /// How many of `bytes` the limits allow, and how many lines that is.
    fn limited(&mut self, bytes: &[u8], continues: bool) -> (usize, u64) {
        let mut given = bytes.len();
        if let Some(left) = self.lines_left
            && let Ok(offset) = self.encoding.skip_lines(bytes, left)
        {
            given = given.min(offset);
        }
        if let Some(left) = self.bytes_left
            && given as u64 > left
        {
            given = self.byte_cut(&bytes[..given], left as usize);
        }
        self.piece.returned_bytes += given as u64;
        let newlines = self.encoding.count_line_feeds(&bytes[..given]);
        let open = given > 0 && !ends_line(self.encoding, &bytes[..given]);
        let lines = newlines + u64::from(open)
            - u64::from(continues && given > 0 && newlines + u64::from(open) > 0);
        if let Some(left) = &mut self.lines_left {
            *left = left.saturating_sub(newlines);
        }
        if let Some(left) = &mut self.bytes_left {
            *left = left.saturating_sub(given as u64);
        }
        (given, lines)
    }

    /// The length of the whole lines that fit. A first line that does not fit is returned anyway,
    /// because it is impossible to continue in the middle of it.
    fn byte_cut(&mut self, bytes: &[u8], left: usize) -> usize {
        let fits = self.encoding.after_last_line_feed(&bytes[..left.min(bytes.len())]);
        let is_first =
            self.piece.returned_lines == 0 && self.inside.is_none_or(|(_, done)| done == 0);
        match fits {
            Some(end) => end,
            None if is_first => {
                self.piece.is_long = true;
                if self.is_strict {
                    return 0;
                }
                self.encoding.after_line_feed(bytes, 0).unwrap_or(bytes.len())
            }
            None => 0,
        }
    }

    /// The offset of the boundary line in the block, if it is in `at..stop`.
    fn boundary(
        &mut self,
        block: &Block<'_>,
        at: usize,
        stop: usize,
        begun: bool,
        line: u64,
    ) -> Option<usize> {
        let until = self.wanted.until.as_ref()?;
        let raw = block.raw;
        // The first line cannot be the boundary.
        let mut from = at;
        let mut number = line;
        if !begun {
            from = self.encoding.after_line_feed(raw, at)?;
            number += 1;
        }
        self.decoded.clear();
        let text: &[u8] = if self.encoding.is_utf8() {
            &raw[from..stop]
        } else {
            self.encoding.decode(&raw[from..stop], &mut self.decoded);
            &self.decoded
        };
        let mut search_from = 0;
        let found = loop {
            let found = until.pattern.next_line(text, search_from)?;
            let at_line = number + count_newlines(&text[..found.start]);
            let in_code = until
                .outside_code_of
                .as_ref()
                .is_some_and(|outline| outline.code_at(at_line).is_some());
            let line = &text[found.clone()];
            let is_commented = !until.outside.is_empty()
                && until.outside.hold_all(
                    at_line,
                    line,
                    &until.pattern.find_all(without_end(line)).collect::<Vec<_>>(),
                );
            if !in_code && !is_commented {
                break (found, at_line);
            }
            search_from = found.end;
        };
        let (range, at_line) = found;
        let raw_start = match self.encoding.skip_lines(&raw[from..], at_line - number) {
            Ok(offset) => from + offset,
            Err(_) => return None,
        };
        let raw_end = self.encoding.after_line_feed(raw, raw_start).unwrap_or(raw.len());
        self.piece.boundary = Some(Boundary {
            line: at_line,
            text: without_end(&text[range]).to_vec(),
            in_code: false,
        });
        self.boundary_span =
            Some(Span::new(block.offset + raw_start as u64, block.offset + raw_end as u64));
        Some(raw_start)
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
        let sent = if self.raw || self.encoding.is_utf8() {
            (self.take)(raw)
        } else {
            self.decoded.clear();
            self.encoding.decode(raw, &mut self.decoded);
            (self.take)(&self.decoded)
        };
        self.closed |= sent.is_err();
    }

    /// Ends the current range after `done` of its lines. The block continues at `at`.
    fn end_range(
        &mut self,
        start: u64,
        done: u64,
        cut: bool,
        limited: bool,
        at: usize,
        raw: &[u8],
    ) {
        if done > 0 {
            self.piece.ranges.push(LineRange::from_to(start, start + done - 1));
        }
        self.piece.returned_lines += done;
        self.inside = None;
        self.next_range += 1;
        if cut {
            self.piece.truncated = true;
            self.piece.has_more = true;
            self.piece.next_line = Some(start + done);
        } else if limited {
            // Whether the line exists is only known if there is more to read.
            self.piece.next_line = Some(start + done);
            self.piece.has_more = at < raw.len();
        }
    }

    /// Called after the last block: the file may be shorter than the requested lines.
    pub(super) fn ended(mut self, seen: u64, document: &Document) -> Result<Self, Error> {
        if self.found_nul {
            return Err(document.binary_error());
        }
        if let Some((start, done)) = self.inside.take() {
            if done > 0 {
                self.piece.ranges.push(LineRange::from_to(start, start + done - 1));
            }
            self.piece.returned_lines += done;
            self.next_range += 1;
        }
        if self.next_range < self.wanted.ranges.len() && !self.closed {
            let start = self.wanted.ranges[self.next_range].start();
            // The later ranges are counted by this reading itself.
            let own = self.line - 1 + u64::from(self.is_open);
            let all = if self.next_range == 0 { seen } else { own };
            // Line 1 of an empty file is allowed and has no content.
            if !(all == 0 && start == 1) {
                return Err(misses::past_end(start, all, document.path()));
            }
        }
        Ok(self)
    }

    pub(super) fn finish(mut self, file: &FileFacts) -> Piece {
        let next = self.piece.next_line.filter(|_| !self.piece.truncated);
        if let (Some(next), Some(total)) = (next, file.total_lines) {
            self.piece.has_more = next <= total;
        }
        if !self.piece.has_more {
            self.piece.next_line = None;
        }
        let sought = self.wanted.until.is_some() && (!self.piece.truncated || self.seeks_end);
        self.piece.no_boundary = sought && self.piece.boundary.is_none();
        self.piece.range_checksum = self.checksum.map(Checksum::digits);
        self.piece
    }
}

pub(super) fn ends_line(encoding: Encoding, raw: &[u8]) -> bool {
    match encoding.unit() {
        1 => raw.last() == Some(&b'\n'),
        _ => encoding.after_last_line_feed(raw) == Some(raw.len()),
    }
}
