//! Determines how content is parsed next to the text around it. Refuses content that would become
//! part of an unclosed block, and content that would make the text below part of its last block.

use super::place::{Edges, Place, Planner, name_of_tag};
use super::spacing::section_kind_at;
use super::{Merge, Note, Refusal, Side};
use crate::boundary::last_end_of_blocks;
use folio_markdown::scanner::Unclosed;
use folio_markdown::seams::{Continuation, Seam, trailing_definitions};
use folio_text::lines::lines_with_ends;
use folio_text::separation::{blank_edges, is_blank};
use folio_text::span::{LineRange, Span};

/// Number of lines below a place that determine how the text there begins.
const LOOK_AHEAD: u64 = 16;

/// The place between two texts, or between a text and the content inserted after it.
pub(super) struct Joint<'a> {
    /// The end of the text above. `None` if the format is not Markdown.
    seam: Option<Seam>,
    /// The first lines of the text below.
    below: &'a [u8],
    /// The number of the first of these lines.
    below_line: u64,
    /// Whether the text below continues a block of the document.
    continues: bool,
    /// The line at which content is inserted.
    line: u64,
    /// Whether the content is in a container.
    is_contained: bool,
    /// Whether the content is appended to a table.
    is_for_table: bool,
    /// The block above that includes the content.
    includes_content: Option<Unclosed>,
}

impl Joint<'_> {
    /// Returns how content continues the text above.
    pub(super) fn continuation_above(&self, content: &[u8]) -> Continuation {
        let seam = self.seam.as_ref();
        seam.map_or(Continuation::Block, |seam| seam.continuation(content, self.is_for_table))
    }

    /// Returns how the text below continues the text above or the content, after blank lines.
    pub(super) fn continuation_below(&self, blank: &[u8]) -> Continuation {
        let Some(mut seam) = self.seam.clone() else { return Continuation::Block };
        seam.scan(blank);
        match seam.continuation(self.below, false) {
            // Text that looks like a row is one only if it already is.
            Continuation::Rows if !self.continues => Continuation::Merged,
            how => how,
        }
    }

    /// Adds blank lines and content.
    pub(super) fn with_content(mut self, blank: &[u8], content: &[u8]) -> Self {
        let Some(seam) = &mut self.seam else { return self };
        seam.scan(blank);
        let mut begun = seam.clone();
        begun.scan(lines_with_ends(content).next().unwrap_or_default());
        self.includes_content = begun.unclosed().filter(|open| open.line < self.line);
        seam.scan(content);
        self
    }

    /// Whether the text after `blank` lines below would become part of the content, although it
    /// begins a block now.
    pub(super) fn merges_below(&self, blank: &[u8]) -> bool {
        !self.continues && self.continuation_below(blank) == Continuation::Merged
    }
}

impl Planner<'_> {
    /// Returns the joint of the text before `line` and the text that begins at line `below`.
    pub(super) fn joint(&self, place: &Place, line: u64, below: u64) -> Joint<'_> {
        let format = self.source.format();
        let lines = |first: u64, end: u64| {
            let start = self.source.line_start(first);
            self.source.bytes(Span::new(start, self.source.line_start(end)))
        };
        let mut joint = Joint {
            seam: None,
            below: lines(below, below + LOOK_AHEAD),
            below_line: below,
            continues: false,
            line,
            is_contained: place.container.is_some(),
            is_for_table: self.is_for_table(),
            includes_content: None,
        };
        if let Some(dialect) = format.dialect() {
            let before = last_end_of_blocks(self.source.outline(), line);
            let above = lines(before + 1, line);
            let seam = Seam::after_text(before, above, dialect, joint.is_contained);
            joint.seam = Some(seam);
            joint.continues = joint.continuation_below(lines(line, below)) == Continuation::Merged;
        }
        joint
    }

    /// Whether content that replaces a place would become part of the block above, although the
    /// text at the place is a block of its own.
    pub(super) fn merges(&self, joint: &Joint<'_>, place: &Place, content: &[u8]) -> bool {
        let is_merged = |text| joint.continuation_above(text) == Continuation::Merged;
        is_merged(content) && !is_merged(self.source.bytes(place.span))
    }

    /// Fails if content becomes part of an unclosed block above, or the text after `blank` lines
    /// below becomes part of the last block of the content. If `force` is set, returns this as a
    /// warning. Lost headings are reported by the structure check.
    pub(super) fn check_unclosed(
        &self,
        joint: &Joint<'_>,
        blank: &[u8],
    ) -> Result<Option<Note>, Refusal> {
        let line = joint.below_line;
        let has_heading = section_kind_at(self.source.outline(), line).is_some();
        let merge = if let Some(open) = &joint.includes_content {
            let end = self.closing_line(open).filter(|_| !joint.is_contained);
            let closed_by = end.map(|end| (joint.line - 1, end));
            Merge::ContentInside { line: open.line, kind: open.kind, closed_by }
        } else if has_heading || !joint.merges_below(blank) {
            return Ok(None);
        } else if let Some(open) = joint.seam.as_ref().and_then(Seam::unclosed) {
            Merge::BelowInside { line, kind: open.kind }
        } else {
            Merge::Below { line }
        };
        if self.request.force { Ok(Some(Note::Merges(merge))) } else { Err(Refusal::Merges(merge)) }
    }

    /// Fails if content that is inserted without blank lines becomes part of an unclosed block. If
    /// `force` is set, returns this as a warning.
    pub(super) fn check_exact(
        &self,
        place: &Place,
        side: Side,
        content: &[u8],
    ) -> Result<Option<Note>, Refusal> {
        if place.edges == Edges::Exact {
            return Ok(None);
        }
        let line = match side {
            Side::Before => place.line,
            Side::After => self.last_line(place) + 1,
        };
        let joint = self.joint(place, line, line).with_content(b"", content);
        if joint.includes_content.is_none() {
            return Ok(None);
        }
        self.check_unclosed(&joint, b"")
    }

    /// Returns the line that closes a block, if there is one.
    fn closing_line(&self, open: &Unclosed) -> Option<Vec<u8>> {
        if !open.end.is_empty() {
            return Some(open.end.clone());
        }
        if open.kind != "HTML block" {
            return None;
        }
        let text = self.source.line(open.line);
        let tag = &text[memchr::memchr(b'<', text)? + 1..];
        Some([b"</", name_of_tag(tag), b">"].concat())
    }

    /// Returns a place without the link definitions and footnotes at the end of the file. They
    /// belong to the file, and not to its last section.
    pub(super) fn without_trailing_definitions(&self, place: Place, content: &[u8]) -> Place {
        let lines = LineRange::new(place.line, self.last_line(&place));
        let is_part = place.edges == Edges::Document && place.container.is_none();
        let Some(lines) = lines.filter(|_| is_part) else { return place };
        let last = self.last_before_definitions(lines, content);
        let span = Span::new(place.span.start(), self.source.line_start(last + 1));
        Place { span, ..place }
    }

    /// Returns the last line of a section that is not blank, without the link definitions and
    /// footnotes at the end of the file. Content that consists of definitions is inserted after
    /// them.
    pub(super) fn last_before_definitions(&self, section: LineRange, content: &[u8]) -> u64 {
        let last = self.last_filled(section);
        let dialect = self.source.format().dialect();
        let below = self.source.run_down((last + 1, self.source.total_lines() + 1), is_blank);
        let Some(dialect) = dialect.filter(|_| last + below >= self.source.total_lines()) else {
            return last;
        };
        let before = last_end_of_blocks(self.source.outline(), last + 1);
        let Some(lines) = LineRange::new(before.max(section.start() - 1) + 1, last) else {
            return last;
        };
        let text = self.source.bytes(self.source.span_of(lines));
        let has_definitions = memchr::memmem::find(text, b"]:").is_some();
        let are_definitions = || {
            let first = blank_edges(content).map(|(lead, _)| lead as u64 + 1);
            trailing_definitions(content, dialect) == first
        };
        if !has_definitions || are_definitions() {
            return last;
        }
        match trailing_definitions(text, dialect) {
            Some(first) => {
                let rest = LineRange::new(section.start(), lines.start() + first - 2);
                rest.map_or(last, |rest| self.last_filled(rest))
            }
            None => last,
        }
    }
}
