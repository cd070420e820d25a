//! How what was found is told: as text for people and pipes, as JSON.

use std::path::Path;

use serde::Serialize;

use super::text::{Records, TerminalOutline, pipe_outline, search_text};
use super::{Facts, Inspection, Lines, Options, Search, Structure, StructureOptions};
use crate::commands::inspect::Mode;
use crate::commands::json::{self, Range, Text};
use crate::commands::output::{Closed, Style, file_size};
use crate::error::Error;
use crate::files::document::Document;
use crate::text::format::Feature;
use crate::text::markdown::slug::Slugger;
use crate::text::outline::SectionKind;
use crate::text::span::LineRange;

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
    let path = document.path().to_owned();
    let null = options.null;
    match (found, &options.mode) {
        (Inspection::Structure(structure), Mode::Structure(options)) if style.terminal && !null => {
            TerminalOutline { structure, options, style }.tell(document, emit)
        }
        (Inspection::Structure(structure), Mode::Structure(options)) => {
            let records = Records::new(&path, style, null);
            pipe_outline(structure, document, options, &records, emit)
        }
        (Inspection::Search(search), _) => {
            let mut out = Vec::new();
            search_text(search, &Records::new(&path, style, null), &mut out);
            emit(&out)?;
            Ok(search.hits.len() as u64)
        }
        (Inspection::Lines(lines), _) => {
            let mut out = Vec::new();
            let records = Records::new(&path, style, null);
            for (number, text) in &lines.lines {
                records.begin(LineRange::line(*number), &mut out);
                out.extend_from_slice(&style.safe(text));
                records.end(&mut out);
            }
            emit(&out)?;
            Ok(lines.lines.len() as u64)
        }
        (Inspection::Structure(_), _) => Ok(0),
    }
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
    tables: Option<Vec<TableObject<'a>>>,
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
struct TableObject<'a> {
    index: usize,
    #[serde(flatten)]
    range: Range,
    columns: usize,
    header: &'a [String],
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
    let has = |part| outline.format().has(part);
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
            headings: (only.headings && has(Feature::Headings))
                .then(|| headings(structure, options)),
            code_blocks: (only.code && has(Feature::Code)).then(|| {
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
            tables: (only.tables && has(Feature::Code)).then(|| {
                let tables = outline.tables().iter().enumerate();
                tables
                    .filter(|(_, table)| structure.holds(table.lines.start()))
                    .map(|(index, table)| TableObject {
                        index,
                        range: table.lines.into(),
                        columns: table.columns,
                        header: &table.header,
                    })
                    .collect()
            }),
            anchors: (only.anchors && has(Feature::Anchors)).then(|| {
                let anchors = outline.anchors().iter();
                anchors
                    .filter(|anchor| structure.holds(anchor.line))
                    .map(|anchor| AnchorObject { id: &anchor.id, line: anchor.line })
                    .collect()
            }),
            sections: only.sections.then(|| sections(structure)),
            blank_line_groups: (only.sections && has(Feature::Groups)).then(|| {
                let groups = outline.blank_groups().iter().copied();
                groups.filter(|&line| structure.holds(line)).collect()
            }),
            comment_blocks: (only.sections && has(Feature::Groups)).then(|| {
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
    let heading = |at: usize| {
        let outline = search.outline.as_ref()?;
        let index = (*search.headings.get(at)?)?;
        let section = &outline.sections()[index];
        Some(NearestHeading {
            level: section.level().unwrap_or_default(),
            text: OwnedText(outline.text(index).into_owned()),
            line: section.lines().start(),
        })
    };
    let matches = search.hits.iter().enumerate().map(|(at, hit)| MatchObject {
        line: hit.line,
        column: hit.column,
        byte_offset: hit.byte_offset,
        text: Text(&hit.text),
        context: context
            .then(|| ContextObject { before: texts(&hit.before), after: texts(&hit.after) }),
        nearest_heading: heading(at),
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
