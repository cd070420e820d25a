//! Recovers interrupted commits from their records: finishes those whose changes are all made, and
//! reverts the others. Only the names and files of a record are touched.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::env::Env;
use super::journal::{self, Journal};
use super::lock::{Locks, lock_directories};
use super::replace::slot::Slot;
use super::replace::{Reverted, Stage, appended_sentence};
use super::roots::Roots;
use super::state::StateDirectory;
use super::system;
use crate::error::{Code, Error, Hint};

/// The result of recovering a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It had changed nothing; only temporary files were left.
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
    /// When it began, in seconds since 1970.
    pub time: u64,
    /// The result.
    pub ending: Ending,
    /// Its files; after [`Ending::InPart`] those that could not be reverted.
    pub files: Vec<PathBuf>,
    /// The directories of its files.
    pub directories: Vec<PathBuf>,
    /// Messages for the user, one sentence each.
    pub messages: Vec<String>,
}

/// Recovers all interrupted commits whose files are below the roots, oldest first. One that fails
/// is tried again the next time. Waits for other writers in each directory at most
/// [`Env::lock_timeout`].
pub fn recover(state: &StateDirectory, env: &Env) -> Vec<Result<Recovered, Error>> {
    let (interrupted, errors) = match journal::interrupted(state) {
        Ok(interrupted) => interrupted,
        Err(error) => return vec![Err(error)],
    };
    let interrupted = interrupted.iter().filter(|journal| journal.lies_in(&env.roots));
    let recovered = interrupted.map(|journal| Recovery::of(journal, &env.roots).run(env));
    recovered.chain(errors.into_iter().map(Err)).collect()
}

/// Recovers commits that changed one file or nothing, or were done, without waiting for other
/// writers. Returns messages for the user. What fails is tried again the next time.
pub fn recover_simple(state: &StateDirectory, env: &Env) -> Vec<String> {
    let env = Env { lock_timeout: Duration::ZERO, ..env.clone() };
    let (interrupted, _) = journal::interrupted(state).unwrap_or_default();
    let simple = interrupted.iter().filter(|it| !it.is_in_part() && it.lies_in(&env.roots));
    let recovered = simple.map(|journal| Recovery::of(journal, &env.roots).run(&env));
    recovered.flatten().flat_map(|recovered| recovered.messages).collect()
}

struct Recovery<'a> {
    journal: &'a Journal,
    roots: &'a Roots,
    messages: Vec<String>,
    /// The files that could not be reverted.
    in_part: Vec<PathBuf>,
}

/// A step whose directory exists.
struct Step {
    path: PathBuf,
    slot: Slot,
}

impl Step {
    fn failed(&self, error: &io::Error) -> Error {
        let error = Error::io(error, &self.path);
        Error { message: format!("it could not be recovered: {}", error.message), ..error }
    }
}

impl<'a> Recovery<'a> {
    fn of(journal: &'a Journal, roots: &'a Roots) -> Self {
        Self { journal, roots, messages: Vec::new(), in_part: Vec::new() }
    }

    fn run(mut self, env: &Env) -> Result<Recovered, Error> {
        let mut directories = Vec::new();
        for path in self.journal.directories() {
            if self.exists(&path)? {
                directories.push(path);
            }
        }
        let locks = lock_directories(&directories, env)?;
        let steps = self.steps(&locks)?;
        let ending = match &self.journal.record {
            _ if self.journal.intent.done => self.finish(&steps)?,
            Some(_) => self.complete(&steps)?,
            None => {
                for step in &steps {
                    step.slot.discard().map_err(|error| step.failed(&error))?;
                }
                Ending::Nothing
            }
        };
        for directory in locks.directories() {
            let _ = system::sync(directory);
        }
        let ended = match ending {
            Ending::Finished => self.journal.finish(),
            _ => self.journal.remove(),
        };
        ended.map_err(|error| Error::io(&error, self.journal.state_path()))?;
        let files = match ending {
            Ending::Nothing => Vec::new(),
            Ending::InPart => self.in_part,
            Ending::Finished | Ending::TakenBack => self.journal.files().collect(),
        };
        let directories = self.journal.directories().into_iter().collect();
        let (time, messages) = (self.journal.intent.time, self.messages);
        Ok(Recovered { time, ending, files, directories, messages })
    }

    fn steps(&self, locks: &Locks) -> Result<Vec<Step>, Error> {
        let new = self.journal.record.iter().flat_map(|record| record.new.iter().copied());
        let new = new.chain(std::iter::repeat(None));
        let mut steps = Vec::new();
        for (index, (record, new)) in self.journal.intent.steps.iter().zip(new).enumerate() {
            let directory = record.directory.path();
            if !self.exists(directory)? {
                continue;
            }
            let path = directory.join(&record.name.0);
            let copy = self.journal.copy_path(index);
            let slot = Slot::of_record(record, new, locks.find(directory)?, copy);
            let slot = slot.map_err(|error| Error::io(&error, &path))?;
            steps.push(Step { path, slot });
        }
        Ok(steps)
    }

    /// Whether a directory exists. Nothing is left in one that does not.
    ///
    /// # Errors
    ///
    /// Fails if that is not sure, so that the record is kept.
    fn exists(&self, path: &Path) -> Result<bool, Error> {
        match self.roots.resolve(path) {
            Ok(now) if now == path => {
                Ok(self.roots.look(path)?.is_some_and(|status| status.kind.is_dir()))
            }
            Ok(_) => {
                let message =
                    "it was replaced by a symlink, so its interrupted edit is not recovered";
                Err(Error::new(Code::FileChanged, message)
                    .at(path)
                    .hint(Hint::command("undo", ["--recover"]).why("when the directory is back")))
            }
            Err(error) if [Code::NotFound, Code::NotADirectory].contains(&error.code) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Finishes a commit all of whose changes are made, and reverts any other.
    fn complete(&mut self, steps: &[Step]) -> Result<Ending, Error> {
        let stages = steps.iter();
        let stages = stages.map(|step| step.slot.stage().map_err(|error| step.failed(&error)));
        let stages = stages.collect::<Result<Vec<_>, _>>()?;
        let is_whole = steps.len() == self.journal.intent.steps.len()
            && steps.iter().all(|step| matches!(step.slot, Slot::Exchange(_)));
        if is_whole && stages.iter().all(|stage| *stage == Stage::Applied) {
            return self.finish(steps);
        }
        let mut reverted = Vec::new();
        for step in steps.iter().rev() {
            let path = step.path.display();
            match step.slot.revert(false).map_err(|error| step.failed(&error))? {
                Reverted::Yes { appended } => {
                    let sentence = appended_sentence(appended);
                    self.messages.extend(sentence.map(|it| format!("'{path}': {it}")));
                    reverted.push(format!("'{path}' is as it was before"));
                }
                Reverted::No { kept } => {
                    let mut message = format!("'{path}' was changed since and is left unchanged");
                    if let Some(kept) = kept {
                        let kept = kept.display();
                        message.push_str(&format!("; what it was before is in '{kept}'"));
                        if matches!(step.slot, Slot::Exchange(_)) {
                            message.push_str(": give that its name to undo all");
                        }
                    }
                    self.messages.push(message);
                    self.in_part.push(step.path.clone());
                }
            }
        }
        if stages.iter().all(|stage| *stage == Stage::Before) {
            Ok(Ending::Nothing)
        } else if self.in_part.is_empty() {
            Ok(Ending::TakenBack)
        } else {
            self.messages.extend(reverted);
            Ok(Ending::InPart)
        }
    }

    /// Removes the old files.
    fn finish(&mut self, steps: &[Step]) -> Result<Ending, Error> {
        for step in steps {
            let kept = step.slot.finish().map_err(|error| step.failed(&error))?;
            if let Some(kept) = kept {
                let (path, kept) = (step.path.display(), kept.display());
                self.messages.push(format!(
                    "'{path}': another program wrote to the old file, which is in '{kept}'"
                ));
            }
        }
        Ok(Ending::Finished)
    }
}
