//! Plans moves and copies of entries: writes the value at another key path, in this document or
//! another one.

use super::carried_entry::CarriedEntry;
use super::entries::{refused, through_alias};
use super::place::Planner;
use super::plan::{Carried, Plan};
use super::{Destination, Operation, Refusal, Side};
use crate::locate::Miss;
use crate::part::Part;
use folio_keys::comments::has_comments_in_brackets;
use folio_keys::edit::{self, Edits, KeyRefusal};
use folio_keys::find::{self, Found, KeyMiss, Step};
use folio_keys::value::Value;
use folio_keys::{KeyPath, Kind, Syntax, Tree};

/// The reason why an entry is not moved to a place without comments.
const LOSES_COMMENTS: &str = "the comments of the entry would be lost; delete them first";

impl Planner<'_> {
    /// Plans the removal of an entry that is inserted at another place. For a copy, removes
    /// nothing.
    pub(super) fn carry_entry(
        &self,
        tree: &Tree,
        index: usize,
        path: &KeyPath,
    ) -> Result<Plan, Refusal> {
        self.check_is_no_rename(tree, path)?;
        if tree.syntax == Syntax::Yaml && tree.name(index) == Some("<<") {
            let message = "a merge key cannot be moved or copied; insert it as a line";
            return Err(refused(tree, index, message));
        }
        if self.request.operation == Operation::Move && has_comments_in_brackets(tree, index) {
            return Err(refused(tree, index, LOSES_COMMENTS));
        }
        let span = self.entry_place(tree, index, false).span;
        let mut plan = match self.request.operation {
            Operation::Move => {
                let plan = self.changes(tree, index, self.plan_removal(tree, index))?;
                let is_ini = matches!(tree.syntax, Syntax::Ini(_));
                Plan { removed_entry: (!is_ini).then_some(index), ..plan }
            }
            _ => Plan { named: Some(span), ..Plan::default() },
        };
        plan.affected = Some(tree.lines(index));
        let text = self.source.bytes(span).to_vec();
        let entry = Some(CarriedEntry::from_tree(tree, index, path));
        // A key of INI may also be inserted as a line.
        let around = matches!(tree.syntax, Syntax::Ini(_)).then_some(span);
        plan.carried = Some(Carried {
            text,
            span,
            around,
            is_part: false,
            language: None,
            symbol: None,
            entry,
        });
        Ok(plan)
    }

    /// Plans the removal of an entry that is moved. If it becomes a line at another place, the
    /// comments above it stay.
    fn plan_removal(&self, tree: &Tree, index: usize) -> Result<Edits, KeyRefusal> {
        let destination = self.request.destination.as_ref();
        if destination.is_some_and(|to| matches!(to.part, Part::Lines(_))) {
            return edit::remove(tree, index, self.request.check);
        }
        edit::remove_with_comments(tree, index, self.request.check)
    }

    /// Refuses a move that would only rename a key.
    fn check_is_no_rename(&self, tree: &Tree, path: &KeyPath) -> Result<(), Refusal> {
        let Some(Destination { part: Part::Anchor(id), is_here }) = &self.request.destination
        else {
            return Ok(());
        };
        let Ok((to, found)) = find::look_up(tree, id) else { return Ok(()) };
        let is_new = self.request.operation == Operation::Move && *is_here && found.is_err();
        match (path.steps.split_last(), to.steps.split_last()) {
            (Some((Step::Name(_), outer)), Some((Step::Name(name), around)))
                if is_new && outer == around =>
            {
                Err(Refusal::OnlyRenames { name: name.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Plans the insertion of an entry at an address. If the address contains a key path, this is
    /// the new path; otherwise, the entry keeps its path. If the path is that of a mapping or list,
    /// the entry is added there.
    pub(super) fn arrive_entry(&self, to: &Part, entry: &CarriedEntry) -> Result<Plan, Refusal> {
        let usage = |message: String| Refusal::Keys { line: None, reason: message.into() };
        let outline = self.source.outline();
        let tree = outline.entries().ok_or_else(|| usage("it has no keys".to_owned()))?;
        let (path, found) = match to {
            Part::Anchor(id) => {
                match (find::look_up(tree, id).map_err(usage)?, unique_section(tree, id)) {
                    ((path, Err(_)), Some(index)) => (path, Ok(Found { index, alias: None })),
                    (found, _) => found,
                }
            }
            Part::Whole => (entry.path.clone(), find::find(tree, &entry.path)),
            _ => return Err(Refusal::KeyNeeded),
        };
        let is_copy = self.request.operation == Operation::Copy;
        let is_here = self.request.destination.as_ref().is_some_and(|to| to.is_here);
        // An alias refers to an anchor in its document.
        let keeps_aliases = is_here && !tree.has_documents();
        let value = entry.value(tree.syntax, keeps_aliases).map_err(usage)?;
        if let Some((name, line)) = entry.repeated_anchor(tree)
            && (is_copy || !is_here)
        {
            return Err(usage(format!("the anchor &{name} already exists on line {line}")));
        }
        // The number of keys that are added, one in another.
        let mut names_count = 1;
        let (container, planned) = match found {
            Ok(found) if *to == Part::Whole && self.request.side.is_none() => {
                return Err(key_taken(tree, found.index));
            }
            Ok(found) => self.insert_at((tree, found), entry, &value)?,
            Err(miss) => {
                let new = match &miss {
                    KeyMiss::NotFound { container, steps } => self
                        .new_names(tree, *container, &path.steps[*steps..])?
                        .map(|names| (container.index, names)),
                    KeyMiss::Ambiguous { .. } => None,
                };
                let Some((container, names)) = new else {
                    return Err(Refusal::Missed(Miss::Entry(path, miss)));
                };
                names_count = names.len();
                (container, edit::insert_key(tree, container, &names, &value, self.request.check))
            }
        };
        // The lines of a table of TOML need not contain those of the tables in it.
        let source_index = find::find(tree, &entry.path).ok().map(|found| found.index);
        let is_moved_here = !is_copy && is_here;
        if is_moved_here
            && source_index.is_some_and(|source_index| tree.is_within(container, source_index))
        {
            return Err(Refusal::IntoItself);
        }
        let planned = planned.and_then(|mut edits| {
            match entry.comments.add_to(tree, &edits.changes) {
                Some(commented) => edits.changes = commented,
                None if is_copy => {}
                None => return Err(LOSES_COMMENTS.to_owned().into()),
            }
            Ok(edits)
        });
        let plan = self.changes(tree, container, planned)?;
        if let Syntax::Ini(_) = tree.syntax {
            return Ok(self.with_section_spacing(plan, tree, container, names_count));
        }
        Ok(plan)
    }

    /// Inserts an entry at an existing one: next to an item, at the end of a list, or in a mapping.
    fn insert_at(
        &self,
        (tree, found): (&Tree, Found),
        entry: &CarriedEntry,
        value: &Value,
    ) -> Result<(usize, Result<Edits, KeyRefusal>), Refusal> {
        if let Some(alias) = found.alias {
            return Err(through_alias(tree, alias));
        }
        let index = found.index;
        let node = tree.node(index);
        if let Some(side) = self.request.side {
            let list = tree.parent(index).filter(|_| tree.name(index).is_none());
            let list = list.ok_or(Refusal::ItemNeeded)?;
            let number = node.number + u32::from(side == Side::After);
            return Ok((
                list,
                edit::insert_item(tree, list, Some(number), value, self.request.check),
            ));
        }
        if node.kind == Kind::Sequence {
            return Ok((index, edit::insert_item(tree, index, None, value, self.request.check)));
        }
        let mut existing = index;
        if let (Kind::Mapping, Some(name)) = (node.kind, &entry.name) {
            match find::children_named(tree, index, name).first() {
                Some(&child) => existing = child,
                None => {
                    let names = std::slice::from_ref(name);
                    return Ok((
                        index,
                        edit::insert_key(tree, index, names, value, self.request.check),
                    ));
                }
            }
        }
        Err(key_taken(tree, existing))
    }
}

/// Returns the only section of an INI file with a name. It is a mapping for keys that arrive there.
fn unique_section(tree: &Tree, name: &str) -> Option<usize> {
    match find::find_sections(tree, name)[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// Returns the refusal for an entry that already exists at the destination.
fn key_taken(tree: &Tree, index: usize) -> Refusal {
    Refusal::KeyTaken { path: tree.path(index), line: tree.lines(index).start() }
}
