//! Terms by their numbers, as a writer meets them: each word is stemmed and looked
//! up once, and what the counts came to is written at the end.

use std::collections::HashMap;

use rusqlite::Connection;

use super::analyser::Analyser;
use super::store::Outcome;

/// A term that was met.
struct Known {
    number: u32,
    /// In which text it was seen last.
    seen: u64,
}

/// What a writer knows of the terms.
pub struct Vocabulary {
    analyser: Analyser,
    /// By the word as it is written, in lower case.
    words: HashMap<String, usize>,
    stems: HashMap<String, usize>,
    known: Vec<Known>,
    names: Vec<String>,
    next: u32,
    /// New terms and the word that each was met as.
    new: Vec<(usize, String)>,
    /// What the counts of sections and titles change by, by number.
    changes: HashMap<u32, (i64, i64)>,
    texts: u64,
}

impl Vocabulary {
    /// For an index whose next term gets this number.
    pub fn new(analyser: Analyser, next: u32) -> Self {
        Self {
            analyser,
            words: HashMap::new(),
            stems: HashMap::new(),
            known: Vec::new(),
            names: Vec::new(),
            next,
            new: Vec::new(),
            changes: HashMap::new(),
            texts: 0,
        }
    }

    /// The number that the next new term gets.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// Begins another text.
    pub fn begin_text(&mut self) {
        self.texts += 1;
    }

    /// The number of a word's term, and its name if the text did not have it yet.
    pub fn number(
        &mut self,
        word: &str,
        look_up: &mut impl FnMut(&str) -> Outcome<Option<u32>>,
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
        look_up: &mut impl FnMut(&str) -> Outcome<Option<u32>>,
    ) -> Outcome<usize> {
        let stem = self.analyser.stem(word);
        if let Some(&at) = self.stems.get(stem.as_ref()) {
            return Ok(at);
        }
        let stem = stem.into_owned();
        let at = self.known.len();
        let number = match look_up(&stem)? {
            Some(number) => number,
            None => {
                self.new.push((at, word.to_owned()));
                self.next += 1;
                self.next - 1
            }
        };
        self.known.push(Known { number, seen: 0 });
        self.names.push(stem.clone());
        self.stems.insert(stem, at);
        Ok(at)
    }

    /// Notes that sections or titles with a term come or go.
    pub fn count(&mut self, term: u32, sections: i64, titles: i64) {
        let change = self.changes.entry(term).or_default();
        change.0 += sections;
        change.1 += titles;
    }

    /// Writes what is new, and forgets all: what comes later is looked up there.
    pub fn flush(&mut self, connection: &Connection) -> Outcome<()> {
        let mut insert = connection.prepare("INSERT INTO terms VALUES(?1, ?2, ?3)")?;
        for (at, word) in self.new.drain(..) {
            let name = &self.names[at];
            let other = Some(word).filter(|word| word != name);
            insert.execute((name, self.known[at].number, other))?;
        }
        let mut change = connection.prepare(
            "INSERT INTO counts VALUES(?1, ?2, ?3) ON CONFLICT(term) DO UPDATE \
             SET sections = sections + excluded.sections, titles = titles + excluded.titles",
        )?;
        let mut changes: Vec<_> = self.changes.drain().collect();
        changes.sort_unstable_by_key(|(term, _)| *term);
        for (term, (sections, titles)) in changes {
            change.execute((term, sections, titles))?;
        }
        (self.words, self.stems) = (HashMap::new(), HashMap::new());
        (self.known, self.names) = (Vec::new(), Vec::new());
        (self.new, self.changes) = (Vec::new(), HashMap::new());
        Ok(())
    }
}
