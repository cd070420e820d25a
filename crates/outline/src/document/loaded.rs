//! A document in memory, for edits. Provides its text by span and by line, and its outline.
//! Converts edits of the text to edits of the file's bytes.

use std::cell::{Cell, OnceCell};
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::{Document, Memory};
use crate::format::Format;
use crate::lookup::SectionIndex;
use crate::outline::{Outline, OutlineOptions};
use folio_text::content::LineEnd;
use folio_text::edit::{Edit, EditSet, Piece};
use folio_text::encoding::Encoding;
use folio_text::line_index::LineIndex;
use folio_text::lines::lines_with_ends;
use folio_text::span::{LineRange, Span};

/// Returns whether work on a document should stop.
pub type IsCancelled = Arc<dyn Fn() -> bool + Send + Sync>;

/// Number of section lookups after which an index is built.
const MAX_LOOKUPS: usize = 4;

/// The work on a document was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

/// Why edits of text cannot be converted to edits of the file's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodingMiss {
    /// The encoding does not have a character of the new text.
    Character(char, Encoding),
    /// The file contains bytes that are invalid in its encoding, so the result is not certain.
    InvalidBytes(Encoding),
}

/// A document whose complete text is in memory, as UTF-8, so that it can be edited. The index of its
/// lines is computed on demand.
pub struct LoadedDocument {
    /// The document, of which all bytes are in memory. After an edit, it is the text as UTF-8.
    document: Document,
    /// The encoding of the file. After an edit, `document` is UTF-8 whatever this is.
    encoding: Encoding,
    /// The text, including the byte order mark if the file is UTF-8: then offsets are those of the
    /// file.
    text: Arc<Vec<u8>>,
    /// The offset of the text, after the byte order mark.
    start: usize,
    is_cancelled: Option<IsCancelled>,
    index: OnceCell<LineIndex>,
    /// The outline with the spans of names.
    spans: OnceCell<Outline>,
    lookups: Cell<usize>,
    sections: OnceCell<SectionIndex>,
}

impl LoadedDocument {
    /// Reads a document into memory.
    pub(super) fn new(mut document: Document) -> io::Result<Self> {
        let bytes = document.take_bytes()?;
        Ok(Self::in_memory(document, bytes))
    }

    /// Creates a document from UTF-8 text, which may begin with a byte order mark. The path names it
    /// in messages.
    pub fn of_text(path: &Path, text: Vec<u8>, format: Format) -> Self {
        let mut document = Document::empty(path);
        document.bom = Encoding::Utf8Bom.bom_length(&text);
        document.start = document.bom as u64;
        Self::in_memory(document.with_format(format), text)
    }

    /// `document` is read from `bytes` from now on, so that reading it cannot fail.
    fn in_memory(mut document: Document, bytes: Vec<u8>) -> Self {
        let (encoding, bytes) = (document.encoding, Arc::new(bytes));
        let (text, start) = if encoding.is_utf8() {
            (bytes.clone(), document.bom)
        } else {
            (document.decoded(&bytes[document.bom..]).clone(), 0)
        };
        document.bytes = OnceCell::from(bytes);
        (document.source, document.limit) = (Box::new(Memory), u64::MAX);
        Self {
            document,
            encoding,
            text,
            start,
            is_cancelled: None,
            index: OnceCell::new(),
            spans: OnceCell::new(),
            lookups: Cell::new(0),
            sections: OnceCell::new(),
        }
    }

    /// Sets the function that long loops call to find out whether to stop.
    pub fn with_cancel(self, is_cancelled: IsCancelled) -> Self {
        Self { is_cancelled: Some(is_cancelled), ..self }
    }

    /// Returns the document after edits of its text.
    pub fn edited(&self, edits: &EditSet) -> Self {
        let mut document = Document::empty(self.path())
            .with_format(self.format())
            .with_entries(self.document.entries.clone());
        document.bom = self.start;
        document.start = self.start as u64;
        Self {
            encoding: self.encoding,
            is_cancelled: self.is_cancelled.clone(),
            ..Self::in_memory(document, edits.apply(&self.text))
        }
    }

    /// Returns the path by which messages name the document.
    pub fn path(&self) -> &Path {
        self.document.path()
    }

    /// Returns the format.
    pub fn format(&self) -> Format {
        self.document.format()
    }

    /// Whether the file is UTF-8, so that its text equals its bytes.
    pub fn is_utf8(&self) -> bool {
        self.encoding.is_utf8()
    }

    /// Returns the encoding of the file.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Fails if the work should stop.
    pub fn check_cancel(&self) -> Result<(), Cancelled> {
        if self.is_cancelled.as_ref().is_some_and(|is_cancelled| is_cancelled()) {
            return Err(Cancelled);
        }
        Ok(())
    }

    /// Returns the text, including the byte order mark.
    pub fn whole(&self) -> &[u8] {
        &self.text
    }

    /// Returns the bytes of the file.
    pub fn raw(&self) -> &Arc<Vec<u8>> {
        self.document.bytes.get().expect("the document is in memory")
    }

    /// Returns the text without the byte order mark.
    pub fn text(&self) -> &[u8] {
        &self.text[self.start..]
    }

    /// Returns the text of a span.
    pub fn bytes(&self, span: Span) -> &[u8] {
        &self.text[span.start() as usize..span.end() as usize]
    }

    /// Returns the text of a line with its line ending. Returns an empty text for a line after the
    /// last one.
    pub fn line(&self, line: u64) -> &[u8] {
        self.bytes(self.span_of(LineRange::line(line)))
    }

    /// Returns the offset of the text, after the byte order mark.
    pub fn start(&self) -> u64 {
        self.start as u64
    }

    /// Returns the offset of the end of the text.
    pub fn end(&self) -> u64 {
        self.text.len() as u64
    }

    /// Returns the span of the text, without the byte order mark.
    pub fn span(&self) -> Span {
        Span::new(self.start(), self.end())
    }

    /// Returns the number of a line whose encoding differs from that of `text`, if one of them is
    /// UTF-8. Returns `None` if inserting `text` does not mix encodings.
    pub fn line_in_other_encoding(&self, text: &[u8]) -> Option<u64> {
        if text.is_ascii() || !self.document.encoding.is_utf8() {
            return None;
        }
        let is_utf8 = std::str::from_utf8(text).is_ok();
        let line = match std::str::from_utf8(&self.text) {
            Err(wrong) if is_utf8 => wrong.valid_up_to(),
            Ok(document_text) if !is_utf8 => {
                document_text.bytes().position(|byte| !byte.is_ascii())?
            }
            _ => return None,
        };
        Some(self.line_of(line as u64))
    }

    /// Returns the index of the document's lines.
    pub fn index(&self) -> &LineIndex {
        self.index.get_or_init(|| LineIndex::new(&self.text, self.start))
    }

    /// Returns the number of lines.
    pub fn total_lines(&self) -> u64 {
        self.index().total_lines()
    }

    /// Returns the offset at which a line begins.
    pub fn line_start(&self, line: u64) -> u64 {
        self.index().start_of(&self.text, line)
    }

    /// Returns the number of the line that contains an offset.
    pub fn line_of(&self, offset: u64) -> u64 {
        self.index().line_of(&self.text, offset)
    }

    /// Returns the span of a range of lines. The range may extend past the end of the document.
    pub fn span_of(&self, lines: LineRange) -> Span {
        let start = self.line_start(lines.start());
        Span::new(start, self.line_start(lines.end().saturating_add(1)))
    }

    /// Whether a line begins at an offset.
    pub fn begins_line(&self, offset: u64) -> bool {
        offset <= self.start() || self.text[offset as usize - 1] == b'\n'
    }

    /// Whether the line before an offset has no line ending.
    pub fn is_cut(&self, offset: u64) -> bool {
        !self.begins_line(offset)
    }

    /// Counts consecutive lines that satisfy a condition, from `first` downwards. `end` is the line
    /// after the last one to examine.
    pub(crate) fn run_down(&self, (first, end): (u64, u64), holds: impl Fn(&[u8]) -> bool) -> u64 {
        let text = LineRange::new(first, end - 1).map(|lines| self.bytes(self.span_of(lines)));
        let lines = text.into_iter().flat_map(lines_with_ends);
        lines.take_while(|line| holds(line)).count() as u64
    }

    /// Counts consecutive lines that satisfy a condition, from the line before `end` upwards.
    /// `first` is the last line to examine.
    pub(crate) fn run_up(&self, (first, end): (u64, u64), holds: impl Fn(&[u8]) -> bool) -> u64 {
        let mut rest = &self.text[..self.line_start(end) as usize];
        let mut count = 0;
        while count < end.saturating_sub(first) && rest.len() > self.start {
            let until = rest.len() - 1;
            let line = memchr::memrchr(b'\n', &rest[..until]).map_or(0, |feed| feed + 1);
            let line = line.max(self.start);
            if !holds(&rest[line..]) {
                break;
            }
            (count, rest) = (count + 1, &rest[..line]);
        }
        count
    }

    /// Returns the line ending of the last line in a span. Returns `None` if it has none.
    pub fn last_end(&self, span: Span) -> Option<LineEnd> {
        if span.is_empty() { None } else { self.line_end_before(span.end()) }
    }

    /// Returns the line ending before an offset.
    pub fn line_end_before(&self, offset: u64) -> Option<LineEnd> {
        LineEnd::at_end(&self.text[self.start..(offset as usize).max(self.start)])
    }

    /// Returns the line ending of a line. If the line has none, returns the line ending of the
    /// previous line or of the first line.
    pub fn line_end_near(&self, line: u64) -> LineEnd {
        self.line_end_before(self.line_start(line.saturating_add(1)))
            .or_else(|| self.line_end_before(self.line_start(line)))
            .or_else(|| self.index().first_line_end())
            .unwrap_or_default()
    }

    /// Returns the line ending of the line that contains an offset. If the line has none, returns
    /// the line ending of the previous line or of the first line.
    pub fn line_end_after(&self, offset: u64) -> LineEnd {
        match memchr::memchr(b'\n', &self.text[offset as usize..]) {
            Some(feed) => self.line_end_before(offset + feed as u64 + 1).unwrap_or_default(),
            None => self.line_end_near(self.total_lines()),
        }
    }

    /// Returns the outline.
    pub fn outline(&self) -> &Outline {
        self.document.outline().expect("the document is in memory")
    }

    /// Returns the outline with tables.
    pub fn outline_with_tables(&self) -> &Outline {
        self.document.outline_with_tables().expect("the document is in memory")
    }

    /// Returns the outline of text that will be inserted into this document.
    pub fn outline_of(&self, text: &[u8]) -> Outline {
        Outline::of_content(text, self.text(), self.format(), self.document.section_options())
    }

    /// Returns an index of the sections. Returns `None` until so many sections have been looked up
    /// that building the index is worthwhile.
    pub fn section_index(&self) -> Option<&SectionIndex> {
        self.lookups.set(self.lookups.get() + 1);
        if self.lookups.get() > MAX_LOOKUPS {
            self.sections.get_or_init(|| SectionIndex::new(self.outline()));
        }
        self.sections.get()
    }

    /// Returns the span of a heading's text, if the text is contiguous.
    pub(crate) fn name_span(&self, index: usize) -> Option<Span> {
        let spans = || {
            let options = OutlineOptions { name_spans: true, ..self.document.section_options() };
            Outline::of_part(self.text(), self.start(), self.format(), options)
        };
        self.spans.get_or_init(spans).name_span(index)
    }

    /// Calls `each` with the pieces of the file after edits of its bytes.
    pub fn each_raw(&self, edits: &EditSet, mut each: impl FnMut(&[u8])) {
        let raw = self.raw();
        for piece in edits.pieces(raw.len() as u64) {
            each(match piece {
                Piece::New(content) => content,
                Piece::Old(span) => &raw[span.start() as usize..span.end() as usize],
            });
        }
    }

    /// Converts edits of the text to edits of the file's bytes.
    ///
    /// # Errors
    ///
    /// Fails if the encoding of the file cannot represent the new characters.
    pub fn raw_edits(&self, edits: &EditSet) -> Result<EditSet, EncodingMiss> {
        let Document { encoding, bom, .. } = self.document;
        if encoding.is_utf8() {
            return Ok(edits.clone());
        }
        let (text, raw) = (&self.text, self.raw());
        let raw_text = &raw[bom..];
        // Edits are in order, so each search continues where the previous one ended.
        let (mut text_at, mut raw_at) = (0, 0);
        let mut offset = |at: u64| {
            // In stateful encodings, this is correct only at line boundaries, so the result is
            // checked below.
            raw_at +=
                encoding.raw_length(&raw_text[raw_at..], &text[text_at..], at as usize - text_at);
            text_at = at as usize;
            (bom + raw_at) as u64
        };
        let mut encoded = Vec::with_capacity(edits.edits().len());
        for edit in edits.edits() {
            let content = encoding
                .encode(&edit.content)
                .map_err(|character| EncodingMiss::Character(character, encoding))?;
            let span = Span::new(offset(edit.span.start()), offset(edit.span.end()));
            encoded.push(Edit::new(span, content));
        }
        let set = EditSet::new(encoded).map_err(|_| EncodingMiss::InvalidBytes(encoding))?;
        // The result must decode to the edited text.
        let mut back = Vec::new();
        encoding.decode(&set.apply(raw)[bom..], &mut back);
        if back == edits.apply(text) { Ok(set) } else { Err(EncodingMiss::InvalidBytes(encoding)) }
    }
}
