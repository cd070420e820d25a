//! Searches one document and prints the matches. The document is outlined when the sections of the
//! first matches are needed.

use std::io;
use std::ops::Range;

use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch,
};

use super::line_buffer::{Line, LineBuffer, LineRole};
use super::places::Sections;
use super::printer::Printer;
use super::{Binary, Context, DocumentMatches, Layout, Mode, Query, SearchOptions};
use crate::commands::line_matcher::LineMatcher;
use crate::commands::line_search::{self, Offsets, Taker};
use crate::commands::output::{Emit, Stop};
use folio_files::document::binary_error;
use folio_files::error::Error;
use folio_outline::document::Document;
use folio_text::encoding::SNIFF_LIMIT;
use folio_text::lines::count_newlines;
use folio_text::span::LineRange;

/// Number of bytes of matches to buffer before their sections are looked up.
const OUTLINED_AT_ONCE: usize = 1 << 20;

/// Number of bytes of matches to buffer before they are printed.
const PRINTED_AT_ONCE: usize = 32 * 1024;

/// Searches documents, one after the other.
pub struct Search<'a> {
    query: &'a Query<'a>,
    matcher: LineMatcher,
    searchers: [Searcher; 3],
    /// Whether the searchers count lines.
    counts_lines: bool,
    buffer: LineBuffer,
    /// The lines of the next document to search, disjoint and in order. `None` for all lines.
    lines: Option<Vec<LineRange>>,
    /// An empty output buffer that is reused for the next document.
    out: Vec<u8>,
}

/// Creates the searchers for text, for binary documents that are operands, and for binary documents
/// that were found by a walk.
fn searchers(query: &Query<'_>, counts_lines: bool) -> [Searcher; 3] {
    let options = query.options;
    let context = if options.mode == Mode::Lines { options.context } else { Context::default() };
    let searcher = |detection: BinaryDetection| {
        let binary = if query.prints_nul() { BinaryDetection::none() } else { detection };
        let end = if options.null_data { b'\0' } else { b'\n' };
        SearcherBuilder::new()
            .line_terminator(grep_matcher::LineTerminator::byte(end))
            .invert_match(options.invert)
            .line_number(counts_lines)
            .multi_line(query.multi_line)
            .before_context(context.before)
            .after_context(context.after)
            .passthru(options.passthru && options.mode == Mode::Lines)
            .stop_on_nonmatch(options.stop_on_nonmatch)
            .binary_detection(binary)
            .bom_sniffing(false)
            .build()
    };
    [BinaryDetection::none(), BinaryDetection::convert(0), BinaryDetection::quit(0)].map(searcher)
}

impl<'a> Search<'a> {
    /// Creates a search. It processes one document at a time.
    pub fn new(query: &'a Query<'a>) -> Self {
        Self {
            query,
            // Threads that share a matcher would wait for each other.
            matcher: query.matcher.clone(),
            searchers: searchers(query, query.needs_numbers),
            counts_lines: query.needs_numbers,
            buffer: LineBuffer::default(),
            lines: None,
            out: Vec::new(),
        }
    }

    /// Restricts the search of the next document to these lines, which must be disjoint and in
    /// order.
    pub fn only_lines(&mut self, lines: Option<Vec<LineRange>>) {
        // Matches are selected by their line numbers, also if these are not printed.
        if lines.is_some() && !self.counts_lines {
            self.searchers = searchers(self.query, true);
            self.counts_lines = true;
        }
        self.lines = lines;
    }

    /// Searches a document and prints at most `limit` matches. `is_named` is whether the document
    /// is an operand, and was not found by a walk.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read, or if `emit` fails.
    pub fn print(
        &mut self,
        document: &Document,
        is_named: bool,
        limit: Option<u64>,
        emit: &mut Emit<'_>,
    ) -> Result<DocumentMatches, Stop> {
        let path = document.path().to_owned();
        let out = std::mem::take(&mut self.out);
        let mut printer = Printer::new(self.query, &path, emit, out);
        let mut found = self.search(document, is_named, limit, &mut printer)?;
        if self.refuses(&found) {
            if printer.has_begun {
                printer.finish(&DocumentMatches { binary: None, ..found })?;
            }
            return Err(Stop::Failed(binary_error(document)));
        }
        // As in ripgrep, a file that was not searched to its end has no count.
        if found.is_passed_over() && !self.query.options.mode.lists() {
            found = DocumentMatches {
                binary: found.binary,
                bytes: found.bytes,
                ..DocumentMatches::default()
            };
        }
        if self.query.options.mode == Mode::Sections {
            std::mem::take(&mut printer.whole).print(&mut printer, document)?;
        }
        found.lines = std::mem::take(&mut printer.collected);
        self.out = printer.finish(&found)?;
        Ok(found)
    }

    fn search(
        &mut self,
        document: &Document,
        is_named: bool,
        limit: Option<u64>,
        printer: &mut Printer<'_>,
    ) -> Result<DocumentMatches, Stop> {
        let query = self.query;
        let mut sections = Sections::new(document, &query.sections, self.lines.clone(), is_named);
        let filters = sections.filters();
        let is_named_part = is_named && query.sections.inside.is_some();
        if is_named_part {
            // The part must exist, even if the document has no match.
            sections.whole()?;
        }
        self.buffer.clear();
        let searcher = searcher_for(document, is_named || query.options.binary);
        let searcher = &mut self.searchers[searcher];
        printer.filters = filters;
        let mut run = DocumentSearch {
            query,
            options: query.options,
            buffer: &mut self.buffer,
            sections: &mut sections,
            filters,
            needs_outline: query.needs_outline(document),
            printer: &mut *printer,
            offsets: Offsets::default(),
            limit,
            found: DocumentMatches::default(),
            last_hit: 0,
            has_match: false,
            stop: None,
            prints_nul: prints_nul(query, document),
        };
        line_search::search(searcher, &self.matcher, document, &mut run)?;
        if let Some(stop) = run.stop {
            return Err(stop);
        }
        let (mut found, has_match) = (run.found, run.has_match);
        if self.refuses(&found) {
            return Ok(found);
        }
        if filters && !is_named_part && !has_match {
            return Ok(DocumentMatches { bytes: found.bytes, ..DocumentMatches::default() });
        }
        found.is_elsewhere = filters && !is_named_part && found.hits == 0;
        let ready = self.buffer.ready(query.options.context.most(), true);
        let matches = self.buffer.matches(ready.clone());
        let needs_sections = query.needs_outline(document) && !matches.is_empty();
        let structure = if needs_sections || sections.filters_by_structure() {
            Some(sections.of_lines(&matches)?)
        } else {
            None
        };
        printer.lines(&self.buffer, ready, structure)?;
        Ok(found)
    }

    /// Whether a match contains a NUL byte, which a JSON object must not contain.
    fn refuses(&self, found: &DocumentMatches) -> bool {
        found.binary.is_some() && matches!(self.query.options.layout, Layout::Object(_))
    }
}

/// Whether lines may be printed without checking them for NUL bytes.
fn prints_nul(query: &Query<'_>, document: &Document) -> bool {
    // A short document was searched for NUL bytes when it was opened.
    let is_known = document.size().is_some_and(|size| size <= SNIFF_LIMIT as u64);
    query.prints_nul() || document.encoding().unit_size() > 1 || (is_known && !document.is_binary())
}

/// Returns the index of the searcher for a document. A binary document is searched to its end if
/// the user requested that.
fn searcher_for(document: &Document, is_wanted: bool) -> usize {
    match (document.is_binary(), is_wanted) {
        (false, _) => 0,
        (true, true) => 1,
        (true, false) => 2,
    }
}

/// The search of one document.
struct DocumentSearch<'r, 'd, 'p> {
    query: &'r Query<'r>,
    options: &'r SearchOptions,
    buffer: &'r mut LineBuffer,
    sections: &'r mut Sections<'d>,
    /// Whether only some lines are searched.
    filters: bool,
    /// Whether an outline is needed to print matches.
    needs_outline: bool,
    printer: &'r mut Printer<'p>,
    offsets: Offsets<'d>,
    limit: Option<u64>,
    found: DocumentMatches,
    /// The last line of the last match within the limit.
    last_hit: u64,
    /// Whether a line of the document matches, even if it is not searched.
    has_match: bool,
    stop: Option<Stop>,
    prints_nul: bool,
}

impl DocumentSearch<'_, '_, '_> {
    /// Whether the limit of matches has been reached.
    fn is_full(&self) -> bool {
        let counts_matches = self.query.multi_line && self.options.mode == Mode::Count;
        let found = if counts_matches { self.found.matches } else { self.found.hits };
        self.limit.is_some_and(|limit| found >= limit)
    }

    /// Whether a line is within the context after the last match.
    fn is_after_hit(&self, line: u64) -> bool {
        self.options.mode == Mode::Lines
            && self.found.hits > 0
            && line <= self.last_hit.saturating_add(self.options.context.after as u64)
    }

    /// Handles a match after the limit. Returns whether to continue the search.
    fn left_out(&mut self, matched: &SinkMatch<'_>) -> io::Result<bool> {
        let number = matched.line_number().unwrap_or(0);
        self.found.left_out += 1;
        self.found.matches_left_out += self.count_matches(matched.bytes());
        if self.is_after_hit(number) {
            return self.push(LineRole::Context, number, matched);
        }
        Ok(self.query.counts_on)
    }

    fn push(&mut self, kind: LineRole, number: u64, matched: &SinkMatch<'_>) -> io::Result<bool> {
        let text = matched.bytes();
        let line = matched.absolute_byte_offset();
        if kind == LineRole::Context && self.holds_nul(text, line) {
            return Ok(true);
        }
        let last = if self.query.multi_line && number > 0 {
            number + count_newlines(text.strip_suffix(b"\n").unwrap_or(text))
        } else {
            number
        };
        if kind == LineRole::Match {
            self.last_hit = last;
        }
        let mut found = 0..0;
        let mut byte_offset = 0;
        if kind == LineRole::Match && self.query.needs_positions {
            if !self.options.invert {
                found = self.query.matcher.find_first(text).unwrap_or(0..0);
            }
            byte_offset = self.offsets.in_file(line, found.start);
        } else if self.options.format.byte_offset {
            byte_offset = self.offsets.in_file(line, 0);
        }
        let line = Line { kind, number, last, byte_offset, found, text: 0..0 };
        self.buffer.push(line, text);
        Ok(self.print())
    }

    /// Prints the buffered lines if there are enough. Returns whether to continue the search.
    fn print(&mut self) -> bool {
        let needs_sections = self.needs_outline;
        let is_outlining = needs_sections && !self.sections.is_known();
        let is_at_once = self.options.document.as_it_comes && !is_outlining;
        let enough = if is_outlining { OUTLINED_AT_ONCE } else { PRINTED_AT_ONCE };
        if self.buffer.size() < enough && !is_at_once {
            return true;
        }
        // JSON records contain their context lines, and the context of matches that do not count is
        // not printed.
        let needs_others = is_outlining || self.filters || self.query.style.json;
        let context = if needs_others { self.options.context.most() } else { 0 };
        let ready = self.buffer.ready(context, false);
        // Removing lines moves the remaining lines, so many lines are removed at once.
        if ready.is_empty() || ready.len() < self.buffer.lines().len() / 4 && !is_at_once {
            return true;
        }
        self.stop = self.print_ready(ready.clone(), needs_sections).err();
        self.buffer.forget(ready, context);
        self.stop.is_none()
    }

    fn print_ready(&mut self, ready: Range<usize>, needs_sections: bool) -> Result<(), Stop> {
        let structure = if needs_sections || self.sections.filters_by_structure() {
            Some(self.sections.of_lines(&self.buffer.matches(ready.clone()))?)
        } else {
            None
        };
        Ok(self.printer.lines(self.buffer, ready, structure)?)
    }

    /// Whether a line contains a NUL byte that must not be printed. If so, the rest of the document
    /// is treated as binary.
    fn holds_nul(&mut self, line: &[u8], start: u64) -> bool {
        let at = if self.prints_nul { None } else { memchr::memchr(0, line) };
        if let Some(at) = at {
            let offset = start + at as u64 + self.offsets.base();
            self.found.binary.get_or_insert(Binary { offset, stopped: false });
        }
        at.is_some()
    }

    /// Whether a match in these lines counts.
    fn admits(&mut self, number: u64, text: &[u8]) -> Result<bool, Error> {
        if !self.filters {
            return Ok(true);
        }
        if let Some(admits) = self.sections.admits(number) {
            return Ok(admits);
        }
        let structure = self.sections.whole()?;
        let found = || self.query.all_matches(text);
        let is_commented =
            || structure.comments().is_some_and(|it| it.hold_all(number, text, &found()));
        Ok(structure.admits(number) && !is_commented())
    }

    fn count_matches(&self, text: &[u8]) -> u64 {
        let mut count = 0;
        if self.query.needs_matches && !self.options.invert {
            self.query.matcher.find_all(text, |_| {
                count += 1;
                true
            });
        }
        count
    }
}

impl<'d> Taker<'d> for DocumentSearch<'_, 'd, '_> {
    fn take_offsets(&mut self, offsets: Offsets<'d>) {
        self.offsets = offsets;
    }
}

impl Sink for DocumentSearch<'_, '_, '_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, matched: &SinkMatch<'_>) -> io::Result<bool> {
        let number = matched.line_number().unwrap_or(0);
        self.has_match = true;
        let admits = match self.admits(number, matched.bytes()) {
            Ok(admits) => admits,
            Err(error) => {
                self.stop = Some(Stop::Failed(error));
                return Ok(false);
            }
        };
        if !admits {
            // The line may be context of a match.
            return match self.options.mode {
                Mode::Lines if self.options.context != Context::default() => {
                    self.push(LineRole::Context, number, matched)
                }
                _ => Ok(true),
            };
        }
        if self.options.mode.is_yes_or_no() && self.found.hits > 0 {
            self.found.further += 1;
            return Ok(true);
        }
        if self.is_full() {
            return self.left_out(matched);
        }
        self.found.hits += 1;
        self.found.matches += self.count_matches(matched.bytes());
        if self.options.mode.lists() {
            self.holds_nul(matched.bytes(), matched.absolute_byte_offset());
            if self.found.binary.is_some_and(|binary| !binary.stopped) {
                return Ok(false);
            }
        }
        let go_on = match self.options.mode {
            Mode::Lines | Mode::Sections => self.push(LineRole::Match, number, matched)?,
            Mode::Count => true,
            Mode::Files | Mode::FilesWithout | Mode::Quiet | Mode::QuietWithout => {
                return Ok(self.query.counts_on);
            }
        };
        let looks_on = self.query.counts_on
            || self.query.looks_on
            || (self.options.mode == Mode::Lines && self.options.context.after > 0);
        Ok(go_on && (looks_on || !self.is_full()))
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        let number = context.line_number().unwrap_or(0);
        if self.is_full() && !self.is_after_hit(number) {
            return Ok(self.query.counts_on || (self.query.looks_on && self.found.left_out == 0));
        }
        if self.holds_nul(context.bytes(), context.absolute_byte_offset()) {
            return Ok(true);
        }
        let byte_offset = if self.options.format.byte_offset {
            self.offsets.in_file(context.absolute_byte_offset(), 0)
        } else {
            0
        };
        let (kind, last, found) = (LineRole::Context, number, 0..0);
        let line = Line { kind, number, last, byte_offset, found, text: 0..0 };
        self.buffer.push(line, context.bytes());
        Ok(self.print())
    }

    fn binary_data(&mut self, searcher: &Searcher, offset: u64) -> io::Result<bool> {
        let stopped = searcher.binary_detection().quit_byte().is_some();
        self.found.binary.get_or_insert(Binary { offset: offset + self.offsets.base(), stopped });
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.found.bytes = finish.byte_count();
        Ok(())
    }
}
