//! Finds the files below a directory in a stable order, with ripgrep's ignore rules.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::env::{Cancel, Env};
use super::ignore_rules::{RuleOptions, known_types};
use super::listing::{self, EntryKind, ListedEntry, Visitor, WalkOptions};
use super::roots::Roots;
use crate::error::Error;

/// Returns the selected files below `directory`, sorted, and the errors for entries that could not
/// be examined. As in ripgrep, the paths of files below `.` have no prefix `./`, unless the path
/// would then refer to another file.
///
/// # Errors
///
/// Fails if the directory cannot be read, if a glob or file type is invalid, or if the run is
/// cancelled.
pub fn files_below(
    directory: &Path,
    options: &WalkOptions,
    env: &Env,
) -> Result<(Vec<PathBuf>, Vec<Error>), Error> {
    let mut files = Files { max_size: options.max_filesize, ..Files::of_kind(EntryKind::File) };
    if options.depth > 0 {
        listing::list(directory, options, env, &mut files)?;
    }
    if directory.as_os_str() == "." {
        let plain = |path: PathBuf| without_here(path, &env.roots);
        files.paths = files.paths.into_iter().map(plain).collect();
    }
    Ok((files.paths, files.errors))
}

/// Removes `./` from the start of a path, unless this changes its meaning.
fn without_here(path: PathBuf, roots: &Roots) -> PathBuf {
    // `-` is standard input, and other names that begin with it are options.
    let is_longer = path.strip_prefix("./").is_ok_and(|plain| {
        !roots.is_named(plain) && !plain.as_os_str().as_bytes().starts_with(b"-")
    });
    if !is_longer || !path.as_os_str().as_bytes().starts_with(b"./") {
        return path;
    }
    let mut bytes = path.into_os_string().into_vec();
    bytes.drain(.."./".len());
    OsString::from_vec(bytes).into()
}

/// Collects the files of a listing, or other entries of one kind.
struct Files {
    kind: EntryKind,
    max_size: Option<u64>,
    paths: Vec<PathBuf>,
    errors: Vec<Error>,
}

impl Files {
    fn of_kind(kind: EntryKind) -> Self {
        Self { kind, max_size: None, paths: Vec::new(), errors: Vec::new() }
    }
}

impl Visitor for Files {
    fn wants_children(&mut self, _: &ListedEntry<'_>) -> bool {
        false
    }

    fn entry(&mut self, found: &ListedEntry<'_>) {
        if found.kind != self.kind || !found.is_asked {
            return;
        }
        let fits = match self.max_size.map(|most| (most, found.facts())) {
            None | Some((_, Ok(None))) => true,
            Some((most, Ok(Some(facts)))) => facts.size <= most,
            Some((_, Err(error))) => return self.errors.push(error),
        };
        if fits {
            self.paths.push(found.path.to_owned());
        }
    }

    fn failed(&mut self, error: Error) {
        self.errors.push(error);
    }
}

/// Returns the names of file types with their globs, sorted.
pub fn file_types(options: &RuleOptions) -> Result<Vec<(String, Vec<String>)>, Error> {
    let described = |definition: &ignore::types::FileTypeDef| {
        (definition.name().to_owned(), definition.globs().to_vec())
    };
    Ok(known_types(options)?.definitions().iter().map(described).collect())
}

/// Returns the entries below `directory` with this kind and name, sorted.
///
/// # Errors
///
/// Fails if a directory cannot be read.
pub fn entries_named(
    directory: &Path,
    name: &OsStr,
    kind: EntryKind,
    env: &Env,
) -> Result<Vec<PathBuf>, Error> {
    let mut files = Files::of_kind(kind);
    listing::list(directory, &WalkOptions::default(), env, &mut files)?;
    // An entry with this name may be in a directory that could not be read.
    files.errors.into_iter().next().map_or(Ok(()), Err)?;
    let paths = files.paths.into_iter().filter(|path| path.file_name() == Some(name));
    let is_here = directory.as_os_str() == ".";
    Ok(paths.map(|path| if is_here { without_here(path, &env.roots) } else { path }).collect())
}

/// Maximum number of entries below the current directory to examine when looking for a file by its
/// name.
const MAX_LOOKED_AT: usize = 50_000;

/// Returns entries below the current directory, or below the roots, that have the given kind and
/// the file name of `path`. Returns `None` if there are too many entries to examine.
pub fn below_named(path: &Path, kind: EntryKind, env: &Env) -> Option<Vec<PathBuf>> {
    let name = path.file_name()?;
    let mut all = Vec::new();
    for directory in env.roots.all() {
        // A walk ends early if its run is cancelled.
        let env = Env { cancel: Cancel::default(), ..env.clone() };
        let mut named =
            Named { name, cancel: env.cancel.clone(), looked_at: 0, files: Files::of_kind(kind) };
        listing::list(&directory, &WalkOptions::default(), &env, &mut named).ok()?;
        let is_here = directory.as_os_str() == ".";
        let plain = |path| if is_here { without_here(path, &env.roots) } else { path };
        all.extend(named.files.paths.into_iter().map(plain));
    }
    Some(all)
}

/// Collects the files of a listing that have a name, until too many entries have been examined.
struct Named<'a> {
    name: &'a OsStr,
    cancel: Cancel,
    looked_at: usize,
    files: Files,
}

impl Visitor for Named<'_> {
    fn wants_children(&mut self, _: &ListedEntry<'_>) -> bool {
        false
    }

    fn entry(&mut self, found: &ListedEntry<'_>) {
        self.looked_at += 1;
        if self.looked_at > MAX_LOOKED_AT {
            self.cancel.set();
        }
        if found.path.file_name() == Some(self.name) {
            self.files.entry(found);
        }
    }

    fn failed(&mut self, _: Error) {}
}

/// Returns the paths in the directory of `path` with the names that are most similar to `name`.
pub fn similar_names(path: &Path, name: &str, roots: &Roots) -> Vec<PathBuf> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let names = roots.names_in(parent.unwrap_or(Path::new(""))).unwrap_or_default();
    // A file is not similar to its extension.
    let is_extension = |other: &String| Path::new(other).extension().is_some_and(|it| it == name);
    let names = names.into_iter().filter_map(|name| name.into_string().ok());
    let names: Vec<String> = names.filter(|other| !is_extension(other)).collect();
    let nearest = folio_text::fuzzy::name::nearest(name, names.iter().map(String::as_str), 3);
    let in_place = |name: &String| match parent {
        Some(parent) => parent.join(name),
        // Without `./`, the name would be parsed as an option.
        None if name.starts_with('-') => Path::new(".").join(name),
        None => PathBuf::from(name),
    };
    nearest.into_iter().map(|at| in_place(&names[at])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_comes_before_its_longer_namesake() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path();
        std::fs::create_dir(root.join("a")).expect("made");
        for name in ["a-b", "a/z", "a.md", "B"] {
            std::fs::write(root.join(name), "").expect("written");
        }
        let (paths, _) =
            files_below(root, &WalkOptions::default(), &Env::default()).expect("walked");
        let names = paths.iter().map(|path| path.strip_prefix(root).expect("below").display());
        let names: Vec<String> = names.map(|name| name.to_string()).collect();
        assert_eq!(names, ["B", "a/z", "a-b", "a.md"]);
    }

    #[test]
    fn ignore_rules_and_globs_choose_files() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path();
        std::fs::create_dir_all(root.join(".git")).expect("made");
        std::fs::create_dir_all(root.join("sub")).expect("made");
        for (name, text) in [
            (".gitignore", "no.md\n"),
            ("no.md", ""),
            ("a.md", ""),
            ("b.txt", ""),
            ("sub/a.md", ""),
        ] {
            std::fs::write(root.join(name), text).expect("written");
        }
        let names = |options: &WalkOptions| -> Vec<String> {
            let (paths, _) = files_below(root, options, &Env::default()).expect("walked");
            let relative =
                |path: &PathBuf| path.strip_prefix(root).map(|path| path.display().to_string());
            paths.iter().map(|path| relative(path).expect("below")).collect()
        };
        assert_eq!(names(&WalkOptions::default()), ["a.md", "b.txt", "sub/a.md"]);
        let of_rules = |rules| WalkOptions { rules, ..WalkOptions::default() };
        let globs = of_rules(RuleOptions {
            globs: vec!["*.md".into(), "!sub".into()],
            ..Default::default()
        });
        // As in ripgrep, an entry that a glob includes is never ignored.
        assert_eq!(names(&globs), ["a.md", "no.md"]);
        let types = of_rules(RuleOptions { types: vec!["txt".into()], ..Default::default() });
        assert_eq!(names(&types), ["b.txt"]);
        assert_eq!(
            entries_named(root, OsStr::new("a.md"), EntryKind::File, &Env::default())
                .expect("walked")
                .len(),
            2
        );
        let sub = entries_named(root, OsStr::new("sub"), EntryKind::Directory, &Env::default());
        assert_eq!(sub.expect("walked"), [root.join("sub")]);
    }
}
