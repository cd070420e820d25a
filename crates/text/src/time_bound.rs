//! Parses the times that users give as bounds: `2026-01-05 10:00`, or relative to the current time,
//! such as `1 hour ago`, `-2h`, `yesterday` and `10:00`.
//!
//! The caller provides the current time and the local time zone.

use crate::timestamp::{Timestamp, number};

/// A bound for times of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeBound {
    /// A date, possibly with a time.
    Absolute(Timestamp),
    /// A number of seconds before the current time.
    Ago(i64),
    /// A day, as the number of days before the current one.
    Day(i64),
    /// A time of such a day.
    TimeOfDay(i64, Timestamp),
}

/// The current time and the local time zone.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// The current time in seconds since 1970.
    pub now: i64,
    /// Returns the offset of local time at a time in seconds since 1970, in seconds east of UTC.
    pub local_offset: fn(i64) -> i64,
}

impl Default for Clock {
    /// The time 0, in UTC.
    fn default() -> Self {
        Self { now: 0, local_offset: |_| 0 }
    }
}

/// Units of time: letters and words, and the number of seconds.
const UNITS: [(&[&str], i64); 5] = [
    (&["s", "sec", "secs", "second", "seconds"], 1),
    (&["m", "min", "mins", "minute", "minutes"], 60),
    (&["h", "hr", "hrs", "hour", "hours"], 3600),
    (&["d", "day", "days"], 86_400),
    (&["w", "week", "weeks"], 604_800),
];

impl TimeBound {
    /// Parses a bound. Returns `None` if the text is not a time.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(time) = Timestamp::parse(text) {
            return Some(Self::Absolute(time));
        }
        let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let day = match first {
            "now" => return rest.is_empty().then_some(Self::Ago(0)),
            "today" => Some(0),
            "yesterday" => Some(1),
            _ => None,
        };
        if day.is_some() && rest.is_empty() {
            return day.map(Self::Day);
        }
        let time = if day.is_some() { rest.trim() } else { text };
        time_of_day(time)
            .map(|time| Self::TimeOfDay(day.unwrap_or(0), time))
            .or_else(|| seconds_ago(text).filter(|_| day.is_none()).map(Self::Ago))
    }

    /// Whether this bound is earlier than another, whatever the current time is. Bounds of
    /// different kinds, such as a date and a number of hours, cannot be compared.
    pub fn is_before(self, other: Self) -> bool {
        let is_comparable = match (self, other) {
            (Self::Absolute(_), Self::Absolute(_)) | (Self::Ago(_), Self::Ago(_)) => true,
            (first, second) => [first, second]
                .iter()
                .all(|bound| matches!(bound, Self::Day(_) | Self::TimeOfDay(..))),
        };
        let [this, other] = [self, other].map(|bound| bound.resolve(&Clock::default(), None));
        is_comparable && !this.is_since(&other) && !other.is_until(&this)
    }

    /// Returns the time to compare with the times of a log. `offset` is the offset of its times in
    /// seconds east of UTC. If they have none, they are assumed to be local times.
    pub fn resolve(self, clock: &Clock, offset: Option<i64>) -> Timestamp {
        let local =
            |seconds: i64| seconds + offset.unwrap_or_else(|| (clock.local_offset)(seconds));
        let day = |before: i64| local(clock.now).div_euclid(86_400) - before;
        match self {
            // The log has local times, but the bound has an offset. Entries with an offset are
            // still compared with the same moment.
            Self::Absolute(time) if offset.is_none() && time.offset().is_some() => {
                time.at_offset((clock.local_offset)(time.sort_key().0))
            }
            Self::Absolute(time) => time,
            Self::Ago(seconds) => {
                let seconds = local(clock.now - seconds);
                Timestamp::from_epoch(seconds, 0).with_offset(offset)
            }
            Self::Day(before) => Timestamp::of_day(day(before)),
            Self::TimeOfDay(before, time) => time.moved_to_day(day(before)),
        }
    }
}

/// Parses a time such as `10:00`.
fn time_of_day(text: &str) -> Option<Timestamp> {
    let text = text.as_bytes();
    let (time, length) = Timestamp::of_day(0).at_time(text)?;
    (length == text.len() && time.offset().is_none()).then_some(time)
}

/// Parses a duration such as `1 hour ago`, `-2h` or `1h30m`.
fn seconds_ago(text: &str) -> Option<i64> {
    let text = text.strip_suffix("ago").map_or(text, str::trim_end);
    let mut rest = text.strip_prefix('-').unwrap_or(text);
    let mut total: i64 = 0;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (count, after) = rest.split_at(digits);
        let count = number(count.as_bytes(), 0, digits).filter(|_| (1..=9).contains(&digits))?;
        let after = after.trim_start();
        let letters = after.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, after) = after.split_at(letters);
        let (_, seconds) = UNITS.iter().find(|(names, _)| names.contains(&unit))?;
        total += count * seconds;
        rest = after.trim_start();
    }
    (!text.is_empty() && text != "-").then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-01-05 01:30 UTC.
    const NOW: i64 = 1_767_576_600;

    #[track_caller]
    fn check(text: &str, offset: Option<i64>, expected: &str) {
        let clock = Clock { now: NOW, local_offset: |_| -7200 };
        let bound = TimeBound::parse(text).expect("a bound").resolve(&clock, offset);
        assert_eq!(bound, Timestamp::parse(expected).expect("a time"), "{text}");
    }

    #[test]
    fn bounds_are_in_the_zone_of_the_log() {
        check("now", Some(0), "2026-01-05 01:30:00Z");
        check("1 hour ago", Some(3600), "2026-01-05 01:30:00+01:00");
        check("1 hour ago", None, "2026-01-04 22:30:00");
        check("-2h", Some(0), "2026-01-04 23:30:00Z");
        check("30m", Some(0), "2026-01-05 01:00:00Z");
        check("1d 1h30m", Some(0), "2026-01-04 00:00:00Z");
        check("90 seconds ago", Some(0), "2026-01-05 01:28:30Z");
        check("2 weeks", Some(0), "2025-12-22 01:30:00Z");
        check("today", Some(0), "2026-01-05");
        check("today", None, "2026-01-04");
        check("yesterday", Some(0), "2026-01-04");
        check("10:00", Some(0), "2026-01-05 10:00");
        check("10:00", None, "2026-01-04 10:00");
        check("yesterday 10:00:07.5", Some(0), "2026-01-04 10:00:07.5");
        check("2026-01-03 10:00", Some(0), "2026-01-03 10:00");
        check("2026-01-03 10:00Z", Some(3600), "2026-01-03 10:00Z");
        check("2026-01-03 10:00:00.5+01:00", None, "2026-01-03 07:00:00.5-02:00");
        check("2026-01-03 10:00Z", None, "2026-01-03 08:00-02:00");
    }

    #[test]
    fn bounds_of_a_kind_are_compared() {
        let is_before = |first: &str, second: &str| {
            let [first, second] = [first, second].map(|text| TimeBound::parse(text).expect(text));
            first.is_before(second)
        };
        for (first, second) in [
            ("2026-01-04", "2026-01-05"),
            ("2026-01-05 10:00", "2026-01-05 10:01"),
            ("-2h", "1 hour ago"),
            ("yesterday", "today"),
            ("09:00", "10:00"),
            ("yesterday 10:00", "today"),
        ] {
            assert!(is_before(first, second), "{first} {second}");
            assert!(!is_before(second, first), "{second} {first}");
        }
        for (first, second) in [
            ("2026-01-05", "2026-01-05 10:00"),
            ("2026-01-05 10:00", "2026-01-05"),
            ("today", "10:00"),
            ("2026-01-05", "-2h"),
            ("10:00", "now"),
            ("-2h", "120m"),
        ] {
            assert!(!is_before(first, second), "{first} {second}");
            assert!(!is_before(second, first), "{second} {first}");
        }
    }

    #[test]
    fn other_texts_are_not_bounds() {
        for text in [
            "",
            "-",
            "ago",
            "99999999999999999999h",
            "tomorrow",
            "25:00",
            "10",
            "10:00 x",
            "5 parsecs",
            "h",
            "-h",
            "today x",
            "1h x",
            "10:00Z",
            "now 1h",
            "9999999999s",
        ] {
            assert_eq!(TimeBound::parse(text), None, "{text}");
        }
    }
}
