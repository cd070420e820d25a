//! Write-ahead records of commits, in the state directory. A record lists the files of a commit
//! before the first of them is changed, so that the record is sufficient to recover from a crash.
//! When the commit is done, its record becomes its entry in the history. A running commit holds a
//! lock on its record.

// The module accesses only folio's own files, in the state directory.
#![allow(clippy::disallowed_methods)]

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;

use super::env::Env;
use super::history;
use super::records::{self, EntryRecord, IntentRecord, Reversed, StepRecord, VERSION};
use super::roots::Roots;
use super::state::{StateDirectory, create_private, is_absent, now, open_own};
use super::system;
use crate::error::Error;

/// The subdirectory of records.
const PART: &str = "journal";
const ENDING: &str = ".journal";
/// The suffix of copies for edits in place.
const COPY: &str = ".copy";
/// The offset of the value of `done` in a record, and the value after all changes.
const DONE: (u64, &[u8]) = ("{\"done\":".len() as u64, b"true ");
/// Minimum age of a record without a complete first line that is removed. A younger record may
/// still be being written.
const YOUNG: Duration = Duration::from_secs(60);

/// The record of a commit that this process runs or recovers.
#[derive(Debug)]
pub struct Journal {
    pub(super) state: StateDirectory,
    /// The number of the commit in the history.
    pub(super) id: u64,
    path: PathBuf,
    file: Locked,
    pub(super) intent: IntentRecord,
    intent_length: u64,
    /// The record of the changes, once all new files are written.
    pub(super) record: Option<EntryRecord>,
}

/// A locked file. It is unlocked explicitly, because a child process that another thread starts
/// shares the lock until it executes its program.
#[derive(Debug)]
struct Locked(File);

impl Drop for Locked {
    fn drop(&mut self) {
        let _ = system::unlock(&self.0);
    }
}

impl Journal {
    /// Begins the record of a commit that removes at most `length` bytes and reverses the entry
    /// `reversed`. If `sync` is set, the record is on disk when this function returns.
    pub(super) fn begin(
        state: &StateDirectory,
        steps: Vec<StepRecord>,
        (length, reversed): (u64, Option<u64>),
        sync: bool,
        env: &Env,
    ) -> io::Result<Self> {
        let directory = state.part(PART)?;
        let create = |id| create_private(&directory.join(format!("{id}{ENDING}")));
        let (id, file) = history::reserve(state, length, reversed, env, create)?;
        let intent = IntentRecord { done: false, version: VERSION, time: now(), steps };
        let line = records::line(&intent);
        let (path, file) = (directory.join(format!("{id}{ENDING}")), Locked(file));
        let intent_length = line.len() as u64;
        let state = state.clone();
        let journal = Self { state, id, path, file, intent, intent_length, record: None };
        let begin = |file: &File| {
            // Without locks, no other run recovers this commit.
            system::lock_if_possible(file)?;
            file.write_all_at(&line, 0)?;
            if sync {
                system::sync(file)?;
                system::sync(File::open(&directory)?)?;
            }
            Ok(())
        };
        begin(&journal.file.0).inspect_err(|_| drop(journal.remove())).map(|()| journal)
    }

    /// Records the changes before the first one is made. `bytes` writes the removed bytes.
    pub(super) fn record(
        &mut self,
        record: EntryRecord,
        bytes: impl FnOnce(&File, u64) -> io::Result<String>,
        sync: bool,
    ) -> io::Result<()> {
        let file = &self.file.0;
        file.set_len(self.intent_length)?;
        history::write(file, self.intent_length, &record, bytes)?;
        if sync {
            system::sync(file)?;
        }
        self.record = Some(record);
        Ok(())
    }

    /// Records that all changes are made. From now on, a recovery finishes the commit and never
    /// reverts it.
    pub(super) fn done(&self, sync: bool) -> io::Result<()> {
        self.file.0.write_all_at(DONE.1, DONE.0)?;
        if sync { Ok(system::sync(&self.file.0)?) } else { Ok(()) }
    }

    /// Whether the commit becomes an entry of the history.
    pub(super) fn is_kept(&self) -> bool {
        self.record.as_ref().is_some_and(|record| !record.files.is_empty())
    }

    /// Removes the entry that the commit reverses, and moves the record into the history.
    pub(super) fn finish(&self) -> io::Result<()> {
        if let Some(reversed) = self.reverses() {
            history::remove(&self.state, reversed.id)?;
        }
        self.remove_copies();
        match self.is_kept() {
            true => history::add(&self.state, self.id, self.intent.time, &self.path),
            false => fs::remove_file(&self.path),
        }
    }

    /// Removes the record of a commit that changed nothing or was reverted.
    pub(super) fn remove(&self) -> io::Result<()> {
        // A recovery may need the copies as long as the record exists.
        fs::remove_file(&self.path)?;
        self.remove_copies();
        Ok(())
    }

    fn remove_copies(&self) {
        for (step, record) in self.intent.steps.iter().enumerate() {
            if record.in_place.is_some() {
                // A copy that cannot be removed now is removed later, when it is old.
                let _ = fs::remove_file(self.copy_path(step));
            }
        }
    }

    /// Returns the path of the copy for a file that is written in place.
    pub(super) fn copy_path(&self, step: usize) -> PathBuf {
        self.path.with_file_name(format!("{}-{step}{COPY}", self.id))
    }

    /// Returns the directories of the files.
    pub(super) fn directories(&self) -> BTreeSet<PathBuf> {
        self.intent.steps.iter().map(|step| step.directory.path().to_owned()).collect()
    }

    /// Returns a hint for a commit that cannot be recovered.
    pub(super) fn how_to_ignore(&self) -> String {
        format!("move '{}' away  # to ignore the interrupted edit", self.path.display())
    }

    /// Whether only some of the files may have changed, or one file only in part.
    pub fn is_in_part(&self) -> bool {
        self.record.is_some() && !self.intent.done && !is_simple(&self.intent.steps)
    }

    /// Whether all files are below the roots.
    pub fn lies_in(&self, roots: &Roots) -> bool {
        self.intent.steps.iter().all(|step| roots.may_hold(step.directory.path()))
    }

    /// Returns the history entry that the commit reverses.
    pub(super) fn reverses(&self) -> Option<Reversed> {
        self.record.as_ref().and_then(|record| record.reverses)
    }
}

/// Whether a commit changes only one file, completely or not at all.
pub(super) fn is_simple<'a>(steps: impl IntoIterator<Item = &'a StepRecord>) -> bool {
    let mut files = steps.into_iter().filter(|step| !step.is_backup);
    files.next().is_none_or(|step| step.in_place.is_none()) && files.next().is_none()
}

/// Returns the interrupted commits, oldest first. Other runs cannot recover them until the returned
/// values are dropped.
///
/// # Errors
///
/// Fails if a record cannot be read.
pub fn pending(state: &StateDirectory) -> Result<Vec<Journal>, Error> {
    let (found, errors) = interrupted(state)?;
    errors.into_iter().next().map_or(Ok(found), Err)
}

/// Returns the records of the interrupted commits, oldest first, locked against other runs. Also
/// returns an error for each record that cannot be read.
pub(super) fn interrupted(state: &StateDirectory) -> Result<(Vec<Journal>, Vec<Error>), Error> {
    let directory = state.path().join(PART);
    let failed = |error: io::Error| Error::io(&error, &directory);
    // folio does not act on files that another user has written.
    if state.existing_part(PART).map_err(failed)?.is_none() {
        return Ok(Default::default());
    }
    let (mut found, mut errors): (Vec<Journal>, Vec<Error>) = Default::default();
    for item in fs::read_dir(&directory).map_err(failed)? {
        let path = item.map_err(failed)?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if let Some(id) = name.strip_suffix(ENDING) {
            match open(state, id, &path) {
                Ok(opened) => found.extend(opened),
                Err(error) => errors.push(unreadable(&error, &path)),
            }
        } else if name.ends_with(COPY) {
            // If this fails, the next run tries again.
            let _ = remove_orphan(&path, name);
        }
    }
    found.sort_by_key(|journal| journal.id);
    Ok((found, errors))
}

/// Returns the error for a record that cannot be read.
fn unreadable(error: &io::Error, path: &Path) -> Error {
    let shown = Error::io(error, path);
    match error.kind() {
        io::ErrorKind::InvalidData => {
            shown.hint("recover it with the version that wrote it, or move it away to ignore it")
        }
        _ => shown,
    }
}

/// Removes a copy without a record if it is older than all entries of the history. Until then, the
/// user may move back a damaged record that was moved away.
fn remove_orphan(path: &Path, name: &str) -> io::Result<()> {
    let record = path.with_file_name(format!("{}{ENDING}", name.split('-').next().unwrap_or(name)));
    let age = fs::symlink_metadata(path)?.modified()?.elapsed().unwrap_or_default();
    match age.as_secs() > history::MAX_SECONDS && !record.try_exists()? {
        true => fs::remove_file(path),
        false => Ok(()),
    }
}

/// Opens the record of an interrupted commit. Returns `None` if the commit is running or has ended.
fn open(state: &StateDirectory, id: &str, path: &Path) -> io::Result<Option<Journal>> {
    let file = match open_own(path, true) {
        Err(error) if is_absent(&error) => return Ok(None),
        file => file?,
    };
    match system::lock(&file, false) {
        // Without locks, folio cannot know whether a commit was interrupted.
        Err(Errno::WOULDBLOCK | Errno::NOLCK | Errno::BADF) => return Ok(None),
        Err(error) if system::is_lacking(error) => return Ok(None),
        locked => locked?,
    }
    let file = Locked(file);
    // The commit may have ended before its record was locked here.
    let metadata = file.0.metadata()?;
    if fs::symlink_metadata(path).map_or(0, |named| named.ino()) != metadata.ino() {
        return Ok(None);
    }
    let parsed = history::parse(&file.0)?;
    let (Some(intent), Ok(id)) = (parsed.intent, id.parse()) else {
        if parsed.has_line {
            return Err(invalid());
        }
        if metadata.modified()?.elapsed().is_ok_and(|age| age > YOUNG) {
            let _ = fs::remove_file(path);
        }
        return Ok(None);
    };
    // If a commit changed files only in part, it cannot be recovered without its record. A record
    // without checksums is incomplete, and its commit has not changed anything.
    let is_damaged = parsed.is_complete && parsed.record.is_none();
    if intent.version > VERSION
        || !intent.steps.iter().all(StepRecord::is_possible)
        || is_damaged && !intent.done && !is_simple(&intent.steps)
    {
        return Err(invalid());
    }
    let intent_length = records::line(&intent).len() as u64;
    let (state, path, record) = (state.clone(), path.to_owned(), parsed.record);
    Ok(Some(Journal { state, id, path, file, intent, intent_length, record }))
}

fn invalid() -> io::Error {
    let message = "the journal is damaged, or of another version of folio";
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::files::records::{FileRecord, Identity};

    fn record() -> EntryRecord {
        let after = Some(Identity { inode: 2, size: 3, mtime: (4, 5) });
        let file = FileRecord {
            path: Path::new("/a").into(),
            before: None,
            after,
            mode: None,
            in_place: false,
            lines_delta: None,
            line: None,
            sha256: String::new(),
            edits: Vec::new(),
            around: Vec::new(),
        };
        EntryRecord { version: VERSION, files: vec![file], ..EntryRecord::default() }
    }

    fn begin(state: &StateDirectory) -> Journal {
        Journal::begin(state, Vec::new(), (0, None), false, &Env::default()).expect("begun")
    }

    #[test]
    fn a_record_without_a_running_commit_is_pending_until_it_is_finished() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::at(sandbox.path().join("state/folio"));
        assert!(pending(&state).expect("read").is_empty());
        let mut journal = begin(&state);
        assert!(pending(&state).expect("read").is_empty());
        journal
            .record(record(), |_, _| Ok(history::digits(Sha256::new())), false)
            .expect("recorded");
        journal.done(false).expect("done");
        drop(journal);
        let found = pending(&state).expect("read");
        assert!(found.len() == 1 && !found[0].is_in_part(), "{found:?}");
        assert!(found[0].intent.done && found[0].is_kept());
        found[0].finish().expect("finished");
        assert!(pending(&state).expect("read").is_empty());
        assert_eq!(history::list(&state).expect("read").0.len(), 1);
    }

    #[test]
    fn a_removed_record_leaves_no_files() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::at(sandbox.path().join("state"));
        begin(&state).remove().expect("removed");
        assert!(pending(&state).expect("read").is_empty());
        let mode = fs::metadata(sandbox.path().join("state")).expect("there").permissions();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o700);
    }

    #[test]
    fn records_that_cannot_be_read_are_an_error() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::at(sandbox.path().join("state"));
        let directory = state.part(PART).expect("made");
        let path = directory.join("1-1.journal");
        fs::create_dir(&path).expect("made");
        assert_eq!(pending(&state).expect_err("refused").path, Some(path.clone()));
        fs::remove_dir(&path).expect("removed");
        // The record has the format of version 0.2.0.
        fs::write(&path, "{\"version\":2,\"time\":1,\"directories\":[]}\n").expect("written");
        let error = pending(&state).expect_err("refused");
        assert!(error.message.contains("another version"), "{error}");
        fs::remove_dir_all(&directory).expect("removed");
        fs::write(&directory, "").expect("written");
        pending(&state).expect_err("refused");
    }
}
