//! Names of keys to write: their source and, in YAML, their types.

use super::layout::inside_brackets;
use super::quoting::{json_string, toml_string};
use super::tree::{Kind, Syntax, Tree};
use super::yaml_scalar::{self, OldType, is_escaped, old_type, plain_kind};

/// The type of a key. Outside of YAML, all keys are strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct KeyType {
    kind: Kind,
    old: Option<OldType>,
}

impl KeyType {
    const STRING: Self = Self { kind: Kind::String, old: None };

    /// Returns the type of a key with this source.
    pub(super) fn of_source(syntax: Syntax, source: &str) -> Self {
        match syntax {
            Syntax::Yaml if !is_quoted(source) => {
                Self { kind: plain_kind(source), old: old_type(source) }
            }
            _ => Self::STRING,
        }
    }
}

fn is_quoted(source: &str) -> bool {
    source.starts_with(['"', '\''])
}

/// A key to write.
#[derive(Clone, Debug)]
pub(super) struct NewKey<'a> {
    pub(super) name: &'a str,
    pub(super) source: String,
}

impl<'a> NewKey<'a> {
    /// Returns the keys for a path of new keys in a mapping, in the style of its keys.
    pub(super) fn for_names(tree: &Tree, mapping: usize, names: &'a [String]) -> Vec<Self> {
        let keys: Vec<usize> =
            tree.children(mapping).filter(|&key| tree.name(key).is_some()).collect();
        names.iter().map(|name| Self::in_style_of(tree, &keys, name)).collect()
    }

    /// Returns the new key of an entry.
    pub(super) fn replacing(tree: &Tree, index: usize, name: &'a str) -> Self {
        let others = tree.parent(index).into_iter().flat_map(|parent| tree.children(parent));
        Self::in_style_of(tree, &std::iter::once(index).chain(others).collect::<Vec<_>>(), name)
    }

    /// Returns a key in the style of some neighbors, the first of which has priority.
    fn in_style_of(tree: &Tree, neighbors: &[usize], name: &'a str) -> Self {
        let source = match tree.syntax {
            Syntax::Json | Syntax::JsonLines => json_name(name, first_source(tree, neighbors)),
            Syntax::Toml => toml_name(name),
            Syntax::Yaml => yaml_name(tree, neighbors, name),
            Syntax::Env | Syntax::Properties | Syntax::Ini(_) => name.to_owned(),
        };
        Self { name, source }
    }

    /// Gives a key the type of another one with the same name, from which its value is copied.
    pub(super) fn keep_type(&mut self, syntax: Syntax, name: &str, source: &str) {
        let wanted = KeyType::of_source(syntax, source);
        if self.name != name || self.key_type(syntax) == wanted {
            return;
        }
        if wanted == KeyType::STRING {
            self.become_string(syntax)
        } else {
            name.clone_into(&mut self.source)
        }
    }

    /// Makes a key such as `200` a string.
    pub(super) fn become_string(&mut self, syntax: Syntax) {
        if self.key_type(syntax) != KeyType::STRING {
            self.source = if self.name.contains(is_escaped) {
                yaml_scalar::double_quoted(self.name)
            } else {
                yaml_scalar::single_quoted(self.name)
            };
        }
    }

    pub(super) fn key_type(&self, syntax: Syntax) -> KeyType {
        KeyType::of_source(syntax, &self.source)
    }
}

/// Returns the source of the first key or, without keys, of any key in brackets.
fn first_source<'t>(tree: &'t Tree, keys: &[usize]) -> Option<&'t str> {
    let is_in_brackets = |&index: &usize| {
        let parent = tree.node(index).parent as usize;
        tree.name(index).is_some() && inside_brackets(tree, parent).is_some()
    };
    let key = keys.first().copied().or_else(|| (1..tree.nodes.len()).find(is_in_brackets))?;
    Some(key_source(tree, key))
}

fn key_source(tree: &Tree, index: usize) -> &str {
    &tree.text[tree.node(index).key.range()]
}

fn is_word(name: &str, extra: &str) -> bool {
    let is_part = |character: char| character.is_ascii_alphanumeric() || extra.contains(character);
    !name.is_empty() && name.chars().all(is_part)
}

fn json_name(name: &str, model: Option<&str>) -> String {
    let is_plain = is_word(name, "_$") && !name.starts_with(|first: char| first.is_ascii_digit());
    match model {
        Some(model) if !is_quoted(model) && is_plain => name.to_owned(),
        model => json_string(name, model),
    }
}

pub(super) fn toml_name(name: &str) -> String {
    if is_word(name, "-_") { name.to_owned() } else { toml_string(name, None) }
}

/// Returns the source of a key of YAML. A name such as `200` has the type that such names have in
/// the same mapping or else elsewhere in the document. Without any, it is a string.
fn yaml_name(tree: &Tree, neighbors: &[usize], name: &str) -> String {
    let key_type = KeyType::of_source(Syntax::Yaml, name);
    let has_same_type = |index: &usize| {
        tree.name(*index)
            .is_some_and(|key_name| KeyType::of_source(Syntax::Yaml, key_name) == key_type)
    };
    let is_typed = key_type != KeyType::STRING;
    let anywhere = || if is_typed { (1..tree.nodes.len()).find(has_same_type) } else { None };
    let model = neighbors.iter().copied().find(has_same_type).or_else(anywhere);
    match model.map(|model| key_source(tree, model)) {
        Some(model) if is_typed && !is_quoted(model) => name.to_owned(),
        Some(model) if is_quoted(model) && name.contains(is_escaped) => {
            yaml_scalar::double_quoted(name)
        }
        Some(model) if model.starts_with('"') => yaml_scalar::double_quoted(name),
        Some(model) if model.starts_with('\'') => yaml_scalar::single_quoted(name),
        // Common keys, although YAML 1.1 parses them as booleans.
        _ if matches!(name, "on" | "y" | "n") => name.to_owned(),
        _ => {
            let mut sources = neighbors.iter().map(|&key| key_source(tree, key));
            yaml_scalar::string(name, true, sources.find(|other| is_quoted(other)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::change::apply;
    use super::super::edit::{Check, rename};
    use super::super::parse::parse_text;
    use super::*;

    /// Returns the source of a new key in the root of a document.
    fn new_key(syntax: Syntax, text: &str, name: &str) -> String {
        let tree = parse_text(syntax, text).expect("valid");
        let names = [name.to_owned()];
        NewKey::for_names(&tree, Tree::ROOT, &names).remove(0).source
    }

    #[test]
    fn quotes_around_a_new_name_are_not_part_of_it() {
        for (syntax, text, name, expected) in [
            (Syntax::Yaml, "a: 1\n", "\"b c\"", "b c: 1\n"),
            (Syntax::Yaml, "a: 1\n200: 2\n", "\"201\"", "'201': 1\n200: 2\n"),
            (Syntax::Yaml, "a: 1\n200: 2\n", "201", "201: 1\n200: 2\n"),
            (Syntax::Yaml, "a: 1\n", "\"b\" c", "'\"b\" c': 1\n"),
            (Syntax::Json, "{\"a\": 1}", "\"b c\"", "{\"b c\": 1}"),
            (Syntax::Toml, "a = 1\n", "'b c'", "\"b c\" = 1\n"),
            (Syntax::Env, "a=1\n", "\"b\"", "b=1\n"),
        ] {
            let tree = parse_text(syntax, text).expect("valid");
            let edits = rename(&tree, 1, name, Check::Now).expect("planned");
            assert_eq!(apply(text, &edits.changes), expected, "{name}");
        }
    }

    #[test]
    fn a_new_key_has_the_type_of_similar_keys() {
        let yaml = |text, name| new_key(Syntax::Yaml, text, name);
        assert_eq!(yaml("200: a\n", "404"), "404");
        assert_eq!(yaml("'200': a\n", "404"), "'404'");
        assert_eq!(yaml("\"200\": a\ndefault: b\n", "404"), "\"404\"");
        assert_eq!(yaml("200: a\ndefault: b\n", "other"), "other");
        assert_eq!(yaml("default: b\n200: a\n", "404"), "404");
        assert_eq!(yaml("a: b\n", "404"), "'404'");
        assert_eq!(yaml("a: {200: x}\n", "404"), "404");
        assert_eq!(yaml("true: x\n", "false"), "false");
        assert_eq!(yaml("2020-01-01: x\n", "2021-01-01"), "2021-01-01");
        assert_eq!(yaml("a: x\n", "2021-01-01"), "'2021-01-01'");
        assert_eq!(yaml("\"a\": x\n", "b"), "\"b\"");
        assert_eq!(yaml("a: x\n", "on"), "on");
        assert_eq!([yaml("a: x\n", "y"), yaml("a: x\n", "yes")], ["y", "'yes'"]);
        assert_eq!(yaml("no: x\n", "yes"), "yes");
        assert_eq!(yaml("a: x\n", "|"), "'|'");
        assert_eq!(yaml("a: x\n", "a\u{1b}"), "\"a\\u001b\"");
        assert_eq!(new_key(Syntax::Json, "{'a': 1}", "b"), "'b'");
        assert_eq!(new_key(Syntax::Json, "{a: 1}", "b-c"), "\"b-c\"");
        assert_eq!(new_key(Syntax::Toml, "'a' = 1\n", "b"), "b");
    }
}
