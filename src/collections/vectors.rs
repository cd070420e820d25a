//! Vectors on the disk: rows of bytes in a file of their own beside the database,
//! which says how many of them there are and whose they are. Rows are only added;
//! what a crash leaves after the last one is written over.

// Indexes are folio's own files, in the cache directory.
#![allow(clippy::disallowed_methods)]

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::model::{DIMENSIONS, Vector};
use super::store::{Failure, Outcome, Store};

/// What a vector of length 1 is multiplied with to fit into bytes.
const SCALE: f32 = 254.0;
/// The same for that of a query, of which there is only one.
const QUERY_SCALE: f32 = 8192.0;
/// Rows that are read at once.
const BLOCK: usize = 1024;

/// Sections whose ids and rows follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first section.
    pub first: u64,
    /// Its row.
    pub place: u64,
    /// How many there are.
    pub count: u64,
}

/// The file of vectors.
pub struct VectorFile {
    file: File,
}

impl VectorFile {
    /// The file of a generation beside a database.
    pub fn path(database: &Path, generation: u64) -> PathBuf {
        database.with_extension(format!("{generation}.vectors"))
    }

    /// Opens it to read.
    pub fn open(database: &Path, generation: u64) -> Outcome<Self> {
        let path = Self::path(database, generation);
        match File::open(&path) {
            Ok(file) => Ok(Self { file }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(Failure::Damaged),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens it to write, and makes it where it is not there.
    pub fn open_to_write(database: &Path, generation: u64) -> Outcome<Self> {
        let path = Self::path(database, generation);
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).mode(0o600);
        Ok(Self { file: file.open(&path)? })
    }

    /// Writes rows at a place.
    pub fn write(&self, place: u64, rows: &[u8]) -> Outcome<()> {
        Ok(self.file.write_all_at(rows, place * DIMENSIONS as u64)?)
    }

    /// Has the system write it to the disk: rows come before what refers to them.
    pub fn sync(&self) -> Outcome<()> {
        Ok(self.file.sync_data()?)
    }

    /// Calls `each` with sections in order and their rows, in blocks.
    pub fn scan(&self, runs: &[Run], mut each: impl FnMut(u64, &[u8])) -> Outcome<()> {
        let longest = runs.iter().map(|run| run.count).max().unwrap_or(0);
        let mut buffer = vec![0; BLOCK.min(longest as usize) * DIMENSIONS];
        for run in runs {
            let mut done = 0;
            while done < run.count {
                let count = (run.count - done).min(BLOCK as u64);
                let part = &mut buffer[..count as usize * DIMENSIONS];
                let offset = (run.place + done) * DIMENSIONS as u64;
                self.file.read_exact_at(part, offset).map_err(|_| Failure::Damaged)?;
                each(run.first + done, part);
                done += count;
            }
        }
        Ok(())
    }
}

/// The generation of a file of vectors; `None` where it is none.
pub fn generation(path: &Path) -> Option<u64> {
    if path.extension()? != "vectors" {
        return None;
    }
    Path::new(path.file_stem()?).extension()?.to_str()?.parse().ok()
}

/// Whether an index has as many vectors as its database says.
pub fn are_whole(store: &Store) -> Outcome<bool> {
    let sql = "SELECT (SELECT value FROM facts WHERE name = 'rows'), \
               (SELECT value FROM facts WHERE name = 'generation')";
    let read = || -> Outcome<(Option<u64>, Option<u64>)> {
        Ok(store.connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?)
    };
    let mut numbers = read()?;
    loop {
        let (Some(rows @ 1..), Some(generation)) = numbers else { return Ok(true) };
        let path = VectorFile::path(&store.file, generation);
        let size = std::fs::metadata(path).map_or(0, |file| file.len());
        let now = read()?;
        // Another run may have put a new file in the place of this one meanwhile.
        if size >= rows * DIMENSIONS as u64 || now.1 == Some(generation) {
            return Ok(size >= rows * DIMENSIONS as u64);
        }
        numbers = now;
    }
}

/// A vector as a row.
pub fn row(vector: &Vector) -> [u8; DIMENSIONS] {
    vector.map(|value| ((value * SCALE).round().clamp(-127.0, 127.0) as i8).cast_unsigned())
}

/// A row as a vector.
pub fn vector(row: &[u8]) -> Vector {
    let mut vector = [0.0; DIMENSIONS];
    for (value, &byte) in vector.iter_mut().zip(row) {
        *value = f32::from(byte.cast_signed()) / SCALE;
    }
    vector
}

/// A vector that others are compared with.
pub struct Probe([i16; DIMENSIONS]);

impl Probe {
    /// For a vector of length 1.
    pub fn new(vector: &Vector) -> Self {
        Self(vector.map(|value| (value * QUERY_SCALE).round() as i16))
    }

    /// As a vector again.
    #[cfg(feature = "postgres")]
    pub fn vector(&self) -> Vec<f32> {
        self.0.iter().map(|&value| f32::from(value) / QUERY_SCALE).collect()
    }

    /// The cosine to a row.
    pub fn cosine(&self, row: &[u8]) -> f32 {
        let pairs = self.0.iter().zip(row);
        let product: i32 =
            pairs.map(|(&own, &byte)| i32::from(own) * i32::from(byte.cast_signed())).sum();
        product as f32 / (SCALE * QUERY_SCALE)
    }
}

/// The runs of an index, in order.
pub fn runs(connection: &Connection) -> Outcome<Vec<Run>> {
    let mut statement =
        connection.prepare("SELECT first, place, count FROM runs ORDER BY first")?;
    let rows = statement.query_map([], |row| {
        Ok(Run { first: row.get(0)?, place: row.get(1)?, count: row.get(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Takes sections out of the runs.
pub fn take_out(connection: &Connection, first: u64, count: u64) -> Outcome<()> {
    let end = first + count;
    let found = runs(connection)?.into_iter();
    for run in found.filter(|run| run.first < end && run.first + run.count > first) {
        connection.execute("DELETE FROM runs WHERE first = ?1", [run.first])?;
        let before = first.saturating_sub(run.first);
        let after = (run.first + run.count).saturating_sub(end);
        let parts = [
            Run { count: before, ..run },
            Run {
                first: run.first + run.count - after,
                place: run.place + run.count - after,
                count: after,
            },
        ];
        for part in parts.into_iter().filter(|part| part.count > 0) {
            insert(connection, part)?;
        }
    }
    Ok(())
}

/// Adds sections after all others.
pub fn add(connection: &Connection, new: Run) -> Outcome<()> {
    let last = runs(connection)?.pop().filter(|last| {
        last.first + last.count == new.first && last.place + last.count == new.place
    });
    match last {
        Some(last) => insert(connection, Run { count: last.count + new.count, ..last }),
        None => insert(connection, new),
    }
}

fn insert(connection: &Connection, run: Run) -> Outcome<()> {
    let sql = "INSERT OR REPLACE INTO runs VALUES(?1, ?2, ?3)";
    connection.execute(sql, (run.first, run.place, run.count))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::model::normalize;
    use super::*;

    fn sample(seed: u32) -> Vector {
        let mut vector = [0.0; DIMENSIONS];
        for (at, value) in vector.iter_mut().enumerate() {
            *value = (at as f32 * 0.37 + seed as f32).sin();
        }
        normalize(&mut vector);
        vector
    }

    #[test]
    fn cosines_of_rows_are_those_of_vectors() {
        let (one, other) = (sample(1), sample(3));
        let exact: f32 = one.iter().zip(&other).map(|(x, y)| x * y).sum();
        let near = Probe::new(&one).cosine(&row(&other));
        assert!((exact - near).abs() < 0.01, "{exact} {near}");
        let again = vector(&row(&one));
        assert!(again.iter().zip(&one).all(|(x, y)| (x - y).abs() < 0.01));
    }

    #[test]
    fn generations_are_in_the_names() {
        let of = |generation| VectorFile::path(Path::new("/a.9/x.db"), generation);
        assert_eq!(generation(&of(12)), Some(12));
        for other in ["/a.9/x.db", "/a.9/x.db-wal", "/a.9/x.vectors", "/a.9/x.a.vectors"] {
            assert_eq!(generation(Path::new(other)), None, "{other}");
        }
    }

    #[test]
    fn runs_are_split_and_joined() {
        let connection = Connection::open_in_memory().expect("a database");
        let sql = "CREATE TABLE runs(first INTEGER PRIMARY KEY, place INTEGER, count INTEGER)";
        connection.execute_batch(sql).expect("made");
        let run = |first, place, count| Run { first, place, count };
        let add = |new| add(&connection, new).expect("added");
        add(run(1, 0, 5));
        add(run(6, 5, 5));
        assert_eq!(runs(&connection).expect("runs"), [run(1, 0, 10)]);
        take_out(&connection, 3, 2).expect("taken out");
        add(run(11, 10, 2));
        assert_eq!(runs(&connection).expect("runs"), [run(1, 0, 2), run(5, 4, 8)]);
        take_out(&connection, 1, 2).expect("taken out");
        take_out(&connection, 12, 1).expect("taken out");
        assert_eq!(runs(&connection).expect("runs"), [run(5, 4, 7)]);
    }

    #[test]
    fn rows_are_read_by_their_runs() {
        let directory = tempfile::tempdir().expect("a directory");
        let database = directory.path().join("x.db");
        assert!(VectorFile::open(&database, 3).is_err_and(|failure| failure.is_damage()));
        let file = VectorFile::open_to_write(&database, 3).expect("made");
        for place in 0..3000 {
            file.write(place, &row(&sample(place as u32))).expect("written");
        }
        let runs =
            [Run { first: 7, place: 2, count: 1 }, Run { first: 9, place: 100, count: 2000 }];
        let mut seen = Vec::new();
        let file = VectorFile::open(&database, 3).expect("opened");
        file.scan(&runs, |first, rows| {
            for (at, bytes) in rows.chunks(DIMENSIONS).enumerate() {
                seen.push((first + at as u64, bytes.to_vec()));
            }
        })
        .expect("read");
        assert_eq!(seen.len(), 2001);
        assert_eq!(seen[0], (7, row(&sample(2)).to_vec()));
        assert_eq!(seen[2000], (2008, row(&sample(2099)).to_vec()));
        let behind = [Run { first: 1, place: 2999, count: 2 }];
        assert!(file.scan(&behind, |_, _| {}).is_err_and(|failure| failure.is_damage()));
    }
}
