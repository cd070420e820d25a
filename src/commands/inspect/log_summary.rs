//! Summarizes a log: its kind, the number of its entries, and their first and last times.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::conditions::latest_time;
use crate::commands::output::counted;
use folio_files::env::Env;
use folio_outline::outline::Outline;
use folio_text::logs::LogKind;
use folio_text::timestamp::Timestamp;

/// The summary of a log whose entries begin with times.
#[derive(Clone, Debug)]
pub struct LogSummary {
    kind: LogKind,
    latest: i64,
    entries: u64,
    range: Option<(Timestamp, Timestamp)>,
}

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
    /// Begins to summarize a log. Returns `None` if its entries have no times.
    pub(super) fn new(kind: LogKind, path: &Path, env: &Env) -> Option<Self> {
        let latest = || latest_time(path, env);
        kind.is_timed().then(|| Self { kind, latest: latest(), entries: 0, range: None })
    }

    /// Adds the entries of a part of the log.
    pub(super) fn add(&mut self, part: &Outline) {
        for index in 0..part.sections().len() {
            self.entries += 1;
            let Some(time) = self.kind.time(part.name(index), self.latest) else { continue };
            let (first, last) = self.range.get_or_insert((time, time));
            if time.sort_key() < first.sort_key() {
                *first = time;
            }
            if time.sort_key() > last.sort_key() {
                *last = time;
            }
        }
    }

    /// Returns the kind, the number of entries and their times as text.
    pub(super) fn text(&self) -> String {
        let entries = counted(self.entries, "entry");
        let times = self.range.map(|(first, last)| {
            let (start, end) = (first.minute_text(), last.minute_text());
            let is_one_day = first.date_text() == last.date_text();
            let end = if is_one_day { end } else { format!("{} {end}", last.date_text()) };
            let end = if end.is_empty() { end } else { format!(" to {}", end.trim_end()) };
            format!(", {} {start}", first.date_text()).trim_end().to_owned() + &end
        });
        format!("{}, {entries}{}", self.kind.name(), times.unwrap_or_default())
    }

    pub(super) fn object(&self) -> LogObject {
        LogObject {
            kind: self.kind.name(),
            entries: self.entries,
            first_time: self.range.map(|(first, _)| first.to_string()),
            last_time: self.range.map(|(_, last)| last.to_string()),
        }
    }
}
