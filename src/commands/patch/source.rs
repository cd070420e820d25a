//! A document that is being edited: its text by span and by line, and the way
//! back from edits of its text to edits of the file's own bytes.

use std::io::{Cursor, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;

use super::Side;
use crate::error::{Code, Error};
use crate::files::document::{Document, DocumentOptions};
use crate::files::env::Cancel;
use crate::text::content::LineEnd;
use crate::text::edit::{Edit, EditSet, Piece};
use crate::text::encoding::Encoding;
use crate::text::format::Format;
use crate::text::line_index::{LineIndex, Stretch};
use crate::text::lines::lines_with_ends;
use crate::text::outline::{NameSource, Outline, OutlineBuilder, Wants};
use crate::text::pattern::Pattern;
use crate::text::span::{LineRange, Span};
use crate::text::target::SectionIndex;

/// Sections that are looked for one by one.
const MAX_LOOKUPS: usize = 4;

/// Lines that are read at once where many are looked at in turn.
const LINES_AT_ONCE: u64 = 1024;

/// A document as UTF-8, wherever its bytes are.
pub(super) struct Source {
    document: Document,
    /// The file's own bytes, where the text had to be decoded.
    raw: Option<Raw>,
    entries: Vec<Pattern>,
    index: Option<Rc<LineIndex>>,
    stretch: Stretch,
    outline: Option<Rc<Outline>>,
    /// How many sections were looked for, and the index once these are many.
    lookups: usize,
    sections: Option<Rc<SectionIndex>>,
}

struct Raw {
    bytes: Vec<u8>,
    encoding: Encoding,
    bom: usize,
}

impl Source {
    /// Takes an open document.
    pub(super) fn new(mut document: Document, entries: Vec<Pattern>) -> Result<Self, Error> {
        document.take_whole_lines();
        document.keep()?;
        let encoding = document.encoding();
        let raw = if encoding.is_utf8() {
            None
        } else {
            let bom = document.bom_length();
            let path = document.path().to_owned();
            let mut bytes = encoding.bom()[..bom].to_vec();
            let read = document.reader().read_to_end(&mut bytes);
            read.map_err(|error| Error::io(&error, &path))?;
            let mut text = Vec::new();
            encoding.decode(&bytes[bom..], &mut text);
            document = Document::of_text(&path, text, document.format(), document.cancel())?;
            Some(Raw { bytes, encoding, bom })
        };
        Ok(Self::with(document, raw, entries))
    }

    fn with(document: Document, raw: Option<Raw>, entries: Vec<Pattern>) -> Self {
        Self {
            document,
            raw,
            entries,
            index: None,
            stretch: Stretch::default(),
            outline: None,
            lookups: 0,
            sections: None,
        }
    }

    /// A document that is in memory only.
    pub(super) fn of_text(path: &Path, text: Vec<u8>) -> Result<Self, Error> {
        let options = DocumentOptions { binary: true, ..DocumentOptions::default() };
        let document =
            Document::stream(path, Box::new(Cursor::new(text)), &options, &Cancel::default())?;
        Self::new(document, Vec::new())
    }

    /// The document as it is after edits of its text, all in memory.
    pub(super) fn edited(&mut self, edits: &EditSet) -> Result<Self, Error> {
        let text = edits.apply(&self.whole()?);
        let path = self.path().to_owned();
        let document = Document::of_text(&path, text, self.format(), self.document.cancel())?;
        let raw = self.raw.as_ref().map(|raw| Raw { bytes: Vec::new(), ..*raw });
        Ok(Self::with(document, raw, self.entries.clone()))
    }

    /// All of its text, byte order mark included.
    pub(super) fn whole(&mut self) -> Result<Vec<u8>, Error> {
        let end = self.index()?.text().end();
        self.bytes(Span::new(0, end))
    }

    /// The path it was opened by.
    pub(super) fn path(&self) -> &Path {
        self.document.path()
    }

    /// Whether its text is the file's own bytes.
    pub(super) fn is_utf8(&self) -> bool {
        self.raw.is_none()
    }

    /// What kind of text it is.
    pub(super) fn format(&self) -> Format {
        self.document.format()
    }

    /// Its text by span.
    pub(super) fn bytes(&mut self, span: Span) -> Result<Vec<u8>, Error> {
        // Small parts are mostly asked for in order: one reading serves many.
        const SMALL: u64 = 64 * 1024;
        match span.len() {
            0 => Ok(Vec::new()),
            length if length <= SMALL => Ok(self.document.window(span)?.to_vec()),
            _ => self.document.bytes_at(span),
        }
    }

    /// Whether text from elsewhere would be in another encoding than the rest:
    /// characters of UTF-8 in a file whose bytes are not UTF-8. The number of the
    /// first line that is not.
    pub(super) fn mixes(&mut self, text: &[u8]) -> Result<Option<u64>, Error> {
        if text.is_ascii() || std::str::from_utf8(text).is_err() || self.raw.is_some() {
            return Ok(None);
        }
        let mut wrong = None;
        self.blocks(|bytes, offset| match std::str::from_utf8(bytes) {
            Ok(_) => ControlFlow::Continue(()),
            Err(error) => {
                wrong = Some(offset + error.valid_up_to() as u64);
                ControlFlow::Break(())
            }
        })?;
        wrong.map(|offset| self.line_of(offset)).transpose()
    }

    /// Calls `each` with its text, block by block, and each block's offset.
    pub(super) fn blocks(
        &mut self,
        mut each: impl FnMut(&[u8], u64) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        self.document.rewind()?;
        self.document.raw_blocks(|block| each(block.bytes, block.offset))
    }

    /// Whether the run is to stop: looked at by what takes long within a block.
    pub(super) fn cancel(&self) -> Cancel {
        self.document.cancel().clone()
    }

    /// Where its lines begin.
    pub(super) fn index(&mut self) -> Result<Rc<LineIndex>, Error> {
        if let Some(index) = &self.index {
            return Ok(Rc::clone(index));
        }
        let mut index = LineIndex::new(self.document.bom_length() as u64);
        self.blocks(|bytes, _| {
            index.push(bytes);
            ControlFlow::Continue(())
        })?;
        let index = Rc::new(index);
        self.index = Some(Rc::clone(&index));
        Ok(index)
    }

    /// Takes an index that was made in passing.
    pub(super) fn keep_index(&mut self, index: LineIndex) {
        self.index.get_or_insert_with(|| Rc::new(index));
    }

    /// Where its text begins: behind the byte order mark.
    pub(super) fn start(&self) -> u64 {
        self.document.bom_length() as u64
    }

    /// How many lines it has.
    pub(super) fn total_lines(&mut self) -> Result<u64, Error> {
        Ok(self.index()?.total_lines())
    }

    /// Where a line begins.
    pub(super) fn line_start(&mut self, line: u64) -> Result<u64, Error> {
        let index = self.index()?;
        let mut stretch = std::mem::take(&mut self.stretch);
        let start = index.start_of(line, &mut stretch, &mut |span| self.bytes(span));
        self.stretch = stretch;
        start
    }

    /// The line that an offset stands on.
    pub(super) fn line_of(&mut self, offset: u64) -> Result<u64, Error> {
        let index = self.index()?;
        let mut stretch = std::mem::take(&mut self.stretch);
        let line = index.line_of(offset, &mut stretch, &mut |span| self.bytes(span));
        self.stretch = stretch;
        line
    }

    /// The bytes of some lines, all of which there are.
    pub(super) fn span_of(&mut self, lines: LineRange) -> Result<Span, Error> {
        let start = self.line_start(lines.start())?;
        let end = self.line_start(lines.end().saturating_add(1))?;
        Ok(Span::new(start, end))
    }

    /// How many lines in a row hold, of those from `first` to before `behind`: counted from
    /// the first down, or with `Side::After` from the last up. What is read grows with them.
    pub(super) fn run_of(
        &mut self,
        (mut first, mut behind): (u64, u64),
        side: Side,
        holds: impl Fn(&[u8]) -> bool,
    ) -> Result<u64, Error> {
        let (mut size, mut count) = (8, 0);
        while first < behind {
            let (start, end) = match side {
                Side::Before => (first, (first + size).min(behind)),
                Side::After => (behind.saturating_sub(size).max(first), behind),
            };
            let span = self.span_of(LineRange::from_to(start, end - 1))?;
            let text = self.bytes(span)?;
            let mut lines = lines_with_ends(&text).map(&holds).collect::<Vec<bool>>();
            if side == Side::After {
                lines.reverse();
            }
            let run = lines.iter().take_while(|holds| **holds).count() as u64;
            count += run;
            if run < end - start {
                break;
            }
            match side {
                Side::Before => first = end,
                Side::After => behind = start,
            }
            size = (size * 2).min(LINES_AT_ONCE);
        }
        Ok(count)
    }

    /// The end of the line that ends before an offset.
    pub(super) fn line_end_before(&mut self, offset: u64) -> Result<Option<LineEnd>, Error> {
        let start = offset.saturating_sub(2).max(self.start());
        Ok(LineEnd::of(&self.bytes(Span::new(start.min(offset), offset))?))
    }

    /// How a line ends; where it does not, the one before it, or the first.
    pub(super) fn line_end_near(&mut self, line: u64) -> Result<LineEnd, Error> {
        let next = self.line_start(line.saturating_add(1))?;
        if let Some(end) = self.line_end_before(next)? {
            return Ok(end);
        }
        let own = self.line_start(line)?;
        if let Some(end) = self.line_end_before(own)? {
            return Ok(end);
        }
        Ok(self.index()?.first_line_end().unwrap_or_default())
    }

    /// How the line ends that holds an offset; where it does not, the one before
    /// it, or the first.
    pub(super) fn line_end_behind(&mut self, offset: u64) -> Result<LineEnd, Error> {
        const PART: u64 = 4096;
        let end = self.index()?.text().end();
        let mut at = offset;
        while at < end {
            let part = Span::new(at, (at + PART).min(end));
            let found = memchr::memchr(b'\n', &self.bytes(part)?);
            if let Some(feed) = found {
                let end = self.line_end_before(at + feed as u64 + 1)?;
                return Ok(end.unwrap_or_default());
            }
            at = part.end();
        }
        let last = self.total_lines()?;
        self.line_end_near(last)
    }

    /// Its structure.
    pub(super) fn outline(&mut self) -> Result<Rc<Outline>, Error> {
        if let Some(outline) = &self.outline {
            return Ok(Rc::clone(outline));
        }
        let outline =
            Rc::new(self.outlined(Wants { code: true, anchors: true, ..Wants::default() })?);
        self.outline = Some(Rc::clone(&outline));
        Ok(outline)
    }

    /// Its structure, anew, as somebody wants it.
    pub(super) fn outlined(&mut self, wants: Wants) -> Result<Outline, Error> {
        let wants = Wants { entries: self.entries.clone(), ..wants };
        let mut builder = OutlineBuilder::new(self.document.format(), wants);
        builder.expect_bytes(self.document.size().unwrap_or(0));
        self.document.rewind()?;
        self.document.raw_blocks(|block| {
            builder.push(block);
            ControlFlow::Continue(())
        })?;
        Ok(builder.finish())
    }

    /// The structure of other text, taken as this document is.
    pub(super) fn outline_of(&self, text: &[u8]) -> Outline {
        let wants = Wants { entries: self.entries.clone(), ..Wants::default() };
        Outline::of(text, self.document.format(), wants)
    }

    /// Its sections by their names, where so many are looked for that it pays.
    pub(super) fn section_index(&mut self) -> Result<Option<Rc<SectionIndex>>, Error> {
        self.lookups += 1;
        if self.sections.is_none() && self.lookups > MAX_LOOKUPS {
            self.sections = Some(Rc::new(SectionIndex::new(&*self.outline()?)));
        }
        Ok(self.sections.clone())
    }

    /// Where the text of a heading stands, if it stands there in one piece.
    pub(super) fn name_span(&mut self, index: usize) -> Result<Option<Span>, Error> {
        // Names that are not kept are told by their place.
        let outline = self.outlined(Wants { names: Some(0), ..Wants::default() })?;
        Ok(match outline.name_source(index) {
            NameSource::InFile(span) => Some(span),
            NameSource::Kept(_) => None,
        })
    }

    /// The document, at its start.
    pub(super) fn document(&mut self) -> Result<&mut Document, Error> {
        self.document.rewind()?;
        Ok(&mut self.document)
    }

    /// Calls `each` with the file's own bytes after edits of them.
    pub(super) fn each_raw(
        &mut self,
        edits: &EditSet,
        mut each: impl FnMut(&[u8]),
    ) -> Result<(), Error> {
        let length = match &self.raw {
            Some(raw) => raw.bytes.len() as u64,
            None => self.index()?.text().end(),
        };
        for piece in edits.pieces(length) {
            let span = match piece {
                Piece::New(content) => {
                    each(content);
                    continue;
                }
                Piece::Old(span) => span,
            };
            if let Some(raw) = &self.raw {
                each(&raw.bytes[span.start() as usize..span.end() as usize]);
                continue;
            }
            self.each_chunk(span, &mut each)?;
        }
        Ok(())
    }

    /// Calls `each` with its text by span, a part at a time.
    pub(super) fn each_chunk(
        &mut self,
        span: Span,
        mut each: impl FnMut(&[u8]),
    ) -> Result<(), Error> {
        const CHUNK: u64 = 1024 * 1024;
        let mut at = span.start();
        while at < span.end() {
            let end = (at + CHUNK).min(span.end());
            each(&self.bytes(Span::new(at, end))?);
            at = end;
        }
        Ok(())
    }

    /// Edits of its text as edits of the file's own bytes.
    pub(super) fn raw_edits(&mut self, edits: &EditSet) -> Result<EditSet, Error> {
        let Some(raw) = &self.raw else { return Ok(edits.clone()) };
        let (encoding, bom) = (raw.encoding, raw.bom);
        let path = self.path().to_owned();
        let text = self.whole()?;
        let Some(raw) = &self.raw else { return Ok(edits.clone()) };
        let own = &raw.bytes[bom..];
        // From one edit to the next: each begins no earlier than the one before.
        let (mut text_at, mut own_at) = (0, 0);
        let mut offset = |at: u64| {
            // What a decoder keeps in mind between characters ends with a line,
            // so it is read back below whether this was right.
            own_at += encoding.raw_length(&own[own_at..], &text[text_at..], at as usize - text_at);
            text_at = at as usize;
            (bom + own_at) as u64
        };
        let mut encoded = Vec::with_capacity(edits.edits().len());
        for edit in edits.edits() {
            let content = encoding.encode(&edit.content).map_err(|character| {
                let name = encoding.name();
                Error::new(
                    Code::UnsupportedEncoding,
                    format!("'{character}' cannot be written in {name}"),
                )
                .at(&path)
            })?;
            let span = Span::new(offset(edit.span.start()), offset(edit.span.end()));
            encoded.push(Edit::new(span, content));
        }
        let set = EditSet::new(encoded).map_err(|_| unfaithful(&path, encoding))?;
        // What was written must read back as what was meant.
        let mut back = Vec::new();
        encoding.decode(&set.apply(&raw.bytes)[bom..], &mut back);
        if back != edits.apply(&text) {
            return Err(unfaithful(&path, encoding));
        }
        Ok(set)
    }

    /// The smallest edits of the file's own bytes that make its text `text`.
    pub(super) fn edits_to(&mut self, text: &[u8]) -> Result<EditSet, Error> {
        let old = self.whole()?;
        Ok(EditSet::between(&old, text))
    }
}

fn unfaithful(path: &Path, encoding: Encoding) -> Error {
    let name = encoding.name();
    Error::new(
        Code::UnsupportedEncoding,
        format!("the edit would not read back in {name}: the file holds bytes that are not {name}"),
    )
    .at(path)
}
