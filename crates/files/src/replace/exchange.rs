//! Replaces a file by exchanging its name with the temporary name of the new file in the same
//! directory. Creates and removes files by renaming. Never deletes a file that another program
//! wrote in the meantime. A recovery uses the same functions, with the data of a record.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use rustix::io::Errno;

use super::slot::{Reverted, Slot, Stage};
use crate::system::{self, Identity, Outcome, Status};

/// Maximum number of times that another program may replace the file at the same time before folio
/// gives up.
const MAX_TURNS: usize = 100;
/// The largest number appended to a name.
const MAX_NUMBER: u32 = 1_000_000;
/// The suffix of an old file that another program changed.
const BEFORE: &str = ".before";

/// Returns the name itself, and then the name with each number appended.
pub(super) fn numbered_names(name: &OsStr) -> impl Iterator<Item = OsString> {
    let numbers = (1..MAX_NUMBER).map(|number| OsString::from(format!(".{number}")));
    let suffixes = std::iter::once(OsString::new()).chain(numbers);
    suffixes.map(move |suffix| [name, &suffix].into_iter().collect())
}

/// Exchanges of names. `record.after` is `None` if the file is removed, or if the new file does not
/// exist yet.
impl Slot {
    /// Exchanges the files. Returns `false` if the file system does not support this, and the new
    /// file has replaced the old one instead, which requires `may_replace`.
    pub(super) fn exchange(&self, may_replace: bool) -> Outcome<bool> {
        let (directory, name, temporary) = (&self.directory, self.name(), self.temporary());
        match (self.record.before, self.record.after) {
            (None, _) => system::rename_to_free(directory, temporary, name).map(|()| true),
            (_, None) => system::rename_to_temporary(directory, name, temporary).map(|()| true),
            _ => match system::exchange(directory, temporary, name) {
                Err(error) if may_replace && system::is_lacking(error) => {
                    system::rename(directory, temporary, name).map(|()| false)
                }
                exchanged => exchanged.map(|()| true),
            },
        }
    }

    /// Returns the status of the file with the original name.
    pub(super) fn original_status(&self) -> Outcome<Option<Status>> {
        none_if_missing(system::status_at(&self.directory, self.name()))
    }

    /// Returns the status of the file with the temporary name.
    pub(super) fn temporary_status(&self) -> Outcome<Option<Status>> {
        if self.is_in_place() {
            return Ok(None);
        }
        none_if_missing(system::status_at(&self.directory, self.temporary()))
    }

    fn is_new(&self, status: Status) -> bool {
        self.record.after.is_some_and(|new| new.inode == status.identity.inode)
    }

    fn is_old(&self, status: Status) -> bool {
        self.record.before.is_some_and(|old| old.inode == status.identity.inode)
    }

    /// Removes the file with the temporary name.
    pub(super) fn remove_aside(&self) -> Outcome<()> {
        none_if_missing(system::unlink(&self.directory, self.temporary())).map(drop)
    }

    /// Determines the progress of an exchange from the existing files.
    pub(super) fn stage(&self) -> Outcome<Stage> {
        let (named, mut aside) = (self.original_status()?, self.temporary_status()?);
        if named.zip(aside).is_some_and(|(named, aside)| named.is_same_file(&aside)) {
            // If the system cannot rename without replacing, the file has both names for a moment.
            self.remove_aside()?;
            aside = None;
        }
        let is_in_place = match self.record.after {
            Some(_) => named.is_some_and(|named| self.is_new(named)),
            None => aside.is_some(),
        };
        Ok(match aside {
            Some(aside) if self.is_new(aside) => Stage::Before,
            None if !is_in_place => Stage::Before,
            Some(aside) if self.record.before != Some(aside.identity) => Stage::Disturbed,
            _ if is_in_place => Stage::Applied,
            _ => Stage::Disturbed,
        })
    }

    /// Moves the old file back to its name. If another program has put a file there, that file
    /// stays.
    ///
    /// `is_this_run` is whether this process made the exchange. If it did not, and the file with the
    /// temporary name belongs to another user, that file is not used, because that user may have
    /// put it there.
    pub(super) fn exchange_back(&self, is_this_run: bool) -> Outcome<Reverted> {
        if self.stage()? == Stage::Before {
            return self.discard().map(|()| Reverted::Nothing);
        }
        let (named, aside, old) =
            (self.original_status()?, self.temporary_status()?, self.record.before);
        if is_this_run && old.is_some() && aside.is_none() {
            return Err(Errno::NOENT);
        }
        let is_back = match (self.record.after, named, aside) {
            (Some(new), Some(named), Some(aside)) if named.identity == new => {
                let may_be_moved = old.is_some() && (is_this_run || named.user == aside.user);
                may_be_moved && self.settle(new)?
            }
            (Some(new), Some(named), None) if named.identity == new && old.is_none() => {
                self.take_name(new)?
            }
            (None, None, Some(_)) => {
                match system::rename_to_free(&self.directory, self.temporary(), self.name()) {
                    Err(Errno::EXIST) => false,
                    renamed => return renamed.map(|()| Reverted::Yes { appended: 0 }),
                }
            }
            _ => false,
        };
        if is_back {
            return self.remove_aside().map(|()| Reverted::Yes { appended: 0 });
        }
        // The removal may have moved a file of another program away, and the program has created a
        // new one since.
        let kept = self.keep_aside(is_this_run && self.record.after.is_none())?;
        let is_replaced = self.original_status()?.is_some_and(|named| !self.is_new(named));
        if is_this_run && kept.is_none() && is_replaced {
            // Another program wrote this file, and has written a newer one since.
            self.remove_aside()?;
        }
        Ok(Reverted::No { kept })
    }

    /// Exchanges the files until the newest file of another program has the original name. Returns
    /// `false` if there is such a file. The file that then has the temporary name is not needed.
    fn settle(&self, new: Identity) -> Outcome<bool> {
        let mut expected = new;
        for turn in 0..MAX_TURNS {
            let Some(inside) = self.temporary_status()? else { return Ok(false) };
            system::exchange(&self.directory, self.temporary(), self.name())?;
            if self.temporary_status()?.is_some_and(|aside| aside.identity == expected) {
                return Ok(turn == 0);
            }
            expected = inside.identity;
        }
        Err(Errno::BUSY)
    }

    /// Renames a created file to its temporary name. If another program has replaced the created
    /// file, leaves that file in place and returns `false`.
    fn take_name(&self, new: Identity) -> Outcome<bool> {
        system::rename_to_temporary(&self.directory, self.name(), self.temporary())?;
        let is_ours = self.temporary_status()?.is_some_and(|aside| aside.identity == new);
        if !is_ours {
            system::rename_to_free(&self.directory, self.temporary(), self.name())?;
        }
        Ok(is_ours)
    }

    /// Renames the old file to its name with `.before` appended, and returns the new path. Returns
    /// `None` if the old file does not exist. If `any` is set, renames whatever file has the
    /// temporary name.
    fn keep_aside(&self, any: bool) -> Outcome<Option<PathBuf>> {
        if !self.temporary_status()?.is_some_and(|aside| any || self.is_old(aside)) {
            return Ok(None);
        }
        let mut before = self.name().to_owned();
        before.push(BEFORE);
        for name in numbered_names(&before) {
            match system::rename_to_free(&self.directory, self.temporary(), &name) {
                Err(Errno::EXIST) => {}
                renamed => return renamed.map(|()| Some(self.directory.path().join(name))),
            }
        }
        Err(Errno::EXIST)
    }

    /// Removes the old file after all changes. If another program wrote to it after the exchange,
    /// keeps it and returns its path.
    pub(crate) fn finish(&self) -> Outcome<Option<PathBuf>> {
        match self.temporary_status()? {
            Some(aside) if self.record.before == Some(aside.identity) => {
                self.remove_aside().map(|()| None)
            }
            _ => self.keep_aside(false),
        }
    }

    /// Removes a new file that was not put in place. Does not remove a file that folio cannot have
    /// written.
    pub(crate) fn discard(&self) -> Outcome<()> {
        let Some(aside) = self.temporary_status()? else { return Ok(()) };
        let is_ours = match self.record.after {
            Some(_) => self.is_new(aside),
            // The file was not completely written, and belongs to the user of this process or to
            // the owner of the old file. If the old file is not in place, the files may have been
            // exchanged even though the record is incomplete, after a power failure.
            None => {
                let named = self.original_status()?;
                let owners = [Some(system::effective_user()), named.map(|named| named.user)];
                let is_before =
                    self.record.before.is_none() || named.is_some_and(|named| self.is_old(named));
                let is_file = aside.kind.is_file() && owners.contains(&Some(aside.user));
                is_before && is_file && !self.is_old(aside)
            }
        };
        if is_ours { self.remove_aside() } else { Ok(()) }
    }
}

/// Returns the result of a call, or `None` if the file does not exist.
pub(super) fn none_if_missing<T>(result: Outcome<T>) -> Outcome<Option<T>> {
    match result {
        Err(Errno::NOENT) => Ok(None),
        result => result.map(Some),
    }
}
