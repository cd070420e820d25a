//! Runs `grep`: searches files in parallel and prints the results in order.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use super::GrepOptions;
use super::args::GrepArgs;
use super::file_args::SortArg;
use super::report::{Summary, SummaryObject};
use super::selected;
use crate::commands::conditions::Conditions;
use crate::commands::host::Host;
use crate::commands::input::{await_stdin, keep_stdin, whole_input};
use crate::commands::job::{self, Operands};
use crate::commands::json;
use crate::commands::matching::document::Search;
use crate::commands::matching::wire::File;
use crate::commands::matching::{self, DocumentMatches, Hit, Mode, Query};
use crate::commands::missing_files;
use crate::commands::output::{Closed, Collected, Emit, Note, Outcome, Sink, Stop};
use crate::commands::parallel::{self, Receiver};
use crate::commands::shared_args::contradiction;
use folio_files::address::{Address, Part};
use folio_files::document::{self, DocumentOptions};
use folio_files::env::Env;
use folio_files::error::{Argument, Change, Code, Error, ExitStatus, Hint};
use folio_files::options::{IN, JSON, PATHS, PATTERN_OPERAND, REPLACE, SECTION};
use folio_files::roots::{Roots, Status};
use folio_files::walk;
use folio_outline::document::Document;
use folio_text::span::{LineRange, merged};

/// Runs `grep`.
///
/// # Errors
///
/// Fails if options exclude each other, a pattern is invalid, or the run is cancelled.
pub fn run(args: GrepArgs, host: &Host, sink: &mut dyn Sink) -> Outcome {
    let env = &host.env;
    let options = &GrepOptions::new(args)?;
    if options.files.type_list {
        let line = |(name, globs): (String, Vec<String>)| format!("{name}: {}\n", globs.join(", "));
        let types = walk::file_types(&options.walk.rules)?;
        let lines: String = types.into_iter().map(line).collect();
        let _ = sink.write(lines.as_bytes());
        return Ok(ExitStatus::Done);
    }
    let in_tool = sink.style().tools;
    options.check(&|path| !in_tool && env.roots.exists(path))?;
    options.walk.rules.check(&env.roots)?;
    refuse_swapped(options, env)?;
    replacement(options, env, sink)?;
    let started = Instant::now();
    let kept = options.selects_in_stdin().then(|| keep_stdin(host)).transpose()?;
    let host = kept.as_ref().unwrap_or(host);
    let search = with_pattern_files(options, host)?;
    let is_implied = options.paths.is_empty();
    let operands = operands(options, host);
    // If the kind is unknown, printing the file name is harmless.
    let may_be_directory = |operand: &OsString| {
        let is_directory = |found: Option<Status>| found.is_some_and(|status| status.kind.is_dir());
        operand != "-" && env.roots.look(Path::new(operand)).map_or(true, is_directory)
    };
    let several = operands.len() > 1 || operands.iter().any(may_be_directory);
    let query = Query::new(&search, sink.style(), several)?;
    let threads = options.files.threads.filter(|&count| count > 0).or(env.threads);
    let work = if options.conditions.is_given() {
        selected_work(options, &operands, host, sink)?
    } else {
        work(options, &operands, env, sink)?
    };
    let host = &Host { env: Env { threads, ..env.clone() }, ..host.clone() };
    let mut run = GrepRun::new(&query, host, sink);
    (run.no_messages, run.is_implied) = (options.no_messages, is_implied);
    run.conditions = options.conditions.is_given().then_some(&options.conditions);
    // Only words of a command line lack quotes.
    run.quoted = quoted_pattern(options, env).filter(|_| !query.style.tools);
    let done = if options.files.files { run.names(&work) } else { run.files(&work) };
    match done {
        Err(Stop::Closed) => return Ok(ExitStatus::Done),
        Err(Stop::Failed(error)) => return Err(error),
        Ok(()) | Err(Stop::Enough) => {}
    }
    let status = run.finish(started, options.files.files);
    let is_missed = is_implied && operands.len() == 1 && status == ExitStatus::No;
    if is_missed && !query.options.mode.is_quiet() && !query.style.json {
        note_mistaken(&options.search.patterns, env, sink);
    }
    Ok(status)
}

/// Fails if the pattern is the name of a file, and the only path is none: their order is wrong.
fn refuse_swapped(options: &GrepOptions, env: &Env) -> Result<(), Error> {
    let ([pattern], [path]) = (&options.search.patterns[..], &options.paths[..]) else {
        return Ok(());
    };
    let path = path.as_os_str();
    // A word may well be the name of a directory, and what follows it a misspelled file.
    let is_file = env.roots.is_file(Path::new(pattern));
    let is_directory = is_word(path) && env.roots.is_directory(Path::new(pattern));
    let is_swapped = options.regexp.is_empty()
        && path != "-"
        && (is_file || is_directory)
        && !Address::parse(path, |path| env.roots.exists(path))
            .is_ok_and(|address| env.roots.exists(&address.path));
    if !is_swapped {
        return Ok(());
    }
    let swapped = [Change::set(PATTERN_OPERAND, path), Change::set(PATHS, Path::new(pattern))];
    let what = if is_file { "a file" } else { "a directory" };
    let message =
        format!("'{}' does not exist, but the pattern '{pattern}' is {what}", path.display());
    Err(Error::usage(message).hint(Hint::again(swapped).why("the pattern comes first")))
}

/// Returns the call with one pattern that consists of the pattern and the words after it, if these
/// are no files.
fn quoted_pattern(options: &GrepOptions, env: &Env) -> Option<Hint> {
    let [pattern] = &options.search.patterns[..] else { return None };
    let is_stray = |path: &&PathBuf| is_word(path.as_os_str()) && !env.roots.exists(path);
    let count = options.paths.iter().take_while(is_stray).count();
    if count == 0 || !options.regexp.is_empty() {
        return None;
    }
    let (words, paths) = options.paths.split_at(count);
    let mut joined = OsString::from(pattern);
    words.iter().for_each(|word| joined.extend([OsStr::new(" "), word.as_os_str()]));
    let quoted = [
        Change::set(PATTERN_OPERAND, joined),
        Change::Set(PATHS, paths.iter().map(|path| path.argument()).collect()),
    ];
    Some(Hint::again(quoted).why("quote a pattern that contains spaces"))
}

/// Whether an operand is a word that is hardly a path.
fn is_word(operand: &OsStr) -> bool {
    operand.to_str().is_some_and(|text| !text.contains(['/', '.']))
}

/// Prints a note if the operand that was used as the pattern is also the name of a file.
fn note_mistaken(patterns: &[String], env: &Env, sink: &mut dyn Sink) {
    if let [pattern] = patterns
        && env.roots.is_file(Path::new(pattern))
    {
        let file = [Change::set(PATTERN_OPERAND, "PATTERN"), Change::set(PATHS, pattern)];
        let hint = Hint::again(file).why("to search that file");
        sink.note(Note::new(format!("'{pattern}' was used as the pattern")).hint(hint));
    }
}

/// Returns the paths to search, or the default paths.
pub(super) fn operands(options: &GrepOptions, host: &Host) -> Vec<OsString> {
    let selects = options.conditions.is_given();
    let reads_stdin = || options.file.iter().any(|file| file.as_os_str() == "-");
    if !options.paths.is_empty() {
        options.paths.iter().map(|path| path.as_os_str().to_owned()).collect()
    } else if host.stdin_is_data() && !reads_stdin() && !options.files.files && !selects {
        vec!["-".into()]
    } else {
        host.env.roots.all().into_iter().map(PathBuf::into_os_string).collect()
    }
}

/// Explains `-r` if the user probably meant the option of GNU grep.
///
/// # Errors
///
/// Fails if this is certain, or if `-r` is used with JSON output.
fn replacement(options: &GrepOptions, env: &Env, sink: &mut dyn Sink) -> Result<(), Error> {
    let replacement = &options.search.format.replacement;
    let why = "directories are searched without -r";
    let pattern = match (replacement, &options.search.patterns[..]) {
        (Some(text), [pattern]) => Some((text, pattern)),
        _ => None,
    };
    if let Some((text, pattern)) = pattern
        && options.paths.is_empty()
        && env.roots.is_directory(Path::new(pattern))
    {
        let message = format!("-r replaces matches with '{text}', and the pattern '{pattern}'");
        let all = Hint::with_value(PATHS, ".").why("for that pattern");
        let searched = [
            Change::remove(REPLACE),
            Change::set(PATTERN_OPERAND, text),
            Change::set(PATHS, pattern),
        ];
        let searched = if text.starts_with('-') {
            Hint::command("grep", [text, pattern])
        } else {
            Hint::again(searched)
        };
        return Err(Error::usage(format!("{message} is a directory"))
            .hint(searched.why(why))
            .hint(all));
    }
    if replacement.is_some() && sink.style().json {
        return Err(contradiction(REPLACE, JSON));
    }
    let is_cluster = |text: &String| {
        let flags = text.strip_prefix('-').unwrap_or(text);
        (1..4).contains(&flags.len()) && flags.chars().all(|flag| "ceFHhIilnrRsvw".contains(flag))
    };
    let is_path = pattern.is_some_and(|(_, pattern)| env.roots.exists(Path::new(pattern)));
    if is_path || replacement.as_ref().is_some_and(is_cluster) {
        let note = "-r replaces matches in the output, as in ripgrep";
        sink.note(Note::new(note).hint(Hint::again([Change::remove(REPLACE)]).why(why)));
    }
    Ok(())
}

/// Returns the options of the search, with the patterns that were read from files.
fn with_pattern_files(
    options: &GrepOptions,
    host: &Host,
) -> Result<matching::SearchOptions, Error> {
    let mut search = options.search.clone();
    for file in &options.file {
        let text = whole_input(file.as_os_str(), host)?;
        let text = std::str::from_utf8(&text).map_err(|_| {
            Error::new(Code::InvalidPattern, "the patterns in this file are not UTF-8").at(file)
        })?;
        search.patterns.extend(text.lines().map(str::to_owned));
    }
    Ok(search)
}

/// A file to search, or an error to report.
pub(super) enum Work {
    File {
        path: PathBuf,
        /// Whether the file is an operand, and was not found in a directory.
        is_named: bool,
        /// The lines to search. `None` for all lines.
        lines: Option<Vec<LineRange>>,
    },
    /// An operand that does not exist, or a directory that could not be read.
    Failed(Error),
}

/// Returns the files to search, in the order of the output.
pub(super) fn work(
    options: &GrepOptions,
    operands: &[OsString],
    env: &Env,
    sink: &mut dyn Sink,
) -> Result<Vec<Work>, Error> {
    let (by, is_reversed) = options.files.order();
    let (walk, resolve) = (&options.walk, options.lookup.missing.resolve);
    let found = Operands { walk, resolve, env }.work(operands, sink)?;
    let mut work: Vec<Work> = Vec::new();
    let (mut first, mut named) = (0, HashMap::new());
    for entry in found {
        match entry {
            job::Work::Failed(error) => work.push(Work::Failed(error)),
            job::Work::Walked(path) => {
                work.push(Work::File { path, is_named: false, lines: None });
            }
            job::Work::EndOfTree(..) if is_reversed => work[first..].reverse(),
            job::Work::EndOfTree(..) => {}
            // If the file does not exist, the error reports that.
            job::Work::Named(Address { path, part: Part::Anchor(_), .. })
                if env.roots.exists(&path) =>
            {
                let error = Error::usage("grep accepts lines of a file, not an anchor").at(&path);
                let hint = [Change::address(&path, "", &path), Change::set(IN, "SECTION")];
                let hint = Hint::again(hint).why("to search one section of each file");
                work.push(Work::Failed(error.hint(hint)));
            }
            job::Work::Named(address) => add_named(address, &mut named, &mut work),
        }
        if !matches!(work.last(), Some(Work::File { is_named: false, .. })) {
            first = work.len();
        }
    }
    sort(&mut work, by, &env.roots);
    if is_reversed && !matches!(by, SortArg::None | SortArg::Path) {
        work.reverse();
    }
    Ok(work)
}

/// Adds a file or some of its lines. All requested parts of a file are searched together.
fn add_named(address: Address, named: &mut HashMap<PathBuf, usize>, work: &mut Vec<Work>) {
    let Address { path, part, .. } = address;
    let added = match part {
        Part::Lines(lines) => Some(lines),
        _ => None,
    };
    let next = work.len();
    let index = *named.entry(path.clone()).or_insert(next);
    match work.get_mut(index) {
        Some(Work::File { lines, .. }) => {
            let both = lines.take().zip(added);
            *lines = both.map(|(lines, added)| merged([lines, added].concat(), 0));
        }
        _ => work.push(Work::File {
            path,
            is_named: true,
            lines: added.map(|added| merged(added, 0)),
        }),
    }
}

/// Returns the files in which conditions select parts, in the order of the output. If files without
/// matches are listed, the other files are among them, because they have no match in a selected
/// part.
fn selected_work(
    options: &GrepOptions,
    operands: &[OsString],
    host: &Host,
    sink: &mut dyn Sink,
) -> Result<Vec<Work>, Error> {
    let (mut files, errors) = selected::files(options, host, sink)?;
    if options.search.mode.is_without() {
        let selected: HashMap<_, _> = files.drain(..).collect();
        let has_failed =
            |path: &Path| errors.iter().any(|error| error.path.as_deref() == Some(path));
        // The search for parts has already reported what is missing.
        for work in work(options, operands, &host.env, &mut Collected::text())? {
            if let Work::File { path, .. } = work
                && !has_failed(&path)
            {
                let lines = selected.get(&path).cloned().unwrap_or_else(|| Some(Vec::new()));
                files.push((path, lines));
            }
        }
    }
    let (by, is_reversed) = options.files.order();
    let files = files.into_iter();
    let mut work: Vec<Work> = errors.into_iter().map(Work::Failed).collect();
    work.extend(files.map(|(path, lines)| Work::File { path, is_named: false, lines }));
    sort(&mut work, by, &host.env.roots);
    if is_reversed {
        work.reverse();
    }
    Ok(work)
}

/// Sorts files. Files whose metadata cannot be read come first.
fn sort(work: &mut [Work], by: SortArg, roots: &Roots) {
    let time: fn(&Metadata) -> io::Result<SystemTime> = match by {
        SortArg::None | SortArg::Path => return,
        SortArg::Modified => Metadata::modified,
        SortArg::Accessed => Metadata::accessed,
        SortArg::Created => Metadata::created,
    };
    work.sort_by_cached_key(|work| match work {
        Work::File { path, .. } => roots.metadata(path).and_then(|metadata| time(&metadata)).ok(),
        Work::Failed(_) => None,
    });
}

/// The last two bytes that were printed.
#[derive(Default)]
struct Tail([u8; 2]);

impl Tail {
    fn push(&mut self, text: &[u8]) {
        for &byte in &text[text.len().saturating_sub(2)..] {
            self.0 = [self.0[1], byte];
        }
    }

    /// Whether the last two bytes are line endings, so that the output ends with an empty line.
    fn is_blank(&self) -> bool {
        self.0 == *b"\n\n"
    }
}

pub(super) struct GrepRun<'a> {
    query: &'a Query<'a>,
    host: &'a Host,
    /// Whether standard input is searched because no path was given.
    is_implied: bool,
    /// The conditions that select the lines to search, if there are any.
    conditions: Option<&'a Conditions>,
    sink: &'a mut dyn Sink,
    pub(super) summary: Summary,
    /// Whether anything was printed, so that a separator is needed before the next file.
    has_printed: bool,
    tail: Tail,
    /// Whether to suppress error messages about files.
    no_messages: bool,
    /// The call with the words of the pattern in quotes, if some of the paths are such words.
    quoted: Option<Hint>,
    /// Whether an error has occurred.
    has_failed: bool,
    /// Errors that are not yet reported. With `-q`, errors are reported only if there is no match.
    postponed: Vec<Error>,
    /// The matching lines of all files, for [`Layout::Collected`].
    pub(super) collected: Vec<(PathBuf, Hit)>,
}

impl<'a> GrepRun<'a> {
    pub(super) fn new(query: &'a Query<'a>, host: &'a Host, sink: &'a mut dyn Sink) -> Self {
        Self {
            query,
            host,
            is_implied: false,
            conditions: None,
            sink,
            summary: Summary::default(),
            has_printed: false,
            tail: Tail::default(),
            no_messages: false,
            quoted: None,
            has_failed: false,
            postponed: Vec::new(),
            collected: Vec::new(),
        }
    }

    /// Prints the names of files.
    fn names(&mut self, work: &[Work]) -> Result<(), Stop> {
        for work in work {
            match work {
                Work::Failed(error) => self.error(error.clone())?,
                Work::File { path, .. }
                    if path.as_os_str() == "-" || self.host.env.roots.is_file(path) =>
                {
                    self.summary.files += 1;
                    if self.query.options.mode.is_quiet() {
                        return Err(Stop::Enough);
                    }
                    let address = json::Address { path, lines: None };
                    let file_path = json::path(path);
                    self.sink.record(&File {
                        r#type: "file",
                        file_path,
                        address,
                        query: self.query,
                    })?;
                }
                Work::File { path, .. } => {
                    let env = &self.host.env;
                    if let Err(error) = document::open(path, &self.query.load(false), env) {
                        self.error(missing_files::missing_file(error, path, env))?;
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn files(&mut self, work: &[Work]) -> Result<(), Stop> {
        let query = self.query;
        let mut host = Cow::Borrowed(self.host);
        if self.is_implied && matches!(work, [only] if Self::is_deferred(only)) {
            match await_stdin(&host, self.sink) {
                Ok((awaited, _)) => host = Cow::Owned(awaited),
                Err(error) => return self.error(error),
            }
        }
        let most = least(query.options.max_count, query.options.max_total);
        let quoted = self.quoted.clone();
        let state = || (Search::new(query), Vec::new());
        let search_file = |(search, buffer): &mut (Search<'_>, Vec<u8>),
                           work: &Work,
                           left: Option<u64>,
                           emit: &mut Emit<'_>| {
            let (path, is_named, lines) = match work {
                Work::Failed(error) => return Err(Stop::Failed(error.clone())),
                Work::File { path, is_named, lines } => (path, *is_named, lines),
            };
            search.only_lines(lines.clone());
            let load = &query.load(lines.is_some());
            let buffered = std::mem::take(buffer);
            let document = open(path, is_named, load, &host, buffered, quoted.as_ref())?;
            let result = search.print(&document, is_named, least(most, left), emit);
            *buffer = document.into_buffer();
            result
        };
        parallel::print(work, &host, state, search_file, self)
    }

    /// Returns the separator between the previous output and the next.
    fn separator(&self) -> &'a [u8] {
        let query: &'a Query<'a> = self.query;
        if !self.has_printed || query.style.json {
            return b"";
        }
        match query.options.mode {
            Mode::Sections if self.tail.is_blank() => b"",
            Mode::Sections => b"\n",
            Mode::Lines => query.between_files(),
            _ => b"",
        }
    }

    fn finish(&mut self, started: Instant, is_listing: bool) -> ExitStatus {
        let is_match = self.summary.files > 0;
        for error in std::mem::take(&mut self.postponed) {
            // With a match, `-q` exits with 0 despite errors.
            if is_match {
                self.sink.note(Note::new(error.to_string()))
            } else {
                self.sink.error(&error)
            }
        }
        if !self.query.options.mode.is_quiet() && !is_listing {
            let (summary, query) = (&self.summary, self.query);
            if !query.style.json {
                let notes = summary.notes(query, self.conditions);
                notes.into_iter().for_each(|note| self.sink.note(note));
            }
            let seconds = started.elapsed().as_secs_f64();
            let _ = self.sink.record(&SummaryObject::new(summary, query, seconds));
        }
        if is_match && self.query.options.mode.is_quiet() {
            ExitStatus::Done
        } else if self.has_failed && self.no_messages {
            // Errors affect the exit status even if they are not printed.
            ExitStatus::Trouble
        } else if is_match {
            ExitStatus::Done
        } else {
            ExitStatus::No
        }
    }
}

impl Receiver<Work, DocumentMatches> for GrepRun<'_> {
    fn is_deferred(work: &Work) -> bool {
        matches!(work, Work::File { path, .. } if path.as_os_str() == "-")
    }

    fn write(&mut self, work: &Work, is_first: bool, text: &[u8]) -> Result<(), Closed> {
        if is_first {
            match work {
                Work::File { path, .. } if self.query.style.grouped && self.query.has_headings => {
                    self.sink.file(path)?;
                }
                _ => self.sink.write(self.separator())?,
            }
            self.has_printed = true;
        }
        self.tail.push(text);
        self.sink.write(text)
    }

    fn take(&mut self, work: &Work, mut found: DocumentMatches) -> Result<(), Stop> {
        let mode = self.query.options.mode;
        if let Work::File { path, .. } = work {
            if mode.lists() {
                self.sink.counted(path, found.hits);
            }
            self.collected.extend(found.lines.drain(..).map(|hit| (path.clone(), hit)));
        }
        self.summary.add(&found, mode);
        let is_known = mode.is_quiet() && self.summary.files > 0;
        let is_full = self.limit() == Some(0) && !self.query.counts_on && self.summary.left_out > 0;
        if is_known || is_full { Err(Stop::Enough) } else { Ok(()) }
    }

    fn error(&mut self, error: Error) -> Result<(), Stop> {
        if error.code == Code::Cancelled {
            return Err(Stop::Failed(error));
        }
        self.has_failed = true;
        match self.query.options.mode {
            _ if self.no_messages => {}
            mode if mode.is_quiet() => self.postponed.push(error),
            _ => self.sink.error(&error),
        }
        Ok(())
    }

    fn limit(&self) -> Option<u64> {
        let total = self.query.options.max_total;
        total.map(|total| total.saturating_sub(self.summary.hits))
    }

    fn is_within_limit(&self, found: &DocumentMatches) -> bool {
        self.limit().is_none_or(|left| found.hits <= left)
    }
}

fn least(limit: Option<u64>, other_limit: Option<u64>) -> Option<u64> {
    limit.into_iter().chain(other_limit).min()
}

fn open(
    path: &Path,
    is_named: bool,
    load: &DocumentOptions,
    host: &Host,
    buffer: Vec<u8>,
    quoted: Option<&Hint>,
) -> Result<Document, Error> {
    let env = &host.env;
    if path.as_os_str() == "-" {
        job::open(path, load, host)
    } else if is_named {
        document::open(path, load, env).map_err(|error| near_miss(error, path, env, quoted))
    } else {
        document::open_walked(path, load, env, buffer)
    }
}

/// Adds suggestions to the error for a path that does not exist.
fn near_miss(error: Error, path: &Path, env: &Env, quoted: Option<&Hint>) -> Error {
    if error.code != Code::NotFound {
        return error;
    }
    let mut error = missing_files::missing_file(error, path, env);
    for hint in &mut error.hints {
        // In `grep`, the option for a section restricts the search.
        if let Hint::Again { changes, .. } = hint {
            for change in changes {
                if let Change::Set(option @ SECTION, _) = change {
                    *option = IN;
                }
            }
        }
    }
    let is_similar = error.hints.iter().any(|hint| hint.reason() == "similar");
    let quoted = quoted.filter(|_| !is_similar && is_word(path.as_os_str()));
    error.hints.extend(quoted.cloned());
    error
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::commands::host::Stdin;
    use folio_files::env::Cancel;

    fn args(pattern: &str, path: &str) -> GrepArgs {
        let (pattern, paths) = (Some(pattern.into()), vec![path.into()]);
        GrepArgs { pattern, paths, ..GrepArgs::default() }
    }

    fn reading(open: impl Fn() -> Box<dyn Read + Send> + Send + Sync + 'static) -> Host {
        Host { stdin: Some(Stdin { is_data: || true, open: Arc::new(open) }), ..Host::default() }
    }

    /// A reader that returns lines endlessly.
    struct Endless;

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            buffer.fill(b'\n');
            Ok(buffer.len())
        }
    }

    #[test]
    fn a_library_call_returns_the_output_of_the_command() {
        let host = reading(|| Box::new(&b"a\nb\n# a\n"[..]));
        let mut sink = Collected::text();
        assert_eq!(run(args("a", "-"), &host, &mut sink), Ok(ExitStatus::Done));
        assert_eq!(sink.written, b"1:a\n3:# a\n");
        assert_eq!(run(GrepArgs::default(), &host, &mut sink).map_err(|error| error.code), {
            Err(Code::InvalidArgument)
        });
    }

    #[test]
    fn a_search_without_matches_stops_when_it_is_cancelled() {
        let cancel = Cancel::with_deadline(Instant::now() + Duration::from_millis(50));
        let env = Env { cancel, ..Env::default() };
        let host = Host { env, ..reading(|| Box::new(Endless)) };
        let ended = run(args("x", "-"), &host, &mut Collected::text());
        assert_eq!(ended.map_err(|error| error.code), Err(Code::Cancelled));
    }

    #[test]
    fn a_cancelled_run_searches_no_directory() {
        let directory = tempfile::tempdir().expect("a directory");
        for name in ["a.md", "b.md"] {
            std::fs::write(directory.path().join(name), "x\n").expect("written");
        }
        let host = Host::new(directory.path()).expect("a host");
        host.env.cancel.set();
        for path in [".", "a.md"] {
            let mut sink = Collected::json();
            let ended = run(args("x", path), &host, &mut sink);
            assert_eq!(ended.map_err(|error| error.code), Err(Code::Cancelled), "{path}");
            assert!(sink.written.is_empty() && sink.errors.is_empty(), "{sink:?}");
        }
    }
}
