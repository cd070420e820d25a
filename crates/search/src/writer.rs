//! Adds documents to an index and removes documents from it. Readers see all changes of a writer at
//! once, when it commits.

use std::rc::Rc;

use rusqlite::{OptionalExtension, Statement};

use super::analyser::{self, Analyser};
use super::chunks::Chunk;
use super::embedding::{DocumentTokens, Spool};
use super::model::{self, Token, Weights};
use super::naming;
use super::recipe::Recipe;
use super::store::{Failure, Outcome, Store};
use super::varints::{self, TermPosition, push_place};
use super::vectors::{self, Pending, ROW};
use super::vocabulary::{self, Vocabulary};

/// The kind of an indexed file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileKind {
    /// A document.
    #[default]
    Text = 0,
    /// A binary file, which search ignores.
    Binary = 1,
    /// A file that could not be read, and is read again by the next update.
    Unreadable = 2,
    /// A generated page, which search ignores.
    Generated = 3,
}

/// A file to add.
#[derive(Default)]
pub struct NewDocument<'a> {
    /// The path in the directory of the collection.
    pub path: &'a [u8],
    /// The kind of the file.
    pub kind: FileKind,
    /// The title of the document, or its path if it has no title.
    pub title: &'a str,
    /// The length of the document in characters.
    pub characters: u64,
    /// The label of the document's encoding. `None` for UTF-8.
    pub encoding: Option<String>,
    /// The identity and state of the file. `None` if a later change might not change them.
    pub identity: Option<&'a [u8]>,
    /// The SHA-256 of the document's text.
    pub hash: &'a [u8],
}

/// Totals of an index. Each total is stored as a separate value.
#[derive(Clone, Copy, Debug, Default)]
struct Numbers {
    sections: u64,
    terms: u64,
    title_terms: u64,
    next_section: u64,
    next_term: u64,
    changed: u64,
    generation: u64,
}

impl Numbers {
    fn named_fields(&mut self) -> [(&'static str, &mut u64); 7] {
        [
            ("sections", &mut self.sections),
            ("terms", &mut self.terms),
            ("title_terms", &mut self.title_terms),
            ("next_section", &mut self.next_section),
            ("next_term", &mut self.next_term),
            ("changed", &mut self.changed),
            ("generation", &mut self.generation),
        ]
    }

    fn read(store: &Store) -> Outcome<Self> {
        let mut numbers = Self::default();
        for (name, value) in numbers.named_fields() {
            *value = store.number(name)?;
        }
        numbers.next_section = numbers.next_section.max(1);
        numbers.next_term = numbers.next_term.max(1);
        Ok(numbers)
    }

    fn write(&mut self, store: &Store) -> Outcome<()> {
        self.named_fields().into_iter().try_for_each(|(name, value)| store.set_fact(name, *value))
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
    /// The weights of tokens. `None` if the index has no vectors yet.
    weights: Option<Rc<Weights>>,
    rows: Pending,
    /// How vectors are computed.
    pub recipe: Recipe,
    is_committed: bool,
}

impl<'a> Writer<'a> {
    /// Begins a transaction. If another run is writing, waits until the timeout of the store.
    pub fn begin(store: &'a Store, language: &str) -> Outcome<Self> {
        store.connection.execute_batch("BEGIN IMMEDIATE")?;
        Self::start(store, language).inspect_err(|_| {
            let _ = store.connection.execute_batch("ROLLBACK");
        })
    }

    fn start(store: &'a Store, language: &str) -> Outcome<Self> {
        let connection = &store.connection;
        let numbers = Numbers::read(store)?;
        let weights = weights(store)?.map(Rc::new);
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
            rows: Pending::default(),
            recipe: Recipe::default(),
            is_committed: false,
        })
    }

    /// Removes a file from the index, if the index contains it.
    pub fn remove(&mut self, path: &[u8]) -> Outcome<()> {
        self.numbers.changed += self.take_out(path)?;
        Ok(())
    }

    /// Removes a file, and returns its number of sections.
    fn take_out(&mut self, path: &[u8]) -> Outcome<u64> {
        let connection = &self.store.connection;
        let found = self
            .statements
            .known
            .query_row([path], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)));
        let found: Option<(i64, u64, u64, Option<Vec<u8>>)> = found.optional()?;
        let Some((document, first, count, title)) = found else { return Ok(0) };
        let title = title.unwrap_or_default();
        let mut select = connection.prepare("SELECT terms, length FROM sections WHERE id = ?1")?;
        for id in first..first + count {
            let (terms, length): (Vec<u8>, u64) =
                select.query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let terms = distinct_terms(&varints::with_title(&title, &terms));
            terms.into_iter().for_each(|term| self.vocabulary.count(term, -1, 0));
            self.numbers.terms = self.numbers.terms.saturating_sub(length);
        }
        let title = distinct_terms(&title);
        let sections = -i64::try_from(count).unwrap_or(0);
        title.iter().for_each(|&term| self.vocabulary.count(term, 0, sections));
        let title_terms = title.len() as u64 * count;
        self.numbers.title_terms = self.numbers.title_terms.saturating_sub(title_terms);
        self.numbers.sections = self.numbers.sections.saturating_sub(count);
        let range = [first, first + count];
        connection.execute("DELETE FROM postings WHERE rowid >= ?1 AND rowid < ?2", range)?;
        connection.execute("DELETE FROM sections WHERE id >= ?1 AND id < ?2", range)?;
        connection.execute("DELETE FROM documents WHERE id = ?1", [document])?;
        self.rows.write(connection)?;
        vectors::remove(connection, &(first..first + count))?;
        Ok(count)
    }

    /// Returns the hash of a document's text, if the index contains the document.
    pub fn hash(&self, path: &[u8]) -> Outcome<Option<Vec<u8>>> {
        let sql = "SELECT hash FROM documents WHERE path = ?1";
        let hash = self.store.connection.query_row(sql, [path], |row| row.get(0)).optional()?;
        Ok(hash.flatten())
    }

    /// Adds a file, or replaces it. `chunks` calls its argument with each chunk in order.
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
        let mut tokens = DocumentTokens::new(new.title, new.path);
        let mut count = 0;
        chunks(&mut |chunk| {
            count += 1;
            let name = if count == 1 { new.path } else { b"" };
            tokens.push(&self.section(document, &chunk, new.title, name)?);
            Ok(())
        })?;
        self.statements.count.execute((count, document))?;
        let title = distinct_terms(&title);
        let sections = i64::try_from(count).unwrap_or(0);
        title.iter().for_each(|&term| self.vocabulary.count(term, 0, sections));
        self.numbers.title_terms += title.len() as u64 * count;
        self.numbers.sections += count;
        // An edited section counts as one change, not as a removal and an addition.
        self.numbers.changed += removed.max(count);
        match (self.weights.clone(), spool) {
            (Some(weights), _) => self.add_rows(&tokens, first, count, &weights),
            (None, Some(spool)) if new.kind == FileKind::Text => spool.push(&tokens),
            (None, _) => Ok(()),
        }
    }

    /// Adds a section and returns its tokens. The first section of a document can also be found by
    /// `name`, the path of the document.
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
        let in_title = self.terms(title, &mut Vec::new(), Some(&mut posting))?;
        let length = in_title + self.terms(&chunk.text, &mut terms, Some(&mut posting))?;
        let analyser = self.vocabulary.analyser();
        analyser::words(naming::of_path(&String::from_utf8_lossy(name)), &mut |word| {
            posting.push_str(&name_term(&analyser.stem(word.text)));
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
            encode_trail(&chunk.trail, chunk.above, title),
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

    /// Appends the terms of a text to `out`, and adds each different term to a posting list.
    /// Returns the number of terms.
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
                    push_place(TermPosition { term, is_whole: word.is_whole }, out);
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

    /// Adds the rows of a document. A section without tokens gets a row of zeros.
    fn add_rows(
        &mut self,
        tokens: &DocumentTokens,
        first: u64,
        count: u64,
        weights: &Weights,
    ) -> Outcome<()> {
        let (recipe, connection, end) = (self.recipe, &self.store.connection, first + count);
        let mut next = first;
        tokens.rows(weights, &recipe, &mut |rows| {
            let rows = &rows[..rows.len().min((end - next) as usize * ROW)];
            self.rows.add(connection, next, rows)?;
            next += (rows.len() / ROW) as u64;
            Ok(())
        })?;
        let zeros = vectors::row(&[0.0; model::DIMENSIONS]);
        self.rows.add(connection, next, &zeros.repeat((end - next) as usize))
    }

    /// Numbers the repeated words of a sample of the documents before all other words.
    pub fn number_words_of(&mut self, sample: &str) -> Outcome<()> {
        self.vocabulary.number_words_of(sample)
    }

    /// Records the new state of a file whose text is unchanged.
    pub fn touch(&mut self, path: &[u8], identity: Option<&[u8]>) -> Outcome<()> {
        let sql = "UPDATE documents SET identity = ?2 WHERE path = ?1";
        self.store.connection.execute(sql, (path, identity))?;
        Ok(())
    }

    /// Returns the number of the next section.
    pub fn next_section(&self) -> u64 {
        self.numbers.next_section
    }

    /// Discards the weights of tokens, so that all vectors are computed from a spool.
    pub fn forget_vectors(&mut self) {
        self.weights = None;
    }

    /// Whether the weights of tokens are known.
    pub fn has_weights(&self) -> bool {
        self.weights.is_some()
    }

    /// Whether weights must be computed: there are none yet, or a quarter of the sections has
    /// changed since they were computed.
    pub fn needs_weights(&self) -> bool {
        self.weights.is_none()
            || self.numbers.changed.saturating_mul(4) >= self.numbers.sections.max(1)
    }

    /// Computes the weights of tokens and all vectors from a spool. The spool must contain the
    /// documents in the order of their sections.
    pub fn embed(&mut self, spool: &mut Spool) -> Outcome<()> {
        // From here on, memory is needed for the model, but no longer for the terms.
        self.vocabulary.flush(&self.store.connection)?;
        let weights = Rc::new(if self.recipe.weighs_tokens {
            Weights::of_counts(&spool.counts, self.numbers.sections)
        } else {
            Weights::equal()
        });
        self.store.set_fact("weights", weights.bytes())?;
        self.rows = Pending::default();
        self.store.connection.execute("DELETE FROM vectors", [])?;
        for (first, count) in self.documents()? {
            let tokens = spool.next()?.ok_or(Failure::Damaged)?;
            self.add_rows(&tokens, first, count, &weights)?;
        }
        self.weights = Some(weights);
        self.numbers.changed = 0;
        self.numbers.generation += 1;
        Ok(())
    }

    /// Returns for each document its first section and its number of sections.
    fn documents(&self) -> Outcome<Vec<(u64, u64)>> {
        let sql = "SELECT first, count FROM documents WHERE kind = 0 ORDER BY first";
        let mut statement = self.store.connection.prepare(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Makes the changes visible to readers.
    pub fn commit(mut self) -> Outcome<()> {
        self.rows.write(&self.store.connection)?;
        self.vocabulary.flush(&self.store.connection)?;
        self.numbers.next_term = u64::from(self.vocabulary.next());
        self.numbers.write(self.store)?;
        self.store.connection.execute_batch("COMMIT")?;
        self.is_committed = true;
        Ok(())
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        if !self.is_committed {
            // If this fails, the database rolls back when it is closed.
            let _ = self.store.connection.execute_batch("ROLLBACK");
        }
    }
}

/// Returns the form in which posting lists contain a word of a file name. It begins with a
/// character that does not begin any word of a text.
pub fn name_term(stem: &str) -> String {
    format!("§{stem}")
}

/// Separates the names in a trail.
pub const BETWEEN: &str = "\u{1f}";
/// Represents the title of the document in a trail.
const TITLE: &str = "\u{1e}";
/// Ends the name of a section without text that is searched with the first section within it.
const ABOVE: char = '\u{1d}';

/// Encodes the names of the sections that contain a chunk.
fn encode_trail(names: &[String], above: usize, title: &str) -> String {
    let last = names.len().saturating_sub(1);
    let name = |(at, name): (usize, &String)| {
        let mut name = if name == title { TITLE.to_owned() } else { name.clone() };
        name.extend((last - above..last).contains(&at).then_some(ABOVE));
        name
    };
    names.iter().enumerate().map(name).collect::<Vec<_>>().join(BETWEEN)
}

/// Decodes the names of the sections that contain a chunk. The last one is the name of the chunk's
/// own section.
pub fn decode_names(trail: &str, title: &str) -> Vec<String> {
    let names = trail.split(BETWEEN).map(|name| name.trim_end_matches(ABOVE));
    let names = names.filter(|name| !name.is_empty());
    names.map(|name| if name == TITLE { title } else { name }.to_owned()).collect()
}

/// Returns the headings that are searched with a chunk: the last name of its trail, and those of
/// the sections without text before it.
pub fn searched_headings(trail: &str, title: &str) -> Vec<String> {
    let count = trail.rsplit(BETWEEN).skip(1).take_while(|name| name.ends_with(ABOVE)).count();
    let mut names = decode_names(trail, title);
    names.split_off(names.len().saturating_sub(count + 1))
}

/// Returns the names of a trail as an index returns them.
pub fn displayed_names(trail_names: &[String], title: &str) -> Vec<String> {
    decode_names(&encode_trail(trail_names, 0, title), title)
}

/// Returns the weights of tokens in an index. Returns `None` if the index has no vectors yet.
pub fn weights(store: &Store) -> Outcome<Option<Weights>> {
    let bytes: Option<Vec<u8>> = store.fact("weights")?;
    bytes.map(|bytes| Weights::of_bytes(&bytes).ok_or(Failure::Damaged)).transpose()
}

/// Returns the different terms of a text, sorted.
pub fn distinct_terms(terms: &[u8]) -> Vec<u32> {
    let mut terms: Vec<u32> = varints::places(terms).map(|place| place.term).collect();
    terms.retain(|&term| term > 0);
    terms.sort_unstable();
    terms.dedup();
    terms
}
