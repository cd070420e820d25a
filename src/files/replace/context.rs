//! What the steps of a commit share: how it is made, its journal, its warnings,
//! and the names that it may take beside its targets.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::sync::Arc;

use rustix::io::Errno;

use super::content::copy_span;
use super::temporary::Temporary;
use crate::error::Error;
use crate::files::history::Draft;
use crate::files::journal::Journal;
use crate::files::lock::Directory;
use crate::files::state::StateDirectory;
use crate::files::system::{self, system_error};
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
}

impl Context<'_> {
    /// Adds a warning, once.
    pub(super) fn warn(&mut self, message: &str) {
        if !self.warnings.iter().any(|warning| warning == message) {
            self.warnings.push(message.to_owned());
        }
    }

    /// Creates a file in a directory that will get a name later: without a name, or under
    /// a temporary name where files cannot be without one.
    pub(super) fn new_file(
        &mut self,
        directory: &Arc<Directory>,
        mode: u32,
    ) -> Result<Staged, Error> {
        let refused =
            [Errno::NOSPC, Errno::DQUOT, Errno::ROFS, Errno::ACCESS, Errno::PERM, Errno::MFILE];
        let gives_names = *self.gives_names.get_or_insert_with(system::can_give_names);
        match gives_names.and_then(|()| system::create_nameless(directory, mode)) {
            Ok(file) => {
                let temporary = Temporary::random(directory);
                return Ok(Staged { file, temporary, has_name: false });
            }
            Err(error) if refused.contains(&error) => return Err(no_temporary(error, directory)),
            Err(_) => {}
        }
        self.named_file(directory, mode)
    }

    fn named_file(&mut self, directory: &Arc<Directory>, mode: u32) -> Result<Staged, Error> {
        loop {
            let temporary = Temporary::random(directory);
            self.announce(&temporary)?;
            match temporary.create(mode) {
                Ok(file) => return Ok(Staged { file, temporary, has_name: true }),
                Err(Errno::EXIST) => {}
                Err(error) => return Err(no_temporary(error, directory)),
            }
        }
    }

    /// Records a temporary name that the plan does not contain, before it is taken.
    pub(super) fn announce(&mut self, temporary: &Temporary) -> Result<(), Error> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        journal
            .temporary(temporary)
            .map_err(|error| system_error("the journal cannot be written", error))
    }
}

/// A new file before it has its place.
pub(super) struct Staged {
    pub(super) file: File,
    pub(super) temporary: Temporary,
    has_name: bool,
}

impl Staged {
    /// Gives the file its temporary name. Where the system lets no nameless file have one,
    /// it is copied into another file, which lacks the attributes: then `true`.
    pub(super) fn give_name(&mut self, context: &mut Context<'_>) -> Result<bool, Error> {
        let directory = self.temporary.directory().clone();
        if self.has_name {
            return Ok(false);
        }
        match system::give_name(&self.file, &directory, self.temporary.name()) {
            Ok(()) => {
                self.has_name = true;
                Ok(false)
            }
            Err(error @ (Errno::NOSPC | Errno::DQUOT | Errno::EXIST)) => {
                Err(no_temporary(error, &directory))
            }
            Err(_) => self.copy(context, &directory).map(|()| true),
        }
    }

    fn copy(&mut self, context: &mut Context<'_>, directory: &Arc<Directory>) -> Result<(), Error> {
        let copy = context.named_file(directory, 0o600)?;
        let copied = system::status_of(&self.file).map_err(io::Error::from).and_then(|status| {
            copy_span(&self.file, Span::new(0, status.identity.size), &copy.file)?;
            if context.options.sync { Ok(system::sync(&copy.file)?) } else { Ok(()) }
        });
        *self = copy;
        copied.map_err(|error| Error::io(&error, directory.path()))
    }

    /// Removes the file.
    pub(super) fn discard(&self) {
        if self.has_name {
            // What cannot be removed now, recovery removes.
            let _ = self.temporary.clear();
        }
    }
}

fn no_temporary(error: Errno, directory: &Directory) -> Error {
    system_error("no temporary file can be made", error).at(directory.path())
}
