//! How it is told: as text for people and pipes, as JSON.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::commands::json::{self, Text};
use crate::commands::output::{Closed, Role, Sink, Style};
use crate::files::history::Entry;
use crate::files::recovery::{Ending, Recovered};
use crate::files::undo::Undone;

/// Files of an entry that are named on a terminal.
const MAX_NAMES: usize = 3;

/// Where the command runs, and when.
pub struct Place {
    directory: Option<PathBuf>,
    now: u64,
}

impl Place {
    /// Here and now.
    pub fn at(directory: Option<&Path>) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            directory: directory.map(Path::to_owned),
            now: since.map_or(0, |since| since.as_secs()),
        }
    }

    /// A path as it is typed here.
    pub fn shown<'a>(&self, path: &'a Path) -> &'a Path {
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

/// Tells what was taken back.
pub fn undone(undone: &Undone, place: &Place, style: Style) -> Vec<u8> {
    if style.json {
        let files = undone.files.iter().map(|file| FileObject {
            file_path: json::path(place.shown(&file.path)),
            lines_delta: file.lines_delta,
            removed: file.is_removed,
        });
        return json::line(&UndoneObject {
            status: "success",
            undo: undone.id,
            operation: &undone.operation,
            files: files.collect(),
        });
    }
    let mut out = Vec::new();
    for file in &undone.files {
        push_path(place.shown(&file.path), style, &mut out);
        let operation =
            String::from_utf8_lossy(&style.safe(undone.operation.as_bytes())).into_owned();
        out.extend_from_slice(format!(": {operation} taken back").as_bytes());
        if file.is_removed {
            out.extend_from_slice(b"; the file is gone");
        } else if let Some(delta) = file.lines_delta.filter(|delta| *delta != 0) {
            let lines = if delta.abs() == 1 { "line" } else { "lines" };
            let are = if delta.abs() == 1 { "is" } else { "are" };
            let what = if delta > 0 { "back" } else { "gone again" };
            out.extend_from_slice(format!("; {} {lines} {are} {what}", delta.abs()).as_bytes());
        }
        out.push(b'\n');
    }
    out
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

/// Tells of entries, one a line.
pub fn list(entries: &[Entry], place: &Place, output: &mut dyn Sink) -> Result<(), Closed> {
    let style = output.style();
    let width = |text: fn(&Entry, &Place) -> String| {
        entries.iter().map(|entry| text(entry, place).len()).max().unwrap_or(0)
    };
    let id = |entry: &Entry, _: &Place| entry.id.to_string();
    let age = |entry: &Entry, place: &Place| age(place.age(entry.time));
    let operation = |entry: &Entry, _: &Place| entry.operation.clone();
    let widths = (width(id), width(age), width(operation));
    for entry in entries {
        let line = if style.json {
            entry_json(entry, place)
        } else if style.terminal {
            terminal_line(entry, place, widths, style)
        } else {
            pipe_line(entry, place)
        };
        output.write(&line)?;
    }
    Ok(())
}

fn entry_json(entry: &Entry, place: &Place) -> Vec<u8> {
    let files = entry.files.iter().zip(entry.lines_delta());
    json::line(&EntryObject {
        undo: entry.id,
        time: json::timestamp(entry.time),
        age_seconds: place.age(entry.time),
        operation: &entry.operation,
        files: files
            .map(|(path, lines_delta)| FileObject {
                file_path: json::path(place.shown(path)),
                lines_delta,
                removed: false,
            })
            .collect(),
    })
}

/// Fields between tabs, one or more files at the end.
fn pipe_line(entry: &Entry, place: &Place) -> Vec<u8> {
    let age = age(place.age(entry.time));
    let mut line = format!("{}\t{age}\t{}", entry.id, entry.operation).into_bytes();
    for path in &entry.files {
        line.push(b'\t');
        line.extend_from_slice(place.shown(path).as_os_str().as_bytes());
    }
    line.push(b'\n');
    line
}

fn terminal_line(
    entry: &Entry,
    place: &Place,
    (id, old, operation): (usize, usize, usize),
    style: Style,
) -> Vec<u8> {
    let mut line = Vec::new();
    style.paint(Role::Lines, format!("{:>id$}", entry.id), &mut line);
    line.extend_from_slice(b"  ");
    style.paint(Role::Quiet, format!("{:>old$}", age(place.age(entry.time))), &mut line);
    let done = style.safe(entry.operation.as_bytes());
    let done = String::from_utf8_lossy(&done);
    line.extend_from_slice(format!("  {done:operation$}  ").as_bytes());
    for (number, path) in entry.files.iter().take(MAX_NAMES).enumerate() {
        if number > 0 {
            line.extend_from_slice(b", ");
        }
        push_path(place.shown(path), style, &mut line);
    }
    if let Some(more) = entry.files.len().checked_sub(MAX_NAMES).filter(|more| *more > 0) {
        line.extend_from_slice(format!(" and {more} more").as_bytes());
    }
    line.push(b'\n');
    line
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

/// Tells what became of a run that was cut off.
pub fn recovered(one: &Recovered, place: &Place, style: Style) -> Vec<u8> {
    if style.json {
        let files = one.files.iter().map(|path| FileObject {
            file_path: json::path(place.shown(path)),
            lines_delta: None,
            removed: false,
        });
        return json::line(&RecoveredObject {
            status: "success",
            ending: match one.ending {
                Ending::Nothing => "nothing",
                Ending::Finished => "finished",
                Ending::TakenBack => "takenBack",
                Ending::InPart => "inPart",
            },
            time: json::timestamp(one.time),
            files: files.collect(),
            notes: &one.told,
        });
    }
    let what = match one.ending {
        Ending::Nothing => "no file was changed, and no temporary files are left",
        Ending::Finished => "finished: all of it is in place",
        Ending::TakenBack => "taken back: as it was before",
        Ending::InPart => "done in part only",
    };
    // Of a run that has no plan yet only the directories are known.
    let paths = if one.files.is_empty() { &one.directories } else { &one.files };
    let mut out = Vec::new();
    for path in paths {
        push_path(place.shown(path), style, &mut out);
        let age = age(place.age(one.time));
        out.extend_from_slice(format!(": cut off {age} ago: {what}\n").as_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_in_their_greatest_unit() {
        let told = [0, 59, 60, 7199, 7200, 86_399, 86_400, 200_000].map(age);
        assert_eq!(told, ["0s", "59s", "1m", "1h", "2h", "23h", "1d", "2d"]);
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
