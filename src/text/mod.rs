//! The text engine: parses bytes to outlines and spans, and computes edits. It does not read
//! files or print, and does not depend on the command line or JSON.

pub mod boundary;
pub mod content;
pub mod diff;
pub mod document_links;
pub mod edit;
pub mod encoding;
pub mod fold;
pub mod format;
pub mod hex;
pub mod ini_dialect;
pub mod ini_keys;
pub mod keys;
pub mod line_index;
pub mod lines;
pub mod markdown;
pub mod naming;
pub mod text_stats;

pub mod fuzzy;
pub mod outline;
pub mod pattern;
pub mod sections;
pub mod separation;
pub mod span;
pub mod structure;
pub mod target;
pub mod timestamp;
