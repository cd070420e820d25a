//! Temporary names beside a target. A commit's journal lists them, so that recovery
//! finds them without searching the directory; a file that merely has such a name is
//! never touched.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::io::Errno;

use crate::files::lock::Directory;
use crate::files::system::{self, Identity, Status};

/// The largest number appended to the name of a kept file.
const MAX: u32 = 1_000_000;

const ENDING: &str = ".tmp";

/// A name in a directory, `.folio-XXXXXXXX.tmp`.
#[derive(Clone, Debug)]
pub(crate) struct Temporary {
    directory: Arc<Directory>,
    name: String,
}

impl Temporary {
    /// A random name. Eight hexadecimal digits that other users cannot predict.
    pub(crate) fn random(directory: &Arc<Directory>) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let random = RandomState::new().hash_one(COUNT.fetch_add(1, Ordering::Relaxed));
        let name = format!(".folio-{:08x}{ENDING}", random >> 32);
        Self { directory: directory.clone(), name }
    }

    /// A name from a journal; `None` if it is not one that [`Self::random`] makes.
    pub(crate) fn recorded(directory: &Arc<Directory>, name: &str) -> Option<Self> {
        let digits = name.strip_prefix(".folio-")?.strip_suffix(ENDING)?;
        let is_own = digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_own.then(|| Self { directory: directory.clone(), name: name.to_owned() })
    }

    /// The directory it is in.
    pub(crate) fn directory(&self) -> &Arc<Directory> {
        &self.directory
    }

    /// The name as text, for the journal.
    pub(crate) fn text(&self) -> &str {
        &self.name
    }

    /// The name.
    pub(crate) fn name(&self) -> &OsStr {
        OsStr::new(&self.name)
    }

    /// The name that the old file has as well for a moment where two files cannot be
    /// exchanged.
    pub(crate) fn second_name(&self) -> OsString {
        format!("{}.old", self.name.trim_end_matches(ENDING)).into()
    }

    /// Moves the old file from its second name to the temporary one, if that is free;
    /// otherwise the old file still has its own name, and the second one is removed.
    pub(crate) fn take_second(&self, old: Identity) -> Result<(), Errno> {
        match system::status_at(&self.directory, &self.second_name()) {
            Ok(second) if second.identity.inode == old.inode => match self.status() {
                Err(Errno::NOENT) => {
                    system::rename(&self.directory, &self.second_name(), self.name())
                }
                there => {
                    there?;
                    gone(system::unlink(&self.directory, &self.second_name()))
                }
            },
            Ok(_) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Creates an empty file. Fails with `EXIST` if the name is taken.
    pub(crate) fn create(&self, mode: u32) -> Result<File, Errno> {
        system::create_file(&self.directory, self.name(), mode)
    }

    /// Removes the file.
    pub(crate) fn clear(&self) -> Result<(), Errno> {
        gone(system::unlink(&self.directory, self.name()))
    }

    /// Renames the file to `name`, or to the first free one of `name.1`, `name.2`…
    /// Returns the name it has now.
    pub(crate) fn keep_as(&self, name: &OsStr) -> Result<OsString, Errno> {
        for name in numbered(name) {
            match system::rename_to_free(&self.directory, self.name(), &name) {
                // A run may have ended when the file had both names.
                Err(Errno::EXIST) if self.has_name(&name)? => return self.clear().map(|()| name),
                Err(Errno::EXIST) => {}
                Err(_) if self.has_name(&name).unwrap_or(false) => {
                    let _ = self.clear();
                    return Ok(name);
                }
                renamed => return renamed.map(|()| name),
            }
        }
        Err(Errno::EXIST)
    }

    /// Renames a kept file back to the temporary name.
    pub(crate) fn take_from(&self, name: &OsStr) -> Result<(), Errno> {
        match self.status() {
            Err(Errno::NOENT) => system::rename(&self.directory, name, self.name()),
            there if there?.is_same_file(&system::status_at(&self.directory, name)?) => {
                system::unlink(&self.directory, name)
            }
            _ => Err(Errno::EXIST),
        }
    }

    /// The name that the old file was kept under, if the temporary name is free.
    pub(crate) fn backup_of(
        &self,
        old: Identity,
        backup: Option<&OsStr>,
    ) -> Result<Option<OsString>, Errno> {
        match self.status() {
            Err(Errno::NOENT) => {}
            there => return there.map(|_| None),
        }
        for name in backup.into_iter().flat_map(numbered) {
            match system::status_at(&self.directory, &name) {
                Err(Errno::NOENT) => break,
                found if found?.identity == old => return Ok(Some(name)),
                _ => {}
            }
        }
        Ok(None)
    }

    fn has_name(&self, name: &OsStr) -> Result<bool, Errno> {
        let own = self.status()?;
        Ok(system::status_at(&self.directory, name).is_ok_and(|other| other.is_same_file(&own)))
    }

    /// The status of the file.
    pub(crate) fn status(&self) -> Result<Status, Errno> {
        system::status_at(&self.directory, self.name())
    }
}

fn gone(result: Result<(), Errno>) -> Result<(), Errno> {
    if result == Err(Errno::NOENT) { Ok(()) } else { result }
}

/// A name, then the same with numbers appended.
fn numbered(name: &OsStr) -> impl Iterator<Item = OsString> {
    let name = name.to_owned();
    (0..MAX).map(move |number| {
        let mut numbered = name.clone();
        if number > 0 {
            numbered.push(format!(".{number}"));
        }
        numbered
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::lock::Locks;

    #[test]
    fn only_names_made_here_are_taken_from_a_record() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let locks = Locks::without_locking(sandbox.path()).expect("opened");
        let directory = &locks.directories()[0];
        let [one, other] = [(); 2].map(|()| Temporary::random(directory));
        assert_ne!(one.text(), other.text());
        assert!(Temporary::recorded(directory, one.text()).is_some(), "{}", one.text());
        for name in ["a.md", ".folio-0.tmp", ".folio-../../x.tmp", ".folio-1234567g.tmp", ""] {
            assert!(Temporary::recorded(directory, name).is_none(), "{name}");
        }
    }
}
