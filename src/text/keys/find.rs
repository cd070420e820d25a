//! Finds the entry at a key path.

use std::collections::HashSet;

pub use super::path::Step;
use super::path::{KeyPath, position};
use super::tree::{Form, Kind, Syntax, Tree};

/// An entry that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its index.
    pub index: usize,
    /// The YAML alias or merge key through which the path passes, if any.
    pub alias: Option<usize>,
}

/// The reason why a path does not select a single entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Miss {
    /// There is no entry for a step.
    NotFound {
        /// The entry that the previous steps select.
        container: Found,
        /// The number of previous steps.
        steps: usize,
    },
    /// Several entries match.
    Ambiguous {
        /// The entries.
        all: Vec<usize>,
        /// The number of steps that lead to them.
        steps: usize,
    },
}

/// Finds an entry. If none matches, and the whole path is the name of a key at the root, that key
/// is selected, even if its name contains dots.
///
/// # Errors
///
/// Fails if no entry matches, or several do. In a document without nesting, `A[1]` can be both the
/// name of a key and the second of several keys `A`.
pub fn find(tree: &Tree, path: &KeyPath) -> Result<Found, Miss> {
    let found = walk(tree, Found { index: Tree::ROOT, alias: None }, &path.steps, 0);
    let mut whole = match &found {
        Ok(_) if !tree.syntax.is_flat() => return found,
        Ok(_) | Err(Miss::NotFound { .. }) => named(tree, Tree::ROOT, &path.source),
        Err(Miss::Ambiguous { .. }) => return found,
    };
    match (found, &whole[..]) {
        (found, []) => found,
        (Err(_), &[index]) => Ok(Found { index, alias: None }),
        (Ok(found), &[index]) if index == found.index => Ok(found),
        (found, _) => {
            whole.extend(found.ok().map(|found| found.index));
            whole.sort_unstable();
            Err(Miss::Ambiguous { all: whole, steps: path.steps.len() })
        }
    }
}

/// Finds all entries at a path, such as one in each of several documents.
pub fn find_all(tree: &Tree, path: &KeyPath) -> Vec<usize> {
    fn all(tree: &Tree, found: Result<Found, Miss>, steps: &[Step]) -> Vec<usize> {
        match found {
            Ok(found) => vec![resolved(tree, found).index],
            Err(Miss::NotFound { .. }) => Vec::new(),
            Err(Miss::Ambiguous { all: several, steps: done }) => {
                let rest = steps.get(done..).unwrap_or_default();
                let within = |&index: &usize| all(tree, find_from(tree, index, rest), rest);
                several.iter().flat_map(within).collect()
            }
        }
    }
    all(tree, find(tree, path), &path.steps)
}

/// Finds the entry to which steps from another entry lead.
///
/// # Errors
///
/// Fails if no entry matches, or several do.
pub fn find_from(tree: &Tree, index: usize, steps: &[Step]) -> Result<Found, Miss> {
    walk(tree, Found { index, alias: None }, steps, 0)
}

fn walk(tree: &Tree, from: Found, steps: &[Step], done: usize) -> Result<Found, Miss> {
    let Some(step) = steps.get(done) else { return Ok(from) };
    let at = resolved(tree, from);
    let node = tree.node(at.index);
    let missing = || Miss::NotFound { container: at, steps: done };
    let candidates = match (step, node.kind) {
        (Step::Name(_), Kind::Sequence) if node.form == Form::Documents => {
            return in_documents(tree, steps, done, missing());
        }
        (Step::Name(name), Kind::Mapping) => named(tree, at.index, name),
        (Step::Name(name), Kind::Sequence) => {
            name.parse().ok().and_then(|number| item(tree, at.index, number)).into_iter().collect()
        }
        (Step::Index(number), Kind::Sequence) => {
            item(tree, at.index, *number).into_iter().collect()
        }
        (Step::Where { key, value }, Kind::Sequence) => {
            let fits = |&index: &usize| {
                let own = resolved(tree, Found { index, alias: None });
                named(tree, own.index, key).iter().any(|&field| tree.scalar(field) == value)
            };
            tree.children(at.index).filter(fits).collect()
        }
        _ => Vec::new(),
    };
    match candidates[..] {
        [index] => walk(tree, Found { index, ..at }, steps, done + 1),
        [] => match (step, merged(tree, at.index, step)) {
            (Step::Name(_), Some(found)) => walk(tree, found, steps, done + 1),
            _ => Err(missing()),
        },
        _ => match steps.get(done + 1) {
            // A number selects one of several keys with the same name.
            Some(Step::Index(number)) if matches!(step, Step::Name(_)) => {
                match position(*number, candidates.len()) {
                    Some(own) => {
                        walk(tree, Found { index: candidates[own], ..at }, steps, done + 2)
                    }
                    None => Err(Miss::Ambiguous { all: candidates, steps: done + 2 }),
                }
            }
            _ => Err(Miss::Ambiguous { all: candidates, steps: done + 1 }),
        },
    }
}

/// Finds a path that begins with a name, in the only document that contains this name.
fn in_documents(tree: &Tree, steps: &[Step], done: usize, missing: Miss) -> Result<Found, Miss> {
    let mut found = Vec::new();
    for index in tree.children(Tree::ROOT) {
        match walk(tree, Found { index, alias: None }, steps, done) {
            Ok(own) => found.push(own),
            Err(miss @ Miss::Ambiguous { .. }) => return Err(miss),
            Err(Miss::NotFound { .. }) => {}
        }
    }
    match found[..] {
        [only] => Ok(only),
        [] => Err(missing),
        _ => {
            let all = found.iter().map(|own| own.index).collect();
            Err(Miss::Ambiguous { all, steps: steps.len() })
        }
    }
}

/// Returns the entry that an alias refers to, or the entry itself.
pub fn resolved(tree: &Tree, found: Found) -> Found {
    match tree.anchor_of(found.index) {
        Some(anchor) => Found { index: anchor, alias: found.alias.or(Some(found.index)) },
        None => found,
    }
}

/// Returns the keys of a mapping with the given name.
pub fn named(tree: &Tree, mapping: usize, name: &str) -> Vec<usize> {
    match tree.node(mapping).kind {
        Kind::Mapping => {
            tree.children(mapping).filter(|&own| tree.name(own) == Some(name)).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the key that a mapping inherits from others through the YAML merge key `<<`.
fn merged(tree: &Tree, mapping: usize, step: &Step) -> Option<Found> {
    let Step::Name(name) = step else { return None };
    let mut seen = HashSet::from([mapping]);
    let mut next: Vec<Found> = sources(tree, mapping).into_iter().rev().collect();
    while let Some(source) = next.pop() {
        if !seen.insert(source.index) {
            continue;
        }
        if let Some(&index) = named(tree, source.index, name).first() {
            return Some(Found { index, ..source });
        }
        let nested = sources(tree, source.index).into_iter().rev();
        next.extend(nested.map(|own| Found { alias: source.alias.or(own.alias), ..own }));
    }
    None
}

/// Returns the mappings that a mapping merges through the YAML merge key `<<`. The first has
/// priority.
pub(super) fn sources(tree: &Tree, mapping: usize) -> Vec<Found> {
    let is_merge = |&own: &usize| tree.syntax == Syntax::Yaml && tree.name(own) == Some("<<");
    let Some(merge) = tree.children(mapping).find(is_merge) else { return Vec::new() };
    let items = match tree.node(merge).kind {
        Kind::Sequence => tree.children(merge).collect(),
        _ => vec![merge],
    };
    let items = items.into_iter().map(|index| resolved(tree, Found { index, alias: None }));
    // A mapping within its own anchor would be merged forever.
    let is_source = |own: &Found| {
        tree.node(own.index).kind == Kind::Mapping && !tree.is_within(merge, own.index)
    };
    items.filter(is_source).collect()
}

fn item(tree: &Tree, list: usize, number: i64) -> Option<usize> {
    let at = match number < 0 {
        true => position(number, tree.children(list).count())?,
        false => usize::try_from(number).ok()?,
    };
    tree.children(list).nth(at)
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse_text;
    use super::*;

    fn found(syntax: Syntax, text: &str, path: &str) -> Result<String, String> {
        let tree = parse_text(syntax, text).expect("valid");
        match find(&tree, &KeyPath::parse(path).expect("a path")) {
            Ok(Found { index, alias }) => {
                let alias = alias.map_or("", |alias| tree.written(alias));
                Ok(format!("{alias}{}", tree.scalar(index)))
            }
            Err(Miss::NotFound { container, steps }) => {
                Err(format!("{} after {steps}", tree.path(container.index)))
            }
            Err(Miss::Ambiguous { all, .. }) => {
                Err(all.iter().map(|&own| tree.path(own)).collect::<Vec<_>>().join(" "))
            }
        }
    }

    #[track_caller]
    fn check(text: &str, path: &str, expected: Result<&str, &str>) {
        let found = found(Syntax::Yaml, text, path);
        assert_eq!(found.as_deref().map_err(String::as_str), expected, "{path}");
    }

    #[test]
    fn an_empty_document_at_the_end_has_a_path() {
        let tree = parse_text(Syntax::Yaml, "a: 1\n...\n---\n").expect("valid");
        let paths: Vec<String> = tree.children(Tree::ROOT).map(|index| tree.path(index)).collect();
        assert_eq!(paths, ["[0]", "[1]"]);
    }

    #[test]
    fn steps_lead_to_entries() {
        let text = "a:\n  b: [x, y]\n  l:\n  - name: p\n    v: 1\n  - name: q\n    v: 2\nd.e: 3\n";
        check(text, "a.b[1]", Ok("y"));
        check(text, "a.b[-2]", Ok("x"));
        check(text, "a.b.0", Ok("x"));
        check(text, "a.l[name=q].v", Ok("2"));
        check(text, "d.e", Ok("3"));
        check("a.b: 1\na:\n  b: 2\n", "a.b", Ok("2"));
        check("a.b: 1\na:\n  b: 2\n", "\"a.b\"", Ok("1"));
        check(text, "a.b[2]", Err("a.b after 2"));
        check(text, "a.c.d", Err("a after 1"));
        check(text, "a.b.x", Err("a.b after 2"));
    }

    #[test]
    fn several_entries_need_a_number() {
        check("a: 1\na: 2\n", "a", Err("a[0] a[1]"));
        check("a: 1\na: 2\n", "a[1]", Ok("2"));
        check("a: 1\na: 2\n", "a[-1]", Ok("2"));
        check("a: 1\na: 2\n", "a[2]", Err("a[0] a[1]"));
        check("a: [x]\na: [y, z]\n", "a[1][0]", Ok("y"));
        let numbered = |text| {
            let tree = parse_text(Syntax::Properties, text).expect("valid");
            let found = find(&tree, &KeyPath::of_name("A[1]"));
            found.map(|found| tree.scalar(found.index).to_owned())
        };
        assert_eq!(numbered("A=1\nA=2\n"), Ok("2".to_owned()));
        assert_eq!(numbered("A=1\nA[1]=3\n"), Ok("3".to_owned()));
        assert_eq!(
            numbered("A=1\nA[1]=3\nA=2\n"),
            Err(Miss::Ambiguous { all: vec![2, 3], steps: 2 })
        );
        let documents = "kind: A\nx: 1\n---\nkind: B\n";
        check(documents, "x", Ok("1"));
        check(documents, "kind", Err("[0].kind [1].kind"));
        check(documents, "[kind=B].kind", Ok("B"));
        check(documents, "[-1].kind", Ok("B"));
    }

    #[test]
    fn aliases_are_followed() {
        let text = "a: &x\n  k: 1\nb: *x\nc:\n  <<: *x\n  l: 2\n";
        check(text, "b.k", Ok("*x1"));
        check(text, "c.k", Ok("*x1"));
        check(text, "c.l", Ok("2"));
        check(text, "b", Ok("*x"));
    }
}
