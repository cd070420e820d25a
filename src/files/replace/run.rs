//! A commit from its beginning to its end: what is shared between its steps,
//! and what becomes of all of them when one fails.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use super::content::{Sink, Source, copy_span, read_edited};
use super::create::{Birth, Death};
use super::editable::{Editable, Mode, of_path};
use super::failpoints::{self, Point};
use super::in_place::{CHANGED, Rewrite};
use super::swap::Swap;
use super::temporary::{Note, Slot};
use super::{Change, CommitOptions, Committed, Written, system_error};
use crate::error::{Code, Error, Hint};
use crate::files::history::{self, MAX_OF_ENTRY, Recorded};
use crate::files::journal::{self, Journal};
use crate::files::lock::{Directory, Locks};
use crate::files::records::{FileRecord, Hashed, Name, PlanRecord, StepKind, StepRecord};
use crate::files::system::{self, Identity};
use crate::text::edit::EditSet;
use crate::text::span::Span;

/// What the steps of a commit share.
pub(super) struct Context<'a> {
    pub(super) options: &'a CommitOptions,
    pub(super) journal: Option<Journal>,
    /// Whether there are several changes.
    pub(super) is_transaction: bool,
    /// Warnings.
    pub(super) told: Vec<String>,
    /// Directories that were made for new files.
    pub(super) made: Vec<Arc<Directory>>,
    /// The next slot of each directory, by device and inode.
    next: HashMap<(u64, u64), u32>,
}

impl Context<'_> {
    /// Tells something, once.
    pub(super) fn tell(&mut self, what: &str) {
        if !self.told.iter().any(|told| told == what) {
            self.told.push(what.to_owned());
        }
    }

    /// What the notes of temporary names call the commit: only one that needs its plan
    /// to be put in order.
    pub(super) fn commit_name(&self) -> Option<String> {
        let journal = self.journal.as_ref().filter(|_| self.is_transaction);
        journal.map(|journal| journal.name().to_owned())
    }

    /// A directory that is locked or was made.
    pub(super) fn find(&self, path: &Path, locks: &Locks) -> Result<Arc<Directory>, Error> {
        let made = self.made.iter().find(|made| made.path() == path);
        made.cloned().map_or_else(|| locks.find(path), Ok)
    }

    /// A new file in a directory: without a name, or else in a slot.
    pub(super) fn new_file(
        &mut self,
        directory: &Arc<Directory>,
        mode: u32,
    ) -> Result<(File, Option<Slot>), Error> {
        let refused =
            [Errno::NOSPC, Errno::DQUOT, Errno::ROFS, Errno::ACCESS, Errno::PERM, Errno::MFILE];
        match system::create_nameless(directory, mode) {
            Ok(file) => return Ok((file, None)),
            Err(error) if refused.contains(&error) => {
                return Err(system_error("no temporary file can be made", error));
            }
            Err(_) => {}
        }
        self.named_file(directory, mode).map(|(file, slot)| (file, Some(slot)))
    }

    fn named_file(&mut self, directory: &Arc<Directory>, mode: u32) -> Result<(File, Slot), Error> {
        let state = self.options.state.clone();
        let is_live = |name: &str| journal::is_unfinished(state.as_ref(), name);
        let next = self.next.entry((directory.device(), directory.inode())).or_default();
        let (slot, file) = Slot::claim_with_file(directory, *next, mode, &is_live, &mut self.told)?;
        *next = slot.number() + 1;
        Ok((file, slot))
    }

    /// A copy of a staged file in a slot, where a file that has no name cannot
    /// be given one.
    pub(super) fn copy_into_slot(
        &mut self,
        directory: &Arc<Directory>,
        staged: &File,
        mode: u32,
    ) -> Result<(File, Slot), Error> {
        let (copy, slot) = self.named_file(directory, mode)?;
        let copied = system::status_of(staged).map_err(io::Error::from).and_then(|status| {
            copy_span(staged, Span::new(0, status.identity.size), &copy)?;
            if self.options.sync { Ok(system::sync(&copy)?) } else { Ok(()) }
        });
        match copied {
            Ok(()) => Ok((copy, slot)),
            Err(error) => {
                // What cannot be taken away now, the next run takes away.
                let _ = slot.clear();
                Err(Error::io(&error, directory.path()))
            }
        }
    }

    /// A slot in a directory.
    pub(super) fn claim(&mut self, directory: &Arc<Directory>, note: &Note) -> Result<Slot, Error> {
        let state = self.options.state.clone();
        let is_live = |name: &str| journal::is_unfinished(state.as_ref(), name);
        let next = self.next.entry((directory.device(), directory.inode())).or_default();
        let slot = Slot::claim(directory, *next, note, &is_live, &mut self.told)?;
        *next = slot.number() + 1;
        Ok(slot)
    }
}

/// One change.
enum Step {
    /// Nothing is to be done.
    Same(Editable),
    Swap(Swap, EditSet),
    Rewrite(Rewrite),
    Birth(Birth),
    Death(Editable, Death),
}

impl Step {
    fn asked(&self) -> &Path {
        match self {
            Self::Same(file) | Self::Death(file, _) => &file.asked,
            Self::Swap(swap, _) => &swap.old.asked,
            Self::Rewrite(rewrite) => &rewrite.file.asked,
            Self::Birth(birth) => &birth.asked,
        }
    }

    fn stage(change: Change, locks: &Locks, context: &mut Context<'_>) -> Result<Self, Error> {
        match change {
            Change::Edit { file, edits } if edits.is_empty() => Ok(Self::Same(file)),
            Change::Edit { file, edits } => {
                let backup = backup_name(&file, context)?;
                match file.mode {
                    Mode::Rename => Swap::stage(file, &edits, backup, context)
                        .map(|swap| Self::Swap(swap, edits)),
                    Mode::InPlace => {
                        Rewrite::stage(file, edits, backup, context).map(Self::Rewrite)
                    }
                }
            }
            Change::Create { path, content, parents } => {
                Birth::stage(&path, &content, parents, locks, context).map(Self::Birth)
            }
            Change::Remove { file } => {
                let death = Death::new(&file);
                Ok(Self::Death(file, death))
            }
        }
    }

    fn ready(&mut self, context: &mut Context<'_>) -> Result<(), Error> {
        match self {
            Self::Swap(swap, _) => swap.ready(context),
            Self::Birth(birth) => birth.ready(context),
            Self::Death(_, death) => death.ready(context),
            Self::Rewrite(rewrite) => rewrite.ready(context),
            Self::Same(_) => Ok(()),
        }
    }

    fn apply(&mut self, context: &mut Context<'_>) -> Result<(), Error> {
        match self {
            Self::Same(_) => Ok(()),
            Self::Swap(swap, _) => swap.apply(context),
            Self::Rewrite(rewrite) => rewrite.apply(context.options.sync),
            Self::Birth(birth) => birth.apply(context),
            Self::Death(_, death) => death.apply(),
        }
    }

    /// The sentence says what else the user is to know.
    fn take_back(&mut self, context: &mut Context<'_>) -> Result<Option<String>, Error> {
        let failed = |error| system_error("it cannot be taken back", error);
        let is_back = match self {
            Self::Same(_) => true,
            Self::Swap(swap, _) => swap.take_back().map_err(failed)?,
            Self::Rewrite(rewrite) => return rewrite.take_back(),
            Self::Birth(birth) => birth.take_back(context)?,
            Self::Death(_, death) => death.take_back().map_err(failed)?,
        };
        Ok((!is_back).then(|| CHANGED.to_owned()))
    }

    fn finish(&mut self) -> Result<(), Errno> {
        match self {
            Self::Same(_) => Ok(()),
            Self::Swap(swap, _) => swap.finish(),
            Self::Rewrite(rewrite) => {
                rewrite.finish();
                Ok(())
            }
            Self::Birth(birth) => birth.finish(),
            Self::Death(_, death) => death.finish(),
        }
    }

    /// The directory in which a name changes.
    fn directory(&self) -> Option<&Arc<Directory>> {
        match self {
            Self::Same(_) | Self::Rewrite(_) => None,
            Self::Swap(swap, _) => Some(&swap.old.directory),
            Self::Birth(birth) => Some(&birth.directory),
            Self::Death(_, death) => Some(&death.directory),
        }
    }

    /// As it stands in the plan.
    fn record(&self) -> Option<StepRecord> {
        let (directory, name, step) = match self {
            Self::Same(_) => return None,
            Self::Swap(swap, _) => {
                let step = StepKind::Replace {
                    slot: swap.slot.as_ref().map_or(0, Slot::number),
                    old: swap.old.identity().into(),
                    new: swap.after.identity.into(),
                    backup: swap.backup.as_deref().map(Name::from),
                };
                (swap.old.directory.path(), &swap.old.name, step)
            }
            Self::Rewrite(rewrite) => {
                (rewrite.file.directory.path(), &rewrite.file.name, rewrite.record())
            }
            Self::Birth(birth) => {
                let step = StepKind::Create { new: birth.after?.identity.into() };
                (birth.directory.path(), &birth.name, step)
            }
            Self::Death(file, death) => {
                let slot = death.slot.as_ref().map_or(0, Slot::number);
                let step = StepKind::Remove { slot, old: death.status.identity.into() };
                (file.directory.path(), &death.name, step)
            }
        };
        let (directory, name) = (Name::from(directory), Name::from(name.as_os_str()));
        Some(StepRecord { directory, name, step })
    }

    fn written(&self) -> Written {
        let identity = match self {
            Self::Same(file) => Some(file.identity()),
            Self::Swap(swap, _) => Some(swap.after.identity),
            Self::Rewrite(rewrite) => Some(rewrite.after.identity),
            Self::Birth(birth) => birth.after.map(|after| after.identity),
            Self::Death(..) => None,
        };
        let backup = self.backup().map(|(file, _, name)| file.resolved.with_file_name(name));
        Written { path: self.asked().to_owned(), identity, backup }
    }

    /// The old file, the name that it was to be kept under, and the one it has.
    fn backup(&self) -> Option<(&Editable, &OsString, &OsString)> {
        match self {
            Self::Swap(Swap { old, backup, kept_as, .. }, _) => {
                Some((old, backup.as_ref()?, kept_as.as_ref()?))
            }
            Self::Rewrite(Rewrite { file, backup, kept_as, .. }) => {
                Some((file, backup.as_ref()?, &kept_as.as_ref()?.0))
            }
            Self::Same(_) | Self::Birth(_) | Self::Death(..) => None,
        }
    }
}

/// The name that an old file is to be kept under.
fn backup_name(file: &Editable, context: &Context<'_>) -> Result<Option<OsString>, Error> {
    let Some(suffix) = &context.options.backup else { return Ok(None) };
    let mut name = file.name.clone();
    name.push(suffix);
    if suffix.is_empty() || Path::new(&name).file_name() != Some(OsStr::new(&name)) {
        let suffix = suffix.to_string_lossy();
        return Err(Error::usage(format!("'{suffix}' is no suffix for the name of a backup")));
    }
    Ok(Some(name))
}

/// A commit.
pub(super) struct Run<'a> {
    context: Context<'a>,
    steps: Vec<Step>,
    recorded: Option<Recorded>,
    has_plan: bool,
}

impl<'a> Run<'a> {
    /// Begins the journal.
    pub(super) fn begin(
        changes: &[Change],
        locks: &Locks,
        options: &'a CommitOptions,
    ) -> Result<Self, Error> {
        options.state.as_ref().map(history::expire);
        let mut told = Vec::new();
        let begin = |state| Journal::begin(state, locks.directories());
        let journal = match options.state.as_ref().map(begin) {
            None => None,
            Some(Ok(journal)) => Some(journal),
            Some(Err(error)) => {
                let reason = Error::io(&error, Path::new("")).message;
                told.push(format!("it cannot be undone, and a crash not recovered: {reason}"));
                None
            }
        };
        let is_transaction = changes.len() > 1;
        if journal.is_none() && is_transaction {
            told.push("after a crash these changes could not be taken back together".to_owned());
        }
        let (made, next) = (Vec::new(), HashMap::new());
        let context = Context { options, journal, is_transaction, told, made, next };
        Ok(Self { context, steps: Vec::new(), recorded: None, has_plan: false })
    }

    /// Makes all changes; on an error they are to be aborted.
    pub(super) fn all(&mut self, changes: Vec<Change>, locks: &Locks) -> Result<(), Error> {
        for change in changes {
            let asked = asked(&change);
            let step = Step::stage(change, locks, &mut self.context);
            self.steps.push(step.map_err(|error| of_path(error, &asked))?);
        }
        self.record();
        // From here on something can be seen beside the targets: not for long.
        for step in &mut self.steps {
            let readied = step.ready(&mut self.context);
            readied.map_err(|error| of_path(error, step.asked()))?;
        }
        failpoints::reached(Point::Ready)?;
        self.plan()?;
        failpoints::reached(Point::Planned)?;
        for step in &mut self.steps {
            let applied = step.apply(&mut self.context);
            applied.map_err(|error| of_path(error, step.asked()))?;
        }
        failpoints::reached(Point::Applied)
    }

    /// Writes the entry of the history; if that cannot be, it is told.
    fn record(&mut self) {
        let (Some(draft), Some(state), true) = (
            &self.context.options.history,
            &self.context.options.state,
            self.context.journal.is_some(),
        ) else {
            return;
        };
        let edits = self.steps.iter().filter_map(Step::edits).flat_map(|(_, edits)| edits.edits());
        let (count, removed) =
            edits.fold((0u64, 0), |(count, removed), edit| (count + 1, removed + edit.span.len()));
        if removed + count * 24 > MAX_OF_ENTRY {
            let most = MAX_OF_ENTRY >> 20;
            self.context.told.push(format!("it cannot be undone: over {most} MiB would be kept"));
            return;
        }
        let deltas = draft.lines_delta.iter().copied().chain(std::iter::repeat(None));
        let files: io::Result<Vec<FileRecord>> = self
            .steps
            .iter()
            .zip(deltas)
            .filter_map(|(step, delta)| step.file_record(delta).transpose())
            .collect();
        let bytes = |file: &File, at| write_removed(&self.steps, file, at);
        let recorded =
            files.and_then(|files| history::record(state, &draft.operation, files, removed, bytes));
        match recorded {
            Ok(recorded) => self.recorded = Some(recorded),
            Err(error) => {
                let told = Error::io(&error, Path::new("")).message;
                self.context.told.push(format!("it cannot be undone: {told}"));
            }
        }
    }

    /// Writes the plan, where something needs it after a crash.
    fn plan(&mut self) -> Result<(), Error> {
        let is_needed = self.context.is_transaction
            || self.steps.iter().any(|step| matches!(step, Step::Rewrite(_)));
        let Some(journal) = self.context.journal.as_mut().filter(|_| is_needed) else {
            return Ok(());
        };
        let plan = PlanRecord {
            undo: self.recorded.as_ref().map(|recorded| recorded.id),
            steps: self.steps.iter().filter_map(Step::record).collect(),
        };
        journal.plan(&plan, self.context.options.sync).map_err(|error| {
            let told = Error::io(&error, Path::new("")).message;
            Error::new(Code::IoError, format!("the journal cannot be written: {told}"))
        })?;
        self.has_plan = true;
        Ok(())
    }

    /// Takes everything back; the error with what is to be known of that.
    pub(super) fn abort(mut self, mut error: Error) -> Error {
        if failpoints::has_crashed() {
            return error;
        }
        let mut all_back = true;
        for step in self.steps.iter_mut().rev() {
            let path = step.asked().display().to_string();
            match step.take_back(&mut self.context) {
                Ok(None) => {}
                Ok(Some(sentence)) => error.hints.push(Hint::Text(format!("'{path}': {sentence}"))),
                Err(failed) => {
                    all_back = false;
                    error.hints.push(Hint::Text(format!("'{path}': {}", failed.message)));
                }
            }
        }
        if let Some(recorded) = &self.recorded {
            recorded.remove();
        }
        match &self.context.journal {
            Some(journal) if all_back => journal.end(),
            Some(_) => {
                let hint = Hint::command("undo", ["--recover"]).why("tries it again");
                error.hints.push(hint);
            }
            None => {}
        }
        error
    }

    /// Takes the old files away: all is in place.
    pub(super) fn finish(mut self) -> Committed {
        if self.has_plan {
            self.sync();
            self.done();
            if failpoints::reached(Point::Settled).is_err() {
                return Committed::default();
            }
        }
        // What could not be taken away, the journal remembers.
        let all_gone = self.take_away();
        if !self.has_plan {
            self.sync();
        }
        if let Some(journal) = self.context.journal.as_ref().filter(|_| all_gone) {
            journal.end();
        }
        for (_, wanted, name) in self.steps.iter().filter_map(Step::backup) {
            if wanted != name {
                let [wanted, name] = [wanted, name].map(|name| name.to_string_lossy());
                let taken = format!("'{wanted}' is there already: the old file is '{name}'");
                self.context.told.push(taken);
            }
        }
        Committed {
            written: self.steps.iter().map(Step::written).collect(),
            undo: self.recorded.map(|recorded| recorded.id),
            warnings: self.context.told,
        }
    }

    fn done(&mut self) {
        let sync = self.context.options.sync;
        let done = self.context.journal.as_mut().map(|journal| journal.done(sync));
        if let Some(Err(error)) = done {
            // All is in place; only a crash before the end would be taken for
            // one in the middle.
            let told = Error::io(&error, Path::new("")).message;
            self.context.told.push(format!("applied, durability unknown: {told}"));
        }
    }

    /// In the opposite order, so that the first slot is the last to go: a run
    /// that finds it free need not look for others. Whether nothing is left.
    fn take_away(&mut self) -> bool {
        let mut failed: Vec<(u64, u64)> = Vec::new();
        for step in self.steps.iter_mut().rev() {
            let key = step.directory().map(|one| (one.device(), one.inode()));
            if key.is_some_and(|key| failed.contains(&key)) {
                continue;
            }
            if let Err(error) = step.finish() {
                let told = Error::io(&error.into(), step.asked());
                let warning = format!("{told}; what was replaced is beside it still");
                self.context.told.push(warning);
                failed.extend(key);
            }
        }
        failed.is_empty()
    }

    /// Brings the directories to the disk.
    fn sync(&mut self) {
        if !self.context.options.sync {
            return;
        }
        let mut done: Vec<(u64, u64)> = Vec::new();
        for step in &self.steps {
            let Some(directory) = step.directory() else { continue };
            let key = (directory.device(), directory.inode());
            if done.contains(&key) {
                continue;
            }
            done.push(key);
            let mut synced = system::sync(directory.as_fd()).map_err(io::Error::from);
            if let Step::Birth(birth) = step {
                for made in &birth.made {
                    synced = synced.and(system::sync(&made.within).map_err(io::Error::from));
                }
            }
            if let Err(error) = synced {
                let told = Error::io(&error, directory.path());
                self.context.told.push(format!("applied, durability unknown: {told}"));
            }
        }
    }
}

fn asked(change: &Change) -> PathBuf {
    match change {
        Change::Edit { file, .. } | Change::Remove { file } => file.asked.clone(),
        Change::Create { path, .. } => path.clone(),
    }
}

impl Step {
    /// The old file and its edits.
    fn edits(&self) -> Option<(&Editable, &EditSet)> {
        match self {
            Self::Swap(swap, edits) => Some((&swap.old, edits)),
            Self::Rewrite(rewrite) => Some((&rewrite.file, &rewrite.edits)),
            Self::Same(_) | Self::Birth(_) | Self::Death(..) => None,
        }
    }

    /// What the history keeps of it, its removed bytes left out.
    fn file_record(&self, lines_delta: Option<i64>) -> io::Result<Option<FileRecord>> {
        let (path, before, after, in_place) = match self {
            Self::Same(_) | Self::Death(..) => return Ok(None),
            Self::Swap(swap, _) => {
                (&swap.old.resolved, Some(swap.old.identity()), swap.after.identity, false)
            }
            Self::Rewrite(rewrite) => {
                let before = rewrite.file.identity();
                let size = rewrite.edits.new_length(before.size);
                // When it will be written is not known yet.
                let after = Identity { size, mtime: (0, 0), ..before };
                (&rewrite.file.resolved, Some(before), after, true)
            }
            Self::Birth(birth) => {
                let Some(after) = birth.after else { return Ok(None) };
                (&birth.resolved, None, after.identity, false)
            }
        };
        let spans = self.edits().map(|(_, edits)| edits.new_spans()).unwrap_or_default();
        let (hashed, sha256) = self.hash(&spans, after.size)?;
        let old = self.edits().into_iter().flat_map(|(_, edits)| edits.edits());
        let edits = spans.iter().zip(old);
        let parents = match self {
            Self::Birth(birth) => {
                birth.made.iter().map(|made| made.path().as_path().into()).collect()
            }
            _ => Vec::new(),
        };
        Ok(Some(FileRecord {
            path: path.as_path().into(),
            before: before.map(Into::into),
            after: after.into(),
            in_place,
            lines_delta,
            sha256,
            hashed,
            parents,
            edits: edits.map(|(new, old)| (new.start(), new.len(), old.span.len())).collect(),
        }))
    }

    fn hash(&self, brought: &[Span], length: u64) -> io::Result<(Hashed, String)> {
        let (hashed, spans) = history::hashed_spans(length, brought.iter().copied());
        let digits = match self {
            Self::Rewrite(Rewrite { file, edits, .. }) => {
                let length = file.size();
                let mut source = Source::new(&file.file, length);
                history::hash(|take| read_edited(&mut source, length, edits, &spans, take))
            }
            Self::Swap(swap, _) => history::hash_file(&swap.new, &spans),
            Self::Birth(birth) => history::hash_file(birth.file(), &spans),
            Self::Same(_) | Self::Death(..) => Ok(String::new()),
        };
        digits.map(|digits| (hashed, digits))
    }
}

/// Writes the bytes that edits remove, in order.
fn write_removed(steps: &[Step], file: &File, at: u64) -> io::Result<()> {
    let mut sink = Sink::new(file, at);
    for (old, edits) in steps.iter().filter_map(Step::edits) {
        let mut source = Source::new(&old.file, old.size());
        for edit in edits.edits() {
            source.each(edit.span, |bytes| sink.put(bytes))?;
        }
    }
    sink.flush()
}
