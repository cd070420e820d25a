//! Formats structures as text. In a pipe, each line is a record that begins with an address. On a
//! terminal, the output is an outline.

use std::collections::HashMap;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::args::PartArg;
use super::log_summary::LogSummary;
use super::{Structure, StructureQuery};
use crate::commands::output::{Closed, Emit, Role, Stop, Style, counted, file_size, lines_text};
use folio_markdown::front_matter::FrontMatter;
use folio_markdown::slug::Slugger;
use folio_outline::document::Document;
use folio_outline::entries::Entries;
use folio_outline::outline::{Section, SectionKind};
use folio_text::span::LineRange;

/// Maximum number of characters of a value to show on a terminal.
const SHOWN: usize = 60;

/// Number of bytes of text to collect before passing them on.
const PART: usize = 32 * 1024;

/// The address at the beginning of a record in a pipe.
pub(super) struct Prefix<'a> {
    file: &'a Path,
    /// The colored path and a colon. Empty if the path is printed above all records of the file.
    path: Vec<u8>,
    style: Style,
    null: bool,
}

impl<'a> Prefix<'a> {
    pub(super) fn new(path: &'a Path, style: Style, null: bool) -> Self {
        let mut bytes = Vec::new();
        if null {
            bytes.extend_from_slice(path.as_os_str().as_bytes());
        } else if !style.grouped {
            style.paint_bytes(Role::Path, path.as_os_str().as_bytes(), &mut bytes);
        }
        if !style.grouped {
            bytes.push(b':');
        }
        Self { file: path, path: bytes, style, null }
    }

    /// Appends the address, up to the position at which the text begins.
    pub(super) fn begin(&self, lines: LineRange, out: &mut Vec<u8>) {
        let style = if self.null { Style::default() } else { self.style };
        let link = style.begin_link(self.file, (lines.start(), 1), out);
        out.extend_from_slice(&self.path);
        style.paint_lines(lines, out);
        link.end(out);
        out.push(match (self.null, self.style.grouped) {
            (true, _) => 0,
            (false, true) => b' ',
            (false, false) => b':',
        });
    }

    pub(super) fn end(&self, out: &mut Vec<u8>) {
        out.push(if self.null { 0 } else { b'\n' });
    }
}

fn is_shown(section: &Section, query: &StructureQuery<'_>) -> bool {
    match section.kind() {
        SectionKind::Heading(level) => query.shows(PartArg::Headings) && level <= query.max_level,
        SectionKind::Entry | SectionKind::Marker | SectionKind::Symbol(_) => {
            query.shows(PartArg::Sections)
        }
    }
}

/// An element of the output.
struct Item<'a> {
    lines: LineRange,
    kind: ItemKind<'a>,
}

#[derive(Clone, Copy)]
pub(super) enum ItemKind<'a> {
    Checksum(&'a str),
    FrontMatter(&'a FrontMatter),
    Section(usize),
    /// The keys before the first section.
    Keys,
    /// A code block. The values are its number, among all blocks or among those in its language,
    /// and the language.
    Code(usize, Option<&'a str>),
    Table(usize),
    Anchor(&'a str),
    /// An entry of a tree of keys.
    Entry(usize),
}

/// Returns all elements to show, ordered by line.
fn items<'a>(structure: &'a Structure<'_>, query: &'a StructureQuery<'_>) -> Vec<Item<'a>> {
    let outline = &structure.outline;
    let holds = |line| structure.holds(line);
    let front_matter =
        outline.front_matter().filter(move |_| query.shows(PartArg::FrontMatter) && holds(1));
    let front_matter =
        front_matter.map(|found| Item { lines: found.lines, kind: ItemKind::FrontMatter(found) });
    let sections = structure.sections().filter(|(_, section)| is_shown(section, query));
    let sections = sections
        .map(|(index, section)| Item { lines: section.lines(), kind: ItemKind::Section(index) });
    let mut counts: HashMap<String, usize> = HashMap::new();
    let code = outline.code().iter().filter(|_| query.shows(PartArg::Code));
    let code = code.filter(|code| code.fenced).enumerate();
    let code = code.map(|(number, code)| match code.language.as_deref() {
        None => (code, ItemKind::Code(number, None)),
        Some(language) => {
            let count = counts.entry(language.to_ascii_lowercase()).or_default();
            *count += 1;
            (code, ItemKind::Code(*count - 1, Some(language)))
        }
    });
    let code = code.filter(|(code, _)| holds(code.lines.start()));
    let code = code.map(|(code, kind)| Item { lines: code.lines, kind });
    let tables = outline.tables().iter().enumerate();
    let tables = tables.filter(move |(_, table)| holds(table.lines.start()));
    let tables =
        tables.map(|(number, table)| Item { lines: table.lines, kind: ItemKind::Table(number) });
    let anchors = outline.anchors().iter();
    let anchors = anchors.filter(move |anchor| query.shows(PartArg::Anchors) && holds(anchor.line));
    let anchors = anchors.map(|anchor| Item {
        lines: LineRange::line(anchor.line),
        kind: ItemKind::Anchor(&anchor.id),
    });
    let mut keys =
        structure.leading_keys().filter(|_| query.shows(PartArg::Sections)).map(|(_, lines)| lines);
    let keys = keys.next().map(|first| {
        let last = keys.last().unwrap_or(first);
        Item { lines: LineRange::from_to(first.start(), last.end()), kind: ItemKind::Keys }
    });
    let entries = structure
        .entries(query)
        .map(|(tree, index)| Item { lines: tree.lines(index), kind: ItemKind::Entry(index) });
    let items = front_matter.into_iter().chain(keys).chain(sections).chain(code);
    let mut items: Vec<Item<'a>> = items.chain(tables).chain(anchors).chain(entries).collect();
    items.sort_by_key(|item| item.lines.start());
    items
}

/// Appends the text of an element. Text that is not a name is dimmed. If `keys` is given, it is
/// appended to a marker as the number of keys.
pub(super) fn push_item(
    kind: ItemKind<'_>,
    structure: &Structure<'_>,
    style: Style,
    keys: bool,
    out: &mut Vec<u8>,
) {
    let text = match kind {
        ItemKind::Section(index) => {
            let outline = &structure.outline;
            let section = &outline.sections()[index];
            match outline.symbol(index) {
                Some(symbol) => push_section(section, symbol.signature.as_bytes(), style, out),
                None => push_section(section, &structure.text(index), style, out),
            }
            let count = outline.keys_of(Some(index)).len();
            if keys && (section.kind() == SectionKind::Marker || count > 0) {
                style.paint(Role::Quiet, format!("  {}", counted(count as u64, "key")), out);
            }
            if let Some(bytes) = &structure.bytes {
                let tokens = bytes[index].div_ceil(4);
                style.paint(Role::Quiet, format_args!("  ~{tokens} tokens"), out);
            }
            return;
        }
        ItemKind::Entry(index) => {
            let Some(tree) = structure.outline.tree() else { return };
            let path = style.cut(tree.path(index).as_bytes(), 0).into_owned();
            style.paint_bytes(Role::Heading(2), &path, out);
            if keys && !tree.node(index).kind.is_container() {
                let value: String = tree.scalar(index).chars().take(SHOWN).collect();
                style.paint_bytes(
                    Role::Quiet,
                    format!("  {}", value.escape_debug()).as_bytes(),
                    out,
                );
            }
            return;
        }
        ItemKind::Checksum(checksum) => format!("checksum {checksum}"),
        ItemKind::FrontMatter(found) => {
            let keys: Vec<&str> = found.keys.iter().map(|key| key.name.as_str()).collect();
            format!("front matter: {}", keys.join(", "))
        }
        ItemKind::Keys => {
            let keys: Vec<&str> = structure.leading_keys().map(|(name, _)| name).collect();
            format!("keys: {}", keys.join(", "))
        }
        ItemKind::Code(number, None) => format!("code {number}"),
        ItemKind::Code(number, Some(language)) => format!("code {language}:{number}"),
        ItemKind::Table(number) => format!("table {number}"),
        ItemKind::Anchor(id) => format!("#{id}"),
    };
    style.paint_bytes(Role::Quiet, text.as_bytes(), out);
}

/// Returns the anchor of each section, if requested. For a section without an anchor, the anchor is
/// empty.
fn anchors_of(structure: &Structure<'_>, query: &StructureQuery<'_>) -> Vec<String> {
    if !query.options.anchors {
        return Vec::new();
    }
    let mut slugger = Slugger::new();
    let sections = structure.outline.sections().iter().enumerate();
    let anchors = sections.map(|(index, section)| {
        if section.level().is_none() {
            return String::new();
        }
        slugger.next(&String::from_utf8_lossy(&structure.outline.anchor_text(index)))
    });
    anchors.collect()
}

fn push_anchor(kind: ItemKind<'_>, anchors: &[String], style: Style, out: &mut Vec<u8>) {
    let ItemKind::Section(index) = kind else { return };
    if let Some(anchor) = anchors.get(index).filter(|anchor| !anchor.is_empty()) {
        out.extend_from_slice(b"  ");
        style.paint_bytes(Role::Quiet, format!("#{anchor}").as_bytes(), out);
    }
}

/// Appends the names of the sections that contain an element, if they are requested.
fn push_breadcrumbs(
    item: &Item<'_>,
    structure: &Structure<'_>,
    query: &StructureQuery<'_>,
    style: Style,
    out: &mut Vec<u8>,
) {
    let parent = match item.kind {
        _ if !query.options.breadcrumbs => None,
        ItemKind::Section(index) => structure.outline.parent(index),
        ItemKind::Code(..) | ItemKind::Table(_) | ItemKind::Anchor(_) => {
            structure.outline.innermost(item.lines.start())
        }
        ItemKind::Checksum(_) | ItemKind::FrontMatter(_) | ItemKind::Keys | ItemKind::Entry(_) => {
            None
        }
    };
    let path = parent.map_or_else(Vec::new, |index| structure.outline.path(index));
    let names: Vec<_> = path.into_iter().map(|index| structure.text(index)).collect();
    if !names.is_empty() {
        out.extend_from_slice(b"  in ");
        style.paint_bytes(Role::Quiet, &names.join(&b" > "[..]), out);
    }
}

/// Prints one record per line, each beginning with an address.
pub(super) fn pipe_outline(
    structure: &Structure<'_>,
    query: &StructureQuery<'_>,
    prefix: &Prefix<'_>,
    emit: &mut Emit<'_>,
) -> Result<u64, Closed> {
    // In a pipe, only addresses and the names of sections are colored.
    let plain = Style { color: false, columns: None, ..prefix.style };
    let mut out = Vec::with_capacity(PART + 1024);
    let mut count = 0;
    let anchors = anchors_of(structure, query);
    let checksum = structure.checksum.as_deref().map(|checksum| {
        let lines = LineRange::from_to(1, structure.outline.total_lines());
        Item { lines, kind: ItemKind::Checksum(checksum) }
    });
    for item in checksum.into_iter().chain(items(structure, query)) {
        let is_section = matches!(item.kind, ItemKind::Section(_));
        let style = if is_section { Style { columns: None, ..prefix.style } } else { plain };
        prefix.begin(item.lines, &mut out);
        push_item(item.kind, structure, style, false, &mut out);
        push_anchor(item.kind, &anchors, plain, &mut out);
        push_breadcrumbs(&item, structure, query, plain, &mut out);
        prefix.end(&mut out);
        count += 1;
        if out.len() >= PART {
            emit(&out)?;
            out.clear();
        }
    }
    emit(&out)?;
    Ok(count)
}

/// Prints the entries of a log in a pipe, each as soon as its end is known. Returns the number of
/// entries and the number of lines.
pub(super) fn pipe_entries(
    document: &Document,
    query: &StructureQuery<'_>,
    prefix: &Prefix<'_>,
    mut summary: Option<&mut LogSummary>,
    emit: &mut Emit<'_>,
) -> Result<(u64, u64), Stop> {
    let style = Style { columns: None, ..prefix.style };
    let mut out = Vec::with_capacity(PART + 1024);
    let (mut count, mut lines) = (0, 0);
    let patterns = query.options.document.entries.clone();
    let mut entries = Entries::new(document, patterns, None);
    while let Some(part) = entries.next()? {
        lines = part.total_lines();
        if let Some(summary) = &mut summary {
            summary.add(&part);
        }
        let sections = part.sections().iter().enumerate();
        for (index, section) in sections.filter(|(_, section)| is_shown(section, query)) {
            prefix.begin(section.lines(), &mut out);
            push_section(section, &part.shown(section, part.name(index)), style, &mut out);
            prefix.end(&mut out);
            count += 1;
            if out.len() >= PART {
                emit(&out)?;
                out.clear();
            }
        }
    }
    emit(&out)?;
    Ok((count, lines))
}

/// Appends the name of a section: a heading with its marks, the line of an entry, or a marker.
fn push_section(section: &Section, text: &[u8], style: Style, out: &mut Vec<u8>) {
    let level = section.level();
    let text = style.cut(text, level.map_or(0, |level| usize::from(level) + 1));
    match level {
        None => style.paint_bytes(Role::Heading(2), &text, out),
        Some(level) => {
            const MARKS: &[u8] = b"###### ";
            let marks = &MARKS[usize::from(6 - level)..];
            if style.color {
                style.paint_bytes(Role::Heading(level), &[marks, &text].concat(), out);
            } else {
                out.extend_from_slice(marks);
                out.extend_from_slice(&style.safe(&text));
            }
        }
    }
    if let Some(container) = section.container() {
        style.paint(Role::Quiet, format_args!("  in a {}", container.name()), out);
    }
}

/// A summary line and an outline, for a terminal.
pub(super) struct TerminalOutline<'a> {
    pub(super) structure: &'a Structure<'a>,
    pub(super) path: &'a Path,
    pub(super) query: &'a StructureQuery<'a>,
    pub(super) style: Style,
}

impl TerminalOutline<'_> {
    /// Prints the outline. If it is empty, prints only the summary line of an operand, and nothing
    /// for a file that a walk found.
    pub(super) fn print(&self, is_named: bool, emit: &mut Emit<'_>) -> Result<u64, Closed> {
        let items = self.items();
        if items.is_empty() && !is_named {
            return Ok(0);
        }
        let mut out = Vec::new();
        self.summary(&mut out);
        let anchors = anchors_of(self.structure, self.query);
        let width = items.iter().map(|(item, _)| lines_text(item.lines).len()).max().unwrap_or(0);
        for (item, depth) in &items {
            let lines = lines_text(item.lines);
            let _ = write!(out, "  {:blanks$}", "", blanks = width - lines.len());
            let place = (item.lines.start(), 1);
            let link = self.style.begin_place_link(self.path, place, &mut out);
            self.style.paint(Role::Lines, lines, &mut out);
            link.end(&mut out);
            let indent = if self.query.options.flat { 0 } else { depth * 2 };
            let _ = write!(out, "  {:indent$}", "");
            let room = |columns: usize| columns.saturating_sub(4 + width + indent);
            let style = Style { columns: self.style.columns.map(room), ..self.style };
            push_item(item.kind, self.structure, style, true, &mut out);
            push_anchor(item.kind, &anchors, self.style, &mut out);
            push_breadcrumbs(item, self.structure, self.query, self.style, &mut out);
            out.push(b'\n');
            if out.len() >= PART {
                emit(&out)?;
                out.clear();
            }
        }
        emit(&out)?;
        Ok(items.len() as u64)
    }

    fn summary(&self, out: &mut Vec<u8>) {
        let outline = &self.structure.outline;
        self.style.paint_path(self.path, out);
        let lines = outline.total_lines();
        let format = outline.format().name();
        let format = match &self.structure.log {
            Some(log) => format!("{format}, {}", log.text()),
            None => format.to_owned(),
        };
        let mut facts = vec![format, counted(lines, "line")];
        if let Some(found) = &self.structure.facts {
            facts.push(file_size(found.size));
            if found.encoding != "utf-8" {
                facts.push(found.encoding.clone());
            }
            if !matches!(found.line_ending.name(), "lf" | "none") {
                facts.push(found.line_ending.name().to_owned());
            }
            if !found.final_newline && found.size > 0 {
                facts.push("no final newline".to_owned());
            }
        }
        if let Some(checksum) = &self.structure.checksum {
            facts.push(format!("checksum {checksum}"));
        }
        let text = format!("  {}", facts.join(" · "));
        self.style.paint(Role::Quiet, text, out);
        out.push(b'\n');
    }

    /// Returns the elements to show, ordered by line, with their depth.
    fn items(&self) -> Vec<(Item<'_>, usize)> {
        let (structure, outline) = (self.structure, &self.structure.outline);
        let shown = |index: usize| usize::from(is_shown(&outline.sections()[index], self.query));
        let mut depths = vec![0; outline.sections().len()];
        for (index, _) in structure.sections() {
            let shown_parent = outline
                .parent(index)
                .filter(|&parent| structure.holds(outline.sections()[parent].lines().start()));
            depths[index] = shown_parent.map_or(0, |parent| depths[parent] + shown(parent));
        }
        let depth = |item: &Item<'_>| match item.kind {
            ItemKind::Section(index) => depths[index],
            ItemKind::Code(..) | ItemKind::Table(_) | ItemKind::Anchor(_) => {
                let enclosing = outline.innermost(item.lines.start());
                enclosing.map_or(0, |index| depths[index] + shown(index))
            }
            ItemKind::Checksum(_)
            | ItemKind::FrontMatter(_)
            | ItemKind::Keys
            | ItemKind::Entry(_) => 0,
        };
        let items = items(structure, self.query).into_iter();
        items.map(|item| (depth(&item), item)).map(|(depth, item)| (item, depth)).collect()
    }
}
