//! Collects the output of a command as the answer of a tool: text or JSON. Errors are inserted where
//! they occurred.

use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;

use serde_json::{Map, Value};

use super::answer::Answer;
use super::tool::Effect;
use super::tool::spelling::Spelling;
use crate::commands::answer_budget::{Limit, Limits};
use crate::commands::host::Progress;
use crate::commands::output::{self, Closed, Note, Outcome, Record, Sink, Style, counted};
use folio_files::error::{Code, Error, ExitStatus, Hint, Message};

/// Default maximum size in bytes of the contents of a file. Clients truncate longer answers without
/// notice.
pub(super) const MAX_BYTES: usize = 48 << 10;

/// Default maximum size in bytes of other answers.
pub(super) const MAX_LISTED: u64 = 12 << 10;

/// Maximum size in bytes of JSON, which takes ten times as much memory until it is sent.
const MAX_JSON: u64 = 512 << 10;

/// Maximum value of `max_bytes`.
pub(super) const MAX_TEXT: u64 = 4 << 20;

/// Default maximum size in bytes of a JSON record, which cannot be divided.
const MAX_RECORD: u64 = 128 << 10;

/// Number of results above which an answer begins with a summary.
const MANY: u64 = 200;

/// Maximum number of files listed in a summary.
const MOST_FILES: usize = 5;

/// Returns the limits of an answer. `offset` is the number of lines to skip, if the answer can be
/// continued by the same call with another one.
pub(super) fn limits(max_bytes: Option<u64>, is_json: bool, offset: Option<u64>) -> Limits {
    let largest = if is_json { MAX_JSON } else { MAX_TEXT };
    let size = Limit::bytes(max_bytes.unwrap_or(MAX_LISTED)).up_to(largest);
    let first = match (is_json, offset, max_bytes) {
        // The result of an edit is always reported.
        (true, None, _) => Limit::bytes(u64::MAX),
        (true, Some(_), None) => Limit::bytes(MAX_RECORD),
        _ => size,
    };
    Limits { size, first, offset: offset.unwrap_or(0), may_repeat: offset.is_some() }
}

/// A sink that collects the output of a command.
pub(super) struct Collect<'a> {
    spelling: Spelling<'a>,
    is_json: bool,
    /// The number of results of each file.
    counts: Vec<(PathBuf, u64)>,
    /// Reports progress to the client.
    progress: Progress,
    /// Finished text blocks. Errors are separate blocks, in order of occurrence.
    blocks: Vec<String>,
    /// The text since the last block. With JSON output, all lines.
    text: Vec<u8>,
    /// Lines to add after the text.
    pub(super) facts: Vec<String>,
    notes: Vec<String>,
    /// The note about an incomplete answer.
    cut: Option<String>,
    /// The message and text of the last note, and the number of further files with this message.
    last_note: (Message, String, u64),
    errors: Vec<Error>,
    /// Whether the command has printed a result.
    has_payload: bool,
}

impl<'a> Collect<'a> {
    /// Creates a sink for an answer.
    pub(super) fn new(spelling: Spelling<'a>, is_json: bool, progress: &Progress) -> Self {
        Self {
            counts: Vec::new(),
            progress: progress.clone(),
            spelling,
            is_json,
            blocks: Vec::new(),
            text: Vec::new(),
            facts: Vec::new(),
            notes: Vec::new(),
            cut: None,
            last_note: Default::default(),
            errors: Vec::new(),
            has_payload: false,
        }
    }

    /// Takes all collected JSON values.
    fn records(&mut self) -> Vec<Value> {
        let text = std::mem::take(&mut self.text);
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }

    fn results(&self) -> u64 {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// Returns the totals, with the files that have the most results, or `None` if no results were
    /// counted.
    fn totals(&self) -> Option<String> {
        let mut files: Vec<_> = self.counts.iter().collect();
        let total = self.results();
        files.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let most = files.iter().take(MOST_FILES);
        let most: Vec<String> =
            most.map(|(path, count)| format!("{} ({count})", path.display())).collect();
        let what = if most.len() < files.len() { ", most in" } else { ":" };
        let results = counted(total, "result");
        (total > 0).then(|| {
            let files = counted(files.len() as u64, "file");
            format!("{results} in {files}{what} {}", most.join(", "))
        })
    }

    fn end_block(&mut self) {
        if !self.text.is_empty() && !self.is_json {
            let text = String::from_utf8(std::mem::take(&mut self.text));
            let lossy = |text: FromUtf8Error| String::from_utf8_lossy(text.as_bytes()).into_owned();
            self.blocks.push(text.unwrap_or_else(lossy));
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
        let mut lines = std::mem::take(&mut self.facts);
        if self.results() > MANY {
            self.blocks.splice(0..0, self.totals());
        }
        lines.append(&mut self.notes);
        lines.extend(self.cut.take());
        if self.blocks.is_empty() && lines.is_empty() {
            lines.push("There are no results.".to_owned());
        }
        if !lines.is_empty() {
            self.blocks.push(lines.join("\n"));
        }
        Answer { blocks: self.blocks, ..answer }
    }

    fn json_answer(mut self, answer: Answer) -> Answer {
        // `json!` would copy the records.
        let mut object = Value::Object(Map::new());
        let mut records = self.records();
        let summary = records.pop_if(|record| record["type"] == "summary");
        object["records"] = Value::Array(records);
        if let Some(summary) = summary {
            object["summary"] = summary;
        }
        if let Some(cut) = self.cut {
            object["cut"] = cut.into();
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

impl Sink for Collect<'_> {
    fn style(&self) -> Style {
        let is_json = self.is_json;
        Style { json: is_json, tools: true, grouped: !is_json, ..Style::default() }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Closed> {
        self.has_payload |= !bytes.is_empty();
        self.text.extend_from_slice(bytes);
        Ok(())
    }

    fn record(&mut self, record: &dyn Record) -> Result<(), Closed> {
        let mut bytes = Vec::new();
        record.write(self.style(), &mut bytes);
        if self.is_json && record.is_summary() {
            // A summary alone is no result.
            self.text.extend_from_slice(&bytes);
            return Ok(());
        }
        self.write(&bytes)?;
        self.facts(record);
        Ok(())
    }

    /// Adds a line with the path of a file, after an empty line if there is text before it.
    fn file(&mut self, path: &Path) -> Result<(), Closed> {
        if !self.text.is_empty() {
            self.text.push(b'\n');
        }
        self.style().paint_path(path, &mut self.text);
        self.text.push(b'\n');
        Ok(())
    }

    fn facts(&mut self, record: &dyn Record) {
        self.facts.extend(record.facts());
    }

    fn cut(&mut self, mut note: Note) {
        // Totals of many results precede the text.
        if let Some(totals) = self.totals().filter(|_| self.is_json || self.results() <= MANY) {
            note.message.push(format!("; {totals}"));
        }
        self.cut = Some(self.spelling.note(&note));
    }

    fn counted(&mut self, path: &Path, results: u64) {
        if results > 0 {
            self.counts.push((path.to_owned(), results));
        }
    }

    fn progress(&mut self, _: &str) -> output::Progress {
        let (progress, mut last) = (self.progress.clone(), 0);
        Box::new(move |done, _| {
            progress.add(usize::try_from(done.saturating_sub(last)).unwrap_or(0));
            last = done;
        })
    }

    fn note(&mut self, note: Note) {
        let (message, text, more) = &mut self.last_note;
        match self.notes.last_mut() {
            Some(last)
                if *message == note.message && note.path.is_some() && note.hints.is_empty() =>
            {
                *more += 1;
                *last = format!("{text} (and in {})", counted(*more, "more file"));
            }
            _ => {
                *text = self.spelling.note(&note);
                self.notes.push(text.clone());
                (*message, *more) = (note.message, 0);
            }
        }
    }

    fn error(&mut self, error: &Error) {
        let mut error = error.clone();
        if error.code == Code::Cancelled && self.spelling.tool.effect == Effect::Reads {
            let found = if self.has_payload {
                "the results so far are above"
            } else {
                "there are no results so far"
            };
            error.message.push(format!("; {found}"));
        }
        self.end_block();
        self.blocks.push(self.spelling.error(&error));
        self.errors.push(error);
    }

    fn completed(&self, hint: Hint) -> Hint {
        Hint::from(self.spelling.hint(&hint).unwrap_or_default())
    }
}
