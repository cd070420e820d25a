//! The edits of one file, put together: sorted, disjoint, without those that
//! change nothing.

use std::path::Path;

use super::plan::{LineEdit, Plan};
use super::source::Source;
use crate::error::{Code, Error};
use crate::text::edit::{Edit, EditSet, Piece};
use crate::text::span::Span;

/// Edits of one file, with what is known of each.
#[derive(Default)]
pub(super) struct LineSet {
    pub(super) edits: EditSet,
    /// The line that each begins on.
    pub(super) lines: Vec<u64>,
    /// The plan that each belongs to, by its place in the list of plans.
    pub(super) owners: Vec<usize>,
    /// Whether each brings lines behind a last one that has no end.
    pub(super) behind: Vec<bool>,
}

/// All edits of the plans of one file, without those that change nothing.
pub(super) fn edit_set(source: &mut Source, plans: &[(usize, Plan)]) -> Result<LineSet, Error> {
    let all: Vec<(usize, &LineEdit)> = plans
        .iter()
        .enumerate()
        .flat_map(|(owner, (_, plan))| plan.edits.iter().map(move |edit| (owner, edit)))
        .collect();
    // Overlaps are told of edits that change nothing too.
    let set = all.iter().map(|(_, edit)| edit.edit.clone()).collect();
    EditSet::new(set).map_err(|overlap| {
        let told = |(owner, edit): (usize, &LineEdit)| (plans[owner].0, edit.line);
        overlapping(source.path(), told(all[overlap.first]), told(all[overlap.second]))
    })?;
    // Of several that come behind it, only the first need not.
    let mut ends_freely = is_last_line_gone(source, &all)?;
    let mut changing = Vec::with_capacity(all.len());
    for (owner, edit) in all {
        let mut edit = edit.clone();
        if edit.ends_last && std::mem::take(&mut ends_freely) {
            edit.edit.content = without_first_end(&edit.edit.content).to_vec();
        }
        if !is_same(source, &edit)? {
            changing.push((owner, edit));
        }
    }
    changing.sort_by_key(|(_, edit)| (edit.edit.span.start(), edit.edit.span.end()));
    let edits: Vec<Edit> = changing.iter().map(|(_, edit)| edit.edit.clone()).collect();
    // A part of a disjoint set is disjoint.
    let edits = EditSet::new(edits).map_err(|_| Error::usage("edits overlap"))?;
    if leaves_all_as_it_was(source, &edits)? {
        return Ok(LineSet::default());
    }
    Ok(LineSet {
        edits,
        lines: changing.iter().map(|(_, edit)| edit.line).collect(),
        owners: changing.iter().map(|(owner, _)| *owner).collect(),
        behind: changing.iter().map(|(_, edit)| edit.ends_last).collect(),
    })
}

/// Whether the last line, which has no line end, goes as a whole or gets one:
/// then what comes behind it need not bring one.
fn is_last_line_gone(source: &mut Source, edits: &[(usize, &LineEdit)]) -> Result<bool, Error> {
    let end = match edits.iter().find(|(_, edit)| edit.ends_last) {
        Some((_, edit)) => edit.edit.span.end(),
        None => return Ok(false),
    };
    for (_, edit) in edits {
        let edit = &edit.edit;
        if edit.span.end() == end && !edit.span.is_empty() {
            let is_gone = edit.content.is_empty() && begins_line(source, edit.span.start())?;
            return Ok(is_gone || edit.content.ends_with(b"\n"));
        }
    }
    Ok(false)
}

/// Whether several edits come to nothing, as where a part moves to where it is.
fn leaves_all_as_it_was(source: &mut Source, edits: &EditSet) -> Result<bool, Error> {
    /// Edits that are further apart are taken for what they are.
    const NEAR: u64 = 4 * 1024 * 1024;
    let [first, .., last] = edits.edits() else { return Ok(false) };
    let part = Span::new(first.span.start(), last.span.end());
    if part.len() > NEAR {
        return Ok(false);
    }
    let old = source.bytes(part)?;
    let mut new = Vec::with_capacity(old.len());
    for piece in edits.pieces_within(part) {
        match piece {
            Piece::New(content) => new.extend_from_slice(content),
            Piece::Old(span) => new.extend_from_slice(&source.bytes(span)?),
        }
    }
    Ok(old == new)
}

fn is_same(source: &mut Source, edit: &LineEdit) -> Result<bool, Error> {
    let edit = &edit.edit;
    if edit.span.len() != edit.content.len() as u64 {
        return Ok(false);
    }
    Ok(source.bytes(edit.span)? == edit.content)
}

fn overlapping(path: &Path, first: (usize, u64), second: (usize, u64)) -> Error {
    let told = |(number, line): (usize, u64)| format!("edit {} at line {line}", number + 1);
    let message = format!("{} and {} overlap", told(first), told(second));
    Error::new(Code::OverlappingEdits, message)
        .at(path)
        .hint(r#"make one edit of the two, or say "sequential":true in apply"#)
}

/// Whether a line begins at an offset.
pub(super) fn begins_line(source: &mut Source, offset: u64) -> Result<bool, Error> {
    if offset <= source.start() {
        return Ok(true);
    }
    Ok(source.bytes(Span::new(offset - 1, offset))? == b"\n")
}

/// Content without the line end that it begins with.
pub(super) fn without_first_end(content: &[u8]) -> &[u8] {
    content.strip_prefix(b"\r\n").or(content.strip_prefix(b"\n")).unwrap_or(content)
}
