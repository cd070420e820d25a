//! Undoes and redoes entries of the history. Other changes in a file are kept. If it is not certain
//! where the edited bytes are now, nothing is changed.

mod context;
mod fit;
mod past;
mod preview;
mod select;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use preview::{preview, show};
pub use select::{Direction, Selection, Which, history_path, scope};

use super::env::Env;
use super::history::{self, Damaged, Draft, HistoryEntry, Reverse};
use super::lock::{Locks, lock_directories};
use super::records::{FileRecord, Record};
use super::replace::{self, CommitOptions, Editable, FileChange, Mode};
use super::roots::Roots;
use super::state::StateDirectory;
use crate::error::{Code, Error, Hint};

/// The result of an undo or redo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undone {
    /// The entry, which has been removed from the history.
    pub entry: HistoryEntry,
    /// For each file, the line of the first edit. `None` unless the file has changed elsewhere.
    pub moved_to: Vec<Option<u64>>,
    /// The number of the new history entry, which can reverse this change.
    pub recorded: Option<u64>,
    /// The directories that were created, or removed because they were created for the files.
    pub directories: Vec<PathBuf>,
    /// Warnings, one sentence each.
    pub warnings: Vec<String>,
}

/// Undoes an entry, completely or not at all. Returns `None` if the entry does not exist. In the
/// history, the commit that reverses the entry replaces it. If `sync` is set, the files are on disk
/// when this function returns.
///
/// # Errors
///
/// Fails with [`Code::FileChanged`] if it is not certain where the text of the patch is now.
pub fn undo(
    state: &StateDirectory,
    selection: &Selection,
    env: &Env,
    sync: bool,
) -> Result<Option<Undone>, Error> {
    with_planned_changes(state, selection, env, true, |entry, changes, locks, created| {
        let Record { operation, parts, values, files, .. } = entry.record.clone();
        let lines = files.iter().map(|file| (file.lines_delta.map(|delta| -delta), file.line));
        let draft = Draft { operation, parts, values, lines: lines.collect() };
        let is_undo = selection.direction == Direction::Undo;
        let options = CommitOptions {
            sync,
            history: env.undo.then_some(draft),
            reverses: Some(entry.reversed(is_undo)),
            state: Some(state.clone()),
            backup: None,
            directories: if is_undo {
                entry.record.created_directories()
            } else {
                created.to_vec()
            },
        };
        let (changes, moved_to) = changes.into_iter().unzip();
        let mut directories = options.directories.clone();
        directories.retain(|directory| env.roots.is_directory(directory));
        let committed = replace::commit(changes, locks, &options, &mut |_, _| {})?;
        let (recorded, warnings) = (committed.undo, committed.warnings);
        if is_undo {
            directories.retain(|directory| !env.roots.is_directory(directory));
        }
        Ok(Undone { entry: entry.clone(), moved_to, recorded, directories, warnings })
    })
}

/// For each file, the change that undoes it, and the line of the first edit if the file has changed
/// elsewhere.
type Changes = Vec<(FileChange, Option<u64>)>;

/// Locks the files of the selected entry, and calls `act` with the changes that undo the entry, and
/// with the directories that were created for them. Returns `None` if the entry does not exist.
fn with_planned_changes<T>(
    state: &StateDirectory,
    selection: &Selection,
    env: &Env,
    writes: bool,
    act: impl Fn(&HistoryEntry, Changes, &Locks, &[PathBuf]) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    let act_on = |entry: &HistoryEntry, created: &[PathBuf]| {
        let refused = |error| with_others(state, selection, entry, env, error);
        let directories = directories(entry, &env.roots).map_err(refused)?;
        let locks = lock_directories(&directories, env).map_err(|mut error| {
            if error.code == Code::Cancelled {
                error.message.push("; no file was changed");
            }
            error
        })?;
        // Another run may have reversed the entry while this one was waiting.
        if !entry.is_there()? {
            return Ok(None);
        }
        select::check_interrupted(state, entry)?;
        let changes = || {
            let files = entry.record.files.iter().zip(reverse_edits(state, entry)?);
            let change =
                |(record, reverse)| reverse_change((state, entry), record, reverse, &locks);
            files.map(change).collect::<Result<_, _>>()
        };
        match changes().and_then(|changes| act(entry, changes, &locks, created)) {
            Err(error) if ![Code::Locked, Code::Cancelled].contains(&error.code) => {
                Err(refused(error))
            }
            done => done.map(Some),
        }
    };
    loop {
        let Some(entry) = select::select_entry(state, selection, env)? else { return Ok(None) };
        let created = create_directories(&entry, &env.roots, writes)
            .map_err(|error| with_others(state, selection, &entry, env, error))?;
        let done = act_on(&entry, &created);
        if !matches!(done, Ok(Some(_))) {
            env.roots.remove_directories(&created);
        }
        if !matches!(done, Ok(None)) {
            return done;
        }
    }
}

/// Creates the directories that an undo removed, because its redo needs them, and returns those
/// that were missing.
fn create_directories(
    entry: &HistoryEntry,
    roots: &Roots,
    writes: bool,
) -> Result<Vec<PathBuf>, Error> {
    let mut missing = entry.record.created_directories();
    missing.retain(|directory| {
        entry.is_undo() && roots.may_hold(directory) && !roots.is_directory(directory)
    });
    for (count, directory) in missing.iter().enumerate() {
        if !writes {
            return Err(Error::usage("a dry run does not create the directory").at(directory));
        }
        // The parent may have been replaced with a symlink.
        let parent = directory.parent().unwrap_or(directory);
        let is_in_place = roots.resolve(parent).is_ok_and(|resolved| resolved == parent);
        if !is_in_place || roots.create_directories(std::slice::from_ref(directory)).is_err() {
            roots.remove_directories(&missing[..count]);
            return Err(changed_error(directory, "the directory cannot be created again"));
        }
    }
    Ok(missing)
}

/// Whether the record of an entry contains a text: in what the patch removed, in what is around it,
/// in the names of the edited parts, in the values that it set, or in a path.
pub fn mentions(entry: &HistoryEntry, text: &str) -> Result<bool, Error> {
    let mentions = entry.mentions(text);
    mentions.map_err(|error| Error::io(&error, &entry.path))
}

/// Removes a damaged entry, which cannot be undone, from the history.
pub fn forget_damaged(state: &StateDirectory, id: u64) -> Result<(), Error> {
    history::remove(state, id).map_err(|error| Error::io(&error, state.path()))
}

/// Removes an entry from the history without undoing it.
pub fn forget(state: &StateDirectory, entry: &HistoryEntry) -> Result<(), Error> {
    entry.remove().map_err(|error| Error::io(&error, state.path()))
}

fn directories(entry: &HistoryEntry, roots: &Roots) -> Result<Vec<PathBuf>, Error> {
    let directory = |file: &PathBuf| {
        let parent = file.parent().unwrap_or(file);
        match roots.status(parent) {
            Ok(status) if status.kind.is_dir() => Ok(parent.to_owned()),
            Err(error) if error.code.is_outside() => {
                Err(Error { path: Some(file.clone()), ..error })
            }
            Err(error) if ![Code::NotFound, Code::NotADirectory].contains(&error.code) => {
                Err(error)
            }
            _ => Err(changed_error(file, "its directory was deleted or moved")),
        }
    };
    entry.files.iter().map(directory).collect()
}

fn changed_error(path: &Path, what: &str) -> Error {
    Error::new(Code::FileChanged, format!("it has changed since the patch: {what}")).at(path)
}

fn exists(record: &FileRecord, roots: &Roots) -> Result<bool, Error> {
    Ok(roots.look(record.path())?.is_some())
}

/// Returns the edits that undo an entry, for each file.
fn reverse_edits(state: &StateDirectory, entry: &HistoryEntry) -> Result<Vec<Reverse>, Error> {
    let reverse = entry.reverse().map_err(|error| Error::io(&error, state.path()))?;
    reverse.ok_or_else(|| Damaged { id: entry.id, path: entry.path.clone() }.error())
}

/// Returns the change that undoes one file, and the line of the edit if the file has changed
/// elsewhere.
fn reverse_change(
    entry: (&StateDirectory, &HistoryEntry),
    record: &FileRecord,
    reverse: Reverse,
    locks: &Locks,
) -> Result<(FileChange, Option<u64>), Error> {
    let path = record.path();
    if record.after.is_none() {
        if exists(record, locks.roots())? {
            return Err(changed_error(path, "another file has its name"));
        }
        let content = reverse.edits.edits().first().map(|edit| edit.content.clone());
        let (path, content) = (path.to_owned(), content.unwrap_or_default());
        return Ok((FileChange::Create { path, content, mode: record.mode, like: None }, None));
    }
    let file = open(record, locks)?;
    if file.resolved() != path {
        return Err(changed_error(path, "it is now a symlink"));
    }
    let fit = fit::fit(&*file.file()?, file.size(), entry, record, reverse, locks.env())?;
    Ok(match record.before {
        Some(_) => (FileChange::Edit { file, edits: fit.edits }, fit.moved_to),
        None => (FileChange::Remove { file }, None),
    })
}

fn open(record: &FileRecord, locks: &Locks) -> Result<Editable, Error> {
    let path = record.path();
    let links = locks.roots().look(path)?.map_or(1, |status| status.links);
    let is_in_place = record.before.is_some() && (record.in_place.is_some() || links > 1);
    let mode = if is_in_place { Mode::InPlace } else { Mode::Rename };
    Editable::open(path, mode, locks).map_err(|error| match error.code {
        Code::NotFound => changed_error(path, "it was deleted"),
        Code::NotAFile | Code::NotRegular => changed_error(path, "it is no longer a regular file"),
        _ => error,
    })
}

/// Adds hints to the error for an entry that cannot be undone, such as to undo another entry.
fn with_others(
    state: &StateDirectory,
    selection: &Selection,
    entry: &HistoryEntry,
    env: &Env,
    mut error: Error,
) -> Error {
    // Hints with options refer to options of `patch`.
    error.hints.retain(|hint| !matches!(hint, Hint::Again { .. }));
    let command = selection.direction.command();
    let hint = |id: u64, why: &str| Hint::command(command, [id.to_string()]).why(why);
    let (mut others, _) = history::list(state).unwrap_or_default();
    others.retain(|other| other.is_undo() == entry.is_undo() && other.lies_in(&env.roots));
    if let (Code::FileChanged, Some(path)) = (error.code, &error.path) {
        let is_later = |other: &&HistoryEntry| other.id > entry.id && other.files.contains(path);
        let later = others.iter().find(is_later);
        let later = later.map(|later| hint(later.id, "undo the later patch of this file first"));
        error.hints.splice(0..0, later);
        // The directory of a file may be one that an earlier patch created.
        let parent = path.parent().filter(|parent| !env.roots.is_directory(parent));
        let removes = |other: &&HistoryEntry| {
            let created = other.record.created_directories();
            other.id != entry.id && created.iter().any(|directory| Some(&**directory) == parent)
        };
        if entry.is_undo()
            && let Some(other) = others.iter().find(removes)
        {
            error.message.push(format!("; undo {} removed it", other.id));
            error.hints.insert(0, hint(other.id, "redo that undo first"));
        }
    }
    let id = entry.id.to_string();
    let is_known = entry.record.files.iter().any(|file| !file.around.is_empty());
    let is_there = entry.is_there().unwrap_or(false);
    if is_there && is_known {
        error = error.hint(Hint::command("undo", ["--show", &id]).why("show what it changed"));
    }
    let is_near = |other: &&HistoryEntry| match &selection.which {
        Which::File(_) => other.files.iter().any(|file| entry.files.contains(file)),
        _ => selection.scope.as_ref().is_none_or(|scope| scope.holds(other)),
    };
    let mut before = others.iter().filter(|other| other.id < entry.id);
    if let Some(before) = before.find(is_near) {
        error = error.hint(hint(before.id, "undo the patch before it"));
    }
    if is_there {
        let forget = Hint::command("undo", ["--forget", &id]);
        error = error.hint(forget.why("remove it from the history"));
    }
    error
}
