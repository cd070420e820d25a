//! Parses dates and times in the forms that are common in logs and headings: `2026-01-05`,
//! `2026-01-05 10:00`, `2026/01/05T10:00:00.250+01:00`.

use std::fmt;

/// Length in bytes of a date.
const DATE: usize = 10;

/// A date, possibly with a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamp {
    /// Seconds since 1970, as if the time were UTC, regardless of its offset.
    seconds: i64,
    nanoseconds: u32,
    unit: Unit,
    /// Offset in seconds east of UTC, if the text contains one.
    offset: Option<i64>,
}

/// The smallest unit in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Day,
    Minute,
    Second,
    Nanosecond,
}

impl Timestamp {
    /// Returns the first timestamp in a line.
    pub fn find(line: &[u8]) -> Option<Self> {
        let last = line.len().checked_sub(DATE)?;
        (0..=last)
            .filter(|&at| at == 0 || !line[at - 1].is_ascii_digit())
            .find_map(|at| Self::parse_prefix(&line[at..]))
            .map(|(found, _)| found)
    }

    /// Parses a text that consists only of a timestamp.
    pub fn parse(text: &str) -> Option<Self> {
        let (found, length) = Self::parse_prefix(text.as_bytes())?;
        (length == text.len()).then_some(found)
    }

    /// Whether this timestamp is not earlier than `other`. The comparison uses the precision of
    /// `other`: any time of a day is not earlier than that day. If only one of the timestamps has
    /// an offset from UTC, the offset is ignored.
    pub fn is_since(&self, other: &Self) -> bool {
        let (left, right) = self.comparison_keys(other);
        left >= right
    }

    /// Whether this timestamp is not later than `other`. The comparison uses the precision of
    /// `other`.
    pub fn is_until(&self, other: &Self) -> bool {
        let (left, right) = self.comparison_keys(other);
        left <= right
    }

    fn comparison_keys(&self, other: &Self) -> ((i64, u32), (i64, u32)) {
        let (offset, other_offset) = match (self.offset, other.offset) {
            (Some(offset), Some(other_offset)) => (offset, other_offset),
            _ => (0, 0),
        };
        let truncated = |timestamp: &Self, offset: i64| {
            let seconds = timestamp.seconds - offset;
            match other.unit {
                Unit::Day => (seconds.div_euclid(86_400), 0),
                Unit::Minute => (seconds.div_euclid(60), 0),
                Unit::Second => (seconds, 0),
                Unit::Nanosecond => (seconds, timestamp.nanoseconds),
            }
        };
        (truncated(self, offset), truncated(other, other_offset))
    }

    /// Creates a time on a day. `time` begins a text such as `10:00`, `10:00:07` or
    /// `10:00:07.250+01:00`. Returns the length of the time, too.
    pub(crate) fn on_day(
        (year, month, day): (i64, i64, i64),
        time: &[u8],
    ) -> Option<(Self, usize)> {
        if !is_date(year, month, day) {
            return None;
        }
        let seconds = days_since_epoch(year, month, day) * 86_400;
        Self { seconds, nanoseconds: 0, unit: Unit::Day, offset: None }.at_time(time)
    }

    /// Creates a time from seconds since 1970.
    pub(crate) fn from_epoch(seconds: i64, nanoseconds: u32) -> Self {
        let unit = if nanoseconds > 0 { Unit::Nanosecond } else { Unit::Second };
        Self { seconds, nanoseconds, unit, offset: Some(0) }
    }

    /// Moves a time of which the year is not known to the last year in which it is at most a day
    /// later than `latest`, in seconds since 1970.
    pub(crate) fn in_last_year(self, latest: i64) -> Self {
        let (year, month, day) = date_of_days(self.seconds.div_euclid(86_400));
        let time = self.seconds.rem_euclid(86_400);
        let end = latest + 86_400;
        let last = date_of_days(end.div_euclid(86_400)).0;
        // February 29 may be eight years ago.
        let mut years = (last - 8..=last).rev().filter(|&year| is_date(year, month, day));
        let moved = years.find_map(|year| {
            let seconds = days_since_epoch(year, month, day) * 86_400 + time;
            (seconds - self.offset.unwrap_or(0) <= end).then_some(seconds)
        });
        let seconds = moved.unwrap_or(days_since_epoch(year, month, day) * 86_400 + time);
        Self { seconds, ..self }
    }

    /// Returns the same moment in another zone, given as an offset in seconds east of UTC. A time
    /// without an offset is assumed to be in UTC.
    pub(crate) fn at_offset(self, offset: i64) -> Self {
        let seconds = self.seconds - self.offset.unwrap_or(0) + offset;
        Self { seconds, offset: Some(offset), ..self }
    }

    /// Returns the same time with an offset in seconds east of UTC.
    pub(crate) fn with_offset(self, offset: Option<i64>) -> Self {
        Self { offset, ..self }
    }

    /// Creates a day from the number of days since 1970.
    pub(crate) fn of_day(days: i64) -> Self {
        Self { seconds: days * 86_400, nanoseconds: 0, unit: Unit::Day, offset: None }
    }

    /// Returns the same time on another day, given as the number of days since 1970.
    pub(crate) fn moved_to_day(self, days: i64) -> Self {
        Self { seconds: days * 86_400 + self.seconds.rem_euclid(86_400), ..self }
    }

    /// Whether a time follows the date.
    pub(crate) fn has_time(&self) -> bool {
        self.unit != Unit::Day
    }

    /// Returns the offset in seconds east of UTC, if the text contains one.
    pub fn offset(&self) -> Option<i64> {
        self.offset
    }

    /// Returns a value by which times of one log can be sorted.
    pub fn sort_key(&self) -> (i64, u32) {
        (self.seconds - self.offset.unwrap_or(0), self.nanoseconds)
    }

    /// Returns the date as text, such as `2026-01-05`.
    pub fn date_text(&self) -> String {
        let (year, month, day) = date_of_days(self.seconds.div_euclid(86_400));
        format!("{year:04}-{month:02}-{day:02}")
    }

    /// Returns the hour and minute as text, such as `10:00`. Empty if there is only a date.
    pub fn minute_text(&self) -> String {
        let minutes = self.seconds.rem_euclid(86_400) / 60;
        if self.has_time() {
            format!("{:02}:{:02}", minutes / 60, minutes % 60)
        } else {
            String::new()
        }
    }

    /// Returns the timestamp at the start of a text, and its length.
    pub(crate) fn parse_prefix(text: &[u8]) -> Option<(Self, usize)> {
        let separator = *text.get(4).filter(|byte| matches!(byte, b'-' | b'/'))?;
        let (year, month, day) = (number(text, 0, 4)?, number(text, 5, 2)?, number(text, 8, 2)?);
        let ends = !text.get(DATE).is_some_and(u8::is_ascii_digit);
        if text.get(7) != Some(&separator) || !is_date(year, month, day) || !ends {
            return None;
        }
        let seconds = days_since_epoch(year, month, day) * 86_400;
        let date = Self { seconds, nanoseconds: 0, unit: Unit::Day, offset: None };
        Some(date.with_time(text).unwrap_or((date, DATE)))
    }

    /// Adds the time after the date, and returns the length of both.
    fn with_time(self, text: &[u8]) -> Option<(Self, usize)> {
        let has_separator = matches!(text.get(DATE), Some(b'T' | b't' | b' '));
        let (timestamp, length) = self.at_time(text.get(DATE + 1..)?)?;
        has_separator.then_some((timestamp, DATE + 1 + length))
    }

    /// Adds the time at the start of a text to a day, and returns the length of the time.
    pub(crate) fn at_time(mut self, text: &[u8]) -> Option<(Self, usize)> {
        let (hour, minute) = (number(text, 0, 2)?, number(text, 3, 2)?);
        if text[2] != b':' || hour > 23 || minute > 59 {
            return None;
        }
        self.seconds += hour * 3600 + minute * 60;
        self.unit = Unit::Minute;
        let mut at = 5;
        let second = number(text, at + 1, 2).filter(|&second| second <= 60);
        if let (Some(b':'), Some(second)) = (text.get(at), second) {
            self.seconds += second;
            self.unit = Unit::Second;
            at += 3;
            let is_digit = |byte: &&u8| byte.is_ascii_digit();
            let digits =
                text.get(at + 1..).map_or(0, |rest| rest.iter().take_while(is_digit).count());
            if matches!(text.get(at), Some(b'.' | b',')) && digits > 0 {
                let padded = text[at + 1..at + 1 + digits].iter().chain([b'0'; 9].iter()).take(9);
                self.nanoseconds = padded.fold(0, |sum, byte| sum * 10 + u32::from(byte - b'0'));
                self.unit = Unit::Nanosecond;
                at += 1 + digits;
            }
        }
        let (offset, length) = utc_offset(&text[at..]);
        self.offset = offset;
        Some((self, at + length))
    }
}

/// The earliest and the latest of several times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRange {
    /// The earliest time.
    pub first: Timestamp,
    /// The latest time.
    pub last: Timestamp,
}

impl TimeRange {
    /// Returns the range of the times of another range and one more time, if there are any.
    pub fn with(range: Option<Self>, time: Option<Timestamp>) -> Option<Self> {
        let Some(time) = time else { return range };
        let Self { mut first, mut last } = range.unwrap_or(Self { first: time, last: time });
        if time.sort_key() < first.sort_key() {
            first = time;
        }
        if time.sort_key() > last.sort_key() {
            last = time;
        }
        Some(Self { first, last })
    }
}

impl fmt::Display for TimeRange {
    /// Writes minutes, and the date of the latest time only if it is another day.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, last } = self;
        let (date, start) = (first.date_text(), first.minute_text());
        write!(f, "{}", format!("{date} {start}").trim_end())?;
        let (last_date, end) = (last.date_text(), last.minute_text());
        match (last_date == date, end.is_empty()) {
            (true, true) => Ok(()),
            (true, false) => write!(f, " to {end}"),
            (false, true) => write!(f, " to {last_date}"),
            (false, false) => write!(f, " to {last_date} {end}"),
        }
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.date_text())?;
        if !self.has_time() {
            return Ok(());
        }
        write!(f, "T{}", self.minute_text())?;
        if self.unit != Unit::Minute {
            write!(f, ":{:02}", self.seconds.rem_euclid(60))?;
        }
        if self.unit == Unit::Nanosecond {
            let digits = format!("{:09}", self.nanoseconds);
            let digits = digits.trim_end_matches('0');
            write!(f, ".{}", if digits.is_empty() { "0" } else { digits })?;
        }
        match self.offset {
            None => Ok(()),
            Some(0) => write!(f, "Z"),
            Some(offset) => {
                let (sign, minutes) = (if offset < 0 { '-' } else { '+' }, offset.abs() / 60);
                write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
        }
    }
}

/// Returns the offset from UTC after a time, and the length of its text.
fn utc_offset(text: &[u8]) -> (Option<i64>, usize) {
    let blank = usize::from(text.first() == Some(&b' '));
    let text = &text[blank..];
    let ends_at = |length: usize| !text.get(length).is_some_and(u8::is_ascii_alphanumeric);
    if matches!(text.first(), Some(b'Z' | b'z')) && ends_at(1) {
        return (Some(0), blank + 1);
    }
    if (text.starts_with(b"UTC") || text.starts_with(b"GMT")) && ends_at(3) {
        return (Some(0), blank + 3);
    }
    let sign = match text.first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return (None, 0),
    };
    let colon = usize::from(text.get(3) == Some(&b':'));
    let (hours, minutes) = (number(text, 1, 2), number(text, 3 + colon, 2));
    match (hours, minutes) {
        (Some(hours), Some(minutes)) if ends_at(5 + colon) => {
            (Some(sign * (hours * 3600 + minutes * 60)), blank + 5 + colon)
        }
        (Some(hours), None) if colon == 0 && ends_at(3) => (Some(sign * hours * 3600), blank + 3),
        _ => (None, 0),
    }
}

pub(crate) fn number(text: &[u8], at: usize, length: usize) -> Option<i64> {
    let digits = text.get(at..at + length)?;
    digits.iter().try_fold(0_i64, |sum, byte| {
        let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
        sum.checked_mul(10)?.checked_add(digit)
    })
}

fn is_date(year: i64, month: i64, day: i64) -> bool {
    let last_day = || days_since_epoch(year, month + 1, 1) - days_since_epoch(year, month, 1);
    (1..=12).contains(&month) && day >= 1 && (day <= 28 || day <= last_day())
}

/// Returns the year, month and day of a number of days since 1970. The inverse of
/// [`days_since_epoch`].
pub(crate) fn date_of_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

/// Returns the number of days from 1970 to a date. In this calculation, years begin in March, so
/// that a leap day is the last day of its year.
pub(crate) fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, since: &str, expected: (bool, bool)) {
        let bound = Timestamp::parse(since).expect("a bound");
        let found = Timestamp::find(line.as_bytes()).expect("a time");
        assert_eq!((found.is_since(&bound), found.is_until(&bound)), expected, "{line} {since}");
    }

    #[test]
    fn ranges_contain_the_date_once() {
        let text = |times: &[&str]| {
            let times = times.iter().map(|time| Timestamp::parse(time));
            let range = times.fold(None, TimeRange::with);
            range.expect("a time").to_string()
        };
        let times = ["2026-01-05 10:30", "2026-01-05 10:00:07", "2026-01-05 10:10"];
        assert_eq!(text(&times), "2026-01-05 10:00 to 10:30");
        assert_eq!(text(&["2026-01-05", "2026-01-05"]), "2026-01-05");
        assert_eq!(text(&["2026-01-06", "2026-01-05"]), "2026-01-05 to 2026-01-06");
        assert_eq!(
            text(&["2026-01-05 10:00", "2026-01-06 09:00"]),
            "2026-01-05 10:00 to 2026-01-06 09:00"
        );
    }

    #[test]
    fn times_are_compared_by_the_unit_of_the_bound() {
        let (before, at, after) = ((false, true), (true, true), (true, false));
        check("2026-01-05 10:00:07 ERROR", "2026-01-05 10:00", at);
        check("2026-01-05 10:01:00 ERROR", "2026-01-05 10:00", after);
        check("2026-01-05T09:59:59,9", "2026-01-05 10:00", before);
        check("[2026/01/05 23:59] x", "2026-01-05", at);
        check("## [1.2.0] - 2026-01-05", "2026-01-05 00:01", before);
        check("2026-01-05 10:00:07.250", "2026-01-05T10:00:07.25", at);
        check("2026-01-05 10:00:07.3", "2026-01-05T10:00:07.25", after);
        check("2024-03-01", "2024-02-29", after);
    }

    #[test]
    fn offsets_are_used_if_both_times_have_one() {
        check("2026-01-05T10:00:00+01:00", "2026-01-05T09:00:00Z", (true, true));
        check("2026-01-05 10:00:00 -0500", "2026-01-05T15:00:00 UTC", (true, true));
        check("2026-01-05T00:30+01", "2026-01-04T23:30Z", (true, true));
        check("2026-01-05T10:00:00Z", "2026-01-05 10:00:00", (true, true));
    }

    #[track_caller]
    fn check_offset(text: &str, minutes: Option<i64>, length: usize) {
        assert_eq!(
            utc_offset(text.as_bytes()),
            (minutes.map(|minutes| minutes * 60), length),
            "{text}"
        );
    }

    #[test]
    fn offsets_are_hours_and_minutes() {
        check_offset("+05:30]", Some(330), 6);
        check_offset(" -0330 x", Some(-210), 6);
        check_offset("+05", Some(300), 3);
        check_offset(" UTC", Some(0), 4);
        for text in ["+05x", "+05:30x", "+05:x", "+5", " x", "UTCx", "Zx", ""] {
            check_offset(text, None, 0);
        }
    }

    #[test]
    fn times_are_written_as_they_are_parsed() {
        for text in [
            "2026-01-05",
            "2026-01-05T10:00",
            "2026-01-05T10:00:07Z",
            "0099-12-31T23:59:07.25-03:30",
        ] {
            assert_eq!(Timestamp::parse(text).expect("a time").to_string(), text);
        }
    }

    #[test]
    fn a_date_must_exist() {
        for text in ["2026-02-29", "2100-02-29", "2026-04-31", "2026-12-32", "2026-00-01"] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
        for text in ["2026-02-28", "2024-02-29", "2000-02-29", "2026-04-30", "2026-12-31"] {
            assert!(Timestamp::parse(text).is_some(), "{text}");
        }
    }

    #[test]
    fn days_are_counted_from_1970() {
        for ((year, month, day), expected) in [
            ((1970, 1, 1), 0),
            ((1969, 12, 31), -1),
            ((1970, 12, 31), 364),
            ((2000, 2, 29), 11_016),
            ((2000, 3, 1), 11_017),
            ((2001, 3, 1), 11_382),
            ((2100, 2, 28), 47_540),
            ((2100, 3, 1), 47_541),
            ((0, 1, 1), -719_528),
        ] {
            assert_eq!(days_since_epoch(year, month, day), expected, "{year}-{month}-{day}");
            assert_eq!(date_of_days(expected), (year, month, day));
        }
    }

    #[test]
    fn other_numbers_are_not_times() {
        for text in ["12026-01-05", "2026-13-05", "2026-01-32", "2026-01/05", "2026-01-051", ""] {
            assert_eq!(Timestamp::find(text.as_bytes()), None, "{text}");
        }
        for text in ["yesterday", "10:00", "2026-01-05 25:00", "2026-01-05 x", "2026-01-05 "] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
        for text in ["2026-01-05_10:00", "2026-01-05 10:60", "2026-01-05 10:00:07."] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
        assert!(Timestamp::parse("2026-01-05 23:59:60").is_some());
    }
}
