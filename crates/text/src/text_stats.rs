//! Statistics collected while a document is read: lines, line endings, and whether the bytes
//! are UTF-8.

use crate::lines::count_newlines;

/// The line endings of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnding {
    /// All lines end in `\n`.
    Lf,
    /// All lines end in `\r\n`.
    Crlf,
    /// The document contains both kinds of line endings.
    Mixed,
    /// No line has a line ending.
    None,
}

impl LineEnding {
    /// Returns the name that results show.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lf => "lf",
            Self::Crlf => "crlf",
            Self::Mixed => "mixed",
            Self::None => "none",
        }
    }
}

/// The statistics so far.
#[derive(Clone, Debug, Default)]
pub struct TextStats {
    line_feeds: u64,
    pairs: u64,
    last: u8,
    bytes: u64,
    utf8: Utf8Check,
}

impl TextStats {
    /// Adds the next bytes of the document.
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        let Some(&last) = bytes.last() else { return };
        self.line_feeds += count_newlines(bytes);
        if memchr::memchr(b'\r', bytes).is_some() || self.last == b'\r' {
            self.pairs += memchr::memmem::find_iter(bytes, b"\r\n").count() as u64;
            self.pairs += u64::from(self.last == b'\r' && bytes[0] == b'\n');
        }
        self.utf8.push(bytes);
        self.last = last;
        self.bytes += bytes.len() as u64;
    }

    /// Returns the number of lines.
    pub fn lines(&self) -> u64 {
        self.line_feeds + u64::from(self.bytes > 0 && self.last != b'\n')
    }

    /// Returns the line endings.
    pub fn line_ending(&self) -> LineEnding {
        if self.line_feeds == 0 {
            LineEnding::None
        } else if self.pairs == 0 {
            LineEnding::Lf
        } else if self.pairs == self.line_feeds {
            LineEnding::Crlf
        } else {
            LineEnding::Mixed
        }
    }

    /// Whether the last line has a line ending.
    pub fn final_newline(&self) -> bool {
        self.bytes > 0 && self.last == b'\n'
    }

    /// Whether all bytes are valid UTF-8.
    pub fn is_utf8(&self) -> bool {
        self.utf8.is_valid()
    }
}

/// Validates bytes that arrive in pieces, which may split characters.
#[derive(Clone, Debug, Default)]
struct Utf8Check {
    invalid: bool,
    // The beginning of a character that is split between pieces: at most 3 bytes.
    cut: Vec<u8>,
}

impl Utf8Check {
    fn push(&mut self, bytes: &[u8]) {
        if self.invalid {
            return;
        }
        let mut rest = bytes;
        while !self.cut.is_empty() {
            let Some((&next, after)) = rest.split_first() else { return };
            self.cut.push(next);
            rest = after;
            match std::str::from_utf8(&self.cut) {
                Ok(_) => self.cut.clear(),
                Err(error) if error.error_len().is_some() => {
                    self.invalid = true;
                    return;
                }
                Err(_) => {}
            }
        }
        if let Err(error) = std::str::from_utf8(rest) {
            match error.error_len() {
                Some(_) => self.invalid = true,
                None => self.cut.extend_from_slice(&rest[error.valid_up_to()..]),
            }
        }
    }

    fn is_valid(&self) -> bool {
        !self.invalid && self.cut.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pieces: &[&[u8]], lines: u64, ending: LineEnding, utf8: bool) {
        let mut stats = TextStats::default();
        for piece in pieces {
            stats.push_bytes(piece);
        }
        assert_eq!((stats.lines(), stats.line_ending(), stats.is_utf8()), (lines, ending, utf8));
    }

    #[test]
    fn lines_and_line_endings_are_counted_across_pieces() {
        check(&[], 0, LineEnding::None, true);
        check(&[b"a"], 1, LineEnding::None, true);
        check(&[b"a\r", b"\nb\r\n"], 2, LineEnding::Crlf, true);
        check(&[b"a\r\nb\n"], 2, LineEnding::Mixed, true);
        check(&[b"a\rb\n"], 1, LineEnding::Lf, true);
        check(&[b"a\n", b"\n\rb"], 3, LineEnding::Lf, true);
        check(&[b"a\r", b"b\n"], 1, LineEnding::Lf, true);
    }

    #[test]
    fn characters_may_be_split() {
        check(&[b"\xe2\x82", b"\xac\n"], 1, LineEnding::Lf, true);
        check(&[b"\xe2", b"\x82", b"\xac\n"], 1, LineEnding::Lf, true);
        check(&[b"\xe2\x82", b"x\n"], 1, LineEnding::Lf, false);
        check(&[b"\xe2\x82"], 1, LineEnding::None, false);
        check(&[b"caf\xe9\n"], 1, LineEnding::Lf, false);
    }
}
