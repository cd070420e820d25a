//! Numbers as few bytes: terms in the order of a text, sets of tokens.

use super::model::Token;

/// A term in a text: its number, and whether it is beside its parts, which
/// come before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the term; 0 parts title, heading and text.
    pub term: u32,
    /// Whether it has no place of its own.
    pub is_whole: bool,
}

fn push(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// The number that bytes begin with, and what follows.
fn take(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0;
    for (at, &byte) in bytes.iter().enumerate().take(9) {
        value |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((value, &bytes[at + 1..]));
        }
    }
    None
}

fn numbers(mut bytes: &[u8]) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let (value, rest) = take(bytes)?;
        bytes = rest;
        Some(value)
    })
}

/// Appends a term.
pub fn push_place(place: Place, out: &mut Vec<u8>) {
    push(u64::from(place.term) << 1 | u64::from(place.is_whole), out);
}

/// The terms of a text, in order.
pub fn places(bytes: &[u8]) -> impl Iterator<Item = Place> {
    numbers(bytes).map(|value| Place { term: (value >> 1) as u32, is_whole: value & 1 == 1 })
}

/// A set of tokens.
pub fn of_tokens(tokens: &[Token]) -> Vec<u8> {
    let mut sorted = tokens.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut out = Vec::with_capacity(sorted.len() + sorted.len() / 2);
    let mut before = 0;
    for token in sorted {
        push(u64::from(token - before), &mut out);
        before = token;
    }
    out
}

/// The tokens of a set.
pub fn tokens(bytes: &[u8]) -> impl Iterator<Item = Token> {
    let sums = numbers(bytes).scan(0, |sum, difference| {
        *sum += difference;
        Some(*sum)
    });
    sums.map_while(|sum| Token::try_from(sum).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_and_tokens_come_back() {
        let terms = [0, 1, 63, 64, 8191, 8192, u32::MAX];
        let given: Vec<Place> = terms
            .into_iter()
            .flat_map(|term| [false, true].map(|is_whole| Place { term, is_whole }))
            .collect();
        let mut bytes = Vec::new();
        given.iter().for_each(|&place| push_place(place, &mut bytes));
        assert_eq!(places(&bytes).collect::<Vec<_>>(), given);
        let set = of_tokens(&[900, 3, 3, 30_000, 0]);
        assert_eq!(tokens(&set).collect::<Vec<_>>(), [0, 3, 900, 30_000]);
    }

    #[test]
    fn odd_bytes_end_the_list() {
        assert_eq!(places(&[0x80; 20]).count(), 0);
        assert_eq!(tokens(&[0xff, 0xff, 0x7f]).count(), 0);
    }
}
