//! The open roots, with the paths that the user gave for them. Finds the root of a path, and
//! creates the errors for paths outside all roots.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::beneath::{self, Failure};
use super::{WorkingDirectory, secrets};
use crate::error::{Change, Code, Error, Hint, shell_path};
use crate::options::ROOT;
use crate::system::{self, LOOK, Status};

/// Maximum number of times that resolving a path may lead from one root into another.
const MAX_TURNS: usize = 8;
/// Maximum number of roots to search for similar paths.
const MAX_ROOTS: usize = 16;
/// Maximum number of attempts to open a root while other programs change it.
const MAX_TRIES: usize = 16;

#[derive(Debug)]
pub(super) struct RootSet {
    /// The roots in the order in which they were given.
    roots: Vec<Root>,
    directory: WorkingDirectory,
    /// Whether files that may contain secrets are hidden.
    pub(super) hides_secrets: bool,
}

/// A directory below which files may be accessed.
#[derive(Debug)]
pub(super) struct Root {
    /// The name of the root. A relative path that begins with this name is in the root.
    name: Option<OsString>,
    /// The path as the user gave it.
    pub(super) given: PathBuf,
    /// The absolute path, computed without access to the disk.
    absolute: Option<PathBuf>,
    /// The absolute path with symlinks resolved.
    resolved: PathBuf,
    /// The handle of the directory.
    pub(super) handle: OwnedFd,
}

/// The reason why a path cannot be accessed.
pub(super) enum Refusal<'a> {
    /// An error of the system.
    System(Errno),
    /// The file may contain secrets.
    Secret,
    /// The path is not below any of these roots.
    Outside(&'a RootSet),
    /// A symlink points outside this root.
    Escape {
        /// The root that contains the symlink.
        root: &'a Root,
        /// The path of the symlink, relative to the root.
        link: PathBuf,
        /// The text of the symlink.
        text: PathBuf,
    },
}

impl From<Errno> for Refusal<'_> {
    fn from(error: Errno) -> Self {
        Self::System(error)
    }
}

impl Refusal<'_> {
    pub(super) fn error(self, path: &Path) -> Error {
        match self {
            Self::System(error) => Error::io(&error.into(), path),
            Self::Secret => Error::new(
                Code::OutsideRoot,
                "it may contain secrets: .git, .env and key files are not shown here",
            )
            .at(path),
            Self::Outside(set) => set.outside_error(path).at(path),
            Self::Escape { root, link, text } => root.escape_error(&link, &text, path).at(path),
        }
    }
}

impl Root {
    /// Opens a value of `--root`: `DIR` or `NAME=DIR`.
    fn open(given: &OsStr, working_directory: Option<&Path>) -> Result<Self, Error> {
        let (name, path) = split_name(given);
        if path.as_os_str().is_empty() {
            return Err(Error::usage(format!("{ROOT}: the directory is missing"))
                .hint(format!("{ROOT} DIR, or {ROOT} NAME=DIR  # a directory that exists")));
        }
        if let Some(name) = name.filter(|name| [".", "..", "-"].iter().any(|other| name == other)) {
            let name = Path::new(name).display();
            let message = format!("{ROOT}: '{name}' cannot be a name, because it is also a path");
            return Err(Error::usage(message).hint(
                Hint::again([Change::replace(ROOT, given, "NAME=DIR")]).why("with another name"),
            ));
        }
        // As an operand, a path that begins like this would not be parsed as a path.
        let is_odd = matches!(path.as_os_str().as_bytes().first(), Some(b'-' | b'@'));
        let path = if is_odd { Path::new(".").join(path) } else { path.to_owned() };
        let failed = |error: io::Error| {
            let error = Error::io(&error, &path).after(format!("{ROOT} '{}': ", path.display()));
            let error = Error { path: None, ..error };
            if name.is_some() && Path::new(given).is_dir() {
                let plain = Path::new(".").join(given);
                let plain = Change::replace(ROOT, given, plain.as_os_str());
                error.hint(Hint::again([plain]).why("a directory whose name contains ="))
            } else {
                error
            }
        };
        let (handle, resolved) = open_directory(&path).map_err(failed)?;
        let absolute = working_directory.map(|here| from_root(here, &path));
        Ok(Self { name: name.map(OsStr::to_owned), given: path, absolute, resolved, handle })
    }

    /// Returns the absolute path of a path below the root.
    pub(super) fn join(&self, below: &Path) -> PathBuf {
        join_path(&self.resolved, below)
    }

    /// Returns the path that results show: the name of the root, or the path that the user gave.
    fn displayed_path(&self) -> &Path {
        self.name.as_deref().map_or(&self.given, Path::new)
    }

    /// Returns an absolute path relative to the root, if its names show that it is below the root.
    fn rest_of(&self, absolute: &Path) -> Option<PathBuf> {
        let whole = absolute.as_os_str().as_bytes();
        let below = |root: &Path| {
            let root = root.as_os_str().as_bytes();
            let root = root.strip_suffix(b"/").unwrap_or(root);
            let after = whole.strip_prefix(root)?;
            matches!(after.first(), None | Some(b'/')).then(|| path_below_root(after))
        };
        below(&self.resolved).or_else(|| below(self.absolute.as_deref()?))
    }

    fn status(&self, below: &Path) -> Option<Status> {
        let place = beneath::follow(&self.handle, below, true).ok()?;
        place.status(&self.handle).ok()
    }

    /// Returns the error for a symlink that points outside the root.
    fn escape_error(&self, link: &Path, text: &Path, path: &Path) -> Error {
        let (root, at, target) =
            (self.displayed_path().display(), self.displayed_path().join(link), text.display());
        let name = if at == path {
            "this symlink".to_owned()
        } else {
            format!("the symlink '{}'", at.display())
        };
        let relative = self.relative_text(link, text);
        let Some(relative) = relative else {
            let message = format!("{name} points outside the root '{root}', to '{target}'");
            let hint = Hint::again([Change::add(ROOT, "DIR")])
                .why("a directory that contains both the link and its target");
            return Error::new(Code::SymlinkEscape, message).hint(hint);
        };
        let message = format!(
            "{name} has an absolute target, '{target}', but with {ROOT} only relative symlinks are \
             followed"
        );
        let (relative, at) = (shell_path(&relative), shell_path(&self.given.join(link)));
        Error::new(Code::SymlinkEscape, message)
            .hint(format!("ln -sfn {relative} {at}  # the same link, relative"))
    }

    /// Returns a relative text that would replace the absolute text of a symlink, if its target is
    /// below the root.
    fn relative_text(&self, link: &Path, text: &Path) -> Option<PathBuf> {
        let inside = self.rest_of(text)?;
        let is_plain = inside.components().all(|part| matches!(part, Component::Normal(_)));
        self.status(&inside).filter(|_| is_plain)?;
        let ups = link.components().count().saturating_sub(1);
        let mut relative: PathBuf = std::iter::repeat_n("..", ups).collect();
        relative.push(inside);
        Some(if relative.as_os_str().is_empty() { PathBuf::from(".") } else { relative })
    }
}

impl RootSet {
    /// Opens roots from values of `--root`.
    pub(super) fn open(given: &[OsString], directory: &WorkingDirectory) -> Result<Self, Error> {
        let mut roots: Vec<Root> = Vec::new();
        for value in given {
            let root = Root::open(value, directory.path.as_deref())?;
            let same_name = |other: &&Root| other.name.is_some() && other.name == root.name;
            if let Some(other) = roots.iter().find(same_name) {
                let name = other.displayed_path().display();
                let message = format!("{ROOT}: two directories have the name '{name}'");
                return Err(Error::usage(message));
            }
            roots.push(root);
        }
        Ok(Self { roots, directory: directory.clone(), hides_secrets: false })
    }

    /// Returns the path of the root, if there is only one.
    pub(super) fn single_root_path(&self) -> Option<&Path> {
        match &self.roots[..] {
            [root] => Some(&root.resolved),
            _ => None,
        }
    }

    /// Changes the directory to which relative paths refer.
    pub(super) fn seen_from(self, directory: WorkingDirectory) -> Self {
        Self { directory, ..self }
    }

    /// Returns the root whose name is at the start of a path, and the rest of the path.
    pub(super) fn named_root(&self, path: &Path) -> Option<(&Root, PathBuf)> {
        let bytes = path.as_os_str().as_bytes();
        let end = memchr::memchr(b'/', bytes).unwrap_or(bytes.len());
        let first = OsStr::from_bytes(&bytes[..end]);
        let root = self.roots.iter().find(|root| root.name.as_deref() == Some(first))?;
        Some((root, path_below_root(&bytes[end..])))
    }

    /// Returns the roots that contain a path according to its names, outermost first, each with the
    /// rest of the path. Resolving the rest may still lead outside the root, which is detected
    /// then.
    pub(super) fn roots_containing(&self, path: &Path) -> Vec<(&Root, PathBuf)> {
        if let Some(named) = self.named_root(path) {
            return vec![named];
        }
        self.absolute(path).map_or_else(Vec::new, |absolute| self.places_of(&absolute))
    }

    fn places_of(&self, absolute: &Path) -> Vec<(&Root, PathBuf)> {
        let places = self.roots.iter().filter_map(|root| Some((root, root.rest_of(absolute)?)));
        let mut places: Vec<_> = places.collect();
        places.sort_by_key(|(root, _)| root.resolved.components().count());
        places
    }

    /// Makes a path absolute, without access to the disk.
    fn absolute(&self, path: &Path) -> Option<PathBuf> {
        let working_directory = self.directory.path.as_deref();
        let (Some(here), Some(called)) = (working_directory, &self.directory.logical) else {
            return match working_directory {
                Some(here) => Some(from_root(here, path)),
                None => path.is_absolute().then(|| path.to_owned()),
            };
        };
        // The path that the shell uses for the current directory refers to the same directory.
        match path.strip_prefix(called) {
            Ok(_) => {
                let called = called.as_os_str().len();
                Some(join_path(here, &path_below_root(&path.as_os_str().as_bytes()[called..])))
            }
            Err(_) => Some(from_root(here, path)),
        }
    }

    /// Opens the file that a path refers to. The flags determine whether symlinks are followed.
    pub(super) fn open_below(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Refusal<'_>> {
        self.reach(path, |root, below| beneath::open(&root.handle, below, flags))
    }

    /// Opens the file that a path refers to for reading its contents. Fails if the file may contain
    /// secrets.
    pub(super) fn open_to_read(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Refusal<'_>> {
        if self.hides_secrets && secrets::has_secret_name(path) {
            return Err(Refusal::Secret);
        }
        let opened = self.open_below(path, flags)?;
        // The target of a symlink may have another name.
        if self.hides_secrets && self.is_secret(path, &opened) {
            return Err(Refusal::Secret);
        }
        Ok(opened)
    }

    /// Whether the file that a path refers to may contain secrets, judging by its resolved path
    /// below the root.
    fn is_secret(&self, path: &Path, opened: &OwnedFd) -> bool {
        let real_path = system::path_of(opened).or_else(|| {
            let followed = self.reach(path, |root, below| {
                Ok(root.join(&beneath::follow(&root.handle, below, true)?.path()))
            });
            followed.ok()
        });
        let roots = self.roots.iter();
        let below = real_path
            .and_then(|real_path| roots.filter_map(|root| root.rest_of(&real_path)).next());
        below.is_some_and(|below| secrets::has_secret_name(&below))
    }

    /// Calls a function with the target of a path, for the first root from which the path can be
    /// reached.
    pub(super) fn reach<T>(
        &self,
        path: &Path,
        act: impl Fn(&Root, &Path) -> Result<T, Failure>,
    ) -> Result<T, Refusal<'_>> {
        if path.as_os_str().is_empty() {
            return Err(Errno::NOENT.into());
        }
        let mut refused = Refusal::Outside(self);
        let mut places = self.roots_containing(path);
        for _ in 0..MAX_TURNS {
            let mut next = Vec::new();
            for (root, below) in places {
                match act(root, &below) {
                    Ok(done) => return Ok(done),
                    Err(Failure::System(error)) => return Err(error.into()),
                    Err(Failure::Escape { link, text }) => {
                        refused = Refusal::Escape { root, link, text };
                    }
                    Err(Failure::Outside { rest }) => {
                        // The path of a root contains no symlinks, so a `..` above it can be
                        // resolved without access to the disk.
                        let above = root.resolved.parent().unwrap_or(Path::new("/"));
                        next = self.places_of(&from_root(above, &rest));
                        next.retain(|(other, _)| !std::ptr::eq(*other, root));
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            places = next;
        }
        Err(refused)
    }

    /// Returns the displayed paths of the roots, without roots that are within other roots.
    pub(super) fn displayed_paths(&self) -> Vec<PathBuf> {
        let is_within = |(at, root): &(usize, &Root)| {
            self.roots.iter().enumerate().any(|(other_at, other)| {
                let is_same = other.resolved == root.resolved;
                root.resolved.starts_with(&other.resolved) && (!is_same || other_at < *at)
            })
        };
        let roots = self.roots.iter().enumerate().filter(|place| !is_within(place));
        roots.map(|(_, root)| root.displayed_path().to_owned()).collect()
    }

    /// Returns the error for a path outside all roots, with a suggestion of a path that would work.
    fn outside_error(&self, path: &Path) -> Error {
        let names: Vec<String> = self
            .roots
            .iter()
            .map(|root| format!("'{}'", root.displayed_path().display()))
            .collect();
        let (roots, them) = match &names[..] {
            [only] => (format!("the root {only}"), "it"),
            names => (format!("the roots {}", names.join(", ")), "them"),
        };
        let found = self.spellings(path);
        if found.len() > 1 {
            let message = format!(
                "it is outside {roots}, and {} of them have a file with this path",
                found.len()
            );
            let mut error = Error::new(Code::AmbiguousPath, message);
            for spelling in found.iter().take(5) {
                let below = Change::path(path, spelling);
                error = error.hint(Hint::again([below]).why("one of them"));
            }
            return error;
        }
        let error = Error::new(Code::OutsideRoot, format!("outside {roots}"));
        if let Some(spelling) = found.first() {
            let below = Change::path(path, spelling);
            return error.hint(Hint::again([below]).why("its path below the root"));
        }
        // For a server with one root, the root is the working directory, regardless of the name of
        // the root.
        let is_here = |root: &Root| {
            let is_working_directory = self.directory.path.as_deref() == Some(&root.resolved);
            is_working_directory && root.name.is_none() && !self.directory.is_of_process
        };
        let begin = |root: &Root| {
            if is_here(root) {
                "./".to_owned()
            } else {
                format!("{}/", shell_path(root.displayed_path()))
            }
        };
        let begins: Vec<String> = self.roots.iter().map(begin).collect();
        error.hint(format!("paths inside {them} begin with {}", begins.join(" or ")))
    }

    /// Returns paths below roots to which a path outside all roots may refer.
    fn spellings(&self, path: &Path) -> Vec<PathBuf> {
        // In `x/../docs/a.md`, `x` may be a symlink, so `x/..` is removed only for suggestions.
        let folded =
            self.absolute(path).map(|absolute| resolve_parents(&absolute)).unwrap_or_default();
        let places = self.places_of(&folded);
        let found = places.iter().find(|(root, below)| root.status(below).is_some());
        if let Some((root, below)) = found {
            return vec![join_path(root.displayed_path(), below)];
        }
        if path.is_absolute() || !places.is_empty() {
            return Vec::new();
        }
        let names = path.components().filter(|part| matches!(part, Component::Normal(_)));
        let below: PathBuf = names.collect();
        if below.as_os_str().is_empty() {
            return Vec::new();
        }
        let roots = self.roots.iter().take(MAX_ROOTS);
        let roots = roots.filter(|root| root.status(&below).is_some());
        roots.map(|root| root.displayed_path().join(&below)).collect()
    }
}

/// Opens a directory. Returns its handle, and its path without symlinks at the same time.
fn open_directory(path: &Path) -> io::Result<(OwnedFd, PathBuf)> {
    for _ in 0..MAX_TRIES {
        let handle = system::open_path(path, LOOK | OFlags::DIRECTORY)?;
        let resolved = std::fs::canonicalize(path)?;
        if system::status_of(&handle)?.is_same_file(&system::status_of_path(&resolved)?) {
            return Ok((handle, resolved));
        }
    }
    Err(Errno::AGAIN.into())
}

/// Makes a path absolute. Resolves only the `..` at its beginning, because the path of the current
/// directory contains no symlinks.
fn from_root(working_directory: &Path, path: &Path) -> PathBuf {
    let mut absolute = PathBuf::from("/");
    let mut parts = path.components().peekable();
    if path.is_relative() {
        absolute = working_directory.to_owned();
        while let Some(part) =
            parts.next_if(|part| matches!(part, Component::CurDir | Component::ParentDir))
        {
            if part == Component::ParentDir {
                absolute.pop();
            }
        }
    }
    absolute.extend(parts);
    // Keep a trailing slash, which requires a directory.
    let bytes = path.as_os_str().as_bytes();
    if bytes.ends_with(b"/.") {
        absolute.push(".");
    } else if bytes.ends_with(b"/") {
        absolute.push("");
    }
    absolute
}

/// Like [`from_root`], but resolves every `..`.
fn resolve_parents(absolute: &Path) -> PathBuf {
    let mut folded = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => drop(folded.pop()),
            part => folded.push(part),
        }
    }
    folded
}

/// Returns the rest of a path after the path of a root.
fn path_below_root(after: &[u8]) -> PathBuf {
    let start = after.iter().position(|byte| *byte != b'/').unwrap_or(after.len());
    OsStr::from_bytes(&after[start..]).into()
}

fn join_path(root: &Path, below: &Path) -> PathBuf {
    // Joining an empty path would append a slash.
    if below.as_os_str().is_empty() { root.to_owned() } else { root.join(below) }
}

/// Splits `NAME=DIR`. The name must be a valid file name.
pub(super) fn split_name(given: &OsStr) -> (Option<&OsStr>, &Path) {
    let bytes = given.as_bytes();
    match memchr::memchr(b'=', bytes) {
        Some(at) if at > 0 && !bytes[..at].contains(&b'/') => {
            let (name, path) = (&bytes[..at], &bytes[at + 1..]);
            (Some(OsStr::from_bytes(name)), Path::new(OsStr::from_bytes(path)))
        }
        _ => (None, Path::new(given)),
    }
}
