//! Resolves a part to its place in the document: whole lines, or part of a line.

use std::collections::HashMap;

use super::{EditRequest, Operation, Refusal, Side};
use crate::document::LoadedDocument;
use crate::formats::Markup;
use crate::locate::{Located, Locator, Miss};
use crate::lookup::Matching;
use crate::outline::{Code as CodeLines, Outline, Section, SectionKind};
use crate::part::{Part, SectionPart};
use folio_markdown::DocumentScanner;
use folio_markdown::blocks::{CodeLine, PartLines};
use folio_markdown::front_matter::FrontMatter;
use folio_text::content;
use folio_text::lines::{Block, lines_with_ends, without_end};
use folio_text::sections::indent;
use folio_text::span::{LineRange, Span};

/// The place of a part in a document.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The bytes of the part. The span is empty for a place between lines.
    pub(super) span: Span,
    /// The line on which the part begins.
    pub(super) line: u64,
    /// The kind of place.
    pub(super) shape: Shape,
    /// The prefixes of the lines, if the part is in quotes or lists.
    pub(super) container: Option<Marks>,
    /// How to handle blank lines at the ends of the part.
    pub(super) edges: Edges,
    /// The indentation of content, if it is not that of the line.
    pub(super) margin: Option<Vec<u8>>,
}

/// How to handle blank lines at the ends of a place and around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edges {
    /// Blank lines are preserved exactly, because the place is selected by line numbers.
    Exact,
    /// Blank lines inside the place belong to the part, and those around it belong to the document.
    Around,
    /// All blank lines belong to the document.
    Document,
}

/// The prefixes of lines in a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Marks {
    /// The prefix of the first line, which may contain the list marker.
    pub(super) first: Vec<u8>,
    /// The prefix of the following lines.
    pub(super) rest: Vec<u8>,
}

impl Place {
    pub(super) fn new(span: Span, line: u64, shape: Shape) -> Self {
        Self { span, line, shape, container: None, edges: Edges::Exact, margin: None }
    }

    /// Whether a line is blank. In a container, it may have markers of quotes.
    pub(super) fn is_blank(&self, line: &[u8]) -> bool {
        let is_mark = |byte: &u8| *byte == b'>' && self.container.is_some();
        line.iter().all(|byte| byte.is_ascii_whitespace() || is_mark(byte))
    }

    /// Returns the empty span on a side of the place.
    pub(super) fn beside(&self, side: Side) -> Span {
        let at = if side == Side::Before { self.span.start() } else { self.span.end() };
        Span::new(at, at)
    }

    /// Returns content that replaces the place, with container prefixes.
    pub(super) fn with_prefixes(&self, content: &[u8]) -> Vec<u8> {
        let Some(marks) = &self.container else { return content.to_vec() };
        let first = lines_with_ends(content).next().unwrap_or_default().len();
        let (first, rest) = content.split_at(first);
        [content::contained(first, &marks.first), content::contained(rest, &marks.rest)].concat()
    }

    /// Returns content to insert before or after the place, with container prefixes. Content before
    /// the marker of a list item is not in the item.
    pub(super) fn with_prefixes_beside(&self, content: &[u8], side: Side) -> Vec<u8> {
        match (&self.container, side) {
            (Some(marks), Side::Before) if marks.first != marks.rest => {
                let is_mark = |byte: &&u8| matches!(byte, b'>' | b' ' | b'\t');
                let outer = marks.first.iter().take_while(is_mark).count();
                content::contained(content, &marks.first[..outer])
            }
            (Some(marks), _) => content::contained(content, &marks.rest),
            (None, _) => content.to_vec(),
        }
    }
}

/// The kind of a place.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// Whole lines. Content is indented in the same way.
    Lines,
    /// Whole lines that form a block.
    Block,
    /// The value of a key on these lines, or an entry in brackets.
    Value(Span),
    /// The lines between two fences.
    Code(Fences),
}

/// The fences around the contents of a code block.
#[derive(Clone, Debug)]
pub(super) struct Fences {
    /// The prefixes of the opening fence and of the lines below it.
    pub(super) marks: Option<Marks>,
    /// The container prefix of each line.
    pub(super) prefix: Vec<u8>,
    /// The fence character.
    pub(super) byte: u8,
    /// The length of the opening fence.
    pub(super) length: usize,
    /// The offset of the end of the opening fence.
    pub(super) open_end: u64,
    /// The offset of the end of the closing fence. `None` if the block is not closed.
    pub(super) close_end: Option<u64>,
}

/// Plans one request.
pub(super) struct Planner<'a> {
    pub(super) source: &'a LoadedDocument,
    pub(super) request: &'a EditRequest,
}

impl Planner<'_> {
    pub(super) fn locator<'o>(&'o self, outline: &'o Outline) -> Locator<'o> {
        Locator {
            outline,
            names: self.source.section_index(),
            scope: self.request.scope.as_deref(),
            matching: Matching::Exact,
        }
    }

    fn locate<'o>(&'o self, outline: &'o Outline, part: &'o Part) -> Result<Located<'o>, Miss> {
        self.locator(outline).locate(part)
    }

    /// Returns the section that `--in` selects.
    pub(super) fn scope_section(&self) -> Result<Option<usize>, Miss> {
        self.locator(self.source.outline()).scope_section()
    }

    /// Returns the lines of the section that `--in` selects.
    pub(super) fn scope(&self) -> Result<Option<LineRange>, Miss> {
        // To search for a text in a whole document, no outline is needed.
        if self.request.scope.is_none() {
            return Ok(None);
        }
        self.locator(self.source.outline()).scope_lines()
    }

    /// Returns the bytes in which to search for a text: those of a part, or of the section to which
    /// the part is restricted.
    pub(super) fn search_span(&self) -> Result<Option<Span>, Refusal> {
        if let Some(part) = self.request.part.as_ref().and_then(Part::place) {
            return Ok(Some(self.target(part)?.span));
        }
        Ok(self.scope()?.map(|lines| self.source.span_of(lines)))
    }

    /// Returns the place of a part, except a text or pattern.
    pub(super) fn target(&self, part: &Part) -> Result<Place, Refusal> {
        if let Part::Table(_) = part {
            return self.table(part);
        }
        if let Part::CodeBlock { symbol: Some(_), .. } = part {
            return Err(Refusal::SymbolInBlock);
        }
        let outline = self.source.outline();
        if let Part::FrontMatter { key: None, .. } = part {
            let lines = self.front_matter_of(outline)?.lines;
            let content = self.request.content.as_ref();
            if self.request.operation == Operation::Replace
                && content.is_some_and(|content| !begins_front_matter(&content.bytes))
            {
                let inner = self.empty_place(lines.start() + 1);
                let end = self.source.line_start(lines.end());
                return Ok(Place { span: Span::new(inner.span.start(), end), ..inner });
            }
            return Ok(self.part_of_lines(lines, Shape::Block));
        }
        match (self.locate(outline, part)?, part) {
            (Located::Whole, _) => Ok(self.whole_file()),
            (Located::Lines(&[range]), _) => self.lines(range),
            (Located::Lines(_), _) => Err(Refusal::SeveralRanges),
            (
                Located::Section { index, .. },
                Part::Section { part: SectionPart::Heading, children: None, .. },
            ) => Ok(self.heading_place(outline, index)),
            (Located::Section { index, lines }, part) => {
                let is_body = matches!(part, Part::Section { part: SectionPart::Body, .. });
                Ok(self.section_place(outline, index, lines, is_body))
            }
            (Located::Anchor(lines), _) => Ok(self.part_of_lines(lines, Shape::Lines)),
            (Located::Entry(tree, found), part) => {
                let is_value = matches!(
                    part,
                    Part::Key { value: true, .. } | Part::FrontMatter { value: true, .. }
                );
                Ok(self.entry_place(tree, found.index, is_value))
            }
            (Located::CodeBlock { block, lines }, Part::CodeBlock { fences, .. }) => {
                self.code_block(block, lines, *fences)
            }
            _ => Err(Refusal::NotLines),
        }
    }

    pub(super) fn whole_file(&self) -> Place {
        Place { edges: Edges::Around, ..Place::new(self.source.span(), 1, Shape::Block) }
    }

    fn place_of_lines(&self, range: LineRange, shape: Shape) -> Place {
        let span = self.source.span_of(range);
        Place::new(span, range.start(), shape)
    }

    /// Returns the place of lines that form an element of the structure.
    fn part_of_lines(&self, range: LineRange, shape: Shape) -> Place {
        Place { edges: Edges::Document, ..self.place_of_lines(range, shape) }
    }

    fn lines(&self, range: LineRange) -> Result<Place, Refusal> {
        let total = self.source.total_lines();
        if range.start() > total {
            return Err(Refusal::PastEnd { line: range.start(), total });
        }
        if range.end() != u64::MAX && range.end() > total {
            return Err(Refusal::PastEnd { line: range.end(), total });
        }
        Ok(self.place_of_lines(
            LineRange::from_to(range.start(), range.end().min(total)),
            Shape::Lines,
        ))
    }

    fn section_place(
        &self,
        outline: &Outline,
        index: usize,
        lines: Option<LineRange>,
        body: bool,
    ) -> Place {
        let lines = lines
            .and_then(|range| LineRange::new(range.start(), self.last_before_outer_tags(range)));
        let mut place = match lines {
            Some(range) => self.place_of_lines(range, Shape::Lines),
            // If the body is empty, its place is after the heading.
            None => self.empty_place(outline.sections()[index].heading().end() + 1),
        };
        place.edges = Edges::Document;
        place.container = self.container(outline, index);
        if body && outline.symbol(index).is_some() {
            place.shape = Shape::Lines;
            place.margin = self.body_margin(outline, index);
        }
        if let (true, Some(marks)) = (body, &mut place.container) {
            marks.first.clone_from(&marks.rest);
        }
        place
    }

    /// Returns the last line of a section without the closing tags at its end whose opening tags
    /// are before the section. They are not part of it: without them, the tags would not match.
    pub(super) fn last_before_outer_tags(&self, section: LineRange) -> u64 {
        let mut last = section.end();
        // Sections of HTML end before such tags.
        if self.source.format().dialect().is_none() {
            return last;
        }
        let mut unclosed = None;
        for line in (section.start()..=section.end()).rev() {
            let text = self.source.line(line).trim_ascii();
            if text.is_empty() {
                continue;
            }
            let Some(names) = tags_closed_by(text) else { break };
            let all = || unclosed_tags(self.source.bytes(self.source.span_of(section)));
            let unclosed = unclosed.get_or_insert_with(all);
            for name in names {
                match unclosed.get_mut(name) {
                    Some(count) if *count < 0 => *count += 1,
                    _ => return last,
                }
            }
            last = line - 1;
        }
        last
    }

    /// Returns the empty place before a line.
    pub(super) fn empty_place(&self, line: u64) -> Place {
        let at = self.source.line_start(line);
        Place::new(Span::new(at, at), line, Shape::Block)
    }

    fn heading_place(&self, outline: &Outline, index: usize) -> Place {
        let heading = outline.sections()[index].heading();
        let lines = match self.request.operation {
            Operation::Replace => self.title_lines(heading, index),
            _ => heading,
        };
        let mut place = self.part_of_lines(lines, Shape::Lines);
        place.container = self.container(outline, index);
        place
    }

    /// Returns the lines of a heading that are its title.
    fn title_lines(&self, heading: LineRange, index: usize) -> LineRange {
        let markup = self.source.format().rules().markup();
        let Some((markup, name)) = markup.zip(self.source.name_span(index)) else { return heading };
        let first = heading.start();
        let lines: Vec<&[u8]> =
            lines_with_ends(self.source.bytes(self.source.span_of(heading))).collect();
        let name = self.source.line_of(name.start()).saturating_sub(first) as usize;
        let title = markup.title(&lines, name);
        let last = first + (title.end as u64).saturating_sub(1);
        LineRange::new(first + title.start as u64, last).unwrap_or(heading)
    }

    /// Returns the container prefixes of the lines of a section.
    pub(super) fn container(&self, outline: &Outline, index: usize) -> Option<Marks> {
        let section = &outline.sections()[index];
        section.container()?;
        let line = self.source.line(section.lines().start());
        let name = outline.name(index);
        let name = without_end(lines_with_ends(name).next().unwrap_or_default()).trim_ascii();
        // The marks follow the container prefix, and the text follows both.
        let text = memchr::memmem::rfind(line, name).unwrap_or(line.len());
        let length = memchr::memchr(b'#', &line[..text]).unwrap_or(text);
        let first = line[..length].to_vec();
        let rest = continuation_prefix(&first);
        Some(Marks { first, rest })
    }

    /// Returns the section to rename, and the lines of its heading.
    pub(super) fn section_to_rename(&self) -> Result<(usize, LineRange), Refusal> {
        let outline = self.source.outline();
        let scope = self.scope()?;
        let index = match &self.request.part {
            Some(part @ (Part::Section { .. } | Part::Anchor(_))) => {
                self.heading_of(outline, part)?
            }
            Some(Part::Lines(ranges)) => heading_on(outline, ranges[0].start())?,
            _ => return Err(Refusal::HeadingNeeded { is_part_missing: true }),
        };
        let line = outline.sections()[index].lines().start();
        if scope.is_some_and(|scope| !scope.contains(line)) {
            return Err(Refusal::OutOfScope { line });
        }
        if outline.sections()[index].kind() == SectionKind::Entry {
            return Err(Refusal::NoHeading { line });
        }
        Ok((index, outline.sections()[index].heading()))
    }

    /// Returns the index of the section that a part selects.
    fn heading_of(&self, outline: &Outline, part: &Part) -> Result<usize, Refusal> {
        match self.locate(outline, part)? {
            Located::Section { index, .. } => Ok(index),
            Located::Anchor(lines) => Err(Refusal::NoHeading { line: lines.start() }),
            _ => Err(Refusal::HeadingNeeded { is_part_missing: false }),
        }
    }

    fn code_block(
        &self,
        block: &CodeLines,
        lines: Option<LineRange>,
        fences: bool,
    ) -> Result<Place, Refusal> {
        if self.source.format().dialect().is_none() {
            return self.code_lines(block, lines, fences);
        }
        let found = self.fences(block)?;
        if fences {
            let mut place = self.part_of_lines(block.lines, Shape::Block);
            place.container = found.marks;
            return Ok(place);
        }
        let mut place = match lines {
            Some(range) => self.place_of_lines(range, Shape::Block),
            None => self.empty_place(block.lines.start() + 1),
        };
        place.shape = Shape::Code(found);
        Ok(place)
    }

    /// Returns the place of a code block that consists of lines of the file.
    fn code_lines(
        &self,
        block: &CodeLines,
        lines: Option<LineRange>,
        fences: bool,
    ) -> Result<Place, Refusal> {
        if fences {
            return Ok(self.part_of_lines(block.lines, Shape::Block));
        }
        let is_indented = self.source.format().rules().markup().is_some_and(Markup::indents_code);
        if block.opening == 0 && !is_indented {
            return Err(Refusal::CodeBesideTags);
        }
        let Some(range) = lines else {
            return Ok(self.empty_place(block.lines.start() + u64::from(block.opening)));
        };
        let mut place = self.place_of_lines(range, Shape::Block);
        if is_indented {
            let filled = lines_with_ends(self.source.bytes(place.span)).map(without_end);
            let filled = filled.filter(|line| !line.trim_ascii().is_empty());
            let margins = filled.map(|line| &line[..indent(line)]);
            let margin = margins.min_by_key(|margin| margin.len()).unwrap_or_default().to_vec();
            place.container = Some(Marks { first: margin.clone(), rest: margin });
        }
        Ok(place)
    }

    fn table(&self, part: &Part) -> Result<Place, Refusal> {
        let outline = self.source.outline_with_tables();
        let Located::Table(table) = self.locate(outline, part)? else {
            return Err(Refusal::NotLines);
        };
        let mut place = self.part_of_lines(table.lines, Shape::Block);
        if table.is_contained {
            let header = self
                .unprefixed::<true>(table.lines, true)
                .first()
                .map_or(0, |(_, rest)| rest.len());
            let line = self.source.line(table.lines.start());
            let marks = line[..line.len().saturating_sub(header)].to_vec();
            place.container = Some(Marks { rest: continuation_prefix(&marks), first: marks });
        }
        Ok(place)
    }

    /// Returns the lines of a code block or table without their container prefixes. `None` if the
    /// place is another part, or not in a container.
    pub(super) fn without_prefixes(&self, place: &Place) -> Option<Vec<u8>> {
        self.source.format().dialect()?;
        let is_table = match self.request.part {
            Some(Part::CodeBlock { .. }) => false,
            Some(Part::Table(_)) => true,
            _ => return None,
        };
        let is_contained = match &place.shape {
            Shape::Code(fences) => fences.marks.is_some(),
            _ => place.container.is_some(),
        };
        let lines = LineRange::new(place.line, self.last_line(place)).filter(|_| is_contained)?;
        let lines = if is_table {
            self.unprefixed::<true>(lines, true)
        } else {
            self.unprefixed::<false>(lines, true)
        };
        Some(lines.into_iter().flat_map(|(_, text)| text).collect())
    }

    /// Returns the fences of code blocks or, with `TABLE`, the rows of tables in a range of lines,
    /// without their container prefixes. If `all` is set, also returns the lines of code.
    fn unprefixed<const TABLE: bool>(&self, lines: LineRange, all: bool) -> Vec<(u64, Vec<u8>)> {
        let mut found = Vec::new();
        let each = |line: CodeLine<'_>| {
            if all || line.is_fence {
                found.push((line.line, [&b" ".repeat(line.spaces), line.bytes].concat()));
            }
        };
        let mut sink = PartLines::<_, TABLE> { lines, each };
        let mut scanner = DocumentScanner::new(self.source.format().dialect().unwrap_or_default());
        let (start, end) = (self.source.start(), self.source.line_start(lines.end() + 1));
        scanner.scan(&Block::new(self.source.bytes(Span::new(start, end)), start), &mut sink);
        scanner.finish(&mut sink);
        found
    }

    /// Returns the fences of a block, and the container prefixes of its lines.
    fn fences(&self, block: &CodeLines) -> Result<Fences, Refusal> {
        let lines = self.unprefixed::<false>(block.lines, false);
        let placed = |(number, rest): &(u64, Vec<u8>)| {
            let line = self.source.line(*number);
            let length = line.len().saturating_sub(rest.len());
            (self.source.line_start(*number) + length as u64, &line[..length])
        };
        let Some((open, (open_at, open_prefix))) = lines.first().map(|open| (open, placed(open)))
        else {
            return Err(Refusal::NoFence);
        };
        let run = |rest: &[u8]| {
            let margin = rest.iter().take_while(|&&byte| byte == b' ').count();
            let byte = rest.get(margin).copied().unwrap_or(b'`');
            (margin, byte, rest[margin..].iter().take_while(|&&other| other == byte).count())
        };
        let (margin, byte, length) = run(&open.1);
        // Only the first line has a list marker. Blanks up to the indentation of the fence are not
        // part of the code.
        let mut prefix = continuation_prefix(open_prefix);
        let marks = Marks { first: open_prefix.to_vec(), rest: prefix.clone() };
        if prefix.ends_with(b">") {
            // One blank is part of a quote marker.
            prefix.push(b' ');
        }
        prefix.resize(prefix.len() + margin, b' ');
        Ok(Fences {
            marks: (!open_prefix.is_empty()).then_some(marks),
            prefix,
            byte,
            length,
            open_end: open_at + (margin + length) as u64,
            close_end: lines.get(1).map(|close| {
                let (margin, _, length) = run(&close.1);
                placed(close).0 + (margin + length) as u64
            }),
        })
    }
}

fn heading_on(outline: &Outline, line: u64) -> Result<usize, Refusal> {
    let begins_here = |section: &Section| section.lines().start() == line;
    let index = outline.sections().iter().position(begins_here);
    index.ok_or(Refusal::NoHeading { line })
}

/// Returns the prefix of the lines after a line with the prefix `first`. It has no list marker.
fn continuation_prefix(first: &[u8]) -> Vec<u8> {
    first.iter().map(|&byte| if matches!(byte, b'>' | b'\t') { byte } else { b' ' }).collect()
}

/// Returns the names of the closing tags of which a line consists, or `None` if it has other text.
fn tags_closed_by(mut line: &[u8]) -> Option<Vec<&[u8]>> {
    let mut names = Vec::new();
    while let Some(rest) = line.strip_prefix(b"</") {
        let name = name_of_tag(rest);
        line = rest[name.len()..].strip_prefix(b">")?;
        names.push(name);
    }
    (line.is_empty() && !names.is_empty()).then_some(names)
}

/// Returns the number of opening tags minus the number of closing tags of each name in a text.
fn unclosed_tags(text: &[u8]) -> HashMap<&[u8], i64> {
    let mut unclosed = HashMap::new();
    for at in memchr::memchr_iter(b'<', text) {
        let rest = &text[at + 1..];
        let (change, rest) = rest.strip_prefix(b"/").map_or((1, rest), |rest| (-1, rest));
        *unclosed.entry(name_of_tag(rest)).or_default() += change;
    }
    unclosed
}

/// Returns the name at the start of the text after `<` or `</`.
pub(super) fn name_of_tag(text: &[u8]) -> &[u8] {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(byte);
    &text[..text.iter().position(|byte| !is_name(byte)).unwrap_or(text.len())]
}

/// Whether text begins with the first line of front matter.
fn begins_front_matter(text: &[u8]) -> bool {
    FrontMatter::is_opening(lines_with_ends(text).next().unwrap_or_default())
}
