//! The summary of a search.

use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::selected::searches_only_headings;
use crate::commands::conditions::{Conditions, PartKind};
use crate::commands::matching::{DocumentMatches, Mode, Query};
use crate::commands::output::{Note, Record, Style, counted};
use folio_files::error::Hint;
use folio_files::options::{KIND, TOTALS};
use folio_outline::part::CodeFilter;

/// The lines that `--kind heading` selects.
const IN_HEADINGS: &str = "in a selected heading";

/// Counts over all documents so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Summary {
    /// Number of documents that are printed or whose matches are printed.
    pub(super) files: u64,
    pub(super) hits: u64,
    matches: u64,
    pub(super) left_out: u64,
    matches_left_out: u64,
    further: u64,
    searched: u64,
    bytes: u64,
    /// Number of documents in which all matches are excluded.
    elsewhere: u64,
}

impl Summary {
    pub(super) fn add(&mut self, found: &DocumentMatches, mode: Mode) {
        let without = mode.is_without();
        let is_printed = (found.hits > 0) != without && !(without && found.is_passed_over());
        self.files += u64::from(is_printed);
        self.hits += found.hits;
        self.matches += found.matches;
        self.left_out += found.left_out;
        self.matches_left_out += found.matches_left_out;
        self.further += found.further;
        self.searched += 1;
        self.elsewhere += u64::from(found.is_elsewhere);
        self.bytes += found.bytes;
    }

    /// Returns notes about what was left out. `conditions` are those that select parts.
    pub(super) fn notes(&self, query: &Query<'_>, conditions: Option<&Conditions>) -> Vec<Note> {
        let in_headings = conditions.is_some_and(searches_only_headings);
        let mode = query.options.mode;
        let names = mode == Mode::Files;
        let what = if names { "file" } else { "matching line" };
        let shown = counted(self.hits, what);
        let mut notes = Vec::new();
        if self.left_out > 0 && query.counts_on {
            let all = self.hits + self.left_out + self.further;
            notes.push(Note::new(if names {
                format!("showing {shown}; {all} matches in all")
            } else {
                format!("{} of {} shown", self.hits, counted(all, what))
            }));
        } else if self.left_out > 0 && query.options.max_total == Some(self.hits) {
            let note = Note::new(format!("stopped after {shown}; there are more"));
            notes.push(note.hint(Hint::with_switch(TOTALS).why("to count them all")));
        }
        if self.elsewhere > 0 && self.files == 0 && mode != Mode::FilesWithout {
            let files = counted(self.elsewhere, "file");
            let place = match (&query.options.inside, query.options.code) {
                (Some(name), _) => format!("in a section '{name}'"),
                (_, Some(CodeFilter::Only)) => "in code".to_owned(),
                (_, Some(CodeFilter::Outside)) => "outside of code".to_owned(),
                (_, None) if query.options.outside_comments => "outside of comments".to_owned(),
                (_, None) if in_headings => IN_HEADINGS.to_owned(),
                (_, None) if conditions.is_some() => "in a selected part".to_owned(),
                (_, None) => "in the lines of the address".to_owned(),
            };
            let mut note = Note::new(format!("matches in {files}, but none {place}"));
            if place == IN_HEADINGS {
                let sections = Hint::with_value(KIND, PartKind::Section.name());
                note = note.hint(sections.why("to search their sections"));
            }
            notes.push(note);
        }
        notes
    }
}

/// The totals of all files.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SummaryObject {
    #[schemars(extend("const" = "summary"))]
    r#type: &'static str,
    /// The number of files whose matches or names were printed.
    files: u64,
    /// The number of matching lines that were printed or counted; with -o, the number of matches.
    /// Absent with -l and --files-without-match.
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<u64>,
    /// The number of all matching lines; with -o, the number of all matches. Absent with -l, and if
    /// a limit was reached, unless --totals is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_matches: Option<u64>,
    /// Whether a limit was exceeded.
    truncated: bool,
    /// Statistics about the search, with --stats.
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<Stats>,
    /// The number of matching lines.
    #[serde(skip)]
    hits: u64,
}

/// Statistics about the search, with --stats.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct Stats {
    matches: u64,
    files_searched: u64,
    bytes_searched: u64,
    seconds: f64,
}

impl SummaryObject {
    /// Creates the summary, which is printed last. `seconds` is the duration of the search.
    pub(super) fn new(summary: &Summary, query: &Query<'_>, seconds: f64) -> Self {
        // With `-o`, matches are counted, otherwise lines.
        let (printed, left_out) = if query.is_by_match() {
            (summary.matches, summary.matches_left_out)
        } else {
            (summary.hits, summary.left_out + summary.further)
        };
        let names = query.options.mode.is_yes_or_no();
        let truncated = summary.left_out > 0;
        let is_total = query.counts_on || (!names && !truncated);
        Self {
            r#type: "summary",
            files: summary.files,
            matches: (!names).then_some(printed),
            total_matches: is_total.then_some(printed + left_out),
            truncated,
            stats: query.options.stats.then_some(Stats {
                matches: summary.matches,
                files_searched: summary.searched,
                bytes_searched: summary.bytes,
                seconds,
            }),
            hits: summary.hits,
        }
    }
}

impl Record for SummaryObject {
    /// Printed only with `--stats`, in the format of ripgrep.
    fn text(&self, _: Style, out: &mut Vec<u8>) {
        let Self { files, hits, stats, .. } = self;
        if let Some(Stats { matches, files_searched, bytes_searched, seconds }) = stats {
            // Writing to a vector cannot fail.
            let _ = write!(
                out,
                "\n{matches} matches\n{hits} matched lines\n{files} files contained matches\n\
                 {files_searched} files searched\n{bytes_searched} bytes searched\n\
                 {seconds:.6} seconds\n"
            );
        }
    }

    fn facts(&self) -> Option<String> {
        let files = counted(self.files, "file");
        let matches = match self.matches {
            None => return Some(files),
            Some(0) => return Some("no match".to_owned()),
            Some(1) => "1 match".to_owned(),
            Some(count) => format!("{count} matches"),
        };
        let more = if self.truncated { "; there are more" } else { "" };
        Some(format!("{matches} in {files}{more}"))
    }

    fn is_summary(&self) -> bool {
        true
    }
}
