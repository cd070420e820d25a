//! Which sections answer a query best, in two stages: candidates by rare terms and
//! by vectors, then a score of each. Several indexes are judged as one.

use super::analyser::Analyser;
use super::model::{Token, rarity, tokens};
use super::query::Query;
use super::recipe::Recipe;
pub use super::scoring::Ranked;
use super::scoring::{Candidate, Likenesses, Scales, Scored, Term};
use super::shard::{Frequency, Shard};
use super::store::Outcome;
use super::vectors::Probe;

/// Terms of a query that candidates are looked for by: the rarest.
const RAREST: usize = 8;
/// Candidates by their terms.
const BY_TERMS: usize = 100;
/// The same where there are no others.
const BY_TERMS_ALONE: usize = 300;
/// The rank of the section whose cosine counts for nothing.
const FLOOR: usize = 100;

/// How sections are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ranking {
    /// By terms and by vectors.
    #[default]
    Both,
    /// By terms alone.
    Keywords,
    /// By vectors alone.
    Meaning,
}

/// An answer: the best sections first.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Sections.
    pub ranked: Vec<Ranked>,
    /// Whether conditions left out all there were.
    pub all_excluded: bool,
}

/// Answers queries from several indexes.
pub fn rank(
    shards: &[Shard<'_>],
    queries: &[Query],
    analysers: &[Analyser],
    ranking: Ranking,
    recipe: &Recipe,
) -> Outcome<Vec<Answer>> {
    let mut cosines: Vec<Vec<Vec<f32>>> = Vec::new();
    for shard in shards {
        let texts: &[Query] = if ranking == Ranking::Keywords { &[] } else { queries };
        let probes: Vec<Probe> = texts.iter().map(|query| shard.probe(&query.text)).collect();
        cosines.push(shard.cosines(&probes)?);
    }
    let mut answers = Vec::new();
    for (at, query) in queries.iter().enumerate() {
        let own: Vec<&[f32]> =
            cosines.iter().map(|of| of.get(at).map_or(&[][..], Vec::as_slice)).collect();
        let question = Question::new(shards, query, analysers, recipe)?;
        answers.push(question.answer(&own, ranking)?);
    }
    Ok(answers)
}

/// A query and what indexes know of its terms.
struct Question<'a> {
    shards: &'a [Shard<'a>],
    query: &'a Query,
    analysers: &'a [Analyser],
    recipe: &'a Recipe,
    terms: Vec<Term>,
    tokens: Vec<Token>,
}

impl<'a> Question<'a> {
    fn new(
        shards: &'a [Shard<'a>],
        query: &'a Query,
        analysers: &'a [Analyser],
        recipe: &'a Recipe,
    ) -> Outcome<Self> {
        let all: u64 = shards.iter().map(|shard| shard.sections).sum();
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
                names: analysers.iter().map(|own| own.stem(&word.text).into_owned()).collect(),
                numbers,
                is_whole: word.is_whole,
                occurs: total.sections > 0,
                rarity: rarity(total.sections, all),
                title_rarity: rarity(total.titles, all),
            });
        }
        let mut query_tokens = Vec::new();
        tokens(&query.text, &mut query_tokens);
        Ok(Self { shards, query, analysers, recipe, terms, tokens: query_tokens })
    }

    fn answer(&self, cosines: &[&[f32]], ranking: Ranking) -> Outcome<Answer> {
        let mut allowed = Vec::new();
        for (shard, analyser) in self.shards.iter().zip(self.analysers) {
            let stem = |word: &str| analyser.stem(word).into_owned();
            allowed.push(shard.allowed(self.query, &stem)?);
        }
        let is_allowed = |shard: usize, section: usize| {
            allowed[shard].as_ref().is_none_or(|allowed: &Vec<bool>| allowed[section])
        };
        let sums = self.sums()?;
        let is_found = |sum: f32| sum > 0.0 || self.terms.is_empty();
        let mut by_terms = Vec::new();
        let mut by_vector = Vec::new();
        for (shard, sums) in sums.iter().enumerate() {
            for (section, &sum) in sums.iter().enumerate() {
                let cosine = cosines[shard].get(section).copied();
                let candidate = Candidate {
                    shard,
                    section: section as u64,
                    sum,
                    cosine: cosine.unwrap_or(0.0),
                };
                let may = is_allowed(shard, section);
                if ranking != Ranking::Meaning && is_found(sum) && sum.is_finite() && may {
                    by_terms.push(candidate);
                }
                if cosine.is_some_and(|cosine| cosine > -1.0) {
                    by_vector.push((candidate, may));
                }
            }
        }
        let all_excluded = by_terms.is_empty() && sums.iter().flatten().any(|&sum| sum > 0.0);
        let count = if ranking == Ranking::Keywords { BY_TERMS_ALONE } else { BY_TERMS };
        let by_terms = first(by_terms, count, |one, other| {
            other.sum.total_cmp(&one.sum).then(other.cosine.total_cmp(&one.cosine))
        });
        let (nearest, scales) = self.nearest(by_vector);
        let candidates = joined(by_terms, nearest);
        let ranked = match ranking {
            Ranking::Meaning => by_cosine(&candidates),
            Ranking::Keywords => self.score(&candidates, None)?,
            Ranking::Both => self.score(&candidates, Some(scales))?,
        };
        Ok(Answer { ranked, all_excluded })
    }

    /// What the rarest terms of each section are worth together.
    fn sums(&self) -> Outcome<Vec<Vec<f32>>> {
        let mut sums: Vec<Vec<f32>> =
            self.shards.iter().map(|shard| vec![0.0; shard.end as usize]).collect();
        let mut rarest: Vec<&Term> = self.terms.iter().filter(|term| term.occurs).collect();
        rarest.sort_by(|one, other| other.rarity.total_cmp(&one.rarity));
        rarest.dedup_by(|one, other| one.names == other.names);
        for term in rarest.into_iter().take(RAREST) {
            for (at, shard) in self.shards.iter().enumerate() {
                if term.numbers[at].is_some() {
                    let own = &mut sums[at];
                    shard.postings(&[&term.names[at]], |section| own[section] += term.rarity)?;
                }
            }
        }
        Ok(sums)
    }

    /// The nearest sections that may answer, and what their cosines are measured
    /// by.
    fn nearest(&self, found: Vec<(Candidate, bool)>) -> (Vec<Candidate>, Scales) {
        let may: Vec<Candidate> =
            found.into_iter().filter(|(_, may)| *may).map(|(candidate, _)| candidate).collect();
        let nearest = first(may, FLOOR, |one, other| other.cosine.total_cmp(&one.cosine));
        let scales = Scales {
            floor: nearest.last().map_or(0.0, |candidate| candidate.cosine),
            top: nearest.first().map_or(0.0, |candidate| candidate.cosine),
        };
        (nearest.into_iter().take(self.recipe.by_vector).collect(), scales)
    }

    fn score(&self, candidates: &[Candidate], scales: Option<Scales>) -> Outcome<Vec<Ranked>> {
        let mut scored = Scored::new(self.shards, &self.terms, scales, self.recipe);
        scored.fill(candidates)?;
        scored.add_cosines();
        if scales.is_some() {
            let mut likenesses = Likenesses::new(&self.tokens);
            scored.add_soft_matches(&self.token_weights(), &mut likenesses);
        }
        scored.add_documents();
        Ok(scored.ranked())
    }

    /// What each token of the query counts for: how rare it is.
    fn token_weights(&self) -> Vec<f32> {
        let of = |token: &Token| {
            let weights = self.shards.iter().filter_map(|shard| shard.token_rarity(*token));
            weights.fold(0.0, f32::max)
        };
        self.tokens.iter().map(of).collect()
    }
}

/// The sections that are nearest to probes, one for each index, but those that are
/// left out.
pub fn nearest(
    shards: &[Shard<'_>],
    probes: Vec<Probe>,
    left_out: &dyn Fn(usize) -> std::ops::Range<u64>,
) -> Outcome<Vec<Ranked>> {
    let mut found = Vec::new();
    for (shard, (own, probe)) in shards.iter().zip(probes).enumerate() {
        let left_out = left_out(shard);
        let cosines = own.cosines(&[probe])?.pop().unwrap_or_default();
        for (section, cosine) in (0..).zip(cosines) {
            if cosine > -1.0 && !left_out.contains(&section) {
                found.push(Candidate { shard, section, sum: 0.0, cosine });
            }
        }
    }
    let nearest = first(found, FLOOR, |one, other| other.cosine.total_cmp(&one.cosine));
    Ok(by_cosine(&nearest))
}

/// The best, in order; what is equal comes in the order of the sections.
fn first(
    mut all: Vec<Candidate>,
    count: usize,
    order: impl Fn(&Candidate, &Candidate) -> std::cmp::Ordering,
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

/// Both, each section once.
fn joined(mut one: Vec<Candidate>, other: Vec<Candidate>) -> Vec<Candidate> {
    one.extend(other);
    one.sort_unstable_by_key(|candidate| (candidate.shard, candidate.section));
    one.dedup_by_key(|candidate| (candidate.shard, candidate.section));
    one
}

fn by_cosine(candidates: &[Candidate]) -> Vec<Ranked> {
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
    ranked.sort_by(|one, other| cosine(other).total_cmp(&cosine(one)));
    ranked
}
