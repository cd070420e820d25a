//! Runs `search`: answers queries, and explains answers without results.

use std::collections::HashSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::args::SearchArgs;
use crate::commands::host::Host;
use crate::commands::output::{Collected, Note, Outcome, Sink, counted};
use crate::commands::retrieval::report::Found;
use crate::commands::retrieval::{self, Changed, Hit};
use folio_files::env::Env;
use folio_files::error::{Error, ExitStatus, Hint};
use folio_files::options::{COLLECTION, IN, MAX_DISTANCE, NO_CORRECTION};
use folio_search::analyser::Analyser;
use folio_search::open::{Opened, SearchScope};
use folio_search::query::{Query, QueryWord};
use folio_search::ranking::{self, Ranked, Ranking};
use folio_search::recipe::{Recipe, Spread};
use folio_search::shard::Shard;
use folio_search::spelling::{self, Corrected, Correction};
use folio_search::store::Outcome as StoreOutcome;
use folio_search::translations::question_language;

/// Maximum number of missing words to list. A missing word does not occur in any section.
const MAX_ABSENT: usize = 8;

/// The answer to a query.
struct Answered {
    /// The query as the user typed it.
    source: String,
    /// The query that was run, after corrections.
    query: Query,
    corrections: Vec<Correction>,
    hits: Vec<Hit>,
    /// Number of sections that were searched.
    sections: u64,
    all_excluded: bool,
    /// Words that do not occur in any section, if the answer needs an explanation.
    absent: Vec<QueryWord>,
    /// Number of sections omitted because their documents have changed.
    changed: usize,
}

/// Returns the sections found for all queries, for callers in this process.
///
/// # Errors
///
/// Fails if a query or an option is invalid, or if no collection can be searched.
pub fn hits(args: &SearchArgs, host: &Host) -> Result<Vec<Hit>, Error> {
    let mut sink = Collected::json();
    let answers = answers(args, host, &mut sink)?.map(|(_, answers, _)| answers);
    let answers = answers.into_iter().flatten();
    let hits: Vec<Hit> = answers.flat_map(|answered| answered.hits).collect();
    if hits.is_empty() {
        sink.check()?;
    }
    Ok(hits)
}

/// The analyser of the first collection, the answers, and the searched collections. `None` if no
/// collection could be opened.
type Answers = Option<(Analyser, Vec<Answered>, Vec<SearchScope>)>;

fn answers(args: &SearchArgs, host: &Host, sink: &mut dyn Sink) -> Result<Answers, Error> {
    let env = &host.env;
    let (words, directory) = args.operands(|path| env.roots.is_directory(path));
    let queries = args.queries(words);
    args.check(&queries)?;
    let retry = |collection: &str| Hint::with_value(COLLECTION, collection);
    // Invalid queries are reported before anything is indexed.
    let parsed = parsed(&queries, args)?;
    let mut names = args.collection.clone();
    names.extend(directory.map(in_directory));
    let places = retrieval::places(&names, None, &retry, host, sink)?;
    note_operands(words, directory, &queries, env, sink);
    let question = |opened: &[Opened]| answer(opened, &parsed, args, env);
    let answered = retrieval::ask(&places, !args.no_update, &question, host, sink)?;
    Ok(answered.map(|(analyser, answers)| (analyser, answers, places)))
}

/// Returns the value of `-c` for a directory.
fn in_directory(directory: &OsString) -> String {
    let path = directory.to_string_lossy();
    if path.contains('/') || path == "." || path == ".." {
        path.into_owned()
    } else {
        format!("./{path}")
    }
}

/// Prints notes about operands that are names of files: the directory to search, and words of the
/// query that may have been meant as files.
fn note_operands(
    words: &[OsString],
    directory: Option<&OsString>,
    queries: &[String],
    env: &Env,
    sink: &mut dyn Sink,
) {
    if let Some(directory) = directory {
        let shown = directory.to_string_lossy();
        let message = format!("searched the directory '{shown}'; after --, it is a word to search");
        sink.note(Note::new(message));
    }
    if words.len() < 2 {
        return;
    }
    // A name without a slash is more likely a word, unless it is where other tools accept a file.
    let is_path = |word: &&OsString| {
        let is_last = words.last() == Some(word);
        (is_last || word.as_bytes().contains(&b'/')) && env.roots.exists(Path::new(word))
    };
    if let Some(word) = words.iter().find(is_path) {
        let shown = word.to_string_lossy();
        let note = Note::new(format!("'{shown}' is a word of the query '{}'", queries[0]));
        let others = words.iter().filter(|other| *other != word);
        let directory = Hint::command("search", others).and([word]);
        sink.note(if env.roots.is_directory(Path::new(word)) {
            note.hint(directory.why("to search in the directory"))
        } else {
            note
        });
    }
}

/// Runs `search`.
pub fn run(args: &SearchArgs, host: &Host, sink: &mut dyn Sink) -> Outcome {
    let Some((analyser, answers, places)) = answers(args, host, sink)? else {
        return Ok(ExitStatus::Trouble);
    };
    let mut status = ExitStatus::No;
    for answered in &answers {
        let query = &answered.query;
        let stems: HashSet<String> =
            query.words.iter().map(|word| analyser.stem(&word.text).into_owned()).collect();
        for hit in &answered.hits {
            status = ExitStatus::Done;
            let found = Found {
                hit,
                query: Some(&answered.source),
                corrected: (!answered.corrections.is_empty()).then_some(&query.source),
                stems: &stems,
                analyser: &analyser,
                content: args.content,
                null: args.null,
            };
            if sink.record(&found).is_err() {
                return Ok(status);
            }
        }
        let notes = [correction_note(answered), remark(answered, &places, args)];
        notes.into_iter().flatten().for_each(|note| sink.note(note));
    }
    retrieval::note_found(answers.iter().flat_map(|answered| &answered.hits), sink);
    Ok(status)
}

fn parsed(queries: &[String], args: &SearchArgs) -> Result<Vec<Query>, Error> {
    let parse = |source: &String| {
        let mut query = Query::parse(source)?;
        query.inside.clone_from(&args.inside);
        Ok(query)
    };
    queries.iter().map(parse).collect()
}

/// Answers the queries. Also returns the analyser of the first collection.
fn answer(
    opened: &[Opened],
    queries: &[Query],
    args: &SearchArgs,
    env: &Env,
) -> StoreOutcome<((Analyser, Vec<Answered>), Changed)> {
    let (shards, mut analysers) = retrieval::shards(opened, args.ranking() != Ranking::Keywords)?;
    let (mut parsed, mut corrections) = (Vec::new(), Vec::new());
    for query in queries {
        let corrected = if args.no_correction {
            Corrected { query: query.clone(), corrections: Vec::new() }
        } else {
            spelling::correct(&shards, &analysers, query.clone())?
        };
        parsed.push(spelling::without_stop_words(&shards, &analysers, &corrected.query)?);
        corrections.push(corrected.corrections);
    }
    let recipe = Recipe::default();
    let answers = ranking::rank(&shards, &parsed, &analysers, args.ranking(), &recipe)?;
    let sections = shards.iter().map(|shard| shard.totals().sections).sum();
    let min_cosine = args.max_distance.map(|distance| 1.0 - distance);
    let is_near = |ranked: &Ranked| {
        min_cosine.is_none_or(|min| ranked.cosine.is_some_and(|cosine| cosine >= min))
    };
    let spread = args.per_document.map_or(Spread::First, |max| Spread::AtMost(max as usize));
    let limits = (args.limit as usize, spread);
    let (mut answered, mut all_changed) = (Vec::new(), Changed::new());
    for (at, (query, mut answer)) in parsed.into_iter().zip(answers).enumerate() {
        answer.ranked.retain(is_near);
        let language = question_language(&queries[at].text);
        let (hits, mut changed) =
            retrieval::fetch(opened, &shards, &mut answer.ranked, language, limits, env)?;
        let absent = absent(&shards, &analysers, &query)?;
        let is_without_words = absent.len() == query.words.len();
        let is_reported = hits.is_empty() || (is_without_words && args.ranking() == Ranking::Both);
        answered.push(Answered {
            source: queries[at].source.clone(),
            corrections: std::mem::take(&mut corrections[at]),
            absent: if is_reported { absent } else { Vec::new() },
            query,
            hits,
            sections,
            all_excluded: answer.all_excluded,
            changed: changed.len(),
        });
        all_changed.append(&mut changed);
    }
    Ok(((analysers.swap_remove(0), answered), all_changed))
}

/// Returns the words of a query that do not occur in any section.
fn absent(
    shards: &[Box<dyn Shard + '_>],
    analysers: &[Analyser],
    query: &Query,
) -> StoreOutcome<Vec<QueryWord>> {
    let words = query.words.iter().map(|word| word.text.as_str()).collect();
    let absent = spelling::absent_words(shards, analysers, words)?;
    let is_absent = |word: &&QueryWord| absent.contains(&word.text.as_str());
    Ok(query.words.iter().filter(is_absent).cloned().collect())
}

/// Returns a note about words that were corrected because they do not occur in any section.
fn correction_note(answered: &Answered) -> Option<Note> {
    if answered.corrections.is_empty() {
        return None;
    }
    let quoted = |words: &dyn Fn(&Correction) -> &String| {
        let words: Vec<String> = answered
            .corrections
            .iter()
            .map(|correction| format!("'{}'", words(correction)))
            .collect();
        words.join(", ")
    };
    let message = format!(
        "searched for {} instead of {}",
        quoted(&|correction| &correction.to),
        quoted(&|correction| &correction.from)
    );
    let hint = Hint::with_switch(NO_CORRECTION).why("to search for the original words");
    Some(Note::new(message).hint(hint))
}

/// Returns a note about an answer that contains no sections, omits sections, or contains no word of
/// the query.
fn remark(answered: &Answered, places: &[SearchScope], args: &SearchArgs) -> Option<Note> {
    if answered.changed > 0 {
        return Some(retrieval::left_out(answered.changed));
    }
    if answered.sections == 0 {
        return Some(nothing_to_search(places));
    }
    Some(Note::new(if answered.hits.is_empty() {
        nothing_found(answered, args)
    } else if answered.absent.is_empty() {
        return None;
    } else {
        format!(
            "no section contains a word of '{}'; these sections are closest in meaning",
            answered.source
        )
    }))
}

fn nothing_found(answered: &Answered, args: &SearchArgs) -> String {
    let place = counted(answered.sections, "section");
    let mut message = format!("nothing found in {place} for '{}'", answered.source);
    if answered.all_excluded {
        message.push_str(&format!(
            ": the conditions (phrases, -word, title:, path:, {IN}) exclude everything"
        ));
    } else if args.max_distance.is_some() {
        message.push_str(&format!(": no section is within {MAX_DISTANCE}"));
    }
    let mut words: Vec<String> = Vec::new();
    for word in answered.absent.iter().filter(|word| !word.is_whole) {
        let word = format!("'{}'", word.text);
        if words.len() < MAX_ABSENT && !words.contains(&word) {
            words.push(word);
        }
    }
    if !words.is_empty() {
        let verb = if words.len() == 1 { "occurs" } else { "occur" };
        message.push_str(&format!("; {} {verb} in no section", words.join(", ")));
    }
    message
}

fn nothing_to_search(places: &[SearchScope]) -> Note {
    let names: Vec<String> = places.iter().map(|place| format!("'{}'", place.shown)).collect();
    let note = Note::new(format!("nothing to search: no documents in {}", names.join(", ")));
    match places {
        [place] => {
            let hint = Hint::command("list", ["--depth", "20"]).and([&place.directory]);
            note.hint(hint.why("list what exists"))
        }
        _ => note,
    }
}
