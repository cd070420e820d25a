//! An index follows its directory: what is new goes in, what is gone goes out, what
//! changed is read again. What did not change costs one question to the system.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use globset::GlobMatcher;
use rusqlite::Row;

use super::analyser::ENGLISH;
use super::catalogue::Settings;
use super::chunks::Reading;
use super::embedding::{Meaning, Spool};
use super::model;
use super::query::glob;
use super::store::{Failure, Outcome, Store};
use super::writer::{Kind, NewDocument, Writer};
use crate::error::{Code, Error};
use crate::files::config;
use crate::files::env::Env;
use crate::files::listing::{self, Found, Visitor, WalkOptions};
use crate::files::roots::Status;

/// Sections that are written at once: what was done is kept if the run ends.
const BATCH: u64 = 4000;
/// A file that was changed so shortly before may be changed again in the same
/// tick of its clock.
const TICK: Duration = Duration::from_millis(100);
/// The state of what is not there.
const ABSENT: &[u8] = b"absent";
/// A file and its state as bytes.
type State = [u8; 40];

/// Where the documents of an index are, and which files they are.
pub struct Source<'a> {
    /// The directory.
    pub directory: &'a Path,
    /// Globs and language.
    pub settings: &'a Settings,
}

/// What an update came to.
#[derive(Debug, Default)]
pub struct Updated {
    /// Documents that are new or were read again.
    pub changed: u64,
    /// Documents that are gone.
    pub removed: u64,
    /// What could not be read or listed.
    pub errors: Vec<Error>,
}

/// Takes how many files are done of how many.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);

/// A file that is read.
struct Changed {
    path: Vec<u8>,
    /// What it said when it was indexed, where it was and would be analysed as it
    /// would be now.
    hash: Option<Vec<u8>>,
}

/// What is to be done.
#[derive(Default)]
struct Plan {
    /// Whether no file was indexed before.
    is_first: bool,
    changed: Vec<Changed>,
    /// How many of them are written.
    done: usize,
    gone: Vec<Vec<u8>>,
    places: Option<BTreeMap<Vec<u8>, Vec<u8>>>,
    errors: Vec<Error>,
    /// Whether there is nothing to be done.
    is_empty: bool,
}

/// Brings an index up to date; `again` are files that must be read whatever the
/// system says of them.
pub fn update(
    store: &Store,
    source: &Source<'_>,
    again: &[Vec<u8>],
    env: &Env,
    progress: Progress<'_>,
) -> Outcome<Updated> {
    let seen = store.data_version()?;
    let plan = source.plan(store, again, env)?;
    if plan.is_empty {
        return Ok(Updated { errors: plan.errors, ..Updated::default() });
    }
    source.carry_out(store, plan, seen, again, env, progress)
}

impl Source<'_> {
    fn language(&self) -> &str {
        self.settings.language.as_deref().unwrap_or(ENGLISH)
    }

    /// What another listing or another analysis would follow from.
    fn fingerprint(&self) -> String {
        format!("{:?} {:?}", self.settings.include, self.settings.exclude)
    }

    fn path(&self, below: &[u8]) -> PathBuf {
        self.directory.join(OsStr::from_bytes(below))
    }

    fn plan(&self, store: &Store, again: &[Vec<u8>], env: &Env) -> Outcome<Plan> {
        let mut plan = Plan { is_first: true, ..Plan::default() };
        let listing = match self.is_listed(store, env)? {
            true => None,
            false => Some(self.list(env)?),
        };
        let mut is_known = vec![false; listing.as_ref().map_or(0, |listing| listing.files.len())];
        self.look(store, again, env, &mut plan, |path| match &listing {
            None => Listed::Yes,
            Some(listing) => match listing.files.binary_search_by(|file| file[..].cmp(path)) {
                Ok(at) => {
                    is_known[at] = true;
                    Listed::Yes
                }
                // Of a listing that is not whole, nothing can be said to be gone.
                Err(_) if listing.errors.is_empty() => Listed::Gone,
                Err(_) => Listed::Unknown,
            },
        })?;
        if let Some(listing) = listing {
            let new = listing.files.into_iter().zip(is_known).filter(|(_, is_known)| !is_known);
            plan.changed.extend(new.map(|(path, _)| Changed { path, hash: None }));
            plan.places = listing.errors.is_empty().then_some(listing.places);
            plan.errors.splice(..0, listing.errors);
        }
        plan.changed.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        plan.is_empty = plan.changed.is_empty()
            && plan.gone.is_empty()
            && plan.places.is_none()
            && store.number("complete")? == 1;
        Ok(plan)
    }

    /// Looks at each file that was indexed. They may be many: none is kept that
    /// stays as it is.
    fn look(
        &self,
        store: &Store,
        again: &[Vec<u8>],
        env: &Env,
        plan: &mut Plan,
        mut listed: impl FnMut(&[u8]) -> Listed,
    ) -> Outcome<()> {
        let has_language = store.fact::<String>("language")?.as_deref() == Some(self.language());
        let again: HashSet<&[u8]> = again.iter().map(Vec::as_slice).collect();
        let mut whole = Whole::below(self.directory);
        let sql = "SELECT path, identity, hash FROM documents";
        let mut statement = store.connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            env.cancel.check()?;
            plan.is_first = false;
            let path = blob(row, 0)?;
            match listed(path) {
                Listed::Yes => {}
                Listed::Gone => {
                    plan.gone.push(path.to_owned());
                    continue;
                }
                Listed::Unknown => continue,
            }
            match env.roots.status(whole.path(path)) {
                Ok(status) => {
                    let state = row.get_ref(1)?.as_blob_or_null().ok().flatten();
                    let is_same = state == Some(&state_of(&status)[..]);
                    if !is_same || !has_language || again.contains(path) {
                        let hash = if has_language { row.get(2)? } else { None };
                        plan.changed.push(Changed { path: path.to_owned(), hash });
                    }
                }
                Err(error) if error.code == Code::NotFound => plan.gone.push(path.to_owned()),
                Err(error) => plan.errors.push(error),
            }
        }
        Ok(())
    }

    /// Whether no directory and no rule has changed since the last listing.
    fn is_listed(&self, store: &Store, env: &Env) -> Outcome<bool> {
        if store.fact::<String>("fingerprint")?.as_deref() != Some(&self.fingerprint()) {
            return Ok(false);
        }
        let mut statement = store.connection.prepare("SELECT path, identity FROM places")?;
        let mut rows = statement.query([])?;
        let mut whole = Whole::below(self.directory);
        let mut is_same = false;
        while let Some(row) = rows.next()? {
            let (path, identity) = (blob(row, 0)?, blob(row, 1)?);
            is_same = match env.roots.look(whole.path(path)) {
                Ok(Some(status)) => state_of(&status)[..] == *identity,
                Ok(None) => identity == ABSENT,
                Err(_) => false,
            };
            if !is_same {
                break;
            }
        }
        Ok(is_same)
    }

    fn list<'b>(&'b self, env: &'b Env) -> Outcome<Listing<'b>> {
        let globs = |given: &[String]| -> Result<Vec<GlobMatcher>, Error> {
            given.iter().map(|text| glob(text)).collect()
        };
        let mut listing = Listing {
            directory: self.directory,
            env,
            include: globs(&self.settings.include)?,
            exclude: globs(&self.settings.exclude)?,
            files: Vec::new(),
            places: BTreeMap::new(),
            errors: Vec::new(),
        };
        listing.note(self.directory);
        listing::list(self.directory, &WalkOptions::default(), env, &mut listing)?;
        listing.files.sort_unstable();
        Ok(listing)
    }

    /// `seen` is which state of the index the plan was made for.
    fn carry_out(
        &self,
        store: &Store,
        mut plan: Plan,
        mut seen: u64,
        again: &[Vec<u8>],
        env: &Env,
        progress: Progress<'_>,
    ) -> Outcome<Updated> {
        let mut updated = Updated::default();
        let mut spool = None;
        loop {
            let mut writer = Writer::begin(store, self.language())?;
            let now = store.data_version()?;
            if now != seen {
                // Another run wrote while the lock was free: what it did is not done again,
                // and a spool would lack its documents.
                (seen, spool) = (now, None);
                plan = self.plan(store, again, env)?;
                updated.errors.clear();
                if plan.is_empty {
                    updated.errors = plan.errors;
                    return Ok(updated);
                }
            }
            if spool.is_none() && plan.is_first && !writer.has_weights() {
                spool = Some(Spool::beside(&store.file)?);
            }
            self.write(&mut writer, &mut plan, spool.as_mut(), env, progress, &mut updated)?;
            if plan.done == plan.changed.len() {
                updated.errors.append(&mut plan.errors);
                self.finish(store, writer, plan, spool, env)?;
                return Ok(updated);
            }
            writer.commit()?;
        }
    }

    /// Writes as much of what is left as is written at once.
    fn write(
        &self,
        writer: &mut Writer<'_>,
        plan: &mut Plan,
        mut spool: Option<&mut Spool>,
        env: &Env,
        progress: Progress<'_>,
        updated: &mut Updated,
    ) -> Outcome<()> {
        for path in plan.gone.drain(..) {
            writer.remove(&path)?;
            updated.removed += 1;
        }
        let total = plan.changed.len() as u64;
        let begun = writer.next_section();
        for file in &plan.changed[plan.done..] {
            env.cancel.check()?;
            progress(plan.done as u64, total);
            self.take(writer, file, spool.as_deref_mut(), env, updated)?;
            plan.done += 1;
            if writer.next_section() - begun > BATCH {
                break;
            }
        }
        Ok(())
    }

    /// Writes what holds for the whole index.
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
        store.set_fact("language", self.language())?;
        store.set_fact("complete", 1)?;
        writer.commit()
    }

    /// Reads a file and puts it in, unless it says what it said.
    fn take(
        &self,
        writer: &mut Writer<'_>,
        file: &Changed,
        spool: Option<&mut Spool>,
        env: &Env,
        updated: &mut Updated,
    ) -> Outcome<()> {
        let path = file.path.as_slice();
        let whole = self.path(path);
        let before = env.roots.status(&whole).ok().and_then(|status| trusted(&status));
        let id = String::from_utf8_lossy(path);
        let mut new = NewDocument {
            path,
            kind: Kind::Text,
            title: &id,
            characters: 0,
            encoding: None,
            identity: before.as_ref().map(|state| &state[..]),
            hash: b"",
        };
        match Reading::open(&whole, env) {
            Ok(mut reading) => {
                if file.hash.as_deref() == Some(&reading.hash) {
                    return writer.touch(path, new.identity);
                }
                let (title, hash) = (reading.title.take(), reading.hash);
                new.title =
                    title.as_deref().filter(|title| !title.trim().is_empty()).unwrap_or(&id);
                new.characters = reading.characters;
                new.encoding = reading.encoding();
                new.hash = &hash;
                writer.put(&new, spool, |each| reading.chunks(each))?;
                updated.changed += 1;
            }
            Err(error) if error.code == Code::NotFound => writer.remove(path)?,
            Err(error) if error.code == Code::BinaryFile => {
                new.kind = Kind::Binary;
                writer.put(&new, None, |_| Ok(()))?;
            }
            Err(error) if error.code == Code::Cancelled => return Err(error.into()),
            Err(error) => {
                (new.kind, new.identity) = (Kind::Unreadable, None);
                writer.put(&new, None, |_| Ok(()))?;
                updated.errors.push(error);
            }
        }
        Ok(())
    }

    /// The tokens of all documents, read again.
    fn spool(&self, store: &Store, env: &Env) -> Outcome<Spool> {
        let mut spool = Spool::beside(&store.file)?;
        let sql = "SELECT path, title FROM documents WHERE kind = 0 ORDER BY first";
        let mut statement = store.connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            env.cancel.check()?;
            let (path, title): (Vec<u8>, String) = (row.get(0)?, row.get(1)?);
            let mut meaning = Meaning::of_title(&title);
            // One that is gone meanwhile leaves with the next update.
            if let Ok(mut reading) = Reading::open(&self.path(&path), env) {
                reading.chunks(&mut |chunk| {
                    let mut tokens = Vec::new();
                    model::tokens(&chunk.text, &mut tokens);
                    meaning.push(tokens);
                    Ok(())
                })?;
            }
            spool.push(&meaning)?;
        }
        Ok(spool)
    }
}

/// What a listing says of a file that was indexed.
enum Listed {
    Yes,
    Gone,
    Unknown,
}

/// The whole paths of files below a directory, one after the other.
struct Whole {
    path: Vec<u8>,
    directory: usize,
}

impl Whole {
    fn below(directory: &Path) -> Self {
        let mut path = directory.as_os_str().as_bytes().to_owned();
        path.push(b'/');
        Self { directory: path.len(), path }
    }

    fn path(&mut self, below: &[u8]) -> &Path {
        self.path.truncate(self.directory);
        self.path.extend_from_slice(below);
        Path::new(OsStr::from_bytes(&self.path))
    }
}

/// The files of a directory that are asked for.
struct Listing<'a> {
    directory: &'a Path,
    env: &'a Env,
    include: Vec<GlobMatcher>,
    exclude: Vec<GlobMatcher>,
    files: Vec<Vec<u8>>,
    /// Directories and rules, and in which state they were found.
    places: BTreeMap<Vec<u8>, Vec<u8>>,
    errors: Vec<Error>,
}

impl Listing<'_> {
    fn below<'a>(&self, path: &'a Path) -> &'a [u8] {
        path.strip_prefix(self.directory).unwrap_or(path).as_os_str().as_bytes()
    }

    /// Notes the state of a directory, or of a file with rules.
    fn note(&mut self, path: &Path) {
        let state = match self.env.roots.look(path) {
            // What was changed just now is asked about again.
            Ok(Some(status)) => trusted(&status).map_or(Vec::new(), Vec::from),
            Ok(None) => ABSENT.to_vec(),
            Err(_) => Vec::new(),
        };
        let below = self.below(path).to_vec();
        self.places.insert(below, state);
    }

    fn is_wanted(&self, below: &Path) -> bool {
        let included =
            self.include.is_empty() || self.include.iter().any(|glob| glob.is_match(below));
        // What excludes a directory excludes what it contains.
        let excluded = |path: &Path| self.exclude.iter().any(|glob| glob.is_match(path));
        included && !below.ancestors().any(excluded) && below != Path::new(config::NAME)
    }
}

impl Visitor for Listing<'_> {
    fn wants_children(&mut self, _: &Found<'_>) -> bool {
        false
    }

    fn entry(&mut self, found: &Found<'_>) {
        let below = self.below(found.path).to_vec();
        match found.kind {
            listing::Kind::File if self.is_wanted(Path::new(OsStr::from_bytes(&below))) => {
                self.files.push(below);
            }
            listing::Kind::Directory if found.is_entered => self.note(found.path),
            _ => {}
        }
    }

    fn failed(&mut self, error: Error) {
        self.errors.push(error);
    }

    fn asked(&mut self, ignore_file: &Path) {
        self.note(ignore_file);
    }
}

fn blob<'a>(row: &'a Row<'_>, at: usize) -> Outcome<&'a [u8]> {
    row.get_ref(at)?.as_blob().map_err(|_| Failure::Damaged)
}

fn state_of(status: &Status) -> State {
    let identity = &status.identity;
    let (seconds, rest) = identity.mtime;
    let numbers = [status.device, identity.inode, identity.size, seconds as u64, rest.into()];
    let mut state = [0; 40];
    for (part, number) in state.as_chunks_mut::<8>().0.iter_mut().zip(numbers) {
        *part = number.to_le_bytes();
    }
    state
}

/// The same where another change would be seen by it.
fn trusted(status: &Status) -> Option<State> {
    let (seconds, rest) = status.identity.mtime;
    let changed = UNIX_EPOCH + Duration::new(u64::try_from(seconds).unwrap_or(0), rest);
    let is_old = SystemTime::now().duration_since(changed).is_ok_and(|age| age > TICK);
    is_old.then(|| state_of(status))
}

#[cfg(test)]
mod tests {
    use super::super::chunks::Chunk;
    use super::*;
    use crate::text::span::LineRange;

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
        let new = NewDocument {
            path: path.as_bytes(),
            kind: Kind::Text,
            title: path,
            characters: 0,
            encoding: None,
            identity: None,
            hash: b"",
        };
        let chunk = Chunk {
            lines: LineRange::line(1),
            start: 0,
            size: text.len() as u64,
            trail: Vec::new(),
            text: text.to_owned(),
            checksum: [0; 8],
        };
        writer.put(&new, None, |each| each(chunk)).expect("put in");
    }

    fn sections(count: usize, word: &str) -> String {
        (0..count).map(|at| format!("# {word} {at}\n\n{word} text {at}\n\n")).collect()
    }

    #[test]
    fn what_another_run_wrote_before_the_lock_is_seen() {
        let sample = Sample::with(&[("b.md", "# B\n\nbadgers\n")]);
        let own = sample.store();
        let mut writer = Writer::begin(&own, ENGLISH).expect("begun");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| drop(sample.update(&sample.store())));
            // By then it has planned and waits; if not, there is nothing to see.
            std::thread::sleep(Duration::from_millis(300));
            sample.write("a.md", "# A\n\nants\n");
            put(&mut writer, "a.md", "ants");
            writer.commit().expect("committed");
            waiting.join().expect("no panic");
        });
        let sql = "SELECT group_concat(path) FROM (SELECT path FROM documents ORDER BY path)";
        let listed: String = own.connection.query_row(sql, [], |row| row.get(0)).expect("read");
        assert_eq!(listed, "a.md,b.md");
        assert!(super::super::vectors::are_whole(&own).expect("looked"));
        let runs = super::super::vectors::runs(&own.connection).expect("read");
        assert_eq!(runs.iter().map(|run| run.count).sum::<u64>(), 2);
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
    fn changed_ignore_rules_are_followed() {
        let text = "# A\n\nants\n";
        let sample = Sample::with(&[("a.md", text), ("b.md", text), ("c.md", text)]);
        let root = sample.directory.path();
        std::fs::create_dir_all(root.join(".git/info")).expect("made");
        let rules =
            [("docs/.rgignore", "a.md"), (".ignore", "b.md"), (".git/info/exclude", "c.md")];
        // All is older than what is asked about again in any case.
        let set_age = |name: &str, seconds: u64| {
            let file = std::fs::File::open(root.join(name)).expect("opened");
            file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds)).expect("set");
        };
        std::fs::write(root.join("docs/.rgignore"), "").expect("written");
        for name in ["docs/.rgignore", "docs"] {
            set_age(name, 1000);
        }
        let store = sample.store();
        assert_eq!(sample.update(&store).changed, 3);
        for (name, rule) in rules {
            std::fs::write(root.join(name), rule).expect("written");
            set_age(name, 2000);
            assert_eq!(sample.update(&store).removed, 1, "{name}");
        }
        std::fs::remove_file(root.join(".ignore")).expect("removed");
        assert_eq!(sample.update(&store).changed, 1);
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
