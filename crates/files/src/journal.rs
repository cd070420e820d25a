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
use super::records::{Record, Reversed};
use super::roots::Roots;
use super::state::{StateDirectory, create_private, is_absent, open_owned};
use super::system;
use crate::error::Error;

/// The subdirectory of records.
const PART: &str = "journal";
const ENDING: &str = ".journal";
/// The suffix of copies for edits in place.
const COPY: &str = ".copy";
/// The suffix of the file that exists once the user was told that the commit was interrupted.
const SEEN_ENDING: &str = ".seen";
/// Minimum age of an empty record that is removed. A younger record may still be being written.
const YOUNG: Duration = Duration::from_secs(60);

/// The record of a commit that this process runs or recovers.
#[derive(Debug)]
pub struct Journal {
    pub(super) state: StateDirectory,
    /// The number of the commit in the history.
    pub(super) id: u64,
    path: PathBuf,
    file: Locked,
    pub(super) record: Record,
    /// The offset at which the complete record begins.
    completed_at: u64,
    /// Whether the record contains the new files. Before that, no file is changed.
    pub(super) is_complete: bool,
    /// Whether all changes are made.
    pub(super) is_done: bool,
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
    /// Begins the record of a commit that removes at most `length` bytes. If `sync` is set, the
    /// record is on disk when this function returns.
    pub(super) fn begin(
        state: &StateDirectory,
        record: Record,
        length: u64,
        sync: bool,
        env: &Env,
    ) -> io::Result<Self> {
        let directory = state.part(PART)?;
        let create = |id| create_private(&directory.join(format!("{id}{ENDING}")));
        let reversed = record.reverses.as_ref().map(|reversed| reversed.id);
        let (id, file) = history::reserve(state, length, reversed, env, create)?;
        let (path, file) = (directory.join(format!("{id}{ENDING}")), Locked(file));
        let (state, completed_at, is_complete, is_done) = (state.clone(), 0, false, false);
        let mut journal =
            Self { state, id, path, file, record, completed_at, is_complete, is_done };
        let begin = |journal: &mut Self| {
            // Without locks, no other run recovers this commit.
            system::lock_if_possible(&journal.file.0)?;
            journal.completed_at = journal.write(history::OPEN, history::no_bytes, sync)?;
            if sync { Ok(system::sync(File::open(&directory)?)?) } else { Ok(()) }
        };
        match begin(&mut journal) {
            Err(error) => journal.remove().and(Err(error)),
            Ok(()) => Ok(journal),
        }
    }

    /// Writes the record after the previous one. Returns the offset after the record.
    fn write(
        &self,
        mark: &str,
        bytes: impl FnOnce(&File, u64) -> io::Result<String>,
        sync: bool,
    ) -> io::Result<u64> {
        let file = &self.file.0;
        let bytes_at = history::write(file, self.completed_at, mark, &self.record, bytes)?;
        if sync {
            system::sync(file)?;
        }
        Ok(bytes_at)
    }

    /// Records the changes before the first one is made. `bytes` writes the removed bytes.
    pub(super) fn complete(
        &mut self,
        record: Record,
        bytes: impl FnOnce(&File, u64) -> io::Result<String>,
        sync: bool,
    ) -> io::Result<()> {
        self.file.0.set_len(self.completed_at)?;
        self.record = record;
        self.write(history::COMPLETE, bytes, sync)?;
        self.is_complete = true;
        Ok(())
    }

    /// Records that all changes are made. From now on, a recovery finishes the commit and never
    /// reverts it.
    pub(super) fn mark_done(&self, sync: bool) -> io::Result<()> {
        self.file.0.write_all_at(history::DONE.as_bytes(), 0)?;
        if sync { Ok(system::sync(&self.file.0)?) } else { Ok(()) }
    }

    /// Whether the commit becomes an entry of the history.
    pub(super) fn is_kept(&self) -> bool {
        self.is_complete && self.record.is_kept
    }

    /// Removes the entry that the commit reverses, and moves the record into the history.
    pub(super) fn finish(&self) -> io::Result<()> {
        if let Some(reversed) = self.reverses() {
            history::remove(&self.state, reversed.id)?;
        }
        self.remove_side_files();
        if self.is_kept() {
            history::add(&self.state, self.id, self.record.time, &self.path)
        } else {
            fs::remove_file(&self.path)
        }
    }

    /// Removes the record of a commit that changed nothing or was reverted.
    pub(super) fn remove(&self) -> io::Result<()> {
        // A recovery may need the copies as long as the record exists.
        fs::remove_file(&self.path)?;
        self.remove_side_files();
        Ok(())
    }

    /// Removes the copies, and the mark that the user was told of the interruption.
    fn remove_side_files(&self) {
        let _ = fs::remove_file(self.seen_path());
        for (step, file) in self.record.files.iter().enumerate() {
            if file.in_place.is_some() {
                // A copy that cannot be removed now is removed later, when it is old.
                let _ = fs::remove_file(self.copy_path(step));
            }
        }
    }

    /// Returns the path of the copy for a file that is written in place.
    pub(super) fn copy_path(&self, step: usize) -> PathBuf {
        self.path.with_file_name(format!("{}-{step}{COPY}", self.id))
    }

    /// Returns the record of the commit.
    pub fn record(&self) -> &Record {
        &self.record
    }

    pub(super) fn directories(&self) -> BTreeSet<PathBuf> {
        self.record.files.iter().map(|file| file.directory().to_owned()).collect()
    }

    fn seen_path(&self) -> PathBuf {
        self.path.with_file_name(format!("{}{SEEN_ENDING}", self.id))
    }

    /// Records that the user was told that the commit was interrupted. Returns whether this is the
    /// first time.
    pub fn mark_seen(&self) -> bool {
        create_private(&self.seen_path()).is_ok()
    }

    /// Returns a hint for a commit that cannot be recovered.
    pub(super) fn how_to_ignore(&self) -> String {
        format!("move '{}' away  # to ignore the interrupted edit", self.path.display())
    }

    /// Whether only some of the files may have changed, or one file only in part.
    pub fn is_in_part(&self) -> bool {
        self.is_complete && !self.is_done && !self.record.is_simple()
    }

    /// Whether all files are below the roots.
    pub fn lies_in(&self, roots: &Roots) -> bool {
        self.record.files.iter().all(|file| roots.may_hold(file.directory()))
    }

    /// Returns the history entry that the commit reverses.
    pub(super) fn reverses(&self) -> Option<&Reversed> {
        self.record.reverses.as_ref().filter(|_| self.is_complete)
    }
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
                Err(error) => errors.push(unreadable_error(&error, &path)),
            }
        } else if let Some(id) = name.strip_suffix(SEEN_ENDING) {
            if !path.with_file_name(format!("{id}{ENDING}")).exists() {
                let _ = fs::remove_file(&path);
            }
        } else if name.ends_with(COPY) {
            // If this fails, the next run tries again.
            let _ = remove_orphan(&path, name);
        }
    }
    found.sort_by_key(|journal| journal.id);
    Ok((found, errors))
}

fn unreadable_error(error: &io::Error, path: &Path) -> Error {
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
    if age.as_secs() > history::MAX_SECONDS && !record.try_exists()? {
        fs::remove_file(path)
    } else {
        Ok(())
    }
}

/// Opens the record of an interrupted commit. Returns `None` if the commit is running or has ended.
fn open(state: &StateDirectory, id: &str, path: &Path) -> io::Result<Option<Journal>> {
    let file = match open_owned(path, true) {
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
    let Some(first) = history::read_record(&file.0, 0)? else {
        if metadata.modified()?.elapsed().is_ok_and(|age| age > YOUNG) {
            let _ = fs::remove_file(path);
        }
        return Ok(None);
    };
    let completed = history::read_second_record(&file.0, &first)?;
    let (is_done, completed_at) = (first.is_done, first.bytes_at);
    let (Some(first), Ok(id)) = (first.record, id.parse()) else {
        return Err(invalid_record_error());
    };
    let (record, is_complete) = match completed.map(|completed| completed.record) {
        None => (first, false),
        Some(Some(record)) => (record, true),
        // If a commit changed files only in part, it cannot be recovered without its record.
        Some(None) if !is_done && !first.is_simple() => return Err(invalid_record_error()),
        Some(None) => (first, false),
    };
    let (state, path) = (state.clone(), path.to_owned());
    Ok(Some(Journal { state, id, path, file, record, completed_at, is_complete, is_done }))
}

fn invalid_record_error() -> io::Error {
    let message = "the journal is damaged, or of another version of folio";
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{FileRecord, Identity, VERSION, temporary_name};
    use crate::state::now;

    fn record() -> Record {
        let after = Some(Identity { inode: 2, size: 3, mtime: (4, 5) });
        let (path, temporary) = ("/a".into(), temporary_name());
        let file = FileRecord { path, temporary, after, ..FileRecord::default() };
        let (time, files) = (now(), vec![file]);
        Record { version: VERSION, time, is_kept: true, files, ..Record::default() }
    }

    fn begin(state: &StateDirectory) -> Journal {
        Journal::begin(state, record(), 0, false, &Env::default()).expect("begun")
    }

    #[test]
    fn a_record_without_a_running_commit_is_pending_until_it_is_finished() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::new(sandbox.path().join("state/folio"));
        assert!(pending(&state).expect("read").is_empty());
        let mut journal = begin(&state);
        assert!(pending(&state).expect("read").is_empty());
        journal.complete(record(), history::no_bytes, false).expect("recorded");
        journal.mark_done(false).expect("done");
        drop(journal);
        let found = pending(&state).expect("read");
        assert!(found.len() == 1 && !found[0].is_in_part(), "{found:?}");
        assert!(found[0].is_done && found[0].is_kept());
        found[0].finish().expect("finished");
        assert!(pending(&state).expect("read").is_empty());
        assert_eq!(history::list(&state).expect("read").0.len(), 1);
    }

    #[test]
    fn a_removed_record_leaves_no_files() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::new(sandbox.path().join("state"));
        begin(&state).remove().expect("removed");
        assert!(pending(&state).expect("read").is_empty());
        let mode = fs::metadata(sandbox.path().join("state")).expect("there").permissions();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o700);
    }

    #[test]
    fn a_damaged_record_of_several_files_is_not_taken_for_an_incomplete_one() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::new(sandbox.path().join("state"));
        let mut journal = begin(&state);
        let files = vec![journal.record.files[0].clone(); 2];
        let of_two = Record { files, ..record() };
        journal.record = of_two.clone();
        journal.completed_at = 0;
        journal.completed_at = journal.write(history::OPEN, history::no_bytes, false).expect("ok");
        journal.complete(of_two, history::no_bytes, false).expect("recorded");
        let path = journal.path.clone();
        drop(journal);
        let sound = fs::read(&path).expect("read");
        let is_complete = || pending(&state).map(|found| found.len() == 1 && found[0].is_complete);
        assert!(is_complete().expect("sound"));
        for at in 0..sound.len() {
            let mut damaged = sound.clone();
            damaged[at] ^= 1;
            fs::write(&path, damaged).expect("written");
            assert!(is_complete().is_err(), "{at}");
        }
    }

    #[test]
    fn records_that_cannot_be_read_are_an_error() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::new(sandbox.path().join("state"));
        let directory = state.part(PART).expect("made");
        let path = directory.join("1-1.journal");
        fs::create_dir(&path).expect("made");
        assert_eq!(pending(&state).expect_err("refused").path, Some(path.clone()));
        fs::remove_dir(&path).expect("removed");
        // The record has the format of version 0.2.0.
        fs::write(&path, "{\"version\":2,\"time\":1,\"directories\":[]}\n").expect("written");
        let error = pending(&state).expect_err("refused");
        assert!(error.message.to_string().contains("another version"), "{error}");
        fs::remove_dir_all(&directory).expect("removed");
        fs::write(&directory, "").expect("written");
        pending(&state).expect_err("refused");
    }
}
