//! The parts of an outline that conditions may select, with their properties.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::PartKind;
use folio_markdown::blocks::ContainerKind;
use folio_outline::lookup::slugs;
use folio_outline::naming::unique_names;
use folio_outline::outline::{Code, Outline, SectionKind};
use folio_outline::part::Part;
use folio_text::span::LineRange;

/// A part that was selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedPart {
    /// The kind of the part.
    pub kind: PartKind,
    /// The lines of the part. `None` for a whole file.
    pub lines: Option<LineRange>,
    /// The lines of the heading, if the part is a section with a heading.
    pub heading: Option<LineRange>,
    /// The name of the part.
    pub name: Vec<u8>,
    /// The name with its markup.
    pub source_name: Vec<u8>,
    /// The names of the sections that contain the part, outermost first.
    pub above: Vec<Vec<u8>>,
    /// The level of a heading.
    pub level: Option<u8>,
    /// The anchor of a heading.
    pub anchor: Option<String>,
    /// The container that contains a heading.
    pub container: Option<ContainerKind>,
    /// The language of a code block.
    pub language: Option<String>,
    /// The target that selects the part. `None` if it was not requested, or if there is no such
    /// target.
    pub target: Option<Part>,
}

impl SelectedPart {
    /// Joins the names of the sections that contain the part and its own name.
    pub fn path(&self) -> Vec<u8> {
        joined(self.above.iter().map(Vec::as_slice), &self.name)
    }
}

fn joined<'a>(above: impl Iterator<Item = &'a [u8]>, name: &[u8]) -> Vec<u8> {
    let mut path = Vec::new();
    for level in above {
        path.extend_from_slice(level);
        path.extend_from_slice(b" > ");
    }
    path.extend_from_slice(name);
    path
}

/// A part that may be selected, by its index in the outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Candidate {
    File,
    FrontMatter,
    FrontMatterKey(usize),
    Section(usize),
    Entry(usize),
    Code(usize),
    Table(usize),
}

/// The outline of a document, with lookups that are computed when they are first used.
pub(super) struct Outlined<'a> {
    pub(super) outline: &'a Outline,
    path: &'a Path,
    anchors: OnceCell<Vec<String>>,
    /// A unique name for each section. Empty if names were not requested.
    names: Vec<Option<String>>,
}

impl<'a> Outlined<'a> {
    pub(super) fn new(outline: &'a Outline, path: &'a Path) -> Self {
        Self { outline, path, anchors: OnceCell::new(), names: Vec::new() }
    }

    /// Computes unique names of the sections, for the targets of parts.
    pub(super) fn name_sections(&mut self) {
        self.names = unique_names(self.outline);
    }

    /// Returns all parts of the given kinds, ordered by line.
    pub(super) fn candidates(&self, kinds: &[PartKind]) -> Vec<Candidate> {
        let outline = self.outline;
        let has = |kind: PartKind| kinds.contains(&kind);
        let mut found = Vec::new();
        found.extend(has(PartKind::File).then_some(Candidate::File));
        if let Some(front_matter) = outline.front_matter() {
            found.extend(has(PartKind::FrontMatter).then_some(Candidate::FrontMatter));
            let keys = 0..if has(PartKind::Key) { front_matter.keys.len() } else { 0 };
            found.extend(keys.map(Candidate::FrontMatterKey));
        }
        let is_section = |index: &usize| has(part_kind(outline.sections()[*index].kind()));
        found.extend((0..outline.sections().len()).filter(is_section).map(Candidate::Section));
        if let Some(tree) = outline.tree().filter(|_| has(PartKind::Key)) {
            // A section of INI is not an entry.
            let is_entry = |&index: &usize| {
                outline.format().is_tree() || !tree.node(index).kind.is_container()
            };
            found.extend((1..tree.nodes.len()).filter(is_entry).map(Candidate::Entry));
        }
        let code = 0..if has(PartKind::Code) { outline.code().len() } else { 0 };
        let is_fenced = |index: &usize| outline.code()[*index].fenced;
        found.extend(code.filter(is_fenced).map(Candidate::Code));
        let tables = 0..if has(PartKind::Table) { outline.tables().len() } else { 0 };
        found.extend(tables.map(Candidate::Table));
        if kinds.len() > 1 {
            // A part precedes the parts that it contains.
            found.sort_by_key(|&candidate| {
                let lines = self.lines(candidate);
                lines.map_or((0, 0), |lines| (lines.start(), u64::MAX - lines.end()))
            });
        }
        found
    }

    /// Whether a part contains one that follows it.
    pub(super) fn contains(&self, part: Candidate, other: Candidate) -> bool {
        match (part, other, self.outline.tree()) {
            // Entries beside each other may share a line.
            (Candidate::Entry(outer), Candidate::Entry(inner), Some(tree)) => {
                tree.is_within(inner, outer)
            }
            _ => match (self.lines(part), self.lines(other)) {
                (Some(outer), Some(inner)) => outer.covers(inner),
                (outer, _) => outer.is_none(),
            },
        }
    }

    pub(super) fn kind(&self, candidate: Candidate) -> PartKind {
        match candidate {
            Candidate::File => PartKind::File,
            Candidate::FrontMatter => PartKind::FrontMatter,
            Candidate::FrontMatterKey(_) | Candidate::Entry(_) => PartKind::Key,
            Candidate::Section(index) => part_kind(self.outline.sections()[index].kind()),
            Candidate::Code(_) => PartKind::Code,
            Candidate::Table(_) => PartKind::Table,
        }
    }

    /// Returns the lines of a part. Returns `None` for a whole file.
    pub(super) fn lines(&self, candidate: Candidate) -> Option<LineRange> {
        let outline = self.outline;
        match candidate {
            Candidate::File => None,
            Candidate::FrontMatter => outline.front_matter().map(|found| found.lines),
            Candidate::FrontMatterKey(index) => {
                outline.front_matter().map(|found| found.keys[index].lines)
            }
            Candidate::Section(index) => Some(outline.sections()[index].lines()),
            Candidate::Entry(index) => outline.tree().map(|tree| tree.lines(index)),
            Candidate::Code(index) => Some(outline.code()[index].lines),
            Candidate::Table(index) => Some(outline.tables()[index].lines),
        }
    }

    /// Returns the name of a part. For an INI section, this is the text in the brackets; for code
    /// and tables, the target that selects them.
    pub(super) fn name(&self, candidate: Candidate) -> Cow<'a, [u8]> {
        let outline = self.outline;
        match candidate {
            Candidate::File => Cow::Borrowed(self.path.as_os_str().as_bytes()),
            Candidate::FrontMatter => Cow::Borrowed(b"front matter"),
            Candidate::FrontMatterKey(index) => {
                let name = outline.front_matter().map(|found| found.keys[index].name.as_bytes());
                Cow::Borrowed(name.unwrap_or_default())
            }
            Candidate::Section(index) => section_name(outline, index),
            Candidate::Entry(index) if !outline.format().is_tree() => {
                let name = outline.tree().and_then(|tree| tree.name(index));
                Cow::Borrowed(name.unwrap_or_default().as_bytes())
            }
            Candidate::Entry(index) => {
                let path = outline.tree().map(|tree| tree.path(index));
                Cow::Owned(path.unwrap_or_default().into_bytes())
            }
            Candidate::Code(index) => Cow::Owned(code_name(outline.code(), index).into_bytes()),
            Candidate::Table(index) => Cow::Owned(format!("table {index}").into_bytes()),
        }
    }

    /// Returns the name of a part with its markup.
    pub(super) fn source_name(&self, candidate: Candidate) -> Cow<'a, [u8]> {
        match candidate {
            Candidate::Section(index) => Cow::Borrowed(self.outline.name(index)),
            _ => self.name(candidate),
        }
    }

    /// Returns the index of a section, or of the section of an INI key.
    pub(super) fn section(&self, candidate: Candidate) -> Option<usize> {
        match candidate {
            Candidate::Section(index) => Some(index),
            Candidate::Entry(index) if !self.outline.format().is_tree() => {
                self.outline.section_of(index)
            }
            _ => None,
        }
    }

    /// Returns the innermost section that contains a part.
    fn enclosing_section(&self, candidate: Candidate) -> Option<usize> {
        match candidate {
            Candidate::File | Candidate::FrontMatter | Candidate::FrontMatterKey(_) => None,
            Candidate::Entry(_) => self.section(candidate),
            Candidate::Section(index) => self.outline.parent(index),
            Candidate::Code(_) | Candidate::Table(_) => {
                self.lines(candidate).and_then(|lines| self.outline.innermost(lines.start()))
            }
        }
    }

    /// Returns the names of the sections that contain a part, outermost first.
    pub(super) fn enclosing_names(&self, candidate: Candidate) -> Vec<Cow<'a, [u8]>> {
        let path =
            self.enclosing_section(candidate).map_or_else(Vec::new, |at| self.outline.path(at));
        path.into_iter().map(|index| section_name(self.outline, index)).collect()
    }

    /// Joins the names of the sections that contain a part and its own name.
    pub(super) fn path_of(&self, candidate: Candidate) -> Vec<u8> {
        let above = self.enclosing_names(candidate);
        joined(above.iter().map(AsRef::as_ref), &self.name(candidate))
    }

    /// Returns the anchors of all sections. For a section without a heading, the anchor is empty.
    fn anchors(&self) -> &[String] {
        self.anchors.get_or_init(|| {
            let mut anchors = vec![String::new(); self.outline.sections().len()];
            slugs(self.outline).into_iter().for_each(|(index, slug)| anchors[index] = slug);
            anchors
        })
    }

    /// Returns a target that selects only this part, or `None` if there is none.
    fn target(&self, candidate: Candidate) -> Option<Part> {
        let outline = self.outline;
        let named = |index: usize| self.names.get(index)?.clone();
        match candidate {
            Candidate::File => None,
            Candidate::FrontMatter => Some(Part::FrontMatter { key: None, value: false }),
            Candidate::FrontMatterKey(index) => {
                let name = &outline.front_matter()?.keys[index].name;
                Some(Part::FrontMatter { key: Some(name.clone()), value: false })
            }
            Candidate::Section(index) => named(index).map(Part::section),
            Candidate::Entry(index) if !outline.format().is_tree() => {
                let (tree, enclosing) = (outline.tree()?, outline.section_of(index));
                let section = match enclosing {
                    Some(section) => Some(named(section)?),
                    None => None,
                };
                let is_other =
                    |other: usize| other != index && tree.name(other) == tree.name(index);
                let is_only = !outline.keys_of(enclosing).any(is_other);
                let key = tree.name(index)?.to_owned();
                is_only.then_some(Part::Key { section, key, value: false })
            }
            Candidate::Entry(index) => {
                let key = outline.tree()?.path(index);
                Some(Part::Key { section: None, key, value: false })
            }
            Candidate::Code(index) => {
                let before = outline.code()[..index].iter();
                let index = before.filter(|code| code.fenced).count();
                Some(Part::CodeBlock { language: None, index, fences: false, symbol: None })
            }
            Candidate::Table(index) => Some(Part::Table(index)),
        }
    }

    /// Returns the part with all its properties.
    pub(super) fn part(&self, candidate: Candidate) -> SelectedPart {
        let section = match candidate {
            Candidate::Section(index) => Some((index, &self.outline.sections()[index])),
            _ => None,
        };
        let level = section.and_then(|(_, section)| section.level());
        SelectedPart {
            kind: self.kind(candidate),
            lines: self.lines(candidate),
            heading: section.filter(|_| level.is_some()).map(|(_, section)| section.heading()),
            name: self.name(candidate).into_owned(),
            source_name: self.source_name(candidate).into_owned(),
            above: self.enclosing_names(candidate).into_iter().map(Cow::into_owned).collect(),
            level,
            anchor: section
                .filter(|_| level.is_some())
                .map(|(index, _)| self.anchors()[index].clone()),
            container: section.and_then(|(_, section)| section.container()),
            language: match candidate {
                Candidate::Code(index) => {
                    self.outline.code()[index].language.as_deref().map(str::to_owned)
                }
                _ => None,
            },
            target: self.target(candidate),
        }
    }
}

fn part_kind(kind: SectionKind) -> PartKind {
    match kind {
        SectionKind::Heading(_) => PartKind::Heading,
        SectionKind::Entry => PartKind::Entry,
        SectionKind::Marker => PartKind::Marker,
        SectionKind::Symbol(kind) => PartKind::of_symbol(kind),
    }
}

/// Returns the name of a section. For an INI section, this is the text in the brackets.
pub(super) fn section_name(outline: &Outline, index: usize) -> Cow<'_, [u8]> {
    let text = outline.text(index);
    match outline.sections()[index].kind() {
        SectionKind::Marker => {
            let inner = text.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]"));
            inner.map_or(text.clone(), |inner| Cow::Owned(inner.to_vec()))
        }
        SectionKind::Heading(_) | SectionKind::Entry | SectionKind::Symbol(_) => text,
    }
}

/// Returns the name of a code block, such as `code bash:1`. The number is the one that selects the
/// block.
fn code_name(code: &[Code], index: usize) -> String {
    let block = &code[index];
    let before = code[..index].iter().filter(|code| code.fenced);
    match &block.language {
        Some(language) => {
            format!("code {language}:{}", before.filter(|code| code.is_language(language)).count())
        }
        None => format!("code {}", before.count()),
    }
}
