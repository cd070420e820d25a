//! Entries of documents that are trees of keys, while they are moved or copied.

use folio_keys::comments::Comments;
use folio_keys::value::{Type, Value, has_lone_surrogate, json_text};
use folio_keys::{KeyPath, Kind, Syntax, Tree};

/// An entry to insert at another place.
#[derive(Clone, Debug)]
pub(super) struct CarriedEntry {
    /// The path of the entry.
    pub(super) path: KeyPath,
    /// The last name in the path, unless the entry is an item of a list.
    pub(super) name: Option<String>,
    syntax: Syntax,
    /// The value, if its source can be used in the same syntax.
    written: Option<Value>,
    /// The text of a string.
    text: Option<String>,
    /// The value as JSON, or the reason why there is none.
    json: Result<String, String>,
    /// The tag of its key in YAML.
    key_tag: Option<String>,
    /// The comments above and after the entry.
    pub(super) comments: Comments,
    /// The names of the YAML anchors in the entry, without its own, which is not carried.
    anchors: Vec<String>,
    /// The name of an anchor outside of the entry to which an alias in it refers.
    outer_anchor: Option<String>,
}

impl CarriedEntry {
    pub(super) fn from_tree(tree: &Tree, index: usize, path: &KeyPath) -> Self {
        let is_string = tree.node(index).kind == Kind::String && !has_lone_surrogate(tree, index);
        Self {
            path: path.clone(),
            name: tree.name(index).map(str::to_owned),
            syntax: tree.syntax,
            written: Value::of_entry(tree, index),
            text: is_string.then(|| tree.scalar(index).to_owned()),
            json: json_text(tree, index),
            key_tag: tree.key_tag(index).map(str::to_owned),
            comments: Comments::of_entry(tree, index),
            anchors: tree
                .anchors(index)
                .filter(|&(_, anchored)| anchored != index)
                .map(|(name, _)| name.to_owned())
                .collect(),
            outer_anchor: tree.outer_anchors(index).next().map(str::to_owned),
        }
    }

    /// Whether the entry is a key of an INI file, which may also be inserted as a line.
    pub(super) fn is_of_ini(&self) -> bool {
        matches!(self.syntax, Syntax::Ini(_))
    }

    /// Returns the line of an anchor in a document that the entry would define again.
    pub(super) fn repeated_anchor(&self, tree: &Tree) -> Option<(&str, u64)> {
        if self.anchors.is_empty() {
            return None;
        }
        let carried_anchor = |name: &str| self.anchors.iter().find(|anchor| *anchor == name);
        tree.anchors(Tree::ROOT)
            .find_map(|(name, index)| Some((&carried_anchor(name)?[..], tree.lines(index).start())))
    }

    /// Returns the value in the syntax of a document, which is that of the entry if `is_here` is set.
    ///
    /// # Errors
    ///
    /// Fails with a message if the syntax cannot represent the value, or if it refers to an anchor
    /// of its own document.
    pub(super) fn value(&self, syntax: Syntax, is_here: bool) -> Result<Value, String> {
        if let Some(tag) = &self.key_tag {
            return Err(format!("the tag {tag} of the key would be lost"));
        }
        let is_json = |syntax| matches!(syntax, Syntax::Json | Syntax::JsonLines);
        let outer_anchor =
            self.outer_anchor.as_ref().filter(|_| !is_here && syntax == Syntax::Yaml);
        match (&self.written, &self.text) {
            // Only the value of an alias itself has no lines or comments to keep.
            (Some(value), _) if outer_anchor.is_some() && value.kind != Kind::Alias => {
                let name = outer_anchor.map_or("", String::as_str);
                Err(format!("the anchor &{name} is not in the other file"))
            }
            _ if outer_anchor.is_some() => {
                Value::of_type(syntax.into(), &self.json.clone()?, Type::Json)
            }
            (Some(value), _)
                if self.syntax == syntax || is_json(self.syntax) && is_json(syntax) =>
            {
                Ok(value.clone())
            }
            (_, Some(text)) if syntax.has_only_strings() => Ok(Value::string(text)),
            _ => Value::of_type(syntax.into(), &self.json.clone()?, Type::Json),
        }
    }
}
