//! Finds HTML comments in Markdown.

use std::ops::Range;

use folio_text::lines::count_newlines;

const OPEN: &[u8] = b"<!--";
const CLOSE: &[u8] = b"-->";

/// Returns the comments of a document in order, except those in code. `is_code` returns whether a
/// line, counted from 1, is in a code block.
pub fn comments(text: &[u8], is_code: impl Fn(u64) -> bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut at, mut line, mut counted) = (0, 1, 0);
    while let Some(next) = memchr::memmem::find(&text[at..], OPEN) {
        let start = at + next;
        line += count_newlines(&text[counted..start]);
        counted = start;
        at = start + OPEN.len();
        if is_code(line) {
            continue;
        }
        if let Some(end) = comment_end(text, start) {
            found.push(start..end);
            at = end.max(at);
        }
    }
    found
}

/// The comments of a document, line by line.
#[derive(Clone, Debug, Default)]
pub struct CommentLines {
    /// Ranges of bytes that are in comments, each with its line number from 1, in order.
    parts: Vec<(u64, Range<usize>)>,
}

impl CommentLines {
    /// Finds the comments of a text; `is_code` returns whether a line is in a code block.
    pub fn new(text: &[u8], is_code: impl Fn(u64) -> bool) -> Self {
        let mut parts = Vec::new();
        let (mut line, mut counted) = (1, 0);
        for comment in comments(text, is_code) {
            line += count_newlines(&text[counted..comment.start]);
            counted = comment.start;
            let mut begin = memchr::memrchr(b'\n', &text[..counted]).map_or(0, |at| at + 1);
            while counted < comment.end {
                let next = memchr::memchr(b'\n', &text[counted..comment.end]);
                let end = next.map_or(comment.end, |at| counted + at + 1);
                parts.push((line, counted - begin..end - begin));
                line += u64::from(next.is_some());
                counted = end;
                begin = if next.is_some() { end } else { begin };
            }
        }
        Self { parts }
    }

    /// Whether there are no comments.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether a byte of a line is in a comment.
    pub fn hold(&self, line: u64, byte: usize) -> bool {
        let first = self.parts.partition_point(|(part_line, _)| *part_line < line);
        let parts_of_line =
            self.parts[first..].iter().take_while(|(part_line, _)| *part_line == line);
        parts_of_line.into_iter().any(|(_, bytes)| bytes.contains(&byte))
    }

    /// Whether all matches in `text`, which begins with line `line`, are in comments. Returns
    /// `false` if there are no matches.
    pub fn hold_all(&self, line: u64, text: &[u8], found: &[Range<usize>]) -> bool {
        let is_held = |range: &Range<usize>| {
            let before = &text[..range.start.min(text.len())];
            let begin = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
            self.hold(line + count_newlines(before), before.len() - begin)
        };
        !self.is_empty() && !found.is_empty() && found.iter().all(is_held)
    }
}

/// Returns the end of the comment that begins at `start`, or `None` if there is none.
fn comment_end(text: &[u8], start: usize) -> Option<usize> {
    let line = memchr::memrchr(b'\n', &text[..start]).map_or(0, |at| at + 1);
    let before = &text[line..start];
    // `<!-->` is a complete comment.
    let find_close =
        || memchr::memmem::find(&text[start + 2..], CLOSE).map(|at| start + 2 + at + 3);
    if begins_block(before) {
        return Some(find_close().unwrap_or(text.len()));
    }
    let backslashes = before.iter().rev().take_while(|&&byte| byte == b'\\').count();
    if backslashes % 2 == 1 || is_in_code_span(&text[line..], start - line) {
        return None;
    }
    // In a paragraph, it is a comment only if it is closed within the paragraph.
    find_close().filter(|&end| !holds_blank_line(&text[start..end]))
}

/// Whether a comment begins a block: only blanks and container markers precede it on the line.
fn begins_block(before: &[u8]) -> bool {
    let mut words =
        before.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
    words.all(|word| {
        let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let is_item = digits > 0 && matches!(&word[digits..], b"." | b")");
        is_item || matches!(word, b"-" | b"*" | b"+") || word.iter().all(|&byte| byte == b'>')
    })
}

/// Whether a position in a line is between backticks.
fn is_in_code_span(text: &[u8], place: usize) -> bool {
    let line = &text[..memchr::memchr(b'\n', text).unwrap_or(text.len())];
    let run = |from: usize| line[from..].iter().take_while(|&&byte| byte == b'`').count();
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'`', &line[at..place.max(at)]) {
        let open = at + next;
        let length = run(open);
        at = open + length;
        let mut close = at;
        while let Some(next) = memchr::memchr(b'`', &line[close..]) {
            let (found, count) = (close + next, run(close + next));
            close = found + count;
            if count == length {
                if found > place {
                    return true;
                }
                at = close;
                break;
            }
        }
    }
    false
}

fn holds_blank_line(text: &[u8]) -> bool {
    let mut lines = text.split(|&byte| byte == b'\n').skip(1);
    lines.any(|line| line.trim_ascii().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_in_comments_are_detected() {
        let text = b"a <!-- b --> c <!-- d\ne\nf --> g\n<!-- h -->\n";
        let lines = CommentLines::new(text, |_| false);
        let held: String = text
            .split(|&byte| byte == b'\n')
            .zip(1..)
            .flat_map(|(bytes, line)| {
                bytes.iter().enumerate().map(move |(at, byte)| (line, at, *byte))
            })
            .filter(|&(line, at, byte)| byte.is_ascii_lowercase() && lines.hold(line, at))
            .map(|(_, _, byte)| char::from(byte))
            .collect();
        assert_eq!(held, "bdefh");
        assert!(lines.hold_all(1, b"a <!-- b --> c <!-- d\ne\n", &[7..8, 22..23]));
        assert!(!lines.hold_all(1, b"a <!-- b --> c <!-- d\ne\n", &[7..8, 13..14]));
        let whole = 0..1;
        assert!(!lines.hold_all(2, b"e", &[]));
        assert!(lines.hold_all(2, b"e", std::slice::from_ref(&whole)));
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found = comments(text.as_bytes(), |line| line == 99);
        let found: Vec<&str> = found.into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn comments_are_blocks_or_part_of_a_paragraph() {
        check("a <!-- b --> c\n<!-- d\n\ne -->f\n", &["<!-- b -->", "<!-- d\n\ne -->"]);
        check("> - <!-- a\n> b -->\n", &["<!-- a\n> b -->"]);
        check("1. <!-- a -->\n", &["<!-- a -->"]);
        check("a <!-- b\nc --> d", &["<!-- b\nc -->"]);
        check("<!--> a <!---> b", &["<!-->", "<!--->"]);
        check("<!-- a", &["<!-- a"]);
        check("* + 1. 2) > <!-- a\n\nb -->\n", &["<!-- a\n\nb -->"]);
    }

    #[test]
    fn other_text_is_not_a_comment() {
        check("a <!-- b\n\nc -->\n", &[]);
        check("`<!--` a `-->`\n", &[]);
        check("``a ` <!-- `` b <!-- c -->\n", &["<!-- c -->"]);
        check("` <!-- a -->\n", &["<!-- a -->"]);
        check(r"a \<!-- b -->", &[]);
        check(". <!-- a\n\nb -->\n", &[]);
        check("1a <!-- a\n\nb -->\n", &[]);
        check("a long line before\nb `<!-- c -->`\n", &[]);
        let code = comments(b"a\n<!-- b -->\n<!-- c -->", |line| line == 2);
        assert!(matches!(&code[..], [Range { start: 13, end: 23 }]), "{code:?}");
    }
}
