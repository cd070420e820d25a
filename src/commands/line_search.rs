//! Lines of one document that match: the one search of all commands.

use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;

use grep_searcher::{Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};

use super::line_matcher::LineMatcher;
use crate::error::Error;
use crate::files::document::Document;
use crate::text::encoding::Encoding;
use crate::text::lines::without_end;

/// Takes what is found in a document that starts at its beginning.
pub trait Taker<'b>: Sink<Error = io::Error> {
    /// How offsets of what comes stand to those of the file.
    fn take_offsets(&mut self, offsets: Offsets<'b>);
}

/// Searches what a document holds, in memory where it is there already. `bytes`
/// is a buffer for text that has to be decoded.
pub fn search<'b, T: Taker<'b>>(
    searcher: &mut Searcher,
    matcher: &LineMatcher,
    document: &mut Document,
    bytes: &'b mut Vec<u8>,
    taker: &mut T,
) -> Result<(), Error> {
    let base = document.bom_length() as u64;
    if !document.encoding().is_utf8() {
        let (raw, text) = decoded(document, bytes)?;
        let decoded = Decoded::new(document.encoding(), raw, text);
        taker.take_offsets(Offsets { base, decoded: Some(decoded) });
        let result = searcher.search_slice(matcher, text, taker);
        return result.map_err(|error| Error::io(&error, document.path()));
    }
    taker.take_offsets(Offsets { base, decoded: None });
    let result = match document.contents() {
        // Only the reader looks for NUL bytes everywhere.
        Some(text) if searcher.multi_line() || !document.is_binary() => {
            searcher.search_slice(matcher, text, taker)
        }
        Some(text) => searcher.search_reader(matcher, text, taker),
        None => searcher.search_reader(matcher, document.reader(), taker),
    };
    result.map_err(|error| Error::io(&error, document.path()))
}

/// All of a document that has to be decoded: its bytes, and its text.
fn decoded<'b>(
    document: &mut Document,
    bytes: &'b mut Vec<u8>,
) -> Result<(&'b [u8], &'b [u8]), Error> {
    bytes.clear();
    let encoding = document.encoding();
    let path = document.path().to_owned();
    io::Read::read_to_end(&mut document.reader(), bytes)
        .map_err(|error| Error::io(&error, &path))?;
    let raw = bytes.len();
    let mut text = Vec::new();
    encoding.decode(&bytes[..raw], &mut text);
    bytes.extend_from_slice(&text);
    Ok(bytes.split_at(raw))
}

/// Translates offsets of the text that was searched to the file's.
#[derive(Default)]
pub struct Offsets<'b> {
    /// Bytes before the text: the byte order mark.
    base: u64,
    decoded: Option<Decoded<'b>>,
}

impl Offsets<'_> {
    /// The text begins so many bytes from the start of the file.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// `line` is where a line begins in the text, `within` an offset in it. It is
    /// cheap for lines in order.
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

/// A line that matches.
#[derive(Debug)]
pub struct Hit {
    /// Its number.
    pub line: u64,
    /// Unicode scalar values before its first match, plus 1.
    pub column: u64,
    /// Where the match begins in the file.
    pub byte_offset: u64,
    /// The line without its end.
    pub text: Vec<u8>,
    /// Where in `text` the match stands.
    pub found: std::ops::Range<usize>,
    /// Lines before it, without their ends.
    pub before: Vec<Vec<u8>>,
    /// Lines after it.
    pub after: Vec<Vec<u8>>,
}

/// All lines of a document that match, each with so many lines around it. The
/// document is at its start.
///
/// Fails where one of them holds a NUL byte that may not be printed.
pub fn all(
    document: &mut Document,
    matcher: &LineMatcher,
    context: usize,
) -> Result<Vec<Hit>, Error> {
    gather(document, matcher, context, |_| ControlFlow::Continue(true))
}

/// The number of the first line that matches and is wanted.
pub fn first(
    document: &mut Document,
    matcher: &LineMatcher,
    wanted: impl Fn(u64) -> bool,
) -> Result<Option<u64>, Error> {
    let mut found = None;
    gather(document, matcher, 0, |line| {
        if !wanted(line) {
            return ControlFlow::Continue(false);
        }
        found = Some(line);
        ControlFlow::Break(())
    })?;
    Ok(found)
}

/// `take` says of each line whether it is kept, or ends the search.
fn gather(
    document: &mut Document,
    matcher: &LineMatcher,
    context: usize,
    take: impl FnMut(u64) -> ControlFlow<(), bool>,
) -> Result<Vec<Hit>, Error> {
    let mut searcher = SearcherBuilder::new()
        .line_number(true)
        .before_context(context)
        .after_context(context)
        .bom_sniffing(false)
        .build();
    let mut bytes = Vec::new();
    let mut gatherer = Gatherer {
        matcher,
        context: context as u64,
        take,
        offsets: Offsets::default(),
        hits: Vec::new(),
        recent: VecDeque::new(),
        waiting: 0,
        prints_nul: document.prints_nul(),
        found_nul: false,
    };
    search(&mut searcher, matcher, document, &mut bytes, &mut gatherer)?;
    if gatherer.found_nul { Err(document.binary_error()) } else { Ok(gatherer.hits) }
}

/// Gathers hits with the lines around them.
struct Gatherer<'m, 'b, F> {
    matcher: &'m LineMatcher,
    context: u64,
    take: F,
    offsets: Offsets<'b>,
    hits: Vec<Hit>,
    /// The last lines that came, without their ends.
    recent: VecDeque<(u64, Vec<u8>)>,
    /// The first hit that still lacks lines after it.
    waiting: usize,
    prints_nul: bool,
    found_nul: bool,
}

impl<F> Gatherer<'_, '_, F> {
    /// Whether a line may be printed; if not, the search ends.
    fn may_print(&mut self, text: &[u8]) -> bool {
        self.found_nul = !self.prints_nul && memchr::memchr(0, text).is_some();
        !self.found_nul
    }

    /// A line that is context of the hits before it and may be of the next.
    fn give_context(&mut self, number: u64, text: &[u8]) {
        if self.context == 0 {
            return;
        }
        for hit in &mut self.hits[self.waiting..] {
            if number <= hit.line.saturating_add(self.context) {
                hit.after.push(text.to_vec());
            }
        }
        let is_done = |hit: &Hit| hit.line.saturating_add(self.context) <= number;
        while self.hits.get(self.waiting).is_some_and(is_done) {
            self.waiting += 1;
        }
    }

    fn remember(&mut self, number: u64, text: &[u8]) {
        if self.context == 0 {
            return;
        }
        if self.recent.len() as u64 == self.context {
            self.recent.pop_front();
        }
        self.recent.push_back((number, text.to_vec()));
    }
}

impl<F: FnMut(u64) -> ControlFlow<(), bool>> Sink for Gatherer<'_, '_, F> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, matched: &SinkMatch<'_>) -> io::Result<bool> {
        let number = matched.line_number().unwrap_or(0);
        let text = without_end(matched.bytes());
        self.give_context(number, text);
        match (self.take)(number) {
            ControlFlow::Break(()) => return Ok(false),
            ControlFlow::Continue(false) => return Ok(true),
            ControlFlow::Continue(true) => {}
        }
        if !self.may_print(text) {
            return Ok(false);
        }
        let found = self.matcher.find_first(matched.bytes()).unwrap_or(0..0);
        let first = number.saturating_sub(self.context);
        self.hits.push(Hit {
            line: number,
            column: String::from_utf8_lossy(&text[..found.start]).chars().count() as u64 + 1,
            byte_offset: self.offsets.in_file(matched.absolute_byte_offset(), found.start),
            text: text.to_vec(),
            found,
            before: self
                .recent
                .iter()
                .filter(|(number, _)| *number >= first)
                .map(|(_, text)| text.clone())
                .collect(),
            after: Vec::new(),
        });
        self.remember(number, text);
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        let number = context.line_number().unwrap_or(0);
        let text = without_end(context.bytes());
        if !self.may_print(text) {
            return Ok(false);
        }
        self.give_context(number, text);
        self.remember(number, text);
        Ok(true)
    }
}

impl<'b, F: FnMut(u64) -> ControlFlow<(), bool>> Taker<'b> for Gatherer<'_, 'b, F> {
    fn take_offsets(&mut self, offsets: Offsets<'b>) {
        self.offsets = offsets;
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::commands::line_matcher::Extent;
    use crate::files::document::DocumentOptions;
    use crate::files::env::Cancel;
    use crate::text::pattern::PatternOptions;

    fn found(text: &str, pattern: &str, context: usize) -> Vec<Hit> {
        let stream = Box::new(io::Cursor::new(text.as_bytes().to_vec()));
        let options = DocumentOptions::default();
        let mut document =
            Document::stream(Path::new("-"), stream, &options, &Cancel::default()).expect("text");
        let matcher = LineMatcher::new(&[pattern], PatternOptions::default(), Extent::Line);
        all(&mut document, &matcher.expect("a pattern"), context).expect("readable")
    }

    #[test]
    fn hits_have_the_lines_around_them_other_hits_too() {
        let hits = found("1\n2 x\n3\n4 x\n5 x\r\n6\n7\n8\n9 x", "x", 2);
        let told: Vec<String> = hits
            .iter()
            .map(|hit| {
                let text =
                    |lines: &[Vec<u8>]| String::from_utf8_lossy(&lines.join(&b'|')).into_owned();
                format!("{}<{}>{}", text(&hit.before), hit.line, text(&hit.after))
            })
            .collect();
        assert_eq!(told, ["1<2>3|4 x", "2 x|3<4>5 x|6", "3|4 x<5>6|7", "7|8<9>"]);
        assert_eq!((hits[2].byte_offset, hits[2].column), (14, 3));
        assert_eq!(hits[2].text, b"5 x");
    }

    #[test]
    fn a_document_without_lines_has_none() {
        assert!(found("", "", 1).is_empty());
        assert_eq!(found("\n", "", 1).len(), 1);
    }
}
