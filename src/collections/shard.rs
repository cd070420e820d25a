//! One index as a question sees it, wherever it is: how often terms occur, which
//! sections may answer, what they contain.

use std::cmp::Ordering;
use std::ops::Range;

use super::analyser::Analyser;
use super::model::{Token, Weights, tokens};
use super::query::Query;
use super::store::{Failure, Outcome};
use super::varints;
use super::vectors::Probe;
use super::writer::{BETWEEN, distinct};

/// How much an index contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// How many sections there are.
    pub sections: u64,
    /// All their terms together.
    pub terms: u64,
    /// Those of their titles.
    pub title_terms: u64,
    /// One more than the greatest section.
    pub end: u64,
}

/// Documents that are asked for.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// Every text.
    All,
    /// Those with these numbers.
    Numbered(&'a [u64]),
    /// The text that has this path.
    At(&'a [u8]),
}

/// A term that candidates are looked for by.
#[derive(Clone, Copy, Debug)]
pub struct WantedTerm<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its number.
    #[cfg_attr(not(feature = "postgres"), expect(dead_code, reason = "databases ask by it"))]
    pub number: u32,
    /// What it is worth.
    pub rarity: f32,
}

/// What candidates are looked for by.
pub struct Wanted<'a> {
    /// Terms and what each is worth.
    pub terms: Vec<WantedTerm<'a>>,
    /// Whether all sections may answer where there are no terms at all.
    pub all: bool,
    /// Words that the name of a document must have for its first section to answer.
    pub name: Vec<&'a str>,
    /// The vector that they are near to; without one none is near.
    pub probe: Option<Probe>,
    /// The sections that may answer, by number; `None` for all.
    pub allowed: Option<Vec<bool>>,
    /// How many by their terms.
    pub by_terms: usize,
    /// How many by their vectors.
    pub nearest: usize,
}

impl Wanted<'_> {
    /// Whether conditions let a section answer.
    pub fn allows(&self, section: usize) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.get(section) == Some(&true))
    }
}

/// A section that may answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Which of the indexes it is in.
    pub shard: usize,
    /// Its number there.
    pub section: u64,
    /// What its terms are worth together.
    pub sum: f32,
    /// The cosine of the query and it.
    pub cosine: f32,
}

impl Candidate {
    /// The order of candidates by their terms.
    pub fn by_terms(one: &Self, other: &Self) -> Ordering {
        other.sum.total_cmp(&one.sum).then(other.cosine.total_cmp(&one.cosine))
    }

    /// The order of candidates by their vectors.
    pub fn by_cosine(one: &Self, other: &Self) -> Ordering {
        other.cosine.total_cmp(&one.cosine)
    }
}

/// The best, in order; what is equal comes in the order of the sections.
pub fn first(
    mut all: Vec<Candidate>,
    count: usize,
    order: impl Fn(&Candidate, &Candidate) -> Ordering,
) -> Vec<Candidate> {
    let order = |one: &Candidate, other: &Candidate| {
        order(one, other).then_with(|| (one.shard, one.section).cmp(&(other.shard, other.section)))
    };
    if all.len() > count {
        all.select_nth_unstable_by(count, order);
        all.truncate(count);
    }
    all.sort_unstable_by(order);
    all
}

/// Sections that may answer.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// Those whose terms are worth most together.
    pub by_terms: Vec<Candidate>,
    /// The nearest, in order.
    pub nearest: Vec<Candidate>,
    /// The first sections of documents that the query names.
    pub named: Vec<Candidate>,
    /// Whether any section contains a term, be it one that may not answer.
    pub has_terms: bool,
}

/// In how much of an index a term occurs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frequency {
    /// Its number, where it occurs.
    pub term: Option<u32>,
    /// Sections that contain it.
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
    /// The name of the innermost section that contains it.
    pub heading: String,
}

/// A document as it is judged and shown.
#[derive(Clone, Debug)]
pub struct DocumentFacts {
    /// Its number.
    pub id: u64,
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
    /// The names of the sections that contain it, its own last.
    pub trail: Vec<String>,
    /// The beginning of the SHA-256 of its bytes.
    pub checksum: Vec<u8>,
}

/// What a question asks of an index.
pub trait Shard {
    /// How much it contains.
    fn totals(&self) -> Totals;

    /// How often terms occur.
    fn frequencies(&self, terms: &[&str]) -> Outcome<Vec<Frequency>>;

    /// How often a term occurs.
    fn frequency(&self, term: &str) -> Outcome<Frequency> {
        Ok(self.frequencies(&[term])?.pop().unwrap_or_default())
    }

    /// Calls `each` with the sections that contain terms, all of them.
    fn postings(&self, terms: &[&str], each: &mut dyn FnMut(u64)) -> Outcome<()>;

    /// What tokens count for, where that is known yet.
    fn weights(&self) -> Option<&Weights>;

    /// What a text is compared with.
    fn probe(&self, text: &str) -> Probe {
        let mut found = Vec::new();
        tokens(text, &mut found);
        let vector = match self.weights() {
            Some(weights) => weights.embed(&found),
            None => Weights::default().embed(&found),
        };
        Probe::new(&vector)
    }

    /// How rare a token is; nothing where that is not known yet.
    fn token_rarity(&self, token: Token) -> Option<f32> {
        self.weights().map(|weights| weights.of(token).powi(2))
    }

    /// Sections that may answer, for several questions.
    fn candidates(&self, wanted: &[Wanted<'_>]) -> Outcome<Vec<Candidates>>;

    /// The sections that are nearest, but those that are left out.
    fn nearest(
        &self,
        probe: &Probe,
        left_out: &Range<u64>,
        count: usize,
    ) -> Outcome<Vec<Candidate>>;

    /// The rows of sections that follow one another.
    fn rows(&self, first: u64, count: u64) -> Outcome<Vec<u8>>;

    /// Sections to be judged, in the order of their numbers as given.
    fn sections(&self, ids: &[u64]) -> Outcome<Vec<Section>>;

    /// A section, to be shown.
    fn location(&self, id: u64) -> Outcome<Location>;

    /// Documents.
    fn documents(&self, which: Which<'_>) -> Outcome<Vec<DocumentFacts>>;

    /// The documents of sections.
    fn documents_of(&self, sections: &[u64]) -> Outcome<Vec<u64>>;

    /// The path of a section's document.
    fn path(&self, section: u64) -> Outcome<Vec<u8>> {
        let document = self.documents_of(&[section])?;
        let document = self.documents(Which::Numbered(&document))?.pop();
        Ok(document.ok_or(Failure::Damaged)?.path)
    }

    /// Calls `each` with all sections and the names of those that contain them.
    fn trails(&self, each: &mut dyn FnMut(u64, &str)) -> Outcome<()>;

    /// Calls `each` with all terms that begin with a letter, and the words that each was met
    /// as, with blanks between.
    fn words(&self, initial: &str, each: &mut dyn FnMut(&str, &str)) -> Outcome<()>;
}

/// Which sections satisfy the conditions of a query; `None` where it has none.
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
        let holds = holding(shard, phrase, analyser)?;
        allowed.iter_mut().zip(holds).for_each(|(allowed, holds)| *allowed &= holds);
    }
    for phrase in &query.excluded {
        let holds = holding(shard, phrase, analyser)?;
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

/// Leaves out what no section of a name contains: the whole name, in any case.
fn allow_inside(shard: &dyn Shard, name: &str, allowed: &mut [bool]) -> Outcome<()> {
    let name = name.trim_start_matches('#').trim().to_lowercase();
    shard.trails(&mut |id, trail| {
        if let Some(slot) = allowed.get_mut(id as usize) {
            *slot &= trail.split(BETWEEN).any(|own| own.to_lowercase() == name);
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

/// Which sections contain words one after the other.
fn holding(shard: &dyn Shard, phrase: &[String], analyser: &Analyser) -> Outcome<Vec<bool>> {
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
            found[id as usize] = holds_phrase(&section.terms, &numbers);
        }
    }
    Ok(found)
}

fn holds_phrase(terms: &[u8], phrase: &[u32]) -> bool {
    let terms: Vec<u32> =
        varints::places(terms).filter(|place| !place.is_whole).map(|place| place.term).collect();
    terms.windows(phrase.len()).any(|window| window == phrase)
}
