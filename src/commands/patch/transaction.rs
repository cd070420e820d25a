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
use super::work::Work;
use super::{Operation, Part, Request, walk};
use crate::commands::output::counted;
use folio_files::address::Address;
use folio_files::error::{Code, Error};
use folio_files::lock::Locks;
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
        works: &mut Vec<Work>,
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
            let planned =
                self.plan_one(works, number, check).and_then(|()| self.step(works, number));
            let planned = planned.and_then(|()| self.make_created(works, number));
            let Request { is_found, edit, .. } = self.requests[number];
            let Err(error) = planned else { continue };
            match error.code {
                // A file below a directory need not contain the part, and its edit may already be
                // applied.
                Code::TargetNotFound if is_found => missed.push(number),
                Code::AlreadyApplied if is_found => is_done = Some(error),
                Code::TargetAmbiguous if is_found && edit.is_none() => ambiguous.push(error),
                _ => errors.push(numbered(self.requests, &[number], error)),
            }
        }
        errors.extend(first_of(ambiguous));
        errors.extend(self.nowhere(&missed));
        if later {
            errors.extend(self.verify(works));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        if !self.in_turn {
            let numbers: Vec<usize> = (0..self.requests.len()).collect();
            self.follow(works, &numbers).map_err(|error| vec![error])?;
        }
        let options = self.context.options;
        let mut outcomes = Vec::new();
        for (file, work) in works.iter_mut().enumerate() {
            let numbers = work.requests();
            let stepped = if self.in_turn {
                Ok(())
            } else {
                work.step(self.requests, options, work.is_made())
            };
            match stepped.and_then(|()| work.finish(options)) {
                Ok(own) => outcomes.extend(own.into_iter().map(|one| Outcome { file, ..one })),
                Err(error) => errors.push(numbered(self.requests, &numbers, error)),
            }
        }
        if outcomes.is_empty() {
            errors.extend(is_done);
        }
        if errors.is_empty() { Ok(self.joined(outcomes)) } else { Err(errors) }
    }

    /// Returns an error if one of several parts was missed in each file that may contain it.
    fn nowhere(&self, missed: &[usize]) -> Option<Error> {
        let options = self.context.options;
        if options.further_parts.is_empty() || options.keep_going {
            return None;
        }
        let part = |number: usize| {
            let Request { target, scope, .. } = &self.requests[number];
            format!("{target:?} {scope:?}")
        };
        let met = (0..self.requests.len()).filter(|number| missed.binary_search(number).is_err());
        let met: HashSet<String> = met.map(part).collect();
        let nowhere = missed.iter().find(|&&number| !met.contains(&part(number)))?;
        let looked_at = missed.len() as u64;
        Some(walk::nothing_found(options, &self.requests[*nowhere], looked_at))
    }

    /// If requests are applied one after the other, applies the plans of a request immediately.
    fn step(&self, works: &mut Vec<Work>, number: usize) -> Result<(), Error> {
        if !self.in_turn {
            return Ok(());
        }
        self.follow(works, &[number])?;
        let planned = works.iter_mut().filter(|work| !work.plans.is_empty());
        planned
            .into_iter()
            .try_for_each(|work| work.step(self.requests, self.context.options, true))
    }

    /// Creates a new file in memory if a later request needs it.
    fn make_created(&self, works: &mut [Work], number: usize) -> Result<(), Error> {
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
        works[self.files.of(path)?].step(self.requests, self.context.options, true)
    }

    /// Updates links for the pending plans.
    fn follow(&self, works: &mut Vec<Work>, numbers: &[usize]) -> Result<(), Error> {
        let run = LinkUpdate { requests: self.requests, context: self.context, locks: self.locks };
        links::follow(&run, &self.files.with_links, works, numbers)
    }

    /// Whether the user specified an encoding.
    fn has_encoding(&self) -> bool {
        self.context.options.documents.encoding.is_some()
    }

    /// Plans one request.
    fn plan_one(&self, works: &mut [Work], number: usize, check: Check) -> Result<(), Error> {
        let request = &self.requests[number];
        let file = self.files.of(&request.address.path)?;
        if request.operation == Operation::Create {
            let plan = create(&mut works[file], request)?;
            return works[file].create(number, plan);
        }
        if request.file_destination().is_some() {
            return self.plan_move(works, number, file);
        }
        let source = works[file].current()?;
        let check = if request.to.is_some() { Check::Now } else { check };
        let mut plan = self.plan_in(source, request, check)?;
        guards::check(source, request, &plan)?;
        if let (Some(content), false) = (&request.content, self.has_encoding()) {
            guards::check_encoding(source, &planned::filled(content, request)?)?;
        }
        if let Some(to) = &request.to {
            let (other, arrival) = self.arrival(works, request, to, (file, &mut plan))?;
            works[file].plan(number, plan);
            works[other].plan(number, arrival);
        } else {
            works[file].plan(number, plan);
        }
        Ok(())
    }

    fn plan_in(
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
    fn verify(&self, works: &mut [Work]) -> Vec<Error> {
        let mut errors = Vec::new();
        for work in works {
            let mut plans = std::mem::take(&mut work.plans);
            let is_later = |plan: &Planned| {
                plan.difference.is_some() && self.requests[plan.request].to.is_none()
            };
            if plans.iter().any(is_later)
                && let Ok(source) = work.current()
                && !are_exact(source, plans.iter().map(|plan| &**plan))
            {
                for plan in plans.iter_mut().filter(|plan| is_later(plan)) {
                    let number = plan.request;
                    match self.plan_in(source, &self.requests[number], Check::Now) {
                        Ok(own) => *plan = own,
                        Err(error) => errors.push(numbered(self.requests, &[number], error)),
                    }
                    plan.request = number;
                }
            }
            work.plans = plans;
        }
        errors
    }

    /// Plans the move of a whole file.
    fn plan_move(&self, works: &mut [Work], number: usize, file: usize) -> Result<(), Error> {
        let request = &self.requests[number];
        if self.in_turn {
            let message = "a file cannot be moved between edits that are made one after another";
            return Err(Error::usage(message).at(&request.address.path));
        }
        guards::check(&works[file].source, request, &Planned::default())?;
        works[file].plan(number, Planned::default());
        Ok(())
    }

    /// Plans the insertion of moved or copied lines in a file.
    fn arrival(
        &self,
        works: &mut [Work],
        request: &Request,
        to: &Address,
        (file, plan): (usize, &mut Planned),
    ) -> Result<(usize, Planned), Error> {
        let Some(carried) = plan.carried.take() else {
            return Err(Error::usage("there is nothing to move").at(&request.address.path));
        };
        let other = self.files.of(&to.path)?;
        let source = works[file].current()?;
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
        if other != file && !self.has_encoding() && !works[other].is_new {
            guards::check_encoding(works[other].current()?, &carried.text)?;
        }
        let is_made = works[other].make_empty();
        let mut arrival = planned::receive(
            works[other].current()?,
            request,
            to,
            &carried,
            self.context.options.force,
        )?;
        arrival.details.extend(is_made.then(|| "file created".into()));
        // Parts that arrive in an empty file one after the other are separated by blank lines.
        let is_later = works[other].plans.iter().any(|plan| !plan.edits.is_empty());
        if carried.is_part && is_later && works[other].current()?.text().is_empty() {
            arrival.separate();
        }
        if request.operation == Operation::Move && other == file {
            let own = carried.span;
            if arrives_at(&arrival).any(|at| own.start() < at && at < own.end()) {
                let refused = Refused { request, source: works[file].current()? };
                return Err(refused.error(&Refusal::IntoItself));
            }
            let is_around = |at| {
                carried.around.is_some_and(|around| around.start() <= at && at <= around.end())
            };
            if arrives_at(&arrival).any(is_around) {
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
    fn joined(&self, mut outcomes: Vec<Outcome>) -> Vec<Outcome> {
        outcomes.sort_by_key(|outcome| (outcome.request, outcome.plan.role));
        let mut joined: Vec<Outcome> = Vec::with_capacity(outcomes.len());
        for outcome in outcomes {
            match joined.last_mut().filter(|last| last.request == outcome.request) {
                Some(own) => own.join(outcome, self.requests[own.request].operation),
                None => joined.push(outcome),
            }
        }
        joined
    }
}

/// Returns the first of the errors for files below a directory, with the names of the others.
fn first_of(errors: Vec<Error>) -> Option<Error> {
    let mut errors = errors.into_iter();
    let mut first = errors.next()?;
    let mut others: Vec<String> =
        errors.filter_map(|error| Some(error.path?.display().to_string())).collect();
    others.dedup();
    others.retain(|path| first.path.as_ref().is_none_or(|own| own.display().to_string() != *path));
    if !others.is_empty() {
        let files = counted(others.len() as u64, "other file");
        let more = format!("; the same in {files}: {}", links::some(&others, 3));
        first.message.push(more);
    }
    Some(first)
}

/// Adds the numbers of the edits to an error, if there are several edits.
pub(super) fn numbered(requests: &[Request], numbers: &[usize], mut error: Error) -> Error {
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
    let edit = |number: &usize| requests.get(*number).and_then(|one| one.edit).unwrap_or(*number);
    let mut edits: Vec<usize> = numbers.iter().map(edit).collect();
    edits.dedup();
    let shown: Vec<String> = edits.iter().map(|number| (number + 1).to_string()).collect();
    let name = match &shown[..] {
        [] => return error,
        [one] => format!("edit {one}"),
        several => format!("edits {}", several.join(", ")),
    };
    error.after(format!("{name}: "))
}

/// Returns a range of lines without blank lines at its ends. Returns `None` if all lines are blank.
fn without_blank_edges(text: &[u8], first: u64, last: u64) -> Option<LineRange> {
    let (before, after) = blank_edges(text)?;
    LineRange::new(first + before as u64, last - after as u64)
}

/// Returns the lines at which content is inserted.
fn arrives_at(arrival: &Planned) -> impl Iterator<Item = u64> {
    arrival.edits.iter().map(|edit| edit.edit.span.start())
}

/// Plans the creation of a file as an edit of an empty file.
fn create(work: &mut Work, request: &Request) -> Result<Planned, Error> {
    let given = request.content.clone().unwrap_or_default();
    // Content in an argument consists of whole lines. Content from a file is used unchanged.
    let mut content = planned::filled(&given, request)?;
    if given.file.is_none() && !content.is_empty() && !content.ends_with(b"\n") {
        content.push(b'\n');
    }
    let path = &request.address.path;
    if work.is_new {
        let edit = LineEdit::new(Edit::new(Span::new(0, 0), content), 1);
        return Ok(Planned::of(Role::Own, vec![edit], None));
    }
    if work.source.whole() == content {
        return Err(Error::new(Code::AlreadyApplied, "already exists, with this content").at(path));
    }
    let operation = Operation::Replace;
    let whole = Request { operation, target: Some(Part::Whole), ..request.clone() };
    let replace = hints::again(request, &whole).why("to replace its contents");
    Err(Error::usage("already exists").at(path).hint(replace))
}
