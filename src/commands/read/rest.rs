//! Determines how to read the rest of a truncated part: the address of exactly the rest, if there
//! is one, and a command.

use std::ffi::OsString;
use std::path::Path;

use serde_json::Value;

use super::content::LocatedRequest;
use super::reading::LineRequest;
use super::{End, PartLines, Piece, Request, Selection};
use crate::commands::target::spell;
use folio_files::address::{self, Address};
use folio_files::error::Hint;
use folio_outline::part::Part;
use folio_text::span::LineRange;

/// Adds the requested lines, and the way to read the rest, to a part. `is_plain` is whether its
/// content consists of lines of the file.
pub(super) fn with_rest(
    mut piece: Piece,
    request: &Request,
    found: &LocatedRequest,
    is_plain: bool,
    path: &Path,
) -> Piece {
    let requested = match found {
        LocatedRequest::Lines(wanted) => RequestedLines::of(wanted, &piece),
        LocatedRequest::Value { lines, .. } => {
            RequestedLines { ranges: vec![*lines], is_known: true }
        }
        LocatedRequest::Content(content) => {
            RequestedLines { ranges: content.lines().into_iter().collect(), is_known: true }
        }
        LocatedRequest::Bytes { .. } => return piece,
    };
    piece.part = requested.part(&piece);
    if let LocatedRequest::Lines(LineRequest { section, .. }) = found {
        piece.section.clone_from(section);
    }
    let Some(next) = piece.next_line else { return piece };
    let left = match found {
        // If the user gave the limit, the rest is the rest of the part.
        LocatedRequest::Lines(wanted) if !piece.truncated => lines_after(&wanted.ranges, next),
        _ => lines_after(&requested.ranges, next),
    };
    let is_known = requested.is_known && is_plain && !left.is_empty();
    piece.next = is_known.then(|| address::spelt(path, &spell::ranges(&left)));
    let command = match (&piece.next, &request.selection, found) {
        (_, _, LocatedRequest::Content(_)) => {
            let mut request = request.clone();
            if let Selection::Part { from, .. } = &mut request.selection {
                *from = Some(next);
            }
            again(&request, path, None, None)
        }
        (Some(next), _, LocatedRequest::Lines(LineRequest { limit: Some(limit @ 1..), .. }))
            if !piece.truncated =>
        {
            Hint::command("read", [next]).and(["--limit".to_owned(), limit.to_string()])
        }
        (Some(next), ..) => Hint::command("read", [next]),
        (None, selection, _) => {
            // The command continues to the match that ends the part.
            let hint = Hint::command("read", [address::spelt(path, &next.to_string())]);
            match selection {
                Selection::From { end: end @ End::ToNext { .. }, .. } => {
                    hint.and(flags(end.fields()))
                }
                _ => hint,
            }
        }
    };
    piece.rest = Some(command.why("for more"));
    piece
}

/// The lines that the user requested.
struct RequestedLines {
    ranges: Vec<LineRange>,
    /// Whether the last line is known to be the end of the part.
    is_known: bool,
}

impl RequestedLines {
    fn of(wanted: &LineRequest, piece: &Piece) -> Self {
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

    fn part(&self, piece: &Piece) -> Option<PartLines> {
        let (first, last) = self.ranges.first().zip(self.ranges.last())?;
        piece.ranges.first()?;
        let end = last.end().min(piece.file.total_lines.unwrap_or(u64::MAX));
        let end = (self.is_known && end != u64::MAX).then_some(end);
        Some(PartLines { start: first.start(), end })
    }
}

/// Returns the lines of some ranges, beginning with a given line.
fn lines_after(ranges: &[LineRange], next: u64) -> Vec<LineRange> {
    let left = ranges.iter().filter(|range| range.end() >= next);
    left.map(|range| LineRange::from_to(range.start().max(next), range.end())).collect()
}

/// Converts options to arguments.
fn flags(fields: Vec<(&'static str, Value)>) -> impl Iterator<Item = OsString> {
    let words = fields.into_iter().flat_map(|(name, value)| {
        let value = match value {
            Value::Bool(_) => None,
            Value::String(text) => Some(text),
            number => Some(number.to_string()),
        };
        [Some(format!("--{name}")), value]
    });
    words.flatten().map(OsString::from)
}

/// Converts an address to an operand.
pub(super) fn operand(address: &Address) -> OsString {
    let lines = match &address.part {
        Part::Lines(ranges) => spell::ranges(ranges),
        Part::Anchor(id) => {
            let mut operand = address::spelt(&address.path, "");
            operand.push(format!("#{id}"));
            return operand;
        }
        _ => String::new(),
    };
    let bytes = address.bytes.map(|span| match span.end() {
        u64::MAX => format!("@{}-", span.start()),
        end => format!("@{}-{end}", span.start()),
    });
    address::spelt(&address.path, &format!("{lines}{}", bytes.unwrap_or_default()))
}

/// Returns the command that repeats a request for a file, or for another target in the file.
pub(super) fn again(
    request: &Request,
    path: &Path,
    target: Option<&Part>,
    scope: Option<&str>,
) -> Hint {
    Hint::command("read", [path]).and(selected(request, target, scope))
}

/// Returns the options that select the part of a request.
pub(super) fn selected(
    request: &Request,
    target: Option<&Part>,
    scope: Option<&str>,
) -> Vec<OsString> {
    let scope = scope.or(request.scope.as_deref());
    let own = match &request.selection {
        Selection::Part { target, .. } => Some(target),
        _ => None,
    };
    let fields = request.selection.fields(None);
    spell::flags(target.or(own), scope).into_iter().chain(flags(fields)).collect()
}
