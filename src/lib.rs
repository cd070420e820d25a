//! folio addresses the parts of text files.
pub mod text;
