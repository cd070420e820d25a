//! The queries that an index answers, on disk or in a database: frequencies of terms, candidates,
//! contents of sections.

use std::cmp::Ordering;

use super::analyser::Analyser;
use super::model::{Token, Weights, tokens};
use super::query::Query;
use super::store::{Failure, Outcome};
use super::varints;
use super::vectors::Probe;
use super::writer::distinct;

/// Totals of an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Number of sections.
    pub sections: u64,
    /// Number of terms in all sections.
    pub terms: u64,
    /// Number of terms in their documents' titles.
    pub title_terms: u64,
    /// The number after the last section's.
    pub end: u64,
}

/// Selects documents.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// All documents.
    All,
    /// The documents with these numbers.
    Numbered(&'a [u64]),
    /// The document at this path.
    At(&'a [u8]),
    /// A page of all documents, by path: the maximum number, and the number to skip.
    Page(u64, u64),
}

/// A term by which candidates are selected.
#[derive(Clone, Copy, Debug)]
pub struct CriteriaTerm<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its number.
    #[cfg_attr(not(feature = "postgres"), expect(dead_code, reason = "databases ask by it"))]
    pub number: u32,
    /// Its rarity, which it adds to a candidate's sum.
    pub rarity: f32,
}

/// The criteria for candidates.
#[derive(Default)]
pub struct Criteria<'a> {
    /// The terms.
    pub terms: Vec<CriteriaTerm<'a>>,
    /// Whether sections without any of the terms are candidates, because the query has no terms.
    pub all: bool,
    /// Words of a file name that make the first section of its document a candidate.
    pub name: Vec<&'a str>,
    /// The vector of the query, if candidates are selected by vector.
    pub probe: Option<Probe>,
    /// Whether each section satisfies the conditions; `None` without conditions.
    pub allowed: Option<Vec<bool>>,
    /// Maximum number of candidates by terms.
    pub by_terms: usize,
    /// Maximum number of candidates by vector.
    pub nearest: usize,
}

impl Criteria<'_> {
    /// Whether a section satisfies the conditions.
    pub fn allows(&self, section: u64) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.get(section as usize) == Some(&true))
    }
}

/// A section that may be part of the answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The index that contains it.
    pub shard: usize,
    /// Its number in the index.
    pub section: u64,
    /// The sum of the rarities of its terms.
    pub sum: f32,
    /// The cosine between the query and the section.
    pub cosine: f32,
}

impl Candidate {
    /// The order by terms, best first.
    pub fn by_terms(one: &Self, other: &Self) -> Ordering {
        other.sum.total_cmp(&one.sum).then(other.cosine.total_cmp(&one.cosine))
    }

    /// The order by vector, best first.
    pub fn by_cosine(one: &Self, other: &Self) -> Ordering {
        other.cosine.total_cmp(&one.cosine)
    }
}

/// The first `count` candidates in an order; equal ones are ordered by section. Keeps only
/// twice as many in memory.
pub fn first(
    all: impl Iterator<Item = Candidate>,
    count: usize,
    order: impl Fn(&Candidate, &Candidate) -> Ordering,
) -> Vec<Candidate> {
    let order = |one: &Candidate, other: &Candidate| {
        order(one, other).then_with(|| (one.shard, one.section).cmp(&(other.shard, other.section)))
    };
    let mut found: Vec<Candidate> = Vec::new();
    if count == 0 {
        return found;
    }
    for candidate in all {
        // After a selection, the element at `count - 1` is the last of the first ones.
        if found.len() >= 2 * count {
            found.select_nth_unstable_by(count - 1, order);
            found.truncate(count);
        }
        found.push(candidate);
    }
    found.sort_unstable_by(order);
    found.truncate(count);
    found
}

/// The candidates of a query.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// Candidates by terms.
    pub by_terms: Vec<Candidate>,
    /// Candidates by vector, nearest first.
    pub nearest: Vec<Candidate>,
    /// The first sections of documents whose file name contains the query.
    pub named: Vec<Candidate>,
    /// Whether any section contains a term, whether or not it satisfies the conditions.
    pub has_terms: bool,
}

/// The frequency of a term.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frequency {
    /// The number of the term, if it occurs.
    pub term: Option<u32>,
    /// Number of sections that contain it.
    pub sections: u64,
    /// Number of sections whose document's title contains it.
    pub titles: u64,
}

/// A section to score.
pub struct Section {
    /// Its document.
    pub document: u64,
    /// Number of its terms.
    pub length: u64,
    /// The terms of its title and text, encoded.
    pub terms: Vec<u8>,
    /// The set of its tokens, encoded.
    pub tokens: Vec<u8>,
    /// Its heading.
    pub heading: String,
}

/// Facts about a document.
#[derive(Clone, Debug)]
pub struct DocumentFacts {
    /// Its number.
    pub id: u64,
    /// Its path in the collection.
    pub path: Vec<u8>,
    /// Its title.
    pub title: String,
    /// The terms of its title, encoded.
    pub title_terms: Vec<u8>,
    /// Its length in characters.
    pub characters: u64,
    /// Its first section.
    pub first: u64,
    /// Number of its sections.
    pub count: u64,
    /// The label of its encoding, unless that is UTF-8.
    pub encoding: Option<String>,
}

/// The location of a section.
#[derive(Clone, Debug)]
pub struct Location {
    /// Its document.
    pub document: u64,
    /// Its first and last line.
    pub lines: (u64, u64),
    /// Its offset and size in the file, in bytes.
    pub start: u64,
    pub size: u64,
    /// The names of the sections that contain it, outermost first.
    pub trail: Vec<String>,
    /// The first 8 bytes of the SHA-256 of its bytes.
    pub checksum: Vec<u8>,
}

/// An index that can be queried.
pub trait Shard {
    /// Its totals.
    fn totals(&self) -> Totals;

    /// The frequencies of terms, in order.
    fn frequencies(&self, terms: &[&str]) -> Outcome<Vec<Frequency>>;

    /// The frequency of a term.
    fn frequency(&self, term: &str) -> Outcome<Frequency> {
        Ok(self.frequencies(&[term])?.pop().unwrap_or_default())
    }

    /// Calls `each` with the sections that contain all of the terms.
    fn postings(&self, terms: &[&str], each: &mut dyn FnMut(u64)) -> Outcome<()>;

    /// The weights of tokens, if the index has vectors.
    fn weights(&self) -> Option<&Weights>;

    /// The vector of a text.
    fn probe(&self, text: &str) -> Probe {
        let mut found = Vec::new();
        tokens(text, &mut found);
        let vector = match self.weights() {
            Some(weights) => weights.embed(&found),
            None => Weights::default().embed(&found),
        };
        Probe::new(&vector)
    }

    /// The rarity of a token, if the index has vectors.
    fn token_rarity(&self, token: Token) -> Option<f32> {
        self.weights().map(|weights| weights.of(token).powi(2))
    }

    /// The candidates of several queries.
    fn candidates(&self, criteria: &[Criteria<'_>]) -> Outcome<Vec<Candidates>>;

    /// The rows of consecutive sections.
    fn rows(&self, first: u64, count: u64) -> Outcome<Vec<u8>>;

    /// Sections to score, in the given order.
    fn sections(&self, ids: &[u64]) -> Outcome<Vec<Section>>;

    /// The location of a section.
    fn location(&self, id: u64) -> Outcome<Location>;

    /// Selected documents.
    fn documents(&self, which: Which<'_>) -> Outcome<Vec<DocumentFacts>>;

    /// The documents of sections, in the given order.
    fn documents_of(&self, sections: &[u64]) -> Outcome<Vec<u64>>;

    /// The path of a section's document.
    fn path(&self, section: u64) -> Outcome<Vec<u8>> {
        let document = self.documents_of(&[section])?;
        let document = self.documents(Which::Numbered(&document))?.pop();
        Ok(document.ok_or(Failure::Damaged)?.path)
    }

    /// Calls `each` with all sections and the names of the sections that contain them.
    fn trails(&self, each: &mut dyn FnMut(u64, &[String])) -> Outcome<()>;

    /// Calls `each` with all terms that begin with a letter, and their forms, separated by
    /// spaces.
    fn words(&self, initial: &str, each: &mut dyn FnMut(&str, &str)) -> Outcome<()>;
}

/// Whether each section satisfies the conditions of a query; `None` without conditions.
pub fn allowed(
    shard: &dyn Shard,
    query: &Query,
    analyser: &Analyser,
) -> Outcome<Option<Vec<bool>>> {
    let has_none = query.phrases.is_empty()
        && query.excluded.is_empty()
        && query.titles.is_empty()
        && query.paths.is_empty()
        && query.inside.is_none();
    if has_none {
        return Ok(None);
    }
    let mut allowed = vec![true; shard.totals().end as usize];
    for phrase in &query.phrases {
        let holds = with_phrase(shard, phrase, analyser)?;
        allowed.iter_mut().zip(holds).for_each(|(allowed, holds)| *allowed &= holds);
    }
    for phrase in &query.excluded {
        let holds = with_phrase(shard, phrase, analyser)?;
        allowed.iter_mut().zip(holds).for_each(|(allowed, holds)| *allowed &= !holds);
    }
    if let Some(name) = &query.inside {
        allow_inside(shard, name, &mut allowed)?;
    }
    if !query.titles.is_empty() || !query.paths.is_empty() {
        allow_documents(shard, query, analyser, &mut allowed)?;
    }
    Ok(Some(allowed))
}

/// Excludes sections outside the section of a name, ignoring case.
fn allow_inside(shard: &dyn Shard, name: &str, allowed: &mut [bool]) -> Outcome<()> {
    let name = name.trim_start_matches('#').trim().to_lowercase();
    shard.trails(&mut |id, trail| {
        if let Some(slot) = allowed.get_mut(id as usize) {
            *slot &= trail.iter().any(|own| own.to_lowercase() == name);
        }
    })
}

fn allow_documents(
    shard: &dyn Shard,
    query: &Query,
    analyser: &Analyser,
    allowed: &mut [bool],
) -> Outcome<()> {
    let mut titles = Vec::new();
    for word in &query.titles {
        titles.push(shard.frequency(&analyser.stem(word))?.term);
    }
    let mut found = vec![false; allowed.len()];
    for document in shard.documents(Which::All)? {
        let own = distinct(&document.title_terms);
        let has = |term: &Option<u32>| term.is_some_and(|term| own.contains(&term));
        let path = String::from_utf8_lossy(&document.path);
        let is_there =
            query.paths.is_empty() || query.paths.iter().any(|glob| glob.is_match(path.as_ref()));
        let end = (document.first + document.count).min(allowed.len() as u64) as usize;
        let part = found.get_mut(document.first as usize..end);
        if let Some(part) = part.filter(|_| is_there && titles.iter().all(has)) {
            part.fill(true);
        }
    }
    allowed.iter_mut().zip(found).for_each(|(allowed, found)| *allowed &= found);
    Ok(())
}

/// Whether each section contains a phrase.
fn with_phrase(shard: &dyn Shard, phrase: &[String], analyser: &Analyser) -> Outcome<Vec<bool>> {
    let mut found = vec![false; shard.totals().end as usize];
    let stems: Vec<String> = phrase.iter().map(|word| analyser.stem(word).into_owned()).collect();
    let mut numbers = Vec::new();
    for stem in &stems {
        match shard.frequency(stem)?.term {
            Some(number) => numbers.push(number),
            None => return Ok(found),
        }
    }
    let names: Vec<&str> = stems.iter().map(String::as_str).collect();
    let mut ids = Vec::new();
    shard.postings(&names, &mut |id| ids.push(id))?;
    let is_alone = numbers.len() < 2;
    for part in ids.chunks(1000) {
        if is_alone {
            part.iter().for_each(|&id| found[id as usize] = true);
            continue;
        }
        for (&id, section) in part.iter().zip(shard.sections(part)?) {
            found[id as usize] = contains_phrase(&section.terms, &numbers);
        }
    }
    Ok(found)
}

fn contains_phrase(terms: &[u8], phrase: &[u32]) -> bool {
    let terms: Vec<u32> =
        varints::places(terms).filter(|place| !place.is_whole).map(|place| place.term).collect();
    terms.windows(phrase.len()).any(|window| window == phrase)
}
