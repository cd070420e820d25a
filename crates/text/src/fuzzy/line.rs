//! Finds the line that is most similar to a line that was not found. Lines that share enough
//! trigrams with it are candidates; the best candidates are compared by edit distance. This module
//! measures similarity and does not explain differences.

use crate::fold::decode;
use crate::lines::{lines_with_ends, without_end};

/// Maximum number of lines to compare by edit distance.
const MAX_CANDIDATES: usize = 24;

/// Maximum number of bytes to compare, of a line and of the wanted text.
const MAX_BYTES: usize = 2048;
const MAX_WANTED: usize = 256;

/// Minimum similarity in percent: first of the trigrams, then of the characters.
const MIN_SHARED: usize = 30;
const MIN_EQUAL: usize = 60;

/// Maximum length of a short text. A short text with one or two changed letters may have no common
/// trigram.
const SHORT: usize = 16;

/// Number of hash values of trigrams.
const HASHES: usize = 1 << 14;

/// The line most similar to a wanted text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Similar {
    /// The offset at which the line begins.
    pub(super) start: usize,
    /// The number of bytes of the line before the part that is similar.
    pub(super) skipped: usize,
    /// The number of characters that differ.
    pub(super) errors: usize,
}

/// Finds the line of a text that is most similar to `wanted`. Returns `None` if no line is similar
/// enough, or if `wanted` is too short to compare. If `is_thorough` is set and `wanted` is short,
/// compares every line by edit distance. This is slower, but finds every similar line.
pub(super) fn most_similar(wanted: &str, text: &[u8], is_thorough: bool) -> Option<Similar> {
    let wanted: Vec<char> =
        wanted.trim().chars().take(MAX_WANTED).flat_map(char::to_lowercase).collect();
    let trigrams = Trigrams::from_characters(&wanted)?;
    let is_thorough = is_thorough && wanted.len() <= SHORT;
    // The best lines and their scores, best first. Of equally good lines, the earlier one comes
    // first.
    let mut candidates: Vec<(usize, usize, &[u8])> = Vec::new();
    let mut start = 0;
    for line in lines_with_ends(text) {
        let compared = without_end(line);
        let compared = &compared[..compared.len().min(MAX_BYTES)];
        let score = if is_thorough {
            100 - closest_part(&wanted, compared).0 * 100 / wanted.len()
        } else {
            trigrams.percentage_in(compared)
        };
        let worst = match candidates.last() {
            Some((score, ..)) if candidates.len() == MAX_CANDIDATES => *score,
            _ => MIN_SHARED,
        };
        if score > worst {
            let at = candidates.partition_point(|(other, ..)| *other >= score);
            candidates.insert(at, (score, start, compared));
            candidates.truncate(MAX_CANDIDATES);
        }
        start += line.len();
    }
    let compared = candidates.into_iter().map(|(_, start, line)| {
        let (errors, skipped) = closest_part(&wanted, line);
        (line.len(), Similar { start, skipped, errors })
    });
    let (_, best) =
        compared.min_by_key(|(length, similar)| (similar.errors, *length, similar.start))?;
    (best.errors <= wanted.len() * (100 - MIN_EQUAL) / 100).then_some(best)
}

/// The hashes of the trigrams of a text.
struct Trigrams {
    /// A bit set of hashes.
    hashes: Box<[u64; HASHES / 64]>,
    count: usize,
}

impl Trigrams {
    fn from_characters(wanted: &[char]) -> Option<Self> {
        let mut hashes = Box::new([0u64; HASHES / 64]);
        let mut count = 0;
        let text: String = wanted.iter().collect();
        each_trigram(text.as_bytes(), |hash| {
            hashes[hash / 64] |= 1 << (hash % 64);
            count += 1;
        });
        (count > 0).then_some(Self { hashes, count })
    }

    /// Returns the percentage of these trigrams that a line contains.
    fn percentage_in(&self, line: &[u8]) -> usize {
        let mut shared = 0;
        each_trigram(line, |hash| {
            shared += (self.hashes[hash / 64] >> (hash % 64) & 1) as usize;
        });
        // Repeated trigrams are not counted again, because long lines share many by chance.
        shared.min(self.count) * 100 / self.count
    }
}

/// Calls `each` with the hash of each trigram that contains a letter or digit, ignoring case.
#[inline(always)]
fn each_trigram(text: &[u8], mut each: impl FnMut(usize)) {
    let mut hash = 0;
    let mut words = 0u32;
    for (index, byte) in text.iter().enumerate() {
        let byte = byte.to_ascii_lowercase();
        hash = ((hash << 5) ^ usize::from(byte)) & (HASHES - 1);
        words = words << 1 | u32::from(byte.is_ascii_alphanumeric() || byte >= 0x80);
        if index >= 2 && words & 0b111 != 0 {
            each(hash);
        }
    }
}

/// Returns the smallest edit distance between `wanted` and a part of `line`, and the offset at
/// which that part begins (Sellers' algorithm).
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
        let text = lines.join("\n");
        let found = most_similar(wanted, text.as_bytes(), false);
        let line = |start: usize| text[..start].lines().count() as u64 + 1;
        assert_eq!(found.map(|similar| (line(similar.start), similar.skipped)), expected);
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
