//! Reads the sections that a search has found from their files. Omits a section if its file has
//! changed since it was indexed.

use std::collections::{HashMap, hash_map};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

use folio_files::env::Env;
use folio_search::chunks::Names;
use folio_search::open::{FileState, Opened, state_of};
use folio_search::ranking::Ranked;
use folio_search::recipe::Spread;
use folio_search::shard::{DocumentFacts, Location, Shard, Which};
use folio_search::spread;
use folio_search::store::{Failure, Outcome};
use folio_search::translations;
use folio_search::writer::displayed_names;
use folio_text::encoding::Encoding;
use folio_text::hex::hex;
use folio_text::lines::lines_with_ends;
use folio_text::span::LineRange;

/// A section that a search has found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The displayed name of the collection, and its ID.
    pub collection: String,
    pub collection_id: String,
    /// The path of the document in the collection.
    pub document: Vec<u8>,
    pub title: String,
    /// The address of the document.
    pub address: PathBuf,
    /// The headings of the section and its ancestors, outermost first.
    pub trail: Vec<String>,
    pub lines: LineRange,
    pub content: Vec<u8>,
    /// The first 16 digits of the SHA-256 of the section's bytes.
    pub checksum: String,
    pub score: f32,
    pub cosine: Option<f32>,
    /// The number of the section within the document, from 1, and the number of sections.
    pub index: u64,
    pub total: u64,
}

impl Hit {
    /// Whether another result has the same lines of the same document.
    fn is_same(&self, other: &Self) -> bool {
        (&self.collection_id, &self.document, self.lines)
            == (&other.collection_id, &other.document, other.lines)
    }

    /// Returns how well the section matches the query: a number from 0 to 1, rounded.
    pub fn relevance(&self) -> f64 {
        rounded(self.score)
    }

    /// Returns 1 minus the cosine of the vectors, rounded, or `None` if vectors were not compared.
    pub fn distance(&self) -> Option<f64> {
        self.cosine.map(|cosine| rounded(1.0 - cosine))
    }
}

/// Rounds a score, but keeps enough digits to distinguish scores.
fn rounded(value: f32) -> f64 {
    (f64::from(value) * 10_000.0).round() / 10_000.0
}

/// Documents that have changed since they were indexed, each with the index of its collection.
/// Their sections are omitted.
pub type Changed = Vec<(usize, Vec<u8>)>;

/// Reads the first `limit` sections that the search has found. Of pages that are translations of
/// one another, the one in `language` comes first.
pub fn fetch(
    opened: &[Opened],
    shards: &[Box<dyn Shard + '_>],
    found: &mut [Ranked],
    language: Option<&str>,
    (limit, spread): (usize, Spread),
    env: &Env,
) -> Outcome<(Vec<Hit>, Changed)> {
    translations::select(shards, found, language)?;
    let (mut hits, mut changed) = (Vec::<Hit>::new(), Changed::new());
    let mut documents = Documents::new();
    let path = |ranked: &Ranked| shards[ranked.shard].path(ranked.section);
    for ranked in spread::spread(found, spread, path) {
        let ranked = ranked?;
        if hits.len() == limit {
            break;
        }
        match section(&opened[ranked.shard], &*shards[ranked.shard], ranked, &mut documents, env)? {
            // A long line is indexed in parts.
            Ok(hit) if hits.iter().any(|known| known.is_same(&hit)) => {}
            Ok(hit) => hits.push(hit),
            Err(document) => changed.push((ranked.shard, document)),
        }
    }
    Ok((hits, changed))
}

/// Decodes the bytes of a document to UTF-8.
pub fn decoded(document: &DocumentFacts, bytes: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    encoding(document, bytes).decode(bytes, &mut content);
    content
}

fn encoding(document: &DocumentFacts, bytes: &[u8]) -> Encoding {
    let label = document.encoding.as_deref();
    label.and_then(|label| Encoding::for_label(label, bytes)).unwrap_or(Encoding::Utf8)
}

/// What is computed from a document to verify its index.
struct Derived {
    /// The state of the file.
    state: FileState,
    names: Names,
    /// Offsets, and the number of line feeds before each of them.
    counted: Vec<(u64, u64)>,
}

/// The documents of results, by the index of the collection and the number of the document.
type Documents = HashMap<(usize, u64), Derived>;

impl Derived {
    /// Returns the line on which a section begins.
    fn first_line(&mut self, file: &File, encoding: Encoding, start: u64) -> io::Result<u64> {
        let before = self.counted.iter().filter(|(offset, _)| *offset <= start);
        let (mut at, mut feeds) = before.max().copied().unwrap_or_default();
        let mut block = vec![0; 64 << 10];
        while at < start {
            let left = usize::try_from(start - at).unwrap_or(usize::MAX);
            let block = &mut block[..left.min(64 << 10)];
            file.read_exact_at(block, at)?;
            at += block.len() as u64;
            feeds += encoding.count_line_feeds(block);
        }
        self.counted.push((at, feeds));
        Ok(feeds + 1)
    }

    /// Whether the index contains the correct lines and names of a section. The checksum of the
    /// section covers only its bytes.
    fn agrees(
        &mut self,
        (document, location): (&DocumentFacts, &Location),
        file: &File,
        content: &[u8],
    ) -> bool {
        let encoding = encoding(document, content);
        let Ok(first) = self.first_line(file, encoding, location.start) else { return false };
        let count = lines_with_ends(&decoded(document, content)).count() as u64;
        let id = String::from_utf8_lossy(&document.path);
        let title = self.names.title().unwrap_or_else(|| id.into_owned());
        location.lines == (first, first + count.saturating_sub(1))
            && document.title == title
            && location.trail == displayed_names(&self.names.trail(first), &title)
    }
}

/// Returns what is computed from a document. Reads the file, unless it was already read in this
/// state.
fn derived<'a>(
    (collection, document): (&Opened, &DocumentFacts),
    file: &Arc<File>,
    known: hash_map::Entry<'a, (usize, u64), Derived>,
    env: &Env,
) -> Option<&'a mut Derived> {
    let state = state_of(file).ok()?;
    let read = || {
        let names = collection.names(document, file.clone(), env)?;
        Some(Derived { state, names, counted: Vec::new() })
    };
    Some(match known {
        hash_map::Entry::Occupied(known) => {
            let known = known.into_mut();
            if known.state != state {
                *known = read()?;
            }
            known
        }
        hash_map::Entry::Vacant(new) => new.insert(read()?),
    })
}

/// Reads a section. If the document has changed since it was indexed, returns the document's path
/// instead.
fn section(
    collection: &Opened,
    shard: &dyn Shard,
    ranked: &Ranked,
    documents: &mut Documents,
    env: &Env,
) -> Outcome<Result<Hit, Vec<u8>>> {
    let location = shard.location(ranked.section)?;
    let document = shard.documents(Which::Numbered(&[location.document]))?.pop();
    let document = document.ok_or(Failure::Damaged)?;
    let Some((bytes, file)) = collection.content(&document, &location, env) else {
        return Ok(Err(document.path));
    };
    let content = decoded(&document, &bytes);
    // Texts in a database do not need to be checked, because the index is in the same database.
    if let Some(file) = file.map(Arc::new) {
        let known = documents.entry((ranked.shard, location.document));
        let derived = derived((collection, &document), &file, known, env);
        if !derived.is_some_and(|derived| derived.agrees((&document, &location), &file, &bytes)) {
            return Ok(Err(document.path));
        }
    }
    let (first, last) = location.lines;
    let place = &collection.place;
    Ok(Ok(Hit {
        collection: place.shown.clone(),
        collection_id: place.id.clone(),
        address: place.address(&document.path),
        title: document.title,
        trail: location.trail,
        lines: LineRange::from_to(first, last),
        content,
        checksum: hex(&location.checksum),
        score: ranked.score,
        cosine: ranked.cosine,
        index: ranked.section - document.first + 1,
        total: document.count,
        document: document.path,
    }))
}
