//! Writes into the very inode of a file. What is overwritten is kept before,
//! so that a crash in the middle can be undone.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use rustix::fs::{Timespec, Timestamps};
use rustix::io::Errno;

use super::content::{Sink, Source, copy_span, read_edited};
use super::context::Context;
use super::editable::{self, Editable};
use super::failpoints::{self, Point};
use super::swap::Swap;
use crate::error::{Code, Error};
use crate::files::records::{self, StepKind};
use crate::files::state;
use crate::files::system::{self, Identity, Status, system_error};
use crate::text::edit::{EditSet, Piece};
use crate::text::span::Span;

/// A file that is written to, and what it set.
pub(super) struct Rewrite {
    pub(super) file: Editable,
    pub(super) edits: EditSet,
    pub(super) after: Status,
    /// The bytes of the file that change or move.
    pub(super) touched: Span,
    /// The name that a copy is to have, a number added where it is taken.
    pub(super) backup: Option<OsString>,
    /// The copy that was made, and what it is.
    pub(super) kept_as: Option<(OsString, Identity)>,
    copy: File,
    copy_path: PathBuf,
    is_written: bool,
}

/// The bytes of a document that change or move by its edits.
fn touched(edits: &EditSet, length: u64) -> Span {
    let list = edits.edits();
    let (Some(first), Some(last)) = (list.first(), list.last()) else {
        return Span::new(length, length);
    };
    let stays = edits.new_length(length) == length;
    Span::new(first.span.start(), if stays { last.span.end() } else { length })
}

impl Rewrite {
    /// Keeps what will be overwritten.
    pub(super) fn stage(
        file: Editable,
        edits: EditSet,
        backup: Option<OsString>,
        context: &mut Context<'_>,
    ) -> Result<Self, Error> {
        let journal = context.journal.as_mut().ok_or_else(|| {
            Error::new(Code::IoError, "there is no place for a recovery copy of it")
                .hint("set XDG_STATE_HOME to a directory that can be written")
        })?;
        let copy_path = journal.copy_path();
        let copy = state::create_private(&copy_path).map_err(copy_error)?;
        let touched = touched(&edits, file.size());
        let after = file.status;
        let staged = Self {
            file,
            edits,
            after,
            touched,
            backup,
            kept_as: None,
            copy,
            copy_path,
            is_written: false,
        };
        if let Err(error) = staged.keep(context.options.sync) {
            staged.discard();
            return Err(error);
        }
        Ok(staged)
    }

    fn keep(&self, sync: bool) -> Result<(), Error> {
        copy_span(&self.file.file, self.touched, &self.copy).map_err(|error| {
            let is_short = error.kind() == io::ErrorKind::UnexpectedEof;
            if is_short { editable::changed() } else { copy_error(error) }
        })?;
        if sync {
            system::sync(&self.copy).map_err(copy_error)?;
        }
        failpoints::reached(Point::Staged)
    }

    /// Makes the copy that stays.
    pub(super) fn ready(&mut self, context: &mut Context<'_>) -> Result<(), Error> {
        let Some(name) = &self.backup else { return Ok(()) };
        let mut copy = Swap::stage(self.file.clone(), &EditSet::default(), None, context)?;
        context.announce(&copy.new.temporary)?;
        let kept = copy.ready(context).and_then(|()| copy.put_beside(name));
        copy.discard();
        self.kept_as = Some((kept?, copy.after.identity));
        Ok(())
    }

    /// Takes that copy away: the file is what it was.
    fn remove_backup(&mut self) {
        let directory = &self.file.directory;
        if let Some((name, identity)) = self.kept_as.take()
            && system::status_at(directory, &name).is_ok_and(|now| now.identity == identity)
        {
            let _ = system::unlink(directory, &name);
        }
    }

    /// As it is in the plan.
    pub(super) fn record(&self) -> StepKind {
        let edits = self.edits.edits().iter();
        StepKind::Rewrite {
            old: self.file.status.identity,
            start: self.touched.start(),
            length: self.touched.len(),
            copy: self.copy_path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            edits: edits
                .map(|edit| (edit.span.start(), edit.span.end(), records::encode(&edit.content)))
                .collect(),
        }
    }

    /// Writes.
    pub(super) fn apply(&mut self, sync: bool) -> Result<(), Error> {
        let failed = |error: io::Error| Error::io(&error, &self.file.asked);
        let now = system::status_of(&self.file.file).map_err(|error| failed(error.into()))?;
        let old = &self.file.status;
        if (now.identity, now.ctime) != (old.identity, old.ctime) {
            return Err(editable::changed());
        }
        self.file.check_bytes()?;
        self.check_name()?;
        failpoints::reached(Point::Compared)?;
        self.is_written = true;
        self.write()?;
        if sync {
            system::sync(&self.file.file).map_err(|error| failed(error.into()))?;
        }
        self.after = system::status_of(&self.file.file).map_err(|error| failed(error.into()))?;
        self.check_name()?;
        failpoints::reached(Point::Exchanged)
    }

    /// Fails where another file has come into its place.
    fn check_name(&self) -> Result<(), Error> {
        match system::status_at(&self.file.directory, &self.file.name) {
            Ok(named) if named.is_same_file(&self.file.status) => Ok(()),
            Ok(_) | Err(Errno::NOENT) => Err(editable::changed()),
            Err(error) => Err(editable::unread(error.into())),
        }
    }

    fn write(&self) -> Result<(), Error> {
        let failed = |error: io::Error| Error::io(&error, &self.file.asked);
        let length = self.file.size();
        let mut source = Source::kept(&self.copy, self.touched);
        let mut sink = Sink::new(&self.file.file, self.touched.start());
        for piece in self.edits.pieces_within(self.touched) {
            match piece {
                Piece::New(bytes) => sink.put(bytes),
                Piece::Old(span) if span.start() == sink.position() => sink.pass_over(span.len()),
                Piece::Old(span) => source.each(span, |bytes| sink.put(bytes)),
            }
            .map_err(failed)?;
            failpoints::reached(Point::HalfWritten)?;
        }
        sink.flush().map_err(failed)?;
        let new_length = self.edits.new_length(length);
        if new_length < length {
            // What another program has appended would be cut off.
            if size_of(&self.file.file).map_err(failed)? != length {
                return Err(editable::changed());
            }
            self.file.file.set_len(new_length).map_err(failed)?;
        }
        Ok(())
    }

    /// Writes back what was there, before what another program has appended
    /// since; the sentence tells of that, or why the file stays as it is.
    pub(super) fn take_back(&mut self) -> Result<Option<String>, Error> {
        if !self.is_written {
            self.remove_backup();
            self.discard();
            return Ok(None);
        }
        let old = self.file.status.identity;
        let restored = restore(&self.file.file, old, self.touched, &self.copy, &self.edits)
            .map_err(|error| Error::io(&error, &self.file.asked))?;
        if restored == Restored::Not {
            let kept = self.copy_path.with_extension("kept");
            // Where that fails the journal keeps the copy.
            state::rename_own(&self.copy_path, &kept).map_err(|error| Error::io(&error, &kept))?;
            let kept = kept.display();
            return Ok(Some(format!("{CHANGED}; the bytes it overwrote are in '{kept}'")));
        }
        self.is_written = false;
        self.remove_backup();
        self.discard();
        Ok(restored.sentence())
    }

    /// Takes away the copy.
    pub(super) fn discard(&self) {
        if !self.is_written {
            // What is left of it goes with the journal's own leftovers.
            let _ = state::remove_own(&self.copy_path);
        }
    }

    /// Takes away the copy: the file is written for good.
    pub(super) fn finish(&self) {
        let _ = state::remove_own(&self.copy_path);
    }
}

/// What was restored of a file that had been written in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Restored {
    /// Nothing: other bytes are there now.
    Not,
    /// All of it; this many bytes that another program appended follow.
    Before(u64),
}

impl Restored {
    /// What the user is to know of it.
    pub(crate) fn sentence(self) -> Option<String> {
        let Self::Before(appended @ 1..) = self else { return None };
        let bytes = if appended == 1 { "byte" } else { "bytes" };
        Some(format!(
            "another program appended {appended} {bytes} meanwhile, which stay, behind what was \
             there before"
        ))
    }
}

/// Writes back what was kept of a file, unless other bytes than a run may have
/// left are there now. What another program has appended moves after the old
/// end; without any, the file has its old time again.
pub(crate) fn restore(
    file: &File,
    old: Identity,
    kept: Span,
    copy: &File,
    edits: &EditSet,
) -> io::Result<Restored> {
    let size = size_of(file)?;
    // Where the own bytes may end: nothing was appended, or it was before or
    // after the file had its new length.
    let new_length = edits.new_length(old.size);
    let ends = [size, old.size.max(new_length), new_length];
    let mut own_end = None;
    for end in ends.into_iter().filter(|end| *end <= size) {
        if own_end.is_none() && is_between(file, end, old.size, kept, copy, edits)? {
            own_end = Some(end);
        }
    }
    let Some(own_end) = own_end else { return Ok(Restored::Not) };
    let appended = size - own_end;
    let mut written = kept;
    if appended > 0 && own_end != old.size {
        // The lengths differ, so what is kept reaches to the old end.
        let mut sink = Sink::new(copy, kept.len());
        Source::new(file, size).each(Span::new(own_end, size), |bytes| sink.put(bytes))?;
        sink.flush()?;
        written = Span::new(kept.start(), kept.end() + appended);
    }
    let mut sink = Sink::new(file, kept.start());
    Source::kept(copy, written).each(written, |bytes| sink.put(bytes))?;
    sink.flush()?;
    if own_end > old.size {
        file.set_len(old.size + appended)?;
    }
    if appended == 0 {
        let time = Timespec { tv_sec: old.mtime.0 as _, tv_nsec: old.mtime.1 as _ };
        let times = Timestamps { last_access: omitted(), last_modification: time };
        // So that it is again what it was; without, it only seems newer.
        let _ = rustix::fs::futimens(file, &times);
    }
    system::sync(file)?;
    Ok(Restored::Before(appended))
}

/// Whether a span of a file contains the bytes that were kept of it.
pub(crate) fn same_bytes(file: &File, kept: Span, copy: &File) -> io::Result<bool> {
    let mut at = kept.start();
    let mut is_same = true;
    Source::kept(copy, kept).each(kept, |old| {
        let mut now = vec![0; old.len()];
        if is_same {
            file.read_exact_at(&mut now, at)?;
        }
        is_same = is_same && now == old;
        at += old.len() as u64;
        Ok(())
    })?;
    Ok(is_same)
}

fn size_of(file: &File) -> io::Result<u64> {
    Ok(system::status_of(file)?.identity.size)
}

/// Whether the first `size` bytes of a file are, each of them, what it held
/// before its edits or what it was to hold: so a run leaves it that ended while
/// it wrote. `kept` of the old bytes, of `length` in all, are in `copy`.
fn is_between(
    file: &File,
    size: u64,
    length: u64,
    kept: Span,
    copy: &File,
    edits: &EditSet,
) -> io::Result<bool> {
    let new_length = edits.new_length(length);
    if size < length.min(new_length) || size > length.max(new_length) {
        return Ok(false);
    }
    let mut compared = Comparison { file, copy, kept, size, length, at: kept.start() };
    let mut result = Ok(true);
    let new_end = (kept.end() + new_length).saturating_sub(length);
    let mut source = Source::kept(copy, kept);
    let new = Span::new(kept.start(), new_end);
    read_edited(&mut source, length, edits, &[new], &mut |bytes| {
        if matches!(result, Ok(true)) {
            result = compared.with(bytes);
        }
    })?;
    // What was not cut off yet.
    while matches!(result, Ok(true)) && compared.at < kept.end().min(size) {
        let count = (kept.end().min(size) - compared.at).min(64 * 1024) as usize;
        let mut old = vec![0; count];
        copy.read_exact_at(&mut old, compared.at - kept.start())?;
        result = compared.with(&old);
    }
    result
}

struct Comparison<'a> {
    file: &'a File,
    copy: &'a File,
    kept: Span,
    size: u64,
    length: u64,
    at: u64,
}

impl Comparison<'_> {
    /// Whether the next bytes of the file are these or the old ones.
    fn with(&mut self, new: &[u8]) -> io::Result<bool> {
        let start = self.at;
        self.at += new.len() as u64;
        let count = |end: u64| end.saturating_sub(start).min(new.len() as u64) as usize;
        let mut now = vec![0; count(self.size)];
        self.file.read_exact_at(&mut now, start)?;
        let mut old = vec![0; count(self.kept.end())];
        if !old.is_empty() {
            self.copy.read_exact_at(&mut old, start - self.kept.start())?;
        }
        // Behind the old end there may be bytes that were not on the disk yet.
        let hole = count(self.length);
        Ok(now.iter().enumerate().all(|(index, byte)| {
            old.get(index) == Some(byte) || new[index] == *byte || (*byte == 0 && index >= hole)
        }))
    }
}

/// Why a change stays that was to be undone.
pub(super) const CHANGED: &str =
    "it was changed by another program since, and stays as that left it";

/// Stands for a time that stays.
fn omitted() -> Timespec {
    Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_OMIT }
}

fn copy_error(error: impl Into<io::Error>) -> Error {
    system_error("no recovery copy of it can be made", error)
}
