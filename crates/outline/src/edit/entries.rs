//! Plans edits of entries in documents that are trees of keys, and in front matter.

use super::place::{Place, Planner, Shape};
use super::plan::{LineEdit, Plan, ValueChange};
use super::{Note, Operation, Refusal, Side};
use crate::document::LoadedDocument;
use crate::format::Feature;
use crate::locate::{Entry, Miss, NameRole};
use crate::outline::Outline;
use crate::part::Part;
use folio_keys::change::{self, Change};
use folio_keys::edit::{self, Check, Edits, KeyRefusal};
use folio_keys::find::{self, Found, KeyMiss, Step};
use folio_keys::models::Reading;
use folio_keys::natural::{Dialect, unquoted};
use folio_keys::tree::Form;
use folio_keys::value::Value;
use folio_keys::{KeyPath, Kind, Syntax, Tree, beside};
use folio_markdown::front_matter::{self, FrontMatter, FrontMatterFormat};
use folio_text::content;
use folio_text::edit::Edit;
use folio_text::lines::{lines_with_ends, without_end};
use folio_text::span::{LineRange, Span};
use std::ops::Range;

impl Planner<'_> {
    /// Plans the edit of an entry, if the document is a tree of keys and the part is an entry, or
    /// if the part is a key of front matter.
    pub(super) fn entry(&self) -> Option<Result<Plan, Refusal>> {
        let part = match self.request.part.as_ref()? {
            part @ (Part::Key { .. } | Part::Anchor(_)) => part,
            part @ Part::Section { .. } if self.source.format().is_tree() => part,
            part @ Part::FrontMatter { key: Some(key), .. } => {
                match self.front_matter_of(self.source.outline()) {
                    Err(_) if self.adds_keys() => return Some(self.new_front_matter(key)),
                    Err(refusal) => return Some(Err(refusal)),
                    Ok(_) => part,
                }
            }
            _ => return None,
        };
        let locator = self.locator(self.source.outline());
        let entry = match (locator.entry(part), part) {
            (Err(miss), Part::Key { section: Some(section), key, .. })
                if self.may_add_section(&miss) =>
            {
                locator.new_ini_entry(section, key).map(Some)
            }
            (entry, _) => entry,
        };
        let entry = entry.map_err(Refusal::from).transpose()?;
        let is_value =
            matches!(part, Part::Key { value: true, .. } | Part::FrontMatter { value: true, .. });
        Some(entry.and_then(|entry| {
            self.check_new_key(&entry)?;
            self.entry_plan(&entry, is_value)
        }))
    }

    /// Whether the section of a key may be added, because it does not exist.
    fn may_add_section(&self, miss: &Miss) -> bool {
        let is_section = matches!(miss, Miss::Section { role: NameRole::OfKey, .. });
        let is_set = self.request.operation == Operation::Set && !self.request.is_optional;
        let is_set = is_set && self.source.format().has(Feature::MarkedSections);
        is_set && is_section && miss.is_missing()
    }

    /// Whether a missing key is added.
    fn adds_keys(&self) -> bool {
        let is_append = self.request.operation == Operation::Append && !self.request.is_optional;
        self.request.operation == Operation::Set || is_append
    }

    /// Fails if a new key is not a valid path. Existing keys may have any names.
    fn check_new_key(&self, entry: &Entry<'_>) -> Result<(), Refusal> {
        let key = &entry.path.source;
        let is_new = self.adds_keys() && entry.found.is_err();
        match KeyPath::parse(key) {
            Err(message) if is_new && !entry.tree.syntax.has_only_strings() => {
                Err(Refusal::NewKeyPath { key: key.clone(), message })
            }
            _ => Ok(()),
        }
    }

    /// Plans to add front matter with one key.
    fn new_front_matter(&self, key: &str) -> Result<Plan, Refusal> {
        if !self.source.format().has(Feature::FrontMatter) {
            return Err(Refusal::NoFrontMatterInFormat);
        }
        const OPENING: &str = "---\n";
        let usage = |message: String| Refusal::Keys { line: None, reason: message.into() };
        self.check_no_opening()?;
        let tree = folio_keys::parse(Syntax::Yaml, OPENING.as_bytes())
            .map_err(|error| usage(error.message))?;
        let path = KeyPath::parse(key).map_err(usage)?;
        let names = names(&path.steps).ok_or_else(|| usage(format!("no list for '{key}'")))?;
        let Reading { value, doubt } = match self.request.operation {
            Operation::Append => self.read_new_list(&tree, Tree::ROOT, &names)?,
            _ => self.read_key(&tree, Tree::ROOT, &names)?,
        };
        let edits = edit::insert_key(&tree, Tree::ROOT, &names, &value, Check::Now);
        let edits = edits.map_err(|reason| Refusal::Keys { line: None, reason })?;
        let text = change::apply(&tree.text, &edits.changes) + OPENING;
        let plan = self.insert_apart(&self.whole_file(), Side::Before, text.as_bytes())?;
        self.with_type_note(plan.at_end_of(None), doubt)
    }

    fn entry_plan(&self, entry: &Entry<'_>, is_value: bool) -> Result<Plan, Refusal> {
        if let Syntax::Ini(_) = entry.tree.syntax
            && let Some(plan) = self.ini_plan(entry, is_value)
        {
            return plan;
        }
        match self.request.operation {
            Operation::Set => {
                let plan = self.set_entry(entry)?;
                Ok(Plan { value_change: self.value_change(entry)?, ..plan })
            }
            Operation::Replace if is_value => {
                let index = self.entry_index(entry)?;
                self.replace_entry(entry.tree, index)
            }
            Operation::Replace => self.replace_lines(entry),
            Operation::Delete if is_value => Err(Refusal::ValueNotDeleted),
            Operation::Delete => {
                let index = self.entry_index(entry)?;
                let planned = edit::remove(entry.tree, index, self.request.check);
                let plan = self.changes(entry.tree, index, planned)?;
                Ok(Plan { removed_entry: Some(index), ..plan })
            }
            Operation::Rename => {
                let index = self.entry_index(entry)?;
                let name = self.text()?;
                self.changes(
                    entry.tree,
                    index,
                    edit::rename(entry.tree, index, &name, self.request.check),
                )
            }
            Operation::Append => self.append_item(entry),
            Operation::Insert if is_value || self.is_beside(entry) => self.insert_entry(entry),
            Operation::Insert => self.insert_front_matter_line(entry),
            Operation::Move | Operation::Copy => {
                let index = self.entry_index(entry)?;
                self.carry_entry(entry.tree, index, &entry.path)
            }
        }
    }

    /// Whether an entry is inserted by the rules of its format, and not as a line of front matter:
    /// next to an existing item or key, or in a file with keys.
    fn is_beside(&self, entry: &Entry<'_>) -> bool {
        let is_item = |found: &Found| entry.tree.name(found.index).is_none();
        self.source.format().syntax().is_some()
            || self.request.side.is_some()
            || entry.found.as_ref().is_ok_and(is_item)
    }

    /// Returns the entry. Fails if it is reached through an alias or a merge key.
    pub(super) fn entry_index(&self, entry: &Entry<'_>) -> Result<usize, Refusal> {
        match &entry.found {
            Ok(Found { index, alias: None }) => Ok(*index),
            Ok(Found { alias: Some(alias), .. }) => Err(through_alias(entry.tree, *alias)),
            Err(miss) => Err(no_entry(entry, miss)),
        }
    }

    /// Returns the content without a line ending at the end of a file. It may be empty.
    pub(super) fn content_or_nothing(&self) -> Result<Vec<u8>, Refusal> {
        let is_empty =
            self.request.content.as_ref().is_some_and(|content| content.bytes.is_empty());
        if is_empty { Ok(Vec::new()) } else { self.exact_content() }
    }

    /// Returns the place of an entry: its value, or its source, which consists of bytes if the
    /// entry is in brackets and of lines otherwise.
    pub(super) fn entry_place(&self, tree: &Tree, index: usize, is_value: bool) -> Place {
        let at = if is_value { value_range(tree, index) } else { tree.span(index) };
        let start = self.source.start();
        let span = Span::new(start + at.start as u64, start + at.end as u64);
        let first = tree.lines(index).start();
        let lines = self.source.span_of(tree.lines(index));
        if is_value || tree.is_in_brackets(index) {
            Place::new(span, first, Shape::Value(lines))
        } else {
            Place::new(lines, first, Shape::Lines)
        }
    }

    /// Returns the value that is replaced and the new one, if both are short. Values in `.env` files
    /// are not returned, because they are often secret.
    fn value_change(&self, entry: &Entry<'_>) -> Result<Option<ValueChange>, Refusal> {
        const MAX: usize = 60;
        let tree = entry.tree;
        let Ok(found) = entry.found else { return Ok(None) };
        if tree.syntax == Syntax::Env || tree.node(found.index).kind.is_container() {
            return Ok(None);
        }
        let (old, mut new) = (tree.value(found.index), self.text()?);
        new.truncate(without_end(new.as_bytes()).len());
        let is_short = |text: &String| text.len() <= MAX && !text.contains(char::is_control);
        let key = tree.path(found.index);
        Ok((is_short(&old) && is_short(&new)).then_some(ValueChange { key, old, new }))
    }

    /// Plans to set an entry. Adds the entry and its parents if necessary.
    fn set_entry(&self, entry: &Entry<'_>) -> Result<Plan, Refusal> {
        let tree = entry.tree;
        let is_merge = matches!(entry.path.steps.last(), Some(Step::Name(name)) if name == "<<");
        if tree.syntax == Syntax::Yaml && is_merge {
            return Err(Refusal::MergeKeySet);
        }
        let Err(miss @ KeyMiss::NotFound { container, steps }) = &entry.found else {
            return self.replace_entry(tree, self.entry_index(entry)?);
        };
        let names = self.new_names(tree, *container, &entry.path.steps[*steps..])?;
        let is_ini = matches!(tree.syntax, Syntax::Ini(_));
        // In a file that was found, no section is added.
        let names = names.filter(|all| !is_ini || !self.request.is_optional || all.len() == 1);
        let Some(names) = names else { return Err(no_entry(entry, miss)) };
        let Reading { value, doubt } = self.read_key(tree, container.index, &names)?;
        let planned = edit::insert_key(tree, container.index, &names, &value, self.request.check);
        if let Err(KeyRefusal::InSections { .. }) = planned {
            return Err(no_entry(entry, miss));
        }
        let plan = self.with_type_note(self.changes(tree, container.index, planned)?, doubt)?;
        let mut plan = self.with_contrast_notes(plan, tree, value.parsed(tree.syntax).ok());
        if is_ini {
            return Ok(self.with_section_spacing(plan, tree, container.index, names.len()));
        }
        if names.len() > 1 {
            let mapping = self::names(&entry.path.steps[..entry.path.steps.len() - 1]);
            plan.details.extend(mapping.map(|all| Note::NewMapping(all.join("."))));
        }
        Ok(plan)
    }

    /// Returns the names of missing keys in a container, or `None` if they cannot be added there.
    pub(super) fn new_names(
        &self,
        tree: &Tree,
        container: Found,
        steps: &[Step],
    ) -> Result<Option<Vec<String>>, Refusal> {
        let is_open = matches!(tree.node(container.index).kind, Kind::Mapping | Kind::Null);
        match (names(steps).filter(|_| is_open), container.alias) {
            (Some(_), Some(alias)) => Err(through_alias(tree, alias)),
            (names, _) => Ok(names),
        }
    }

    fn replace_entry(&self, tree: &Tree, index: usize) -> Result<Plan, Refusal> {
        let old = tree.node(index).kind;
        let wanted = self.requested_type();
        let Reading { value, doubt } = self.read_value(tree, index)?;
        let is_asked = wanted.is_some();
        if old.is_container()
            && tree.children(index).next().is_some()
            && !value.kind.is_container()
            && !is_asked
        {
            let first = tree.children(index).next().map(|first| tree.path(first));
            return Err(Refusal::HasEntries { path: tree.path(index), kind: old, first });
        }
        if old == value.kind && !old.is_container() && value.is_text(tree, index, wanted) {
            let unchanged =
                Change { at: tree.node(index).value.range(), text: tree.written(index).into() };
            let (difference, notes) = (None, Vec::new());
            let unchanged =
                Edits { changes: vec![unchanged], difference, notes, needs_others: false };
            return self.changes(tree, index, Ok(unchanged));
        }
        let planned = edit::replace(tree, index, &value, self.request.check);
        let doubt = doubt.filter(|doubt| doubt.taken != Kind::Null || old != Kind::Null);
        let plan = self.with_type_note(self.changes(tree, index, planned)?, doubt)?;
        let mut plan = self.with_contrast_notes(plan, tree, value.parsed(tree.syntax).ok());
        let was_string = old == Kind::String && value.kind == old;
        if was_string && !is_asked && unquoted(Dialect::of_document(tree), &self.text()?).is_some()
        {
            plan.details.push(Note::QuotesRemoved);
        }
        Ok(plan)
    }

    /// Replaces the source of an entry, which consists of bytes if the entry is in brackets and of
    /// lines otherwise.
    fn replace_lines(&self, entry: &Entry<'_>) -> Result<Plan, Refusal> {
        let (tree, index) = (entry.tree, self.entry_index(entry)?);
        // The source of an item in brackets is its value.
        let is_item = tree.is_in_brackets(index) && tree.name(index).is_none();
        if is_item && (self.requested_type().is_some() || is_word(&self.content()?)) {
            return self.replace_entry(tree, index);
        }
        let start = self.source.start();
        let place = self.entry_place(tree, index, false);
        let content = self.content()?;
        let text = if tree.is_in_brackets(index) {
            let text = content.trim_ascii().strip_suffix(b",").unwrap_or(content.trim_ascii());
            content::whole_lines(text, self.source.line_end_near(place.line), None)
        } else {
            self.lines_for(&place, &content)
        };
        let at = (place.span.start() - start) as usize..(place.span.end() - start) as usize;
        let old = tree.text.as_bytes();
        let new = [&old[..at.start], &text, &old[at.end..]].concat();
        let new_kind = folio_keys::parse(tree.syntax, &new).ok().and_then(|new| {
            let found = find::find(&new, &entry.path).ok()?;
            let is_same =
                found.alias.is_none() && edit::is_same_outside((tree, index), (&new, found.index));
            is_same.then(|| new.node(found.index).kind)
        });
        let old = tree.node(index).kind;
        if let Some(new) = new_kind {
            let mut plan = self.put(&place, text);
            if old == Kind::String && new != old && !new.is_container() {
                plan.warnings.push(Note::NoLongerString { path: tree.path(index), kind: new });
            }
            return Ok(plan);
        }
        if self.requested_type().is_some() {
            return self.replace_entry(tree, index);
        }
        if is_scalar(tree.syntax, &content) && self.read_value(tree, index)?.value.kind == old {
            return self.replace_entry(tree, index);
        }
        let last = entry.path.steps.last();
        let is_for_entry =
            |pair: &Pair| matches!(last, Some(Step::Name(name)) if *name == pair.name);
        let pair = self.pair(tree.syntax).filter(is_for_entry);
        let path = entry.path.source.clone();
        Err(Refusal::NotEntry {
            line: tree.lines(index).start(),
            path,
            value: pair.map(|pair| pair.value),
        })
    }

    /// Adds a new key after the other top-level keys of front matter. The content is the whole
    /// line.
    fn insert_front_matter_line(&self, entry: &Entry<'_>) -> Result<Plan, Refusal> {
        let (tree, path) = (entry.tree, &entry.path);
        let front_matter = self.front_matter_of(self.source.outline())?;
        let content = self.content()?;
        if let Ok(found) = &entry.found {
            let existing = self.source.bytes(self.source.span_of(tree.lines(found.index)));
            return Err(if existing.trim_ascii() == content.trim_ascii() {
                Refusal::KeyExists {
                    key: path.source.clone(),
                    line: tree.lines(found.index).start(),
                    is_same: true,
                }
            } else {
                self.key_found(entry, found.index)
            });
        }
        let after = match (front_matter.format, front_matter.keys.last()) {
            (FrontMatterFormat::Toml, Some(last)) => last.lines.end(),
            (FrontMatterFormat::Toml, None) => 1,
            _ => front_matter.lines.end() - 1,
        };
        let first = tree.children(Tree::ROOT).next();
        let margin = first.map_or(0, |first| tree.indent_of(tree.node(first).start as usize));
        let lines = content::indented(content.trim_ascii_start(), &vec![b' '; margin]);
        let (before, below) = tree.text.split_at(tree.line_start(after + 1));
        let new = [before.as_bytes(), &lines, b"\n", below.as_bytes()].concat();
        let is_line = folio_keys::parse(tree.syntax, &new).is_ok_and(|new| {
            find::find(&new, path)
                .is_ok_and(|inserted| edit::is_same_without(tree, (&new, inserted.index)))
        });
        if is_line {
            return Ok(self.insert_after_line(after, &lines));
        }
        Err(Refusal::NotFrontMatterLine { key: path.source.clone() })
    }

    /// Returns the name of a key and its value, if the content is an entry such as `key: value`.
    fn pair(&self, syntax: Syntax) -> Option<Pair> {
        let content = self.content().ok()?;
        let tree = entries_of(syntax, str::from_utf8(&content).ok()?)?;
        let mut entries = tree.children(Tree::ROOT);
        let (Some(only), None) = (entries.next(), entries.next()) else { return None };
        let (name, value) = (tree.name(only)?.to_owned(), tree.written(only));
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        let is_simple = !value.is_empty()
            && !value.contains('\n')
            && !value.starts_with(['|', '>', '&', '*', '!'])
            && name.bytes().all(is_word);
        let value = is_simple.then(|| value.as_bytes().to_vec())?;
        Some(Pair { name, value })
    }

    fn append_item(&self, entry: &Entry<'_>) -> Result<Plan, Refusal> {
        let tree = entry.tree;
        if let (Err(KeyMiss::NotFound { container, steps }), true) =
            (&entry.found, self.adds_keys())
            && let Some(names) = self.new_names(tree, *container, &entry.path.steps[*steps..])?
        {
            let Reading { value, doubt } = self.read_new_list(tree, container.index, &names)?;
            let check = self.request.check;
            let planned = edit::insert_key(tree, container.index, &names, &value, check);
            let plan = self.changes(tree, container.index, planned)?;
            let mut plan = self.with_type_note(plan, doubt)?;
            plan.details
                .extend(self::names(&entry.path.steps).map(|all| Note::NewList(all.join("."))));
            return Ok(plan);
        }
        let index = self.entry_index(entry)?;
        let kind = tree.node(index).kind;
        if !matches!(kind, Kind::Sequence | Kind::Null) {
            let pair = self.pair(tree.syntax);
            return Err(Refusal::NotList { path: tree.path(index), kind, pair });
        }
        self.insert_item(tree, index, None)
    }

    /// Appends an item to a file that is a list. Returns `None` for other files, and if the content
    /// consists of items with their dashes, which are lines.
    pub(super) fn append_root_item(&self) -> Option<Result<Plan, Refusal>> {
        let syntax = self.source.format().syntax()?;
        let tree = self.source.outline().entries()?;
        let root = tree.node(Tree::ROOT);
        let is_typed = self.request.options.value_type.is_some();
        if is_typed && root.kind == Kind::Sequence && syntax == Syntax::JsonLines {
            return Some(self.insert_item(tree, Tree::ROOT, None));
        }
        if root.kind != Kind::Sequence || tree.has_documents() {
            return None;
        }
        let is_list = |tree: Tree| {
            let node = tree.node(Tree::ROOT);
            node.kind == Kind::Sequence && node.form == Form::Block
        };
        let content = self.content().ok()?;
        // Comments and blank lines are appended as text.
        let is_item = |line: &[u8]| {
            let line = line.trim_ascii_start();
            !line.is_empty() && ![&b"#"[..], b"//", b"/*"].iter().any(|mark| line.starts_with(mark))
        };
        if !lines_with_ends(&content).any(is_item) {
            return None;
        }
        let is_items = || folio_keys::parse(syntax, &content).is_ok_and(is_list);
        if !is_typed && root.form == Form::Block && is_items() {
            return None;
        }
        Some(self.insert_item(tree, Tree::ROOT, None))
    }

    /// Returns the value of a new list with the content as its only item.
    fn read_new_list(
        &self,
        tree: &Tree,
        mapping: usize,
        names: &[String],
    ) -> Result<Reading, Refusal> {
        let usage = |reason| Refusal::Keys { line: None, reason };
        let (with_list, list) = edit::with_empty_list(tree, mapping, names).map_err(usage)?;
        let Reading { value, doubt } = self.read_item(&with_list, list)?;
        let edits = edit::insert_item(&with_list, list, None, &value, Check::Now).map_err(usage)?;
        let with_item = change::apply(&with_list.text, &edits.changes);
        let with_item = folio_keys::parse(tree.syntax, with_item.as_bytes());
        let value = with_item.ok().and_then(|with_item| Value::of_entry(&with_item, list));
        let value = value.ok_or_else(|| usage("the list cannot be added".to_owned().into()))?;
        Ok(Reading { value, doubt })
    }

    /// Inserts an item into a list, before the one with a number or at the end.
    fn insert_item(&self, tree: &Tree, list: usize, number: Option<u32>) -> Result<Plan, Refusal> {
        let Reading { value, doubt } = self.read_item(tree, list)?;
        let planned = edit::insert_item(tree, list, number, &value, self.request.check);
        let plan = self.with_type_note(self.changes(tree, list, planned)?, doubt)?;
        Ok(self.with_contrast_notes(plan, tree, value.parsed(tree.syntax).ok()))
    }

    /// Inserts an item or an entry with its key before or after another one, or inserts a new key.
    pub(super) fn insert_entry(&self, entry: &Entry<'_>) -> Result<Plan, Refusal> {
        let tree = entry.tree;
        let Ok(Found { index, alias: None }) = entry.found else {
            return match entry.found {
                _ if self.request.side.is_none() => self.set_entry(entry),
                Err(KeyMiss::NotFound { .. }) => Err(Refusal::NothingBeside),
                _ => Err(self.entry_index(entry).err().unwrap_or(Refusal::NothingBeside)),
            };
        };
        let is_after = self.request.side == Some(Side::After);
        if let (Some(parent), None) = (tree.parent(index), tree.name(index)) {
            let number = tree.node(index).number + u32::from(is_after);
            return self.insert_item(tree, parent, Some(number));
        }
        if self.request.side.is_some() {
            let content = self.text()?;
            if tree.syntax == Syntax::JsonLines && content.trim_end().contains('\n') {
                let reason = "a record of JSON Lines is on one line, but the content is not";
                return Err(Refusal::Keys { line: None, reason: reason.to_owned().into() });
            }
            let planned =
                beside::insert_beside(tree, index, is_after, &content, self.request.check);
            let plan = self.changes(tree, index, planned)?;
            return Ok(self.with_contrast_notes(plan, tree, entries_of(tree.syntax, &content)));
        }
        Err(self.key_found(entry, index))
    }

    /// Returns the refusal for a new key that exists.
    fn key_found(&self, entry: &Entry<'_>, index: usize) -> Refusal {
        Refusal::KeyFound {
            key: entry.path.source.clone(),
            line: entry.tree.lines(index).start(),
            name: entry.tree.name(index).map(str::to_owned),
            pair: self.pair(entry.tree.syntax),
        }
    }

    /// Returns the plan for changes of the text that belong to an entry.
    pub(super) fn changes(
        &self,
        tree: &Tree,
        index: usize,
        planned: Result<Edits, KeyRefusal>,
    ) -> Result<Plan, Refusal> {
        let Edits { changes, difference, notes, needs_others } =
            planned.map_err(|reason| self.key_refusal(tree, index, reason))?;
        let first = changes.first().map_or(0, |change| change.at.start);
        let last = changes.last().map_or(0, |change| change.at.end.max(change.at.start + 1) - 1);
        let edits = line_edits(self.source, tree, changes);
        let edits = edits.ok_or_else(|| refused(tree, index, DELIMITER_CHANGED))?;
        let mut plan = Plan {
            affected: LineRange::new(tree.line_of(first), tree.line_of(last.max(first))),
            named: Some(self.source.span_of(tree.lines(index))),
            places: Some(1),
            edits,
            difference,
            needs_others,
            ..Plan::default()
        };
        for note in notes {
            add_note(&mut plan, tree, note);
        }
        Ok(plan)
    }

    fn key_refusal(&self, tree: &Tree, index: usize, reason: KeyRefusal) -> Refusal {
        match reason {
            KeyRefusal::NoSectionName(name) => Refusal::NoSectionName { name: name.into_bytes() },
            KeyRefusal::NotOneKey(key) => {
                // A single line may be meant as the value.
                let content = self.content().unwrap_or_default();
                let is_line = !without_end(&content).contains(&b'\n');
                Refusal::NotKeyLine { key, may_be_value: is_line && !content.contains(&b'=') }
            }
            reason => Refusal::Keys { line: Some(tree.lines(index).start()), reason },
        }
    }

    /// Returns the front matter, or an error if there is none.
    pub(super) fn front_matter_of<'o>(
        &self,
        outline: &'o Outline,
    ) -> Result<&'o FrontMatter, Refusal> {
        if outline.front_matter().is_none() {
            self.check_no_opening()?;
        }
        outline.front_matter().ok_or(Refusal::NoFrontMatter)
    }

    /// Fails if the text of the file begins as front matter does. It is invalid, or not at the
    /// start of the file.
    pub(super) fn check_no_opening(&self) -> Result<(), Refusal> {
        let text = self.source.text();
        let blanks = leading_blanks(text);
        let first = lines_with_ends(&text[blanks..]).next().unwrap_or_default().trim_ascii_end();
        let is_json = first.starts_with(b"{\"");
        if !FrontMatter::is_opening(first) && !is_json {
            return Ok(());
        }
        let line = self.source.line_of(self.source.start() + blanks as u64);
        if blanks == 0 || front_matter::find(&text[blanks..]).is_none() {
            let opening = String::from_utf8_lossy(first).into_owned();
            return Err(Refusal::InvalidOpening { line, opening });
        }
        Err(Refusal::LateFrontMatter { line })
    }
}

/// A key and its value, in the content of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The name of the key.
    pub name: String,
    /// The source of the value.
    pub value: Vec<u8>,
}

/// Returns the refusal for an edit of an entry that its format does not allow.
pub(super) fn refused(tree: &Tree, index: usize, message: impl Into<String>) -> Refusal {
    let reason = KeyRefusal::Other(message.into());
    Refusal::Keys { line: Some(tree.lines(index).start()), reason }
}

/// The reason why an edit of front matter is refused.
pub(super) const DELIMITER_CHANGED: &str =
    "the edit would change the delimiter of the front matter";

/// Converts changes of a tree of keys to edits of the document. Returns `None` if they change a
/// delimiter of front matter.
pub(super) fn line_edits(
    source: &LoadedDocument,
    tree: &Tree,
    mut changes: Vec<Change>,
) -> Option<Vec<LineEdit>> {
    if source.format().syntax().is_none() {
        let inside = between_delimiters(tree);
        let changes_within = changes.into_iter().map(|change| within(&inside, change, &tree.text));
        changes = changes_within.collect::<Option<_>>()?;
    }
    let start = source.start();
    let edit = |change: Change| {
        let at = Span::new(start + change.at.start as u64, start + change.at.end as u64);
        LineEdit::new(Edit::new(at, change.text), source.line_of(at.start()))
    };
    Some(changes.into_iter().map(edit).collect())
}

/// Returns the bytes of front matter between its first and its last line. The last line of JSON
/// without other delimiters is its brace; otherwise, the tree ends before it.
fn between_delimiters(tree: &Tree) -> Range<usize> {
    let opening = tree.line_start(2);
    let is_bare = tree.syntax == Syntax::Json && tree.text.starts_with('{');
    let end =
        if is_bare { tree.start_of_line(tree.text.trim_end().len()) } else { tree.text.len() };
    opening..end.max(opening)
}

/// Returns a change without the bytes outside of a range, if it leaves these unchanged or deletes
/// only blanks there. Otherwise, returns `None`.
fn within(inside: &Range<usize>, Change { at, mut text }: Change, old: &str) -> Option<Change> {
    let start = at.start.max(inside.start).min(at.end);
    let end = at.end.min(inside.end).max(start);
    if start < inside.start {
        return None;
    }
    let (head, tail) = (&old[at.start..start], &old[end..at.end]);
    let is_blank = head.trim().is_empty() && tail.trim().is_empty();
    if !text.is_empty() || !is_blank {
        text = text.strip_prefix(head)?.strip_suffix(tail)?.to_owned();
    }
    Some(Change { at: start..end, text })
}

fn add_note(plan: &mut Plan, tree: &Tree, note: edit::Note) {
    match note {
        edit::Note::InNewSection(marker) => plan.details.push(Note::NewSection(marker)),
        edit::Note::InPlaceOfComment => plan.details.push(Note::CommentReplaced),
        edit::Note::LiteralName(name) => plan.details.push(Note::KeyNamed(name)),
        edit::Note::KeptComment => plan.details.push(Note::CommentKept),
        edit::Note::SimilarSection(index) => {
            let node = tree.node(index);
            let marker = &tree.text[node.start as usize..node.value.range().start];
            plan.warnings.push(Note::SimilarSection(marker.to_owned()));
        }
        edit::Note::SameSection(index) => {
            plan.warnings.push(Note::SectionNameTaken { line: tree.lines(index).start() });
        }
    }
}

/// Returns the refusal for an edit of an entry through an alias or a merge key.
pub(super) fn through_alias(tree: &Tree, alias: usize) -> Refusal {
    let anchor = tree.anchor_of(alias).unwrap_or(alias);
    Refusal::ThroughAlias {
        line: tree.lines(alias).start(),
        alias: tree.written(alias).to_owned(),
        original_line: tree.lines(anchor).start(),
        original: tree.path(anchor),
    }
}

pub(super) fn no_entry(entry: &Entry<'_>, miss: &KeyMiss) -> Refusal {
    Refusal::Missed(Miss::Entry(entry.path.clone(), miss.clone()))
}

/// Whether a text is a scalar, and cannot be an entry: a string in quotes, or a word.
fn is_scalar(syntax: Syntax, text: &[u8]) -> bool {
    let is_quoted = || unquoted(syntax, &String::from_utf8_lossy(text)).is_some();
    syntax != Syntax::Properties && (is_word(text) || is_quoted())
}

/// Returns the entries that a text consists of, as a document.
fn entries_of(syntax: Syntax, text: &str) -> Option<Tree> {
    let text = text.trim();
    match syntax {
        Syntax::Json => folio_keys::parse(syntax, format!("{{{text}}}").as_bytes()).ok(),
        _ => folio_keys::parse(syntax, text.as_bytes()).ok(),
    }
}

/// Whether a text is a word, such as a plain scalar of YAML.
fn is_word(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text.trim_ascii());
    let is_part = |character: char| character.is_alphanumeric() || "._-+^~/".contains(character);
    !text.is_empty() && text.chars().all(is_part)
}

/// Returns the names of steps, if all steps are names.
fn names(steps: &[Step]) -> Option<Vec<String>> {
    let name = |step: &Step| match step {
        Step::Name(name) => Some(name.clone()),
        _ => None,
    };
    steps.iter().map(name).collect()
}

/// Returns the range of a value. In INI, quotes around the value are not part of it.
fn value_range(tree: &Tree, index: usize) -> Range<usize> {
    let range = tree.node(index).value.range();
    let inner = || tree.written(index).strip_prefix(['"', '\''])?.strip_suffix(['"', '\'']);
    let is_ini = matches!(tree.syntax, Syntax::Ini(_));
    if is_ini && inner() == Some(tree.scalar(index)) {
        return range.start + 1..range.end - 1;
    }
    range
}

/// Returns the number of bytes of blanks at the start of a text, including a byte order mark and
/// spaces that are not visible.
fn leading_blanks(text: &[u8]) -> usize {
    let start = text.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let is_blank = |character: char| {
        character.is_whitespace() || "\u{feff}\u{200b}\u{2060}".contains(character)
    };
    start.len() - start.trim_start_matches(is_blank).len()
}
