//! Plans edits of sections: appending content and renaming.

use std::ops::Range;

use super::place::{Edges, Place, Planner};
use super::plan::{LineEdit, Plan};
use super::{Note, Operation, Refusal, Side};
use crate::format::{Feature, Format};
use crate::formats::Markup;
use crate::lookup::{Extent, section_lines, short_names};
use crate::outline::{Outline, Section, SectionKind};
use crate::part::Part;
use folio_markdown::anchors::id_tags;
use folio_markdown::inline;
use folio_symbols::Kind as SymbolKind;
#[cfg(feature = "code-all")]
use folio_symbols::Language;
use folio_text::edit::{Edit, EditSet};
use folio_text::lines::lines_with_ends;
use folio_text::sections;
use folio_text::separation::blank_edges;
use folio_text::span::{LineRange, Span};

/// Maximum number of texts in a declaration that may be its name.
const MAX_TRIES: usize = 4;

impl Planner<'_> {
    /// Appends content to a section, to its keys, or to the file.
    pub(super) fn append(&self) -> Result<Plan, Refusal> {
        let request = self.request;
        let section = match &request.part {
            None if request.scope.is_some() => self.scope_section()?,
            None | Some(Part::Whole) => match self.append_root_item() {
                Some(plan) => return plan,
                None if request.options.value_type.is_some() => return Err(Refusal::TypeOfText),
                None => None,
            },
            Some(Part::CodeBlock { .. } | Part::Table(_)) => {
                let place = self.place()?;
                let plan = self.insert(&place, Side::After)?;
                return Ok(plan.at_end_of(Some(place.span.start())));
            }
            Some(Part::FrontMatter { key: None, .. }) => {
                let outline = self.source.outline();
                let end = self.front_matter_of(outline)?.lines.end();
                let content = self.content()?;
                return Ok(self.insert_after_line(end - 1, &content));
            }
            Some(Part::Section { .. } | Part::Anchor(_)) => {
                let first = self.section_named()?;
                let outline = self.source.outline();
                let starts_there = |section: &Section| section.lines().start() == first;
                match outline.sections().iter().position(starts_there) {
                    Some(index) => Some(index),
                    None => return self.append_to_anchor(),
                }
            }
            Some(part) => {
                return Err(Refusal::NoEnd { is_key: matches!(part, Part::Key { .. }) });
            }
        };
        self.append_to(section)
    }

    /// Fails if content of an INI section begins another section.
    pub(super) fn check_no_marker(&self, content: &[u8]) -> Result<(), Refusal> {
        if self.request.force || !self.source.format().has(Feature::MarkedSections) {
            return Ok(());
        }
        let read = Outline::of(content, self.source.format());
        let Some(first) = read.sections().first() else { return Ok(()) };
        let (line, name) = (first.lines().start(), read.text(0));
        let name = String::from_utf8_lossy(&name).into_owned();
        Err(Refusal::BeginsSection { line, name })
    }

    /// Appends content to a section, or to the file.
    fn append_to(&self, section: Option<usize>) -> Result<Plan, Refusal> {
        let request = self.request;
        let content = self.content()?;
        let Some(index) = section else {
            let file = self.whole_file();
            return Ok(self.append_after(&file, &content)?.at_end_of(None));
        };
        let outline = self.source.outline();
        let section = outline.sections()[index];
        let start = self.source.line_start(section.lines().start());
        let (after, content) = match section.kind() {
            SectionKind::Marker => {
                self.check_no_marker(&content)?;
                let last = match outline.tree() {
                    Some(tree) => {
                        outline.keys_of(Some(index)).next_back().map(|key| tree.lines(key))
                    }
                    // Without keys, the last line with text is the end.
                    None => Some(LineRange::line(self.last_filled(section.lines()))),
                };
                let model = last.map_or(section.lines().start(), LineRange::start);
                let content = match self.indentation(model) {
                    Some(margin) => self.indent(content, &margin, self.source.span()),
                    None => content,
                };
                (last.map_or(section.lines().start(), LineRange::end), content)
            }
            SectionKind::Symbol(_) => {
                if !outline.has_body(index) {
                    return Err(Refusal::NoBody { name: outline.text(index).into_owned() });
                }
                let body = outline.body(index);
                let last = body.map_or(section.heading().end(), |body| self.last_filled(body));
                let end = self.empty_place(last + 1);
                let margin = self.body_margin(outline, index).unwrap_or_default();
                let content = self.indent(content, &margin, end.span);
                let end = Place { edges: Edges::Around, ..end };
                return Ok(self.append_after(&end, &content)?.at_end_of(Some(start)));
            }
            _ => {
                let excludes_children =
                    matches!(&request.part, Some(Part::Section { children: Some(false), .. }));
                let lines =
                    section_lines(outline, index, Extent::from_flags(false, !excludes_children));
                let lines_of_section = lines.unwrap_or(section.lines());
                let container = self.container(outline, index);
                let last = self.last_before_outer_tags(lines_of_section);
                let lines_of_section =
                    LineRange::new(lines_of_section.start(), last).unwrap_or(lines_of_section);
                let after = match &container {
                    Some(_) => self.last_filled(lines_of_section),
                    None => self.last_before_definitions(lines_of_section, &content),
                };
                let end = self.empty_place(after + 1);
                let end = Place { edges: Edges::Around, container, ..end };
                return Ok(self.append_after(&end, &content)?.at_end_of(Some(start)));
            }
        };
        Ok(self.insert_after_line(after, &content).at_end_of(Some(start)))
    }

    /// Appends content to the target of an anchor that is not a heading.
    fn append_to_anchor(&self) -> Result<Plan, Refusal> {
        let place = self.place()?;
        let lines = LineRange::from_to(place.line, self.last_line(&place));
        let content = self.content()?;
        let last = self.last_filled(lines);
        let end = self.empty_place(last + 1);
        let edges = if place.edges == Edges::Exact { Edges::Exact } else { Edges::Around };
        let end = Place { edges, container: place.container, ..end };
        Ok(self.append_after(&end, &content)?.at_end_of(Some(place.span.start())))
    }

    /// Inserts content after a place, with blank lines if necessary.
    fn append_after(&self, place: &Place, content: &[u8]) -> Result<Plan, Refusal> {
        if self.separates(place) {
            return self.insert_apart(place, Side::After, content);
        }
        let content = place.with_prefixes_beside(content, Side::After);
        let warning = self.check_exact(place, Side::After, &content)?;
        let plan = self.insert_after_line(self.last_line(place), &content);
        Ok(Plan { warnings: warning.into_iter().collect(), ..plan })
    }

    /// Returns the first line of the selected section.
    pub(super) fn section_named(&self) -> Result<u64, Refusal> {
        let part = match &self.request.part {
            Some(Part::Section { name, .. }) => Part::section(name),
            Some(other) => other.clone(),
            None => return Err(Refusal::NoPart),
        };
        Ok(self.target(&part)?.line)
    }

    /// Returns the last line of a range that is not blank.
    pub(super) fn last_filled(&self, lines: LineRange) -> u64 {
        let marks = |byte: &u8| matches!(byte, b'>' | b' ' | b'\t' | b'\r' | b'\n');
        let is_blank = |line: &[u8]| line.iter().all(marks);
        let below_first = (lines.start() + 1, lines.end() + 1);
        lines.end() - self.source.run_up(below_first, is_blank)
    }

    /// Warns about nested sections that an edit deletes, and about a heading that is replaced with
    /// text that contains no heading.
    pub(super) fn warn_of_sections(&self, plan: &mut Plan) {
        let format = self.source.format();
        if !(format.has(Feature::Headings) || format.has(Feature::MarkedSections)) {
            return;
        }
        // If the whole file is selected, all sections are included.
        if self.request.part == Some(Part::Whole) {
            return;
        }
        let all = self.source.span();
        let (mut below, mut is_lost) = (0, false);
        for LineEdit { edit, line, .. } in &plan.edits {
            if edit.span.is_empty() {
                continue;
            }
            let old = self.source.bytes(edit.span);
            let is_markup = format.rules().markup().is_some();
            if !is_markup
                && memchr::memchr3(b'#', b'=', b'-', old).or(memchr::memchr(b'[', old)).is_none()
            {
                continue;
            }
            let outline = self.source.outline();
            let last = self.source.line_of(edit.span.end() - 1);
            // Blank lines above a part may be deleted together with it.
            let blank = blank_edges(old).map_or(0, |(lead, _)| lead as u64);
            let cut = u64::from(self.source.line_start(*line) < edit.span.start());
            let first = *line + blank + cut;
            let is_whole = old.ends_with(b"\n") || edit.span.end() == all.end();
            let deleted_lines = LineRange::new(first, last - u64::from(!is_whole && last > first));
            let sections = outline.sections();
            let before =
                |line: u64| sections.partition_point(|section| section.lines().start() < line);
            let deleted = deleted_lines
                .map_or(&[][..], |lines| &sections[before(lines.start())..before(lines.end() + 1)]);
            let begins_there =
                deleted.first().is_some_and(|section| section.lines().start() == first);
            below += deleted.len() - usize::from(begins_there);
            let new = Outline::of(&edit.content, format);
            is_lost |= begins_there
                && self.request.operation == Operation::Replace
                && new.sections().is_empty();
        }
        if below > 0 {
            plan.warnings.push(Note::NestedSections(below));
        }
        if is_lost {
            let has_headings = format.has(Feature::Headings);
            plan.warnings.push(Note::HeadingLost { has_headings });
        }
    }

    pub(super) fn rename(&self) -> Result<Plan, Refusal> {
        let text = self.exact_content()?;
        if text.trim_ascii().is_empty() {
            return Err(Refusal::EmptyContent);
        }
        if text.contains(&b'\n') {
            return Err(Refusal::HeadingOfSeveralLines);
        }
        let (index, lines) = self.section_to_rename()?;
        let outline = self.source.outline();
        match outline.sections()[index].kind() {
            SectionKind::Marker => return self.rename_marker(outline, index, &text),
            SectionKind::Symbol(_) => return self.rename_symbol(outline, index, &text),
            SectionKind::Heading(_) | SectionKind::Entry => {}
        }
        let level = outline.sections()[index].level().unwrap_or(1);
        if let Some(markup) = self.source.format().rules().markup() {
            return self.rename_markup(markup, index, lines, text.trim_ascii());
        }
        let text = heading_text(&text, level)?;
        if text.trim_ascii().is_empty() {
            return Err(Refusal::EmptyContent);
        }
        let name = outline.name(index).to_vec();
        let (kept, tags) = kept_around(&name, text);
        let span = self.source.span_of(lines);
        let raw = self.source.bytes(span);
        let first = lines_with_ends(raw).next().unwrap_or_default();
        let marks = usize::from(level);
        let (start, end, text) = if name.is_empty() {
            let at = memchr::memchr(b'#', first).map_or(0, |at| at + marks);
            (at, at, [b" ", text].concat())
        } else {
            let in_pieces = || Refusal::HeadingInPieces { heading: heading_line(level, text) };
            let name_span = self.source.name_span(index).ok_or_else(in_pieces)?;
            let at = (name_span.start() - span.start()) as usize;
            (at + kept.start, at + kept.end, text.to_vec())
        };
        let is_setext = !first[..start.min(first.len())].contains(&b'#');
        if !is_heading_text(&text, level, is_setext) {
            let heading = heading_line(level, &text);
            return Err(Refusal::NoHeadingText { text, heading });
        }
        let text_span = Span::new(span.start() + start as u64, span.start() + end as u64);
        let edit = LineEdit::new(Edit::new(text_span, [tags, text].concat()), lines.start());
        Ok(Plan::from_edit(edit, Some(lines), span))
    }

    /// Renames a symbol where it is declared, but not where it is used.
    fn rename_symbol(&self, outline: &Outline, index: usize, text: &[u8]) -> Result<Plan, Refusal> {
        let new = text.trim_ascii();
        let (old, full_name) = self.renamed_symbol(outline, index, new);
        let lines = outline.sections()[index].lines();
        let no_name = || Refusal::NoSingleName { name: old.to_vec() };
        let symbol = outline.symbol(index).ok_or_else(no_name)?;
        if symbol.kind == SymbolKind::Implementation {
            return Err(no_name());
        }
        let line = symbol.name_line;
        let span = self.source.span_of(LineRange::from_to(line, lines.end()));
        let declaration = self.source.bytes(span);
        let is_part = |byte: Option<&u8>| {
            byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80)
        };
        let is_name = |at: &usize| {
            let before = at.checked_sub(1).and_then(|before| declaration.get(before));
            !is_part(before) && !is_part(declaration.get(at + old.len()))
        };
        let total = outline.sections().len();
        let edit_at = |at: usize| {
            let start = span.start() + at as u64;
            let name = Span::new(start, start + old.len() as u64);
            LineEdit::new(Edit::new(name, new.to_vec()), self.source.line_of(start))
        };
        let renames = |edit: &LineEdit| {
            let Ok(edits) = EditSet::new(vec![edit.edit.clone()]) else { return false };
            let edited = self.source.edited(&edits);
            let renamed = edited.outline();
            renamed.sections().len() == total && renamed.name(index) == full_name
        };
        // In `FROM node AS node`, the name is not the first text that is equal to it.
        let mut names = memchr::memmem::find_iter(declaration, old).filter(is_name).peekable();
        names.peek().ok_or_else(no_name)?;
        let edit = names.take(MAX_TRIES).map(edit_at).find(renames);
        let edit = edit.ok_or_else(|| Refusal::NoSymbolName { name: new.to_vec() })?;
        let (name, number) = (edit.edit.span, edit.line);
        let plan = Plan::from_edit(edit, Some(LineRange::line(number)), name);
        let uses = Note::UsesNotRenamed { name: String::from_utf8_lossy(old).into_owned() };
        Ok(Plan { details: vec![uses], ..plan })
    }

    /// Returns the text to rename in the name of a symbol, and the complete name afterwards. The text
    /// may be one of several targets, or the name of an object without its schema.
    fn renamed_symbol<'o>(
        &self,
        outline: &'o Outline,
        index: usize,
        new: &[u8],
    ) -> (&'o [u8], Vec<u8>) {
        let name = outline.name(index);
        let (Some(Part::Section { name: given, .. }) | Some(Part::Anchor(given))) =
            &self.request.part
        else {
            return (name, new.to_vec());
        };
        // The number of a section may follow its name, `all[2]`.
        let given = given.trim().as_bytes();
        let is_given = |part: &[u8]| {
            given == part || given.strip_prefix(part).is_some_and(|rest| rest.starts_with(b"["))
        };
        let short = short_names(outline, index);
        // The address of a block is nowhere in the text, but its label is.
        #[cfg(feature = "code-all")]
        if outline.format().language() == Some(Language::Hcl)
            && let Some(label) = short.first()
        {
            return (&name[label.clone()], [&name[..label.start], new].concat());
        }
        let mut parts = short.into_iter();
        match parts.rfind(|part| is_given(&name[part.clone()])).filter(|_| !is_given(name)) {
            Some(part) => {
                let renamed = [&name[..part.start], new, &name[part.end..]].concat();
                (&name[part], renamed)
            }
            None => (name, new.to_vec()),
        }
    }

    /// Renames a heading of markup other than Markdown.
    fn rename_markup(
        &self,
        markup: &dyn Markup,
        index: usize,
        lines: LineRange,
        text: &[u8],
    ) -> Result<Plan, Refusal> {
        let outline = self.source.outline();
        let span = self.source.span_of(lines);
        let heading = self.source.bytes(span);
        let no_text = || Refusal::NoHeadingText { text: text.to_vec(), heading: heading.to_vec() };
        let name = self.source.name_span(index).ok_or_else(no_text)?;
        let name = (name.start() - span.start()) as usize..(name.end() - span.start()) as usize;
        let new = markup.renamed(heading, name, text);
        let read = self.source.outline_of(&new);
        let is_heading = matches!(read.sections(), [section]
            if section.level() == outline.sections()[index].level()
                && section.body().is_none()
                && read.name(0) == text);
        if !is_heading {
            return Err(no_text());
        }
        let edit = LineEdit::new(Edit::new(span, new), lines.start());
        Ok(Plan::from_edit(edit, Some(lines), span))
    }

    /// Renames an INI section.
    fn rename_marker(&self, outline: &Outline, index: usize, text: &[u8]) -> Result<Plan, Refusal> {
        let no_name = || Refusal::NoSectionName { name: text.trim_ascii().to_vec() };
        let marker = sections::marker_of(text).ok_or_else(no_name)?;
        let line = outline.sections()[index].lines().start();
        let span = self.source.span_of(LineRange::line(line));
        let (raw, old) = (self.source.bytes(span), outline.marker(index));
        let at = memchr::memmem::find(raw, old).unwrap_or(0);
        let new = [&raw[..at], &marker, &raw[at + old.len()..]].concat();
        let read = self.source.outline_of(&new);
        if read.sections().len() != 1 || read.marker(0) != marker {
            return Err(no_name());
        }
        let start = span.start() + at as u64;
        let edit = Edit::new(Span::new(start, start + old.len() as u64), marker.clone());
        let is_same = |&other: &usize| other != index && outline.marker(other) == marker;
        let other = (0..outline.sections().len()).find(is_same);
        let warning = other.map(|other| {
            let line = outline.sections()[other].lines().start();
            Note::SectionNameTaken { line }
        });
        let plan = Plan::from_edit(LineEdit::new(edit, line), Some(LineRange::line(line)), span);
        Ok(Plan { warnings: warning.into_iter().collect(), ..plan })
    }
}

fn heading_line(level: u8, text: &[u8]) -> Vec<u8> {
    [&vec![b'#'; usize::from(level)], &b" "[..], text].concat()
}

/// Returns the part of a heading's source that a new text replaces, and the new text. Attributes
/// and tags with ids around that part are kept, unless the new text contains its own.
fn kept_around(name: &[u8], text: &[u8]) -> (Range<usize>, Vec<u8>) {
    let source = std::str::from_utf8(name).unwrap_or_default();
    let brings_id =
        std::str::from_utf8(text).is_ok_and(|text| inline::split_attributes(text).id.is_some());
    let end = if brings_id || source.is_empty() {
        name.len()
    } else {
        inline::split_attributes(source).text.trim_end().len()
    };
    let tags = id_tags(&name[..end]);
    if tags.is_empty() || !id_tags(text).is_empty() {
        return (0..end, Vec::new());
    }
    let is_text =
        |at: &usize| !name[*at].is_ascii_whitespace() && !tags.iter().any(|tag| tag.contains(at));
    let first = (0..end).find(is_text).unwrap_or(0);
    let last = (0..end).rfind(is_text).map_or(end, |at| at + 1);
    let within = tags.iter().filter(|tag| (first..last).contains(&tag.start));
    (first..last, within.flat_map(|tag| name[tag.clone()].iter().copied()).collect())
}

/// Returns the new text of a heading without `#` marks. Fails if it has the marks of another level
/// than the present heading.
fn heading_text(text: &[u8], level: u8) -> Result<&[u8], Refusal> {
    let text = text.trim_ascii();
    let marks = text.iter().take_while(|&&byte| byte == b'#').count();
    let rest = &text[marks..];
    if marks == 0 || marks > 6 || !matches!(rest.first(), None | Some(b' ' | b'\t')) {
        return Ok(text);
    }
    if marks != usize::from(level) {
        return Err(Refusal::LevelChange { level, marks });
    }
    Ok(rest.trim_ascii())
}

/// Whether all of the text becomes one heading of this level.
fn is_heading_text(text: &[u8], level: u8, is_setext: bool) -> bool {
    let text = text.trim_ascii();
    let lines = match (is_setext, level) {
        (true, 1) => [text, b"\n==="].concat(),
        (true, _) => [text, b"\n---"].concat(),
        (false, level) => heading_line(level, text),
    };
    let outline = Outline::of(&lines, Format::Markdown);
    let [section] = outline.sections() else { return false };
    section.level() == Some(level) && section.container().is_none() && outline.name(0) == text
}
