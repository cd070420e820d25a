//! Finds explicit anchors in Markdown, which are ids of HTML tags. Scans line by line, and skips
//! code spans and comments.

use std::ops::Range;

use super::html_links::{Attribute, between_attributes};

/// Finds ids in the lines of one document, in order.
#[derive(Debug, Default)]
pub struct AnchorScanner {
    state: State,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// In a comment. A comment at the start of a line continues across blank lines; the scanner
    /// then sets `block`.
    Comment { block: bool },
    /// In a tag that is not closed on its first line. `is_a` is set for an `a` tag.
    Tag { is_a: bool },
}

impl AnchorScanner {
    /// Creates a scanner at the start of a document.
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls `report` with each id on a line. The line must not be code.
    pub fn line(&mut self, line: &[u8], mut report: impl FnMut(&str)) {
        if self.state == State::Text {
            if memchr::memchr(b'<', line).is_none() {
                return;
            }
        } else if line.trim_ascii().is_empty() && self.state != (State::Comment { block: true }) {
            self.state = State::Text;
            return;
        }
        let mut at = 0;
        let mut unclosed = Unclosed(0);
        while at < line.len() {
            at = match self.state {
                State::Text => self.scan_text(line, at, &mut unclosed),
                State::Comment { .. } => match memchr::memmem::find(&line[at..], b"-->") {
                    Some(end) => {
                        self.state = State::Text;
                        at + end + 3
                    }
                    None => line.len(),
                },
                State::Tag { is_a } => self.scan_tag(line, at, is_a, &mut report),
            };
        }
    }

    /// Returns the position after the construct at `at`, or `None` if it is plain text.
    fn scan_text(&mut self, line: &[u8], at: usize, unclosed: &mut Unclosed) -> usize {
        let Some(next) = memchr::memchr2(b'<', b'`', &line[at..]) else {
            return line.len();
        };
        let start = at + next;
        let backslashes = line[..start].iter().rev().take_while(|&&byte| byte == b'\\').count();
        if backslashes % 2 == 1 {
            return start + 1;
        }
        if line[start] == b'`' {
            let run = line[start..].iter().take_while(|&&byte| byte == b'`').count();
            return unclosed.code_span_end(line, start + run, run).unwrap_or(start + run);
        }
        if line[start..].starts_with(b"<!--") {
            let block = line[..start].iter().all(|&byte| byte == b' ');
            self.state = State::Comment { block };
            return start + 4;
        }
        let name_length =
            line[start + 1..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        if name_length == 0 {
            return start + 1;
        }
        let name = &line[start + 1..start + 1 + name_length];
        self.state = State::Tag { is_a: name.eq_ignore_ascii_case(b"a") };
        start + 1 + name_length
    }

    /// Parses one attribute, or the end of the tag.
    fn scan_tag(
        &mut self,
        line: &[u8],
        at: usize,
        is_a: bool,
        report: &mut impl FnMut(&str),
    ) -> usize {
        let start = between_attributes(line, at);
        let Some(&first) = line.get(start) else {
            return line.len();
        };
        if first == b'>' {
            self.state = State::Text;
            return start + 1;
        }
        let Some(Attribute { name, value, end }) = Attribute::parse(line, start) else {
            // This is not a tag, or an unsupported attribute. Continue as text.
            self.state = State::Text;
            return start + usize::from(first != b'<');
        };
        let is_id =
            name.eq_ignore_ascii_case(b"id") || (is_a && name.eq_ignore_ascii_case(b"name"));
        // A JSX expression is not an id.
        if is_id
            && let Some(value) = value.map(|value| &line[value])
            && !matches!(value.first(), None | Some(b'{'))
            && let Ok(id) = std::str::from_utf8(value)
        {
            report(id);
        }
        end
    }
}

/// Returns the ranges of tags with ids, and of their closing tags, in a text of one line.
pub fn id_tags(text: &[u8]) -> Vec<Range<usize>> {
    let mut tags: Vec<Range<usize>> = Vec::new();
    let mut scanner = AnchorScanner::new();
    let mut unclosed = Unclosed(0);
    let (mut at, mut start) = (0, 0);
    while at < text.len() {
        at = match scanner.state {
            State::Text => {
                let next = scanner.scan_text(text, at, &mut unclosed);
                start = memchr::memrchr(b'<', &text[..next]).unwrap_or(next);
                next
            }
            State::Comment { .. } => break,
            State::Tag { is_a } => {
                let mut is_named = false;
                let next = scanner.scan_tag(text, at, is_a, &mut |_| is_named = true);
                if is_named && !tags.iter().any(|tag| tag.start == start) {
                    let end =
                        memchr::memchr(b'>', &text[next..]).map_or(text.len(), |to| next + to + 1);
                    tags.push(start..end);
                    let is_name_byte = |byte: &&u8| byte.is_ascii_alphanumeric();
                    let length = text[start + 1..].iter().take_while(is_name_byte).count();
                    let close = [b"</", &text[start + 1..=start + length], b">"].concat();
                    let closing = memchr::memmem::find(&text[end..], &close);
                    tags.extend(closing.map(|to| end + to..end + to + close.len()));
                }
                next
            }
        };
    }
    tags
}

/// A bit set of lengths of backtick runs that are not closed on this line, so that each length is
/// searched for only once. Runs longer than 63 are not treated as code spans.
struct Unclosed(u64);

impl Unclosed {
    fn code_span_end(&mut self, line: &[u8], from: usize, run: usize) -> Option<usize> {
        let bit = 1u64.checked_shl(run as u32).filter(|bit| self.0 & bit == 0)?;
        let mut at = from;
        while let Some(next) = memchr::memchr(b'`', &line[at..]) {
            let start = at + next;
            let length = line[start..].iter().take_while(|&&byte| byte == b'`').count();
            at = start + length;
            if length == run {
                return Some(at);
            }
        }
        self.0 |= bit;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut scanner = AnchorScanner::new();
        let mut found = Vec::new();
        for line in text.lines() {
            scanner.line(line.as_bytes(), |id| found.push(id.to_owned()));
        }
        assert_eq!(found, expected);
    }

    #[test]
    fn ids_of_tags_are_anchors() {
        check("<a id=\"one\"></a> <a name='two'>", &["one", "two"]);
        check("<h2 class=x id=three>", &["three"]);
        check("<a id =\"one\"><a checked id= 'two'><a id = three>", &["one", "two", "three"]);
        check("<DIV ID=\"four\">", &["four"]);
        check("<input name=\"no\">", &[]);
        check("<div\n  class=\"x\"\n  id=\"five\">", &["five"]);
        check("<a id=\"x\" name=\"x\">", &["x", "x"]);
    }

    #[test]
    fn tags_with_ids_are_found_with_their_closing_tags() {
        let tags = |text: &str| -> Vec<String> {
            id_tags(text.as_bytes()).into_iter().map(|tag| text[tag].to_owned()).collect()
        };
        assert_eq!(tags("x <a id=\"y\">z</a>"), ["<a id=\"y\">", "</a>"]);
        assert_eq!(tags("<b></b><br id=y><i>"), ["<br id=y>"]);
        assert_eq!(tags("<i></i> <a id=y name=z>"), ["<a id=y name=z>"]);
        assert_eq!(tags("<a id=y></a><h2 id=z>t</h2>"), ["<a id=y>", "</a>", "<h2 id=z>", "</h2>"]);
        assert_eq!(tags("`<a id=y>` <!-- <a id=y>"), [""; 0]);
        assert_eq!(tags("<a id=y"), ["<a id=y"]);
    }

    #[test]
    fn an_escaped_tag_is_text() {
        check(r#"\<a id="x"> <a id="y">"#, &["y"]);
        check(r#"\\<a id="x">"#, &["x"]);
        check(r#"\`<a id="x">`"#, &["x"]);
    }

    #[test]
    fn code_and_comments_contain_no_anchors() {
        check("`<a id=\"x\">` <a id=\"y\">", &["y"]);
        check("`` ` <a id=\"x\"> ``", &[]);
        check("<!-- <a id=\"x\">\n\n<a id=\"z\"> --> <a id=\"y\">", &["y"]);
        check("a < b id=\"x\"", &[]);
        check("<div\n\nid=\"x\"", &[]);
    }
}
