//! A file that may be edited: opened, and set against what would make a
//! replacement lose something.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::FileType;
use rustix::io::Errno;

use super::attributes::in_place_hint;
use super::content::hash_edited;
use crate::error::{Code, Error, Hint, shell_path};
use crate::files::env::Env;
use crate::files::lock::{Directory, Locks, lock_file};
use crate::files::roots::Roots;
use crate::files::system::{self, Identity, Status, system_error};
use crate::text::edit::EditSet;
use crate::text::span::Span;

/// How a file is to be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// A new file takes its name: readers see the old one or the new one.
    #[default]
    Rename,
    /// Its own inode is written to: for files with several names, and where
    /// another file cannot take the name.
    InPlace,
}

/// A regular file that was opened to be edited.
#[derive(Clone, Debug)]
pub struct Editable {
    pub(super) asked: PathBuf,
    pub(super) resolved: PathBuf,
    pub(super) directory: Arc<Directory>,
    pub(super) name: OsString,
    pub(super) file: Arc<File>,
    pub(super) status: Status,
    pub(super) mode: Mode,
    /// The checksum of its bytes, where its times do not show a further change.
    digest: Option<String>,
}

/// Of larger files the times alone are compared.
const MAX_DIGESTED: u64 = 8 << 20;

impl Editable {
    /// Opens a file in one of the directories that are locked. Links are
    /// followed: they stay when their target is replaced, and it is the target's
    /// directory that is to be locked.
    ///
    /// Fails with [`Code::NotAFile`] for a directory, [`Code::NotRegular`] for
    /// a pipe, a device or a socket (without waiting for it),
    /// [`Code::ReadOnly`] where no one has the permission to write,
    /// [`Code::HardLinked`] where it has further names,
    /// [`Code::PermissionDenied`] where this user may not write it or, unless
    /// in place, its directory, [`Code::Locked`] where another run writes in
    /// place for too long.
    pub fn open(path: &Path, mode: Mode, locks: &Locks) -> Result<Self, Error> {
        let resolved = locks.roots().resolve(path)?;
        let (Some(parent), Some(name)) = (resolved.parent(), resolved.file_name()) else {
            return Err(Error::new(Code::NotAFile, "Is a directory").at(path));
        };
        let directory =
            locks.find(parent).map_err(|error| Error { path: Some(path.to_owned()), ..error })?;
        Self::open_in(directory, name, mode, locks.env())
            .map(|editable| Self { asked: path.to_owned(), resolved: resolved.clone(), ..editable })
            .map_err(|error| refused(error, path, locks.roots()))
    }

    /// Why a file could not be opened to be edited, as far as that is seen
    /// without a lock and without opening it.
    pub fn refusal(path: &Path, mode: Mode, roots: &Roots) -> Option<Error> {
        let judged = || {
            let resolved = roots.resolve(path)?;
            let (Some(parent), Some(name)) = (resolved.parent(), resolved.file_name()) else {
                return Err(Error::new(Code::NotAFile, "Is a directory"));
            };
            let directory = Directory::open(parent, roots)?;
            let seen = system::status_at(&directory, name);
            let seen = seen.map_err(|error| Error::io(&error.into(), Path::new(name)))?;
            check(&directory, name, &seen, mode)
        };
        judged().err().map(|error| refused(error, path, roots))
    }

    /// The same by a name in a directory; errors name no more than that.
    fn open_in(
        directory: Arc<Directory>,
        name: &OsStr,
        mode: Mode,
        env: &Env,
    ) -> Result<Self, Error> {
        let failed = |error: Errno| Error::io(&error.into(), Path::new(name));
        let seen = system::status_at(&directory, name).map_err(failed)?;
        check(&directory, name, &seen, mode)?;
        let file = match system::open_file(&directory, name, mode == Mode::InPlace) {
            // A link has come into its place.
            Err(Errno::LOOP) => return Err(changed()),
            opened => opened.map_err(failed)?,
        };
        if mode == Mode::InPlace {
            lock_file(&file, env)?;
        }
        let status = system::status_of(&file).map_err(failed)?;
        if !status.is_same_file(&seen) {
            return Err(changed());
        }
        let resolved = directory.path().join(name);
        let (asked, name) = (resolved.clone(), name.to_owned());
        let is_digested = status.is_fresh() && status.identity.size <= MAX_DIGESTED;
        let digest = is_digested.then(|| digest_of(&file, status.identity.size)).transpose();
        let digest = digest.map_err(|error| Error::io(&error, Path::new(&name)))?;
        Ok(Self { asked, resolved, directory, name, file: Arc::new(file), status, mode, digest })
    }

    /// Fails where its bytes are not those that it was opened with, as far as they have to
    /// be compared.
    pub(super) fn check_bytes(&self) -> Result<(), Error> {
        let Some(digest) = &self.digest else { return Ok(()) };
        let now = digest_of(&self.file, self.size()).map_err(unread)?;
        if now == *digest { Ok(()) } else { Err(changed()) }
    }

    /// Its bytes; reading moves no place but that of this handle.
    pub fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// Which file it was when it was opened, and in which state. What is read
    /// later may be newer: a commit sees that.
    pub fn identity(&self) -> Identity {
        self.status.identity
    }

    /// Where its bytes are: absolute, links followed.
    pub fn resolved(&self) -> &Path {
        &self.resolved
    }

    /// Bytes, when it was opened.
    pub fn size(&self) -> u64 {
        self.status.identity.size
    }

    /// Whether it has further names, which may be anywhere on its disk.
    pub fn has_other_names(&self) -> bool {
        self.status.links > 1
    }
}

fn digest_of(file: &File, size: u64) -> io::Result<String> {
    hash_edited(file, size, &EditSet::default(), &[Span::new(0, size)])
}

/// An error of a file by the name in its directory, as one of the path that was
/// asked for.
pub(super) fn of_path(error: Error, path: &Path) -> Error {
    Error { path: Some(path.to_owned()), ..error }
}

/// The same of a file that may not be edited, with what makes it writable.
fn refused(error: Error, path: &Path, roots: &Roots) -> Error {
    let error = of_path(error, path);
    match error.code {
        Code::ReadOnly => error.hint(format!("chmod u+w {}", shell_path(&roots.on_disk(path)))),
        _ => error,
    }
}

/// The error for a file that is not what it was when it was read.
pub(super) fn changed() -> Error {
    Error::changed()
}

/// The error for a file that cannot be compared with what it was; one that has become
/// shorter was changed.
pub(super) fn unread(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => changed(),
        _ => system_error("it cannot be compared", error),
    }
}

fn check(directory: &Directory, name: &OsStr, seen: &Status, mode: Mode) -> Result<(), Error> {
    if let Some(refusal) = refuse_kind(seen.kind) {
        return Err(refusal);
    }
    if seen.mode & 0o222 == 0 {
        return Err(Error::new(Code::ReadOnly, "it is read-only: nobody may write it"));
    }
    system::may_write(directory, name)
        .map_err(|error| Error::io(&error.into(), Path::new(name)))?;
    if mode == Mode::InPlace {
        return Ok(());
    }
    if seen.links > 1 {
        let names = seen.links - 1;
        let message = match names {
            1 => "a hard link gives it another name, which would keep the old text".to_owned(),
            _ => format!("hard links give it {names} other names, which would keep the old text"),
        };
        return Err(Error::new(Code::HardLinked, message)
            .hint(Hint::flag(["--in-place"]).why("to change it under all its names")));
    }
    // Overlays of several file systems give files the devices of their layers.
    let is_elsewhere = seen.device != directory.id().device;
    if is_elsewhere && system::is_mount_point(directory, name) {
        return Err(mounted());
    }
    directory.may_write().map_err(|error| {
        system_error("its directory cannot be written", error).hint(in_place_hint())
    })
}

/// The error for a name that something is mounted on.
pub(super) fn mounted() -> Error {
    Error::new(Code::IoError, "it is a mount point, and no other file can take its place")
        .hint(in_place_hint())
}

/// The error for what is no regular file.
pub fn refuse_kind(kind: FileType) -> Option<Error> {
    let what = match kind {
        FileType::RegularFile => return None,
        FileType::Directory => return Some(Error::new(Code::NotAFile, "Is a directory")),
        // It was no link when the path was followed.
        FileType::Symlink => return Some(changed()),
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Unknown => "something else",
    };
    let message = format!("it is {what}; only regular files can be edited");
    Some(
        Error::new(Code::NotRegular, message)
            .hint("- in place of its name edits what comes from standard input"),
    )
}
