//! Prints the matches of one document as text or JSON.

use std::borrow::Cow;
use std::io::Write;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::line_buffer::{Line, LineBuffer, LineRole};
use super::pending::WholeSections;
use super::places::{Section, Structure};
use super::prefix::{Position, Prefix};
use super::wire::{self, Around, BinaryMatch, Columns, Count, File, Lines, Match};
use super::{DocumentMatches, Hit, Layout, Mode, Query, SearchOptions};
use crate::commands::json::{self, OwnedText};
use crate::commands::output::{Closed, Emit, Record, Role, Stop, Style, character_lengths};
use crate::commands::visible::push_visible;
use folio_text::lines::without_end;
use folio_text::span::LineRange;

/// Number of bytes of output to collect before writing them.
const PART: usize = 32 * 1024;

/// Prints the matches of one document.
pub(super) struct Printer<'a> {
    pub(super) query: &'a Query<'a>,
    options: &'a SearchOptions,
    pub(super) style: Style,
    pub(super) path: &'a Path,
    emit: &'a mut Emit<'a>,
    pub(super) out: Vec<u8>,
    /// The number of the last printed line.
    last: u64,
    last_match: u64,
    /// The first line of the section of the last match.
    last_section: u64,
    /// The names of the sections that contain the current match, and the mark of the match.
    breadcrumbs: Vec<u8>,
    /// Whether only some lines are searched.
    pub(super) filters: bool,
    pub(super) has_begun: bool,
    pub(super) whole: WholeSections,
    /// The matching lines, if they are collected.
    pub(super) collected: Vec<Hit>,
}

impl<'a> Printer<'a> {
    /// Creates a printer for a document. `out` must be an empty buffer.
    pub(super) fn new(
        query: &'a Query<'a>,
        path: &'a Path,
        emit: &'a mut Emit<'a>,
        out: Vec<u8>,
    ) -> Self {
        Self {
            query,
            options: query.options,
            style: query.style,
            path,
            emit,
            out,
            last: 0,
            last_match: 0,
            last_section: 0,
            breadcrumbs: Vec::new(),
            filters: false,
            has_begun: false,
            whole: WholeSections::default(),
            collected: Vec::new(),
        }
    }

    /// Prints the lines of `buffer` at the indexes `ready`.
    pub(super) fn lines(
        &mut self,
        buffer: &LineBuffer,
        ready: Range<usize>,
        structure: Option<&Structure<'_>>,
    ) -> Result<(), Closed> {
        for index in ready {
            let line = &buffer.lines()[index];
            let is_match = line.kind == LineRole::Match;
            let is_context = !is_match && !self.options.passthru;
            if is_context && self.filters && !self.is_near_match(buffer, index) {
                continue;
            }
            if is_match {
                self.last_match = line.last;
            }
            if self.options.mode == Mode::Sections {
                self.whole_section(buffer, line, structure);
                continue;
            }
            match &self.options.layout {
                Layout::Collected if is_match => {
                    let text = without_end(buffer.text(line)).to_vec();
                    self.collected.push(Hit { line: line.number, text });
                }
                Layout::Collected => continue,
                _ if self.style.json && is_match => self.record(buffer, index, structure),
                _ if self.style.json => continue,
                Layout::Blocks if is_match => self.block(buffer, index, structure),
                Layout::Blocks => continue,
                Layout::Lines | Layout::Object(_) => {
                    self.before_line(line);
                    self.line(buffer, line, structure);
                }
            }
            self.has_begun = true;
            self.last = line.last;
            self.flush(if self.options.document.as_it_comes { 0 } else { PART })?;
        }
        Ok(())
    }

    /// Prints what is known only at the end of the search. Returns the buffer, which is then empty.
    pub(super) fn finish(mut self, found: &DocumentMatches) -> Result<Vec<u8>, Stop> {
        let mode = self.options.mode;
        let (file_path, query) = (json::path(self.path), self.query);
        let address = json::Address { path: self.path, lines: None };
        match mode {
            Mode::Count
                if found.hits > 0 || query.options.include_zero && !found.is_passed_over() =>
            {
                let count = if query.is_by_match() { found.matches } else { found.hits };
                self.push(&Count { r#type: "count", file_path, address, count, query });
            }
            Mode::Files if found.hits > 0 => {
                self.push(&File { r#type: "file", file_path, address, query })
            }
            Mode::FilesWithout if found.hits == 0 && !found.is_passed_over() => {
                self.push(&File { r#type: "file", file_path, address, query });
            }
            _ => {}
        }
        if let Some(binary) = found.binary.filter(|_| mode.lists() && found.hits > 0) {
            let (byte_offset, stopped) = (binary.offset, binary.stopped);
            self.push(&BinaryMatch { r#type: "binary", file_path, byte_offset, stopped, query });
        }
        if let Layout::Object(text) = &self.options.layout
            && self.style.json
            && (found.hits > 0 || !query.several)
        {
            if !self.has_begun {
                wire::begin_object(self.path, text, &mut self.out);
            }
            wire::end_object(found.hits, &mut self.out);
        }
        self.flush(0)?;
        Ok(self.out)
    }

    fn flush(&mut self, least: usize) -> Result<(), Closed> {
        if self.out.len() > least {
            (self.emit)(&self.out)?;
            self.out.clear();
        }
        Ok(())
    }

    /// Writes the output so far, if it is long enough.
    pub(super) fn flush_parts(&mut self) -> Result<(), Closed> {
        self.flush(PART)
    }

    fn push(&mut self, record: &dyn Record) {
        record.write(self.style, &mut self.out);
    }

    fn push_path(&mut self) {
        self.style.paint_bytes(Role::Path, self.path.as_os_str().as_bytes(), &mut self.out);
    }

    /// Prints the path and lines as one link.
    pub(super) fn push_address(&mut self, lines: LineRange) {
        let link = self.style.begin_link(self.path, (lines.start(), 1), &mut self.out);
        self.push_path();
        self.out.push(b':');
        self.style.paint_lines(lines, &mut self.out);
        link.end(&mut self.out);
    }

    /// Prints the path before the first line, and a separator if lines were omitted.
    fn before_line(&mut self, line: &Line) {
        if self.query.has_headings && !self.has_begun && !self.style.grouped {
            self.style.paint_path(self.path, &mut self.out);
            self.out.push(if self.options.null { 0 } else { b'\n' });
        }
        let has_gaps = self.options.context.most() > 0 && !self.options.null;
        if has_gaps && self.last > 0 && line.number > self.last + 1 {
            let gap = self.options.format.gap();
            if let Some(text) = gap.strip_suffix(b"\n") {
                self.style.paint_bytes(Role::Quiet, text, &mut self.out);
                self.out.push(b'\n');
            }
        }
    }

    /// Prints the fields before the text of a line.
    fn push_prefix(&mut self, prefix: Prefix, section: Option<&Section<'_>>) {
        let pairs = self.query.null_pairs;
        let format = &self.options.format;
        let separator = match prefix.kind == LineRole::Match || pairs {
            true if self.style.grouped => b" ",
            is_hit => format.separator(is_hit),
        };
        let column = prefix.column.map_or(1, |column| column as u64 + 1);
        let place = (prefix.number, column);
        let begin =
            if self.query.has_headings { Style::begin_place_link } else { Style::begin_link };
        let link = begin(&self.style, self.path, place, &mut self.out);
        let before = self.out.len();
        if self.query.names && !self.query.has_headings {
            self.push_path();
            if self.options.null && !pairs {
                self.out.push(0)
            } else {
                self.out.extend_from_slice(separator)
            }
        }
        if !self.options.no_numbers {
            let end = section.map_or(prefix.number, |section| section.lines.end());
            self.style.paint_lines(LineRange::from_to(prefix.number, end), &mut self.out);
            self.out.extend_from_slice(if pairs { b"\0" } else { separator });
        }
        let column = prefix.column.filter(|_| format.column).map(|_| column);
        for number in column.into_iter().chain(format.byte_offset.then_some(prefix.offset)) {
            self.style.paint(Role::Lines, number, &mut self.out);
            self.out.extend_from_slice(separator);
        }
        let is_separated = self.out.len() > before;
        link.end_before(if is_separated { separator.len() } else { 0 }, &mut self.out);
        self.out.extend_from_slice(&self.breadcrumbs);
    }

    /// Sets the names of the sections that contain a match, and the mark of the match. If results
    /// are grouped, omits names that the previous match or the line itself shows.
    fn set_breadcrumbs(&mut self, line: &Line, text: &[u8], structure: Option<&Structure<'_>>) {
        self.breadcrumbs.clear();
        let is_shown = line.kind == LineRole::Match && self.query.sections.breadcrumbs;
        let Some(structure) = structure.filter(|_| is_shown) else { return };
        let mut path = Vec::new();
        if let Some(section) = structure.section(line.number) {
            let start = section.lines.start();
            let last = std::mem::replace(&mut self.last_section, start);
            if !self.style.grouped || last != start {
                path = structure.path(&section);
            }
            if self.style.grouped && start == line.number {
                path.pop();
            }
        } else if let Some(key) = structure.key(line.number, &self.query.sections) {
            path.push(key.into_bytes());
        }
        if !path.is_empty() {
            self.style.paint_bytes(Role::Quiet, &path.join(&b" > "[..]), &mut self.breadcrumbs);
            self.breadcrumbs.extend_from_slice(b": ");
        }
        if let Some(mark) = structure.mark(line.number, text, || self.query.all_matches(text)) {
            self.style.paint(Role::Quiet, mark, &mut self.breadcrumbs);
            self.breadcrumbs.push(b' ');
        }
    }

    fn line(&mut self, buffer: &LineBuffer, line: &Line, structure: Option<&Structure<'_>>) {
        let text = buffer.text(line);
        self.set_breadcrumbs(line, text, structure);
        let is_match = line.kind == LineRole::Match;
        let section = structure
            .filter(|_| is_match && self.query.sections.hints)
            .and_then(|structure| structure.section(line.number));
        let mut found: Vec<Range<usize>> = Vec::new();
        let format = &self.options.format;
        let is_matched = is_match && !self.options.invert;
        let only_matching = is_matched && self.options.only_matching;
        if only_matching || (is_matched && (self.style.color || format.needs_matches())) {
            found = self.query.all_matches(text);
        }
        let mut replaced = Vec::new();
        let text = match &format.replacement {
            Some(template) if is_matched => {
                found = self.query.matcher.replace(text, &found, template, &mut replaced);
                &replaced
            }
            _ => text,
        };
        if only_matching {
            return self.only_matches(line, text, &found, section.as_ref());
        }
        if is_matched && format.by_match {
            return self.by_match(line, text, &found, section.as_ref());
        }
        if !self.query.multi_line && !self.options.null_data {
            let column = found.first().map(|range| range.start);
            self.push_prefix(Prefix { column, ..Prefix::of(line) }, section.as_ref());
            return self.push_text(text, &found, is_match);
        }
        let mut at = 0;
        let end = self.line_end();
        for (number, piece) in (line.number..).zip(text.split_inclusive(|&byte| byte == end)) {
            let within: Vec<Range<usize>> = found
                .iter()
                .filter(|range| range.start < at + piece.len() && range.end > at)
                .map(|range| range.start.max(at) - at..(range.end - at).min(piece.len()))
                .collect();
            let line_section = section.filter(|_| number == line.number);
            // As in ripgrep, the column is that of the line's first match, for all lines of the
            // match.
            let column = found.first().map(|range| range.start);
            let offset = line.byte_offset + at as u64;
            self.push_prefix(
                Prefix { number, column, offset, kind: line.kind },
                line_section.as_ref(),
            );
            self.push_text(piece, &within, is_match);
            at += piece.len();
        }
    }

    /// Prints the matches of a line. If a match spans lines, each line that is not empty gets a
    /// prefix.
    fn only_matches(
        &mut self,
        line: &Line,
        text: &[u8],
        found: &[Range<usize>],
        section: Option<&Section<'_>>,
    ) {
        let mut position = Position::of(line);
        for range in found {
            let mut start = range.start;
            for piece in text[range.clone()].split(|&byte| byte == b'\n') {
                if piece.is_empty() && self.query.multi_line {
                    start += 1;
                    continue;
                }
                position.advance(text, start);
                let section = section.filter(|_| position.number == line.number);
                self.push_prefix(Prefix::at(line, &position), section);
                let whole = 0..piece.len();
                self.push_text(piece, std::slice::from_ref(&whole), true);
                start += piece.len() + 1;
            }
        }
    }

    /// Prints a line once for each of its matches.
    fn by_match(
        &mut self,
        line: &Line,
        text: &[u8],
        found: &[Range<usize>],
        section: Option<&Section<'_>>,
    ) {
        let end = self.line_end();
        let mut position = Position::of(line);
        for range in found {
            position.advance(text, range.start);
            let start = memchr::memrchr(end, &text[..range.start]).map_or(0, |at| at + 1);
            let length = memchr::memchr(end, &text[range.start..]).map(|at| at + 1);
            let piece = &text[start..length.map_or(text.len(), |length| range.start + length)];
            let section = section.filter(|_| position.number == line.number);
            self.push_prefix(Prefix::at(line, &position), section);
            let within = range.start - start..(range.end - start).min(piece.len());
            self.push_text(piece, std::slice::from_ref(&within), true);
        }
    }

    fn line_end(&self) -> u8 {
        if self.options.null_data { b'\0' } else { b'\n' }
    }

    fn push_text(&mut self, text: &[u8], found: &[Range<usize>], is_match: bool) {
        let end = self.line_end();
        let format = &self.options.format;
        let is_blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'\x0b';
        let blanks = if format.trim {
            without_end(text).iter().take_while(|byte| is_blank(byte)).count()
        } else {
            0
        };
        let text = &text[blanks..];
        let moved: Vec<Range<usize>>;
        let mut found = found;
        if blanks > 0 {
            let back = |at: usize| at.saturating_sub(blanks);
            moved = found.iter().map(|range| back(range.start)..back(range.end)).collect();
            found = &moved;
        }
        let is_bare = self.query.null_pairs || matches!(self.options.layout, Layout::Object(_));
        let mut is_ended = false;
        let most = self.options.max_columns.unwrap_or(0);
        if most > 0 && text.len() > most && format.preview {
            self.push_beginning(text, found, most);
        } else if most > 0 && text.len() > most {
            let what = match (is_match, found.len()) {
                (false, _) => "[Omitted long context line]".to_owned(),
                (true, 0) => "[Omitted long matching line]".to_owned(),
                (true, 1) => "[Omitted long line with 1 match]".to_owned(),
                (true, count) => format!("[Omitted long line with {count} matches]"),
            };
            self.out.extend_from_slice(what.as_bytes());
        } else if self.style.color || self.style.terminal || format.show_whitespace {
            self.push_painted(text, found);
        } else if is_bare {
            self.out.extend_from_slice(without_end(text));
        } else {
            self.out.extend_from_slice(text);
            is_ended = text.last() == Some(&end);
        }
        if !is_ended {
            self.out.push(if self.query.null_pairs { 0 } else { end });
        }
    }

    /// Prints the first `most` characters of a line, and the number of matches in the rest of the
    /// line.
    fn push_beginning(&mut self, text: &[u8], found: &[Range<usize>], most: usize) {
        let body = without_end(text);
        let end: usize = character_lengths(body).take(most).sum();
        let (shown, rest): (Vec<_>, Vec<_>) =
            found.iter().cloned().partition(|range| range.start < end);
        self.push_painted(&body[..end], &shown);
        // Writing to a vector cannot fail.
        let _ = match (found.len(), rest.len()) {
            (0, _) => write!(self.out, " [... omitted end of long line]"),
            (_, 1) => write!(self.out, " [... 1 more match]"),
            (_, count) => write!(self.out, " [... {count} more matches]"),
        };
    }

    /// Prints a text with colored matches.
    pub(super) fn push_painted(&mut self, line: &[u8], found: &[Range<usize>]) {
        let (mut shown, mut moved) = (Vec::new(), Vec::new());
        let (mut text, mut found) = (without_end(line), found);
        if self.options.format.show_whitespace {
            moved.extend_from_slice(found);
            push_visible(line, &mut moved, &mut shown);
            (text, found) = (without_end(&shown), &moved);
        }
        let mut at = 0;
        for range in found {
            let range = range.start.min(text.len())..range.end.min(text.len());
            self.out.extend_from_slice(&self.style.safe(&text[at..range.start]));
            self.style.paint_bytes(Role::Match, &text[range.clone()], &mut self.out);
            at = range.end;
        }
        self.out.extend_from_slice(&self.style.safe(&text[at..]));
    }

    fn block(&mut self, buffer: &LineBuffer, index: usize, structure: Option<&Structure<'_>>) {
        let number = buffer.lines()[index].number;
        self.out.extend_from_slice(b"File: ");
        self.push_path();
        let _ = write!(self.out, ", Line: {number}");
        if let Some(section) = structure.and_then(|structure| structure.section(number)) {
            let next = section.next.unwrap_or_else(|| section.end_name());
            let _ = write!(self.out, ", Section-End-Hint: {} (next: {next})", section.lines.end());
        }
        self.out.extend_from_slice(b"\n---\n");
        for line in &buffer.lines()[self.around(buffer, index)] {
            self.push_painted(buffer.text(line), &[]);
            self.out.push(b'\n');
        }
        self.out.extend_from_slice(b"---\n");
    }

    /// Returns the indexes in `buffer` of a match and of the lines around it.
    fn around(&self, buffer: &LineBuffer, index: usize) -> Range<usize> {
        let lines = buffer.lines();
        let first = lines[index].number.saturating_sub(self.options.context.before as u64);
        let last = lines[index].last.saturating_add(self.options.context.after as u64);
        let start = lines[..index].iter().rposition(|line| line.number < first);
        let end = lines[index..].iter().position(|line| line.last > last);
        start.map_or(0, |at| at + 1)..end.map_or(lines.len(), |at| index + at)
    }

    /// Whether a line is a context line of a match.
    fn is_near_match(&self, buffer: &LineBuffer, index: usize) -> bool {
        let line = &buffer.lines()[index];
        let after = self.options.context.after as u64;
        if self.last_match > 0 && line.number <= self.last_match.saturating_add(after) {
            return true;
        }
        let reach = line.last.saturating_add(self.options.context.before as u64);
        buffer.lines()[index + 1..]
            .iter()
            .take_while(|next| next.number <= reach)
            .any(|next| next.kind == LineRole::Match)
    }

    fn record(&mut self, buffer: &LineBuffer, index: usize, structure: Option<&Structure<'_>>) {
        let line = &buffer.lines()[index];
        let text = buffer.text(line);
        let around = (self.options.context.most() > 0).then(|| {
            let range = self.around(buffer, index);
            let before = Lines(buffer, range.start..index);
            Around { before, after: Lines(buffer, index + 1..range.end) }
        });
        let mut record = Match::new(self.path, line, Cow::Borrowed(text), around);
        self.place(&mut record, structure);
        if let Layout::Object(query) = &self.options.layout {
            if self.has_begun {
                self.out.push(b',')
            } else {
                wire::begin_object(self.path, query, &mut self.out)
            }
            return json::push(&record.item(), &mut self.out);
        }
        if !self.options.only_matching || self.options.invert {
            return self.out.extend_from_slice(&json::line(&record));
        }
        let base = line.byte_offset - line.found.start as u64;
        let mut columns = Columns::default();
        for range in self.query.all_matches(text) {
            record.narrow(text, range, base, &mut columns);
            self.out.extend_from_slice(&json::line(&record));
        }
    }

    /// Adds the section of a match to its record, if requested.
    fn place(&self, record: &mut Match<'_>, structure: Option<&Structure<'_>>) {
        let sections = &self.query.sections;
        let is_named = sections.names || sections.hints || sections.names_in_files;
        let Some(structure) = structure.filter(|_| is_named) else { return };
        record.nearest_heading = structure.heading(record.line);
        record.key = structure.key(record.line, sections);
        let has_section = sections.hints || sections.names_in_files;
        let section = structure.section(record.line).filter(|_| has_section);
        if let Some(section) = section.as_ref().filter(|_| sections.hints) {
            record.address.lines = Some(LineRange::from_to(record.line, section.lines.end()));
        }
        record.section = section.map(|section| wire::Section {
            start_line: section.lines.start(),
            end_line: section.lines.end(),
            path: structure.path(&section).into_iter().map(OwnedText).collect(),
            next: section.next.map(str::to_owned),
            content: None,
        });
    }

    /// Adds the section of a match to the sections that are printed at the end.
    fn whole_section(
        &mut self,
        buffer: &LineBuffer,
        line: &Line,
        structure: Option<&Structure<'_>>,
    ) {
        let hit = LineRange::from_to(line.number, line.last);
        let section = structure.and_then(|structure| structure.section(line.number));
        let lines = section.map_or(hit, |section| section.lines);
        let is_painted = self.style.color && !self.options.invert;
        self.whole.push(lines, is_painted.then_some(hit));
        if self.style.json {
            let text = Cow::Owned(buffer.text(line).to_vec());
            let mut record = Match::new(self.path, line, text, None);
            self.place(&mut record, structure);
            self.whole.push_record(record, lines);
        }
    }
}
