//! Locates a part in the outline of a document. A part that is missing or ambiguous is a [`Miss`],
//! which contains the candidates. Names are never guessed.

use std::sync::Arc;

use crate::format::Feature;
use crate::lookup::{
    self as names, AnchorTarget, Extent, Matching, SectionIndex, anchor_lines, find_anchor,
    find_indexed, numbered_position, section_lines,
};
use crate::outline::{Code as CodeLines, Outline, Table};
use crate::part::{Part, SectionPart};
use folio_keys::find::{self, Found, KeyMiss, Step};
use folio_keys::{KeyPath, Mistake, Syntax, Tree};
use folio_markdown::front_matter::FrontMatter;
use folio_text::span::LineRange;

/// A part of a document.
#[derive(Clone, Debug)]
pub enum Located<'a> {
    /// The whole document.
    Whole,
    /// Lines by number. An open end is `u64::MAX`.
    Lines(&'a [LineRange]),
    /// Lines of a section. `lines` is `None` if there are no such lines, for example in an empty
    /// body.
    Section {
        /// The index of the section.
        index: usize,
        /// The selected lines of the section.
        lines: Option<LineRange>,
    },
    /// The lines to which an anchor other than a heading refers.
    Anchor(LineRange),
    /// A code block.
    CodeBlock {
        /// The block.
        block: &'a CodeLines,
        /// The lines of the block, including the fences if they are requested. `None` if there are
        /// no such lines.
        lines: Option<LineRange>,
    },
    /// A table.
    Table(&'a Table),
    /// Front matter.
    FrontMatter(&'a FrontMatter),
    /// An entry of a tree of keys, or a key of front matter.
    Entry(&'a Tree, Found),
    /// A text or pattern, which the caller must search for.
    Match,
}

/// The result of looking for an entry in a tree of keys.
pub struct Entry<'a> {
    /// The tree.
    pub tree: &'a Tree,
    /// The key path.
    pub path: KeyPath,
    /// The entry at this path.
    pub found: Result<Found, KeyMiss>,
}

/// Why a part name does not select a single part of a document.
#[derive(Clone, Debug)]
pub enum Miss {
    /// No section or several sections match the name.
    Section {
        /// What the name was given for.
        role: NameRole,
        /// The name of the section.
        name: String,
        /// The most similar sections, or the candidates.
        miss: names::NameMiss,
    },
    /// There are too few code blocks or tables.
    Number {
        /// The kind of block.
        kind: BlockKind,
        /// The requested number.
        index: usize,
        /// The number of blocks.
        count: usize,
    },
    /// There is no such anchor.
    Anchor {
        /// The ID of the anchor.
        id: String,
        /// The most similar IDs.
        nearest: Vec<String>,
    },
    /// The format has no keys.
    NoKeys,
    /// A symbol was requested in a code block without a language that has symbols. The value is
    /// what the block names as its language.
    NoCode(Option<Arc<str>>),
    /// The symbol has no lines between its signature and its end.
    NoBody {
        /// The name of the symbol.
        name: String,
    },
    /// The value of the key spans several lines in a way that INI does not support.
    OpenValue {
        /// The line of the key.
        line: u64,
        /// Its name.
        name: String,
    },
    /// There is no front matter.
    NoFrontMatter,
    /// A path selects no entry of a tree of keys, or several.
    Entry(KeyPath, KeyMiss),
    /// The document or its front matter is invalid. The second value is the name of its syntax.
    Invalid(Mistake, &'static str),
    /// A text is not a key path.
    Path {
        /// The text.
        text: String,
        /// What is wrong with it.
        message: String,
    },
}

/// What the name of a section is given for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRole {
    /// The section to which a part is restricted.
    Scope,
    /// A section that is the part, or that contains it.
    Part(SectionPart),
    /// The section of a key.
    OfKey,
}

/// A kind of blocks that are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Fenced code blocks in a language, or in any language.
    Code(Option<String>),
    /// Tables.
    Table,
}

impl Miss {
    /// Whether the document has no such part. Other misses are several parts, or a mistake.
    pub fn is_missing(&self) -> bool {
        match self {
            Self::Section { miss, .. } => matches!(miss, names::NameMiss::NotFound { .. }),
            Self::Entry(_, miss) => matches!(miss, KeyMiss::NotFound { .. }),
            Self::Number { .. } | Self::Anchor { .. } | Self::NoKeys | Self::NoFrontMatter => true,
            Self::NoBody { .. } | Self::NoCode(_) => true,
            Self::OpenValue { .. } | Self::Invalid(..) | Self::Path { .. } => false,
        }
    }
}

/// Locates parts in the outline of a document.
#[derive(Clone, Copy)]
pub struct Locator<'a> {
    /// The outline.
    pub outline: &'a Outline,
    /// An index of the section names, if many names are looked up.
    pub names: Option<&'a SectionIndex>,
    /// The section to which parts are restricted.
    pub scope: Option<&'a str>,
    /// How strictly names are compared.
    pub matching: Matching,
}

/// The position of a part among those of its kind, such as the second of four code blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The number of the part, from 1.
    pub number: usize,
    /// The number of parts.
    pub count: usize,
}

impl<'a> Locator<'a> {
    /// Returns the lines or bytes of a part.
    ///
    /// # Errors
    ///
    /// Fails if there is no such part, or if there are several.
    pub fn locate(&self, part: &'a Part) -> Result<Located<'a>, Miss> {
        if let Some(Entry { tree, path, found }) = self.entry(part)? {
            let found = found.map_err(|miss| Miss::Entry(path, miss))?;
            if tree.is_open(found.index) {
                let name = tree.name(found.index).unwrap_or_default().to_owned();
                return Err(Miss::OpenValue { line: tree.lines(found.index).start(), name });
            }
            return Ok(Located::Entry(tree, found));
        }
        Ok(match part {
            Part::Whole => Located::Whole,
            Part::Lines(ranges) => Located::Lines(ranges),
            Part::Section { name, part, children } => {
                let index = self.section(name, NameRole::Part(*part))?;
                let is_body = *part == SectionPart::Body;
                if is_body && !self.outline.has_body(index) {
                    return Err(Miss::NoBody { name: name.clone() });
                }
                let extent = Extent::from_flags(is_body, children.unwrap_or(true));
                Located::Section { index, lines: section_lines(self.outline, index, extent) }
            }
            Part::CodeBlock { language, index, fences, .. } => {
                let block = self.code_block(language.as_deref(), *index)?;
                let lines = if *fences { Some(block.lines) } else { block.contents() };
                Located::CodeBlock { block, lines }
            }
            Part::Table(index) => Located::Table(self.table(*index)?),
            Part::Anchor(id) => self.anchor(id)?,
            Part::Key { .. } => return Err(Miss::NoKeys),
            Part::FrontMatter { .. } => Located::FrontMatter(self.front_matter()?),
            Part::Match(_) => Located::Match,
        })
    }

    /// Looks for the entry of a part, if the document is a tree of keys, or if the part is a
    /// key of front matter. If there is front matter, a key without a section is in it.
    ///
    /// # Errors
    ///
    /// Fails if the key path or the document is invalid.
    pub fn entry(&self, part: &Part) -> Result<Option<Entry<'a>>, Miss> {
        let front_matter = match part {
            Part::FrontMatter { key: Some(key), .. } => Some((key, self.front_matter()?)),
            Part::Key { section: None, key, .. } => {
                self.outline.front_matter().map(|found| (key, found))
            }
            _ => None,
        };
        if let Some((key, found)) = front_matter {
            let invalid = |mistake: &Mistake| Miss::Invalid(mistake.clone(), found.format.title());
            let tree = found.tree().map_err(invalid)?;
            let (path, found) = find::look_up(tree, key).unwrap_or_else(|_| {
                let path = KeyPath::of_name(key);
                let found = find::find(tree, &path);
                (path, found)
            });
            return Ok(Some(Entry { tree, path, found }));
        }
        let Some(syntax) = self.outline.format().syntax() else { return Ok(None) };
        if let Syntax::Ini(_) = syntax {
            return self.ini_entry(part);
        }
        let Some(path) = key_path(syntax, part, self.scope) else { return Ok(None) };
        if let Some(mistake) = self.outline.mistake() {
            return Err(Miss::Invalid(mistake.clone(), self.outline.format().title()));
        }
        let Some(tree) = self.outline.tree() else { return Ok(None) };
        let (path, found) = find::look_up(tree, &path)
            .map_err(|message| Miss::Path { text: path.clone(), message })?;
        Ok(Some(Entry { tree, path, found }))
    }

    /// Looks for the key of a part in an INI file. Sections are not entries.
    fn ini_entry(&self, part: &Part) -> Result<Option<Entry<'a>>, Miss> {
        let (section, key) = match part {
            Part::Key { section, key, .. } => (section.as_deref(), key),
            Part::Anchor(id) if self.outline.format().has(Feature::MarkedSections) => (None, id),
            _ => return Ok(None),
        };
        let tree = self.ini_tree()?;
        let Some(name) = section else {
            let (path, found) = find::look_up(tree, key)
                .map_err(|message| Miss::Path { text: key.clone(), message })?;
            return Ok(Some(Entry { tree, path, found }));
        };
        let section = self.any_section(name, None, NameRole::OfKey)?;
        let entry = self.outline.entry_of(section).ok_or(Miss::NoKeys)?;
        let (path, found) = find::look_up_within(tree, entry, key);
        Ok(Some(Entry { tree, path, found }))
    }

    /// Returns the entry of a key in an INI section that does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the document has no keys, or if it is invalid.
    pub fn new_ini_entry(&self, section: &str, key: &str) -> Result<Entry<'a>, Miss> {
        let tree = self.ini_tree()?;
        let (path, found) = find::look_up_in(tree, section, key);
        Ok(Entry { tree, path, found })
    }

    fn ini_tree(&self) -> Result<&'a Tree, Miss> {
        if let Some(mistake) = self.outline.mistake() {
            return Err(Miss::Invalid(mistake.clone(), self.outline.format().title()));
        }
        self.outline.tree().ok_or(Miss::NoKeys)
    }

    /// Returns the section that is the scope.
    pub fn scope_section(&self) -> Result<Option<usize>, Miss> {
        self.scope.map(|name| self.any_section(name, None, NameRole::Scope)).transpose()
    }

    /// Returns the lines of the scope.
    pub fn scope_lines(&self) -> Result<Option<LineRange>, Miss> {
        let index = self.scope_section()?;
        Ok(index.map(|index| self.outline.sections()[index].lines()))
    }

    /// Returns a section in the scope.
    pub fn section(&self, name: &str, role: NameRole) -> Result<usize, Miss> {
        self.any_section(name, self.scope_lines()?, role)
    }

    fn any_section(
        &self,
        name: &str,
        scope: Option<LineRange>,
        role: NameRole,
    ) -> Result<usize, Miss> {
        find_indexed(self.outline, self.names, name, scope, self.matching)
            .map_err(|miss| Miss::Section { role, name: name.to_owned(), miss })
    }

    /// Returns the position of a part that is selected by its number, if the number would also
    /// select a part if it were counted from 1 instead of 0, or from 0 instead of 1.
    pub fn doubtful_position(&self, part: &Part) -> Option<Position> {
        let from_zero = |index: usize, count: usize| {
            (0 < index && index < count).then_some(Position { number: index + 1, count })
        };
        let scope = self.scope_lines().ok()?;
        match part {
            Part::CodeBlock { language, index, .. } => {
                from_zero(*index, self.code_blocks(language.as_deref(), scope).count())
            }
            Part::Table(index) => from_zero(*index, self.tables(scope).count()),
            Part::Section { name, .. } if !self.outline.format().is_tree() => {
                let position = numbered_position(self.outline, self.names, name, scope);
                let (number, count) = position?;
                (number < count).then_some(Position { number, count })
            }
            _ => {
                let Entry { tree, path, found } = self.entry(part).ok()??;
                let Some(Step::Index(index)) = path.steps.last() else { return None };
                let item = found.ok()?.index;
                // Keys of INI with the same name are numbered. Items of lists have no names.
                let is_counted = |other: &usize| tree.name(*other) == tree.name(item);
                let count = tree.children(tree.parent(item)?).filter(is_counted).count();
                from_zero(usize::try_from(*index).ok()?, count)
            }
        }
    }

    fn code_blocks<'s>(
        &'s self,
        language: Option<&'s str>,
        scope: Option<LineRange>,
    ) -> impl Iterator<Item = &'a CodeLines> + use<'a, 's> {
        self.outline.code().iter().filter(move |code| {
            code.fenced
                && scope.is_none_or(|scope| scope.contains(code.lines.start()))
                && language.is_none_or(|language| code.is_language(language))
        })
    }

    fn code_block(&self, language: Option<&str>, index: usize) -> Result<&'a CodeLines, Miss> {
        let blocks = self.code_blocks(language, self.scope_lines()?);
        nth_element(blocks, index, || BlockKind::Code(language.map(str::to_owned)))
    }

    fn tables(&self, scope: Option<LineRange>) -> impl Iterator<Item = &'a Table> + use<'a> {
        let is_inside = move |table: &&Table| scope.is_none_or(|scope| scope.covers(table.lines));
        self.outline.tables().iter().filter(is_inside)
    }

    fn table(&self, index: usize) -> Result<&'a Table, Miss> {
        nth_element(self.tables(self.scope_lines()?), index, || BlockKind::Table)
    }

    fn anchor(&self, id: &str) -> Result<Located<'a>, Miss> {
        let scope = self.scope_lines()?;
        if self.outline.format().is_code() {
            let index = self.section(id, NameRole::Part(SectionPart::Whole))?;
            let lines = Some(self.outline.sections()[index].lines());
            return Ok(Located::Section { index, lines });
        }
        let miss = |nearest| Miss::Anchor { id: id.to_owned(), nearest };
        let found = find_anchor(self.outline, id).map_err(miss)?;
        let lines = anchor_lines(self.outline, &found);
        match found {
            _ if scope.is_some_and(|scope| !scope.contains(lines.start())) => Err(miss(Vec::new())),
            AnchorTarget::Section(index) => Ok(Located::Section { index, lines: Some(lines) }),
            AnchorTarget::Line(_) | AnchorTarget::Entry(_) => Ok(Located::Anchor(lines)),
        }
    }

    /// Returns the front matter.
    pub fn front_matter(&self) -> Result<&'a FrontMatter, Miss> {
        self.outline.front_matter().ok_or(Miss::NoFrontMatter)
    }
}

/// Returns the element with a number, counted from 0.
fn nth_element<'a, T>(
    all: impl Iterator<Item = &'a T>,
    index: usize,
    kind: impl FnOnce() -> BlockKind,
) -> Result<&'a T, Miss> {
    let mut count = 0;
    let found = all.inspect(|_| count += 1).nth(index);
    found.ok_or_else(|| Miss::Number { kind: kind(), index, count })
}

/// Returns the text of the key path of a part, if the part is an entry. The section of a
/// key, or the scope of a mapping that is selected as a section, is the beginning of the path.
fn key_path(syntax: Syntax, part: &Part, scope: Option<&str>) -> Option<String> {
    let (section, key) = match part {
        Part::Key { section, key, .. } => (section.as_deref(), key),
        Part::Anchor(id) => (None, id),
        Part::Section { name, part: SectionPart::Whole, children: None | Some(true) }
            if !syntax.is_flat() =>
        {
            (scope, name)
        }
        _ => return None,
    };
    Some(match section {
        Some(section) if key.starts_with('[') => format!("{section}{key}"),
        Some(section) => format!("{section}.{key}"),
        None => key.clone(),
    })
}
