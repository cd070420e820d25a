//! Texts as values: what the user most likely means.

use super::parse::parse_text;
use super::tree::{Form, Kind, Syntax, Tree};
use super::value::{Type, Value, is_strict_json, toml_value};
use super::yaml::plain_kind;

impl Value {
    /// The value that a text describes: of the requested type; or else a string if the old value
    /// is one, and otherwise what the syntax makes of the text. Quotes around the whole text are
    /// not part of a string. In YAML, a line such as `Note: this` is a string unless it replaces a
    /// mapping or list.
    ///
    /// # Errors
    ///
    /// Fails with a message if the text is not of the requested type.
    pub fn read(
        syntax: Syntax,
        text: &str,
        old: Option<Kind>,
        wanted: Option<Type>,
    ) -> Result<Self, String> {
        let is_text = matches!(syntax, Syntax::Env | Syntax::Properties);
        let Some(wanted) = wanted else {
            return Ok(match old {
                _ if is_text || old == Some(Kind::String) => {
                    Self::string(unquoted(syntax, text).as_deref().unwrap_or(text))
                }
                _ => {
                    let is_block = |value: &Self| {
                        value.kind.is_container() && !value.text.starts_with(['{', '['])
                    };
                    let may_be_block =
                        text.trim().contains('\n') || old.is_some_and(Kind::is_container);
                    let value = natural(syntax, text);
                    value
                        .filter(|value| may_be_block || !is_block(value))
                        .unwrap_or_else(|| Self::string(text))
                }
            });
        };
        if is_text && wanted != Type::String {
            return Err("values of this format are strings".to_owned());
        }
        let kind = match wanted {
            Type::String => return Ok(Self::string(text)),
            Type::Json => return json(syntax, text),
            Type::Null if syntax == Syntax::Toml => return Err("TOML has no null".to_owned()),
            Type::Null if plain_kind(text) != Kind::Null => {
                return Err(format!("'{text}' is not null"));
            }
            Type::Null => return Ok(Self::source(Kind::Null, "null")),
            Type::Integer => Kind::Integer,
            Type::Float => Kind::Float,
            Type::Boolean => Kind::Boolean,
        };
        let found = natural(syntax, text).filter(|value| match value.kind {
            Kind::Integer => matches!(kind, Kind::Integer | Kind::Float),
            own => own == kind,
        });
        let mut value =
            found.ok_or_else(|| format!("'{text}' is not of the type {}", kind.name()))?;
        if value.kind != kind {
            value = Self::source(kind, &format!("{text}.0"));
        }
        Ok(value)
    }
}

/// Returns the string that a text in quotes denotes in a syntax. Returns `None` for other texts.
pub fn unquoted(syntax: Syntax, text: &str) -> Option<String> {
    let text = text.trim();
    let is_quoted = text.starts_with(['"', '\'']) && !text.contains('\n');
    let is_json = matches!(syntax, Syntax::Json | Syntax::JsonLines);
    if !is_quoted || is_json && !is_strict_json(text) {
        return None;
    }
    let source = match syntax {
        Syntax::Toml | Syntax::Env => format!("k={text}"),
        Syntax::Json | Syntax::JsonLines | Syntax::Yaml => text.to_owned(),
        Syntax::Properties => return None,
    };
    let tree = parse_text(if is_json { Syntax::Json } else { syntax }, &source).ok()?;
    let only = if matches!(syntax, Syntax::Toml | Syntax::Env) { 1 } else { Tree::ROOT };
    let node = tree.nodes.get(only)?;
    let is_whole = node.kind == Kind::String
        && node.value.range() == (source.len() - text.len()..source.len());
    is_whole.then(|| tree.scalar(only).to_owned())
}

/// Parses a text as a value in a syntax. Returns `None` unless the text is exactly one value, and
/// comments if the value is a mapping or list.
fn natural(syntax: Syntax, text: &str) -> Option<Value> {
    let text = text.trim_end();
    let own = match syntax {
        Syntax::Yaml => not_indented(text),
        _ => text.trim_start().to_owned(),
    };
    let source = match syntax {
        Syntax::Toml => format!("k = {own}"),
        // A literal block at the end has a line ending.
        Syntax::Yaml => format!("{own}\n"),
        Syntax::JsonLines | Syntax::Json => own.clone(),
        Syntax::Env | Syntax::Properties => return None,
    };
    let parsed = match syntax {
        Syntax::JsonLines => parse_text(Syntax::Json, &source),
        syntax => parse_text(syntax, &source),
    };
    // JSON5 is read, and not written.
    if matches!(syntax, Syntax::Json | Syntax::JsonLines) && !is_strict_json(&own) {
        return None;
    }
    let mut tree = parsed.ok()?;
    if syntax == Syntax::Toml {
        tree.children(Tree::ROOT).nth(1).is_none().then_some(())?;
        tree.remove_root();
    }
    let node = tree.node(0);
    let rest = &source[(node.value.end as usize).min(source.len())..];
    let is_comment = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let is_whole = match node.kind.is_container() {
        true => rest.lines().all(is_comment),
        false => rest.trim().is_empty(),
    };
    let has_properties = syntax == Syntax::Yaml && own.starts_with(['&', '*', '!']);
    // `#x` is a comment, and no value.
    if node.form == Form::Documents
        || !is_whole
        || has_properties
        || node.value.is_empty()
        || is_unlikely(&tree)
    {
        return None;
    }
    match (node.kind, node.form) {
        (Kind::String, _) if syntax == Syntax::Yaml && !own.starts_with(['"', '\'', '|', '>']) => {
            // YAML would join the lines of the text.
            (!own.contains('\n')).then(|| Value::string(tree.scalar(0)))
        }
        (kind, Form::Block) if syntax == Syntax::Yaml && kind.is_container() => {
            Some(Value::source(kind, &source))
        }
        (kind, _) => Some(Value::source(kind, &own)),
    }
}

/// Returns a text without the indentation that all of its lines have.
fn not_indented(text: &str) -> String {
    let is_text = |line: &&str| !line.trim().is_empty();
    let blanks = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let common = text.lines().filter(is_text).map(blanks).min().unwrap_or(0);
    let lines: Vec<&str> =
        text.lines().map(|line| line.get(common..).unwrap_or_default()).collect();
    lines.join("\n").trim_start().to_owned()
}

/// Returns the item of a list, if a text in YAML is a list of one item on lines of its own.
pub fn only_item(text: &str) -> Option<Value> {
    let text = not_indented(text);
    let tree = parse_text(Syntax::Yaml, &text).ok()?;
    let node = tree.node(Tree::ROOT);
    let is_list = node.kind == Kind::Sequence && node.form == Form::Block;
    let is_only = is_list && tree.children(Tree::ROOT).count() == 1 && text.starts_with("- ");
    let item = is_only.then(|| text.replacen('-', " ", 1))?;
    natural(Syntax::Yaml, &item).filter(|_| !item.trim_start().starts_with(['|', '>']))
}

/// Converts a JSON value to source in a syntax.
fn json(syntax: Syntax, text: &str) -> Result<Value, String> {
    let tree = parse_text(Syntax::Json, text)
        .map_err(|fault| format!("the content is not JSON: {}", fault.message))?;
    if !is_strict_json(text) {
        return Err("the content is JSON5, which not all readers accept".to_owned());
    }
    let mut source = String::new();
    match syntax {
        Syntax::Toml => toml_value(&tree, Tree::ROOT, &mut source)?,
        _ => source.push_str(text.trim()),
    }
    Ok(Value::source(tree.node(0).kind, &source))
}

/// Whether a text is unlikely to be meant as the value that it is: a template, such as `{{ x }}`; a
/// single mark, such as `-`; a list in brackets with a word such as `|x`, which only some parsers
/// accept; or a time without seconds, which TOML 1.0 does not have.
fn is_unlikely(tree: &Tree) -> bool {
    let text = tree.written(Tree::ROOT).trim_end();
    let has_list_as_key = || {
        (0..tree.nodes.len())
            .any(|index| tree.text[tree.node(index).key.range()].starts_with(['{', '[']))
    };
    let has_mark_in_brackets = || {
        text.starts_with(['{', '['])
            && (1..tree.nodes.len()).any(|index| {
                let node = tree.node(index);
                let is_odd = |text: &str| text.starts_with(['|', '>', '@', '`', '%']);
                is_odd(&tree.text[node.key.range()]) || is_odd(tree.written(index))
            })
    };
    match tree.syntax {
        Syntax::Yaml => {
            matches!(text, "-" | "?" | ":")
                || text.starts_with("? ")
                || has_list_as_key()
                || has_mark_in_brackets()
        }
        Syntax::Toml => tree.node(Tree::ROOT).kind == Kind::Date && text.len() == "00:00".len(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indentation_comments_and_dashes_are_not_part_of_a_value() {
        let kind = |text: &str| natural(Syntax::Yaml, text).map(|value| value.kind);
        assert_eq!(kind("  a:\n  b: 1"), Some(Kind::Mapping));
        assert_eq!(kind("a: b # c"), Some(Kind::Mapping));
        assert_eq!(kind("a: |\n  b\n"), Some(Kind::Mapping));
        assert_eq!([kind("a # b"), kind("# a")], [None, None]);
        assert_eq!([kind("{a!|1,| }"), kind("[`a]"), kind("{%: 1}")], [None, None, None]);
        assert_eq!(kind("['|', a|b]"), Some(Kind::Sequence));
        let item = |text: &str| only_item(text).map(|value| value.kind);
        assert_eq!(item("  - a: 1\n    b: 2\n"), Some(Kind::Mapping));
        assert_eq!(item("- a"), Some(Kind::String));
        for text in ["- a\n- b", "[a]", "-a", "- a # b", "- {{ x }}", "- |\n  a", "- a\n  b"] {
            assert_eq!(item(text), None, "{text}");
        }
    }
}
