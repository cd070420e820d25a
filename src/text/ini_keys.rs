//! Finds the keys of INI files by name or by path.

use super::fuzzy::name::nearest;
use super::keys::KeyPath;
use super::keys::path::Step;
use super::outline::{IniKey, Outline};
use super::span::LineRange;
use super::target::split_number;

/// Why a name does not identify a single key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyMiss {
    /// The section has no such key. The value contains the most similar names.
    NotFound(Vec<String>),
    /// The section contains the key several times, on these lines.
    Ambiguous(Vec<LineRange>),
}

/// Finds a key, `host` or `host[2]`, in an INI section or before the first section.
///
/// # Errors
///
/// Fails if the key does not exist or is ambiguous.
pub fn find_key<'a>(
    outline: &'a Outline,
    section: Option<usize>,
    name: &str,
) -> Result<&'a IniKey, KeyMiss> {
    let keys: Vec<&IniKey> = outline.keys().iter().filter(|key| key.section == section).collect();
    let named = |name: &str| -> Vec<&'a IniKey> {
        let exact: Vec<_> = keys.iter().copied().filter(|key| key.name == name).collect();
        if !exact.is_empty() {
            return exact;
        }
        keys.iter().copied().filter(|key| key.name.eq_ignore_ascii_case(name)).collect()
    };
    match named(name)[..] {
        [key] => return Ok(key),
        [] => {}
        ref several => {
            return Err(KeyMiss::Ambiguous(several.iter().map(|key| key.lines).collect()));
        }
    }
    if let Some((base, number)) = split_number(name)
        && let Some(key) = named(base).get(number - 1)
    {
        return Ok(key);
    }
    let mut names: Vec<&str> = keys.iter().map(|key| key.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let wanted = split_number(name).map_or(name, |(base, _)| base);
    let nearest = nearest(wanted, names.iter().copied(), 5);
    Err(KeyMiss::NotFound(nearest.into_iter().map(|at| names[at].to_owned()).collect()))
}

/// Splits the path of an INI key, such as `database.host` or `remote.origin.url`, into the index
/// of its section and its name. If the path can be split in several ways, prefers a section that
/// contains the key, then the section with the longest name.
///
/// Returns `None` for a name without dots, if no section or several sections have the name, or if
/// such a key exists before the first section.
pub fn split_key(outline: &Outline, path: &str) -> Option<(usize, String)> {
    let is_absent = || matches!(find_key(outline, None, path), Err(KeyMiss::NotFound(_)));
    if !path.contains('.') || !is_absent() {
        return None;
    }
    let mut path = KeyPath::parse(path).ok()?;
    let number = match path.steps.last()? {
        Step::Index(number) => format!("[{number}]"),
        _ => String::new(),
    };
    path.steps.truncate(path.steps.len() - usize::from(!number.is_empty()));
    let name = |step| match step {
        Step::Name(name) => Some(name),
        _ => None,
    };
    let names: Vec<String> = path.steps.into_iter().map(name).collect::<Option<_>>()?;
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
        let mut sections = (0..outline.sections().len()).filter(is_named);
        let (Some(index), None) = (sections.next(), sections.next()) else { continue };
        if find_key(outline, Some(index), &key).is_ok() {
            return Some((index, key));
        }
        found = found.or(Some((index, key)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::format::Format;
    use super::super::outline::Wants;
    use super::*;

    #[test]
    fn a_repeated_key_before_the_first_section_is_not_split() {
        let split = |text: &str| {
            let outline = Outline::of(text.as_bytes(), Format::Ini, Wants::everything());
            split_key(&outline, "a.b")
        };
        assert_eq!(split("[a]\nb = 1\n"), Some((0, "b".to_owned())));
        assert_eq!(split("a.b = 1\n[a]\nb = 1\n"), None);
        assert_eq!(split("a.b = 1\na.b = 2\n[a]\nb = 1\n"), None);
    }

    #[test]
    fn keys_may_be_repeated() {
        let text = "top = 1\n[db]\nhost = a\nhost = b\nport = 1\n";
        let outline = Outline::of(text.as_bytes(), Format::Ini, Wants::everything());
        let line = |section, name| find_key(&outline, section, name).map(|key| key.lines.start());
        assert_eq!(line(None, "top"), Ok(1));
        assert_eq!(line(Some(0), "port"), Ok(5));
        assert_eq!(line(Some(0), "host[2]"), Ok(4));
        assert!(
            matches!(line(Some(0), "host"), Err(KeyMiss::Ambiguous(lines)) if lines.len() == 2)
        );
        assert_eq!(line(Some(0), "prt"), Err(KeyMiss::NotFound(vec!["port".to_owned()])));
    }
}
