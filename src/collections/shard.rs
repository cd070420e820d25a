//! One index as a question sees it: how often terms occur, which sections hold
//! them, how near each section is.

use rusqlite::{OptionalExtension, Row, Statement};

use super::model::{Token, Weights, tokens};
use super::query::Query;
use super::store::{Failure, Outcome, Store};
use super::varints;
use super::vectors::{self, Probe, Run, VectorFile};
use super::writer::{BETWEEN, weights};

/// An index that is read.
pub struct Shard<'a> {
    store: &'a Store,
    /// How many sections there are.
    pub sections: u64,
    /// All their terms together.
    pub terms: u64,
    /// Those of their titles.
    pub title_terms: u64,
    /// One more than the greatest section.
    pub end: u64,
    runs: Vec<Run>,
    weights: Option<Weights>,
    vectors: Option<VectorFile>,
}

/// In how much of an index a term occurs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frequency {
    /// Its number, where it occurs.
    pub term: Option<u32>,
    /// Sections that hold it.
    pub sections: u64,
    /// Sections whose documents have it in their titles.
    pub titles: u64,
}

/// A section as it is judged.
pub struct Section {
    /// Its document.
    pub document: u64,
    /// How many terms it has.
    pub length: u64,
    /// They, in order.
    pub terms: Vec<u8>,
    /// Its tokens as a set.
    pub tokens: Vec<u8>,
}

/// A document as it is judged and shown.
#[derive(Clone, Debug)]
pub struct DocumentFacts {
    /// Its path below the directory.
    pub path: Vec<u8>,
    /// Its title.
    pub title: String,
    /// The terms of its title.
    pub title_terms: Vec<u8>,
    /// Its first section.
    pub first: u64,
    /// How many it has.
    pub count: u64,
    /// The label of its encoding, where that is not UTF-8.
    pub encoding: Option<String>,
}

/// Where a section stands.
#[derive(Clone, Debug)]
pub struct Location {
    /// Its document.
    pub document: u64,
    /// Its first and last line.
    pub lines: (u64, u64),
    /// Where its bytes begin in the file, and how many there are.
    pub start: u64,
    pub size: u64,
    /// The names of the sections that hold it, its own last.
    pub trail: Vec<String>,
    /// The beginning of the SHA-256 of its bytes.
    pub checksum: Vec<u8>,
}

impl<'a> Shard<'a> {
    /// An index as it is now: what is written meanwhile is not seen.
    pub fn new(store: &'a Store) -> Outcome<Self> {
        store.connection.execute_batch("BEGIN")?;
        Ok(Self {
            sections: store.number("sections")?,
            terms: store.number("terms")?,
            title_terms: store.number("title_terms")?,
            end: store.number("next_section")?,
            runs: Vec::new(),
            weights: None,
            vectors: None,
            store,
        })
    }

    /// Opens its vectors; `false` where it has none yet.
    pub fn open_vectors(&mut self) -> Outcome<bool> {
        self.runs = vectors::runs(&self.store.connection)?;
        self.weights = weights(self.store)?;
        if self.weights.is_some() && !self.runs.is_empty() {
            self.vectors =
                Some(VectorFile::open(&self.store.file, self.store.number("generation")?)?);
        }
        Ok(self.weights.is_some())
    }

    /// How often a term occurs.
    pub fn frequency(&self, term: &str) -> Outcome<Frequency> {
        let sql = "SELECT id, sections, titles FROM terms LEFT JOIN counts ON counts.term = id \
                   WHERE terms.term = ?1";
        let found = self.store.connection.query_row(sql, [term], |row| {
            Ok(Frequency {
                term: row.get(0)?,
                sections: row.get::<_, Option<u64>>(1)?.unwrap_or(0),
                titles: row.get::<_, Option<u64>>(2)?.unwrap_or(0),
            })
        });
        Ok(found.optional()?.unwrap_or_default())
    }

    /// Calls `each` with the sections that hold terms, all of them.
    pub fn postings(&self, terms: &[&str], mut each: impl FnMut(usize)) -> Outcome<()> {
        let quoted: Vec<String> = terms.iter().map(|term| format!("\"{term}\"")).collect();
        let sql = "SELECT rowid FROM postings WHERE postings MATCH ?1";
        let mut statement = self.store.connection.prepare(sql)?;
        let mut rows = statement.query([quoted.join(" AND ")])?;
        while let Some(row) = rows.next()? {
            let id: u64 = row.get(0)?;
            if id < self.end {
                each(id as usize);
            }
        }
        Ok(())
    }

    /// The cosines of all sections to queries, by section; -1 where there is
    /// none.
    pub fn cosines(&self, probes: &[Probe]) -> Outcome<Vec<Vec<f32>>> {
        let mut found = vec![vec![-1.0; self.end as usize]; probes.len()];
        let Some(file) = &self.vectors else { return Ok(found) };
        file.scan(&self.runs, |first, rows| {
            for (at, row) in rows.chunks_exact(super::model::DIMENSIONS).enumerate() {
                for (probe, found) in probes.iter().zip(&mut found) {
                    if let Some(slot) = found.get_mut(first as usize + at) {
                        *slot = probe.cosine(row);
                    }
                }
            }
        })?;
        Ok(found)
    }

    /// What a text is compared with; nothing where it has no tokens.
    pub fn probe(&self, text: &str) -> Probe {
        let mut found = Vec::new();
        tokens(text, &mut found);
        Probe::new(&self.weights.clone().unwrap_or_default().embed(&found))
    }

    /// How rare a token is; nothing where that is not known yet.
    pub fn token_rarity(&self, token: Token) -> Option<f32> {
        self.weights.as_ref().map(|weights| weights.of(token).powi(2))
    }

    /// The rows of sections that follow one another.
    pub fn rows(&self, first: u64, count: u64) -> Outcome<Vec<u8>> {
        let mut found = Vec::new();
        let Some(file) = &self.vectors else { return Ok(found) };
        let parts: Vec<Run> = self
            .runs
            .iter()
            .filter_map(|run| {
                let start = run.first.max(first);
                let end = (run.first + run.count).min(first + count);
                let place = run.place + (start - run.first);
                (start < end).then(|| Run { first: start, place, count: end - start })
            })
            .collect();
        file.scan(&parts, |_, rows| found.extend_from_slice(rows))?;
        Ok(found)
    }

    /// Sections to be judged, in the order of their numbers as given.
    pub fn sections(&self, ids: &[u64]) -> Outcome<Vec<Section>> {
        let sql = "SELECT document, length, terms, tokens FROM sections WHERE id = ?1";
        let mut statement = self.store.connection.prepare(sql)?;
        let section = |id: &u64| {
            statement.query_row([id], |row| {
                Ok(Section {
                    document: row.get(0)?,
                    length: row.get(1)?,
                    terms: row.get(2)?,
                    tokens: row.get(3)?,
                })
            })
        };
        Ok(ids.iter().map(section).collect::<Result<_, _>>()?)
    }

    /// A section, to be shown.
    pub fn location(&self, id: u64) -> Outcome<Location> {
        let sql = "SELECT document, first_line, last_line, start, size, trail, checksum \
                   FROM sections WHERE id = ?1";
        Ok(self.store.connection.query_row(sql, [id], |row| {
            let trail: String = row.get(5)?;
            let names = trail.split(BETWEEN).filter(|name| !name.is_empty());
            Ok(Location {
                document: row.get(0)?,
                lines: (row.get(1)?, row.get(2)?),
                start: row.get(3)?,
                size: row.get(4)?,
                trail: names.map(str::to_owned).collect(),
                checksum: row.get(6)?,
            })
        })?)
    }

    /// A document.
    pub fn document(&self, id: u64) -> Outcome<DocumentFacts> {
        self.documents("id = ?1", [id])?.pop().ok_or(Failure::Damaged)
    }

    /// A document by its path; `None` where there is no such.
    pub fn document_at(&self, path: &[u8]) -> Outcome<Option<DocumentFacts>> {
        Ok(self.documents("path = ?1 AND kind = 0", [path])?.pop())
    }

    /// Documents that satisfy a condition of SQL.
    pub fn documents(
        &self,
        condition: &str,
        values: impl rusqlite::Params,
    ) -> Outcome<Vec<DocumentFacts>> {
        let mut statement = self.prepare_documents(condition)?;
        let rows = statement.query_map(values, facts)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Documents by their numbers, in the order of these.
    pub fn numbered(&self, ids: &[u64]) -> Outcome<Vec<DocumentFacts>> {
        let mut statement = self.prepare_documents("id = ?1")?;
        let found = ids.iter().map(|id| statement.query_row([id], facts));
        Ok(found.collect::<Result<_, _>>()?)
    }

    fn prepare_documents(&self, condition: &str) -> Outcome<Statement<'_>> {
        let sql = format!(
            "SELECT path, title, title_terms, first, count, encoding FROM documents \
             WHERE {condition}"
        );
        Ok(self.store.connection.prepare(&sql)?)
    }

    /// Which sections satisfy the conditions of a query; `None` where it has
    /// none. `stem` makes terms of words.
    pub fn allowed(
        &self,
        query: &Query,
        stem: &dyn Fn(&str) -> String,
    ) -> Outcome<Option<Vec<bool>>> {
        let has_none = query.phrases.is_empty()
            && query.excluded.is_empty()
            && query.titles.is_empty()
            && query.paths.is_empty()
            && query.inside.is_none();
        if has_none {
            return Ok(None);
        }
        let mut allowed = vec![true; self.end as usize];
        for phrase in &query.phrases {
            let holds = self.holding(phrase, stem)?;
            allowed.iter_mut().zip(holds).for_each(|(allowed, holds)| *allowed &= holds);
        }
        for phrase in &query.excluded {
            let holds = self.holding(phrase, stem)?;
            allowed.iter_mut().zip(holds).for_each(|(allowed, holds)| *allowed &= !holds);
        }
        if let Some(name) = &query.inside {
            self.allow_inside(name, &mut allowed)?;
        }
        if !query.titles.is_empty() || !query.paths.is_empty() {
            self.allow_documents(query, stem, &mut allowed)?;
        }
        Ok(Some(allowed))
    }

    /// Leaves out what no section of a name holds: the whole name, in any case.
    fn allow_inside(&self, name: &str, allowed: &mut [bool]) -> Outcome<()> {
        let name = name.trim_start_matches('#').trim().to_lowercase();
        let mut statement = self.store.connection.prepare("SELECT id, trail FROM sections")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (id, trail): (u64, String) = (row.get(0)?, row.get(1)?);
            if let Some(slot) = allowed.get_mut(id as usize) {
                *slot &= trail.split(BETWEEN).any(|own| own.to_lowercase() == name);
            }
        }
        Ok(())
    }

    fn allow_documents(
        &self,
        query: &Query,
        stem: &dyn Fn(&str) -> String,
        allowed: &mut [bool],
    ) -> Outcome<()> {
        let mut titles = Vec::new();
        for word in &query.titles {
            titles.push(self.frequency(&stem(word))?.term);
        }
        let mut found = vec![false; self.end as usize];
        for document in self.documents("kind = 0", [])? {
            let own = super::writer::distinct(&document.title_terms);
            let has = |term: &Option<u32>| term.is_some_and(|term| own.contains(&term));
            let path = String::from_utf8_lossy(&document.path);
            let is_there = query.paths.is_empty()
                || query.paths.iter().any(|glob| glob.is_match(path.as_ref()));
            let end = (document.first + document.count).min(self.end) as usize;
            let part = found.get_mut(document.first as usize..end);
            if let Some(part) = part.filter(|_| is_there && titles.iter().all(has)) {
                part.fill(true);
            }
        }
        allowed.iter_mut().zip(found).for_each(|(allowed, found)| *allowed &= found);
        Ok(())
    }

    /// Which sections hold words one behind the other.
    fn holding(&self, phrase: &[String], stem: &dyn Fn(&str) -> String) -> Outcome<Vec<bool>> {
        let mut found = vec![false; self.end as usize];
        let stems: Vec<String> = phrase.iter().map(|word| stem(word)).collect();
        let mut numbers = Vec::new();
        for stem in &stems {
            match self.frequency(stem)?.term {
                Some(number) => numbers.push(number),
                None => return Ok(found),
            }
        }
        let names: Vec<&str> = stems.iter().map(String::as_str).collect();
        let mut ids = Vec::new();
        self.postings(&names, |id| ids.push(id))?;
        let sql = "SELECT terms FROM sections WHERE id = ?1";
        let mut statement = self.store.connection.prepare(sql)?;
        for id in ids {
            let is_phrase = numbers.len() < 2 || {
                let terms: Vec<u8> = statement.query_row([id as u64], |row| row.get(0))?;
                holds_phrase(&terms, &numbers)
            };
            found[id] = is_phrase;
        }
        Ok(found)
    }

    /// Calls `each` with the words of all terms.
    pub fn words(&self, mut each: impl FnMut(&str)) -> Outcome<()> {
        let sql = "SELECT coalesce(word, terms.term) FROM terms JOIN counts ON counts.term = id \
                   WHERE sections > 0";
        let mut statement = self.store.connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let word: String = row.get(0)?;
            each(&word);
        }
        Ok(())
    }
}

impl Drop for Shard<'_> {
    fn drop(&mut self) {
        // Nothing was written.
        let _ = self.store.connection.execute_batch("ROLLBACK");
    }
}

fn facts(row: &Row<'_>) -> rusqlite::Result<DocumentFacts> {
    Ok(DocumentFacts {
        path: row.get(0)?,
        title: row.get::<_, Option<String>>(1)?.unwrap_or_default(),
        title_terms: row.get::<_, Option<Vec<u8>>>(2)?.unwrap_or_default(),
        first: row.get(3)?,
        count: row.get(4)?,
        encoding: row.get(5)?,
    })
}

fn holds_phrase(terms: &[u8], phrase: &[u32]) -> bool {
    let terms: Vec<u32> =
        varints::places(terms).filter(|place| !place.is_whole).map(|place| place.term).collect();
    terms.windows(phrase.len()).any(|window| window == phrase)
}
