//! Resolves a link from its destination in a document to a path on disk. `links` and the edits that
//! rewrite links use the same rules.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use unicode_normalization::UnicodeNormalization;

use super::place::DocumentPlaces;
use super::roots::Roots;
pub use super::system::FileId;
use crate::error::Error;
use folio_markdown::destination::percent_decoded;
use folio_outline::format::{Feature, Format};

/// Names of GitHub pages that a repository has in addition to its files.
const PAGES: &[&str] = &[
    "actions",
    "commits",
    "compare",
    "discussions",
    "issues",
    "labels",
    "milestones",
    "projects",
    "pull",
    "pulls",
    "pulse",
    "releases",
    "security",
    "tags",
    "wiki",
];

/// Converts the paths of destinations to paths on disk.
#[derive(Debug)]
pub struct LinkPaths {
    /// The roots of the documents.
    pub roots: Roots,
    /// The places of the documents.
    pub places: DocumentPlaces,
}

/// A path to which a destination may refer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meant {
    /// The path on disk.
    pub path: PathBuf,
    /// The directory to which `/` refers, if the destination begins with it.
    pub root: Option<PathBuf>,
}

impl LinkPaths {
    /// Creates a converter for documents in these roots.
    pub fn new(roots: &Roots) -> Self {
        Self { roots: roots.clone(), places: DocumentPlaces::new(roots) }
    }

    /// Returns the paths to which a destination in a document may refer, the most likely one first.
    /// `path` is percent-encoded. A path that begins with `/` is relative to the root of the
    /// document's repository, as on GitHub, or to `base`.
    ///
    /// # Errors
    ///
    /// Fails if the repository cannot be determined.
    pub fn possible_targets(
        &self,
        document: &Path,
        path: &[u8],
        base: Option<&Path>,
    ) -> Result<Vec<Meant>, Error> {
        let path = normalized(&percent_decoded(path));
        let directory = document.parent().unwrap_or(Path::new(""));
        if path.is_relative() {
            let path = directory.join(path);
            // The name of a root has no special meaning if the document is not below a root.
            let is_misread = self.roots.is_named(&path) && !self.roots.is_named(document);
            let path = if is_misread { Path::new(".").join(path) } else { path };
            return Ok(vec![Meant { path, root: None }]);
        }
        let below = Path::new(OsStr::from_bytes(&path.as_os_str().as_bytes()[1..]));
        let roots = self.places.repository(directory)?.into_iter().chain(base.map(Path::to_owned));
        Ok(roots.map(|root| Meant { path: root.join(below), root: Some(root) }).collect())
    }

    /// Whether a destination refers to a page of the document's repository on GitHub that is not a
    /// file, such as `../../issues/3` in its README.
    ///
    /// # Errors
    ///
    /// Fails if the repository cannot be determined.
    pub fn is_page_of_repository(&self, document: &Path, path: &[u8]) -> Result<bool, Error> {
        let path = normalized(path);
        let up = path.components().take_while(|name| *name == Component::ParentDir).count();
        let Some(Component::Normal(page)) = path.components().nth(up).filter(|_| up > 1) else {
            return Ok(false);
        };
        if !PAGES.iter().any(|name| page == *name) {
            return Ok(false);
        }
        let directory = document.parent().unwrap_or(Path::new(""));
        let directory_path =
            if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        let Some(root) = self.places.repository(directory)? else { return Ok(false) };
        let Ok(resolved) = self.roots.resolve(directory_path) else { return Ok(false) };
        let depth = resolved.strip_prefix(root).map(|below| below.components().count());
        // GitHub displays a document below /OWNER/NAME/blob/BRANCH/.
        Ok(depth.is_ok_and(|depth| up == depth + 2))
    }
}

/// Removes `.`, and each `..` with the name before it, as in a URL. A `..` at the start remains.
fn normalized(path: &[u8]) -> PathBuf {
    let is_absolute = path.first() == Some(&b'/');
    let mut names: Vec<&[u8]> = Vec::new();
    for name in path.split(|byte| *byte == b'/') {
        match name {
            b"" | b"." => {}
            b".." if names.last().is_some_and(|last| *last != b"..") => drop(names.pop()),
            b".." if is_absolute => {}
            name => names.push(name),
        }
    }
    let mut text = if is_absolute { b"/".to_vec() } else { Vec::new() };
    text.extend_from_slice(&names.join(&b'/'));
    // With a trailing slash, only a directory matches.
    if path.ends_with(b"/") && !names.is_empty() {
        text.push(b'/');
    }
    PathBuf::from(if text.is_empty() { OsStr::new(".") } else { OsStr::from_bytes(&text) })
}

/// Whether the file system ignores the case of names, as is usual on macOS and Windows.
///
/// # Errors
///
/// Fails if this cannot be determined.
pub fn folds_case(file: &Path, roots: &Roots) -> Result<bool, Error> {
    let Some(name) = file.file_name().and_then(OsStr::to_str) else { return Ok(false) };
    let swap = |character: char| {
        if character.is_ascii_lowercase() {
            character.to_ascii_uppercase()
        } else {
            character.to_ascii_lowercase()
        }
    };
    let other: String = name.chars().map(swap).collect();
    let id = |path: &Path| roots.look(path).map(|found| found.map(|found| found.id()));
    if other == name {
        return Ok(false);
    }
    let file_id = id(file)?;
    Ok(file_id.is_some() && id(&file.with_file_name(other))? == file_id)
}

/// Whether the last `names` names of an existing path have the same case as on disk.
///
/// # Errors
///
/// Fails if this cannot be determined.
pub fn is_called_so(path: &Path, names: usize, roots: &Roots) -> Result<bool, Error> {
    let mut at = path;
    for _ in 0..names {
        let (Some(name), Some(parent)) = (at.file_name(), at.parent()) else { return Ok(true) };
        // Some file systems store letters and their accents as separate characters.
        let is_it = |other: &OsString| match (other.to_str(), name.to_str()) {
            (Some(other), Some(name)) => other == name || other.nfc().eq(name.nfc()),
            _ => other == name,
        };
        let listed = roots.names_in(parent)?;
        if !listed.is_empty() && !listed.iter().any(is_it) {
            return Ok(false);
        }
        at = parent;
    }
    Ok(true)
}

/// Returns the document that is displayed for a directory.
///
/// # Errors
///
/// Fails if this cannot be determined.
pub fn index_of(directory: &Path, roots: &Roots) -> Result<Option<PathBuf>, Error> {
    let names = roots.names_in(directory)?;
    let names = names.into_iter().filter_map(|name| name.into_string().ok());
    let ranked = names.filter_map(|name| Some((index_rank(&name)?, name)));
    Ok(ranked.min().map(|(_, name)| directory.join(name)))
}

/// Returns the rank of a file name among the documents that may be displayed for a directory. The
/// lowest rank is displayed. Returns `None` for other files.
pub fn index_rank(name: &str) -> Option<usize> {
    let (stem, _) = name.rsplit_once('.')?;
    let rank =
        ["readme", "index", "_index"].iter().position(|index| stem.eq_ignore_ascii_case(index));
    rank.filter(|_| Format::name_has(name, Feature::Links))
}

/// Returns the relative path from the directory `from` to `target`, computed without access to the
/// disk.
pub fn relative_to(from: &Path, target: &Path, roots: &Roots) -> Option<PathBuf> {
    let normalized_absolute = |path: &Path| {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let absolute = roots.absolute(path).ok()?;
        Some(normalized(absolute.as_os_str().as_bytes()))
    };
    Some(path_between(&normalized_absolute(from)?, &normalized_absolute(target)?))
}

/// Returns the relative path from the directory `from` to `target`. Both have the same base and no
/// `..`.
pub fn path_between(from: &Path, target: &Path) -> PathBuf {
    let names = |path: &Path| -> Vec<OsString> {
        let normal = path.components().filter(|part| matches!(part, Component::Normal(_)));
        normal.map(|part| part.as_os_str().to_owned()).collect()
    };
    let (from, target) = (names(from), names(target));
    let shared = from
        .iter()
        .zip(&target)
        .take_while(|(from_name, target_name)| from_name == target_name)
        .count();
    let ups = std::iter::repeat_n(OsString::from(".."), from.len() - shared);
    ups.chain(target[shared..].iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rustix::fs::FileType;

    use super::*;

    fn everywhere() -> Roots {
        Roots::default()
    }

    #[test]
    fn paths_are_read_as_in_a_url() {
        #[track_caller]
        fn check(path: &str, expected: &str) {
            assert_eq!(normalized(path.as_bytes()).as_os_str(), expected, "{path}");
        }
        check("a.md", "a.md");
        check("./a//b/./c.md", "a/b/c.md");
        check("gone/../a.md", "a.md");
        check("../a/../../b.md", "../../b.md");
        check("/../a/../b.md", "/b.md");
        check("a/", "a/");
        check("a/..", ".");
        check("./", ".");
        check("..", "..");
        check("/", "/");
    }

    #[test]
    fn a_slash_is_the_repository_or_the_operand() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = fs::canonicalize(directory.path()).expect("a path");
        fs::create_dir_all(root.join("a/docs")).expect("made");
        let paths = LinkPaths::new(&everywhere());
        let meant = |document: &Path, path: &str, base: Option<&Path>| -> Vec<PathBuf> {
            let meant = paths.possible_targets(document, path.as_bytes(), base).expect("known");
            meant.into_iter().map(|meant| meant.path).collect()
        };
        let document = root.join("a/docs/x.md");
        let base = root.join("a");
        let of_base = || vec![base.join("y z.md")];
        assert_eq!(meant(&document, "/y%20z.md", Some(&base)), of_base());
        assert_eq!(meant(&document, "y.md#", None), [root.join("a/docs/y.md#")]);
        assert_eq!(meant(Path::new("x.md"), "../y", None), [Path::new("../y")]);
        fs::create_dir(root.join(".git")).expect("made");
        let other = LinkPaths::new(&everywhere());
        let found = other.possible_targets(&document, b"/y", Some(&base)).expect("known");
        assert_eq!(
            found.iter().map(|meant| meant.path.clone()).collect::<Vec<_>>(),
            [root.join("y"), base.join("y")]
        );
    }

    #[test]
    fn names_are_compared_exactly() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path();
        fs::create_dir(root.join("Docs")).expect("made");
        fs::write(root.join("Docs/re\u{301}sume\u{301}.md"), "").expect("written");
        let is_called = |path: &str, names| {
            is_called_so(&root.join(path), names, &everywhere()).expect("known")
        };
        assert!(is_called("Docs/r\u{e9}sum\u{e9}.md", 2));
        assert!(!is_called("Docs/R\u{e9}sum\u{e9}.md", 1));
        assert!(!is_called("docs/x", 2));
        let folds = folds_case(&root.join("Docs"), &everywhere()).expect("known");
        assert!(!folds || root.join("dOCS").exists());
    }

    #[test]
    fn paths_are_made_relative() {
        #[track_caller]
        fn check(from: &str, target: &str, expected: &str) {
            let found = relative_to(Path::new(from), Path::new(target), &everywhere());
            assert_eq!(found.as_deref(), Some(Path::new(expected)), "{from} {target}");
        }
        check("", "a.md", "a.md");
        check("docs", "a.md", "../a.md");
        check("docs/x", "docs/y/a.md", "../y/a.md");
        check("/a/b", "/a/b/c", "c");
    }

    #[test]
    fn impossible_paths_have_no_target() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path();
        fs::write(root.join("a"), "").expect("written");
        std::os::unix::fs::symlink("loop", root.join("loop")).expect("linked");
        let nowhere = |path: &Path| everywhere().look(path).expect("known").is_none();
        let long = "x".repeat(300);
        for name in ["a/b", "a/", "gone", "nul\0", "loop", &long] {
            assert!(nowhere(&root.join(name)), "{name}");
        }
        let kind = |path: &Path| everywhere().look(path).expect("known").map(|found| found.kind);
        assert_eq!(kind(&root.join("a")), Some(FileType::RegularFile));
        assert_eq!(kind(root), Some(FileType::Directory));
    }
}
