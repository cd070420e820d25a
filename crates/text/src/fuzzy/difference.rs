//! Finds and classifies the first difference between two texts.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

use crate::fold::{decode, is_blank, is_odd_space, is_zero_width, typed_as};
use crate::lines::count_newlines;

/// The first difference between the text to find and a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The kind of difference.
    pub kind: DifferenceKind,
    /// The line in the document.
    pub line: u64,
    /// The column, in characters from 1.
    pub column: u64,
    /// The text to find, from the difference on.
    pub wanted: Vec<u8>,
    /// The text of the document, from the difference on.
    pub found: Vec<u8>,
}

/// A kind of difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// The document has tabs instead of spaces.
    TabsForSpaces,
    /// The document has spaces instead of tabs.
    SpacesForTabs,
    /// A line is indented more or less.
    Indentation,
    /// The numbers of blanks within a line differ.
    Blanks,
    /// The blanks at the end of a line differ.
    TrailingBlanks,
    /// The document has `\r\n` instead of `\n`, or the reverse.
    LineEnd,
    /// The document has a no-break space or another non-ASCII space.
    OddSpace,
    /// The document has a zero-width character.
    ZeroWidth,
    /// The document has a byte order mark.
    ByteOrderMark,
    /// The document has typographic quotes, dashes or dots instead of their ASCII forms, or the
    /// reverse.
    Typography,
    /// One text has a composed character and the other the same character in decomposed form.
    Normalization,
    /// The texts differ in letter case.
    Case,
    /// The text to find has an escape sequence (`\n`, `\t`, `\"`) instead of the character.
    Escape,
    /// The words differ.
    Text,
}

impl DifferenceKind {
    /// Describes what the document contains instead of the text to find.
    pub fn describe(self) -> &'static str {
        match self {
            Self::TabsForSpaces => "tabs instead of spaces",
            Self::SpacesForTabs => "spaces instead of tabs",
            Self::Indentation => "another indentation",
            Self::Blanks => "different whitespace",
            Self::TrailingBlanks => "different blanks at the end of a line",
            Self::LineEnd => "a different line ending",
            Self::OddSpace => "another kind of space",
            Self::ZeroWidth => "a zero-width character",
            Self::ByteOrderMark => "a byte order mark",
            Self::Typography => "different quotes, dashes or dots",
            Self::Normalization => "a different Unicode form of a character",
            Self::Case => "different case",
            Self::Escape => "the character instead of an escape sequence",
            Self::Text => "different text",
        }
    }
}

/// Returns the column of an offset in a line, in characters from 1.
pub(super) fn column(line: &[u8], at: usize) -> u64 {
    let mut count = 1;
    let mut offset = 0;
    while offset < at
        && let Some((_, length)) = decode(line, offset)
    {
        offset += length;
        count += 1;
    }
    count
}

/// A difference by its offset in the compared lines.
pub(super) struct FoundDifference {
    kind: DifferenceKind,
    at: usize,
    wanted: Vec<u8>,
    found: Vec<u8>,
}

impl FoundDifference {
    pub(super) fn with_position(self, first_line: u64, lines: &[u8]) -> Difference {
        let start = line_start(lines, self.at);
        Difference {
            kind: self.kind,
            line: first_line + count_newlines(&lines[..start]),
            column: column(&lines[start..], self.at - start),
            wanted: self.wanted,
            found: self.found,
        }
    }
}

/// Returns the first difference between `wanted` and the text at `from`.
pub(super) fn first_difference(wanted: &str, lines: &[u8], from: usize) -> Option<FoundDifference> {
    let wanted = wanted.as_bytes();
    let rest = &lines[from..];
    let mut equal = 0;
    loop {
        let (wanted_character, found_character) = (decode(wanted, equal), decode(rest, equal));
        match (wanted_character, found_character) {
            (None, _) => return None,
            (Some((wanted_character, length)), Some((found_character, _)))
                if wanted_character == found_character =>
            {
                equal += length
            }
            _ => break,
        }
    }
    let pair = Pair { wanted, lines, wanted_at: equal, at: from + equal };
    Some(pair.classify())
}

/// Two texts and the offsets at which they first differ.
struct Pair<'a> {
    wanted: &'a [u8],
    lines: &'a [u8],
    wanted_at: usize,
    at: usize,
}

impl Pair<'_> {
    fn classify(&self) -> FoundDifference {
        let (wanted, found) = (&self.wanted[self.wanted_at..], &self.lines[self.at..]);
        if self.is_escape() {
            return self.difference_from(
                DifferenceKind::Escape,
                0,
                (2, first_character_length(found)),
            );
        }
        let line_end = |text: &[u8]| match text {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            _ => 0,
        };
        let line_ends = (line_end(wanted), line_end(found));
        if line_ends.0 > 0 && line_ends.1 > 0 {
            return self.difference_from(DifferenceKind::LineEnd, 0, line_ends);
        }
        let lengths = (first_character_length(wanted), first_character_length(found));
        match self.kind_of_character() {
            Some(kind) => self.difference_from(kind, 0, lengths),
            None => self.blank_difference().unwrap_or_else(|| self.word_difference()),
        }
    }

    /// Creates a difference that begins `back` bytes earlier. `lengths` are the numbers of bytes of
    /// each text to show.
    fn difference_from(
        &self,
        kind: DifferenceKind,
        back: usize,
        lengths: (usize, usize),
    ) -> FoundDifference {
        let part = |text: &[u8], at: usize, length: usize| -> Vec<u8> {
            text[at - back..(at + length).min(text.len())].to_vec()
        };
        FoundDifference {
            kind,
            at: self.at - back,
            wanted: part(self.wanted, self.wanted_at, lengths.0),
            found: part(self.lines, self.at, lengths.1),
        }
    }

    /// Whether the text to find contains an escape sequence for the character in the document.
    fn is_escape(&self) -> bool {
        let character = match self.wanted[self.wanted_at..] {
            [b'\\', letter, ..] => unescape(letter),
            _ => None,
        };
        let Some(character) = character else {
            return false;
        };
        let found = &self.lines[self.at..];
        // There may be blanks before the line ending.
        let blanks = found.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        let is_line_end = character == '\n' && found.get(blanks) == Some(&b'\n');
        let found_character = decode(found, 0).and_then(|(value, _)| char::from_u32(value));
        is_line_end
            || found_character
                .is_some_and(|found_character| ascii_form(found_character) == character)
    }

    /// Classifies the difference between two characters.
    fn kind_of_character(&self) -> Option<DifferenceKind> {
        let character_at =
            |text: &[u8], at: usize| decode(text, at).and_then(|(value, _)| char::from_u32(value));
        let wanted = character_at(self.wanted, self.wanted_at);
        let found = character_at(self.lines, self.at);
        let either = |test: fn(char) -> bool| wanted.is_some_and(test) || found.is_some_and(test);
        if either(|c| c == '\u{feff}') {
            return Some(DifferenceKind::ByteOrderMark);
        }
        if either(is_zero_width) {
            return Some(DifferenceKind::ZeroWidth);
        }
        let (wanted, found) = (wanted?, found?);
        let is_same_cluster = || {
            let forms = [(self.wanted, self.wanted_at), (self.lines, self.at)];
            let [wanted_cluster, found_cluster] = forms.map(|(text, at)| cluster_at(text, at));
            wanted_cluster.nfd().eq(found_cluster.nfd())
        };
        if either(is_odd_space) && is_blank(wanted) && is_blank(found) {
            Some(DifferenceKind::OddSpace)
        } else if ascii_form(wanted) == ascii_form(found) {
            Some(DifferenceKind::Typography)
        } else if !(wanted.is_ascii() && found.is_ascii()) && is_same_cluster() {
            Some(DifferenceKind::Normalization)
        } else if wanted.to_lowercase().eq(found.to_lowercase()) {
            Some(DifferenceKind::Case)
        } else {
            None
        }
    }

    /// Returns the difference between two sequences of blanks.
    fn blank_difference(&self) -> Option<FoundDifference> {
        let back = blanks_before(&self.wanted[..self.wanted_at]);
        let (wanted_start, start) = (self.wanted_at - back, self.at - back);
        let wanted_length = blanks_after(&self.wanted[wanted_start..]);
        let length = blanks_after(&self.lines[start..]);
        let wanted = &self.wanted[wanted_start..wanted_start + wanted_length];
        let found = &self.lines[start..start + length];
        if wanted == found {
            return None;
        }
        let ends_line =
            |rest: &[u8]| rest.is_empty() || rest[0] == b'\n' || rest.starts_with(b"\r\n");
        let at_start = start == 0 || self.lines[start - 1] == b'\n';
        let at_end = ends_line(&self.wanted[wanted_start + wanted_length..])
            && ends_line(&self.lines[start + length..]);
        let consists_of =
            |run: &[u8], byte: u8| !run.is_empty() && run.iter().all(|other| *other == byte);
        let kind = if has_odd_space(wanted) != has_odd_space(found) {
            DifferenceKind::OddSpace
        } else if consists_of(wanted, b' ') && consists_of(found, b'\t') {
            DifferenceKind::TabsForSpaces
        } else if consists_of(wanted, b'\t') && consists_of(found, b' ') {
            DifferenceKind::SpacesForTabs
        } else if at_end {
            DifferenceKind::TrailingBlanks
        } else if at_start {
            DifferenceKind::Indentation
        } else if !wanted.is_empty() && !found.is_empty() {
            DifferenceKind::Blanks
        } else {
            return None;
        };
        Some(self.difference_from(kind, back, (wanted_length - back, length - back)))
    }

    /// Returns the difference between two words. A word extends to the next blank.
    fn word_difference(&self) -> FoundDifference {
        let length = |text: &[u8]| {
            let mut at = 0;
            while at < 40
                && let Some((value, length)) = decode(text, at)
                && char::from_u32(value).is_none_or(|c| !c.is_whitespace())
            {
                at += length;
            }
            if at == 0 { first_character_length(text) } else { at }
        };
        let lengths = (length(&self.wanted[self.wanted_at..]), length(&self.lines[self.at..]));
        self.difference_from(DifferenceKind::Text, 0, lengths)
    }
}

/// Returns the length of the first character, or 0 at a line ending.
fn first_character_length(text: &[u8]) -> usize {
    match text.first() {
        Some(b'\n' | b'\r') | None => 0,
        _ => decode(text, 0).map_or(0, |(_, length)| length),
    }
}

/// Returns the ASCII form of a character, or the character itself.
fn ascii_form(character: char) -> char {
    typed_as(character).and_then(|typed| typed.chars().next()).unwrap_or(character)
}

/// Returns the character at an offset with its combining marks.
fn cluster_at(text: &[u8], from: usize) -> String {
    let mut cluster = String::new();
    let mut at = from;
    while let Some((value, length)) = decode(text, at)
        && let Some(character) = char::from_u32(value)
        && (cluster.is_empty() || canonical_combining_class(character) != 0)
    {
        cluster.push(character);
        at += length;
    }
    cluster
}

fn has_odd_space(run: &[u8]) -> bool {
    !run.is_ascii()
}

fn blanks_after(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some((value, length)) = decode(text, at)
        && char::from_u32(value).is_some_and(is_blank)
    {
        at += length;
    }
    at
}

/// Returns the number of ASCII blanks directly before the first difference. Up to there, both texts
/// are equal.
fn blanks_before(text: &[u8]) -> usize {
    text.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Returns the character for the escape sequence `\` followed by this byte.
pub(super) fn unescape(byte: u8) -> Option<char> {
    Some(match byte {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'"' | b'\'' | b'\\' | b'/' => char::from(byte),
        _ => return None,
    })
}

pub(super) fn line_start(text: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', &text[..at]).map_or(0, |at| at + 1)
}
