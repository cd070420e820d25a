//! `inspect`: the structure of documents, hits in them, or lines of them.
//!
//! Body text never appears in a structure.

pub mod args;
pub mod report;
pub mod run;
mod text;

use std::ops::ControlFlow;
use std::path::Path;

use crate::commands::json::Checksum;
use crate::commands::line_matcher::LineMatcher;
use crate::commands::line_search::{self, Hit};
use crate::commands::misses;
use crate::error::Error;
use crate::files::address::Part;
use crate::files::document::{Document, DocumentOptions};
use crate::text::boundary::Places;
use crate::text::lines::without_end;
use crate::text::outline::{NameSource, Outline, OutlineBuilder, Section, Wants};
use crate::text::pattern::Pattern;
use crate::text::span::LineRange;
use crate::text::target::{AnchorTarget, find_anchor};
use crate::text::text_stats::{LineEnding, TextStats};

/// The JSON Schema of what is printed.
pub const SCHEMA: &str = include_str!("schema.json");

/// Bytes of headings' names that are kept in memory where they can be read
/// again from the file; a document with more is read twice.
const MAX_NAMES: usize = 4 << 20;

/// What to show of a document.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which of the three.
    pub mode: Mode,
    /// How documents are taken.
    pub load: DocumentOptions,
    /// Whether text records are `ADDRESS NUL TEXT NUL`, for any file name.
    pub null: bool,
}

/// What is shown.
#[derive(Clone, Debug)]
pub enum Mode {
    /// The outline.
    Structure(StructureOptions),
    /// Lines that match.
    Search(SearchOptions),
    /// Lines by number.
    Lines(LinesOptions),
}

/// Of the structure.
#[derive(Clone, Debug)]
pub struct StructureOptions {
    /// Which parts of it.
    pub only: Parts,
    /// Headings of deeper levels are left out.
    pub max_level: u8,
    /// Headings as one list instead of a tree.
    pub flat: bool,
    /// Whether each section is told with its size in tokens.
    pub tokens: bool,
    /// Whether the file's checksum is told.
    pub checksum: bool,
    /// Patterns of lines that begin entries, in place of `[LOG-`.
    pub entries: Vec<Pattern>,
    /// Whether facts about the whole file are told: its lines and their ends.
    pub facts: bool,
    /// Whether names may be left to be read again when they are told.
    pub late_names: bool,
}

/// The parts of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Headings.
    pub headings: bool,
    /// Code blocks.
    pub code: bool,
    /// Tables.
    pub tables: bool,
    /// Front matter.
    pub front_matter: bool,
    /// Explicit anchors.
    pub anchors: bool,
    /// Log entries and INI sections, with what else other texts have.
    pub sections: bool,
}

impl Parts {
    /// All that is told unless it is said: tables are not looked for.
    pub const ALL: Self = Self {
        headings: true,
        code: true,
        tables: false,
        front_matter: true,
        anchors: true,
        sections: true,
    };
    /// None of them.
    pub const NONE: Self = Self {
        headings: false,
        code: false,
        tables: false,
        front_matter: false,
        anchors: false,
        sections: false,
    };
}

/// Of a search.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// The query as written.
    pub query: String,
    /// Whether it is a regular expression.
    pub regex: bool,
    /// The same as a pattern.
    pub matcher: LineMatcher,
    /// Lines around each hit.
    pub context: usize,
    /// Whether the heading above each hit is told.
    pub headings: bool,
    /// Patterns of lines that begin entries.
    pub entries: Vec<Pattern>,
}

/// Of lines.
#[derive(Clone, Debug)]
pub struct LinesOptions {
    /// The query as written.
    pub query: String,
    /// The lines it names.
    pub ranges: Vec<LineRange>,
}

/// What was found in one document.
#[derive(Debug)]
pub enum Inspection {
    /// Its structure.
    Structure(Box<Structure>),
    /// Its hits.
    Search(Box<Search>),
    /// Its lines.
    Lines(Lines),
}

/// Facts about a whole file.
#[derive(Clone, Debug)]
pub struct Facts {
    /// In bytes.
    pub size: u64,
    /// `utf-8`, …; `unknown-8bit` where the bytes are not what they should be.
    pub encoding: String,
    /// How its lines end.
    pub line_ending: LineEnding,
    /// Whether the last line has an end.
    pub final_newline: bool,
}

/// The structure of a document.
#[derive(Debug)]
pub struct Structure {
    /// The outline of all of it.
    pub outline: Outline,
    /// The lines that were asked for.
    pub scope: Option<Vec<LineRange>>,
    /// Facts, if wanted.
    pub facts: Option<Facts>,
    /// The file's checksum, if wanted.
    pub checksum: Option<String>,
    /// For each section, its size in bytes, if wanted.
    pub bytes: Option<Vec<u64>>,
}

impl Structure {
    /// A section's name as a reader sees it; from the document, where there
    /// are too many to be kept.
    pub fn text<'a>(
        &'a self,
        index: usize,
        document: &'a mut Document,
    ) -> Result<std::borrow::Cow<'a, [u8]>, Error> {
        Ok(match self.outline.name_source(index) {
            NameSource::Kept(_) => self.outline.text(index),
            NameSource::InFile(span) => {
                let name = document.window(span)?;
                self.outline.render(&self.outline.sections()[index], name)
            }
        })
    }

    /// Whether a line is among those asked for.
    pub fn holds(&self, line: u64) -> bool {
        let within = |scope: &Vec<LineRange>| scope.iter().any(|range| range.contains(line));
        self.scope.as_ref().is_none_or(within)
    }

    /// Sections that were asked for, with their indexes.
    pub fn sections(&self) -> impl Iterator<Item = (usize, &Section)> {
        let sections = self.outline.sections().iter().enumerate();
        sections.filter(|(_, section)| self.holds(section.lines().start()))
    }
}

/// Hits in a document.
#[derive(Debug)]
pub struct Search {
    /// Them, in order.
    pub hits: Vec<Hit>,
    /// For each the section of the nearest heading, where that is wanted.
    pub headings: Vec<Option<usize>>,
    /// What these are sections of.
    pub outline: Option<Outline>,
}

/// Lines of a document.
#[derive(Debug)]
pub struct Lines {
    /// Their numbers and texts without line ends.
    pub lines: Vec<(u64, Vec<u8>)>,
}

/// Looks at one document; the part limits what is shown of it.
pub fn inspect(
    document: &mut Document,
    part: &Part,
    options: &Options,
) -> Result<Inspection, Error> {
    match &options.mode {
        Mode::Structure(structure) => self::structure(document, part, structure)
            .map(|found| Inspection::Structure(Box::new(found))),
        Mode::Search(search) => {
            self::search(document, part, search).map(|found| Inspection::Search(Box::new(found)))
        }
        Mode::Lines(lines) => self::lines(document, lines).map(Inspection::Lines),
    }
}

fn structure(
    document: &mut Document,
    part: &Part,
    options: &StructureOptions,
) -> Result<Structure, Error> {
    let rereadable = document.size().is_some() && document.encoding().is_utf8();
    let wants = Wants {
        code: options.only.code,
        tables: options.only.tables,
        anchors: options.only.anchors || matches!(part, Part::Anchor(_)),
        groups: options.only.sections && options.facts,
        entries: options.entries.clone(),
        names: (rereadable && options.late_names && *part == Part::Whole).then_some(MAX_NAMES),
        ..Wants::default()
    };
    if options.tokens {
        document.keep()?;
    }
    let mut builder = OutlineBuilder::new(document.format(), wants);
    builder.expect_bytes(document.size().unwrap_or(0));
    let mut stats = TextStats::new();
    let mut checksum = options.checksum.then(Checksum::default);
    if let Some(checksum) = &mut checksum {
        checksum.push(&document.encoding().bom()[..document.bom_length()]);
    }
    let mut size = document.bom_length() as u64;
    document.blocks(|block| {
        builder.push(block);
        if options.facts {
            stats.push_bytes(block.bytes);
        }
        if let Some(checksum) = &mut checksum {
            checksum.push(block.raw);
        }
        size += block.raw.len() as u64;
        ControlFlow::Continue(())
    })?;
    let outline = builder.finish();
    let scope = scope(&outline, part, document.path())?;
    let bytes = if options.tokens { Some(section_bytes(document, &outline)?) } else { None };
    Ok(Structure {
        facts: options.facts.then(|| facts(document, &stats, size)),
        outline,
        scope,
        checksum: checksum.map(Checksum::digits),
        bytes,
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

/// The lines that an address names.
fn scope(outline: &Outline, part: &Part, path: &Path) -> Result<Option<Vec<LineRange>>, Error> {
    match part {
        Part::Whole => Ok(None),
        Part::Lines(ranges) => {
            let past = ranges.iter().find(|range| range.start() > outline.total_lines());
            match past {
                Some(range) => Err(misses::past_end(range.start(), outline.total_lines(), path)),
                None => Ok(Some(ranges.clone())),
            }
        }
        Part::Anchor(id) => match find_anchor(outline, id) {
            Ok(AnchorTarget::Section(index)) => Ok(Some(vec![outline.sections()[index].lines()])),
            Ok(AnchorTarget::Line(line)) => Ok(Some(vec![LineRange::line(line)])),
            Err(nearest) => {
                let typed = |id: &str| misses::with_anchor("inspect", path, id);
                Err(misses::anchor_miss(&typed, id, &nearest, path))
            }
        },
    }
}

/// The size of each section in bytes.
fn section_bytes(document: &mut Document, outline: &Outline) -> Result<Vec<u64>, Error> {
    // Offsets of the lines at which a section begins or ends, in one pass.
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

fn search(document: &mut Document, part: &Part, options: &SearchOptions) -> Result<Search, Error> {
    document.keep()?;
    let mut hits = line_search::all(document, &options.matcher, options.context)?;
    let needs_scope = *part != Part::Whole;
    if !needs_scope && (hits.is_empty() || !options.headings) {
        return Ok(Search { hits, headings: Vec::new(), outline: None });
    }
    document.rewind()?;
    let wants =
        Wants { anchors: needs_scope, entries: options.entries.clone(), ..Wants::default() };
    let mut builder = OutlineBuilder::new(document.format(), wants);
    document.blocks(|block| {
        builder.push(block);
        ControlFlow::Continue(())
    })?;
    let outline = builder.finish();
    if let Some(scope) = scope(&outline, part, document.path())? {
        hits.retain(|hit| scope.iter().any(|range| range.contains(hit.line)));
    }
    let places = Places::new(&outline);
    let is_heading = |section: &Section| section.level().is_some();
    let headings =
        hits.iter().map(|hit| places.innermost(&outline, hit.line, is_heading)).collect();
    Ok(Search { hits, headings, outline: Some(outline) })
}

fn lines(document: &mut Document, options: &LinesOptions) -> Result<Lines, Error> {
    document.take_whole_lines();
    let mut lines = Vec::new();
    let mut number = 0;
    let last = options.ranges.iter().map(|range| range.end()).max().unwrap_or(0);
    document.blocks(|block| {
        for line in crate::text::lines::lines_with_ends(block.bytes) {
            number += 1;
            if options.ranges.iter().any(|range| range.contains(number)) {
                lines.push((number, without_end(line).to_vec()));
            }
        }
        if number >= last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let first = options.ranges.iter().map(|range| range.start()).find(|&start| start > number);
    match first {
        Some(start) => Err(misses::past_end(start, number, document.path())),
        None => Ok(Lines { lines }),
    }
}
