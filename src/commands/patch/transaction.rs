//! Plans the requests of a batch, either all together or one after the other.

use std::collections::HashSet;

use super::context::Context;
use super::guards;
use super::hints;
use super::json_edits;
use super::links::{self, LinkUpdate};
use super::open::Files;
use super::planned::{self, Planned, Role};
use super::refusals::Refused;
use super::report::Outcome;
use super::work::BatchFile;
use super::{Operation, Part, Request, walk};
use crate::commands::output::counted;
use folio_files::address::Address;
use folio_files::error::{Code, Error};
use folio_files::lock::Locks;
use folio_files::options::TO;
use folio_keys::edit::Check;
use folio_outline::document::LoadedDocument;
use folio_outline::edit::{LineEdit, Refusal, Side, are_exact};
use folio_text::edit::Edit;
use folio_text::separation::{BlankLines, blank_edges};
use folio_text::span::{LineRange, Span};

/// Requests that are applied together or not at all.
pub(super) struct Batch<'a> {
    pub(super) requests: &'a [Request],
    /// Whether each request applies to the result of the previous request.
    pub(super) in_turn: bool,
    pub(super) context: &'a Context<'a>,
    pub(super) files: &'a Files,
    pub(super) locks: &'a Locks,
}

impl Batch<'_> {
    /// Returns the outcome of each request.
    ///
    /// # Errors
    ///
    /// Returns the errors of all requests. If the requests have no errors, returns the errors of
    /// all files.
    pub(super) fn plan(
        &self,
        batch_files: &mut Vec<BatchFile>,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Vec<Outcome>, Vec<Error>> {
        let (mut errors, mut ambiguous, mut missed) = (Vec::new(), Vec::new(), Vec::new());
        let mut is_done = None;
        // The edits of a tree of keys are verified once for all of them.
        let later = !self.in_turn && self.requests.len() > 1;
        let check = if later { Check::Later } else { Check::Now };
        for number in 0..self.requests.len() {
            progress(number as u64, self.requests.len() as u64);
            self.context.host.env.cancel.check().map_err(|error| vec![error])?;
            let planned = self
                .plan_request(batch_files, number, check)
                .and_then(|()| self.step(batch_files, number));
            let planned = planned.and_then(|()| self.make_created(batch_files, number));
            let Request { is_found, edit, .. } = self.requests[number];
            let Err(error) = planned else { continue };
            match error.code {
                // A file below a directory need not contain the part, and its edit may already be
                // applied.
                Code::TargetNotFound if is_found => missed.push(number),
                Code::AlreadyApplied if is_found => is_done = Some(error),
                Code::TargetAmbiguous if is_found && edit.is_none() => ambiguous.push(error),
                _ => errors.push(with_edit_numbers(self.requests, &[number], error)),
            }
        }
        errors.extend(merge_errors(ambiguous));
        errors.extend(self.missing_part_error(&missed));
        if later {
            errors.extend(self.verify(batch_files));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        if !self.in_turn {
            let numbers: Vec<usize> = (0..self.requests.len()).collect();
            self.update_links(batch_files, &numbers).map_err(|error| vec![error])?;
        }
        let options = self.context.options;
        let mut outcomes = Vec::new();
        for (file, batch_file) in batch_files.iter_mut().enumerate() {
            let numbers = batch_file.requests();
            let stepped = if self.in_turn {
                Ok(())
            } else {
                batch_file.step(self.requests, options, batch_file.is_made())
            };
            match stepped.and_then(|()| batch_file.finish(options)) {
                Ok(finished) => {
                    outcomes.extend(finished.into_iter().map(|outcome| Outcome { file, ..outcome }))
                }
                Err(error) => errors.push(with_edit_numbers(self.requests, &numbers, error)),
            }
        }
        if outcomes.is_empty() {
            errors.extend(is_done);
        }
        if errors.is_empty() { Ok(self.merge_outcomes(outcomes)) } else { Err(errors) }
    }

    /// Returns an error if one of several parts was missed in each file that may contain it.
    fn missing_part_error(&self, missed: &[usize]) -> Option<Error> {
        let options = self.context.options;
        if options.further_parts.is_empty() || options.keep_going {
            return None;
        }
        let part = |number: usize| {
            let Request { target, scope, .. } = &self.requests[number];
            format!("{target:?} {scope:?}")
        };
        let found_parts =
            (0..self.requests.len()).filter(|number| missed.binary_search(number).is_err());
        let found_parts: HashSet<String> = found_parts.map(part).collect();
        let missing_number = missed.iter().find(|&&number| !found_parts.contains(&part(number)))?;
        let searched_files = missed.len() as u64;
        Some(walk::nothing_found(options, &self.requests[*missing_number], searched_files))
    }

    /// If requests are applied one after the other, applies the plans of a request immediately.
    fn step(&self, batch_files: &mut Vec<BatchFile>, number: usize) -> Result<(), Error> {
        if !self.in_turn {
            return Ok(());
        }
        self.update_links(batch_files, &[number])?;
        let planned = batch_files.iter_mut().filter(|batch_file| !batch_file.plans.is_empty());
        planned
            .into_iter()
            .try_for_each(|batch_file| batch_file.step(self.requests, self.context.options, true))
    }

    /// Creates a new file in memory if a later request needs it.
    fn make_created(&self, batch_files: &mut [BatchFile], number: usize) -> Result<(), Error> {
        let path = &self.requests[number].address.path;
        let needs = |request: &Request| {
            request.to.as_ref().is_some_and(|to| to.path == *path)
                || request.address.path == *path && request.operation != Operation::Create
        };
        let is_needed = self.requests[number].operation == Operation::Create
            && self.requests[number + 1..].iter().any(needs);
        if self.in_turn || !is_needed {
            return Ok(());
        }
        batch_files[self.files.index_of(path)?].step(self.requests, self.context.options, true)
    }

    /// Updates links for the pending plans.
    fn update_links(
        &self,
        batch_files: &mut Vec<BatchFile>,
        numbers: &[usize],
    ) -> Result<(), Error> {
        let run = LinkUpdate { requests: self.requests, context: self.context, locks: self.locks };
        links::update_links(&run, &self.files.with_links, batch_files, numbers)
    }

    /// Whether the user specified an encoding.
    fn has_encoding(&self) -> bool {
        self.context.options.documents.encoding.is_some()
    }

    fn plan_request(
        &self,
        batch_files: &mut [BatchFile],
        number: usize,
        check: Check,
    ) -> Result<(), Error> {
        let request = &self.requests[number];
        let file = self.files.index_of(&request.address.path)?;
        guards::check_printed(&batch_files[file].source, &request.address, None)?;
        if let Some(to) = request.to.as_ref().filter(|to| to.printed.is_some()) {
            let destination = self.files.index_of(&to.path)?;
            guards::check_printed(&batch_files[destination].source, to, Some(TO))?;
        }
        if request.operation == Operation::Create {
            let plan = plan_creation(&mut batch_files[file], request)?;
            return batch_files[file].create(number, plan);
        }
        if request.file_destination().is_some() {
            return self.plan_move(batch_files, number, file);
        }
        let source = batch_files[file].current()?;
        let check = if request.to.is_some() { Check::Now } else { check };
        let mut plan = self.plan_part(source, request, check)?;
        guards::check(source, request, &plan)?;
        if let (Some(content), false) = (&request.content, self.has_encoding()) {
            guards::check_encoding(source, &planned::fill_placeholders(content, request)?)?;
        }
        if let Some(to) = &request.to {
            let (other, arrival) =
                self.plan_arrival(batch_files, request, to, (file, &mut plan))?;
            batch_files[file].plan(number, plan);
            batch_files[other].plan(number, arrival);
        } else {
            batch_files[file].plan(number, plan);
        }
        Ok(())
    }

    fn plan_part(
        &self,
        source: &LoadedDocument,
        request: &Request,
        check: Check,
    ) -> Result<Planned, Error> {
        let mut plan = planned::plan(source, request, self.context.options.force, check)?;
        plan.order.is_of_name = matches!(request.operation, Operation::Set | Operation::Rename);
        Ok(plan)
    }

    /// Verifies the edits of trees of keys. If all edits of a file together do not have the
    /// intended result, verifies each of them, and returns the errors.
    fn verify(&self, batch_files: &mut [BatchFile]) -> Vec<Error> {
        let mut errors = Vec::new();
        for batch_file in batch_files {
            let mut plans = std::mem::take(&mut batch_file.plans);
            let is_later = |plan: &Planned| {
                plan.difference.is_some() && self.requests[plan.request].to.is_none()
            };
            if plans.iter().any(is_later)
                && let Ok(source) = batch_file.current()
                && !are_exact(source, plans.iter().map(|plan| &**plan))
            {
                for plan in plans.iter_mut().filter(|plan| is_later(plan)) {
                    let number = plan.request;
                    match self.plan_part(source, &self.requests[number], Check::Now) {
                        Ok(new_plan) => *plan = new_plan,
                        Err(error) => {
                            errors.push(with_edit_numbers(self.requests, &[number], error))
                        }
                    }
                    plan.request = number;
                }
            }
            let needs_others = plans.iter().filter(|plan| plan.needs_others);
            let numbers: Vec<usize> = needs_others.map(|plan| plan.request).collect();
            batch_file.plans = plans;
            if !numbers.is_empty()
                && let Err(error) = batch_file.planned()
            {
                errors.push(with_edit_numbers(self.requests, &numbers, error));
            }
        }
        errors
    }

    fn plan_move(
        &self,
        batch_files: &mut [BatchFile],
        number: usize,
        file: usize,
    ) -> Result<(), Error> {
        let request = &self.requests[number];
        if self.in_turn {
            let message = "a file cannot be moved between edits that are made one after another";
            return Err(Error::usage(message).at(&request.address.path));
        }
        guards::check(&batch_files[file].source, request, &Planned::default())?;
        batch_files[file].plan(number, Planned::default());
        Ok(())
    }

    /// Plans the insertion of moved or copied lines in a file.
    fn plan_arrival(
        &self,
        batch_files: &mut [BatchFile],
        request: &Request,
        to: &Address,
        (file, plan): (usize, &mut Planned),
    ) -> Result<(usize, Planned), Error> {
        let Some(carried) = plan.carried.take() else {
            return Err(Error::usage("there is nothing to move").at(&request.address.path));
        };
        let other = self.files.index_of(&to.path)?;
        let source = batch_files[file].current()?;
        let (first, last) =
            (source.line_of(carried.span.start()), source.line_of(carried.span.end() - 1));
        let lines = without_blank_edges(&carried.text, first, last);
        if request.operation == Operation::Move && other == file {
            let is_inside = match &to.part {
                Part::Lines(ranges) if request.side == Some(Side::Before) => {
                    (first + 1..=last).contains(&ranges[0].start())
                }
                Part::Lines(ranges) => (first..last).contains(&ranges[0].end()),
                _ => false,
            };
            if is_inside {
                return Err(Refused { request, source }.error(&Refusal::IntoItself));
            }
        }
        if other != file && !self.has_encoding() && !batch_files[other].is_new {
            guards::check_encoding(batch_files[other].current()?, &carried.text)?;
        }
        let is_made = batch_files[other].make_empty();
        let mut arrival = planned::receive(
            batch_files[other].current()?,
            request,
            to,
            &carried,
            self.context.options.force,
        )?;
        arrival.details.extend(is_made.then(|| "file created".into()));
        // Parts that arrive in an empty file one after the other are separated by blank lines.
        let is_later = batch_files[other].plans.iter().any(|plan| !plan.edits.is_empty());
        if carried.is_part && is_later && batch_files[other].current()?.text().is_empty() {
            arrival.separate();
        }
        if request.operation == Operation::Move && other == file {
            let source_span = carried.span;
            let is_inside = |at| source_span.start() < at && at < source_span.end();
            // Lines of other entries may be between those of an entry.
            if !carried.is_entry() && insertion_offsets(&arrival).any(is_inside) {
                let refused = Refused { request, source: batch_files[file].current()? };
                return Err(refused.error(&Refusal::IntoItself));
            }
            let is_adjacent = |at| {
                carried.around.is_some_and(|around| around.start() <= at && at <= around.end())
            };
            if insertion_offsets(&arrival).any(is_adjacent) {
                // The text and its blank lines are already where they should be.
                plan.edits.clear();
                arrival.edits.clear();
                arrival.blank_lines = BlankLines::default();
            }
        }
        arrival.came_from = lines.map(|lines| (file, lines));
        Ok((other, arrival))
    }

    /// Merges the outcomes of each request, in the order of the requests.
    fn merge_outcomes(&self, mut outcomes: Vec<Outcome>) -> Vec<Outcome> {
        outcomes.sort_by_key(|outcome| (outcome.request, outcome.plan.role));
        let mut joined: Vec<Outcome> = Vec::with_capacity(outcomes.len());
        for outcome in outcomes {
            match joined.last_mut().filter(|last| last.request == outcome.request) {
                Some(last) => last.join(outcome, self.requests[last.request].operation),
                None => joined.push(outcome),
            }
        }
        joined
    }
}

/// Returns the first of the errors for files below a directory, with the names of the others.
fn merge_errors(errors: Vec<Error>) -> Option<Error> {
    let mut errors = errors.into_iter();
    let mut first = errors.next()?;
    let mut others: Vec<String> =
        errors.filter_map(|error| Some(error.path?.display().to_string())).collect();
    others.dedup();
    others.retain(|path| {
        first.path.as_ref().is_none_or(|first_path| first_path.display().to_string() != *path)
    });
    if !others.is_empty() {
        let files = counted(others.len() as u64, "other file");
        let more = format!("; the same in {files}: {}", links::join_first(&others, 3));
        first.message.push(more);
    }
    Some(first)
}

/// Adds the numbers of the edits to an error, if there are several edits.
pub(super) fn with_edit_numbers(
    requests: &[Request],
    numbers: &[usize],
    mut error: Error,
) -> Error {
    if requests.iter().all(|request| request.edit.is_none()) {
        return error;
    }
    let first = numbers.first().and_then(|number| requests.get(*number));
    let first = first.or(requests.first());
    error = json_edits::in_fields(error, first.and_then(|first| first.given.as_deref()));
    // An overlap error already contains the numbers.
    if requests.len() < 2 || error.code == Code::OverlappingEdits {
        return error;
    }
    let edit =
        |number: &usize| requests.get(*number).and_then(|request| request.edit).unwrap_or(*number);
    let mut edits: Vec<usize> = numbers.iter().map(edit).collect();
    edits.dedup();
    let shown: Vec<String> = edits.iter().map(|number| (number + 1).to_string()).collect();
    let name = match &shown[..] {
        [] => return error,
        [number] => format!("edit {number}"),
        several => format!("edits {}", several.join(", ")),
    };
    error.after(format!("{name}: "))
}

/// Returns a range of lines without blank lines at its ends. Returns `None` if all lines are blank.
fn without_blank_edges(text: &[u8], first: u64, last: u64) -> Option<LineRange> {
    let (before, after) = blank_edges(text)?;
    LineRange::new(first + before as u64, last - after as u64)
}

fn insertion_offsets(arrival: &Planned) -> impl Iterator<Item = u64> {
    arrival.edits.iter().map(|edit| edit.edit.span.start())
}

/// Plans the creation of a file as an edit of an empty file.
fn plan_creation(batch_file: &mut BatchFile, request: &Request) -> Result<Planned, Error> {
    let given = request.content.clone().unwrap_or_default();
    // Content in an argument consists of whole lines. Content from a file is used unchanged.
    let mut content = planned::fill_placeholders(&given, request)?;
    if given.file.is_none() && !content.is_empty() && !content.ends_with(b"\n") {
        content.push(b'\n');
    }
    let path = &request.address.path;
    if batch_file.is_new {
        let edit = LineEdit::new(Edit::new(Span::new(0, 0), content), 1);
        return Ok(Planned::new(Role::Edited, vec![edit], None));
    }
    if batch_file.source.whole() == content {
        return Err(Error::new(Code::AlreadyApplied, "already exists, with this content").at(path));
    }
    let operation = Operation::Replace;
    let replacement = Request { operation, target: Some(Part::Whole), ..request.clone() };
    let replace = hints::again(request, &replacement).why("to replace its contents");
    Err(Error::usage("already exists").at(path).hint(replace))
}
