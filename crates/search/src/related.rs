//! Finds documents similar to a text, by its rarest terms and by vectors.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::analyser::{self, Analyser};
use super::model::{DIMENSIONS, Vector, add, normalize, rarity};
use super::ranking::Ranked;
use super::shard::{Criteria, Shard, Which};
use super::store::{Failure, Outcome};
use super::vectors::{Probe, ROW, vector};

/// Maximum number of different words of the text to look up. The most frequent words are used.
const MAX_WORDS: usize = 1000;
/// Maximum number of terms to compare. The terms with the highest weight are used.
const TERMS: usize = 40;
/// Maximum number of candidate sections by terms, and also by vectors.
const CANDIDATES: usize = 100;
/// Parameters of BM25: the saturation of term counts, and the effect of the length of a document.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.5;
/// Maximum number of sections of a document that are compared by vector in addition to its
/// candidates.
const SECTIONS: u64 = 256;
/// The weight of the cosine of the nearest section.
const COSINE: f32 = 1.5;

/// A document of an index.
struct DocumentSpan {
    /// The sections of the document.
    sections: Range<u64>,
    characters: u64,
}

/// The documents of an index, by their first section.
struct DocumentSpans(Vec<DocumentSpan>);

/// A term of the text: its weight in the text, and for each index the documents that contain it,
/// with the numbers of their sections that do.
struct Term {
    weight: f32,
    documents: Vec<Vec<(usize, u32)>>,
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
    let spans: Vec<DocumentSpans> =
        shards.iter().map(|shard| DocumentSpans::read(&**shard)).collect::<Outcome<_>>()?;
    let count: usize = spans.iter().map(|spans| spans.0.len()).sum();
    let characters: u64 = spans.iter().flat_map(|spans| &spans.0).map(|at| at.characters).sum();
    let mean_length = (characters as f32 / count.max(1) as f32).max(1.0);
    let mut terms = Vec::new();
    for (name, weight) in significant_words(shards, analysers, text)? {
        let mut documents = Vec::new();
        for ((shard, analyser), spans) in shards.iter().zip(analysers).zip(&spans) {
            documents.push(spans.with_term(&**shard, &analyser.stem(&name))?);
        }
        let found = documents.iter().map(|documents| documents.len() as u64).sum();
        let rarity = rarity(found, count as u64);
        terms.push(Term { weight: weight * rarity * rarity, documents });
    }
    let mut compared = Vec::new();
    for (index, (shard, probe)) in shards.iter().zip(probes).enumerate() {
        let left_out = left_out(index);
        let sums = spans[index].scores(index, &terms, mean_length);
        for (span, candidates) in candidates(&**shard, &spans[index], &sums, probe, &left_out)? {
            let cosines = cosines(&**shard, &spans[index].0[span], candidates, probe)?;
            compared.push(Compared { shard: index, by_terms: sums[span], cosines });
        }
    }
    Ok(ranked(compared))
}

impl DocumentSpans {
    fn read(shard: &dyn Shard) -> Outcome<Self> {
        let documents = shard.documents(Which::All)?.into_iter();
        let mut spans: Vec<DocumentSpan> = documents
            .filter(|document| document.count > 0)
            .map(|document| DocumentSpan {
                sections: document.first..document.first + document.count,
                characters: document.characters,
            })
            .collect();
        spans.sort_unstable_by_key(|span| span.sections.start);
        Ok(Self(spans))
    }

    /// Returns the document that contains a section.
    fn find(&self, section: u64) -> Option<usize> {
        let after = self.0.partition_point(|span| span.sections.start <= section);
        let at = after.checked_sub(1)?;
        self.0[at].sections.contains(&section).then_some(at)
    }

    /// Returns the documents that contain a term, with the numbers of their sections that do.
    fn with_term(&self, shard: &dyn Shard, term: &str) -> Outcome<Vec<(usize, u32)>> {
        let mut found: Vec<(usize, u32)> = Vec::new();
        shard.postings(&[term], &mut |section| {
            let Some(span) = self.find(section) else { return };
            match found.last_mut() {
                Some((last, count)) if *last == span => *count += 1,
                _ => found.push((span, 1)),
            }
        })?;
        Ok(found)
    }

    /// Computes the term score of each document (BM25, in which sections are the occurrences).
    fn scores(&self, index: usize, terms: &[Term], mean_length: f32) -> Vec<f32> {
        let norm = |span: &DocumentSpan| {
            SATURATION * (1.0 - LENGTH + LENGTH * span.characters as f32 / mean_length)
        };
        let norms: Vec<f32> = self.0.iter().map(norm).collect();
        let mut sums = vec![0.0; self.0.len()];
        for term in terms {
            for &(span, count) in &term.documents[index] {
                let count = count as f32;
                sums[span] += term.weight * count * (SATURATION + 1.0) / (count + norms[span]);
            }
        }
        sums
    }
}

/// Returns the mean of the vectors of sections of a document. `None` if there are no sections.
pub fn center(shard: &dyn Shard, sections: &[u64]) -> Outcome<Option<Vector>> {
    let mut center = [0.0; DIMENSIONS];
    for part in sections.chunk_by(|section, next| section + 1 == *next) {
        for row in shard.rows(part[0], part.len() as u64)?.chunks_exact(ROW) {
            add(&mut center, 1.0, &vector(row));
        }
    }
    normalize(&mut center);
    Ok((!sections.is_empty()).then_some(center))
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
        let frequency = 1.0 + (count as f32).ln();
        (word, frequency, frequency * rarity * rarity)
    };
    let mut weighed: Vec<(String, f32, f32)> = weighed.map(weight).collect();
    weighed.sort_by(|left, right| right.2.total_cmp(&left.2));
    weighed.truncate(TERMS);
    Ok(weighed.into_iter().map(|(word, frequency, _)| (word, frequency)).collect())
}

/// Returns the candidate documents of an index: those with the best scores, and those with the
/// nearest sections, which are also returned.
fn candidates(
    shard: &dyn Shard,
    spans: &DocumentSpans,
    sums: &[f32],
    probe: &Probe,
    left_out: &Range<u64>,
) -> Outcome<BTreeMap<usize, Vec<u64>>> {
    let is_other = |span: &usize| spans.0[*span].sections != *left_out;
    let mut best: Vec<usize> =
        (0..sums.len()).filter(|span| sums[*span] > 0.0 && is_other(span)).collect();
    best.sort_by(|left, right| sums[*right].total_cmp(&sums[*left]).then(left.cmp(right)));
    best.truncate(CANDIDATES);
    let mut found: BTreeMap<usize, Vec<u64>> =
        best.into_iter().map(|span| (span, Vec::new())).collect();
    // More sections than needed are requested, because some may be excluded.
    let nearest = CANDIDATES + (left_out.end - left_out.start) as usize;
    let criteria = Criteria { probe: Some(probe.clone()), nearest, ..Criteria::default() };
    let nearest = shard.candidates(&[criteria])?.pop().unwrap_or_default().nearest.into_iter();
    let sections = nearest.map(|candidate| candidate.section);
    for section in sections.filter(|section| !left_out.contains(section)).take(CANDIDATES) {
        let span = spans.find(section).ok_or(Failure::Damaged)?;
        found.entry(span).or_default().push(section);
    }
    Ok(found)
}

/// Computes the cosines of the first sections of a document, and of its candidates.
fn cosines(
    shard: &dyn Shard,
    span: &DocumentSpan,
    mut candidates: Vec<u64>,
    probe: &Probe,
) -> Outcome<Vec<(u64, f32)>> {
    let first = span.sections.start;
    let end = span.sections.end.min(first + SECTIONS);
    candidates.retain(|&section| section >= end);
    candidates.sort_unstable();
    let mut cosines = Vec::new();
    let parts = [(first, end - first)].into_iter();
    for (first, count) in parts.chain(candidates.into_iter().map(|section| (section, 1))) {
        let rows = shard.rows(first, count)?;
        let rows = rows.chunks_exact(ROW).map(|row| probe.cosine(row));
        cosines.extend((first..).zip(rows));
    }
    Ok(cosines)
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
    let order = |result: &Ranked| (result.shard, result.section);
    right.score.total_cmp(&left.score).then_with(|| order(left).cmp(&order(right)))
}
