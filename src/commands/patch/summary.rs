//! The summary of several edits, and how to undo edits.

use schemars::JsonSchema;
use serde::Serialize;

use super::report::Stage;
use crate::commands::json;
use crate::commands::output::{Record, Role as Paint, Style, counted};
use crate::error::Hint;

/// The summary of several edits.
pub(super) struct Summary {
    /// Number of files that changed.
    pub(super) files: u64,
    /// Number of edits that changed something.
    pub(super) edits: u64,
    /// Number of edited places, if directories were searched.
    pub(super) matches: Option<u64>,
    /// The number of lines that each edit changes or adds, if it is the same and its lines are not
    /// printed.
    pub(super) lines_each: Option<u64>,
    pub(super) stage: Stage,
    /// The number to pass to `undo`.
    pub(super) undo: Option<u64>,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct SummaryObject {
    #[schemars(extend("enum" = ["success", "preview"]))]
    status: &'static str,
    /// Number of files that changed.
    files: u64,
    /// Number of edits that changed something.
    edits: u64,
    /// Number of edited places, if directories were searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undo: Option<u64>,
}

impl Record for Summary {
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        let edits = match self.matches {
            Some(matches) => counted(matches, "place"),
            None => counted(self.edits, "edit"),
        };
        let files = counted(self.files, "file");
        out.extend_from_slice(format!("{edits} in {files}").as_bytes());
        if let Some(lines) = self.lines_each {
            out.extend_from_slice(format!(", {} each", counted(lines, "line")).as_bytes());
        }
        push_undo(self.undo, "them", style, out);
        out.push(b'\n');
    }

    fn json(&self, out: &mut Vec<u8>) {
        let status = if self.stage == Stage::Done { "success" } else { "preview" };
        let Self { files, edits, matches, undo, .. } = *self;
        out.extend(json::line(&SummaryObject { status, files, edits, matches, undo }));
    }
}

/// Appends how to undo edits: a command, or for callers of tools the number for `undo`.
pub(super) fn push_undo(undo: Option<u64>, what: &str, style: Style, line: &mut Vec<u8>) {
    let Some(undo) = undo else { return };
    let text = match style.tools {
        true => format!(" (undo {undo} restores {what})"),
        false => format!(" (undo: {})", Hint::undo(undo).line()),
    };
    style.paint(Paint::Quiet, text, line);
}
