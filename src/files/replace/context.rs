//! What the steps of a commit share: how it is made, its journal, its warnings,
//! and the names that it may take beside its targets.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::sync::Arc;

use rustix::io::Errno;

use super::content::copy_span;
use super::temporary::{Note, Temporary};
use crate::error::Error;
use crate::files::history::Draft;
use crate::files::journal::{self, Journal};
use crate::files::lock::Directory;
use crate::files::state::StateDirectory;
use crate::files::system::{self, FileId, system_error};
use crate::text::span::Span;

/// How changes are made.
#[derive(Clone, Debug)]
pub struct CommitOptions {
    /// Whether everything is on the disk before a commit ends.
    pub sync: bool,
    /// The suffix of the name under which each old file is kept.
    pub backup: Option<OsString>,
    /// What the history calls this; `None` leaves it out of the history.
    pub history: Option<Draft>,
    /// Whether nothing is changed that the history cannot hold.
    pub needs_history: bool,
    /// Where history and journals are. Without it nothing can be undone,
    /// nothing can be written in place, and what a crash leaves of several
    /// changes cannot be put in order.
    pub state: Option<StateDirectory>,
}

impl Default for CommitOptions {
    fn default() -> Self {
        Self { sync: true, backup: None, history: None, needs_history: true, state: None }
    }
}

/// What the steps of a commit share.
pub(super) struct Context<'a> {
    pub(super) options: &'a CommitOptions,
    pub(super) journal: Option<Journal>,
    /// Whether there are several changes.
    pub(super) is_transaction: bool,
    pub(super) warnings: Vec<String>,
    /// Whether files without a name can be given one, once that was asked.
    pub(super) gives_names: Option<Result<(), Errno>>,
    /// The next temporary name of each directory.
    pub(super) next: HashMap<FileId, u32>,
}

impl Context<'_> {
    /// Adds a warning, once.
    pub(super) fn warn(&mut self, message: &str) {
        if !self.warnings.iter().any(|warning| warning == message) {
            self.warnings.push(message.to_owned());
        }
    }

    /// What the notes of temporary names call the commit: only one that needs its plan
    /// to be put in order.
    pub(super) fn commit_name(&self) -> Option<String> {
        let journal = self.journal.as_ref().filter(|_| self.is_transaction);
        journal.map(|journal| journal.name().to_owned())
    }

    /// A new file in a directory, which is to have a name: without one, or else under a
    /// temporary name.
    pub(super) fn new_file(
        &mut self,
        directory: &Arc<Directory>,
        name: &OsStr,
        mode: u32,
    ) -> Result<(File, Option<Temporary>), Error> {
        let refused =
            [Errno::NOSPC, Errno::DQUOT, Errno::ROFS, Errno::ACCESS, Errno::PERM, Errno::MFILE];
        let gives_names = *self.gives_names.get_or_insert_with(system::can_give_names);
        match gives_names.and_then(|()| system::create_nameless(directory, mode)) {
            Ok(file) => return Ok((file, None)),
            Err(error) if refused.contains(&error) => {
                return Err(system_error("no temporary file can be made", error));
            }
            Err(_) => {}
        }
        self.named_file(directory, name, mode).map(|(file, temporary)| (file, Some(temporary)))
    }

    fn named_file(
        &mut self,
        directory: &Arc<Directory>,
        name: &OsStr,
        mode: u32,
    ) -> Result<(File, Temporary), Error> {
        let (file, temporary) = self.claim(directory, |temporary| temporary.create(mode))?;
        let noted = system::status_of(&file)
            .map_err(|error| system_error("no temporary file can be made", error))
            .and_then(|status| {
                // While it is empty: whoever finds it later knows that it is ours.
                temporary.annotate(&Note {
                    commit: self.commit_name(),
                    new: status.identity.inode,
                    old: None,
                    name: name.to_owned(),
                    backup: None,
                })
            });
        match noted {
            Ok(()) => Ok((file, temporary)),
            Err(error) => {
                let _ = temporary.clear();
                Err(error)
            }
        }
    }

    /// A copy of a staged file under a temporary name, where a file that has no name cannot
    /// be given one.
    pub(super) fn copy_under_temporary(
        &mut self,
        directory: &Arc<Directory>,
        name: &OsStr,
        staged: &File,
        mode: u32,
    ) -> Result<(File, Temporary), Error> {
        let (copy, temporary) = self.named_file(directory, name, mode)?;
        let copied = system::status_of(staged).map_err(io::Error::from).and_then(|status| {
            copy_span(staged, Span::new(0, status.identity.size), &copy)?;
            if self.options.sync { Ok(system::sync(&copy)?) } else { Ok(()) }
        });
        match copied {
            Ok(()) => Ok((copy, temporary)),
            Err(error) => {
                // What cannot be taken away now, the next run takes away.
                let _ = temporary.clear();
                Err(Error::io(&error, directory.path()))
            }
        }
    }

    /// A temporary name in a directory, with a note of what it is for.
    pub(super) fn claim_with(
        &mut self,
        directory: &Arc<Directory>,
        note: &Note,
    ) -> Result<Temporary, Error> {
        self.claim(directory, |temporary| temporary.take(note)).map(|((), temporary)| temporary)
    }

    fn claim<T>(
        &mut self,
        directory: &Arc<Directory>,
        take: impl Fn(&Temporary) -> Result<T, Errno>,
    ) -> Result<(T, Temporary), Error> {
        let state = self.options.state.as_ref();
        let is_live = |name: &str| journal::is_unfinished(state, name);
        let next = self.next.entry(directory.id()).or_default();
        let claimed = Temporary::claim(directory, *next, &take, &is_live, &mut self.warnings)?;
        *next = claimed.1.number() + 1;
        Ok(claimed)
    }
}
