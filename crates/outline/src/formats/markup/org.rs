//! Org: headlines with their keywords, priorities and tags, `CUSTOM_ID`s, and source and example
//! blocks. The name of a headline does not include the keyword, the priority and the tags.

use super::{Line, Markup, Parser, first_word, in_one_line, offset_in, without_marks};
use crate::outline::{AnchorKind, Collector};
use folio_text::span::LineRange;

/// Org.
#[derive(Debug)]
pub(crate) struct Org;

impl Markup for Org {
    fn parser(&self) -> Box<dyn Parser> {
        let keywords = [&b"TODO"[..], b"DONE"].map(<[u8]>::to_vec).to_vec();
        Box::new(OrgParser { keywords, ..OrgParser::default() })
    }

    fn parser_for(&self, document: &[u8]) -> Box<dyn Parser> {
        let mut parser = OrgParser::default();
        for line in document.split(|byte| *byte == b'\n') {
            parser.read_keywords(line.trim_ascii());
        }
        if parser.keywords.is_empty() { self.parser() } else { Box::new(parser) }
    }

    fn rendered(&self, source: &str) -> String {
        let mut shown = String::new();
        let mut rest = source;
        while let Some((before, link)) = rest.split_once("[[") {
            let Some((link, after)) = link.split_once("]]") else { break };
            shown.push_str(before);
            shown.push_str(link.split_once("][").map_or(link, |(_, text)| text));
            rest = after;
        }
        shown.push_str(rest);
        in_one_line(&without_marks(&shown, &['=', '~', '*', '/', '_', '+']))
    }
}

#[derive(Debug, Default)]
struct OrgParser {
    keywords: Vec<Vec<u8>>,
    /// Whether the document defines its keywords.
    has_keywords: bool,
    /// The last headline, to which properties below it belong.
    headline: u64,
    is_in_drawer: bool,
    /// The open block: its first line, its kind, and its language.
    block: Option<(u64, Vec<u8>, Vec<u8>)>,
}

impl Parser for OrgParser {
    fn line(&mut self, line: &Line<'_>, collector: &mut Collector) {
        let stars = line.text.iter().take_while(|byte| **byte == b'*').count();
        if stars > 0 && matches!(line.text.get(stars), Some(b' ' | b'\t')) {
            // A headline also ends a block that is not closed.
            self.block = None;
            self.is_in_drawer = false;
            self.headline = line.number;
            let name = self.name(&line.text[stars..]);
            let offset = line.offset + offset_in(line.text, name) as u64;
            let level = u8::try_from(stars).unwrap_or(6);
            collector.heading(level, LineRange::line(line.number), name, offset);
            return;
        }
        let text = line.text.trim_ascii();
        if let Some((first, kind, language)) = &self.block {
            let ends = keyword(text, b"#+end_").is_some_and(|end| end.eq_ignore_ascii_case(kind));
            if ends {
                let lines = LineRange::from_to(*first, line.number);
                if is_code(kind) {
                    collector.code(lines, 1, true, language);
                }
                self.block = None;
            }
            return;
        }
        if let Some(begun) = keyword(text, b"#+begin_") {
            let (kind, rest) = first_word(begun);
            if is_code(kind)
                || kind.eq_ignore_ascii_case(b"export")
                || kind.eq_ignore_ascii_case(b"comment")
            {
                let language =
                    if kind.eq_ignore_ascii_case(b"src") { first_word(rest).0 } else { b"" };
                self.block = Some((line.number, kind.to_ascii_lowercase(), language.to_vec()));
            }
        } else if text.eq_ignore_ascii_case(b":PROPERTIES:") {
            self.is_in_drawer = true;
        } else if text.eq_ignore_ascii_case(b":END:") {
            self.is_in_drawer = false;
        } else if self.is_in_drawer {
            if let Some(id) = keyword(text, b":CUSTOM_ID:") {
                let (line, kind) = match self.headline {
                    0 => (line.number, AnchorKind::Explicit),
                    headline => (headline, AnchorKind::HeadingId),
                };
                collector.anchor(id.trim_ascii(), line, kind);
            }
        } else {
            self.read_keywords(text);
            targets(text, line.number, collector);
        }
    }
}

impl OrgParser {
    fn read_keywords(&mut self, text: &[u8]) {
        let kinds: [&[u8]; 3] = [b"#+TODO:", b"#+SEQ_TODO:", b"#+TYP_TODO:"];
        let Some(list) = kinds.iter().find_map(|kind| keyword(text, kind)) else { return };
        if !self.has_keywords {
            self.keywords.clear();
            self.has_keywords = true;
        }
        for word in
            list.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty() && *word != b"|")
        {
            let end = memchr::memchr(b'(', word).unwrap_or(word.len());
            self.keywords.push(word[..end].to_vec());
        }
    }

    /// Returns the text of a headline without its keyword, priority and tags.
    fn name<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        let mut name = text.trim_ascii();
        let (word, rest) = first_word(name);
        if self.keywords.iter().any(|keyword| keyword == word) {
            name = rest;
        }
        if let [b'[', b'#', _, b']', rest @ ..] = name {
            name = rest.trim_ascii();
        }
        let last = name.iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1);
        let is_tag =
            |byte: &u8| byte.is_ascii_alphanumeric() || b"_@#%:".contains(byte) || *byte >= 0x80;
        let tags = &name[last..];
        let are_tags = tags.len() > 2 && tags.starts_with(b":") && tags.ends_with(b":");
        if are_tags && tags.iter().all(is_tag) { name[..last].trim_ascii() } else { name }
    }
}

fn is_code(kind: &[u8]) -> bool {
    kind.eq_ignore_ascii_case(b"src") || kind.eq_ignore_ascii_case(b"example")
}

/// Returns the rest of a line that begins with a keyword, ignoring case.
fn keyword<'a>(text: &'a [u8], keyword: &[u8]) -> Option<&'a [u8]> {
    let (start, rest) = text.split_at_checked(keyword.len())?;
    start.eq_ignore_ascii_case(keyword).then_some(rest)
}

/// Adds the targets in a line, `<<name>>`.
fn targets(text: &[u8], line: u64, collector: &mut Collector) {
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest, b"<<") {
        rest = &rest[at + 2..];
        let Some(end) = memchr::memmem::find(rest, b">>") else { return };
        let id = &rest[..end];
        if !id.starts_with(b"<") && !id.is_empty() && id.trim_ascii() == id {
            collector.anchor(id, line, AnchorKind::Explicit);
        }
        rest = &rest[end + 2..];
    }
}
