//! How users name parts of documents: as options, as JSON, and in hints.

pub mod flags;
pub mod json;
pub mod spell;

/// Number of lines of context that `--search` prints by default.
pub const SEARCH_CONTEXT: u64 = 5;
