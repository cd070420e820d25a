//! Writes into the file itself. The old and the new bytes are copied to the state directory first,
//! so that a crash in the middle can be recovered.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

use rustix::fs::{Timespec, Timestamps, UTIME_OMIT};

use super::content::{copy_span, write_edited_part};
use super::exchange::{Reverted, Stage, existing};
use super::failpoints::{self, Point};
use super::places::MAX_AROUND;
use crate::error::Error;
use crate::files::history;
use crate::files::lock::Directory;
use crate::files::records::Region;
use crate::files::state;
use crate::files::system::{self, Identity};
use crate::text::edit::EditSet;
use crate::text::span::Span;

/// The number of bytes that are compared at once.
const CHUNK: u64 = 64 * 1024;

/// A file that is written in place.
#[derive(Clone, Debug)]
pub(crate) struct InPlace {
    pub(crate) directory: Arc<Directory>,
    pub(crate) name: OsString,
    /// The file before.
    pub(crate) old: Identity,
    pub(crate) region: Region,
    /// A copy of the new file, and then of the old bytes of the region. Far from the region, the
    /// copy has a hole.
    pub(crate) copy: PathBuf,
}

/// The bytes of a document that its edits change or move.
pub(super) fn region(edits: &EditSet, length: u64) -> Region {
    let list = edits.edits();
    let new_length = edits.new_length(length);
    let start = list.first().map_or(length, |edit| edit.span.start());
    let last = list.last().map_or(length, |edit| edit.span.end());
    let end = if new_length == length { last } else { length };
    let old = end - start;
    Region { start, old, new: old + new_length - length }
}

impl InPlace {
    /// Writes the copy and returns it.
    pub(super) fn stage(&self, file: &File, edits: &EditSet, sync: bool) -> io::Result<File> {
        let copy = state::create_private(&self.copy)?;
        let Region { start, old, new } = self.region;
        // What the history reads: hashed bytes, and the context of each edit.
        let (_, hashed) = history::hashed_spans(self.new_size(), edits.new_spans());
        let [first, last] = [hashed.first(), hashed.last()];
        let begin = first.map_or(start, |span| span.start().min(start));
        let end = last.map_or(0, |span| span.end()).max(start + new + MAX_AROUND);
        let window = Span::new(begin, end.min(self.new_size()));
        write_edited_part(file, self.old.size, edits, window, &copy)?;
        copy_span(file, Span::new(start, start + old), &copy, self.new_size())?;
        if sync {
            system::sync(&copy)?;
        }
        Ok(copy)
    }

    /// Writes the new bytes.
    pub(super) fn write(&self, file: &File) -> Result<(), Error> {
        let failed = |error: io::Error| Error::io(&error, &self.path());
        let Region { start, old, new } = self.region;
        let copy = state::open_own(&self.copy, false).map_err(failed)?;
        let half = start + new / 2;
        copy_span(&copy, Span::new(start, half), file, start).map_err(failed)?;
        failpoints::reached(Point::HalfWritten)?;
        copy_span(&copy, Span::new(half, start + new), file, half).map_err(failed)?;
        if new < old {
            // Bytes that another program appended would be lost.
            if size_of(file).map_err(failed)? != self.old.size {
                return Err(Error::changed());
            }
            file.set_len(start + new).map_err(failed)?;
        }
        Ok(())
    }

    fn new_size(&self) -> u64 {
        self.old.size + self.region.new - self.region.old
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join(&self.name)
    }

    /// Determines the progress from the bytes, because the clock of the file system may be coarse.
    pub(crate) fn stage_now(&self) -> io::Result<Stage> {
        // The old bytes of a file that was moved or replaced may be in the copy alone.
        let now = existing(system::status_at(&self.directory, &self.name))?;
        let Some(now) = now.filter(|now| now.identity.inode == self.old.inode) else {
            return Ok(Stage::Disturbed);
        };
        let Some(copy) = self.copy()? else { return Ok(Stage::Disturbed) };
        let file = system::open_file(&self.directory, &self.name, false)?;
        let is_before = now.identity == self.old && self.matches(&file, &copy, self.old.size, 0)?;
        Ok(if is_before { Stage::Before } else { Stage::Applied })
    }

    fn copy(&self) -> io::Result<Option<File>> {
        match state::open_own(&self.copy, true) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            copy => copy.map(Some),
        }
    }

    /// Writes the old bytes back before those that another program appended. If other bytes of the
    /// file were changed, it stays, and the copy is kept.
    pub(crate) fn revert(&self) -> io::Result<Reverted> {
        if let (Stage::Applied, Some(copy)) = (self.stage_now()?, self.copy()?) {
            let file = system::open_file(&self.directory, &self.name, true)?;
            if let Some(appended) = self.restore(&file, &copy)? {
                return Ok(Reverted::Yes { appended });
            }
        } else if self.stage_now()? == Stage::Before {
            return Ok(Reverted::Yes { appended: 0 });
        }
        let kept = self.copy.with_extension("kept");
        // A recovery that was interrupted may have kept it already.
        if let Some(copy) = self.copy()? {
            let file = match state::create_private(&kept) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    state::open_own(&kept, true)
                }
                created => created,
            };
            // These are the old bytes, and those that a recovery before this one moved.
            copy_span(&copy, Span::new(self.new_size(), size_of(&copy)?), &file?, 0)?;
        }
        Ok(Reverted::No { kept: state::is_there(&kept)?.then_some(kept) })
    }

    /// Writes the old bytes back; the number of bytes that another program appended, or `None` if
    /// it changed others.
    fn restore(&self, file: &File, copy: &File) -> io::Result<Option<u64>> {
        let (Region { start, old, .. }, new_size) = (self.region, self.new_size());
        let size = size_of(file)?;
        // The end of folio's bytes: nothing was appended, or something was before or after the
        // file had its new length.
        let ends = [size, self.old.size.max(new_size), new_size];
        let mut own_end = None;
        for end in ends.into_iter().filter(|end| *end <= size) {
            if own_end.is_none() && self.is_between(file, copy, end)? {
                own_end = Some(end);
            }
        }
        let Some(own_end) = own_end else { return Ok(None) };
        let appended = size - own_end;
        let old_bytes = Span::new(new_size, new_size + old);
        if appended > 0 && own_end != self.old.size {
            // They are in the copy before they are overwritten.
            let tail = Span::new(old_bytes.end(), old_bytes.end() + appended);
            copy_span(file, Span::new(own_end, size), copy, tail.start())?;
            copy_span(copy, old_bytes, file, start)?;
            copy_span(copy, tail, file, self.old.size)?;
        } else {
            copy_span(copy, old_bytes, file, start)?;
        }
        if own_end > self.old.size {
            file.set_len(self.old.size + appended)?;
        }
        if appended == 0 {
            let (tv_sec, tv_nsec) = self.old.mtime;
            let last_access = Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
            let last_modification = Timespec { tv_sec: tv_sec as _, tv_nsec: tv_nsec as _ };
            // Without it, the file only seems newer.
            let _ = rustix::fs::futimens(file, &Timestamps { last_access, last_modification });
        }
        system::sync(file)?;
        Ok(Some(appended))
    }

    /// Whether the first `size` bytes of the file are old or new ones, as a run that was
    /// interrupted while it wrote leaves them.
    fn is_between(&self, file: &File, copy: &File, size: u64) -> io::Result<bool> {
        let new_size = self.new_size();
        if size < self.old.size.min(new_size) || size > self.old.size.max(new_size) {
            return Ok(false);
        }
        self.matches(file, copy, size, self.region.new)
    }

    /// Whether the bytes of the region, up to the offset `size`, are the old ones or the first
    /// `new` of the new ones. A NUL byte after the old end may not have been written yet.
    fn matches(&self, file: &File, copy: &File, size: u64, new: u64) -> io::Result<bool> {
        let Region { start, old, .. } = self.region;
        let end = size.saturating_sub(start).min(old.max(new));
        let mut at = 0;
        while at < end {
            let length = CHUNK.min(end - at);
            let read = |file: &File, from: u64, count: u64| {
                let mut bytes = vec![0; count.min(length) as usize];
                file.read_exact_at(&mut bytes, from).map(|()| bytes)
            };
            let now = read(file, start + at, length)?;
            let olds = read(copy, self.new_size() + at, old.saturating_sub(at))?;
            let news = read(copy, start + at, new.saturating_sub(at))?;
            let is_own = |(index, byte): (usize, &u8)| {
                let is_hole = *byte == 0 && index >= olds.len() && index < news.len();
                is_hole || olds.get(index) == Some(byte) || news.get(index) == Some(byte)
            };
            if !now.iter().enumerate().all(is_own) {
                return Ok(false);
            }
            at += length;
        }
        Ok(true)
    }
}

fn size_of(file: &File) -> io::Result<u64> {
    Ok(system::status_of(file)?.identity.size)
}
