//! A commit from its beginning to its end.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use super::editable::of_path;
use super::failpoints::{self, Point};
use super::step::{Change, Step, copy_path, removed_length, write_kept};
use crate::error::{Code, Error, Hint};
use crate::files::history::{self, Draft, digits};
use crate::files::journal::Journal;
use crate::files::lock::Locks;
use crate::files::records::{EntryRecord, FileRecord, Reversed, VERSION};
use crate::files::state::{StateDirectory, now};
use crate::files::system::{self, system_error};

/// The warning for changes that may be lost if the machine crashes.
const NOT_DURABLE: &str = "applied, durability unknown";
/// The error if a change cannot be recorded in the history.
const NO_HISTORY: &str = "cannot record the undo";
const NO_STATE: &str = "cannot record the undo: neither XDG_STATE_HOME nor HOME is set";
const NO_EXCHANGE: &str = "the file system cannot exchange two files: what another program wrote \
                           in that very moment would be lost";

/// How changes are made.
#[derive(Clone, Debug)]
pub struct CommitOptions {
    /// Whether a commit ends only when everything is on the disk.
    pub sync: bool,
    /// The suffix of the backups of old files, if they are made.
    pub backup: Option<OsString>,
    /// The description for the history; `None` if the commit is not kept there.
    pub history: Option<Draft>,
    /// Whether the commit fails if the history cannot keep it.
    pub needs_history: bool,
    /// The entry of the history that the commit reverses, and that is removed.
    pub reverses: Option<Reversed>,
    /// The state directory. Without it, nothing can be undone or written in place, and a crash in
    /// the middle of several changes cannot be recovered.
    pub state: Option<StateDirectory>,
}

impl Default for CommitOptions {
    fn default() -> Self {
        let (sync, needs_history) = (true, true);
        Self { sync, backup: None, history: None, needs_history, reverses: None, state: None }
    }
}

/// A file after its change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The path that the user gave.
    pub path: PathBuf,
    /// The path of its backup.
    pub backup: Option<PathBuf>,
}

/// The result of a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// The files, in the order of the changes.
    pub written: Vec<Written>,
    /// The number by which the commit can be undone.
    pub undo: Option<u64>,
    /// Warnings, one sentence each.
    pub warnings: Vec<String>,
}

/// Makes changes, all or none. The directories of all files must be locked.
///
/// # Errors
///
/// Fails with [`Code::FileChanged`] if a file has changed since it was opened, and if a call fails.
/// Then every file is as before, or the error's hints say otherwise. Failures after the last change
/// are warnings.
pub fn commit(
    changes: Vec<Change>,
    locks: &Locks,
    options: &CommitOptions,
) -> Result<Committed, Error> {
    commit_showing(changes, locks, options, &mut |_, _| {})
}

/// Makes changes like [`commit`], and calls `progress` with the number of new files written and
/// their total.
pub fn commit_showing(
    changes: Vec<Change>,
    locks: &Locks,
    options: &CommitOptions,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Committed, Error> {
    let mut run = Run::plan(changes, locks, options)?;
    match run.begin().and_then(|()| run.make_all(progress)) {
        Ok(()) => Ok(run.finish()),
        Err(error) => Err(run.abort(error)),
    }
}

struct Run<'a> {
    options: &'a CommitOptions,
    locks: &'a Locks,
    steps: Vec<Step>,
    /// Whether a crash between the changes leaves a state that is neither old nor new.
    needs_recovery: bool,
    journal: Option<Journal>,
    written: Vec<Written>,
    warnings: Vec<String>,
}

impl<'a> Run<'a> {
    fn plan(
        changes: Vec<Change>,
        locks: &'a Locks,
        options: &'a CommitOptions,
    ) -> Result<Self, Error> {
        let (mut steps, mut written) = (Vec::new(), Vec::new());
        let needs_recovery = changes.len() > 1;
        let (journal, mut warnings) = (None, Vec::new());
        let draft = options.history.as_ref();
        let mut lines = draft.into_iter().flat_map(|draft| draft.lines.iter().copied());
        for change in changes {
            let path = match &change {
                Change::Edit { file, .. } | Change::Remove { file } => file.asked.clone(),
                Change::Create { path, .. } => path.clone(),
            };
            let of_path = |error| of_path(error, &path);
            let mut backup = None;
            if let (Change::Edit { file, edits }, Some(suffix)) = (&change, &options.backup)
                && !edits.is_empty()
            {
                let (step, warning) = Step::plan_backup(file, suffix).map_err(of_path)?;
                backup = Some(step.resolved().to_owned());
                warnings.extend(warning);
                steps.push(step);
            }
            let lines = lines.next().unwrap_or_default();
            steps.extend(Step::plan(change, lines, locks).map_err(of_path)?);
            written.push(Written { path, backup });
        }
        let needs_recovery = needs_recovery || steps.iter().any(Step::is_in_place);
        Ok(Self { options, locks, steps, needs_recovery, journal, written, warnings })
    }

    /// Begins the record of the commit. If that fails, nothing is changed, or there is a warning.
    fn begin(&mut self) -> Result<(), Error> {
        let options = self.options;
        let needs_history = options.history.is_some() && options.needs_history;
        let Some(state) = &options.state else {
            if needs_history {
                return Err(no_history(Error::new(Code::IoError, NO_STATE)));
            }
            self.warn_without_journal();
            return Ok(());
        };
        if options.history.is_some() {
            self.check_size()?;
        }
        let steps = self.steps.iter().map(Step::record).collect();
        let length = options.history.as_ref().map_or(0, |_| removed_length(&self.steps).0);
        let reversed = options.reverses.map(|reversed| reversed.id);
        let sync = options.sync && self.needs_recovery;
        match Journal::begin(state, steps, (length, reversed), sync, self.locks.env()) {
            Ok(journal) => self.journal = Some(journal),
            Err(error) => {
                let own = Error::io(&error, state.path());
                // The user can try again, or wanted to stop.
                if options.history.is_some() && [Code::Locked, Code::Cancelled].contains(&own.code)
                {
                    return Err(own);
                }
                if needs_history {
                    return Err(no_history(system_error(NO_HISTORY, error)));
                }
                self.warnings.push(system_error("a crash could not be recovered", error).message);
                if options.history.is_some() {
                    self.warnings.push(NO_HISTORY.to_owned());
                }
                self.warn_without_journal();
            }
        }
        Ok(())
    }

    fn warn_without_journal(&mut self) {
        if self.written.len() > 1 {
            let warning = "after a crash these changes could not be undone together";
            self.warnings.push(warning.to_owned());
        }
    }

    /// Fails if more would be kept for an undo than allowed.
    fn check_size(&self) -> Result<(), Error> {
        let (removed, count) = removed_length(&self.steps);
        let size = (removed + count * 24).div_ceil(1 << 20);
        let most = self.locks.env().limits.max_undo_mib;
        if size <= most {
            return Ok(());
        }
        let message =
            format!("{NO_HISTORY}: {size} MiB would be kept, more than the limit of {most} MiB");
        let raise = format!("max_undo_mib = {size}  # in config.toml: folio help config");
        Err(no_history(Error::new(Code::IoError, message).hint(raise)))
    }

    /// Writes all new files, records them, and makes all changes.
    fn make_all(&mut self, progress: &mut dyn FnMut(u64, u64)) -> Result<(), Error> {
        let (sync, total) = (self.options.sync, self.steps.len() as u64);
        let mut kept = Vec::new();
        for (index, step) in self.steps.iter_mut().enumerate() {
            progress(index as u64, total);
            let staged = step.stage(copy_path(self.journal.as_ref(), index), sync);
            kept.extend(staged.map_err(|error| of_path(error, &step.asked))?);
        }
        self.record(kept)?;
        failpoints::reached(Point::Planned)?;
        let keeps_old = self.steps.len() > 1;
        let mut is_exchanged = true;
        for step in &mut self.steps {
            let applied = step.apply(keeps_old, sync);
            is_exchanged &= applied.map_err(|error| of_path(error, &step.asked))?;
        }
        if !is_exchanged {
            self.warnings.push(NO_EXCHANGE.to_owned());
        }
        failpoints::reached(Point::Applied)
    }

    /// Records the new files and what an undo needs. The record is synced if a crash of the machine
    /// could leave some files changed; otherwise it leaves at most one temporary file.
    fn record(&mut self, kept: Vec<(FileRecord, Vec<u8>)>) -> Result<(), Error> {
        let Self { options, steps, .. } = self;
        let Some(journal) = &mut self.journal else { return Ok(()) };
        let sync = options.sync && self.needs_recovery;
        let plain = EntryRecord {
            version: VERSION,
            time: now(),
            reverses: options.reverses,
            new: steps.iter().map(Step::new_identity).collect(),
            ..EntryRecord::default()
        };
        if let Some(draft) = &options.history {
            let (files, places): (_, Vec<_>) = kept.into_iter().unzip();
            let (operation, parts) = (draft.operation.clone(), draft.parts.clone());
            let record = EntryRecord { operation, parts, files, ..plain.clone() };
            let write = |file: &File, at| write_kept(steps, &places, file, at);
            match journal.record(record, write, sync) {
                Ok(()) => return Ok(()),
                Err(error) if options.needs_history => {
                    return Err(no_history(system_error(NO_HISTORY, error)));
                }
                Err(error) => self.warnings.push(system_error(NO_HISTORY, error).message),
            }
        }
        let recorded = journal.record(plain, |_, _| Ok(digits(Sha256::new())), sync);
        recorded.map_err(|error| system_error("the journal cannot be written", error))
    }

    /// Reverts everything. Returns the error with what the user must know about that.
    fn abort(self, mut error: Error) -> Error {
        if failpoints::has_crashed() {
            return error;
        }
        let mut is_reverted = true;
        for step in self.steps.iter().rev() {
            let path = step.asked.display();
            match step.revert() {
                Ok(None) => {}
                Ok(Some(sentence)) => error.hints.push(Hint::Text(format!("'{path}': {sentence}"))),
                Err(failed) => {
                    is_reverted = false;
                    error.hints.push(Hint::Text(format!("'{path}': {}", failed.message)));
                }
            }
        }
        match &self.journal {
            // A record that stays lists nothing that is left, and is removed by the next run.
            Some(journal) if is_reverted => drop(journal.remove()),
            Some(_) => {
                let hint = Hint::command("undo", ["--recover"]).why("tries it again");
                error.hints.push(hint);
            }
            None => {}
        }
        error
    }

    /// Removes the old files after all changes.
    fn finish(mut self) -> Committed {
        self.sync_directories();
        if let Some(journal) = &mut self.journal
            && let Err(error) = journal.done(self.options.sync && self.needs_recovery)
            && self.needs_recovery
        {
            self.warnings.push(system_error(NOT_DURABLE, error).message);
        }
        if failpoints::reached(Point::Settled).is_err() {
            return Committed::default();
        }
        let is_clean = self.remove_old_files();
        let undo = self.journal.as_ref().filter(|it| it.is_kept()).map(|journal| journal.id);
        if is_clean {
            self.end_journal();
        }
        Committed { written: self.written, undo, warnings: self.warnings }
    }

    /// Moves the record into the history, or removes it.
    fn end_journal(&mut self) {
        let ended = match (&self.journal, &self.options.state, self.options.reverses) {
            (Some(journal), ..) => journal.finish(),
            (None, Some(state), Some(reversed)) => history::remove(state, reversed.id),
            _ => Ok(()),
        };
        if let (Err(error), Some(state)) = (ended, &self.options.state) {
            let error = Error::io(&error, state.path());
            self.warnings.push(format!("{error}; the next run puts the history in order"));
        }
    }

    /// Removes the old files. Returns whether none is left.
    fn remove_old_files(&mut self) -> bool {
        let mut failed = HashSet::new();
        for step in &self.steps {
            let id = step.directory().map(|directory| directory.id());
            if id.is_some_and(|id| failed.contains(&id)) {
                continue;
            }
            let path = step.asked.display();
            match step.finish() {
                Ok(None) => {}
                Ok(Some(kept)) => {
                    let name = kept.file_name().unwrap_or_default().to_string_lossy();
                    self.warnings.push(format!(
                        "'{path}': another program wrote to the old file in that very moment: \
                         that is in '{name}'"
                    ));
                }
                Err(error) => {
                    let error = Error::io(&error, &step.asked);
                    let warning = format!("{error}; what was replaced is beside it still");
                    self.warnings.push(warning);
                    failed.extend(id);
                }
            }
        }
        failed.is_empty()
    }

    fn sync_directories(&mut self) {
        if !self.options.sync {
            return;
        }
        let mut done = HashSet::new();
        for directory in self.steps.iter().filter_map(Step::directory) {
            if done.insert(directory.id())
                && let Err(error) = system::sync(directory)
            {
                let error = Error::io(&error.into(), directory.path());
                self.warnings.push(format!("{NOT_DURABLE}: {error}"));
            }
        }
    }
}

/// The error with the option to edit without the history.
fn no_history(error: Error) -> Error {
    error.hint(Hint::flag(["--no-undo"]).why("to edit without recording it"))
}
