//! Handles blank lines between blocks of text: counts them at the start and end of content, and
//! determines whether the items of a list are separated by them.

use crate::lines::lines_with_ends;

/// The numbers of blank lines to add around content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlankLines {
    /// Number of blank lines before the content.
    pub before: u64,
    /// Number of blank lines after the content.
    pub after: u64,
}

impl BlankLines {
    /// Removes these numbers of lines from the start and the end of content. In a quote, blank
    /// lines have markers.
    pub fn stripped(self, content: &[u8]) -> &[u8] {
        let lengths: Vec<usize> = lines_with_ends(content).map(<[u8]>::len).collect();
        let (before, after) = (self.before as usize, self.after as usize);
        let start: usize = lengths.iter().take(before).sum();
        let end: usize = lengths.iter().rev().take(after).sum();
        content.get(start..content.len() - end).unwrap_or_default()
    }
}

/// Returns the number of blank lines at the start and at the end of content. Returns `None` if all
/// lines are blank.
pub fn blank_edges(content: &[u8]) -> Option<(usize, usize)> {
    let lines: Vec<&[u8]> = lines_with_ends(content).collect();
    let first = lines.iter().position(|line| !is_blank(line))?;
    let last = lines.iter().rposition(|line| !is_blank(line))?;
    Some((first, lines.len() - 1 - last))
}

/// Whether a line contains only blanks.
pub fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

/// Whether the last item of the list at the end of a text is separated from the previous item by a
/// blank line.
pub fn is_loose(lines: &[&[u8]]) -> bool {
    let is_item = |line: &&[u8]| list_mark(line).is_some();
    let Some(last) = lines.iter().rposition(is_item) else { return false };
    let before = &lines[..last];
    let is_apart = before.last().is_some_and(|line| is_blank(line));
    let first = before.iter().rposition(|line| !is_blank(line) && !is_indented(line));
    is_apart && first.is_some_and(|first| is_item(&before[first]))
}

fn is_indented(line: &[u8]) -> bool {
    matches!(line.first(), Some(b' ' | b'\t'))
}

/// Returns the marker character of a list item. For a numbered item, this is the character after
/// the number.
fn list_mark(line: &[u8]) -> Option<u8> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mark = *line.get(digits)?;
    let is_mark: &[u8] = if digits == 0 { b"-*+" } else { b".)" };
    let is_followed = line.get(digits + 1).is_none_or(u8::is_ascii_whitespace);
    (is_mark.contains(&mark) && digits < 10 && is_followed).then_some(mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_at_the_ends_of_content_are_counted() {
        assert_eq!(blank_edges(b"a\n"), Some((0, 0)));
        assert_eq!(blank_edges(b"\n \na\n\nb\n\n"), Some((2, 1)));
        assert_eq!(blank_edges(b"a\r\n\r\n"), Some((0, 1)));
        assert_eq!(blank_edges(b"\n\n"), None);
        assert_eq!(blank_edges(b""), None);
    }

    #[test]
    fn added_blank_lines_are_removed() {
        let blank = BlankLines { before: 1, after: 2 };
        assert_eq!(blank.stripped(b"\r\n\na\n\r\n\n"), b"\na\n");
        assert_eq!(blank.stripped(b">\n> a\n>\n>\n"), b"> a\n");
        assert_eq!(BlankLines::default().stripped(b"\na\n"), b"\na\n");
    }

    #[test]
    fn a_list_is_loose_if_its_last_items_are_separated() {
        let check = |text: &str, expected| {
            let lines: Vec<&[u8]> = lines_with_ends(text.as_bytes()).collect();
            assert_eq!(is_loose(&lines), expected, "{text:?}");
        };
        check("- a\n\n- b\n", true);
        check("1. a\n\n\n2. b\n", true);
        check("- a\n\n  more\n\n- b\nlazy\n", true);
        check("- a\n- b\n", false);
        check("- a\n  - b\n", false);
        check("- a\n\n  more\n", false);
        check("text\n\n- a\n", false);
        check("-a\n\n-b\n", false);
        check("1x a\n\n1x b\n", false);
        check("1234567890. a\n\n1234567891. b\n", false);
        check("text\n", false);
    }
}
