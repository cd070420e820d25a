//! From a request to edits of the document's text, and what is to be told of
//! them. Nothing is written here.

use super::hints;
use super::place::{Fences, Finder, Place, Shape, Value, is_cut, last_end};
use super::source::Source;
use super::{Content, Operation, Request, Side, Target};
use crate::error::{Code, Error};
use crate::files::address::{Address, Part};
use crate::text::content;
use crate::text::edit::Edit;
use crate::text::format::Format;
use crate::text::lines::{lines_with_ends, without_end};
use crate::text::markdown::front_matter::{self, FrontMatterFormat};
use crate::text::markdown::inline;
use crate::text::outline::{IniKey, Outline, Section, SectionKind};
use crate::text::sections::{self, IniLine, indent};
use crate::text::span::{LineRange, Span};

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
    /// Whether its edits are of links, because of a heading elsewhere.
    pub(super) is_links: bool,
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
    planner.insert_lines(&place, side, text, None)
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
    fn content(&self) -> Result<Vec<u8>, Error> {
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
        let delete =
            Request { operation: Operation::Delete, content: None, ..self.request.clone() };
        let delete = hints::typed(&delete);
        Error::new(Code::EmptyContent, message)
            .at(&self.request.address.path)
            .hint(format!("{delete}  # to take the part away"))
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
        let whole = Request { target: Some(Target::WholeFile), ..request.clone() };
        let name = "NAME".to_owned();
        let section = Target::Section { name, body: false, children: true };
        let section = Request { target: Some(section), ..request.clone() };
        Err(Error::usage(format!("{operation} needs a part of the file"))
            .at(&request.address.path)
            .hint(format!("{}  # a section", hints::typed(&section)))
            .hint(format!("{}  # all of it", hints::typed(&whole))))
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
    fn indentation(&mut self, line: u64) -> Result<Option<Vec<u8>>, Error> {
        let start = self.source.line_start(line)?;
        let next = self.source.line_start(line.saturating_add(1))?;
        // Nobody indents further than this.
        let text = self.source.bytes(Span::new(start, next.min(start + 4096)))?;
        let margin = indent(&text);
        Ok((without_end(&text).len() > margin).then(|| text[..margin].to_vec()))
    }

    /// A plan that puts text in the place of what stands there.
    fn put(&mut self, place: &Place, text: Vec<u8>) -> Result<Plan, Error> {
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
        let of_heading = matches!(&self.request.target, Some(Target::Heading(_)))
            || matches!(&self.request.target, Some(Target::Section { body: false, .. }));
        let is_there = self.source.format() == Format::Markdown && of_heading;
        if let (true, Some(edit)) = (is_there, plan.edits.first()) {
            let new = Outline::of(&edit.edit.content, Format::Markdown, Default::default());
            if new.sections().is_empty() {
                plan.warnings.push(
                    "the content has no heading: what was below it belongs to the section before"
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
        plan.warnings.push(format!(
            "the content holds a fence: the block's own now have {needed} characters"
        ));
        Ok(())
    }

    /// A value of one line.
    fn one_line_value(&self) -> Result<Vec<u8>, Error> {
        let content = self.exact_content()?;
        if content.contains(&b'\n') {
            return Err(Error::usage("a value of several lines is given as whole lines")
                .hint("leave --value out and give the key too"));
        }
        Ok(content)
    }

    /// The value must read back as it was given.
    fn replace_value(&mut self, place: &Place, value: &Value) -> Result<Plan, Error> {
        let content = self.one_line_value()?;
        let lines = self.source.bytes(value.lines)?;
        let start = (place.span.start() - value.lines.start()) as usize;
        let end = (place.span.end() - value.lines.start()) as usize;
        for (before, after) in [("", ""), (" ", ""), ("", " "), (" ", " ")] {
            let text = [before.as_bytes(), &content, after.as_bytes()].concat();
            let line = [&lines[..start], &text, &lines[end..]].concat();
            let is_glued =
                start > 0 && matches!(lines[start - 1], b'=' | b':') && before.is_empty();
            let is_yaml = value.front_matter == Some(FrontMatterFormat::Yaml);
            let is_quoted = start > 0 && matches!(lines[start - 1], b'"' | b'\'');
            let is_wrong =
                is_yaml && (is_glued || (!is_quoted && !front_matter::is_plain_scalar(&content)));
            let keeps_key = key_of(&line, value.front_matter) == key_of(&lines, value.front_matter);
            if !is_wrong && keeps_key && reads_back(&line, value.front_matter) == content {
                return self.put(place, text);
            }
        }
        Err(not_as_it_is(&content).at(self.source.path()))
    }

    /// A new key of an INI section, after those that it has.
    fn insert_key(
        &mut self,
        section: Option<&str>,
        key: &str,
        value: bool,
        side: Option<Side>,
    ) -> Result<Plan, Error> {
        if side.is_some() {
            return Err(Error::usage(
                "a new key comes after those there are: leave --before and --after out",
            ));
        }
        let index = self.finder().ini_section(section)?;
        let outline = self.source.outline()?;
        let mut keys = outline.keys().iter().filter(|other| other.section == index);
        let line = self.key_line(key, value, None)?;
        if let Some(there) = keys.clone().find(|other| other.name == key) {
            return Err(self.key_is_there(key, there.lines, &line)?);
        }
        let model = keys.next_back();
        let (after, line) = match model {
            Some(last) => {
                let line = self.key_line(key, value, Some(last.lines))?;
                (last.lines.end(), self.beside(line, last.lines.start())?)
            }
            None => (index.map_or(0, |index| outline.sections()[index].lines().start()), line),
        };
        self.insert_after_line(after, &line)
    }

    /// The line of a new key: as given, or made of its value in the manner of
    /// another.
    fn key_line(
        &mut self,
        key: &str,
        value: bool,
        model: Option<LineRange>,
    ) -> Result<Vec<u8>, Error> {
        if !value {
            let line = self.content()?;
            let read = Outline::of(&line, Format::Ini, Default::default());
            let is_one = read.sections().is_empty()
                && matches!(read.keys(), [only] if only.name == key && only.lines.start() == 1);
            return match is_one {
                true => Ok(line),
                false => Err(Error::usage(format!("the content is not a line of the key '{key}'"))
                    .hint(format!("--content '{key} = VALUE', or --value --content VALUE"))),
            };
        }
        let content = self.one_line_value()?;
        let mut separator = b" = ".to_vec();
        if let Some(lines) = model {
            let span = self.source.span_of(LineRange::line(lines.start()))?;
            let text = self.source.bytes(span)?;
            if let IniLine::Key(parts) = sections::ini_line(without_end(&text)) {
                let between = &text[parts.name.end..parts.value.start.max(parts.name.end)];
                let marks: Vec<u8> =
                    between.iter().copied().filter(|byte| !matches!(byte, b'"' | b'\'')).collect();
                separator = if marks.is_empty() { separator } else { marks };
            }
        }
        let line = [key.as_bytes(), &separator, &content].concat();
        if reads_back(&line, None) == content { Ok(line) } else { Err(not_as_it_is(&content)) }
    }

    fn key_is_there(&mut self, key: &str, lines: LineRange, line: &[u8]) -> Result<Error, Error> {
        let span = self.source.span_of(lines)?;
        let there = self.source.bytes(span)?;
        let path = self.source.path();
        let at = lines.start();
        if there.trim_ascii() == line.trim_ascii() {
            let message = format!("the key '{key}' is there already, at line {at}");
            return Ok(Error::new(Code::AlreadyApplied, message).at(path));
        }
        let replace = Request { operation: Operation::Replace, ..self.request.clone() };
        Ok(Error::usage(format!("the key '{key}' is there already, at line {at}, otherwise"))
            .at(path)
            .hint(format!("{}  # to change it", hints::typed(&replace))))
    }

    fn insert_front_matter_key(
        &mut self,
        key: &str,
        value: bool,
        side: Option<Side>,
    ) -> Result<Plan, Error> {
        if side.is_some() {
            return Err(Error::usage(
                "a new key comes after those there are: leave --before and --after out",
            ));
        }
        let outline = self.source.outline()?;
        let finder = self.finder();
        let found = finder.front_matter_of(&outline)?;
        let separator = match found.format {
            FrontMatterFormat::Yaml => ": ",
            FrontMatterFormat::Toml => " = ",
        };
        let line = if value {
            let content = self.one_line_value()?;
            let is_yaml = found.format == FrontMatterFormat::Yaml;
            if is_yaml && !front_matter::is_plain_scalar(&content) {
                return Err(not_as_it_is(&content));
            }
            [key.as_bytes(), separator.as_bytes(), &content].concat()
        } else {
            self.content()?
        };
        if let Some(there) = found.keys.iter().find(|other| other.name == key) {
            let error = self.key_is_there(key, there.lines, &line)?;
            return Err(error);
        }
        let fenced = match found.format {
            FrontMatterFormat::Yaml => [b"---\n", without_end(&line), b"\n---\n"].concat(),
            FrontMatterFormat::Toml => [b"+++\n", without_end(&line), b"\n+++\n"].concat(),
        };
        let names: Vec<String> = front_matter::find(&fenced)
            .map(|found| found.keys.into_iter().map(|key| key.name).collect())
            .unwrap_or_default();
        if names != [key] {
            return Err(Error::usage(format!("the content is not a line of the key '{key}'"))
                .hint(format!("--content '{key}{separator}VALUE'")));
        }
        let after = match found.keys.last() {
            Some(last) if found.format == FrontMatterFormat::Toml => last.lines.end(),
            None if found.format == FrontMatterFormat::Toml => 1,
            _ => found.lines.end() - 1,
        };
        self.insert_after_line(after, &line)
    }

    /// A plan that puts lines after one, or before the first after line 0.
    fn insert_after_line(&mut self, line: u64, content: &[u8]) -> Result<Plan, Error> {
        let place = self.finder().between(line + 1)?;
        self.insert_lines(&place, Side::After, content, None)
    }

    /// Content at the end of a section, of the keys of one, or of the file.
    fn append(&mut self) -> Result<Plan, Error> {
        let request = self.request;
        let section = match (&request.target, &request.address.part, &request.scope) {
            (None, Part::Whole, None) | (Some(Target::WholeFile), ..) => None,
            (None, Part::Whole, Some(_)) => {
                let lines = self.finder().scope()?;
                let outline = self.source.outline()?;
                lines.and_then(|lines| {
                    outline.sections().iter().position(|section| section.lines() == lines)
                })
            }
            (Some(Target::CodeBlock { .. }), ..) => {
                let place = self.place()?;
                return self.insert(&place, Side::After);
            }
            (Some(Target::FrontMatter { key: None, .. }), ..) => {
                let outline = self.source.outline()?;
                let end = self.finder().front_matter_of(&outline)?.lines.end();
                let content = self.content()?;
                return self.insert_after_line(end - 1, &content);
            }
            (Some(Target::Section { .. } | Target::Heading(_) | Target::Anchor(_)), ..)
            | (None, Part::Anchor(_), _) => {
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
                return Err(Error::usage("append adds to a section or to the whole file")
                    .hint(format!("{}  # beside it", hints::typed(&beside))));
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
                let whole = match &request.target {
                    Some(Target::Section { children: false, .. }) => own_lines(&outline, index),
                    _ => section.lines(),
                };
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
            Some(Target::Section { name, .. } | Target::Heading(name)) => {
                Target::Section { name: name.clone(), body: false, children: true }
            }
            Some(other) => other.clone(),
            None => return Ok(self.place()?.line),
        };
        Ok(self.finder().target(&target)?.line)
    }

    /// Content with the indentation of a line.
    fn beside(&mut self, content: Vec<u8>, line: u64) -> Result<Vec<u8>, Error> {
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
            return Err(Error::usage("a heading's text is one line"));
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
    fn replaced_heading(&self, level: u8, text: &[u8]) -> String {
        let bytes = [&vec![b'#'; usize::from(level)], &b" "[..], text].concat();
        let content = Some(Content { bytes, file: None });
        let operation = Operation::Replace;
        let other = Request { operation, content, ..self.request.clone() };
        format!("{}  # whatever it becomes", hints::typed(&other))
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
            return Err(
                Error::new(Code::TargetNotFound, "nothing stands there").at(self.source.path())
            );
        }
        plan.carried = Some(text);
        Ok(plan)
    }
}

/// A value that its format would read otherwise.
fn not_as_it_is(content: &[u8]) -> Error {
    let shown = String::from_utf8_lossy(content);
    Error::usage(format!("as a value, '{shown}' would not read back as it is"))
        .hint("leave --value out and give the whole line, with the quotes that it needs")
}

/// The lines of a section without those below it.
fn own_lines(outline: &Outline, index: usize) -> LineRange {
    let whole = outline.sections()[index].lines();
    match outline.sections().get(index + 1) {
        Some(next) if next.lines().start() <= whole.end() => {
            LineRange::from_to(whole.start(), next.lines().start() - 1)
        }
        _ => whole,
    }
}

fn filled(content: &Content, request: &Request) -> Result<Vec<u8>, Error> {
    if request.options.set.is_empty() {
        return Ok(content.bytes.clone());
    }
    content::fill(&content.bytes, &request.options.set)
        .map_err(|name| Error::usage(format!("--set: the content does not hold {{{{{name}}}}}")))
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

/// The key that a line is read as.
fn key_of(line: &[u8], front_matter: Option<FrontMatterFormat>) -> Option<String> {
    let line = without_end(lines_with_ends(line).next().unwrap_or_default());
    if let Some(format) = front_matter {
        return front_matter::value_span(line, format).map(|(name, _)| name);
    }
    match sections::ini_line(line) {
        IniLine::Key(parts) => Some(String::from_utf8_lossy(&line[parts.name]).into_owned()),
        _ => None,
    }
}

/// The value that a key's line is read as.
fn reads_back(line: &[u8], front_matter: Option<FrontMatterFormat>) -> Vec<u8> {
    let line = without_end(line);
    if let Some(format) = front_matter {
        return front_matter::scalar(line, format).to_vec();
    }
    match sections::ini_line(line) {
        IniLine::Key(parts) => line[parts.value].to_vec(),
        _ => Vec::new(),
    }
}
