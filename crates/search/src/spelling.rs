//! Corrects words that do not occur in the collections, by replacing each with the most similar
//! word that does.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;

use super::analyser::Analyser;
use super::model;
use super::query::Query;
use super::shard::Shard;
use super::store::Outcome;
use folio_files::error::Error;

/// Maximum number of words to correct. Each correction requires a scan of all terms with the same
/// first letter.
const MAX_CORRECTED: usize = 8;
/// Minimum length of a corrected word, in characters.
const SHORTEST: usize = 4;
/// Minimum length in characters of a word in which two errors are corrected.
const TWO_ERRORS: usize = 6;

/// A word of a query that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The word of the query.
    pub from: String,
    /// The word that replaces it.
    pub to: String,
}

/// A query with its unknown words corrected.
pub struct Corrected {
    /// The corrected query.
    pub query: Query,
    /// The different replaced words, in order.
    pub corrections: Vec<Correction>,
}

/// Corrects the words of a query that do not occur in any collection. Does not change quoted words,
/// conditions, short words, words with digits, and words that are spelled correctly.
pub fn correct(
    shards: &[Box<dyn Shard + '_>],
    analysers: &[Analyser],
    query: Query,
) -> Outcome<Corrected> {
    let unknown = unknown_words(shards, analysers, &query)?;
    let mut nearest_words = HashMap::new();
    for word in unknown.into_iter().take(MAX_CORRECTED) {
        if let Some(nearest) = nearest_word(shards, &word)? {
            nearest_words.insert(word, nearest);
        }
    }
    let mut source = query.source.clone();
    let mut corrections = Vec::new();
    // In reverse order, so that the positions of earlier words remain valid.
    for word in query.words.iter().rev().filter(|word| !word.is_whole) {
        let Some(place) = word.place.clone() else { continue };
        let Some(to) = nearest_words.get(&word.text) else { continue };
        let from = source[place.clone()].to_owned();
        let to = if from.starts_with(char::is_uppercase) { capitalized(to) } else { to.clone() };
        source.replace_range(place, &to);
        let correction = Correction { from, to };
        if !corrections.contains(&correction) {
            corrections.push(correction);
        }
    }
    corrections.reverse();
    if corrections.is_empty() {
        return Ok(Corrected { query, corrections });
    }
    let parsed: Result<Query, Error> = Query::parse(&source);
    let corrected = Query { inside: query.inside, ..parsed? };
    Ok(Corrected { query: corrected, corrections })
}

/// Returns the words of a query to correct: those that no section contains in any inflection, and
/// that are not known words.
fn unknown_words(
    shards: &[Box<dyn Shard + '_>],
    analysers: &[Analyser],
    query: &Query,
) -> Outcome<Vec<String>> {
    let words = query.words.iter().filter(|word| !word.is_whole && word.place.is_some());
    let mut words: Vec<&str> = words.map(|word| word.text.as_str()).collect();
    words.retain(|word| {
        word.chars().count() >= SHORTEST
            && word.chars().all(char::is_alphabetic)
            && !analysers.iter().any(|analyser| is_known(word, analyser))
    });
    words.sort_unstable();
    words.dedup();
    let absent = absent_words(shards, analysers, words)?;
    Ok(absent.into_iter().map(str::to_owned).collect())
}

/// Whether a word, or the stem of the word, is a word of the language or of the model's vocabulary.
/// The vector of such a word finds sections that use other words.
fn is_known(word: &str, analyser: &Analyser) -> bool {
    let stem = analyser.stem(word);
    analyser.is_stop_word(word)
        || model::is_word(word)
        || stem.chars().count() >= SHORTEST && model::is_word(&stem)
}

/// Removes stop words from the query. A word that is a stop word in only some of the languages is
/// kept if no section contains the other words.
pub fn without_stop_words(
    shards: &[Box<dyn Shard + '_>],
    analysers: &[Analyser],
    query: &Query,
) -> Outcome<Query> {
    let is_of_any = |word: &str| analysers.iter().any(|analyser| analyser.is_stop_word(word));
    let is_of_all = |word: &str| analysers.iter().all(|analyser| analyser.is_stop_word(word));
    let short = query.clone().without_stop_words(is_of_any);
    let long = query.clone().without_stop_words(is_of_all);
    if short.words.len() == long.words.len() {
        return Ok(short);
    }
    let words: Vec<&str> = short.words.iter().map(|word| word.text.as_str()).collect();
    let absent = absent_words(shards, analysers, words)?.len();
    Ok(if absent == short.words.len() { long } else { short })
}

/// Returns the words that no section contains in any inflection.
pub fn absent_words<'a>(
    shards: &[Box<dyn Shard + '_>],
    analysers: &[Analyser],
    mut words: Vec<&'a str>,
) -> Outcome<Vec<&'a str>> {
    for (shard, analyser) in shards.iter().zip(analysers) {
        let stems: Vec<Cow<'_, str>> = words.iter().map(|word| analyser.stem(word)).collect();
        let stems: Vec<&str> = stems.iter().map(|stem| &**stem).collect();
        let mut found = shard.frequencies(&stems)?.into_iter();
        words.retain(|_| found.next().is_none_or(|found| found.sections == 0));
    }
    Ok(words)
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// Returns the known word with the smallest edit distance. Among several, returns the most frequent
/// one.
fn nearest_word(shards: &[Box<dyn Shard + '_>], word: &str) -> Outcome<Option<String>> {
    let length = word.chars().count();
    let max = if length >= TWO_ERRORS { 2 } else { 1 };
    let letters = letters(word);
    let initial: String = word.chars().take(1).collect();
    let mut best: Option<(usize, u64, String)> = None;
    for shard in shards {
        let mut near: Vec<(usize, String, String)> = Vec::new();
        shard.words(&initial, &mut |term, forms| {
            for form in forms.split(' ') {
                let is_like = |letters: u32| letters.count_ones() as usize <= 2 * max;
                if form.len().abs_diff(word.len()) <= max && is_like(letters ^ self::letters(form))
                {
                    let distance = strsim::osa_distance(word, form);
                    if distance <= max {
                        near.push((distance, term.to_owned(), form.to_owned()));
                    }
                }
            }
        })?;
        let terms: Vec<&str> = near.iter().map(|(_, term, _)| term.as_str()).collect();
        let counts: Vec<u64> =
            shard.frequencies(&terms)?.iter().map(|frequency| frequency.sections).collect();
        for ((distance, _, form), sections) in near.into_iter().zip(counts) {
            let is_better = best.as_ref().is_none_or(|(least, most, _)| {
                (distance, Reverse(sections)) < (*least, Reverse(*most))
            });
            if sections > 0 && is_better {
                best = Some((distance, sections, form));
            }
        }
    }
    Ok(best.map(|(_, _, form)| form))
}

/// Returns the set of letters in a word, as bits. Comparing these sets excludes most words quickly.
fn letters(word: &str) -> u32 {
    word.bytes().fold(0, |letters, byte| letters | 1 << (byte & 31))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::ENGLISH;

    #[test]
    fn words_of_the_model_and_their_inflections_are_known() {
        let analyser = Analyser::new(ENGLISH).expect("a language");
        for word in ["folder", "folders", "boot", "booted", "visitor", "there"] {
            assert!(is_known(word, &analyser), "{word}");
        }
        for word in ["foldre", "visitr", "instal", "kuberentes", "fialed"] {
            assert!(!is_known(word, &analyser), "{word}");
        }
    }
}
