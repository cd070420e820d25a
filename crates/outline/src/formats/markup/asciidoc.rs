//! AsciiDoc: sections with `=` or `#` marks or underlines, block anchors, and listing and literal
//! blocks. Sections are recognized only where Asciidoctor recognizes them: between blocks. Includes
//! and conditions are not evaluated.

use std::ops::Range;

use super::{Line, Markup, Parser, in_one_line, lossy, offset_in, without_marks};
use crate::outline::{AnchorKind, Collector};
use folio_text::asciidoc::{
    any_attribute, is_comment, is_preprocessed, marked_title, underline_level,
};
use folio_text::ini_dialect::IniDialect;
use folio_text::lines::{lines_with_ends, without_end};
use folio_text::span::LineRange;

/// AsciiDoc.
#[derive(Debug)]
pub(crate) struct AsciiDoc;

impl Markup for AsciiDoc {
    fn parser(&self) -> Box<dyn Parser> {
        Box::<AsciiDocParser>::default()
    }

    fn title(&self, heading: &[&[u8]], name: usize) -> Range<usize> {
        name..heading.len()
    }

    fn keys(&self) -> Option<IniDialect> {
        Some(IniDialect::AsciiDoc)
    }

    fn rendered(&self, source: &str) -> String {
        let mut shown = source.to_owned();
        while let Some((start, rest)) = shown.split_once("[[")
            && let Some((_, end)) = rest.split_once("]]")
        {
            shown = format!("{start}{end}");
        }
        in_one_line(&without_marks(&shown, &['`', '*', '_', '#', '+']))
    }

    /// An underline gets the length of the text.
    fn renamed(&self, heading: &[u8], name: Range<usize>, text: &[u8]) -> Vec<u8> {
        let renamed = [&heading[..name.start], text, &heading[name.end..]].concat();
        let Some(last) = lines_with_ends(&renamed).last() else { return renamed };
        let line = without_end(last);
        let first_of_name = lines_with_ends(heading).last().map_or(0, <[u8]>::len);
        if name.start >= heading.len() - first_of_name {
            return renamed;
        }
        let Some(mark) = line.first() else { return renamed };
        let before = renamed.len() - last.len();
        let length = lossy(text).chars().count();
        [&renamed[..before], &vec![*mark; length], &last[line.len()..]].concat()
    }

    fn marks_before_headings(&self) -> &'static [u8] {
        b"[/.:"
    }
}

/// What the next line continues.
#[derive(Debug, Default)]
enum ContinuedBlock {
    /// Nothing: the next line begins a block.
    #[default]
    Between,
    /// The first line of a paragraph, which may have an underline.
    Title(Vec<u8>, u64, u64),
    /// A paragraph.
    Paragraph,
}

#[derive(Debug, Default)]
struct AsciiDocParser {
    continued: ContinuedBlock,
    /// The delimiters of the open blocks that contain other blocks.
    containers: Vec<Vec<u8>>,
    /// The open block whose lines are not parsed: its delimiter, and whether it is code.
    verbatim: Option<(Vec<u8>, bool)>,
    /// The first line of the open block and its attributes, the number of lines before its
    /// contents, and its language.
    code: (u64, u16, Vec<u8>),
    /// The first of the lines with the attributes of the next block.
    attributes: Option<u64>,
    language: Vec<u8>,
    is_source: bool,
    is_discrete: bool,
    anchors: Vec<(u64, Vec<u8>)>,
}

impl Parser for AsciiDocParser {
    fn line(&mut self, line: &Line<'_>, collector: &mut Collector) {
        let text = line.text.trim_ascii_end();
        if let Some((delimiter, is_code)) = &self.verbatim {
            if text == delimiter {
                if *is_code {
                    let (first, opening, language) = std::mem::take(&mut self.code);
                    let lines = LineRange::from_to(first, line.number);
                    collector.code(lines, opening, true, &language);
                }
                self.verbatim = None;
            }
            return;
        }
        if text.is_empty() {
            self.continued = ContinuedBlock::Between;
            return;
        }
        let continued = std::mem::take(&mut self.continued);
        if let ContinuedBlock::Title(title, number, offset) = &continued
            && self.containers.is_empty()
            && let Some(level) = underline_level(title, text)
        {
            self.heading(level, (*number, line.number), title, *offset, collector);
            return;
        }
        if self.delimiter(line, text, collector) {
            return;
        }
        let is_attributes = text.starts_with(b"[") && text.ends_with(b"]");
        if is_attributes && self.attribute_line(line.number, text) {
            return;
        }
        inline_anchors(text, line.number, collector);
        if !matches!(continued, ContinuedBlock::Between) {
            self.continued = ContinuedBlock::Paragraph;
            return;
        }
        if is_comment(text) || is_preprocessed(text) || any_attribute(text).is_some() {
            return;
        }
        if text[0] == b'.' && text.len() > 1 && !matches!(text[1], b'.' | b' ' | b'\t') {
            // The title of a block.
            self.attributes.get_or_insert(line.number);
            return;
        }
        if let Some((level, title)) = marked_title(text)
            && self.containers.is_empty()
        {
            let lines = (line.number, line.number);
            let offset = line.offset + offset_in(line.text, title) as u64;
            self.heading(level, lines, title, offset, collector);
            if level == 1 {
                // The author and the revision follow the title of a document.
                self.continued = ContinuedBlock::Paragraph;
            }
            return;
        }
        let was_discrete = self.is_discrete;
        self.end_attributes(collector);
        let may_be_title = text[0] != b'.' && !was_discrete && !text[0].is_ascii_whitespace();
        self.continued = if may_be_title {
            ContinuedBlock::Title(text.to_vec(), line.number, line.offset)
        } else {
            ContinuedBlock::Paragraph
        };
    }

    fn finish(&mut self, lines: u64, collector: &mut Collector) {
        if let Some((_, true)) = self.verbatim {
            let (first, opening, language) = std::mem::take(&mut self.code);
            collector.code(LineRange::from_to(first, lines), opening, false, &language);
        }
        self.end_attributes(collector);
    }
}

impl AsciiDocParser {
    /// Begins or ends a block at its delimiter. Returns whether the line is one.
    fn delimiter(&mut self, line: &Line<'_>, text: &[u8], collector: &mut Collector) -> bool {
        if self.containers.iter().any(|open| open == text) {
            while self.containers.pop().is_some_and(|open| open != text) {}
            self.end_attributes(collector);
            return true;
        }
        let first = text[0];
        let is_run = text.len() >= 4 && text.iter().all(|byte| *byte == first);
        let is_fenced = text.starts_with(b"```") && (text.len() == 3 || !text[3..].contains(&b'`'));
        let is_open = text == b"--";
        let is_table =
            text.len() >= 4 && b"|,:!".contains(&first) && text[1..].iter().all(|b| *b == b'=');
        let is_code = match first {
            b'-' | b'.' if is_run => true,
            _ if is_fenced => true,
            b'-' if is_open && self.is_source => true,
            b'+' | b'/' if is_run => false,
            _ if is_table => false,
            b'=' | b'*' | b'_' | b'-' if is_run || is_open => {
                self.containers.push(text.to_vec());
                self.end_attributes(collector);
                return true;
            }
            _ => return false,
        };
        let begun = self.attributes.unwrap_or(line.number);
        let language = match &text[3.min(text.len())..] {
            language if is_fenced => language.trim_ascii().to_vec(),
            _ => std::mem::take(&mut self.language),
        };
        let opening = u16::try_from(line.number + 1 - begun).unwrap_or(u16::MAX);
        self.code = (begun, opening, language);
        let delimiter = if is_fenced { &text[..3] } else { text };
        self.verbatim = Some((delimiter.to_vec(), is_code));
        self.end_attributes(collector);
        true
    }

    /// Reads a line of block attributes. Returns whether it is one.
    fn attribute_line(&mut self, number: u64, text: &[u8]) -> bool {
        let inner = &text[1..text.len() - 1];
        if let Some(id) = inner.strip_prefix(b"[") {
            let Some(id) = id.strip_suffix(b"]") else { return false };
            let end = memchr::memchr(b',', id).unwrap_or(id.len());
            self.anchors.push((number, id[..end].to_vec()));
            self.attributes.get_or_insert(number);
            return true;
        }
        let may_begin = |byte: &u8| {
            byte.is_ascii_alphanumeric() || b"_.#%,\"'{ ".contains(byte) || *byte >= 0x80
        };
        if !inner.first().is_none_or(may_begin) {
            return false;
        }
        self.attributes.get_or_insert(number);
        let mut values = inner.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
        let first = values.next().unwrap_or_default();
        let end = first.iter().position(|byte| b"#.%".contains(byte)).unwrap_or(first.len());
        let style = &first[..end];
        self.is_source |= style == b"source";
        self.is_discrete |= style == b"discrete" || style == b"float";
        let second = values.next().filter(|value| !value.contains(&b'='));
        let language = second.filter(|_| matches!(style, b"source" | b"" | b"listing"));
        if let Some(language) = language.filter(|language| !language.is_empty()) {
            self.language = language.to_vec();
        }
        if let Some(at) = memchr::memchr(b'#', first) {
            let id = &first[at + 1..];
            let end = id.iter().position(|byte| b".%".contains(byte)).unwrap_or(id.len());
            self.anchors.push((number, id[..end].to_vec()));
        }
        true
    }

    /// Forgets the attributes of a block that is not a section.
    fn end_attributes(&mut self, collector: &mut Collector) {
        self.attributes = None;
        (self.is_source, self.is_discrete) = (false, false);
        self.language.clear();
        for (line, id) in self.anchors.drain(..) {
            collector.anchor(&id, line, AnchorKind::Explicit);
        }
    }

    fn heading(
        &mut self,
        level: u8,
        (first, last): (u64, u64),
        title: &[u8],
        offset: u64,
        collector: &mut Collector,
    ) {
        if self.is_discrete {
            self.end_attributes(collector);
            return;
        }
        let begun = self.attributes.unwrap_or(first);
        for (_, id) in self.anchors.drain(..) {
            collector.anchor(&id, begun, AnchorKind::HeadingId);
        }
        self.end_attributes(collector);
        collector.heading(level, LineRange::from_to(begun, last), title, offset);
    }
}

/// Adds the anchors within a line, `[[id]]`.
fn inline_anchors(text: &[u8], line: u64, collector: &mut Collector) {
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest, b"[[") {
        rest = &rest[at + 2..];
        let Some(end) = memchr::memmem::find(rest, b"]]") else { return };
        let id = rest[..end].split(|byte| *byte == b',').next().unwrap_or_default();
        let is_id =
            |byte: &u8| byte.is_ascii_alphanumeric() || b"_:.-".contains(byte) || *byte >= 0x80;
        if id.iter().all(is_id) {
            collector.anchor(id, line, AnchorKind::Explicit);
        }
        rest = &rest[end + 2..];
    }
}
