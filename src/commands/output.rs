//! How a command speaks: payload, notes and errors, whoever listens; colours
//! and the escaping of what a terminal would act on.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::Read;

use crate::error::{Error, ExitStatus};

/// Nobody reads the payload any more: stop, quietly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed;

/// Who listens to a command.
pub trait Output {
    /// How the payload is to look.
    fn style(&self) -> Style;
    /// Takes payload.
    fn payload(&mut self, bytes: &[u8]) -> Result<(), Closed>;
    /// Takes a remark that is no error.
    fn note(&mut self, message: &str);
    /// Takes an error; its exit status is remembered.
    fn error(&mut self, error: &Error);
    /// Remembers an outcome that is no error.
    fn outcome(&mut self, status: ExitStatus);
    /// Whether standard input is a pipe or a file, not a terminal.
    fn stdin_is_data(&self) -> bool;
    /// Standard input.
    fn stdin(&mut self) -> Box<dyn Read + Send>;
}

/// How payload is to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// JSON Lines.
    pub json: bool,
    /// Somebody reads it on a terminal.
    pub terminal: bool,
    /// Colours are wanted.
    pub color: bool,
}

/// What a piece of text is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The name of a file.
    Path,
    /// The name of a directory among other names.
    Directory,
    /// A line number or range.
    Lines,
    /// Marks and remarks that step back.
    Quiet,
    /// A heading's text, by its level.
    Heading(u8),
    /// What was searched for.
    Match,
    /// A line that a diff adds.
    Added,
    /// A line that a diff removes.
    Removed,
}

impl Style {
    /// Appends a text in its colour. It must be safe to show already.
    pub fn paint(&self, role: Role, text: impl Display, out: &mut Vec<u8>) {
        use std::io::Write;
        // Writing to a vector does not fail.
        let _ = if self.color {
            let style = role_style(role);
            write!(out, "{}{text}{}", style.prefix_formatter(), style.suffix_formatter())
        } else {
            write!(out, "{text}")
        };
    }

    /// The same for text from a document or a name, escaped where a terminal
    /// would act on it.
    pub fn paint_bytes(&self, role: Role, text: &[u8], out: &mut Vec<u8>) {
        if self.color {
            self.paint(role, String::from_utf8_lossy(&self.safe(text)), out);
        } else {
            out.extend_from_slice(&self.safe(text));
        }
    }

    /// Text as it may be shown: as it is, but escaped on a terminal.
    pub fn safe<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        if self.terminal { escape(text) } else { Cow::Borrowed(text) }
    }
}

fn role_style(role: Role) -> owo_colors::Style {
    let style = owo_colors::Style::new();
    match role {
        Role::Path => style.magenta(),
        Role::Directory => style.bold().blue(),
        Role::Lines => style.green(),
        Role::Quiet => style.dimmed(),
        Role::Heading(1) => style.bold().cyan(),
        Role::Heading(2) => style.bold(),
        Role::Heading(_) => style,
        Role::Match => style.bold().red(),
        Role::Added => style.green(),
        Role::Removed => style.red(),
    }
}

/// Control, bidirectional and zero-width characters as `\u{…}`, bytes that are
/// not UTF-8 as `\xff`; line feeds and tabs stay.
pub fn escape(text: &[u8]) -> Cow<'_, [u8]> {
    let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    if text.iter().all(plain) {
        return Cow::Borrowed(text);
    }
    use std::io::Write;
    let mut escaped = Vec::with_capacity(text.len() + 16);
    for chunk in text.utf8_chunks() {
        let mut characters = chunk.valid().chars().peekable();
        while let Some(character) = characters.next() {
            // A line end of two characters is one to a terminal.
            let ends_line = character == '\r' && characters.peek() == Some(&'\n');
            if ends_line || !acts(character) {
                let mut buffer = [0; 4];
                escaped.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
            } else {
                let _ = write!(escaped, "{}", character.escape_unicode());
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(escaped, "\\x{byte:02x}");
        }
    }
    Cow::Owned(escaped)
}

/// Whether a terminal would do something other than show the character.
fn acts(character: char) -> bool {
    if matches!(character, '\n' | '\t') {
        return false;
    }
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{ad}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// How often something is there.
pub fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// So many of something, as a person says it: `1 line`, `2 lines`.
pub fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// A size for people: `512B`, `1.5KB`, `32KB`.
pub fn file_size(bytes: u64) -> String {
    let mut size = bytes as f64;
    let units = ["B", "KB", "MB", "GB", "TB"];
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < units.len() {
        size /= 1024.0;
        unit += 1;
    }
    let text = format!("{size:.1}");
    format!("{}{}", text.strip_suffix(".0").unwrap_or(&text), units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &[u8], expected: &str) {
        assert_eq!(String::from_utf8_lossy(&escape(text)), expected);
    }

    #[test]
    fn what_a_terminal_would_act_on_is_escaped() {
        check(b"plain\ttext\n", "plain\ttext\n");
        check("naïve 中文".as_bytes(), "naïve 中文");
        check(b"\x1b[31mred", "\\u{1b}[31mred");
        check("a\u{202e}b\u{200b}".as_bytes(), "a\\u{202e}b\\u{200b}");
        check("\u{9b}x".as_bytes(), "\\u{9b}x");
        check(b"caf\xe9", "caf\\xe9");
        check(b"a\r\nb\rc", "a\r\nb\\u{d}c");
    }

    #[test]
    fn sizes_are_short() {
        let sizes: Vec<_> = [0, 512, 1536, 32768, 5 << 20, 3 << 30].map(file_size).to_vec();
        assert_eq!(sizes, ["0B", "512B", "1.5KB", "32KB", "5MB", "3GB"]);
    }

    #[test]
    fn pipes_get_exact_bytes() {
        let style = Style::default();
        assert_eq!(style.safe(b"\x1b\xff").as_ref(), b"\x1b\xff");
    }
}
