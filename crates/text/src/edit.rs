//! Edits of a document: spans of bytes and their replacements. A set of edits is sorted and
//! disjoint, so the result does not depend on the order in which the edits were requested. The set
//! does not contain the unchanged text.

use std::sync::Arc;

use crate::span::Span;

/// An edit that replaces a span. If the span is empty, the edit only inserts bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes of the document to replace.
    pub span: Span,
    /// The bytes to insert.
    pub content: Vec<u8>,
}

impl Edit {
    /// Creates an edit that replaces `span` with `content`.
    pub fn new(span: Span, content: impl Into<Vec<u8>>) -> Self {
        Self { span, content: content.into() }
    }
}

/// The error for edits that overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap;

/// The edits of one document, sorted and disjoint. Clones share the edits, because a set may be
/// large.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditSet {
    // Invariant: sorted by span, without overlaps.
    edits: Arc<Vec<Edit>>,
}

/// A piece of the edited document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Unchanged bytes of the document.
    Old(Span),
    /// Bytes inserted by an edit.
    New(&'a [u8]),
}

impl EditSet {
    /// Creates a set from edits in any order. Insertions at the same offset keep their order. An
    /// insertion at the start of a replaced span precedes the replacement.
    ///
    /// # Errors
    ///
    /// Fails if two edits overlap, or if an edit inserts text inside a span that another edit
    /// replaces.
    pub fn new(mut edits: Vec<Edit>) -> Result<Self, Overlap> {
        // A stable sort keeps the order of edits with equal spans.
        edits.sort_by_key(|edit| (edit.span.start(), edit.span.end()));
        let overlaps = |pair: &[Edit]| pair[1].span.start() < pair[0].span.end();
        if edits.windows(2).any(overlaps) { Err(Overlap) } else { Ok(Self { edits: edits.into() }) }
    }

    /// Returns the edits, in document order.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// Whether there are no edits.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Returns the length of a document after the edits. `length` is its length before.
    pub fn new_length(&self, length: u64) -> u64 {
        let removed: u64 = self.edits.iter().map(|edit| edit.span.len()).sum();
        let added: u64 = self.edits.iter().map(|edit| edit.content.len() as u64).sum();
        (length + added).saturating_sub(removed)
    }

    /// Returns the pieces of a document of `length` bytes after the edits. No piece is empty.
    pub fn pieces(&self, length: u64) -> impl Iterator<Item = Piece<'_>> {
        self.pieces_within(Span::new(0, length))
    }

    /// Returns the pieces of a part of the document. No edit may cross the start or end of the
    /// part.
    pub fn pieces_within(&self, part: Span) -> impl Iterator<Item = Piece<'_>> {
        let from = self.edits.partition_point(|edit| edit.span.start() < part.start());
        let edits = self.edits[from..].iter().take_while(move |edit| edit.span.end() <= part.end());
        let mut at = part.start();
        edits
            .map(Some)
            .chain([None])
            .flat_map(move |edit| {
                let (end, content) = match edit {
                    Some(edit) => (edit.span.start(), Some(Piece::New(&edit.content))),
                    None => (part.end(), None),
                };
                let old = Piece::Old(Span::new(at, end));
                at = edit.map_or(end, |edit| edit.span.end());
                [Some(old), content]
            })
            .flatten()
            .filter(|piece| match piece {
                Piece::Old(span) => !span.is_empty(),
                Piece::New(content) => !content.is_empty(),
            })
    }

    /// Returns the span of each edit's content in the edited document.
    pub fn new_spans(&self) -> Vec<Span> {
        let mut added = 0u64;
        let mut removed = 0u64;
        self.edits
            .iter()
            .map(|edit| {
                let start = edit.span.start() + added - removed;
                added += edit.content.len() as u64;
                removed += edit.span.len();
                Span::new(start, start + edit.content.len() as u64)
            })
            .collect()
    }

    /// Returns the span that a part has after the edits, including replacements and insertions in
    /// the part. Returns `None` if the edits delete the whole part.
    pub fn map_span(&self, part: Span) -> Option<Span> {
        let (mut start, mut end) = (part.start(), part.end());
        for edit in self.edits.iter().rev() {
            let (from, until, length) =
                (edit.span.start(), edit.span.end(), edit.content.len() as u64);
            let shifted = |at: u64| at + length - edit.span.len();
            if from >= end {
                continue;
            }
            (start, end) = match (until <= start, until < end) {
                (true, _) => (shifted(start), shifted(end)),
                (false, true) => (start.min(from), shifted(end)),
                (false, false) => (start.min(from), from + length),
            };
        }
        (start < end).then(|| Span::new(start, end))
    }

    /// Returns the edits that undo this set. `removed` contains the bytes that each edit replaced,
    /// in document order.
    pub fn reversed(&self, removed: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let edits = self
            .new_spans()
            .into_iter()
            .zip(removed)
            .map(|(span, content)| Edit { span, content })
            .collect::<Vec<_>>();
        Self { edits: edits.into() }
    }

    /// Applies the edits to a document in memory.
    pub fn apply(&self, old: &[u8]) -> Vec<u8> {
        let mut new = Vec::with_capacity(self.new_length(old.len() as u64) as usize);
        for piece in self.pieces(old.len() as u64) {
            match piece {
                Piece::Old(span) => {
                    new.extend_from_slice(&old[span.start() as usize..span.end() as usize]);
                }
                Piece::New(content) => new.extend_from_slice(content),
            }
        }
        new
    }

    /// Returns the smallest single edit that turns `old` into `new`, or an empty set if they are
    /// equal.
    pub fn between(old: &[u8], new: &[u8]) -> Self {
        if old == new {
            return Self::default();
        }
        let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
        let rest = old.len().min(new.len()) - start;
        let end = old
            .iter()
            .rev()
            .zip(new.iter().rev())
            .take(rest)
            .take_while(|(old, new)| old == new)
            .count();
        let span = Span::new(start as u64, (old.len() - end) as u64);
        Self { edits: vec![Edit::new(span, &new[start..new.len() - end])].into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, edits: &[(u64, u64, &str)], expected: &str) {
        let edits: Vec<Edit> = edits
            .iter()
            .map(|(start, end, content)| Edit::new(Span::new(*start, *end), *content))
            .collect();
        let set = EditSet::new(edits).expect("disjoint");
        let new = set.apply(old.as_bytes());
        assert_eq!(String::from_utf8_lossy(&new), expected);
        assert_eq!(set.new_length(old.len() as u64), new.len() as u64);
        let removed = set.edits().iter().map(|edit| {
            old.as_bytes()[edit.span.start() as usize..edit.span.end() as usize].to_vec()
        });
        assert_eq!(set.reversed(removed).apply(&new), old.as_bytes());
        assert_eq!(EditSet::between(old.as_bytes(), &new).apply(old.as_bytes()), new);
    }

    #[test]
    fn edits_are_applied_in_the_order_of_the_document() {
        check("abcdef", &[], "abcdef");
        check("abcdef", &[(4, 5, "E"), (1, 2, "BB")], "aBBcdEf");
        check("abcdef", &[(2, 2, "x"), (2, 2, "y")], "abxycdef");
        check("abcdef", &[(2, 4, "-"), (2, 2, "x"), (4, 4, "y")], "abx-yef");
        check("abcdef", &[(0, 6, "")], "");
        check("", &[(0, 0, "new")], "new");
        check("aaa", &[(1, 1, "a")], "aaaa");
    }

    #[test]
    fn a_part_moves_with_what_comes_before_it_and_in_it() {
        let edits = |edits: &[(u64, u64, &str)]| {
            let edit =
                |&(start, end, text): &(u64, u64, &str)| Edit::new(Span::new(start, end), text);
            EditSet::new(edits.iter().map(edit).collect()).expect("disjoint")
        };
        let check = |all: &[(u64, u64, &str)], expected: Option<(u64, u64)>| {
            let moved = edits(all).map_span(Span::new(4, 8));
            assert_eq!(moved.map(|span| (span.start(), span.end())), expected, "{all:?}");
        };
        check(&[], Some((4, 8)));
        check(&[(0, 0, "ab"), (1, 3, "c"), (8, 9, "xyz")], Some((5, 9)));
        check(&[(4, 4, "ab")], Some((6, 10)));
        check(&[(8, 8, "ab")], Some((4, 8)));
        check(&[(5, 6, "abc")], Some((4, 10)));
        check(&[(4, 8, "ab")], Some((4, 6)));
        check(&[(2, 6, "a")], Some((2, 5)));
        check(&[(6, 12, "abc")], Some((4, 9)));
        check(&[(0, 1, ""), (3, 9, "")], None);
    }

    #[test]
    fn the_edit_between_two_texts_is_the_smallest() {
        let between = |old: &str, new: &str| {
            let edits = EditSet::between(old.as_bytes(), new.as_bytes());
            assert_eq!(edits.edits().len(), 1, "{edits:?}");
            let edit = &edits.edits()[0];
            (
                edit.span.start(),
                edit.span.end(),
                String::from_utf8_lossy(&edit.content).into_owned(),
            )
        };
        assert_eq!(between("abcd", "abxyd"), (2, 3, "xy".to_owned()));
        assert_eq!(between("aa", "aaa"), (2, 2, "a".to_owned()));
        assert_eq!(between("xay", "xy"), (1, 2, String::new()));
        assert!(EditSet::between(b"a", b"a").is_empty() && !EditSet::between(b"", b"a").is_empty());
    }

    #[test]
    fn overlaps_are_refused() {
        let edit = |start, end| Edit::new(Span::new(start, end), "x");
        let is_refused = |edits: Vec<Edit>| EditSet::new(edits).is_err();
        assert!(is_refused(vec![edit(3, 6), edit(1, 4)]));
        assert!(is_refused(vec![edit(1, 4), edit(2, 2)]));
        assert!(is_refused(vec![edit(1, 4), edit(1, 4)]));
        assert!(!is_refused(vec![edit(1, 4), edit(4, 4), edit(1, 1)]));
    }

    #[test]
    fn parts_have_their_own_pieces() {
        let edits = vec![Edit::new(Span::new(1, 2), "B"), Edit::new(Span::new(5, 5), "!")];
        let set = EditSet::new(edits).expect("disjoint");
        let pieces: Vec<_> = set.pieces_within(Span::new(3, 6)).collect();
        let expected = [Piece::Old(Span::new(3, 5)), Piece::New(b"!"), Piece::Old(Span::new(5, 6))];
        assert_eq!(pieces, expected);
    }
}
