//! folio addresses the parts of text files: a heading's section, a log entry, a
//! code block, an INI key, an anchor, a range of lines.
//!
//! The house, from the ground up:
//!
//! - [`text`] is the engine: bytes in, outlines and spans out. It touches no file.
//! - [`files`] is the disk: documents as blocks of lines, addresses, walks.
//! - [`commands`] holds one folder a subcommand: flags to options, options to
//!   results, results to text or JSON.
//! - [`cli`] is the face: which command is meant, the streams, the exit status.
//! - [`error`] is what all of them fail with.
//!
//! ```
//! use folio::text::format::Format;
//! use folio::text::outline::{Outline, Wants};
//! use folio::text::target::{Matching, find_section};
//!
//! let text = b"# Guide\n\n## Install\n\nRun it.\n\n## Use\n";
//! let outline = Outline::of(text, Format::Markdown, Wants::everything());
//! let install = find_section(&outline, "install", None, Matching::Relaxed).unwrap();
//! assert_eq!(outline.sections()[install].lines().end(), 6);
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod cli;
pub mod commands;
pub mod error;
pub mod files;
pub mod text;
