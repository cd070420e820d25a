//! Documents go into an index, and out of it. All of them that one writer takes
//! come into view together, when it commits.

// Indexes are folio's own files, in the cache directory.
#![allow(clippy::disallowed_methods)]

use std::path::PathBuf;

use rusqlite::{OptionalExtension, Statement};

use super::analyser::{self, Analyser};
use super::chunks::Chunk;
use super::embedding::{Meaning, Spool};
use super::model::{self, DIMENSIONS, Token, Weights};
use super::naming;
use super::recipe::Recipe;
use super::store::{Failure, Outcome, Store, files_of};
use super::varints::{self, Place, push_place};
use super::vectors::{self, Run, VectorFile};
use super::vocabulary::{self, Vocabulary};

/// What a file is to an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A document.
    Text = 0,
    /// No text: it is passed over.
    Binary = 1,
    /// It could not be read: it is tried again.
    Unreadable = 2,
}

/// A file as the index knows it.
pub struct NewDocument<'a> {
    /// Below the collection's directory.
    pub path: &'a [u8],
    /// What it is.
    pub kind: Kind,
    /// Its title, or else its path.
    pub title: &'a str,
    /// Its length in characters.
    pub characters: u64,
    /// The label of its encoding, where that is not UTF-8.
    pub encoding: Option<String>,
    /// Which file in which state it was, where that can be trusted.
    pub identity: Option<&'a [u8]>,
    /// The SHA-256 of its text.
    pub hash: &'a [u8],
}

/// Facts that are kept as numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Numbers {
    sections: u64,
    terms: u64,
    title_terms: u64,
    next_section: u64,
    next_term: u64,
    changed: u64,
    generation: u64,
    rows: u64,
}

const NAMES: [&str; 8] = [
    "sections",
    "terms",
    "title_terms",
    "next_section",
    "next_term",
    "changed",
    "generation",
    "rows",
];

impl Numbers {
    fn of(store: &Store) -> Outcome<Self> {
        let mut values = [0; 8];
        for (value, name) in values.iter_mut().zip(NAMES) {
            *value = store.number(name)?;
        }
        let [sections, terms, title_terms, next_section, next_term, changed, generation, rows] =
            values;
        Ok(Self {
            sections,
            terms,
            title_terms,
            next_section: next_section.max(1),
            next_term: next_term.max(1),
            changed,
            generation,
            rows,
        })
    }

    fn write(&self, store: &Store) -> Outcome<()> {
        let values = [
            self.sections,
            self.terms,
            self.title_terms,
            self.next_section,
            self.next_term,
            self.changed,
            self.generation,
            self.rows,
        ];
        NAMES.into_iter().zip(values).try_for_each(|(name, value)| store.set_fact(name, value))
    }
}

struct Statements<'a> {
    known: Statement<'a>,
    term: Statement<'a>,
    count: Statement<'a>,
    section: Statement<'a>,
    posting: Statement<'a>,
    document: Statement<'a>,
}

/// A transaction that changes an index.
pub struct Writer<'a> {
    store: &'a Store,
    statements: Statements<'a>,
    vocabulary: Vocabulary,
    numbers: Numbers,
    /// What tokens count for; none where there are no vectors yet.
    weights: Option<Weights>,
    vectors: Option<VectorFile>,
    /// How vectors are made.
    pub recipe: Recipe,
    is_over: bool,
}

impl<'a> Writer<'a> {
    /// Begins one; it waits for another writer as long as the store says.
    pub fn begin(store: &'a Store, language: &str) -> Outcome<Self> {
        store.connection.execute_batch("BEGIN IMMEDIATE")?;
        Self::start(store, language).inspect_err(|_| {
            let _ = store.connection.execute_batch("ROLLBACK");
        })
    }

    fn start(store: &'a Store, language: &str) -> Outcome<Self> {
        let connection = &store.connection;
        let numbers = Numbers::of(store)?;
        let weights = weights(store)?;
        let vectors = match weights {
            Some(_) => Some(VectorFile::open_to_write(&store.file, numbers.generation)?),
            None => None,
        };
        let analyser = Analyser::new(language).ok_or(Failure::Damaged)?;
        let next: u32 = u32::try_from(numbers.next_term).map_err(|_| Failure::Damaged)?;
        Ok(Self {
            store,
            statements: Statements {
                known: connection.prepare(
                    "SELECT id, first, count, title_terms FROM documents WHERE path = ?1",
                )?,
                term: connection.prepare("SELECT id, word FROM terms WHERE term = ?1")?,
                count: connection.prepare("UPDATE documents SET count = ?1 WHERE id = ?2")?,
                section: connection.prepare(
                    "INSERT INTO sections VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                )?,
                posting: connection.prepare("INSERT INTO postings(rowid, terms) VALUES(?1, ?2)")?,
                document: connection.prepare(
                    "INSERT INTO documents VALUES(NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, ?9)",
                )?,
            },
            vocabulary: Vocabulary::new(analyser, next),
            numbers,
            weights,
            vectors,
            recipe: Recipe::default(),
            is_over: false,
        })
    }

    /// Takes a file out, if it is in.
    pub fn remove(&mut self, path: &[u8]) -> Outcome<()> {
        self.numbers.changed += self.take_out(path)?;
        Ok(())
    }

    /// Takes a file out; how many sections it had.
    fn take_out(&mut self, path: &[u8]) -> Outcome<u64> {
        let connection = &self.store.connection;
        let found = self
            .statements
            .known
            .query_row([path], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)));
        let found: Option<(i64, u64, u64, Option<Vec<u8>>)> = found.optional()?;
        let Some((document, first, count, title)) = found else { return Ok(0) };
        let title = distinct(&title.unwrap_or_default());
        let mut select = connection.prepare("SELECT terms, length FROM sections WHERE id = ?1")?;
        for id in first..first + count {
            let (terms, length): (Vec<u8>, u64) =
                select.query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
            distinct(&terms).into_iter().for_each(|term| self.vocabulary.count(term, -1, 0));
            self.numbers.terms = self.numbers.terms.saturating_sub(length);
        }
        let sections = -i64::try_from(count).unwrap_or(0);
        title.iter().for_each(|&term| self.vocabulary.count(term, 0, sections));
        let title_terms = title.len() as u64 * count;
        self.numbers.title_terms = self.numbers.title_terms.saturating_sub(title_terms);
        self.numbers.sections = self.numbers.sections.saturating_sub(count);
        let range = [first, first + count];
        connection.execute("DELETE FROM postings WHERE rowid >= ?1 AND rowid < ?2", range)?;
        connection.execute("DELETE FROM sections WHERE id >= ?1 AND id < ?2", range)?;
        connection.execute("DELETE FROM documents WHERE id = ?1", [document])?;
        vectors::take_out(connection, first, count)?;
        Ok(count)
    }

    /// Puts a file in, in place of what was known of it. `chunks` calls what it
    /// is given with each of them, in order.
    pub fn put(
        &mut self,
        new: &NewDocument<'_>,
        spool: Option<&mut Spool>,
        chunks: impl FnOnce(&mut dyn FnMut(Chunk) -> Outcome<()>) -> Outcome<()>,
    ) -> Outcome<()> {
        let removed = self.take_out(new.path)?;
        let first = self.numbers.next_section;
        let mut title = Vec::new();
        self.vocabulary.begin_text();
        self.terms(new.title, &mut title, None)?;
        self.statements.document.execute((
            new.path,
            new.kind as i64,
            new.title,
            new.characters,
            &new.encoding,
            new.identity,
            new.hash,
            first,
            &title,
        ))?;
        let document = self.store.connection.last_insert_rowid();
        let mut meaning = Meaning::of_title(new.title);
        let mut count = 0;
        chunks(&mut |chunk| {
            count += 1;
            let name = if count == 1 { new.path } else { b"" };
            meaning.push(self.section(document, &chunk, new.title, name)?);
            Ok(())
        })?;
        self.statements.count.execute((count, document))?;
        let title = distinct(&title);
        let sections = i64::try_from(count).unwrap_or(0);
        title.iter().for_each(|&term| self.vocabulary.count(term, 0, sections));
        self.numbers.title_terms += title.len() as u64 * count;
        self.numbers.sections += count;
        // A section that says something else is one that changed, not two.
        self.numbers.changed += removed.max(count);
        match (self.weights.take(), spool) {
            (Some(weights), _) => {
                let added = self.add_rows(&meaning, first, count, &weights);
                self.weights = Some(weights);
                added
            }
            (None, Some(spool)) if new.kind == Kind::Text => spool.push(&meaning),
            (None, _) => Ok(()),
        }
    }

    /// Puts a section in; its tokens. It can be found by `name`, the path of its document,
    /// where it is the first.
    fn section(
        &mut self,
        document: i64,
        chunk: &Chunk,
        title: &str,
        name: &[u8],
    ) -> Outcome<Vec<Token>> {
        if self.vocabulary.is_large() {
            self.vocabulary.flush(&self.store.connection)?;
        }
        let mut terms = Vec::new();
        let mut posting = String::new();
        self.vocabulary.begin_text();
        let in_title = self.terms(title, &mut terms, Some(&mut posting))?;
        push_place(Place { term: 0, is_whole: false }, &mut terms);
        let length = in_title + self.terms(&chunk.text, &mut terms, Some(&mut posting))?;
        let analyser = self.vocabulary.analyser();
        analyser::words(naming::of_path(&String::from_utf8_lossy(name)), &mut |word| {
            posting.push_str(&in_name(&analyser.stem(word.text)));
            posting.push(' ');
        });
        let mut tokens = Vec::new();
        model::tokens(&chunk.text, &mut tokens);
        self.statements.section.execute((
            self.numbers.next_section,
            document,
            chunk.lines.start(),
            chunk.lines.end(),
            chunk.start,
            chunk.size,
            chunk.trail.join(BETWEEN),
            chunk.checksum,
            length,
            &terms,
            varints::of_tokens(&tokens),
        ))?;
        self.statements.posting.execute((self.numbers.next_section, posting))?;
        self.numbers.terms += length;
        self.numbers.next_section += 1;
        Ok(tokens)
    }

    /// Appends the terms of a text, and each new one to a posting; how many they
    /// are.
    fn terms(
        &mut self,
        text: &str,
        out: &mut Vec<u8>,
        mut posting: Option<&mut String>,
    ) -> Outcome<u64> {
        let known = &mut self.statements.term;
        let mut look_up = |stem: &str| -> Outcome<Option<vocabulary::Row>> {
            Ok(known.query_row([stem], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
        };
        let mut count = 0;
        let mut failed = Ok(());
        analyser::words(text, &mut |word| {
            if failed.is_err() || word.text.is_empty() {
                return;
            }
            match self.vocabulary.number(word.text, &mut look_up) {
                Ok((term, new)) => {
                    push_place(Place { term, is_whole: word.is_whole }, out);
                    count += 1;
                    if let (Some(name), Some(posting)) = (new, posting.as_deref_mut()) {
                        posting.push_str(name);
                        posting.push(' ');
                        self.vocabulary.count(term, 1, 0);
                    }
                }
                Err(failure) => failed = Err(failure),
            }
        });
        failed.map(|()| count)
    }

    /// Adds the rows of a document; of sections that it does not have any more, zeros.
    fn add_rows(
        &mut self,
        meaning: &Meaning,
        first: u64,
        count: u64,
        weights: &Weights,
    ) -> Outcome<()> {
        let recipe = self.recipe;
        let end = first + count;
        let mut next = first;
        meaning.rows(weights, &recipe, &mut |rows| {
            let most = (end - next) as usize * DIMENSIONS;
            let rows = &rows[..rows.len().min(most)];
            self.add_block(next, rows)?;
            next += (rows.len() / DIMENSIONS) as u64;
            Ok(())
        })?;
        self.add_block(next, &vec![0; (end - next) as usize * DIMENSIONS])
    }

    fn add_block(&mut self, first: u64, rows: &[u8]) -> Outcome<()> {
        let count = (rows.len() / DIMENSIONS) as u64;
        if count == 0 {
            return Ok(());
        }
        let file = self.vectors.as_ref().ok_or(Failure::Damaged)?;
        file.write(self.numbers.rows, rows)?;
        vectors::add(&self.store.connection, Run { first, place: self.numbers.rows, count })?;
        self.numbers.rows += count;
        Ok(())
    }

    /// Notes in which state a file was that says what it said.
    pub fn touch(&mut self, path: &[u8], identity: Option<&[u8]>) -> Outcome<()> {
        let sql = "UPDATE documents SET identity = ?2 WHERE path = ?1";
        self.store.connection.execute(sql, (path, identity))?;
        Ok(())
    }

    /// The number that the next section gets.
    pub fn next_section(&self) -> u64 {
        self.numbers.next_section
    }

    /// Has all vectors made anew, from a spool that takes what is put in.
    pub fn forget_vectors(&mut self) {
        self.weights = None;
    }

    /// Whether it is known what tokens count for.
    pub fn has_weights(&self) -> bool {
        self.weights.is_some()
    }

    /// Whether there are no vectors yet, or those there are weigh their tokens
    /// by what the collection was.
    pub fn needs_weights(&self) -> bool {
        self.weights.is_none() || self.numbers.changed * 4 >= self.numbers.sections.max(1)
    }

    /// Weighs the tokens anew and makes all vectors from a spool, which contains the
    /// documents in the order of their sections.
    pub fn embed(&mut self, spool: &mut Spool) -> Outcome<()> {
        // The model comes into memory now: terms leave it.
        self.vocabulary.flush(&self.store.connection)?;
        let weights = match self.recipe.weighs_tokens {
            true => Weights::of_counts(&spool.counts, self.numbers.sections),
            false => Weights::equal(),
        };
        self.store.set_fact("weights", weights.bytes())?;
        self.start_generation()?;
        for (first, count) in self.documents()? {
            let meaning = spool.next()?.ok_or(Failure::Damaged)?;
            self.add_rows(&meaning, first, count, &weights)?;
        }
        self.weights = Some(weights);
        self.numbers.changed = 0;
        Ok(())
    }

    /// The first section of each document that has any, and how many it has.
    fn documents(&self) -> Outcome<Vec<(u64, u64)>> {
        let sql = "SELECT first, count FROM documents WHERE kind = 0 ORDER BY first";
        let mut statement = self.store.connection.prepare(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Begins an empty file of vectors.
    fn start_generation(&mut self) -> Outcome<()> {
        self.store.connection.execute("DELETE FROM runs", [])?;
        self.numbers.generation += 1;
        self.numbers.rows = 0;
        let path = VectorFile::path(&self.store.file, self.numbers.generation);
        // What a run left there that did not end is not needed.
        let _ = std::fs::remove_file(path);
        let file = VectorFile::open_to_write(&self.store.file, self.numbers.generation)?;
        self.vectors = Some(file);
        Ok(())
    }

    /// Copies the rows that are in use where a third is not.
    fn compact(&mut self) -> Outcome<()> {
        let runs = vectors::runs(&self.store.connection)?;
        let live: u64 = runs.iter().map(|run| run.count).sum();
        if self.numbers.rows.saturating_sub(live) * 3 <= self.numbers.rows {
            return Ok(());
        }
        let old = VectorFile::open(&self.store.file, self.numbers.generation)?;
        self.start_generation()?;
        let mut blocks = Vec::new();
        old.scan(&runs, |first, rows| blocks.push((first, rows.to_vec())))?;
        blocks.into_iter().try_for_each(|(first, rows)| self.add_block(first, &rows))
    }

    /// Has everybody see what was done.
    pub fn commit(mut self) -> Outcome<()> {
        self.compact()?;
        if let Some(file) = &self.vectors {
            file.sync()?;
        }
        self.vocabulary.flush(&self.store.connection)?;
        self.numbers.next_term = u64::from(self.vocabulary.next());
        self.numbers.write(self.store)?;
        self.store.connection.execute_batch("COMMIT")?;
        self.is_over = true;
        self.remove_old_vectors();
        Ok(())
    }

    /// Readers that have an older file open keep it; others find the new one. A
    /// newer one is what another run has begun meanwhile.
    fn remove_old_vectors(&self) {
        let others = files_of(&self.store.file).into_iter();
        let is_old = |path: &PathBuf| {
            vectors::generation(path).is_some_and(|own| own < self.numbers.generation)
        };
        // One that stays is only in the way of nobody.
        others.filter(is_old).for_each(|path| drop(std::fs::remove_file(path)));
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            // Without it the database does the same when it is closed.
            let _ = self.store.connection.execute_batch("ROLLBACK");
        }
    }
}

/// A word of a file name as postings have it: no word of a text begins so.
pub fn in_name(stem: &str) -> String {
    format!("§{stem}")
}

/// Stands between the names of a trail.
pub const BETWEEN: &str = "\u{1f}";

/// What the tokens of an index count for; none where it has no vectors yet.
pub fn weights(store: &Store) -> Outcome<Option<Weights>> {
    let bytes: Option<Vec<u8>> = store.fact("weights")?;
    bytes.map(|bytes| Weights::of_bytes(&bytes).ok_or(Failure::Damaged)).transpose()
}

/// The terms of a text, each once.
pub fn distinct(terms: &[u8]) -> Vec<u32> {
    let mut terms: Vec<u32> = varints::places(terms).map(|place| place.term).collect();
    terms.retain(|&term| term > 0);
    terms.sort_unstable();
    terms.dedup();
    terms
}
