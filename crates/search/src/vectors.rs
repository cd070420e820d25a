//! Stores vectors in an index: a row for each section, in blocks of consecutive sections.
//!
//! A row has 4 bits per dimension. Each half of a byte belongs to one half of the vector. The
//! values of the levels are -7.5, -6.5, … 7.5 times `LEVEL`. Compared with 8 bits per dimension,
//! the results in the test sets are equally good, and the index is a sixth smaller.

use std::ops::Range;

use rusqlite::Connection;

use super::model::{DIMENSIONS, Vector};
use super::store::{Failure, Outcome};

/// Size of a row in bytes.
pub const ROW: usize = DIMENSIONS / 2;
/// Width of a level. This width has the smallest error for the values of a vector of length 1.
const WIDTH: f32 = 0.335 / 16.0;
/// The distance between the values of two adjacent levels. With this distance, cosines are correct
/// on average.
const LEVEL: f32 = WIDTH * 1.0115;
/// The factor by which the values of a probe are multiplied to become integers.
const PROBE_SCALE: f32 = 8192.0;
/// Maximum number of rows in a block.
const BLOCK: usize = 256;

/// Encodes a vector as a row.
pub fn row(vector: &Vector) -> [u8; ROW] {
    let mut row = [0; ROW];
    for (half, values) in vector.chunks_exact(ROW).enumerate() {
        for (byte, value) in row.iter_mut().zip(values) {
            let level = (value / WIDTH).floor().clamp(-8.0, 7.0) + 8.0;
            *byte |= (level as u8) << (4 * half);
        }
    }
    row
}

/// Decodes a row.
pub fn vector(row: &[u8]) -> Vector {
    let mut vector = [0.0; DIMENSIONS];
    for (half, values) in vector.chunks_exact_mut(ROW).enumerate() {
        for (value, byte) in values.iter_mut().zip(row) {
            *value = (f32::from(byte >> (4 * half) & 15) - 7.5) * LEVEL;
        }
    }
    vector
}

/// A vector to compare with rows.
#[derive(Clone)]
pub struct Probe {
    values: [i16; DIMENSIONS],
    sum: i32,
}

impl Probe {
    /// Prepares a vector. Its length must be 1.
    pub fn new(vector: &Vector) -> Self {
        let values = vector.map(|value| (value * PROBE_SCALE).round() as i16);
        Self { values, sum: values.iter().map(|&value| i32::from(value)).sum() }
    }

    /// Returns the vector.
    #[cfg(feature = "postgres")]
    pub fn vector(&self) -> Vec<f32> {
        self.values.iter().map(|&value| f32::from(value) / PROBE_SCALE).collect()
    }

    /// Returns the approximate cosine between the vector and the vector of a row.
    pub fn cosine(&self, row: &[u8]) -> f32 {
        let mut sum = 0;
        for (half, values) in self.values.chunks_exact(ROW).enumerate() {
            let levels = row.iter().map(|byte| i16::from(byte >> (4 * half) & 15));
            let products = values
                .iter()
                .zip(levels)
                .map(|(&value, level)| i32::from(value) * i32::from(level));
            sum += products.sum::<i32>();
        }
        let cosine = (sum as f32 - 7.5 * self.sum as f32) * (LEVEL / PROBE_SCALE);
        cosine.clamp(-1.0, 1.0)
    }
}

/// Rows to write. They belong to sections with consecutive numbers.
#[derive(Default)]
pub struct Pending {
    first: u64,
    rows: Vec<u8>,
}

impl Pending {
    /// Adds the rows of sections, beginning with section `first`, and writes full blocks.
    pub fn add(&mut self, connection: &Connection, first: u64, rows: &[u8]) -> Outcome<()> {
        if self.first + (self.rows.len() / ROW) as u64 != first {
            self.write(connection)?;
            self.first = first;
        }
        self.rows.extend_from_slice(rows);
        if self.rows.len() < BLOCK * ROW {
            return Ok(());
        }
        self.write(connection)
    }

    /// Writes all rows.
    pub fn write(&mut self, connection: &Connection) -> Outcome<()> {
        for block in self.rows.chunks(BLOCK * ROW) {
            insert(connection, self.first, block)?;
            self.first += (block.len() / ROW) as u64;
        }
        self.rows.clear();
        Ok(())
    }
}

fn insert(connection: &Connection, first: u64, rows: &[u8]) -> Outcome<()> {
    if !rows.is_empty() {
        let mut insert = connection.prepare("INSERT INTO vectors VALUES(?1, ?2)")?;
        insert.execute((first, rows))?;
    }
    Ok(())
}

/// Calls `each` with each block that contains rows of sections in `range`. The arguments are the
/// first section of the block, and the rows.
pub fn scan(
    connection: &Connection,
    range: Range<u64>,
    mut each: impl FnMut(u64, &[u8]),
) -> Outcome<()> {
    let sql = "SELECT first, rows FROM vectors WHERE first > ?1 AND first < ?2";
    let mut statement = connection.prepare(sql)?;
    let before = range.start.cast_signed() - BLOCK as i64;
    let mut rows = statement.query((before, range.end.cast_signed()))?;
    while let Some(row) = rows.next()? {
        let block = row.get_ref(1)?.as_blob().map_err(|_| Failure::Damaged)?;
        each(row.get(0)?, block);
    }
    Ok(())
}

/// Returns the rows of sections.
pub fn rows(connection: &Connection, range: Range<u64>) -> Outcome<Vec<u8>> {
    let mut found = Vec::new();
    scan(connection, range.clone(), |first, rows| {
        let numbered = (first..).zip(rows.chunks_exact(ROW));
        let requested = numbered.filter(|(section, _)| range.contains(section));
        requested.for_each(|(_, row)| found.extend_from_slice(row));
    })?;
    Ok(found)
}

/// Removes the rows of sections.
pub fn remove(connection: &Connection, range: &Range<u64>) -> Outcome<()> {
    let mut blocks = Vec::new();
    scan(connection, range.clone(), |first, rows| blocks.push((first, rows.to_vec())))?;
    for (first, rows) in blocks {
        let bytes = |section: u64| rows.len().min(section.saturating_sub(first) as usize * ROW);
        let (before, after) = (bytes(range.start), bytes(range.end));
        connection.execute("DELETE FROM vectors WHERE first = ?1", [first])?;
        insert(connection, first, &rows[..before])?;
        insert(connection, range.end, &rows[after..])?;
    }
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
    fn cosines_of_rows_are_near_those_of_vectors() {
        let (first, second) = (sample(1), sample(3));
        let exact: f32 = first.iter().zip(&second).map(|(x, y)| x * y).sum();
        let near = Probe::new(&first).cosine(&row(&second));
        assert!((exact - near).abs() < 0.03, "{exact} {near}");
        assert!(Probe::new(&first).cosine(&row(&first)) > 0.97);
        assert_eq!(row(&vector(&row(&first))), row(&first));
    }

    #[test]
    fn rows_are_added_and_removed_by_section() {
        let connection = Connection::open_in_memory().expect("a database");
        let sql = "CREATE TABLE vectors(first INTEGER PRIMARY KEY, rows BLOB NOT NULL)";
        connection.execute_batch(sql).expect("made");
        let row = |section: u64| [section as u8; ROW];
        let mut pending = Pending::default();
        for section in (1..700).chain(800..900) {
            pending.add(&connection, section, &row(section)).expect("added");
        }
        pending.write(&connection).expect("written");
        let check = |range: Range<u64>, expected: &[Range<u64>]| {
            let expected: Vec<u8> = expected.iter().cloned().flatten().flat_map(row).collect();
            assert_eq!(rows(&connection, range.clone()).expect("read"), expected, "{range:?}");
        };
        check(0..1000, &[1..700, 800..900]);
        check(250..270, &[250..260, 260..270]);
        remove(&connection, &(3..5)).expect("removed");
        remove(&connection, &(200..600)).expect("removed");
        check(0..1000, &[1..3, 5..200, 600..700, 800..900]);
        check(4..601, &[5..200, 600..601]);
    }
}
