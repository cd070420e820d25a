//! The history of patches: what takes each of them back. An entry contains the
//! bytes that were removed and where, never a copy of a file, and what shows
//! whether a file is still what the patch left.

// The history is folio's own, in the state directory.
#![allow(clippy::disallowed_methods)]

mod entry;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use entry::Entry;
pub(in crate::files) use entry::{Reverse, digits};

use super::env::Env;
use super::lock::lock_own;
use super::records::{EntryRecord, FileRecord, Hashed, Reversed, VERSION};
use super::state::{StateDirectory, create_private, is_absent, now, read_own};
use crate::error::{Code, Error, Hint};
use crate::text::span::Span;

/// The part of the state directory that contains entries.
const PART: &str = "history";
const ENDING: &str = ".entry";
/// The file that contains the greatest number that was ever given.
const LAST: &str = "last";
/// Of an entry that is damaged and was set aside.
const DAMAGED: &str = ".damaged";
/// The file that an entry is written to before it has its name.
const UNNAMED: &str = "unnamed.tmp";

/// Entries that are kept at most.
pub const MAX_ENTRIES: usize = 1000;
/// Seconds for which an entry is kept at most.
pub const MAX_SECONDS: u64 = 30 * 24 * 60 * 60;
/// Larger files are not hashed as a whole.
pub const MAX_HASHED: u64 = 64 << 20;
/// Bytes around an edit that are hashed with it.
const AROUND: u64 = 64 * 1024;

/// What a patch is called in the history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// What was done: `replace`, `apply`…
    pub operation: String,
    /// The parts that it was done to, as they were asked for.
    pub parts: Vec<String>,
    /// Of each change, in order, as far as known: new lines minus old ones, and the
    /// first line that it changed, in the new file.
    pub lines: Vec<(Option<i64>, Option<u64>)>,
    /// What it undoes or redoes.
    pub reverses: Option<Reversed>,
}

/// The bounds of a history.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    entries: usize,
    bytes: u64,
    seconds: u64,
}

const BOUNDS: Bounds = Bounds { entries: MAX_ENTRIES, bytes: 1 << 30, seconds: MAX_SECONDS };

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
        Self::parse_before(name, ENDING)
    }

    fn parse_before(name: &str, ending: &str) -> Option<Self> {
        let mut parts = name.strip_suffix(ending)?.split('-').map(|part| part.parse().ok());
        let (id, time, size) = (parts.next()??, parts.next()??, parts.next()??);
        parts.next().is_none().then_some(Self { id, time, size })
    }
}

/// An entry that was written before the commit that it is about.
#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) id: u64,
    path: PathBuf,
    env: Env,
}

impl Recorded {
    /// Takes it away: what it is about did not come to be.
    pub(super) fn remove(&self) {
        // One that stays is found to be about nothing.
        let _ = take_away(&self.path, self.id, &self.env);
    }
}

/// Writes an entry. `bytes` writes what belongs to the files, `length` bytes in all,
/// and tells the checksum of that.
pub(super) fn record(
    state: &StateDirectory,
    draft: &Draft,
    files: Vec<FileRecord>,
    env: &Env,
    length: u64,
    bytes: impl FnOnce(&File, u64) -> io::Result<String>,
) -> io::Result<Recorded> {
    let bounds = Bounds { bytes: env.limits.max_history_mib.saturating_mul(1 << 20), ..BOUNDS };
    record_within(state, bounds, draft, files, env, length, bytes)
}

fn record_within(
    state: &StateDirectory,
    bounds: Bounds,
    draft: &Draft,
    files: Vec<FileRecord>,
    env: &Env,
    length: u64,
    bytes: impl FnOnce(&File, u64) -> io::Result<String>,
) -> io::Result<Recorded> {
    let directory = state.part(PART)?;
    // Until the entry has its number.
    let _lock = lock(&directory, env)?;
    let names = names(&directory)?;
    let time = now();
    let record = EntryRecord {
        version: VERSION,
        time,
        operation: draft.operation.clone(),
        parts: draft.parts.clone(),
        reverses: draft.reverses,
        files,
    };
    let newest = names.last().map_or(0, |name| name.id);
    let id = newest.max(last(&directory)?) + 1;
    // What is being reversed stays until that is done.
    let reversed = draft.reverses.map(|reversed| reversed.id);
    let others: Vec<EntryName> =
        names.iter().copied().filter(|name| Some(name.id) != reversed).collect();
    prune(&directory, &others, time, Bounds { entries: bounds.entries - 1, ..bounds }, length);
    // One that a crash cuts short never has the name of an entry.
    let unnamed = directory.join(UNNAMED);
    let _ = fs::remove_file(&unnamed);
    let written = entry::write(&unnamed, &record, bytes).and_then(|size| {
        let path = directory.join(EntryName { id, time, size }.file_name());
        fs::rename(&unnamed, &path).map(|()| Recorded { id, path, env: env.clone() })
    });
    written.inspect_err(|_| drop(fs::remove_file(&unnamed)))
}

/// The names of all entries, oldest first.
fn names(directory: &Path) -> io::Result<Vec<EntryName>> {
    let mut names = Vec::new();
    for item in fs::read_dir(directory)? {
        names.extend(item?.file_name().to_str().and_then(EntryName::parse));
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

/// Remembers a number that was given, when its entry goes.
fn remember(directory: &Path, id: u64) -> io::Result<()> {
    if last(directory)? >= id {
        return Ok(());
    }
    let next = directory.join("last.tmp");
    let _ = fs::remove_file(&next);
    create_private(&next)?.write_all(format!("{id}\n").as_bytes())?;
    fs::rename(&next, directory.join(LAST))
}

/// Takes an entry away; its number is not given again.
fn take_away(path: &Path, id: u64, env: &Env) -> io::Result<()> {
    let _lock = lock(path.parent().unwrap_or(path), env)?;
    drop_entry(path, id)
}

/// The same, for who holds the lock.
fn drop_entry(path: &Path, id: u64) -> io::Result<()> {
    remember(path.parent().unwrap_or(path), id)?;
    match fs::remove_file(path) {
        // Another run may have taken it away.
        Err(error) if is_absent(&error) => Ok(()),
        removed => removed,
    }
}

/// Keeps other runs from giving numbers and from taking entries away. It is
/// never held for long, but by a run that was stopped.
///
/// Where the file system has no locks, threads of this process keep each other out.
fn lock(directory: &Path, env: &Env) -> io::Result<(File, Option<MutexGuard<'static, ()>>)> {
    static THREADS: Mutex<()> = Mutex::new(());
    let lock = File::open(directory)?;
    let message = "another run is writing to the history";
    let is_locked = lock_own(&lock, directory, message, env).map_err(io::Error::other)?;
    let guard = (!is_locked).then(|| THREADS.lock().unwrap_or_else(PoisonError::into_inner));
    Ok((lock, guard))
}

/// Takes away all entries that are too old: whoever looks at the history or
/// makes a change sees to that.
pub(super) fn expire(state: &StateDirectory) {
    // What keeps it from being looked at, who needs it says.
    if let Ok(Some(directory)) = state.existing_part(PART) {
        let _ = expire_in(&directory, BOUNDS.seconds);
    }
}

/// The names of the entries that stay, oldest first.
fn expire_in(directory: &Path, seconds: u64) -> io::Result<Vec<EntryName>> {
    let all = names(directory)?;
    let now = now();
    let is_old = |name: &EntryName| name.time.saturating_add(seconds) < now;
    if !all.iter().any(is_old) {
        return Ok(all);
    }
    let (old, young): (Vec<_>, Vec<_>) = all.into_iter().partition(is_old);
    // Whoever looks the next time sees to what is left.
    let at_once = Env { lock_timeout: Duration::ZERO, ..Env::default() };
    if let Ok(_lock) = lock(directory, &at_once) {
        for name in old {
            let _ = drop_entry(&directory.join(name.file_name()), name.id);
        }
        let items = fs::read_dir(directory).into_iter().flatten().flatten();
        for name in items.filter_map(|item| item.file_name().into_string().ok()) {
            if EntryName::parse_before(&name, DAMAGED).is_some_and(|name| is_old(&name)) {
                let _ = fs::remove_file(directory.join(name));
            }
        }
    }
    Ok(young)
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
        let _ = drop_entry(&directory.join(name.file_name()), name.id);
        count -= 1;
        bytes -= name.size;
    }
}

/// All entries, newest first; and the numbers of damaged ones.
///
/// Fails where one cannot be read.
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

/// The newest entry that `wanted` takes.
///
/// Fails where one that is newer than that is damaged: it may be the one that is
/// wanted. It is set aside then, so that it is not met again.
pub fn find(
    state: &StateDirectory,
    wanted: impl FnMut(&Entry) -> bool,
) -> Result<Option<Entry>, Error> {
    find_after(state, 0, wanted)
}

/// The same of those that are newer than the one with a number.
pub(super) fn find_after(
    state: &StateDirectory,
    id: u64,
    mut wanted: impl FnMut(&Entry) -> bool,
) -> Result<Option<Entry>, Error> {
    for (name, entry) in entries(state, |own| own > id)? {
        let entry = sound(state, name, entry?)?;
        if wanted(&entry) {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}

/// The entry with a number. Fails where it is damaged.
pub fn find_id(state: &StateDirectory, id: u64) -> Result<Option<Entry>, Error> {
    let found = entries(state, |own| own == id)?.next();
    found.map(|(name, entry)| sound(state, name, entry?)).transpose()
}

type Read = Result<Option<Entry>, Error>;

/// The entries whose numbers are wanted, newest first; none where one is damaged.
fn entries(
    state: &StateDirectory,
    wanted: impl Fn(u64) -> bool,
) -> Result<impl Iterator<Item = (EntryName, Read)>, Error> {
    let directory = state.path().join(PART);
    let names = match state.existing_part(PART) {
        Ok(Some(directory)) => expire_in(&directory, BOUNDS.seconds),
        none => none.map(|_| Vec::new()),
    };
    let names = names.map_err(|error| Error::io(&error, &directory))?;
    let names = names.into_iter().rev().filter(move |name| wanted(name.id));
    Ok(names.filter_map(move |name| {
        let path = directory.join(name.file_name());
        match entry::read(path.clone(), name) {
            // Another run may have taken it away.
            Err(error) if is_absent(&error) => None,
            read => Some((name, read.map_err(|error| Error::io(&error, &path)))),
        }
    }))
}

fn sound(state: &StateDirectory, name: EntryName, read: Option<Entry>) -> Result<Entry, Error> {
    read.ok_or_else(|| set_aside(&state.path().join(PART).join(name.file_name()), name.id))
}

/// Puts a damaged entry out of the way; the error for who wanted it.
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
    /// Puts it out of the way, as its bytes are damaged.
    pub(super) fn set_aside(&self) -> Error {
        set_aside(self.path(), self.id)
    }
}

/// Takes an entry away by its number, where there is one.
pub(super) fn remove(state: &StateDirectory, id: u64, env: &Env) -> io::Result<()> {
    let Some(directory) = state.existing_part(PART)? else { return Ok(()) };
    let _lock = lock(&directory, env)?;
    let mut names = names(&directory)?.into_iter().filter(|name| name.id == id);
    names.try_for_each(|name| drop_entry(&directory.join(name.file_name()), id))
}

/// What is hashed of a file of `length` bytes to show that it is the one that
/// edits left; `brought` are what the edits brought, sorted: without any it was created,
/// and its undo removes it.
pub(super) fn hashed_spans(
    length: u64,
    brought: impl IntoIterator<Item = Span>,
) -> (Hashed, Vec<Span>) {
    let mut brought = brought.into_iter().peekable();
    if length <= MAX_HASHED || brought.peek().is_none() {
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use sha2::{Digest, Sha256};

    use super::*;
    use crate::files::records::Identity;
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

    fn add(state: &StateDirectory, bounds: Bounds, removed: u64) -> Recorded {
        let bytes = |file: &File, at| {
            let bytes = vec![b'x'; removed as usize];
            file.write_all_at(&bytes, at).map(|()| digits(Sha256::new_with_prefix(&bytes)))
        };
        let draft = Draft { operation: "replace".into(), ..Draft::default() };
        let files = vec![file_record(removed)];
        record_within(state, bounds, &draft, files, &Env::default(), removed, bytes)
            .expect("recorded")
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
        let reverses = Some(Reversed { id: 3, origin: 3, is_undo: true });
        let draft = Draft { reverses, ..Draft::default() };
        let bytes = |_: &File, _| Ok(digits(Sha256::new()));
        record_within(&state, few, &draft, Vec::new(), &Env::default(), 0, bytes)
            .expect("recorded");
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
        assert_eq!(add(&state, BOUNDS, 1).id, 3);
    }

    #[test]
    fn entries_without_checksums_can_be_read() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let state = StateDirectory::at(sandbox.path().join("state"));
        let directory = state.part(PART).expect("made");
        let record = r#"{"version":1,"time":5,"operation":"replace","files":[{"path":"/a","before":{"device":1,"inode":2,"size":3,"mtime":[4,5]},"after":{"device":1,"inode":2,"size":9,"mtime":[4,5]},"in_place":false,"lines_delta":0,"sha256":"","hashed":"file","edits":[[7,1,2]]}]}"#;
        let text = format!("{record}\nxy");
        let name = EntryName { id: 4, time: now(), size: text.len() as u64 };
        fs::write(directory.join(name.file_name()), text).expect("written");
        let reverse = by_id(&state, 4).reverse().expect("read").expect("sound");
        assert_eq!(reverse[0].edits.edits(), [Edit::new(Span::new(7, 8), "xy")]);
        // What cannot be is refused.
        let text = format!("{}\nxy", record.replace("[7,1,2]", "[18446744073709551615,1,2]"));
        let name = EntryName { id: 5, size: text.len() as u64, ..name };
        fs::write(directory.join(name.file_name()), text).expect("written");
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
        let record = |state: &StateDirectory| {
            let draft = Draft::default();
            let bytes = |_: &File, _| Ok(digits(Sha256::new()));
            record(state, &draft, Vec::new(), &Env::default(), 0, bytes)
        };
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
        record(&state).expect_err("refused");
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
        let recorded = add(&state, BOUNDS, 3);
        let held = lock(&state.path().join(PART), &Env::default()).expect("locked");
        let code =
            |result: io::Result<()>| Error::io(&result.expect_err("refused"), Path::new("")).code;
        let env = Env { lock_timeout: Duration::from_millis(5), ..Env::default() };
        assert_eq!(code(by_id(&state, 1).remove(&env)), Code::Locked);
        assert_eq!(code(remove(&state, 1, &env)), Code::Locked);
        let bytes = |_: &File, _| Ok(digits(Sha256::new()));
        let next = record(&state, &Draft::default(), Vec::new(), &env, 0, bytes).map(drop);
        assert_eq!(code(next), Code::Locked);
        let env = Env::default();
        env.cancel.set();
        assert_eq!(code(by_id(&state, 1).remove(&env)), Code::Cancelled);
        assert_eq!(ids(&state), [1]);
        drop(held);
        recorded.remove();
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
