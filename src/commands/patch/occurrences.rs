//! Plans edits of texts and patterns: selects matches, and explains why a text was not found.

use std::borrow::Cow;
use std::ops::Range;

use super::hints;
use super::matching::{self, Match, Matches};
use super::place::Planner;
use super::plan::{LineEdit, Plan};
use super::{Occurrence, Operation, Query, Side};
use crate::commands::hint_flags::HintFlags;
use crate::commands::matching::CodeFilter;
use crate::commands::output::{MAX_EXCERPT, excerpt, times};
use folio_files::address::{Part, display};
use folio_files::error::{Candidate, Code, Error, Hint};
use folio_markdown::comments::comments;
use folio_outline::format::Feature;
use folio_outline::naming::section_path;
use folio_outline::part::QueryKind;
use folio_text::content;
use folio_text::edit::Edit;
use folio_text::fold::Folding;
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
    pub(super) fn matches(&self, query: &Query) -> Result<Plan, Error> {
        let request = self.request;
        let options = &request.options;
        let content = match request.operation {
            Operation::Delete => Vec::new(),
            _ => self.exact_content()?,
        };
        let within = self.within()?;
        let template = options.expand.then_some(&content[..]);
        let part = self.searched_part(within);
        let matches = matching::find(self.source, query, &part, options.which()?, template)?;
        self.check_count(query, &matches, &content, within)?;
        let mut plan = Plan::default();
        let left = matches.total - matches.chosen.len() as u64;
        plan.others = (left > 0).then_some(left);
        plan.edits = self.match_edits(query, &matches, &content);
        plan.places = Some(matches.chosen.len() as u64);
        if query.relaxes() {
            plan.warnings = self.relaxed(query, &matches);
        }
        if let Some(group) = matching::unexpanded(query, &content).filter(|_| !options.expand) {
            let message =
                format!("'{group}' in the content is literal; --expand inserts the group");
            plan.warnings.push(message);
        }
        let is_empty = |found: &Match| found.span().is_empty();
        if request.operation == Operation::Delete && matches.chosen.iter().all(is_empty) {
            let message = "the matches are empty, so nothing is deleted: line ends belong to \
                           matches only with --multiline, as in '^\\n'";
            plan.warnings.push(message.to_owned());
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

    /// Returns the part to search.
    fn searched_part(&self, within: Option<Span>) -> matching::SearchedPart {
        let options = &self.request.options;
        let outside_comments = options.outside_comments;
        let mut part =
            matching::SearchedPart { within, code: options.code(), ..Default::default() };
        if part.code.is_none() && !outside_comments {
            return part;
        }
        let (start, text) = (self.source.start(), self.source.text());
        let outline = self.source.outline();
        if part.code.is_some() {
            part.code_lines = outline.code().iter().map(|code| code.lines).collect();
        }
        if outside_comments && outline.format().has(Feature::Code) {
            let found = comments(text, |line| outline.code_at(line).is_some());
            let span = |range: Range<usize>| {
                Span::new(start + range.start as u64, start + range.end as u64)
            };
            part.comments = found.into_iter().map(span).collect();
        }
        part
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
                text = content::exact(&text, end);
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
        let feeds = match is_behind {
            true => count_newlines(self.source.bytes(found.span())),
            false => 0,
        };
        LineEdit::new(Edit::new(span, text), found.line() + feeds)
    }

    /// Returns warnings about matches that differ from the query.
    fn relaxed(&self, query: &Query, matches: &Matches) -> Vec<String> {
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
            let shown = visible(text);
            warnings.push(format!("line {} differs from the given text: '{shown}'", found.line()));
        }
        if others > 0 {
            warnings.push(format!("{others} more matches differ from the given text"));
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
    ) -> Result<(), Error> {
        let (options, which) = (&self.request.options, self.request.options.which()?);
        let path = self.source.path().to_owned();
        if matches.total == 0 {
            return Err(self.match_miss(query, content, within)?);
        }
        if let Some(expected) = options.expect.filter(|&expected| expected != matches.total) {
            let message = format!(
                "'{}' occurs {}, not {}",
                query.source,
                times(matches.total),
                times(expected)
            );
            let fixed = (!query.is_regex()).then_some("-F");
            let grep = Hint::command("grep", ["-n"].into_iter().chain(fixed));
            let grep = grep.and(["-e", &query.source]).and([&path]).why("list them");
            return Err(Error::new(Code::CountMismatch, message).at(&path).hint(grep));
        }
        if which == Occurrence::Only && matches.total > 1 {
            return Err(self.ambiguous(query, matches));
        }
        if matches.chosen.is_empty() {
            let message = format!("'{}' occurs only {}", query.source, times(matches.total));
            let error = Error::new(Code::TargetNotFound, message).at(&path);
            return Err(error.hint(Hint::flag(["--occurrence", "last"]).why("the last of them")));
        }
        Ok(())
    }

    /// Returns the error for several matches, of which the request selects none.
    fn ambiguous(&self, query: &Query, matches: &Matches) -> Error {
        let message = format!("'{}' occurs {}", query.source, times(matches.total));
        let mut error = Error::new(Code::TargetAmbiguous, message).at(self.source.path());
        error.candidates = self.candidates(&matches.first);
        if self.request.is_found {
            let all = Hint::flag(["--occurrence", "all"]).why("all of them, in all files");
            return error.hint(all);
        }
        error = error.hint(Hint::flag(["--in", "SECTION"]).why("only matches in one section"));
        for (which, why) in
            [("first", "the first; a number selects another"), ("all", "all of them")]
        {
            let hint = match self.request.edit {
                None => hints::of_occurrence(self.request, which),
                Some(_) => Hint::flag(["--occurrence", which]),
            };
            error = error.hint(hint.why(why));
        }
        error
    }

    fn candidates(&self, spans: &[Span]) -> Vec<Candidate> {
        let outline = self.source.outline();
        let parents = outline.parents();
        spans
            .iter()
            .map(|span| {
                let line = self.source.line_of(span.start());
                let whole = self.source.span_of(LineRange::line(line));
                let at = (span.start() - whole.start()) as usize;
                let text = excerpt(without_end(self.source.bytes(whole)), at, MAX_EXCERPT);
                let text = String::from_utf8_lossy(&text).into_owned();
                let mut path = match outline.innermost(line) {
                    Some(index) => section_path(outline, &parents, index),
                    None => Vec::new(),
                };
                path.push(text.trim().to_owned());
                Candidate { line, text, path }
            })
            .collect()
    }

    /// Returns the error for a text that was not found. The text may differ, or the replacement may
    /// already be in its place.
    fn match_miss(
        &self,
        query: &Query,
        content: &[u8],
        within: Option<Span>,
    ) -> Result<Error, Error> {
        let path = self.source.path().to_owned();
        let near = match query.is_regex() {
            true => None,
            false => self.nearest(query, within, &[]),
        };
        let mut content_line = None;
        // If content is only inserted, the text remains.
        if self.request.operation == Operation::Replace && !query.is_regex() {
            let places = self.content_places(query, content, within)?;
            content_line = places.first().map(|place| place.line());
            let expects = self.request.options.expect.is_some();
            if let (Some(near), false) = (&near, expects)
                && self.is_applied(query, near, (&places, content), within)?
            {
                let message = format!(
                    "text not found, but the content already appears on line {}",
                    near.line
                );
                return Ok(Error::new(Code::AlreadyApplied, message).at(&path));
            }
        }
        let mut error = self.no_match(query).at(&path);
        if query.is_regex() {
            let grep = Hint::command("grep", ["-i", "-e", &query.source]).and([&path]);
            let error = error.hint(grep.why("ignoring case"));
            if query.multiline {
                return Ok(error);
            }
            let why = "a text may span lines; a pattern matches within one line";
            return Ok(error.hint(Hint::flag(["--text", "STRING"]).why(why)));
        }
        let is_near = near.is_some();
        match near {
            Some(near) => error = self.with_near(error, &near),
            None if self.request.address.is_stdin() => {}
            None => error = error.hint(Hint::command("read", [&path]).why("print the file")),
        }
        if let Some(line) = content_line {
            let already = format!("the replacement already appears on line {line}");
            let more = if is_near { format!("; {already}") } else { format!(" ({already})") };
            error.message.push_str(&more);
        }
        Ok(error)
    }

    /// Returns the error for a query without matches, although matches were expected.
    fn no_match(&self, query: &Query) -> Error {
        let mut place = match &self.request.scope {
            Some(scope) => format!(" in section '{scope}'"),
            None => match &self.request.address.part {
                Part::Lines(_) => " in these lines".to_owned(),
                Part::Anchor(id) => format!(" in #{id}"),
                _ => String::new(),
            },
        };
        match self.request.options.code() {
            Some(CodeFilter::Outside) => place.push_str(" outside of code"),
            Some(CodeFilter::Only) => place.push_str(" in code"),
            None => {}
        }
        if self.request.options.outside_comments {
            place.push_str(" outside of comments");
        }
        let shown: String = query.source.lines().next().unwrap_or_default().to_owned();
        let more = if query.source.lines().count() > 1 { " …" } else { "" };
        if let Some(expected) = self.request.options.expect {
            let message =
                format!("'{shown}{more}' is not there{place}, and not {}", times(expected));
            return Error::new(Code::CountMismatch, message);
        }
        let kind = if query.is_regex() { "no match for" } else { "text not found:" };
        Error::new(Code::TargetNotFound, format!("{kind} '{shown}{more}'{place}"))
    }

    /// Returns the positions at which the content already appears.
    fn content_places(
        &self,
        query: &Query,
        content: &[u8],
        within: Option<Span>,
    ) -> Result<Vec<Match>, Error> {
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
    ) -> Result<bool, Error> {
        let more_lines = count_newlines(without_end(content));
        let is_near =
            |place: &&Match| (place.line()..=place.line() + more_lines).contains(&near.line);
        let Some(own) = places.iter().find(is_near) else { return Ok(false) };
        let end = self.source.end();
        if within.map_or(end, Span::end) > LOOKED_AT {
            // A later position may be closer.
            return Ok(false);
        }
        let every: Vec<Span> = match self.request.options.occurrence.as_deref() {
            Some("all") => places.iter().map(|place| place.span()).collect(),
            _ => vec![own.span()],
        };
        let other = self.nearest(query, within, &every);
        Ok(other.is_none_or(|other| other.distance > near.distance))
    }

    /// Returns the closest match to a text. Ignores the spans in `hidden`.
    fn nearest(&self, query: &Query, within: Option<Span>, hidden: &[Span]) -> Option<FuzzyMatch> {
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

    fn with_near(&self, mut error: Error, near: &FuzzyMatch) -> Error {
        let difference = &near.difference;
        let kind = difference.kind.describe();
        let quoted = |bytes: &[u8]| format!("'{}'", visible(bytes));
        let place = match difference.line == near.line {
            true => format!("column {}", difference.column),
            false => format!("line {}, column {}", difference.line, difference.column),
        };
        error.message.push_str(&format!(
            " (closest match: line {}, with {kind} at {place}: {} instead of {})",
            near.line,
            quoted(&difference.found),
            quoted(&difference.wanted),
        ));
        let line = LineRange::line(near.line);
        let place = self.source.span_of(line);
        error.candidates = self.candidates(&[place]);
        let flags = near.relaxed.map(relaxing_flags).unwrap_or_default();
        if !flags.is_empty() {
            let retry = hints::with_flags(self.request, &flags);
            error = error.hint(retry.why("ignore this difference"));
        }
        let address = display(self.source.path(), Some(line));
        let read = Hint::command("read", ["--show-whitespace".into(), address]);
        error.hint(read.why("show the whitespace of these lines"))
    }
}

/// Whether two edits are so close that they can be combined.
fn is_beside(first: &Edit, second: &Edit) -> bool {
    const APART: u64 = 4096;
    const LONG: usize = 64 * 1024;
    second.span.start() - first.span.end() <= APART && first.content.len() < LONG
}

/// Makes tabs, line endings and similar characters visible.
fn visible(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let shown = text.chars().map(|character| match character {
        '"' | '\'' | '\\' => character.to_string(),
        character => character.escape_debug().to_string(),
    });
    shown.collect()
}

fn relaxing_flags(folding: Folding) -> HintFlags {
    HintFlags::default().switches(&[
        (folding.whitespace, "--ignore-whitespace"),
        (folding.unicode, "--normalize-unicode"),
        (folding.case, "--ignore-case"),
    ])
}
