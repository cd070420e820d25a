//! Converts a request to edits of the document's text, and collects what the results report. Does
//! not write files.

use std::cmp::Reverse;

use super::carried_entry::CarriedEntry;
use super::hints;
use super::place::{Edges, Fences, Place, Planner, Shape};
use super::{Content, Operation, Part, Request, Side, without_mark};
use crate::commands::buffer::Buffer;
use folio_files::address::Address;
use folio_files::error::{Code, Error, Hint};
use folio_keys::Syntax;
use folio_keys::edit::Check;
use folio_keys::sources::one_per_line;
use folio_keys::verify::Difference;
use folio_outline::format::Feature;
use folio_text::content;
use folio_text::edit::Edit;
use folio_text::lines::{lines_with_ends, without_end};
use folio_text::sections::indent;
use folio_text::separation::BlankLines;
use folio_text::span::{LineRange, Span};

/// An edit, and the line on which its span begins.
#[derive(Clone, Debug)]
pub(super) struct LineEdit {
    pub(super) edit: Edit,
    pub(super) line: u64,
    /// The index of the edit's plan after plans are merged. The type is small because there may be
    /// many edits.
    pub(super) owner: u32,
    /// Whether the content begins with the missing line ending of the last line.
    pub(super) ends_last: bool,
}

impl LineEdit {
    /// Creates an edit that begins on `line`.
    pub(super) fn new(edit: Edit, line: u64) -> Self {
        Self { edit, line, owner: 0, ends_last: false }
    }
}

/// The order of insertions at the same offset: first after inner parts, then after the parts
/// around them. What is inserted before the next part comes last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Order {
    is_before: bool,
    /// The offset at which the part begins. `None` for the whole file.
    pub(super) part: Reverse<Option<u64>>,
    /// Whether the content follows the part, instead of becoming its end.
    pub(super) is_apart: bool,
    /// Whether the edit sets or renames what has a name, which then should occur once.
    pub(super) is_of_name: bool,
}

/// The result of planning a request in one file.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    /// The edits, in order.
    pub(super) edits: Vec<LineEdit>,
    /// The place of inserted content among other insertions at the same offset.
    pub(super) order: Order,
    /// The difference that the edits make in a tree of keys, if it is known. The edits may then be
    /// verified later, see [`Check::Later`].
    pub(super) difference: Option<Difference>,
    /// The lines of the document to which the plan refers: the lines that change, or the line next
    /// to which content is inserted.
    pub(super) affected: Option<LineRange>,
    /// The bytes of the selected part. A precondition may require their checksum.
    pub(super) named: Option<Span>,
    /// The number of edited places. Set when the edits are merged or moved out of the plan.
    pub(super) places: Option<u64>,
    /// The number of matches that are not edited.
    pub(super) others: Option<u64>,
    /// Warnings about the edit.
    pub(super) warnings: Vec<String>,
    /// What the edit kept or adapted, such as `comment kept`.
    pub(super) details: Vec<String>,
    /// The numbers of blank lines added around inserted content.
    pub(super) blank_lines: BlankLines,
    /// Text to insert at another place.
    pub(super) carried: Option<Carried>,
    /// For moved or copied text, the index of its original file and its lines in that file.
    pub(super) came_from: Option<(usize, LineRange)>,
    /// The number of links that the plan updates.
    pub(super) rewritten: u64,
    /// The number of links that the plan breaks, and the number of files that contain them.
    pub(super) left: Option<(u64, u64)>,
    /// A sentence about links that may refer to the part but cannot be resolved. If the sentence
    /// does not contain the command that lists them, also this command.
    pub(super) unresolved: Option<(String, Option<Hint>)>,
    /// The role of this file in the request.
    pub(super) role: Role,
}

impl Plan {
    /// Creates a plan with one edit. `named` are the bytes of the selected part.
    pub(super) fn of(edit: LineEdit, affected: Option<LineRange>, named: Span) -> Self {
        Self { edits: vec![edit], affected, named: Some(named), ..Self::default() }
    }

    /// Records that the inserted content becomes the end of the part that begins at this offset, or
    /// of the file.
    pub(super) fn at_end_of(self, part: Option<u64>) -> Self {
        Self { order: Order { part: Reverse(part), ..Order::default() }, ..self }
    }

    /// Adds a blank line before the inserted content, unless the content begins with one.
    pub(super) fn separate(&mut self) {
        let Some(LineEdit { edit, .. }) = self.edits.first_mut() else { return };
        let first = lines_with_ends(&edit.content).next().unwrap_or_default();
        let ending = &first[without_end(first).len()..];
        if ending.len() < first.len() {
            edit.content = [ending, &edit.content].concat();
            self.blank_lines.before += 1;
        }
    }

    /// Returns the warnings, including the one about links that cannot be resolved.
    pub(super) fn warnings(&self) -> impl Iterator<Item = &String> {
        self.warnings.iter().chain(self.unresolved.iter().map(|(message, _)| message))
    }

    /// Moves the edits out of the plan, and records the number of edited places.
    pub(super) fn take_edits(&mut self) -> Vec<LineEdit> {
        self.places.get_or_insert(self.edits.len() as u64);
        std::mem::take(&mut self.edits)
    }
}

/// Lines to insert at another place.
#[derive(Clone, Debug)]
pub(super) struct Carried {
    /// The text of the lines.
    pub(super) text: Vec<u8>,
    /// The bytes of the lines in the document.
    pub(super) span: Span,
    /// The bytes of the lines and of the blank lines around them. Moving the lines to a place
    /// within this span has no effect.
    pub(super) around: Option<Span>,
    /// Whether the blank lines around the lines belong to the document.
    pub(super) is_part: bool,
    /// The entry, if the lines are an entry of a tree of keys.
    pub(super) entry: Option<CarriedEntry>,
}

/// The role of a file in a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// The file contains the selected part.
    #[default]
    Own,
    /// The file receives moved or copied text.
    Arrival,
    /// The links in the file are updated.
    Links,
}

/// Plans a request with any operation except `create`.
pub(super) fn plan(
    source: &Buffer,
    request: &Request,
    force: bool,
    check: Check,
) -> Result<Plan, Error> {
    let given = Planner { source, request, force, check };
    let with_section = given.with_section();
    let planner = Planner { request: with_section.as_ref().unwrap_or(request), ..given };
    let request = planner.request;
    if let Some(plan) = planner.entry() {
        return plan;
    }
    match request.operation {
        Operation::Rename => match &request.target {
            Some(Part::Key { section, key, .. }) => planner.rename_key(section.as_deref(), key),
            _ => planner.rename(),
        },
        Operation::Append => planner.append(),
        Operation::Set => planner.set(),
        Operation::Move | Operation::Copy => planner.carry(),
        Operation::Replace | Operation::Delete | Operation::Insert => planner.edit(),
        Operation::Create | Operation::Apply => {
            Err(Error::usage("create does not replace an existing file"))
        }
    }
}

/// Plans the insertion of text before or after the place of an address. If the address is a whole
/// file, inserts at its start or end.
pub(super) fn arrive(
    source: &Buffer,
    request: &Request,
    to: &Address,
    carried: &Carried,
    force: bool,
) -> Result<Plan, Error> {
    let planner = Planner { source, request, force, check: Check::Now };
    if let Some(entry) = &carried.entry {
        return planner.arrive_entry(to, entry);
    }
    let is_ini_key = matches!(request.target, Some(Part::Key { .. }));
    let is_apart = to.part == Part::Whole && !source.text().is_empty();
    if is_ini_key && (is_apart || !source.format().has(Feature::Keys)) {
        let message = "the key of an INI file is moved and copied only to a line of an INI file";
        let set = "--to FILE:LINE, or use set to add the key to a section";
        return Err(Error::usage(message).at(&to.path).hint(set));
    }
    let place = match planner.part(&to.part)? {
        Some(place) => place,
        None => planner.whole(),
    };
    let side = request.side.unwrap_or(Side::After);
    let is_apart =
        planner.keeps_separation(&place) || (carried.is_part && place.container.is_none());
    let plan = match is_apart {
        true => planner.insert_apart(&place, side, &carried.text)?,
        false => planner.insert_lines(&place, side, &carried.text),
    };
    Ok(Plan { role: Role::Arrival, ..plan })
}

/// Returns content as adjacent rows of a table, without indentation.
fn rows(content: &[u8]) -> Result<Vec<u8>, Error> {
    let lines = lines_with_ends(content).map(<[u8]>::trim_ascii_start);
    let lines: Vec<&[u8]> = lines.skip_while(|line| line.is_empty()).collect();
    let count = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    if lines[..count].iter().any(|line| line.is_empty()) {
        return Err(Error::usage("a blank line would end the table: give rows without one"));
    }
    Ok(lines[..count].concat())
}

impl Planner<'_> {
    /// Whether the content is appended to a table.
    pub(super) fn is_for_table(&self) -> bool {
        self.request.operation == Operation::Append
            && matches!(self.request.target, Some(Part::Table(_)))
    }

    /// Returns the content for a place that consists of lines, with placeholders replaced. The file
    /// keeps its own byte order mark.
    pub(super) fn content(&self) -> Result<Vec<u8>, Error> {
        let content = without_mark(self.given_content()?);
        match self.source.format().syntax() {
            Some(Syntax::JsonLines) => Ok(one_per_line(&content).unwrap_or(content)),
            _ if self.is_for_table() => rows(&content),
            _ => Ok(content),
        }
    }

    fn given_content(&self) -> Result<Vec<u8>, Error> {
        let content = self.request.content.as_ref();
        let filled = content.map_or(Ok(Vec::new()), |content| filled(content, self.request))?;
        if filled.is_empty() { Err(self.empty_content()) } else { Ok(filled) }
    }

    /// Returns the content for a place within a line. If it was read from a file, a line ending at
    /// its end is removed.
    pub(super) fn exact_content(&self) -> Result<Vec<u8>, Error> {
        let mut content = self.given_content()?;
        if self.request.content.as_ref().is_some_and(|given| given.file.is_some()) {
            content.truncate(without_end(&content).len());
        }
        if content.is_empty() { Err(self.empty_content()) } else { Ok(content) }
    }

    pub(super) fn empty_content(&self) -> Error {
        let operation = self.request.operation.name();
        let message = format!("the content is empty, so {operation} would add nothing");
        let error = Error::new(Code::EmptyContent, message).at(&self.request.address.path);
        if self.request.operation != Operation::Replace {
            return error.hint("is a shell variable unset, or is the file empty?");
        }
        let delete =
            Request { operation: Operation::Delete, content: None, ..self.request.clone() };
        error.hint(hints::typed(&delete).why("delete the part"))
    }

    /// Plans `replace`, `delete` and `insert`.
    fn edit(&self) -> Result<Plan, Error> {
        let request = self.request;
        if let Some(Part::Match(query)) = &request.target {
            return self.matches(query);
        }
        if request.operation == Operation::Insert
            && let Some(Part::Key { section, key, value }) = &request.target
        {
            return self.insert_key(section.as_deref(), key, *value);
        }
        let place = self.place()?;
        match request.operation {
            Operation::Insert => {
                let of_lines = matches!(request.target, Some(Part::Lines(_)))
                    || matches!(request.address.part, Part::Lines(_));
                let default = if of_lines { Side::Before } else { Side::After };
                self.insert(&place, request.side.unwrap_or(default))
            }
            Operation::Delete => {
                self.check_list_marker(&place)?;
                Ok(self.delete(&place))
            }
            _ => self.replace(&place),
        }
    }

    /// Returns the selected place. If it is the whole file, the request must select it explicitly.
    pub(super) fn place(&self) -> Result<Place, Error> {
        let request = self.request;
        if let Some(target) = &request.target {
            return self.target(target);
        }
        if let Some(place) = self.part(&request.address.part)? {
            return Ok(place);
        }
        let operation = request.operation.name();
        let beside = match request.operation {
            Operation::Insert if request.side == Some(Side::Before) => "before ",
            Operation::Insert => "after ",
            _ => "",
        };
        let whole = Request { target: Some(Part::Whole), ..request.clone() };
        let section = Some(Part::section("NAME"));
        let section = Request { target: section, ..request.clone() };
        Err(Error::usage(format!("{operation} needs a part of the file"))
            .at(&request.address.path)
            .hint(hints::typed(&section).why(format!("{beside}a section")))
            .hint(hints::typed(&whole).why(format!("{beside}all of it"))))
    }

    fn replace(&self, place: &Place) -> Result<Plan, Error> {
        let mut warning = None;
        let mut plan = match &place.shape {
            Shape::Value(lines) => self.replace_value(place, *lines)?,
            Shape::Code(fences) => self.replace_code(place, fences)?,
            Shape::Lines | Shape::Block => {
                let content = self.content()?;
                warning = self.check_heading(place, &content)?;
                self.check_keys(&content)?;
                let content = place.contained(&content);
                if self.keeps_separation(place) && place.edges == Edges::Document {
                    self.replace_apart(place, &content)?
                } else {
                    self.put_lines(place, &content)
                }
            }
        };
        plan.warnings.extend(warning);
        self.warn_of_sections(&mut plan);
        Ok(plan)
    }

    /// Replaces a place with lines.
    fn put_lines(&self, place: &Place, content: &[u8]) -> Plan {
        match place.span.is_empty() {
            true => self.insert_lines(place, Side::After, content),
            false => self.put(place, self.lines_for(place, content)),
        }
    }

    /// Returns content as lines that replace a place.
    pub(super) fn lines_for(&self, place: &Place, content: &[u8]) -> Vec<u8> {
        let end = self.source.line_end_near(place.line);
        let last = self.source.last_end(place.span);
        let text = match (&place.shape, &place.container) {
            (Shape::Lines, None) => self.beside(content.to_vec(), place.line),
            _ => content.to_vec(),
        };
        let lines = content::whole_lines(&text, end, last);
        content::with_kept_ends(lines, self.source.bytes(place.span))
    }

    /// Returns the indentation of a line. Returns `None` for a blank line.
    pub(super) fn indentation(&self, line: u64) -> Option<Vec<u8>> {
        let start = self.source.line_start(line);
        let next = self.source.line_start(line.saturating_add(1));
        // Indentation is never longer than this.
        let text = self.source.bytes(Span::new(start, next.min(start + 4096)));
        let margin = indent(text);
        (without_end(text).len() > margin).then(|| text[..margin].to_vec())
    }

    /// Replaces a place with text.
    pub(super) fn put(&self, place: &Place, text: Vec<u8>) -> Plan {
        let edit = LineEdit::new(Edit::new(place.span, text), place.line);
        Plan::of(edit, LineRange::new(place.line, self.last_line(place)), place.span)
    }

    /// Returns the last line of a place or, if it is empty, the line before it.
    pub(super) fn last_line(&self, place: &Place) -> u64 {
        if place.span.is_empty() && matches!(place.shape, Shape::Value(_)) {
            return place.line;
        }
        if place.span.is_empty() {
            return place.line - 1;
        }
        self.source.line_of(place.span.end() - 1)
    }

    fn delete(&self, place: &Place) -> Plan {
        let mut plan = self.without(place);
        self.warn_of_sections(&mut plan);
        plan
    }

    /// Deletes a place.
    fn without(&self, place: &Place) -> Plan {
        if self.keeps_separation(place) && place.edges == Edges::Document {
            return self.delete_apart(place);
        }
        let mut plan = self.put(place, Vec::new());
        if place.span.is_empty() {
            plan.edits.clear();
        }
        plan
    }

    pub(super) fn insert(&self, place: &Place, side: Side) -> Result<Plan, Error> {
        match &place.shape {
            Shape::Value(_) => {
                let text = self.exact_content()?;
                let at = if side == Side::Before { place.span.start() } else { place.span.end() };
                let spot = Place { span: Span::new(at, at), ..place.clone() };
                Ok(self.put(&spot, text))
            }
            Shape::Code(fences) => {
                let own = self.content()?;
                let content = content::contained(&own, &fences.prefix);
                let mut plan = self.insert_lines(place, side, &content);
                self.lengthen(fences, &own, place, &mut plan);
                Ok(plan)
            }
            Shape::Lines | Shape::Block => {
                let mut content = self.content()?;
                if matches!(place.shape, Shape::Lines) && place.container.is_none() {
                    content = self.beside(content, place.line);
                }
                if self.separates(place) {
                    return self.insert_apart(place, side, &content);
                }
                let content = place.contained_beside(&content, side);
                let warning = self.check_exact(place, side, &content)?;
                let plan = self.insert_lines(place, side, &content);
                Ok(Plan { warnings: warning.into_iter().collect(), ..plan })
            }
        }
    }

    /// Inserts whole lines before or after a place.
    pub(super) fn insert_lines(&self, place: &Place, side: Side, content: &[u8]) -> Plan {
        let last = self.last_line(place);
        let (at, beside, line) = match side {
            Side::Before => (place.span.start(), place.line, place.line),
            Side::After => (place.span.end(), last.max(1), last + 1),
        };
        let end = self.source.line_end_near(beside);
        let cut = self.source.is_cut(at);
        let (text, line) = if cut {
            let lines = content::whole_lines(content, end, None);
            ([end.bytes(), &lines].concat(), line - 1)
        } else {
            (content::whole_lines(content, end, Some(end)), line)
        };
        let edit = LineEdit::new(Edit::new(Span::new(at, at), text), line);
        let edit = LineEdit { ends_last: cut, ..edit };
        let order = Order {
            is_before: side == Side::Before,
            part: Reverse(Some(place.span.start())),
            is_apart: true,
            is_of_name: false,
        };
        Plan { order, ..Plan::of(edit, Some(LineRange::line(beside)), place.span) }
    }

    fn replace_code(&self, place: &Place, fences: &Fences) -> Result<Plan, Error> {
        let content = self.content()?;
        let mut plan = self.put_lines(place, &content::contained(&content, &fences.prefix));
        self.lengthen(fences, &content, place, &mut plan);
        Ok(plan)
    }

    /// Lengthens fences so that they are longer than the fences in the content.
    fn lengthen(&self, fences: &Fences, content: &[u8], place: &Place, plan: &mut Plan) {
        let needed = content::fence_length(content, fences.byte);
        let Some(more) = needed.checked_sub(fences.length).filter(|&more| more > 0) else {
            return;
        };
        let run = vec![fences.byte; more];
        let longer = |at: u64, line| LineEdit::new(Edit::new(Span::new(at, at), run.clone()), line);
        plan.edits.insert(0, longer(fences.open_end, place.line - 1));
        if let Some(close) = fences.close_end {
            plan.edits.push(longer(close, self.source.line_of(close)));
        }
        plan.details.push(format!("fence lengthened to {needed} characters"));
    }

    /// Inserts lines after a line. Line 0 is the start of the document.
    pub(super) fn insert_after_line(&self, line: u64, content: &[u8]) -> Plan {
        let place = self.between(line + 1);
        self.insert_lines(&place, Side::After, content)
    }

    /// Indents content like a line.
    pub(super) fn beside(&self, content: Vec<u8>, line: u64) -> Vec<u8> {
        let options = &self.request.options;
        if options.no_preserve_indent || options.exact {
            return content;
        }
        match self.indentation(line) {
            Some(margin) => content::indented(&content, &margin),
            None => content,
        }
    }

    /// Plans the removal of whole lines that will be inserted at another place.
    fn carry(&self) -> Result<Plan, Error> {
        if matches!(&self.request.target, Some(Part::Match(_))) {
            return Err(Error::usage("move and copy accept only whole lines, not text in a line"));
        }
        let place = self.place()?;
        if matches!(place.shape, Shape::Value(_)) {
            return Err(Error::usage("move and copy accept only whole lines, not a value"));
        }
        let is_part = self.keeps_separation(&place);
        let inner = if is_part { self.trimmed(&place) } else { place.clone() };
        let span = inner.span;
        // Within the file, the new place may be in the same container.
        let leaves = self
            .request
            .to
            .as_ref()
            .is_some_and(|to| to.path != self.request.address.path || to.part == Part::Whole);
        let text = leaves.then(|| self.uncontained(&inner)).flatten();
        let text = text.unwrap_or_else(|| self.source.bytes(span).to_vec());
        let plan = match self.request.operation {
            Operation::Move => {
                self.check_list_marker(&place)?;
                self.without(&place)
            }
            _ => Plan { named: Some(place.span), ..Plan::default() },
        };
        // Blank lines that are deleted together with the lines are not inserted at the new place.
        let affected = LineRange::new(inner.line, self.last_line(&inner));
        let mut plan = Plan { affected, ..plan };
        if text.is_empty() {
            return Err(Error::new(Code::TargetNotFound, "there is nothing at that place")
                .at(self.source.path()));
        }
        let around = if is_part { self.around(&inner) } else { span };
        let around = Some(around);
        plan.carried = Some(Carried { text, span, around, is_part, entry: None });
        Ok(plan)
    }
}

/// Replaces the placeholders in content.
pub(super) fn filled(content: &Content, request: &Request) -> Result<Vec<u8>, Error> {
    if request.options.set.is_empty() {
        return Ok(content.bytes.clone());
    }
    content::fill(&content.bytes, &request.options.placeholders()?)
        .map_err(|name| Error::usage(format!("--set: the content does not contain {{{{{name}}}}}")))
}
