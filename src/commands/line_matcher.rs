//! Patterns for `grep-searcher`. `grep-regex` finds candidates in many lines at once. A line that
//! ends with `\r\n` is matched without its line ending, unless the pattern contains `\r`.

use std::ops::Range;

use grep_matcher::{Captures, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures, NoError};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use folio_files::error::{Code, Error};
use folio_text::lines::without_end;
use folio_text::pattern::{
    AUTOMATON_LIMIT, Pattern, PatternOptions, block_expression, lines_expression, matches_return,
    needs_whole_text,
};

/// Maximum size of a compiled pattern, in bytes.
const SIZE_LIMIT: usize = 10 << 20;

/// The maximum extent of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// A match is within a line.
    Line,
    /// A match is within a record that ends with NUL.
    Record,
    /// A match may span several lines.
    Lines,
}

/// A compiled pattern.
#[derive(Clone, Debug)]
pub struct LineMatcher(CompiledPattern);

#[derive(Clone, Debug)]
enum CompiledPattern {
    Line {
        candidates: RegexMatcher,
        line: Pattern,
    },
    /// For matches within records or across lines, and for patterns that match a carriage return.
    Text {
        regex: RegexMatcher,
        is_record: bool,
        /// Whether a `\r` at the end of a match belongs to the line ending.
        trims: bool,
    },
}

impl LineMatcher {
    /// Compiles several patterns into a matcher that matches if any of them matches.
    pub fn new(sources: &[&str], options: PatternOptions, extent: Extent) -> Result<Self, Error> {
        let trims = !matches_return(sources, options)?;
        let is_record = extent == Extent::Record;
        if is_record || extent == Extent::Lines && needs_whole_text(sources, options)? {
            let regex = compile(&lines_expression(sources, options)?, None)?;
            return Ok(Self(CompiledPattern::Text { regex, is_record, trims }));
        }
        let line = Pattern::any_of(sources, options)?;
        let regex = compile(&block_expression(sources, options)?, Some(b'\n'))?;
        Ok(Self(if trims {
            CompiledPattern::Line { candidates: regex, line }
        } else {
            CompiledPattern::Text { regex, is_record, trims }
        }))
    }

    /// Whether a match may span several lines.
    pub fn spans_lines(&self) -> bool {
        matches!(&self.0, CompiledPattern::Text { regex, is_record: false, .. }
            if regex.line_terminator().is_none())
    }

    /// Calls `each` with the matches in one or several lines, until `each` returns `false`.
    pub fn find_all(&self, text: &[u8], mut each: impl FnMut(Range<usize>) -> bool) {
        match &self.0 {
            CompiledPattern::Line { line, .. } => {
                for found in line.find_all(without_end(text)) {
                    if !each(found) {
                        return;
                    }
                }
            }
            CompiledPattern::Text { regex, is_record, trims } => {
                let record = text.strip_suffix(b"\0").filter(|_| *is_record);
                let text = record.unwrap_or(text);
                let is_ended = !is_record && text.ends_with(b"\n");
                // Errors are impossible, because their type has no values.
                let _ = regex.find_iter(text, |found| {
                    // The position after the last line ending is on the next line.
                    if is_ended && found.start() == text.len() {
                        return true;
                    }
                    let mut end = found.end();
                    // A `\r` before `$` is part of the line ending.
                    if *trims && text[..end].ends_with(b"\r") && text.get(end) == Some(&b'\n') {
                        end -= 1;
                    }
                    each(found.start()..end.max(found.start()))
                });
            }
        }
    }

    /// Returns the first match.
    pub fn find_first(&self, text: &[u8]) -> Option<Range<usize>> {
        let mut first = None;
        self.find_all(text, |found| {
            first = Some(found);
            false
        });
        first
    }

    /// Appends the text, with matches replaced by the template, in which `$1` and `${name}` are
    /// expanded. Returns the ranges of the replacements.
    pub fn replace(
        &self,
        text: &[u8],
        found: &[Range<usize>],
        template: &str,
        out: &mut Vec<u8>,
    ) -> Vec<Range<usize>> {
        let mut at = 0;
        let mut places = Vec::with_capacity(found.len());
        for range in found {
            out.extend_from_slice(&text[at..range.start]);
            let start = out.len();
            match &self.0 {
                CompiledPattern::Line { line, .. } => out.extend_from_slice(&line.expand(
                    without_end(text),
                    range.start,
                    template.as_bytes(),
                )),
                CompiledPattern::Text { regex, .. } => {
                    // Errors are impossible, because their type has no values.
                    if let Ok(mut groups) = regex.new_captures()
                        && let Ok(true) = regex.captures_at(text, range.start, &mut groups)
                    {
                        let named = |name: &str| regex.capture_index(name);
                        groups.interpolate(named, text, template.as_bytes(), out);
                    }
                }
            }
            places.push(start..out.len());
            at = range.end;
        }
        out.extend_from_slice(&text[at..]);
        places
    }

    fn find_candidate(&self, block: &[u8]) -> Option<LineMatchKind> {
        let (candidates, line) = match &self.0 {
            CompiledPattern::Line { candidates, line } => (candidates, line),
            CompiledPattern::Text { regex, .. } => return regex.find_candidate_line(block).ok()?,
        };
        let mut at = 0;
        if let Some(literal) = line.long_literal() {
            return literal.find(block).map(LineMatchKind::Confirmed);
        }
        while at < block.len() || at == 0 {
            let (hit, sure) = match candidates.find_candidate_line(&block[at..]).ok()?? {
                LineMatchKind::Confirmed(hit) => (at + hit, true),
                LineMatchKind::Candidate(hit) => (at + hit, false),
            };
            let start = memchr::memrchr(b'\n', &block[at..hit]).map_or(at, |end| at + end + 1);
            let end = memchr::memchr(b'\n', &block[hit..]).map_or(block.len(), |end| hit + end + 1);
            let text = &block[start..end];
            let body = text.strip_suffix(b"\n").unwrap_or(text);
            if (sure && !body.ends_with(b"\r")) || line.is_match(without_end(text)) {
                return Some(LineMatchKind::Confirmed(hit));
            }
            at = end;
        }
        None
    }
}

fn compile(expression: &str, line_end: Option<u8>) -> Result<RegexMatcher, Error> {
    RegexMatcherBuilder::new()
        .multi_line(true)
        .unicode(true)
        .size_limit(SIZE_LIMIT)
        .dfa_size_limit(AUTOMATON_LIMIT)
        .line_terminator(line_end)
        .build(expression)
        .map_err(|error| {
            let message = error.to_string();
            let error = if message.contains("size limit") {
                format!(
                    "the pattern is too large: it would take more than {} MiB",
                    SIZE_LIMIT >> 20
                )
            } else {
                message
            };
            Error::new(Code::InvalidPattern, error)
        })
}

impl Matcher for LineMatcher {
    type Captures = NoCaptures;
    type Error = NoError;

    fn find_at(&self, text: &[u8], at: usize) -> Result<Option<Match>, NoError> {
        match &self.0 {
            CompiledPattern::Line { candidates, line } => match line.long_literal() {
                Some(literal) => Ok(literal
                    .find(&text[at..])
                    .map(|found| Match::new(at + found, at + found + literal.needle().len()))),
                None => candidates.find_at(text, at),
            },
            CompiledPattern::Text { regex, .. } => regex.find_at(text, at),
        }
    }

    fn new_captures(&self) -> Result<NoCaptures, NoError> {
        Ok(NoCaptures::new())
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        match &self.0 {
            CompiledPattern::Line { candidates: regex, .. }
            | CompiledPattern::Text { regex, .. } => regex.line_terminator(),
        }
    }

    fn find_candidate_line(&self, block: &[u8]) -> Result<Option<LineMatchKind>, NoError> {
        Ok(self.find_candidate(block))
    }
}

#[cfg(test)]
mod tests {
    use grep_searcher::SearcherBuilder;
    use grep_searcher::sinks::Bytes;

    use super::*;

    #[test]
    fn matches_span_lines_only_if_the_pattern_needs_the_whole_text() {
        let matcher = |pattern: &str| {
            LineMatcher::new(&[pattern], PatternOptions::default(), Extent::Lines).expect("valid")
        };
        assert!(!matcher("^foo$").spans_lines());
        assert!(!matcher(r"fo.\r").spans_lines());
        for pattern in [r"o\n", r"\s", "[^x]", "(?s).", r"\Ab", r"b\z", "(?-m)^b", "(?-m:b$)"] {
            assert!(matcher(pattern).spans_lines(), "{pattern}");
        }
        let mut found = Vec::new();
        matcher("o|\n|$").find_all(b"foo\n", |range| {
            found.push(range);
            true
        });
        assert_eq!(found, [1..2, 2..3, 3..4]);
    }

    #[track_caller]
    fn check(pattern: &str, text: &str, expected: &[u64]) {
        let matcher =
            LineMatcher::new(&[pattern], PatternOptions::default(), Extent::Line).expect("valid");
        let mut found = Vec::new();
        let sink = Bytes(|number, _| {
            found.push(number);
            Ok(true)
        });
        let mut searcher = SearcherBuilder::new().build();
        searcher.search_slice(&matcher, text.as_bytes(), sink).expect("searched");
        assert_eq!(found, expected, "{pattern} in {text:?}");
    }

    #[test]
    fn a_carriage_return_belongs_only_to_a_line_ending() {
        check("foo$", "foo\r\nfoo\nfoo\rx\nfoo\r", &[1, 2]);
        check("foo.", "foo\r\nfoox\r\nfoo\n", &[2]);
        check(r"foo\s$", "foo\r\nfoo \r\nfoo\r\r\n", &[2, 3]);
        check("^$", "\r\n\nx\r\n", &[1, 2]);
        check(r"foo\r", "foo\r\nfoo\nfoo\rx\nfoo\r", &[1, 3, 4]);
        check(r"foo\r$", "foo\r\nfoo\nfoo\rx\nfoo\r", &[1, 4]);
        check("[^ ]$", "\r\nx\r\n \r\n", &[2]);
        check(r"^[\r\t]$", "\r\n\nx\r\n\t\r\n", &[1, 4]);
        check(r"[^a]$", "a\r\nb\r\n", &[2]);
        check(r"\w+ foo \w+", "a foo b\r\nfoo\r\n a foo \r\n", &[1]);
        check("", "a\n\nb", &[1, 2, 3]);
        check("", "", &[]);
    }
}
