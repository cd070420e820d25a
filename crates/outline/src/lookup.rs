//! Resolves a name to a section: by text, path, number or slug. Also finds the keys of INI
//! sections.
//!
//! Approximate matches are only suggested, never used.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use crate::format::Feature;
use crate::outline::slugs::{Slugs, reads_html, slugs_where};
use crate::outline::{Anchor, AnchorKind, Outline, SectionKind};
use folio_keys::{Tree, find};
use folio_markdown::slug::SlugStyle;
use folio_symbols::{Kind, Language};
use folio_text::fuzzy::name::nearest;
use folio_text::span::LineRange;

/// How strictly a name is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// The name must be equal, with or without markers.
    Exact,
    /// The name must be equal, ignoring case if no name is exactly equal.
    IgnoringCase,
    /// The name is compared exactly, then ignoring case, then as part of a longer name. A partial
    /// match must be unique.
    Relaxed,
}

/// Why a name does not identify a single section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameMiss {
    /// No section matches the name.
    NotFound {
        /// Indexes of the sections with the most similar names, best first.
        nearest: Vec<usize>,
    },
    /// Several sections match the name.
    Ambiguous {
        /// Indexes of the candidates, in order.
        candidates: Vec<usize>,
    },
}

/// Ways to compare two names, from strict to loose.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tier {
    Same,
    SameButCase,
    Part,
}

/// Finds the section called `name` among those whose first line is within `scope`.
///
/// `name` is the text of a heading, in source or rendered form, with or without its `#` marks; a
/// marker with or without brackets; or the line or marker of a log entry. It may also be a path of
/// such names, `Guide > Install` or `Guide/Install`, or a name with a number, `Setup[2]`, if
/// several sections have the same name.
///
/// # Errors
///
/// Fails if no section matches the name, or if several sections match.
pub fn find_section(
    outline: &Outline,
    name: &str,
    scope: Option<LineRange>,
    matching: Matching,
) -> Result<usize, NameMiss> {
    find_indexed(outline, None, name, scope, matching)
}

/// An index of sections by all their names. Building it is worthwhile if many names are looked up.
#[derive(Debug)]
pub struct SectionIndex {
    by_name: HashMap<String, Vec<usize>>,
    /// The sections to which names without their numbers refer, as far as they were looked up.
    known: RefCell<HashMap<String, Rc<[usize]>>>,
}

impl SectionIndex {
    /// Creates the index of an outline.
    pub fn new(outline: &Outline) -> Self {
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for index in 0..outline.sections().len() {
            for name in names(outline, index) {
                by_name.entry(name.into_owned()).or_default().push(index);
            }
        }
        Self { by_name, known: RefCell::default() }
    }

    fn sections_called(&self, name: &str) -> &[usize] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }
}

/// Like [`find_section`], but uses an index, if one is given.
pub fn find_indexed(
    outline: &Outline,
    index: Option<&SectionIndex>,
    name: &str,
    scope: Option<LineRange>,
    matching: Matching,
) -> Result<usize, NameMiss> {
    let finder = Finder { outline, index, scope };
    let missing = || Err(NameMiss::NotFound { nearest: finder.nearest(name.trim()) });
    finder.find(name, matching).unwrap_or_else(missing)
}

/// Returns the number in a name such as `Setup[2]`, and the number of sections with exactly this name
/// without the number, from which it selects one. Returns `None` if `name` is the complete name of a
/// section, or not of this form.
pub fn numbered_position(
    outline: &Outline,
    index: Option<&SectionIndex>,
    name: &str,
    scope: Option<LineRange>,
) -> Option<(usize, usize)> {
    let name = name.trim();
    let (base, number) = split_number(name)?;
    let finder = Finder { outline, index, scope };
    if !finder.sections_called(name, Tier::Same).is_empty() {
        return None;
    }
    Some((number, finder.numbered_candidates(base, Tier::Same).len()))
}

/// Returns all sections that [`find_section`] finds by a name, in order.
pub fn sections_named(outline: &Outline, name: &str, matching: Matching) -> Vec<usize> {
    match (Finder { outline, index: None, scope: None }).find(name, matching) {
        Some(Ok(index)) => vec![index],
        Some(Err(NameMiss::Ambiguous { candidates })) => candidates,
        Some(Err(NameMiss::NotFound { .. })) | None => Vec::new(),
    }
}

struct Finder<'a> {
    outline: &'a Outline,
    index: Option<&'a SectionIndex>,
    scope: Option<LineRange>,
}

impl Finder<'_> {
    /// Returns the section with a name, or `None` if there is none.
    fn find(&self, name: &str, matching: Matching) -> Option<Result<usize, NameMiss>> {
        let name = name.trim();
        let tiers: &[Tier] = match matching {
            Matching::Exact => &[Tier::Same],
            Matching::IgnoringCase => &[Tier::Same, Tier::SameButCase],
            Matching::Relaxed => &[Tier::Same, Tier::SameButCase, Tier::Part],
        };
        for &tier in tiers {
            if let Some(found) = self.look_up_in_tier(name, tier) {
                return Some(found);
            }
            // A heading of a changelog is often `[Unreleased]`, which may be a link.
            let is_bare = tier == Tier::Same && !name.contains(['[', ']']);
            if is_bare && let Some(found) = self.look_up_in_tier(&format!("[{name}]"), tier) {
                return Some(found);
            }
        }
        None
    }

    fn sections_called(&self, name: &str, tier: Tier) -> Vec<usize> {
        let open = without_closing_marks(name);
        let text = split_marks(open).map_or(open, |(_, text)| text);
        let found =
            self.sections_with_names(tier, &[name, open, text], |at| self.is_named(at, name, tier));
        if tier != Tier::Same || !found.is_empty() || name.bytes().any(|byte| byte != b'#') {
            return found;
        }
        // A heading without text consists of its marks.
        let marks = u8::try_from(name.len()).ok();
        let is_bare = |index: usize| {
            let section = &self.outline.sections()[index];
            section.level() == marks && self.outline.name(index).is_empty()
        };
        let bare = self.sections_with_names(tier, &[""], is_bare);
        if bare.len() == 1 { bare } else { Vec::new() }
    }

    /// Returns the sections whose path, which consists of the names of the section and its
    /// ancestors, is `path`.
    fn spelt_by(&self, path: &str, tier: Tier) -> Vec<usize> {
        let ends = path.match_indices(['>', '/']).map(|(at, _)| path[at + 1..].trim_start());
        let ends: Vec<&str> = ends.collect();
        self.sections_with_names(tier, &ends, |index| self.is_spelt_by(index, path, tier))
    }

    /// Returns the sections that satisfy a condition. With an index, considers only sections that
    /// have one of the names.
    fn sections_with_names(
        &self,
        tier: Tier,
        names: &[&str],
        is_wanted: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let Some(index) = self.index.filter(|_| tier == Tier::Same) else {
            return self.sections_where(is_wanted);
        };
        let mut found: Vec<usize> =
            names.iter().flat_map(|name| index.sections_called(name)).copied().collect();
        found.sort_unstable();
        found.dedup();
        found.retain(|&index| self.is_within(index) && is_wanted(index));
        found
    }

    /// Returns the sections that a name or path refers to. The result is cached, because many
    /// sections with the same name may be looked up.
    fn numbered_candidates(&self, base: &str, tier: Tier) -> Rc<[usize]> {
        let found = || Rc::from(self.find_by_path_or_name(base, tier));
        let Some(index) = self.index.filter(|_| tier == Tier::Same && self.scope.is_none()) else {
            return found();
        };
        const MAX_KNOWN: usize = 64;
        let mut known = index.known.borrow_mut();
        if known.len() >= MAX_KNOWN && !known.contains_key(base) {
            known.clear();
        }
        Rc::clone(known.entry(base.to_owned()).or_insert_with(found))
    }

    /// Looks up a name with one way of comparison. Returns `None` if nothing matches.
    fn look_up_in_tier(&self, name: &str, tier: Tier) -> Option<Result<usize, NameMiss>> {
        let by_name = self.sections_called(name, tier);
        if !by_name.is_empty() {
            return Some(single_match(self.without_constructors(self.in_full(name, by_name))));
        }
        // `Name[2]` is the second section with exactly this name, not one with a similar name.
        if tier != Tier::Part
            && let Some((base, number)) = split_number(name)
        {
            let equals = self.numbered_candidates(base, tier);
            if let Some(&index) = equals.get(number - 1) {
                return Some(Ok(index));
            }
            if !equals.is_empty() {
                return Some(Err(NameMiss::NotFound { nearest: equals.to_vec() }));
            }
        }
        let by_path = self.find_by_path(name, tier);
        (!by_path.is_empty()).then(|| single_match(by_path))
    }

    /// Returns those of several symbols that have a complete name, if there are any. Other symbols
    /// with this name are rules with more targets, or objects in a schema.
    fn in_full(&self, name: &str, named: Vec<usize>) -> Vec<usize> {
        let is_complete = |index: &usize| self.outline.name(*index) == name.as_bytes();
        let is_code = self.outline.format().is_code();
        if is_code && named.len() > 1 && named.iter().any(is_complete) {
            return named.into_iter().filter(is_complete).collect();
        }
        named
    }

    /// Removes the constructors of types in a list of symbols with one name: the name means the type,
    /// and `Type > Type` its constructor.
    fn without_constructors(&self, mut named: Vec<usize>) -> Vec<usize> {
        let types: Vec<(usize, &[u8])> = named
            .iter()
            .filter(|&&index| self.outline.symbol(index).is_some_and(|of| of.kind == Kind::Type))
            .map(|&index| (index, self.outline.name(index)))
            .collect();
        named.retain(|&index| {
            let (name, of) = (self.outline.name(index), self.outline.qualifier(index));
            let is_constructor = types.iter().any(|&(around, type_name)| {
                let is_in_type = self.outline.parent(index) == Some(around);
                name == type_name && (is_in_type || of.map(str::as_bytes) == Some(name))
            });
            !is_constructor
        });
        named
    }

    fn find_by_path_or_name(&self, name: &str, tier: Tier) -> Vec<usize> {
        let named = self.sections_called(name, tier);
        if named.is_empty() { self.find_by_path(name, tier) } else { named }
    }

    /// Returns the sections to which a path refers. Each level must be directly below the previous
    /// one. If no section matches, each level may be anywhere below the previous one.
    fn find_by_path(&self, path: &str, tier: Tier) -> Vec<usize> {
        if tier != Tier::Part {
            let spelt = self.spelt_by(path, tier);
            if !spelt.is_empty() {
                return spelt;
            }
        }
        let separators = match self.outline.format().is_code() {
            true => &[">", "/", "::", "."][..],
            false => &[">", "/"],
        };
        for separator in separators {
            let parts: Vec<&str> = path.split(separator).map(str::trim).collect();
            let Some((last, levels)) = parts.split_last() else { continue };
            if levels.is_empty() || parts.iter().any(|part| part.is_empty()) {
                continue;
            }
            let ends = self.sections_called(last, tier);
            for direct in [true, false] {
                let found: Vec<usize> = ends
                    .iter()
                    .copied()
                    .filter(|&index| self.is_below(index, levels, tier, direct))
                    .collect();
                if !found.is_empty() {
                    return found;
                }
            }
        }
        Vec::new()
    }

    /// Whether a path consists of the names of a section and its ancestors. A name may itself
    /// contain separators.
    fn is_spelt_by(&self, index: usize, path: &str, tier: Tier) -> bool {
        [" > ", "/"].iter().any(|separator| {
            let name = |section: usize| {
                String::from_utf8_lossy(&self.outline.text(section)).trim().to_owned()
            };
            let mut spelt = name(index);
            let mut above = self.outline.parent(index).filter(|_| !spelt.is_empty());
            if let Some(qualifier) = self.outline.qualifier(index) {
                spelt = format!("{qualifier}{separator}{spelt}");
                if names_match(&spelt, path, tier) {
                    return true;
                }
            }
            while let Some(section) = above.filter(|_| spelt.len() <= path.len()) {
                spelt = format!("{}{separator}{spelt}", name(section));
                if names_match(&spelt, path, tier) {
                    return true;
                }
                above = self.outline.parent(section);
            }
            false
        })
    }

    /// Whether a section matches one level of a path, `Setup` or `Setup[2]`.
    fn is_level(&self, index: usize, level: &str, tier: Tier) -> bool {
        let alias = self.outline.symbol(index).and_then(|symbol| symbol.alias.as_deref());
        if self.is_named(index, level, tier)
            || alias.is_some_and(|alias| names_match(alias, level, tier))
        {
            return true;
        }
        let Some((base, number)) = split_number(level).filter(|_| tier != Tier::Part) else {
            return false;
        };
        let equals = self.sections_called(base, tier);
        equals.get(number - 1) == Some(&index)
    }

    fn is_below(&self, index: usize, levels: &[&str], tier: Tier, direct: bool) -> bool {
        let mut above = self.outline.parent(index);
        let (last, outer) = (levels.last(), &levels[..levels.len().saturating_sub(1)]);
        let qualifier = self.outline.qualifier(index);
        let is_qualified =
            qualifier.zip(last).is_some_and(|(of, last)| names_match(of, last, tier));
        let levels = if is_qualified { outer } else { levels };
        for level in levels.iter().rev() {
            loop {
                let Some(parent) = above else { return false };
                above = self.outline.parent(parent);
                if self.is_level(parent, level, tier) {
                    break;
                }
                if direct {
                    return false;
                }
            }
        }
        true
    }

    fn sections_where(&self, wanted: impl Fn(usize) -> bool) -> Vec<usize> {
        let all = 0..self.outline.sections().len();
        all.filter(|&index| self.is_within(index) && wanted(index)).collect()
    }

    fn is_within(&self, index: usize) -> bool {
        let first = self.outline.sections()[index].lines().start();
        self.scope.is_none_or(|scope| scope.contains(first))
    }

    fn is_named(&self, index: usize, wanted: &str, tier: Tier) -> bool {
        let names = names(self.outline, index);
        // Invisible text, such as a link's destination, is searched only if the name contains
        // markup.
        let is_heading = self.outline.sections()[index].level().is_some();
        let seen = if is_heading && tier == Tier::Part && !wanted.contains(MARKUP) {
            &names[names.len() - 1..]
        } else {
            &names[..]
        };
        let matches = |wanted: &str| seen.iter().any(|name| names_match(name, wanted, tier));
        if matches(wanted) {
            return true;
        }
        let Some(level) = self.outline.sections()[index].level() else { return false };
        // The heading's line in the file: its marks, and possibly closing marks.
        let open = without_closing_marks(wanted);
        match split_marks(open) {
            Some((marks, text)) if marks == usize::from(level) => matches(text),
            _ => open.len() < wanted.len() && matches(open),
        }
    }

    fn nearest(&self, name: &str) -> Vec<usize> {
        let separators: &[char] =
            if self.outline.format().is_code() { &['>', '/', ':', '.'] } else { &['>', '/'] };
        let last = name.rsplit(separators).next().unwrap_or(name).trim();
        let wanted = split_marks(last).map_or(last, |(_, text)| text);
        let wanted =
            wanted.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(wanted);
        let indexes = self.sections_where(|_| true);
        let names: Vec<String> = indexes
            .iter()
            .map(|&index| {
                let name = match self.outline.sections()[index].kind() {
                    SectionKind::Heading(_) => self.outline.text(index),
                    _ => Cow::Borrowed(self.outline.marker(index)),
                };
                String::from_utf8_lossy(&name).trim_matches(['[', ']']).to_owned()
            })
            .collect();
        nearest(wanted, names.iter().map(String::as_str), 5)
            .into_iter()
            .map(|at| indexes[at])
            .collect()
    }
}

/// Returns all names of a section. For a heading, these are the source and the rendered text; for
/// other sections, the line and the marker.
pub(super) fn names(outline: &Outline, index: usize) -> Vec<Cow<'_, str>> {
    let section = &outline.sections()[index];
    let source = outline.name(index);
    let mut names = vec![String::from_utf8_lossy(source)];
    match section.kind() {
        SectionKind::Heading(_) => match outline.text(index) {
            Cow::Borrowed(text) if text == source => {}
            Cow::Borrowed(text) => names.push(String::from_utf8_lossy(text)),
            Cow::Owned(text) => {
                names.push(Cow::Owned(String::from_utf8_lossy(&text).into_owned()));
            }
        },
        SectionKind::Symbol(_) => {
            let name = outline.name(index);
            let parts = short_names(outline, index).into_iter();
            names.extend(parts.map(|part| String::from_utf8_lossy(&name[part])));
        }
        SectionKind::Entry | SectionKind::Marker => {
            let marker = String::from_utf8_lossy(outline.marker(index));
            let inner = marker.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            if let Some(inner) = inner {
                names.push(Cow::Owned(inner.to_owned()));
            }
            names.push(marker);
        }
    }
    // Users type names without surrounding blanks.
    names.into_iter().map(trimmed).collect()
}

/// Returns the ranges in a symbol's name that also mean it: each of several targets of a rule, the name
/// of an object without its schema, the label of a block of HCL, and a name without its backticks.
pub(crate) fn short_names(outline: &Outline, index: usize) -> Vec<Range<usize>> {
    let name = outline.name(index);
    match outline.format().language() {
        Some(Language::Makefile) if name.contains(&b' ') => {
            let blanks = memchr::memchr_iter(b' ', name);
            let starts = std::iter::once(0).chain(blanks.clone().map(|blank| blank + 1));
            let ends = blanks.chain([name.len()]);
            starts.zip(ends).map(|(start, end)| start..end).collect()
        }
        Some(Language::Sql) => {
            let dot = memchr::memrchr(b'.', name);
            dot.map(|dot| dot + 1..name.len()).into_iter().collect()
        }
        // The label of a block: `web` in `aws_instance.web`.
        #[cfg(feature = "code-all")]
        Some(Language::Hcl) => {
            let dot = memchr::memrchr(b'.', name);
            dot.map(|dot| dot + 1..name.len()).into_iter().collect()
        }
        #[cfg(feature = "code-all")]
        Some(Language::Kotlin | Language::Scala | Language::Swift)
            if name.len() > 2 && name.starts_with(b"`") =>
        {
            std::iter::once(1..name.len() - 1).collect()
        }
        _ => Vec::new(),
    }
}

fn trimmed(name: Cow<'_, str>) -> Cow<'_, str> {
    match name {
        Cow::Borrowed(name) => Cow::Borrowed(name.trim()),
        Cow::Owned(name) if name.trim().len() < name.len() => Cow::Owned(name.trim().to_owned()),
        name => name,
    }
}

fn single_match(found: Vec<usize>) -> Result<usize, NameMiss> {
    match found[..] {
        [index] => Ok(index),
        _ => Err(NameMiss::Ambiguous { candidates: found }),
    }
}

/// Characters of markup that do not belong to the text of a heading.
const MARKUP: [char; 10] = ['`', '*', '_', '[', ']', '(', ')', '<', '&', '\\'];

/// Removes the closing marks from a heading such as `Text ##`.
fn without_closing_marks(name: &str) -> &str {
    let text = name.trim_end_matches('#');
    let trimmed = text.trim_end();
    if trimmed.len() < text.len() { trimmed } else { name }
}

/// Splits `## Text` into level and text.
fn split_marks(name: &str) -> Option<(usize, &str)> {
    let text = name.trim_start_matches('#');
    let marks = name.len() - text.len();
    let trimmed = text.trim_start();
    ((1..=6).contains(&marks) && trimmed.len() < text.len()).then_some((marks, trimmed))
}

/// Splits `Text[2]` into text and number.
pub fn split_number(name: &str) -> Option<(&str, usize)> {
    let (base, number) = name.strip_suffix(']')?.rsplit_once('[')?;
    let number: usize = number.parse().ok().filter(|&number| number > 0)?;
    let base = base.trim_end();
    (!base.is_empty()).then_some((base, number))
}

fn names_match(name: &str, wanted: &str, tier: Tier) -> bool {
    match tier {
        Tier::Same => name == wanted,
        Tier::SameButCase => {
            name.eq_ignore_ascii_case(wanted)
                || (!(name.is_ascii() && wanted.is_ascii())
                    && name.to_lowercase() == wanted.to_lowercase())
        }
        Tier::Part => !wanted.is_empty() && name.to_lowercase().contains(&wanted.to_lowercase()),
    }
}

/// The lines of a section to select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All lines, including nested sections.
    Whole,
    /// The lines up to the next section of any level.
    WithoutChildren,
    /// All lines except the heading or marker.
    Body,
    /// The body without nested sections.
    BodyWithoutChildren,
}

impl Extent {
    /// Returns the extent for two flags: `body` excludes the heading, `children` includes nested
    /// sections.
    pub fn from_flags(body: bool, children: bool) -> Self {
        match (body, children) {
            (false, true) => Self::Whole,
            (false, false) => Self::WithoutChildren,
            (true, true) => Self::Body,
            (true, false) => Self::BodyWithoutChildren,
        }
    }
}

/// Returns the selected lines of a section, or `None` if there are none.
pub fn section_lines(outline: &Outline, index: usize, extent: Extent) -> Option<LineRange> {
    let section = &outline.sections()[index];
    let lines = section.lines();
    let next = outline.sections().get(index + 1);
    let end_before_children = next
        .map(|next| next.lines().start() - 1)
        .filter(|end| *end < lines.end())
        .unwrap_or(lines.end());
    match extent {
        Extent::Whole => Some(lines),
        Extent::WithoutChildren => {
            LineRange::new(lines.start(), end_before_children.max(lines.start()))
        }
        Extent::Body => outline.body(index),
        Extent::BodyWithoutChildren => {
            outline.body(index).and_then(|body| LineRange::new(body.start(), end_before_children))
        }
    }
}

/// What an anchor refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnchorTarget {
    /// A heading. The value is the index of its section.
    Section(usize),
    /// An explicit anchor. The value is its line.
    Line(u64),
    /// The lines of an entry in a tree of keys.
    Entry(LineRange),
}

/// Returns the lines that an anchor refers to: a heading's section, a footnote, or the lines from
/// an explicit anchor to the next section.
pub fn anchor_lines(outline: &Outline, target: &AnchorTarget) -> LineRange {
    match *target {
        AnchorTarget::Entry(lines) => lines,
        AnchorTarget::Section(index) => outline.sections()[index].lines(),
        AnchorTarget::Line(line) => {
            let anchors = outline.anchors().iter().filter(|anchor| anchor.line == line);
            let end = anchors.filter_map(|anchor| anchor.end_line).next().unwrap_or_else(|| {
                let next = outline.sections().iter().find(|section| section.lines().start() > line);
                next.map_or(outline.total_lines(), |next| next.lines().start() - 1)
            });
            LineRange::from_to(line, end)
        }
    }
}

/// Finds the target of `#id`: a heading by its slug or explicit id, or an explicit anchor. If there
/// is no exact match, ignores case.
///
/// # Errors
///
/// Returns the most similar ids if there is no match.
pub fn find_anchor(outline: &Outline, id: &str) -> Result<AnchorTarget, Vec<String>> {
    // In documents with headings, anchors are not keys.
    if let Some(tree) = outline.tree().filter(|_| !outline.format().has(Feature::Headings)) {
        return find_entry(tree, id);
    }
    let headings = slugs(outline);
    let lower = id.to_lowercase();
    let matches: [&dyn Fn(&str) -> bool; 2] =
        [&|other| other == id, &|other| other.to_lowercase() == lower];
    for is_it in matches {
        if let Some((index, _)) = headings.iter().find(|(_, slug)| is_it(slug)) {
            return Ok(AnchorTarget::Section(*index));
        }
        if let Some(anchor) = outline.anchors().iter().find(|anchor| is_it(&anchor.id)) {
            let heading = outline.sections().iter().position(|section| {
                section.level().is_some() && section.lines().start() == anchor.line
            });
            return Ok(heading.map_or(AnchorTarget::Line(anchor.line), AnchorTarget::Section));
        }
    }
    let ids: Vec<&str> = headings
        .iter()
        .map(|(_, slug)| slug.as_str())
        .chain(outline.anchors().iter().map(|anchor| anchor.id.as_str()))
        .collect();
    let nearest = nearest(id, ids.iter().copied(), 5);
    Err(nearest.into_iter().map(|at| ids[at].to_owned()).collect())
}

/// Finds the entry at a path in a tree of keys.
fn find_entry(tree: &Tree, path: &str) -> Result<AnchorTarget, Vec<String>> {
    let found = find::look_up(tree, path).ok().and_then(|(_, found)| found.ok());
    let Some(found) = found else {
        let paths: Vec<String> = (1..tree.nodes.len().min(1000)).map(|at| tree.path(at)).collect();
        let nearest = nearest(path, paths.iter().map(String::as_str), 5);
        return Err(nearest.into_iter().map(|at| paths[at].clone()).collect());
    };
    Ok(AnchorTarget::Entry(tree.lines(found.index)))
}

/// Returns the slug of every heading, with the index of its section.
pub fn slugs(outline: &Outline) -> Vec<(usize, String)> {
    slugs_where(SlugStyle::Github, outline, true, |_| true).headings
}

/// Returns all ids that a link to the document may use: slugs of headings and explicit ids.
pub fn anchor_ids(outline: &Outline) -> impl Iterator<Item = String> {
    let headings = slugs(outline).into_iter().map(|(_, slug)| slug);
    headings.chain(outline.anchors().iter().map(|anchor| anchor.id.clone()))
}

/// Like [`slugs`], but follows the rules of a site generator: an explicit id replaces the slug of
/// the heading.
pub fn slugs_of_site(style: SlugStyle, outline: &Outline) -> Vec<(usize, String)> {
    find_slugs_of_site(style, outline).headings
}

fn find_slugs_of_site(style: SlugStyle, outline: &Outline) -> Slugs {
    let lines_with_ids: HashSet<u64> = heading_ids(outline).map(|(line, _)| line).collect();
    let has_slug =
        |index: usize| !lines_with_ids.contains(&outline.sections()[index].lines().start());
    slugs_where(style, outline, reads_html(style), has_slug)
}

/// Like [`anchor_ids`], with the slugs of a site generator.
pub fn anchor_ids_of_site(style: SlugStyle, outline: &Outline) -> impl Iterator<Item = String> {
    let slugs = slugs_of_site(style, outline).into_iter().map(|(_, slug)| slug);
    slugs.chain(other_anchors_of_site(style, outline).into_iter().map(|(id, _)| id))
}

/// Returns the ids on the site of a generator that are not slugs of Markdown headings, each with
/// its line: explicit ids and, if the generator has them, slugs of HTML headings.
pub fn other_anchors_of_site(style: SlugStyle, outline: &Outline) -> Vec<(String, u64)> {
    // The slugs of a site do not include attribute lists, or the lists are text.
    let anchors = outline.anchors().iter();
    let anchors = anchors
        .filter(|anchor| matches!(anchor.kind, AnchorKind::Explicit | AnchorKind::HeadingId));
    let html = find_slugs_of_site(style, outline).html.into_iter();
    let anchors = anchors.map(|anchor| (anchor.id.clone(), anchor.line));
    anchors.chain(html.map(|(line, id)| (id, line))).collect()
}

/// Returns the explicit ids of headings, with the first line of each heading.
pub fn heading_ids(outline: &Outline) -> impl Iterator<Item = (u64, &str)> {
    let is_heading_id = |anchor: &&Anchor| anchor.kind == AnchorKind::HeadingId;
    let anchors = outline.anchors().iter().filter(is_heading_id);
    anchors.map(|anchor| (anchor.line, anchor.id.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;
    use folio_markdown::blocks::ContainerKind;

    const GUIDE: &str = "# Guide\n## Install\n### Linux\n## `Setup` it\n# Other\n## Install\n\
                         ### Deep\n#### Linux\n## a/b\n## C#\n[LOG-7] - x\n";

    #[track_caller]
    fn check(name: &str, expected: Result<u64, &[u64]>) {
        check_in(GUIDE, Format::Markdown, name, expected);
    }

    #[track_caller]
    fn check_in(text: &str, format: Format, name: &str, expected: Result<u64, &[u64]>) {
        let outline = Outline::of(text.as_bytes(), format);
        let line = |index: usize| outline.sections()[index].lines().start();
        let found = find_section(&outline, name, None, Matching::Relaxed);
        let index = SectionIndex::new(&outline);
        assert_eq!(find_indexed(&outline, Some(&index), name, None, Matching::Relaxed), found);
        let found = match found {
            Ok(index) => Ok(line(index)),
            Err(
                NameMiss::Ambiguous { candidates } | NameMiss::NotFound { nearest: candidates },
            ) => Err(candidates.into_iter().map(line).collect::<Vec<_>>()),
        };
        assert_eq!(found, expected.map_err(<[u64]>::to_vec), "{name}");
    }

    #[test]
    fn names_are_matched_strictly_first() {
        check("Guide", Ok(1));
        check("# Guide #", Ok(1));
        check("Guide ##", Ok(1));
        check("guide", Ok(1));
        check("# Guide", Ok(1));
        check("## Guide", Err(&[1]));
        check("`Setup` it", Ok(4));
        check("Setup it", Ok(4));
        check("setup", Ok(4));
        check("Install", Err(&[2, 6]));
        check("Instal", Err(&[2, 6]));
        check("a/b", Ok(9));
        check("C#", Ok(10));
        check("LOG-7", Ok(11));
        check("[LOG-7]", Ok(11));
        check("[LOG-7] - x", Ok(11));
        check("nothing", Err(&[]));
        check("Guide#", Err(&[1]));
        check("#Guide", Err(&[1]));
        check("##", Err(&[]));
        let equal = |text: &str, name: &str, line| check_in(text, Format::Markdown, name, Ok(line));
        equal("# Ärger\n# Ärgernis\n", "ärger", 1);
        equal("# a\n# A\n# Ab\n", "A", 2);
        equal("# a\n## b/c\n# A\n## b/c\n", "A/b/c", 4);
    }

    #[test]
    fn html_headings_and_headings_with_a_class_have_anchors() {
        let text = "<h1 align=\"center\">My <b>Project</b></h1>\n\n<h2>\n  Sub &amp; part\n</h2>\n\n\
                    <h2>My Project</h2>\n\n## Title {.c}\n\n## Named {#id .c}\n";
        let outline = Outline::of(text.as_bytes(), Format::Markdown);
        let ids: Vec<String> = anchor_ids(&outline).collect();
        let expected = [
            "title-c",
            "named",
            "my-project",
            "--sub--part",
            "sub--part",
            "my-project-1",
            "title",
            "id",
        ];
        assert_eq!(ids, expected);
        assert_eq!(find_anchor(&outline, "sub--part"), Ok(AnchorTarget::Line(5)));
    }

    #[test]
    fn headings_in_html_and_markdown_share_their_numbers() {
        let text = "# A\n\n<h2>A</h2>\n\n## A\n\n<h1>B</h1>\n\nB\n==\n\n## C {#a}\n";
        let outline = Outline::of(text.as_bytes(), Format::Markdown);
        let ids: Vec<String> = anchor_ids(&outline).collect();
        assert_eq!(ids, ["a", "a-2", "b-1", "c", "a-1", "b", "a"]);
        let ids_of_site = |style| anchor_ids_of_site(style, &outline).collect::<Vec<_>>();
        assert_eq!(ids_of_site(SlugStyle::Mdbook), ["a", "a-2", "b-1", "a", "a-1", "b"]);
        // Other generators give ids only to headings in Markdown.
        for style in [SlugStyle::Github, SlugStyle::Hugo, SlugStyle::Vitepress] {
            assert_eq!(ids_of_site(style), ["a", "a-1", "b", "a"], "{style:?}");
        }
    }

    #[test]
    fn anchors_are_the_same_as_on_github() {
        for (text, expected) in [
            ("## <a name=\"q\"></a> Id\n", "-id"),
            ("## logo <img src=\"x\">\n", "logo-"),
            ("## a <b></b> c {#own}\n", "a--c"),
            ("name\nid\n==\n", "nameid"),
            ("a *b  \nc* \\\nd\n---\n", "a-bc-d"),
            ("## a\tb\n", "ab"),
            ("## ~~x~~ y\n", "x-y"),
            ("## &#x20;a&#x20;\n", "-a-"),
            ("##   a   ##\n", "a"),
        ] {
            let outline = Outline::of(text.as_bytes(), Format::Markdown);
            assert_eq!(slugs(&outline), [(0, expected.to_owned())], "{text}");
        }
    }

    #[test]
    fn footnotes_are_containers_with_names() {
        let text = "a[^n]\n[^n]: one\n\n        code\n\n    # H\n    ```sh\n    x\n    ```\n\n\
                    - [^b]:\n\n      two\n\n  three\n# E\n[^no word]: x\n\n    code\n";
        let outline = Outline::of(text.as_bytes(), Format::Markdown);
        let code = outline.code().iter().map(|code| (code.lines.start(), code.lines.end()));
        assert_eq!(code.collect::<Vec<_>>(), [(4, 4), (7, 9), (19, 19)]);
        let heading = &outline.sections()[0];
        assert_eq!(
            (heading.lines(), heading.container()),
            (LineRange::from_to(6, 9), Some(ContainerKind::Footnote),)
        );
        for (id, lines) in [("fn-n", (2, 9)), ("fn-b", (11, 13))] {
            let target = find_anchor(&outline, id).expect("a footnote");
            assert_eq!(anchor_lines(&outline, &target), LineRange::from_to(lines.0, lines.1));
        }
    }

    #[test]
    fn a_heading_without_text_is_named_by_its_marks() {
        let check = |name: &str, expected| {
            check_in("#\n\n# #tag\n\n## C#\n##\n", Format::Markdown, name, expected);
        };
        check("#", Ok(1));
        check("# ", Ok(1));
        check("##", Ok(6));
        check("# #tag", Ok(3));
        check("###", Err(&[]));
        check_in("# \\#\n\n#\n", Format::Markdown, "#", Ok(1));
        check_in("##\n\n##\n", Format::Markdown, "##", Err(&[]));
    }

    #[test]
    fn invisible_text_is_not_part_of_a_name() {
        let text = "# [Guide](https://e.org/install)\n# Setup <a id=\"old\"></a>\n# **B**old\n";
        let check = |name: &str, expected| check_in(text, Format::Markdown, name, expected);
        check("uid", Ok(1));
        check("org", Err(&[]));
        check("(https://e.org", Ok(1));
        check("a id", Err(&[]));
        check("<a id", Ok(2));
        check("etu", Ok(2));
        check("bol", Ok(3));
    }

    #[test]
    fn paths_and_numbers_distinguish_equal_names() {
        check("Install[2]", Ok(6));
        check("Install[3]", Err(&[2, 6]));
        check("Install[0]", Err(&[2, 6]));
        check("Instal[2]", Err(&[2, 6]));
        check("Guide > Linux[2]", Err(&[3]));
        let text = "# In\n## Deep\n# Ins\n# In\n## Deep\n## Deep\n";
        check_in(text, Format::Markdown, "In[2] > Deep[2]", Ok(6));
        check_in(text, Format::Markdown, "In[1] > Deep", Ok(2));
        check("Guide > Install", Ok(2));
        check("Other/Install", Ok(6));
        check("other/install", Ok(6));
        check("Install > Linux", Ok(3));
        check("Other > Linux", Ok(8));
        check("Guide > Linux[1]", Ok(3));
        check("Guide > Deep", Err(&[7]));
        check("Install[2] > Deep", Ok(7));
        check("Install[1] > Deep", Err(&[7]));
        check("Other/a/b", Ok(9));
        check("Other > a/b", Ok(9));
    }

    #[test]
    fn markers_are_found_with_or_without_brackets() {
        let text = "[db]\nhost=1\n[db]\nhost=2\n[remote \"a\"]\n";
        check_in(text, Format::INI, "[remote \"a\"]", Ok(5));
        check_in(text, Format::INI, "remote \"a\"", Ok(5));
        check_in(text, Format::INI, "db[2]", Ok(3));
        check_in(text, Format::INI, "[db][2]", Ok(3));
        check_in(text, Format::INI, "db", Err(&[1, 3]));
    }

    #[test]
    fn brackets_of_a_heading_may_be_omitted() {
        let text = b"# [Unreleased]\n\n# A\n\n# [A]\n";
        let outline = Outline::of(text, Format::Markdown);
        let find = |name| find_section(&outline, name, None, Matching::Exact);
        assert_eq!(find("Unreleased"), Ok(0));
        assert_eq!(find("A"), Ok(1));
        assert_eq!(find("[A]"), Ok(2));
    }

    #[test]
    fn exact_matching_is_case_sensitive() {
        let outline = Outline::of(GUIDE.as_bytes(), Format::Markdown);
        assert!(find_section(&outline, "guide", None, Matching::Exact).is_err());
        assert_eq!(find_section(&outline, "# Guide", None, Matching::Exact), Ok(0));
    }

    #[test]
    fn names_are_searched_within_lines() {
        let outline = Outline::of(GUIDE.as_bytes(), Format::Markdown);
        let find = |name| find_section(&outline, name, LineRange::new(5, 9), Matching::Relaxed);
        assert_eq!(find("Install"), Ok(5));
        assert_eq!(find("Guide"), Err(NameMiss::NotFound { nearest: vec![] }));
    }

    #[test]
    fn a_section_has_a_body_and_nested_sections() {
        let outline = Outline::of(b"# A\na\n## B\nb\n# C\n", Format::Markdown);
        let lines = |index, body, children| {
            let lines = section_lines(&outline, index, Extent::from_flags(body, children))?;
            Some((lines.start(), lines.end()))
        };
        assert_eq!(lines(0, false, true), Some((1, 4)));
        assert_eq!(lines(0, false, false), Some((1, 2)));
        assert_eq!(lines(1, false, false), Some((3, 4)));
        assert_eq!(lines(0, true, true), Some((2, 4)));
        assert_eq!(lines(0, true, false), Some((2, 2)));
        assert_eq!(lines(2, true, true), None);
    }

    #[test]
    fn anchors_refer_to_headings_or_lines() {
        let text = "# A\n\n<a id=\"here\"></a>\n# A {#own}\n# A\n";
        let outline = Outline::of(text.as_bytes(), Format::Markdown);
        assert_eq!(find_anchor(&outline, "a"), Ok(AnchorTarget::Section(0)));
        assert_eq!(find_anchor(&outline, "a-2"), Ok(AnchorTarget::Section(2)));
        assert_eq!(find_anchor(&outline, "own"), Ok(AnchorTarget::Section(1)));
        assert_eq!(find_anchor(&outline, "HERE"), Ok(AnchorTarget::Line(3)));
        assert_eq!(find_anchor(&outline, "her"), Err(vec!["here".to_owned()]));
    }
}
