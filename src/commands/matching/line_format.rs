//! How lines of hits are written: what is before their text, and what in its
//! place. The words and the order are ripgrep's.

use crate::error::Error;

/// What stands around and in place of the text of lines.
#[derive(Clone, Debug, Default)]
pub struct LineFormat {
    /// The column of the first match, in bytes from 1.
    pub column: bool,
    /// The offset of the line, or of the match where matches are printed.
    pub byte_offset: bool,
    /// Each match has a line of its own, which shows all of its line.
    pub by_match: bool,
    /// Names of files are above their hits; on a terminal unless it is said.
    pub heading: Option<bool>,
    /// The names of the sections around a hit are before its text.
    pub breadcrumbs: bool,
    /// White space can be seen.
    pub show_whitespace: bool,
    /// White space before the text is left out.
    pub trim: bool,
    /// What is shown in place of matches: `$1` and `${name}` are groups.
    pub replacement: Option<String>,
    /// Of lines that are too long the beginning is shown.
    pub preview: bool,
    /// Between the fields of a hit; `:` unless it is said.
    pub hit_separator: Option<Vec<u8>>,
    /// Between the fields of a line of context; `-` unless it is said.
    pub context_separator: Option<Vec<u8>>,
    /// Between lines that do not follow one another.
    pub gap: Gap,
}

/// What is between lines that do not follow one another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Gap {
    /// Two dashes.
    #[default]
    Dashes,
    /// A text, with its line end.
    Text(Vec<u8>),
    /// Nothing.
    None,
}

impl LineFormat {
    /// The line between lines that do not follow one another.
    pub(super) fn gap(&self) -> &[u8] {
        match &self.gap {
            Gap::Dashes => b"--\n",
            Gap::Text(text) => text,
            Gap::None => b"",
        }
    }

    /// What is between the fields of a line.
    pub(super) fn separator(&self, is_hit: bool) -> &[u8] {
        let (own, usual) = match is_hit {
            true => (&self.hit_separator, b":"),
            false => (&self.context_separator, b"-"),
        };
        own.as_deref().unwrap_or(usual)
    }

    /// Whether it must be known where matches are in a line.
    pub(super) fn needs_matches(&self) -> bool {
        self.column || self.by_match || self.replacement.is_some()
    }
}

/// A separator as it is typed: `\\t`, `\\n`, `\\0` and `\\x7f` stand for bytes.
pub fn unescaped(flag: &str, typed: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::with_capacity(typed.len());
    let mut rest = typed;
    while let Some((before, escape)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        let hex = escape.strip_prefix('x').and_then(|digits| {
            let digits = digits.get(..2)?;
            u8::from_str_radix(digits, 16).ok()
        });
        let (byte, length) = match (escape.bytes().next(), hex) {
            (_, Some(byte)) => (byte, 3),
            (Some(b't'), _) => (b'\t', 1),
            (Some(b'n'), _) => (b'\n', 1),
            (Some(b'r'), _) => (b'\r', 1),
            (Some(b'0'), _) => (0, 1),
            (Some(b'\\'), _) => (b'\\', 1),
            _ => {
                let message =
                    format!("{flag}: '\\{escape}' is not one of \\t \\n \\r \\0 \\xFF \\\\");
                return Err(Error::usage(message));
            }
        };
        bytes.push(byte);
        rest = &escape[length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_typed_with_escapes() {
        for (typed, bytes) in [
            (":", &b":"[..]),
            (r"\t", b"\t"),
            (r"a\x00\\b", b"a\0\\b"),
            ("", b""),
            (r"\0\n", b"\0\n"),
        ] {
            assert_eq!(unescaped("--x", typed).as_deref(), Ok(bytes), "{typed}");
        }
        for typed in [r"\", r"\q", r"\x0", r"\xzz", "\\é"] {
            assert!(unescaped("--x", typed).is_err(), "{typed}");
        }
    }
}
