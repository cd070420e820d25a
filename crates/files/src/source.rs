//! Where the bytes of a document come from: an open file, which can be read at any offset, or a
//! stream, which can be read only once.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

use super::config::Formats;
use super::env::Cancel;
use super::system::{self, Status};
use crate::error::Error;
use folio_outline::document::{Source, changed};
use folio_outline::format::Format;

/// A file or a stream, as the source of a document.
pub(super) struct DiskSource {
    pub(super) content: ByteSource,
    pub(super) path: PathBuf,
    pub(super) formats: Formats,
    pub(super) cancel: Cancel,
}

impl Source for DiskSource {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        match &self.content {
            ByteSource::File(file) => file.read_at(buffer, offset),
            ByteSource::Stream(stream) => stream.borrow_mut().read_at(buffer, offset),
        }
    }

    fn size(&self) -> Option<u64> {
        match &self.content {
            ByteSource::File(file) => Some(file.status.identity.size),
            ByteSource::Stream(_) => None,
        }
    }

    fn check(&self) -> io::Result<()> {
        self.cancel.check().map_err(io::Error::other)
    }

    fn format_of(&self, name: &str) -> Option<Format> {
        self.formats.by_name(name)
    }

    fn describe(&self, error: io::Error) -> io::Error {
        io::Error::other(Error::io(&error, &self.path))
    }
}

/// Where bytes are read.
pub(super) enum ByteSource {
    File(OpenFile),
    Stream(RefCell<OpenStream>),
}

/// An open regular file. It is shared with the code that writes it, because the number of open
/// files is limited. Bytes that are appended after it was opened are ignored, so each pass over the
/// document reads the same bytes.
pub(super) struct OpenFile {
    pub(super) file: Arc<File>,
    /// The status when the file was opened.
    pub(super) status: Status,
    /// The number of bytes that were read when the file was opened. Each pass over the document
    /// reads the bytes from here on.
    pub(super) known: u64,
}

impl OpenFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let size = self.status.identity.size;
        let left = usize::try_from(size.saturating_sub(offset)).unwrap_or(usize::MAX);
        if left == 0 {
            return Ok(0);
        }
        if offset == self.known {
            self.check_unchanged()?;
        }
        let length = left.min(buffer.len());
        let count = uninterrupted(|| self.file.read_at(&mut buffer[..length], offset))?;
        if count == 0 && length > 0 {
            return Err(changed());
        }
        if count == left {
            self.check_unchanged()?;
        }
        Ok(count)
    }

    /// Fails if the file became shorter, or was rewritten. Other programs may append to a log.
    fn check_unchanged(&self) -> io::Result<()> {
        let now = system::status_of(&self.file)?.identity;
        let opened = self.status.identity;
        let is_rewritten = now.size == opened.size && now.mtime != opened.mtime;
        if now.size < opened.size || is_rewritten { Err(changed()) } else { Ok(()) }
    }
}

/// A stream, such as a pipe or a device.
pub(super) struct OpenStream {
    pub(super) stream: Box<dyn Read + Send>,
    /// The offset of the next byte.
    pub(super) next: u64,
}

impl OpenStream {
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        if offset != self.next {
            return Err(io::Error::other("a stream can be read only once"));
        }
        let count = uninterrupted(|| self.stream.read(buffer))?;
        self.next += count as u64;
        Ok(count)
    }
}

/// Repeats a call that a signal interrupted.
pub(super) fn uninterrupted(mut read: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match read() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}
