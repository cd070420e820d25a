//! Builds an outline from blocks as they go by: which sections are open, where
//! they end, and what the lines of INI files, logs and plain text are.

use std::collections::HashSet;
use std::hash::BuildHasher;

use super::line_scan::LineScan;
use super::model::{
    Anchor, Code, ENTRY, IN_LIST, IN_QUOTE, IniKey, MARKER, NAME_KEPT, Outline, Section,
    SectionKind, Table, Wants,
};
use crate::text::format::{Format, Parser};
use crate::text::lines::Block;
use crate::text::markdown::anchors::AnchorScanner;
use crate::text::markdown::blocks::{CodeBlock, ContainerKind, HeadingBlock, Sink, TableBlock};
use crate::text::markdown::definitions::normalize_label;
use crate::text::markdown::front_matter::FrontMatter;
use crate::text::markdown::{DocumentScanner, inline};
use crate::text::sections::{self, KeyParts, LineKind, OpenValue};
use crate::text::span::LineRange;

/// Builds an outline from the blocks of a document, in order, its BOM left out.
#[derive(Debug)]
pub struct OutlineBuilder {
    collector: Collector,
    scan: Scan,
}

#[derive(Debug)]
enum Scan {
    Markdown(Box<DocumentScanner>),
    Lines(LineScan),
}

impl OutlineBuilder {
    /// A builder before the first block.
    pub fn new(format: Format, wants: Wants) -> Self {
        let scan = match format.parser() {
            Parser::Markdown => Scan::Markdown(Box::default()),
            Parser::Lines(parser) => Scan::Lines(LineScan::new(Some(parser()))),
            Parser::Plain => Scan::Lines(LineScan::new(None)),
        };
        Self { collector: Collector::new(format, wants), scan }
    }

    /// A builder for the lines of a Markdown document behind so many, where no
    /// list, quote or section is open that matters.
    pub fn after(format: Format, wants: Wants, lines: u64) -> Self {
        let scan = Scan::Markdown(Box::new(DocumentScanner::after(lines)));
        Self { collector: Collector::new(format, wants), scan }
    }

    /// Makes room for the sections of a document of so many bytes. Growing by
    /// doubling would hold the old list and the new one at once; memory that is
    /// not used costs nothing.
    pub fn expect_bytes(&mut self, bytes: u64) {
        const LARGE: u64 = 32 << 20;
        if bytes > LARGE {
            let room = usize::try_from(bytes / 256).unwrap_or(usize::MAX);
            // Where there is no room for it, the list grows as it must.
            let _ = self.collector.outline.sections.try_reserve(room);
        }
    }

    /// Takes the next block.
    pub fn push(&mut self, block: &Block<'_>) {
        match &mut self.scan {
            Scan::Markdown(scanner) => self.collector.scan(scanner, Some(block)),
            Scan::Lines(scan) => scan.push(block, &mut self.collector),
        }
    }

    /// How many lines were taken.
    pub fn lines(&self) -> u64 {
        match &self.scan {
            Scan::Markdown(scanner) => scanner.lines(),
            Scan::Lines(scan) => scan.line,
        }
    }

    /// Of the innermost sections that hold these lines, all taken and in order,
    /// those that may still go on, and whether a line has none.
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

    /// The source of the first heading of level 1, once it has been taken.
    pub fn title(&self) -> Option<&[u8]> {
        let outline = &self.collector.outline;
        let is_title = |section: &Section| section.level() == Some(1);
        outline.sections.iter().position(is_title).map(|index| outline.name(index))
    }

    /// How many sections are kept.
    pub fn sections(&self) -> usize {
        self.collector.outline.sections.len()
    }

    /// Forgets the sections that have nothing to do with these lines, in order:
    /// what is kept are those that are open, those that hold a line, the ones
    /// before and after a line, with all around them, and those that begin where
    /// one of these ends. Keys are forgotten; sections have other indexes then.
    pub fn keep_around(&mut self, lines: &[u64]) {
        let kept = self.around(lines);
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
        // The sections around the one that is looked at, itself the last.
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
        for (index, section) in sections.iter().enumerate() {
            kept[index] |= starts.binary_search(&section.line).is_ok();
        }
        kept
    }

    /// Whether a section may still go on.
    pub fn is_open(&self, index: usize) -> bool {
        self.collector.open.iter().any(|open| open.index == index)
    }

    /// Whether a section has begun after a line.
    pub fn has_begun_after(&self, line: u64) -> bool {
        self.collector.outline.sections.last().is_some_and(|section| section.line > line)
    }

    /// Whether what was taken so far is understood for good: no line of it may
    /// still prove to be a heading.
    pub fn is_settled(&self) -> bool {
        match &self.scan {
            Scan::Markdown(scanner) => scanner.is_settled(),
            Scan::Lines(_) => true,
        }
    }

    /// Ends the document.
    pub fn finish(mut self) -> Outline {
        let total = match &mut self.scan {
            Scan::Markdown(scanner) => {
                self.collector.scan(scanner, None);
                scanner.lines()
            }
            Scan::Lines(scan) => scan.line,
        };
        self.collector.finish(total)
    }
}

impl Outline {
    /// Outlines a text that is in memory as a whole, without its BOM.
    pub fn of(text: &[u8], format: Format, wants: Wants) -> Self {
        let mut builder = OutlineBuilder::new(format, wants);
        builder.push(&Block::new(text, 0));
        builder.finish()
    }
}

/// Sections that are open, and the outline so far.
#[derive(Debug)]
pub(super) struct Collector {
    pub(super) outline: Outline,
    pub(super) wants: Wants,
    open: Vec<Open>,
    anchors: AnchorScanner,
    /// The value of the last key of an INI file.
    open_value: OpenValue,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    index: usize,
    /// How many containers are open around it; 0 for all but headings.
    depth: usize,
}

impl Collector {
    fn new(format: Format, wants: Wants) -> Self {
        Self {
            outline: Outline {
                format,
                total_lines: 0,
                sections: Vec::with_capacity(32),
                names: Vec::new(),
                definitions: HashSet::default(),
                markers: Vec::new(),
                front_matter: None,
                code: Vec::new(),
                tables: Vec::new(),
                anchors: Vec::new(),
                keys: Vec::new(),
                blank_groups: Vec::new(),
                comment_blocks: Vec::new(),
            },
            wants,
            open: Vec::new(),
            anchors: AnchorScanner::new(),
            open_value: OpenValue::default(),
        }
    }

    fn wants_lines(&self) -> bool {
        self.wants.anchors || !self.wants.entries.is_empty()
    }

    /// Goes on with a block of Markdown, or ends the document. What is not
    /// wanted is left out of the scan.
    fn scan(&mut self, scanner: &mut DocumentScanner, block: Option<&Block<'_>>) {
        fn go_on<S: Sink>(scanner: &mut DocumentScanner, block: Option<&Block<'_>>, mut sink: S) {
            match block {
                Some(block) => scanner.scan(block, &mut sink),
                None => scanner.finish(&mut sink),
            }
        }
        match (self.wants.tables, self.wants_lines(), self.wants.nameless) {
            (true, ..) => go_on(scanner, block, MarkdownSink::<3>(self)),
            (_, true, _) => go_on(scanner, block, MarkdownSink::<2>(self)),
            (_, _, false) => go_on(scanner, block, MarkdownSink::<1>(self)),
            (_, _, true) => go_on(scanner, block, MarkdownSink::<0>(self)),
        }
    }

    /// Ends the open sections from position `from` of the stack with `end_line`.
    fn close_from(&mut self, from: usize, end_line: u64) {
        for open in self.open.drain(from..) {
            let section = &mut self.outline.sections[open.index];
            section.end_line = end_line.max(section.line);
        }
    }

    /// Begins a section: ends those of its kind that it does not stand in.
    fn open_section(
        &mut self,
        kind: SectionKind,
        lines: LineRange,
        depth: usize,
        flags: u8,
        name: &[u8],
        in_file: Option<u64>,
    ) {
        if self.wants.only_entries && kind != SectionKind::Entry {
            return;
        }
        if matches!(kind, SectionKind::Heading(_)) && self.is_entry_open_from(lines.start()) {
            // Log entries that happen to be underlined stay log entries.
            return;
        }
        let ends = |open: &Open| {
            let section = &self.outline.sections[open.index];
            match (kind, section.kind()) {
                (SectionKind::Heading(new), SectionKind::Heading(old)) => {
                    open.depth == depth && old >= new
                }
                (SectionKind::Entry, SectionKind::Entry)
                | (SectionKind::Marker, SectionKind::Marker) => true,
                (SectionKind::Entry, SectionKind::Heading(_)) => open.depth > 0,
                _ => false,
            }
        };
        if let Some(at) = self.open.iter().position(ends) {
            self.close_from(at, lines.start() - 1);
        }
        let name = if self.wants.nameless && kind != SectionKind::Entry { b"" } else { name };
        let keep = in_file.is_none()
            || self.wants.names.is_none_or(|limit| self.outline.names.len() + name.len() <= limit);
        let name_offset = match in_file {
            Some(offset) if !keep => offset,
            _ => {
                let offset = self.outline.names.len() as u64;
                self.outline.names.extend_from_slice(name);
                offset
            }
        };
        self.open.push(Open { index: self.outline.sections.len(), depth });
        self.outline.sections.push(Section {
            line: lines.start(),
            end_line: lines.end(),
            name_offset,
            name_length: name.len() as u32,
            heading_lines: lines.count().min(u64::from(u16::MAX)) as u16,
            kind: match kind {
                SectionKind::Heading(level) => level,
                SectionKind::Entry => ENTRY,
                SectionKind::Marker => MARKER,
            },
            flags: flags | if keep { NAME_KEPT } else { 0 },
        });
    }

    fn key(&mut self, parts: &KeyParts, bytes: &[u8], line: u64) {
        let start = parts.value.start;
        let is_quoted = start > 0 && matches!(bytes[start - 1], b'"' | b'\'');
        self.open_value = OpenValue::of(if is_quoted { b"" } else { &bytes[start..] });
        let is_marker = |&index: &usize| self.outline.sections[index].kind() == SectionKind::Marker;
        let section = self.open.iter().rev().map(|open| open.index).find(is_marker);
        self.outline.keys.push(IniKey {
            name: String::from_utf8_lossy(&bytes[parts.name.clone()]).into_owned(),
            section,
            lines: LineRange::line(line),
            is_open: self.open_value.is_open(),
        });
    }

    /// Takes a line that a parser has judged; a comment's mark is given back.
    pub(super) fn line_of_kind(
        &mut self,
        kind: LineKind,
        line: u64,
        bytes: &[u8],
        offset: u64,
    ) -> Option<&'static str> {
        match kind {
            LineKind::Comment(mark) => return Some(mark),
            LineKind::Marker(at) => {
                let in_file = Some(offset + at.start as u64);
                let lines = LineRange::line(line);
                self.open_section(SectionKind::Marker, lines, 0, 0, &bytes[at], in_file);
            }
            LineKind::Key(parts) if !self.wants.nameless => self.key(&parts, bytes, line),
            LineKind::Value => {
                if let Some(key) = self.outline.keys.last_mut() {
                    key.lines = LineRange::from_to(key.lines.start(), line);
                    self.open_value.line(bytes);
                    key.is_open = self.open_value.is_open();
                }
            }
            LineKind::Key(_) | LineKind::Blank | LineKind::Other => {}
        }
        None
    }

    /// Whether the innermost open section is an entry that began at `line` or later.
    fn is_entry_open_from(&self, line: u64) -> bool {
        self.open.last().is_some_and(|last| {
            let section = &self.outline.sections[last.index];
            section.kind() == SectionKind::Entry && section.line >= line
        })
    }

    pub(super) fn entry(&mut self, line: u64, bytes: &[u8], offset: u64) {
        let text = bytes.trim_ascii_end();
        self.open_section(SectionKind::Entry, LineRange::line(line), 0, 0, text, Some(offset));
    }

    /// An entry, if one of the own patterns matches the line.
    pub(super) fn own_entry(&mut self, line: u64, bytes: &[u8]) {
        let found = self.wants.entries.iter().find_map(|pattern| pattern.find(bytes));
        let Some(found) = found else { return };
        let text = bytes.trim_ascii_end();
        self.open_section(SectionKind::Entry, LineRange::line(line), 0, 0, text, None);
        if sections::bracketed(text).is_none() {
            let matched = bytes[found].trim_ascii().to_vec();
            self.outline.markers.push((self.outline.sections.len() - 1, matched));
        }
    }

    fn finish(mut self, total_lines: u64) -> Outline {
        self.close_from(0, total_lines);
        self.outline.total_lines = total_lines;
        self.outline.anchors.sort_by_key(|anchor| anchor.line);
        self.outline.anchors.dedup();
        let sections = self.outline.sections.len();
        self.outline.markers.retain(|(index, _)| *index < sections);
        self.outline
    }
}

/// Takes headings, names from 1 on, lines from 2, tables from 3.
struct MarkdownSink<'a, const WANTS: u8>(&'a mut Collector);

impl<const WANTS: u8> Sink for MarkdownSink<'_, WANTS> {
    const LINES: bool = WANTS >= 2;
    const DEFINITIONS: bool = WANTS >= 1;
    const TABLES: bool = WANTS >= 3;
    const KEYS: bool = WANTS >= 1;

    fn front_matter(&mut self, found: FrontMatter) {
        self.0.outline.front_matter = Some(found);
    }

    fn heading(&mut self, heading: HeadingBlock<'_>) {
        let flags = match heading.container {
            None => 0,
            Some(ContainerKind::Quote) => IN_QUOTE,
            Some(ContainerKind::List) => IN_LIST,
        };
        let lines = LineRange::from_to(heading.line, heading.last_line);
        let kind = SectionKind::Heading(heading.level);
        self.0.open_section(kind, lines, heading.depth, flags, heading.content, heading.offset);
        if self.0.wants.anchors
            && let Ok(source) = std::str::from_utf8(heading.content)
            && let Some(id) = inline::split_attributes(source).id
        {
            self.0.outline.anchors.push(Anchor { id: id.to_owned(), line: heading.line });
        }
    }

    fn code(&mut self, code: CodeBlock<'_>) {
        if self.0.wants.code {
            self.0.outline.code.push(Code {
                lines: LineRange::from_to(code.start_line, code.end_line),
                fenced: code.info.is_some(),
                language: code.info.and_then(inline::info_language),
                closed: code.closed,
            });
        }
    }

    fn table(&mut self, table: TableBlock<'_>) {
        self.0.outline.tables.push(Table::new(&table));
    }

    fn container_closed(&mut self, depth: usize, last_line: u64) {
        if let Some(from) = self.0.open.iter().position(|open| open.depth > depth) {
            self.0.close_from(from, last_line);
        }
    }

    fn definition(&mut self, label: &[u8]) {
        if self.0.wants.nameless {
            return;
        }
        let label = normalize_label(&String::from_utf8_lossy(label));
        let definitions = &mut self.0.outline.definitions;
        let hash = definitions.hasher().hash_one(label);
        definitions.insert(hash);
    }

    fn bracket_line(&mut self, line: u64, bytes: &[u8], offset: u64) {
        if self.0.wants.entries.is_empty() && sections::is_log_entry(bytes) {
            self.0.entry(line, bytes, offset);
        }
    }

    fn line(&mut self, line: u64, bytes: &[u8], _offset: u64) {
        let Collector { outline, wants, anchors, .. } = &mut *self.0;
        if wants.anchors {
            anchors.line(bytes, |id| {
                outline.anchors.push(Anchor { id: id.to_owned(), line });
            });
        }
        if !wants.entries.is_empty() {
            self.0.own_entry(line, bytes);
        }
    }
}
