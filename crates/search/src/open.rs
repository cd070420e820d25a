//! Resolves names and directories to collections, and opens their indexes. An index is updated
//! before use, and rebuilt if it is damaged. If it cannot be written, it is only read.

// The module accesses only folio's own files, in the cache directory.
#![allow(clippy::disallowed_methods)]

use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::{Access, access};
use sha2::{Digest, Sha256};

use super::analyser::Analyser;
use super::catalogue::{Catalogue, Collection, Settings, check_name};
use super::chunks::Names;
use super::language::ENGLISH;
use super::local::LocalShard;
use super::manifest::Manifest;
use super::shard::{DocumentFacts, Location, Shard};
use super::storage::Storage;
use super::store::{self, Failure, Outcome, Store};
use super::update::{Progress, Source, Updated, update};
use folio_files::env::{Cancel, Env};
use folio_files::error::{Code, Error, Hint};
use folio_text::hex::hex;

/// A collection or directory to search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchScope {
    /// The name that results show: an alias, a name, or the directory on the command line.
    pub shown: String,
    /// The identifier: the name, or the absolute path of the directory.
    pub id: String,
    /// The first part of the addresses of the documents.
    pub prefix: PathBuf,
    /// The directory of the documents.
    pub directory: PathBuf,
    /// Whether this is a named collection.
    pub is_named: bool,
    /// The URL of the database that stores the collection, if there is one.
    pub store: Option<String>,
    /// The settings in the catalogue.
    pub catalogue_settings: Settings,
}

/// When to update an index before it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// The index is created if it does not exist, but not updated.
    AsItIs,
    /// The index is updated if it can be written.
    IfPossible,
    /// The index is updated. Opening it fails if it cannot be written.
    Required,
}

/// Where an index is stored.
pub enum Backing {
    /// The index is a file in the cache directory.
    Disk(Store),
    /// The index is in a database.
    #[cfg(feature = "postgres")]
    Server(Box<super::server::Server>),
}

/// Totals of a collection.
#[derive(Clone, Copy, Debug, Default)]
pub struct Holds {
    /// Number of documents.
    pub documents: u64,
    /// Number of sections.
    pub sections: u64,
    /// Number of binary files.
    pub binary: u64,
}

/// An open collection.
pub struct Opened {
    /// The name and the location of the collection.
    pub place: SearchScope,
    /// The settings from the catalogue and from `folio.toml`.
    pub settings: Settings,
    /// The storage of the index.
    pub backing: Backing,
    /// Notes to display to the user.
    pub remarks: Vec<String>,
    /// The result of the update before this command.
    pub updated: Updated,
}

impl SearchScope {
    /// Returns the place of a named collection.
    pub fn of(collection: &Collection, asked: Option<&str>) -> Self {
        let shown = asked.unwrap_or(collection.shown()).to_owned();
        Self {
            prefix: PathBuf::from(format!("@{shown}")),
            shown,
            id: collection.name.clone(),
            directory: collection.directory.clone(),
            is_named: true,
            store: collection.store.clone(),
            catalogue_settings: collection.settings.clone(),
        }
    }

    /// Returns the place of an unnamed directory.
    pub fn of_directory(directory: &Path, env: &Env) -> Result<Self, Error> {
        let resolved = env.roots.resolve(directory)?;
        if !env.roots.is_directory(directory) {
            return Err(Error::new(Code::NotADirectory, "Not a directory").at(directory));
        }
        Ok(Self::unnamed_directory(directory, resolved))
    }

    fn unnamed_directory(directory: &Path, resolved: PathBuf) -> Self {
        let is_here = directory.as_os_str() == ".";
        Self {
            shown: directory.display().to_string(),
            id: resolved.display().to_string(),
            prefix: if is_here { PathBuf::new() } else { directory.to_owned() },
            directory: resolved,
            is_named: false,
            store: None,
            catalogue_settings: Settings::default(),
        }
    }

    /// Describes the place in a message.
    pub fn described(&self) -> String {
        match (self.is_named, &*self.shown) {
            (true, name) => format!("the collection '{name}'"),
            (false, ".") => "the current directory".to_owned(),
            (false, directory) => format!("the directory '{directory}'"),
        }
    }

    /// Returns the place of a directory that was indexed and no longer exists.
    pub fn of_gone_directory(
        directory: &Path,
        storage: &Storage,
        env: &Env,
    ) -> Result<Option<Self>, Error> {
        // The rest of the path is resolved as it was before.
        let resolved = directory.ancestors().skip(1).find_map(|above| {
            let below = directory.strip_prefix(above).ok()?;
            let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
            Some(env.roots.resolve(above).ok()?.join(below))
        });
        let Some(place) = resolved.map(|resolved| Self::unnamed_directory(directory, resolved))
        else {
            return Ok(None);
        };
        Ok(place.has_index(storage, env)?.then_some(place))
    }

    /// Resolves a value of `-c`. The value is a directory if it is `.` or `..` or contains a slash;
    /// otherwise it is a name.
    pub fn resolve(
        value: &str,
        catalogue: &Catalogue,
        retry: &dyn Fn(&str) -> Hint,
        env: &Env,
    ) -> Result<Self, Error> {
        // `@NAME/`, the directory of a collection, refers to the collection.
        let value = if value.starts_with('@') { value.trim_end_matches('/') } else { value };
        if value.contains('/') || value == "." || value == ".." {
            return Self::of_directory(Path::new(value), env);
        }
        let name = value.strip_prefix('@').unwrap_or(value);
        let found = catalogue.get(name, retry);
        let collection = found.map_err(|error| {
            if env.roots.is_directory(Path::new(value)) {
                let path = format!("./{value}");
                let add = Hint::command("collection", ["add", value, &path]);
                let error =
                    Error { hints: Vec::new(), ..error }.hint(retry(&path).why("the directory"));
                match check_name(value) {
                    Ok(()) => error.hint(add.why("to give it this name")),
                    Err(_) => error,
                }
            } else {
                error
            }
        })?;
        Ok(Self::of(collection, Some(name)))
    }

    /// Returns the path of the index file.
    pub fn file(&self, storage: &Storage, env: &Env) -> Result<PathBuf, Error> {
        let cache = storage.cache.as_ref().ok_or_else(|| {
            Error::usage("no directory for indexes").hint("set HOME, or XDG_CACHE_HOME")
        })?;
        let mut hash = Sha256::new();
        hash.update(if self.is_named { &*self.id } else { "" });
        hash.update([0]);
        hash.update(self.directory.as_os_str().as_bytes());
        // Runs that hide files with secrets have a separate index.
        if env.roots.hides_secrets() {
            hash.update(b"\0without secrets");
        }
        let digits = hex(&hash.finalize()[..10]);
        Ok(cache.path().join("collections").join(format!("{digits}.db")))
    }

    /// Returns why the collection has no index and none can be created in the cache directory.
    fn lacks_storage(&self, storage: &Storage, env: &Env) -> Option<String> {
        let Some(cache) = &storage.cache else {
            return Some("neither XDG_CACHE_HOME nor HOME is set".to_owned());
        };
        if self.has_index(storage, env).unwrap_or(false) {
            return None;
        }
        let part = cache.part("collections");
        let error = part.and_then(|part| Ok(access(part, Access::WRITE_OK)?)).err()?;
        // Without a system error, the directory is unsafe to use.
        let is_lacking = error.raw_os_error().is_some();
        is_lacking.then(|| Error::io(&error, cache.path()).to_string())
    }

    /// Whether the collection has an index.
    pub fn has_index(&self, storage: &Storage, env: &Env) -> Result<bool, Error> {
        Ok(self.file(storage, env)?.is_file())
    }

    /// Returns the address of a document.
    pub fn address(&self, document: &[u8]) -> PathBuf {
        // Without `./`, the path would be parsed as an option or a collection.
        let is_odd = matches!(document.first(), Some(b'-' | b'@'));
        let prefix = if self.prefix.as_os_str().is_empty() && is_odd {
            Path::new(".")
        } else {
            &self.prefix
        };
        prefix.join(std::ffi::OsStr::from_bytes(document))
    }

    /// Returns the path of a document on disk.
    pub fn path(&self, document: &[u8]) -> PathBuf {
        self.directory.join(std::ffi::OsStr::from_bytes(document))
    }

    /// Opens the index, and first updates it if `fresh` requires it.
    pub fn open(
        mut self,
        fresh: Freshness,
        patience: Duration,
        storage: &Storage,
        env: &Env,
        progress: Progress<'_>,
    ) -> Result<Opened, Error> {
        if let Some(address) = &self.store {
            return self.open_stored(address, storage, &env.cancel);
        }
        if let Some(directory) = env.roots.below_hidden_mount(&self.prefix) {
            self.prefix = directory;
        }
        if !env.roots.is_directory(&self.directory) {
            return Err(self.gone_error(env));
        }
        let settings =
            self.catalogue_settings.with_defaults(&Manifest::load(&self.directory, env)?.settings);
        if fresh == Freshness::IfPossible
            && let Some(why) = self.lacks_storage(storage, env)
        {
            return self.open_temporary(&why, settings, env, progress);
        }
        let file = self.file(storage, env)?;
        let mut remarks = Vec::new();
        let when = (fresh, patience);
        for is_last in [false, true] {
            let opened = self.try_to_open(&file, when, &settings, storage, env, progress);
            let opened = opened.and_then(|opened| Ok((opened.0.fact("language")?, opened)));
            match opened {
                Ok((language, (store, updated, remark))) => {
                    remarks.extend(remark);
                    let settings = Settings { language, ..settings };
                    let backing = Backing::Disk(store);
                    return Ok(Opened { place: self, settings, backing, remarks, updated });
                }
                Err(failure) if failure.is_damage() && !is_last => {
                    remarks.push(self.rebuilt_note());
                    self.remove_index(storage, env)?;
                }
                Err(failure) => return Err(failure.error(&file)),
            }
        }
        Err(Failure::Damaged.error(&file))
    }

    /// Builds an index that is removed when it is closed.
    fn open_temporary(
        self,
        why: &str,
        settings: Settings,
        env: &Env,
        progress: Progress<'_>,
    ) -> Result<Opened, Error> {
        let mut build = || {
            let store = Store::temporary()?;
            let source = Source { directory: &self.directory, settings: &settings };
            let updated = update(&store, &source, &[], env, progress)?;
            Ok((store.fact("language")?, store, updated))
        };
        let built = build().map_err(|failure: Failure| failure.error(&tempfile::env::temp_dir()));
        let (language, store, updated) = built?;
        let remark = format!("the index of '{}' is not kept for other runs: {why}", self.shown);
        Ok(Opened {
            settings: Settings { language, ..settings },
            place: self,
            backing: Backing::Disk(store),
            remarks: vec![remark],
            updated,
        })
    }

    #[cfg(feature = "postgres")]
    fn open_stored(
        &self,
        address: &str,
        storage: &Storage,
        cancel: &Cancel,
    ) -> Result<Opened, Error> {
        let server = super::server::Server::open(address, &self.id, storage, cancel);
        let server = server.map_err(|failure| failure.error(Path::new(address)))?;
        let language = Some(server.language.clone());
        Ok(Opened {
            settings: Settings { language, ..self.catalogue_settings.clone() },
            place: self.clone(),
            backing: Backing::Server(Box::new(server)),
            remarks: Vec::new(),
            updated: Updated::default(),
        })
    }

    #[cfg(not(feature = "postgres"))]
    fn open_stored(&self, _: &str, _: &Storage, _: &Cancel) -> Result<Opened, Error> {
        let message = format!(
            "'{}' is stored in a database, but this build of folio lacks the feature postgres",
            self.shown
        );
        Err(Error::usage(message))
    }

    /// Returns the location of the documents: their directory or their database.
    pub fn holder(&self) -> &Path {
        match &self.store {
            Some(address) if self.directory.as_os_str().is_empty() => Path::new(address),
            _ => &self.directory,
        }
    }

    /// Returns the same collection without its database. Documents are indexed locally before they
    /// are uploaded.
    pub fn on_disk(&self) -> Self {
        Self { store: None, ..self.clone() }
    }

    /// Returns the note that a damaged index was rebuilt.
    pub fn rebuilt_note(&self) -> String {
        format!("the index of '{}' was damaged and is being rebuilt", self.shown)
    }

    fn gone_error(&self, env: &Env) -> Error {
        let what = if env.roots.exists(&self.directory) {
            "it is no longer a directory"
        } else {
            "its directory was deleted or moved"
        };
        let error = Error::new(Code::NotFound, what).at(&self.directory);
        let hint = Hint::command("collection", ["remove", &self.id]);
        error.hint(hint.why("then add it at its new path"))
    }

    fn try_to_open(
        &self,
        file: &Path,
        (fresh, patience): (Freshness, Duration),
        settings: &Settings,
        storage: &Storage,
        env: &Env,
        progress: Progress<'_>,
    ) -> Result<(Store, Updated, Option<String>), Failure> {
        let is_there = file.is_file();
        if fresh == Freshness::AsItIs
            && let Some(store) = Store::open_to_read(file)?
        {
            return Ok((store, Updated::default(), None));
        }
        match self.refresh(file, patience, settings, storage, env, progress) {
            Ok((store, updated)) => Ok((store, updated, None)),
            Err(failure) => {
                let why = failure.keeps_from_writing();
                let Some(why) = why.filter(|_| is_there && fresh == Freshness::IfPossible) else {
                    return Err(failure);
                };
                let Some(store) = Store::open_to_read(file)?
                    .filter(|store| store.number("complete").is_ok_and(|complete| complete == 1))
                else {
                    return Err(failure);
                };
                let remark = format!("the index of '{}' was not updated: {why}", self.shown);
                Ok((store, Updated::default(), Some(remark)))
            }
        }
    }

    fn refresh(
        &self,
        file: &Path,
        patience: Duration,
        settings: &Settings,
        storage: &Storage,
        env: &Env,
        progress: Progress<'_>,
    ) -> Result<(Store, Updated), Failure> {
        if let Some(cache) = &storage.cache {
            cache.part("collections").map_err(|error| match Failure::from(error) {
                Failure::Failed(error) => error.at(&cache.path().join("collections")).into(),
                failure => failure,
            })?;
        }
        let store = Store::open(file, env.lock_timeout)?;
        let source = Source { directory: &self.directory, settings };
        if store.number("complete")? == 1 {
            store.connection.busy_timeout(patience)?;
            match update(&store, &source, &[], env, progress) {
                // Another run has cleared the index since, so it cannot be searched meanwhile.
                Err(failure) if failure.is_busy() && store.number("complete")? == 0 => {
                    store.connection.busy_timeout(env.lock_timeout)?;
                }
                updated => return updated.map(|updated| (store, updated)),
            }
        }
        let updated = update(&store, &source, &[], env, progress)?;
        Ok((store, updated))
    }

    /// Whether the index is damaged.
    pub fn is_damaged(&self, storage: &Storage, env: &Env) -> Result<bool, Error> {
        Ok(match Store::open_to_read(&self.file(storage, env)?) {
            Ok(Some(store)) => !store.is_whole(),
            Ok(None) => false,
            Err(failure) => failure.is_damage(),
        })
    }

    /// Removes the index.
    pub fn remove_index(&self, storage: &Storage, env: &Env) -> Result<(), Error> {
        if storage.cache.is_none() && self.store.is_some() {
            return Ok(());
        }
        let file = self.file(storage, env)?;
        store::remove(&file).map_err(|failure| failure.error(&file))
    }
}

/// The inode, size and time of modification of a file.
pub type FileState = (u64, u64, (i64, i64));

/// Returns the state of a file.
pub fn state_of(file: &File) -> io::Result<FileState> {
    let facts = file.metadata()?;
    Ok((facts.ino(), facts.len(), (facts.mtime(), facts.mtime_nsec())))
}

impl Opened {
    /// Returns the local index.
    pub fn local(&self) -> Outcome<&Store> {
        match &self.backing {
            Backing::Disk(store) => Ok(store),
            #[cfg(feature = "postgres")]
            Backing::Server(_) => Err(Failure::Damaged),
        }
    }

    /// Prepares the index for queries.
    pub fn shard(&self, has_vectors: bool) -> Outcome<Box<dyn Shard + '_>> {
        match &self.backing {
            Backing::Disk(store) => {
                let mut shard = LocalShard::new(store)?;
                if has_vectors {
                    shard.open_vectors()?;
                }
                Ok(Box::new(shard))
            }
            #[cfg(feature = "postgres")]
            Backing::Server(server) => Ok(Box::new(&**server)),
        }
    }

    /// Converts a failure to an error that names this collection.
    pub fn failure(&self, failure: Failure) -> Error {
        match &self.backing {
            Backing::Disk(store) => failure.error(&store.file),
            #[cfg(feature = "postgres")]
            Backing::Server(server) => {
                failure.error(Path::new(&server.shown)).at(Path::new(&server.shown))
            }
        }
    }

    /// Whether the index can be updated.
    pub fn is_writable(&self) -> bool {
        self.local().is_ok_and(|store| store.is_writable)
    }

    /// Returns the totals of the collection.
    pub fn holds(&self) -> Outcome<Holds> {
        match &self.backing {
            Backing::Disk(store) => {
                let count = |kind: u8| -> Outcome<u64> {
                    let sql = "SELECT count(*) FROM documents WHERE kind = ?1";
                    Ok(store.connection.query_row(sql, [kind], |row| row.get(0))?)
                };
                let sections = store.number("sections")?;
                Ok(Holds { documents: count(0)?, sections, binary: count(1)? })
            }
            #[cfg(feature = "postgres")]
            Backing::Server(server) => Ok(Holds {
                documents: server.document_count()?,
                sections: (&**server).totals().sections,
                binary: 0,
            }),
        }
    }

    /// Returns the bytes of a section and the file from which they were read, unless the collection
    /// is in a database. Returns `None` if they have changed since they were indexed.
    pub fn content(
        &self,
        document: &DocumentFacts,
        location: &Location,
        env: &Env,
    ) -> Option<(Vec<u8>, Option<File>)> {
        let (bytes, file) = match &self.backing {
            Backing::Disk(_) => {
                let file = env.roots.open_file(&self.place.path(&document.path)).ok()?;
                // The contents of the index are not trusted.
                let end = location.start.checked_add(location.size)?;
                if end > file.metadata().ok()?.len() {
                    return None;
                }
                let mut bytes = vec![0; usize::try_from(location.size).ok()?];
                file.read_exact_at(&mut bytes, location.start).ok()?;
                (bytes, Some(file))
            }
            #[cfg(feature = "postgres")]
            Backing::Server(server) => {
                let part = Some((location.start, location.size));
                (server.text(&document.path, part).ok()??, None)
            }
        };
        (Sha256::digest(&bytes)[..8] == location.checksum[..]).then_some((bytes, file))
    }

    /// Reads the names of a document and its sections from its file.
    /// Returns `None` if it cannot be read.
    pub fn names(&self, document: &DocumentFacts, file: Arc<File>, env: &Env) -> Option<Names> {
        Names::read(&self.place.path(&document.path), file, env).ok()
    }

    /// Returns the analyser for the language of the collection.
    pub fn analyser(&self) -> Result<Analyser, Error> {
        let language = self.settings.language.as_deref().unwrap_or(ENGLISH);
        Analyser::new(language).ok_or_else(|| Error::usage("unknown language"))
    }

    /// Returns the state of a document's file, or `None` if there is no such file.
    pub fn state(&self, document: &[u8], env: &Env) -> Option<FileState> {
        let file = env.roots.open_file(&self.place.path(document)).ok()?;
        state_of(&file).ok()
    }

    /// Reads and indexes documents again, even if they seem unchanged. Returns whether this was
    /// possible.
    pub fn read_again(&self, documents: &[Vec<u8>], env: &Env) -> Result<bool, Error> {
        let Some(store) = self.local().ok().filter(|store| store.is_writable) else {
            return Ok(false);
        };
        let source = Source { directory: &self.place.directory, settings: &self.settings };
        match update(store, &source, documents, env, &mut |_, _| {}) {
            Ok(_) => Ok(true),
            Err(failure) if failure.is_busy() => Ok(false),
            Err(failure) => Err(self.failure(failure)),
        }
    }
}
