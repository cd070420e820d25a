//! `inspect`: prints the structure of documents, matches in them, or some of their lines.
//!
//! The structure never contains body text.

pub mod args;
mod depth_budget;
mod log_summary;
pub mod report;
pub mod run;
mod selected;
mod text;
mod wire;

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::ops::{ControlFlow, Deref};

use self::args::{InspectArgs, PartArg};
use self::log_summary::LogSummary;

use crate::commands::conditions::{Conditions, PartKind};
use crate::commands::host::Host;
use crate::commands::json::Checksum;
use crate::commands::matching::lines_of_part;
use crate::commands::output::{Outcome, Sink, Style};
use crate::commands::request::{Request, Schema};
use crate::commands::shared_args::{empty_flag, section_patterns};
use crate::commands::{matching, schema};
use folio_files::address::Part;
use folio_files::document::DocumentOptions;
use folio_files::error::Error;
use folio_files::listing::WalkOptions;
use folio_files::options::QUERY;
use folio_keys::Tree;
use folio_outline::document::Document;
use folio_outline::format::{Feature, Format};
use folio_outline::outline::{Outline, Section};
use folio_text::lines::without_end;
use folio_text::span::{LineRange, merged};
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
        schema::record::<wire::LevelSummary>,
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

/// The options of `inspect`, converted from its arguments.
#[derive(Debug)]
pub struct InspectOptions {
    args: InspectArgs,
    /// Conditions on parts. If there are any, `inspect` lists the parts that meet them.
    conditions: Conditions,
    /// Options for walking directories.
    walk: WalkOptions,
    /// Options for reading documents.
    document: DocumentOptions,
}

impl Deref for InspectOptions {
    type Target = InspectArgs;

    fn deref(&self) -> &InspectArgs {
        &self.args
    }
}

impl InspectOptions {
    /// Converts arguments to options. Fails if a value is invalid. Does not open files.
    fn new(args: InspectArgs) -> Result<Self, Error> {
        let conditions = args.conditions()?;
        let entries = section_patterns(&args.section_pattern)?;
        let (walk, document) = (args.walk(), args.documents.options());
        let document = DocumentOptions { entries, ..document };
        document.check()?;
        if conditions.is_given() {
            conditions.check()?;
        }
        if args.query.as_deref() == Some("") {
            return Err(empty_flag(QUERY));
        }
        Ok(Self { args, conditions, walk, document })
    }

    /// Whether parts are listed instead of outlines. Alone, `--public` applies to outlines.
    fn lists_parts(&self) -> bool {
        let others = Conditions { public: false, ..self.conditions.clone() };
        let selects_files = self.files_with_matches || self.count;
        others.is_given() || self.conditions.public && selects_files
    }

    /// Whether only the number of selected files is printed as text.
    fn counts_files(&self) -> bool {
        self.count && self.conditions.kinds() == [PartKind::File]
    }
}

/// The parts of a structure to show.
#[derive(Clone, Debug)]
struct StructureQuery<'a> {
    options: &'a InspectOptions,
    only: Vec<PartArg>,
    max_level: u8,
    /// Whether to show properties of the whole file, such as its line endings.
    facts: bool,
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

    /// Returns the query for a file found in a directory. The entries of a log with times, of which
    /// there may be many, are shown only on request.
    fn for_walked(&self, format: Format) -> Cow<'_, Self> {
        let has_patterns = !self.options.document.entries.is_empty();
        let is_asked = has_patterns || self.options.only.contains(&PartArg::Sections);
        if is_asked || !format.log_kind().is_timed() {
            return Cow::Borrowed(self);
        }
        let mut query = self.clone();
        query.only.retain(|part| *part != PartArg::Sections);
        Cow::Owned(query)
    }

    /// Whether a kind of parts is shown.
    fn shows(&self, part: PartArg) -> bool {
        self.only.contains(&part)
    }

    /// Whether only entries are shown, so that each can be printed as soon as it ends.
    fn is_of_entries(&self, format: Format) -> bool {
        let shows_keys = format.is_tree() && self.shows(PartArg::Keys);
        let has_others = !format.has_only_entries() || shows_keys;
        let options = self.options;
        let needs_whole = options.anchors || options.breadcrumbs;
        !(needs_whole || options.checksum || options.tokens || has_others)
    }

    fn new(options: &'a InspectOptions, style: Style) -> Self {
        let is_shown = style.json || style.terminal;
        Self {
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
            facts: is_shown,
            sources: style.json && options.depth_budget.is_none(),
        }
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
pub struct Structure<'d> {
    /// The outline. It contains at least the parts that are shown.
    pub outline: &'d Outline,
    /// The requested lines.
    pub scope: Option<Vec<LineRange>>,
    /// Properties of the file, if requested.
    pub facts: Option<Facts>,
    /// The checksum of the file, if requested.
    pub checksum: Option<String>,
    /// The summary of a log whose entries begin with times.
    pub log: Option<LogSummary>,
    /// The size of each section in bytes, if requested.
    pub bytes: Option<Vec<u64>>,
    /// Whether only public symbols are shown.
    pub only_public: bool,
    /// The source lines of headings that the outline does not know, by their numbers, if source
    /// lines are requested.
    sources: Option<HashMap<u64, Vec<u8>>>,
}

impl Structure<'_> {
    /// Returns the name of a section as text output shows it.
    pub fn text(&self, index: usize) -> Cow<'_, [u8]> {
        self.outline.shown(&self.outline.sections()[index], self.outline.name(index))
    }

    /// Returns the source line of a heading, if requested.
    pub fn source(&self, index: usize) -> Option<Vec<u8>> {
        let others = self.sources.as_ref()?;
        let line = self.outline.sections()[index].lines().start();
        if self.outline.format().dialect().is_none() {
            // The first line of a heading may be a label.
            return Some(self.outline.name(index).to_vec());
        }
        self.outline.canonical_line(index).or_else(|| others.get(&line).cloned())
    }

    /// Whether a line is one of the requested lines.
    pub fn holds(&self, line: u64) -> bool {
        let within = |scope: &Vec<LineRange>| scope.iter().any(|range| range.contains(line));
        self.scope.as_ref().is_none_or(within)
    }

    /// Returns the tree of keys whose entries are shown. The keys of INI are shown with their
    /// sections.
    fn tree(&self, query: &StructureQuery<'_>) -> Option<&Tree> {
        let is_tree = self.outline.format().is_tree();
        self.outline.tree().filter(|_| is_tree && query.shows(PartArg::Keys))
    }

    /// Returns the requested entries of a tree of keys, except the root.
    fn entries<'a>(
        &'a self,
        query: &'a StructureQuery<'_>,
    ) -> impl Iterator<Item = (&'a Tree, usize)> {
        let tree = self.tree(query);
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
    pub fn leading_keys(&self) -> impl Iterator<Item = (&str, LineRange)> {
        let tree = self.outline.tree().filter(|_| !self.outline.format().is_tree());
        let keys = tree.map_or(0..0, |_| self.outline.keys_of(None));
        let keys = keys.filter_map(move |key| Some((tree?.name(key)?, tree?.lines(key))));
        keys.filter(|(_, lines)| self.holds(lines.start()))
    }

    /// Returns the names of the keys of a section.
    pub fn section_keys(&self, section: usize) -> impl Iterator<Item = &str> {
        let keys = self.outline.keys_of(Some(section));
        keys.filter_map(|key| self.outline.tree()?.name(key))
    }

    /// Returns the requested sections with their indexes.
    pub fn sections(&self) -> impl Iterator<Item = (usize, &Section)> {
        let sections = self.outline.sections().iter().enumerate();
        let is_public = |index| {
            !self.only_public || self.outline.symbol(index).is_none_or(|symbol| symbol.is_public)
        };
        let is_shown = move |(index, section): &(usize, &Section)| {
            self.holds(section.lines().start()) && is_public(*index)
        };
        sections.filter(is_shown)
    }
}

/// Returns the outline that contains the parts which the query shows.
fn outline<'d>(
    document: &'d Document,
    part: &Part,
    query: &StructureQuery<'_>,
) -> io::Result<&'d Outline> {
    let format = document.format();
    let shows_others = if format.has(Feature::Anchors) {
        let shows_keys = query.shows(PartArg::Sections) && format.syntax().is_some();
        query.shows(PartArg::Anchors) || query.shows(PartArg::Code) || shows_keys
    } else if format.is_tree() {
        query.shows(PartArg::Keys)
    } else {
        // The sections of INI are shown with their keys.
        query.shows(PartArg::Sections) && (query.facts || format.syntax().is_some())
    };
    if query.shows(PartArg::Tables) {
        document.outline_with_tables()
    } else if shows_others || matches!(part, Part::Anchor(_)) {
        document.outline()
    } else {
        document.sections()
    }
}

fn structure<'d>(
    document: &'d Document,
    part: &Part,
    query: &StructureQuery<'_>,
) -> Result<Structure<'d>, Error> {
    let options = query.options;
    let outline = outline(document, part, query)?;
    let scope = lines_of_part(outline, part, document.path())?;
    let (facts, checksum) =
        if query.facts || options.checksum { facts(document, query)? } else { (None, None) };
    let bytes = options.tokens.then(|| section_bytes(document, outline)).transpose()?;
    let sources = query.sources && query.shows(PartArg::Headings);
    let sources = sources.then(|| source_lines(document, outline)).transpose()?;
    let only_public = options.conditions.public;
    Ok(Structure { outline, scope, facts, checksum, log: None, bytes, sources, only_public })
}

/// Determines the properties and the checksum of a file.
fn facts(
    document: &Document,
    query: &StructureQuery<'_>,
) -> io::Result<(Option<Facts>, Option<String>)> {
    let (encoding, bom) = (document.encoding(), document.bom_length());
    let mut stats = TextStats::default();
    let mut checksum = query.options.checksum.then(Checksum::default);
    if let Some(checksum) = &mut checksum {
        checksum.push(&encoding.bom()[..bom]);
    }
    let mut size = bom as u64;
    let mut blocks = document.blocks();
    while let Some(block) = blocks.next()? {
        if query.facts {
            stats.push_bytes(block.bytes);
        }
        if let Some(checksum) = &mut checksum {
            checksum.push(block.raw);
        }
        size += block.raw.len() as u64;
    }
    let is_valid = stats.is_utf8() || !encoding.is_utf8();
    let encoding = if is_valid { encoding.name() } else { "unknown-8bit".to_owned() };
    let (line_ending, final_newline) = (stats.line_ending(), stats.final_newline());
    let facts = query.facts.then_some(Facts { size, encoding, line_ending, final_newline });
    Ok((facts, checksum.map(Checksum::digits)))
}

/// Returns the first lines of the headings that the outline does not know, without line endings, by
/// their numbers.
fn source_lines(document: &Document, outline: &Outline) -> io::Result<HashMap<u64, Vec<u8>>> {
    let is_unknown = |(index, section): &(usize, &Section)| {
        section.level().is_some() && outline.canonical_line(*index).is_none()
    };
    let unknown = outline.sections().iter().enumerate().filter(is_unknown);
    // Several nested sections may begin on the same line.
    let lines = unknown.map(|(_, section)| LineRange::line(section.lines().start())).collect();
    let mut sources: HashMap<u64, Vec<u8>> = HashMap::new();
    document.lines(&merged(lines, 0), |_, number, text| {
        sources.entry(number).or_default().extend_from_slice(text);
        ControlFlow::Continue(())
    })?;
    sources.values_mut().for_each(|line| line.truncate(without_end(line).len()));
    Ok(sources)
}

/// Returns the size of each section in bytes.
fn section_bytes(document: &Document, outline: &Outline) -> io::Result<Vec<u64>> {
    // The offsets of lines at which sections begin or end, computed in one pass.
    let mut edges: Vec<u64> = outline
        .sections()
        .iter()
        .flat_map(|section| [section.lines().start(), section.lines().end() + 1])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let mut offsets = Vec::with_capacity(edges.len());
    let encoding = document.encoding();
    let mut line = 1;
    let mut end = 0;
    let mut blocks = document.blocks().raw();
    while let Some(block) = blocks.next()? {
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
    }
    offsets.resize(edges.len(), end);
    let offset = |line: u64| edges.binary_search(&line).map_or(end, |at| offsets[at]);
    Ok(outline
        .sections()
        .iter()
        .map(|section| offset(section.lines().end() + 1) - offset(section.lines().start()))
        .collect())
}
