//! Writes mappings and lists of YAML in brackets, on one line.

use super::quoting::quoted;
use super::tree::{Kind, Tree};
use super::yaml_scalar::{double_quoted, is_plain, old_type, string};

/// Returns the source of a document in brackets.
///
/// # Errors
///
/// Fails with a message if comments or keys of several lines would be lost.
pub(super) fn in_brackets(tree: &Tree) -> Result<String, String> {
    if has_comments(tree) {
        return Err("the value would be in brackets and lose its comments".to_owned());
    }
    value(tree, Tree::ROOT)
}

fn value(tree: &Tree, index: usize) -> Result<String, String> {
    let properties = tree.properties(index);
    let words = [properties.anchor, properties.tag].map(|own| &tree.text[own.range()]);
    let source = match tree.node(index).kind {
        Kind::Mapping => format!("{{{}}}", entries(tree, index)?),
        Kind::Sequence => format!("[{}]", entries(tree, index)?),
        Kind::String => scalar(tree, index),
        Kind::Null if tree.written(index).is_empty() => "null".to_owned(),
        _ => tree.written(index).to_owned(),
    };
    let words = words.into_iter().chain([&source[..]]).filter(|word| !word.is_empty());
    Ok(words.collect::<Vec<_>>().join(" "))
}

fn entries(tree: &Tree, index: usize) -> Result<String, String> {
    let entry = |child: usize| -> Result<String, String> {
        let node = tree.node(child);
        let Some(name) = tree.name(child) else { return value(tree, child) };
        let key = &tree.text[node.key.range()];
        let is_simple = node.start == node.key.start && !key.contains('\n');
        let key = match key.contains([',', '[', ']', '{', '}']) && !key.starts_with(['"', '\'']) {
            _ if !is_simple => return Err(format!("the key '{name}' cannot be in brackets")),
            true => quoted(name),
            false => key.to_owned(),
        };
        Ok(format!("{key}: {}", value(tree, child)?))
    };
    let all: Result<Vec<String>, String> = tree.children(index).map(entry).collect();
    all.map(|all| all.join(", "))
}

fn scalar(tree: &Tree, index: usize) -> String {
    let (written, text) = (tree.written(index), tree.scalar(index));
    let is_quoted = written.starts_with(['"', '\'']);
    match written.contains('\n') {
        false if is_quoted || is_plain(written, true) || old_type(written).is_some() => {
            written.to_owned()
        }
        true if is_quoted => double_quoted(text),
        _ => string(text, true, None),
    }
}

/// Whether there is a number sign outside of keys and scalars.
fn has_comments(tree: &Tree) -> bool {
    let mut at = 0;
    let mut is_comment = |end: usize, next: usize| {
        let gap = tree.text.get(at..end).is_some_and(|gap| gap.contains('#'));
        at = at.max(next);
        gap
    };
    let has_before = tree.nodes.iter().any(|node| {
        let (key, value) = (node.key.range(), node.value.range());
        let is_scalar = !node.kind.is_container();
        (!key.is_empty() && is_comment(key.start, key.end))
            || is_scalar && is_comment(value.start, value.end)
    });
    has_before || is_comment(tree.text.len(), tree.text.len())
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse_text;
    use super::super::tree::Syntax;
    use super::*;

    #[test]
    fn blocks_are_written_in_brackets() {
        let of = |text: &str| in_brackets(&parse_text(Syntax::Yaml, text).expect("valid"));
        for (text, expected) in [
            ("a: 1\nb:\n  - x\n  - 'y'\n", "{a: 1, b: [x, 'y']}"),
            ("- a: !Ref X\n- &n b\n- *n\n-\n", "[{a: !Ref X}, &n b, *n, null]"),
            ("a: |\n  l\nb: x, y\n200: 2020-01-01\n", "{a: \"l\\n\", b: 'x, y', 200: 2020-01-01}"),
            ("a: b [c]\n'd,e': {}\n", "{a: 'b [c]', 'd,e': {}}"),
            ("!t\na:\n", "!t {a: null}"),
        ] {
            assert_eq!(of(text).as_deref(), Ok(expected), "{text}");
        }
        for text in ["a: 1 # c\n", "# c\na: 1\n", "a:\n  # c\n  - 1\n", "? [a]\n: 1\n"] {
            assert!(of(text).is_err(), "{text}");
        }
        assert_eq!(of("a: 'x # y'\nb: c#d\n").as_deref(), Ok("{a: 'x # y', b: c#d}"));
    }
}
