//! Plans dry runs of edits in many files one file at a time, so that the memory use does not depend
//! on the size of the files.

use std::collections::HashSet;

use super::{BatchResult, PatchRun};
use crate::commands::output::Sink;
use crate::commands::patch::report::FileFacts;
use crate::commands::patch::{Request, selected};
use folio_files::error::{Code, Error};
use folio_files::replace::Committed;

impl PatchRun<'_> {
    /// Returns the result of a dry run whose requests concern different files. Returns `None` if
    /// they may concern the same file, if nothing would change, or if there are errors: the
    /// requests must then be planned together.
    pub(super) fn preview_each<'r>(
        &self,
        requests: &'r [Request],
        in_turn: bool,
        sink: &mut dyn Sink,
    ) -> Option<BatchResult<'r>> {
        let is_independent = |request: &Request| {
            request.is_found
                && request.edit.is_none()
                && request.to.is_none()
                && !request.relocates()
                && !request.options.updates_links()
        };
        let is_dry_run = self.context.options.writes_nothing() && !in_turn;
        if !is_dry_run || requests.len() < 2 || !requests.iter().all(is_independent) {
            return None;
        }
        selected::check_again(&self.selected, requests, self.context.host).ok()?;
        let mut combined = BatchResult {
            requests,
            outcomes: Vec::new(),
            files: Vec::with_capacity(requests.len()),
            committed: Committed::default(),
        };
        let (style, mut seen) = (sink.style(), HashSet::new());
        let (mut room, total) = (self.max_diff_bytes(style), requests.len() as u64);
        let mut progress = sink.progress("planning edits");
        for (number, request) in requests.iter().enumerate() {
            progress(number as u64, total);
            let single_request = std::slice::from_ref(request);
            let planned = self
                .open(single_request)
                .and_then(|opened| self.plan(single_request, false, opened, &mut |_, _| {}));
            let (mut opened, outcomes) = match planned {
                Ok(planned) => planned,
                // The edit may already be applied in some of the files.
                Err(errors) if errors.iter().all(is_applied) => continue,
                Err(_) => return None,
            };
            let first = combined.files.len();
            let facts = self.facts(&mut opened, &outcomes, room, style).ok()?;
            for file in facts {
                if !seen.insert(file.resolved.clone()) {
                    return None;
                }
                room -= room.min(file.diff.as_ref().map_or(0, |diff| diff.hunks.len()));
                combined.files.push(file);
            }
            // If there is only a summary of the diffs, the texts are not printed.
            let is_summed = |file: &FileFacts| file.diff.as_ref().is_some_and(|diff| diff.is_cut);
            let is_summed = combined.files.last().is_some_and(is_summed);
            for mut outcome in outcomes {
                if is_summed {
                    (outcome.before, outcome.after) = Default::default();
                }
                (outcome.request, outcome.file) = (number, first + outcome.file);
                combined.outcomes.push(outcome);
            }
        }
        (!combined.outcomes.is_empty()).then_some(combined)
    }
}

fn is_applied(error: &Error) -> bool {
    error.code == Code::AlreadyApplied
}
