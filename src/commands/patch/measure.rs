//! What edits come to: which lines they touch and bring, what these were and
//! are, how many the file has.

use super::plan::Plan;
use super::report::Outcome;
use super::source::Source;
use super::transaction::{LineSet, begins_line, without_first_end};
use super::{Operation, Request, Target};
use crate::commands::json::Checksum;
use crate::error::Error;
use crate::text::edit::{Edit, EditSet, Piece};
use crate::text::lines::{count_newlines, without_end};
use crate::text::span::{LineRange, Span};

/// Bytes of a part that are told as its preview.
const PREVIEW: usize = 4096;

/// How an edit stands among the lines.
struct Measured {
    /// The old lines that it touches, inclusive; none for whole lines put in.
    old: Option<(u64, u64)>,
    /// The new lines that it brings; none for whole lines taken away.
    new: Option<(u64, u64)>,
    delta: i64,
}

/// What the plans of one file come to, each by itself.
pub(super) fn measure<'a>(
    source: &mut Source,
    set: &LineSet,
    plans: &[(usize, Plan)],
    request_of: &dyn Fn(usize) -> &'a Request,
) -> Result<Vec<Outcome>, Error> {
    let edits = &set.edits;
    let index = source.index()?;
    let text = index.text();
    let mut shift = 0i64;
    let mut measured = Vec::with_capacity(set.lines.len());
    let all = edits.edits().iter().zip(&set.lines).zip(&set.behind);
    for ((edit, &line), &behind) in all {
        // In the order in which the document is read best: what comes before first.
        let at_start = begins_line(source, edit.span.start())?;
        let removed = count_feeds(source, edit.span)?;
        let added = count_newlines(&edit.content);
        let takes_lines = !edit.span.is_empty() && ends_line(source, edit.span)?;
        let is_last = edit.span.end() == text.end() && !index.ends_with_line_end();
        let brings_lines = edit.content.ends_with(b"\n");
        // The last line stays and gets an end, or these come in its place.
        let follows = behind && starts_line(&edit.content);
        let old = if behind || (edit.span.is_empty() && at_start && brings_lines) {
            None
        } else {
            Some((line, line + removed - u64::from(takes_lines && at_start)))
        };
        let first = line + u64::from(follows);
        let last = match (edit.content.is_empty(), brings_lines) {
            (true, _) if at_start && (takes_lines || is_last) => None,
            (false, true)
                if behind
                    || edit.span.end() == text.end()
                    || (at_start && (takes_lines || edit.span.is_empty())) =>
            {
                Some(line + added - 1)
            }
            _ => Some(line + added),
        };
        let moved = |line: u64| (line as i64 + shift).max(1) as u64;
        let new = last.map(|last| (moved(first), moved(last)));
        let mut delta = added as i64 - removed as i64;
        if is_last {
            // The old last line counted without an end; does the new one?
            let is_cut = match edit.content.last() {
                Some(byte) => *byte != b'\n',
                None => !at_start && edit.span.start() > text.start(),
            };
            let counted = !behind || follows;
            delta += i64::from(is_cut) - i64::from(counted);
        } else if edit.span.end() == text.end() {
            delta += i64::from(edit.content.last().is_some_and(|byte| *byte != b'\n'));
        }
        shift += added as i64 - removed as i64;
        measured.push(Measured { old, new, delta });
    }
    // What is certain is the whole; what edits share at the end is the last one's.
    let old_total = index.total_lines();
    let new_total = new_total_lines(source, edits, shift)?;
    let told: i64 = measured.iter().map(|one| one.delta).sum();
    if let Some(last) = measured.last_mut() {
        last.delta += new_total as i64 - old_total as i64 - told;
    }
    let totals = (old_total, new_total);
    let mut outcomes = Vec::with_capacity(plans.len());
    // What the neighbours of a plan do is told of them.
    let mut mine: Vec<(Vec<&Measured>, Vec<Edit>)> = Vec::new();
    mine.resize_with(plans.len(), Default::default);
    for ((one, edit), &owner) in measured.iter().zip(edits.edits()).zip(&set.owners) {
        mine[owner].0.push(one);
        mine[owner].1.push(edit.clone());
    }
    for ((number, plan), (mine, own)) in plans.iter().zip(&mut mine) {
        let request = request_of(*number);
        let own = EditSet::new(std::mem::take(own)).map_err(|_| Error::usage("edits overlap"))?;
        outcomes.push(outcome(source, &own, *number, plan, mine, totals, request)?);
    }
    Ok(outcomes)
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

fn outcome(
    source: &mut Source,
    edits: &EditSet,
    number: usize,
    plan: &Plan,
    mine: &[&Measured],
    totals: (u64, u64),
    request: &Request,
) -> Result<Outcome, Error> {
    let first = mine.iter().filter_map(|one| one.new).map(|(first, _)| first).min();
    let last = mine.iter().filter_map(|one| one.new).map(|(_, last)| last).max();
    let mut changed = 0;
    let mut until = 0;
    for (start, end) in mine.iter().filter_map(|one| one.old) {
        let start = start.max(until + 1);
        changed += (end + 1).saturating_sub(start);
        until = until.max(end);
    }
    let is_match = matches!(&request.target, Some(Target::Match(_)));
    let mut outcome = Outcome {
        request: number,
        affected: plan.affected,
        result: first.zip(last).and_then(|(first, last)| LineRange::new(first, last)),
        lines_changed: changed,
        lines_delta: mine.iter().map(|one| one.delta).sum(),
        total_lines: totals,
        matches: is_match.then_some(plan.edits.len() as u64),
        others: plan.others,
        warnings: plan.warnings.clone(),
        links: match plan.is_links {
            true => vec![(source.path().to_owned(), plan.edits.len() as u64)],
            false => Vec::new(),
        },
        only_links: plan.is_links,
        unchanged: mine.is_empty() && !matches!(request.operation, Operation::Copy(..)),
        ..Outcome::default()
    };
    show(source, edits, plan, mine, &mut outcome)?;
    Ok(outcome)
}

/// What the lines were and are, and the checksum of the new ones.
fn show(
    source: &mut Source,
    edits: &EditSet,
    plan: &Plan,
    mine: &[&Measured],
    outcome: &mut Outcome,
) -> Result<(), Error> {
    let only_puts_in = mine.iter().all(|one| one.old.is_none()) && !mine.is_empty();
    let mut after = Shown::default();
    if only_puts_in {
        let ends_last = plan.edits.iter().any(|edit| edit.ends_last);
        for edit in edits.edits() {
            let content = &edit.content;
            after.push(if ends_last { without_first_end(content) } else { content });
        }
    } else if let Some(lines) = plan.affected {
        let span = source.span_of(lines)?;
        let length = span.len().min(PREVIEW as u64 + 1);
        let head = source.bytes(Span::new(span.start(), span.start() + length))?;
        (outcome.before, outcome.is_cut) = cut(&head);
        for piece in edits.pieces_within(span) {
            match piece {
                Piece::New(content) => after.push(content),
                Piece::Old(span) => source.each_chunk(span, |bytes| after.push(bytes))?,
            }
        }
    }
    let (shown, is_cut) = cut(&after.head);
    outcome.after = shown;
    outcome.is_cut |= is_cut;
    outcome.range_checksum = outcome.result.map(|_| after.checksum.digits());
    Ok(())
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
pub(super) fn cut(text: &[u8]) -> (Vec<u8>, bool) {
    if text.len() <= PREVIEW {
        return (without_end(text).to_vec(), false);
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
