//! The types of the state directory, serialized as JSON: records of commits and entries of the
//! history. No other program reads them.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::{self, DeserializeOwned};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::text::span::Span;

/// The version of these records. Since version 2, checksums precede an entry. Since version 3, an
/// entry begins with the write-ahead record of its commit.
pub const VERSION: u32 = 3;

/// A path or a file name: a string, or `{"bytes":"<base64>"}` if it is not UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(pub OsString);

impl Name {
    /// Returns the name as a path.
    pub fn path(&self) -> &Path {
        Path::new(&self.0)
    }
}

impl From<&Path> for Name {
    fn from(path: &Path) -> Self {
        Self(path.as_os_str().to_owned())
    }
}

impl From<&OsStr> for Name {
    fn from(name: &OsStr) -> Self {
        Self(name.to_owned())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum NameForm {
    Text(String),
    Bytes { bytes: String },
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let form = match self.0.to_str() {
            Some(text) => NameForm::Text(text.to_owned()),
            None => NameForm::Bytes { bytes: STANDARD.encode(self.0.as_bytes()) },
        };
        form.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = match NameForm::deserialize(deserializer)? {
            NameForm::Text(text) => text.into_bytes(),
            NameForm::Bytes { bytes } => STANDARD.decode(bytes).map_err(de::Error::custom)?,
        };
        Ok(Self(OsString::from_vec(bytes)))
    }
}

/// Identifies the state of a file within its directory. It does not contain the ctime, which
/// changes when a file is renamed, or the device number, which may change at a restart.
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
    /// The edited parts, as the user named them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    /// The entry that this commit undoes or redoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverses: Option<Reversed>,
    /// The changed files; empty if the commit is not kept in the history.
    pub files: Vec<FileRecord>,
    /// For each step of the commit, its new file, if it has one.
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// The absolute path, with symlinks resolved.
    pub path: Name,
    /// The file before the commit. Absent if the commit created it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Identity>,
    /// The file after the commit. Absent if the commit removed it.
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
    /// The SHA-256 of the bytes that `hashed` selects, in hexadecimal digits.
    pub sha256: String,
    pub hashed: Hashed,
    /// For each edit, the offset and length in the new file, and the length of the bytes that it
    /// removed. The removed bytes follow the record in the same order.
    pub edits: Vec<(u64, u64, u64)>,
    /// For each edit, the lengths of the context before and after its content. The content with its
    /// context follows all removed bytes. Empty if no context was recorded.
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

/// The bytes that a checksum covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Hashed {
    /// The whole file.
    File,
    /// The edited spans and their context.
    Spans,
}

/// The first line of a record. It is written before the commit creates its first file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntentRecord {
    /// Whether all changes have been made. This field is overwritten in the file, so it must be the
    /// first one.
    pub done: bool,
    pub version: u32,
    /// Time of the commit, in seconds since 1970.
    pub time: u64,
    pub steps: Vec<StepRecord>,
}

/// One file of a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRecord {
    pub directory: Name,
    pub name: Name,
    /// The temporary name: before the exchange the name of the new file, afterwards the name of the
    /// old one.
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

/// The bytes of a file that an edit in place changes or moves. The state directory contains a copy
/// of the old and of the new bytes.
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
