//! Searches a document for matching lines.

use std::io::{self, Read};

use grep_searcher::{Searcher, SearcherBuilder, Sink, SinkMatch};

use super::line_matcher::LineMatcher;
use folio_files::error::Error;
use folio_outline::document::{CHUNK, Document};
use folio_text::encoding::Encoding;

/// Receives the matches in a document.
pub trait Taker<'b>: Sink<Error = io::Error> {
    /// Receives the conversion from offsets in the searched text to offsets in the file.
    fn take_offsets(&mut self, offsets: Offsets<'b>);
}

/// Searches a document.
pub fn search<'d, T: Taker<'d>>(
    searcher: &mut Searcher,
    matcher: &LineMatcher,
    document: &'d Document,
    taker: &mut T,
) -> Result<(), Error> {
    let base = document.bom_length() as u64;
    if !document.encoding().is_utf8() {
        let raw = &document.keep()?[document.bom_length()..];
        let text = document.keep_text()?;
        let decoded = Decoded::new(document.encoding(), raw, text);
        taker.take_offsets(Offsets { base, decoded: Some(decoded) });
        let reader = Cancellable { text, document };
        let result = searcher.search_reader(matcher, reader, taker);
        return result.map_err(|error| Error::from(error).at(document.path()));
    }
    taker.take_offsets(Offsets { base, decoded: None });
    let result = match document.text_in_memory() {
        // Only the reader checks all of the text for NUL bytes, and whether the run is cancelled.
        Some(text) if searcher.multi_line() || !document.is_binary() && text.len() <= CHUNK => {
            searcher.search_slice(matcher, text, taker)
        }
        _ => searcher.search_reader(matcher, document.reader(), taker),
    };
    result.map_err(|error| Error::from(error).at(document.path()))
}

/// A reader of text in memory that fails after the run is cancelled.
struct Cancellable<'a> {
    text: &'a [u8],
    document: &'a Document,
}

impl Read for Cancellable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.document.check()?;
        self.text.read(buffer)
    }
}

/// Converts offsets in the searched text to offsets in the file.
#[derive(Default)]
pub struct Offsets<'b> {
    /// Length of the byte order mark before the text.
    base: u64,
    decoded: Option<Decoded<'b>>,
}

impl Offsets<'_> {
    /// Returns the offset of the text in the file.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Returns the offset in the file of the byte `within` of a line that begins at `line` in the
    /// text. Successive calls with lines in ascending order are fast.
    pub fn in_file(&mut self, line: u64, within: usize) -> u64 {
        match &mut self.decoded {
            Some(decoded) => self.base + decoded.offset(line as usize, within),
            None => self.base + line + within as u64,
        }
    }
}

struct Decoded<'b> {
    encoding: Encoding,
    raw: &'b [u8],
    text: &'b [u8],
    at_text: usize,
    at_raw: usize,
}

impl<'b> Decoded<'b> {
    fn new(encoding: Encoding, raw: &'b [u8], text: &'b [u8]) -> Self {
        Self { encoding, raw, text, at_text: 0, at_raw: 0 }
    }

    fn offset(&mut self, line: usize, within: usize) -> u64 {
        if line < self.at_text {
            (self.at_text, self.at_raw) = (0, 0);
        }
        self.at_raw += self.encoding.raw_length(
            &self.raw[self.at_raw..],
            &self.text[self.at_text..],
            line - self.at_text,
        );
        self.at_text = line;
        let rest = self.encoding.raw_length(&self.raw[self.at_raw..], &self.text[line..], within);
        (self.at_raw + rest) as u64
    }
}

/// Returns the number of the first matching line for which `wanted` returns `true`. NUL bytes have
/// no special meaning.
pub fn first(
    document: &Document,
    matcher: &LineMatcher,
    is_accepted: impl Fn(u64) -> bool,
) -> Result<Option<u64>, Error> {
    let mut searcher = SearcherBuilder::new().line_number(true).bom_sniffing(false).build();
    let mut taker = First { is_accepted, found: None };
    search(&mut searcher, matcher, document, &mut taker)?;
    Ok(taker.found)
}

struct First<F> {
    is_accepted: F,
    found: Option<u64>,
}

impl<F: Fn(u64) -> bool> Sink for First<F> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, matched: &SinkMatch<'_>) -> io::Result<bool> {
        self.found = matched.line_number().filter(|&line| (self.is_accepted)(line));
        Ok(self.found.is_none())
    }
}

impl<F: Fn(u64) -> bool> Taker<'_> for First<F> {
    fn take_offsets(&mut self, _: Offsets<'_>) {}
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::commands::line_matcher::Extent;
    use folio_files::document::{self, DocumentOptions};
    use folio_files::env::Cancel;
    use folio_files::error::Code;
    use folio_text::pattern::PatternOptions;

    #[test]
    fn a_search_of_decoded_text_stops_when_it_is_cancelled() {
        let text: Vec<u8> = format!("\u{feff}{}", "line\n".repeat(100_000))
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let cancel = Cancel::default();
        let stream = Box::new(io::Cursor::new(text));
        let options = DocumentOptions::default();
        let document =
            document::of_stream(Path::new("-"), stream, &options, &cancel).expect("a document");
        let matcher = LineMatcher::new(&["line"], PatternOptions::default(), Extent::Line)
            .expect("a pattern");
        let last = std::cell::Cell::new(0);
        let found = first(&document, &matcher, |line| {
            cancel.set();
            last.set(line);
            false
        });
        assert_eq!(found.map_err(|error| error.code), Err(Code::Cancelled));
        assert!((1..100_000).contains(&last.get()), "{}", last.get());
    }
}
