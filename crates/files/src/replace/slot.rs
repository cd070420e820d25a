//! The change of one file on disk, with either method. Commits and recoveries use it.

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::lock::Directory;
use crate::records::{FileRecord, Identity, Region};

/// The change of one file: either another file replaces it, or it is overwritten in place.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) directory: Arc<Directory>,
    pub(crate) record: FileRecord,
    /// The copy in the state directory of the bytes that are written in place.
    pub(crate) copy: PathBuf,
}

/// A file that is written in place. Its copy contains the new file, in which bytes far from the
/// region are a hole, and then the old bytes of the region.
pub(super) struct InPlace<'a> {
    pub(super) slot: &'a Slot,
    /// The file before the change.
    pub(super) old: Identity,
    pub(super) region: Region,
}

/// The progress of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing has changed, or all changes have been reverted.
    Before,
    /// The change has been made.
    Applied,
    /// Another program changed one of the files.
    Disturbed,
}

/// The result of reverting a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reverted {
    /// Nothing was changed.
    Nothing,
    /// The file is as before, except for bytes that another program appended.
    Yes { appended: u64 },
    /// Another program changed the file, so it is left as it is now. The given file contains the
    /// old bytes.
    No { kept: Option<PathBuf> },
}

impl Reverted {
    /// Returns a sentence for the user if the file is not exactly as before.
    pub(crate) fn sentence(&self) -> Option<String> {
        let unchanged = "it was changed by another program since and is left unchanged";
        Some(match self {
            Self::Nothing | Self::Yes { appended: 0 } => return None,
            Self::Yes { appended } => format!(
                "another program appended {appended} byte{} meanwhile, which were kept after the \
                 old contents",
                if *appended == 1 { "" } else { "s" }
            ),
            Self::No { kept: None } => unchanged.to_owned(),
            Self::No { kept: Some(kept) } => {
                format!("{unchanged}; what it was before is in '{}'", kept.display())
            }
        })
    }
}

impl Slot {
    pub(super) fn name(&self) -> &OsStr {
        self.record.path().file_name().unwrap_or_default()
    }

    pub(super) fn temporary(&self) -> &OsStr {
        self.record.temporary.as_ref()
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join(self.name())
    }

    pub(super) fn is_in_place(&self) -> bool {
        self.record.in_place.is_some()
    }

    /// Returns the change, if the file is written in place.
    pub(super) fn in_place(&self) -> Option<InPlace<'_>> {
        let (region, old) = self.record.in_place.zip(self.record.before)?;
        Some(InPlace { slot: self, old, region })
    }

    /// Whether the change is complete. This is known only for exchanges. A removed file may no
    /// longer have its temporary name.
    pub(crate) fn is_applied(&self) -> io::Result<bool> {
        let is_made = !self.is_in_place() && self.stage()? == Stage::Applied;
        let is_removal =
            self.record.after.is_none() && self.record.before.is_some() && !self.is_in_place();
        Ok(is_made || is_removal && self.original_status()?.is_none())
    }

    /// Reverts the part of the change that has been made. `is_this_run` is whether this process made
    /// it.
    pub(crate) fn revert(&self, is_this_run: bool) -> io::Result<Reverted> {
        match self.in_place() {
            Some(place) => place.revert(),
            None => Ok(self.exchange_back(is_this_run)?),
        }
    }
}
