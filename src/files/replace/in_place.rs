//! Writes into the very inode of a file. What is overwritten is kept before,
//! so that a crash in the middle can be taken back.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use rustix::fs::{Timespec, Timestamps};

use super::Context;
use super::content::{Sink, Source, copy_span, read_edited};
use super::editable::{self, Editable};
use super::failpoints::{self, Point};
use crate::error::{Code, Error};
use crate::files::records::{self, StepKind};
use crate::files::state;
use crate::files::system::{self, Identity, Status};
use crate::text::edit::{EditSet, Piece};
use crate::text::span::Span;

/// A file that is written to, and what it set.
pub(super) struct Rewrite {
    pub(super) file: Editable,
    pub(super) edits: EditSet,
    pub(super) after: Status,
    /// The bytes of the file that change or move.
    pub(super) touched: Span,
    /// The name of the copy that was made for good.
    pub(super) backup: Option<OsString>,
    copy: File,
    copy_name: String,
    copy_path: PathBuf,
    is_written: bool,
}

/// The bytes of a document that change or move by its edits.
pub(crate) fn touched(edits: &EditSet, length: u64) -> Span {
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
        let (copy_name, copy_path) = journal.copy_name();
        let copy = state::create_private(&copy_path).map_err(copy_error)?;
        let touched = touched(&edits, file.size());
        let after = file.status;
        let staged = Self {
            file,
            edits,
            after,
            touched,
            backup,
            copy,
            copy_name,
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
            system::sync(&self.copy).map_err(|error| copy_error(error.into()))?;
        }
        failpoints::reached(Point::Staged)
    }

    /// As it stands in the plan.
    pub(super) fn record(&self) -> StepKind {
        let edits = self.edits.edits().iter();
        StepKind::Rewrite {
            old: self.file.status.identity.into(),
            start: self.touched.start(),
            length: self.touched.len(),
            copy: self.copy_name.clone(),
            edits: edits
                .map(|edit| (edit.span.start(), edit.span.end(), records::encode(&edit.content)))
                .collect(),
        }
    }

    /// Writes.
    pub(super) fn apply(&mut self, sync: bool) -> Result<(), Error> {
        let failed = |error: io::Error| Error::io(&error, &self.file.asked);
        let now = system::status_of(&self.file.file).map_err(|error| failed(error.into()))?;
        if now.identity != self.file.status.identity || !self.has_its_name() {
            return Err(editable::changed());
        }
        failpoints::reached(Point::Compared)?;
        self.is_written = true;
        self.write()?;
        if sync {
            system::sync(&self.file.file).map_err(|error| failed(error.into()))?;
        }
        self.after = system::status_of(&self.file.file).map_err(|error| failed(error.into()))?;
        if !self.has_its_name() {
            return Err(editable::changed());
        }
        failpoints::reached(Point::Exchanged)
    }

    /// Whether no other file has come into its place.
    fn has_its_name(&self) -> bool {
        system::status_at(&self.file.directory, &self.file.name)
            .is_ok_and(|named| named.is_same_file(&self.file.status))
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
            self.file.file.set_len(new_length).map_err(failed)?;
        }
        Ok(())
    }

    /// Writes back what was there; `false` where another program has changed
    /// the file since.
    pub(super) fn take_back(&mut self) -> Result<bool, Error> {
        if self.is_written {
            let old = self.file.status.identity;
            restore(&self.file.file, old, self.touched, &self.copy)
                .map_err(|error| Error::io(&error, &self.file.asked))?;
            self.is_written = false;
        }
        self.discard();
        Ok(true)
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

/// Writes back what was kept of a file, and gives it its length and time.
pub(crate) fn restore(file: &File, old: Identity, kept: Span, copy: &File) -> io::Result<()> {
    let mut source = Source::kept(copy, kept);
    let mut sink = Sink::new(file, kept.start());
    source.each(kept, |bytes| sink.put(bytes))?;
    sink.flush()?;
    file.set_len(old.size)?;
    let time = Timespec { tv_sec: old.mtime.0 as _, tv_nsec: old.mtime.1 as _ };
    // So that it is again what it was; without, it is only told to be newer.
    let _ =
        rustix::fs::futimens(file, &Timestamps { last_access: omitted(), last_modification: time });
    system::sync(file).map_err(io::Error::from)
}

/// Whether a file holds, byte for byte, what it set before its edits or what
/// it was to hold: so a run leaves it that ended while it wrote. `kept` of the
/// old bytes, of `length` in all, are in `copy`.
pub(crate) fn is_between(
    file: &File,
    length: u64,
    kept: Span,
    copy: &File,
    edits: &EditSet,
) -> io::Result<bool> {
    let size = system::status_of(file)?.identity.size;
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

/// Stands for a time that stays.
fn omitted() -> Timespec {
    Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_OMIT }
}

fn copy_error(error: io::Error) -> Error {
    let told = system_error_of(&error);
    Error::new(Code::IoError, format!("no recovery copy of it can be made: {told}"))
}

fn system_error_of(error: &io::Error) -> String {
    Error::io(error, std::path::Path::new("")).message
}
