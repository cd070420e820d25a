//! Updates an index to match a directory: adds new files, removes deleted files, and reads changed
//! files again. Each unchanged file requires only one system call.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use globset::GlobMatcher;

use super::catalogue::Settings;
use super::chunks::Reading;
use super::detection::Sample;
use super::documents::{may_be_document, may_be_generated};
use super::embedding::{DocumentTokens, Spool};
use super::language::ENGLISH;
use super::model;
use super::query::glob;
use super::store::{Failure, Outcome, Store};
use super::writer::{FileKind, NewDocument, Writer};
use folio_files::config;
use folio_files::document::{self, DocumentOptions};
use folio_files::env::Env;
use folio_files::error::{Code, Error};
use folio_files::listing::{self, ListedEntry, Visitor, WalkOptions};
use folio_files::roots::Status;

/// Number of sections per transaction. After an interruption, committed transactions are kept.
const BATCH: u64 = 4000;
/// Number of files from which the language is detected, and number of bytes read from each.
const SAMPLED: usize = 64;
const SAMPLE: usize = 8192;
/// The resolution of timestamps. A file that was changed within this time may change again without
/// a change of its timestamp.
const TICK: Duration = Duration::from_millis(100);
/// Minimum number of paths for each thread to examine.
const MIN_PATHS: usize = 512;
/// The recorded state of a file that does not exist.
const ABSENT: &[u8] = b"absent";
/// The identity and state of a file.
type FileStamp = [u8; 40];

/// How the language of an index was chosen. The index stores this value.
#[derive(Clone, Copy)]
enum Detected {
    /// The language is configured.
    No = 0,
    /// The language was detected.
    Clear = 1,
    /// No language was detected, so English is used.
    Unclear = 2,
}

/// The documents from which an index is built.
pub struct Source<'a> {
    /// The directory of the documents.
    pub directory: &'a Path,
    /// The settings, such as globs and language.
    pub settings: &'a Settings,
}

/// The result of an update.
#[derive(Debug, Default)]
pub struct Updated {
    /// Number of documents that were added or read again.
    pub changed: u64,
    /// Number of documents that were removed.
    pub removed: u64,
    /// Files and directories that could not be read.
    pub errors: Vec<Error>,
}

/// Called with the number of files processed so far, and the total number of files.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);

/// A path and its recorded state. `None` if the state must not be relied on.
type Recorded = (Vec<u8>, Option<Known>);

/// A recorded state.
#[derive(PartialEq, Eq)]
enum Known {
    /// The path did not exist.
    Absent,
    /// The path existed, with this state.
    There(FileStamp),
}

/// How a path differs from its recorded state.
enum Difference {
    None,
    Changed,
    Gone,
    Failed(Box<Error>),
}

/// The changes to make to an index.
#[derive(Default)]
struct Plan {
    /// Whether the index does not contain any files yet.
    is_first: bool,
    /// The paths of files to read.
    changed: Vec<Vec<u8>>,
    /// Number of changed files that have been written.
    completed: usize,
    deleted: Vec<Vec<u8>>,
    /// The states of directories and ignore files. `None` if there were errors while listing files.
    places: Option<BTreeMap<Vec<u8>, Vec<u8>>>,
    errors: Vec<Error>,
    is_empty: bool,
}

/// Updates an index. Reads the files in `again` even if they seem unchanged.
pub fn update(
    store: &Store,
    source: &Source<'_>,
    again: &[Vec<u8>],
    env: &Env,
    progress: Progress<'_>,
) -> Outcome<Updated> {
    let mut updated = Updated::default();
    let mut spool = None;
    loop {
        // Another run may write before this one has the lock. Its changes must not be repeated.
        let seen = store.data_version()?;
        if !source.is_for(store)? {
            store.clear(seen)?;
            continue;
        }
        let mut plan = source.plan(store, again, env)?;
        if plan.is_empty {
            updated.errors = plan.errors;
            return Ok(updated);
        }
        let Some((language, detected)) = source.language(store, &plan, env)? else {
            store.clear(seen)?;
            continue;
        };
        while plan.completed < plan.changed.len().max(1) {
            let mut writer = Writer::begin(store, &language)?;
            if store.data_version()? != seen {
                updated.errors.clear();
                spool = None;
                break;
            }
            if spool.is_none() && plan.is_first && !writer.has_weights() {
                spool = Some(Spool::create_beside(&store.file)?);
            }
            if plan.is_first && plan.completed == 0 {
                let mut text = String::new();
                source.sample(store, &plan, env, &mut |part| text.push_str(part))?;
                writer.number_words_of(&text)?;
            }
            store.set_fact("language", &language)?;
            store.set_fact("detected", detected as u64)?;
            source.write(&mut writer, &mut plan, spool.as_mut(), env, progress, &mut updated)?;
            if plan.completed == plan.changed.len() {
                updated.errors.append(&mut plan.errors);
                source.finish(store, writer, plan, spool, env)?;
                return Ok(updated);
            }
            writer.commit()?;
        }
    }
}

impl Source<'_> {
    /// Whether the language of an index is the one of the settings. If it is not, all terms change,
    /// and building a new index is faster than replacing every document.
    fn is_for(&self, store: &Store) -> Outcome<bool> {
        let stored_language: Option<String> = store.fact("language")?;
        Ok(match &self.settings.language {
            Some(language) => stored_language.as_ref().is_none_or(|stored| stored == language),
            None => stored_language.is_none() || store.number("detected")? > 0,
        })
    }

    /// Returns the language of the index, and how it was chosen. While the language is unclear, it
    /// is detected again when files change. Returns `None` if the detected language is clear and
    /// differs from the language of the index.
    fn language(
        &self,
        store: &Store,
        plan: &Plan,
        env: &Env,
    ) -> Outcome<Option<(String, Detected)>> {
        if let Some(language) = &self.settings.language {
            return Ok(Some((language.clone(), Detected::No)));
        }
        let stored_language: Option<String> = store.fact("language")?;
        let is_unclear = store.number("detected")? == Detected::Unclear as u64;
        if let Some(stored) = &stored_language
            && (!is_unclear || plan.changed.is_empty())
        {
            let detected = if is_unclear { Detected::Unclear } else { Detected::Clear };
            return Ok(Some((stored.clone(), detected)));
        }
        let mut sample = Sample::default();
        self.sample(store, plan, env, &mut |text| sample.add(text))?;
        Ok(match sample.language() {
            Some(language)
                if plan.is_first || stored_language.is_none_or(|stored| stored == language) =>
            {
                Some((language.to_owned(), Detected::Clear))
            }
            Some(_) => None,
            None => Some((ENGLISH.to_owned(), Detected::Unclear)),
        })
    }

    /// Calls `each` with the beginnings of some of the files.
    fn sample(
        &self,
        store: &Store,
        plan: &Plan,
        env: &Env,
        each: &mut dyn FnMut(&str),
    ) -> Outcome<()> {
        let mut statement = store.connection.prepare("SELECT path FROM documents")?;
        let known = statement.query_map([], |row| row.get(0))?;
        let mut paths: BTreeSet<Vec<u8>> = known.collect::<Result<_, _>>()?;
        paths.extend(plan.changed.iter().cloned());
        for path in paths.iter().step_by(paths.len().div_ceil(SAMPLED).max(1)) {
            let options = DocumentOptions::default();
            let Ok(document) = document::open_regular(&self.path(path), &options, env) else {
                continue;
            };
            if document.is_binary() {
                continue;
            }
            // A file that cannot be read is reported when it is indexed.
            if let Ok(Some(block)) = document.blocks().next() {
                let length = block.bytes.len().min(SAMPLE);
                each(&String::from_utf8_lossy(&block.bytes[..length]));
            }
        }
        Ok(())
    }

    /// Returns the settings that affect the list of files.
    fn fingerprint(&self) -> String {
        format!("{:?} {:?}", self.settings.include, self.settings.exclude)
    }

    /// Whether the files were listed with the settings that affect the list.
    fn has_same_settings(&self, store: &Store) -> Outcome<bool> {
        Ok(store.fact::<String>("fingerprint")?.as_deref() == Some(&self.fingerprint()))
    }

    /// Returns the location of a recorded path. Only ignore files outside the directory have absolute
    /// paths, which `join` does not change.
    fn path(&self, recorded: &[u8]) -> PathBuf {
        self.directory.join(OsStr::from_bytes(recorded))
    }

    fn plan(&self, store: &Store, again: &[Vec<u8>], env: &Env) -> Outcome<Plan> {
        let mut plan = Plan { is_first: true, ..Plan::default() };
        let mut listing = if self.is_listed(store, env)? { None } else { Some(self.list(env)?) };
        env.cancel.check()?;
        let has_same_settings = self.has_same_settings(store)?;
        let mut known: Vec<Recorded> = Vec::new();
        let mut statement = store.connection.prepare("SELECT path, identity FROM documents")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            plan.is_first = false;
            let (path, mut state) = read_recorded(row)?;
            // Only the settings determine whether a generated page is a document.
            if !has_same_settings && may_be_generated(&path) {
                state = None;
            }
            if let Some(listing) = &mut listing
                && !listing.files.remove(&path)
            {
                // If the list is incomplete, a missing file may not have been deleted.
                plan.deleted.extend(listing.errors.is_empty().then_some(path));
                continue;
            }
            known.push((path, state));
        }
        let differences = self.differences(&known, env);
        let again: HashSet<&[u8]> = again.iter().map(Vec::as_slice).collect();
        for ((path, _), difference) in known.into_iter().zip(differences) {
            match difference {
                Difference::None if !again.contains(&path[..]) => {}
                Difference::None | Difference::Changed => plan.changed.push(path),
                Difference::Gone => plan.deleted.push(path),
                Difference::Failed(error) => plan.errors.push(*error),
            }
        }
        if let Some(listing) = listing {
            plan.changed.extend(listing.files);
            plan.places = listing.errors.is_empty().then_some(listing.places);
            plan.errors.splice(..0, listing.errors);
        }
        plan.changed.sort_unstable();
        plan.is_empty = plan.changed.is_empty()
            && plan.deleted.is_empty()
            && plan.places.is_none()
            && store.number("complete")? == 1;
        Ok(plan)
    }

    /// Whether the list of files is up to date: no directory, ignore file or setting has changed
    /// since the files were listed.
    fn is_listed(&self, store: &Store, env: &Env) -> Outcome<bool> {
        if !self.has_same_settings(store)? {
            return Ok(false);
        }
        let mut statement = store.connection.prepare("SELECT path, identity FROM places")?;
        let mut rows = statement.query([])?;
        let mut places: Vec<Recorded> = Vec::new();
        while let Some(row) = rows.next()? {
            places.push(read_recorded(row)?);
        }
        let differences = self.differences(&places, env);
        let is_same = |difference: &Difference| matches!(difference, Difference::None);
        Ok(!places.is_empty() && differences.iter().all(is_same))
    }

    /// Returns how each path differs from its recorded state, in order.
    fn differences(&self, recorded: &[Recorded], env: &Env) -> Vec<Difference> {
        let workers = env.take_workers();
        let part = recorded.len().div_ceil(workers.count()).max(MIN_PATHS);
        if recorded.len() <= part {
            return self.differences_of(recorded, env);
        }
        std::thread::scope(|scope| {
            let parts = recorded.chunks(part);
            let parts: Vec<_> =
                parts.map(|part| scope.spawn(|| self.differences_of(part, env))).collect();
            let found = parts.into_iter().map(|part| part.join());
            found.flat_map(|part| part.unwrap_or_else(|panic| resume_unwind(panic))).collect()
        })
    }

    fn differences_of(&self, recorded: &[Recorded], env: &Env) -> Vec<Difference> {
        let difference = |(path, state): &Recorded| {
            let found = match env.roots.look(&self.path(path)) {
                Ok(found) => found.map_or(Known::Absent, |found| Known::There(state_of(&found))),
                Err(error) => return Difference::Failed(Box::new(error)),
            };
            match found {
                found if state.as_ref() == Some(&found) => Difference::None,
                Known::Absent => Difference::Gone,
                Known::There(_) => Difference::Changed,
            }
        };
        recorded.iter().map(difference).collect()
    }

    fn list<'b>(&'b self, env: &'b Env) -> Outcome<Listing<'b>> {
        let globs = |texts: &[String]| -> Result<Vec<GlobMatcher>, Error> {
            texts.iter().map(|text| glob(text)).collect()
        };
        let mut listing = Listing {
            directory: self.directory,
            env,
            include: globs(&self.settings.include)?,
            exclude: globs(&self.settings.exclude)?,
            files: BTreeSet::new(),
            places: BTreeMap::new(),
            errors: Vec::new(),
        };
        listing.note(self.directory);
        listing::list(self.directory, &WalkOptions::default(), env, &mut listing)?;
        listing.forget_missing();
        Ok(listing)
    }

    /// Writes a batch of changes.
    fn write(
        &self,
        writer: &mut Writer<'_>,
        plan: &mut Plan,
        mut spool: Option<&mut Spool>,
        env: &Env,
        progress: Progress<'_>,
        updated: &mut Updated,
    ) -> Outcome<()> {
        for path in plan.deleted.drain(..) {
            writer.remove(&path)?;
            updated.removed += 1;
        }
        let total = plan.changed.len() as u64;
        let begun = writer.next_section();
        for path in &plan.changed[plan.completed..] {
            env.cancel.check()?;
            progress(plan.completed as u64, total);
            self.index_file(writer, path, spool.as_deref_mut(), env, updated)?;
            plan.completed += 1;
            if writer.next_section() - begun > BATCH {
                break;
            }
        }
        Ok(())
    }

    /// Writes the values that describe the whole index, and commits the last batch.
    fn finish(
        &self,
        store: &Store,
        mut writer: Writer<'_>,
        plan: Plan,
        spool: Option<Spool>,
        env: &Env,
    ) -> Outcome<()> {
        if let Some(places) = &plan.places {
            store.connection.execute("DELETE FROM places", [])?;
            let mut insert = store.connection.prepare("INSERT INTO places VALUES(?1, ?2)")?;
            for place in places {
                insert.execute(place)?;
            }
            store.set_fact("fingerprint", self.fingerprint())?;
        }
        if writer.needs_weights() {
            let mut spool = match spool {
                Some(spool) => spool,
                None => self.spool(store, env)?,
            };
            writer.embed(&mut spool)?;
        }
        store.set_fact("complete", 1)?;
        writer.commit()
    }

    /// Reads a file and adds it to the index, unless its text is unchanged.
    fn index_file(
        &self,
        writer: &mut Writer<'_>,
        path: &[u8],
        spool: Option<&mut Spool>,
        env: &Env,
        updated: &mut Updated,
    ) -> Outcome<()> {
        let file_path = self.path(path);
        let before = env.roots.status(&file_path).ok().and_then(|status| trusted_stamp(&status));
        let id = String::from_utf8_lossy(path);
        let identity = before.as_ref().map(|state| &state[..]);
        let mut new = NewDocument { path, title: &id, identity, ..NewDocument::default() };
        match Reading::open(&file_path, env) {
            Ok(mut reading) => {
                if reading.is_generated && self.settings.include.is_empty() {
                    new.kind = FileKind::Generated;
                    return writer.put(&new, None, |_| Ok(()));
                }
                if writer.hash(path)?.as_deref() == Some(&reading.hash) {
                    return writer.touch(path, new.identity);
                }
                let (title, hash) = (reading.title.take(), reading.hash);
                new.title = title.as_deref().unwrap_or(&id);
                new.characters = reading.characters;
                new.encoding = reading.encoding();
                new.hash = &hash;
                writer.put(&new, spool, |each| reading.chunks(each))?;
                updated.changed += 1;
            }
            Err(error) if error.code == Code::NotFound => writer.remove(path)?,
            Err(error) if error.code == Code::BinaryFile => {
                new.kind = FileKind::Binary;
                writer.put(&new, None, |_| Ok(()))?;
            }
            Err(error) if error.code == Code::Cancelled => return Err(error.into()),
            Err(error) => {
                (new.kind, new.identity) = (FileKind::Unreadable, None);
                writer.put(&new, None, |_| Ok(()))?;
                updated.errors.push(error);
            }
        }
        Ok(())
    }

    /// Reads the tokens of all documents again.
    fn spool(&self, store: &Store, env: &Env) -> Outcome<Spool> {
        let mut spool = Spool::create_beside(&store.file)?;
        let sql = "SELECT path, title FROM documents WHERE kind = 0 ORDER BY first";
        let mut statement = store.connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            env.cancel.check()?;
            let (path, title): (Vec<u8>, String) = (row.get(0)?, row.get(1)?);
            let mut document = DocumentTokens::new(&title, &path);
            // If a file has been deleted since, the next update removes it.
            if let Ok(mut reading) = Reading::open(&self.path(&path), env) {
                reading.chunks(&mut |chunk| {
                    let mut tokens = Vec::new();
                    model::tokens(&chunk.text, &mut tokens);
                    document.push(&tokens);
                    Ok(())
                })?;
            }
            spool.push(&document)?;
        }
        Ok(spool)
    }
}

/// Collects the files of a directory.
struct Listing<'a> {
    directory: &'a Path,
    env: &'a Env,
    include: Vec<GlobMatcher>,
    exclude: Vec<GlobMatcher>,
    files: BTreeSet<Vec<u8>>,
    /// The states of directories and ignore files.
    places: BTreeMap<Vec<u8>, Vec<u8>>,
    errors: Vec<Error>,
}

impl Listing<'_> {
    fn relative_path<'a>(&self, path: &'a Path) -> &'a [u8] {
        path.strip_prefix(self.directory).unwrap_or(path).as_os_str().as_bytes()
    }

    /// Records the state of a directory or ignore file.
    fn note(&mut self, path: &Path) {
        let state = match self.env.roots.look(path) {
            // A file without a state counts as changed.
            Ok(Some(status)) => trusted_stamp(&status).map_or(Vec::new(), Vec::from),
            Ok(None) => ABSENT.to_vec(),
            Err(_) => Vec::new(),
        };
        let below = self.relative_path(path).to_vec();
        self.places.insert(below, state);
    }

    /// Removes a missing ignore file from the recorded places if its directory is also recorded,
    /// because the state of the directory changes when the file is created.
    fn forget_missing(&mut self) {
        let is_implied = |(path, state): &(&Vec<u8>, &Vec<u8>)| {
            let parent = Path::new(OsStr::from_bytes(path)).parent();
            let parent = parent.map(|parent| parent.as_os_str().as_bytes());
            *state == ABSENT && parent.is_some_and(|parent| self.places.contains_key(parent))
        };
        let implied: Vec<Vec<u8>> =
            self.places.iter().filter(is_implied).map(|(path, _)| path.clone()).collect();
        implied.iter().for_each(|path| drop(self.places.remove(path)));
    }

    fn is_included(&self, below: &Path) -> bool {
        let included = match &self.include[..] {
            [] => may_be_document(below.as_os_str().as_bytes()),
            globs => globs.iter().any(|glob| glob.is_match(below)),
        };
        // An excluded directory excludes its contents.
        let excluded = |path: &Path| self.exclude.iter().any(|glob| glob.is_match(path));
        included && !below.ancestors().any(excluded) && below != Path::new(config::NAME)
    }
}

impl Visitor for Listing<'_> {
    fn wants_children(&mut self, _: &ListedEntry<'_>) -> bool {
        false
    }

    fn entry(&mut self, found: &ListedEntry<'_>) {
        let below = self.relative_path(found.path).to_vec();
        match found.kind {
            listing::EntryKind::File if self.is_included(Path::new(OsStr::from_bytes(&below))) => {
                self.files.insert(below);
            }
            listing::EntryKind::Directory if found.is_entered => self.note(found.path),
            _ => {}
        }
    }

    fn failed(&mut self, error: Error) {
        self.errors.push(error);
    }

    fn ignore_file_checked(&mut self, ignore_file: &Path) {
        self.note(ignore_file);
    }
}

/// Reads a path and its recorded state from a row.
fn read_recorded(row: &rusqlite::Row<'_>) -> Outcome<Recorded> {
    let state = match row.get_ref(1)?.as_blob_or_null().map_err(|_| Failure::Damaged)? {
        Some(ABSENT) => Some(Known::Absent),
        state => state.and_then(|state| state.try_into().ok()).map(Known::There),
    };
    Ok((row.get(0)?, state))
}

fn state_of(status: &Status) -> FileStamp {
    let identity = &status.identity;
    let (seconds, rest) = identity.mtime;
    let numbers = [status.device, identity.inode, identity.size, seconds as u64, rest.into()];
    let mut state = [0; 40];
    for (part, number) in state.as_chunks_mut::<8>().0.iter_mut().zip(numbers) {
        *part = number.to_le_bytes();
    }
    state
}

/// Returns the state of a file, if the file is so old that every later change will also change its
/// state.
fn trusted_stamp(status: &Status) -> Option<FileStamp> {
    let (seconds, rest) = status.identity.mtime;
    let changed = UNIX_EPOCH + Duration::new(u64::try_from(seconds).unwrap_or(0), rest);
    let is_old = SystemTime::now().duration_since(changed).is_ok_and(|age| age > TICK);
    is_old.then(|| state_of(status))
}

#[cfg(test)]
mod tests {
    use super::super::chunks::Chunk;
    use super::super::language::ENGLISH;
    use super::super::local::LocalShard;
    use super::super::shard::{Shard, Which};
    use super::*;
    use folio_text::span::LineRange;

    struct Sample {
        directory: tempfile::TempDir,
        settings: Settings,
    }

    impl Sample {
        fn with(documents: &[(&str, &str)]) -> Self {
            let directory = tempfile::tempdir().expect("a directory");
            std::fs::create_dir(directory.path().join("docs")).expect("made");
            let sample = Self { directory, settings: Settings::default() };
            documents.iter().for_each(|(name, text)| sample.write(name, text));
            sample
        }

        fn write(&self, name: &str, text: &str) {
            let path = self.directory.path().join("docs").join(name);
            std::fs::write(path, text).expect("written");
        }

        /// Sets the time of modification. Old times are relied on.
        fn set_age(&self, name: &str, seconds: u64) {
            let file = std::fs::File::open(self.directory.path().join(name)).expect("opened");
            file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds)).expect("set");
        }

        fn store(&self) -> Store {
            let file = self.directory.path().join("x.db");
            Store::open(&file, Duration::from_secs(20)).expect("opened")
        }

        fn update(&self, store: &Store) -> Updated {
            let directory = self.directory.path().join("docs");
            let source = Source { directory: &directory, settings: &self.settings };
            let updated = update(store, &source, &[], &Env::default(), &mut |_, _| {});
            updated.expect("updated")
        }
    }

    fn put(writer: &mut Writer<'_>, path: &str, text: &str) {
        let new = NewDocument { path: path.as_bytes(), title: path, ..NewDocument::default() };
        let chunk = Chunk {
            lines: LineRange::line(1),
            start: 0,
            size: text.len() as u64,
            trail: Vec::new(),
            above: 0,
            text: text.to_owned(),
            checksum: [0; 8],
        };
        writer.put(&new, None, |each| each(chunk)).expect("put in");
    }

    fn sections(count: usize, word: &str) -> String {
        (0..count).map(|at| format!("# {word} {at}\n\n{word} text {at}\n\n")).collect()
    }

    #[test]
    fn changes_written_before_the_lock_are_seen() {
        let sample = Sample::with(&[("b.md", "# B\n\nbadgers\n")]);
        let store = sample.store();
        let mut writer = Writer::begin(&store, ENGLISH).expect("begun");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| drop(sample.update(&sample.store())));
            // After this time, the other run should have made its plan and be waiting. If it is
            // not, the test passes without testing this case.
            std::thread::sleep(Duration::from_millis(300));
            sample.write("a.md", "# A\n\nants\n");
            put(&mut writer, "a.md", "ants");
            writer.commit().expect("committed");
            waiting.join().expect("no panic");
        });
        let sql = "SELECT group_concat(path) FROM (SELECT path FROM documents ORDER BY path)";
        let listed: String = store.connection.query_row(sql, [], |row| row.get(0)).expect("read");
        assert_eq!(listed, "a.md,b.md");
        let rows = super::super::vectors::rows(&store.connection, 0..99).expect("read");
        assert_eq!(rows.len(), 2 * super::super::vectors::ROW);
    }

    #[test]
    fn frequencies_follow_changes() {
        let sample = Sample::with(&[("a.md", "ants and bees"), ("b.md", "bees")]);
        let store = sample.store();
        let check = |expected: [u64; 3]| {
            sample.update(&store);
            let shard = LocalShard::new(&store).expect("opened");
            let found = shard.frequencies(&["ant", "bee", "wasp"]).expect("read");
            let found: Vec<u64> = found.iter().map(|frequency| frequency.sections).collect();
            assert_eq!(found, expected);
        };
        check([1, 2, 0]);
        sample.write("b.md", "wasps and ants");
        check([2, 1, 1]);
        sample.write("a.md", "wasps");
        check([1, 0, 2]);
        std::fs::remove_file(sample.directory.path().join("docs/b.md")).expect("removed");
        check([0, 0, 1]);
        sample.write("c.md", "ants");
        check([1, 0, 1]);
        let sql = "SELECT group_concat(term, ' ') FROM (SELECT term FROM terms ORDER BY term)";
        let terms: String = store.connection.query_row(sql, [], |row| row.get(0)).expect("read");
        assert_eq!(terms, "a ant c md wasp");
    }

    #[test]
    fn numbers_that_the_index_cannot_contain_are_damage() {
        let is_damaged = |sql: &str| {
            let documents = [("a.md", "# A\n\nants\n"), ("b.md", "# B\n\nbees\n")];
            let sample = Sample::with(&documents);
            let store = sample.store();
            sample.update(&store);
            store.connection.execute_batch(sql).expect("written");
            let documents = LocalShard::new(&store).and_then(|shard| shard.documents(Which::All));
            matches!(documents, Err(Failure::Damaged))
        };
        assert!(!is_damaged("SELECT 1"));
        for count in ["3", "2147483648", "9223372036854775807"] {
            assert!(is_damaged(&format!("UPDATE documents SET count = {count}")), "{count}");
        }
        for end in ["268435456", "4611686018427387904"] {
            let names = "('sections', 'next_section')";
            let sql = format!("UPDATE facts SET value = {end} WHERE name IN {names}");
            assert!(is_damaged(&sql), "{end}");
        }
    }

    #[test]
    fn a_directory_that_was_empty_for_a_while_is_indexed() {
        let sample = Sample::with(&[("a.md", "# A\n\nants\n")]);
        let store = sample.store();
        sample.update(&store);
        std::fs::remove_file(sample.directory.path().join("docs/a.md")).expect("removed");
        assert_eq!(sample.update(&store).removed, 1);
        sample.write("b.md", "# B\n\nbadgers\n");
        assert_eq!(sample.update(&store).changed, 1);
    }

    #[test]
    fn files_without_prose_and_generated_pages_are_documents_only_if_included() {
        let page = "<meta name=generator content=x>\n<p>ants\n";
        let mut sample = Sample::with(&[
            ("a.md", "# A\n\nants\n"),
            ("b.html", "<p>bees\n"),
            ("c.html", page),
            ("d.svg", "<text>ants</text>\n"),
        ]);
        for name in ["a.md", "b.html", "c.html", "d.svg"] {
            sample.set_age(&format!("docs/{name}"), 1000);
        }
        let store = sample.store();
        let documents = || {
            let sql = "SELECT group_concat(path, ' ') FROM \
                       (SELECT path FROM documents WHERE kind = 0 ORDER BY path)";
            let listed = store.connection.query_row(sql, [], |row| row.get(0));
            listed.unwrap_or_else(|_| String::new())
        };
        for (include, expected) in
            [(vec![], "a.md b.html"), (vec!["*.html", "*.svg"], "b.html c.html d.svg")]
        {
            sample.settings.include = include.into_iter().map(str::to_owned).collect();
            sample.update(&store);
            assert_eq!(documents(), expected);
        }
        sample.settings.include.clear();
        sample.update(&store);
        assert_eq!(documents(), "a.md b.html");
    }

    #[test]
    fn changed_ignore_rules_are_followed() {
        let text = "# A\n\nants\n";
        let sample = Sample::with(&[("a.md", text), ("b.md", text), ("c.md", text)]);
        let root = sample.directory.path();
        std::fs::create_dir_all(root.join(".git/info")).expect("made");
        let rules =
            [("docs/.rgignore", "a.md"), (".ignore", "b.md"), (".git/info/exclude", "c.md")];
        std::fs::write(root.join("docs/.rgignore"), "").expect("written");
        for name in ["docs/.rgignore", "docs"] {
            sample.set_age(name, 1000);
        }
        let store = sample.store();
        assert_eq!(sample.update(&store).changed, 3);
        for (name, rule) in rules {
            std::fs::write(root.join(name), rule).expect("written");
            sample.set_age(name, 2000);
            assert_eq!(sample.update(&store).removed, 1, "{name}");
        }
        std::fs::remove_file(root.join(".ignore")).expect("removed");
        assert_eq!(sample.update(&store).changed, 1);
    }

    #[test]
    fn an_unchanged_repository_is_not_listed_again() {
        let text = "# A\n\nants\n";
        let sample = Sample::with(&[("a.md", text), ("b.md", text), ("c.md", text)]);
        let root = sample.directory.path();
        std::fs::create_dir_all(root.join(".git/info")).expect("made");
        std::fs::write(root.join(".git/info/exclude"), "c.md").expect("written");
        for name in ["docs/a.md", "docs/b.md", "docs/c.md", ".git/info/exclude", "docs"] {
            sample.set_age(name, 1000);
        }
        let store = sample.store();
        assert_eq!(sample.update(&store).changed, 2);
        let observer = sample.store();
        let version = || observer.data_version().expect("read");
        for (name, rule) in [(".gitignore", "a.md"), (".ignore", "b.md")] {
            let before = version();
            sample.update(&store);
            assert_eq!(version(), before, "nothing is written");
            std::fs::write(root.join(name), rule).expect("written");
            sample.set_age(name, 1000);
            assert_eq!(sample.update(&store).removed, 1, "{name}");
        }
    }

    #[test]
    fn an_edited_section_counts_once_as_changed() {
        let sample = Sample::with(&[]);
        sample.write("a.md", &sections(85, "ant"));
        sample.write("b.md", &sections(15, "bee"));
        let store = sample.store();
        sample.update(&store);
        let generation = || store.number("generation").expect("a number");
        let changed = || store.number("changed").expect("a number");
        assert_eq!((changed(), generation()), (0, 1));
        sample.write("b.md", &sections(14, "bumblebee"));
        sample.update(&store);
        assert_eq!((changed(), generation()), (15, 1));
        sample.write("b.md", &sections(20, "wasp"));
        sample.update(&store);
        assert_eq!((changed(), generation()), (0, 2), "a quarter has changed");
    }
}
