//! How good the answers of `search` are: nDCG@10 over queries whose answers are
//! known.
//!
//! `cargo bench --bench search -- DIR` takes a directory of sets, each a directory
//! with `sections.jsonl` (`id`, `doc`, `title`, `body` a line, in the order of the
//! documents) and `queries.jsonl` (`type`, `text`, `rel` a line: documents, or
//! sections where the type is `heading`). Without a directory there is nothing to
//! measure, and it says so.

#![allow(clippy::print_stdout, clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use folio::index::{Entry, Found, Index, Ranking};
use serde_json::Value;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A set to measure with.
struct Set {
    name: String,
    entries: Vec<Entry>,
    /// The ids of the sections of each document.
    ids: BTreeMap<String, Vec<String>>,
    queries: Vec<Question>,
}

/// A query and what answers it.
struct Question {
    kind: String,
    text: String,
    answers: Vec<String>,
}

fn main() -> Outcome<()> {
    let given = std::env::args_os().skip(1).find(|word| !word.to_string_lossy().starts_with('-'));
    let Some(directory) = given.map(PathBuf::from) else {
        println!("no sets to measure with: cargo bench --bench search -- DIR");
        return Ok(());
    };
    let mut names: Vec<PathBuf> = fs::read_dir(&directory)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    names.retain(|path| path.join("sections.jsonl").is_file());
    names.sort();
    let rankings = [
        ("both stages", Ranking::Both),
        ("keywords alone", Ranking::Keywords),
        ("meaning alone", Ranking::Meaning),
    ];
    let mut rows: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    let mut columns = Vec::new();
    for path in &names {
        let set = Set::read(path)?;
        let scratch = tempfile::tempdir()?;
        let mut index = Index::open(&scratch.path().join("index.db"))?;
        index.fill(&set.entries)?;
        for (row, (_, ranking)) in rankings.iter().enumerate() {
            for (kind, score) in set.scores(&index, *ranking)? {
                if row == 0 {
                    columns.push(format!("{} {kind}", set.name));
                }
                rows.entry(row).or_default().push(score);
            }
        }
    }
    println!("| ranking | {} | mean |", columns.join(" | "));
    println!("|---|{}", "---|".repeat(columns.len() + 1));
    for (row, (name, _)) in rankings.iter().enumerate() {
        let scores = &rows[&row];
        let cells: Vec<String> = scores.iter().map(|score| format!("{score:.3}")).collect();
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        println!("| {name} | {} | {mean:.3} |", cells.join(" | "));
    }
    Ok(())
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

impl Set {
    fn read(path: &Path) -> Outcome<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut entries: Vec<Entry> = Vec::new();
        let mut ids: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for line in fs::read_to_string(path.join("sections.jsonl"))?.lines() {
            let section: Value = serde_json::from_str(line)?;
            let document = text(&section, "doc");
            if entries.last().is_none_or(|last| last.path != document) {
                let title = text(&section, "title");
                entries.push(Entry { path: document.clone(), title, sections: Vec::new() });
            }
            if let Some(entry) = entries.last_mut() {
                entry.sections.push(text(&section, "body"));
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
        Ok(Self { name, entries, ids, queries })
    }

    /// The mean score of each kind of query.
    fn scores(&self, index: &Index, ranking: Ranking) -> Outcome<BTreeMap<String, f64>> {
        let mut sums: BTreeMap<String, (f64, usize)> = BTreeMap::new();
        for query in &self.queries {
            // A question is text here, whatever signs are in it.
            let plain: String =
                query.text.chars().map(|c| if "\":".contains(c) { ' ' } else { c }).collect();
            let plain = plain.replace(" -", " ");
            let found = index.search(&[plain.trim_start_matches('-')], ranking)?;
            let sum = sums.entry(query.kind.clone()).or_default();
            sum.0 += self.score(query, &found[0]);
            sum.1 += 1;
        }
        Ok(sums.into_iter().map(|(kind, (sum, count))| (kind, sum / count as f64)).collect())
    }

    /// nDCG@10: each answer counts once, at its best place.
    fn score(&self, query: &Question, found: &[Found]) -> f64 {
        let mut seen: Vec<&str> = Vec::new();
        for found in found {
            let id = match query.kind.as_str() {
                "heading" => self.ids[&found.path][found.section].as_str(),
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
