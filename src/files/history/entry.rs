//! An entry of the history as it is in its file: a line with checksums, the
//! record, and bytes. What fails its checksums is never applied.

// The history is folio's own, in the state directory.
#![allow(clippy::disallowed_methods)]

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::EntryName;
use crate::error::Error;
use crate::files::env::Env;
use crate::files::records::{self, EntryRecord, FileRecord, Reversed, VERSION};
use crate::files::roots::Roots;
use crate::files::state::{create_private, open_own};
use crate::text::edit::{Edit, EditSet};
use crate::text::span::Span;

/// What the line with checksums begins with. Entries of the first version have none.
const MARK: &str = "folio-undo";
/// The digits of a checksum.
const DIGITS: usize = 64;

/// An entry of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number; later ones have greater numbers.
    pub id: u64,
    /// When it was made, in seconds since 1970.
    pub time: u64,
    /// What was done.
    pub operation: String,
    /// The parts that it was done to, as they were asked for.
    pub parts: Vec<String>,
    /// The files, absolute, links followed.
    pub files: Vec<PathBuf>,
    /// Where it is.
    path: PathBuf,
    pub(in crate::files) record: EntryRecord,
    // Where the bytes begin in its file, and their checksum.
    bytes_at: u64,
    checksum: Option<String>,
}

/// What undoes the change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::files) struct Reverse {
    /// The edits, of the file as it was left.
    pub(in crate::files) edits: EditSet,
    /// What stood where each edit ended, with what was around it; empty where it
    /// was not kept.
    pub(in crate::files) places: Vec<Vec<u8>>,
}

/// The checksum of bytes, in hexadecimal digits.
pub(in crate::files) fn digits(sum: Sha256) -> String {
    sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes an entry; `bytes` writes its bytes from an offset on, and tells their
/// checksum. The checksums come last, so that one that was cut short has none.
pub(super) fn write(
    path: &Path,
    record: &EntryRecord,
    bytes: impl FnOnce(&File, u64) -> io::Result<String>,
) -> io::Result<u64> {
    let line = records::line(record);
    let file = create_private(path)?;
    let at = (MARK.len() + 2 * (DIGITS + 1) + 1) as u64;
    file.write_all_at(&line, at)?;
    let end = at + line.len() as u64;
    let checksum = bytes(&file, end)?;
    let own = digits(Sha256::new_with_prefix(&line));
    file.write_all_at(format!("{MARK} {own} {checksum}\n").as_bytes(), 0)?;
    Ok(file.metadata()?.len())
}

/// Reads an entry; `None` where it is damaged.
pub(super) fn read(path: PathBuf, name: EntryName) -> io::Result<Option<Entry>> {
    let file = match open_own(&path, false) {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => return Ok(None),
        file => file?,
    };
    let length = file.metadata()?.len();
    let mut lines = BufReader::new(file);
    let mut line = Vec::new();
    lines.read_until(b'\n', &mut line)?;
    let (mut bytes_at, mut checksum) = (line.len() as u64, None);
    if !line.starts_with(b"{") {
        let Some([record, bytes]) = checksums(&line) else { return Ok(None) };
        line.clear();
        lines.read_until(b'\n', &mut line)?;
        if digits(Sha256::new_with_prefix(&line)) != record {
            return Ok(None);
        }
        bytes_at += line.len() as u64;
        checksum = Some(bytes);
    }
    let record: Option<EntryRecord> = records::parse(&line);
    let is_known = |record: &EntryRecord| {
        record.version <= VERSION
            && record.files.iter().all(is_possible)
            && length.checked_sub(bytes_at) == kept(record)
    };
    let Some(record) = record.filter(is_known) else { return Ok(None) };
    Ok(Some(Entry {
        id: name.id,
        time: record.time,
        operation: record.operation.clone(),
        parts: record.parts.clone(),
        files: record.files.iter().map(|file| file.path.path().to_owned()).collect(),
        path,
        record,
        bytes_at,
        checksum,
    }))
}

fn checksums(line: &[u8]) -> Option<[String; 2]> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let mut words = line.strip_prefix(MARK)?.strip_prefix(' ')?.split(' ');
    let sums = [words.next()?.to_owned(), words.next()?.to_owned()];
    words.next().is_none().then_some(sums)
}

/// Whether what it says can be: entries without checksums may say anything. A file that
/// came or went did so as a whole.
fn is_possible(file: &FileRecord) -> bool {
    let is_whole = match (&file.before, &file.after) {
        (Some(_), Some(_)) => true,
        (Some(before), None) => file.edits == [(0, 0, before.size)],
        (None, Some(_)) => file.edits.is_empty(),
        (None, None) => false,
    };
    if !is_whole {
        return false;
    }
    let size = file.after.map_or(0, |after| after.size);
    let edits = file.edits.iter().zip(file.around.iter().copied().chain(std::iter::repeat((0, 0))));
    let mut edits = edits.map(|(&(start, new, _), (before, after))| {
        let end = start.checked_add(new)?.checked_add(after)?;
        (before <= start && end <= size).then_some(start)
    });
    edits.all(|start| start.is_some()) && [0, file.edits.len()].contains(&file.around.len())
}

/// How many bytes belong to a record.
fn kept(record: &EntryRecord) -> Option<u64> {
    let of_file = |file: &FileRecord| {
        let removed = file.edits.iter().map(|(_, _, old)| *old);
        removed.chain(file.places().map(Span::len)).try_fold(0, u64::checked_add)
    };
    record.files.iter().map(of_file).try_fold(0u64, |all, own| all.checked_add(own?))
}

impl Entry {
    /// Whether it changed only what is where files may be.
    pub fn lies_in(&self, roots: &Roots) -> bool {
        self.files.iter().all(|file| roots.may_hold(file))
    }

    /// The number of the patch that it undid or redid.
    pub(in crate::files) fn reverses(&self) -> Option<Reversed> {
        self.record.reverses
    }

    /// Whether it is an undo, which a redo reverts.
    pub fn is_undo(&self) -> bool {
        self.reverses().is_some_and(|reversed| reversed.is_undo)
    }

    /// The number that the patch had at first.
    pub(in crate::files) fn origin(&self) -> u64 {
        self.reverses().map_or(self.id, |reversed| reversed.origin)
    }

    /// New lines minus old ones of each file, as far as known.
    pub fn lines_delta(&self) -> impl Iterator<Item = Option<i64>> {
        self.record.files.iter().map(|file| file.lines_delta)
    }

    /// The first line that it changed in each file, as far as known.
    pub fn first_lines(&self) -> impl Iterator<Item = Option<u64>> {
        self.record.files.iter().map(|file| file.line)
    }

    /// What undoes what it did, file by file; `None` where it is damaged.
    pub(in crate::files) fn reverse(&self) -> io::Result<Option<Vec<Reverse>>> {
        let mut file = open_own(&self.path, false)?;
        file.seek(SeekFrom::Start(self.bytes_at))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let sum = || digits(Sha256::new_with_prefix(&bytes));
        if self.checksum.as_ref().is_some_and(|checksum| *checksum != sum()) {
            return Ok(None);
        }
        let mut rest = bytes.as_slice();
        let mut take = |count: u64| {
            let (part, more) = rest.split_at_checked(usize::try_from(count).ok()?)?;
            rest = more;
            Some(part.to_vec())
        };
        let removed: Option<Vec<EditSet>> = self
            .record
            .files
            .iter()
            .map(|record| {
                let edits = record.edits.iter().map(|&(start, new, old)| {
                    Some(Edit::new(Span::new(start, start + new), take(old)?))
                });
                EditSet::new(edits.collect::<Option<_>>()?).ok()
            })
            .collect();
        let Some(removed) = removed else { return Ok(None) };
        let places = self
            .record
            .files
            .iter()
            .map(|record| record.places().map(|place| take(place.len())).collect());
        let places: Option<Vec<Vec<Vec<u8>>>> = places.collect();
        let reverse = |(edits, places)| Reverse { edits, places };
        Ok(places.map(|places| removed.into_iter().zip(places).map(reverse).collect()))
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is there still.
    pub(in crate::files) fn is_there(&self) -> Result<bool, Error> {
        self.path.try_exists().map_err(|error| Error::io(&error, &self.path))
    }

    /// Takes it out of the history; its number is not given again.
    pub(in crate::files) fn remove(&self, env: &Env) -> io::Result<()> {
        super::take_away(&self.path, self.id, env)
    }
}
