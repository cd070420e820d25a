//! The data model of an outline: nested sections and other parts of a document, with their lines. A
//! section takes 32 bytes. Names of headings are kept in memory up to a limit; further names are
//! read from the file again.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::{Arc, OnceLock};

use crate::format::Format;
use folio_keys::{Mistake, Tree};
use folio_markdown::blocks::{ContainerKind, TableBlock};
use folio_markdown::definitions::normalize_label;
use folio_markdown::front_matter::FrontMatter;
use folio_markdown::inline;
use folio_markdown::tables;
use folio_symbols::{Kind as SymbolKind, Limit, Symbol};
use folio_text::pattern::Pattern;
use folio_text::sections;
use folio_text::span::{LineRange, Span};

/// The kind of line that begins a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionKind {
    /// A heading with its level, 1 to 6.
    Heading(u8),
    /// A log entry, or an entry that begins with a match of a custom pattern.
    Entry,
    /// The `[marker]` of a section in an INI file.
    Marker,
    /// The declaration of a symbol in source code.
    Symbol(SymbolKind),
}

/// A section of a document.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    pub(super) line: u64,
    pub(super) end_line: u64,
    pub(super) name_offset: u64,
    pub(super) name_length: u32,
    pub(super) heading_lines: u16,
    // A heading's level, ENTRY or MARKER.
    pub(super) kind: u8,
    pub(super) flags: u8,
}

pub(super) const ENTRY: u8 = 7;
pub(super) const MARKER: u8 = 8;
/// The first of the numbers of symbols, in the order of [`SymbolKind::ALL`].
pub(super) const SYMBOL: u8 = 16;
pub(super) const IN_QUOTE: u8 = 1;
pub(super) const IN_LIST: u8 = 2;
pub(super) const NAME_KEPT: u8 = 4;
pub(super) const CANONICAL: u8 = 8;

impl Section {
    /// Returns the kind of line that begins the section.
    pub fn kind(&self) -> SectionKind {
        match self.kind {
            ENTRY => SectionKind::Entry,
            MARKER => SectionKind::Marker,
            SYMBOL.. => SectionKind::Symbol(SymbolKind::ALL[usize::from(self.kind - SYMBOL)]),
            level => SectionKind::Heading(level),
        }
    }

    /// Returns the lines of the section, beginning at the first line of its name.
    pub fn lines(&self) -> LineRange {
        LineRange::from_to(self.line, self.end_line)
    }

    /// Returns the lines after the heading, the marker or the first line of the entry. `None` if
    /// there are none.
    pub fn body(&self) -> Option<LineRange> {
        LineRange::new(self.line + u64::from(self.heading_lines), self.end_line)
    }

    /// Returns the lines of the heading, the marker, or the first line of the entry.
    pub fn heading(&self) -> LineRange {
        let last = self.body().map_or(self.end_line, |body| body.start() - 1);
        LineRange::from_to(self.line, last)
    }

    /// Returns the level of the heading. `None` for other sections.
    pub fn level(&self) -> Option<u8> {
        match self.kind() {
            SectionKind::Heading(level) => Some(level),
            _ => None,
        }
    }

    /// Returns the innermost container around the heading.
    pub fn container(&self) -> Option<ContainerKind> {
        match self.flags & (IN_QUOTE | IN_LIST) {
            IN_QUOTE => Some(ContainerKind::Quote),
            IN_LIST => Some(ContainerKind::List),
            0 => None,
            _ => Some(ContainerKind::Footnote),
        }
    }
}

/// A code block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The lines of the block, including fences.
    pub lines: LineRange,
    /// The number of lines before the contents: the opening fence, or a directive and its options.
    pub opening: u16,
    /// Whether a fence, directive or tag marks the block as code.
    pub fenced: bool,
    /// The first word of the info string, unescaped. Blocks in the same language share it.
    pub language: Option<Arc<str>>,
    /// Whether the block ends with a closing fence.
    pub closed: bool,
}

impl Code {
    /// Returns the lines between the fences. `None` if there are none.
    pub fn contents(&self) -> Option<LineRange> {
        let first = self.lines.start() + u64::from(self.opening);
        LineRange::new(first, self.lines.end() - u64::from(self.closed))
    }

    /// Whether the block is in the language `wanted`, which may have the form of an info string.
    /// Ignores case.
    pub fn is_language(&self, wanted: &str) -> bool {
        let has_options = wanted.contains(['{', ',', ':']);
        let named = has_options.then(|| inline::info_language(wanted.as_bytes())).flatten();
        let wanted = named.as_deref().unwrap_or(wanted);
        self.language.as_deref().is_some_and(|language| language.eq_ignore_ascii_case(wanted))
    }
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The lines of the table, from the header to the last row.
    pub lines: LineRange,
    /// The number of cells in the header.
    pub columns: usize,
    /// The texts of the header's cells.
    pub header: Vec<String>,
    /// Whether the table is inside a container.
    pub is_contained: bool,
}

impl Table {
    pub(super) fn new(table: &TableBlock<'_>) -> Self {
        Self {
            lines: LineRange::from_to(table.start_line, table.end_line),
            columns: table.columns,
            header: tables::cells(table.header).into_iter().map(tables::cell_text).collect(),
            is_contained: table.is_contained,
        }
    }
}

/// An explicit anchor: an HTML id, a label, a footnote, or the id of a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The id. In a link, it follows the `#`.
    pub id: String,
    /// The line number.
    pub line: u64,
    /// The last line of a footnote; `None` for other anchors.
    pub end_line: Option<u64>,
    /// The origin of the id.
    pub kind: AnchorKind,
}

/// The origin of an anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnchorKind {
    /// The id of an HTML tag or a footnote.
    Explicit,
    /// The explicit id of a heading, such as `## Setup {#install}`.
    HeadingId,
    /// The slug that an HTML heading has on GitHub.
    HtmlHeading,
    /// The slug of the text of a heading before an attribute list such as `{.class}`.
    WithoutAttributes,
}

/// Consecutive lines of comments with the same marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentBlock {
    /// The lines of the comments.
    pub lines: LineRange,
    /// The comment marker.
    pub prefix: &'static str,
}

/// The parts of an outline to collect.
#[derive(Clone, Debug, Default)]
pub(crate) struct OutlineOptions {
    /// Whether to collect code blocks.
    pub code: bool,
    /// Whether to collect tables. If so, the row of a table cannot become a setext heading.
    pub tables: bool,
    /// Whether to collect explicit anchors.
    pub anchors: bool,
    /// Whether to collect groups of blank lines and comment blocks.
    pub groups: bool,
    /// Whether to parse the keys of a document as a tree.
    pub tree: bool,
    /// Custom patterns of lines that begin entries, instead of `[LOG-`.
    pub entries: Vec<Pattern>,
    /// Whether entries are the only sections, so that headings and markers are ignored.
    pub only_entries: bool,
    /// Whether to drop names. The names of entries that match custom patterns are kept.
    pub nameless: bool,
    /// Whether to collect the spans of names in the file instead of the names.
    pub name_spans: bool,
    /// If all sections of the document are entries, collects only those whose first line contains
    /// these bytes.
    pub only_with: Option<Vec<u8>>,
}

impl OutlineOptions {
    /// Requests all parts except tables.
    pub fn everything() -> Self {
        Self { code: true, anchors: true, groups: true, tree: true, ..Self::default() }
    }
}

/// The structure of a document.
#[derive(Clone, Debug)]
pub struct Outline {
    pub(super) format: Format,
    pub(super) total_lines: u64,
    pub(super) sections: Vec<Section>,
    pub(super) names: Vec<u8>,
    pub(super) definitions: Labels,
    // Markers of entries whose first line has no brackets, by section.
    pub(super) markers: Vec<(usize, Vec<u8>)>,
    pub(super) front_matter: Option<FrontMatter>,
    pub(super) code: Vec<Code>,
    pub(super) tables: Vec<Table>,
    pub(super) anchors: Vec<Anchor>,
    /// The HTML headings: the line on which each ends, and its text.
    pub(super) html_headings: Vec<(u64, String)>,
    pub(crate) tree: Option<Arc<Result<Tree, Mistake>>>,
    pub(super) blank_groups: Vec<u64>,
    pub(super) comment_blocks: Vec<CommentBlock>,
    /// The symbols that the sections are, in source code.
    pub(super) symbols: Vec<Symbol>,
    /// The lines of source code that do not have the syntax of its language.
    pub(super) syntax_errors: Vec<LineRange>,
    /// Why source code has no symbols.
    pub(super) unparsed: Option<Limit>,
    /// For each section, the index of the section that contains it.
    pub(super) parents: OnceLock<Vec<Option<usize>>>,
}

impl Outline {
    /// Creates the outline of an empty document.
    pub fn empty(format: Format) -> Self {
        Self {
            format,
            total_lines: 0,
            sections: Vec::new(),
            names: Vec::new(),
            definitions: Labels::default(),
            markers: Vec::new(),
            front_matter: None,
            code: Vec::new(),
            tables: Vec::new(),
            anchors: Vec::new(),
            html_headings: Vec::new(),
            tree: None,
            blank_groups: Vec::new(),
            comment_blocks: Vec::new(),
            symbols: Vec::new(),
            syntax_errors: Vec::new(),
            unparsed: None,
            parents: OnceLock::new(),
        }
    }

    /// Adds the sections of another part of the document whose indexes satisfy a condition. They
    /// follow those of this part.
    pub fn append(&mut self, other: &Self, mut filter: impl FnMut(usize) -> bool) {
        self.total_lines = other.total_lines;
        self.parents = OnceLock::new();
        for (index, section) in other.sections.iter().enumerate() {
            if !filter(index) {
                continue;
            }
            let name_offset = self.names.len() as u64;
            self.names.extend_from_slice(other.name(index));
            if let Ok(at) = other.markers.binary_search_by_key(&index, |(section, _)| *section) {
                self.markers.push((self.sections.len(), other.markers[at].1.clone()));
            }
            self.sections.push(Section { name_offset, ..*section });
        }
    }

    /// Returns the document's format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns the number of lines of the document.
    pub fn total_lines(&self) -> u64 {
        self.total_lines
    }

    /// Returns the sections, ordered by first line. Each section is followed by the sections that
    /// are nested in it.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Returns the symbols that the sections are, with the same indexes. Empty outside of source code.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// Returns the symbol that a section is. `None` outside of source code.
    pub fn symbol(&self, index: usize) -> Option<&Symbol> {
        self.symbols.get(index)
    }

    /// Returns the name of the type of a method that is declared outside of it.
    pub fn qualifier(&self, index: usize) -> Option<&str> {
        self.symbol(index)?.qualifier.as_deref()
    }

    /// Returns the lines of a section without its heading, marker, first line or signature. `None`
    /// if there are none.
    pub fn body(&self, index: usize) -> Option<LineRange> {
        match self.symbol(index) {
            Some(symbol) => symbol.body.as_ref()?.lines(),
            None => self.sections[index].body(),
        }
    }

    /// Whether a section may have a body. A symbol on one line has none, for example.
    pub fn has_body(&self, index: usize) -> bool {
        self.symbol(index).is_none_or(|symbol| symbol.body.is_some())
    }

    /// Records that source code was not parsed.
    pub(crate) fn refuse(&mut self, limit: Limit) {
        self.unparsed = Some(limit);
    }

    /// Returns the lines of source code that do not have the syntax of its language.
    pub fn syntax_errors(&self) -> &[LineRange] {
        &self.syntax_errors
    }

    /// Returns why source code has no symbols, if it was not parsed.
    pub fn unparsed(&self) -> Option<Limit> {
        self.unparsed
    }

    /// Returns the front matter.
    pub fn front_matter(&self) -> Option<&FrontMatter> {
        self.front_matter.as_ref()
    }

    /// Returns the code blocks, fenced and indented, in order.
    pub fn code(&self) -> &[Code] {
        &self.code
    }

    /// Returns the tables, in order.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Returns the explicit anchors, in order.
    pub fn anchors(&self) -> &[Anchor] {
        &self.anchors
    }

    /// Returns the tree of keys of the document, if it was requested.
    pub fn tree(&self) -> Option<&Tree> {
        self.tree.as_deref()?.as_ref().ok()
    }

    /// Returns the tree of keys of the document, or of its front matter.
    pub fn entries(&self) -> Option<&Tree> {
        self.tree().or_else(|| self.front_matter()?.tree().ok())
    }

    /// Returns the syntax error, if the document could not be parsed as a tree of keys.
    pub fn mistake(&self) -> Option<&Mistake> {
        self.tree.as_deref()?.as_ref().err()
    }

    /// Returns the source line of a heading that consists of its marks, one space and its name.
    pub fn canonical_line(&self, index: usize) -> Option<Vec<u8>> {
        let section = &self.sections[index];
        let level = section.level().filter(|_| section.flags & CANONICAL != 0)?;
        Some([&b"###### "[usize::from(6 - level)..], self.name(index)].concat())
    }

    /// Returns the first line of each group of blank lines.
    pub fn blank_groups(&self) -> &[u64] {
        &self.blank_groups
    }

    /// Returns the comment blocks, in order.
    pub fn comment_blocks(&self) -> &[CommentBlock] {
        &self.comment_blocks
    }

    /// Returns the span of a section's name in the file, if the name is contiguous and the outline
    /// was built with spans instead of names.
    pub(crate) fn name_span(&self, index: usize) -> Option<Span> {
        let section = &self.sections[index];
        let end = section.name_offset + u64::from(section.name_length);
        (section.flags & NAME_KEPT == 0).then(|| Span::new(section.name_offset, end))
    }

    /// Returns the name of a section in the source. Empty if the outline has spans instead of names.
    pub fn name(&self, index: usize) -> &[u8] {
        let section = &self.sections[index];
        if section.flags & NAME_KEPT == 0 {
            return b"";
        }
        let start = section.name_offset as usize;
        &self.names[start..start + section.name_length as usize]
    }

    /// Returns the name of a section as a reader sees it: the rendered text of a heading without
    /// `{#id}`, the whole line of an entry, or an INI marker with its brackets. Invalid UTF-8 is
    /// preserved.
    pub fn text(&self, index: usize) -> Cow<'_, [u8]> {
        self.render(&self.sections[index], self.name(index))
    }

    /// Like [`Outline::text`], for a name that was read again from the file.
    pub fn render<'a>(&self, section: &Section, name: &'a [u8]) -> Cow<'a, [u8]> {
        self.render_by(inline::render, section, name)
    }

    /// Renders a name. If it consists only of invisible text, such as a comment, returns its source
    /// in one line.
    pub fn shown<'a>(&self, section: &Section, name: &'a [u8]) -> Cow<'a, [u8]> {
        let text = self.render(section, name);
        if text.is_empty() { join_lines(name) } else { text }
    }

    fn is_defined(&self, label: &str) -> bool {
        self.definitions.contains(label)
    }

    /// Returns the text from which GitHub derives the anchor of a heading.
    pub fn anchor_text(&self, index: usize) -> Cow<'_, [u8]> {
        self.render_for_anchor(&self.sections[index], self.name(index))
    }

    /// Like [`Outline::anchor_text`], for a name that was read again from the file.
    pub fn render_for_anchor<'a>(&self, section: &Section, name: &'a [u8]) -> Cow<'a, [u8]> {
        self.render_by(inline::render_for_anchor, section, name)
    }

    fn render_by<'a>(
        &self,
        render: impl FnOnce(&'a str, &dyn Fn(&str) -> bool) -> Cow<'a, str>,
        section: &Section,
        name: &'a [u8],
    ) -> Cow<'a, [u8]> {
        if section.level().is_none() || inline::is_plain(name) && self.format.dialect().is_some() {
            return Cow::Borrowed(name);
        }
        let Ok(source) = std::str::from_utf8(name) else {
            return join_lines(name);
        };
        if let Some(markup) = self.format.rules().markup() {
            return Cow::Owned(markup.rendered(source).into_bytes());
        }
        let source = inline::split_attributes(source).text;
        match render(source, &|label| self.is_defined(label)) {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        }
    }

    /// Returns the `[…]` of an entry or an INI section, or the time of the entry. If there is none,
    /// returns the text that the pattern of the entry matched.
    pub fn marker(&self, index: usize) -> &[u8] {
        if let Ok(at) = self.markers.binary_search_by_key(&index, |(section, _)| *section) {
            return &self.markers[at].1;
        }
        let name = self.name(index);
        match self.sections[index].kind() {
            // The name of an INI section may itself contain brackets.
            SectionKind::Marker | SectionKind::Symbol(_) => name,
            _ => {
                let marker = self.format.log_kind().marker(name);
                marker.or_else(|| sections::bracketed(name)).unwrap_or(name)
            }
        }
    }

    /// Returns the title: the first heading of level 1, or else the title in the front matter.
    pub fn title(&self) -> Option<Cow<'_, [u8]>> {
        let heading =
            self.sections.iter().position(|section| section.kind() == SectionKind::Heading(1));
        match heading {
            Some(index) => Some(self.text(index)),
            None => {
                let title = self.front_matter.as_ref()?.title()?;
                Some(Cow::Owned(title.into_bytes()))
            }
        }
    }

    /// Returns the title. If there is none, returns the first heading, unless another heading has
    /// the same or a higher level. Chapters of books may begin with a heading of level 2.
    pub fn title_or_top(&self) -> Option<Cow<'_, [u8]>> {
        self.title().or_else(|| {
            let mut levels = self.sections.iter().filter_map(Section::level);
            let first = levels.next()?;
            let top = self.sections.iter().position(|section| section.level().is_some())?;
            levels.all(|level| level > first).then(|| self.text(top))
        })
    }

    /// Returns the sections that contain a line, outermost first.
    pub fn path_at(&self, line: u64) -> Vec<usize> {
        self.innermost(line).map_or_else(Vec::new, |section| self.path(section))
    }

    /// Returns the sections that contain a section, outermost first, followed by the section itself.
    pub fn path(&self, section: usize) -> Vec<usize> {
        let mut path: Vec<usize> = self.self_and_ancestors(Some(section)).collect();
        path.reverse();
        path
    }

    /// Returns the innermost section that contains a line.
    pub fn innermost(&self, line: u64) -> Option<usize> {
        self.around(line).next()
    }

    /// Returns the sections that contain a line, innermost first.
    pub fn around(&self, line: u64) -> impl Iterator<Item = usize> {
        let begun = self.sections.partition_point(|section| section.line <= line);
        let before = self.self_and_ancestors(begun.checked_sub(1));
        before.filter(move |&index| self.sections[index].end_line >= line)
    }

    /// Returns the section that contains a section.
    pub fn parent(&self, section: usize) -> Option<usize> {
        self.parents()[section]
    }

    /// Returns a section and the sections that contain it, outermost last.
    pub(crate) fn self_and_ancestors(&self, section: Option<usize>) -> impl Iterator<Item = usize> {
        std::iter::successors(section, |&index| self.parent(index))
    }

    fn parents(&self) -> &[Option<usize>] {
        self.parents.get_or_init(|| {
            let mut open: Vec<usize> = Vec::new();
            let mut parents = Vec::with_capacity(self.sections.len());
            for (index, section) in self.sections.iter().enumerate() {
                while open.last().is_some_and(|&last| self.sections[last].end_line < section.line) {
                    open.pop();
                }
                parents.push(open.last().copied());
                open.push(index);
            }
            parents
        })
    }

    /// Returns the code block that contains a line. The fences are part of the block.
    pub fn code_at(&self, line: u64) -> Option<&Code> {
        let after = self.code.partition_point(|code| code.lines.start() <= line);
        self.code[..after].last().filter(|code| code.lines.contains(line))
    }
}

/// Joins the lines of a name.
fn join_lines(name: &[u8]) -> Cow<'_, [u8]> {
    if !name.contains(&b'\n') {
        return Cow::Borrowed(name);
    }
    let lines: Vec<&[u8]> = name.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).collect();
    Cow::Owned(lines.join(&b' '))
}

/// The labels of link definitions, as hashes of the normalized labels.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels(HashSet<u64, BuildHasherDefault<DefaultHasher>>);

impl Labels {
    pub(super) fn insert(&mut self, label: &[u8]) {
        let hash = self.0.hasher().hash_one(normalize_label(&String::from_utf8_lossy(label)));
        self.0.insert(hash);
    }

    fn contains(&self, label: &str) -> bool {
        let hash = || self.0.hasher().hash_one(normalize_label(label));
        !self.0.is_empty() && self.0.contains(&hash())
    }
}
