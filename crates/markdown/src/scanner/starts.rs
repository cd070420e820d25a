//! Classifies the beginning of a line: headings, fences, thematic breaks, list items, footnotes and
//! definitions. All functions are pure functions of one line.

use std::ops::Range;

use crate::cursor::is_space_or_tab;

/// Returns the label of the footnote that a line begins, and the length of the marker including the
/// blanks after it. The text of the footnote cannot begin with indented code.
pub(super) fn footnote(line: &[u8]) -> Option<(&[u8], usize)> {
    let label = line.strip_prefix(b"[^")?;
    let length = memchr::memchr(b']', label)?;
    let (label, after) = (&label[..length], label[length + 1..].strip_prefix(b":")?);
    let is_label = !label.is_empty() && !label.iter().any(|byte| b" \t\r\n\0".contains(byte));
    let blanks = after.iter().take_while(|&&byte| is_space_or_tab(byte)).count();
    is_label.then_some((label, line.len() - after.len() + blanks))
}

/// Whether a line that begins with `[` may begin a link reference definition, because a colon
/// follows the first closing bracket.
pub(super) fn may_be_definition(line: &[u8]) -> bool {
    match memchr::memchr(b']', line) {
        Some(close) => line[close - 1] == b'\\' || line.get(close + 1) == Some(&b':'),
        None => true,
    }
}

/// Returns the bytes `start..end` of a block and the line ending after them.
pub(super) fn with_end(block: &[u8], start: usize, end: usize) -> &[u8] {
    let length = memchr::memchr(b'\n', &block[end..]).map_or(block.len() - end, |at| at + 1);
    &block[start..end + length]
}

/// Returns the level of an ATX heading, and the range of its content in `line`.
pub(super) fn atx_heading(line: &[u8]) -> Option<(u8, usize, usize)> {
    let level = line.iter().take_while(|&&byte| byte == b'#').count();
    if !(1..=6).contains(&level) {
        return None;
    }
    if !line.get(level).is_none_or(|&byte| is_space_or_tab(byte)) {
        return None;
    }
    let is_space = is_white_space;
    let mut end = line.len();
    while end > level && is_space(&line[end - 1]) {
        end -= 1;
    }
    let mut before_marks = end;
    while before_marks > level && line[before_marks - 1] == b'#' {
        before_marks -= 1;
    }
    if before_marks < end && (before_marks == level || is_space_or_tab(line[before_marks - 1])) {
        end = before_marks;
        while end > level && is_space(&line[end - 1]) {
            end -= 1;
        }
    }
    let mut start = level;
    while start < end && is_space(&line[start]) {
        start += 1;
    }
    Some((level as u8, start, end))
}

/// Whether an ATX heading consists of its marks, one space and its content.
pub(super) fn is_canonical(line: &[u8], level: u8, content: Range<usize>) -> bool {
    let level = usize::from(level);
    line.get(level) == Some(&b' ') && content == (level + 1..line.len())
}

/// Returns the length of an opening fence, and its info string.
pub(super) fn fence(line: &[u8]) -> Option<(usize, &[u8])> {
    let byte = *line.first()?;
    let length = line.iter().take_while(|&&other| other == byte).count();
    if length < 3 {
        return None;
    }
    let info = &line[length..];
    if byte == b'`' && memchr::memchr(b'`', info).is_some() {
        return None;
    }
    let start = info.iter().position(|byte| !is_white_space(byte)).unwrap_or(info.len());
    let end = info.iter().rposition(|byte| !is_white_space(byte)).map_or(start, |at| at + 1);
    Some((length, &info[start..end]))
}

pub(super) fn is_white_space(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

pub(super) fn is_setext_underline(line: &[u8]) -> bool {
    let Some(&byte @ (b'=' | b'-')) = line.first() else { return false };
    let run = line.iter().take_while(|&&other| other == byte).count();
    line[run..].iter().all(|&byte| is_space_or_tab(byte))
}

/// Checks whether a line is a thematic break. If not, returns the offset of the first byte that
/// cannot be part of one.
pub(super) fn thematic_break(line: &[u8]) -> Result<(), usize> {
    let mark = line[0];
    let mut marks = 0;
    for (at, &byte) in line.iter().enumerate() {
        if byte == mark {
            marks += 1;
        } else if !is_space_or_tab(byte) {
            return Err(at);
        }
    }
    if marks >= 3 { Ok(()) } else { Err(line.len()) }
}

/// Returns the length in bytes of the list marker at the start of `line`.
pub(super) fn list_marker(line: &[u8], interrupts_paragraph: bool) -> Option<usize> {
    let length = match *line.first()? {
        b'*' | b'-' | b'+' => 1,
        b'0'..=b'9' => {
            let digits = line.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
            if digits > 9 || !matches!(line.get(digits), Some(b'.' | b')')) {
                return None;
            }
            if interrupts_paragraph {
                let number = line[..digits]
                    .iter()
                    .fold(0u64, |value, byte| value * 10 + u64::from(byte - b'0'));
                if number != 1 {
                    return None;
                }
            }
            digits + 1
        }
        _ => return None,
    };
    let after = &line[length..];
    // Like cmark, this accepts any whitespace.
    if !after.first().is_none_or(is_white_space) {
        return None;
    }
    if interrupts_paragraph && after.iter().all(|&byte| is_space_or_tab(byte)) {
        return None;
    }
    Some(length)
}
