//! Which entries a log has, one after the other. An entry ends where the next one begins, so memory
//! does not grow with the log.
//!
//! This module does not find headings and other sections that may be nested.

use std::io;

use crate::document::{Blocks, Document};
use crate::format::Format;
use crate::log_search::LogPosition;
use crate::outline::{Outline, OutlineBuilder, OutlineOptions};
use folio_text::pattern::Pattern;

/// The entries of a log, in order.
pub struct Entries<'d> {
    format: Format,
    blocks: Blocks<'d>,
    /// The builder of the outline. `None` at the end of the document.
    builder: Option<OutlineBuilder>,
}

impl<'d> Entries<'d> {
    /// Starts before the first entry of a document. `patterns` are custom patterns of lines that
    /// begin entries. If `containing` is given, returns only entries whose first line contains it.
    ///
    /// The format of the document must not have other sections.
    pub fn new(document: &'d Document, patterns: Vec<Pattern>, containing: Option<&[u8]>) -> Self {
        let only_with = containing.map(<[u8]>::to_vec);
        let options = OutlineOptions { entries: patterns, only_with, ..OutlineOptions::default() };
        let (format, blocks) = (document.format(), document.blocks());
        Self { format, blocks, builder: Some(OutlineBuilder::new(format, options)) }
    }

    /// Starts at a later entry of the document.
    pub fn starting_at(self, document: &'d Document, position: LogPosition) -> Self {
        let builder = self.builder.map(|builder| builder.after_lines(position.lines));
        Self { blocks: document.blocks_at(position.offset), builder, ..self }
    }

    /// Returns the format of the document.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns the entries that end in the next block, or `None` at the end. The number of lines of
    /// this outline is the number of lines that were read so far.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read.
    #[allow(clippy::should_implement_trait)] // It may fail.
    pub fn next(&mut self) -> io::Result<Option<Outline>> {
        let Some(builder) = &mut self.builder else { return Ok(None) };
        if let Some(block) = self.blocks.next()? {
            builder.push(&block);
            return Ok(Some(builder.take_ended()));
        }
        Ok(self.builder.take().map(OutlineBuilder::finish))
    }

    /// Returns the entry that has begun, but not ended yet.
    pub fn open_entry(&self) -> Option<Outline> {
        self.builder.as_ref().map(OutlineBuilder::so_far)
    }

    /// Returns all remaining entries.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read.
    pub fn read_all(mut self) -> io::Result<Option<Outline>> {
        let mut all: Option<Outline> = None;
        while let Some(part) = self.next()? {
            match &mut all {
                Some(all) => all.append(&part, |_| true),
                None => all = Some(part),
            }
        }
        Ok(all)
    }
}
