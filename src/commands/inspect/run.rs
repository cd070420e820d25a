//! Runs `inspect`: processes files in parallel and prints the results in order.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::args::{InspectArgs, Mode, PartArg};
use super::depth_budget::{self, Entry, Tree};
use super::log_summary::LogSummary;
use super::report::{LinesObject, write_structure};
use super::text::{Prefix, TerminalOutline, pipe_entries, pipe_outline};
use super::{InspectOptions, StructureQuery, selected, structure};
use crate::commands::host::Host;
use crate::commands::input::piped_stdin;
use crate::commands::job::{self, Operands, Work, has_globs};
use crate::commands::matching::document::Search;
use crate::commands::matching::{self, Context, Layout, Query, lines_of_part};
use crate::commands::misses;
use crate::commands::output::{Closed, Emit, Note, Outcome, Record, Sink, Stop, Style, counted};
use crate::commands::parallel::{self, Receiver};
use crate::commands::shared_args::contradiction;
use crate::commands::stray_operands::ReadOperands;
use folio_files::address::Part;
use folio_files::document::{DocumentOptions, Passes};
use folio_files::error::{Code, Error, ExitStatus, Hint};
use folio_files::options::QUERY;
use folio_markdown::slug::Slugger;
use folio_outline::document::Document;
use folio_outline::format::Format;
use folio_outline::outline::{Limit, Outline, Section};
use folio_text::logs::LogKind;
use folio_text::pattern::PatternOptions;
use folio_text::span::{LineRange, merged, parse_line_ranges};

/// Runs `inspect`.
///
/// # Errors
///
/// Fails if options exclude each other, a pattern or range is invalid, or the run is cancelled.
pub fn run(args: InspectArgs, host: &Host, sink: &mut dyn Sink) -> Outcome {
    let env = &host.env;
    let options = &InspectOptions::new(args)?;
    options.walk.rules.check(&env.roots)?;
    let style = sink.style();
    if !options.lookup.missing.resolve {
        let (operands, documents) = (&options.addresses, &options.document);
        ReadOperands { operands, part: &[], is_read: false, documents }.refuse_stray(host)?;
    }
    let mut operands = options.addresses.clone();
    let piped = if operands.is_empty() {
        piped_stdin(Hint::command("inspect", ["."]).why("all files here"), host, sink)?
    } else {
        None
    };
    if operands.is_empty() && piped.is_some() {
        operands.push("-".into());
    } else if operands.is_empty() {
        operands = env.roots.all().into_iter().map(PathBuf::into_os_string).collect();
    }
    let host = piped.as_ref().unwrap_or(host);
    if options.lists_parts() {
        return selected::run(options, &operands, host, sink);
    }
    let (walk, resolve) = (&options.walk, options.lookup.missing.resolve);
    let mut work = Operands { walk, resolve, env }.work(&operands, sink)?;
    if options.mode == Mode::Lines {
        refuse_two_ranges(&mut work);
    }
    let several = !matches!(work[..], [Work::Named(_)]);
    let search = search_options(options);
    let task = match options.mode {
        Mode::Structure => {
            let query = StructureQuery::new(options, style);
            Task::Structure(query.in_directories(), query)
        }
        Mode::Search => Task::Search(Box::new(Query::new(&search, style, several)?)),
        Mode::Lines => {
            let ranges = parse_line_ranges(options.query.as_deref().unwrap_or_default());
            let error = |message| Error::new(Code::InvalidRange, format!("{QUERY}: {message}"));
            Task::Lines(ranges.map_err(error)?)
        }
    };
    let viewer = Viewer { task, options, host, style };
    if let Some(tokens) = options.depth_budget {
        return levels(&viewer, &work, tokens, sink);
    }
    let (records, tree, generated) = (0, 0, 0);
    let mut run =
        InspectRun { viewer: &viewer, sink, records, tree, generated, has_printed: false };
    match run.files(&work) {
        Err(Stop::Failed(error)) => Err(error),
        Ok(()) if options.mode == Mode::Search && run.records == 0 => Ok(ExitStatus::No),
        Ok(()) | Err(Stop::Closed | Stop::Enough) => Ok(ExitStatus::Done),
    }
}

/// Returns the headings and anchors of a document, for callers in this process.
///
/// # Errors
///
/// Fails if `path` is not a text document.
pub fn headings(path: &OsStr, host: &Host) -> Result<Headings, Error> {
    let document = open(path, host)?;
    let outline = document.outline()?;
    let mut slugger = Slugger::default();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let heading = |(index, section): (usize, &Section)| {
        let (level, lines) = (section.level()?, section.lines());
        let anchor = slugger.next(&text(&outline.anchor_text(index)));
        Some(Heading { level, text: text(&outline.text(index)), lines, anchor })
    };
    let headings = outline.sections().iter().enumerate().filter_map(heading).collect();
    let anchors = outline.anchors().iter().map(|anchor| (anchor.id.clone(), anchor.line)).collect();
    let (format, total_lines) = (outline.format(), outline.total_lines());
    Ok(Headings { headings, anchors, format, total_lines })
}

/// Returns the paths and lines of the first `count` top-level entries of a document of keys, for
/// callers in this process.
///
/// # Errors
///
/// Fails if `path` is not a text document.
pub fn keys(path: &OsStr, host: &Host, count: usize) -> Result<Vec<(String, LineRange)>, Error> {
    let document = open(path, host)?;
    let outline = document.outline()?;
    let entry = |tree: &folio_keys::Tree, index| (tree.path(index), tree.lines(index));
    let entries = |tree: &folio_keys::Tree| {
        tree.children(folio_keys::Tree::ROOT).take(count).map(|index| entry(tree, index)).collect()
    };
    Ok(outline.tree().map(entries).unwrap_or_default())
}

fn open(path: &OsStr, host: &Host) -> Result<Document, Error> {
    let options = InspectOptions::new(InspectArgs::default())?;
    job::open(path.as_ref(), &options.document, host)
}

/// The headings and anchors of a document.
pub struct Headings {
    /// The headings, in order.
    pub headings: Vec<Heading>,
    /// The IDs of explicit anchors and their lines.
    pub anchors: Vec<(String, u64)>,
    /// The format of the document.
    pub format: Format,
    /// The number of lines of the document.
    pub total_lines: u64,
}

/// A heading.
pub struct Heading {
    /// The level of the heading.
    pub level: u8,
    /// The rendered text of the heading.
    pub text: String,
    /// The lines of the section.
    pub lines: LineRange,
    /// The GitHub anchor of the heading.
    pub anchor: String,
}

/// Prints as many levels of the outlines of all files as fit into `tokens`.
fn levels(viewer: &Viewer<'_>, work: &[Work], tokens: u64, sink: &mut dyn Sink) -> Outcome {
    let mut tree = Tree::default();
    let mut rest = work.iter();
    let add_entry = |buffer: &mut Vec<u8>, work: &Work, answers: &mut Vec<_>| {
        answers.push(viewer.entry(work, buffer));
    };
    parallel::in_order(work, viewer.host, Vec::new, add_entry, |answers| {
        for (answer, work) in answers.into_iter().zip(rest.by_ref()) {
            match (answer, work) {
                (Err(error), _) if error.code == Code::Cancelled => return Err(error),
                (Err(error), _) => sink.error(&error),
                (_, Work::EndOfTree(root, _)) => tree.end_directory(root),
                (Ok(Some(entry)), Work::Walked(path)) => tree.add(entry, Some(path)),
                (Ok(Some(entry)), _) => tree.add(entry, None),
                (Ok(None), _) => {}
            }
        }
        Ok(())
    })?;
    if tree.is_empty() {
        let directory = work.iter().find_map(|work| match work {
            Work::EndOfTree(directory, _) => Some(directory),
            _ => None,
        });
        let note = |path: &PathBuf| Note::at(path, "no text files");
        directory.into_iter().for_each(|path| sink.note(note(path)));
        return Ok(ExitStatus::Done);
    }
    // A closed output is not an error.
    let _: Result<(), Closed> = depth_budget::print(&tree, tokens, viewer.options, sink);
    Ok(ExitStatus::Done)
}

/// Fails if an address contains lines. With `--mode lines`, `--query` selects the lines.
fn refuse_two_ranges(work: &mut [Work]) {
    for work in work {
        if matches!(work, Work::Named(address) if address.part != Part::Whole) {
            let error = contradiction("the address", QUERY);
            *work = Work::Failed(
                error.hint(format!("remove the lines from the address, or remove {QUERY}")),
            );
        }
    }
}

/// Returns the search options that are equivalent to `--mode search`.
fn search_options(options: &InspectOptions) -> matching::SearchOptions {
    let query = options.query.clone().unwrap_or_default();
    let context = options.context.unwrap_or(0);
    matching::SearchOptions {
        patterns: vec![query.clone()],
        pattern: PatternOptions { fixed: !options.regex, ..options.patterns.options() },
        text: options.document.binary,
        document: options.document.clone(),
        context: Context { before: context, after: context },
        section_patterns: options.section_pattern.clone(),
        layout: Layout::Object(query),
        null: options.null,
        ..matching::SearchOptions::default()
    }
}

/// The operation to perform on each file.
enum Task<'a> {
    /// The query for files in directories, and the query for operands.
    Structure(StructureQuery<'a>, StructureQuery<'a>),
    Search(Box<Query<'a>>),
    Lines(Vec<LineRange>),
}

/// The result for a file.
#[derive(Default)]
struct Viewed {
    records: u64,
    /// The note to print if the file has no records.
    note: String,
    /// What is missing in the outline of source code.
    gap: Option<String>,
    /// Whether the file is left out because a program wrote it.
    is_generated: bool,
    /// The summary of a log whose entries were printed in a pipe.
    summary: Option<String>,
}

/// What one thread reuses for each file: a buffer, and the search.
type Worker<'a> = (Vec<u8>, Option<Search<'a>>);

/// Processes files. Several threads may share a viewer.
struct Viewer<'a> {
    task: Task<'a>,
    options: &'a InspectOptions,
    host: &'a Host,
    style: Style,
}

impl Viewer<'_> {
    /// Writes the output for a file.
    fn file<'v>(
        &'v self,
        work: &Work,
        (buffer, search): &mut Worker<'v>,
        emit: &mut Emit<'_>,
    ) -> Result<Viewed, Stop> {
        let Some((document, part)) = self.opened(work, buffer)? else {
            return Ok(Viewed::default());
        };
        let is_named = matches!(work, Work::Named(_));
        let viewed = match &self.task {
            Task::Structure(..) if !is_named && document.is_generated() => {
                Viewed { is_generated: true, ..Viewed::default() }
            }
            Task::Structure(..)
                if self.options.conditions.public && !document.format().is_code() =>
            {
                Viewed {
                    note: "no public symbols: it is no source code".to_owned(),
                    ..Viewed::default()
                }
            }
            // Without symbols, there is nothing to show, and nothing to parse.
            Task::Structure(query, _)
                if !is_named
                    && !self.style.json
                    && document.format().is_code()
                    && !query.shows(PartArg::Sections) =>
            {
                Viewed::default()
            }
            Task::Structure(query, named) => {
                let walked = query.for_walked(document.format());
                let query = if is_named { named } else { &*walked };
                self.structure(&document, part, query, is_named, emit)?
            }
            Task::Search(query) => {
                let lines = match part {
                    Part::Whole => None,
                    Part::Anchor(_) => lines_of_part(document.outline()?, part, document.path())?,
                    _ => lines_of_part(document.sections()?, part, document.path())?,
                };
                let search = search.get_or_insert_with(|| Search::new(query));
                search.only_lines(lines.map(|lines| merged(lines, 0)));
                let found = search.print(&document, true, None, emit)?;
                let verb = if self.options.regex { "matches" } else { "contains" };
                let text = self.options.query.as_deref().unwrap_or_default();
                let note = format!("no line {verb} '{text}'");
                Viewed { records: found.hits, note, ..Viewed::default() }
            }
            Task::Lines(ranges) => {
                let found = LinesObject::new(&document, self.options, ranges)?;
                let mut out = Vec::new();
                found.write(self.style, &mut out);
                emit(&out)?;
                // A range past the end is an error, so there is at least one line.
                Viewed { records: found.lines.len() as u64, ..Viewed::default() }
            }
        };
        *buffer = document.into_buffer();
        Ok(viewed)
    }

    /// Returns the output for a file with all levels of its outline.
    fn entry(&self, work: &Work, buffer: &mut Vec<u8>) -> Result<Option<Entry>, Error> {
        let Task::Structure(query, _) = &self.task else { return Ok(None) };
        let Some((document, part)) = self.opened(work, buffer)? else { return Ok(None) };
        let walked = query.for_walked(document.format());
        let query = if matches!(work, Work::Walked(_)) { &*walked } else { query };
        let entry = depth_budget::entry(&document, part, query, self.style)?;
        *buffer = document.into_buffer();
        Ok(Some(entry))
    }

    /// Opens a document, and returns it with the part to show. `buffer` may be used for the
    /// content.
    fn opened<'w>(
        &self,
        work: &'w Work,
        buffer: &mut Vec<u8>,
    ) -> Result<Option<(Document, &'w Part)>, Error> {
        let is_whole = !matches!(work, Work::Named(address) if address.part != Part::Whole);
        let passes = if is_whole { self.passes() } else { Passes::Several };
        let load = &DocumentOptions { passes, ..self.options.document.clone() };
        work.open(load, self.host, buffer)
    }

    /// Returns how often the document of a whole file is read.
    fn passes(&self) -> Passes {
        let options = self.options;
        match &self.task {
            Task::Structure(_, query) if query.facts || options.checksum || options.tokens => {
                Passes::Several
            }
            Task::Search(query) => query.load(false).passes,
            Task::Structure(..) | Task::Lines(..) => Passes::One,
        }
    }

    fn structure(
        &self,
        document: &Document,
        part: &Part,
        query: &StructureQuery<'_>,
        is_named: bool,
        emit: &mut Emit<'_>,
    ) -> Result<Viewed, Stop> {
        let path = document.path();
        let format = document.format();
        let has_patterns = !self.options.document.entries.is_empty();
        let kind = if has_patterns { LogKind::Marked } else { format.log_kind() };
        let has_entries = *part == Part::Whole && matches!(format, Format::Log(_) | Format::Text);
        let mut summary = has_entries.then(|| LogSummary::new(kind, path, &self.host.env));
        let is_pipe = !self.style.json && (!self.style.terminal || self.options.null);
        if *part == Part::Whole && is_pipe && query.is_of_entries(format) {
            let prefix = Prefix::new(path, self.style, self.options.null);
            let (records, lines) = pipe_entries(document, query, &prefix, summary.as_mut(), emit)?;
            let note = no_sections(format, lines, summary.as_ref());
            // The summary is printed only for a file that the user named.
            let printed = summary.filter(|log| is_named && log.has_times());
            let summary = printed.map(|log| log.note(document)).transpose()?;
            return Ok(Viewed { records, note, summary, ..Viewed::default() });
        }
        let mut found = structure(document, part, query)?;
        if let Some(summary) = &mut summary {
            summary.add(found.outline);
        }
        let note = no_sections(format, found.outline.total_lines(), summary.as_ref());
        found.log = summary.filter(LogSummary::has_times);
        let is_tree = format.is_tree();
        if let Some(mistake) = found.outline.mistake().filter(|_| is_tree) {
            return Err(misses::unparsed(mistake, document.format().title(), path).into());
        }
        let records = if self.style.json {
            write_structure(&found, path, query, emit)?;
            1
        } else if self.style.terminal && !self.options.null {
            let style = self.style;
            TerminalOutline { structure: &found, path, query, style }.print(is_named, emit)?
        } else {
            let prefix = Prefix::new(path, self.style, self.options.null);
            pipe_outline(&found, query, &prefix, emit)?
        };
        Ok(Viewed { records, note, gap: gap(found.outline), ..Viewed::default() })
    }
}

/// Says which symbols of source code may be missing in an outline.
fn gap(outline: &Outline) -> Option<String> {
    let title = outline.format().title();
    match (outline.unparsed(), outline.syntax_errors()) {
        (Some(Limit::Size), _) => Some("larger than 8 MiB: its symbols are not listed".to_owned()),
        (Some(Limit::Time), _) => Some("parsing took over a second: no symbols".to_owned()),
        (None, []) => None,
        (None, [first, more @ ..]) => {
            let line = first.start();
            let more = match more.len() {
                0 => String::new(),
                count => format!(" and {}", counted(count as u64, "other place")),
            };
            Some(format!("line {line}{more}: not valid {title}, so symbols may be missing"))
        }
    }
}

/// Says that nothing is shown of a file.
fn no_sections(format: Format, lines: u64, log: Option<&LogSummary>) -> String {
    let name = format.name();
    let parts = match log {
        _ if format.is_tree() => "no keys",
        // The entries of a log are not headings.
        Some(log) if log.entries() > 0 => return format!("no headings ({name}, {})", log.text()),
        Some(log) if log.kind() == LogKind::Undecided && lines > 0 => {
            "no line begins with a time that folio recognizes"
        }
        _ => "no headings or sections",
    };
    format!("{parts} ({name}, {})", counted(lines, "line"))
}

struct InspectRun<'a> {
    viewer: &'a Viewer<'a>,
    sink: &'a mut dyn Sink,
    records: u64,
    /// Number of records before the current directory.
    tree: u64,
    /// Number of generated files of the current directory, which are left out.
    generated: u64,
    /// Whether anything has been printed. If so, a separator precedes the next file on a terminal.
    has_printed: bool,
}

impl<'a> InspectRun<'a> {
    fn files(&mut self, work: &[Work]) -> Result<(), Stop> {
        let viewer = self.viewer;
        let print_file = |worker: &mut Worker<'a>, work: &Work, _, emit: &mut Emit<'_>| {
            viewer.file(work, worker, emit)
        };
        parallel::print(work, viewer.host, Worker::default, print_file, self)
    }

    fn end_tree(&mut self, directory: &Path, files: u64) {
        let before = std::mem::replace(&mut self.tree, self.records);
        let generated = std::mem::take(&mut self.generated);
        if generated > 0 {
            let message = format!("left out {}", counted(generated, "generated file"));
            self.sink.note(Note::at(directory, message));
        }
        // Whether a note has reported that no file matches the globs.
        let is_told = files == 0 && has_globs(&self.viewer.options.walk.rules);
        if self.records > before || self.viewer.style.json || is_told {
            return;
        }
        let counted = counted(files, "text file");
        self.sink.note(Note::at(
            directory,
            match self.viewer.options.mode {
                _ if files == 0 => "no text files".to_owned(),
                Mode::Search => format!("no match in {counted}"),
                Mode::Structure if self.viewer.options.conditions.public => {
                    format!("no public symbols in {counted}")
                }
                Mode::Structure => format!("no headings or sections in {counted}"),
                Mode::Lines => format!("no such lines in {counted}"),
            },
        ));
    }
}

impl Receiver<Work, Viewed> for InspectRun<'_> {
    fn is_deferred(work: &Work) -> bool {
        matches!(work, Work::Named(address) if address.is_stdin())
    }

    /// Prints an empty line between two files on a terminal, or the path above grouped results.
    fn write(&mut self, work: &Work, is_first: bool, text: &[u8]) -> Result<(), Closed> {
        let had_printed = std::mem::replace(&mut self.has_printed, true);
        let style = self.viewer.style;
        match work.path() {
            Some(path) if is_first && style.grouped => self.sink.file(path)?,
            _ if is_first && had_printed && style.terminal => self.sink.write(b"\n")?,
            _ => {}
        }
        self.sink.write(text)
    }

    fn take(&mut self, work: &Work, viewed: Viewed) -> Result<(), Stop> {
        self.records += viewed.records;
        if let Some(path) = work.path() {
            self.sink.counted(path, viewed.records);
        }
        match work {
            Work::EndOfTree(directory, files) => self.end_tree(directory, *files),
            Work::Named(address) => {
                self.tree = self.records;
                let viewer = self.viewer;
                let is_one_of_many = matches!(&viewer.task, Task::Search(query) if query.several);
                if let Some(gap) = viewed.gap {
                    self.sink.note(Note::at(&address.path, gap));
                } else if viewed.records == 0 && !viewer.style.json && !is_one_of_many {
                    self.sink.note(Note::at(&address.path, viewed.note));
                } else if let Some(summary) = viewed.summary {
                    self.sink.note(Note::at(&address.path, format!("log, {summary}")));
                }
            }
            Work::Walked(_) => self.generated += u64::from(viewed.is_generated),
            Work::Failed(_) => {}
        }
        Ok(())
    }

    fn error(&mut self, error: Error) -> Result<(), Stop> {
        if error.code == Code::Cancelled {
            return Err(Stop::Failed(error));
        }
        self.sink.error(&error);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::output::Collected;

    #[test]
    fn a_cancelled_run_reads_no_file() {
        let directory = tempfile::tempdir().expect("a directory");
        for name in ["a.md", "b.md"] {
            std::fs::write(directory.path().join(name), "# x\n").expect("written");
        }
        let host = Host::new(directory.path()).expect("a host");
        let view = |mode, address: &str| {
            let query = (mode == Mode::Search).then(|| "x".to_owned());
            let addresses = vec![address.into()];
            let args = InspectArgs { addresses, mode, query, ..InspectArgs::default() };
            let mut sink = Collected::text();
            let ended = run(args, &host, &mut sink).map_err(|error| error.code);
            (ended, sink.written, sink.errors)
        };
        let all = b"a.md:1:# x\nb.md:1:# x\n".to_vec();
        for mode in [Mode::Structure, Mode::Search] {
            assert_eq!(view(mode, "."), (Ok(ExitStatus::Done), all.clone(), Vec::new()));
        }
        host.env.cancel.set();
        for (mode, address) in [(Mode::Structure, "."), (Mode::Search, "."), (Mode::Search, "a.md")]
        {
            assert_eq!(view(mode, address), (Err(Code::Cancelled), Vec::new(), Vec::new()));
        }
    }
}
