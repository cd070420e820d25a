//! The state directory. It contains the history, and data that must survive a crash.

// The state directory contains only folio's own files.
#![allow(clippy::disallowed_methods)]

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::system;

/// A directory with mode 0700 that belongs to the user. It is created when it is first needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateDirectory {
    path: PathBuf,
}

impl StateDirectory {
    /// Creates the state directory for a path, which need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a subdirectory, and creates it if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the state directory belongs to another user, or if other users may access it,
    /// because folio trusts its contents.
    pub fn part(&self, name: &str) -> io::Result<PathBuf> {
        let part = self.path.join(name);
        if self.existing_part(name)?.is_none() {
            DirBuilder::new().recursive(true).mode(0o700).create(&part)?;
        }
        Ok(part)
    }

    /// Returns a subdirectory, or `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails for the same reasons as [`Self::part`]. Also fails if folio cannot determine whether
    /// the directory exists.
    pub(super) fn existing_part(&self, name: &str) -> io::Result<Option<PathBuf>> {
        self.check()?;
        let part = self.path.join(name);
        match fs::metadata(&part) {
            Err(error) if is_absent(&error) => Ok(None),
            Ok(found) if found.uid() != system::effective_user() => Err(other_owner_error(&part)),
            found => found.map(|_| Some(part)),
        }
    }

    fn check(&self) -> io::Result<()> {
        let found = self.path.ancestors().find_map(|path| Some((path, fs::metadata(path).ok()?)));
        let Some((path, status)) = found else { return Ok(()) };
        if status.uid() != system::effective_user() {
            // The user could not access files that root created in the user's home directory.
            return Err(other_owner_error(path));
        }
        if path == self.path && status.is_dir() && status.mode() & 0o077 != 0 {
            let shown = path.display();
            let message = format!("other users have access to '{shown}': chmod 700 {shown}");
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
        Ok(())
    }
}

/// Whether an error shows that a file does not exist. With any other error, the file may exist.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Creates a file that only its owner may read.
pub(super) fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)
}

/// Opens a file that belongs to folio. Does not wait for the writer of a FIFO, and does not follow
/// symlinks.
///
/// # Errors
///
/// Fails if the file is not a regular file that belongs to the user.
pub(super) fn open_owned(path: &Path, write: bool) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits();
    let opened = OpenOptions::new().read(true).write(write).custom_flags(flags as i32).open(path);
    let file = match opened {
        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
            return Err(not_owned_error(path));
        }
        opened => opened?,
    };
    let status = file.metadata()?;
    if status.is_file() && status.uid() == system::effective_user() {
        return Ok(file);
    }
    Err(not_owned_error(path))
}

/// Fails if the path exists and is not a regular file that belongs to the user.
pub fn check_owner(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Err(error) if is_absent(&error) => Ok(()),
        Ok(status) if !status.is_file() || status.uid() != system::effective_user() => {
            Err(not_owned_error(path))
        }
        found => found.map(drop),
    }
}

/// Reads a file that belongs to folio. Opens it with [`open_owned`].
pub(super) fn read_owned(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_owned(path, false)?.read_to_end(&mut bytes).map(|_| bytes)
}

fn other_owner_error(path: &Path) -> io::Error {
    let message = format!("'{}' belongs to another user", path.display());
    io::Error::new(io::ErrorKind::PermissionDenied, message)
}

fn not_owned_error(path: &Path) -> io::Error {
    let message = format!("'{}' is not a regular file of your own", path.display());
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// Removes a file that another run may have removed.
pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if is_absent(&error) => Ok(()),
        removed => removed,
    }
}

/// Whether the path exists.
pub(super) fn is_there(path: &Path) -> io::Result<bool> {
    path.try_exists()
}

/// Returns the current time, in seconds since 1970.
pub(super) fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |duration| duration.as_secs())
}
