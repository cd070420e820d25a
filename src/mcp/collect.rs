//! Collects the output of a command as a tool's answer: text or records, limited in size, with
//! errors at the position where they occurred.

use std::string::FromUtf8Error;

use serde_json::{Value, json};

use super::answer::Answer;
use super::records::{STOPPED, WholeLines};
use super::spelling::Spelling;
use crate::commands::output::{self, Closed, Note, Outcome, Record, Sink, Style};
use crate::error::{Code, Error, ExitStatus, Hint};
use crate::files::env::Progress;

/// Default limit of an answer in bytes. Clients truncate longer answers without saying so.
pub const MAX_BYTES: usize = 48 << 10;

/// The form in which output is collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text, as the command line prints it.
    Text,
    /// Records, from which the text and the facts after it are made.
    TextOfRecords,
    /// Records, returned as JSON.
    Json,
}

/// A sink that collects the output of a command.
pub struct Collect<'a> {
    spelling: Spelling<'a>,
    form: Form,
    max_bytes: usize,
    /// Reports progress to the client.
    progress: Progress,
    /// Finished text blocks; errors are separate blocks, in order of occurrence.
    blocks: Vec<String>,
    text: Vec<u8>,
    lines: WholeLines,
    /// Records of the results. With [`Form::Text`] there are none.
    pub records: Vec<Value>,
    /// The summary record.
    pub summary: Option<Value>,
    bytes: usize,
    /// Whether output was dropped because the answer was full.
    pub is_cut: bool,
    notes: Vec<String>,
    errors: Vec<Error>,
    /// Whether the command printed any result.
    has_payload: bool,
}

impl<'a> Collect<'a> {
    /// Creates a sink for an answer of at most `max_bytes` bytes ([`MAX_BYTES`] if `None`).
    pub fn new(
        spelling: Spelling<'a>,
        form: Form,
        max_bytes: Option<usize>,
        progress: &Progress,
    ) -> Self {
        Self {
            progress: progress.clone(),
            spelling,
            form,
            max_bytes: max_bytes.unwrap_or(MAX_BYTES).max(1),
            blocks: Vec::new(),
            text: Vec::new(),
            lines: WholeLines::default(),
            records: Vec::new(),
            summary: None,
            bytes: 0,
            is_cut: false,
            notes: Vec::new(),
            errors: Vec::new(),
            has_payload: false,
        }
    }

    /// Adds a record, given as a line of JSON.
    fn line(&mut self, line: &[u8]) -> Result<(), Closed> {
        let Ok(value) = serde_json::from_slice::<Value>(line) else { return Ok(()) };
        if value["type"] == "summary" {
            self.summary = Some(value);
            return Ok(());
        }
        self.has_payload = true;
        if self.form == Form::Json {
            if self.is_cut || self.bytes + line.len() > self.max_bytes && !self.records.is_empty() {
                self.is_cut = true;
                return Err(Closed);
            }
            self.bytes += line.len();
        }
        self.records.push(value);
        Ok(())
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), Closed> {
        self.has_payload |= !bytes.is_empty();
        let room = self.max_bytes.saturating_sub(self.bytes);
        if bytes.len() <= room && !self.is_cut {
            self.bytes += bytes.len();
            self.text.extend_from_slice(bytes);
            return Ok(());
        }
        if !self.is_cut {
            self.is_cut = true;
            self.text.extend_from_slice(&bytes[..room]);
            let end = self.text.iter().rposition(|byte| *byte == b'\n');
            // If not even the first line fits, it is cut within the line.
            self.text.truncate(end.map_or(self.text.len(), |end| end + 1));
        }
        Err(Closed)
    }

    fn end_block(&mut self) {
        if !self.text.is_empty() {
            let text = std::mem::take(&mut self.text);
            let text = String::from_utf8(text);
            let lossy =
                |error: FromUtf8Error| String::from_utf8_lossy(error.as_bytes()).into_owned();
            self.blocks.push(text.unwrap_or_else(lossy));
        }
    }

    /// Adds the error that the command returned, if any, and computes the exit status.
    fn end(&mut self, outcome: Outcome) -> ExitStatus {
        let ended = match outcome {
            Ok(status) => status,
            Err(error) => {
                self.error(&error);
                ExitStatus::Done
            }
        };
        let errors = self.errors.iter().map(|error| error.code.exit_status());
        errors.fold(ended, ExitStatus::max)
    }

    /// Builds the answer; `facts` returns lines to add after the text.
    pub fn answer(mut self, outcome: Outcome, facts: impl FnOnce(&Self) -> Vec<String>) -> Answer {
        let status = self.end(outcome);
        let is_error = !self.errors.is_empty() && !self.has_payload;
        if self.form == Form::Json {
            return self.json_answer(status, is_error);
        }
        self.end_block();
        let mut lines = facts(&self);
        if self.is_cut {
            let max = self.max_bytes;
            lines.push(format!(
                "The answer was cut after {max} bytes: narrow it down, or give max_bytes"
            ));
        }
        lines.append(&mut self.notes);
        if !lines.is_empty() {
            self.blocks.push(lines.join("\n"));
        }
        let errors = self.errors.iter().map(|error| self.spelling.error_object(error)).collect();
        Answer { blocks: self.blocks, errors, is_error, status, ..Answer::default() }
    }

    fn json_answer(self, status: ExitStatus, is_error: bool) -> Answer {
        let spelling = self.spelling;
        let mut object = json!({"records": self.records});
        if let Some(summary) = self.summary {
            object["summary"] = summary;
        }
        if self.is_cut {
            object["cut"] = format!(
                "the answer was cut after {} bytes: narrow it down, or give max_bytes",
                self.max_bytes
            )
            .into();
        }
        if !self.notes.is_empty() {
            object["notes"] = self.notes.into();
        }
        let errors: Vec<Value> =
            self.errors.iter().map(|error| spelling.error_object(error)).collect();
        if !errors.is_empty() {
            object["errors"] = errors.clone().into();
        }
        // Clients drop the structured content of failed calls, so errors are returned as text.
        if is_error {
            let texts = self.errors.iter().map(|error| spelling.error(error));
            let blocks = texts.collect();
            return Answer { blocks, errors, is_error, status, ..Answer::default() };
        }
        Answer { status, errors, ..Answer::json(object) }
    }
}

impl Sink for Collect<'_> {
    fn style(&self) -> Style {
        Style { json: self.form != Form::Text, tools: true, ..Style::default() }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Closed> {
        match self.form {
            Form::Text => self.push(bytes),
            _ => {
                let lines = self.lines.push(bytes);
                lines.split_inclusive(|byte| *byte == b'\n').try_for_each(|line| self.line(line))
            }
        }
    }

    fn record(&mut self, record: &dyn Record) -> Result<(), Closed> {
        let mut json = Vec::new();
        record.json(&mut json);
        if self.form == Form::Json {
            return self.line(&json);
        }
        let mut text = Vec::new();
        record.text(Style { json: false, ..self.style() }, &mut text);
        self.push(&text)?;
        self.line(&json)
    }

    fn progress(&mut self, _: &str) -> output::Progress {
        let (progress, mut last) = (self.progress.clone(), 0);
        Box::new(move |done, _| {
            progress.add(usize::try_from(done.saturating_sub(last)).unwrap_or(0));
            last = done;
        })
    }

    fn note(&mut self, note: Note) {
        self.notes.push(self.spelling.note(&note));
    }

    fn error(&mut self, error: &Error) {
        let mut error = error.clone();
        if error.code == Code::Cancelled {
            error.message = self.stopped();
        }
        self.end_block();
        self.blocks.push(self.spelling.error(&error));
        self.errors.push(error);
    }

    fn completed(&self, hint: Hint) -> Hint {
        Hint::Text(self.spelling.hint(&hint).unwrap_or_default())
    }
}

impl Collect<'_> {
    fn stopped(&self) -> String {
        let found = match self.has_payload {
            true => "what was found so far is above",
            false => "nothing was found so far",
        };
        format!("{STOPPED}: {found}")
    }
}
