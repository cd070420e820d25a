//! Finds the links of a Markdown document: inline links and images, link reference definitions,
//! autolinks, and the destinations in HTML tags. pulldown-cmark finds the links; this module
//! locates the bytes of each destination. It does not resolve destinations to files.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use super::definitions;
use super::destination::resolve_escapes;
use super::front_matter;
use super::html_links::HtmlText;
use folio_text::encoding::Encoding;
use folio_text::lines::count_newlines;
use folio_text::span::Span;

/// The kind of syntax in which a link is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// `[text](destination)`.
    Inline,
    /// `![text](destination)`.
    Image,
    /// `[label]: destination`, even if no link uses the label. If a label is defined several times,
    /// only the first definition counts. `[^label]:` begins a footnote.
    Definition,
    /// `<https://…>` or `<name@host>`.
    Autolink,
    /// A destination in an HTML tag: the value of `href` or `src`, or an image of `srcset`.
    Html,
    /// The path of a file that mdBook includes: `{{#include path}}`.
    Include,
    /// A reference to a page of a Hugo site: `{{< ref "page" >}}` or `{{% relref "page" %}}`.
    Shortcode,
    /// A wiki link: `[[page#Heading|text]]` or `![[image.png]]`.
    Wiki,
}

/// A link in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The bytes of the destination in the document, without `<>` or quotes.
    pub destination: Span,
    /// The destination with escapes and entities resolved.
    pub text: Vec<u8>,
    /// The syntax in which the link is written.
    pub kind: LinkKind,
    /// The line on which the destination begins.
    pub line: u64,
    /// The column, in characters from 1.
    pub column: u64,
}

/// Returns all links of a UTF-8 document, ordered by the position of their destination. Skips a
/// byte order mark and front matter.
pub fn links(document: &[u8]) -> Vec<Link> {
    let Body { mark, start: body, text } = Body::of_document(document);
    let mut found =
        if may_hold_links(text.as_bytes()) { find_destinations(&text) } else { Vec::new() };
    found.sort_by_key(|(range, _)| (range.start, range.end));
    let mut position = Position::new(&document[mark..body]);
    let link_at = |(range, kind): FoundDestination| {
        let (line, column) = position.line_and_column(&text, range.start);
        let destination = Span::new((body + range.start) as u64, (body + range.end) as u64);
        let source = &document[body + range.start..body + range.end];
        let text = match kind {
            LinkKind::Autolink => source.to_vec(),
            kind => resolve_escapes(source, kind != LinkKind::Html),
        };
        Link { destination, text, kind, line, column }
    };
    found.into_iter().map(link_at).collect()
}

/// The part of a document that may contain links: everything after a byte order mark and front
/// matter.
pub(super) struct Body<'a> {
    /// Length of the byte order mark.
    mark: usize,
    /// Offset of the text in the document.
    pub(super) start: usize,
    /// The text.
    pub(super) text: Cow<'a, str>,
}

impl<'a> Body<'a> {
    pub(super) fn of_document(document: &'a [u8]) -> Self {
        let mark = Encoding::detect(document).bom_length(document);
        let start = mark + front_matter::find(&document[mark..]).map_or(0, |found| found.length);
        Self { mark, start, text: mask_invalid(&document[start..]) }
    }
}

/// Replaces each invalid UTF-8 byte with a letter, and each carriage return that does not end a
/// line with a space. Offsets do not change.
fn mask_invalid(text: &[u8]) -> Cow<'_, str> {
    let ends_line = |at: usize| text.get(at + 1) == Some(&b'\n');
    let has_returns = memchr::memchr_iter(b'\r', text).any(|at| !ends_line(at));
    if let Ok(text) = std::str::from_utf8(text)
        && !has_returns
    {
        return Cow::Borrowed(text);
    }
    let mut masked = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            let lone = character == '\r' && !ends_line(masked.len());
            masked.push(if lone { ' ' } else { character });
        }
        masked.extend(chunk.invalid().iter().map(|_| 'x'));
    }
    Cow::Owned(masked)
}

/// Whether the text contains any of the byte sequences without which there are no links.
fn may_hold_links(text: &[u8]) -> bool {
    let brackets = memchr::memchr_iter(b']', text);
    let mut after = brackets.filter_map(|at| text.get(at + 1));
    memchr::memchr(b'<', text).is_some() || after.any(|next| matches!(next, b'(' | b':'))
}

/// Converts offsets to lines and columns. Each offset must be greater than the previous one.
struct Position {
    offset: usize,
    line: u64,
    column: u64,
}

impl Position {
    /// Creates a position at the start of the text that follows `before`.
    fn new(before: &[u8]) -> Self {
        Self { offset: 0, line: 1 + count_newlines(before), column: 1 }
    }

    fn line_and_column(&mut self, text: &str, offset: usize) -> (u64, u64) {
        let between = &text[self.offset..offset];
        if let Some(feed) = between.rfind('\n') {
            self.line += count_newlines(between.as_bytes());
            self.column = 1 + between[feed + 1..].chars().count() as u64;
        } else {
            self.column += between.chars().count() as u64;
        }
        self.offset = offset;
        (self.line, self.column)
    }
}

/// A link or image whose end has not been reached yet.
struct OpenLink {
    /// The range of the link in the text.
    range: Range<usize>,
    /// The end of the part of the link text that has been parsed so far.
    text_end: usize,
    /// The destination. `None` if the destination is in a definition.
    destination: Option<(LinkKind, String)>,
}

/// The range and kind of a destination.
type FoundDestination = (Range<usize>, LinkKind);

fn find_destinations(text: &str) -> Vec<FoundDestination> {
    let parser = Parser::new_ext(text, Options::ENABLE_FOOTNOTES);
    let mut found = Vec::new();
    for (_, definition) in parser.reference_definitions().iter() {
        let destination =
            definition_destination(text.as_bytes(), &definition.span, &definition.dest);
        found.extend(destination.map(|destination| (destination, LinkKind::Definition)));
    }
    add_inline(text, parser, &mut found);
    found
}

/// Adds the destinations of inline links and images, autolinks and HTML.
fn add_inline(text: &str, parser: Parser<'_>, found: &mut Vec<FoundDestination>) {
    let bytes = text.as_bytes();
    let mut open: Vec<OpenLink> = Vec::new();
    let mut html = HtmlText::default();
    for (event, range) in parser.into_offset_iter() {
        if !matches!(event, Event::End(TagEnd::Link | TagEnd::Image))
            && let Some(outer) = open.last_mut()
        {
            outer.text_end = outer.text_end.max(range.end);
        }
        match event {
            Event::Start(Tag::Link { link_type, dest_url, .. }) => {
                open.push(OpenLink::new(link_type, LinkKind::Inline, &dest_url, range));
            }
            Event::Start(Tag::Image { link_type, dest_url, .. }) => {
                open.push(OpenLink::new(link_type, LinkKind::Image, &dest_url, range));
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                found.extend(open.pop().and_then(|open| open.destination(bytes)));
            }
            Event::Html(part) => html.push_text(bytes, range, &part),
            Event::InlineHtml(part) => {
                html.push_text(bytes, range, &part);
                html.take_destinations(|range| found.push((range, LinkKind::Html)));
            }
            Event::End(TagEnd::HtmlBlock) => {
                html.take_destinations(|range| found.push((range, LinkKind::Html)));
            }
            _ => {}
        }
    }
}

impl OpenLink {
    fn new(link_type: LinkType, kind: LinkKind, url: &str, range: Range<usize>) -> Self {
        let kind = match link_type {
            LinkType::Inline => Some(kind),
            LinkType::Autolink | LinkType::Email => Some(LinkKind::Autolink),
            // Reference links have their destination in a definition.
            _ => None,
        };
        let text_end = range.start + 1;
        Self { range, text_end, destination: kind.map(|kind| (kind, url.to_owned())) }
    }

    /// Returns the destination of a link that has ended.
    fn destination(self, text: &[u8]) -> Option<(Range<usize>, LinkKind)> {
        let (kind, url) = self.destination?;
        if kind == LinkKind::Autolink {
            return Some((self.range.start + 1..self.range.end - 1, kind));
        }
        let rest = &text[..self.range.end];
        // The link text usually ends at the first `](`. If it does not, a few more are tried.
        let ends = memchr::memmem::find_iter(&rest[self.text_end..], b"](").take(8);
        ends.map(|at| self.text_end + at + 2)
            .find_map(|at| in_parentheses(rest, at, &url))
            .map(|range| (range, kind))
    }
}

/// The ways to skip the prefix of a line in a block quote: including or excluding its `>`. Both are
/// tried, because a destination may begin with `>`.
const WITH_MARKERS: [bool; 2] = [true, false];

/// Returns the range of the destination in `(destination "title")`. `text` begins with the opening
/// parenthesis at `from` and ends with the closing one.
fn in_parentheses(text: &[u8], from: usize, url: &str) -> Option<Range<usize>> {
    WITH_MARKERS.into_iter().find_map(|markers| {
        let start = skip_separators(text, from, markers);
        let (destination, end) = destination_at(text, start)?;
        let mut at = skip_separators(text, end, markers);
        if at > end
            && let Some(length) = definitions::title(&text[at..])
        {
            at = skip_separators(text, at + length, markers);
        }
        let is_complete = text[at..] == *b")";
        (is_complete && is_resolved_to(&text[destination.clone()], url)).then_some(destination)
    })
}

/// Returns the destination of the definition in `span`.
pub(super) fn definition_destination(
    text: &[u8],
    span: &Range<usize>,
    url: &str,
) -> Option<Range<usize>> {
    let text = &text[..span.end];
    let mut at = span.start + 1;
    while !text.get(at..)?.starts_with(b"]:") {
        at += if text.get(at)? == &b'\\' { 2 } else { 1 };
    }
    WITH_MARKERS.into_iter().find_map(|markers| {
        let start = skip_separators(text, at + 2, markers);
        let (destination, _) = destination_at(text, start)?;
        is_resolved_to(&text[destination.clone()], url).then_some(destination)
    })
}

fn is_resolved_to(source: &[u8], url: &str) -> bool {
    source == url.as_bytes() || resolve_escapes(source, true) == url.as_bytes()
}

/// Returns the offset after blanks, which may include one line ending and the container prefix of
/// the next line.
fn skip_separators(text: &[u8], from: usize, markers: bool) -> usize {
    let skip = |at: usize, passed: &[u8]| {
        at + text[at..].iter().take_while(|byte| passed.contains(byte)).count()
    };
    let at = skip(from, b" \t");
    match &text[at..] {
        [b'\r', b'\n', ..] => skip(at + 2, if markers { b" \t>" } else { b" \t" }),
        [b'\n' | b'\r', ..] => skip(at + 1, if markers { b" \t>" } else { b" \t" }),
        _ => at,
    }
}

/// Returns the range of the destination at an offset, without `<>`, and the offset after the
/// destination.
fn destination_at(text: &[u8], start: usize) -> Option<(Range<usize>, usize)> {
    match (text.get(start), definitions::destination(text.get(start..)?)) {
        (Some(b'<'), length) => {
            let end = start + length?;
            Some((start + 1..end - 1, end))
        }
        (_, length) => {
            let end = start + length.unwrap_or(0);
            Some((start..end, end))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LinkKind::*;
    use super::*;

    /// The kind, the source text and the resolved text of an expected link.
    type Expected<'a> = (LinkKind, &'a str, &'a str);

    #[track_caller]
    fn check(document: &str, expected: &[Expected<'_>]) {
        let links = links(document.as_bytes());
        let found: Vec<Expected<'_>> = links
            .iter()
            .map(|link| {
                let range = link.destination.start() as usize..link.destination.end() as usize;
                let text = std::str::from_utf8(&link.text).expect("text");
                (link.kind, &document[range], text)
            })
            .collect();
        assert_eq!(found, expected, "{document:?}");
    }

    /// Checks a document with one inline link.
    #[track_caller]
    fn check_single(document: &str, destination: &str) {
        check(document, &[(Inline, destination, destination)]);
    }

    #[test]
    fn destinations_are_found_in_links() {
        check_single("[a](x)", "x");
        check_single("[a]( <x y> )", "x y");
        check_single("[a](x \"t\")", "x");
        check_single("[a](x 't (x) \\' ')", "x");
        check_single("[a](x (t\nt))", "x");
        check_single("[a](x(y)z)", "x(y)z");
        check_single("[a](\n x\n 't')", "x");
        check_single("[a]()", "");
        check_single("[a](<>)", "");
        check_single("[](x)", "x");
        check_single("[a](<x>)](y)", "x");
        check_single("[`](y)`](x)", "x");
        check_single("[a *b* [c] \\] ](x)", "x");
        check_single("*[a](x)*", "x");
        check_single("# [a](#x)", "#x");
        check("[a](x\\_y&amp;z)", &[(Inline, "x\\_y&amp;z", "x_y&z")]);
        check("[a](x\\)y)", &[(Inline, "x\\)y", "x)y")]);
        check("[a](a%20b)", &[(Inline, "a%20b", "a%20b")]);
        check("[a](x) [b](x)", &[(Inline, "x", "x"), (Inline, "x", "x")]);
        check("![a](x)", &[(Image, "x", "x")]);
        check("[![a](x)](y)", &[(Image, "x", "x"), (Inline, "y", "y")]);
        check("[a ![b [c](z)](x) d](y)", &[(Inline, "z", "z"), (Image, "x", "x")]);
    }

    #[test]
    fn links_in_containers_are_found() {
        check_single("> [a](\n> x\n> 't\n> t')", "x");
        check_single("> [a\n> b](x)", "x");
        check_single("> [a](\nx)", "x");
        check_single("- > [a](\n  > x)", "x");
        check("> [a](\n> \\>x)", &[(Inline, "\\>x", ">x")]);
        check("> [a]:\n> x\n> 't'\n\n[a]", &[(Definition, "x", "x")]);
        check("- [a]:\n  x", &[(Definition, "x", "x")]);
    }

    #[test]
    fn definitions_are_links_whether_used_or_not() {
        check(
            "[a]\n\n[a]: x 't'\n[b]: <y z>\n",
            &[(Definition, "x", "x"), (Definition, "y z", "y z")],
        );
        check("[a]: x\n[a]: y\n", &[(Definition, "x", "x")]);
        check("[a\\]]: x", &[(Definition, "x", "x")]);
        check("[t][a] [a][] [a]\n\n[a]: x", &[(Definition, "x", "x")]);
        check("[a]:\n   x\n   (t\nt)\n", &[(Definition, "x", "x")]);
        check("text\n[a]: x", &[]);
        check("[^a] [^b]\n\n[^a]: [x](y#z)\n[^b]: word\n", &[(Inline, "y#z", "y#z")]);
        check("[^a]: More [x](y)\n", &[(Inline, "y", "y")]);
        let text = "a[^1]\n\n[^1]: [b](x)\n\n    [c](y)\n\n        [d](z)\n\n    [e](w)\n";
        check(text, &[(Inline, "x", "x"), (Inline, "y", "y"), (Inline, "w", "w")]);
        check("[a]: a&auml;\\*b", &[(Definition, "a&auml;\\*b", "aä*b")]);
    }

    #[test]
    fn tags_and_autolinks_are_links() {
        check(
            "<https://a.b/c> <d@e.f>",
            &[(Autolink, "https://a.b/c", "https://a.b/c"), (Autolink, "d@e.f", "d@e.f")],
        );
        check("a <a href=\"x&amp;y\">b</a>", &[(Html, "x&amp;y", "x&y")]);
        check("<p>\n<img\n  src='x'>\n</p>\n", &[(Html, "x", "x")]);
        check("> <p>\n> <img\n> src='x'>\n", &[(Html, "x", "x")]);
        check("> a <img\n> src='x'\n> alt='y'> b\n", &[(Html, "x", "x")]);
        check("[<img src=\"x\">](y)", &[(Html, "x", "x"), (Inline, "y", "y")]);
        check("<a href=\"a\\_b\">", &[(Html, "a\\_b", "a\\_b")]);
    }

    #[test]
    fn code_and_comments_contain_no_links() {
        check("`[a](x)` [a]\\(x) \\[a](x)", &[]);
        check("```\n[a](x)\n<a href='x'>\n```\n    [a](x)\n", &[]);
        check("<!-- [a](x) <a href='x'> -->\n", &[]);
        check("a <!-- [a](x) <a href='x'> -->", &[]);
        check("<!--\n\n[a](x)\n\n-->\n[b](y)", &[(Inline, "y", "y")]);
        check("[a](x y) [b] (z)", &[]);
        check("    code\r[a](x)\r\n[b](y)", &[(Inline, "y", "y")]);
    }

    #[test]
    fn positions_refer_to_the_document() {
        let place = |document: &[u8]| {
            let found = links(document);
            found.iter().map(|link| (link.line, link.column)).collect::<Vec<_>>()
        };
        assert_eq!(
            place("\u{feff}---\nt: [a](x)\n---\nä [b](y)\r\n[c](z)".as_bytes()),
            [(4, 7), (5, 5)]
        );
        assert_eq!(place("\u{feff}[b](y)".as_bytes()), [(1, 5)]);
        assert_eq!(place(b"\xff [a](x)\n\n[b](y) [c](z)"), [(1, 7), (3, 5), (3, 12)]);
        let found = links(b"\xff [a](\xffx\\_)");
        assert_eq!(found[0].text, b"\xffx_");
        assert_eq!(found[0].destination, Span::new(6, 10));
    }
}
