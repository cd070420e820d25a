//! Writes an edited document into another file. Unchanged bytes are shared or copied by the kernel
//! if possible. The memory used does not depend on the size of the document.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use sha2::{Digest, Sha256};

use crate::files::{history, system};
use crate::text::edit::{EditSet, Piece};
use crate::text::span::Span;

/// The size of the buffer in bytes.
const BUFFER: usize = 256 * 1024;

/// The length of the shortest run that is copied by the kernel.
const MIN_RANGE: u64 = 1 << 20;

/// Reads the runs of a file in order, through one buffer.
pub(super) struct Source<'a> {
    file: &'a File,
    // The bytes at `offset` of the file.
    buffer: Vec<u8>,
    offset: u64,
    limit: u64,
}

impl<'a> Source<'a> {
    /// Reads a file of `limit` bytes.
    pub(super) fn new(file: &'a File, limit: u64) -> Self {
        Self { file, buffer: Vec::new(), offset: 0, limit }
    }

    /// Calls `take` with the parts of a run of bytes.
    ///
    /// # Errors
    ///
    /// Fails with `UnexpectedEof` if the file is shorter.
    pub(super) fn each(
        &mut self,
        span: Span,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut at = span.start();
        while at < span.end() {
            let end = self.offset + self.buffer.len() as u64;
            if at < self.offset || at >= end {
                self.fill(at)?;
                continue;
            }
            let from = (at - self.offset) as usize;
            let until = (span.end().min(end) - self.offset) as usize;
            take(&self.buffer[from..until])?;
            at = self.offset + until as u64;
        }
        Ok(())
    }

    fn fill(&mut self, at: u64) -> io::Result<()> {
        let wanted = usize::try_from(self.limit.saturating_sub(at)).unwrap_or(BUFFER).min(BUFFER);
        if wanted == 0 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
        self.buffer.resize(wanted, 0);
        self.offset = at;
        self.file.read_exact_at(&mut self.buffer, at)
    }
}

/// Writes to a file from an offset on, through one buffer.
pub(super) struct Sink<'a> {
    file: &'a File,
    buffer: Vec<u8>,
    // The offset of the buffer in the file.
    offset: u64,
}

impl<'a> Sink<'a> {
    /// Writes to a file from an offset on.
    pub(super) fn new(file: &'a File, offset: u64) -> Self {
        Self { file, buffer: Vec::new(), offset }
    }

    /// The offset of the next byte.
    fn position(&self) -> u64 {
        self.offset + self.buffer.len() as u64
    }

    /// Writes bytes.
    pub(super) fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.buffer.len() + bytes.len() > BUFFER {
            self.flush()?;
        }
        if bytes.len() >= BUFFER {
            self.file.write_all_at(bytes, self.offset)?;
            self.offset += bytes.len() as u64;
        } else {
            self.buffer.extend_from_slice(bytes);
        }
        Ok(())
    }

    /// Writes the buffered bytes to the file.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.file.write_all_at(&self.buffer, self.offset)?;
        self.offset += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Skips bytes that are already in the file.
    fn skip(&mut self, count: u64) -> io::Result<()> {
        self.flush()?;
        self.offset += count;
        Ok(())
    }

    /// Lets the kernel copy a run; returns how many bytes it copied.
    fn copy(&mut self, from: &File, span: Span) -> io::Result<u64> {
        self.flush()?;
        let mut done = 0;
        while done < span.len() {
            let (start, left) = (span.start() + done, span.len() - done);
            match system::copy_range(from, start, self.file, self.offset, left) {
                Ok(0) => break,
                Ok(count) => {
                    done += count;
                    self.offset += count;
                }
                Err(rustix::io::Errno::NOSPC | rustix::io::Errno::DQUOT) => {
                    return Err(rustix::io::Errno::NOSPC.into());
                }
                // Another error is reported by reading or writing the rest.
                Err(_) => break,
            }
        }
        Ok(done)
    }
}

/// Copies a run of a file to an offset of another.
pub(super) fn copy_span(from: &File, span: Span, to: &File, at: u64) -> io::Result<()> {
    let mut sink = Sink::new(to, at);
    copy_run(&mut Source::new(from, span.end()), span, &mut sink)?;
    sink.flush()
}

fn copy_run(source: &mut Source<'_>, span: Span, sink: &mut Sink<'_>) -> io::Result<()> {
    let copied = if span.len() >= MIN_RANGE { sink.copy(source.file, span)? } else { 0 };
    source.each(Span::new(span.start() + copied, span.end()), |bytes| sink.put(bytes))
}

/// Writes a document of `length` bytes, with edits applied, into a new, empty file.
///
/// # Errors
///
/// Fails with `UnexpectedEof` if the document is shorter.
pub(super) fn write_edited(old: &File, length: u64, edits: &EditSet, new: &File) -> io::Result<()> {
    // Shared bytes that keep their offset need not be written.
    let kept = edits.edits().first().map_or(length, |edit| edit.span.start());
    let shared = kept >= MIN_RANGE && system::share_all(old, new).is_ok();
    let mut source = Source::new(old, length);
    let mut sink = Sink::new(new, 0);
    for piece in edits.pieces(length) {
        match piece {
            Piece::New(bytes) => sink.put(bytes)?,
            Piece::Old(span) if shared && span.start() == sink.position() => {
                sink.skip(span.len())?;
            }
            Piece::Old(span) => copy_run(&mut source, span, &mut sink)?,
        }
    }
    sink.flush()?;
    if shared {
        new.set_len(sink.position())?;
    }
    Ok(())
}

/// The SHA-256 of spans of a document of `length` bytes after its edits, in hexadecimal digits.
pub(crate) fn hash_edited(
    file: &File,
    length: u64,
    edits: &EditSet,
    spans: &[Span],
) -> io::Result<String> {
    let mut sum = Sha256::new();
    let mut source = Source::new(file, length);
    read_edited(&mut source, length, edits, spans, &mut |bytes| sum.update(bytes))?;
    Ok(history::digits(sum))
}

/// Calls `take` with the bytes of sorted, disjoint spans of a document of `length` bytes after its
/// edits.
pub(super) fn read_edited(
    source: &mut Source<'_>,
    length: u64,
    edits: &EditSet,
    spans: &[Span],
    take: &mut dyn FnMut(&[u8]),
) -> io::Result<()> {
    let mut spans = spans.iter().copied().peekable();
    let mut at = 0;
    for piece in edits.pieces(length) {
        let count = match piece {
            Piece::New(bytes) => bytes.len() as u64,
            Piece::Old(span) => span.len(),
        };
        let end = at + count;
        while let Some(span) = spans.peek().filter(|span| span.start() < end) {
            let from = span.start().max(at) - at;
            let until = span.end().min(end) - at;
            if from < until {
                match piece {
                    Piece::New(bytes) => take(&bytes[from as usize..until as usize]),
                    Piece::Old(old) => {
                        let part = Span::new(old.start() + from, old.start() + until);
                        source.each(part, |bytes| {
                            take(bytes);
                            Ok(())
                        })?;
                    }
                }
            }
            if span.end() > end {
                break;
            }
            spans.next();
        }
        at = end;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::edit::Edit;

    #[track_caller]
    fn check(length: usize, edits: &[(u64, u64, usize)]) {
        let old: Vec<u8> = (0..length).map(|at| (at * 31 % 251) as u8).collect();
        let edits = edits
            .iter()
            .map(|&(start, end, count)| Edit::new(Span::new(start, end), vec![b'+'; count]));
        let edits = EditSet::new(edits.collect()).expect("disjoint");
        let from = tempfile::tempfile().expect("a file");
        from.write_all_at(&old, 0).expect("written");
        let to = tempfile::tempfile().expect("a file");
        write_edited(&from, length as u64, &edits, &to).expect("written");
        let expected = edits.apply(&old);
        let mut found = vec![0; expected.len() + 1];
        let count = io::Read::read(&mut &to, &mut found).expect("read");
        assert!(found[..count] == expected, "{count} of {} bytes", expected.len());
        for part in [1, 3, 1000] {
            let cut = |index| (expected.len() * index / part) as u64;
            let spans = (0..part).step_by(2).map(|index| Span::new(cut(index), cut(index + 1)));
            let spans: Vec<Span> = spans.collect();
            let mut read = Vec::new();
            let mut take = |bytes: &[u8]| read.extend_from_slice(bytes);
            read_edited(
                &mut Source::new(&from, length as u64),
                length as u64,
                &edits,
                &spans,
                &mut take,
            )
            .expect("read");
            let parts = spans.iter().map(|s| &expected[s.start() as usize..s.end() as usize]);
            assert!(read == parts.flatten().copied().collect::<Vec<u8>>(), "{part} parts");
        }
    }

    #[test]
    fn the_edited_document_is_written() {
        check(0, &[(0, 0, 3)]);
        check(10, &[(0, 10, 0)]);
        check(10, &[(3, 4, 2), (9, 10, 1)]);
        check(700_000, &[(1, 2, 300_000), (300_000, 400_000, 5), (700_000, 700_000, 7)]);
        check(5 << 20, &[(2 << 20, (2 << 20) + 3, 3), (4 << 20, 5 << 20, 1)]);
        check(5 << 20, &[(0, 1, 0)]);
        let many: Vec<_> = (0..30_000).map(|at| (at * 100, at * 100 + 7, 9)).collect();
        check(4 << 20, &many);
    }

    #[test]
    fn a_shorter_document_is_an_error() {
        let from = tempfile::tempfile().expect("a file");
        from.set_len(10).expect("set");
        let to = tempfile::tempfile().expect("a file");
        for length in [11, 3 << 20] {
            let error = write_edited(&from, length, &EditSet::default(), &to).err();
            assert_eq!(error.map(|error| error.kind()), Some(io::ErrorKind::UnexpectedEof));
        }
    }
}
