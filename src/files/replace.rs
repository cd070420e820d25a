//! Changes of files that happen as a whole or not at all: every new file is
//! written beside its target first, then all of them take their places, and
//! what came out is compared with what was read. A write of another program is
//! never destroyed, and a crash leaves nothing that cannot be put in order.
//!
//! The order of a commit:
//!
//! 1. A journal begins in the state directory.
//! 2. Every change is staged: written, given its attributes, brought to the
//!    disk. Most files have no name yet. The entry of the history is written.
//! 3. The new files move into temporary names beside their targets.
//! 4. Where there are several, the plan goes into the journal and to the disk.
//! 5. One after the other is compared with what was read, exchanged, and
//!    compared again. If one fails, all go back.
//! 6. The directories go to the disk, the journal says that all is done, the old
//!    files go, the journal ends.

mod attributes;
mod content;
mod create;
mod editable;
mod failpoints;
mod in_place;
mod run;
mod swap;
pub(crate) mod temporary;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::history::Draft;
use super::lock::Locks;
use super::roots::Roots;
use super::state::StateDirectory;
pub use super::system::Identity;
use crate::error::Error;
use crate::text::edit::EditSet;
pub use editable::{Editable, Mode, refuse_kind};
use run::{Context, Run};

pub(crate) use create::remove_parents;
pub(crate) use failpoints::has_crashed;
pub(crate) use in_place::{Restored, restore};
pub(crate) use swap::settle;

/// A change of one file.
#[derive(Debug)]
pub enum Change {
    /// Edits of a file, as it was when it was opened.
    Edit {
        /// The file.
        file: Editable,
        /// Spans of its bytes and what comes in their place. Without any, the
        /// file stays as it is.
        edits: EditSet,
    },
    /// A file that is not there yet. The directory that [`place_of_new`] tells
    /// must be locked.
    Create {
        /// Its path.
        path: PathBuf,
        /// Its bytes.
        content: Vec<u8>,
        /// Whether directories that are missing are made.
        parents: bool,
    },
    /// A file goes, if it is still what it was when it was opened.
    Remove {
        /// The file.
        file: Editable,
    },
}

/// How changes are made.
#[derive(Clone, Debug)]
pub struct CommitOptions {
    /// Whether everything is on the disk before it is told to be done.
    pub sync: bool,
    /// The suffix of the name under which each old file is kept.
    pub backup: Option<OsString>,
    /// What the history calls this; `None` leaves it out of the history.
    pub history: Option<Draft>,
    /// Where history and journals are. Without it nothing can be undone,
    /// nothing can be written in place, and what a crash leaves of several
    /// changes cannot be put in order.
    pub state: Option<StateDirectory>,
}

impl Default for CommitOptions {
    fn default() -> Self {
        Self { sync: true, backup: None, history: None, state: None }
    }
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// The files, in the order of the changes.
    pub written: Vec<Written>,
    /// The number by which it can be taken back.
    pub undo: Option<u64>,
    /// What else is to be told; one sentence each.
    pub warnings: Vec<String>,
}

/// A file after its change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The path that it was asked for by.
    pub path: PathBuf,
    /// What it is now; `None` where it is gone.
    pub identity: Option<Identity>,
    /// Where the old file is kept.
    pub backup: Option<PathBuf>,
}

/// The directory that must be locked to create a file: the nearest above it
/// that is there, links followed.
///
/// Fails where that cannot be found.
pub fn place_of_new(path: &Path, roots: &Roots) -> Result<PathBuf, Error> {
    create::place(path, roots).map(|(directory, _)| directory)
}

/// Makes changes, all or none. The directories of all of them must be locked.
///
/// Fails with [`Code::FileChanged`](crate::error::Code::FileChanged) where a
/// file is not what it was when it was opened, and as the system says; then
/// every file is what it was, or the error's hints say otherwise. What fails
/// when everything is in place is a warning.
pub fn commit(
    changes: Vec<Change>,
    locks: &Locks,
    options: &CommitOptions,
) -> Result<Committed, Error> {
    let mut run = Run::begin(&changes, locks, options)?;
    match run.all(changes, locks) {
        Ok(()) => Ok(run.finish()),
        Err(error) => Err(run.abort(error)),
    }
}

/// What the system said of a call, behind what the call was for.
fn system_error(what: &str, error: Errno) -> Error {
    let told = Error::io(&error.into(), Path::new(""));
    Error::new(told.code, format!("{what}: {}", told.message))
}
