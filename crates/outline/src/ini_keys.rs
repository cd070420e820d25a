//! Finds the keys of INI files by name or by path.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::outline::{IniKey, Outline};
use folio_keys::KeyPath;
use folio_keys::path::{Step, position, split_index, unquoted};
use folio_text::fuzzy::name::nearest;
use folio_text::ini_dialect::IniDialect;
use folio_text::span::LineRange;

/// Why a name does not identify a single key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyMiss {
    /// The section has no such key. The value contains the most similar names.
    NotFound(Vec<String>),
    /// The section contains the key several times, on these lines.
    Ambiguous(Vec<LineRange>),
}

/// Finds a key in an INI section or before the first section. `host[1]` is the second of several
/// keys `host`. The name may be in quotes, see [`plain_name`]; a number in quotes is part of it.
///
/// # Errors
///
/// Fails if the key does not exist or is ambiguous.
pub fn find_key<'a>(
    outline: &'a Outline,
    section: Option<usize>,
    name: &str,
) -> Result<&'a IniKey, KeyMiss> {
    let plain = plain_name(outline, section, name);
    let (name, is_exact) = (&*plain, matches!(plain, Cow::Owned(_)));
    let keys = outline.keys_of(section);
    let named = |name: &str| named(keys, name);
    match named(name)[..] {
        [key] => return Ok(key),
        [] => {}
        ref several => {
            return Err(KeyMiss::Ambiguous(several.iter().map(|key| key.lines).collect()));
        }
    }
    if !is_exact && let Some((base, number)) = split_index(name) {
        let several = named(base);
        // The lines of a single value have no numbers.
        let is_list = matches!(several[..], [only] if only.lines.count() > 1);
        if let Some(at) = position(number, several.len()).filter(|_| !is_list) {
            return Ok(several[at]);
        }
    }
    let mut names: Vec<&str> = keys.iter().map(|key| key.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let wanted = split_index(name).map_or(name, |(base, _)| base);
    let nearest = nearest(wanted, names.iter().copied(), 5);
    Err(KeyMiss::NotFound(nearest.into_iter().map(|at| names[at].to_owned()).collect()))
}

/// Returns the keys with a name. Ignores case if no name is exactly equal.
fn named<'a>(keys: &'a [IniKey], name: &str) -> Vec<&'a IniKey> {
    let exact: Vec<_> = keys.iter().filter(|key| key.name == name).collect();
    if !exact.is_empty() {
        return exact;
    }
    keys.iter().filter(|key| key.name.eq_ignore_ascii_case(name)).collect()
}

/// Returns the name of a key of a section without the quotes around it, unless the quotes are part
/// of the name of an existing key.
pub fn plain_name<'n>(outline: &Outline, section: Option<usize>, name: &'n str) -> Cow<'n, str> {
    match unquoted(name) {
        Some(inner) if named(outline.keys_of(section), name).is_empty() => Cow::Owned(inner),
        _ => Cow::Borrowed(name),
    }
}

/// Returns the name of a key as [`find_key`] expects it, without the quotes that it does not need.
pub fn exact_name<'n>(outline: &Outline, section: Option<usize>, name: &'n str) -> Cow<'n, str> {
    let plain = plain_name(outline, section, name);
    if split_index(&plain).is_some() { Cow::Borrowed(name) } else { plain }
}

/// Returns the name of a new key without the quotes that [`exact_name`] keeps.
pub fn new_name(name: &str) -> Cow<'_, str> {
    match unquoted(name).filter(|inner| split_index(inner).is_some()) {
        Some(inner) => Cow::Owned(inner),
        None => Cow::Borrowed(name),
    }
}

/// A way to divide the path of a key: a section whose name begins the path, and the rest.
struct Division<'p> {
    section: usize,
    /// The length of the name in the path.
    length: usize,
    key: &'p str,
}

/// Splits the path of an INI key, such as `database.host`, `remote.origin.url`, `*.[ch].tab_width`
/// or `Peer[2].Key`, into the index of its section and its name. The names of existing sections
/// determine where the name of the section ends. If the path can be split in several ways, prefers
/// a section that contains the key, then the section with the longest name.
///
/// If several sections have the name, the key must be in exactly one of them. Returns `None` for a
/// name without dots or in quotes, if there is no such section, or if such a key exists before the
/// first section.
pub fn split_key(outline: &Outline, path: &str) -> Option<(usize, String)> {
    let is_absent =
        |section, key: &str| matches!(find_key(outline, section, key), Err(KeyMiss::NotFound(_)));
    if !path.contains('.') || unquoted(path).is_some() || !is_absent(None, path) {
        return None;
    }
    let divisions = divisions(outline, path);
    let mut found = None;
    for same in divisions.chunk_by(|one, other| one.length == other.length) {
        let has_key = |own: &&Division<'_>| !is_absent(Some(own.section), own.key);
        let with_key: Vec<_> = same.iter().filter(has_key).collect();
        match (&with_key[..], same) {
            ([own], _) => return Some((own.section, own.key.to_owned())),
            ([], [own]) => {
                let keys = outline.keys_of(Some(own.section));
                let has_dots = || keys.iter().any(|other| other.name.contains('.'));
                if !own.key.contains('.') || unquoted(own.key).is_some() || has_dots() {
                    found = found.or(Some((own.section, own.key.to_owned())));
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns the ways to divide a path after the name of a section, longest names first.
fn divisions<'p>(outline: &Outline, path: &'p str) -> Vec<Division<'p>> {
    let division = |section: usize| {
        let marker = outline.marker(section);
        let inner = marker.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]"));
        let name = String::from_utf8_lossy(inner.unwrap_or(marker));
        let rest = after_section(path, name.trim())?;
        let (rest, number) = match rest.strip_prefix('[').and_then(|own| own.split_once(']')) {
            Some((number, after)) => (after, Some(number.parse::<usize>().ok()?)),
            None => (rest, None),
        };
        let key = rest.strip_prefix('.').filter(|key| !key.is_empty())?;
        Some((Division { section, length: path.len() - rest.len(), key }, number))
    };
    let all = (0..outline.sections().len()).filter_map(division);
    // `Peer[2]` is the second section `Peer`.
    let mut count = HashMap::new();
    let is_own = |(own, number): &(Division<'p>, Option<usize>)| {
        let count = count.entry(own.length).or_insert(0);
        *count += 1;
        number.is_none_or(|number| number == *count)
    };
    let mut divisions: Vec<_> = all.filter(is_own).map(|(own, _)| own).collect();
    divisions.sort_by_key(|own| std::cmp::Reverse(own.length));
    divisions
}

/// Returns the rest of a path that begins with the name of a section, which may be in quotes. The
/// path of git's `[remote "origin"]` is `remote.origin`.
fn after_section<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    let is_end = |rest: &&str| rest.starts_with(['.', '[']);
    let within = |path: &'p str, name: &str| {
        let quoted = |(open, close): &(&str, &str)| {
            path.strip_prefix(open)?.strip_prefix(name)?.strip_prefix(close).filter(is_end)
        };
        [("", ""), ("\"", "\""), ("'", "'"), ("[\"", "\"]")].iter().find_map(quoted)
    };
    let subsection = || {
        let (first, rest) = name.split_once(" \"")?;
        within(path.strip_prefix(first)?.strip_prefix('.')?, rest.strip_suffix('"')?)
    };
    (!name.is_empty()).then(|| within(path, name).or_else(subsection))?
}

/// Splits the path of a key into the names of its section and the key, for a section that does not
/// exist or is not unique. The names of git's subsections are quoted, if the file has any. A name
/// in quotes that contains brackets is returned in those of its marker: it has no number.
///
/// Returns `None` for a name without dots or in quotes, and if dots are part of the names of keys
/// before the first section, or may be because no section exists.
pub fn split_new(outline: &Outline, path: &str) -> Option<(String, String)> {
    let dialect = outline.format().ini_dialect();
    let keys = outline.keys();
    let is_dotted = |key: &IniKey| key.section.is_none() && key.name.contains('.');
    let may_have_dots = match dialect {
        IniDialect::Git | IniDialect::Systemd | IniDialect::Line | IniDialect::Python => false,
        IniDialect::Npm => true,
        IniDialect::Indented | IniDialect::Unknown => {
            keys.iter().any(is_dotted) || (outline.sections().is_empty() && !keys.is_empty())
        }
    };
    if may_have_dots || unquoted(path).is_some() {
        return None;
    }
    let (section, key) = split_last(path)?;
    let key = match unquoted(key) {
        Some(inner) if split_index(&inner).is_none() => inner,
        _ => key.to_owned(),
    };
    if let Some(name) = unquoted(section).filter(|name| name.contains(['[', ']'])) {
        return Some((format!("[{name}]"), key));
    }
    let names = names(section);
    let is_subsection = |index| memchr::memmem::find(&outline.text(index), b" \"").is_some();
    let section = match &names[..] {
        [first, rest @ ..]
            if !rest.is_empty()
                && (dialect == IniDialect::Git
                    || (0..outline.sections().len()).any(is_subsection)) =>
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
    use super::*;
    use crate::format::Format;
    use crate::outline::Wants;

    #[test]
    fn a_repeated_key_before_the_first_section_is_not_split() {
        let split = |text: &str| {
            let outline = Outline::of(text.as_bytes(), Format::INI, Wants::everything());
            split_key(&outline, "a.b")
        };
        assert_eq!(split("[a]\nb = 1\n"), Some((0, "b".to_owned())));
        assert_eq!(split("a.b = 1\n[a]\nb = 1\n"), None);
        assert_eq!(split("a.b = 1\na.b = 2\n[a]\nb = 1\n"), None);
    }

    #[test]
    fn a_key_of_a_repeated_section_is_split_if_it_is_unique() {
        let text = "[a]\nx = 1\n[a]\ny = 2\nz = 3\n[a]\nz = 4\n";
        let outline = Outline::of(text.as_bytes(), Format::INI, Wants::everything());
        assert_eq!(split_key(&outline, "a.x"), Some((0, "x".to_owned())));
        assert_eq!(split_key(&outline, "a.y"), Some((1, "y".to_owned())));
        assert_eq!([split_key(&outline, "a.z"), split_key(&outline, "a.n")], [None, None]);
    }

    #[track_caller]
    fn check(format: Format, text: &str, path: &str, expected: Option<(u64, &str)>) {
        let outline = Outline::of(text.as_bytes(), format, Wants::everything());
        let found = split_key(&outline, path);
        let line = |section: usize| outline.sections()[section].lines().start();
        let found = found.as_ref().map(|(section, key)| (line(*section), key.as_str()));
        assert_eq!(found, expected, "{path}");
    }

    #[test]
    fn names_of_sections_determine_where_they_end_in_a_path() {
        let globs = "[*]\na = 1\n[*.[ch]]\nb = 1\n[{a,[bc]}.py]\nc = 1\n[x[1]]\nd = 1\n";
        for (path, expected) in [
            ("*.a", Some((1, "a"))),
            ("*.[ch].b", Some((3, "b"))),
            ("*.[ch].new", Some((3, "new"))),
            ("\"*.[ch]\".b", Some((3, "b"))),
            ("[\"*.[ch]\"].b", Some((3, "b"))),
            ("{a,[bc]}.py.c", Some((5, "c"))),
            ("x[1].d", Some((7, "d"))),
            ("*.[co].b", None),
            ("\"*.[ch].b\"", None),
        ] {
            check(Format::INI, globs, path, expected);
        }
        let peers = "[Peer]\nk = 1\n[I]\nk = 1\n[Peer]\nk = 2\nl = 3\n";
        for (path, expected) in [
            ("Peer[1].k", Some((1, "k"))),
            ("Peer[2].k", Some((5, "k"))),
            ("Peer[1].l", Some((1, "l"))),
            ("Peer.l", Some((5, "l"))),
            ("I[1].n", Some((3, "n"))),
            ("Peer[0].k", None),
            ("Peer[3].k", None),
            ("Peer.k", None),
        ] {
            check(Format::INI, peers, path, expected);
        }
        let git = "[branch \"a.b\"]\n\tmerge = x\n[a]\nb.c = 1\n";
        for (path, expected) in [
            ("branch.a.b.merge", Some((1, "merge"))),
            ("branch.\"a.b\".merge", Some((1, "merge"))),
            ("a.b.c", Some((3, "b.c"))),
            ("a.\"b.c\"", Some((3, "\"b.c\""))),
            ("a.\"x.y\"", Some((3, "\"x.y\""))),
        ] {
            check(Format::INI, git, path, expected);
        }
    }

    #[test]
    fn names_in_quotes_are_plain() {
        let text = "a = 1\n\"b\" = 2\n//r/:c = 3\n";
        let outline = Outline::of(text.as_bytes(), Format::INI, Wants::everything());
        let line = |name| find_key(&outline, None, name).map(|key| key.lines.start());
        assert_eq!([line("\"a\""), line("\"b\"")], [Ok(1), Ok(2)]);
        assert_eq!(plain_name(&outline, None, "\"n.m\""), "n.m");
        assert_eq!(plain_name(&outline, None, "\"b\""), "\"b\"");
    }

    #[test]
    fn a_path_of_a_new_key_names_its_section() {
        let split = |text: &str, path: &str| {
            let outline = Outline::of(text.as_bytes(), Format::INI, Wants::everything());
            split_new(&outline, path).map(|(section, key)| format!("{section} {key}"))
        };
        assert_eq!(split("[u]\nn = 1\n", "core.editor").as_deref(), Some("core editor"));
        assert_eq!(split("", "core.editor").as_deref(), Some("core editor"));
        assert_eq!(split("[a \"b\"]\n", "x.y.z").as_deref(), Some("[x \"y\"] z"));
        assert_eq!(split("[a.b]\n", "x.y.z").as_deref(), Some("x.y z"));
        assert_eq!(split("[a]\n", "*.[ch].z").as_deref(), Some("*.[ch] z"));
        assert_eq!(split("[a]\n", "x.'y.z'").as_deref(), Some("x y.z"));
        assert_eq!(split("[a]\n", "x y.z[de]").as_deref(), Some("x y z[de]"));
        assert_eq!(split("[a]\n", "\"x.y\".z").as_deref(), Some("x.y z"));
        assert_eq!(split("[a]\n", "\"a[2]\".z").as_deref(), Some("[a[2]] z"));
        assert_eq!(split("[a]\n", "a[2].z").as_deref(), Some("a[2] z"));
        assert_eq!(split("[a]\n", "x.\"z[1]\"").as_deref(), Some("x \"z[1]\""));
        assert_eq!(
            [
                split("a.b = 1\n", "a.c"),
                split("a = 1\n", "b.c"),
                split("", "x"),
                split("", "'x.y'"),
                split("", "x."),
            ],
            [const { None }; 5]
        );
    }

    #[test]
    fn keys_may_be_repeated() {
        let text = "top = 1\n[db]\nhost = a\nhost = b\nport = 1\n";
        let outline = Outline::of(text.as_bytes(), Format::INI, Wants::everything());
        let line = |section, name| find_key(&outline, section, name).map(|key| key.lines.start());
        assert_eq!(line(None, "top"), Ok(1));
        assert_eq!(line(Some(0), "port"), Ok(5));
        assert_eq!(line(Some(0), "host[1]"), Ok(4));
        assert_eq!([line(Some(0), "host[0]"), line(Some(0), "host[-2]")], [Ok(3), Ok(3)]);
        assert!(matches!(line(Some(0), "host[2]"), Err(KeyMiss::NotFound(_))));
        assert!(matches!(line(Some(0), "\"host[1]\""), Err(KeyMiss::NotFound(_))));
        let exact = |name| exact_name(&outline, Some(0), name).into_owned();
        assert_eq!([exact("\"host[1]\""), exact("\"x.y\"")], ["\"host[1]\"", "x.y"]);
        assert_eq!([new_name("\"host[1]\""), new_name("\"x\"")], ["host[1]", "\"x\""]);
        assert!(
            matches!(line(Some(0), "host"), Err(KeyMiss::Ambiguous(lines)) if lines.len() == 2)
        );
        assert_eq!(line(Some(0), "prt"), Err(KeyMiss::NotFound(vec!["port".to_owned()])));
    }
}
