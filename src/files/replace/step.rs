//! One file of a commit: planned, staged, applied, and finished or reverted.

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
use super::content::{Source, hash_spans, sink, write_edited};
use super::editable::{self, Editable, Mode};
use super::exchange::{Exchange, Reverted, existing, numbered, temporary_name};
use super::failpoints::{self, Point};
use super::in_place::{self, InPlace};
use super::places::Places;
use super::slot::Slot;
use crate::error::{Code, Error, shell_path};
use crate::files::history;
use crate::files::journal::Journal;
use crate::files::lock::{Directory, Locks};
use crate::files::records::{FileRecord, Hashed, StepRecord};
use crate::files::roots::Roots;
use crate::files::system::{self, Identity, Status, system_error};
use crate::text::edit::EditSet;
use crate::text::span::Span;

/// A change of one file.
#[derive(Debug)]
pub enum Change {
    /// Edits a file as it was when it was opened.
    Edit {
        /// The file.
        file: Editable,
        /// The edits of its bytes. Without any, the file stays unchanged.
        edits: EditSet,
    },
    /// Creates a file. The directory that [`place_of_new`] returns must be locked.
    Create {
        /// Its path.
        path: PathBuf,
        /// Its bytes.
        content: Vec<u8>,
        /// Its permission bits, if they are not those of new files.
        mode: Option<u32>,
        /// A file whose owner, attributes and mode it gets.
        like: Option<Editable>,
    },
    /// Removes a file as it was when it was opened.
    Remove {
        /// The file.
        file: Editable,
    },
}

/// Why a change that should be reverted stays.
const CHANGED: &str = "it was changed by another program since, and stays as that left it";

/// The directory of a file that is to be created, with symlinks resolved. It must be locked.
///
/// # Errors
///
/// Fails if it does not exist.
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
        _ => editable::of_path(error, path),
    })
}

/// The new file.
enum New {
    /// The old file after edits.
    Edited(EditSet),
    /// A copy of another file of the commit, before its edits.
    Backup(Editable),
    Given {
        content: Vec<u8>,
        mode: Option<u32>,
        like: Option<Editable>,
    },
    /// There is none: the old file is removed.
    None,
}

impl New {
    fn edits(&self) -> Option<&EditSet> {
        let Self::Edited(edits) = self else { return None };
        Some(edits)
    }
}

/// New lines minus old ones, and the first changed line, if known.
type LineFacts = (Option<i64>, Option<u64>);

/// One file of a commit.
pub(super) struct Step {
    /// The path that the user gave.
    pub(super) asked: PathBuf,
    resolved: PathBuf,
    /// The file that is edited or removed.
    old: Option<Editable>,
    slot: Slot,
    new: New,
    /// Whether its temporary file was created.
    is_staged: bool,
    /// Whether the change was begun, so that it may have to be reverted.
    is_begun: bool,
    lines: LineFacts,
}

impl Step {
    /// Plans a change; `None` if nothing changes.
    pub(super) fn plan(
        change: Change,
        lines: LineFacts,
        locks: &Locks,
    ) -> Result<Option<Self>, Error> {
        let (asked, old, new) = match change {
            Change::Edit { edits, .. } if edits.is_empty() => return Ok(None),
            Change::Edit { file, edits } => (file.asked.clone(), Some(file), New::Edited(edits)),
            Change::Remove { file } => (file.asked.clone(), Some(file), New::None),
            Change::Create { path, content, mode, like } => {
                let directory = locks.find(&place_of_new(&path, locks.roots())?)?;
                let name = path.file_name().unwrap_or_default().to_owned();
                let new = New::Given { content, mode, like };
                return Ok(Some(Self { lines, ..Self::of_new(path, &directory, name, new) }));
            }
        };
        let Some(file) = &old else { return Ok(None) };
        let (directory, name) = (file.directory.clone(), file.name.clone());
        let slot = match &new {
            New::Edited(edits) if file.mode == Mode::InPlace => {
                let (old, region) = (file.identity(), in_place::region(edits, file.size()));
                Slot::InPlace(InPlace { directory, name, old, region, copy: PathBuf::new() })
            }
            _ => {
                let (temporary, old) = (temporary_name().into(), Some(file.identity()));
                Slot::Exchange(Exchange { directory, name, temporary, old, new: None })
            }
        };
        let resolved = file.resolved.clone();
        let (is_staged, is_begun) = (false, false);
        Ok(Some(Self { asked, resolved, old, slot, new, is_staged, is_begun, lines }))
    }

    /// Plans the backup of a file, under a name that is free now. Returns a warning if that is not
    /// the usual one.
    pub(super) fn plan_backup(
        file: &Editable,
        suffix: &OsStr,
    ) -> Result<(Self, Option<String>), Error> {
        let usual = backup_name(file, suffix)?;
        let mut name = usual.clone();
        for next in numbered(&usual) {
            name = next;
            let found = existing(system::status_at(&file.directory, &name));
            if found.map_err(|error| Error::io(&error.into(), &file.asked))?.is_none() {
                break;
            }
        }
        let warning = (name != usual).then(|| {
            let [usual, name] = [&usual, &name].map(|name| name.to_string_lossy());
            format!("'{usual}' is there already: the old file is '{name}'")
        });
        let new = New::Backup(file.clone());
        Ok((Self::of_new(file.asked.clone(), &file.directory, name, new), warning))
    }

    fn of_new(asked: PathBuf, directory: &Arc<Directory>, name: OsString, new: New) -> Self {
        let resolved = directory.path().join(&name);
        let (directory, temporary) = (directory.clone(), temporary_name().into());
        let exchange = Exchange { directory, name, temporary, old: None, new: None };
        let (slot, lines) = (Slot::Exchange(exchange), (None, None));
        let (is_staged, is_begun) = (false, false);
        Self { asked, resolved, old: None, slot, new, is_staged, is_begun, lines }
    }

    /// The path of the file, with symlinks resolved.
    pub(super) fn resolved(&self) -> &Path {
        &self.resolved
    }

    pub(super) fn is_in_place(&self) -> bool {
        matches!(self.slot, Slot::InPlace(_))
    }

    /// The step as it is in the record of the commit.
    pub(super) fn record(&self) -> StepRecord {
        self.slot.record(matches!(self.new, New::Backup(_)))
    }

    /// The new file, once it is written.
    pub(super) fn new_identity(&self) -> Option<Identity> {
        let Slot::Exchange(exchange) = &self.slot else { return None };
        exchange.new
    }

    /// Writes the new file, or the copy for an edit in place. Returns what the history keeps, apart
    /// from the removed bytes: the record of the file, and the contents of its edits with context.
    pub(super) fn stage(
        &mut self,
        copy: Option<PathBuf>,
        sync: bool,
    ) -> Result<Option<(FileRecord, Vec<u8>)>, Error> {
        let (file, after) = match (&mut self.slot, &self.new) {
            (_, New::None) => return Ok(Some((self.removal_record(), Vec::new()))),
            (Slot::Exchange(exchange), new) => {
                let file = create(exchange, new)?;
                self.is_staged = true;
                let status = write_new(&file, new, self.old.as_ref(), sync)?;
                exchange.new = Some(status.identity);
                (file, status.identity)
            }
            (Slot::InPlace(place), _) => {
                let (Some(copy), Some(old), Some(edits)) = (copy, &self.old, self.new.edits())
                else {
                    return Err(no_copy());
                };
                place.copy = copy;
                let copy = place.stage(&*old.file()?, edits, sync).map_err(copy_error)?;
                // The time of the write is not known yet.
                let size = edits.new_length(old.size());
                (copy, Identity { size, mtime: (0, 0), ..old.identity() })
            }
        };
        failpoints::reached(Point::Staged)?;
        if matches!(self.new, New::Backup(_)) {
            return Ok(None);
        }
        let recorded = self.file_record(&file, after);
        recorded.map(Some).map_err(|error| Error::io(&error, &self.asked))
    }

    /// The record of a file with the bytes of `file`.
    fn file_record(&self, file: &File, after: Identity) -> io::Result<(FileRecord, Vec<u8>)> {
        let none = EditSet::default();
        let edits = self.new.edits().unwrap_or(&none);
        let spans = edits.new_spans();
        let (hashed, hashed_spans) = history::hashed_spans(after.size, spans.iter().copied());
        let sha256 = hash_spans(file, &hashed_spans)?;
        let places = Places::of(file, after.size, &spans)?;
        let removed = edits.edits().iter().map(|edit| edit.span.len());
        let edits = spans.iter().zip(removed);
        let record = FileRecord {
            path: self.resolved.as_path().into(),
            before: self.old.as_ref().map(Editable::identity),
            after: Some(after),
            mode: None,
            in_place: self.is_in_place(),
            lines_delta: self.lines.0,
            line: self.lines.1,
            sha256,
            hashed,
            edits: edits.map(|(span, removed)| (span.start(), span.len(), removed)).collect(),
            around: places.around,
        };
        Ok((record, places.bytes))
    }

    /// The record of a removed file, all of whose bytes are kept.
    fn removal_record(&self) -> FileRecord {
        let size = self.old.as_ref().map_or(0, Editable::size);
        FileRecord {
            path: self.resolved.as_path().into(),
            before: self.old.as_ref().map(Editable::identity),
            after: None,
            mode: self.old.as_ref().map(|old| old.status.mode),
            in_place: false,
            lines_delta: self.lines.0,
            line: None,
            sha256: String::new(),
            hashed: Hashed::File,
            edits: vec![(0, 0, size)],
            around: Vec::new(),
        }
    }

    /// The spans of the old file that are removed.
    fn removed(&self) -> Vec<Span> {
        match (self.new.edits(), &self.old) {
            (Some(edits), _) => edits.edits().iter().map(|edit| edit.span).collect(),
            (None, Some(old)) => vec![Span::new(0, old.size())],
            (None, None) => Vec::new(),
        }
    }

    /// Makes the change, if the file is still what was opened. Returns `false` if the file system
    /// cannot exchange files.
    pub(super) fn apply(&mut self, keeps_old: bool, sync: bool) -> Result<bool, Error> {
        match &mut self.slot {
            Slot::Exchange(exchange) => {
                if let Some(old) = &self.old {
                    check_unchanged(exchange, old)?;
                }
                failpoints::reached(Point::Compared)?;
                self.is_begun = true;
                let is_exchanged =
                    exchange.apply(keeps_old).map_err(|error| exchange_error(error, exchange))?;
                failpoints::reached(Point::Exchanged)?;
                if let Some(old) = &self.old {
                    check_old(exchange, old)?;
                }
                Ok(is_exchanged)
            }
            Slot::InPlace(place) => {
                let Some(old) = &self.old else { return Ok(true) };
                let failed = |error: Errno| Error::io(&error.into(), &self.asked);
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
        }
    }

    /// Reverts the change, as far as it was made. Returns a sentence for the user if the file is
    /// not exactly what it was before.
    pub(super) fn revert(&self) -> Result<Option<String>, Error> {
        let failed = |error: io::Error| system_error("it cannot be undone", error);
        if !self.is_begun {
            if let (Slot::Exchange(exchange), true) = (&self.slot, self.is_staged) {
                let removed = system::unlink(&exchange.directory, &exchange.temporary);
                existing(removed).map_err(|error| failed(error.into()))?;
            }
            return Ok(None);
        }
        let reverted = self.slot.revert(true).map_err(failed)?;
        Ok(match reverted {
            Reverted::Yes { appended } => appended_sentence(appended),
            Reverted::No { kept: None } => Some(CHANGED.to_owned()),
            Reverted::No { kept: Some(kept) } if self.is_in_place() => {
                Some(format!("{CHANGED}; the bytes it overwrote are in '{}'", kept.display()))
            }
            Reverted::No { kept: Some(kept) } => {
                let kept = kept.file_name().unwrap_or_default().to_string_lossy();
                Some(format!("{CHANGED}; what it was before is in '{kept}'"))
            }
        })
    }

    /// Removes the old file. If another program wrote to it in the meantime, it is kept, and its
    /// path returned.
    pub(super) fn finish(&self) -> io::Result<Option<PathBuf>> {
        self.slot.finish()
    }

    /// The directory in which names change.
    pub(super) fn directory(&self) -> Option<&Arc<Directory>> {
        match &self.slot {
            Slot::Exchange(exchange) => Some(&exchange.directory),
            Slot::InPlace(_) => None,
        }
    }
}

/// The sentence about bytes that another program appended to a file that was reverted.
pub(crate) fn appended_sentence(appended: u64) -> Option<String> {
    let bytes = if appended == 1 { "byte" } else { "bytes" };
    (appended > 0).then(|| {
        format!(
            "another program appended {appended} {bytes} meanwhile, which were kept after the \
             old contents"
        )
    })
}

/// Creates the temporary file of an exchange.
fn create(exchange: &Exchange, new: &New) -> Result<File, Error> {
    let mode = if matches!(new, New::Given { mode: None, like: None, .. }) { 0o666 } else { 0o600 };
    system::create_file(&exchange.directory, &exchange.temporary, mode)
        .map_err(|error| system_error("no temporary file can be made", error))
}

/// Writes the new file of an exchange, with its attributes.
fn write_new(file: &File, new: &New, old: Option<&Editable>, sync: bool) -> Result<Status, Error> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => Error::changed(),
        _ => Error::io(&error, Path::new("")),
    };
    let like = match new {
        New::Edited(_) => old,
        New::Backup(of) => Some(of),
        New::Given { like, .. } => like.as_ref(),
        New::None => None,
    };
    let source = like.map(Editable::file).transpose()?;
    match (new, &source, like) {
        (New::Given { content, mode, .. }, ..) => {
            file.write_all_at(content, 0).map_err(failed)?;
            if let Some(mode) = mode {
                system::set_mode(file, *mode).map_err(|error| failed(error.into()))?;
            }
        }
        (New::Edited(edits), Some(source), Some(like)) => {
            write_edited(source, like.size(), edits, file).map_err(failed)?;
        }
        (_, Some(source), Some(like)) => {
            write_edited(source, like.size(), &EditSet::default(), file).map_err(failed)?;
        }
        _ => {}
    }
    if let (Some(source), Some(like)) = (&source, like) {
        attributes::carry_over(source, &like.status, file)?;
    }
    if let New::Backup(of) = new {
        let (seconds, nanoseconds) = of.status.identity.mtime;
        let since = Duration::new(u64::try_from(seconds).unwrap_or(0), nanoseconds);
        file.set_modified(UNIX_EPOCH + since).map_err(failed)?;
    }
    if sync {
        system::sync(file).map_err(|error| failed(error.into()))?;
    }
    system::status_of(file).map_err(|error| failed(error.into()))
}

/// Fails if the file in place is not the one that was opened.
fn check_unchanged(exchange: &Exchange, old: &Editable) -> Result<(), Error> {
    let now = exchange.named().map_err(|error| editable::unread(error.into()))?;
    match now {
        Some(now) if editable::is_unchanged(&now, &old.status) => old.check_bytes(&old.name),
        _ => Err(Error::changed()),
    }
}

/// Fails if the file that was replaced is not the one that was opened.
fn check_old(exchange: &mut Exchange, old: &Editable) -> Result<(), Error> {
    let aside = exchange.aside().map_err(|error| editable::unread(error.into()))?;
    let Some(aside) = aside else { return Ok(()) };
    if editable::has_same_facts(&aside, &old.status) {
        return old.check_bytes(&exchange.temporary);
    }
    // In an overlay, a file may get another inode number when it is renamed.
    let mut moved = old.identity();
    moved.inode = aside.identity.inode;
    let may_be_old = aside.identity == moved && moved != old.identity();
    if may_be_old && old.has_bytes(&exchange.temporary).map_err(editable::unread)? {
        exchange.old = Some(moved);
        return Ok(());
    }
    Err(Error::changed())
}

/// Fails if another file has taken the name of one that is written in place.
fn check_name(old: &Editable) -> Result<(), Error> {
    match system::status_at(&old.directory, &old.name) {
        Ok(named) if named.is_same_file(&old.status) => Ok(()),
        Ok(_) | Err(Errno::NOENT) => Err(Error::changed()),
        Err(error) => Err(editable::unread(error.into())),
    }
}

/// The name of the backup of a file.
fn backup_name(file: &Editable, suffix: &OsStr) -> Result<OsString, Error> {
    let mut name = file.name.clone();
    name.push(suffix);
    if suffix.is_empty() || Path::new(&name).file_name() != Some(OsStr::new(&name)) {
        let suffix = suffix.to_string_lossy();
        return Err(Error::usage(format!("'{suffix}' is no suffix for the name of a backup")));
    }
    Ok(name)
}

fn exchange_error(error: Errno, exchange: &Exchange) -> Error {
    match (exchange.old, exchange.new, error) {
        (None, _, Errno::EXIST) => Error::new(Code::InvalidArgument, "it exists already"),
        (None, ..) => system_error("it cannot be created", error),
        (_, _, Errno::NOENT) => Error::changed(),
        (_, None, _) => system_error("it cannot be removed", error),
        (_, _, Errno::BUSY) => editable::mounted(),
        _ => system_error("another file cannot take its place", error).hint(in_place_hint()),
    }
}

fn no_copy() -> Error {
    Error::new(Code::IoError, "there is no place for a recovery copy of it")
        .hint("set XDG_STATE_HOME to a directory that can be written")
}

fn copy_error(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Error::changed(),
        _ => system_error("no recovery copy of it can be made", error),
    }
}

/// The number of bytes that steps remove, and the number of places from which.
pub(super) fn removed_length(steps: &[Step]) -> (u64, u64) {
    let spans = steps.iter().flat_map(Step::removed);
    spans.fold((0, 0), |(removed, count), span| (removed + span.len(), count + 1))
}

/// Writes the removed bytes of all steps, and then `places`, at an offset of a file. Returns the
/// checksum of all.
pub(super) fn write_kept(
    steps: &[Step],
    places: &[Vec<u8>],
    file: &File,
    at: u64,
) -> io::Result<String> {
    let mut sum = Sha256::new();
    let mut sink = sink(file, at)?;
    let mut put = |bytes: &[u8]| {
        sum.update(bytes);
        sink.write_all(bytes)
    };
    for step in steps {
        let Some(old) = &step.old else { continue };
        let file = old.file().map_err(io::Error::other)?;
        let mut source = Source::new(&file)?;
        step.removed().into_iter().try_for_each(|span| source.each(span, &mut put))?;
    }
    places.iter().try_for_each(|bytes| put(bytes))?;
    sink.flush()?;
    Ok(history::digits(sum))
}

/// The journal's copy of the bytes of a step.
pub(super) fn copy_path(journal: Option<&Journal>, step: usize) -> Option<PathBuf> {
    journal.map(|journal| journal.copy_path(step))
}
