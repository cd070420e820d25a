//! What the state directory contains, as it is in its files: entries of the
//! history and journals of commits, in JSON. Nobody else reads them; their
//! version says what a later folio may make of them.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::{self, DeserializeOwned};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::text::span::Span;

/// The version of these records: from the second one on, checksums are before an
/// entry of the history.
pub const VERSION: u32 = 2;

/// A path or a name, of whatever bytes: text, or `{"bytes":"<base64>"}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(pub OsString);

impl Name {
    /// As a path.
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

/// What tells one state of a file from another in one directory. The time of the last
/// change of the inode is no part of it: an exchange of names changes it. Nor is the
/// device: many have another number after a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Its number on its device.
    pub inode: u64,
    /// Bytes.
    pub size: u64,
    /// When its bytes last changed: seconds since 1970 and nanoseconds.
    pub mtime: (i64, u32),
}

/// One patch or transaction, or what took one back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryRecord {
    pub version: u32,
    /// Seconds since 1970.
    pub time: u64,
    /// What was done, in a word or two.
    pub operation: String,
    /// The parts that it was done to, as they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    /// The number of the patch that it undid or redid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverses: Option<Reversed>,
    pub files: Vec<FileRecord>,
}

/// The entry that an undo or a redo was about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reversed {
    /// Its number.
    pub id: u64,
    /// The number that the patch had at first.
    pub origin: u64,
    /// Whether the patch was undone; else it was redone.
    pub is_undo: bool,
}

/// What it did to one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Where the bytes are: absolute, links followed.
    pub path: Name,
    /// What it was before; absent where it was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Identity>,
    /// What it was left as; absent where it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Identity>,
    /// The permission bits of a file that is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
    /// Whether its own inode was written to.
    #[serde(default)]
    pub in_place: bool,
    /// New lines minus old ones, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines_delta: Option<i64>,
    /// The first line that it changed, as the file was left, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// SHA-256 of what `hashed` says, in hexadecimal digits.
    pub sha256: String,
    pub hashed: Hashed,
    /// Offset and length in the file as it was left, and the length of what
    /// was there before. Those bytes follow the record, in this order.
    pub edits: Vec<(u64, u64, u64)>,
    /// For each edit, how many bytes before and after what it brought are kept with
    /// that, after all bytes that were there before; empty where they are not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub around: Vec<(u64, u64)>,
}

impl FileRecord {
    /// Where each edit and what is kept around it are in the file as it was left.
    pub fn places(&self) -> impl Iterator<Item = Span> {
        let places = self.edits.iter().zip(&self.around);
        places.map(|((start, new, _), (before, after))| {
            Span::new(start - before, start + new + after)
        })
    }
}

/// What a hash was taken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Hashed {
    /// The whole file.
    File,
    /// The edited spans and what stands around them.
    Spans,
}

/// The first line of a journal: a commit has begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalRecord {
    pub version: u32,
    /// Seconds since 1970.
    pub time: u64,
    /// The directories in which it leaves something when it crashes.
    pub directories: Vec<Name>,
}

/// A further line: a temporary name is taken that the plan may not list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemporaryRecord {
    pub directory: Name,
    pub temporary: String,
}

/// The line before the changes: everything is ready, and will be put in place one by one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanRecord {
    /// The entry of the history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<u64>,
    pub steps: Vec<StepRecord>,
}

/// One file of a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRecord {
    pub directory: Name,
    pub name: Name,
    #[serde(flatten)]
    pub step: StepKind,
}

/// What is done to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum StepKind {
    /// Another file takes its name; the old one stays under the temporary name until all is
    /// done.
    Replace {
        temporary: String,
        old: Identity,
        new: Identity,
        #[serde(skip_serializing_if = "Option::is_none")]
        backup: Option<Name>,
    },
    /// It was not there before; the new file comes from the temporary name.
    Create { temporary: String, new: Identity },
    /// It goes, by way of the temporary name.
    Remove { temporary: String, old: Identity },
    /// Its own inode is written to; what is overwritten is kept.
    Rewrite {
        old: Identity,
        /// Bytes of the file from here on are kept.
        start: u64,
        /// How many.
        length: u64,
        /// The file in the state directory that contains them.
        copy: String,
        /// Start, end and content in base64 of each edit.
        edits: Vec<(u64, u64, String)>,
    },
}

/// Bytes as they are in a record.
pub fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Bytes of a record.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// A record as a line.
pub fn line(record: &impl Serialize) -> Vec<u8> {
    // The records hold no maps with keys that are not strings, so this does
    // not fail.
    let mut line = serde_json::to_vec(record).unwrap_or_default();
    line.push(b'\n');
    line
}

/// A record from a line; `None` for what is not one, or of another version.
pub fn parse<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    serde_json::from_slice(line).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_as_they_were() {
        let identity = Identity { inode: 2, size: 3, mtime: (-4, 5) };
        let step = StepRecord {
            directory: Name::from(Path::new("/caf\u{e9}")),
            name: Name(OsString::from_vec(b"\xff".to_vec())),
            step: StepKind::Remove { temporary: ".folio-0123abcd.tmp".into(), old: identity },
        };
        let plan = PlanRecord { undo: None, steps: vec![step] };
        let written = line(&plan);
        assert_eq!(parse::<PlanRecord>(&written), Some(plan));
        assert_eq!(parse::<PlanRecord>(&written[..written.len() / 2]), None);
    }

    #[test]
    fn fields_of_other_versions_are_passed_over() {
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
