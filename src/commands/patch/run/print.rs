//! Prints the results of a run, with notes.

use std::collections::HashSet;
use std::path::Path;

use super::{BatchResult, PatchRun, preview};
use crate::commands::output::{Closed, Note, Sink, Style, counted};
use crate::commands::patch::hints;
use crate::commands::patch::report::{
    EditRecord, FileFacts, Outcome, Stage, Summary, files_to_report,
};
use folio_files::error::{Error, ExitStatus, Hint};
use folio_files::options::{DIFF, OCCURRENCE};
use folio_files::replace;

/// Number of edits above which callers of tools get only their summary.
const MANY: usize = 10;

impl PatchRun<'_> {
    /// Prints the results. With `--check`, the exit status is 1 if something would change.
    pub(super) fn report(
        &mut self,
        result: &BatchResult<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), Closed> {
        if self.context.options.check && result.files.iter().any(|file| file.changes) {
            self.status = self.status.max(ExitStatus::No);
        }
        let printed = result.files.iter().find_map(|file| file.content.as_ref());
        let written = match printed.filter(|_| !sink.style().json) {
            Some(content) => {
                let written = sink.write(content);
                let outcomes = result.outcomes.iter();
                outcomes.for_each(|outcome| self.note_outcome(result, outcome, false, sink));
                written
            }
            None => self.records(result, sink),
        };
        if !sink.style().json {
            self.note_others(result, sink);
            self.note_without_match(result, sink);
        }
        if self.context.options.dry_run {
            self.note_refusals(&result.files, sink);
        }
        for file in &result.files {
            file.warnings
                .iter()
                .for_each(|warning| sink.note(Note::at(&file.path, warning.clone())));
        }
        result.committed.warnings.iter().for_each(|warning| sink.note(Note::new(warning)));
        written
    }

    fn is_short(&self, style: Style) -> bool {
        style.tools && !style.json && !self.context.options.checksum
    }

    /// Whether a long diff is summarized.
    pub(super) fn has_preview(&self, style: Style) -> bool {
        self.is_short(style) && self.shows_diff() && !self.context.options.diff
    }

    fn shows_diff(&self) -> bool {
        self.context.options.dry_run || self.context.options.diff
    }

    /// Whether the details of an edit are on its own line.
    fn has_line(&self, result: &BatchResult<'_>, outcome: &Outcome) -> bool {
        let is_printed = result.files[outcome.file].content.is_some();
        !is_printed && (!self.shows_diff() || outcome.unchanged)
    }

    /// Prints notes about an edit that are not part of its record. If there is a summary instead of
    /// a record, omits details.
    fn note_outcome(
        &self,
        result: &BatchResult<'_>,
        outcome: &Outcome,
        is_summed: bool,
        sink: &mut dyn Sink,
    ) {
        if sink.style().json {
            return;
        }
        let path = &result.requests[outcome.request].address.path;
        outcome.plan.warnings.iter().for_each(|warning| sink.note(Note::at(path, warning.clone())));
        if let Some((message, list)) = &outcome.plan.unresolved {
            let hints = list.iter().cloned().collect();
            sink.note(Note { hints, ..Note::at(path, message.clone()) });
        }
        let request = &result.requests[outcome.request];
        if let Some(left) = outcome.links_left() {
            sink.note(hints::links_left_note(request, left, result.committed.undo.is_some()));
        }
        if !is_summed && !self.has_line(result, outcome) {
            let details = outcome.plan.details.iter();
            details.for_each(|detail| sink.note(Note::at(path, detail.clone())));
        }
    }

    /// Prints a note about matches that were not edited.
    fn note_others(&self, result: &BatchResult<'_>, sink: &mut dyn Sink) {
        let others = result.outcomes.iter().filter(|outcome| !self.has_line(result, outcome));
        let others = others.filter_map(|outcome| Some((outcome, outcome.plan.others?)));
        let others: Vec<(&Outcome, u64)> = others.collect();
        let message = match others.iter().map(|(_, count)| count).sum() {
            0 => return,
            1 => "1 more match is left".to_owned(),
            count => format!("{count} more matches are left"),
        };
        let note = match &others[..] {
            [(only, _)] => Note::at(&result.requests[only.request].address.path, message),
            _ => Note::new(message),
        };
        sink.note(note.hint(Hint::with_value(OCCURRENCE, "all").why("to edit all matches")));
    }

    /// Prints a note about files that were named but contain no match. Files below a directory are
    /// not mentioned.
    fn note_without_match(&self, result: &BatchResult<'_>, sink: &mut dyn Sink) {
        let options = self.context.options;
        if options.conditions.is_given() || options.addresses.len() < 2 {
            return;
        }
        let has_outcome: HashSet<usize> =
            result.outcomes.iter().map(|outcome| outcome.request).collect();
        let named: HashSet<&Path> = options.addresses.iter().map(Path::new).collect();
        let requests = result.requests.iter().enumerate();
        let without = requests.filter(|(number, request)| {
            !has_outcome.contains(number) && named.contains(&*request.address.path)
        });
        match without.count() {
            0 => {}
            count => {
                let message = format!("no match in {count} of {} files", result.requests.len());
                sink.note(Note::new(message));
            }
        }
    }

    fn records(&mut self, result: &BatchResult<'_>, sink: &mut dyn Sink) -> Result<(), Closed> {
        let stage =
            if self.context.options.writes_nothing() { Stage::Preview } else { Stage::Done };
        let style = sink.style();
        let (is_json, shows_diff) = (style.json, self.shows_diff());
        let undo = result.committed.undo;
        let is_single = result.outcomes.len() == 1 && self.searched_files.is_none();
        let ended = files_to_report(&result.outcomes, result.files.len());
        // For callers of tools, many edits are not printed one by one, and a long diff is printed
        // only if it was requested.
        let is_short = self.is_short(style);
        let preview =
            self.has_preview(style).then(|| preview::summary(&result.files, style)).flatten();
        let is_many = is_short && !shows_diff && result.outcomes.len() > MANY;
        let is_summed = preview.is_some() || is_many;
        let mut lines =
            result.outcomes.iter().filter(|outcome| !outcome.unchanged).map(Outcome::lines_touched);
        let lines_each =
            lines.next().filter(|first| is_summed && lines.all(|count| count == *first));
        for (outcome, ended) in result.outcomes.iter().zip(&ended) {
            self.note_outcome(result, outcome, is_summed, sink);
            let record = EditRecord {
                request: &result.requests[outcome.request],
                outcome,
                files: &result.files,
                ended,
                stage,
                shows_diff,
                shows_preview: self.context.options.preview,
                // If there are several edits, the summary shows how to undo them.
                undo: undo.filter(|_| !outcome.unchanged && (is_json || is_single)),
            };
            match &mut self.collect {
                Some(collect) => collect(&record),
                None if is_summed => {}
                None => sink.record(&record)?,
            }
        }
        let files = result.files.iter().filter(|file| file.changes).count() as u64;
        let edits = result.outcomes.iter().filter(|outcome| !outcome.unchanged).count() as u64;
        // An edit without a text or pattern has exactly one place.
        let place = |outcome: &Outcome| u64::from(!outcome.unchanged);
        let places =
            result.outcomes.iter().map(|outcome| outcome.matches.unwrap_or(place(outcome)));
        let matches = (self.searched_files.is_some() || preview.is_some()).then(|| places.sum());
        if !is_single && (is_json || !shows_diff) {
            let status = stage.status();
            return sink.record(&Summary { status, files, edits, matches, lines_each, undo });
        }
        if let Some(matches) = matches.filter(|_| !is_json && shows_diff) {
            let note = format!("{} in {}", counted(matches, "place"), counted(files, "file"));
            let diff_hint =
                preview.iter().map(|_| Hint::with_switch(DIFF).why("for the whole diff"));
            sink.note(diff_hint.fold(Note::new(note), Note::hint));
        }
        // Standard output contains only the diff.
        if let Some(undo) = undo.filter(|_| !is_json && shows_diff) {
            let hint = Hint::undo(undo).why("to undo it");
            sink.note(Note::new("the edit was written").hint(hint));
        }
        preview.map_or(Ok(()), |preview| sink.write(&preview))
    }

    /// In a dry run, reports which files could not be written.
    fn note_refusals(&self, files: &[FileFacts], sink: &mut dyn Sink) {
        let (mode, roots) = (self.context.mode(), &self.context.host.env.roots);
        for file in
            files.iter().filter(|file| file.changes && !file.is_new && file.path != Path::new("-"))
        {
            let refusal = replace::refusal(&file.path, &file.resolved, mode, roots);
            let Some(Error { message, hints, .. }) = refusal else { continue };
            let note = Note::at(&file.path, format!("the edit would be refused: {message}"));
            sink.note(Note { hints, ..note });
        }
    }
}
