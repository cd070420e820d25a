//! Assigns numbers to terms while documents are written. Each word is stemmed and looked up only
//! once. New terms and changed counts are written at the end.

use std::collections::HashMap;

use rusqlite::Connection;

use super::analyser::Analyser;
use super::store::Outcome;

/// Maximum number of words in memory.
const MAX_WORDS: usize = 1 << 16;
/// Maximum size of the recorded forms of a term, in bytes.
const MAX_FORMS: usize = 1024;

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
