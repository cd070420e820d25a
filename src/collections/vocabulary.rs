//! Terms by their numbers, as a writer meets them: each word is stemmed and looked
//! up once, and what the counts came to is written at the end.

use std::collections::HashMap;

use rusqlite::Connection;

use super::analyser::Analyser;
use super::store::Outcome;

/// Words that are known at once.
const MAX_WORDS: usize = 1 << 18;
/// Bytes of the words that a term was met as, about.
const MAX_FORMS: usize = 1024;

/// A term that was met.
struct Known {
    number: u32,
    /// In which text it was seen last.
    seen: u64,
    /// The words that it was met as; `None` for the term itself.
    forms: Option<String>,
}

/// The number of a term, and the words that it was met as.
pub type Row = (u32, Option<String>);

/// What a writer knows of the terms.
pub struct Vocabulary {
    analyser: Analyser,
    /// By the word as it is written, in lower case.
    words: HashMap<String, usize>,
    stems: HashMap<String, usize>,
    known: Vec<Known>,
    names: Vec<String>,
    next: u32,
    /// Terms that are new, or were met as other words than before.
    new: Vec<usize>,
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

    /// How words become terms.
    pub fn analyser(&self) -> &Analyser {
        &self.analyser
    }

    /// The number that the next new term gets.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// Whether it takes so much memory that it should be written before the next text.
    pub fn is_large(&self) -> bool {
        self.words.len() > MAX_WORDS
    }

    /// Begins another text.
    pub fn begin_text(&mut self) {
        self.texts += 1;
    }

    /// The number of a word's term, and its name if the text did not have it yet.
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
                    (self.next - 1, (stem != word).then(|| word.to_owned()))
                });
                self.known.push(Known { number, seen: 0, forms });
                self.names.push(stem.clone());
                self.stems.insert(stem, at);
                at
            }
        };
        let (name, forms) = (&self.names[at], &mut self.known[at].forms);
        let own = forms.as_deref().unwrap_or(name);
        if own.split(' ').all(|form| form != word) && own.len() < MAX_FORMS {
            *forms = Some(format!("{own} {word}"));
            self.new.push(at);
        }
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
        let mut insert = connection.prepare("INSERT OR REPLACE INTO terms VALUES(?1, ?2, ?3)")?;
        self.new.sort_unstable();
        self.new.dedup();
        for at in self.new.drain(..) {
            insert.execute((&self.names[at], self.known[at].number, &self.known[at].forms))?;
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
