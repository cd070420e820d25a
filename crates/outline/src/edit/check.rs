//! Checks that edits change only the selected parts: no heading, code block or key outside them.

use super::place::{Place, Planner};
use super::{Note, Refusal};
use crate::document::LoadedDocument;
use crate::part::Part;
use crate::structure::StructureChange;
use folio_keys::Mistake;
use folio_text::edit::EditSet;
use folio_text::span::Span;

/// What edits would change outside the edited parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A file with keys becomes invalid. The title of its format, and the first mistake.
    Invalid(&'static str, Mistake),
    /// Headings, code blocks or keys change.
    Structure {
        /// The changes.
        changes: Vec<StructureChange>,
        /// Whether the document consists of keys.
        has_keys: bool,
        /// Whether an edit inserts text before everything else.
        is_before_all: bool,
    },
}

impl LoadedDocument {
    /// Fails if edits change headings, code blocks or keys outside the edited parts, or make a file
    /// with keys invalid. If `force` is set, returns this as a note. If more edits follow, they may
    /// make the file valid again.
    ///
    /// # Errors
    ///
    /// Fails with the [`Effect`] of the edits.
    pub fn check_structure(
        &self,
        edits: &EditSet,
        force: bool,
        more_follow: bool,
    ) -> Result<Option<Note>, Refusal> {
        match self.effect(edits) {
            None => Ok(None),
            Some(effect @ Effect::Invalid(..)) if force || more_follow => {
                Ok(Some(Note::Affects(effect)))
            }
            Some(effect) if force => Ok(Some(Note::Affects(effect))),
            Some(effect) => Err(Refusal::Affects(effect)),
        }
    }

    fn effect(&self, edits: &EditSet) -> Option<Effect> {
        if edits.is_empty() { None } else { self.format().rules().effect(self, edits) }
    }
}

impl Effect {
    /// Returns the effect of edits that change the structure.
    pub(crate) fn of_changes(
        changes: Vec<StructureChange>,
        has_keys: bool,
        edits: &EditSet,
    ) -> Option<Self> {
        if changes.is_empty() {
            return None;
        }
        let first = edits.edits().first();
        let is_before_all = first.is_some_and(|edit| edit.span == Span::new(0, 0));
        Some(Self::Structure { changes, has_keys, is_before_all })
    }
}

impl Planner<'_> {
    /// Fails if a code block or table begins on the line of a list marker, and its list item has
    /// other content after it. Without the line, that content would not be in the list.
    pub(super) fn check_list_marker(&self, place: &Place) -> Result<(), Refusal> {
        let is_block = matches!(self.request.part, Some(Part::CodeBlock { .. } | Part::Table(_)));
        let marks = place.container.as_ref().filter(|marks| marks.first != marks.rest);
        let Some(marks) = marks.filter(|_| is_block && !self.request.force) else { return Ok(()) };
        let after = self.last_line(place) + 1..=self.source.total_lines();
        let margin = |line: &[u8]| line.iter().take_while(|byte| b" \t>".contains(byte)).count();
        let next = after.map(|line| self.source.line(line));
        let mut next = next.filter(|line| !line[margin(line)..].trim_ascii().is_empty());
        let is_inside = |line: &[u8]| columns(&line[..margin(line)]) >= columns(&marks.rest);
        if !next.next().is_some_and(is_inside) {
            return Ok(());
        }
        let marker = String::from_utf8_lossy(&marks.first).trim().to_owned();
        Err(Refusal::ListItemContinues { marker })
    }
}

/// Returns the number of columns of blanks and quote markers.
fn columns(margin: &[u8]) -> usize {
    margin
        .iter()
        .fold(0, |width, &byte| if byte == b'\t' { (width / 4 + 1) * 4 } else { width + 1 })
}
