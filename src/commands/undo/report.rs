//! The records of patches that were undone or can be undone.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::json::{self, Text};
use crate::commands::output::{Record, Role, Style, counted};
use crate::files::history::Entry;
use crate::files::recovery::{Ending, Recovered};
use crate::files::undo::{Direction, Undone};
use crate::text::diff::FileDiff;

/// Maximum number of file names in each entry on a terminal.
const MAX_NAMES: usize = 3;

/// The working directory and the time of a run.
pub(super) struct Place {
    directory: Option<PathBuf>,
    now: u64,
}

impl Place {
    /// Creates a place with the current time.
    pub(super) fn at(directory: Option<&Path>) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            directory: directory.map(Path::to_owned),
            now: since.map_or(0, |since| since.as_secs()),
        }
    }

    /// Returns a path relative to the directory, in the form that a user would type.
    pub(super) fn shown<'a>(&self, path: &'a Path) -> &'a Path {
        let own = self.directory.as_ref().and_then(|own| path.strip_prefix(own).ok());
        own.filter(|own| !own.as_os_str().is_empty()).unwrap_or(path)
    }

    /// Returns the number of seconds since `time`.
    fn age(&self, time: u64) -> u64 {
        self.now.saturating_sub(time)
    }
}

#[derive(JsonSchema, Serialize)]
pub(super) struct UndoneObject<'a> {
    #[schemars(extend("const" = "success"))]
    status: &'static str,
    /// undo: the patch was undone. redo: the patch was redone. forget: the patch was removed from
    /// the history without being undone.
    #[schemars(extend("enum" = ["undo", "redo", "forget"]))]
    direction: &'static str,
    /// The number of the patch, for folio undo.
    undo: u64,
    /// The operation of the patch: replace, insert, apply and so on.
    operation: &'a str,
    /// The parts that were edited, as options. At most three parts; long ones are shortened.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    parts: &'a [String],
    /// The files of the patch.
    files: Vec<FileObject<'a>>,
    /// The number of the new history entry, for folio redo after an undo, and for folio undo after
    /// a redo. Absent if the command was not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded: Option<u64>,
}

#[derive(Default, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct FileObject<'a> {
    /// The path, relative to the working directory if the file is below it.
    file_path: Text<'a>,
    /// Change in the number of lines of the file, by the undo or redo. With --list, by the patch.
    /// Absent if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines_delta: Option<i64>,
    /// With --list, the first line that the patch changed. After an undo, the current number of
    /// this line, if it has moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    /// Present if the undo deleted the file, because the patch had created it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("const" = true))]
    removed: bool,
}

impl<'a> FileObject<'a> {
    fn new(path: &'a Path, place: &'a Place) -> Self {
        Self { file_path: json::path(place.shown(path)), ..Self::default() }
    }
}

/// A patch that was undone or redone.
pub(super) struct UndoneRecord<'a> {
    pub(super) undone: &'a Undone,
    pub(super) direction: Direction,
    pub(super) place: &'a Place,
}

impl Record for UndoneRecord<'_> {
    fn json(&self, out: &mut Vec<u8>) {
        let record = &self.undone.entry.record;
        let files = record.files.iter().zip(&self.undone.moved_to).map(|(file, line)| FileObject {
            lines_delta: file.lines_delta.map(|delta| -delta),
            line: *line,
            removed: file.before.is_none(),
            ..FileObject::new(file.path(), self.place)
        });
        out.extend_from_slice(&json::line(&UndoneObject {
            status: "success",
            direction: self.direction.command(),
            undo: self.undone.entry.id,
            operation: &record.operation,
            parts: &record.parts,
            files: files.collect(),
            recorded: self.undone.recorded,
        }));
    }

    fn text(&self, style: Style, out: &mut Vec<u8>) {
        let verb = match self.direction {
            Direction::Undo => "undid",
            Direction::Redo => "redid",
        };
        let record = &self.undone.entry.record;
        let patch = with_parts(&record.operation, &record.parts);
        for (file, moved_to) in record.files.iter().zip(&self.undone.moved_to) {
            let mut line = format!(": {verb} {patch}");
            if file.before.is_none() {
                line.push_str("; deleted the file");
            } else if let Some(delta) = file.lines_delta.filter(|delta| *delta != 0) {
                let what = if delta < 0 { "restored" } else { "removed" };
                line.push_str(&format!("; {what} {}", counted(delta.unsigned_abs(), "line")));
            }
            if let Some(number) = moved_to {
                line.push_str(&format!("; now at line {number}, because the file has changed"));
            }
            push_line(self.place.shown(file.path()), &line, style, out);
        }
    }
}

/// Formats the operation and the parts to which it was applied.
fn with_parts(operation: &str, parts: &[String]) -> String {
    [&[operation.to_owned()], parts].concat().join(" ")
}

fn push_path(path: &Path, style: Style, out: &mut Vec<u8>) {
    style.paint_bytes(Role::Path, path.as_os_str().as_bytes(), out);
}

/// Appends a path and the rest of its line.
fn push_line(path: &Path, rest: &str, style: Style, out: &mut Vec<u8>) {
    push_path(path, style, out);
    out.extend_from_slice(&style.safe(rest.as_bytes()));
    out.push(b'\n');
}

/// An entry of the history, with --list.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EntryObject<'a> {
    /// The number of the patch, for folio undo.
    undo: u64,
    /// The time in UTC, in the format of RFC 3339.
    time: String,
    /// The time since the patch, in seconds.
    age_seconds: u64,
    /// The operation of the patch: replace, insert, apply and so on.
    operation: &'a str,
    /// The parts that were edited, as options. At most three parts; long ones are shortened.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    parts: &'a [String],
    /// The files that the patch changed.
    files: Vec<FileObject<'a>>,
}

/// A patch that can be undone.
pub(super) struct HistoryEntry<'a> {
    entry: &'a Entry,
    place: &'a Place,
    /// Widths of the columns on a terminal, except the column of files.
    widths: [usize; FIELDS],
}

/// Number of columns before the column of files.
const FIELDS: usize = 5;

/// Converts the entries of the history to records.
pub(super) fn history<'a>(entries: &'a [Entry], place: &'a Place) -> Vec<HistoryEntry<'a>> {
    let widths =
        entries.iter().map(|entry| fields(entry, place).map(|field| field.chars().count()));
    let widths = widths.fold([0; FIELDS], |widest, widths| {
        std::array::from_fn(|column| widest[column].max(widths[column]))
    });
    entries.iter().map(|entry| HistoryEntry { entry, place, widths }).collect()
}

/// Returns the columns: number, age, operation, change in lines, number of files.
fn fields(entry: &Entry, place: &Place) -> [String; FIELDS] {
    let delta: Option<i64> = entry.record.files.iter().map(|file| file.lines_delta).sum();
    [
        entry.id.to_string(),
        age(place.age(entry.record.time)),
        with_parts(&entry.record.operation, &entry.record.parts),
        delta.map_or_else(String::new, |delta| {
            let lines = if delta.abs() == 1 { "line" } else { "lines" };
            if delta == 0 { "0 lines".to_owned() } else { format!("{delta:+} {lines}") }
        }),
        counted(entry.files.len() as u64, "file"),
    ]
}

impl Record for HistoryEntry<'_> {
    fn json(&self, out: &mut Vec<u8>) {
        let entry = self.entry;
        let files = entry.record.files.iter().map(|file| FileObject {
            lines_delta: file.lines_delta,
            line: file.line,
            ..FileObject::new(file.path(), self.place)
        });
        out.extend_from_slice(&json::line(&EntryObject {
            undo: entry.id,
            time: json::timestamp(entry.record.time),
            age_seconds: self.place.age(entry.record.time),
            operation: &entry.record.operation,
            parts: &entry.record.parts,
            files: files.collect(),
        }));
    }

    fn text(&self, style: Style, out: &mut Vec<u8>) {
        if style.terminal {
            return self.columns(style, out);
        }
        let fields = fields(self.entry, self.place).map(|field| field.replace(['\t', '\n'], " "));
        out.extend_from_slice(fields.join("\t").as_bytes());
        for file in &self.entry.record.files {
            out.push(b'\t');
            out.extend_from_slice(self.place.shown(file.path()).as_os_str().as_bytes());
            out.extend(file.line.iter().flat_map(|line| format!(":{line}").into_bytes()));
        }
        out.push(b'\n');
    }
}

impl HistoryEntry<'_> {
    fn columns(&self, style: Style, out: &mut Vec<u8>) {
        let [id_width, age_width, done_width, lines_width, files_width] = self.widths;
        let [id, age, done, lines, files] = fields(self.entry, self.place);
        style.paint(Role::Lines, format!("{id:>id_width$}"), out);
        out.extend_from_slice(b"  ");
        style.paint(Role::Quiet, format!("{age:>age_width$}"), out);
        let done = style.safe(format!("  {done:done_width$}  ").as_bytes()).into_owned();
        out.extend_from_slice(&done);
        let counts = format!("{lines:>lines_width$}  {files:>files_width$}  ");
        out.extend_from_slice(counts.as_bytes());
        for (number, file) in self.entry.record.files.iter().take(MAX_NAMES).enumerate() {
            if number > 0 {
                out.extend_from_slice(b", ");
            }
            push_path(self.place.shown(file.path()), style, out);
            if let Some(line) = file.line {
                style.paint(Role::Lines, format!(":{line}"), out);
            }
        }
        let more = self.entry.files.len().checked_sub(MAX_NAMES).filter(|more| *more > 0);
        if let Some(more) = more {
            out.extend_from_slice(format!(" and {more} more").as_bytes());
        }
        out.push(b'\n');
    }
}

/// Whether the changes in a diff have been made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The changes have not been made: this is a dry run.
    Preview,
    /// The patch made the changes.
    Shown,
}

/// The changes to all files of an entry.
pub(super) struct DiffRecord<'a> {
    pub(super) entry: &'a Entry,
    pub(super) files: Vec<(PathBuf, FileDiff)>,
    pub(super) stage: Stage,
    pub(super) place: &'a Place,
}

/// The changes to all files of an entry, with --dry-run or --show.
#[derive(JsonSchema, Serialize)]
pub(super) struct DiffObject<'a> {
    /// preview: the changes that would be made. shown: the changes that the patch made.
    #[schemars(extend("enum" = ["preview", "shown"]))]
    status: &'static str,
    /// The number of the patch, for folio undo.
    undo: u64,
    /// The operation of the patch: replace, insert, apply and so on.
    operation: &'a str,
    /// The parts that were edited, as options. At most three parts; long ones are shortened.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    parts: &'a [String],
    files: Vec<FileDiffObject<'a>>,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct FileDiffObject<'a> {
    /// The path, relative to the working directory if the file is below it.
    file_path: Text<'a>,
    /// The changes as a unified diff.
    diff: Text<'a>,
}

impl Record for DiffRecord<'_> {
    fn json(&self, out: &mut Vec<u8>) {
        let diffs = self.files.iter().map(|(path, diff)| {
            let mut text = Vec::new();
            diff.push(self.place.shown(path), Style::default(), &mut text);
            text
        });
        let diffs: Vec<Vec<u8>> = diffs.collect();
        let files = self.files.iter().zip(&diffs).map(|((path, _), diff)| FileDiffObject {
            file_path: json::path(self.place.shown(path)),
            diff: Text(diff),
        });
        out.extend_from_slice(&json::line(&DiffObject {
            status: match self.stage {
                Stage::Preview => "preview",
                Stage::Shown => "shown",
            },
            undo: self.entry.id,
            operation: &self.entry.record.operation,
            parts: &self.entry.record.parts,
            files: files.collect(),
        }));
    }

    fn text(&self, style: Style, out: &mut Vec<u8>) {
        for (path, diff) in &self.files {
            diff.push(self.place.shown(path), style, out);
        }
    }
}

/// Formats a duration in its largest unit.
fn age(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86400),
    }
}

/// A patch that was removed from the history without being reverted.
pub(super) struct ForgottenRecord<'a> {
    pub(super) entry: &'a Entry,
    pub(super) place: &'a Place,
}

impl Record for ForgottenRecord<'_> {
    fn json(&self, out: &mut Vec<u8>) {
        let files = self.entry.files.iter().map(|path| FileObject::new(path, self.place));
        out.extend_from_slice(&json::line(&UndoneObject {
            status: "success",
            direction: "forget",
            undo: self.entry.id,
            operation: &self.entry.record.operation,
            parts: &self.entry.record.parts,
            files: files.collect(),
            recorded: None,
        }));
    }

    fn text(&self, style: Style, out: &mut Vec<u8>) {
        let patch = with_parts(&self.entry.record.operation, &self.entry.record.parts);
        for path in &self.entry.files {
            let line = format!(": removed {patch} from the history; the file is unchanged");
            push_line(self.place.shown(path), &line, style, out);
        }
    }
}

/// The result of recovering an interrupted run, with --recover.
#[derive(JsonSchema, Serialize)]
pub(super) struct RecoveredObject<'a> {
    #[schemars(extend("const" = "success"))]
    status: &'static str,
    /// nothing: the run had not changed any file. finished: all files have their new contents.
    /// takenBack: all files have their old contents. inPart: other programs have changed some of
    /// the files since, and these files were left unchanged.
    #[schemars(extend("enum" = ["nothing", "finished", "takenBack", "inPart"]))]
    ending: &'static str,
    /// The time in UTC, in the format of RFC 3339.
    time: String,
    /// The files of the run; after inPart, those that were not recovered.
    files: Vec<FileObject<'a>>,
    /// Further information. Each item is a sentence.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [String],
}

/// The result of recovering an interrupted run.
pub(super) struct RecoveredRecord<'a> {
    pub(super) run: &'a Recovered,
    pub(super) place: &'a Place,
}

impl Record for RecoveredRecord<'_> {
    fn json(&self, out: &mut Vec<u8>) {
        let files = self.run.files.iter().map(|path| FileObject::new(path, self.place));
        out.extend_from_slice(&json::line(&RecoveredObject {
            status: "success",
            ending: match self.run.ending {
                Ending::Nothing => "nothing",
                Ending::Finished => "finished",
                Ending::TakenBack => "takenBack",
                Ending::InPart => "inPart",
            },
            time: json::timestamp(self.run.time),
            files: files.collect(),
            notes: &self.run.messages,
        }));
    }

    fn text(&self, style: Style, out: &mut Vec<u8>) {
        let run = self.run;
        let result = match run.ending {
            Ending::Nothing => "it had not changed any file",
            Ending::Finished => "finished",
            Ending::TakenBack => "rolled back",
            Ending::InPart => "partly done",
        };
        let line = format!(": interrupted {} ago; {result}", age(self.place.age(run.time)));
        for path in &run.files {
            push_line(self.place.shown(path), &line, style, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_use_their_largest_unit() {
        let ages = [0, 59, 60, 7199, 7200, 86_399, 86_400, 200_000].map(age);
        assert_eq!(ages, ["0s", "59s", "1m", "1h", "2h", "23h", "1d", "2d"]);
    }

    #[test]
    fn paths_are_relative_to_the_directory() {
        let place = Place { directory: Some("/a/b".into()), now: 0 };
        let shown = |path| place.shown(Path::new(path)).to_owned();
        assert_eq!(shown("/a/b/c/d"), Path::new("c/d"));
        assert_eq!(shown("/a/bc"), Path::new("/a/bc"));
        assert_eq!(shown("/a/b"), Path::new("/a/b"));
    }
}
