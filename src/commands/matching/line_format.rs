//! The format of matching lines. The fields and their order are the same as in ripgrep.

use folio_files::error::{Error, Opt};

/// The format of output lines.
#[derive(Clone, Debug, Default)]
pub struct LineFormat {
    /// Whether to print the column of the first match, in bytes from 1.
    pub column: bool,
    /// Whether to print the offset of the line or, if matches are printed instead of lines, of the
    /// match.
    pub byte_offset: bool,
    /// Whether to print a line once for each match.
    pub by_match: bool,
    /// Whether to print file names above their matches. By default, this is done only on a
    /// terminal.
    pub heading: Option<bool>,
    /// Whether to print the names of the sections that contain a match before its text.
    pub breadcrumbs: bool,
    /// Whether to make whitespace visible.
    pub show_whitespace: bool,
    /// Whether to omit leading whitespace.
    pub trim: bool,
    /// The text that replaces each match. `$1` and `${name}` refer to groups.
    pub replacement: Option<String>,
    /// Whether to print the beginning of lines that are too long.
    pub preview: bool,
    /// The separator between the fields of a match. The default is `:`.
    pub hit_separator: Option<Vec<u8>>,
    /// The separator between the fields of a context line. The default is `-`.
    pub context_separator: Option<Vec<u8>>,
    /// The separator between lines that are not consecutive.
    pub gap: Gap,
}

/// The separator between lines that are not consecutive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Gap {
    /// Two dashes.
    #[default]
    Dashes,
    /// A text with its line ending.
    Text(Vec<u8>),
    /// No separator.
    None,
}

impl LineFormat {
    /// Returns the separator between lines that are not consecutive, with its line ending.
    pub(super) fn gap(&self) -> &[u8] {
        match &self.gap {
            Gap::Dashes => b"--\n",
            Gap::Text(text) => text,
            Gap::None => b"",
        }
    }

    /// Returns the separator between the fields of a line.
    pub(super) fn separator(&self, is_hit: bool) -> &[u8] {
        let (given, usual) =
            if is_hit { (&self.hit_separator, b":") } else { (&self.context_separator, b"-") };
        given.as_deref().unwrap_or(usual)
    }

    /// Whether the positions of matches in a line are needed.
    pub(super) fn needs_matches(&self) -> bool {
        self.column || self.by_match || self.replacement.is_some()
    }
}

/// Parses a separator. `\\t`, `\\n`, `\\0` and `\\x7f` are escape sequences.
pub fn unescaped(flag: Opt, typed: &str) -> Result<Vec<u8>, Error> {
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
            assert_eq!(unescaped(Opt("--x"), typed).as_deref(), Ok(bytes), "{typed}");
        }
        for typed in [r"\", r"\q", r"\x0", r"\xzz", "\\é"] {
            assert!(unescaped(Opt("--x"), typed).is_err(), "{typed}");
        }
    }
}
