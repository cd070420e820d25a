//! `inspect`: prints the structure of documents, matches in them, or some of their lines.
//!
//! The structure never contains body text.

pub mod args;
mod depth_budget;
pub mod report;
pub mod run;
mod selected;
mod text;
mod wire;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::{ControlFlow, Deref};

use self::args::{InspectArgs, PartArg};

use crate::commands::conditions::{Conditions, Kind};
use crate::commands::host::Host;
use crate::commands::json::Checksum;
use crate::commands::matching::lines_of_part;
use crate::commands::misses;
use crate::commands::output::{Outcome, Sink, Style};
use crate::commands::request::{Request, Schema};
use crate::commands::shared_args::{empty_flag, section_patterns};
use crate::commands::{matching, schema};
use folio_files::address::Part;
use folio_files::document::{Document, DocumentOptions};
use folio_files::error::Error;
use folio_files::listing::WalkOptions;
use folio_keys::Tree;
use folio_outline::format::{Format, Parser};
use folio_outline::outline::{IniKey, NameSource, Outline, OutlineBuilder, Section, Wants};
use folio_text::lines::{lines_with_ends, skip_lines, without_end};
use folio_text::pattern::Pattern;
use folio_text::span::LineRange;
use folio_text::text_stats::{LineEnding, TextStats};

/// Returns the JSON Schema of the output.
pub fn schema() -> String {
    let records = [
        schema::record::<report::FileObject<'_>>,
        matching::wire::OBJECT,
        schema::record::<report::LinesObject<'_>>,
        schema::record::<report::PartObject<'_>>,
        schema::record::<report::SelectedFileObject<'_>>,
        schema::record::<wire::LevelFile<'_>>,
        schema::record::<wire::LevelDirectory<'_>>,
        schema::record::<wire::LevelSummary<'_>>,
    ];
    let description = "One line of JSON for each file; with conditions for each part, or with -l \
         and -c for each file that has such parts. A list that is empty stays. In search mode a \
         file without a match has no line, unless it is the only operand.";
    schema::output("inspect", description, &records)
}

impl Request for InspectArgs {
    const SCHEMAS: &'static [Schema] = &[("inspect", schema)];

    fn run(self, host: &Host, sink: &mut dyn Sink) -> Outcome {
        run::run(self, host, sink)
    }
}

/// Maximum size in bytes of the names of headings to keep in memory, if they can be read again from
/// the file. A document whose names are larger is read twice.
const MAX_NAMES: usize = 4 << 20;

/// The options of `inspect`, converted from its arguments.
#[derive(Debug)]
pub struct Options {
    args: InspectArgs,
    /// Conditions on parts. If there are any, `inspect` lists the parts that meet them.
    conditions: Conditions,
    /// Options for walking directories.
    walk: WalkOptions,
    /// Options for reading documents.
    document: DocumentOptions,
}

impl Deref for Options {
    type Target = InspectArgs;

    fn deref(&self) -> &InspectArgs {
        &self.args
    }
}

impl Options {
    /// Converts arguments to options. Fails if a value is invalid. Does not open files.
    fn new(args: InspectArgs) -> Result<Self, Error> {
        let conditions = args.conditions()?;
        let (walk, document) = (args.walk(), args.documents.options());
        document.check()?;
        if conditions.is_given() {
            conditions.check()?;
        }
        if args.query.as_deref() == Some("") {
            return Err(empty_flag("--query"));
        }
        Ok(Self { args, conditions, walk, document })
    }

    /// Whether only the number of selected files is printed as text.
    fn counts_files(&self) -> bool {
        self.count && self.conditions.kinds() == [Kind::File]
    }
}

/// The parts of a structure to show.
#[derive(Clone, Debug)]
struct StructureQuery<'a> {
    options: &'a Options,
    only: Vec<PartArg>,
    max_level: u8,
    entries: Vec<Pattern>,
    /// Whether to show properties of the whole file, such as its line endings.
    facts: bool,
    /// Whether names may be read from the file again when they are printed.
    late_names: bool,
    /// Whether to show headings as they are written in the source.
    sources: bool,
}

/// The parts that are shown by default. They do not include tables.
const DEFAULT_PARTS: &[PartArg] = &[
    PartArg::Headings,
    PartArg::Code,
    PartArg::FrontMatter,
    PartArg::Anchors,
    PartArg::Sections,
    PartArg::Keys,
];

impl<'a> StructureQuery<'a> {
    /// Returns the query for files found in directories, which shows keys only on request.
    fn in_directories(&self) -> Self {
        let mut query = self.clone();
        query.only.retain(|part| *part != PartArg::Keys || self.options.only.contains(part));
        query
    }

    /// Whether a kind of parts is shown.
    fn shows(&self, part: PartArg) -> bool {
        self.only.contains(&part)
    }

    /// Whether only sections are shown, so that each can be printed as soon as it ends.
    fn is_of_sections(&self, format: Format) -> bool {
        let is_section =
            |part: &PartArg| matches!(part, PartArg::Headings | PartArg::Sections | PartArg::Keys);
        let has_others = match format.parser() {
            Parser::Markdown(_) => !self.only.iter().all(is_section),
            Parser::Ini(_) => true,
            Parser::Keys(_) => self.shows(PartArg::Keys),
            Parser::Plain => false,
        };
        let options = self.options;
        let needs_whole = options.anchors || options.breadcrumbs;
        !(needs_whole || options.checksum || options.tokens || has_others)
    }

    fn new(options: &'a Options, style: Style) -> Result<Self, Error> {
        let is_shown = style.json || style.terminal;
        Ok(Self {
            options,
            only: match &options.only[..] {
                _ if options.depth_budget.is_some() => vec![PartArg::Headings, PartArg::Sections],
                _ if options.outline => vec![PartArg::Headings, PartArg::Keys],
                // In a list of addresses, front matter is not shown like a heading.
                [] => {
                    let shown = DEFAULT_PARTS.iter().copied();
                    shown.filter(|part| is_shown || *part != PartArg::FrontMatter).collect()
                }
                only => only.to_vec(),
            },
            max_level: options.max_level.unwrap_or(6),
            entries: section_patterns(&options.section_pattern)?,
            facts: is_shown,
            late_names: !style.json,
            sources: style.json && options.depth_budget.is_none(),
        })
    }
}

/// Properties of a whole file.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Size in bytes.
    pub size: u64,
    /// The encoding, such as `utf-8`, or `unknown-8bit` if the bytes are invalid in the encoding.
    pub encoding: String,
    /// The line endings.
    pub line_ending: LineEnding,
    /// Whether the last line has a line ending.
    pub final_newline: bool,
}

/// The structure of a document.
#[derive(Debug)]
pub struct Structure {
    /// The complete outline.
    pub outline: Outline,
    /// The requested lines.
    pub scope: Option<Vec<LineRange>>,
    /// Properties of the file, if requested.
    pub facts: Option<Facts>,
    /// The checksum of the file, if requested.
    pub checksum: Option<String>,
    /// The size of each section in bytes, if requested.
    pub bytes: Option<Vec<u64>>,
    /// The source lines of headings that the outline does not know, by the index of the section, if
    /// source lines are requested.
    sources: Option<HashMap<usize, Vec<u8>>>,
}

impl Structure {
    /// Returns the name of a section as text output shows it. If the name is not in memory, reads
    /// it from the document again.
    pub fn text<'a>(
        &'a self,
        index: usize,
        document: &'a mut Document,
    ) -> Result<Cow<'a, [u8]>, Error> {
        text_of(&self.outline, index, document)
    }

    /// Returns the text from which the anchor of a heading is derived.
    pub fn anchor_text<'a>(
        &'a self,
        index: usize,
        document: &'a mut Document,
    ) -> Result<Cow<'a, [u8]>, Error> {
        Ok(match self.outline.name_source(index) {
            NameSource::Kept(_) => self.outline.anchor_text(index),
            NameSource::InFile(span) => {
                let name = document.window(span)?;
                self.outline.render_for_anchor(&self.outline.sections()[index], name)
            }
        })
    }

    /// Returns the source line of a heading, if requested.
    pub fn source(&self, index: usize) -> Option<Vec<u8>> {
        let others = self.sources.as_ref()?;
        self.outline.canonical_line(index).or_else(|| others.get(&index).cloned())
    }

    /// Whether a line is one of the requested lines.
    pub fn holds(&self, line: u64) -> bool {
        let within = |scope: &Vec<LineRange>| scope.iter().any(|range| range.contains(line));
        self.scope.as_ref().is_none_or(within)
    }

    /// Returns the requested entries of a tree of keys, except the root.
    fn entries<'a>(
        &'a self,
        query: &'a StructureQuery<'_>,
    ) -> impl Iterator<Item = (&'a Tree, usize)> {
        let tree = self.outline.tree().filter(|_| query.shows(PartArg::Keys));
        let deepest = query.options.max_level.map_or(usize::MAX, usize::from);
        let mut depths: Vec<usize> = vec![0];
        let entries =
            tree.into_iter().flat_map(|tree| (1..tree.nodes.len()).map(move |at| (tree, at)));
        entries.filter(move |(tree, index)| {
            let depth = depths[tree.node(*index).parent as usize] + 1;
            depths.push(depth);
            depth <= deepest && self.holds(tree.lines(*index).start())
        })
    }

    /// Returns the keys of an INI file before its first section.
    pub fn leading_keys(&self) -> impl Iterator<Item = &IniKey> {
        let keys = self.outline.keys().iter();
        keys.filter(|key| key.section.is_none() && self.holds(key.lines.start()))
    }

    /// Returns the requested sections with their indexes.
    pub fn sections(&self) -> impl Iterator<Item = (usize, &Section)> {
        let sections = self.outline.sections().iter().enumerate();
        sections.filter(|(_, section)| self.holds(section.lines().start()))
    }
}

/// Returns the name of a section as text output shows it. If the name is not in memory, reads it
/// from the document again.
fn text_of<'a>(
    outline: &'a Outline,
    index: usize,
    document: &'a mut Document,
) -> Result<Cow<'a, [u8]>, Error> {
    let name = match outline.name_source(index) {
        NameSource::Kept(name) => name,
        NameSource::InFile(span) => document.window(span)?,
    };
    Ok(outline.shown(&outline.sections()[index], name))
}

/// Returns the parts of the outline that the query needs.
fn wants(document: &Document, part: &Part, query: &StructureQuery<'_>) -> Wants {
    let rereadable = document.size().is_some() && document.encoding().is_utf8();
    Wants {
        code: query.shows(PartArg::Code),
        tables: query.shows(PartArg::Tables),
        anchors: query.shows(PartArg::Anchors) || matches!(part, Part::Anchor(_)),
        tree: query.shows(PartArg::Keys) || matches!(part, Part::Anchor(_)),
        groups: query.shows(PartArg::Sections) && query.facts,
        entries: query.entries.clone(),
        names: (rereadable && query.late_names && *part == Part::Whole).then_some(MAX_NAMES),
        ..Wants::default()
    }
}

fn structure(
    document: &mut Document,
    part: &Part,
    query: &StructureQuery<'_>,
) -> Result<Structure, Error> {
    let options = query.options;
    let sources = query.sources && query.shows(PartArg::Headings);
    if options.tokens || sources {
        document.keep()?;
    }
    let mut builder = OutlineBuilder::new(document.format(), wants(document, part, query));
    builder.expect_bytes(document.size().unwrap_or(0));
    let mut stats = TextStats::default();
    let mut checksum = options.checksum.then(Checksum::default);
    if let Some(checksum) = &mut checksum {
        checksum.push(&document.encoding().bom()[..document.bom_length()]);
    }
    let mut size = document.bom_length() as u64;
    document.blocks(|block| {
        builder.push(block);
        if query.facts {
            stats.push_bytes(block.bytes);
        }
        if let Some(checksum) = &mut checksum {
            checksum.push(block.raw);
        }
        size += block.raw.len() as u64;
        ControlFlow::Continue(())
    })?;
    let outline = builder.finish();
    let scope = lines_of_part(&outline, part, document.path())?;
    let bytes = options.tokens.then(|| section_bytes(document, &outline)).transpose()?;
    let sources = sources.then(|| source_lines(document, &outline)).transpose()?;
    Ok(Structure {
        facts: query.facts.then(|| facts(document, &stats, size)),
        outline,
        scope,
        checksum: checksum.map(Checksum::digits),
        bytes,
        sources,
    })
}

fn facts(document: &Document, stats: &TextStats, size: u64) -> Facts {
    let encoding = if stats.is_utf8() || !document.encoding().is_utf8() {
        document.encoding().name()
    } else {
        "unknown-8bit".to_owned()
    };
    Facts { size, encoding, line_ending: stats.line_ending(), final_newline: stats.final_newline() }
}

/// Returns the first lines of the headings that the outline does not know, without line endings.
fn source_lines(
    document: &mut Document,
    outline: &Outline,
) -> Result<HashMap<usize, Vec<u8>>, Error> {
    let is_unknown = |&index: &usize| {
        outline.sections()[index].level().is_some() && outline.canonical_line(index).is_none()
    };
    let mut indexes = (0..outline.sections().len()).filter(is_unknown).peekable();
    let mut sources = HashMap::new();
    if indexes.peek().is_none() {
        return Ok(sources);
    }
    document.rewind()?;
    document.take_whole_lines();
    let mut number = 1;
    document.blocks(|block| {
        let mut rest = block.bytes;
        while let Some(&index) = indexes.peek() {
            let line = outline.sections()[index].lines().start();
            match skip_lines(rest, line - number) {
                Ok(skipped) => (rest, number) = (&rest[skipped..], line),
                Err(skipped) => {
                    number += skipped;
                    return ControlFlow::Continue(());
                }
            }
            if rest.is_empty() {
                return ControlFlow::Continue(());
            }
            let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            // Several nested sections may begin on the same line.
            sources.insert(index, without_end(&rest[..end]).to_vec());
            indexes.next();
        }
        ControlFlow::Break(())
    })?;
    Ok(sources)
}

/// Returns the size of each section in bytes.
fn section_bytes(document: &mut Document, outline: &Outline) -> Result<Vec<u64>, Error> {
    // The offsets of lines at which sections begin or end, computed in one pass.
    let mut edges: Vec<u64> = outline
        .sections()
        .iter()
        .flat_map(|section| [section.lines().start(), section.lines().end() + 1])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let mut offsets = Vec::with_capacity(edges.len());
    document.rewind()?;
    let encoding = document.encoding();
    let mut line = 1;
    let mut end = 0;
    document.raw_blocks(|block| {
        let mut at = 0;
        while let Some(&edge) = edges.get(offsets.len()) {
            match encoding.skip_lines(&block.raw[at..], edge - line) {
                Ok(skip) if at + skip < block.raw.len() || edge == line => at += skip,
                _ => break,
            }
            line = edge;
            offsets.push(block.offset + at as u64);
        }
        line += encoding.count_line_feeds(&block.raw[at..]);
        end = block.offset + block.raw.len() as u64;
        ControlFlow::Continue(())
    })?;
    offsets.resize(edges.len(), end);
    let offset = |line: u64| edges.binary_search(&line).map_or(end, |at| offsets[at]);
    Ok(outline
        .sections()
        .iter()
        .map(|section| offset(section.lines().end() + 1) - offset(section.lines().start()))
        .collect())
}

/// Returns the lines with these numbers, without line endings.
fn lines(document: &mut Document, ranges: &[LineRange]) -> Result<Vec<(u64, Vec<u8>)>, Error> {
    document.take_whole_lines();
    let mut lines = Vec::new();
    let mut number = 0;
    let last = ranges.iter().map(|range| range.end()).max().unwrap_or(0);
    document.blocks(|block| {
        for line in lines_with_ends(block.bytes) {
            number += 1;
            if ranges.iter().any(|range| range.contains(number)) {
                lines.push((number, without_end(line).to_vec()));
            }
        }
        if number >= last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let holds_nul = |(_, text): &(u64, Vec<u8>)| memchr::memchr(0, text).is_some();
    if !document.prints_nul() && lines.iter().any(holds_nul) {
        return Err(document.binary_error());
    }
    match ranges.iter().map(|range| range.start()).find(|&start| start > number) {
        Some(start) => Err(misses::past_end(start, number, document.path())),
        None => Ok(lines),
    }
}
