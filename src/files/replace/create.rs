//! Files that come and files that go: a new one gets its name when all of its
//! bytes are there, and one that goes is looked at once more when it has lost
//! its name.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use super::attributes;
use super::context::{Context, Staged};
use super::editable::{self, Editable};
use super::failpoints::{self, Point};
use super::swap::is_as_read;
use super::temporary::Temporary;
use crate::error::{Code, Error, shell_path};
use crate::files::lock::{Directory, Locks};
use crate::files::roots::Roots;
use crate::files::system::{self, Status, system_error};

/// A file that comes.
pub(super) struct Creation {
    pub(super) asked: PathBuf,
    pub(super) resolved: PathBuf,
    pub(super) directory: Arc<Directory>,
    pub(super) name: OsString,
    /// What it is.
    pub(super) after: Status,
    pub(super) new: Staged,
    like: Option<Editable>,
    is_there: bool,
}

/// The directory of a file that is to be created, links followed: it must be locked.
///
/// Fails where there is none.
pub fn place_of_new(path: &Path, roots: &Roots) -> Result<PathBuf, Error> {
    roots.check_shown(path)?;
    let absolute = roots.absolute(path)?;
    let (Some(directory), Some(_)) = (absolute.parent(), path.file_name()) else {
        return Err(Error::usage("that is not a valid file name").at(path));
    };
    roots.resolve(directory).map_err(|error| match error.code {
        Code::NotFound => {
            let directory = roots.on_disk(path.parent().unwrap_or(path));
            Error::new(Code::NotFound, "its directory does not exist")
                .at(path)
                .hint(format!("mkdir -p {}", shell_path(&directory)))
        }
        _ => Error { path: Some(path.to_owned()), ..error },
    })
}

impl Creation {
    /// Writes a new file that has no name yet.
    pub(super) fn stage(
        path: &Path,
        content: &[u8],
        mode: Option<u32>,
        like: Option<Editable>,
        locks: &Locks,
        context: &mut Context<'_>,
    ) -> Result<Self, Error> {
        let directory = locks.find(&place_of_new(path, locks.roots())?)?;
        let name = path.file_name().unwrap_or_default().to_owned();
        let mode = mode.or(like.as_ref().map(|like| like.status.mode));
        let new = context.new_file(&directory, mode.map_or(0o666, |_| 0o600))?;
        let filled = fill(&new.file, content, mode, context.options.sync)
            .map_err(|error| Error::io(&error, directory.path()))
            .and_then(|after| failpoints::reached(Point::Staged).map(|()| after))
            .and_then(|after| give_attributes(like.as_ref(), &new.file, after));
        let after = filled.inspect_err(|_| new.discard())?;
        Ok(Self {
            asked: path.to_owned(),
            resolved: directory.path().join(&name),
            directory,
            name,
            after,
            new,
            like,
            is_there: false,
        })
    }

    /// Gives it its temporary name.
    pub(super) fn ready(&mut self, context: &mut Context<'_>) -> Result<(), Error> {
        if self.new.give_name(context)? {
            system::set_mode(&self.new.file, self.after.mode)
                .map_err(|error| system_error("it cannot be created", error))?;
            let after = system::status_of(&self.new.file).map_err(not_compared)?;
            self.after = give_attributes(self.like.as_ref(), &self.new.file, after)?;
        }
        Ok(())
    }

    /// Gives it its name, which must be free.
    pub(super) fn apply(&mut self) -> Result<(), Error> {
        failpoints::reached(Point::Compared)?;
        let temporary = self.new.temporary.name();
        match system::rename_to_free(&self.directory, temporary, &self.name) {
            Ok(()) => {
                self.is_there = true;
                failpoints::reached(Point::Exchanged)
            }
            Err(Errno::EXIST) => Err(Error::new(Code::InvalidArgument, "it exists already")),
            Err(error) => Err(system_error("it cannot be created", error)),
        }
    }

    /// Takes its name away again; `false` where another program has changed it
    /// since, and it stays.
    pub(super) fn take_back(&mut self) -> Result<bool, Error> {
        if self.is_there {
            self.is_there = false;
            match system::status_at(&self.directory, &self.name) {
                Ok(now) if now.identity == self.after.identity => {}
                Ok(_) | Err(Errno::NOENT) => return Ok(false),
                Err(error) => return Err(editable::unread(error.into())),
            }
            let mut removal = Removal {
                temporary: self.new.temporary.clone(),
                ..Removal::of(&self.directory, self.name.clone(), self.after)
            };
            if let Err(error) = removal.apply() {
                let _ = removal.take_back();
                return if error.code == Code::FileChanged { Ok(false) } else { Err(error) };
            }
            removal.finish().map_err(|error| system_error("it cannot be undone", error))?;
        }
        self.discard();
        Ok(true)
    }

    /// Takes away what was staged.
    pub(super) fn discard(&self) {
        if !self.is_there {
            self.new.discard();
        }
    }
}

fn fill(file: &File, content: &[u8], mode: Option<u32>, sync: bool) -> io::Result<Status> {
    file.write_all_at(content, 0)?;
    if let Some(mode) = mode {
        system::set_mode(file, mode)?;
    }
    if sync {
        system::sync(file)?;
    }
    Ok(system::status_of(file)?)
}

/// Gives a new file what the one has that it is like.
fn give_attributes(like: Option<&Editable>, file: &File, after: Status) -> Result<Status, Error> {
    let Some(like) = like else { return Ok(after) };
    let lost = |error| Error { hints: Vec::new(), ..error };
    attributes::carry_over(&like.file, &like.status, file).map_err(lost)?;
    system::status_of(file).map_err(not_compared)
}

fn not_compared(error: Errno) -> Error {
    system_error("it cannot be compared", error)
}

/// A file that goes.
pub(super) struct Removal {
    pub(super) directory: Arc<Directory>,
    pub(super) name: OsString,
    pub(super) status: Status,
    pub(super) temporary: Temporary,
    is_gone: bool,
}

impl Removal {
    /// Of a file in this state.
    pub(super) fn of(directory: &Arc<Directory>, name: OsString, status: Status) -> Self {
        let temporary = Temporary::random(directory);
        Self { directory: directory.clone(), name, status, temporary, is_gone: false }
    }

    /// Takes its name away.
    pub(super) fn apply(&mut self) -> Result<(), Error> {
        failpoints::reached(Point::Compared)?;
        let temporary = &self.temporary;
        match system::rename_to_free(&self.directory, &self.name, temporary.name()) {
            Ok(()) => self.is_gone = true,
            Err(Errno::NOENT) => return Err(editable::changed()),
            Err(error) => return Err(system_error("it cannot be removed", error)),
        }
        failpoints::reached(Point::Exchanged)?;
        let out = temporary.status().map_err(not_compared)?;
        if is_as_read(&out, &self.status) { Ok(()) } else { Err(editable::changed()) }
    }

    /// Gives it its name back; `false` where another has the name by now.
    pub(super) fn take_back(&mut self) -> Result<bool, Errno> {
        if self.is_gone {
            match system::rename_to_free(&self.directory, self.temporary.name(), &self.name) {
                Err(Errno::EXIST) => return Ok(false),
                renamed => renamed?,
            }
            self.is_gone = false;
        }
        Ok(true)
    }

    /// Takes it away for good.
    pub(super) fn finish(&self) -> Result<(), Errno> {
        self.temporary.clear()
    }
}
