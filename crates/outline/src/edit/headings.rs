//! Checks that content that replaces a section begins with a heading, and that content that
//! replaces the body of a section does not.

use std::borrow::Cow;

use super::place::{Place, Planner};
use super::{Note, Refusal};
use crate::naming::section_label;
use crate::outline::{Outline, Section, SectionKind};
use crate::part::{Part, SectionPart};
use folio_text::lines::lines_with_ends;

impl Planner<'_> {
    /// Fails if content that replaces a section does not begin with a heading, or if content that
    /// replaces its body begins with one that ends the section. Returns a warning if the content
    /// changes the level or the name of the heading.
    pub(super) fn check_heading(
        &self,
        place: &Place,
        content: &[u8],
    ) -> Result<Option<Note>, Refusal> {
        let part = match &self.request.part {
            Some(Part::Section { part, .. }) => *part,
            Some(Part::Anchor(_)) => SectionPart::Whole,
            _ => return Ok(None),
        };
        let outline = self.source.outline();
        let first = if part == SectionPart::Body { self.section_named()? } else { place.line };
        let begins = |index: &usize| outline.sections()[*index].lines().start() == first;
        let Some(index) = (0..outline.sections().len()).find(begins) else { return Ok(None) };
        if outline.symbol(index).is_some() {
            // A symbol is judged in its place.
            return match part {
                SectionPart::Body => self.check_symbol_body(index, content).map(|()| None),
                SectionPart::Whole | SectionPart::Heading => Ok(None),
            };
        }
        let current = Heading { outline, index };
        let new = self.source.outline_of(content);
        if part == SectionPart::Body {
            return self.check_body(&current, &new, content);
        }
        let heading = first_heading(&new, current.kind(), content);
        let heading = heading.map(|index| Heading { outline: &new, index });
        match (part, heading) {
            (_, None) if !self.request.force => {
                Err(Refusal::NoHeadingInContent { heading: current.heading_name(), part })
            }
            (SectionPart::Whole, Some(new)) if new.shown() != current.shown() => {
                Ok(Some(Note::HeadingChanges { old: current.heading_name(), new: new.shown() }))
            }
            _ => Ok(None),
        }
    }

    /// Fails if the body of a section begins with a heading that ends the section, or contains its
    /// heading. Returns a warning if it contains another heading that ends the section.
    fn check_body(
        &self,
        current: &Heading<'_>,
        new: &Outline,
        content: &[u8],
    ) -> Result<Option<Note>, Refusal> {
        let first = first_heading(new, current.kind(), content);
        let headings = (0..new.sections().len()).map(|index| Heading { outline: new, index });
        let mut headings =
            headings.filter(|heading| heading.is_like(current) && current.ends_with(heading));
        let Some(heading) = headings.next() else { return Ok(None) };
        if self.request.force {
            return Ok(None);
        }
        let is_repeated = |heading: &Heading<'_>| heading.name() == current.name();
        if Some(heading.index) == first || is_repeated(&heading) {
            return Err(Refusal::SecondHeading {
                heading: current.heading_name(),
                new: heading.heading_name(),
            });
        }
        if let Some(repeated) = headings.find(is_repeated) {
            return Err(Refusal::SecondHeading {
                heading: current.heading_name(),
                new: repeated.heading_name(),
            });
        }
        Ok(Some(Note::HeadingEndsSection(heading.heading_name())))
    }
}

/// The line that begins a section, as data for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadingName {
    /// The index of the section in its outline.
    pub index: usize,
    /// The kind of the section.
    pub kind: SectionKind,
    /// The heading with its marks, or the marker.
    pub text: String,
}

/// The line that begins a section.
struct Heading<'o> {
    outline: &'o Outline,
    index: usize,
}

impl Heading<'_> {
    fn kind(&self) -> SectionKind {
        self.outline.sections()[self.index].kind()
    }

    fn heading_name(&self) -> HeadingName {
        HeadingName { index: self.index, kind: self.kind(), text: self.shown() }
    }

    /// Returns the heading with its marks, or the marker.
    fn shown(&self) -> String {
        if matches!(self.kind(), SectionKind::Heading(_)) {
            return section_label(self.outline, self.index);
        }
        String::from_utf8_lossy(self.outline.marker(self.index)).into_owned()
    }

    /// Whether both lines begin sections of the same kind, outside of quotes and lists.
    fn is_like(&self, other: &Heading<'_>) -> bool {
        is_of_kind(&self.outline.sections()[self.index], other.kind())
    }

    fn name(&self) -> Cow<'_, [u8]> {
        self.outline.text(self.index)
    }

    /// Whether this heading in its section would end the section, or repeats its name.
    fn ends_with(&self, new: &Heading<'_>) -> bool {
        match (self.kind(), new.kind()) {
            (SectionKind::Heading(level), SectionKind::Heading(new_level)) => {
                new_level <= level || self.name() == new.name()
            }
            _ => true,
        }
    }
}

/// Whether a section is of a kind, and not in a quote or list.
fn is_of_kind(section: &Section, kind: SectionKind) -> bool {
    std::mem::discriminant(&section.kind()) == std::mem::discriminant(&kind)
        && section.container().is_none()
}

/// Returns the section of a kind with which content begins. Comments and lines with tags such as
/// anchors may precede it.
fn first_heading(outline: &Outline, kind: SectionKind, content: &[u8]) -> Option<usize> {
    let index = outline.sections().iter().position(|section| is_of_kind(section, kind))?;
    let before = outline.sections()[index].lines().start() as usize - 1;
    let markup = outline.format().rules().markup();
    let marks = markup.map_or(&b"<"[..], |markup| markup.marks_before_headings());
    let may_precede =
        |line: &[u8]| line.trim_ascii().first().is_none_or(|first| marks.contains(first));
    lines_with_ends(content).take(before).all(may_precede).then_some(index)
}
