//! How what was found is told as text: records behind their addresses in a pipe,
//! an outline on a terminal.

use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::report::{Emit, Stop};
use super::{Search, Structure, StructureOptions};
use crate::commands::line_search::Hit;
use crate::commands::output::{Role, Style, file_size};
use crate::error::Error;
use crate::files::document::Document;
use crate::text::outline::{Section, SectionKind};
use crate::text::span::LineRange;

/// Bytes of text that are gathered before they are handed on.
const PART: usize = 32 * 1024;

/// How records stand in a pipe: each begins with an address.
pub(super) struct Records {
    /// The path, in its colour, and a colon.
    prefix: Vec<u8>,
    style: Style,
    null: bool,
}

impl Records {
    pub(super) fn new(path: &Path, style: Style, null: bool) -> Self {
        let mut prefix = Vec::new();
        if null {
            prefix.extend_from_slice(path.as_os_str().as_bytes());
        } else {
            style.paint_bytes(Role::Path, path.as_os_str().as_bytes(), &mut prefix);
        }
        prefix.push(b':');
        Self { prefix, style, null }
    }

    /// The address, up to where the text begins.
    pub(super) fn begin(&self, lines: LineRange, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.prefix);
        push_range(lines, if self.null { Style::default() } else { self.style }, out);
        out.push(if self.null { 0 } else { b':' });
    }

    pub(super) fn end(&self, out: &mut Vec<u8>) {
        out.push(if self.null { 0 } else { b'\n' });
    }
}

fn push_range(lines: LineRange, style: Style, out: &mut Vec<u8>) {
    if style.color {
        style.paint(Role::Lines, range_text(lines), out);
        return;
    }
    push_number(lines.start(), out);
    if lines.count() > 1 {
        out.push(b'-');
        push_number(lines.end(), out);
    }
}

fn push_number(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

fn range_text(lines: LineRange) -> String {
    if lines.count() == 1 {
        lines.start().to_string()
    } else {
        format!("{}-{}", lines.start(), lines.end())
    }
}

/// Whether a section is told under these options.
fn is_told(section: &Section, options: &StructureOptions) -> bool {
    match section.kind() {
        SectionKind::Heading(level) => options.only.headings && level <= options.max_level,
        SectionKind::Entry | SectionKind::Marker => options.only.sections,
    }
}

/// One record a line, each behind its address.
pub(super) fn pipe_outline(
    structure: &Structure,
    document: &mut Document,
    options: &StructureOptions,
    records: &Records,
    emit: &mut Emit<'_>,
) -> Result<u64, Stop> {
    let style = records.style;
    let mut out = Vec::with_capacity(PART + 1024);
    let mut count = pipe_facts(structure, options, records, &mut out);
    for (index, section) in structure.sections().filter(|(_, section)| is_told(section, options)) {
        records.begin(section.lines(), &mut out);
        push_name(structure, document, index, section, style, &mut out)?;
        if let Some(bytes) = &structure.bytes {
            let tokens = bytes[index].div_ceil(4);
            style.paint(Role::Quiet, format_args!("  ~{tokens} tokens"), &mut out);
        }
        records.end(&mut out);
        count += 1;
        if out.len() >= PART {
            emit(&out)?;
            out.clear();
        }
    }
    count += pipe_blocks(structure, options, records, &mut out);
    count += pipe_anchors(structure, options, records, &mut out);
    emit(&out)?;
    Ok(count)
}

/// The checksum and the front matter, where they were asked for.
fn pipe_facts(
    structure: &Structure,
    options: &StructureOptions,
    records: &Records,
    out: &mut Vec<u8>,
) -> u64 {
    let outline = &structure.outline;
    let mut count = 0;
    if let Some(checksum) = &structure.checksum {
        records.begin(LineRange::from_to(1, outline.total_lines()), out);
        // Writing to a vector does not fail.
        let _ = write!(out, "checksum {checksum}");
        records.end(out);
        count += 1;
    }
    if options.only.front_matter
        && let Some(found) = outline.front_matter()
        && structure.holds(1)
    {
        records.begin(found.lines, out);
        let keys: Vec<&str> = found.keys.iter().map(|key| key.name.as_str()).collect();
        let text = format!("front matter: {}", keys.join(", "));
        out.extend_from_slice(&records.style.safe(text.as_bytes()));
        records.end(out);
        count += 1;
    }
    count
}

fn pipe_blocks(
    structure: &Structure,
    options: &StructureOptions,
    records: &Records,
    out: &mut Vec<u8>,
) -> u64 {
    let blocks = numbered_blocks(structure, options);
    for (lines, name) in &blocks {
        records.begin(*lines, out);
        out.extend_from_slice(&records.style.safe(name.as_bytes()));
        records.end(out);
    }
    blocks.len() as u64
}

/// Code blocks and tables, with the numbers that targets take.
fn numbered_blocks(structure: &Structure, options: &StructureOptions) -> Vec<(LineRange, String)> {
    let outline = &structure.outline;
    let code = outline.code().iter().filter(|code| code.fenced).enumerate();
    let code = code.filter(|_| options.only.code).map(|(number, code)| match &code.language {
        Some(language) => (code.lines, format!("code {number} {language}")),
        None => (code.lines, format!("code {number}")),
    });
    let tables = outline.tables().iter().enumerate();
    let tables = tables.map(|(number, table)| (table.lines, format!("table {number}")));
    code.chain(tables).filter(|(lines, _)| structure.holds(lines.start())).collect()
}

fn pipe_anchors(
    structure: &Structure,
    options: &StructureOptions,
    records: &Records,
    out: &mut Vec<u8>,
) -> u64 {
    let mut count = 0;
    for anchor in structure.outline.anchors().iter().filter(|_| options.only.anchors) {
        if structure.holds(anchor.line) {
            records.begin(LineRange::line(anchor.line), out);
            out.push(b'#');
            out.extend_from_slice(&records.style.safe(anchor.id.as_bytes()));
            records.end(out);
            count += 1;
        }
    }
    count
}

/// A heading with its marks, an entry's line, a marker.
fn push_name(
    structure: &Structure,
    document: &mut Document,
    index: usize,
    section: &Section,
    style: Style,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let text = structure.text(index, document)?;
    match section.level() {
        Some(level) => {
            const MARKS: &[u8] = b"###### ";
            let marks = &MARKS[usize::from(6 - level)..];
            if style.color {
                let mut marked = marks.to_vec();
                marked.extend_from_slice(&text);
                style.paint_bytes(Role::Heading(level), &marked, out);
            } else {
                out.extend_from_slice(marks);
                out.extend_from_slice(&style.safe(&text));
            }
        }
        None => style.paint_bytes(Role::Heading(2), &text, out),
    }
    Ok(())
}

/// A summary line and an outline, for a person.
pub(super) struct TerminalOutline<'a> {
    pub(super) structure: &'a Structure,
    pub(super) options: &'a StructureOptions,
    pub(super) style: Style,
}

impl TerminalOutline<'_> {
    pub(super) fn tell(&self, document: &mut Document, emit: &mut Emit<'_>) -> Result<u64, Stop> {
        let mut out = Vec::new();
        self.summary(document.path(), &mut out);
        let items = self.items();
        let width = items.iter().map(|item| range_text(item.lines).len()).max().unwrap_or(0);
        for item in &items {
            let _ = write!(out, "  ");
            self.style.paint(
                Role::Lines,
                format_args!("{:>width$}", range_text(item.lines)),
                &mut out,
            );
            let indent = if self.options.flat { 0 } else { item.depth * 2 };
            let _ = write!(out, "  {:indent$}", "");
            self.push_item(item, document, &mut out)?;
            out.push(b'\n');
            if out.len() >= PART {
                emit(&out)?;
                out.clear();
            }
        }
        emit(&out)?;
        Ok(items.len() as u64)
    }

    fn summary(&self, path: &Path, out: &mut Vec<u8>) {
        let outline = &self.structure.outline;
        self.style.paint_bytes(Role::Path, path.as_os_str().as_bytes(), out);
        let lines = outline.total_lines();
        let mut facts = vec![
            outline.format().name().to_owned(),
            format!("{lines} line{}", if lines == 1 { "" } else { "s" }),
        ];
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

    /// Everything that is told, in order of its first line.
    fn items(&self) -> Vec<Item> {
        let structure = self.structure;
        let outline = &structure.outline;
        let parents = outline.parents();
        let mut items = Vec::new();
        if self.options.only.front_matter
            && let Some(found) = outline.front_matter()
            && structure.holds(1)
        {
            items.push(Item { lines: found.lines, depth: 0, kind: ItemKind::FrontMatter });
        }
        let mut depths = vec![0; outline.sections().len()];
        for (index, section) in structure.sections() {
            let told = is_told(section, self.options);
            let above = parents[index]
                .filter(|&parent| structure.holds(outline.sections()[parent].lines().start()));
            depths[index] = above.map_or(0, |parent| {
                depths[parent] + usize::from(is_told(&outline.sections()[parent], self.options))
            });
            if told {
                let kind = ItemKind::Section(index);
                items.push(Item { lines: section.lines(), depth: depths[index], kind });
            }
        }
        let depth_at = |line: u64| {
            outline.innermost(line).map_or(0, |index| {
                depths[index] + usize::from(is_told(&outline.sections()[index], self.options))
            })
        };
        for (lines, name) in numbered_blocks(structure, self.options) {
            let depth = depth_at(lines.start());
            items.push(Item { lines, depth, kind: ItemKind::Block(name) });
        }
        if self.options.only.anchors {
            for anchor in outline.anchors().iter().filter(|anchor| structure.holds(anchor.line)) {
                let depth = depth_at(anchor.line);
                let kind = ItemKind::Anchor(anchor.id.clone());
                items.push(Item { lines: LineRange::line(anchor.line), depth, kind });
            }
        }
        items.sort_by_key(|item| item.lines.start());
        items
    }

    fn push_item(
        &self,
        item: &Item,
        document: &mut Document,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let outline = &self.structure.outline;
        match &item.kind {
            ItemKind::Section(index) => {
                let section = &outline.sections()[*index];
                push_name(self.structure, document, *index, section, self.style, out)?;
                if section.kind() == SectionKind::Marker {
                    let keys =
                        outline.keys().iter().filter(|key| key.section == Some(*index)).count();
                    let text = format!("  {keys} key{}", if keys == 1 { "" } else { "s" });
                    self.style.paint(Role::Quiet, text, out);
                }
                if let Some(bytes) = &self.structure.bytes {
                    let tokens = bytes[*index].div_ceil(4);
                    self.style.paint(Role::Quiet, format_args!("  ~{tokens} tokens"), out);
                }
            }
            ItemKind::FrontMatter => {
                let keys = outline.front_matter().map(|found| &found.keys);
                let names: Vec<&str> =
                    keys.into_iter().flatten().map(|key| key.name.as_str()).collect();
                let text = format!("front matter: {}", names.join(", "));
                let text = self.style.safe(text.as_bytes()).into_owned();
                self.style.paint(Role::Quiet, String::from_utf8_lossy(&text), out);
            }
            ItemKind::Block(name) => {
                let text = self.style.safe(name.as_bytes()).into_owned();
                self.style.paint(Role::Quiet, String::from_utf8_lossy(&text), out);
            }
            ItemKind::Anchor(id) => {
                let text = self.style.safe(id.as_bytes()).into_owned();
                self.style.paint(
                    Role::Quiet,
                    format_args!("#{}", String::from_utf8_lossy(&text)),
                    out,
                );
            }
        }
        Ok(())
    }
}

struct Item {
    lines: LineRange,
    depth: usize,
    kind: ItemKind,
}

enum ItemKind {
    Section(usize),
    FrontMatter,
    Block(String),
    Anchor(String),
}

pub(super) fn search_text(search: &Search, records: &Records, out: &mut Vec<u8>) {
    let style = records.style;
    let context = search.hits.iter().any(|hit| !hit.before.is_empty() || !hit.after.is_empty());
    let mut around = Context {
        hit_lines: search.hits.iter().map(|hit| hit.line).collect(),
        records,
        last_told: 0,
    };
    for hit in &search.hits {
        let first = hit.line - hit.before.len() as u64;
        if context && !records.null && around.last_told > 0 && first > around.last_told + 1 {
            style.paint(Role::Quiet, "--", out);
            out.push(b'\n');
        }
        for (number, text) in (first..).zip(&hit.before) {
            around.line(number, text, out);
        }
        if hit.line > around.last_told {
            records.begin(LineRange::line(hit.line), out);
            hit_text(hit, style, out);
            records.end(out);
            around.last_told = hit.line;
        }
        for (number, text) in (hit.line + 1..).zip(&hit.after) {
            around.line(number, text, out);
        }
    }
}

/// Tells lines around hits: each once, and not before it is told as a hit.
struct Context<'a> {
    hit_lines: Vec<u64>,
    records: &'a Records,
    last_told: u64,
}

impl Context<'_> {
    fn line(&mut self, number: u64, text: &[u8], out: &mut Vec<u8>) {
        if number <= self.last_told || self.hit_lines.binary_search(&number).is_ok() {
            return;
        }
        let records = self.records;
        if records.null {
            records.begin(LineRange::line(number), out);
        } else {
            out.extend_from_slice(&records.prefix[..records.prefix.len() - 1]);
            out.push(b'-');
            records.style.paint(Role::Lines, number, out);
            out.push(b'-');
        }
        out.extend_from_slice(&records.style.safe(text));
        records.end(out);
        self.last_told = number;
    }
}

fn hit_text(hit: &Hit, style: Style, out: &mut Vec<u8>) {
    out.extend_from_slice(&style.safe(&hit.text[..hit.found.start]));
    style.paint_bytes(Role::Match, &hit.text[hit.found.clone()], out);
    out.extend_from_slice(&style.safe(&hit.text[hit.found.end..]));
}
