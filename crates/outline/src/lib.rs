//! Outlines of text files, and the location of their parts by name.
//!
//! ```
//! use folio_outline::format::Format;
//! use folio_outline::outline::{Outline, Wants};
//! use folio_outline::target::{Extent, Matching, find_section, section_lines};
//!
//! let text = b"# Guide\n\n## Install\n\nRun make.\n\n## Use\n";
//! let outline = Outline::of(text, Format::Markdown, Wants::default());
//! let install = find_section(&outline, "Guide > Install", None, Matching::Exact);
//! let install = install.expect("exactly one section");
//! let lines = section_lines(&outline, install, Extent::Whole).expect("lines");
//! assert_eq!((lines.start(), lines.end()), (3, 6));
//! ```
//!
//! This crate answers which format a file has ([`mod@format`]), which sections, code blocks, tables,
//! anchors and keys it contains ([`outline`]), which lines a name refers to ([`target`]), and
//! whether an edit changes the structure outside the edited part ([`structure`]). The formats are
//! Markdown, MDX, INI, logs, plain text, and those of `folio_keys`.
//!
//! It never guesses: a name without a match, or with several, is an error that contains the
//! candidates. It does not access files, streams, the clock or the environment.

pub mod boundary;
pub mod document_links;
pub mod format;
pub mod ini_keys;
pub mod locate;
pub mod naming;
pub mod outline;
pub mod part;
pub mod structure;
pub mod target;
