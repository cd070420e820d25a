//! Gives out lines of a document as it goes by: ranges, or from a line to the
//! next match; counts and checksums on the way.

use std::ops::ControlFlow;

use super::{Boundary, Piece, ReadOptions};
use crate::commands::json::Checksum;
use crate::commands::misses;
use crate::commands::output::Closed;
use crate::error::Error;
use crate::files::document::Document;
use crate::text::boundary::last_line_is_code;
use crate::text::encoding::Encoding;
use crate::text::format::Feature;
use crate::text::lines::{Block, count_newlines, without_end};
use crate::text::outline::Outline;
use crate::text::pattern::Pattern;
use crate::text::span::{LineRange, Span};
use crate::text::text_stats::TextStats;

/// Up to here a boundary in a Markdown document is judged by all that comes
/// before it; beyond, by as much as [`WINDOW`].
const EXACT_LIMIT: u64 = 8 << 20;

/// Bytes before a boundary that tell whether it stands in code.
const WINDOW: u64 = 1 << 20;

/// Takes content as it is read.
pub(super) type Take<'a> = dyn FnMut(&[u8]) -> Result<(), Closed> + 'a;

/// Which lines are wanted.
#[derive(Clone, Debug)]
pub(super) struct Wanted<'a> {
    /// In order, not overlapping; an open end is `u64::MAX`.
    pub ranges: Vec<LineRange>,
    /// Stop before the first match after the first line.
    pub until: Option<Until<'a>>,
    /// Lines after which a range is cut because somebody asked for so many.
    pub limit: Option<u64>,
    /// The whole file, its byte order mark included.
    pub whole: bool,
}

/// Where to stop.
#[derive(Clone, Debug)]
pub(super) struct Until<'a> {
    pub pattern: &'a Pattern,
    /// The outline whose code blocks are passed over.
    pub outside_code_of: Option<&'a Outline>,
}

/// Reads the wanted lines; `take` gets their content, decoded unless raw.
pub(super) fn lines(
    document: &mut Document,
    wanted: &Wanted<'_>,
    options: &ReadOptions,
    take: &mut Take<'_>,
) -> Result<Piece, Error> {
    let has_code = document.format().has(Feature::Code);
    if wanted.until.is_some() {
        document.take_whole_lines();
        if has_code {
            document.keep()?;
        }
    }
    let encoding = document.encoding();
    let mut reading = Reading {
        wanted,
        options,
        encoding,
        take,
        piece: Piece { encoding: encoding.name(), ..Piece::default() },
        line: 1,
        next_range: 0,
        inside: None,
        boundary_span: None,
        limit_left: wanted.limit,
        lines_left: options.max_lines,
        bytes_left: options.max_bytes,
        checksum: options.checksum.then(Checksum::default),
        file_checksum: options.file_checksum.then(Checksum::default),
        stats: options.total.then(TextStats::new),
        last_byte_ended: true,
        any: false,
        closed: false,
        prints_nul: document.prints_nul(),
        found_nul: false,
        decoded: Vec::new(),
    };
    let mark = &encoding.bom()[..document.bom_length()];
    if let Some(checksum) = &mut reading.file_checksum {
        checksum.push(mark);
    }
    if wanted.whole {
        if let Some(checksum) = &mut reading.checksum {
            checksum.push(mark);
        }
        if options.raw || encoding.is_utf8() {
            reading.closed |= (reading.take)(mark).is_err();
        }
    }
    document.raw_blocks(|block| reading.block(block))?;
    if reading.found_nul {
        return Err(document.binary_error());
    }
    reading.finish(document)
}

struct Reading<'a, 'b> {
    wanted: &'a Wanted<'a>,
    options: &'a ReadOptions,
    encoding: Encoding,
    take: &'a mut Take<'b>,
    piece: Piece,
    /// The number of the line that the next block begins in.
    line: u64,
    next_range: usize,
    /// The range that is being given out: its first line and how many lines of
    /// it are done with.
    inside: Option<(u64, u64)>,
    boundary_span: Option<Span>,
    limit_left: Option<u64>,
    lines_left: Option<u64>,
    bytes_left: Option<u64>,
    checksum: Option<Checksum>,
    file_checksum: Option<Checksum>,
    stats: Option<TextStats>,
    last_byte_ended: bool,
    any: bool,
    closed: bool,
    prints_nul: bool,
    found_nul: bool,
    decoded: Vec<u8>,
}

impl Reading<'_, '_> {
    fn block(&mut self, block: &Block<'_>) -> ControlFlow<()> {
        let raw = block.raw;
        if let Some(stats) = &mut self.stats {
            if self.encoding.is_utf8() {
                stats.push_bytes(raw);
            } else {
                self.decoded.clear();
                self.encoding.decode(raw, &mut self.decoded);
                stats.push_bytes(&self.decoded);
            }
        }
        if let Some(checksum) = &mut self.file_checksum {
            checksum.push(raw);
        }
        let newlines = if self.is_done() {
            if self.stats.is_none() && self.file_checksum.is_none() {
                return ControlFlow::Break(());
            }
            // The stats has the count.
            0
        } else {
            self.give_out(block)
        };
        self.any |= !raw.is_empty();
        self.last_byte_ended = ends_line(self.encoding, raw);
        self.line += newlines;
        let finished =
            self.closed || (self.is_done() && self.stats.is_none() && self.file_checksum.is_none());
        if finished { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn is_done(&self) -> bool {
        self.inside.is_none() && self.next_range >= self.wanted.ranges.len()
    }

    /// Gives out what is wanted of a block; how many line ends it holds, or,
    /// where nothing more is wanted, as many as were needed.
    fn give_out(&mut self, block: &Block<'_>) -> u64 {
        let raw = block.raw;
        let mut at = 0;
        // Line ends before `at`.
        let mut passed = 0;
        while !self.is_done() && !self.closed {
            if self.inside.is_none() {
                let start = self.wanted.ranges[self.next_range].start();
                let skip = start - (self.line + passed);
                match self.encoding.skip_lines(&raw[at..], skip) {
                    Ok(offset) if at + offset < raw.len() => {
                        at += offset;
                        passed += skip;
                        self.inside = Some((start, 0));
                    }
                    Ok(_) => return passed + skip,
                    Err(found) => return passed + found,
                }
            }
            let Some((start, done)) = self.inside else { break };
            let line = self.line + passed;
            let end = self.wanted.ranges[self.next_range].end();
            // The last line that this block may give of the range.
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
                }
            } else {
                self.inside = Some((start, total_done));
                return passed;
            }
        }
        passed
    }

    /// How much of `bytes` the limits let through, and how many lines that is.
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
        let newlines = self.encoding.count_line_feeds(&bytes[..given]);
        let open = given > 0 && !ends_line(self.encoding, &bytes[..given]);
        let lines = newlines + u64::from(open)
            - u64::from(continues && given > 0 && newlines + u64::from(open) > 0);
        if let Some(left) = &mut self.lines_left {
            *left = left.saturating_sub(newlines);
        }
        if let Some(left) = &mut self.bytes_left {
            *left -= given as u64;
        }
        (given, lines)
    }

    /// Whole lines that fit; of a first line that does not fit, as many whole
    /// characters as do.
    fn byte_cut(&mut self, bytes: &[u8], left: usize) -> usize {
        let fits = self.encoding.after_last_line_feed(&bytes[..left.min(bytes.len())]);
        match fits {
            Some(end) => end,
            None if self.piece.returned_lines > 0
                || self.inside.is_some_and(|(_, done)| done > 0) =>
            {
                0
            }
            None => {
                self.piece.cut_line = true;
                let mut end = left.min(bytes.len()) / self.encoding.unit() * self.encoding.unit();
                if self.encoding.is_utf8() {
                    while end > 0 && bytes.get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
                        end -= 1;
                    }
                }
                end
            }
        }
    }

    /// Where in the block the boundary line starts, if it is in `at..stop`.
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
        // The first line is never tested.
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
            let in_code =
                until.outside_code_of.is_some_and(|outline| outline.code_at(at_line).is_some());
            if !in_code {
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
        let sent = if self.options.raw || self.encoding.is_utf8() {
            (self.take)(raw)
        } else {
            self.decoded.clear();
            self.encoding.decode(raw, &mut self.decoded);
            (self.take)(&self.decoded)
        };
        self.closed |= sent.is_err();
    }

    /// Ends the range that is given out, after `done` lines of it. `at` is
    /// where the block goes on.
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
            let end = self.wanted.ranges.last().map(|range| range.end());
            self.piece.part_end = end.filter(|&end| end < u64::MAX);
        } else if limited {
            // Whether there is a next line is known when there is more to read.
            self.piece.next_line = Some(start + done);
            self.piece.has_more = at < raw.len();
        }
    }

    fn finish(mut self, document: &mut Document) -> Result<Piece, Error> {
        let lines_seen = self.line - 1 + u64::from(self.any && !self.last_byte_ended);
        let total = self.stats.as_ref().map(TextStats::lines);
        if let Some((start, done)) = self.inside.take() {
            // The file ended first.
            if done > 0 {
                self.piece.ranges.push(LineRange::from_to(start, start + done - 1));
            }
            self.piece.returned_lines += done;
            self.next_range += 1;
        }
        if self.next_range < self.wanted.ranges.len() && !self.closed {
            let start = self.wanted.ranges[self.next_range].start();
            let all = total.unwrap_or(lines_seen);
            // The first line of an empty file can be asked for: it is nothing.
            if !(all == 0 && start == 1) {
                return Err(misses::past_end(start, all, document.path()));
            }
        }
        if let Some(total) = total {
            if let Some(next) = self.piece.next_line.filter(|_| !self.piece.truncated) {
                self.piece.has_more = next <= total;
            }
            if self.piece.truncated && self.piece.next_line.is_some_and(|next| next > total) {
                self.piece.next_line = None;
            }
        } else if self.piece.next_line.is_some() && !self.piece.has_more && !self.piece.truncated {
            self.piece.has_more = more_follows(document)?;
        }
        if !self.piece.has_more {
            self.piece.next_line = None;
        }
        self.piece.no_boundary =
            self.wanted.until.is_some() && self.piece.boundary.is_none() && !self.piece.truncated;
        self.piece.total_lines = total;
        if let Some(stats) = &self.stats {
            self.piece.line_ending = Some(stats.line_ending().name());
            if !stats.is_utf8() && self.encoding.is_utf8() {
                self.piece.encoding = "unknown-8bit".to_owned();
            }
        }
        self.piece.range_checksum = self.checksum.map(Checksum::digits);
        self.piece.file_checksum = self.file_checksum.map(Checksum::digits);
        let judged =
            self.wanted.until.as_ref().is_some_and(|until| until.outside_code_of.is_none());
        if judged
            && let (Some(boundary), Some(span)) = (&mut self.piece.boundary, self.boundary_span)
            && document.format().has(Feature::Code)
        {
            boundary.in_code = is_code(document, span)?;
        }
        Ok(self.piece)
    }
}

/// Whether the document goes on after the block that was read last.
fn more_follows(document: &mut Document) -> Result<bool, Error> {
    let mut more = false;
    document.raw_blocks(|block| {
        more = !block.raw.is_empty();
        ControlFlow::Break(())
    })?;
    Ok(more)
}

/// Whether the line at `span` stands in a code block.
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

fn ends_line(encoding: Encoding, raw: &[u8]) -> bool {
    match encoding.unit() {
        1 => raw.last() == Some(&b'\n'),
        _ => encoding.after_last_line_feed(raw) == Some(raw.len()),
    }
}
