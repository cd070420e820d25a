//! The directories that folio may access: either all directories, or those below certain roots.
//! Roots are kept open and may have names. All code that opens, lists or examines a path uses this
//! module.
//!
//! With roots, every path is resolved relative to the handle of a root, with `openat2` if the
//! system supports it. cap-std would do the same, but reports a path outside the root as a
//! permission error, and uses its own types for files.

// This module may access paths directly if there is no confinement.
#![allow(clippy::disallowed_methods)]

mod beneath;
mod directories;
mod resolver;
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

pub use self::resolver::Resolver;
use self::root_set::{Refusal, RootSet};
pub use super::system::Status;
use super::system::{self, LOOK};
use crate::error::{Code, Error};

/// The directories that may be accessed, and the directory to which relative paths refer. If there
/// are no roots, all directories may be accessed.
#[derive(Clone, Debug)]
pub struct Roots {
    inner: Arc<Inner>,
    mounts: Option<Arc<dyn Mounts>>,
    homeless: bool,
}

/// Named directories. A path `@NAME/…` refers to a file below the directory with that name.
pub trait Mounts: std::fmt::Debug + Send + Sync {
    /// Returns the directory with a name.
    fn directory(&self, name: &str) -> Option<PathBuf>;
    /// Returns all names.
    fn names(&self) -> Vec<String>;
    /// Whether the documents with this name are stored in a database, so that they can only be
    /// read.
    fn is_stored(&self, _name: &str) -> bool {
        false
    }
    /// Opens a document that is stored in a database. The result is a file without a name.
    fn open_stored(&self, _name: &str, _document: &[u8]) -> Result<File, Error> {
        Err(Error::usage("this folio was built without databases (the feature postgres)"))
    }
}

#[derive(Debug)]
struct Inner {
    directory: WorkingDirectory,
    set: Option<RootSet>,
}

/// Identifies the directory to which a root currently refers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootIdentity(system::FileId);

/// Returns the directory in a value of `--root`.
pub fn directory_of(given: &OsStr) -> &Path {
    root_set::split_name(given).1
}

impl RootIdentity {
    /// Identifies the directory in a value of `--root`. Returns `None` if it does not exist.
    pub fn identify(given: &OsStr) -> Option<Self> {
        let status = system::status_of_path(root_set::split_name(given).1).ok()?;
        status.kind.is_dir().then(|| Self(status.id()))
    }
}

/// The directory to which relative paths refer.
#[derive(Clone, Debug, Default)]
pub struct WorkingDirectory {
    /// The absolute path with symlinks resolved. `None` if the directory no longer exists.
    pub path: Option<PathBuf>,
    /// The path that the shell uses for this directory, if it differs.
    pub logical: Option<PathBuf>,
    /// Whether this is the working directory of the process, so that the system can resolve
    /// relative paths.
    pub is_of_process: bool,
}

impl WorkingDirectory {
    /// Returns the working directory of the process. `logical` is the path that the shell uses for
    /// it.
    #[allow(clippy::disallowed_methods)]
    pub fn of_process(logical: Option<PathBuf>) -> Self {
        let path = std::env::current_dir().ok();
        let logical = path.as_deref().zip(logical).and_then(|(path, logical)| {
            let is_other = logical.is_absolute() && logical != path;
            let is_same_file = || {
                let logical_status = system::status_of_path(&logical).ok()?;
                Some(logical_status.is_same_file(&system::status_of_path(path).ok()?))
            };
            (is_other && is_same_file() == Some(true)).then_some(logical)
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
    /// Creates roots that do not restrict access.
    pub fn everywhere(directory: WorkingDirectory) -> Self {
        Self { inner: Arc::new(Inner { directory, set: None }), mounts: None, homeless: false }
    }

    /// Creates roots that do not restrict access. Relative paths refer to `directory`, which need
    /// not be the working directory of the process.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be opened.
    pub fn from_directory(directory: &Path) -> Result<Self, Error> {
        let path = std::fs::canonicalize(directory);
        let path = path.map_err(|error| Error::io(&error, directory))?;
        let directory = WorkingDirectory { path: Some(path), ..WorkingDirectory::default() };
        Ok(Self::everywhere(directory))
    }

    /// Opens roots from values of `--root`, each `DIR` or `NAME=DIR`.
    ///
    /// # Errors
    ///
    /// Fails if a value is not a directory, or if a name occurs twice.
    pub fn open(given: &[OsString], directory: WorkingDirectory) -> Result<Self, Error> {
        let set = RootSet::open(given, &directory)?;
        Ok(Self {
            inner: Arc::new(Inner { directory, set: Some(set) }),
            mounts: None,
            homeless: false,
        })
    }

    /// Adds named directories.
    pub fn with_mounts(self, mounts: Arc<dyn Mounts>) -> Self {
        Self { mounts: Some(mounts), ..self }
    }

    /// Removes the home directory, for a process whose user has an unknown home directory.
    pub fn without_home(self) -> Self {
        Self { homeless: true, ..self }
    }

    /// Whether the home directory of the user is unknown. It is not looked up in the user database,
    /// because a statically linked binary cannot load the libraries for that.
    pub fn lack_home(&self) -> bool {
        self.homeless
    }

    /// Whether the first name of a path is an entry of the current directory. Such an entry takes
    /// precedence over a mount `@NAME`, because walks and links also lead to it.
    pub fn begins_here(&self, path: &Path) -> bool {
        let Some(first) = path.components().next() else { return false };
        let entry = Path::new(first.as_os_str());
        match self.root_set() {
            None => system::status_at(CWD, self.system_path(entry).as_os_str()).is_ok(),
            Some(set) => set.open_below(entry, LOOK | OFlags::NOFOLLOW).is_ok(),
        }
    }

    /// Returns the accessible directory of a mount.
    fn directory_of(&self, name: &str) -> Option<PathBuf> {
        let directory = self.mounts.as_ref()?.directory(name)?;
        self.is_within(&directory).then_some(directory)
    }

    /// Returns the path on disk of a path below a mount, if an entry of the current directory takes
    /// precedence over the mount.
    pub fn below_hidden_mount(&self, path: &Path) -> Option<PathBuf> {
        let (name, below) = split_mount(path)?;
        let directory = self.directory_of(name).filter(|_| self.begins_here(path))?;
        Some(directory.join(OsStr::from_bytes(below)))
    }

    /// Returns the path of the file on disk, if the path begins with the name of an accessible
    /// mount; otherwise returns the path unchanged.
    fn path_on_disk<'a>(&self, path: &'a Path) -> Cow<'a, Path> {
        let Some((name, below)) = split_mount(path) else { return Cow::Borrowed(path) };
        match self.directory_of(name).filter(|_| !self.begins_here(path)) {
            Some(directory) if below.is_empty() => Cow::Owned(directory),
            Some(directory) => Cow::Owned(directory.join(OsStr::from_bytes(below))),
            None => Cow::Borrowed(path),
        }
    }

    /// For a document that is stored in a database, returns its storage, name and path. If access
    /// is restricted to roots, no such document is available.
    fn stored_document<'a>(&self, path: &'a Path) -> Option<(&dyn Mounts, &'a str, &'a [u8])> {
        let (name, below) = split_mount(path)?;
        let mounts = self.mounts.as_deref().filter(|_| !self.confine())?;
        let is_stored = mounts.is_stored(name) && !self.begins_here(path);
        is_stored.then_some((mounts, name, below))
    }

    /// Checks that a path does not refer to a document that is stored in a database.
    ///
    /// # Errors
    ///
    /// Fails with [`Code::ReadOnly`] if it does.
    pub fn check_on_disk(&self, path: &Path) -> Result<(), Error> {
        match self.stored_document(path) {
            Some(_) => {
                let message = "it is kept in a database, where it can only be read";
                Err(Error::new(Code::ReadOnly, message).at(path))
            }
            None => Ok(()),
        }
    }

    fn is_within(&self, directory: &Path) -> bool {
        self.root_set().is_none_or(|set| !set.roots_containing(directory).is_empty())
    }

    /// Returns the names of mounts that are most similar to the name at the start of a path, if no
    /// mount has that name.
    pub fn similar_mounts(&self, path: &Path) -> Option<Vec<String>> {
        let (name, _) = split_mount(path)?;
        let mounts = self.mounts.as_ref()?;
        let seen = |name: &String| {
            let is_stored = !self.confine() && mounts.is_stored(name);
            is_stored || self.directory_of(name).is_some()
        };
        if seen(&name.to_owned()) {
            return None;
        }
        let names: Vec<String> = mounts.names().into_iter().filter(seen).collect();
        let near = folio_text::fuzzy::name::nearest(name, names.iter().map(String::as_str), 3);
        Some(near.into_iter().map(|at| names[at].clone()).collect())
    }

    /// Creates other roots, for a process that has no working directory of its own. Relative paths
    /// begin in the root or, if there are several roots, with the name of a root. If
    /// `hides_secrets` is set, files that may contain secrets seem not to exist.
    pub fn with_roots(&self, given: &[OsString], hides_secrets: bool) -> Result<Self, Error> {
        let mut set = RootSet::open(given, &WorkingDirectory::of_process(None))?;
        set.hides_secrets = hides_secrets;
        let path = set.single_root_path().map(Path::to_owned);
        let directory = WorkingDirectory { path, ..WorkingDirectory::default() };
        let set = set.seen_from(directory.clone());
        Ok(Self {
            inner: Arc::new(Inner { directory, set: Some(set) }),
            mounts: self.mounts.clone(),
            homeless: self.homeless,
        })
    }

    fn root_set(&self) -> Option<&RootSet> {
        self.inner.set.as_ref()
    }

    /// Returns the directory to which relative paths refer, or `None` if it no longer exists.
    pub fn working_directory(&self) -> Option<&Path> {
        self.inner.directory.path.as_deref()
    }

    /// Returns a path as the system resolves it, if access is not restricted.
    fn system_path<'a>(&self, path: &'a Path) -> Cow<'a, Path> {
        match &self.inner.directory {
            WorkingDirectory { is_of_process: false, path: Some(directory), .. } => {
                directory.join(path).into()
            }
            _ => path.into(),
        }
    }

    /// Whether a name is hidden because its file may contain secrets.
    pub fn hide(&self, name: &OsStr) -> bool {
        self.hides_secrets() && secrets::is_secret(name)
    }

    /// Whether files that may contain secrets are hidden.
    pub fn hides_secrets(&self) -> bool {
        self.root_set().is_some_and(|set| set.hides_secrets)
    }

    fn holds_secrets(&self, below: &Path) -> bool {
        self.hides_secrets() && secrets::has_secret_name(below)
    }

    /// Fails if a path refers to a file that may contain secrets, and such files are hidden.
    pub fn check_shown(&self, path: &Path) -> Result<(), Error> {
        if self.holds_secrets(path) { Err(Refusal::Secret.error(path)) } else { Ok(()) }
    }

    /// Whether access is restricted to certain directories.
    pub fn confine(&self) -> bool {
        self.root_set().is_some()
    }

    /// Whether the first name of a path is the name of a root.
    pub fn is_named(&self, path: &Path) -> bool {
        self.root_set().is_some_and(|set| set.named_root(path).is_some())
    }

    /// Returns the directories that contain all accessible files: the current directory, or all
    /// roots if the current directory is outside of them.
    pub fn all(&self) -> Vec<PathBuf> {
        match self.root_set() {
            Some(set) if set.roots_containing(Path::new(".")).is_empty() => set.displayed_paths(),
            _ => vec![PathBuf::from(".")],
        }
    }

    /// Opens a file for reading, following symlinks. Does not wait for the writer of a FIFO, or for
    /// a device.
    pub fn open_file(&self, path: &Path) -> Result<File, Error> {
        if let Some((mounts, name, document)) = self.stored_document(path) {
            return mounts.open_stored(name, document).map_err(|error| error.at(path));
        }
        let opened = self.open_as(path, system::TO_READ);
        opened.map(File::from).map_err(|refusal| refusal.error(path))
    }

    fn open_as(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Refusal<'_>> {
        let path = &*self.path_on_disk(path);
        match self.root_set() {
            None => Ok(system::open_path(&self.system_path(path), flags)?),
            Some(set) => set.open_to_read(path, flags),
        }
    }

    /// Opens a directory to list or lock it, following symlinks.
    pub fn open_directory(&self, path: &Path) -> Result<OwnedFd, Error> {
        let opened = self.open_as(path, OFlags::RDONLY | OFlags::DIRECTORY);
        opened.map_err(|refusal| refusal.error(path))
    }

    /// Returns the status of the file that a path refers to, following symlinks.
    pub fn status(&self, path: &Path) -> Result<Status, Error> {
        if self.stored_document(path).is_some() {
            let file = self.open_file(path)?;
            return system::status_of(&file).map_err(|error| Error::io(&error.into(), path));
        }
        self.status_on_disk(path).map_err(|refusal| refusal.error(path))
    }

    fn status_on_disk(&self, path: &Path) -> Result<Status, Refusal<'_>> {
        let path = &*self.path_on_disk(path);
        Ok(match self.root_set() {
            None => system::status_of_path(&self.system_path(path))?,
            Some(set) => system::status_of(set.open_below(path, LOOK)?)?,
        })
    }

    /// Returns the status of the file that a path refers to, following symlinks, or `None` if there
    /// is no file.
    ///
    /// # Errors
    ///
    /// Fails if this cannot be determined.
    pub fn look(&self, path: &Path) -> Result<Option<Status>, Error> {
        none_if_missing(self.status_on_disk(path), path)
    }

    /// Returns all metadata of the file that a path refers to, following symlinks.
    pub fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        let disk_path = self.path_on_disk(path);
        let path = &*disk_path;
        let Some(set) = self.root_set() else { return std::fs::metadata(self.system_path(path)) };
        match set.open_below(path, LOOK) {
            Ok(file) => File::from(file).metadata(),
            Err(Refusal::System(error)) => Err(error.into()),
            Err(_) => Err(io::ErrorKind::PermissionDenied.into()),
        }
    }

    /// Whether a path refers to a directory.
    pub fn is_directory(&self, path: &Path) -> bool {
        self.status_on_disk(path).is_ok_and(|status| status.kind.is_dir())
    }

    /// Whether a path refers to a regular file.
    pub fn is_file(&self, path: &Path) -> bool {
        if self.stored_document(path).is_some() {
            return self.open_file(path).is_ok();
        }
        self.status_on_disk(path).is_ok_and(|status| status.kind.is_file())
    }

    /// Whether a path exists. A broken symlink exists.
    pub fn exists(&self, path: &Path) -> bool {
        self.is_named_on_disk(path).unwrap_or(false)
    }

    /// Whether a path exists. A broken symlink exists.
    ///
    /// # Errors
    ///
    /// Fails if this cannot be determined.
    pub fn is_named_on_disk(&self, path: &Path) -> Result<bool, Error> {
        if self.stored_document(path).is_some() {
            return Ok(self.open_file(path).is_ok());
        }
        let disk_path = self.path_on_disk(path);
        let path = &*disk_path;
        let found = match self.root_set() {
            None => system::status_at(CWD, self.system_path(path).as_os_str())
                .map(drop)
                .map_err(Refusal::System),
            Some(set) => set.open_below(path, LOOK | OFlags::NOFOLLOW).map(drop),
        };
        none_if_missing(found, path).map(|found| found.is_some())
    }

    /// Returns the text of a symlink, or `None` if the path is not a symlink.
    pub fn link_text(&self, path: &Path) -> Option<PathBuf> {
        let disk_path = self.path_on_disk(path);
        let path = &*disk_path;
        let Some(set) = self.root_set() else { return self.system_path(path).read_link().ok() };
        let link = set.open_below(path, LOOK | OFlags::NOFOLLOW).ok()?;
        let is_link = system::status_of(&link).is_ok_and(|status| status.kind == FileType::Symlink);
        let text = is_link.then(|| system::read_link_text(&link, OsStr::new("")).ok()).flatten()?;
        Some(OsString::from_vec(text).into())
    }

    /// Returns the names in a directory, sorted. Returns no names if the directory does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be read.
    pub fn names_in(&self, directory: &Path) -> Result<Vec<OsString>, Error> {
        self.names_of(directory, |_| true)
    }

    /// Returns the names of the symlinks in a directory, sorted. If the file system does not report
    /// the kind of an entry, its name is included.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be read.
    pub fn symlinks_in(&self, directory: &Path) -> Result<Vec<OsString>, Error> {
        self.names_of(directory, |kind| matches!(kind, FileType::Symlink | FileType::Unknown))
    }

    fn names_of(
        &self,
        directory: &Path,
        is_wanted: impl Fn(FileType) -> bool,
    ) -> Result<Vec<OsString>, Error> {
        let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        let mut names = Vec::new();
        let opened = self.open_as(directory, OFlags::RDONLY | OFlags::DIRECTORY);
        let listed = opened.and_then(|handle| {
            let add = |name: &OsStr, kind| {
                if is_wanted(kind) {
                    names.push(name.to_owned());
                }
            };
            system::each_name(&handle, add).map_err(Refusal::System)
        });
        none_if_missing(listed, directory)?;
        names.retain(|name| !self.hide(name));
        names.sort_unstable();
        Ok(names)
    }

    /// Resolves a path to an absolute path without symlinks.
    ///
    /// # Errors
    ///
    /// Fails with the error of the system if the path does not exist.
    pub fn resolve(&self, path: &Path) -> Result<PathBuf, Error> {
        self.check_on_disk(path)?;
        self.resolved(path).map_err(|refusal| refusal.error(path))
    }

    /// Resolves a path to an absolute path without symlinks. Returns `None` if the path does not
    /// exist.
    ///
    /// # Errors
    ///
    /// Fails if this cannot be determined.
    pub fn resolve_if_there(&self, path: &Path) -> Result<Option<PathBuf>, Error> {
        self.check_on_disk(path)?;
        none_if_missing(self.resolved(path), path)
    }

    fn resolved(&self, path: &Path) -> Result<PathBuf, Refusal<'_>> {
        let disk_path = self.path_on_disk(path);
        let path = &*disk_path;
        let Some(set) = self.root_set() else {
            let path = self.system_path(path);
            return std::fs::canonicalize(&path).map_err(|error| {
                let errno = Errno::from_io_error(&error).unwrap_or(Errno::INVAL);
                // If the working directory is unknown, relative paths do not seem to exist.
                let is_there = errno == Errno::NOENT && system::status_of_path(&path).is_ok();
                Refusal::System(if is_there { Errno::STALE } else { errno })
            });
        };
        set.reach(path, |root, below| {
            let place = beneath::follow(&root.handle, below, true)?;
            place.status(&root.handle)?;
            Ok((root.join(&place.path()), place.path()))
        })
        .and_then(|(resolved, below)| {
            if self.holds_secrets(&below) { Err(Refusal::Secret) } else { Ok(resolved) }
        })
    }

    /// Makes a path absolute, without access to the disk.
    pub fn absolute(&self, path: &Path) -> Result<PathBuf, Error> {
        self.check_on_disk(path)?;
        let disk_path = self.path_on_disk(path);
        let path = &*disk_path;
        match self.root_set() {
            None => {
                let not_found = || Error::io(&Errno::NOENT.into(), path);
                let absolute = if path.is_absolute() {
                    path.to_owned()
                } else {
                    self.working_directory().ok_or_else(not_found)?.join(path)
                };
                std::path::absolute(absolute).map_err(|error| Error::io(&error, path))
            }
            Some(set) => match set.roots_containing(path).first() {
                None => Err(Refusal::Outside(set).error(path)),
                Some((root, below)) => Ok(root.join(below)),
            },
        }
    }

    /// Converts a path for other programs, which do not know the names of roots.
    pub fn on_disk(&self, path: &Path) -> PathBuf {
        let path = &*self.path_on_disk(path);
        let named = self.root_set().and_then(|set| set.named_root(path));
        named.map_or_else(|| path.to_owned(), |(root, below)| root.given.join(below))
    }

    /// Whether a path is below a root, judging by its names. Always true if access is not
    /// restricted.
    pub fn may_hold(&self, path: &Path) -> bool {
        self.is_within(&self.path_on_disk(path))
    }
}
/// Converts the error for a file that does not exist to `None`.
fn none_if_missing<T>(found: Result<T, Refusal<'_>>, path: &Path) -> Result<Option<T>, Error> {
    let absent_errors =
        [Errno::NOENT, Errno::NOTDIR, Errno::NAMETOOLONG, Errno::INVAL, Errno::LOOP];
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Refusal::System(error)) if absent_errors.contains(&error) => Ok(None),
        Err(refusal @ Refusal::System(_)) => Err(refusal.error(path)),
        Err(Refusal::Outside(_) | Refusal::Escape { .. } | Refusal::Secret) => {
            Err(Error::new(Code::OutsideRoot, "its target is outside the allowed directories")
                .at(path))
        }
    }
}

/// Splits `@NAME/rest` into the name and the rest.
fn split_mount(path: &Path) -> Option<(&str, &[u8])> {
    let bytes = path.as_os_str().as_bytes().strip_prefix(b"@")?;
    let end = memchr::memchr(b'/', bytes).unwrap_or(bytes.len());
    let name = std::str::from_utf8(&bytes[..end]).ok().filter(|name| !name.is_empty())?;
    let below = &bytes[end..];
    Some((name, below.strip_prefix(b"/").unwrap_or(below)))
}
