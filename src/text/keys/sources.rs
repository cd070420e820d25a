//! Values that keep the source of existing entries, or their style.

use super::block;
use super::env_form;
use super::parse::parse;
use super::toml_edits::Lines;
use super::toml_table::{TableLines, TomlTable};
use super::tree::{Form, Kind, Syntax, Tree};
use super::value::{Type, Value, json_text, toml_value};
use super::yaml::plain_kind;

impl Value {
    /// The value of an entry, for another place in a document of the same syntax. `None` if the
    /// value depends on its place, such as an alias.
    pub fn of_entry(tree: &Tree, index: usize) -> Option<Self> {
        let node = tree.node(index);
        let text = match (node.kind, node.form, tree.syntax) {
            (Kind::Mapping | Kind::Sequence, Form::Block, Syntax::Yaml) => {
                block::source(tree, index)
            }
            (Kind::Mapping | Kind::Sequence, Form::Block | Form::Implicit, Syntax::Toml) => {
                let mut inline = String::new();
                toml_value(tree, index, &mut inline).ok()?;
                let mut value = Self::source(node.kind, &inline);
                value.table = Some(TomlTable::of(tree, index));
                return Some(value);
            }
            (_, _, Syntax::Env) => {
                let written = tree.written(index);
                let alike = env_form::render(tree.scalar(index), Some(written));
                alike.unwrap_or_else(|_| written.to_owned())
            }
            _ => tree.written(index).to_owned(),
        };
        let is_block_scalar = node.kind == Kind::String && text.starts_with(['|', '>']);
        let is_placed = tree.syntax == Syntax::Yaml && is_block_scalar || node.kind == Kind::Alias;
        (!is_placed).then(|| Self::source(node.kind, &text))
    }

    /// The value that a text describes if it replaces a plain YAML string of the same type of YAML
    /// 1.1: a boolean such as `yes`, or a date. Returns `None` for other entries and texts.
    pub fn like(tree: &Tree, index: usize, text: &str, wanted: Option<Type>) -> Option<Self> {
        let old = tree.written(index);
        let is_plain = tree.syntax == Syntax::Yaml && tree.node(index).kind == Kind::String;
        let is_same = match wanted {
            None => is_word(old) && is_boolean(text) || is_date(old) && is_date(text),
            Some(Type::Boolean) => is_word(old) && is_boolean(text),
            _ => false,
        };
        (is_plain && is_same).then(|| Self::source(plain_kind(text), text))
    }
}

impl TomlTable {
    /// Returns the lines of an entry.
    pub(super) fn of(tree: &Tree, index: usize) -> Self {
        let lines = Lines { tree };
        let within: Vec<usize> = lines.within(index).collect();
        let is_comment = |(at, &statement): (usize, &usize)| {
            let own = lines.get(statement).at;
            let before = if at > 0 { lines.end(statement - 1) } else { own.start as usize };
            tree.text[before..own.start as usize].contains('#')
                || tree.text[own.end as usize..lines.end_with_comments(statement)].contains('#')
        };
        let has_comments = within.iter().enumerate().any(is_comment);
        Self { has_comments, lines: TableLines::of(&lines, index, &within) }
    }
}

impl TableLines {
    fn of(lines: &Lines<'_>, index: usize, within: &[usize]) -> Option<Self> {
        let tree = lines.tree;
        let (&first, &last) = within.first().zip(within.last())?;
        let header = lines.get(first);
        if last - first + 1 != within.len() || !header.is_header {
            return None;
        }
        let named = lines.named(index);
        let has_header = header.node as usize == index;
        let start = if has_header { header.at.end as usize } else { lines.line_start(first) };
        let others = &within[usize::from(has_header)..];
        let headers = others.iter().filter(|&&other| lines.get(other).is_header);
        let names = headers.map(|&other| {
            let name = lines.prefix(other, named)?;
            Some(name.start - start..name.end - start)
        });
        let names = names.collect::<Option<_>>()?;
        let text = tree.text[start..lines.end_with_comments(last)].to_owned();
        Some(Self { text, has_header, names })
    }
}

/// Whether a text is a boolean of YAML 1.1, but a string of YAML 1.2.
fn is_word(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let spellings = [lower.clone(), text.to_ascii_uppercase(), capitalized(&lower)];
    matches!(&lower[..], "yes" | "no" | "on" | "off") && spellings.iter().any(|own| own == text)
}

fn capitalized(text: &str) -> String {
    let (first, rest) = text.split_at_checked(1).unwrap_or((text, ""));
    first.to_ascii_uppercase() + rest
}

fn is_boolean(text: &str) -> bool {
    is_word(text) || plain_kind(text) == Kind::Boolean
}

/// Whether a text is a date of YAML 1.1, such as 2020-01-31.
fn is_date(text: &str) -> bool {
    let is_part = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    text.len() == 10 && text.bytes().enumerate().all(is_part)
}

/// Writes each record of JSON Lines on one line. Returns `None` if all of them are on one line, or
/// if the text is invalid.
pub fn one_per_line(text: &[u8]) -> Option<Vec<u8>> {
    let tree = parse(Syntax::JsonLines, text).ok()?;
    let is_long = |index: usize| tree.written(index).contains('\n');
    tree.children(Tree::ROOT).any(is_long).then_some(())?;
    let line = |index| match is_long(index) {
        true => json_text(&tree, index),
        false => Ok(tree.written(index).to_owned()),
    };
    let lines: Result<Vec<String>, String> = tree.children(Tree::ROOT).map(line).collect();
    let end = if text.ends_with(b"\n") { "\n" } else { "" };
    Some((lines.ok()?.join("\n") + end).into_bytes())
}
