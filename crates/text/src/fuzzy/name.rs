//! Finds the names that are most similar to a name that was not found.

use std::borrow::Cow;

/// Minimum similarity of names, from 0 to 1.
const MIN: f64 = 0.7;

/// Whether one name could be a misspelling of the other: one character is missing, added, wrong or
/// transposed.
pub fn is_slip(name: &str, other: &str) -> bool {
    let length = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
        pairs.take_while(|(left, right)| left == right).map(|(left, _)| left.len_utf8()).sum()
    };
    let start = length(&mut name.chars().zip(other.chars()));
    let (name, other) = (&name[start..], &other[start..]);
    let end = length(&mut name.chars().rev().zip(other.chars().rev()));
    let differing = |text: &str| text[..text.len() - end].chars().take(3).collect::<Vec<_>>();
    match (&differing(name)[..], &differing(other)[..]) {
        ([] | [_], [] | [_]) => true,
        ([a, b], [c, d]) => (a, b) == (d, c),
        _ => false,
    }
}

/// Names of this length in bytes or longer are not compared, because the cost is the product of
/// both lengths.
const LONG: usize = 256;

/// Returns the indexes of the names that are most similar to `wanted`, best first. Returns at most
/// `most` of them.
pub fn nearest<'a>(
    wanted: &str,
    names: impl IntoIterator<Item = &'a str>,
    most: usize,
) -> Vec<usize> {
    if wanted.len() >= LONG {
        return Vec::new();
    }
    let wanted = wanted.to_lowercase();
    let letters = Letters::count(&wanted);
    let is_lower_case = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    let in_lower_case = |name: &'a str| {
        if name.bytes().all(is_lower_case) {
            Cow::Borrowed(name)
        } else {
            Cow::Owned(name.to_lowercase())
        }
    };
    let names = names.into_iter().enumerate().filter(|(_, name)| name.len() < LONG);
    let mut candidates: Vec<_> = names
        .filter_map(|(index, name)| {
            let name = in_lower_case(name);
            let least = similarity_lower_bound((&wanted, letters), &name);
            let bound = letters.similarity_upper_bound(Letters::count(&name)).max(least);
            (bound >= MIN).then_some((bound, index, least, name))
        })
        .collect();
    let order = |left: (f64, usize), right: (f64, usize)| {
        right.0.total_cmp(&left.0).then(left.1.cmp(&right.1))
    };
    candidates.sort_by(|left, right| order((left.0, left.1), (right.0, right.1)));
    // Comparing names takes much longer than computing the bounds, so only names that may be among
    // the best are compared.
    let mut best: Vec<(f64, usize)> = Vec::with_capacity(most + 1);
    for (bound, index, least, name) in candidates {
        if best.len() >= most && best.last().is_none_or(|last| bound < last.0) {
            break;
        }
        let score = strsim::normalized_damerau_levenshtein(&wanted, &name).max(least);
        if score >= MIN {
            let at = best.partition_point(|&other| order(other, (score, index)).is_lt());
            best.insert(at, (score, index));
            best.truncate(most);
        }
    }
    best.into_iter().map(|(_, index)| index).collect()
}

/// Returns a lower bound of the similarity of two names from 0 to 1. The similarity is the fraction
/// of the longer name that is equal in both, or slightly less if one contains the other.
fn similarity_lower_bound((wanted, letters): (&str, Letters), name: &str) -> f64 {
    if wanted.is_empty() || name.is_empty() {
        return 0.0;
    }
    if name.contains(wanted) || (name.len() > 3 && wanted.contains(name)) {
        return 0.8;
    }
    let begin = name.chars().zip(wanted.chars()).take_while(|(left, right)| left == right).count();
    // Names that begin alike may be forms of the same word.
    if begin >= 4 && begin * 2 >= letters.length { MIN } else { 0.0 }
}

/// The number of occurrences of each letter. Some letters share a counter.
#[derive(Clone, Copy)]
struct Letters {
    length: usize,
    counts: [u8; 32],
}

impl Letters {
    fn count(text: &str) -> Self {
        let mut letters = Self { length: 0, counts: [0; 32] };
        for character in text.chars() {
            letters.length += 1;
            let count = &mut letters.counts[character as usize % 32];
            *count = count.saturating_add(1);
        }
        letters
    }

    /// Returns an upper bound of the similarity of two texts with these letters. One edit adds,
    /// removes or replaces a letter.
    fn similarity_upper_bound(&self, other: Self) -> f64 {
        let pairs = || self.counts.iter().zip(&other.counts);
        let removed: usize =
            pairs().map(|(left, right)| usize::from(left.saturating_sub(*right))).sum();
        let added: usize =
            pairs().map(|(left, right)| usize::from(right.saturating_sub(*left))).sum();
        let longest = self.length.max(other.length);
        1.0 - removed.max(added) as f64 / longest as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(wanted: &str, names: &[&str], expected: &[usize]) {
        assert_eq!(nearest(wanted, names.iter().copied(), 3), expected);
    }

    #[test]
    fn names_with_typos_are_found() {
        check("Instalation", &["Usage", "Installation", "Install"], &[1, 2]);
        check("confg", &["Config", "Contributing"], &[0]);
        check("zzz", &["Config"], &[]);
        check("setup", &["Linux setup notes for servers"], &[0]);
        let long = "a".repeat(LONG);
        check(&long, &[&long[1..]], &[]);
        check(&long[1..], &[&long, &long[2..]], &[1]);
    }

    #[test]
    fn the_bound_from_letters_is_never_below_the_similarity() {
        let names = ["", "a", "config", "confgi", "Contributing", "größe", "grosse", "x.y-z_0"];
        for name in names {
            for other in names.iter().filter(|other| !(name.is_empty() && other.is_empty())) {
                let similarity = strsim::normalized_damerau_levenshtein(name, other);
                let bound = Letters::count(name).similarity_upper_bound(Letters::count(other));
                assert!(bound >= similarity - 1e-9, "{name} {other}: {bound} {similarity}");
            }
        }
    }

    #[test]
    fn a_slip_is_one_edit() {
        let names = ["", "a", "ab", "ba", "aba", "abba", "äb", "bä", "config", "confgi", "cnofgi"];
        for name in names {
            for other in names {
                let is_one_edit = strsim::damerau_levenshtein(name, other) <= 1;
                assert_eq!(is_slip(name, other), is_one_edit, "{name} {other}");
            }
        }
    }
}
