//! A file of a batch: its plans, its content after each step, and the effects of the edits.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::file_move::Destination;
use super::links::dangling::{check_labels, dangling_link_warning, undefined_link_warning};
use super::measure::measure;
use super::notes;
use super::options::{MAX_DELETED_LINES, PatchOptions};
use super::planned::{Planned, Role};
use super::refusals;
use super::report::Outcome;
use super::{Operation, Request};
use folio_files::env::Env;
use folio_files::error::{Code, Error, Hint, Message};
use folio_files::options::{DRY_RUN, FORCE, MAX_DELETE};
use folio_files::replace::{Editable, FileChange};
use folio_outline::document::LoadedDocument;
use folio_outline::edit::{LineSet, Plan, edit_set};
use folio_outline::format::Format;
use folio_text::edit::EditSet;
use folio_text::span::{LineRange, Span};

/// Number of new lines minus number of old lines, and the first changed line.
type LineFacts = (Option<i64>, Option<u64>);

pub(super) struct BatchFile {
    /// The path as the user gave it.
    pub(super) path: PathBuf,
    /// The path with symlinks resolved. For a new file, `path` itself.
    pub(super) resolved: PathBuf,
    /// The current document. Empty if the file does not exist yet.
    pub(super) source: LoadedDocument,
    /// The handle for writing. `None` if the file is only read or does not exist yet.
    pub(super) editable: Option<Editable>,
    /// Whether the file does not exist yet.
    pub(super) is_new: bool,
    is_created: bool,
    /// The destination of a moved file, and the index of the request that moves it.
    pub(super) moves_to: Option<(usize, Destination)>,
    /// The document after the steps so far, if each step applies to the result of the previous
    /// step.
    current: Option<LoadedDocument>,
    pub(super) plans: Vec<Planned>,
    outcomes: Vec<Outcome>,
    /// For each outcome, the span in `current` of the lines that it inserted.
    results: Vec<Option<Span>>,
    /// The edits, as spans of the document's text.
    pub(super) edits: EditSet,
    /// The line on which each edit begins.
    pub(super) lines: Vec<u64>,
    /// Number of lines before and after the edits.
    totals: (u64, u64),
    /// Number of deleted lines, not including moved lines.
    deleted_lines: u64,
    pub(super) warnings: Vec<Message>,
    /// Whether to check for links of the document to its own anchors that edits remove.
    pub(super) looks_for_dangling: bool,
    /// Whether the outcomes contain checksums of the edited lines.
    pub(super) has_checksums: bool,
}

impl BatchFile {
    pub(super) fn existing(path: PathBuf, resolved: PathBuf, source: LoadedDocument) -> Self {
        Self {
            path,
            resolved,
            source,
            editable: None,
            is_new: false,
            is_created: false,
            moves_to: None,
            current: None,
            plans: Vec::new(),
            outcomes: Vec::new(),
            results: Vec::new(),
            edits: EditSet::default(),
            lines: Vec::new(),
            totals: (0, 0),
            deleted_lines: 0,
            warnings: Vec::new(),
            looks_for_dangling: true,
            has_checksums: true,
        }
    }

    /// Creates an empty document for a file that does not exist yet.
    ///
    /// # Errors
    ///
    /// Fails if a `folio.toml` above the document cannot be read or is invalid.
    pub(super) fn new(path: PathBuf, resolved: PathBuf, env: &Env) -> Result<Self, Error> {
        let format = env.configs.format_of(&path)?.unwrap_or(Format::Text).with_dialect_of(&path);
        let source = LoadedDocument::of_text(&path, Vec::new(), format);
        Ok(Self { is_new: true, ..Self::existing(path, resolved, source) })
    }

    /// Whether the file is to be written.
    pub(super) fn changes(&self) -> bool {
        self.is_created || self.moves_to.is_some() || !self.edits.is_empty()
    }

    /// Returns the contents of the file after its edits.
    pub(super) fn new_bytes(&self) -> Result<Vec<u8>, Error> {
        let raw = self.raw_edits()?;
        let mut bytes = Vec::new();
        self.source.each_raw(&raw, |part| bytes.extend_from_slice(part));
        Ok(bytes)
    }

    /// Returns the edits of the bytes of the file.
    pub(super) fn raw_edits(&self) -> Result<EditSet, Error> {
        let edits = self.source.raw_edits(&self.edits);
        edits.map_err(|miss| refusals::encoding_error(&miss, &self.source))
    }

    /// Returns the changes to make on disk. For the history, each change has the change in the
    /// number of lines and the first changed line.
    pub(super) fn disk_changes(&mut self) -> Result<Vec<(FileChange, LineFacts)>, Error> {
        let facts = (Some(self.lines_delta()), self.lines.first().copied());
        if self.is_created {
            let (path, content) = (self.path.clone(), self.edits.apply(b""));
            return Ok(vec![(FileChange::Create { path, content, mode: None, like: None }, facts)]);
        }
        let file = self.editable.take().filter(|_| self.changes());
        let Some(file) = file else { return Ok(Vec::new()) };
        let Some((_, to)) = self.moves_to.clone() else {
            let edits = self.raw_edits()?;
            return Ok(vec![(FileChange::Edit { file, edits }, facts)]);
        };
        let (content, like) = (self.new_bytes()?, Some(file.clone()));
        let (old, new) = (self.totals.0 as i64, self.totals.1 as i64);
        let create = FileChange::Create { path: to.path, content, mode: None, like };
        Ok(vec![(create, (Some(new), None)), (FileChange::Remove { file }, (Some(-old), None))])
    }

    /// Returns the number of new lines minus the number of old lines.
    pub(super) fn lines_delta(&self) -> i64 {
        self.totals.1 as i64 - self.totals.0 as i64
    }

    /// Returns the document to which the next plan applies.
    pub(super) fn current(&self) -> Result<&LoadedDocument, Error> {
        match &self.current {
            Some(current) => Ok(current),
            None if self.is_new => {
                Err(Error::new(Code::NotFound, "No such file or directory").at(&self.path))
            }
            None => Ok(&self.source),
        }
    }

    /// Creates the file in memory, so that later requests can edit it.
    pub(super) fn create(&mut self, number: usize, plan: Planned) -> Result<(), Error> {
        if self.is_created {
            return Err(Error::usage("the file is created twice").at(&self.path));
        }
        self.is_created = true;
        self.plan(number, plan);
        Ok(())
    }

    /// Creates a new file without content in memory, unless a request creates it. Returns whether
    /// the file was created.
    pub(super) fn make_empty(&mut self) -> bool {
        let is_made = self.is_new && !self.is_created;
        if is_made {
            self.is_created = true;
            self.current = Some(self.source.edited(&EditSet::default()));
        }
        is_made
    }

    /// Whether all plans have been applied.
    pub(super) fn is_made(&self) -> bool {
        self.current.is_some()
    }

    pub(super) fn plan(&mut self, number: usize, mut plan: Planned) {
        plan.request = number;
        self.plans.push(plan);
    }

    /// Returns the document before the pending plans, and the merged edits of these plans.
    pub(super) fn planned(&self) -> Result<(&LoadedDocument, LineSet), Error> {
        let source = self.current.as_ref().unwrap_or(&self.source);
        let mut plans: Vec<Plan> = self.plans.iter().map(|plan| Plan::clone(plan)).collect();
        let set = edit_set(source, plans.iter_mut().collect());
        Ok((source, set.map_err(|refusal| refusals::edit_set_error(&refusal, source))?))
    }

    /// Returns the numbers of the requests that affect the file.
    pub(super) fn requests(&self) -> Vec<usize> {
        let planned = self.plans.iter().map(|plan| plan.request);
        let made = self.outcomes.iter().map(|outcome| outcome.request);
        planned.chain(made).collect::<BTreeSet<usize>>().into_iter().collect()
    }

    /// Merges the pending plans and computes their effect. If more requests follow (`in_turn`),
    /// applies the plans in memory.
    pub(super) fn step(
        &mut self,
        requests: &[Request],
        options: &PatchOptions,
        in_turn: bool,
    ) -> Result<(), Error> {
        let mut plans = std::mem::take(&mut self.plans);
        let source = self.current.as_ref().unwrap_or(&self.source);
        let comes_from_outside = |plan: &&Planned| {
            let Request { to, address, .. } = &requests[plan.request];
            plan.role == Role::Arrival && to.as_ref().is_some_and(|to| to.path != address.path)
        };
        let inserted = plans.iter().filter(comes_from_outside).flat_map(|plan| &plan.edits);
        let inserted = inserted.map(|edit| &edit.edit);
        self.warnings.extend(check_labels(source, inserted, options.force)?.map(Message::from));
        let set = edit_set(source, plans.iter_mut().map(|plan| &mut **plan).collect());
        let set = set.map_err(|refusal| refusals::edit_set_error(&refusal, source))?;
        // This is checked after each step, because later steps change the lines in between.
        let checked = source.check_structure(&set.edits, options.force, in_turn);
        let checked = checked.map_err(|refusal| {
            let error = refusals::edit_set_error(&refusal, source);
            let warnings = plans.iter().flat_map(|plan| plan.warnings.clone());
            warnings.fold(error, Error::hint)
        });
        self.warnings.extend(checked?.as_ref().map(notes::sentence));
        let outcomes = measure(source, &set, plans, (requests, self.has_checksums))?;
        let is_moved = |outcome: &&Outcome| requests[outcome.request].operation == Operation::Move;
        let counted = outcomes.iter().filter(|outcome| !is_moved(outcome));
        self.deleted_lines +=
            counted.map(|outcome| outcome.lines_delta.min(0).unsigned_abs()).sum::<u64>();
        if in_turn {
            let next = source.edited(&set.edits);
            for span in &mut self.results {
                *span = span.and_then(|span| set.edits.map_span(span));
            }
            let results =
                outcomes.iter().map(|outcome| outcome.result.map(|lines| next.span_of(lines)));
            self.results.extend(results);
            self.current = Some(next);
        } else {
            self.totals = outcomes.first().map_or((0, 0), |outcome| outcome.total_lines);
            (self.edits, self.lines) = (set.edits, set.lines);
        }
        self.outcomes.extend(outcomes);
        Ok(())
    }

    /// Returns the outcomes of all steps. Fails if too many lines would be deleted.
    pub(super) fn finish(&mut self, options: &PatchOptions) -> Result<Vec<Outcome>, Error> {
        if let Some(current) = self.current.take() {
            self.edits = EditSet::between(self.source.whole(), current.whole());
            let starts = self.edits.edits().iter().map(|edit| edit.span.start());
            self.lines = starts.map(|start| self.source.line_of(start)).collect();
            self.totals = (self.source.total_lines(), current.total_lines());
            for (outcome, span) in self.outcomes.iter_mut().zip(&self.results) {
                outcome.total_lines = self.totals;
                outcome.result = span.map(|span| {
                    let last = current.line_of(span.end() - 1);
                    LineRange::from_to(current.line_of(span.start()), last)
                });
            }
        }
        let (deleted_lines, most) =
            (self.deleted_lines, options.max_delete.unwrap_or(MAX_DELETED_LINES));
        if deleted_lines > most && !options.force {
            let message =
                format!("{deleted_lines} lines would be deleted, more than the limit of {most}");
            if !options.dry_run {
                return Err(Error::new(Code::DeleteLimit, message)
                    .at(&self.path)
                    .hint(
                        Hint::with_value(MAX_DELETE, deleted_lines.to_string())
                            .why("to delete them"),
                    )
                    .hint(
                        Hint::with_switch(FORCE).why("to skip this limit and the structure check"),
                    )
                    .hint(Hint::with_switch(DRY_RUN).why("to preview the changes")));
            }
            let allowed = format!("{message}; {MAX_DELETE} {deleted_lines} allows this");
            self.warnings.push(format!("the edit would be refused: {allowed}").into());
        }
        if self.looks_for_dangling {
            self.warnings
                .extend(dangling_link_warning(&self.source, &self.edits).map(Message::from));
        }
        self.warnings.extend(undefined_link_warning(&self.source, &self.edits).map(Message::from));
        Ok(std::mem::take(&mut self.outcomes))
    }
}
