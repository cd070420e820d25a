//! The edits of one file, put together: sorted, disjoint, without those that
//! change nothing.

use std::path::Path;

use super::plan::LineEdit;
use crate::commands::buffer::Buffer;
use crate::error::{Code, Error};
use crate::text::edit::{EditSet, Piece};
use crate::text::span::Span;

/// Edits of one file, with what is known of each.
#[derive(Default)]
pub(super) struct LineSet {
    pub(super) edits: EditSet,
    /// The line that each begins on.
    pub(super) lines: Vec<u64>,
    /// The plan that each belongs to, by its place in the list of plans.
    pub(super) owners: Vec<u32>,
    /// Whether each brings lines after a last one that has no end.
    pub(super) behind: Vec<bool>,
}

/// All edits of the plans of one file, without those that change nothing; with
/// those of each plan the number of its request.
pub(super) fn edit_set(
    source: &Buffer,
    plans: Vec<(usize, Vec<LineEdit>)>,
) -> Result<LineSet, Error> {
    let requests: Vec<usize> = plans.iter().map(|(request, _)| *request).collect();
    let mut all = together(plans);
    // Overlaps are told of edits that change nothing too.
    let overlap = |two: &[LineEdit]| two[1].edit.span.start() < two[0].edit.span.end();
    if let Some(two) = all.windows(2).find(|two| overlap(two)) {
        let told = |edit: &LineEdit| (requests[edit.owner as usize], edit.line);
        return Err(overlapping(source.path(), told(&two[0]), told(&two[1])));
    }
    // Of several that come after it, only the first need not.
    let mut ends_freely = is_last_line_gone(source, &all);
    all.retain_mut(|edit| {
        if edit.ends_last && std::mem::take(&mut ends_freely) {
            edit.edit.content = without_first_end(&edit.edit.content).to_vec();
        }
        source.bytes(edit.edit.span) != edit.edit.content
    });
    let lines = all.iter().map(|edit| edit.line).collect();
    let owners = all.iter().map(|edit| edit.owner).collect();
    let behind = all.iter().map(|edit| edit.ends_last).collect();
    let edits = all.into_iter().map(|edit| edit.edit).collect();
    // A part of a disjoint set is disjoint.
    let edits = EditSet::new(edits).map_err(|_| Error::usage("edits overlap"))?;
    if leaves_all_as_it_was(source, &edits) {
        return Ok(LineSet::default());
    }
    Ok(LineSet { edits, lines, owners, behind })
}

/// The edits of all plans in the order of the document; those of one place in the
/// order of the plans.
fn together(plans: Vec<(usize, Vec<LineEdit>)>) -> Vec<LineEdit> {
    let mut all = Vec::new();
    for ((_, mut edits), owner) in plans.into_iter().zip(0..) {
        edits.iter_mut().for_each(|edit| edit.owner = owner);
        match all.is_empty() {
            true => all = edits,
            false => all.append(&mut edits),
        }
    }
    let place = |edit: &LineEdit| (edit.edit.span.start(), edit.edit.span.end());
    if !all.is_sorted_by_key(place) {
        all.sort_by_key(place);
    }
    all
}

/// Whether the last line, which has no line end, goes as a whole or gets one:
/// then what comes after it need not bring one.
fn is_last_line_gone(source: &Buffer, edits: &[LineEdit]) -> bool {
    let Some(behind) = edits.iter().find(|edit| edit.ends_last) else { return false };
    let end = behind.edit.span.end();
    for LineEdit { edit, .. } in edits {
        if edit.span.end() == end && !edit.span.is_empty() {
            let is_gone = edit.content.is_empty() && source.begins_line(edit.span.start());
            return is_gone || edit.content.ends_with(b"\n");
        }
    }
    false
}

/// Whether several edits come to nothing, as where a part moves to where it is.
fn leaves_all_as_it_was(source: &Buffer, edits: &EditSet) -> bool {
    /// Edits that are further apart are taken for what they are.
    const NEAR: u64 = 4 * 1024 * 1024;
    let [first, .., last] = edits.edits() else { return false };
    let part = Span::new(first.span.start(), last.span.end());
    if part.len() > NEAR {
        return false;
    }
    let old = source.bytes(part);
    let new = edits.pieces_within(part).map(|piece| match piece {
        Piece::New(content) => content,
        Piece::Old(span) => source.bytes(span),
    });
    new.flatten().eq(old)
}

fn overlapping(path: &Path, first: (usize, u64), second: (usize, u64)) -> Error {
    let told = |(number, line): (usize, u64)| format!("edit {} at line {line}", number + 1);
    let message = format!("{} and {} overlap", told(first), told(second));
    Error::new(Code::OverlappingEdits, message)
        .at(path)
        .hint(r#"make one edit of the two, or say "sequential":true in apply"#)
}

/// Content without the line end that it begins with.
pub(super) fn without_first_end(content: &[u8]) -> &[u8] {
    content.strip_prefix(b"\r\n").or(content.strip_prefix(b"\n")).unwrap_or(content)
}
