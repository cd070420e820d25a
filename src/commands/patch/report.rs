//! Prints the results of edits: one line for each edit, or JSON.

pub(super) mod text;

use std::borrow::Cow;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

use self::text::{describe, push_address, push_undo};
use super::hints::MAX_PARTS;
use super::planned::{Planned, Role};
use super::{Operation, Request};
use crate::commands::file_diff::push_diff;
use crate::commands::json::{self, OwnedText, Text};
use crate::commands::output::{Json, Record, Style, counted};
use crate::commands::{schema, target};
use folio_files::address::Part;
use folio_files::error::Message;
use folio_outline::edit::ValueChange;
use folio_text::diff::FileDiff;
use folio_text::separation::BlankLines;
use folio_text::span::LineRange;

/// Returns the values that edits set, up to the maximum number of parts in the history. If an edit
/// does something else, there are none, because they would not describe the patch.
pub(super) fn set_values(outcomes: &[Outcome]) -> Vec<String> {
    let changed = outcomes.iter().filter(|outcome| !outcome.unchanged);
    let values: Option<Vec<&ValueChange>> =
        changed.map(|outcome| outcome.plan.value_change.as_ref()).collect();
    values.into_iter().flatten().map(ValueChange::to_string).take(MAX_PARTS).collect()
}

/// The result of one edit.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    /// The index of the request.
    pub(super) request: usize,
    /// The index of the file.
    pub(super) file: usize,
    /// The plan, without its edits, which have been merged into those of the file.
    pub(super) plan: Box<Planned>,
    /// The inserted lines in the new file.
    pub(super) result: Option<LineRange>,
    /// Number of old lines that were replaced or deleted.
    pub(super) lines_changed: u64,
    /// Number of new lines minus number of old lines.
    pub(super) lines_delta: i64,
    /// Number of lines of the file before and after all edits.
    pub(super) total_lines: (u64, u64),
    /// Number of edited matches. Only for texts and patterns.
    pub(super) matches: Option<u64>,
    /// The old text, possibly truncated.
    pub(super) before: Vec<u8>,
    /// The new text, possibly truncated.
    pub(super) after: Vec<u8>,
    /// Whether either text is truncated.
    pub(super) is_cut: bool,
    /// The checksum of the new lines.
    pub(super) range_checksum: Option<String>,
    /// Whether the edit changed no byte.
    pub(super) unchanged: bool,
    /// The new position of moved or copied lines: the index of the file, and the lines.
    pub(super) arrived: Option<(usize, Option<LineRange>)>,
    /// The files in which links were updated, and the number of links in each.
    pub(super) links: Vec<(usize, u64)>,
}

impl Outcome {
    /// Merges this result with the result for another file of the same request.
    pub(super) fn join(&mut self, other: Self, operation: Operation) {
        let rewritten = other.plan.rewritten;
        if rewritten > 0 {
            match self.links.iter_mut().find(|(file, _)| *file == other.file) {
                Some((_, count)) => *count += rewritten,
                None => self.links.push((other.file, rewritten)),
            }
        }
        if other.plan.role == Role::Arrival && operation.carries() {
            self.arrived = Some((other.file, other.result));
            self.after = other.after;
            self.range_checksum = other.range_checksum;
            self.is_cut |= other.is_cut;
            self.plan.blank_lines = other.plan.blank_lines;
            self.plan.warnings.extend(other.plan.warnings);
            self.plan.details.extend(other.plan.details);
            if self.file == other.file {
                self.lines_delta += other.lines_delta;
                self.unchanged &= other.unchanged;
            }
        }
    }

    /// Returns the number of old lines that change, or of new lines if there are more.
    pub(super) fn lines_touched(&self) -> u64 {
        self.lines_changed.max(self.result.map_or(0, LineRange::count))
    }

    /// Returns a sentence about the links that the edit breaks, if there are any.
    pub(super) fn links_left(&self) -> Option<String> {
        let (links, files) = self.plan.left?;
        let (text, lead) = (counted(links, "link"), if links == 1 { "leads" } else { "lead" });
        let within = match files {
            1 => String::new(),
            _ => format!(" in {}", counted(files, "file")),
        };
        Some(format!("{text}{within} no longer {lead} to the same section"))
    }

    /// Returns the indexes of the files that the edit affects, beginning with the edited file.
    pub(super) fn files(&self) -> impl Iterator<Item = usize> {
        let arrived = self.arrived.iter().map(|(file, _)| *file);
        let links = self.links.iter().map(|(file, _)| *file);
        [self.file].into_iter().chain(arrived).chain(links)
    }
}

/// What is reported about a whole file.
#[derive(Clone, Debug, Default)]
pub(super) struct FileFacts {
    /// The path as the user gave it.
    pub(super) path: PathBuf,
    /// The path with symlinks resolved.
    pub(super) resolved: PathBuf,
    /// Whether the file is to be written.
    pub(super) changes: bool,
    /// Whether the file did not exist before.
    pub(super) is_new: bool,
    pub(super) warnings: Vec<Message>,
    /// The diff, if requested.
    pub(super) diff: Option<FileDiff>,
    /// The checksums before and after the edits. The first one is `None` if the file is new.
    pub(super) checksums: Option<(Option<String>, String)>,
    pub(super) backup: Option<PathBuf>,
    /// The new path of a moved file.
    pub(super) moved_to: Option<PathBuf>,
    /// The new contents, if they are printed.
    pub(super) content: Option<Vec<u8>>,
}

impl FileFacts {
    /// Returns the path of the file after the edits.
    fn path_after(&self) -> &Path {
        self.moved_to.as_ref().unwrap_or(&self.path)
    }
}

/// Whether the edits have been applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The edits have been applied.
    Done,
    /// The edits would be applied.
    Preview,
}

impl Stage {
    /// Returns the name of the stage. The name is part of the interface.
    pub(super) fn status(self) -> &'static str {
        match self {
            Self::Done => "success",
            Self::Preview => "preview",
        }
    }
}

/// The result of one edit, with the context for printing it.
pub(super) struct EditRecord<'a> {
    pub(super) request: &'a Request,
    pub(super) outcome: &'a Outcome,
    /// All files of the run.
    pub(super) files: &'a [FileFacts],
    /// The files that no later edit affects. What is reported about them is printed with this edit.
    pub(super) ended: &'a [usize],
    pub(super) stage: Stage,
    /// Whether diffs are printed instead of results.
    pub(super) shows_diff: bool,
    /// Whether JSON contains the lines before and after.
    pub(super) shows_preview: bool,
    /// The number to pass to `undo`.
    pub(super) undo: Option<u64>,
}

/// A range of lines. `end` is the last line.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct Lines {
    start: u64,
    end: u64,
}

impl From<LineRange> for Lines {
    fn from(range: LineRange) -> Self {
        Self { start: range.start(), end: range.end() }
    }
}

/// The result of one edit.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EditObject<'a> {
    /// success: the edit was written. unchanged: it changes no byte. preview: --dry-run or --check,
    /// nothing was written.
    #[schemars(extend("enum" = ["success", "unchanged", "preview"]))]
    status: &'static str,
    #[schemars(extend("enum" = [
        "replace", "insert", "append", "delete",
        "rename", "move", "copy", "create", "set"
    ]))]
    operation: &'static str,
    /// The path that the user gave or folio found. - is standard input.
    file_path: Text<'a>,
    /// The part, in the form that --target accepts. Absent for a whole file and, without --preview,
    /// for a text or pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "target_schema")]
    target: Option<Value>,
    /// The lines of the old file that changed, or the line next to which content was inserted.
    #[serde(skip_serializing_if = "Option::is_none")]
    affected_lines: Option<Lines>,
    /// The lines of the new file that the edit inserted. Absent if it only deleted lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    result_lines: Option<Lines>,
    /// Old lines that were replaced or deleted.
    lines_changed: u64,
    /// Number of new lines minus number of old lines.
    lines_delta: i64,
    /// The number of lines of the file, if it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// Number of edited matches, for texts and patterns.
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<u64>,
    /// Number of matches that were not edited.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_occurrences: Option<u64>,
    /// The new position of moved or copied lines, or of the file. Contains facts about the
    /// destination if it is not the file of another edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<ArrivalObject<'a>>,
    /// Documents with links that the edit would have broken and that were updated. Contains facts
    /// about a document if it is not the file of another edit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    links: Vec<LinksObject<'a>>,
    /// Blank lines that folio added around inserted content. They are not part of resultLines.
    #[serde(skip_serializing_if = "Option::is_none")]
    blank_lines: Option<BlankLinesObject>,
    /// The lines before and after the edit, without the last line ending, each truncated at 20
    /// lines or 4,096 bytes. Only with --preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<PreviewObject<'a>>,
    /// The checksum of the new lines, to guard the next edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    range_checksum: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Cow<'a, Message>>,
    /// What the edit kept or adapted, such as "comment kept".
    #[serde(skip_serializing_if = "<[Message]>::is_empty")]
    details: &'a [Message],
    /// The whole result, if the document was read from standard input.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Text<'a>>,
    #[serde(flatten)]
    file: FactsObject<'a>,
    /// The number to pass to folio undo.
    #[serde(skip_serializing_if = "Option::is_none")]
    undo: Option<u64>,
}

/// Facts about a file, printed with its last edit.
#[derive(Default, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct FactsObject<'a> {
    /// With --checksum, the checksum of the old file.
    #[serde(skip_serializing_if = "Option::is_none")]
    checksum_before: Option<&'a str>,
    /// With --checksum, the checksum of the new file.
    #[serde(skip_serializing_if = "Option::is_none")]
    checksum: Option<&'a str>,
    /// All changes of the file, with its last edit, with --dry-run or --diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<OwnedText>,
    /// The path of the copy of the old file, with --backup.
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_path: Option<Text<'a>>,
}

/// The new place of moved or copied lines, or of the file.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct ArrivalObject<'a> {
    /// The path that the user gave or folio found. - is standard input.
    file_path: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result_lines: Option<Lines>,
    #[serde(flatten)]
    file: FactsObject<'a>,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct LinksObject<'a> {
    /// The path that the user gave or folio found. - is standard input.
    file_path: Text<'a>,
    rewritten: u64,
    #[serde(flatten)]
    file: FactsObject<'a>,
}

/// Blank lines that folio added around inserted content.
#[derive(JsonSchema, Serialize)]
struct BlankLinesObject {
    before: u64,
    after: u64,
}

impl BlankLinesObject {
    fn new(added: BlankLines) -> Option<Self> {
        let BlankLines { before, after } = added;
        (before + after > 0).then_some(Self { before, after })
    }
}

/// The lines before and after.
#[derive(JsonSchema, Serialize)]
struct PreviewObject<'a> {
    before: Text<'a>,
    after: Text<'a>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("const" = true))]
    truncated: bool,
}

/// The summary of several edits.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "SummaryObject", description = "")]
pub(super) struct Summary {
    #[schemars(extend("enum" = ["success", "preview"]))]
    pub(super) status: &'static str,
    /// Number of files that changed.
    pub(super) files: u64,
    /// Number of edits that changed something.
    pub(super) edits: u64,
    /// Number of edited places, if directories were searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) matches: Option<u64>,
    /// The number of lines that each edit changes or adds, if it is the same and its lines are not
    /// printed.
    #[serde(skip)]
    pub(super) lines_each: Option<u64>,
    // The number to pass to `undo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) undo: Option<u64>,
}

fn target_schema(_: &mut SchemaGenerator) -> Schema {
    schema::as_input::<target::json::TargetObject>()
}

impl EditRecord<'_> {
    /// Returns the facts of another file than that of the edit, if they are printed with this edit.
    fn facts_elsewhere(&self, file: usize) -> FactsObject<'_> {
        if file == self.outcome.file { FactsObject::default() } else { self.facts(file) }
    }

    /// Returns the facts of a file, if they are printed with this edit.
    fn facts(&self, file: usize) -> FactsObject<'_> {
        if !self.ended.contains(&file) {
            return FactsObject::default();
        }
        let facts = &self.files[file];
        let checksums = facts.checksums.as_ref();
        FactsObject {
            checksum_before: checksums.and_then(|(old, _)| old.as_deref()),
            checksum: checksums.map(|(_, new)| new.as_str()),
            diff: diff_text(facts).map(OwnedText),
            backup_path: facts.backup.as_deref().map(json::path),
        }
    }

    fn target(&self) -> Option<Value> {
        let request = self.request;
        let target = match &request.target {
            Some(target) => Some(target::json::target_value(target)),
            None => match &request.address.part {
                Part::Whole => None,
                part => Some(target::json::target_value(part)),
            },
        };
        match (&request.scope, target) {
            (Some(scope), Some(mut target)) => {
                target["in"] = scope.clone().into();
                Some(target)
            }
            (Some(scope), None) => Some(serde_json::json!({ "section": scope })),
            (None, target) => target,
        }
    }

    /// Returns the new path of the file, if the whole file was moved.
    fn moved_to(&self) -> Option<&Path> {
        self.request.file_destination()?;
        self.files[self.outcome.file].moved_to.as_deref()
    }

    /// Whether to print the target. A text is not printed, because the user has just typed it.
    fn shows_target(&self) -> bool {
        self.shows_preview || !matches!(self.request.target, Some(Part::Match(_)))
    }

    fn status(&self) -> &'static str {
        if self.outcome.unchanged { "unchanged" } else { self.stage.status() }
    }

    /// Returns the number of lines of the file, if the number changes.
    fn note(&self) -> Option<String> {
        let (old, new) = self.outcome.total_lines;
        let lines = if new == 1 { "line" } else { "lines" };
        (self.outcome.lines_delta != 0).then(|| match self.stage {
            Stage::Done => format!("File now has {new} {lines} (was {old})"),
            Stage::Preview => format!("File would have {new} {lines} (has {old})"),
        })
    }

    /// Appends a line that begins with the address of the result.
    fn push_line(&self, style: Style, line: &mut Vec<u8>) {
        let outcome = self.outcome;
        let lines = outcome.result.or(outcome.plan.affected);
        push_address(&self.request.address.path, lines, style, line);
        line.extend_from_slice(b": ");
        let mut text = if outcome.unchanged {
            "unchanged: the file already has this content".to_owned()
        } else {
            describe(self.request, outcome, self.stage)
        };
        if let Some(others) = outcome.plan.others {
            let are = if others == 1 { "other is" } else { "others are" };
            text.push_str(&format!("; {others} {are} left"));
        }
        line.extend_from_slice(&style.safe(text.as_bytes()));
        if let Some((file, lines)) = outcome.arrived.filter(|_| !outcome.unchanged) {
            line.extend_from_slice(b" to ");
            push_address(&self.files[file].path, lines, style, line);
        }
        if let Some(to) = self.moved_to() {
            line.extend_from_slice(b" to ");
            push_address(to, None, style, line);
        }
        for detail in outcome.plan.details.iter().filter(|_| !outcome.unchanged) {
            line.extend_from_slice(format!("; {detail}").as_bytes());
        }
        push_undo(self.undo, "it", style, line);
        line.push(b'\n');
        for (file, count) in &outcome.links {
            push_address(self.files[*file].path_after(), None, style, line);
            let verb = if self.stage == Stage::Done { "rewrote" } else { "would rewrite" };
            line.extend_from_slice(format!(": {verb} {}\n", counted(*count, "link")).as_bytes());
        }
    }

    /// Returns the new place of moved or copied text.
    fn arrival(&self) -> Option<ArrivalObject<'_>> {
        if let Some(to) = self.moved_to() {
            let (result_lines, file) = (None, FactsObject::default());
            return Some(ArrivalObject { file_path: json::path(to), result_lines, file });
        }
        let (file, lines) = self.outcome.arrived?;
        Some(ArrivalObject {
            file_path: json::path(&self.files[file].path),
            result_lines: lines.map(Lines::from),
            file: self.facts_elsewhere(file),
        })
    }
}

impl Record for EditRecord<'_> {
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        if !self.shows_diff || self.outcome.unchanged {
            self.push_line(style, out);
        }
        for facts in self.ended.iter().map(|&file| &self.files[file]) {
            let path = style.safe(facts.path.as_os_str().as_bytes());
            if let Some((before, after)) = &facts.checksums {
                if let Some(before) = before {
                    out.extend_from_slice(
                        &[before.as_bytes(), b"  ", &path, b" before\n"].concat(),
                    );
                }
                out.extend_from_slice(&[after.as_bytes(), b"  ", &path, b"\n"].concat());
            }
            if let Some(diff) = &facts.diff {
                push_diff(diff, &facts.path, style, out);
            }
        }
    }
}

impl Json for EditRecord<'_> {
    fn json(&self, out: &mut Vec<u8>) {
        self.object().json(out);
    }
}

impl EditRecord<'_> {
    /// Returns the record for JSON.
    pub(super) fn object(&self) -> EditObject<'_> {
        let outcome = self.outcome;
        let links = outcome.links.iter().map(|&(file, rewritten)| LinksObject {
            file_path: json::path(self.files[file].path_after()),
            rewritten,
            file: self.facts_elsewhere(file),
        });
        let warnings = outcome.plan.all_warnings().map(Cow::Borrowed);
        EditObject {
            status: self.status(),
            operation: self.request.operation.name(),
            file_path: json::path(&self.request.address.path),
            target: self.target().filter(|_| self.shows_target()),
            affected_lines: outcome.plan.affected.map(Lines::from),
            result_lines: outcome.result.map(Lines::from),
            lines_changed: outcome.lines_changed,
            lines_delta: outcome.lines_delta,
            note: self.note(),
            matches: outcome.matches,
            other_occurrences: outcome.plan.others,
            to: self.arrival(),
            links: links.collect(),
            blank_lines: BlankLinesObject::new(outcome.plan.blank_lines),
            preview: self.shows_preview.then_some(PreviewObject {
                before: Text(&outcome.before),
                after: Text(&outcome.after),
                truncated: outcome.is_cut,
            }),
            range_checksum: outcome.range_checksum.as_deref(),
            warnings: warnings
                .chain(outcome.links_left().map(|left| Cow::Owned(left.into())))
                .collect(),
            details: &outcome.plan.details,
            content: self.files[outcome.file].content.as_deref().map(Text),
            file: self.facts(outcome.file),
            undo: self.undo,
        }
    }
}

pub(super) fn diff_text(facts: &FileFacts) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    push_diff(facts.diff.as_ref()?, &facts.path, Style::default(), &mut text);
    Some(text)
}

/// Returns for each outcome the files that are reported with it. A file is reported with the last
/// edit in it, or with the last outcome that affects it.
pub(super) fn files_to_report(outcomes: &[Outcome], files: usize) -> Vec<Vec<usize>> {
    let mut last: Vec<Option<(bool, usize)>> = vec![None; files];
    for (number, outcome) in outcomes.iter().enumerate() {
        for (file, is_edited) in
            outcome.files().zip([true].into_iter().chain(std::iter::repeat(false)))
        {
            last[file] = last[file].max(Some((is_edited, number)));
        }
    }
    let mut ended = vec![Vec::new(); outcomes.len()];
    for (file, last) in last.iter().enumerate() {
        if let Some((_, number)) = last {
            ended[*number].push(file);
        }
    }
    ended
}
