//! The directory for what outlives a run: history, and what a crash must not
//! take along.

// It is folio's own, in the state directory.
#![allow(clippy::disallowed_methods)]

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::system;

/// A directory of the user's own, mode 0700, made when it is first needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateDirectory {
    path: PathBuf,
}

impl StateDirectory {
    /// At a path.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A directory in it, created if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the state directory is not the user's own or others may access it: what it
    /// contains is acted on.
    pub fn part(&self, name: &str) -> io::Result<PathBuf> {
        let part = self.path.join(name);
        if self.existing_part(name)?.is_none() {
            DirBuilder::new().recursive(true).mode(0o700).create(&part)?;
        }
        Ok(part)
    }

    /// A directory in it; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// As for [`Self::part`], and if that cannot be found out.
    pub(super) fn existing_part(&self, name: &str) -> io::Result<Option<PathBuf>> {
        self.check()?;
        let part = self.path.join(name);
        match fs::metadata(&part) {
            Err(error) if is_absent(&error) => Ok(None),
            Ok(found) if found.uid() != system::effective_user() => Err(of_another(&part)),
            found => found.map(|_| Some(part)),
        }
    }

    fn check(&self) -> io::Result<()> {
        let found = self.path.ancestors().find_map(|path| Some((path, fs::metadata(path).ok()?)));
        let Some((path, status)) = found else { return Ok(()) };
        if status.uid() != system::effective_user() {
            // What root creates in a home would be in the way there.
            return Err(of_another(path));
        }
        if path == self.path && status.is_dir() && status.mode() & 0o077 != 0 {
            let shown = path.display();
            let message = format!("'{shown}' is accessible to other users: chmod 700 {shown}");
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
        Ok(())
    }
}

/// Whether what failed says that there is no such file. Of every other failure nobody
/// knows what is there.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// A new file that only its owner may read.
pub(super) fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)
}

/// Opens a file of folio's own. Never waits for a FIFO's writer and follows no symlink.
///
/// # Errors
///
/// Fails if it is not a regular file that belongs to the user.
pub(super) fn open_own(path: &Path, write: bool) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits();
    let opened = OpenOptions::new().read(true).write(write).custom_flags(flags as i32).open(path);
    let file = match opened {
        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
            return Err(not_own(path));
        }
        opened => opened?,
    };
    let status = file.metadata()?;
    if status.is_file() && status.uid() == system::effective_user() {
        return Ok(file);
    }
    Err(not_own(path))
}

/// Fails if there is something at a path that is not a regular file of the user's.
pub(crate) fn check_own(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Err(error) if is_absent(&error) => Ok(()),
        Ok(status) if !status.is_file() || status.uid() != system::effective_user() => {
            Err(not_own(path))
        }
        found => found.map(drop),
    }
}

/// Reads a file of folio's own, as [`open_own`] opens it.
pub(super) fn read_own(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_own(path, false)?.read_to_end(&mut bytes).map(|_| bytes)
}

fn of_another(path: &Path) -> io::Error {
    let message = format!("'{}' belongs to another user", path.display());
    io::Error::new(io::ErrorKind::PermissionDenied, message)
}

fn not_own(path: &Path) -> io::Error {
    let message = format!("'{}' is not a regular file of your own", path.display());
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// Whether one is there.
pub(super) fn is_there(path: &Path) -> io::Result<bool> {
    path.try_exists()
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |duration| duration.as_secs())
}
