//! The history of patches: what takes each of them back. An entry holds the
//! bytes that were removed and where, never a copy of a file, and what shows
//! whether a file is still what the patch left.

// The history is folio's own, in the state directory.
#![allow(clippy::disallowed_methods)]

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::records::{self, EntryRecord, FileRecord, Hashed, VERSION};
use super::roots::Roots;
use super::state::{StateDirectory, create_private, now};
use super::system;
use crate::text::edit::{Edit, EditSet};
use crate::text::span::Span;

/// The part of the state directory that holds entries.
const PART: &str = "history";
const ENDING: &str = ".entry";
/// The file that holds the greatest number that was ever given.
const LAST: &str = "last";
/// Of a file that stands beside an entry while that is being taken back.
const TAKEN: &str = ".taken";

/// Entries that are kept at most.
pub const MAX_ENTRIES: usize = 1000;
/// Bytes of all entries at most.
pub const MAX_BYTES: u64 = 64 << 20;
/// Seconds for which an entry is kept at most.
pub const MAX_SECONDS: u64 = 30 * 24 * 60 * 60;
/// Bytes of one entry at most: larger patches cannot be undone.
pub const MAX_OF_ENTRY: u64 = 16 << 20;
/// Larger files are not hashed as a whole.
pub const MAX_HASHED: u64 = 64 << 20;
/// Bytes that are read at once.
const CHUNK: usize = 256 * 1024;
/// Bytes around an edit that are hashed with it.
const AROUND: u64 = 64 * 1024;

/// What a patch is called in the history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// What was done: `replace`, `apply`…
    pub operation: String,
    /// New lines minus old ones of each change, in order, as far as known.
    pub lines_delta: Vec<Option<i64>>,
}

/// An entry of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number; later ones have greater numbers.
    pub id: u64,
    /// When it was made, in seconds since 1970.
    pub time: u64,
    /// What was done.
    pub operation: String,
    /// The files, absolute, links followed.
    pub files: Vec<PathBuf>,
    /// Where it is.
    path: PathBuf,
    pub(super) record: EntryRecord,
    // Where the removed bytes begin in its file.
    bytes_at: u64,
}

/// The bounds of a history.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    entries: usize,
    bytes: u64,
    seconds: u64,
}

const BOUNDS: Bounds = Bounds { entries: MAX_ENTRIES, bytes: MAX_BYTES, seconds: MAX_SECONDS };

/// The name of an entry's file, which says all that pruning needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct EntryName {
    id: u64,
    time: u64,
    size: u64,
}

impl EntryName {
    fn file_name(self) -> String {
        format!("{}-{}-{}{ENDING}", self.id, self.time, self.size)
    }

    fn parse(name: &str) -> Option<Self> {
        let mut parts = name.strip_suffix(ENDING)?.split('-').map(|part| part.parse().ok());
        let (id, time, size) = (parts.next()??, parts.next()??, parts.next()??);
        parts.next().is_none().then_some(Self { id, time, size })
    }
}

/// An entry that was written before the commit that it is about.
#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) id: u64,
    path: PathBuf,
}

impl Recorded {
    /// Takes it away: what it is about did not come to be.
    pub(super) fn remove(&self) {
        // One that stays is found to be about nothing.
        let _ = fs::remove_file(&self.path);
    }
}

/// Writes an entry. `bytes` writes what was removed: `removed` bytes in the
/// order of the record.
pub(super) fn record(
    state: &StateDirectory,
    operation: &str,
    files: Vec<FileRecord>,
    removed: u64,
    bytes: impl FnOnce(&File, u64) -> io::Result<()>,
) -> io::Result<Recorded> {
    record_within(state, BOUNDS, operation, files, removed, bytes)
}

fn record_within(
    state: &StateDirectory,
    bounds: Bounds,
    operation: &str,
    files: Vec<FileRecord>,
    removed: u64,
    bytes: impl FnOnce(&File, u64) -> io::Result<()>,
) -> io::Result<Recorded> {
    let directory = state.part(PART)?;
    // Until the entry has its number.
    let _lock = lock(&directory)?;
    let names = names(&directory)?;
    let time = now();
    let record = EntryRecord { version: VERSION, time, operation: operation.to_owned(), files };
    let head = records::line(&record);
    let size = head.len() as u64 + removed;
    let newest = names.last().map_or(0, |name| name.id);
    let id = newest.max(last(&directory)) + 1;
    prune(&directory, &names, time, Bounds { entries: bounds.entries - 1, ..bounds }, size);
    let path = directory.join(EntryName { id, time, size }.file_name());
    let mut file = create_private(&path)?;
    let recorded = Recorded { id, path };
    let written = file.write_all(&head).and_then(|()| bytes(&file, head.len() as u64));
    written.inspect_err(|_| recorded.remove()).map(|()| recorded)
}

/// The names of all entries, oldest first.
fn names(directory: &Path) -> io::Result<Vec<EntryName>> {
    let mut names: Vec<EntryName> = fs::read_dir(directory)?
        .flatten()
        .filter_map(|item| EntryName::parse(item.file_name().to_str()?))
        .collect();
    names.sort_unstable();
    Ok(names)
}

fn last(directory: &Path) -> u64 {
    let text = fs::read_to_string(directory.join(LAST)).unwrap_or_default();
    text.trim().parse().unwrap_or(0)
}

/// Remembers a number that was given, when its entry goes.
fn remember(directory: &Path, id: u64) -> io::Result<()> {
    if last(directory) < id { fs::write(directory.join(LAST), format!("{id}\n")) } else { Ok(()) }
}

/// The name of the file that stands beside an entry while that is taken back.
fn taken_name(id: u64) -> String {
    format!("{id}{TAKEN}")
}

/// Keeps other runs from giving numbers and from taking entries away. It is
/// never held for long.
fn lock(directory: &Path) -> io::Result<File> {
    let lock = File::open(directory)?;
    system::lock(&lock, true)?;
    Ok(lock)
}

/// Takes away all entries that are too old: whoever looks at the history or
/// makes a change sees to that.
pub(super) fn expire(state: &StateDirectory) {
    if let Some(directory) = state.existing_part(PART) {
        expire_in(&directory, BOUNDS.seconds);
    }
}

/// The names of the entries that stay, oldest first.
fn expire_in(directory: &Path, seconds: u64) -> Vec<EntryName> {
    let all = names(directory).unwrap_or_default();
    let now = now();
    let is_old = |name: &EntryName| name.time.saturating_add(seconds) < now;
    if !all.iter().any(is_old) {
        return all;
    }
    let (old, young): (Vec<_>, Vec<_>) = all.into_iter().partition(is_old);
    if let Ok(_lock) = lock(directory) {
        old.iter().for_each(|name| drop_entry(directory, *name));
    }
    young
}

fn drop_entry(directory: &Path, name: EntryName) {
    let _ = remember(directory, name.id);
    let _ = fs::remove_file(directory.join(name.file_name()));
    let _ = fs::remove_file(directory.join(taken_name(name.id)));
}

/// Takes away the oldest entries until there is room for one of `size` bytes.
fn prune(directory: &Path, names: &[EntryName], now: u64, bounds: Bounds, size: u64) {
    let mut bytes: u64 = size + names.iter().map(|name| name.size).sum::<u64>();
    let mut count = names.len();
    for name in names {
        let is_old = name.time.saturating_add(bounds.seconds) < now;
        if !is_old && count <= bounds.entries && bytes <= bounds.bytes {
            return;
        }
        drop_entry(directory, *name);
        count -= 1;
        bytes -= name.size;
    }
}

/// All entries that can be read, newest first.
pub fn list(state: &StateDirectory) -> Vec<Entry> {
    entries(state).collect()
}

/// The newest entry that `wanted` takes.
pub fn find(state: &StateDirectory, mut wanted: impl FnMut(&Entry) -> bool) -> Option<Entry> {
    entries(state).find(|entry| wanted(entry))
}

fn entries(state: &StateDirectory) -> impl Iterator<Item = Entry> {
    let directory = state.existing_part(PART).unwrap_or_default();
    let names = expire_in(&directory, BOUNDS.seconds);
    names.into_iter().rev().filter_map(move |name| open(&directory, name))
}

fn open(directory: &Path, name: EntryName) -> Option<Entry> {
    let path = directory.join(name.file_name());
    let mut file = File::open(&path).ok()?;
    // One that a crash cut short.
    if file.metadata().ok()?.len() != name.size {
        return None;
    }
    let head = first_line(&mut file).ok()?;
    let record: EntryRecord = records::parse(&head)?;
    let removed: u64 =
        record.files.iter().flat_map(|file| &file.edits).map(|(_, _, old)| old).sum();
    let bytes_at = head.len() as u64 + 1;
    if record.version != VERSION || bytes_at + removed != name.size {
        return None;
    }
    Some(Entry {
        id: name.id,
        time: record.time,
        operation: record.operation.clone(),
        files: record.files.iter().map(|file| file.path.path().to_owned()).collect(),
        path,
        record,
        bytes_at,
    })
}

/// The first line of a file, without its end.
fn first_line(file: &mut File) -> io::Result<Vec<u8>> {
    let mut line = vec![0; 4096];
    let mut filled = 0;
    loop {
        if filled == line.len() {
            line.resize(line.len() * 2, 0);
        }
        let count = file.read(&mut line[filled..])?;
        let end = memchr::memchr(b'\n', &line[filled..filled + count]);
        if let Some(end) = end {
            line.truncate(filled + end);
            return Ok(line);
        }
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        filled += count;
    }
}

impl Entry {
    /// Whether it changed only what is where files may be.
    pub fn lies_in(&self, roots: &Roots) -> bool {
        self.files.iter().all(|file| roots.may_hold(file))
    }

    /// The edits that take back what it did, file by file.
    pub(super) fn reversed(&self) -> io::Result<Vec<EditSet>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.bytes_at))?;
        let mut edits_of = |record: &FileRecord| {
            let edits = record.edits.iter().map(|&(start, new, old)| {
                let mut content = vec![0; usize::try_from(old).unwrap_or(usize::MAX)];
                file.read_exact(&mut content)?;
                Ok(Edit::new(Span::new(start, start + new), content))
            });
            let edits: Vec<Edit> = edits.collect::<io::Result<_>>()?;
            EditSet::new(edits).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))
        };
        self.record.files.iter().map(&mut edits_of).collect()
    }

    /// New lines minus old ones of each file, as far as known.
    pub fn lines_delta(&self) -> Vec<Option<i64>> {
        self.record.files.iter().map(|file| file.lines_delta).collect()
    }

    /// Says that it is being taken back: after a crash that may have been done.
    pub(super) fn begin_taking(&self) -> io::Result<()> {
        File::create(self.path.with_file_name(taken_name(self.id))).map(|_| ())
    }

    /// Says that it is not being taken back any more.
    pub(super) fn end_taking(&self) {
        // One that stays matters only to this very entry.
        let _ = fs::remove_file(self.path.with_file_name(taken_name(self.id)));
    }

    /// Whether a run ended while it took this back.
    pub(super) fn was_being_taken(&self) -> bool {
        self.path.with_file_name(taken_name(self.id)).exists()
    }

    /// Takes it out of the history; its number is not given again.
    pub(super) fn remove(&self) -> io::Result<()> {
        let directory = self.path.parent().unwrap_or(&self.path);
        let _lock = lock(directory)?;
        remember(directory, self.id)?;
        fs::remove_file(&self.path)
    }

    /// Whether it is there still.
    pub(super) fn is_there(&self) -> bool {
        self.path.exists()
    }
}

/// Takes an entry away by its number, where there is one.
pub(super) fn remove(state: &StateDirectory, id: u64) {
    if let Some(entry) = find(state, |entry| entry.id == id) {
        // One that stays is found to be about nothing.
        let _ = entry.remove();
    }
}

/// What is hashed of a file of `length` bytes to show that it is the one that
/// edits left; `brought` are what the edits brought, sorted.
pub(super) fn hashed_spans(
    length: u64,
    brought: impl IntoIterator<Item = Span>,
) -> (Hashed, Vec<Span>) {
    if length <= MAX_HASHED {
        return (Hashed::File, vec![Span::new(0, length)]);
    }
    let mut spans: Vec<Span> = Vec::new();
    let mut left = MAX_HASHED;
    for span in brought {
        let until = spans.last().map_or(0, |last| last.end());
        let start = span.start().saturating_sub(AROUND).max(until);
        let end = (span.end() + AROUND).min(length).min(start + left);
        if end > start {
            spans.push(Span::new(start, end));
            left -= end - start;
        }
    }
    (Hashed::Spans, spans)
}

/// The hash of what `read` gives out, in hexadecimal digits.
pub(super) fn hash(
    read: impl FnOnce(&mut dyn FnMut(&[u8])) -> io::Result<()>,
) -> io::Result<String> {
    let mut sum = Sha256::new();
    read(&mut |bytes| sum.update(bytes))?;
    Ok(sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The hash of spans of an open file.
pub(super) fn hash_file(file: &File, spans: &[Span]) -> io::Result<String> {
    let mut buffer = Vec::new();
    hash(|take| {
        for span in spans {
            let mut at = span.start();
            while at < span.end() {
                let count = usize::try_from(span.end() - at).unwrap_or(usize::MAX).min(CHUNK);
                buffer.resize(count, 0);
                file.read_exact_at(&mut buffer, at)?;
                take(&buffer);
                at += count as u64;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_record(removed: u64) -> FileRecord {
        let identity = system::Identity { device: 1, inode: 2, size: 3, mtime: (4, 5) };
        FileRecord {
            path: Path::new("/a").into(),
            before: None,
            after: identity,
            in_place: false,
            lines_delta: Some(-1),
            sha256: String::new(),
            hashed: Hashed::File,
            edits: vec![(7, 1, removed)],
        }
    }

    fn add(state: &StateDirectory, bounds: Bounds, removed: u64) -> Recorded {
        let bytes = |file: &File, at| file.write_all_at(&vec![b'x'; removed as usize], at);
        record_within(state, bounds, "replace", vec![file_record(removed)], removed, bytes)
            .expect("recorded")
    }

    fn ids(state: &StateDirectory) -> Vec<u64> {
        list(state).iter().map(|entry| entry.id).collect()
    }

    #[test]
    fn entries_come_back_newest_first_and_numbers_never() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::at(sandbox.path().join("state"));
        assert!(list(&state).is_empty());
        for removed in [3, 100_000, 0] {
            add(&state, BOUNDS, removed);
        }
        assert_eq!(ids(&state), [3, 2, 1]);
        let second = find(&state, |entry| entry.id == 2).expect("there");
        let expected = Edit::new(Span::new(7, 8), vec![b'x'; 100_000]);
        assert_eq!(second.reversed().expect("read")[0].edits(), [expected]);
        assert_eq!(
            (second.files[0].as_path(), second.lines_delta()[0]),
            (Path::new("/a"), Some(-1))
        );
        remove(&state, 3);
        assert_eq!(ids(&state), [2, 1]);
        assert_eq!(add(&state, BOUNDS, 1).id, 4);
    }

    #[test]
    fn the_history_is_bounded() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::at(sandbox.path().join("state"));
        let few = Bounds { entries: 3, ..BOUNDS };
        for _ in 0..5 {
            add(&state, few, 1);
        }
        assert_eq!(ids(&state), [5, 4, 3]);
        add(&state, Bounds { bytes: 3000, ..BOUNDS }, 2000);
        add(&state, Bounds { bytes: 3000, ..BOUNDS }, 2000);
        assert_eq!(ids(&state), [7]);
        let name = EntryName { id: 1, time: 5, size: 9 };
        let directory = state.part(PART).expect("there");
        fs::write(directory.join(name.file_name()), "cut short").expect("written");
        assert_eq!(ids(&state), [7]);
        add(&state, BOUNDS, 1);
        assert!(!directory.join(name.file_name()).exists());
    }

    #[test]
    fn what_is_too_old_goes_when_the_history_is_looked_at() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::at(sandbox.path().join("state"));
        let directory = state.part(PART).expect("made");
        let looks: [&dyn Fn(); 3] = [&|| expire(&state), &|| drop(list(&state)), &|| {
            assert_eq!(find(&state, |_| true).map(|entry| entry.id), None)
        }];
        for (index, look) in looks.iter().enumerate() {
            let time = now() - MAX_SECONDS - 10;
            let old = EntryName { id: 4 + index as u64, time, size: 9 };
            let young = EntryName { time: time + 60, id: 90, ..old };
            let names = [old.file_name(), taken_name(old.id), young.file_name()];
            for name in &names {
                fs::write(directory.join(name), "old bytes").expect("written");
            }
            look();
            let are_there = names.map(|name| directory.join(name).exists());
            assert_eq!(are_there, [false, false, true], "{index}");
            assert_eq!(last(&directory), old.id);
        }
    }

    #[test]
    fn each_undo_has_a_marker_of_its_own() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::at(sandbox.path().join("state"));
        add(&state, BOUNDS, 1);
        add(&state, BOUNDS, 1);
        let [second, first] = <[Entry; 2]>::try_from(list(&state)).expect("two entries");
        first.begin_taking().expect("marked");
        second.begin_taking().expect("marked");
        assert!(first.was_being_taken() && second.was_being_taken());
        second.end_taking();
        assert!(first.was_being_taken() && !second.was_being_taken());
    }

    #[test]
    fn large_files_are_hashed_around_their_edits() {
        let spans = |length, brought: &[(u64, u64)]| {
            let brought = brought.iter().map(|&(start, end)| Span::new(start, end));
            let (_, spans) = hashed_spans(length, brought);
            spans.into_iter().map(|span| (span.start(), span.end())).collect::<Vec<_>>()
        };
        let (large, k) = (200 << 20, 1024);
        assert_eq!(spans(10, &[(3, 4)]), [(0, 10)]);
        assert_eq!(spans(large, &[(3, 4)]), [(0, 4 + 64 * k)]);
        let near = spans(large, &[(100 * k, 100 * k), (101 * k, 102 * k), (large - 1, large)]);
        let expected = [(36 * k, 164 * k), (164 * k, 166 * k), (large - 1 - 64 * k, large)];
        assert_eq!(near, expected);
        let all = spans(large, &[(0, large)]);
        assert_eq!(all, [(0, MAX_HASHED)]);
    }
}
