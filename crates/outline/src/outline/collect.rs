//! Collects sections and the other parts of an outline, and tracks which sections are open.

use std::collections::HashMap;
use std::sync::Arc;

use super::model::{
    Anchor, AnchorKind, CANONICAL, Code, ENTRY, IN_LIST, IN_QUOTE, MARKER, NAME_KEPT, Outline,
    OutlineOptions, SYMBOL, Section, SectionKind, Table,
};
use super::slugs::slugs_where;
use crate::format::Format;
use folio_markdown::anchors::{AnchorScanner, HtmlAnchor};
use folio_markdown::blocks::{CodeBlock, ContainerKind, HeadingBlock, Sink, TableBlock};
use folio_markdown::front_matter::FrontMatter;
use folio_markdown::slug::{SlugStyle, slug};
use folio_markdown::{DocumentScanner, inline};
use folio_symbols::Symbols;
use folio_text::lines::Block;
use folio_text::sections::{self, LineKind};
use folio_text::span::LineRange;

/// The open sections, and the outline so far.
#[derive(Debug)]
pub(crate) struct Collector {
    pub(crate) outline: Outline,
    pub(super) options: OutlineOptions,
    pub(super) open: Vec<Open>,
    anchors: AnchorScanner,
    /// The language of each info string.
    languages: HashMap<Vec<u8>, Option<Arc<str>>>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub(super) index: usize,
    /// The number of containers around the section. Only headings can be in containers.
    depth: usize,
}

impl Collector {
    pub(crate) fn new(format: Format, options: OutlineOptions) -> Self {
        Self {
            outline: Outline { sections: Vec::with_capacity(32), ..Outline::empty(format) },
            options,
            open: Vec::new(),
            anchors: AnchorScanner::new(),
            languages: HashMap::new(),
        }
    }

    /// Returns the language of a code block with this info string.
    fn language(&mut self, info: &[u8]) -> Option<Arc<str>> {
        const MAX_KNOWN: usize = 1000;
        if let Some(known) = self.languages.get(info) {
            return known.clone();
        }
        let language: Option<Arc<str>> = inline::info_language(info).map(Arc::from);
        if self.languages.len() < MAX_KNOWN {
            self.languages.insert(info.to_vec(), language.clone());
        }
        language
    }

    fn wants_lines(&self) -> bool {
        self.options.anchors || !self.options.entries.is_empty()
    }

    /// Scans a block of Markdown. If `block` is `None`, ends the document. Does not detect parts
    /// that are not requested.
    pub(crate) fn scan(&mut self, scanner: &mut DocumentScanner, block: Option<&Block<'_>>) {
        fn go_on<S: Sink>(scanner: &mut DocumentScanner, block: Option<&Block<'_>>, mut sink: S) {
            match block {
                Some(block) => scanner.scan(block, &mut sink),
                None => scanner.finish(&mut sink),
            }
        }
        match (self.options.tables, self.wants_lines(), self.options.nameless) {
            (true, ..) => go_on(scanner, block, MarkdownSink::<3>(self)),
            (_, true, _) => go_on(scanner, block, MarkdownSink::<2>(self)),
            (_, _, false) => go_on(scanner, block, MarkdownSink::<1>(self)),
            (_, _, true) => go_on(scanner, block, MarkdownSink::<0>(self)),
        }
    }

    /// Ends the open sections, beginning at position `from` of the stack. Their last line is
    /// `end_line`.
    fn close_from(&mut self, from: usize, end_line: u64) {
        for open in self.open.drain(from..) {
            let section = &mut self.outline.sections[open.index];
            section.end_line = end_line.max(section.line);
        }
    }

    /// Begins a section, and ends the sections of the same kind that cannot contain it.
    fn open_section(
        &mut self,
        kind: SectionKind,
        lines: LineRange,
        depth: usize,
        flags: u8,
        name: &[u8],
        in_file: Option<u64>,
    ) {
        if self.options.only_entries && kind != SectionKind::Entry {
            return;
        }
        if matches!(kind, SectionKind::Heading(_)) && self.is_entry_open_from(lines.start()) {
            // A log entry with an underline remains a log entry.
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
        if self.leaves_out(name) {
            return;
        }
        let name = if self.leaves_unnamed(kind) { b"" } else { name };
        let in_file = in_file.filter(|_| self.options.name_spans);
        let name_offset = in_file.unwrap_or(self.outline.names.len() as u64);
        if in_file.is_none() {
            self.outline.names.extend_from_slice(name);
        }
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
                SectionKind::Symbol(kind) => SYMBOL + kind as u8,
            },
            flags: flags | if in_file.is_none() { NAME_KEPT } else { 0 },
        });
    }

    fn leaves_out(&self, name: &[u8]) -> bool {
        let with = self.options.only_with.as_ref();
        with.is_some_and(|with| memchr::memmem::find(name, with).is_none())
    }

    /// Whether names of sections of this kind can be dropped. The names of entries that match
    /// custom patterns are always kept, because the end of an entry depends on them.
    fn leaves_unnamed(&self, kind: SectionKind) -> bool {
        let is_custom_entry = kind == SectionKind::Entry && !self.options.entries.is_empty();
        self.options.nameless && !is_custom_entry
    }

    /// Adds a line that a parser has classified. For a comment, returns its marker.
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
            LineKind::Key(_) | LineKind::Value | LineKind::Blank | LineKind::Other => {}
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

    /// Begins an entry if one of the custom patterns matches the line.
    pub(super) fn open_custom_entry(&mut self, line: u64, bytes: &[u8]) {
        let found = self.options.entries.iter().find_map(|pattern| pattern.find(bytes));
        let Some(found) = found else { return };
        let text = bytes.trim_ascii_end();
        self.open_section(SectionKind::Entry, LineRange::line(line), 0, 0, text, None);
        if sections::bracketed(text).is_none() {
            let matched = bytes[found].trim_ascii().to_vec();
            self.outline.markers.push((self.outline.sections.len() - 1, matched));
        }
    }

    /// Whether the symbols of source code are sections. They are not if there are entries, which are
    /// lines that the user named.
    pub(crate) fn wants_symbols(&self) -> bool {
        let OutlineOptions { entries, only_entries, .. } = &self.options;
        !only_entries && entries.is_empty() && self.outline.sections.is_empty()
    }

    /// Adds the symbols of source code.
    pub(crate) fn add_symbols(&mut self, found: Symbols) {
        let outline = &mut self.outline;
        outline.syntax_errors = found.errors.iter().map(|error| error.lines).collect();
        for symbol in &found.symbols {
            let name_offset = outline.names.len() as u64;
            let name = if self.options.nameless { "" } else { &symbol.name };
            outline.names.extend_from_slice(name.as_bytes());
            let before = symbol.body.as_ref().map(|body| body.start - symbol.lines.start());
            outline.sections.push(Section {
                line: symbol.lines.start(),
                end_line: symbol.lines.end(),
                name_offset,
                name_length: name.len() as u32,
                heading_lines: before.unwrap_or(symbol.lines.count()).min(u64::from(u16::MAX))
                    as u16,
                kind: SYMBOL + symbol.kind as u8,
                flags: NAME_KEPT,
            });
        }
        outline.symbols = found.symbols;
    }

    /// Begins the section of a heading outside of Markdown. The name begins at `offset` of the file.
    pub(crate) fn heading(&mut self, level: u8, lines: LineRange, name: &[u8], offset: u64) {
        let kind = SectionKind::Heading(level.clamp(1, 6));
        // Of several headings on a line, only the first one begins a section.
        let last = self.outline.sections.last();
        if last.is_none_or(|last| last.line + u64::from(last.heading_lines) <= lines.start()) {
            self.open_section(kind, lines, 0, 0, name, Some(offset));
        }
    }

    /// Ends all sections at a line.
    pub(crate) fn end_sections(&mut self, line: u64) {
        self.close_from(0, line);
    }

    /// Ends the sections of a level or of deeper ones that begin after a line.
    pub(crate) fn end_sections_in(&mut self, level: u8, after: u64, last: u64) {
        let sections = &mut self.outline.sections;
        self.open.retain(|open| {
            let section = &mut sections[open.index];
            let is_in = section.line > after && section.line <= last;
            let ends = is_in && section.level().is_some_and(|other| other >= level);
            if ends {
                let heading = section.line + u64::from(section.heading_lines) - 1;
                section.end_line = last.max(heading);
            }
            !ends
        });
    }

    /// Adds an anchor, if anchors are requested.
    pub(crate) fn anchor(&mut self, id: &[u8], line: u64, kind: AnchorKind) {
        if self.options.anchors && !id.is_empty() {
            let id = String::from_utf8_lossy(id).into_owned();
            self.outline.anchors.push(Anchor { id, line, end_line: None, kind });
        }
    }

    /// Adds a code block, if code blocks are requested. `opening` is the number of lines before its
    /// contents.
    pub(crate) fn code(&mut self, lines: LineRange, opening: u16, closed: bool, language: &[u8]) {
        if self.options.code {
            let language = String::from_utf8_lossy(language.trim_ascii());
            let language = (!language.is_empty()).then(|| Arc::from(&*language));
            self.outline.code.push(Code { lines, opening, fenced: true, language, closed });
        }
    }

    /// Begins an entry if there are custom patterns and one of them matches the line.
    pub(crate) fn custom_entry(&mut self, line: u64, bytes: &[u8]) {
        if !self.options.entries.is_empty() {
            self.open_custom_entry(line, bytes);
        }
    }

    pub(super) fn finish(mut self, total_lines: u64) -> Outline {
        self.close_from(0, total_lines);
        self.outline.total_lines = total_lines;
        if !self.outline.html_headings.is_empty() {
            let slugs = slugs_where(SlugStyle::Github, &self.outline, true, |_| true);
            let kind = AnchorKind::HtmlHeading;
            let anchor = |(line, id)| Anchor { id, line, end_line: None, kind };
            self.outline.anchors.extend(slugs.html.into_iter().map(anchor));
        }
        self.outline.anchors.sort_by_key(|anchor| anchor.line);
        self.outline.anchors.dedup();
        let sections = self.outline.sections.len();
        self.outline.markers.retain(|(index, _)| *index < sections);
        self.outline
    }
}

/// A sink for headings. `DETAIL` selects what else to collect: names (1 or more), lines (2 or more)
/// and tables (3 or more).
struct MarkdownSink<'a, const DETAIL: u8>(&'a mut Collector);

impl<const DETAIL: u8> Sink for MarkdownSink<'_, DETAIL> {
    const LINES: bool = DETAIL >= 2;
    const DEFINITIONS: bool = DETAIL >= 1;
    const TABLES: bool = DETAIL >= 3;
    const KEYS: bool = DETAIL >= 1;

    fn front_matter(&mut self, found: FrontMatter) {
        self.0.outline.front_matter = Some(found);
    }

    fn heading(&mut self, heading: HeadingBlock<'_>) {
        let flags = match heading.container {
            None => 0,
            Some(ContainerKind::Quote) => IN_QUOTE,
            Some(ContainerKind::List) => IN_LIST,
            Some(ContainerKind::Footnote) => IN_QUOTE | IN_LIST,
        };
        let flags = flags | if heading.is_canonical { CANONICAL } else { 0 };
        let lines = LineRange::from_to(heading.line, heading.last_line);
        let kind = SectionKind::Heading(heading.level);
        self.0.open_section(kind, lines, heading.depth, flags, heading.content, heading.offset);
        if self.0.options.anchors
            && let Ok(source) = std::str::from_utf8(heading.content)
        {
            let text = inline::without_attributes(source);
            let anchor = match inline::split_attributes(source).id {
                Some(id) => Some((id.to_owned(), AnchorKind::HeadingId)),
                // GitHub shows the list as text, but the programs that the list is for do not.
                None => (text != source).then(|| (slug(text), AnchorKind::WithoutAttributes)),
            };
            let line = heading.line;
            let anchor = anchor.map(|(id, kind)| Anchor { id, line, end_line: None, kind });
            self.0.outline.anchors.extend(anchor);
        }
    }

    fn wants_indented_code(&self) -> bool {
        self.0.options.code
    }

    fn code(&mut self, code: CodeBlock<'_>) {
        if self.0.options.code {
            let language = code.info.and_then(|info| self.0.language(info));
            self.0.outline.code.push(Code {
                lines: LineRange::from_to(code.start_line, code.end_line),
                opening: u16::from(code.info.is_some()),
                fenced: code.info.is_some(),
                language,
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

    fn footnote(&mut self, label: &[u8], lines: LineRange) {
        if self.0.options.anchors {
            let id = format!("fn-{}", String::from_utf8_lossy(label));
            let end_line = Some(lines.end());
            let line = lines.start();
            let kind = AnchorKind::Explicit;
            self.0.outline.anchors.push(Anchor { id, line, end_line, kind });
        }
    }

    fn definition(&mut self, label: &[u8], _line: u64) {
        if !self.0.options.nameless {
            self.0.outline.definitions.insert(label);
        }
    }

    fn log_entry(&mut self, line: u64, bytes: &[u8], offset: u64) {
        if self.0.options.entries.is_empty() {
            self.0.entry(line, bytes, offset);
        }
    }

    fn line(&mut self, line: u64, bytes: &[u8], _offset: u64) {
        let Collector { outline, options, anchors, .. } = &mut *self.0;
        if options.anchors {
            let mut push = |id, kind| {
                outline.anchors.push(Anchor { id, line, end_line: None, kind });
            };
            anchors.line(bytes, |anchor| match anchor {
                HtmlAnchor::Id(id) => push(id.to_owned(), AnchorKind::Explicit),
                HtmlAnchor::Heading(text) => {
                    // GitHub converts each blank to a hyphen.
                    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
                    if slug(text) != slug(&words) {
                        push(slug(text), AnchorKind::HtmlHeading);
                    }
                    outline.html_headings.push((line, words));
                }
            });
        }
        if !options.entries.is_empty() {
            self.0.open_custom_entry(line, bytes);
        }
    }
}
