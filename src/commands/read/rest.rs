//! What a part was cut from, and what reads the rest of it: an address where one
//! names just that, and a command.

use std::ffi::OsString;
use std::path::Path;

use super::content::Found;
use super::reading::Wanted;
use super::{AskedPart, End, Piece, Request, Selection};
use crate::commands::target::{Target, spell};
use crate::error::Hint;
use crate::files::address;
use crate::text::span::LineRange;

/// A part that was read, with what it belongs to and what reads on; `is_plain`
/// says that its content is the lines of the file as they stand there.
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
        // What follows a limit that was asked for is the rest of what it limits.
        Found::Lines(wanted) if !piece.truncated => behind(&wanted.ranges, next),
        _ => behind(&asked.ranges, next),
    };
    let is_known = asked.is_known && is_plain && !left.is_empty();
    piece.next = is_known.then(|| address::spelt(path, &spell::ranges(&left)));
    let command = match (&piece.next, &request.selection, found) {
        (_, _, Found::Content(_)) => {
            again(request, path, None, None).and(["--from".to_owned(), next.to_string()])
        }
        (Some(next), _, Found::Lines(Wanted { limit: Some(limit), .. })) if !piece.truncated => {
            Hint::command("read", [next]).and(["--limit".to_owned(), limit.to_string()])
        }
        (Some(next), ..) => Hint::command("read", [next]),
        (None, selection, _) => to_next(selection, path, next),
    };
    piece.rest = Some(command.why("it goes on at"));
    piece
}

/// The lines that were asked for.
struct Asked {
    ranges: Vec<LineRange>,
    /// Whether that is where they end.
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

/// What of some lines stands from a line on.
fn behind(ranges: &[LineRange], next: u64) -> Vec<LineRange> {
    let left = ranges.iter().filter(|range| range.end() >= next);
    left.map(|range| LineRange::from_to(range.start().max(next), range.end())).collect()
}

/// The command that goes on to the match that was looked for.
fn to_next(selection: &Selection, path: &Path, next: u64) -> Hint {
    let hint = Hint::command("read", [address::spelt(path, &next.to_string())]);
    let Selection::From { end: End::ToNext { pattern, outside_code }, .. } = selection else {
        return hint;
    };
    let flags = [(pattern.ignores_case(), "--ignore-case"), (*outside_code, "--outside-code")];
    let flags = flags.into_iter().filter(|(given, _)| *given).map(|(_, flag)| flag);
    hint.and(["--to-next", pattern.expression()]).and(flags)
}

/// The command that reads the same of a file, or another target of it.
pub(super) fn again(
    request: &Request,
    path: &Path,
    target: Option<&Target>,
    scope: Option<&str>,
) -> Hint {
    Hint::command("read", [path]).and(selected(request, target, scope))
}

/// What is asked of a file, as it is typed.
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
    let own = match request.selection {
        Selection::Head(count) => vec!["--head".to_owned(), count.to_string()],
        Selection::Tail(count) => vec!["--tail".to_owned(), count.to_string()],
        _ => Vec::new(),
    };
    own.into_iter().map(OsString::from).chain(spell::arguments(target, scope)).collect()
}
