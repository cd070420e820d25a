//! Summarizes a log: its kind, the number of its entries, and their first and last times.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::conditions::latest_time;
use crate::commands::output::counted;
use folio_files::env::Env;
use folio_outline::document::Document;
use folio_outline::outline::Outline;
use folio_text::encoding::SNIFF_LIMIT;
use folio_text::logs::LogKind;
use folio_text::span::LineRange;
use folio_text::timestamp::TimeRange;

/// The summary of a log.
#[derive(Clone, Debug)]
pub struct LogSummary {
    kind: LogKind,
    latest: i64,
    entries: u64,
    range: Option<TimeRange>,
    longest: Option<LineRange>,
}

/// The number of lines at the end of a long entry that show whether they are of another kind.
const LAST_LINES: u64 = 100;

/// The kind of a log, and what its entries have in common.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LogObject {
    /// The kind of log, such as syslog, access or java.
    kind: &'static str,
    /// The number of entries.
    entries: u64,
    /// The earliest time of an entry, with the offset from UTC if the log has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_time: Option<String>,
    /// The latest time of an entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_time: Option<String>,
}

impl LogSummary {
    /// Begins to summarize a log.
    pub(super) fn new(kind: LogKind, path: &Path, env: &Env) -> Self {
        let latest = if kind == LogKind::Marked { 0 } else { latest_time(path, env) };
        Self { kind, latest, entries: 0, range: None, longest: None }
    }

    /// Adds the entries of a part of the log.
    pub(super) fn add(&mut self, part: &Outline) {
        for (index, section) in part.sections().iter().enumerate() {
            self.entries += 1;
            if self.longest.is_none_or(|longest| longest.count() < section.lines().count()) {
                self.longest = Some(section.lines());
            }
            let time = self.kind.time(part.name(index), self.latest);
            self.range = TimeRange::with(self.range, time);
        }
    }

    pub(super) fn kind(&self) -> LogKind {
        self.kind
    }

    /// Returns the number of entries.
    pub(super) fn entries(&self) -> u64 {
        self.entries
    }

    /// Whether entries begin with times.
    pub(super) fn has_times(&self) -> bool {
        self.kind != LogKind::Marked && self.range.is_some()
    }

    /// Returns the same as `text`. Adds that lines that begin like entries of another kind belong
    /// to the longest entry.
    pub(super) fn note(&self, document: &Document) -> io::Result<String> {
        // A stream cannot be read again.
        let is_long = |lines: &LineRange| lines.count() > LAST_LINES && document.size().is_some();
        let Some(longest) = self.longest.filter(is_long) else { return Ok(self.text()) };
        let last = LineRange::from_to(longest.end() - LAST_LINES + 1, longest.end());
        let mut text = Vec::new();
        document.lines(&[last], |_, _, line| {
            text.extend_from_slice(line);
            if text.len() < SNIFF_LIMIT {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        let other = LogKind::of_most_lines(&text).filter(|kind| *kind != self.kind);
        Ok(match other {
            Some(kind) => format!(
                "{}; lines of another kind ({}) belong to the entry in lines {}-{}",
                self.text(),
                kind.name(),
                longest.start(),
                longest.end()
            ),
            None => self.text(),
        })
    }

    /// Returns the kind, the number of entries and their times as text.
    pub(super) fn text(&self) -> String {
        let entries = counted(self.entries, "entry");
        match self.range.filter(|_| self.has_times()) {
            Some(range) => format!("{}, {entries}, {range}", self.kind.name()),
            None => entries,
        }
    }

    pub(super) fn object(&self) -> LogObject {
        LogObject {
            kind: self.kind.name(),
            entries: self.entries,
            first_time: self.range.map(|range| range.first.to_string()),
            last_time: self.range.map(|range| range.last.to_string()),
        }
    }
}
