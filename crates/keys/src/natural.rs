//! Texts as values: what the user most likely means.

use std::ops::Range;

use super::names::toml_name;
use super::parse::{parse_fragment, parse_text};
use super::tree::{Form, Kind, Syntax, Tree};
use super::value::{LONE_SURROGATE, Type, Value, has_lone_surrogate, is_strict_json, toml_value};
use super::yaml_scalar::{BLANKS, BlockScalar, double_quoted, is_escaped, plain_kind};

impl Value {
    /// The value of a requested type that a text describes.
    ///
    /// # Errors
    ///
    /// Fails with a message if the text is not of this type.
    pub fn of_type(dialect: Dialect<'_>, text: &str, wanted: Type) -> Result<Self, String> {
        let syntax = dialect.syntax;
        if syntax.has_only_strings() && wanted != Type::String {
            return Err("values of this format are strings".to_owned());
        }
        let kind = match wanted {
            Type::String => return Ok(Self::string(text)),
            Type::Json => return value_from_json(syntax, text),
            Type::Yaml => return value_from_yaml(dialect, text),
            Type::Null if syntax == Syntax::Toml => return Err("TOML has no null".to_owned()),
            Type::Null if plain_kind(text) != Kind::Null => {
                return Err(format!("'{text}' is not null"));
            }
            Type::Null => return Ok(Self::source(Kind::Null, "null")),
            Type::Integer => Kind::Integer,
            Type::Float => Kind::Float,
            Type::Boolean => Kind::Boolean,
        };
        let found = parse_value(dialect, text).filter(|value| match value.kind {
            Kind::Integer => matches!(kind, Kind::Integer | Kind::Float),
            value_kind => value_kind == kind,
        });
        let type_error = || format!("'{text}' is not of the type {}", kind.name());
        let value = found.ok_or_else(type_error)?;
        if value.kind == kind {
            return Ok(value);
        }
        // A number such as `0x1F` cannot have a fraction.
        let digits = value.text.strip_prefix(['-', '+']).unwrap_or(&value.text);
        let is_decimal = value.tag.is_none()
            && digits.chars().all(|digit| digit.is_ascii_digit() || digit == '_');
        if is_decimal {
            Ok(Self::source(kind, &format!("{}.0", value.text)))
        } else {
            Err(type_error())
        }
    }
}

/// The syntax of values, and the document for which they are.
#[derive(Clone, Copy, Debug)]
pub struct Dialect<'t> {
    /// The syntax.
    pub syntax: Syntax,
    /// Whether the syntax is JSON5, whatever the document contains.
    is_json5: bool,
    document: Option<&'t Tree>,
}

impl<'t> Dialect<'t> {
    /// The dialect of files in JSON5.
    pub const JSON5: Self = Self { syntax: Syntax::Json, is_json5: true, document: None };

    /// The dialect of the values of a document.
    pub fn of_document(tree: &'t Tree) -> Self {
        Self { syntax: tree.syntax, is_json5: false, document: Some(tree) }
    }

    /// Whether the document has an anchor of YAML. In a file of several documents, an anchor is
    /// known only in one of them.
    fn has_anchor(self, name: &str) -> bool {
        let document = self.document.filter(|tree| !tree.has_documents());
        let mut anchors = document.into_iter().flat_map(|tree| tree.anchors(Tree::ROOT));
        anchors.any(|(anchor, _)| anchor == name)
    }

    /// Whether the syntax is JSON5: the document contains a value or a key that JSON does not have.
    pub(super) fn is_json5(self) -> bool {
        let is_json5_only = |tree: &Tree, index: usize| {
            let node = tree.node(index);
            let key = &tree.text[node.key.range()];
            let is_number = matches!(node.kind, Kind::Integer | Kind::Float);
            !key.is_empty() && !key.starts_with('"')
                || node.kind == Kind::String && tree.written(index).starts_with('\'')
                || is_number && !is_strict_json(tree.written(index))
        };
        let document = self.document.filter(|tree| tree.syntax == Syntax::Json);
        self.is_json5
            || document
                .is_some_and(|tree| (0..tree.nodes.len()).any(|index| is_json5_only(tree, index)))
    }
}

impl From<Syntax> for Dialect<'_> {
    fn from(syntax: Syntax) -> Self {
        Self { syntax, is_json5: false, document: None }
    }
}

/// Returns the string that a text in quotes denotes in a syntax. Returns `None` for other texts.
pub fn unquoted<'t>(dialect: impl Into<Dialect<'t>>, text: &str) -> Option<String> {
    let dialect = dialect.into();
    let syntax = dialect.syntax;
    let text = text.trim_matches(BLANKS);
    let is_quoted = text.starts_with(['"', '\'']) && !text.contains('\n');
    let is_json = matches!(syntax, Syntax::Json | Syntax::JsonLines);
    if !is_quoted || is_json && !is_strict_json(text) && !dialect.is_json5() {
        return None;
    }
    let source = match syntax {
        Syntax::Toml | Syntax::Env => format!("k={text}"),
        Syntax::Json | Syntax::JsonLines | Syntax::Yaml => text.to_owned(),
        // The quotes of a value of INI depend on its dialect and on the old value.
        Syntax::Properties | Syntax::Ini(_) => return None,
    };
    let tree = parse_text(if is_json { Syntax::Json } else { syntax }, &source).ok()?;
    let index = if matches!(syntax, Syntax::Toml | Syntax::Env) { 1 } else { Tree::ROOT };
    let node = tree.nodes.get(index)?;
    let is_whole = node.kind == Kind::String
        && node.value.range() == (source.len() - text.len()..source.len());
    is_whole.then(|| tree.scalar(index).to_owned())
}

/// Parses a text as a value in a syntax. Returns `None` unless the text is exactly one value, and
/// comments if the value is a mapping or list. The value may have a tag, but no anchor.
pub(super) fn parse_value(dialect: Dialect<'_>, text: &str) -> Option<Value> {
    let syntax = dialect.syntax;
    // A no-break space is text, and so is a byte order mark.
    let text = text.trim_end_matches(BLANKS);
    let value_source = match syntax {
        _ if text.starts_with('\u{feff}') => return None,
        Syntax::Yaml => without_indentation(text.strip_prefix("---\n").unwrap_or(text)),
        _ => text.trim_start_matches(BLANKS).to_owned(),
    };
    let source = match syntax {
        Syntax::Toml => format!("k = {value_source}"),
        // A literal block at the end has a line ending.
        Syntax::Yaml => format!("{value_source}\n"),
        Syntax::JsonLines | Syntax::Json => value_source.clone(),
        Syntax::Env | Syntax::Properties | Syntax::Ini(_) => return None,
    };
    let parsed = match syntax {
        Syntax::JsonLines => parse_text(Syntax::Json, &source),
        syntax => parse_fragment(syntax, &source),
    };
    let mut tree = parsed.ok()?;
    tree.outer_anchors(Tree::ROOT).all(|name| dialect.has_anchor(name)).then_some(())?;
    let is_json = matches!(syntax, Syntax::Json | Syntax::JsonLines);
    if is_json && !is_strict_json(&value_source) && !dialect.is_json5() {
        return None;
    }
    if syntax == Syntax::Toml {
        tree.children(Tree::ROOT).nth(1).is_none().then_some(())?;
        tree.remove_root();
    }
    (is_single_value(&tree) && !is_unlikely(&tree)).then_some(())?;
    value_of_root(&tree)
}

/// Whether a document consists of one value and, if that is a mapping or list, comments.
fn is_single_value(tree: &Tree) -> bool {
    let node = tree.node(Tree::ROOT);
    let rest = &tree.text[(node.value.end as usize).min(tree.text.len())..];
    let is_comment = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let is_rest_blank = if node.kind.is_container() {
        rest.lines().all(is_comment)
    } else {
        rest.trim().is_empty()
    };
    let has_anchor = tree.syntax == Syntax::Yaml && tree.text.starts_with(['&', '*'])
        || !tree.properties(Tree::ROOT).anchor.is_empty();
    // `#x` is a comment, and no value.
    // A value does not contain the marker of a document.
    let has_marker =
        tree.syntax == Syntax::Yaml && (tree.text.starts_with("---") || tree.text.starts_with('%'));
    let is_plain_value = is_rest_blank && !has_anchor && !has_marker;
    node.form != Form::Documents && is_plain_value && !node.value.is_empty()
}

/// Returns the root of a document as a value, with its comments.
fn value_of_root(tree: &Tree) -> Option<Value> {
    let node = tree.node(Tree::ROOT);
    let source_text = tree.text[node.value.start as usize..].trim_end();
    if tree.syntax != Syntax::Yaml {
        return Some(Value::source(node.kind, source_text));
    }
    let tag = tree.properties(Tree::ROOT).tag;
    if !tag.is_empty() && tag.start > 0 {
        return None;
    }
    let value = match (node.kind, node.form) {
        (Kind::String, _) => match BlockScalar::parse(source_text) {
            Some(scalar) => {
                let indent = scalar.indent(0).unwrap_or(0);
                Value::source(Kind::String, &scalar.without_indentation(indent))
            }
            None if source_text.starts_with(['"', '\'']) || !tag.is_empty() => {
                Value::source(Kind::String, source_text)
            }
            // YAML would join the lines of the text.
            None if source_text.contains('\n') => return None,
            None => Value::string(tree.scalar(Tree::ROOT)),
        },
        (kind, Form::Block) if kind.is_container() => {
            let lines = &tree.text[tag.range().end..];
            let lines = lines.strip_prefix('\n').unwrap_or(lines);
            Value::source(kind, lines.strip_suffix('\n').unwrap_or(lines))
        }
        (kind, _) => Value::source(kind, source_text),
    };
    Some(value.tagged(tree.tag(Tree::ROOT)))
}

/// Returns a text without the indentation that all of its lines have.
pub(super) fn without_indentation(text: &str) -> String {
    let is_text = |line: &&str| !line.trim_matches(BLANKS).is_empty();
    let indentation = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let common = text.lines().filter(is_text).map(indentation).min().unwrap_or(0);
    let lines: Vec<&str> =
        text.lines().map(|line| line.get(common..).unwrap_or_default()).collect();
    lines.join("\n").trim_start_matches(BLANKS).to_owned()
}

/// Returns the text of the only item of a list, if a text in YAML is a list of one item on lines of
/// its own.
pub(super) fn only_item(text: &str) -> Option<String> {
    let text = without_indentation(text);
    let tree = parse_text(Syntax::Yaml, &text).ok()?;
    let node = tree.node(Tree::ROOT);
    let is_list = node.kind == Kind::Sequence && node.form == Form::Block;
    let is_only = is_list && tree.children(Tree::ROOT).count() == 1 && text.starts_with("- ");
    let item = is_only.then(|| text.replacen('-', " ", 1))?;
    parse_value(Syntax::Yaml.into(), &item)?;
    let item = without_indentation(&item);
    (!item.starts_with(['|', '>'])).then_some(item)
}

/// Returns the table that a text in TOML is, as the lines of an item of the array with these names.
/// The header of the item may be missing.
pub(super) fn table_of_lines(text: &str, names: &[&str]) -> Option<Value> {
    let text = text.trim();
    let has_header = text.starts_with("[[");
    let header = names.iter().map(|name| toml_name(name)).collect::<Vec<_>>().join(".");
    let source = if has_header { format!("{text}\n") } else { format!("[[{header}]]\n{text}\n") };
    let tree = parse_text(Syntax::Toml, &source).ok()?;
    let mut index = Tree::ROOT;
    for name in names {
        let mut children = tree.children(index);
        index = children.next().filter(|&child| tree.name(child) == Some(name))?;
        children.next().is_none().then_some(())?;
    }
    let is_list = tree.node(index).kind == Kind::Sequence && tree.node(index).form == Form::Block;
    let mut items = tree.children(index).filter(|_| is_list);
    let item = items.next()?;
    items.next().is_none().then(|| Value::of_entry(&tree, item))?
}

/// Returns the value that a text denotes in YAML. It may be an alias of an anchor of the document.
fn value_from_yaml(dialect: Dialect<'_>, text: &str) -> Result<Value, String> {
    if dialect.syntax != Syntax::Yaml {
        return Err("the content is YAML, which only YAML can contain".to_owned());
    }
    let text = text.trim_matches(BLANKS);
    match text.strip_prefix('*') {
        Some(name) if dialect.has_anchor(name) => Ok(Value::source(Kind::Alias, text)),
        Some(name) => Err(format!("the document has no anchor '{name}'")),
        None => {
            let value = parse_value(dialect, text);
            value.ok_or_else(|| "the content is not one value of YAML".to_owned())
        }
    }
}

/// Converts a JSON value to source in a syntax.
fn value_from_json(syntax: Syntax, text: &str) -> Result<Value, String> {
    let tree = parse_text(Syntax::Json, text)
        .map_err(|fault| format!("the content is not JSON: {}", fault.message))?;
    if !is_strict_json(text) {
        return Err("the content is JSON5, which not all readers accept".to_owned());
    }
    let is_json = matches!(syntax, Syntax::Json | Syntax::JsonLines);
    if !is_json && (0..tree.nodes.len()).any(|index| has_lone_surrogate(&tree, index)) {
        return Err(LONE_SURROGATE.to_owned());
    }
    let mut source = String::new();
    match syntax {
        Syntax::Toml => toml_value(&tree, Tree::ROOT, &mut source)?,
        Syntax::Yaml => source.push_str(&yaml_source(&tree)),
        _ => source.push_str(text.trim()),
    }
    Ok(Value::source(tree.node(0).kind, &source))
}

/// Returns JSON as source of YAML, in which an escape sequence is a whole character, some
/// characters are escaped, and tabs do not indent.
fn yaml_source(json: &Tree) -> String {
    let mut source = String::new();
    let mut at = 0;
    let mut push = |written: Range<usize>, text: &str| {
        source.push_str(&json.text[at..written.start].replace('\t', "  "));
        let needs_escape = |character: char| character == '\\' || is_escaped(character);
        if json.text[written.clone()].contains(needs_escape) {
            source.push_str(&double_quoted(text))
        } else {
            source.push_str(&json.text[written.clone()])
        }
        at = written.end;
    };
    for (index, node) in json.nodes.iter().enumerate() {
        if let Some(name) = json.name(index) {
            push(node.key.range(), name);
        }
        if node.kind == Kind::String {
            push(node.value.range(), json.scalar(index));
        }
    }
    source.push_str(&json.text[at..].replace('\t', "  "));
    source.trim().to_owned()
}

/// Whether a text is unlikely to be meant as the value that it is: a template, such as `{{ x }}`; a
/// single mark, such as `-`; a mapping with a missing key, such as `: x`, or a list in brackets
/// with a word such as `|x`, which only some parsers accept; or a time without seconds, which TOML
/// 1.0 does not have.
fn is_unlikely(tree: &Tree) -> bool {
    let text = tree.written(Tree::ROOT).trim_end();
    let has_odd_key = || {
        (0..tree.nodes.len()).any(|index| {
            let key = &tree.text[tree.node(index).key.range()];
            key.starts_with(['{', '[']) || key.is_empty() && tree.name(index).is_some()
        })
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
                || has_odd_key()
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
        let kind = |text: &str| parse_value(Syntax::Yaml.into(), text).map(|value| value.kind);
        assert_eq!(kind("  a:\n  b: 1"), Some(Kind::Mapping));
        assert_eq!(kind("a: b # c"), Some(Kind::Mapping));
        assert_eq!(kind("a: |\n  b\n"), Some(Kind::Mapping));
        assert_eq!([kind("a # b"), kind("# a")], [None, None]);
        assert_eq!([kind("{a!|1,| }"), kind("[`a]"), kind("{%: 1}")], [None, None, None]);
        assert_eq!(kind("['|', a|b]"), Some(Kind::Sequence));
        let item = |text: &str| only_item(text).and_then(|item| kind(&item));
        assert_eq!(item("  - a: 1\n    b: 2\n"), Some(Kind::Mapping));
        assert_eq!(item("- a"), Some(Kind::String));
        for text in ["- a\n- b", "[a]", "-a", "- a # b", "- {{ x }}", "- |\n  a", "- a\n  b"] {
            assert_eq!(item(text), None, "{text}");
        }
    }
}
