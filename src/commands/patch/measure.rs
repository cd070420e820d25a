//! What edits come to: which lines they touch and bring, what these were and
//! are, how many the file has.

use super::edit_set::{LineSet, begins_line, without_first_end};
use super::plan::Plan;
use super::report::Outcome;
use super::source::Source;
use super::{Operation, Request, Target};
use crate::commands::json::Checksum;
use crate::error::Error;
use crate::text::edit::{Edit, EditSet, Piece};
use crate::text::line_index::LineIndex;
use crate::text::lines::{count_newlines, lines_with_ends, without_end};
use crate::text::separation::BlankLines;
use crate::text::span::{LineRange, Span};

/// Bytes of a part that are told as its preview.
const PREVIEW: usize = 4096;
/// Lines of it.
const PREVIEW_LINES: usize = 20;

/// How an edit stands among the lines.
struct Measured {
    /// The old lines that it touches, inclusive; none for whole lines put in.
    old: Option<(u64, u64)>,
    /// The new lines that it brings; none for whole lines taken away.
    new: Option<(u64, u64)>,
    delta: i64,
}

/// What the plans of one file come to, each by itself.
pub(super) fn measure(
    source: &mut Source,
    set: &LineSet,
    plans: &[(usize, Plan)],
    requests: &[Request],
) -> Result<Vec<Outcome>, Error> {
    let (measured, totals) = measured(source, set)?;
    // What the neighbours of a plan do is told of them.
    let mut own: Vec<(Vec<&Measured>, Vec<Edit>)> = Vec::new();
    own.resize_with(plans.len(), Default::default);
    for ((one, edit), &owner) in measured.iter().zip(set.edits.edits()).zip(&set.owners) {
        own[owner].0.push(one);
        own[owner].1.push(edit.clone());
    }
    let each = plans.iter().zip(own).map(|((number, plan), (measured, edits))| {
        let edits = EditSet::new(edits).map_err(|_| Error::usage("edits overlap"))?;
        let outcome = outcome(plan, &measured, &requests[*number]);
        let outcome = Outcome { request: *number, total_lines: totals, ..outcome };
        show(source, &edits, plan, &measured, outcome)
    });
    let mut outcomes: Vec<Outcome> = each.collect::<Result<_, Error>>()?;
    for ((edit, &behind), &owner) in set.edits.edits().iter().zip(&set.behind).zip(&set.owners) {
        // A file that lacks its last line end goes on to do so, as `diff` shows it.
        if behind && starts_line(&edit.content) && !edit.content.ends_with(b"\n") {
            let path = source.path().display();
            outcomes[owner].warnings.push(format!(
                "the last line of '{path}' had no line end: it has one now, the new last line none"
            ));
        }
    }
    Ok(outcomes)
}

/// How all edits stand among the lines, and the file's lines before and after.
fn measured(source: &mut Source, set: &LineSet) -> Result<(Vec<Measured>, (u64, u64)), Error> {
    let index = source.index()?;
    let mut shift = 0i64;
    let mut all = Vec::with_capacity(set.lines.len());
    for ((edit, &line), &behind) in set.edits.edits().iter().zip(&set.lines).zip(&set.behind) {
        let (mut one, feeds) = measured_edit(source, &index, edit, line, behind)?;
        let moved = |line: u64| (line as i64 + shift).max(1) as u64;
        one.new = one.new.map(|(first, last)| (moved(first), moved(last)));
        shift += feeds;
        all.push(one);
    }
    // What is certain is the whole; what edits share at the end is the last one's.
    let totals = (index.total_lines(), new_total_lines(source, &set.edits, shift)?);
    let told: i64 = all.iter().map(|one| one.delta).sum();
    if let Some(last) = all.last_mut() {
        last.delta += totals.1 as i64 - totals.0 as i64 - told;
    }
    Ok((all, totals))
}

/// How one edit stands among the lines, as if it were the only one, and how
/// many more line feeds it brings than it takes.
fn measured_edit(
    source: &mut Source,
    index: &LineIndex,
    edit: &Edit,
    line: u64,
    behind: bool,
) -> Result<(Measured, i64), Error> {
    let text = index.text();
    // In the order in which the document is read best: what comes before first.
    let at_start = begins_line(source, edit.span.start())?;
    let removed = count_feeds(source, edit.span)?;
    let added = count_newlines(&edit.content);
    let takes_lines = !edit.span.is_empty() && ends_line(source, edit.span)?;
    let at_end = edit.span.end() == text.end();
    let is_last = at_end && !index.ends_with_line_end();
    let brings_lines = edit.content.ends_with(b"\n");
    // The last line stays and gets an end, or these come in its place.
    let follows = behind && starts_line(&edit.content);
    let puts_in = edit.span.is_empty() && at_start && (brings_lines || text.is_empty());
    let old =
        (!behind && !puts_in).then(|| (line, line + removed - u64::from(takes_lines && at_start)));
    let ends_here = behind || at_end || (at_start && (takes_lines || edit.span.is_empty()));
    let last = match (edit.content.is_empty(), brings_lines) {
        (true, _) if at_start && (takes_lines || is_last) => None,
        (false, true) if ends_here => Some(line + added - 1),
        _ => Some(line + added),
    };
    let new = last.map(|last| (line + u64::from(follows), last));
    let feeds = added as i64 - removed as i64;
    let lacks_end = edit.content.last().is_some_and(|byte| *byte != b'\n');
    let delta = if is_last {
        // The old last line counted without an end; does the new one?
        let stays = edit.content.is_empty() && !at_start && edit.span.start() > text.start();
        feeds + i64::from(lacks_end || stays) - i64::from(!behind || follows)
    } else {
        feeds + i64::from(at_end && lacks_end)
    };
    Ok((Measured { old, new, delta }, feeds))
}

/// The number of lines after edits that bring `shift` more line feeds than
/// they take.
fn new_total_lines(source: &mut Source, edits: &EditSet, shift: i64) -> Result<u64, Error> {
    let index = source.index()?;
    let text = index.text();
    let is_cut = !index.ends_with_line_end();
    let feeds = index.total_lines() as i64 - i64::from(is_cut) + shift;
    let last = match edits.pieces_within(text).last() {
        Some(Piece::New(content)) => content.last().copied(),
        Some(Piece::Old(span)) => {
            source.bytes(Span::new(span.end() - 1, span.end()))?.last().copied()
        }
        None => None,
    };
    Ok((feeds.max(0) as u64) + u64::from(last.is_some_and(|byte| byte != b'\n')))
}

fn outcome(plan: &Plan, measured: &[&Measured], request: &Request) -> Outcome {
    let first = measured.iter().filter_map(|one| one.new).map(|(first, _)| first).min();
    let last = measured.iter().filter_map(|one| one.new).map(|(_, last)| last).max();
    // Blank lines that were added are not what the edit is about.
    let BlankLines { before, after } = plan.blank_lines;
    let (first, last) = (first.map(|line| line + before), last.map(|line| line - after));
    let mut changed = 0;
    let mut until = 0;
    for (start, end) in measured.iter().filter_map(|one| one.old) {
        let start = start.max(until + 1);
        changed += (end + 1).saturating_sub(start);
        until = until.max(end);
    }
    let places = plan.places.unwrap_or(plan.edits.len() as u64);
    let is_match = matches!(&request.target, Some(Target::Match(_)));
    let is_kept = matches!(request.operation, Operation::Copy(..) | Operation::Create)
        || request.file_destination().is_some();
    Outcome {
        role: plan.role,
        affected: plan.affected,
        result: first.zip(last).and_then(|(first, last)| LineRange::new(first, last)),
        lines_changed: changed,
        lines_delta: measured.iter().map(|one| one.delta).sum(),
        matches: is_match.then_some(places),
        others: plan.others,
        warnings: plan.warnings.clone(),
        blank_lines: plan.blank_lines,
        rewritten: plan.rewritten,
        left: plan.left,
        unchanged: measured.is_empty() && !is_kept,
        ..Outcome::default()
    }
}

/// Adds what the lines were and are, and the checksum of the new ones.
fn show(
    source: &mut Source,
    edits: &EditSet,
    plan: &Plan,
    measured: &[&Measured],
    mut outcome: Outcome,
) -> Result<Outcome, Error> {
    let only_puts_in = measured.iter().all(|one| one.old.is_none()) && !measured.is_empty();
    let mut after = Shown::default();
    if only_puts_in {
        let ends_last = plan.edits.iter().any(|edit| edit.ends_last);
        for edit in edits.edits() {
            let content = &edit.content;
            let content = if ends_last { without_first_end(content) } else { content };
            after.push(plan.blank_lines.stripped(content));
        }
    } else if let Some(lines) = plan.affected {
        let span = source.span_of(lines)?;
        let length = span.len().min(PREVIEW as u64 + 1);
        let head = source.bytes(Span::new(span.start(), span.start() + length))?;
        (outcome.before, outcome.is_cut) = cut(&head);
        for piece in edits.pieces_within(span) {
            match piece {
                Piece::New(content) => after.push(plan.blank_lines.stripped(content)),
                Piece::Old(span) => source.each_chunk(span, |bytes| after.push(bytes))?,
            }
        }
    }
    let (shown, is_cut) = cut(&after.head);
    outcome.after = shown;
    outcome.is_cut |= is_cut;
    outcome.range_checksum = outcome.result.map(|_| after.checksum.digits());
    Ok(outcome)
}

/// The beginning of what goes by, and the checksum of all of it.
#[derive(Default)]
struct Shown {
    head: Vec<u8>,
    checksum: Checksum,
}

impl Shown {
    fn push(&mut self, bytes: &[u8]) {
        self.checksum.push(bytes);
        let room = (PREVIEW + 1).saturating_sub(self.head.len());
        self.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

fn count_feeds(source: &mut Source, span: Span) -> Result<u64, Error> {
    let mut feeds = 0;
    source.each_chunk(span, |bytes| feeds += count_newlines(bytes))?;
    Ok(feeds)
}

fn ends_line(source: &mut Source, span: Span) -> Result<bool, Error> {
    Ok(source.bytes(Span::new(span.end() - 1, span.end()))? == b"\n")
}

/// Text as a preview: without its last line end, and not too long.
fn cut(text: &[u8]) -> (Vec<u8>, bool) {
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
