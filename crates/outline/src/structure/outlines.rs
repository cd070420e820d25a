//! Checks whether edits change headings, code blocks or anchors outside the edited text: compares
//! the outlines before and after. Used for markup that is parsed line by line.

use super::kept::KeptLines;
use super::{ChangeKind, StructureChange};
use crate::format::Format;
use crate::outline::{Anchor, AnchorKind, Outline, Section};
use folio_text::edit::EditSet;
use folio_text::lines::{lines_with_ends, without_end};
use folio_text::span::{LineRange, Span};

/// Maximum number of lines between a label and its heading, and in a heading with its labels.
const NEAR: u64 = 64;

/// Returns the changes that edits cause outside the edited text: first the lost elements, then the
/// created ones, each ordered by line. The text of the file begins at `start`.
pub(super) fn changes(
    bytes: &[u8],
    start: u64,
    edits: &EditSet,
    format: Format,
) -> Vec<StructureChange> {
    let kept = KeptLines::new(bytes, Span::new(start, bytes.len() as u64), edits.edits());
    let (old, new) = (&bytes[start as usize..], edits.apply(bytes));
    let new = &new[start as usize..];
    let set = edits.edits();
    let replaced: Vec<&[u8]> = set
        .iter()
        .map(|edit| &bytes[edit.span.start() as usize..edit.span.end() as usize])
        .collect();
    let content: Vec<&[u8]> = set.iter().map(|edit| &edit.content[..]).collect();
    let (replaced, content) = (replaced.concat(), content.concat());
    let markup = format.rules().markup();
    let unpaired = markup.and_then(|markup| markup.unpaired(&replaced, &content));
    let old = Side { edited: &replaced, ..Side::new(old, format) };
    let new = Side { edited: &content, ..Side::new(new, format) };
    let mut found = Vec::new();
    old.missing_in(&new, |line| kept.new_of(line), ChangeKind::Lost, &mut found);
    new.missing_in(&old, |line| kept.old_of(line), ChangeKind::Created, &mut found);
    if let (Some(change), true) = (unpaired, found.is_empty()) {
        let line = edits.edits().first().map_or(1, |edit| {
            lines_with_ends(&bytes[start as usize..edit.span.start() as usize]).count() as u64
        });
        found.push(StructureChange { line: line.max(1), ..change });
    }
    found
}

/// A document and its outline.
struct Side<'t> {
    outline: Outline,
    lines: Vec<&'t [u8]>,
    /// The text that the edits replace or insert.
    edited: &'t [u8],
}

impl<'t> Side<'t> {
    fn new(text: &'t [u8], format: Format) -> Self {
        let lines = lines_with_ends(text).map(without_end).collect();
        Self { outline: Outline::of(text, format), lines, edited: b"" }
    }

    /// Returns the line that names a heading.
    fn text_of(&self, line: u64) -> Vec<u8> {
        let line = usize::try_from(line).unwrap_or_default().saturating_sub(1);
        self.lines.get(line).map_or(Vec::new(), |line| line.trim_ascii().to_vec())
    }

    fn headings(&self) -> impl Iterator<Item = (usize, &Section)> {
        let sections = self.outline.sections().iter().enumerate();
        sections.filter(|(_, section)| section.level().is_some())
    }

    /// Collects the elements on unedited lines that the other document does not have. `there` maps
    /// an unedited line to its number in the other document.
    fn missing_in(
        &self,
        other: &Self,
        there: impl Fn(u64) -> Option<u64>,
        kind: ChangeKind,
        found: &mut Vec<StructureChange>,
    ) {
        let first = found.len();
        for (index, section) in self.headings() {
            let (begin, end) = (section.heading().start(), section.heading().end());
            let (begin_there, end_there) = (there(begin), there(end));
            if begin_there.or(end_there).is_none() {
                continue;
            }
            // The labels before a title and the properties below it may change.
            let begins = |line| other.has_heading(line, section, |lines| lines.start() == line);
            let ends = |line| other.has_heading(line, section, |lines| lines.end() == line);
            let is_there = end_there.is_some_and(ends) || begin_there.is_some_and(begins);
            if !is_there {
                let name = self.outline.text(index).into_owned();
                let text = if name.is_empty() { self.text_of(begin) } else { name };
                found.push(StructureChange { kind, label: None, line: begin, text });
            }
        }
        for code in self.outline.code() {
            let (begin, end) = (there(code.lines.start()), there(code.lines.end()));
            // The block that begins on the same line, or that contains the same end.
            let Some(line) = begin.or(end) else { continue };
            let codes = other.outline.code();
            let before = codes.partition_point(|other| other.lines.start() <= line);
            let same = codes[..before].last().filter(|same| {
                let ends_apart = code.closed && same.closed;
                let is_begin = begin.is_none_or(|begin| same.lines.start() == begin);
                let is_end = end.is_none_or(|end| same.lines.end() == end || !ends_apart);
                is_begin && is_end && same.lines.contains(line)
            });
            if same.is_none() {
                let line = code.lines.start();
                found.push(StructureChange { kind, label: None, line, text: self.text_of(line) });
            }
        }
        for anchor in self.outline.anchors() {
            let Some(line) = there(anchor.line) else { continue };
            // The id of a heading may be on another line.
            let is_edited = || memchr::memmem::find(self.edited, anchor.id.as_bytes()).is_some();
            if anchor.kind == AnchorKind::HeadingId && is_edited() {
                continue;
            }
            // A label that an edit separates from its heading, or adds to one, remains an anchor.
            let is_same =
                |other: &Anchor| other.id == anchor.id && other.line.abs_diff(line) <= NEAR;
            let anchors = other.outline.anchors();
            let first = anchors.partition_point(|other| other.line + NEAR < line);
            let mut near = anchors[first..].iter().take_while(|other| other.line <= line + NEAR);
            if !near.any(is_same) {
                let text = format!("#{}", anchor.id).into_bytes();
                found.push(StructureChange { kind, label: None, line: anchor.line, text });
            }
        }
        found[first..].sort_by_key(|change| change.line);
    }

    /// Whether there is a heading of the level of a section, near a line, whose lines satisfy a
    /// condition.
    fn has_heading(&self, line: u64, like: &Section, is_place: impl Fn(LineRange) -> bool) -> bool {
        let sections = self.outline.sections();
        let first = sections.partition_point(|section| section.lines().start() + NEAR < line);
        let mut near =
            sections[first..].iter().take_while(|section| section.lines().start() <= line);
        near.any(|section| section.level() == like.level() && is_place(section.heading()))
    }
}
