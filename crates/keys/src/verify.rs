//! Compares documents as data, to verify that an edit made exactly the intended change.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::names::{KeyType, NewKey};
use super::tree::{Form, Kind, Syntax, Tree};
use super::yaml_scalar::{BLANKS, old_type};

/// A fingerprint of the data of a document. It does not depend on the order of keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Data {
    /// The sum of the hashes of all paths and values.
    sum: u128,
    /// The number of paths that another entry has, too. Otherwise, a mapping that is merged with
    /// another one of the same name would have the same data.
    repeated: usize,
}

/// The intended change of an edit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Intent<'a> {
    /// An entry is removed.
    Remove(usize),
    /// The value of an entry is replaced. `None` if the value is not compared.
    Replace(usize, Option<&'a Tree>),
    /// An entry is added to a container, or to a null that becomes one. The place is the number of
    /// an item, or the names of a key.
    Insert(usize, Place<'a>, &'a Tree),
    /// A key is renamed.
    Rename(usize, &'a NewKey<'a>),
}

/// The difference that an edit makes to the data of a document. The differences of several edits
/// can be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference(u128);

impl Difference {
    /// Returns the difference of an edit that affects only one entry. Returns `None` if it may also
    /// affect others: an insertion or removal in a list, a document with aliases, or a container
    /// that is empty before or after the edit.
    pub(super) fn of_edit(tree: &Tree, intent: &Intent<'_>) -> Option<Self> {
        let value = match *intent {
            Intent::Replace(_, value) => value,
            Intent::Insert(.., value) => Some(value),
            Intent::Remove(_) | Intent::Rename(..) => None,
        };
        let has_alias = |value: &Tree| value.nodes.iter().any(|node| node.kind == Kind::Alias);
        if !tree.aliases.is_empty() || value.is_some_and(has_alias) {
            return None;
        }
        let removed = |index| subtree_hash(tree, index, place_hash(tree, index));
        let (removed, added) = match *intent {
            Intent::Remove(index) => {
                let is_key = tree.name(index).is_some();
                tree.children(tree.parent(index)?).nth(1).filter(|_| is_key)?;
                (removed(index), 0)
            }
            Intent::Replace(index, value) => {
                (removed(index), subtree_hash(value?, Tree::ROOT, place_hash(tree, index)))
            }
            Intent::Rename(index, key) => {
                let renamed = hash(&(path_hash(tree, tree.parent(index)?), Part::new(tree, key)));
                (removed(index), subtree_hash(tree, index, renamed))
            }
            Intent::Insert(container, Place::Key(keys), value) => {
                tree.children(container).next()?;
                (
                    0,
                    subtree_hash(
                        value,
                        Tree::ROOT,
                        added_place_hash(tree, path_hash(tree, container), keys),
                    ),
                )
            }
            Intent::Insert(_, Place::Item(_), _) => return None,
        };
        Some(Self(added.wrapping_sub(removed)))
    }

    /// Returns the difference between two documents.
    pub(super) fn between(old: &Tree, new: &Tree) -> Self {
        Self(data(new).sum.wrapping_sub(data(old).sum))
    }
}

/// Returns the hash of the path of an entry, without its tag.
fn place_hash(tree: &Tree, index: usize) -> u64 {
    match tree.parent(index) {
        Some(parent) => hash(&(path_hash(tree, parent), path_part(tree, index))),
        None => hash(&Part::Root),
    }
}

/// Returns the hash of the path of an entry, with its tag.
fn path_hash(tree: &Tree, index: usize) -> u64 {
    with_tag(tree, index, place_hash(tree, index))
}

/// Adds the tag of an entry to its place. Entries in a mapping or list with another tag differ.
fn with_tag(tree: &Tree, index: usize, place: u64) -> u64 {
    tree.tag(index).map_or(place, |tag| hash(&(place, tag)))
}

/// Returns the hash of the path of a new key in a container with the given path.
fn added_place_hash(tree: &Tree, container: u64, keys: &[NewKey<'_>]) -> u64 {
    keys.iter().fold(container, |path, key| hash(&(path, Part::new(tree, key))))
}

fn path_part(tree: &Tree, index: usize) -> Part<'_> {
    let node = tree.node(index);
    let Some(name) = tree.name(index) else { return Part::Number(node.number) };
    collection_key(tree, index).unwrap_or_else(|| {
        let source = &tree.text[node.key.range()];
        // The bytes before a key may contain its tag.
        let before = tree.text.get(node.start as usize..node.key.start as usize);
        let tag = before.filter(|_| tree.syntax == Syntax::Yaml).unwrap_or_default();
        let tag = tag.split(BLANKS).find(|word| word.starts_with('!'));
        Part::Name(name, KeyType::of_source(tree.syntax, source), tag)
    })
}

/// Returns the sum of the hashes of an entry at this place and the entries in it. There must be no
/// aliases.
fn subtree_hash(tree: &Tree, index: usize, place: u64) -> u128 {
    let path = with_tag(tree, index, place);
    let mut sum = None;
    for child in tree.children(index) {
        let child_hash = subtree_hash(tree, child, hash(&(path, path_part(tree, child))));
        sum = Some(sum.unwrap_or(0u128).wrapping_add(child_hash));
    }
    let is_hashed = || !needs_entries(tree, index);
    sum.unwrap_or_else(|| if is_hashed() { entry_hash(tree, index, path, None) } else { 0 })
}

/// Returns the hash of the path and the value of an entry.
fn entry_hash(tree: &Tree, index: usize, path: u64, anchor: Option<u64>) -> u128 {
    let node = tree.node(index);
    // A null value may be omitted from the source.
    let is_empty = node.kind.is_container() || node.kind == Kind::Null;
    let text = if is_empty { "" } else { tree.scalar(index) };
    // Parsers of YAML 1.1 give some plain scalars another type than those of YAML 1.2.
    let old = tree.plain_text(index).and_then(old_type);
    let hashed = (path, node.kind, text, old, anchor);
    (u128::from(hash(&hashed)) << 64) | u128::from(hash(&(1u8, hashed)))
}

/// The place at which an entry is inserted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place<'a> {
    /// The number of the item.
    Item(u32),
    /// The keys from the container to the new one.
    Key(&'a [NewKey<'a>]),
}

/// A step of a path.
#[derive(Hash)]
enum Part<'a> {
    Root,
    /// A key, with its type and its tag.
    Name(&'a str, KeyType, Option<&'a str>),
    /// The hash of a key of YAML that is a collection.
    Collection(u64),
    Number(u32),
}

impl<'a> Part<'a> {
    fn new(tree: &Tree, key: &NewKey<'a>) -> Self {
        Self::Name(key.name, key.key_type(tree.syntax), None)
    }
}

fn hash(values: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    values.hash(&mut hasher);
    hasher.finish()
}

pub(super) fn expected_data(tree: &Tree, intent: &Intent<'_>) -> Data {
    let hashes = Hashes::new(tree, Some(intent), hash(&Part::Root));
    let mut sum = hashes.sum(tree, Some(intent), |_| None);
    // Aliases in the value may refer to anchors of the document.
    let anchor_path = |name: &str| {
        let (_, anchor) = tree.anchors(Tree::ROOT).find(|(anchor, _)| *anchor == name)?;
        Some(hashes.paths[anchor])
    };
    let added = match *intent {
        Intent::Remove(_) | Intent::Rename(..) | Intent::Replace(_, None) => None,
        Intent::Replace(index, Some(value)) => Some((hashes.place(tree, index), value)),
        Intent::Insert(container, Place::Item(number), value) => {
            Some((hash(&(hashes.paths[container], Part::Number(number))), value))
        }
        Intent::Insert(container, Place::Key(keys), value) => {
            Some((added_place_hash(tree, hashes.paths[container], keys), value))
        }
    };
    let added = added.map(|(place, value)| (Hashes::new(value, None, place), value));
    if let Some((added_hashes, value)) = &added {
        sum = sum.wrapping_add(added_hashes.sum(value, None, anchor_path));
    }
    let added = added.iter().flat_map(|(added_hashes, _)| added_hashes.remaining());
    Data { sum, repeated: count_repeated(hashes.remaining().chain(added)) }
}

/// Whether an edit of an INI file keeps the order of all other sections and keys, and inserts a key
/// into its section. Sections and keys may be repeated, so their order is data. In other documents,
/// only that of the items of lists is.
pub(super) fn keeps_order(old: &Tree, new: &Tree, intent: &Intent<'_>) -> bool {
    let Syntax::Ini(_) = old.syntax else { return true };
    let is_same_entry = |old_index: usize, new_index: usize| {
        let text = |tree: &Tree, index| match tree.node(index).kind {
            Kind::Mapping => String::new(),
            _ => tree.scalar(index).to_owned(),
        };
        let entry = |tree: &Tree, index| (tree.node(index).kind, text(tree, index));
        old.name(old_index) == new.name(new_index) && entry(old, old_index) == entry(new, new_index)
    };
    let (count, new_count) = (old.nodes.len(), new.nodes.len());
    // Whether the entries in a range are those that begin with another one.
    let are_equal_from = |range: Range<usize>, new_index: usize| {
        new_index + range.len() <= new_count
            && range
                .clone()
                .zip(new_index..)
                .all(|(old_index, new_index)| is_same_entry(old_index, new_index))
    };
    let is_count = |expected: usize| new_count == expected;
    match *intent {
        Intent::Replace(at, _) | Intent::Rename(at, _) => {
            is_count(count) && are_equal_from(1..at, 1) && are_equal_from(at + 1..count, at + 1)
        }
        Intent::Remove(at) => {
            let end = at + old.size(at);
            is_count(count + at - end) && are_equal_from(1..at, 1) && are_equal_from(end..count, at)
        }
        Intent::Insert(container, Place::Key(keys), _) => {
            let section_keys = old.ini_keys(container);
            let places =
                if keys.len() == 1 { section_keys.start..=section_keys.end } else { count..=count };
            let same =
                (1..count.min(new_count)).take_while(|&index| is_same_entry(index, index)).count()
                    + 1;
            let at = same.clamp(*places.start(), *places.end());
            is_count(count + keys.len())
                && are_equal_from(1..at, 1)
                && are_equal_from(at..count, at + keys.len())
        }
        Intent::Insert(_, Place::Item(_), _) => false,
    }
}

pub(super) fn data_outside(tree: &Tree, index: usize) -> Data {
    expected_data(tree, &Intent::Replace(index, None))
}

pub(super) fn data(tree: &Tree) -> Data {
    let hashes = Hashes::new(tree, None, hash(&Part::Root));
    Data { sum: hashes.sum(tree, None, |_| None), repeated: count_repeated(hashes.remaining()) }
}

/// Whether an entry has the same value as another document.
pub(super) fn is_same_value(tree: &Tree, index: usize, other: &Tree) -> bool {
    subtree_hash(tree, index, 0) == subtree_hash(other, Tree::ROOT, 0)
}

/// Counts the paths that occur before in the list.
fn count_repeated(paths: impl Iterator<Item = u64>) -> usize {
    let mut paths: Vec<u64> = paths.collect();
    let count = paths.len();
    paths.sort_unstable();
    paths.dedup();
    count - paths.len()
}

/// Whether the combined result of several edits contains exactly the changes that each edit makes
/// alone, and no new duplicate keys.
pub(super) fn has_all(old: &Tree, differences: &[Difference], combined: &Tree) -> bool {
    let (old, combined) = (data(old), data(combined));
    let sum = differences.iter().fold(old.sum, |sum, difference| sum.wrapping_add(difference.0));
    sum == combined.sum && combined.repeated <= old.repeated
}

struct Hashes {
    /// The hash of the path of each entry.
    paths: Vec<u64>,
    /// Whether each entry remains.
    remains: Vec<bool>,
    /// The number of entries that remain in each entry.
    counts: Vec<u32>,
}

impl Hashes {
    /// `root` is the place of the root.
    fn new(tree: &Tree, intent: Option<&Intent<'_>>, root: u64) -> Self {
        let removed = match intent {
            Some(Intent::Remove(index) | Intent::Replace(index, _)) => Some(*index),
            _ => None,
        };
        let shifted_number = |parent: usize, number: u32| match intent {
            Some(&Intent::Remove(index))
                if tree.node(index).parent as usize == parent
                    && number > tree.node(index).number =>
            {
                number - 1
            }
            Some(&Intent::Insert(container, Place::Item(at), _))
                if container == parent && number >= at =>
            {
                number + 1
            }
            _ => number,
        };
        let (mut paths, mut remains) = (vec![with_tag(tree, 0, root)], vec![removed != Some(0)]);
        for index in 1..tree.nodes.len() {
            let parent = tree.node(index).parent as usize;
            remains.push(remains[parent] && removed != Some(index));
            let part = match (intent, path_part(tree, index)) {
                (Some(&Intent::Rename(renamed, key)), _) if renamed == index => {
                    Part::new(tree, key)
                }
                (_, Part::Number(number)) => Part::Number(shifted_number(parent, number)),
                (_, part) => part,
            };
            paths.push(with_tag(tree, index, hash(&(paths[parent], part))));
        }
        let mut counts = vec![0; tree.nodes.len()];
        for index in (1..tree.nodes.len()).rev() {
            remains[index] &= counts[index] > 0 || !needs_entries(tree, index);
            let is_kept = remains[index]
                || matches!(intent, Some(Intent::Replace(replaced, _)) if *replaced == index);
            counts[tree.node(index).parent as usize] += u32::from(is_kept);
        }
        Self { paths, remains, counts }
    }

    /// Returns the hash of the path of an entry, without its tag.
    fn place(&self, tree: &Tree, index: usize) -> u64 {
        match tree.parent(index) {
            Some(parent) => hash(&(self.paths[parent], path_part(tree, index))),
            None => hash(&Part::Root),
        }
    }

    fn remaining(&self) -> impl Iterator<Item = u64> + '_ {
        self.paths.iter().zip(&self.remains).filter(|(_, remains)| **remains).map(|(path, _)| *path)
    }

    /// Returns the sum of the hashes of all entries that remain. `outer_anchor` returns the hash of
    /// the path of an anchor that is not in the document.
    fn sum(
        &self,
        tree: &Tree,
        intent: Option<&Intent<'_>>,
        outer_anchor: impl Fn(&str) -> Option<u64>,
    ) -> u128 {
        let filled = match intent {
            Some(&Intent::Insert(container, ..)) => Some(container),
            _ => None,
        };
        let is_removed = |anchor| match intent {
            Some(&Intent::Remove(removed)) => tree.is_within(anchor, removed),
            _ => false,
        };
        let mut sum = 0u128;
        for (index, node) in tree.nodes.iter().enumerate() {
            let is_counted = self.remains[index]
                && filled != Some(index)
                && !(node.kind.is_container() && self.counts[index] > 0);
            if !is_counted {
                continue;
            }
            // An alias has the value of its anchor, which another entry may have after an edit.
            let anchor = match tree.anchor_of(index) {
                Some(anchor) if is_removed(anchor) => Some(0),
                Some(anchor) => Some(self.paths[anchor]),
                None if node.kind == Kind::Alias => outer_anchor(&tree.written(index)[1..]),
                None => None,
            };
            sum = sum.wrapping_add(entry_hash(tree, index, self.paths[index], anchor));
        }
        sum
    }
}

fn collection_key(tree: &Tree, index: usize) -> Option<Part<'_>> {
    let end = tree.node(index).key.end;
    let position =
        tree.collection_keys.binary_search_by_key(&end, |(end_offset, _)| *end_offset).ok()?;
    Some(Part::Collection(tree.collection_keys[position].1))
}

/// Whether a container does not exist without entries: a TOML table without a header, or an array
/// of tables.
fn needs_entries(tree: &Tree, index: usize) -> bool {
    let node = tree.node(index);
    tree.syntax == Syntax::Toml
        && match node.kind {
            Kind::Sequence => node.form == Form::Block,
            _ => node.form == Form::Implicit,
        }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse_text;
    use super::*;

    #[test]
    fn mappings_of_one_name_differ_from_a_merged_one() {
        let data_of = |text: &str| data(&parse_text(Syntax::Yaml, text).expect("valid"));
        let apart = data_of("a:\n  b: 1\nc: 3\na:\n  d: 2\n");
        assert_ne!(apart, data_of("a:\n  b: 1\n  d: 2\nc: 3\n"));
        assert_eq!(apart, data_of("c: 3\na: {d: 2}\na: {b: 1}\n"));
    }

    #[test]
    fn an_anchor_belongs_to_its_entry() {
        let data_of = |text: &str| data(&parse_text(Syntax::Yaml, text).expect("valid"));
        assert_ne!(data_of("l: [&i 1, 1]\nb: *i\n"), data_of("l: [1, &i 1]\nb: *i\n"));
        let tree = parse_text(Syntax::Yaml, "l: [&i 2, 3]\nb: *i\n").expect("valid");
        assert_ne!(expected_data(&tree, &Intent::Remove(2)), data_of("l: [&i 3]\nb: *i\n"));
    }

    #[test]
    fn keys_that_are_collections_are_compared_as_data() {
        let data_of = |text: &str| data(&parse_text(Syntax::Yaml, text).expect("valid"));
        let folded = data_of("? a: >-\n     t\n: 1\n");
        assert_eq!(folded, data_of("? &x a: >-\n     t\n\n: 1\n"));
        assert_ne!(folded, data_of("? a: >-\n     t\n\n     u\n: 1\n"));
        // A last line of spaces is part of the scalar.
        assert_ne!(data_of("x:\n  ? a: >-\n     t\n"), data_of("x:\n  ? a: >-\n     t\n       "));
    }

    #[test]
    fn tags_and_types_of_keys_are_data() {
        let data_of = |text: &str| data(&parse_text(Syntax::Yaml, text).expect("valid"));
        for (left, right) in [
            ("a: !Ref X\n", "a: X\n"),
            ("a: !Ref X\n", "a: !Sub X\n"),
            ("a: !!str 1\n", "a: '1'\n"),
            ("a: !If [b]\n", "a: [b]\n"),
            ("a: !t\n  b: 1\n", "a:\n  b: 1\n"),
            ("- !t\n  b: 1\n", "- !t b: 1\n"),
            ("!t\na: 1\n", "a: 1\n"),
            ("[!a b, c]\n", "[b, c]\n"),
            ("200: a\n", "'200': a\n"),
            ("{true: a}\n", "{\"true\": a}\n"),
            ("!!str 1: a\n", "1: a\n"),
            ("a: 2020-01-01\n", "a: '2020-01-01'\n"),
            ("a: yes\n", "a: 'yes'\n"),
        ] {
            assert_ne!(data_of(left), data_of(right), "{left}");
        }
        assert_eq!(data_of("a: &x !Ref X\n"), data_of("a: !Ref 'X'\n"));
        let tree = parse_text(Syntax::Yaml, "a: !t {b: !u 1, c: 2}\n").expect("valid");
        assert_eq!(expected_data(&tree, &Intent::Remove(2)), data_of("a: !t {c: 2}\n"));
        let remaining =
            Difference::between(&tree, &parse_text(Syntax::Yaml, "a: !t {c: 2}\n").expect("valid"));
        assert_eq!(Difference::of_edit(&tree, &Intent::Remove(2)), Some(remaining));
    }
}
