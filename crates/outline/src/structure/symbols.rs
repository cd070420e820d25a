//! Checks whether edits of source code change symbols outside the edited text, or cause mistakes.

use super::kept::KeptLines;
use super::{ChangeKind, StructureChange};
use folio_symbols::Symbols;
use folio_text::edit::EditSet;
use folio_text::span::{LineRange, Span};

/// The label of a symbol in a change.
pub const SYMBOL: &str = "symbol";

/// The symbols of source code before and after edits.
pub struct EditedCode<'a> {
    kept: KeptLines,
    old: &'a Symbols,
    new: &'a Symbols,
}

impl<'a> EditedCode<'a> {
    /// Compares the symbols before and after edits. The document begins at `start` of the old text.
    pub fn new(
        bytes: &[u8],
        start: u64,
        edits: &EditSet,
        (old, new): (&'a Symbols, &'a Symbols),
    ) -> Self {
        let kept = KeptLines::new(bytes, Span::new(start, bytes.len() as u64), edits.edits());
        Self { kept, old, new }
    }

    /// Returns the first line after the edits that does not have the syntax of the language, unless
    /// the same line has a mistake before them.
    pub fn first_mistake(&self) -> Option<u64> {
        let was_wrong = |new: &LineRange| {
            let line = self.kept.old_line(new.start());
            line.is_some_and(|line| self.old.errors.iter().any(|old| old.contains(line)))
        };
        self.new.errors.iter().find(|error| !was_wrong(error)).map(|error| error.start())
    }

    /// Returns the symbols with unedited first lines that are only in one of the texts: first the
    /// lost ones, then the created ones, each ordered by line.
    pub fn changes(&self) -> Vec<StructureChange> {
        let lost = only_in(self.old, self.new, |line| self.kept.new_line(line));
        let created = only_in(self.new, self.old, |line| self.kept.old_line(line));
        let change = |kind| {
            move |(line, name): (u64, &str)| StructureChange {
                kind,
                label: Some(SYMBOL),
                line,
                text: name.as_bytes().to_vec(),
            }
        };
        lost.map(change(ChangeKind::Lost)).chain(created.map(change(ChangeKind::Created))).collect()
    }
}

/// Returns the symbols, by the first line of the declaration and the name, that are not in the other
/// text. `other_line` returns the number of a line there, if it is unedited.
fn only_in<'a>(
    symbols: &'a Symbols,
    other: &'a Symbols,
    other_line: impl Fn(u64) -> Option<u64>,
) -> impl Iterator<Item = (u64, &'a str)> {
    let symbols = symbols.symbols.iter().map(|symbol| (symbol.signature_line, &*symbol.name));
    symbols.filter(move |(line, name)| {
        other_line(*line).is_some_and(|line| !has_symbol(other, line, name))
    })
}

fn has_symbol(symbols: &Symbols, line: u64, name: &str) -> bool {
    let all = &symbols.symbols;
    let end = all.partition_point(|symbol| symbol.lines.start() <= line);
    let mut before = all[..end].iter().rev();
    before.any(|symbol| symbol.signature_line == line && symbol.name == name)
}
