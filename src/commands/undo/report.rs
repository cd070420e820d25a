//! What was taken back or can be, as records: text for people and pipes, JSON.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::commands::json::{self, Text};
use crate::commands::output::{Record, Role, Style, counted};
use crate::files::history::Entry;
use crate::files::recovery::{Ending, Recovered};
use crate::files::undo::Undone;

/// Files of an entry that are named on a terminal.
const MAX_NAMES: usize = 3;

/// Where the command runs, and when.
pub(super) struct Place {
    directory: Option<PathBuf>,
    now: u64,
}

impl Place {
    /// Here and now.
    pub(super) fn at(directory: Option<&Path>) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            directory: directory.map(Path::to_owned),
            now: since.map_or(0, |since| since.as_secs()),
        }
    }

    /// A path as it is typed here.
    pub(super) fn shown<'a>(&self, path: &'a Path) -> &'a Path {
        let own = self.directory.as_ref().and_then(|own| path.strip_prefix(own).ok());
        own.filter(|own| !own.as_os_str().is_empty()).unwrap_or(path)
    }

    /// How long ago something was.
    fn age(&self, time: u64) -> u64 {
        self.now.saturating_sub(time)
    }
}

#[derive(Serialize)]
struct UndoneObject<'a> {
    status: &'static str,
    undo: u64,
    operation: &'a str,
    files: Vec<FileObject<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileObject<'a> {
    file_path: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines_delta: Option<i64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    removed: bool,
}

/// What was taken back.
pub(super) struct UndoneRecord<'a> {
    pub(super) undone: &'a Undone,
    pub(super) place: &'a Place,
}

impl Record for UndoneRecord<'_> {
    fn json(&self, out: &mut Vec<u8>) {
        let files = self.undone.files.iter().map(|file| FileObject {
            file_path: json::path(self.place.shown(&file.path)),
            lines_delta: file.lines_delta,
            removed: file.is_removed,
        });
        out.extend_from_slice(&json::line(&UndoneObject {
            status: "success",
            undo: self.undone.id,
            operation: &self.undone.operation,
            files: files.collect(),
        }));
    }

    fn text(&self, style: Style, out: &mut Vec<u8>) {
        for file in &self.undone.files {
            push_path(self.place.shown(&file.path), style, out);
            out.extend_from_slice(b": ");
            out.extend_from_slice(&style.safe(self.undone.operation.as_bytes()));
            out.extend_from_slice(b" taken back");
            if file.is_removed {
                out.extend_from_slice(b"; the file is gone");
            } else if let Some(delta) = file.lines_delta.filter(|delta| *delta != 0) {
                let lines = counted(delta.unsigned_abs(), "line");
                let are = if delta.abs() == 1 { "is" } else { "are" };
                let what = if delta > 0 { "back" } else { "gone again" };
                out.extend_from_slice(format!("; {lines} {are} {what}").as_bytes());
            }
            out.push(b'\n');
        }
    }
}

fn push_path(path: &Path, style: Style, out: &mut Vec<u8>) {
    style.paint_bytes(Role::Path, path.as_os_str().as_bytes(), out);
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EntryObject<'a> {
    undo: u64,
    time: String,
    age_seconds: u64,
    operation: &'a str,
    files: Vec<FileObject<'a>>,
}

/// A patch that can be taken back.
pub(super) struct HistoryEntry<'a> {
    pub(super) entry: &'a Entry,
    pub(super) place: &'a Place,
    /// Columns of the number, the age and the operation on a terminal.
    pub(super) widths: [usize; 3],
}

/// Entries as records.
pub(super) fn history<'a>(entries: &'a [Entry], place: &'a Place) -> Vec<HistoryEntry<'a>> {
    let fields = |entry: &Entry| {
        [entry.id.to_string().len(), age(place.age(entry.time)).len(), entry.operation.len()]
    };
    let widths = entries.iter().map(fields).fold([0; 3], |widest, widths| {
        std::array::from_fn(|column| widest[column].max(widths[column]))
    });
    entries.iter().map(|entry| HistoryEntry { entry, place, widths }).collect()
}

impl Record for HistoryEntry<'_> {
    fn json(&self, out: &mut Vec<u8>) {
        let entry = self.entry;
        let files = entry.files.iter().zip(entry.lines_delta());
        let files = files.map(|(path, lines_delta)| FileObject {
            file_path: json::path(self.place.shown(path)),
            lines_delta,
            removed: false,
        });
        out.extend_from_slice(&json::line(&EntryObject {
            undo: entry.id,
            time: json::timestamp(entry.time),
            age_seconds: self.place.age(entry.time),
            operation: &entry.operation,
            files: files.collect(),
        }));
    }

    fn text(&self, style: Style, out: &mut Vec<u8>) {
        if style.terminal {
            return self.columns(style, out);
        }
        let entry = self.entry;
        let age = age(self.place.age(entry.time));
        out.extend_from_slice(format!("{}\t{age}\t{}", entry.id, entry.operation).as_bytes());
        for path in &entry.files {
            out.push(b'\t');
            out.extend_from_slice(self.place.shown(path).as_os_str().as_bytes());
        }
        out.push(b'\n');
    }
}

impl HistoryEntry<'_> {
    fn columns(&self, style: Style, line: &mut Vec<u8>) {
        let (entry, [id, old, operation]) = (self.entry, self.widths);
        style.paint(Role::Lines, format!("{:>id$}", entry.id), line);
        line.extend_from_slice(b"  ");
        let age = age(self.place.age(entry.time));
        style.paint(Role::Quiet, format!("{age:>old$}"), line);
        let done = style.safe(entry.operation.as_bytes());
        let done = String::from_utf8_lossy(&done);
        line.extend_from_slice(format!("  {done:operation$}  ").as_bytes());
        for (number, path) in entry.files.iter().take(MAX_NAMES).enumerate() {
            if number > 0 {
                line.extend_from_slice(b", ");
            }
            push_path(self.place.shown(path), style, line);
        }
        if let Some(more) = entry.files.len().checked_sub(MAX_NAMES).filter(|more| *more > 0) {
            line.extend_from_slice(format!(" and {more} more").as_bytes());
        }
        line.push(b'\n');
    }
}

/// A length of time, in its greatest unit.
fn age(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86400),
    }
}

#[derive(Serialize)]
struct RecoveredObject<'a> {
    status: &'static str,
    ending: &'static str,
    time: String,
    files: Vec<FileObject<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [String],
}

/// What became of a run that was cut off.
pub(super) struct RecoveredRecord<'a> {
    pub(super) run: &'a Recovered,
    pub(super) place: &'a Place,
}

impl Record for RecoveredRecord<'_> {
    fn json(&self, out: &mut Vec<u8>) {
        let files = self.run.files.iter().map(|path| FileObject {
            file_path: json::path(self.place.shown(path)),
            lines_delta: None,
            removed: false,
        });
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
        let what = match run.ending {
            Ending::Nothing => "no file was changed, and no temporary files are left",
            Ending::Finished => "finished: all of it is in place",
            Ending::TakenBack => "taken back: as it was before",
            Ending::InPart => "done in part only",
        };
        let age = age(self.place.age(run.time));
        // Of a run that has no plan yet only the directories are known.
        let paths = if run.files.is_empty() { &run.directories } else { &run.files };
        for path in paths {
            push_path(self.place.shown(path), style, out);
            out.extend_from_slice(format!(": cut off {age} ago: {what}\n").as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_in_their_greatest_unit() {
        let ages = [0, 59, 60, 7199, 7200, 86_399, 86_400, 200_000].map(age);
        assert_eq!(ages, ["0s", "59s", "1m", "1h", "2h", "23h", "1d", "2d"]);
    }

    #[test]
    fn paths_are_shown_as_they_are_typed() {
        let place = Place { directory: Some("/a/b".into()), now: 0 };
        let shown = |path| place.shown(Path::new(path)).to_owned();
        assert_eq!(shown("/a/b/c/d"), Path::new("c/d"));
        assert_eq!(shown("/a/bc"), Path::new("/a/bc"));
        assert_eq!(shown("/a/b"), Path::new("/a/b"));
    }
}
