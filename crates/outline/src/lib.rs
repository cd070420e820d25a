//! Documents, their parts, and edits of parts.
//!
//! ```
//! use std::path::Path;
//!
//! use folio_outline::document::LoadedDocument;
//! use folio_outline::edit::EditRequest;
//! use folio_outline::format::Format;
//! use folio_outline::part::Part;
//!
//! let guide = b"# Guide\n\n## Install\n\nRun make.\n\n## Use\n".to_vec();
//! let guide = LoadedDocument::of_text(Path::new("guide.md"), guide, Format::Markdown);
//! let request = EditRequest::replace(Part::section("Install"), "## Install\n\nRun just.\n");
//! let guide = guide.with_edit(&request).expect("an edit");
//! assert_eq!(guide.text(), b"# Guide\n\n## Install\n\nRun just.\n\n## Use\n");
//!
//! let server = b"server:\n  port: 80  # default\n".to_vec();
//! let server = LoadedDocument::of_text(Path::new("server.yaml"), server, Format::Yaml);
//! let server = server.with_edit(&EditRequest::set("server.port", "443")).expect("an edit");
//! assert_eq!(server.text(), b"server:\n  port: 443  # default\n");
//! ```
//!
//! This crate answers which format a file has ([`mod@format`]), which lines it has ([`document`]),
//! which sections, code blocks, tables, anchors and keys it contains ([`outline`]), which lines a
//! name refers to ([`lookup`]), and whether an edit changes the structure outside the edited part
//! ([`structure`]). The formats are Markdown, MDX, light markups such as
//! reStructuredText, INI, logs, plain text, and those of `folio_keys`.
//!
//! It never guesses: a name without a match, or with several, is an error that contains the
//! candidates. It does not open files or streams ([`document::Source`] provides bytes), and does not
//! access the clock or the environment.

pub mod boundary;
pub mod document;
pub mod document_links;
pub mod edit;
pub mod entries;
pub mod format;
mod formats;
pub mod locate;
pub mod log_search;
pub mod lookup;
pub mod naming;
pub mod outline;
pub mod part;
pub mod printed;
pub mod structure;
pub mod wiki_names;
