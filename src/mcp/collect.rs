//! Collects the output of a command as the answer of a tool: text or JSON of limited size. Each
//! error is inserted where it occurred.

use serde_json::{Value, json};

use super::answer::Answer;
use super::tool::spelling::{STOPPED, Spelling};
use crate::commands::output::{self, Closed, Note, Outcome, Record, Sink, Style};
use crate::error::{Code, Error, ExitStatus, Hint};
use crate::files::env::Progress;

/// Default limit of an answer in bytes. Clients truncate longer answers without a notice.
pub(super) const MAX_BYTES: usize = 48 << 10;

/// A sink that collects the output of a command.
pub(super) struct Collect<'a> {
    spelling: Spelling<'a>,
    is_json: bool,
    max_bytes: usize,
    /// Reports progress to the client.
    progress: Progress,
    /// Finished text blocks. Errors are separate blocks, in order of occurrence.
    blocks: Vec<String>,
    /// The text since the last block. With JSON output, all lines.
    text: Vec<u8>,
    /// Whether JSON in `text` contains a whole record.
    has_record: bool,
    summary: Option<Value>,
    /// Number of bytes in all blocks.
    bytes: usize,
    /// Whether output was dropped because the answer was full.
    is_cut: bool,
    /// Lines to add after the text.
    pub(super) facts: Vec<String>,
    notes: Vec<String>,
    errors: Vec<Error>,
    /// Whether the command printed any result.
    has_payload: bool,
}

impl<'a> Collect<'a> {
    /// Creates a sink for an answer of at most `max_bytes` bytes ([`MAX_BYTES`] if `None`).
    pub(super) fn new(
        spelling: Spelling<'a>,
        is_json: bool,
        max_bytes: Option<u64>,
        progress: &Progress,
    ) -> Self {
        let max_bytes = max_bytes.and_then(|max| usize::try_from(max).ok()).unwrap_or(MAX_BYTES);
        Self {
            progress: progress.clone(),
            spelling,
            is_json,
            max_bytes: max_bytes.max(1),
            blocks: Vec::new(),
            text: Vec::new(),
            summary: None,
            bytes: 0,
            is_cut: false,
            has_record: false,
            facts: Vec::new(),
            notes: Vec::new(),
            errors: Vec::new(),
            has_payload: false,
        }
    }

    fn push_text(&mut self, bytes: &[u8]) -> Result<(), Closed> {
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
            // If the first line does not fit, truncate it within the line.
            self.text.truncate(end.map_or(self.text.len(), |end| end + 1));
        }
        Err(Closed)
    }

    /// Adds JSON Lines. Drops further lines once the text exceeds the limit of the answer and
    /// contains a whole record.
    fn push_json(&mut self, bytes: &[u8]) -> Result<(), Closed> {
        let is_full = self.text.len() > self.max_bytes && self.has_record;
        self.has_record |= bytes.contains(&b'\n');
        self.text.extend_from_slice(bytes);
        if is_full { Err(Closed) } else { Ok(()) }
    }

    /// Returns as many collected JSON values as fit, but at least one.
    fn records(&mut self) -> Vec<Value> {
        let mut records = Vec::new();
        for line in self.text.split_inclusive(|byte| *byte == b'\n') {
            self.bytes += line.len();
            if self.bytes > self.max_bytes && !records.is_empty() {
                self.is_cut = true;
                break;
            }
            records.extend(serde_json::from_slice::<Value>(line));
        }
        records
    }

    fn end_block(&mut self) {
        if !self.text.is_empty() && !self.is_json {
            let text = std::mem::take(&mut self.text);
            self.blocks.push(String::from_utf8_lossy(&text).into_owned());
        }
    }

    /// Builds the answer of a run that ended with `outcome`.
    pub(super) fn answer(mut self, outcome: Outcome) -> Answer {
        let ended = outcome.unwrap_or_else(|error| {
            self.error(&error);
            ExitStatus::Done
        });
        let errors = self.errors.iter().map(|error| error.code.exit_status());
        let status = errors.fold(ended, ExitStatus::max);
        let errors = self.errors.iter().map(|error| self.spelling.error_object(error)).collect();
        let is_error = !self.errors.is_empty() && !self.has_payload;
        let answer = Answer { errors, is_error, status, ..Answer::default() };
        // Clients drop the structured content of failed calls, so errors are returned as text.
        if self.is_json && !is_error {
            return self.json_answer(answer);
        }
        self.end_block();
        let mut lines = self.facts;
        if self.is_cut {
            lines.push(format!("The answer was {}", how_cut(self.max_bytes)));
        }
        lines.append(&mut self.notes);
        if !lines.is_empty() && !self.is_json {
            self.blocks.push(lines.join("\n"));
        }
        Answer { blocks: self.blocks, ..answer }
    }

    fn json_answer(mut self, answer: Answer) -> Answer {
        let mut object = json!({"records": self.records()});
        if let Some(summary) = self.summary {
            object["summary"] = summary;
        }
        if self.is_cut {
            object["cut"] = format!("the answer was {}", how_cut(self.max_bytes)).into();
        }
        if !self.notes.is_empty() {
            object["notes"] = self.notes.into();
        }
        if !answer.errors.is_empty() {
            object["errors"] = answer.errors.clone().into();
        }
        let Answer { blocks, structured, .. } = Answer::json(object);
        Answer { blocks, structured, ..answer }
    }
}

fn how_cut(max_bytes: usize) -> String {
    format!("truncated after {max_bytes} bytes: narrow the request, or set max_bytes")
}

impl Sink for Collect<'_> {
    fn style(&self) -> Style {
        Style { json: self.is_json, tools: true, ..Style::default() }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Closed> {
        self.has_payload |= !bytes.is_empty();
        if self.is_json { self.push_json(bytes) } else { self.push_text(bytes) }
    }

    fn record(&mut self, record: &dyn Record) -> Result<(), Closed> {
        let mut bytes = Vec::new();
        record.write(self.style(), &mut bytes);
        if self.is_json && record.is_summary() {
            self.summary = serde_json::from_slice(&bytes).ok();
            return Ok(());
        }
        self.write(&bytes)?;
        self.facts.extend(record.facts());
        Ok(())
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
            let found = match self.has_payload {
                true => "the results so far are above",
                false => "there are no results so far",
            };
            error.message = format!("{STOPPED}: {found}");
        }
        self.end_block();
        self.blocks.push(self.spelling.error(&error));
        self.errors.push(error);
    }

    fn completed(&self, hint: Hint) -> Hint {
        Hint::Text(self.spelling.hint(&hint).unwrap_or_default())
    }
}
