//! Selects an entry of the history.

use std::path::{Path, PathBuf};

use crate::env::Env;
use crate::error::{Code, Error, Hint};
use crate::history::{self, HistoryEntry};
use crate::journal::{self, Journal};
use crate::roots::Roots;
use crate::state::StateDirectory;

/// Whether to undo or to redo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Undoes a patch.
    #[default]
    Undo,
    /// Reverses an undo.
    Redo,
}

impl Direction {
    /// Returns the command that reverses the entry with this number.
    pub fn reversing_command(self, id: u64) -> Hint {
        match self {
            Self::Undo => Hint::command("redo", [id.to_string()]),
            Self::Redo => Hint::undo(id),
        }
    }

    /// Returns the name of the command, which is also the verb in messages.
    pub fn command(self) -> &'static str {
        match self {
            Self::Undo => "undo",
            Self::Redo => "redo",
        }
    }

    /// Returns the noun for an entry that the command reverses.
    fn noun(self) -> &'static str {
        match self {
            Self::Undo => "patch",
            Self::Redo => "undo",
        }
    }
}

/// The history entry to reverse.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// The newest entry.
    #[default]
    Last,
    /// The entry with a number.
    Id(u64),
    /// The newest entry that changed a file.
    File(PathBuf),
}

/// A directory whose newest entry is selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The absolute path of the directory.
    pub directory: PathBuf,
    /// Whether the directory is the root of a repository.
    pub is_repository: bool,
}

impl Scope {
    /// Whether an entry changed a file below the directory.
    pub fn holds(&self, entry: &HistoryEntry) -> bool {
        entry.files.iter().any(|file| file.starts_with(&self.directory))
    }
}

/// Selects an entry to reverse.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The entry to reverse.
    pub which: Which,
    /// Whether to undo or to redo.
    pub direction: Direction,
    /// The directory to which the search for the newest entry is restricted. `None` for no
    /// restriction.
    pub scope: Option<Scope>,
}

/// Returns the repository that contains the working directory. Outside repositories, returns the
/// working directory itself, or `None` if it no longer exists.
pub fn scope(roots: &Roots) -> Option<Scope> {
    let working_directory = roots.working_directory()?;
    let top = working_directory.ancestors().find(|directory| roots.exists(&directory.join(".git")));
    let (directory, is_repository) = (top.unwrap_or(working_directory).to_owned(), top.is_some());
    Some(Scope { directory, is_repository })
}

/// Returns the selected entry, if it exists.
///
/// # Errors
///
/// Fails if the entry changed files outside the roots or the scope. Also fails if the entry, or a
/// newer one, is damaged.
pub(super) fn select_entry(
    state: &StateDirectory,
    selection: &Selection,
    env: &Env,
) -> Result<Option<HistoryEntry>, Error> {
    let roots = &env.roots;
    let is_undo = selection.direction == Direction::Redo;
    let lies_in = |entry: &HistoryEntry| entry.lies_in(roots);
    match &selection.which {
        Which::Id(id) => {
            match history::find_id(state, *id)?.filter(|entry| entry.is_undo() == is_undo) {
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
            newest_entry(state, is_undo, |entry| lies_in(entry) && entry.files.contains(&path))
        }
        Which::Last => {
            let scope = &selection.scope;
            let concerns = |entry: &HistoryEntry| {
                lies_in(entry) && scope.as_ref().is_none_or(|scope| scope.holds(entry))
            };
            let found = newest_entry(state, is_undo, concerns)?;
            if let (Some(entry), Some(scope)) = (&found, scope) {
                check_within(entry, scope, selection.direction)?;
            }
            Ok(found)
        }
    }
}

/// Returns the newest entry that `concerns` accepts. An undo can be reversed only until the next
/// patch of the same files.
fn newest_entry(
    state: &StateDirectory,
    is_undo: bool,
    concerns: impl Fn(&HistoryEntry) -> bool,
) -> Result<Option<HistoryEntry>, Error> {
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

fn check_within(entry: &HistoryEntry, scope: &Scope, direction: Direction) -> Result<(), Error> {
    match entry.files.iter().find(|file| !file.starts_with(&scope.directory)) {
        None => Ok(()),
        Some(file) => {
            let (noun, verb) = (direction.noun(), direction.command());
            let message =
                format!("{noun} {} also changed this file, in another directory", entry.id);
            let all = Hint::command(direction.command(), [entry.id.to_string()]);
            let error = Error::new(Code::FileChanged, message).at(file);
            Err(error.hint(all.why(format!("to {verb} all of it"))))
        }
    }
}

/// Fails if an interrupted run must be recovered before an entry can be reversed.
pub(super) fn check_interrupted(state: &StateDirectory, entry: &HistoryEntry) -> Result<(), Error> {
    let is_in_the_way = |pending: &Journal| {
        let is_reversed = pending.reverses().is_some_and(|reversed| reversed.id == entry.id);
        is_reversed
            || pending.is_in_part()
                && pending.record.paths().any(|path| entry.files.contains(&path))
    };
    if !journal::pending(state)?.iter().any(is_in_the_way) {
        return Ok(());
    }
    let message = "an interrupted run must be recovered first";
    let hint = Hint::command("undo", ["--recover"]).why("to put its files in order");
    Err(Error::new(Code::FileChanged, message).hint(hint))
}

/// Returns a path in the form used in the history: absolute, with symlinks resolved. The file need
/// not exist, nor directories that an undo removed.
///
/// # Errors
///
/// Fails if no directory of the path exists, or if the path leads outside the roots.
pub fn history_path(path: &Path, roots: &Roots) -> Result<PathBuf, Error> {
    roots.resolve(path).or_else(|error| {
        let missing = [Code::NotFound, Code::NotADirectory].contains(&error.code);
        match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) if missing => {
                let is_here = parent.as_os_str().is_empty();
                let parent = if is_here { Path::new(".") } else { parent };
                history_path(parent, roots).map(|parent| parent.join(name)).map_err(|_| error)
            }
            _ => Err(error),
        }
    })
}
