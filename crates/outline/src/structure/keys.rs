//! Checks whether edits of an INI file change keys outside the edited text, or the sections
//! that contain them: compares the trees of keys before and after.

use super::kept::KeptLines;
use super::{ChangeKind, StructureChange};
use folio_keys::{Kind, Tree};
use folio_text::edit::EditSet;
use folio_text::span::Span;

/// Returns the changes that edits cause to sections and keys outside the edited text: first the
/// lost ones, then the created ones, each ordered by line. The text of the file begins at `start`.
pub fn changes(
    bytes: &[u8],
    start: u64,
    edits: &EditSet,
    (old, new): (&Tree, &Tree),
) -> Vec<StructureChange> {
    let kept = KeptLines::new(bytes, Span::new(start, bytes.len() as u64), edits.edits());
    let (mut old, mut new) = (Side::new(old), Side::new(new));
    let mut found = Vec::new();
    for run in kept.runs() {
        old.skip_to(run.old);
        new.skip_to(run.new);
        let (end_of_old, end_of_new) = (run.old + run.count, run.new + run.count);
        loop {
            let in_old = old.peek().map(|(line, _)| line).filter(|&line| line < end_of_old);
            let in_new = new.peek().map(|(line, _)| line).filter(|&line| line < end_of_new);
            // The number of the line in the run decides which one is next.
            let number =
                match (in_old.map(|line| line - run.old), in_new.map(|line| line - run.new)) {
                    (None, None) => break,
                    (Some(number), None) | (None, Some(number)) => number,
                    (Some(old_number), Some(new_number)) => old_number.min(new_number),
                };
            let old_entry = old.take(run.old + number);
            let new_entry = new.take(run.new + number);
            compare(&mut found, (&old, old_entry), (&new, new_entry));
            let holder = Holder::Kept(run.old + number);
            old.enter(old_entry, holder);
            new.enter(new_entry, holder);
        }
    }
    found.sort_by_key(|change| (change.kind == ChangeKind::Created, change.line));
    found
}

/// A document, read up to an entry.
struct Side<'t> {
    tree: &'t Tree,
    /// The index of the next entry.
    next: usize,
    section: Holder,
}

/// The section that contains a key.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Holder {
    /// No section: keys before the first marker.
    #[default]
    Document,
    /// A section with an unedited marker, identified by its line in the old document.
    Kept(u64),
    /// A section whose marker was edited. It may still contain the same keys.
    Edited,
}

impl<'t> Side<'t> {
    fn new(tree: &'t Tree) -> Self {
        Self { tree, next: 1, section: Holder::Document }
    }

    /// Returns the line of the next entry, and its index.
    fn peek(&self) -> Option<(u64, usize)> {
        let node = self.tree.nodes.get(self.next)?;
        Some((self.tree.line_of(node.start as usize), self.next))
    }

    /// Returns the next entry if it begins on a line, and continues after it.
    fn take(&mut self, line: u64) -> Option<usize> {
        let (_, index) = self.peek().filter(|&(next_line, _)| next_line == line)?;
        self.next += 1;
        Some(index)
    }

    /// Skips entries on lines that are only in this document.
    fn skip_to(&mut self, line: u64) {
        while let Some((_, index)) = self.peek().filter(|&(next_line, _)| next_line < line) {
            self.next += 1;
            self.enter(Some(index), Holder::Edited);
        }
    }

    /// Remembers the section that an entry begins.
    fn enter(&mut self, index: Option<usize>, holder: Holder) {
        if index.is_some_and(|index| self.tree.node(index).kind == Kind::Mapping) {
            self.section = holder;
        }
    }

    /// Returns what an entry is, and its name. The name of a section is in its brackets.
    fn name(&self, index: usize) -> (&'static str, &'t str) {
        let node = self.tree.node(index);
        if node.kind == Kind::Mapping {
            return ("section", &self.tree.text[node.start as usize..node.value.range().start]);
        }
        (KEY, self.tree.name(index).unwrap_or_default())
    }
}

const KEY: &str = "key";

/// Reports entries that begin on the same unedited line, but differ.
fn compare(
    found: &mut Vec<StructureChange>,
    (old, old_entry): (&Side<'_>, Option<usize>),
    (new, new_entry): (&Side<'_>, Option<usize>),
) {
    let mut add = |kind, side: &Side<'_>, index: Option<usize>| {
        let Some(index) = index else { return };
        let (label, name) = side.name(index);
        let line = side.tree.lines(index).start();
        found.push(StructureChange {
            kind,
            line,
            label: Some(label),
            text: name.as_bytes().to_vec(),
        });
    };
    let name = old_entry.map(|index| old.name(index));
    if name != new_entry.map(|index| new.name(index)) {
        add(ChangeKind::Lost, old, old_entry);
        add(ChangeKind::Created, new, new_entry);
    } else if name.is_some_and(|(label, _)| label == KEY) && old.section != new.section {
        add(ChangeKind::Moved, old, old_entry);
    }
}

#[cfg(test)]
mod tests {
    use super::super::front_matter::tests::{edit, shown};
    use super::*;
    use folio_keys::Syntax;
    use folio_text::edit::Edit;
    use folio_text::ini_dialect::IniDialect;

    #[track_caller]
    fn check_text(old: &str, edits: &EditSet, expected: &[&str]) {
        let parsed = |text: &[u8]| {
            folio_keys::parse(Syntax::Ini(IniDialect::default()), text).expect("a tree")
        };
        let (tree, new) = (parsed(old.as_bytes()), parsed(&edits.apply(old.as_bytes())));
        let found = changes(old.as_bytes(), 0, edits, (&tree, &new));
        assert_eq!(shown(&found), expected, "{edits:?}");
    }

    #[track_caller]
    fn check(part: &str, new: &str, expected: &[&str]) {
        let old = "top = 0\n[db]\nhost = a\nport = 1\n\n[log]\nfile = x\n  more\n";
        check_text(old, &edit(old, part, new), expected);
    }

    #[test]
    fn keys_stay_in_their_sections() {
        check("host = a\n", "host = b\nuser = c\n", &[]);
        check("[db]", "[database]", &[]);
        check("[log]\nfile = x\n  more\n", "", &[]);
        check("port = 1\n", "port = 1\n[new]\nk = 1\n", &[]);
        check("host = a\n", "host = a\n[evil]\n", &[">4 port"]);
        check("host = a\n", "", &[]);
        check("[log]\n", "", &[">7 file"]);
        check("top = 0", "[t]\ntop = 0", &[]);
        check("host = a", "host = a \\", &["-4 port"]);
        check("\n[log]", "\n  [log]", &[]);
    }

    #[test]
    fn a_last_line_without_a_line_ending_is_kept_if_lines_follow() {
        let append =
            |new: &str| EditSet::new(vec![Edit::new(Span::new(9, 9), new)]).expect("one edit");
        check_text("[a]\nb = 1", &append("\nc = 2"), &[]);
        check_text("[a]\nb = 1", &append("\r\n[c]\r\n"), &[]);
        check_text("[a]\nb = 1", &append(" \\\nc"), &[]);
        check_text("[a]\\\nb = ", &append("1\n[c]"), &[]);
    }

    #[test]
    fn several_edits_are_distinguished() {
        let old = "[a]\nk = 1\nl = 2\n[b]\nm = 3\n  n = 4\no = 5\n";
        let edits = vec![
            Edit::new(Span::new(10, 10), "[new]\n"),
            Edit::new(Span::new(20, 26), ""),
            Edit::new(Span::new(old.len() as u64, old.len() as u64), "p = 6\n"),
        ];
        let edits = EditSet::new(edits).expect("disjoint");
        check_text(old, &edits, &[">3 l", "+6 n"]);
    }
}
