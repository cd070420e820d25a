//! Computes the effect of edits: the lines that they replace and insert, the old and the new text
//! of these lines, and the number of lines of the file.

use super::planned::Planned;
use super::report::Outcome;
use super::{Operation, Part, Request};
use crate::commands::json::Checksum;
use folio_files::error::Error;
use folio_outline::document::LoadedDocument;
use folio_outline::edit::{LineSet, Plan, without_first_end};
use folio_text::edit::{Edit, EditSet, Piece};
use folio_text::lines::{count_newlines, lines_with_ends, without_end};
use folio_text::separation::BlankLines;
use folio_text::span::LineRange;

/// Maximum size of a preview in bytes.
const PREVIEW: usize = 4096;
/// Maximum number of lines of a preview.
const PREVIEW_LINES: usize = 20;

/// The effect of one edit on lines.
struct Measured {
    /// The first and last old line that the edit changes. `None` if it only inserts whole lines.
    old: Option<(u64, u64)>,
    /// The first and last new line that the edit inserts. `None` if it only deletes whole lines.
    new: Option<(u64, u64)>,
    delta: i64,
}

/// The combined effect of the edits of a plan.
#[derive(Clone, Copy, Default)]
struct Total {
    /// Whether there are any edits.
    has_edits: bool,
    /// The first and the last new line.
    new: Option<(u64, u64)>,
    /// The number of old lines that change, and the last of these lines.
    changed: u64,
    last_changed: u64,
    /// Whether any old lines change.
    touches: bool,
    delta: i64,
    /// Whether an edit adds lines after a last line without a line ending.
    ends_last: bool,
}

impl Total {
    /// Adds the effect of the next edit.
    fn add(&mut self, effect: &Measured, ends_last: bool) {
        (self.has_edits, self.ends_last) = (true, self.ends_last | ends_last);
        self.delta += effect.delta;
        if let Some((first, last)) = effect.new {
            let (start, end) = self.new.unwrap_or((first, last));
            self.new = Some((start.min(first), end.max(last)));
        }
        if let Some((start, end)) = effect.old {
            self.touches = true;
            self.changed += (end + 1).saturating_sub(start.max(self.last_changed + 1));
            self.last_changed = self.last_changed.max(end);
        }
    }
}

/// Returns the outcome of each plan of one file. The edits of the plans must have been moved to
/// `set`. Computes checksums of the new lines if `has_checksums` is set.
pub(super) fn measure(
    source: &LoadedDocument,
    set: &LineSet,
    mut plans: Vec<Planned>,
    (requests, has_checksums): (&[Request], bool),
) -> Result<Vec<Outcome>, Error> {
    for ((edit, &ends_last), &owner) in
        set.edits.edits().iter().zip(&set.ends_last).zip(&set.owners)
    {
        // If the last line of the file had no line ending, the new last line has none either, and
        // `diff` shows that.
        if ends_last && starts_line(&edit.content) && !edit.content.ends_with(b"\n") {
            let details = &mut plans[owner as usize].details;
            details.push("line ending added to the old last line, the new one has none".into());
        }
    }
    let (totals, lines) = measure_plans(source, set, plans.len());
    // The text of each plan is computed only from its own edits, so that adjacent plans report
    // separate texts.
    let edits = edits_by_plan(set, plans.len())?;
    let outcomes = plans.into_iter().zip(edits).zip(totals);
    let outcomes = outcomes.map(|((plan, edits), total)| {
        let number = plan.request;
        let outcome = build_outcome(plan, &total, &requests[number]);
        let outcome = Outcome { request: number, total_lines: lines, ..outcome };
        with_texts(source, &edits, &total, (outcome, has_checksums))
    });
    Ok(outcomes.collect())
}

fn edits_by_plan(set: &LineSet, plans: usize) -> Result<Vec<EditSet>, Error> {
    if plans == 1 {
        return Ok(vec![set.edits.clone()]);
    }
    let mut counts = vec![0; plans];
    set.owners.iter().for_each(|&owner| counts[owner as usize] += 1);
    let mut plan_edits: Vec<Vec<Edit>> = counts.into_iter().map(Vec::with_capacity).collect();
    for (edit, &owner) in set.edits.edits().iter().zip(&set.owners) {
        plan_edits[owner as usize].push(edit.clone());
    }
    let sets = plan_edits.into_iter().map(EditSet::new).collect::<Result<_, _>>();
    sets.map_err(|_| Error::usage("edits overlap"))
}

/// Returns the combined effect of the edits of each plan, and the number of lines of the file
/// before and after.
fn measure_plans(source: &LoadedDocument, set: &LineSet, plans: usize) -> (Vec<Total>, (u64, u64)) {
    let (mut shift, mut counted) = (0i64, 0i64);
    let mut plan_totals = vec![Total::default(); plans];
    let places = set.lines.iter().zip(&set.ends_last).zip(&set.owners);
    for (edit, ((&line, &ends_last), &owner)) in set.edits.edits().iter().zip(places) {
        let (mut effect, feeds) = measure_edit(source, edit, line, ends_last);
        let moved = |line: u64| (line as i64 + shift).max(1) as u64;
        effect.new = effect.new.map(|(first, last)| (moved(first), moved(last)));
        (shift, counted) = (shift + feeds, counted + effect.delta);
        plan_totals[owner as usize].add(&effect, ends_last);
    }
    // Only the total is certain, so a shared effect at the end is attributed to the last edit.
    let totals = (source.total_lines(), new_total_lines(source, &set.edits, shift));
    if let Some(&last) = set.owners.last() {
        plan_totals[last as usize].delta += totals.1 as i64 - totals.0 as i64 - counted;
    }
    (plan_totals, totals)
}

/// Returns the effect of one edit, as if it were the only edit, and the change in the number of
/// line feeds.
fn measure_edit(
    source: &LoadedDocument,
    edit: &Edit,
    line: u64,
    ends_last: bool,
) -> (Measured, i64) {
    let (text, old) = (source.span(), source.bytes(edit.span));
    let at_start = source.begins_line(edit.span.start());
    let removed = count_newlines(old);
    let added = count_newlines(&edit.content);
    let takes_lines = old.ends_with(b"\n");
    let at_end = edit.span.end() == text.end();
    let is_last = at_end && source.is_cut(text.end());
    let brings_lines = edit.content.ends_with(b"\n");
    // The last line gains a line ending, or is replaced.
    let follows = ends_last && starts_line(&edit.content);
    let puts_in = edit.span.is_empty() && at_start && (brings_lines || text.is_empty());
    let old = (!ends_last && !puts_in)
        .then(|| (line, line + removed - u64::from(takes_lines && at_start)));
    let ends_here = ends_last || at_end || (at_start && (takes_lines || edit.span.is_empty()));
    let last = match (edit.content.is_empty(), brings_lines) {
        (true, _) if at_start && (takes_lines || is_last) => None,
        (false, true) if ends_here => Some(line + added - 1),
        _ => Some(line + added),
    };
    let new = last.map(|last| (line + u64::from(follows), last));
    let feeds = added as i64 - removed as i64;
    let lacks_end = edit.content.last().is_some_and(|byte| *byte != b'\n');
    let delta = if is_last {
        // The old last line was counted although it had no line ending. Check whether the new last
        // line is counted, too.
        let stays = edit.content.is_empty() && !at_start && edit.span.start() > text.start();
        feeds + i64::from(lacks_end || stays) - i64::from(!ends_last || follows)
    } else {
        feeds + i64::from(at_end && lacks_end)
    };
    (Measured { old, new, delta }, feeds)
}

/// Returns the number of lines after edits that add `shift` line feeds.
fn new_total_lines(source: &LoadedDocument, edits: &EditSet, shift: i64) -> u64 {
    let is_cut = source.is_cut(source.end());
    let feeds = source.total_lines() as i64 - i64::from(is_cut) + shift;
    let last = match edits.pieces_within(source.span()).last() {
        Some(Piece::New(content)) => content.last().copied(),
        Some(Piece::Old(span)) => source.bytes(span).last().copied(),
        None => None,
    };
    (feeds.max(0) as u64) + u64::from(last.is_some_and(|byte| byte != b'\n'))
}

fn build_outcome(plan: Planned, total: &Total, request: &Request) -> Outcome {
    // Added blank lines are not part of the result.
    let BlankLines { before, after } = plan.blank_lines;
    let result = total.new.and_then(|(first, last)| LineRange::new(first + before, last - after));
    let is_match = matches!(&request.target, Some(Part::Match(_)));
    let is_kept = matches!(request.operation, Operation::Copy | Operation::Create)
        || request.file_destination().is_some();
    Outcome {
        result,
        lines_changed: total.changed,
        lines_delta: total.delta,
        matches: is_match.then_some(plan.places.unwrap_or_default()),
        unchanged: !total.has_edits && !is_kept,
        plan: Box::new(plan),
        ..Outcome::default()
    }
}

/// Adds the old and new text, and the checksum of the new lines, to an outcome.
fn with_texts(
    source: &LoadedDocument,
    edits: &EditSet,
    total: &Total,
    (mut outcome, has_checksum): (Outcome, bool),
) -> Outcome {
    let Plan { affected, blank_lines, .. } = **outcome.plan;
    let checksum = (has_checksum && outcome.result.is_some()).then(Checksum::default);
    let mut after = TextPreview { head: Vec::new(), checksum };
    let only_puts_in = total.has_edits && !total.touches;
    if only_puts_in {
        for edit in edits.edits() {
            let content = &edit.content;
            let content = if total.ends_last { without_first_end(content) } else { content };
            after.push(blank_lines.stripped(content));
        }
    } else if let Some(lines) = affected {
        let span = source.span_of(lines);
        let old = source.bytes(span);
        (outcome.before, outcome.is_cut) = truncate_preview(&old[..old.len().min(PREVIEW + 1)]);
        for piece in edits.pieces_within(span) {
            match piece {
                Piece::New(content) => after.push(blank_lines.stripped(content)),
                Piece::Old(span) => after.push(source.bytes(span)),
            }
        }
    }
    let (shown, is_cut) = truncate_preview(&after.head);
    outcome.after = shown;
    outcome.is_cut |= is_cut;
    outcome.range_checksum = after.checksum.map(Checksum::digits);
    outcome
}

/// The beginning of a text and, if required, the checksum of the whole text.
struct TextPreview {
    head: Vec<u8>,
    checksum: Option<Checksum>,
}

impl TextPreview {
    fn push(&mut self, bytes: &[u8]) {
        if let Some(checksum) = &mut self.checksum {
            checksum.push(bytes);
        }
        let room = (PREVIEW + 1).saturating_sub(self.head.len());
        self.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

/// Prepares text for a preview: truncates it, and removes its final line ending.
fn truncate_preview(text: &[u8]) -> (Vec<u8>, bool) {
    let lines = lines_with_ends(text).take(PREVIEW_LINES).map(<[u8]>::len).sum();
    if text.len() <= PREVIEW && lines == text.len() {
        return (without_end(text).to_vec(), false);
    }
    if lines <= PREVIEW {
        return (without_end(&text[..lines]).to_vec(), true);
    }
    let mut end = PREVIEW;
    while end > 0 && text[end] & 0xc0 == 0x80 {
        end -= 1;
    }
    (text[..end].to_vec(), true)
}

fn starts_line(content: &[u8]) -> bool {
    content.starts_with(b"\n") || content.starts_with(b"\r\n")
}
