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
    value_source(tree, Tree::ROOT)
}

fn value_source(tree: &Tree, index: usize) -> Result<String, String> {
    let properties = tree.properties(index);
    let words = [properties.anchor, properties.tag].map(|property| &tree.text[property.range()]);
    let source = match tree.node(index).kind {
        Kind::Mapping => format!("{{{}}}", entries_source(tree, index)?),
        Kind::Sequence => format!("[{}]", entries_source(tree, index)?),
        Kind::String => scalar_source(tree, index),
        Kind::Null if tree.written(index).is_empty() => "null".to_owned(),
        _ => tree.written(index).to_owned(),
    };
    let words = words.into_iter().chain([&source[..]]).filter(|word| !word.is_empty());
    Ok(words.collect::<Vec<_>>().join(" "))
}

fn entries_source(tree: &Tree, index: usize) -> Result<String, String> {
    let entry_source = |child: usize| -> Result<String, String> {
        let node = tree.node(child);
        let Some(name) = tree.name(child) else { return value_source(tree, child) };
        let key = &tree.text[node.key.range()];
        let is_simple = node.start == node.key.start && !key.contains('\n');
        let key = match key.contains([',', '[', ']', '{', '}']) && !key.starts_with(['"', '\'']) {
            _ if !is_simple => return Err(format!("the key '{name}' cannot be in brackets")),
            true => quoted(name),
            false => key.to_owned(),
        };
        Ok(format!("{key}: {}", value_source(tree, child)?))
    };
    let sources: Result<Vec<String>, String> = tree.children(index).map(entry_source).collect();
    sources.map(|sources| sources.join(", "))
}

fn scalar_source(tree: &Tree, index: usize) -> String {
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
    let mut has_comment_before = |end: usize, next: usize| {
        let has_comment = tree.text.get(at..end).is_some_and(|gap| gap.contains('#'));
        at = at.max(next);
        has_comment
    };
    let has_comment_between = tree.nodes.iter().any(|node| {
        let (key, value) = (node.key.range(), node.value.range());
        let is_scalar = !node.kind.is_container();
        (!key.is_empty() && has_comment_before(key.start, key.end))
            || is_scalar && has_comment_before(value.start, value.end)
    });
    has_comment_between || has_comment_before(tree.text.len(), tree.text.len())
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse_text;
    use super::super::tree::Syntax;
    use super::*;

    #[test]
    fn blocks_are_written_in_brackets() {
        let in_brackets_of =
            |text: &str| in_brackets(&parse_text(Syntax::Yaml, text).expect("valid"));
        for (text, expected) in [
            ("a: 1\nb:\n  - x\n  - 'y'\n", "{a: 1, b: [x, 'y']}"),
            ("- a: !Ref X\n- &n b\n- *n\n-\n", "[{a: !Ref X}, &n b, *n, null]"),
            ("a: |\n  l\nb: x, y\n200: 2020-01-01\n", "{a: \"l\\n\", b: 'x, y', 200: 2020-01-01}"),
            ("a: b [c]\n'd,e': {}\n", "{a: 'b [c]', 'd,e': {}}"),
            ("!t\na:\n", "!t {a: null}"),
        ] {
            assert_eq!(in_brackets_of(text).as_deref(), Ok(expected), "{text}");
        }
        for text in ["a: 1 # c\n", "# c\na: 1\n", "a:\n  # c\n  - 1\n", "? [a]\n: 1\n"] {
            assert!(in_brackets_of(text).is_err(), "{text}");
        }
        assert_eq!(in_brackets_of("a: 'x # y'\nb: c#d\n").as_deref(), Ok("{a: 'x # y', b: c#d}"));
    }
}
