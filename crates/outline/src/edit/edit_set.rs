//! Merges the edits of a file into a sorted, disjoint set. Drops edits that change nothing.

use std::collections::{BTreeSet, HashMap};

use super::Refusal;
use super::entries::{DELIMITER_CHANGED, line_edits, refused};
use super::plan::{LineEdit, Order, Plan};
use crate::document::LoadedDocument;
use crate::format::Feature;
use folio_keys::change::Change;
use folio_keys::edit::{self, Alone};
use folio_keys::together::{Together, TogetherRefusal, remove_together};
use folio_keys::{Syntax, Tree};
use folio_markdown::front_matter;
use folio_text::edit::{Edit, EditSet, Piece};
use folio_text::lines::count_newlines;
use folio_text::separation::is_blank;
use folio_text::span::Span;

/// Maximum number of bytes to parse when comparing the edits of a file that is a tree of keys.
const MAX_COMPARED: u64 = 1 << 30;

/// The edits of a file, with the line and the plan of each edit.
#[derive(Default)]
pub struct LineSet {
    /// The edits, disjoint and in order.
    pub edits: EditSet,
    /// The line on which each edit begins.
    pub lines: Vec<u64>,
    /// The index of the plan of each edit.
    pub owners: Vec<u32>,
    /// For each edit, whether it adds lines after a last line that has no line ending.
    pub ends_last: Vec<bool>,
}

/// Merges all edits of the plans for a file, which it takes out of the plans. Drops edits that change
/// nothing. If entries of a tree of keys are removed in a way that affects the other edits, plans their
/// removal again, after the others.
pub fn edit_set(source: &LoadedDocument, mut plans: Vec<&mut Plan>) -> Result<LineSet, Refusal> {
    let has_removals = plans.len() > 1 && plans.iter().any(|plan| plan.removed_entry.is_some());
    if !has_removals {
        return merge_plans(source, plans, false);
    }
    let edits: Vec<Vec<LineEdit>> = plans.iter().map(|plan| plan.edits.clone()).collect();
    let refusal = if plans.iter().any(|plan| plan.needs_others) {
        Refusal::NotTogether
    } else {
        match merge_plans(source, plans.iter_mut().map(|plan| &mut **plan).collect(), false) {
            Err(refusal @ (Refusal::Overlap { .. } | Refusal::NotTogether | Refusal::NoRoom)) => {
                refusal
            }
            result => return result,
        }
    };
    for (plan, edits) in plans.iter_mut().zip(edits) {
        plan.edits = edits;
    }
    if plan_removals_last(source, &mut plans)? {
        return merge_plans(source, plans, true);
    }
    Err(refusal)
}

/// Plans the removals of entries again, so that they are made after the edits of the other plans.
/// Returns false if that is impossible.
fn plan_removals_last(source: &LoadedDocument, plans: &mut [&mut Plan]) -> Result<bool, Refusal> {
    let (Some(key_tree), Some(tree)) = (KeyTree::from_document(source), source.outline().entries())
    else {
        return Ok(false);
    };
    let removed: Vec<usize> = plans.iter().filter_map(|plan| plan.removed_entry).collect();
    if (removed.len() as u64).saturating_mul(key_tree.end) > MAX_COMPARED {
        return Err(Refusal::TooManyEdits);
    }
    let is_other = |plan: &&Plan| plan.removed_entry.is_none();
    let mut others: Vec<Plan> =
        plans.iter().map(|plan| &**plan).filter(is_other).cloned().collect();
    if merge_plans(source, others.iter_mut().collect(), false).is_err() {
        return Ok(false);
    }
    // The edits of the other plans, each with its plan and its number there.
    let mut edits: Vec<(usize, usize, &LineEdit)> = Vec::new();
    for (at, plan) in plans.iter().enumerate().filter(|(_, plan)| plan.removed_entry.is_none()) {
        edits.extend(plan.edits.iter().enumerate().map(|(number, edit)| (at, number, edit)));
    }
    edits.retain(|(.., edit)| edit.edit.span.end() <= key_tree.end);
    edits.sort_by_key(|(at, _, edit)| {
        (edit.edit.span.start(), edit.edit.span.end(), plans[*at].order)
    });
    let change = |(.., LineEdit { edit, .. }): &(usize, usize, &LineEdit)| {
        let start = source.start();
        let at = (edit.span.start() - start) as usize..(edit.span.end() - start) as usize;
        String::from_utf8(edit.content.clone()).ok().map(|text| Change { at, text })
    };
    let Some(changes) = edits.iter().map(change).collect::<Option<Vec<_>>>() else {
        return Ok(false);
    };
    let places: Vec<(usize, usize)> = edits.iter().map(|(at, number, _)| (*at, *number)).collect();
    let Together { others, removals } = match remove_together(tree, &changes, &removed) {
        Ok(together) => together,
        Err(TogetherRefusal::Overlap) => return Ok(false),
        Err(TogetherRefusal::Entry(index, reason)) => {
            return Err(Refusal::Keys { line: Some(tree.lines(index).start()), reason });
        }
    };
    for ((at, number), change) in places.into_iter().zip(others) {
        plans[at].edits[number].edit.content = change.text.into_bytes();
    }
    let removing = plans.iter_mut().filter(|plan| plan.removed_entry.is_some());
    for (plan, changes) in removing.zip(removals) {
        let index = plan.removed_entry.unwrap_or_default();
        let edits = line_edits(source, tree, changes);
        plan.edits = edits.ok_or_else(|| refused(tree, index, DELIMITER_CHANGED))?;
    }
    Ok(true)
}

/// Merges all edits of the plans, which it takes out of the plans. Unless they are verified, checks
/// that edits of entries have the same effect together as separately.
fn merge_plans(
    source: &LoadedDocument,
    mut plans: Vec<&mut Plan>,
    are_verified: bool,
) -> Result<LineSet, Refusal> {
    let edits: Vec<_> = plans.iter_mut().map(|plan| plan.take_edits()).collect();
    let plans: Vec<&Plan> = plans.into_iter().map(|plan| &*plan).collect();
    let mut all = merge_edits(edits, &plans);
    separate_deletions(source, &mut all);
    move_out_of_deletions(source, &mut all);
    // Edits that change nothing are also checked for overlaps.
    let mut deleted: Option<(Span, usize)> = None;
    for at in 0..all.len() {
        let span = all[at].edit.span;
        let before = at.checked_sub(1).filter(|&before| span.start() < all[before].edit.span.end());
        // The part to whose end content is added must not be deleted.
        let Order { part, is_apart, .. } = plans[all[at].owner as usize].order;
        let is_gone = |deletion: &Span| {
            span == Span::new(deletion.end(), deletion.end())
                && part.0.is_some_and(|part| deletion.start() <= part && part < deletion.end())
        };
        let deletion_index =
            deleted.filter(|(deletion, _)| !is_apart && is_gone(deletion)).map(|(_, at)| at);
        if let Some(first) = before.or(deletion_index) {
            let place = |at: usize| (plans[all[at].owner as usize].request, all[at].line);
            let (first, second) = (place(first), place(at));
            return Err(if first.0 == second.0 {
                Refusal::NoRoom
            } else {
                Refusal::Overlap { first, second }
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
    if !are_verified {
        check_entries(source, &plans, &all)?;
    }
    let lines = all.iter().map(|edit| edit.line).collect();
    let owners = all.iter().map(|edit| edit.owner).collect();
    let ends_last = all.iter().map(|edit| edit.ends_last).collect();
    let edits = all.into_iter().map(|edit| edit.edit).collect();
    // A subset of a disjoint set is disjoint.
    let edits = EditSet::new(edits).map_err(|_| Refusal::NoRoom)?;
    if leaves_all_as_it_was(source, &edits) {
        return Ok(LineSet::default());
    }
    Ok(LineSet { edits, lines, owners, ends_last })
}

/// Separates adjacent deletions that both delete the blank lines between them, as deletions of a
/// section and of the last section after it do. The first one deletes them, and the second one
/// instead deletes those above the first one.
///
/// Deletions of entries of a tree of keys are not separated: the second one would not delete its
/// entry.
fn separate_deletions(source: &LoadedDocument, all: &mut [LineEdit]) {
    let tree = KeyTree::from_document(source);
    let tree_end = tree.filter(|tree| !matches!(tree.syntax, Syntax::Ini(_))).map(|tree| tree.end);
    for at in (1..all.len()).rev() {
        let [first, second] = &mut all[at - 1..=at] else { continue };
        let (above, below) = (first.edit.span, second.edit.span);
        let are_deletions = first.edit.content.is_empty() && second.edit.content.is_empty();
        let overlaps = above.start() < below.start()
            && (below.start() + 1..=below.end()).contains(&above.end());
        let are_entries = tree_end.is_some_and(|end| above.start() < end);
        if !are_deletions || !overlaps || are_entries {
            continue;
        }
        let shared = source.bytes(Span::new(below.start(), above.end()));
        if !is_blank(shared) {
            continue;
        }
        let count = count_newlines(shared);
        second.edit.span = Span::new(above.end(), below.end());
        second.line += count;
        if source.line_start(first.line) != above.start() {
            continue;
        }
        let is_blank_line = |line: &u64| *line > 0 && is_blank(source.line(*line));
        let blank_lines = (1..=count).map(|back| first.line.saturating_sub(back));
        if let Some(line) = blank_lines.take_while(is_blank_line).last() {
            first.line = line;
            first.edit.span = Span::new(source.line_start(line), above.end());
        }
    }
}

/// The tree of keys of a document: the whole document, or its front matter.
struct KeyTree<'a> {
    source: &'a LoadedDocument,
    syntax: Syntax,
    /// The offset of the end of the tree.
    end: u64,
}

impl<'a> KeyTree<'a> {
    fn from_document(source: &'a LoadedDocument) -> Option<Self> {
        let has_front_matter = source.format().has(Feature::FrontMatter);
        let front_matter = has_front_matter.then(|| front_matter::find(source.text())).flatten();
        let (syntax, end) = match (source.format().syntax(), front_matter) {
            (Some(syntax), _) => (syntax, source.end()),
            (None, Some(found)) => (found.format.syntax(), source.start() + found.length as u64),
            // Edits may add front matter.
            (None, None) if has_front_matter => (Syntax::Yaml, source.start()),
            (None, None) => return None,
        };
        Some(Self { source, syntax, end })
    }

    /// Returns the source of the tree after edits.
    fn edited_source(&self, edits: &EditSet) -> Vec<u8> {
        let edited = edits.apply(&self.source.whole()[..self.end as usize]);
        let text = &edited[self.source.start() as usize..];
        match self.source.format().syntax() {
            Some(_) => text.to_vec(),
            None => front_matter::find(text).map(|found| found.source()).unwrap_or_default(),
        }
    }
}

/// Whether the edits of plans with a known difference together make exactly these differences.
pub fn are_exact<'p>(
    source: &LoadedDocument,
    plans: impl Iterator<Item = &'p Plan> + Clone,
) -> bool {
    let Some(tree) = KeyTree::from_document(source) else { return true };
    let entry_plans: Vec<&Plan> = plans.filter(|plan| plan.difference.is_some()).collect();
    let edits = entry_plans.iter().map(|plan| plan.edits.clone()).collect();
    let edits = merge_edits(edits, &entry_plans).into_iter().map(|edit| edit.edit).collect();
    let Ok(edits) = EditSet::new(edits) else { return false };
    let differences: Vec<_> = entry_plans.iter().filter_map(|plan| plan.difference).collect();
    let old = tree.edited_source(&EditSet::default());
    edit::has_all(tree.syntax, &old, &differences, &tree.edited_source(&edits))
}

/// Fails if edits in a tree of keys or in front matter would have another effect together than
/// separately. For example, an item of a list cannot be deleted while another one is appended.
fn check_entries(
    source: &LoadedDocument,
    plans: &[&Plan],
    all: &[LineEdit],
) -> Result<(), Refusal> {
    if plans.len() < 2 {
        return Ok(());
    }
    if let Some(Syntax::Ini(_)) = source.format().syntax() {
        return check_repeats(source, plans, all);
    }
    let Some(tree) = KeyTree::from_document(source) else { return Ok(()) };
    let all = || all.iter().filter(|edit| edit.edit.span.end() <= tree.end);
    let owners = owner_indexes(all());
    let difference = |owner: &u32| plans[*owner as usize].difference;
    let unknown = owners.iter().filter(|owner| difference(owner).is_none()).count() as u64;
    if unknown.saturating_mul(tree.end) > MAX_COMPARED {
        return Err(Refusal::TooManyEdits);
    }
    let alone = |owner: &u32| match (difference(owner), source.check_cancel()) {
        (Some(difference), _) => Alone::Difference(difference),
        (None, Ok(())) => Alone::Text(tree.edited_source(&edits_of(Some(*owner), all()))),
        // After a cancellation, the texts are not needed.
        (None, Err(_)) => Alone::Text(Vec::new()),
    };
    let are_sound = owners.len() < 2
        || edit::go_together(
            tree.syntax,
            &tree.edited_source(&EditSet::default()),
            owners.iter().map(alone),
            &tree.edited_source(&edits_of(None, all())),
        );
    source.check_cancel()?;
    if are_sound {
        return Ok(());
    }
    if plans.iter().all(|plan| plan.request == plans[0].request) {
        return Err(Refusal::NoRoom);
    }
    Err(Refusal::NotTogether)
}

/// Returns the indexes of the plans of some edits, without repetitions.
fn owner_indexes<'a>(edits: impl Iterator<Item = &'a LineEdit>) -> Vec<u32> {
    let owners: BTreeSet<u32> = edits.map(|edit| edit.owner).collect();
    owners.into_iter().collect()
}

/// Returns those of some disjoint edits that belong to a plan, or all of them.
fn edits_of<'a>(owner: Option<u32>, edits: impl Iterator<Item = &'a LineEdit>) -> EditSet {
    let selected = edits.filter(|edit| owner.is_none_or(|owner| edit.owner == owner));
    // A subset of a disjoint set is disjoint.
    EditSet::new(selected.map(|edit| edit.edit.clone()).collect()).unwrap_or_default()
}

/// Fails if edits of an INI file together add a section or a key that each of them adds alone.
fn check_repeats(
    source: &LoadedDocument,
    plans: &[&Plan],
    all: &[LineEdit],
) -> Result<(), Refusal> {
    let names = |owner: Option<u32>| {
        let edited = source.edited(&edits_of(owner, all.iter()));
        let outline = edited.outline();
        let name = |tree: &Tree, index| tree.name(index).map(str::to_owned);
        let names = outline.tree().into_iter().flat_map(|tree| {
            let names = |index| {
                (tree.parent(index).and_then(|parent| name(tree, parent)), name(tree, index))
            };
            (1..tree.nodes.len()).map(names)
        });
        let mut times: HashMap<_, u32> = HashMap::new();
        names.for_each(|name| *times.entry(name).or_default() += 1);
        times
    };
    let mut repeated: Vec<_> = names(None).into_iter().filter(|(_, times)| *times > 1).collect();
    // Several edits may append keys of one name, but only one may set the key.
    let mut is_set = false;
    for owner in owner_indexes(all.iter()) {
        if repeated.is_empty() {
            break;
        }
        source.check_cancel()?;
        let name_counts = names(Some(owner));
        repeated.retain(|(name, _)| name_counts.get(name).is_none_or(|times| *times == 1));
        is_set |= plans[owner as usize].order.is_of_name
            && repeated.iter().any(|(name, _)| name_counts.contains_key(name));
    }
    if repeated.is_empty() || !is_set { Ok(()) } else { Err(Refusal::RepeatsKey) }
}

/// Returns the edits of each of the plans in document order. Edits at the same position and of the
/// same part keep the order of the plans.
fn merge_edits(edits: Vec<Vec<LineEdit>>, plans: &[&Plan]) -> Vec<LineEdit> {
    let mut all = Vec::new();
    for (mut edits, owner) in edits.into_iter().zip(0..) {
        edits.iter_mut().for_each(|edit| edit.owner = owner);
        if all.is_empty() { all = edits } else { all.append(&mut edits) }
    }
    let order = |edit: &LineEdit| plans[edit.owner as usize].order;
    all.sort_by_key(|edit| (edit.edit.span.start(), edit.edit.span.end(), order(edit)));
    all
}

/// Moves lines that are inserted after the line ending with which a deletion begins, and before
/// which it is the same text, to the start of the deletion.
fn move_out_of_deletions(source: &LoadedDocument, all: &mut [LineEdit]) {
    for at in 1..all.len() {
        let (deletion, lines) = (&all[at - 1].edit, &all[at].edit);
        let start = deletion.span.start();
        let is_within = deletion.content.is_empty()
            && lines.span.is_empty()
            && start < lines.span.start()
            && lines.span.start() < deletion.span.end();
        if !is_within {
            continue;
        }
        let ending = source.bytes(Span::new(start, lines.span.start())).to_vec();
        let text = match lines.content.strip_suffix(&ending[..]) {
            Some(text) if matches!(&ending[..], b"\n" | b"\r\n") => [&ending[..], text].concat(),
            _ => continue,
        };
        all[at].edit = Edit::new(Span::new(start, start), text);
        all.swap(at - 1, at);
    }
}

/// Whether an edit deletes the last line, or adds its missing line ending. Content after it then
/// need not begin with a line ending.
fn is_last_line_gone(source: &LoadedDocument, edits: &[LineEdit]) -> bool {
    let Some(last_edit) = edits.iter().find(|edit| edit.ends_last) else { return false };
    let end = last_edit.edit.span.end();
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
fn leaves_all_as_it_was(source: &LoadedDocument, edits: &EditSet) -> bool {
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

/// Removes the line ending at the beginning of content.
pub fn without_first_end(content: &[u8]) -> &[u8] {
    content.strip_prefix(b"\r\n").or(content.strip_prefix(b"\n")).unwrap_or(content)
}
