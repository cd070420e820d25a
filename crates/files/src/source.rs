//! The source of the bytes of a document.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// An input that can be read.
pub(super) enum Source {
    /// An open file. It is shared with the code that writes it, because the number of open files is
    /// limited.
    File(Arc<File>),
    /// An open file that is read from a separate offset.
    Shared(Arc<File>, u64),
    /// A stream, which can be read only once.
    Stream(Box<dyn Read + Send>),
    /// The contents of a stream in memory.
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
    /// Seeks to an offset. Fails for a stream.
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
