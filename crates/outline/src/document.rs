//! Which lines, text and outline a document has. A document can be read from its start as often as
//! needed, in blocks of whole lines.
//!
//! This module does not open files: a [`Source`] provides the bytes. Text of more than 1 GiB is
//! never in memory as a whole.

mod loaded;
#[cfg(test)]
mod tests;

pub use loaded::{Cancelled, EncodingMiss, IsCancelled, LoadedDocument};

use std::cell::OnceCell;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::format::Format;
use crate::outline::{Outline, OutlineBuilder, OutlineOptions};
use folio_text::encoding::{Encoding, SNIFF_LIMIT, is_binary};
use folio_text::lines::{Block, count_newlines, skip_lines};
use folio_text::pattern::Pattern;
use folio_text::span::{LineRange, Span};

/// Number of bytes to read at once. A chunk is small enough to stay in the processor's cache until
/// it is scanned.
pub const CHUNK: usize = 128 * 1024;

/// Maximum length of a line in one block, unless a caller needs whole lines. The rest of a longer
/// line is in further blocks.
pub const MAX_LINE: usize = 1024 * 1024;

/// Maximum size in bytes of a document whose complete text is needed.
pub const MAX_TEXT: u64 = 1 << 30;

/// Provides the bytes of a document.
pub trait Source: Send {
    /// Reads bytes at an offset into `buffer`. Returns their number, which is 0 only at the end.
    ///
    /// # Errors
    ///
    /// Fails if the bytes cannot be read, or changed since the document was opened.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Returns the number of bytes, if it is known before all of them have been read.
    fn size(&self) -> Option<u64>;

    /// Called before each block.
    ///
    /// # Errors
    ///
    /// Fails if the run was cancelled.
    fn check(&self) -> io::Result<()>;

    /// Returns the format that a file name implies.
    fn format_of(&self, name: &str) -> Option<Format> {
        Format::by_name(name)
    }

    /// Adds what the source knows about the document, such as its path, to an error.
    fn describe(&self, error: io::Error) -> io::Error;
}

/// The source of a document that is in memory.
struct Memory;

impl Source for Memory {
    fn read_at(&self, _: &mut [u8], _: u64) -> io::Result<usize> {
        Ok(0)
    }

    fn size(&self) -> Option<u64> {
        None
    }

    fn check(&self) -> io::Result<()> {
        Ok(())
    }

    fn describe(&self, error: io::Error) -> io::Error {
        error
    }
}

/// The bytes at the start of a file, which were read to open it.
#[derive(Default)]
pub struct Head {
    /// The bytes are `buffer[..filled]`. The buffer may be reused for another document.
    pub buffer: Vec<u8>,
    /// The number of bytes.
    pub filled: usize,
    /// Whether these are all bytes of the file.
    pub is_whole: bool,
}

impl Head {
    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }
}

/// A document. Its text and its outlines are computed when they are first used.
pub struct Document {
    path: PathBuf,
    source: Box<dyn Source>,
    head: Head,
    encoding: Encoding,
    bom: usize,
    /// The offset at which the text begins: after the byte order mark, or later.
    start: u64,
    is_binary: bool,
    /// Whether the name of the document says nothing about its format.
    is_nameless: bool,
    prints_nul: bool,
    /// Maximum size in bytes of the complete text.
    limit: u64,
    /// Custom patterns of lines that begin entries.
    entries: Vec<Pattern>,
    format: OnceCell<Format>,
    bytes: OnceCell<Arc<Vec<u8>>>,
    /// The decoded text, if the document is not UTF-8.
    text: OnceCell<Arc<Vec<u8>>>,
    sections: OnceCell<Box<Outline>>,
    outline: OnceCell<Box<Outline>>,
    outline_with_tables: OnceCell<Box<Outline>>,
}

impl Document {
    /// Creates a document from its source, and from bytes at its start that were already read. If
    /// no encoding is given, it is detected.
    ///
    /// `path` is only used as a name, and to detect the format.
    pub fn new(
        path: &Path,
        source: Box<dyn Source>,
        head: Head,
        encoding: Option<Encoding>,
    ) -> Self {
        let beginning = head.bytes();
        let encoding = encoding.unwrap_or_else(|| Encoding::detect(beginning));
        Self {
            path: path.to_owned(),
            source,
            encoding,
            bom: encoding.bom_length(beginning),
            start: encoding.bom_length(beginning) as u64,
            is_binary: is_binary(beginning, encoding),
            head,
            is_nameless: false,
            prints_nul: encoding.unit_size() > 1,
            limit: MAX_TEXT,
            entries: Vec::new(),
            format: OnceCell::new(),
            bytes: OnceCell::new(),
            text: OnceCell::new(),
            sections: OnceCell::new(),
            outline: OnceCell::new(),
            outline_with_tables: OnceCell::new(),
        }
    }

    /// Creates an empty document in memory.
    fn empty(path: &Path) -> Self {
        Self::new(path, Box::new(Memory), Head::default(), Some(Encoding::Utf8))
    }

    /// Creates a document from the bytes of a file.
    pub fn in_memory(path: &Path, bytes: Vec<u8>) -> Self {
        let head = Head { filled: bytes.len(), buffer: bytes, is_whole: true };
        Self::new(path, Box::new(Memory), head, None)
    }

    /// Sets the format. If it is not set, it is detected when it is first used.
    pub fn with_format(mut self, format: Format) -> Self {
        self.format = OnceCell::from(format.with_dialect_of(&self.path));
        self
    }

    /// Sets the format by its name. The content still determines which kind of log it is.
    pub fn read_as(self, format: Format) -> Self {
        let format = self.of_head(|head| format.with_kind_of(head));
        self.with_format(format)
    }

    /// Ignores the name if the content determines the format, because the content of a stream need
    /// not have the format that its name suggests.
    pub fn without_name(self) -> Self {
        Self { is_nameless: true, ..self }
    }

    /// Leaves out the text before an offset, which must be the start of a line. Lines are then
    /// counted from there.
    pub fn starting_at(self, offset: u64) -> Self {
        self.format();
        Self { start: offset.max(self.start), ..self }
    }

    /// Sets custom patterns of lines that begin entries. They replace `[LOG-`.
    pub fn with_entries(self, entries: Vec<Pattern>) -> Self {
        Self { entries, ..self }
    }

    /// Allows lines with NUL bytes to be printed.
    pub fn with_nul(self) -> Self {
        Self { prints_nul: true, ..self }
    }

    /// Fails if the run was cancelled.
    ///
    /// # Errors
    ///
    /// The same as those of [`Source::check`].
    pub fn check(&self) -> io::Result<()> {
        self.source.check()
    }

    /// Returns the path by which the document was opened.
    pub fn path(&self) -> &Path {
        &self.path
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
        *self.format.get_or_init(|| self.detected_format().with_dialect_of(&self.path))
    }

    fn detected_format(&self) -> Format {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let by_name = self.source.format_of(&name);
        match by_name {
            Some(Format::Log(_)) | None => {}
            Some(format) => return format,
        }
        let name = if self.is_nameless { "-".into() } else { name };
        self.of_head(|head| match by_name {
            Some(format) => format.with_kind_of(head),
            None => Format::by_content(&name, head),
        })
    }

    /// Determines the format from the first bytes of the document, decoded.
    fn of_head<T>(&self, format: impl FnOnce(&[u8]) -> T) -> T {
        let head = &self.head()[self.bom..self.head.filled.min(SNIFF_LIMIT).max(self.bom)];
        let head = match self.encoding.after_last_line_feed(head) {
            Some(end) if !self.head.is_whole || head.len() == SNIFF_LIMIT => &head[..end],
            _ => head,
        };
        if self.encoding.is_utf8() {
            return format(head);
        }
        let mut text = Vec::new();
        self.encoding.decode(head, &mut text);
        format(&text)
    }

    /// Returns the first lines of the document, decoded.
    pub fn text_head(&self) -> Vec<u8> {
        self.of_head(<[u8]>::to_vec)
    }

    /// Whether the document is source code that a program wrote: its first lines say so, or its
    /// first line is longer than 64 KiB.
    pub fn is_generated(&self) -> bool {
        const FIRST_LINES: usize = 5;
        if !self.format().is_code() {
            return false;
        }
        let head = self.head();
        let mut lines = head.split(|&byte| byte == b'\n').take(FIRST_LINES);
        let is_minified = head.len() >= SNIFF_LIMIT && !head[..SNIFF_LIMIT].contains(&b'\n');
        let is_marked = |line: &[u8]| {
            let marks = [&b"@generated"[..], b"DO NOT EDIT"];
            marks.iter().any(|mark| memchr::memmem::find(line, mark).is_some())
        };
        is_minified || lines.any(is_marked)
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

    /// Returns the bytes at the start of the file, at least as many as are needed to detect the
    /// format.
    pub fn head(&self) -> &[u8] {
        self.head.bytes()
    }

    /// Returns the size in bytes, if known.
    pub fn size(&self) -> Option<u64> {
        self.memory().map(|bytes| bytes.len() as u64).or_else(|| self.source.size())
    }

    /// Returns all bytes of the file, if they are in memory.
    fn memory(&self) -> Option<&[u8]> {
        let head = self.head.is_whole.then(|| self.head());
        head.or_else(|| self.bytes.get().map(|bytes| bytes.as_slice()))
    }

    /// Returns the complete text without byte order mark, if it is in memory and needs no decoding.
    pub fn text_in_memory(&self) -> Option<&[u8]> {
        let bytes = self.memory().filter(|_| self.encoding.is_utf8());
        bytes.map(|bytes| &bytes[self.start as usize..])
    }

    /// Returns the bytes of the file, including the byte order mark.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read, or is larger than [`MAX_TEXT`].
    pub fn bytes(&self) -> io::Result<&[u8]> {
        self.bytes_up_to(self.limit)
    }

    /// Returns the bytes of the file, whatever their number, and keeps them in memory. A stream can
    /// then be read again.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read.
    pub fn keep(&self) -> io::Result<&[u8]> {
        self.bytes_up_to(u64::MAX)
    }

    fn bytes_up_to(&self, limit: u64) -> io::Result<&[u8]> {
        self.check_size(self.size(), limit)?;
        match self.memory() {
            Some(bytes) => Ok(bytes),
            None => {
                let read = || self.read_all(Vec::new(), limit).map(Arc::new);
                memoized(&self.bytes, read).map(|bytes| bytes.as_slice())
            }
        }
    }

    /// Returns the complete text, decoded and without byte order mark.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read, or is larger than [`MAX_TEXT`].
    pub fn text(&self) -> io::Result<&[u8]> {
        self.bytes()?;
        self.keep_text()
    }

    /// Returns the complete text, decoded and without byte order mark, and keeps it in memory,
    /// whatever its size.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read.
    pub fn keep_text(&self) -> io::Result<&[u8]> {
        let bytes = &self.keep()?[self.start as usize..];
        Ok(if self.encoding.is_utf8() { bytes } else { self.decoded(bytes) })
    }

    /// Decodes the bytes after the byte order mark, if they have not been decoded before.
    fn decoded(&self, bytes: &[u8]) -> &Arc<Vec<u8>> {
        self.text.get_or_init(|| {
            let mut text = Vec::new();
            self.encoding.decode(bytes, &mut text);
            text.into()
        })
    }

    /// Reads the complete document into memory, so that it can be edited.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read, or is larger than [`MAX_TEXT`].
    pub fn load(self) -> io::Result<LoadedDocument> {
        LoadedDocument::new(self)
    }

    /// Returns a document in memory with the text at the start of this one. It ends with the block
    /// in which it reaches a number of bytes or of sections.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read.
    pub fn beginning(&self, bytes: u64, sections: usize) -> io::Result<Self> {
        let mut builder = OutlineBuilder::new(self.format(), self.section_options());
        let mut text = Vec::new();
        let mut blocks = self.blocks();
        while builder.sections() < sections
            && (text.len() as u64) < bytes
            && let Some(block) = blocks.next()?
        {
            builder.push(&block);
            text.extend_from_slice(block.bytes);
        }
        let head = Head { filled: text.len(), buffer: text, is_whole: true };
        let document = Self::new(&self.path, Box::new(Memory), head, Some(Encoding::Utf8));
        Ok(document.with_format(self.format()).with_entries(self.entries.clone()))
    }

    /// Takes the bytes of the file out of the document, without copying them.
    fn take_bytes(&mut self) -> io::Result<Vec<u8>> {
        // The format is detected from the head.
        self.format();
        self.check_size(self.size(), self.limit)?;
        let Head { mut buffer, filled, is_whole } = std::mem::take(&mut self.head);
        buffer.truncate(filled);
        if is_whole {
            // A caller may keep many short documents in memory.
            buffer.shrink_to_fit();
            return Ok(buffer);
        }
        match self.bytes.take() {
            Some(bytes) => Ok(Arc::unwrap_or_clone(bytes)),
            None => self.read_all(buffer, self.limit),
        }
    }

    /// Returns the buffer of the head, to reuse it for another document.
    pub fn into_buffer(self) -> Vec<u8> {
        self.head.buffer
    }

    /// Reads all bytes after those in `bytes`, at most `limit` in all.
    fn read_all(&self, mut bytes: Vec<u8>, limit: u64) -> io::Result<Vec<u8>> {
        let expected = self.source.size().unwrap_or(0) as usize;
        bytes.reserve_exact((expected + 1).saturating_sub(bytes.len()));
        let mut reader = Remaining { document: self, offset: bytes.len() as u64 };
        // Each part is checked for cancellation and size.
        while (&mut reader).take(CHUNK as u64 * 64).read_to_end(&mut bytes)? > 0 {
            self.check_size(Some(bytes.len() as u64), limit)?;
        }
        Ok(bytes)
    }

    /// Reads a span of the file.
    ///
    /// # Errors
    ///
    /// Fails if the file has fewer bytes.
    pub fn bytes_at(&self, span: Span) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let reader = Remaining { document: self, offset: span.start() };
        reader.take(span.len()).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == span.len() {
            return Ok(bytes);
        }
        Err(self.source.describe(changed()))
    }

    /// Returns a reader of the text without byte order mark, which is not decoded.
    pub fn reader(&self) -> impl Read + '_ {
        Remaining { document: self, offset: self.start }
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let memory = self.memory().unwrap_or(self.head());
        let known = memory.get(offset as usize..).unwrap_or_default();
        if !known.is_empty() {
            let count = known.len().min(buffer.len());
            buffer[..count].copy_from_slice(&known[..count]);
            return Ok(count);
        }
        if self.memory().is_some() {
            return Ok(0);
        }
        self.source.read_at(buffer, offset).map_err(|error| self.source.describe(error))
    }

    /// Fails if the document is too large to be in memory.
    fn check_size(&self, size: Option<u64>, limit: u64) -> io::Result<()> {
        let Some(size) = size.filter(|&size| size > limit) else { return Ok(()) };
        let message = format!(
            "it has {size} bytes, more than the limit of {limit} for what needs the complete text"
        );
        let error = io::Error::new(io::ErrorKind::FileTooLarge, message);
        Err(self.source.describe(error))
    }

    /// Returns the blocks of the document, from the start, without byte order mark. Lines that are
    /// longer than [`MAX_LINE`] are in several blocks.
    pub fn blocks(&self) -> Blocks<'_> {
        self.blocks_at(self.start)
    }

    /// Returns the blocks from an offset of the file, which must be the start of a line.
    pub fn blocks_at(&self, offset: u64) -> Blocks<'_> {
        Blocks {
            document: self,
            offset: offset.max(self.start),
            window: CHUNK,
            buffer: Vec::new(),
            start: 0,
            filled: 0,
            at_end: false,
            line_limit: MAX_LINE,
            is_raw: false,
            continues: false,
            decoded: Vec::new(),
        }
    }

    /// Calls `each` with the lines in `ranges`, until it breaks: the index of the range, the number
    /// of the line, and its text with its line ending. A long line is passed in several pieces. The
    /// ranges must be disjoint and in order.
    ///
    /// Returns the number of lines that were read. It is less than the end of the last range if the
    /// document has fewer lines, or if `each` breaks.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read.
    pub fn lines(
        &self,
        ranges: &[LineRange],
        mut each: impl FnMut(usize, u64, &[u8]) -> ControlFlow<()>,
    ) -> io::Result<u64> {
        // The line at the current position, and whether a part of it was read.
        let (mut number, mut is_begun) = (1, false);
        let mut blocks = self.blocks();
        let mut left = ranges.iter().copied().enumerate();
        let mut next = left.next();
        while let Some(block) = blocks.next()? {
            let mut rest = block.bytes;
            while let Some((at, range)) = next {
                match skip_lines(rest, range.start().saturating_sub(number)) {
                    Ok(skipped) => rest = &rest[skipped..],
                    Err(skipped) => {
                        number += skipped;
                        break;
                    }
                }
                number = number.max(range.start());
                if rest.is_empty() {
                    break;
                }
                let end = memchr::memchr(b'\n', rest);
                let (line, after) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
                if each(at, number, line).is_break() {
                    return Ok(number);
                }
                rest = after;
                number += u64::from(end.is_some());
                if number > range.end() {
                    next = left.next();
                }
            }
            is_begun = block.bytes.last() != Some(&b'\n');
            if next.is_none() {
                return Ok(number - u64::from(!is_begun));
            }
        }
        Ok(number - u64::from(!is_begun))
    }

    /// Returns the sections and the front matter. The other parts of the outline are empty, because
    /// collecting them takes more time.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read.
    pub fn sections(&self) -> io::Result<&Outline> {
        if let Some(outline) = self.outline.get() {
            return Ok(outline);
        }
        Ok(memoized(&self.sections, || self.build_outline(self.section_options()).map(Box::new))?)
    }

    /// Returns the sections and the front matter, as [`Document::sections`] does.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read.
    pub fn into_sections(self) -> io::Result<Outline> {
        self.build_outline(self.section_options())
    }

    /// Returns the sections that begin at or before a line, without reading the whole document. The
    /// ends of the last sections may be wrong.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read.
    pub fn sections_up_to(&self, line: u64) -> io::Result<Outline> {
        let mut builder = OutlineBuilder::new(self.format(), self.section_options());
        let (mut next, mut is_after) = (1, false);
        let mut blocks = self.blocks();
        // A setext heading that begins on the line may end in one more block.
        while !std::mem::replace(&mut is_after, next > line)
            && let Some(block) = blocks.next()?
        {
            builder.push(&block);
            next += count_newlines(block.bytes);
        }
        Ok(builder.finish())
    }

    /// Returns an outline that was already computed, if there is one.
    pub fn known_outline(&self) -> Option<&Outline> {
        self.outline.get().or_else(|| self.sections.get()).map(|outline| &**outline)
    }

    /// Returns the outline without tables.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read, or if it is a tree of keys that is larger than
    /// [`MAX_TEXT`].
    pub fn outline(&self) -> io::Result<&Outline> {
        let options =
            || OutlineOptions { entries: self.entries.clone(), ..OutlineOptions::everything() };
        Ok(memoized(&self.outline, || self.build_outline(options()).map(Box::new))?)
    }

    /// Returns the outline with tables. The row of a table cannot become a heading here.
    ///
    /// # Errors
    ///
    /// The same as those of [`Document::outline`].
    pub fn outline_with_tables(&self) -> io::Result<&Outline> {
        let options = || OutlineOptions {
            tables: true,
            entries: self.entries.clone(),
            ..OutlineOptions::everything()
        };
        Ok(memoized(&self.outline_with_tables, || self.build_outline(options()).map(Box::new))?)
    }

    /// Returns the sections and code blocks if lines of other patterns begin entries: not the
    /// document's own patterns, but `entries`. `is_only` is whether entries are the only sections,
    /// so that headings and markers are ignored.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read.
    pub fn sections_by(&self, entries: Vec<Pattern>, is_only: bool) -> io::Result<Outline> {
        let options = OutlineOptions {
            code: true,
            entries,
            only_entries: is_only,
            ..OutlineOptions::default()
        };
        self.build_outline(options)
    }

    fn section_options(&self) -> OutlineOptions {
        OutlineOptions { entries: self.entries.clone(), ..OutlineOptions::default() }
    }

    fn build_outline(&self, options: OutlineOptions) -> io::Result<Outline> {
        let format = self.format();
        let syntax = format.syntax().filter(|_| options.tree);
        let text = syntax.map(|syntax| Ok::<_, io::Error>((syntax, self.text()?))).transpose()?;
        let has_patterns = !options.entries.is_empty();
        let mut builder = OutlineBuilder::new(format, options);
        builder.expect_bytes(self.size().unwrap_or(0));
        if let Some(text) = self.text.get() {
            // The text was decoded already.
            builder.push(&Block::new(text, 0));
        } else {
            // A pattern is compared with a whole line.
            let mut blocks =
                if has_patterns { self.blocks().of_whole_lines() } else { self.blocks() };
            while let Some(block) = blocks.next()? {
                builder.push(&block);
            }
        }
        let outline = builder.finish();
        Ok(match text {
            Some((syntax, text)) => outline.with_keys(syntax, text),
            None => outline,
        })
    }
}

/// Returns the value in a cell. Computes it first if the cell is empty.
fn memoized<T>(cell: &OnceCell<T>, compute: impl FnOnce() -> io::Result<T>) -> io::Result<&T> {
    match cell.get() {
        Some(value) => Ok(value),
        None => {
            let value = compute()?;
            Ok(cell.get_or_init(|| value))
        }
    }
}

/// Returns the error for a document that changed while it was read.
pub fn changed() -> io::Error {
    io::ErrorKind::UnexpectedEof.into()
}

/// Reads the bytes of a document from an offset.
struct Remaining<'d> {
    document: &'d Document,
    offset: u64,
}

impl Read for Remaining<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.document.source.check()?;
        let count = self.document.read_at(buffer, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }
}

/// The blocks of a document. They are decoded if the document is not UTF-8, unless they are raw.
pub struct Blocks<'d> {
    document: &'d Document,
    /// The offset in the file of the next block.
    offset: u64,
    /// The number of bytes to examine, if the document is in memory.
    window: usize,
    // Bytes that are read but not yet returned, if the document is not in memory:
    // `buffer[start..filled]`.
    buffer: Vec<u8>,
    start: usize,
    filled: usize,
    at_end: bool,
    line_limit: usize,
    is_raw: bool,
    /// Whether the next block continues a line.
    continues: bool,
    decoded: Vec<u8>,
}

impl Blocks<'_> {
    /// Returns each line in one block, regardless of its length. Patterns require this.
    pub fn of_whole_lines(self) -> Self {
        Self { line_limit: usize::MAX, ..self }
    }

    /// Returns the bytes of the file instead of decoding them.
    pub fn raw(self) -> Self {
        Self { is_raw: true, ..self }
    }

    /// Returns the next block, or `None` at the end.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read, or changed since it was opened.
    #[allow(clippy::should_implement_trait)] // The block borrows the buffer.
    pub fn next(&mut self) -> io::Result<Option<Block<'_>>> {
        let document = self.document;
        document.source.check()?;
        let encoding = document.encoding;
        let unit = encoding.unit_size();
        self.window = CHUNK;
        // No line ends before this offset, so a long line is not searched again.
        let mut searched = 0;
        let length = loop {
            let (bytes, is_all) = self.available();
            let end = if self.continues {
                encoding.after_line_feed(bytes, searched)
            } else if is_all {
                Some(bytes.len())
            } else {
                encoding.after_last_line_feed(&bytes[searched..]).map(|end| end + searched)
            };
            let whole_units = bytes.len() / unit * unit;
            let is_piece = whole_units > 0 && (self.continues || bytes.len() >= self.line_limit);
            match end {
                Some(end) => break end,
                None if is_all => break bytes.len(),
                None if is_piece => break whole_units,
                None => searched = whole_units,
            }
            self.read_more()?;
        };
        if length == 0 {
            return Ok(None);
        }
        let (offset, start) = (self.offset, self.start);
        self.offset += length as u64;
        let raw = match document.memory() {
            Some(bytes) => &bytes[offset as usize..][..length],
            None => {
                self.start += length;
                &self.buffer[start..][..length]
            }
        };
        let last = &raw[length.saturating_sub(unit)..];
        let ends_line = encoding.after_last_line_feed(last) == Some(unit);
        let continues = std::mem::replace(&mut self.continues, !ends_line);
        if self.is_raw || encoding.is_utf8() {
            return Ok(Some(Block { bytes: raw, offset, raw, continues }));
        }
        self.decoded.clear();
        encoding.decode(raw, &mut self.decoded);
        Ok(Some(Block { bytes: &self.decoded, offset, raw, continues }))
    }

    /// Returns the next bytes, and whether they are all that are left.
    fn available(&self) -> (&[u8], bool) {
        match self.document.memory() {
            Some(bytes) => {
                let left = &bytes[(self.offset as usize).min(bytes.len())..];
                (&left[..left.len().min(self.window)], left.len() <= self.window)
            }
            None => (&self.buffer[self.start..self.filled], self.at_end),
        }
    }

    /// Reads more bytes. Enlarges the buffer first if it is full.
    fn read_more(&mut self) -> io::Result<()> {
        if self.document.memory().is_some() {
            self.window *= 2;
            return Ok(());
        }
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.filled, 0);
            self.filled -= self.start;
            self.start = 0;
        }
        if self.filled == self.buffer.len() {
            self.buffer.resize((self.buffer.len() * 2).max(CHUNK), 0);
        }
        let end = self.offset + self.filled as u64;
        let count = self.document.read_at(&mut self.buffer[self.filled..], end)?;
        self.filled += count;
        self.at_end = count == 0 || self.document.size() == Some(end + count as u64);
        Ok(())
    }
}
