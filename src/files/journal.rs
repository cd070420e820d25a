//! Journals of commits: what a run is about to do is in the state
//! directory until it is done, so that after a crash it can be finished or
//! undone. A run that lives holds the lock of its journal.

// Journals are folio's own, in the state directory.
#![allow(clippy::disallowed_methods)]

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::io::Errno;
use serde_json::Value;

use super::lock::Directory;
use super::records::{
    self, JournalRecord, Name, PlanRecord, StepKind, StepRecord, TemporaryRecord, VERSION,
};
use super::replace::temporary::Temporary;
use super::roots::Roots;
use super::state::{StateDirectory, create_private, is_absent, now, open_own};
use super::system;
use crate::error::Error;

/// The part of the state directory that contains journals.
const PART: &str = "journal";
const ENDING: &str = ".journal";
/// Its last line: all is in place.
const DONE: &[u8] = b"{\"done\":true}\n";
/// A journal without a beginning may still get one for as long as this.
const YOUNG: Duration = Duration::from_secs(60);

/// The journal of the commit that this run makes.
#[derive(Debug)]
pub(super) struct Journal {
    directory: PathBuf,
    name: String,
    file: Held,
    copies: u32,
}

/// A journal's file, whose lock ends with it: a program that another thread starts
/// has each handle of this process until it is executed, and the lock with it.
#[derive(Debug)]
struct Held(File);

impl Drop for Held {
    fn drop(&mut self) {
        let _ = system::unlock(&self.0);
    }
}

impl Journal {
    /// Says that a commit begins that may leave something in these directories.
    pub(super) fn begin(
        state: &StateDirectory,
        directories: &[Arc<Directory>],
    ) -> io::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let directory = state.part(PART)?;
        let (name, file) = loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!("{}-{}-{count}", now(), std::process::id());
            match create_private(&directory.join(format!("{name}{ENDING}"))) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => break (name, created?),
            }
        };
        let mut journal = Self { directory, name, file: Held(file), copies: 0 };
        let begun = journal.write_beginning(directories);
        begun.inspect_err(|_| journal.end()).map(|()| journal)
    }

    fn write_beginning(&mut self, directories: &[Arc<Directory>]) -> io::Result<()> {
        // Whoever looks whether it is set contains it but for a moment. Where there are no
        // locks, no other run takes this one for dead either.
        system::lock_if_possible(&self.file.0)?;
        let record = JournalRecord {
            version: VERSION,
            time: now(),
            directories: directories.iter().map(|one| Name::from(one.path())).collect(),
        };
        self.file.0.write_all(&records::line(&record))
    }

    /// The path for a further recovery copy.
    pub(super) fn copy_path(&mut self) -> PathBuf {
        self.copies += 1;
        self.directory.join(format!("{}.{}.bytes", self.name, self.copies))
    }

    /// Records a temporary name before it is taken.
    pub(super) fn temporary(&mut self, temporary: &Temporary) -> io::Result<()> {
        let directory = temporary.directory().path().into();
        let record = TemporaryRecord { directory, temporary: temporary.text().to_owned() };
        self.file.0.write_all(&records::line(&record))
    }

    /// Records what will be put in place; a later plan replaces it. From here on a crash
    /// leaves something that only [`super::recovery`] can put in order.
    pub(super) fn plan(&mut self, plan: &PlanRecord, sync: bool) -> io::Result<()> {
        self.file.0.write_all(&records::line(plan))?;
        if sync {
            system::sync(&self.file.0)?;
            system::sync(File::open(&self.directory)?)?;
        }
        Ok(())
    }

    /// Says that everything is in place, for good: what is left to do is to
    /// take away what is no longer needed.
    pub(super) fn done(&mut self, sync: bool) -> io::Result<()> {
        self.file.0.write_all(DONE)?;
        if sync { Ok(system::sync(&self.file.0)?) } else { Ok(()) }
    }

    /// Takes the journal away: everything is done, or nothing.
    pub(super) fn end(&self) {
        // What cannot be taken away is seen, and found done, by the next run.
        let _ = fs::remove_file(self.directory.join(format!("{}{ENDING}", self.name)));
    }
}

/// A commit that a crash has interrupted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// What it is called.
    pub name: String,
    /// When it began, in seconds since 1970.
    pub time: u64,
    /// The directories that it was at work in.
    pub directories: Vec<PathBuf>,
    /// Whether some files may be changed and others not, or one written in part.
    pub in_part: bool,
    /// Its entry of the history, where that is so.
    pub undo: Option<u64>,
}

impl Pending {
    /// Whether it was at work only where files may be.
    pub fn lies_in(&self, roots: &Roots) -> bool {
        self.directories.iter().all(|directory| roots.may_hold(directory))
    }
}

/// The journal of a commit that was interrupted, set so that no other run
/// recovers it too.
pub(super) struct Dead {
    pub(super) pending: Pending,
    pub(super) plan: Option<PlanRecord>,
    /// Temporary names that it may have taken beside those of the plan.
    pub(super) temporaries: Vec<TemporaryRecord>,
    /// Whether everything is in place.
    pub(super) is_done: bool,
    directory: PathBuf,
    // Holds the lock.
    _file: Held,
}

impl Dead {
    /// Where a recovery copy of it is.
    pub(super) fn copy_path(&self, name: &str) -> PathBuf {
        // A name, never a path out of the directory.
        self.directory.join(Path::new(name).file_name().unwrap_or_default())
    }

    /// Takes it and its copies away.
    pub(super) fn end(&self) -> io::Result<()> {
        let prefix = format!("{}.", self.pending.name);
        for item in fs::read_dir(&self.directory)?.flatten() {
            let is_copy = item
                .file_name()
                .to_str()
                .is_some_and(|name| name.starts_with(&prefix) && name.ends_with(".bytes"));
            if is_copy {
                fs::remove_file(item.path())?;
            }
        }
        fs::remove_file(self.directory.join(format!("{}{ENDING}", self.pending.name)))
    }
}

/// The commits that were interrupted and have not been recovered, oldest
/// first. Where there is none this costs the reading of one directory that is
/// empty, or does not exist.
///
/// Fails where they cannot be read.
pub fn pending(state: &StateDirectory) -> Result<Vec<Pending>, Error> {
    Ok(all_dead(state)?.into_iter().map(|dead| dead.pending).collect())
}

/// The same, each set.
pub(super) fn all_dead(state: &StateDirectory) -> Result<Vec<Dead>, Error> {
    let directory = state.path().join(PART);
    let failed = |error: io::Error| Error::io(&error, &directory);
    // What another user has written there is not carried out.
    if state.existing_part(PART).map_err(failed)?.is_none() {
        return Ok(Vec::new());
    }
    let items = fs::read_dir(&directory).map_err(failed)?;
    let mut dead: Vec<Dead> = Vec::new();
    for item in items {
        let Ok(name) = item.map_err(failed)?.file_name().into_string() else { continue };
        match name.strip_suffix(ENDING) {
            Some(journal) => {
                let opened = open_dead(&directory, journal);
                dead.extend(opened.map_err(|error| Error::io(&error, &directory.join(&name)))?);
            }
            None => clean_copy(&directory, &name),
        }
    }
    dead.sort_by(|one, other| {
        (one.pending.time, &one.pending.name).cmp(&(other.pending.time, &other.pending.name))
    });
    Ok(dead)
}

/// Takes away a recovery copy whose journal has ended.
fn clean_copy(directory: &Path, copy: &str) {
    let journal = copy.strip_suffix(".bytes").and_then(|name| name.split('.').next());
    let is_orphan = journal.is_some_and(|journal| {
        let is_there = directory.join(format!("{journal}{ENDING}")).try_exists();
        is_there.is_ok_and(|is_there| !is_there)
    });
    if is_orphan {
        let _ = fs::remove_file(directory.join(copy));
    }
}

fn open_dead(directory: &Path, name: &str) -> io::Result<Option<Dead>> {
    let path = directory.join(format!("{name}{ENDING}"));
    let file = match open_own(&path, true) {
        // It has ended between.
        Err(error) if is_absent(&error) => return Ok(None),
        file => file?,
    };
    match system::lock(&file, false) {
        // A run that lives holds it; where there are no locks none is taken for dead.
        Err(Errno::WOULDBLOCK | Errno::NOLCK | Errno::BADF) => return Ok(None),
        Err(error) if system::is_lacking(error) => return Ok(None),
        locked => locked?,
    }
    let held = Held(file);
    let file = &held.0;
    // It may have ended between.
    if system::status_of(file)?.links == 0 {
        return Ok(None);
    }
    let mut lines = BufReader::new(file).split(b'\n');
    let begun: Option<JournalRecord> =
        lines.next().transpose()?.and_then(|line| records::parse(&line));
    let Some(begun) = begun else {
        // Whoever made it ended, or has not written to it yet.
        let age = file.metadata()?.modified()?.elapsed();
        if age.is_ok_and(|age| age > YOUNG) {
            let _ = fs::remove_file(&path);
        }
        return Ok(None);
    };
    let (plan, temporaries, is_done) = read_lines(lines)?;
    let is_exchange = |step: &StepRecord| !matches!(step.step, StepKind::Rewrite { .. });
    let in_part = plan.as_ref().is_some_and(|plan| {
        !is_done && (plan.steps.len() > 1 || !plan.steps.iter().all(is_exchange))
    });
    let pending = Pending {
        name: name.to_owned(),
        time: begun.time,
        directories: begun.directories.into_iter().map(|name| name.0.into()).collect(),
        in_part,
        undo: plan.as_ref().and_then(|plan| plan.undo).filter(|_| in_part),
    };
    Ok(Some(Dead {
        pending,
        plan,
        temporaries,
        is_done,
        directory: directory.to_owned(),
        _file: held,
    }))
}

/// The last plan of a journal, its further temporary names, and whether it is done. A line
/// without its end was not on the disk when the next step began.
fn read_lines(
    lines: impl Iterator<Item = io::Result<Vec<u8>>>,
) -> io::Result<(Option<PlanRecord>, Vec<TemporaryRecord>, bool)> {
    let (mut plan, mut temporaries, mut is_done) = (None::<PlanRecord>, Vec::new(), false);
    for line in lines {
        let line = line?;
        is_done |= DONE.strip_suffix(b"\n") == Some(&line);
        if let Some(replaced) = records::parse(&line) {
            plan = Some(replaced);
        } else if records::parse::<Value>(&line).is_some_and(|line| !line["steps"].is_null()) {
            let message = "the journal was written by another version of folio";
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        } else {
            temporaries.extend(records::parse::<TemporaryRecord>(&line));
        }
    }
    Ok((plan, temporaries, is_done))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_live_run_is_told_from_a_dead_one() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::at(sandbox.path().join("state/folio"));
        assert_eq!(pending(&state).expect("read"), []);
        let mut journal = Journal::begin(&state, &[]).expect("begun");
        assert_eq!(pending(&state).expect("read"), []);
        journal.plan(&PlanRecord::default(), false).expect("planned");
        journal.done(false).expect("done");
        let name = journal.name.clone();
        drop(journal);
        let found = pending(&state).expect("read");
        assert_eq!(found.len(), 1);
        assert!(!found[0].in_part && found[0].name == name);
        let dead = all_dead(&state).expect("read");
        assert!(dead[0].is_done);
        dead[0].end().expect("ended");
        assert_eq!(pending(&state).expect("read"), []);
    }

    #[test]
    fn what_a_journal_tells_ends_with_it() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::at(sandbox.path().join("state"));
        let journal = Journal::begin(&state, &[]).expect("begun");
        journal.end();
        drop(journal);
        assert_eq!(pending(&state).expect("read"), []);
        let mode = fs::metadata(sandbox.path().join("state")).expect("there").permissions();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o700);
    }
    #[test]
    fn a_journal_that_cannot_be_read_is_an_error() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::at(sandbox.path().join("state"));
        let directory = state.part(PART).expect("made");
        fs::create_dir(directory.join("1-1.journal")).expect("made");
        let error = pending(&state).expect_err("refused");
        assert_eq!(error.path, Some(directory.join("1-1.journal")));
        fs::remove_dir_all(&directory).expect("removed");
        fs::write(&directory, "").expect("written");
        pending(&state).expect_err("refused");
    }
}
