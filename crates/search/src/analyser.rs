//! Splits texts into words: converts them to lower case, removes accents, adds the parts of
//! identifiers before the whole identifiers, and splits scripts without spaces into pairs of
//! characters. Also stems the words of documents and queries.

use std::borrow::Cow;
use std::collections::HashSet;

use rust_stemmers::Stemmer;
use unicode_normalization::UnicodeNormalization;

use super::characters::{is_combining, is_paired};
use super::language::{LANGUAGES, all_stop_words};

/// Maximum length of a word in bytes. A longer word is truncated.
const MAX_WORD: usize = 64;

/// A word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// The word in lower case and without accents.
    pub text: &'a str,
    /// The offset of the first byte of the word in the text.
    pub start: usize,
    /// The offset after the last byte of the word.
    pub end: usize,
    /// Whether the word is a whole identifier that follows its parts. Such a word has no position
    /// of its own.
    pub is_whole: bool,
}

/// Stems the words of a language and recognizes its stop words.
pub struct Analyser {
    stemmer: Option<Stemmer>,
    stop_words: HashSet<String>,
}

impl Analyser {
    /// Creates the analyser of a language. Returns `None` if the language is unknown.
    pub fn new(language: &str) -> Option<Self> {
        let (_, algorithm) = LANGUAGES.iter().find(|(name, _)| *name == language)?;
        let mut stop_words = HashSet::new();
        for (_, text) in all_stop_words().filter(|(name, _)| *name == language) {
            words(text, &mut |word| {
                stop_words.insert(word.text.to_owned());
            });
        }
        Some(Self { stemmer: algorithm.map(Stemmer::create), stop_words })
    }

    /// Returns the common stem of a word and its inflections.
    pub fn stem<'a>(&self, word: &'a str) -> Cow<'a, str> {
        let is_word = !word.starts_with(|first: char| first.is_ascii_digit() || is_paired(first));
        match &self.stemmer {
            Some(stemmer) if is_word => stemmer.stem(word),
            _ => Cow::Borrowed(word),
        }
    }

    /// Whether a word is removed from queries that contain other words.
    pub fn is_stop_word(&self, word: &str) -> bool {
        self.stop_words.contains(word)
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
            at = end + symbols(&bytes[at..], end - at);
            if at > end {
                parts.fold(&[(end - 1, at)]);
                each(Word { text: &parts.folded, start: end - 1, end: at, is_whole: true });
            }
        } else {
            at += first.len_utf8();
        }
    }
}

/// Returns the number of symbols in a name such as `C++` or `F#` that begins a text, after `length`
/// letters.
fn symbols(text: &[u8], length: usize) -> usize {
    let rest = &text[length..];
    let count = if rest.starts_with(b"++") { 2 } else { usize::from(rest.starts_with(b"#")) };
    let ends = rest.get(count).is_none_or(|next| !next.is_ascii_alphanumeric() && *next != b'#');
    if length == 1 && text[0].is_ascii_alphabetic() && ends { count } else { 0 }
}

/// Returns the end of a run of letters and digits, including marks that connect them.
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

/// Emits each pair of adjacent characters in a script without spaces. Returns the end of the run.
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

/// Splits a run of letters and digits into parts.
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

    /// Splits an identifier at connecting marks, before capitals, and around digits.
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

    /// Converts a part to lower case without accents. `it's` becomes `it`, and `don't` becomes
    /// `dont`.
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
fn is_border(before: char, current: char, next: Option<char>) -> bool {
    if before.is_numeric() != current.is_numeric() && current.is_alphanumeric() {
        return before.is_alphanumeric();
    }
    let is_new = before.is_lowercase() && current.is_uppercase();
    // The last of several capitals begins a word, as in HTTPServer.
    let is_last =
        before.is_uppercase() && current.is_uppercase() && next.is_some_and(char::is_lowercase);
    is_new || is_last
}

#[cfg(test)]
mod tests {
    use super::super::language::ENGLISH;
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
    fn identifiers_are_split_and_kept() {
        check("readToNext", &["read", "to", "next", "=readtonext"]);
        check("read_to_next", &["read", "to", "next", "=readtonext"]);
        check("kubectl-apply", &["kubectl", "apply", "=kubectlapply"]);
        check("HTTPServer2", &["http", "server", "2", "=httpserver2"]);
        check("--dry-run", &["dry", "run", "=dryrun"]);
        check("a.b.c", &["a", "b", "c"]);
        check("C++, C#. F#", &["c", "=c++", "c", "=c#", "f", "=f#"]);
        check("a#b page# c## C+ +c", &["a", "b", "page", "c", "c", "c"]);
    }

    #[test]
    fn scripts_without_spaces_are_split_into_pairs() {
        check("日本語 x 本", &["日本", "本語", "x", "本"]);
        check("カナa", &["カナ", "a"]);
    }

    #[test]
    fn words_have_positions() {
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
    }
}
