//! Builds an outline from the blocks of a document.

use super::collect::Collector;
use super::model::{Outline, OutlineOptions, Section};
use crate::format::Format;
use crate::formats::Scan;
use folio_text::lines::Block;

/// Builds an outline. The blocks of the document must be passed in order, without the byte order
/// mark.
#[derive(Debug)]
pub struct OutlineBuilder {
    collector: Collector,
    scan: Box<dyn Scan>,
}

impl OutlineBuilder {
    /// Creates a builder of sections and front matter at the start of a document.
    pub fn of_sections(format: Format) -> Self {
        Self::new(format, OutlineOptions::default())
    }

    /// Creates a builder at the start of a document. It does not parse keys.
    pub(crate) fn new(format: Format, options: OutlineOptions) -> Self {
        Self::with_scan(format, options, format.rules().scan(format))
    }

    pub(super) fn with_scan(format: Format, options: OutlineOptions, scan: Box<dyn Scan>) -> Self {
        Self { collector: Collector::new(format, options), scan }
    }

    /// Begins after a number of lines that contain no part to collect.
    pub(crate) fn after_lines(mut self, lines: u64) -> Self {
        self.scan.skip_lines(lines);
        self
    }

    /// Reserves space for the sections of a document of `bytes` bytes. Without the reservation,
    /// each time the list grows, the old and the new list are in memory at the same time. Reserved
    /// memory that is not used costs nothing.
    pub fn expect_bytes(&mut self, bytes: u64) {
        const LARGE: u64 = 32 << 20;
        if bytes > LARGE {
            let room = usize::try_from(bytes / 256).unwrap_or(usize::MAX);
            // If the reservation fails, the list grows as needed.
            let _ = self.collector.outline.sections.try_reserve(room);
        }
    }

    /// Returns the source of the first heading of level 1, if it has been processed.
    pub fn title(&self) -> Option<&[u8]> {
        let outline = &self.collector.outline;
        let is_title = |section: &Section| section.level() == Some(1);
        outline.sections.iter().position(is_title).map(|index| outline.name(index))
    }

    /// Returns the number of sections so far.
    pub fn sections(&self) -> usize {
        self.collector.outline.sections.len()
    }

    /// Processes the next block.
    pub fn push(&mut self, block: &Block<'_>) {
        self.scan.push(block, &mut self.collector);
    }

    /// Returns the number of lines processed.
    pub fn lines(&self) -> u64 {
        self.scan.lines()
    }

    /// Removes the sections that have ended, and returns them. Sections must not be nested.
    pub(crate) fn take_ended(&mut self) -> Outline {
        let lines = self.lines();
        let Collector { outline, open, .. } = &mut self.collector;
        let mut ended = Outline::empty(outline.format);
        ended.total_lines = lines;
        let count = open.first().map_or(outline.sections.len(), |open| open.index);
        if count == 0 {
            return ended;
        }
        ended.sections = outline.sections.drain(..count).collect();
        let kept =
            outline.sections.first().map_or(outline.names.len() as u64, |first| first.name_offset);
        ended.names = outline.names.drain(..kept as usize).collect();
        for section in &mut outline.sections {
            section.name_offset -= kept;
        }
        for open in open {
            open.index -= count;
        }
        let begun = outline.markers.partition_point(|(index, _)| *index < count);
        ended.markers = outline.markers.drain(..begun).collect();
        for (index, _) in &mut outline.markers {
            *index -= count;
        }
        ended
    }

    /// Returns the outline so far. The ends of open sections are not known yet.
    pub fn so_far(&self) -> Outline {
        let mut outline = self.collector.outline.clone();
        outline.total_lines = self.lines();
        for open in &self.collector.open {
            outline.sections[open.index].end_line = self.lines();
        }
        outline
    }

    /// Ends the document and returns the outline.
    pub fn finish(mut self) -> Outline {
        self.scan.finish(&mut self.collector);
        self.collector.finish(self.scan.lines())
    }
}
