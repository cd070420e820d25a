//! How edits are told: a line each for people and pipes, or JSON.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use super::{Operation, wire};
use crate::commands::json::{self, Text};
use crate::commands::output::{Role, Style};
use crate::text::diff::{self, Hunk};
use crate::text::span::LineRange;

/// What became of one edit.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Which edit it is of the run.
    pub request: usize,
    /// The lines of the old file that it is about.
    pub affected: Option<LineRange>,
    /// The lines of the new file that it brought.
    pub result: Option<LineRange>,
    /// Old lines that were replaced or deleted.
    pub lines_changed: u64,
    /// New lines less old ones.
    pub lines_delta: i64,
    /// The file's lines before and after all edits.
    pub total_lines: (u64, u64),
    /// How many matches were edited, for texts and patterns.
    pub matches: Option<u64>,
    /// Matches that were left.
    pub others: Option<u64>,
    /// What the lines were, perhaps cut.
    pub before: Vec<u8>,
    /// What they are now, perhaps cut.
    pub after: Vec<u8>,
    /// Whether one of these is cut.
    pub is_cut: bool,
    /// The checksum of the new lines.
    pub range_checksum: Option<String>,
    /// What ought to be known.
    pub warnings: Vec<String>,
    /// Whether every byte stayed as it was.
    pub unchanged: bool,
    /// Where moved or copied lines are now.
    pub arrived: Option<(PathBuf, Option<LineRange>)>,
    /// Documents in which links were rewritten, and how many.
    pub links: Vec<(PathBuf, u64)>,
    /// Whether that is all there is to tell.
    pub only_links: bool,
}

/// What holds for a whole file.
#[derive(Clone, Debug, Default)]
pub struct FileOutcome {
    /// Its changes as a diff.
    pub diff: Option<Vec<u8>>,
    /// Its checksums before and after.
    pub checksums: Option<(String, String)>,
    /// Where the old file is kept.
    pub backup: Option<PathBuf>,
    /// All of it, where it was printed.
    pub content: Option<Vec<u8>>,
}

/// Whether edits were made, or only looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// They were made.
    Done,
    /// They would be made.
    Preview,
}

#[derive(Serialize)]
struct Lines {
    start: u64,
    end: u64,
}

impl From<LineRange> for Lines {
    fn from(range: LineRange) -> Self {
        Self { start: range.start(), end: range.end() }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EditObject<'a> {
    status: &'static str,
    operation: &'static str,
    file_path: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    affected_lines: Option<Lines>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result_lines: Option<Lines>,
    lines_changed: u64,
    lines_delta: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other_occurrences: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<ArrivalObject<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    links: Vec<LinksObject<'a>>,
    preview: PreviewObject<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range_checksum: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checksum_before: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checksum: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_path: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undo: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArrivalObject<'a> {
    file_path: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result_lines: Option<Lines>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LinksObject<'a> {
    file_path: Text<'a>,
    rewritten: u64,
}

#[derive(Serialize)]
struct PreviewObject<'a> {
    before: Text<'a>,
    after: Text<'a>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize)]
struct SummaryObject {
    status: &'static str,
    files: u64,
    edits: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    undo: Option<u64>,
}

/// An edit as one line of JSON; `file` is given with the last edit of a file.
pub fn json_line(
    request: &super::Request,
    outcome: &Outcome,
    file: Option<&FileOutcome>,
    stage: Stage,
    undo: Option<u64>,
) -> Vec<u8> {
    let target = match &request.target {
        Some(target) => Some(wire::target_json(target)),
        None => wire::part_json(&request.address.part),
    };
    let target = match (&request.scope, target) {
        (Some(scope), Some(mut target)) => {
            target["in"] = scope.clone().into();
            Some(target)
        }
        (Some(scope), None) => Some(serde_json::json!({ "section": scope })),
        (None, target) => target,
    };
    let (old, new) = outcome.total_lines;
    let lines = if new == 1 { "line" } else { "lines" };
    json::line(&EditObject {
        status: status(outcome, stage),
        operation: request.operation.name(),
        file_path: json::path(&request.address.path),
        target,
        affected_lines: outcome.affected.map(Lines::from),
        result_lines: outcome.result.map(Lines::from),
        lines_changed: outcome.lines_changed,
        lines_delta: outcome.lines_delta,
        note: (outcome.lines_delta != 0).then(|| match stage {
            Stage::Done => format!("File now has {new} {lines} (was {old})"),
            Stage::Preview => format!("File would have {new} {lines} (has {old})"),
        }),
        matches: outcome.matches,
        other_occurrences: outcome.others,
        to: outcome.arrived.as_ref().map(|(path, lines)| ArrivalObject {
            file_path: json::path(path),
            result_lines: lines.map(Lines::from),
        }),
        links: outcome
            .links
            .iter()
            .map(|(path, count)| LinksObject { file_path: json::path(path), rewritten: *count })
            .collect(),
        preview: PreviewObject {
            before: Text(&outcome.before),
            after: Text(&outcome.after),
            truncated: outcome.is_cut,
        },
        range_checksum: outcome.range_checksum.as_deref(),
        checksum_before: file.and_then(|file| file.checksums.as_ref()).map(|(old, _)| old.as_str()),
        checksum: file.and_then(|file| file.checksums.as_ref()).map(|(_, new)| new.as_str()),
        warnings: &outcome.warnings,
        diff: file.and_then(|file| file.diff.as_deref()).map(Text),
        content: file.and_then(|file| file.content.as_deref()).map(Text),
        backup_path: file.and_then(|file| file.backup.as_deref()).map(json::path),
        undo,
    })
}

fn status(outcome: &Outcome, stage: Stage) -> &'static str {
    match stage {
        _ if outcome.unchanged => "unchanged",
        Stage::Done => "success",
        Stage::Preview => "preview",
    }
}

/// The end of a transaction as one line of JSON.
pub fn json_summary(files: u64, edits: u64, stage: Stage, undo: Option<u64>) -> Vec<u8> {
    let status = if stage == Stage::Done { "success" } else { "preview" };
    json::line(&SummaryObject { status, files, edits, undo })
}

/// What was done, as a line that begins with the address of the result.
pub fn text_line(
    request: &super::Request,
    outcome: &Outcome,
    stage: Stage,
    undo: Option<u64>,
    style: Style,
) -> Vec<u8> {
    let mut line = Vec::new();
    push_address(&request.address.path, outcome.result.or(outcome.affected), style, &mut line);
    line.extend_from_slice(b": ");
    let mut told = if outcome.unchanged {
        "unchanged: it is as the edit would make it".to_owned()
    } else {
        what(request, outcome, stage)
    };
    if let Some(others) = outcome.others {
        let are = if others == 1 { "other is" } else { "others are" };
        told.push_str(&format!("; {others} {are} left"));
    }
    line.extend_from_slice(told.as_bytes());
    if let Some((path, lines)) = outcome.arrived.as_ref().filter(|_| !outcome.unchanged) {
        line.extend_from_slice(b" to ");
        push_address(path, *lines, style, &mut line);
    }
    if let Some(undo) = undo {
        let told = format!("; folio undo {undo} takes it back");
        style.paint(Role::Quiet, told, &mut line);
    }
    line.push(b'\n');
    for (path, count) in &outcome.links {
        push_address(path, None, style, &mut line);
        let links = if *count == 1 { "link" } else { "links" };
        let verb = if stage == Stage::Done { "rewrote" } else { "would rewrite" };
        line.extend_from_slice(format!(": {verb} {count} {links}\n").as_bytes());
    }
    line
}

/// The end of a transaction as a line.
pub fn text_summary(files: u64, edits: u64, undo: Option<u64>, style: Style) -> Vec<u8> {
    let count = |count: u64, what: &str| match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    };
    let mut line = format!("{} in {}", count(edits, "edit"), count(files, "file")).into_bytes();
    if let Some(undo) = undo {
        let told = format!("; folio undo {undo} takes them back");
        style.paint(Role::Quiet, told, &mut line);
    }
    line.push(b'\n');
    line
}

fn push_address(path: &Path, lines: Option<LineRange>, style: Style, line: &mut Vec<u8>) {
    use std::os::unix::ffi::OsStrExt;
    style.paint_bytes(Role::Path, path.as_os_str().as_bytes(), line);
    let Some(lines) = lines else { return };
    line.push(b':');
    let shown = match lines.count() {
        1 => lines.start().to_string(),
        _ => format!("{}-{}", lines.start(), lines.end()),
    };
    style.paint(Role::Lines, shown, line);
}

fn what(request: &super::Request, outcome: &Outcome, stage: Stage) -> String {
    let lines = |count: u64| match count {
        1 => "1 line".to_owned(),
        count => format!("{count} lines"),
    };
    let would = stage == Stage::Preview;
    let verb = |done: &str, infinitive: &str| {
        if would { format!("would {infinitive}") } else { done.to_owned() }
    };
    let added = outcome.result.map_or(0, LineRange::count);
    if let Some(matches) = outcome.matches {
        let count = if matches == 1 { "1 match".to_owned() } else { format!("{matches} matches") };
        return match request.operation {
            Operation::Delete => format!("{} {count}", verb("deleted", "delete")),
            Operation::Insert(_) => format!("{} at {count}", verb("inserted", "insert")),
            _ => format!("{} {count}", verb("replaced", "replace")),
        };
    }
    match &request.operation {
        Operation::Replace if outcome.lines_changed == 0 => {
            format!("{} {}", verb("inserted", "insert"), lines(added))
        }
        Operation::Replace if added == outcome.lines_changed => {
            format!("{} {}", verb("replaced", "replace"), lines(added))
        }
        Operation::Replace => format!(
            "{} {} with {}",
            verb("replaced", "replace"),
            lines(outcome.lines_changed),
            lines(added)
        ),
        Operation::Insert(_) => format!("{} {}", verb("inserted", "insert"), lines(added)),
        Operation::Append => format!("{} {}", verb("appended", "append"), lines(added)),
        Operation::Delete => {
            format!("{} {}", verb("deleted", "delete"), lines(outcome.lines_changed))
        }
        Operation::Rename(_) => verb("renamed", "rename"),
        Operation::Move(..) => {
            format!("{} {}", verb("moved", "move"), lines(outcome.lines_changed))
        }
        Operation::Copy(..) => {
            let count = outcome.affected.map_or(0, LineRange::count);
            format!("{} {}", verb("copied", "copy"), lines(count))
        }
        Operation::Create => format!("{} with {}", verb("created", "be created"), lines(added)),
    }
}

/// The hunks of one file as a diff, coloured where that is wanted.
pub fn diff(hunks: &[Hunk], path: &Path, is_new: bool, style: Style) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    let name = path.as_os_str().as_bytes();
    let new = [b"b/", name].concat();
    let old = if is_new { b"/dev/null".to_vec() } else { [b"a/", name].concat() };
    if !style.color {
        return style.safe(&diff::unified(hunks, &old, &new)).into_owned();
    }
    let mut shown = Vec::new();
    let mut header = Vec::new();
    diff::push_header(&old, &new, &mut header);
    if !hunks.is_empty() {
        style.paint_bytes(Role::Heading(2), &header, &mut shown);
    }
    for hunk in hunks {
        let mut text = Vec::new();
        diff::push_hunk(hunk, &mut text);
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let role = match line.first() {
                Some(b'+') => Some(Role::Added),
                Some(b'-') => Some(Role::Removed),
                Some(b'@') => Some(Role::Quiet),
                _ => None,
            };
            let (text, end) = match line.strip_suffix(b"\n") {
                Some(text) => (text, &b"\n"[..]),
                None => (line, &b""[..]),
            };
            match role {
                Some(role) => style.paint_bytes(role, text, &mut shown),
                None => shown.extend_from_slice(&style.safe(text)),
            }
            shown.extend_from_slice(end);
        }
    }
    shown
}
