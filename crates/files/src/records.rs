//! The record of a commit, serialized as JSON. While the commit runs, it is a journal; afterwards,
//! it is an entry of the history. No other program reads it.

use std::collections::hash_map::RandomState;
use std::ffi::OsString;
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};

use folio_text::span::Span;

/// The version of this format. Records of other versions are refused.
pub const VERSION: u32 = 4;

/// Identifies a file in its directory, and its state. It does not contain the ctime, which changes
/// when a file is renamed, or the device number, which may change when the system restarts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The inode number.
    pub inode: u64,
    /// The size in bytes.
    pub size: u64,
    /// The time of modification: seconds since 1970 and nanoseconds.
    pub mtime: (i64, u32),
}

/// A commit. The file of a commit contains this record twice: before the first new file is created,
/// and again, with the new files, before the first change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub version: u32,
    /// Time of the commit, in seconds since 1970.
    pub time: u64,
    /// The operation, in one or two words.
    pub operation: String,
    /// The edited parts, in the words of the user's request.
    pub parts: Vec<String>,
    /// The values that the commit set, such as `version: 1.2.0 → 1.3.0`, unless they are long or
    /// secret.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// For an undo or redo, the entry that this commit reverses.
    pub reverses: Option<Reversed>,
    /// Whether the commit becomes an entry of the history.
    pub is_kept: bool,
    /// The absolute paths of the directories that were created for the files, outermost first. An
    /// undo removes those that are empty, and a redo creates them again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub directories: Vec<OsString>,
    pub files: Vec<FileRecord>,
}

/// The entry that an undo or a redo reverses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reversed {
    /// The number of the entry.
    pub id: u64,
    /// The number of the original patch.
    pub origin: u64,
    /// Whether the patch was undone. Otherwise it was redone.
    pub is_undo: bool,
    /// The numbers of the undos and redos of the patch before the entry, earliest first. Earlier
    /// versions did not record them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub between: Vec<u64>,
}

/// The change of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// The absolute path, with symlinks resolved.
    pub path: OsString,
    /// The temporary name. Before the exchange, the new file has this name; after it, the old file.
    pub temporary: String,
    /// The file before the commit. Absent if the commit creates the file.
    pub before: Option<Identity>,
    /// The file after the commit, once it is written. Absent if the commit removes the file.
    pub after: Option<Identity>,
    /// The bytes that change, if the file is written in place.
    pub in_place: Option<Region>,
    /// Whether this file is a backup of another file of the commit.
    pub is_backup: bool,
    /// The permission bits of the old file.
    pub mode: Option<u32>,
    /// Number of new lines minus number of old lines, if known.
    pub lines_delta: Option<i64>,
    /// Number of the first changed line in the new file, if known.
    pub line: Option<u64>,
    /// The SHA-256 of the bytes that `history::hashed_spans` returns, in hexadecimal digits.
    pub sha256: String,
    /// For each edit: the offset and length of its content in the new file, and the number of bytes
    /// that it removed. The removed bytes follow the record, in this order.
    pub edits: Vec<(u64, u64, u64)>,
    /// For each edit, the lengths of the context before and after its content. The contents with
    /// context follow all removed bytes. Empty if no context was recorded.
    pub around: Vec<(u64, u64)>,
    /// The number of other places in the new file that match an edit and its context: completely,
    /// and on one side. Absent if they were not counted, as in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alike: Option<(u64, u64)>,
}

impl FileRecord {
    /// Returns the absolute path, with symlinks resolved.
    pub fn path(&self) -> &Path {
        Path::new(&self.path)
    }

    /// Returns the path of the directory.
    pub fn directory(&self) -> &Path {
        self.path().parent().unwrap_or(self.path())
    }

    /// Returns the span of each edit in the new file, including its context.
    pub fn places(&self) -> impl Iterator<Item = Span> {
        let places = self.edits.iter().zip(&self.around);
        places.map(|((start, new, _), (before, after))| {
            Span::new(start - before, start + new + after)
        })
    }
}

impl FileRecord {
    /// Whether the temporary name, and the bytes that are written in place, are possible.
    fn has_possible_names(&self) -> bool {
        match (self.in_place, self.before) {
            (Some(region), Some(old)) => {
                let end = region.start.checked_add(region.old);
                end.is_some_and(|end| end <= old.size) && old.size.checked_add(region.new).is_some()
            }
            (in_place, _) => in_place.is_none() && is_temporary_name(&self.temporary),
        }
    }

    /// Whether the edits are possible. A file that is removed has one edit, and a
    /// file that is created has none.
    fn has_possible_edits(&self) -> bool {
        let is_whole = match (&self.before, &self.after) {
            (Some(_), Some(_)) => true,
            (Some(before), None) => self.edits == [(0, 0, before.size)],
            (None, Some(_)) => self.edits.is_empty(),
            (None, None) => false,
        };
        let size = self.after.map_or(0, |after| after.size);
        let around = self.around.iter().copied().chain(std::iter::repeat((0, 0)));
        let mut edits = self.edits.iter().zip(around);
        is_whole
            && [0, self.edits.len()].contains(&self.around.len())
            && edits.all(|(&(start, new, _), (before, after))| {
                let end = start.checked_add(new).and_then(|end| end.checked_add(after));
                before <= start && end.is_some_and(|end| end <= size)
            })
    }
}

impl Record {
    /// Returns the directories that were created for the files, outermost first.
    pub fn created_directories(&self) -> Vec<PathBuf> {
        self.directories.iter().map(PathBuf::from).collect()
    }

    /// Whether the commit is an undo, not a patch or a redo.
    pub fn is_undo(&self) -> bool {
        self.reverses.as_ref().is_some_and(|reversed| reversed.is_undo)
    }

    /// Returns the paths of the files.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.files.iter().map(|file| file.path().to_owned())
    }

    /// Whether a crash leaves at most one file, with its old or new contents, and temporary files.
    pub fn is_simple(&self) -> bool {
        let mut files = self.files.iter().filter(|file| !file.is_backup);
        files.next().is_none_or(|file| file.in_place.is_none()) && files.next().is_none()
    }

    /// Whether folio may have written this record.
    pub fn is_possible(&self) -> bool {
        self.version == VERSION && self.files.iter().all(FileRecord::has_possible_names)
    }

    /// Returns the number of bytes that follow this record in the history: the removed bytes, and
    /// the contents with context. Returns `None` if folio cannot have written the record.
    pub fn kept_length(&self) -> Option<u64> {
        let of_file = |file: &FileRecord| {
            if !file.has_possible_edits() {
                return None;
            }
            let removed = file.edits.iter().map(|(_, _, old)| *old);
            removed.chain(file.places().map(Span::len)).try_fold(0, u64::checked_add)
        };
        let files = self.files.iter().filter(|_| self.is_kept);
        files.map(of_file).try_fold(0u64, |total, length| total.checked_add(length?))
    }
}

/// A random name that other users cannot predict: `.folio-XXXXXXXX.tmp`.
pub fn temporary_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let random = RandomState::new().hash_one(COUNT.fetch_add(1, Ordering::Relaxed));
    format!(".folio-{:08x}.tmp", random >> 32)
}

/// Whether a name has the form of the names that [`temporary_name`] returns.
fn is_temporary_name(name: &str) -> bool {
    let digits = name.strip_prefix(".folio-").and_then(|name| name.strip_suffix(".tmp"));
    digits.is_some_and(|digits| {
        digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// The bytes of a file that an in-place edit changes or moves. The state directory contains a copy
/// of the old and the new bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// The offset of the region in the file.
    pub start: u64,
    /// The number of old bytes.
    pub old: u64,
    /// The number of new bytes.
    pub new: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_earlier_versions_are_read() {
        let record =
            FileRecord { path: "/a".into(), around: vec![(1, 2)], ..FileRecord::default() };
        let earlier = serde_json::to_string(&record).expect("JSON");
        assert!(!earlier.contains("alike"), "{earlier}");
        assert_eq!(serde_json::from_str::<FileRecord>(&earlier).ok(), Some(record.clone()));
        let record = FileRecord { alike: Some((1, 2)), ..record };
        let now = serde_json::to_string(&record).expect("JSON");
        assert_eq!(serde_json::from_str::<FileRecord>(&now).ok(), Some(record));
    }

    #[test]
    fn only_names_made_here_are_accepted_from_a_record() {
        let [first, second] = [(); 2].map(|()| temporary_name());
        assert_ne!(first, second);
        assert!(is_temporary_name(&first), "{first}");
        for name in ["a.md", ".folio-0.tmp", ".folio-../../x.tmp", ".folio-1234567g.tmp", ""] {
            assert!(!is_temporary_name(name), "{name}");
        }
    }
}
