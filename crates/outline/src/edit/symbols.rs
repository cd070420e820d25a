//! Plans edits of source code by symbol. Content is judged in its place: the text is parsed with it,
//! because a method or an element of a list is nothing without what is around it.

use super::headings::HeadingName;
use super::place::Planner;
use super::plan::{LineEdit, Plan};
use super::{Note, Refusal};
use crate::outline::Outline;
use crate::part::{Part, SectionPart};
use folio_symbols::{Kind, Symbol, fixed_lines};
use folio_text::edit::{Edit, EditSet};
use folio_text::lines::{count_newlines, lines_with_ends, without_end};
use folio_text::separation::BlankLines;
use folio_text::span::{LineRange, Span};

/// Number of symbols above and below a place to examine for the blank lines between symbols.
const NEIGHBOURS: usize = 4;

impl Planner<'_> {
    /// Returns the text with content in place of a span, and the lines of the content in it.
    fn with_content(&self, at: Span, content: &[u8]) -> (Vec<u8>, LineRange) {
        let bytes = |start, end| self.source.bytes(Span::new(start, end));
        let before = bytes(self.source.start(), at.start());
        let cut: &[u8] = if self.source.is_cut(at.start()) { b"\n" } else { b"" };
        let end: &[u8] = if content.ends_with(b"\n") { b"" } else { b"\n" };
        let after = bytes(at.end(), self.source.end());
        let first = count_newlines(before) + cut.len() as u64 + 1;
        let lines = LineRange::from_to(first, first + count_newlines(without_end(content)));
        ([before, cut, content, end, after].concat(), lines)
    }

    /// Returns the lines of content that begin in a string, if the content replaces a span of source
    /// code. They count from 1.
    pub(super) fn fixed_lines(&self, at: Span, content: &[u8]) -> Vec<LineRange> {
        let Some(language) = self.source.format().language() else { return Vec::new() };
        if count_newlines(without_end(content)) == 0 {
            return Vec::new();
        }
        let (text, lines) = self.with_content(at, content);
        let found = fixed_lines(language, &text).unwrap_or_default();
        let above = lines.start() - 1;
        let shift = |range: LineRange| {
            let first = range.start().max(lines.start());
            LineRange::new(first - above, range.end().min(lines.end()).checked_sub(above)?)
        };
        found.into_iter().filter_map(shift).collect()
    }

    /// Returns the indentation of the body of a symbol. If no line has it, it is that of the
    /// signature, and as much as other bodies have.
    pub(super) fn body_margin(&self, outline: &Outline, index: usize) -> Option<Vec<u8>> {
        let symbol = outline.symbol(index)?;
        let model = |symbol: &Symbol| self.indentation(symbol.body.as_ref()?.model?);
        if let Some(margin) = model(symbol) {
            return Some(margin);
        }
        let outer = self.indentation(symbol.signature_line)?;
        let step = |symbol: &Symbol| {
            let inner = model(symbol)?;
            let step = inner.strip_prefix(&*self.indentation(symbol.signature_line)?)?;
            (!step.is_empty()).then(|| step.to_vec())
        };
        let language = self.source.format().language()?;
        let step = outline.symbols().iter().find_map(step);
        Some([outer, step.unwrap_or_else(|| language.indentation().into())].concat())
    }

    /// Returns the indentation of the innermost symbol that ends on a line: what follows the line is
    /// beside this symbol.
    pub(super) fn margin_after(&self, line: u64) -> Option<Vec<u8>> {
        let symbols = self.source.outline().symbols();
        let last = symbols.iter().rev().find(|symbol| symbol.lines.end() == line)?;
        self.indentation(last.lines.start())
    }

    /// Fails if content that replaced a symbol does not begin one. Returns a warning if the symbol
    /// has another name.
    pub(super) fn check_symbol(&self, plan: &Plan) -> Result<Option<Note>, Refusal> {
        let [LineEdit { edit, .. }] = &plan.edits[..] else { return Ok(None) };
        let part = match &self.request.part {
            Some(Part::Section { part, .. }) if *part != SectionPart::Body => *part,
            Some(Part::Anchor(_)) => SectionPart::Whole,
            _ => return Ok(None),
        };
        let outline = self.source.outline();
        let line = plan.named.map(|named| self.source.line_of(named.start()));
        let index = line.and_then(|line| symbol_at(outline, line));
        let Some(index) = index.filter(|_| !self.request.force) else { return Ok(None) };
        let edits = EditSet::new(vec![edit.clone()]).map_err(|_| Refusal::NotLines)?;
        let edited = self.source.edited(&edits);
        let first = self.source.line_of(edit.span.start());
        let lines = LineRange::from_to(first, first + count_newlines(without_end(&edit.content)));
        let new = edited.outline();
        let heading = symbol_heading(outline, index);
        let begins = |symbol: &&Symbol| lines.contains(symbol.lines.start());
        let Some(symbol) = new.symbols().iter().find(begins) else {
            let is_inside =
                |error: &LineRange| error.end() >= lines.start() && error.start() <= lines.end();
            // A mistake is reported as such.
            let has_mistake = new.syntax_errors().iter().any(is_inside);
            return if has_mistake {
                Ok(None)
            } else {
                Err(Refusal::NoHeadingInContent { heading, part })
            };
        };
        let is_renamed = part == SectionPart::Whole && symbol.name != heading.text;
        let new = symbol.name.clone();
        Ok(is_renamed.then_some(Note::HeadingChanges { old: heading, new }))
    }

    /// Fails if a symbol that is moved or copied would not be a symbol in its new place, such as a
    /// member of an interface between functions. A mistake in the syntax is reported as such.
    pub(super) fn check_arrival(&self, plan: &Plan, carried: &Symbol) -> Result<(), Refusal> {
        let edits = plan.edits.iter().map(|LineEdit { edit, .. }| edit.clone()).collect();
        let edits = EditSet::new(edits).map_err(|_| Refusal::NotLines)?;
        let edited = self.source.edited(&edits);
        let new = edited.outline();
        let is_same = |symbol: &&Symbol| symbol.name == carried.name && is_alike(symbol, carried);
        let count = |outline: &Outline| outline.symbols().iter().filter(is_same).count();
        let has_mistake = new.syntax_errors().len() > self.source.outline().syntax_errors().len();
        if has_mistake || count(new) > count(self.source.outline()) {
            return Ok(());
        }
        Err(Refusal::NoSymbolThere { name: carried.name.clone(), kind: carried.kind })
    }

    /// Fails if content for the body of a symbol declares the symbol.
    pub(super) fn check_symbol_body(&self, index: usize, content: &[u8]) -> Result<(), Refusal> {
        let outline = self.source.outline();
        let Some(symbol) = outline.symbol(index).filter(|_| !self.request.force) else {
            return Ok(());
        };
        let present =
            outline.body(index).map(|lines| self.source.bytes(self.source.span_of(lines)));
        let is_repeated =
            |new: &Symbol| new.parent.is_none() && new.name == symbol.name && is_alike(new, symbol);
        let new = self.source.outline_of(content);
        let is_unchanged = present.is_some_and(|text| text.trim_ascii() == content.trim_ascii());
        if is_unchanged || !new.symbols().iter().any(is_repeated) {
            return Ok(());
        }
        let heading = symbol_heading(outline, index);
        Err(Refusal::SecondHeading { new: heading.clone(), heading })
    }

    /// Returns the numbers of blank lines between content that is inserted at a line and the text
    /// directly above and below it: as many as between the symbols nearby.
    pub(super) fn blank_lines_in_code(&self, line: u64, content: &[u8]) -> BlankLines {
        let at = self.source.line_start(line);
        let (text, lines) = self.with_content(Span::new(at, at), content);
        let (old, new) = (self.source.outline(), self.source.outline_of(&text));
        let found = symbol_at(&new, lines.start()).map(|index| &new.symbols()[index]);
        let is_inside = |symbol: &&Symbol| symbol.signature_line <= lines.end();
        let is_lead = found.is_some_and(|symbol| !is_inside(&symbol));
        let inserted = found.filter(is_inside);
        let mut blank_lines = BlankLines::default();
        if let Some(symbol) = inserted {
            let parent = symbol.parent.map(|index| &new.symbols()[index]);
            let start = parent.and_then(|parent| parent.body.as_ref()).map_or(1, |body| body.start);
            let parent = parent.and_then(|parent| symbol_at(old, parent.lines.start()));
            if start < lines.start() {
                // In languages without braces, the parent may end on the same line.
                let is_above =
                    |above: &&Symbol| above.lines.end() + 1 == line && above.parent == parent;
                let above = old.symbols().iter().find(is_above);
                blank_lines.before = self.usual_blank_lines(line, parent, (above, symbol));
            }
        }
        // Comments and attributes belong to the symbol below them.
        if let Some(index) = symbol_at(old, line).filter(|_| !is_lead) {
            let below = &old.symbols()[index];
            let pair = (inserted, below);
            blank_lines.after = self.usual_blank_lines(line, below.parent, pair);
        }
        blank_lines
    }

    /// Returns the usual number of blank lines between two symbols of a parent near a line. The first
    /// one may be other text.
    fn usual_blank_lines(
        &self,
        line: u64,
        parent: Option<usize>,
        (above, below): (Option<&Symbol>, &Symbol),
    ) -> u64 {
        let is_block = |symbol: &Symbol| {
            symbol.kind != Kind::Member && symbol.lines.end() > symbol.signature_line
        };
        let is_apart = above.is_some_and(is_block) || is_block(below);
        let symbols = self.source.outline().symbols();
        let siblings: Vec<&Symbol> =
            symbols.iter().filter(|symbol| symbol.parent == parent).collect();
        let middle = siblings.partition_point(|symbol| symbol.lines.start() < line);
        let near = middle.saturating_sub(NEIGHBOURS)..(middle + NEIGHBOURS).min(siblings.len());
        let body = parent.and_then(|parent| symbols[parent].body.as_ref());
        let first = body.map_or(1, |body| body.start);
        let mut counts = [Vec::new(), Vec::new()];
        for index in near {
            let start = siblings[index].lines.start();
            let blank = self.blank_above(start);
            if start - blank <= first {
                continue;
            }
            let before = index.checked_sub(1).map(|before| siblings[before]);
            let before = before.filter(|before| before.lines.end() + 1 == start - blank);
            let is_block_pair = before.is_some_and(is_block) || is_block(siblings[index]);
            counts[usize::from(is_block_pair)].push(blank);
        }
        let usual = |counts: &[u64]| {
            let count = |number: u64| counts.iter().filter(|&&other| other == number).count();
            counts.iter().copied().max_by_key(|&number| (count(number), number))
        };
        let alike = usual(&counts[usize::from(is_apart)]);
        match (alike, below.kind) {
            (Some(count), _) => count,
            (None, _) if is_apart => 1,
            (None, Kind::Member) => 0,
            (None, _) => usual(&counts[1]).unwrap_or(0),
        }
    }

    /// Adds a comma after the last element of a list to a plan that inserts another element at a line.
    pub(super) fn add_comma(&self, plan: &mut Plan, line: u64, content: &[u8]) {
        let outline = self.source.outline();
        let is_around = |symbol: &&Symbol| {
            let body = symbol.body.as_ref();
            body.is_some_and(|body| body.start < line && line <= body.end)
        };
        let around = outline.symbols().iter().rev().find(is_around);
        let Some(comma) = around.and_then(|symbol| symbol.body.as_ref()?.missing_comma) else {
            return;
        };
        let comma = self.source.start() + comma as u64;
        let mut lines = lines_with_ends(content).map(<[u8]>::trim_ascii);
        let is_comment = lines.all(|line| line.is_empty() || line.starts_with(b"//"));
        if comma < self.source.line_start(line) && !is_comment {
            let number = self.source.line_of(comma);
            let edit = Edit::new(Span::new(comma, comma), b",".to_vec());
            plan.edits.insert(0, LineEdit::new(edit, number));
            plan.details.push(Note::CommaAdded { line: number });
        }
    }
}

/// Whether both symbols are functions, or have the same kind.
fn is_alike(symbol: &Symbol, other: &Symbol) -> bool {
    let is_function = |kind: Kind| matches!(kind, Kind::Function | Kind::Method | Kind::Test);
    symbol.kind == other.kind || is_function(symbol.kind) && is_function(other.kind)
}

/// Returns the symbol that begins on a line.
fn symbol_at(outline: &Outline, line: u64) -> Option<usize> {
    outline.symbols().iter().position(|symbol| symbol.lines.start() == line)
}

fn symbol_heading(outline: &Outline, index: usize) -> HeadingName {
    let text = outline.symbols()[index].name.clone();
    HeadingName { index, kind: outline.sections()[index].kind(), text }
}
