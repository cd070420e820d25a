//! Plans edits of texts and patterns: selects matches, and finds out why a text was not found.

use std::borrow::Cow;
use std::ops::Range;

use super::matching::{self, Match, Matches, SearchedPart};
use super::place::Planner;
use super::plan::{LineEdit, Plan};
use super::{Note, Operation, Refusal, Side};
use crate::format::Feature;
use crate::part::{Occurrence, Part, Query, QueryKind};
use folio_markdown::comments::comments;
use folio_text::content;
use folio_text::edit::Edit;
use folio_text::fuzzy::text::{FuzzyMatch, closest};
use folio_text::lines::{count_newlines, without_end};
use folio_text::pattern::PatternOptions;
use folio_text::span::{LineRange, Span};

/// Maximum number of bytes of a document to search for the closest match.
const LOOKED_AT: u64 = 32 * 1024 * 1024;

/// Minimum number of matches for which adjacent matches are combined into one edit. With so many
/// matches, separate edits would need more memory than the text.
const MANY: usize = 64 * 1024;

impl Planner<'_> {
    /// Plans the edits of the selected matches.
    pub(super) fn matches(&self, query: &Query) -> Result<Plan, Refusal> {
        let request = self.request;
        let options = &request.options;
        // A pattern selects a place within a line.
        let inserts_lines =
            request.operation == Operation::Insert && !query.is_regex() && !options.inline;
        let content = match request.operation {
            Operation::Delete => Vec::new(),
            _ if inserts_lines => self.content()?,
            _ => self.exact_content()?,
        };
        let within = self.search_span()?;
        let template = options.expand.then_some(&content[..]);
        let part = self.searched_part(within);
        let matches = matching::find(self.source, query, &part, options.occurrence, template)?;
        self.check_count(query, &matches, &content, within)?;
        let mut plan = Plan::default();
        let left = matches.total - matches.chosen.len() as u64;
        if inserts_lines {
            plan = self.insert_at_matches(query, &matches)?;
        } else {
            plan.edits = self.match_edits(query, &matches, &content);
        }
        plan.others = (left > 0).then_some(left);
        plan.places = Some(matches.chosen.len() as u64);
        if query.relaxes() {
            plan.warnings = self.relaxed_match_notes(query, &matches);
        }
        if let Some(group) =
            matching::unexpanded_reference(query, &content).filter(|_| !options.expand)
        {
            plan.warnings.push(Note::LiteralGroup(group));
        }
        let is_empty = |found: &Match| found.span().is_empty();
        if request.operation == Operation::Delete && matches.chosen.iter().all(is_empty) {
            plan.warnings.push(Note::EmptyMatches);
        }
        if request.operation != Operation::Insert {
            self.warn_of_sections(&mut plan);
        }
        plan.affected = self.lines_of(&plan.edits);
        plan.named = match &matches.chosen[..] {
            [only] => Some(only.span()),
            _ => None,
        };
        Ok(plan)
    }

    fn searched_part(&self, within: Option<Span>) -> SearchedPart {
        let options = &self.request.options;
        let outside_comments = options.outside_comments;
        let mut part = SearchedPart { within, code: options.code, ..Default::default() };
        if part.code.is_none() && !outside_comments {
            return part;
        }
        let (start, text) = (self.source.start(), self.source.text());
        let outline = self.source.outline();
        if part.code.is_some() {
            part.code_lines = outline.code().iter().map(|code| code.lines).collect();
        }
        if outside_comments && outline.format().has(Feature::Tags) {
            let found = comments(text, |line| outline.code_at(line).is_some());
            let span = |range: Range<usize>| {
                Span::new(start + range.start as u64, start + range.end as u64)
            };
            part.comments = found.into_iter().map(span).collect();
        }
        part
    }

    /// Plans the insertion of lines before or after the lines of each match, once for all matches on
    /// the same lines.
    fn insert_at_matches(&self, query: &Query, matches: &Matches) -> Result<Plan, Refusal> {
        let mut places: Vec<LineRange> =
            matches.chosen.iter().map(|found| self.match_lines(query, found)).collect();
        places.dedup();
        let side = self.request.side.unwrap_or(Side::After);
        let mut all = Plan::default();
        for lines in places {
            let part = Part::Lines(vec![lines]);
            let plan = self.insert(&self.target(&part)?, side)?;
            let (mut edits, mut warnings) = (all.edits, all.warnings);
            edits.extend(plan.edits);
            warnings.extend(plan.warnings);
            all = Plan { edits, warnings, ..plan };
        }
        Ok(all)
    }

    /// Returns the lines that contain a match.
    fn match_lines(&self, query: &Query, found: &Match) -> LineRange {
        let text = self.source.bytes(found.span());
        let spans_lines = query.source.contains('\n');
        // A line ending at the end of the match is part of its last line.
        let feeds = if spans_lines { count_newlines(without_end(text)) } else { 0 };
        LineRange::from_to(found.line(), found.line() + feeds)
    }

    /// Returns the edits of all selected matches, in order.
    fn match_edits(&self, query: &Query, matches: &Matches, content: &[u8]) -> Vec<LineEdit> {
        let joins = matches.chosen.len() > MANY && self.source.is_utf8();
        let mut edits: Vec<LineEdit> = Vec::new();
        let (mut line_end, mut until) = (None, 0);
        for (number, found) in matches.chosen.iter().enumerate() {
            let filled = matches.filled.get(number).map(|filled| &filled[..]);
            let mut text = filled.unwrap_or(content).to_vec();
            if text.contains(&b'\n') {
                let (_, end) = match line_end.filter(|(line, _)| *line == found.line()) {
                    Some(known) => known,
                    None => (found.line(), self.source.line_end_after(found.span().start())),
                };
                line_end = Some((found.line(), end));
                text = content::with_line_end(&text, end);
            }
            let edit = self.match_edit(query, found, text);
            let last = edits.last_mut().filter(|_| joins && edit.line <= until + 1);
            match last.filter(|last| is_beside(&last.edit, &edit.edit)) {
                Some(last) => {
                    let span = Span::new(last.edit.span.end(), edit.edit.span.start());
                    last.edit.content.extend(self.source.bytes(span));
                    last.edit.content.extend(&edit.edit.content);
                    last.edit.span = Span::new(last.edit.span.start(), edit.edit.span.end());
                }
                None => {
                    if let Some(last) = edits.last_mut().filter(|_| joins) {
                        last.edit.content.shrink_to_fit();
                    }
                    edits.push(edit);
                }
            }
            until = found.line();
        }
        edits
    }

    /// Returns the edit that replaces a match with `text`.
    fn match_edit(&self, query: &Query, found: &Match, text: Vec<u8>) -> LineEdit {
        let (start, end) = (found.span().start(), found.span().end());
        let span = match (self.request.operation, self.request.side) {
            (Operation::Insert, Some(Side::Before)) => Span::new(start, start),
            (Operation::Insert, _) => Span::new(end, end),
            _ => found.span(),
        };
        let is_behind = span.start() > start && (query.multiline || query.source.contains('\n'));
        let feeds = if is_behind { count_newlines(self.source.bytes(found.span())) } else { 0 };
        LineEdit::new(Edit::new(span, text), found.line() + feeds)
    }

    /// Returns warnings about matches that differ from the query.
    fn relaxed_match_notes(&self, query: &Query, matches: &Matches) -> Vec<Note> {
        const MAX: usize = 5;
        let mut warnings = Vec::new();
        let mut others = 0u64;
        for found in &matches.chosen {
            let text = self.source.bytes(found.span());
            if text == query.source.as_bytes() {
                continue;
            }
            if warnings.len() == MAX {
                others += 1;
                continue;
            }
            warnings.push(Note::Differs { line: found.line(), text: text.to_vec() });
        }
        if others > 0 {
            warnings.push(Note::MoreDiffer(others));
        }
        warnings
    }

    fn lines_of(&self, edits: &[LineEdit]) -> Option<LineRange> {
        let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return None };
        let span = last.edit.span;
        // If the line ending is deleted, the next line is joined to this one.
        let is_joined = !last.edit.content.ends_with(b"\n");
        let end = if span.is_empty() || is_joined { span.end() } else { span.end() - 1 };
        Some(LineRange::from_to(first.line, self.source.line_of(end)))
    }

    fn check_count(
        &self,
        query: &Query,
        matches: &Matches,
        content: &[u8],
        within: Option<Span>,
    ) -> Result<(), Refusal> {
        let (options, which) = (&self.request.options, self.request.options.occurrence);
        let total = matches.total;
        if total == 0 {
            return Err(self.match_miss(query, content, within)?);
        }
        if let Some(expected) = options.expect.filter(|&expected| expected != total) {
            return Err(Refusal::OtherCount { total, expected });
        }
        if which == Occurrence::Only && total > 1 {
            return Err(Refusal::SeveralMatches { total, first: matches.first.clone() });
        }
        if matches.chosen.is_empty() {
            return Err(Refusal::FewerMatches { total });
        }
        Ok(())
    }

    /// Returns the refusal for a text that was not found. The text may differ, or the replacement
    /// may already be in its place.
    fn match_miss(
        &self,
        query: &Query,
        content: &[u8],
        within: Option<Span>,
    ) -> Result<Refusal, Refusal> {
        let near = if query.is_regex() { None } else { self.nearest_match(query, within, &[]) };
        let mut content_line = None;
        // If content is only inserted, the text remains.
        if self.request.operation == Operation::Replace && !query.is_regex() {
            let places = self.content_places(query, content, within)?;
            content_line = places.first().map(|place| place.line());
            let expects = self.request.options.expect.is_some();
            if let (Some(near), false) = (&near, expects)
                && self.is_applied(query, near, (&places, content), within)?
            {
                return Ok(Refusal::AlreadyApplied { line: near.line });
            }
        }
        Ok(Refusal::NoMatch { near: near.map(Box::new), content_line })
    }

    /// Returns the positions at which the content already appears.
    fn content_places(
        &self,
        query: &Query,
        content: &[u8],
        within: Option<Span>,
    ) -> Result<Vec<Match>, Refusal> {
        let Ok(source) = std::str::from_utf8(content) else { return Ok(Vec::new()) };
        // If the content is a single letter or part of a word, its occurrence does not prove
        // anything.
        let edges = [source.chars().next(), source.chars().next_back()];
        let word = edges.iter().flatten().all(|edge| edge.is_alphanumeric());
        let patterns = PatternOptions { word, line: query.patterns.line, ..Default::default() };
        let content_line = Query::new(source, QueryKind::Text, patterns);
        let part = self.searched_part(within);
        let found = matching::find(self.source, &content_line, &part, Occurrence::All, None)?;
        Ok(found.chosen)
    }

    /// Whether the edit seems to have been applied. If so, the content is the closest match to the
    /// text, and no other position is equally close. If all matches are selected, other positions
    /// with the content are ignored.
    fn is_applied(
        &self,
        query: &Query,
        near: &FuzzyMatch,
        (places, content): (&[Match], &[u8]),
        within: Option<Span>,
    ) -> Result<bool, Refusal> {
        let more_lines = count_newlines(without_end(content));
        let is_near =
            |place: &&Match| (place.line()..=place.line() + more_lines).contains(&near.line);
        let Some(nearby) = places.iter().find(is_near) else { return Ok(false) };
        let end = self.source.end();
        if within.map_or(end, Span::end) > LOOKED_AT {
            // A later position may be closer.
            return Ok(false);
        }
        let every: Vec<Span> = match self.request.options.occurrence {
            Occurrence::All => places.iter().map(|place| place.span()).collect(),
            _ => vec![nearby.span()],
        };
        let other = self.nearest_match(query, within, &every);
        Ok(other.is_none_or(|other| other.distance > near.distance))
    }

    /// Returns the closest match to a text. Ignores the spans in `hidden`.
    fn nearest_match(
        &self,
        query: &Query,
        within: Option<Span>,
        hidden: &[Span],
    ) -> Option<FuzzyMatch> {
        let part = within.unwrap_or(self.source.span());
        let end = part.end().min(LOOKED_AT).max(part.start());
        let mut text = Cow::Borrowed(self.source.bytes(Span::new(part.start(), end)));
        for span in hidden {
            let clamp =
                |offset: u64| (offset.saturating_sub(part.start()) as usize).min(text.len());
            let range = clamp(span.start())..clamp(span.end());
            let bytes = text.to_mut()[range].iter_mut();
            bytes.filter(|byte| **byte != b'\n').for_each(|byte| *byte = 0);
        }
        // Only a complete search can show that no other position is equally close.
        let is_thorough = !hidden.is_empty();
        closest(&query.source, &text, self.source.line_of(part.start()), is_thorough)
    }
}

/// Whether two edits are so close that they can be combined.
fn is_beside(first: &Edit, second: &Edit) -> bool {
    const APART: u64 = 4096;
    const LONG: usize = 64 * 1024;
    second.span.start() - first.span.end() <= APART && first.content.len() < LONG
}
