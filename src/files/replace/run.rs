//! A commit from its beginning to its end, and what becomes of all its steps
//! when one fails.

use std::collections::HashSet;
use std::fs::File;
use std::io;

use super::context::{CommitOptions, Context};
use super::editable::of_path;
use super::failpoints::{self, Point};
use super::step::{Change, Step, Written, asked, removed_length, write_kept};
use crate::error::{Code, Error, Hint};
use crate::files::env::Env;
use crate::files::history::{self, Draft, Recorded};
use crate::files::journal::Journal;
use crate::files::lock::Locks;
use crate::files::records::PlanRecord;
use crate::files::state::StateDirectory;
use crate::files::system::{self, system_error};

/// What a warning says of changes that may be lost by a crash of the machine.
const NOT_DURABLE: &str = "applied, durability unknown";

/// What is said where the history cannot hold a change.
const NO_HISTORY: &str = "its undo cannot be recorded";
const NO_STATE: &str = "its undo cannot be recorded: neither XDG_STATE_HOME nor HOME says where";

/// The error with what to do anyway.
fn no_history(error: Error) -> Error {
    error.hint(Hint::flag(["--no-undo"]).why("to edit it without"))
}

/// Whether the history could not be written because another run has its lock.
fn is_of_lock(error: &Error) -> bool {
    [Code::Locked, Code::Cancelled].contains(&error.code)
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// The files, in the order of the changes.
    pub written: Vec<Written>,
    /// The number by which it can be undone.
    pub undo: Option<u64>,
    /// What else there is to know; one sentence each.
    pub warnings: Vec<String>,
}

/// Makes changes, all or none. The directories of all of them must be locked.
///
/// Fails with [`Code::FileChanged`](crate::error::Code::FileChanged) where a
/// file is not what it was when it was opened, and as the system says; then
/// every file is what it was, or the error's hints say otherwise. What fails
/// when everything is in place is a warning.
pub fn commit(
    changes: Vec<Change>,
    locks: &Locks,
    options: &CommitOptions,
) -> Result<Committed, Error> {
    commit_showing(changes, locks, options, &mut |_, _| {})
}

/// The same; `progress` is told how many new files are written, of how many.
pub fn commit_showing(
    changes: Vec<Change>,
    locks: &Locks,
    options: &CommitOptions,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Committed, Error> {
    let mut run = Run::begin(&changes, locks, options)?;
    match run.all(changes, locks, progress) {
        Ok(()) => Ok(run.finish()),
        Err(error) => Err(run.abort(error)),
    }
}

/// A commit.
pub(super) struct Run<'a> {
    context: Context<'a>,
    steps: Vec<Step>,
    recorded: Option<Recorded>,
}

impl<'a> Run<'a> {
    /// Begins the journal.
    pub(super) fn begin(
        changes: &[Change],
        locks: &Locks,
        options: &'a CommitOptions,
    ) -> Result<Self, Error> {
        options.state.as_ref().map(history::expire);
        let mut warnings = Vec::new();
        let is_transaction = changes.len() > 1;
        let needs_history = options.history.is_some() && options.needs_history;
        let begin = |state| Journal::begin(state, locks.directories());
        let journal = match options.state.as_ref().map(begin).transpose() {
            Ok(None) if needs_history => {
                return Err(no_history(Error::new(Code::IoError, NO_STATE)));
            }
            Ok(journal) => journal,
            Err(error) if needs_history => {
                return Err(no_history(system_error(NO_HISTORY, error)));
            }
            Err(error) => {
                warnings.push(system_error("a crash could not be recovered", error).message);
                None
            }
        };
        if journal.is_none() && is_transaction {
            warnings.push("after a crash these changes could not be undone together".to_owned());
        }
        let context = Context { options, journal, is_transaction, warnings, gives_names: None };
        Ok(Self { context, steps: Vec::new(), recorded: None })
    }

    /// Makes all changes; on an error they are to be aborted.
    pub(super) fn all(
        &mut self,
        changes: Vec<Change>,
        locks: &Locks,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<(), Error> {
        let total = changes.len() as u64;
        for (done, change) in (0..).zip(changes) {
            progress(done, total);
            let asked = asked(&change);
            let step = Step::stage(change, locks, &mut self.context);
            self.steps.push(step.map_err(|error| of_path(error, &asked))?);
        }
        self.record(locks.env())?;
        let plan = self.write_plan()?;
        failpoints::reached(Point::Planned)?;
        // From here on something can be seen beside the targets: not for long.
        for step in &mut self.steps {
            let readied = step.ready(&mut self.context);
            readied.map_err(|error| of_path(error, step.asked()))?;
        }
        if self.steps.iter().filter_map(Step::record).ne(plan.steps) {
            // New files were copied to get a name.
            self.write_plan()?;
        }
        failpoints::reached(Point::Ready)?;
        for step in &mut self.steps {
            let applied = step.apply(&mut self.context);
            applied.map_err(|error| of_path(error, step.asked()))?;
        }
        for step in &mut self.steps {
            let kept = step.keep_backup();
            kept.map_err(|error| of_path(error, step.asked()))?;
        }
        failpoints::reached(Point::Applied)
    }

    /// Writes the entry of the history. If that cannot be, nothing is changed, or
    /// a warning says so.
    fn record(&mut self, env: &Env) -> Result<(), Error> {
        let options = self.context.options;
        let (Some(draft), Some(state)) = (&options.history, &options.state) else { return Ok(()) };
        if self.context.journal.is_none() {
            // Why that is has been said.
            self.context.warn(NO_HISTORY);
            return Ok(());
        }
        match self.recorded(draft, state, env) {
            Ok(recorded) => self.recorded = Some(recorded),
            // Who waited for it may try again, or wanted to stop.
            Err(error) if is_of_lock(&error) => return Err(error),
            Err(error) if options.needs_history => return Err(no_history(error)),
            Err(error) => self.context.warnings.push(error.message),
        }
        Ok(())
    }

    fn recorded(
        &self,
        draft: &Draft,
        state: &StateDirectory,
        env: &Env,
    ) -> Result<Recorded, Error> {
        let (removed, count) = removed_length(&self.steps);
        let (size, most) = ((removed + count * 24).div_ceil(1 << 20), env.limits.max_undo_mib);
        if size > most {
            let message = format!(
                "{NO_HISTORY}: {size} MiB would be kept, more than the limit of {most} MiB"
            );
            let raise = format!("max_undo_mib = {size}  # in config.toml: folio help config");
            return Err(Error::new(Code::IoError, message).hint(raise));
        }
        let facts = draft.lines.iter().copied().chain(std::iter::repeat((None, None)));
        let record = |(step, (delta, line)): (&Step, _)| step.file_record(delta, line).transpose();
        let files = self.steps.iter().zip(facts).filter_map(record);
        let recorded = files.collect::<io::Result<Vec<_>>>().and_then(|files| {
            let (files, places): (Vec<_>, Vec<_>) = files.into_iter().unzip();
            let length = removed + places.iter().map(|bytes| bytes.len() as u64).sum::<u64>();
            let write = |file: &File, at| write_kept(&self.steps, &places, file, at);
            history::record(state, draft, files, env, length, write)
        });
        recorded.map_err(|error| match Error::io(&error, state.path()) {
            error if is_of_lock(&error) => error,
            _ => system_error(NO_HISTORY, error),
        })
    }

    /// Writes what will be changed to the journal. It is synced where a crash of the machine
    /// could leave a file half done; a single exchange leaves one temporary file at most.
    fn write_plan(&mut self) -> Result<PlanRecord, Error> {
        let plan = PlanRecord {
            undo: self.recorded.as_ref().map(|recorded| recorded.id),
            steps: self.steps.iter().filter_map(Step::record).collect(),
        };
        let sync = self.context.options.sync && self.needs_recovery();
        if let Some(journal) = self.context.journal.as_mut() {
            journal
                .plan(&plan, sync)
                .map_err(|error| system_error("the journal cannot be written", error))?;
        }
        Ok(plan)
    }

    /// Whether a crash between its changes leaves a state that is neither old nor new.
    fn needs_recovery(&self) -> bool {
        self.context.is_transaction || matches!(self.steps[..], [Step::Rewrite(_)])
    }

    /// Takes everything back; the error with what is to be known of that.
    pub(super) fn abort(mut self, mut error: Error) -> Error {
        if failpoints::has_crashed() {
            return error;
        }
        let mut all_back = true;
        for step in self.steps.iter_mut().rev() {
            let path = step.asked().display().to_string();
            match step.take_back() {
                Ok(None) => {}
                Ok(Some(sentence)) => error.hints.push(Hint::Text(format!("'{path}': {sentence}"))),
                Err(failed) => {
                    all_back = false;
                    error.hints.push(Hint::Text(format!("'{path}': {}", failed.message)));
                }
            }
        }
        // Of what stays in part, recovery takes it away by its number.
        if let Some(recorded) = self.recorded.as_ref().filter(|_| all_back) {
            recorded.remove();
        }
        match &self.context.journal {
            Some(journal) if all_back => journal.end(),
            Some(_) => {
                let hint = Hint::command("undo", ["--recover"]).why("tries it again");
                error.hints.push(hint);
            }
            None => {}
        }
        error
    }

    /// Takes the old files away: all is in place.
    pub(super) fn finish(mut self) -> Committed {
        self.sync();
        if self.needs_recovery() {
            self.done();
            if failpoints::reached(Point::Settled).is_err() {
                return Committed::default();
            }
        }
        // What could not be taken away, the journal remembers.
        let all_gone = self.take_away();
        if let Some(journal) = self.context.journal.as_ref().filter(|_| all_gone) {
            journal.end();
        }
        for (path, name) in self.steps.iter().filter_map(Step::late) {
            let (path, name) = (path.display(), name.to_string_lossy());
            self.context.warnings.push(format!(
                "'{path}': another program wrote to the old file in that very moment: that is \
                 in '{name}'"
            ));
        }
        for (_, wanted, name) in self.steps.iter().filter_map(Step::backup) {
            if wanted != name {
                let [wanted, name] = [wanted, name].map(|name| name.to_string_lossy());
                let taken = format!("'{wanted}' is there already: the old file is '{name}'");
                self.context.warnings.push(taken);
            }
        }
        Committed {
            written: self.steps.iter().map(Step::written).collect(),
            undo: self.recorded.map(|recorded| recorded.id),
            warnings: self.context.warnings,
        }
    }

    fn done(&mut self) {
        let sync = self.context.options.sync;
        let done = self.context.journal.as_mut().map(|journal| journal.done(sync));
        if let Some(Err(error)) = done {
            // All is in place; only a crash before the end would be taken for
            // one in the middle.
            self.context.warnings.push(system_error(NOT_DURABLE, error).message);
        }
    }

    /// Removes the old files. Whether none is left.
    fn take_away(&mut self) -> bool {
        let mut failed = HashSet::new();
        for step in &mut self.steps {
            let id = step.directory().map(|directory| directory.id());
            if id.is_some_and(|id| failed.contains(&id)) {
                continue;
            }
            if let Err(error) = step.finish() {
                let error = Error::io(&error.into(), step.asked());
                let warning = format!("{error}; what was replaced is beside it still");
                self.context.warnings.push(warning);
                failed.extend(id);
            }
        }
        failed.is_empty()
    }

    /// Brings the directories to the disk.
    fn sync(&mut self) {
        if !self.context.options.sync {
            return;
        }
        let mut done = HashSet::new();
        for step in &self.steps {
            let Some(directory) = step.directory() else { continue };
            if done.insert(directory.id())
                && let Err(error) = system::sync(directory)
            {
                let error = Error::io(&error.into(), directory.path());
                self.context.warnings.push(format!("{NOT_DURABLE}: {error}"));
            }
        }
    }
}
