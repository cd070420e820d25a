//! Runs `related`: finds sections similar to a document.

use std::collections::HashSet;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::args::RelatedArgs;
use crate::commands::host::Host;
use crate::commands::output::{Collected, Note, Outcome, Sink};
use crate::commands::retrieval::report::Found;
use crate::commands::retrieval::{self, Changed, Hit};
use crate::commands::{missing_files, retrieval::named_collection};
use folio_files::address::{Address, Part};
use folio_files::env::Env;
use folio_files::error::{Code, Error, ExitStatus, Hint};
use folio_files::options::{ADDRESS, COLLECTION};
use folio_search::analyser::Analyser;
use folio_search::open::{Opened, SearchScope};
use folio_search::recipe::Spread;
use folio_search::related;
use folio_search::shard::{DocumentFacts, Shard, Which};
use folio_search::store::Outcome as StoreOutcome;
use folio_search::translations::{ORIGINAL, PagePath};
use folio_search::vectors::Probe;
use folio_text::span::LineRange;

/// Maximum number of bytes of a document to compare by terms.
const MAX_TEXT: usize = 1 << 20;

/// The document to compare. It is in one of the open collections.
struct Source {
    shard: usize,
    document: DocumentFacts,
}

struct Answered {
    analyser: Analyser,
    hits: Vec<Hit>,
    /// Number of sections omitted because their documents have changed.
    changed: usize,
}

/// Returns the sections found, for callers in this process.
///
/// # Errors
///
/// Fails if the document is not in a collection that can be searched.
pub fn hits(args: &RelatedArgs, host: &Host) -> Result<Vec<Hit>, Error> {
    let mut sink = Collected::json();
    let hits = answers(args, host, &mut sink)?.map(|answered| answered.hits).unwrap_or_default();
    if hits.is_empty() {
        sink.check()?;
    }
    Ok(hits)
}

/// Returns the sections found, or `None` if no collection could be opened.
fn answers(
    args: &RelatedArgs,
    host: &Host,
    sink: &mut dyn Sink,
) -> Result<Option<Answered>, Error> {
    let env = &host.env;
    args.check()?;
    let address = Address::parse(&args.address, |path| env.roots.exists(path))?;
    if let Part::Anchor(_) = address.part {
        let error = Error::usage("the address must be a document, or lines of a document");
        return Err(error.hint(Hint::with_value(ADDRESS, &address.path)));
    }
    if env.roots.similar_mounts(&address.path).is_some() && !env.roots.exists(&address.path) {
        let error = Error::new(Code::NotFound, "No such file or directory").at(&address.path);
        return Err(missing_files::missing_file(error, &address.path, env));
    }
    let collection = named_collection(&address.path);
    let names: Vec<String> = match (args.collection.is_empty(), collection) {
        (true, Some(collection)) => vec![collection],
        _ => args.collection.clone(),
    };
    let retry = |name: &str| Hint::with_value(COLLECTION, name);
    let places = retrieval::places(&names, Some(&address.path), &retry, host, sink)?;
    let question = |opened: &[Opened]| answer(opened, &address, args, env);
    retrieval::ask(&places, !args.no_update, &question, host, sink)
}

/// Runs `related`.
pub fn run(args: &RelatedArgs, host: &Host, sink: &mut dyn Sink) -> Outcome {
    let Some(Answered { analyser, hits, changed }) = answers(args, host, sink)? else {
        return Ok(ExitStatus::Trouble);
    };
    let stems = HashSet::new();
    for hit in &hits {
        let (content, null) = (args.content, args.null);
        let (query, corrected, analyser, stems) = (None, None, &analyser, &stems);
        let found = Found { hit, query, corrected, stems, analyser, content, null };
        if sink.record(&found).is_err() {
            return Ok(ExitStatus::Done);
        }
    }
    if changed > 0 {
        sink.note(retrieval::left_out(changed));
    } else if hits.is_empty() {
        let address = Address::parse(&args.address, |path| host.env.roots.exists(path))?;
        sink.note(Note::at(&address.path, "no other section is similar"));
    }
    retrieval::note_found(hits.iter(), sink);
    Ok(if hits.is_empty() { ExitStatus::No } else { ExitStatus::Done })
}

fn answer(
    opened: &[Opened],
    address: &Address,
    args: &RelatedArgs,
    env: &Env,
) -> StoreOutcome<(Answered, Changed)> {
    let (shards, mut analysers) = retrieval::shards(opened, true)?;
    let source = find(opened, &shards, &address.path, env)?;
    let Some(source) = source else { return Err(no_document(opened, address, env).into()) };
    let lines: &[LineRange] = match &address.part {
        Part::Lines(lines) => lines,
        _ => &[],
    };
    let (text, probes): (String, Vec<Probe>) = match &args.chunk {
        Some(chunk) => (chunk.clone(), shards.iter().map(|shard| shard.probe(chunk)).collect()),
        None => {
            let shard = &*shards[source.shard];
            let sections = sections(shard, &source.document, lines)?;
            let Some(text) = text(&opened[source.shard], shard, &source.document, &sections, env)?
            else {
                let changed = vec![(source.shard, source.document.path)];
                let analyser = analysers.swap_remove(0);
                return Ok((Answered { analyser, hits: Vec::new(), changed: 1 }, changed));
            };
            let center = related::center(shard, &sections)?;
            let center = center.ok_or_else(|| no_lines(&source.document, address))?;
            (text, shards.iter().map(|_| Probe::new(&center)).collect())
        }
    };
    let document_sections = source.document.first..source.document.first + source.document.count;
    let left_out = |shard: usize| -> Range<u64> {
        if shard == source.shard && !args.same_document { document_sections.clone() } else { 0..0 }
    };
    let mut ranked = related::related(&shards, &analysers, &text, &probes, &left_out)?;
    let limits = (args.limit as usize, Spread::OneFirst);
    let language = PagePath::parse(&source.document.path).language;
    let language = language.as_deref().unwrap_or(ORIGINAL);
    let (hits, changed) =
        retrieval::fetch(opened, &shards, &mut ranked, Some(language), limits, env)?;
    let analyser = analysers.swap_remove(0);
    Ok((Answered { analyser, hits, changed: changed.len() }, changed))
}

/// Finds the document at a path, in the first collection that contains it.
fn find(
    opened: &[Opened],
    shards: &[Box<dyn Shard + '_>],
    path: &Path,
    env: &Env,
) -> StoreOutcome<Option<Source>> {
    for (shard, collection) in opened.iter().enumerate() {
        let Some(inner_path) = path_in_collection(path, &collection.place, env) else { continue };
        if let Some(document) =
            shards[shard].documents(Which::At(inner_path.as_os_str().as_bytes()))?.pop()
        {
            return Ok(Some(Source { shard, document }));
        }
    }
    Ok(None)
}

/// Returns the path of a file in a collection, or `None` if it is not in the directory of the
/// collection.
fn path_in_collection(path: &Path, place: &SearchScope, env: &Env) -> Option<PathBuf> {
    let below = match &place.store {
        Some(_) => path.strip_prefix(&place.prefix).map(Path::to_owned),
        None => env.roots.resolve(path).ok()?.strip_prefix(&place.directory).map(Path::to_owned),
    };
    below.ok()
}

fn no_document(opened: &[Opened], address: &Address, env: &Env) -> Error {
    let path = &address.path;
    if let Err(error) = env.roots.resolve(path) {
        return missing_files::missing_file(error, path, env);
    }
    let names: Vec<&str> =
        opened.iter().map(|collection| collection.place.shown.as_str()).collect();
    let names = names.join(", ");
    if opened.iter().any(|collection| path_in_collection(path, &collection.place, env).is_some()) {
        let message = format!(
            "it is in {names}, but not a document: directories, binary, ignored and excluded files, \
             style sheets, tables, SVG images and generated pages are not indexed"
        );
        return Error::new(Code::NotFound, message).at(path);
    }
    let error = Error::new(Code::NotFound, format!("it is not in {names}")).at(path);
    let parent = path.parent().unwrap_or(Path::new(""));
    let directory: PathBuf = Path::new(".").join(parent).components().collect();
    let hint = Hint::with_value(COLLECTION, directory.as_os_str());
    error.hint(hint.why("in its own directory"))
}

fn no_lines(document: &DocumentFacts, address: &Address) -> Error {
    let message = match document.count {
        0 => "it contains no text",
        _ => "no section begins in these lines",
    };
    Error::new(Code::TargetNotFound, message).at(&address.path)
}

/// Returns the sections of a document. If lines are given, returns only sections that overlap them.
fn sections(
    shard: &dyn Shard,
    document: &DocumentFacts,
    lines: &[LineRange],
) -> StoreOutcome<Vec<u64>> {
    let mut found = Vec::new();
    for id in document.first..document.first + document.count {
        let is_there = lines.is_empty() || {
            let (first, last) = shard.location(id)?.lines;
            lines.iter().any(|range| range.start() <= last && first <= range.end())
        };
        found.extend(is_there.then_some(id));
    }
    Ok(found)
}

/// Returns the text of sections, beginning with the first one. Returns `None` if the file has
/// changed.
fn text(
    collection: &Opened,
    shard: &dyn Shard,
    document: &DocumentFacts,
    sections: &[u64],
    env: &Env,
) -> StoreOutcome<Option<String>> {
    let mut text = String::new();
    for &section in sections {
        let location = shard.location(section)?;
        let Some((bytes, _)) = collection.content(document, &location, env) else {
            return Ok(None);
        };
        text.push_str(&String::from_utf8_lossy(&retrieval::decoded(document, &bytes)));
        text.push('\n');
        if text.len() > MAX_TEXT {
            break;
        }
    }
    Ok(Some(text))
}
