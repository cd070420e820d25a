//! Converts a request to edits of the document's text, and collects what there is to say about them.

use std::cmp::Reverse;
use std::fmt;

use super::carried_entry::CarriedEntry;
use super::place::{Edges, Fences, Place, Planner, Shape};
use super::{EditRequest, Note, Operation, Refusal, Side};
use crate::document::LoadedDocument;
use crate::format::Feature;
use crate::locate::Miss;
use crate::part::{Part, SectionPart};
use folio_keys::Syntax;
use folio_keys::sources::one_record_per_line;
use folio_keys::verify::Difference;
use folio_symbols::{Language, Symbol};
use folio_text::content;
use folio_text::edit::Edit;
use folio_text::lines::{lines_with_ends, without_end};
use folio_text::sections::indent;
use folio_text::separation::BlankLines;
use folio_text::span::{LineRange, Span};

/// An edit, and the line on which its span begins.
#[derive(Clone, Debug)]
pub struct LineEdit {
    /// The edit.
    pub edit: Edit,
    /// The line on which its span begins.
    pub line: u64,
    /// The index of the edit's plan after plans are merged. The type is small because there may be
    /// many edits.
    pub owner: u32,
    /// Whether the content begins with the missing line ending of the last line.
    pub ends_last: bool,
}

impl LineEdit {
    /// Creates an edit that begins on `line`.
    pub fn new(edit: Edit, line: u64) -> Self {
        Self { edit, line, owner: 0, ends_last: false }
    }
}

/// The order of insertions at the same offset: first after inner parts, then after the parts
/// around them. What is inserted before the next part comes last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order {
    is_before: bool,
    /// The offset at which the part begins. `None` for the whole file.
    pub part: Reverse<Option<u64>>,
    /// Whether the content follows the part, instead of becoming its end.
    pub is_apart: bool,
    /// Whether the edit sets or renames what has a name, which then should occur once.
    pub is_of_name: bool,
}

/// The result of planning a request in one file.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The number of the request.
    pub request: usize,
    /// The edits, in order.
    pub edits: Vec<LineEdit>,
    /// The place of inserted content among other insertions at the same offset.
    pub order: Order,
    /// The difference that the edits make in a tree of keys, if it is known. The edits may then be
    /// verified later, see [`folio_keys::edit::Check::Later`].
    pub difference: Option<Difference>,
    /// The lines of the document to which the plan refers: the lines that change, or the line next
    /// to which content is inserted.
    pub affected: Option<LineRange>,
    /// The bytes of the selected part. A precondition may require their checksum.
    pub named: Option<Span>,
    /// The index of the key or item that the plan removes in the tree of the document.
    pub removed_entry: Option<usize>,
    /// Whether the removal is possible only together with others, and not verified.
    pub needs_others: bool,
    /// The number of edited places. Set when the edits are merged or moved out of the plan.
    pub places: Option<u64>,
    /// The number of matches that are not edited.
    pub others: Option<u64>,
    /// What the user should know about the edit.
    pub warnings: Vec<Note>,
    /// What the edit kept or adapted, such as a comment.
    pub details: Vec<Note>,
    /// The numbers of blank lines added around inserted content.
    pub blank_lines: BlankLines,
    /// Text to insert at another place.
    pub carried: Option<Carried>,
    /// The value that `set` replaces, if it is short and not secret.
    pub value_change: Option<ValueChange>,
}

/// The value of a key before and after an edit, for reports.
#[derive(Clone, Debug)]
pub struct ValueChange {
    /// The key path.
    pub key: String,
    /// The old value.
    pub old: String,
    /// The new value.
    pub new: String,
}

impl fmt::Display for ValueChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [old, new] = [&self.old, &self.new].map(|value| match value.as_str() {
            "" => "\"\"",
            value => value,
        });
        write!(f, "{}: {old} → {new}", self.key)
    }
}

impl Plan {
    /// Creates a plan with one edit. `named` are the bytes of the selected part.
    pub fn from_edit(edit: LineEdit, affected: Option<LineRange>, named: Span) -> Self {
        Self { edits: vec![edit], affected, named: Some(named), ..Self::default() }
    }

    /// Records that the inserted content becomes the end of the part that begins at this offset, or
    /// of the file.
    pub fn at_end_of(self, part: Option<u64>) -> Self {
        Self { order: Order { part: Reverse(part), ..Order::default() }, ..self }
    }

    /// Adds a blank line before the inserted content, unless the content begins with one.
    pub fn separate(&mut self) {
        let Some(LineEdit { edit, .. }) = self.edits.first_mut() else { return };
        let first = lines_with_ends(&edit.content).next().unwrap_or_default();
        let ending = &first[without_end(first).len()..];
        if ending.len() < first.len() {
            edit.content = [ending, &edit.content].concat();
            self.blank_lines.before += 1;
        }
    }

    /// Moves the edits out of the plan, and records the number of edited places.
    pub fn take_edits(&mut self) -> Vec<LineEdit> {
        self.places.get_or_insert(self.edits.len() as u64);
        std::mem::take(&mut self.edits)
    }
}

/// Lines to insert at another place.
#[derive(Clone, Debug)]
pub struct Carried {
    /// The text of the lines.
    pub text: Vec<u8>,
    /// The bytes of the lines in the document.
    pub span: Span,
    /// The bytes of the lines and of the blank lines around them. Moving the lines to a place
    /// within this span has no effect.
    pub around: Option<Span>,
    /// Whether the blank lines around the lines belong to the document.
    pub is_part: bool,
    /// The language of the lines, if they are source code.
    pub language: Option<Language>,
    /// The symbol that the lines are.
    pub symbol: Option<Symbol>,
    /// The entry, if the lines are an entry of a tree of keys.
    pub(super) entry: Option<CarriedEntry>,
}

impl Carried {
    /// Whether the text is an entry of a tree of keys. Its lines need not be consecutive.
    pub fn is_entry(&self) -> bool {
        self.entry.is_some()
    }
}

impl LoadedDocument {
    /// Plans an edit of a part of this document. Nothing outside the part changes, except blank lines
    /// around it and what the returned notes say.
    ///
    /// # Errors
    ///
    /// Fails if the part is missing or ambiguous, or if the edit would not have the intended effect.
    pub fn edit(&self, request: &EditRequest) -> Result<Plan, Refusal> {
        let planner = Planner { source: self, request };
        let mut plan = match (planner.entry(), request.operation, &request.part) {
            (Some(plan), ..) => plan,
            (None, _, Some(Part::Key { .. })) => Err(Miss::NoKeys.into()),
            (None, Operation::Append, _) => planner.append(),
            (None, Operation::Set, _) => Err(Refusal::KeyNeeded),
            (None, Operation::Rename, _) => planner.rename(),
            (None, Operation::Move | Operation::Copy, _) => planner.carry(),
            (None, Operation::Replace | Operation::Delete | Operation::Insert, _) => planner.edit(),
        }?;
        plan.details.extend(planner.position());
        Ok(plan)
    }

    /// Plans the insertion of moved or copied text before or after a part of this document, or at its
    /// start or end.
    ///
    /// # Errors
    ///
    /// Fails if the part is missing or ambiguous, or if the text would not stay what it is.
    pub fn receive(
        &self,
        request: &EditRequest,
        to: &Part,
        carried: &Carried,
    ) -> Result<Plan, Refusal> {
        let planner = Planner { source: self, request };
        if let Some(entry) = &carried.entry {
            match to {
                Part::Lines(_) if !entry.is_of_ini() => return Err(Refusal::KeyNeeded),
                Part::Lines(_) if self.format().has(Feature::MarkedSections) => {}
                Part::Lines(_) => return Err(Refusal::KeyNeedsLine),
                _ => return planner.arrive_entry(to, entry),
            }
        }
        if let (Some(from), Some(to)) = (carried.language, self.format().language())
            && !to.includes(from)
        {
            return Err(Refusal::OtherLanguage { from: from.title(), to: to.title() });
        }
        let is_whole = *to == Part::Whole;
        let mut place = if is_whole { planner.whole_file() } else { planner.target(to)? };
        let side = request.side.unwrap_or(Side::After);
        if carried.is_part && side == Side::After {
            place.margin = planner.margin_after(planner.last_line(&place));
        }
        let is_apart =
            planner.keeps_separation(&place) || (carried.is_part && place.container.is_none());
        let is_code = self.format().is_code() && carried.is_part;
        let text = if is_code {
            let at = place.beside(side);
            let fixed = planner.fixed_lines(at, &carried.text);
            let text = content::without_margin(&carried.text, &fixed);
            &planner.indent_like(text, &place, at)
        } else {
            &carried.text
        };
        let plan = match is_apart {
            true => planner.insert_apart(&place, side, text)?,
            false => planner.insert_lines(&place, side, text),
        };
        if let Some(symbol) = carried.symbol.as_ref().filter(|_| is_code && !request.force) {
            planner.check_arrival(&plan, symbol)?;
        }
        Ok(plan)
    }
}

/// Returns content as adjacent rows of a table, without indentation.
fn table_rows(content: &[u8]) -> Result<Vec<u8>, Refusal> {
    let lines = lines_with_ends(content).map(<[u8]>::trim_ascii_start);
    let lines: Vec<&[u8]> = lines.skip_while(|line| line.is_empty()).collect();
    let count = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    if lines[..count].iter().any(|line| line.is_empty()) {
        return Err(Refusal::BlankLineInRows);
    }
    Ok(lines[..count].concat())
}

impl Planner<'_> {
    /// Whether the content is appended to a table.
    pub(super) fn is_for_table(&self) -> bool {
        self.request.operation == Operation::Append
            && matches!(self.request.part, Some(Part::Table(_)))
    }

    /// Returns the content for a place that consists of lines. The file keeps its own byte order
    /// mark.
    pub(super) fn content(&self) -> Result<Vec<u8>, Refusal> {
        let content = content::without_mark(self.given_content()?);
        match self.source.format().syntax() {
            Some(Syntax::JsonLines) => Ok(one_record_per_line(&content).unwrap_or(content)),
            _ if self.is_for_table() => table_rows(&content),
            _ => Ok(content),
        }
    }

    fn given_content(&self) -> Result<Vec<u8>, Refusal> {
        let content = self.request.content.as_ref();
        let bytes = content.map(|content| content.bytes.clone()).unwrap_or_default();
        if bytes.is_empty() { Err(Refusal::EmptyContent) } else { Ok(bytes) }
    }

    /// Returns the content for a place within a line. If it was read from a file, a line ending at
    /// its end is removed.
    pub(super) fn exact_content(&self) -> Result<Vec<u8>, Refusal> {
        let mut content = self.given_content()?;
        if self.request.content.as_ref().is_some_and(|content| content.is_file) {
            content.truncate(without_end(&content).len());
        }
        if content.is_empty() { Err(Refusal::EmptyContent) } else { Ok(content) }
    }

    /// Returns a note about a part that is selected by its number, if the number is doubtful.
    fn position(&self) -> Option<Note> {
        let part = self.request.part.as_ref()?;
        let outline = match part {
            Part::Whole | Part::Lines(_) | Part::Match(_) => return None,
            Part::Table(_) => self.source.outline_with_tables(),
            _ => self.source.outline(),
        };
        let position = self.locator(outline).doubtful_position(part)?;
        Some(Note::Position { part: part.clone(), position })
    }

    /// Plans `replace`, `delete` and `insert`.
    fn edit(&self) -> Result<Plan, Refusal> {
        let request = self.request;
        if let Some(Part::Match(query)) = &request.part {
            return self.matches(query);
        }
        let place = self.place()?;
        match request.operation {
            Operation::Insert => {
                let of_lines = matches!(request.part, Some(Part::Lines(_)));
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

    pub(super) fn place(&self) -> Result<Place, Refusal> {
        self.target(self.request.part.as_ref().ok_or(Refusal::NoPart)?)
    }

    fn replace(&self, place: &Place) -> Result<Plan, Refusal> {
        let mut warning = None;
        let mut plan = match &place.shape {
            Shape::Value(_) => return Err(Refusal::NotLines),
            Shape::Code(fences) => self.replace_code(place, fences)?,
            Shape::Lines | Shape::Block => {
                let content = self.content()?;
                warning = self.check_heading(place, &content)?;
                if let Some(Part::Section { part: SectionPart::Body, .. }) = &self.request.part {
                    self.check_no_marker(&content)?;
                }
                let content = place.with_prefixes(&content);
                if self.keeps_separation(place) && place.edges == Edges::Document {
                    self.replace_apart(place, &content)?
                } else {
                    self.put_lines(place, &content)
                }
            }
        };
        plan.warnings.extend(warning);
        plan.warnings.extend(self.check_symbol(&plan)?);
        self.warn_of_sections(&mut plan);
        Ok(plan)
    }

    fn put_lines(&self, place: &Place, content: &[u8]) -> Plan {
        if place.span.is_empty() {
            self.insert_lines(place, Side::After, content)
        } else {
            self.put(place, self.lines_for(place, content))
        }
    }

    /// Returns content as lines that replace a place.
    pub(super) fn lines_for(&self, place: &Place, content: &[u8]) -> Vec<u8> {
        // The span may begin after blank lines of the place, which may end differently.
        let end = self.source.line_end_near(self.source.line_of(place.span.start()));
        let last = self.source.last_end(place.span);
        let text = match (&place.shape, &place.container) {
            (Shape::Lines, None) => self.indent_like(content.to_vec(), place, place.span),
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
        Plan::from_edit(edit, LineRange::new(place.line, self.last_line(place)), place.span)
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
        let mut plan = self.delete_place(place);
        self.warn_of_sections(&mut plan);
        plan
    }

    fn delete_place(&self, place: &Place) -> Plan {
        if self.keeps_separation(place) && place.edges == Edges::Document {
            return self.delete_apart(place);
        }
        let mut plan = self.put(place, Vec::new());
        if place.span.is_empty() {
            plan.edits.clear();
        }
        plan
    }

    pub(super) fn insert(&self, place: &Place, side: Side) -> Result<Plan, Refusal> {
        match &place.shape {
            Shape::Value(_) => {
                let text = self.exact_content()?;
                let at = if side == Side::Before { place.span.start() } else { place.span.end() };
                let spot = Place { span: Span::new(at, at), ..place.clone() };
                Ok(self.put(&spot, text))
            }
            Shape::Code(fences) => {
                let code = self.content()?;
                let content = content::contained(&code, &fences.prefix);
                let mut plan = self.insert_lines(place, side, &content);
                self.lengthen(fences, &code, place, &mut plan);
                Ok(plan)
            }
            Shape::Lines | Shape::Block => {
                let mut content = self.content()?;
                if matches!(place.shape, Shape::Lines) && place.container.is_none() {
                    content = self.indent_like(content, place, place.beside(side));
                }
                if self.separates(place) {
                    return self.insert_apart(place, side, &content);
                }
                let content = place.with_prefixes_beside(&content, side);
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
        Plan { order, ..Plan::from_edit(edit, Some(LineRange::line(beside)), place.span) }
    }

    fn replace_code(&self, place: &Place, fences: &Fences) -> Result<Plan, Refusal> {
        let content = self.content()?;
        let mut plan = self.put_lines(place, &content::contained(&content, &fences.prefix));
        self.lengthen(fences, &content, place, &mut plan);
        Ok(plan)
    }

    /// Lengthens fences so that they are longer than the fences in the content.
    fn lengthen(&self, fences: &Fences, content: &[u8], place: &Place, plan: &mut Plan) {
        let length = content::fence_length(content, fences.byte);
        let Some(more) = length.checked_sub(fences.length).filter(|&more| more > 0) else {
            return;
        };
        let run = vec![fences.byte; more];
        let longer = |at: u64, line| LineEdit::new(Edit::new(Span::new(at, at), run.clone()), line);
        plan.edits.insert(0, longer(fences.open_end, place.line - 1));
        if let Some(close) = fences.close_end {
            plan.edits.push(longer(close, self.source.line_of(close)));
        }
        plan.details.push(Note::FenceLengthened(length));
    }

    /// Inserts lines after a line. Line 0 is the start of the document.
    pub(super) fn insert_after_line(&self, line: u64, content: &[u8]) -> Plan {
        let place = self.empty_place(line + 1);
        self.insert_lines(&place, Side::After, content)
    }

    /// Indents content that replaces a span like a place.
    pub(super) fn indent_like(&self, content: Vec<u8>, place: &Place, at: Span) -> Vec<u8> {
        match place.margin.clone().or_else(|| self.indentation(place.line)) {
            Some(margin) => self.indent(content, &margin, at),
            None => content,
        }
    }

    /// Indents content that replaces a span. Lines that begin in a string keep their indentation.
    pub(super) fn indent(&self, content: Vec<u8>, margin: &[u8], at: Span) -> Vec<u8> {
        let options = &self.request.options;
        if options.keeps_indentation || options.exact {
            return content;
        }
        content::indented_except(&content, margin, &self.fixed_lines(at, &content))
    }

    /// Plans the removal of whole lines that will be inserted at another place.
    fn carry(&self) -> Result<Plan, Refusal> {
        if matches!(&self.request.part, Some(Part::Match(_))) {
            return Err(Refusal::TextNotCarried);
        }
        let place = self.place()?;
        if matches!(place.shape, Shape::Value(_)) {
            return Err(Refusal::ValueNotCarried);
        }
        let is_part = self.keeps_separation(&place);
        let inner = if is_part { self.trimmed(&place) } else { place.clone() };
        let span = inner.span;
        // Within the file, the new place may be in the same container.
        let to = self.request.destination.as_ref();
        let leaves = to.is_some_and(|to| !to.is_here || to.part == Part::Whole);
        let text = leaves.then(|| self.without_prefixes(&inner)).flatten();
        let text = text.unwrap_or_else(|| self.source.bytes(span).to_vec());
        let plan = match self.request.operation {
            Operation::Move => {
                self.check_list_marker(&place)?;
                self.delete_place(&place)
            }
            _ => Plan { named: Some(place.span), ..Plan::default() },
        };
        // Blank lines that are deleted together with the lines are not inserted at the new place.
        let affected = LineRange::new(inner.line, self.last_line(&inner));
        let mut plan = Plan { affected, ..plan };
        if text.is_empty() {
            return Err(Refusal::NothingThere);
        }
        let around = if is_part { self.span_between_texts(&inner) } else { span };
        let around = Some(around);
        let language = self.source.format().language().filter(|_| is_part);
        let symbols = self.source.outline().symbols().iter();
        let symbol = { symbols }.find(|symbol| affected == Some(symbol.lines)).cloned();
        plan.carried = Some(Carried { text, span, around, is_part, language, symbol, entry: None });
        Ok(plan)
    }
}
