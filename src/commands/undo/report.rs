//! The records of patches that were undone or can be undone.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::file_diff::push_diff;
use crate::commands::json::{self, OwnedText, Text};
use crate::commands::output::{Record, Role, Style, counted};
use folio_files::history::HistoryEntry;
use folio_files::recovery::{Ending, Recovered};
use folio_files::undo::{Direction, Undone};
use folio_text::diff::FileDiff;

/// Maximum number of file names in each line of the list.
const MAX_NAMES: usize = 5;

/// The working directory and the time of a run.
pub(super) struct ReportContext {
    directory: Option<PathBuf>,
    now: u64,
}

impl ReportContext {
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
        let directory = self.directory.as_ref();
        let relative = directory.and_then(|directory| path.strip_prefix(directory).ok());
        relative.filter(|relative| !relative.as_os_str().is_empty()).unwrap_or(path)
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
    /// The values that the patch set, if they are short: key, old value and new value.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    values: &'a [String],
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

impl<'a> UndoneObject<'a> {
    /// Creates the record of a patch that was undone or redone.
    pub(super) fn new(undone: &'a Undone, direction: Direction, place: &'a ReportContext) -> Self {
        let record = &undone.entry.record;
        let files = record.files.iter().zip(&undone.moved_to).map(|(file, line)| FileObject {
            lines_delta: file.lines_delta.map(|delta| -delta),
            line: *line,
            removed: file.before.is_none(),
            ..FileObject::new(file.path(), place)
        });
        Self::of(&undone.entry, direction.command(), files.collect(), undone.recorded)
    }

    /// Creates the record of a patch that was removed from the history.
    pub(super) fn forgotten(entry: &'a HistoryEntry, place: &'a ReportContext) -> Self {
        let files = entry.files.iter().map(|path| FileObject::new(path, place));
        Self::of(entry, "forget", files.collect(), None)
    }

    fn of(
        entry: &'a HistoryEntry,
        direction: &'static str,
        files: Vec<FileObject<'a>>,
        recorded: Option<u64>,
    ) -> Self {
        Self {
            status: "success",
            direction,
            undo: entry.id,
            operation: &entry.record.operation,
            parts: &entry.record.parts,
            values: &entry.record.values,
            files,
            recorded,
        }
    }
}

impl Record for UndoneObject<'_> {
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        let patch = describe(self.operation, self.parts, self.values);
        for file in &self.files {
            let mut line = match self.direction {
                "forget" => format!(": removed {patch} from the history; the file is unchanged"),
                "redo" => format!(": redid {patch}"),
                _ => format!(": undid {patch}"),
            };
            if file.removed {
                line.push_str("; deleted the file");
            } else if let Some(delta) = file.lines_delta.filter(|delta| *delta != 0) {
                let more = if delta > 0 { "more" } else { "fewer" };
                let lines = if delta.abs() == 1 { "line" } else { "lines" };
                line.push_str(&format!("; {} {more} {lines}", delta.abs()));
            }
            if let Some(number) = file.line {
                line.push_str(&format!("; now at line {number}, because the file has changed"));
            }
            push_line(file.file_path, &line, style, out);
        }
    }
}

impl<'a> FileObject<'a> {
    fn new(path: &'a Path, place: &'a ReportContext) -> Self {
        Self { file_path: json::path(place.shown(path)), ..Self::default() }
    }
}

/// Formats the operation and the values that it set, or else the parts to which it was applied.
fn describe(operation: &str, parts: &[String], values: &[String]) -> String {
    if !values.is_empty() {
        return format!("{operation} {}", values.join(", "));
    }
    [&[operation.to_owned()], parts].concat().join(" ")
}

/// Appends a path and the rest of its line.
fn push_line(path: Text<'_>, rest: &str, style: Style, out: &mut Vec<u8>) {
    style.paint_bytes(Role::Path, path.0, out);
    out.extend_from_slice(&style.safe(rest.as_bytes()));
    out.push(b'\n');
}

/// An entry of the history, with --list.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EntryObject<'a> {
    /// The number of the patch, for folio undo. Absent if the entry is an undo.
    #[serde(skip_serializing_if = "Option::is_none")]
    undo: Option<u64>,
    /// The number of the undo, for folio redo. Absent if the entry is a patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    redo: Option<u64>,
    /// The number of the patch that was undone. Absent if the entry is a patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    undone: Option<u64>,
    /// The time in UTC, in the format of RFC 3339.
    time: String,
    /// The time since the patch or undo, in seconds.
    age_seconds: u64,
    /// The operation of the patch: replace, insert, apply and so on.
    operation: &'a str,
    /// The parts that were edited, as options. At most three parts; long ones are shortened.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    parts: &'a [String],
    /// The values that the patch set, if they are short: key, old value and new value.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    values: &'a [String],
    /// The files that the patch changed.
    files: Vec<FileObject<'a>>,
    /// The columns before the column of files.
    #[serde(skip)]
    fields: [String; FIELDS],
    /// Widths of these columns on a terminal.
    #[serde(skip)]
    widths: [usize; FIELDS],
}

/// Number of columns before the column of files.
const FIELDS: usize = 5;

/// Converts the entries of the history to records.
pub(super) fn history<'a>(
    entries: &'a [HistoryEntry],
    place: &'a ReportContext,
) -> Vec<EntryObject<'a>> {
    let record = |entry: &'a HistoryEntry| EntryObject {
        undo: Some(entry.id).filter(|_| !entry.is_undo()),
        redo: Some(entry.id).filter(|_| entry.is_undo()),
        undone: Some(entry.origin()).filter(|_| entry.is_undo()),
        time: json::timestamp(entry.record.time),
        age_seconds: place.age(entry.record.time),
        operation: &entry.record.operation,
        parts: &entry.record.parts,
        values: &entry.record.values,
        files: Vec::from_iter(entry.record.files.iter().map(|file| FileObject {
            lines_delta: file.lines_delta,
            line: file.line,
            ..FileObject::new(file.path(), place)
        })),
        fields: fields(entry, place),
        widths: [0; FIELDS],
    };
    let mut records: Vec<_> = entries.iter().map(record).collect();
    let widths = std::array::from_fn(|column| {
        let widths = records.iter().map(|record| record.fields[column].chars().count());
        widths.max().unwrap_or(0)
    });
    records.iter_mut().for_each(|record| record.widths = widths);
    records
}

/// Returns the columns: number, age, operation, change in lines, number of files.
fn fields(entry: &HistoryEntry, place: &ReportContext) -> [String; FIELDS] {
    let record = &entry.record;
    let mut done = describe(&record.operation, &record.parts, &record.values);
    if entry.is_undo() {
        done = format!("undo of {}: {done}", entry.origin());
    }
    let delta: Option<i64> = entry.record.files.iter().map(|file| file.lines_delta).sum();
    [
        entry.id.to_string(),
        age(place.age(entry.record.time)),
        done,
        delta.map_or_else(String::new, |delta| {
            let lines = if delta.abs() == 1 { "line" } else { "lines" };
            if delta == 0 { "0 lines".to_owned() } else { format!("{delta:+} {lines}") }
        }),
        counted(entry.files.len() as u64, "file"),
    ]
}

impl Record for EntryObject<'_> {
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        if style.terminal {
            return self.columns(style, out);
        }
        let fields = self.fields.each_ref().map(|field| field.replace(['\t', '\n'], " "));
        out.extend_from_slice(fields.join("\t").as_bytes());
        for file in self.files.iter().take(MAX_NAMES) {
            out.push(b'\t');
            out.extend_from_slice(file.file_path.0);
            out.extend(file.line.iter().flat_map(|line| format!(":{line}").into_bytes()));
        }
        if let Some(more) = self.more_files() {
            out.extend_from_slice(format!("\tand {more} more").as_bytes());
        }
        out.push(b'\n');
    }
}

impl EntryObject<'_> {
    /// Returns the number of files that are not named in the line.
    fn more_files(&self) -> Option<usize> {
        self.files.len().checked_sub(MAX_NAMES).filter(|more| *more > 0)
    }

    fn columns(&self, style: Style, out: &mut Vec<u8>) {
        let [id_width, age_width, done_width, lines_width, files_width] = self.widths;
        let [id, age, done, lines, files] = &self.fields;
        style.paint(Role::Lines, format!("{id:>id_width$}"), out);
        out.extend_from_slice(b"  ");
        style.paint(Role::Quiet, format!("{age:>age_width$}"), out);
        let done = style.safe(format!("  {done:done_width$}  ").as_bytes()).into_owned();
        out.extend_from_slice(&done);
        let counts = format!("{lines:>lines_width$}  {files:>files_width$}  ");
        out.extend_from_slice(counts.as_bytes());
        for (number, file) in self.files.iter().take(MAX_NAMES).enumerate() {
            if number > 0 {
                out.extend_from_slice(b", ");
            }
            style.paint_bytes(Role::Path, file.file_path.0, out);
            if let Some(line) = file.line {
                style.paint(Role::Lines, format!(":{line}"), out);
            }
        }
        if let Some(more) = self.more_files() {
            out.extend_from_slice(format!(" and {more} more").as_bytes());
        }
        out.push(b'\n');
    }
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
    diff: OwnedText,
}

impl<'a> DiffObject<'a> {
    /// Creates the record of the changes to the files of an entry, for output in a style.
    pub(super) fn new(
        status: &'static str,
        entry: &'a HistoryEntry,
        files: &'a [(PathBuf, FileDiff)],
        place: &'a ReportContext,
        style: Style,
    ) -> Self {
        let style = if style.json { Style::default() } else { style };
        let diff = |(path, diff): &'a (PathBuf, FileDiff)| {
            let (path, mut text) = (place.shown(path), Vec::new());
            push_diff(diff, path, style, &mut text);
            FileDiffObject { file_path: json::path(path), diff: OwnedText(text) }
        };
        Self {
            status,
            undo: entry.id,
            operation: &entry.record.operation,
            parts: &entry.record.parts,
            files: files.iter().map(diff).collect(),
        }
    }
}

impl Record for DiffObject<'_> {
    fn text(&self, _: Style, out: &mut Vec<u8>) {
        self.files.iter().for_each(|file| out.extend_from_slice(&file.diff.0));
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
    /// The time since the run, in its largest unit.
    #[serde(skip)]
    age: String,
}

impl<'a> RecoveredObject<'a> {
    /// Creates the record of a run that was recovered.
    pub(super) fn new(run: &'a Recovered, place: &'a ReportContext) -> Self {
        Self {
            status: "success",
            ending: match run.ending {
                Ending::Nothing => "nothing",
                Ending::Finished => "finished",
                Ending::TakenBack => "takenBack",
                Ending::InPart => "inPart",
            },
            time: json::timestamp(run.time),
            files: run.files.iter().map(|path| FileObject::new(path, place)).collect(),
            notes: &run.messages,
            age: age(place.age(run.time)),
        }
    }
}

impl Record for RecoveredObject<'_> {
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        let result = match self.ending {
            "nothing" => "it had not changed any file",
            "takenBack" => "rolled back",
            "inPart" => "partly done",
            ending => ending,
        };
        let line = format!(": interrupted {} ago; {result}", self.age);
        for file in &self.files {
            push_line(file.file_path, &line, style, out);
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
        let place = ReportContext { directory: Some("/a/b".into()), now: 0 };
        let shown = |path| place.shown(Path::new(path)).to_owned();
        assert_eq!(shown("/a/b/c/d"), Path::new("c/d"));
        assert_eq!(shown("/a/bc"), Path::new("/a/bc"));
        assert_eq!(shown("/a/b"), Path::new("/a/b"));
    }
}
