//! Values to write: their types, and their source in each syntax.

use std::collections::HashSet;

use super::json::lone_surrogates;
use super::names::toml_name;
use super::parse::{parse_fragment, parse_text};
use super::quoting::{json_string, quoted, toml_string};
use super::toml_table::TomlTable;
use super::tree::{Bytes, Form, Kind, Syntax, Tree};
use super::yaml_scalar::{self, BlockScalar, indented_scalar};
use super::{find, yaml_flow};

/// The type of a value that the user requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A string, even if the text looks like another type.
    String,
    /// An integer.
    Integer,
    /// A number.
    Float,
    /// `true` or `false`.
    Boolean,
    /// No value.
    Null,
    /// The value that the text denotes in JSON.
    Json,
    /// The value that the text denotes in YAML, which may be an alias.
    Yaml,
}

/// The types and their names.
const TYPES: [(&str, Type); 7] = [
    ("string", Type::String),
    ("int", Type::Integer),
    ("float", Type::Float),
    ("bool", Type::Boolean),
    ("null", Type::Null),
    ("json", Type::Json),
    ("yaml", Type::Yaml),
];

/// A value to write.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its type.
    pub kind: Kind,
    /// The text of a string, or the source of another value. The lines of a block scalar are not
    /// indented.
    pub(super) text: String,
    /// Whether `text` is source, which is written unchanged.
    pub(super) is_source: bool,
    /// Its tag in YAML, such as `!Ref`. It is not part of `text`.
    pub(super) tag: Option<String>,
    /// The lines of a TOML table, whose inline form is `text`.
    pub(super) table: Option<TomlTable>,
    /// The name and the source of its key, if it is the value of a YAML entry.
    pub(super) key: Option<(String, String)>,
}

/// The place at which a value is written.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// Whether the place is in brackets.
    pub in_flow: bool,
    /// The source of a string whose style to imitate: the old value or a neighbor.
    pub model: Option<&'a str>,
    /// The source of a string in quotes, which to imitate if the text needs quotes.
    pub quoted_model: Option<&'a str>,
}

impl Type {
    /// Returns the type with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        TYPES.iter().find(|(type_name, _)| *type_name == name).map(|(_, value_type)| *value_type)
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        TYPES.iter().find(|(_, value_type)| *value_type == self).map_or("", |(name, _)| name)
    }

    /// Returns the type with which a value of a kind is requested. Dates have none.
    pub fn of_kind(kind: Kind) -> Option<Self> {
        Some(match kind {
            Kind::Mapping | Kind::Sequence => Self::Json,
            Kind::String => Self::String,
            Kind::Integer => Self::Integer,
            Kind::Float => Self::Float,
            Kind::Boolean => Self::Boolean,
            Kind::Null => Self::Null,
            Kind::Date | Kind::Alias => return None,
        })
    }
}

impl Value {
    /// A string.
    pub fn string(text: &str) -> Self {
        let text = text.to_owned();
        Self { kind: Kind::String, text, is_source: false, tag: None, table: None, key: None }
    }

    /// A value of a type, as it is written in its syntax.
    pub fn source(kind: Kind, text: &str) -> Self {
        Self { kind, text: text.to_owned(), is_source: true, tag: None, table: None, key: None }
    }

    pub(super) fn tagged(self, tag: Option<&str>) -> Self {
        Self { tag: tag.map(str::to_owned), ..self }
    }

    /// Whether it is a mapping or list of YAML on lines of its own.
    pub(super) fn is_lines(&self) -> bool {
        self.is_source && self.kind.is_container() && !self.text.starts_with(['{', '['])
    }

    /// Whether the value is that of a scalar of the same type. A plain YAML string that other
    /// parsers read as another type is different from a string that the user requests, and so is a
    /// value of a `.env` file that programs read differently.
    pub fn is_text(&self, tree: &Tree, index: usize, wanted: Option<Type>) -> bool {
        let is_read_differently = || match tree.syntax {
            Syntax::Yaml => {
                wanted == Some(Type::String)
                    && tree.written(index) == self.text
                    && !yaml_scalar::is_plain(&self.text, false)
            }
            Syntax::Env => super::variables::needs_other_form(tree, index),
            _ => false,
        };
        let has_same_tag = self.tag.is_none() || self.tag.as_deref() == tree.tag(index);
        self.text == tree.scalar(index) && !is_read_differently() && has_same_tag
    }

    /// Returns the source of the value at a place, with its tag.
    ///
    /// # Errors
    ///
    /// Fails with a message if it cannot be written there.
    pub fn write(&self, tree: &Tree, setting: Setting<'_>) -> Result<String, String> {
        if self.table.as_ref().is_some_and(|table| table.has_comments) {
            return Err("the table would become inline and lose its comments".to_owned());
        }
        if self.is_source && tree.syntax == Syntax::JsonLines && self.text.contains('\n') {
            return json_on_one_line(&self.text);
        }
        // A line in brackets would need the indentation of the entry around them.
        let is_long = self.kind.is_container() && self.text.contains('\n');
        let is_block = self.is_lines()
            || tree.syntax == Syntax::Yaml && is_long
            || BlockScalar::parse(&self.text).is_some();
        Ok(match self.is_source {
            true if setting.in_flow && is_block => {
                yaml_flow::in_brackets(&self.parsed(tree.syntax)?)?
            }
            true => self.with_tag(&self.text),
            false => self.with_tag(&self.string_source(tree.syntax, setting)?),
        })
    }

    fn string_source(&self, syntax: Syntax, setting: Setting<'_>) -> Result<String, String> {
        let (text, model) = (&self.text, setting.model);
        Ok(match syntax {
            Syntax::Json | Syntax::JsonLines => json_string(text, model),
            Syntax::Toml => toml_string(text, model),
            Syntax::Env => super::env_form::render(text, model)?,
            Syntax::Properties => super::variables::render_properties(text, model),
            Syntax::Ini(dialect) => {
                let (written, _) = dialect.encoded(text.as_bytes(), false);
                String::from_utf8_lossy(&written).into_owned()
            }
            Syntax::Yaml => {
                let block = model.filter(|_| !setting.in_flow);
                let block = block.and_then(|model| yaml_scalar::block_scalar(text, model));
                block.unwrap_or_else(|| match model.and_then(|model| model.chars().next()) {
                    Some('"') => yaml_scalar::double_quoted(text),
                    Some('\'') if !text.contains(yaml_scalar::is_escaped) => {
                        yaml_scalar::single_quoted(text)
                    }
                    _ => yaml_scalar::string(text, setting.in_flow, setting.quoted_model),
                })
            }
        })
    }

    /// Adds the tag to a source. The lines of a mapping or list begin below it.
    fn with_tag(&self, source: &str) -> String {
        match &self.tag {
            None => source.to_owned(),
            Some(tag) if source.is_empty() => tag.clone(),
            Some(tag) if !self.is_lines() => format!("{tag} {source}"),
            Some(tag) if source.starts_with(" #") => format!(" {tag}{source}"),
            Some(tag) => format!(" {tag}\n{source}"),
        }
    }

    /// Returns the value as a document, to compare with the parsed result.
    pub fn parsed(&self, syntax: Syntax) -> Result<Tree, String> {
        let (syntax, text) = match (self.is_source, syntax) {
            (false, _) if self.tag.is_none() => (Syntax::Json, quoted(&self.text)),
            (false, _) => (Syntax::Yaml, self.with_tag(&yaml_scalar::double_quoted(&self.text))),
            (true, Syntax::Toml | Syntax::Env | Syntax::Properties | Syntax::Ini(_)) => {
                (syntax, format!("k = {}", self.text))
            }
            (true, Syntax::Yaml) if BlockScalar::parse(&self.text).is_some() => {
                (syntax, self.with_tag(&indented_scalar(&self.text, 1, 1, "\n")) + "\n")
            }
            // A block scalar at the end has a line ending.
            (true, _) if self.is_lines() => (syntax, self.with_tag(&self.text) + "\n"),
            (true, _) => (syntax, self.with_tag(&self.text)),
        };
        let mut tree = parse_fragment(syntax, &text).map_err(|fault| fault.message)?;
        if matches!(syntax, Syntax::Toml | Syntax::JsonLines) || syntax.has_only_strings() {
            tree.remove_root();
        }
        Ok(tree)
    }
}

/// Tags of YAML whose values have the same type in JSON.
const JSON_TAGS: [&str; 7] = ["!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq"];

/// The reason why a JSON string is not written in another notation.
pub(super) const LONE_SURROGATE: &str = "a string contains half of a character, such as \\ud800";

/// Whether a JSON value or its key contains half of a character, such as `\ud800`, so that
/// [`Tree::scalar`] or [`Tree::name`] does not return exactly its text.
pub fn has_lone_surrogate(tree: &Tree, index: usize) -> bool {
    let node = tree.node(index);
    let has_one = |bytes: Bytes| !lone_surrogates(&tree.text[bytes.range()]).is_empty();
    matches!(tree.syntax, Syntax::Json | Syntax::JsonLines)
        && (has_one(node.key) || node.kind == Kind::String && has_one(node.value))
}

/// Maximum number of values that aliases may add to the data of a value. Further aliases are not
/// resolved.
const MAX_ALIASED: usize = 1_000_000;

/// Whether an alias refers to no entry, or to one that contains it and would recurse forever.
fn is_endless(tree: &Tree, alias: usize) -> bool {
    tree.anchor_of(alias).is_none_or(|anchor| tree.is_within(alias, anchor))
}

/// Returns the entry that an alias refers to, unless it is too large for the room that is left.
fn aliased_entry(tree: &Tree, alias: usize, room: &mut usize) -> Option<usize> {
    let anchor = tree.anchor_of(alias).filter(|_| !is_endless(tree, alias))?;
    *room = room.checked_sub(tree.size(anchor))?;
    Some(anchor)
}

/// Returns the data of an entry as JSON on one line, with the keys in their order and all digits of
/// numbers. YAML aliases and merge keys are resolved.
///
/// # Errors
///
/// Fails with a message if JSON cannot represent the data.
pub fn json_text(tree: &Tree, index: usize) -> Result<String, String> {
    json_within(tree, index, &mut { MAX_ALIASED }, true)
}

/// Returns the data of an entry as JSON, like [`json_text`], but with numbers such as infinity as
/// strings.
///
/// # Errors
///
/// Fails with a message if there are too many aliases.
pub fn data(tree: &Tree, index: usize) -> Result<String, String> {
    json_within(tree, index, &mut { MAX_ALIASED }, false)
}

fn json_within(
    tree: &Tree,
    index: usize,
    room: &mut usize,
    is_exact: bool,
) -> Result<String, String> {
    let node = tree.node(index);
    let text = tree.scalar(index);
    let tag = tree.tag(index).filter(|tag| is_exact && !JSON_TAGS.contains(tag));
    if let Some(tag) = tag {
        return Err(format!("the tag {tag} would be lost"));
    }
    if is_exact && has_lone_surrogate(tree, index) {
        return Err(LONE_SURROGATE.to_owned());
    }
    Ok(match node.kind {
        Kind::Null => "null".to_owned(),
        Kind::Boolean => text.eq_ignore_ascii_case("true").to_string(),
        Kind::String | Kind::Date => quoted(text),
        Kind::Integer | Kind::Float => match json_number(text) {
            Some(number) => number,
            None if is_exact => return Err(format!("JSON cannot represent '{text}'")),
            None => number(text).map_or_else(|| quoted(text), |number| number.to_string()),
        },
        Kind::Alias => match aliased_entry(tree, index, room) {
            Some(anchor) => json_within(tree, anchor, room, is_exact)?,
            None if !is_exact && is_endless(tree, index) => quoted(text),
            None => return Err(format!("the alias {text} cannot be resolved")),
        },
        Kind::Sequence => {
            let items = tree.children(index).map(|item| json_within(tree, item, room, is_exact));
            format!("[{}]", items.collect::<Result<Vec<_>, _>>()?.join(","))
        }
        Kind::Mapping => {
            let mut pairs = Vec::new();
            for child in keys_with_inherited(tree, index, room)? {
                let tag = tree.key_tag(child).filter(|tag| is_exact && !JSON_TAGS.contains(tag));
                if let Some(tag) = tag {
                    return Err(format!("the tag {tag} of a key would be lost"));
                }
                let name = quoted(tree.name(child).unwrap_or_default());
                pairs.push(format!("{name}:{}", json_within(tree, child, room, is_exact)?));
            }
            format!("{{{}}}", pairs.join(","))
        }
    })
}

/// Returns the keys of a mapping, followed by those that it inherits through YAML merge keys.
fn keys_with_inherited(
    tree: &Tree,
    mapping: usize,
    room: &mut usize,
) -> Result<Vec<usize>, String> {
    let mappings = find::merged_mappings(tree, mapping);
    if mappings.is_empty() {
        return Ok(tree.children(mapping).collect());
    }
    let mut keys: Vec<usize> =
        tree.children(mapping).filter(|&key| tree.name(key) != Some("<<")).collect();
    let mut seen: HashSet<Option<&str>> = keys.iter().map(|&key| tree.name(key)).collect();
    for mapping in mappings {
        let merged = keys_with_inherited(tree, mapping.index, room)?;
        *room = room.checked_sub(merged.len()).ok_or("too many keys are merged")?;
        keys.extend(merged.into_iter().filter(|&key| seen.insert(tree.name(key))));
    }
    Ok(keys)
}

/// Returns the JSON source of a number, with all its digits. Returns `None` for infinity, NaN and
/// numbers that would be rounded.
fn json_number(text: &str) -> Option<String> {
    let plain = text.replace('_', "");
    let plain = plain.strip_prefix('+').unwrap_or(&plain);
    if is_strict_json(plain) {
        return plain.parse::<f64>().is_ok_and(f64::is_finite).then(|| plain.to_owned());
    }
    let digits = plain.bytes().filter(u8::is_ascii_digit).count();
    number(text).filter(|number| !number.is_f64() || digits <= 15).map(|number| number.to_string())
}

/// Writes JSON source on one line, without comments.
///
/// # Errors
///
/// Fails with a message if it is not one JSON value.
pub fn json_on_one_line(text: &str) -> Result<String, String> {
    let tree = parse_text(Syntax::Json, text).map_err(|fault| fault.message)?;
    json_text(&tree, Tree::ROOT)
}

/// The number that a text describes, unless JSON does not have it, such as infinity.
fn number(text: &str) -> Option<serde_json::Number> {
    let text = text.replace('_', "");
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(&text);
    let in_base = |prefix: &str, base| {
        let digits = unsigned.strip_prefix(prefix)?;
        i64::from_str_radix(digits, base).ok()
    };
    let based = in_base("0x", 16).or(in_base("0X", 16)).or(in_base("0o", 8)).or(in_base("0b", 2));
    if let Some(number) = based {
        return Some(if text.starts_with('-') { -number } else { number }.into());
    }
    let plain = text.strip_prefix('+').unwrap_or(&text);
    let parsed = serde_json::from_str(plain).ok();
    let integer = || plain.parse::<i64>().ok().map(serde_json::Number::from);
    let float = || plain.parse().ok().and_then(serde_json::Number::from_f64);
    parsed.or_else(integer).or_else(float)
}

pub(super) fn is_strict_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Writes a value of JSON or TOML as TOML.
pub(super) fn toml_value(tree: &Tree, index: usize, out: &mut String) -> Result<(), String> {
    let node = tree.node(index);
    let brackets = match node.kind {
        Kind::Null => return Err("TOML has no null".to_owned()),
        Kind::String => {
            match tree.syntax {
                Syntax::Toml => out.push_str(tree.written(index)),
                _ => out.push_str(&quoted(tree.scalar(index))),
            }
            return Ok(());
        }
        Kind::Mapping | Kind::Sequence
            if tree.syntax == Syntax::Toml && node.form == Form::Flow =>
        {
            out.push_str(tree.written(index));
            return Ok(());
        }
        Kind::Integer
            if tree.syntax == Syntax::Json && tree.scalar(index).parse::<i64>().is_err() =>
        {
            return Err(format!("TOML has no integer '{}'", tree.scalar(index)));
        }
        Kind::Mapping => ["{ ", " }"],
        Kind::Sequence => ["[", "]"],
        _ => {
            out.push_str(tree.written(index));
            return Ok(());
        }
    };
    let children: Vec<usize> = tree.children(index).collect();
    if children.is_empty() {
        out.push_str(if node.kind == Kind::Mapping { "{}" } else { "[]" });
        return Ok(());
    }
    out.push_str(brackets[0]);
    for (number, &child) in children.iter().enumerate() {
        if number > 0 {
            out.push_str(", ");
        }
        if let Some(name) = tree.name(child) {
            out.push_str(&toml_name(name));
            out.push_str(" = ");
        }
        toml_value(tree, child, out)?;
    }
    out.push_str(brackets[1]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::edit::{Check, insert_key};
    use super::super::natural::parse_value;
    use super::super::sources::one_record_per_line;
    use super::*;

    fn setting(model: Option<&str>) -> Setting<'_> {
        Setting { in_flow: false, model, quoted_model: None }
    }

    /// Writes a string in the style of another one.
    fn string(syntax: Syntax, text: &str, model: &str) -> String {
        let mut tree = parse_text(Syntax::Yaml, "").expect("empty");
        tree.syntax = syntax;
        Value::string(text).write(&tree, setting(Some(model))).expect("written")
    }

    #[test]
    fn a_string_has_the_style_of_another_one() {
        let yaml = |text, model| string(Syntax::Yaml, text, model);
        assert_eq!(yaml("1", "a"), "'1'");
        assert_eq!(yaml("yes", "a"), "'yes'");
        assert_eq!(yaml("12:30", "a"), "'12:30'");
        assert_eq!(yaml("it's", "'a'"), "'it''s'");
        assert_eq!(yaml("a", "\"b\""), "\"a\"");
        assert_eq!(yaml("a\nb\n", "|\n  x\n"), "|\na\nb");
        let toml = |text, model| string(Syntax::Toml, text, model);
        assert_eq!(toml("true", "'a'"), "'true'");
        assert_eq!(toml("it's", "'a'"), "\"it's\"");
        let json = |text, model| string(Syntax::Json, text, model);
        assert_eq!(json("it's \"x\"\n", "'a'"), "'it\\'s \"x\"\\n'");
        assert_eq!(json("it's \"x\"", "\"a\""), "\"it's \\\"x\\\"\"");
        let tree = parse_text(Syntax::Yaml, "").expect("empty");
        let setting = Setting { in_flow: true, model: Some("a"), quoted_model: Some("\"b\"") };
        assert_eq!(Value::string("c: d").write(&tree, setting).as_deref(), Ok("\"c: d\""));
        assert_eq!(Value::string("c d").write(&tree, setting).as_deref(), Ok("c d"));
    }

    #[test]
    fn types_are_checked() {
        let read = |text, wanted| {
            let value = Value::of_type(Syntax::Yaml.into(), text, wanted);
            value.map(|value| (value.kind, value.text))
        };
        assert_eq!(read("5", Type::String), Ok((Kind::String, "5".to_owned())));
        assert_eq!(read("5", Type::Float), Ok((Kind::Float, "5.0".to_owned())));
        assert!(read("x", Type::Integer).is_err());
        assert!(read("0x1F", Type::Float).is_err() && read("0x1F", Type::Integer).is_ok());
        assert!(read("!!int 5", Type::Float).is_err());
        assert_eq!(read("-5 ", Type::Float), Ok((Kind::Float, "-5.0".to_owned())));
        assert!(read("5", Type::Null).is_err() && read("", Type::Null).is_ok());
        let source = "{\"a b\": [1, \"x\"], \"c\": {}}";
        let toml = Value::of_type(Syntax::Toml.into(), source, Type::Json);
        assert_eq!(toml.expect("a value").text, "{ \"a b\" = [1, \"x\"], c = {} }");
        let value = Value::of_type(Syntax::Yaml.into(), "[\"\u{feff}\"]", Type::Json);
        assert_eq!(value.expect("a value").text, "[\"\\ufeff\"]");
        // YAML has no surrogate pairs, and tabs cannot indent.
        let source = "{\n\t\"\\ud83d\\ude00\": \"a\\/b\",\n\t\"c\": [\"\\td\"]\n}\n";
        let yaml = Value::of_type(Syntax::Yaml.into(), source, Type::Json).expect("a value");
        assert_eq!(yaml.text, "{\n  \"😀\": \"a/b\",\n  \"c\": [\"\\td\"]\n}");
    }

    #[test]
    fn numbers_keep_their_digits_in_json() {
        for (text, expected) in [
            ("100000000000000000001", Some("100000000000000000001")),
            ("0.12345678901234567890123", Some("0.12345678901234567890123")),
            ("1_000", Some("1000")),
            ("+1e5", Some("1e5")),
            ("0x1F", Some("31")),
            (".5", Some("0.5")),
            (".12345678901234567890123", None),
            ("0xFFFFFFFFFFFFFFFFFF", None),
            ("1e400", None),
            (".inf", None),
            ("nan", None),
        ] {
            assert_eq!(json_number(text).as_deref(), expected, "{text}");
        }
        let read = |text| Value::of_type(Syntax::Toml.into(), text, Type::Json);
        assert!(read("[9223372036854775807]").is_ok() && read("[9223372036854775808]").is_err());
    }

    #[test]
    fn records_of_json_lines_are_on_one_line() {
        let tree = parse_text(Syntax::JsonLines, "").expect("empty");
        let value = parse_value(Syntax::Json.into(), "{\n \"p\": [1,\n \"\\n\"]\n}");
        let written = value.expect("a value").write(&tree, setting(None));
        assert_eq!(written.as_deref(), Ok("{\"p\":[1,\"\\n\"]}"));
        let lines = one_record_per_line(b"{\"a\": 1}\n{\n\"b\": 2}\n[\n]\n");
        assert_eq!(lines.as_deref(), Some(&b"{\"a\": 1}\n{\"b\":2}\n[]\n"[..]));
        assert_eq!(
            [one_record_per_line(b"{\"a\": 1}\n"), one_record_per_line(b"{\n")],
            [None, None]
        );
    }

    #[test]
    fn the_source_of_an_entry_has_its_tag_and_lines() {
        let source_of_first = |text: &str| {
            let tree = parse_text(Syntax::Yaml, text).expect("valid");
            let value = Value::of_entry(&tree, 1)?;
            Some(value.write(&tree, setting(None)).expect("written"))
        };
        for (text, expected) in [
            ("a: !Ref X\n", Some("!Ref X")),
            ("a: !If [b, !Ref c]\n", Some("!If [b, !Ref c]")),
            ("a: &x !t # c\n  b: 1\n", Some(" !t # c\nb: 1")),
            ("- !t\n  b: 1\n", Some(" !t\nb: 1")),
            ("a: !v |+\n    x\n\n\nb: 1\n", Some("!v |+\nx\n\n")),
            ("a: !e\n", Some("!e")),
            // The copy would have a line ending.
            ("a: |\n  x", None),
        ] {
            assert_eq!(source_of_first(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_key_of_a_copy_keeps_its_type() {
        let text = "a:\n  200: x\n  '201': y\n  'on': z\n  on: z\nb:\n  c: 1\n";
        let tree = parse_text(Syntax::Yaml, text).expect("valid");
        let copied_entry = |from: usize, name: &str| {
            let value = Value::of_entry(&tree, from).expect("a value");
            let container = tree.nodes.len() - 2;
            let names = [name.to_owned()];
            let edits = insert_key(&tree, container, &names, &value, Check::Now).expect("planned");
            edits.changes.into_iter().map(|change| change.text).collect::<String>()
        };
        assert_eq!(
            [copied_entry(2, "200"), copied_entry(3, "201")],
            ["  200: x\n", "  '201': y\n"]
        );
        assert_eq!([copied_entry(4, "on"), copied_entry(5, "on")], ["  'on': z\n", "  on: z\n"]);
        assert_eq!(copied_entry(3, "d"), "  d: y\n");
    }

    #[test]
    fn tags_are_not_lost_in_json() {
        let json =
            |text: &str| json_text(&parse_text(Syntax::Yaml, text).expect("valid"), Tree::ROOT);
        assert_eq!(json("a: !!str 123\nb: !!map {}\n").as_deref(), Ok("{\"a\":\"123\",\"b\":{}}"));
        assert_eq!(json("a: [!Ref X]\n"), Err("the tag !Ref would be lost".to_owned()));
        assert!(json("a: !!binary YQ==\n").is_err() && json("!t\na: 1\n").is_err());
        assert_eq!(json("!!str a: 1\n").as_deref(), Ok("{\"a\":1}"));
        assert!(json("!T a: 1\nb: 2\n").is_err() && json("x:\n  ? &k !T a\n  : 1\n").is_err());
    }

    #[test]
    fn aliases_are_expanded_within_a_limit() {
        let mut text = String::from("a: &a [x, x, x, x, x, x, x, x, x, x]\nb:\n");
        text.push_str(&"- *a\n".repeat(100_000));
        let tree = parse_text(Syntax::Yaml, &text).expect("valid");
        assert!(json_text(&tree, Tree::ROOT).is_err());
        assert!(data(&tree, Tree::ROOT).is_err());
        let tree = parse_text(Syntax::Yaml, &text.replacen("x", "y", 1)[..60]).expect("valid");
        let json = data(&tree, Tree::ROOT).expect("few aliases");
        assert!(json.ends_with("]]}") && json.starts_with("{\"a\":[\"y\",\"x\""), "{json}");
    }

    #[test]
    fn merge_keys_are_part_of_the_data() {
        let json = |text: &str| {
            data(&parse_text(Syntax::Yaml, text).expect("valid"), Tree::ROOT).expect("data")
        };
        let base = "a: &a {x: 1, y: 2}\nb: &b\n  <<: *a\n  y: 3\n";
        assert_eq!(json(base), "{\"a\":{\"x\":1,\"y\":2},\"b\":{\"y\":3,\"x\":1}}");
        let list = format!("{base}c:\n  <<: [*b, {{z: 4}}]\n");
        assert!(json(&list).ends_with("\"c\":{\"y\":3,\"x\":1,\"z\":4}}"), "{}", json(&list));
        let endless = parse_text(Syntax::Yaml, "a: &a\n  b:\n    <<: *a\n").expect("valid");
        assert!(json_text(&endless, Tree::ROOT).is_err());
        assert!(data(&endless, Tree::ROOT).is_ok());
    }
}
