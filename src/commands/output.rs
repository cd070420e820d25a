//! The output of commands: results, notes and errors, their style, and the escaping of control
//! characters for terminals.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::hyperlinks::{Begun, Hyperlinks};
use folio_files::error::{Error, ExitStatus, Hint, Message};
use folio_text::span::LineRange;

/// Assumed number of bytes in a token.
pub const TOKEN: u64 = 4;

/// The error that the reader of the output has closed it. The command then stops, but does not
/// report an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed;

/// The reason why a run stopped early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The output was closed.
    Closed,
    /// All requested results were found.
    Enough,
    /// An error occurred.
    Failed(Error),
}

impl From<Closed> for Stop {
    fn from(_: Closed) -> Self {
        Self::Closed
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Receives serialized records in order.
pub type Emit<'a> = dyn FnMut(&[u8]) -> Result<(), Closed> + 'a;

/// The result of a run. `Err` if the run as a whole failed. Other errors are passed to the sink.
pub type Outcome = Result<ExitStatus, Error>;

/// Receives the number of finished steps and the total number.
pub type Progress = Box<dyn FnMut(u64, u64)>;

/// Receives the results of a run in order, and the notes and errors of the run.
pub trait Sink {
    /// Returns the style in which records are written.
    fn style(&self) -> Style;
    /// Receives records that are already serialized in the style of this sink, by a worker thread
    /// or while a document was read.
    ///
    /// # Errors
    ///
    /// Fails if the output is closed.
    fn write(&mut self, bytes: &[u8]) -> Result<(), Closed>;
    /// Receives a note.
    fn note(&mut self, note: Note);
    /// Receives an error. The exit status of the run is at least as bad as the status of the error.
    fn error(&mut self, error: &Error);

    /// Begins to show the progress of a long operation. Dropping the result ends this.
    fn progress(&mut self, _what: &str) -> Progress {
        Box::new(|_, _| {})
    }

    /// Records that files were changed. The argument is the command that undoes the change. The
    /// session reports this if the results cannot be written.
    fn edited(&mut self, _back: Option<Hint>) {}

    /// Begins the results of a file in the style [`Style::grouped`].
    ///
    /// # Errors
    ///
    /// Fails if the output is closed.
    fn file(&mut self, path: &Path) -> Result<(), Closed> {
        let mut line = Vec::new();
        self.style().paint_path(path, &mut line);
        line.push(b'\n');
        self.write(&line)
    }

    /// Receives the note about an incomplete answer, which is the last one.
    fn cut(&mut self, note: Note) {
        self.note(note);
    }

    /// Receives what the text of a record does not contain. Only for callers of tools.
    fn facts(&mut self, _record: &dyn Record) {}

    /// Receives the number of results in a file, for totals.
    fn counted(&mut self, _path: &Path, _results: u64) {}

    /// Adds to a hint the options of this run that the suggested command also needs, such as
    /// `--root`.
    fn completed(&self, hint: Hint) -> Hint {
        hint
    }

    /// Receives a record.
    ///
    /// # Errors
    ///
    /// Fails if the output is closed.
    fn record(&mut self, record: &dyn Record) -> Result<(), Closed> {
        let mut bytes = Vec::new();
        record.write(self.style(), &mut bytes);
        self.write(&bytes)
    }
}

/// A value that is printed as JSON. Serializable values are printed as one line.
pub trait Json {
    /// Appends the value as lines of JSON.
    fn json(&self, out: &mut Vec<u8>);
}

/// A result of a command.
pub trait Record: Json {
    /// Appends the record as text.
    fn text(&self, style: Style, out: &mut Vec<u8>);

    /// Returns a version of the record with at most `most` bytes, if the record can be shortened.
    fn shortened(&self, _style: Style, _most: usize) -> Option<Vec<u8>> {
        None
    }

    /// Returns what the text does not contain but callers of tools need, such as the line range,
    /// the checksum and counts.
    fn facts(&self) -> Option<String> {
        None
    }

    /// Whether the record summarizes the records before it.
    fn is_summary(&self) -> bool {
        false
    }

    /// Appends the record in the given style.
    fn write(&self, style: Style, out: &mut Vec<u8>) {
        if style.json { self.json(out) } else { self.text(style, out) }
    }
}

/// A note about a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The file to which the note refers.
    pub path: Option<PathBuf>,
    /// The message: one sentence without a full stop.
    pub message: Message,
    /// Commands to run next. Each is printed after the message as `; WHY: LINE`.
    pub hints: Vec<Hint>,
}

impl Note {
    /// Creates a note that refers to no file.
    pub fn new(message: impl Into<Message>) -> Self {
        Self { path: None, message: message.into(), hints: Vec::new() }
    }

    /// Creates a note about a file.
    pub fn at(path: &Path, message: impl Into<Message>) -> Self {
        Self { path: Some(path.to_owned()), ..Self::new(message) }
    }

    /// Adds a hint.
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
        self.message.fmt(formatter)?;
        self.hints.iter().try_for_each(|hint| {
            let why = hint.reason();
            let after = if why.is_empty() { "" } else { ": " };
            write!(formatter, "; {why}{after}{}", hint.line())
        })
    }
}

/// A sink that keeps all output in memory, for callers in the same process.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// The style of the records.
    pub style: Style,
    /// The serialized records.
    pub written: Vec<u8>,
    /// The notes.
    pub notes: Vec<Note>,
    /// The errors.
    pub errors: Vec<Error>,
}

impl Collected {
    /// Creates a sink that collects text.
    pub fn text() -> Self {
        Self::default()
    }

    /// Creates a sink that collects JSON Lines.
    pub fn json() -> Self {
        Self { style: Style { json: true, ..Style::default() }, ..Self::default() }
    }

    /// Returns the exit status of a run with this outcome.
    pub fn status(&self, outcome: &Outcome) -> ExitStatus {
        let of_run = match outcome {
            Ok(status) => *status,
            Err(error) => error.code.exit_status(),
        };
        let errors = self.errors.iter().map(|error| error.code.exit_status());
        errors.fold(of_run, ExitStatus::max)
    }

    /// Fails with the last error that the run reported.
    pub fn check(mut self) -> Result<(), Error> {
        self.errors.pop().map_or(Ok(()), Err)
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

/// The style of output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Whether to write JSON Lines.
    pub json: bool,
    /// Whether the output is a terminal.
    pub terminal: bool,
    /// Whether to use colors.
    pub color: bool,
    /// Whether the output is for a caller of MCP tools, who cannot run shell commands.
    pub tools: bool,
    /// Whether the path of a file is printed once, above its results. Each result then begins with
    /// its line range and a space.
    pub grouped: bool,
    /// Width of the terminal in columns, if there is one.
    pub columns: Option<usize>,
    /// The hyperlinks on file names. Only for terminals.
    pub hyperlinks: Option<&'static Hyperlinks>,
}

/// The role of a piece of text, which determines its color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The name of a file.
    Path,
    /// The name of a directory in a listing.
    Directory,
    /// A line number or range.
    Lines,
    /// Less important text.
    Quiet,
    /// A heading of the given level.
    Heading(u8),
    /// A match.
    Match,
    /// A line that a diff adds.
    Added,
    /// A line that a diff removes.
    Removed,
}

impl Style {
    /// Appends text in the color of its role. The text must already be escaped.
    pub fn paint(&self, role: Role, text: impl Display, out: &mut Vec<u8>) {
        use std::io::Write;
        // Writing to a vector cannot fail.
        let _ = if self.color {
            let style = role_style(role);
            write!(out, "{}{text}{}", style.prefix_formatter(), style.suffix_formatter())
        } else {
            write!(out, "{text}")
        };
    }

    /// Appends a line range in the form of an address.
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

    /// Appends text from a document or a file name, escaped for a terminal, in the color of its
    /// role.
    pub fn paint_bytes(&self, role: Role, text: &[u8], out: &mut Vec<u8>) {
        if self.color {
            self.paint(role, String::from_utf8_lossy(&self.safe(text)), out);
        } else {
            out.extend_from_slice(&self.safe(text));
        }
    }

    /// Begins a hyperlink to a line and column of a file, if hyperlinks are enabled.
    pub fn begin_link(&self, path: &Path, place: (u64, u64), out: &mut Vec<u8>) -> Begun {
        self.hyperlinks.map_or_else(Begun::none, |links| links.begin(path, place, out))
    }

    /// Begins a hyperlink to a position in a file whose name has already been printed. If it would
    /// have the same target as the hyperlink on the name, returns no hyperlink.
    pub fn begin_place_link(&self, path: &Path, place: (u64, u64), out: &mut Vec<u8>) -> Begun {
        match self.hyperlinks.filter(|links| links.has_line_number()) {
            Some(_) => self.begin_link(path, place, out),
            None => Begun::none(),
        }
    }

    /// Appends a file name with its hyperlink.
    pub fn paint_path(&self, path: &Path, out: &mut Vec<u8>) {
        let link = self.begin_link(path, (1, 1), out);
        self.paint_bytes(Role::Path, path.as_os_str().as_bytes(), out);
        link.end(out);
    }

    /// Truncates a name that begins in column `before` to fit the width of the terminal.
    pub fn cut<'a>(&self, text: &'a [u8], before: usize) -> Cow<'a, [u8]> {
        let Some(room) = self.columns.map(|columns| columns.saturating_sub(before).max(20)) else {
            return Cow::Borrowed(text);
        };
        shortened(text, room)
    }

    /// Escapes text for a terminal. Returns it unchanged for other output.
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

/// Escapes characters that are invisible or misleading as `\u{…}`: control, bidirectional,
/// zero-width and unusual blank characters. Escapes bytes that are not UTF-8 as `\xff`. Does not
/// change line feeds, tabs and the ideographic space.
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
            // CR LF is one line ending.
            let ends_line = character == '\r' && characters.peek() == Some(&'\n');
            if ends_line || !is_not_displayed(character) {
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

/// Whether a terminal does not display the character itself, such as a control character or one of
/// Unicode's default-ignorable characters. The variation selectors of the basic plane are
/// exceptions, because emoji need them.
pub(super) fn is_not_displayed(character: char) -> bool {
    if matches!(character, '\n' | '\t') {
        return false;
    }
    character.is_control()
        || matches!(character,
            // Blanks that look like a space or are invisible.
            '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}'
            | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}' | '\u{34f}'
            | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{3164}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns `once` or `N times`.
pub fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// Formats a line range as in an address: `10` or `10-50`.
pub fn lines_text(lines: LineRange) -> String {
    let mut number = itoa::Buffer::new();
    let mut text = number.format(lines.start()).to_owned();
    if lines.count() > 1 {
        text.push('-');
        text.push_str(number.format(lines.end()));
    }
    text
}

/// Formats a number with a noun, which is in the plural unless the number is 1: `1 line`, `2
/// entries`.
pub fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("{count} {what}") } else { format!("{count} {}", plural(what)) }
}

/// Formats a position: `2nd`.
pub fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

fn plural(what: &str) -> String {
    match what.strip_suffix('y') {
        Some(stem) if !stem.ends_with('e') => format!("{stem}ies"),
        None if what.ends_with("ch") => format!("{what}es"),
        _ => format!("{what}s"),
    }
}

/// Describes an incomplete answer: `showing 3 of 9 entries`, `showing entries 4-6 of 9`.
pub fn showing(first: u64, last: u64, total: u64, what: &str) -> String {
    match first {
        1 => format!("showing {last} of {}", counted(total, what)),
        _ if first == last => format!("showing {what} {last} of {total}"),
        _ => format!("showing {} {first}-{last} of {total}", plural(what)),
    }
}

/// Formats a size in a readable form: `512B`, `1.5KB`, `32KB`.
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

/// Returns the lengths of the characters of a text in bytes. An invalid sequence is one character.
pub fn character_lengths(text: &[u8]) -> impl Iterator<Item = usize> {
    text.utf8_chunks().flat_map(|chunk| {
        let invalid = (!chunk.invalid().is_empty()).then_some(chunk.invalid().len());
        chunk.valid().chars().map(char::len_utf8).chain(invalid)
    })
}

/// Truncates a text that has more than `most` characters.
pub fn shortened(text: &[u8], most: usize) -> Cow<'_, [u8]> {
    let mut lengths = character_lengths(text);
    let end: usize = lengths.by_ref().take(most - 1).sum();
    match lengths.nth(1) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned([&text[..end], "…".as_bytes()].concat()),
    }
}

/// Maximum length of a line in the candidates of an error, in characters.
pub const MAX_EXCERPT: usize = 200;

/// Returns at most `most` characters of a line, including those at an offset.
pub fn excerpt(line: &[u8], at: usize, most: usize) -> Cow<'_, [u8]> {
    if line.len() <= most {
        return Cow::Borrowed(line);
    }
    let continues = |at: &usize| line.get(*at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let start = (0..=at.saturating_sub(most / 3)).rev().find(|at| !continues(at)).unwrap_or(0);
    let shown = shortened(&line[start..], most);
    if start == 0 { shown } else { Cow::Owned(["…".as_bytes(), &shown].concat()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_contain_the_text_at_an_offset() {
        let line = "ä".repeat(50) + "b" + &"c".repeat(50);
        let shown = |at| String::from_utf8_lossy(&excerpt(line.as_bytes(), at, 12)).into_owned();
        assert_eq!(shown(0), "ä".repeat(11) + "…");
        assert_eq!(shown(100), "…ääbcccccccc…");
        assert_eq!(shown(149), "…cccccc");
        assert_eq!(&*excerpt(b"short", 4, 12), b"short");
    }

    #[track_caller]
    fn check(text: &[u8], expected: &str) {
        assert_eq!(String::from_utf8_lossy(&escape(text)), expected);
    }

    #[test]
    fn control_and_invisible_characters_are_escaped() {
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
    fn long_names_are_truncated_to_the_terminal() {
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
