//! Plans the removal of several entries of a document together, also with other edits. For example,
//! the last two items of a list share a comma, and an anchor cannot be removed before its aliases.

use super::change::{Change, apply};
use super::edit::{Check, KeyRefusal, anchor_refusal, remove};
use super::parse::parse_text;
use super::tree::Tree;

/// The reason why entries are not removed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TogetherRefusal {
    /// The edits overlap, or one of the entries is within another one.
    Overlap,
    /// The entry with this index cannot be removed.
    Entry(usize, KeyRefusal),
}

/// Changes of a document that are made together. All are changes of the document before them, and
/// disjoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Together {
    /// The other changes, in their order. Whitespace and commas at the edges of their text may be gone.
    pub others: Vec<Change>,
    /// The changes of each removal.
    pub removals: Vec<Vec<Change>>,
}

/// Plans the removal of entries after other changes, which are already verified. Removes the entries
/// from the last to the first, and verifies each removal.
///
/// # Errors
///
/// Fails if the edits overlap, or if an entry cannot be removed even after those that follow it.
pub fn remove_together(
    tree: &Tree,
    others: &[Change],
    entries: &[usize],
) -> Result<Together, TogetherRefusal> {
    let is_nested = |(at, &entry): (usize, &usize)| {
        let is_in =
            |(other_at, &other): (usize, &usize)| other_at != at && tree.is_within(entry, other);
        entries.iter().enumerate().any(is_in)
    };
    if entries.iter().enumerate().any(is_nested) {
        return Err(TogetherRefusal::Overlap);
    }
    let refused = |&entry: &usize| Some((entry, anchor_refusal(tree, entry, entries)?));
    if let Some((entry, refusal)) = entries.iter().find_map(refused) {
        return Err(TogetherRefusal::Entry(entry, refusal));
    }
    let mut made = MadeChanges { length: tree.text.len(), all: Vec::new() };
    made.all.extend(others.iter().map(|change| (change.clone(), None)));
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_unstable_by_key(|&at| std::cmp::Reverse(tree.span(entries[at]).start));
    for at in order {
        let entry = entries[at];
        let refusal = |message: String| TogetherRefusal::Entry(entry, message.into());
        let text = apply(&tree.text, &made.changes());
        let current = parse_text(tree.syntax, &text).map_err(|fault| refusal(fault.message))?;
        let now = made.find(tree, entry, &current).ok_or(TogetherRefusal::Overlap)?;
        let edits = remove(&current, now, Check::Now);
        let edits = edits.map_err(|refusal| TogetherRefusal::Entry(entry, refusal))?;
        for change in edits.changes.iter().rev() {
            made.add(change, at).ok_or(TogetherRefusal::Overlap)?;
        }
    }
    let changes_of = |wanted: Option<usize>| {
        let made = made.all.iter().filter(|(_, owner)| *owner == wanted);
        made.map(|(change, _)| change.clone()).collect()
    };
    let removals = (0..entries.len()).map(|at| changes_of(Some(at))).collect();
    Ok(Together { others: changes_of(None), removals })
}

/// The changes that are already made, sorted and disjoint.
struct MadeChanges {
    /// The length of the document before all changes.
    length: usize,
    /// The changes of the document before all changes. Those of a removal have its number.
    all: Vec<(Change, Option<usize>)>,
}

/// A part of the document after the changes.
enum Piece {
    /// Bytes of the document before the changes.
    Old(usize, usize),
    /// The number of bytes of new text.
    New(usize),
}

impl MadeChanges {
    fn changes(&self) -> Vec<Change> {
        self.all.iter().map(|(change, _)| change.clone()).collect()
    }

    fn pieces(&self) -> Vec<Piece> {
        let (mut pieces, mut at) = (Vec::new(), 0);
        for (change, _) in &self.all {
            pieces.push(Piece::Old(at, change.at.start));
            pieces.push(Piece::New(change.text.len()));
            at = change.at.end;
        }
        pieces.push(Piece::Old(at, self.length));
        pieces
    }

    /// Finds an entry of the document before the changes in the document after them.
    fn find(&self, old: &Tree, entry: usize, new: &Tree) -> Option<usize> {
        let old_start = old.node(entry).start as usize;
        let (mut at, mut start) = (0, None);
        for piece in self.pieces() {
            let length = match piece {
                Piece::Old(from, to) => {
                    if (from..to).contains(&old_start) {
                        start = Some(at + old_start - from);
                    }
                    to - from
                }
                Piece::New(length) => length,
            };
            at += length;
        }
        let depth = |tree: &Tree, mut index: usize| {
            let mut depth = 0;
            while let Some(parent) = tree.parent(index) {
                (index, depth) = (parent, depth + 1);
            }
            depth
        };
        let (start, old_depth) = (start?, depth(old, entry));
        let is_same = |&index: &usize| {
            new.node(index).start as usize == start
                && new.name(index) == old.name(entry)
                && new.node(index).kind == old.node(entry).kind
                && depth(new, index) == old_depth
        };
        (1..new.nodes.len()).find(is_same)
    }

    /// Adds a change of the document after the changes. It may delete the edges of new text, such as a
    /// comma. Returns `None` if nothing of that text would remain.
    fn add(&mut self, change: &Change, owner: usize) -> Option<()> {
        let (mut at, mut places) = (0, Vec::new());
        let mut new_texts = 0;
        for piece in self.pieces() {
            let (from, to) = (change.at.start.max(at), change.at.end);
            match piece {
                Piece::Old(start, end) => {
                    let to = to.min(at + end - start);
                    let is_insertion = change.at.is_empty() && places.is_empty() && from == to;
                    if from < to || is_insertion {
                        places.push(start + from - at..start + to - at);
                    }
                    at += end - start;
                }
                Piece::New(length) => {
                    let to = to.min(at + length);
                    let text = &mut self.all[new_texts].0.text;
                    if from < to {
                        let was_blank = text.trim().is_empty();
                        text.replace_range(from - at..to - at, "");
                        if text.trim().is_empty() && !was_blank {
                            return None;
                        }
                    }
                    new_texts += 1;
                    at += length;
                }
            }
        }
        let mut text = Some(change.text.clone());
        for place in places {
            let change = Change { at: place, text: text.take().unwrap_or_default() };
            let is_before = |(other, _): &(Change, _)| other.at.end <= change.at.start;
            let position = self.all.partition_point(is_before);
            self.all.insert(position, (change, Some(owner)));
        }
        text.is_none().then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::find::find;
    use super::super::path::KeyPath;
    use super::super::tree::Syntax;
    use super::*;

    fn removed(
        syntax: Syntax,
        text: &str,
        others: &[Change],
        paths: &[&str],
    ) -> Result<String, TogetherRefusal> {
        let tree = parse_text(syntax, text).expect("valid");
        let index = |path: &&str| {
            find(&tree, &KeyPath::parse(path).expect("a path")).expect("an entry").index
        };
        let entries: Vec<usize> = paths.iter().map(index).collect();
        let Together { others, removals } = remove_together(&tree, others, &entries)?;
        let mut all: Vec<Change> = others.into_iter().chain(removals.concat()).collect();
        all.sort_by_key(|change| (change.at.start, change.at.end));
        assert!(all.windows(2).all(|pair| pair[0].at.end <= pair[1].at.start), "{all:?}");
        Ok(apply(text, &all))
    }

    #[track_caller]
    fn check(syntax: Syntax, text: &str, paths: &[&str], expected: &str) {
        assert_eq!(removed(syntax, text, &[], paths).as_deref(), Ok(expected), "{paths:?}");
        let reversed: Vec<&str> = paths.iter().rev().copied().collect();
        assert_eq!(removed(syntax, text, &[], &reversed).as_deref(), Ok(expected), "{paths:?}");
    }

    #[test]
    fn items_that_share_a_comma_are_removed() {
        check(Syntax::Json, "[1, 2, 3, 4]", &["[2]", "[3]"], "[1, 2]");
        check(Syntax::Json, "[1, 2, 3]", &["[0]", "[1]", "[2]"], "[]");
        check(Syntax::Json, "{\n  \"a\": 1,\n  \"b\": 2\n}\n", &["a", "b"], "{}\n");
        check(Syntax::Yaml, "a:\n- 1\n- 2\n", &["a[0]", "a[1]"], "a: []\n");
        check(Syntax::Yaml, "a:\n  b: 1\n  c: 2\nd: 3\n", &["a.b", "a.c"], "a: {}\nd: 3\n");
        check(Syntax::Toml, "a = [1, 2, 3]\nb = 1\n", &["a[1]", "a[2]", "b"], "a = [1]\n");
        check(Syntax::Toml, "[[a]]\nx = 1\n\n[[a]]\nx = 2\n", &["a[0]", "a[1]"], "");
    }

    #[test]
    fn an_anchor_is_removed_with_its_aliases() {
        let text = "x: &b 1\ny: *b\nz: *b\nw: 2\n";
        check(Syntax::Yaml, text, &["x", "y", "z"], "w: 2\n");
        let refusal = removed(Syntax::Yaml, text, &[], &["x", "y"]).expect_err("an alias remains");
        assert!(matches!(refusal, TogetherRefusal::Entry(1, _)), "{refusal:?}");
        let merged = "x: &b {q: 1}\nl:\n- *b\n- 3\nw:\n  <<: *b\n  k: 1\n";
        check(Syntax::Yaml, merged, &["x", "l[0]", "w.<<"], "l:\n- 3\nw:\n  k: 1\n");
        check(Syntax::Yaml, "a: &x 1\nb: *x\n", &["a", "b"], "{}\n");
    }

    #[test]
    fn entries_are_removed_after_other_changes() {
        let text = "t:\n  a:\n    x: 1\n";
        let insertion = Change::insert(text.len(), "  b:\n    a:\n      x: 1\n");
        let expected = "t:\n  b:\n    a:\n      x: 1\n";
        let others = [insertion];
        assert_eq!(removed(Syntax::Yaml, text, &others, &["t.a"]).as_deref(), Ok(expected));
        let text = "[t.a.b]\nd = 1\n";
        let others = [Change::insert(text.len(), "\n[t.b]\nd = 1\n")];
        let result = removed(Syntax::Toml, text, &others, &["t.a.b"]);
        assert_eq!(result.as_deref(), Ok("[t.b]\nd = 1\n"));
        let text = "[1, 2]";
        let others = [Change::insert(5, ", 3")];
        assert_eq!(removed(Syntax::Json, text, &others, &["[1]"]).as_deref(), Ok("[1, 3]"));
    }

    #[test]
    fn nested_entries_and_changes_within_them_are_refused() {
        let text = "a: [[1, 2], 3]\n";
        let nested = removed(Syntax::Yaml, text, &[], &["a[0]", "a[0][1]"]);
        assert_eq!(nested, Err(TogetherRefusal::Overlap));
        let others = [Change::new(5..6, "5")];
        let within = removed(Syntax::Yaml, text, &others, &["a[0]"]);
        assert_eq!(within, Err(TogetherRefusal::Overlap));
        let twice = removed(Syntax::Yaml, text, &[], &["a[1]", "a[1]"]);
        assert_eq!(twice, Err(TogetherRefusal::Overlap));
    }
}
