//! Determines how to read the rest of a truncated part: the address of exactly the rest, if there
//! is one, and a command.

use std::ffi::OsString;
use std::path::Path;

use super::content::LocatedRequest;
use super::reading::LineRequest;
use super::{End, PartLines, Piece, Request, Selection};
use crate::commands::target::spell;
use folio_files::address::{self, Address};
use folio_files::error::{Change, Hint};
use folio_files::options::{ADDRESSES, IN, LIMIT};
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
        LocatedRequest::Lines(line_request) => RequestedLines::of(line_request, &piece),
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
    // The rest begins after a line that was left out because it is too long.
    let is_value = matches!(found, LocatedRequest::Value { .. });
    let is_left_out = piece.is_long && (is_value || piece.returned_bytes == 0);
    let next = next + u64::from(is_left_out);
    let left = match found {
        // If the user gave the limit, the rest is the rest of the part.
        LocatedRequest::Lines(line_request) if !piece.truncated => {
            lines_after(&line_request.ranges, next)
        }
        _ => lines_after(&requested.ranges, next),
    };
    let is_known = requested.is_known && is_plain && !left.is_empty();
    if is_left_out && (left.is_empty() || !requested.is_known) {
        return piece;
    }
    piece.next = is_known.then(|| address::spelt(path, &spell::ranges(&left)));
    let command = match (&piece.next, &request.selection, found) {
        (_, _, LocatedRequest::Content(_)) => {
            let mut request = request.clone();
            if let Selection::Part { from, .. } = &mut request.selection {
                *from = Some(next);
            }
            call_to_read(&request)
        }
        // One line with a limit would be the beginning of more lines.
        (Some(next), _, LocatedRequest::Lines(LineRequest { limit: Some(limit @ 1..), .. }))
            if !piece.truncated && left.iter().any(|range| range.count() > 1) =>
        {
            let limit = Change::set(LIMIT, limit.to_string());
            Hint::again([Change::Only(next.clone()), limit])
        }
        (Some(next), ..) => Hint::again([Change::Only(next.clone())]),
        (None, selection, _) => {
            // The call continues to the match that ends the part.
            let rest = Hint::again([Change::Only(address::spelt(path, &next.to_string()))]);
            match selection {
                Selection::From { end: end @ End::ToNext { .. }, .. } => rest.but(end.changes()),
                _ => rest,
            }
        }
    };
    piece.rest = Some(command.why("for more"));
    piece
}

struct RequestedLines {
    ranges: Vec<LineRange>,
    /// Whether the last line is known to be the end of the part.
    is_known: bool,
}

impl RequestedLines {
    fn of(line_request: &LineRequest, piece: &Piece) -> Self {
        let mut ranges = line_request.ranges.clone();
        if let Some(last) = ranges.last_mut() {
            let limit = line_request.limit.map(|limit| last.start().saturating_add(limit) - 1);
            let boundary = piece.boundary.as_ref().map(|boundary| boundary.line - 1);
            let end = last.end().min(limit.unwrap_or(u64::MAX)).min(boundary.unwrap_or(u64::MAX));
            *last = LineRange::from_to(last.start(), end);
        }
        let is_open =
            line_request.until.is_some() && piece.boundary.is_none() && !piece.no_boundary;
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

/// Returns the call that reads only the part of a request.
pub(super) fn call_to_read(request: &Request) -> Hint {
    let scope = request.scope.as_ref().map(|scope| Change::set(IN, scope));
    let only = Change::Only(operand(&request.address));
    Hint::again([only]).but(request.selection.changes()).but(scope)
}

/// Returns the call that reads only the parts of these requests. Returns `None` if one call cannot
/// read all of them.
pub(super) fn call_to_read_all(requests: &[&Request]) -> Option<Hint> {
    let (first, rest) = requests.split_first()?;
    let mut hint = call_to_read(first);
    for request in rest {
        let changes = match (&first.selection, &request.selection) {
            (Selection::Address, Selection::Address) => {
                vec![Change::add(ADDRESSES, operand(&request.address))]
            }
            (Selection::Part { from: None, .. }, Selection::Part { from: None, .. })
                if first.address == request.address && first.scope == request.scope =>
            {
                request.selection.changes().into_iter().map(added).collect()
            }
            _ => return None,
        };
        hint = hint.but(changes);
    }
    Some(hint)
}

/// Returns a change that adds a value instead of replacing those of the option.
fn added(change: Change) -> Change {
    match change {
        Change::Set(option, mut values) if values.len() == 1 => {
            Change::Add(option, values.remove(0))
        }
        other => other,
    }
}
