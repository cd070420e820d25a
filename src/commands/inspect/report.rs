//! How what was found is told: as text for people and pipes, as JSON.

use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde::Serialize;

use super::{Facts, Hit, Inspection, Lines, Options, Search, Structure, StructureOptions};
use crate::commands::inspect::Mode;
use crate::commands::json::{self, Range, Text};
use crate::commands::output::{Closed, Role, Style};
use crate::error::Error;
use crate::files::load::Document;
use crate::text::markdown::slug::Slugger;
use crate::text::outline::{Section, SectionKind};
use crate::text::span::LineRange;

/// Bytes of text that are gathered before they are handed on.
const PART: usize = 32 * 1024;

/// Takes finished text, in order.
pub type Emit<'a> = dyn FnMut(&[u8]) -> Result<(), Closed> + 'a;

/// Why telling stopped.
pub enum Stop {
    /// Nobody reads on.
    Closed,
    /// The document could not be read again.
    Failed(Error),
}

impl From<Closed> for Stop {
    fn from(_: Closed) -> Self {
        Self::Closed
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Tells of one document; the number of records that were told.
pub fn tell(
    found: &Inspection,
    document: &mut Document,
    options: &Options,
    style: Style,
    emit: &mut Emit<'_>,
) -> Result<u64, Stop> {
    if style.json {
        let line = json_line(found, document.path(), options);
        emit(&line)?;
        return Ok(match found {
            Inspection::Search(search) => search.hits.len() as u64,
            _ => 1,
        });
    }
    match (found, &options.mode) {
        (Inspection::Structure(structure), Mode::Structure(options)) if style.terminal => {
            TerminalOutline { structure, options, style }.tell(document, emit)
        }
        (Inspection::Structure(structure), Mode::Structure(options)) => {
            pipe_outline(structure, document, options, style, emit)
        }
        (Inspection::Search(search), _) => {
            let mut out = Vec::new();
            search_text(search, document.path(), style, &mut out);
            emit(&out)?;
            Ok(search.hits.len() as u64)
        }
        (Inspection::Lines(lines), _) => {
            let mut out = Vec::new();
            for (number, text) in &lines.lines {
                record(document.path(), LineRange::line(*number), style, &mut out);
                out.extend_from_slice(&style.safe(text));
                out.push(b'\n');
            }
            emit(&out)?;
            Ok(lines.lines.len() as u64)
        }
        (Inspection::Structure(_), _) => Ok(0),
    }
}

/// The address that begins a line of text.
fn record(path: &Path, lines: LineRange, style: Style, out: &mut Vec<u8>) {
    style.paint_bytes(Role::Path, path.as_os_str().as_bytes(), out);
    out.push(b':');
    push_range(lines, style, out);
    out.push(b':');
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
fn pipe_outline(
    structure: &Structure,
    document: &mut Document,
    options: &StructureOptions,
    style: Style,
    emit: &mut Emit<'_>,
) -> Result<u64, Stop> {
    let path = document.path().to_owned();
    let mut out = Vec::with_capacity(PART + 1024);
    let mut records = 0;
    if options.only.front_matter
        && let Some(found) = structure.outline.front_matter()
        && structure.holds(1)
    {
        record(&path, found.lines, style, &mut out);
        let keys: Vec<&str> = found.keys.iter().map(|key| key.name.as_str()).collect();
        // Writing to a vector does not fail.
        let _ = writeln!(out, "front matter: {}", keys.join(", "));
        records += 1;
    }
    let mut prefix = Vec::new();
    style.paint_bytes(Role::Path, path.as_os_str().as_bytes(), &mut prefix);
    prefix.push(b':');
    for (index, section) in structure.sections().filter(|(_, section)| is_told(section, options)) {
        out.extend_from_slice(&prefix);
        push_range(section.lines(), style, &mut out);
        out.push(b':');
        push_name(structure, document, index, section, style, &mut out)?;
        if let Some(bytes) = &structure.bytes {
            style.paint(
                Role::Quiet,
                format_args!("  ~{} tokens", bytes[index].div_ceil(4)),
                &mut out,
            );
        }
        out.push(b'\n');
        records += 1;
        if out.len() >= PART {
            emit(&out)?;
            out.clear();
        }
    }
    if options.only.code {
        let blocks = structure.outline.code().iter().filter(|code| code.fenced);
        for (number, code) in blocks.enumerate() {
            if structure.holds(code.lines.start()) {
                record(&path, code.lines, style, &mut out);
                let language = code.language.as_deref().unwrap_or_default();
                let _ = write!(out, "code {number}");
                if !language.is_empty() {
                    out.push(b' ');
                    out.extend_from_slice(&style.safe(language.as_bytes()));
                }
                out.push(b'\n');
                records += 1;
            }
        }
    }
    if options.only.anchors {
        for anchor in structure.outline.anchors() {
            if structure.holds(anchor.line) {
                record(&path, LineRange::line(anchor.line), style, &mut out);
                let _ = writeln!(
                    out,
                    "#{}",
                    String::from_utf8_lossy(&style.safe(anchor.id.as_bytes()))
                );
                records += 1;
            }
        }
    }
    emit(&out)?;
    Ok(records)
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
struct TerminalOutline<'a> {
    structure: &'a Structure,
    options: &'a StructureOptions,
    style: Style,
}

impl TerminalOutline<'_> {
    fn tell(&self, document: &mut Document, emit: &mut Emit<'_>) -> Result<u64, Stop> {
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
        if self.options.only.code {
            let blocks = outline.code().iter().filter(|code| code.fenced).enumerate();
            for (number, code) in blocks.filter(|(_, code)| structure.holds(code.lines.start())) {
                let depth = depth_at(code.lines.start());
                items.push(Item {
                    lines: code.lines,
                    depth,
                    kind: ItemKind::Code(number, code.language.clone()),
                });
            }
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
            ItemKind::Code(number, language) => {
                let text = match language {
                    Some(language) => format!("code {number} {language}"),
                    None => format!("code {number}"),
                };
                let text = self.style.safe(text.as_bytes()).into_owned();
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
    Code(usize, Option<String>),
    Anchor(String),
}

/// A size for people: `512B`, `1.5KB`, `32KB`.
pub fn file_size(bytes: u64) -> String {
    let mut size = bytes as f64;
    let units = ["B", "KB", "MB", "GB", "TB"];
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < units.len() {
        size /= 1024.0;
        unit += 1;
    }
    let text = format!("{size:.1}");
    format!("{}{}", text.strip_suffix(".0").unwrap_or(&text), units[unit])
}

fn search_text(search: &Search, path: &Path, style: Style, out: &mut Vec<u8>) {
    let mut last_told = 0;
    let context = search.hits.iter().any(|hit| !hit.before.is_empty() || !hit.after.is_empty());
    let hit_lines: Vec<u64> = search.hits.iter().map(|hit| hit.line).collect();
    for hit in &search.hits {
        let first = hit.line - hit.before.len() as u64;
        if context && last_told > 0 && first > last_told + 1 {
            style.paint(Role::Quiet, "--", out);
            out.push(b'\n');
        }
        for (number, text) in (first..).zip(&hit.before) {
            context_line(number, text, &hit_lines, path, style, &mut last_told, out);
        }
        if hit.line > last_told {
            record(path, LineRange::line(hit.line), style, out);
            hit_text(hit, style, out);
            out.push(b'\n');
            last_told = hit.line;
        }
        for (number, text) in (hit.line + 1..).zip(&hit.after) {
            context_line(number, text, &hit_lines, path, style, &mut last_told, out);
        }
    }
}

/// A line around a hit: told once, and not before it is told as a hit itself.
fn context_line(
    number: u64,
    text: &[u8],
    hit_lines: &[u64],
    path: &Path,
    style: Style,
    last_told: &mut u64,
    out: &mut Vec<u8>,
) {
    if number <= *last_told || hit_lines.binary_search(&number).is_ok() {
        return;
    }
    style.paint_bytes(Role::Path, path.as_os_str().as_bytes(), out);
    out.push(b'-');
    style.paint(Role::Lines, number, out);
    out.push(b'-');
    out.extend_from_slice(&style.safe(text));
    out.push(b'\n');
    *last_told = number;
}

fn hit_text(hit: &Hit, style: Style, out: &mut Vec<u8>) {
    out.extend_from_slice(&style.safe(&hit.text[..hit.found.start]));
    style.paint_bytes(Role::Match, &hit.text[hit.found.clone()], out);
    out.extend_from_slice(&style.safe(&hit.text[hit.found.end..]));
}

fn json_line(found: &Inspection, path: &Path, options: &Options) -> Vec<u8> {
    match (found, &options.mode) {
        (Inspection::Structure(structure), Mode::Structure(options)) => {
            json::line(&structure_object(structure, path, options))
        }
        (Inspection::Search(search), Mode::Search(options)) => {
            json::line(&search_object(search, path, &options.query, options.context > 0))
        }
        (Inspection::Lines(lines), Mode::Lines(options)) => {
            json::line(&lines_object(lines, path, &options.query))
        }
        _ => Vec::new(),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileObject<'a> {
    file_path: Text<'a>,
    format: &'static str,
    total_lines: u64,
    #[serde(flatten)]
    facts: Option<FactsObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checksum: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<OwnedText>,
    structure: StructureObject<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FactsObject {
    size_bytes: u64,
    file_size: String,
    encoding: String,
    line_ending: &'static str,
    final_newline: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StructureObject<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    frontmatter: Option<FrontMatterObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    headings: Option<Vec<HeadingObject>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code_blocks: Option<Vec<CodeObject<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    anchors: Option<Vec<AnchorObject<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sections: Option<Vec<SectionObject<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blank_line_groups: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment_blocks: Option<Vec<CommentObject>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FrontMatterObject<'a> {
    #[serde(flatten)]
    range: Range,
    format: &'static str,
    keys: Vec<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HeadingObject {
    level: u8,
    text: OwnedText,
    line: u64,
    end_line: u64,
    anchor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approximate_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    children: Option<Vec<Self>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CodeObject<'a> {
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
    #[serde(flatten)]
    range: Range,
}

#[derive(Serialize)]
struct AnchorObject<'a> {
    id: &'a str,
    line: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SectionObject<'a> {
    marker: Text<'a>,
    line: u64,
    end_line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    keys: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approximate_tokens: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CommentObject {
    #[serde(flatten)]
    range: Range,
    prefix: &'static str,
}

/// Text that was made for the answer.
struct OwnedText(Vec<u8>);

impl Serialize for OwnedText {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Text(&self.0).serialize(serializer)
    }
}

fn structure_object<'a>(
    structure: &'a Structure,
    path: &'a Path,
    options: &StructureOptions,
) -> FileObject<'a> {
    let outline = &structure.outline;
    let only = options.only;
    let markdown = super::has_headings(outline.format());
    let front_matter = outline.front_matter().filter(|_| only.front_matter && structure.holds(1));
    FileObject {
        file_path: json::path(path),
        format: outline.format().name(),
        total_lines: outline.total_lines(),
        facts: structure.facts.as_ref().map(facts_object),
        checksum: structure.checksum.as_deref(),
        title: outline.title().map(|title| OwnedText(title.into_owned())),
        structure: StructureObject {
            frontmatter: front_matter.map(|found| FrontMatterObject {
                range: found.lines.into(),
                format: found.format.name(),
                keys: found.keys.iter().map(|key| key.name.as_str()).collect(),
            }),
            headings: (only.headings && markdown).then(|| headings(structure, options)),
            code_blocks: (only.code && markdown).then(|| {
                let blocks = outline.code().iter().filter(|code| code.fenced).enumerate();
                blocks
                    .filter(|(_, code)| structure.holds(code.lines.start()))
                    .map(|(index, code)| CodeObject {
                        index,
                        language: code.language.as_deref(),
                        range: code.lines.into(),
                    })
                    .collect()
            }),
            anchors: (only.anchors && markdown).then(|| {
                let anchors = outline.anchors().iter();
                anchors
                    .filter(|anchor| structure.holds(anchor.line))
                    .map(|anchor| AnchorObject { id: &anchor.id, line: anchor.line })
                    .collect()
            }),
            sections: only.sections.then(|| sections(structure)),
            blank_line_groups: (only.sections && !markdown).then(|| {
                let groups = outline.blank_groups().iter().copied();
                groups.filter(|&line| structure.holds(line)).collect()
            }),
            comment_blocks: (only.sections && !markdown).then(|| {
                let blocks = outline.comment_blocks().iter();
                blocks
                    .filter(|block| structure.holds(block.lines.start()))
                    .map(|block| CommentObject { range: block.lines.into(), prefix: block.prefix })
                    .collect()
            }),
        },
    }
}

fn facts_object(facts: &Facts) -> FactsObject {
    FactsObject {
        size_bytes: facts.size,
        file_size: file_size(facts.size),
        encoding: facts.encoding.clone(),
        line_ending: facts.line_ending.name(),
        final_newline: facts.final_newline,
    }
}

/// The headings, as a tree unless they are wanted flat.
fn headings(structure: &Structure, options: &StructureOptions) -> Vec<HeadingObject> {
    let outline = &structure.outline;
    let mut slugger = Slugger::new();
    let mut roots: Vec<HeadingObject> = Vec::new();
    // Headings whose sections are open: each becomes a child of the one below.
    let mut open: Vec<HeadingObject> = Vec::new();
    for (index, section) in outline.sections().iter().enumerate() {
        let Some(level) = section.level() else { continue };
        let text = outline.text(index).into_owned();
        let anchor = slugger.next(&String::from_utf8_lossy(&text));
        let lines = section.lines();
        if level > options.max_level || !structure.holds(lines.start()) {
            continue;
        }
        let heading = HeadingObject {
            level,
            text: OwnedText(text),
            line: lines.start(),
            end_line: lines.end(),
            anchor,
            container: section.container().map(|container| container.name()),
            approximate_tokens: structure.bytes.as_ref().map(|bytes| bytes[index].div_ceil(4)),
            children: (!options.flat).then(Vec::new),
        };
        if options.flat {
            roots.push(heading);
            continue;
        }
        while open.last().is_some_and(|last| last.end_line < heading.line) {
            fold(&mut open, &mut roots);
        }
        open.push(heading);
    }
    while !open.is_empty() {
        fold(&mut open, &mut roots);
    }
    roots
}

/// Hands the last open heading to the one that holds it.
fn fold(open: &mut Vec<HeadingObject>, roots: &mut Vec<HeadingObject>) {
    let Some(done) = open.pop() else { return };
    match open.last_mut().and_then(|parent| parent.children.as_mut()) {
        Some(children) => children.push(done),
        None => roots.push(done),
    }
}

fn sections<'a>(structure: &'a Structure) -> Vec<SectionObject<'a>> {
    let outline = &structure.outline;
    structure
        .sections()
        .filter(|(_, section)| section.level().is_none())
        .map(|(index, section)| SectionObject {
            marker: Text(outline.marker(index)),
            line: section.lines().start(),
            end_line: section.lines().end(),
            keys: (section.kind() == SectionKind::Marker).then(|| {
                let keys = outline.keys().iter().filter(|key| key.section == Some(index));
                keys.map(|key| key.name.as_str()).collect()
            }),
            approximate_tokens: structure.bytes.as_ref().map(|bytes| bytes[index].div_ceil(4)),
        })
        .collect()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SearchObject<'a> {
    file_path: Text<'a>,
    query: &'a str,
    matches: Vec<MatchObject<'a>>,
    total_matches: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MatchObject<'a> {
    line: u64,
    column: u64,
    byte_offset: u64,
    text: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<ContextObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest_heading: Option<NearestHeading>,
}

#[derive(Serialize)]
struct ContextObject<'a> {
    before: Vec<Text<'a>>,
    after: Vec<Text<'a>>,
}

#[derive(Serialize)]
struct NearestHeading {
    level: u8,
    text: OwnedText,
    line: u64,
}

fn search_object<'a>(
    search: &'a Search,
    path: &'a Path,
    query: &'a str,
    context: bool,
) -> SearchObject<'a> {
    let texts = |lines: &'a [Vec<u8>]| lines.iter().map(|line| Text(line)).collect();
    let matches = search.hits.iter().map(|hit| MatchObject {
        line: hit.line,
        column: hit.column,
        byte_offset: hit.byte_offset,
        text: Text(&hit.text),
        context: context
            .then(|| ContextObject { before: texts(&hit.before), after: texts(&hit.after) }),
        nearest_heading: hit.heading.map(|index| {
            let section = &search.outline.sections()[index];
            NearestHeading {
                level: section.level().unwrap_or_default(),
                text: OwnedText(search.outline.text(index).into_owned()),
                line: section.lines().start(),
            }
        }),
    });
    SearchObject {
        file_path: json::path(path),
        query,
        matches: matches.collect(),
        total_matches: search.hits.len(),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LinesObject<'a> {
    file_path: Text<'a>,
    query: &'a str,
    lines: Vec<LineObject<'a>>,
}

#[derive(Serialize)]
struct LineObject<'a> {
    number: u64,
    text: Text<'a>,
}

fn lines_object<'a>(lines: &'a Lines, path: &'a Path, query: &'a str) -> LinesObject<'a> {
    let lines = lines.lines.iter();
    LinesObject {
        file_path: json::path(path),
        query,
        lines: lines
            .map(|(number, text)| LineObject { number: *number, text: Text(text) })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        let sizes: Vec<_> = [0, 512, 1536, 32768, 5 << 20, 3 << 30].map(file_size).to_vec();
        assert_eq!(sizes, ["0B", "512B", "1.5KB", "32KB", "5MB", "3GB"]);
    }
}
