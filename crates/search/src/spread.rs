//! Limits the number of sections of a document at the top of an answer.

use std::collections::{HashMap, VecDeque};

use super::ranking::Ranked;
use super::recipe::Spread;
use super::store::Outcome;

/// The number of results, from the first on, for which the sections per document are limited.
const FIRST: usize = 5;
/// Maximum number of sections of a document among the first results.
const AMONG_FIRST: usize = 2;

/// Minimum ratio of scores. A section of another document is moved before the third section of a
/// document only if its score is at least this fraction of that section's score.
const LEAST: f32 = 0.8;

/// Codes of languages in paths of translations, sorted.
const LANGUAGES: &[&str] = &[
    "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "he", "hi",
    "hr", "hu", "id", "it", "ja", "ko", "lt", "lv", "ms", "nb", "nl", "nn", "no", "pl", "pt", "ro",
    "ru", "sk", "sl", "sr", "sv", "ta", "th", "tr", "uk", "ur", "uz", "vi", "zh",
];

/// Sections in the order of an answer.
pub struct Spreading<'a, F> {
    ranked: std::slice::Iter<'a, Ranked>,
    spread: Spread,
    /// Returns the document of a section.
    document: F,
    counts: HashMap<(usize, Vec<u8>), usize>,
    returned: usize,
    postponed: VecDeque<&'a Ranked>,
    /// The first section after the postponed ones.
    next: Option<&'a Ranked>,
}

/// Orders sections for an answer. `ranked` contains the best section first, and `document` returns
/// the path of a section's document. Translations of a document count as the same document.
pub fn spread<F>(ranked: &[Ranked], spread: Spread, document: F) -> Spreading<'_, F>
where
    F: FnMut(&Ranked) -> Outcome<Vec<u8>>,
{
    let (counts, postponed) = (HashMap::new(), VecDeque::new());
    Spreading {
        ranked: ranked.iter(),
        spread,
        document,
        counts,
        returned: 0,
        postponed,
        next: None,
    }
}

impl<'a, F: FnMut(&Ranked) -> Outcome<Vec<u8>>> Iterator for Spreading<'a, F> {
    type Item = Outcome<&'a Ranked>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let limit = limit(self.spread, self.returned);
            if limit == usize::MAX
                && let Some(ranked) = self.postponed.pop_front()
            {
                return Some(Ok(ranked));
            }
            let Some(ranked) = self.next.take().or_else(|| self.ranked.next()) else {
                let is_limit = matches!(self.spread, Spread::AtMost(_));
                return self.postponed.pop_front().filter(|_| !is_limit).map(Ok);
            };
            if limit == usize::MAX {
                return Some(Ok(ranked));
            }
            if self.spread == Spread::First
                && self
                    .postponed
                    .front()
                    .is_some_and(|waiting| ranked.score < waiting.score * LEAST)
                && let Some(postponed) = self.postponed.pop_front()
            {
                self.next = Some(ranked);
                self.returned += 1;
                return Some(Ok(postponed));
            }
            let path = match (self.document)(ranked) {
                Ok(path) => path,
                Err(failure) => return Some(Err(failure)),
            };
            let count = self.counts.entry((ranked.shard, without_language(&path))).or_default();
            if *count >= limit {
                self.postponed.push_back(ranked);
                continue;
            }
            *count += 1;
            self.returned += 1;
            return Some(Ok(ranked));
        }
    }
}

/// Returns the maximum number of sections of one document, if the next result is number `count`.
fn limit(spread: Spread, count: usize) -> usize {
    match spread {
        Spread::First if count < FIRST => AMONG_FIRST,
        Spread::OneFirst => 1,
        Spread::AtMost(limit) => limit,
        Spread::First | Spread::Unlimited => usize::MAX,
    }
}

/// Removes language codes from a path: `de/`, `pt-br/`, `.ja.`.
fn without_language(path: &[u8]) -> Vec<u8> {
    let Ok(path) = std::str::from_utf8(path) else { return path.to_vec() };
    let is_language = |part: &str| {
        let (language, region) = part.split_once(['-', '_']).unwrap_or((part, ""));
        let is_region =
            matches!(region.len(), 0 | 2 | 4) && region.chars().all(char::is_alphanumeric);
        is_region && LANGUAGES.binary_search(&language.to_ascii_lowercase().as_str()).is_ok()
    };
    let mut parts: Vec<&str> = path.split('/').collect();
    let name: Vec<&str> = parts.pop().unwrap_or_default().split('.').collect();
    parts.retain(|part| !is_language(part));
    let last = name.len() - 1;
    let is_kept = |(at, part): &(usize, &&str)| *at == 0 || *at == last || !is_language(part);
    let name: Vec<&str> = name.iter().enumerate().filter(is_kept).map(|(_, part)| *part).collect();
    let name = name.join(".");
    parts.push(&name);
    parts.join("/").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(way: Spread, documents: &str, expected: &[u64]) {
        let ranked: Vec<Ranked> = (0..documents.len() as u64)
            .map(|section| Ranked { shard: 0, section, score: 0.0, cosine: None })
            .collect();
        let path = |ranked: &Ranked| Ok(vec![documents.as_bytes()[ranked.section as usize]]);
        let found: Vec<u64> =
            spread(&ranked, way, path).map(|result| result.expect("found").section).collect();
        assert_eq!(found, expected, "{way:?} {documents}");
    }

    #[test]
    fn sections_of_several_documents_come_first() {
        check(Spread::First, "aaaabcd", &[0, 1, 4, 5, 6, 2, 3]);
        check(Spread::First, "aaab", &[0, 1, 3, 2]);
        check(Spread::First, "abcdeaaa", &[0, 1, 2, 3, 4, 5, 6, 7]);
        check(Spread::OneFirst, "aabbc", &[0, 2, 4, 1, 3]);
        check(Spread::AtMost(1), "aabbc", &[0, 2, 4]);
        check(Spread::Unlimited, "aab", &[0, 1, 2]);
    }

    #[test]
    fn translations_are_one_document() {
        let pairs = [
            ("docs/en/a.md", "docs/pt-br/a.md"),
            ("docs/a.md", "docs/de/a.md"),
            ("README.md", "README.zh-CN.md"),
        ];
        for (original, translation) in pairs {
            let without = |path: &str| without_language(path.as_bytes());
            assert_eq!(without(original), without(translation), "{original} {translation}");
        }
        for path in ["docs/go/a.md", "de.md", "docs/a.min.md", "no-ops/a.min.md"] {
            assert_eq!(without_language(path.as_bytes()), path.as_bytes());
        }
        assert!(LANGUAGES.is_sorted());
    }
}
