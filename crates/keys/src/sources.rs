//! Values that keep the source of existing entries, or their style.

use super::block;
use super::env_form;
use super::parse::parse;
use super::toml_edits::Statements;
use super::toml_table::{TableLines, TomlTable};
use super::tree::{Form, Kind, Syntax, Tree};
use super::value::{Value, json_text, toml_value};
use super::verify::is_same_value;

impl Value {
    /// The value of an entry, for another place in a document of the same syntax. Its aliases may
    /// refer to anchors outside of it, which the document must have. `None` if the value depends on
    /// its place.
    pub fn of_entry(tree: &Tree, index: usize) -> Option<Self> {
        let node = tree.node(index);
        let text = match (node.kind, node.form, tree.syntax) {
            (Kind::Mapping | Kind::Sequence, Form::Block, Syntax::Yaml) => {
                block::block_source(tree, index)
            }
            (Kind::Mapping | Kind::Sequence, Form::Block | Form::Implicit, Syntax::Toml) => {
                let mut inline = String::new();
                toml_value(tree, index, &mut inline).ok()?;
                let mut value = Self::source(node.kind, &inline);
                value.table = Some(TomlTable::from_entry(tree, index));
                return Some(value);
            }
            (_, _, Syntax::Env) => {
                let written = tree.written(index);
                let alike = env_form::render(tree.scalar(index), Some(written));
                alike.unwrap_or_else(|_| written.to_owned())
            }
            // The quotes and comments of a value of INI depend on its line.
            (Kind::String, _, Syntax::Ini(_)) => return Some(Self::string(tree.scalar(index))),
            (_, _, Syntax::Ini(_)) => return None,
            (Kind::String, _, Syntax::Yaml) => {
                block::scalar_source(tree, index).unwrap_or_else(|| tree.written(index).to_owned())
            }
            _ => tree.written(index).to_owned(),
        };
        let mut value = Self::source(node.kind, &text).tagged(tree.tag(index));
        let key = tree.text[node.key.range()].to_owned();
        let name = tree.name(index).filter(|_| tree.syntax == Syntax::Yaml && !key.contains('\n'));
        value.key = name.map(|name| (name.to_owned(), key));
        // The last line of a document may lack the line ending that belongs to a block scalar.
        let is_same =
            value.parsed(tree.syntax).map(|reparsed| is_same_value(tree, index, &reparsed));
        is_same.unwrap_or(true).then_some(value)
    }
}

impl TomlTable {
    /// Returns the lines of an entry.
    pub(super) fn from_entry(tree: &Tree, index: usize) -> Self {
        let lines = Statements { tree };
        let statements: Vec<usize> = lines.statements_of(index).collect();
        let is_comment = |(at, &statement): (usize, &usize)| {
            let bytes = lines.get(statement).at;
            let before =
                if at > 0 { lines.next_line_start(statement - 1) } else { bytes.start as usize };
            tree.text[before..bytes.start as usize].contains('#')
                || tree.text[bytes.end as usize..lines.end_with_comments(statement)].contains('#')
        };
        let has_comments = statements.iter().enumerate().any(is_comment);
        Self { has_comments, lines: TableLines::from_statements(&lines, index, &statements) }
    }
}

impl TableLines {
    fn from_statements(lines: &Statements<'_>, index: usize, statements: &[usize]) -> Option<Self> {
        let tree = lines.tree;
        let (&first, &last) = statements.first().zip(statements.last())?;
        let header = lines.get(first);
        if last - first + 1 != statements.len() || !header.is_header {
            return None;
        }
        let named_entry = lines.nearest_named(index);
        let has_header = header.node as usize == index;
        let start = if has_header { header.at.end as usize } else { lines.line_start(first) };
        let others = &statements[usize::from(has_header)..];
        let headers = others.iter().filter(|&&other| lines.get(other).is_header);
        let names = headers.map(|&other| {
            let name = lines.key_range(other, named_entry)?;
            Some(name.start - start..name.end - start)
        });
        let names = names.collect::<Option<_>>()?;
        let text = tree.text[start..lines.end_with_comments(last)].to_owned();
        Some(Self { text, has_header, names })
    }
}

/// Writes each record of JSON Lines on one line. Returns `None` if all of them are on one line, or
/// if the text is invalid.
pub fn one_record_per_line(text: &[u8]) -> Option<Vec<u8>> {
    let tree = parse(Syntax::JsonLines, text).ok()?;
    let is_long = |index: usize| tree.written(index).contains('\n');
    tree.children(Tree::ROOT).any(is_long).then_some(())?;
    let line = |index| {
        if is_long(index) { json_text(&tree, index) } else { Ok(tree.written(index).to_owned()) }
    };
    let lines: Result<Vec<String>, String> = tree.children(Tree::ROOT).map(line).collect();
    let end = if text.ends_with(b"\n") { "\n" } else { "" };
    Some((lines.ok()?.join("\n") + end).into_bytes())
}
