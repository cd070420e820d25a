//! Where things are: byte spans and line ranges, with their invariants. It
//! knows nothing of what the bytes say.

/// A run of bytes, `start..end`, counted from 0. Never reversed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    // Invariant: start <= end.
    start: u64,
    end: u64,
}

impl Span {
    /// The span `start..end`; an `end` before `start` gives the empty span at
    /// `start`.
    pub fn new(start: u64, end: u64) -> Self {
        Self { start, end: end.max(start) }
    }

    /// The first byte's offset.
    pub fn start(self) -> u64 {
        self.start
    }

    /// The offset after the last byte.
    pub fn end(self) -> u64 {
        self.end
    }

    /// Length in bytes.
    pub fn len(self) -> u64 {
        self.end - self.start
    }

    /// Whether it contains no byte.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// A run of lines, both ends inclusive, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineRange {
    // Invariant: 1 <= start <= end.
    start: u64,
    end: u64,
}

impl LineRange {
    /// The lines `start..=end`; `None` where `start` is 0 or after `end`.
    pub fn new(start: u64, end: u64) -> Option<Self> {
        (start >= 1 && start <= end).then_some(Self { start, end })
    }

    /// One line. Line 0 does not exist: it stands for line 1.
    pub fn line(number: u64) -> Self {
        let number = number.max(1);
        Self { start: number, end: number }
    }

    /// From a line to one that is not before it (else that line alone).
    pub fn from_to(start: u64, end: u64) -> Self {
        let start = start.max(1);
        Self { start, end: end.max(start) }
    }

    /// The first line.
    pub fn start(self) -> u64 {
        self.start
    }

    /// The last line.
    pub fn end(self) -> u64 {
        self.end
    }

    /// How many lines.
    pub fn count(self) -> u64 {
        self.end - self.start + 1
    }

    /// Whether `line` is one of them.
    pub fn contains(self, line: u64) -> bool {
        (self.start..=self.end).contains(&line)
    }

    /// Whether every line of `other` is one of them.
    pub fn covers(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// Line ranges as users write them: `10`, `10-50`, `10-`, `50-60,100-110`.
///
/// An open end is `u64::MAX`. Errors are a sentence without a full stop.
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
    fn ranges_are_read_as_written() {
        check("10", &[(10, 10)]);
        check("10-50", &[(10, 50)]);
        check("10-", &[(10, u64::MAX)]);
        check("50-60,100-110", &[(50, 60), (100, 110)]);
        check("50-60, 100", &[(50, 60), (100, 100)]);
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in ["", "0", "0-5", "5-3", "a", "-5", "1-2-3", "1,", "+1", "99999999999999999999"]
        {
            assert!(parse_line_ranges(text).is_err(), "{text}");
        }
    }
}
