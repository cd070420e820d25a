//! Compares texts, ignoring whitespace, variants of Unicode characters, or letter case. A match is
//! a range of the document's own bytes. Similar but different words do not match.

use std::collections::VecDeque;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

/// The differences to ignore.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Folding {
    /// Whether to ignore whitespace. Any two sequences of spaces, tabs and no-break spaces are then
    /// equal, whitespace at the start and end of a line is ignored, and `\r\n` equals `\n`. A space
    /// in a text of one line also equals a line break, but not an empty line.
    pub whitespace: bool,
    /// Whether to ignore variants of Unicode characters. Composed characters then equal decomposed
    /// ones; typographic quotes, dashes and no-break spaces equal their ASCII forms; and zero-width
    /// characters are ignored.
    pub unicode: bool,
    /// Whether to ignore letter case.
    pub case: bool,
}

/// A text to search for, which is folded only once.
#[derive(Clone, Debug)]
pub struct FoldedNeedle {
    folding: Folding,
    values: Vec<u32>,
    /// Whether spaces equal line breaks.
    joins_lines: bool,
    /// The failure table of the Knuth-Morris-Pratt algorithm: for each prefix, the length of its
    /// longest border.
    borders: Vec<usize>,
    /// The possible values of the first and second byte of a match.
    starts: [[bool; 256]; 2],
    /// Whether the original text begins and ends with blanks, which folding removes.
    blank_start: bool,
    blank_end: bool,
}

impl FoldedNeedle {
    /// Folds a needle. Returns `None` if folding leaves it empty.
    pub fn new(needle: &str, folding: Folding) -> Option<Self> {
        let values: Vec<u32> =
            Units::new(needle.as_bytes(), 0, folding).map(|unit| unit.value).collect();
        let first = *values.first()?;
        let line_feed = u32::from('\n');
        let joins_lines = folding.whitespace && !values.contains(&line_feed);
        let blank = |character: Option<char>| folding.whitespace && character.is_some_and(is_blank);
        Some(Self {
            folding,
            joins_lines,
            borders: failure_table(&values),
            starts: [first_bytes(first, folding), second_bytes(&values, folding, joins_lines)],
            blank_start: first != line_feed && blank(needle.chars().next()),
            blank_end: blank(needle.chars().next_back()),
            values,
        })
    }

    /// Returns the first match at or after `from`, which must be on a character boundary. If the
    /// needle begins or ends with blanks, the match includes the document's blanks at that end.
    pub fn find(&self, haystack: &[u8], from: usize) -> Option<Range<usize>> {
        let mut units =
            Units { joins_lines: self.joins_lines, ..Units::new(haystack, from, self.folding) };
        let mut matched = 0;
        // The offsets at which the matched values begin.
        let mut begins: VecDeque<(usize, bool)> = VecDeque::new();
        loop {
            if matched == 0 {
                begins.clear();
                units.skip_to(&self.starts);
            }
            let unit = units.next()?;
            while matched > 0 && self.values[matched] != unit.value {
                matched = self.borders[matched - 1];
            }
            if self.values[matched] == unit.value {
                matched += 1;
                begins.push_back((unit.start, unit.is_first));
            }
            begins.drain(..begins.len().saturating_sub(matched));
            if matched == self.values.len() {
                let begin = begins.front().filter(|(_, is_first)| *is_first && unit.is_last);
                let place = begin.map(|(start, _)| *start..unit.end);
                if let Some(place) =
                    place.and_then(|place| self.include_blanks(haystack, place, from))
                {
                    return Some(place);
                }
                matched = self.borders[matched - 1];
                begins.drain(..begins.len().saturating_sub(matched));
            }
        }
    }

    /// Extends a match to include blanks at each end at which the needle has blanks. Returns `None`
    /// if the document has neither a blank nor a line break at such an end.
    fn include_blanks(
        &self,
        text: &[u8],
        place: Range<usize>,
        from: usize,
    ) -> Option<Range<usize>> {
        let Range { mut start, mut end } = place;
        if self.blank_start {
            while let Some(length) = self.blank_before(&text[from..start]) {
                start -= length;
            }
            let at_line_start = start == 0 || text[start - 1] == b'\n';
            if start == place.start && !at_line_start {
                return None;
            }
        }
        if self.blank_end {
            while let Some((character, length)) = decode(text, end)
                && self.is_ignorable(character)
            {
                end += length;
            }
            let rest = &text[end..];
            let at_line_end = rest.is_empty() || rest[0] == b'\n' || rest.starts_with(b"\r\n");
            let after_line_end = text[..end].ends_with(b"\n");
            if end == place.end && !at_line_end && !after_line_end {
                return None;
            }
        }
        Some(start..end)
    }

    fn is_ignorable(&self, value: u32) -> bool {
        char::from_u32(value)
            .is_some_and(|c| is_blank(c) || (self.folding.unicode && is_zero_width(c)))
    }

    /// Returns the length of the blank at the end of `text`, if there is one.
    fn blank_before(&self, text: &[u8]) -> Option<usize> {
        let length = 1 + text.iter().rev().take_while(|byte| **byte & 0xc0 == 0x80).count();
        let start = text.len().checked_sub(length)?;
        let (value, read) = decode(text, start)?;
        (read == length && self.is_ignorable(value)).then_some(length)
    }
}

fn failure_table(values: &[u32]) -> Vec<usize> {
    let mut borders = vec![0; values.len()];
    let mut length = 0;
    for index in 1..values.len() {
        while length > 0 && values[index] != values[length] {
            length = borders[length - 1];
        }
        length += usize::from(values[index] == values[length]);
        borders[index] = length;
    }
    borders
}

/// Returns the bytes that may begin a character that folds to `first`. The result includes all
/// non-ASCII bytes.
fn first_bytes(first: u32, folding: Folding) -> [bool; 256] {
    let mut starts = [true; 256];
    for byte in 0..128u8 {
        let folded = if folding.case { byte.to_ascii_lowercase() } else { byte };
        starts[byte as usize] = u32::from(folded) == first;
    }
    // A carriage return may begin a line ending.
    starts[b'\r' as usize] |= folding.whitespace && first == u32::from('\n');
    starts
}

/// Returns the bytes that may follow the first byte of a match.
fn second_bytes(values: &[u32], folding: Folding, joins_lines: bool) -> [bool; 256] {
    let [first, second, ..] = values else {
        return [true; 256];
    };
    let line_feed = u32::from('\n');
    if folding.whitespace && *first == line_feed {
        return [true; 256];
    }
    let mut seconds = first_bytes(*second, folding);
    if folding.whitespace && (*second == line_feed || *second == u32::from(' ')) {
        seconds[b' ' as usize] = true;
        seconds[b'\t' as usize] = true;
    }
    if joins_lines && *second == u32::from(' ') {
        seconds[b'\r' as usize] = true;
        seconds[b'\n' as usize] = true;
    }
    seconds
}

/// A folded character and the bytes of the document that it comes from.
#[derive(Clone, Copy, Debug)]
struct Unit {
    /// The code point, or a number above all code points for an invalid byte.
    value: u32,
    start: usize,
    end: usize,
    /// Whether this is the first and the last unit that its bytes fold to.
    is_first: bool,
    is_last: bool,
}

/// Iterator over the folded characters of a text.
struct Units<'a> {
    text: &'a [u8],
    at: usize,
    folding: Folding,
    /// Units of the current character that the iterator has not returned yet.
    ready: VecDeque<Unit>,
    /// A sequence of blanks that is ignored if the line ends after it.
    blanks: Option<(usize, usize)>,
    in_line: bool,
    /// Whether line breaks are folded to spaces.
    joins_lines: bool,
}

impl<'a> Units<'a> {
    fn new(text: &'a [u8], from: usize, folding: Folding) -> Self {
        let before = text.get(..from).unwrap_or(text);
        let in_line = before
            .iter()
            .rev()
            .find(|byte| !matches!(byte, b' ' | b'\t'))
            .is_some_and(|byte| *byte != b'\n');
        let (ready, blanks, joins_lines) = (VecDeque::new(), None, false);
        Self { text, at: from, folding, ready, blanks, in_line, joins_lines }
    }

    /// Skips bytes at which no match can begin. Pending blanks are returned as if the line
    /// continued.
    fn skip_to(&mut self, [first, second]: &[[bool; 256]; 2]) {
        if !self.ready.is_empty() {
            return;
        }
        let rest = self.text.get(self.at..).unwrap_or_default();
        let begins = |pair: &[u8]| first[pair[0] as usize] && second[pair[1] as usize];
        // The last byte has no following byte.
        let found = rest.windows(2).position(begins).unwrap_or(rest.len().saturating_sub(1));
        // A combining mark must not be separated from its base character.
        let may_combine = self.folding.unicode && !rest.get(found).is_none_or(u8::is_ascii);
        let skipped = found.saturating_sub(usize::from(may_combine));
        if skipped > 0 {
            self.at += skipped;
            self.blanks = None;
            self.in_line = true;
        }
    }

    /// Folds the character at `self.at`. The result may be empty. Returns `false` at the end of the
    /// text.
    fn read_character(&mut self) -> bool {
        let Some((value, length)) = decode(self.text, self.at) else {
            return false;
        };
        let start = self.at;
        self.at += length;
        if self.folding.whitespace && value == u32::from('\r') && self.is_next(b'\n') {
            self.at += 1;
            self.push_one(u32::from('\n'), start);
        } else if self.is_simple(value) {
            self.push_one(self.fold_ascii(value), start);
        } else {
            self.push_cluster(value, start);
        }
        true
    }

    fn is_next(&self, byte: u8) -> bool {
        self.text.get(self.at) == Some(&byte)
    }

    /// Whether a character cannot combine with the next one. A control character never combines.
    fn is_simple(&self, value: u32) -> bool {
        let is_last_or_before_ascii = self.text.get(self.at).is_none_or(u8::is_ascii);
        value < 0x20 || (value < 0x80 && (is_last_or_before_ascii || !self.folding.unicode))
    }

    fn fold_ascii(&self, value: u32) -> u32 {
        let upper = (u32::from('A')..=u32::from('Z')).contains(&value);
        if self.folding.case && upper { value + 32 } else { value }
    }

    fn push_one(&mut self, value: u32, start: usize) {
        self.ready.push_back(Unit { value, start, end: self.at, is_first: true, is_last: true });
    }

    /// Folds a character together with the marks that combine with it.
    fn push_cluster(&mut self, value: u32, start: usize) {
        let Some(character) = char::from_u32(value) else {
            self.push_one(value, start);
            return;
        };
        let mut folded: Vec<u32> = Vec::new();
        if self.folding.unicode {
            if is_zero_width(character) {
                return;
            }
            let cluster = self.take_marks(character);
            for character in cluster.nfd() {
                self.fold_character(character, &mut folded);
            }
        } else {
            self.fold_character(character, &mut folded);
        }
        let last = folded.len().saturating_sub(1);
        for (index, value) in folded.into_iter().enumerate() {
            let (is_first, is_last) = (index == 0, index == last);
            self.ready.push_back(Unit { value, start, end: self.at, is_first, is_last });
        }
    }

    /// Returns a character and the combining marks after it, without the zero-width characters
    /// between them.
    fn take_marks(&mut self, first: char) -> String {
        let mut cluster = String::from(first);
        let mut at = self.at;
        while let Some((value, length)) = decode(self.text, at)
            && let Some(character) = char::from_u32(value)
        {
            at += length;
            if canonical_combining_class(character) != 0 {
                cluster.push(character);
                self.at = at;
            } else if !is_zero_width(character) {
                break;
            }
        }
        cluster
    }

    fn fold_character(&self, character: char, folded: &mut Vec<u32>) {
        let plain = if self.folding.unicode { typed_as(character) } else { None };
        let mut push = |character: char| {
            if self.folding.case {
                folded.extend(character.to_lowercase().map(|lower| match lower {
                    'ς' => u32::from('σ'),
                    lower => u32::from(lower),
                }));
            } else {
                folded.push(u32::from(character));
            }
        };
        match plain {
            Some(plain) => plain.chars().for_each(push),
            None => push(character),
        }
    }

    /// Returns the next unit, before its blanks are folded.
    fn next_unit(&mut self) -> Option<Unit> {
        // A fast path: most characters are ASCII.
        if self.ready.is_empty()
            && let Some(&byte @ b' '..0x80) = self.text.get(self.at)
        {
            self.at += 1;
            if self.is_simple(u32::from(byte)) {
                let value = self.fold_ascii(u32::from(byte));
                let (start, end) = (self.at - 1, self.at);
                return Some(Unit { value, start, end, is_first: true, is_last: true });
            }
            self.at -= 1;
        }
        while self.ready.is_empty() {
            if !self.read_character() {
                return None;
            }
        }
        self.ready.pop_front()
    }
}

impl Iterator for Units<'_> {
    type Item = Unit;

    fn next(&mut self) -> Option<Unit> {
        loop {
            let unit = self.next_unit()?;
            if !self.folding.whitespace {
                return Some(unit);
            }
            if char::from_u32(unit.value).is_some_and(is_blank) {
                let start = self.blanks.map_or(unit.start, |(start, _)| start);
                self.blanks = Some((start, unit.end));
                continue;
            }
            let blanks = self.blanks.take();
            let ends_line = unit.value == u32::from('\n');
            let was_in_line = std::mem::replace(&mut self.in_line, !ends_line);
            if let Some((start, end)) = blanks
                && was_in_line
                && !ends_line
            {
                self.ready.push_front(unit);
                let value = u32::from(' ');
                return Some(Unit { value, start, end, is_first: true, is_last: true });
            }
            let value = if ends_line && self.joins_lines { u32::from(' ') } else { unit.value };
            return Some(Unit { value, ..unit });
        }
    }
}

/// Decodes the character at an offset, and returns it with its length. An invalid byte becomes a
/// number above all code points.
pub(super) fn decode(text: &[u8], at: usize) -> Option<(u32, usize)> {
    let first = *text.get(at)?;
    let length = match first {
        0..0x80 => return Some((u32::from(first), 1)),
        0xc2..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf5 => 4,
        _ => 1,
    };
    let bytes = text.get(at..at + length).and_then(|bytes| std::str::from_utf8(bytes).ok());
    let character = bytes.and_then(|text| text.chars().next());
    Some(character.map_or((0x11_0000 + u32::from(first), 1), |found| (u32::from(found), length)))
}

/// Whether a character is a blank within a line.
pub(super) fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t') || is_odd_space(character)
}

/// Whether a character is a space other than the ASCII space. Most of these characters are no-break
/// spaces.
pub(super) fn is_odd_space(character: char) -> bool {
    matches!(character, '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// Whether a character is invisible.
pub(super) fn is_zero_width(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

/// Returns the ASCII text that people usually type instead of a typographic character.
pub(super) fn typed_as(character: char) -> Option<&'static str> {
    Some(match character {
        '‘' | '’' | '‚' | '‛' | '′' => "'",
        '“' | '”' | '„' | '‟' | '″' => "\"",
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => "-",
        '…' => "...",
        character if is_odd_space(character) => " ",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find_folded(
        haystack: &[u8],
        needle: &str,
        folding: Folding,
        from: usize,
    ) -> Option<Range<usize>> {
        FoldedNeedle::new(needle, folding)?.find(haystack, from)
    }

    const BLANKS: Folding = Folding { whitespace: true, unicode: false, case: false };
    const SPELLING: Folding = Folding { whitespace: false, unicode: true, case: false };
    const CASE: Folding = Folding { whitespace: false, unicode: false, case: true };
    const ALL: Folding = Folding { whitespace: true, unicode: true, case: true };

    #[track_caller]
    fn check(folding: Folding, text: &str, needle: &str, expected: Option<&str>) {
        let found = find_folded(text.as_bytes(), needle, folding, 0);
        assert_eq!(found.map(|range| &text[range]), expected);
    }

    #[test]
    fn blanks_are_equal() {
        check(BLANKS, "if  (a\tb) {", "if (a b)", Some("if  (a\tb)"));
        check(BLANKS, "a\u{a0}b", "a b", Some("a\u{a0}b"));
        check(BLANKS, "ab", "a b", None);
        check(BLANKS, "a b", "ab", None);
        check(BLANKS, "x\n\ta  \r\n\tb\r\n", "a\n  b", Some("a  \r\n\tb"));
        check(BLANKS, "x\n\ta  \r\n\tb\r\n", "x\na\nb\n", Some("x\n\ta  \r\n\tb\r\n"));
        check(BLANKS, "a\n\nb", "a\nb", None);
        check(BLANKS, "a\n \t\nb", "a\n\nb", Some("a\n \t\nb"));
    }

    #[test]
    fn a_space_in_a_text_of_one_line_equals_a_line_break() {
        check(BLANKS, "one two\n  three  four\n", "two three four", Some("two\n  three  four"));
        check(BLANKS, "a \t\r\nb", "a b", Some("a \t\r\nb"));
        check(BLANKS, "a\n\nb", "a b", None);
        check(BLANKS, "ab\n", "ab c", None);
        check(BLANKS, "a\nb c", "a\nb\nc", None);
        check(CASE, "a\nb", "a b", None);
    }

    #[test]
    fn blanks_at_the_ends_of_a_needle_belong_to_the_match() {
        check(BLANKS, "x\n\tfoo\n", "    foo", Some("\tfoo"));
        check(BLANKS, "x\nfoo\n", "    foo", Some("foo"));
        check(BLANKS, "x\tfoo", " foo", Some("\tfoo"));
        check(BLANKS, "xfoo foo", " foo", Some(" foo"));
        check(BLANKS, "xfoo", " foo", None);
        check(BLANKS, "foox foo\t\n", "foo ", Some("foo\t"));
        check(BLANKS, "foo", "foo ", Some("foo"));
        check(BLANKS, "\tfoo\t\n", "foo", Some("foo"));
        check(BLANKS, "a\n\tb", "a\n  ", Some("a\n\t"));
        check(BLANKS, "x \u{a0}foo", " foo", Some(" \u{a0}foo"));
        check(BLANKS, "a\rb", "a\nb", None);
    }

    #[test]
    fn spellings_are_equal() {
        check(SPELLING, "“Don’t” — wait…", "\"Don't\" - wait...", Some("“Don’t” — wait…"));
        check(SPELLING, "\"a\" - b...", "“a” – b…", Some("\"a\" - b..."));
        check(SPELLING, "un cafe\u{301}.", "café", Some("cafe\u{301}"));
        check(SPELLING, "un café.", "cafe\u{301}", Some("café"));
        check(SPELLING, "un café, cafe", "cafe", Some("cafe"));
        check(SPELLING, "cafe\u{301}", "cafe", None);
        check(SPELLING, "a\u{200b}b\u{ad}c", "abc", Some("a\u{200b}b\u{ad}c"));
        check(SPELLING, "a\u{a0}b", "a b", Some("a\u{a0}b"));
        check(SPELLING, "a  b", "a b", None);
        check(SPELLING, "wait…", "wait.", None);
        check(SPELLING, "e\u{200b}\u{301}", "é", Some("e\u{200b}\u{301}"));
        check(SPELLING, "éx\u{301}", "é", Some("é"));
        check(SPELLING, "a\n\u{301}b", "a\n", Some("a\n"));
        check(SPELLING, "한글", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}", Some("한글"));
    }

    #[test]
    fn cases_are_equal() {
        check(CASE, "ΟΔΟΣ Straße", "οδος", Some("ΟΔΟΣ"));
        check(CASE, "aBcD", "AbCd", Some("aBcD"));
        check(CASE, "\tA", " a", None);
        check(CASE, "x𐐀", "𐐨", Some("𐐀"));
        check(ALL, "A\u{a0} “É”", "a \"e\u{301}\"", Some("A\u{a0} “É”"));
    }

    #[test]
    fn an_empty_needle_matches_nothing() {
        check(BLANKS, "a b", " ", None);
        check(SPELLING, "a", "\u{200b}", None);
        check(Folding::default(), "", "a", None);
        check(Folding::default(), "aab", "ab", Some("ab"));
    }

    #[test]
    fn invalid_bytes_match_only_themselves() {
        let text = b"a\xff B\xc3";
        assert_eq!(find_folded(text, "b", ALL, 0), Some(3..4));
        assert_eq!(find_folded(text, "ÿ", ALL, 0), None);
        assert_eq!(find_folded(b"\xe2\x80", "-", ALL, 0), None);
        // This code point is smaller than the number for the invalid byte.
        assert_eq!(find_folded(text, "\u{10ff01}", ALL, 0), None);
    }

    #[test]
    fn the_search_continues_at_the_given_offset() {
        let text = "ab  ab\tab";
        let ends: Vec<_> = [0, 1, 5, 8]
            .iter()
            .map(|from| find_folded(text.as_bytes(), "ab", BLANKS, *from).map(|place| place.start))
            .collect();
        assert_eq!(ends, [Some(0), Some(4), Some(7), None]);
    }

    #[test]
    fn without_folding_the_result_equals_a_plain_search() {
        for (text, needle) in
            [("aabaabaac", "aabaac"), ("aabaabacaabac", "aabac"), ("ababab", "abab"), ("éaé", "é")]
        {
            let found = find_folded(text.as_bytes(), needle, Folding::default(), 0);
            assert_eq!(found.map(|place| place.start), text.find(needle));
        }
    }

    /// Finds a match by comparing the needle at every position. Used to check the fast search.
    fn find_slowly(needle: &FoldedNeedle, text: &[u8], from: usize) -> Option<Range<usize>> {
        let units = Units::new(text, from, needle.folding);
        let units: Vec<Unit> = Units { joins_lines: needle.joins_lines, ..units }.collect();
        units.windows(needle.values.len()).find_map(|window| {
            let equal = window.iter().map(|unit| unit.value).eq(needle.values.iter().copied());
            let (first, last) = (window.first()?, window.last()?);
            let whole = equal && first.is_first && last.is_last;
            let place = first.start..last.end;
            whole.then(|| needle.include_blanks(text, place, from)).flatten()
        })
    }

    #[test]
    fn skipped_bytes_contain_no_match() {
        let parts =
            ["a", "A", "b", " ", "\t", "\n", "\r\n", "é", "e", "\u{301}", "\u{200b}", "…", "."];
        // A deterministic generator, so that failures can be reproduced.
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = |most: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % most as u64) as usize
        };
        for round in 0..40_000 {
            let mut text = |most| -> String {
                (0..random(most)).map(|_| parts[random(parts.len())]).collect()
            };
            let (text, wanted) = (text(20), text(4));
            let flag = |bit: u32| round >> bit & 1 == 1;
            let folding = Folding { whitespace: flag(0), unicode: flag(1), case: flag(2) };
            let Some(needle) = FoldedNeedle::new(&wanted, folding) else { continue };
            let found = needle.find(text.as_bytes(), 0);
            let slowly = find_slowly(&needle, text.as_bytes(), 0);
            assert_eq!(found, slowly, "{wanted:?} in {text:?}, {folding:?}");
        }
    }
}
