//! Formats structures as JSON, and lines and selected parts as text and JSON.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::args::PartArg;
use super::log_summary::{LogObject, LogSummary};
use super::text::Prefix;
use super::wire::{Entries, EntryObject, HeadingObject, HeadingWalk, Headings};
use super::{Facts, InspectOptions, Structure, StructureQuery};
use crate::commands::conditions::SelectedPart;
use crate::commands::json::{self, Address, OwnedText, Range, Text};
use crate::commands::misses;
use crate::commands::output::{Closed, Emit, Json, Record, Role, Style, file_size};
use folio_files::document::binary_error;
use folio_files::error::Error;
use folio_outline::document::Document;
use folio_outline::format::{Feature, Format};
use folio_outline::naming::section_path;
use folio_outline::outline::{Outline, SectionKind};
use folio_text::lines::without_end;
use folio_text::span::{LineRange, merged};

/// Writes a document's structure as one line of JSON, which may be long.
pub(super) fn write_structure(
    structure: &Structure<'_>,
    path: &Path,
    query: &StructureQuery<'_>,
    emit: &mut Emit<'_>,
) -> Result<(), Closed> {
    let walk = HeadingWalk::new(structure, path, query);
    let mut out = io::BufWriter::new(ToEmit(emit));
    let written = json::write(&structure_object(&walk), &mut out);
    let written = written.and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
    written.map_err(|_| Closed)
}

struct ToEmit<'e, 'f>(&'e mut Emit<'f>);

impl Write for ToEmit<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (self.0)(bytes).map_err(|Closed| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Facts about a file, and its structure.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FileObject<'a> {
    /// The path that the user gave or folio found. - is standard input.
    file_path: Text<'a>,
    address: Address<'a>,
    /// The detected or given format.
    #[schemars(extend("enum" = format_names()))]
    format: &'static str,
    /// The number of lines, including a last line without line ending.
    total_lines: u64,
    #[serde(flatten)]
    facts: Option<FactsObject>,
    /// The checksum of the file's bytes, with --checksum.
    #[serde(skip_serializing_if = "Option::is_none")]
    checksum: Option<&'a str>,
    /// For a log whose entries begin with times: its kind, and the range of times.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<LogObject>,
    /// The title: the first heading of level 1, otherwise the title in the front matter, otherwise
    /// the first heading, if no other heading has its level or a higher one.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<OwnedText>,
    structure: StructureObject<'a>,
}

/// Facts about a file, and its structure.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct FactsObject {
    /// Size in bytes, including a byte order mark.
    size_bytes: u64,
    /// The size in a readable form, in units of 1024 bytes.
    file_size: String,
    /// The encoding: utf-8, utf-8-bom, utf-16le, utf-16be, or the name in the Encoding Standard of
    /// the encoding given with --encoding. unknown-8bit if the bytes are not valid UTF-8.
    encoding: String,
    /// The line endings. none if no line has one.
    #[schemars(extend("enum" = ["lf", "crlf", "mixed", "none"]))]
    line_ending: &'static str,
    /// Whether the last line has a line ending.
    final_newline: bool,
}

fn format_names() -> Vec<&'static str> {
    Format::ALL.iter().map(|format| format.name()).collect()
}

/// The parts of a file. Parts that --only does not select, and parts that the format does not have,
/// are omitted.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct StructureObject<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    frontmatter: Option<FrontMatterObject<'a>>,
    /// Markdown: headings, as a tree or, with --flat, as a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<HeadingObject<'static>>>")]
    headings: Option<Headings<'a>>,
    /// Markdown: fenced code blocks in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    code_blocks: Option<Vec<CodeObject<'a>>>,
    /// Markdown, with --only tables: tables in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    tables: Option<Vec<TableObject<'a>>>,
    /// Markdown: explicit anchors in order, such as {#id}, id= or \<a name=.
    #[serde(skip_serializing_if = "Option::is_none")]
    anchors: Option<Vec<AnchorObject<'a>>>,
    /// Log entries of any format, and INI sections, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<SectionObject<'static>>>")]
    sections: Option<Sections<'a>>,
    /// INI: the keys before the first section, in order. Absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    keys: Vec<&'a str>,
    /// TOML, YAML, JSON, .env and .properties: the entries. Each container precedes its entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<EntryObject<'static>>>")]
    entries: Option<Entries<'a>>,
    /// In formats other than Markdown: the first line of each run of blank lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    blank_line_groups: Option<Vec<u64>>,
    /// Formats other than Markdown: groups of consecutive comment lines with the same mark.
    #[serde(skip_serializing_if = "Option::is_none")]
    comment_blocks: Option<Vec<CommentObject>>,
}

/// The front matter of a Markdown file. Its lines include the delimiters.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct FrontMatterObject<'a> {
    #[serde(flatten)]
    range: Range,
    #[schemars(extend("enum" = ["yaml", "toml", "json"]))]
    format: &'static str,
    /// The top-level keys, in order.
    keys: Vec<&'a str>,
    /// The nested keys, in the form that read and patch accept: params.weight.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nested_keys: Vec<String>,
}

/// A fenced code block. Its lines include the fences.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct CodeObject<'a> {
    address: Address<'a>,
    /// The number of the block among the fenced blocks of the file, from 0, as in folio read
    /// --code-block.
    index: usize,
    /// The first word after the opening fence.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
    #[serde(flatten)]
    range: Range,
}

/// A table. Its lines extend from the header to the last row.
#[derive(JsonSchema, Serialize)]
struct TableObject<'a> {
    address: Address<'a>,
    /// The number of the table in the file, from 0, as in folio read --table.
    index: usize,
    #[serde(flatten)]
    range: Range,
    /// The number of cells in the header.
    columns: usize,
    /// The source texts of the cells in the header.
    header: &'a [String],
}

/// An explicit anchor.
#[derive(JsonSchema, Serialize)]
struct AnchorObject<'a> {
    id: &'a str,
    /// The number of a line, from 1.
    line: u64,
}

/// A log entry, an INI section or a symbol in source code.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct SectionObject<'a> {
    address: Address<'a>,
    /// The first [...] in the first line, including the brackets. If there is none, the text that
    /// the section pattern matched. For a symbol, its name.
    marker: Text<'a>,
    /// The first line of a log entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Text<'a>>,
    /// The number of a line, from 1.
    line: u64,
    /// The number of a line, from 1.
    end_line: u64,
    /// The keys of an INI section, in order, including keys without a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    keys: Option<Vec<&'a str>>,
    #[serde(flatten)]
    symbol: Option<SymbolObject<'a>>,
    /// The size of the section in bytes divided by 4, rounded up, with --tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    approximate_tokens: Option<u64>,
}

/// The properties of a symbol in source code.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct SymbolObject<'a> {
    /// function, method, type, interface, impl, module, constant, member, macro or test.
    kind: &'static str,
    /// The names of the symbols that contain the symbol, outermost first, and its own name.
    path: Vec<String>,
    /// The declaration without its body, in one line.
    signature: &'a str,
    /// The first line of the declaration, after its comment and attributes.
    signature_line: u64,
    /// Whether other files or packages can use the symbol, as far as the declaration says.
    public: bool,
}

impl<'a> SymbolObject<'a> {
    fn new(outline: &'a Outline, index: usize) -> Option<Self> {
        let symbol = outline.symbol(index)?;
        let SectionKind::Symbol(kind) = outline.sections()[index].kind() else { return None };
        Some(Self {
            kind: kind.name(),
            path: section_path(outline, index),
            signature: &symbol.signature,
            signature_line: symbol.signature_line,
            public: symbol.is_public,
        })
    }
}

/// Consecutive comment lines.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct CommentObject {
    #[serde(flatten)]
    range: Range,
    /// The comment marker.
    #[schemars(extend("enum" = ["//", "--", "#", ";", "%"]))]
    prefix: &'static str,
}

fn structure_object<'a>(walk: &'a HeadingWalk<'a>) -> FileObject<'a> {
    let HeadingWalk { structure, path, query, .. } = *walk;
    let outline = structure.outline;
    let shows = |part| query.shows(part);
    let has = |part, feature| shows(part) && outline.format().has(feature);
    let front_matter =
        outline.front_matter().filter(|_| shows(PartArg::FrontMatter) && structure.holds(1));
    FileObject {
        file_path: json::path(path),
        address: Address { path, lines: None },
        format: outline.format().name(),
        total_lines: outline.total_lines(),
        facts: structure.facts.as_ref().map(facts_object),
        checksum: structure.checksum.as_deref(),
        log: structure.log.as_ref().map(LogSummary::object),
        title: outline.title().map(|title| OwnedText(title.into_owned())),
        structure: StructureObject {
            frontmatter: front_matter.map(|found| FrontMatterObject {
                range: found.lines.into(),
                format: found.format.name(),
                keys: found.keys.iter().map(|key| key.name.as_str()).collect(),
                nested_keys: found.nested_keys(),
            }),
            headings: has(PartArg::Headings, Feature::Headings).then_some(walk.all()),
            code_blocks: has(PartArg::Code, Feature::Code).then(|| code_blocks(structure, path)),
            tables: has(PartArg::Tables, Feature::Tables).then(|| tables(structure, path)),
            anchors: has(PartArg::Anchors, Feature::Anchors).then(|| {
                let anchors = outline.anchors().iter();
                anchors
                    .filter(|anchor| structure.holds(anchor.line))
                    .map(|anchor| AnchorObject { id: &anchor.id, line: anchor.line })
                    .collect()
            }),
            sections: shows(PartArg::Sections).then_some(Sections { structure, path }),
            keys: structure
                .leading_keys()
                .filter(|_| shows(PartArg::Sections))
                .map(|(name, _)| name)
                .collect(),
            entries: structure.tree(query).map(|_| Entries { structure, path, query }),
            blank_line_groups: has(PartArg::Sections, Feature::Groups).then(|| {
                let groups = outline.blank_groups().iter().copied();
                groups.filter(|&line| structure.holds(line)).collect()
            }),
            comment_blocks: has(PartArg::Sections, Feature::Groups).then(|| {
                let blocks = outline.comment_blocks().iter();
                blocks
                    .filter(|block| structure.holds(block.lines.start()))
                    .map(|block| CommentObject { range: block.lines.into(), prefix: block.prefix })
                    .collect()
            }),
        },
    }
}

fn code_blocks<'a>(structure: &'a Structure<'a>, path: &'a Path) -> Vec<CodeObject<'a>> {
    let blocks = structure.outline.code().iter().filter(|code| code.fenced).enumerate();
    let blocks = blocks.filter(|(_, code)| structure.holds(code.lines.start()));
    blocks
        .map(|(index, code)| CodeObject {
            address: Address { path, lines: Some(code.lines) },
            index,
            language: code.language.as_deref(),
            range: code.lines.into(),
        })
        .collect()
}

fn tables<'a>(structure: &'a Structure<'a>, path: &'a Path) -> Vec<TableObject<'a>> {
    let tables = structure.outline.tables().iter().enumerate();
    let tables = tables.filter(|(_, table)| structure.holds(table.lines.start()));
    tables
        .map(|(index, table)| TableObject {
            address: Address { path, lines: Some(table.lines) },
            index,
            range: table.lines.into(),
            columns: table.columns,
            header: &table.header,
        })
        .collect()
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

/// Log entries, INI sections and symbols.
struct Sections<'a> {
    structure: &'a Structure<'a>,
    path: &'a Path,
}

impl Serialize for Sections<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { structure, path } = *self;
        let outline = structure.outline;
        let sections = structure.sections().filter(|(_, section)| section.level().is_none());
        serializer.collect_seq(sections.map(|(index, section)| {
            SectionObject {
                address: Address { path, lines: Some(section.lines()) },
                marker: Text(outline.marker(index)),
                text: (section.kind() == SectionKind::Entry).then(|| Text(outline.name(index))),
                line: section.lines().start(),
                end_line: section.lines().end(),
                keys: (section.kind() == SectionKind::Marker)
                    .then(|| structure.section_keys(index).collect()),
                symbol: SymbolObject::new(outline, index),
                approximate_tokens: structure.bytes.as_ref().map(|bytes| bytes[index].div_ceil(4)),
            }
        }))
    }
}

/// Lines of a file, selected by number.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LinesObject<'a> {
    /// The path that the user gave or folio found. - is standard input.
    file_path: Text<'a>,
    /// The line ranges in --query.
    query: &'a str,
    pub(super) lines: Vec<LineObject<'a>>,
    #[serde(skip)]
    null: bool,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct LineObject<'a> {
    address: Address<'a>,
    /// The number of a line, from 1.
    number: u64,
    /// The line without its line ending.
    text: OwnedText,
}

impl<'a> LinesObject<'a> {
    /// Reads the lines of a document.
    ///
    /// # Errors
    ///
    /// Fails if a range begins past the end, or a line contains a NUL byte.
    pub(super) fn new(
        document: &'a Document,
        options: &'a InspectOptions,
        ranges: &[LineRange],
    ) -> Result<Self, Error> {
        let path = document.path();
        let mut lines: Vec<LineObject<'a>> = Vec::new();
        let total = document.lines(&merged(ranges.to_vec(), 0), |_, number, text| {
            match lines.last_mut().filter(|last| last.number == number) {
                // A long line is passed in several pieces.
                Some(last) => last.text.0.extend_from_slice(text),
                None => lines.push(LineObject {
                    address: Address::lines(path, number, number),
                    number,
                    text: OwnedText(text.to_vec()),
                }),
            }
            ControlFlow::Continue(())
        })?;
        lines.iter_mut().for_each(|line| line.text.0.truncate(without_end(&line.text.0).len()));
        let holds_nul = |line: &LineObject<'_>| memchr::memchr(0, &line.text.0).is_some();
        if !document.prints_nul() && lines.iter().any(holds_nul) {
            return Err(binary_error(document));
        }
        if let Some(range) = ranges.iter().find(|range| range.start() > total) {
            return Err(misses::past_end(range.start(), total, path));
        }
        let query = options.query.as_deref().unwrap_or_default();
        Ok(Self { file_path: json::path(path), query, lines, null: options.null })
    }
}

impl Record for LinesObject<'_> {
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        for LineObject { address, number, text } in &self.lines {
            let prefix = Prefix::new(address.path, style, self.null);
            prefix.begin(LineRange::line(*number), out);
            out.extend_from_slice(&style.safe(&text.0));
            prefix.end(out);
        }
    }
}

/// A part that meets the conditions, with the context for printing it.
pub(super) struct PartRecord<'a> {
    pub(super) path: &'a Path,
    pub(super) part: &'a SelectedPart,
    pub(super) null: bool,
}

/// A part that meets the conditions.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PartObject<'a> {
    address: Address<'a>,
    /// The path that the user gave or folio found. - is standard input.
    file_path: Text<'a>,
    /// The kind of part. A marker is a section of an INI file.
    #[schemars(extend("enum" = [
        "file", "front-matter", "heading", "entry",
        "marker", "key", "code", "table"
    ]))]
    kind: &'static str,
    /// The name of the part: the text of a heading, the line of an entry, the name of an INI
    /// section or key, the target of a code block or table, or the path of a file.
    name: Text<'a>,
    /// The names of the sections that contain the part, outermost first, followed by its own name.
    path: Vec<Text<'a>>,
    /// The level of a heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u8>,
    /// The GitHub anchor, for a heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    anchor: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["quote", "list", "footnote"]))]
    container: Option<&'static str>,
    /// The language, for a code block.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
    #[serde(flatten)]
    range: Option<Range>,
}

impl Record for PartRecord<'_> {
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        let Some(lines) = self.part.lines else {
            push_path(self.path, style, self.null, out);
            out.extend_from_slice(if self.null { b"\0\0" } else { b"\n" });
            return;
        };
        let prefix = Prefix::new(self.path, style, self.null);
        prefix.begin(lines, out);
        let path = self.part.path();
        if self.null {
            out.extend_from_slice(&path)
        } else {
            style.paint_bytes(Role::Heading(self.part.level.unwrap_or(2)), &path, out)
        }
        prefix.end(out);
    }
}

impl Json for PartRecord<'_> {
    fn json(&self, out: &mut Vec<u8>) {
        let part = self.part;
        let above = part.above.iter().chain([&part.name]);
        let object = PartObject {
            address: Address { path: self.path, lines: part.lines },
            file_path: json::path(self.path),
            kind: part.kind.name(),
            name: Text(&part.name),
            path: above.map(|name| Text(name)).collect(),
            level: part.level,
            anchor: part.anchor.as_deref(),
            container: part.container.map(|container| container.name()),
            language: part.language.as_deref(),
            range: part.lines.map(Range::from),
        };
        object.json(out);
    }
}

/// A file with parts that meet the conditions.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SelectedFileObject<'a> {
    pub(super) address: Address<'a>,
    /// The path that the user gave or folio found. - is standard input.
    pub(super) file_path: Text<'a>,
    /// The number of parts that meet the conditions, with -c.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) count: Option<u64>,
    #[serde(skip)]
    pub(super) null: bool,
}

impl Record for SelectedFileObject<'_> {
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        push_path(self.address.path, style, self.null, out);
        out.push(match self.count {
            _ if self.null => 0,
            Some(_) => b':',
            None => b'\n',
        });
        out.extend(self.count.into_iter().flat_map(|count| format!("{count}\n").into_bytes()));
    }
}

fn push_path(path: &Path, style: Style, null: bool, out: &mut Vec<u8>) {
    if null {
        out.extend_from_slice(path.as_os_str().as_bytes())
    } else {
        style.paint_path(path, out)
    }
}
