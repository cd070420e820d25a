//! Finds the keys of INI files: by a path such as `database.host`, or by the names of the section
//! and the key.
//!
//! A path does not say where the name of its section ends, so the sections of the document decide.
//! Names of sections are compared exactly. Names of keys are compared exactly, and without case if
//! no name is equal. Sections are not found by a path of a key, but by [`find_sections`].

use std::collections::HashMap;

use folio_text::ini_dialect::IniDialect;

use super::{Found, KeyMiss};
use crate::path::{KeyPath, Step, position, split_index, unquoted};
use crate::tree::{Tree, subsection};

/// Finds the key to which the steps of a path lead. They are the name of a section, the number of
/// several sections with this name, the name of the key, and the number of several such keys. All
/// but the third may be missing.
pub(super) fn find(tree: &Tree, steps: &[Step]) -> Result<Found, KeyMiss> {
    let is_name = |step: &Step| matches!(step, Step::Name(_));
    let split = steps.iter().rposition(is_name).unwrap_or(0);
    let missing = KeyMiss::NotFound { container: without_alias(Tree::ROOT), steps: 0 };
    let section = match &steps[..split] {
        [] => Tree::ROOT,
        [Step::Name(name), rest @ ..] => match (&find_sections(tree, name)[..], rest) {
            ([], _) => return Err(missing),
            (&[only], []) => only,
            (several, []) => return Err(KeyMiss::Ambiguous { all: several.to_vec(), steps: 1 }),
            (several, [Step::Index(number)]) => match position(*number, several.len()) {
                Some(index) => several[index],
                None => return Err(missing),
            },
            _ => return Err(missing),
        },
        _ => return Err(missing),
    };
    find_after(tree, section, steps, split)
}

/// Finds the key of a section to which the steps of a path lead. The first `count` steps are those
/// to the section.
pub(super) fn find_after(
    tree: &Tree,
    section: usize,
    steps: &[Step],
    count: usize,
) -> Result<Found, KeyMiss> {
    find_in(tree, section, &steps[count..]).map_err(|miss| match miss {
        KeyMiss::NotFound { container, steps } => {
            KeyMiss::NotFound { container, steps: steps + count }
        }
        KeyMiss::Ambiguous { all, steps } => KeyMiss::Ambiguous { all, steps: steps + count },
    })
}

/// Finds a key of a section, or before the first section.
pub(super) fn find_in(tree: &Tree, mapping: usize, steps: &[Step]) -> Result<Found, KeyMiss> {
    let missing = Err(KeyMiss::NotFound { container: without_alias(mapping), steps: 0 });
    let (name, number) = match steps {
        [] => return Ok(without_alias(mapping)),
        [Step::Name(name)] => (name, None),
        [Step::Name(name), Step::Index(number)] => (name, Some(*number)),
        _ => return missing,
    };
    let keys = keys_named(tree, mapping, name);
    match (&keys[..], number) {
        (&[only], None) => Ok(without_alias(only)),
        ([], _) => missing,
        // The lines of a single value have no numbers.
        (&[only], Some(_)) if tree.lines(only).count() > 1 => missing,
        (several, Some(number)) => match position(number, several.len()) {
            Some(position) => Ok(without_alias(several[position])),
            None => missing,
        },
        (_, None) => Err(KeyMiss::Ambiguous { all: keys, steps: 1 }),
    }
}

fn without_alias(index: usize) -> Found {
    Found { index, alias: None }
}

/// Returns the sections of an INI file with a name, which may be in the brackets of the marker.
pub fn find_sections(tree: &Tree, name: &str) -> Vec<usize> {
    if tree.ini_dialect().is_none() {
        return Vec::new();
    }
    let name = name.trim();
    let sections_with_name = |name: &str| -> Vec<usize> {
        tree.ini_sections().filter(|&section| tree.name(section) == Some(name)).collect()
    };
    let found = sections_with_name(name);
    let inner = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match inner {
        Some(inner) if found.is_empty() => sections_with_name(inner.trim()),
        _ => found,
    }
}

/// Returns the section of an INI file whose path is given, as [`Tree::path`] returns it.
pub(crate) fn section_at(tree: &Tree, path: &str) -> Option<usize> {
    tree.ini_dialect()?;
    tree.ini_sections().find(|&section| tree.path(section) == path)
}

/// Returns the keys of a section with a name. Ignores case if no name is exactly equal.
pub(crate) fn keys_named(tree: &Tree, mapping: usize, name: &str) -> Vec<usize> {
    let keys_where = |is_equal: &dyn Fn(&str) -> bool| -> Vec<usize> {
        tree.ini_keys(mapping).filter(|&key| tree.name(key).is_some_and(is_equal)).collect()
    };
    let exact = keys_where(&|key_name| key_name == name);
    if exact.is_empty() {
        keys_where(&|key_name| key_name.eq_ignore_ascii_case(name))
    } else {
        exact
    }
}

/// Reads the path of a key of an INI file.
pub(super) fn read_path(tree: &Tree, source: &str) -> KeyPath {
    let root = || key_steps(tree, Tree::ROOT, source);
    let has_sections = source.contains('.') && unquoted(source).is_none();
    let steps = if !has_sections || has_key(tree, Tree::ROOT, source) {
        root()
    } else if let Some((section, key)) = split_existing(tree, source) {
        let mut steps = steps_to(tree, section);
        steps.extend(key_steps(tree, section, key));
        steps
    } else if let Some((section, key)) = split_new(tree, source) {
        named_steps(tree, &section, &key)
    } else {
        root()
    };
    KeyPath { source: source.to_owned(), steps }
}

/// Returns the path of a key of a section, which is given by its index, and the number of steps that
/// lead to the section.
pub(super) fn path_within(tree: &Tree, section: usize, key: &str) -> (KeyPath, usize) {
    let mut steps = if section == Tree::ROOT { Vec::new() } else { steps_to(tree, section) };
    let count = steps.len();
    steps.extend(key_steps(tree, section, key));
    let source = match tree.name(section) {
        Some(name) => format!("{name}.{key}"),
        None => key.to_owned(),
    };
    (KeyPath { source, steps }, count)
}

/// Returns the path of a key of a section, given their names. The section may be given as a name
/// with or without brackets, or as `Peer[2]`, the second of several sections.
pub(super) fn path_in(tree: &Tree, section: &str, key: &str) -> KeyPath {
    let steps = named_steps(tree, section, key);
    KeyPath { source: format!("{section}.{key}"), steps }
}

fn named_steps(tree: &Tree, section: &str, key: &str) -> Vec<Step> {
    let mut steps = section_steps(tree, section);
    let matching_sections = |steps: &[Step]| match steps {
        [Step::Name(name)] => find_sections(tree, name),
        [Step::Name(name), Step::Index(number)] => {
            let sections = find_sections(tree, name);
            position(*number, sections.len()).map(|index| sections[index]).into_iter().collect()
        }
        _ => Vec::new(),
    };
    match matching_sections(&steps).first() {
        Some(&section) => steps.extend(key_steps(tree, section, key)),
        None => steps.push(Step::Name(unquoted(key).unwrap_or_else(|| key.to_owned()))),
    }
    steps
}

/// Returns the steps for the name of a section, which may have a number, counted from 1.
fn section_steps(tree: &Tree, name: &str) -> Vec<Step> {
    let exists = |name: &str| !find_sections(tree, name).is_empty();
    let single_step = || vec![Step::Name(name.to_owned())];
    if exists(name) {
        return single_step();
    }
    match split_index(name) {
        // In EditorConfig, `x[12]` may be the name of a new section.
        Some((base, number))
            if tree.ini_dialect() != Some(IniDialect::Line) || exists(base.trim_end()) =>
        {
            // No section has the number 0 or a negative one.
            let index = if number > 0 { number - 1 } else { i64::MAX };
            vec![Step::Name(base.trim_end().to_owned()), Step::Index(index)]
        }
        _ => single_step(),
    }
}

fn steps_to(tree: &Tree, section: usize) -> Vec<Step> {
    let name = tree.name(section).unwrap_or_default();
    let sections = find_sections(tree, name);
    let number = sections.iter().position(|&section_index| section_index == section).unwrap_or(0);
    let index = (sections.len() > 1).then_some(Step::Index(number as i64));
    std::iter::once(Step::Name(name.to_owned())).chain(index).collect()
}

/// Returns the steps for the name of a key in a section. A name in quotes is exactly the text
/// between them, unless the quotes are part of the name of an existing key. `host[1]` is the second
/// of several keys `host`.
fn key_steps(tree: &Tree, mapping: usize, key: &str) -> Vec<Step> {
    let exists = |name: &str| !keys_named(tree, mapping, name).is_empty();
    let name_step = |name: &str| Step::Name(name.to_owned());
    if exists(key) {
        return vec![name_step(key)];
    }
    if let Some(inner_name) = unquoted(key) {
        return vec![name_step(&inner_name)];
    }
    if let Some((base, number)) = split_index(key) {
        let inner_name = unquoted(base).filter(|_| !exists(base));
        let base = inner_name.as_deref().unwrap_or(base);
        if exists(base) {
            return vec![name_step(base), Step::Index(number)];
        }
    }
    vec![name_step(key)]
}

/// Whether a section contains a key, possibly several times.
fn has_key(tree: &Tree, mapping: usize, key: &str) -> bool {
    let found = find_in(tree, mapping, &key_steps(tree, mapping, key));
    !matches!(found, Err(KeyMiss::NotFound { .. }))
}

/// A way to divide the path of a key: a section whose name begins the path, and the rest.
struct Division<'p> {
    section: usize,
    /// The length of the name in the path.
    length: usize,
    key: &'p str,
}

/// Divides a path into an existing section and a key. Prefers a section that contains the key, then
/// the section with the longest name. If several sections have the name, the key must be in exactly
/// one of them.
fn split_existing<'p>(tree: &Tree, path: &'p str) -> Option<(usize, &'p str)> {
    let divisions = divisions(tree, path);
    let mut found = None;
    for same in divisions.chunk_by(|division, next| division.length == next.length) {
        let with_key: Vec<_> =
            same.iter().filter(|division| has_key(tree, division.section, division.key)).collect();
        match (&with_key[..], same) {
            ([division], _) => return Some((division.section, division.key)),
            ([], [division]) => {
                let has_dots = |key: usize| tree.name(key).is_some_and(|name| name.contains('.'));
                // Dots in the name of a new key belong to the section, unless keys have dots.
                let may_be_new = !division.key.contains('.')
                    || unquoted(division.key).is_some()
                    || tree.ini_keys(division.section).any(has_dots);
                found = found.or(may_be_new.then_some((division.section, division.key)));
            }
            _ => {}
        }
    }
    found
}

/// Returns the ways to divide a path after the name of a section, longest names first.
fn divisions<'p>(tree: &Tree, path: &'p str) -> Vec<Division<'p>> {
    let divide_after = |section: usize| {
        let rest = after_section(path, tree.name(section)?)?;
        let (rest, number) =
            match rest.strip_prefix('[').and_then(|bracketed| bracketed.split_once(']')) {
                Some((number, after)) => (after, Some(number.parse::<usize>().ok()?)),
                None => (rest, None),
            };
        let key = rest.strip_prefix('.').filter(|key| !key.is_empty())?;
        Some((Division { section, length: path.len() - rest.len(), key }, number))
    };
    // `Peer[2]` is the second section `Peer`.
    let mut count = HashMap::new();
    let has_number = |(division, number): &(Division<'p>, Option<usize>)| {
        let count = count.entry(division.length).or_insert(0);
        *count += 1;
        number.is_none_or(|number| number == *count)
    };
    let all = tree.ini_sections().filter_map(divide_after);
    let mut divisions: Vec<_> = all.filter(has_number).map(|(division, _)| division).collect();
    divisions.sort_by_key(|division| std::cmp::Reverse(division.length));
    divisions
}

/// Returns the rest of a path that begins with the name of a section, which may be in quotes. The
/// path of git's `[remote "origin"]` is `remote.origin`.
fn after_section<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    let ends_name = |rest: &&str| rest.starts_with(['.', '[']);
    let after_name = |path: &'p str, name: &str| {
        let quoted = |(open, close): &(&str, &str)| {
            path.strip_prefix(open)?.strip_prefix(name)?.strip_prefix(close).filter(ends_name)
        };
        [("", ""), ("\"", "\""), ("'", "'"), ("[\"", "\"]")].iter().find_map(quoted)
    };
    let after_subsection = || {
        let (first, rest) = subsection(name)?;
        after_name(path.strip_prefix(first)?.strip_prefix('.')?, rest)
    };
    (!name.is_empty()).then(|| after_name(path, name).or_else(after_subsection))?
}

/// Divides the path of a key into the names of its section and the key, for a section that does not
/// exist or is not unique. The names of git's subsections are quoted, if the file has any. A name
/// in quotes that contains brackets is returned in those of its marker: it has no number.
///
/// Returns `None` for a name without dots, and if dots are part of the names of keys before the
/// first section, or may be because no section exists.
fn split_new(tree: &Tree, path: &str) -> Option<(String, String)> {
    let dialect = tree.ini_dialect()?;
    let has_keys = tree.nodes.len() > 1;
    let may_have_dots = match dialect {
        IniDialect::Git | IniDialect::Systemd | IniDialect::Line | IniDialect::Python => false,
        IniDialect::Org => false,
        IniDialect::Npm | IniDialect::AsciiDoc | IniDialect::Rst => true,
        IniDialect::Indented | IniDialect::Unknown => {
            tree.has_dotted_key() || tree.ini_sections().next().is_none() && has_keys
        }
    };
    if may_have_dots {
        return None;
    }
    let (section, key) = split_last(path)?;
    let key = key.to_owned();
    if let Some(name) = unquoted(section).filter(|name| name.contains(['[', ']'])) {
        return Some((format!("[{name}]"), key));
    }
    let names = names(section);
    let is_subsection = |section| tree.name(section).is_some_and(|name| name.contains(" \""));
    let section = match &names[..] {
        [first, rest @ ..]
            if !rest.is_empty()
                && (dialect == IniDialect::Git || tree.ini_sections().any(is_subsection)) =>
        {
            format!("[{first} \"{}\"]", rest.join("."))
        }
        names => names.join("."),
    };
    Some((section, key))
}

/// Splits a path before its last name, which may be in quotes, or end in brackets such as those of
/// `Name[de]` in desktop entries.
fn split_last(path: &str) -> Option<(&str, &str)> {
    let end = match path.strip_suffix(['"', '\'']) {
        Some(inner) => path[..inner.len()].rfind(&path[inner.len()..])?,
        None => path.strip_suffix(']').and_then(|inner| inner.rfind('[')).unwrap_or(path.len()),
    };
    let at = path[..end].rfind('.')?;
    let (section, key) = (&path[..at], &path[at + 1..]);
    let is_empty = section.is_empty() || at + 1 == end && key.starts_with('[') || key.is_empty();
    (!is_empty).then_some((section, key))
}

/// Returns the names in the path of a section. If it is not a path of names, it is one name.
fn names(section: &str) -> Vec<String> {
    let name = |step| match step {
        Step::Name(name) => Some(name),
        _ => None,
    };
    let steps = KeyPath::parse(section).map(|path| path.steps).unwrap_or_default();
    let names: Option<Vec<String>> = steps.into_iter().map(name).collect();
    names.filter(|names| !names.is_empty()).unwrap_or_else(|| vec![section.to_owned()])
}

#[cfg(test)]
mod tests {
    use super::super::{look_up, look_up_in};
    use super::*;
    use crate::ini::parse;

    /// Describes the entry at a path by its line, or the steps of a path that leads to none.
    fn describe_entry(dialect: IniDialect, text: &str, path: &str) -> String {
        let tree = parse(dialect, text).expect("a document");
        let (path, found) = look_up(&tree, path).expect("a path");
        describe(&tree, &path, found)
    }

    fn describe(tree: &Tree, path: &KeyPath, found: Result<Found, KeyMiss>) -> String {
        let line = |index: usize| tree.lines(index).start().to_string();
        let step = |step: &Step| match step {
            Step::Name(name) => name.clone(),
            Step::Index(number) => format!("[{number}]"),
            Step::Where { .. } => "[=]".to_owned(),
        };
        match found {
            Ok(found) => line(found.index),
            Err(KeyMiss::Ambiguous { all, .. }) => {
                all.into_iter().map(line).collect::<Vec<_>>().join(" or ")
            }
            Err(KeyMiss::NotFound { container, steps }) => {
                let container = match container.index {
                    Tree::ROOT => "root".to_owned(),
                    section => line(section),
                };
                let rest: Vec<String> = path.steps[steps..].iter().map(step).collect();
                format!("{container}: {}", rest.join(" > "))
            }
        }
    }

    #[track_caller]
    fn check(text: &str, paths: &[(&str, &str)]) {
        for (path, expected) in paths {
            assert_eq!(describe_entry(IniDialect::Indented, text, path), *expected, "{path}");
        }
    }

    #[test]
    fn keys_before_the_first_section_come_first() {
        check("[a]\nb = 1\n", &[("a.b", "2"), ("a", "root: a"), ("b", "root: b")]);
        check("a.b = 1\n[a]\nb = 1\n", &[("a.b", "1"), ("\"a\".b", "3")]);
        check("a.b = 1\na.b = 2\n[a]\nb = 1\n", &[("a.b", "1 or 2"), ("a.b[1]", "2")]);
    }

    #[test]
    fn a_key_of_a_repeated_section_is_found_if_it_is_unique() {
        let text = "[a]\nx = 1\n[a]\ny = 2\nz = 3\n[a]\nz = 4\n";
        check(text, &[("a.x", "2"), ("a.y", "4"), ("a.z", "1 or 3 or 6"), ("a.n", "1 or 3 or 6")]);
        check(text, &[("a[3].z", "7"), ("a[2].n", "3: n")]);
    }

    #[test]
    fn names_of_sections_determine_where_they_end_in_a_path() {
        let globs = "[*]\na = 1\n[*.[ch]]\nb = 1\n[{a,[bc]}.py]\nc = 1\n[x[1]]\nd = 1\n";
        check(
            globs,
            &[
                ("*.a", "2"),
                ("*.[ch].b", "4"),
                ("*.[ch].new", "3: new"),
                ("\"*.[ch]\".b", "4"),
                ("[\"*.[ch]\"].b", "4"),
                ("{a,[bc]}.py.c", "6"),
                ("x[1].d", "8"),
                ("*.[co].b", "root: *.[co] > b"),
                ("\"*.[ch].b\"", "root: *.[ch].b"),
            ],
        );
        let peers = "[Peer]\nk = 1\n[I]\nk = 1\n[Peer]\nk = 2\nl = 3\n";
        check(
            peers,
            &[
                ("Peer[1].k", "2"),
                ("Peer[2].k", "6"),
                ("Peer[1].l", "1: l"),
                ("Peer.l", "7"),
                ("I[1].n", "3: n"),
                ("Peer[0].k", &format!("root: Peer > [{}] > k", i64::MAX)),
                ("Peer[3].k", "root: Peer > [2] > k"),
                ("Other[2].k", "root: Other > [1] > k"),
                ("'Peer[2]'.k", "root: [Peer[2]] > k"),
                ("Peer.k", "1 or 5"),
            ],
        );
        let git = "[branch \"a.b\"]\n\tmerge = x\n[a]\nb.c = 1\n";
        check(
            git,
            &[
                ("branch.a.b.merge", "2"),
                ("branch.\"a.b\".merge", "2"),
                ("a.b.c", "4"),
                ("a.\"b.c\"", "4"),
                ("a.\"x.y\"", "3: x.y"),
                ("a.x.y", "3: x.y"),
            ],
        );
        assert_eq!(describe_entry(IniDialect::Line, globs, "file[12].x"), "root: file[12] > x");
    }

    #[test]
    fn names_in_quotes_are_plain() {
        let text = "a = 1\n\"b\" = 2\n//r/:c = 3\n";
        for (path, expected) in
            [("\"a\"", "1"), ("\"b\"", "2"), ("\"n.m\"", "root: n.m"), ("//r/:c", "3")]
        {
            assert_eq!(describe_entry(IniDialect::Npm, text, path), expected, "{path}");
        }
    }

    #[test]
    fn a_path_of_a_new_key_names_its_section() {
        for (text, path, expected) in [
            ("[u]\nn = 1\n", "core.editor", "core > editor"),
            ("", "core.editor", "core > editor"),
            ("[a \"b\"]\n", "x.y.z", "[x \"y\"] > z"),
            ("[a.b]\n", "x.y.z", "x.y > z"),
            ("[a]\n", "*.[ch].z", "*.[ch] > z"),
            ("[a]\n", "x.'y.z'", "x > y.z"),
            ("[a]\n", "x y.z[de]", "x y > z[de]"),
            ("[a]\n", "\"x.y\".z", "x.y > z"),
            ("[a]\n", "\"a[2]\".z", "[a[2]] > z"),
            ("[a]\n", "x.\"z[1]\"", "x > z[1]"),
            ("a.b = 1\n", "a.c", "a.c"),
            ("a = 1\n", "b.c", "b.c"),
            ("", "x", "x"),
            ("", "'x.y'", "x.y"),
            ("", "x.", "x."),
        ] {
            let found = describe_entry(IniDialect::Indented, text, path);
            assert_eq!(found, format!("root: {expected}"), "{path}");
        }
        assert_eq!(describe_entry(IniDialect::Git, "a = 1\n", "x.y.z"), "root: [x \"y\"] > z");
        assert_eq!(describe_entry(IniDialect::Npm, "", "x.y"), "root: x.y");
    }

    #[test]
    fn keys_may_be_repeated() {
        let text = "top = 1\n[db]\nhost = a\nhost = b\nport = 1\nlist =\n  x\n  y\n";
        let tree = parse(IniDialect::Indented, text).expect("a document");
        let in_section = |section: &str, key: &str| {
            let (path, found) = look_up_in(&tree, section, key);
            describe(&tree, &path, found)
        };
        for (key, expected) in [
            ("port", "5"),
            ("PORT", "5"),
            ("host[1]", "4"),
            ("host[0]", "3"),
            ("host[-2]", "3"),
            ("host[2]", "2: host > [2]"),
            ("\"host\"[1]", "4"),
            ("\"host[1]\"", "2: host[1]"),
            ("host", "3 or 4"),
            ("prt", "2: prt"),
            ("port[0]", "5"),
            ("list[0]", "2: list > [0]"),
        ] {
            assert_eq!(in_section("db", key), expected, "{key}");
            assert_eq!(in_section("[db]", key), expected, "{key}");
        }
        assert_eq!(in_section("DB", "port"), "root: DB > port");
        assert_eq!(in_section("db[2]", "port"), "root: db > [1] > port");
        check(text, &[("top", "1"), ("TOP", "1"), ("db.Host[1]", "4")]);
        // Another case is another key if both exist.
        check("a = 1\nA = 2\n", &[("a", "1"), ("A", "2")]);
    }

    #[test]
    fn paths_of_entries_select_them() {
        let text = "top = 1\n[a]\nb = 1\nb = 2\nc.d = 3\n[a.c]\nd = 1\n[r \"o\"]\nu = 1\n\
                    [r \"x.y\"]\nu[1] = 2\n[a]\nn = 1\n";
        let tree = parse(IniDialect::Indented, text).expect("a document");
        let paths: Vec<String> = (1..tree.nodes.len()).map(|index| tree.path(index)).collect();
        let expected = [
            "top",
            "a[1]",
            "a[1].b[0]",
            "a[1].b[1]",
            "a[1].\"c.d\"",
            "\"a.c\"",
            "\"a.c\".d",
            "r.o",
            "r.o.u",
            "r.\"x.y\"",
            "r.\"x.y\".\"u[1]\"",
            "a[2]",
            "a[2].n",
        ];
        assert_eq!(paths, expected);
        for (index, path) in (1..).zip(&paths) {
            let (_, found) = look_up(&tree, path).expect("a path");
            let found = found.ok().map(|found| found.index);
            assert_eq!(found.or_else(|| section_at(&tree, path)), Some(index), "{path}");
        }
    }
}
