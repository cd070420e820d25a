//! Which entry of the history is meant.

use std::path::{Path, PathBuf};

use super::now;
use crate::error::{Code, Error, Hint};
use crate::files::env::Env;
use crate::files::history::{self, Entry};
use crate::files::journal;
use crate::files::lock::lock_directories;
use crate::files::records::FileRecord;
use crate::files::replace::hash_edited;
use crate::files::roots::Roots;
use crate::files::state::StateDirectory;
use crate::text::edit::EditSet;
use crate::text::span::Span;

/// Which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// A patch is undone.
    #[default]
    Undo,
    /// What was undone is redone.
    Redo,
}

impl Direction {
    /// What undoes what it did under a number.
    pub fn opposite(self, id: u64) -> Hint {
        match self {
            Self::Undo => Hint::command("redo", [id.to_string()]),
            Self::Redo => Hint::undo(id),
        }
    }

    /// The command that does it.
    pub fn command(self) -> &'static str {
        match self {
            Self::Undo => "undo",
            Self::Redo => "redo",
        }
    }

    /// What it does to a patch.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Undo => "undo",
            Self::Redo => "redo",
        }
    }

    /// What it is about.
    fn noun(self) -> &'static str {
        match self {
            Self::Undo => "patch",
            Self::Redo => "undo",
        }
    }
}

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

/// A directory below which the newest entry is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The directory, from `/` on.
    pub directory: PathBuf,
    /// Whether it is the top of a repository.
    pub is_repository: bool,
}

impl Scope {
    /// Whether an entry changed something below it.
    pub fn holds(&self, entry: &Entry) -> bool {
        entry.files.iter().any(|file| file.starts_with(&self.directory))
    }
}

/// What is to be undone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Which entry.
    pub which: Which,
    /// Which way.
    pub direction: Direction,
    /// Where the newest is looked for; none where it may be anywhere.
    pub scope: Option<Scope>,
}

/// The repository around the working directory, or else that directory; none
/// where that is not known.
pub fn scope(roots: &Roots) -> Option<Scope> {
    let own = roots.working_directory()?;
    let top = own.ancestors().find(|directory| roots.exists(&directory.join(".git")));
    let (directory, is_repository) = (top.unwrap_or(own).to_owned(), top.is_some());
    Some(Scope { directory, is_repository })
}

/// The entry that is meant, if it is there and its number is none of those to be passed
/// over.
///
/// Fails where it changed files outside of the roots or the scope, and where it, or one
/// that is newer, is damaged.
pub(super) fn candidate(
    state: &StateDirectory,
    selection: &Selection,
    env: &Env,
    passed: &[u64],
) -> Result<Option<Entry>, Error> {
    let roots = &env.roots;
    let is_undo = selection.direction == Direction::Redo;
    let lies_in = |entry: &Entry| !passed.contains(&entry.id) && entry.lies_in(roots);
    match &selection.which {
        Which::Id(id) => {
            let is_meant = |entry: &Entry| entry.is_undo() == is_undo && !passed.contains(id);
            match history::find_id(state, *id)?.filter(is_meant) {
                Some(entry) if !entry.lies_in(roots) => {
                    let noun = selection.direction.noun();
                    let message = format!("{noun} {} changed files outside the root", entry.id);
                    Err(Error::new(Code::OutsideRoot, message))
                }
                found => Ok(found),
            }
        }
        Which::File(path) => {
            let path = history_path(path, roots)?;
            newest(state, is_undo, |entry| lies_in(entry) && entry.files.contains(&path))
        }
        Which::Last => {
            let scope = &selection.scope;
            let concerns = |entry: &Entry| {
                lies_in(entry) && scope.as_ref().is_none_or(|scope| scope.holds(entry))
            };
            let found = newest(state, is_undo, concerns)?;
            if let (Some(entry), Some(scope)) = (&found, scope) {
                check_within(entry, scope, selection.direction)?;
            }
            Ok(found)
        }
    }
}

/// The newest entry of those that concern a place. A patch that was undone can be
/// redone only until the next patch there.
fn newest(
    state: &StateDirectory,
    is_undo: bool,
    concerns: impl Fn(&Entry) -> bool,
) -> Result<Option<Entry>, Error> {
    let mut last_patch = 0;
    let found = history::find(state, |entry| {
        if !concerns(entry) {
            return false;
        }
        if !entry.is_undo() {
            last_patch = last_patch.max(entry.origin());
        }
        entry.is_undo() == is_undo
    })?;
    Ok(found.filter(|entry| !is_undo || last_patch < entry.id))
}

fn check_within(entry: &Entry, scope: &Scope, direction: Direction) -> Result<(), Error> {
    match entry.files.iter().find(|file| !file.starts_with(&scope.directory)) {
        None => Ok(()),
        Some(file) => {
            let (noun, verb) = (direction.noun(), direction.verb());
            let message = format!("{noun} {} changed this file too, elsewhere", entry.id);
            let all = Hint::command(direction.command(), [entry.id.to_string()]);
            let error = Error::new(Code::FileChanged, message).at(file);
            Err(error.hint(all.why(format!("to {verb} all of it"))))
        }
    }
}

/// The entry that is meant, but none that is about nothing. Such a one stays: whoever
/// only looks changes nothing.
pub(super) fn present(
    state: &StateDirectory,
    selection: &Selection,
    env: &Env,
) -> Result<Option<Entry>, Error> {
    let mut passed = Vec::new();
    while let Some(entry) = candidate(state, selection, env, &passed)? {
        let directories: Vec<PathBuf> =
            entry.files.iter().filter_map(|file| Some(file.parent()?.to_owned())).collect();
        // Whoever is writing it has locked these.
        let locks = lock_directories(&directories, env);
        if locks.is_err() {
            return Ok(Some(entry));
        }
        let void = void(state, &entry, &env.roots)?;
        if !void.contains(&entry) {
            return Ok(Some(entry));
        }
        passed.extend(void.iter().map(|void| void.id));
    }
    Ok(None)
}

/// What is about nothing of an entry and the one that reverses it: the run that wrote it
/// ended before it did anything, or another has reversed it and ended before it could
/// take it away.
///
/// Fails where an interrupted run is in the way.
pub(super) fn void(
    state: &StateDirectory,
    entry: &Entry,
    roots: &Roots,
) -> Result<Vec<Entry>, Error> {
    let is_reverse =
        |other: &Entry| other.reverses().is_some_and(|reversed| reversed.id == entry.id);
    let reverse = history::find_after(state, entry.id, is_reverse)?;
    let open: Vec<u64> = journal::pending(state)?.iter().filter_map(|it| it.undo).collect();
    let is_open = |entry: &Entry| open.contains(&entry.id);
    if is_open(entry) || reverse.as_ref().is_some_and(is_open) {
        let message = "a run that was cut off is still to be put in order";
        let hint = Hint::command("undo", ["--recover"]).why("to put its files in order");
        return Err(Error::new(Code::FileChanged, message).hint(hint));
    }
    let mut void = Vec::new();
    if let Some(reverse) = reverse {
        if has_happened(&reverse, roots)? {
            return Ok(vec![entry.clone()]);
        }
        void.push(reverse);
    }
    // A created file that is not there may have been moved since.
    let shows = entry.record.files.iter().any(|file| file.before.is_some());
    if shows && !has_happened(entry, roots)? {
        void.push(entry.clone());
    }
    Ok(void)
}

fn has_happened(entry: &Entry, roots: &Roots) -> Result<bool, Error> {
    for record in &entry.record.files {
        if now(record, roots)? != record.before || record.in_place && is_as_left(record, roots)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a file contains what it was left with: the time of an inode that was written
/// to may be as it was.
fn is_as_left(record: &FileRecord, roots: &Roots) -> Result<bool, Error> {
    let path = record.path.path();
    let (Some(after), Some(now)) = (record.after, now(record, roots)?) else { return Ok(false) };
    if now.size != after.size {
        return Ok(false);
    }
    let file = roots.open_file(path)?;
    let edits = record.edits.iter().map(|&(start, new, _)| Span::new(start, start + new));
    let (hashed, spans) = history::hashed_spans(after.size, edits);
    let digits = hash_edited(&file, after.size, &EditSet::default(), &spans);
    let digits = digits.map_err(|error| Error::io(&error, path))?;
    Ok(hashed == record.hashed && digits == record.sha256)
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
