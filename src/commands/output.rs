//! How a command speaks: payload, notes and errors, whoever listens; colours
//! and the escaping of what a terminal would act on.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::hyperlinks::{Begun, Hyperlinks};
use crate::error::{Error, ExitStatus, Hint};
use crate::text::span::LineRange;

/// Bytes of a token, about.
pub const TOKEN: u64 = 4;

/// Nobody reads the payload any more: stop, quietly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed;

/// Why work ended before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Nobody reads on.
    Closed,
    /// All that was asked for is known.
    Enough,
    /// Something failed.
    Failed(Error),
}

impl From<Closed> for Stop {
    fn from(_: Closed) -> Self {
        Self::Closed
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Takes records that are written already, in order.
pub type Emit<'a> = dyn FnMut(&[u8]) -> Result<(), Closed> + 'a;

/// How a run of a command ended, the errors that its sink took aside; `Err`
/// where it was refused as a whole.
pub type Outcome = Result<ExitStatus, Error>;

/// Takes how much of some work is done, of how much.
pub type Progress = Box<dyn FnMut(u64, u64)>;

/// What takes the records of a run, in order, and what is said beside them.
pub trait Sink {
    /// How records are to be written.
    fn style(&self) -> Style;
    /// Takes records that are written already, in this sink's style: by one
    /// thread of several, or as they are streamed.
    ///
    /// Fails where nobody reads on: the command ends then, quietly.
    fn write(&mut self, bytes: &[u8]) -> Result<(), Closed>;
    /// Takes a remark that is no error.
    fn note(&mut self, note: Note);
    /// Takes an error; the run ends with its exit status or a worse one.
    fn error(&mut self, error: &Error);

    /// Shows how far long work is: what is called with how much is done of how
    /// much. What it shows is gone with it.
    fn progress(&mut self, _what: &str) -> Progress {
        Box::new(|_, _| {})
    }

    /// Takes that files were changed, and the command that undoes that: it is said
    /// where what was done cannot be written.
    fn edited(&mut self, _back: Option<Hint>) {}

    /// A hint with the flags that a command needs to run as this one does.
    fn completed(&self, hint: Hint) -> Hint {
        hint
    }

    /// Takes a record.
    ///
    /// Fails where nobody reads on.
    fn record(&mut self, record: &dyn Record) -> Result<(), Closed> {
        let mut bytes = Vec::new();
        record.write(self.style(), &mut bytes);
        self.write(&bytes)
    }
}

/// A fact that a command found. It can be written in every style.
pub trait Record {
    /// As text, for people and pipes.
    fn text(&self, style: Style, out: &mut Vec<u8>);
    /// As one line of JSON.
    fn json(&self, out: &mut Vec<u8>);

    /// The same in at most so many bytes, where it can be said in less.
    fn shortened(&self, _style: Style, _most: usize) -> Option<Vec<u8>> {
        None
    }

    /// As a style asks for it.
    fn write(&self, style: Style, out: &mut Vec<u8>) {
        if style.json { self.json(out) } else { self.text(style, out) }
    }
}

/// A remark that is no error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The file that it is about.
    pub path: Option<PathBuf>,
    /// One sentence without a full stop.
    pub message: String,
    /// What to type next; each is appended to the sentence as `; WHY: LINE`.
    pub hints: Vec<Hint>,
}

impl Note {
    /// About no file.
    pub fn new(message: impl Into<String>) -> Self {
        Self { path: None, message: message.into(), hints: Vec::new() }
    }

    /// About a file.
    pub fn at(path: &Path, message: impl Into<String>) -> Self {
        Self { path: Some(path.to_owned()), ..Self::new(message) }
    }

    /// With what to type next.
    pub fn hint(mut self, hint: impl Into<Hint>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

impl Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(formatter, "'{}': ", path.display())?;
        }
        formatter.write_str(&self.message)?;
        self.hints.iter().try_for_each(|hint| match hint.reason() {
            "" => write!(formatter, "; {}", hint.line()),
            why => write!(formatter, "; {why}: {}", hint.line()),
        })
    }
}

/// A sink in memory, for callers in the same process.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// How records are written.
    pub style: Style,
    /// The records.
    pub written: Vec<u8>,
    /// What was said beside them.
    pub notes: Vec<Note>,
    /// What failed.
    pub errors: Vec<Error>,
}

impl Collected {
    /// Records as text.
    pub fn text() -> Self {
        Self::default()
    }

    /// Records as JSON Lines.
    pub fn json() -> Self {
        Self { style: Style { json: true, ..Style::default() }, ..Self::default() }
    }

    /// The exit status of a run that ended so.
    pub fn status(&self, outcome: &Outcome) -> ExitStatus {
        let of_run = match outcome {
            Ok(status) => *status,
            Err(error) => error.code.exit_status(),
        };
        let errors = self.errors.iter().map(|error| error.code.exit_status());
        errors.fold(of_run, ExitStatus::max)
    }
}

impl Sink for Collected {
    fn style(&self) -> Style {
        self.style
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Closed> {
        self.written.extend_from_slice(bytes);
        Ok(())
    }

    fn note(&mut self, note: Note) {
        self.notes.push(note);
    }

    fn error(&mut self, error: &Error) {
        self.errors.push(error.clone());
    }
}

/// How payload is to look.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// JSON Lines.
    pub json: bool,
    /// Somebody reads it on a terminal.
    pub terminal: bool,
    /// Colours are wanted.
    pub color: bool,
    /// Who reads it calls tools and types no commands.
    pub tools: bool,
    /// How many columns the terminal has, where there is one.
    pub columns: Option<usize>,
    /// Links around names of files, which only a terminal gets.
    pub hyperlinks: Option<&'static Hyperlinks>,
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

    /// Appends the numbers of lines as an address has them.
    pub fn paint_lines(&self, lines: LineRange, out: &mut Vec<u8>) {
        let mut push = |numbers: &[u8]| out.extend_from_slice(numbers);
        if self.color {
            return self.paint(Role::Lines, lines_text(lines), out);
        }
        push(itoa::Buffer::new().format(lines.start()).as_bytes());
        if lines.count() > 1 {
            push(b"-");
            push(itoa::Buffer::new().format(lines.end()).as_bytes());
        }
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

    /// Begins a link to a line and column of a file, where links are wanted.
    pub fn begin_link(&self, path: &Path, place: (u64, u64), out: &mut Vec<u8>) -> Begun {
        self.hyperlinks.map_or_else(Begun::none, |links| links.begin(path, place, out))
    }

    /// Begins a link to a place that is below the name of its file: none where
    /// it would be the link of the file.
    pub fn begin_place_link(&self, path: &Path, place: (u64, u64), out: &mut Vec<u8>) -> Begun {
        match self.hyperlinks.filter(|links| links.tell_lines()) {
            Some(_) => self.begin_link(path, place, out),
            None => Begun::none(),
        }
    }

    /// Appends the name of a file as a link to it.
    pub fn paint_path(&self, path: &Path, out: &mut Vec<u8>) {
        let link = self.begin_link(path, (1, 1), out);
        self.paint_bytes(Role::Path, path.as_os_str().as_bytes(), out);
        link.end(out);
    }

    /// A name that is alone on a line behind so many columns, cut where the
    /// terminal ends.
    pub fn cut<'a>(&self, text: &'a [u8], before: usize) -> Cow<'a, [u8]> {
        let Some(room) = self.columns.map(|columns| columns.saturating_sub(before).max(20)) else {
            return Cow::Borrowed(text);
        };
        let mut starts = text.utf8_chunks().flat_map(|chunk| {
            let invalid = (!chunk.invalid().is_empty()).then_some(chunk.invalid().len());
            chunk.valid().chars().map(char::len_utf8).chain(invalid)
        });
        let end: usize = starts.by_ref().take(room - 1).sum();
        match starts.nth(1) {
            None => Cow::Borrowed(text),
            Some(_) => Cow::Owned([&text[..end], "…".as_bytes()].concat()),
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

/// Control, bidirectional and zero-width characters and odd blanks as `\u{…}`, bytes that are
/// not UTF-8 as `\xff`; line feeds and tabs stay, and the blank of Chinese and Japanese text.
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

/// Whether a terminal would do something other than show the character: those of
/// Unicode that may be ignored, and controls. Variation selectors of the basic
/// plane stay: they choose the form of the character before, as emoji need.
pub(super) fn acts(character: char) -> bool {
    if matches!(character, '\n' | '\t') {
        return false;
    }
    character.is_control()
        || matches!(character,
            // Blanks that look like a space or like nothing.
            '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}'
            | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}' | '\u{34f}'
            | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{3164}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// How often something is there.
pub fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// The numbers of lines as an address has them.
pub fn lines_text(lines: LineRange) -> String {
    match lines.count() {
        1 => lines.start().to_string(),
        _ => format!("{}-{}", lines.start(), lines.end()),
    }
}

/// A number and a noun, in the plural unless the number is 1: `1 line`, `2 entries`.
pub fn counted(count: u64, what: &str) -> String {
    match what.strip_suffix('y') {
        _ if count == 1 => format!("{count} {what}"),
        Some(stem) if !stem.ends_with('e') => format!("{count} {stem}ies"),
        None if what.ends_with("ch") => format!("{count} {what}es"),
        _ => format!("{count} {what}s"),
    }
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
        for invisible in ['\u{85}', '\u{ad}', '\u{61c}', '\u{180e}', '\u{3164}', '\u{e0001}'] {
            check(invisible.to_string().as_bytes(), &invisible.escape_unicode().to_string());
        }
        check("❤\u{fe0f}".as_bytes(), "❤\u{fe0f}");
        check(b"caf\xe9", "caf\\xe9");
        check(b"a\r\nb\rc", "a\r\nb\\u{d}c");
    }

    #[test]
    fn sizes_are_short() {
        let sizes: Vec<_> = [0, 512, 1536, 32768, 5 << 20, 3 << 30].map(file_size).to_vec();
        assert_eq!(sizes, ["0B", "512B", "1.5KB", "32KB", "5MB", "3GB"]);
    }

    #[test]
    fn long_names_end_with_the_terminal() {
        let style = Style { columns: Some(30), ..Style::default() };
        let cut = |text: &str| String::from_utf8_lossy(&style.cut(text.as_bytes(), 5)).into_owned();
        assert_eq!(cut(&"é".repeat(25)), "é".repeat(25));
        assert_eq!(cut(&"é".repeat(26)), "é".repeat(24) + "…");
        let style = Style::default();
        assert_eq!(style.cut(&[b'x'; 999], 0).len(), 999);
    }

    #[test]
    fn pipes_get_exact_bytes() {
        let style = Style::default();
        assert_eq!(style.safe(b"\x1b\xff").as_ref(), b"\x1b\xff");
    }
}
