//! Takes back what the history holds, if nothing has changed since.

use std::path::{Path, PathBuf};

use super::env::Env;
use super::history::{self, Entry};
use super::lock::{Locks, lock_directories};
use super::records::{FileRecord, Hashed, Identity};
use super::replace::{self, Change, CommitOptions, Editable, Mode, hash_edited};
use super::roots::Roots;
use super::state::StateDirectory;
use crate::error::{Code, Error, Hint};
use crate::text::edit::EditSet;

/// Which entry of the history is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// The newest.
    #[default]
    Last,
    /// The one with a number.
    Id(u64),
    /// The newest that changed a file.
    File(PathBuf),
}

/// What was taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undone {
    /// The number that the entry had.
    pub id: u64,
    /// What was done.
    pub operation: String,
    /// The files.
    pub files: Vec<UndoneFile>,
    /// What else there is to know; one sentence each.
    pub warnings: Vec<String>,
}

/// A file that is again what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoneFile {
    /// Where it is: absolute, links followed.
    pub path: PathBuf,
    /// Lines now minus lines before the undo, where that is known.
    pub lines_delta: Option<i64>,
    /// Whether it had been created and is gone.
    pub is_removed: bool,
}

/// Takes back an entry, all of it or nothing; `None` where there is no such
/// entry. It leaves the history. With `sync` it is on the disk when this returns.
///
/// Fails with [`Code::FileChanged`] where a file is not what the patch left.
pub fn undo(
    state: &StateDirectory,
    which: &Which,
    env: &Env,
    sync: bool,
) -> Result<Option<Undone>, Error> {
    let roots = &env.roots;
    let file = match which {
        Which::File(path) => Some(history_path(path, roots)?),
        _ => None,
    };
    let is_meant = |entry: &Entry| match which {
        Which::Last => entry.lies_in(roots),
        Which::Id(id) => entry.id == *id,
        Which::File(_) => {
            entry.lies_in(roots) && file.as_ref().is_some_and(|file| entry.files.contains(file))
        }
    };
    let has_size_of_before = |record: &FileRecord| {
        now(record, roots).map(|now| now.size) == record.before.map(|before| before.size)
    };
    while let Some(entry) = history::find(state, is_meant) {
        if !entry.lies_in(roots) {
            let message = format!("patch {} changed files outside the root", entry.id);
            return Err(Error::new(Code::OutsideRoot, message));
        }
        let directories = directories(&entry, roots)?;
        let locks = lock_directories(&directories, env)?;
        // Another run may have taken it back while this one waited.
        if !entry.is_there() {
            continue;
        }
        if entry.record.files.iter().all(|record| now(record, roots) == record.before) {
            // The run that wrote it ended before it did anything.
            entry.remove().map_err(|error| Error::io(&error, state.path()))?;
            continue;
        }
        let taken = take_back(state, &entry, &locks, sync);
        if taken.as_ref().is_err_and(|error| error.code == Code::FileChanged)
            && entry.was_being_taken()
            && entry.record.files.iter().all(has_size_of_before)
        {
            // A run took it back and ended before it could say so.
            entry.remove().map_err(|error| Error::io(&error, state.path()))?;
            entry.end_taking();
            continue;
        }
        return taken.map(Some);
    }
    Ok(None)
}

/// A file as the history names it: absolute, links followed. One that is gone
/// is found by its directory.
///
/// Fails as the system says where neither is there.
pub fn history_path(path: &Path, roots: &Roots) -> Result<PathBuf, Error> {
    roots.resolve(path).or_else(|error| match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => {
            let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            roots.resolve(parent).map(|parent| parent.join(name)).map_err(|_| error)
        }
        _ => Err(error),
    })
}

fn directories(entry: &Entry, roots: &Roots) -> Result<Vec<PathBuf>, Error> {
    let parents = entry.files.iter().filter_map(|path| path.parent());
    let parents: Vec<PathBuf> = parents.map(Path::to_owned).collect();
    for (parent, file) in parents.iter().zip(&entry.files) {
        match roots.status(parent) {
            Ok(status) if status.kind.is_dir() => {}
            Err(error) if error.code.is_outside() => {
                return Err(Error { path: Some(file.clone()), ..error });
            }
            _ => return Err(changed(file, "its directory is gone")),
        }
    }
    Ok(parents)
}

fn changed(path: &Path, what: &str) -> Error {
    Error::new(Code::FileChanged, format!("it was changed since the patch: {what}")).at(path)
}

/// What a file is now.
fn now(record: &FileRecord, roots: &Roots) -> Option<Identity> {
    roots.status(record.path.path()).ok().map(|status| status.identity)
}

fn take_back(
    state: &StateDirectory,
    entry: &Entry,
    locks: &Locks,
    sync: bool,
) -> Result<Undone, Error> {
    let unreadable = |error: std::io::Error| Error::io(&error, state.path());
    let reversed = entry.reversed().map_err(unreadable)?;
    let changes: Vec<Change> = entry
        .record
        .files
        .iter()
        .zip(reversed)
        .map(|(record, edits)| change(record, edits, locks))
        .collect::<Result<_, Error>>()
        .map_err(|error| with_later(state, entry, error))?;
    let commit = CommitOptions { sync, state: Some(state.clone()), ..Default::default() };
    entry.begin_taking().map_err(unreadable)?;
    let committed = replace::commit(changes, locks, &commit);
    if committed.is_err() && !replace::has_crashed() {
        entry.end_taking();
    }
    let mut warnings = committed?.warnings;
    if let Err(error) = entry.remove() {
        warnings.push(format!("{}; its entry stays in the history", unreadable(error)));
    }
    entry.end_taking();
    let files = entry.record.files.iter().map(|record| UndoneFile {
        path: record.path.path().to_owned(),
        lines_delta: record.lines_delta.map(|delta| -delta),
        is_removed: record.before.is_none(),
    });
    let files = files.collect();
    Ok(Undone { id: entry.id, operation: entry.operation.clone(), files, warnings })
}

/// The change that takes back one file, which must be what the patch left.
fn change(record: &FileRecord, edits: EditSet, locks: &Locks) -> Result<Change, Error> {
    let path = record.path.path();
    let file = open(record, locks)?;
    if file.resolved() != path {
        return Err(changed(path, "it is a link now"));
    }
    if file.size() != record.after.size {
        let message = format!("it has {} bytes, not {}", file.size(), record.after.size);
        return Err(changed(path, &message));
    }
    // A time that is the same does not show it: clocks of file systems are slow.
    let brought = edits.edits().iter().map(|edit| edit.span);
    let (hashed, spans) = history::hashed_spans(record.after.size, brought);
    let digits = hash_edited(file.file(), file.size(), &EditSet::default(), &spans)
        .map_err(|error| Error::io(&error, path))?;
    if (hashed, digits.as_str()) != (record.hashed, record.sha256.as_str()) {
        let what = match hashed {
            Hashed::File => "other bytes stand there now",
            Hashed::Spans => "where it was edited, other bytes stand now",
        };
        return Err(changed(path, what));
    }
    Ok(match record.before {
        Some(_) => Change::Edit { file, edits },
        None => Change::Remove { file },
    })
}

fn open(record: &FileRecord, locks: &Locks) -> Result<Editable, Error> {
    let path = record.path.path();
    let links = locks.roots().status(path).map_or(1, |status| status.links);
    let is_edit = record.before.is_some();
    let mode = if is_edit && (record.in_place || links > 1) { Mode::InPlace } else { Mode::Rename };
    Editable::open(path, mode, locks).map_err(|error| match error.code {
        Code::NotFound => changed(path, "it is gone"),
        Code::NotAFile | Code::NotRegular => changed(path, "it is not a file now"),
        _ => error,
    })
}

/// The error with what to do where a later patch is the reason.
fn with_later(state: &StateDirectory, entry: &Entry, error: Error) -> Error {
    let Some(path) = error.path.clone().filter(|_| error.code == Code::FileChanged) else {
        return error;
    };
    match history::find(state, |later| later.id > entry.id && later.files.contains(&path)) {
        Some(later) => {
            let hint = Hint::command("undo", [later.id.to_string()]);
            error.hint(hint.why("the later patch of this file first"))
        }
        None => error,
    }
}
