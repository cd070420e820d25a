//! Finds where the entries of a sorted log begin that are not early, without reading the entries
//! before them.
//!
//! Nothing is assumed about the order of entries: samples of the whole log and the entries before
//! the result must agree with it. Otherwise, the log has to be read from its start.

use std::io;

use crate::document::Document;
use folio_text::lines::{LineOffsets, count_newlines, without_end};
use folio_text::logs::LogKind;
use folio_text::timestamp::Timestamp;

/// The number of entries to compare before the search.
const SAMPLES: u64 = 32;

/// The size in bytes of the part before the result in which all entries are compared.
const MARGIN: u64 = 1 << 20;

/// The number of bytes in which to look for the next entry.
const NEXT_ENTRY: u64 = 4 << 20;

/// A position in a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogPosition {
    /// The offset of the start of a line in the file.
    pub offset: u64,
    /// The number of lines before it.
    pub lines: u64,
}

/// Returns the offset of an entry, if it is certain that all entries before it are early, and that
/// it saves time to begin there. `latest` is the last possible time of an entry without a year.
///
/// # Errors
///
/// Fails if the document cannot be read.
pub fn first_offset(
    document: &Document,
    latest: i64,
    is_early: &dyn Fn(&Timestamp) -> bool,
) -> io::Result<Option<u64>> {
    let is_large = |size: &u64| *size > 16 * MARGIN;
    let size = document.size().filter(is_large).filter(|_| document.encoding().is_utf8());
    let kind = document.format().log_kind();
    match size {
        Some(size) if kind.is_timed() => {
            Search { document, kind, latest, is_early, size, margin: MARGIN }.first_offset()
        }
        _ => Ok(None),
    }
}

/// Returns the number of lines before an offset, which is the start of a line.
///
/// # Errors
///
/// Fails if the document cannot be read.
pub fn lines_before(document: &Document, offset: u64) -> io::Result<u64> {
    let mut lines = 0;
    let mut blocks = document.blocks();
    while let Some(block) = blocks.next()? {
        let left = usize::try_from(offset - block.offset).unwrap_or(usize::MAX);
        if left <= block.bytes.len() {
            return Ok(lines + count_newlines(&block.bytes[..left]));
        }
        lines += count_newlines(block.bytes);
    }
    Ok(lines)
}

struct Search<'a> {
    document: &'a Document,
    kind: LogKind,
    latest: i64,
    is_early: &'a dyn Fn(&Timestamp) -> bool,
    size: u64,
    margin: u64,
}

/// An entry: the offset of its first line, its time for comparisons, and whether it is early.
type Sample = (u64, (i64, u32), bool);

impl Search<'_> {
    fn first_offset(&self) -> io::Result<Option<u64>> {
        let mut samples: Vec<Sample> = Vec::new();
        for number in 0..SAMPLES {
            let Some(sample) = self.entry_from(self.size / SAMPLES * number)? else {
                return Ok(None);
            };
            samples.push(sample);
        }
        let is_sorted = |pair: &[Sample]| pair[0].1 <= pair[1].1 && pair[0].2 >= pair[1].2;
        if !samples.windows(2).all(is_sorted) {
            return Ok(None);
        }
        let early = samples.iter().take_while(|(_, _, is_early)| *is_early).count();
        let Some(mut low) = early.checked_sub(1).map(|last| samples[last]) else { return Ok(None) };
        let last_time = samples.get(early).map_or((i64::MAX, 0), |(_, time, _)| *time);
        let mut high = samples.get(early).map_or(self.size, |(offset, ..)| *offset);
        while high - low.0 > self.margin {
            let middle = low.0 + (high - low.0) / 2;
            match self.entry_from(middle)? {
                Some(sample) if sample.0 < high => {
                    if sample.1 < low.1 || sample.1 > last_time {
                        return Ok(None);
                    }
                    if sample.2 {
                        low = sample;
                    } else {
                        high = middle;
                    }
                }
                _ => high = middle,
            }
        }
        Ok(if self.are_all_early(low.0)? { Some(low.0) } else { None })
    }

    /// Whether all entries in the margin before an offset are early.
    fn are_all_early(&self, end: u64) -> io::Result<bool> {
        let mut all = true;
        self.entries_from(end.saturating_sub(self.margin), end, |sample| {
            all &= sample.2;
            all
        })?;
        Ok(all)
    }

    /// Returns the first entry that begins at an offset or later.
    fn entry_from(&self, offset: u64) -> io::Result<Option<Sample>> {
        let mut found = None;
        self.entries_from(offset, offset + NEXT_ENTRY, |sample| {
            found = Some(sample);
            false
        })?;
        Ok(found)
    }

    /// Calls `each` with the entries that begin from `start` to `end`, as long as it returns `true`.
    fn entries_from(
        &self,
        start: u64,
        end: u64,
        mut each: impl FnMut(Sample) -> bool,
    ) -> io::Result<()> {
        // The byte before says whether a line begins at the offset.
        let mut blocks = self.document.blocks_at(start.saturating_sub(1));
        let mut is_line_start = start == 0;
        while let Some(block) = blocks.next()? {
            if block.offset >= end {
                break;
            }
            if block.continues {
                continue;
            }
            for (line_start, line_end) in LineOffsets::new(block.bytes) {
                if !std::mem::replace(&mut is_line_start, true) {
                    continue;
                }
                let line = &block.bytes[line_start..block.bytes.len().min(line_end + 1)];
                let offset = block.offset + line_start as u64;
                if offset >= end {
                    return Ok(());
                }
                let time = self.kind.time(without_end(line), self.latest);
                let Some(time) = time else { continue };
                if !each((offset, time.sort_key(), (self.is_early)(&time))) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn log(seconds: impl Iterator<Item = i64>) -> String {
        let entry = |second: i64| {
            let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
            format!("2026-01-05 {hour:02}:{minute:02}:{second:02} INFO x\n  more\n")
        };
        seconds.map(entry).collect()
    }

    fn search(text: &str, since: &str) -> Option<u64> {
        let document = Document::in_memory(Path::new("a.log"), text.as_bytes().to_vec());
        let since = Timestamp::parse(since).expect("a time");
        let is_early = |time: &Timestamp| !time.is_since(&since);
        let (kind, size) = (document.format().log_kind(), text.len() as u64);
        let document = &document;
        let search = Search { document, kind, latest: 0, is_early: &is_early, size, margin: 400 };
        search.first_offset().expect("readable")
    }

    #[test]
    fn entries_before_the_result_are_early_and_near() {
        let text = log(0..50_000);
        for since in [60, 3_600, 20_000, 49_990, 49_999, 50_000, 80_000] {
            let bound = log(std::iter::once(since));
            let exact = text.find(&bound[..19]).unwrap_or(text.len());
            let found = search(&text, &bound[..19]).expect("found") as usize;
            assert!(found <= exact && exact - found < 900, "{since} {found} {exact}");
            assert!(text[found..].starts_with("2026-"));
        }
        assert_eq!(search(&text, "2026-01-05 00:00:00"), None);
        // All entries of a minute have the same time.
        let minutes = log((0..50_000).map(|second| second / 60 * 60));
        assert!(search(&minutes, "2026-01-05 10:00").is_some());
    }

    #[test]
    fn logs_that_are_not_sorted_are_read_from_their_start() {
        assert_eq!(search(&log((0..50_000).rev()), "2026-01-05 10:00"), None);
        assert_eq!(
            search(&log((0..50_000).map(|it| it * 7919 % 50_000)), "2026-01-05 10:00"),
            None
        );
        // The result is not after a late entry near it.
        for early in 35_990..36_000 {
            let text = log((0..50_000).map(|it| if it == early { 36_010 } else { it }));
            let first = text.find("2026-01-05 10:00:10").expect("an entry") as u64;
            assert!(search(&text, "2026-01-05 10:00").is_none_or(|found| found <= first));
        }
        assert_eq!(search("", "2026-01-05 10:00"), None);
        assert_eq!(search(&"x\n".repeat(9_000), "2026-01-05 10:00"), None);
    }

    #[test]
    fn lines_are_counted_up_to_an_offset() {
        let document = Document::in_memory(Path::new("a.log"), b"a\nb\nc\n".to_vec());
        for (offset, lines) in [(0, 0), (2, 1), (4, 2), (6, 3)] {
            assert_eq!(lines_before(&document, offset).expect("readable"), lines);
        }
    }
}
