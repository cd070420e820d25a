//! Byte spans and line ranges, with their invariants.

/// A range of bytes, `start..end`, counted from 0, with `start <= end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    // Invariant: start <= end.
    start: u64,
    end: u64,
}

impl Span {
    /// Creates the span `start..end`. If `end` is smaller than `start`, the span is empty and
    /// begins at `start`.
    pub fn new(start: u64, end: u64) -> Self {
        Self { start, end: end.max(start) }
    }

    /// Returns the offset of the first byte.
    pub fn start(self) -> u64 {
        self.start
    }

    /// Returns the offset after the last byte.
    pub fn end(self) -> u64 {
        self.end
    }

    /// Returns the length in bytes.
    pub fn len(self) -> u64 {
        self.end - self.start
    }

    /// Whether the span is empty.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// A range of lines, counted from 1, both ends inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineRange {
    // Invariant: 1 <= start <= end.
    start: u64,
    end: u64,
}

impl LineRange {
    /// Creates the range `start..=end`. Returns `None` if `start` is 0 or greater than `end`.
    pub fn new(start: u64, end: u64) -> Option<Self> {
        (start >= 1 && start <= end).then_some(Self { start, end })
    }

    /// Returns a single line. Line 0 does not exist and is treated as line 1.
    pub fn line(number: u64) -> Self {
        let number = number.max(1);
        Self { start: number, end: number }
    }

    /// Creates the range from `start` to `end`. If `end` is smaller than `start`, the range
    /// contains only line `start`.
    pub fn from_to(start: u64, end: u64) -> Self {
        let start = start.max(1);
        Self { start, end: end.max(start) }
    }

    /// Returns the first line.
    pub fn start(self) -> u64 {
        self.start
    }

    /// Returns the last line.
    pub fn end(self) -> u64 {
        self.end
    }

    /// Returns the number of lines.
    pub fn count(self) -> u64 {
        self.end - self.start + 1
    }

    /// Whether the range contains `line`.
    pub fn contains(self, line: u64) -> bool {
        (self.start..=self.end).contains(&line)
    }

    /// Whether the range contains every line of `other`.
    pub fn covers(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// Parses line ranges such as `10`, `10-50`, `10-` and `50-60,100-110`. A missing end becomes
/// `u64::MAX`.
///
/// # Errors
///
/// Returns a description of the problem, without a full stop, if the text is invalid.
pub fn parse_line_ranges(text: &str) -> Result<Vec<LineRange>, String> {
    text.split(',').map(|part| parse_line_range(part.trim())).collect()
}

fn parse_line_range(text: &str) -> Result<LineRange, String> {
    let number = |digits: &str| -> Result<u64, String> {
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(format!("'{text}' is not a line range like 10, 10-50 or 10-"));
        }
        let value = digits.parse().map_err(|_| format!("line number '{digits}' is too large"))?;
        if value == 0 {
            return Err("line numbers start at 1, not 0".to_owned());
        }
        Ok(value)
    };
    let Some((start, end)) = text.split_once('-') else {
        return Ok(LineRange::line(number(text)?));
    };
    let start = number(start)?;
    if end.is_empty() {
        return Ok(LineRange::from_to(start, u64::MAX));
    }
    let end = number(end)?;
    LineRange::new(start, end)
        .ok_or_else(|| format!("'{text}' ends before it starts: write {end}-{start}"))
}

/// Sorts ranges and merges those that overlap or have fewer than `gap` lines between them.
pub fn merged(mut ranges: Vec<LineRange>, gap: u64) -> Vec<LineRange> {
    ranges.sort_unstable();
    let mut merged: Vec<LineRange> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut().filter(|last| range.start() <= last.end().saturating_add(gap)) {
            Some(last) => *last = LineRange::from_to(last.start(), last.end().max(range.end())),
            None => merged.push(range),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(u64, u64)]) {
        let ranges = parse_line_ranges(text).expect("a range");
        let pairs: Vec<_> = ranges.iter().map(|range| (range.start(), range.end())).collect();
        assert_eq!(pairs, expected);
    }

    #[test]
    fn ranges_are_parsed() {
        check("10", &[(10, 10)]);
        check("10-50", &[(10, 50)]);
        check("10-", &[(10, u64::MAX)]);
        check("50-60,100-110", &[(50, 60), (100, 110)]);
        check("50-60, 100", &[(50, 60), (100, 100)]);
    }

    #[test]
    fn invalid_ranges_are_refused() {
        for text in ["", "0", "0-5", "5-3", "a", "-5", "1-2-3", "1,", "+1", "99999999999999999999"]
        {
            assert!(parse_line_ranges(text).is_err(), "{text}");
        }
    }
}
