//! Finds anchors in the HTML of Markdown: ids of tags, and the text of HTML headings, from which
//! GitHub derives anchors. Scans line by line, and skips code spans and comments.

use std::ops::Range;

use super::destination::resolve_escapes;
use super::html_links::{Attribute, between_attributes};

/// Maximum length in bytes of the text of an HTML heading.
const MAX_HEADING: usize = 1024;

/// Finds anchors in the lines of one document, in order.
#[derive(Debug, Default)]
pub struct AnchorScanner {
    state: State,
    /// The text of the open HTML heading.
    heading: Option<Vec<u8>>,
}

/// An anchor in the HTML of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HtmlAnchor<'a> {
    /// The id of a tag.
    Id(&'a str),
    /// The text of a heading such as `<h1>Title</h1>`.
    Heading(&'a str),
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

    /// Calls `report` with each id on a line, and with each heading that ends on it. The line must
    /// not be code.
    pub fn line(&mut self, line: &[u8], mut report: impl FnMut(HtmlAnchor<'_>)) {
        let is_blank = || line.trim_ascii().is_empty();
        if self.state == State::Text {
            if self.heading.is_none() && memchr::memchr(b'<', line).is_none() {
                return;
            }
        } else if is_blank() && self.state != (State::Comment { block: true }) {
            self.state = State::Text;
            self.heading = None;
            return;
        }
        if self.heading.is_some() && is_blank() {
            self.heading = None;
        }
        let mut at = 0;
        let mut unclosed = Unclosed(0);
        while at < line.len() {
            at = match self.state {
                State::Text if self.heading.is_some() => {
                    match self.scan_heading(line, at, &mut report) {
                        Some(end) => end,
                        None => self.scan_text(line, at, &mut unclosed),
                    }
                }
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

    /// Collects the text of the open heading up to the next tag. Reports the heading at its closing
    /// tag. Returns the position after the text, or `None` if there is an opening tag.
    fn scan_heading(
        &mut self,
        line: &[u8],
        at: usize,
        report: &mut impl FnMut(HtmlAnchor<'_>),
    ) -> Option<usize> {
        let text = self.heading.as_mut()?;
        let next = memchr::memchr(b'<', &line[at..]).map_or(line.len(), |tag| at + tag);
        text.extend_from_slice(&line[at..next]);
        if text.len() > MAX_HEADING {
            self.heading = None;
        } else if let Some(closed) = line[next..].strip_prefix(b"</") {
            if is_heading(closed.get(..2).unwrap_or_default()) {
                let text = resolve_escapes(text, false);
                if let Ok(text) = std::str::from_utf8(&text) {
                    report(HtmlAnchor::Heading(text));
                }
                self.heading = None;
            }
            let end = memchr::memchr(b'>', closed).unwrap_or(closed.len());
            return Some((next + 2 + end + 1).min(line.len()));
        }
        (next > at).then_some(next)
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
        if is_heading(name) {
            self.heading = Some(Vec::new());
        }
        start + 1 + name_length
    }

    /// Parses one attribute, or the end of the tag.
    fn scan_tag(
        &mut self,
        line: &[u8],
        at: usize,
        is_a: bool,
        report: &mut impl FnMut(HtmlAnchor<'_>),
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
            report(HtmlAnchor::Id(id));
        }
        end
    }
}

/// Whether the name of a tag is that of a heading.
fn is_heading(name: &[u8]) -> bool {
    matches!(name, [b'h' | b'H', b'1'..=b'6'])
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

    /// Returns the ids and the texts of the headings in a text.
    fn anchors(text: &str) -> [Vec<String>; 2] {
        let mut scanner = AnchorScanner::new();
        let (mut ids, mut headings) = (Vec::new(), Vec::new());
        for line in text.lines() {
            scanner.line(line.as_bytes(), |anchor| match anchor {
                HtmlAnchor::Id(id) => ids.push(id.to_owned()),
                HtmlAnchor::Heading(text) => headings.push(text.to_owned()),
            });
        }
        [ids, headings]
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(anchors(text)[0], expected);
    }

    #[test]
    fn html_headings_have_the_text_in_their_tags() {
        #[track_caller]
        fn check(text: &str, expected: &[&str]) {
            assert_eq!(anchors(text)[1], expected, "{text}");
        }
        check("<h1 align=\"center\">My Project</h1>", &["My Project"]);
        check("<H2>a</H2><h3>b</h3> c", &["a", "b"]);
        check("<h1>\n  <img src=\"x\">\n  <b>A</b> &amp; B\n</h1>", &["    A & B"]);
        check("<h1>a <a href=\"x\">b</a>\n\nc</h1>", &[]);
        check("<h1>a <!-- b --> c</h1>", &["a  c"]);
        check("<h7>a</h7> <header>b</header> `<h1>c</h1>`", &[]);
        check("<h1 id=x\n title=y>a</h1>", &["a"]);
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
