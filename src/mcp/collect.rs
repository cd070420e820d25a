//! Collects the output of a command as the answer of a tool: text or JSON of limited size. Errors
//! are inserted where they occurred.

use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;

use serde_json::{Map, Value};

use super::answer::Answer;
use super::tool::spelling::{STOPPED, Spelling};
use crate::commands::host::Progress;
use crate::commands::output::{self, Closed, Note, Outcome, Record, Sink, Style, counted};
use folio_files::error::{Code, Error, ExitStatus, Hint};

/// Default maximum size in bytes of the contents of a file. Clients truncate longer answers without
/// notice.
pub(super) const MAX_BYTES: usize = 48 << 10;

/// Default maximum size in bytes of other answers.
pub(super) const MAX_LISTED: usize = 12 << 10;

/// Maximum size in bytes of JSON, which takes ten times as much memory until it is sent.
const MAX_JSON: usize = 512 << 10;

/// Default maximum size in bytes of a JSON record, which cannot be divided.
const MAX_RECORD: usize = 128 << 10;

/// Number of results above which an answer begins with a summary.
const MANY: u64 = 200;

/// Maximum number of files listed in a summary.
const MOST_FILES: usize = 5;

/// A sink that collects the output of a command.
pub(super) struct Collect<'a> {
    spelling: Spelling<'a>,
    is_json: bool,
    max_bytes: usize,
    /// Maximum size of the first JSON record.
    max_record: usize,
    /// The arguments of the call, if the answer can be continued with another `offset`. Output that
    /// does not fit is then counted.
    pages: Option<&'a Map<String, Value>>,
    /// Number of lines or records to skip.
    skipped: u64,
    /// Number of lines or records so far, and how many of them were skipped or are in the answer.
    lines: (u64, u64),
    /// Whether the last line is incomplete.
    is_within: bool,
    /// The file to which the following results belong, until one of them is in the answer.
    file: Option<PathBuf>,
    /// The number of results of each file.
    counts: Vec<(PathBuf, u64)>,
    /// Reports progress to the client.
    progress: Progress,
    /// Finished text blocks. Errors are separate blocks, in order of occurrence.
    blocks: Vec<String>,
    /// The text since the last block. With JSON output, all lines.
    text: Vec<u8>,
    summary: Option<Value>,
    /// Number of bytes in all blocks.
    bytes: usize,
    /// Whether output was dropped because the answer was full.
    is_cut: bool,
    /// Lines to add after the text.
    pub(super) facts: Vec<String>,
    notes: Vec<String>,
    /// The message and text of the last note, and the number of further files with this message.
    last_note: (String, String, u64),
    errors: Vec<Error>,
    /// Whether the command has printed a result.
    has_payload: bool,
}

impl<'a> Collect<'a> {
    /// Creates a sink for an answer of at most `max_bytes` bytes.
    pub(super) fn new(
        spelling: Spelling<'a>,
        is_json: bool,
        max_bytes: usize,
        pages: Option<&'a Map<String, Value>>,
        progress: &Progress,
    ) -> Self {
        let skipped = pages.and_then(|arguments| arguments.get("offset")?.as_u64()).unwrap_or(0);
        let max_bytes = max_bytes.clamp(1, if is_json { MAX_JSON } else { usize::MAX });
        let max_record = match pages.map(|arguments| arguments.contains_key("max_bytes")) {
            // The result of an edit is always reported.
            None => usize::MAX,
            Some(true) => max_bytes,
            Some(false) => MAX_RECORD,
        };
        Self {
            max_record,
            pages,
            skipped,
            lines: (0, 0),
            is_within: false,
            file: None,
            counts: Vec::new(),
            progress: progress.clone(),
            spelling,
            is_json,
            max_bytes,
            blocks: Vec::new(),
            text: Vec::new(),
            summary: None,
            bytes: 0,
            is_cut: false,
            facts: Vec::new(),
            notes: Vec::new(),
            last_note: Default::default(),
            errors: Vec::new(),
            has_payload: false,
        }
    }

    /// Adds lines of text or JSON. Skips the first ones, and counts those that do not fit.
    fn push(&mut self, bytes: &[u8]) -> Result<(), Closed> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let begins = !std::mem::replace(&mut self.is_within, !piece.ends_with(b"\n"));
            self.lines.0 += u64::from(begins);
            if self.lines.0 <= self.skipped {
                self.lines.1 = self.lines.0;
            } else if !self.is_cut && (self.is_json || begins) {
                self.push_line(piece);
            } else if !self.is_cut {
                self.push_rest(piece);
            }
        }
        if self.is_cut && self.pages.is_none() { Err(Closed) } else { Ok(()) }
    }

    fn push_line(&mut self, piece: &[u8]) {
        if self.is_json {
            let is_first = self.lines.0 == self.skipped + 1;
            let most = if is_first { self.max_record } else { self.max_bytes };
            if self.text.len() + piece.len() > most {
                self.is_cut = true;
                let end = self.text.iter().rposition(|byte| *byte == b'\n');
                self.text.truncate(end.map_or(0, |end| end + 1));
                self.lines.1 = self.lines.0 - 1;
                return;
            }
            self.text.extend_from_slice(piece);
            self.lines.1 = self.lines.0;
            return;
        }
        let file = self.file.take().map(|path| self.header(&path)).unwrap_or_default();
        let room = self.max_bytes.saturating_sub(self.bytes);
        if file.len() + piece.len() <= room {
            self.bytes += file.len() + piece.len();
            self.text.extend_from_slice(&file);
            self.text.extend_from_slice(piece);
            self.lines.1 = self.lines.0;
            return;
        }
        self.is_cut = true;
        // If the first line does not fit, it is truncated.
        if self.bytes == 0 {
            let line = [&file, piece].concat();
            self.text.extend_from_slice(&line[..room.min(line.len())]);
            self.lines.1 = self.lines.0;
        }
    }

    /// Adds the continuation of a line.
    fn push_rest(&mut self, piece: &[u8]) {
        let room = self.max_bytes.saturating_sub(self.bytes);
        if piece.len() <= room {
            self.bytes += piece.len();
            return self.text.extend_from_slice(piece);
        }
        self.is_cut = true;
        match self.text.iter().rposition(|byte| *byte == b'\n') {
            None => self.text.extend_from_slice(&piece[..room]),
            Some(end) => {
                self.text.truncate(end + 1);
                self.lines.1 -= 1;
            }
        }
    }

    /// Returns the line with the path of a file, after an empty line if there is text before it.
    fn header(&self, path: &Path) -> Vec<u8> {
        let mut line = if self.text.is_empty() { Vec::new() } else { b"\n".to_vec() };
        self.style().paint_path(path, &mut line);
        line.push(b'\n');
        line
    }

    /// Takes all collected JSON values.
    fn records(&mut self) -> Vec<Value> {
        let text = std::mem::take(&mut self.text);
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }

    /// Returns the totals, with the files that have the most results, or `None` if no results were
    /// counted.
    fn totals(&self) -> Option<String> {
        let mut files: Vec<_> = self.counts.iter().collect();
        let total: u64 = files.iter().map(|(_, count)| count).sum();
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

    /// Describes the rest of a truncated answer: its size, the totals, and the call for more.
    fn rest(&self) -> String {
        let (lines, shown) = self.lines;
        let max_bytes = self.max_bytes;
        let Some(arguments) = self.pages else {
            return format!(
                "truncated after {max_bytes} bytes: narrow the request, or set max_bytes"
            );
        };
        let what = if self.is_json { "record" } else { "line" };
        if lines <= shown {
            return format!("truncated after {max_bytes} bytes, within a line: set max_bytes");
        }
        let left = counted(lines - shown, what);
        let mut text = format!("truncated after {max_bytes} bytes (max_bytes): {left} left out");
        if let Some(totals) = self.totals() {
            text += &format!(" of {totals}");
        }
        let mut arguments = arguments.clone();
        arguments.insert("offset".to_owned(), shown.into());
        let tool = self.spelling.tool.name;
        text + &format!("; for more: {tool} {}", Value::Object(arguments))
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
        if self.is_json && self.is_cut && self.lines.1 == self.skipped {
            self.has_payload = false;
            let message = format!("the next record is longer than {} bytes", self.max_record);
            let error = Error::new(Code::FileTooLarge, message);
            let text = format!(
                "narrow the request, set max_bytes (at most {MAX_JSON}), or leave 'format' out to \
                 read text in pages; offset {} skips the record",
                self.skipped + 1
            );
            self.error(&error.hint(text));
        }
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
        let results: u64 = self.counts.iter().map(|(_, count)| count).sum();
        if results > MANY && self.skipped == 0 {
            self.blocks.splice(0..0, self.totals());
            self.counts.clear();
        }
        if self.is_cut {
            lines.push(format!("The answer was {}", self.rest()));
        } else if self.skipped > 0 && self.lines.0 <= self.skipped {
            let (offset, all) = (self.skipped, counted(self.lines.0, "line"));
            lines.push(format!("offset {offset} is past the end: the answer has {all}"));
        }
        lines.append(&mut self.notes);
        if self.blocks.is_empty() && lines.is_empty() {
            lines.push("There are no results.".to_owned());
        }
        if !lines.is_empty() && !self.is_json {
            self.blocks.push(lines.join("\n"));
        }
        Answer { blocks: self.blocks, ..answer }
    }

    fn json_answer(mut self, answer: Answer) -> Answer {
        // `json!` would copy the records.
        let mut object = Value::Object(Map::new());
        object["records"] = Value::Array(self.records());
        if let Some(summary) = self.summary.take() {
            object["summary"] = summary;
        }
        if self.is_cut {
            object["cut"] = format!("the answer was {}", self.rest()).into();
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
        self.push(bytes)
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

    fn file(&mut self, path: &Path) -> Result<(), Closed> {
        self.file = Some(path.to_owned());
        Ok(())
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
