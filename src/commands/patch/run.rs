//! Runs `patch`: collects requests, opens files, plans edits, writes the files, and prints the
//! results.

mod dry_run;
mod preview;
mod print;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::collect::{Collected, requests};
use super::context::Context;
use super::file_move;
use super::guards;
use super::hints;
use super::open::{Opened, Opener};
use super::options::PatchOptions;
use super::planned::{Planned, Role};
use super::report::{self, EditRecord, FileFacts, Outcome};
use super::selected::{self, Selection};
use super::transaction::{Batch, with_edit_numbers};
use super::work::BatchFile;
use super::{Operation, Request, walk};
use crate::commands::host::Confirm;
use crate::commands::host::Host;
use crate::commands::output::{self, Closed, Note, Sink, Style};
use crate::commands::resolve;
use crate::commands::site::detection_message;
use folio_files::env::Env;
use folio_files::error::{Change, Code, Error, ExitStatus, Hint};
use folio_files::history::Draft;
use folio_files::listing::EntryKind;
use folio_files::options::{DRY_RUN, MAX_FILES};
use folio_files::replace::{self, CommitOptions, Committed};
use folio_files::{journal, recovery};
use folio_text::diff;
use folio_text::encoding::Encoding;
use folio_text::span::LineRange;

/// Runs `patch`.
pub fn run(options: &PatchOptions, host: &Host, sink: &mut dyn Sink) -> output::Outcome {
    run_with(options, host, sink, None)
}

/// Receives the result of each edit.
pub(super) type Collect<'a> = &'a mut dyn FnMut(&EditRecord<'_>);

pub(super) fn run_with<'a>(
    options: &'a PatchOptions,
    host: &'a Host,
    sink: &mut dyn Sink,
    collect: Option<Collect<'a>>,
) -> output::Outcome {
    let env = &host.env;
    options.check()?;
    note_interrupted(env, sink);
    let mut run = PatchRun { collect, ..PatchRun::new(options, host)? };
    let style = sink.style();
    run.context.has_checksums = style.json || style.tools || run.collect.is_some();
    let Collected { mut requests, refused, sequential, searched_files, selected } =
        requests(options, host, sink)?;
    if options.resolve {
        let named = requests.iter_mut().filter(|request| request.operation != Operation::Create);
        for request in named {
            let mut path = request.address.path.clone();
            resolve::entry(&mut path, EntryKind::File, env, sink)?;
            request.address.path = path;
        }
    }
    file_move::check(&requests, options)?;
    run.directories = file_move::make_parents(&requests, options, env)?;
    (run.failed, run.searched_files, run.selected) = (refused.len(), searched_files, selected);
    run.report_errors(refused, sink);
    if !options.keep_going || requests.is_empty() {
        // If the output is closed, the edits are still made.
        let _: Result<(), Closed> = run.transaction(&requests, sequential, sink);
        run.note_parents(sink);
        return Ok(run.status);
    }
    let files = group_by_file(requests);
    let total = files.len() + run.failed;
    // The number of files that would change is known only after all of them are planned.
    if !options.writes_nothing() {
        run.check_count(files.len() as u64)?;
    }
    for requests in &files {
        if let Err(error) = env.cancel.check() {
            run.report_errors(vec![error], sink);
            break;
        }
        let _: Result<(), Closed> = run.transaction(requests, false, sink);
    }
    run.note_failed(total, sink);
    run.note_parents(sink);
    Ok(run.status)
}

/// Opens the file of one request for reading.
///
/// # Errors
///
/// Fails if the file could not be edited.
pub(super) fn open_for_reading(
    request: &Request,
    options: &PatchOptions,
    host: &Host,
) -> Result<Opened, Error> {
    let mut preview = options.clone();
    preview.write.dry_run = true;
    let run = PatchRun::new(&preview, host)?;
    let opened = run.open(std::slice::from_ref(request)).map_err(|mut errors| errors.remove(0))?;
    let path = &request.address.path;
    let resolved = host.env.roots.resolve(path)?;
    let refusal = replace::refusal(path, &resolved, run.context.mode(), &host.env.roots);
    refusal.map_or(Ok(opened), Err)
}

/// Applies one edit as a transaction. `adapt` changes the errors of the edit. Also returns whether
/// the edit failed.
pub(super) fn apply_edit(
    request: Request,
    options: &PatchOptions,
    host: &Host,
    adapt: &dyn Fn(Error) -> Error,
    sink: &mut dyn Sink,
) -> Result<(ExitStatus, bool), Error> {
    let mut run = PatchRun { adapt: Some(adapt), ..PatchRun::new(options, host)? };
    note_interrupted(&host.env, sink);
    let _: Result<(), Closed> = run.transaction(&[request], false, sink);
    Ok((run.status, run.failed > 0))
}

/// Reports that an edit leaves lines unchanged.
pub(super) fn report_unchanged(
    request: &Request,
    mut opened: Opened,
    lines: Option<LineRange>,
    options: &PatchOptions,
    host: &Host,
    sink: &mut dyn Sink,
) -> output::Outcome {
    let mut run = PatchRun::new(options, host)?;
    let plan = Box::new(Planned::new(Role::Edited, Vec::new(), lines));
    let outcome = Outcome { plan, unchanged: true, ..Outcome::default() };
    let files = opened
        .batch_files
        .iter_mut()
        .map(|batch_file| run.file_facts(batch_file, diff::CONTEXT, usize::MAX));
    let result = BatchResult {
        requests: std::slice::from_ref(request),
        outcomes: vec![outcome],
        files: files.collect::<Result<_, _>>()?,
        committed: Committed::default(),
    };
    let _: Result<(), Closed> = run.report(&result, sink);
    Ok(run.status)
}

/// Groups requests by file. Line numbers in the requests for a file refer to the contents of the
/// file before the first request.
fn group_by_file(requests: Vec<Request>) -> Vec<Vec<Request>> {
    let mut files: Vec<Vec<Request>> = Vec::new();
    let mut positions: HashMap<PathBuf, usize> = HashMap::new();
    for request in requests {
        let next = files.len();
        let position = *positions.entry(request.address.path.clone()).or_insert(next);
        match files.get_mut(position) {
            Some(file) => file.push(request),
            None => files.push(vec![request]),
        }
    }
    files
}

/// Recovers interrupted runs that do not need a decision by the user. Reports the others.
fn note_interrupted(env: &Env, sink: &mut dyn Sink) {
    let Some(state) = &env.state else { return };
    recovery::recover_simple(state, env).into_iter().for_each(|left| sink.note(Note::new(left)));
    let is_left = |pending: &journal::Journal| pending.is_in_part() && pending.lies_in(&env.roots);
    match journal::pending(state) {
        Ok(pending) if pending.iter().any(is_left) => {
            let hint = Hint::command("undo", ["--recover"]).why("to finish it or roll it back");
            sink.note(Note::new("a previous run was interrupted").hint(hint));
        }
        Ok(_) => {}
        Err(error) => {
            sink.note(Note::new(format!("cannot check for interrupted runs: {error}")));
        }
    }
}

struct PatchRun<'a> {
    context: Context<'a>,
    /// Changes errors before they are reported.
    adapt: Option<&'a dyn Fn(Error) -> Error>,
    status: ExitStatus,
    failed: usize,
    /// Number of files searched below directories. `None` if no directory was searched.
    searched_files: Option<u64>,
    /// The parts that conditions selected before the files were locked.
    selected: Vec<Selection>,
    /// The directories that were created for the files.
    directories: Vec<PathBuf>,
    /// Called with each result instead of printing it, if results are collected.
    collect: Option<Collect<'a>>,
}

/// The result of a batch, ready to print.
struct BatchResult<'a> {
    requests: &'a [Request],
    outcomes: Vec<Outcome>,
    files: Vec<FileFacts>,
    committed: Committed,
}

impl<'a> PatchRun<'a> {
    fn new(options: &'a PatchOptions, host: &'a Host) -> Result<Self, Error> {
        Ok(PatchRun {
            context: Context::new(options, host)?,
            adapt: None,
            status: ExitStatus::Done,
            failed: 0,
            searched_files: None,
            selected: Vec::new(),
            directories: Vec::new(),
            collect: None,
        })
    }

    /// Applies all requests or none.
    fn transaction(
        &mut self,
        requests: &[Request],
        in_turn: bool,
        sink: &mut dyn Sink,
    ) -> Result<(), Closed> {
        // To detect sites takes time, which a note about links that were not updated is not worth.
        let updates_links = requests.iter().any(|request| request.options.updates_links());
        self.context.sites.set_detection(updates_links);
        if let Some(result) = self.preview_each(requests, in_turn, sink) {
            return self.report(&result, sink);
        }
        let planned = self.open(requests).and_then(|opened| {
            selected::check_again(&self.selected, requests, self.context.host)
                .map_err(|error| vec![error])?;
            self.plan(requests, in_turn, opened, &mut sink.progress("planning edits"))
        });
        let result = match planned {
            Ok((_, outcomes)) if outcomes.is_empty() && self.searched_files.is_some() => {
                let error = walk::nothing_found(
                    self.context.options,
                    &self.context.options.edit,
                    self.searched_files.unwrap_or_default(),
                );
                self.report_errors(vec![error], sink);
                return Ok(());
            }
            Ok((opened, outcomes)) => self.commit(requests, opened, outcomes, sink),
            Err(errors) => {
                self.failed += 1;
                let is_cancelled = |error: &Error| error.code == Code::Cancelled;
                let errors =
                    if errors.iter().any(is_cancelled) { vec![self.cancelled()] } else { errors };
                self.report_errors(errors, sink);
                if requests.len() > 1 && !self.context.options.writes_nothing() {
                    sink.note(Note::new(
                        "nothing was written, because folio makes all edits or none",
                    ));
                }
                return Ok(());
            }
        };
        match result {
            Ok(result) => {
                if result.committed.files > 0 {
                    sink.edited(result.committed.undo.map(Hint::undo));
                }
                self.note_sites(requests, sink);
                self.report(&result, sink)
            }
            Err(error) => {
                self.failed += 1;
                self.report_errors(vec![with_numbers_of_path(requests, error)], sink);
                Ok(())
            }
        }
    }

    /// Returns the error of a transaction that was cancelled before its commit.
    fn cancelled(&self) -> Error {
        let mut error = self.context.host.env.cancel.error();
        // Otherwise, earlier transactions may have changed files.
        if !self.context.options.keep_going {
            error.message.push("; no file was changed");
        }
        error
    }

    /// Prints a note for each site of the edited files that was detected, if links were updated.
    fn note_sites(&self, requests: &[Request], sink: &mut dyn Sink) {
        let updates = requests.iter().filter(|request| request.options.updates_links());
        let directories = updates.filter_map(|request| request.address.path.parent());
        let directories: BTreeSet<&Path> = directories.collect();
        let sites = &self.context.sites;
        let detected = directories.iter().filter_map(|directory| sites.detected_in(directory));
        for (file, generator) in detected.collect::<BTreeMap<_, _>>() {
            let why = "to use the rules of GitHub instead, set links.site in folio.toml";
            let hint = Hint::command("help", ["config"]).why(why);
            sink.note(Note::at(&file, detection_message(generator)).hint(hint));
        }
    }

    /// Returns the absolute paths of the directories that were created.
    fn resolved_directories(&self) -> Result<Vec<PathBuf>, Error> {
        let roots = &self.context.host.env.roots;
        self.directories.iter().map(|directory| roots.resolve(directory)).collect()
    }

    /// Reports directories that were created. If an edit failed, removes those that are empty.
    fn note_parents(&self, sink: &mut dyn Sink) {
        let roots = &self.context.host.env.roots;
        if self.failed > 0 {
            roots.remove_directories(&self.directories);
        }
        for directory in self.directories.iter().filter(|directory| roots.is_directory(directory)) {
            sink.note(Note::at(directory, "created the directory"));
        }
    }

    /// Prints a note about the other files if some files could not be edited.
    fn note_failed(&self, total: usize, sink: &mut dyn Sink) {
        let edited = total - self.failed;
        if self.failed > 0 && edited > 0 && !self.context.options.writes_nothing() {
            sink.note(Note::new(format!("{edited} of {total} files were edited")));
        }
    }

    fn open(&self, requests: &[Request]) -> Result<Opened, Vec<Error>> {
        let opener = Opener { requests, context: &self.context };
        match requests {
            [request] if request.address.is_stdin() => {
                opener.open_stdin().map_err(|error| vec![error])
            }
            _ => opener.open().map_err(|errors| {
                errors.into_iter().map(|error| with_numbers_of_path(requests, error)).collect()
            }),
        }
    }

    fn plan(
        &self,
        requests: &[Request],
        in_turn: bool,
        mut opened: Opened,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<(Opened, Vec<Outcome>), Vec<Error>> {
        let (files, locks, context) = (&opened.files, &opened.locks, &self.context);
        let batch = Batch { requests, in_turn, context, files, locks };
        let outcomes = batch.plan(&mut opened.batch_files, progress)?;
        Ok((opened, outcomes))
    }

    /// Reports errors. Adds the options of this run to their hints.
    fn report_errors(&mut self, mut errors: Vec<Error>, sink: &mut dyn Sink) {
        // Several edits of a file may fail with the error that names them all.
        errors.dedup();
        for mut error in errors {
            // The other files have been edited.
            if self.context.options.keep_going
                && !self.context.options.writes_nothing()
                && let Some(path) = &error.path
            {
                for hint in &mut error.hints {
                    if let Hint::Again { changes, .. } = hint {
                        changes.insert(0, Change::OnlyFile(path.clone()));
                    }
                }
            }
            if self.context.options.check && error.code == Code::AlreadyApplied {
                let path = error.path.clone().unwrap_or_default();
                sink.note(Note::at(&path, error.message));
                continue;
            }
            let error = match self.adapt {
                Some(adapt) => adapt(error),
                None => error,
            };
            sink.error(&error);
            if self.context.options.check && error.code.exit_status() == ExitStatus::No {
                self.status = ExitStatus::Trouble;
            }
        }
    }

    /// Writes the planned changes, unless it is a dry run.
    fn commit<'r>(
        &self,
        requests: &'r [Request],
        mut opened: Opened,
        outcomes: Vec<Outcome>,
        sink: &mut dyn Sink,
    ) -> Result<BatchResult<'r>, Error> {
        let most = self.max_diff_bytes(sink.style());
        let mut files = self.facts(&mut opened, &outcomes, most, sink.style())?;
        let committed = if self.context.options.writes_nothing() {
            Committed::default()
        } else {
            self.context.host.env.cancel.check().map_err(|_| self.cancelled())?;
            self.write(&mut opened, requests, &outcomes, sink)?
        };
        let backups: HashMap<_, _> =
            committed.backups.iter().map(|(path, backup)| (path, backup)).collect();
        for file in &mut files {
            let backup = backups.get(&file.path);
            file.backup = backup.map(|backup| self.path_as_given(&file.path, backup));
        }
        Ok(BatchResult { requests, outcomes, files, committed })
    }

    /// Returns the maximum size in bytes of the diffs that are kept.
    fn max_diff_bytes(&self, style: Style) -> usize {
        let is_summed = self.has_preview(style) && self.collect.is_none();
        if is_summed { preview::KEPT } else { usize::MAX }
    }

    /// Returns what is reported about each file. At most `most` bytes of diffs are kept.
    fn facts(
        &self,
        opened: &mut Opened,
        outcomes: &[Outcome],
        most: usize,
        style: Style,
    ) -> Result<Vec<FileFacts>, Error> {
        // For callers of tools, updated links are shown without context.
        let arrived = outcomes.iter().filter_map(|outcome| outcome.arrived);
        let edited: HashSet<usize> = outcomes
            .iter()
            .map(|outcome| outcome.file)
            .chain(arrived.map(|(file, _)| file))
            .collect();
        let context = |file| if style.tools && !edited.contains(&file) { 0 } else { diff::CONTEXT };
        let mut room = most;
        let batch_files = opened.batch_files.iter_mut().enumerate();
        let facts = batch_files.map(|(file, batch_file)| {
            let facts = self.file_facts(batch_file, context(file), room)?;
            room -= room.min(facts.diff.as_ref().map_or(0, |diff| diff.hunks.len()));
            Ok(facts)
        });
        facts.collect()
    }

    /// Returns the path of a backup in the same form as the path of the file, if both are in the
    /// same directory.
    fn path_as_given(&self, path: &Path, backup: &Path) -> PathBuf {
        let sibling = path.with_file_name(backup.file_name().unwrap_or_default());
        let is_same =
            self.context.host.env.roots.resolve(&sibling).is_ok_and(|resolved| resolved == *backup);
        if is_same { sibling } else { backup.to_owned() }
    }

    fn write(
        &self,
        opened: &mut Opened,
        requests: &[Request],
        outcomes: &[Outcome],
        sink: &mut dyn Sink,
    ) -> Result<Committed, Error> {
        let mut changes = Vec::new();
        let mut lines = Vec::new();
        for batch_file in &mut opened.batch_files {
            for (change, facts) in batch_file.disk_changes()? {
                changes.push(change);
                lines.push(facts);
            }
        }
        if changes.is_empty() {
            return Ok(Committed::default());
        }
        if !self.context.options.keep_going {
            self.check_count(changes.len() as u64)?;
        }
        let operation = self.context.options.edit.operation.name();
        let remembers = !self.context.options.no_undo && self.context.host.env.undo;
        let (parts, values) = (hints::parts(requests), report::set_values(outcomes));
        let draft = Draft { operation: operation.to_owned(), parts, values, lines };
        let options = CommitOptions {
            sync: !self.context.options.no_sync,
            backup: self.context.options.backup.clone(),
            history: remembers.then_some(draft),
            state: self.context.host.env.state.clone(),
            directories: self.resolved_directories()?,
            ..CommitOptions::default()
        };
        let mut progress = sink.progress("writing files");
        replace::commit(changes, &opened.locks, &options, &mut progress)
    }

    /// Fails if more files would change than allowed, unless the user confirms the change.
    fn check_count(&self, count: u64) -> Result<(), Error> {
        let most = self.context.options.max_files.unwrap_or(self.context.host.env.limits.max_files);
        let question = format!("{count} files would change. Change them?");
        let confirms = |confirm: &Confirm| confirm.ask(&question);
        if count <= most || self.context.host.confirm.as_ref().is_some_and(confirms) {
            return Ok(());
        }
        let message = format!("{count} files would change, more than the limit of {most}");
        Err(Error::new(Code::FileLimit, message)
            .hint(Hint::with_value(MAX_FILES, count.to_string()).why("to edit them all"))
            .hint(Hint::with_switch(DRY_RUN).why("to preview the changes")))
    }

    /// Returns what is reported about a file. Hunks are only counted if the diff of the file would
    /// have more than `most` bytes with them.
    fn file_facts(
        &self,
        batch_file: &mut BatchFile,
        context: u64,
        most: usize,
    ) -> Result<FileFacts, Error> {
        let is_new = batch_file.is_new;
        let mut facts = FileFacts {
            path: batch_file.path.clone(),
            resolved: batch_file.resolved.clone(),
            changes: batch_file.changes(),
            is_new,
            warnings: std::mem::take(&mut batch_file.warnings),
            moved_to: batch_file.moves_to.as_ref().map(|(_, to)| to.path.clone()),
            ..FileFacts::default()
        };
        if (self.context.options.dry_run || self.context.options.diff) && batch_file.changes() {
            let change = diff::Change {
                old: batch_file.source.whole(),
                edits: &batch_file.edits,
                first_lines: &batch_file.lines,
                encoding: Encoding::Utf8,
            };
            let renamed = facts.moved_to.as_ref().map(|to| to.as_os_str().as_bytes().to_vec());
            let mut shown = diff::FileDiff { is_new, renamed, ..Default::default() };
            change.each_hunk_within(context, |hunk| shown.add_within(&hunk, most));
            let has_diff = shown.changes > 0 || shown.renamed.is_some();
            facts.diff = has_diff.then_some(shown);
        }
        let is_printed = facts.path.as_os_str() == "-" && !self.context.options.writes_nothing();
        if !(self.context.options.checksum || is_printed && !is_new) {
            return Ok(facts);
        }
        let raw = batch_file.raw_edits()?;
        if self.context.options.checksum {
            let short = |digits: String| digits[..16].to_owned();
            let before = (!is_new).then(|| guards::file_checksum(&batch_file.source));
            let before = before.map(short);
            let after = guards::edited_checksum(&batch_file.source, &raw);
            facts.checksums = Some((before, short(after)));
        }
        if is_printed && !is_new {
            facts.content = Some(batch_file.new_bytes()?);
        }
        Ok(facts)
    }
}

/// Adds the numbers of the edits of a file to an error about the file.
fn with_numbers_of_path(requests: &[Request], error: Error) -> Error {
    let Some(path) = &error.path else { return error };
    let names_path = |(_, request): &(usize, &Request)| {
        request.address.path == *path || request.to.as_ref().is_some_and(|to| to.path == *path)
    };
    let numbers: Vec<usize> =
        requests.iter().enumerate().filter(names_path).map(|(number, _)| number).collect();
    with_edit_numbers(requests, &numbers, error)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::super::Part;
    use super::*;
    use crate::commands::output::{Progress, Style};
    use crate::commands::patch::write_args::WriteArgs;
    use folio_outline::part::{Query, QueryKind};
    use folio_text::pattern::PatternOptions;

    /// Records progress reports. Each contains the activity and the number of files.
    #[derive(Default)]
    struct Watched(Rc<RefCell<Vec<(String, u64)>>>);

    impl Sink for Watched {
        fn style(&self) -> Style {
            Style::default()
        }

        fn write(&mut self, _: &[u8]) -> Result<(), Closed> {
            Ok(())
        }

        fn note(&mut self, _: Note) {}

        fn error(&mut self, error: &Error) {
            assert_eq!(error.message, "", "nothing fails");
        }

        fn progress(&mut self, what: &str) -> Progress {
            let (seen, what) = (Rc::clone(&self.0), what.to_owned());
            Box::new(move |done, total| {
                assert!(done <= total);
                seen.borrow_mut().push((what.clone(), total));
            })
        }
    }

    #[test]
    fn work_on_many_files_shows_its_progress() {
        let directory = tempfile::tempdir().expect("a directory");
        for name in ["a.md", "b.md", "c.md"] {
            std::fs::write(directory.path().join(name), "A\n").expect("written");
        }
        std::fs::write(directory.path().join("d.md"), "none\n").expect("written");
        let query = Query::new("A", QueryKind::Text, PatternOptions::default());
        let edit = Request {
            target: Some(Part::Match(query)),
            content: Some(b"B".to_vec().into()),
            ..Request::default()
        };
        let addresses = vec![".".into()];
        let write = WriteArgs { no_undo: true, ..WriteArgs::default() };
        let options = PatchOptions { addresses, edit, write, ..PatchOptions::default() };
        let host = Host::new(directory.path()).expect("a host");
        let mut sink = Watched::default();
        assert_eq!(run(&options, &host, &mut sink), Ok(ExitStatus::Done));
        let mut seen = sink.0.take();
        seen.dedup();
        let expected = [("looking through .", 4), ("planning edits", 3), ("writing files", 3)];
        assert_eq!(seen, expected.map(|(what, total)| (what.to_owned(), total)));
    }

    #[test]
    fn a_cancelled_run_changes_nothing() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a.md");
        std::fs::write(&path, "A\n").expect("written");
        let edit = Request {
            target: Some(Part::Whole),
            content: Some(b"B".to_vec().into()),
            ..Request::default()
        };
        let write = WriteArgs { no_undo: true, ..WriteArgs::default() };
        let addresses = vec!["a.md".into()];
        let options = PatchOptions { addresses, edit, write, ..PatchOptions::default() };
        let host = Host::new(directory.path()).expect("a host");
        host.env.cancel.set();
        let mut sink = output::Collected::text();
        run(&options, &host, &mut sink).expect("an exit status");
        assert_eq!(sink.errors[0].code, Code::Cancelled);
        assert_eq!(std::fs::read(path).expect("read"), b"A\n");
    }
}
