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
//! 3. The plan goes into the journal: temporary names, old and new files.
//! 4. The new files get their temporary names beside their targets.
//! 5. One after the other is compared with what was read, exchanged, and
//!    compared again. If one fails, all go back.
//! 6. The directories go to the disk, the journal says that all is done, the old
//!    files go, the journal ends.

mod attributes;
mod content;
mod context;
mod create;
mod editable;
mod failpoints;
mod in_place;
mod places;
mod run;
mod step;
mod swap;
pub(crate) mod temporary;
#[cfg(test)]
mod tests;

pub use context::CommitOptions;
pub use create::place_of_new;
pub use editable::{Editable, Mode, refuse_kind};
pub use run::{Committed, commit, commit_showing};
pub use step::Change;

pub(crate) use content::hash_edited;
pub(crate) use failpoints::has_crashed;
#[cfg(test)]
pub(crate) use failpoints::{Point, step_in};
pub(crate) use in_place::{Restored, restore, same_bytes};
pub(crate) use swap::settle;
