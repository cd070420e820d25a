//! Finds the links of a document in any format. MDX is first converted to plain Markdown of the
//! same length by overwriting everything except text.

use std::ops::Range;

use crate::format::Format;
use crate::outline::{Outline, OutlineOptions};
use folio_markdown::front_matter;
use folio_markdown::links::{Link, LinkKind, links};
use folio_markdown::wiki_links::wiki_targets;
use folio_text::span::Span;

/// Returns all links of a UTF-8 document, ordered by the position of their destination.
pub fn document_links(document: &[u8], format: Format) -> Vec<Link> {
    if format != Format::Mdx {
        return links(document);
    }
    let of_tags = |link: &Link| link.kind == LinkKind::Html;
    let mut found = links(&mask_mdx(document, true));
    found.retain(|link| !of_tags(link));
    found.extend(links(&mask_mdx(document, false)).into_iter().filter(of_tags));
    found.sort_by_key(|link| (link.destination.start(), link.destination.end()));
    let (mut at, mut line, mut begin) = (0, 1, 0);
    for link in &mut found {
        let start = link.destination.start() as usize;
        for feed in memchr::memchr_iter(b'\n', &document[at..start]) {
            (line, begin) = (line + 1, at + feed + 1);
        }
        at = start;
        link.line = line;
        link.column = String::from_utf8_lossy(&document[begin..start]).chars().count() as u64 + 1;
    }
    found
}

/// The beginnings of mdBook's include directives, up to the path.
const INCLUDES: [&[u8]; 4] =
    [b"{{#include ", b"{{#rustdoc_include ", b"{{#playground ", b"{{#playpen "];

/// Returns all links of a UTF-8 document, and the paths of files that mdBook includes,
/// ordered by the position of their destination.
pub fn followed_links(document: &[u8], format: Format) -> Vec<Link> {
    let found = document_links(document, format);
    if format != Format::Markdown {
        return found;
    }
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b':' | b'}' | b'%' | b'#');
    let include = |brace: usize| {
        let is_escaped = document[..brace].ends_with(b"\\");
        let include = INCLUDES.iter().find(|name| document[brace..].starts_with(name));
        let start = brace + include.filter(|_| !is_escaped)?.len();
        let end = start + document[start..].iter().position(ends)?;
        let is_path = end > start && matches!(document[end], b':' | b'}' | b' ');
        is_path.then_some(start..end)
    };
    let braces = memchr::memmem::find_iter(document, b"{{#");
    with_links(found, document, LinkKind::Include, braces.filter_map(include))
}

/// Adds the destinations of Hugo's `ref` and `relref` shortcodes to the links of a document.
pub fn with_shortcodes(links: Vec<Link>, document: &[u8]) -> Vec<Link> {
    let shortcode = |at: usize| {
        let before = &document[..at];
        let before = before.strip_suffix(b"rel").unwrap_or(before).trim_ascii_end();
        let is_open = before.ends_with(b"{{<") || before.ends_with(b"{{%");
        let rest = document[at + 4..].trim_ascii_start();
        let rest = rest.strip_prefix(b"path=").unwrap_or(rest);
        let (quote, rest) = rest.split_first()?;
        let length = memchr::memchr(*quote, rest)?;
        let start = document.len() - rest.len();
        let is_path = is_open && matches!(quote, b'"' | b'`') && !rest[..length].contains(&b'\n');
        is_path.then_some(start..start + length)
    };
    let marks = memchr::memmem::find_iter(document, b"ref ");
    with_links(links, document, LinkKind::Shortcode, marks.filter_map(shortcode))
}

/// Adds the wiki links of a document to its other links. MDX has none.
pub fn with_wiki_links(links: Vec<Link>, document: &[u8], format: Format) -> Vec<Link> {
    if format != Format::Markdown {
        return links;
    }
    with_links(links, document, LinkKind::Wiki, wiki_targets(document).into_iter())
}

/// Adds links with these destinations, which are in order, to the links of a document.
fn with_links(
    mut links: Vec<Link>,
    document: &[u8],
    kind: LinkKind,
    destinations: impl Iterator<Item = Range<usize>>,
) -> Vec<Link> {
    let before = links.len();
    let (mut at, mut line, mut column) = (0, 1, 1);
    for Range { start, end } in destinations {
        let mut passed = &document[at..start];
        at = start;
        line += memchr::memchr_iter(b'\n', passed).count() as u64;
        if let Some(feed) = memchr::memrchr(b'\n', passed) {
            (passed, column) = (&passed[feed + 1..], 1);
        }
        column += String::from_utf8_lossy(passed).chars().count() as u64;
        let destination = Span::new(start as u64, end as u64);
        links.push(Link { destination, text: document[start..end].to_vec(), kind, line, column });
    }
    if links.len() > before {
        links.sort_by_key(|link| (link.destination.start(), link.destination.end()));
    }
    links
}

/// Overwrites the code, expressions, modules and indentation of an MDX document. With `fills_tags`,
/// also overwrites its tags.
fn mask_mdx(document: &[u8], fills_tags: bool) -> Vec<u8> {
    let mut text = document.to_vec();
    let braces = Braces::parse(document);
    let start = front_matter::find(document).map_or(0, |found| found.length);
    let options = OutlineOptions { code: true, nameless: true, ..OutlineOptions::default() };
    let outline = Outline::of_part(document, 0, Format::Mdx, options);
    let mut code = outline.code().iter().map(|code| code.lines).peekable();
    let mut line = 1 + memchr::memchr_iter(b'\n', &document[..start]).count() as u64;
    let (mut at, mut is_after_blank) = (start, true);
    while at < text.len() {
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |feed| at + feed);
        while code.next_if(|lines| lines.end() < line).is_some() {}
        let is_code = code.peek().is_some_and(|lines| lines.start() <= line);
        let is_module = is_after_blank
            && [&b"import "[..], b"export "].iter().any(|word| text[at..].starts_with(word));
        is_after_blank = text[at..end].trim_ascii().is_empty();
        let next = if is_code {
            text[at..end].fill(b' ');
            end
        } else if is_module {
            let rest =
                memchr::memmem::find(&text[at..], b"\n\n").map_or(text.len(), |gap| at + gap);
            mask(&mut text[at..rest]);
            rest
        } else {
            let is_blank = |byte: &&u8| matches!(**byte, b' ' | b'\t');
            let blanks = text[at..end].iter().take_while(is_blank).count();
            let is_indented = blanks > 3 || text[at..at + blanks].contains(&b'\t');
            if is_indented && blanks < end - at {
                mask(&mut text[at..at + blanks]);
            }
            mask_inline(&mut text, &braces, at..end, fills_tags)
        };
        line += memchr::memchr_iter(b'\n', &text[at..next]).count() as u64 + 1;
        at = next + 1;
    }
    text
}

/// Overwrites everything except text, starting with one line. Returns the end of the line on which
/// the last overwritten construct ends.
fn mask_inline(text: &mut [u8], braces: &Braces, line: Range<usize>, fills_tags: bool) -> usize {
    let (mut at, mut end) = (line.start, line.end);
    while at < end {
        let (length, fills) = match text[at] {
            b'\\' => (2, false),
            b'`' => (code_span(&text[at..]), true),
            b'{' => (braces.group_length(at), true),
            // The destination of a link may be in angle brackets.
            b'<' if text[..at].ends_with(b"](") => {
                let rest = &text[at..end];
                (memchr::memchr(b'>', rest).map_or(1, |close| close + 1), false)
            }
            b'<' => {
                let length = tag_length(text, braces, at);
                if !fills_tags {
                    join_lines(text, braces, at..at + length);
                }
                (length, fills_tags)
            }
            _ => (1, false),
        };
        let past = (at + length.max(1)).min(text.len());
        if fills && length > 1 {
            mask(&mut text[at..past]);
        }
        if past > end {
            end = memchr::memchr(b'\n', &text[past..]).map_or(text.len(), |feed| past + feed);
        }
        at = past;
    }
    end
}

/// Joins a tag to one line and removes its expressions, so that it is a valid tag in
/// CommonMark.
fn join_lines(text: &mut [u8], braces: &Braces, tag: Range<usize>) {
    let mut at = tag.start + 1;
    while at < tag.end {
        let length = if text[at] == b'{' { braces.group_length(at) } else { 0 };
        // A brace within a quoted value may be closed only after the tag.
        let length = if length > tag.end - at { 0 } else { length };
        // The opening brace of a value marks it as an expression, which is not a destination.
        let is_value = length > 0 && text[at - 1] == b'=';
        mask(&mut text[at + usize::from(is_value)..at + length]);
        text[at..at + length.max(1)].iter_mut().for_each(|byte| {
            if matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        });
        at += length.max(1);
    }
}

/// Replaces every byte, except line endings, with a letter.
fn mask(text: &mut [u8]) {
    text.iter_mut().filter(|byte| !matches!(**byte, b'\n' | b'\r')).for_each(|byte| *byte = b'x');
}

/// Returns the text up to the first blank line.
fn first_paragraph(text: &[u8]) -> &[u8] {
    &text[..memchr::memmem::find(text, b"\n\n").unwrap_or(text.len())]
}

/// Returns the length of the code span at the beginning of a text. If the span is not closed,
/// returns the length of its backticks.
fn code_span(text: &[u8]) -> usize {
    let text = first_paragraph(text);
    let marks = text.iter().take_while(|byte| **byte == b'`').count();
    let mut at = marks;
    while let Some(next) = memchr::memchr(b'`', &text[at..]) {
        let run = text[at + next..].iter().take_while(|byte| **byte == b'`').count();
        at += next + run;
        if run == marks {
            return at;
        }
    }
    marks
}

/// The pairs of braces in a document, matched in one pass. A separate search for each unclosed
/// brace would take quadratic time.
struct Braces {
    /// The offset of each opening brace, and the length up to its closing brace, or 0 if there is
    /// no closing brace.
    lengths: Vec<(usize, usize)>,
}

impl Braces {
    fn parse(text: &[u8]) -> Self {
        let (mut lengths, mut open): (Vec<(usize, usize)>, Vec<usize>) = Default::default();
        for at in memchr::memchr2_iter(b'{', b'}', text) {
            if text[at] == b'{' {
                open.push(lengths.len());
                lengths.push((at, 0));
            } else if let Some(index) = open.pop() {
                lengths[index].1 = at + 1 - lengths[index].0;
            }
        }
        Self { lengths }
    }

    /// Returns the length of the text in braces that begins at an offset, or 0 if the brace is not
    /// closed.
    fn group_length(&self, at: usize) -> usize {
        let found = self.lengths.binary_search_by_key(&at, |(start, _)| *start);
        found.map_or(0, |index| self.lengths[index].1)
    }
}

/// Returns the length of the tag that begins at an offset, or 0 if there is none.
fn tag_length(document: &[u8], braces: &Braces, start: usize) -> usize {
    let text = &document[start..];
    let is_name = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'>' | b'_');
    if !text.get(1).is_some_and(is_name) {
        return 0;
    }
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        at += match byte {
            b'>' => return at + 1,
            b'{' => braces.group_length(start + at).max(1),
            quote @ (b'"' | b'\'') => {
                memchr::memchr(*quote, &text[at + 1..]).map_or(1, |end| end + 2)
            }
            b'\n' if text.get(at + 1) == Some(&b'\n') => return 0,
            _ => 1,
        };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_are_matched_as_by_counting() {
        let counted = |text: &[u8]| {
            let mut depth = 0;
            let ends = text.iter().position(|byte| {
                depth += i32::from(*byte == b'{') - i32::from(*byte == b'}');
                depth == 0
            });
            ends.map_or(0, |end| end + 1)
        };
        for seed in 0..1_u32 << 12 {
            let byte = |at: u32| [b'{', b'}', b'{', b'a'][(seed >> (2 * at) & 3) as usize];
            let text: Vec<u8> = (0..6).map(byte).collect();
            let braces = Braces::parse(&text);
            for at in (0..text.len()).filter(|&at| text[at] == b'{') {
                assert_eq!(braces.group_length(at), counted(&text[at..]), "{text:?} {at}");
            }
        }
    }

    #[test]
    fn includes_have_the_place_of_their_path() {
        let text = "é {{#include a.md}} {{#playground b/c.rs:main}}\
            \n[x](d.md)\n\x20\\{{#include no.md}}\
            {{#include}}{{#include my file}}{{#include e.md:2}}";
        let found = followed_links(text.as_bytes(), Format::Markdown);
        let places = found.iter().map(|link| {
            let span = link.destination.start() as usize..link.destination.end() as usize;
            (&text[span], link.line, link.column)
        });
        let expected =
            [("a.md", 1, 14), ("b/c.rs", 1, 35), ("d.md", 2, 5), ("my", 3, 44), ("e.md", 3, 64)];
        assert_eq!(places.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn shortcodes_have_the_place_of_their_path() {
        let text = "é {{< ref \"a.md#x\" >}} {{% relref `b` %}}\n[x](c.md) {{<relref path=\"d\">}}\
            {{</* ref \"no\" */>}} {{< ref no >}} ref \"no\" {{< ref \"\nno\" >}}";
        let found =
            with_shortcodes(document_links(text.as_bytes(), Format::Markdown), text.as_bytes());
        let places = found.iter().map(|link| {
            let span = link.destination.start() as usize..link.destination.end() as usize;
            (&text[span], link.line, link.column)
        });
        let expected = [("a.md#x", 1, 12), ("b", 1, 36), ("c.md", 2, 5), ("d", 2, 27)];
        assert_eq!(places.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn wiki_links_are_ordered_with_other_links() {
        let text = "é [[b#C|text]]\n[x](a.md) ![[d.png]]\n".as_bytes();
        let found = with_wiki_links(document_links(text, Format::Markdown), text, Format::Markdown);
        let places = found.iter().map(|link| (&*link.text, link.kind, link.line, link.column));
        let expected = [
            (&b"b#C"[..], LinkKind::Wiki, 1, 5),
            (b"a.md", LinkKind::Inline, 2, 5),
            (b"d.png", LinkKind::Wiki, 2, 14),
        ];
        assert_eq!(places.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn links_of_mdx_are_found_in_its_text() {
        let brackets = b"[a](<https://example.org/a_(b)>) [b](<c d.md>)\n";
        let found = document_links(brackets, Format::Mdx);
        assert_eq!(found[0].text, b"https://example.org/a_(b)");
        assert_eq!(found[1].text, b"c d.md");
        let text = "import a from './x'\nexport const l = '[no](no)'\n\n# A {/*id*/}\n\n\
            <Note title=\"<[no](no)>\">\n[a](1.md)\n</Note>\n\n<Tab>\n    See [b](2.md) and\n\n    \
        \t- [c](3.md)\n    ```md\n    [no](no)\n    ```\n</Tab>\n\n{/* [no](no) */} {'[no](no)'}\n\n\
            `<a href=\"no\">` <a href={no}>x</a> <img src={no.b(\n1)} /> <a href=\"4.md\" on={() => '[no](no)'}>x</a>\n<Card\n    href=\"5.md\" on={() => {\n}}\n>\n\
            ![d](6.png)\n</Card>\n\n[e][e] a < b [f](7.md) {\n\n[e]: 8.md\n";
        let found = document_links(text.as_bytes(), Format::Mdx);
        let link_texts = found.iter().map(|link| String::from_utf8_lossy(&link.text).into_owned());
        let expected = ["1.md", "2.md", "3.md", "4.md", "5.md", "6.png", "7.md", "8.md"];
        assert_eq!(link_texts.collect::<Vec<_>>(), expected);
        for link in found {
            let (start, end) = (link.destination.start() as usize, link.destination.end() as usize);
            assert_eq!(text.as_bytes()[start..end], link.text);
            let line = text[..start].matches('\n').count() as u64 + 1;
            assert_eq!(link.line, line);
        }
    }
}
