//! The dialects of INI files. The path of a file determines its dialect. The keys of documents in
//! light markup are lines too, so each of these languages is a dialect.

use std::path::Path;

/// How the programs that read an INI file interpret its lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IniDialect {
    /// Python's configparser without options: a value contains the rest of its line and continues
    /// on lines with a deeper indentation, also after blank lines. Lines with comments are not part
    /// of it.
    Python,
    /// Programs that are similar to Python's configparser: a value continues on lines with a deeper
    /// indentation, and may be in quotes or have a comment after it.
    #[default]
    Indented,
    /// An unknown program: like `Indented`, but below a value, an indented `key = value` is a key.
    Unknown,
    /// git: a comment begins anywhere outside double quotes. A value continues after a backslash.
    Git,
    /// systemd: a value contains the whole line, and continues after a backslash.
    Systemd,
    /// Desktop entries and EditorConfig: a value contains the rest of its line.
    Line,
    /// npm: a comment begins anywhere outside quotes. Keys may contain colons.
    Npm,
    /// The attributes of AsciiDoc.
    AsciiDoc,
    /// The keywords of Org, and the properties of its headlines, which are sections.
    Org,
    /// The field list at the top of reStructuredText.
    Rst,
}

impl IniDialect {
    /// Whether documents are light markup with keys.
    pub fn is_markup(self) -> bool {
        matches!(self, Self::AsciiDoc | Self::Org | Self::Rst)
    }

    /// Returns the characters that begin comments.
    pub fn comment_marks(self) -> &'static [char] {
        if self.is_markup() { &[] } else { &['#', ';'] }
    }

    /// Returns the dialect of the INI file with a path.
    pub fn for_path(path: &Path) -> Self {
        let name = name_of(path);
        let folder = path.parent().map(name_of).unwrap_or_default();
        match extension(&name) {
            _ if PYTHON.contains(&name.as_str()) => Self::Python,
            "ini" | "cfg" => Self::Indented,
            "flake8" => Self::Indented,
            "desktop" | "editorconfig" => Self::Line,
            "npmrc" => Self::Npm,
            _ if name.ends_with("rc") || name.starts_with("supervisor") => Self::Indented,
            "gitconfig" | "gitmodules" => Self::Git,
            _ if name == "gitconfig" => Self::Git,
            "conf" if folder.strip_suffix(".d").is_some_and(is_unit) => Self::Systemd,
            "conf" if path.iter().any(|part| part == "systemd") => Self::Systemd,
            _ if is_unit(&name) => Self::Systemd,
            _ if name == "config" && folder == "git" => Self::Git,
            _ if name == "config" && path.iter().any(|part| part == ".git") => Self::Git,
            _ => Self::Unknown,
        }
    }

    /// Returns the text of a value, of which `raw` is the range in the file. For git, resolves
    /// quotes, escapes and continued lines, and removes comments.
    pub fn decoded(self, raw: &[u8]) -> Vec<u8> {
        if self != Self::Git {
            return raw.to_vec();
        }
        let (mut text, mut quoted, mut length) = (Vec::new(), false, 0);
        let mut bytes = raw.iter().copied().filter(|&byte| byte != b'\r');
        while let Some(byte) = bytes.next() {
            match byte {
                b'"' => quoted = !quoted,
                b'#' | b';' if !quoted => break,
                b'\\' => match bytes.next() {
                    Some(b'\n') | None => {}
                    Some(b'n') => text.push(b'\n'),
                    Some(b't') => text.push(b'\t'),
                    Some(b'b') => text.push(8),
                    Some(other) => text.push(other),
                },
                _ if !quoted && text.is_empty() && byte.is_ascii_whitespace() => {}
                _ => text.push(byte),
            }
            // Spaces at the ends are part of the value only within quotes.
            if quoted || !byte.is_ascii_whitespace() {
                length = text.len();
            }
        }
        text.truncate(length);
        text
    }

    /// Returns how the value `content` is written, and the value itself. Quotes around the content
    /// are not part of the value, unless the dialect has no quotes. `is_quoted` is whether the old
    /// value has quotes.
    pub fn encoded(self, content: &[u8], is_quoted: bool) -> (Vec<u8>, Vec<u8>) {
        let bare = match content {
            [quote @ (b'"' | b'\''), inner @ .., last] if quote == last => {
                Some(inner).filter(|inner| !inner.contains(quote))
            }
            _ => None,
        };
        let value = bare.unwrap_or(content).to_vec();
        match self {
            Self::Systemd | Self::Line | Self::Python => (content.to_vec(), content.to_vec()),
            Self::AsciiDoc | Self::Org | Self::Rst => (content.to_vec(), content.to_vec()),
            Self::Git => (git_value(&value, is_quoted || bare.is_some()), value),
            Self::Indented | Self::Unknown | Self::Npm if is_quoted => (value.clone(), value),
            Self::Npm if bare.is_none() && memchr::memchr2(b'#', b';', content).is_some() => {
                ([b"\"", content, b"\""].concat(), value)
            }
            Self::Indented | Self::Unknown | Self::Npm => (content.to_vec(), value),
        }
    }
}

/// Whether a name or value begins or ends with whitespace outside of ASCII, such as a no-break
/// space. Python removes it, git and systemd do not.
pub fn has_wide_edges(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let is_wide = |character: char| {
        character.is_whitespace() && !character.is_ascii() || ('\x1c'..='\x1f').contains(&character)
    };
    text.starts_with(is_wide) || text.ends_with(is_wide)
}

/// Writes a value in the syntax of git's configuration, in quotes if it needs them.
fn git_value(value: &[u8], is_quoted: bool) -> Vec<u8> {
    let mut text = Vec::new();
    for &byte in value {
        match byte {
            b'"' | b'\\' => text.extend([b'\\', byte]),
            b'\t' => text.extend(b"\\t"),
            _ => text.push(byte),
        }
    }
    let has_comment = memchr::memchr2(b'#', b';', value).is_some();
    if is_quoted || has_comment || value.trim_ascii() != value {
        [b"\"", &text[..], b"\""].concat()
    } else {
        text
    }
}

/// Files that Python programs read with configparser, without options for comments.
const PYTHON: &[&str] = &[
    "setup.cfg",
    "mypy.ini",
    ".mypy.ini",
    ".flake8",
    ".coveragerc",
    ".pylintrc",
    "pylintrc",
    ".pypirc",
    "pip.conf",
    "pip.ini",
    "alembic.ini",
    "pytest.ini",
    ".pytest.ini",
];

/// Returns the file name in lower case.
fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

fn extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// Whether a name, in lower case, is that of a unit of systemd.
fn is_unit(name: &str) -> bool {
    const EXTENSIONS: &[&str] = &[
        "service",
        "socket",
        "timer",
        "mount",
        "automount",
        "swap",
        "target",
        "path",
        "slice",
        "scope",
        "network",
        "netdev",
        "link",
        "nspawn",
    ];
    EXTENSIONS.contains(&extension(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_git_have_quotes_and_escapes() {
        for (raw, value) in [
            (r#""x # y\\z \"q\""  ; c"#, r#"x # y\z "q""#),
            (r#"a "b c " d "#, "a b c  d"),
            (r#"a\tb"  " # c"#, "a\tb  "),
            ("one \\\r\n\ttwo", "one \ttwo"),
        ] {
            let decoded = IniDialect::Git.decoded(raw.as_bytes());
            assert_eq!(String::from_utf8_lossy(&decoded), value, "{raw}");
        }
        let written = |content: &str, is_quoted| {
            let (text, value) = IniDialect::Git.encoded(content.as_bytes(), is_quoted);
            assert_eq!(IniDialect::Git.decoded(&text), value, "{content}");
            String::from_utf8_lossy(&text).into_owned()
        };
        assert_eq!(written("vim -f", false), "vim -f");
        assert_eq!(written("vim", true), r#""vim""#);
        assert_eq!(written(r"C:\x", false), r"C:\\x");
        assert_eq!(written(r#"a "b""#, false), r#"a \"b\""#);
        assert_eq!(written("a # b", false), r#""a # b""#);
        assert_eq!(written(r#"" a""#, false), r#"" a""#);
    }

    #[test]
    fn whitespace_at_the_edges_may_be_wide() {
        let is_wide = |text: &str| has_wide_edges(text.as_bytes());
        assert!(
            is_wide("\u{a0}x") && is_wide("x\u{2028}") && is_wide("\u{85}") && is_wide("\u{1f}x")
        );
        assert!(!is_wide("x\u{a0}y") && !is_wide(" x ") && !is_wide("") && !is_wide("\u{feff}x"));
    }

    #[test]
    fn the_path_determines_the_dialect() {
        for (path, dialect) in [
            ("setup.cfg", IniDialect::Python),
            ("a/mypy.ini", IniDialect::Python),
            ("pytest.ini", IniDialect::Python),
            ("app.cfg", IniDialect::Indented),
            ("a/Tox.INI", IniDialect::Indented),
            ("git/config", IniDialect::Git),
            ("a/.git/config", IniDialect::Git),
            (".gitmodules", IniDialect::Git),
            ("work.gitconfig", IniDialect::Git),
            ("a@b.service", IniDialect::Systemd),
            ("ssh.service.d/override.conf", IniDialect::Systemd),
            ("/etc/systemd/journald.conf", IniDialect::Systemd),
            ("app.desktop", IniDialect::Line),
            (".editorconfig", IniDialect::Line),
            (".npmrc", IniDialect::Npm),
            ("conf.d/a.conf", IniDialect::Unknown),
            ("config", IniDialect::Unknown),
            ("-", IniDialect::Unknown),
        ] {
            assert_eq!(IniDialect::for_path(Path::new(path)), dialect, "{path}");
        }
    }
}
