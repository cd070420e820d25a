//! Finds the closest match to a text that was not found, and the first difference. folio reports
//! approximate matches, but never edits them.

use std::ops::Range;

use super::difference::{Difference, first_difference, line_start, unescape};
use super::line::most_similar;
use crate::fold::{FoldedNeedle, Folding};
use crate::lines::{count_newlines, lines_with_ends, without_end};

/// Maximum number of bytes to compare at each position.
const MAX_BYTES: usize = 4096;

/// Maximum number of lines to examine among those that equal the first line of the wanted text.
const MAX_BEGINNINGS: usize = 64;

/// The closest match to a text that was not found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuzzyMatch {
    /// The line on which the match begins.
    pub line: u64,
    /// The first difference from the wanted text.
    pub difference: Difference,
    /// The folding with which the wanted text matches here. If several foldings match, the one that
    /// ignores the least.
    pub relaxed: Option<Folding>,
    /// The distance from the wanted text. A smaller distance is a closer match.
    pub distance: Distance,
}

/// The distance between a part of the document and the wanted text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Distance {
    /// Only whitespace, Unicode spelling or case differs.
    Spelling,
    /// The first line is equal. The value is the number of other lines that differ.
    Lines(usize),
    /// One line is similar. The value is the number of characters that differ.
    Characters(usize),
}

/// Finds the closest match to `wanted` in a text that begins with line `first_line`. Returns `None`
/// if nothing in the text is similar enough. If `is_thorough` is set, considers every line that is
/// similar to a short text, and returns the earliest of equally close matches.
pub fn closest(
    wanted: &str,
    text: &[u8],
    first_line: u64,
    is_thorough: bool,
) -> Option<FuzzyMatch> {
    let resolved = resolve_escapes(wanted);
    let search = TextSearch { wanted, resolved: resolved.as_deref(), text, first_line };
    search.match_ignoring_spelling().or_else(|| match search.first_equal_line() {
        Some((start, distance)) => search.match_at_line(start, 0, distance),
        None => {
            let found = most_similar(&wanted[significant_line(wanted)], text, is_thorough)?;
            search.match_at_line(found.start, found.skipped, Distance::Characters(found.errors))
        }
    })
}

const ALL: Folding = Folding { whitespace: true, unicode: true, case: true };

struct TextSearch<'a> {
    wanted: &'a str,
    /// The wanted text with its escape sequences resolved, if it has any.
    resolved: Option<&'a str>,
    text: &'a [u8],
    first_line: u64,
}

impl TextSearch<'_> {
    /// Returns the first part of the text that differs only in whitespace, spelling or case.
    fn match_ignoring_spelling(&self) -> Option<FuzzyMatch> {
        let texts = [Some(self.wanted), self.resolved].into_iter().flatten();
        let places = texts.filter_map(|text| FoldedNeedle::new(text, ALL)?.find(self.text, 0));
        let place = places.min_by_key(|place| place.start)?;
        let start = line_start(self.text, place.start);
        let lines = &self.text[start..after_line(self.text, place.end)];
        let line = self.line_number(start);
        let found = first_difference(self.wanted, lines, place.start - start)?;
        Some(FuzzyMatch {
            line,
            relaxed: self.least_folding(lines),
            distance: Distance::Spelling,
            difference: found.with_position(line, lines),
        })
    }

    /// Returns the folding with which the wanted text matches in these lines. If several foldings
    /// match, returns the one that ignores the least.
    fn least_folding(&self, lines: &[u8]) -> Option<Folding> {
        let folding = |bits: u32| Folding {
            whitespace: bits & 1 != 0,
            unicode: bits & 2 != 0,
            case: bits & 4 != 0,
        };
        let is_match = |folding: &Folding| {
            let needle = FoldedNeedle::new(self.wanted, *folding);
            needle.is_some_and(|needle| needle.find(lines, 0).is_some())
        };
        [1, 2, 4, 3, 5, 6, 7].into_iter().map(folding).find(is_match)
    }

    fn line_count(&self) -> usize {
        count_newlines(self.resolved.unwrap_or(self.wanted).as_bytes()) as usize + 1
    }

    /// For a wanted text of several lines, returns the start of the line that equals its first
    /// significant line. If there are several such lines, returns the one that is followed by the
    /// most equal lines.
    fn first_equal_line(&self) -> Option<(usize, Distance)> {
        let count = self.line_count();
        if count == 1 {
            return None;
        }
        let needle = FoldedNeedle::new(&self.wanted[significant_line(self.wanted)], ALL)?;
        let mut best: Option<(usize, usize)> = None;
        let mut from = 0;
        for _ in 0..MAX_BEGINNINGS {
            let Some(place) = needle.find(self.text, from) else { break };
            let start = line_start(self.text, place.start);
            from = place.end.max(after_line(self.text, place.start));
            let score = equal_lines(first_lines(&self.text[start..], count), self.wanted);
            if best.is_none_or(|(most, _)| score > most) {
                best = Some((score, start));
            }
        }
        best.map(|(score, start)| (start, Distance::Lines(count.saturating_sub(score))))
    }

    /// Returns the match for the line that begins at `start`. Compares the wanted text with the
    /// line, without its first `skipped` bytes.
    fn match_at_line(
        &self,
        start: usize,
        skipped: usize,
        distance: Distance,
    ) -> Option<FuzzyMatch> {
        let lines = first_lines(&self.text[start..], self.line_count());
        let mut wanted = &self.wanted[significant_line(self.wanted).start..];
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        let mut skipped = skipped.min(lines.len());
        if !lines[..skipped].iter().all(is_blank) {
            wanted = wanted.trim_start_matches([' ', '\t']);
        } else if wanted.starts_with([' ', '\t']) {
            skipped = 0;
        } else {
            skipped = lines.iter().take_while(|byte| is_blank(byte)).count();
        }
        let found = first_difference(wanted, lines, skipped)?;
        let line = self.line_number(start);
        let difference = found.with_position(line, lines);
        Some(FuzzyMatch { line, difference, relaxed: None, distance })
    }

    fn line_number(&self, start: usize) -> u64 {
        self.first_line + count_newlines(&self.text[..start])
    }
}

/// Returns the number of lines that equal the wanted lines, ignoring blanks at their ends.
fn equal_lines(lines: &[u8], wanted: &str) -> usize {
    let from = significant_line(wanted).start;
    let pairs = lines_with_ends(lines).zip(wanted[from..].lines());
    pairs.filter(|(line, wanted)| line.trim_ascii() == wanted.trim().as_bytes()).count()
}

/// Returns the first line that contains more than a brace, or the first line if there is none.
fn significant_line(wanted: &str) -> Range<usize> {
    let is_significant = |line: &str| line.chars().filter(|c| c.is_alphanumeric()).count() >= 3;
    let mut first = None;
    let mut start = 0;
    for line in wanted.split_inclusive('\n') {
        let range = start..start + without_end(line.as_bytes()).len();
        if is_significant(line) {
            return range;
        }
        if !line.trim().is_empty() {
            first.get_or_insert(range);
        }
        start += line.len();
    }
    first.unwrap_or(0..wanted.len())
}

/// Returns a text with its escape sequences resolved, if it has any.
fn resolve_escapes(text: &str) -> Option<String> {
    let mut resolved = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        resolved.push_str(&rest[..at]);
        rest = &rest[at..];
        match rest.as_bytes().get(1).and_then(|byte| unescape(*byte)) {
            Some(character) => {
                resolved.push(character);
                rest = &rest[2..];
            }
            None => {
                resolved.push('\\');
                rest = &rest[1..];
            }
        }
    }
    resolved.push_str(rest);
    (resolved != text).then_some(resolved)
}

/// Returns the first `count` lines of a text, or fewer if they exceed the number of bytes to
/// compare.
fn first_lines(text: &[u8], count: usize) -> &[u8] {
    let length: usize = lines_with_ends(text).take(count).map(<[u8]>::len).sum();
    &text[..length.min(MAX_BYTES)]
}

/// Returns the offset after the line that contains `at`. If `at` follows a line ending, returns
/// `at`.
fn after_line(text: &[u8], at: usize) -> usize {
    if at > 0 && text[at - 1] == b'\n' {
        return at;
    }
    memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |found| at + found + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzzy::difference::DifferenceKind;
    use DifferenceKind::*;

    fn find_closest(text: &[u8], wanted: &str) -> Option<FuzzyMatch> {
        closest(wanted, text, 1, false)
    }

    const BLANKS: Folding = Folding { whitespace: true, unicode: false, case: false };
    const SPELLING: Folding = Folding { whitespace: false, unicode: true, case: false };
    const CASE: Folding = Folding { whitespace: false, unicode: false, case: true };

    /// Expected results: kind, line of the match, position of the difference, folding.
    type Expected = (DifferenceKind, u64, (u64, u64), Option<Folding>);

    #[track_caller]
    fn check(text: &str, wanted: &str, expected: Option<Expected>) {
        let found = find_closest(text.as_bytes(), wanted);
        let fields = found.as_ref().map(|near| {
            let difference = (near.difference.line, near.difference.column);
            (near.difference.kind, near.line, difference, near.relaxed)
        });
        assert_eq!(fields, expected, "{found:?}");
    }

    #[test]
    fn differences_in_blanks_are_classified() {
        let expected = |kind, line, at| Some((kind, line, at, Some(BLANKS)));
        check("x\n\tfoo(bar)\n", "    foo(bar)", expected(TabsForSpaces, 2, (2, 1)));
        check("x\n    foo(bar)\n", "\tfoo(bar)", expected(SpacesForTabs, 2, (2, 1)));
        check("if a:\n   b()\n", "if a:\n  b()", expected(Indentation, 1, (2, 1)));
        check("if a:\nb()\n", "if a:\n  b()", expected(Indentation, 1, (2, 1)));
        check("say a  b c", "a b c", expected(Blanks, 1, (1, 6)));
        check("a\tb", "a b", expected(TabsForSpaces, 1, (1, 2)));
        check("one  \ntwo\n", "one\ntwo", expected(TrailingBlanks, 1, (1, 4)));
        check("one\n\t\ntwo\n", "one\n\ntwo", expected(TrailingBlanks, 1, (2, 1)));
        check("one\r\ntwo\r\n", "one\ntwo", expected(LineEnd, 1, (1, 4)));
        check("one\ntwo\n", "one\r\ntwo", expected(LineEnd, 1, (1, 4)));
        check("a\u{a0}b", "a b", expected(OddSpace, 1, (1, 2)));
    }

    #[test]
    fn differences_in_spelling_are_classified() {
        let expected = |kind, at| Some((kind, 1, at, Some(SPELLING)));
        check("“Hello”", "\"Hello\"", expected(Typography, (1, 1)));
        check("a — b", "a - b", expected(Typography, (1, 3)));
        check("wait…", "wait...", expected(Typography, (1, 5)));
        check("cafe\u{301} x", "café x", expected(Normalization, (1, 4)));
        check("café x", "cafe\u{301} x", expected(Normalization, (1, 4)));
        check("a\u{200b}b", "ab", expected(ZeroWidth, (1, 2)));
        check("ab", "a\u{ad}b", expected(ZeroWidth, (1, 2)));
        check("ab", "\u{feff}ab", expected(ByteOrderMark, (1, 1)));
        check("Hello World", "Hello world", Some((Case, 1, (1, 7), Some(CASE))));
        let both = Folding { whitespace: true, unicode: false, case: true };
        check("Hello  World", "Hello world", Some((Blanks, 1, (1, 6), Some(both))));
    }

    #[test]
    fn escape_sequences_are_detected() {
        let expected = |at| Some((Escape, 1, at, None));
        check("one\ntwo\n", "one\\ntwo", expected((1, 4)));
        check("one\n\ttwo\n", "one\\n\\ttwo", expected((1, 4)));
        check("say “hi”\n", "say \\\"hi\\\"", expected((1, 5)));
        check("say \"hi\"\n", "say \\\"hi\\\"", expected((1, 5)));
    }

    #[test]
    fn the_best_beginning_is_used() {
        let text = "fn new() {\n  one\n}\nfn new() {\n  two\n  four\n}\n";
        check(text, "fn new() {\n  two\n  three\n}", Some((Text, 4, (6, 3), None)));
        check(text, "{\n  fn new() {\n  two\n", Some((Indentation, 4, (4, 1), None)));
    }

    #[test]
    fn the_most_similar_line_is_found() {
        let text = "alpha beta\nThe quick brown fox jumps\nover the lazy dog\n";
        check(text, "quick brwon fox", Some((Text, 2, (2, 13), None)));
        check(text, "over a lazy dog", Some((Text, 3, (3, 6), None)));
        check(text, "nothing of the kind here", None);
        check(text, "zq", None);
        check("", "text", None);
        check("    retrun value;\n", "return value;", Some((Text, 1, (1, 8), None)));
    }

    #[test]
    fn words_that_differ_are_shown() {
        let found =
            find_closest("let value = compute(1);\n".as_bytes(), "let value = compute(two);");
        let difference = found.expect("a place").difference;
        assert_eq!((difference.wanted, difference.found), (b"two);".to_vec(), b"1);".to_vec()));
    }

    #[test]
    fn invalid_bytes_do_not_prevent_a_match() {
        let found = find_closest(b"\xff\xfe caf\xe9 au lait\n", "cafe au lait").expect("a place");
        assert_eq!((found.difference.kind, found.difference.column), (Text, 7));
    }
}
