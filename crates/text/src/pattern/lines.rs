//! Patterns whose matches may span lines.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;
use regex_automata::{Input, meta};
use regex_syntax::hir::{Hir, HirKind, Look};

use super::{
    PatternError, PatternOptions, compile_regex, expand, matches_return, optional_return,
    options_for, parse, replace_parts, unknown_group,
};

/// A regular expression whose matches may span lines. A line feed in the expression matches `\n`
/// and `\r\n`, and nothing else matches the carriage return of a `\r\n`, unless the expression
/// contains one.
#[derive(Clone, Debug)]
pub struct LinesPattern {
    regex: meta::Regex,
    /// Whether the expression matches a carriage return explicitly.
    matches_return: bool,
}

impl LinesPattern {
    /// Compiles an expression.
    ///
    /// # Errors
    ///
    /// Fails if it is invalid or too large.
    pub fn new(source: &str, options: PatternOptions) -> Result<Self, PatternError> {
        let hir = parse(source, options_for(&[source], options))?;
        if !matches_return(&[source], options)? {
            return Ok(Self { regex: compile_regex(&hir)?, matches_return: false });
        }
        let either_end = replace_parts(&hir, &|hir| match hir.kind() {
            // A match ends before the carriage return.
            HirKind::Look(Look::EndLF) => Some(Hir::look(Look::EndCRLF)),
            HirKind::Literal(literal) if literal.0.contains(&b'\n') => {
                Some(literal_with_line_ends(&literal.0))
            }
            _ => None,
        });
        Ok(Self { regex: compile_regex(&either_end)?, matches_return: true })
    }

    /// Compiles a literal text.
    ///
    /// # Errors
    ///
    /// Fails if it is too large.
    pub fn literal(text: &str, options: PatternOptions) -> Result<Self, PatternError> {
        let options = PatternOptions { fixed: true, ..options };
        let lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
        Self::new(&lines.collect::<Vec<_>>().join("\n"), options)
    }

    /// Prepares a text for searches.
    pub fn search<'a>(&'a self, text: &'a [u8]) -> LinesSearch<'a> {
        let mut search = LinesSearch { regex: &self.regex, text: text.into(), ends: Vec::new() };
        let mut ends = memmem::find_iter(text, b"\r\n").peekable();
        if self.matches_return || ends.peek().is_none() {
            return search;
        }
        let mut without_returns = Vec::with_capacity(text.len());
        let mut at = 0;
        for end in ends {
            without_returns.extend_from_slice(&text[at..end]);
            search.ends.push(without_returns.len());
            at = end + 1;
        }
        without_returns.extend_from_slice(&text[at..]);
        search.text = without_returns.into();
        search
    }

    /// Returns the first group in a template that does not exist in the expression.
    pub fn unknown_group(&self, template: &[u8]) -> Option<String> {
        unknown_group(&self.regex, template)
    }
}

/// A search of a text for the matches of a [`LinesPattern`]. Ranges refer to the whole text.
#[derive(Debug)]
pub struct LinesSearch<'a> {
    regex: &'a meta::Regex,
    /// The text, in which each `\r\n` may have been replaced by `\n`.
    text: Cow<'a, [u8]>,
    /// The offsets of these line feeds in `text`.
    ends: Vec<usize>,
}

impl LinesSearch<'_> {
    /// Returns all non-overlapping matches.
    pub fn find_all(&self) -> impl Iterator<Item = Range<usize>> {
        self.regex.find_iter(&*self.text).map(|found| self.original_range(found.range()))
    }

    /// Returns all matches, which may overlap, in the order of their starts.
    pub fn find_overlapping(&self) -> impl Iterator<Item = Range<usize>> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let input = Input::new(&*self.text).range(from.min(self.text.len())..);
            let found = self.regex.find(input).filter(|_| from <= self.text.len())?;
            from = found.start() + 1;
            Some(self.original_range(found.range()))
        })
    }

    /// Returns all matches, which may overlap or not.
    pub fn find_each(&self, may_overlap: bool) -> Box<dyn Iterator<Item = Range<usize>> + '_> {
        if may_overlap { Box::new(self.find_overlapping()) } else { Box::new(self.find_all()) }
    }

    /// Expands `$1` and `${name}` in a template. The groups are those of the match that begins at
    /// `start`.
    pub fn expand(&self, start: usize, template: &[u8]) -> Vec<u8> {
        // Each removed carriage return precedes its line feed by one.
        let removed = self.ends.partition_point(|&end| self.original_offset(end) < start);
        expand(self.regex, &self.text, start - removed, template)
    }

    /// Returns the range in the whole text.
    fn original_range(&self, range: Range<usize>) -> Range<usize> {
        self.original_offset(range.start)..self.original_offset(range.end)
    }

    /// Returns the offset in the whole text. An offset before a line feed becomes the offset before
    /// its carriage return.
    fn original_offset(&self, at: usize) -> usize {
        at + self.ends.partition_point(|&end| end < at)
    }
}

/// Returns an expression for a literal text in which each line feed also matches `\r\n`.
fn literal_with_line_ends(literal: &[u8]) -> Hir {
    let mut parts = Vec::new();
    for line in literal.split_inclusive(|&byte| byte == b'\n') {
        match line.strip_suffix(b"\n") {
            None => parts.push(Hir::literal(line.to_vec())),
            Some(text) => {
                let end = [optional_return(true), Hir::literal(*b"\n")];
                parts.extend([Hir::literal(text.to_vec())].into_iter().chain(end));
            }
        }
    }
    Hir::concat(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Case;

    #[test]
    fn expressions_may_match_over_lines() {
        let pattern =
            LinesPattern::new(r"(a)\n(?<x>b)$", PatternOptions::default()).expect("valid");
        let text = b"a\r\nb\r\na\nb";
        let search = pattern.search(text);
        assert_eq!(search.find_all().collect::<Vec<_>>(), [0..4, 6..9]);
        assert_eq!([search.expand(0, b"$x$1"), search.expand(6, b"$x$1")], [b"ba", b"ba"]);
        assert_eq!(pattern.unknown_group(b"$2"), None);
        assert_eq!(pattern.unknown_group(b"$3"), Some("3".to_owned()));
    }

    #[test]
    fn literals_of_several_lines_match_either_line_end() {
        let find = |text: &str, options, text_to_search: &str| {
            let literal = LinesPattern::literal(text, options).expect("a literal");
            literal.search(text_to_search.as_bytes()).find_all().next()
        };
        let plain = PatternOptions::default();
        assert_eq!(find("a\nb", plain, "xa\r\nb"), Some(1..5));
        assert_eq!(find("a.\n", plain, "ab\na.\n"), Some(3..6));
        let relaxed = PatternOptions { case: Case::Insensitive, word: true, ..plain };
        assert_eq!(find("A\nb", relaxed, "xa\nb a\nB"), Some(5..8));
    }

    #[test]
    fn a_carriage_return_of_a_line_ending_is_matched_only_explicitly() {
        let all = |source: &str, text: &str| {
            let pattern = LinesPattern::new(source, PatternOptions::default()).expect("valid");
            let search = pattern.search(text.as_bytes());
            search.find_all().map(|found| text[found].to_owned()).collect::<Vec<_>>()
        };
        let text = "key: a\r\nb: c\r\n";
        assert_eq!(all("a.*", text), ["a"]);
        assert_eq!(all("(?s)a.b", text), ["a\r\nb"]);
        assert_eq!(all(r"[^k]+", text), ["ey: a\r\nb: c\r\n"]);
        assert_eq!(all(r"\s+", text), [" ", "\r\n", " ", "\r\n"]);
        assert_eq!(all("^.*$", text), ["key: a", "b: c", ""]);
        assert_eq!(all(r"a\r\n", text), ["a\r\n"]);
        assert_eq!(all(r"a\r", text), ["a\r"]);
        assert_eq!(all("c.", "c\r\nc\rd"), ["c\r"]);
        let pattern = LinesPattern::new("x*", PatternOptions::default()).expect("valid");
        let found: Vec<_> = pattern.search(b"a\r\nb\r\n").find_all().collect();
        assert_eq!(found, [0..0, 1..1, 3..3, 4..4, 6..6]);
        let pattern = LinesPattern::new(r"a: (.*)\nb", PatternOptions::default()).expect("valid");
        let text = b"\r\n\r\na: x\r\nb";
        let search = pattern.search(text);
        let found = search.find_all().next().expect("a match");
        assert_eq!((found.clone(), search.expand(found.start, b"<$1>")), (4..11, b"<x>".to_vec()));
    }

    #[test]
    fn overlapping_matches_are_found() {
        let pattern = LinesPattern::literal("x\nx\n", PatternOptions::default()).expect("valid");
        let found: Vec<_> = pattern.search(b"x\r\nx\nx\n").find_overlapping().collect();
        assert_eq!(found, [0..5, 3..7]);
    }
}
