//! The file of a history entry: the intent of the commit, a line with checksums, the record, and
//! the removed bytes. An entry with a wrong checksum is never applied.

// The module accesses only folio's own files, in the state directory.
#![allow(clippy::disallowed_methods)]

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use super::EntryName;
use crate::error::Error;
use crate::files::records::{self, EntryRecord, FileRecord, IntentRecord, VERSION};
use crate::files::roots::Roots;
use crate::files::state::{open_own, remove_file};
use crate::text::edit::{Edit, EditSet};
use crate::text::hex::hex;
use crate::text::span::Span;

/// The first word of the line with checksums.
const MARK: &str = "folio-undo";
/// The length of a checksum in digits.
const DIGITS: usize = 64;

/// An entry of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The number of the entry. Later entries have greater numbers.
    pub id: u64,
    /// The absolute paths of the files, with symlinks resolved.
    pub files: Vec<PathBuf>,
    /// The path of the entry's file.
    pub(in crate::files) path: PathBuf,
    /// The record of the patch.
    pub record: EntryRecord,
    // The offset of the removed bytes in the entry's file.
    bytes_at: u64,
    checksum: String,
}

/// The edits that undo the change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::files) struct Reverse {
    /// The edits that turn the file back into the old one.
    pub(in crate::files) edits: EditSet,
    /// The content of each edit with its context. Empty if it was not recorded.
    pub(in crate::files) places: Vec<Vec<u8>>,
}

/// A checksum in hexadecimal digits.
pub(in crate::files) fn digits(sum: Sha256) -> String {
    hex(&sum.finalize())
}

/// Writes a record at an offset of its file. `bytes` writes the bytes after the record, at the
/// given offset, and returns their checksum. The checksums are written last, so that an incomplete
/// record has none.
pub(in crate::files) fn write(
    file: &File,
    at: u64,
    record: &EntryRecord,
    bytes: impl FnOnce(&File, u64) -> io::Result<String>,
) -> io::Result<()> {
    let line = records::line(record);
    let record_at = at + (MARK.len() + 2 * (DIGITS + 1) + 1) as u64;
    file.write_all_at(&line, record_at)?;
    let checksum = bytes(file, record_at + line.len() as u64)?;
    let own = digits(Sha256::new_with_prefix(&line));
    file.write_all_at(format!("{MARK} {own} {checksum}\n").as_bytes(), at)
}

/// The contents of the file of a commit.
#[derive(Default)]
pub(in crate::files) struct Parsed {
    /// Whether the first line is complete.
    pub(in crate::files) has_line: bool,
    /// The first line, unless it is damaged.
    pub(in crate::files) intent: Option<IntentRecord>,
    /// Whether the file has the checksums of a record, which are written last.
    pub(in crate::files) is_complete: bool,
    /// The record, unless it is incomplete or damaged.
    pub(in crate::files) record: Option<EntryRecord>,
    bytes_at: u64,
    checksum: String,
}

/// Reads the intent and the record in a file, if they are complete and undamaged.
pub(in crate::files) fn parse(file: &File) -> io::Result<Parsed> {
    let length = file.metadata()?.len();
    let (mut lines, mut bytes_at) = (BufReader::new(file), 0);
    let mut next = || {
        let mut line = Vec::new();
        bytes_at += lines.read_until(b'\n', &mut line)? as u64;
        Ok::<_, io::Error>(line)
    };
    let mut line = next()?;
    let mut parsed = Parsed { has_line: line.ends_with(b"\n"), ..Parsed::default() };
    // Until version 2, an entry began with its checksums.
    if line.starts_with(b"{") {
        parsed.intent = records::parse(&line);
        line = next()?;
    }
    let Some([own, checksum]) = checksums(&line) else { return Ok(parsed) };
    let line = next()?;
    let record = (digits(Sha256::new_with_prefix(&line)) == own).then(|| records::parse(&line));
    let is_possible = |record: &EntryRecord| {
        record.version <= VERSION
            && record.files.iter().all(is_possible)
            && length.checked_sub(bytes_at) == kept(record)
    };
    let record = record.flatten().filter(is_possible);
    Ok(Parsed { is_complete: true, record, bytes_at, checksum, ..parsed })
}

/// Reads an entry. Returns `None` if it is damaged.
pub(super) fn read(path: PathBuf, name: EntryName) -> io::Result<Option<Entry>> {
    let file = match open_own(&path, false) {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => return Ok(None),
        file => file?,
    };
    let Parsed { record, bytes_at, checksum, .. } = parse(&file)?;
    Ok(record.map(|record| {
        let files = record.files.iter().map(|file| file.path.path().to_owned()).collect();
        Entry { id: name.id, files, path, record, bytes_at, checksum }
    }))
}

fn checksums(line: &[u8]) -> Option<[String; 2]> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let mut words = line.strip_prefix(MARK)?.strip_prefix(' ')?.split(' ');
    let sums = [words.next()?.to_owned(), words.next()?.to_owned()];
    words.next().is_none().then_some(sums)
}

/// Whether the record of a file is consistent. A file that is created or removed has exactly one
/// edit.
fn is_possible(file: &FileRecord) -> bool {
    let is_whole = match (&file.before, &file.after) {
        (Some(_), Some(_)) => true,
        (Some(before), None) => file.edits == [(0, 0, before.size)],
        (None, Some(_)) => file.edits.is_empty(),
        (None, None) => false,
    };
    let size = file.after.map_or(0, |after| after.size);
    let around = file.around.iter().copied().chain(std::iter::repeat((0, 0)));
    let mut edits = file.edits.iter().zip(around);
    is_whole
        && [0, file.edits.len()].contains(&file.around.len())
        && edits.all(|(&(start, new, _), (before, after))| {
            let end = start.checked_add(new).and_then(|end| end.checked_add(after));
            before <= start && end.is_some_and(|end| end <= size)
        })
}

/// Returns the number of bytes after a record.
fn kept(record: &EntryRecord) -> Option<u64> {
    let of_file = |file: &FileRecord| {
        let removed = file.edits.iter().map(|(_, _, old)| *old);
        removed.chain(file.places().map(Span::len)).try_fold(0, u64::checked_add)
    };
    record.files.iter().map(of_file).try_fold(0u64, |all, own| all.checked_add(own?))
}

impl Entry {
    /// Whether all files of the entry are below the roots.
    pub fn lies_in(&self, roots: &Roots) -> bool {
        self.files.iter().all(|file| roots.may_hold(file))
    }

    /// Whether the entry is an undo, which a redo reverts.
    pub fn is_undo(&self) -> bool {
        self.record.reverses.is_some_and(|reversed| reversed.is_undo)
    }

    /// Returns the number of the original patch.
    pub(in crate::files) fn origin(&self) -> u64 {
        self.record.reverses.map_or(self.id, |reversed| reversed.origin)
    }

    /// Returns the edits that undo the entry, for each file. Returns `None` if the entry is
    /// damaged.
    pub(in crate::files) fn reverse(&self) -> io::Result<Option<Vec<Reverse>>> {
        let mut file = open_own(&self.path, false)?;
        file.seek(SeekFrom::Start(self.bytes_at))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        if self.checksum != digits(Sha256::new_with_prefix(&bytes)) {
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
        let places = files.iter().map(|record| record.places().map(|it| take(it.len())).collect());
        let places: Option<Vec<Vec<Vec<u8>>>> = places.collect();
        Ok(removed.zip(places).map(|(removed, places)| {
            let reverse = |(edits, places)| Reverse { edits, places };
            removed.into_iter().zip(places).map(reverse).collect()
        }))
    }

    /// Whether the entry is still in the history.
    pub(in crate::files) fn is_there(&self) -> Result<bool, Error> {
        self.path.try_exists().map_err(|error| Error::io(&error, &self.path))
    }

    /// Removes the entry from the history. Its number is not used again.
    pub(in crate::files) fn remove(&self) -> io::Result<()> {
        remove_file(&self.path)
    }
}
