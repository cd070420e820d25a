//! Collections of documents, and search in their sections: catalogue, index, vectors and ranking.
//! This module does not depend on commands.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod analyser;
pub mod catalogue;
mod characters;
pub mod chunks;
mod detection;
mod embedding;
pub mod index;
mod language;
pub mod local;
pub mod manifest;
pub mod model;
mod naming;
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
pub mod store;
#[cfg(feature = "postgres")]
mod texts;
pub mod update;
mod varints;
pub mod vectors;
mod vocabulary;
pub mod writer;
