//! Finds the entry at a key path.

use std::collections::HashSet;

pub use super::path::Step;
use super::path::{KeyPath, MAX_DEPTH, Quoting, first_step, position};
use super::tree::{Form, Kind, Syntax, Tree};

mod ini;

pub use ini::find_sections;
pub(super) use ini::{keys_named, section_at};

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
pub enum KeyMiss {
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

/// Finds an entry.
///
/// # Errors
///
/// Fails if no entry matches, or several do. In a document without nesting, `A[1]` can be both the
/// name of a key and the second of several keys `A`.
pub fn find(tree: &Tree, path: &KeyPath) -> Result<Found, KeyMiss> {
    if let Syntax::Ini(_) = tree.syntax {
        return ini::find(tree, &path.steps);
    }
    let found = follow_steps(tree, ROOT, &path.steps, 0);
    if !tree.syntax.is_flat() {
        return found;
    }
    let mut with_full_name = match &found {
        Ok(_) | Err(KeyMiss::NotFound { .. }) => children_named(tree, Tree::ROOT, &path.source),
        Err(KeyMiss::Ambiguous { .. }) => return found,
    };
    match (found, &with_full_name[..]) {
        (found, []) => found,
        (Err(_), &[index]) => Ok(Found { index, alias: None }),
        (Ok(found), &[index]) if index == found.index => Ok(found),
        (found, _) => {
            with_full_name.extend(found.ok().map(|found| found.index));
            with_full_name.sort_unstable();
            Err(KeyMiss::Ambiguous { all: with_full_name, steps: path.steps.len() })
        }
    }
}

/// Reads the path in a text, and finds its entry.
///
/// If the steps of the path lead to no entry, the names in the document determine where its steps
/// end: `labels.app.io/name` selects the key `app.io/name` if there is one. The names of a new
/// entry are those of the path.
///
/// # Errors
///
/// Fails with a message if the text is not a path, see [`KeyPath::parse`].
pub fn look_up(tree: &Tree, source: &str) -> Result<(KeyPath, Result<Found, KeyMiss>), String> {
    let path = match tree.syntax {
        Syntax::Ini(_) => Some(ini::read_path(tree, source)),
        syntax => syntax.is_flat().then(|| KeyPath::of_name(source)),
    };
    if let Some(path) = path {
        let found = find(tree, &path);
        return Ok((path, found));
    }
    let parsed = KeyPath::parse(source);
    if let Ok(path) = &parsed {
        let found = find(tree, path);
        if !matches!(found, Err(KeyMiss::NotFound { .. })) {
            return Ok((path.clone(), found));
        }
    }
    let (steps, longest, seen) = (Vec::new(), (0, Vec::new()), HashSet::new());
    let mut reader = PathReader { tree, source, steps, longest, seen };
    reader.read(0);
    let (at, mut steps) = reader.longest;
    let path = match &source[at..] {
        "" if at > 0 => KeyPath { source: source.to_owned(), steps },
        rest => match KeyPath::parse(rest) {
            Ok(rest) => {
                steps.extend(rest.steps);
                KeyPath { source: source.to_owned(), steps }
            }
            Err(_) => parsed?,
        },
    };
    let found = find(tree, &path);
    Ok((path, found))
}

/// Finds a key of INI by the names of its section and its own name. `Peer[2]` is the second of
/// several sections, `host[1]` the second of several keys.
pub fn look_up_in(tree: &Tree, section: &str, key: &str) -> (KeyPath, Result<Found, KeyMiss>) {
    let path = ini::path_in(tree, section, key);
    let found = find(tree, &path);
    (path, found)
}

/// Finds a key of a section of INI, which is given by its index, or before the first section, which
/// is the root. `host[1]` is the second of several keys `host`.
pub fn look_up_within(tree: &Tree, section: usize, key: &str) -> (KeyPath, Result<Found, KeyMiss>) {
    let (path, count) = ini::path_within(tree, section, key);
    let found = ini::find_after(tree, section, &path.steps, count);
    (path, found)
}

const ROOT: Found = Found { index: Tree::ROOT, alias: None };

/// Divides a path into steps that exist in a document.
struct PathReader<'a> {
    tree: &'a Tree,
    source: &'a str,
    /// The steps up to the current offset.
    steps: Vec<Step>,
    /// The largest offset up to which steps lead to entries, with these steps. The entry at the
    /// last one is that of the whole path, or may contain others.
    longest: (usize, Vec<Step>),
    /// The offsets and entries from which the path has been read.
    seen: HashSet<(usize, usize)>,
}

impl PathReader<'_> {
    /// Reads the path from an offset on. Returns whether it leads to an entry.
    fn read(&mut self, at: usize) -> bool {
        let found = match follow_steps(self.tree, ROOT, &self.steps, 0) {
            Ok(found) => vec![found.index],
            Err(KeyMiss::Ambiguous { all, steps }) if steps == self.steps.len() => all,
            Err(_) => return false,
        };
        let found: Vec<usize> =
            found.into_iter().map(|index| resolved_index(self.tree, index)).collect();
        let kind = self.tree.node(found[0]).kind;
        let is_end = at == self.source.len();
        if at > self.longest.0 && (is_end || kind.is_container() || kind == Kind::Null) {
            self.longest = (at, self.steps.clone());
        }
        if is_end {
            return true;
        }
        // Aliases may lead to an entry again.
        if self.steps.len() == MAX_DEPTH || !self.seen.insert((at, found[0])) {
            return false;
        }
        self.next_steps(&found, at).into_iter().any(|(step, next)| {
            self.steps.push(step);
            let is_read = self.read(next);
            self.steps.pop();
            is_read
        })
    }

    /// Returns the steps that may begin at an offset, each with the offset of the next one: first
    /// those of the syntax, then names in the entries, longest first.
    fn next_steps(&self, entries: &[usize], at: usize) -> Vec<(Step, usize)> {
        let text = &self.source[at..];
        let mut steps: Vec<(Step, usize)> = [Quoting::Typed, Quoting::Escaped]
            .into_iter()
            .filter_map(|quoting| first_step(text, quoting).ok())
            .map(|(step, rest)| (step, self.source.len() - rest.len()))
            .collect();
        let is_documents = |&index: &usize| self.tree.node(index).form == Form::Documents;
        let documents = entries.iter().copied().filter(is_documents);
        let documents = documents.flat_map(|index| self.tree.children(index));
        let mappings = entries.iter().copied().chain(documents);
        let keys = mappings.flat_map(|index| self.tree.children(resolved_index(self.tree, index)));
        let mut names: Vec<(Step, usize)> = keys
            .filter_map(|key| self.tree.name(key))
            .filter_map(|name| {
                let rest = text.strip_prefix(name).filter(|_| !name.is_empty())?;
                let next = match rest.strip_prefix('.') {
                    Some(next) if !next.is_empty() => next,
                    None if rest.is_empty() || rest.starts_with('[') => rest,
                    _ => return None,
                };
                Some((Step::Name(name.to_owned()), self.source.len() - next.len()))
            })
            .collect();
        names.sort_by_key(|&(_, next)| std::cmp::Reverse(next));
        steps.append(&mut names);
        steps.dedup();
        steps
    }
}

/// Returns the entry that an alias refers to, or the entry itself.
fn resolved_index(tree: &Tree, index: usize) -> usize {
    resolved(tree, Found { index, alias: None }).index
}

/// Finds all entries at a path, such as one in each of several documents. Returns none if the text
/// is not a path.
pub fn find_all(tree: &Tree, source: &str) -> Vec<usize> {
    fn all_entries(tree: &Tree, found: Result<Found, KeyMiss>, steps: &[Step]) -> Vec<usize> {
        match found {
            Ok(found) => vec![resolved(tree, found).index],
            Err(KeyMiss::NotFound { .. }) => Vec::new(),
            Err(KeyMiss::Ambiguous { all: several, steps: steps_walked }) => {
                let rest = steps.get(steps_walked..).unwrap_or_default();
                let entries_below =
                    |&index: &usize| all_entries(tree, find_from(tree, index, rest), rest);
                several.iter().flat_map(entries_below).collect()
            }
        }
    }
    look_up(tree, source)
        .map_or_else(|_| Vec::new(), |(path, found)| all_entries(tree, found, &path.steps))
}

/// Finds the entry to which steps from another entry lead.
///
/// # Errors
///
/// Fails if no entry matches, or several do.
pub fn find_from(tree: &Tree, index: usize, steps: &[Step]) -> Result<Found, KeyMiss> {
    if let Syntax::Ini(_) = tree.syntax {
        return ini::find_in(tree, index, steps);
    }
    follow_steps(tree, Found { index, alias: None }, steps, 0)
}

fn follow_steps(tree: &Tree, from: Found, steps: &[Step], depth: usize) -> Result<Found, KeyMiss> {
    let Some(step) = steps.get(depth) else { return Ok(from) };
    let container = resolved(tree, from);
    let node = tree.node(container.index);
    let missing = || KeyMiss::NotFound { container, steps: depth };
    let candidates = match (step, node.kind) {
        (Step::Name(_), Kind::Sequence) if node.form == Form::Documents => {
            return find_in_documents(tree, steps, depth, missing());
        }
        (Step::Name(name), Kind::Mapping) => children_named(tree, container.index, name),
        (Step::Name(name), Kind::Sequence) => name
            .parse()
            .ok()
            .and_then(|number| item_at(tree, container.index, number))
            .into_iter()
            .collect(),
        (Step::Index(number), Kind::Sequence) => {
            item_at(tree, container.index, *number).into_iter().collect()
        }
        (Step::Where { key, value }, Kind::Sequence) => {
            let has_field = |&index: &usize| {
                let item = resolved(tree, Found { index, alias: None });
                children_named(tree, item.index, key)
                    .iter()
                    .any(|&field| tree.scalar(field) == value)
            };
            tree.children(container.index).filter(has_field).collect()
        }
        _ => Vec::new(),
    };
    match candidates[..] {
        [index] => follow_steps(tree, Found { index, ..container }, steps, depth + 1),
        [] => match (step, inherited_key(tree, container.index, step)) {
            (Step::Name(_), Some(inherited)) => follow_steps(tree, inherited, steps, depth + 1),
            _ => Err(missing()),
        },
        _ => match steps.get(depth + 1) {
            // A number selects one of several keys with the same name.
            Some(Step::Index(number)) if matches!(step, Step::Name(_)) => {
                match position(*number, candidates.len()) {
                    Some(candidate_index) => follow_steps(
                        tree,
                        Found { index: candidates[candidate_index], ..container },
                        steps,
                        depth + 2,
                    ),
                    None => Err(KeyMiss::Ambiguous { all: candidates, steps: depth + 2 }),
                }
            }
            _ => Err(KeyMiss::Ambiguous { all: candidates, steps: depth + 1 }),
        },
    }
}

/// Finds a path that begins with a name, in the only document that contains this name.
fn find_in_documents(
    tree: &Tree,
    steps: &[Step],
    depth: usize,
    missing: KeyMiss,
) -> Result<Found, KeyMiss> {
    let mut found = Vec::new();
    for index in tree.children(Tree::ROOT) {
        match follow_steps(tree, Found { index, alias: None }, steps, depth) {
            Ok(entry) => found.push(entry),
            Err(miss @ KeyMiss::Ambiguous { .. }) => return Err(miss),
            Err(KeyMiss::NotFound { .. }) => {}
        }
    }
    match found[..] {
        [only] => Ok(only),
        [] => Err(missing),
        _ => {
            let all = found.iter().map(|entry| entry.index).collect();
            Err(KeyMiss::Ambiguous { all, steps: steps.len() })
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
pub fn children_named(tree: &Tree, mapping: usize, name: &str) -> Vec<usize> {
    match tree.node(mapping).kind {
        Kind::Mapping => {
            tree.children(mapping).filter(|&key| tree.name(key) == Some(name)).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the key that a mapping inherits from others through the YAML merge key `<<`.
fn inherited_key(tree: &Tree, mapping: usize, step: &Step) -> Option<Found> {
    let Step::Name(name) = step else { return None };
    let mut seen = HashSet::from([mapping]);
    let mut pending: Vec<Found> = merged_mappings(tree, mapping).into_iter().rev().collect();
    while let Some(source) = pending.pop() {
        if !seen.insert(source.index) {
            continue;
        }
        if let Some(&index) = children_named(tree, source.index, name).first() {
            return Some(Found { index, ..source });
        }
        let nested = merged_mappings(tree, source.index).into_iter().rev();
        pending
            .extend(nested.map(|merged| Found { alias: source.alias.or(merged.alias), ..merged }));
    }
    None
}

/// Returns the mappings that a mapping merges through the YAML merge key `<<`. The first has
/// priority.
pub(super) fn merged_mappings(tree: &Tree, mapping: usize) -> Vec<Found> {
    let is_merge = |&key: &usize| tree.syntax == Syntax::Yaml && tree.name(key) == Some("<<");
    let Some(merge) = tree.children(mapping).find(is_merge) else { return Vec::new() };
    let items = match tree.node(merge).kind {
        Kind::Sequence => tree.children(merge).collect(),
        _ => vec![merge],
    };
    let items = items.into_iter().map(|index| resolved(tree, Found { index, alias: None }));
    // A mapping within its own anchor would be merged forever.
    let is_source = |source: &Found| {
        tree.node(source.index).kind == Kind::Mapping && !tree.is_within(merge, source.index)
    };
    items.filter(is_source).collect()
}

fn item_at(tree: &Tree, list: usize, number: i64) -> Option<usize> {
    let item_position = if number < 0 {
        position(number, tree.children(list).count())?
    } else {
        usize::try_from(number).ok()?
    };
    tree.children(list).nth(item_position)
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse_text;
    use super::*;

    fn describe_match(syntax: Syntax, text: &str, path: &str) -> Result<String, String> {
        let tree = parse_text(syntax, text).expect("valid");
        match look_up(&tree, path).expect("a path").1 {
            Ok(Found { index, alias }) => {
                let alias = alias.map_or("", |alias| tree.written(alias));
                Ok(format!("{alias}{}", tree.scalar(index)))
            }
            Err(KeyMiss::NotFound { container, steps }) => {
                Err(format!("{} after {steps}", tree.path(container.index)))
            }
            Err(KeyMiss::Ambiguous { all, .. }) => {
                Err(all.iter().map(|&index| tree.path(index)).collect::<Vec<_>>().join(" "))
            }
        }
    }

    #[track_caller]
    fn check(text: &str, path: &str, expected: Result<&str, &str>) {
        let found = describe_match(Syntax::Yaml, text, path);
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
    fn names_in_the_document_determine_where_steps_end() {
        let text = "m:\n  app.io/name: 1\n  a.b: {c.d: 2}\n  a: {x: 3}\n\
                    \"[md]\":\n  e.w: 4\n'C:\\x': 5\n\"t\\tb\": 6\nx[0]: 7\nl: [{p.q: 8}]\n";
        check(text, "m.app.io/name", Ok("1"));
        check(text, "m.a.b.c.d", Ok("2"));
        check(text, "m.a.x", Ok("3"));
        check(text, "[md].e.w", Ok("4"));
        check(text, "\"[md]\".e.w", Ok("4"));
        check(text, r#""C:\x""#, Ok("5"));
        check(text, r#""C:\\x""#, Ok("5"));
        check(text, r#""t\tb""#, Ok("6"));
        check(text, "x[0]", Ok("7"));
        check(text, "l[0].p.q", Ok("8"));
        check(text, "m.a.b.c.e", Err("m.\"a.b\" after 2"));
        check(text, "m.a.y.z", Err("m.a after 2"));
        check(text, "m.app.io/name.x", Err("m after 1"));
        check("a: 1\n---\nb.c: 2\n", "b.c", Ok("2"));
        let tree = parse_text(Syntax::Yaml, text).expect("valid");
        assert!(look_up(&tree, "[md]x").is_err() && look_up(&tree, "").is_err());
        let (path, _) = look_up(&tree, "m.a.b.c.e").expect("a path");
        let name_step = |name: &str| Step::Name(name.to_owned());
        assert_eq!(path.steps, [name_step("m"), name_step("a.b"), name_step("c"), name_step("e")]);
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
            Err(KeyMiss::Ambiguous { all: vec![2, 3], steps: 2 })
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
