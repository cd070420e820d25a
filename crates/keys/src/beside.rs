//! Inserts entries that are given with their keys, before or after other keys.

use super::change::Change;
use super::edit::{Check, Edits, KeyRefusal, verify_changes};
use super::find::children_named;
use super::layout::{comments_above, insert_lines, inside_brackets, next_line_start};
use super::names::NewKey;
use super::natural::without_indentation;
use super::parse::parse_text;
use super::tree::{Syntax, Tree};
use super::value::Value;
use super::verify::{Intent, Place};
use super::{block, flow, toml_edits};

/// An entry that is given as source, as the only one of a document.
struct ParsedEntry {
    tree: Tree,
    index: usize,
}

impl ParsedEntry {
    /// Parses an entry, which is in braces if its new place is.
    fn parse(syntax: Syntax, is_in_braces: bool, content: &str) -> Result<Self, String> {
        let example = match (syntax, is_in_braces) {
            (Syntax::Json | Syntax::JsonLines, _) => "\"KEY\": VALUE",
            (Syntax::Toml, _) => "KEY = VALUE",
            (Syntax::Yaml, _) => "KEY: VALUE",
            _ => "KEY=VALUE",
        };
        let refusal = || format!("the content is not one entry, such as {example}");
        let entry_source = content.trim_end();
        let text = match (is_in_braces, syntax) {
            (true, Syntax::Toml) => format!("k = {{{entry_source}}}"),
            (true, _) => format!("{{{entry_source}}}"),
            (false, _) => format!("{}\n", without_indentation(entry_source)),
        };
        let mut tree = parse_text(syntax, &text).map_err(|_| refusal())?;
        if is_in_braces && syntax == Syntax::Toml {
            tree.remove_root();
        }
        let children: Vec<usize> = tree.children(Tree::ROOT).take(2).collect();
        let [index] = children[..] else { return Err(refusal()) };
        let is_alone = !is_in_braces || tree.text[tree.span(index)] == *entry_source.trim();
        if tree.name(index).is_some() && is_alone {
            Ok(Self { tree, index })
        } else {
            Err(refusal())
        }
    }
}

/// Inserts an entry before or after a key of a mapping. The content is its source with its key.
///
/// # Errors
///
/// Fails if the content is not one entry, or if its key exists.
pub fn insert_beside(
    tree: &Tree,
    index: usize,
    is_after: bool,
    content: &str,
    check: Check,
) -> Result<Edits, KeyRefusal> {
    if let Syntax::Ini(_) = tree.syntax {
        return Err("a new key of INI is added after the others".to_owned().into());
    }
    Ok(plan_insertion(tree, index, is_after, content, check)?)
}

fn plan_insertion(
    tree: &Tree,
    index: usize,
    is_after: bool,
    content: &str,
    check: Check,
) -> Result<Edits, String> {
    let parent = tree.parent(index).ok_or("the root of a document has no neighbors")?;
    let is_in_braces = inside_brackets(tree, parent).is_some();
    let content_entry = ParsedEntry::parse(tree.syntax, is_in_braces, content)?;
    let name = content_entry.tree.name(content_entry.index).unwrap_or_default();
    if !children_named(tree, parent, name).is_empty() {
        return Err(format!("there is already a key '{name}'"));
    }
    let value = Value::of_entry(&content_entry.tree, content_entry.index)
        .ok_or("an alias cannot be inserted beside a key")?
        .parsed(tree.syntax)?;
    let key = &content_entry.tree.text[content_entry.tree.node(content_entry.index).key.range()];
    let keys = [NewKey { name, source: key.to_owned() }];
    let next = if is_after {
        tree.children(parent).skip_while(|&child| child != index).nth(1)
    } else {
        Some(index)
    };
    let lines = without_indentation(content.trim_end());
    let changes = match tree.syntax {
        _ if is_in_braces => {
            let entry = &content_entry.tree.text[content_entry.tree.span(content_entry.index)];
            flow::insert(tree, parent, next, entry)?
        }
        Syntax::Yaml => block::insert_lines(tree, parent, next, &lines)?,
        Syntax::Toml => toml_edits::insert_beside(tree, index, is_after, &lines)?,
        _ => vec![insert_variable_line(tree, index, is_after, &lines)],
    };
    verify_changes(tree, changes, &Intent::Insert(parent, Place::Key(&keys), &value), check)
}

/// Inserts lines before or after a variable.
fn insert_variable_line(tree: &Tree, index: usize, is_after: bool, lines: &str) -> Change {
    let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
    let span = tree.span(index);
    let floor = if index > 1 { next_line_start(tree, tree.span(index - 1).end) } else { 0 };
    let at = if is_after {
        next_line_start(tree, span.end)
    } else {
        comments_above(tree, tree.start_of_line(span.start), floor, &['#', '!'])
    };
    insert_lines(tree, at, &lines)
}

#[cfg(test)]
mod tests {
    use super::super::change::apply;
    use super::super::find::find;
    use super::super::path::KeyPath;
    use super::*;

    fn insert_content(
        syntax: Syntax,
        text: &str,
        path: &str,
        is_after: bool,
        content: &str,
    ) -> Result<String, String> {
        let tree = parse_text(syntax, text).expect("valid");
        let path = KeyPath::parse(path).unwrap_or_else(|_| KeyPath::of_name(path));
        let index = find(&tree, &path).expect("an entry").index;
        let edits = insert_beside(&tree, index, is_after, content, Check::Now)?;
        Ok(apply(text, &edits.changes))
    }

    #[track_caller]
    fn check(syntax: Syntax, text: &str, path: &str, content: &str, [before, after]: [&str; 2]) {
        assert_eq!(insert_content(syntax, text, path, false, content).as_deref(), Ok(before));
        assert_eq!(insert_content(syntax, text, path, true, content).as_deref(), Ok(after));
    }

    #[test]
    fn entries_are_inserted_beside_keys() {
        let yaml = "a: 1\n# on b\nb: 2\nc: 3\n";
        let new = ["a: 1\nz: 0\n# on b\nb: 2\nc: 3\n", "a: 1\n# on b\nb: 2\nz: 0\nc: 3\n"];
        check(Syntax::Yaml, yaml, "b", "z: 0", new);
        let nested = "m:\n  b: 2\n";
        let new = ["m:\n  z:\n    y: 1\n  b: 2\n", "m:\n  b: 2\n  z:\n    y: 1\n"];
        check(Syntax::Yaml, nested, "m.b", "  z:\n    y: 1\n", new);
        let new = ["m: {z: 0, b: 2}\n", "m: {b: 2, z: 0}\n"];
        check(Syntax::Yaml, "m: {b: 2}\n", "m.b", "z: 0", new);
        let json = "{\n  \"a\": 1,\n  \"b\": 2\n}\n";
        let before = "{\n  \"a\": 1,\n  \"z\": [0],\n  \"b\": 2\n}\n";
        let after = "{\n  \"a\": 1,\n  \"b\": 2,\n  \"z\": [0]\n}\n";
        check(Syntax::Json, json, "b", "\"z\": [0]", [before, after]);
        let toml = "a = 1\nb.c = 2\n\n[t]\nx = 1\n";
        let new = [toml.replace("b.c", "b.z = 0\nb.c"), toml.replace("2\n", "2\nb.z = 0\n")];
        check(Syntax::Toml, toml, "b.c", "z = 0", [&new[0], &new[1]]);
        let new = [toml.replace("x =", "z = 0\nx ="), toml.replace("x = 1\n", "x = 1\nz = 0\n")];
        check(Syntax::Toml, toml, "t.x", "z = 0", [&new[0], &new[1]]);
        let table = "[z]\ny = 0\n";
        let new = [toml.replace("[t]", &format!("{table}\n[t]")), format!("{toml}\n{table}")];
        check(Syntax::Toml, toml, "t", table, [&new[0], &new[1]]);
        let env = "A=1\n# on B\nB=2\n";
        check(Syntax::Env, env, "B", "Z=0", ["A=1\nZ=0\n# on B\nB=2\n", &format!("{env}Z=0\n")]);
    }

    #[test]
    fn content_must_be_one_new_entry() {
        for content in ["b: 1", "3", "x: 1\ny: 2", "- a", "", "# c"] {
            assert!(insert_content(Syntax::Yaml, "a: 1\nb: 2\n", "b", false, content).is_err());
        }
        assert!(insert_content(Syntax::Toml, "[t]\nx = 1\n[u]\n", "u", false, "z = 1").is_err());
        assert!(insert_content(Syntax::Json, "{\"a\": 1}", "a", true, "\"z\": 1 // c").is_err());
    }
}
