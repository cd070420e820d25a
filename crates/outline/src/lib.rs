//! Outlines of documents in all formats, and how parts are found in them. Accesses no files.

pub mod boundary;
pub mod document_links;
pub mod format;
pub mod ini_keys;
pub mod naming;
pub mod outline;
pub mod structure;
pub mod target;
