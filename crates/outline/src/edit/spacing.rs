//! Handles blank lines around parts that are changed, inserted or deleted. These lines belong to
//! the document and not to the part, and are preserved. If an edit makes two texts adjacent, a
//! blank line is inserted between them, unless the document has no blank lines around headings, or
//! the content has its own.

use super::place::{Edges, Place, Planner};
use super::plan::Plan;
use super::{Note, Refusal, Side};
use crate::format::Feature;
use crate::outline::{Outline, Section, SectionKind};
use folio_markdown::seams::Continuation;
use folio_text::lines::lines_with_ends;
use folio_text::separation::{BlankLines, blank_edges, is_blank, is_loose};
use folio_text::span::{LineRange, Span};

/// Number of sections to examine for the spacing of a document.
const SAMPLES: usize = 32;
/// Number of lines above a place to examine for a list or similar block that continues at the
/// place.
const LOOK_BACK: u64 = 64;

/// The text on one side of a place at which texts become adjacent.
#[derive(Default)]
struct Border<'a> {
    /// The kind of the section that begins on the adjacent line.
    starts: Option<SectionKind>,
    /// Whether a heading ends on the adjacent line.
    ends_heading: bool,
    /// The last lines of the text above the place.
    lines: Vec<&'a [u8]>,
}

impl Planner<'_> {
    /// Whether blank lines around a place belong to the document.
    pub(super) fn keeps_separation(&self, place: &Place) -> bool {
        self.separates(place) && place.container.is_none()
    }

    /// Whether content that is inserted at a place is separated from the text around it.
    pub(super) fn separates(&self, place: &Place) -> bool {
        place.edges != Edges::Exact && !self.request.options.exact
    }

    /// Returns a place without the blank lines at its ends.
    pub(super) fn trimmed(&self, place: &Place) -> Place {
        if place.edges != Edges::Document || place.span.is_empty() {
            return place.clone();
        }
        let end = self.last_line(place) + 1;
        let is_blank = |line: &[u8]| place.is_blank(line);
        let first = place.line + self.source.run_down((place.line, end), is_blank);
        if first == end {
            let start = place.span.start();
            return Place { span: Span::new(start, start), ..place.clone() };
        }
        let last = end - 1 - self.source.run_up((first, end), is_blank);
        let span = self.source.span_of(LineRange::from_to(first, last));
        Place { span, line: first, ..place.clone() }
    }

    /// Replaces a place with content. Blank lines around the place are preserved, unless the
    /// content has its own.
    pub(super) fn replace_apart(&self, place: &Place, content: &[u8]) -> Result<Plan, Refusal> {
        let inner = self.trimmed(place);
        let text = self.lines_for(place, content);
        let edges = blank_edges(content).filter(|_| text != self.source.bytes(place.span));
        let Some((lead, trail)) = edges else { return Ok(self.put(place, text)) };
        if inner.span.is_empty() {
            let content = match &place.margin {
                Some(margin) => &self.indent(content.to_vec(), margin, place.span),
                None => content,
            };
            return self.insert_apart(place, Side::After, content);
        }
        let (first, last) = (inner.line, self.last_line(&inner));
        let (start, line) = match lead {
            0 => (inner.span.start(), first),
            _ => (place.span.start(), place.line),
        };
        let end = if trail == 0 { inner.span.end() } else { place.span.end() };
        let line_after = if trail == 0 { last } else { self.last_line(place) } + 1;
        let (above, below) = (self.blank_above(line), self.blank_below(line_after));
        let joint = self.joint(place, line, line_after + below);
        let mut added = BlankLines::default();
        if lead == 0 && above == 0 && self.merges(&joint, &inner, content) {
            added.before = 1;
        }
        let lead = lead.saturating_sub(above as usize) + added.before as usize;
        let joint = joint.with_content(&b"\n".repeat(lead), &with_edges(content, 0, 0));
        if trail == 0 && below == 0 {
            let (_, new) = self.content_borders(content);
            // Headings may be closer to each other than to text.
            let was_heading = self.border_above(last + 1).is_some_and(|old| old.ends_heading);
            let is_close = !was_heading || new.ends_heading;
            added.after = match joint.continuation_below(b"") {
                how if joint.merges_below(b"") || !is_close => {
                    self.blank_lines_above_text(Some(new), last + 1, how)
                }
                _ => 0,
            };
        }
        let trail = match trail {
            0 => added.after as usize,
            trail if end == self.source.end() => trail,
            trail => trail.saturating_sub(below as usize),
        };
        let warning = self.check_unclosed(&joint, &b"\n".repeat(trail + below as usize))?;
        let content = with_edges(content, lead, trail);
        let span = Span::new(start, end);
        let text = self.lines_for(&Place { span, ..place.clone() }, &content);
        let plan = self.put(&Place { span, line, ..place.clone() }, text);
        let warnings = warning.into_iter().collect();
        Ok(Plan { named: Some(place.span), blank_lines: added, warnings, ..plan })
    }

    /// Inserts content before or after a place, and adds blank lines if necessary. The content gets
    /// the container prefixes of the place.
    pub(super) fn insert_apart(
        &self,
        place: &Place,
        side: Side,
        content: &[u8],
    ) -> Result<Plan, Refusal> {
        let mut inner = self.trimmed(place);
        if side == Side::After {
            inner = self.without_trailing_definitions(inner, content);
        }
        let line = match side {
            Side::Before => inner.line,
            Side::After => self.last_line(&inner) + 1,
        };
        let (content, blank_lines, warning) =
            self.separated_content(&inner, side, line, content)?;
        let mut plan = self.insert_lines(&inner, side, &content);
        self.add_comma(&mut plan, line, &content);
        let warnings = warning.into_iter().collect();
        Ok(Plan { named: Some(place.span), blank_lines, warnings, ..plan })
    }

    /// Returns content to insert before a line, with the blank lines that it needs around it. Also
    /// returns a warning if it becomes part of another block.
    fn separated_content(
        &self,
        place: &Place,
        side: Side,
        line: u64,
        content: &[u8],
    ) -> Result<(Vec<u8>, BlankLines, Option<Note>), Refusal> {
        let contained = |content: &[u8]| place.with_prefixes_beside(content, side);
        let Some((lead, trail)) = blank_edges(content) else {
            return Ok((contained(content), BlankLines::default(), None));
        };
        let total = self.source.total_lines();
        let above = self.source.run_up((1, line), |line| place.is_blank(line));
        let below = self.source.run_down((line, total + 1), |line| place.is_blank(line));
        let (first, last) = self.content_borders(content);
        let joint = self.joint(place, line, line + below);
        let trimmed = contained(&with_edges(content, 0, 0));
        let mut added = BlankLines::default();
        if self.source.format().is_code() {
            let wanted = self.blank_lines_in_code(line, &trimmed);
            added.before = if lead == 0 && above == 0 { wanted.before } else { 0 };
            added.after = if trail == 0 && below == 0 { wanted.after } else { 0 };
            let lead = lead.saturating_sub(above as usize) + added.before as usize;
            let trail = trail.saturating_sub(below as usize) + added.after as usize;
            return Ok((with_edges(content, lead, trail), added, None));
        }
        // In a container, blank lines are only added where blocks would merge.
        let is_contained = place.container.is_some();
        if lead == 0 && above == 0 {
            added.before = match joint.continuation_above(&trimmed) {
                how if is_contained => u64::from(how == Continuation::Merged),
                how => self.blank_lines_between(self.border_above(line), Some(first), line, how),
            };
        }
        // Existing blank lines are counted as blank lines of the content.
        let lead = lead.saturating_sub(above as usize) + added.before as usize;
        let blank = contained(b"\n");
        let joint = joint.with_content(&blank.repeat(lead), &trimmed);
        if trail == 0 && below == 0 {
            added.after = match joint.continuation_below(b"") {
                _ if is_contained => u64::from(joint.merges_below(b"")),
                how => self.blank_lines_above_text(Some(last), line, how),
            };
        }
        let trail = trail.saturating_sub(below as usize) + added.after as usize;
        let gap = blank.repeat(trail + below as usize);
        let warning = self.check_unclosed(&joint, &gap)?;
        Ok((contained(&with_edges(content, lead, trail)), added, warning))
    }

    /// Deletes a place and the blank lines on one side of it. The blank lines on the other side
    /// then separate the text above from the text below.
    pub(super) fn delete_apart(&self, place: &Place) -> Plan {
        let inner = self.trimmed(place);
        if inner.span.is_empty() {
            let mut plan = self.put(place, Vec::new());
            plan.edits.clear();
            return plan;
        }
        let (mut first, mut last) = (inner.line, self.last_line(&inner));
        let (above, below) = (self.blank_above(first), self.blank_below(last + 1));
        let around = self.body_around(LineRange::from_to(first, last));
        let (start, end) =
            around.map_or((1, self.source.total_lines()), |body| (body.start(), body.end()));
        let begins = first - above == start;
        let ends = last + below == end;
        let mut blank_lines = BlankLines::default();
        if ends && !begins && below >= above {
            // The blank lines above are kept.
            last += above;
        } else if !begins && (ends || below > above) {
            first -= above;
        } else {
            last += below;
        }
        if !begins && !ends && above == 0 && below == 0 && !self.source.format().is_code() {
            let how = self.joint(place, first, last + 1).continuation_below(b"");
            blank_lines.after =
                self.blank_lines_above_text(self.border_above(first), last + 1, how);
        }
        let end = self.source.line_end_near(first);
        let text = end.bytes().repeat(blank_lines.after as usize);
        let span = self.source.span_of(LineRange::from_to(first, last));
        let plan = self.put(&Place { span, line: first, ..place.clone() }, text);
        Plan { named: Some(place.span), blank_lines, ..plan }
    }

    /// Returns the lines of the body of the symbol around some lines.
    fn body_around(&self, lines: LineRange) -> Option<LineRange> {
        if !self.source.format().is_code() {
            return None;
        }
        let outline = self.source.outline();
        let innermost = outline.innermost(lines.start());
        let bodies = outline.self_and_ancestors(innermost).filter_map(|index| outline.body(index));
        bodies.into_iter().find(|body| body.covers(lines) && *body != lines)
    }

    /// Returns the span from the text above some lines to the text below them. Moving the lines to
    /// a place within this span has no effect.
    pub(super) fn span_between_texts(&self, inner: &Place) -> Span {
        let (first, last) = (inner.line, self.last_line(inner));
        let start = first - self.blank_above(first);
        let end = last + self.blank_below(last + 1);
        self.source.span_of(LineRange::from_to(start, end))
    }

    fn is_blank(&self, line: u64) -> bool {
        is_blank(self.source.line(line))
    }

    /// Returns the number of blank lines directly above a line.
    pub(super) fn blank_above(&self, line: u64) -> u64 {
        self.source.run_up((1, line), is_blank)
    }

    /// Returns the number of consecutive blank lines, beginning with a line.
    fn blank_below(&self, line: u64) -> u64 {
        let end = self.source.total_lines() + 1;
        self.source.run_down((line, end), is_blank)
    }

    /// Returns the border above a line, if there is text above the line.
    fn border_above(&self, line: u64) -> Option<Border<'_>> {
        let last = line - 1 - self.blank_above(line);
        if last == 0 {
            return None;
        }
        let first = last.saturating_sub(LOOK_BACK).max(1);
        let span = self.source.span_of(LineRange::from_to(first, last));
        let text = self.source.bytes(span);
        let lines = lines_with_ends(text).collect();
        let outline = self.source.outline();
        Some(Border { starts: None, ends_heading: ends_heading(outline, last), lines })
    }

    /// Returns the border at or below a line, if there is text.
    fn border_below(&self, line: u64) -> Option<Border<'_>> {
        let first = line + self.blank_below(line);
        if first > self.source.total_lines() {
            return None;
        }
        Some(Border { starts: section_kind_at(self.source.outline(), first), ..Border::default() })
    }

    /// Returns the borders of content that is not blank.
    fn content_borders<'a>(&self, content: &'a [u8]) -> (Border<'a>, Border<'a>) {
        let outline = self.source.outline_of(content);
        let lines: Vec<&[u8]> = lines_with_ends(content).collect();
        let first = lines.iter().position(|line| !is_blank(line)).unwrap_or(0);
        let last = lines.iter().rposition(|line| !is_blank(line)).unwrap_or(0);
        let from = last.saturating_sub(LOOK_BACK as usize).max(first);
        let begin =
            Border { starts: section_kind_at(&outline, first as u64 + 1), ..Border::default() };
        let ends_heading = ends_heading(&outline, last as u64 + 1);
        (begin, Border { starts: None, ends_heading, lines: lines[from..=last].to_vec() })
    }

    /// Returns the number of blank lines needed between `above` and the text at or below a line.
    fn blank_lines_above_text(
        &self,
        above: Option<Border<'_>>,
        line: u64,
        how: Continuation,
    ) -> u64 {
        let below = self.border_below(line);
        self.blank_lines_between(above, below, line, how)
    }

    /// Returns the number of blank lines needed between two texts that become adjacent at a line.
    /// `how` is how the second text would continue the first one.
    fn blank_lines_between(
        &self,
        above: Option<Border<'_>>,
        below: Option<Border<'_>>,
        line: u64,
        how: Continuation,
    ) -> u64 {
        let (Some(above), Some(below)) = (above, below) else { return 0 };
        let is_merged = how == Continuation::Merged;
        if let Some(kind) = below.starts {
            let is_merged = is_merged && kind != SectionKind::Entry;
            return u64::from(is_merged || !self.is_dense(kind, line));
        }
        let format = self.source.format();
        if !format.has(Feature::Headings) || format.rules().has_adjacent_sections(format) {
            return 0;
        }
        match how {
            Continuation::Rows | Continuation::Definition => 0,
            Continuation::Item => u64::from(is_loose(&above.lines)),
            _ if above.ends_heading => u64::from(is_merged || !self.is_dense_below_headings(line)),
            Continuation::Block | Continuation::Merged => 1,
        }
    }

    /// Whether sections of a kind usually have no blank lines above them in this document.
    fn is_dense(&self, kind: SectionKind, line: u64) -> bool {
        let outline = self.source.outline();
        let front_matter = outline.front_matter().map_or(0, |found| found.lines.end());
        let (mut dense, mut apart) = (0, 0);
        for section in nearby_sections(outline, line) {
            let start = section.lines().start();
            let is_same = std::mem::discriminant(&section.kind()) == std::mem::discriminant(&kind);
            if is_same && start > front_matter + 1 && !ends_heading(outline, start - 1) {
                let count = if self.blank_above(start) > 0 { &mut apart } else { &mut dense };
                *count += 1;
            }
        }
        if dense != apart {
            return dense > apart;
        }
        // Log entries are adjacent lines, unless the document shows otherwise.
        let format = self.source.format();
        format.rules().has_adjacent_sections(format) || self.is_dense_below_headings(line)
    }

    /// Whether headings usually have no blank lines below them in this document.
    fn is_dense_below_headings(&self, line: u64) -> bool {
        let outline = self.source.outline();
        let (mut dense, mut apart) = (0, 0);
        for section in nearby_sections(outline, line) {
            if let (SectionKind::Heading(_), Some(body)) = (section.kind(), section.body())
                && section_kind_at(outline, body.start()).is_none()
            {
                let count = if self.is_blank(body.start()) { &mut apart } else { &mut dense };
                *count += 1;
            }
        }
        dense > apart
    }
}

/// Returns the top-level sections nearest to a line.
fn nearby_sections(outline: &Outline, line: u64) -> impl Iterator<Item = Section> + use<> {
    let sections = outline.sections();
    let at = sections.partition_point(|section| section.lines().start() < line);
    let near = at.saturating_sub(SAMPLES)..(at + SAMPLES).min(sections.len());
    let uncontained = sections[near].iter().filter(|section| section.container().is_none());
    uncontained.copied().collect::<Vec<_>>().into_iter()
}

/// Returns the kind of the section that begins on a line.
pub(super) fn section_kind_at(outline: &Outline, line: u64) -> Option<SectionKind> {
    let sections = outline.sections();
    let at = sections.binary_search_by_key(&line, |section| section.lines().start()).ok()?;
    Some(sections[at].kind())
}

fn ends_heading(outline: &Outline, line: u64) -> bool {
    let at = outline.sections().partition_point(|section| section.lines().start() <= line);
    let Some(index) = at.checked_sub(1) else { return false };
    let is_heading = outline.sections()[index].level().is_some();
    is_heading && outline.sections()[index].heading().end() == line
}

/// Returns content with the given numbers of blank lines before and after it.
fn with_edges(content: &[u8], lead: usize, trail: usize) -> Vec<u8> {
    let Some((old_lead, old_trail)) = blank_edges(content) else { return content.to_vec() };
    let lines: Vec<&[u8]> = lines_with_ends(content).collect();
    let text = lines[old_lead..lines.len() - old_trail].concat();
    let end: &[u8] = if text.ends_with(b"\n") { b"" } else { b"\n" };
    [&b"\n".repeat(lead)[..], &text, end, &b"\n".repeat(trail)].concat()
}

#[cfg(test)]
mod tests;
