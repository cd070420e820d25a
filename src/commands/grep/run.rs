//! From operands to what is told: files by all processors, told in order.

use std::fs::Metadata;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant, SystemTime};

use super::args::{GrepArgs, SortArg};
use super::report::{self, Teller, View, is_passed_over};
use super::search::{Closed, Found, Search, Stop};
use super::{Mode, Options, wire};
use crate::commands::output::{Note, Outcome, Sink, counted};
use crate::commands::{json, misses, parallel};
use crate::error::{Code, Error, ExitStatus, Hint, shell_word};
use crate::files::address::{Address, Part};
use crate::files::document::Document;
use crate::files::env::Env;
use crate::files::roots::Roots;
use crate::files::walk;

/// Text of one file of many that is kept until its turn comes; a file with
/// more is searched when it is due.
const MAX_TEXT: usize = 8 << 20;

/// How long nothing may come from standard input before that is told.
const STDIN_NOTICE_TIMEOUT: Duration = Duration::from_secs(1);

/// Runs the command.
pub fn run(args: &GrepArgs, env: &Env, output: &mut dyn Sink) -> Outcome {
    if args.type_list {
        let _ = output.write(&report::type_list(&walk::file_types()));
        return Ok(ExitStatus::Done);
    }
    let started = Instant::now();
    let roots = &env.roots;
    let options = args.options(output.style(), env)?;
    let mut operands = args.operands();
    let is_implied = operands.is_empty();
    if is_implied {
        let from_stdin =
            env.stdin_is_data() && args.file.iter().all(|file| file.as_os_str() != "-");
        operands = if from_stdin { vec![PathBuf::from("-")] } else { roots.all() };
    }
    let several = operands.len() > 1
        || operands.iter().any(|path| path.as_os_str() != "-" && roots.is_directory(path));
    let view = args.view(output.style(), several);
    let mut session = Session {
        options: &options,
        env,
        view: &view,
        threads: args.threads.filter(|&count| count > 0).unwrap_or(env.threads),
        output,
        totals: Totals::default(),
        told: false,
        tail: Tail::default(),
        postponed: Vec::new(),
    };
    let ended = session.operands(args, &operands, is_implied);
    if matches!(ended, Err(End::Closed)) {
        return Ok(ExitStatus::Done);
    }
    Ok(session.finish(args, started, &operands))
}

/// Why no further file is looked at.
enum End {
    /// Nobody reads on.
    Closed,
    /// All is known.
    Enough,
}

impl From<crate::commands::output::Closed> for End {
    fn from(_: crate::commands::output::Closed) -> Self {
        Self::Closed
    }
}

/// A file that is to be searched.
struct Work {
    path: PathBuf,
    is_named: bool,
}

/// The last two bytes that were told.
#[derive(Default)]
struct Tail([u8; 2]);

impl Tail {
    fn push(&mut self, text: &[u8]) {
        for &byte in &text[text.len().saturating_sub(2)..] {
            self.0 = [self.0[1], byte];
        }
    }

    /// Whether they are a line end and a blank line.
    fn is_blank(&self) -> bool {
        self.0 == *b"\n\n"
    }
}

/// Of all files so far.
#[derive(Default)]
struct Totals {
    /// Files with hits that are told.
    files: u64,
    hits: u64,
    matches: u64,
    left_out: u64,
    matches_left_out: u64,
    further: u64,
    searched: u64,
    bytes: u64,
    /// Files with hits, but none where they are wanted.
    elsewhere: u64,
}

struct Session<'a> {
    options: &'a Options,
    env: &'a Env,
    view: &'a View,
    threads: usize,
    output: &'a mut dyn Sink,
    totals: Totals,
    /// Whether anything was told, so that files stand apart.
    told: bool,
    tail: Tail,
    /// With `-q`, errors wait until it is known that nothing matches.
    postponed: Vec<Error>,
}

impl Session<'_> {
    fn operands(
        &mut self,
        args: &GrepArgs,
        operands: &[PathBuf],
        is_implied: bool,
    ) -> Result<(), End> {
        let roots = &self.env.roots;
        let walk_options = args.walk();
        let mut work = Vec::new();
        for operand in operands {
            if operand.as_os_str() == "-" {
                self.files(&std::mem::take(&mut work))?;
                self.stdin(is_implied)?;
            } else if roots.is_directory(operand) {
                match walk::files_below(operand, &walk_options, self.env) {
                    Err(error) => self.error(error),
                    Ok((paths, errors)) => {
                        // Told where they are found, before what comes later.
                        if !errors.is_empty() {
                            self.files(&std::mem::take(&mut work))?;
                        }
                        errors.into_iter().for_each(|error| self.error(error));
                        work.extend(paths.into_iter().map(|path| Work { path, is_named: false }));
                    }
                }
            } else {
                work.push(Work { path: operand.clone(), is_named: true });
            }
        }
        sort(&mut work, args.sort, roots);
        self.files(&work)
    }

    fn stdin(&mut self, is_implied: bool) -> Result<(), End> {
        let stream = match self.env.open_stdin() {
            Ok(stream) => stream,
            Err(error) => {
                self.error(error);
                return Ok(());
            }
        };
        let stream = if is_implied { self.heard(stream) } else { stream };
        let opened =
            Document::stream(Path::new("-"), stream, &self.options.load(), &self.env.cancel);
        let mut search = Search::new(self.options);
        match opened {
            Ok(mut document) => self.now(&mut search, &mut document, true),
            Err(error) => {
                self.error(error);
                Ok(())
            }
        }
    }

    /// A stream of which something has come; told when that takes long.
    fn heard(&mut self, stream: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let mut stream = stream;
            let mut head = vec![0; 64 * 1024];
            let read = loop {
                match stream.read(&mut head) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    read => break read,
                }
            };
            let heard = read.map(|count| {
                head.truncate(count);
                io::Cursor::new(head).chain(stream)
            });
            let _ = sender.send(heard);
        });
        let heard = receiver.recv_timeout(STDIN_NOTICE_TIMEOUT).or_else(|_| {
            self.output.note(Note::new(
                "waiting for standard input; to search files, name them, or . for all here",
            ));
            receiver.recv()
        });
        match heard {
            Ok(Ok(stream)) => Box::new(stream),
            Ok(Err(error)) => Box::new(Failing(Some(error))),
            Err(_) => Box::new(io::empty()),
        }
    }

    /// Searches files, one at a time where there is one, else several at once.
    fn files(&mut self, work: &[Work]) -> Result<(), End> {
        if let [only] = work {
            return self.file(only);
        }
        let (options, env, view) = (self.options, self.env, self.view);
        let limit = match (options.limits.of_document, options.limits.total) {
            (Some(own), Some(total)) => Some(own.min(total)),
            (own, total) => own.or(total),
        };
        let state = || (Search::new(options), Vec::new());
        let batch = |(search, buffer): &mut (Search<'_>, Vec<u8>), work: &[Work]| {
            let mut batch = Batch::default();
            for item in work {
                batch.add(item, (search, buffer), options, env, view, limit);
            }
            batch
        };
        let mut first = 0;
        parallel::in_order(work, self.threads, state, batch, |batch: Batch| {
            let files = batch.outcomes.len();
            let result = self.batch(batch, &work[first..first + files]);
            first += files;
            result
        })
    }

    /// Tells what a batch of files came to.
    fn batch(&mut self, batch: Batch, work: &[Work]) -> Result<(), End> {
        let apart = self.is_apart();
        let plain = !apart
            && self.options.limits.total.is_none()
            && self.options.mode != Mode::Quiet
            && batch.outcomes.iter().all(|outcome| matches!(outcome.result, Ok(Some(_))));
        if plain {
            for outcome in &batch.outcomes {
                if let Ok(Some(found)) = &outcome.result {
                    self.add(found);
                }
            }
            return Ok(self.output.write(&batch.text)?);
        }
        let mut start = 0;
        for (outcome, item) in batch.outcomes.into_iter().zip(work) {
            let text = &batch.text[start..outcome.end];
            start = outcome.end;
            match outcome.result {
                Err(error) => self.error(error),
                Ok(None) => self.file(item)?,
                Ok(Some(found)) if self.remaining().is_some_and(|left| left < found.hits) => {
                    self.file(item)?;
                }
                Ok(Some(found)) => {
                    if !text.is_empty() {
                        self.part_files()?;
                        self.tail.push(text);
                        self.output.write(text)?;
                        self.told = true;
                    }
                    self.add(&found);
                    self.is_enough()?;
                }
            }
        }
        Ok(())
    }

    /// Searches a file and tells of it at once.
    fn file(&mut self, work: &Work) -> Result<(), End> {
        let mut search = Search::new(self.options);
        match open(work, self.options, self.env, Vec::new()) {
            Ok(mut document) => self.now(&mut search, &mut document, work.is_named),
            Err(error) => {
                self.error(error);
                Ok(())
            }
        }
    }

    fn now(
        &mut self,
        search: &mut Search<'_>,
        document: &mut Document,
        is_named: bool,
    ) -> Result<(), End> {
        let limit = match (self.options.limits.of_document, self.remaining()) {
            (Some(own), Some(left)) => Some(own.min(left)),
            (own, left) => own.or(left),
        };
        let separator = self.separator();
        let output = &mut *self.output;
        let tail = &mut self.tail;
        let mut told = false;
        let mut emit = |text: &[u8]| {
            if !told {
                output.write(separator).map_err(|_| Closed)?;
            }
            told = true;
            tail.push(text);
            output.write(text).map_err(|_| Closed)
        };
        let result = one(search, document, is_named, limit, self.options, self.view, &mut emit);
        self.told |= told;
        match result {
            Ok(found) => {
                self.add(&found);
                self.is_enough()
            }
            Err(Stop::Closed) => Err(End::Closed),
            Err(Stop::Failed(error)) => {
                self.error(error);
                Ok(())
            }
        }
    }

    /// Whether something stands between what is told of two files.
    fn is_apart(&self) -> bool {
        let lines = self.options.mode == Mode::Lines && !self.view.style.json && !self.view.null;
        let headings = self.view.style.terminal && self.view.names && !self.view.blocks;
        let context = self.options.context.most() > 0 && !self.view.blocks;
        (lines && (headings || context))
            || (self.options.mode == Mode::Sections && !self.view.style.json)
    }

    /// What stands between what was told and what comes next.
    fn separator(&self) -> &'static [u8] {
        let is_sections = self.options.mode == Mode::Sections;
        match (self.is_apart() && self.told, is_sections, self.view.style.terminal) {
            (false, ..) => b"",
            (true, true, _) if self.tail.is_blank() => b"",
            (true, true, _) | (true, _, true) => b"\n",
            (true, false, false) => b"--\n",
        }
    }

    fn part_files(&mut self) -> Result<(), End> {
        Ok(self.output.write(self.separator())?)
    }

    /// How many hits may still be told.
    fn remaining(&self) -> Option<u64> {
        self.options.limits.total.map(|total| total.saturating_sub(self.totals.hits))
    }

    fn is_enough(&self) -> Result<(), End> {
        let quiet = self.options.mode == Mode::Quiet && self.totals.hits > 0;
        let limits = self.options.limits;
        let full = self.remaining() == Some(0) && !limits.count_on && self.totals.left_out > 0;
        if quiet || full { Err(End::Enough) } else { Ok(()) }
    }

    fn add(&mut self, found: &Found) {
        let without = self.options.mode == Mode::FilesWithout;
        let is_told = (found.hits > 0) != without && !(without && is_passed_over(found));
        self.totals.files += u64::from(is_told);
        self.totals.hits += found.hits;
        self.totals.matches += found.matches;
        self.totals.left_out += found.left_out;
        self.totals.matches_left_out += found.matches_left_out;
        self.totals.further += found.further;
        self.totals.searched += 1;
        self.totals.elsewhere += u64::from(found.is_elsewhere);
        self.totals.bytes += found.bytes;
    }

    fn error(&mut self, error: Error) {
        if self.options.mode == Mode::Quiet {
            self.postponed.push(error);
        } else {
            self.output.error(&error);
        }
    }

    fn finish(&mut self, args: &GrepArgs, started: Instant, operands: &[PathBuf]) -> ExitStatus {
        let is_match = self.totals.files > 0;
        for error in std::mem::take(&mut self.postponed) {
            // Quiet and matched is 0, whatever else went wrong.
            if is_match {
                self.output.note(Note::new(error.to_string()))
            } else {
                self.output.error(&error)
            }
        }
        let status = if is_match { ExitStatus::Done } else { ExitStatus::No };
        if self.options.mode == Mode::Quiet {
            return status;
        }
        let totals = &self.totals;
        let truncated = totals.left_out > 0;
        let stats = args.stats.then(|| wire::Stats {
            matches: totals.matches,
            files_searched: totals.searched,
            bytes_searched: totals.bytes,
            seconds: started.elapsed().as_secs_f64(),
        });
        if self.view.style.json {
            // What a record tells of is what is counted.
            let (told, left_out) = if report::is_by_match(self.options, self.view) {
                (totals.matches, totals.matches_left_out)
            } else {
                (totals.hits, totals.left_out + totals.further)
            };
            let names = self.options.mode.is_yes_or_no();
            let count_on = self.options.limits.count_on;
            let is_total = if names { count_on } else { count_on || !truncated };
            let summary = wire::Summary::new(
                totals.files,
                (!names).then_some(told),
                is_total.then_some(told + left_out),
                truncated,
                stats,
            );
            let _ = self.output.write(&json::line(&summary));
            return status;
        }
        self.remarks(args, operands, is_match);
        if let Some(stats) = stats {
            let text = report::stats(&stats, self.totals.hits, self.totals.files);
            let _ = self.output.write(&text);
        }
        status
    }

    fn remarks(&mut self, args: &GrepArgs, operands: &[PathBuf], is_match: bool) {
        let totals = &self.totals;
        let names = self.options.mode == Mode::Files;
        let what = if names { "file" } else { "hit" };
        if totals.left_out > 0 && self.options.limits.count_on {
            let all = totals.hits + totals.left_out + totals.further;
            let shown = counted(totals.hits, what);
            self.output.note(Note::new(match names {
                true => format!("{shown} shown; there are {all} hits in all"),
                false => format!("{} of {} shown", totals.hits, counted(all, what)),
            }));
        } else if totals.left_out > 0 && self.remaining() == Some(0) {
            let shown = counted(totals.hits, what);
            self.output.note(Note::new(format!(
                "stopped after {shown}, and there are more; --totals counts them all"
            )));
        }
        if totals.elsewhere > 0 && !is_match && self.options.mode != Mode::FilesWithout {
            let files = counted(totals.elsewhere, "file");
            let place = match (&args.inside, args.only_code) {
                (Some(name), _) => format!("in a section '{name}'"),
                (None, true) => "in code".to_owned(),
                (None, false) => "outside of code".to_owned(),
            };
            self.output.note(Note::new(format!("there are hits in {files}, but none {place}")));
        }
        let pattern = args.pattern.as_ref().map(Path::new);
        if let Some(pattern) = pattern
            .filter(|path| !is_match && args.paths.is_empty() && self.env.roots.is_file(path))
            && operands.len() == 1
            && args.regexp.is_empty()
            && args.file.is_empty()
        {
            let word = shell_word(&pattern.display().to_string());
            self.output.note(Note::new(format!(
                "'{}' was taken for the pattern; to search that file: folio grep PATTERN {word}",
                pattern.display()
            )));
        }
    }
}

/// Fails once, then ends.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// What some files came to, their texts one behind the other.
#[derive(Default)]
struct Batch {
    text: Vec<u8>,
    outcomes: Vec<FileOutcome>,
}

struct FileOutcome {
    end: usize,
    /// `None` for a file that is to be searched when it is due.
    result: Result<Option<Found>, Error>,
}

impl Batch {
    fn add(
        &mut self,
        work: &Work,
        (search, buffer): (&mut Search<'_>, &mut Vec<u8>),
        options: &Options,
        env: &Env,
        view: &View,
        limit: Option<u64>,
    ) {
        let start = self.text.len();
        let result = match open(work, options, env, std::mem::take(buffer)) {
            Err(error) => Err(error),
            Ok(mut document) => {
                let text = &mut self.text;
                let mut emit = |part: &[u8]| {
                    if text.len() - start + part.len() > MAX_TEXT {
                        return Err(Closed);
                    }
                    text.extend_from_slice(part);
                    Ok(())
                };
                let named = work.is_named;
                let result = one(search, &mut document, named, limit, options, view, &mut emit);
                *buffer = document.into_buffer();
                match result {
                    Ok(found) => Ok(Some(found)),
                    Err(Stop::Closed) => Ok(None),
                    Err(Stop::Failed(error)) => Err(error),
                }
            }
        };
        if !matches!(result, Ok(Some(_))) {
            self.text.truncate(start);
        }
        self.outcomes.push(FileOutcome { end: self.text.len(), result });
    }
}

fn one(
    search: &mut Search<'_>,
    document: &mut Document,
    is_named: bool,
    limit: Option<u64>,
    options: &Options,
    view: &View,
    emit: &mut report::Emit<'_>,
) -> Result<Found, Stop> {
    let path = document.path().to_owned();
    let out = std::mem::take(&mut search.out);
    let mut teller = Teller::new(options, view, &path, emit, out);
    let mut found = search.document(document, is_named, limit, &mut teller)?;
    // As ripgrep does: no count is told of a file that was not read to its end.
    if is_passed_over(&found) && !matches!(options.mode, Mode::Lines | Mode::Sections) {
        found = Found { binary: found.binary, bytes: found.bytes, ..Found::default() };
    }
    search.out = teller.finish(document, &found)?;
    Ok(found)
}

fn open(work: &Work, options: &Options, env: &Env, buffer: Vec<u8>) -> Result<Document, Error> {
    if !work.is_named {
        return Document::open_walked(&work.path, &options.load(), env, buffer);
    }
    Document::open(&work.path, &options.load(), env)
        .map_err(|error| near_miss(error, &work.path, &env.roots))
}

/// A path that does not exist, with what may have been meant.
fn near_miss(error: Error, path: &Path, roots: &Roots) -> Error {
    if error.code != Code::NotFound {
        return error;
    }
    let exists = |path: &Path| roots.exists(path);
    let address = Address::parse(path.as_os_str(), exists);
    if address.is_ok_and(|address| address.part != Part::Whole && exists(&address.path)) {
        let whole = shell_word(&path.display().to_string());
        return error
            .hint("--in SECTION  # grep searches whole files, or one section of each")
            .hint(format!("folio read {whole} | folio grep PATTERN  # to search this part"));
    }
    let grep = |path: &Path| Hint::command("grep", ["PATTERN"]).and([path]);
    let mut error = misses::missing_file_for(&grep, error, path, roots);
    let is_word = |text: &str| !text.contains(['/', '.']);
    let is_similar = error.hints.iter().any(|hint| hint.reason() == "similar");
    if !is_similar && path.to_str().is_some_and(is_word) {
        error = error.hint("folio grep 'TWO WORDS' PATH  # quotes hold a pattern together");
    }
    error
}

/// Puts files in order; those that cannot be asked come first.
fn sort(work: &mut [Work], by: SortArg, roots: &Roots) {
    let time: fn(&Metadata) -> io::Result<SystemTime> = match by {
        SortArg::None | SortArg::Path => return,
        SortArg::Modified => Metadata::modified,
        SortArg::Accessed => Metadata::accessed,
        SortArg::Created => Metadata::created,
    };
    work.sort_by_cached_key(|work| {
        let metadata = roots.metadata(&work.path);
        metadata.and_then(|metadata| time(&metadata)).ok()
    });
}
