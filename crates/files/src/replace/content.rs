//! Writes an edited document to another file. If possible, the kernel shares or copies unchanged
//! bytes. The memory use does not depend on the size of the document.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Cursor, Read, Seek, SeekFrom, Write};

use sha2::{Digest, Sha256};

use crate::history;
use folio_text::edit::{EditSet, Piece};
use folio_text::span::Span;

/// The size of the buffer in bytes.
const BUFFER: usize = 64 * 1024;

/// Minimum number of consecutive bytes that the kernel copies.
const MIN_RANGE: u64 = 1 << 20;

/// Reads ranges of bytes of a file.
pub(super) struct Source<'a> {
    reader: Box<dyn Bytes + 'a>,
    at: u64,
}

trait Bytes: BufRead + Seek {}

impl<T: BufRead + Seek> Bytes for T {}

impl<'a> Source<'a> {
    pub(super) fn new(mut file: &'a File) -> io::Result<Self> {
        file.rewind()?;
        Ok(Self { reader: Box::new(BufReader::with_capacity(BUFFER, file)), at: 0 })
    }

    /// Creates a source for a file whose bytes are in memory.
    pub(super) fn of_bytes(bytes: &'a [u8]) -> Self {
        Self { reader: Box::new(Cursor::new(bytes)), at: 0 }
    }

    /// Returns the SHA-256 of sorted spans, in hexadecimal digits.
    pub(super) fn hash(&mut self, spans: &[Span]) -> io::Result<String> {
        let mut sum = Sha256::new();
        for span in spans {
            self.for_each_piece(*span, |bytes| {
                sum.update(bytes);
                Ok(())
            })?;
        }
        Ok(history::hex_digits(sum))
    }

    /// Calls `take` with the bytes of a span, in pieces.
    ///
    /// # Errors
    ///
    /// Fails with `UnexpectedEof` if the file is too short.
    pub(super) fn for_each_piece(
        &mut self,
        span: Span,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        self.reader.seek_relative(span.start() as i64 - self.at as i64)?;
        self.at = span.start();
        while self.at < span.end() {
            let bytes = self.reader.fill_buf()?;
            if bytes.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let left = usize::try_from(span.end() - self.at).unwrap_or(usize::MAX);
            let count = bytes.len().min(left);
            take(&bytes[..count])?;
            self.reader.consume(count);
            self.at += count as u64;
        }
        Ok(())
    }
}

pub(super) fn writer_at(mut file: &File, at: u64) -> io::Result<BufWriter<&File>> {
    file.seek(SeekFrom::Start(at))?;
    Ok(BufWriter::with_capacity(BUFFER, file))
}

/// Copies a span of a file to an offset of another file, and leaves both files at the ends of the
/// copied bytes.
///
/// # Errors
///
/// Fails with `UnexpectedEof` if the file is too short.
pub(super) fn copy_span(mut from: &File, span: Span, mut to: &File, at: u64) -> io::Result<()> {
    from.seek(SeekFrom::Start(span.start()))?;
    to.seek(SeekFrom::Start(at))?;
    match io::copy(&mut from.take(span.len()), &mut to)? {
        count if count < span.len() => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(()),
    }
}

/// Writes a part of a document of `length` bytes, with edits applied, to the same offset in a new,
/// empty file.
///
/// # Errors
///
/// Fails with `UnexpectedEof` if the document is too short.
pub(super) fn write_edited(
    old: &File,
    length: u64,
    edits: &EditSet,
    part: Span,
    new: &File,
) -> io::Result<()> {
    let (mut source, mut sink) = (Source::new(old)?, writer_at(new, part.start())?);
    let mut at = 0;
    for piece in edits.pieces(length) {
        let length = match &piece {
            Piece::New(bytes) => bytes.len() as u64,
            Piece::Old(span) => span.len(),
        };
        let [from, to] = [part.start(), part.end()].map(|end| end.saturating_sub(at).min(length));
        match piece {
            _ if from == to => {}
            Piece::New(bytes) => sink.write_all(&bytes[from as usize..to as usize])?,
            Piece::Old(span) => {
                let kept = Span::new(span.start() + from, span.start() + to);
                if kept.len() < MIN_RANGE {
                    source.for_each_piece(kept, |bytes| sink.write_all(bytes))?;
                } else {
                    sink.flush()?;
                    copy_span(old, kept, new, at + from)?;
                    source = Source::new(old)?;
                }
            }
        }
        at += length;
    }
    sink.flush()
}

/// Returns the SHA-256 of sorted spans of a file, in hexadecimal digits.
pub(crate) fn hash_spans(file: &File, spans: &[Span]) -> io::Result<String> {
    Source::new(file)?.hash(spans)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;
    use folio_text::edit::Edit;

    #[track_caller]
    fn check(length: usize, edits: &[(u64, u64, usize)]) {
        let old: Vec<u8> = (0..length).map(|at| (at * 31 % 251) as u8).collect();
        let edits = edits
            .iter()
            .map(|&(start, end, count)| Edit::new(Span::new(start, end), vec![b'+'; count]));
        let edits = EditSet::new(edits.collect()).expect("disjoint");
        let from = tempfile::tempfile().expect("a file");
        from.write_all_at(&old, 0).expect("written");
        let expected = edits.apply(&old);
        let size = expected.len();
        let mut found = vec![0; size + 1];
        for (start, end) in [(0, size), (size / 3, size / 2), (size / 2, size / 2)] {
            let part = Span::new(start as u64, end as u64);
            let to = tempfile::tempfile().expect("a file");
            write_edited(&from, length as u64, &edits, part, &to).expect("written");
            let count = to.read_at(&mut found, start as u64).expect("read");
            assert!(found[..count] == expected[start..end], "{count} bytes of {part:?}");
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
            let error =
                write_edited(&from, length, &EditSet::default(), Span::new(0, length), &to).err();
            assert_eq!(error.map(|error| error.kind()), Some(io::ErrorKind::UnexpectedEof));
        }
    }
}
