//! Selects parts in the files of operands. Uses several threads, and returns the results in order.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::PartKind;
use super::candidates::SelectedPart;
use super::miss::miss;
use super::selector::{Parts, Selector};
use super::tally::Tally;
use super::times::{LogClock, latest_time};
use crate::commands::host::Host;
use crate::commands::job::{self, Operands, Work};
use crate::commands::output::{Collected, Note, Sink, Stop, counted};
use crate::commands::parallel;
use folio_files::document::DocumentOptions;
use folio_files::error::{Change, Code, Error, Hint};
use folio_files::listing::WalkOptions;
use folio_files::options::{KIND, OUTLINE, SECTION_PATTERN};
use folio_outline::format::Format;
use folio_text::pattern::{Pattern, PatternOptions};

/// A file in which parts were selected.
struct File {
    path: PathBuf,
    /// The parts in order. There is at least one.
    parts: Vec<SelectedPart>,
}

/// Selects parts in files.
pub struct Scan<'a> {
    /// The conditions that select parts.
    pub selector: &'a Selector,
    /// Options for reading documents.
    pub documents: &'a DocumentOptions,
    /// The options that select files below directories.
    pub walk: &'a WalkOptions,
    /// If a file does not exist, whether to search for its name.
    pub resolve: bool,
    /// The environment of the run.
    pub host: &'a Host,
}

/// The result for a file. The second value is `None` if the file has no selected parts.
type Answer<T> = Result<(Tally, Option<T>), Error>;

impl Scan<'_> {
    /// Selects parts in the files of operands. Calls `make` in any thread for each file with
    /// selected parts, and passes the results to `take` in order. Passes errors to the sink.
    ///
    /// # Errors
    ///
    /// Fails if `take` fails, too many parts are selected or the run is cancelled.
    pub fn for_each_file<T: Send>(
        &self,
        operands: &[OsString],
        sink: &mut dyn Sink,
        make: impl Fn(&Path, Parts<'_>) -> T + Sync,
        mut take: impl FnMut(T, &mut dyn Sink) -> Result<(), Stop>,
    ) -> Result<Tally, Stop> {
        let Self { walk, resolve, host, .. } = *self;
        let work = Operands { walk, resolve, env: &host.env }.work(operands, sink)?;
        let mut tally = Tally::default();
        let across = self.selector.conditions().across;
        let mut together = Vec::new();
        // Each thread has its own patterns, because threads that share patterns wait for a common
        // lock.
        let state = || (self.selector.clone(), Vec::new());
        let select = |(selector, buffer): &mut (Selector, Vec<u8>),
                      work: &Work,
                      answers: &mut Vec<Answer<(Option<T>, Option<File>)>>| {
            answers.push(self.file(work, selector, buffer, |path, parts| {
                if across {
                    (None, Some(File { path: path.to_owned(), parts: parts.collect() }))
                } else {
                    (Some(make(path, parts)), None)
                }
            }));
        };
        parallel::in_order(&work, self.host, state, select, |answers| {
            for answer in answers {
                match answer {
                    Err(error) if error.code == Code::Cancelled => return Err(Stop::Failed(error)),
                    Err(error) => {
                        tally.failed += 1;
                        sink.error(&error);
                    }
                    Ok((of_file, made)) => {
                        tally.add(&of_file);
                        self.selector.check_count(tally.parts())?;
                        let (made, kept) = made.unwrap_or_default();
                        together.extend(kept);
                        made.map_or(Ok(()), |made| take(made, sink))?;
                    }
                }
            }
            Ok(())
        })?;
        if tally.invalid > 0 {
            let files = counted(tally.invalid, "file");
            let hint = Hint::command("inspect", ["FILE"]).why("to see the error");
            sink.note(Note::new(format!("left out {files} with invalid syntax")).hint(hint));
        }
        if across {
            for File { path, parts } in self.select_across_files(together, &mut tally)? {
                take(make(&path, &mut parts.into_iter()), sink)?;
            }
        }
        Ok(tally)
    }

    /// Returns the results of `make` for all files with selected parts. There are none if no file
    /// can be read, which the errors passed to the sink say.
    ///
    /// # Errors
    ///
    /// Fails if no part or too many parts are selected, or the run is cancelled.
    pub fn all<T: Send>(
        &self,
        operands: &[OsString],
        sink: &mut dyn Sink,
        make: impl Fn(&Path, Parts<'_>) -> T + Sync,
    ) -> Result<Vec<T>, Error> {
        let mut files = Vec::new();
        let scanned = self.for_each_file(operands, sink, make, |file, _| {
            files.push(file);
            Ok(())
        });
        match scanned {
            Err(Stop::Failed(error)) => Err(error),
            Ok(tally) if tally.files == 0 && tally.failed > 0 => Ok(files),
            Ok(tally) if files.is_empty() => Err(self.miss(&tally, operands)),
            Ok(_) | Err(Stop::Closed | Stop::Enough) => Ok(files),
        }
    }

    /// Returns the error for conditions that select no part. If other parts than sections meet the
    /// conditions on names and lines, a hint contains the option that selects them.
    pub fn miss(&self, tally: &Tally, operands: &[OsString]) -> Error {
        let error = miss(self.selector, tally, operands);
        let others = [PartKind::Key, PartKind::FrontMatter].into_iter();
        let mut hints = others.filter_map(|kind| self.hint_for_kind(kind, operands));
        match hints.next().or_else(|| self.hint_for_entries(operands)) {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }

    fn hint_for_kind(&self, kind: PartKind, operands: &[OsString]) -> Option<Hint> {
        let conditions = self.selector.conditions();
        // All front matter has the same name.
        let is_named = !conditions.matching.is_empty() || !conditions.sections.is_empty();
        if kind == PartKind::FrontMatter && (is_named || conditions.containing.is_empty()) {
            return None;
        }
        let parts = self.meeting(&self.selector.with_kind(kind)?, operands)?;
        let why = if conditions.kind.is_empty() {
            format!("to select {parts}")
        } else {
            format!("to select {parts} instead of headings and sections")
        };
        let kind = [Change::set(KIND, kind.name()), Change::remove(OUTLINE)];
        Some(Hint::again(kind).why(why))
    }

    /// Returns the option for log entries that begin with an ID in brackets, such as `[INC-12]`.
    fn hint_for_entries(&self, operands: &[OsString]) -> Option<Hint> {
        const IDS: &str = r"^\[[A-Z]+-[0-9]+\]";
        let pattern = Pattern::new(IDS, PatternOptions::default()).ok()?;
        let parts = self.meeting(&self.selector.with_entries(pattern)?, operands)?;
        Some(Hint::with_value(SECTION_PATTERN, IDS).why(format!("to select {parts}")))
    }

    /// Returns the number of parts that meet other conditions, as text, unless there are none. Only
    /// used if the user selected sections by their names or lines.
    fn meeting(&self, selector: &Selector, operands: &[OsString]) -> Option<String> {
        let conditions = self.selector.conditions();
        let is_searched = [&conditions.sections, &conditions.matching, &conditions.containing]
            .iter()
            .any(|values| !values.is_empty());
        let are_sections = conditions.kinds().iter().all(|kind| PartKind::SECTIONS.contains(kind));
        // Standard input cannot be read again.
        if !is_searched || !are_sections || operands.iter().any(|operand| operand == "-") {
            return None;
        }
        let scan = Scan { selector, ..*self };
        let make = |_: &Path, _: Parts<'_>| ();
        let tally =
            scan.for_each_file(operands, &mut Collected::text(), make, |(), _| Ok(())).ok()?;
        (tally.parts() > 0).then(|| counted(tally.parts() as u64, "part"))
    }

    /// Applies `--repeated`, `--first`, `--last` and `--nth` to all files together.
    fn select_across_files(&self, files: Vec<File>, tally: &mut Tally) -> Result<Vec<File>, Error> {
        let mut parts: Vec<(PathBuf, SelectedPart)> = Vec::new();
        for File { path, parts: of_file } in files {
            parts.extend(of_file.into_iter().map(|part| (path.clone(), part)));
        }
        let by_source = self.selector.conditions().by_source;
        let kind_and_name = |(_, part): &(PathBuf, SelectedPart)| {
            let name = if by_source { &part.source_name } else { &part.name };
            (part.kind, Cow::Owned(name.clone()))
        };
        self.selector.count(&mut parts, kind_and_name, tally);
        self.selector.check_count(parts.len())?;
        let mut files: Vec<File> = Vec::new();
        for (path, part) in parts {
            match files.last_mut().filter(|file| file.path == path) {
                Some(file) => file.parts.push(part),
                None => files.push(File { path, parts: vec![part] }),
            }
        }
        Ok(files)
    }

    /// Returns an offset of a sorted log before which no part meets the conditions, if it is
    /// certain. Errors are reported when the file is read.
    pub fn start_offset(&self, path: &Path) -> Option<u64> {
        let env = &self.host.env;
        let is_file = env.roots.is_file(path);
        let document = is_file.then(|| job::open(path, self.documents, self.host).ok())??;
        let (clock, latest) = (env.clock(), latest_time(path, env));
        let clock = LogClock { clock: &clock, latest };
        self.selector.start_offset(&document, &clock).ok()?
    }

    /// Selects parts in one file.
    fn file<T>(
        &self,
        work: &Work,
        selector: &Selector,
        buffer: &mut Vec<u8>,
        make: impl FnOnce(&Path, Parts<'_>) -> T,
    ) -> Answer<T> {
        let entries = selector.entries().to_vec();
        let load = DocumentOptions { entries, ..self.documents.clone() };
        let Some((document, within)) = work.open(&load, self.host, buffer)? else {
            return Ok((Tally::default(), None));
        };
        // Text may have entries with times, even if it is not a log.
        let may_be_log = document.format() == Format::Text && selector.selects_entries();
        let document = if may_be_log { document.read_as(Format::LOG) } else { document };
        let env = &self.host.env;
        // A time without a year is not later than the last change of the file.
        let is_timed = document.format().log_kind().is_timed();
        let clock = env.clock();
        let latest = if is_timed { latest_time(document.path(), env) } else { clock.now };
        let clock = LogClock { clock: &clock, latest };
        let selected = selector.select(&document, within, &clock, make);
        *buffer = document.into_buffer();
        match selected {
            // Below a directory, there may be templates.
            Err(error) if error.code == Code::InvalidSyntax && !matches!(work, Work::Named(_)) => {
                Ok((Tally { files: 1, invalid: 1, ..Tally::default() }, None))
            }
            // A file may have no entries with times or levels.
            Err(error) if error.code == Code::TargetNotFound && !matches!(work, Work::Named(_)) => {
                Ok((Tally { files: 1, ..Tally::default() }, None))
            }
            selected => selected,
        }
    }
}
