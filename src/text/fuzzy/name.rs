//! Finds the names that are most similar to a name that was not found.

/// Minimum similarity of names, from 0 to 1.
const MIN: f64 = 0.7;

/// Whether one name could be a misspelling of the other: one character is missing, added, wrong or
/// transposed.
pub fn is_slip(one: &str, other: &str) -> bool {
    strsim::damerau_levenshtein(one, other) <= 1
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
    let wanted = (wanted.as_str(), Letters::of(&wanted));
    let mut scored: Vec<(f64, usize)> = names
        .into_iter()
        .enumerate()
        .filter(|(_, name)| name.len() < LONG)
        .filter_map(|(index, name)| {
            let score = similarity(wanted, &name.to_lowercase());
            (score >= MIN).then_some((score, index))
        })
        .collect();
    scored.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    scored.into_iter().take(most).map(|(_, index)| index).collect()
}

/// Returns the similarity of two names from 0 to 1: the fraction of the longer name that is equal
/// in both, or slightly less if one contains the other. A similarity below [`MIN`] may be returned
/// as 0.
fn similarity((wanted, letters): (&str, Letters), name: &str) -> f64 {
    if wanted.is_empty() || name.is_empty() {
        return 0.0;
    }
    let edits = || strsim::normalized_damerau_levenshtein(wanted, name);
    let holds = name.contains(wanted) || (name.len() > 3 && wanted.contains(name));
    let begin = name.chars().zip(wanted.chars()).take_while(|(one, other)| one == other).count();
    if holds {
        edits().max(0.8)
    } else if begin >= 4 && begin * 2 >= letters.length {
        // One name is a prefix of the other, so they may be forms of the same word.
        edits().max(MIN)
    } else if letters.most_alike(Letters::of(name)) < MIN {
        // For most names, the counts of letters are sufficient to exclude them.
        0.0
    } else {
        edits()
    }
}

/// The number of occurrences of each letter. Some letters share a counter.
#[derive(Clone, Copy)]
struct Letters {
    length: usize,
    counts: [u8; 32],
}

impl Letters {
    fn of(text: &str) -> Self {
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
    fn most_alike(&self, other: Self) -> f64 {
        let pairs = || self.counts.iter().zip(&other.counts);
        let gone: usize = pairs().map(|(one, other)| usize::from(one.saturating_sub(*other))).sum();
        let new: usize = pairs().map(|(one, other)| usize::from(other.saturating_sub(*one))).sum();
        let longest = self.length.max(other.length);
        1.0 - gone.max(new) as f64 / longest as f64
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
        for one in names {
            for other in names.iter().filter(|other| !(one.is_empty() && other.is_empty())) {
                let edits = strsim::normalized_damerau_levenshtein(one, other);
                let most = Letters::of(one).most_alike(Letters::of(other));
                assert!(most >= edits - 1e-9, "{one} {other}: {most} {edits}");
            }
        }
    }
}
