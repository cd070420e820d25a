//! Collects the sections of matches, which are printed completely after the search.

use super::wire::Match;
use crate::commands::json::{self, OwnedText};
use crate::text::span::LineRange;

/// Sections to print completely, and the matches in them: lines for colored output, records for
/// JSON.
#[derive(Default)]
pub(super) struct WholeSections {
    pub(super) sections: Vec<LineRange>,
    pub(super) painted: Vec<LineRange>,
    /// The records as lines of JSON, which need less memory.
    pub(super) json: Vec<u8>,
    pub(super) records: Vec<Place>,
}

/// The place of a record.
pub(super) struct Place {
    /// The line of the match.
    pub(super) line: u64,
    /// The lines of its section, if it has one.
    pub(super) section: Option<LineRange>,
    /// The offset at which its JSON ends.
    pub(super) end: usize,
}

/// The placeholder in a record that is replaced with the text of the section. No string contains
/// this JSON, because quotes in strings are escaped.
pub(super) const CONTENT: &[u8] = b",\"content\":\"\"";

impl WholeSections {
    /// Adds the section of the next match, and the lines of the match if they are colored.
    pub(super) fn push(&mut self, section: LineRange, painted: Option<LineRange>) {
        if self.sections.last() != Some(&section) {
            self.sections.push(section);
        }
        self.painted.extend(painted);
    }

    /// Adds the record of a match.
    pub(super) fn push_record(&mut self, mut record: Match<'_>) {
        let section = record.section.as_mut().map(|section| {
            section.content = Some(OwnedText::default());
            LineRange::from_to(section.start_line, section.end_line)
        });
        self.json.extend_from_slice(&json::line(&record));
        self.records.push(Place { line: record.line, section, end: self.json.len() });
    }
}
