//! From text to terms: words in lower case without accents, identifiers whole and
//! in parts, stems, pairs of characters where words are not parted. One analyser
//! serves documents, queries and the second stage.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;

use super::characters::{is_combining, is_paired};

/// Bytes of the longest word; of a longer one the beginning counts.
const MAX_WORD: usize = 64;

/// Words that say nothing of what is looked for, sorted.
const STOP_WORDS: &[&str] = &[
    "a", "about", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by",
    "can", "could", "did", "do", "does", "for", "from", "had", "has", "have", "how", "i", "if",
    "in", "into", "is", "it", "its", "me", "my", "no", "not", "of", "on", "or", "our", "should",
    "so", "some", "such", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "to", "up", "was", "we", "were", "what", "when", "where", "which", "who", "why", "will",
    "with", "would", "you", "your",
];

/// A word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// In lower case and without accents.
    pub text: &'a str,
    /// Where it begins in the text, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Whether it is an identifier whose parts are before it: it has no
    /// place of its own then.
    pub is_whole: bool,
}

/// The language of a collection: how its words are stemmed.
pub struct Analyser {
    stemmer: Option<Stemmer>,
    has_stop_words: bool,
}

/// The languages that can be named.
const LANGUAGES: &[(&str, Option<Algorithm>)] = &[
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

/// The language where none is named.
pub const ENGLISH: &str = "english";

/// The names of languages.
pub fn languages() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|(name, _)| *name)
}

impl Analyser {
    /// For a language by its name; `None` where there is no such.
    pub fn new(language: &str) -> Option<Self> {
        let (_, algorithm) = LANGUAGES.iter().find(|(name, _)| *name == language)?;
        let stemmer = algorithm.map(Stemmer::create);
        Some(Self { stemmer, has_stop_words: language == ENGLISH })
    }

    /// What a word and its inflections have in common.
    pub fn stem<'a>(&self, word: &'a str) -> Cow<'a, str> {
        let is_word = !word.starts_with(|first: char| first.is_ascii_digit() || is_paired(first));
        match &self.stemmer {
            Some(stemmer) if is_word => stemmer.stem(word),
            _ => Cow::Borrowed(word),
        }
    }

    /// Whether a word leaves a query that has others.
    pub fn is_stop_word(&self, word: &str) -> bool {
        self.has_stop_words && STOP_WORDS.binary_search(&word).is_ok()
    }
}

/// Calls `each` with the words of a text, in order.
pub fn words(text: &str, each: &mut dyn FnMut(Word<'_>)) {
    let mut parts = Parts { text, pieces: Vec::new(), folded: String::new() };
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at].is_ascii() && !bytes[at].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let first = text[at..].chars().next().unwrap_or_default();
        if is_paired(first) {
            at = pairs(text, at, each);
        } else if first.is_alphanumeric() {
            let end = run_end(text, at);
            parts.emit(at, end, each);
            at = end;
        } else {
            at += first.len_utf8();
        }
    }
}

/// Where letters and digits end, with what ties them together between them.
fn run_end(text: &str, start: usize) -> usize {
    let mut end = start;
    let mut rest = text[start..].char_indices().peekable();
    while let Some((at, character)) = rest.next() {
        let mut is_tie = || {
            matches!(character, '_' | '-' | '\'' | '’')
                && rest.peek().is_some_and(|(_, next)| next.is_alphanumeric() && !is_paired(*next))
        };
        let is_letter = character.is_alphanumeric() && !is_paired(character);
        if !is_letter && !is_combining(character) && !is_tie() {
            break;
        }
        end = start + at + character.len_utf8();
    }
    end
}

/// Words of two characters each from where words are not parted; where they end.
fn pairs(text: &str, start: usize, each: &mut dyn FnMut(Word<'_>)) -> usize {
    let run = text[start..].char_indices().take_while(|(_, character)| is_paired(*character));
    let places: Vec<usize> = run.map(|(at, _)| start + at).collect();
    let last = places.last().copied().unwrap_or(start);
    let end = last + text[last..].chars().next().map_or(1, char::len_utf8);
    let ends = places.iter().skip(1).copied().chain([end]);
    let ends: Vec<usize> = ends.collect();
    let count = places.len().saturating_sub(1).max(1);
    for (at, &from) in places.iter().take(count).enumerate() {
        let to = ends[(at + 1).min(ends.len() - 1)];
        each(Word { text: &text[from..to], start: from, end: to, is_whole: false });
    }
    end
}

/// A run of letters and digits and its parts.
struct Parts<'a> {
    text: &'a str,
    pieces: Vec<(usize, usize)>,
    folded: String,
}

impl Parts<'_> {
    fn emit(&mut self, start: usize, end: usize, each: &mut dyn FnMut(Word<'_>)) {
        self.split(start, end);
        let pieces = std::mem::take(&mut self.pieces);
        for &(from, to) in &pieces {
            self.fold(&[(from, to)]);
            each(Word { text: &self.folded, start: from, end: to, is_whole: false });
        }
        if pieces.len() > 1 {
            self.fold(&pieces);
            each(Word { text: &self.folded, start, end, is_whole: true });
        }
        self.pieces = pieces;
    }

    /// Finds the parts of an identifier: at ties, before capitals, around digits.
    fn split(&mut self, start: usize, end: usize) {
        self.pieces.clear();
        let mut from = start;
        let mut before: Option<char> = None;
        let text = &self.text[..end];
        let mut rest = text[start..].char_indices().peekable();
        while let Some((at, character)) = rest.next() {
            let at = start + at;
            if matches!(character, '_' | '-') {
                self.piece(from, at);
                from = at + 1;
                before = None;
                continue;
            }
            let next = rest.peek().map(|(_, next)| *next);
            if before.is_some_and(|before| is_border(before, character, next)) {
                self.piece(from, at);
                from = at;
            }
            before = Some(character);
        }
        self.piece(from, end);
    }

    fn piece(&mut self, from: usize, to: usize) {
        if from < to {
            self.pieces.push((from, to));
        }
    }

    /// Lower case without accents: `it's` is `it`, `don't` is `dont`.
    fn fold(&mut self, pieces: &[(usize, usize)]) {
        self.folded.clear();
        for &(from, to) in pieces {
            let piece = &self.text[from..to];
            let piece = ["'s", "'S", "’s", "’S"]
                .into_iter()
                .find_map(|ending| piece.strip_suffix(ending))
                .unwrap_or(piece);
            if piece.is_ascii() {
                let letters = piece.chars().filter(|&letter| letter != '\'');
                self.folded.extend(letters.map(|letter| letter.to_ascii_lowercase()));
            } else {
                let letters = piece.chars().flat_map(char::to_lowercase).nfkd();
                self.folded.extend(letters.filter(|letter| letter.is_alphanumeric()));
            }
        }
        let mut length = self.folded.len().min(MAX_WORD);
        while !self.folded.is_char_boundary(length) {
            length -= 1;
        }
        self.folded.truncate(length);
    }
}

/// Whether a part of an identifier ends between two characters.
fn is_border(before: char, here: char, next: Option<char>) -> bool {
    if before.is_numeric() != here.is_numeric() && here.is_alphanumeric() {
        return before.is_alphanumeric();
    }
    let is_new = before.is_lowercase() && here.is_uppercase();
    // The last capital of several begins a word: HTTPServer.
    let is_last =
        before.is_uppercase() && here.is_uppercase() && next.is_some_and(char::is_lowercase);
    is_new || is_last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut found = Vec::new();
        words(text, &mut |word| {
            let mark = if word.is_whole { "=" } else { "" };
            found.push(format!("{mark}{}", word.text));
        });
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn words_are_letters_and_digits() {
        check("Hello, World! 42", &["hello", "world", "42"]);
        check("Café nai\u{308}ve Straße", &["cafe", "naive", "straße"]);
        check("Astro's don't it’s", &["astro", "dont", "it"]);
        check("- _ ' ... —", &[]);
        check("", &[]);
        check(&"ä".repeat(99), &[&"a".repeat(64)]);
    }

    #[test]
    fn identifiers_are_taken_whole_and_in_parts() {
        check("readToNext", &["read", "to", "next", "=readtonext"]);
        check("read_to_next", &["read", "to", "next", "=readtonext"]);
        check("kubectl-apply", &["kubectl", "apply", "=kubectlapply"]);
        check("HTTPServer2", &["http", "server", "2", "=httpserver2"]);
        check("--dry-run", &["dry", "run", "=dryrun"]);
        check("a.b.c", &["a", "b", "c"]);
    }

    #[test]
    fn where_words_are_not_parted_pairs_are() {
        check("日本語 x 本", &["日本", "本語", "x", "本"]);
        check("カナa", &["カナ", "a"]);
    }

    #[test]
    fn words_know_where_they_stand() {
        let mut places = Vec::new();
        words("a fooBar 日本", &mut |word| places.push((word.start, word.end)));
        assert_eq!(places, [(0, 1), (2, 5), (5, 8), (2, 8), (9, 15)]);
    }

    #[test]
    fn stems_are_those_of_the_language() {
        let english = Analyser::new(ENGLISH).expect("a language");
        assert_eq!(english.stem("installing"), "instal");
        assert_eq!(Analyser::new("none").expect("a language").stem("installing"), "installing");
        assert!(english.is_stop_word("the") && !english.is_stop_word("install"));
        assert!(Analyser::new("klingon").is_none());
        assert!(STOP_WORDS.is_sorted() && languages().is_sorted());
    }
}
