//! Finds the destinations in the HTML of a document: the values of `href` and `src`, and the images
//! of `srcset`. Skips comments, scripts and styles. This is not an HTML parser, but reads tags as
//! they are commonly written.

use std::ops::Range;

/// HTML collected from a document, with the position of each piece in the document.
#[derive(Debug, Default)]
pub(super) struct HtmlText {
    text: Vec<u8>,
    /// For each piece, its offset in `text` and its offset in the document. The second offset is
    /// `None` if the document does not contain the piece verbatim.
    parts: Vec<(usize, Option<usize>)>,
}

impl HtmlText {
    /// Adds a piece. `text` is the content of `range` of the document without container prefixes.
    pub(super) fn push_text(&mut self, document: &[u8], range: Range<usize>, text: &str) {
        let source = &document[range.clone()];
        let mut start = range.start;
        let mut lines = source.split_inclusive(|byte| *byte == b'\n');
        for line in text.as_bytes().split_inclusive(|byte| *byte == b'\n') {
            let source_line = lines.next().unwrap_or_default();
            let content = line.strip_suffix(b"\n").unwrap_or(line);
            let content = content.strip_suffix(b"\r").unwrap_or(content);
            let written = source_line.trim_ascii_end();
            let at = written.strip_suffix(content.trim_ascii_end()).map(<[u8]>::len);
            self.parts.push((self.text.len(), at.map(|at| start + at)));
            self.text.extend_from_slice(line);
            start += source_line.len();
        }
    }

    /// Calls `report` with the range of each destination in the document, and clears the collected
    /// text.
    pub(super) fn take_destinations(&mut self, mut report: impl FnMut(Range<usize>)) {
        each_destination(&self.text, |value| {
            if let (Some(start), Some(end)) =
                (self.document_offset(value.start), self.document_offset(value.end))
                && end.saturating_sub(start) == value.len()
            {
                report(start..end);
            }
        });
        self.text.clear();
        self.parts.clear();
    }

    /// Converts an offset in the text to an offset in the document.
    fn document_offset(&self, offset: usize) -> Option<usize> {
        let part = self.parts.partition_point(|(start, _)| *start <= offset).checked_sub(1)?;
        let (start, place) = self.parts[part];
        place.map(|place| place + offset - start)
    }
}

/// Calls `report` with each value of `href` or `src` and each image of `srcset`.
fn each_destination(text: &[u8], mut report: impl FnMut(Range<usize>)) {
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'<', &text[at..]) {
        let start = at + next;
        let rest = &text[start + 1..];
        at = start + 1;
        if let Some(end) = skipped_length(rest) {
            at += end;
        } else if rest.first().is_some_and(u8::is_ascii_alphabetic) {
            at += name_length(rest);
            let name = &text[start + 1..at];
            at = scan_attributes(text, at, &mut report);
            if [&b"script"[..], b"style"].iter().any(|raw| name.eq_ignore_ascii_case(raw)) {
                at += raw_length(&text[at..], name);
            }
        }
    }
}

/// Returns the length of a comment, declaration, instruction or closing tag, without its `<`. The
/// scan skips these constructs.
fn skipped_length(text: &[u8]) -> Option<usize> {
    let forms: [(&[u8], &[u8]); 5] =
        [(b"!--", b"-->"), (b"![CDATA[", b"]]>"), (b"?", b"?>"), (b"!", b">"), (b"/", b">")];
    let (begin, end) = forms.into_iter().find(|(begin, _)| text.starts_with(begin))?;
    // `<!-->` is a complete comment.
    let from = if end == b"-->" { 1 } else { begin.len() };
    let found = memchr::memmem::find(&text[from..], end);
    Some(found.map_or(text.len(), |at| from + at + end.len()))
}

fn name_length(text: &[u8]) -> usize {
    let ends_name = |byte: &u8| byte.is_ascii_whitespace() || b"=>/<\"'".contains(byte);
    text.iter().position(ends_name).unwrap_or(text.len())
}

/// Returns the length of the text before the closing tag of `name`.
fn raw_length(text: &[u8], name: &[u8]) -> usize {
    let closes_tag = |at: &usize| {
        let rest = text[*at..].strip_prefix(b"</").unwrap_or_default();
        rest.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
    };
    memchr::memchr_iter(b'<', text).find(closes_tag).unwrap_or(text.len())
}

/// Parses the attributes of a tag up to its end.
fn scan_attributes(text: &[u8], from: usize, report: &mut impl FnMut(Range<usize>)) -> usize {
    let mut at = from;
    loop {
        at = between_attributes(text, at);
        match text.get(at) {
            None | Some(b'<') => return at,
            Some(b'>') => return at + 1,
            _ => {}
        }
        let Some(attribute) = Attribute::parse(text, at) else {
            // This character cannot be part of an attribute, so it is skipped.
            at += 1;
            continue;
        };
        at = attribute.end;
        let Some(value) = attribute.value else { continue };
        let is_named = |other: &[u8]| attribute.name.eq_ignore_ascii_case(other);
        // A value in braces is an expression.
        if text.get(value.start) == Some(&b'{') {
            continue;
        }
        if is_named(b"href") || is_named(b"src") {
            report(trim_range(text, value));
        } else if is_named(b"srcset") {
            srcset_images(text, value, report);
        }
    }
}

/// Calls `report` with each image of a `srcset`, such as `a.png 1x, b.png 2x`.
fn srcset_images(text: &[u8], value: Range<usize>, report: &mut impl FnMut(Range<usize>)) {
    let length = |at: usize, until: fn(&u8) -> bool| {
        let rest = &text[at..value.end];
        rest.iter().position(until).unwrap_or(rest.len())
    };
    let mut at = value.start;
    while at < value.end {
        at += length(at, |byte| !byte.is_ascii_whitespace() && *byte != b',');
        let end = at + length(at, u8::is_ascii_whitespace);
        // A name may contain commas, but must not end in one.
        let commas = text[at..end].iter().rev().take_while(|byte| **byte == b',').count();
        if at < end - commas {
            report(at..end - commas);
        }
        at = if commas > 0 { end } else { end + length(end, |byte| *byte == b',') };
    }
}

/// An attribute of a tag.
pub(super) struct Attribute<'a> {
    pub(super) name: &'a [u8],
    /// The value without its quotes.
    pub(super) value: Option<Range<usize>>,
    /// The offset after the attribute, or the end of the text if the quotes are not closed.
    pub(super) end: usize,
}

impl<'a> Attribute<'a> {
    /// Parses the attribute at an offset. Returns `None` if the text at that offset cannot be a
    /// name.
    pub(super) fn parse(text: &'a [u8], start: usize) -> Option<Self> {
        let after_blanks = |at: usize| {
            at + text[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count()
        };
        let name_end = start + name_length(&text[start..]);
        let name = &text[start..name_end];
        let equals = after_blanks(name_end);
        let (value, end) = match text.get(equals) {
            _ if name.is_empty() => return None,
            Some(b'=') => match parse_value(text, after_blanks(equals + 1)) {
                Some((value, end)) => (Some(value), end),
                None => (None, text.len()),
            },
            _ => (None, name_end),
        };
        Some(Self { name, value, end })
    }
}

/// Returns the offset after blanks and slashes.
pub(super) fn between_attributes(text: &[u8], at: usize) -> usize {
    let is_separator = |byte: &&u8| byte.is_ascii_whitespace() || **byte == b'/';
    at + text[at..].iter().take_while(is_separator).count()
}

/// Returns the range of the value at an offset, without its quotes, and the offset after the value.
/// Returns `None` if the quotes are not closed.
fn parse_value(text: &[u8], start: usize) -> Option<(Range<usize>, usize)> {
    if let Some(&quote @ (b'"' | b'\'')) = text.get(start) {
        let length = memchr::memchr(quote, &text[start + 1..])?;
        return Some((start + 1..start + 1 + length, start + length + 2));
    }
    let ends_value = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'>';
    let length = text[start..].iter().position(ends_value).unwrap_or(text.len() - start);
    Some((start..start + length, start + length))
}

fn trim_range(text: &[u8], range: Range<usize>) -> Range<usize> {
    let value = &text[range.clone()];
    let start = range.start + value.len() - value.trim_ascii_start().len();
    start..start + value.trim_ascii().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut found = Vec::new();
        each_destination(text.as_bytes(), |range| found.push(&text[range]));
        assert_eq!(found, expected);
    }

    #[test]
    fn values_of_href_and_src_are_destinations() {
        check("<a href=\"x\">", &["x"]);
        check("<img\n alt='y' SRC = ' x.png '/>", &["x.png"]);
        check("<a href=x#y title=z><img src=w>", &["x#y", "w"]);
        check("<a href=''>", &[""]);
        check("<a data-href='x' hrefs='y' href>", &[]);
        check("<Link href={url}>", &[]);
        check(
            "<img srcset='a.png 1x, b,c.png 2x,d.png' src=e>",
            &["a.png", "b,c.png", "d.png", "e"],
        );
        check("<source srcset=\"x.png, y.png\"><source srcset=''>", &["x.png", "y.png"]);
        check("<a title='href=\"x\"' href='y'>", &["y"]);
        check("a < b href='x'", &[]);
        check("<a href='x", &[]);
    }

    #[test]
    fn comments_scripts_and_styles_contain_no_destinations() {
        check("<!-- <a href='x'> --><a href='y'>", &["y"]);
        check("<!--><a href='x'>", &["x"]);
        check("<!-- <a href='x'>", &[]);
        check("<script src='x'>\"<a href='y'>\"</SCRIPT><a href='z'>", &["x", "z"]);
        check("<style><a href='x'></style>", &[]);
        check("<![CDATA[<a href='x'>]]><? <a href='y'> ?></a href='z'>", &[]);
    }
}
