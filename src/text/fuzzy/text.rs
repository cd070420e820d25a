//! Finds the closest match to a text that was not found, and the first difference. The document
//! is read once, in blocks of whole lines. An approximate match is only reported, never edited.

use std::ops::Range;

use super::difference::{Difference, column, difference, escaped, line_start};
use super::line::{Alike, Candidate};
use crate::text::fold::{FoldedNeedle, Folding};
use crate::text::lines::{count_newlines, lines_with_ends, without_end};

/// Maximum number of lines, and of bytes, to show of a match.
const MAX_LINES: usize = 5;
const MAX_BYTES: usize = 2048;

/// Maximum number of bytes of a block to keep for the next one.
const MAX_KEPT: usize = 256 * 1024;

/// Maximum number of places to examine that begin with the wanted first line.
const MAX_BEGINNINGS: usize = 64;

/// The closest match to a text that was not found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuzzyMatch {
    /// The line on which it begins.
    pub line: u64,
    /// The column, in characters from 1.
    pub column: u64,
    /// The document's text, at most a few lines. If `relaxed` is set, it is the exact text to
    /// search for, possibly truncated.
    pub text: Vec<u8>,
    /// The first difference from the wanted text.
    pub difference: Difference,
    /// The smallest folding with which the wanted text matches here.
    pub relaxed: Option<Folding>,
    /// The distance from the wanted text; less is closer.
    pub distance: Distance,
}

/// The distance between a place and the wanted text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Distance {
    /// Only whitespace, Unicode spelling or case differs.
    Spelling,
    /// The first line is equal; this many of the other lines differ.
    Lines(usize),
    /// One line is similar; this many characters differ.
    Characters(usize),
}

/// Searches the blocks of a document for the closest match.
#[derive(Debug)]
pub struct FuzzySearch {
    wanted: String,
    /// The complete wanted text, verbatim and with escape sequences resolved.
    whole: Vec<FoldedNeedle>,
    beginning: Option<Beginning>,
    alike: Option<Alike>,
    /// Maximum number of lines that a match can span.
    reach: usize,
    /// Lines already read that may be part of a match in the next block.
    kept: Vec<u8>,
    kept_line: u64,
    found: Option<FuzzyMatch>,
}

/// The first significant line of a wanted text of several lines, and the best match for it.
#[derive(Debug)]
struct Beginning {
    needle: FoldedNeedle,
    seen: usize,
    best: Option<(usize, Candidate)>,
}

impl FuzzySearch {
    /// A search for `wanted`; the first block begins with line `first_line`.
    pub fn new(wanted: &str, first_line: u64) -> Self {
        let all = Folding { whitespace: true, unicode: true, case: true };
        let resolved = resolve_escapes(wanted);
        let texts = [Some(wanted), resolved.as_deref()];
        let whole = texts.into_iter().flatten().filter_map(|text| FoldedNeedle::new(text, all));
        let feeds = count_newlines(resolved.as_deref().unwrap_or(wanted).as_bytes());
        let telling = &wanted[telling_line(wanted)];
        let needle = if feeds > 0 { FoldedNeedle::new(telling, all) } else { None };
        Self {
            whole: whole.collect(),
            beginning: needle.map(|needle| Beginning { needle, seen: 0, best: None }),
            alike: Alike::new(telling),
            wanted: wanted.to_owned(),
            reach: feeds as usize + 1,
            kept: Vec::new(),
            kept_line: first_line,
            found: None,
        }
    }

    /// Makes the search exhaustive, so that the earliest of equally close places is found.
    pub fn thorough(mut self) -> Self {
        self.alike.iter_mut().for_each(Alike::be_thorough);
        self
    }

    /// Processes the next block of whole lines; returns false if no more blocks are needed.
    pub fn block(&mut self, bytes: &[u8]) -> bool {
        if self.found.is_some() {
            return false;
        }
        self.kept.extend_from_slice(bytes);
        self.look_for_whole();
        if self.found.is_some() {
            return false;
        }
        let until = self.kept_from();
        self.look_at_lines(until);
        self.kept_line += count_newlines(&self.kept[..until]);
        self.kept.drain(..until);
        true
    }

    /// The closest match, if any is close enough.
    pub fn finish(mut self) -> Option<FuzzyMatch> {
        if let Some(found) = self.found.take() {
            return Some(found);
        }
        self.look_at_lines(self.kept.len());
        let begun = self.beginning.as_mut().and_then(|beginning| beginning.best.take());
        if let Some((score, place)) = begun {
            return self.near_lines(&place, 0, Distance::Lines(self.reach.saturating_sub(score)));
        }
        let (errors, skipped, place) = self.alike.take().and_then(Alike::best)?;
        self.near_lines(&place, skipped, Distance::Characters(errors))
    }

    /// The offset of the first line that may belong to a match that continues in the next block.
    fn kept_from(&self) -> usize {
        let mut from = self.kept.len();
        for _ in 0..self.reach {
            let before = &self.kept[..from.saturating_sub(1)];
            from = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
            if from == 0 || self.kept.len() - from > MAX_KEPT {
                break;
            }
        }
        if self.kept.len() - from > MAX_KEPT { self.kept.len() } else { from }
    }

    fn look_for_whole(&mut self) {
        let places = self.whole.iter().filter_map(|needle| needle.find(&self.kept, 0));
        if let Some(place) = places.min_by_key(|place| place.start) {
            let start = line_start(&self.kept, place.start);
            let end = line_end(&self.kept, place.end);
            let lines = &self.kept[start..end];
            let line = self.kept_line + count_newlines(&self.kept[..start]);
            let place = place.start - start..place.end - start;
            self.found = difference(&self.wanted, lines, place.start).map(|found| FuzzyMatch {
                line,
                column: column(lines, place.start),
                text: shortened(&lines[place]),
                relaxed: self.least_folding(lines),
                distance: Distance::Spelling,
                difference: found.placed(line, lines),
            });
        }
    }

    /// The smallest folding with which the wanted text is found in these lines.
    fn least_folding(&self, lines: &[u8]) -> Option<Folding> {
        let folding = |bits: u32| Folding {
            whitespace: bits & 1 != 0,
            unicode: bits & 2 != 0,
            case: bits & 4 != 0,
        };
        let finds = |folding: &Folding| {
            let needle = FoldedNeedle::new(&self.wanted, *folding);
            needle.is_some_and(|needle| needle.find(lines, 0).is_some())
        };
        [1, 2, 4, 3, 5, 6, 7].into_iter().map(folding).find(finds)
    }

    /// Checks the lines that begin before `until` for similarity.
    fn look_at_lines(&mut self, until: usize) {
        let reach = self.reach.min(MAX_LINES);
        if let Some(beginning) = &mut self.beginning {
            beginning.look(&self.kept, until, self.kept_line, (self.reach, &self.wanted));
        }
        let Some(alike) = &mut self.alike else {
            return;
        };
        let mut start = 0;
        for (line, text) in (self.kept_line..).zip(lines_with_ends(&self.kept[..until])) {
            if alike.is_candidate(without_end(text)) {
                alike.add(Candidate { line, text: some_lines(&self.kept[start..], reach) });
            }
            start += text.len();
        }
    }

    /// The match for lines that are similar to the wanted text, which is compared with them
    /// `skipped` bytes after their start.
    fn near_lines(
        &self,
        place: &Candidate,
        skipped: usize,
        distance: Distance,
    ) -> Option<FuzzyMatch> {
        let mut wanted = &self.wanted[telling_line(&self.wanted).start..];
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        let mut skipped = skipped.min(place.text.len());
        if !place.text[..skipped].iter().all(is_blank) {
            wanted = wanted.trim_start_matches([' ', '\t']);
        } else if wanted.starts_with([' ', '\t']) {
            skipped = 0;
        } else {
            skipped = place.text.iter().take_while(|byte| is_blank(byte)).count();
        }
        let found = difference(wanted, &place.text, skipped)?;
        let shown = without_end(&place.text);
        Some(FuzzyMatch {
            line: place.line,
            column: 1,
            text: shown[..shown.len().min(MAX_BYTES)].to_vec(),
            difference: found.placed(place.line, &place.text),
            relaxed: None,
            distance,
        })
    }
}

impl Beginning {
    /// Examines the places before `until` that contain the first line; the best is followed by the
    /// most equal lines.
    fn look(&mut self, text: &[u8], until: usize, first_line: u64, wanted: (usize, &str)) {
        let mut from = 0;
        while self.seen < MAX_BEGINNINGS
            && let Some(place) = self.needle.find(text, from)
        {
            let start = line_start(text, place.start);
            if start >= until {
                return;
            }
            self.seen += 1;
            from = place.end.max(line_end(text, place.start));
            let (reach, wanted) = wanted;
            let lines = some_lines(&text[start..], reach);
            let score = equal_lines(&lines, wanted);
            if self.best.as_ref().is_none_or(|(best, _)| score > *best) {
                let line = first_line + count_newlines(&text[..start]);
                let text = some_lines(&text[start..], reach.min(MAX_LINES));
                self.best = Some((score, Candidate { line, text }));
            }
        }
    }
}

/// The number of lines equal to the wanted ones, ignoring blanks at their ends.
fn equal_lines(lines: &[u8], wanted: &str) -> usize {
    let from = telling_line(wanted).start;
    let pairs = lines_with_ends(lines).zip(wanted[from..].lines());
    pairs.filter(|(line, wanted)| line.trim_ascii() == wanted.trim().as_bytes()).count()
}

/// The first line with more than a brace, or else the first line.
fn telling_line(wanted: &str) -> Range<usize> {
    let tells = |line: &str| line.chars().filter(|c| c.is_alphanumeric()).count() >= 3;
    let mut first = None;
    let mut start = 0;
    for line in wanted.split_inclusive('\n') {
        let range = start..start + without_end(line.as_bytes()).len();
        if tells(line) {
            return range;
        }
        if !line.trim().is_empty() {
            first.get_or_insert(range);
        }
        start += line.len();
    }
    first.unwrap_or(0..wanted.len())
}

/// A text with its escape sequences resolved, if it has any.
fn resolve_escapes(text: &str) -> Option<String> {
    let mut resolved = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        resolved.push_str(&rest[..at]);
        rest = &rest[at..];
        match rest.as_bytes().get(1).and_then(|byte| escaped(*byte)) {
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

/// The first lines of a text, up to the number of bytes that are compared.
fn some_lines(text: &[u8], count: usize) -> Vec<u8> {
    let length: usize = lines_with_ends(text).take(count).map(<[u8]>::len).sum();
    text[..length.min(2 * MAX_BYTES)].to_vec()
}

/// A text for display: its first lines, cut at a character boundary.
fn shortened(text: &[u8]) -> Vec<u8> {
    let lines: usize = lines_with_ends(text).take(MAX_LINES).map(<[u8]>::len).sum();
    let mut end = lines.min(MAX_BYTES);
    while end < lines && text[end] & 0xc0 == 0x80 {
        end -= 1;
    }
    text[..end].to_vec()
}

/// The offset after the end of the line that contains `at` or ends there.
fn line_end(text: &[u8], at: usize) -> usize {
    if at > 0 && text[at - 1] == b'\n' {
        return at;
    }
    memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |found| at + found + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fuzzy::difference::DifferenceKind;
    use DifferenceKind::*;

    fn near(text: &[u8], wanted: &str) -> Option<FuzzyMatch> {
        let mut search = FuzzySearch::new(wanted, 1);
        search.block(text);
        search.finish()
    }

    const BLANKS: Folding = Folding { whitespace: true, unicode: false, case: false };
    const SPELLING: Folding = Folding { whitespace: false, unicode: true, case: false };
    const CASE: Folding = Folding { whitespace: false, unicode: false, case: true };

    /// Kind, position of the match, position of the difference, folding.
    type Told = (DifferenceKind, (u64, u64), (u64, u64), Option<Folding>);

    #[track_caller]
    fn check(text: &str, wanted: &str, expected: Option<Told>) {
        let found = near(text.as_bytes(), wanted);
        let told = found.as_ref().map(|near| {
            let difference = (near.difference.line, near.difference.column);
            (near.difference.kind, (near.line, near.column), difference, near.relaxed)
        });
        assert_eq!(told, expected, "{found:?}");
        // Blocks of one line give the same result.
        let mut search = FuzzySearch::new(wanted, 1);
        let mut blocks = lines_with_ends(text.as_bytes());
        while blocks.next().is_some_and(|block| search.block(block)) {}
        assert_eq!(search.finish(), found);
    }

    #[test]
    fn blanks_are_told_apart() {
        let told = |kind, place, at| Some((kind, place, at, Some(BLANKS)));
        check("x\n\tfoo(bar)\n", "    foo(bar)", told(TabsForSpaces, (2, 1), (2, 1)));
        check("x\n    foo(bar)\n", "\tfoo(bar)", told(SpacesForTabs, (2, 1), (2, 1)));
        check("if a:\n   b()\n", "if a:\n  b()", told(Indentation, (1, 1), (2, 1)));
        check("if a:\nb()\n", "if a:\n  b()", told(Indentation, (1, 1), (2, 1)));
        check("say a  b c", "a b c", told(Blanks, (1, 5), (1, 6)));
        check("a\tb", "a b", told(TabsForSpaces, (1, 1), (1, 2)));
        check("one  \ntwo\n", "one\ntwo", told(TrailingBlanks, (1, 1), (1, 4)));
        check("one\n\t\ntwo\n", "one\n\ntwo", told(TrailingBlanks, (1, 1), (2, 1)));
        check("one\r\ntwo\r\n", "one\ntwo", told(LineEnd, (1, 1), (1, 4)));
        check("one\ntwo\n", "one\r\ntwo", told(LineEnd, (1, 1), (1, 4)));
        check("a\u{a0}b", "a b", told(OddSpace, (1, 1), (1, 2)));
    }

    #[test]
    fn spellings_are_told_apart() {
        let told = |kind, at| Some((kind, (1, 1), at, Some(SPELLING)));
        check("“Hello”", "\"Hello\"", told(Typography, (1, 1)));
        check("a — b", "a - b", told(Typography, (1, 3)));
        check("wait…", "wait...", told(Typography, (1, 5)));
        check("cafe\u{301} x", "café x", told(Normalization, (1, 4)));
        check("café x", "cafe\u{301} x", told(Normalization, (1, 4)));
        check("a\u{200b}b", "ab", told(ZeroWidth, (1, 2)));
        check("ab", "a\u{ad}b", told(ZeroWidth, (1, 2)));
        check("ab", "\u{feff}ab", told(ByteOrderMark, (1, 1)));
        check("Hello World", "Hello world", Some((Case, (1, 1), (1, 7), Some(CASE))));
        let both = Folding { whitespace: true, unicode: false, case: true };
        check("Hello  World", "Hello world", Some((Blanks, (1, 1), (1, 6), Some(both))));
    }

    #[test]
    fn backslash_sequences_are_told() {
        let told = |at| Some((Escape, (1, 1), at, None));
        check("one\ntwo\n", "one\\ntwo", told((1, 4)));
        check("one\n\ttwo\n", "one\\n\\ttwo", told((1, 4)));
        check("say “hi”\n", "say \\\"hi\\\"", told((1, 5)));
        check("say \"hi\"\n", "say \\\"hi\\\"", told((1, 5)));
    }

    #[test]
    fn the_best_beginning_is_taken() {
        let text = "fn new() {\n  one\n}\nfn new() {\n  two\n  four\n}\n";
        check(text, "fn new() {\n  two\n  three\n}", Some((Text, (4, 1), (6, 3), None)));
        check(text, "{\n  fn new() {\n  two\n", Some((Indentation, (4, 1), (4, 1), None)));
    }

    #[test]
    fn the_nearest_line_is_found_by_its_letters() {
        let text = "alpha beta\nThe quick brown fox jumps\nover the lazy dog\n";
        check(text, "quick brwon fox", Some((Text, (2, 1), (2, 13), None)));
        check(text, "over a lazy dog", Some((Text, (3, 1), (3, 6), None)));
        check(text, "nothing of the kind here", None);
        check(text, "zq", None);
        check("", "text", None);
        check("    retrun value;\n", "return value;", Some((Text, (1, 1), (1, 8), None)));
    }

    #[test]
    fn the_place_is_given_as_it_stands() {
        let text = |text: &str, wanted: &str| {
            let found = near(text.as_bytes(), wanted).expect("a place");
            String::from_utf8(found.text).expect("text")
        };
        assert_eq!(text("x\n\tfoo\u{a0}bar;\n", "foo bar"), "foo\u{a0}bar");
        assert_eq!(text("x\n\tfoo  \r\n\tbar\r\ny", "  foo\n  bar"), "\tfoo  \r\n\tbar");
        assert_eq!(
            text("the first lime\nsecond\nthird\n", "the first line\nsecond"),
            "the first lime\nsecond"
        );
    }

    #[test]
    fn words_that_differ_are_shown() {
        let found = near("let value = compute(1);\n".as_bytes(), "let value = compute(two);");
        let difference = found.expect("a place").difference;
        assert_eq!((difference.wanted, difference.found), (b"two);".to_vec(), b"1);".to_vec()));
    }

    #[test]
    fn bytes_that_are_no_text_are_no_hindrance() {
        let found = near(b"\xff\xfe caf\xe9 au lait\n", "cafe au lait").expect("a place");
        assert_eq!((found.difference.kind, found.difference.column), (Text, 7));
    }
}
