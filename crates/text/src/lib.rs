//! Lines, spans, edits, patterns and differences of texts. Accesses no files.

pub mod content;
pub mod diff;
pub mod edit;
pub mod encoding;
pub mod fold;
pub mod fuzzy;
pub mod hex;
pub mod ini_dialect;
pub mod line_index;
pub mod lines;
pub mod pattern;
pub mod sections;
pub mod separation;
pub mod span;
pub mod text_stats;
pub mod timestamp;
