//! Org: headlines with their keywords, priorities and tags, `CUSTOM_ID`s, and source and example
//! blocks. The name of a headline does not include the keyword, the priority and the tags. The dates
//! and properties directly below a headline are part of the heading.

use std::ops::Range;

use super::{Line, Markup, Parser, first_word, in_one_line, without_marks};
use crate::outline::{AnchorKind, Collector};
use folio_text::ini_dialect::IniDialect;
use folio_text::org::{self, Headlines};
use folio_text::span::LineRange;

/// Org.
#[derive(Debug)]
pub(crate) struct Org;

impl Markup for Org {
    fn parser(&self) -> Box<dyn Parser> {
        Box::<OrgParser>::default()
    }

    fn parser_for(&self, document: &[u8]) -> Box<dyn Parser> {
        let mut parser = OrgParser::default();
        for line in document.split(|byte| *byte == b'\n') {
            parser.headlines.read_keywords(line.trim_ascii());
        }
        Box::new(parser)
    }

    fn title(&self, _: &[&[u8]], name: usize) -> Range<usize> {
        name..name + 1
    }

    fn keys(&self) -> Option<IniDialect> {
        Some(IniDialect::Org)
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
    headlines: Headlines,
    /// The last headline, to which properties below it belong.
    headline: u64,
    is_in_drawer: bool,
    /// A headline whose dates and properties may follow.
    open: Option<OpenHeading>,
    /// The open block: its first line, its kind, and its language.
    block: Option<(u64, Vec<u8>, Vec<u8>)>,
}

/// A headline, and the last line that belongs to it.
#[derive(Debug)]
struct OpenHeading {
    level: u8,
    lines: LineRange,
    name: Vec<u8>,
    offset: u64,
    /// The line of the headline or its dates. Properties may only follow directly below it.
    last: u64,
}

impl OrgParser {
    /// Adds the headline above, which ends.
    fn end_heading(&mut self, collector: &mut Collector) {
        if let Some(open) = self.open.take() {
            collector.heading(open.level, open.lines, &open.name, open.offset);
        }
    }

    /// Reads a line that may belong to the headline above.
    fn read_heading(&mut self, line: &Line<'_>, text: &[u8], collector: &mut Collector) {
        let Some(open) = &mut self.open else { return };
        let is_next = open.last + 1 == line.number;
        if self.is_in_drawer && text.eq_ignore_ascii_case(b":END:") {
            open.lines = LineRange::from_to(open.lines.start(), line.number);
        } else if is_next && org::is_planning(text) && open.lines.count() == 1 {
            open.lines = LineRange::from_to(open.lines.start(), line.number);
            open.last = line.number;
            return;
        } else if is_next && text.eq_ignore_ascii_case(b":PROPERTIES:")
            || self.is_in_drawer && org::is_property(text)
        {
            return;
        } else {
            self.is_in_drawer = false;
        }
        self.end_heading(collector);
    }
}

impl Parser for OrgParser {
    fn line(&mut self, line: &Line<'_>, collector: &mut Collector) {
        let name = self.headlines.name(line.text);
        if let Some((stars, name)) = org::stars(line.text).zip(name) {
            self.end_heading(collector);
            // A headline also ends a block that is not closed.
            self.block = None;
            self.is_in_drawer = false;
            self.headline = line.number;
            let offset = line.offset + name.start as u64;
            let level = u8::try_from(stars).unwrap_or(6);
            let (lines, name) = (LineRange::line(line.number), line.text[name].to_vec());
            self.open = Some(OpenHeading { level, lines, name, offset, last: line.number });
            return;
        }
        let text = line.text.trim_ascii();
        self.read_heading(line, text, collector);
        if let Some((first, kind, language)) = &self.block {
            let ends =
                org::after(text, b"#+end_").is_some_and(|end| end.eq_ignore_ascii_case(kind));
            if ends {
                let lines = LineRange::from_to(*first, line.number);
                if is_code(kind) {
                    collector.code(lines, 1, true, language);
                }
                self.block = None;
            }
            return;
        }
        if let Some(begun) = org::after(text, b"#+begin_") {
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
            if let Some(id) = org::after(text, b":CUSTOM_ID:") {
                let (line, kind) = match self.headline {
                    0 => (line.number, AnchorKind::Explicit),
                    headline => (headline, AnchorKind::HeadingId),
                };
                collector.anchor(id.trim_ascii(), line, kind);
            }
        } else {
            self.headlines.read_keywords(text);
            targets(text, line.number, collector);
        }
    }

    fn finish(&mut self, _: u64, collector: &mut Collector) {
        self.end_heading(collector);
    }
}

fn is_code(kind: &[u8]) -> bool {
    kind.eq_ignore_ascii_case(b"src") || kind.eq_ignore_ascii_case(b"example")
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
