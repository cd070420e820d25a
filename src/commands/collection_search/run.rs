//! From queries to sections; what to say where there are none.

use std::collections::HashSet;

use super::Options;
use crate::collections::analyser::Analyser;
use crate::collections::open::Opened;
use crate::collections::query::Query;
use crate::collections::ranking::{self, Answer, Ranking};
use crate::collections::shard::Shard;
use crate::collections::store::{Failure, Outcome as StoreOutcome};
use crate::commands::output::{Note, Outcome, Sink, counted};
use crate::commands::retrieval::report::Found;
use crate::commands::retrieval::{self, Fetched, Hit};
use crate::commands::shared_args::contradiction;
use crate::error::{Error, ExitStatus, Hint};
use crate::files::env::Env;
use crate::text::fuzzy::name::nearest;

/// How often files that change meanwhile are read again.
const MAX_TRIES: usize = 4;

/// How many absent words are named: for each, all words are compared with it.
const MAX_ABSENT: usize = 8;

/// The answer to a query.
struct Answered {
    hits: Vec<Hit>,
    /// Sections that were looked at.
    sections: u64,
    all_excluded: bool,
    /// Words that occur nowhere, and what is spelt almost so.
    absent: Vec<(String, Option<String>)>,
    /// Documents that changed since they were indexed, by collection.
    changed: Vec<(usize, Vec<u8>)>,
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
    parsed(options, &english()?)?;
    let places = retrieval::places(&options.collections, &retry, env)?;
    let mut opened = retrieval::open(places.clone(), options.update, env, sink)?;
    let Some(first) = opened.first() else { return Ok(ExitStatus::Trouble) };
    let analyser = first.analyser()?;
    let queries = parsed(options, &analyser)?;
    let mut answers = answer(&opened, &queries, options, env);
    if answers.as_ref().is_err_and(Failure::is_damage) {
        drop(opened);
        for place in &places {
            if place.remove_if_damaged(env)? {
                sink.note(Note::new(place.made_anew()));
            }
        }
        opened = retrieval::open(places, true, env, sink)?;
        answers = answer(&opened, &queries, options, env);
    }
    let answers = answers.map_err(|failure| {
        failure.error(&opened.first().map(|own| own.store.file.clone()).unwrap_or_default())
    })?;
    let mut status = ExitStatus::No;
    for (query, answered) in queries.iter().zip(&answers) {
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
        if let Some(note) = remark(query, answered, options) {
            sink.note(note);
        }
    }
    Ok(status)
}

fn english() -> Result<Analyser, Error> {
    let language = crate::collections::analyser::ENGLISH;
    Analyser::new(language).ok_or_else(|| Error::usage("there is no such language"))
}

fn parsed(options: &Options, analyser: &Analyser) -> Result<Vec<Query>, Error> {
    let parse = |source: &String| {
        let mut query = Query::parse(source, analyser)?;
        query.inside.clone_from(&options.inside);
        Ok(query)
    };
    options.queries.iter().map(parse).collect()
}

/// Answers, from files as they are now: where one changed since it was indexed,
/// it is read again and the query asked again.
fn answer(
    opened: &[Opened],
    queries: &[Query],
    options: &Options,
    env: &Env,
) -> StoreOutcome<Vec<Answered>> {
    for is_last in (0..MAX_TRIES).map(|at| at + 1 == MAX_TRIES) {
        let answers = ask(opened, queries, options, env)?;
        let changed: Vec<&(usize, Vec<u8>)> = answers.iter().flat_map(|own| &own.changed).collect();
        let may_update = options.update && opened.iter().all(|own| own.store.is_writable);
        if changed.is_empty() || is_last || !may_update {
            return Ok(answers);
        }
        for (at, collection) in opened.iter().enumerate() {
            let own = changed.iter().filter(|(of, _)| *of == at).map(|(_, path)| path.clone());
            let own: Vec<Vec<u8>> = own.collect();
            if !own.is_empty() {
                collection.read_again(&own, env)?;
            }
        }
    }
    Ok(Vec::new())
}

fn ask(
    opened: &[Opened],
    queries: &[Query],
    options: &Options,
    env: &Env,
) -> StoreOutcome<Vec<Answered>> {
    let mut shards = Vec::new();
    let mut analysers = Vec::new();
    for collection in opened {
        let mut shard = Shard::new(&collection.store)?;
        if options.ranking != Ranking::Keywords {
            shard.open_vectors()?;
        }
        shards.push(shard);
        analysers.push(collection.analyser()?);
    }
    let answers = ranking::rank(&shards, queries, &analysers, options.ranking)?;
    let sections = shards.iter().map(|shard| shard.sections).sum();
    let mut answered = Vec::new();
    for (query, answer) in queries.iter().zip(answers) {
        let mut own = fetch(opened, &shards, &answer, options, env)?;
        own.sections = sections;
        if own.hits.is_empty() {
            own.absent = absent(&shards, &analysers, query)?;
        }
        answered.push(own);
    }
    Ok(answered)
}

fn fetch(
    opened: &[Opened],
    shards: &[Shard<'_>],
    answer: &Answer,
    options: &Options,
    env: &Env,
) -> Result<Answered, Failure> {
    let mut own = Answered {
        hits: Vec::new(),
        sections: 0,
        all_excluded: answer.all_excluded,
        absent: Vec::new(),
        changed: Vec::new(),
    };
    let least = options.max_distance.map(|distance| 1.0 - distance);
    let is_near =
        |cosine: Option<f32>| least.is_none_or(|least| cosine.is_some_and(|own| own >= least));
    for ranked in answer.ranked.iter().filter(|ranked| is_near(ranked.cosine)) {
        if own.hits.len() == options.limit {
            break;
        }
        match retrieval::fetch(&opened[ranked.shard], &shards[ranked.shard], ranked, env)? {
            Fetched::Hit(hit) => own.hits.push(*hit),
            Fetched::Changed(document) => own.changed.push((ranked.shard, document)),
        }
    }
    Ok(own)
}

/// Words that occur in no section, and the nearest that do.
fn absent(
    shards: &[Shard<'_>],
    analysers: &[Analyser],
    query: &Query,
) -> StoreOutcome<Vec<(String, Option<String>)>> {
    let mut absent = Vec::new();
    for word in query.words.iter().filter(|word| !word.is_whole) {
        if absent.len() == MAX_ABSENT {
            break;
        }
        let mut occurs = false;
        for (shard, analyser) in shards.iter().zip(analysers) {
            occurs |= shard.frequency(&analyser.stem(&word.text))?.sections > 0;
        }
        if !occurs && absent.iter().all(|(known, _)| *known != word.text) {
            absent.push((word.text.clone(), None));
        }
    }
    if absent.is_empty() {
        return Ok(absent);
    }
    let mut words: Vec<String> = Vec::new();
    for shard in shards {
        shard.words(|word| words.push(word.to_owned()))?;
    }
    for (word, similar) in &mut absent {
        let near = nearest(word, words.iter().map(String::as_str), 1);
        *similar = near.first().map(|&at| words[at].clone());
    }
    Ok(absent)
}

/// What is to be said of an answer that has no sections, or not all.
fn remark(query: &Query, answered: &Answered, options: &Options) -> Option<Note> {
    if !answered.hits.is_empty() {
        let count = answered.changed.len();
        let message = format!(
            "{} left out: their files have changed since they were indexed",
            counted(count as u64, "section")
        );
        return (count > 0).then(|| Note::new(message));
    }
    let place = counted(answered.sections, "section");
    let mut message = format!("nothing found in {place} for '{}'", query.source);
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
