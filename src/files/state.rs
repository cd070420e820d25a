//! The directory for what outlives a run: history, and what a crash must not
//! take along.

// It is folio's own, in the state directory.
#![allow(clippy::disallowed_methods)]

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

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

    /// A directory in it, made if it is not there. Refused where it would be
    /// another user's: what root leaves in a home is in the way there.
    pub fn part(&self, name: &str) -> io::Result<PathBuf> {
        let part = self.path.join(name);
        if part.is_dir() {
            return self.check_owner(&self.path).map(|()| part);
        }
        let there = self.path.ancestors().find(|path| path.exists());
        self.check_owner(there.unwrap_or(Path::new("/")))?;
        DirBuilder::new().recursive(true).mode(0o700).create(&part)?;
        Ok(part)
    }

    /// A directory in it; none where it is not there.
    ///
    /// Fails where that cannot be known, and where it is another user's.
    pub(super) fn existing_part(&self, name: &str) -> io::Result<Option<PathBuf>> {
        let part = self.path.join(name);
        match fs::metadata(&part) {
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
            Ok(_) => self.check_owner(&self.path).map(|()| Some(part)),
        }
    }

    fn check_owner(&self, path: &Path) -> io::Result<()> {
        let owner = fs::metadata(path)?.uid();
        if owner == system::effective_user() {
            return Ok(());
        }
        let message = format!("'{}' belongs to another user", path.display());
        Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
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

/// Opens a file of folio's own.
pub(super) fn open_own(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open(path)
}

/// Removes one.
pub(super) fn remove_own(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// Whether one is there.
pub(super) fn is_there(path: &Path) -> io::Result<bool> {
    path.try_exists()
}

/// Gives one another name.
pub(super) fn rename_own(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |duration| duration.as_secs())
}
