//! Finds documents similar to a text, by its rarest terms and by vectors.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::analyser::{self, Analyser};
use super::model::rarity;
use super::ranking::Ranked;
use super::shard::{Candidate, Criteria, Shard, Which, first_in_order};
use super::store::{Failure, Outcome};
use super::vectors::{Probe, ROW};

/// Maximum number of different words of the text to look up. The most frequent words are used.
const MAX_WORDS: usize = 1000;
/// Maximum number of terms to compare. The terms with the highest weight are used.
const TERMS: usize = 40;
/// Maximum number of candidate sections by terms, and also by vectors.
const CANDIDATES: usize = 100;
/// Parameters of BM25: the saturation of term counts, and the effect of the number of sections.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.5;
/// Maximum number of sections of a document that are compared by vector in addition to its
/// candidates.
const SECTIONS: u64 = 256;
/// The weight of the cosine of the nearest section.
const COSINE: f32 = 0.5;

/// A term of the text, looked up in one index.
struct Term {
    weight: f32,
    /// The sections that contain the term, in order.
    sections: Vec<u64>,
}

/// A document and the parts of its score.
struct Compared {
    shard: usize,
    by_terms: f32,
    /// The cosine of each compared section, by section.
    cosines: Vec<(u64, f32)>,
}

/// Returns the sections that are similar to a text, except those in `left_out`. The best section of
/// each document comes first, then all other sections. `probes` contains one probe for each index.
pub fn related(
    shards: &[Box<dyn Shard + '_>],
    analysers: &[Analyser],
    text: &str,
    probes: &[Probe],
    left_out: &dyn Fn(usize) -> Range<u64>,
) -> Outcome<Vec<Ranked>> {
    let names = significant_words(shards, analysers, text)?;
    let mut compared = Vec::new();
    for (index, (shard, probe)) in shards.iter().zip(probes).enumerate() {
        let left_out = left_out(index);
        let mut terms = Vec::new();
        for (name, weight) in &names {
            let mut sections = Vec::new();
            let stem = analysers[index].stem(name);
            shard.postings(&[&stem], &mut |section| sections.push(section))?;
            sections.retain(|section| !left_out.contains(section));
            terms.push(Term { weight: *weight, sections });
        }
        for document in candidate_documents(&**shard, &terms, probe, &left_out)? {
            let (by_terms, cosines) = compare(&**shard, document, &terms, probe)?;
            compared.push(Compared { shard: index, by_terms, cosines });
        }
    }
    Ok(ranked(compared))
}

/// Returns the most significant words of a text with their weights.
fn significant_words(
    shards: &[Box<dyn Shard + '_>],
    analysers: &[Analyser],
    text: &str,
) -> Outcome<Vec<(String, f32)>> {
    let mut counts: HashMap<String, (u32, String)> = HashMap::new();
    analyser::words(text, &mut |word| {
        let is_stop_word = analysers.iter().any(|analyser| analyser.is_stop_word(word.text));
        if !word.text.is_empty() && !is_stop_word {
            let stem = analysers[0].stem(word.text).into_owned();
            counts.entry(stem).or_insert_with(|| (0, word.text.to_owned())).0 += 1;
        }
    });
    let mut counts: Vec<(u32, String)> = counts.into_values().collect();
    counts.sort_unstable_by(|left, right| right.0.cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
    counts.truncate(MAX_WORDS);
    let all: u64 = shards.iter().map(|shard| shard.totals().sections).sum();
    let mut sections = vec![0; counts.len()];
    for (shard, analyser) in shards.iter().zip(analysers) {
        let stems: Vec<_> = counts.iter().map(|(_, word)| analyser.stem(word)).collect();
        let stems: Vec<&str> = stems.iter().map(|stem| &**stem).collect();
        let frequencies = shard.frequencies(&stems)?;
        sections
            .iter_mut()
            .zip(frequencies)
            .for_each(|(sum, frequency)| *sum += frequency.sections);
    }
    let weighed = counts.into_iter().zip(sections);
    // A word that occurs in only one section cannot find another section.
    let weighed = weighed.filter(|(_, sections)| *sections > 1);
    let weight = |((count, word), sections): ((u32, String), u64)| {
        let rarity = rarity(sections, all);
        (word, (1.0 + (count as f32).ln()) * rarity * rarity)
    };
    let mut weighed: Vec<(String, f32)> = weighed.map(weight).collect();
    weighed.sort_by(|left, right| right.1.total_cmp(&left.1));
    weighed.truncate(TERMS);
    Ok(weighed)
}

/// Returns the candidate documents of an index, with their candidate sections.
fn candidate_documents(
    shard: &dyn Shard,
    terms: &[Term],
    probe: &Probe,
    left_out: &Range<u64>,
) -> Outcome<BTreeMap<u64, Vec<u64>>> {
    let mut sums = vec![0.0_f32; shard.totals().end as usize];
    for term in terms {
        term.sections.iter().for_each(|&section| sums[section as usize] += term.weight);
    }
    let sums = (0..).zip(sums).filter(|(_, sum)| *sum > 0.0);
    let by_terms = sums.map(|(section, sum)| Candidate { shard: 0, section, sum, cosine: 0.0 });
    let mut found = first_in_order(by_terms, CANDIDATES, Candidate::by_terms);
    // More sections than needed are requested, because some may be excluded.
    let nearest = CANDIDATES + (left_out.end - left_out.start) as usize;
    let criteria = Criteria { probe: Some(probe.clone()), nearest, ..Criteria::default() };
    let candidates = shard.candidates(&[criteria])?.pop().unwrap_or_default();
    let is_other = |candidate: &Candidate| !left_out.contains(&candidate.section);
    found.extend(candidates.nearest.into_iter().filter(is_other).take(CANDIDATES));
    let mut documents: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    let sections: Vec<u64> = found.iter().map(|candidate| candidate.section).collect();
    for (document, section) in shard.documents_of(&sections)?.into_iter().zip(sections) {
        documents.entry(document).or_default().push(section);
    }
    Ok(documents)
}

/// Computes the term score of a document and the cosines of its sections.
fn compare(
    shard: &dyn Shard,
    (document, mut candidates): (u64, Vec<u64>),
    terms: &[Term],
    probe: &Probe,
) -> Outcome<(f32, Vec<(u64, f32)>)> {
    let facts = shard.documents(Which::Numbered(&[document]))?.pop().ok_or(Failure::Damaged)?;
    let norm = SATURATION * (1.0 - LENGTH + LENGTH * (facts.count as f32).sqrt());
    let value = |term: &Term| {
        let before = |end: u64| term.sections.partition_point(|&section| section < end);
        let count = (before(facts.first + facts.count) - before(facts.first)) as f32;
        term.weight * count * (SATURATION + 1.0) / (count + norm)
    };
    let by_terms = terms.iter().map(value).sum();
    let end = facts.first + facts.count.min(SECTIONS);
    candidates.retain(|&section| section >= end);
    candidates.sort_unstable();
    candidates.dedup();
    let mut cosines = Vec::new();
    let parts = [(facts.first, end - facts.first)].into_iter();
    for (first, count) in parts.chain(candidates.into_iter().map(|section| (section, 1))) {
        let rows = shard.rows(first, count)?;
        let rows = rows.chunks_exact(ROW).map(|row| probe.cosine(row));
        cosines.extend((first..).zip(rows));
    }
    Ok((by_terms, cosines))
}

fn ranked(compared: Vec<Compared>) -> Vec<Ranked> {
    let most = compared.iter().map(|document| document.by_terms).fold(f32::MIN_POSITIVE, f32::max);
    let (mut best, mut others) = (Vec::new(), Vec::new());
    for document in &compared {
        let score = |cosine: f32| {
            ((document.by_terms / most + COSINE * cosine.max(0.0)) / (1.0 + COSINE)).clamp(0.0, 1.0)
        };
        let section = |&(section, cosine): &(u64, f32)| Ranked {
            shard: document.shard,
            section,
            score: score(cosine),
            cosine: Some(cosine),
        };
        let mut sections: Vec<Ranked> = document.cosines.iter().map(section).collect();
        sections.sort_by(compare_by_score);
        let mut sections = sections.into_iter();
        best.extend(sections.next());
        others.extend(sections);
    }
    best.sort_by(compare_by_score);
    others.sort_by(compare_by_score);
    best.extend(others);
    best
}

fn compare_by_score(left: &Ranked, right: &Ranked) -> std::cmp::Ordering {
    let place = |result: &Ranked| (result.shard, result.section);
    right.score.total_cmp(&left.score).then_with(|| place(left).cmp(&place(right)))
}
