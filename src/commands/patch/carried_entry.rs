//! Entries of documents that are trees of keys, while they are moved or copied.

use crate::text::keys::edit;
use crate::text::keys::tree::Form;
use crate::text::keys::value::{Type, Value, json_text};
use crate::text::keys::{KeyPath, Kind, Syntax, Tree};

/// An entry to insert at another place.
#[derive(Clone, Debug)]
pub(super) struct CarriedEntry {
    /// The path of the entry.
    pub(super) path: KeyPath,
    /// The last name in the path, unless the entry is an item of a list.
    pub(super) name: Option<String>,
    syntax: Syntax,
    /// The source of the value and its kind, if the source can be used in the same syntax.
    written: Option<(Kind, String)>,
    /// The value as JSON.
    json: String,
    /// The comment lines above the entry.
    pub(super) comments: String,
}

impl CarriedEntry {
    pub(super) fn of(tree: &Tree, index: usize, path: &KeyPath) -> Self {
        let node = tree.node(index);
        let text = match node.kind.is_container() {
            // If the value ends with a literal block, it needs the line ending.
            true if tree.syntax == Syntax::Yaml && node.form == Form::Block => {
                tree.value(index) + "\n"
            }
            true => tree.value(index),
            false => tree.written(index).to_owned(),
        };
        // Tables and literal blocks depend on their position, so their source cannot be used
        // elsewhere.
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

    /// Returns the value in a syntax.
    pub(super) fn value(&self, syntax: Syntax) -> Result<Value, String> {
        match &self.written {
            Some((kind, text)) if self.syntax == syntax => Ok(Value::source(*kind, text)),
            _ => Value::read(syntax, &self.json, None, Some(Type::Json)),
        }
    }
}
