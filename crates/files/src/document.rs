//! Reads documents as blocks of whole lines, once from start to end and through one buffer.

use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::config::Formats;
use super::env::{Cancel, Env};
use super::pipe::Input;
use super::source::Source;
use crate::error::{Code, Error, Hint, shell_path};
use folio_outline::format::Format;
use folio_outline::outline::{Outline, OutlineBuilder, Wants};
use folio_text::encoding::{Encoding, SNIFF_LIMIT, is_binary, is_utf32};
use folio_text::lines::Block;
use folio_text::span::Span;

/// Number of bytes to read at once. A chunk is small enough to stay in the processor's cache until
/// it is scanned.
const CHUNK: usize = 128 * 1024;

/// Maximum length of a line in one block. The rest of a longer line is in further blocks.
pub const MAX_LINE: usize = 1024 * 1024;

/// Options for opening documents.
#[derive(Clone, Debug, Default)]
pub struct DocumentOptions {
    /// The label of the encoding. If it is `None`, the encoding is detected.
    pub encoding: Option<String>,
    /// Whether to read binary files as text.
    pub binary: bool,
    /// The format. If it is `None`, the format is detected.
    pub format: Option<Format>,
    /// Whether to detect the format and encoding of a stream from the bytes that arrive first,
    /// instead of waiting for more.
    pub as_it_comes: bool,
}

impl DocumentOptions {
    /// Fails if the label does not belong to an encoding.
    pub fn check(&self) -> Result<(), Error> {
        match &self.encoding {
            Some(label) if Encoding::for_label(label, b"").is_none() => Err(unknown_label(label)),
            _ => Ok(()),
        }
    }
}

/// An open document.
pub struct Document {
    path: PathBuf,
    source: Source,
    // Bytes that are read but not yet processed: `buffer[..filled]`, at `offset` of the file.
    buffer: Vec<u8>,
    filled: usize,
    offset: u64,
    at_end: bool,
    size: Option<u64>,
    encoding: Encoding,
    bom: usize,
    format: Format,
    line_limit: usize,
    is_binary: bool,
    is_utf32: bool,
    prints_nul: bool,
    /// Number of bytes of a stream that are enough to detect its format.
    enough: usize,
    cancel: Cancel,
    formats: Formats,
}

impl Document {
    /// Opens a file.
    pub fn open(path: &Path, options: &DocumentOptions, env: &Env) -> Result<Self, Error> {
        Self::of_input(path, Input::open(path, env)?, options, env)
    }

    fn of_input(
        path: &Path,
        input: Input,
        options: &DocumentOptions,
        env: &Env,
    ) -> Result<Self, Error> {
        let (source, size) = match input {
            Input::File(_, status) if status.kind.is_dir() => {
                return Err(Error::new(Code::NotAFile, "Is a directory").at(path));
            }
            Input::File(file, status) => {
                let size = status.kind.is_file().then_some(status.identity.size);
                (Source::File(Arc::new(file)), size)
            }
            Input::Pipe(pipe) => (Source::Stream(Box::new(pipe)), None),
        };
        Self::start(path, source, size, options, &env.cancel, &env.formats, Vec::new())
    }

    /// Opens a regular file. FIFOs and devices are refused immediately.
    pub fn open_regular(path: &Path, options: &DocumentOptions, env: &Env) -> Result<Self, Error> {
        let input = Input::open(path, env)?;
        let what = match &input {
            Input::Pipe(pipe) if pipe.is_named() => "a pipe",
            Input::File(_, status) if !(status.kind.is_file() || status.kind.is_dir()) => {
                "a device"
            }
            _ => return Self::of_input(path, input, options, env),
        };
        let message = format!("it is {what}, which may have no end");
        Err(Error::new(Code::NotRegular, message)
            .at(path)
            .hint("- instead of the file name reads it from standard input"))
    }

    /// Creates a document from an open file, which must be at its start.
    pub fn of_file(
        path: &Path,
        file: Arc<File>,
        options: &DocumentOptions,
        env: &Env,
    ) -> Result<Self, Error> {
        let size = size_of(&file, path)?;
        Self::start(path, Source::File(file), size, options, &env.cancel, &env.formats, Vec::new())
    }

    /// Opens a regular file found by a walk, reusing the buffer of another document.
    pub fn open_walked(
        path: &Path,
        options: &DocumentOptions,
        env: &Env,
        buffer: Vec<u8>,
    ) -> Result<Self, Error> {
        let source = Source::File(Arc::new(env.roots.open_file(path)?));
        let (cancel, formats) = (&env.cancel, &env.formats);
        let mut document = Self::start(path, source, None, options, cancel, formats, buffer)?;
        if document.at_end {
            document.size = Some(document.filled as u64);
        } else if let Source::File(file) = &document.source {
            document.size = size_of(file, path)?;
        }
        Ok(document)
    }

    /// Creates a document from a stream, such as standard input, or from text in memory.
    pub fn stream(
        name: &Path,
        stream: Box<dyn Read + Send>,
        options: &DocumentOptions,
        cancel: &Cancel,
    ) -> Result<Self, Error> {
        let (source, formats) = (Source::Stream(stream), Formats::default());
        Self::start(name, source, None, options, cancel, &formats, Vec::new())
    }

    /// Returns the object with which the run can be cancelled.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    fn start(
        path: &Path,
        source: Source,
        size: Option<u64>,
        options: &DocumentOptions,
        cancel: &Cancel,
        formats: &Formats,
        buffer: Vec<u8>,
    ) -> Result<Self, Error> {
        let mut document = Self {
            path: path.to_owned(),
            source,
            buffer,
            filled: 0,
            offset: 0,
            at_end: false,
            size,
            encoding: Encoding::Utf8,
            bom: 0,
            format: Format::Text,
            line_limit: MAX_LINE,
            is_binary: false,
            is_utf32: false,
            prints_nul: false,
            enough: if options.as_it_comes { 1 } else { SNIFF_LIMIT },
            cancel: cancel.clone(),
            formats: formats.clone(),
        };
        document.fill().map_err(|error| Error::io(&error, path))?;
        let head = &document.buffer[..document.filled];
        document.encoding = match &options.encoding {
            None => Encoding::detect(head),
            Some(label) => Encoding::for_label(label, head).ok_or_else(|| unknown_label(label))?,
        };
        document.bom = document.encoding.bom_length(head);
        document.is_binary = is_binary(head, document.encoding);
        document.is_utf32 = document.is_binary && is_utf32(head);
        document.prints_nul = options.binary || document.encoding.unit() > 1;
        if !options.binary && document.is_binary {
            return Err(document.binary_error());
        }
        document.format = match options.format {
            Some(format) => format,
            None => document.detect_format(),
        };
        document.format = document.format.at(path);
        Ok(document)
    }

    fn detect_format(&self) -> Format {
        let name = self.path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        if let Some(format) = self.formats.by_name(&name) {
            return format;
        }
        // The contents of a pipe need not have the format that its name suggests.
        let is_stream = matches!(self.source, Source::Stream(_));
        let name = if is_stream { "-".into() } else { name };
        let head = &self.buffer[self.bom..self.filled.min(SNIFF_LIMIT).max(self.bom)];
        let head = match self.encoding.after_last_line_feed(head) {
            Some(end) if !self.at_end || head.len() == SNIFF_LIMIT => &head[..end],
            _ => head,
        };
        if self.encoding.is_utf8() {
            return Format::by_content(&name, head);
        }
        let mut text = Vec::new();
        self.encoding.decode(head, &mut text);
        Format::by_content(&name, &text)
    }

    /// Returns the path by which the document was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Detects the format by name and content. This is for callers that open many documents but
    /// rarely need the format. The document must be at its start.
    pub fn detect_format_late(&mut self) {
        self.format = self.detect_format().at(&self.path);
    }

    /// Returns the complete text without byte order mark, if the buffer contains all of it.
    pub fn contents(&self) -> Option<&[u8]> {
        (self.offset == 0 && self.at_end).then(|| &self.buffer[self.bom..self.filled])
    }

    /// Reads the complete text, if [`Document::contents`] does not return it. The document must be
    /// at its start; afterwards, it is at its end.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read.
    pub fn read_beyond(&mut self) -> Result<Option<Vec<u8>>, Error> {
        if self.encoding.is_utf8() && self.contents().is_some() {
            return Ok(None);
        }
        let mut text = Vec::new();
        self.blocks(|block| {
            text.extend_from_slice(block.bytes);
            ControlFlow::Continue(())
        })?;
        Ok(Some(text))
    }

    /// Returns a reader of the remaining bytes, without byte order mark. This is for callers that
    /// find lines themselves.
    pub fn reader(&mut self) -> impl Read + '_ {
        if self.offset == 0 {
            self.drop_front(self.bom);
        }
        Remaining(self)
    }

    /// Returns the encoding.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns the length of the byte order mark in bytes.
    pub fn bom_length(&self) -> usize {
        self.bom
    }

    /// Returns the format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Whether the document is binary: its first 64 KiB ([`SNIFF_LIMIT`]) contain a NUL byte that
    /// is not part of a UTF-16 character. Later NUL bytes do not make a document binary, but folio
    /// does not print lines with NUL bytes.
    pub fn is_binary(&self) -> bool {
        self.is_binary
    }

    /// Whether lines with NUL bytes may be printed.
    pub fn prints_nul(&self) -> bool {
        self.prints_nul
    }

    /// Returns the error for a binary document, or for a line with a NUL byte.
    pub fn binary_error(&self) -> Error {
        if self.is_utf32 {
            let error =
                Error::new(Code::UnsupportedEncoding, "it is UTF-32, which folio does not read");
            let path = shell_path(&self.path);
            let convert = format!("iconv -f UTF-32 -t UTF-8 {path}  # prints it as UTF-8");
            return error.at(&self.path).hint(convert);
        }
        Error::new(Code::BinaryFile, "binary file: it contains a NUL byte")
            .at(&self.path)
            .hint(Hint::flag(["--binary"]).why("read it as text anyway"))
    }

    /// Returns the size in bytes when the document was opened, if known.
    pub fn size(&self) -> Option<u64> {
        self.size
    }

    /// From now on, returns each line in one block, regardless of its length. Patterns require
    /// this.
    pub fn take_whole_lines(&mut self) {
        self.line_limit = usize::MAX;
    }

    /// Returns the buffer, to reuse it for another document.
    pub fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }

    /// Reads until the buffer is full or the document ends, so that the first block is enough for
    /// detection.
    fn fill(&mut self) -> io::Result<()> {
        let expected = self.size.map_or(CHUNK, |size| {
            usize::try_from(size).unwrap_or(CHUNK).saturating_add(1).min(CHUNK)
        });
        // If the file has the expected size, this extra byte makes another read at the end
        // unnecessary.
        let wanted = expected.max(4096);
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
        while self.filled < self.buffer.len() && !self.at_end {
            let count = self.source.read(&mut self.buffer[self.filled..])?;
            self.filled += count;
            self.at_end = count == 0 || self.size == Some(self.offset + self.filled as u64);
            // Data from a pipe is processed as soon as there is enough of it to detect the format.
            if self.size.is_none() && self.filled >= self.enough {
                break;
            }
        }
        Ok(())
    }

    /// Calls `each` with the blocks of the document until `each` breaks. Blocks do not include the
    /// byte order mark. They are decoded if the document is not UTF-8.
    pub fn blocks(
        &mut self,
        mut each: impl FnMut(&Block<'_>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let encoding = self.encoding;
        if encoding.is_utf8() {
            return self.raw_blocks(each);
        }
        let mut text = Vec::new();
        self.raw_blocks(|block| {
            text.clear();
            encoding.decode(block.raw, &mut text);
            each(&Block { bytes: &text, ..*block })
        })
    }

    /// Reads the rest of the document and returns its outline.
    pub fn outline(&mut self, wants: Wants) -> Result<Outline, Error> {
        let mut builder = OutlineBuilder::new(self.format, wants);
        builder.expect_bytes(self.size.unwrap_or(0));
        self.blocks(|block| {
            builder.push(block);
            ControlFlow::Continue(())
        })?;
        Ok(builder.finish())
    }

    /// Calls `each` with the blocks of the document without decoding them. The encoding determines
    /// where lines end.
    pub fn raw_blocks(
        &mut self,
        mut each: impl FnMut(&Block<'_>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let unit = self.encoding.unit();
        let mut continues = false;
        if self.offset == 0 {
            self.drop_front(self.bom);
        }
        // No line ends before this offset, so a long line is not searched again.
        let mut searched = 0;
        loop {
            self.cancel.check()?;
            let text = &self.buffer[..self.filled];
            let last = self.encoding.after_last_line_feed(&text[searched..]);
            let end = match last.map(|end| end + searched) {
                Some(_) if continues => self.encoding.after_line_feed(text, 0),
                last => last,
            };
            let end = match end {
                Some(end) => end,
                None if self.at_end => self.filled,
                None if self.filled < self.line_limit && !continues => {
                    searched = self.filled / unit * unit;
                    self.read_more()?;
                    continue;
                }
                None => self.filled / unit * unit,
            };
            if end == 0 && self.at_end {
                return Ok(());
            }
            if end > 0 {
                let bytes = &self.buffer[..end];
                let block = Block { bytes, offset: self.offset, raw: bytes, continues };
                let ends_line = self.encoding.after_last_line_feed(bytes) == Some(end);
                let stops = each(&block).is_break();
                continues = !ends_line;
                self.drop_front(end);
                searched = 0;
                if stops {
                    return Ok(());
                }
            }
            if self.filled == 0 && self.at_end {
                return Ok(());
            }
            let has_line =
                self.encoding.after_last_line_feed(&self.buffer[..self.filled]).is_some();
            if !(self.at_end || (has_line && end > 0)) {
                self.read_more()?;
            }
        }
    }

    fn drop_front(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        self.buffer.copy_within(count..self.filled, 0);
        self.filled -= count;
        self.offset += count as u64;
    }

    /// Reads more bytes. Enlarges the buffer first if it is full.
    fn read_more(&mut self) -> Result<(), Error> {
        if self.filled == self.buffer.len() {
            let length = (self.buffer.len() * 2).max(CHUNK);
            self.buffer.resize(length, 0);
        } else if self.buffer.len() < CHUNK {
            self.buffer.resize(CHUNK, 0);
        }
        let read = self.source.read(&mut self.buffer[self.filled..]);
        let count = read.map_err(|error| Error::io(&error, &self.path))?;
        self.filled += count;
        self.at_end = count == 0;
        Ok(())
    }

    /// Returns all bytes, including the byte order mark. The document must be at its start.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read, or is larger than `limit` bytes.
    pub fn into_bytes(mut self, limit: u64) -> Result<Vec<u8>, Error> {
        let expected = self.size.unwrap_or_default();
        let mut bytes = std::mem::take(&mut self.buffer);
        bytes.truncate(self.filled);
        if expected <= limit {
            bytes.reserve_exact((expected as usize + 1).saturating_sub(self.filled));
        }
        while expected.max(bytes.len() as u64) <= limit {
            self.cancel.check()?;
            let part = CHUNK as u64 * 64;
            let count = (&mut self.source).take(part).read_to_end(&mut bytes);
            if count.map_err(|error| Error::io(&error, &self.path))? == 0 {
                // A batch may keep many short documents in memory.
                bytes.shrink_to_fit();
                return Ok(bytes);
            }
        }
        let size = expected.max(bytes.len() as u64);
        let message = format!("it has {size} bytes, more than the limit of {limit} for edits");
        Err(Error::new(Code::FileTooLarge, message).at(&self.path))
    }

    /// Opens a UTF-8 document again, at its start. Returns `None` if the document is not a regular
    /// file.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn reread(&self) -> Result<Option<Self>, Error> {
        let (Source::File(file), Some(_)) = (&self.source, self.size) else { return Ok(None) };
        let source = Source::Shared(Arc::clone(file), 0);
        let options = DocumentOptions {
            encoding: Some("utf-8".to_owned()),
            binary: true,
            format: Some(self.format),
            as_it_comes: false,
        };
        let (path, cancel, formats) = (&self.path, &self.cancel, &self.formats);
        Self::start(path, source, self.size, &options, cancel, formats, Vec::new()).map(Some)
    }

    /// Allows the document to be read again: reads a stream into memory.
    pub fn keep(&mut self) -> Result<(), Error> {
        let is_regular = matches!(self.source, Source::File(_)) && self.size.is_some();
        if is_regular || matches!(self.source, Source::Memory(_)) {
            return Ok(());
        }
        let mut bytes = self.buffer[..self.filled].to_vec();
        self.source.read_to_end(&mut bytes).map_err(|error| Error::io(&error, &self.path))?;
        self.size = Some(bytes.len() as u64);
        self.source = Source::Memory(io::Cursor::new(bytes));
        self.filled = 0;
        self.at_end = false;
        self.fill().map_err(|error| Error::io(&error, &self.path))
    }

    /// Seeks to the start. The document must be a file, or a stream that [`Document::keep`] has
    /// read.
    pub fn rewind(&mut self) -> Result<(), Error> {
        self.seek(0)
    }

    /// Seeks to an offset of the file, which must be the start of a line. The next block begins
    /// there.
    pub fn seek(&mut self, offset: u64) -> Result<(), Error> {
        if self.offset == 0 && offset == 0 && self.filled > 0 {
            return Ok(());
        }
        self.seek_source(offset)?;
        self.offset = offset;
        self.filled = 0;
        self.at_end = false;
        self.fill().map_err(|error| Error::io(&error, &self.path))
    }

    /// Reads a span of the file. Fails if the file has fewer bytes.
    pub fn bytes_at(&mut self, span: Span) -> Result<Vec<u8>, Error> {
        // Memory is allocated in steps of this size while the span is read.
        const AT_ONCE: u64 = 4 * 1024 * 1024;
        self.seek_source(span.start())?;
        let mut bytes = Vec::with_capacity(span.len().min(AT_ONCE) as usize);
        let read = (&mut self.source).take(span.len()).read_to_end(&mut bytes);
        read.map_err(|error| Error::io(&error, &self.path))?;
        self.filled = 0;
        self.at_end = false;
        self.offset = span.start() + bytes.len() as u64;
        if bytes.len() as u64 != span.len() {
            return Err(self.changed());
        }
        Ok(bytes)
    }

    /// Reads a span of the file. Callers must request spans in ascending order, because the spans
    /// share a buffer.
    pub fn window(&mut self, span: Span) -> Result<&[u8], Error> {
        let length = span.len() as usize;
        if span.start() < self.offset || span.end() > self.offset + self.filled as u64 {
            self.seek_source(span.start())?;
            self.offset = span.start();
            self.filled = 0;
            self.at_end = false;
            if self.buffer.len() < length {
                self.buffer.resize(length, 0);
            }
            self.fill().map_err(|error| Error::io(&error, &self.path))?;
        }
        let start = (span.start() - self.offset) as usize;
        if start + length > self.filled {
            return Err(self.changed());
        }
        Ok(&self.buffer[start..start + length])
    }

    fn seek_source(&mut self, offset: u64) -> Result<(), Error> {
        self.source.seek(offset).map_err(|error| Error::io(&error, &self.path))
    }

    /// Returns the error for a file that changed while it was read.
    pub fn changed(&self) -> Error {
        Error::new(Code::FileChanged, "the file changed while it was being read")
            .at(&self.path)
            .hint("run the command again")
    }
}

struct Remaining<'a>(&'a mut Document);

impl Read for Remaining<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let document = &mut *self.0;
        if document.filled > 0 {
            let count = document.filled.min(buffer.len());
            buffer[..count].copy_from_slice(&document.buffer[..count]);
            document.drop_front(count);
            return Ok(count);
        }
        if document.at_end {
            return Ok(0);
        }
        document.cancel.check().map_err(io::Error::other)?;
        let count = document.source.read(buffer)?;
        document.at_end = count == 0;
        document.offset += count as u64;
        Ok(count)
    }
}

fn size_of(file: &File, path: &Path) -> Result<Option<u64>, Error> {
    let metadata = file.metadata().map_err(|error| Error::io(&error, path))?;
    Ok(metadata.is_file().then_some(metadata.len()))
}

fn unknown_label(label: &str) -> Error {
    Error::new(Code::UnsupportedEncoding, format!("unknown encoding '{label}'"))
        .hint("use a label of the Encoding Standard: utf-8, utf-16le, latin1, shift_jis, gbk, …")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(bytes: &[u8]) -> Document {
        let stream = Box::new(io::Cursor::new(bytes.to_vec()));
        Document::stream(Path::new("-"), stream, &DocumentOptions::default(), &Cancel::default())
            .expect("a document")
    }

    fn gather(document: &mut Document) -> (Vec<u8>, usize) {
        let mut text = Vec::new();
        let mut blocks = 0;
        document
            .blocks(|block| {
                assert_eq!(block.continues, !text.is_empty() && !text.ends_with(b"\n"));
                text.extend_from_slice(block.bytes);
                blocks += 1;
                ControlFlow::Continue(())
            })
            .expect("readable");
        (text, blocks)
    }

    #[test]
    fn blocks_add_up_to_the_whole_document() {
        for text in ["", "a", "a\nb", &"line\n".repeat(100_000), &"x".repeat(5 << 20)] {
            let (found, _) = gather(&mut memory(text.as_bytes()));
            assert!(found == text.as_bytes(), "{} bytes", text.len());
        }
        let long = format!("a\n{}\nb\n", "y".repeat(3 << 20));
        let (found, blocks) = gather(&mut memory(long.as_bytes()));
        assert!(found == long.as_bytes() && blocks > 3);
    }

    #[test]
    fn byte_order_marks_are_not_part_of_a_line() {
        assert_eq!(gather(&mut memory(b"\xef\xbb\xbfa\n")).0, b"a\n");
        let utf16: Vec<u8> =
            [0xfeff].into_iter().chain("é\nx".encode_utf16()).flat_map(u16::to_le_bytes).collect();
        assert_eq!(gather(&mut memory(&utf16)).0, "é\nx".as_bytes());
    }

    #[test]
    fn a_kept_stream_can_be_read_again() {
        let text = "line\n".repeat(100_000);
        let mut document = memory(text.as_bytes());
        document.keep().expect("kept");
        assert_eq!(gather(&mut document).0.len(), text.len());
        document.rewind().expect("rewound");
        assert_eq!(gather(&mut document).0.len(), text.len());
        assert_eq!(document.bytes_at(Span::new(5, 9)).expect("there"), b"line");
        assert!(document.bytes_at(Span::new(499_999, 500_002)).is_err());
    }

    #[test]
    fn binary_files_are_refused_by_name() {
        let stream = Box::new(io::Cursor::new(b"a\0b".to_vec()));
        let error = Document::stream(
            Path::new("x"),
            stream,
            &DocumentOptions::default(),
            &Cancel::default(),
        )
        .err();
        assert_eq!(error.map(|error| error.code), Some(Code::BinaryFile));
    }
}
