//! Reads the sections that a search has found from their files. Drops a section if its file has
//! changed since it was indexed.

use std::path::PathBuf;

use crate::collections::open::Opened;
use crate::collections::ranking::Ranked;
use crate::collections::recipe::Spread;
use crate::collections::shard::{DocumentFacts, Shard, Which};
use crate::collections::spread;
use crate::collections::store::{Failure, Outcome};
use crate::files::env::Env;
use crate::text::encoding::Encoding;
use crate::text::lines::lines_with_ends;
use crate::text::span::LineRange;

/// A section that a search has found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The displayed name of the collection, and its name or path.
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
    /// Returns how well the section matches the query, from 0 to 1, rounded.
    pub fn relevance(&self) -> f64 {
        rounded(self.score)
    }

    /// Returns 1 minus the cosine of the vectors, rounded. Returns `None` if vectors were not
    /// compared.
    pub fn distance(&self) -> Option<f64> {
        self.cosine.map(|cosine| rounded(1.0 - cosine))
    }
}

/// Rounds a score, keeping enough digits to distinguish scores.
fn rounded(value: f32) -> f64 {
    (f64::from(value) * 10_000.0).round() / 10_000.0
}

/// Documents that have changed since they were indexed. Each has the index of its collection. Their
/// sections are omitted.
pub type Changed = Vec<(usize, Vec<u8>)>;

/// Reads the first `limit` sections that the search has found.
pub fn fetch(
    opened: &[Opened],
    shards: &[Box<dyn Shard + '_>],
    found: &[Ranked],
    (limit, spread): (usize, Spread),
    env: &Env,
) -> Outcome<(Vec<Hit>, Changed)> {
    let (mut hits, mut changed) = (Vec::new(), Changed::new());
    let mut counted = Counted::new();
    let path = |ranked: &Ranked| shards[ranked.shard].path(ranked.section);
    for ranked in spread::spread(found, spread, path) {
        let ranked = ranked?;
        if hits.len() == limit {
            break;
        }
        match section(&opened[ranked.shard], &*shards[ranked.shard], ranked, &mut counted, env)? {
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

/// Positions in documents at which line feeds have been counted: the index of the collection, the
/// number of the document, an offset, and the number of line feeds before it.
type Counted = Vec<(usize, u64, (u64, u64))>;

/// Reads a section. If the document has changed since it was indexed, returns the document's path
/// instead.
fn section(
    collection: &Opened,
    shard: &dyn Shard,
    ranked: &Ranked,
    counted: &mut Counted,
    env: &Env,
) -> Outcome<Result<Hit, Vec<u8>>> {
    let location = shard.location(ranked.section)?;
    let document = shard.documents(Which::Numbered(&[location.document]))?.pop();
    let document = document.ok_or(Failure::Damaged)?;
    let Some(bytes) = collection.content(&document, &location, env) else {
        return Ok(Err(document.path));
    };
    let content = decoded(&document, &bytes);
    // The checksum covers the text, but not its lines.
    let key = (ranked.shard, location.document);
    let before = counted.iter().filter(|(shard, document, (offset, _))| {
        (*shard, *document) == key && *offset <= location.start
    });
    let mut at = before.map(|(.., at)| *at).max().unwrap_or_default();
    let of = (&document, encoding(&document, &bytes));
    let Some(first) = collection.first_line(of, &location, &mut at, env) else {
        return Ok(Err(document.path));
    };
    counted.push((key.0, key.1, at));
    let last = first + (lines_with_ends(&content).count() as u64).saturating_sub(1);
    if location.lines != (first, last) {
        return Ok(Err(document.path));
    }
    let place = &collection.place;
    Ok(Ok(Hit {
        collection: place.shown.clone(),
        collection_id: place.id.clone(),
        address: place.address(&document.path),
        title: document.title,
        trail: location.trail,
        lines: LineRange::from_to(first, last),
        content,
        checksum: location.checksum.iter().map(|byte| format!("{byte:02x}")).collect(),
        score: ranked.score,
        cosine: ranked.cosine,
        index: ranked.section - document.first + 1,
        total: document.count,
        document: document.path,
    }))
}
