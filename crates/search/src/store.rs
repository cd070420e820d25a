//! The index of a collection on disk: an SQLite database. It contains no text, and can be rebuilt
//! from the documents if it is damaged.

// The module accesses only folio's own files, in the cache directory.
#![allow(clippy::disallowed_methods)]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::ffi::{SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_SHORT_READ};
use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension, Transaction, TransactionBehavior,
};

use folio_files::error::{Code, Error, Hint};
use folio_files::state::check_owner;

/// The version of the tables. An older index is rebuilt, and a newer one is refused.
const VERSION: i64 = 8;

const SCHEMA: &str = "
CREATE TABLE facts(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE documents(
    id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, kind INTEGER NOT NULL, title TEXT,
    characters INTEGER NOT NULL, encoding TEXT, identity BLOB, hash BLOB,
    first INTEGER NOT NULL, count INTEGER NOT NULL, title_terms BLOB);
CREATE TABLE places(path BLOB PRIMARY KEY, identity BLOB) WITHOUT ROWID;
CREATE TABLE sections(
    id INTEGER PRIMARY KEY, document INTEGER NOT NULL, first_line INTEGER NOT NULL,
    last_line INTEGER NOT NULL, start INTEGER NOT NULL, size INTEGER NOT NULL,
    trail TEXT NOT NULL, checksum BLOB NOT NULL, length INTEGER NOT NULL,
    terms BLOB NOT NULL, tokens BLOB NOT NULL);
CREATE TABLE terms(term TEXT PRIMARY KEY, id INTEGER NOT NULL, word TEXT) WITHOUT ROWID;
CREATE TABLE counts(term INTEGER PRIMARY KEY, sections INTEGER NOT NULL, titles INTEGER NOT NULL);
CREATE TABLE vectors(first INTEGER PRIMARY KEY, rows BLOB NOT NULL);
CREATE VIRTUAL TABLE postings USING fts5(
    terms, content='', contentless_delete=1, detail=none, tokenize='ascii');
";

/// The reason why an operation on an index failed.
#[derive(Debug)]
pub enum Failure {
    /// An error of the database.
    Sql(rusqlite::Error),
    /// The index is invalid.
    Damaged,
    /// The disk is full.
    Full,
    /// Any other error.
    Failed(Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::StorageFull {
            return Self::Full;
        }
        let error = Error::io(&error, Path::new(""));
        Self::Failed(Error { path: None, ..error })
    }
}

/// The result of an operation on an index.
pub type Outcome<T> = Result<T, Failure>;

impl Failure {
    fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Sql(error) => error.sqlite_error_code(),
            _ => None,
        }
    }

    /// Whether the index has to be rebuilt.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Damaged => true,
            Self::Sql(rusqlite::Error::SqliteFailure(error, _)) => {
                // A short read: the file ends before a page to which it refers.
                matches!(
                    error.code,
                    ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown
                ) || error.extended_code == SQLITE_IOERR_SHORT_READ
            }
            Self::Sql(
                rusqlite::Error::InvalidParameterCount(..)
                | rusqlite::Error::InvalidParameterName(_)
                | rusqlite::Error::ToSqlConversionFailure(_)
                | rusqlite::Error::ExecuteReturnedResults
                | rusqlite::Error::InvalidQuery
                | rusqlite::Error::MultipleStatement,
            ) => false,
            // A table, row or column is missing, or a value has another type.
            Self::Sql(_) => true,
            Self::Full | Self::Failed(_) => false,
        }
    }

    /// Whether another process is writing to the index.
    pub fn is_busy(&self) -> bool {
        let busy = [ErrorCode::DatabaseBusy, ErrorCode::DatabaseLocked];
        self.code().is_some_and(|code| busy.contains(&code))
    }

    /// Whether the index cannot be written.
    pub fn is_read_only(&self) -> bool {
        let codes = [ErrorCode::ReadOnly, ErrorCode::CannotOpen, ErrorCode::PermissionDenied];
        match self {
            Self::Failed(error) => error.code == Code::PermissionDenied,
            _ => self.code().is_some_and(|code| codes.contains(&code)),
        }
    }

    /// Whether the disk is full.
    pub fn is_full(&self) -> bool {
        match self {
            Self::Full => true,
            // Readers and writers also share memory, in a file.
            Self::Sql(rusqlite::Error::SqliteFailure(error, _)) => {
                error.code == ErrorCode::DiskFull || error.extended_code == SQLITE_IOERR_SHMSIZE
            }
            _ => false,
        }
    }

    /// Returns why a readable index cannot be updated, or `None` for other failures.
    pub fn keeps_from_writing(&self) -> Option<&'static str> {
        match () {
            () if self.is_busy() => Some("another run is writing it"),
            () if self.is_read_only() => Some("it cannot be written"),
            () if self.is_full() => Some("the disk is full"),
            () => None,
        }
    }

    /// Converts a failure to an error about the index file.
    pub fn error(self, file: &Path) -> Error {
        let is_full = self.is_full();
        let is_busy = self.is_busy();
        let file_error = |code: Code, message: &str| Error::new(code, message).at(file);
        match self {
            Self::Failed(error) => error,
            Self::Damaged => file_error(Code::IoError, "the index is damaged"),
            Self::Sql(_) if is_busy => {
                file_error(Code::Locked, "timed out waiting for another run that writes this index")
            }
            Self::Sql(error) if !is_full => {
                file_error(Code::IoError, &format!("the index failed: {error}"))
            }
            Self::Sql(_) | Self::Full => {
                file_error(Code::IoError, "the index could not be written: the disk is full")
            }
        }
    }
}

/// An open index.
pub struct Store {
    /// The connection to the database.
    pub connection: Connection,
    /// The path of the index file.
    pub file: PathBuf,
    /// Whether the index can be written.
    pub is_writable: bool,
}

impl Store {
    /// Opens or creates an index for reading and writing.
    pub fn open(file: &Path, patience: Duration) -> Outcome<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        check_owner(file)?;
        let connection = Connection::open_with_flags(file, flags)?;
        connection.busy_timeout(patience)?;
        let store = Self { connection, file: file.to_owned(), is_writable: true };
        // SQLite does not wait if two runs create the log at the same time.
        let until = Instant::now() + patience;
        loop {
            match store.prepare() {
                Err(failure) if failure.is_busy() && Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                done => return done.map(|()| store),
            }
        }
    }

    /// Creates an empty index in a temporary file without a name.
    pub fn temporary() -> Outcome<Self> {
        // SQLite removes the file as soon as it has opened it.
        let connection = Connection::open("")?;
        let file = tempfile::env::temp_dir().join("index.db");
        let store = Self { connection, file, is_writable: true };
        store.prepare().map(|()| store)
    }

    /// Opens an index for reading. Returns `None` if there is none.
    pub fn open_to_read(file: &Path) -> Outcome<Option<Self>> {
        check_owner(file)?;
        if !file.is_file() {
            return Ok(None);
        }
        let plain = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_READ_ONLY;
        let open = |connection: Connection| -> Outcome<Option<Self>> {
            connection.busy_timeout(Duration::from_secs(2))?;
            let store = Self { connection, file: file.to_owned(), is_writable: false };
            Ok(match store.version()? {
                VERSION => Some(store),
                older if !is_newer(older) => None,
                other => return Err(other_version_error(other, file).into()),
            })
        };
        let first = Connection::open_with_flags(file, plain).map_err(Failure::from).and_then(open);
        let failure = match first {
            Err(failure) if failure.is_read_only() || failure.is_full() => failure,
            done => return done,
        };
        // In a read-only directory, the index is opened as immutable. SQLite then ignores the log,
        // so the log must be empty.
        let log = file.with_extension("db-wal");
        if fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
            return Err(failure);
        }
        let mut address = String::from("file:");
        for byte in std::os::unix::ffi::OsStrExt::as_bytes(file.as_os_str()) {
            address.push_str(&format!("%{byte:02x}"));
        }
        address.push_str("?immutable=1");
        open(Connection::open_with_flags(address, plain | OpenFlags::SQLITE_OPEN_URI)?)
    }

    fn version(&self) -> Outcome<i64> {
        Ok(self.connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
    }

    /// Returns a number that changes when another connection commits.
    pub fn data_version(&self) -> Outcome<u64> {
        Ok(self.connection.query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }

    /// Creates missing tables, and replaces those of an older version of folio.
    fn prepare(&self) -> Outcome<()> {
        self.connection.execute_batch(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-4000;",
        )?;
        match self.version()? {
            VERSION => Ok(()),
            other if is_newer(other) => Err(other_version_error(other, &self.file).into()),
            // Another run may create the tables at the same time.
            _ => self.create_tables_if(|| Ok(self.version()? != VERSION)),
        }
    }

    /// Replaces all tables with empty ones, unless another connection has committed since
    /// [`Self::data_version`] returned `seen`. Concurrent runs see the old or the new tables, which
    /// they would not if the file were removed.
    pub fn clear(&self, seen: u64) -> Outcome<()> {
        self.create_tables_if(|| Ok(self.data_version()? == seen))
    }

    /// Creates the tables in one transaction, and drops those that exist, if `is_needed` returns
    /// `true` in the transaction.
    fn create_tables_if(&self, is_needed: impl FnOnce() -> Outcome<bool>) -> Outcome<()> {
        let change = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
        if !is_needed()? {
            return Ok(());
        }
        // Dropping a virtual table drops its own tables.
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' \
                   AND name NOT GLOB 'postings_*' AND name NOT GLOB 'sqlite_*'";
        let names: Vec<String> =
            change.prepare(sql)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        for name in names {
            change.execute_batch(&format!("DROP TABLE \"{}\"", name.replace('"', "\"\"")))?;
        }
        change.execute_batch(SCHEMA)?;
        change.pragma_update(None, "user_version", VERSION)?;
        Ok(change.commit()?)
    }

    /// Whether the database passes SQLite's quick check.
    pub fn is_whole(&self) -> bool {
        let result = self.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
        result.is_ok_and(|result: String| result == "ok")
    }

    /// Returns a value that describes the whole index.
    pub fn fact<T: rusqlite::types::FromSql>(&self, name: &str) -> Outcome<Option<T>> {
        let sql = "SELECT value FROM facts WHERE name = ?1";
        Ok(self.connection.query_row(sql, [name], |row| row.get(0)).optional()?)
    }

    /// Returns a number that describes the whole index, or 0 if it is not set.
    pub fn number(&self, name: &str) -> Outcome<u64> {
        Ok(self.fact::<u64>(name)?.unwrap_or(0))
    }

    /// Stores a value that describes the whole index.
    pub fn set_fact(&self, name: &str, value: impl rusqlite::ToSql) -> Outcome<()> {
        let sql = "INSERT OR REPLACE INTO facts VALUES(?1, ?2)";
        self.connection.execute(sql, (name, value))?;
        Ok(())
    }
}

/// Whether a newer version of folio created the index. Larger numbers mean that it is damaged.
fn is_newer(version: i64) -> bool {
    const HIGHEST: i64 = 1000;
    (VERSION + 1..=HIGHEST).contains(&version)
}

fn other_version_error(version: i64, file: &Path) -> Error {
    let message = format!(
        "the index was created by a newer version of folio (its format is {version}, this \
         one's {VERSION})"
    );
    let hint = Hint::from(format!("rm {}", folio_files::error::shell_path(file)));
    Error::new(Code::IoError, message).at(file).hint(hint)
}

/// Returns all files of an index: the database and its log.
fn files_of(file: &Path) -> Vec<PathBuf> {
    let stem = file.file_stem().unwrap_or_default().to_os_string().into_encoded_bytes();
    let names = file.parent().and_then(|parent| fs::read_dir(parent).ok());
    let entries = names.into_iter().flatten().filter_map(Result::ok);
    let has_stem = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_os_string().into_encoded_bytes();
        name.strip_prefix(stem.as_slice()).is_some_and(|rest| rest.starts_with(b"."))
    };
    entries.map(|entry| entry.path()).filter(has_stem).collect()
}

/// Removes the files of an index.
pub fn remove(file: &Path) -> Outcome<()> {
    for file in files_of(file) {
        match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("a b%?.db");
        (directory, file)
    }

    #[test]
    fn a_cleared_index_is_new_for_all_connections() {
        let (_directory, file) = file();
        let store = Store::open(&file, Duration::ZERO).expect("made");
        store.set_fact("language", "german").expect("written");
        store
            .connection
            .execute("INSERT INTO postings(rowid, terms) VALUES(1, 'a')", [])
            .expect("a");
        let other = Store::open(&file, Duration::ZERO).expect("opened");
        let seen = other.data_version().expect("read");
        store.set_fact("x", 1).expect("written");
        other.clear(seen).expect("not cleared");
        assert_eq!(store.number("x").expect("read"), 1);
        other.clear(other.data_version().expect("read")).expect("cleared");
        assert_eq!(store.fact::<String>("language").expect("read"), None);
        assert!(store.is_whole());
        store
            .connection
            .execute("INSERT INTO postings(rowid, terms) VALUES(1, 'b')", [])
            .expect("b");
        let count: u64 = store
            .connection
            .query_row("SELECT count(*) FROM postings('b')", [], |row| row.get(0))
            .expect("counted");
        assert_eq!(count, 1);
    }

    #[test]
    fn an_index_is_created_and_read() {
        let (_directory, file) = file();
        assert!(Store::open_to_read(&file).expect("looked").is_none());
        let store = Store::open(&file, Duration::ZERO).expect("made");
        store.set_fact("x", 5).expect("written");
        assert!(store.is_whole());
        drop(store);
        let store = Store::open_to_read(&file).expect("opened").expect("there");
        assert_eq!(store.number("x").expect("a number"), 5);
        assert_eq!(store.number("y").expect("a number"), 0);
    }

    #[test]
    fn a_newer_index_is_refused() {
        let (_directory, file) = file();
        let store = Store::open(&file, Duration::ZERO).expect("made");
        store.connection.pragma_update(None, "user_version", 99).expect("set");
        drop(store);
        let failure = Store::open(&file, Duration::ZERO).err().expect("refused");
        assert!(!failure.is_damage());
        assert!(failure.error(&file).message.to_string().contains("99"));
        assert!(Store::open_to_read(&file).is_err());
    }

    #[test]
    fn an_index_of_an_unlikely_format_is_created_again() {
        let (_directory, file) = file();
        let store = Store::open(&file, Duration::ZERO).expect("made");
        store.set_fact("x", 5).expect("written");
        store.connection.pragma_update(None, "user_version", 1_747_112_525).expect("set");
        drop(store);
        assert!(Store::open_to_read(&file).expect("looked").is_none());
        let store = Store::open(&file, Duration::ZERO).expect("opened");
        assert_eq!(store.version().expect("read"), VERSION);
        assert_eq!(store.number("x").expect("read"), 0);
    }

    #[test]
    fn damage_is_detected() {
        let (_directory, file) = file();
        fs::write(&file, "this is no database, but long enough to be looked at ".repeat(20))
            .expect("written");
        let failure = Store::open(&file, Duration::ZERO).err().expect("refused");
        assert!(failure.is_damage(), "{failure:?}");
        remove(&file).expect("removed");
        assert!(files_of(&file).is_empty());
        assert!(Store::open(&file, Duration::ZERO).is_ok());
    }
}
