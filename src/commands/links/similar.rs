//! Finds the file that is most similar to a missing link target: the same name with different case
//! or extension, the same name in another directory, or a similar name.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use folio_files::link_target::{Meant, relative_to};
use folio_files::roots::Roots;
use folio_markdown::destination::{percent_decoded, percent_encoded};
use folio_outline::format::{Feature, Format};
use folio_text::fuzzy::name::{is_slip, nearest};

/// Maximum number of files with the same name to compare. If there are more, none is suggested.
const MAX_NAMESAKES: usize = 8;

/// Maximum number of similar names in which to look for the same extension.
const MAX_SIMILAR: usize = 8;

/// Minimum number of letters in a name for which similar names are searched. A shorter name is
/// similar to too many others.
const MIN_LETTERS: usize = 3;

/// A suggested target.
pub(super) struct FuzzyMatch {
    /// The path in the form in which a destination contains it.
    pub(super) path: Vec<u8>,
    /// Whether only the letter case differs.
    pub(super) is_other_case: bool,
    /// Whether this is the only possible target.
    pub(super) is_sure: bool,
}

/// The names of files that may be suggested.
pub(super) struct Names<'a> {
    walked: &'a [PathBuf],
    roots: &'a Roots,
    by_name: OnceLock<HashMap<&'a OsStr, Vec<usize>>>,
    /// The names in each directory that was read.
    listings: Mutex<HashMap<PathBuf, Arc<[String]>>>,
}

impl<'a> Names<'a> {
    /// Collects the names of files in directories to which links refer, and of files found by
    /// walking.
    pub(super) fn new(walked: &'a [PathBuf], roots: &'a Roots) -> Self {
        Self { walked, roots, by_name: OnceLock::new(), listings: Mutex::default() }
    }

    /// Returns the file that is most similar to `path`, a destination in a document.
    /// `missing_targets` are the missing files to which it may refer.
    pub(super) fn nearest(
        &self,
        document: &Path,
        path: &[u8],
        missing_targets: &[Meant],
    ) -> Option<FuzzyMatch> {
        let other = |path, is_sure| Some(FuzzyMatch { path, is_other_case: false, is_sure });
        if let Some(path) = with_slashes(path, document, self.roots) {
            return other(path, true);
        }
        let name = missing_targets.first()?.path.file_name()?.to_str()?;
        let is_alike =
            |other: &&str| NamedKind::from_name(other).may_be_for(NamedKind::from_name(name));
        let listings: Vec<_> =
            missing_targets.iter().map(|target| self.names_in_directory_of(&target.path)).collect();
        let in_any_case = |names: &Arc<[String]>| {
            let mut equal_names = names.iter().filter(|other| is_equal_in_any_case(name, other));
            let first = equal_names.next()?.clone();
            Some((first, equal_names.next().is_none()))
        };
        if let Some((found, is_only)) = listings.iter().find_map(in_any_case) {
            let (path, is_other_case) = (with_name(path, &found), found != name);
            return Some(FuzzyMatch { path, is_other_case, is_sure: is_other_case && is_only });
        }
        // Generators omit the extension, or use the extension of the generated file.
        let (stem, extension) = split_name(name);
        let with_same_stem = |names: &Arc<[String]>| {
            let candidates =
                names.iter().map(String::as_str).filter(|name| split_name(name).0 == stem);
            let candidates: Vec<&str> = candidates.filter(is_alike).collect();
            let first = candidates.iter().find(|name| is_markdown(name)).or(candidates.first())?;
            Some(((*first).to_owned(), candidates.len() == 1))
        };
        if let Some((found, is_only)) = listings.iter().find_map(with_same_stem) {
            return other(with_name(path, &found), is_only && extension.is_empty());
        }
        let page = (extension.is_empty() || extension == "html").then(|| format!("{stem}.md"));
        let names = [Some(name), page.as_deref()].into_iter().flatten();
        let mut elsewhere =
            names.filter_map(|name| self.find_elsewhere(document, name, &missing_targets[0]));
        if let Some((path, is_only)) = elsewhere.next() {
            // Every directory may have its own README, so there may be others.
            return other(path, is_only && !matches!(&*stem.to_lowercase(), "readme" | "index"));
        }
        let (found, is_sure) = listings.iter().find_map(|names| {
            let found = most_similar(name, names)?;
            Some((found, is_only_slip(name, found, names.iter().map(String::as_str))))
        })?;
        other(with_name(path, found), is_sure)
    }

    /// Returns the names in the directory of a path.
    fn names_in_directory_of(&self, path: &Path) -> Arc<[String]> {
        let directory = path.parent().unwrap_or(Path::new(""));
        let mut listings = self.listings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listing) = listings.get(directory) {
            return Arc::clone(listing);
        }
        let names = self.roots.names_in(directory).unwrap_or_default();
        let names = names.into_iter().filter_map(|name| name.into_string().ok());
        let listing: Arc<[String]> = names.collect();
        listings.insert(directory.to_owned(), Arc::clone(&listing));
        listing
    }

    /// Returns the path of a walked file called `name`, relative to the document, and whether it is
    /// the only one. If there are several, returns the file whose path ends with the most
    /// components of the missing path.
    fn find_elsewhere(
        &self,
        document: &Path,
        name: &str,
        missing: &Meant,
    ) -> Option<(Vec<u8>, bool)> {
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name: HashMap<&OsStr, Vec<usize>> = HashMap::new();
            for (index, path) in self.walked.iter().enumerate() {
                by_name.entry(path.file_name().unwrap_or_default()).or_default().push(index);
            }
            by_name
        });
        let found = by_name.get(OsStr::new(name)).filter(|found| found.len() <= MAX_NAMESAKES)?;
        let directory = document.parent().unwrap_or(Path::new(""));
        let from = missing.root.as_deref().unwrap_or(directory);
        let written = found.iter().filter_map(|&index| {
            let path = &self.walked[index];
            let relative = relative_to(from, path, self.roots)?;
            Some((shared_components(path, &missing.path), relative))
        });
        let (_, path) = written
            .min_by_key(|(shared, path)| (std::cmp::Reverse(*shared), path.components().count()))?;
        let is_outside = missing.root.is_some() && path.starts_with("..");
        let path = percent_encoded(path.as_os_str().as_bytes());
        let slash: &[u8] = if missing.root.is_some() { b"/" } else { b"" };
        (!is_outside).then(|| ([slash, &path].concat(), found.len() == 1))
    }
}

fn is_equal_in_any_case(name: &str, other: &str) -> bool {
    let is_ascii = name.is_ascii() && other.is_ascii();
    name.eq_ignore_ascii_case(other) || !is_ascii && name.to_lowercase() == other.to_lowercase()
}

/// Returns the path with backslashes replaced by slashes, if that path exists.
fn with_slashes(path: &[u8], document: &Path, roots: &Roots) -> Option<Vec<u8>> {
    memchr::memchr(b'\\', path)?;
    let path: Vec<u8> = path.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect();
    let decoded = percent_decoded(&path);
    let file = document.parent()?.join(OsStr::from_bytes(&decoded));
    roots.look(&file).ok().flatten().map(|_| path)
}

/// Replaces the last component of a path.
fn with_name(path: &[u8], name: &str) -> Vec<u8> {
    let path = path.strip_suffix(b"/").unwrap_or(path);
    let start = memchr::memrchr(b'/', path).map_or(0, |slash| slash + 1);
    [&path[..start], &percent_encoded(name.as_bytes())].concat()
}

/// Returns the number of components that two paths have in common at their ends, ignoring case.
fn shared_components(path: &Path, other: &Path) -> usize {
    let names = path.components().rev().zip(other.components().rev());
    names.take_while(|(name, other)| name.as_os_str().eq_ignore_ascii_case(other)).count()
}

/// The kind of file that a name indicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NamedKind<'a> {
    Page,
    Picture,
    /// A directory, or a file without an extension.
    Bare,
    Other(&'a str),
}

const PAGES: &[&str] = &["md", "markdown", "mdx", "html", "htm", "rst", "adoc", "txt"];
const PICTURES: &[&str] =
    &["png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "apng", "bmp", "ico", "tif", "tiff"];

impl<'a> NamedKind<'a> {
    fn from_name(name: &'a str) -> Self {
        let extension = split_name(name).1;
        let is_in =
            |names: &[&str]| names.iter().any(|known| extension.eq_ignore_ascii_case(known));
        match extension {
            "" => Self::Bare,
            _ if is_in(PAGES) => Self::Page,
            _ if is_in(PICTURES) => Self::Picture,
            other => Self::Other(other),
        }
    }

    /// Whether a file of this kind may be suggested instead of a file of the kind `missing`.
    fn may_be_for(self, missing: Self) -> bool {
        match (self, missing) {
            (Self::Page | Self::Bare, Self::Page | Self::Bare) => true,
            (Self::Page, Self::Other(extension)) => is_slip("md", extension),
            (kind, other) => kind == other,
        }
    }
}

/// Whether `found` is the only name that differs from `missing` by a typo. A difference in a number
/// is not a typo: `v1` is never suggested for `v2`.
pub(super) fn is_only_slip<'a>(
    missing: &str,
    found: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> bool {
    let digits = |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>();
    missing.chars().count() > MIN_LETTERS
        && is_slip(missing, found)
        && digits(missing) == digits(found)
        && names.into_iter().filter(|name| is_slip(missing, name)).count() == 1
}

/// Returns the most similar name of the same kind. Prefers names with the same extension.
fn most_similar<'a>(name: &str, names: &'a [String]) -> Option<&'a String> {
    let (stem, extension) = split_name(name);
    if stem.chars().count() < MIN_LETTERS {
        return None;
    }
    let kind = NamedKind::from_name(name);
    let same_kind: Vec<&String> =
        names.iter().filter(|name| NamedKind::from_name(name).may_be_for(kind)).collect();
    let found = nearest(stem, same_kind.iter().map(|name| split_name(name).0), MAX_SIMILAR);
    let same_extension = found.iter().find(|&&index| split_name(same_kind[index]).1 == extension);
    same_extension.or(found.first()).map(|&index| same_kind[index])
}

/// Splits a name into stem and extension.
fn split_name(name: &str) -> (&str, &str) {
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
    fn the_last_component_is_replaced() {
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
        assert_eq!(most_similar("instal.md", &names).map(String::as_str), Some("install.md"));
        assert_eq!(most_similar("y.md", &names), None);
        assert_eq!(most_similar("in.md", &names), None);
        assert_eq!(most_similar("instal.svg", &names).map(String::as_str), Some("install.png"));
        assert_eq!(most_similar("instal.html", &names).map(String::as_str), Some("instal.txt"));
    }

    #[test]
    fn a_picture_is_never_suggested_for_a_page() {
        #[track_caller]
        fn check(name: &str, others: &[&str], expected: Option<&str>) {
            let others: Vec<String> = others.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(most_similar(name, &others).map(String::as_str), expected, "{name}");
        }
        check("guide.md", &["guide.png", "guide.rs", "guides"], Some("guides"));
        check("guide.md", &["guid.png", "guid.json"], None);
        check("logo.svg", &["logos.md", "logos.PNG"], Some("logos.PNG"));
        check("guide.mf", &["guide.png", "guide.md"], Some("guide.md"));
        check("main.rs", &["main.py", "mains.rs"], Some("mains.rs"));
        check("setup", &["setup.sh", "setups.md"], Some("setups.md"));
    }

    #[test]
    fn a_typo_is_fixed_only_if_one_name_is_close() {
        let sure = |missing, found, names: &[&str]| is_only_slip(missing, found, names.to_vec());
        assert!(sure("instal", "install", &["install", "other"]));
        assert!(sure("sepcial", "special", &["special"]));
        assert!(!sure("step-1", "step-2", &["step-2"]));
        assert!(!sure("gardn", "garden", &["garden", "gardns"]));
        assert!(!sure("api", "apis", &["apis"]));
        assert!(!sure("instal", "installed", &["installed"]));
    }

    #[test]
    fn ends_of_paths_are_compared_by_name() {
        let shared = |path: &str, other: &str| shared_components(Path::new(path), Path::new(other));
        assert_eq!(shared("docs/api/a.md", "x/API/a.md"), 2);
        assert_eq!(shared("a.md", "b.md"), 0);
    }
}
