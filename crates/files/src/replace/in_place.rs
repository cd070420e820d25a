//! Writes to the file itself. The old and the new bytes are first copied to the state directory, so
//! that a crash while writing can be recovered.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use rustix::fs::{Timespec, Timestamps, UTIME_OMIT};

use super::content::{copy_span, write_edited};
use super::failpoints::{self, Point};
use super::places::MAX_AROUND;
use super::slot::{InPlace, Reverted};
use crate::error::Error;
use crate::history;
use crate::records::Region;
use crate::state;
use crate::system;
use folio_text::edit::EditSet;
use folio_text::span::Span;

/// Number of bytes to compare at once.
const CHUNK: u64 = 64 * 1024;

/// Returns the region of a document that its edits change or move.
pub(super) fn region(edits: &EditSet, length: u64) -> Region {
    let list = edits.edits();
    let new_length = edits.new_length(length);
    let start = list.first().map_or(length, |edit| edit.span.start());
    let last = list.last().map_or(length, |edit| edit.span.end());
    let end = if new_length == length { last } else { length };
    let old = end - start;
    Region { start, old, new: old + new_length - length }
}

impl InPlace<'_> {
    pub(super) fn write_copy(&self, file: &File, edits: &EditSet, sync: bool) -> io::Result<File> {
        let copy = state::create_private(&self.slot.copy)?;
        let Region { start, old, new } = self.region;
        // The history reads the hashed bytes and the context of each edit.
        let hashed = history::hashed_spans(self.new_size(), &edits.new_spans());
        let [first, last] = [hashed.first(), hashed.last()];
        let begin = first.map_or(start, |span| span.start().min(start));
        let end = last.map_or(0, |span| span.end()).max(start + new + MAX_AROUND);
        let window = Span::new(begin, end.min(self.new_size()));
        write_edited(file, self.old.size, edits, window, &copy)?;
        copy_span(file, Span::new(start, start + old), &copy, self.new_size())?;
        if sync {
            system::sync(&copy)?;
        }
        Ok(copy)
    }

    /// Writes the new bytes.
    pub(super) fn write(&self, file: &File) -> Result<(), Error> {
        let failed = |error: io::Error| Error::io(&error, &self.slot.path());
        let Region { start, old, new } = self.region;
        let copy = state::open_owned(&self.slot.copy, false).map_err(failed)?;
        let half = start + new / 2;
        copy_span(&copy, Span::new(start, half), file, start).map_err(failed)?;
        failpoints::reached(Point::HalfWritten)?;
        copy_span(&copy, Span::new(half, start + new), file, half).map_err(failed)?;
        if new < old {
            // Writing would overwrite bytes that another program has appended.
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

    fn copy(&self) -> io::Result<Option<File>> {
        match state::open_owned(&self.slot.copy, true) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            copy => copy.map(Some),
        }
    }

    /// Restores the old bytes before those that another program appended. If other bytes of the
    /// file were changed, or the file was moved or replaced, leaves it unchanged and keeps the old
    /// bytes.
    pub(super) fn revert(&self) -> io::Result<Reverted> {
        let copy = self.copy()?;
        let now = self.slot.original_status()?.filter(|now| now.identity.inode == self.old.inode);
        if let (Some(now), Some(copy)) = (now, &copy) {
            let file = system::open_file(&self.slot.directory, self.slot.name(), true)?;
            // The bytes are compared, because the clock of the file system may not be precise.
            if now.identity == self.old && self.matches(&file, copy, self.old.size, 0)? {
                return Ok(Reverted::Nothing);
            }
            if let Some(appended) = self.restore(&file, copy)? {
                return Ok(Reverted::Yes { appended });
            }
        }
        let kept = self.slot.copy.with_extension("kept");
        if let Some(copy) = copy {
            // An interrupted recovery may have written part of this file.
            state::remove_file(&kept)?;
            let file = state::create_private(&kept)?;
            // The file contains the old bytes, and appended bytes that an earlier recovery moved.
            copy_span(&copy, Span::new(self.new_size(), size_of(&copy)?), &file, 0)?;
            system::sync(&file)?;
        }
        Ok(Reverted::No { kept: state::is_there(&kept)?.then_some(kept) })
    }

    /// Restores the old bytes. Returns the number of bytes that another program appended, or `None`
    /// if it changed other bytes.
    fn restore(&self, file: &File, copy: &File) -> io::Result<Option<u64>> {
        let (Region { start, old, new }, new_size) = (self.region, self.new_size());
        let (size, old_size) = (size_of(file)?, self.old.size);
        // The possible ends of folio's bytes. Another program may have appended bytes before or
        // after the length of the file was changed.
        let possible = old_size.min(new_size)..=old_size.max(new_size);
        let ends = [size, *possible.end(), new_size];
        let mut written_end = None;
        for end in ends.into_iter().filter(|end| *end <= size && possible.contains(end)) {
            if written_end.is_none() && self.matches(file, copy, end, new)? {
                written_end = Some(end);
            }
        }
        let Some(written_end) = written_end else { return Ok(None) };
        let appended = size - written_end;
        let old_bytes = Span::new(new_size, new_size + old);
        let tail = Span::new(old_bytes.end(), old_bytes.end() + appended);
        if written_end != old_size {
            // The appended bytes are copied before they are overwritten.
            copy_span(file, Span::new(written_end, size), copy, tail.start())?;
        }
        copy_span(copy, old_bytes, file, start)?;
        if written_end != old_size {
            copy_span(copy, tail, file, old_size)?;
        }
        if written_end > old_size {
            file.set_len(old_size + appended)?;
        }
        if appended == 0 {
            let (tv_sec, tv_nsec) = self.old.mtime;
            let last_access = Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
            let last_modification = Timespec { tv_sec: tv_sec as _, tv_nsec: tv_nsec as _ };
            // If this fails, the file only seems newer than it is.
            let _ = rustix::fs::futimens(file, &Timestamps { last_access, last_modification });
        }
        system::sync(file)?;
        Ok(Some(appended))
    }

    /// Whether each byte of the region, up to the offset `size`, is the old byte or one of the
    /// first `new` new bytes at this position. An interrupted run leaves such a mixture. A NUL byte
    /// after the old end may be a byte that was not written yet.
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
            let is_expected = |(index, byte): (usize, &u8)| {
                let is_hole = *byte == 0 && index >= olds.len() && index < news.len();
                is_hole || olds.get(index) == Some(byte) || news.get(index) == Some(byte)
            };
            if !now.iter().enumerate().all(is_expected) {
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
