//! Reverts entries of the history, and redoes them. Other changes in a file are kept; if the edited
//! bytes are no longer there, nothing is changed.

mod fit;
mod preview;
mod select;

use std::path::{Path, PathBuf};

pub use preview::{preview, show};
pub use select::{Direction, Selection, Which, history_path, scope};

use super::env::Env;
use super::history::{self, Draft, Entry, Reverse};
use super::lock::{Locks, lock_directories};
use super::records::{FileRecord, Identity, Reversed};
use super::replace::{self, Change, CommitOptions, Editable, Mode};
use super::roots::Roots;
use super::state::StateDirectory;
use crate::error::{Code, Error, Hint};

/// What was undone or redone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undone {
    /// The number that the entry had.
    pub id: u64,
    /// What was done.
    pub operation: String,
    /// The parts that it was done to.
    pub parts: Vec<String>,
    /// The files.
    pub files: Vec<UndoneFile>,
    /// The number under which the history has the opposite.
    pub recorded: Option<u64>,
    /// What else there is to know; one sentence each.
    pub warnings: Vec<String>,
}

/// A file after that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoneFile {
    /// The absolute path, with symlinks resolved.
    pub path: PathBuf,
    /// The change in the number of lines, if known.
    pub lines_delta: Option<i64>,
    /// Whether the patch had created it, so that it was deleted.
    pub is_removed: bool,
    /// The line of the first edit, if the file has changed elsewhere.
    pub moved_to: Option<u64>,
}

/// Undoes an entry completely or not at all; `None` if it does not exist. The reverse edit takes
/// its place in the history. With `sync`, the files are on disk when this returns.
///
/// # Errors
///
/// Fails with [`Code::FileChanged`] if the text of the patch no longer occurs exactly once.
pub fn undo(
    state: &StateDirectory,
    selection: &Selection,
    env: &Env,
    sync: bool,
) -> Result<Option<Undone>, Error> {
    loop {
        let Some(entry) = select::selected(state, selection, env)? else { return Ok(None) };
        let refused = |error| with_others(state, selection, &entry, env, error);
        let directories = directories(&entry, &env.roots).map_err(refused)?;
        let locks = lock_directories(&directories, env)?;
        // Another run may have reversed it while this one waited.
        if !entry.is_there()? {
            continue;
        }
        select::check_interrupted(state, &entry)?;
        let direction = selection.direction;
        let taken = take_back(state, &entry, direction, env, &locks, sync);
        return taken.map(Some).map_err(|error| match error.code {
            Code::Locked | Code::Cancelled => error,
            _ => refused(error),
        });
    }
}

/// Takes an entry out of the history, and nothing else.
pub fn forget(state: &StateDirectory, entry: &Entry) -> Result<(), Error> {
    entry.remove().map_err(|error| Error::io(&error, state.path()))
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
            Err(error) if ![Code::NotFound, Code::NotADirectory].contains(&error.code) => {
                return Err(error);
            }
            _ => return Err(changed(file, "its directory was deleted or moved")),
        }
    }
    Ok(parents)
}

fn changed(path: &Path, what: &str) -> Error {
    Error::new(Code::FileChanged, format!("it was changed since the patch: {what}")).at(path)
}

/// What a file is now; none where it is not there.
fn now(record: &FileRecord, roots: &Roots) -> Result<Option<Identity>, Error> {
    Ok(roots.look(record.path.path())?.map(|status| status.identity))
}

/// What takes an entry back, file by file. One whose bytes are damaged is set aside.
fn reverse(state: &StateDirectory, entry: &Entry) -> Result<Vec<Reverse>, Error> {
    let reverse = entry.reverse().map_err(|error| Error::io(&error, state.path()))?;
    reverse.ok_or_else(|| entry.set_aside())
}

fn take_back(
    state: &StateDirectory,
    entry: &Entry,
    direction: Direction,
    env: &Env,
    locks: &Locks,
    sync: bool,
) -> Result<Undone, Error> {
    let records = &entry.record.files;
    let mut changes = Vec::new();
    let mut moved = Vec::new();
    for (record, reverse) in records.iter().zip(reverse(state, entry)?) {
        let (change, moved_to) = change(record, reverse, locks)?;
        changes.push(change);
        moved.push(moved_to);
    }
    let lines = records.iter().map(|record| (record.lines_delta.map(|delta| -delta), record.line));
    let is_undo = direction == Direction::Undo;
    let draft = Draft {
        operation: entry.operation.clone(),
        parts: entry.parts.clone(),
        lines: lines.collect(),
    };
    let commit = CommitOptions {
        sync,
        history: env.undo.then_some(draft),
        // On a full disk an undo is possible, though its redo is not.
        needs_history: false,
        reverses: Some(Reversed { id: entry.id, origin: entry.origin(), is_undo }),
        state: Some(state.clone()),
        ..Default::default()
    };
    let committed = replace::commit(changes, locks, &commit)?;
    let files = records.iter().zip(moved).map(|(record, moved_to)| UndoneFile {
        path: record.path.path().to_owned(),
        lines_delta: record.lines_delta.map(|delta| -delta),
        is_removed: record.before.is_none(),
        moved_to,
    });
    let files = files.collect();
    let (operation, parts) = (entry.operation.clone(), entry.parts.clone());
    Ok(Undone {
        id: entry.id,
        operation,
        parts,
        files,
        recorded: committed.undo,
        warnings: committed.warnings,
    })
}

/// The change that undoes one file; the line of it where the file has changed
/// elsewhere.
fn change(
    record: &FileRecord,
    reverse: Reverse,
    locks: &Locks,
) -> Result<(Change, Option<u64>), Error> {
    let path = record.path.path();
    if record.after.is_none() {
        if now(record, locks.roots())?.is_some() {
            return Err(changed(path, "another file has its name"));
        }
        let content = reverse.edits.edits().first().map(|edit| edit.content.clone());
        let (path, content) = (path.to_owned(), content.unwrap_or_default());
        return Ok((Change::Create { path, content, mode: record.mode, like: None }, None));
    }
    let file = open(record, locks)?;
    if file.resolved() != path {
        return Err(changed(path, "it is a symlink now"));
    }
    let fit = fit::fit(&*file.file()?, file.size(), record, reverse, locks.env())?;
    Ok(match record.before {
        Some(_) => (Change::Edit { file, edits: fit.edits }, fit.moved_to),
        None => (Change::Remove { file }, None),
    })
}

fn open(record: &FileRecord, locks: &Locks) -> Result<Editable, Error> {
    let path = record.path.path();
    let links = locks.roots().look(path)?.map_or(1, |status| status.links);
    let is_edit = record.before.is_some();
    let mode = if is_edit && (record.in_place || links > 1) { Mode::InPlace } else { Mode::Rename };
    Editable::open(path, mode, locks).map_err(|error| match error.code {
        Code::NotFound => changed(path, "it was deleted"),
        Code::NotAFile | Code::NotRegular => changed(path, "it is not a file now"),
        _ => error,
    })
}

/// The error with what to do instead: one entry that cannot be undone is not in the
/// way of the others.
fn with_others(
    state: &StateDirectory,
    selection: &Selection,
    entry: &Entry,
    env: &Env,
    mut error: Error,
) -> Error {
    // Flags are those of patch.
    error.hints.retain(|hint| !matches!(hint, Hint::Flag { .. }));
    let command = selection.direction.command();
    let (others, _) = history::list(state).unwrap_or_default();
    let is_other = |other: &&Entry| other.is_undo() == entry.is_undo() && other.lies_in(&env.roots);
    let mut others: Vec<Entry> = others.iter().filter(is_other).cloned().collect();
    if let Some(path) = error.path.clone().filter(|_| error.code == Code::FileChanged) {
        let is_later = |other: &&Entry| other.id > entry.id && other.files.contains(&path);
        if let Some(later) = others.iter().find(is_later) {
            let hint = Hint::command(command, [later.id.to_string()]);
            error.hints.insert(0, hint.why("the later patch of this file first"));
        }
    }
    let id = entry.id.to_string();
    let is_known = entry.record.files.iter().any(|file| !file.around.is_empty());
    let is_there = entry.is_there().unwrap_or(false);
    if is_there && is_known {
        error = error.hint(Hint::command("undo", ["--show", &id]).why("show what it changed"));
    }
    others.retain(|other| other.id < entry.id);
    let is_near = |other: &&Entry| match &selection.which {
        Which::File(_) => other.files.iter().any(|file| entry.files.contains(file)),
        _ => selection.scope.as_ref().is_none_or(|scope| scope.holds(other)),
    };
    if let Some(before) = others.iter().find(is_near) {
        let hint = Hint::command(command, [before.id.to_string()]);
        error = error.hint(hint.why("undo the patch before it"));
    }
    match is_there {
        true => {
            error.hint(Hint::command("undo", ["--forget", &id]).why("remove it from the history"))
        }
        false => error,
    }
}
