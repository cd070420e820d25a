//! Decides which kind a log is, from its first lines.

use super::place::TimePlace;
use super::{LogKind, ROWS, Row};
use crate::sections::is_log_entry;

/// The number of lines that decide which kind a log is.
pub(super) const FIRST_LINES: usize = 100;

/// How many of the first lines are of each kind.
pub(super) struct Census {
    /// For each row, the number of lines that are typical of it and of no row before it.
    counts: [usize; ROWS.len()],
    lines: usize,
    /// The number of lines with a date and a time.
    times: usize,
    has_marks: bool,
    pub(super) begins_with_entry: bool,
}

impl Census {
    /// Counts the first lines that are not empty, at most `most`.
    pub(super) fn take(head: &[u8], most: usize) -> Self {
        let mut census = Self {
            counts: [0; ROWS.len()],
            lines: 0,
            times: 0,
            has_marks: is_log_entry(head) || memchr::memmem::find(head, b"\n[LOG-").is_some(),
            begins_with_entry: false,
        };
        let lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end);
        for line in lines.filter(|line| !line.is_empty()).take(most) {
            let found = ROWS.iter().enumerate().find_map(|(index, row)| {
                let found = row.time.find(line)?;
                let (before, after) = (&line[..found.at.start], &line[found.at.end..]);
                (row.is_typical)(before, &line[found.at.clone()], after).then_some((index, found))
            });
            if let Some((index, found)) = found {
                census.counts[index] += 1;
                census.times += usize::from(found.time.has_time());
                census.begins_with_entry |= census.lines == 0;
            }
            census.lines += 1;
        }
        census
    }

    /// Returns the kind of the most lines, if most lines begin with a date and a time.
    pub(super) fn kind_of_most(&self) -> Option<LogKind> {
        let is_log = self.times > 1 && self.times * 2 > self.lines;
        Some(self.kind()).filter(|kind| is_log && kind.is_timed())
    }

    /// Returns the kind of the most lines. Kinds with the same place of the time count together.
    pub(super) fn kind(&self) -> LogKind {
        if self.has_marks {
            return LogKind::Marked;
        }
        let of_place = |place: TimePlace| -> usize {
            let is_same = |row: &Row| row.time.is_same_family(place);
            ROWS.iter()
                .zip(self.counts)
                .filter(|(row, _)| is_same(row))
                .map(|(_, count)| count)
                .sum()
        };
        // The first of several maximums.
        let best = (0..ROWS.len())
            .rev()
            .max_by_key(|&index| (of_place(ROWS[index].time), self.counts[index]));
        match best {
            Some(best) if self.counts[best] > 0 => ROWS[best].kind,
            _ => LogKind::Undecided,
        }
    }
}
