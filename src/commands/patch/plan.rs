//! From a request to edits of the document's text, and what is to be told of
//! them. Nothing is written here.

use super::hints;
use super::place::{Fences, Finder, Place, Shape, is_cut, last_end};
use super::source::Source;
use super::{Content, Operation, Request, Side, Target};
use crate::commands::target::SectionPart;
use crate::error::{Code, Error, Hint};
use crate::files::address::{Address, Part};
use crate::text::content;
use crate::text::edit::Edit;
use crate::text::format::{Feature, Format};
use crate::text::lines::{lines_with_ends, without_end};
use crate::text::markdown::inline;
use crate::text::outline::{IniKey, Outline, Section, SectionKind};
use crate::text::sections::indent;
use crate::text::span::{LineRange, Span};
use crate::text::target::{Extent, section_lines};

/// An edit, and the line that its span begins on.
#[derive(Clone, Debug)]
pub(super) struct LineEdit {
    pub(super) edit: Edit,
    pub(super) line: u64,
    /// Whether its content begins with the line end that the last line lacks.
    pub(super) ends_last: bool,
}

impl LineEdit {
    /// An edit on a line.
    pub(super) fn new(edit: Edit, line: u64) -> Self {
        Self { edit, line, ends_last: false }
    }
}

/// What a request comes to.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    /// Its edits, in order.
    pub(super) edits: Vec<LineEdit>,
    /// The lines of the document that it is about: those that change, or the
    /// one beside which content comes.
    pub(super) affected: Option<LineRange>,
    /// The bytes that are named, for a guard.
    pub(super) named: Option<Span>,
    /// Matches that are left as they are.
    pub(super) others: Option<u64>,
    /// What ought to be known.
    pub(super) warnings: Vec<String>,
    /// Text that is to come at another place.
    pub(super) carried: Option<Vec<u8>>,
    /// What it is of its request.
    pub(super) role: Role,
}

/// What a request comes to in one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// The part that it names changes.
    #[default]
    Own,
    /// What it moves or copies arrives.
    Arrival,
    /// Links to what it renames are rewritten.
    Links,
}

/// Plans a request of any operation but `create`.
pub(super) fn plan(source: &mut Source, request: &Request) -> Result<Plan, Error> {
    let mut planner = Planner { source, request };
    match &request.operation {
        Operation::Rename(_) => planner.rename(),
        Operation::Append => planner.append(),
        Operation::Move(..) | Operation::Copy(..) => planner.carry(),
        Operation::Replace | Operation::Delete | Operation::Insert(_) => planner.edit(),
        Operation::Create => Err(Error::usage("a file that exists is not created")),
    }
}

/// Plans that text comes beside the place of an address; of a whole file, at
/// its end, or before its first line.
pub(super) fn arrive(
    source: &mut Source,
    request: &Request,
    to: &Address,
    side: Side,
    text: &[u8],
) -> Result<Plan, Error> {
    let mut planner = Planner { source, request };
    let place = match planner.finder().part(&to.part)? {
        Some(place) => place,
        None => planner.finder().whole()?,
    };
    let plan = planner.insert_lines(&place, side, text, None)?;
    Ok(Plan { role: Role::Arrival, ..plan })
}

/// Plans one request.
pub(super) struct Planner<'a> {
    pub(super) source: &'a mut Source,
    pub(super) request: &'a Request,
}

impl Planner<'_> {
    pub(super) fn finder(&mut self) -> Finder<'_> {
        Finder { source: self.source, request: self.request }
    }

    /// Content for a place made of lines, names filled in.
    pub(super) fn content(&self) -> Result<Vec<u8>, Error> {
        let content = self.request.content.clone().unwrap_or_default();
        let filled = filled(&content, self.request)?;
        if filled.is_empty() {
            return Err(self.empty_content());
        }
        Ok(filled)
    }

    /// Content that is taken as it is: a file's final line end is not part of it.
    pub(super) fn exact_content(&self) -> Result<Vec<u8>, Error> {
        let content = self.request.content.clone().unwrap_or_default();
        let mut filled = filled(&content, self.request)?;
        if content.file.is_some() {
            filled.truncate(without_end(&filled).len());
        }
        if filled.is_empty() {
            return Err(self.empty_content());
        }
        Ok(filled)
    }

    fn empty_content(&self) -> Error {
        let operation = self.request.operation.name();
        let message = format!("the content is empty: {operation} would put nothing there");
        let error = Error::new(Code::EmptyContent, message).at(&self.request.address.path);
        if self.request.operation != Operation::Replace {
            let content = [("--content", "TEXT")];
            return self.request.words.hint(error, &content, "what to put in");
        }
        let delete =
            Request { operation: Operation::Delete, content: None, ..self.request.clone() };
        error.hint(hints::typed(&delete).why("to take the part away"))
    }

    /// Replace, delete and insert.
    fn edit(&mut self) -> Result<Plan, Error> {
        let request = self.request;
        if let Some(Target::Match(query)) = &request.target {
            return self.matches(query);
        }
        if let Operation::Insert(side) = request.operation {
            match &request.target {
                Some(Target::Key { section, key, value }) => {
                    return self.insert_key(section.as_deref(), key, *value, side);
                }
                Some(Target::FrontMatter { key: Some(key), value }) => {
                    return self.insert_front_matter_key(key, *value, side);
                }
                _ => {}
            }
        }
        let place = self.place()?;
        match request.operation {
            Operation::Insert(side) => {
                let of_lines = matches!(request.target, Some(Target::Lines(_)))
                    || matches!(request.address.part, Part::Lines(_));
                let default = if of_lines { Side::Before } else { Side::After };
                self.insert(&place, side.unwrap_or(default))
            }
            Operation::Delete => self.delete(&place),
            _ => self.replace(&place),
        }
    }

    /// The place that is named; a whole file is none by omission.
    fn place(&mut self) -> Result<Place, Error> {
        let request = self.request;
        let mut finder = self.finder();
        if let Some(target) = &request.target {
            return finder.target(target);
        }
        if let Some(place) = finder.part(&request.address.part)? {
            return Ok(place);
        }
        let operation = request.operation.name();
        let beside = match request.operation {
            Operation::Insert(Some(Side::Before)) => "before ",
            Operation::Insert(_) => "behind ",
            _ => "",
        };
        let whole = Request { target: Some(Target::WholeFile), ..request.clone() };
        let section = Some(Target::section("NAME"));
        let section = Request { target: section, ..request.clone() };
        Err(Error::usage(format!("{operation} needs a part of the file"))
            .at(&request.address.path)
            .hint(hints::typed(&section).why(format!("{beside}a section")))
            .hint(hints::typed(&whole).why(format!("{beside}all of it"))))
    }

    fn replace(&mut self, place: &Place) -> Result<Plan, Error> {
        let mut plan = match &place.shape {
            Shape::Value(value) => self.replace_value(place, value)?,
            Shape::Code(fences) => self.replace_code(place, fences)?,
            Shape::Lines | Shape::Block => {
                let content = place.contained(&self.content()?);
                if place.span.is_empty() {
                    self.insert_lines(place, Side::After, &content, None)?
                } else {
                    let text = self.lines_for(place, &content)?;
                    self.put(place, text)?
                }
            }
        };
        self.warn_of_children(place, &mut plan);
        self.warn_of_lost_heading(&mut plan)?;
        Ok(plan)
    }

    /// Content as the lines that take the place of others.
    fn lines_for(&mut self, place: &Place, content: &[u8]) -> Result<Vec<u8>, Error> {
        let end = self.source.line_end_near(place.line)?;
        let last = last_end(self.source, place.span)?;
        let indents = self.request.options.preserve_indent && place.container.is_none();
        let text = match (&place.shape, indents) {
            (Shape::Lines, true) => self.beside(content.to_vec(), place.line)?,
            _ => content.to_vec(),
        };
        Ok(content::whole_lines(&text, end, last))
    }

    /// The white space that begins a line; a blank line says nothing of it.
    pub(super) fn indentation(&mut self, line: u64) -> Result<Option<Vec<u8>>, Error> {
        let start = self.source.line_start(line)?;
        let next = self.source.line_start(line.saturating_add(1))?;
        // Nobody indents further than this.
        let text = self.source.bytes(Span::new(start, next.min(start + 4096)))?;
        let margin = indent(&text);
        Ok((without_end(&text).len() > margin).then(|| text[..margin].to_vec()))
    }

    /// A plan that puts text in the place of what stands there.
    pub(super) fn put(&mut self, place: &Place, text: Vec<u8>) -> Result<Plan, Error> {
        let edit = LineEdit::new(Edit::new(place.span, text), place.line);
        let last = self.last_line(place)?;
        Ok(Plan {
            edits: vec![edit],
            affected: LineRange::new(place.line, last),
            named: Some(place.span),
            ..Plan::default()
        })
    }

    /// The last line of a place; the one before it where nothing stands there.
    fn last_line(&mut self, place: &Place) -> Result<u64, Error> {
        if place.span.is_empty() && matches!(place.shape, Shape::Value(_)) {
            return Ok(place.line);
        }
        if place.span.is_empty() {
            return Ok(place.line - 1);
        }
        self.source.line_of(place.span.end() - 1)
    }

    fn delete(&mut self, place: &Place) -> Result<Plan, Error> {
        let mut plan = self.put(place, Vec::new())?;
        if place.span.is_empty() {
            plan.edits.clear();
        }
        self.warn_of_children(place, &mut plan);
        Ok(plan)
    }

    fn warn_of_children(&self, place: &Place, plan: &mut Plan) {
        match place.children {
            0 => {}
            1 => plan.warnings.push("1 section below it goes with it".to_owned()),
            count => plan.warnings.push(format!("{count} sections below it go with it")),
        }
    }

    /// A heading in whose place comes something that is none.
    fn warn_of_lost_heading(&mut self, plan: &mut Plan) -> Result<(), Error> {
        let of_heading = matches!(
            &self.request.target,
            Some(Target::Section { part: SectionPart::Whole | SectionPart::Heading, .. })
        );
        let is_there = self.source.format().has(Feature::Headings) && of_heading;
        if let (true, Some(edit)) = (is_there, plan.edits.first()) {
            let new = Outline::of(&edit.edit.content, self.source.format(), Default::default());
            if new.sections().is_empty() {
                plan.warnings.push(
                    "the content has no heading: what follows becomes part of the section before it"
                        .to_owned(),
                );
            }
        }
        Ok(())
    }

    fn insert(&mut self, place: &Place, side: Side) -> Result<Plan, Error> {
        match &place.shape {
            Shape::Value(_) => {
                let text = self.exact_content()?;
                let at = if side == Side::Before { place.span.start() } else { place.span.end() };
                let spot = Place { span: Span::new(at, at), ..place.clone() };
                self.put(&spot, text)
            }
            Shape::Code(fences) => {
                let own = self.content()?;
                let content = content::contained(&own, &fences.prefix);
                let mut plan = self.insert_lines(place, side, &content, None)?;
                self.lengthen(fences, &own, place, &mut plan)?;
                Ok(plan)
            }
            Shape::Lines | Shape::Block => {
                let content = place.contained_beside(&self.content()?, side);
                let indents = self.request.options.preserve_indent && place.container.is_none();
                let margin = match (&place.shape, indents) {
                    (Shape::Lines, true) => self.indentation(place.line)?,
                    _ => None,
                };
                self.insert_lines(place, side, &content, margin)
            }
        }
    }

    /// A plan that puts whole lines before or after a place.
    fn insert_lines(
        &mut self,
        place: &Place,
        side: Side,
        content: &[u8],
        margin: Option<Vec<u8>>,
    ) -> Result<Plan, Error> {
        let last = self.last_line(place)?;
        let (at, beside, line) = match side {
            Side::Before => (place.span.start(), place.line, place.line),
            Side::After => (place.span.end(), last.max(1), last + 1),
        };
        let end = self.source.line_end_near(beside)?;
        let content = match margin {
            Some(margin) => content::indented(content, &margin),
            None => content.to_vec(),
        };
        let cut = is_cut(self.source, at)?;
        let (text, line) = if cut {
            let lines = content::whole_lines(&content, end, None);
            ([end.bytes(), &lines].concat(), line - 1)
        } else {
            (content::whole_lines(&content, end, Some(end)), line)
        };
        let edit = Edit::new(Span::new(at, at), text);
        Ok(Plan {
            edits: vec![LineEdit { edit, line, ends_last: cut }],
            affected: Some(LineRange::line(beside)),
            named: Some(place.span),
            ..Plan::default()
        })
    }

    fn replace_code(&mut self, place: &Place, fences: &Fences) -> Result<Plan, Error> {
        let content = self.content()?;
        let inner = content::contained(&content, &fences.prefix);
        let mut plan = if place.span.is_empty() {
            self.insert_lines(place, Side::After, &inner, None)?
        } else {
            let end = self.source.line_end_near(place.line)?;
            let last = last_end(self.source, place.span)?;
            self.put(place, content::whole_lines(&inner, end, last))?
        };
        self.lengthen(fences, &content, place, &mut plan)?;
        Ok(plan)
    }

    /// Makes fences longer than those that the content holds.
    fn lengthen(
        &mut self,
        fences: &Fences,
        content: &[u8],
        place: &Place,
        plan: &mut Plan,
    ) -> Result<(), Error> {
        let needed = content::fence_length(content, fences.byte);
        let Some(more) = needed.checked_sub(fences.length).filter(|&more| more > 0) else {
            return Ok(());
        };
        let run = vec![fences.byte; more];
        let longer = |at: u64, line| LineEdit::new(Edit::new(Span::new(at, at), run.clone()), line);
        plan.edits.insert(0, longer(fences.open_end, place.line - 1));
        if let Some(close) = fences.close_end {
            plan.edits.push(longer(close, self.source.line_of(close)?));
        }
        plan.warnings
            .push(format!("the content holds a fence, so those around it get {needed} characters"));
        Ok(())
    }

    /// A plan that puts lines after one, or before the first after line 0.
    pub(super) fn insert_after_line(&mut self, line: u64, content: &[u8]) -> Result<Plan, Error> {
        let place = self.finder().between(line + 1)?;
        self.insert_lines(&place, Side::After, content, None)
    }

    /// Content at the end of a section, of the keys of one, or of the file.
    fn append(&mut self) -> Result<Plan, Error> {
        let request = self.request;
        let section = match (&request.target, &request.address.part, &request.scope) {
            (None, Part::Whole, None) | (Some(Target::WholeFile), ..) => None,
            (None, Part::Whole, Some(_)) => self.finder().scope_section()?,
            (Some(Target::CodeBlock { .. } | Target::Table(_)), ..) => {
                let place = self.place()?;
                return self.insert(&place, Side::After);
            }
            (Some(Target::FrontMatter { key: None, .. }), ..) => {
                let outline = self.source.outline()?;
                let end = self.finder().front_matter_of(&outline)?.lines.end();
                let content = self.content()?;
                return self.insert_after_line(end - 1, &content);
            }
            (Some(Target::Section { .. } | Target::Anchor(_)), ..) | (None, Part::Anchor(_), _) => {
                let first = self.section_named()?;
                let outline = self.source.outline()?;
                let starts_there = |section: &Section| section.lines().start() == first;
                match outline.sections().iter().position(starts_there) {
                    Some(index) => Some(index),
                    None => return self.append_to_anchor(),
                }
            }
            _ => {
                let operation = Operation::Insert(Some(Side::After));
                let beside = Request { operation, ..request.clone() };
                return Err(Error::usage(
                    "append adds to a section or to the whole file, not to this part",
                )
                .hint(hints::typed(&beside).why("beside it")));
            }
        };
        let content = self.content()?;
        let Some(index) = section else {
            let end = self.source.total_lines()?;
            return self.insert_after_line(end, &content);
        };
        let outline = self.source.outline()?;
        let section = outline.sections()[index];
        let (after, content) = match section.kind() {
            SectionKind::Marker => {
                let own = |key: &&IniKey| key.section == Some(index);
                let last = outline.keys().iter().rfind(own).map(|key| key.lines);
                let model = last.map_or(section.lines().start(), LineRange::start);
                let content = self.beside(content, model)?;
                (last.map_or(section.lines().start(), LineRange::end), content)
            }
            _ => {
                let own =
                    matches!(&request.target, Some(Target::Section { children: Some(false), .. }));
                let lines = section_lines(&outline, index, Extent::of(false, !own));
                let whole = lines.unwrap_or(section.lines());
                let marks = self.finder().container(&outline, index)?;
                let content = match marks {
                    Some(marks) => content::contained(&content, &marks.rest),
                    None => content,
                };
                (self.last_filled(whole)?, content)
            }
        };
        self.insert_after_line(after, &content)
    }

    /// Content at the end of what an anchor leads to that is no heading.
    fn append_to_anchor(&mut self) -> Result<Plan, Error> {
        let place = self.place()?;
        let lines = LineRange::from_to(place.line, self.last_line(&place)?);
        let content = self.content()?;
        let last = self.last_filled(lines)?;
        self.insert_after_line(last, &content)
    }

    /// The first line of the section that is named.
    fn section_named(&mut self) -> Result<u64, Error> {
        let request = self.request;
        let target = match &request.target {
            Some(Target::Section { name, .. }) => Target::section(name),
            Some(other) => other.clone(),
            None => return Ok(self.place()?.line),
        };
        Ok(self.finder().target(&target)?.line)
    }

    /// Content with the indentation of a line.
    pub(super) fn beside(&mut self, content: Vec<u8>, line: u64) -> Result<Vec<u8>, Error> {
        if !self.request.options.preserve_indent {
            return Ok(content);
        }
        Ok(match self.indentation(line)? {
            Some(margin) => content::indented(&content, &margin),
            None => content,
        })
    }

    /// The last of some lines that is not blank.
    fn last_filled(&mut self, lines: LineRange) -> Result<u64, Error> {
        let mut line = lines.end();
        while line > lines.start() {
            let span = self.source.span_of(LineRange::line(line))?;
            let marks = |byte: &u8| matches!(byte, b'>' | b' ' | b'\t' | b'\r' | b'\n');
            if !self.source.bytes(span)?.iter().all(marks) {
                break;
            }
            line -= 1;
        }
        Ok(line)
    }

    fn rename(&mut self) -> Result<Plan, Error> {
        let text = self.exact_content()?;
        if text.contains(&b'\n') {
            return Err(Error::usage("a heading is one line, and the content has several"));
        }
        let (index, lines) = self.finder().renamed()?;
        let outline = self.source.outline()?;
        let level = outline.sections()[index].level().unwrap_or(1);
        let text = heading_text(&text, level)?;
        let name = outline.name(index).to_vec();
        let kept = match std::str::from_utf8(&name) {
            Ok(source) => inline::split_attributes(source).text.trim_end().len(),
            Err(_) => name.len(),
        };
        let span = self.source.span_of(lines)?;
        let raw = self.source.bytes(span)?;
        let first = lines_with_ends(&raw).next().unwrap_or_default();
        let marks = usize::from(level);
        let (start, end, text) = if name.is_empty() {
            let at = memchr::memchr(b'#', first).map_or(0, |at| at + marks);
            (at, at, [b" ", text].concat())
        } else {
            let whole = self.source.name_span(index)?.ok_or_else(|| {
                Error::usage("this heading's text stands in several lines of a quote or list")
                    .hint(self.replaced_heading(level, text))
            })?;
            let start = (whole.start() - span.start()) as usize;
            (start, start + kept, text.to_vec())
        };
        let is_setext = !first[..start.min(first.len())].contains(&b'#');
        if !is_heading_text(&text, level, is_setext) {
            let shown = String::from_utf8_lossy(&text).into_owned();
            return Err(Error::usage(format!("'{shown}' would not be the text of a heading here"))
                .at(self.source.path())
                .hint(self.replaced_heading(level, &text)));
        }
        let edit =
            Edit::new(Span::new(span.start() + start as u64, span.start() + end as u64), text);
        let line = lines.start();
        Ok(Plan {
            edits: vec![LineEdit::new(edit, line)],
            affected: Some(lines),
            named: Some(span),
            ..Plan::default()
        })
    }

    /// The command that puts another line in the place of a heading.
    fn replaced_heading(&self, level: u8, text: &[u8]) -> Hint {
        let bytes = [&vec![b'#'; usize::from(level)], &b" "[..], text].concat();
        let content = Some(Content { bytes, file: None });
        let operation = Operation::Replace;
        let other = Request { operation, content, ..self.request.clone() };
        hints::typed(&other).why("whatever it becomes")
    }

    /// Takes whole lines, to come at another place.
    fn carry(&mut self) -> Result<Plan, Error> {
        if matches!(&self.request.target, Some(Target::Match(_))) {
            return Err(Error::usage("move and copy take whole lines, not a text within one"));
        }
        let place = self.place()?;
        if matches!(place.shape, Shape::Value(_)) {
            return Err(Error::usage("move and copy take whole lines, not a value"));
        }
        let text = self.source.bytes(place.span)?;
        let mut plan = if matches!(self.request.operation, Operation::Move(..)) {
            self.put(&place, Vec::new())?
        } else {
            let affected = LineRange::new(place.line, self.last_line(&place)?);
            Plan { named: Some(place.span), affected, ..Plan::default() }
        };
        if text.is_empty() {
            return Err(Error::new(Code::TargetNotFound, "there is nothing at that place")
                .at(self.source.path()));
        }
        plan.carried = Some(text);
        Ok(plan)
    }
}

/// Content with its names filled in.
pub(super) fn filled(content: &Content, request: &Request) -> Result<Vec<u8>, Error> {
    if request.options.set.is_empty() {
        return Ok(content.bytes.clone());
    }
    content::fill(&content.bytes, &request.options.set).map_err(|name| {
        let set = request.words.name("--set");
        Error::usage(format!("{set}: the content does not hold {{{{{name}}}}}"))
    })
}

/// A heading's new text without the marks of its level, which may stand before
/// it; others are refused.
fn heading_text(text: &[u8], level: u8) -> Result<&[u8], Error> {
    let text = text.trim_ascii();
    let marks = text.iter().take_while(|&&byte| byte == b'#').count();
    let rest = &text[marks..];
    if marks == 0 || marks > 6 || !matches!(rest.first(), None | Some(b' ' | b'\t')) {
        return Ok(text);
    }
    if marks != usize::from(level) {
        let message = format!("rename keeps a heading's level: it is {level}, not {marks}");
        return Err(Error::usage(message).hint("replace --heading gives it another level"));
    }
    Ok(rest.trim_ascii())
}

/// Whether a text is that of a heading of a level, all of it.
fn is_heading_text(text: &[u8], level: u8, is_setext: bool) -> bool {
    let text = text.trim_ascii();
    let lines = match (is_setext, level) {
        (true, 1) => [text, b"\n==="].concat(),
        (true, _) => [text, b"\n---"].concat(),
        (false, level) => [&vec![b'#'; usize::from(level)], &b" "[..], text].concat(),
    };
    let outline = Outline::of(&lines, Format::Markdown, Default::default());
    let [section] = outline.sections() else { return false };
    section.level() == Some(level) && section.container().is_none() && outline.name(0) == text
}
