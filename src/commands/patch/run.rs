//! From operands to edits, and from edits to files.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::args::{OperationArg, PatchArgs};
use super::guards;
use super::open::{Opened, Opener};
use super::report::{self, FileOutcome, Outcome, Stage};
use super::source::Source;
use super::transaction::{self, Files, Limits, Work};
use super::{Content, Operation, Request, wire};
use crate::commands::input::whole_input;
use crate::commands::misses;
use crate::commands::output::{Closed, Note, Sink};
use crate::commands::shared_args::{contradiction, section_patterns};
use crate::error::{Code, Error, ExitStatus};
use crate::files::document::{Document, DocumentOptions};
use crate::files::env::Env;
use crate::files::history::Draft;
use crate::files::journal;
use crate::files::link_target::LinkPaths;
use crate::files::replace::{self, Change, CommitOptions, Committed, Editable, Mode};
use crate::text::diff;
use crate::text::edit::{Edit, EditSet};
use crate::text::pattern::Pattern;
use crate::text::span::Span;

/// Lines that may go without being asked for.
const MAX_DELETE: u64 = 200;

/// Runs the command.
pub fn run(args: &PatchArgs, env: &Env, output: &mut dyn Sink) -> crate::commands::output::Outcome {
    let mut session = Session::new(args, env)?;
    session.tell_pending(output);
    if args.operation == OperationArg::Apply {
        session.apply(output)?;
        return Ok(session.status);
    }
    let content = content(args, env)?;
    let requests = args.requests(content, &env.roots)?;
    if let [request] = &requests[..]
        && request.address.is_stdin()
    {
        session.stream(request, output)?;
        return Ok(session.status);
    }
    let mut closed = Ok(());
    if args.keep_going {
        for request in &requests {
            closed = closed.and(session.transaction(std::slice::from_ref(request), false, output));
        }
    } else {
        closed = session.transaction(&requests, false, output);
    }
    // Nobody listens any more, but what was asked for is done.
    let _ = closed;
    Ok(session.status)
}

/// What is put in, read once for all addresses.
fn content(args: &PatchArgs, env: &Env) -> Result<Option<Content>, Error> {
    use std::os::unix::ffi::OsStrExt;
    if args.content.is_some() && args.content_file.is_some() {
        return Err(contradiction("--content", "--content-file"));
    }
    if let Some(text) = &args.content {
        let bytes = text.as_bytes().to_vec();
        return Ok(Some(Content { bytes, file: None }));
    }
    let Some(file) = &args.content_file else { return Ok(None) };
    if file == "-" && args.addresses.iter().any(|address| address == "-") {
        return Err(Error::usage("standard input is the document: it cannot be the content too"));
    }
    let mut bytes = whole_input(file, env)?;
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    Ok(Some(Content { bytes, file: Some(file.clone()) }))
}

struct Session<'a> {
    args: &'a PatchArgs,
    env: &'a Env,
    status: ExitStatus,
    link_paths: LinkPaths,
    load: DocumentOptions,
    entries: Vec<Pattern>,
    limits: Limits,
}

impl<'a> Session<'a> {
    fn new(args: &'a PatchArgs, env: &'a Env) -> Result<Self, Error> {
        Ok(Self {
            args,
            env,
            status: ExitStatus::Done,
            link_paths: LinkPaths::new(&env.roots),
            load: args.documents.options(),
            entries: section_patterns(&args.section_pattern)?,
            limits: Limits { max_delete: args.max_delete.unwrap_or(MAX_DELETE), force: args.force },
        })
    }

    /// What a crash has left is told by every run.
    fn tell_pending(&self, output: &mut dyn Sink) {
        let Some(state) = &self.env.state else { return };
        // Without a plan nothing was changed, or the next run in that directory
        // cleans up.
        if journal::pending(state)
            .iter()
            .any(|pending| pending.has_plan && pending.lies_in(&self.env.roots))
        {
            output.note(Note::new(
                "an earlier run was cut off: folio undo --recover puts its files in order",
            ));
        }
    }

    fn mode(&self) -> Mode {
        if self.args.in_place { Mode::InPlace } else { Mode::Rename }
    }

    fn opener<'b>(&'b self, requests: &'b [Request]) -> Opener<'b> {
        Opener {
            requests,
            env: self.env,
            link_paths: &self.link_paths,
            load: &self.load,
            entries: &self.entries,
            mode: self.mode(),
            only_looks: self.only_looks(),
        }
    }

    fn only_looks(&self) -> bool {
        self.args.dry_run || self.args.check
    }

    fn stage(&self) -> Stage {
        if self.only_looks() { Stage::Preview } else { Stage::Done }
    }

    fn apply(&mut self, output: &mut dyn Sink) -> Result<(), Error> {
        self.args.refuse_edit_flags()?;
        let file = match self.args.addresses.first() {
            Some(file) => file.as_os_str(),
            None if self.env.stdin_is_data() => OsStr::new("-"),
            None => {
                return Err(Error::usage("apply needs edits")
                    .hint("folio patch apply FILE  # or - for standard input"));
            }
        };
        let text = whole_input(file, self.env)?;
        let edits = wire::edits(&text, &self.env.roots)?;
        let _ = self.transaction(&edits.requests, edits.sequential, output);
        Ok(())
    }

    /// A document from standard input, whose result is printed.
    fn stream(&mut self, request: &Request, output: &mut dyn Sink) -> Result<(), Error> {
        let given = [
            (self.args.backup.is_some(), "--backup"),
            (self.args.in_place, "--in-place"),
            (!self.args.links_in.is_empty(), "--links-in"),
            (
                matches!(
                    request.operation,
                    Operation::Create | Operation::Move(..) | Operation::Copy(..)
                ),
                request.operation.name(),
            ),
        ];
        if let Some((_, what)) = given.iter().find(|(given, _)| *given) {
            return Err(Error::usage(format!("{what} needs a file, not standard input")));
        }
        let name = PathBuf::from("-");
        let document =
            Document::stream(&name, self.env.open_stdin()?, &self.load, &self.env.cancel)?;
        let source = Source::new(document, self.entries.clone())?;
        let mut works = vec![Work::existing(name.clone(), name, source)];
        let by_path = HashMap::from([(PathBuf::from("-"), 0)]);
        let (with_links, force) = (&HashMap::new(), self.limits.force);
        let files = Files { by_path: &by_path, with_links, force, link_paths: &self.link_paths };
        let planned = self.planned(&mut works, std::slice::from_ref(request), false, &files);
        let outcomes = match planned {
            Ok(outcomes) => outcomes,
            Err(errors) => {
                self.tell_errors(errors, output);
                return Ok(());
            }
        };
        let Some(work) = works.first_mut() else { return Ok(()) };
        let Some(source) = &mut work.source else { return Ok(()) };
        let raw = source.raw_edits(&work.edits)?;
        let mut result = Vec::new();
        source.each_raw(&raw, |bytes| result.extend_from_slice(bytes))?;
        let style = output.style();
        if self.only_looks() || style.json {
            let mut file = self.file_outcome(work, style)?;
            file.content = (!self.only_looks()).then_some(result);
            let told = self.tell(request, &outcomes[0], Some(&file), None, output);
            let _ = told;
            self.outcome_of(&works);
            return Ok(());
        }
        let _ = output.write(&result);
        transaction::take_warnings(work).iter().for_each(|warning| output.note(Note::new(warning)));
        for outcome in &outcomes {
            outcome.warnings.iter().for_each(|warning| output.note(Note::new(warning)));
            if let Some(others) = outcome.others {
                output.note(Note::new(are_left(others)));
            }
        }
        Ok(())
    }

    /// All requests or none of them.
    fn transaction(
        &mut self,
        requests: &[Request],
        sequential: bool,
        output: &mut dyn Sink,
    ) -> Result<(), Closed> {
        match self.prepared(requests, sequential) {
            Ok((mut opened, outcomes)) => {
                match self.finish(&mut opened, requests, outcomes, output) {
                    Ok(told) => told,
                    Err(error) => {
                        self.tell_errors(vec![error], output);
                        Ok(())
                    }
                }
            }
            Err(errors) => {
                let several = requests.len() > 1;
                self.tell_errors(errors, output);
                if several && !self.only_looks() {
                    output.note(Note::new("nothing was written: all edits are made, or none"));
                }
                Ok(())
            }
        }
    }

    fn tell_errors(&mut self, errors: Vec<Error>, output: &mut dyn Sink) {
        let flags = self.args.of_run();
        for mut error in errors {
            misses::add_flags(&mut error, "patch", &flags);
            if self.args.check && error.code == Code::AlreadyApplied {
                let path = error.path.clone().unwrap_or_default();
                output.note(Note::new(format!("'{}': {}", path.display(), error.message)));
                continue;
            }
            output.error(&error);
            if self.args.check && error.code.exit_status() == ExitStatus::No {
                self.status = ExitStatus::Trouble;
            }
        }
    }

    fn prepared(
        &mut self,
        requests: &[Request],
        sequential: bool,
    ) -> Result<(Opened, Vec<Outcome>), Vec<Error>> {
        let mut opened = self.opener(requests).open()?;
        let (with_links, force) = (&opened.with_links, self.limits.force);
        let files =
            Files { by_path: &opened.by_path, with_links, force, link_paths: &self.link_paths };
        let outcomes = self.planned(&mut opened.works, requests, sequential, &files)?;
        Ok((opened, outcomes))
    }

    fn planned(
        &self,
        works: &mut [Work],
        requests: &[Request],
        sequential: bool,
        files: &Files<'_>,
    ) -> Result<Vec<Outcome>, Vec<Error>> {
        let numbered: Vec<(usize, &Request)> = requests.iter().enumerate().collect();
        let mut outcomes = transaction::plan_all(works, &numbered, sequential, files)?;
        let requests: Vec<&Request> = requests.iter().collect();
        let mut errors = Vec::new();
        for work in works.iter_mut() {
            match transaction::settle(work, &requests, sequential, self.limits) {
                Ok(settled) => outcomes.extend(settled),
                Err(error) => errors.push(error),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(joined(outcomes, &requests))
    }

    /// A dry run says, too, what would not be written.
    fn tell_refusals(&self, works: &[Work], output: &mut dyn Sink) {
        for work in works.iter().filter(|work| work.changes() && work.created.is_none()) {
            let refusal = Editable::refusal(&work.path, self.mode(), &self.env.roots);
            let Some(Error { message, hints, .. }) = refusal else { continue };
            let hint = hints
                .first()
                .map(|hint| format!(" ({})", hint.to_string().replacen("  # ", ": ", 1)));
            let hint = hint.unwrap_or_default();
            let path = work.path.display();
            output.note(Note::new(format!("'{path}': it would be refused: {message}{hint}")));
        }
    }

    /// Writes what is planned, or shows it, and tells of it.
    fn finish(
        &mut self,
        opened: &mut Opened,
        requests: &[Request],
        outcomes: Vec<Outcome>,
        output: &mut dyn Sink,
    ) -> Result<Result<(), Closed>, Error> {
        let style = output.style();
        let mut files = Vec::with_capacity(opened.works.len());
        for work in &mut opened.works {
            files.push(self.file_outcome(work, style)?);
        }
        let mut committed = Committed::default();
        if !self.only_looks() {
            committed = self.commit(opened, requests)?;
            let backups: HashMap<&Path, &PathBuf> = committed
                .written
                .iter()
                .filter_map(|written| Some((written.path.as_path(), written.backup.as_ref()?)))
                .collect();
            for (work, file) in opened.works.iter().zip(&mut files) {
                file.backup = backups.get(work.path.as_path()).copied().cloned();
            }
        }
        let undo = committed.undo;
        self.outcome_of(&opened.works);
        let told = self.tell_all(opened, requests, &outcomes, &files, undo, output);
        if self.args.dry_run {
            self.tell_refusals(&opened.works, output);
        }
        for work in &mut opened.works {
            for warning in transaction::take_warnings(work) {
                output.note(Note::new(format!("'{}': {warning}", work.path.display())));
            }
        }
        committed.warnings.iter().for_each(|warning| output.note(Note::new(warning)));
        Ok(told)
    }

    /// `--check` says no where something would change.
    fn outcome_of(&mut self, works: &[Work]) {
        if self.args.check && works.iter().any(Work::changes) {
            self.status = self.status.max(ExitStatus::No);
        }
    }

    fn tell_all(
        &self,
        opened: &Opened,
        requests: &[Request],
        outcomes: &[Outcome],
        files: &[FileOutcome],
        undo: Option<u64>,
        output: &mut dyn Sink,
    ) -> Result<(), Closed> {
        let file_of = |outcome: &Outcome| {
            opened.by_path.get(&requests[outcome.request].address.path).copied()
        };
        let mut last: HashMap<usize, usize> = HashMap::new();
        for (number, outcome) in outcomes.iter().enumerate() {
            if let Some(file) = file_of(outcome) {
                last.insert(file, number);
            }
        }
        let told_of: Vec<usize> = last.keys().copied().collect();
        for (number, outcome) in outcomes.iter().enumerate() {
            let file = file_of(outcome).filter(|file| last.get(file) == Some(&number));
            let file = file.map(|file| &files[file]);
            // Of several edits the summary tells how to take them back.
            let undo = undo.filter(|_| output.style().json || outcomes.len() == 1);
            self.tell(&requests[outcome.request], outcome, file, undo, output)?;
        }
        let style = output.style();
        // What only arrives at a place has no edit of its own.
        for (number, file) in files.iter().enumerate() {
            if let (false, Some(diff), false) = (told_of.contains(&number), &file.diff, style.json)
            {
                output.write(diff)?;
            }
        }
        let changed = opened.works.iter().filter(|work| work.changes()).count() as u64;
        let edits = outcomes.iter().filter(|outcome| !outcome.unchanged).count() as u64;
        if outcomes.len() > 1 {
            if style.json {
                let line = report::json_summary(changed, edits, self.stage(), undo);
                output.write(&line)?;
            } else if !self.args.dry_run && !self.args.diff {
                output.write(&report::text_summary(changed, edits, undo, style))?;
            } else if let Some(undo) = undo {
                output.note(Note::new(format!("folio undo {undo} takes them back")));
            }
        }
        Ok(())
    }

    fn tell(
        &self,
        request: &Request,
        outcome: &Outcome,
        file: Option<&FileOutcome>,
        undo: Option<u64>,
        output: &mut dyn Sink,
    ) -> Result<(), Closed> {
        let style = output.style();
        let undo = undo.filter(|_| !outcome.unchanged);
        if style.json {
            return output.write(&report::json_line(request, outcome, file, self.stage(), undo));
        }
        let path = request.address.path.display();
        for warning in &outcome.warnings {
            output.note(Note::new(format!("'{path}': {warning}")));
        }
        let shows_diff = self.args.dry_run || self.args.diff;
        if !shows_diff || outcome.unchanged {
            let line = report::text_line(request, outcome, self.stage(), undo, style);
            output.write(&line)?;
        } else if let Some(others) = outcome.others {
            output.note(Note::new(format!("'{path}': {}", are_left(others))));
        }
        if let Some((before, after)) = file.and_then(|file| file.checksums.as_ref()) {
            output.write(format!("{before}  {path} before\n{after}  {path}\n").as_bytes())?;
        }
        if let Some(diff) = file.and_then(|file| file.diff.as_ref()) {
            output.write(diff)?;
        }
        // What is printed is the diff.
        if let Some(undo) = undo.filter(|_| shows_diff) {
            output.note(Note::new(format!("folio undo {undo} takes it back")));
        }
        Ok(())
    }

    fn file_outcome(
        &self,
        work: &mut Work,
        style: crate::commands::output::Style,
    ) -> Result<FileOutcome, Error> {
        let mut file = FileOutcome::default();
        if self.args.dry_run || self.args.diff {
            file.diff = Some(file_diff(work, style)?).filter(|diff| !diff.is_empty());
        }
        if self.args.checksum
            && let Some(source) = &mut work.source
        {
            let raw = source.raw_edits(&work.edits)?;
            let before = guards::file_checksum(source)?;
            let after = guards::edited_checksum(source, &raw)?;
            file.checksums = Some((before[..16].to_owned(), after[..16].to_owned()));
        }
        Ok(file)
    }

    fn commit(&self, opened: &mut Opened, requests: &[Request]) -> Result<Committed, Error> {
        let mut changes = Vec::new();
        let mut lines_delta = Vec::new();
        for (work, editable) in opened.works.iter_mut().zip(&mut opened.editables) {
            if !work.changes() {
                continue;
            }
            lines_delta.push(Some(work.lines_delta()));
            if let Some(content) = work.created.clone() {
                let path = work.path.clone();
                changes.push(Change::Create { path, content, parents: false });
                continue;
            }
            let (Some(source), Some(file)) = (&mut work.source, editable.take()) else { continue };
            let edits = source.raw_edits(&work.edits)?;
            changes.push(Change::Edit { file, edits });
        }
        if changes.is_empty() {
            return Ok(Committed::default());
        }
        let operation = match self.args.operation {
            OperationArg::Apply => "apply",
            _ => requests[0].operation.name(),
        };
        let remembers = !self.args.no_undo && self.env.undo;
        let draft = Draft { operation: operation.to_owned(), lines_delta };
        let options = CommitOptions {
            sync: !self.args.no_sync,
            backup: self.args.backup.clone(),
            history: remembers.then_some(draft),
            state: self.env.state.clone(),
        };
        replace::commit(changes, &opened.locks, &options)
    }
}

/// What is said where more matches than those that are edited are there.
fn are_left(others: u64) -> String {
    match others {
        1 => "1 more match is left: --occurrence all".to_owned(),
        others => format!("{others} more matches are left: --occurrence all"),
    }
}

/// Outcomes in the order of the requests; where lines arrive is told with
/// where they were.
fn joined(outcomes: Vec<Outcome>, requests: &[&Request]) -> Vec<Outcome> {
    let mut outcomes = outcomes;
    outcomes.sort_by_key(|outcome| outcome.request);
    let mut joined: Vec<Outcome> = Vec::with_capacity(outcomes.len());
    for outcome in outcomes {
        let same = joined.last_mut().filter(|last| last.request == outcome.request);
        let Some(last) = same else {
            joined.push(outcome);
            continue;
        };
        if outcome.only_links || last.only_links {
            let (mut main, other) =
                if last.only_links { (outcome, last.clone()) } else { (last.clone(), outcome) };
            main.links.extend(other.links);
            *last = main;
            continue;
        }
        // Of the two, the arrival is the one that brings lines.
        let (mut source, arrival) =
            if last.result.is_some() { (outcome, last.clone()) } else { (last.clone(), outcome) };
        if let Operation::Move(to, _) | Operation::Copy(to, _) = &requests[source.request].operation
        {
            source.arrived = Some((to.path.clone(), arrival.result));
            source.after = arrival.after;
            source.range_checksum = arrival.range_checksum;
            source.is_cut |= arrival.is_cut;
            if to.path == requests[source.request].address.path {
                source.lines_delta += arrival.lines_delta;
                source.unchanged &= arrival.unchanged;
            }
        }
        *last = source;
    }
    joined
}

fn file_diff(work: &mut Work, style: crate::commands::output::Style) -> Result<Vec<u8>, Error> {
    if let Some(content) = &work.created {
        let edits =
            EditSet::new(vec![Edit::new(Span::new(0, 0), content.clone())]).unwrap_or_default();
        let change = diff::Change {
            edits: &edits,
            first_lines: &[1],
            length: 0,
            encoding: crate::text::encoding::Encoding::Utf8,
        };
        let hunks = change.hunks(|_| Ok::<_, Error>(Vec::new()))?;
        return Ok(report::diff(&hunks, &work.path, true, style));
    }
    let Some(source) = &mut work.source else { return Ok(Vec::new()) };
    let change = diff::Change {
        edits: &work.edits,
        first_lines: &work.lines,
        length: source.index()?.text().end(),
        encoding: crate::text::encoding::Encoding::Utf8,
    };
    let hunks = change.hunks(|span| source.bytes(span))?;
    Ok(report::diff(&hunks, &work.path, false, style))
}
