//! An index of texts that are not necessarily files, for programs and benchmarks.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::analyser::Analyser;
use super::chunks::Chunk;
use super::detection::Sample;
use super::embedding::Spool;
use super::language::ENGLISH;
use super::local::LocalShard;
use super::query::Query;
use super::ranking::{self, Ranked, Ranking};
use super::recipe::Recipe;
use super::related;
use super::shard::{Shard, Which};
use super::spelling;
use super::spread::spread;
use super::store::{Failure, Outcome, Store};
use super::translations::{self, question_language};
use super::vectors::Probe;
use super::writer::{NewDocument, Writer};
use folio_files::error::Error;
use folio_text::span::LineRange;

/// An index that is stored in a file.
pub struct Index {
    store: Store,
    file: PathBuf,
    /// The weights of the ranking. Weights of vectors take effect when the index is filled.
    pub recipe: Recipe,
}

/// A document to index.
#[derive(Clone, Debug, Default)]
pub struct IndexEntry {
    /// The unique path of the document.
    pub path: String,
    /// The title of the document.
    pub title: String,
    /// The texts of its sections, in order.
    pub sections: Vec<String>,
    /// The headings of the sections, if known.
    pub headings: Vec<String>,
}

/// A section found by a query.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSection {
    /// The path of the document.
    pub path: String,
    /// The index of the section in the document, from 0.
    pub section: usize,
    /// The score, from 0 to 1.
    pub score: f32,
}

impl Index {
    /// Opens or creates an index.
    pub fn open(file: &Path) -> Result<Self, Error> {
        let store = Store::open(file, Duration::from_secs(10));
        let store = store.map_err(|failure| failure.error(file))?;
        Ok(Self { store, file: file.to_owned(), recipe: Recipe::default() })
    }

    /// Replaces all documents.
    pub fn fill(&mut self, entries: &[IndexEntry]) -> Result<(), Error> {
        self.try_to_fill(entries).map_err(|failure| failure.error(&self.file))
    }

    fn try_to_fill(&self, entries: &[IndexEntry]) -> Outcome<()> {
        let mut sample = Sample::default();
        entries.iter().flat_map(|entry| &entry.sections).for_each(|text| sample.add(text));
        let language = sample.language().unwrap_or(ENGLISH);
        let mut writer = Writer::begin(&self.store, language)?;
        self.store.set_fact("language", language)?;
        writer.forget_vectors();
        writer.recipe = self.recipe;
        let mut spool = Spool::create_beside(&self.file)?;
        for path in self.paths()? {
            writer.remove(&path)?;
        }
        for entry in entries {
            let (path, title) = (entry.path.as_bytes(), entry.title.as_str());
            let characters = entry.sections.iter().map(|text| text.chars().count() as u64).sum();
            let new = NewDocument { path, title, characters, ..NewDocument::default() };
            writer.put(&new, Some(&mut spool), |each| {
                let headings = entry.headings.iter().map(String::as_str);
                let headings = headings.chain(std::iter::repeat(""));
                let mut sections = entry.sections.iter().zip(headings).zip(1..);
                sections.try_for_each(|((text, heading), line)| each(chunk(text, heading, line)))
            })?;
        }
        writer.embed(&mut spool)?;
        writer.commit()
    }

    fn paths(&self) -> Outcome<Vec<Vec<u8>>> {
        let mut statement = self.store.connection.prepare("SELECT path FROM documents")?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Answers queries. The best sections come first.
    pub fn search(
        &self,
        queries: &[&str],
        ranking: Ranking,
    ) -> Result<Vec<Vec<FoundSection>>, Error> {
        let parsed: Result<Vec<Query>, Error> =
            queries.iter().map(|query| Query::parse(query)).collect();
        let answered = self.answer(parsed?, ranking);
        answered.map_err(|failure| failure.error(&self.file))
    }

    /// Returns the sections of other documents that are similar to a document with this text. The
    /// best section of each document comes first.
    pub fn related(&self, path: &str, text: &str) -> Result<Vec<FoundSection>, Error> {
        self.try_to_relate(path, text).map_err(|failure| failure.error(&self.file))
    }

    fn try_to_relate(&self, path: &str, text: &str) -> Outcome<Vec<FoundSection>> {
        let analysers = [self.analyser()?];
        let mut shard = LocalShard::new(&self.store)?;
        shard.open_vectors()?;
        let document =
            shard.documents(Which::At(path.as_bytes()))?.pop().ok_or(Failure::Damaged)?;
        let sections = document.first..document.first + document.count;
        let center = related::center(&shard, &Vec::from_iter(sections.clone()))?;
        let probes: Vec<Probe> = center.iter().map(Probe::new).collect();
        let shards: [Box<dyn Shard + '_>; 1] = [Box::new(shard)];
        let found = related::related(&shards, &analysers, text, &probes, &|_| sections.clone())?;
        found.iter().map(|ranked| found_section(&*shards[0], ranked)).collect()
    }

    fn analyser(&self) -> Outcome<Analyser> {
        let language: Option<String> = self.store.fact("language")?;
        Analyser::new(language.as_deref().unwrap_or(ENGLISH)).ok_or(Failure::Damaged)
    }

    fn answer(&self, queries: Vec<Query>, ranking: Ranking) -> Outcome<Vec<Vec<FoundSection>>> {
        let analyser = self.analyser()?;
        let mut shard = LocalShard::new(&self.store)?;
        if ranking != Ranking::Keywords {
            shard.open_vectors()?;
        }
        let shards: [Box<dyn Shard + '_>; 1] = [Box::new(shard)];
        let analysers = [analyser];
        let (mut parsed, mut languages) = (Vec::new(), Vec::new());
        for query in queries {
            languages.push(question_language(&query.text));
            let query = if self.recipe.corrects_words {
                spelling::correct(&shards, &analysers, query)?.query
            } else {
                query
            };
            parsed.push(spelling::without_stop_words(&shards, &analysers, &query)?);
        }
        let answers = ranking::rank(&shards, &parsed, &analysers, ranking, &self.recipe)?;
        let mut found = Vec::new();
        for (mut answer, language) in answers.into_iter().zip(languages) {
            translations::select(&shards, &mut answer.ranked, language)?;
            let mut list = Vec::new();
            let path = |ranked: &Ranked| shards[0].path(ranked.section);
            for ranked in spread(&answer.ranked, self.recipe.spread, path) {
                list.push(found_section(&*shards[0], ranked?)?);
            }
            found.push(list);
        }
        Ok(found)
    }
}

/// Returns the document and the number of a section.
fn found_section(shard: &dyn Shard, ranked: &Ranked) -> Outcome<FoundSection> {
    let document = shard.documents_of(&[ranked.section])?;
    let document = shard.documents(Which::Numbered(&document))?.pop().ok_or(Failure::Damaged)?;
    Ok(FoundSection {
        path: String::from_utf8_lossy(&document.path).into_owned(),
        section: (ranked.section - document.first) as usize,
        score: ranked.score,
    })
}

/// Creates a chunk of one line from a text.
fn chunk(text: &str, heading: &str, line: u64) -> Chunk {
    let mut checksum = [0; 8];
    checksum.copy_from_slice(&Sha256::digest(text)[..8]);
    Chunk {
        lines: LineRange::line(line),
        start: 0,
        size: text.len() as u64,
        trail: vec![heading.to_owned()],
        above: 0,
        text: text.to_owned(),
        checksum,
    }
}
