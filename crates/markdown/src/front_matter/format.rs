//! The formats of front matter: their delimiters, and which lines begin with a key.

use folio_keys::Syntax;

/// The format of front matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrontMatterFormat {
    /// YAML, between `---` and `---` or `...`.
    Yaml,
    /// TOML, between `+++` and `+++`.
    Toml,
    /// JSON, between `{` and `}`, each on a line of its own, or between `;;;` and `;;;`.
    Json,
}

/// The first line of front matter. After `---`, it may contain the name of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OpeningLine {
    pub(super) format: FrontMatterFormat,
    mark: &'static [u8],
    /// Whether it is not part of the syntax of the keys.
    pub(super) is_foreign: bool,
}

impl OpeningLine {
    /// Parses the first line of a text, if it is the delimiter of front matter.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        use FrontMatterFormat::{Json, Toml, Yaml};
        let line = line.trim_ascii_end();
        let (mark, format, is_foreign): (&[u8], _, _) = match line {
            b"---" => (b"---", Yaml, false),
            b"+++" => (b"+++", Toml, true),
            b";;;" => (b";;;", Json, true),
            b"{" => (b"{", Json, false),
            _ => match line.strip_prefix(b"---")?.trim_ascii_start() {
                b"json" => (b"---", Json, true),
                b"toml" => (b"---", Toml, true),
                b"yaml" | b"yml" => (b"---", Yaml, true),
                _ => return None,
            },
        };
        Some(Self { format, mark, is_foreign })
    }

    pub(super) fn is_closed_by(self, line: &[u8]) -> bool {
        let line = line.trim_ascii_end();
        match self.mark {
            b"{" => line == b"}",
            mark => line == mark || self.format == FrontMatterFormat::Yaml && line == b"...",
        }
    }

    /// Whether the line that closes the front matter is part of the syntax of the keys.
    pub(super) fn includes_end(self) -> bool {
        self.mark == b"{"
    }
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
}

/// Returns the key at the beginning of a line, and the offset after its separator.
pub(super) fn split_key(line: &[u8], format: FrontMatterFormat) -> Option<(String, usize)> {
    let separator = match format {
        FrontMatterFormat::Yaml | FrontMatterFormat::Json => b':',
        FrontMatterFormat::Toml => b'=',
    };
    let (name, value_start) = match *line.first()? {
        quote @ (b'"' | b'\'') => {
            let close = 1 + memchr::memchr(quote, &line[1..])?;
            let rest = line[close + 1..].trim_ascii_start();
            let value_start = line.len() - rest.strip_prefix(&[separator])?.len();
            (&line[1..close], value_start)
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
    let is_spaced = line.get(value_start).is_none_or(|byte| byte.is_ascii_whitespace());
    if name.is_empty() || (format == FrontMatterFormat::Yaml && !is_spaced) {
        return None;
    }
    Some((String::from_utf8_lossy(name).into_owned(), value_start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_end_before_the_separator_of_the_format() {
        let yaml = |line: &str| split_key(line.as_bytes(), FrontMatterFormat::Yaml);
        let found = |name: &str, after| Some((name.to_owned(), after));
        assert_eq!(yaml("title: 'it''s here' # c"), found("title", 6));
        assert_eq!(yaml(r#""a: b": c"#), found("a: b", 7));
        assert_eq!(yaml("og:title: Hello"), found("og:title", 9));
        assert_eq!(yaml("a:"), found("a", 2));
        assert_eq!(yaml("a:b"), None);
        let line = br#""a=b" = "c""#;
        assert_eq!(split_key(line, FrontMatterFormat::Toml), found("a=b", 7));
    }
}
