//! Where a text or pattern stands in a document, in one pass over it.

use std::ops::{ControlFlow, Range};

use super::source::Source;
use super::words::Words;
use super::{Occurrence, Query};
use crate::commands::shared_args::flag_error;
use crate::error::Error;
use crate::files::document::Document;
use crate::text::fold::{FoldedNeedle, Folding};
use crate::text::line_index::LineIndex;
use crate::text::lines::{count_newlines, without_end};
use crate::text::pattern::{Case, LinesLiteral, LinesPattern, Pattern, PatternOptions};
use crate::text::span::{LineRange, Span};

/// A match that is to be edited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Match {
    /// Where it stands.
    pub(super) span: Span,
    /// The line that it begins on.
    pub(super) line: u64,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub(super) struct Matches {
    /// Those that are meant, in order.
    pub(super) chosen: Vec<Match>,
    /// What a template became of each of them, if there is one.
    pub(super) filled: Vec<Box<[u8]>>,
    /// How many there are.
    pub(super) total: u64,
    /// Where the first of them stand, for a choice.
    pub(super) first: Vec<Span>,
}

/// Matches that are remembered to be told.
const TOLD: usize = 10;

/// How a query is searched for.
pub(super) enum Engine {
    /// A text within one line.
    Literal(Box<memchr::memmem::Finder<'static>>),
    /// A pattern, line by line.
    Pattern(Box<Pattern>),
    /// A text of several lines.
    Lines(Box<LinesLiteral>),
    /// A pattern that may match over lines.
    Multiline(Box<LinesPattern>),
}

impl Engine {
    pub(super) fn new(query: &Query, words: Words) -> Result<Self, Error> {
        let flag = words.name(query.kind.flag());
        let told = |error| flag_error(&flag, Error::from(error));
        if !query.is_regex() && query.source.contains('\n') {
            let literal = LinesLiteral::new(&query.source, query.patterns).map_err(told)?;
            return Ok(Self::Lines(Box::new(literal)));
        }
        let plain = PatternOptions { fixed: true, case: Case::Sensitive, word: false, line: false };
        let options = query.options();
        if options == plain {
            let finder = memchr::memmem::Finder::new(query.source.as_bytes());
            return Ok(Self::Literal(Box::new(finder.into_owned())));
        }
        if query.multiline {
            let pattern = LinesPattern::new(&query.source, options).map_err(told)?;
            return Ok(Self::Multiline(Box::new(pattern)));
        }
        Pattern::new(&query.source, options)
            .map(|pattern| Self::Pattern(Box::new(pattern)))
            .map_err(|error| {
                let error = told(error);
                match LinesPattern::new(&query.source, options) {
                    Err(_) => error,
                    // It is only that it goes on over lines.
                    Ok(_) => {
                        let error = Error { hints: Vec::new(), ..error };
                        words.hint(error, &[("--multiline", "")], "to match over several lines")
                    }
                }
            })
    }

    /// Whether a document may hold a match; where matches go on over lines, it is
    /// not looked at.
    pub(super) fn may_match(&self, document: &mut Document) -> Result<bool, Error> {
        document.take_whole_lines();
        let mut is_there = false;
        let mut look = |bytes: &[u8]| {
            is_there = match self {
                Self::Literal(finder) => finder.find(bytes).is_some(),
                Self::Pattern(pattern) => pattern.next_line(bytes, 0).is_some(),
                Self::Lines(_) | Self::Multiline(_) => true,
            };
            if is_there { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        match document.contents().filter(|_| document.encoding().is_utf8()) {
            Some(whole) => drop(look(whole)),
            None => document.blocks(|block| look(block.bytes))?,
        }
        Ok(is_there)
    }

    /// The first group that a template names and the pattern does not have.
    fn unknown_group(&self, template: &[u8]) -> Option<String> {
        match self {
            Self::Pattern(pattern) => pattern.unknown_group(template),
            Self::Multiline(pattern) => pattern.unknown_group(template),
            Self::Literal(_) | Self::Lines(_) => None,
        }
    }
}

/// Finds what a query asks for within a span; `template` is filled in from
/// each match that is chosen.
pub(super) fn find(
    source: &mut Source,
    query: &Query,
    part: &Part,
    occurrence: Occurrence,
    template: Option<&[u8]>,
    words: Words,
) -> Result<Matches, Error> {
    if query.relaxes() {
        return relaxed(source, query, part, occurrence, words);
    }
    let engine = Engine::new(query, words)?;
    if let Some(group) = template.and_then(|template| engine.unknown_group(template)) {
        let expand = words.name("--expand");
        return Err(Error::usage(format!("{expand}: the pattern has no group '{group}'"))
            .hint("$1 is the first group, ${name} a named one, $$ a dollar sign"));
    }
    let mut taker = Taker::new(occurrence, part);
    let mut index = LineIndex::new(source.start());
    match &engine {
        Engine::Literal(finder) => source.blocks(|bytes, offset| {
            index.push(bytes);
            for at in finder.find_iter(bytes) {
                taker.take(bytes, offset, at..at + finder.needle().len(), || None);
            }
            taker.pass(bytes, offset, bytes.len());
            ControlFlow::Continue(())
        })?,
        Engine::Pattern(pattern) => in_lines(source, pattern, template, &mut taker, &mut index)?,
        Engine::Lines(literal) => several_lines(source, literal, &mut taker, &mut index)?,
        Engine::Multiline(pattern) => {
            let (start, text) = (source.start(), source.whole()?);
            let text = &text[start as usize..];
            index.push(text);
            for found in pattern.find_all(text) {
                source.cancel().check()?;
                let fill = || template.map(|fill| pattern.expand(text, found.start, fill));
                taker.take(text, start, found.clone(), fill);
            }
        }
    }
    source.keep_index(index);
    Ok(taker.matches)
}

/// One line may hold so much that it takes longer than anybody waits.
fn in_lines(
    source: &mut Source,
    pattern: &Pattern,
    template: Option<&[u8]>,
    taker: &mut Taker<'_>,
    index: &mut LineIndex,
) -> Result<(), Error> {
    let cancel = source.cancel();
    source.blocks(|bytes, offset| {
        index.push(bytes);
        let mut at = 0;
        while let Some(line) = pattern.next_line(bytes, at) {
            let text = without_end(&bytes[line.clone()]);
            for found in pattern.find_all(text) {
                if cancel.is_set() {
                    return ControlFlow::Break(());
                }
                let fill = || template.map(|fill| pattern.expand(text, found.start, fill));
                let range = line.start + found.start..line.start + found.end;
                taker.take(bytes, offset, range, fill);
            }
            at = line.end;
        }
        taker.pass(bytes, offset, bytes.len());
        ControlFlow::Continue(())
    })?;
    cancel.check()
}

/// A text of several lines may begin in one block and end in another.
fn several_lines(
    source: &mut Source,
    literal: &LinesLiteral,
    taker: &mut Taker<'_>,
    index: &mut LineIndex,
) -> Result<(), Error> {
    let mut buffer = Vec::new();
    let mut base = source.start();
    let mut at = 0usize;
    source.blocks(|bytes, _| {
        index.push(bytes);
        buffer.extend_from_slice(bytes);
        while let Some(found) = literal.find(&buffer, at) {
            at = found.end.max(found.start + 1);
            taker.take(&buffer, base, found, || None);
        }
        // As many lines as it holds may be the beginning of one.
        let mut keep = buffer.len();
        for _ in 0..=literal.line_ends() {
            keep = memchr::memrchr(b'\n', &buffer[..keep]).unwrap_or(0);
        }
        taker.pass(&buffer, base, keep);
        buffer.drain(..keep);
        base += keep as u64;
        at = at.saturating_sub(keep);
        ControlFlow::Continue(())
    })
}

fn relaxed(
    source: &mut Source,
    query: &Query,
    part: &Part,
    occurrence: Occurrence,
    words: Words,
) -> Result<Matches, Error> {
    let start = source.start();
    let text = source.whole()?;
    let mut taker = Taker::new(occurrence, part);
    taker.at = start;
    let folding = Folding {
        whitespace: query.ignore_whitespace,
        unicode: query.normalize_unicode,
        case: query.patterns.case == Case::Insensitive,
    };
    let Some(needle) = FoldedNeedle::new(&query.source, folding) else {
        let message = "nothing is left of it but blanks, which are ignored";
        return Err(Error::usage(format!("{}: {message}", words.name("--text"))));
    };
    let mut at = start as usize;
    while let Some(found) = needle.find(&text, at) {
        source.cancel().check()?;
        at = found.end.max(found.start + 1);
        taker.take(&text, 0, found, || None);
    }
    Ok(taker.matches)
}

/// Where matches are meant.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) within: Option<Span>,
    /// Lines of code in which none is meant, in order.
    pub(super) code: Vec<LineRange>,
    /// Comments in which none is meant, in order.
    pub(super) comments: Vec<Span>,
}

impl Part {
    /// Whether a match in a line is in code or in a comment where none is meant.
    fn passes_over(&self, found: Span, line: u64) -> bool {
        let next = self.code.partition_point(|lines| lines.end() < line);
        let comment = self.comments.partition_point(|own| own.end() <= found.start());
        self.code.get(next).is_some_and(|lines| lines.contains(line))
            || self.comments.get(comment).is_some_and(|own| own.start() <= found.start())
    }
}

/// Takes matches in order and keeps those that are meant.
struct Taker<'a> {
    occurrence: Occurrence,
    part: &'a Part,
    matches: Matches,
    /// Up to where lines are counted, and the line that begins or goes on there.
    at: u64,
    line: u64,
}

impl<'a> Taker<'a> {
    fn new(occurrence: Occurrence, part: &'a Part) -> Self {
        Self { occurrence, part, matches: Matches::default(), at: 0, line: 1 }
    }

    /// Counts the lines up to a place in `bytes`, which begin at `base`.
    fn pass(&mut self, bytes: &[u8], base: u64, until: usize) {
        let from = (self.at.saturating_sub(base) as usize).min(until);
        self.line += count_newlines(&bytes[from..until]);
        self.at = self.at.max(base + until as u64);
    }

    fn take(
        &mut self,
        bytes: &[u8],
        base: u64,
        found: Range<usize>,
        fill: impl FnOnce() -> Option<Vec<u8>>,
    ) {
        self.pass(bytes, base, found.start);
        let span = Span::new(base + found.start as u64, base + found.end as u64);
        let is_outside = |part: Span| span.start() < part.start() || span.end() > part.end();
        if self.part.within.is_some_and(is_outside) || self.part.passes_over(span, self.line) {
            return;
        }
        let matches = &mut self.matches;
        matches.total += 1;
        if matches.first.len() < TOLD {
            matches.first.push(span);
        }
        let is_meant = match self.occurrence {
            Occurrence::First => matches.total == 1,
            Occurrence::Number(number) => matches.total == number,
            Occurrence::All => true,
            Occurrence::Last => {
                matches.chosen.clear();
                matches.filled.clear();
                true
            }
        };
        if is_meant {
            matches.chosen.push(Match { span, line: self.line });
            matches.filled.extend(fill().map(Vec::into_boxed_slice));
        }
    }
}
