//! Code that `search` and `related` share: selects and opens collections, and reads the sections
//! that were found.

mod hits;
pub(super) mod report;
mod snippet;

use std::path::Path;
use std::time::Duration;

pub use self::hits::Hit;
pub(super) use self::hits::{Changed, decoded, fetch};
use crate::commands::host::Host;
use crate::commands::missing_files;
use crate::commands::output::{Note, Sink, counted, lines_text};
use folio_files::env::Env;
use folio_files::error::{Code, Error, Hint};
use folio_files::walk;
use folio_search::analyser::Analyser;
use folio_search::catalogue::{Catalogue, Collection};
use folio_search::open::{FileState, Freshness, Opened, SearchScope};
use folio_search::shard::Shard;
use folio_search::store::{Failure, Outcome};

/// The indexes of open collections.
pub(super) type Shards<'a> = Vec<Box<dyn Shard + 'a>>;

/// Maximum number of documents of a directory that is searched although it was not requested.
const MOST_UNASKED: usize = 20_000;
/// Time to wait for another process that is writing the index.
const PATIENCE: Duration = Duration::from_millis(500);
/// Maximum number of attempts to read files that change during the search.
const MAX_TRIES: usize = 4;

/// The value of `-c` for all named collections, unless a collection has this name.
const ALL: &str = "all";

/// Returns the collections to which the values of `-c` refer. A directory can be given without a
/// slash if no collection has the same name. If there are no values, returns the collection that
/// contains `start` or, if there is none, the current directory.
pub(super) fn places(
    values: &[String],
    start: Option<&Path>,
    retry: &dyn Fn(&str) -> Hint,
    host: &Host,
    sink: &mut dyn Sink,
) -> Result<Vec<SearchScope>, Error> {
    let env = &host.env;
    let catalogue = Catalogue::load(&host.storage, env)?;
    let mut places: Vec<SearchScope> = Vec::new();
    for value in values {
        if value == ALL && catalogue.find(ALL).is_none() {
            let collections = catalogue.collections();
            if collections.is_empty() {
                let add = Hint::command("collection", ["add", "NAME", "DIR"]);
                let error = Error::new(Code::CollectionNotFound, "no collections");
                return Err(error.hint(add.why("to give a directory a name")));
            }
            places.extend(collections.iter().map(|collection| SearchScope::of(collection, None)));
            continue;
        }
        let place = match place(value, &catalogue, retry, env) {
            Err(error) if error.code == Code::CollectionNotFound && is_directory(value, env) => {
                let path = format!("./{value}");
                let note = format!("no collection '{value}': searched the directory {path}");
                sink.note(Note::new(note));
                SearchScope::of_directory(Path::new(&path), env)?
            }
            place => place?,
        };
        if places.iter().all(|other| other.id != place.id) {
            places.push(place);
        }
    }
    if !values.is_empty() {
        return Ok(places);
    }
    match start.and_then(|start| containing(start, &catalogue, env)) {
        Some(place) => places.push(place),
        None => places = current(&catalogue, retry, host)?,
    }
    if !catalogue.collections().is_empty() {
        let names: Vec<String> = places.iter().map(SearchScope::described).collect();
        let note = Note::new(format!("searched {}", names.join(", ")));
        sink.note(note.hint(retry(ALL).why("to search all collections")));
    }
    Ok(places)
}

/// Returns the places of the current directory or, if access is restricted to other directories, of
/// these: the collections that contain them, or else the directories themselves.
fn current(
    catalogue: &Catalogue,
    retry: &dyn Fn(&str) -> Hint,
    host: &Host,
) -> Result<Vec<SearchScope>, Error> {
    let env = &host.env;
    let mut places: Vec<SearchScope> = Vec::new();
    for directory in env.roots.all() {
        let place = match containing(&directory, catalogue, env) {
            Some(place) => place,
            None => SearchScope::of_directory(&directory, env)?,
        };
        // If a directory has an index, the user has searched it before.
        if !place.is_named && !place.has_index(&host.storage, env)? {
            check_size(&directory, retry, env)?;
        }
        if places.iter().all(|other| other.id != place.id) {
            places.push(place);
        }
    }
    Ok(places)
}

/// Returns the innermost collection that contains a path.
fn containing(path: &Path, catalogue: &Catalogue, env: &Env) -> Option<SearchScope> {
    let resolved = env.roots.resolve(path).ok()?;
    let contains = |collection: &&Collection| {
        !collection.directory.as_os_str().is_empty() && resolved.starts_with(&collection.directory)
    };
    let innermost = catalogue.collections().iter().filter(contains);
    let innermost = innermost.max_by_key(|collection| collection.directory.components().count())?;
    Some(SearchScope::of(innermost, None))
}

fn is_directory(value: &str, env: &Env) -> bool {
    !value.starts_with('@') && env.roots.is_directory(Path::new(value))
}

/// Returns the collection or directory to which a value refers.
pub(super) fn place(
    value: &str,
    catalogue: &Catalogue,
    retry: &dyn Fn(&str) -> Hint,
    env: &Env,
) -> Result<SearchScope, Error> {
    let with_slash = |path: &Path| {
        let path = path.to_string_lossy();
        retry(&if path.contains('/') || path == "." { path } else { format!("./{path}").into() })
    };
    SearchScope::resolve(value, catalogue, retry, env)
        .map_err(|error| no_directory(&with_slash, error, Path::new(value), env))
}

/// Adds suggestions to an error about a directory.
pub(super) fn no_directory(
    retry: &dyn Fn(&Path) -> Hint,
    error: Error,
    directory: &Path,
    env: &Env,
) -> Error {
    match error.code {
        Code::NotADirectory if env.roots.exists(directory) => {
            let parent = directory.parent().filter(|parent| !parent.as_os_str().is_empty());
            error
                .hint(retry(parent.unwrap_or(Path::new("."))).why("the directory that contains it"))
        }
        Code::NotFound | Code::NotADirectory => {
            missing_files::missing_file_for(retry, error, directory, env)
        }
        _ => error,
    }
}

/// Fails if a directory that is searched by default contains too many files.
fn check_size(directory: &Path, retry: &dyn Fn(&str) -> Hint, env: &Env) -> Result<(), Error> {
    let (files, _) = walk::files_below(directory, &Default::default(), env)?;
    if files.len() <= MOST_UNASKED {
        return Ok(());
    }
    let message = format!(
        "the current directory contains {} files: it is searched only if you say so",
        files.len()
    );
    Err(Error::usage(message)
        .hint(retry(".").why("search the current directory anyway"))
        .hint(Hint::command("collection", ["add", "NAME", "DIR"]).why("a directory by a name")))
}

/// For a tool, prints a note with the number of sections found, and the call that reads the first
/// one.
pub(super) fn note_found<'a>(mut hits: impl Iterator<Item = &'a Hit>, sink: &mut dyn Sink) {
    if !sink.style().tools {
        return;
    }
    let Some(first) = hits.next() else { return };
    let mut address = first.address.clone().into_os_string();
    address.push(format!(":{}", lines_text(first.lines)));
    let note = Note::new(counted(1 + hits.count() as u64, "section"));
    sink.note(note.hint(Hint::command("read", [address])));
}

/// Returns the indexes of open collections, and the analysers for their languages.
pub(super) fn shards(opened: &[Opened], has_vectors: bool) -> Outcome<(Shards<'_>, Vec<Analyser>)> {
    let shards: Outcome<Shards<'_>> =
        opened.iter().map(|collection| collection.shard(has_vectors)).collect();
    let analysers: Result<Vec<Analyser>, Error> = opened.iter().map(Opened::analyser).collect();
    Ok((shards?, analysers?))
}

/// Answers a question from open collections. Also returns the changed documents, whose sections are
/// missing.
type Question<'a, T> = &'a dyn Fn(&[Opened]) -> Outcome<(T, Changed)>;

/// Answers a question from collections, which are updated first according to `fresh`. Returns
/// `None` if no collection could be opened. If an index is damaged, rebuilds it and answers the
/// question again.
pub(super) fn ask<T>(
    places: &[SearchScope],
    fresh: bool,
    question: Question<'_, T>,
    host: &Host,
    sink: &mut dyn Sink,
) -> Result<Option<T>, Error> {
    let Host { env, storage, .. } = host;
    let mut failures = 0;
    loop {
        let opened = open(places.to_vec(), fresh, host, sink)?;
        let Some(first) = opened.first() else { return Ok(None) };
        match ask_again(&opened, fresh, failures < 2, question, env) {
            Ok(answer) => return Ok(Some(answer)),
            Err(failure) if failure.is_damage() && failures < 2 => {
                drop(opened);
                for place in places {
                    // An index may seem damaged if another process has just replaced it. If it is
                    // really damaged, the failure occurs again.
                    if failures == 1 || place.is_damaged(storage, env)? {
                        place.remove_index(storage, env)?;
                        sink.note(Note::new(place.rebuilt_note()));
                    }
                }
                failures += 1;
            }
            Err(failure) => return Err(first.failure(failure)),
        }
    }
}

/// Answers a question from the current state of the files. If a document has changed since it was
/// indexed, indexes it again and repeats the question.
///
/// # Errors
///
/// Fails if indexing does not help although a file no longer changes: the index then differs from
/// its files. If `may_be_damaged` is set, the index is reported as damaged.
fn ask_again<T>(
    opened: &[Opened],
    fresh: bool,
    may_be_damaged: bool,
    question: Question<'_, T>,
    env: &Env,
) -> Result<T, Failure> {
    let may_update = fresh && opened.iter().all(|collection| collection.is_writable());
    // The documents that were indexed again, and the states of their files before that.
    let mut indexed: Vec<(usize, Vec<u8>, Option<FileState>)> = Vec::new();
    let mut tries = 1;
    loop {
        let (answer, changed) = question(opened)?;
        if changed.is_empty() || !may_update {
            return Ok(answer);
        }
        let with_state = |(at, path): (usize, Vec<u8>)| {
            let state = opened[at].state(&path, env);
            (at, path, state)
        };
        let changed: Vec<_> = changed.into_iter().map(with_state).collect();
        if tries == MAX_TRIES {
            let is_damaged =
                may_be_damaged && changed.iter().any(|document| indexed.contains(document));
            return if is_damaged { Err(Failure::Damaged) } else { Ok(answer) };
        }
        indexed.clear();
        for (at, collection) in opened.iter().enumerate() {
            let documents: Vec<_> = changed.iter().filter(|(index, ..)| *index == at).collect();
            let paths: Vec<Vec<u8>> = documents.iter().map(|(_, path, _)| path.clone()).collect();
            if !documents.is_empty() && collection.read_again(&paths, env)? {
                indexed.extend(documents.into_iter().cloned());
            }
        }
        tries += 1;
    }
}

/// Returns a note about sections whose documents have changed.
pub(super) fn left_out(changed: usize) -> Note {
    let sections = counted(changed as u64, "section");
    Note::new(format!("{sections} left out: their files have changed since they were indexed"))
}

/// Opens collections, which are updated first according to `fresh`. Reports an error for a
/// collection that cannot be opened.
pub(super) fn open(
    places: Vec<SearchScope>,
    fresh: bool,
    host: &Host,
    sink: &mut dyn Sink,
) -> Result<Vec<Opened>, Error> {
    let Host { env, storage, .. } = host;
    let is_only = places.len() == 1;
    let mut opened = Vec::new();
    for place in places {
        let mut progress = sink.progress(&format!("indexing {}", place.shown));
        let fresh = if fresh { Freshness::IfPossible } else { Freshness::AsItIs };
        let result = place.open(fresh, PATIENCE, storage, env, &mut |done, total| {
            progress(done, total);
        });
        drop(progress);
        match result {
            Ok(collection) => opened.push(collection),
            Err(error) if is_only => return Err(error),
            Err(error) => sink.error(&error),
        }
    }
    for collection in &opened {
        print_notes(collection, sink);
    }
    Ok(opened)
}

/// Prints the notes about a collection.
pub(super) fn print_notes(collection: &Opened, sink: &mut dyn Sink) {
    for remark in &collection.remarks {
        sink.note(Note::new(remark));
    }
    for error in &collection.updated.errors {
        sink.error(error);
    }
}

/// Returns the collection name at the beginning of a path, if there is one.
pub(super) fn named_collection(path: &Path) -> Option<String> {
    let first = path.components().next()?.as_os_str().to_str()?;
    first.strip_prefix('@').map(str::to_owned)
}
