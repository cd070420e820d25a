//! Standard output and standard error. No other code writes to them, so this module can filter
//! everything that reaches a terminal.

// Only this module opens the streams.
#![allow(clippy::disallowed_methods)]

use std::io::{self, BufWriter, IsTerminal, Stderr, Stdout, Write};
use std::time::{Duration, Instant};

use terminal_size::{Width, terminal_size_of};

use crate::commands::output::escape;

/// A stream of the process.
pub(super) struct Stream<W> {
    writer: W,
    /// Whether the stream is a terminal.
    pub(super) is_terminal: bool,
    /// Whether control sequences are removed. Always set on a terminal.
    pub(super) filters: bool,
}

/// Opens standard output.
pub(super) fn stdout() -> Stream<BufWriter<Stdout>> {
    let is_terminal = io::stdout().is_terminal();
    let writer = BufWriter::with_capacity(64 * 1024, io::stdout());
    Stream { writer, is_terminal, filters: is_terminal }
}

/// Opens standard error.
pub(super) fn stderr() -> Stream<Stderr> {
    let is_terminal = io::stderr().is_terminal();
    Stream { writer: io::stderr(), is_terminal, filters: is_terminal }
}

/// Returns the width of the terminal, if standard output is one.
pub(super) fn columns() -> Option<usize> {
    terminal_size_of(io::stdout()).map(|(Width(columns), _)| columns.into())
}

impl<W: Write> Stream<W> {
    /// Writes output. On a terminal, removes all control sequences except colors and hyperlinks.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.filters {
            self.writer.write_all(&safe(bytes))
        } else {
            self.writer.write_all(bytes)
        }
    }

    /// Writes JSON, in which control characters are already escaped.
    pub(super) fn write_json(&mut self, json: &[u8]) -> io::Result<()> {
        self.writer.write_all(json)
    }

    /// Writes text without colors, and flushes it. On a terminal, removes all control sequences.
    pub(super) fn say(&mut self, text: &str) -> io::Result<()> {
        let text = text.as_bytes();
        self.writer.write_all(&if self.filters { escape(text) } else { text.into() })?;
        self.flush()
    }

    /// Flushes the buffer.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Escapes output for a terminal. The only control sequences that remain are colors and hyperlinks.
fn safe(bytes: &[u8]) -> Vec<u8> {
    let mut safe = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr::memchr2(b'\x1b', 0, rest) {
        let length = allowed_sequence(&rest[at..]).unwrap_or(0);
        let (before, after) = rest.split_at(at);
        safe.extend_from_slice(&escape(before));
        let (sequence, after) = after.split_at(length.max(1));
        safe.extend_from_slice(if length > 0 { sequence } else { b"\\u{1b}" });
        rest = after;
    }
    safe.extend_from_slice(&escape(rest));
    safe
}

/// Returns the length of the color sequence, hyperlink or record separator (NUL) at the beginning
/// of `bytes`.
fn allowed_sequence(bytes: &[u8]) -> Option<usize> {
    if bytes[0] == 0 {
        return Some(1);
    }
    let color = |byte: &u8| byte.is_ascii_digit() || *byte == b';';
    if let Some(rest) = bytes.strip_prefix(b"\x1b[") {
        let end = rest.iter().position(|byte| !color(byte))?;
        return (rest[end] == b'm').then_some(end + 3);
    }
    let rest = bytes.strip_prefix(b"\x1b]8;;")?;
    let end = rest.iter().position(|byte| !byte.is_ascii_graphic())?;
    rest[end..].starts_with(b"\x1b\\").then_some(end + 7)
}

/// A progress line on the terminal. It is erased at the end.
pub(super) struct ProgressLine {
    what: String,
    begun: Instant,
    shown: Option<Instant>,
}

impl ProgressLine {
    pub(super) fn new(what: &str) -> Self {
        let what = String::from_utf8_lossy(&escape(what.as_bytes())).into_owned();
        Self { what, begun: Instant::now(), shown: None }
    }

    /// Shows progress, except for short operations, and at most ten times per second.
    pub(super) fn show(&mut self, done: u64, total: u64) {
        let is_due = match self.shown {
            None => self.begun.elapsed() > Duration::from_millis(300),
            Some(shown) => shown.elapsed() > Duration::from_millis(100),
        };
        if is_due {
            self.shown = Some(Instant::now());
            let _ = write!(io::stderr(), "\r{}: {done} of {total}\x1b[K", self.what);
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.shown.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
