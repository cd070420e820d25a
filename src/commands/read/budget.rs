//! What an answer of several parts may come to in all.

use std::path::Path;

use super::reading::Settings;
use super::several::Answer;
use super::{Options, Piece, Request, Selection, rest};
use crate::commands::output::{Note, counted};
use crate::error::{Error, Hint};
use crate::files::address;

/// Bytes of a token, about.
const TOKEN: u64 = 4;

/// What of an answer is left.
pub(super) struct Budget {
    tokens: u64,
    bytes: u64,
    is_begun: bool,
}

impl Budget {
    pub(super) fn new(tokens: u64) -> Self {
        Self { tokens, bytes: tokens.saturating_mul(TOKEN), is_begun: false }
    }

    /// The limits of the next part.
    pub(super) fn limits(&self, settings: Settings) -> Settings {
        let most = settings.max_bytes.unwrap_or(u64::MAX).min(self.bytes);
        Settings { max_bytes: Some(most), is_strict: true, ..settings }
    }

    /// Whether anything is left of it.
    pub(super) fn is_left(&self) -> bool {
        self.bytes > 0
    }

    /// Takes an answer; `None` where it did not fit behind those before.
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

    /// A line that is longer than all of it.
    pub(super) fn too_long(&self, path: &Path, piece: &Piece) -> Error {
        let line = piece.next_line.unwrap_or(1);
        let message = format!("line {line} is longer than --max-tokens {}", self.tokens);
        let range = format!("{line}@0-{}", self.tokens.saturating_mul(TOKEN));
        let hint = Hint::command("read", [address::spelt(path, &range)]);
        Error::usage(message).at(path).hint(hint.why("its first bytes"))
    }

    /// What is said of the requests from `index` on, for which nothing is left.
    pub(super) fn left_out(
        &self,
        left: &[Result<Request, Error>],
        index: usize,
        options: &Options,
    ) -> Note {
        let count = counted(left.len() as u64, "part");
        let verb = if left.len() == 1 { "is" } else { "are" };
        let note = Note::new(format!(
            "--max-tokens {} is used up: {count} {verb} left out, from index {index} on",
            self.tokens
        ));
        let operands = &options.addresses;
        let is_repeatable = options.further.is_empty() && operands.len() == index + left.len();
        let selected = match (&options.selection, left.first()) {
            (Selection::Address, _) => Some(Vec::new()),
            (Selection::Target { .. } | Selection::Head(_), Some(Ok(first))) => {
                Some(rest::selected(first, None, None))
            }
            _ => None,
        };
        match selected.filter(|_| is_repeatable) {
            Some(selected) => {
                let limit = ["--max-tokens".to_owned(), self.tokens.to_string()];
                let hint = Hint::command("read", &operands[index..]).and(selected).and(limit);
                note.hint(hint.why("it goes on at"))
            }
            None => note,
        }
    }
}
