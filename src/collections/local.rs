//! An index on this machine's disk as a question sees it.

use std::ops::Range;

use rusqlite::{OptionalExtension, Row};

use super::model::{DIMENSIONS, Weights};
use super::shard::{
    Candidate, Candidates, DocumentFacts, Frequency, Location, Section, Shard, Totals, Wanted,
    Which, first,
};
use super::store::{Failure, Outcome, Store};
use super::vectors::{self, Probe, Run, VectorFile};
use super::writer::{BETWEEN, in_name, weights};

/// How far the numbers of sections may go in an index of few sections.
const MAX_UNUSED: u64 = 1 << 24;

/// An index that is read: a database, and a file of vectors beside it.
pub struct LocalShard<'a> {
    store: &'a Store,
    totals: Totals,
    runs: Vec<Run>,
    weights: Option<Weights>,
    vectors: Option<VectorFile>,
}

impl<'a> LocalShard<'a> {
    /// An index as it is now: what is written meanwhile is not seen.
    pub fn new(store: &'a Store) -> Outcome<Self> {
        store.connection.execute_batch("BEGIN")?;
        let totals = Totals {
            sections: store.number("sections")?,
            terms: store.number("terms")?,
            title_terms: store.number("title_terms")?,
            end: store.number("next_section")?,
        };
        // Arrays are as long as the numbers of sections go.
        if totals.end > MAX_UNUSED.max(totals.sections.saturating_mul(64)) {
            return Err(Failure::Damaged);
        }
        Ok(Self { totals, runs: Vec::new(), weights: None, vectors: None, store })
    }

    /// Opens its vectors, where it has any yet.
    pub fn open_vectors(&mut self) -> Outcome<()> {
        self.runs = vectors::runs(&self.store.connection)?;
        self.weights = weights(self.store)?;
        if self.weights.is_some() && !self.runs.is_empty() {
            self.vectors =
                Some(VectorFile::open(&self.store.file, self.store.number("generation")?)?);
        }
        Ok(())
    }

    /// The cosines of all sections to queries, by section; -1 where there is
    /// none.
    fn cosines(&self, probes: &[&Probe]) -> Outcome<Vec<Vec<f32>>> {
        let mut found = vec![vec![-1.0; self.totals.end as usize]; probes.len()];
        let Some(file) = &self.vectors else { return Ok(found) };
        file.scan(&self.runs, |first, rows| {
            for (at, row) in rows.chunks_exact(DIMENSIONS).enumerate() {
                for (probe, found) in probes.iter().zip(&mut found) {
                    if let Some(slot) = found.get_mut(first as usize + at) {
                        *slot = probe.cosine(row);
                    }
                }
            }
        })?;
        Ok(found)
    }

    /// Candidates of one question; `cosines` is empty where there is no vector.
    fn candidates_of(&self, wanted: &Wanted<'_>, cosines: &[f32]) -> Outcome<Candidates> {
        let mut sums = vec![0.0_f32; self.totals.end as usize];
        for term in &wanted.terms {
            self.postings(&[term.name], &mut |id| sums[id as usize] += term.rarity)?;
        }
        let has_terms = sums.iter().any(|&sum| sum > 0.0);
        let (mut by_terms, mut nearest) = (Vec::new(), Vec::new());
        for (section, &sum) in sums.iter().enumerate().filter(|(at, _)| wanted.allows(*at)) {
            let cosine = cosines.get(section).copied();
            let candidate =
                Candidate { shard: 0, section: section as u64, sum, cosine: cosine.unwrap_or(0.0) };
            if wanted.by_terms > 0 && (sum > 0.0 || wanted.all) {
                by_terms.push(candidate);
            }
            if cosine.is_some_and(|cosine| cosine > -1.0) {
                nearest.push(candidate);
            }
        }
        let mut named = Vec::new();
        if !wanted.name.is_empty() {
            let names: Vec<String> = wanted.name.iter().map(|word| in_name(word)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            self.postings(&names, &mut |section| {
                let (sum, cosine) = (sums[section as usize], cosines.get(section as usize));
                let cosine = cosine.copied().unwrap_or(0.0);
                if wanted.allows(section as usize) {
                    named.push(Candidate { shard: 0, section, sum, cosine });
                }
            })?;
        }
        Ok(Candidates {
            named: first(named, wanted.nearest, Candidate::by_terms),
            by_terms: first(by_terms, wanted.by_terms, Candidate::by_terms),
            nearest: first(nearest, wanted.nearest, Candidate::by_cosine),
            has_terms,
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
        })
    }
}

impl Shard for LocalShard<'_> {
    fn totals(&self) -> Totals {
        self.totals
    }

    fn frequencies(&self, terms: &[&str]) -> Outcome<Vec<Frequency>> {
        let sql = "SELECT id, sections, titles FROM terms LEFT JOIN counts ON counts.term = id \
                   WHERE terms.term = ?1";
        let mut statement = self.store.connection.prepare(sql)?;
        let mut frequency = |term: &&str| -> Outcome<Frequency> {
            let found = statement.query_row([term], |row| {
                Ok(Frequency {
                    term: row.get(0)?,
                    sections: row.get::<_, Option<u64>>(1)?.unwrap_or(0),
                    titles: row.get::<_, Option<u64>>(2)?.unwrap_or(0),
                })
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

    fn candidates(&self, wanted: &[Wanted<'_>]) -> Outcome<Vec<Candidates>> {
        let probes: Vec<&Probe> = wanted.iter().filter_map(|own| own.probe.as_ref()).collect();
        let mut cosines = self.cosines(&probes)?.into_iter();
        let mut found = Vec::new();
        for wanted in wanted {
            let own = wanted.probe.as_ref().and_then(|_| cosines.next()).unwrap_or_default();
            found.push(self.candidates_of(wanted, &own)?);
        }
        Ok(found)
    }

    fn nearest(
        &self,
        probe: &Probe,
        left_out: &Range<u64>,
        count: usize,
    ) -> Outcome<Vec<Candidate>> {
        let cosines = self.cosines(&[probe])?.pop().unwrap_or_default();
        let all = (0..).zip(cosines);
        let wanted = all.filter(|(section, cosine)| *cosine > -1.0 && !left_out.contains(section));
        let found =
            wanted.map(|(section, cosine)| Candidate { shard: 0, section, sum: 0.0, cosine });
        Ok(first(found.collect(), count, Candidate::by_cosine))
    }

    fn rows(&self, first: u64, count: u64) -> Outcome<Vec<u8>> {
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

    fn sections(&self, ids: &[u64]) -> Outcome<Vec<Section>> {
        let sql = "SELECT document, length, terms, tokens, trail FROM sections WHERE id = ?1";
        let mut statement = self.store.connection.prepare(sql)?;
        let mut section = |id: &u64| {
            statement.query_row([id], |row| {
                Ok(Section {
                    document: row.get(0)?,
                    length: row.get(1)?,
                    terms: row.get(2)?,
                    tokens: row.get(3)?,
                    heading: last(row.get_ref(4)?.as_str()?).to_owned(),
                })
            })
        };
        Ok(ids.iter().map(&mut section).collect::<Result<_, _>>()?)
    }

    fn location(&self, id: u64) -> Outcome<Location> {
        let sql = "SELECT document, first_line, last_line, start, size, trail, checksum \
                   FROM sections WHERE id = ?1";
        Ok(self.store.connection.query_row(sql, [id], |row| {
            let trail: String = row.get(5)?;
            Ok(Location {
                document: row.get(0)?,
                lines: (row.get(1)?, row.get(2)?),
                start: row.get(3)?,
                size: row.get(4)?,
                trail: names(&trail),
                checksum: row.get(6)?,
            })
        })?)
    }

    fn documents(&self, which: Which<'_>) -> Outcome<Vec<DocumentFacts>> {
        let condition = match which {
            Which::All => "kind = 0 AND ?1 IS NULL",
            Which::Numbered(_) => "id = ?1",
            Which::At(_) => "path = ?1 AND kind = 0",
        };
        let sql = format!(
            "SELECT id, path, title, title_terms, first, count, encoding FROM documents \
             WHERE {condition}"
        );
        let mut statement = self.store.connection.prepare(&sql)?;
        let mut found = Vec::new();
        match which {
            Which::All => {
                let rows = statement.query_map([rusqlite::types::Null], Self::document)?;
                found = rows.collect::<Result<_, _>>()?;
            }
            Which::At(path) => {
                let rows = statement.query_map([path], Self::document)?;
                found = rows.collect::<Result<_, _>>()?;
            }
            Which::Numbered(ids) => {
                for id in ids {
                    found.push(statement.query_row([id], Self::document)?);
                }
            }
        }
        Ok(found)
    }

    fn trails(&self, each: &mut dyn FnMut(u64, &str)) -> Outcome<()> {
        let mut statement = self.store.connection.prepare("SELECT id, trail FROM sections")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let trail: String = row.get(1)?;
            each(row.get(0)?, &trail);
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

/// The last name of a trail.
pub(super) fn last(trail: &str) -> &str {
    trail.rsplit(BETWEEN).next().unwrap_or_default()
}

/// The names in a trail.
pub(super) fn names(trail: &str) -> Vec<String> {
    trail.split(BETWEEN).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

impl Drop for LocalShard<'_> {
    fn drop(&mut self) {
        // Nothing was written.
        let _ = self.store.connection.execute_batch("ROLLBACK");
    }
}
