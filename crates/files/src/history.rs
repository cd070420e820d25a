//! The history of patches. An entry contains the removed bytes with their positions, never a copy
//! of a file. It also contains checksums that show whether a file has changed since the patch.

// The module accesses only folio's own files, in the state directory.
#![allow(clippy::disallowed_methods)]

mod entry;
mod place;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub use entry::HistoryEntry;
pub(crate) use entry::{
    COMPLETE, DONE, OPEN, Reverse, hex_digits, no_bytes, read_record, read_second_record, write,
};

pub(crate) use place::{InsertedText, MAX_CANDIDATES, Miss, count_similar, offsets};

use super::env::Env;
use super::lock::lock_with_timeout;
use super::state::{StateDirectory, create_private, is_absent, now, read_owned, remove_file};
use crate::error::{Code, Error, Hint};
use folio_text::span::Span;

/// The subdirectory of entries.
const PART: &str = "history";
const ENDING: &str = ".entry";
/// The file that contains the greatest number used so far.
const LAST: &str = "last";
/// The maximum number of entries.
pub const MAX_ENTRIES: usize = 1000;
/// The maximum age of an entry in seconds.
pub const MAX_SECONDS: u64 = 30 * 24 * 60 * 60;
/// Maximum size in bytes of files that are hashed completely.
pub const MAX_HASHED: u64 = 64 << 20;
/// Number of bytes around an edit that are hashed together with it.
const AROUND: u64 = 64 * 1024;

/// The description of a patch in the history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// The operation: `replace`, `apply`…
    pub operation: String,
    /// The edited parts, in the words of the user's request.
    pub parts: Vec<String>,
    /// The values that the patch sets, such as `version: 1.2.0 → 1.3.0`, unless they are long or
    /// secret.
    pub values: Vec<String>,
    /// For each change, if known: the number of new lines minus the number of old lines, and the
    /// first changed line in the new file.
    pub lines: Vec<(Option<i64>, Option<u64>)>,
}

/// The name of an entry's file. It contains everything that is needed to remove old entries.
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

/// Removes the oldest entries until an entry of `length` bytes fits, then calls `create` with the
/// number of the new entry. Keeps the entry `reversed`, which is removed when the commit is done.
pub(super) fn reserve<T>(
    state: &StateDirectory,
    length: u64,
    reversed: Option<u64>,
    env: &Env,
    create: impl FnOnce(u64) -> io::Result<T>,
) -> io::Result<(u64, T)> {
    let directory = state.part(PART)?;
    let _lock = lock(&directory, env)?;
    let mut names = entry_names(&directory)?;
    let id = names.last().map_or(0, |name| name.id).max(last_number(&directory)?) + 1;
    let next = directory.join("last.tmp");
    let _ = fs::remove_file(&next);
    create_private(&next)?.write_all(format!("{id}\n").as_bytes())?;
    fs::rename(&next, directory.join(LAST))?;
    names.retain(|name| Some(name.id) != reversed);
    let mut bytes = length + names.iter().map(|name| name.size).sum::<u64>();
    let most = env.limits.max_history_mib.saturating_mul(1 << 20);
    for (removed, name) in names.iter().enumerate() {
        if names.len() - removed < MAX_ENTRIES && bytes <= most {
            break;
        }
        let _ = remove_file(&directory.join(name.file_name()));
        bytes -= name.size;
    }
    Ok((id, create(id)?))
}

/// Moves the record of a finished commit into the history, as the entry with this number.
pub(super) fn add(state: &StateDirectory, id: u64, time: u64, path: &Path) -> io::Result<()> {
    let size = fs::metadata(path)?.len();
    fs::rename(path, state.part(PART)?.join(EntryName { id, time, size }.file_name()))
}

/// Returns the names of all entries, oldest first. Removes entries that are too old.
fn entry_names(directory: &Path) -> io::Result<Vec<EntryName>> {
    let mut names = Vec::new();
    let oldest = now().saturating_sub(MAX_SECONDS);
    for item in fs::read_dir(directory)? {
        let item = item?;
        match item.file_name().to_str().and_then(EntryName::parse) {
            Some(name) if name.time < oldest => drop(remove_file(&item.path())),
            name => names.extend(name),
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Returns the greatest number used so far, or 0 if none is stored.
fn last_number(directory: &Path) -> io::Result<u64> {
    match read_owned(&directory.join(LAST)) {
        Ok(text) => Ok(String::from_utf8_lossy(&text).trim().parse().unwrap_or(0)),
        Err(error) if is_absent(&error) => Ok(0),
        Err(error) => Err(error),
    }
}

/// Locks the history against other runs that add entries. If the file system does not support
/// locks, one of two runs fails, because both create the same file, unless the first one has ended
/// between two steps of the other; then both patches have the same number.
fn lock(directory: &Path, env: &Env) -> io::Result<File> {
    let lock = File::open(directory)?;
    let message = "another run is writing to the history";
    lock_with_timeout(&lock, directory, message, env).map_err(io::Error::other)?;
    Ok(lock)
}

/// Returns all entries, newest first, and the numbers of the damaged ones.
///
/// # Errors
///
/// Fails if an entry cannot be read.
pub fn list(state: &StateDirectory) -> Result<(Vec<HistoryEntry>, Vec<u64>), Error> {
    list_after(state, 0)
}

/// Returns the entries with greater numbers, newest first, and the numbers of the damaged ones.
/// Does not read the other entries.
pub(crate) fn list_after(
    state: &StateDirectory,
    id: u64,
) -> Result<(Vec<HistoryEntry>, Vec<u64>), Error> {
    let (mut found, mut damaged) = (Vec::new(), Vec::new());
    for entry in entries(state, move |entry_id| entry_id > id)? {
        match entry? {
            Ok(entry) => found.push(entry),
            Err(Damaged { id, .. }) => damaged.push(id),
        }
    }
    Ok((found, damaged))
}

/// Returns the newest entry that `accepts` accepts.
///
/// # Errors
///
/// Fails if a newer entry is damaged, because it may be the requested one.
pub fn find(
    state: &StateDirectory,
    mut accepts: impl FnMut(&HistoryEntry) -> bool,
) -> Result<Option<HistoryEntry>, Error> {
    for entry in entries(state, |_| true)? {
        let entry = entry?.map_err(Damaged::error)?;
        if accepts(&entry) {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}

/// Returns the entry with a number.
///
/// # Errors
///
/// Fails if the entry is damaged.
pub fn find_id(state: &StateDirectory, id: u64) -> Result<Option<HistoryEntry>, Error> {
    let found = entries(state, |entry_id| entry_id == id)?.next();
    found.map(|entry| entry?.map_err(Damaged::error)).transpose()
}

/// Returns the entries whose numbers `accepts` accepts, newest first.
fn entries(
    state: &StateDirectory,
    accepts: impl Fn(u64) -> bool,
) -> Result<impl Iterator<Item = Result<Result<HistoryEntry, Damaged>, Error>>, Error> {
    let directory = state.path().join(PART);
    let names = match state.existing_part(PART) {
        Ok(Some(directory)) => entry_names(&directory),
        absent => absent.map(|_| Vec::new()),
    };
    let names = names.map_err(|error| Error::io(&error, &directory))?;
    let names = names.into_iter().rev().filter(move |name| accepts(name.id));
    Ok(names.filter_map(move |name| {
        let path = directory.join(name.file_name());
        let damaged = Damaged { id: name.id, path: path.clone() };
        match entry::read(path, name) {
            // Another run may have removed the entry.
            Err(error) if is_absent(&error) => None,
            Err(error) => Some(Err(Error::io(&error, &damaged.path))),
            Ok(read) => Some(Ok(read.ok_or(damaged))),
        }
    }))
}

pub(super) struct Damaged {
    pub(super) id: u64,
    pub(super) path: PathBuf,
}

impl Damaged {
    pub(super) fn error(self) -> Error {
        let Self { id, path } = self;
        let message = format!(
            "the record of patch {id} is damaged, or of another version of folio, so it is not \
             applied"
        );
        let others = Hint::command("undo", ["--list"]).why("the patches that can be undone");
        Error::new(Code::IoError, message).at(&path).hint(others)
    }
}

/// Removes the entry with a number, if it exists.
pub(super) fn remove(state: &StateDirectory, id: u64) -> io::Result<()> {
    let Some(directory) = state.existing_part(PART)? else { return Ok(()) };
    let mut names = entry_names(&directory)?.into_iter().filter(|name| name.id == id);
    names.try_for_each(|name| remove_file(&directory.join(name.file_name())))
}

/// Returns the spans to hash in a file of `length` bytes, by which an undo detects later changes.
/// `edited` contains the sorted spans of the new contents. If there are none, the patch created the
/// file, and the whole file is hashed, because an undo removes it.
pub(super) fn hashed_spans(length: u64, edited: &[Span]) -> Vec<Span> {
    if length <= MAX_HASHED || edited.is_empty() {
        return vec![Span::new(0, length)];
    }
    let mut spans: Vec<Span> = Vec::new();
    let mut left = MAX_HASHED;
    for span in edited {
        let until = spans.last().map_or(0, |last| last.end());
        let start = span.start().saturating_sub(AROUND).max(until);
        let end = (span.end() + AROUND).min(length).min(start + left);
        if end > start {
            spans.push(Span::new(start, end));
            left -= end - start;
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;
    use std::time::Duration;

    use sha2::{Digest, Sha256};

    use super::*;
    use crate::config::Limits;
    use crate::records::{FileRecord, Identity, Record, Reversed, VERSION, temporary_name};
    use folio_text::edit::Edit;

    fn file_record(removed: u64) -> FileRecord {
        let identity = Identity { inode: 2, size: 3, mtime: (4, 5) };
        FileRecord {
            path: "/a".into(),
            temporary: temporary_name(),
            before: Some(identity),
            after: Some(Identity { size: 9, ..identity }),
            lines_delta: Some(-1),
            line: Some(2),
            edits: vec![(7, 1, removed)],
            ..FileRecord::default()
        }
    }

    /// Writes the file of a commit that removed these bytes.
    fn write_entry(file: &File, record: Record, removed: &[u8]) -> io::Result<()> {
        let record = Record { version: VERSION, is_kept: true, ..record };
        let first = write(file, 0, DONE, &record, no_bytes)?;
        write(file, first, COMPLETE, &record, |file, at| {
            file.write_all_at(removed, at).map(|()| hex_digits(Sha256::new_with_prefix(removed)))
        })
        .map(drop)
    }

    /// Adds an entry that removes this many bytes, and returns its number.
    fn add_within(
        state: &StateDirectory,
        removed: u64,
        reverses: Option<Reversed>,
        env: &Env,
    ) -> io::Result<u64> {
        let scratch = state.part("journal")?.join("entry");
        let reversed = reverses.as_ref().map(|reversed| reversed.id);
        let create = |_| create_private(&scratch);
        let (id, file) = reserve(state, removed, reversed, env, create)?;
        let files = vec![file_record(removed)];
        let record = Record { reverses, files, ..Record::default() };
        write_entry(&file, record, &vec![b'x'; removed as usize])?;
        super::add(state, id, now(), &scratch).map(|()| id)
    }

    fn add(state: &StateDirectory, removed: u64) -> u64 {
        add_within(state, removed, None, &Env::default()).expect("added")
    }

    fn ids(state: &StateDirectory) -> Vec<u64> {
        list(state).expect("read").0.iter().map(|entry| entry.id).collect()
    }

    fn by_id(state: &StateDirectory, id: u64) -> HistoryEntry {
        find_id(state, id).expect("sound").expect("there")
    }

    #[test]
    fn entries_come_back_newest_first_and_numbers_never() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::new(sandbox.path().join("state"));
        assert!(ids(&state).is_empty());
        for removed in [3, 100_000, 0] {
            add(&state, removed);
        }
        assert_eq!(ids(&state), [3, 2, 1]);
        let second = by_id(&state, 2);
        let expected = Edit::new(Span::new(7, 8), vec![b'x'; 100_000]);
        let reverse = second.reverse().expect("read").expect("sound");
        assert_eq!(reverse[0].edits.edits(), [expected]);
        let facts = (second.files[0].as_path(), second.record.files[0].lines_delta);
        assert_eq!(facts, (Path::new("/a"), Some(-1)));
        remove(&state, 3).expect("removed");
        assert_eq!(ids(&state), [2, 1]);
        assert_eq!(add(&state, 1), 4);
    }

    #[test]
    fn the_history_is_bounded() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::new(sandbox.path().join("state"));
        let directory = state.part(PART).expect("made");
        for id in 1..=MAX_ENTRIES as u64 {
            let name = EntryName { id, time: now(), size: 1 }.file_name();
            fs::write(directory.join(name), "x").expect("written");
        }
        let ids = || {
            entry_names(&directory).expect("read").iter().map(|name| name.id).collect::<Vec<_>>()
        };
        let most = MAX_ENTRIES as u64;
        assert_eq!(add(&state, 0), most + 1);
        assert_eq!(ids(), (2..=most + 1).collect::<Vec<_>>());
        let reverses = Some(Reversed { id: 2, origin: 2, is_undo: true, between: Vec::new() });
        add_within(&state, 0, reverses, &Env::default()).expect("added");
        assert_eq!(ids(), (2..=most + 2).collect::<Vec<_>>());
        let limits = Limits { max_history_mib: 1, ..Limits::default() };
        let env = Env { limits, ..Env::default() };
        for _ in 0..2 {
            add_within(&state, 1 << 20, None, &env).expect("added");
        }
        assert_eq!(ids(), [most + 4]);
    }

    /// Returns the files of the history, sorted.
    fn files(state: &StateDirectory) -> Vec<PathBuf> {
        let items = fs::read_dir(state.path().join(PART)).expect("listed");
        let mut files: Vec<PathBuf> = items.map(|item| item.expect("read").path()).collect();
        files.sort();
        files
    }

    #[test]
    fn an_entry_with_any_damage_is_refused() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::new(sandbox.path().join("state"));
        add(&state, 3);
        add(&state, 3);
        let path = files(&state).remove(1);
        let sound = fs::read(&path).expect("read");
        for at in 0..sound.len() {
            let mut damaged = sound.clone();
            damaged[at] ^= 1;
            fs::write(&path, damaged).expect("written");
            let found = find_id(&state, 2);
            let found = found.map(|entry| entry.expect("there").reverse().expect("read"));
            assert!(!matches!(found, Ok(Some(_))), "{at}");
        }
        for length in [0, 1, sound.len() / 2, sound.len() - 1] {
            fs::write(&path, &sound[..length]).expect("written");
            assert_eq!(list(&state).expect("read").1, [2]);
            let error = find(&state, |entry| entry.id == 1).expect_err("refused");
            assert!(error.message.to_string().contains("patch 2 is damaged"), "{}", error.message);
            assert_eq!(error.path, Some(path.clone()));
            assert_eq!(find_id(&state, 1).expect("sound").map(|entry| entry.id), Some(1));
            assert_eq!((ids(&state), list(&state).expect("read").1), (vec![1], vec![2]));
        }
        assert_eq!(add(&state, 1), 3);
    }

    #[test]
    fn records_that_cannot_be_right_are_refused() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::new(sandbox.path().join("state"));
        let directory = state.part(PART).expect("made");
        for (id, offset) in [(4, 7), (5, u64::MAX)] {
            let file = FileRecord { edits: vec![(offset, 1, 2)], ..file_record(2) };
            let record = Record { files: vec![file], ..Record::default() };
            let path = directory.join(EntryName { id, time: now(), size: 1 }.file_name());
            write_entry(&create_private(&path).expect("made"), record, b"xy").expect("written");
        }
        let reverse = by_id(&state, 4).reverse().expect("read").expect("sound");
        assert_eq!(reverse[0].edits.edits(), [Edit::new(Span::new(7, 8), "xy")]);
        find_id(&state, 5).expect_err("damaged");
    }

    #[test]
    fn entries_that_are_too_old_are_removed_when_the_history_is_read() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::new(sandbox.path().join("state"));
        let directory = state.part(PART).expect("made");
        let looks: [&dyn Fn(); 3] =
            [&|| assert!(add(&state, 0) > 0), &|| drop(list(&state)), &|| {
                let _ = find_id(&state, 1);
            }];
        for (index, look) in looks.iter().enumerate() {
            let time = now() - MAX_SECONDS - 10;
            let old = EntryName { id: 4 + index as u64, time, size: 9 };
            let young = EntryName { time: time + 60, id: 90, ..old };
            let names = [old.file_name(), young.file_name()];
            for name in &names {
                fs::write(directory.join(name), "old bytes").expect("written");
            }
            look();
            let are_there = names.map(|name| directory.join(name).exists());
            assert_eq!(are_there, [false, true], "{index}");
        }
    }

    #[test]
    fn an_unreadable_history_is_an_error_and_not_an_empty_history() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::new(sandbox.path().join("state"));
        add(&state, 3);
        // A directory takes the place of an entry, of the file with the greatest number, and of the
        // whole history.
        let directory = state.path().join(PART);
        let of_two = EntryName { id: 2, time: now(), size: 9 }.file_name();
        fs::create_dir(directory.join(&of_two)).expect("made");
        let (found, damaged) = list(&state).expect("listed");
        assert_eq!((found.len(), damaged), (1, vec![2]));
        find(&state, |_| true).expect_err("refused");
        assert_eq!(by_id(&state, 1).id, 1);
        fs::remove_file(directory.join(LAST)).expect("removed");
        fs::create_dir(directory.join(LAST)).expect("made");
        add_within(&state, 0, None, &Env::default()).expect_err("refused");
        assert_eq!(ids(&state), [1]);
        fs::rename(&directory, sandbox.path().join("aside")).expect("renamed");
        assert!(ids(&state).is_empty());
        fs::write(&directory, "").expect("written");
        list(&state).expect_err("refused");
        find_id(&state, 1).expect_err("refused");
        remove(&state, 1).expect_err("refused");
    }

    #[test]
    fn a_commit_does_not_wait_for_the_history_for_ever() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::new(sandbox.path().join("state"));
        add(&state, 3);
        let _held = lock(&state.path().join(PART), &Env::default()).expect("locked");
        let code = |env: &Env| {
            let error = add_within(&state, 0, None, env).expect_err("refused");
            Error::io(&error, Path::new("")).code
        };
        let env = Env { lock_timeout: Duration::from_millis(5), ..Env::default() };
        assert_eq!(code(&env), Code::Locked);
        let env = Env::default();
        env.cancel.set();
        assert_eq!(code(&env), Code::Cancelled);
        assert_eq!(ids(&state), [1]);
    }

    #[test]
    fn large_files_are_hashed_around_their_edits() {
        let spans = |length, brought: &[(u64, u64)]| {
            let brought = brought.iter().map(|&(start, end)| Span::new(start, end));
            let spans = hashed_spans(length, &brought.collect::<Vec<_>>());
            spans.into_iter().map(|span| (span.start(), span.end())).collect::<Vec<_>>()
        };
        let (large, k) = (200 << 20, 1024);
        assert_eq!(spans(10, &[(3, 4)]), [(0, 10)]);
        assert_eq!(spans(large, &[]), [(0, large)]);
        assert_eq!(spans(large, &[(3, 4)]), [(0, 4 + 64 * k)]);
        let near = spans(large, &[(100 * k, 100 * k), (101 * k, 102 * k), (large - 1, large)]);
        let expected = [(36 * k, 164 * k), (164 * k, 166 * k), (large - 1 - 64 * k, large)];
        assert_eq!(near, expected);
        let all = spans(large, &[(0, large)]);
        assert_eq!(all, [(0, MAX_HASHED)]);
    }
}
