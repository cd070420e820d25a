//! Finds documents similar to a text, by its most significant terms and by vectors.
//!
//! Candidates are selected by the number of their sections that contain each term, and by vectors.
//! Then the occurrences of the terms in the best candidates are counted. As in tf-idf, a term counts
//! as often as the text contains it.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::analyser::{self, Analyser};
use super::model::{DIMENSIONS, Vector, add, normalize, rarity};
use super::ranking::Ranked;
use super::shard::{Criteria, Shard, Which};
use super::store::{Failure, Outcome};
use super::varints;
use super::vectors::{Probe, ROW, vector};

/// Maximum number of different words of the text to look up. The most frequent words are used.
const MAX_WORDS: usize = 1000;
/// Maximum number of terms to compare. The terms with the highest weight are used.
const TERMS: usize = 40;
/// Maximum number of candidate sections by terms, and also by vectors.
const CANDIDATES: usize = 100;
/// Parameters of BM25: the saturation of term counts, and the effect of the length of a document.
const SATURATION: f32 = 3.0;
const LENGTH: f32 = 0.75;
/// Maximum number of documents in which the occurrences of terms are counted.
const COUNTED: usize = 30;
/// Maximum number of sections of a document in which terms are counted. As many sections are compared
/// by vector, in addition to its candidates.
const SECTIONS: u64 = 256;
/// The weight of the cosine of the nearest section. The weight of the terms is 1.
const COSINE: f32 = 0.5;

/// A document of an index.
struct DocumentSpan {
    /// The sections of the document.
    sections: Range<u64>,
    characters: u64,
}

/// The documents of an index, by their first section.
struct DocumentSpans(Vec<DocumentSpan>);

/// A word of the text, the number of times that the text contains it, and the number of its term in
/// each index.
struct SignificantWord {
    text: String,
    count: u32,
    numbers: Vec<Option<u32>>,
}

/// A term of the text.
struct Term {
    /// The number of times that the text contains the term.
    count: u32,
    /// The weight of the term: its number of occurrences in the text, and its rarity.
    weight: f32,
    /// The number of the term in each index.
    numbers: Vec<Option<u32>>,
    /// For each index, the documents that contain the term, with the numbers of their sections that
    /// do.
    documents: Vec<Vec<(usize, u32)>>,
}

impl Term {
    /// Returns the score of a document of this length for occurrences of the term (BM25).
    fn score(&self, count: u32, norm: f32) -> f32 {
        let count = count as f32;
        self.weight * count * (SATURATION + 1.0) / (count + norm)
    }
}

/// Returns the part of BM25 that depends on the length of a document in characters.
fn norm(characters: u64, mean_length: f32) -> f32 {
    SATURATION * (1.0 - LENGTH + LENGTH * characters as f32 / mean_length)
}

/// A document and the parts of its score.
struct Compared {
    shard: usize,
    /// The position of the document among the documents of the index.
    span: usize,
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
    for word in significant_words(shards, analysers, text)? {
        let mut documents = Vec::new();
        for ((shard, analyser), spans) in shards.iter().zip(analysers).zip(&spans) {
            documents.push(spans.with_term(&**shard, &analyser.stem(&word.text))?);
        }
        let found = documents.iter().map(|documents| documents.len() as u64).sum();
        let rarity = rarity(found, count as u64);
        let weight = word.count as f32 * rarity * rarity;
        terms.push(Term { count: word.count, weight, numbers: word.numbers, documents });
    }
    let mut compared = Vec::new();
    for (index, (shard, probe)) in shards.iter().zip(probes).enumerate() {
        let left_out = left_out(index);
        let sums = spans[index].estimates(index, &terms, mean_length);
        for (span, candidates) in candidates(&**shard, &spans[index], &sums, probe, &left_out)? {
            let cosines = cosines(&**shard, &spans[index].0[span], candidates, probe)?;
            compared.push(Compared { shard: index, span, by_terms: sums[span], cosines });
        }
    }
    let own_norm = norm(text.chars().count() as u64, mean_length);
    let own = score(&terms, terms.iter().map(|term| term.count), own_norm);
    let most = most(&compared, own);
    compared.sort_by(|left, right| right.score(most).total_cmp(&left.score(most)));
    for document in compared.iter_mut().take(COUNTED) {
        let numbers: Vec<Option<u32>> =
            terms.iter().map(|term| term.numbers[document.shard]).collect();
        let span = &spans[document.shard].0[document.span];
        let counts = counts(&*shards[document.shard], span, &numbers)?;
        document.by_terms = score(&terms, counts, norm(span.characters, mean_length));
    }
    Ok(ranked(compared, own))
}

impl Compared {
    /// Returns the score of the document, if `most` is the greatest term score.
    fn score(&self, most: f32) -> f32 {
        let nearest = self.cosines.iter().map(|(_, cosine)| *cosine).fold(0.0, f32::max);
        combined(self.by_terms, most, nearest)
    }
}

/// Returns the greatest term score. `own` is the score that the text itself has. Only documents that
/// contain the words of a short text more often than the text itself have a greater one.
fn most(compared: &[Compared], own: f32) -> f32 {
    let scores = compared.iter().map(|document| document.by_terms);
    scores.fold(own.max(f32::MIN_POSITIVE), f32::max)
}

/// Combines the term score of a document with the cosine of a section. The result is from 0 to 1.
fn combined(by_terms: f32, most: f32, cosine: f32) -> f32 {
    ((by_terms / most + COSINE * cosine.max(0.0)) / (1.0 + COSINE)).clamp(0.0, 1.0)
}

/// Returns the score of a document that contains the terms this number of times.
fn score(terms: &[Term], counts: impl IntoIterator<Item = u32>, norm: f32) -> f32 {
    terms.iter().zip(counts).map(|(term, count)| term.score(count, norm)).sum()
}

/// Counts terms in the text of a document.
fn counts(shard: &dyn Shard, span: &DocumentSpan, numbers: &[Option<u32>]) -> Outcome<Vec<u32>> {
    let numbered = numbers.iter().enumerate().filter_map(|(at, number)| Some(((*number)?, at)));
    let positions: HashMap<u32, usize> = numbered.collect();
    let sections: Vec<u64> = span.sections.clone().take(SECTIONS as usize).collect();
    let mut counts = vec![0; numbers.len()];
    for section in shard.sections(&sections)? {
        // The terms of the title come first. They are not part of the text of each section.
        let places = varints::places(&section.terms).skip_while(|place| place.term != 0);
        places
            .filter_map(|place| positions.get(&place.term))
            .for_each(|&position| counts[position] += 1);
    }
    Ok(counts)
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

    /// Estimates the term score of each document: each section that contains a term counts as one
    /// occurrence.
    fn estimates(&self, index: usize, terms: &[Term], mean_length: f32) -> Vec<f32> {
        let norms: Vec<f32> =
            self.0.iter().map(|span| norm(span.characters, mean_length)).collect();
        let mut sums = vec![0.0; self.0.len()];
        for term in terms {
            for &(span, count) in &term.documents[index] {
                sums[span] += term.score(count, norms[span]);
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

/// Returns the most significant words of a text.
fn significant_words(
    shards: &[Box<dyn Shard + '_>],
    analysers: &[Analyser],
    text: &str,
) -> Outcome<Vec<SignificantWord>> {
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
    let words = counts.into_iter();
    let mut words: Vec<(SignificantWord, u64)> = words
        .map(|(count, text)| (SignificantWord { text, count, numbers: Vec::new() }, 0))
        .collect();
    for (shard, analyser) in shards.iter().zip(analysers) {
        let stems: Vec<_> = words.iter().map(|(word, _)| analyser.stem(&word.text)).collect();
        let stems: Vec<&str> = stems.iter().map(|stem| &**stem).collect();
        let frequencies = shard.frequencies(&stems)?;
        for ((word, sections), frequency) in words.iter_mut().zip(frequencies) {
            word.numbers.push(frequency.term);
            *sections += frequency.sections;
        }
    }
    // A word that occurs in only one section cannot find another section.
    words.retain(|(_, sections)| *sections > 1);
    let significance = |(word, sections): &(SignificantWord, u64)| {
        let rarity = rarity(*sections, all);
        word.count as f32 * rarity * rarity
    };
    words.sort_by(|left, right| significance(right).total_cmp(&significance(left)));
    words.truncate(TERMS);
    Ok(words.into_iter().map(|(word, _)| word).collect())
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

/// Ranks sections. `own` is the term score of the text itself.
fn ranked(compared: Vec<Compared>, own: f32) -> Vec<Ranked> {
    let most = most(&compared, own);
    let (mut best, mut others) = (Vec::new(), Vec::new());
    for document in &compared {
        let section = |&(section, cosine): &(u64, f32)| Ranked {
            shard: document.shard,
            section,
            score: combined(document.by_terms, most, cosine),
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::index::{Index, IndexEntry};
    use super::super::local::LocalShard;
    use super::super::store::Store;
    use super::*;

    fn entry(path: &str, title: &str, sections: &[&str]) -> IndexEntry {
        let sections = sections.iter().map(|&text| text.to_owned()).collect();
        IndexEntry { path: path.into(), title: title.into(), sections, headings: Vec::new() }
    }

    fn term(count: u32, rarity: f32) -> Term {
        let weight = count as f32 * rarity;
        Term { count, weight, numbers: Vec::new(), documents: Vec::new() }
    }

    #[test]
    fn occurrences_in_the_text_are_counted() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("index.db");
        let entries = [
            entry("a.md", "Zebras", &["A zebra and zebras.", "No okapi, one zebra."]),
            entry("b.md", "Okapis", &["Only a gnu."]),
        ];
        Index::open(&file).expect("an index").fill(&entries).expect("filled");
        let store = Store::open(&file, Duration::from_secs(1)).expect("a store");
        let shard = LocalShard::new(&store).expect("a shard");
        let frequencies = shard.frequencies(&["zebra", "okapi", "giraff"]).expect("read");
        let numbers: Vec<Option<u32>> =
            frequencies.into_iter().map(|frequency| frequency.term).collect();
        let spans = DocumentSpans::read(&shard).expect("read").0;
        // The titles are not counted.
        let found = spans.iter().map(|span| counts(&shard, span, &numbers).expect("read"));
        assert_eq!(found.collect::<Vec<_>>(), [[3, 1, 0], [0, 0, 0]]);
    }

    #[test]
    fn terms_that_the_text_repeats_and_short_documents_have_higher_scores() {
        let terms = [term(4, 1.0), term(1, 1.0)];
        let mean = norm(1000, 1000.0);
        assert!(score(&terms, [2, 0], mean) > 3.9 * score(&terms, [0, 2], mean));
        assert!(score(&terms, [4, 0], mean) > 1.3 * score(&terms, [2, 0], mean));
        assert!(score(&terms, [4, 0], norm(500, 1000.0)) > score(&terms, [4, 0], mean));
        assert!(score(&terms, [4, 0], norm(20_000, 1000.0)) < 0.3 * score(&terms, [4, 0], mean));
    }

    #[test]
    fn terms_are_compared_with_those_of_the_text_itself() {
        let compared =
            |own: f32, by_terms: [f32; 2]| -> Vec<(u64, f32)> {
                let cosines = [0.5, 0.9];
                let documents =
                    (0..).zip(by_terms).zip(cosines).map(|((section, by_terms), cosine)| {
                        Compared { shard: 0, span: 0, by_terms, cosines: vec![(section, cosine)] }
                    });
                let ranked = ranked(documents.collect(), own);
                ranked.iter().map(|found| (found.section, found.score)).collect()
            };
        let sections = |found: Vec<(u64, f32)>| Vec::from_iter(found.iter().map(|found| found.0));
        // If both documents contain few of the terms, the vectors decide.
        assert_eq!(sections(compared(100.0, [5.0, 4.0])), [1, 0]);
        assert_eq!(sections(compared(10.0, [9.0, 4.0])), [0, 1]);
        // A document can contain the terms more often than a short text.
        assert_eq!(sections(compared(1.0, [9.0, 4.0])), [0, 1]);
        assert!(compared(1.0, [9.0, 4.0]).iter().all(|found| found.1 < 1.0));
        assert_eq!(sections(compared(0.0, [0.0, 0.0])), [1, 0]);
    }

    #[test]
    fn documents_about_the_text_come_before_notes_that_mention_everything() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut index = Index::open(&directory.path().join("index.db")).expect("an index");
        let topics = ["lions", "gnus", "rhinos", "hippos", "hyenas", "storks", "cranes", "ibises"];
        let note = |topic: &&str| format!("We talked about the {topic}, and about zebras.");
        let notes: Vec<String> = topics.iter().map(note).collect();
        let notes: Vec<&str> = notes.iter().map(String::as_str).collect();
        let mut entries = vec![
            entry("text.md", "Stripes", &["Zebras have stripes. Each zebra knows other zebras."]),
            entry("zebras.md", "Horses", &["A zebra is a horse. Zebras graze, and zebras run."]),
            entry("notes.md", "Notes", &notes),
        ];
        for topic in topics {
            let text = format!("In the morning the {topic} are fed with grain.");
            entries.push(entry(&format!("{topic}.md"), topic, &[&text]));
        }
        index.fill(&entries).expect("filled");
        let found = index.related("text.md", &entries[0].sections[0]).expect("found");
        let paths: Vec<&str> = found.iter().map(|found| found.path.as_str()).collect();
        assert_eq!(&paths[..2], ["zebras.md", "notes.md"]);
    }
}
