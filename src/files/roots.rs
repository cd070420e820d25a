//! Where files may be: everywhere, or only below certain directories, each of
//! which is held open and may have a name. Whatever opens, lists or asks about a
//! path comes through here.
//!
//! Below roots every path is followed by the handle of its root, by `openat2`
//! where the system has it. cap-std would do the same, but tells a path that
//! leads out as a missing permission, and brings types of its own for all files.

// What is done where files may be everywhere is done here.
#![allow(clippy::disallowed_methods)]

mod beneath;

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{CWD, FileType, OFlags};
use rustix::io::Errno;

use self::beneath::Failure;
use super::system::{self, Status};
use crate::error::{Code, Error, shell_path};

/// Where files may be. Without any root, everywhere.
#[derive(Clone, Debug, Default)]
pub struct Roots {
    held: Option<Arc<Held>>,
}

#[derive(Debug)]
struct Held {
    /// In the order in which they were given.
    roots: Vec<Root>,
    /// The current directory.
    here: PathBuf,
}

/// A directory that files may be below of.
#[derive(Debug)]
struct Root {
    /// What a relative path begins with that means it.
    name: Option<OsString>,
    /// As it was given.
    given: PathBuf,
    /// The same from `/` on, by names alone.
    absolute: PathBuf,
    /// The same with links followed.
    whole: PathBuf,
    handle: OwnedFd,
}

impl Root {
    /// A path below it from `/` on.
    fn join(&self, below: &Path) -> PathBuf {
        // Joined with nothing, a path would end with a slash.
        if below.as_os_str().is_empty() { self.whole.clone() } else { self.whole.join(below) }
    }

    /// As it is told: its name, or the path it was given by.
    fn shown(&self) -> &Path {
        self.name.as_deref().map_or(&self.given, Path::new)
    }
}

/// Why a path cannot be reached.
enum Refusal<'a> {
    System(Errno),
    /// It lies below no root.
    Outside,
    /// It begins below a root and leads out of it.
    Escape {
        root: &'a Root,
        link: PathBuf,
        text: PathBuf,
    },
}

impl From<Errno> for Refusal<'_> {
    fn from(error: Errno) -> Self {
        Self::System(error)
    }
}

/// An access that asks for nothing but what is there.
#[cfg(target_os = "linux")]
const LOOK: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const LOOK: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

impl Roots {
    /// Roots as `--root` gives them, each `DIR` or `NAME=DIR`; without any,
    /// files may be everywhere.
    ///
    /// Fails where one is no directory, and where a name is given twice.
    pub fn open(given: &[OsString]) -> Result<Self, Error> {
        if given.is_empty() {
            return Ok(Self::default());
        }
        let here =
            std::env::current_dir().map_err(|error| flagged(Error::io(&error, Path::new("."))))?;
        let mut roots: Vec<Root> = Vec::new();
        for given in given {
            let root = open_root(given, &here)?;
            let same_name = |other: &&Root| other.name.is_some() && other.name == root.name;
            if let Some(other) = roots.iter().find(same_name) {
                let name = other.shown().display();
                return Err(Error::usage(format!(
                    "--root: two directories have the name '{name}'"
                )));
            }
            roots.push(root);
        }
        Ok(Self { held: Some(Arc::new(Held { roots, here })) })
    }

    /// Whether files may be only below certain directories.
    pub fn confine(&self) -> bool {
        self.held.is_some()
    }

    /// Whether the first name of a path is that of a root.
    pub fn is_named(&self, path: &Path) -> bool {
        let roots = self.held.iter().flat_map(|held| &held.roots);
        let first = path.as_os_str().as_bytes().split(|byte| *byte == b'/').next();
        let mut names = roots.filter_map(|root| root.name.as_deref());
        names.any(|name| Some(name.as_bytes()) == first)
    }

    /// What stands for all files there may be: the current directory, or all
    /// roots where that is outside of them.
    pub fn all(&self) -> Vec<PathBuf> {
        match &self.held {
            Some(held) if held.locate(Path::new(".")).is_none() => {
                held.roots.iter().map(|root| root.shown().to_owned()).collect()
            }
            _ => vec![PathBuf::from(".")],
        }
    }

    /// Opens a file for reading; links are followed.
    pub fn open_file(&self, path: &Path) -> Result<File, Error> {
        if self.held.is_none() {
            return File::open(path).map_err(|error| Error::io(&error, path));
        }
        self.confined(path, OFlags::RDONLY)
            .map(File::from)
            .map_err(|refusal| self.error(refusal, path))
    }

    /// The same for what is not to be waited for: regular files alone.
    pub fn open_regular(&self, path: &Path) -> Result<File, Error> {
        if self.held.is_none() {
            let opened = system::open_regular(CWD, path.as_os_str());
            return opened.map_err(|error| Error::io(&error.into(), path));
        }
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let opened =
            self.confined(path, flags).and_then(|file| match system::status_of(&file)?.kind {
                FileType::RegularFile => Ok(File::from(file)),
                _ => Err(Errno::INVAL.into()),
            });
        opened.map_err(|refusal| self.error(refusal, path))
    }

    /// Opens a directory, to list it or to lock it; links are followed.
    pub fn open_directory(&self, path: &Path) -> Result<OwnedFd, Error> {
        let opened = match self.held {
            None => system::open_directory(path).map_err(Refusal::System),
            Some(_) => self.confined(path, OFlags::RDONLY | OFlags::DIRECTORY),
        };
        opened.map_err(|refusal| self.error(refusal, path))
    }

    /// What a path leads to, links followed.
    pub fn status(&self, path: &Path) -> Result<Status, Error> {
        self.asked(path).map_err(|refusal| self.error(refusal, path))
    }

    fn asked(&self, path: &Path) -> Result<Status, Refusal<'_>> {
        Ok(match self.held {
            None => system::status_of_path(path)?,
            Some(_) => system::status_of(self.look(path, OFlags::empty())?)?,
        })
    }

    /// The same; `None` where a path leads to nothing, be it that nothing can
    /// have such a name.
    pub fn status_if_any(&self, path: &Path) -> Result<Option<Status>, Error> {
        let nothing = [Errno::NOENT, Errno::NOTDIR, Errno::NAMETOOLONG, Errno::INVAL, Errno::LOOP];
        match self.asked(path) {
            Ok(status) => Ok(Some(status)),
            Err(Refusal::System(error)) if nothing.contains(&error) => Ok(None),
            Err(refusal) => Err(self.error(refusal, path)),
        }
    }

    /// The same with all that the system knows of it.
    pub fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        if self.held.is_none() {
            return std::fs::metadata(path);
        }
        match self.look(path, OFlags::empty()) {
            Ok(file) => File::from(file).metadata(),
            Err(Refusal::System(error)) => Err(error.into()),
            Err(_) => Err(io::ErrorKind::PermissionDenied.into()),
        }
    }

    /// Whether a path leads to a directory.
    pub fn is_directory(&self, path: &Path) -> bool {
        self.metadata(path).is_ok_and(|metadata| metadata.is_dir())
    }

    /// Whether a path leads to a regular file.
    pub fn is_file(&self, path: &Path) -> bool {
        self.metadata(path).is_ok_and(|metadata| metadata.is_file())
    }

    /// Whether something has this path, be it a link that leads nowhere.
    pub fn exists(&self, path: &Path) -> bool {
        match self.held {
            None => path.symlink_metadata().is_ok(),
            Some(_) => self.look(path, OFlags::NOFOLLOW).is_ok(),
        }
    }

    /// What a path says that is a symbolic link.
    pub fn link_text(&self, path: &Path) -> Option<PathBuf> {
        if self.held.is_none() {
            return path.read_link().ok();
        }
        let link = self.look(path, OFlags::NOFOLLOW).ok()?;
        let is_link = system::status_of(&link).is_ok_and(|status| status.kind == FileType::Symlink);
        let text = is_link.then(|| system::read_link_text(&link, OsStr::new("")).ok()).flatten()?;
        Some(OsString::from_vec(text).into())
    }

    /// The names in a directory, sorted; none where it cannot be listed.
    pub fn names_in(&self, directory: &Path) -> Vec<OsString> {
        let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        let mut names = Vec::new();
        if let Ok(handle) = self.open_directory(directory) {
            // What was told before it failed is there.
            let _ = system::each_name(&handle, |name, _| names.push(name.to_owned()));
        }
        names.sort_unstable();
        names
    }

    /// Where a path leads, from `/` on and without links.
    ///
    /// Fails as the system says where nothing is there.
    pub fn resolve(&self, path: &Path) -> Result<PathBuf, Error> {
        let Some(held) = &self.held else {
            return std::fs::canonicalize(path).map_err(|error| Error::io(&error, path));
        };
        let resolved = || {
            let (root, below) = held.locate(path).ok_or(Refusal::Outside)?;
            let place = beneath::follow(&root.handle, &below, true);
            let place = place.map_err(|failure| refusal(failure, root))?;
            place.status(&root.handle)?;
            Ok(root.join(&place.path()))
        };
        resolved().map_err(|refusal| self.error(refusal, path))
    }

    /// A path from `/` on, by names alone.
    pub fn absolute(&self, path: &Path) -> Result<PathBuf, Error> {
        match &self.held {
            None => std::path::absolute(path).map_err(|error| Error::io(&error, path)),
            Some(held) => match held.locate(path) {
                None => Err(self.error(Refusal::Outside, path)),
                Some((root, below)) => Ok(root.join(&below)),
            },
        }
    }

    /// Whether a path lies below a root by its names, if files may be only
    /// there.
    pub fn may_hold(&self, path: &Path) -> bool {
        self.held.as_ref().is_none_or(|held| held.locate(path).is_some())
    }

    /// Removes a directory that is empty.
    pub(super) fn remove_directory(&self, path: &Path) -> Result<(), Error> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Error::usage("it has no name").at(path));
        };
        let removed = system::remove_directory(self.open_directory(parent)?, name);
        removed.map_err(|error| Error::io(&error.into(), path))
    }

    fn look(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Refusal<'_>> {
        self.confined(path, LOOK | flags)
    }

    fn confined(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Refusal<'_>> {
        let held = self.held.as_ref().ok_or(Refusal::Outside)?;
        let (root, below) = held.locate(path).ok_or(Refusal::Outside)?;
        beneath::open(&root.handle, &below, flags).map_err(|failure| refusal(failure, root))
    }

    fn error(&self, refusal: Refusal<'_>, path: &Path) -> Error {
        match (refusal, &self.held) {
            (Refusal::System(error), _) => Error::io(&error.into(), path),
            (Refusal::Escape { root, link, text }, _) => escape_error(root, &link, &text).at(path),
            (Refusal::Outside, Some(held)) => held.outside_error(path).at(path),
            (Refusal::Outside, None) => Error::new(Code::OutsideRoot, "it lies outside").at(path),
        }
    }
}

fn refusal(failure: Failure, root: &Root) -> Refusal<'_> {
    match failure {
        Failure::System(error) => Refusal::System(error),
        Failure::Outside => Refusal::Outside,
        Failure::Escape { link, text } => Refusal::Escape { root, link, text },
    }
}

impl Held {
    /// The root that a path lies below of by its names, and the rest of it. The
    /// rest may still lead out: that is seen when it is followed.
    fn locate(&self, path: &Path) -> Option<(&Root, PathBuf)> {
        let bytes = path.as_os_str().as_bytes();
        let end = memchr::memchr(b'/', bytes).unwrap_or(bytes.len());
        let first = OsStr::from_bytes(&bytes[..end]);
        let is_named = |root: &&Root| root.name.as_deref() == Some(first);
        if let Some(root) = self.roots.iter().find(is_named) {
            return Some((root, rest(&bytes[end..])));
        }
        let whole = from_root(&self.here, path);
        let whole = whole.as_os_str().as_bytes();
        let below = |root: &Path| {
            let root = root.as_os_str().as_bytes();
            let root = root.strip_suffix(b"/").unwrap_or(root);
            let after = whole.strip_prefix(root)?;
            matches!(after.first(), None | Some(b'/')).then(|| rest(after))
        };
        // Of roots within one another, the outermost holds the most.
        let found = self.roots.iter().filter_map(|root| {
            let below = below(&root.whole).or_else(|| below(&root.absolute))?;
            Some((root, below))
        });
        found.min_by_key(|(root, _)| root.whole.components().count())
    }

    /// The error for a path below no root, with the spelling that would work.
    fn outside_error(&self, path: &Path) -> Error {
        let names: Vec<String> =
            self.roots.iter().map(|root| format!("'{}'", root.shown().display())).collect();
        let (roots, them) = match &names[..] {
            [only] => (format!("the root {only}"), "it"),
            names => (format!("the roots {}", names.join(", ")), "them"),
        };
        let found = self.spellings(path);
        if found.len() > 1 {
            let told = format!("it lies outside {roots}, and {} of them have it", found.len());
            let mut error = Error::new(Code::AmbiguousPath, told);
            for spelling in found.iter().take(5) {
                error.hints.push(format!("{}  # one of them", shell_path(spelling)));
            }
            return error;
        }
        let error = Error::new(Code::OutsideRoot, format!("it lies outside {roots}"));
        if let Some(spelling) = found.first() {
            return error.hint(format!("{}  # so it lies inside", shell_path(spelling)));
        }
        let begins: Vec<String> =
            self.roots.iter().map(|root| format!("{}/", shell_path(root.shown()))).collect();
        error.hint(format!("paths inside {them} begin with {}", begins.join(" or ")))
    }

    /// Paths that lie below roots and may have been meant by one that does not.
    fn spellings(&self, path: &Path) -> Vec<PathBuf> {
        let reaches = |spelling: &PathBuf| {
            let (root, below) = self.locate(spelling)?;
            let place = beneath::follow(&root.handle, &below, true).ok()?;
            place.status(&root.handle).ok()
        };
        // `x/../docs/a.md`: what precedes `..` may be a link, so it is not
        // taken away unasked.
        let folded = folded(&from_root(&self.here, path));
        if let Some((root, below)) = self.locate(&folded) {
            let spelling = root.shown().join(below);
            return Some(spelling)
                .filter(|spelling| reaches(spelling).is_some())
                .into_iter()
                .collect();
        }
        if path.is_absolute() {
            return Vec::new();
        }
        let names = path.components().filter(|part| matches!(part, Component::Normal(_)));
        let below: PathBuf = names.collect();
        let spelled = self.roots.iter().map(|root| root.shown().join(&below));
        spelled.filter(|spelling| reaches(spelling).is_some()).collect()
    }
}

/// A path from `/` on. Of its names only those `..` are followed that begin it:
/// the current directory has no links in its path.
fn from_root(here: &Path, path: &Path) -> PathBuf {
    let mut whole = PathBuf::from("/");
    let mut parts = path.components().peekable();
    if path.is_relative() {
        whole = here.to_owned();
        while let Some(part) =
            parts.next_if(|part| matches!(part, Component::CurDir | Component::ParentDir))
        {
            if part == Component::ParentDir {
                whole.pop();
            }
        }
    }
    whole.extend(parts);
    // A slash at the end says that a directory is meant.
    if path.as_os_str().as_bytes().ends_with(b"/") {
        whole.push("");
    }
    whole
}

/// The same with every `..` followed by names.
fn folded(whole: &Path) -> PathBuf {
    let mut folded = PathBuf::new();
    for part in whole.components() {
        match part {
            Component::ParentDir => drop(folded.pop()),
            part => folded.push(part),
        }
    }
    folded
}

/// What follows a root's own path.
fn rest(after: &[u8]) -> PathBuf {
    let start = after.iter().position(|byte| *byte != b'/').unwrap_or(after.len());
    OsStr::from_bytes(&after[start..]).into()
}

fn open_root(given: &OsStr, here: &Path) -> Result<Root, Error> {
    let (name, path) = named(given);
    if path.as_os_str().is_empty() {
        return Err(Error::usage("--root: there is no directory in it")
            .hint("--root DIR, or --root NAME=DIR"));
    }
    if let Some(name) = name.filter(|name| [".", "..", "-"].iter().any(|other| name == other)) {
        let name = Path::new(name).display();
        return Err(Error::usage(format!("--root: '{name}' has a meaning of its own as a path"))
            .hint("give it another name: --root NAME=DIR"));
    }
    let failed = |error: io::Error| {
        let error = Error::io(&error, path);
        let taken_for_name = name.is_some() && Path::new(given).is_dir();
        let error = flagged(error);
        match taken_for_name {
            true => error.hint(format!(
                "--root ./{}  # the directory of that whole name",
                shell_path(Path::new(given))
            )),
            false => error,
        }
    };
    let handle = system::open_directory(path).map_err(|error| failed(error.into()))?;
    let whole = std::fs::canonicalize(path).map_err(failed)?;
    Ok(Root {
        name: name.map(OsStr::to_owned),
        given: path.to_owned(),
        absolute: from_root(here, path),
        whole,
        handle,
    })
}

/// `NAME=DIR`, where the name is one of a file.
fn named(given: &OsStr) -> (Option<&OsStr>, &Path) {
    let bytes = given.as_bytes();
    match memchr::memchr(b'=', bytes) {
        Some(at) if at > 0 && !bytes[..at].contains(&b'/') => {
            let (name, path) = (&bytes[..at], &bytes[at + 1..]);
            (Some(OsStr::from_bytes(name)), Path::new(OsStr::from_bytes(path)))
        }
        _ => (None, Path::new(given)),
    }
}

/// An error about a root, told of the flag.
fn flagged(error: Error) -> Error {
    let path = error.path.as_deref().map(|path| format!(" '{}'", path.display()));
    let message = format!("--root{}: {}", path.unwrap_or_default(), error.message);
    Error { message, path: None, ..error }
}

/// The error for a link that leads out of a root.
fn escape_error(root: &Root, link: &Path, text: &Path) -> Error {
    let (shown, at) = (root.shown().display(), root.shown().join(link));
    let told = text.display();
    let inside = text.strip_prefix(&root.whole).or_else(|_| text.strip_prefix(&root.absolute));
    let Ok(inside) = inside else {
        return Error::new(
            Code::SymlinkEscape,
            format!("the link '{}' leads out of the root '{shown}', to '{told}'", at.display()),
        );
    };
    let ups = link.components().count().saturating_sub(1);
    let mut relative: PathBuf = std::iter::repeat_n("..", ups).collect();
    relative.push(inside);
    let relative = if relative.as_os_str().is_empty() { PathBuf::from(".") } else { relative };
    let told = format!(
        "the link '{}' says '{told}': below a root only relative links are followed, even where \
         the target lies inside",
        at.display()
    );
    Error::new(Code::SymlinkEscape, told).hint(format!(
        "ln -sfn {} {}  # the same link, relative",
        shell_path(&relative),
        shell_path(&at)
    ))
}
