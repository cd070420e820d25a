//! Errors for texts and patterns that are not found, or found several times.

use super::hints;
use super::notes::visible;
use super::refusals::Refused;
use crate::commands::misses;
use crate::commands::output::{MAX_EXCERPT, excerpt, times};
use folio_files::address::display;
use folio_files::error::{Candidate, Change, Code, Error, Hint};
use folio_files::options::{
    IGNORE_CASE, IGNORE_WHITESPACE, IN, NORMALIZE_UNICODE, OCCURRENCE, PATTERN, TEXT,
};
use folio_outline::edit::Refusal;
use folio_outline::naming::section_path;
use folio_outline::part::{CodeFilter, Part, Query};
use folio_text::fold::Folding;
use folio_text::fuzzy::text::FuzzyMatch;
use folio_text::lines::without_end;
use folio_text::span::{LineRange, Span};

impl Refused<'_> {
    /// Returns the error for the matches of a text or pattern.
    pub(super) fn query_error(&self, refusal: &Refusal) -> Error {
        let path = self.source.path();
        let Some(Part::Match(query)) = &self.request.target else {
            return Error::usage("this is not a text");
        };
        match refusal {
            Refusal::AlreadyApplied { line } => {
                let message =
                    format!("text not found, but the content already appears on line {line}");
                Error::new(Code::AlreadyApplied, message).at(path)
            }
            Refusal::OtherCount { total, expected } => {
                let (total, expected) = (times(*total), times(*expected));
                let message = format!("'{}' occurs {total}, not {expected}", query.source);
                let fixed = (!query.is_regex()).then_some("-F");
                let grep = Hint::command("grep", ["-n"].into_iter().chain(fixed));
                let grep = grep.and(["-e", &query.source]).and([path]).why("list them");
                Error::new(Code::CountMismatch, message).at(path).hint(grep)
            }
            Refusal::SeveralMatches { total, first } => self.ambiguous_error(query, *total, first),
            Refusal::FewerMatches { total } => {
                let message = format!("'{}' occurs only {}", query.source, times(*total));
                let error = Error::new(Code::TargetNotFound, message).at(path);
                error.hint(Hint::with_value(OCCURRENCE, "last").why("the last of them"))
            }
            Refusal::NoMatch { near, content_line } => {
                self.no_match_error(query, near.as_deref(), *content_line)
            }
            other => self.error(other),
        }
    }

    /// Returns the error for several matches, of which the request selects none.
    fn ambiguous_error(&self, query: &Query, total: u64, first: &[Span]) -> Error {
        let message = format!("'{}' occurs {}", query.source, times(total));
        let mut error = Error::new(Code::TargetAmbiguous, message).at(self.source.path());
        error.candidates = self.candidates(first);
        if self.request.is_found {
            return error
                .hint(hints::again_with_occurrence("all").why("all of them, in all files"));
        }
        error = error.hint(Hint::with_value(IN, "SECTION").why("only matches in one section"));
        for (which, why) in
            [("first", "the first; a number selects another"), ("all", "all of them")]
        {
            error = error.hint(hints::again_with_occurrence(which).why(why));
        }
        error
    }

    fn candidates(&self, spans: &[Span]) -> Vec<Candidate> {
        let outline = self.source.outline();
        let candidate = |span: &Span| {
            let line = self.source.line_of(span.start());
            let line_span = self.source.span_of(LineRange::line(line));
            let at = (span.start() - line_span.start()) as usize;
            let text = excerpt(without_end(self.source.bytes(line_span)), at, MAX_EXCERPT);
            let text = String::from_utf8_lossy(&text).into_owned();
            let section = outline.innermost(line);
            let mut path = section.map_or_else(Vec::new, |index| section_path(outline, index));
            path.push(text.trim().to_owned());
            Candidate { line, text, path }
        };
        spans.iter().map(candidate).collect()
    }

    fn no_match_error(
        &self,
        query: &Query,
        near: Option<&FuzzyMatch>,
        content_line: Option<u64>,
    ) -> Error {
        let path = self.source.path();
        let error = self.not_found_error(query).at(path);
        let mut error = misses::with_encoding(error, &query.source, self.source.text());
        if query.is_regex() {
            let grep = Hint::command("grep", ["-i", "-e", &query.source]).and([path]);
            let error = error.hint(grep.why("ignoring case"));
            if query.multiline {
                return error;
            }
            let why = "a text may span lines; a pattern matches within one line";
            let text = [Change::set(TEXT, "STRING"), Change::remove(PATTERN)];
            return error.hint(Hint::again(text).why(why));
        }
        match near {
            Some(near) => error = self.with_closest_match(error, near),
            None if self.request.address.is_stdin() => {}
            None => error = error.hint(Hint::command("read", [path]).why("print the file")),
        }
        if let Some(line) = content_line {
            let already = format!("the replacement already appears on line {line}");
            let more =
                if near.is_some() { format!("; {already}") } else { format!(" ({already})") };
            error.message.push(more);
        }
        error
    }

    fn not_found_error(&self, query: &Query) -> Error {
        let options = &self.request.options;
        let mut place = match (&self.request.scope, &self.request.address.part) {
            (Some(scope), _) => format!(" in section '{scope}'"),
            (None, Part::Lines(_)) => " in these lines".to_owned(),
            (None, Part::Anchor(id)) => format!(" in #{id}"),
            (None, _) => String::new(),
        };
        match options.code() {
            Some(CodeFilter::Outside) => place.push_str(" outside of code"),
            Some(CodeFilter::Only) => place.push_str(" in code"),
            None => {}
        }
        if options.outside_comments {
            place.push_str(" outside of comments");
        }
        let shown = query.source.lines().next().unwrap_or_default();
        let ellipsis = if query.source.lines().count() > 1 { " …" } else { "" };
        if let Some(expected) = options.expect {
            let message =
                format!("'{shown}{ellipsis}' is not there{place}, and not {}", times(expected));
            return Error::new(Code::CountMismatch, message);
        }
        let kind = if query.is_regex() { "no match for" } else { "text not found:" };
        Error::new(Code::TargetNotFound, format!("{kind} '{shown}{ellipsis}'{place}"))
    }

    fn with_closest_match(&self, mut error: Error, near: &FuzzyMatch) -> Error {
        let difference = &near.difference;
        let kind = difference.kind.describe();
        let quoted = |bytes: &[u8]| format!("'{}'", visible(bytes));
        let place = if difference.line == near.line {
            format!("column {}", difference.column)
        } else {
            format!("line {}, column {}", difference.line, difference.column)
        };
        error.message.push(format!(
            " (closest match: line {}, with {kind} at {place}: {} instead of {})",
            near.line,
            quoted(&difference.found),
            quoted(&difference.wanted),
        ));
        let line = LineRange::line(near.line);
        error.candidates = self.candidates(&[self.source.span_of(line)]);
        let relaxing = near.relaxed.map(relaxing_options).unwrap_or_default();
        if !relaxing.is_empty() {
            error = error.hint(Hint::again(relaxing).why("ignore this difference"));
        }
        let address = display(self.source.path(), Some(line));
        let read = Hint::command("read", ["--show-whitespace".into(), address]);
        error.hint(read.why("show the whitespace of these lines"))
    }
}

fn relaxing_options(folding: Folding) -> Vec<Change> {
    let options = [
        (folding.whitespace, IGNORE_WHITESPACE),
        (folding.unicode, NORMALIZE_UNICODE),
        (folding.case, IGNORE_CASE),
    ];
    let given = options.into_iter().filter(|(given, _)| *given);
    given.map(|(_, option)| Change::Switch(option)).collect()
}
