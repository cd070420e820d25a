//! Assigns numbers to terms while documents are written. Each word is stemmed and looked up only
//! once. New terms and changed counts are written at the end.

use std::collections::HashMap;

use rusqlite::Connection;

use super::analyser::{Analyser, words};
use super::store::Outcome;

/// Maximum number of words in memory.
const MAX_WORDS: usize = 1 << 16;
/// Maximum size of the recorded forms of a term, in bytes.
const MAX_FORMS: usize = 1024;

/// The numbers of sections and titles that contain a term for which the index has no numbers. Most
/// terms occur in one section.
const IN_ONE_SECTION: (i64, i64) = (1, 0);

/// A term in memory.
struct Known {
    number: u32,
    /// The number of the last text that contained the term.
    seen: u64,
    /// The forms of the term in texts, separated by spaces. `None` if the only form is the term
    /// itself.
    forms: Option<String>,
}

/// The number of a term, and the forms of the term.
pub type Row = (u32, Option<String>);

/// The terms that a writer has found.
pub struct Vocabulary {
    analyser: Analyser,
    /// Terms by word before stemming.
    words: HashMap<String, usize>,
    stems: HashMap<String, usize>,
    known: Vec<Known>,
    names: Vec<String>,
    next: u32,
    /// The number of the first term that the index does not contain yet.
    first_new: u32,
    /// Terms that are new or that have a new form.
    new: Vec<usize>,
    /// Changes in the numbers of sections and titles that contain a term, by term number.
    changes: HashMap<u32, (i64, i64)>,
    texts: u64,
}

impl Vocabulary {
    /// Creates an empty vocabulary. The next new term gets the number `next`.
    pub fn new(analyser: Analyser, next: u32) -> Self {
        Self {
            analyser,
            words: HashMap::new(),
            stems: HashMap::new(),
            known: Vec::new(),
            names: Vec::new(),
            next,
            first_new: next,
            new: Vec::new(),
            changes: HashMap::new(),
            texts: 0,
        }
    }

    /// Returns the analyser.
    pub fn analyser(&self) -> &Analyser {
        &self.analyser
    }

    /// Returns the number that the next new term gets.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// Whether the vocabulary should be written before the next text, to limit memory use.
    pub fn is_large(&self) -> bool {
        self.words.len() > MAX_WORDS
    }

    /// Begins a text.
    pub fn begin_text(&mut self) {
        self.texts += 1;
    }

    /// Numbers the repeated words of a sample of the texts, the most frequent words first, because
    /// small numbers take few bytes.
    pub fn number_words_of(&mut self, sample: &str) -> Outcome<()> {
        let mut counts: HashMap<String, u32> = HashMap::new();
        words(sample, &mut |word| match counts.get_mut(word.text) {
            Some(count) => *count += 1,
            None => drop(counts.insert(word.text.to_owned(), 1)),
        });
        let mut counts: Vec<(String, u32)> = counts.into_iter().collect();
        counts.retain(|(word, count)| !word.is_empty() && *count > 1);
        counts.sort_unstable_by(|left, right| {
            right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0))
        });
        for (word, _) in counts {
            self.number(&word, &mut |_| Ok(None))?;
        }
        Ok(())
    }

    /// Returns the number of the term for a word. If this is the first occurrence in the text, also
    /// returns the term.
    pub fn number(
        &mut self,
        word: &str,
        look_up: &mut impl FnMut(&str) -> Outcome<Option<Row>>,
    ) -> Outcome<(u32, Option<&str>)> {
        let at = match self.words.get(word) {
            Some(&at) => at,
            None => {
                let at = self.learn(word, look_up)?;
                self.words.insert(word.to_owned(), at);
                at
            }
        };
        let known = &mut self.known[at];
        let is_new = known.seen != self.texts;
        known.seen = self.texts;
        Ok((known.number, is_new.then(|| self.names[at].as_str())))
    }

    fn learn(
        &mut self,
        word: &str,
        look_up: &mut impl FnMut(&str) -> Outcome<Option<Row>>,
    ) -> Outcome<usize> {
        let stem = self.analyser.stem(word);
        let at = match self.stems.get(stem.as_ref()) {
            Some(&at) => at,
            None => {
                let stem = stem.into_owned();
                let at = self.known.len();
                let (number, forms) = look_up(&stem)?.unwrap_or_else(|| {
                    self.new.push(at);
                    self.next += 1;
                    self.changes.insert(self.next - 1, (0, 0));
                    (self.next - 1, (stem != word).then(|| word.to_owned()))
                });
                self.known.push(Known { number, seen: 0, forms });
                self.names.push(stem.clone());
                self.stems.insert(stem, at);
                at
            }
        };
        let (name, forms) = (&self.names[at], &mut self.known[at].forms);
        let known_forms = forms.as_deref().unwrap_or(name);
        if known_forms.split(' ').all(|form| form != word) && known_forms.len() < MAX_FORMS {
            *forms = Some(format!("{known_forms} {word}"));
            self.new.push(at);
        }
        Ok(at)
    }

    /// Changes the numbers of sections and titles that contain a term.
    pub fn count(&mut self, term: u32, sections: i64, titles: i64) {
        let change = self.changes.entry(term).or_default();
        change.0 += sections;
        change.1 += titles;
    }

    /// Writes all changes and clears the memory. Known terms are then looked up again.
    pub fn flush(&mut self, connection: &Connection) -> Outcome<()> {
        let mut insert = connection.prepare("INSERT OR REPLACE INTO terms VALUES(?1, ?2, ?3)")?;
        self.new.sort_unstable();
        self.new.dedup();
        for at in self.new.drain(..) {
            insert.execute((&self.names[at], self.known[at].number, &self.known[at].forms))?;
        }
        let mut change = connection.prepare(
            "INSERT INTO counts VALUES(?1, ?2 + ?4, ?3) ON CONFLICT(term) DO UPDATE \
             SET sections = sections + ?2, titles = titles + ?3",
        )?;
        let mut changes: Vec<_> = self.changes.drain().collect();
        changes.sort_unstable_by_key(|(term, _)| *term);
        let is_removal = |(sections, titles): (i64, i64)| sections < 0 || titles < 0;
        let has_removals = changes.iter().any(|(_, change)| is_removal(*change));
        for (term, (sections, titles)) in changes {
            let is_known = term < self.first_new;
            if is_known || (sections, titles) != IN_ONE_SECTION {
                let before = if is_known { IN_ONE_SECTION.0 } else { 0 };
                change.execute((term, sections, titles, before))?;
            }
        }
        if has_removals {
            // These words are no longer in any document.
            connection.execute_batch(
                "DELETE FROM terms WHERE id IN \
                 (SELECT term FROM counts WHERE sections <= 0 AND titles <= 0); \
                 DELETE FROM counts WHERE sections <= 0 AND titles <= 0",
            )?;
        }
        self.first_new = self.next;
        (self.words, self.stems) = (HashMap::new(), HashMap::new());
        (self.known, self.names) = (Vec::new(), Vec::new());
        (self.new, self.changes) = (Vec::new(), HashMap::new());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::language::ENGLISH;
    use super::*;

    fn vocabulary() -> Vocabulary {
        Vocabulary::new(Analyser::new(ENGLISH).expect("a language"), 1)
    }

    fn number(vocabulary: &mut Vocabulary, word: &str) -> u32 {
        vocabulary.number(word, &mut |_| Ok(None)).expect("a number").0
    }

    #[test]
    fn frequent_words_of_a_sample_get_small_numbers() {
        let mut vocabulary = vocabulary();
        vocabulary.number_words_of("zoo ant bees zoo bee bees zoo").expect("numbered");
        let words = ["ant", "bee", "zoo"].map(|word| number(&mut vocabulary, word));
        assert_eq!(words, [3, 2, 1]);
    }
}
