//! Parses the keys and values of front matter in their lines.

use folio_keys::Syntax;
use folio_text::lines::{lines_with_ends, skip_lines};
use folio_text::sections::quoted_length;
use folio_text::span::LineRange;
use std::ops::Range;

/// The format of front matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrontMatterFormat {
    /// YAML, between `---` and `---` or `...`.
    Yaml,
    /// TOML, between `+++` and `+++`.
    Toml,
    /// JSON, between `{` and `}`, each on a line of its own.
    Json,
}

impl FrontMatterFormat {
    /// Returns the name that results show.
    pub fn name(self) -> &'static str {
        match self {
            Self::Yaml => "yaml",
            Self::Toml => "toml",
            Self::Json => "json",
        }
    }

    /// Returns the name that messages use.
    pub fn title(self) -> &'static str {
        match self {
            Self::Yaml => "YAML",
            Self::Toml => "TOML",
            Self::Json => "JSON",
        }
    }

    /// Returns the syntax of the keys.
    pub fn syntax(self) -> Syntax {
        match self {
            Self::Yaml => Syntax::Yaml,
            Self::Toml => Syntax::Toml,
            Self::Json => Syntax::Json,
        }
    }

    /// Returns the format of the delimiter on the first line of a text, if there is one.
    pub(super) fn opened_by(text: &[u8]) -> Option<Self> {
        let first = lines_with_ends(text).next()?;
        match first.trim_ascii_end() {
            b"---" => Some(Self::Yaml),
            b"+++" => Some(Self::Toml),
            b"{" => Some(Self::Json),
            _ => None,
        }
    }

    pub(super) fn is_closed_by(self, line: &[u8]) -> bool {
        match self {
            Self::Yaml => matches!(line.trim_ascii_end(), b"---" | b"..."),
            Self::Toml => line.trim_ascii_end() == b"+++",
            Self::Json => line.trim_ascii_end() == b"}",
        }
    }
}

/// A top-level key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The name of the key, without quotes.
    pub name: String,
    /// The lines of the key and its value.
    pub lines: LineRange,
    /// The bytes of the value, relative to the start of its first line. Quotes and comments are
    /// excluded if the value has one line.
    pub value: Range<usize>,
}

impl Key {
    /// Returns the value of the key. `text` is the document that begins with its front matter.
    pub(super) fn value_in<'a>(&self, text: &'a [u8]) -> Option<&'a [u8]> {
        let line = skip_lines(text, self.lines.start() - 1).ok()?;
        text.get(line + self.value.start..line + self.value.end)
    }
}

/// Returns the key at the beginning of a line, and the offset after its separator.
pub(super) fn key(line: &[u8], format: FrontMatterFormat) -> Option<(String, usize)> {
    let separator = match format {
        FrontMatterFormat::Yaml | FrontMatterFormat::Json => b':',
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
                // `a:b` is not a key: a blank or the end of the line must follow the colon.
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

/// Returns the bytes of the value that begins at `after`, without quotes and comments. The span is
/// empty if there is no value.
pub(super) fn value_span(line: &[u8], after: usize, format: FrontMatterFormat) -> Range<usize> {
    let value = line[after..].trim_ascii();
    if matches!(value.first(), None | Some(b'#')) {
        return after..after;
    }
    let start = line.len() - line[after..].trim_ascii_start().len();
    if let Some(&quote @ (b'"' | b'\'')) = value.first() {
        let length = quoted_length(value, quote, format == FrontMatterFormat::Yaml);
        let rest = length.map(|length| value[length + 2..].trim_ascii_start());
        if let (Some(length), Some([] | [b'#', ..])) = (length, rest) {
            return start + 1..start + 1 + length;
        }
    }
    // Only a `#` after a blank begins a comment.
    let comment = memchr::memmem::find(value, b" #").unwrap_or(value.len());
    start..start + value[..comment].trim_ascii_end().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_follow_their_own_separator() {
        let yaml = |line: &str| {
            let (name, after) = key(line.as_bytes(), FrontMatterFormat::Yaml).expect("a key");
            let span = value_span(line.as_bytes(), after, FrontMatterFormat::Yaml);
            (name, line[span].to_owned())
        };
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(yaml("title: 'it''s here' # c"), pair("title", "it''s here"));
        assert_eq!(yaml(r#"b: "say \"hi\" now""#), pair("b", r#"say \"hi\" now"#));
        assert_eq!(yaml(r#""a: b": c"#), pair("a: b", "c"));
        assert_eq!(yaml("og:title: Hello"), pair("og:title", "Hello"));
        assert_eq!(yaml("a:"), pair("a", ""));
        assert_eq!(yaml("a:   # c"), pair("a", ""));
        assert_eq!(yaml("a: 'b' c"), pair("a", "'b' c"));
        let line = br#""a=b" = "c""#;
        assert_eq!(key(line, FrontMatterFormat::Toml), Some(("a=b".to_owned(), 7)));
        assert_eq!(value_span(line, 7, FrontMatterFormat::Toml), 9..10);
    }
}
