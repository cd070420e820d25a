//! reStructuredText: sections by the order of their adornments, labels, code blocks and literal
//! blocks. A title is recognized only where docutils recognizes it: as the first line of a block
//! outside of lists, directives and quotes.

use std::ops::Range;

use super::{Line, Markup, Parser, each_line, first_word, in_one_line, lossy, offset_in};
use crate::format::Format;
use crate::outline::{AnchorKind, Collector, OutlineOptions};
use folio_text::ini_dialect::IniDialect;
use folio_text::lines::{Block, lines_with_ends, without_end};
use folio_text::markup_keys::rst_field;
use folio_text::span::LineRange;

/// reStructuredText.
#[derive(Debug)]
pub(crate) struct Rst;

/// Directives whose contents are code.
const CODE: &[&[u8]] = &[b"code-block", b"code", b"sourcecode", b"parsed-literal", b"testcode"];

/// Directives whose contents are not reStructuredText.
const RAW: &[&[u8]] = &[
    b"raw",
    b"math",
    b"graphviz",
    b"digraph",
    b"graph",
    b"productionlist",
    b"csv-table",
    b"doctest",
    b"mermaid",
    b"plantuml",
    b"uml",
    b"testsetup",
    b"testoutput",
    b"kernel-render",
];

impl Markup for Rst {
    fn parser(&self) -> Box<dyn Parser> {
        Box::new(RstParser::default())
    }

    /// The levels of adornments are those of the document.
    fn parser_for(&self, document: &[u8]) -> Box<dyn Parser> {
        let mut parser = RstParser::default();
        // Only the adornments are needed.
        let mut unused = Collector::new(Format::Rst, OutlineOptions::default());
        each_line(&Block::new(document, 0), 0, |line| parser.line(&line, &mut unused));
        let level = parser.styles.len();
        Box::new(RstParser { styles: parser.styles, level, ..RstParser::default() })
    }

    fn title(&self, heading: &[&[u8]], name: usize) -> Range<usize> {
        let above = name.checked_sub(1);
        let overline = above.filter(|&line| adornment(without_end(heading[line])).is_some());
        overline.unwrap_or(name)..heading.len()
    }

    fn keys(&self) -> Option<IniDialect> {
        Some(IniDialect::Rst)
    }

    fn rendered(&self, source: &str) -> String {
        let mut shown = String::new();
        let mut rest = source;
        while let Some(at) = rest.find(['`', '*', '\\']) {
            shown.push_str(&rest[..at]);
            let run =
                if rest[at..].starts_with("``") || rest[at..].starts_with("**") { 2 } else { 1 };
            let (mark, after) = rest[at..].split_at(run);
            let close = after.find(mark).filter(|&close| {
                close > 0 && !after.starts_with(' ') && !after[..close].ends_with(' ')
            });
            match close {
                _ if mark == "\\" => {
                    let next = after.chars().next().unwrap_or('\\');
                    shown.extend((!next.is_whitespace()).then_some(next));
                    rest = &after[next.len_utf8().min(after.len())..];
                }
                Some(close) => {
                    let text = &after[..close];
                    // A role before, and a target or an underscore after the text.
                    if mark == "`" {
                        if let Some(role) = role_before(&shown) {
                            shown.truncate(role);
                        }
                        let text = text.rsplit_once(" <").map_or(text, |(text, _)| text);
                        shown.push_str(text);
                    } else {
                        shown.push_str(text);
                    }
                    rest = &after[close + run..];
                    if mark == "`" {
                        rest = rest.trim_start_matches('_');
                    }
                }
                None => {
                    shown.push_str(mark);
                    rest = after;
                }
            }
        }
        shown.push_str(rest);
        in_one_line(&shown)
    }

    /// The adornments get the width of the text.
    fn renamed(&self, heading: &[u8], name: Range<usize>, text: &[u8]) -> Vec<u8> {
        let wanted = width(text) + width(&heading[..name.start]) - {
            let line = memchr::memrchr(b'\n', &heading[..name.start]).map_or(0, |at| at + 1);
            width(&heading[..line])
        };
        let old = width(&heading[name.clone()]);
        let mut renamed = Vec::new();
        let mut at = 0;
        for line in lines_with_ends(heading) {
            let body = without_end(line);
            let range = at..at + line.len();
            at = range.end;
            let mark = adornment(body);
            if range.contains(&name.start) {
                renamed.extend_from_slice(&line[..name.start - range.start]);
                renamed.extend_from_slice(text);
                renamed.extend_from_slice(&line[name.end - range.start..]);
            } else if let Some(mark) = mark {
                // Adornments that were longer than the text stay longer.
                let extra = body.trim_ascii_end().len().saturating_sub(old + wanted - width(text));
                renamed.extend(std::iter::repeat_n(mark, (wanted + extra).max(1)));
                renamed.extend_from_slice(&line[body.len()..]);
            } else {
                renamed.extend_from_slice(line);
            }
        }
        renamed
    }

    fn marks_before_headings(&self) -> &'static [u8] {
        b"."
    }

    fn indents_code(&self) -> bool {
        true
    }
}

/// Returns where a role such as `:func:` at the end of a text begins.
fn role_before(text: &str) -> Option<usize> {
    let name = text.strip_suffix(':')?;
    let is_role = |c: char| c.is_alphanumeric() || "_:.+-".contains(c);
    let start = name
        .rfind(|c| !is_role(c))
        .map_or(0, |at| at + name[at..].chars().next().map_or(0, char::len_utf8));
    name[start..].find(':').map(|at| start + at)
}

/// Returns the number of columns of a text. East Asian characters have two.
fn width(text: &[u8]) -> usize {
    let is_wide = |c: char| {
        matches!(u32::from(c), 0x1100..=0x115F | 0x2E80..=0x303E | 0x3041..=0xA4CF | 0xAC00..=0xD7A3
            | 0xF900..=0xFAFF | 0xFE30..=0xFE6F | 0xFF00..=0xFF60 | 0xFFE0..=0xFFE6
            | 0x1F300..=0x1F64F | 0x1F900..=0x1F9FF | 0x20000..=0x3FFFD)
    };
    let is_mark =
        |c: char| matches!(u32::from(c), 0x300..=0x36F | 0x200B..=0x200F | 0xFE00..=0xFE0F);
    lossy(text).chars().map(|c| if is_wide(c) { 2 } else { usize::from(!is_mark(c)) }).sum()
}

/// Returns the character of an adornment: a line that repeats one punctuation character.
fn adornment(line: &[u8]) -> Option<u8> {
    let line = line.trim_ascii_end();
    let first = *line.first()?;
    (first.is_ascii_punctuation() && line.iter().all(|byte| *byte == first)).then_some(first)
}

/// A line that may become part of a title.
#[derive(Debug, Clone, Default)]
struct Kept {
    number: u64,
    text: Vec<u8>,
    offset: u64,
}

impl Kept {
    fn new(line: &Line<'_>) -> Self {
        Self { number: line.number, text: line.text.to_vec(), offset: line.offset }
    }
}

/// The block that the next line continues.
#[derive(Debug, Default)]
enum ContinuedBlock {
    /// None: the next line begins a block.
    #[default]
    Between,
    /// The first line of a paragraph, which may be a title.
    Title(Kept),
    /// A paragraph, or another block that ends with a blank line.
    Paragraph,
    /// An adornment, which may be an overline.
    Overline(Kept),
    /// An overline and a title.
    Overlined(Kept, Kept),
    /// A simple table, with the number of borders, and whether the line above is one.
    Table(u8, bool),
}

/// A block whose lines are indented more than the line that begins it.
#[derive(Debug)]
struct Indented {
    margin: usize,
    /// The first line, whether its contents are code, and their language.
    first: u64,
    is_code: bool,
    language: Vec<u8>,
    /// The first line of the contents, and the last line.
    contents: Option<u64>,
    last: u64,
    /// Whether the options of a directive have ended.
    has_contents: bool,
}

#[derive(Debug, Default)]
struct RstParser {
    /// The adornments by level: their character, and whether there is an overline.
    styles: Vec<(u8, bool)>,
    /// The level of the current section.
    level: usize,
    continued: ContinuedBlock,
    indented: Option<Indented>,
    /// The indentation of the paragraph whose last line ends with `::`, and the line, if it has no
    /// other text.
    literal: Option<(usize, Option<u64>)>,
    /// Labels directly before a heading: the line of the first one, and all of them.
    labels: Vec<(u64, Vec<u8>)>,
    was_blank: bool,
}

impl Parser for RstParser {
    fn line(&mut self, line: &Line<'_>, collector: &mut Collector) {
        let is_blank = line.is_blank();
        let margin = line.indentation();
        if let Some(block) = &mut self.indented {
            if is_blank {
                block.has_contents = true;
                self.was_blank = true;
                return;
            }
            if margin > block.margin {
                let is_option = !block.has_contents && line.text.trim_ascii().starts_with(b":");
                if !is_option {
                    block.has_contents = true;
                    block.contents.get_or_insert(line.number);
                }
                block.last = line.number;
                self.was_blank = false;
                return;
            }
            self.end_indented(collector);
        }
        if !is_blank
            && let Some((literal, alone)) = self.literal.take()
            && self.was_blank
            && margin > literal
        {
            self.begin(line.number, literal, true, b"", alone);
            let block = self.indented.as_mut();
            block.into_iter().for_each(|block| block.contents = Some(line.number));
            self.was_blank = false;
            return;
        }
        let is_label = self.markup(line, margin, collector);
        self.structure(line, margin, collector);
        if !is_blank {
            let is_part_of_title = matches!(
                self.continued,
                ContinuedBlock::Title(_)
                    | ContinuedBlock::Overline(_)
                    | ContinuedBlock::Overlined(..)
            );
            if !is_label && !is_part_of_title {
                self.drop_labels(collector);
            }
        }
        self.was_blank = is_blank;
    }

    fn finish(&mut self, _: u64, collector: &mut Collector) {
        self.end_indented(collector);
        self.drop_labels(collector);
    }
}

impl RstParser {
    fn begin(
        &mut self,
        number: u64,
        margin: usize,
        is_code: bool,
        language: &[u8],
        alone: Option<u64>,
    ) {
        self.indented = Some(Indented {
            margin,
            first: alone.unwrap_or(number),
            is_code,
            language: language.to_vec(),
            contents: None,
            last: number,
            has_contents: false,
        });
    }

    fn end_indented(&mut self, collector: &mut Collector) {
        let Some(block) = self.indented.take() else { return };
        if let (true, Some(contents)) = (block.is_code, block.contents) {
            let lines = LineRange::from_to(block.first, block.last);
            let opening = u16::try_from(contents - block.first).unwrap_or(u16::MAX);
            collector.code(lines, opening, false, &block.language);
        }
    }

    /// Adds labels that are not directly before a heading.
    fn drop_labels(&mut self, collector: &mut Collector) {
        for (line, id) in self.labels.drain(..) {
            collector.anchor(&id, line, AnchorKind::Explicit);
        }
    }

    /// Begins blocks of explicit markup and literal blocks. Returns whether the line is a label.
    fn markup(&mut self, line: &Line<'_>, margin: usize, collector: &mut Collector) -> bool {
        let is_in_paragraph =
            matches!(self.continued, ContinuedBlock::Title(_) | ContinuedBlock::Paragraph);
        let text = line.text.trim_ascii();
        let content = without_bullets(text);
        let column = margin + text.len() - content.len();
        let explicit =
            content.strip_prefix(b"..").filter(|rest| rest.first().is_none_or(|b| *b == b' '));
        if let Some(rest) = explicit.filter(|_| !(is_in_paragraph && margin == 0)) {
            let rest = rest.trim_ascii_start();
            if let Some(target) = rest.strip_prefix(b"_") {
                let Some(id) = label(target) else { return false };
                if margin == 0 {
                    self.labels.push((line.number, id.to_vec()));
                    return true;
                }
                collector.anchor(id, line.number, AnchorKind::Explicit);
            } else if let Some(end) = memchr::memmem::find(rest, b"::") {
                let (name, argument) = (&rest[..end], rest[end + 2..].trim_ascii());
                if CODE.contains(&name) {
                    self.begin(line.number, column, true, first_word(argument).0, None);
                } else if RAW.contains(&name) {
                    self.begin(line.number, column, false, b"", None);
                } else if name.iter().any(|b| b.is_ascii_whitespace()) && !rest.starts_with(b"|") {
                    // A comment that contains colons.
                    self.begin(line.number, column, false, b"", None);
                }
            } else if !rest.starts_with(b"[") && !rest.starts_with(b"|") {
                self.begin(line.number, column, false, b"", None);
            }
        } else if content.ends_with(b"::") {
            self.literal = Some((column, (content == b"::").then_some(line.number)));
        }
        false
    }

    /// Tracks where titles may be, and finds them.
    fn structure(&mut self, line: &Line<'_>, margin: usize, collector: &mut Collector) {
        let text = line.text.trim_ascii_end();
        let mark = adornment(text);
        self.continued = match std::mem::take(&mut self.continued) {
            ContinuedBlock::Table(borders, is_border) => {
                let is_end = is_border && (text.is_empty() || borders >= 3);
                if is_end {
                    self.block_after_first_line(line, margin)
                } else {
                    let is_border = is_table_border(text);
                    ContinuedBlock::Table(borders + u8::from(is_border), is_border)
                }
            }
            ContinuedBlock::Overline(over) if text.is_empty() => {
                drop(over);
                ContinuedBlock::Between
            }
            // Two adornments are neither a title nor a transition.
            ContinuedBlock::Overline(over) if mark.is_some() && margin == 0 => {
                if over.text.len() < 4 {
                    ContinuedBlock::Paragraph
                } else {
                    ContinuedBlock::Between
                }
            }
            ContinuedBlock::Overline(over) => ContinuedBlock::Overlined(over, Kept::new(line)),
            ContinuedBlock::Overlined(over, title) => {
                let over_text = over.text.trim_ascii_end();
                let is_short = over_text.len() < 4;
                let fits = width(title.text.trim_ascii_end()) <= over_text.len() || !is_short;
                if over_text == text && fits {
                    self.title(&over, &title, line.number, true, collector);
                    ContinuedBlock::Between
                } else if !is_short || text.is_empty() {
                    ContinuedBlock::Between
                } else {
                    ContinuedBlock::Paragraph
                }
            }
            ContinuedBlock::Title(title) if mark.is_some() && margin == 0 => {
                let fits = width(title.text.trim_ascii_end()) <= text.len() || text.len() >= 4;
                if fits {
                    let under = Kept::new(line);
                    self.title(&under, &title, line.number, false, collector);
                    ContinuedBlock::Between
                } else {
                    ContinuedBlock::Paragraph
                }
            }
            _ if text.is_empty() || margin > 0 => ContinuedBlock::Between,
            ContinuedBlock::Title(_) | ContinuedBlock::Paragraph => ContinuedBlock::Paragraph,
            ContinuedBlock::Between => self.block_after_first_line(line, margin),
        };
    }

    /// Returns the block that continues after its first line.
    fn block_after_first_line(&self, line: &Line<'_>, margin: usize) -> ContinuedBlock {
        let text = line.text.trim_ascii_end();
        if text.is_empty() || margin > 0 {
            return ContinuedBlock::Between;
        }
        if is_table_border(text) && text.contains(&b' ') {
            return ContinuedBlock::Table(1, false);
        }
        let is_grid = text.starts_with(b"+-") && text.ends_with(b"-+");
        if is_grid || text.starts_with(b">>> ") {
            return ContinuedBlock::Paragraph;
        }
        if adornment(text).is_some() && text != b"::" {
            return ContinuedBlock::Overline(Kept::new(line));
        }
        let is_explicit = text.starts_with(b".. ") || text.starts_with(b"__ ");
        let is_line_block = text.starts_with(b"| ");
        if is_explicit || is_line_block || has_bullet(text) || rst_field(text).is_some() {
            return ContinuedBlock::Between;
        }
        ContinuedBlock::Title(Kept::new(line))
    }

    /// Adds a title, unless its adornment is not allowed at this place.
    fn title(
        &mut self,
        adorned: &Kept,
        title: &Kept,
        last: u64,
        is_overlined: bool,
        collector: &mut Collector,
    ) {
        let style = (adorned.text[0], is_overlined);
        let level = match self.styles.iter().position(|known| *known == style) {
            Some(at) if at <= self.level => at + 1,
            None if self.styles.len() == self.level => {
                self.styles.push(style);
                self.level + 1
            }
            _ => return,
        };
        self.level = level;
        let first = adorned.number.min(title.number);
        let labelled = self.labels.first().map_or(first, |(line, _)| *line);
        for (_, id) in self.labels.drain(..) {
            collector.anchor(&id, labelled, AnchorKind::HeadingId);
        }
        let name = title.text.trim_ascii();
        let offset = title.offset + offset_in(&title.text, name) as u64;
        let lines = LineRange::from_to(labelled, last);
        collector.heading(u8::try_from(level).unwrap_or(6), lines, name, offset);
    }
}

/// Returns the label of a target without a destination, after its underscore.
fn label(target: &[u8]) -> Option<&[u8]> {
    let target = target.strip_suffix(b":")?;
    let target =
        target.strip_prefix(b"`").and_then(|rest| rest.strip_suffix(b"`")).unwrap_or(target);
    let is_name =
        !target.is_empty() && memchr::memmem::find(target, b": ").is_none() && target != b"_";
    is_name.then_some(target)
}

/// Whether a line is the border of a simple table.
fn is_table_border(line: &[u8]) -> bool {
    line.first() == Some(&b'=') && line.iter().all(|byte| matches!(byte, b'=' | b' '))
}

fn has_bullet(text: &[u8]) -> bool {
    let is_mark = text.first().is_some_and(|mark| b"-+*".contains(mark));
    is_mark && text.get(1).is_none_or(|next| *next == b' ')
}

/// Returns a line without the markers of list items at its start.
fn without_bullets(mut text: &[u8]) -> &[u8] {
    loop {
        let digits = text.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'#').count();
        let is_number = (1..=3).contains(&digits)
            && matches!(text.get(digits), Some(b'.' | b')'))
            && text.get(digits + 1) == Some(&b' ');
        text = match text {
            [b'-' | b'+' | b'*', b' ', rest @ ..] => rest.trim_ascii_start(),
            _ if is_number => text[digits + 2..].trim_ascii_start(),
            _ => return text,
        };
    }
}
