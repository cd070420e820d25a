//! The history of patches. An entry contains the removed bytes and their places, never a copy of a
//! file, and checksums that show whether a file is still as the patch left it.

// The history is folio's own, in the state directory.
#![allow(clippy::disallowed_methods)]

mod entry;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use entry::Entry;
pub(in crate::files) use entry::{Reverse, digits, parse, write};

use super::env::Env;
use super::lock::lock_own;
use super::records::Hashed;
use super::state::{StateDirectory, create_private, is_absent, now, read_own};
use crate::error::{Code, Error, Hint};
use crate::text::span::Span;

/// The subdirectory of entries.
const PART: &str = "history";
const ENDING: &str = ".entry";
/// The file that contains the greatest number used so far.
const LAST: &str = "last";
/// The ending of a damaged entry that was set aside.
const DAMAGED: &str = ".damaged";
/// The maximum number of entries.
pub const MAX_ENTRIES: usize = 1000;
/// The maximum age of an entry in seconds.
pub const MAX_SECONDS: u64 = 30 * 24 * 60 * 60;
/// The size of the largest files that are hashed as a whole.
pub const MAX_HASHED: u64 = 64 << 20;
/// The number of bytes around an edit that are hashed with it.
const AROUND: u64 = 64 * 1024;

/// The description of a patch in the history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// The operation: `replace`, `apply`…
    pub operation: String,
    /// The edited parts, as the user named them.
    pub parts: Vec<String>,
    /// For each change, if known: new lines minus old ones, and the first changed line in the new
    /// file.
    pub lines: Vec<(Option<i64>, Option<u64>)>,
}

/// The limits of the history.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    entries: usize,
    bytes: u64,
    seconds: u64,
}

const BOUNDS: Bounds = Bounds { entries: MAX_ENTRIES, bytes: 1 << 30, seconds: MAX_SECONDS };

/// The name of an entry's file. It contains all that pruning needs.
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

    fn parse(name: &str, ending: &str) -> Option<Self> {
        let mut parts = name.strip_suffix(ending)?.split('-').map(|part| part.parse().ok());
        let (id, time, size) = (parts.next()??, parts.next()??, parts.next()??);
        parts.next().is_none().then_some(Self { id, time, size })
    }
}

/// The limits of the history of a run.
pub(super) fn bounds(env: &Env) -> Bounds {
    Bounds { bytes: env.limits.max_history_mib.saturating_mul(1 << 20), ..BOUNDS }
}

/// Removes the oldest entries until one of `length` bytes fits, and calls `create` with the number
/// of a new entry. Keeps the entry `reversed`, which is removed when the commit is done.
pub(super) fn reserve<T>(
    state: &StateDirectory,
    bounds: Bounds,
    length: u64,
    reversed: Option<u64>,
    env: &Env,
    create: impl Fn(u64) -> io::Result<T>,
) -> io::Result<(u64, T)> {
    let directory = state.part(PART)?;
    let _lock = lock(&directory, env)?;
    let names = names(&directory)?;
    let mut id = names.last().map_or(0, |name| name.id).max(last(&directory)?) + 1;
    let others: Vec<_> = names.into_iter().filter(|name| Some(name.id) != reversed).collect();
    prune(&directory, &others, now(), Bounds { entries: bounds.entries - 1, ..bounds }, length);
    loop {
        match create(id) {
            // Another commit has the number and is not done.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => id += 1,
            created => return created.map(|created| (id, created)),
        }
    }
}

/// Moves the record of a commit that is done into the history, as the entry with this number.
pub(super) fn add(state: &StateDirectory, id: u64, time: u64, path: &Path) -> io::Result<()> {
    let size = fs::metadata(path)?.len();
    fs::rename(path, state.part(PART)?.join(EntryName { id, time, size }.file_name()))
}

/// The names of all entries, oldest first.
fn names(directory: &Path) -> io::Result<Vec<EntryName>> {
    let mut names = Vec::new();
    for item in fs::read_dir(directory)? {
        let name = item?.file_name();
        names.extend(name.to_str().and_then(|name| EntryName::parse(name, ENDING)));
    }
    names.sort_unstable();
    Ok(names)
}

fn last(directory: &Path) -> io::Result<u64> {
    match read_own(&directory.join(LAST)) {
        Ok(text) => Ok(String::from_utf8_lossy(&text).trim().parse().unwrap_or(0)),
        Err(error) if is_absent(&error) => Ok(0),
        Err(error) => Err(error),
    }
}

/// Stores the number of an entry that is removed, so that it is not used again.
fn remember(directory: &Path, id: u64) -> io::Result<()> {
    if last(directory)? >= id {
        return Ok(());
    }
    let next = directory.join("last.tmp");
    let _ = fs::remove_file(&next);
    create_private(&next)?.write_all(format!("{id}\n").as_bytes())?;
    fs::rename(&next, directory.join(LAST))
}

/// Removes an entry. Its number is not used again.
fn remove_entry(path: &Path, id: u64, env: &Env) -> io::Result<()> {
    let _lock = lock(path.parent().unwrap_or(path), env)?;
    drop_entry(path, id)
}

/// Removes an entry while the history is locked.
fn drop_entry(path: &Path, id: u64) -> io::Result<()> {
    remember(path.parent().unwrap_or(path), id)?;
    match fs::remove_file(path) {
        // Another run may have removed it.
        Err(error) if is_absent(&error) => Ok(()),
        removed => removed,
    }
}

/// Locks the history against other runs that add or remove entries. If the file system has no locks,
/// this excludes only other threads of the process.
fn lock(directory: &Path, env: &Env) -> io::Result<(File, Option<MutexGuard<'static, ()>>)> {
    static THREADS: Mutex<()> = Mutex::new(());
    let lock = File::open(directory)?;
    let message = "another run is writing to the history";
    let is_locked = lock_own(&lock, directory, message, env).map_err(io::Error::other)?;
    let guard = (!is_locked).then(|| THREADS.lock().unwrap_or_else(PoisonError::into_inner));
    Ok((lock, guard))
}

/// Removes all entries that are too old.
pub(super) fn expire(state: &StateDirectory) {
    // Errors are reported when the history is needed.
    if let Ok(Some(directory)) = state.existing_part(PART) {
        let _ = expire_in(&directory, BOUNDS.seconds);
    }
}

/// Removes the entries that are too old, and returns the names of the others, oldest first.
fn expire_in(directory: &Path, seconds: u64) -> io::Result<Vec<EntryName>> {
    let all = names(directory)?;
    let now = now();
    let is_old = |name: &EntryName| name.time.saturating_add(seconds) < now;
    if !all.iter().any(is_old) {
        return Ok(all);
    }
    let (old, young): (Vec<_>, Vec<_>) = all.into_iter().partition(is_old);
    // What cannot be removed now is removed the next time.
    let at_once = Env { lock_timeout: Duration::ZERO, ..Env::default() };
    if let Ok(_lock) = lock(directory, &at_once) {
        for name in old {
            let _ = drop_entry(&directory.join(name.file_name()), name.id);
        }
        let items = fs::read_dir(directory).into_iter().flatten().flatten();
        for name in items.filter_map(|item| item.file_name().into_string().ok()) {
            if EntryName::parse(&name, DAMAGED).is_some_and(|name| is_old(&name)) {
                let _ = fs::remove_file(directory.join(name));
            }
        }
    }
    Ok(young)
}

/// Removes the oldest entries until one of `size` bytes fits.
fn prune(directory: &Path, names: &[EntryName], now: u64, bounds: Bounds, size: u64) {
    let mut bytes: u64 = size + names.iter().map(|name| name.size).sum::<u64>();
    let mut count = names.len();
    for name in names {
        let is_old = name.time.saturating_add(bounds.seconds) < now;
        if !is_old && count <= bounds.entries && bytes <= bounds.bytes {
            return;
        }
        let _ = drop_entry(&directory.join(name.file_name()), name.id);
        count -= 1;
        bytes -= name.size;
    }
}

/// All entries, newest first, and the numbers of damaged ones.
///
/// # Errors
///
/// Fails if one cannot be read.
pub fn list(state: &StateDirectory) -> Result<(Vec<Entry>, Vec<u64>), Error> {
    let (mut found, mut damaged) = (Vec::new(), Vec::new());
    for (name, entry) in entries(state, |_| true)? {
        match entry? {
            Some(entry) => found.push(entry),
            None => damaged.push(name.id),
        }
    }
    Ok((found, damaged))
}

/// The newest entry that `accepts` accepts.
///
/// # Errors
///
/// Fails if a newer entry is damaged, because it may be the right one. It is set aside, so that it
/// is skipped the next time.
pub fn find(
    state: &StateDirectory,
    mut accepts: impl FnMut(&Entry) -> bool,
) -> Result<Option<Entry>, Error> {
    for (name, entry) in entries(state, |_| true)? {
        let entry = sound(state, name, entry?)?;
        if accepts(&entry) {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}

/// The entry with a number.
///
/// # Errors
///
/// Fails if it is damaged.
pub fn find_id(state: &StateDirectory, id: u64) -> Result<Option<Entry>, Error> {
    let found = entries(state, |own| own == id)?.next();
    found.map(|(name, entry)| sound(state, name, entry?)).transpose()
}

type Read = Result<Option<Entry>, Error>;

/// The entries whose numbers `accepts` accepts, newest first; `None` for a damaged one.
fn entries(
    state: &StateDirectory,
    accepts: impl Fn(u64) -> bool,
) -> Result<impl Iterator<Item = (EntryName, Read)>, Error> {
    let directory = state.path().join(PART);
    let names = match state.existing_part(PART) {
        Ok(Some(directory)) => expire_in(&directory, BOUNDS.seconds),
        none => none.map(|_| Vec::new()),
    };
    let names = names.map_err(|error| Error::io(&error, &directory))?;
    let names = names.into_iter().rev().filter(move |name| accepts(name.id));
    Ok(names.filter_map(move |name| {
        let path = directory.join(name.file_name());
        match entry::read(path.clone(), name) {
            // Another run may have removed it.
            Err(error) if is_absent(&error) => None,
            read => Some((name, read.map_err(|error| Error::io(&error, &path)))),
        }
    }))
}

fn sound(state: &StateDirectory, name: EntryName, read: Option<Entry>) -> Result<Entry, Error> {
    read.ok_or_else(|| set_aside(&state.path().join(PART).join(name.file_name()), name.id))
}

/// Renames a damaged entry so that it is skipped from now on, and returns the error for it.
fn set_aside(path: &Path, id: u64) -> Error {
    let aside = path.with_extension(&DAMAGED[1..]);
    let directory = path.parent().unwrap_or(path);
    let moved = remember(directory, id).and_then(|()| fs::rename(path, &aside));
    let (place, what) = match moved {
        Ok(()) => (aside.as_path(), "it was set aside"),
        Err(_) => (path, "it cannot be set aside"),
    };
    let message = format!("the record of patch {id} is damaged, so it is not applied; {what}");
    let others = Hint::command("undo", ["--list"]).why("the patches that can be undone");
    Error::new(Code::IoError, message).at(place).hint(others)
}

impl Entry {
    /// Sets it aside because its bytes are damaged.
    pub(super) fn set_aside(&self) -> Error {
        set_aside(self.path(), self.id)
    }
}

/// Removes the entry with a number, if it exists.
pub(super) fn remove(state: &StateDirectory, id: u64, env: &Env) -> io::Result<()> {
    let Some(directory) = state.existing_part(PART)? else { return Ok(()) };
    let _lock = lock(&directory, env)?;
    let mut names = names(&directory)?.into_iter().filter(|name| name.id == id);
    names.try_for_each(|name| drop_entry(&directory.join(name.file_name()), id))
}

/// The spans of a file of `length` bytes whose hash shows that it is as its edits left it. `edited`
/// are the sorted spans of their content; without any, the file was created, and is hashed as a
/// whole because an undo removes it.
pub(super) fn hashed_spans(
    length: u64,
    edited: impl IntoIterator<Item = Span>,
) -> (Hashed, Vec<Span>) {
    let mut edited = edited.into_iter().peekable();
    if length <= MAX_HASHED || edited.peek().is_none() {
        return (Hashed::File, vec![Span::new(0, length)]);
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
    (Hashed::Spans, spans)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;
    use std::path::PathBuf;

    use sha2::{Digest, Sha256};

    use super::*;
    use crate::files::records::{EntryRecord, FileRecord, Identity, Reversed, VERSION};
    use crate::text::edit::Edit;

    fn file_record(removed: u64) -> FileRecord {
        let identity = Identity { inode: 2, size: 3, mtime: (4, 5) };
        FileRecord {
            path: Path::new("/a").into(),
            before: Some(identity),
            after: Some(Identity { size: 9, ..identity }),
            mode: None,
            in_place: false,
            lines_delta: Some(-1),
            line: Some(2),
            sha256: String::new(),
            hashed: Hashed::File,
            edits: vec![(7, 1, removed)],
            around: Vec::new(),
        }
    }

    /// Adds an entry that removes this many bytes; its number.
    fn add_within(
        state: &StateDirectory,
        bounds: Bounds,
        removed: u64,
        reverses: Option<Reversed>,
        env: &Env,
    ) -> io::Result<u64> {
        let scratch = state.part("journal")?.join("entry");
        let reversed = reverses.map(|reversed| reversed.id);
        let create = |_| create_private(&scratch);
        let (id, file) = reserve(state, bounds, removed, reversed, env, create)?;
        let files = vec![file_record(removed)];
        let record = EntryRecord { version: VERSION, reverses, files, ..EntryRecord::default() };
        write(&file, 0, &record, |file, at| {
            let bytes = vec![b'x'; removed as usize];
            file.write_all_at(&bytes, at).map(|()| digits(Sha256::new_with_prefix(&bytes)))
        })?;
        super::add(state, id, now(), &scratch).map(|()| id)
    }

    fn add(state: &StateDirectory, bounds: Bounds, removed: u64) -> u64 {
        add_within(state, bounds, removed, None, &Env::default()).expect("added")
    }

    fn ids(state: &StateDirectory) -> Vec<u64> {
        list(state).expect("read").0.iter().map(|entry| entry.id).collect()
    }

    fn by_id(state: &StateDirectory, id: u64) -> Entry {
        find_id(state, id).expect("sound").expect("there")
    }

    #[test]
    fn entries_come_back_newest_first_and_numbers_never() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::at(sandbox.path().join("state"));
        assert!(ids(&state).is_empty());
        for removed in [3, 100_000, 0] {
            add(&state, BOUNDS, removed);
        }
        assert_eq!(ids(&state), [3, 2, 1]);
        let second = by_id(&state, 2);
        let expected = Edit::new(Span::new(7, 8), vec![b'x'; 100_000]);
        let reverse = second.reverse().expect("read").expect("sound");
        assert_eq!(reverse[0].edits.edits(), [expected]);
        let facts = (second.files[0].as_path(), second.lines_delta().next());
        assert_eq!(facts, (Path::new("/a"), Some(Some(-1))));
        remove(&state, 3, &Env::default()).expect("removed");
        assert_eq!(ids(&state), [2, 1]);
        assert_eq!(add(&state, BOUNDS, 1), 4);
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
        let reverses = Some(Reversed { id: 3, origin: 3, is_undo: true });
        add_within(&state, few, 0, reverses, &Env::default()).expect("added");
        assert_eq!(ids(&state), [6, 5, 4, 3]);
        add(&state, Bounds { bytes: 3000, ..BOUNDS }, 2000);
        add(&state, Bounds { bytes: 3000, ..BOUNDS }, 2000);
        assert_eq!(ids(&state), [8]);
    }

    /// The files of the history, sorted.
    fn files(state: &StateDirectory) -> Vec<PathBuf> {
        let items = fs::read_dir(state.path().join(PART)).expect("listed");
        let mut files: Vec<PathBuf> = items.map(|item| item.expect("read").path()).collect();
        files.sort();
        files
    }

    #[test]
    fn what_is_damaged_anywhere_is_refused_and_set_aside() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::at(sandbox.path().join("state"));
        add(&state, BOUNDS, 3);
        add(&state, BOUNDS, 3);
        let path = files(&state).remove(1);
        let sound = fs::read(&path).expect("read");
        for at in 0..sound.len() {
            let mut damaged = sound.clone();
            damaged[at] ^= 1;
            fs::write(&path, damaged).expect("written");
            let found = find_id(&state, 2);
            let found = found.map(|entry| entry.expect("there").reverse().expect("read"));
            assert!(!matches!(found, Ok(Some(_))), "{at}");
            let _ = fs::remove_file(path.with_extension("damaged"));
        }
        for length in [0, 1, sound.len() / 2, sound.len() - 1] {
            fs::write(&path, &sound[..length]).expect("written");
            assert_eq!(list(&state).expect("read").1, [2]);
            let error = find(&state, |entry| entry.id == 1).expect_err("refused");
            assert!(error.message.contains("patch 2 is damaged"), "{}", error.message);
            assert_eq!(error.path, Some(path.with_extension("damaged")));
            assert_eq!(find(&state, |_| true).expect("sound").map(|entry| entry.id), Some(1));
            assert_eq!((ids(&state), list(&state).expect("read").1), (vec![1], vec![]));
        }
        assert_eq!(add(&state, BOUNDS, 1), 3);
    }

    #[test]
    fn records_that_cannot_be_right_are_refused() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::at(sandbox.path().join("state"));
        let directory = state.part(PART).expect("made");
        for (id, offset) in [(4, 7), (5, u64::MAX)] {
            let file = FileRecord { edits: vec![(offset, 1, 2)], ..file_record(2) };
            let record = EntryRecord { version: 2, files: vec![file], ..EntryRecord::default() };
            let path = directory.join(EntryName { id, time: now(), size: 1 }.file_name());
            write(&create_private(&path).expect("made"), 0, &record, |file, at| {
                file.write_all_at(b"xy", at).map(|()| digits(Sha256::new_with_prefix(b"xy")))
            })
            .expect("written");
        }
        let reverse = by_id(&state, 4).reverse().expect("read").expect("sound");
        assert_eq!(reverse[0].edits.edits(), [Edit::new(Span::new(7, 8), "xy")]);
        find_id(&state, 5).expect_err("damaged");
    }

    #[test]
    fn what_is_too_old_goes_when_the_history_is_looked_at() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::at(sandbox.path().join("state"));
        let directory = state.part(PART).expect("made");
        let looks: [&dyn Fn(); 3] = [&|| expire(&state), &|| drop(list(&state)), &|| {
            let _ = find_id(&state, 1);
        }];
        for (index, look) in looks.iter().enumerate() {
            let time = now() - MAX_SECONDS - 10;
            let old = EntryName { id: 4 + index as u64, time, size: 9 };
            let young = EntryName { time: time + 60, id: 90, ..old };
            let aside = old.file_name().replace(ENDING, DAMAGED);
            let names = [old.file_name(), aside, young.file_name()];
            for name in &names {
                fs::write(directory.join(name), "old bytes").expect("written");
            }
            look();
            let are_there = names.map(|name| directory.join(name).exists());
            assert_eq!(are_there, [false, false, true], "{index}");
            assert_eq!(last(&directory).expect("read"), old.id);
        }
    }

    #[test]
    fn what_cannot_be_read_is_an_error_and_not_an_empty_history() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::at(sandbox.path().join("state"));
        add(&state, BOUNDS, 3);
        // A directory in the place of an entry, of the greatest number, and of them all.
        let directory = state.path().join(PART);
        let of_two = EntryName { id: 2, time: now(), size: 9 }.file_name();
        fs::create_dir(directory.join(&of_two)).expect("made");
        let (found, damaged) = list(&state).expect("listed");
        assert_eq!((found.len(), damaged), (1, vec![2]));
        find(&state, |_| true).expect_err("refused");
        assert_eq!(by_id(&state, 1).id, 1);
        fs::remove_file(directory.join(LAST)).expect("removed");
        fs::create_dir(directory.join(LAST)).expect("made");
        add_within(&state, BOUNDS, 0, None, &Env::default()).expect_err("refused");
        by_id(&state, 1).remove(&Env::default()).expect_err("refused");
        remove(&state, 1, &Env::default()).expect_err("refused");
        assert_eq!(ids(&state), [1]);
        fs::rename(&directory, sandbox.path().join("aside")).expect("renamed");
        assert!(ids(&state).is_empty());
        fs::write(&directory, "").expect("written");
        list(&state).expect_err("refused");
        find_id(&state, 1).expect_err("refused");
        remove(&state, 1, &Env::default()).expect_err("refused");
    }

    #[test]
    fn who_waits_for_the_history_gives_up() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::at(sandbox.path().join("state"));
        add(&state, BOUNDS, 3);
        let held = lock(&state.path().join(PART), &Env::default()).expect("locked");
        let code =
            |result: io::Result<()>| Error::io(&result.expect_err("refused"), Path::new("")).code;
        let env = Env { lock_timeout: Duration::from_millis(5), ..Env::default() };
        assert_eq!(code(by_id(&state, 1).remove(&env)), Code::Locked);
        assert_eq!(code(remove(&state, 1, &env)), Code::Locked);
        assert_eq!(code(add_within(&state, BOUNDS, 0, None, &env).map(drop)), Code::Locked);
        let env = Env::default();
        env.cancel.set();
        assert_eq!(code(by_id(&state, 1).remove(&env)), Code::Cancelled);
        assert_eq!(ids(&state), [1]);
        drop(held);
        remove(&state, 1, &Env::default()).expect("removed");
        assert!(ids(&state).is_empty());
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
        assert_eq!(spans(large, &[]), [(0, large)]);
        assert_eq!(spans(large, &[(3, 4)]), [(0, 4 + 64 * k)]);
        let near = spans(large, &[(100 * k, 100 * k), (101 * k, 102 * k), (large - 1, large)]);
        let expected = [(36 * k, 164 * k), (164 * k, 166 * k), (large - 1 - 64 * k, large)];
        assert_eq!(near, expected);
        let all = spans(large, &[(0, large)]);
        assert_eq!(all, [(0, MAX_HASHED)]);
    }
}
