//! Finds the keys of INI files by name or by path.

use super::fuzzy::name::nearest;
use super::ini_dialect::IniDialect;
use super::keys::KeyPath;
use super::keys::path::{Step, position, split_index};
use super::outline::{IniKey, Outline};
use super::span::LineRange;

/// Why a name does not identify a single key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyMiss {
    /// The section has no such key. The value contains the most similar names.
    NotFound(Vec<String>),
    /// The section contains the key several times, on these lines.
    Ambiguous(Vec<LineRange>),
}

/// Finds a key in an INI section or before the first section. `host[1]` is the second of several
/// keys `host`.
///
/// # Errors
///
/// Fails if the key does not exist or is ambiguous.
pub fn find_key<'a>(
    outline: &'a Outline,
    section: Option<usize>,
    name: &str,
) -> Result<&'a IniKey, KeyMiss> {
    let keys = outline.keys_of(section);
    let named = |name: &str| -> Vec<&'a IniKey> {
        let exact: Vec<_> = keys.iter().filter(|key| key.name == name).collect();
        if !exact.is_empty() {
            return exact;
        }
        keys.iter().filter(|key| key.name.eq_ignore_ascii_case(name)).collect()
    };
    match named(name)[..] {
        [key] => return Ok(key),
        [] => {}
        ref several => {
            return Err(KeyMiss::Ambiguous(several.iter().map(|key| key.lines).collect()));
        }
    }
    if let Some((base, number)) = split_index(name) {
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

/// Splits the path of an INI key, such as `database.host` or `remote.origin.url`, into the index
/// of its section and its name. If the path can be split in several ways, prefers a section that
/// contains the key, then the section with the longest name.
///
/// If several sections have the name, the key must be in exactly one of them. Returns `None` for a
/// name without dots, if there is no such section, or if such a key exists before the first
/// section.
pub fn split_key(outline: &Outline, path: &str) -> Option<(usize, String)> {
    let is_absent = || matches!(find_key(outline, None, path), Err(KeyMiss::NotFound(_)));
    if !path.contains('.') || !is_absent() {
        return None;
    }
    let (names, number) = names(path)?;
    let mut found = None;
    for count in (1..names.len()).rev() {
        let (section, key) = (names[..count].join("."), names[count..].join(".") + &number);
        // git calls the subsection `[remote "origin"]` `remote.origin`.
        let subsection = format!("[{} \"{}\"]", names[0], names[1..count].join("."));
        let section = format!("[{section}]");
        let is_named = |&index: &usize| {
            let marker = outline.text(index);
            *marker == *section.as_bytes() || *marker == *subsection.as_bytes()
        };
        let sections: Vec<usize> = (0..outline.sections().len()).filter(is_named).collect();
        let has_key = |&&index: &&usize| {
            !matches!(find_key(outline, Some(index), &key), Err(KeyMiss::NotFound(_)))
        };
        let with_key: Vec<&usize> = sections.iter().filter(has_key).collect();
        match (&with_key[..], &sections[..]) {
            ([index], _) => return Some((**index, key)),
            ([], [index]) => {
                let own = outline.keys_of(Some(*index));
                let has_dots = || own.iter().any(|other| other.name.contains('.'));
                if count + 1 == names.len() || has_dots() {
                    found = found.or(Some((*index, key)));
                }
            }
            _ => {}
        }
    }
    found
}

/// Splits the path of a key into the names of its section and the key, for a section that does not
/// exist or is not unique. The names of git's subsections are quoted, if the file has any.
///
/// Returns `None` for a name without dots, and if dots are part of the names of keys before the
/// first section, or may be because no section exists.
pub fn split_new(outline: &Outline, path: &str) -> Option<(String, String)> {
    let keys = outline.keys();
    let is_dotted = |key: &IniKey| key.section.is_none() && key.name.contains('.');
    if keys.iter().any(is_dotted) || (outline.sections().is_empty() && !keys.is_empty()) {
        return None;
    }
    let (names, number) = names(path)?;
    let (key, section) = names.split_last()?;
    let is_git = outline.format().ini_dialect() == IniDialect::Git;
    let is_subsection = |index| memchr::memmem::find(&outline.text(index), b" \"").is_some();
    let section = match section {
        [] => return None,
        [first, rest @ ..]
            if !rest.is_empty() && (is_git || (0..outline.sections().len()).any(is_subsection)) =>
        {
            format!("[{first} \"{}\"]", rest.join("."))
        }
        names => names.join("."),
    };
    Some((section, format!("{key}{number}")))
}

/// Splits a path into names, and the number of the last one in brackets.
fn names(path: &str) -> Option<(Vec<String>, String)> {
    let parsed = KeyPath::parse(path);
    if let (Err(_), Some((before, language))) = (&parsed, path.rsplit_once('[')) {
        // Desktop entries have keys such as `Name[de]`.
        let (mut names, number) = names(before)?;
        names.last_mut()?.push_str(&format!("[{language}"));
        return Some((names, number));
    }
    let mut path = parsed.ok()?;
    let number = match path.steps.last()? {
        Step::Index(number) => format!("[{number}]"),
        _ => String::new(),
    };
    path.steps.truncate(path.steps.len() - usize::from(!number.is_empty()));
    let name = |step| match step {
        Step::Name(name) => Some(name),
        _ => None,
    };
    Some((path.steps.into_iter().map(name).collect::<Option<_>>()?, number))
}

#[cfg(test)]
mod tests {
    use super::super::format::Format;
    use super::super::outline::Wants;
    use super::*;

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
        assert_eq!(
            [split("a.b = 1\n", "a.c"), split("a = 1\n", "b.c"), split("", "x")],
            [const { None }; 3]
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
        assert!(
            matches!(line(Some(0), "host"), Err(KeyMiss::Ambiguous(lines)) if lines.len() == 2)
        );
        assert_eq!(line(Some(0), "prt"), Err(KeyMiss::NotFound(vec!["port".to_owned()])));
    }
}
