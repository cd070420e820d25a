//! The nearest file to one that a link means and that is not there: the same
//! name in another case or with another extension, the same name elsewhere, a
//! similar name.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::files::link_target::{Meant, relative_to};
use crate::files::roots::Roots;
use crate::text::format::{Feature, Format};
use crate::text::fuzzy::name::nearest;
use crate::text::markdown::destination::{percent_decoded, percent_encoded};

/// Files of one name that are compared; of more, none is nearest.
const MAX_NAMESAKES: usize = 8;

/// Similar names that are looked at for one with the same extension.
const MAX_SIMILAR: usize = 8;

/// Letters of a name that others can be similar to: fewer stand in any name.
const MIN_LETTERS: usize = 3;

/// What could have been meant.
pub(super) struct FuzzyMatch {
    /// A destination's path, as it is to be written.
    pub(super) path: Vec<u8>,
    /// Whether only the case of letters differs.
    pub(super) is_other_case: bool,
}

/// The files that can be nearest.
pub(super) struct Names<'a> {
    walked: &'a [PathBuf],
    roots: &'a Roots,
    by_name: OnceLock<HashMap<&'a OsStr, Vec<usize>>>,
    listings: Mutex<HashMap<PathBuf, Arc<Listing>>>,
}

impl<'a> Names<'a> {
    /// Those in the directories that links name, and those that were walked.
    pub(super) fn new(walked: &'a [PathBuf], roots: &'a Roots) -> Self {
        Self { walked, roots, by_name: OnceLock::new(), listings: Mutex::default() }
    }

    /// The nearest to `path`, which means `meant` in a document but is nowhere.
    pub(super) fn nearest(
        &self,
        document: &Path,
        path: &[u8],
        meant: &[Meant],
    ) -> Option<FuzzyMatch> {
        if let Some(path) = with_slashes(path, document, self.roots) {
            return Some(FuzzyMatch { path, is_other_case: false });
        }
        let name = meant.first()?.path.file_name()?.to_str()?;
        let listings: Vec<_> = meant.iter().map(|meant| self.listing(&meant.path)).collect();
        let lower = name.to_lowercase();
        if let Some(other) = listings.iter().find_map(|listing| listing.in_any_case(&lower)) {
            return Some(FuzzyMatch { path: with_name(path, other), is_other_case: other != name });
        }
        // Generators leave out the extension, or write that of what they make.
        let (stem, extension) = parts(name);
        if let Some(other) = listings.iter().find_map(|listing| listing.of_stem(stem)) {
            return Some(FuzzyMatch { path: with_name(path, other), is_other_case: false });
        }
        let page = (extension.is_empty() || extension == "html").then(|| format!("{stem}.md"));
        let names = [Some(name), page.as_deref()].into_iter().flatten();
        let mut elsewhere = names.filter_map(|name| self.elsewhere(document, name, &meant[0]));
        if let Some(path) = elsewhere.next() {
            return Some(FuzzyMatch { path, is_other_case: false });
        }
        let similar = listings.iter().find_map(|listing| similar(name, &listing.names))?;
        Some(FuzzyMatch { path: with_name(path, similar), is_other_case: false })
    }

    /// The names beside a path.
    fn listing(&self, path: &Path) -> Arc<Listing> {
        let directory = path.parent().unwrap_or(Path::new(""));
        let mut listings = self.listings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listing) = listings.get(directory) {
            return Arc::clone(listing);
        }
        let names = self.roots.names_in(directory).unwrap_or_default();
        let names = names.into_iter().filter_map(|name| name.into_string().ok());
        let listing = Arc::new(Listing::of(names.collect()));
        listings.insert(directory.to_owned(), Arc::clone(&listing));
        listing
    }

    /// Where a file of this name was walked, written as a link of the document:
    /// the one whose path ends most like the one that is meant.
    fn elsewhere(&self, document: &Path, name: &str, meant: &Meant) -> Option<Vec<u8>> {
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name: HashMap<&OsStr, Vec<usize>> = HashMap::new();
            for (index, path) in self.walked.iter().enumerate() {
                by_name.entry(path.file_name().unwrap_or_default()).or_default().push(index);
            }
            by_name
        });
        let found = by_name.get(OsStr::new(name)).filter(|found| found.len() <= MAX_NAMESAKES)?;
        let directory = document.parent().unwrap_or(Path::new(""));
        let from = meant.root.as_deref().unwrap_or(directory);
        let written = found.iter().filter_map(|&index| {
            let path = &self.walked[index];
            let relative = relative_to(from, path, self.roots)?;
            Some((shared_end(path, &meant.path), relative))
        });
        let (_, path) = written
            .min_by_key(|(shared, path)| (std::cmp::Reverse(*shared), path.components().count()))?;
        let is_outside = meant.root.is_some() && path.starts_with("..");
        let path = percent_encoded(path.as_os_str().as_bytes());
        let slash: &[u8] = if meant.root.is_some() { b"/" } else { b"" };
        (!is_outside).then(|| [slash, &path].concat())
    }
}

/// The names in a directory.
struct Listing {
    names: Vec<String>,
    by_lower: HashMap<String, usize>,
    // Of several names with one stem, that of a document.
    by_stem: HashMap<String, usize>,
}

impl Listing {
    fn of(names: Vec<String>) -> Self {
        let mut by_lower = HashMap::new();
        let mut by_stem = HashMap::new();
        for (index, name) in names.iter().enumerate() {
            by_lower.entry(name.to_lowercase()).or_insert(index);
            let stem = by_stem.entry(parts(name).0.to_owned()).or_insert(index);
            if is_markdown(name) && !is_markdown(&names[*stem]) {
                *stem = index;
            }
        }
        Self { names, by_lower, by_stem }
    }

    fn in_any_case(&self, lower: &str) -> Option<&str> {
        self.by_lower.get(lower).map(|&index| self.names[index].as_str())
    }

    fn of_stem(&self, stem: &str) -> Option<&str> {
        self.by_stem.get(stem).map(|&index| self.names[index].as_str())
    }
}

/// The path with slashes for backslashes, where that leads somewhere.
fn with_slashes(path: &[u8], document: &Path, roots: &Roots) -> Option<Vec<u8>> {
    memchr::memchr(b'\\', path)?;
    let path: Vec<u8> = path.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect();
    let decoded = percent_decoded(&path);
    let beside = document.parent()?.join(OsStr::from_bytes(&decoded));
    roots.look(&beside).ok().flatten().map(|_| path)
}

/// A written path with another last name.
fn with_name(path: &[u8], name: &str) -> Vec<u8> {
    let path = path.strip_suffix(b"/").unwrap_or(path);
    let start = memchr::memrchr(b'/', path).map_or(0, |slash| slash + 1);
    [&path[..start], &percent_encoded(name.as_bytes())].concat()
}

/// How many names two paths end with alike, whatever their case.
fn shared_end(one: &Path, other: &Path) -> usize {
    let names = one.components().rev().zip(other.components().rev());
    names.take_while(|(one, other)| one.as_os_str().eq_ignore_ascii_case(other)).count()
}

/// The name most like one, of those with its extension if there is one.
fn similar<'a>(name: &str, names: &'a [String]) -> Option<&'a String> {
    let (stem, extension) = parts(name);
    if stem.chars().count() < MIN_LETTERS {
        return None;
    }
    let stems = names.iter().map(|name| parts(name).0);
    let found = nearest(stem, stems, MAX_SIMILAR);
    let same = found.iter().find(|&&index| parts(&names[index]).1 == extension);
    same.or(found.first()).map(|&index| &names[index])
}

/// A name without its extension, and the extension.
fn parts(name: &str) -> (&str, &str) {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, extension),
        _ => (name, ""),
    }
}

fn is_markdown(name: &str) -> bool {
    Format::name_has(name, Feature::Links)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_written_in_place_of_another() {
        #[track_caller]
        fn check(path: &str, name: &str, expected: &str) {
            assert_eq!(String::from_utf8_lossy(&with_name(path.as_bytes(), name)), expected);
        }
        check("a.md", "b.md", "b.md");
        check("../x%20y/a.md", "b c.md", "../x%20y/b%20c.md");
        check("/docs/", "doc", "/doc");
    }

    #[test]
    fn the_most_similar_name_has_the_same_extension() {
        let names = ["install.png", "instal.txt", "install.md", "x.md"].map(str::to_owned);
        assert_eq!(similar("instal.md", &names).map(String::as_str), Some("install.md"));
        assert_eq!(similar("y.md", &names), None);
        assert_eq!(similar("in.md", &names), None);
        assert_eq!(similar("instal.svg", &names).map(String::as_str), Some("instal.txt"));
    }

    #[test]
    fn ends_of_paths_are_compared_by_name() {
        let shared = |one: &str, other: &str| shared_end(Path::new(one), Path::new(other));
        assert_eq!(shared("docs/api/a.md", "x/API/a.md"), 2);
        assert_eq!(shared("a.md", "b.md"), 0);
    }
}
