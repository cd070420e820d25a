//! One file takes the place of another: staged without a name, moved into a
//! temporary name beside its target, and exchanged with it. What comes out must be what
//! was read; if it is not, it goes back.

use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::Arc;

use rustix::io::Errno;

use super::attributes::{self, in_place_hint};
use super::content::{hash_edited, write_edited};
use super::context::{Context, Staged};
use super::editable::{self, Editable};
use super::failpoints::{self, Point};
use super::temporary::Temporary;
use crate::error::Error;
use crate::files::lock::Directory;
use crate::files::system::{self, Identity, Status, system_error};
use crate::text::edit::EditSet;
use crate::text::span::Span;

/// How often another program may write in the same moment before it is left
/// alone.
const MAX_TURNS: usize = 100;

/// A new file for the place of an old one.
pub(super) struct Swap {
    pub(super) old: Editable,
    pub(super) new: Staged,
    /// What the new one is; known once it is staged.
    pub(super) after: Status,
    /// The name that the old file is to be kept under, a number added where it
    /// is taken.
    pub(super) backup: Option<OsString>,
    /// The name that it is kept under.
    pub(super) kept_as: Option<OsString>,
    /// The name that it is kept under as another program wrote to it too late.
    pub(super) late: Option<OsString>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The new file is nowhere, or under the temporary name.
    Waiting,
    /// The same, and the old file has a second name.
    Linked,
    /// The old file is under the temporary name.
    Exchanged,
    /// The old file is under its second name: the two cannot change places here.
    Renamed,
    /// The old file is nowhere.
    Replaced,
}

impl Swap {
    /// Writes the new file.
    pub(super) fn stage(
        old: Editable,
        edits: &EditSet,
        backup: Option<OsString>,
        context: &mut Context<'_>,
    ) -> Result<Self, Error> {
        let new = context.new_file(&old.directory, 0o600)?;
        let (after, state) = (old.status, State::Waiting);
        let mut swap = Self { after, old, new, backup, kept_as: None, late: None, state };
        match swap.fill(edits, context) {
            Ok(()) => Ok(swap),
            Err(error) => {
                swap.discard();
                Err(error)
            }
        }
    }

    fn fill(&mut self, edits: &EditSet, context: &Context<'_>) -> Result<(), Error> {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => editable::changed(),
            _ => Error::io(&error, &self.old.asked),
        };
        write_edited(&self.old.file, self.old.size(), edits, &self.new.file).map_err(failed)?;
        attributes::carry_over(&self.old.file, &self.old.status, &self.new.file)?;
        if context.options.sync {
            system::sync(&self.new.file).map_err(|error| failed(error.into()))?;
        }
        self.after = system::status_of(&self.new.file).map_err(|error| failed(error.into()))?;
        failpoints::reached(Point::Staged)
    }

    /// Moves the new file beside its target.
    pub(super) fn ready(&mut self, context: &mut Context<'_>) -> Result<(), Error> {
        if self.new.give_name(context)? {
            attributes::carry_over(&self.old.file, &self.old.status, &self.new.file)?;
            self.after = system::status_of(&self.new.file)
                .map_err(|error| system_error("it cannot be compared", error))?;
        }
        Ok(())
    }

    /// Lets the new file take its place, if that contains what was read.
    pub(super) fn apply(&mut self, context: &mut Context<'_>) -> Result<(), Error> {
        let (directory, name) = (self.old.directory.clone(), self.old.name.clone());
        let now = match system::status_at(&directory, &name) {
            Err(Errno::NOENT) => return Err(editable::changed()),
            now => now.map_err(|error| system_error("it cannot be compared", error))?,
        };
        let old = &self.old.status;
        if !is_as_read(&now, old) || (now.links, now.ctime) != (old.links, old.ctime) {
            return Err(editable::changed());
        }
        self.old.check_bytes()?;
        failpoints::reached(Point::Compared)?;
        let temporary = self.new.temporary.clone();
        match system::exchange(&directory, temporary.name(), &name) {
            Ok(()) => self.state = State::Exchanged,
            Err(error) if system::is_lacking(error) => self.rename(&temporary, context)?,
            Err(error) => return Err(replace_error(error)),
        }
        failpoints::reached(Point::Exchanged)?;
        if self.state == State::Exchanged {
            self.check_what_came_out(&temporary)?;
        }
        Ok(())
    }

    fn check_what_came_out(&self, temporary: &Temporary) -> Result<(), Error> {
        let out =
            temporary.status().map_err(|error| system_error("it cannot be compared", error))?;
        if is_as_read(&out, &self.old.status) {
            return self.old.check_bytes();
        }
        // Some layered file systems give a file another number when it moves.
        let may_be = out.identity.inode != self.old.status.identity.inode
            && out.identity.size == self.old.status.identity.size
            && out.identity.mtime == self.old.status.identity.mtime;
        match may_be && self.has_same_bytes(temporary).map_err(editable::unread)? {
            true => Ok(()),
            false => Err(editable::changed()),
        }
    }

    fn has_same_bytes(&self, temporary: &Temporary) -> io::Result<bool> {
        let out = system::open_file(&self.old.directory, temporary.name(), false)?;
        let length = self.old.size();
        let hash = |file| hash_edited(file, length, &EditSet::default(), &[Span::new(0, length)]);
        Ok(hash(&self.old.file)? == hash(&out)?)
    }

    /// Where two files cannot change places: the old one is kept under a
    /// second name where it is needed still.
    fn rename(&mut self, temporary: &Temporary, context: &mut Context<'_>) -> Result<(), Error> {
        let (directory, name) = (&self.old.directory, &self.old.name);
        let keep = context.is_transaction || self.backup.is_some();
        if keep {
            system::link(directory, name, &temporary.second_name()).map_err(|error| {
                system_error("the file system can neither exchange nor link files", error)
            })?;
            self.state = State::Linked;
        }
        // All that is left to do for the old file is done when everything is in place: so
        // no call can fail that leaves it without a way back.
        system::rename(directory, temporary.name(), name).map_err(replace_error)?;
        self.state = if keep { State::Renamed } else { State::Replaced };
        context.warn(
            "the file system cannot exchange two files: what another program wrote in that \
             very moment would be lost",
        );
        Ok(())
    }

    /// Gives the old file its place back; `false` where another program has
    /// changed the new one since, which then stays.
    pub(super) fn take_back(&mut self) -> Result<bool, Errno> {
        let temporary = self.new.temporary.clone();
        let (directory, name) = (&self.old.directory, &self.old.name);
        if let Some(kept) = &self.kept_as {
            temporary.take_from(kept)?;
            self.kept_as = None;
        }
        let is_back = match self.state {
            State::Waiting => true,
            State::Linked => system::unlink(directory, &temporary.second_name()).map(|()| true)?,
            State::Replaced => false,
            State::Exchanged => settle(directory, &temporary, name, self.after.identity)?,
            State::Renamed => {
                temporary.take_second(self.old.identity())?;
                put_over(directory, temporary.name(), name, self.after.identity)?
            }
        };
        if !is_back {
            self.keep_old(&temporary)?;
        }
        self.state = State::Waiting;
        self.discard();
        Ok(is_back)
    }

    /// Keeps the old file, whose place another program has taken, under a name of its own:
    /// what the edit removed of it is nowhere else.
    fn keep_old(&mut self, temporary: &Temporary) -> Result<(), Errno> {
        temporary.take_second(self.old.identity())?;
        let is_old = match temporary.status() {
            Err(Errno::NOENT) => false,
            status => status?.is_same_file(&self.old.status),
        };
        if is_old {
            self.late = Some(temporary.keep_as(&self.name_before())?);
        }
        Ok(())
    }

    fn name_before(&self) -> OsString {
        let mut name = self.old.name.clone();
        name.push(".before");
        name
    }

    /// Gives the new file this name, or a numbered one, beside the old one.
    pub(super) fn put_beside(&self, name: &OsStr) -> Result<OsString, Error> {
        self.new.temporary.keep_as(name).map_err(backup_error)
    }

    /// Takes away what was staged.
    pub(super) fn discard(&self) {
        if self.state == State::Waiting {
            self.new.discard();
        }
    }

    /// Gives the old file the name that it is kept under: a change whose backup cannot be
    /// made is not made.
    pub(super) fn keep_backup(&mut self) -> Result<(), Error> {
        let (temporary, Some(backup)) = (&self.new.temporary, &self.backup) else {
            return Ok(());
        };
        let kept = self.collect_second(temporary).and_then(|()| temporary.keep_as(backup));
        self.kept_as = Some(kept.map_err(backup_error)?);
        Ok(())
    }

    /// Brings the old file from its second name under the temporary one.
    fn collect_second(&self, temporary: &Temporary) -> Result<(), Errno> {
        if self.state == State::Renamed {
            temporary.take_second(self.old.identity())
        } else {
            Ok(())
        }
    }

    /// Takes away the old file. What another program still wrote to it is kept.
    pub(super) fn finish(&mut self) -> Result<(), Errno> {
        let temporary = &self.new.temporary;
        self.collect_second(temporary)?;
        if self.backup.is_none() && self.has_late_bytes(temporary)? {
            self.late = Some(temporary.keep_as(&self.name_before())?);
        }
        temporary.clear()
    }

    /// Whether another program wrote to the old file when that had lost its name: it had
    /// opened it before.
    fn has_late_bytes(&self, temporary: &Temporary) -> Result<bool, Errno> {
        if !matches!(self.state, State::Exchanged | State::Renamed) {
            return Ok(false);
        }
        let (now, old) = match temporary.status() {
            Err(Errno::NOENT) => return Ok(false),
            now => (now?.identity, self.old.identity()),
        };
        Ok((now.size, now.mtime) != (old.size, old.mtime))
    }
}

/// Lets a file under a temporary name change places with the one that was put into its
/// place, which was `put`. If another program has written there since, its
/// newest file stays: then `false`. What is left under the temporary name may go.
pub(crate) fn settle(
    directory: &Arc<Directory>,
    temporary: &Temporary,
    name: &OsStr,
    put: Identity,
) -> Result<bool, Errno> {
    let mut expected = put;
    for turn in 0..MAX_TURNS {
        let inside = temporary.status()?.identity;
        match system::exchange(directory, temporary.name(), name) {
            Err(error) if system::is_lacking(error) => {
                return put_over(directory, temporary.name(), name, expected);
            }
            exchanged => exchanged?,
        }
        if temporary.status()?.identity == expected {
            return Ok(turn == 0);
        }
        expected = inside;
    }
    Err(Errno::BUSY)
}

/// Where two files cannot change places: the one under another name replaces the one that
/// was `put` there; `false` where that is not what is there.
fn put_over(
    directory: &Arc<Directory>,
    old: &OsStr,
    name: &OsStr,
    put: Identity,
) -> Result<bool, Errno> {
    let is_ours = system::status_at(directory, name)?.identity == put;
    if is_ours {
        system::rename(directory, old, name)?;
    }
    Ok(is_ours)
}

/// Whether a file is what was read, as far as the system tells.
pub(super) fn is_as_read(now: &Status, read: &Status) -> bool {
    now.identity == read.identity
        && (now.mode, now.user, now.group) == (read.mode, read.user, read.group)
}

fn backup_error(error: Errno) -> Error {
    system_error("its backup cannot be made", error)
}

/// The error for a name that another file cannot take.
fn replace_error(error: Errno) -> Error {
    match error {
        Errno::BUSY => editable::mounted(),
        Errno::NOENT => editable::changed(),
        error => system_error("another file cannot take its place", error).hint(in_place_hint()),
    }
}
