//! Files that come and files that go: a new one gets its name when all of its
//! bytes are there, and one that goes is looked at once more when it has lost
//! its name.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use super::attributes;
use super::context::Context;
use super::editable::{self, Editable};
use super::failpoints::{self, Point};
use super::swap::is_as_read;
use super::temporary::{Note, Temporary};
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
    pub(super) file: File,
    like: Option<Editable>,
    temporary: Option<Temporary>,
    is_there: bool,
}

/// The directory of a file that is to be created, links followed: it must be locked.
///
/// Fails where there is none.
pub fn place_of_new(path: &Path, roots: &Roots) -> Result<PathBuf, Error> {
    roots.check_shown(path)?;
    let absolute = roots.absolute(path)?;
    let (Some(directory), Some(_)) = (absolute.parent(), path.file_name()) else {
        return Err(Error::usage("that is no name for a file").at(path));
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
        let (file, temporary, mut after) = Self::fill(&directory, &name, content, mode, context)?;
        if let Err(error) = give_attributes(like.as_ref(), &file, &mut after) {
            let _ = temporary.map(|temporary| temporary.clear());
            return Err(error);
        }
        Ok(Self {
            asked: path.to_owned(),
            resolved: directory.path().join(&name),
            directory,
            name,
            after,
            file,
            like,
            temporary,
            is_there: false,
        })
    }

    fn fill(
        directory: &Arc<Directory>,
        name: &OsStr,
        content: &[u8],
        mode: Option<u32>,
        context: &mut Context<'_>,
    ) -> Result<(File, Option<Temporary>, Status), Error> {
        let (file, temporary) = context.new_file(directory, name, mode.map_or(0o666, |_| 0o600))?;
        let filled = (|| {
            file.write_all_at(content, 0)?;
            if let Some(mode) = mode {
                system::set_mode(&file, mode)?;
            }
            if context.options.sync {
                system::sync(&file)?;
            }
            system::status_of(&file).map_err(io::Error::from)
        })();
        let filled = filled.map_err(|error| Error::io(&error, directory.path()));
        match filled.and_then(|after| failpoints::reached(Point::Staged).map(|()| after)) {
            Ok(after) => Ok((file, temporary, after)),
            Err(error) => {
                // What cannot be taken away now, the next run takes away.
                let _ = temporary.map(|temporary| temporary.clear());
                Err(error)
            }
        }
    }

    /// Says beside the temporary name, if there is one, what is in it.
    pub(super) fn ready(&self, context: &Context<'_>) -> Result<(), Error> {
        let Some(temporary) = &self.temporary else { return Ok(()) };
        temporary.annotate(&Note {
            commit: context.commit_name(),
            new: self.after.identity.inode,
            old: None,
            name: self.name.clone(),
            backup: None,
        })
    }

    /// Gives it its name, which must be free.
    pub(super) fn apply(&mut self, context: &mut Context<'_>) -> Result<(), Error> {
        failpoints::reached(Point::Compared)?;
        let mut named = match &self.temporary {
            None => system::give_name(&self.file, &self.directory, &self.name),
            Some(_) => Err(Errno::PERM),
        };
        if !matches!(named, Ok(()) | Err(Errno::EXIST | Errno::NOSPC | Errno::DQUOT)) {
            let temporary = self.temporary_of_copy(context)?;
            named = system::rename_to_free(&self.directory, &temporary.name(), &self.name);
        }
        match named {
            Ok(()) => {
                self.is_there = true;
                failpoints::reached(Point::Exchanged)
            }
            Err(Errno::EXIST) => Err(Error::new(Code::InvalidArgument, "it exists already")),
            Err(error) => Err(system_error("it cannot be created", error)),
        }
    }

    /// The temporary name that it is in, or that it is copied into where a file that has
    /// no name cannot be given one.
    fn temporary_of_copy(&mut self, context: &mut Context<'_>) -> Result<Temporary, Error> {
        if let Some(temporary) = &self.temporary {
            return Ok(temporary.clone());
        }
        let (file, temporary) =
            context.copy_under_temporary(&self.directory, &self.name, &self.file, 0o600)?;
        system::set_mode(&file, self.after.mode)
            .map_err(|error| system_error("it cannot be created", error))?;
        self.after = system::status_of(&file)
            .map_err(|error| system_error("it cannot be compared", error))?;
        self.file = file;
        self.temporary = Some(temporary.clone());
        give_attributes(self.like.as_ref(), &self.file, &mut self.after)?;
        self.ready(context)?;
        Ok(temporary)
    }

    /// Takes its name away again; `false` where another program has changed it
    /// since, and it stays.
    pub(super) fn take_back(&mut self, context: &mut Context<'_>) -> Result<bool, Error> {
        if self.is_there {
            self.is_there = false;
            match system::status_at(&self.directory, &self.name) {
                Ok(now) if now.identity == self.after.identity => {}
                Ok(_) | Err(Errno::NOENT) => return Ok(false),
                Err(error) => return Err(editable::unread(error.into())),
            }
            let mut removal = Removal::of(&self.directory, self.name.clone(), self.after);
            removal.ready(context)?;
            if let Err(error) = removal.apply() {
                let _ = removal.take_back();
                return if error.code == Code::FileChanged { Ok(false) } else { Err(error) };
            }
            removal.finish().map_err(|error| system_error("it cannot be taken back", error))?;
        }
        self.discard();
        Ok(true)
    }

    /// Takes away what was staged.
    pub(super) fn discard(&self) {
        if !self.is_there {
            // What cannot be taken away now, the next run takes away.
            let _ = self.temporary.as_ref().map(Temporary::clear);
        }
    }

    /// Takes the note away.
    pub(super) fn finish(&self) -> Result<(), Errno> {
        self.temporary.as_ref().map_or(Ok(()), Temporary::release)
    }
}

/// Gives a new file what the one has that it is like.
fn give_attributes(like: Option<&Editable>, file: &File, after: &mut Status) -> Result<(), Error> {
    let Some(like) = like else { return Ok(()) };
    let lost = |error| Error { hints: Vec::new(), ..error };
    attributes::carry_over(&like.file, &like.status, file).map_err(lost)?;
    *after =
        system::status_of(file).map_err(|error| system_error("it cannot be compared", error))?;
    Ok(())
}

/// A file that goes.
pub(super) struct Removal {
    pub(super) directory: Arc<Directory>,
    pub(super) name: OsString,
    pub(super) status: Status,
    pub(super) temporary: Option<Temporary>,
    is_gone: bool,
}

impl Removal {
    /// Of a file in this state.
    pub(super) fn of(directory: &Arc<Directory>, name: OsString, status: Status) -> Self {
        Self { directory: directory.clone(), name, status, temporary: None, is_gone: false }
    }

    /// Takes a temporary name for it.
    pub(super) fn ready(&mut self, context: &mut Context<'_>) -> Result<(), Error> {
        let note = Note {
            commit: context.commit_name(),
            new: 0,
            old: Some(self.status.identity),
            name: self.name.clone(),
            backup: None,
        };
        self.temporary = Some(context.claim_with(&self.directory, &note)?);
        Ok(())
    }

    /// Takes its name away.
    pub(super) fn apply(&mut self) -> Result<(), Error> {
        failpoints::reached(Point::Compared)?;
        let Some(temporary) = &self.temporary else {
            return Err(Error::new(Code::IoError, "there is no new file to put in its place"));
        };
        match system::rename_to_free(&self.directory, &self.name, &temporary.name()) {
            Ok(()) => self.is_gone = true,
            Err(Errno::NOENT) => return Err(editable::changed()),
            Err(error) => return Err(system_error("it cannot be removed", error)),
        }
        failpoints::reached(Point::Exchanged)?;
        let out =
            temporary.status().map_err(|error| system_error("it cannot be compared", error))?;
        if is_as_read(&out, &self.status) { Ok(()) } else { Err(editable::changed()) }
    }

    /// Gives it its name back; `false` where another has the name by now.
    pub(super) fn take_back(&mut self) -> Result<bool, Errno> {
        let Some(temporary) = &self.temporary else { return Ok(true) };
        if self.is_gone {
            match system::rename_to_free(&self.directory, &temporary.name(), &self.name) {
                Err(Errno::EXIST) => return Ok(false),
                renamed => renamed?,
            }
            self.is_gone = false;
        }
        temporary.release().map(|()| true)
    }

    /// Takes it away for good.
    pub(super) fn finish(&self) -> Result<(), Errno> {
        self.temporary.as_ref().map_or(Ok(()), Temporary::clear)
    }
}
