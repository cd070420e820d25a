//! Merges the edits of a file into a sorted, disjoint set. Drops edits that change nothing.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use super::plan::{LineEdit, Order};
use crate::commands::buffer::Buffer;
use crate::error::{Code, Error};
use crate::text::edit::{EditSet, Piece};
use crate::text::format::Feature;
use crate::text::keys::{Syntax, edit};
use crate::text::markdown::front_matter;
use crate::text::span::Span;

/// Maximum number of bytes to parse when comparing the edits of a file that is a tree of keys.
const MAX_COMPARED: u64 = 1 << 30;

/// The hint for two edits that cannot be made together.
const SEQUENTIAL: &str = r#"combine the two edits, or set "sequential":true in apply"#;

/// The edits of a file, with the line and the plan of each edit.
#[derive(Default)]
pub(super) struct LineSet {
    pub(super) edits: EditSet,
    /// The line on which each edit begins.
    pub(super) lines: Vec<u64>,
    /// The index of the plan of each edit.
    pub(super) owners: Vec<u32>,
    /// For each edit, whether it adds lines after a last line that has no line ending.
    pub(super) behind: Vec<bool>,
}

/// Merges all edits of the plans for a file, and drops edits that change nothing. `plans` contains
/// each plan with the number of its request.
pub(super) fn edit_set(
    source: &Buffer,
    plans: Vec<(usize, Order, Vec<LineEdit>)>,
) -> Result<LineSet, Error> {
    let requests: Vec<usize> = plans.iter().map(|(request, ..)| *request).collect();
    let orders: Vec<Order> = plans.iter().map(|(_, order, _)| *order).collect();
    let mut all = together(plans, &orders);
    // Edits that change nothing are also checked for overlaps.
    let mut deleted: Option<(Span, usize)> = None;
    for at in 0..all.len() {
        let span = all[at].edit.span;
        let before = at.checked_sub(1).filter(|&before| span.start() < all[before].edit.span.end());
        // The part to whose end content is added must not be deleted.
        let Order { part, is_apart, .. } = orders[all[at].owner as usize];
        let is_gone = |gone: &Span| {
            span == Span::new(gone.end(), gone.end())
                && part.0.is_some_and(|part| gone.start() <= part && part < gone.end())
        };
        let gone = deleted.filter(|(gone, _)| !is_apart && is_gone(gone)).map(|(_, at)| at);
        if let Some(first) = before.or(gone) {
            let place = |at: usize| (requests[all[at].owner as usize], all[at].line);
            let (first, second) = (place(first), place(at));
            return Err(match first.0 == second.0 {
                true => no_room(source.path()),
                false => overlapping(source.path(), first, second),
            });
        }
        if !span.is_empty() {
            deleted = all[at].edit.content.is_empty().then_some((span, at));
        }
    }
    // Only the first of several edits after this line may omit the line ending.
    let mut ends_freely = is_last_line_gone(source, &all);
    all.retain_mut(|edit| {
        if edit.ends_last && std::mem::take(&mut ends_freely) {
            edit.edit.content = without_first_end(&edit.edit.content).to_vec();
        }
        source.bytes(edit.edit.span) != edit.edit.content
    });
    check_entries(source, &requests, &orders, &all)?;
    let lines = all.iter().map(|edit| edit.line).collect();
    let owners = all.iter().map(|edit| edit.owner).collect();
    let behind = all.iter().map(|edit| edit.ends_last).collect();
    let edits = all.into_iter().map(|edit| edit.edit).collect();
    // A subset of a disjoint set is disjoint.
    let edits = EditSet::new(edits).map_err(|_| Error::usage("edits overlap"))?;
    if leaves_all_as_it_was(source, &edits) {
        return Ok(LineSet::default());
    }
    Ok(LineSet { edits, lines, owners, behind })
}

/// Fails if edits in a tree of keys or in front matter would have another effect together than
/// separately. For example, an item of a list cannot be deleted while another one is appended.
fn check_entries(
    source: &Buffer,
    requests: &[usize],
    orders: &[Order],
    all: &[LineEdit],
) -> Result<(), Error> {
    if requests.len() < 2 {
        return Ok(());
    }
    let own = source.format().syntax();
    let has_front_matter = source.format().has(Feature::FrontMatter);
    let front_matter = has_front_matter.then(|| front_matter::find(source.text())).flatten();
    let (syntax, end) = match (own, front_matter) {
        (Some(syntax), _) => (syntax, source.end()),
        (None, Some(found)) => (found.format.syntax(), source.start() + found.length as u64),
        // Edits may add front matter.
        (None, None) if has_front_matter => (Syntax::Yaml, source.start()),
        (None, None) if source.format().has(Feature::Keys) => {
            return check_keys(source, orders, all);
        }
        (None, None) => return Ok(()),
    };
    let keys = |text: &[u8]| match own {
        Some(_) => text.to_vec(),
        None => front_matter::find(text).map(|found| found.source()).unwrap_or_default(),
    };
    let all = || all.iter().filter(|edit| edit.edit.span.end() <= end);
    let whole = &source.whole()[..end as usize];
    let applied =
        |owner: Option<u32>| keys(&edits_of(owner, all()).apply(whole)[source.start() as usize..]);
    let owners = owners(all());
    let refused = |message: &str| {
        Err(Error::new(Code::OverlappingEdits, message).at(source.path()).hint(SEQUENTIAL))
    };
    if (owners.len() as u64).saturating_mul(end) > MAX_COMPARED {
        return refused("too many edits of one file of this size");
    }
    // After a cancellation, the texts are not needed.
    let alone = |&owner: &u32| source.check_cancel().map_or(Vec::new(), |()| applied(Some(owner)));
    let old = keys(&whole[source.start() as usize..]);
    let are_sound = owners.len() < 2
        || edit::go_together(syntax, &old, owners.iter().map(alone), &applied(None));
    source.check_cancel()?;
    if are_sound {
        return Ok(());
    }
    if requests.iter().all(|request| *request == requests[0]) {
        return Err(no_room(source.path()));
    }
    refused("these edits have another effect together than each has alone")
}

/// Returns the indexes of the plans of some edits, without repetitions.
fn owners<'a>(edits: impl Iterator<Item = &'a LineEdit>) -> Vec<u32> {
    let owners: BTreeSet<u32> = edits.map(|edit| edit.owner).collect();
    owners.into_iter().collect()
}

/// Returns those of some disjoint edits that belong to a plan, or all of them.
fn edits_of<'a>(owner: Option<u32>, edits: impl Iterator<Item = &'a LineEdit>) -> EditSet {
    let own = edits.filter(|edit| owner.is_none_or(|owner| edit.owner == owner));
    // A subset of a disjoint set is disjoint.
    EditSet::new(own.map(|edit| edit.edit.clone()).collect()).unwrap_or_default()
}

/// Fails if edits of an INI file together add a section or a key that each of them adds alone.
fn check_keys(source: &Buffer, orders: &[Order], all: &[LineEdit]) -> Result<(), Error> {
    let names = |owner: Option<u32>| {
        let edited = source.edited(&edits_of(owner, all.iter()));
        let outline = edited.outline();
        let marker = |section: usize| outline.marker(section).to_vec();
        let markers = (0..outline.sections().len()).map(|section| (Some(marker(section)), None));
        let keys = outline.keys().iter();
        let keys = keys.map(|key| (key.section.map(marker), Some(key.name.clone())));
        let mut times: HashMap<_, u32> = HashMap::new();
        markers.chain(keys).for_each(|name| *times.entry(name).or_default() += 1);
        times
    };
    let mut repeated: Vec<_> = names(None).into_iter().filter(|(_, times)| *times > 1).collect();
    // Several edits may append keys of one name, but only one may set the key.
    let mut is_set = false;
    for owner in owners(all.iter()) {
        if repeated.is_empty() {
            break;
        }
        source.check_cancel()?;
        let own = names(Some(owner));
        repeated.retain(|(name, _)| own.get(name).is_none_or(|times| *times == 1));
        is_set |= orders[owner as usize].is_of_name
            && repeated.iter().any(|(name, _)| own.contains_key(name));
    }
    match repeated.is_empty() || !is_set {
        true => Ok(()),
        false => {
            let message = "together, these edits would repeat a section or a key";
            Err(Error::new(Code::OverlappingEdits, message).at(source.path()).hint(SEQUENTIAL))
        }
    }
}

/// Returns the edits of all plans in document order. Edits at the same position and of the same
/// part keep the order of the plans.
fn together(plans: Vec<(usize, Order, Vec<LineEdit>)>, orders: &[Order]) -> Vec<LineEdit> {
    let mut all = Vec::new();
    for ((_, _, mut edits), owner) in plans.into_iter().zip(0..) {
        edits.iter_mut().for_each(|edit| edit.owner = owner);
        match all.is_empty() {
            true => all = edits,
            false => all.append(&mut edits),
        }
    }
    let order = |edit: &LineEdit| orders[edit.owner as usize];
    all.sort_by_key(|edit| (edit.edit.span.start(), edit.edit.span.end(), order(edit)));
    all
}

/// Whether an edit deletes the last line, or adds its missing line ending. Content after it then
/// need not begin with a line ending.
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

/// Whether several edits together have no effect, for example because a part is moved to the place
/// where it already is.
fn leaves_all_as_it_was(source: &Buffer, edits: &EditSet) -> bool {
    /// Maximum distance in bytes between edits that are compared.
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

/// Returns the error for a part whose new place is within or next to its old one.
fn no_room(path: &Path) -> Error {
    let message = "the entry cannot be moved there without changing other data";
    Error::usage(message).at(path).hint("copy it to its new place, then delete it at the old one")
}

fn overlapping(path: &Path, first: (usize, u64), second: (usize, u64)) -> Error {
    let place = |(number, line): (usize, u64)| format!("edit {} at line {line}", number + 1);
    let message = format!("{} and {} overlap", place(first), place(second));
    Error::new(Code::OverlappingEdits, message).at(path).hint(SEQUENTIAL)
}

/// Removes the line ending at the beginning of content.
pub(super) fn without_first_end(content: &[u8]) -> &[u8] {
    content.strip_prefix(b"\r\n").or(content.strip_prefix(b"\n")).unwrap_or(content)
}
