//! The change of one file on disk, by either method, as a run and a recovery handle it.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::exchange::{Exchange, Reverted, Stage, is_temporary_name};
use super::in_place::InPlace;
use crate::files::lock::Directory;
use crate::files::records::{Identity, Name, Region, StepRecord};

/// The change of one file.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    /// Another file takes its place.
    Exchange(Exchange),
    /// The file itself is written to.
    InPlace(InPlace),
}

/// Whether a region is part of a file of `size` bytes.
fn is_possible(region: Region, size: u64) -> bool {
    let is_within = region.start.checked_add(region.old).is_some_and(|end| end <= size);
    is_within && size.checked_add(region.new).is_some()
}

impl Slot {
    /// The change that a record describes; `copy` is its copy in the state directory.
    ///
    /// # Errors
    ///
    /// Fails if no run can have written the record.
    pub(crate) fn of_record(
        record: &StepRecord,
        new: Option<Identity>,
        directory: Arc<Directory>,
        copy: PathBuf,
    ) -> io::Result<Self> {
        let (name, old) = (record.name.0.clone(), record.old);
        match (record.in_place, old) {
            (Some(region), Some(old)) if is_possible(region, old.size) => {
                Ok(Self::InPlace(InPlace { directory, name, old, region, copy }))
            }
            (None, _) if is_temporary_name(&record.temporary) => {
                let temporary = record.temporary.clone().into();
                Ok(Self::Exchange(Exchange { directory, name, temporary, old, new }))
            }
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    /// The record of the change.
    pub(super) fn record(&self, is_backup: bool) -> StepRecord {
        let (directory, name, temporary, old, in_place) = match self {
            Self::Exchange(Exchange { directory, name, temporary, old, .. }) => {
                (directory, name, temporary.to_string_lossy().into_owned(), *old, None)
            }
            Self::InPlace(InPlace { directory, name, old, region, .. }) => {
                (directory, name, String::new(), Some(*old), Some(*region))
            }
        };
        let (directory, name) = (Name::from(directory.path()), Name::from(name.as_os_str()));
        StepRecord { directory, name, temporary, old, in_place, is_backup }
    }

    /// Determines the progress from the files.
    pub(crate) fn stage(&self) -> io::Result<Stage> {
        match self {
            Self::Exchange(exchange) => Ok(exchange.stage()?),
            Self::InPlace(place) => place.stage_now(),
        }
    }

    /// Reverts the change as far as it is made. `is_own_run` is whether this process made it.
    pub(crate) fn revert(&self, is_own_run: bool) -> io::Result<Reverted> {
        match self {
            Self::Exchange(exchange) => Ok(exchange.revert(is_own_run)?),
            Self::InPlace(place) => place.revert(),
        }
    }

    /// Removes the old file after all changes. If another program wrote to it, it is kept, and its
    /// path returned.
    pub(crate) fn finish(&self) -> io::Result<Option<PathBuf>> {
        match self {
            Self::Exchange(exchange) => Ok(exchange.finish()?),
            Self::InPlace(_) => Ok(None),
        }
    }

    /// Removes the new file of a change that was not recorded completely, and so not made.
    pub(crate) fn discard(&self) -> io::Result<()> {
        match self {
            Self::Exchange(exchange) => Ok(exchange.discard()?),
            Self::InPlace(_) => Ok(()),
        }
    }
}
