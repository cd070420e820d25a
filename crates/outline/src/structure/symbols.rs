//! Checks whether edits of source code change symbols outside the edited text, or cause mistakes.

use super::kept::KeptLines;
use super::{ChangeKind, StructureChange};
use crate::outline::Outline;
use folio_text::edit::EditSet;
use folio_text::span::{LineRange, Span};

/// Source code before and after edits.
pub struct EditedCode<'a> {
    /// The text before the edits, of which the document begins at `start`.
    pub bytes: &'a [u8],
    /// The offset of the document.
    pub start: u64,
    /// The edits.
    pub edits: &'a EditSet,
    /// The outline before the edits.
    pub old: &'a Outline,
    /// The outline after them.
    pub new: &'a Outline,
}

impl EditedCode<'_> {
    /// Returns the first line after the edits that does not have the syntax of the language, unless
    /// the same line has a mistake before them.
    pub fn first_mistake(&self) -> Option<u64> {
        let kept = self.kept();
        let was_wrong = |new: LineRange| {
            let line = kept.old_line(new.start());
            line.is_some_and(|line| self.old.syntax_errors().iter().any(|old| old.contains(line)))
        };
        let errors = self.new.syntax_errors().iter();
        errors.copied().find(|&error| !was_wrong(error)).map(LineRange::start)
    }

    /// Returns the symbols with unedited first lines that are only in one of the outlines: first the
    /// lost ones, then the created ones, each ordered by line.
    pub fn changes(&self) -> Vec<StructureChange> {
        let kept = self.kept();
        let lost = each_symbol(self.old).filter(|(line, name)| {
            let new = kept.new_line(*line);
            new.is_some_and(|line| !has_symbol(self.new, line, name))
        });
        let created = each_symbol(self.new).filter(|(line, name)| {
            let old = kept.old_line(*line);
            old.is_some_and(|line| !has_symbol(self.old, line, name))
        });
        let change = |kind| {
            move |(line, name): (u64, &[u8])| StructureChange {
                kind,
                label: Some(SYMBOL),
                line,
                text: name.to_vec(),
            }
        };
        lost.map(change(ChangeKind::Lost)).chain(created.map(change(ChangeKind::Created))).collect()
    }

    fn kept(&self) -> KeptLines {
        KeptLines::new(
            self.bytes,
            Span::new(self.start, self.bytes.len() as u64),
            self.edits.edits(),
        )
    }
}

/// The label of a symbol in a change.
pub const SYMBOL: &str = "symbol";

/// Returns the first line of the declaration and the name of each symbol.
fn each_symbol(outline: &Outline) -> impl Iterator<Item = (u64, &[u8])> {
    (0..outline.sections().len()).filter_map(|index| {
        let symbol = outline.symbol(index)?;
        Some((symbol.signature_line, outline.name(index)))
    })
}

fn has_symbol(outline: &Outline, line: u64, name: &[u8]) -> bool {
    let sections = outline.sections();
    let end = sections.partition_point(|section| section.lines().start() <= line);
    (0..end).rev().any(|index| {
        let is_there = outline.symbol(index).is_some_and(|symbol| symbol.signature_line == line);
        is_there && outline.name(index) == name
    })
}
