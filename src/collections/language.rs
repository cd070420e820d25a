//! The languages of documents: their stemmers and stop words.

use rust_stemmers::Algorithm;

/// The language of documents in which no language is detected.
pub const ENGLISH: &str = "english";
/// The names of languages and their stemmers, by name.
pub const LANGUAGES: &[(&str, Option<Algorithm>)] = &[
    ("arabic", Some(Algorithm::Arabic)),
    ("danish", Some(Algorithm::Danish)),
    ("dutch", Some(Algorithm::Dutch)),
    ("english", Some(Algorithm::English)),
    ("finnish", Some(Algorithm::Finnish)),
    ("french", Some(Algorithm::French)),
    ("german", Some(Algorithm::German)),
    ("greek", Some(Algorithm::Greek)),
    ("hungarian", Some(Algorithm::Hungarian)),
    ("italian", Some(Algorithm::Italian)),
    ("none", None),
    ("norwegian", Some(Algorithm::Norwegian)),
    ("portuguese", Some(Algorithm::Portuguese)),
    ("romanian", Some(Algorithm::Romanian)),
    ("russian", Some(Algorithm::Russian)),
    ("spanish", Some(Algorithm::Spanish)),
    ("swedish", Some(Algorithm::Swedish)),
    ("tamil", Some(Algorithm::Tamil)),
    ("turkish", Some(Algorithm::Turkish)),
];

/// A line for each language: its name and its most frequent words.
const STOP_WORDS: &str = include_str!("stop_words.txt");

/// The stop words of each language, separated by spaces: its most frequent words, which are
/// removed from queries.
pub fn all_stop_words() -> impl Iterator<Item = (&'static str, &'static str)> {
    STOP_WORDS.lines().filter_map(|line| line.split_once(": "))
}
