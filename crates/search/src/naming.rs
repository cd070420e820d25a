//! Detects queries that consist of the name of a section or a file.

use std::path::Path;

use super::analyser::{self, Analyser};

/// File names that do not describe their document. The name of the directory is used instead.
const INDEXES: [&str; 3] = ["index", "_index", "readme"];

/// Maximum number of words of a name.
const MAX_WORDS: usize = 32;

/// Returns a score from 0 to 1 for a query that may be a name: the square root of the fraction of
/// the name's words that occur in the query. Returns 0 if the name lacks a word of the query, or if
/// the parts of a word with dots are not adjacent. The words of the query must be stems.
pub fn name_share(name: &str, query: &[&str], dotted: &[&[String]], analyser: &Analyser) -> f32 {
    if query.is_empty() || query.len() > MAX_WORDS || name.is_empty() {
        return 0.0;
    }
    let mut found = vec![false; query.len()];
    let mut parts: Vec<(usize, bool)> = Vec::new();
    let mut stems = Vec::new();
    analyser::words(name, &mut |word| {
        let stem = analyser.stem(word.text);
        let mut is_given = false;
        for (term, found) in query.iter().zip(&mut found) {
            let is_same = *term == stem;
            *found |= is_same;
            is_given |= is_same;
        }
        if !word.is_whole && !dotted.is_empty() {
            stems.push(stem.into_owned());
        }
        match word.is_whole {
            // An identifier in the query includes its parts.
            true if is_given => {
                let inner_parts = parts.iter_mut().filter(|(start, _)| *start >= word.start);
                inner_parts.for_each(|(_, is_given)| *is_given = true);
            }
            true => {}
            false if is_given || !analyser.is_stop_word(word.text) => {
                parts.push((word.start, is_given));
            }
            false => {}
        }
    });
    let is_adjacent = |word: &&[String]| stems.windows(word.len()).any(|window| window == *word);
    if found.contains(&false) || !dotted.iter().all(is_adjacent) {
        return 0.0;
    }
    // A method's parameters are not part of its name.
    if let Some(parameters) = name.find('(').filter(|at| name[..*at].ends_with(is_letter)) {
        parts.retain(|(start, is_given)| *start < parameters || *is_given);
    }
    let matched = parts.iter().filter(|(_, is_given)| *is_given).count();
    (matched as f32 / parts.len().max(1) as f32).sqrt()
}

fn is_letter(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Returns the name of a document: its file name without the extension, or the name of its
/// directory.
pub fn of_path(path: &str) -> &str {
    let path = Path::new(path);
    let stem = path.file_stem().unwrap_or_default().to_str().unwrap_or_default();
    let is_index = INDEXES.iter().any(|index| stem.eq_ignore_ascii_case(index));
    let parent = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    parent.filter(|_| is_index).unwrap_or(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_must_only_have_words_of_the_name() {
        let analyser = Analyser::new("english").expect("a language");
        let cases = [
            ("`app.requestLock([data])`", "app request lock", 1.0),
            ("`app.requestLock()`", "requestlock", 2.0 / 3.0),
            ("Install the server", "install server", 1.0),
            ("Installing", "install guide", 0.0),
            ("eip-1559", "eip 1559", 1.0),
            ("", "x", 0.0),
            ("x", "", 0.0),
        ];
        for (name, query, expected) in cases {
            let stems: Vec<String> =
                query.split_whitespace().map(|word| analyser.stem(word).into_owned()).collect();
            let stems: Vec<&str> = stems.iter().map(String::as_str).collect();
            let found = name_share(name, &stems, &[], &analyser);
            assert!((found - f32::sqrt(expected)).abs() < 1e-6, "{name} {query}: {found}");
        }
    }

    #[test]
    fn a_name_has_the_parts_of_a_word_with_dots_in_order() {
        let analyser = Analyser::new("english").expect("a language");
        let version = ["1", "2", "3"].map(str::to_owned);
        let share = |name: &str| name_share(name, &["1", "2", "3"], &[&version], &analyser);
        assert_eq!(share("v1.2.3").to_bits(), f32::sqrt(0.75).to_bits());
        assert_eq!([share("2.3.1"), share("1.2 and 3.2"), share("3 2 1")], [0.0; 3]);
    }

    #[test]
    fn index_files_are_named_by_their_directories() {
        assert_eq!(of_path("EIPS/eip-1559.md"), "eip-1559");
        assert_eq!(of_path("guide/install/README.md"), "install");
        assert_eq!(of_path("index.md"), "index");
    }
}
