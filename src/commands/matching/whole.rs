//! Prints the whole sections of matches. Each section is printed once.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use super::places::contents;
use super::printer::{Printer, WholeSections};
use crate::commands::json;
use crate::commands::output::Stop;
use crate::files::document::Document;
use crate::text::lines::without_end;
use crate::text::span::LineRange;

impl<'a> WholeSections<'a> {
    /// Reads the document again and prints the sections.
    pub(super) fn print(
        mut self,
        printer: &mut Printer<'a>,
        document: &mut Document,
    ) -> Result<(), Stop> {
        self.sections.sort_by_key(|lines| (lines.start(), Reverse(lines.end())));
        let mut apart: Vec<LineRange> = Vec::with_capacity(self.sections.len());
        for &lines in &self.sections {
            if apart.last().is_none_or(|last| !last.covers(lines)) {
                apart.push(lines);
            }
        }
        if apart.is_empty() {
            return Ok(());
        }
        document.rewind()?;
        match printer.style.json {
            true => self.print_json(printer, document, &apart),
            false => self.print_text(printer, document, &apart),
        }
    }

    fn print_json(
        self,
        printer: &mut Printer<'a>,
        document: &mut Document,
        apart: &[LineRange],
    ) -> Result<(), Stop> {
        let mut texts: Vec<Vec<u8>> = vec![Vec::new(); apart.len()];
        contents(document, apart, &mut |index, line| {
            texts[index].extend_from_slice(line);
            ControlFlow::Continue(())
        })?;
        for mut record in self.records {
            let at = apart.partition_point(|lines| lines.end() < record.line);
            if let Some(text) = texts.get_mut(at) {
                record.set_content(apart[at], text);
            }
            printer.out.extend_from_slice(&json::line(&record));
            printer.flush_parts()?;
        }
        Ok(())
    }

    fn print_text(
        &self,
        printer: &mut Printer<'a>,
        document: &mut Document,
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

    fn line(&self, printer: &mut Printer<'a>, number: u64, line: &[u8]) {
        let at = self.painted.partition_point(|lines| lines.end() < number);
        let body = without_end(line);
        let is_match = self.painted.get(at).is_some_and(|lines| lines.start() <= number);
        let found = if is_match { printer.query.all_matches(body) } else { Vec::new() };
        printer.push_painted(line, &found);
        printer.out.extend_from_slice(&printer.style.safe(&line[body.len()..]));
    }
}

/// Prints the header of a section. A blank line precedes it unless it is the first section.
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
