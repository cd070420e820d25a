//! Runs `undo` and `redo`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::args::{Forgotten, UndoArgs};
use super::report::{self, DiffObject, RecoveredObject, ReportContext, UndoneObject};
use crate::commands::output::{Closed, Note, Outcome, Sink, counted};
use crate::commands::resolve;
use folio_files::env::Env;
use folio_files::error::{Code, Error, ExitStatus, Hint};
use folio_files::history::{self, HistoryEntry};
use folio_files::journal::{self, Journal};
use folio_files::options::{LIST, RECOVER};
use folio_files::recovery::{self, Ending};
use folio_files::state::StateDirectory;
use folio_files::undo::{self, Direction, Selection, Which};

/// Runs `undo` or `redo`.
pub fn run(args: &UndoArgs, env: &Env, sink: &mut dyn Sink) -> Outcome {
    let which = args.which()?;
    let state = env.state.as_ref().ok_or_else(|| {
        Error::new(Code::NotFound, "no history: neither XDG_STATE_HOME nor HOME is set")
            .hint(hint(None).why("with the HOME that the patch used"))
    })?;
    let direction = if args.redo { Direction::Redo } else { Direction::Undo };
    let scope = if args.any { None } else { undo::scope(&env.roots) };
    let place = ReportContext::at(env.roots.working_directory());
    let mut run = UndoRun { state, env, selection: Selection { which, direction, scope }, place };
    let roots = &env.roots;
    let forgotten = args.forgotten()?;
    let is_other = args.list || args.recover || args.show.is_some() || forgotten.is_some();
    if !is_other && !args.dry_run {
        let left = recovery::recover_simple(state, env);
        left.into_iter().for_each(|left| sink.note(Note::new(left)));
    }
    if !args.recover {
        let pending = journal::pending(state)?;
        if let Some(pending) = pending.iter().rfind(|pending| pending.lies_in(roots)) {
            let recover = hint(Some(RECOVER.0)).why("to finish it or roll it back");
            let message = format!("a previous run was interrupted: {}", run.interrupted(pending));
            // The last patch is the interrupted one, but it can only be recovered.
            if !is_other && run.selection.which == Which::Last {
                return Err(Error::new(Code::FileChanged, message).hint(recover));
            }
            sink.note(Note::new(message).hint(recover));
        }
    }
    if args.resolve.resolve {
        run.resolve(sink)?;
    }
    if let Some(forgotten) = forgotten {
        let _: Result<(), Closed> = run.forget(&forgotten, args.dry_run, sink)?;
        return Ok(ExitStatus::Done);
    }
    // A closed output is not an error.
    let _: Result<(), Closed> = match args {
        UndoArgs { list: true, .. } => run.list(sink)?,
        UndoArgs { show: Some(_), .. } => run.show(sink)?,
        UndoArgs { recover: true, .. } => recover(state, env, &run.place, sink)?,
        UndoArgs { dry_run: true, .. } => run.preview(sink)?,
        _ => run.undo(sink)?,
    };
    Ok(ExitStatus::Done)
}

fn hint(flag: Option<&str>) -> Hint {
    Hint::command("undo", flag)
}

struct UndoRun<'a> {
    state: &'a StateDirectory,
    env: &'a Env,
    selection: Selection,
    place: ReportContext,
}

impl UndoRun<'_> {
    fn undo(&self, sink: &mut dyn Sink) -> Result<Result<(), Closed>, Error> {
        let undone = undo::undo(self.state, &self.selection, self.env, true);
        let undone = undone.map_err(|error| self.named(error))?.ok_or_else(|| self.nothing())?;
        let direction = self.selection.direction;
        sink.edited(undone.recorded.map(|id| direction.reversing_command(id)));
        for warning in &undone.warnings {
            sink.note(Note::new(warning));
        }
        let message = match direction {
            Direction::Undo => "removed the directory",
            Direction::Redo => "created the directory",
        };
        for directory in &undone.directories {
            sink.note(Note::at(self.place.shown(directory), message));
        }
        Ok(sink.record(&UndoneObject::new(&undone, direction, &self.place)))
    }

    /// Replaces a path that is not in the history with the path of the only file in the history
    /// that has the same name.
    fn resolve(&mut self, sink: &mut dyn Sink) -> Result<(), Error> {
        let Which::File(asked) = &self.selection.which else { return Ok(()) };
        let found = self.files_named(asked)?;
        let path = undo::history_path(asked, &self.env.roots);
        if path.is_ok_and(|path| found.contains(&path)) {
            return Ok(());
        }
        match &found[..] {
            [] => Err(self.nothing()),
            [only] => {
                sink.note(resolve::note(asked, self.place.shown(only)));
                self.selection.which = Which::File(only.clone());
                Ok(())
            }
            several => {
                let message = format!("{} files of the history have this name", several.len());
                let error = Error::new(Code::AmbiguousPath, message).at(asked);
                let command = self.selection.direction.command();
                let hints = several.iter().take(5).map(|path| self.place.shown(path));
                Err(hints.fold(error, |error, path| error.hint(Hint::command(command, [path]))))
            }
        }
    }

    /// Returns the files with the name of `path` for which there is something to undo or redo here.
    fn files_named(&self, path: &Path) -> Result<Vec<PathBuf>, Error> {
        let Selection { direction, scope, .. } = &self.selection;
        let is_undo = *direction == Direction::Redo;
        let (entries, _) = history::list(self.state)?;
        let entries = entries
            .iter()
            .filter(|entry| entry.is_undo() == is_undo && entry.lies_in(&self.env.roots));
        let is_here =
            |file: &&PathBuf| scope.as_ref().is_none_or(|it| file.starts_with(&it.directory));
        let files = entries.flat_map(|entry| &entry.files).filter(is_here);
        let named = files.filter(|file| file.file_name() == path.file_name()).cloned();
        Ok(BTreeSet::from_iter(named).into_iter().collect())
    }

    fn preview(&self, sink: &mut dyn Sink) -> Result<Result<(), Closed>, Error> {
        let found = undo::preview(self.state, &self.selection, self.env);
        let (entry, files) =
            found.map_err(|error| self.named(error))?.ok_or_else(|| self.nothing())?;
        Ok(sink.record(&DiffObject::new("preview", &entry, &files, &self.place, sink.style())))
    }

    /// Returns the entry with the given number.
    fn entry(&self) -> Result<HistoryEntry, Error> {
        let Which::Id(id) = self.selection.which else { return Err(self.nothing()) };
        let found = history::find_id(self.state, id)?;
        found.filter(|entry| entry.lies_in(&self.env.roots)).ok_or_else(|| self.nothing())
    }

    fn show(&self, sink: &mut dyn Sink) -> Result<Result<(), Closed>, Error> {
        let entry = self.entry()?;
        let files = undo::show(self.state, &entry, self.env);
        let files = files.map_err(|error| self.named(error))?;
        Ok(sink.record(&DiffObject::new("shown", &entry, &files, &self.place, sink.style())))
    }

    fn forget(
        &self,
        forgotten: &Forgotten,
        dry_run: bool,
        sink: &mut dyn Sink,
    ) -> Result<Result<(), Closed>, Error> {
        let damaged = self.damaged()?;
        let entries = match forgotten {
            Forgotten::Entry => match self.selection.which {
                Which::Id(id) if damaged.contains(&id) => {
                    return self.forget_damaged(id, dry_run, sink);
                }
                _ => vec![self.entry()?],
            },
            Forgotten::All => self.listed(sink)?,
            Forgotten::Matching(text) => {
                let mut matching = Vec::new();
                for entry in self.listed(sink)? {
                    if undo::mentions(&entry, text)? {
                        matching.push(entry);
                    }
                }
                matching
            }
        };
        if matches!(forgotten, Forgotten::All) && self.selection.scope.is_none() {
            for &id in &damaged {
                let _: Result<(), Closed> = self.forget_damaged(id, dry_run, sink)?;
            }
            if entries.is_empty() && !damaged.is_empty() {
                return Ok(Ok(()));
            }
        }
        if entries.is_empty() {
            let message = "there is nothing to remove from the history";
            return Err(Error::new(Code::TargetNotFound, message));
        }
        if dry_run {
            let records = report::history(&entries, &self.place);
            return Ok(records.iter().try_for_each(|entry| sink.record(entry)));
        }
        // If the output is closed, the entries are still removed.
        let mut written = Ok(());
        for entry in &entries {
            undo::forget(self.state, entry)?;
            written = written.and(sink.record(&UndoneObject::forgotten(entry, &self.place)));
        }
        Ok(written)
    }

    /// Returns the numbers of damaged records. Of these, the paths are not known, so there are none
    /// if the run is restricted to roots.
    fn damaged(&self) -> Result<Vec<u64>, Error> {
        if !self.env.roots.may_hold(Path::new("/")) {
            return Ok(Vec::new());
        }
        Ok(history::list(self.state)?.1)
    }

    fn forget_damaged(
        &self,
        id: u64,
        dry_run: bool,
        sink: &mut dyn Sink,
    ) -> Result<Result<(), Closed>, Error> {
        let done = if dry_run {
            "would remove"
        } else {
            undo::forget_damaged(self.state, id)?;
            "removed"
        };
        let message = format!("{done} the damaged record of patch {id} from the history");
        sink.note(Note::new(message));
        Ok(Ok(()))
    }

    /// Returns the error with paths relative to the working directory.
    fn named(&self, mut error: Error) -> Error {
        error.path = error.path.map(|path| self.place.shown(&path).to_owned());
        for hint in &mut error.hints {
            let Hint::Command { args, .. } = hint else { continue };
            args.iter_mut().for_each(|arg| *arg = self.place.shown(Path::new(arg)).into());
        }
        error
    }

    /// Returns the error for a history that contains no matching entry.
    fn nothing(&self) -> Error {
        let roots = &self.env.roots;
        let is_undo = self.selection.direction == Direction::Redo;
        let (entries, _) = match history::list(self.state) {
            Ok(listed) => listed,
            Err(error) => return error,
        };
        let mut others =
            entries.iter().filter(|entry| entry.is_undo() == is_undo && entry.lies_in(roots));
        let message = format!("there is nothing to {}", self.selection.direction.command());
        let missing = |message: String| Error::new(Code::TargetNotFound, message);
        let list = || hint(Some(LIST.0)).why("list the patches that can be undone");
        match &self.selection.which {
            Which::Id(id) if entries.iter().any(|entry| entry.id == *id) => {
                let (message, command) = if is_undo {
                    ("is a patch, not an undo", Direction::Undo)
                } else {
                    ("is an undo, not a patch", Direction::Redo)
                };
                let other = Hint::command(command.command(), [id.to_string()]);
                missing(format!("{id} {message}")).hint(other)
            }
            _ if entries.is_empty() => missing(message),
            Which::Id(id) if is_undo => missing(format!("the history has no undo {id}")),
            Which::Id(id) => missing(format!("the history has no patch {id}")).hint(list()),
            Which::File(path) => {
                let error = if is_undo {
                    "the history has no undo of this file since its last patch"
                } else {
                    "the history has no patch of this file"
                };
                let error = missing(error.into()).at(path);
                let command = self.selection.direction.command();
                let absolute = undo::history_path(path, roots).unwrap_or_default();
                match (self.files_named(path).as_deref(), is_undo) {
                    (Ok([only]), _) if *only != absolute => error.hint(
                        Hint::command(command, [self.place.shown(only)])
                            .why("the only file with this name in the history"),
                    ),
                    (_, true) => error,
                    (_, false) => error.hint(list()),
                }
            }
            Which::Last => match (others.next(), &self.selection.scope) {
                (Some(other), Some(scope)) if !scope.holds(other) => {
                    let what = if scope.is_repository { "repository" } else { "directory" };
                    let shown = scope.directory.display();
                    let any = Hint::command(self.selection.direction.command(), ["--any"]);
                    missing(format!("{message} below the {what} '{shown}'"))
                        .hint(any.why(format!("the last patch anywhere: {}", self.summary(other))))
                }
                (Some(other), _) if is_undo => {
                    let again = Hint::command("redo", [other.id.to_string()]);
                    missing(format!("{message}: there was a patch since the last undo"))
                        .hint(again.why("to redo that undo anyway"))
                }
                _ => missing(message),
            },
        }
    }

    /// Describes the operation and the files of an interrupted run.
    fn interrupted(&self, pending: &Journal) -> String {
        let mut paths = pending.record().paths();
        let first = paths.next().unwrap_or_default();
        let more = match paths.count() {
            0 => String::new(),
            count => format!(" and {}", counted(count as u64, "more file")),
        };
        format!("{} in {}{more}", pending.record().operation, self.place.shown(&first).display())
    }

    /// Describes the operation and the files of an entry.
    fn summary(&self, entry: &HistoryEntry) -> String {
        let file = entry.files.first().map(|path| self.place.shown(path).display().to_string());
        format!("{} in {}", entry.record.operation, file.unwrap_or_default())
    }

    fn list(&self, sink: &mut dyn Sink) -> Result<Result<(), Closed>, Error> {
        let entries = self.listed(sink)?;
        if entries.is_empty() && self.selection.which != Which::Last {
            return Err(self.nothing());
        }
        if entries.is_empty() {
            sink.note(Note::new("there is nothing to undo"));
        }
        let records = report::history(&entries, &self.place);
        Ok(records.iter().try_for_each(|entry| sink.record(entry)))
    }

    /// Returns the entries of the selected patch, file or place, newest first. Prints notes about
    /// others.
    fn listed(&self, sink: &mut dyn Sink) -> Result<Vec<HistoryEntry>, Error> {
        let roots = &self.env.roots;
        let (mut entries, damaged) = history::list(self.state)?;
        entries.retain(|entry| entry.lies_in(roots));
        let all = entries.len();
        for id in damaged {
            let message = format!("the record of patch {id} is damaged, or of another version");
            let forget = Hint::command("undo", ["--forget".to_owned(), id.to_string()]);
            sink.note(Note::new(message).hint(forget.why("to remove it")));
        }
        match (&self.selection.which, &self.selection.scope) {
            (Which::Last, None) => {}
            (Which::Last, Some(scope)) => entries.retain(|entry| scope.holds(entry)),
            (Which::Id(id), _) => entries.retain(|entry| entry.id == *id),
            (Which::File(path), _) => {
                let path = undo::history_path(path, roots)?;
                entries.retain(|entry| entry.files.contains(&path));
            }
        }
        if self.selection.which == Which::Last && entries.len() < all {
            let elsewhere = all - entries.len();
            let hint = Hint::command("undo", ["--list", "--any"]);
            sink.note(
                Note::new(format!("{elsewhere} more elsewhere")).hint(hint.why("to list all")),
            );
        }
        Ok(entries)
    }
}

fn recover(
    state: &StateDirectory,
    env: &Env,
    place: &ReportContext,
    sink: &mut dyn Sink,
) -> Result<Result<(), Closed>, Error> {
    let (recovered, left) = recovery::recover(state, env);
    match left {
        0 if recovered.is_empty() => {
            sink.note(Note::new("nothing to recover: no run was interrupted"));
        }
        0 => {}
        left => {
            let runs = counted(left as u64, "interrupted run");
            let verb = if left == 1 { "was" } else { "were" };
            let message = format!("{runs} {verb} not recovered, because of files outside the root");
            sink.note(Note::new(message));
        }
    }
    for outcome in recovered {
        match outcome {
            Err(error) => sink.error(&error),
            Ok(recovered) => {
                for message in &recovered.messages {
                    sink.note(Note::new(message));
                }
                if let Err(closed) = sink.record(&RecoveredObject::new(&recovered, place)) {
                    return Ok(Err(closed));
                }
                if recovered.ending == Ending::InPart {
                    sink.error(&in_part(&recovered, place));
                }
            }
        }
    }
    Ok(Ok(()))
}

/// Returns the error for a run that could be recovered only in part.
fn in_part(recovered: &recovery::Recovered, place: &ReportContext) -> Error {
    let message = "an interrupted run stays partly done, because its files have changed since";
    let files = recovered.files.iter().take(3);
    files.fold(Error::new(Code::FileChanged, message), |error, path| {
        error.hint(Hint::command("inspect", [place.shown(path)]))
    })
}
