//! Hyperlinks on file names and line numbers, for `--hyperlink-format`. The formats are the same as
//! in ripgrep. This module expands formats itself, because ripgrep's library has no public function
//! for this.

use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};
use std::str::FromStr;

use folio_files::roots::Roots;

/// The named formats, which are the same as in ripgrep.
pub const NAMED: &[(&str, &str)] = &[
    ("none", ""),
    ("default", "file://{host}{path}"),
    ("cursor", "cursor://file{path}:{line}:{column}"),
    ("file", "file://{host}{path}"),
    ("grep+", "grep+://{path}:{line}"),
    ("kitty", "file://{host}{path}#{line}"),
    ("macvim", "mvim://open?url=file://{path}&line={line}&column={column}"),
    ("textmate", "txmt://open?url=file://{path}&line={line}&column={column}"),
    ("vscode", "vscode://file{path}:{line}:{column}"),
    ("vscode-insiders", "vscode-insiders://file{path}:{line}:{column}"),
    ("vscodium", "vscodium://file{path}:{line}:{column}"),
];

/// The sequence that ends a link.
const END: &[u8] = b"\x1b]8;;\x1b\\";

/// A hyperlink format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HyperlinkFormat(Vec<FormatPiece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum FormatPiece {
    Text(char),
    Path,
    Host,
    Line,
    Column,
    WslPrefix,
}

impl HyperlinkFormat {
    /// Whether the format disables hyperlinks.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for HyperlinkFormat {
    /// The reason why the format is invalid.
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let named = NAMED.iter().find(|(name, _)| *name == typed);
        let mut pieces = Vec::new();
        let mut rest = named.map_or(typed, |(_, format)| format);
        while let Some(character) = rest.chars().next() {
            let doubled = ["{{", "}}"].iter().any(|brace| rest.starts_with(brace));
            let length = match character {
                '{' if !doubled => {
                    let (name, _) = rest[1..].split_once('}').ok_or("a { has no }")?;
                    pieces.push(variable(name)?);
                    name.len() + 2
                }
                '}' if !doubled => return Err("a } has no {; }} is the character".to_owned()),
                _ if !character.is_ascii_graphic() => {
                    return Err("it contains a character that is not valid in a URL".to_owned());
                }
                _ => {
                    pieces.push(FormatPiece::Text(character));
                    if doubled { 2 } else { 1 }
                }
            };
            rest = &rest[length..];
        }
        check(&pieces)?;
        Ok(Self(pieces))
    }
}

fn variable(name: &str) -> Result<FormatPiece, String> {
    match name {
        "path" => Ok(FormatPiece::Path),
        "host" => Ok(FormatPiece::Host),
        "line" => Ok(FormatPiece::Line),
        "column" => Ok(FormatPiece::Column),
        "wslprefix" => Ok(FormatPiece::WslPrefix),
        _ => Err(format!(
            "{{{name}}} is not one of {{path}} {{line}} {{column}} {{host}} {{wslprefix}}"
        )),
    }
}

/// Checks a format by the rules of ripgrep.
fn check(pieces: &[FormatPiece]) -> Result<(), String> {
    let has = |piece| pieces.contains(&piece);
    if !pieces.is_empty() && !has(FormatPiece::Path) {
        let names: Vec<&str> = NAMED.iter().map(|(name, _)| *name).collect();
        return Err(format!("it needs a {{path}}, or is one of {}", names.join(", ")));
    }
    if has(FormatPiece::Column) && !has(FormatPiece::Line) {
        return Err("a {column} needs a {line}".to_owned());
    }
    let is_scheme =
        |character: &char| character.is_ascii_alphanumeric() || "+-.".contains(*character);
    let scheme = pieces.iter().map_while(|piece| match piece {
        FormatPiece::Text(character) => Some(*character).filter(is_scheme),
        _ => None,
    });
    let length = scheme.count();
    let is_url = length > 0 && pieces.get(length) == Some(&FormatPiece::Text(':'));
    if pieces.is_empty() || is_url {
        Ok(())
    } else {
        Err("it must begin like a URL, such as file:".to_owned())
    }
}

/// The hyperlinks of a run.
#[derive(Clone, Debug)]
pub struct Hyperlinks {
    /// The format of the links.
    pub format: HyperlinkFormat,
    /// The roots, relative to which paths are resolved.
    pub roots: Roots,
    /// The host name.
    pub host: String,
    /// The name of the WSL distribution.
    pub wsl: Option<String>,
}

impl Hyperlinks {
    /// Begins a hyperlink to a line and column of a file.
    pub fn begin(&self, path: &Path, place: (u64, u64), out: &mut Vec<u8>) -> Begun {
        let url = self.url(path, place);
        if let Some(url) = &url {
            out.extend_from_slice(&[b"\x1b]8;;", &url[..], b"\x1b\\"].concat());
        }
        Begun(url.is_some())
    }

    /// Whether the format contains the line number.
    pub fn has_line_number(&self) -> bool {
        self.format.0.contains(&FormatPiece::Line)
    }

    /// Returns the URL of a position in a file, or `None` for standard input.
    fn url(&self, path: &Path, (line, column): (u64, u64)) -> Option<Vec<u8>> {
        if path.as_os_str() == "-" {
            return None;
        }
        let climbs = path.components().any(|component| component == Component::ParentDir);
        let absolute =
            if climbs { self.roots.resolve(path) } else { self.roots.absolute(path) }.ok()?;
        let mut url = Vec::new();
        for piece in &self.format.0 {
            match piece {
                FormatPiece::Text(character) => {
                    url.extend_from_slice(character.to_string().as_bytes())
                }
                FormatPiece::Path => push_encoded(absolute.as_os_str().as_bytes(), &mut url),
                FormatPiece::Host => push_encoded(self.host.as_bytes(), &mut url),
                FormatPiece::Line => url.extend_from_slice(line.to_string().as_bytes()),
                FormatPiece::Column => url.extend_from_slice(column.to_string().as_bytes()),
                FormatPiece::WslPrefix => {
                    if let Some(name) = &self.wsl {
                        url.extend_from_slice(b"wsl$/");
                        push_encoded(name.as_bytes(), &mut url);
                    }
                }
            }
        }
        Some(url)
    }
}

/// Appends percent-encoded text.
fn push_encoded(text: &[u8], url: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'/' | b':' | b'-' | b'.' | b'_' | b'~' => url.push(byte),
            _ if byte.is_ascii_alphanumeric() => url.push(byte),
            _ => url.extend_from_slice(format!("%{byte:02X}").as_bytes()),
        }
    }
}

/// A hyperlink that has begun, or no hyperlink.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Begun(bool);

impl Begun {
    /// Returns the value for no hyperlink.
    pub fn none() -> Self {
        Self(false)
    }

    /// Ends the hyperlink at the end of `out`.
    pub fn end(self, out: &mut Vec<u8>) {
        self.end_before(0, out);
    }

    /// Ends the hyperlink `bytes` bytes before the end of `out`.
    pub fn end_before(self, bytes: usize, out: &mut Vec<u8>) {
        if self.0 {
            let at = out.len() - bytes;
            out.splice(at..at, END.iter().copied());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(format: &str, path: &str) -> String {
        let links = Hyperlinks {
            format: format.parse().expect("a format"),
            roots: Roots::default(),
            host: "a host".to_owned(),
            wsl: Some("Debian".to_owned()),
        };
        String::from_utf8(links.url(Path::new(path), (7, 3)).expect("a file")).expect("ASCII")
    }

    #[test]
    fn formats_are_filled_in() {
        for (format, expected) in [
            ("file", "file://a%20host/d/a%1B%C3%A9.md"),
            ("kitty", "file://a%20host/d/a%1B%C3%A9.md#7"),
            ("vscode", "vscode://file/d/a%1B%C3%A9.md:7:3"),
            ("x+1:{{{path}}}{line}{line}", "x+1:{/d/a%1B%C3%A9.md}77"),
            ("file://{wslprefix}{path}", "file://wsl$/Debian/d/a%1B%C3%A9.md"),
        ] {
            assert_eq!(url(format, "/d/a\u{1b}é.md"), expected);
        }
        let directory = std::env::temp_dir().join("..");
        assert_eq!(url("x:{path}", directory.to_str().expect("UTF-8")), "x:/");
    }

    #[test]
    fn formats_are_the_same_as_in_ripgrep() {
        for (name, _) in NAMED {
            assert!(name.parse::<HyperlinkFormat>().is_ok(), "{name}");
        }
        assert_eq!("".parse(), "none".parse::<HyperlinkFormat>());
        for typed in ["foo://{path}/bar", "f:{path}", "42:{path}", "+:{path}", "F://a{{b}}{path}"] {
            assert!(typed.parse::<HyperlinkFormat>().is_ok(), "{typed}");
        }
        for (typed, message) in [
            ("vim", "it needs a {path}, or is one of none, default, "),
            ("foo://bar", "it needs a {path}"),
            ("foo://{line}", "it needs a {path}"),
            ("foo://{path", "a { has no }"),
            ("foo://{path}:{column}", "a {column} needs a {line}"),
            ("{path}", "it must begin like a URL"),
            (":{path}", "it must begin"),
            ("f*:{path}", "it must begin"),
            ("foo://{bar}", "{bar} is not one of {path}"),
            ("foo://{}}bar}", "{} is not one of"),
            ("foo://{{bar}", "a } has no {"),
            ("foo:\u{1b}{path}", "it contains a character"),
            ("foo: {path}", "it contains a character"),
            ("fóo:{path}", "it contains a character"),
        ] {
            let error = typed.parse::<HyperlinkFormat>().expect_err(typed);
            assert!(error.starts_with(message), "{typed}: {error}");
        }
    }
}
