//! Recovers from a crash during a commit: rolls back what was done in part, or finishes it where it
//! cannot be rolled back.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::io::Errno;

use super::env::Env;
use super::history;
use super::journal::{self, Dead};
use super::lock::{Directory, Locks, lock_directories};
use super::records::{self, Identity, Name, PlanRecord, StepKind, StepRecord};
use super::replace::temporary::Temporary;
use super::replace::{Restored, restore, same_bytes, settle};
use super::roots::Roots;
use super::state::{self, StateDirectory};
use super::system::{self, system_error};
use crate::error::{Code, Error, Hint};
use crate::text::edit::{Edit, EditSet};
use crate::text::span::Span;

/// What became of a commit that was interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It had changed nothing; only temporary files were there.
    Nothing,
    /// Everything was in place.
    Finished,
    /// What it had changed is what it was before.
    TakenBack,
    /// Some files were changed by others since, so that it stays done in part.
    InPart,
}

/// A commit that has been put in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// When it began, in seconds since 1970.
    pub time: u64,
    /// What became of it.
    pub ending: Ending,
    /// The files that it was about, where it had come so far; of one that stays in part those
    /// that could not be undone.
    pub files: Vec<PathBuf>,
    /// The directories that it was at work in.
    pub directories: Vec<PathBuf>,
    /// What else there is to know; one sentence each.
    pub messages: Vec<String>,
}

/// Puts all commits in order that a crash interrupted, oldest first. One that
/// fails leaves the others; it is met again the next time.
///
/// Those that were at work outside of the roots are left alone. Waits for other
/// writers in each directory at most [`Env::lock_timeout`].
pub fn recover(state: &StateDirectory, env: &Env) -> Vec<Result<Recovered, Error>> {
    let roots = &env.roots;
    history::expire(state);
    let dead = match journal::all_dead(state) {
        Ok(dead) => dead,
        Err(error) => return vec![Err(error)],
    };
    let dead = dead.iter().filter(|dead| dead.pending.lies_in(roots));
    dead.map(|dead| {
        Recovery { state, roots, dead, messages: Vec::new(), in_part: Vec::new() }.run(env)
    })
    .collect()
}

/// Puts those in order that need no decision, without waiting for other writers: commits
/// that had begun no change, that were done, or that change one file by an exchange. The
/// sentences say what was left; what fails is tried again the next time.
pub fn recover_simple(state: &StateDirectory, env: &Env) -> Vec<String> {
    let env = Env { lock_timeout: Duration::ZERO, ..env.clone() };
    let dead = journal::all_dead(state).unwrap_or_default();
    let simple =
        dead.iter().filter(|dead| !dead.pending.in_part && dead.pending.lies_in(&env.roots));
    let recovered = simple.map(|dead| {
        Recovery { state, roots: &env.roots, dead, messages: Vec::new(), in_part: Vec::new() }
            .run(&env)
    });
    recovered.flatten().flat_map(|recovered| recovered.messages).collect()
}

struct Recovery<'a> {
    state: &'a StateDirectory,
    roots: &'a Roots,
    dead: &'a Dead,
    messages: Vec<String>,
    /// The files that could not be undone.
    in_part: Vec<PathBuf>,
}

impl Recovery<'_> {
    fn run(mut self, env: &Env) -> Result<Recovered, Error> {
        let pending = &self.dead.pending;
        let mut directories = Vec::new();
        for path in &pending.directories {
            if self.is_there(path)? {
                directories.push(path.clone());
            }
        }
        let locks = lock_directories(&directories, env)?;
        let (ending, files) = match &self.dead.plan {
            None => (Ending::Nothing, Vec::new()),
            Some(plan) => {
                let files = plan.steps.iter().map(|step| step.directory.path().join(&step.name.0));
                match self.steps(plan, &locks)? {
                    Ending::InPart => (Ending::InPart, std::mem::take(&mut self.in_part)),
                    ending => (ending, files.collect()),
                }
            }
        };
        self.remove_temporaries(&locks)?;
        for directory in locks.directories() {
            let _ = system::sync(directory);
        }
        let failed = |error| Error::io(&error, self.state.path());
        let undo = self.dead.plan.as_ref().and_then(|plan| plan.undo);
        if let Some(undo) = undo.filter(|_| ending != Ending::Finished) {
            history::remove(self.state, undo, env).map_err(failed)?;
        }
        self.dead.end().map_err(failed)?;
        let (time, directories) = (pending.time, pending.directories.clone());
        Ok(Recovered { time, ending, files, directories, messages: self.messages })
    }

    fn steps(&mut self, plan: &PlanRecord, locks: &Locks) -> Result<Ending, Error> {
        if self.dead.is_done {
            return Ok(Ending::Finished);
        }
        let mut steps = Vec::new();
        for record in &plan.steps {
            let directory = self.directory(record, locks)?;
            let may_go_back = match &directory {
                Some(directory) => self.may_go_back(record, directory),
                None => Ok(None),
            };
            steps.push((record, directory, may_go_back.map_err(|error| failed(error, record))?));
        }
        if steps.iter().all(|(_, _, may_go_back)| may_go_back.is_none()) {
            return Ok(Ending::Nothing);
        }
        let is_whole = |record: &StepRecord| !matches!(record.step, StepKind::Rewrite { .. });
        if steps.iter().all(|(record, _, begun)| begun.is_some() && is_whole(record)) {
            return Ok(Ending::Finished);
        }
        let mut as_before = Vec::new();
        for (record, directory, may_go_back) in steps.iter().rev() {
            let Some(directory) = directory else { continue };
            let is_back = match may_go_back {
                None => true,
                Some(may) => {
                    *may && self
                        .take_back(record, directory)
                        .map_err(|error| failed(error, record))?
                }
            };
            if is_back {
                as_before.push(directory.path().join(&record.name.0));
            } else {
                self.keep(record, directory).map_err(|error| failed(error, record))?;
                self.in_part.push(directory.path().join(&record.name.0));
            }
        }
        if self.in_part.is_empty() {
            return Ok(Ending::TakenBack);
        }
        let unchanged =
            as_before.iter().map(|path| format!("'{}' is as it was before", path.display()));
        self.messages.extend(unchanged);
        Ok(Ending::InPart)
    }

    /// Removes what is left under the temporary names of the commit, and puts back what
    /// another program wrote while files were exchanged.
    fn remove_temporaries(&mut self, locks: &Locks) -> Result<(), Error> {
        for record in self.dead.plan.iter().flat_map(|plan| &plan.steps) {
            let Some(directory) = self.directory(record, locks)? else { continue };
            self.clean(record, &directory).map_err(|error| failed(error, record))?;
        }
        for record in &self.dead.temporaries {
            let path = record.directory.path();
            if !self.is_there(path)? {
                continue;
            }
            let directory = locks.find(path)?;
            let Some(temporary) = Temporary::recorded(&directory, &record.temporary) else {
                continue;
            };
            let removed = match temporary.status() {
                Err(Errno::NOENT) => Ok(()),
                // An unfinished file of ours; nobody else can have made it under this name.
                Ok(found) if found.kind.is_file() && found.user == system::effective_user() => {
                    temporary.clear()
                }
                Ok(_) => Ok(()),
                Err(error) => Err(error),
            };
            removed.map_err(|error| {
                system_error("its temporary file cannot be removed", error).at(path)
            })?;
        }
        Ok(())
    }

    /// Removes the file under the temporary name of a step if it is one that the record
    /// lists: the new file, or the old one once that is replaced.
    fn clean(&mut self, record: &StepRecord, directory: &Arc<Directory>) -> io::Result<()> {
        let name = &record.name.0;
        let (temporary, old, new, backup) = match &record.step {
            StepKind::Replace { temporary, old, new, backup } => {
                (temporary, Some(*old), Some(*new), backup.as_ref())
            }
            StepKind::Create { temporary, new } => (temporary, None, Some(*new), None),
            StepKind::Remove { temporary, old } => (temporary, Some(*old), None, None),
            StepKind::Rewrite { .. } => return Ok(()),
        };
        let temporary = recorded(directory, temporary)?;
        if let Some(old) = old {
            temporary.take_second(old)?;
        }
        let Some(found) = there(temporary.status())? else { return Ok(()) };
        if new.is_some_and(|new| new.inode == found.identity.inode) {
            return Ok(temporary.clear()?);
        }
        if old == Some(found.identity) {
            if let Some(backup) = backup {
                temporary.keep_as(&backup.0)?;
            }
            return Ok(temporary.clear()?);
        }
        // Another program wrote it just before the exchange.
        let is_back = match there(system::status_at(directory, name))? {
            None => system::rename_to_free(directory, temporary.name(), name).map(|()| true)?,
            Some(now) if now.user == found.user && new == Some(now.identity) => {
                settle(directory, &temporary, name, now.identity)?
            }
            Some(_) => false,
        };
        if is_back {
            return Ok(temporary.clear()?);
        }
        let path = directory.path().join(temporary.name());
        self.messages.push(format!(
            "'{}' was left unchanged: another program wrote it, and '{}' has changed again since",
            path.display(),
            name.display()
        ));
        Ok(())
    }

    /// Whether a directory that was worked in is there; what is gone holds
    /// nothing. Fails where that is not sure, so that nothing is forgotten.
    fn is_there(&self, path: &Path) -> Result<bool, Error> {
        match self.roots.resolve(path) {
            Ok(now) if now == path => {
                Ok(self.roots.look(path)?.is_some_and(|status| status.kind.is_dir()))
            }
            Ok(_) => {
                let message = "a link has come into its place, so what was cut off there stays so";
                Err(Error::new(Code::FileChanged, message)
                    .at(path)
                    .hint(Hint::command("undo", ["--recover"]).why("when the directory is back")))
            }
            Err(error) if [Code::NotFound, Code::NotADirectory].contains(&error.code) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The directory of a step; none where it is gone.
    fn directory(
        &self,
        record: &StepRecord,
        locks: &Locks,
    ) -> Result<Option<Arc<Directory>>, Error> {
        let path = record.directory.path();
        if !self.is_there(path)? {
            return Ok(None);
        }
        locks.find(path).map(Some)
    }

    /// Whether a step may be undone, because nothing has been changed since; `None`
    /// where it was not begun.
    fn may_go_back(
        &self,
        record: &StepRecord,
        directory: &Arc<Directory>,
    ) -> io::Result<Option<bool>> {
        let now = there(system::status_at(directory, &record.name.0))?;
        let now = now.map(|status| status.identity);
        let in_temporary = |temporary: &str| {
            there(recorded(directory, temporary)?.status())
                .map(|status| status.map(|status| status.identity))
        };
        Ok(match &record.step {
            StepKind::Replace { temporary, old, new, backup } => {
                let is_new = now.is_some_and(|now| now.inode == new.inode);
                let temporary = recorded(directory, temporary)?;
                temporary.take_second(*old)?;
                let has_old = there(temporary.status())?.is_some_and(|it| it.identity == *old)
                    || backup_of(&temporary, *old, backup)?.is_some();
                (is_new || has_old).then_some(now == Some(*new) && has_old)
            }
            StepKind::Create { new, .. } => {
                let is_new = now.is_some_and(|now| now.inode == new.inode);
                is_new.then_some(now == Some(*new))
            }
            StepKind::Remove { temporary, old } => {
                (in_temporary(temporary)? == Some(*old)).then_some(now.is_none())
            }
            StepKind::Rewrite { old, start, length, copy, .. } => {
                let is_same_file = now.is_some_and(|now| now.inode == old.inode);
                let kept = Span::new(*start, start + length);
                let is_begun =
                    now != Some(*old) || !self.has_bytes(record, directory, kept, copy)?;
                is_begun.then_some(is_same_file)
            }
        })
    }

    /// Whether a file contains what was kept of it: its time may be the old one, where
    /// times are coarse.
    fn has_bytes(
        &self,
        record: &StepRecord,
        directory: &Directory,
        kept: Span,
        copy: &str,
    ) -> io::Result<bool> {
        let copy = match state::open_own(&self.dead.copy_path(copy), true) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            copy => copy?,
        };
        let file = system::open_file(directory, &record.name.0, false)?;
        same_bytes(&file, kept, &copy)
    }

    /// Takes a step back; `false` where another program was faster.
    fn take_back(&mut self, record: &StepRecord, directory: &Arc<Directory>) -> io::Result<bool> {
        let name = &record.name.0;
        match &record.step {
            StepKind::Replace { temporary, old, new, backup } => {
                let temporary = recorded(directory, temporary)?;
                // Backups may have been made when another of them could not.
                if let Some(backup) = backup_of(&temporary, *old, backup)? {
                    temporary.take_from(&backup)?;
                }
                Ok(settle(directory, &temporary, name, *new)?)
            }
            StepKind::Create { new, .. } => {
                let is_ours = system::status_at(directory, name)?.identity == *new;
                if is_ours {
                    system::unlink(directory, name)?;
                }
                Ok(is_ours)
            }
            StepKind::Remove { temporary, .. } => {
                let temporary = recorded(directory, temporary)?;
                match system::rename_to_free(directory, temporary.name(), name) {
                    Err(Errno::EXIST) => Ok(false),
                    renamed => Ok(renamed.map(|()| true)?),
                }
            }
            StepKind::Rewrite { old, start, length, copy, edits } => {
                let copy = self.dead.copy_path(copy);
                // A recovery before this one kept it, and was cut off or failed then.
                let copy = match state::open_own(&copy, true) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
                    copy => copy?,
                };
                let file = system::open_file(directory, name, true)?;
                let (kept, edits) = (Span::new(*start, start + length), edits_of(edits)?);
                let restored = restore(&file, *old, kept, &copy, &edits)?;
                if let Some(sentence) = restored.sentence() {
                    let path = directory.path().join(name);
                    self.messages.push(format!("'{}': {sentence}", path.display()));
                }
                Ok(restored != Restored::Not)
            }
        }
    }

    /// Keeps the old bytes of a file that cannot be undone under a name of
    /// its own. Fails where they would be lost with the journal.
    fn keep(&mut self, record: &StepRecord, directory: &Arc<Directory>) -> io::Result<()> {
        let path = directory.path().join(&record.name.0);
        let path = path.display();
        let kept = match &record.step {
            StepKind::Replace { temporary, .. } | StepKind::Remove { temporary, .. } => {
                let temporary = recorded(directory, temporary)?;
                let mut before = record.name.0.clone();
                before.push(".before");
                match temporary.keep_as(&before) {
                    Err(Errno::NOENT) => None,
                    kept => Some(directory.path().join(kept?)),
                }
            }
            StepKind::Rewrite { copy, .. } => {
                let from = self.dead.copy_path(copy);
                let to = kept_copy(&from);
                match state::rename_own(&from, &to) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        state::is_there(&to)?.then_some(to)
                    }
                    renamed => Some(renamed.map(|()| to)?),
                }
            }
            StepKind::Create { .. } => None,
        };
        let mut message = format!("'{path}' was changed since and stays as it is");
        if let Some(kept) = kept {
            message.push_str(&format!("; what it was before is in '{}'", kept.display()));
            if !matches!(record.step, StepKind::Rewrite { .. }) {
                message.push_str(": give that its name to take all back");
            }
        }
        self.messages.push(message);
        Ok(())
    }
}

fn recorded(directory: &Arc<Directory>, name: &str) -> io::Result<Temporary> {
    Temporary::recorded(directory, name).ok_or(io::ErrorKind::InvalidData.into())
}

fn backup_of(
    temporary: &Temporary,
    old: Identity,
    backup: &Option<Name>,
) -> Result<Option<OsString>, Errno> {
    temporary.backup_of(old, backup.as_ref().map(|name| name.0.as_os_str()))
}

/// The name of a copy of bytes that could not be written back.
fn kept_copy(copy: &Path) -> PathBuf {
    copy.with_extension("kept")
}

fn edits_of(stored: &[(u64, u64, String)]) -> io::Result<EditSet> {
    let invalid = || io::Error::from(io::ErrorKind::InvalidData);
    let edits = stored.iter().map(|(start, end, content)| {
        let content = records::decode(content).ok_or_else(invalid)?;
        Ok(Edit::new(Span::new(*start, *end), content))
    });
    EditSet::new(edits.collect::<io::Result<_>>()?).map_err(|_| invalid())
}

fn there<T>(result: Result<T, Errno>) -> io::Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn failed(error: io::Error, record: &StepRecord) -> Error {
    let error = Error::io(&error, &record.directory.path().join(&record.name.0));
    Error { message: format!("it could not be put in order: {}", error.message), ..error }
}
