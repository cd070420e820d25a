//! The directories that folio may access: all, or only those below certain directories, which are
//! kept open and may have names. All code that opens, lists or examines a path uses this module.
//!
//! Below a root, every path is resolved relative to its handle, with `openat2` where the system has
//! it. cap-std would do the same, but reports a path that leads outside as a missing permission,
//! and has its own types for all files.

// What is done where files may be everywhere is done here.
#![allow(clippy::disallowed_methods)]

mod beneath;
mod directories;
mod root_set;
pub mod secrets;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{CWD, FileType, OFlags};
use rustix::io::Errno;

use self::root_set::{Refusal, RootSet};
pub use super::system::Status;
use super::system::{self, LOOK};
use crate::error::{Code, Error};

/// Where files may be, and what relative paths begin at. Without any root files
/// may be everywhere.
#[derive(Clone, Debug)]
pub struct Roots {
    inner: Arc<Inner>,
    mounts: Option<Arc<dyn Mounts>>,
    homeless: bool,
}

/// Directories that have a name wherever one is: `@NAME/…` means what is below.
pub trait Mounts: std::fmt::Debug + Send + Sync {
    /// The directory of a name.
    fn directory(&self, name: &str) -> Option<PathBuf>;
    /// All names.
    fn names(&self) -> Vec<String>;
    /// Whether what has this name is kept elsewhere: its documents can only be
    /// read.
    fn is_stored(&self, _name: &str) -> bool {
        false
    }
    /// A document of such, as a file without a name.
    fn open_stored(&self, _name: &str, _document: &[u8]) -> Result<File, Error> {
        Err(Error::usage("this folio was built without databases (the feature postgres)"))
    }
}

#[derive(Debug)]
struct Inner {
    directory: WorkingDirectory,
    set: Option<RootSet>,
}

/// Which directory a root is at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(system::FileId);

/// The directory that a root as `--root` gives it means.
pub fn directory_of(given: &OsStr) -> &Path {
    root_set::named(given).1
}

impl Place {
    /// That of a root as `--root` gives it; none where it is missing.
    pub fn of(given: &OsStr) -> Option<Self> {
        let status = system::status_of_path(root_set::named(given).1).ok()?;
        status.kind.is_dir().then(|| Self(status.id()))
    }
}

/// What relative paths begin at.
#[derive(Clone, Debug, Default)]
pub struct WorkingDirectory {
    /// From `/` on and without links; none where it is gone.
    pub path: Option<PathBuf>,
    /// The same as a shell calls it, where that is another path.
    pub logical: Option<PathBuf>,
    /// Whether it is that of the process, so that the system finds relative
    /// paths by itself.
    pub is_of_process: bool,
}

impl WorkingDirectory {
    /// That of the process; `logical` is what its shell calls it.
    #[allow(clippy::disallowed_methods)]
    pub fn of_process(logical: Option<PathBuf>) -> Self {
        let path = std::env::current_dir().ok();
        let logical = path.as_deref().zip(logical).and_then(|(path, logical)| {
            let is_other = logical.is_absolute() && logical != path;
            let same = || {
                let one = system::status_of_path(&logical).ok()?;
                Some(one.is_same_file(&system::status_of_path(path).ok()?))
            };
            (is_other && same() == Some(true)).then_some(logical)
        });
        Self { path, logical, is_of_process: true }
    }
}

impl Default for Roots {
    fn default() -> Self {
        Self::everywhere(WorkingDirectory::of_process(None))
    }
}

impl Roots {
    /// No confinement.
    pub fn everywhere(directory: WorkingDirectory) -> Self {
        Self { inner: Arc::new(Inner { directory, set: None }), mounts: None, homeless: false }
    }

    /// No confinement; relative paths begin at a directory of any process.
    ///
    /// Fails where no such directory.
    pub fn from_directory(directory: &Path) -> Result<Self, Error> {
        let path = std::fs::canonicalize(directory);
        let path = path.map_err(|error| Error::io(&error, directory))?;
        let directory = WorkingDirectory { path: Some(path), ..WorkingDirectory::default() };
        Ok(Self::everywhere(directory))
    }

    /// Roots as `--root` gives them, each `DIR` or `NAME=DIR`.
    ///
    /// Fails where one is no directory, and where a name is given twice.
    pub fn open(given: &[OsString], directory: WorkingDirectory) -> Result<Self, Error> {
        let set = RootSet::open(given, &directory)?;
        Ok(Self {
            inner: Arc::new(Inner { directory, set: Some(set) }),
            mounts: None,
            homeless: false,
        })
    }

    /// The same with directories that have names.
    pub fn with_mounts(self, mounts: Arc<dyn Mounts>) -> Self {
        Self { mounts: Some(mounts), ..self }
    }

    /// Removes the home directory, for a user whose home is unknown.
    pub fn without_home(self) -> Self {
        Self { homeless: true, ..self }
    }

    /// Whether no home of the user is known. It is not to be looked up among the
    /// accounts: a binary that is linked statically cannot load what that takes.
    pub fn lack_home(&self) -> bool {
        self.homeless
    }

    /// A path without the name of a mount, where it begins with one that may be
    /// seen.
    fn plain<'a>(&self, path: &'a Path) -> Cow<'a, Path> {
        let Some((name, below)) = mounted(path) else { return Cow::Borrowed(path) };
        let found = self.mounts.as_ref().and_then(|mounts| mounts.directory(name));
        match found.filter(|directory| self.is_within(directory)) {
            Some(directory) if below.is_empty() => Cow::Owned(directory),
            Some(directory) => Cow::Owned(directory.join(OsStr::from_bytes(below))),
            None => Cow::Borrowed(path),
        }
    }

    /// What keeps a document that is not on this machine, with the name and the
    /// document's own path. There are none below roots.
    fn stored<'a>(&self, path: &'a Path) -> Option<(&dyn Mounts, &'a str, &'a [u8])> {
        let (name, below) = mounted(path)?;
        let mounts = self.mounts.as_deref().filter(|_| !self.confine())?;
        mounts.is_stored(name).then_some((mounts, name, below))
    }

    /// Fails where a path is that of a document that is kept elsewhere.
    fn check_on_disk(&self, path: &Path) -> Result<(), Error> {
        match self.stored(path) {
            Some(_) => {
                let message = "it is kept in a database, where it can only be read";
                Err(Error::new(Code::ReadOnly, message).at(path))
            }
            None => Ok(()),
        }
    }

    fn is_within(&self, directory: &Path) -> bool {
        self.set().is_none_or(|set| !set.places(directory).is_empty())
    }

    /// The names of mounts that are most like the one that begins a path, where
    /// there is no such.
    pub fn similar_mounts(&self, path: &Path) -> Option<Vec<String>> {
        let (name, _) = mounted(path)?;
        let mounts = self.mounts.as_ref()?;
        if matches!(self.plain(path), Cow::Owned(_)) {
            return None;
        }
        if self.stored(path).is_some() {
            return None;
        }
        let seen = |name: &String| {
            let is_stored = !self.confine() && mounts.is_stored(name);
            is_stored || mounts.directory(name).is_some_and(|at| self.is_within(&at))
        };
        let names: Vec<String> = mounts.names().into_iter().filter(seen).collect();
        let near = crate::text::fuzzy::name::nearest(name, names.iter().map(String::as_str), 3);
        Some(near.into_iter().map(|at| names[at].clone()).collect())
    }

    /// Other roots, for a process that is nowhere itself: relative paths begin at
    /// the root, or with the name of one of several. Files that may hold
    /// secrets may be as if they were not there.
    pub fn below(&self, given: &[OsString], hides_secrets: bool) -> Result<Self, Error> {
        let mut set = RootSet::open(given, &WorkingDirectory::of_process(None))?;
        set.hides_secrets = hides_secrets;
        let path = set.only().map(Path::to_owned);
        let directory = WorkingDirectory { path, ..WorkingDirectory::default() };
        let set = set.seen_from(directory.clone());
        Ok(Self {
            inner: Arc::new(Inner { directory, set: Some(set) }),
            mounts: self.mounts.clone(),
            homeless: self.homeless,
        })
    }

    fn set(&self) -> Option<&RootSet> {
        self.inner.set.as_ref()
    }

    /// The directory that relative paths begin at; none where it is gone.
    pub fn working_directory(&self) -> Option<&Path> {
        self.inner.directory.path.as_deref()
    }

    /// A path as the system finds it, where files may be everywhere.
    fn of_system<'a>(&self, path: &'a Path) -> Cow<'a, Path> {
        match &self.inner.directory {
            WorkingDirectory { is_of_process: false, path: Some(directory), .. } => {
                directory.join(path).into()
            }
            _ => path.into(),
        }
    }

    /// Whether a name is left out because what has it may hold secrets.
    pub fn hide(&self, name: &OsStr) -> bool {
        self.hides_secrets() && secrets::is_secret(name)
    }

    /// Whether files that may hold secrets are left out.
    pub fn hides_secrets(&self) -> bool {
        self.set().is_some_and(|set| set.hides_secrets)
    }

    fn holds_secrets(&self, below: &Path) -> bool {
        self.hides_secrets() && secrets::names(below)
    }

    /// Fails where a path names what may hold secrets, and these are not shown.
    pub fn check_shown(&self, path: &Path) -> Result<(), Error> {
        match self.holds_secrets(path) {
            true => Err(Refusal::Secret.error(path)),
            false => Ok(()),
        }
    }

    /// Whether files may be only below certain directories.
    pub fn confine(&self) -> bool {
        self.set().is_some()
    }

    /// Whether the first name of a path is that of a root.
    pub fn is_named(&self, path: &Path) -> bool {
        self.set().is_some_and(|set| set.named(path).is_some())
    }

    /// What stands for all files there may be: the current directory, or all
    /// roots where that is outside of them.
    pub fn all(&self) -> Vec<PathBuf> {
        match self.set() {
            Some(set) if set.places(Path::new(".")).is_empty() => set.shown(),
            _ => vec![PathBuf::from(".")],
        }
    }

    /// Opens a file for reading; links are followed. A FIFO, or a device, is
    /// not waited for.
    pub fn open_file(&self, path: &Path) -> Result<File, Error> {
        if let Some((mounts, name, document)) = self.stored(path) {
            return mounts.open_stored(name, document).map_err(|error| error.at(path));
        }
        let opened = self.open_as(path, system::TO_READ);
        opened.map(File::from).map_err(|refusal| refusal.error(path))
    }

    fn open_as(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Refusal<'_>> {
        let path = &*self.plain(path);
        match self.set() {
            None => Ok(system::open_path(&self.of_system(path), flags)?),
            Some(set) => set.open_to_read(path, flags),
        }
    }

    /// Opens a directory, to list it or to lock it; links are followed.
    pub fn open_directory(&self, path: &Path) -> Result<OwnedFd, Error> {
        let opened = self.open_as(path, OFlags::RDONLY | OFlags::DIRECTORY);
        opened.map_err(|refusal| refusal.error(path))
    }

    /// What a path leads to, links followed.
    pub fn status(&self, path: &Path) -> Result<Status, Error> {
        if self.stored(path).is_some() {
            let file = self.open_file(path)?;
            return system::status_of(&file).map_err(|error| Error::io(&error.into(), path));
        }
        self.asked(path).map_err(|refusal| refusal.error(path))
    }

    fn asked(&self, path: &Path) -> Result<Status, Refusal<'_>> {
        let path = &*self.plain(path);
        Ok(match self.set() {
            None => system::status_of_path(&self.of_system(path))?,
            Some(set) => system::status_of(set.open_below(path, LOOK)?)?,
        })
    }

    /// What there is at a path, links followed; `None` where there is nothing.
    ///
    /// Fails where that cannot be known.
    pub fn look(&self, path: &Path) -> Result<Option<Status>, Error> {
        or_nothing(self.asked(path), path)
    }

    /// The same with all that the system knows of it.
    pub fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        let own = self.plain(path);
        let path = &*own;
        let Some(set) = self.set() else { return std::fs::metadata(self.of_system(path)) };
        match set.open_below(path, LOOK) {
            Ok(file) => File::from(file).metadata(),
            Err(Refusal::System(error)) => Err(error.into()),
            Err(_) => Err(io::ErrorKind::PermissionDenied.into()),
        }
    }

    /// Whether a path leads to a directory.
    pub fn is_directory(&self, path: &Path) -> bool {
        self.asked(path).is_ok_and(|status| status.kind.is_dir())
    }

    /// Whether a path leads to a regular file.
    pub fn is_file(&self, path: &Path) -> bool {
        if self.stored(path).is_some() {
            return self.open_file(path).is_ok();
        }
        self.asked(path).is_ok_and(|status| status.kind.is_file())
    }

    /// Whether something has this path, be it a broken link.
    pub fn exists(&self, path: &Path) -> bool {
        self.is_named_on_disk(path).unwrap_or(false)
    }

    /// The same.
    ///
    /// Fails where that cannot be known.
    pub fn is_named_on_disk(&self, path: &Path) -> Result<bool, Error> {
        if self.stored(path).is_some() {
            return Ok(self.open_file(path).is_ok());
        }
        let own = self.plain(path);
        let path = &*own;
        let found = match self.set() {
            None => system::status_at(CWD, self.of_system(path).as_os_str())
                .map(drop)
                .map_err(Refusal::System),
            Some(set) => set.open_below(path, LOOK | OFlags::NOFOLLOW).map(drop),
        };
        or_nothing(found, path).map(|found| found.is_some())
    }

    /// What a path says that is a symbolic link.
    pub fn link_text(&self, path: &Path) -> Option<PathBuf> {
        let own = self.plain(path);
        let path = &*own;
        let Some(set) = self.set() else { return self.of_system(path).read_link().ok() };
        let link = set.open_below(path, LOOK | OFlags::NOFOLLOW).ok()?;
        let is_link = system::status_of(&link).is_ok_and(|status| status.kind == FileType::Symlink);
        let text = is_link.then(|| system::read_link_text(&link, OsStr::new("")).ok()).flatten()?;
        Some(OsString::from_vec(text).into())
    }

    /// The names in a directory, sorted; none where no such directory.
    ///
    /// Fails where they cannot be known.
    pub fn names_in(&self, directory: &Path) -> Result<Vec<OsString>, Error> {
        let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        let mut names = Vec::new();
        let opened = self.open_as(directory, OFlags::RDONLY | OFlags::DIRECTORY);
        let listed = opened.and_then(|handle| {
            system::each_name(&handle, |name, _| names.push(name.to_owned()))
                .map_err(Refusal::System)
        });
        or_nothing(listed, directory)?;
        names.retain(|name| !self.hide(name));
        names.sort_unstable();
        Ok(names)
    }

    /// Where a path leads, from `/` on and without links.
    ///
    /// Fails as the system says where nothing is there.
    pub fn resolve(&self, path: &Path) -> Result<PathBuf, Error> {
        self.check_on_disk(path)?;
        self.resolved(path).map_err(|refusal| refusal.error(path))
    }

    /// The same; `None` where nothing is there.
    ///
    /// Fails where that cannot be known.
    pub fn resolve_if_there(&self, path: &Path) -> Result<Option<PathBuf>, Error> {
        self.check_on_disk(path)?;
        or_nothing(self.resolved(path), path)
    }

    fn resolved(&self, path: &Path) -> Result<PathBuf, Refusal<'_>> {
        let own = self.plain(path);
        let path = &*own;
        let Some(set) = self.set() else {
            let path = self.of_system(path);
            return std::fs::canonicalize(&path).map_err(|error| {
                let errno = Errno::from_io_error(&error).unwrap_or(Errno::INVAL);
                // If the working directory is unknown, its files seem not to exist.
                let is_there = errno == Errno::NOENT && system::status_of_path(&path).is_ok();
                Refusal::System(if is_there { Errno::STALE } else { errno })
            });
        };
        set.reach(path, |root, below| {
            let place = beneath::follow(&root.handle, below, true)?;
            place.status(&root.handle)?;
            Ok((root.join(&place.path()), place.path()))
        })
        .and_then(|(whole, below)| match self.holds_secrets(&below) {
            true => Err(Refusal::Secret),
            false => Ok(whole),
        })
    }

    /// A path from `/` on, by names alone.
    pub fn absolute(&self, path: &Path) -> Result<PathBuf, Error> {
        self.check_on_disk(path)?;
        let own = self.plain(path);
        let path = &*own;
        match self.set() {
            None => {
                let gone = || Error::io(&Errno::NOENT.into(), path);
                let whole = match path.is_absolute() {
                    true => path.to_owned(),
                    false => self.working_directory().ok_or_else(gone)?.join(path),
                };
                std::path::absolute(whole).map_err(|error| Error::io(&error, path))
            }
            Some(set) => match set.places(path).first() {
                None => Err(Refusal::Outside(set).error(path)),
                Some((root, below)) => Ok(root.join(below)),
            },
        }
    }

    /// A path as other programs take it: they do not know the names of roots.
    pub fn on_disk(&self, path: &Path) -> PathBuf {
        let path = &*self.plain(path);
        let named = self.set().and_then(|set| set.named(path));
        named.map_or_else(|| path.to_owned(), |(root, below)| root.given.join(below))
    }

    /// Whether a path lies below a root by its names, if files may be only
    /// there.
    pub fn may_hold(&self, path: &Path) -> bool {
        self.is_within(&self.plain(path))
    }
}
/// What was found, or nothing where no file can be called so.
fn or_nothing<T>(found: Result<T, Refusal<'_>>, path: &Path) -> Result<Option<T>, Error> {
    let nothing = [Errno::NOENT, Errno::NOTDIR, Errno::NAMETOOLONG, Errno::INVAL, Errno::LOOP];
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Refusal::System(error)) if nothing.contains(&error) => Ok(None),
        Err(refusal @ Refusal::System(_)) => Err(refusal.error(path)),
        Err(Refusal::Outside(_) | Refusal::Escape { .. } | Refusal::Secret) => {
            Err(Error::new(Code::OutsideRoot, "it leads to where files may not be").at(path))
        }
    }
}

/// The name and the rest of `@NAME/rest`.
fn mounted(path: &Path) -> Option<(&str, &[u8])> {
    let bytes = path.as_os_str().as_bytes().strip_prefix(b"@")?;
    let end = memchr::memchr(b'/', bytes).unwrap_or(bytes.len());
    let name = std::str::from_utf8(&bytes[..end]).ok().filter(|name| !name.is_empty())?;
    let below = &bytes[end..];
    Some((name, below.strip_prefix(b"/").unwrap_or(below)))
}
