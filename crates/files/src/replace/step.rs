//! One file of a commit: planned, staged, applied, and finished or reverted.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use rustix::io::Errno;
use sha2::{Digest, Sha256};

use super::attributes::{self, in_place_hint};
use super::content::{Source, write_edited, writer_at};
use super::editable::{self, Editable, Mode};
use super::exchange::{none_if_missing, numbered_names};
use super::failpoints::{self, Point};
use super::in_place;
use super::places::Places;
use super::slot::Slot;
use crate::error::{Code, Error, shell_path};
use crate::history;
use crate::lock::{Directory, Locks};
use crate::records::{FileRecord, temporary_name};
use crate::roots::Roots;
use crate::system::{self, Identity, Status, system_error};
use folio_text::edit::EditSet;
use folio_text::span::Span;

/// A change of one file.
#[derive(Debug)]
pub enum FileChange {
    /// Edits a file, if it has not changed since it was opened.
    Edit {
        /// The file.
        file: Editable,
        /// The edits of the file's bytes. If there are none, the file stays unchanged.
        edits: EditSet,
    },
    /// Creates a file. The directory that [`place_of_new`] returns must be locked.
    Create {
        /// The path of the new file.
        path: PathBuf,
        /// The bytes of the new file.
        content: Vec<u8>,
        /// The permission bits of the new file. `None` for the default.
        mode: Option<u32>,
        /// The file whose owner, attributes and mode are copied to the new file.
        like: Option<Editable>,
    },
    /// Removes a file, if it has not changed since it was opened.
    Remove {
        /// The file.
        file: Editable,
    },
}

/// Returns the directory of a file that is to be created, with symlinks resolved. It must be
/// locked.
///
/// # Errors
///
/// Fails if the directory does not exist.
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
        _ => editable::with_path(error, path),
    })
}

/// The bytes of the new file.
enum NewContent {
    /// The bytes of the replaced file or of the file to back up, with edits applied.
    Edited(EditSet),
    Given(Vec<u8>),
    /// No bytes, because the old file is removed.
    None,
}

/// Maximum number of bytes of a new file that are assembled in memory.
const MAX_IN_MEMORY: u64 = 1 << 20;

impl NewContent {
    /// Returns the new bytes if they are in memory, or if they are few and the old ones are in
    /// memory. `like` is the old file.
    fn bytes(&self, like: Option<&Editable>) -> Option<Cow<'_, [u8]>> {
        match (self, like) {
            (Self::Given(bytes), _) => Some(Cow::Borrowed(bytes)),
            (Self::Edited(edits), Some(old)) if edits.new_length(old.size()) <= MAX_IN_MEMORY => {
                old.bytes().map(|bytes| Cow::Owned(edits.apply(bytes)))
            }
            _ => None,
        }
    }
}

/// The number of new lines minus the number of old lines, and the first changed line, if known.
type LineFacts = (Option<i64>, Option<u64>);

/// One file of a commit.
pub(super) struct Step {
    /// The path that the user gave.
    pub(super) given_path: PathBuf,
    pub(super) slot: Slot,
    content: NewContent,
    /// The file that is edited or removed, or the file whose owner, attributes and mode are copied
    /// to a created one.
    like: Option<Editable>,
    /// The permission bits of the new file. `None` for the default, or if `like` is set.
    mode: Option<u32>,
    /// Whether the change has begun, and may therefore have to be reverted.
    is_begun: bool,
}

impl Step {
    /// Plans a change. Returns `None` if nothing changes.
    pub(super) fn plan(
        change: FileChange,
        lines: LineFacts,
        locks: &Locks,
    ) -> Result<Option<Self>, Error> {
        let mut step = match change {
            FileChange::Edit { edits, .. } if edits.is_empty() => return Ok(None),
            FileChange::Edit { file, edits } => {
                let is_in_place = file.mode == Mode::InPlace;
                let region = is_in_place.then(|| in_place::region(&edits, file.size()));
                let mut step = Self::for_existing_file(file, NewContent::Edited(edits));
                step.slot.record.in_place = region;
                step
            }
            FileChange::Remove { file } => Self::for_existing_file(file, NewContent::None),
            FileChange::Create { path, content, mode, like } => {
                let directory = locks.find(&place_of_new(&path, locks.roots())?)?;
                let name = path.file_name().unwrap_or_default().to_owned();
                let step = Self::for_new_file(path, &directory, name, NewContent::Given(content));
                Self { like, mode, ..step }
            }
        };
        (step.slot.record.lines_delta, step.slot.record.line) = lines;
        Ok(Some(step))
    }

    /// Plans the backup of a file, under a name that does not exist. Returns a warning if this is
    /// not the usual name.
    pub(super) fn plan_backup(
        file: &Editable,
        suffix: &OsStr,
    ) -> Result<(Self, Option<String>), Error> {
        let usual = backup_name(file, suffix)?;
        let mut name = usual.clone();
        for next in numbered_names(&usual) {
            name = next;
            let found = none_if_missing(system::status_at(&file.directory, &name));
            if found.map_err(|error| Error::io(&error.into(), &file.given_path))?.is_none() {
                break;
            }
        }
        let warning = (name != usual).then(|| {
            let [usual, name] = [&usual, &name].map(|name| name.to_string_lossy());
            format!("'{usual}' already exists, so the old file is '{name}'")
        });
        let content = NewContent::Edited(EditSet::default());
        let mut step = Self::for_new_file(file.given_path.clone(), &file.directory, name, content);
        step.slot.record.is_backup = true;
        Ok((Self { like: Some(file.clone()), ..step }, warning))
    }

    fn for_existing_file(file: Editable, content: NewContent) -> Self {
        let name = file.name.clone();
        let mut step = Self::for_new_file(file.given_path.clone(), &file.directory, name, content);
        step.slot.record.before = Some(file.identity());
        step.slot.record.mode = Some(file.status.mode);
        Self { like: Some(file), ..step }
    }

    fn for_new_file(
        given_path: PathBuf,
        directory: &Arc<Directory>,
        name: OsString,
        content: NewContent,
    ) -> Self {
        let path = directory.path().join(name).into_os_string();
        let record = FileRecord { path, temporary: temporary_name(), ..FileRecord::default() };
        let slot = Slot { directory: directory.clone(), record, copy: PathBuf::new() };
        Self { given_path, slot, content, like: None, mode: None, is_begun: false }
    }

    /// Whether there will be a new file, so that the file is not removed.
    pub(super) fn makes_file(&self) -> bool {
        !matches!(self.content, NewContent::None)
    }

    /// Returns the file that is edited or removed.
    fn old_file(&self) -> Option<&Editable> {
        self.like.as_ref().filter(|_| self.slot.record.before.is_some())
    }

    fn edits(&self) -> Option<&EditSet> {
        match &self.content {
            NewContent::Edited(edits) => Some(edits),
            _ => None,
        }
    }

    /// Writes the new file, or the copy for an edit in place. If `is_kept` is set, records what the
    /// history needs, and returns the contents of the edits with context.
    pub(super) fn stage(
        &mut self,
        copy: Option<PathBuf>,
        is_kept: bool,
        sync: bool,
    ) -> Result<Vec<u8>, Error> {
        let is_in_place = self.slot.is_in_place();
        let bytes = if is_in_place { None } else { self.content.bytes(self.like.as_ref()) };
        let staged = match (&self.content, is_in_place) {
            (NewContent::None, _) => None,
            (_, false) => {
                let (file, created) = self.create()?;
                self.slot.record.after = Some(created.identity);
                let written = self.write_new((&file, &created), bytes.as_deref(), sync);
                let new = written.map_err(|error| Error::io(&error, &self.given_path))?;
                self.slot.record.after = Some(new.identity);
                Some(file)
            }
            (_, true) => {
                self.slot.copy = copy.ok_or_else(no_copy_error)?;
                let (copy, new) = self.stage_in_place(sync)?;
                self.slot.record.after = Some(new);
                Some(copy)
            }
        };
        failpoints::reached(Point::Staged)?;
        if !is_kept || self.slot.record.is_backup {
            return Ok(Vec::new());
        }
        let recorded = self.build_record(staged, bytes.as_deref());
        let (record, places) = recorded.map_err(|error| Error::io(&error, &self.given_path))?;
        self.slot.record = record;
        Ok(places)
    }

    /// Creates the temporary file, and returns it with its status.
    fn create(&self) -> Result<(File, Status), Error> {
        let is_plain = matches!(self.content, NewContent::Given(_)) && self.like.is_none();
        let mode = if is_plain && self.mode.is_none() { 0o666 } else { 0o600 };
        let failed = |error: Errno| system_error("no temporary file can be made", error);
        let slot = &self.slot;
        let created = system::create_file(&slot.directory, slot.temporary(), mode);
        let file = created.map_err(failed)?;
        let status = system::status_of(&file).inspect_err(|_| {
            let _ = system::unlink(&slot.directory, slot.temporary());
        });
        Ok((file, status.map_err(failed)?))
    }

    /// Writes the new file of an exchange, which was `created` just now, with its attributes.
    /// `bytes` are the new bytes, if they are in memory.
    fn write_new(
        &self,
        (file, created): (&File, &Status),
        bytes: Option<&[u8]>,
        sync: bool,
    ) -> io::Result<Status> {
        match (bytes, &self.content, &self.like) {
            (Some(bytes), ..) => file.write_all_at(bytes, 0)?,
            (None, NewContent::Edited(edits), Some(like)) => {
                let new_span = Span::new(0, edits.new_length(like.size()));
                let old = like.file().map_err(io::Error::other)?;
                write_edited(&old, like.size(), edits, new_span, file)?;
            }
            _ => {}
        }
        if let Some(mode) = self.mode {
            system::set_mode(file, mode)?;
        }
        if let Some(like) = &self.like {
            let attributes = like.attributes().map_err(io::Error::other)?;
            let carried = attributes::carry_over((&like.status, &attributes), (file, created));
            carried.map_err(io::Error::other)?;
            if self.slot.record.is_backup {
                let (seconds, nanoseconds) = like.identity().mtime;
                let since = Duration::new(u64::try_from(seconds).unwrap_or(0), nanoseconds);
                file.set_modified(UNIX_EPOCH + since)?;
            }
        }
        if sync {
            system::sync(file)?;
        }
        Ok(system::status_of(file)?)
    }

    /// Writes the copy for an edit in place. Returns the copy, and the identity of the edited file.
    fn stage_in_place(&self, sync: bool) -> Result<(File, Identity), Error> {
        let (Some(place), Some(old), Some(edits)) =
            (self.slot.in_place(), self.old_file(), self.edits())
        else {
            return Err(no_copy_error());
        };
        let staged = place.write_copy(&*old.file()?, edits, sync);
        let copy =
            staged.map_err(|error| system_error("no recovery copy of it can be made", error))?;
        // The time of the write is not yet known.
        let size = edits.new_length(old.size());
        Ok((copy, Identity { size, mtime: (0, 0), ..old.identity() }))
    }

    /// Returns the record with what the history needs, and the contents of the edits with context.
    /// `new` contains the new bytes, or is `None` if the file is removed. `bytes` are the new
    /// bytes, if they are in memory. For a removed file, all bytes are recorded.
    fn build_record(
        &self,
        new: Option<File>,
        bytes: Option<&[u8]>,
    ) -> io::Result<(FileRecord, Vec<u8>)> {
        let spans = self.edits().map(EditSet::new_spans).unwrap_or_default();
        let removed = self.removed_spans();
        let mut record = self.slot.record.clone();
        let (Some(file), Some(after)) = (new, record.after) else {
            record.edits = removed.iter().map(|span| (0, 0, span.len())).collect();
            record.line = None;
            return Ok((record, Vec::new()));
        };
        let edits = spans.iter().zip(&removed);
        record.edits = edits.map(|(new, old)| (new.start(), new.len(), old.len())).collect();
        let mut source = match bytes {
            Some(bytes) => Source::of_bytes(bytes),
            None => Source::new(&file)?,
        };
        record.sha256 = source.hash(&history::hashed_spans(after.size, &spans))?;
        let places = Places::read(&mut source, after.size, &spans)?;
        record.around = places.around;
        record.alike = places.alike;
        Ok((record, places.bytes))
    }

    /// Returns the spans of the old file that are removed.
    fn removed_spans(&self) -> Vec<Span> {
        match (self.old_file(), self.edits()) {
            (None, _) => Vec::new(),
            (_, Some(edits)) => edits.edits().iter().map(|edit| edit.span).collect(),
            (Some(old), None) => vec![Span::new(0, old.size())],
        }
    }

    /// Makes the change if the file has not changed since it was opened. Returns `false` if the
    /// file system cannot exchange files, and the old file was replaced instead, which requires
    /// `may_replace`.
    pub(super) fn apply(&mut self, may_replace: bool, sync: bool) -> Result<bool, Error> {
        let slot = &self.slot;
        let old = self.like.as_ref().filter(|_| slot.record.before.is_some());
        let (Some(place), Some(old)) = (slot.in_place(), old) else {
            if let Some(old) = old {
                check_unchanged(slot, old)?;
            }
            failpoints::reached(Point::Compared)?;
            self.is_begun = true;
            let exchanged = slot.exchange(may_replace);
            let is_exchanged = exchanged.map_err(|error| exchange_error(error, slot))?;
            failpoints::reached(Point::Exchanged)?;
            if let (Some(old), true) = (old, is_exchanged) {
                check_old(slot, old)?;
            }
            return Ok(is_exchanged);
        };
        let failed = |error: Errno| Error::io(&error.into(), &self.given_path);
        let file = old.file()?;
        let now = system::status_of(&file).map_err(failed)?;
        if (now.identity, now.ctime) != (old.status.identity, old.status.ctime) {
            return Err(Error::changed());
        }
        old.check_bytes(&old.name)?;
        check_name(old)?;
        failpoints::reached(Point::Compared)?;
        self.is_begun = true;
        place.write(&file)?;
        if sync {
            system::sync(&*file).map_err(failed)?;
        }
        check_name(old)?;
        failpoints::reached(Point::Exchanged).map(|()| true)
    }

    /// Reverts the part of the change that has been made. Returns a sentence for the user if the
    /// file is not exactly as before.
    pub(super) fn revert(&self) -> io::Result<Option<String>> {
        match (self.is_begun, self.slot.record.after) {
            (true, _) => Ok(self.slot.revert(true)?.sentence()),
            // This run created the temporary file.
            (false, Some(_)) if !self.slot.is_in_place() => {
                Ok(self.slot.remove_aside().map(|()| None)?)
            }
            _ => Ok(None),
        }
    }
}

/// Fails if the file that now has this name is not the one that was opened.
fn check_unchanged(slot: &Slot, old: &Editable) -> Result<(), Error> {
    match slot.original_status().map_err(|error| editable::compare_error(error.into()))? {
        Some(now) if editable::is_unchanged(&now, &old.status) => old.check_bytes(&old.name),
        _ => Err(Error::changed()),
    }
}

/// Fails if the file that was replaced is not the one that was opened.
fn check_old(slot: &Slot, old: &Editable) -> Result<(), Error> {
    match slot.temporary_status().map_err(|error| editable::compare_error(error.into()))? {
        None => Ok(()),
        Some(aside) if editable::has_same_facts(&aside, &old.status) => {
            old.check_bytes(slot.temporary())
        }
        Some(_) => Err(Error::changed()),
    }
}

/// Fails if another file now has the name of a file that is written in place.
fn check_name(old: &Editable) -> Result<(), Error> {
    match system::status_at(&old.directory, &old.name) {
        Ok(named) if named.is_same_file(&old.status) => Ok(()),
        Ok(_) | Err(Errno::NOENT) => Err(Error::changed()),
        Err(error) => Err(editable::compare_error(error.into())),
    }
}

fn backup_name(file: &Editable, suffix: &OsStr) -> Result<OsString, Error> {
    let mut name = file.name.clone();
    name.push(suffix);
    if suffix.is_empty() || Path::new(&name).file_name() != Some(OsStr::new(&name)) {
        let suffix = suffix.to_string_lossy();
        return Err(Error::usage(format!("'{suffix}' is no suffix for the name of a backup")));
    }
    Ok(name)
}

fn exchange_error(error: Errno, slot: &Slot) -> Error {
    match (slot.record.before, slot.record.after, error) {
        (None, _, Errno::EXIST) => Error::new(Code::InvalidArgument, "it exists already"),
        (None, ..) => system_error("it cannot be created", error),
        (_, _, Errno::NOENT) => Error::changed(),
        (_, None, _) => system_error("it cannot be removed", error),
        (_, _, Errno::BUSY) => editable::mount_point_error(),
        _ if system::is_lacking(error) => {
            let message =
                "its file system cannot exchange files, so several cannot be changed at once";
            Error::new(Code::IoError, message).hint(in_place_hint())
        }
        _ => system_error("another file cannot take its place", error).hint(in_place_hint()),
    }
}

fn no_copy_error() -> Error {
    Error::new(Code::IoError, "there is no place for a recovery copy of it")
        .hint("set XDG_STATE_HOME to a directory that can be written")
}

/// Returns the number of bytes that steps remove, and the number of places at which they remove
/// bytes.
pub(super) fn removed_length(steps: &[Step]) -> (u64, u64) {
    let spans = steps.iter().flat_map(Step::removed_spans);
    spans.fold((0, 0), |(removed, count), span| (removed + span.len(), count + 1))
}

/// Writes the removed bytes of all steps, and then `places`, at an offset of a file. Returns the
/// checksum of all these bytes.
pub(super) fn write_kept(
    steps: &[Step],
    places: &[Vec<u8>],
    file: &File,
    at: u64,
) -> io::Result<String> {
    let mut sum = Sha256::new();
    let mut sink = writer_at(file, at)?;
    let mut put = |bytes: &[u8]| {
        sum.update(bytes);
        sink.write_all(bytes)
    };
    for step in steps {
        let Some(old) = step.old_file() else { continue };
        old.with_source(|source| {
            step.removed_spans()
                .into_iter()
                .try_for_each(|span| source.for_each_piece(span, &mut put))
        })?;
    }
    places.iter().try_for_each(|bytes| put(bytes))?;
    sink.flush()?;
    Ok(history::hex_digits(sum))
}
