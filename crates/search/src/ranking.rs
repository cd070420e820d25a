//! Ranks sections for queries in two stages. The first stage selects candidates by rare terms,
//! vectors and file names; the second stage scores each candidate. Several indexes are ranked
//! together.

use super::analyser::Analyser;
use super::model::{Token, rarity, tokens};
use super::news::asks_for_news;
use super::query::Query;
use super::recipe::Recipe;
pub use super::scoring::Ranked;
use super::scoring::{Dotted, Scales, Scored, Similarities, Term};
use super::shard::{
    Candidate, Candidates, Criteria, CriteriaTerm, Frequency, Shard, allowed_sections,
    first_in_order, with_phrase,
};
use super::store::Outcome;

/// Maximum number of terms by which candidates are selected. The rarest terms of the query are
/// used.
const RAREST: usize = 8;
/// Maximum number of candidates selected by terms.
const BY_TERMS: usize = 100;
/// Maximum number of candidates if the ranking uses only terms.
const BY_TERMS_ALONE: usize = 300;
/// The rank by vector at which the cosine begins to have no effect on the score.
const FLOOR: usize = 100;

/// The method of ranking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ranking {
    /// By terms and vectors.
    #[default]
    Both,
    /// Only by terms.
    Keywords,
    /// Only by vectors.
    Meaning,
}

/// The answer to a query.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The sections, best first.
    pub ranked: Vec<Ranked>,
    /// Whether the conditions of the query excluded every candidate.
    pub all_excluded: bool,
}

/// Answers queries from several indexes.
pub fn rank(
    shards: &[Box<dyn Shard + '_>],
    queries: &[Query],
    analysers: &[Analyser],
    ranking: Ranking,
    recipe: &Recipe,
) -> Outcome<Vec<Answer>> {
    let mut questions = Vec::new();
    for query in queries {
        questions.push(Question::new(shards, query, analysers, recipe)?);
    }
    let mut found: Vec<Candidates> = queries.iter().map(|_| Candidates::default()).collect();
    for (at, shard) in shards.iter().enumerate() {
        let criteria: Outcome<Vec<Criteria<'_>>> =
            questions.iter().map(|question| question.criteria(at, ranking)).collect();
        let shard_candidates = shard.candidates(&criteria?)?;
        found
            .iter_mut()
            .zip(shard_candidates)
            .for_each(|(found, candidates)| found.add(candidates, at));
    }
    let answers = questions.iter().zip(found);
    answers.map(|(question, found)| question.answer(found, ranking)).collect()
}

impl Candidates {
    /// Adds the candidates of an index.
    fn add(&mut self, other: Self, shard: usize) {
        let in_shard = |candidate: Candidate| Candidate { shard, ..candidate };
        self.by_terms.extend(other.by_terms.into_iter().map(in_shard));
        self.nearest.extend(other.nearest.into_iter().map(in_shard));
        self.named.extend(other.named.into_iter().map(in_shard));
        self.has_terms |= other.has_terms;
    }
}

/// A query with the frequencies of its terms.
struct Question<'a> {
    shards: &'a [Box<dyn Shard + 'a>],
    query: &'a Query,
    analysers: &'a [Analyser],
    recipe: &'a Recipe,
    terms: Vec<Term>,
    dotted: Vec<Dotted>,
    tokens: Vec<Token>,
}

impl<'a> Question<'a> {
    fn new(
        shards: &'a [Box<dyn Shard + 'a>],
        query: &'a Query,
        analysers: &'a [Analyser],
        recipe: &'a Recipe,
    ) -> Outcome<Self> {
        let all: u64 = shards.iter().map(|shard| shard.totals().sections).sum();
        let mut terms: Vec<Term> = Vec::new();
        for word in &query.words {
            let mut numbers = Vec::new();
            let mut total = Frequency::default();
            for (shard, analyser) in shards.iter().zip(analysers) {
                let found = shard.frequency(&analyser.stem(&word.text))?;
                total.sections += found.sections;
                total.titles += found.titles;
                numbers.push(found.term);
            }
            terms.push(Term {
                names: analysers
                    .iter()
                    .map(|analyser| analyser.stem(&word.text).into_owned())
                    .collect(),
                numbers,
                is_whole: word.is_whole,
                occurs: total.sections > 0,
                rarity: rarity(total.sections, all),
                title_rarity: rarity(total.titles, all),
            });
        }
        let mut dotted = Vec::new();
        for word in &query.dotted {
            let mut found = Vec::new();
            for (shard, analyser) in shards.iter().zip(analysers) {
                found.push(with_phrase(&**shard, word, analyser)?);
            }
            let count = found.iter().flatten().filter(|found| **found).count() as u64;
            let stems = |analyser: &Analyser| {
                word.iter().map(|part| analyser.stem(part).into_owned()).collect()
            };
            let parts = analysers.iter().map(stems).collect();
            dotted.push(Dotted { parts, found, rarity: rarity(count, all) });
        }
        let mut query_tokens = Vec::new();
        tokens(&query.text, &mut query_tokens);
        Ok(Self { shards, query, analysers, recipe, terms, dotted, tokens: query_tokens })
    }

    /// Returns the criteria for the candidates of an index.
    fn criteria(&self, at: usize, ranking: Ranking) -> Outcome<Criteria<'_>> {
        let shard = &*self.shards[at];
        let mut rarest: Vec<&Term> = self.terms.iter().filter(|term| term.occurs).collect();
        rarest.sort_by(|left, right| right.rarity.total_cmp(&left.rarity));
        rarest.dedup_by(|left, right| left.names == right.names);
        let terms = rarest.into_iter().take(RAREST).filter_map(|term| {
            let number = term.numbers[at]?;
            Some(CriteriaTerm { name: &term.names[at], number, rarity: term.rarity })
        });
        Ok(Criteria {
            terms: terms.collect(),
            dotted: self.dotted.iter().map(|word| (&*word.found[at], word.rarity)).collect(),
            all: self.terms.is_empty(),
            name: self.name(at, ranking),
            probe: (ranking != Ranking::Keywords).then(|| shard.probe(&self.query.text)),
            allowed: allowed_sections(shard, self.query, &self.analysers[at])?,
            by_terms: max_by_terms(ranking),
            nearest: FLOOR,
        })
    }

    /// Returns the words that a file name must contain. Empty if the query cannot be a file name.
    fn name(&self, at: usize, ranking: Ranking) -> Vec<&str> {
        let words: Vec<&Term> = self.terms.iter().filter(|term| !term.is_whole).collect();
        let is_name = words.len() <= RAREST && ranking != Ranking::Meaning;
        let is_name = is_name && self.recipe.file_name > 0.0;
        words.iter().filter(|_| is_name).map(|term| term.names[at].as_str()).collect()
    }

    fn answer(&self, found: Candidates, ranking: Ranking) -> Outcome<Answer> {
        let all_excluded = found.by_terms.is_empty() && found.has_terms;
        let by_terms =
            first_in_order(found.by_terms.into_iter(), max_by_terms(ranking), Candidate::by_terms);
        let nearest = first_in_order(found.nearest.into_iter(), FLOOR, Candidate::by_cosine);
        let scales = Scales {
            floor: nearest.last().map_or(0.0, |candidate| candidate.cosine),
            top: nearest.first().map_or(0.0, |candidate| candidate.cosine),
        };
        let nearest = nearest.into_iter().take(self.recipe.by_vector).collect();
        let named = first_in_order(found.named.into_iter(), FLOOR, Candidate::by_terms);
        let candidates = merge_candidates(merge_candidates(by_terms, nearest), named);
        let ranked = match ranking {
            Ranking::Meaning => rank_by_cosine(&candidates),
            Ranking::Keywords => self.score(&candidates, None)?,
            Ranking::Both => self.score(&candidates, Some(scales))?,
        };
        Ok(Answer { ranked, all_excluded })
    }

    fn score(&self, candidates: &[Candidate], scales: Option<Scales>) -> Outcome<Vec<Ranked>> {
        let words = (&self.terms[..], &self.dotted[..]);
        let mut scored = Scored::new(self.shards, self.analysers, words, scales, self.recipe);
        scored.fill(candidates)?;
        scored.add_cosines();
        if scales.is_some() {
            let mut similarities = Similarities::new(&self.tokens);
            scored.add_soft_matches(&self.token_weights(), &mut similarities)?;
        }
        scored.add_documents();
        if !asks_for_news(self.query) {
            scored.reduce_news();
        }
        Ok(scored.ranked())
    }

    /// Returns the rarity of each token of the query.
    fn token_weights(&self) -> Vec<f32> {
        let of = |token: &Token| {
            let weights = self.shards.iter().filter_map(|shard| shard.token_rarity(*token));
            weights.fold(0.0, f32::max)
        };
        self.tokens.iter().map(of).collect()
    }
}

/// Returns the maximum number of candidates selected by terms.
fn max_by_terms(ranking: Ranking) -> usize {
    match ranking {
        Ranking::Both => BY_TERMS,
        Ranking::Keywords => BY_TERMS_ALONE,
        Ranking::Meaning => 0,
    }
}

/// Merges two lists and removes duplicates.
fn merge_candidates(mut candidates: Vec<Candidate>, others: Vec<Candidate>) -> Vec<Candidate> {
    candidates.extend(others);
    candidates.sort_unstable_by_key(|candidate| (candidate.shard, candidate.section));
    candidates.dedup_by_key(|candidate| (candidate.shard, candidate.section));
    candidates
}

fn rank_by_cosine(candidates: &[Candidate]) -> Vec<Ranked> {
    let mut ranked: Vec<Ranked> = candidates
        .iter()
        .map(|candidate| Ranked {
            shard: candidate.shard,
            section: candidate.section,
            score: candidate.cosine.clamp(0.0, 1.0),
            cosine: Some(candidate.cosine),
        })
        .collect();
    let cosine = |ranked: &Ranked| ranked.cosine.unwrap_or(0.0);
    ranked.sort_by(|left, right| cosine(right).total_cmp(&cosine(left)));
    ranked
}
