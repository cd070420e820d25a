//! Values to write: their types, and their source in each syntax.

use std::collections::HashSet;

use super::change::newline_of;
use super::find;
use super::parse::parse_text;
use super::toml_table::TomlTable;
use super::tree::{Form, Kind, Syntax, Tree};
use super::yaml::plain_kind;

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
}

/// The types and their names.
const TYPES: [(&str, Type); 6] = [
    ("string", Type::String),
    ("int", Type::Integer),
    ("float", Type::Float),
    ("bool", Type::Boolean),
    ("null", Type::Null),
    ("json", Type::Json),
];

/// A value to write.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its type.
    pub kind: Kind,
    /// The text of a string, or the source of another value.
    pub(super) text: String,
    /// Whether `text` is source, which is written unchanged.
    is_source: bool,
    /// The lines of a TOML table, whose inline form is `text`.
    pub(super) table: Option<TomlTable>,
}

/// The place at which a value is written.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// Whether the place is in brackets.
    pub in_flow: bool,
    /// The indentation of further lines of the value.
    pub indent: usize,
    /// The source of a string whose style to imitate: the old value or a neighbor.
    pub model: Option<&'a str>,
}

impl Type {
    /// Returns the type with a name.
    pub fn named(name: &str) -> Option<Self> {
        TYPES.iter().find(|(own, _)| *own == name).map(|(_, value_type)| *value_type)
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        TYPES.iter().find(|(_, own)| *own == self).map_or("", |(name, _)| name)
    }
}

impl Value {
    /// A string.
    pub fn string(text: &str) -> Self {
        Self { kind: Kind::String, text: text.to_owned(), is_source: false, table: None }
    }

    /// A value of a type, as it is written in its syntax.
    pub fn source(kind: Kind, text: &str) -> Self {
        Self { kind, text: text.to_owned(), is_source: true, table: None }
    }

    /// Whether the value is that of a scalar of the same type. A plain YAML string that other
    /// parsers read as another type is different from a string that the user requests, and so is a
    /// value of a `.env` file that programs read differently.
    pub fn is_text(&self, tree: &Tree, index: usize, wanted: Option<Type>) -> bool {
        let is_odd = || match tree.syntax {
            Syntax::Yaml => {
                wanted == Some(Type::String)
                    && tree.written(index) == self.text
                    && !is_plain(&self.text, false)
            }
            Syntax::Env => super::variables::needs_other_form(tree, index),
            _ => false,
        };
        self.text == tree.scalar(index) && !is_odd()
    }

    /// Returns the source of the value at a place.
    ///
    /// # Errors
    ///
    /// Fails with a message if it cannot be written there.
    pub fn write(&self, tree: &Tree, setting: Setting<'_>) -> Result<String, String> {
        if self.table.as_ref().is_some_and(|table| table.has_comments) {
            return Err("the table would become inline and lose its comments".to_owned());
        }
        if self.is_source && tree.syntax == Syntax::JsonLines && self.text.contains('\n') {
            return one_line(&self.text);
        }
        if self.is_source {
            let is_lines = self.kind.is_container() && !self.text.starts_with(['{', '[']);
            return match setting.in_flow && is_lines {
                true => {
                    Err("this value needs lines of its own, and the place is in brackets".into())
                }
                false => Ok(self.text.clone()),
            };
        }
        let text = &self.text;
        let quote = setting.model.and_then(|model| model.chars().next());
        Ok(match tree.syntax {
            Syntax::Json | Syntax::JsonLines => quoted(text),
            Syntax::Toml => toml_string(text, setting.model),
            Syntax::Env => super::env_form::render(text, setting.model)?,
            Syntax::Properties => super::variables::render_properties(text, setting.model),
            Syntax::Yaml => match quote {
                Some('|') if is_literal(text, setting) => literal(text, tree, setting),
                Some('"') => yaml_quoted(text),
                Some('\'') if !text.contains(is_escaped) => single_quoted(text),
                _ => yaml_string(text, setting.in_flow),
            },
        })
    }

    /// Returns the value as a document, to compare with the parsed result.
    pub fn parsed(&self, syntax: Syntax) -> Result<Tree, String> {
        let (syntax, text) = match (self.is_source, syntax) {
            (false, _) => (Syntax::Json, quoted(&self.text)),
            (true, Syntax::Toml | Syntax::Env | Syntax::Properties) => {
                (syntax, format!("k = {}", self.text))
            }
            (true, syntax) => (syntax, self.text.clone()),
        };
        let mut tree = parse_text(syntax, &text).map_err(|fault| fault.message)?;
        if matches!(syntax, Syntax::Toml | Syntax::JsonLines) || syntax.is_flat() {
            tree.remove_root();
        }
        Ok(tree)
    }
}

/// Maximum number of values that aliases may add to the data of a value. Further aliases are not
/// resolved.
const MAX_ALIASED: usize = 1_000_000;

/// Whether an alias refers to no entry, or to one that contains it and would recurse forever.
fn is_endless(tree: &Tree, alias: usize) -> bool {
    tree.anchor_of(alias).is_none_or(|anchor| tree.is_within(alias, anchor))
}

/// Returns the entry that an alias refers to, unless it is too large for the room that is left.
fn original(tree: &Tree, alias: usize, room: &mut usize) -> Option<usize> {
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
    Ok(match node.kind {
        Kind::Null => "null".to_owned(),
        Kind::Boolean => text.eq_ignore_ascii_case("true").to_string(),
        Kind::String | Kind::Date => quoted(text),
        Kind::Integer | Kind::Float => match json_number(text) {
            Some(number) => number,
            None if is_exact => return Err(format!("JSON cannot represent '{text}'")),
            None => number(text).map_or_else(|| quoted(text), |number| number.to_string()),
        },
        Kind::Alias => match original(tree, index, room) {
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
            for child in pairs_of(tree, index, room)? {
                let name = quoted(tree.name(child).unwrap_or_default());
                pairs.push(format!("{name}:{}", json_within(tree, child, room, is_exact)?));
            }
            format!("{{{}}}", pairs.join(","))
        }
    })
}

/// Returns the keys of a mapping, followed by those that it inherits through YAML merge keys.
fn pairs_of(tree: &Tree, mapping: usize, room: &mut usize) -> Result<Vec<usize>, String> {
    let sources = find::sources(tree, mapping);
    if sources.is_empty() {
        return Ok(tree.children(mapping).collect());
    }
    let mut pairs: Vec<usize> =
        tree.children(mapping).filter(|&own| tree.name(own) != Some("<<")).collect();
    let mut seen: HashSet<Option<&str>> = pairs.iter().map(|&own| tree.name(own)).collect();
    for source in sources {
        let merged = pairs_of(tree, source.index, room)?;
        *room = room.checked_sub(merged.len()).ok_or("too many keys are merged")?;
        pairs.extend(merged.into_iter().filter(|&other| seen.insert(tree.name(other))));
    }
    Ok(pairs)
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
pub fn one_line(text: &str) -> Result<String, String> {
    let tree = parse_text(Syntax::Json, text).map_err(|fault| fault.message)?;
    json_text(&tree, Tree::ROOT)
}

/// The number that a text describes, unless JSON does not have it, such as infinity.
fn number(text: &str) -> Option<serde_json::Number> {
    let text = text.replace('_', "");
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(&text);
    let of_base = |prefix: &str, base| {
        let digits = unsigned.strip_prefix(prefix)?;
        i64::from_str_radix(digits, base).ok()
    };
    let based = of_base("0x", 16).or(of_base("0X", 16)).or(of_base("0o", 8)).or(of_base("0b", 2));
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
            out.push_str(&write_name(Syntax::Toml, name, None));
            out.push_str(" = ");
        }
        toml_value(tree, child, out)?;
    }
    out.push_str(brackets[1]);
    Ok(())
}

/// Returns the source of a key, quoted if necessary or if the model is quoted.
pub fn write_name(syntax: Syntax, name: &str, model: Option<&str>) -> String {
    let is_quoted = model.is_some_and(|model| model.starts_with(['"', '\'']));
    let is_word = |extra: &str| {
        let is_part =
            |character: char| character.is_ascii_alphanumeric() || extra.contains(character);
        !name.is_empty() && name.chars().all(is_part)
    };
    match syntax {
        Syntax::Json | Syntax::JsonLines => {
            let is_plain = is_word("_$") && !name.starts_with(|first: char| first.is_ascii_digit());
            match model {
                Some(_) if !is_quoted && is_plain => name.to_owned(),
                _ => quoted(name),
            }
        }
        Syntax::Toml if is_word("-_") => name.to_owned(),
        Syntax::Toml => toml_string(name, None),
        Syntax::Yaml if is_quoted && name.contains(is_escaped) => yaml_quoted(name),
        Syntax::Yaml => match model.filter(|_| is_quoted) {
            Some(model) if model.starts_with('\'') => single_quoted(name),
            Some(_) => yaml_quoted(name),
            // `on` is a common key, although YAML 1.1 parses it as a boolean.
            None if is_word("") && plain_kind(name) == Kind::String => name.to_owned(),
            None => yaml_string(name, true),
        },
        Syntax::Env | Syntax::Properties => name.to_owned(),
    }
}

/// Formats a text as a JSON string, which is also valid in YAML and TOML.
fn quoted(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap_or_default();
    quoted.replace('\u{7f}', "\\u007f")
}

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn toml_string(text: &str, model: Option<&str>) -> String {
    let model = model.unwrap_or("\"");
    let is_literal = !text.contains(|character: char| character == '\'' || character.is_control());
    if model.starts_with("\"\"\"") && text.contains('\n') {
        let lines = text.split('\n').map(|line| quoted(line).trim_matches('"').to_owned());
        let lines: Vec<String> = lines.collect();
        let inner = lines.join("\n");
        // A quote at either end would be removed with the enclosing quotes.
        if !text.contains('"') {
            return format!("\"\"\"\n{inner}\"\"\"");
        }
    }
    match model.starts_with('\'') && is_literal {
        true => format!("'{text}'"),
        false => quoted(text),
    }
}

/// Formats a text as a YAML string. It is quoted unless YAML 1.1 and 1.2 parse the plain text as
/// the same string.
fn yaml_string(text: &str, in_flow: bool) -> String {
    if is_plain(text, in_flow) {
        return text.to_owned();
    }
    let is_simple = text.contains('\'') && !text.contains(['"', '\\']);
    match is_simple || text.contains(is_escaped) {
        true => yaml_quoted(text),
        false => single_quoted(text),
    }
}

/// Whether YAML parsers disagree about a character that is not escaped: a control character, which
/// includes tabs, or another line ending of YAML 1.1.
fn is_escaped(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Formats a text as a YAML string in double quotes.
fn yaml_quoted(text: &str) -> String {
    let escape = |character: char| match character.is_ascii() || !is_escaped(character) {
        true => character.to_string(),
        false => format!("\\u{:04x}", character as u32),
    };
    quoted(text).chars().map(escape).collect()
}

fn is_plain(text: &str, in_flow: bool) -> bool {
    let lower = text.to_ascii_lowercase();
    let is_word = matches!(&lower[..], "y" | "n" | "yes" | "no" | "on" | "off" | "=" | "<<");
    // Numbers, dates and times of YAML 1.1.
    let is_digit = |character: char| "0123456789abcdefxo_:+-.tz ".contains(character);
    let is_number = lower
        .starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first))
        && lower.chars().all(is_digit)
        && (lower.contains(['_', ':']) || lower[1..].contains('-') || lower.starts_with('0'));
    // Parsers disagree about `?x` and `:x` in brackets.
    let marks: &[char] = if in_flow { &['|', '>', '?', ':'] } else { &['|', '>'] };
    let is_quoted = text.starts_with(marks) || text.contains(is_escaped);
    if is_quoted || is_word || is_number || plain_kind(text) != Kind::String {
        return false;
    }
    let around = if in_flow { ("{k: ", "}") } else { ("k: ", "") };
    let in_list = if in_flow { ("[", "]") } else { ("- ", "") };
    [around, in_list].iter().all(|(before, after)| {
        let Ok(tree) = parse_text(Syntax::Yaml, &format!("{before}{text}{after}")) else {
            return false;
        };
        tree.nodes.len() == 2
            && tree.node(1).kind == Kind::String
            && tree.written(1) == text
            && tree.scalar(1) == text
    })
}

/// Whether a text can be written as a literal block.
fn is_literal(text: &str, setting: Setting<'_>) -> bool {
    let is_odd = |character: char| is_escaped(character) && character != '\n' && character != '\t';
    !setting.in_flow
        && !text.starts_with([' ', '\n', '\t'])
        && !text.trim_end_matches('\n').is_empty()
        && !text.contains(is_odd)
}

/// Formats a text as a literal block.
fn literal(text: &str, tree: &Tree, setting: Setting<'_>) -> String {
    let body = text.trim_end_matches('\n');
    let chomping = match text.len() - body.len() {
        0 => "-",
        1 => "",
        _ => "+",
    };
    let margin = " ".repeat(setting.indent);
    let newline = newline_of(tree);
    let mut source = format!("|{chomping}");
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        source.push_str(newline);
        if !line.is_empty() {
            source.push_str(&margin);
        }
        source.push_str(line);
    }
    source
}

#[cfg(test)]
mod tests {
    use super::super::sources::one_per_line;
    use super::*;

    fn written(syntax: Syntax, text: &str, old: Option<Kind>, model: Option<&str>) -> String {
        let tree = parse_text(Syntax::Yaml, "").expect("empty");
        let mut tree = tree;
        tree.syntax = syntax;
        let value = Value::read(syntax, text, old, None).expect("a value");
        value.write(&tree, Setting { in_flow: false, indent: 2, model }).expect("written")
    }

    #[test]
    fn text_that_yaml_parsers_disagree_about_is_quoted() {
        let written = |text: &str, in_flow: bool| yaml_string(text, in_flow);
        for (text, expected) in [
            ("|", "'|'"),
            (">x", "'>x'"),
            ("x\u{1b}y", "\"x\\u001by\""),
            ("x\u{7f}", "\"x\\u007f\""),
            ("x\u{85}y", "\"x\\u0085y\""),
            ("x\u{2028}y", "\"x\\u2028y\""),
            ("a\tb", "\"a\\tb\""),
        ] {
            assert_eq!([written(text, false), written(text, true)], [expected, expected]);
        }
        assert_eq!([written("?x", false), written("?x", true)], ["?x", "'?x'"]);
        assert_eq!([written(":x", false), written(":x", true)], [":x", "':x'"]);
        let name = |name: &str| write_name(Syntax::Yaml, name, None);
        assert_eq!([name("|"), name("a\u{1b}")], ["'|'", "\"a\\u001b\""]);
    }

    #[test]
    fn unlikely_values_are_strings() {
        let is_string = |syntax, text: &str| {
            let value = Value::read(syntax, text, Some(Kind::Mapping), None).expect("a value");
            !value.is_source && value.text == text
        };
        for text in ["{{ x }}", "[{{ x }}]", "-", "?", ":", "? q", "a\nb", "#c\nd"] {
            assert!(is_string(Syntax::Yaml, text), "{text}");
        }
        assert!(is_string(Syntax::Toml, "12:30") && !is_string(Syntax::Toml, "12:30:00"));
        assert!(!is_string(Syntax::Yaml, "a: b") && !is_string(Syntax::Yaml, "- a"));
    }

    #[test]
    fn the_syntax_determines_the_type_of_a_text() {
        let yaml = |text| written(Syntax::Yaml, text, None, None);
        assert_eq!(yaml("1.10"), "1.10");
        assert_eq!(yaml("1.2.3"), "1.2.3");
        assert_eq!(yaml("a: b # c"), "'a: b # c'");
        assert_eq!(yaml("it's: x"), "\"it's: x\"");
        assert_eq!(yaml("  a: b\n  c: d # e"), "a: b\nc: d # e\n");
        assert_eq!(written(Syntax::Yaml, "a: b", Some(Kind::Mapping), None), "a: b\n");
        assert_eq!(yaml("it's # x"), "\"it's # x\"");
        assert_eq!(yaml("[a, b]"), "[a, b]");
        assert_eq!(yaml("*x"), "'*x'");
        assert_eq!(yaml("#fff"), "'#fff'");
        assert_eq!(yaml(""), "''");
        assert_eq!(yaml("~"), "~");
        let json = |text| written(Syntax::Json, text, None, None);
        assert_eq!(json("true"), "true");
        assert_eq!(json("'q'"), "\"'q'\"");
        assert_eq!(json("{a: 1}"), "\"{a: 1}\"");
        assert_eq!(json("hello \"x\""), "\"hello \\\"x\\\"\"");
        assert_eq!(json("{\"a\": [1]}"), "{\"a\": [1]}");
        let toml = |text| written(Syntax::Toml, text, None, None);
        assert_eq!(toml("1.2.3"), "\"1.2.3\"");
        assert_eq!(toml("[1, 2]"), "[1, 2]");
        assert_eq!(toml("2020-01-01"), "2020-01-01");
    }

    #[test]
    fn a_string_stays_a_string_in_its_style() {
        let yaml = |text, model| written(Syntax::Yaml, text, Some(Kind::String), Some(model));
        assert_eq!(yaml("1", "a"), "'1'");
        assert_eq!(yaml("yes", "a"), "'yes'");
        assert_eq!(yaml("12:30", "a"), "'12:30'");
        assert_eq!(yaml("it's", "'a'"), "'it''s'");
        assert_eq!(yaml("a", "\"b\""), "\"a\"");
        assert_eq!(yaml("a\nb\n", "|\n  x\n"), "|\n  a\n  b");
        let toml = |text, model| written(Syntax::Toml, text, Some(Kind::String), Some(model));
        assert_eq!(toml("true", "'a'"), "'true'");
        assert_eq!(toml("it's", "'a'"), "\"it's\"");
    }

    #[test]
    fn types_are_checked() {
        let read = |text, wanted| {
            let value = Value::read(Syntax::Yaml, text, None, Some(wanted));
            value.map(|value| (value.kind, value.text))
        };
        assert_eq!(read("5", Type::String), Ok((Kind::String, "5".to_owned())));
        assert_eq!(read("5", Type::Float), Ok((Kind::Float, "5.0".to_owned())));
        assert!(read("x", Type::Integer).is_err());
        assert!(read("5", Type::Null).is_err() && read("", Type::Null).is_ok());
        let toml =
            Value::read(Syntax::Toml, "{\"a b\": [1, \"x\"], \"c\": {}}", None, Some(Type::Json));
        assert_eq!(toml.expect("a value").text, "{ \"a b\" = [1, \"x\"], c = {} }");
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
        let read = |text| Value::read(Syntax::Toml, text, None, Some(Type::Json));
        assert!(read("[9223372036854775807]").is_ok() && read("[9223372036854775808]").is_err());
    }

    #[test]
    fn records_of_json_lines_are_on_one_line() {
        let tree = parse_text(Syntax::JsonLines, "").expect("empty");
        let value = Value::read(Syntax::Json, "{\n \"p\": [1,\n \"\\n\"]\n}", None, None);
        let setting = Setting { in_flow: false, indent: 0, model: None };
        let written = value.expect("a value").write(&tree, setting);
        assert_eq!(written.as_deref(), Ok("{\"p\":[1,\"\\n\"]}"));
        let lines = one_per_line(b"{\"a\": 1}\n{\n\"b\": 2}\n[\n]\n");
        assert_eq!(lines.as_deref(), Some(&b"{\"a\": 1}\n{\"b\":2}\n[]\n"[..]));
        assert_eq!([one_per_line(b"{\"a\": 1}\n"), one_per_line(b"{\n")], [None, None]);
    }

    #[test]
    fn booleans_and_dates_of_yaml_1_1_stay_plain() {
        let like = |old: &str, text: &str, wanted| {
            let tree = parse_text(Syntax::Yaml, &format!("a: {old}\n")).expect("valid");
            Value::like(&tree, 1, text, wanted).map(|value| value.text)
        };
        for (old, text, wanted) in [
            ("yes", "true", None),
            ("Off", "NO", None),
            ("yes", "no", Some(Type::Boolean)),
            ("2020-01-01", "2021-05-05", None),
        ] {
            assert_eq!(like(old, text, wanted).as_deref(), Some(text));
        }
        for (old, text, wanted) in [
            ("yEs", "no", None),
            ("yes", "maybe", None),
            ("'yes'", "no", None),
            ("yes", "no", Some(Type::String)),
            ("x", "2021-05-05", None),
        ] {
            assert_eq!(like(old, text, wanted), None, "{old} {text}");
        }
        let tree = parse_text(Syntax::Yaml, "a: yes\nb: 'yes'\n").expect("valid");
        let yes = Value::string("yes");
        assert!(yes.is_text(&tree, 1, None) && !yes.is_text(&tree, 1, Some(Type::String)));
        assert!(yes.is_text(&tree, 2, Some(Type::String)));
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
