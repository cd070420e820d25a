//! The types of the files in the state directory, serialized as JSON: records of commits and
//! entries of the history. No other program reads these files.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::hash::BuildHasher;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::text::span::Span;

/// The version of these records. Since version 2, an entry begins with checksums; since version 3,
/// with the write-ahead record of its commit.
pub const VERSION: u32 = 3;

/// A path or a file name: a string, or `{"bytes":"<base64>"}` if it is not UTF-8.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "NameForm", try_from = "NameForm")]
pub struct Name(pub OsString);

impl Name {
    /// Returns the name as a path.
    pub fn path(&self) -> &Path {
        Path::new(&self.0)
    }
}

impl<T: AsRef<OsStr> + ?Sized> From<&T> for Name {
    fn from(name: &T) -> Self {
        Self(name.as_ref().to_owned())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum NameForm {
    Text(String),
    Bytes { bytes: String },
}

impl From<Name> for NameForm {
    fn from(name: Name) -> Self {
        let name = name.0.into_string().map(Self::Text);
        name.unwrap_or_else(|name| Self::Bytes { bytes: STANDARD.encode(name.as_bytes()) })
    }
}

impl TryFrom<NameForm> for Name {
    type Error = base64::DecodeError;

    fn try_from(form: NameForm) -> Result<Self, Self::Error> {
        Ok(Self(match form {
            NameForm::Text(text) => text.into(),
            NameForm::Bytes { bytes } => OsString::from_vec(STANDARD.decode(bytes)?),
        }))
    }
}

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

/// A commit: its changes and, for an undo, the entry that it reverses. The removed bytes follow the
/// record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryRecord {
    pub version: u32,
    /// Time of the commit, in seconds since 1970.
    pub time: u64,
    /// The operation, in one or two words.
    pub operation: String,
    /// The edited parts, in the words of the user's request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    /// The entry that this commit undoes or redoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverses: Option<Reversed>,
    /// The changed files. Empty if the commit is not kept in the history.
    pub files: Vec<FileRecord>,
    /// For each step of the commit, the new file. `None` if the step has no new file.
    #[serde(default)]
    pub new: Vec<Option<Identity>>,
}

/// The entry that an undo or a redo reverses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reversed {
    /// The number of the entry.
    pub id: u64,
    /// The number of the original patch.
    pub origin: u64,
    /// Whether the patch was undone. Otherwise it was redone.
    pub is_undo: bool,
}

/// The change of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// The absolute path, with symlinks resolved.
    pub path: Name,
    /// The file before the commit. Absent if the commit created the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Identity>,
    /// The file after the commit. Absent if the commit removed the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Identity>,
    /// The permission bits of a removed file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
    /// Whether the file was written in place.
    #[serde(default)]
    pub in_place: bool,
    /// Number of new lines minus number of old lines, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines_delta: Option<i64>,
    /// Number of the first changed line in the new file, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The SHA-256 of the bytes that `history::hashed_spans` returns, in hexadecimal digits.
    pub sha256: String,
    /// For each edit: the offset and length of its content in the new file, and the number of bytes
    /// that it removed. The removed bytes follow the record, in this order.
    pub edits: Vec<(u64, u64, u64)>,
    /// For each edit, the lengths of the context before and after its content. The contents with
    /// context follow all removed bytes. Empty if no context was recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub around: Vec<(u64, u64)>,
}

impl FileRecord {
    /// Returns the span of each edit in the new file, including its context.
    pub fn places(&self) -> impl Iterator<Item = Span> {
        let places = self.edits.iter().zip(&self.around);
        places.map(|((start, new, _), (before, after))| {
            Span::new(start - before, start + new + after)
        })
    }
}

/// The first line of a record. It is written before the commit creates its first file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntentRecord {
    /// Whether all changes have been made. This field is overwritten in the file, so it must come
    /// first.
    pub done: bool,
    pub version: u32,
    /// Time of the commit, in seconds since 1970.
    pub time: u64,
    pub steps: Vec<StepRecord>,
}

impl IntentRecord {
    /// Returns the paths of the files.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.steps.iter().map(|step| step.directory.path().join(&step.name.0))
    }
}

/// One file of a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRecord {
    pub directory: Name,
    pub name: Name,
    /// The temporary name. Before the exchange, the new file has this name; after it, the old file.
    pub temporary: String,
    /// The file before the commit. Absent if the commit creates it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<Identity>,
    /// The bytes that change, if the file is written in place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_place: Option<Region>,
    /// Whether this file is a backup of another file of the commit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_backup: bool,
}

impl StepRecord {
    /// Whether folio may have written this record.
    pub fn is_possible(&self) -> bool {
        match (self.in_place, self.old) {
            (Some(region), Some(old)) => {
                let end = region.start.checked_add(region.old);
                end.is_some_and(|end| end <= old.size) && old.size.checked_add(region.new).is_some()
            }
            (in_place, _) => in_place.is_none() && is_temporary_name(&self.temporary),
        }
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
    digits.is_some_and(|it| it.len() == 8 && it.bytes().all(|byte| byte.is_ascii_hexdigit()))
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

/// Serializes a record as a line.
pub fn line(record: &impl Serialize) -> Vec<u8> {
    // Serialization fails only for maps whose keys are not strings, and the records contain no
    // maps.
    let mut line = serde_json::to_vec(record).unwrap_or_default();
    line.push(b'\n');
    line
}

/// Parses a line. Returns `None` if the line is not a record of this type.
pub fn parse<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    serde_json::from_slice(line).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_back_unchanged() {
        let old = Some(Identity { inode: 2, size: 3, mtime: (-4, 5) });
        let step = StepRecord {
            directory: Name::from(Path::new("/caf\u{e9}")),
            name: Name(OsString::from_vec(b"\xff".to_vec())),
            temporary: ".folio-0123abcd.tmp".into(),
            old,
            in_place: Some(Region { start: 1, old: 2, new: 3 }),
            is_backup: false,
        };
        let intent = IntentRecord { done: false, version: VERSION, time: 7, steps: vec![step] };
        let written = line(&intent);
        assert!(written.starts_with(b"{\"done\":false,"));
        assert_eq!(parse::<IntentRecord>(&written), Some(intent));
        assert_eq!(parse::<IntentRecord>(&written[..written.len() / 2]), None);
    }

    #[test]
    fn only_names_made_here_are_accepted_from_a_record() {
        let [one, other] = [(); 2].map(|()| temporary_name());
        assert_ne!(one, other);
        assert!(is_temporary_name(&one), "{one}");
        for name in ["a.md", ".folio-0.tmp", ".folio-../../x.tmp", ".folio-1234567g.tmp", ""] {
            assert!(!is_temporary_name(name), "{name}");
        }
    }

    #[test]
    fn unknown_fields_are_ignored() {
        let identity = r#"{"device":1,"inode":2,"size":3,"mtime":[4,5]}"#;
        let file = format!(
            r#"{{"path":"/d/x/a","before":null,"after":{identity},"sha256":"","hashed":"file",
            "parents":["/d/x"],"edits":[]}}"#
        );
        let record = parse::<FileRecord>(file.as_bytes()).expect("a record");
        assert_eq!((record.path.path(), record.before), (Path::new("/d/x/a"), None));
        assert!(record.around.is_empty() && record.after.is_some());
    }
}
