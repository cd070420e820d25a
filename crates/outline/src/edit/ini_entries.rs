//! Plans the edits of keys of INI files that differ from those of other formats: a new key is a line
//! below the other keys of its section, and keys contain no items.

use super::entries::no_entry;
use super::place::Planner;
use super::plan::{LineEdit, Plan};
use super::{Operation, Refusal, without_first_end};
use crate::locate::Entry;
use folio_keys::Tree;
use folio_keys::edit::{self, KeyRefusal};
use folio_keys::find::{Found, KeyMiss, Step};
use folio_keys::value::Value;
use folio_text::span::LineRange;

impl Planner<'_> {
    /// Plans an edit of a key of an INI file. Returns `None` for edits that are the same in all
    /// formats with keys.
    pub(super) fn ini_plan(
        &self,
        entry: &Entry<'_>,
        is_value: bool,
    ) -> Option<Result<Plan, Refusal>> {
        let operation = self.request.operation;
        // Only `set` and `delete` make a value empty.
        if is_value && matches!(operation, Operation::Replace | Operation::Insert) {
            let content = self.exact_content();
            if let Err(refusal) = content {
                return Some(Err(refusal));
            }
        }
        let plan = match operation {
            Operation::Insert => self.insert_ini_key(entry, is_value),
            Operation::Append => Err(Refusal::NoEnd { is_key: true }),
            Operation::Replace if !is_value => self.replace_ini_line(entry),
            Operation::Delete if is_value => self.delete_ini_value(entry),
            Operation::Move | Operation::Copy if is_value => Err(Refusal::ValueNotCarried),
            _ => return None,
        };
        Some(plan)
    }

    /// Inserts a new key beside another one or, without a side, below the other keys of its section.
    /// It is given as a line or, below the others, as its value.
    fn insert_ini_key(&self, entry: &Entry<'_>, is_value: bool) -> Result<Plan, Refusal> {
        let tree = entry.tree;
        if self.request.side.is_some() {
            return self.insert_entry(entry);
        }
        let (container, name) = new_key(entry)?;
        let content = if is_value { self.text()? } else { self.line()? };
        // The names of keys that are compared without case may differ.
        let mut keys = tree.children(container).filter(|&key| !tree.node(key).kind.is_container());
        if let Some(index) = keys.find(|&key| tree.name(key) == Some(name)) {
            let is_same = if is_value {
                tree.scalar(index) == content
            } else {
                tree.text[self.line_range(tree, index)].trim() == content.trim()
            };
            let line = tree.lines(index).start();
            return Err(Refusal::KeyExists { key: name.to_owned(), line, is_same });
        }
        let check = self.request.check;
        let planned = if is_value {
            let value = Value::string(&content);
            edit::insert_key(tree, container, &[name.to_owned()], &value, check)
        } else {
            edit::insert_line(tree, container, name, &content, check)
        };
        if let (Err(KeyRefusal::InSections { .. }), Err(miss)) = (&planned, &entry.found) {
            return Err(no_entry(entry, miss));
        }
        let plan = self.changes(tree, container, planned)?;
        Ok(self.with_section_spacing(plan, tree, container, 1))
    }

    /// Replaces the lines of a key with new lines of this key.
    fn replace_ini_line(&self, entry: &Entry<'_>) -> Result<Plan, Refusal> {
        let index = self.entry_index(entry)?;
        let content = self.line()?;
        let plan =
            self.changes(entry.tree, index, edit::replace_line(entry.tree, index, &content))?;
        let options = &self.request.options;
        if options.keeps_indentation || options.exact {
            let place = self.entry_place(entry.tree, index, false);
            return Ok(self.put(&place, self.lines_for(&place, content.as_bytes())));
        }
        Ok(plan)
    }

    /// Deletes the value of a key, but not the key.
    fn delete_ini_value(&self, entry: &Entry<'_>) -> Result<Plan, Refusal> {
        let index = self.entry_index(entry)?;
        let empty = Value::string("");
        let planned = edit::replace(entry.tree, index, &empty, self.request.check);
        self.changes(entry.tree, index, planned)
    }

    /// Returns the content as text. It is not empty.
    fn line(&self) -> Result<String, Refusal> {
        String::from_utf8(self.content()?).map_err(|_| Refusal::ContentNotUtf8)
    }

    fn line_range(&self, tree: &Tree, index: usize) -> std::ops::Range<usize> {
        let span = tree.span(index);
        tree.start_of_line(span.start)..tree.end_of_line(span.end)
    }

    /// Records that an inserted key is at the end of the section that contains it, below the line
    /// above it. New sections and keys before all sections are at the end of the file.
    pub(super) fn with_section_spacing(
        &self,
        mut plan: Plan,
        tree: &Tree,
        container: usize,
        names: usize,
    ) -> Plan {
        if let [LineEdit { edit, ends_last, .. }] = &mut plan.edits[..]
            && edit.span.is_empty()
        {
            let at = edit.span.start();
            *ends_last = self.source.is_cut(at);
            let inserted =
                if *ends_last { without_first_end(&edit.content) } else { &edit.content };
            let is_apart = without_first_end(inserted).len() < inserted.len();
            plan.blank_lines.before = u64::from(is_apart && names > 1);
            let above = self.source.line_of(at.saturating_sub(1).max(self.source.start()));
            plan.affected = Some(LineRange::line(above));
        }
        let is_in_section = container != Tree::ROOT && names == 1;
        let start = tree.start_of_line(tree.node(container).start as usize) as u64;
        plan.at_end_of(is_in_section.then_some(self.source.start() + start))
    }
}

/// Returns the section of a new key, or the root, and the name of the key.
fn new_key<'e>(entry: &'e Entry<'_>) -> Result<(usize, &'e str), Refusal> {
    let name = entry.path.steps.iter().rev().find_map(|step| match step {
        Step::Name(name) => Some(&name[..]),
        _ => None,
    });
    let parent = |index: usize| entry.tree.parent(index).unwrap_or(Tree::ROOT);
    match (&entry.found, name) {
        (Ok(Found { index, .. }), Some(name)) => Ok((parent(*index), name)),
        (Err(miss @ KeyMiss::NotFound { container, steps }), Some(name)) => {
            let is_single_name = matches!(&entry.path.steps[*steps..], [Step::Name(_)]);
            if is_single_name { Ok((container.index, name)) } else { Err(no_entry(entry, miss)) }
        }
        (Err(miss @ KeyMiss::Ambiguous { all, .. }), Some(name)) => {
            // Several keys have the name, or several sections are named in the path.
            match all.first().filter(|&&key| !entry.tree.node(key).kind.is_container()) {
                Some(&key) => Ok((parent(key), name)),
                None => Err(no_entry(entry, miss)),
            }
        }
        (Err(miss), None) => Err(no_entry(entry, miss)),
        (Ok(_), None) => Err(Refusal::NotKey),
    }
}
