//! The change of a name: the file under a temporary name beside it takes its place, and the old
//! file gets the temporary name. A file that another program wrote in the meantime is never
//! destroyed. Recovery does the same from a record.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::hash::BuildHasher;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::io::Errno;

use crate::files::lock::Directory;
use crate::files::system::{self, Identity, Outcome, Status};

/// How often another program may replace the file at the same time before folio gives up.
const MAX_TURNS: usize = 100;
/// The largest number appended to a name.
const MAX_NUMBER: u32 = 1_000_000;
/// The suffix of an old file that another program changed.
const BEFORE: &str = ".before";

/// A name in a directory and a temporary name, whose files a commit exchanges.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub(crate) directory: Arc<Directory>,
    pub(crate) name: OsString,
    pub(crate) temporary: OsString,
    /// The file before; `None` if it is created.
    pub(crate) old: Option<Identity>,
    /// The file afterwards; `None` if it is removed or not written yet.
    pub(crate) new: Option<Identity>,
}

/// The progress of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Nothing has changed, or all is reverted.
    Before,
    /// The change is made, or a change in place is begun.
    Applied,
    /// Another program changed one of the files.
    Disturbed,
}

/// The result of reverting a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reverted {
    /// The file is as before, apart from bytes that another program appended.
    Yes { appended: u64 },
    /// Another program changed the file, so it stays. The old bytes are in the given file.
    No { kept: Option<PathBuf> },
}

/// A random name that other users cannot predict: `.folio-XXXXXXXX.tmp`.
pub(crate) fn temporary_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let random = RandomState::new().hash_one(COUNT.fetch_add(1, Ordering::Relaxed));
    format!(".folio-{:08x}.tmp", random >> 32)
}

/// Whether [`temporary_name`] can return this name.
pub(crate) fn is_temporary_name(name: &str) -> bool {
    let digits = name.strip_prefix(".folio-").and_then(|name| name.strip_suffix(".tmp"));
    digits.is_some_and(|it| it.len() == 8 && it.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The name, then the name with numbers appended.
pub(super) fn numbered(name: &OsStr) -> impl Iterator<Item = OsString> {
    let name = name.to_owned();
    (0..MAX_NUMBER).map(move |number| {
        let mut numbered = name.clone();
        if number > 0 {
            numbered.push(format!(".{number}"));
        }
        numbered
    })
}

impl Exchange {
    /// Exchanges the files. `false` if the file system cannot, and the new file has replaced the
    /// old one, which is kept only if `keeps_old`.
    pub(super) fn apply(&self, keeps_old: bool) -> Outcome<bool> {
        let (directory, name, temporary) = (&self.directory, &self.name, &self.temporary);
        match (self.old, self.new) {
            (None, _) => system::rename_to_free(directory, temporary, name).map(|()| true),
            (_, None) => system::rename_to_free(directory, name, temporary).map(|()| true),
            _ => match system::exchange(directory, temporary, name) {
                Err(error) if system::is_lacking(error) => self.replace(keeps_old).map(|()| false),
                exchanged => exchanged.map(|()| true),
            },
        }
    }

    /// Replaces the old file, which gets a second name first so that it is not lost.
    fn replace(&self, keeps_old: bool) -> Outcome<()> {
        let second = self.second_name();
        match system::link(&self.directory, &self.name, &second) {
            Err(error) if keeps_old => return Err(error),
            linked if linked.is_err() => {
                return system::rename(&self.directory, &self.temporary, &self.name);
            }
            _ => {}
        }
        let renamed = system::rename(&self.directory, &self.temporary, &self.name);
        self.take_second_name()?;
        renamed
    }

    fn second_name(&self) -> OsString {
        let mut name = self.temporary.clone();
        name.push(".old");
        name
    }

    /// Gives the old file the temporary name instead of its second one. If it still has its own
    /// name, only removes the second one.
    fn take_second_name(&self) -> Outcome<()> {
        let (second, old) = (self.second_name(), self.old.map(|old| old.inode));
        let found = existing(system::status_at(&self.directory, &second))?;
        if found.is_none_or(|found| Some(found.identity.inode) != old) {
            return Ok(());
        }
        match self.aside()? {
            None => system::rename(&self.directory, &second, &self.temporary),
            Some(_) => system::unlink(&self.directory, &second),
        }
    }

    /// The file in place.
    pub(super) fn named(&self) -> Outcome<Option<Status>> {
        existing(system::status_at(&self.directory, &self.name))
    }

    /// The file under the temporary name.
    pub(super) fn aside(&self) -> Outcome<Option<Status>> {
        existing(system::status_at(&self.directory, &self.temporary))
    }

    fn is_new(&self, status: Status) -> bool {
        self.new.is_some_and(|new| new.inode == status.identity.inode)
    }

    /// Determines the progress from the files.
    pub(crate) fn stage(&self) -> Outcome<Stage> {
        self.take_second_name()?;
        let (named, mut aside) = (self.named()?, self.aside()?);
        if named.zip(aside).is_some_and(|(named, aside)| named.is_same_file(&aside)) {
            // Without a call that renames to a free name, a file has both names for a moment.
            remove(&self.directory, &self.temporary)?;
            aside = None;
        }
        let is_in_place = match self.new {
            Some(_) => named.is_some_and(|named| self.is_new(named)),
            None => aside.is_some(),
        };
        Ok(match aside {
            Some(aside) if self.is_new(aside) => Stage::Before,
            None if !is_in_place => Stage::Before,
            Some(aside) if self.old != Some(aside.identity) => Stage::Disturbed,
            _ if is_in_place => Stage::Applied,
            _ => Stage::Disturbed,
        })
    }

    /// Gives the old file its place again. A file that another program put there stays.
    ///
    /// `is_own_run` is whether this process made the exchange. If not, a file of another user under
    /// the temporary name is not used, because that user may have put it there.
    pub(crate) fn revert(&self, is_own_run: bool) -> Outcome<Reverted> {
        if self.stage()? == Stage::Before {
            return self.discard().map(|()| Reverted::Yes { appended: 0 });
        }
        let (named, aside) = (self.named()?, self.aside()?);
        if is_own_run && self.old.is_some() && aside.is_none() {
            return Err(Errno::NOENT);
        }
        let is_back = match (self.new, named, aside) {
            (Some(new), Some(named), Some(aside)) if named.identity == new => {
                let may_be_moved = self.old.is_some() && (is_own_run || named.user == aside.user);
                may_be_moved && self.settle(new)?
            }
            (Some(new), Some(named), None) if named.identity == new && self.old.is_none() => {
                self.take_name(new)?
            }
            (None, None, Some(_)) => {
                return match system::rename_to_free(&self.directory, &self.temporary, &self.name) {
                    Err(Errno::EXIST) => self.keep_old().map(|kept| Reverted::No { kept }),
                    renamed => renamed.map(|()| Reverted::Yes { appended: 0 }),
                };
            }
            _ => false,
        };
        if is_back {
            return remove(&self.directory, &self.temporary)
                .map(|()| Reverted::Yes { appended: 0 });
        }
        let kept = self.keep_old()?;
        let is_replaced = self.named()?.is_some_and(|named| !self.is_new(named));
        if is_own_run && kept.is_none() && is_replaced {
            // It was written by another program, which has written a newer one since.
            remove(&self.directory, &self.temporary)?;
        }
        Ok(Reverted::No { kept })
    }

    /// Exchanges the files until none that another program wrote is left aside: `false` if the
    /// newest file in place is such a file. What is left under the temporary name is not needed.
    fn settle(&self, new: Identity) -> Outcome<bool> {
        let mut expected = new;
        for turn in 0..MAX_TURNS {
            let Some(inside) = self.aside()? else { return Ok(false) };
            match system::exchange(&self.directory, &self.temporary, &self.name) {
                Err(error) if system::is_lacking(error) => {
                    let is_ours = self.named()?.is_some_and(|named| named.identity == expected);
                    if is_ours {
                        system::rename(&self.directory, &self.temporary, &self.name)?;
                    }
                    return Ok(is_ours);
                }
                exchanged => exchanged?,
            }
            if self.aside()?.is_some_and(|aside| aside.identity == expected) {
                return Ok(turn == 0);
            }
            expected = inside.identity;
        }
        Err(Errno::BUSY)
    }

    /// Takes its name from a created file; `false` if another program replaced the file.
    fn take_name(&self, new: Identity) -> Outcome<bool> {
        system::rename_to_free(&self.directory, &self.name, &self.temporary)?;
        let is_ours = self.aside()?.is_some_and(|aside| aside.identity == new);
        if !is_ours {
            system::rename_to_free(&self.directory, &self.temporary, &self.name)?;
        }
        Ok(is_ours)
    }

    /// Renames the old file to a name with `.before`; its path if it still exists.
    fn keep_old(&self) -> Outcome<Option<PathBuf>> {
        let old = self.old.map(|old| old.inode);
        let aside = self.aside()?.filter(|aside| Some(aside.identity.inode) == old);
        let Some(aside) = aside else { return Ok(None) };
        let mut before = self.name.clone();
        before.push(BEFORE);
        for name in numbered(&before) {
            match system::rename_to_free(&self.directory, &self.temporary, &name) {
                Err(Errno::EXIST) => {
                    // A recovery that was interrupted may have given it this name.
                    let named = existing(system::status_at(&self.directory, &name))?;
                    if named.is_none_or(|named| !named.is_same_file(&aside)) {
                        continue;
                    }
                    remove(&self.directory, &self.temporary)?;
                }
                renamed => renamed?,
            }
            return Ok(Some(self.directory.path().join(name)));
        }
        Err(Errno::EXIST)
    }

    /// Removes the old file after all changes. If another program wrote to it after the exchange,
    /// it is kept, and its path returned.
    pub(crate) fn finish(&self) -> Outcome<Option<PathBuf>> {
        self.take_second_name()?;
        match self.aside()? {
            Some(aside) if self.old == Some(aside.identity) || self.is_new(aside) => {
                remove(&self.directory, &self.temporary).map(|()| None)
            }
            _ => self.keep_old(),
        }
    }

    /// Removes a new file that is not in place. A file that cannot be one of folio's stays.
    pub(crate) fn discard(&self) -> Outcome<()> {
        let Some(aside) = self.aside()? else { return Ok(()) };
        let is_ours = match self.new {
            Some(_) => self.is_new(aside),
            // It was not completely written, and has the owner of this process or of the old file.
            None => {
                let owner = self.named()?.map(|named| named.user);
                let has_owner = [Some(system::effective_user()), owner].contains(&Some(aside.user));
                let is_old = self.old.is_some_and(|old| old.inode == aside.identity.inode);
                has_owner && aside.kind.is_file() && !is_old
            }
        };
        if is_ours { remove(&self.directory, &self.temporary) } else { Ok(()) }
    }
}

/// Removes a file that may be gone.
fn remove(directory: &Directory, name: &OsStr) -> Outcome<()> {
    existing(system::unlink(directory, name)).map(drop)
}

/// The result of a call, or `None` if the file does not exist.
pub(crate) fn existing<T>(result: Outcome<T>) -> Outcome<Option<T>> {
    match result {
        Err(Errno::NOENT) => Ok(None),
        result => result.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_made_here_are_accepted_from_a_record() {
        let [one, other] = [(); 2].map(|()| temporary_name());
        assert_ne!(one, other);
        assert!(is_temporary_name(&one), "{one}");
        for name in ["a.md", ".folio-0.tmp", ".folio-../../x.tmp", ".folio-1234567g.tmp", ""] {
            assert!(!is_temporary_name(name), "{name}");
        }
    }
}
