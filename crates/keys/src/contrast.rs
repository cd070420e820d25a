//! Compares the scalars in the content of an edit with those of the same keys in the document.

use std::collections::HashMap;

use super::tree::{Kind, Tree};
use super::yaml_scalar::old_type;

/// A scalar that is not a string, although all other scalars of its key are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contrast {
    /// The name of the key.
    pub name: String,
    /// The type of the scalar.
    pub kind: Kind,
}

/// Returns the scalars of some content whose keys have only strings in a document.
pub fn contrasts(tree: &Tree, content: &Tree) -> Vec<Contrast> {
    let non_string = |index: usize| {
        let name = content.name(index)?;
        scalar_type(content, index).filter(|kind| *kind != Kind::String).map(|kind| (name, kind))
    };
    let scalars = || (1..content.nodes.len()).filter_map(non_string);
    // Whether all scalars of a key are strings, if there are any.
    let mut are_strings: HashMap<&str, Option<bool>> =
        scalars().map(|(name, _)| (name, None)).collect();
    if are_strings.is_empty() {
        return Vec::new();
    }
    for index in 1..tree.nodes.len() {
        if let Some(name) = tree.name(index)
            && let Some(all_strings) = are_strings.get_mut(name)
            && let Some(kind) = scalar_type(tree, index)
        {
            *all_strings = Some(all_strings.unwrap_or(true) && kind == Kind::String);
        }
    }
    let mut found = Vec::new();
    for (name, kind) in scalars() {
        if are_strings.remove(name) == Some(Some(true)) {
            found.push(Contrast { name: name.to_owned(), kind });
        }
    }
    found
}

/// Returns the type of a scalar, which may be that of YAML 1.1. Null has no type, and no value with
/// a tag.
fn scalar_type(tree: &Tree, index: usize) -> Option<Kind> {
    let kind = tree.node(index).kind;
    let is_typed = !kind.is_container() && !matches!(kind, Kind::Null | Kind::Alias);
    let old_kind =
        || tree.plain_text(index).and_then(old_type).and_then(|plain_type| plain_type.kind());
    (is_typed && tree.tag(index).is_none())
        .then(|| if kind == Kind::String { old_kind().unwrap_or(kind) } else { kind })
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse_text;
    use super::super::tree::Syntax;
    use super::*;

    #[test]
    fn scalars_are_compared_with_those_of_the_same_key() {
        for (text, content, expected) in [
            ("v: '3.9'\n", "v: 3.10", vec![("v", Kind::Float)]),
            ("v: '3.9'\n", "x: [{v: 3.10}, {v: 2}]", vec![("v", Kind::Float)]),
            ("v: x\nw: x\n", "w: yes\nv: 1", vec![("w", Kind::Boolean), ("v", Kind::Integer)]),
            ("v: '3.9'\n", "v: '3.10'", vec![]),
            ("v: '3.9'\n", "v: 3.10.1", vec![]),
            ("v: '3.9'\nw: {v: 1}\n", "v: 3.10", vec![]),
            ("v: ['3.9']\n", "v: 3.10", vec![]),
            ("v: yes\n", "v: true", vec![]),
            ("v: '3.9'\n", "v: ~\nw: 1", vec![]),
        ] {
            let [tree, content] =
                [text, content].map(|text| parse_text(Syntax::Yaml, text).expect("valid"));
            let found = contrasts(&tree, &content);
            let found: Vec<_> =
                found.iter().map(|contrast| (&contrast.name[..], contrast.kind)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
