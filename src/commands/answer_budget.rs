//! Limits the output of any command to a number of whole lines or records: for `--max-tokens` and
//! `--offset`, and for the limits of tools.

use std::fmt;
use std::path::{Path, PathBuf};

use super::output::{
    Closed, Note, Outcome, Progress, Record, Sink, Style, TOKEN, counted, showing,
};
use folio_files::error::{Change, Error, Hint, Opt};
use folio_files::options::{FORMAT, MAX_BYTES, MAX_TOKENS, OFFSET};

/// A maximum size, and the option that sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    option: Opt,
    most: u64,
    /// The number of bytes in a unit.
    unit: u64,
    /// The largest value that the option accepts.
    largest: u64,
}

impl Limit {
    /// Creates the limit of `--max-tokens`.
    pub fn tokens(most: u64) -> Self {
        Self { option: MAX_TOKENS, most, unit: TOKEN, largest: u64::MAX }
    }

    /// Creates the limit of `--max-bytes`.
    pub fn bytes(most: u64) -> Self {
        Self { option: MAX_BYTES, most, unit: 1, largest: u64::MAX }
    }

    /// Returns the limit, with the largest value that the option accepts.
    pub fn up_to(self, largest: u64) -> Self {
        Self { most: self.most.min(largest), largest, ..self }
    }

    /// Returns the maximum size in bytes.
    pub fn in_bytes(self) -> u64 {
        self.most.saturating_mul(self.unit)
    }

    /// Returns the call with a limit of at least this number of bytes, if the option accepts it.
    pub fn enough(self, bytes: u64) -> Option<Hint> {
        let most = bytes.div_ceil(self.unit);
        (most <= self.largest).then(|| Hint::with_value(self.option, most.to_string()))
    }

    /// Formats a number of bytes in the unit of the limit.
    fn size(self, bytes: u64) -> String {
        match self.unit {
            1 => counted(bytes, "byte"),
            unit => format!("about {}", counted(bytes.div_ceil(unit), "token")),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.option, self.most)
    }
}

/// Limits for the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum size.
    pub size: Limit,
    /// Maximum size of the first line or record, which may be larger because it cannot be divided.
    pub first: Limit,
    /// Number of lines to skip.
    pub offset: u64,
    /// Whether the same call can print the rest. If not, the command stops when nothing more fits.
    pub may_repeat: bool,
}

/// A sink that passes on only the lines within the limits, and counts the lines after them. A JSON
/// summary is always passed on, because it describes the complete output.
pub struct Limited<'a> {
    sink: &'a mut dyn Sink,
    limits: Limits,
    /// Number of bytes that may still be printed.
    left: u64,
    /// The beginning of a line that is not yet complete.
    begun: Vec<u8>,
    /// The file to which the following lines belong, until one of them is printed.
    file: Option<PathBuf>,
    lines: u64,
    printed: u64,
    /// The size of the first line, if it does not fit.
    too_long: Option<u64>,
    /// The number of lines that are omitted at the end, and their size in bytes.
    rest: (u64, u64),
}

impl<'a> Limited<'a> {
    /// Runs a command with a limited sink that writes to another sink.
    ///
    /// # Errors
    ///
    /// Fails if the command fails, or if nothing could be printed.
    pub fn run(
        limits: Limits,
        sink: &'a mut dyn Sink,
        run: impl FnOnce(&mut dyn Sink) -> Outcome,
    ) -> Outcome {
        let mut limited = Self::new(limits, sink);
        let status = run(&mut limited)?;
        limited.finish()?;
        Ok(status)
    }

    fn new(limits: Limits, sink: &'a mut dyn Sink) -> Self {
        let left = limits.size.in_bytes();
        let (begun, file, rest) = (Vec::new(), None, (0, 0));
        let (lines, printed, too_long) = (0, 0, None);
        Self { sink, limits, left, begun, file, lines, printed, too_long, rest }
    }

    fn line(&mut self, line: &[u8]) -> Result<(), Closed> {
        self.lines += 1;
        if self.lines <= self.limits.offset {
            return Ok(());
        }
        let header = self.file.as_ref().map_or(0, |path| path.as_os_str().len() as u64 + 2);
        let size = header + line.len() as u64;
        let is_first = self.printed + self.rest.0 == 0;
        let left = if is_first { self.limits.first.in_bytes() } else { self.left };
        if self.rest.0 > 0 || size > left {
            self.rest = (self.rest.0 + 1, self.rest.1 + line.len() as u64);
            if is_first {
                self.too_long = Some(size);
                let room = left.saturating_sub(header) as usize;
                if room > 0 && self.shows_beginning() {
                    self.pass(&line[..room])?;
                }
            }
            return if self.limits.may_repeat { Ok(()) } else { Err(Closed) };
        }
        self.left = self.left.saturating_sub(size);
        self.printed += 1;
        self.pass(line)
    }

    /// Passes on a line, below the name of its file.
    fn pass(&mut self, line: &[u8]) -> Result<(), Closed> {
        self.file.take().map_or(Ok(()), |path| self.sink.file(&path))?;
        self.sink.write(line)
    }

    /// Whether the beginning of a line that is too long is printed: for callers of tools.
    fn shows_beginning(&self) -> bool {
        self.style().tools && !self.style().json
    }

    /// Ends the output, and prints a note if lines were omitted.
    fn finish(mut self) -> Result<(), Error> {
        let begun = std::mem::take(&mut self.begun);
        // If the output is closed, notes are unnecessary.
        if !begun.is_empty() && self.line(&begun).is_err() && self.limits.may_repeat {
            return Ok(());
        }
        let (Limits { size: limit, first, offset, may_repeat }, what) = (self.limits, self.what());
        if offset > 0 && self.lines <= offset {
            let lines = counted(self.lines, what);
            let message = format!("{OFFSET} {offset} is past the end: the answer has {lines}");
            self.sink.note(Note::new(message).hint(again(0).why("from the first")));
        }
        let (count, bytes) = self.rest;
        if count == 0 {
            return Ok(());
        }
        if !may_repeat {
            let message = format!("truncated after {}", limit.size(limit.in_bytes()));
            self.sink.cut(Note::new(message).hint("narrow the request"));
            return Ok(());
        }
        if let Some(size) = self.too_long {
            let (number, size_text) = (offset + 1, limit.size(size));
            let message =
                format!("{what} {number} of the answer is longer than {first}: {size_text}");
            let after = (count > 1).then(|| again(number).why("those after it"));
            let text = self.style().tools && self.style().json;
            let text = text.then(|| Hint::again([Change::remove(FORMAT)]));
            let text = text.map(|hint| hint.why("as text, in pages"));
            let enough = limit.enough(size).map(|hint| hint.why("with it"));
            let hints = [enough, after, text].into_iter().flatten().collect();
            if !self.shows_beginning() {
                return Err(Error { hints, ..Error::usage(message) });
            }
            self.sink.cut(Note { hints, ..Note::new(message) });
            return Ok(());
        }
        let last = offset + self.printed;
        let shown = showing(offset + 1, last, self.lines, what);
        let note = Note::new(format!("{shown} within {limit}, {} left", limit.size(bytes)));
        self.sink.cut(note.hint(again(last).why("for more")));
        Ok(())
    }

    fn what(&self) -> &'static str {
        if self.style().json { "record" } else { "line" }
    }
}

/// Returns the call that skips a number of lines.
fn again(offset: u64) -> Hint {
    Hint::again([match offset {
        0 => Change::remove(OFFSET),
        offset => Change::set(OFFSET, offset.to_string()),
    }])
}

impl Sink for Limited<'_> {
    fn style(&self) -> Style {
        self.sink.style()
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Closed> {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.begun.is_empty() && line.ends_with(b"\n") {
                self.line(line)?;
                continue;
            }
            self.begun.extend_from_slice(line);
            if line.ends_with(b"\n") {
                let line = std::mem::take(&mut self.begun);
                self.line(&line)?;
            }
        }
        Ok(())
    }

    fn record(&mut self, record: &dyn Record) -> Result<(), Closed> {
        if self.style().json && record.is_summary() {
            return self.sink.record(record);
        }
        let mut bytes = Vec::new();
        record.write(self.style(), &mut bytes);
        let is_first = self.printed + self.rest.0 == 0 && self.lines >= self.limits.offset;
        let most = self.limits.first.in_bytes();
        if is_first && bytes.len() as u64 > most {
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            bytes = record.shortened(self.style(), most).unwrap_or(bytes);
        }
        self.write(&bytes)?;
        self.sink.facts(record);
        Ok(())
    }

    fn file(&mut self, path: &Path) -> Result<(), Closed> {
        self.file = Some(path.to_owned());
        Ok(())
    }

    /// Totals are printed only with the first lines.
    fn counted(&mut self, path: &Path, results: u64) {
        if self.limits.offset == 0 {
            self.sink.counted(path, results);
        }
    }

    fn facts(&mut self, record: &dyn Record) {
        self.sink.facts(record);
    }

    fn note(&mut self, note: Note) {
        self.sink.note(note);
    }

    fn error(&mut self, error: &Error) {
        self.sink.error(error);
    }

    fn progress(&mut self, what: &str) -> Progress {
        self.sink.progress(what)
    }

    fn edited(&mut self, back: Option<Hint>) {
        self.sink.edited(back);
    }

    fn completed(&self, hint: Hint) -> Hint {
        self.sink.completed(hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::output::Collected;

    fn limits(tokens: u64, offset: u64) -> Limits {
        let size = Limit::tokens(tokens);
        Limits { size, first: size, offset, may_repeat: true }
    }

    /// Returns the printed text, the notes and the error for output that is written in these
    /// pieces.
    fn limited(limits: Limits, pieces: &[&str]) -> (String, Vec<String>, Option<String>) {
        let mut collected = Collected::text();
        let mut sink = Limited::new(limits, &mut collected);
        for piece in pieces {
            sink.write(piece.as_bytes()).expect("somebody reads on");
        }
        let error = sink.finish().err().map(|error| error.to_string());
        let notes = collected.notes.iter().map(ToString::to_string).collect();
        (String::from_utf8_lossy(&collected.written).into_owned(), notes, error)
    }

    #[test]
    fn following_the_hints_prints_every_line_once() {
        let lines: Vec<String> = (0..40).map(|n| format!("{}\n", "x".repeat(n % 11))).collect();
        let complete_text = lines.concat();
        let (mut all, mut offset) = (String::new(), 0);
        loop {
            let limits = limits(5, offset);
            let pieces: Vec<&str> = complete_text.split_inclusive('x').collect();
            let (text, notes, error) = limited(limits, &pieces);
            assert!(error.is_none() && !text.is_empty() && text.len() <= 20, "{error:?} {text:?}");
            assert!(text.ends_with('\n'));
            all.push_str(&text);
            let Some(note) = notes.first() else { break };
            let next = note.rsplit(' ').next();
            offset = next.and_then(|next| next.parse().ok()).expect("the offset");
        }
        assert_eq!(all, complete_text);
    }

    #[test]
    fn omitted_lines_are_counted() {
        let (text, notes, _) = limited(limits(1, 1), &["ab", "\ncd\nef", "\nghij"]);
        assert_eq!(text, "cd\n");
        assert_eq!(
            notes,
            [
                "showing line 2 of 4 within --max-tokens 1, about 2 tokens left; for more: --offset 2"
            ]
        );
        let (text, notes, _) = limited(limits(9, 3), &["ab\ncd\n"]);
        let said = "--offset 3 is past the end: the answer has 2 lines; from the first: ";
        assert_eq!((text.as_str(), notes), ("", vec![said.to_owned()]));
        let (_, notes, error) = limited(limits(1, 0), &["abcdef\n", "a\n"]);
        let said = "line 1 of the answer is longer than --max-tokens 1: about 2 tokens";
        assert_eq!((error.as_deref(), notes.len()), (Some(said), 0));
    }
}
