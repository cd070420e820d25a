//! Builds an outline from the blocks of a document, and drops parts that are no longer needed.

use std::borrow::Cow;
use std::sync::Arc;

use super::collect::Collector;
use super::line_scan::LineScan;
use super::model::{NAME_KEPT, NameSource, Outline, Section, Wants};
use crate::format::{Format, Parser};
use folio_keys::Syntax;
use folio_markdown::DocumentScanner;
use folio_text::lines::Block;
use folio_text::sections::IniParser;
use folio_text::span::Span;

/// Builds an outline. The blocks of the document must be passed in order, without the byte order
/// mark.
#[derive(Debug)]
pub struct OutlineBuilder {
    collector: Collector,
    scan: Scan,
    /// Number of sections at the start of the list that have been taken, but not dropped yet.
    taken: usize,
    /// The number of definitions when the text of the next section was last found not to be final.
    undecided: Option<usize>,
}

#[derive(Debug)]
enum Scan {
    Markdown(Box<DocumentScanner>),
    Lines(LineScan),
    /// The text so far, if the keys are needed.
    Keys(LineScan, Syntax, Option<Vec<u8>>),
}

impl OutlineBuilder {
    /// Creates a builder at the start of a document.
    pub fn new(format: Format, wants: Wants) -> Self {
        let scan = match format.parser() {
            Parser::Markdown(dialect) => Scan::Markdown(Box::new(DocumentScanner::new(dialect))),
            Parser::Ini(dialect) => Scan::Lines(LineScan::new(Some(IniParser::new(dialect)))),
            Parser::Keys(syntax) => {
                Scan::Keys(LineScan::new(None), syntax, wants.tree.then(Vec::new))
            }
            Parser::Plain => Scan::Lines(LineScan::new(None)),
        };
        Self { collector: Collector::new(format, wants), scan, taken: 0, undecided: None }
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

    /// Processes the next block.
    pub fn push(&mut self, block: &Block<'_>) {
        match &mut self.scan {
            Scan::Markdown(scanner) => self.collector.scan(scanner, Some(block)),
            Scan::Lines(scan) => scan.push(block, &mut self.collector),
            Scan::Keys(scan, _, text) => {
                scan.push(block, &mut self.collector);
                text.iter_mut().for_each(|text| text.extend_from_slice(block.bytes));
            }
        }
    }

    /// Returns the number of lines processed.
    pub fn lines(&self) -> u64 {
        match &self.scan {
            Scan::Markdown(scanner) => scanner.lines(),
            Scan::Lines(scan) | Scan::Keys(scan, ..) => scan.line,
        }
    }

    /// Returns the innermost open sections of lines that have been processed, and whether any of
    /// the lines is not in a section. `lines` must be in ascending order.
    pub fn open_around(&self, lines: impl Iterator<Item = u64>) -> (Vec<usize>, bool) {
        let sections = &self.collector.outline.sections;
        let mut around: Vec<usize> = Vec::new();
        let mut found = Vec::new();
        let mut is_outside = false;
        let mut next = 0;
        let has_ended =
            |index: usize, line: u64| sections[index].end_line < line && !self.is_open(index);
        for line in lines {
            while sections.get(next).is_some_and(|section| section.line <= line) {
                while around.last().is_some_and(|&last| has_ended(last, sections[next].line)) {
                    around.pop();
                }
                around.push(next);
                next += 1;
            }
            while around.last().is_some_and(|&last| has_ended(last, line)) {
                around.pop();
            }
            match around.last() {
                None => is_outside = true,
                Some(&index) if self.is_open(index) && !found.contains(&index) => {
                    found.push(index);
                }
                Some(_) => {}
            }
        }
        (found, is_outside)
    }

    /// Returns the source of the first heading of level 1, if it has been processed.
    pub fn title(&self) -> Option<&[u8]> {
        let outline = &self.collector.outline;
        let is_title = |section: &Section| section.level() == Some(1);
        outline.sections.iter().position(is_title).map(|index| outline.name(index))
    }

    /// Returns the number of sections kept.
    pub fn sections(&self) -> usize {
        self.collector.outline.sections.len()
    }

    /// Drops the sections that are not related to `lines`, which must be in ascending order. Keeps
    /// the open sections, the sections that contain a line, the sections before and after a line
    /// with their ancestors, and the sections that begin where one of these ends. If `later` is
    /// set, also keeps all sections after the last line. Drops keys, and changes the indexes of
    /// sections.
    pub fn keep_around(&mut self, lines: &[u64], later: bool) {
        let mut kept = self.around(lines);
        if later {
            let last = lines.last().copied().unwrap_or(0);
            let sections = &self.collector.outline.sections;
            let from = sections.partition_point(|section| section.line <= last);
            kept[from..].fill(true);
        }
        self.keep(&kept);
    }

    /// Passes final sections with their texts to `take` and drops them. A section is final if it is
    /// before the first open section, and no later link definition can change its text. `read`
    /// returns names that were not kept in memory.
    pub fn take_final<E>(
        &mut self,
        mut read: impl FnMut(Span) -> Result<Vec<u8>, E>,
        mut take: impl FnMut(&Section, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let lines = self.lines();
        let Collector { outline, open, .. } = &self.collector;
        let has_waited = |index| outline.is_out_of_reach(index, lines);
        if self.undecided == Some(outline.definitions.len()) && !has_waited(self.taken) {
            return Ok(());
        }
        let mut count = self.taken;
        let end = open.first().map_or(outline.sections.len(), |open| open.index);
        while count < end {
            let section = &outline.sections[count];
            let name = match outline.name_source(count) {
                NameSource::Kept(name) => Cow::Borrowed(name),
                NameSource::InFile(span) => Cow::Owned(read(span)?),
            };
            if !(has_waited(count) || outline.is_text_final(section, &name)) {
                break;
            }
            take(section, &outline.shown(section, &name))?;
            count += 1;
        }
        self.undecided = (count < end).then_some(outline.definitions.len());
        self.taken = count;
        if count > outline.sections.len() / 2 {
            self.drop_taken();
        }
        Ok(())
    }

    fn drop_taken(&mut self) {
        let taken = std::mem::take(&mut self.taken);
        let kept: Vec<bool> = (0..self.sections()).map(|index| index >= taken).collect();
        self.keep(&kept);
    }

    /// Drops the sections that are not in `kept`, and all keys.
    fn keep(&mut self, kept: &[bool]) {
        let outline = &mut self.collector.outline;
        let names = std::mem::take(&mut outline.names);
        let mut index_of: Vec<usize> = Vec::with_capacity(kept.len());
        let mut count = 0;
        for (index, &is_kept) in kept.iter().enumerate() {
            index_of.push(count);
            if !is_kept {
                continue;
            }
            let mut section = outline.sections[index];
            if section.flags & NAME_KEPT != 0 {
                let start = section.name_offset as usize;
                section.name_offset = outline.names.len() as u64;
                let name = &names[start..start + section.name_length as usize];
                outline.names.extend_from_slice(name);
            }
            outline.sections[count] = section;
            count += 1;
        }
        outline.sections.truncate(count);
        outline.keys.clear();
        outline.markers.retain_mut(|(index, _)| {
            let is_kept = kept[*index];
            *index = index_of[*index];
            is_kept
        });
        for open in &mut self.collector.open {
            open.index = index_of[open.index];
        }
    }

    fn around(&self, lines: &[u64]) -> Vec<bool> {
        let sections = &self.collector.outline.sections;
        let mut kept = vec![false; sections.len()];
        for open in &self.collector.open {
            kept[open.index] = true;
        }
        let has_ended = |index: usize, line: u64| sections[index].end_line < line && !kept[index];
        let mut wanted: Vec<usize> = Vec::new();
        // The ancestors of the current section, followed by the section itself.
        let mut around: Vec<usize> = Vec::new();
        let mut at = lines
            .partition_point(|&line| sections.first().is_some_and(|section| line < section.line));
        if at > 0 {
            wanted.push(0);
        }
        for (index, section) in sections.iter().enumerate() {
            while around.last().is_some_and(|&last| has_ended(last, section.line)) {
                around.pop();
            }
            around.push(index);
            let next = sections.get(index + 1).map_or(u64::MAX, |next| next.line);
            if lines.get(at).is_none_or(|&line| line >= next) {
                continue;
            }
            wanted.extend_from_slice(&around);
            wanted.extend((index + 1 < sections.len()).then_some(index + 1));
            while lines.get(at).is_some_and(|&line| line < next) {
                at += 1;
            }
        }
        let mut starts: Vec<u64> = Vec::with_capacity(wanted.len());
        for &index in &wanted {
            kept[index] = true;
            starts.push(sections[index].end_line + 1);
        }
        starts.sort_unstable();
        let mut starts = starts.into_iter().peekable();
        for (index, section) in sections.iter().enumerate() {
            while starts.next_if(|&start| start < section.line).is_some() {}
            kept[index] |= starts.peek() == Some(&section.line);
        }
        kept
    }

    /// Whether a section is still open.
    pub fn is_open(&self, index: usize) -> bool {
        self.collector.open.iter().any(|open| open.index == index)
    }

    /// Whether a section has begun after a line.
    pub fn has_begun_after(&self, line: u64) -> bool {
        self.collector.outline.sections.last().is_some_and(|section| section.line > line)
    }

    /// Whether later lines cannot change how the lines so far are parsed. They could if the last
    /// line may still become part of a heading.
    pub fn is_settled(&self) -> bool {
        match &self.scan {
            Scan::Markdown(scanner) => scanner.is_settled(),
            Scan::Lines(_) | Scan::Keys(..) => true,
        }
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
        if self.taken > 0 {
            self.drop_taken();
        }
        let total = match &mut self.scan {
            Scan::Markdown(scanner) => {
                self.collector.scan(scanner, None);
                scanner.lines()
            }
            Scan::Lines(scan) => scan.line,
            Scan::Keys(scan, syntax, text) => {
                let tree = text.take().map(|text| Arc::new(folio_keys::parse(*syntax, &text)));
                self.collector.outline.tree = tree;
                scan.line
            }
        };
        self.collector.finish(total)
    }
}
