//! Implements `--max-tokens` and `--offset`: limits the output of any command to a number of whole
//! lines.

use super::output::{Closed, Note, Progress, Record, Sink, Style, TOKEN, counted};
use folio_files::error::{Change, Error, Hint};

/// Limits for the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of tokens.
    pub tokens: Option<u64>,
    /// Number of lines to skip.
    pub offset: u64,
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
    lines: u64,
    printed: u64,
    /// The size of the first line, if it does not fit.
    too_long: Option<u64>,
    /// The number of lines that are omitted at the end, and their size in bytes.
    rest: (u64, u64),
}

impl<'a> Limited<'a> {
    /// Creates a limited sink that writes to another sink.
    pub fn new(limits: Limits, sink: &'a mut dyn Sink) -> Self {
        let left = limits.tokens.map_or(u64::MAX, |tokens| tokens.saturating_mul(TOKEN));
        let (begun, rest) = (Vec::new(), (0, 0));
        Self { sink, limits, left, begun, lines: 0, printed: 0, too_long: None, rest }
    }

    fn line(&mut self, line: &[u8]) -> Result<(), Closed> {
        if self.style().json && line.starts_with(b"{\"type\":\"summary\"") {
            return self.sink.write(line);
        }
        self.lines += 1;
        let size = line.len() as u64;
        if self.lines <= self.limits.offset {
            return Ok(());
        }
        if self.rest.0 > 0 || size > self.left {
            self.too_long = self.too_long.or((self.printed == 0).then_some(size));
            self.rest = (self.rest.0 + 1, self.rest.1 + size);
            return Ok(());
        }
        self.left -= size;
        self.printed += 1;
        self.sink.write(line)
    }

    /// Ends the output, and prints a note if lines were omitted.
    ///
    /// # Errors
    ///
    /// Fails if nothing could be printed.
    pub fn finish(mut self) -> Result<(), Error> {
        let begun = std::mem::take(&mut self.begun);
        // If the output is closed, notes are unnecessary.
        if !begun.is_empty() && self.line(&begun).is_err() {
            return Ok(());
        }
        let (Limits { tokens, offset }, what) = (self.limits, self.what());
        if offset > 0 && self.lines <= offset {
            let lines = counted(self.lines, what);
            let message = format!("--offset {offset} is past the end: the answer has {lines}");
            self.sink.note(Note::new(message).hint(again(0).why("from the first")));
        }
        let (count, bytes) = self.rest;
        if let Some(size) = self.too_long {
            let number = offset + 1;
            let message = format!(
                "{what} {number} of the answer is longer than --max-tokens {}: about {} tokens",
                tokens.unwrap_or_default(),
                size.div_ceil(TOKEN)
            );
            let enough = Change::set("--max-tokens", size.div_ceil(TOKEN).to_string());
            let whole = again(offset).but([enough]).why("with it");
            let error = Error::usage(message).hint(whole);
            return Err(match count {
                1 => error,
                _ => error.hint(again(number).why("those after it")),
            });
        }
        if count > 0 {
            let (lines, left) = (counted(count, what), bytes.div_ceil(TOKEN));
            let next = again(offset + self.printed).why("for more");
            let note = Note::new(format!("left out: {lines}, about {left} tokens")).hint(next);
            self.sink.note(note);
        }
        Ok(())
    }

    fn what(&self) -> &'static str {
        if self.style().json { "record" } else { "line" }
    }
}

/// Returns the call that skips a number of lines.
fn again(offset: u64) -> Hint {
    Hint::again([match offset {
        0 => Change::remove("--offset"),
        offset => Change::set("--offset", offset.to_string()),
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
        let mut bytes = Vec::new();
        record.write(self.style(), &mut bytes);
        let is_first = self.printed == 0 && self.rest.0 == 0 && self.lines >= self.limits.offset;
        if is_first && bytes.len() as u64 > self.left {
            let most = usize::try_from(self.left).unwrap_or(usize::MAX);
            bytes = record.shortened(self.style(), most).unwrap_or(bytes);
        }
        self.write(&bytes)
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
        let whole = lines.concat();
        let (mut all, mut offset) = (String::new(), 0);
        loop {
            let limits = Limits { tokens: Some(5), offset };
            let pieces: Vec<&str> = whole.split_inclusive('x').collect();
            let (text, notes, error) = limited(limits, &pieces);
            assert!(error.is_none() && !text.is_empty() && text.len() <= 20, "{error:?} {text:?}");
            assert!(text.ends_with('\n'));
            all.push_str(&text);
            let Some(note) = notes.first() else { break };
            let next = note.rsplit(' ').next();
            offset = next.and_then(|next| next.parse().ok()).expect("the offset");
        }
        assert_eq!(all, whole);
    }

    #[test]
    fn omitted_lines_are_counted() {
        let limits = |tokens, offset| Limits { tokens: Some(tokens), offset };
        let (text, notes, _) = limited(limits(1, 1), &["ab", "\ncd\nef", "\nghij"]);
        assert_eq!(text, "cd\n");
        assert_eq!(notes, ["left out: 2 lines, about 2 tokens; for more: --offset 2"]);
        let (text, notes, _) = limited(limits(9, 3), &["ab\ncd\n"]);
        let said = "--offset 3 is past the end: the answer has 2 lines; from the first: ";
        assert_eq!((text.as_str(), notes), ("", vec![said.to_owned()]));
        let (_, notes, error) = limited(limits(1, 0), &["abcdef\n", "a\n"]);
        let said = "line 1 of the answer is longer than --max-tokens 1: about 2 tokens";
        assert_eq!((error.as_deref(), notes.len()), (Some(said), 0));
    }
}
