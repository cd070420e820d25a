//! Runs commands and collects their output as JSON records, for the tool sets that convert it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::commands::output::{Closed, Note, Outcome, Sink, Style};
use crate::error::{Code, Error, Hint};

/// Message for a call that exceeded its deadline.
pub const STOPPED: &str = "the call took too long and was stopped";

/// The output of a command.
#[derive(Default)]
pub struct Records {
    /// The records that it printed.
    pub all: Vec<Value>,
    /// The notes that it reported.
    pub notes: Vec<Note>,
    /// The errors that it reported or returned.
    pub errors: Vec<Error>,
    lines: WholeLines,
}

/// Splits output that arrives in pieces into lines.
#[derive(Default)]
pub struct WholeLines(Vec<u8>);

impl WholeLines {
    /// Adds a piece and returns the lines completed by it. A last line without a line ending is
    /// never returned.
    pub fn push(&mut self, piece: &[u8]) -> Vec<u8> {
        let end = memchr::memrchr(b'\n', piece).map_or(0, |at| at + 1);
        let (ended, rest) = piece.split_at(end);
        if end == 0 {
            self.0.extend_from_slice(rest);
            return Vec::new();
        }
        let mut lines = std::mem::replace(&mut self.0, rest.to_vec());
        lines.extend_from_slice(ended);
        lines
    }
}

impl Records {
    /// Runs a command.
    pub fn of(command: impl FnOnce(&mut dyn Sink) -> Outcome) -> Self {
        let mut records = Self::default();
        if let Err(error) = command(&mut records) {
            records.error(&error);
        }
        records
    }

    /// Runs a command and returns its only record.
    ///
    /// # Errors
    ///
    /// Fails if the command does, or prints no record.
    pub fn one(command: impl FnOnce(&mut dyn Sink) -> Outcome) -> Result<Value, Error> {
        let mut records = Self::of(command);
        match (records.errors.pop(), records.all.len()) {
            (Some(error), _) => Err(error),
            (None, 1) => Ok(records.all.swap_remove(0)),
            (None, _) => Err(Error::usage("it is a directory, and a file is needed")),
        }
    }
}

impl Sink for Records {
    fn style(&self) -> Style {
        Style { json: true, ..Style::default() }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Closed> {
        let lines = self.lines.push(bytes);
        let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        self.all.extend(lines.filter_map(|line| serde_json::from_slice(line).ok()));
        Ok(())
    }

    fn note(&mut self, note: Note) {
        self.notes.push(note);
    }

    fn error(&mut self, error: &Error) {
        let mut error = error.clone();
        if error.code == Code::Cancelled {
            error.message = STOPPED.to_owned();
        }
        self.errors.push(error);
    }

    /// A completed hint would be a shell command, which is useless here.
    fn completed(&self, _: Hint) -> Hint {
        Hint::Text(String::new())
    }
}

/// The text in a record, and whether it is lossy because some bytes were not valid UTF-8.
pub fn text_of(value: &Value) -> (String, bool) {
    if let Some(text) = value.as_str() {
        return (text.to_owned(), false);
    }
    let bytes = value["bytes"].as_str().and_then(|text| STANDARD.decode(text).ok());
    (String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned(), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_in_any_pieces() {
        for size in 1..20 {
            let mut records = Records::default();
            for piece in b"{\"a\":1}\n{\"b\":\"\"}\n".chunks(size) {
                records.write(piece).expect("taken");
            }
            assert_eq!(records.all, [serde_json::json!({"a": 1}), serde_json::json!({"b": ""})]);
        }
    }
}
