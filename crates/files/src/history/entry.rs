//! The file of a commit: the record as it was before the commit, the complete record, and the
//! removed bytes. A line with checksums precedes each record. An entry with a wrong checksum is
//! never applied.

// The module accesses only folio's own files, in the state directory.
#![allow(clippy::disallowed_methods)]

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use memchr::memmem;
use sha2::{Digest, Sha256};

use super::EntryName;
use crate::error::Error;
use crate::records::{FileRecord, Record, Reversed};
use crate::roots::Roots;
use crate::state::{open_owned, remove_file};
use folio_text::edit::{Edit, EditSet};
use folio_text::hex::hex;
use folio_text::span::Span;

/// The first words of the lines with checksums: before the first record, while changes may still
/// be made and after that, and before the second record.
const MARKS: [&str; 3] = [OPEN, DONE, COMPLETE];
pub(crate) const OPEN: &str = "open";
pub(crate) const DONE: &str = "done";
pub(crate) const COMPLETE: &str = "full";
/// The length of a checksum in digits.
const DIGITS: usize = 64;
/// The length of a line with checksums.
const HEADER: usize = 4 + 2 * (1 + DIGITS) + 1;

/// An entry of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// The number of the entry. Later entries have greater numbers.
    pub id: u64,
    /// The absolute paths of the files, with symlinks resolved.
    pub files: Vec<PathBuf>,
    /// The path of the entry's file.
    pub(crate) path: PathBuf,
    /// The record of the patch.
    pub record: Record,
    // The offset of the removed bytes in the entry's file.
    bytes_at: u64,
    checksum: String,
}

/// The edits that undo the change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reverse {
    /// The edits that turn the file back into the old one.
    pub(crate) edits: EditSet,
    /// The content of each edit with its context. Empty if it was not recorded.
    pub(crate) places: Vec<Vec<u8>>,
}

pub(crate) fn hex_digits(sum: Sha256) -> String {
    hex(&sum.finalize())
}

/// Writes a record at an offset of its file. `bytes` writes the bytes after the record, at the
/// given offset, and returns their checksum. The line with checksums is written last, so that an
/// incomplete record has none. Returns the offset of the bytes.
pub(crate) fn write(
    file: &File,
    at: u64,
    mark: &str,
    record: &Record,
    bytes: impl FnOnce(&File, u64) -> io::Result<String>,
) -> io::Result<u64> {
    // Serialization fails only for maps whose keys are not strings, and records contain no maps.
    let mut line = serde_json::to_vec(record)?;
    line.push(b'\n');
    let bytes_at = at + (HEADER + line.len()) as u64;
    file.write_all_at(&line, at + HEADER as u64)?;
    let checksum = bytes(file, bytes_at)?;
    let record_checksum = hex_digits(Sha256::new_with_prefix(&line).chain_update(&checksum));
    file.write_all_at(format!("{mark} {record_checksum} {checksum}\n").as_bytes(), at)?;
    Ok(bytes_at)
}

/// Writes no bytes after a record.
pub(crate) fn no_bytes(_: &File, _: u64) -> io::Result<String> {
    Ok(hex_digits(Sha256::new()))
}

/// A record in a file, which has a line with checksums and is therefore complete.
pub(crate) struct Stored {
    /// Whether the record is marked as done.
    pub(crate) is_done: bool,
    /// The record. `None` if it is damaged.
    pub(crate) record: Option<Record>,
    /// The offset of the bytes after the record.
    pub(crate) bytes_at: u64,
    checksum: String,
}

/// Reads the record at an offset. Returns `None` if it is incomplete.
pub(crate) fn read_record(mut file: &File, at: u64) -> io::Result<Option<Stored>> {
    file.seek(SeekFrom::Start(at))?;
    let (mut lines, mut header, mut line) = (BufReader::new(file), Vec::new(), Vec::new());
    lines.by_ref().take(HEADER as u64).read_to_end(&mut header)?;
    // Before the line with checksums is written, the file ends here or contains null bytes.
    if header.last().is_none_or(|&byte| byte == 0) {
        return Ok(None);
    }
    let (mark, record_checksum, checksum) = parse_checksums(&header).unwrap_or_default();
    let bytes_at = at + (HEADER + lines.read_until(b'\n', &mut line)?) as u64;
    let is_sound =
        hex_digits(Sha256::new_with_prefix(&line).chain_update(checksum)) == record_checksum;
    let record = is_sound.then(|| serde_json::from_slice(&line).ok()).flatten();
    let record = record.filter(Record::is_possible);
    Ok(Some(Stored { is_done: mark == DONE, record, bytes_at, checksum: checksum.to_owned() }))
}

/// Reads the second record of a file, after the first one. Returns `None` if it is incomplete.
pub(crate) fn read_second_record(file: &File, first: &Stored) -> io::Result<Option<Stored>> {
    let stored = read_record(file, first.bytes_at)?;
    let length = file.metadata()?.len();
    Ok(stored.map(|stored| {
        let is_whole =
            |record: &Record| length.checked_sub(stored.bytes_at) == record.kept_length();
        Stored { record: stored.record.filter(is_whole), ..stored }
    }))
}

/// Reads an entry. Returns `None` if it is damaged.
pub(super) fn read(path: PathBuf, name: EntryName) -> io::Result<Option<HistoryEntry>> {
    let file = match open_owned(&path, false) {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => return Ok(None),
        file => file?,
    };
    let Some(first) = read_record(&file, 0)?.filter(|first| first.record.is_some()) else {
        return Ok(None);
    };
    let Some(Stored { record: Some(mut record), bytes_at, checksum, .. }) =
        read_second_record(&file, &first)?
    else {
        return Ok(None);
    };
    record.files.retain(|file| !file.is_backup);
    let files = record.paths().collect();
    Ok(Some(HistoryEntry { id: name.id, files, path, record, bytes_at, checksum }))
}

/// Parses a line with checksums: its mark, and the checksums of the record and of the bytes.
fn parse_checksums(line: &[u8]) -> Option<(&str, &str, &str)> {
    let mut words = std::str::from_utf8(line).ok()?.strip_suffix('\n')?.split(' ');
    let found = (words.next()?, words.next()?, words.next()?);
    let is_sound = words.next().is_none() && line.len() == HEADER && MARKS.contains(&found.0);
    is_sound.then_some(found)
}

impl HistoryEntry {
    /// Whether all files of the entry are below the roots.
    pub fn lies_in(&self, roots: &Roots) -> bool {
        self.files.iter().all(|file| roots.may_hold(file))
    }

    /// Whether the entry is an undo, which a redo reverts.
    pub fn is_undo(&self) -> bool {
        self.record.is_undo()
    }

    /// Returns the number of the original patch.
    pub fn origin(&self) -> u64 {
        self.record.reverses.as_ref().map_or(self.id, |reversed| reversed.origin)
    }

    /// Returns what a commit that reverses the entry records about it.
    pub(crate) fn reversed(&self, is_undo: bool) -> Reversed {
        let between = self.record.reverses.as_ref().map(|reversed| {
            let last = Some(reversed.id).filter(|&id| id != reversed.origin);
            reversed.between.iter().copied().chain(last).collect()
        });
        let between = between.unwrap_or_default();
        Reversed { id: self.id, origin: self.origin(), is_undo, between }
    }

    /// Returns the edits that undo the entry, for each file. Returns `None` if the entry is
    /// damaged.
    pub(crate) fn reverse(&self) -> io::Result<Option<Vec<Reverse>>> {
        let mut file = open_owned(&self.path, false)?;
        file.seek(SeekFrom::Start(self.bytes_at))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        if self.checksum != hex_digits(Sha256::new_with_prefix(&bytes)) {
            return Ok(None);
        }
        let mut rest = bytes.as_slice();
        let mut take = |count: u64| {
            let (part, more) = rest.split_at_checked(usize::try_from(count).ok()?)?;
            rest = more;
            Some(part.to_vec())
        };
        let edits = |record: &FileRecord| {
            let edits = record.edits.iter().map(|&(start, new, old)| {
                Some(Edit::new(Span::new(start, start + new), take(old)?))
            });
            EditSet::new(edits.collect::<Option<_>>()?).ok()
        };
        let files = &self.record.files;
        let removed: Option<Vec<EditSet>> = files.iter().map(edits).collect();
        let places =
            files.iter().map(|record| record.places().map(|span| take(span.len())).collect());
        let places: Option<Vec<Vec<Vec<u8>>>> = places.collect();
        Ok(removed.zip(places).map(|(removed, places)| {
            let reverse = |(edits, places)| Reverse { edits, places };
            removed.into_iter().zip(places).map(reverse).collect()
        }))
    }

    /// Whether the entry is still in the history.
    pub(crate) fn is_there(&self) -> Result<bool, Error> {
        self.path.try_exists().map_err(|error| Error::io(&error, &self.path))
    }

    /// Whether the removed bytes, the text around them, the names of the parts, the values or the
    /// paths contain a text.
    pub(crate) fn mentions(&self, text: &str) -> io::Result<bool> {
        let (mut file, mut kept) = (open_owned(&self.path, false)?, Vec::new());
        file.seek(SeekFrom::Start(self.bytes_at))?;
        file.read_to_end(&mut kept)?;
        let contains = |bytes: &[u8]| memmem::find(bytes, text.as_bytes()).is_some();
        let mut files = self.record.files.iter().map(|file| file.path.as_encoded_bytes());
        let words = self.record.parts.iter().chain(&self.record.values);
        Ok(contains(&kept) || words.map(String::as_bytes).any(contains) || files.any(contains))
    }

    /// Removes the entry from the history. Its number is not used again.
    pub(crate) fn remove(&self) -> io::Result<()> {
        remove_file(&self.path)
    }
}
