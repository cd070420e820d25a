//! What the bytes of a document come from.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// Something to read.
pub(super) enum Source {
    /// Shared with who writes it: many at once are held open.
    File(Arc<File>),
    /// The same, read from an offset of its own.
    Shared(Arc<File>, u64),
    /// It is read once.
    Stream(Box<dyn Read + Send>),
    /// A stream that was kept.
    Memory(io::Cursor<Vec<u8>>),
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = match self {
                Self::File(file) => (&**file).read(buffer),
                Self::Shared(file, offset) => {
                    file.read_at(buffer, *offset).inspect(|&count| *offset += count as u64)
                }
                Self::Stream(stream) => stream.read(buffer),
                Self::Memory(memory) => memory.read(buffer),
            };
            if !read.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::Interrupted) {
                return read;
            }
        }
    }
}

impl Source {
    /// Goes to an offset; a stream cannot.
    pub(super) fn seek(&mut self, offset: u64) -> io::Result<()> {
        let to = SeekFrom::Start(offset);
        let moved = match self {
            Self::File(file) => (&**file).seek(to),
            Self::Shared(_, at) => {
                *at = offset;
                Ok(offset)
            }
            Self::Memory(memory) => memory.seek(to),
            Self::Stream(_) => Err(io::Error::from(io::ErrorKind::NotSeekable)),
        };
        moved.map(|_| ())
    }
}
