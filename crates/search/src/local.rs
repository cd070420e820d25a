//! Queries on an index on the local disk.

use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Row, params_from_iter};

use super::model::Weights;
use super::shard::{
    Candidate, Candidates, Criteria, DocumentFacts, Frequency, Location, Section, Shard, Totals,
    Which, first_in_order,
};
use super::store::{Failure, Outcome, Store};
use super::varints::with_title;
use super::vectors::{self, Probe, ROW};
use super::writer::{decode_names, name_term, searched_headings, weights};

/// Maximum number of a section. If an index with few sections contains greater numbers, it is
/// damaged.
const MAX_UNUSED: u64 = 1 << 24;
/// Minimum size in bytes of a section in an index: its row, with a checksum and its terms.
const MIN_SECTION_SIZE: u64 = 16;

/// The factor by which a cosine is multiplied to fit into 16 bits.
const COSINE_SCALE: f32 = 32767.0;

/// The cosine between a probe and each section, by section. A cosine takes only two bytes, because
/// a batch of queries keeps the cosines of every section of a large index in memory.
#[derive(Clone, Default)]
struct Cosines(Vec<i16>);

impl Cosines {
    /// Returns the cosine of a section, if the section has a vector.
    fn get(&self, section: u64) -> Option<f32> {
        let value = self.0.get(section as usize).filter(|value| **value != i16::MIN);
        value.map(|&value| f32::from(value) / COSINE_SCALE)
    }
}

/// An index opened for reading.
pub struct LocalShard<'a> {
    store: &'a Store,
    totals: Totals,
    weights: Option<Weights>,
}

impl<'a> LocalShard<'a> {
    /// Opens a snapshot of an index. Later changes are not visible in it.
    pub fn new(store: &'a Store) -> Outcome<Self> {
        store.connection.execute_batch("BEGIN")?;
        let totals = Totals {
            sections: store.number("sections")?,
            terms: store.number("terms")?,
            title_terms: store.number("title_terms")?,
            end: store.number("next_section")?,
        };
        // Arrays have an element for each number up to the greatest number.
        let size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
        let size: u64 = store.connection.query_row(size, [], |row| row.get(0))?;
        let is_possible = totals.sections <= size / MIN_SECTION_SIZE
            && totals.end <= MAX_UNUSED.max(totals.sections.saturating_mul(64));
        if !is_possible {
            return Err(Failure::Damaged);
        }
        Ok(Self { totals, weights: None, store })
    }

    /// Reads the weights of vectors, if the index already has weights.
    pub fn open_vectors(&mut self) -> Outcome<()> {
        self.weights = weights(self.store)?;
        Ok(())
    }

    /// Computes the cosines of all sections to each probe.
    fn cosines(&self, probes: &[&Probe]) -> Outcome<Vec<Cosines>> {
        let end = self.totals.end;
        let mut found = vec![Cosines(vec![i16::MIN; end as usize]); probes.len()];
        if probes.is_empty() {
            return Ok(found);
        }
        vectors::scan(&self.store.connection, 0..end, |first, rows| {
            for (section, row) in (first as usize..).zip(rows.chunks_exact(ROW)) {
                for (probe, found) in probes.iter().zip(&mut found) {
                    if let Some(slot) = found.0.get_mut(section) {
                        *slot = (probe.cosine(row) * COSINE_SCALE) as i16;
                    }
                }
            }
        })?;
        Ok(found)
    }

    fn candidates_of(&self, criteria: &Criteria<'_>, cosines: &Cosines) -> Outcome<Candidates> {
        let mut sums = vec![0.0_f32; self.totals.end as usize];
        for term in &criteria.terms {
            self.postings(&[term.name], &mut |id| sums[id as usize] += term.rarity)?;
        }
        for (found, rarity) in &criteria.dotted {
            let found = sums.iter_mut().zip(*found).filter(|(_, found)| **found);
            found.for_each(|(sum, _)| *sum += rarity);
        }
        let candidate_of = |section: u64| {
            let (sum, cosine) = (sums[section as usize], cosines.get(section).unwrap_or(0.0));
            Candidate { shard: 0, section, sum, cosine }
        };
        let allowed = || (0..self.totals.end).filter(|&section| criteria.allows(section));
        let by_terms =
            allowed().map(candidate_of).filter(|candidate| candidate.sum > 0.0 || criteria.all);
        let nearest = allowed().filter(|&section| cosines.get(section).is_some()).map(candidate_of);
        let mut named = Vec::new();
        if !criteria.name.is_empty() {
            let names: Vec<String> = criteria.name.iter().map(|word| name_term(word)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            self.postings(&names, &mut |section| named.push(section))?;
        }
        let named = named.into_iter().filter(|&section| criteria.allows(section)).map(candidate_of);
        Ok(Candidates {
            named: first_in_order(named, criteria.nearest, Candidate::by_terms),
            by_terms: first_in_order(by_terms, criteria.by_terms, Candidate::by_terms),
            nearest: first_in_order(nearest, criteria.nearest, Candidate::by_cosine),
            has_terms: sums.iter().any(|&sum| sum > 0.0),
        })
    }

    fn document(row: &Row<'_>) -> rusqlite::Result<DocumentFacts> {
        Ok(DocumentFacts {
            id: row.get(0)?,
            path: row.get(1)?,
            title: row.get::<_, Option<String>>(2)?.unwrap_or_default(),
            title_terms: row.get::<_, Option<Vec<u8>>>(3)?.unwrap_or_default(),
            first: row.get(4)?,
            count: row.get(5)?,
            encoding: row.get(6)?,
            characters: row.get(7)?,
        })
    }
}

impl Shard for LocalShard<'_> {
    fn totals(&self) -> Totals {
        self.totals
    }

    fn frequencies(&self, terms: &[&str]) -> Outcome<Vec<Frequency>> {
        // A term without a row in `counts` occurs in one section.
        let sql = "SELECT id, ifnull(sections, 1), ifnull(titles, 0) \
                   FROM terms LEFT JOIN counts ON counts.term = id WHERE terms.term = ?1";
        let mut statement = self.store.connection.prepare(sql)?;
        let mut frequency = |term: &&str| -> Outcome<Frequency> {
            let found = statement.query_row([term], |row| {
                Ok(Frequency { term: row.get(0)?, sections: row.get(1)?, titles: row.get(2)? })
            });
            Ok(found.optional()?.unwrap_or_default())
        };
        terms.iter().map(&mut frequency).collect()
    }

    fn documents_of(&self, sections: &[u64]) -> Outcome<Vec<u64>> {
        let sql = "SELECT document FROM sections WHERE id = ?1";
        let mut statement = self.store.connection.prepare(sql)?;
        let mut document = |id: &u64| statement.query_row([id], |row| row.get(0));
        Ok(sections.iter().map(&mut document).collect::<Result<_, _>>()?)
    }

    fn postings(&self, terms: &[&str], each: &mut dyn FnMut(u64)) -> Outcome<()> {
        let quoted: Vec<String> = terms.iter().map(|term| format!("\"{term}\"")).collect();
        let sql = "SELECT rowid FROM postings WHERE postings MATCH ?1";
        let mut statement = self.store.connection.prepare(sql)?;
        let mut rows = statement.query([quoted.join(" AND ")])?;
        while let Some(row) = rows.next()? {
            let id: u64 = row.get(0)?;
            if id < self.totals.end {
                each(id);
            }
        }
        Ok(())
    }

    fn weights(&self) -> Option<&Weights> {
        self.weights.as_ref()
    }

    fn candidates(&self, criteria: &[Criteria<'_>]) -> Outcome<Vec<Candidates>> {
        let probes: Vec<&Probe> =
            criteria.iter().filter_map(|query_criteria| query_criteria.probe.as_ref()).collect();
        let mut cosines = self.cosines(&probes)?.into_iter();
        let candidates = |criteria: &Criteria<'_>| {
            let query_cosines =
                criteria.probe.as_ref().and_then(|_| cosines.next()).unwrap_or_default();
            self.candidates_of(criteria, &query_cosines)
        };
        criteria.iter().map(candidates).collect()
    }

    fn rows(&self, first: u64, count: u64) -> Outcome<Vec<u8>> {
        vectors::rows(&self.store.connection, first..first.saturating_add(count))
    }

    fn sections(&self, ids: &[u64]) -> Outcome<Vec<Section>> {
        let sql = "SELECT document, length, terms, tokens, trail, title, title_terms \
                   FROM sections JOIN documents ON documents.id = document WHERE sections.id = ?1";
        let mut statement = self.store.connection.prepare(sql)?;
        let mut section = |id: &u64| {
            statement.query_row([id], |row| {
                let title: Option<&str> = row.get_ref(5)?.as_str_or_null()?;
                let title_terms = row.get_ref(6)?.as_blob_or_null()?.unwrap_or_default();
                Ok(Section {
                    document: row.get(0)?,
                    length: row.get(1)?,
                    terms: with_title(title_terms, row.get_ref(2)?.as_blob()?),
                    tokens: row.get(3)?,
                    headings: searched_headings(
                        row.get_ref(4)?.as_str()?,
                        title.unwrap_or_default(),
                    ),
                })
            })
        };
        Ok(ids.iter().map(&mut section).collect::<Result<_, _>>()?)
    }

    fn location(&self, id: u64) -> Outcome<Location> {
        let sql = "SELECT document, first_line, last_line, start, size, trail, checksum, title \
                   FROM sections JOIN documents ON documents.id = document WHERE sections.id = ?1";
        Ok(self.store.connection.query_row(sql, [id], |row| {
            let title = row.get_ref(7)?.as_str_or_null()?.unwrap_or_default();
            Ok(Location {
                document: row.get(0)?,
                lines: (row.get(1)?, row.get(2)?),
                start: row.get(3)?,
                size: row.get(4)?,
                trail: decode_names(row.get_ref(5)?.as_str()?, title),
                checksum: row.get(6)?,
            })
        })?)
    }

    fn documents(&self, which: Which<'_>) -> Outcome<Vec<DocumentFacts>> {
        let number = |value: u64| Value::Integer(i64::try_from(value).unwrap_or(i64::MAX));
        let (condition, keys) = match which {
            Which::All => ("kind = 0", vec![Vec::new()]),
            Which::At(path) => ("path = ?1 AND kind = 0", vec![vec![Value::Blob(path.to_vec())]]),
            Which::Numbered(ids) => ("id = ?1", ids.iter().map(|&id| vec![number(id)]).collect()),
            Which::Page(limit, offset) => (
                "kind = 0 ORDER BY path LIMIT ?1 OFFSET ?2",
                vec![vec![number(limit), number(offset)]],
            ),
        };
        let sql = format!(
            "SELECT id, path, title, title_terms, first, count, encoding, characters \
             FROM documents WHERE {condition}"
        );
        let mut statement = self.store.connection.prepare(&sql)?;
        let mut found = Vec::new();
        for key in keys {
            for row in statement.query_map(params_from_iter(key), Self::document)? {
                let facts = row?;
                let end = facts.first.checked_add(facts.count);
                if end.is_none_or(|end| end > self.totals.end) {
                    return Err(Failure::Damaged);
                }
                found.push(facts);
            }
        }
        match which {
            Which::Numbered(ids) if ids.len() != found.len() => Err(Failure::Damaged),
            _ => Ok(found),
        }
    }

    fn trails(&self, each: &mut dyn FnMut(u64, &[String])) -> Outcome<()> {
        let sql = "SELECT sections.id, trail, title \
                   FROM sections JOIN documents ON documents.id = document";
        let mut statement = self.store.connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (trail, title): (String, Option<String>) = (row.get(1)?, row.get(2)?);
            each(row.get(0)?, &decode_names(&trail, &title.unwrap_or_default()));
        }
        Ok(())
    }

    fn words(&self, initial: &str, each: &mut dyn FnMut(&str, &str)) -> Outcome<()> {
        let sql = "SELECT term, word FROM terms WHERE term >= ?1 AND term < ?1 || char(1114111)";
        let mut statement = self.store.connection.prepare(sql)?;
        let mut rows = statement.query([initial])?;
        while let Some(row) = rows.next()? {
            let text = |at| row.get_ref(at)?.as_str_or_null().map_err(|_| Failure::Damaged);
            let Some(term) = text(0)? else { return Err(Failure::Damaged) };
            each(term, text(1)?.unwrap_or(term));
        }
        Ok(())
    }
}

impl Drop for LocalShard<'_> {
    fn drop(&mut self) {
        // The transaction only read data, so errors can be ignored.
        let _ = self.store.connection.execute_batch("ROLLBACK");
    }
}
