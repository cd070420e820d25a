//! Finds the matches of a text or pattern in one pass over a document.

use std::io;
use std::ops::Range;

use super::Refusal;
use crate::document::Document;
use crate::document::LoadedDocument;
use crate::part::{CodeFilter, Occurrence, Query};
use folio_text::fold::{FoldedNeedle, Folding};
use folio_text::lines::{count_newlines, without_end};
use folio_text::pattern::{Case, LinesPattern, Pattern, PatternOptions};
use folio_text::span::{LineRange, Span};

/// A match to edit. The numbers are small, because there may be many matches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Match {
    start: u32,
    end: u32,
    line: u32,
}

impl Match {
    /// Creates a match that begins on `line`. Returns `None` if it ends after 4 GiB.
    fn new(span: Span, line: u64) -> Option<Self> {
        let [start, end, line] =
            [span.start(), span.end(), line].map(|number| u32::try_from(number).ok());
        Some(Self { start: start?, end: end?, line: line? })
    }

    pub(super) fn span(&self) -> Span {
        Span::new(self.start.into(), self.end.into())
    }

    /// Returns the line on which it begins.
    pub(super) fn line(&self) -> u64 {
        self.line.into()
    }
}

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct Matches {
    /// The selected matches, in order.
    pub(super) chosen: Vec<Match>,
    /// The expanded template for each selected match, if there is a template.
    pub(super) filled: Vec<Box<[u8]>>,
    /// The total number of matches.
    pub(super) total: u64,
    /// The first matches, to list as candidates.
    pub(super) first: Vec<Span>,
}

/// Maximum number of matches to list as candidates.
const MAX_CANDIDATES: usize = 10;

/// The algorithm for a query.
pub enum Engine {
    /// Finds a text within one line.
    Literal(Box<memchr::memmem::Finder<'static>>),
    /// Matches a pattern line by line.
    Pattern(Box<Pattern>),
    /// Finds a text of several lines, or matches a pattern whose matches may span lines.
    Lines(Box<LinesPattern>),
}

impl Engine {
    /// Compiles a query.
    ///
    /// # Errors
    ///
    /// Fails if the pattern is invalid.
    pub fn new(query: &Query) -> Result<Self, Refusal> {
        let invalid = |error| Refusal::Pattern { kind: query.kind, error, may_span_lines: false };
        if !query.is_regex() && query.source.contains('\n') {
            let literal = LinesPattern::literal(&query.source, query.patterns).map_err(invalid)?;
            return Ok(Self::Lines(Box::new(literal)));
        }
        let plain = PatternOptions { fixed: true, case: Case::Sensitive, word: false, line: false };
        let options = query.options();
        if options == plain {
            let finder = memchr::memmem::Finder::new(query.source.as_bytes());
            return Ok(Self::Literal(Box::new(finder.into_owned())));
        }
        if query.multiline {
            let pattern = LinesPattern::new(&query.source, options).map_err(invalid)?;
            return Ok(Self::Lines(Box::new(pattern)));
        }
        Pattern::new(&query.source, options)
            .map(|pattern| Self::Pattern(Box::new(pattern)))
            .map_err(|error| Refusal::Pattern {
                kind: query.kind,
                error,
                // The pattern is valid, but contains a line ending.
                may_span_lines: LinesPattern::new(&query.source, options).is_ok(),
            })
    }

    /// Whether a document may contain a match. True if matches may span lines, and the document is not
    /// empty.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read.
    pub fn may_match(&self, document: &Document) -> io::Result<bool> {
        let mut blocks = document.blocks().of_whole_lines();
        while let Some(block) = blocks.next()? {
            let is_found = match self {
                Self::Literal(finder) => finder.find(block.bytes).is_some(),
                Self::Pattern(pattern) => pattern.next_line(block.bytes, 0).is_some(),
                Self::Lines(_) => return Ok(true),
            };
            if is_found {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the first group in a template that does not exist in the pattern.
    fn unknown_group(&self, template: &[u8]) -> Option<String> {
        match self {
            Self::Pattern(pattern) => pattern.unknown_group(template),
            Self::Lines(pattern) => pattern.unknown_group(template),
            Self::Literal(_) => None,
        }
    }
}

/// Finds the matches of a query within a span. Expands `template` for each selected match.
pub(super) fn find(
    source: &LoadedDocument,
    query: &Query,
    part: &SearchedPart,
    occurrence: Occurrence,
    template: Option<&[u8]>,
) -> Result<Matches, Refusal> {
    let text = source.text();
    let mut collector = Collector::new(source, occurrence, part);
    // A text that overlaps itself, such as `aa` in `aaa`, is ambiguous.
    let is_only = occurrence == Occurrence::Only;
    let next = |found: &Range<usize>| {
        let after_first = found.start + 1;
        if is_only { after_first } else { found.end.max(after_first) }
    };
    if query.relaxes() {
        let (needle, mut at) = (folded_needle(query)?, 0);
        while let Some(found) = needle.find(text, at) {
            at = next(&found);
            collector.add_match(found, || None)?;
        }
        return Ok(collector.matches);
    }
    let engine = Engine::new(query)?;
    if let Some(group) = template.and_then(|template| engine.unknown_group(template)) {
        return Err(Refusal::NoGroup { group });
    }
    match &engine {
        Engine::Literal(finder) => {
            let mut at = 0;
            while let Some(found) = text.get(at..).and_then(|rest| finder.find(rest)) {
                let found = at + found..at + found + finder.needle().len();
                at = next(&found);
                collector.add_match(found, || None)?;
            }
        }
        Engine::Pattern(pattern) => {
            let mut at = 0;
            while let Some(line) = pattern.next_line(text, at) {
                let line_text = without_end(&text[line.clone()]);
                for found in pattern.find_all(line_text) {
                    let fill = || template.map(|fill| pattern.expand(line_text, found.start, fill));
                    collector.add_match(line.start + found.start..line.start + found.end, fill)?;
                }
                at = line.end;
            }
        }
        Engine::Lines(pattern) => {
            let search = pattern.search(text);
            for found in search.find_each(is_only && !query.is_regex()) {
                let fill = || template.map(|fill| search.expand(found.start, fill));
                collector.add_match(found.clone(), fill)?;
            }
        }
    }
    Ok(collector.matches)
}

/// Returns the first reference in the content to a group of the pattern, such as `$1`. Returns
/// `None` if the content also refers to groups that do not exist.
pub(super) fn unexpanded_reference(query: &Query, content: &[u8]) -> Option<String> {
    let starts = |at: &usize| {
        let next = content.get(at + 1);
        next.is_some_and(|next| next.is_ascii_alphanumeric() || matches!(next, b'_' | b'{'))
    };
    let start = memchr::memchr_iter(b'$', content).find(starts).filter(|_| query.is_regex())?;
    let engine = Engine::new(query).ok()?;
    if engine.unknown_group(content).is_some() {
        return None;
    }
    let rest = &content[start..];
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_${".contains(byte);
    let end = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
    let end = end + usize::from(rest.get(end) == Some(&b'}') && rest[1] == b'{');
    Some(String::from_utf8_lossy(&rest[..end]).into_owned())
}

/// Returns the needle for a query that ignores some differences.
fn folded_needle(query: &Query) -> Result<FoldedNeedle, Refusal> {
    let folding = Folding {
        whitespace: query.ignore_whitespace,
        unicode: query.normalize_unicode,
        case: query.patterns.case == Case::Insensitive,
    };
    FoldedNeedle::new(&query.source, folding).ok_or(Refusal::OnlyWhitespace)
}

/// The part of a document in which to search.
#[derive(Debug, Default)]
pub(super) struct SearchedPart {
    pub(super) within: Option<Span>,
    /// Selects matches by whether they are in the lines of code.
    pub(super) code: Option<CodeFilter>,
    /// The lines of code, in order.
    pub(super) code_lines: Vec<LineRange>,
    /// The comments to skip, in order.
    pub(super) comments: Vec<Span>,
}

impl SearchedPart {
    /// Whether a match is skipped, because it is in code or in a comment.
    fn passes_over(&self, found: Span, line: u64) -> bool {
        let next = self.code_lines.partition_point(|lines| lines.end() < line);
        let is_code = self.code_lines.get(next).is_some_and(|lines| lines.contains(line));
        let comment = self.comments.partition_point(|span| span.end() <= found.start());
        self.code.is_some_and(|filter| is_code == (filter == CodeFilter::Outside))
            || self.comments.get(comment).is_some_and(|span| span.start() <= found.start())
    }
}

/// Receives matches in order, and keeps those that the query selects.
struct Collector<'a> {
    source: &'a LoadedDocument,
    occurrence: Occurrence,
    part: &'a SearchedPart,
    matches: Matches,
    /// The offset up to which lines have been counted, and the line number at this offset.
    at: usize,
    line: u64,
}

impl<'a> Collector<'a> {
    fn new(source: &'a LoadedDocument, occurrence: Occurrence, part: &'a SearchedPart) -> Self {
        Self { source, occurrence, part, matches: Matches::default(), at: 0, line: 1 }
    }

    /// Adds a match. The range refers to the text without its byte order mark.
    fn add_match(
        &mut self,
        found: Range<usize>,
        fill: impl FnOnce() -> Option<Vec<u8>>,
    ) -> Result<(), Refusal> {
        self.source.check_cancel()?;
        let is_in_character = |&byte: &u8| byte & 0xc0 == 0x80;
        if found.is_empty() && self.source.text().get(found.start).is_some_and(is_in_character) {
            return Ok(());
        }
        self.line += count_newlines(&self.source.text()[self.at..found.start]);
        self.at = found.start;
        let base = self.source.start();
        let span = Span::new(base + found.start as u64, base + found.end as u64);
        let text = self.source.text();
        // An empty match after whole lines is on the line after them. After the last line of a
        // document, there is none.
        let is_after_lines = found.is_empty() && text[..found.start].last() == Some(&b'\n');
        let part = self.part.within.unwrap_or(self.source.span());
        let is_within = part.start() <= span.start() && span.end() <= part.end();
        let is_behind = is_after_lines && span.start() == part.end() && !part.is_empty();
        if !is_within || is_behind || self.part.passes_over(span, self.line) {
            return Ok(());
        }
        let matches = &mut self.matches;
        matches.total += 1;
        if matches.first.len() < MAX_CANDIDATES {
            matches.first.push(span);
        }
        let is_selected = match self.occurrence {
            Occurrence::Only | Occurrence::First => matches.total == 1,
            Occurrence::Number(number) => matches.total == number,
            Occurrence::All => true,
            Occurrence::Last => {
                matches.chosen.clear();
                matches.filled.clear();
                true
            }
        };
        if is_selected {
            let found = Match::new(span, self.line);
            matches.chosen.push(found.ok_or(Refusal::TooLarge)?);
            matches.filled.extend(fill().map(Vec::into_boxed_slice));
        }
        Ok(())
    }
}
