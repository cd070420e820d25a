//! Plans moves and copies of entries: the value is written at another key path, in this document or
//! another one.

use super::place::Planner;
use super::plan::{Carried, Plan, Role};
use super::{Content, Operation, Request, Side, hints};
use crate::commands::entries::through_alias;
use crate::commands::locate::Miss;
use crate::error::{Error, Hint};
use crate::files::address::{Address, Part};
use crate::text::keys::edit;
use crate::text::keys::find::{self, Found, Step};
use crate::text::keys::tree::Form;
use crate::text::keys::value::{Type, Value, json_text};
use crate::text::keys::{KeyPath, Kind, Syntax, Tree};

/// An entry to insert at another place.
#[derive(Clone, Debug)]
pub(super) struct CarriedEntry {
    path: KeyPath,
    /// The last name of its path, unless it is an item of a list.
    name: Option<String>,
    syntax: Syntax,
    /// The value as it is written, with its type, if that is possible in the same syntax.
    written: Option<(Kind, String)>,
    /// The value in JSON.
    json: String,
    /// The comment lines above it.
    comments: String,
}

impl CarriedEntry {
    fn of(tree: &Tree, index: usize, path: &KeyPath) -> Self {
        let node = tree.node(index);
        let text = match node.kind.is_container() {
            // A literal block at its end needs the line ending.
            true if tree.syntax == Syntax::Yaml && node.form == Form::Block => {
                tree.value(index) + "\n"
            }
            true => tree.value(index),
            false => tree.written(index).to_owned(),
        };
        // Tables and literal blocks depend on their place.
        let is_table = tree.syntax == Syntax::Toml && node.form != Form::Flow;
        let is_placed = match node.kind {
            Kind::Mapping | Kind::Sequence => is_table,
            Kind::String => text.starts_with(['|', '>']),
            kind => kind == Kind::Alias,
        };
        let written = (!is_placed).then_some((node.kind, text));
        Self {
            path: path.clone(),
            name: tree.name(index).map(str::to_owned),
            syntax: tree.syntax,
            written,
            json: json_text(tree, index),
            comments: edit::comments(tree, index),
        }
    }

    /// The value in a syntax.
    fn value(&self, syntax: Syntax) -> Result<Value, String> {
        match &self.written {
            Some((kind, text)) if self.syntax == syntax => Ok(Value::source(*kind, text)),
            _ => Value::read(syntax, &self.json, None, Some(Type::Json)),
        }
    }
}

impl Planner<'_> {
    /// Plans the removal of an entry that is inserted elsewhere. A copy removes nothing.
    pub(super) fn carry_entry(
        &self,
        tree: &Tree,
        index: usize,
        path: &KeyPath,
    ) -> Result<Plan, Error> {
        self.check_is_no_rename(path)?;
        let span = self.source.span_of(tree.lines(index));
        let mut plan = match self.request.operation {
            Operation::Move => self.changes(tree, index, edit::remove(tree, index))?,
            _ => Plan { named: Some(span), ..Plan::default() },
        };
        plan.affected = Some(tree.lines(index));
        let text = self.source.bytes(span).to_vec();
        let entry = CarriedEntry::of(tree, index, path);
        plan.carried = Some(Carried::entry(text, span, entry));
        Ok(plan)
    }

    /// Refuses a move that only gives a key another name.
    fn check_is_no_rename(&self, path: &KeyPath) -> Result<(), Error> {
        let Some(Address { path: file, part: Part::Anchor(id), .. }) = &self.request.to else {
            return Ok(());
        };
        let Ok(to) = KeyPath::parse(id) else { return Ok(()) };
        let is_here =
            self.request.operation == Operation::Move && *file == self.request.address.path;
        match (path.steps.split_last(), to.steps.split_last()) {
            (Some((Step::Name(_), outer)), Some((Step::Name(name), around)))
                if is_here && outer == around =>
            {
                let content = Some(Content { bytes: name.clone().into_bytes(), file: None });
                let operation = Operation::Rename;
                let rename = Request { operation, content, to: None, ..self.request.clone() };
                let error = Error::usage("the new place is another name in the same mapping");
                Err(error
                    .at(self.source.path())
                    .hint(hints::typed(&rename).why("to rename the key")))
            }
            _ => Ok(()),
        }
    }

    /// Plans the insertion of an entry at an address: as the key with that path or, if there is
    /// none in the address, with the path that it had. In a mapping or list, it is added there.
    pub(super) fn arrive_entry(&self, to: &Address, entry: &CarriedEntry) -> Result<Plan, Error> {
        let usage = |message: String| Error::usage(message).at(self.source.path());
        let outline = self.source.outline();
        let front_matter = || outline.front_matter().and_then(|found| found.tree().ok());
        let Some(tree) = outline.tree().or_else(front_matter) else {
            return Err(usage("it has no keys".to_owned()));
        };
        let path = match &to.part {
            Part::Anchor(id) => KeyPath::parse(id).map_err(usage)?,
            Part::Whole => entry.path.clone(),
            Part::Lines(_) => return Err(usage("--to needs a key, FILE#KEY".to_owned())),
        };
        let value = entry.value(tree.syntax).map_err(usage)?;
        let name = || entry.name.clone().map(|name| vec![name]);
        let (container, planned) = match find::find(tree, &path) {
            Ok(Found { alias: Some(alias), .. }) => {
                return Err(through_alias(tree, alias, self.source.path()));
            }
            Ok(Found { index, .. }) => match (tree.node(index).kind, self.request.side, name()) {
                (_, Some(side), _) => {
                    let list = tree.parent(index).filter(|_| tree.name(index).is_none());
                    let list = list.ok_or_else(|| {
                        usage("--before and --after need an item of a list in --to".to_owned())
                    })?;
                    let number = tree.node(index).number + u32::from(side == Side::After);
                    (list, edit::insert_item(tree, list, Some(number), &value))
                }
                (Kind::Sequence, None, _) => (index, edit::insert_item(tree, index, None, &value)),
                (Kind::Mapping, None, Some(names))
                    if find::named(tree, index, &names[0]).is_empty() =>
                {
                    (index, edit::insert_key(tree, index, &names, &value))
                }
                _ => {
                    let line = tree.lines(index).start();
                    let hint = Hint::command("patch", ["delete"]).and([self.source.path()]);
                    let hint = hint.and(["--key", &path.source]).why("to delete it first");
                    let message =
                        format!("the key '{}' already exists on line {line}", path.source);
                    return Err(usage(message).hint(hint));
                }
            },
            Err(find::Miss::NotFound { container, steps })
                if container.alias.is_none()
                    && matches!(tree.node(container.index).kind, Kind::Mapping | Kind::Null) =>
            {
                let names = path.steps[steps..].iter().map(|step| match step {
                    Step::Name(name) => Ok(name.clone()),
                    _ => Err(usage(format!("there is no list for '{}'", path.source))),
                });
                let names = names.collect::<Result<Vec<String>, Error>>()?;
                (container.index, edit::insert_key(tree, container.index, &names, &value))
            }
            Err(miss) => {
                let locator = self.locator(outline);
                return Err(self.missed(locator, &Miss::Entry(path, miss)));
            }
        };
        let planned = planned.map(|changes| edit::with_comments(tree, changes, &entry.comments));
        let plan = self.changes(tree, container, planned)?;
        Ok(Plan { role: Role::Arrival, ..plan })
    }
}
