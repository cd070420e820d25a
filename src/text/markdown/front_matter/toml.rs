//! Keys in the tables of TOML: `[params]`, then `weight = 3`.

use super::value::{FrontMatterFormat, Key, key, value_span};
use crate::text::lines::{lines_with_ends, without_end};
use crate::text::sections::indent;
use crate::text::span::LineRange;

/// The keys of all tables with the names of these, where their values are in
/// one line; `text` begins with the delimiter.
pub(super) fn keys(text: &[u8]) -> Vec<Key> {
    let mut keys = Vec::new();
    let mut table = Some(String::new());
    // Lines of a value that goes on are no keys.
    let mut open: Option<&[u8]> = None;
    for (line, number) in lines_with_ends(text).zip(1..) {
        let line = without_end(line);
        if let Some(close) = open {
            if memchr::memmem::find(line, close).is_some() {
                open = None;
            }
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
        open = goes_on(&line[value.clone()]);
        if let (Some(table), None) = (&table, open) {
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
    for (line, number) in lines_with_ends(text).zip(1..) {
        let line = line.trim_ascii();
        if line.starts_with(b"[") && !line.ends_with(b",") {
            is_in = table_name(line).as_deref() == Some(name);
        }
        if is_in && !matches!(line.first(), None | Some(b'#')) {
            end = Some(number);
        }
    }
    end
}

/// The name of the table that a line begins; one of several has none.
fn table_name(line: &[u8]) -> Option<String> {
    let end = memchr::memchr(b']', line)?;
    let name = &line[1..end];
    (!name.starts_with(b"[")).then(|| String::from_utf8_lossy(name.trim_ascii()).into_owned())
}

/// What ends a value that the rest of its line does not.
fn goes_on(value: &[u8]) -> Option<&'static [u8]> {
    let marks: [(&[u8], &[u8]); 3] = [(b"\"\"\"", b"\"\"\""), (b"'''", b"'''"), (b"[", b"]")];
    let (open, close) = marks.into_iter().find(|(open, _)| value.starts_with(open))?;
    memchr::memmem::find(&value[open.len()..], close).is_none().then_some(close)
}

/// Whether TOML takes a text as it stands: what is in quotes or brackets, a
/// number, a date, true or false.
pub(super) fn is_whole(value: &str) -> bool {
    match value.as_bytes() {
        [] => false,
        [b'"', .., b'"'] | [b'\'', .., b'\''] | [b'[', .., b']'] | [b'{', .., b'}'] => true,
        [first, ..] if first.is_ascii_digit() || b"+-".contains(first) => {
            let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+-_.:".contains(&byte);
            value.bytes().all(is_part) && value.bytes().any(|byte| byte.is_ascii_digit())
        }
        _ => matches!(value, "true" | "false" | "inf" | "nan"),
    }
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
}
