//! Measures the quality of `search`: nDCG@10 over queries with known answers, and how much each
//! part of the ranking contributes.
//!
//! `cargo bench --bench search -- DIR` reads a directory of sets. Each set is a directory with
//! `sections.jsonl` (each line contains `id`, `doc`, `title` and `body`, in the order of the
//! documents) and `queries.jsonl` (each line contains `type`, `text` and `rel`, which lists
//! documents or, if the type begins with `heading` or `section`, sections). If the type is `related`,
//! the text is the path of a document, and `rel` lists the documents that are related to it. Headings are indexed if
//! a query requires them. `sets.py` creates sets with typos, identifiers, file names and the
//! questions of `questions.jsonl`. Additional arguments select variants by name.

#![allow(clippy::print_stdout, clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use folio_search::index::{FoundSection, Index, IndexEntry};
use folio_search::ranking::Ranking;
use folio_search::recipe::{Recipe, Spread};
use serde_json::Value;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A set of documents and queries.
struct Set {
    name: String,
    entries: Vec<IndexEntry>,
    /// The ids of the sections of each document.
    ids: BTreeMap<String, Vec<String>>,
    queries: Vec<Question>,
}

/// A query and its correct answers.
struct Question {
    kind: String,
    text: String,
    answers: Vec<String>,
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let Some(directory) = arguments.first().map(PathBuf::from) else {
        println!("no sets to measure with: cargo bench --bench search -- DIR");
        return Ok(());
    };
    let mut names: Vec<PathBuf> = fs::read_dir(&directory)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    names.retain(|path| path.join("sections.jsonl").is_file());
    names.sort();
    let mut variants = variants();
    let is_requested =
        |variant: &Variant| arguments[1..].iter().any(|part| variant.name.contains(part));
    variants
        .retain(|variant| arguments.len() == 1 || variant.name == WHOLE || is_requested(variant));
    let mut rows: Vec<Vec<f64>> = vec![Vec::new(); variants.len()];
    let mut columns = Vec::new();
    for path in &names {
        let set = Set::read(path)?;
        let scratch = tempfile::tempdir()?;
        let mut index = Index::open(&scratch.path().join("index.db"))?;
        let mut filled = None;
        for (row, variant) in variants.iter().enumerate() {
            index.recipe = variant.recipe;
            if filled.replace(variant.vector_settings()) != Some(variant.vector_settings()) {
                index.fill(&set.entries)?;
            }
            for (kind, score) in set.scores(&index, variant.ranking)? {
                if row == 0 {
                    columns.push(format!("{} {kind}", set.name));
                }
                rows[row].push(score);
            }
        }
    }
    println!("| ranking | {} | mean | costs |", columns.join(" | "));
    println!("|---|{}", "---|".repeat(columns.len() + 2));
    let mean = |scores: &[f64]| scores.iter().sum::<f64>() / scores.len() as f64;
    for (variant, scores) in variants.iter().zip(&rows) {
        let cells: Vec<String> = scores.iter().map(|score| format!("{score:.3}")).collect();
        let (score, full_score) = (mean(scores), mean(&rows[0]));
        let cells = cells.join(" | ");
        println!("| {} | {cells} | {score:.3} | {:+.3} |", variant.name, full_score - score);
    }
    Ok(())
}

/// The ranking with all its parts.
const WHOLE: &str = "both stages";

/// The type of queries that are documents, to which the documents in `rel` are related.
const RELATED: &str = "related";

/// A variant of the ranking.
struct Variant {
    name: &'static str,
    ranking: Ranking,
    recipe: Recipe,
}

impl Variant {
    /// Returns the parts of the recipe that affect the vectors of an index.
    fn vector_settings(&self) -> (bool, f32, f32, bool) {
        let recipe = &self.recipe;
        (recipe.pools_title, recipe.title_in_vector, recipe.beside, recipe.weighs_tokens)
    }
}

/// Returns the complete ranking, each half of it alone, and the ranking without each of its parts.
fn variants() -> Vec<Variant> {
    let whole = Recipe::default();
    let with = |name, ranking, recipe| Variant { name, ranking, recipe };
    let without = |name, recipe| Variant { name, ranking: Ranking::Both, recipe };
    vec![
        with(WHOLE, Ranking::Both, whole),
        with("keywords alone", Ranking::Keywords, whole),
        with("meaning alone", Ranking::Meaning, whole),
        without("without the terms of titles", Recipe { title: 0.0, ..whole }),
        without("without proximity", Recipe { proximity: 0.0, ..whole }),
        without("without cosines", Recipe { cosine: 0.0, ..whole }),
        without("without soft match", Recipe { soft_match: 0.0, ..whole }),
        without("without what documents have", Recipe { document: 0.0, ..whole }),
        without("without less for news", Recipe { news: 1.0, ..whole }),
        without("without candidates by vector", Recipe { by_vector: 0, ..whole }),
        without("without titles in the pooled text", Recipe { pools_title: false, ..whole }),
        without("without titles in vectors", Recipe { title_in_vector: 0.0, ..whole }),
        without("without neighbours in vectors", Recipe { beside: 0.0, ..whole }),
        without("without headings by name", Recipe { heading: 0.0, ..whole }),
        without("without files by name", Recipe { file_name: 0.0, ..whole }),
        without("without spread", Recipe { spread: Spread::Unlimited, ..whole }),
        without("without weights of tokens", Recipe { weighs_tokens: false, ..whole }),
        without("without correction of words", Recipe { corrects_words: false, ..whole }),
    ]
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

impl Set {
    fn read(path: &Path) -> Outcome<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut entries: Vec<IndexEntry> = Vec::new();
        let mut ids: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for line in fs::read_to_string(path.join("sections.jsonl"))?.lines() {
            let section: Value = serde_json::from_str(line)?;
            let document = text(&section, "doc");
            if entries.last().is_none_or(|last| last.path != document) {
                let title = text(&section, "title");
                entries.push(IndexEntry { path: document.clone(), title, ..IndexEntry::default() });
            }
            if let Some(entry) = entries.last_mut() {
                entry.sections.push(text(&section, "body"));
                entry.headings.push(text(&section, "heading"));
            }
            ids.entry(document).or_default().push(text(&section, "id"));
        }
        let mut queries = Vec::new();
        for line in fs::read_to_string(path.join("queries.jsonl"))?.lines() {
            let query: Value = serde_json::from_str(line)?;
            let answers = query["rel"].as_array().into_iter().flatten();
            let answers = answers.filter_map(Value::as_str).map(str::to_owned).collect();
            queries.push(Question {
                kind: text(&query, "type"),
                text: text(&query, "text"),
                answers,
            });
        }
        if queries.iter().any(|query| query.kind.starts_with("heading")) {
            entries.iter_mut().for_each(|entry| entry.headings.clear());
        }
        Ok(Self { name, entries, ids, queries })
    }

    /// Returns the mean score of each kind of query.
    fn scores(&self, index: &Index, ranking: Ranking) -> Outcome<BTreeMap<String, f64>> {
        let mut sums: BTreeMap<String, (f64, usize)> = BTreeMap::new();
        for query in &self.queries {
            // Special characters in a question have no special meaning here.
            let plain: String =
                query.text.chars().map(|c| if "\":".contains(c) { ' ' } else { c }).collect();
            let plain = plain.replace(" -", " ");
            let found = if query.kind == RELATED {
                index.related(&query.text, &self.text(&query.text))?
            } else {
                index.search(&[plain.trim_start_matches('-')], ranking)?.remove(0)
            };
            let sum = sums.entry(query.kind.clone()).or_default();
            sum.0 += self.score(query, &found);
            sum.1 += 1;
        }
        Ok(sums.into_iter().map(|(kind, (sum, count))| (kind, sum / count as f64)).collect())
    }

    /// Returns the text of a document.
    fn text(&self, path: &str) -> String {
        let entry = self.entries.iter().find(|entry| entry.path == path);
        entry.map(|entry| entry.sections.join("\n")).unwrap_or_default()
    }

    /// Computes nDCG@10. Each answer counts once, at its best rank.
    fn score(&self, query: &Question, found: &[FoundSection]) -> f64 {
        let mut seen: Vec<&str> = Vec::new();
        for found in found {
            let id = match query.kind.split(' ').next().unwrap_or_default() {
                "heading" | "section" => self.ids[&found.path][found.section].as_str(),
                _ => found.path.as_str(),
            };
            if !seen.contains(&id) {
                seen.push(id);
            }
        }
        let gain = |place: usize| 1.0 / ((place + 2) as f64).log2();
        let is_answer = |id: &&str| query.answers.iter().any(|answer| answer == id);
        let first = seen.iter().take(10).enumerate();
        let reached: f64 = first.filter(|(_, id)| is_answer(id)).map(|(at, _)| gain(at)).sum();
        let ideal: f64 = (0..query.answers.len().min(10)).map(gain).sum();
        if ideal > 0.0 { reached / ideal } else { 0.0 }
    }
}
