//! Limits the total output for several parts.

use std::ffi::OsString;
use std::path::Path;

use super::reading::Settings;
use super::several::Answer;
use super::{Options, Piece, Request, Selection, rest};
use crate::commands::misses::{self, Flag};
use crate::commands::output::{Note, TOKEN, counted};
use crate::error::{Error, Hint};
use crate::files::address;

/// Maximum number of addresses in a hint.
const MAX_NAMED: usize = 20;

/// The operand that expresses a request completely, if there is one.
fn typed(request: &Result<Request, Error>) -> Option<OsString> {
    let request = request.as_ref().ok()?;
    matches!(request.selection, Selection::Address).then(|| rest::operand(&request.address))
}

/// The remaining size of the output.
pub(super) struct Budget {
    tokens: u64,
    bytes: u64,
    is_begun: bool,
}

impl Budget {
    pub(super) fn new(tokens: u64) -> Self {
        Self { tokens, bytes: tokens.saturating_mul(TOKEN), is_begun: false }
    }

    /// The settings for the next part, with the limits reduced to what is left.
    pub(super) fn limits(&self, settings: Settings) -> Settings {
        Settings { max_bytes: Some(self.bytes), is_strict: true, ..settings }
    }

    /// Whether anything is left.
    pub(super) fn is_left(&self) -> bool {
        self.bytes > 0
    }

    /// Accounts for an answer; `None` if it does not fit after the previous ones.
    pub(super) fn take(&mut self, answer: Answer, max_lines: Option<u64>) -> Option<Answer> {
        let Ok(Some(part)) = &answer else { return Some(answer) };
        if part.piece.is_long {
            let error = self.too_long(&part.path, &part.piece);
            return (!self.is_begun).then_some(Err(error));
        }
        self.is_begun = true;
        let is_full =
            part.piece.truncated && max_lines.is_none_or(|lines| part.piece.returned_lines < lines);
        let left = self.bytes.saturating_sub(part.content.len() as u64);
        self.bytes = if is_full { 0 } else { left };
        Some(answer)
    }

    /// The error for a line that exceeds the whole limit.
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

    /// Whether an answer that was read under a larger limit is unaffected by the current one.
    pub(super) fn lets(&self, answer: &Answer) -> bool {
        let Ok(Some(part)) = answer else { return true };
        part.piece.returned_bytes <= self.bytes
    }

    /// A note about the requests for which nothing is left.
    pub(super) fn left_out(&self, left: &LeftOut<'_>, options: &Options, is_json: bool) -> Note {
        let (requests, index) = (&left.requests[left.index..], left.index);
        let count = counted(requests.len() as u64, "part");
        let verb = if requests.len() == 1 { "is" } else { "are" };
        // Only JSON records carry indexes.
        let number = left.number.filter(|_| is_json);
        let from = number.map_or_else(String::new, |number| format!(", from index {number} on"));
        let tokens = self.tokens;
        let message = format!("--max-tokens {tokens} is used up: {count} {verb} left out{from}");
        let note = Note::new(message);
        let Some(first) = requests.iter().find_map(|request| request.as_ref().ok()) else {
            return note;
        };
        let typed: Option<Vec<OsString>> = requests.iter().map(typed).collect();
        let (hint, why) = match typed.filter(|typed| typed.len() <= MAX_NAMED) {
            _ if left.are_operands => {
                (Hint::command("read", &options.addresses[index..]), "for more")
            }
            Some(typed) => (Hint::command("read", typed), "for more"),
            None => (Hint::command("read", [rest::operand(&first.address)]), "the first of them"),
        };
        let mut hint = hint.and(rest::selected(first, None, None));
        let resolve = options.resolve.resolve.then(|| vec!["--resolve".into()]);
        let limit = vec!["--max-tokens".into(), tokens.to_string().into()];
        let flags: Vec<Flag> = left.flags.iter().cloned().chain(resolve).chain([limit]).collect();
        misses::add_flags_to(&mut hint, "read", &flags);
        note.hint(hint.why(why))
    }
}

/// The requests for which nothing is left.
pub(super) struct LeftOut<'a> {
    /// All requests.
    pub(super) requests: &'a [Result<Request, Error>],
    /// The index of the first request that is left out.
    pub(super) index: usize,
    /// The number of the operand or line that made that request, if it is shown.
    pub(super) number: Option<usize>,
    /// Whether the requests correspond one to one to the operands.
    pub(super) are_operands: bool,
    /// The options with which to read them.
    pub(super) flags: Vec<Flag>,
}
