//! Describes how to read the rest of a truncated part: by an address, if there is one for
//! exactly the rest, and by a command.

use std::ffi::OsString;
use std::path::Path;

use super::content::Found;
use super::reading::Wanted;
use super::{AskedPart, End, Piece, Request, Selection};
use crate::commands::target::{Target, spell};
use crate::error::Hint;
use crate::files::address::{self, Address, Part};
use crate::text::span::LineRange;

/// Adds to a part the requested lines and how to read the rest; `is_plain` says that its
/// content consists of lines of the file.
pub(super) fn with_rest(
    mut piece: Piece,
    request: &Request,
    found: &Found<'_>,
    is_plain: bool,
    path: &Path,
) -> Piece {
    let asked = match found {
        Found::Lines(wanted) => Asked::of(wanted, &piece),
        Found::Value { lines, .. } => Asked { ranges: vec![*lines], is_known: true },
        Found::Content(content) => {
            Asked { ranges: content.lines().into_iter().collect(), is_known: true }
        }
        Found::Bytes { .. } => return piece,
    };
    piece.part = asked.part(&piece);
    if let Found::Lines(Wanted { section, .. }) = found {
        piece.section.clone_from(section);
    }
    let Some(next) = piece.next_line else { return piece };
    let left = match found {
        // After a limit that the user requested, the rest is that of the part.
        Found::Lines(wanted) if !piece.truncated => behind(&wanted.ranges, next),
        _ => behind(&asked.ranges, next),
    };
    let is_known = asked.is_known && is_plain && !left.is_empty();
    piece.next = is_known.then(|| address::spelt(path, &spell::ranges(&left)));
    let command = match (&piece.next, &request.selection, found) {
        (_, _, Found::Content(_)) => {
            let mut request = request.clone();
            if let Selection::Target { from, .. } = &mut request.selection {
                *from = Some(next);
            }
            again(&request, path, None, None)
        }
        (Some(next), _, Found::Lines(Wanted { limit: Some(limit), .. })) if !piece.truncated => {
            Hint::command("read", [next]).and(["--limit".to_owned(), limit.to_string()])
        }
        (Some(next), ..) => Hint::command("read", [next]),
        (None, selection, _) => to_next(selection, path, next),
    };
    piece.rest = Some(command.why("for more"));
    piece
}

/// The requested lines.
struct Asked {
    ranges: Vec<LineRange>,
    /// Whether the last of these lines is really the end.
    is_known: bool,
}

impl Asked {
    fn of(wanted: &Wanted<'_>, piece: &Piece) -> Self {
        let mut ranges = wanted.ranges.clone();
        if let Some(last) = ranges.last_mut() {
            let limit = wanted.limit.map(|limit| last.start().saturating_add(limit) - 1);
            let boundary = piece.boundary.as_ref().map(|boundary| boundary.line - 1);
            let end = last.end().min(limit.unwrap_or(u64::MAX)).min(boundary.unwrap_or(u64::MAX));
            *last = LineRange::from_to(last.start(), end);
        }
        let is_open = wanted.until.is_some() && piece.boundary.is_none() && !piece.no_boundary;
        Self { ranges, is_known: !is_open }
    }

    fn part(&self, piece: &Piece) -> Option<AskedPart> {
        let (first, last) = self.ranges.first().zip(self.ranges.last())?;
        piece.ranges.first()?;
        let end = last.end().min(piece.file.total_lines.unwrap_or(u64::MAX));
        let end = (self.is_known && end != u64::MAX).then_some(end);
        Some(AskedPart { start: first.start(), end })
    }
}

/// The part of some lines from a line on.
fn behind(ranges: &[LineRange], next: u64) -> Vec<LineRange> {
    let left = ranges.iter().filter(|range| range.end() >= next);
    left.map(|range| LineRange::from_to(range.start().max(next), range.end())).collect()
}

/// The command that continues up to the match that was looked for.
fn to_next(selection: &Selection, path: &Path, next: u64) -> Hint {
    let hint = Hint::command("read", [address::spelt(path, &next.to_string())]);
    match selection {
        Selection::From { end: end @ End::ToNext { .. }, .. } => hint.and(end_flags(end)),
        _ => hint,
    }
}

/// The options for the end of a part.
fn end_flags(end: &End) -> Vec<String> {
    match end {
        End::ToNext { pattern, outside_code, outside_comments } => {
            let flags = [
                (pattern.ignores_case(), "--ignore-case"),
                (*outside_code, "--outside-code"),
                (*outside_comments, "--outside-comments"),
            ];
            let flags = flags.into_iter().filter(|(given, _)| *given).map(|(_, flag)| flag);
            ["--to-next", pattern.expression()]
                .into_iter()
                .chain(flags)
                .map(str::to_owned)
                .collect()
        }
        End::OfSection => vec!["--to-section-end".to_owned()],
        End::Limit(count) => vec!["--limit".to_owned(), count.to_string()],
        End::OfFile => Vec::new(),
    }
}

/// An address as it is typed.
pub(super) fn operand(address: &Address) -> OsString {
    let lines = match &address.part {
        Part::Lines(ranges) => spell::ranges(ranges),
        Part::Anchor(id) => {
            let mut operand = address::spelt(&address.path, "");
            operand.push(format!("#{id}"));
            return operand;
        }
        Part::Whole => String::new(),
    };
    let bytes = address.bytes.map(|span| match span.end() {
        u64::MAX => format!("@{}-", span.start()),
        end => format!("@{}-{end}", span.start()),
    });
    address::spelt(&address.path, &format!("{lines}{}", bytes.unwrap_or_default()))
}

/// The command that repeats a request for a file, or for another target in it.
pub(super) fn again(
    request: &Request,
    path: &Path,
    target: Option<&Target>,
    scope: Option<&str>,
) -> Hint {
    Hint::command("read", [path]).and(selected(request, target, scope))
}

/// The options that select a request's part.
pub(super) fn selected(
    request: &Request,
    target: Option<&Target>,
    scope: Option<&str>,
) -> Vec<OsString> {
    let scope = scope.or(request.scope.as_deref());
    let own = match &request.selection {
        Selection::Target { target, .. } => Some(target),
        _ => None,
    };
    let target = target.or(own);
    let from = |line: &Option<u64>| match line {
        Some(line) => vec!["--from".to_owned(), line.to_string()],
        None => Vec::new(),
    };
    let own = match &request.selection {
        Selection::Address => Vec::new(),
        Selection::From { start, end } => [from(start), end_flags(end)].concat(),
        Selection::Head(count) => vec!["--head".to_owned(), count.to_string()],
        Selection::Tail(count) => vec!["--tail".to_owned(), count.to_string()],
        Selection::SectionAround(line) => {
            [vec!["--section-context".to_owned()], from(line)].concat()
        }
        Selection::Target { from: line, .. } => from(line),
    };
    let target = spell::arguments(target, scope);
    target.into_iter().chain(own.into_iter().map(OsString::from)).collect()
}
