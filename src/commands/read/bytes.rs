//! Reads bytes of a line that is too long to be read completely. In decoded text, these are bytes
//! of the UTF-8 form. Characters are never split.

use super::Piece;
use super::content::checksum;
use super::locate::Reader;
use super::reading::{LineRequest, Settings, Take};
use crate::commands::output::Closed;
use folio_files::address;
use folio_files::error::{Change, Code, Error, Hint};
use folio_text::span::{LineRange, Span};

/// Maximum number of continuation bytes of a character.
const TAIL: u64 = 3;

impl Reader<'_> {
    /// Reads the bytes of `span`, extended to character boundaries. Stops at the limit, but reads
    /// at least one character.
    pub(super) fn bytes(
        &self,
        line: u64,
        span: Span,
        settings: Settings,
        take: &mut Take<'_>,
    ) -> Result<Piece, Error> {
        let most = settings.max_bytes.unwrap_or(u64::MAX);
        let end = span.end().min(span.start().saturating_add(most));
        let mut window = Window { start: span.start().saturating_sub(TAIL), ..Window::default() };
        window.end = end.saturating_add(TAIL + 1);
        let line_request = LineRequest::lines(&[LineRange::line(line)]);
        let unlimited = Settings { max_lines: None, max_bytes: None, checksum: false, ..settings };
        let facts = self.lines(&line_request, unlimited, &mut |bytes| window.take(bytes))?;
        let path = self.document.path();
        if span.start() >= window.seen && span.start() > 0 {
            let message =
                format!("no byte {}: line {line} has {} bytes", span.start(), window.seen);
            return Err(Error::new(Code::LineOutOfRange, message).at(path));
        }
        let start = window.character(span.start());
        let mut stop = window.character(end).max(start);
        if stop == start {
            stop = window.character_end(start);
        }
        let bytes = window.bytes(start, stop);
        let _ = take(bytes);
        let has_more = stop < window.seen;
        let rest = |end: &str| address::spelt(path, &format!("{line}@{stop}-{end}"));
        // The next page is the rest of the line, or a part of it with the same number of bytes.
        let width = Some(span.end() - span.start()).filter(|_| span.end() != u64::MAX);
        let page = width.map_or_else(String::new, |width| stop.saturating_add(width).to_string());
        Ok(Piece {
            ranges: vec![LineRange::line(line)],
            // Only an empty file has no bytes here. An empty range has no address.
            bytes: (start < stop).then(|| Span::new(start, stop)),
            returned_lines: 1,
            returned_bytes: bytes.len() as u64,
            has_more,
            truncated: end < span.end() && has_more,
            next: has_more.then(|| rest("")),
            rest: has_more.then(|| Hint::again([Change::Only(rest(&page))]).why("for more")),
            range_checksum: settings.checksum.then(|| checksum(bytes)),
            file: facts.file,
            ..Piece::default()
        })
    }
}

/// The part of the line that is in memory.
#[derive(Default)]
struct Window {
    start: u64,
    end: u64,
    held: Vec<u8>,
    /// Number of bytes of the line read so far.
    seen: u64,
}

impl Window {
    fn take(&mut self, bytes: &[u8]) -> Result<(), Closed> {
        let place = |offset: u64| offset.saturating_sub(self.seen).min(bytes.len() as u64) as usize;
        let (from, to) = (place(self.start), place(self.end));
        self.held.extend_from_slice(&bytes[from..to]);
        self.seen += bytes.len() as u64;
        if self.seen > self.end { Err(Closed) } else { Ok(()) }
    }

    /// Returns the start of the character that contains a byte. An invalid byte is a separate
    /// character.
    fn character(&self, offset: u64) -> u64 {
        let offset = offset.min(self.start + self.held.len() as u64);
        let at = (offset - self.start) as usize;
        let is_tail = |byte: &u8| (0x80..0xc0).contains(byte);
        if !self.held.get(at).is_some_and(is_tail) {
            return offset;
        }
        let tails = self.held[..at].iter().rev().take(2).take_while(|byte| is_tail(byte)).count();
        let first = at.checked_sub(tails + 1);
        let chunk = first.and_then(|first| self.held[first..].utf8_chunks().next());
        let length = chunk.and_then(|chunk| chunk.valid().chars().next()).map_or(0, char::len_utf8);
        match first {
            Some(first) if first + length > at => self.start + first as u64,
            _ => offset,
        }
    }

    /// Returns the end of the character that begins at an offset.
    fn character_end(&self, offset: u64) -> u64 {
        let Some(rest) = self.held.get((offset - self.start) as usize..) else { return offset };
        let chunk = rest.utf8_chunks().next();
        let first = chunk.and_then(|chunk| chunk.valid().chars().next());
        let length = first.map_or(usize::from(!rest.is_empty()), char::len_utf8);
        offset + length as u64
    }

    fn bytes(&self, start: u64, stop: u64) -> &[u8] {
        &self.held[(start - self.start) as usize..(stop - self.start) as usize]
    }
}
