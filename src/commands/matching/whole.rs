//! Prints the complete section of each match. Each section is printed only once.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use memchr::memmem;

use super::pending::{CONTENT, RecordPosition, WholeSections};
use super::printer::Printer;
use super::wire::Head;
use crate::commands::json::{self, Text};
use crate::commands::output::{Closed, Stop};
use folio_files::error::Error;
use folio_outline::document::Document;
use folio_text::lines::without_end;
use folio_text::span::LineRange;

impl WholeSections {
    /// Reads the document again and prints the sections.
    pub(super) fn print(
        mut self,
        printer: &mut Printer<'_>,
        document: &Document,
    ) -> Result<(), Stop> {
        self.sections.sort_unstable_by_key(|lines| (lines.start(), Reverse(lines.end())));
        // Sections that are part of another section are omitted.
        let mut apart = std::mem::take(&mut self.sections);
        apart.dedup_by(|lines, last| last.covers(*lines));
        if apart.is_empty() {
            return Ok(());
        }
        if printer.style.json {
            self.print_json(printer, document, &apart)
        } else {
            self.print_text(printer, document, &apart)
        }
    }

    /// Prints the matches in order while the sections are read, so that only one section is in
    /// memory.
    fn print_json(
        self,
        printer: &mut Printer<'_>,
        document: &Document,
        apart: &[LineRange],
    ) -> Result<(), Stop> {
        let (mut current, mut text, mut printed) = (0, Vec::new(), 0);
        let mut result = Ok(());
        contents(document, apart, &mut |index, line| {
            if index != current {
                result = self.print_records(printer, apart[current], &mut text, &mut printed);
                current = index;
            }
            text.extend_from_slice(line);
            if result.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        result?;
        self.print_records(printer, apart[current], &mut text, &mut printed)?;
        Ok(())
    }

    /// Prints the records of a section, without the first `printed` ones. The first record of the
    /// section contains its text, which is then removed.
    fn print_records(
        &self,
        printer: &mut Printer<'_>,
        lines: LineRange,
        text: &mut Vec<u8>,
        printed: &mut usize,
    ) -> Result<(), Closed> {
        let is_within = |record: &&RecordPosition| record.lines.start() <= lines.end();
        for record in self.records[*printed..].iter().take_while(is_within) {
            let start = printed.checked_sub(1).map_or(0, |last| self.records[last].end);
            let line = &self.json[start..record.end];
            let at = memmem::find(line, CONTENT);
            let (before, after) = line.split_at(at.unwrap_or(line.len()));
            printer.out.extend_from_slice(&Head::new(printer.path, record.lines).json());
            printer.out.extend_from_slice(before);
            if at.is_some() && record.lines == lines && !text.is_empty() {
                printer.out.extend_from_slice(b",\"content\":");
                json::push(&Text(text), &mut printer.out);
                text.clear();
            }
            printer.out.extend_from_slice(after.strip_prefix(CONTENT).unwrap_or(after));
            printer.flush_parts()?;
            *printed += 1;
        }
        text.clear();
        Ok(())
    }

    fn print_text(
        &self,
        printer: &mut Printer<'_>,
        document: &Document,
        apart: &[LineRange],
    ) -> Result<(), Stop> {
        let mut begun = usize::MAX;
        let mut number = 0;
        let (mut is_ended, mut is_blank) = (true, false);
        let mut result = Ok(());
        contents(document, apart, &mut |index, line| {
            if index != begun {
                header(printer, apart[index], begun != usize::MAX, is_blank);
                begun = index;
                number = apart[index].start();
            }
            self.line(printer, number, line);
            // A long line is split into several pieces.
            is_blank = is_ended && without_end(line).is_empty();
            is_ended = line.ends_with(b"\n");
            number += u64::from(is_ended);
            result = printer.flush_parts();
            if result.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        result?;
        end_line(printer);
        Ok(())
    }

    fn line(&self, printer: &mut Printer<'_>, number: u64, line: &[u8]) {
        let at = self.painted.partition_point(|lines| lines.end() < number);
        let body = without_end(line);
        let is_match = self.painted.get(at).is_some_and(|lines| lines.start() <= number);
        let found = if is_match { printer.query.all_matches(body) } else { Vec::new() };
        printer.push_painted(line, &found);
        printer.out.extend_from_slice(&printer.style.safe(&line[body.len()..]));
    }
}

/// Calls `each` with the lines in `ranges`, and with the index of the range.
///
/// # Errors
///
/// Fails if the document cannot be read, or no longer has these lines.
fn contents(
    document: &Document,
    ranges: &[LineRange],
    each: &mut dyn FnMut(usize, &[u8]) -> ControlFlow<()>,
) -> Result<(), Error> {
    let (mut reached, mut is_stopped) = (0, false);
    document.lines(ranges, |index, _, line| {
        reached = index + 1;
        let next = each(index, line);
        is_stopped = next.is_break();
        next
    })?;
    if reached == ranges.len() || is_stopped {
        return Ok(());
    }
    Err(Error::changed().at(document.path()))
}

/// Prints the header of a section. A blank line precedes it, except before the first section.
fn header(printer: &mut Printer<'_>, lines: LineRange, is_next: bool, is_after_blank: bool) {
    if is_next {
        end_line(printer);
    }
    if is_next && !is_after_blank {
        printer.out.push(b'\n');
    }
    printer.out.extend_from_slice(b"==> ");
    printer.push_address(lines);
    printer.out.extend_from_slice(b" <==\n");
}

fn end_line(printer: &mut Printer<'_>) {
    if printer.out.last().is_some_and(|&byte| byte != b'\n') {
        printer.out.push(b'\n');
    }
}
