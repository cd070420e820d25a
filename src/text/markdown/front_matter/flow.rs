//! Flow mappings: `{title: x, tags: [a, b]}`.

use std::ops::Range;

use super::value::{FrontMatterFormat, Key, quoted_length};
use crate::text::lines::count_newlines;
use crate::text::span::LineRange;

/// The keys of the flow mapping `text`, which may be followed by comments; its first line is
/// `number`.
pub(super) fn keys(text: &[u8], mut number: u64) -> Option<Vec<Key>> {
    let mut keys = Vec::new();
    // The start of the current key's line, and the offset up to which lines have been counted.
    let (mut line_start, mut counted) = (0, 0);
    let mut at = text.iter().position(|&byte| byte == b'{')? + 1;
    loop {
        at = skip_blank(text, at);
        if text.get(at)? == &b'}' {
            return (skip_blank(text, at + 1) == text.len()).then_some(keys);
        }
        let end = element_end(text, at, true)?;
        let name = unquoted(text, at..end);
        if name.is_empty() || matches!(text[name.start], b'{' | b'[') {
            return None;
        }
        let mut value = end..end;
        let mut next = skip_blank(text, end);
        if text.get(next)? == &b':' {
            let start = skip_blank(text, next + 1);
            let end = element_end(text, start, false)?;
            value = if start == end { next + 1..next + 1 } else { unquoted(text, start..end) };
            next = skip_blank(text, end);
        }
        let passed = &text[counted..at];
        number += count_newlines(passed);
        if let Some(end) = memchr::memrchr(b'\n', passed) {
            line_start = counted + end + 1;
        }
        counted = at;
        let last = number + count_newlines(&text[at..value.end]);
        keys.push(Key {
            name: String::from_utf8_lossy(&text[name]).into_owned(),
            lines: LineRange::from_to(number, last),
            value: value.start - line_start..value.end - line_start,
            in_flow: true,
        });
        match text.get(next)? {
            b',' => at = next + 1,
            b'}' => at = next,
            _ => return None,
        }
    }
}

/// The offset after blanks, line endings and comments.
fn skip_blank(text: &[u8], mut at: usize) -> usize {
    loop {
        at += text[at..].len() - text[at..].trim_ascii_start().len();
        let begins_word = at > 0 && !text[at - 1].is_ascii_whitespace();
        if text.get(at) != Some(&b'#') || begins_word {
            return at;
        }
        at = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |length| at + length);
    }
}

/// The offset at which a key, or a value with everything in it, ends.
fn element_end(text: &[u8], start: usize, is_key: bool) -> Option<usize> {
    let mut open = Vec::new();
    let mut at = start;
    // The offset after the last byte that is neither blank nor in a comment.
    let mut end = start;
    loop {
        let byte = *text.get(at)?;
        let is_first = at == start || !open.is_empty();
        match byte {
            b',' | b'}' | b']' if open.is_empty() => return Some(end),
            b':' if is_key && open.is_empty() && ends_key(text, start, at) => return Some(end),
            b'"' | b'\'' if is_first => {
                at += quoted_length(&text[at..], byte, FrontMatterFormat::Yaml)? + 1;
            }
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b'}' | b']' if open.pop() != Some(byte) => return None,
            b'#' if at == 0 || text[at - 1].is_ascii_whitespace() => {
                at = skip_blank(text, at);
                continue;
            }
            _ => {}
        }
        at += 1;
        if !byte.is_ascii_whitespace() {
            end = at;
        }
    }
}

/// Whether a colon ends a key: it is after quotes or before a blank.
fn ends_key(text: &[u8], start: usize, at: usize) -> bool {
    let is_quoted = matches!(text[start], b'"' | b'\'');
    let after = text.get(at + 1);
    is_quoted || after.is_none_or(|byte| byte.is_ascii_whitespace() || b",{}[]".contains(byte))
}

fn unquoted(text: &[u8], span: Range<usize>) -> Range<usize> {
    match &text[span.clone()] {
        [b'"', .., b'"'] | [b'\'', .., b'\''] => span.start + 1..span.end - 1,
        _ => span,
    }
}
