//! Formats results as text.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::{Outcome, Stage, Summary};
use crate::commands::output::{Record, Role as Paint, Style, counted};
use crate::commands::patch::{Operation, Request};
use folio_files::error::Hint;
use folio_text::span::LineRange;

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
}

/// Appends how to undo edits: a command or, for callers of tools, the number for `undo`.
pub(super) fn push_undo(undo: Option<u64>, what: &str, style: Style, line: &mut Vec<u8>) {
    let Some(undo) = undo else { return };
    let text = if style.tools {
        format!(" (undo {undo} restores {what})")
    } else {
        format!(" (undo: {})", Hint::undo(undo).line())
    };
    style.paint(Paint::Quiet, text, line);
}

pub(in crate::commands::patch) fn push_address(
    path: &Path,
    lines: Option<LineRange>,
    style: Style,
    line: &mut Vec<u8>,
) {
    style.paint_bytes(Paint::Path, path.as_os_str().as_bytes(), line);
    if let Some(lines) = lines {
        line.push(b':');
        style.paint_lines(lines, line);
    }
}

/// Returns what an edit did or would do.
pub(super) fn describe(request: &Request, outcome: &Outcome, stage: Stage) -> String {
    let verb = |done: &str, infinitive: &str| match stage {
        Stage::Preview => format!("would {infinitive}"),
        Stage::Done => done.to_owned(),
    };
    let lines = |count| counted(count, "line");
    let is_blank = outcome.after.trim_ascii().is_empty() && !outcome.is_cut;
    let new_lines = |count| counted(count, if is_blank { "empty line" } else { "line" });
    let added = outcome.result.map_or(0, LineRange::count);
    let changed = outcome.lines_changed;
    let named = outcome.plan.affected.map_or(0, LineRange::count);
    if let Some(matches) = outcome.matches {
        let count = if matches == 1 { "1 match".to_owned() } else { format!("{matches} matches") };
        return match request.operation {
            Operation::Delete => format!("{} {count}", verb("deleted", "delete")),
            Operation::Insert => format!("{} at {count}", verb("inserted", "insert")),
            _ => format!("{} {count}", verb("replaced", "replace")),
        };
    }
    if let Some(value_change) = &outcome.plan.value_change {
        return format!("{} {value_change}", verb("set", "set"));
    }
    match request.operation {
        Operation::Replace if changed > 0 && added == changed => {
            format!("{} {}", verb("replaced", "replace"), lines(added))
        }
        Operation::Replace if changed > 0 => {
            let verb = verb("replaced", "replace");
            format!("{verb} {} with {}", lines(changed), lines(added))
        }
        Operation::Replace | Operation::Insert => {
            format!("{} {}", verb("inserted", "insert"), new_lines(added))
        }
        Operation::Append => format!("{} {}", verb("appended", "append"), new_lines(added)),
        Operation::Delete => format!("{} {}", verb("deleted", "delete"), lines(changed)),
        Operation::Rename => verb("renamed", "rename"),
        Operation::Move if request.file_destination().is_some() => verb("moved", "move"),
        Operation::Move => format!("{} {}", verb("moved", "move"), lines(named)),
        Operation::Copy => format!("{} {}", verb("copied", "copy"), lines(named)),
        Operation::Set if changed > 0 => format!("{} {}", verb("set", "set"), lines(changed)),
        Operation::Set => format!("{} {}", verb("added", "add"), lines(added)),
        Operation::Create | Operation::Apply => {
            format!("{} with {}", verb("created", "be created"), lines(added))
        }
    }
}
