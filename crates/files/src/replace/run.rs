//! Runs a commit from beginning to end.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use super::editable::with_path;
use super::failpoints::{self, Point};
use super::step::{FileChange, Step, removed_length, write_kept};
use crate::error::{Code, Error, Hint};
use crate::history::{self, Draft};
use crate::journal::Journal;
use crate::lock::{Directory, Locks};
use crate::options::NO_UNDO;
use crate::records::{Record, Reversed, VERSION};
use crate::state::{StateDirectory, now};
use crate::system::{self, system_error};

/// Number of new files from which the file system is synced once, instead of each file: for 1,000
/// files on ext4, this takes 0.03 s instead of 0.5 s. Below, files of other programs would delay a
/// short commit.
const MANY: usize = 16;
/// The warning for changes that may be lost if the system crashes.
const NOT_DURABLE: &str = "applied, durability unknown";
/// The error if a change cannot be recorded in the history.
const NO_HISTORY: &str = "cannot record the edit for undo";
const NO_STATE: &str = "cannot record the edit for undo: neither XDG_STATE_HOME nor HOME is set";
const NO_EXCHANGE: &str = "the file system cannot exchange two files: what another program wrote \
                           in that very moment would be lost";

/// Options for making changes.
#[derive(Clone, Debug)]
pub struct CommitOptions {
    /// Whether a commit ends only when all data is on disk.
    pub sync: bool,
    /// The suffix for backups of old files. `None` for no backups.
    pub backup: Option<OsString>,
    /// The description for the history. `None` if the commit is not kept in the history.
    pub history: Option<Draft>,
    /// The history entry that the commit reverses, and which is then removed. Such a commit is made
    /// even if the history cannot keep it, so that an undo is possible on a full disk.
    pub reverses: Option<Reversed>,
    /// The state directory. Without it, edits cannot be undone or written in place, and a crash
    /// between several changes cannot be recovered.
    pub state: Option<StateDirectory>,
    /// The absolute paths of the directories that were created for the files, outermost first. They
    /// may include directories of other files. An undo removes those that are empty afterwards.
    pub directories: Vec<PathBuf>,
}

impl Default for CommitOptions {
    fn default() -> Self {
        Self {
            sync: true,
            backup: None,
            history: None,
            reverses: None,
            state: None,
            directories: Vec::new(),
        }
    }
}

/// The result of a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// The number of changed files.
    pub files: usize,
    /// The path of each file with a backup, as the user gave it, and the path of its backup.
    pub backups: Vec<(PathBuf, PathBuf)>,
    /// The number with which the commit can be undone.
    pub undo: Option<u64>,
    /// Warnings, one sentence each.
    pub warnings: Vec<String>,
}

/// Makes all changes or none, and calls `progress` with the number of new files written so far and
/// their total. The directories of all files must be locked.
///
/// # Errors
///
/// Fails with [`Code::FileChanged`] if a file has changed since it was opened, with
/// [`Code::Cancelled`] if the run is cancelled before half of the files are changed, and with other
/// codes if a system call fails. After an error, every file is unchanged, unless the hints of the
/// error state otherwise. Failures after the last change are only warnings.
pub fn commit(
    changes: Vec<FileChange>,
    locks: &Locks,
    options: &CommitOptions,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Committed, Error> {
    locks.env().cancel.defer_signals();
    let mut run = Commit::plan(changes, locks, options)?;
    match run.begin().and_then(|()| run.make_all(progress)) {
        Ok(()) => Ok(run.finish()),
        Err(error) => Err(run.abort(error)),
    }
}

struct Commit<'a> {
    options: &'a CommitOptions,
    locks: &'a Locks,
    steps: Vec<Step>,
    /// The record of the commit, without the new files.
    record: Record,
    journal: Option<Journal>,
    committed: Committed,
}

impl<'a> Commit<'a> {
    fn plan(
        changes: Vec<FileChange>,
        locks: &'a Locks,
        options: &'a CommitOptions,
    ) -> Result<Self, Error> {
        let mut steps = Vec::<Step>::new();
        let mut committed = Committed { files: changes.len(), ..Committed::default() };
        let Draft { operation, parts, values, lines } = options.history.clone().unwrap_or_default();
        let mut lines = lines.into_iter();
        for change in changes {
            let path = match &change {
                FileChange::Edit { file, .. } | FileChange::Remove { file } => {
                    file.given_path.clone()
                }
                FileChange::Create { path, .. } => path.clone(),
            };
            if let (FileChange::Edit { file, edits }, Some(suffix)) = (&change, &options.backup)
                && !edits.is_empty()
            {
                let planned = Step::plan_backup(file, suffix);
                let (step, warning) = planned.map_err(|error| with_path(error, &path))?;
                committed.backups.push((path.clone(), step.slot.path()));
                committed.warnings.extend(warning);
                steps.push(step);
            }
            let step = Step::plan(change, lines.next().unwrap_or_default(), locks);
            steps.extend(step.map_err(|error| with_path(error, &path))?);
        }
        let holds_file = |directory: &&PathBuf| {
            steps.iter().any(|step| step.slot.record.path().starts_with(directory))
        };
        let directories = options.directories.iter().filter(holds_file);
        let record = Record {
            version: VERSION,
            time: now(),
            operation,
            parts,
            values,
            reverses: options.reverses.clone(),
            is_kept: options.history.is_some(),
            directories: directories.map(|directory| directory.clone().into()).collect(),
            files: steps.iter().map(|step| step.slot.record.clone()).collect(),
        };
        Ok(Self { options, locks, steps, record, journal: None, committed })
    }

    /// Whether the record must be on disk before and after the changes. If not, a crash of the
    /// system leaves at most one temporary file.
    fn syncs_record(&self) -> bool {
        self.options.sync && !self.record.is_simple()
    }

    /// Begins the record of the commit. If this fails, nothing is changed, or a warning is added.
    fn begin(&mut self) -> Result<(), Error> {
        let options = self.options;
        let Some(state) = &options.state else {
            return self.go_without(Error::new(Code::IoError, NO_STATE));
        };
        let is_kept = self.record.is_kept;
        let length = if is_kept { self.check_size()? } else { 0 };
        let (record, env) = (self.record.clone(), self.locks.env());
        match Journal::begin(state, record, length, self.syncs_record(), env) {
            Ok(journal) => self.journal = Some(journal),
            Err(error) => {
                let state_error = Error::io(&error, state.path());
                // The user can try again, or has cancelled the run.
                if is_kept && [Code::Locked, Code::Cancelled].contains(&state_error.code) {
                    return Err(state_error);
                }
                let what = if is_kept { NO_HISTORY } else { "a crash could not be recovered" };
                let error = system_error(what, error);
                self.committed.warnings.push(error.message.to_string());
                self.go_without(error)?;
            }
        }
        Ok(())
    }

    /// Continues without a record, unless undo is required.
    fn go_without(&mut self, error: Error) -> Result<(), Error> {
        if self.options.history.is_some() && self.options.reverses.is_none() {
            return Err(no_history(error));
        }
        if !self.record.is_simple() {
            let warning = "after a crash these changes could not be undone together";
            self.committed.warnings.push(warning.to_owned());
        }
        Ok(())
    }

    /// Returns the number of removed bytes. Fails if the data for an undo would exceed the limit.
    fn check_size(&self) -> Result<u64, Error> {
        let (removed, count) = removed_length(&self.steps);
        let size = (removed + count * 24).div_ceil(1 << 20);
        let most = self.locks.env().limits.max_undo_mib;
        if size <= most {
            return Ok(removed);
        }
        let message =
            format!("{NO_HISTORY}: {size} MiB would be kept, more than the limit of {most} MiB");
        let raise = format!("max_undo_mib = {size}  # in config.toml: folio help config");
        Err(no_history(Error::new(Code::IoError, message).hint(raise)))
    }

    /// Writes all new files, records them, and makes all changes.
    fn make_all(&mut self, progress: &mut dyn FnMut(u64, u64)) -> Result<(), Error> {
        let (sync, total) = (self.options.sync, self.steps.len() as u64);
        let together = if sync { self.file_systems() } else { Vec::new() };
        let syncs_each = sync && together.is_empty();
        let mut places = Vec::new();
        for (index, step) in self.steps.iter_mut().enumerate() {
            progress(index as u64, total);
            self.locks.env().cancel.check()?;
            let copy = self.journal.as_ref().map(|journal| journal.copy_path(index));
            let staged = step.stage(copy, self.record.is_kept, syncs_each);
            places.push(staged.map_err(|error| with_path(error, &step.given_path))?);
        }
        for directory in together {
            let failed = |error: Errno| Error::io(&error.into(), directory.path());
            system::sync_file_system(&*directory).map_err(failed)?;
        }
        self.record(&places)?;
        failpoints::reached(Point::Planned)?;
        let (is_simple, mut is_exchanged) = (self.record.is_simple(), true);
        for (index, step) in self.steps.iter_mut().enumerate() {
            // After half of the changes, it is faster to make the others than to revert them.
            if (index as u64) < total.div_ceil(2) {
                self.locks.env().cancel.check()?;
            }
            let applied = step.apply(is_simple, sync);
            is_exchanged &= applied.map_err(|error| with_path(error, &step.given_path))?;
        }
        if !is_exchanged {
            self.committed.warnings.push(NO_EXCHANGE.to_owned());
        }
        failpoints::reached(Point::Applied)
    }

    /// Returns a directory of each file system with new files, if the file systems are to be synced
    /// after all of these have been written. Returns none if each file is to be synced.
    fn file_systems(&self) -> Vec<Arc<Directory>> {
        let steps = || self.steps.iter().filter(|step| step.makes_file());
        if steps().count() < MANY || steps().any(|step| step.slot.is_in_place()) {
            return Vec::new();
        }
        let mut seen = HashSet::new();
        let first = |step: &&Step| seen.insert(step.slot.directory.id().device);
        let found = steps().filter(first).map(|step| step.slot.directory.clone());
        let found: Vec<_> = found.collect();
        let are_local = found.iter().all(|directory| system::syncs_file_system(&**directory));
        if are_local { found } else { Vec::new() }
    }

    /// Records the new files and the data that an undo needs. `places` are the contents of edits
    /// with context.
    fn record(&mut self, places: &[Vec<u8>]) -> Result<(), Error> {
        let sync = self.syncs_record();
        let Self { options, steps, record, journal, committed, .. } = self;
        let Some(journal) = journal else { return Ok(()) };
        record.files = steps.iter().map(|step| step.slot.record.clone()).collect();
        if record.is_kept {
            let kept = |file: &File, at| write_kept(steps, places, file, at);
            match journal.complete(record.clone(), kept, sync) {
                Err(error) if options.reverses.is_some() => {
                    committed.warnings.push(system_error(NO_HISTORY, error).to_string());
                }
                recorded => {
                    return recorded.map_err(|error| no_history(system_error(NO_HISTORY, error)));
                }
            }
            record.is_kept = false;
        }
        let recorded = journal.complete(record.clone(), history::no_bytes, sync);
        recorded.map_err(|error| system_error("the journal cannot be written", error))
    }

    /// Reverts all changes. Adds to the error what the user must know about the result.
    fn abort(self, mut error: Error) -> Error {
        if failpoints::has_crashed() {
            return error;
        }
        let mut is_reverted = true;
        for step in self.steps.iter().rev() {
            let sentence = step.revert().unwrap_or_else(|failed| {
                is_reverted = false;
                Some(system_error("it cannot be undone", failed).to_string())
            });
            let path = step.given_path.display();
            let hint = sentence.map(|sentence| Hint::from(format!("'{path}': {sentence}")));
            error.hints.extend(hint);
        }
        if is_reverted && error.code == Code::Cancelled {
            error.message.push("; no file was changed");
        }
        // If the record is gone after a power failure, the old files must be in place.
        is_reverted &= !self.syncs_record() || self.sync_directories().is_empty();
        match &self.journal {
            // If the record cannot be removed now, the next run removes it.
            Some(journal) if is_reverted => drop(journal.remove()),
            Some(_) => {
                let hint = Hint::command("undo", ["--recover"]).why("tries it again");
                error.hints.push(hint);
            }
            None => {}
        }
        error
    }

    /// Removes the old files after all changes, and moves the record into the history.
    fn finish(mut self) -> Committed {
        let sync = self.syncs_record();
        if self.options.sync {
            let warnings = self.sync_directories();
            self.committed.warnings.extend(warnings);
        }
        if let Some(Err(error)) = self.journal.as_ref().map(|journal| journal.mark_done(sync))
            && !self.record.is_simple()
        {
            self.committed.warnings.push(system_error(NOT_DURABLE, error).to_string());
        }
        if failpoints::reached(Point::Settled).is_err() {
            return Committed::default();
        }
        let is_clean = self.remove_old_files();
        if self.record.is_undo() {
            let created = self.record.created_directories();
            self.locks.env().roots.remove_directories(&created);
        }
        if failpoints::reached(Point::Cleared).is_err() {
            return Committed::default();
        }
        let kept = self.journal.as_ref().filter(|journal| journal.is_kept());
        self.committed.undo = kept.map(|journal| journal.id);
        let ended = match (&self.journal, &self.options.state, &self.options.reverses) {
            _ if !is_clean => Ok(()),
            (Some(journal), ..) => journal.finish(),
            (None, Some(state), Some(reversed)) => history::remove(state, reversed.id),
            _ => Ok(()),
        };
        if let (Err(error), Some(state)) = (ended, &self.options.state) {
            let error = Error::io(&error, state.path());
            let warning = format!("{error}; the next run puts the history in order");
            self.committed.warnings.push(warning);
        }
        self.committed
    }

    /// Removes the old files. Returns whether all of them were removed.
    fn remove_old_files(&mut self) -> bool {
        let mut is_clean = true;
        for step in &self.steps {
            let warning = match step.slot.finish() {
                Ok(kept) => kept.map(|kept| old_file_kept(&step.given_path, &kept)),
                Err(error) => {
                    let error = Error::io(&error.into(), &step.given_path);
                    // One such warning is sufficient.
                    let is_first = std::mem::take(&mut is_clean);
                    is_first.then(|| format!("{error}; what was replaced is beside it still"))
                }
            };
            self.committed.warnings.extend(warning);
        }
        is_clean
    }

    /// Waits until the directories with changed names are on disk. Returns warnings.
    fn sync_directories(&self) -> Vec<String> {
        let steps = self.steps.iter().filter(|step| !step.slot.is_in_place());
        let changed: HashSet<PathBuf> =
            steps.map(|step| step.slot.directory.path().to_owned()).collect();
        let directories = self.locks.directories().iter();
        let directories = directories.filter(|directory| changed.contains(directory.path()));
        let failed = directories.filter_map(|directory| {
            let error = Error::io(&system::sync(directory).err()?.into(), directory.path());
            Some(format!("{NOT_DURABLE}: {error}"))
        });
        failed.collect()
    }
}

/// Returns the warning for an old file to which another program wrote after the exchange.
pub(crate) fn old_file_kept(path: &Path, kept: &Path) -> String {
    let (path, kept) = (path.display(), kept.display());
    format!("'{path}': another program wrote to the old file, which is in '{kept}'")
}

/// Adds to an error the option to edit without the history.
fn no_history(error: Error) -> Error {
    error.hint(Hint::with_switch(NO_UNDO).why("to edit without recording it"))
}
