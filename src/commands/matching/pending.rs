//! Collects the sections of matches. They are printed completely after the search.

use super::wire::{Head, Match};
use crate::commands::json::{self, OwnedText};
use folio_text::span::LineRange;

/// The sections to print completely, and the matches in them: as lines for colored output, or as
/// records for JSON.
#[derive(Default)]
pub(super) struct WholeSections {
    pub(super) sections: Vec<LineRange>,
    pub(super) painted: Vec<LineRange>,
    /// The records as lines of JSON without their [`Head`]s, in which form they need less memory.
    pub(super) json: Vec<u8>,
    pub(super) records: Vec<RecordPosition>,
}

/// The position of a record.
pub(super) struct RecordPosition {
    /// The lines of the record's address: the section of the match, or the match itself if it has
    /// no section.
    pub(super) lines: LineRange,
    /// The offset at which the record's JSON ends.
    pub(super) end: usize,
}

/// The placeholder that is replaced with the text of the section. It cannot occur within a string
/// of a record, because quotes in strings are escaped.
pub(super) const CONTENT: &[u8] = b",\"content\":\"\"";

impl WholeSections {
    /// Adds the section of the next match. If the match is colored, also adds its lines.
    pub(super) fn push(&mut self, section: LineRange, painted: Option<LineRange>) {
        if self.sections.last() != Some(&section) {
            self.sections.push(section);
        }
        self.painted.extend(painted);
    }

    /// Adds the record of a match with the lines of its address.
    pub(super) fn push_record(&mut self, mut record: Match<'_>, lines: LineRange) {
        if let Some(section) = &mut record.section {
            section.content = Some(OwnedText::default());
        }
        let head = Head::new(record.address.path, lines).json();
        record.address.lines = Some(lines);
        self.json.extend_from_slice(&json::line(&record)[head.len()..]);
        self.records.push(RecordPosition { lines, end: self.json.len() });
    }
}
