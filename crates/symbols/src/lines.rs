//! The lines of a text, and what else is on them.

use folio_text::lines::{count_newlines, lines_with_ends};
use folio_text::span::LineRange;

/// Whether only whitespace, or one of the given words, precedes an offset in its line, whose column
/// is known.
pub(crate) fn begins_line(text: &[u8], at: usize, column: usize, words: &[&str]) -> bool {
    let before = &text[at - column..at];
    let is_blank = before.iter().all(u8::is_ascii_whitespace);
    is_blank || words.iter().any(|word| word.as_bytes() == before.trim_ascii())
}

/// Returns the end of a line with the comment in it, if only separators and a comment follow an
/// offset. The comment may end in a later line. `comments` are what begins a comment that takes the
/// rest of its line, separated by spaces.
pub(crate) fn end_of_line(text: &[u8], at: usize, comments: &str) -> Option<usize> {
    let is_separator = |&byte: &u8| matches!(byte, b';' | b',' | b' ' | b'\t' | b'\r' | b'\x0c');
    let begins_comment =
        |after: &[u8]| comments.split(' ').any(|mark| after.starts_with(mark.as_bytes()));
    let after = &text[at..];
    let after = &after[after.iter().take_while(|byte| is_separator(byte)).count()..];
    if after.first().is_none_or(|&byte| byte == b'\n') || begins_comment(after) {
        return Some(at);
    }
    let inner = after.strip_prefix(b"/*")?;
    let length = inner.windows(2).position(|two| two == b"*/")?;
    let rest = &inner[length + 2..];
    let ends = rest.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\x0c'));
    ends.is_none_or(|&byte| byte == b'\n').then(|| text.len() - rest.len())
}

/// Whether a text consists of whitespace. Returns the number of newlines in it.
pub(crate) fn blank_newlines(text: &[u8]) -> Option<u64> {
    text.iter().all(u8::is_ascii_whitespace).then(|| count_newlines(text))
}

/// Returns a text with each sequence of whitespace as one space, without those at the ends.
pub(crate) fn in_one_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the last of the lines directly below an offset that belong to a block by their
/// indentation: comments with more than `indentation` columns before them, and blank lines between
/// them. `None` if there are none.
pub(crate) fn comments_below(text: &[u8], at: usize, indentation: usize) -> Option<usize> {
    let mut start = at + memchr::memchr(b'\n', &text[at..])? + 1;
    let mut last = None;
    for line in lines_with_ends(&text[start..]) {
        let blanks = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        match line.get(blanks) {
            Some(b'#') if blanks > indentation => last = Some(start + line.trim_ascii_end().len()),
            Some(_) => break,
            None => {}
        }
        start += line.len();
    }
    last
}

/// Returns the lines between a first and a last row, which count from 0.
pub(crate) fn rows(first: usize, last: usize) -> LineRange {
    LineRange::from_to(first as u64 + 1, last.max(first) as u64 + 1)
}
