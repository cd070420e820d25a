//! Lines, spans, edits, patterns, diffs and encodings of text.
//!
//! ```
//! use folio_text::diff::{Change, unified};
//! use folio_text::edit::{Edit, EditSet};
//! use folio_text::encoding::Encoding;
//! use folio_text::pattern::{Pattern, PatternOptions};
//! use folio_text::span::Span;
//!
//! let old = b"port = 80\nhost = a\n";
//! let found = Pattern::new("[0-9]+", PatternOptions::default())?.find(old).expect("a match");
//! let span = Span::new(found.start as u64, found.end as u64);
//! let edits = EditSet::new(vec![Edit::new(span, "443")]).expect("one edit cannot overlap");
//! let new = edits.apply(old);
//! assert_eq!(new, b"port = 443\nhost = a\n");
//!
//! let change = Change { old, edits: &edits, first_lines: &[1], encoding: Encoding::detect(old) };
//! let hunks = change.hunks();
//! let diff = unified(&hunks, b"a/x.ini", b"b/x.ini");
//! assert!(diff.ends_with(b"@@ -1,2 +1,2 @@\n-port = 80\n+port = 443\n host = a\n"));
//! # Ok::<(), folio_text::pattern::PatternError>(())
//! ```
//!
//! This crate answers where lines begin and end, what a pattern matches, which bytes an edit
//! replaces, and how two texts differ. A text is a slice of bytes; it is decoded only where
//! characters matter. Lines are numbered from 1, and offsets are in bytes from 0.
//!
//! It knows no document format, except lines of INI files and logs ([`sections`]), and lines with
//! keys in light markup. It does not access files, streams, the clock or the environment.

pub mod asciidoc;
pub mod content;
pub mod diff;
pub mod edit;
pub mod encoding;
pub mod fold;
pub mod fuzzy;
pub mod hex;
pub mod ini_dialect;
pub mod line_index;
pub mod line_kinds;
pub mod lines;
pub mod logs;
pub mod markup_keys;
pub mod org;
pub mod pattern;
pub mod sections;
pub mod separation;
pub mod span;
pub mod text_stats;
pub mod time_bound;
pub mod timestamp;
