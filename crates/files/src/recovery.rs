//! Recovers interrupted commits from their records: finishes commits whose changes are all made,
//! and reverts the others. Only files that a record contains are changed.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::env::Env;
use super::journal::{self, Journal};
use super::lock::{Locks, lock_directories};
use super::records::FileRecord;
use super::replace::{Reverted, Slot, old_file_kept};
use super::roots::Roots;
use super::state::StateDirectory;
use super::system;
use crate::error::{Code, Error, Hint};

/// The result of recovering a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The commit had changed nothing; only temporary files had been left.
    Nothing,
    /// All changes were made.
    Finished,
    /// All changes were reverted.
    TakenBack,
    /// Some files could not be reverted, because other programs changed them.
    InPart,
}

/// A recovered commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The time at which the commit began, in seconds since 1970.
    pub time: u64,
    /// The result of the recovery.
    pub ending: Ending,
    /// The files of the commit. After [`Ending::InPart`], the files that could not be reverted.
    pub files: Vec<PathBuf>,
    /// Messages for the user, one sentence each.
    pub messages: Vec<String>,
}

/// Recovers all interrupted commits whose files are below the roots, oldest first. Returns the
/// results, and the number of other interrupted commits. If a commit cannot be recovered, the next
/// run tries again. In each directory, waits at most [`Env::lock_timeout`] for other writers.
pub fn recover(state: &StateDirectory, env: &Env) -> (Vec<Result<Recovered, Error>>, usize) {
    let (interrupted, errors) = match journal::interrupted(state) {
        Ok(interrupted) => interrupted,
        Err(error) => return (vec![Err(error)], 0),
    };
    let (within_roots, others): (Vec<_>, Vec<_>) =
        interrupted.iter().partition(|journal| journal.lies_in(&env.roots));
    let recovered = within_roots.into_iter().map(|journal| recover_commit(journal, env));
    (recovered.chain(errors.into_iter().map(Err)).collect(), others.len())
}

/// Recovers commits that changed one file or nothing, or were done. Does not wait for other
/// writers. Returns messages for the user. If a commit cannot be recovered, the next run tries
/// again.
pub fn recover_simple(state: &StateDirectory, env: &Env) -> Vec<String> {
    let env = Env { lock_timeout: Duration::ZERO, ..env.clone() };
    let (interrupted, _) = journal::interrupted(state).unwrap_or_default();
    let simple =
        interrupted.iter().filter(|journal| !journal.is_in_part() && journal.lies_in(&env.roots));
    let recovered = simple.map(|journal| recover_commit(journal, &env));
    recovered.flatten().flat_map(|recovered| recovered.messages).collect()
}

/// Recovers a commit: finishes it if all of its changes are made, and otherwise reverts it.
fn recover_commit(journal: &Journal, env: &Env) -> Result<Recovered, Error> {
    env.cancel.defer_signals();
    env.cancel.check()?;
    let is_undo = journal.record.is_undo();
    let mut directories = journal.directories();
    if journal.is_done && is_undo {
        // It may have removed directories that were created for its files.
        for created in journal.record.created_directories() {
            if !env.roots.is_directory(&created) {
                directories.remove(&created);
            }
        }
    }
    let directories: Vec<PathBuf> = directories.into_iter().collect();
    let check = || {
        let checked = directories.iter().try_for_each(|path| check_directory(path, &env.roots));
        checked.map_err(|error| error.hint(journal.how_to_ignore()))
    };
    check()?;
    let locks = lock_directories(&directories, env)?;
    // A directory may have been replaced while this run was waiting for the locks.
    check()?;
    let slots = slots(journal, &directories, &locks)?;
    let mut recovered = Recovered {
        time: journal.record.time,
        ending: Ending::Finished,
        files: journal.record.paths().collect(),
        messages: Vec::new(),
    };
    let mut is_done = journal.is_done;
    if !is_done && journal.is_complete {
        is_done = true;
        for slot in &slots {
            is_done &= slot.is_applied().map_err(|error| slot_error(slot, error))?;
        }
        if is_done {
            // After the old files are removed, another recovery could not detect that all changes
            // are made.
            journal.mark_done(true).map_err(|error| Error::io(&error, journal.state.path()))?;
        }
    }
    if is_done {
        finish(&slots, &mut recovered)?
    } else {
        revert(&slots, journal.is_complete, &mut recovered)?;
    }
    // A finished undo, or a reverted patch or redo, no longer needs them.
    if is_done == is_undo {
        env.roots.remove_directories(&journal.record.created_directories());
    }
    // If the record is gone after a power failure, the changes must be on disk.
    for directory in locks.directories() {
        match system::sync(directory) {
            Err(error) if system::is_lacking(error) => {}
            synced => synced.map_err(|error| Error::io(&error.into(), directory.path()))?,
        }
    }
    let ended = if is_done { journal.finish() } else { journal.remove() };
    ended.map_err(|error| Error::io(&error, journal.state.path()))?;
    Ok(recovered)
}

fn slot_error(slot: &Slot, error: impl Into<io::Error>) -> Error {
    Error::io(&error.into(), &slot.path()).after("it could not be recovered: ")
}

/// Returns the changes of a commit in directories.
fn slots(journal: &Journal, directories: &[PathBuf], locks: &Locks) -> Result<Vec<Slot>, Error> {
    let files = journal.record.files.iter().enumerate();
    let files = files.filter(|(_, file)| directories.iter().any(|path| path == file.directory()));
    let slot = |(index, file): (usize, &FileRecord)| {
        let directory = locks.find(file.directory())?;
        Ok(Slot { directory, record: file.clone(), copy: journal.copy_path(index) })
    };
    files.map(slot).collect()
}

/// Fails if a directory of a commit does not exist, for example because its drive is not mounted,
/// or is no longer a directory. The record is then kept.
fn check_directory(path: &Path, roots: &Roots) -> Result<(), Error> {
    let how = match roots.resolve(path) {
        Ok(now) if now == path && roots.look(path)?.is_some_and(|status| status.kind.is_dir()) => {
            return Ok(());
        }
        Ok(now) if now != path => "was replaced by a symlink",
        Ok(_) => "is missing",
        Err(error) if [Code::NotFound, Code::NotADirectory].contains(&error.code) => "is missing",
        Err(error) => return Err(error),
    };
    let message = format!("the directory {how}, so an interrupted edit in it is not recovered");
    let again = Hint::command("undo", ["--recover"]);
    let error = Error::new(Code::FileChanged, message).at(path);
    Err(error.hint(again.why("when the directory is mounted or created again")))
}

/// Removes the old files.
fn finish(slots: &[Slot], recovered: &mut Recovered) -> Result<(), Error> {
    for slot in slots {
        let kept = slot.finish().map_err(|error| slot_error(slot, error))?;
        recovered.messages.extend(kept.map(|kept| old_file_kept(&slot.path(), &kept)));
    }
    Ok(())
}

/// Reverts all changes. If the record is incomplete, there are none.
fn revert(slots: &[Slot], is_recorded: bool, recovered: &mut Recovered) -> Result<(), Error> {
    let (mut changed, mut stay, mut reverted) = (false, Vec::new(), Vec::new());
    for slot in slots.iter().rev() {
        if !is_recorded {
            slot.discard().map_err(|error| slot_error(slot, error))?;
            continue;
        }
        let result = slot.revert(false).map_err(|error| slot_error(slot, error))?;
        changed |= result != Reverted::Nothing;
        let path = slot.path();
        let sentence = result.sentence();
        recovered
            .messages
            .extend(sentence.map(|sentence| format!("'{}': {sentence}", path.display())));
        match result {
            Reverted::Nothing | Reverted::Yes { .. } => {
                reverted.push(format!("'{}' is as it was before", path.display()));
            }
            Reverted::No { .. } => stay.push(path),
        }
    }
    recovered.ending = match (changed, stay.is_empty()) {
        (false, _) => Ending::Nothing,
        (true, true) => Ending::TakenBack,
        (true, false) => Ending::InPart,
    };
    if recovered.ending == Ending::InPart {
        recovered.messages.extend(reverted);
        recovered.files = stay;
    }
    Ok(())
}
