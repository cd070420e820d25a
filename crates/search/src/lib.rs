//! An index that searches sections of documents by meaning and by keyword.
//!
//! ```
//! use folio_search::index::{IndexEntry, Index};
//! use folio_search::ranking::Ranking;
//!
//! let directory = tempfile::tempdir().expect("a directory");
//! let mut index = Index::open(&directory.path().join("index"))?;
//! let entry = |path: &str, text: &str| IndexEntry {
//!     path: path.into(),
//!     sections: vec![text.into()],
//!     ..IndexEntry::default()
//! };
//! index.fill(&[
//!     entry("backup.md", "Copy the data to another disk every night."),
//!     entry("style.md", "Write short sentences and use common words."),
//! ])?;
//! let answers = index.search(&["how to save my files"], Ranking::default())?;
//! assert_eq!(answers[0][0].path, "backup.md");
//! # Ok::<(), folio_files::error::Error>(())
//! ```
//!
//! This crate answers which sections of a collection of documents are about a question
//! ([`query`], [`ranking`]) or similar to other sections ([`related`]). [`catalogue`] contains the
//! named collections, [`update`] brings an index up to date, and a [`shard::Shard`] is the index of
//! one collection: an SQLite file or, with the feature `postgres`, tables of a database.
//! [`storage`] says where the catalogue and the indexes are.
//!
//! An index contains terms, vectors and checksums, but no text: results are read from the
//! documents. This crate does not access the network, except for databases, and its embedding
//! model is English only.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod analyser;
pub mod catalogue;
mod characters;
pub mod chunks;
mod detection;
mod documents;
mod embedding;
pub mod index;
mod language;
pub mod local;
pub mod manifest;
pub mod model;
mod naming;
mod news;
pub mod open;
#[cfg(feature = "postgres")]
pub mod publish;
pub mod query;
pub mod ranking;
pub mod recipe;
pub mod related;
mod scoring;
#[cfg(feature = "postgres")]
pub mod server;
pub mod shard;
pub mod spelling;
pub mod spread;
pub mod storage;
pub mod store;
#[cfg(feature = "postgres")]
mod texts;
pub mod translations;
pub mod update;
mod varints;
pub mod vectors;
mod vocabulary;
pub mod writer;
