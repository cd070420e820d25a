//! Opens documents: files, pipes and standard input. Refuses binary files, unless they are to be
//! read as text.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use super::config::{Config, Formats};
use super::env::{Cancel, Env};
use super::pipe::Input;
use super::source::{ByteSource, DiskSource, OpenFile, OpenStream, uninterrupted};
use super::system::{self, Status};
use crate::error::{Code, Error, Hint, shell_path};
use crate::options::BINARY;
use folio_outline::document::{CHUNK, Document, Head};
use folio_outline::format::{Feature, Format};
use folio_text::encoding::{Encoding, SNIFF_LIMIT, is_utf32};
use folio_text::pattern::Pattern;

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
    /// How often the document is read.
    pub passes: Passes,
    /// The offset before which the text is left out.
    pub start: Option<u64>,
    /// Custom patterns of lines that begin entries. They replace `[LOG-`.
    pub entries: Vec<Pattern>,
}

/// How often a document is read from its start. A stream that is read several times is first read
/// into memory. A stream that is read once is processed as it arrives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Passes {
    /// Any number of times.
    #[default]
    Several,
    /// Once.
    One,
    /// Once, unless the document may contain code blocks.
    OneWithoutCode,
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

/// Opens a file.
///
/// # Errors
///
/// Fails if the file cannot be read, or is binary.
pub fn open(path: &Path, options: &DocumentOptions, env: &Env) -> Result<Document, Error> {
    open_input(path, Input::open(path, env)?, options, env)
}

fn open_input(
    path: &Path,
    input: Input,
    options: &DocumentOptions,
    env: &Env,
) -> Result<Document, Error> {
    let formats = formats(options, || env.configs.of_document(path))?;
    let opening = Opening { path, options, cancel: &env.cancel, formats };
    match input {
        Input::File(_, status) if status.kind.is_dir() => {
            Err(Error::new(Code::NotAFile, "Is a directory").at(path))
        }
        Input::File(file, status) if status.kind.is_file() => {
            opening.read_file_head(Arc::new(file), Some(status), Vec::new())
        }
        Input::File(file, _) => opening.read_stream_head(Box::new(file)),
        Input::Pipe(pipe) => opening.read_stream_head(Box::new(pipe)),
    }
}

/// Opens a regular file. FIFOs and devices are refused immediately.
///
/// # Errors
///
/// Fails if the file is not regular, cannot be read, or is binary.
pub fn open_regular(path: &Path, options: &DocumentOptions, env: &Env) -> Result<Document, Error> {
    let input = Input::open(path, env)?;
    let what = match &input {
        Input::Pipe(pipe) if pipe.is_named() => "a pipe",
        Input::File(_, status) if !(status.kind.is_file() || status.kind.is_dir()) => "a device",
        _ => return open_input(path, input, options, env),
    };
    let message = format!("it is {what}, which may have no end");
    Err(Error::new(Code::NotRegular, message)
        .at(path)
        .hint("- instead of the file name reads it from standard input"))
}

/// Creates a document from an open file.
///
/// # Errors
///
/// Fails if the file cannot be read, or is binary.
pub fn of_file(
    path: &Path,
    file: Arc<File>,
    options: &DocumentOptions,
    env: &Env,
) -> Result<Document, Error> {
    let formats = formats(options, || env.configs.of_document(path))?;
    let opening = Opening { path, options, cancel: &env.cancel, formats };
    let status = opening.status(&file)?;
    if status.kind.is_file() {
        return opening.read_file_head(file, Some(status), Vec::new());
    }
    let file = file.try_clone().map_err(|error| Error::io(&error, path))?;
    opening.read_stream_head(Box::new(file))
}

/// Opens a regular file found by a walk, reusing the buffer of another document.
///
/// # Errors
///
/// Fails if the file cannot be read, or is binary.
pub fn open_walked(
    path: &Path,
    options: &DocumentOptions,
    env: &Env,
    buffer: Vec<u8>,
) -> Result<Document, Error> {
    let file = Arc::new(env.roots.open_file(path)?);
    let formats = formats(options, || env.configs.of_walked(path))?;
    let opening = Opening { path, options, cancel: &env.cancel, formats };
    opening.read_file_head(file, None, buffer)
}

/// Creates a document from a stream, such as standard input.
///
/// # Errors
///
/// Fails if the stream cannot be read, or is binary.
pub fn of_stream(
    name: &Path,
    stream: Box<dyn Read + Send>,
    options: &DocumentOptions,
    cancel: &Cancel,
) -> Result<Document, Error> {
    let opening = Opening { path: name, options, cancel, formats: Formats::default() };
    opening.read_stream_head(stream)
}

/// Returns the error for a binary document, or for a line with a NUL byte.
pub fn binary_error(document: &Document) -> Error {
    let path = document.path();
    let is_utf32 = document.is_binary() && is_utf32(document.head());
    if is_utf32 {
        let error =
            Error::new(Code::UnsupportedEncoding, "it is UTF-32, which folio does not read");
        let path = shell_path(path);
        let convert = format!("iconv -f UTF-32 -t UTF-8 {path}  # prints it as UTF-8");
        return error.at(document.path()).hint(convert);
    }
    Error::new(Code::BinaryFile, "binary file: it contains a NUL byte")
        .at(path)
        .hint(Hint::with_switch(BINARY).why("read it as text anyway"))
}

/// Returns the formats that a configuration sets, unless the options set the format.
fn formats(
    options: &DocumentOptions,
    config: impl FnOnce() -> Result<Arc<Config>, Error>,
) -> Result<Formats, Error> {
    match options.format {
        Some(_) => Ok(Formats::default()),
        None => Ok(config()?.formats.clone()),
    }
}

/// What is known about a document before it is read.
struct Opening<'a> {
    path: &'a Path,
    options: &'a DocumentOptions,
    cancel: &'a Cancel,
    /// The configured formats, unless the options set the format.
    formats: Formats,
}

impl Opening<'_> {
    fn open_error(&self, error: &io::Error) -> Error {
        Error::io(error, self.path)
    }

    fn status(&self, file: &File) -> Result<Status, Error> {
        system::status_of(file).map_err(|error| self.open_error(&error.into()))
    }

    /// Reads the head of a regular file. If `status` is `None`, it is determined only for a file
    /// that is longer than the head, which is then read again: the status must not be later than the
    /// first bytes, or a change in between would not be noticed.
    fn read_file_head(
        &self,
        file: Arc<File>,
        status: Option<Status>,
        mut buffer: Vec<u8>,
    ) -> Result<Document, Error> {
        // With an extra byte, another read at the end of a small file is unnecessary.
        let size = status.map(|status| status.identity.size);
        let expected = size.map_or(CHUNK, |size| CHUNK.min((size as usize).saturating_add(1)));
        if buffer.len() < expected.max(4096) {
            buffer.resize(expected.max(4096), 0);
        }
        let (mut filled, mut is_whole) = (0, false);
        while filled < buffer.len() && !is_whole {
            let read = uninterrupted(|| file.read_at(&mut buffer[filled..], filled as u64));
            let count = read.map_err(|error| self.open_error(&error))?;
            filled += count;
            is_whole = count == 0 || size == Some(filled as u64);
        }
        let head = Head { buffer, filled, is_whole };
        let known = filled as u64;
        if is_whole {
            return self.document(remaining_stream(Box::new(io::empty()), known), head);
        }
        let Some(status) = status else {
            let status = self.status(&file)?;
            return self.read_file_head(file, Some(status), head.buffer);
        };
        if status.identity.size <= known {
            // The system computes the content of some files, and does not know their sizes.
            let rest = Rest { file, offset: known };
            return self
                .read_into_memory(self.document(remaining_stream(Box::new(rest), known), head)?);
        }
        self.document(ByteSource::File(OpenFile { file, status, known }), head)
    }

    /// Reads the head of a stream, or all of it if it will be read several times.
    fn read_stream_head(&self, mut stream: Box<dyn Read + Send>) -> Result<Document, Error> {
        let enough = if self.options.as_it_comes { 1 } else { SNIFF_LIMIT };
        let mut buffer = vec![0; CHUNK];
        let (mut filled, mut is_whole) = (0, false);
        while filled < enough && !is_whole {
            let read = uninterrupted(|| stream.read(&mut buffer[filled..]));
            let count = read.map_err(|error| self.open_error(&error))?;
            filled += count;
            is_whole = count == 0;
        }
        let rest = remaining_stream(stream, filled as u64);
        self.read_into_memory(
            self.document(rest, Head { buffer, filled, is_whole })?.without_name(),
        )
    }

    /// Reads a stream into memory if it will be read several times.
    fn read_into_memory(&self, document: Document) -> Result<Document, Error> {
        let is_read_once = match self.options.passes {
            Passes::Several => false,
            Passes::One => true,
            Passes::OneWithoutCode => !document.format().has(Feature::Code),
        };
        if !is_read_once {
            document.keep()?;
        }
        Ok(document)
    }

    fn document(&self, content: ByteSource, head: Head) -> Result<Document, Error> {
        let beginning = head.bytes();
        let encoding = match &self.options.encoding {
            None => None,
            Some(label) => {
                let encoding = Encoding::for_label(label, beginning);
                Some(encoding.ok_or_else(|| unknown_label(label))?)
            }
        };
        let entries = self.options.entries.clone();
        let source = DiskSource {
            content,
            path: self.path.to_owned(),
            formats: self.formats.clone(),
            cancel: self.cancel.clone(),
        };
        let document = Document::new(self.path, Box::new(source), head, encoding);
        let mut document = document.with_entries(entries);
        if self.options.binary {
            document = document.with_nul();
        } else if document.is_binary() {
            return Err(binary_error(&document));
        }
        if let Some(format) = self.options.format {
            document = document.read_as(format);
        }
        Ok(match self.options.start {
            Some(start) => document.starting_at(start),
            None => document,
        })
    }
}

/// Returns a stream of which `known` bytes have been read.
fn remaining_stream(stream: Box<dyn Read + Send>, known: u64) -> ByteSource {
    ByteSource::Stream(RefCell::new(OpenStream { stream, next: known }))
}

/// Reads a file from an offset.
struct Rest {
    file: Arc<File>,
    offset: u64,
}

impl Read for Rest {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }
}

fn unknown_label(label: &str) -> Error {
    Error::new(Code::UnsupportedEncoding, format!("unknown encoding '{label}'"))
        .hint("use a label of the Encoding Standard: utf-8, utf-16le, latin1 (windows-1252), shift_jis, …")
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::Write;

    use super::*;

    fn stream(bytes: &[u8], options: &DocumentOptions) -> Result<Document, Error> {
        let stream = Box::new(io::Cursor::new(bytes.to_vec()));
        of_stream(Path::new("-"), stream, options, &Cancel::default())
    }

    fn gather(document: &Document) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        let mut blocks = document.blocks();
        while let Some(block) = blocks.next()? {
            text.extend_from_slice(block.bytes);
        }
        Ok(text)
    }

    #[test]
    fn a_stream_can_be_read_again_unless_it_is_read_once() {
        let text = "line\n".repeat(100_000).into_bytes();
        let kept = stream(&text, &DocumentOptions::default()).expect("text");
        for _ in 0..2 {
            assert!(gather(&kept).expect("readable") == text);
        }
        let once = DocumentOptions { passes: Passes::One, ..DocumentOptions::default() };
        let document = stream(&text, &once).expect("text");
        assert!(gather(&document).expect("readable") == text);
        assert!(gather(&document).is_err());
        let once = DocumentOptions { passes: Passes::OneWithoutCode, ..once };
        let markdown = [b"# A\n", &text[..]].concat();
        let document = stream(&markdown, &once).expect("text");
        for _ in 0..2 {
            assert!(gather(&document).expect("readable") == markdown);
        }
    }

    #[test]
    fn a_file_that_changes_while_it_is_read_is_an_error() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a.log");
        let text = "line\n".repeat(100_000).into_bytes();
        std::fs::write(&path, &text).expect("written");
        let document =
            open(&path, &DocumentOptions::default(), &Env::default()).expect("a document");
        assert!(gather(&document).expect("readable") == text);
        // Another program appends to the file.
        let mut file = OpenOptions::new().append(true).open(&path).expect("opened");
        file.write_all(b"more\n").expect("written");
        assert!(gather(&document).expect("readable") == text);
        file.set_len(300_000).expect("cut");
        let error = gather(&document).map_err(|error| Error::io(&error, &path).code);
        assert_eq!(error.map(|text| text.len()), Err(Code::FileChanged));
    }

    #[test]
    fn binary_files_are_refused_by_name() {
        let error = stream(b"a\0b", &DocumentOptions::default()).err();
        assert_eq!(error.map(|error| error.code), Some(Code::BinaryFile));
    }
}
