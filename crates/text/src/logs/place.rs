//! Finds the times of entries in lines: one parser for each place in which logs write them.

use std::ops::Range;

use crate::timestamp::{Timestamp, number};

/// Where the time of an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimePlace {
    Nowhere,
    /// At the start, after colors and an opening bracket: `2026-01-05 10:00`, or with slashes.
    Start,
    /// Like `Start`, also after up to two blanks.
    Indented,
    /// `[05/Jan/2026:10:00:00 +0100]`, after other fields.
    Brackets,
    /// `[Mon Jan 05 10:00:00.123 2026]`.
    CTime,
    /// After `<34>1`.
    Priority,
    /// `Jan  5 10:00:00`, possibly after `<34>`, possibly with a year.
    Month,
    /// `05-Jan-2026 10:00:00`, possibly in brackets or after the number and role of a process, as
    /// in `12:M 05 Jan 2026`.
    DayMonth,
    /// After a word, and possibly a name in brackets: `INFO [main] 2026-01-05 10:00:00`.
    AfterPrefix,
    /// After a letter for the level: `I0105 10:00:00.123` or `I20260105 10:00:00.123`.
    Letter,
    /// `01-05 10:00:00.123`.
    MonthDay,
    /// `26/01/05 10:00:00`.
    ShortYear,
    /// The value of `time=` or another key.
    Field,
    /// The value of `"time":` or another key of the object.
    Member,
}

/// A time in a line.
pub(super) struct FoundTime {
    pub(super) at: Range<usize>,
    pub(super) time: Timestamp,
    pub(super) has_year: bool,
}

impl TimePlace {
    pub(super) fn find(self, line: &[u8]) -> Option<FoundTime> {
        match self {
            Self::Nowhere => None,
            Self::Start => {
                let start = after_colors(line, 0);
                let bracket = matches!(line.get(start), Some(b'[' | b'(' | b'<'));
                iso(line, start + usize::from(bracket))
            }
            Self::Indented => {
                let blanks = line.iter().take(3).take_while(|&&byte| byte == b' ').count();
                iso(line, after_colors(line, blanks)).filter(|found| found.time.has_time())
            }
            Self::Brackets => {
                // The name of a user may contain brackets.
                let mut opens = memchr::memmem::find_iter(line, b" [");
                opens.find_map(|open| common_log(line, open + 2))
            }
            Self::CTime => ctime(line),
            Self::Priority => {
                let start = priority(line)?.1;
                let found = iso(line, start + usize::from(line[start..].starts_with(b"1 ")) * 2)?;
                (line[start..].starts_with(b"1 ") && found.time.has_time()).then_some(found)
            }
            Self::Month => {
                let start = priority(line).map_or(0, |(_, end)| end);
                month_name(line, start)
            }
            Self::DayMonth => {
                let bracket = usize::from(line.first() == Some(&b'['));
                let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let is_role = |rest: &[u8]| {
                    rest[0] == b':' && rest[1].is_ascii_uppercase() && rest[2] == b' '
                };
                let has_role = digits > 0 && line.get(digits..digits + 3).is_some_and(is_role);
                day_month(line, if has_role { digits + 3 } else { bracket })
            }
            Self::AfterPrefix => after_prefix(line),
            Self::Letter => {
                line.first().filter(|byte| b"IWEF".contains(byte))?;
                if line.get(9) == Some(&b' ') {
                    let date = (number(line, 1, 4)?, number(line, 5, 2)?, number(line, 7, 2)?);
                    let (time, length) = Timestamp::on_day(date, line.get(10..)?)?;
                    return Some(FoundTime { at: 1..10 + length, time, has_year: true });
                }
                without_year(line, 1, (number(line, 1, 2)?, number(line, 3, 2)?), 5)
            }
            Self::MonthDay => {
                let is_date = line.get(2) == Some(&b'-');
                is_date
                    .then(|| without_year(line, 0, (number(line, 0, 2)?, number(line, 3, 2)?), 5))?
            }
            Self::ShortYear => {
                let is_date = line.get(2) == Some(&b'/')
                    && line.get(5) == Some(&b'/')
                    && line.get(8) == Some(&b' ');
                let date = (2000 + number(line, 0, 2)?, number(line, 3, 2)?, number(line, 6, 2)?);
                let (time, length) = is_date.then(|| Timestamp::on_day(date, line.get(9..)?))??;
                Some(FoundTime { at: 0..9 + length, time, has_year: true })
            }
            Self::Field => {
                let keys = ["time", "ts", "timestamp", "t"];
                keys.iter().find_map(|key| written(line, field(line, key)?))
            }
            Self::Member => written(line, member(line, &MEMBERS)?),
        }
    }

    /// Whether the times of two places are of one family, whose kinds count together.
    pub(super) fn is_same_family(self, other: Self) -> bool {
        let family = |place| if place == Self::Indented { Self::Start } else { place };
        family(self) == family(other)
    }
}

/// Returns the offset after escape sequences that set colors.
pub(super) fn after_colors(line: &[u8], mut at: usize) -> usize {
    while line[at..].starts_with(b"\x1b[") {
        match line[at..].iter().position(|&byte| byte == b'm') {
            Some(length) => at += length + 1,
            None => break,
        }
    }
    at
}

/// Finds a time that begins with a date such as `2026-01-05`.
fn iso(line: &[u8], start: usize) -> Option<FoundTime> {
    let (time, length) = Timestamp::parse_prefix(line.get(start..)?)?;
    let end = start + length;
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let ends = time.has_time() || !line.get(end).is_some_and(is_word);
    ends.then_some(FoundTime { at: start..end, time, has_year: true })
}

/// The maximum length in bytes of a prefix before a date.
const PREFIX: usize = 80;

/// Finds a time after one word, after a word and a name in brackets, or after fields that end with
/// tabs.
fn after_prefix(line: &[u8]) -> Option<FoundTime> {
    line.first().filter(|byte| !byte.is_ascii_whitespace())?;
    let start = after_colors(line, 0);
    let is_start = |&at: &usize| {
        let before = at.checked_sub(1).and_then(|before| line.get(before));
        before.is_some_and(|byte| b" \t[:(".contains(byte))
    };
    let starts = (start + 1..line.len().min(start + PREFIX)).filter(is_start);
    let found = starts
        .map(|at| iso(line, at))
        .find(|found| found.as_ref().is_some_and(|found| found.time.has_time()))??;
    let prefix = &line[start..found.at.start];
    let prefix = prefix.strip_suffix(b"[").unwrap_or(prefix);
    // Lines of several containers, `web-1 | `, may have no time, and belong to no entry above.
    let is_field = |byte: &u8| !matches!(byte, b'"' | b'\'' | b'{' | b'=' | b'>' | b'|');
    if !prefix.iter().all(is_field) {
        return None;
    }
    let is_separator = |byte: &u8| matches!(byte, b' ' | b'\t');
    let mut words = prefix.split(is_separator).filter(|word| !word.is_empty());
    let (word, second, third) = (words.next()?, words.next(), words.next());
    let is_bracketed = |word: &[u8]| word.starts_with(b"[") && word.ends_with(b"]");
    // `ValueError: 2026-01-05 10:00:00` belongs to a stack trace.
    let label = word.strip_suffix(b":").filter(|_| prefix.ends_with(b" "));
    let is_label = label.is_some_and(|name| !name.iter().all(u8::is_ascii_uppercase));
    let is_tabbed = prefix.ends_with(b"\t");
    let is_prefix = second.is_none_or(is_bracketed) && third.is_none() && !is_label;
    (is_prefix || is_tabbed).then_some(found)
}

/// Finds `05-Jan-2026 10:00:00` or `05 Jan 2026 10:00:00`.
fn day_month(line: &[u8], start: usize) -> Option<FoundTime> {
    let text = line.get(start..)?;
    let separator = *text.get(2).filter(|byte| matches!(byte, b'-' | b' '))?;
    let is_date = text.get(6) == Some(&separator) && text.get(11) == Some(&b' ');
    let date = (number(text, 7, 4)?, month(&text[3..])?, number(text, 0, 2)?);
    let (time, length) = is_date.then(|| Timestamp::on_day(date, text.get(12..)?))??;
    Some(FoundTime { at: start..start + 12 + length, time, has_year: true })
}

/// Finds `05/Jan/2026:10:00:00 +0100`.
fn common_log(line: &[u8], start: usize) -> Option<FoundTime> {
    let text = line.get(start..)?;
    let is_date =
        text.get(2) == Some(&b'/') && text.get(6) == Some(&b'/') && text.get(11) == Some(&b':');
    if !is_date {
        return None;
    }
    let date = (number(text, 7, 4)?, month(&text[3..])?, number(text, 0, 2)?);
    let (time, length) = Timestamp::on_day(date, &text[12..])?;
    Some(FoundTime { at: start..start + 12 + length, time, has_year: true })
}

/// Finds `[Mon Jan 05 10:00:00.123456 2026]`.
fn ctime(line: &[u8]) -> Option<FoundTime> {
    let text = line.strip_prefix(b"[")?;
    let has_day = text.len() > 4 && text[..3].is_ascii() && text[3] == b' ';
    let found = has_day.then(|| month_name(line, 5))??;
    found.has_year.then_some(FoundTime { at: 1..found.at.end, ..found })
}

/// Finds `Jan  5 10:00:00`, `Jan 05 2026 10:00:00` or `Jan  5 10:00:00 2026`.
fn month_name(line: &[u8], start: usize) -> Option<FoundTime> {
    let text = line.get(start..)?;
    let month = month(text)?;
    let blank = usize::from(text.get(4) == Some(&b' '));
    let mut at = 4 + blank;
    let width = text.get(at..)?.iter().take(2).take_while(|byte| byte.is_ascii_digit()).count();
    let day = number(text, at, width).filter(|_| text[3] == b' ' && width > 0)?;
    at += width;
    let year_before = number(text, at + 1, 4).filter(|_| text.get(at + 5) == Some(&b' '));
    at += if year_before.is_some() { 6 } else { 1 };
    if text.get(at - 1) != Some(&b' ') {
        return None;
    }
    let on_day = |year| Timestamp::on_day((year, month, day), text.get(at..)?);
    let (time, length) = on_day(year_before.unwrap_or(LEAP_YEAR))?;
    let end = at + length;
    let ends = !text.get(end + 5).is_some_and(u8::is_ascii_alphanumeric);
    let year_after =
        number(text, end + 1, 4).filter(|_| year_before.is_none() && text[end] == b' ' && ends);
    let (time, end) = match year_after {
        Some(year) => (on_day(year)?.0, end + 5),
        None => (time, end),
    };
    let has_year = year_before.is_some() || year_after.is_some();
    Some(FoundTime { at: start..start + end, time, has_year })
}

/// A year that has all days, for dates of which the year is not known.
const LEAP_YEAR: i64 = 1972;

fn without_year(
    line: &[u8],
    start: usize,
    (month, day): (i64, i64),
    at: usize,
) -> Option<FoundTime> {
    let time = line.get(at..)?.strip_prefix(b" ")?;
    let (time, length) = Timestamp::on_day((LEAP_YEAR, month, day), time)?;
    Some(FoundTime { at: start..at + 1 + length, time, has_year: false })
}

/// Returns the number of the month whose name begins a text.
fn month(text: &[u8]) -> Option<i64> {
    const MONTHS: &[u8; 36] = b"JanFebMarAprMayJunJulAugSepOctNovDec";
    let at = MONTHS.chunks(3).position(|name| text.starts_with(name))?;
    Some(at as i64 + 1)
}

/// Returns the number in `<34>` at the start of a line, and the offset after it.
pub(super) fn priority(line: &[u8]) -> Option<(i64, usize)> {
    let rest = line.strip_prefix(b"<")?;
    let digits = rest.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    let value = number(rest, 0, digits).filter(|&value| digits > 0 && value < 192)?;
    (rest.get(digits) == Some(&b'>')).then_some((value, digits + 2))
}

/// Returns the range of the value of a key in `key=value key="a value"`.
pub(super) fn field(line: &[u8], key: &str) -> Option<Range<usize>> {
    // A line of such a log begins with a key.
    let name =
        line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_.-@".contains(byte));
    if line.get(name.count()) != Some(&b'=') {
        return None;
    }
    let mut at = 0;
    while at < line.len() {
        let equals = at + memchr::memchr(b'=', &line[at..])?;
        let name = &line[at..equals];
        let name =
            &name[name.iter().rposition(|&byte| byte == b' ').map_or(0, |blank| blank + 1)..];
        let start = equals + 1;
        let (value, end) = if line.get(start) == Some(&b'"') {
            let length = crate::sections::quoted_length(&line[start..], b'"', false)?;
            (start + 1..start + 1 + length, start + length + 2)
        } else {
            let length = memchr::memchr(b' ', &line[start..]).unwrap_or(line.len() - start);
            (start..start + length, start + length)
        };
        if name == key.as_bytes() {
            return Some(value);
        }
        at = end;
    }
    None
}

/// The keys of times in JSON objects.
const MEMBERS: [&str; 9] =
    ["time", "timestamp", "ts", "@timestamp", "t", "@t", "asctime", "datetime", "eventTime"];

/// Returns the range of the value of the first of these keys in a JSON object, without quotes.
pub(super) fn member(line: &[u8], keys: &[&str]) -> Option<Range<usize>> {
    let blanks = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    if line.get(blanks) != Some(&b'{') {
        return None;
    }
    let string = |at: usize| crate::sections::quoted_length(&line[at..], b'"', false);
    let (mut at, mut depth, mut best) = (blanks + 1, 1, None::<(usize, Range<usize>)>);
    while at < line.len() && depth > 0 {
        match line[at] {
            b'"' => {
                let length = string(at)?;
                let name = &line[at + 1..at + 1 + length];
                at += length + 2;
                let skip = |from: usize| {
                    from + line[from..].iter().take_while(|byte| byte.is_ascii_whitespace()).count()
                };
                let colon = skip(at);
                if depth > 1 || line.get(colon) != Some(&b':') {
                    continue;
                }
                at = skip(colon + 1);
                let rank = keys.iter().position(|key| key.as_bytes() == name);
                let Some(rank) =
                    rank.filter(|&rank| best.as_ref().is_none_or(|(best, _)| rank < *best))
                else {
                    continue;
                };
                let value = match line.get(at)? {
                    b'"' => at + 1..at + 1 + string(at)?,
                    // MongoDB writes `{"$date":"2026-01-05T10:00:00Z"}`.
                    b'{' => match member(&line[at..], &["$date"]) {
                        Some(date) => at + date.start..at + date.end,
                        None => continue,
                    },
                    _ => {
                        at..at + line[at..].iter().take_while(|byte| !b",} ".contains(byte)).count()
                    }
                };
                best = Some((rank, value));
            }
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                depth -= 1;
                at += 1;
            }
            _ => at += 1,
        }
    }
    best.map(|(_, value)| value)
}

/// Parses a value that is a date with a time, or a number of seconds or milliseconds since 1970.
fn written(line: &[u8], value: Range<usize>) -> Option<FoundTime> {
    if let Some(found) = iso(&line[..value.end], value.start) {
        return found.time.has_time().then_some(found);
    }
    let text = &line[value.clone()];
    let whole = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (whole, rest) = text.split_at(whole);
    let digits = rest.strip_prefix(b".").unwrap_or_default();
    let is_fraction =
        rest.is_empty() || (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit));
    let count = number(whole, 0, whole.len())?;
    let (seconds, nanoseconds) = match whole.len() {
        9 | 10 => {
            let padded = digits.iter().chain(&[b'0'; 9]).take(9);
            (count, padded.fold(0, |sum, byte| sum * 10 + u32::from(byte - b'0')))
        }
        13 => (count / 1000, (count % 1000) as u32 * 1_000_000),
        _ => return None,
    };
    is_fraction.then(|| FoundTime {
        at: value,
        time: Timestamp::from_epoch(seconds, nanoseconds),
        has_year: true,
    })
}
