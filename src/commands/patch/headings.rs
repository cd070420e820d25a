//! Checks that content that replaces a section begins with a heading, and that content that
//! replaces the body of a section does not.

use std::borrow::Cow;

use super::place::{Place, Planner};
use super::{Operation, Part, Request, hints};
use folio_files::error::{Code, Error, Hint};
use folio_outline::naming::unique_names;
use folio_outline::outline::{Outline, Section, SectionKind};
use folio_outline::part::SectionPart;
use folio_text::lines::lines_with_ends;

impl Planner<'_> {
    /// Fails if content that replaces a section does not begin with a heading, or if content that
    /// replaces its body begins with one that ends the section. Returns a warning if the content
    /// changes the level or the name of the heading.
    pub(super) fn check_heading(
        &self,
        place: &Place,
        content: &[u8],
    ) -> Result<Option<String>, Error> {
        let part = match (&self.request.target, &self.request.address.part) {
            (Some(Part::Section { part, .. }), _) => *part,
            (Some(Part::Anchor(_)), _) | (None, Part::Anchor(_)) => SectionPart::Whole,
            _ => return Ok(None),
        };
        let outline = self.source.outline();
        let first = if part == SectionPart::Body { self.section_named()? } else { place.line };
        let begins = |index: &usize| outline.sections()[*index].lines().start() == first;
        let Some(index) = (0..outline.sections().len()).find(begins) else { return Ok(None) };
        let own = Heading { outline, index };
        let new = self.source.outline_of(content);
        if part == SectionPart::Body {
            return self.check_body(&own, &new, content);
        }
        let heading = first_heading(&new, own.kind(), content);
        let heading = heading.map(|index| Heading { outline: &new, index });
        match (part, heading) {
            (_, None) if !self.force => Err(self.no_heading_in_content(&own, part)),
            (SectionPart::Whole, Some(new)) if new.shown() != own.shown() => Ok(Some(format!(
                "the {} changes from '{}' to '{}'",
                own.term(),
                own.shown(),
                new.shown()
            ))),
            _ => Ok(None),
        }
    }

    /// Fails if the body of a section begins with a heading that ends the section, or contains its
    /// heading. Returns a warning if it contains another heading that ends the section.
    fn check_body(
        &self,
        own: &Heading<'_>,
        new: &Outline,
        content: &[u8],
    ) -> Result<Option<String>, Error> {
        let first = first_heading(new, own.kind(), content);
        let headings = (0..new.sections().len()).map(|index| Heading { outline: new, index });
        let mut headings =
            headings.filter(|heading| heading.is_like(own) && own.ends_with(heading));
        let Some(heading) = headings.next() else { return Ok(None) };
        if self.force {
            return Ok(None);
        }
        let is_repeated = |heading: &Heading<'_>| heading.name() == own.name();
        if Some(heading.index) == first || is_repeated(&heading) {
            return Err(self.second_heading(own, &heading));
        }
        if let Some(repeated) = headings.find(is_repeated) {
            return Err(self.second_heading(own, &repeated));
        }
        let (term, shown) = (heading.term(), heading.shown());
        Ok(Some(format!("the {term} '{shown}' in the content ends the section")))
    }

    /// Returns the error for content without a heading, which would remove the heading of a
    /// section.
    fn no_heading_in_content(&self, own: &Heading<'_>, part: SectionPart) -> Error {
        let (term, shown) = (own.term(), own.shown());
        let message =
            format!("the content does not begin with a {term}, so '{shown}' would be removed");
        let error = Error::new(Code::StructureChanged, message).at(self.source.path());
        let error = match part {
            SectionPart::Heading => {
                let operation = Operation::Rename;
                let rename = Request { operation, ..self.request.clone() };
                error.hint(hints::typed(&rename).why("to change only its text"))
            }
            _ => {
                let why = format!("to keep the {}", own.line_term());
                error.hint(self.on_part(own, SectionPart::Body).why(why))
            }
        };
        error.hint(Hint::flag(["--force"]).why("to do it anyway"))
    }

    /// Returns the error for the body of a section that begins with a heading.
    fn second_heading(&self, own: &Heading<'_>, new: &Heading<'_>) -> Error {
        let (term, shown) = (own.term(), new.shown());
        let message =
            format!("the content contains the {term} '{shown}', but --body keeps the present one");
        let why = format!("to replace the {}, too", own.line_term());
        Error::new(Code::StructureChanged, message)
            .at(self.source.path())
            .hint(self.on_part(own, SectionPart::Whole).why(why))
            .hint(Hint::flag(["--force"]).why("to do it anyway"))
    }

    /// Returns the command that replaces another part of the section.
    fn on_part(&self, own: &Heading<'_>, part: SectionPart) -> Hint {
        let mut request = self.request.clone();
        match &mut request.target {
            Some(Part::Section { part: own, .. }) => *own = part,
            target => {
                let name = unique_names(own.outline)[own.index].clone().unwrap_or_default();
                *target = Some(Part::Section { name, part, children: None });
                request.address.part = Part::Whole;
            }
        }
        hints::typed(&request)
    }
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

    /// Returns the term for this kind of line.
    fn term(&self) -> &'static str {
        match self.kind() {
            SectionKind::Heading(_) => "heading",
            SectionKind::Entry => "log entry",
            SectionKind::Marker => "section marker",
        }
    }

    /// Returns the term for the line itself.
    fn line_term(&self) -> &'static str {
        match self.kind() {
            SectionKind::Heading(_) => "heading",
            SectionKind::Entry => "first line",
            SectionKind::Marker => "marker",
        }
    }

    /// Returns the heading with its marks, or the marker.
    fn shown(&self) -> String {
        let name = match self.kind() {
            SectionKind::Heading(level) => {
                let marks = vec![b'#'; usize::from(level)];
                [&marks[..], b" ", &self.outline.text(self.index)].concat()
            }
            _ => self.outline.marker(self.index).to_vec(),
        };
        String::from_utf8_lossy(&name).into_owned()
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
            (SectionKind::Heading(own), SectionKind::Heading(new_level)) => {
                new_level <= own || self.name() == new.name()
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
    let may_precede = |line: &[u8]| line.trim_ascii().first().is_none_or(|first| *first == b'<');
    lines_with_ends(content).take(before).all(may_precede).then_some(index)
}
