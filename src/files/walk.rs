//! The files below a directory, in a stable order, ignore rules as ripgrep's.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use ignore::overrides::OverrideBuilder;
use ignore::types::TypesBuilder;
use ignore::{WalkBuilder, WalkState};

use super::ignore_rules::{RuleOptions, types};
use super::listing::{self, Found, Kind, ListOptions, Order, Visitor};
use super::roots::Roots;
use crate::error::{Code, Error};

/// Which files of a tree are wanted.
#[derive(Clone, Debug, Default)]
pub struct WalkOptions {
    /// Globs as ripgrep's `-g`: a file must match one, and none behind `!`.
    pub globs: Vec<String>,
    /// Names of file types as ripgrep's `-t`.
    pub types: Vec<String>,
    /// Names of file types that are left out.
    pub types_not: Vec<String>,
    /// Take hidden files and directories too.
    pub hidden: bool,
    /// Take what ignore rules leave out.
    pub no_ignore: bool,
    /// Follow symbolic links.
    pub follow: bool,
    /// Directories below it that are gone into.
    pub max_depth: Option<usize>,
    /// How many threads walk; by default as many as there are processors.
    pub threads: Option<usize>,
    /// Where files may be.
    pub roots: Roots,
}

/// All wanted files below `directory`, sorted, and what could not be looked at.
/// As ripgrep does, what is found by `.` is told without it, unless that would
/// mean another file.
pub fn files_below(
    directory: &Path,
    options: &WalkOptions,
) -> Result<(Vec<PathBuf>, Vec<Error>), Error> {
    // That of `ignore` opens paths as a whole, and reads the ignore files above.
    let (mut paths, errors) = match options.roots.confine() {
        true => by_handles(directory, options)?,
        false => by_paths(directory, options)?,
    };
    if directory.as_os_str() == "." {
        let plain = |path: PathBuf| without_here(path, &options.roots);
        paths = paths.into_iter().map(plain).collect();
    }
    paths.sort_unstable_by(|left, right| in_order(left.as_os_str(), right.as_os_str()));
    Ok((paths, errors))
}

/// A path without `./` before it, where it means the same then.
fn without_here(path: PathBuf, roots: &Roots) -> PathBuf {
    let is_longer = path.strip_prefix("./").is_ok_and(|plain| !roots.is_named(plain));
    if !is_longer || !path.as_os_str().as_bytes().starts_with(b"./") {
        return path;
    }
    let mut bytes = path.into_os_string().into_vec();
    bytes.drain(.."./".len());
    OsString::from_vec(bytes).into()
}

fn by_handles(
    directory: &Path,
    options: &WalkOptions,
) -> Result<(Vec<PathBuf>, Vec<Error>), Error> {
    let rules = RuleOptions {
        globs: options.globs.clone(),
        excludes: Vec::new(),
        hidden: options.hidden,
        no_ignore: options.no_ignore,
        types: options.types.clone(),
        types_not: options.types_not.clone(),
    };
    let list = ListOptions {
        depth: options.max_depth.unwrap_or(usize::MAX),
        order: Order::Name,
        follow: options.follow,
        rules,
        roots: options.roots.clone(),
    };
    let mut files = Files::default();
    if list.depth > 0 {
        listing::list(directory, &list, &mut files)?;
    }
    Ok((files.paths, files.errors))
}

/// The files of a listing.
#[derive(Default)]
struct Files {
    paths: Vec<PathBuf>,
    errors: Vec<Error>,
}

impl Visitor for Files {
    fn wants_children(&mut self, _: &Found<'_>) -> bool {
        false
    }

    fn entry(&mut self, found: &Found<'_>) {
        if found.kind == Kind::File && found.is_asked {
            self.paths.push(found.path.to_owned());
        }
    }

    fn failed(&mut self, error: Error) {
        self.errors.push(error);
    }
}

fn by_paths(directory: &Path, options: &WalkOptions) -> Result<(Vec<PathBuf>, Vec<Error>), Error> {
    let mut builder = WalkBuilder::new(directory);
    let threads = || std::thread::available_parallelism().map_or(1, |count| count.get().min(8));
    builder
        .threads(options.threads.unwrap_or_else(threads))
        .hidden(!options.hidden)
        .follow_links(options.follow)
        .max_depth(options.max_depth);
    if options.no_ignore {
        builder.ignore(false).git_ignore(false).git_global(false).git_exclude(false);
        builder.parents(false);
    }
    if !options.globs.is_empty() {
        // As in ripgrep a glob with a slash is relative to where one is.
        let here = std::env::current_dir().unwrap_or_else(|_| directory.to_owned());
        let mut overrides = OverrideBuilder::new(here);
        for glob in &options.globs {
            overrides.add(glob).map_err(|error| invalid_glob(glob, &error))?;
        }
        let built = overrides.build().map_err(|error| invalid_glob("", &error))?;
        builder.overrides(built);
    }
    if !options.types.is_empty() || !options.types_not.is_empty() {
        builder.types(types(&options.types, &options.types_not)?);
    }
    let found = Mutex::new((Vec::new(), Vec::new()));
    builder.build_parallel().run(|| {
        let mut gathered = Gathered { found: &found, paths: Vec::new(), errors: Vec::new() };
        Box::new(move |entry| {
            match entry {
                Ok(entry) => {
                    if entry.file_type().is_some_and(|kind| kind.is_file()) {
                        gathered.paths.push(entry.into_path());
                    }
                }
                Err(error) => gathered.errors.push(walk_error(&error, directory)),
            }
            WalkState::Continue
        })
    });
    Ok(found.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

/// The names of file types and their globs, sorted.
pub fn file_types() -> Vec<(String, Vec<String>)> {
    let mut types = TypesBuilder::new();
    types.add_defaults();
    let described = |definition: &ignore::types::FileTypeDef| {
        (definition.name().to_owned(), definition.globs().to_vec())
    };
    types.definitions().iter().map(described).collect()
}

/// One thread's findings, handed over when the thread is done.
struct Gathered<'a> {
    found: &'a Mutex<(Vec<PathBuf>, Vec<Error>)>,
    paths: Vec<PathBuf>,
    errors: Vec<Error>,
}

impl Drop for Gathered<'_> {
    fn drop(&mut self) {
        let mut found = self.found.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        found.0.append(&mut self.paths);
        found.1.append(&mut self.errors);
    }
}

/// Names within a directory by their bytes, a directory's own right behind it.
fn in_order(left: &OsStr, right: &OsStr) -> std::cmp::Ordering {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let key = |bytes: &[u8], at: usize| match bytes.get(at) {
        None => 0,
        Some(b'/') => 1,
        Some(&byte) => u16::from(byte) + 2,
    };
    // Paths of one tree have much in common: eight bytes at a time.
    let wide = left.chunks_exact(8).zip(right.chunks_exact(8));
    let wide = 8 * wide.take_while(|(left, right)| left == right).count();
    let rest = left[wide..].iter().zip(&right[wide..]);
    let same = wide + rest.take_while(|(left, right)| left == right).count();
    key(left, same).cmp(&key(right, same))
}

fn invalid_glob(glob: &str, error: &ignore::Error) -> Error {
    match error {
        // It names the glob itself.
        ignore::Error::Glob { err, .. } => Error::usage(format!("glob '{glob}': {err}")),
        error => Error::usage(format!("glob '{glob}': {error}")),
    }
}

fn walk_error(error: &ignore::Error, directory: &Path) -> Error {
    let path = error_path(error).unwrap_or(directory);
    match error.io_error() {
        Some(io) => Error::io(io, path),
        None => Error::new(Code::IoError, error.to_string()).at(directory),
    }
}

fn error_path(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            error_path(err)
        }
        ignore::Error::Loop { child, .. } => Some(child),
        _ => None,
    }
}

/// Files below `directory` whose name is `name`, sorted.
pub fn files_named(directory: &Path, name: &OsStr, roots: &Roots) -> Result<Vec<PathBuf>, Error> {
    let options = WalkOptions { roots: roots.clone(), ..WalkOptions::default() };
    let (paths, _) = files_below(directory, &options)?;
    Ok(paths.into_iter().filter(|path| path.file_name() == Some(name)).collect())
}

/// Paths in the directory of `path` whose names are most like `name`.
pub fn similar_names(path: &Path, name: &str, roots: &Roots) -> Vec<PathBuf> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let names = roots.names_in(parent.unwrap_or(Path::new("")));
    let names: Vec<String> = names.into_iter().filter_map(|name| name.into_string().ok()).collect();
    let nearest = crate::text::fuzzy::name::nearest(name, names.iter().map(String::as_str), 3);
    let in_place = |name: &String| match parent {
        Some(parent) => parent.join(name),
        // Without it the name would be a flag.
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
        let mut names = ["a-b", "a/z", "a", "a.md", "B"];
        names.sort_by(|left, right| in_order(OsStr::new(left), OsStr::new(right)));
        assert_eq!(names, ["B", "a", "a/z", "a-b", "a.md"]);
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
            let (paths, _) = files_below(root, options).expect("walked");
            let relative =
                |path: &PathBuf| path.strip_prefix(root).map(|path| path.display().to_string());
            paths.iter().map(|path| relative(path).expect("below")).collect()
        };
        assert_eq!(names(&WalkOptions::default()), ["a.md", "b.txt", "sub/a.md"]);
        let globs = WalkOptions { globs: vec!["*.md".into(), "!sub".into()], ..Default::default() };
        // As in ripgrep, what a glob asks for is not ignored.
        assert_eq!(names(&globs), ["a.md", "no.md"]);
        let types = WalkOptions { types: vec!["txt".into()], ..Default::default() };
        assert_eq!(names(&types), ["b.txt"]);
        assert_eq!(
            files_named(root, OsStr::new("a.md"), &Roots::default()).expect("walked").len(),
            2
        );
    }
}
