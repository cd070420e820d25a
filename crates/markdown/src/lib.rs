//! The block structure of Markdown, links, anchors and front matter.
//!
//! ```
//! use folio_markdown::links::links;
//! use folio_markdown::slug::Slugger;
//!
//! let document = b"---\ntitle: x\n---\n# Set up\n\nSee [the guide](guide.md#use).\n\n`[no](link)`\n";
//! let found = links(document);
//! assert_eq!(found.len(), 1);
//! assert_eq!((&found[0].text[..], found[0].line), (&b"guide.md#use"[..], 6));
//!
//! let mut slugs = Slugger::new();
//! assert_eq!([slugs.next("Set up"), slugs.next("Set up")], ["set-up", "set-up-1"]);
//! ```
//!
//! This crate answers which blocks a document consists of ([`scanner`] reports them to a
//! [`blocks::Sink`], in order), to what its links and anchors refer, which keys its front matter
//! has, and whether inserted blocks would merge with their neighbors ([`seams`]). Blocks are those
//! of CommonMark with GitHub's tables; [`blocks::Dialect`] adds MDX.
//!
//! It renders nothing and builds no syntax tree. It does not resolve links to files, and does not
//! access files, streams, the clock or the environment.

pub mod anchors;
pub mod blocks;
pub mod comments;
mod cursor;
pub mod definitions;
pub mod destination;
pub mod front_matter;
mod html;
mod html_links;
pub mod inline;
pub mod links;
mod mdx;
pub mod prose;
pub mod references;
pub mod scanner;
pub mod seams;
pub mod slug;
pub mod tables;
pub mod wiki_links;

use blocks::{Dialect, Sink};
use folio_text::lines::Block;
use front_matter::Opening;
use scanner::Scanner;

/// Scans a document from its start, block by block: first the front matter, then the text.
#[derive(Debug)]
pub struct DocumentScanner {
    dialect: Dialect,
    scanner: Scanner,
    /// The front matter so far, until its end is known.
    opening: Option<Opening>,
}

impl DocumentScanner {
    /// Creates a scanner at the start of a document.
    pub fn new(dialect: Dialect) -> Self {
        let scanner = Scanner::after_line(0).in_dialect(dialect);
        Self { dialect, scanner, opening: Some(Opening::default()) }
    }

    /// Scans the next lines. They may be buffered until the end of the front matter is known.
    pub fn scan<S: Sink>(&mut self, block: &Block<'_>, sink: &mut S) {
        match &self.opening {
            None => self.scanner.scan(block, sink),
            Some(_) => self.scan_opening(Some(block), sink),
        }
    }

    fn scan_opening<S: Sink>(&mut self, block: Option<&Block<'_>>, sink: &mut S) {
        let Some(mut opening) = self.opening.take() else { return };
        match opening.read_front_matter(block, S::KEYS) {
            None => self.opening = Some(opening),
            Some((found, rest)) => {
                if let Some(found) = found {
                    self.scanner = Scanner::after_line(found.lines.end()).in_dialect(self.dialect);
                    sink.front_matter(found);
                }
                self.scanner.scan(&rest, sink);
            }
        }
    }

    /// Ends the document.
    pub fn finish<S: Sink>(&mut self, sink: &mut S) {
        self.scan_opening(None, sink);
        self.scanner.finish(sink);
    }

    /// Returns the number of lines scanned.
    pub fn lines(&self) -> u64 {
        self.scanner.lines()
    }
}
