//! The engine: bytes in, spans and outlines out. It reads no file, prints
//! nothing, and knows neither the command line nor JSON.

pub mod boundary;
pub mod content;
pub mod diff;
pub mod document_links;
pub mod edit;
pub mod encoding;
pub mod fold;
pub mod format;
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
