//! Implements the second stage of ranking: scores candidates by their terms, tokens, names and
//! documents.

use std::collections::HashMap;

use super::analyser::Analyser;
use super::model::{TOKENS, Token, TokenVector};
use super::naming;
use super::news::is_news;
use super::recipe::Recipe;
use super::shard::{Candidate, DocumentFacts, Section, Shard, Totals, Which};
use super::store::{Failure, Outcome};
use super::varints;

/// Parameter of BM25: the saturation of term counts.
const SATURATION: f32 = 1.2;
/// Parameter of BM25: the effect of the length of a text.
const LENGTH: f32 = 0.6;
/// Maximum number of candidates whose tokens are compared.
const COMPARED: usize = 30;
/// Minimum similarity of two tokens that affects the score.
const MIN_SIMILARITY: f32 = 0.5;
/// Maximum distance in words between query words that are near each other.
const NEAR: u64 = 2;
/// Assumed distance in words between the title and the text.
const APART: u64 = 16;
/// The weights of the three best sections of a document in the score of the document.
const OF_DOCUMENT: [f32; 3] = [1.0, 0.5, 0.25];

/// A section with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// The position of the index that contains the section.
    pub shard: usize,
    /// The number of the section in the index.
    pub section: u64,
    /// The score, from 0 to 1.
    pub score: f32,
    /// The cosine between the query and the section. `None` if there are no vectors.
    pub cosine: Option<f32>,
}

/// A term of a query.
pub(super) struct Term {
    /// The stem of the term in each index.
    pub(super) names: Vec<String>,
    /// The number of the term in each index.
    pub(super) numbers: Vec<Option<u32>>,
    pub(super) is_whole: bool,
    /// Whether any section contains the term.
    pub(super) occurs: bool,
    pub(super) rarity: f32,
    pub(super) title_rarity: f32,
}

/// A word with dots, such as `1.2.3`. It has no term, so it is looked up like a phrase.
pub(super) struct Dotted {
    /// The stems of its parts in each index.
    pub(super) parts: Vec<Vec<String>>,
    /// For each section of each index, whether it contains the word.
    pub(super) found: Vec<Vec<bool>>,
    pub(super) rarity: f32,
}

/// Maps cosines to scores. Contains the cosine of the nearest section, and the cosine with score 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Scales {
    pub(super) floor: f32,
    pub(super) top: f32,
}

impl Scales {
    /// Maps a cosine to the range from 0 to 1.
    fn scale(self, cosine: f32) -> f32 {
        let range = self.top - self.floor;
        if range > 0.0 { ((cosine - self.floor) / range).clamp(0.0, 1.0) } else { 0.0 }
    }
}

struct Row {
    candidate: Candidate,
    section: Section,
    score: f32,
    /// The score of the heading and the file name.
    named: f32,
}

/// Candidates and their scores.
pub(super) struct Scored<'a> {
    shards: &'a [Box<dyn Shard + 'a>],
    analysers: &'a [Analyser],
    terms: &'a [Term],
    dotted: &'a [Dotted],
    scales: Option<Scales>,
    recipe: &'a Recipe,
    rows: Vec<Row>,
    /// Facts about documents, by index and number.
    documents: HashMap<(usize, u64), DocumentFacts>,
    mean_length: f32,
    mean_title: f32,
}

impl<'a> Scored<'a> {
    pub(super) fn new(
        shards: &'a [Box<dyn Shard + 'a>],
        analysers: &'a [Analyser],
        (terms, dotted): (&'a [Term], &'a [Dotted]),
        scales: Option<Scales>,
        recipe: &'a Recipe,
    ) -> Self {
        let sum = |of: fn(Totals) -> u64| {
            shards.iter().map(|shard| of(shard.totals())).sum::<u64>() as f32
        };
        let sections = sum(|totals| totals.sections).max(1.0);
        Self {
            shards,
            analysers,
            terms,
            dotted,
            scales,
            recipe,
            rows: Vec::new(),
            documents: HashMap::new(),
            mean_length: (sum(|totals| totals.terms) / sections).max(1.0),
            mean_title: (sum(|totals| totals.title_terms) / sections).max(1.0),
        }
    }

    /// Adds candidates with the scores of their terms.
    pub(super) fn fill(&mut self, candidates: &[Candidate]) -> Outcome<()> {
        for part in candidates.chunk_by(|left, right| left.shard == right.shard) {
            let shard = part[0].shard;
            let ids: Vec<u64> = part.iter().map(|candidate| candidate.section).collect();
            let sections = self.shards[shard].sections(&ids)?;
            let mut documents: Vec<u64> = sections.iter().map(|section| section.document).collect();
            documents.sort_unstable();
            documents.dedup();
            for document in self.shards[shard].documents(Which::Numbered(&documents))? {
                self.documents.insert((shard, document.id), document);
            }
            for (candidate, section) in part.iter().zip(sections) {
                self.push(*candidate, section)?;
            }
        }
        Ok(())
    }

    fn push(&mut self, candidate: Candidate, section: Section) -> Outcome<()> {
        let shard = candidate.shard;
        let document = self.documents.get(&(shard, section.document));
        let document = document.ok_or(Failure::Damaged)?;
        let title = &document.title_terms;
        let named = self.name_score(shard, &section.headings, &document.path);
        let places = self.term_positions(shard, &section.terms);
        let counts: Vec<f32> = places.iter().map(|places| places.len() as f32).collect();
        let length = section.length as f32 / self.mean_length;
        let text = self.bm25(&counts, length, |term| term.rarity);
        let in_title = self.term_positions(shard, title);
        let counts: Vec<f32> = in_title.iter().map(|places| places.len() as f32).collect();
        let length = varints::places(title).count() as f32 / self.mean_title;
        let title = self.bm25(&counts, length, |term| term.title_rarity);
        let near = self.proximity(&places);
        let is_there = |word: &&Dotted| {
            word.found[shard].get(candidate.section as usize).is_some_and(|found| *found)
        };
        let text = text + self.dotted.iter().filter(is_there).map(|word| word.rarity).sum::<f32>();
        let score = text + self.recipe.title * title + self.recipe.proximity * near;
        self.rows.push(Row { candidate, section, score, named });
        Ok(())
    }

    /// Returns the score for a heading or file name that contains all words of the query.
    fn name_score(&self, shard: usize, headings: &[String], path: &[u8]) -> f32 {
        let words = self.terms.iter().filter(|term| !term.is_whole);
        let words: Vec<&str> = words.map(|term| term.names[shard].as_str()).collect();
        let path = String::from_utf8_lossy(path);
        let dotted: Vec<&[String]> = self.dotted.iter().map(|word| &*word.parts[shard]).collect();
        let share = |name: &str| naming::name_share(name, &words, &dotted, &self.analysers[shard]);
        let headings = headings.iter().map(|heading| share(heading)).fold(0.0, f32::max);
        self.recipe.heading * headings + self.recipe.file_name * share(naming::of_path(&path))
    }

    /// Returns the positions of each query term in a text.
    fn term_positions(&self, shard: usize, text: &[u8]) -> Vec<Vec<u64>> {
        let mut found = vec![Vec::new(); self.terms.len()];
        let mut position = 0;
        for place in varints::places(text) {
            if !place.is_whole {
                position += if place.term == 0 { APART } else { 1 };
            }
            for (term, found) in self.terms.iter().zip(&mut found) {
                if term.numbers[shard] == Some(place.term) {
                    found.push(position);
                }
            }
        }
        found
    }

    fn bm25(&self, counts: &[f32], length: f32, rarity: impl Fn(&Term) -> f32) -> f32 {
        let norm = SATURATION * (1.0 - LENGTH + LENGTH * length);
        let terms = self.terms.iter().zip(counts);
        terms.map(|(term, count)| rarity(term) * count * (SATURATION + 1.0) / (count + norm)).sum()
    }

    /// Returns the score for adjacent query words that are near each other in the text.
    fn proximity(&self, places: &[Vec<u64>]) -> f32 {
        let words: Vec<usize> =
            (0..self.terms.len()).filter(|&at| !self.terms[at].is_whole).collect();
        let pair = |pair: &[usize]| {
            let (first, second) = (pair[0], pair[1]);
            let near = |place: &&u64| {
                let after = places[second].partition_point(|position| position + NEAR < **place);
                places[second].get(after).is_some_and(|position| *position <= **place + NEAR)
            };
            let count = places[first].iter().filter(near).count() as f32;
            let rarity = (self.terms[first].rarity + self.terms[second].rarity) / 2.0;
            rarity * 2.0 * count / (count + 1.0)
        };
        words.windows(2).map(pair).sum()
    }

    /// Divides the scores by the best score, and adds the scores of names and vectors.
    pub(super) fn add_cosines(&mut self) {
        let top = self.rows.iter().map(|row| row.score).fold(0.0, f32::max);
        for row in &mut self.rows {
            row.score = if top > 0.0 { row.score / top } else { 0.0 };
            row.score += row.named;
            if let Some(scales) = self.scales {
                row.score += self.recipe.cosine * scales.scale(row.candidate.cosine);
            }
        }
        self.sort();
    }

    fn sort(&mut self) {
        self.rows.sort_by(|left, right| right.score.total_cmp(&left.score));
    }

    /// Adds the similarity of tokens to the scores of the best candidates.
    ///
    /// # Errors
    ///
    /// Fails if a section contains an unknown token.
    pub(super) fn add_soft_matches(
        &mut self,
        weights: &[f32],
        similarities: &mut Similarities,
    ) -> Outcome<()> {
        let all: f32 = weights.iter().sum();
        if all <= 0.0 {
            return Ok(());
        }
        for row in self.rows.iter_mut().take(COMPARED) {
            let mut best = vec![0.0_f32; weights.len()];
            for token in varints::tokens(&row.section.tokens) {
                if usize::from(token) >= TOKENS {
                    return Err(Failure::Damaged);
                }
                let similarities = similarities.similarities_to(token);
                best.iter_mut()
                    .zip(similarities)
                    .for_each(|(best, &similarity)| *best = best.max(similarity));
            }
            let sum: f32 = best.iter().zip(weights).map(|(best, weight)| best * weight).sum();
            row.score += self.recipe.soft_match * sum / all;
        }
        self.sort();
        Ok(())
    }

    /// Adds the scores of other sections of the same document.
    pub(super) fn add_documents(&mut self) {
        let mut best: HashMap<(usize, u64), Vec<f32>> = HashMap::new();
        for row in &self.rows {
            let scores = best.entry((row.candidate.shard, row.section.document)).or_default();
            scores.push(row.score);
        }
        for row in &mut self.rows {
            let scores = &best[&(row.candidate.shard, row.section.document)];
            let sum: f32 = scores.iter().zip(OF_DOCUMENT).map(|(score, part)| score * part).sum();
            row.score += self.recipe.document * sum;
        }
        self.sort();
    }

    /// Reduces the scores of news.
    pub(super) fn reduce_news(&mut self) {
        for row in &mut self.rows {
            let document = self.documents.get(&(row.candidate.shard, row.section.document));
            if document.is_some_and(|document| is_news(&document.path)) {
                row.score -= (1.0 - self.recipe.news) * (row.score - row.named).max(0.0);
            }
        }
        self.sort();
    }

    /// Returns the sections, best first. Sections with equal scores are ordered by path and then by
    /// line.
    pub(super) fn ranked(mut self) -> Vec<Ranked> {
        let documents = &self.documents;
        self.rows.sort_by(|left, right| {
            let place = |row: &Row| {
                let (shard, section) = (row.candidate.shard, row.candidate.section);
                let document = documents.get(&(shard, row.section.document));
                (shard, document.map(|document| document.path.as_slice()), section)
            };
            right.score.total_cmp(&left.score).then_with(|| place(left).cmp(&place(right)))
        });
        let named = self.rows.iter().map(|row| row.named).fold(0.0, f32::max);
        let most = named
            + match self.scales {
                Some(_) => 1.0 + self.recipe.cosine + self.recipe.soft_match,
                None => 1.0,
            };
        let most = most * (1.0 + self.recipe.document * OF_DOCUMENT.iter().sum::<f32>());
        let ranked = self.rows.iter().map(|row| Ranked {
            shard: row.candidate.shard,
            section: row.candidate.section,
            score: (row.score / most).clamp(0.0, 1.0),
            cosine: self.scales.map(|_| row.candidate.cosine),
        });
        ranked.collect()
    }
}

/// Caches the similarity of each token to the tokens of a query.
pub(super) struct Similarities {
    query: Vec<(Token, TokenVector)>,
    known: HashMap<Token, Vec<f32>>,
}

impl Similarities {
    pub(super) fn new(query: &[Token]) -> Self {
        let query = query.iter().map(|&token| (token, TokenVector::look_up(token)));
        Self { query: query.collect(), known: HashMap::new() }
    }

    fn similarities_to(&mut self, token: Token) -> &[f32] {
        self.known.entry(token).or_insert_with(|| {
            let other = TokenVector::look_up(token);
            let similarity = |&(query_token, row): &(Token, TokenVector)| {
                let value = if query_token == token { 1.0 } else { row.cosine(other) };
                if value < MIN_SIMILARITY { 0.0 } else { value }
            };
            self.query.iter().map(similarity).collect()
        })
    }
}
