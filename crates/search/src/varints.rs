//! Compact encodings of the sequence of terms in a text, and of sets of tokens.
//!
//! A number takes 1 byte up to 191, 2 bytes up to 14,527, 3 bytes up to 473,279, and 5 bytes above.
//! Terms are numbered in the order in which they first occur, so frequent terms take few bytes.

use super::model::Token;

/// The smallest first byte of a number that takes 2 bytes. The next constants are those for 3 and 5
/// bytes.
const TWO: u32 = 192;
const THREE: u32 = 248;
const FIVE: u32 = 255;
/// The smallest number that takes 3 bytes, and the smallest that takes 5 bytes.
const IN_THREE: u32 = TWO + ((THREE - TWO) << 8);
const IN_FIVE: u32 = IN_THREE + ((FIVE - THREE) << 16);

/// Number that marks the end of a title or heading.
const SEPARATOR: u32 = 0;
/// Number that precedes a term without a position of its own.
const WHOLE: u32 = 1;

/// An occurrence of a term in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermPosition {
    /// The number of the term. 0 separates the title from the text.
    pub term: u32,
    /// Whether the term is a whole identifier that follows its parts. Such a term has no position
    /// of its own.
    pub is_whole: bool,
}

fn push(value: u32, out: &mut Vec<u8>) {
    let (first, rest) = match value {
        0..TWO => return out.push(value as u8),
        TWO..IN_THREE => (TWO + ((value - TWO) >> 8), 1),
        IN_THREE..IN_FIVE => (THREE + ((value - IN_THREE) >> 16), 2),
        _ => (FIVE, 4),
    };
    let low = match rest {
        1 => value - TWO,
        2 => value - IN_THREE,
        _ => value,
    };
    out.push(first as u8);
    out.extend_from_slice(&low.to_be_bytes()[4 - rest..]);
}

/// Decodes the first number, and returns the bytes after it.
fn decode_first(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (&first, bytes) = bytes.split_first()?;
    let first = u32::from(first);
    let (base, high, rest) = match first {
        0..TWO => return Some((first, bytes)),
        TWO..THREE => (TWO, first - TWO, 1),
        THREE..FIVE => (IN_THREE, first - THREE, 2),
        _ => (0, 0, 4),
    };
    let (low, bytes) = bytes.split_at_checked(rest)?;
    let value = low.iter().fold(high, |value, &byte| value << 8 | u32::from(byte));
    Some((value.checked_add(base)?, bytes))
}

fn numbers(mut bytes: &[u8]) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let (value, rest) = decode_first(bytes)?;
        bytes = rest;
        Some(value)
    })
}

/// Appends an occurrence of a term.
pub fn push_place(place: TermPosition, out: &mut Vec<u8>) {
    if place.is_whole {
        push(WHOLE, out);
    }
    push(if place.term == 0 { SEPARATOR } else { place.term.saturating_add(1) }, out);
}

/// Returns the occurrences of terms in a text, in order.
pub fn places(bytes: &[u8]) -> impl Iterator<Item = TermPosition> {
    let mut numbers = numbers(bytes);
    std::iter::from_fn(move || {
        let first = numbers.next()?;
        let is_whole = first == WHOLE;
        let value = if is_whole { numbers.next()? } else { first };
        Some(TermPosition { term: value.saturating_sub(1), is_whole })
    })
}

/// Returns the terms of a title, a separator, and the terms of a text.
pub fn with_title(title: &[u8], text: &[u8]) -> Vec<u8> {
    [title, &[SEPARATOR as u8], text].concat()
}

/// Encodes a set of tokens.
pub fn of_tokens(tokens: &[Token]) -> Vec<u8> {
    let mut sorted = tokens.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut out = Vec::with_capacity(sorted.len() + sorted.len() / 2);
    let mut before = 0;
    for token in sorted {
        push(u32::from(token - before), &mut out);
        before = token;
    }
    out
}

/// Returns the tokens of an encoded set.
pub fn tokens(bytes: &[u8]) -> impl Iterator<Item = Token> {
    let sums = numbers(bytes).scan(0_u32, |sum, difference| {
        *sum = sum.checked_add(difference)?;
        Some(*sum)
    });
    sums.map_while(|sum| Token::try_from(sum).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_and_tokens_are_decoded() {
        let terms = [0, 1, 190, 191, 14_526, 14_527, 473_278, 473_279, u32::MAX - 1];
        let positions: Vec<TermPosition> = terms
            .into_iter()
            .flat_map(|term| [false, true].map(|is_whole| TermPosition { term, is_whole }))
            .collect();
        let mut bytes = Vec::new();
        positions.iter().for_each(|&place| push_place(place, &mut bytes));
        assert_eq!(places(&bytes).collect::<Vec<_>>(), positions);
        let set = of_tokens(&[900, 3, 3, 30_000, 0]);
        assert_eq!(tokens(&set).collect::<Vec<_>>(), [0, 3, 900, 30_000]);
    }

    #[test]
    fn invalid_bytes_end_the_list() {
        assert_eq!(places(&[0xff; 3]).count(), 0);
        assert_eq!(places(&[1]).count(), 0);
        assert_eq!(tokens(&[0xfe, 0xff, 0xff]).count(), 0);
    }
}
