//! Finds the line most similar to a wanted one. Lines that share enough trigrams are candidates;
//! the best of them are compared by edit distance. It measures similarity and does not explain
//! differences.

use crate::text::fold::decode;
use crate::text::lines::{lines_with_ends, without_end};

/// Maximum number of lines to compare by edit distance.
const MAX_CANDIDATES: usize = 24;

/// Maximum number of bytes to compare of a line and of the wanted text.
const MAX_BYTES: usize = 2048;
const MAX_WANTED: usize = 256;

/// Minimum similarity in percent: of shared trigrams, and finally of matching characters.
const MIN_SHARED: usize = 30;
const MIN_EQUAL: usize = 60;

/// In a text up to this length, one or two changed letters may leave no common trigram.
const SHORT: usize = 16;

/// Number of hash values of trigrams.
const HASHES: usize = 1 << 14;

/// A candidate: consecutive lines of the document.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Number of the first line.
    pub(super) line: u64,
    /// The lines with their line endings.
    pub(super) text: Vec<u8>,
}

/// Collects the lines most similar to a wanted one.
#[derive(Debug)]
pub(super) struct Alike {
    wanted: Vec<char>,
    /// A bit for each trigram of the wanted text.
    threes: Box<[u64; HASHES / 64]>,
    count: usize,
    /// Whether every line is compared by edit distance.
    is_thorough: bool,
    /// The score of the line that was checked last.
    score: usize,
    /// Candidates with their scores, the best first; of equal ones the earlier.
    candidates: Vec<(usize, Candidate)>,
}

impl Alike {
    /// Creates a search; `None` if the wanted text is too short to compare.
    pub(super) fn new(wanted: &str) -> Option<Self> {
        let wanted: Vec<char> =
            wanted.trim().chars().take(MAX_WANTED).flat_map(char::to_lowercase).collect();
        let mut threes = Box::new([0u64; HASHES / 64]);
        let mut count = 0;
        let text: String = wanted.iter().collect();
        each_three(text.as_bytes(), |hash| {
            threes[hash / 64] |= 1 << (hash % 64);
            count += 1;
        });
        (count > 0).then_some(Self {
            wanted,
            threes,
            count,
            is_thorough: false,
            score: 0,
            candidates: Vec::new(),
        })
    }

    /// Compares every line by edit distance, so that no line similar to a short text is missed.
    /// This is slower.
    pub(super) fn be_thorough(&mut self) {
        self.is_thorough = self.wanted.len() <= SHORT;
    }

    /// Whether a line is similar enough to be kept. Its score is remembered for [`Alike::add`].
    pub(super) fn is_candidate(&mut self, line: &[u8]) -> bool {
        let line = &line[..line.len().min(MAX_BYTES)];
        self.score = match self.is_thorough {
            true => {
                let (errors, _) = closest_part(&self.wanted, line);
                100 - errors * 100 / self.wanted.len()
            }
            false => self.shared(line),
        };
        let worst = match self.candidates.last() {
            Some((score, _)) if self.candidates.len() == MAX_CANDIDATES => *score,
            _ => MIN_SHARED,
        };
        self.score > worst
    }

    /// The percentage of the wanted text's trigrams that a line contains.
    fn shared(&self, line: &[u8]) -> usize {
        let mut shared = 0;
        each_three(line, |hash| {
            shared += (self.threes[hash / 64] >> (hash % 64) & 1) as usize;
        });
        // Repeated trigrams do not count, because long lines share many by chance.
        shared.min(self.count) * 100 / self.count
    }

    /// Keeps the line that was checked last.
    pub(super) fn add(&mut self, place: Candidate) {
        let at = self.candidates.partition_point(|(score, _)| *score >= self.score);
        self.candidates.insert(at, (self.score, place));
        self.candidates.truncate(MAX_CANDIDATES);
    }

    /// The most similar line, with the number of characters that differ and the offset in the line
    /// at which the similar part begins.
    pub(super) fn best(self) -> Option<(usize, usize, Candidate)> {
        let most = self.wanted.len() * (100 - MIN_EQUAL) / 100;
        let compared = self.candidates.into_iter().map(|(_, place)| {
            let line = without_end(lines_with_ends(&place.text).next().unwrap_or_default());
            let line = &line[..line.len().min(MAX_BYTES)];
            let (errors, start) = closest_part(&self.wanted, line);
            (errors, line.len(), start, place)
        });
        let best = compared.min_by_key(|(errors, length, _, place)| (*errors, *length, place.line));
        best.filter(|(errors, ..)| *errors <= most)
            .map(|(errors, _, start, place)| (errors, start, place))
    }
}

/// Calls `take` with the hash of each trigram that contains a letter or digit, ignoring case.
#[inline(always)]
fn each_three(text: &[u8], mut take: impl FnMut(usize)) {
    let mut hash = 0;
    let mut words = 0u32;
    for (index, byte) in text.iter().enumerate() {
        let byte = byte.to_ascii_lowercase();
        hash = ((hash << 5) ^ usize::from(byte)) & (HASHES - 1);
        words = words << 1 | u32::from(byte.is_ascii_alphanumeric() || byte >= 0x80);
        if index >= 2 && words & 0b111 != 0 {
            take(hash);
        }
    }
}

/// The smallest edit distance between `wanted` and a part of `line`, and the offset at which
/// that part begins (Sellers' algorithm).
fn closest_part(wanted: &[char], line: &[u8]) -> (usize, usize) {
    // For each prefix of the wanted text: the distance, and the start of the matching part.
    let mut column: Vec<(usize, usize)> = (0..=wanted.len()).map(|length| (length, 0)).collect();
    let mut best = column[wanted.len()];
    let mut offset = 0;
    while let Some((value, length)) = decode(line, offset) {
        let character = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
        let lower = character.to_lowercase().next().unwrap_or(character);
        let mut diagonal = column[0];
        offset += length;
        column[0] = (0, offset);
        for (index, want) in wanted.iter().enumerate() {
            let replaced = (diagonal.0 + usize::from(*want != lower), diagonal.1);
            let left_out = (column[index].0 + 1, column[index].1);
            let added = (column[index + 1].0 + 1, column[index + 1].1);
            diagonal = column[index + 1];
            column[index + 1] = [replaced, added, left_out]
                .into_iter()
                .min_by_key(|(errors, _)| *errors)
                .unwrap_or(replaced);
        }
        if column[wanted.len()].0 < best.0 {
            best = column[wanted.len()];
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(wanted: &str, lines: &[&str], expected: Option<(u64, usize)>) {
        let mut alike = Alike::new(wanted).expect("long enough");
        for (line, number) in lines.iter().zip(1..) {
            if alike.is_candidate(line.as_bytes()) {
                alike.add(Candidate { line: number, text: line.as_bytes().to_vec() });
            }
        }
        assert_eq!(alike.best().map(|(_, start, place)| (place.line, start)), expected);
    }

    #[test]
    fn the_line_with_the_fewest_errors_is_the_best() {
        check("quick fox", &["slow dog", "a quick fax", "a quick box of faxes"], Some((2, 2)));
        check("recieve", &["to receive mail", "relieve"], Some((2, 0)));
        check("Größe", &["die GRÖSSE", "die größe"], Some((2, 4)));
        check("same", &["same", "same"], Some((1, 0)));
        check("wanted", &["nothing", ""], None);
    }

    #[test]
    fn parts_are_found_where_they_begin() {
        let part = |wanted: &str, line: &str| {
            let wanted: Vec<char> = wanted.chars().collect();
            closest_part(&wanted, line.as_bytes())
        };
        assert_eq!(part("abc", "xxabcxx"), (0, 2));
        assert_eq!(part("abc", "xxabxx"), (1, 2));
        assert_eq!(part("abcd", "ä abxcd"), (1, 3));
        assert_eq!(part("abc", ""), (3, 0));
    }
}
