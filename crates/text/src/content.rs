//! Adapts inserted content to a document: converts line endings, indents lines, and lengthens the
//! fences around the content.

use similar::DiffOp;

use crate::diff;
use crate::lines::{lines_with_ends, without_end};
use crate::sections::indent;
use crate::span::LineRange;

/// A line ending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnd {
    /// `\n`.
    #[default]
    Lf,
    /// `\r\n`.
    CrLf,
}

/// Returns text without the byte order mark at its start.
pub fn without_mark(mut text: Vec<u8>) -> Vec<u8> {
    if text.starts_with(b"\xef\xbb\xbf") {
        text.drain(..3);
    }
    text
}

impl LineEnd {
    /// Returns the line ending of a line, or `None` if the line has none.
    pub fn at_end(line: &[u8]) -> Option<Self> {
        match line {
            [.., b'\r', b'\n'] => Some(Self::CrLf),
            [.., b'\n'] => Some(Self::Lf),
            _ => None,
        }
    }

    /// Returns the bytes of the line ending.
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
        }
    }
}

/// Splits content into whole lines that end with `end`. The last line ends with `last`, or without
/// a line ending if `last` is `None`, regardless of how the content ends.
pub fn whole_lines(content: &[u8], end: LineEnd, last: Option<LineEnd>) -> Vec<u8> {
    let mut joined = Vec::with_capacity(content.len() + 16);
    let mut lines = lines_with_ends(content).peekable();
    while let Some(line) = lines.next() {
        let text = without_end(line);
        joined.extend_from_slice(text);
        let line_end = if lines.peek().is_some() { Some(end) } else { last };
        match line_end {
            Some(line_end) if text.len() < line.len() => {
                joined.extend_from_slice(end_after(text, line_end))
            }
            Some(line_end) => joined.extend_from_slice(line_end.bytes()),
            None => {}
        }
    }
    joined
}

/// Returns the line ending after the text of a line. After a carriage return, it is always `\r\n`,
/// because the carriage return would otherwise become part of the line ending.
fn end_after(text: &[u8], end: LineEnd) -> &'static [u8] {
    if text.ends_with(b"\r") { LineEnd::CrLf.bytes() } else { end.bytes() }
}

/// Keeps the line endings of unchanged lines when lines with mixed endings are replaced. The ending
/// of the last line is not changed.
pub fn with_kept_ends(text: Vec<u8>, old: &[u8]) -> Vec<u8> {
    let split = |text| -> (Vec<&[u8]>, Vec<&[u8]>) {
        lines_with_ends(text).map(|line| line.split_at(without_end(line).len())).unzip()
    };
    let ((old, old_ends), (new, new_ends)) = (split(old), split(&text));
    let has_end = |end: &[u8]| old_ends.contains(&end);
    if !(has_end(b"\n") && has_end(b"\r\n")) {
        return text;
    }
    let mut ends = new_ends;
    for operation in diff::diff_operations(&old, &new, 0) {
        if let DiffOp::Equal { old_index, new_index, len } = operation {
            for offset in 0..len {
                if new_index + offset + 1 < ends.len() && !old_ends[old_index + offset].is_empty() {
                    ends[new_index + offset] = old_ends[old_index + offset];
                }
            }
        }
    }
    new.iter().zip(&ends).flat_map(|(line, end)| [*line, *end]).collect::<Vec<_>>().concat()
}

/// Returns content unchanged, except that its line endings become that of the document.
pub fn with_line_end(content: &[u8], end: LineEnd) -> Vec<u8> {
    let mut converted = Vec::with_capacity(content.len() + 16);
    for line in lines_with_ends(content) {
        let text = without_end(line);
        converted.extend_from_slice(text);
        if text.len() < line.len() {
            converted.extend_from_slice(end_after(text, end));
        }
    }
    converted
}

/// Removes from each line of the content the indentation of the first line that is not blank, as far
/// as the line has it. The fixed lines, which count from 1, are unchanged.
pub fn without_margin(content: &[u8], fixed: &[LineRange]) -> Vec<u8> {
    let is_blank = |line: &&[u8]| line.trim_ascii().is_empty();
    let first = lines_with_ends(content).find(|line| !is_blank(line)).unwrap_or_default();
    let margin = &first[..indent(first)];
    let common = |line: &[u8]| margin.iter().zip(line).take_while(|(one, two)| one == two).count();
    let lines = (1..).zip(lines_with_ends(content));
    let inner = lines.map(|(number, line)| match is_in(fixed, number) {
        true => line,
        false => &line[common(line)..],
    });
    inner.collect::<Vec<_>>().concat()
}

/// Indents each line of the content by `wanted`, unless the first non-blank line is already
/// indented.
pub fn indented(content: &[u8], wanted: &[u8]) -> Vec<u8> {
    indented_except(content, wanted, &[])
}

/// Indents content, except for the fixed lines, which count from 1.
pub fn indented_except(content: &[u8], wanted: &[u8], fixed: &[LineRange]) -> Vec<u8> {
    if wanted.is_empty() || is_indented(content) {
        return content.to_vec();
    }
    let mut result = Vec::with_capacity(content.len() + 16);
    for (number, line) in (1..).zip(lines_with_ends(content)) {
        if !line.trim_ascii().is_empty() && !is_in(fixed, number) {
            result.extend_from_slice(wanted);
        }
        result.extend_from_slice(line);
    }
    result
}

/// Whether the first line of content that is not blank is indented, or there is none.
fn is_indented(content: &[u8]) -> bool {
    let mut lines = lines_with_ends(content);
    let first = lines.find(|line| !line.trim_ascii().is_empty());
    first.is_none_or(|first| indent(first) > 0)
}

fn is_in(ranges: &[LineRange], line: u64) -> bool {
    ranges.iter().any(|range| range.contains(line))
}

/// Adds the container's `prefix` to every line of the content. Blank lines get the prefix without
/// its trailing spaces.
pub fn contained(content: &[u8], prefix: &[u8]) -> Vec<u8> {
    let mut result = Vec::with_capacity(content.len() + prefix.len() * 8);
    for line in lines_with_ends(content) {
        let is_blank = without_end(line).is_empty();
        result.extend_from_slice(if is_blank { prefix.trim_ascii_end() } else { prefix });
        result.extend_from_slice(line);
    }
    result
}

/// Returns the number of fence characters that a code block with this `content` needs: one more
/// than the longest run of `fence` in the content that could close the block.
pub fn fence_length(content: &[u8], fence: u8) -> usize {
    let runs = lines_with_ends(content).map(|line| {
        let text = line.trim_ascii();
        let run = text.iter().take_while(|&&byte| byte == fence).count();
        if run == text.len() { run } else { 0 }
    });
    runs.max().unwrap_or(0) + 1
}

/// Replaces each `{{NAME}}` with its value. If a name is given twice, the last value is used.
///
/// # Errors
///
/// Returns the first name that `content` does not use.
pub fn fill(content: &[u8], values: &[(String, String)]) -> Result<Vec<u8>, String> {
    let mut used = vec![false; values.len()];
    let mut result = Vec::with_capacity(content.len());
    let mut rest = content;
    while let Some(open) = memchr::memmem::find(rest, b"{{") {
        let behind = &rest[open + 2..];
        let close = memchr::memmem::find(behind, b"}}");
        let name = close.map(|close| behind[..close].trim_ascii());
        let index =
            name.and_then(|name| values.iter().rposition(|(known, _)| known.as_bytes() == name));
        match (index, close) {
            (Some(index), Some(close)) => {
                used[index] = true;
                result.extend_from_slice(&rest[..open]);
                result.extend_from_slice(values[index].1.as_bytes());
                rest = &behind[close + 2..];
            }
            _ => {
                // In `{{{NAME}}`, a placeholder follows an additional brace.
                result.extend_from_slice(&rest[..open + 1]);
                rest = &rest[open + 1..];
            }
        }
    }
    result.extend_from_slice(rest);
    let occurs = |name: &str| values.iter().zip(&used).any(|((key, _), used)| *used && key == name);
    match values.iter().find(|(name, _)| !occurs(name)) {
        Some((name, _)) => Err(name.clone()),
        None => Ok(result),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_lines(content: &str, end: LineEnd, last: Option<LineEnd>, expected: &str) {
        let lines = whole_lines(content.as_bytes(), end, last);
        assert_eq!(String::from_utf8_lossy(&lines), expected);
    }

    #[test]
    fn content_gets_the_line_endings_of_its_place() {
        use LineEnd::{CrLf, Lf};
        check_lines("a\nb", Lf, Some(Lf), "a\nb\n");
        check_lines("a\nb\n", CrLf, Some(Lf), "a\r\nb\n");
        check_lines("a\r\nb\r\n", Lf, None, "a\nb");
        check_lines("\n\n", CrLf, Some(CrLf), "\r\n\r\n");
        check_lines("\n", Lf, None, "");
        check_lines("", Lf, Some(Lf), "");
        assert_eq!(with_line_end(b"a\nb\r\n", CrLf), b"a\r\nb\r\n");
        assert_eq!(with_line_end(b"a\rb\r\n", Lf), b"a\rb\n");
        assert_eq!(with_line_end(b"a\nb", CrLf), b"a\r\nb");
    }

    #[test]
    fn a_carriage_return_before_a_line_ending_is_kept() {
        use LineEnd::{CrLf, Lf};
        check_lines("a\n\r\r\nb", Lf, Some(Lf), "a\n\r\r\nb\n");
        check_lines("a\r\r\n", Lf, Some(Lf), "a\r\r\n");
        check_lines("a\r\r\nb", CrLf, None, "a\r\r\nb");
        check_lines("a\r", Lf, Some(Lf), "a\r\n");
        assert_eq!(with_line_end(b"a\r\r\nb\n", Lf), b"a\r\r\nb\n");
    }

    #[test]
    fn unchanged_lines_keep_their_line_endings() {
        let kept = |new: &str, old: &str| {
            let kept = with_kept_ends(new.into(), old.as_bytes());
            String::from_utf8_lossy(&kept).into_owned()
        };
        assert_eq!(kept("a\r\nx\r\nb\r\nc\r\n", "a\r\nb\nc\r\n"), "a\r\nx\r\nb\nc\r\n");
        assert_eq!(kept("b\r\n", "a\r\nb\n"), "b\r\n", "the last line");
        assert_eq!(kept("a\nb\n", "a\r\nb\r\n"), "a\nb\n", "not mixed");
        assert_eq!(kept("b\na\n", "a\r\nb\nb"), "b\na\n", "no end to keep");
    }

    #[track_caller]
    fn check_indent(content: &str, indentation: &str, expected: &str) {
        let found = indented(content.as_bytes(), indentation.as_bytes());
        assert_eq!(String::from_utf8_lossy(&found), expected);
    }

    #[test]
    fn content_gets_the_indentation_of_its_place() {
        check_indent("a\n  b\n\nc\n", "    ", "    a\n      b\n\n    c\n");
        check_indent("a\n\tb\n", "\t", "\ta\n\t\tb\n");
        check_indent("\n\n", "  ", "\n\n");
    }

    #[test]
    fn indented_content_is_unchanged() {
        check_indent("    a\n    b\n", "    ", "    a\n    b\n");
        check_indent("  a\n    b\n", "\t", "  a\n    b\n");
        check_indent("\n    a\n  b\n", "  ", "\n    a\n  b\n");
        check_indent("  a\n", "", "  a\n");
    }

    #[test]
    fn fixed_lines_keep_their_indentation() {
        let fixed = [LineRange::from_to(2, 3)];
        let indented = indented_except(b"a\nb\n  c\nd\n", b"  ", &fixed);
        assert_eq!(indented, b"  a\nb\n  c\n  d\n");
        assert_eq!(without_margin(b"  a\n  b\n  c\n    d\n", &fixed), b"a\n  b\n  c\n  d\n");
    }

    #[test]
    fn container_prefixes_are_on_every_line() {
        assert_eq!(contained(b"a\n\nb\n", b"> "), b"> a\n>\n> b\n");
        assert_eq!(contained(b"a\n\nb", b"   "), b"   a\n\n   b");
    }

    #[test]
    fn fences_are_longer_than_fences_in_their_content() {
        assert_eq!(fence_length(b"x\n", b'`'), 1);
        assert_eq!(fence_length(b"```\nx\n```\n", b'`'), 4);
        assert_eq!(fence_length(b"````sh\nx\n```\n", b'`'), 4);
        assert_eq!(fence_length(b"~~~~~\n", b'`'), 1);
    }

    #[test]
    fn placeholders_are_replaced() {
        let values = [("A".to_owned(), "1".to_owned()), ("b".to_owned(), "{{A}}".to_owned())];
        assert_eq!(fill(b"{{A}} {{ b }} {{c}} {{{A}}", &values), Ok(b"1 {{A}} {{c}} {1".to_vec()));
        assert_eq!(fill(b"{{A}}", &values), Err("b".to_owned()));
        assert_eq!(fill(b"{{ x", &[]), Ok(b"{{ x".to_vec()));
        let twice = [("A".to_owned(), "1".to_owned()), ("A".to_owned(), "2".to_owned())];
        assert_eq!(fill(b"{{A}}", &twice), Ok(b"2".to_vec()));
    }
}
