//! The nearest names to one that was not found.

/// The indexes of the names most like `wanted`, best first, at most `most`.
pub fn nearest<'a>(
    wanted: &str,
    names: impl IntoIterator<Item = &'a str>,
    most: usize,
) -> Vec<usize> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(f64, usize)> = names
        .into_iter()
        .enumerate()
        .filter_map(|(index, name)| {
            let score = similarity(&wanted, &name.to_lowercase());
            (score >= 0.7).then_some((score, index))
        })
        .collect();
    scored.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    scored.into_iter().take(most).map(|(_, index)| index).collect()
}

/// From 0 to 1: how much of the longer text need not change, or a little less
/// where one holds the other.
fn similarity(wanted: &str, name: &str) -> f64 {
    if wanted.is_empty() || name.is_empty() {
        return 0.0;
    }
    let edits = strsim::normalized_damerau_levenshtein(wanted, name);
    let holds = name.contains(wanted) || (name.len() > 3 && wanted.contains(name));
    let begin = name.chars().zip(wanted.chars()).take_while(|(one, other)| one == other).count();
    if holds {
        edits.max(0.8)
    } else if begin >= 4 && begin * 2 >= wanted.chars().count() {
        // They begin alike: perhaps a longer or shorter form of one word.
        edits.max(0.7)
    } else {
        edits
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
    fn typing_errors_find_the_name() {
        check("Instalation", &["Usage", "Installation", "Install"], &[1, 2]);
        check("confg", &["Config", "Contributing"], &[0]);
        check("zzz", &["Config"], &[]);
        check("setup", &["Linux setup notes for servers"], &[0]);
    }
}
