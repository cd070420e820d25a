//! Keys in TOML tables: `[params]`, then `weight = 3`.

use super::value::{FrontMatterFormat, Key, key, value_span};
use crate::text::lines::{lines_with_ends, without_end};
use crate::text::sections::{OpenValue, indent};
use crate::text::span::LineRange;
use toml::{Table, Value};

/// The keys of all tables, with the tables' names, whose values are on one line; `text` begins
/// with the delimiter.
pub(super) fn keys(text: &[u8]) -> Vec<Key> {
    let mut keys = Vec::new();
    let mut table = Some(String::new());
    // Lines that continue a value are not keys.
    let mut open = OpenValue::default();
    for (line, number) in lines_with_ends(text).zip(1..) {
        let line = without_end(line);
        if open.is_open() {
            open.line(line);
            continue;
        }
        let margin = indent(line);
        let rest = line[margin..].trim_ascii_end();
        if rest.starts_with(b"[") {
            table = table_name(rest).map(|name| format!("{name}."));
            continue;
        }
        let Some((name, after)) = key(rest, FrontMatterFormat::Toml) else { continue };
        let value = value_span(line, margin + after, FrontMatterFormat::Toml);
        open.line(&rest[after..]);
        if let (Some(table), false) = (&table, open.is_open()) {
            let (name, lines) = (format!("{table}{name}"), LineRange::line(number));
            keys.push(Key { name, lines, value, in_flow: false });
        }
    }
    keys
}

/// The last line of a table that is neither blank nor a comment.
pub(super) fn table_end(text: &[u8], name: &str) -> Option<u64> {
    let mut end = None;
    let mut is_in = false;
    let mut open = OpenValue::default();
    for (line, number) in lines_with_ends(text).zip(1..) {
        let line = line.trim_ascii();
        if open.is_open() {
            open.line(line);
        } else if line.starts_with(b"[") {
            is_in = table_name(line).as_deref() == Some(name);
        } else if let Some((_, after)) = key(line, FrontMatterFormat::Toml) {
            open.line(&line[after..]);
        }
        if is_in && !matches!(line.first(), None | Some(b'#')) {
            end = Some(number);
        }
    }
    end
}

/// The name of the table that a line begins; `None` for an array of tables.
fn table_name(line: &[u8]) -> Option<String> {
    if line.starts_with(b"[[") {
        return None;
    }
    let mut table = toml::from_str::<Table>(std::str::from_utf8(line).ok()?).ok()?;
    let mut names = Vec::new();
    while let Some((name, Value::Table(inner))) = table.into_iter().next() {
        names.push(name);
        table = inner;
    }
    (!names.is_empty()).then(|| names.join("."))
}

/// All values with their paths; tables have no value of their own. `None` if the text is not
/// valid TOML.
pub(super) fn values(text: &str) -> Option<Vec<(String, Option<String>)>> {
    fn collect(table: &Table, prefix: &str, values: &mut Vec<(String, Option<String>)>) {
        for (name, value) in table {
            let path = format!("{prefix}{name}");
            let Value::Table(inner) = value else {
                values.push((path, Some(shown(value))));
                continue;
            };
            let below = format!("{path}.");
            values.push((path, None));
            collect(inner, &below, values);
        }
    }
    let mut values = Vec::new();
    collect(&toml::from_str(text).ok()?, "", &mut values);
    Some(values)
}

/// A text that is the same for equal values, including NaN.
fn shown(value: &Value) -> String {
    format!("{value:?}")
}

/// Whether a value equals the given one, read as a string or as TOML.
pub(super) fn is_read_as(read: &str, given: &str) -> bool {
    let text = Value::String(given.to_owned());
    read == shown(&text) || whole(given).is_some_and(|value| read == shown(&value))
}

/// Whether a text is a single valid TOML value.
pub(super) fn is_whole(value: &str) -> bool {
    whole(value).is_some()
}

fn whole(text: &str) -> Option<Value> {
    if text.trim() != text {
        return None;
    }
    // In brackets, a comment would hide the closing bracket.
    let alone: Table = toml::from_str(&format!("k = {text}")).ok()?;
    let in_list: Table = toml::from_str(&format!("k = [{text}]")).ok()?;
    let is_one = in_list.get("k").and_then(Value::as_array).is_some_and(|list| list.len() == 1);
    alone.get("k").filter(|_| is_one && alone.len() == 1).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_tables_have_their_names() {
        let text = b"+++\ntitle = 'x'\n[extra]\nlist = [\n  'no = 1',\n]\na = \"b\" # c\n\n\
            [extra.deep]\n  d.e = 1\n[[many]]\nk = 1\n";
        let keys = keys(text);
        let found: Vec<(&str, u64, &[u8])> = keys
            .iter()
            .map(|key| (&key.name[..], key.lines.start(), key.value_in(text).expect("a value")))
            .collect();
        assert_eq!(
            found,
            [("title", 2, &b"x"[..]), ("extra.a", 7, b"b"), ("extra.deep.d.e", 10, b"1")]
        );
    }

    #[track_caller]
    fn check_open(lines: &[&str], expected: &[bool]) {
        let mut open = OpenValue::default();
        let found: Vec<bool> = lines
            .iter()
            .map(|line| {
                open.line(line.as_bytes());
                open.is_open()
            })
            .collect();
        assert_eq!(found, expected, "{lines:?}");
    }

    #[test]
    fn values_go_on_to_their_last_bracket_or_quote() {
        check_open(&["1 # ["], &[false]);
        check_open(&["[", "[1, 2], # ]", "']',", "]"], &[true, true, true, false]);
        check_open(&["\"\"\"x", "[a]", "\\\"\"\" ", "x\"\"\"\"\""], &[true, true, true, false]);
        check_open(&["'''", "\\'''"], &[true, false]);
        check_open(&["\"\""], &[false]);
    }

    #[test]
    fn what_is_no_value_of_toml_gets_quotes() {
        for value in ["1.2.3", "2nd", "1-2", "[x] y [z]", "3 # x", "1, 2", "1,", "x", "", " 3"] {
            assert!(!is_whole(value), "{value}");
        }
        for value in ["-1.5", "true", "[1, [2]]", "{a = 1}", "'x'", "2024-01-01", "0x1f", "inf"] {
            assert!(is_whole(value), "{value}");
        }
    }

    #[test]
    fn the_end_of_a_table_is_that_of_its_last_value() {
        let text = b"+++\na = [\n[1],\n]\n[\"p q\"]\nx = [\n[2],\n  ]\n\n# c\n[[m]]\nx = 1\n";
        assert_eq!(table_end(text, "p q"), Some(8));
        assert_eq!(table_end(text, "m"), None);
        assert_eq!(table_end(text, "1"), None);
    }
}
