//! The contents of edits with their context, and where they occur in a text.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use memchr::memmem;

/// Maximum number of candidates for a place in an error.
pub(crate) const MAX_CANDIDATES: usize = 10;

/// The text that an edit inserted, with its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct InsertedText<'a> {
    pub(crate) bytes: &'a [u8],
    /// The lengths of the context before and after the inserted text.
    pub(crate) around: (u64, u64),
}

impl<'a> InsertedText<'a> {
    fn content(&self) -> Range<usize> {
        self.around.0 as usize..self.bytes.len() - self.around.1 as usize
    }

    /// Returns the whole lines that contain the inserted text. For a deletion, returns the lines on
    /// both sides.
    pub(crate) fn lines(&self) -> Range<usize> {
        let content = self.content();
        let (before, after) = (&self.bytes[..content.start], &self.bytes[content.end..]);
        let begins_line = before.last().is_none_or(|&byte| byte == b'\n');
        let skipped = usize::from(content.is_empty() && begins_line);
        let start = memchr::memrchr_iter(b'\n', before).nth(skipped).map_or(0, |feed| feed + 1);
        let ends_line = self.bytes[content.clone()].ends_with(b"\n");
        let end = match memchr::memchr(b'\n', after) {
            _ if ends_line => 0,
            Some(feed) => feed + 1,
            None => after.len(),
        };
        start..content.end + end
    }

    /// Returns the text with the lines next to it: its own lines, and one line on each side.
    pub(crate) fn adjacent(&self) -> Range<usize> {
        let (lines, content) = (self.lines(), self.content());
        if content.is_empty() {
            return lines;
        }
        let before = &self.bytes[..lines.start.saturating_sub(1)];
        let start = memchr::memrchr(b'\n', before).map_or(0, |feed| feed + 1);
        let after = memchr::memchr(b'\n', &self.bytes[lines.end..]);
        start..after.map_or(self.bytes.len(), |feed| lines.end + feed + 1)
    }

    /// Returns the offsets at which the text occurs with its context.
    pub(crate) fn occurrences(self, text: &'a [u8]) -> impl Iterator<Item = usize> {
        occurrences(self.bytes, text).filter(move |&at| {
            let is_edge = at == 0 || at + self.bytes.len() == text.len();
            // Without a content, the edges of the text are part of the context.
            self.is_enclosed(at, text)
                || !self.content().is_empty() && (self.around != (0, 0) || is_edge)
        })
    }

    /// Whether the context on one of the two sides occurs at most `count` times in a text.
    pub(crate) fn has_side(&self, text: &[u8], count: usize) -> bool {
        let content = self.content();
        let sides = [&self.bytes[..content.start], &self.bytes[content.end..]];
        let is_rare = |side: &[u8]| occurrences(side, text).nth(count).is_none();
        sides.into_iter().any(|side| !side.is_empty() && is_rare(side))
    }

    /// Whether there is context on both sides of an occurrence, or the start or end of the text.
    pub(crate) fn is_enclosed(&self, at: usize, text: &[u8]) -> bool {
        let is_start = self.around.0 > 0 || at == 0;
        is_start && (self.around.1 > 0 || at + self.bytes.len() == text.len())
    }

    /// Returns the offsets of edits at which one of the two sides of the context matches.
    pub(crate) fn partial_occurrences(self, text: &'a [u8]) -> impl Iterator<Item = usize> {
        let lines = self.lines();
        let parts = [0..lines.end, lines.start..self.bytes.len()];
        parts.into_iter().filter(|part| !part.is_empty()).flat_map(move |part| {
            let start = part.start;
            let content_start = self.content().start;
            let offsets = occurrences(&self.bytes[part], text);
            offsets.map(move |at| (at + content_start).saturating_sub(start).min(text.len()))
        })
    }
}

/// The places of the edits of a patch do not each occur once.
pub(crate) enum Miss {
    /// The place with this index does not occur.
    Missing(usize),
    /// A place also occurs elsewhere. These are the offsets of some edits.
    Several(Vec<usize>),
}

/// Equal places of several edits of a patch.
struct Group {
    /// The indexes of the edits.
    edits: Vec<usize>,
    /// The offsets at which their text occurs, for edits that are not yet found.
    offsets: Vec<usize>,
}

/// Returns the offsets of the edits of a patch in a text, if their places occur exactly as often as
/// the patch inserted them. Equal edits have the same order as before.
pub(crate) fn offsets(places: &[InsertedText<'_>], text: &[u8]) -> Result<Vec<u64>, Miss> {
    let mut groups: Vec<Group> = Vec::new();
    let mut known: HashMap<InsertedText<'_>, usize> = HashMap::new();
    for (index, place) in places.iter().enumerate() {
        let group = *known.entry(*place).or_insert(groups.len());
        if group == groups.len() {
            let offsets = place.occurrences(text).take(places.len() + MAX_CANDIDATES);
            let offsets = offsets.map(|at| at + place.content().start).collect();
            groups.push(Group { edits: Vec::new(), offsets });
        }
        groups[group].edits.push(index);
    }
    let mut found = vec![0; places.len()];
    // The context of an edit may be part of the context of another.
    while let Some(next) = groups.iter().position(|group| group.edits.len() >= group.offsets.len())
    {
        let Group { edits, offsets } = groups.swap_remove(next);
        if edits.len() > offsets.len() {
            return Err(Miss::Missing(edits[0]));
        }
        edits.iter().zip(&offsets).for_each(|(&edit, &at)| found[edit] = at as u64);
        let is_free = |at: &usize| offsets.binary_search(at).is_err();
        groups.iter_mut().for_each(|group| group.offsets.retain(is_free));
    }
    match groups.into_iter().min_by_key(|group| group.edits[0]) {
        Some(group) => Err(Miss::Several(group.offsets)),
        None => Ok(found),
    }
}

/// Returns the number of places that match an edit of a patch and its context, in addition to those
/// of the edits: completely, and on one side.
pub(crate) fn count_similar(places: &[InsertedText<'_>], text: &[u8]) -> (u64, u64) {
    let distinct: HashSet<InsertedText<'_>> = places.iter().copied().collect();
    let (mut complete, mut partial) = (HashSet::new(), HashSet::new());
    for place in distinct {
        complete.extend(place.occurrences(text).map(|at| at + place.content().start));
        partial.extend(place.partial_occurrences(text));
    }
    let on_one_side = partial.difference(&complete).count();
    (complete.len().saturating_sub(places.len()) as u64, on_one_side as u64)
}

/// Returns the offsets at which `needle` occurs. If lines are repeated, occurrences overlap.
fn occurrences<'a>(needle: &'a [u8], text: &'a [u8]) -> impl Iterator<Item = usize> {
    let finder = memmem::Finder::new(needle);
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + finder.find(text.get(from..)?)?;
        from = at + 1;
        Some(at)
    })
}
