//! Handles blank lines between blocks of text: counts them at the start and end of content, and
//! determines how many belong between two lines.

use super::lines::{lines_with_ends, without_end};

/// The numbers of blank lines to add around content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlankLines {
    /// Number of blank lines before the content.
    pub before: u64,
    /// Number of blank lines after the content.
    pub after: u64,
}

impl BlankLines {
    /// Removes up to these numbers of blank lines from the start and the end of content.
    pub fn stripped(self, mut content: &[u8]) -> &[u8] {
        for _ in 0..self.before {
            content =
                content.strip_prefix(b"\r\n").or(content.strip_prefix(b"\n")).unwrap_or(content);
        }
        for _ in 0..self.after {
            content = without_end(content);
        }
        content
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

/// Returns the number of blank lines that belong between a text and the line below it, neither of
/// which is a heading. The number is 0 if the line continues a block without blank lines between
/// its parts, such as a tight list. `above` contains the last lines of the text, the last of which
/// is not blank.
pub fn between(above: &[&[u8]], below: &[u8]) -> u64 {
    let Some(head) = head(above) else { return 0 };
    let first = above[head];
    let is_inside = |item: &&[u8]| list_mark(item).is_some();
    let mark = list_mark(first);
    let is_list = mark.is_some() && (mark == list_mark(below) || is_indented(below));
    if !is_list {
        let both = |is: fn(&[u8]) -> bool| is(first) && is(below);
        let goes_on = both(is_table_row) || both(is_quote) || both(is_definition);
        return u64::from(!goes_on);
    }
    // The items of a loose list remain separated by blank lines.
    let before = &above[..head];
    let is_apart = before.last().is_some_and(|line| is_blank(line));
    let other = before.iter().rposition(|line| !is_blank(line)).map(|last| &before[..=last]);
    let other = other.and_then(|lines| self::head(lines).map(|head| lines[head]));
    u64::from(is_apart && other.as_ref().is_some_and(is_inside))
}

/// Returns the index of the last unindented line. The lines after it continue it.
fn head(lines: &[&[u8]]) -> Option<usize> {
    lines
        .iter()
        .rposition(|line| !is_blank(line) && !is_indented(line))
        .or(lines.len().checked_sub(1))
}

fn is_indented(line: &[u8]) -> bool {
    matches!(line.first(), Some(b' ' | b'\t'))
}

fn is_table_row(line: &[u8]) -> bool {
    line.starts_with(b"|")
}

fn is_quote(line: &[u8]) -> bool {
    line.starts_with(b">")
}

/// Whether a line is a link reference definition or a footnote.
fn is_definition(line: &[u8]) -> bool {
    line.starts_with(b"[") && memchr::memmem::find(line, b"]:").is_some()
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
        assert_eq!(blank.stripped(b"a"), b"a");
        assert_eq!(BlankLines::default().stripped(b"\na\n"), b"\na\n");
    }

    #[track_caller]
    fn check(above: &str, below: &str, expected: u64) {
        let above: Vec<&[u8]> = lines_with_ends(above.as_bytes()).collect();
        assert_eq!(between(&above, below.as_bytes()), expected);
    }

    #[test]
    fn continued_blocks_are_not_separated() {
        check("text\n", "more\n", 1);
        check("text\n", "- item\n", 1);
        check("- a\n", "text\n", 1);
        check("- a\n", "- b\n", 0);
        check("- a\n  more\n", "- b\n", 0);
        check("- a\n\n  more\n", "- b\n", 0);
        check("- a\n  - b\n", "  - c\n", 0);
        check("text\n\n- a\n", "- b\n", 0);
        check("- a\n\n- b\n", "- c\n", 1);
        check("- a\n", "* b\n", 1);
        check("1. a\n", "2. b\n", 0);
        check("1. a\n", "2) b\n", 1);
        check("-a\n", "-b\n", 1);
        check("text\n", "    code\n", 1);
        check("| a |\n", "| b |\n", 0);
        check("> a\n", "> b\n", 0);
        check("[a]: /x\n", "[b]: /y\n", 0);
        check("[^1]: x\n", "[^2]: y\n", 0);
        check("| a |\n", "text\n", 1);
        check("text\n", "> b\n", 1);
        check("[a]: /x\n", "[b] text\n", 1);
        check("a]: /x\n", "[b]: /y\n", 1);
        check("- a\n\n\n- b\n", "- c\n", 1);
        check("1234567890. a\n", "1234567891. b\n", 1);
        check("1x a\n", "1x b\n", 1);
    }
}
