//! folio addresses the parts of text files.
pub mod error;
pub mod files;
pub mod text;
