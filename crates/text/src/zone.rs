//! Parses time zone files (TZif, RFC 9636), to convert a time to local time.

use crate::timestamp::{date_of_days, days_since_epoch};

/// A time zone. The default is UTC.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Zone {
    /// Times in seconds since 1970, and the offsets from UTC that begin at them, in order.
    transitions: Vec<(i64, i64)>,
    /// The offset before the first transition.
    first: i64,
    /// The rule after the last transition.
    rule: Option<Rule>,
}

/// Offsets of standard time and daylight saving time, and the days of the year on which they begin.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    standard: i64,
    daylight: Option<(i64, Change, Change)>,
}

/// A day of the year, and the seconds after midnight.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    day: ChangeDay,
    time: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ChangeDay {
    /// Month, week from 1 to 5 (the last), and day of the week.
    Week(i64, i64, i64),
    /// The day from 0. Without leap days, if the flag is set.
    Day(i64, bool),
}

impl Zone {
    /// Creates a zone with one offset, in seconds east of UTC.
    pub fn fixed(offset: i64) -> Self {
        Self { first: offset, ..Self::default() }
    }

    /// Parses the bytes of a time zone file. Returns `None` if they are invalid.
    pub fn parse(file: &[u8]) -> Option<Self> {
        // The first block has times of 32 bits; the second, in all files since 2005, of 64 bits.
        let (_, size) = block(file, 4)?;
        let rest = file.get(size..)?;
        let (zone, size) = block(rest, 8)?;
        let footer = rest.get(size..)?.strip_prefix(b"\n")?.strip_suffix(b"\n")?;
        let footer = std::str::from_utf8(footer).ok()?;
        Some(Self { rule: Rule::parse(footer), ..zone })
    }

    /// Parses the rule of a time zone, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
    pub fn of_rule(text: &str) -> Option<Self> {
        Some(Self { rule: Some(Rule::parse(text)?), ..Self::default() })
    }

    /// Returns the offset at a time, in seconds east of UTC.
    pub fn offset_at(&self, seconds: i64) -> i64 {
        let after = self.transitions.partition_point(|(start, _)| *start <= seconds);
        match (&self.rule, after.checked_sub(1)) {
            (Some(rule), _) if after == self.transitions.len() => rule.offset_at(seconds),
            (_, Some(last)) => self.transitions[last].1,
            _ => self.first,
        }
    }
}

/// Parses a block of a time zone file, with times of `width` bytes. Returns its size, too.
fn block(bytes: &[u8], width: usize) -> Option<(Zone, usize)> {
    let integer = |at: usize, width: usize| {
        let bytes = bytes.get(at..at + width)?;
        let negative = bytes[0] & 0x80 != 0;
        let sum = bytes
            .iter()
            .fold(if negative { -1 } else { 0 }, |sum: i64, &byte| sum << 8 | i64::from(byte));
        Some(sum)
    };
    let count = |index: usize| usize::try_from(integer(20 + 4 * index, 4)?).ok();
    let (utc, standard, leaps) = (count(0)?, count(1)?, count(2)?);
    let (times, types, letters) = (count(3)?, count(4)?, count(5)?);
    if !bytes.starts_with(b"TZif") {
        return None;
    }
    let indexes = 44 + times * width;
    let infos = indexes + times;
    let size = infos + types * 6 + letters + leaps * (width + 4) + standard + utc;
    let offset = |kind: usize| integer(infos + kind * 6, 4);
    let transition = |at: usize| {
        let kind = *bytes.get(indexes + at)?;
        Some((integer(44 + at * width, width)?, offset(usize::from(kind))?))
    };
    let transitions = (0..times).map(transition).collect::<Option<Vec<_>>>()?;
    Some((Zone { transitions, first: offset(0).unwrap_or(0), rule: None }, size))
}

impl Rule {
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(',');
        let (standard, rest) = name_and_offset(parts.next()?)?;
        let standard = -standard?;
        if rest.is_empty() {
            return Some(Self { standard, daylight: None });
        }
        let (daylight, rest) = name_and_offset(rest)?;
        let daylight = daylight.map_or(standard + 3600, |offset| -offset);
        let (start, end) = (Change::parse(parts.next()?)?, Change::parse(parts.next()?)?);
        rest.is_empty().then_some(Self { standard, daylight: Some((daylight, start, end)) })
    }

    fn offset_at(&self, seconds: i64) -> i64 {
        let Some((daylight, start, end)) = &self.daylight else { return self.standard };
        let year = date_of_days((seconds + self.standard).div_euclid(86_400)).0;
        let (start, end) = (start.seconds(year) - self.standard, end.seconds(year) - daylight);
        let is_daylight = if start < end {
            (start..end).contains(&seconds)
        } else {
            !(end..start).contains(&seconds)
        };
        if is_daylight { *daylight } else { self.standard }
    }
}

/// Splits a name, such as `CET` or `<+03>`, and an offset such as `-1` from the start of a rule.
fn name_and_offset(text: &str) -> Option<(Option<i64>, &str)> {
    let rest = match text.strip_prefix('<') {
        Some(quoted) => quoted.split_once('>')?.1,
        None => text.trim_start_matches(|it: char| it.is_ascii_alphabetic()),
    };
    let length =
        rest.bytes().take_while(|byte| byte.is_ascii_digit() || b"+-:".contains(byte)).count();
    let (offset, rest) = rest.split_at(length);
    let offset = if offset.is_empty() { None } else { Some(clock_time(offset)?) };
    Some((offset, rest))
}

/// Parses `2`, `-1:30` or `+2:00:00` as seconds.
fn clock_time(text: &str) -> Option<i64> {
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut parts = text.split(':').map(|part| part.parse::<u16>().ok().map(i64::from));
    let mut part = || parts.next().unwrap_or(Some(0));
    Some(sign * (part()? * 3600 + part()? * 60 + part()?))
}

impl Change {
    fn parse(text: &str) -> Option<Self> {
        let (day, time) = text.split_once('/').unwrap_or((text, "2"));
        let number = |text: &str| text.parse::<u16>().ok().map(i64::from);
        let day = if let Some(week) = day.strip_prefix('M') {
            let mut parts = week.split('.').map(number);
            let mut part = || parts.next().flatten();
            ChangeDay::Week(part()?, part()?, part()?)
        } else if let Some(day) = day.strip_prefix('J') {
            ChangeDay::Day(number(day)? - 1, true)
        } else {
            ChangeDay::Day(number(day)?, false)
        };
        Some(Self { day, time: clock_time(time)? })
    }

    /// Returns the time of the change in a year, as if it were UTC.
    fn seconds(&self, year: i64) -> i64 {
        let day = match self.day {
            ChangeDay::Week(month, week, weekday) => {
                let first = days_since_epoch(year, month, 1);
                let next = days_since_epoch(year, month + 1, 1);
                // January 1, 1970 was a Thursday.
                let before = (weekday - (first + 4)).rem_euclid(7);
                let day = first + before + (week - 1) * 7;
                if day >= next { day - 7 } else { day }
            }
            ChangeDay::Day(day, without_leap_days) => {
                let march = days_since_epoch(year, 3, 1) - days_since_epoch(year, 1, 1);
                let leap = i64::from(without_leap_days && day >= 59 && march == 60);
                days_since_epoch(year, 1, 1) + day + leap
            }
        };
        day * 86_400 + self.time
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timestamp::Timestamp;

    #[track_caller]
    fn check(zone: &Zone, time: &str, hours: i64) {
        let seconds = Timestamp::parse(time).expect("a time").sort_key().0;
        assert_eq!(zone.offset_at(seconds), hours * 3600, "{time}");
    }

    #[test]
    fn rules_determine_when_daylight_saving_time_begins() {
        let berlin = Zone::of_rule("CET-1CEST,M3.5.0,M10.5.0/3").expect("a rule");
        check(&berlin, "2026-03-29 00:59:59Z", 1);
        check(&berlin, "2026-03-29 01:00:00Z", 2);
        check(&berlin, "2026-10-25 00:59:59Z", 2);
        check(&berlin, "2026-10-25 01:00:00Z", 1);
        let sydney = Zone::of_rule("AEST-10AEDT,M10.1.0,M4.1.0/3").expect("a rule");
        check(&sydney, "2026-01-05 00:00:00Z", 11);
        check(&sydney, "2026-07-05 00:00:00Z", 10);
        check(&Zone::of_rule("<-03>3").expect("a rule"), "2026-01-05 00:00:00Z", -3);
        check(&Zone::of_rule("EST5EDT,J60,J300/0").expect("a rule"), "2024-03-01 06:59:00Z", -5);
        check(&Zone::of_rule("EST5EDT,J60,J300/0").expect("a rule"), "2024-03-01 07:00:00Z", -4);
        for text in ["", "CET", "CET-1CEST", "CET-1CEST,M3", "CET-1x,M3.5.0,M10.5.0/3y"] {
            assert_eq!(Zone::of_rule(text), None, "{text}");
        }
    }

    /// Creates a file with one transition, an hour east at time 0.
    fn file(footer: &str) -> Vec<u8> {
        let block = |width: usize| {
            let mut bytes = b"TZif2".to_vec();
            bytes.resize(20, 0);
            for count in [0u32, 0, 0, 1, 2, 4] {
                bytes.extend(count.to_be_bytes());
            }
            bytes.resize(bytes.len() + width, 0);
            bytes.push(1);
            bytes.extend((-7200i32).to_be_bytes());
            bytes.extend([0, 0]);
            bytes.extend(3600i32.to_be_bytes());
            bytes.extend([0, 0]);
            bytes.extend(b"ABC\0");
            bytes
        };
        [block(4), block(8), format!("\n{footer}\n").into_bytes()].concat()
    }

    #[test]
    fn a_file_has_transitions_and_a_rule() {
        let zone = Zone::parse(&file("")).expect("a zone");
        check(&zone, "1969-12-31 23:59:59Z", -2);
        check(&zone, "1970-01-01 00:00:00Z", 1);
        let zone = Zone::parse(&file("UTC-3")).expect("a zone");
        check(&zone, "2026-01-01 00:00:00Z", 3);
        let bytes = file("UTC-3");
        for length in 0..bytes.len() {
            assert_eq!(Zone::parse(&bytes[..length]), None, "{length}");
        }
        check(&Zone::default(), "2026-01-01 00:00:00Z", 0);
    }
}
