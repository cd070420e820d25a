//! The queries that an index answers, whether it is on disk or in a database: frequencies of terms,
//! candidates, and contents of sections.

use std::cmp::Ordering;

use globset::GlobMatcher;

use super::analyser::Analyser;
use super::model::{Token, Weights, tokens};
use super::query::Query;
use super::store::{Failure, Outcome};
use super::varints;
use super::vectors::Probe;
use super::writer::distinct_terms;

/// Totals of an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Number of sections.
    pub sections: u64,
    /// Total number of terms in all sections.
    pub terms: u64,
    /// Total number of terms in the titles of the documents.
    pub title_terms: u64,
    /// The number of the last section plus one.
    pub end: u64,
}

/// A selection of documents.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// All documents.
    All,
    /// The documents with these numbers.
    Numbered(&'a [u64]),
    /// The document at this path.
    At(&'a [u8]),
    /// A page of all documents, ordered by path. The values are the maximum number of documents,
    /// and the number of documents to skip.
    Page(u64, u64),
}

/// A term by which candidates are selected.
#[derive(Clone, Copy, Debug)]
pub struct CriteriaTerm<'a> {
    /// The name of the term.
    pub name: &'a str,
    /// The number of the term. Only databases use it.
    pub number: u32,
    /// The rarity of the term. It is added to the sum of each candidate that contains the term.
    pub rarity: f32,
}

/// The criteria by which the candidates of a query are selected.
#[derive(Default)]
pub struct Criteria<'a> {
    /// The terms to look up.
    pub terms: Vec<CriteriaTerm<'a>>,
    /// For each word with dots, whether each section contains it, and its rarity.
    pub dotted: Vec<(&'a [bool], f32)>,
    /// Whether all sections are candidates, because the query has no terms.
    pub all: bool,
    /// Words of a file name. If a file name contains all of them, the first section of the document
    /// is a candidate.
    pub name: Vec<&'a str>,
    /// The vector of the query. `None` if no candidates are selected by vector.
    pub probe: Option<Probe>,
    /// For each section, whether it satisfies the conditions. `None` if there are no conditions.
    pub allowed: Option<Vec<bool>>,
    /// Maximum number of candidates selected by terms.
    pub by_terms: usize,
    /// Maximum number of candidates selected by vector.
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
    /// The position of the index that contains the section.
    pub shard: usize,
    /// The number of the section in the index.
    pub section: u64,
    /// The sum of the rarities of the query terms in the section.
    pub sum: f32,
    /// The cosine between the query and the section.
    pub cosine: f32,
}

impl Candidate {
    /// Compares candidates by their terms. The best one comes first.
    pub fn by_terms(left: &Self, right: &Self) -> Ordering {
        right.sum.total_cmp(&left.sum).then(right.cosine.total_cmp(&left.cosine))
    }

    /// Compares candidates by their cosine. The best one comes first.
    pub fn by_cosine(left: &Self, right: &Self) -> Ordering {
        right.cosine.total_cmp(&left.cosine)
    }
}

/// Returns the first `count` candidates in an order. Candidates that are equal are ordered by
/// section. Keeps at most twice as many candidates in memory.
pub fn first_in_order(
    all: impl Iterator<Item = Candidate>,
    count: usize,
    order: impl Fn(&Candidate, &Candidate) -> Ordering,
) -> Vec<Candidate> {
    let order = |left: &Candidate, right: &Candidate| {
        order(left, right)
            .then_with(|| (left.shard, left.section).cmp(&(right.shard, right.section)))
    };
    let mut found: Vec<Candidate> = Vec::new();
    if count == 0 {
        return found;
    }
    for candidate in all {
        // After the selection, the element at `count - 1` is the last of the first `count`
        // elements.
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
    /// Candidates selected by terms.
    pub by_terms: Vec<Candidate>,
    /// Candidates selected by vector, nearest first.
    pub nearest: Vec<Candidate>,
    /// The first sections of documents whose file name contains all words of the query.
    pub named: Vec<Candidate>,
    /// Whether any section contains a term, even if the section does not satisfy the conditions.
    pub has_terms: bool,
}

/// The frequency of a term.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frequency {
    /// The number of the term. `None` if it does not occur.
    pub term: Option<u32>,
    /// Number of sections that contain the term.
    pub sections: u64,
    /// Number of sections of documents whose title contains the term.
    pub titles: u64,
}

/// A section to score.
pub struct Section {
    /// The number of the document.
    pub document: u64,
    /// Number of terms in the section.
    pub length: u64,
    /// The encoded terms of the title and the text.
    pub terms: Vec<u8>,
    /// The encoded set of tokens.
    pub tokens: Vec<u8>,
    /// The heading of the section, preceded by the headings that are searched with it.
    pub headings: Vec<String>,
}

/// Facts about a document.
#[derive(Clone, Debug)]
pub struct DocumentFacts {
    /// The number of the document.
    pub id: u64,
    /// The path of the document in the collection.
    pub path: Vec<u8>,
    /// The title of the document.
    pub title: String,
    /// The encoded terms of the title.
    pub title_terms: Vec<u8>,
    /// The length of the document in characters.
    pub characters: u64,
    /// The number of the first section.
    pub first: u64,
    /// Number of sections in the document.
    pub count: u64,
    /// The label of the document's encoding. `None` for UTF-8.
    pub encoding: Option<String>,
}

/// The location of a section.
#[derive(Clone, Debug)]
pub struct Location {
    /// The number of the document.
    pub document: u64,
    /// The first and the last line of the section.
    pub lines: (u64, u64),
    /// The offset of the section in the file, in bytes.
    pub start: u64,
    /// The size of the section in bytes.
    pub size: u64,
    /// The names of the sections that contain it, outermost first.
    pub trail: Vec<String>,
    /// The first 8 bytes of the SHA-256 of the section's bytes.
    pub checksum: Vec<u8>,
}

/// An index that can be queried.
pub trait Shard {
    /// Returns the totals of the index.
    fn totals(&self) -> Totals;

    /// Returns the frequencies of terms, in the given order.
    fn frequencies(&self, terms: &[&str]) -> Outcome<Vec<Frequency>>;

    /// Returns the frequency of a term.
    fn frequency(&self, term: &str) -> Outcome<Frequency> {
        Ok(self.frequencies(&[term])?.pop().unwrap_or_default())
    }

    /// Calls `each` with each section that contains all of the terms.
    fn postings(&self, terms: &[&str], each: &mut dyn FnMut(u64)) -> Outcome<()>;

    /// Returns the weights of tokens, if the index has vectors.
    fn weights(&self) -> Option<&Weights>;

    /// Returns the vector of a text.
    fn probe(&self, text: &str) -> Probe {
        let mut found = Vec::new();
        tokens(text, &mut found);
        let vector = match self.weights() {
            Some(weights) => weights.embed(&found),
            None => Weights::default().embed(&found),
        };
        Probe::new(&vector)
    }

    /// Returns the rarity of a token, if the index has vectors.
    fn token_rarity(&self, token: Token) -> Option<f32> {
        self.weights().map(|weights| weights.weight(token).powi(2))
    }

    /// Returns the candidates of several queries.
    fn candidates(&self, criteria: &[Criteria<'_>]) -> Outcome<Vec<Candidates>>;

    /// Returns the rows of consecutive sections.
    fn rows(&self, first: u64, count: u64) -> Outcome<Vec<u8>>;

    /// Returns sections to score, in the order of `ids`.
    fn sections(&self, ids: &[u64]) -> Outcome<Vec<Section>>;

    /// Returns the location of a section.
    fn location(&self, id: u64) -> Outcome<Location>;

    /// Returns the selected documents.
    fn documents(&self, which: Which<'_>) -> Outcome<Vec<DocumentFacts>>;

    /// Returns the document of each section, in the order of `sections`.
    fn documents_of(&self, sections: &[u64]) -> Outcome<Vec<u64>>;

    /// Returns the path of the document that contains a section.
    fn path(&self, section: u64) -> Outcome<Vec<u8>> {
        let document = self.documents_of(&[section])?;
        let document = self.documents(Which::Numbered(&document))?.pop();
        Ok(document.ok_or(Failure::Damaged)?.path)
    }

    /// Calls `each` with each section and the names of the sections that contain it.
    fn trails(&self, each: &mut dyn FnMut(u64, &[String])) -> Outcome<()>;

    /// Calls `each` with each term that begins with a letter, and with the forms of the term,
    /// separated by spaces.
    fn words(&self, initial: &str, each: &mut dyn FnMut(&str, &str)) -> Outcome<()>;
}

/// Returns for each section whether it satisfies the conditions of a query. Returns `None` if the
/// query has no conditions.
pub fn allowed_sections(
    shard: &dyn Shard,
    query: &Query,
    analyser: &Analyser,
) -> Outcome<Option<Vec<bool>>> {
    let has_none = query.phrases.is_empty()
        && query.excluded.is_empty()
        && !has_documents(query)
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
    if has_documents(query) {
        allow_documents(shard, query, analyser, &mut allowed)?;
    }
    Ok(Some(allowed))
}

/// Whether a query has conditions on documents.
fn has_documents(query: &Query) -> bool {
    let has_titles = !query.titles.is_empty() || !query.excluded_titles.is_empty();
    has_titles || !query.paths.is_empty() || !query.excluded_paths.is_empty()
}

/// Excludes sections that are not inside a section with this name, ignoring case.
fn allow_inside(shard: &dyn Shard, name: &str, allowed: &mut [bool]) -> Outcome<()> {
    let name = name.trim_start_matches('#').trim().to_lowercase();
    shard.trails(&mut |id, trail| {
        if let Some(slot) = allowed.get_mut(id as usize) {
            *slot &= trail.iter().any(|heading| heading.to_lowercase() == name);
        }
    })
}

fn allow_documents(
    shard: &dyn Shard,
    query: &Query,
    analyser: &Analyser,
    allowed: &mut [bool],
) -> Outcome<()> {
    let numbers = |words: &Vec<String>| -> Outcome<Vec<Option<u32>>> {
        words.iter().map(|word| Ok(shard.frequency(&analyser.stem(word))?.term)).collect()
    };
    let titles = numbers(&query.titles)?;
    let excluded = query.excluded_titles.iter().map(numbers).collect::<Outcome<Vec<_>>>()?;
    let mut found = vec![false; allowed.len()];
    for document in shard.documents(Which::All)? {
        let title_terms = distinct_terms(&document.title_terms);
        let has = |term: &Option<u32>| term.is_some_and(|term| title_terms.contains(&term));
        let path = String::from_utf8_lossy(&document.path);
        let matches = |globs: &[GlobMatcher]| globs.iter().any(|glob| glob.is_match(&*path));
        let is_there = (query.paths.is_empty() || matches(&query.paths))
            && !matches(&query.excluded_paths)
            && !excluded.iter().any(|title| title.iter().all(has));
        let end = (document.first + document.count).min(allowed.len() as u64) as usize;
        let part = found.get_mut(document.first as usize..end);
        if let Some(part) = part.filter(|_| is_there && titles.iter().all(has)) {
            part.fill(true);
        }
    }
    allowed.iter_mut().zip(found).for_each(|(allowed, found)| *allowed &= found);
    Ok(())
}

/// Returns for each section whether it contains a phrase.
pub fn with_phrase(
    shard: &dyn Shard,
    phrase: &[String],
    analyser: &Analyser,
) -> Outcome<Vec<bool>> {
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
