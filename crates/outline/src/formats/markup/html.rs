//! HTML: headings, ids, and preformatted text. A section ends before the tag that closes an element
//! around its heading, if only tags follow up to the next heading, so that sections contain complete
//! elements.

use std::collections::BTreeMap;

use super::{Line, Markup, Parser, in_one_line, lossy};
use crate::outline::{AnchorKind, Collector};
use crate::structure::{ChangeKind, StructureChange};
use folio_text::span::LineRange;

/// HTML.
#[derive(Debug)]
pub(crate) struct Html;

/// Elements whose content is text without tags.
const RAW: &[&str] = &["script", "style", "textarea", "title", "xmp"];

/// Elements whose tags are in pairs, and which contain other elements.
const PAIRED: &[&str] = &[
    "html",
    "head",
    "body",
    "div",
    "section",
    "article",
    "aside",
    "header",
    "footer",
    "main",
    "nav",
    "figure",
    "form",
    "fieldset",
    "details",
    "blockquote",
    "ul",
    "ol",
    "dl",
    "table",
    "pre",
    "script",
    "style",
    "template",
    "svg",
    "select",
    "button",
];

impl Markup for Html {
    fn parser(&self) -> Box<dyn Parser> {
        Box::<HtmlParser>::default()
    }

    fn rendered(&self, source: &str) -> String {
        let mut shown = String::new();
        let mut rest = source;
        while let Some(at) = rest.find('<') {
            shown.push_str(&rest[..at]);
            let end = if rest[at..].starts_with("<!--") { "-->" } else { ">" };
            rest = rest[at..].split_once(end).map_or("", |(_, rest)| rest);
        }
        shown.push_str(rest);
        let decoded = shown
            .replace("&nbsp;", " ")
            .replace("&#160;", " ")
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&quot;", "\"")
            .replace("&#39;", "'")
            .replace("&apos;", "'")
            .replace("&amp;", "&");
        in_one_line(&decoded)
    }

    fn marks_before_headings(&self) -> &'static [u8] {
        b"<"
    }

    fn is_dense(&self) -> bool {
        true
    }

    /// The tags of an edit must leave the elements around it as they are.
    fn unpaired(&self, old: &[u8], new: &[u8]) -> Option<StructureChange> {
        let (old, new) = (open_elements(old), open_elements(new));
        let name = PAIRED.iter().find(|name| old.get(*name) != new.get(*name))?;
        let net = |counts: &BTreeMap<&str, (i64, i64)>| counts.get(name).map_or(0, |count| count.0);
        let kind = if net(&new) < net(&old) { ChangeKind::Created } else { ChangeKind::Lost };
        let text = format!("</{name}>").into_bytes();
        Some(StructureChange { kind, label: None, line: 0, text })
    }
}

/// Returns for each paired element the number of tags without a partner: opening tags minus closing
/// tags, and closing tags without an opening tag before them.
fn open_elements(text: &[u8]) -> BTreeMap<&'static str, (i64, i64)> {
    let mut counts: BTreeMap<&'static str, (i64, i64)> = BTreeMap::new();
    let mut parser = HtmlParser::default();
    parser.read(text, |_, token| {
        let (name, change) = match token {
            Token::Open(tag) if !tag.text.ends_with(b"/") => (tag.name(), 1),
            Token::Close(tag) => (tag.name(), -1),
            _ => return,
        };
        if let Some(name) = PAIRED.iter().find(|known| **known == name) {
            let count = counts.entry(name).or_default();
            count.0 += change;
            count.1 = count.1.min(count.0);
        }
    });
    counts.retain(|_, count| *count != (0, 0));
    counts
}

/// The text of a tag between its brackets, without the slash of a closing tag.
#[derive(Clone, Copy)]
struct Tag<'a> {
    text: &'a [u8],
    /// Where the tag begins and ends in the line.
    start: usize,
    end: usize,
}

impl Tag<'_> {
    fn name(&self) -> String {
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-:".contains(byte);
        let name: Vec<u8> = self.text.iter().take_while(is_name).copied().collect();
        lossy(&name).to_ascii_lowercase()
    }

    /// Returns the value of an attribute.
    fn attribute(&self, wanted: &str) -> Option<String> {
        let text = lossy(self.text).into_owned();
        let mut rest = text.split_once(char::is_whitespace)?.1.trim_start();
        while !rest.is_empty() {
            let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            let Some(value) = after.trim_start().strip_prefix('=').map(str::trim_start) else {
                rest = if end == 0 { "" } else { after.trim_start() };
                continue;
            };
            let (value, after) = match value.chars().next() {
                Some(quote @ ('"' | '\'')) => {
                    value[1..].split_once(quote).unwrap_or((&value[1..], ""))
                }
                _ => value.split_once(char::is_whitespace).unwrap_or((value, "")),
            };
            if name.eq_ignore_ascii_case(wanted) {
                return Some(value.to_owned());
            }
            rest = after.trim_start();
        }
        None
    }
}

enum Token<'a> {
    Open(Tag<'a>),
    Close(Tag<'a>),
    /// Text other than blanks.
    Text,
}

/// Elements that consist of sections. Text after them does not belong to their last section.
const SECTIONING: &[&str] = &["section", "article", "main", "aside", "nav"];

/// A place at which sections may end: before the tag that closes an element around them, or that
/// opens an element around the next heading; or with the closing tag, if they contain the opening one.
#[derive(Clone, Copy, Debug)]
struct SectionEnd {
    /// Sections that begin before or on this line do not end here.
    after: u64,
    /// The last line of the sections.
    last: u64,
    /// Whether the tag closes an element.
    is_closing: bool,
    /// Whether text may follow.
    is_lasting: bool,
}

/// An element that has no closing tag yet.
#[derive(Clone, Copy, Debug)]
struct OpenElement {
    name: &'static str,
    line: u64,
    /// Whether a heading begins on its line before it.
    is_after_heading: bool,
}

/// What the next byte continues.
#[derive(Debug, Default)]
enum ContinuedText {
    #[default]
    Text,
    Comment,
    /// The text of a tag so far, if it began on an earlier line.
    Tag(Vec<u8>),
    /// An element whose content is text.
    Raw(String),
}

/// A heading that has no closing tag yet.
#[derive(Debug)]
struct OpenHeading {
    level: u8,
    line: u64,
    offset: u64,
    name: Vec<u8>,
    /// Where sections above it may end.
    ends: Vec<SectionEnd>,
}

/// A `<pre>` that has no closing tag yet.
#[derive(Debug, Default)]
struct Preformatted {
    line: u64,
    language: String,
    /// Whether there is text after the tags on the first line.
    has_text: bool,
}

#[derive(Debug, Default)]
struct HtmlParser {
    continued: ContinuedText,
    /// The number of the current line, and of the line on which the current tag began.
    line: u64,
    tag_line: u64,
    heading: Option<OpenHeading>,
    code: Option<Preformatted>,
    /// The open elements that are in pairs.
    open: Vec<OpenElement>,
    /// The line on which the last heading began.
    heading_line: u64,
    ends: Vec<SectionEnd>,
    /// Whether the current line contains more than closing tags.
    is_line_begun: bool,
}

impl HtmlParser {
    /// Opens an element that contains others.
    fn open_element(&mut self, name: &'static str) {
        if self.is_first_in_line() {
            let last = self.tag_line - 1;
            self.ends.push(SectionEnd { after: 0, last, is_closing: false, is_lasting: false });
        }
        let is_after_heading = self.heading_line == self.tag_line;
        self.open.push(OpenElement { name, line: self.tag_line, is_after_heading });
    }

    /// Closes an element, and those in it whose tags are missing.
    fn close_element(&mut self, name: &str) {
        let Some(at) = self.open.iter().rposition(|open| open.name == name) else { return };
        let OpenElement { line, is_after_heading, .. } = self.open[at];
        self.open.truncate(at);
        // An empty element does not end a section.
        self.ends.retain(|end| end.is_closing || end.last + 1 < line);
        let (last, is_lasting) = (self.tag_line, SECTIONING.contains(&name));
        if self.is_first_in_line() {
            let last = last - 1;
            self.ends.push(SectionEnd { after: line, last, is_closing: true, is_lasting });
        }
        // Sections that begin on the line of the opening tag contain both tags.
        if !is_after_heading && self.heading_line >= line && line > 0 {
            let after = line - 1;
            self.ends.push(SectionEnd { after, last, is_closing: true, is_lasting });
        }
    }

    /// Whether only closing tags precede the current tag on its line.
    fn is_first_in_line(&self) -> bool {
        !self.is_line_begun && self.tag_line == self.line && self.line > 0
    }

    /// Forgets the places before text.
    fn read_text(&mut self) {
        self.ends.retain(|end| end.is_lasting);
        self.is_line_begun = true;
    }

    /// Passes the tags of a text to `each`.
    fn read<'t>(&mut self, text: &'t [u8], mut each: impl FnMut(&mut Self, Token<'_>)) {
        let mut at = 0;
        while at < text.len() {
            match std::mem::take(&mut self.continued) {
                ContinuedText::Comment => match memchr::memmem::find(&text[at..], b"-->") {
                    Some(end) => at += end + 3,
                    None => {
                        self.continued = ContinuedText::Comment;
                        return;
                    }
                },
                ContinuedText::Raw(name) => match raw_end(&text[at..], &name) {
                    Some(end) => at += end,
                    None => {
                        self.continued = ContinuedText::Raw(name);
                        return;
                    }
                },
                ContinuedText::Tag(mut begun) => match tag_end(&begun, &text[at..]) {
                    Some(end) => {
                        begun.extend_from_slice(&text[at..at + end]);
                        at += end + 1;
                        self.tag(&begun, (at, at), &mut each);
                    }
                    None => {
                        begun.extend_from_slice(&text[at..]);
                        self.continued = ContinuedText::Tag(begun);
                        return;
                    }
                },
                ContinuedText::Text => {
                    let start = memchr::memchr(b'<', &text[at..]).map(|found| at + found);
                    if !text[at..start.unwrap_or(text.len())].trim_ascii().is_empty() {
                        each(self, Token::Text);
                    }
                    let Some(start) = start else { return };
                    let rest: &'t [u8] = &text[start + 1..];
                    at = start + 1;
                    self.tag_line = self.line;
                    if rest.starts_with(b"!--") {
                        self.continued = ContinuedText::Comment;
                        at += 3;
                    } else if rest
                        .first()
                        .is_some_and(|b| b.is_ascii_alphabetic() || b"/!?".contains(b))
                    {
                        match tag_end(b"", rest) {
                            Some(end) => {
                                at += end + 1;
                                self.tag(&rest[..end], (start, at), &mut each);
                            }
                            None => {
                                self.continued = ContinuedText::Tag(rest.to_vec());
                                return;
                            }
                        }
                    }
                }
            }
        }
    }

    fn tag(
        &mut self,
        text: &[u8],
        (start, end): (usize, usize),
        each: &mut impl FnMut(&mut Self, Token<'_>),
    ) {
        if let Some(text) = text.strip_prefix(b"/") {
            each(self, Token::Close(Tag { text, start, end }));
            return;
        }
        let tag = Tag { text, start, end };
        let name = tag.name();
        if RAW.contains(&name.as_str()) && !text.ends_with(b"/") {
            self.continued = ContinuedText::Raw(name);
        }
        each(self, Token::Open(tag));
    }
}

/// Returns where a tag ends in a text, outside of quoted values. `begun` is the tag before the text.
fn tag_end(begun: &[u8], text: &[u8]) -> Option<usize> {
    let mut quote = None;
    let mut before = b' ';
    for (at, &byte) in begun.iter().chain(text).enumerate() {
        match (byte, quote) {
            (b'"' | b'\'', None) if before == b'=' => quote = Some(byte),
            (byte, Some(open)) if byte == open => quote = None,
            (b'>', None) => return Some(at - begun.len()),
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
    None
}

/// Returns where the closing tag of an element begins.
fn raw_end(text: &[u8], name: &str) -> Option<usize> {
    memchr::memmem::find_iter(text, b"</").find(|at| {
        let end = &text[at + 2..];
        end.get(..name.len()).is_some_and(|end| end.eq_ignore_ascii_case(name.as_bytes()))
    })
}

impl Parser for HtmlParser {
    fn line(&mut self, line: &Line<'_>, collector: &mut Collector) {
        // Text of an open heading in this line begins here.
        let mut name_start = 0;
        self.line = line.number;
        self.is_line_begun = false;
        self.read(line.text, |parser, token| match token {
            Token::Text => parser.read_text(),
            Token::Open(tag) => {
                let name = tag.name();
                let paired = PAIRED.iter().find(|paired| **paired == name);
                match paired.filter(|_| !tag.text.ends_with(b"/")) {
                    Some(name) => parser.open_element(name),
                    None if !is_heading(&name) => parser.read_text(),
                    None => {}
                }
                parser.is_line_begun = true;
                let level = match name.as_bytes() {
                    [b'h', level @ b'1'..=b'6'] => Some(level - b'0'),
                    _ => None,
                };
                let id = tag
                    .attribute("id")
                    .or_else(|| (name == "a").then(|| tag.attribute("name")).flatten());
                let begun = parser.tag_line;
                let heading_line = parser.heading.as_ref().map(|heading| heading.line);
                if let Some(id) = id {
                    let kind = match level.map(|_| begun).or(heading_line) {
                        Some(_) => AnchorKind::HeadingId,
                        None => AnchorKind::Explicit,
                    };
                    collector.anchor(id.as_bytes(), heading_line.unwrap_or(begun), kind);
                }
                if let Some(level) = level.filter(|_| parser.code.is_none()) {
                    name_start = tag.end;
                    let offset = line.offset + tag.end as u64;
                    let (name, ends) = (Vec::new(), std::mem::take(&mut parser.ends));
                    parser.heading_line = begun;
                    parser.heading = Some(OpenHeading { level, line: begun, offset, name, ends });
                } else if name == "pre" && parser.code.is_none() {
                    let language = language(&tag).unwrap_or_default();
                    let has_text = !line.text[tag.end..].trim_ascii().is_empty();
                    parser.code = Some(Preformatted { line: begun, language, has_text });
                } else if let Some(code) = &mut parser.code
                    && name == "code"
                    && code.line == line.number
                {
                    code.has_text = !line.text[tag.end..].trim_ascii().is_empty();
                    if let Some(language) = language(&tag) {
                        code.language = language;
                    }
                }
            }
            Token::Close(tag) => {
                let name = tag.name();
                if name == "pre"
                    && let Some(code) = parser.code.take()
                {
                    let lines = LineRange::from_to(code.line, line.number);
                    let before = line.text[..tag.start].trim_ascii();
                    let ends_alone = before.is_empty() || before == b"</code>";
                    let is_apart = ends_alone && !code.has_text && code.line < line.number;
                    collector.code(lines, u16::from(is_apart), is_apart, code.language.as_bytes());
                }
                parser.close_element(&name);
                let is_end = |heading: &OpenHeading| name == format!("h{}", heading.level);
                if let Some(mut heading) = parser.heading.take_if(|heading| is_end(heading)) {
                    let text = line.text.get(name_start..tag.start).unwrap_or_default();
                    heading.name.extend_from_slice(text);
                    let name = heading.name.trim_ascii_end();
                    let lead = name.len() - name.trim_ascii_start().len();
                    let lines = LineRange::from_to(heading.line, line.number);
                    let offset = heading.offset + lead as u64;
                    for end in &heading.ends {
                        // The next heading may be on the line of the tag.
                        let last = end.last.min(heading.line - 1);
                        collector.end_sections_in(heading.level, end.after, last);
                    }
                    collector.heading(heading.level, lines, &name[lead..], offset);
                }
            }
        });
        // A tag in several lines is a word boundary.
        if let ContinuedText::Tag(begun) = &mut self.continued {
            begun.push(b' ');
        }
        if let Some(heading) = &mut self.heading {
            let text = line.whole.get(name_start..).unwrap_or_default();
            heading.name.extend_from_slice(text);
        }
    }

    fn finish(&mut self, _: u64, collector: &mut Collector) {
        for end in &self.ends {
            collector.end_sections_in(1, end.after, end.last);
        }
    }
}

fn is_heading(name: &str) -> bool {
    matches!(name.as_bytes(), [b'h', b'1'..=b'6'])
}

/// Returns the language that the class of an element names, such as `language-rust`.
fn language(tag: &Tag<'_>) -> Option<String> {
    let class = tag.attribute("class")?;
    let mut classes = class.split_whitespace();
    let prefix = ["language-", "lang-"];
    classes
        .find_map(|class| prefix.iter().find_map(|prefix| class.strip_prefix(prefix)))
        .map(str::to_owned)
}
