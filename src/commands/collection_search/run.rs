//! From queries to sections; what to say where there are none.

use std::collections::HashSet;

use super::Options;
use crate::collections::analyser::Analyser;
use crate::collections::open::{Opened, Place};
use crate::collections::query::{Query, QueryWord};
use crate::collections::ranking::{self, Ranked, Ranking};
use crate::collections::recipe::Recipe;
use crate::collections::shard::Shard;
use crate::collections::store::Outcome as StoreOutcome;
use crate::commands::output::{Note, Outcome, Sink, counted};
use crate::commands::retrieval::report::Found;
use crate::commands::retrieval::{self, Changed, Hit};
use crate::commands::shared_args::contradiction;
use crate::error::{Error, ExitStatus, Hint};
use crate::files::env::Env;
use crate::text::fuzzy::name::nearest;

/// How many absent words are named: for each, all words are compared with it.
const MAX_ABSENT: usize = 8;

/// The answer to a query.
struct Answered {
    query: Query,
    hits: Vec<Hit>,
    /// Sections that were looked at.
    sections: u64,
    all_excluded: bool,
    /// Words that occur nowhere, and what is spelt almost so.
    absent: Vec<(String, Option<String>)>,
    /// Sections that are left out because their documents have changed.
    changed: usize,
}

/// Runs the command.
pub fn run(options: &Options, env: &Env, sink: &mut dyn Sink) -> Outcome {
    let style = sink.style();
    options.check()?;
    if options.null && style.json {
        return Err(contradiction("--null", "--json"));
    }
    let retry =
        |collection: &str| Hint::command("search", ["-c", collection]).and(options.queries.first());
    // What cannot be searched for is said before anything is indexed.
    let queries = parsed(options)?;
    let places = retrieval::places(&options.collections, &retry, env)?;
    let question = |opened: &[Opened]| answer(opened, &queries, options, env);
    let answered = retrieval::ask(&places, options.update, &question, env, sink)?;
    let Some((analyser, answers)) = answered else { return Ok(ExitStatus::Trouble) };
    let mut status = ExitStatus::No;
    for answered in &answers {
        let query = &answered.query;
        let stems: HashSet<String> =
            query.words.iter().map(|word| analyser.stem(&word.text).into_owned()).collect();
        for hit in &answered.hits {
            status = ExitStatus::Done;
            let found = Found {
                hit,
                query: Some(&query.source),
                stems: &stems,
                analyser: &analyser,
                null: options.null,
            };
            if sink.record(&found).is_err() {
                return Ok(status);
            }
        }
        if let Some(note) = remark(answered, &places, options) {
            sink.note(note);
        }
    }
    Ok(status)
}

fn parsed(options: &Options) -> Result<Vec<Query>, Error> {
    let parse = |source: &String| {
        let mut query = Query::parse(source)?;
        query.inside.clone_from(&options.inside);
        Ok(query)
    };
    options.queries.iter().map(parse).collect()
}

/// Answers, with the analyser of the first collection.
fn answer(
    opened: &[Opened],
    queries: &[Query],
    options: &Options,
    env: &Env,
) -> StoreOutcome<((Analyser, Vec<Answered>), Changed)> {
    let has_vectors = options.ranking != Ranking::Keywords;
    let shards: StoreOutcome<Vec<Box<dyn Shard + '_>>> =
        opened.iter().map(|own| own.shard(has_vectors)).collect();
    let shards = shards?;
    let analysers: Result<Vec<Analyser>, Error> = opened.iter().map(Opened::analyser).collect();
    let mut analysers = analysers?;
    let queries: Vec<Query> =
        queries.iter().map(|query| query.clone().without_stop_words(&analysers[0])).collect();
    let recipe = Recipe::default();
    let answers = ranking::rank(&shards, &queries, &analysers, options.ranking, &recipe)?;
    let sections = shards.iter().map(|shard| shard.totals().sections).sum();
    let least = options.max_distance.map(|distance| 1.0 - distance);
    let is_near = |ranked: &&Ranked| {
        least.is_none_or(|least| ranked.cosine.is_some_and(|cosine| cosine >= least))
    };
    let (mut answered, mut all_changed) = (Vec::new(), Changed::new());
    for (query, answer) in queries.into_iter().zip(answers) {
        let near = answer.ranked.iter().filter(is_near);
        let (hits, mut changed) = retrieval::fetch(opened, &shards, near, options.limit, env)?;
        let is_odd = options.ranking == Ranking::Both && !occurs_any(&shards, &analysers, &query)?;
        let absent = match hits.is_empty() || is_odd {
            true => absent(&shards, &analysers, &query)?,
            false => Vec::new(),
        };
        answered.push(Answered {
            query,
            hits,
            sections,
            all_excluded: answer.all_excluded,
            absent,
            changed: changed.len(),
        });
        all_changed.append(&mut changed);
    }
    Ok(((analysers.swap_remove(0), answered), all_changed))
}

fn occurs(
    word: &QueryWord,
    shards: &[Box<dyn Shard + '_>],
    analysers: &[Analyser],
) -> StoreOutcome<bool> {
    for (shard, analyser) in shards.iter().zip(analysers) {
        if shard.frequency(&analyser.stem(&word.text))?.sections > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether any word of a query does.
fn occurs_any(
    shards: &[Box<dyn Shard + '_>],
    analysers: &[Analyser],
    query: &Query,
) -> StoreOutcome<bool> {
    for word in &query.words {
        if occurs(word, shards, analysers)? {
            return Ok(true);
        }
    }
    Ok(query.words.is_empty())
}

/// Words that occur in no section, and the nearest that do.
fn absent(
    shards: &[Box<dyn Shard + '_>],
    analysers: &[Analyser],
    query: &Query,
) -> StoreOutcome<Vec<(String, Option<String>)>> {
    let mut absent = Vec::new();
    for word in query.words.iter().filter(|word| !word.is_whole) {
        if absent.len() == MAX_ABSENT {
            break;
        }
        if !occurs(word, shards, analysers)? && absent.iter().all(|(known, _)| *known != word.text)
        {
            absent.push((word.text.clone(), None));
        }
    }
    if absent.is_empty() {
        return Ok(absent);
    }
    let mut words: Vec<String> = Vec::new();
    for shard in shards {
        shard.words(&mut |word| words.push(word.to_owned()))?;
    }
    for (word, similar) in &mut absent {
        let near = nearest(word, words.iter().map(String::as_str), 1);
        *similar = near.first().map(|&at| words[at].clone());
    }
    Ok(absent)
}

/// What is to be said of an answer that has no sections, or not all, or none that
/// has a word of the question.
fn remark(answered: &Answered, places: &[Place], options: &Options) -> Option<Note> {
    if answered.changed > 0 {
        return Some(retrieval::left_out(answered.changed));
    }
    if answered.sections == 0 {
        return Some(nothing_to_search(places));
    }
    let query = &answered.query;
    let message = match answered.hits.is_empty() {
        true => nothing_found(answered, options),
        false if answered.absent.is_empty() => return None,
        false => format!(
            "no word of '{}' occurs: these sections are nearest to it in meaning",
            query.source
        ),
    };
    let mut note = Note::new(message);
    let mut corrected = query.source.clone();
    for (word, similar) in &answered.absent {
        if let Some(similar) = similar {
            corrected = corrected.to_lowercase().replace(word, similar);
        }
    }
    if corrected != query.source && answered.absent.iter().any(|(_, similar)| similar.is_some()) {
        let collections = options.collections.iter().flat_map(|own| ["-c", own]);
        let hint = Hint::command("search", collections).and([&corrected]);
        note = note.hint(hint.why("with the nearest words that do occur"));
    }
    Some(note)
}

fn nothing_found(answered: &Answered, options: &Options) -> String {
    let place = counted(answered.sections, "section");
    let mut message = format!("nothing found in {place} for '{}'", answered.query.source);
    if answered.all_excluded {
        message
            .push_str(": conditions (phrases, -word, title:, path:, --in) leave out all there is");
    } else if options.max_distance.is_some() {
        message.push_str(": nothing is as near as --max-distance asks");
    }
    let words: Vec<String> = answered.absent.iter().map(|(word, _)| format!("'{word}'")).collect();
    if !words.is_empty() {
        let verb = if words.len() == 1 { "occurs" } else { "occur" };
        message.push_str(&format!("; {} {verb} nowhere", words.join(", ")));
    }
    message
}

fn nothing_to_search(places: &[Place]) -> Note {
    let names: Vec<String> = places.iter().map(|place| format!("'{}'", place.shown)).collect();
    let note = Note::new(format!("there is nothing to search: no text in {}", names.join(", ")));
    match places {
        [place] => {
            let hint = Hint::command("list", ["--depth", "20"]).and([&place.directory]);
            note.hint(hint.why("what there is"))
        }
        _ => note,
    }
}
