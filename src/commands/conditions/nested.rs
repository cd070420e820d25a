//! Conditions on parts that contain others.

use super::candidates::{Candidate, Outlined, section_name};
use folio_outline::outline::Outline;
use folio_text::pattern::Pattern;

/// Removes each part that contains the next part. `left` must be in document order, so that nested
/// parts follow the part that contains them.
pub(super) fn innermost(outlined: &Outlined<'_>, left: &mut Vec<Candidate>) {
    let contains_next: Vec<bool> =
        left.windows(2).map(|two| outlined.contains(two[0], two[1])).collect();
    let mut contains_next = contains_next.into_iter();
    left.retain(|_| !contains_next.next().unwrap_or(false));
}

/// Sections and keys whose names match.
pub(super) struct Below {
    sections: Vec<usize>,
    /// Whether each entry of a tree of keys contains such a key. Empty without a tree.
    holders: Vec<bool>,
}

impl Below {
    pub(super) fn new(outline: &Outline, pattern: &Pattern) -> Self {
        let is_named = |index: &usize| pattern.is_match(&section_name(outline, *index));
        let mut holders = Vec::new();
        if let Some(tree) = outline.tree() {
            holders.resize(tree.nodes.len(), false);
            for index in 1..tree.nodes.len() {
                let name = tree.name(index).unwrap_or_default();
                if tree.name(index).is_some() && pattern.is_match(name.as_bytes()) {
                    let mut at = index;
                    while let Some(parent) = tree.parent(at).filter(|&parent| !holders[parent]) {
                        holders[parent] = true;
                        at = parent;
                    }
                }
            }
        }
        Self { sections: (0..outline.sections().len()).filter(is_named).collect(), holders }
    }

    /// Whether one of these sections and keys is in a part.
    pub(super) fn is_in(&self, outline: &Outline, candidate: Candidate) -> bool {
        let index = match candidate {
            Candidate::File => {
                let holds = self.holders.first().is_some_and(|holds| *holds);
                return holds || !self.sections.is_empty();
            }
            Candidate::Entry(index) => return self.holders[index],
            Candidate::Section(index) => index,
            _ => return false,
        };
        // Sections are nested or disjoint, so a section that begins within another is nested in it.
        let end = outline.sections()[index].lines().end();
        let after = self.sections.partition_point(|&other| other <= index);
        let next = self.sections.get(after).map(|&other| outline.sections()[other].lines());
        let holds = || outline.entry_of(index).is_some_and(|entry| self.holders[entry]);
        next.is_some_and(|lines| lines.start() <= end) || holds()
    }
}
