//! Front matter: the block of metadata that may open a document, and the lines
//! of its top-level keys. Neither YAML nor TOML is parsed further.

use std::ops::Range;

use crate::text::lines::{lines_with_ends, without_end};
use crate::text::span::LineRange;

/// How far into a document front matter is looked for, in bytes.
pub const FRONT_MATTER_LIMIT: usize = 64 * 1024;

/// What front matter is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrontMatterFormat {
    /// Between `---` and `---` or `...`.
    Yaml,
    /// Between `+++` and `+++`.
    Toml,
}

impl FrontMatterFormat {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Yaml => "yaml",
            Self::Toml => "toml",
        }
    }
}

/// A top-level key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its name, without quotes.
    pub name: String,
    /// The lines of the key with its value.
    pub lines: LineRange,
}

/// Front matter found at the top of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontMatter {
    /// Its lines, delimiters included; the first is always 1.
    pub lines: LineRange,
    /// YAML or TOML.
    pub format: FrontMatterFormat,
    /// The top-level keys in order.
    pub keys: Vec<Key>,
    /// Its length in bytes, the last delimiter's line end included.
    pub length: usize,
}

/// Front matter at the start of `text`, which a BOM no longer begins.
///
/// It must be closed within [`FRONT_MATTER_LIMIT`] bytes, and what stands in it
/// must begin as a mapping: a document may open with a thematic break.
pub fn find(text: &[u8]) -> Option<FrontMatter> {
    find_with::<true>(text)
}

/// The same without its keys, for those who only pass over it.
pub fn find_extent(text: &[u8]) -> Option<FrontMatter> {
    find_with::<false>(text)
}

fn find_with<const KEYS: bool>(text: &[u8]) -> Option<FrontMatter> {
    let window = &text[..text.len().min(FRONT_MATTER_LIMIT)];
    let format = match window.get(..3)? {
        b"---" => FrontMatterFormat::Yaml,
        b"+++" => FrontMatterFormat::Toml,
        _ => return None,
    };
    let mut lines = lines_with_ends(window);
    let first = lines.next()?;
    if !is_delimiter(first, &first[..3]) {
        return None;
    }
    let mut length = first.len();
    let mut keys: Vec<Key> = Vec::new();
    let mut plausible = None;
    let mut in_table = false;
    for (line, number) in lines.zip(2u64..) {
        length += line.len();
        let closes = match format {
            FrontMatterFormat::Yaml => is_delimiter(line, b"---") || is_delimiter(line, b"..."),
            FrontMatterFormat::Toml => is_delimiter(line, b"+++"),
        };
        if closes {
            return (plausible != Some(false)).then_some(FrontMatter {
                lines: LineRange::from_to(1, number),
                format,
                keys,
                length,
            });
        }
        if !KEYS && plausible.is_some() {
            continue;
        }
        let content = without_end(line);
        let trimmed = content.trim_ascii();
        if number == 2 && trimmed.is_empty() {
            return None;
        }
        if trimmed.is_empty() || trimmed[0] == b'#' {
            continue;
        }
        let indented = content[0] == b' ' || content[0] == b'\t';
        if format == FrontMatterFormat::Toml && trimmed[0] == b'[' && !indented {
            in_table = true;
        }
        let name = if in_table { None } else { key_name(content, format) };
        let is_part = indented || trimmed[0] == b'-' || name.is_none();
        plausible.get_or_insert(name.is_some() || in_table);
        match (name, keys.last_mut()) {
            (Some(name), _) if KEYS => keys.push(Key { name, lines: LineRange::line(number) }),
            (_, Some(key)) if is_part && !in_table => {
                key.lines = LineRange::from_to(key.lines.start(), number);
            }
            _ => {}
        }
    }
    None
}

fn is_delimiter(line: &[u8], mark: &[u8]) -> bool {
    line.first() == mark.first() && line.trim_ascii_end() == mark
}

/// The key that a line not indented begins with.
fn key_name(line: &[u8], format: FrontMatterFormat) -> Option<String> {
    key(line, format).map(|(name, _)| name)
}

/// That key, and the offset behind its separator.
fn key(line: &[u8], format: FrontMatterFormat) -> Option<(String, usize)> {
    let separator = match format {
        FrontMatterFormat::Yaml => b':',
        FrontMatterFormat::Toml => b'=',
    };
    let (name, after) = match *line.first()? {
        quote @ (b'"' | b'\'') => {
            let close = 1 + memchr::memchr(quote, &line[1..])?;
            let rest = line[close + 1..].trim_ascii_start();
            let after = line.len() - rest.strip_prefix(&[separator])?.len();
            (&line[1..close], after)
        }
        b' ' | b'\t' | b'#' | b'-' | b'[' | b'{' | b'<' | b'>' | b'|' => return None,
        _ => {
            let mut at = memchr::memchr(separator, line)?;
            if format == FrontMatterFormat::Yaml {
                // `a:b` is no key: its colon needs a blank or the line's end.
                while line.get(at + 1).is_some_and(|byte| !byte.is_ascii_whitespace()) {
                    at += 1 + memchr::memchr(separator, &line[at + 1..])?;
                }
            }
            (line[..at].trim_ascii_end(), at + 1)
        }
    };
    let spaced = line.get(after).is_none_or(|byte| byte.is_ascii_whitespace());
    if name.is_empty() || (format == FrontMatterFormat::Yaml && !spaced) {
        return None;
    }
    Some((String::from_utf8_lossy(name).into_owned(), after))
}

/// The key that a line begins with and the bytes of its value, quotes and
/// comment left out; an empty value stands behind the separator.
pub fn value_span(line: &[u8], format: FrontMatterFormat) -> Option<(String, Range<usize>)> {
    let (name, after) = key(line, format)?;
    let value = line[after..].trim_ascii();
    if value.is_empty() {
        return Some((name, after..after));
    }
    let start = line.len() - line[after..].trim_ascii_start().len();
    if let Some(&quote @ (b'"' | b'\'')) = value.first() {
        let length = quoted_length(value, quote, format);
        let rest = length.map(|length| value[length + 2..].trim_ascii_start());
        if let (Some(length), Some([] | [b'#', ..])) = (length, rest) {
            return Some((name, start + 1..start + 1 + length));
        }
    }
    // A comment needs a blank before it.
    let comment = memchr::memmem::find(value, b" #").unwrap_or(value.len());
    let length = value[..comment].trim_ascii_end().len();
    Some((name, start..start + length))
}

/// The length of what stands between the quote that begins a value and the one
/// that ends it: neither doubled nor behind a backslash.
fn quoted_length(value: &[u8], quote: u8, format: FrontMatterFormat) -> Option<usize> {
    let mut at = 1;
    while at < value.len() {
        match value[at] {
            b'\\' if quote == b'"' => at += 1,
            byte if byte == quote => {
                let is_doubled = value.get(at + 1) == Some(&quote);
                if format != FrontMatterFormat::Yaml || quote == b'"' || !is_doubled {
                    return Some(at - 1);
                }
                at += 1;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The value on a key's own line, quotes taken off.
pub fn scalar(line: &[u8], format: FrontMatterFormat) -> &[u8] {
    value_span(line, format).map_or(b"", |(_, span)| &line[span])
}

/// Whether YAML takes a value as it stands behind a key, without quotes around
/// it: a plain scalar, a quoted one, or a flow collection.
pub fn is_plain_scalar(value: &[u8]) -> bool {
    let Some(&first) = value.first() else { return false };
    let last = value[value.len() - 1];
    let is_closed = |close: u8| value.len() > 1 && last == close;
    match first {
        b'"' | b'\'' => {
            let inner = &value[1..value.len().max(2) - 1];
            return is_closed(first) && !inner.contains(&first);
        }
        b'[' => return is_closed(b']'),
        b'{' => return is_closed(b'}'),
        b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'%' | b'@' | b'`' | b']' | b'}' | b',' => {
            return false;
        }
        b'-' | b'?' | b':' if matches!(value.get(1), None | Some(b' ')) => return false,
        b' ' | b'\t' => return false,
        _ => {}
    }
    let holds = |part: &[u8]| memchr::memmem::find(value, part).is_some();
    !holds(b": ") && !holds(b" #") && !matches!(last, b':' | b' ' | b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(u64, &[&str])>) {
        let found = find(text.as_bytes());
        let found = found.as_ref().map(|found| {
            let keys: Vec<_> = found.keys.iter().map(|key| key.name.as_str()).collect();
            (found.lines.end(), keys)
        });
        assert_eq!(found, expected.map(|(end, keys)| (end, keys.to_vec())));
    }

    #[test]
    fn front_matter_is_found_at_the_top_only() {
        check("---\ntitle: x\ntags: [a]\n---\n# H\n", Some((4, &["title", "tags"])));
        check("---\r\ntitle: x\r\n...\r\n", Some((3, &["title"])));
        check("+++\ntitle = 'x'\n[extra]\na = 1\n+++\n", Some((5, &["title"])));
        check("---\n---\n", Some((2, &[])));
        check(
            "---\n# note\n\"quoted key\": 1\nlist:\n- a\n- b\n---",
            Some((7, &["quoted key", "list"])),
        );
        check("\n---\ntitle: x\n---\n", None);
        check("---\ntitle: x\n", None);
        check("----\ntitle: x\n---\n", None);
    }

    #[test]
    fn a_thematic_break_at_the_top_is_none() {
        check("---\n\ntext\n\n---\n", None);
        check("---\n# Heading\nJust prose.\n---\n", None);
        check("---\nfoo\n---\nbar\n---\n", None);
    }

    #[test]
    fn values_stand_behind_their_own_separator() {
        let yaml = |line: &str| {
            let (name, span) = value_span(line.as_bytes(), FrontMatterFormat::Yaml).expect("a key");
            (name, line[span].to_owned())
        };
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(yaml("title: 'it''s here' # c"), pair("title", "it''s here"));
        assert_eq!(yaml(r#"b: "say \"hi\" now""#), pair("b", r#"say \"hi\" now"#));
        assert_eq!(yaml(r#""a: b": c"#), pair("a: b", "c"));
        assert_eq!(yaml("og:title: Hello"), pair("og:title", "Hello"));
        assert_eq!(yaml("a:"), pair("a", ""));
        assert_eq!(yaml("a: 'b' c"), pair("a", "'b' c"));
        let toml = value_span(br#""a=b" = "c""#, FrontMatterFormat::Toml).expect("a key");
        assert_eq!(toml, ("a=b".to_owned(), 9..10));
    }

    #[test]
    fn values_that_yaml_reads_otherwise_are_known() {
        for value in ["a", "a b", "[a, b]", "{a: 1}", "'x: y'", "\"q\"", "-1", "a:b", "a#b", "2026"]
        {
            assert!(is_plain_scalar(value.as_bytes()), "{value}");
        }
        for value in
            ["", "a: b", "a:", "# b", "a # b", "- a", "'a", "*x", "[a", " a", "a ", "'a'b'"]
        {
            assert!(!is_plain_scalar(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn a_key_holds_its_value_lines() {
        let found = find(b"---\na: |\n  one\n  two\nb:\n- x\n---\n").expect("front matter");
        let lines: Vec<_> =
            found.keys.iter().map(|key| (key.lines.start(), key.lines.end())).collect();
        assert_eq!(lines, [(2, 4), (5, 6)]);
    }
}
