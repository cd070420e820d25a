//! Limits the total output for several parts.

use std::ffi::OsString;
use std::path::Path;

use super::reading::Settings;
use super::{Options, Piece, Request, Selection, rest};
use crate::commands::hint_flags::HintFlags;
use crate::commands::output::{Note, TOKEN, counted};
use crate::error::{Error, Hint};
use crate::files::address;

/// Maximum number of addresses in a hint.
const MAX_NAMED: usize = 20;

/// Returns the operand that is equivalent to a request, if there is one.
fn typed(request: &Option<&Request>) -> Option<OsString> {
    let request = request.filter(|request| matches!(request.selection, Selection::Address))?;
    Some(rest::operand(&request.address))
}

/// The remaining size of the output.
pub(super) struct Budget {
    tokens: u64,
    bytes: u64,
    pub(super) is_begun: bool,
}

impl Budget {
    pub(super) fn new(tokens: u64) -> Self {
        Self { tokens, bytes: tokens.saturating_mul(TOKEN), is_begun: false }
    }

    /// Returns the settings for the next part, with the limits reduced to the remaining size.
    pub(super) fn limits(&self, settings: Settings) -> Settings {
        Settings { max_bytes: Some(self.bytes), is_strict: true, ..settings }
    }

    /// Whether anything more fits in the output.
    pub(super) fn is_left(&self) -> bool {
        self.bytes > 0
    }

    /// Subtracts a part from the remaining size. The part has the given number of bytes.
    pub(super) fn take(&mut self, piece: &Piece, bytes: u64, max_lines: Option<u64>) {
        self.is_begun = true;
        let is_full = piece.truncated && max_lines.is_none_or(|lines| piece.returned_lines < lines);
        self.bytes = if is_full { 0 } else { self.bytes.saturating_sub(bytes) };
    }

    /// Returns the error for a line that exceeds the limit of the whole output.
    pub(super) fn too_long(&self, path: &Path, piece: &Piece) -> Error {
        let line = piece.next_line.unwrap_or(1);
        let what = match piece.ranges.first() {
            Some(range) if range.count() > 1 => format!("lines {line}-{} are", range.end()),
            _ => format!("line {line} is"),
        };
        let message = format!("{what} longer than --max-tokens {}", self.tokens);
        let range = format!("{line}@0-{}", self.tokens.saturating_mul(TOKEN));
        let hint = Hint::command("read", [address::spelt(path, &range)]);
        Error::usage(message).at(path).hint(hint.why("its first bytes"))
    }

    /// Returns a note about the requests that did not fit in the output.
    pub(super) fn left_out(&self, left: &LeftOut<'_>, options: &Options) -> Note {
        let requests = &left.requests;
        let count = counted(requests.len() as u64, "part");
        let verb = if requests.len() == 1 { "is" } else { "are" };
        let number = left.number.map(|number| format!(", from index {number} on"));
        let (tokens, number) = (self.tokens, number.unwrap_or_default());
        let message = format!("--max-tokens {tokens} is used up: {count} {verb} left out{number}");
        let note = Note::new(message);
        let Some(first) = requests.iter().find_map(|request| *request) else { return note };
        let typed: Option<Vec<OsString>> = requests.iter().map(typed).collect();
        let (hint, why) = match typed.filter(|typed| typed.len() <= MAX_NAMED) {
            _ if !left.operands.is_empty() => (Hint::command("read", left.operands), "for more"),
            Some(typed) => (Hint::command("read", typed), "for more"),
            None => (Hint::command("read", [rest::operand(&first.address)]), "the first of them"),
        };
        let mut hint = hint.and(rest::selected(first, None, None));
        let flags = left.flags.clone().switches(&[(options.lookup.missing.resolve, "--resolve")]);
        flags.values("--max-tokens", [tokens.to_string()]).complete(&mut hint, "read");
        note.hint(hint.why(why))
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
    /// The options with which the parts can be read later.
    pub(super) flags: HintFlags,
}
