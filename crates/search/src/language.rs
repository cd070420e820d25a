//! The languages of documents, with their stemmers and stop words.

use rust_stemmers::Algorithm;

/// The default language, for documents whose language is not detected.
pub const ENGLISH: &str = "english";
/// The supported languages and their stemmers, sorted by name.
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

/// The stop words of all languages. Each line contains the name of a language and its most frequent
/// words.
const STOP_WORDS: &str = include_str!("stop_words.txt");

/// Returns each language with its stop words, separated by spaces. Stop words are the most frequent
/// words, which are removed from queries.
pub fn all_stop_words() -> impl Iterator<Item = (&'static str, &'static str)> {
    STOP_WORDS.lines().filter_map(|line| line.split_once(": "))
}
