//! Whether a query names something: a section by its heading, a document by its file name.

use std::path::Path;

use super::analyser::{self, Analyser};

/// File names that say nothing: their directory names the document.
const INDEXES: [&str; 3] = ["index", "_index", "readme"];

/// Words of the longest query that may name something.
const MAX_WORDS: usize = 32;

/// What part of a name a query gives, from 0 to 1, as the square root of its share of the
/// words; 0 where a word of the query is not in the name. Both are stems.
pub fn share(name: &str, query: &[&str], analyser: &Analyser) -> f32 {
    if query.is_empty() || query.len() > MAX_WORDS || name.is_empty() {
        return 0.0;
    }
    let mut found = vec![false; query.len()];
    let mut parts: Vec<(usize, bool)> = Vec::new();
    analyser::words(name, &mut |word| {
        let stem = analyser.stem(word.text);
        let mut is_asked = false;
        for (own, found) in query.iter().zip(&mut found) {
            let is_same = *own == stem;
            *found |= is_same;
            is_asked |= is_same;
        }
        match word.is_whole {
            // The parts of an identifier are asked for with it.
            true if is_asked => {
                let own = parts.iter_mut().filter(|(start, _)| *start >= word.start);
                own.for_each(|(_, is_asked)| *is_asked = true);
            }
            true => {}
            false if is_asked || !analyser.is_stop_word(word.text) => {
                parts.push((word.start, is_asked));
            }
            false => {}
        }
    });
    if found.contains(&false) {
        return 0.0;
    }
    // What a method takes is no part of its name.
    if let Some(parameters) = name.find('(').filter(|at| name[..*at].ends_with(is_letter)) {
        parts.retain(|(start, is_asked)| *start < parameters || *is_asked);
    }
    let asked = parts.iter().filter(|(_, is_asked)| *is_asked).count();
    (asked as f32 / parts.len().max(1) as f32).sqrt()
}

fn is_letter(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The name of a document by its path: that of its file without the extension, or that of
/// its directory.
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
    fn a_name_is_given_by_words_that_are_all_in_it() {
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
            let found = share(name, &stems, &analyser);
            assert!((found - f32::sqrt(expected)).abs() < 1e-6, "{name} {query}: {found}");
        }
    }

    #[test]
    fn documents_are_named_by_files_or_their_directories() {
        assert_eq!(of_path("EIPS/eip-1559.md"), "eip-1559");
        assert_eq!(of_path("guide/install/README.md"), "install");
        assert_eq!(of_path("index.md"), "index");
    }
}
