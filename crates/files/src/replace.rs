//! Commits: changes of files that are made completely or not at all. A commit never destroys what
//! another program wrote, and a crash leaves nothing that cannot be recovered.
//!
//! A commit
//!
//! 1. writes its record, which lists the files and random temporary names, to the state directory;
//! 2. writes each new file under its temporary name next to the old one, with the attributes of the
//!    old one;
//! 3. adds to the record the identities of the new files, and the data that an undo needs;
//! 4. compares each file with what was read, exchanges it with the new one, and compares again; if
//!    this fails for one file, reverts all changes;
//! 5. marks the record as done, removes the old files, and moves the record into the history.
//!
//! With `--in-place`, step 2 instead copies the bytes that change to the state directory, and step
//! 4 overwrites them in the file. The backup of a file is an additional file of the commit.

mod attributes;
mod content;
mod editable;
mod exchange;
mod failpoints;
mod in_place;
mod places;
mod run;
mod slot;
mod step;
#[cfg(test)]
mod tests;

pub use editable::{Editable, Mode, refusal, refuse_kind};
pub use run::{CommitOptions, Committed, commit};
pub use step::{FileChange, place_of_new};

pub(crate) use content::hash_spans;
pub(crate) use run::old_file_kept;
pub(crate) use slot::{Reverted, Slot};
