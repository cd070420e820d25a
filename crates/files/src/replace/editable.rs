//! A file that may be edited. Refuses files that would lose something if they were replaced.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::FileType;
use rustix::io::Errno;

use super::attributes::{self, Attributes, in_place_hint};
use super::content::Source;
use crate::error::{Code, Error, Hint, shell_path};
use crate::lock::{Directory, Locks, lock_file};
use crate::options::IN_PLACE;
use crate::roots::Roots;
use crate::system::{self, Identity, Status, system_error};
use folio_text::span::Span;

/// How a file is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// A new file replaces the old one. Readers see either the old or the new file.
    #[default]
    Rename,
    /// The file itself is overwritten, which preserves hard links and mount points.
    InPlace,
}

/// A regular file that may be edited, in its current state.
#[derive(Clone, Debug)]
pub struct Editable {
    pub(super) given_path: PathBuf,
    pub(super) resolved: PathBuf,
    pub(super) directory: Arc<Directory>,
    pub(super) name: OsString,
    pub(super) status: Status,
    pub(super) mode: Mode,
    /// The open file. `None` unless it is written in place.
    file: Option<Arc<File>>,
    /// Whether the times of the file might not show a further change.
    is_fresh: bool,
    /// The bytes of the file, so that a commit need not read them again.
    bytes: Option<Arc<Vec<u8>>>,
    /// The extended attributes, if the times of the file show their changes.
    attributes: Option<Arc<Attributes>>,
}

/// Maximum size in bytes of files whose bytes are compared.
const MAX_COMPARED: u64 = 8 << 20;

impl Editable {
    /// Opens a file in one of the locked directories. Follows symlinks, so the directory of the
    /// target must be locked.
    ///
    /// # Errors
    ///
    /// Fails with [`Code::NotAFile`] for a directory; [`Code::NotRegular`] for a pipe, a device or
    /// a socket, without waiting for it; [`Code::ReadOnly`] if no user may write to the file;
    /// [`Code::HardLinked`] if the file has other names; [`Code::PermissionDenied`] if this user
    /// may not write to the file or, unless it is written in place, to its directory; and
    /// [`Code::Locked`] if another run writes to the file in place for too long.
    pub fn open(path: &Path, mode: Mode, locks: &Locks) -> Result<Self, Error> {
        Self::open_resolved(path, locks.roots().resolve(path)?, mode, locks)
    }

    /// Opens a file like [`Self::open`]. `resolved` is its absolute path, without symlinks.
    pub fn open_resolved(
        path: &Path,
        resolved: PathBuf,
        mode: Mode,
        locks: &Locks,
    ) -> Result<Self, Error> {
        let (Some(parent), Some(name)) = (resolved.parent(), resolved.file_name()) else {
            return Err(Error::new(Code::NotAFile, "Is a directory").at(path));
        };
        let (directory, name) =
            (locks.find(parent).map_err(|error| with_path(error, path))?, name.to_owned());
        let found = status(&directory, &name, mode).and_then(|status| {
            let mut found = Self {
                given_path: path.to_owned(),
                name,
                resolved,
                directory,
                status,
                mode,
                file: None,
                is_fresh: false,
                bytes: None,
                attributes: None,
            };
            found.prepare(locks).map(|()| found)
        });
        found.map_err(|error| refusal_error(error, path, locks.roots()))
    }

    fn prepare(&mut self, locks: &Locks) -> Result<(), Error> {
        if self.mode == Mode::InPlace {
            let file = self.file()?;
            lock_file(&file, locks.env())?;
            // Another run may have written to the file before it was locked.
            self.status = system::status_of(&file).map_err(|error| self.path_error(error))?;
            self.file = Some(file);
        } else if self.status.device != self.directory.id().device {
            // In an overlay file system, renaming a file of a lower layer creates a new file,
            // unless it was copied to the upper layer earlier.
            let copied = system::open_file(&self.directory, &self.name, true);
            copied.map_err(|error| self.path_error(error))?;
            self.status = status(&self.directory, &self.name, self.mode)?;
        }
        self.is_fresh = self.status.is_fresh();
        if self.is_fresh && self.size() <= MAX_COMPARED {
            let mut bytes = Vec::with_capacity(self.size() as usize + 1);
            let read = (&*self.file()?).read_to_end(&mut bytes);
            read.map_err(|error| Error::io(&error, &self.given_path))?;
            self.bytes = Some(bytes.into());
        }
        Ok(())
    }

    /// Opens the file for reading and, if it is written in place, for writing.
    ///
    /// # Errors
    ///
    /// Fails with [`Code::FileChanged`] if the file has changed.
    pub fn file(&self) -> Result<Arc<File>, Error> {
        if let Some(file) = &self.file {
            let rewound = (&**file).rewind();
            return rewound.map(|()| file.clone()).map_err(compare_error);
        }
        let opened = system::open_file(&self.directory, &self.name, self.mode == Mode::InPlace);
        let file = match opened {
            // The file was removed, or replaced with a symlink.
            Err(Errno::NOENT | Errno::LOOP) => return Err(Error::changed().at(&self.given_path)),
            opened => opened.map_err(|error| self.path_error(error))?,
        };
        let status = system::status_of(&file).map_err(|error| self.path_error(error))?;
        let is_same = match self.mode {
            Mode::Rename => is_unchanged(&status, &self.status),
            Mode::InPlace => status.is_same_file(&self.status),
        };
        if is_same { Ok(file.into()) } else { Err(Error::changed().at(&self.given_path)) }
    }

    /// Keeps all bytes of the file, which were read from `file`, and its attributes, so that a
    /// commit need not open it again.
    ///
    /// # Errors
    ///
    /// Fails with [`Code::FileChanged`] if the file is known to have contained other bytes.
    pub fn keep(&mut self, file: &File, bytes: Arc<Vec<u8>>) -> Result<(), Error> {
        if self.bytes.as_ref().is_some_and(|kept| *kept != bytes) {
            return Err(Error::changed().at(&self.given_path));
        }
        if self.mode == Mode::InPlace || bytes.len() as u64 != self.size() {
            return Ok(());
        }
        if !self.is_fresh {
            let attributes = attributes::attributes(file);
            let attributes = attributes.map_err(|error| with_path(error, &self.given_path))?;
            self.attributes = Some(attributes.into());
        }
        if !self.is_fresh || self.bytes.is_some() {
            self.bytes = Some(bytes);
        }
        Ok(())
    }

    /// Returns the bytes, if they are in memory.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        self.bytes.as_ref().map(|bytes| &bytes[..])
    }

    pub(super) fn with_source<T>(
        &self,
        read: impl FnOnce(&mut Source<'_>) -> io::Result<T>,
    ) -> io::Result<T> {
        match self.bytes() {
            Some(bytes) => read(&mut Source::of_bytes(bytes)),
            None => read(&mut Source::new(&*self.file().map_err(io::Error::other)?)?),
        }
    }

    pub(super) fn attributes(&self) -> Result<Cow<'_, Attributes>, Error> {
        match &self.attributes {
            Some(attributes) => Ok(Cow::Borrowed(attributes)),
            None => attributes::attributes(&*self.file()?).map(Cow::Owned),
        }
    }

    fn path_error(&self, error: Errno) -> Error {
        Error::io(&error.into(), &self.given_path)
    }

    /// Fails if the file that now has this name contains other bytes. The bytes are not compared if
    /// the times of the file would show any change.
    pub(super) fn check_bytes(&self, name: &OsStr) -> Result<(), Error> {
        let Some(mut rest) = self.bytes().filter(|_| self.is_fresh) else { return Ok(()) };
        let file = system::open_file(&self.directory, name, false);
        let file = file.map_err(|error| compare_error(error.into()))?;
        let compared = Source::new(&file).and_then(|mut source| {
            source.for_each_piece(Span::new(0, self.size()), |bytes| {
                rest = rest.strip_prefix(bytes).ok_or(io::ErrorKind::UnexpectedEof)?;
                Ok(())
            })
        });
        compared.map_err(compare_error)
    }

    /// Returns the identity and the state of the file. A commit fails if they have changed.
    pub fn identity(&self) -> Identity {
        self.status.identity
    }

    /// Returns the absolute path, with symlinks resolved.
    pub fn resolved(&self) -> &Path {
        &self.resolved
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> u64 {
        self.status.identity.size
    }

    /// Whether the file has other hard links, which may be anywhere in its file system.
    pub fn has_other_names(&self) -> bool {
        self.status.links > 1
    }
}

/// Returns the error for a file that cannot be edited in a mode, as far as this is known without
/// locking and opening it. `resolved` is its absolute path, without symlinks.
pub fn refusal(path: &Path, resolved: &Path, mode: Mode, roots: &Roots) -> Option<Error> {
    let (Some(parent), Some(name)) = (resolved.parent(), resolved.file_name()) else {
        return Some(Error::new(Code::NotAFile, "Is a directory").at(path));
    };
    let found = Directory::open(parent, roots).and_then(|parent| status(&parent, name, mode));
    found.err().map(|error| refusal_error(error, path, roots))
}

/// Whether a file is unchanged, judging by its status.
pub(super) fn is_unchanged(now: &Status, before: &Status) -> bool {
    has_same_facts(now, before) && (now.links, now.ctime) == (before.links, before.ctime)
}

/// Whether a file is unchanged, except for its names.
pub(super) fn has_same_facts(now: &Status, before: &Status) -> bool {
    now.identity == before.identity
        && (now.mode, now.user, now.group) == (before.mode, before.user, before.group)
}

/// Adds a path to an error, as the user gave it.
pub(super) fn with_path(error: Error, path: &Path) -> Error {
    Error { path: Some(path.to_owned()), ..error }
}

/// Returns the error for a file that cannot be edited, with the command that makes it writable.
fn refusal_error(error: Error, path: &Path, roots: &Roots) -> Error {
    let error = with_path(error, path);
    match error.code {
        Code::ReadOnly => error.hint(format!("chmod u+w {}", shell_path(&roots.on_disk(path)))),
        _ => error,
    }
}

pub(super) fn compare_error(error: io::Error) -> Error {
    system_error("it cannot be compared", error)
}

/// Returns the status of a file that may be edited.
fn status(directory: &Directory, name: &OsStr, mode: Mode) -> Result<Status, Error> {
    let failed = |error: Errno| Error::io(&error.into(), Path::new(name));
    let seen = system::status_at(directory, name).map_err(failed)?;
    if let Some(refusal) = refuse_kind(seen.kind) {
        return Err(refusal);
    }
    if seen.mode & 0o222 == 0 {
        return Err(Error::new(Code::ReadOnly, "the file is read-only"));
    }
    system::may_write(directory, name).map_err(failed)?;
    if mode == Mode::InPlace {
        return Ok(seen);
    }
    if seen.links > 1 {
        let names = seen.links - 1;
        let message = match names {
            1 => "the file has other hard links, which would keep the old contents".to_owned(),
            _ => format!("hard links give it {names} other names, which would keep the old text"),
        };
        return Err(Error::new(Code::HardLinked, message)
            .hint(Hint::with_switch(IN_PLACE).why("to edit all of them")));
    }
    // In an overlay of several file systems, files have the devices of their layers.
    let is_elsewhere = seen.device != directory.id().device;
    if is_elsewhere && system::is_mount_point(directory, name) {
        return Err(mount_point_error());
    }
    directory.may_write().map_err(|error| {
        system_error("its directory cannot be written", error).hint(in_place_hint())
    })?;
    Ok(seen)
}

pub(super) fn mount_point_error() -> Error {
    Error::new(Code::IoError, "it is a mount point, and no other file can take its place")
        .hint(in_place_hint())
}

/// Returns the error for a file that is not regular, or `None` for a regular file.
pub fn refuse_kind(kind: FileType) -> Option<Error> {
    let what = match kind {
        FileType::RegularFile => return None,
        FileType::Directory => return Some(Error::new(Code::NotAFile, "Is a directory")),
        // The path was resolved, so this name was not a symlink before.
        FileType::Symlink => return Some(Error::changed()),
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Unknown => "something else",
    };
    let message = format!("it is {what}; only regular files can be edited");
    Some(
        Error::new(Code::NotRegular, message)
            .hint("to edit standard input, give - instead of a file name"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::Env;
    use crate::lock::lock_directories;

    #[test]
    fn only_the_bytes_of_the_opened_file_are_kept() {
        let place = tempfile::tempdir().expect("a directory");
        let path = place.path().join("a.md");
        std::fs::write(&path, "old").expect("written");
        let has_attribute = xattr::set(&path, "user.folio", b"value").is_ok();
        let locks = lock_directories(&[place.path().into()], &Env::default()).expect("locked");
        let open = |is_fresh: bool| {
            let mut file = Editable::open(&path, Mode::Rename, &locks).expect("opened");
            if !is_fresh {
                (file.is_fresh, file.bytes) = (false, None);
            }
            let handle = file.file().expect("opened");
            (file, handle)
        };
        for is_fresh in [true, false] {
            let (mut file, handle) = open(is_fresh);
            file.keep(&handle, Arc::new(b"old".to_vec())).expect("kept");
            assert_eq!(file.bytes(), Some(&b"old"[..]));
            // If a change of the attributes might not be noticed, they are read later.
            assert_eq!(file.attributes.is_some(), !is_fresh);
            let attributes = file.attributes().expect("read");
            let is_there = attributes.contains(&("user.folio".into(), b"value".to_vec()));
            assert_eq!(is_there, has_attribute);
        }
        let (mut file, handle) = open(true);
        let error = file.keep(&handle, Arc::new(b"new".to_vec())).err();
        assert_eq!(error.map(|error| error.code), Some(Code::FileChanged));
        let (mut file, handle) = open(false);
        file.keep(&handle, Arc::new(b"longer".to_vec())).expect("not kept");
        assert_eq!(file.bytes(), None);
    }
}
