//! How hits are told: as text for people and pipes, as JSON.

use std::io::Write;
use std::ops::{ControlFlow, Range};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::line_buffer::{Kind, Line, LineBuffer};
use super::places::{Section, Structure, contents};
use super::search::{Closed, Found, Listener, Stop};
use super::wire;
use super::{Mode, Options};
use crate::commands::json;
use crate::commands::output::{Role, Style};
use crate::files::document::Document;
use crate::text::lines::without_end;
use crate::text::span::LineRange;

/// Bytes of text that are gathered before they are handed on.
const PART: usize = 32 * 1024;

/// How hits are to look.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// JSON, terminal, colours.
    pub style: Style,
    /// Names stand before hits or counts.
    pub names: bool,
    /// Line numbers stand before hits.
    pub numbers: bool,
    /// A NUL ends names, or addresses and texts.
    pub null: bool,
    /// Each hit is a block of its own.
    pub blocks: bool,
    /// Only what matches is shown of a line.
    pub only_matching: bool,
    /// Longer lines are left out.
    pub max_columns: Option<usize>,
}

impl View {
    /// Whether hits stand under the name of their file.
    fn has_headings(&self) -> bool {
        self.style.terminal && self.names && !self.null && !self.blocks
    }
}

/// Takes finished text, in order.
pub type Emit<'a> = dyn FnMut(&[u8]) -> Result<(), Closed> + 'a;

/// Tells of one document.
pub struct Teller<'a> {
    options: &'a Options,
    view: &'a View,
    path: &'a Path,
    emit: &'a mut Emit<'a>,
    out: Vec<u8>,
    /// The last line that was told, so that gaps are seen.
    last: u64,
    last_hit: u64,
    told: bool,
    /// Sections that are told as a whole, and the hits in them: with colours
    /// their lines, with JSON their records.
    whole: Vec<LineRange>,
    painted: Vec<LineRange>,
    records: Vec<wire::Record>,
}

impl<'a> Teller<'a> {
    /// For a document that is known by this path; `out` is an empty buffer.
    pub fn new(
        options: &'a Options,
        view: &'a View,
        path: &'a Path,
        emit: &'a mut Emit<'a>,
        out: Vec<u8>,
    ) -> Self {
        Self {
            options,
            view,
            path,
            emit,
            out,
            last: 0,
            last_hit: 0,
            told: false,
            whole: Vec::new(),
            painted: Vec::new(),
            records: Vec::new(),
        }
    }

    /// Tells what is known when a document was searched as a whole; the buffer
    /// comes back.
    pub fn finish(mut self, document: &mut Document, found: &Found) -> Result<Vec<u8>, Stop> {
        match self.options.mode {
            Mode::Sections => self.sections(document)?,
            Mode::Count if found.hits > 0 => self.count(found),
            Mode::Files if found.hits > 0 => self.name(),
            Mode::FilesWithout if found.hits == 0 && !is_passed_over(found) => self.name(),
            _ => {}
        }
        if matches!(self.options.mode, Mode::Lines | Mode::Sections) {
            self.binary(found);
        }
        self.hand_on(0).map_err(|Closed| Stop::Closed)?;
        Ok(self.out)
    }

    fn hand_on(&mut self, least: usize) -> Result<(), Closed> {
        if self.out.len() > least {
            (self.emit)(&self.out)?;
            self.out.clear();
        }
        Ok(())
    }

    fn json(&mut self, value: &impl serde::Serialize) {
        self.out.extend_from_slice(&json::line(value));
    }

    fn name(&mut self) {
        if self.view.style.json {
            self.json(&wire::File::new(self.path));
            return;
        }
        self.push_path();
        self.out.push(if self.view.null { 0 } else { b'\n' });
    }

    fn count(&mut self, found: &Found) {
        let by_match = is_by_match(self.options, self.view);
        let count = if by_match { found.matches } else { found.hits };
        if self.view.style.json {
            self.json(&wire::Count::new(self.path, count));
            return;
        }
        if self.view.names {
            self.push_path();
            self.out.push(if self.view.null { 0 } else { b':' });
        }
        push_number(count, &mut self.out);
        self.out.push(b'\n');
    }

    /// As ripgrep tells it.
    fn binary(&mut self, found: &Found) {
        let Some(binary) = found.binary.filter(|_| found.hits > 0) else { return };
        if self.view.style.json {
            self.json(&wire::Binary::new(self.path, binary.offset));
            return;
        }
        if self.view.names && !self.view.has_headings() {
            self.push_path();
            self.out.extend_from_slice(b": ");
        }
        let what = if binary.stopped {
            "WARNING: stopped searching binary file after match"
        } else {
            "binary file matches"
        };
        let offset = binary.offset;
        // Writing to a vector does not fail.
        let _ = writeln!(self.out, "{what} (found \"\\0\" byte around offset {offset})");
    }

    fn push_path(&mut self) {
        let path = self.path.as_os_str().as_bytes();
        self.view.style.paint_bytes(Role::Path, path, &mut self.out);
    }

    /// A part of a record that a colour marks.
    fn push_lines(&mut self, range: LineRange) {
        if self.view.style.color {
            let text = match range.count() {
                1 => range.start().to_string(),
                _ => format!("{}-{}", range.start(), range.end()),
            };
            self.view.style.paint(Role::Lines, text, &mut self.out);
            return;
        }
        push_number(range.start(), &mut self.out);
        if range.count() > 1 {
            self.out.push(b'-');
            push_number(range.end(), &mut self.out);
        }
    }

    /// What stands before a line's text.
    fn push_prefix(&mut self, number: u64, kind: Kind, section: Option<&Section<'_>>) {
        let separator = if kind == Kind::Hit { b':' } else { b'-' };
        let is_address = self.view.null && self.options.sections.told;
        if self.view.names && !self.view.has_headings() {
            self.push_path();
            self.out.push(if self.view.null && !is_address { 0 } else { separator });
        }
        if self.view.numbers {
            let end = section.map_or(number, |section| section.lines.end());
            self.push_lines(LineRange::from_to(number, end));
            self.out.push(if is_address { 0 } else { separator });
        }
    }

    fn line(&mut self, buffer: &LineBuffer, line: &Line, structure: Option<&Structure>) {
        let text = buffer.text(line);
        let is_hit = line.kind == Kind::Hit;
        let section = structure
            .filter(|_| is_hit && self.options.sections.told)
            .and_then(|structure| structure.section(line.number));
        let mut found: Vec<Range<usize>> = Vec::new();
        let needs_matches = self.view.style.color || self.view.only_matching;
        if is_hit && needs_matches && !self.options.invert {
            self.options.matcher.find_all(text, |range| {
                found.push(range);
                true
            });
        }
        if is_hit && self.view.only_matching && !self.options.invert {
            for range in &found {
                self.only_match(line, text, range.clone(), section.as_ref());
            }
            return;
        }
        if !self.options.multi_line && !self.options.null_data {
            self.push_prefix(line.number, line.kind, section.as_ref());
            self.push_text(text, &found, is_hit);
            return;
        }
        let mut at = 0;
        let end = if self.options.null_data { b'\0' } else { b'\n' };
        for (number, piece) in (line.number..).zip(text.split_inclusive(|&byte| byte == end)) {
            let within: Vec<Range<usize>> = found
                .iter()
                .filter(|range| range.start < at + piece.len() && range.end > at)
                .map(|range| range.start.max(at) - at..(range.end - at).min(piece.len()))
                .collect();
            let own = section.filter(|_| number == line.number);
            self.push_prefix(number, line.kind, own.as_ref());
            self.push_text(piece, &within, is_hit);
            at += piece.len();
        }
    }

    /// A match alone, each of its lines behind a number of its own.
    fn only_match(
        &mut self,
        line: &Line,
        text: &[u8],
        range: Range<usize>,
        section: Option<&Section<'_>>,
    ) {
        let before = crate::text::lines::count_newlines(&text[..range.start]);
        for (number, piece) in
            (line.number + before..).zip(text[range].split(|&byte| byte == b'\n'))
        {
            self.push_prefix(number, line.kind, section.filter(|_| number == line.number));
            let whole = 0..piece.len();
            self.push_text(piece, std::slice::from_ref(&whole), true);
        }
    }

    fn push_text(&mut self, text: &[u8], found: &[Range<usize>], is_hit: bool) {
        let end = if self.options.null_data { b'\0' } else { b'\n' };
        let is_pair = self.view.null && self.options.sections.told;
        let style = self.view.style;
        let mut is_ended = false;
        if self.view.max_columns.is_some_and(|most| text.len() > most) {
            let what = match (is_hit, found.len()) {
                (false, _) => "[Omitted long context line]".to_owned(),
                (true, 0) => "[Omitted long matching line]".to_owned(),
                (true, 1) => "[Omitted long line with 1 match]".to_owned(),
                (true, count) => format!("[Omitted long line with {count} matches]"),
            };
            self.out.extend_from_slice(what.as_bytes());
        } else if style.color || style.terminal {
            let body = without_end(text);
            let mut at = 0;
            for range in found {
                let range = range.start.min(body.len())..range.end.min(body.len());
                self.out.extend_from_slice(&style.safe(&body[at..range.start]));
                style.paint_bytes(Role::Match, &body[range.clone()], &mut self.out);
                at = range.end;
            }
            self.out.extend_from_slice(&style.safe(&body[at..]));
        } else if is_pair {
            self.out.extend_from_slice(without_end(text));
        } else {
            self.out.extend_from_slice(text);
            is_ended = text.last() == Some(&end);
        }
        if !is_ended {
            self.out.push(if is_pair { 0 } else { end });
        }
    }

    fn block(&mut self, buffer: &LineBuffer, index: usize, section: Option<Section<'_>>) {
        let line = &buffer.lines()[index];
        self.out.extend_from_slice(b"File: ");
        self.push_path();
        let _ = write!(self.out, ", Line: {}", line.number);
        if let Some(section) = section {
            let _ = write!(self.out, ", Section-End-Hint: {}", section.lines.end());
            match section.next {
                Some(next) => {
                    let _ = write!(self.out, " (next: {next})");
                }
                None => {
                    let _ = write!(self.out, " (next: {})", section.end_name());
                }
            }
        }
        self.out.extend_from_slice(b"\n---\n");
        let around = self.around(buffer, index);
        for at in around {
            let line = &buffer.lines()[at];
            let text = without_end(buffer.text(line));
            self.out.extend_from_slice(&self.view.style.safe(text));
            self.out.push(b'\n');
        }
        self.out.extend_from_slice(b"---\n");
    }

    /// The lines around a hit and itself, by their places in `buffer`.
    fn around(&self, buffer: &LineBuffer, index: usize) -> Range<usize> {
        let lines = buffer.lines();
        let first = lines[index].number.saturating_sub(self.options.context.before as u64);
        let last = lines[index].last.saturating_add(self.options.context.after as u64);
        let start = lines[..index].iter().rposition(|line| line.number < first);
        let end = lines[index..].iter().position(|line| line.last > last);
        start.map_or(0, |at| at + 1)..end.map_or(lines.len(), |at| index + at)
    }

    /// Whether a line that is no hit stands near one.
    fn is_near_hit(&self, buffer: &LineBuffer, index: usize) -> bool {
        let line = &buffer.lines()[index];
        let after = self.options.context.after as u64;
        if self.last_hit > 0 && line.number <= self.last_hit.saturating_add(after) {
            return true;
        }
        let reach = line.last.saturating_add(self.options.context.before as u64);
        buffer.lines()[index + 1..]
            .iter()
            .take_while(|next| next.number <= reach)
            .any(|next| next.kind == Kind::Hit)
    }

    fn record(&mut self, buffer: &LineBuffer, index: usize, structure: Option<&Structure>) {
        let line = &buffer.lines()[index];
        let context = &self.options.context;
        let around = (context.before > 0 || context.after > 0).then(|| self.around(buffer, index));
        let text = |at: usize| without_end(buffer.text(&buffer.lines()[at])).to_vec();
        let around = around.map(|range| wire::Around {
            before: (range.start..index).map(text).collect(),
            after: (index + 1..range.end).map(text).collect(),
        });
        let mut record = wire::Record::new(self.path, line, buffer.text(line), around);
        // A structure that only chose the hits knows no names.
        if let Some(structure) = structure
            && (self.options.sections.named || self.options.sections.told)
        {
            record.place(structure, line.number, self.options.sections.told);
        }
        if self.options.mode == Mode::Sections {
            self.records.push(record);
        } else if self.view.only_matching && !self.options.invert {
            let text = buffer.text(line);
            let first = line.found.start;
            let base = line.byte_offset - first as u64;
            let mut found = Vec::new();
            self.options.matcher.find_all(text, |range| {
                found.push(range);
                true
            });
            for range in found {
                record.narrow(text, range, base);
                self.json(&record);
            }
        } else {
            self.json(&record);
        }
    }

    /// Remembers the section of a hit.
    fn whole_section(&mut self, line: &Line, structure: Option<&Structure>) {
        let section = structure.and_then(|structure| structure.section(line.number));
        let lines =
            section.map_or(LineRange::from_to(line.number, line.last), |section| section.lines);
        if self.whole.last() != Some(&lines) {
            self.whole.push(lines);
        }
        if self.view.style.color && !self.options.invert {
            self.painted.push(LineRange::from_to(line.number, line.last));
        }
    }

    fn sections(&mut self, document: &mut Document) -> Result<(), Stop> {
        self.whole.sort_by_key(|lines| (lines.start(), std::cmp::Reverse(lines.end())));
        let mut apart: Vec<LineRange> = Vec::with_capacity(self.whole.len());
        for &lines in &self.whole {
            if apart.last().is_none_or(|last| !last.covers(lines)) {
                apart.push(lines);
            }
        }
        if apart.is_empty() {
            return Ok(());
        }
        document.rewind()?;
        if self.view.style.json {
            return self.json_sections(document, &apart);
        }
        let mut begun = usize::MAX;
        let mut closed = false;
        let mut number = 0;
        let (mut is_ended, mut is_blank) = (true, false);
        contents(document, &apart, &mut |index, line| {
            if index != begun {
                self.section_header(apart[index], begun != usize::MAX, is_blank);
                begun = index;
                number = apart[index].start();
            }
            self.section_line(number, line);
            // A long line comes in pieces.
            is_blank = is_ended && without_end(line).is_empty();
            is_ended = line.ends_with(b"\n");
            number += u64::from(is_ended);
            closed = self.hand_on(PART).is_err();
            if closed { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if closed {
            return Err(Stop::Closed);
        }
        self.end_line();
        Ok(())
    }

    fn end_line(&mut self) {
        if self.out.last().is_some_and(|&byte| byte != b'\n') {
            self.out.push(b'\n');
        }
    }

    /// A line of a section that is told as a whole.
    fn section_line(&mut self, number: u64, line: &[u8]) {
        let at = self.painted.partition_point(|lines| lines.end() < number);
        if self.painted.get(at).is_none_or(|lines| lines.start() > number) {
            self.out.extend_from_slice(&self.view.style.safe(line));
            return;
        }
        let body = without_end(line);
        let mut from = 0;
        self.options.matcher.find_all(body, |range| {
            self.out.extend_from_slice(&self.view.style.safe(&body[from..range.start]));
            self.view.style.paint_bytes(Role::Match, &body[range.clone()], &mut self.out);
            from = range.end;
            true
        });
        self.out.extend_from_slice(&self.view.style.safe(&body[from..]));
        self.out.extend_from_slice(&self.view.style.safe(&line[body.len()..]));
    }

    /// The header of a section; one blank line is before it where it is the next.
    fn section_header(&mut self, lines: LineRange, is_next: bool, is_behind_blank: bool) {
        if is_next {
            self.end_line();
        }
        if is_next && !is_behind_blank {
            self.out.push(b'\n');
        }
        self.out.extend_from_slice(b"==> ");
        self.push_path();
        self.out.push(b':');
        self.push_lines(lines);
        self.out.extend_from_slice(b" <==\n");
    }

    fn json_sections(&mut self, document: &mut Document, apart: &[LineRange]) -> Result<(), Stop> {
        let mut texts: Vec<Vec<u8>> = vec![Vec::new(); apart.len()];
        contents(document, apart, &mut |index, line| {
            texts[index].extend_from_slice(line);
            ControlFlow::Continue(())
        })?;
        for mut record in std::mem::take(&mut self.records) {
            let at = apart.partition_point(|lines| lines.end() < record.line());
            if let Some(text) = texts.get_mut(at) {
                record.give_content(apart[at], text);
            }
            self.json(&record);
            self.hand_on(PART).map_err(|Closed| Stop::Closed)?;
        }
        Ok(())
    }
}

impl Listener for Teller<'_> {
    fn lines(
        &mut self,
        buffer: &LineBuffer,
        ready: Range<usize>,
        structure: Option<&Structure>,
    ) -> Result<(), Closed> {
        let is_filtered = self.options.sections.filter();
        let has_gaps = self.options.context.most() > 0 && !self.view.null;
        for index in ready {
            let line = &buffer.lines()[index];
            let is_hit = line.kind == Kind::Hit;
            if !is_hit && is_filtered && !self.is_near_hit(buffer, index) {
                continue;
            }
            if is_hit {
                self.last_hit = line.last;
            }
            if self.options.mode == Mode::Sections {
                self.whole_section(line, structure);
                if self.view.style.json {
                    self.record(buffer, index, structure);
                }
                continue;
            }
            if self.view.style.json {
                if is_hit {
                    self.record(buffer, index, structure);
                }
            } else if self.view.blocks {
                if is_hit {
                    let section = structure.and_then(|structure| structure.section(line.number));
                    self.block(buffer, index, section);
                }
            } else {
                if self.view.has_headings() && !self.told {
                    self.push_path();
                    self.out.push(b'\n');
                }
                if has_gaps && self.last > 0 && line.number > self.last + 1 {
                    self.view.style.paint(Role::Quiet, "--", &mut self.out);
                    self.out.push(b'\n');
                }
                self.line(buffer, line, structure);
            }
            self.told = true;
            self.last = line.last;
            self.hand_on(PART)?;
        }
        Ok(())
    }
}

/// Whether matches are told one by one, or counted, and not the lines they
/// stand in.
pub fn is_by_match(options: &Options, view: &View) -> bool {
    let is_told = match options.mode {
        Mode::Lines => view.only_matching,
        Mode::Count => view.only_matching || options.multi_line,
        _ => false,
    };
    is_told && !options.invert
}

/// Whether a document was passed over as binary.
pub fn is_passed_over(found: &Found) -> bool {
    found.binary.is_some_and(|binary| binary.stopped)
}

fn push_number(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// The lines of `--type-list`.
pub fn type_list(types: &[(String, Vec<String>)]) -> Vec<u8> {
    types
        .iter()
        .flat_map(|(name, globs)| format!("{name}: {}\n", globs.join(", ")).into_bytes())
        .collect()
}

/// The end of `--stats`, as ripgrep tells it.
pub fn stats(stats: &wire::Stats, hits: u64, files: u64) -> Vec<u8> {
    format!(
        "\n{} matches\n{hits} matched lines\n{files} files contained matches\n\
         {} files searched\n{} bytes searched\n{:.6} seconds\n",
        stats.matches, stats.files_searched, stats.bytes_searched, stats.seconds
    )
    .into_bytes()
}
