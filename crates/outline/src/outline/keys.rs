//! Which entries of the tree of keys of an INI file belong to which of its sections.

use std::ops::Range;

use super::model::{Outline, Section, SectionKind};
use folio_keys::{Kind, Tree};

impl Outline {
    /// Returns the keys of an INI section or, without a section, those before the first section, as
    /// indexes in the tree of keys. If the tree is not known, returns none.
    pub fn keys_of(&self, section: Option<usize>) -> Range<usize> {
        let Some(tree) = self.tree() else { return 0..0 };
        match section.map(|section| self.entry_of(section)) {
            Some(Some(entry)) => entry + 1..entry + tree.size(entry),
            Some(None) => 0..0,
            None => {
                let is_section = |&index: &usize| tree.node(index).kind == Kind::Mapping;
                1..(1..tree.nodes.len()).find(is_section).unwrap_or(tree.nodes.len())
            }
        }
    }

    /// Returns the entry of an INI section in the tree of keys.
    pub fn entry_of(&self, section: usize) -> Option<usize> {
        let (tree, section) = (self.tree()?, self.sections.get(section)?);
        let start = tree.line_start(section.lines().start());
        let at = 1 + tree.nodes[1..].partition_point(|node| (node.start as usize) < start);
        let node = tree.nodes.get(at).filter(|_| has_keys(section))?;
        let begins_section =
            node.kind == Kind::Mapping && tree.lines(at).start() == section.lines().start();
        begins_section.then_some(at)
    }

    /// Returns the section of a key of INI, which is given by its index in the tree of keys.
    pub fn section_of(&self, key: usize) -> Option<usize> {
        let tree = self.tree()?;
        let entry = tree.parent(key).filter(|&parent| parent != Tree::ROOT)?;
        let line = tree.lines(entry).start();
        let after = self.sections.partition_point(|section| section.lines().start() <= line);
        let is_marker_on_line = |index: &usize| {
            let section = &self.sections[*index];
            has_keys(section) && section.lines().start() == line
        };
        (0..after)
            .rev()
            .take_while(|&index| self.sections[index].lines().start() == line)
            .find(is_marker_on_line)
    }

    /// Returns all keys of an INI file, as indexes in the tree of keys.
    pub fn section_keys(&self) -> impl Iterator<Item = (&Tree, usize)> {
        let tree = self.tree().filter(|_| !self.format.is_tree());
        let count = tree.map_or(0, |tree| tree.nodes.len());
        let all = (1..count).filter_map(move |index| Some((tree?, index)));
        all.filter(|(tree, index)| !tree.node(*index).kind.is_container())
    }
}

/// Whether a section may be an entry of a tree: a section of INI, or a headline of Org.
fn has_keys(section: &Section) -> bool {
    matches!(section.kind(), SectionKind::Marker | SectionKind::Heading(_))
}
