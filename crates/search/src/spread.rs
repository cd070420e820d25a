//! Limits the number of sections of a document at the top of an answer.

use std::collections::{HashMap, VecDeque};

use super::ranking::Ranked;
use super::recipe::Spread;
use super::store::Outcome;
use super::translations::PagePath;

/// The number of results, from the first on, for which the sections per document are limited.
const FIRST: usize = 5;
/// Maximum number of sections of a document among the first results.
const AMONG_FIRST: usize = 2;

/// Minimum ratio of scores. A section of another document is moved before the third section of a
/// document only if its score is at least this fraction of that section's score.
const LEAST: f32 = 0.8;

/// Sections in the order of an answer.
pub struct Spreading<'a, F> {
    ranked: std::slice::Iter<'a, Ranked>,
    spread: Spread,
    /// Returns the document of a section.
    document: F,
    /// For each page in the answer, the path of the translation and the number of its sections.
    pages: HashMap<(usize, Vec<u8>), (Vec<u8>, usize)>,
    returned: usize,
    postponed: VecDeque<&'a Ranked>,
    /// Sections of other translations of the pages. They come last.
    translations: VecDeque<&'a Ranked>,
    /// The first section after the postponed ones.
    next: Option<&'a Ranked>,
}

/// Orders sections for an answer. `ranked` contains the best section first, and `document` returns
/// the path of a section's document. Translations of a document count as the same document: the
/// first one is in the answer, and the others follow all other sections.
pub fn spread<F>(ranked: &[Ranked], spread: Spread, document: F) -> Spreading<'_, F>
where
    F: FnMut(&Ranked) -> Outcome<Vec<u8>>,
{
    Spreading {
        ranked: ranked.iter(),
        spread,
        document,
        pages: HashMap::new(),
        returned: 0,
        postponed: VecDeque::new(),
        translations: VecDeque::new(),
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
                if let Spread::AtMost(_) = self.spread {
                    return None;
                }
                let rest = self.postponed.pop_front();
                return rest.or_else(|| self.translations.pop_front()).map(Ok);
            };
            if self.spread == Spread::Unlimited {
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
            let page = (ranked.shard, PagePath::parse(&path).original);
            let (selected, count) = self.pages.entry(page).or_insert_with(|| (path.clone(), 0));
            if *selected != path && !matches!(self.spread, Spread::AtMost(_)) {
                self.translations.push_back(ranked);
            } else if *count >= limit {
                self.postponed.push_back(ranked);
            } else {
                *count += 1;
                self.returned += 1;
                return Some(Ok(ranked));
            }
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
    fn other_translations_of_a_page_come_last() {
        let paths = ["de/a.md", "a.md", "b.md", "de/b.md", "de/a.md", "c.md"];
        let ranked: Vec<Ranked> = (0..paths.len() as u64)
            .map(|section| Ranked { shard: 0, section, score: 1.0, cosine: None })
            .collect();
        let path = |ranked: &Ranked| Ok(paths[ranked.section as usize].as_bytes().to_vec());
        let found = |way: Spread| -> Vec<u64> {
            spread(&ranked, way, path).map(|result| result.expect("found").section).collect()
        };
        assert_eq!(found(Spread::First), [0, 2, 4, 5, 1, 3]);
        assert_eq!(found(Spread::OneFirst), [0, 2, 5, 4, 1, 3]);
        assert_eq!(found(Spread::AtMost(1)), [0, 2, 5]);
    }
}
