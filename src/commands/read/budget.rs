//! Limits the total output for several parts.

use std::ffi::OsString;
use std::path::Path;

use super::reading::Settings;
use super::{Piece, ReadOptions, Request, Selection, rest};
use crate::commands::answer_budget::Limit;
use crate::commands::output::{Note, Style, counted};
use folio_files::address;
use folio_files::error::{Change, Error, Hint};
use folio_files::options::ADDRESSES;

/// Maximum number of addresses in a hint.
const MAX_NAMED: usize = 20;

/// The remaining size of the output.
pub(super) struct Budget {
    limit: Limit,
    bytes: u64,
    /// The number of bytes around the content of each part after the first one.
    around: u64,
    pub(super) is_begun: bool,
    /// The address of the rest of the last part, if it was truncated and the output does not show
    /// how to read the rest.
    rest: Option<OsString>,
    names_rest: bool,
}

impl Budget {
    /// Creates the budget for `--max-tokens`, or, in an answer of a tool, for `--max-bytes`.
    pub(super) fn new(options: &ReadOptions, style: Style) -> Option<Self> {
        let (limit, around) = match (options.max_tokens, options.max_bytes) {
            (Some(tokens), _) => (Limit::tokens(tokens), 0),
            (None, Some(bytes)) if style.tools => {
                (Limit::bytes(bytes), if style.json { 512 } else { 128 })
            }
            _ => return None,
        };
        Some(Self {
            limit,
            bytes: limit.in_bytes(),
            around,
            is_begun: false,
            rest: None,
            names_rest: style.tools && !style.json,
        })
    }

    /// Returns the settings for the next part, with the limits reduced to the remaining size.
    pub(super) fn limits(&self, settings: Settings) -> Settings {
        let around = if self.is_begun { self.around } else { 0 };
        let bytes = self.bytes.saturating_sub(around);
        Settings { max_bytes: Some(bytes), is_strict: true, ..settings }
    }

    /// Whether a note must show how to read the rest of the last part.
    pub(super) fn has_rest(&self) -> bool {
        self.rest.is_some()
    }

    /// Whether anything more fits in the output.
    pub(super) fn is_left(&self) -> bool {
        self.bytes > 0
    }

    /// Subtracts a part from the remaining size. The part has the given number of bytes.
    pub(super) fn take(&mut self, piece: &Piece, bytes: u64, max_lines: Option<u64>) {
        let around = if self.is_begun { self.around } else { 0 };
        self.is_begun = true;
        let is_full = piece.truncated && max_lines.is_none_or(|lines| piece.returned_lines < lines);
        self.bytes = if is_full { 0 } else { self.bytes.saturating_sub(bytes + around) };
        self.rest = piece.next.clone().filter(|_| is_full && self.names_rest);
    }

    /// Ends the output with the error for a line that exceeds the limit of the whole output.
    pub(super) fn too_long(&mut self, path: &Path, piece: &Piece) -> Error {
        let line = piece.next_line.unwrap_or(1);
        let what = match piece.ranges.first() {
            Some(range) if range.count() > 1 => format!("lines {line}-{} are", range.end()),
            _ => format!("line {line} is"),
        };
        let message = format!("{what} longer than {}", self.limit);
        let range = format!("{line}@0-{}", std::mem::take(&mut self.bytes));
        let hint = Hint::again([Change::Only(address::spelt(path, &range))]);
        let mut error = Error::usage(message).at(path).hint(hint.why("its first bytes"));
        error.hints.extend(piece.rest.clone().map(|rest| rest.why("those after it")));
        error
    }

    /// Returns a note about the requests that did not fit in the output.
    pub(super) fn left_out(&self, left: &LeftOut<'_>) -> Note {
        let requests = &left.requests;
        let count = counted(requests.len() as u64, "part");
        let verb = if requests.len() == 1 { "is" } else { "are" };
        let number = left.number.map(|number| format!(", from index {number} on"));
        let number = number.unwrap_or_default();
        let mut message = format!("{} is used up", self.limit);
        if !requests.is_empty() {
            message += &format!(": {count} {verb} left out{number}");
        }
        let mut note = Note::new(message);
        let known: Option<Vec<&Request>> = requests.iter().copied().collect();
        let known = known.filter(|known| known.len() <= MAX_NAMED);
        let rest = self.rest.clone();
        // The rest of the last part is read by its lines, so it needs no other selection.
        let is_by_address = |request: &&Request| matches!(request.selection, Selection::Address);
        let by_address = known.as_ref().is_none_or(|known| known.iter().all(is_by_address));
        if let Some(rest) = &rest
            && (requests.is_empty() || !by_address)
        {
            note = note.hint(Hint::again([Change::Only(rest.clone())]).why("for more"));
        }
        if requests.is_empty() {
            return note;
        }
        let rest = rest.filter(|_| by_address);
        let more = match &known {
            _ if !left.operands.is_empty() => {
                let all = rest.into_iter().chain(left.operands.to_vec());
                Some(Hint::again([Change::Set(ADDRESSES, all.collect())]))
            }
            Some(known) => match rest {
                Some(rest) => {
                    let operand = |request: &&Request| rest::operand(&request.address);
                    let add = |request| Change::Add(ADDRESSES, operand(request));
                    Some(Hint::again([Change::Only(rest)]).but(known.iter().map(add)))
                }
                None => rest::call_to_read_all(known),
            },
            None => None,
        };
        let first = requests.iter().find_map(|request| *request);
        let first = || first.map(|first| rest::call_to_read(first).why("the first of them"));
        note.hints.extend(more.map(|more| more.why("for more")).or_else(first));
        note
    }
}

/// The requests that did not fit in the output.
pub(super) struct LeftOut<'a> {
    /// The requests. `None` for an invalid request.
    pub(super) requests: Vec<Option<&'a Request>>,
    /// The number of the operand or line with the first of these requests, if numbers are shown.
    pub(super) number: Option<usize>,
    /// The operands of the requests, if each request has one.
    pub(super) operands: &'a [OsString],
}
