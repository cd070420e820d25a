//! Recognizes the entries of logs: which lines begin an entry, when it was written, and how severe
//! it is. The table of kinds has a row for each kind of log.
//!
//! The kind is decided once for a log, from its first lines. This module parses no messages, and
//! never guesses the order of day and month.

use std::ops::Range;

use crate::sections::{bracketed, is_log_entry};
use crate::timestamp::{Timestamp, number};

/// A kind of log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogKind {
    /// Entries begin with `[LOG-`.
    #[default]
    Marked,
    /// The first lines decide nothing: lines that begin with a date or with `[LOG-` begin entries.
    Undecided,
    /// Access log of a web server, in the common or the combined format.
    Access,
    /// Error log of Apache.
    ApacheError,
    /// Error log of nginx.
    NginxError,
    /// Lines of Docker with `--timestamps`.
    Docker,
    /// Rust's `tracing`.
    Tracing,
    /// Python's `logging`.
    Python,
    /// Java's logback, log4j and Tomcat.
    Java,
    /// `journalctl -o short-iso`, and syslog daemons with dates of RFC 3339.
    Journal,
    /// Syslog with the dates of RFC 5424.
    Syslog5424,
    /// Syslog with the dates of RFC 3164, and `journalctl -o short`.
    Syslog,
    /// Go's `log`.
    Go,
    /// Any log whose lines begin with a date such as `2026-01-05`.
    Dated,
    /// Kubernetes and glog.
    Klog,
    /// Android's `logcat`.
    Logcat,
    /// Spark, and other programs with years of two digits, as in `17/06/09 20:10:40`.
    Spark,
    /// Lines of `key=value`, with the key `time`, `ts`, `timestamp` or `t`.
    Logfmt,
    /// A JSON object per line, with the key `time`, `timestamp`, `ts` or `@timestamp`.
    Json,
}

/// How severe an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Trace.
    Trace,
    /// Debug.
    Debug,
    /// Information, notices.
    Info,
    /// Warnings.
    Warn,
    /// Errors.
    Error,
    /// Critical and fatal errors, alerts, emergencies.
    Fatal,
}

/// Where the time of an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimePlace {
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
    /// After a letter for the level: `I0105 10:00:00.123`.
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

/// Where the level of an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LevelPlace {
    Nowhere,
    /// One of the first words after the time.
    Word,
    /// The number before the time of a syslog entry.
    Priority,
    /// The first letter of the line.
    Letter,
    /// The fifth word, a letter.
    FifthWord,
    /// The value of `level=` or `lvl=`.
    Field,
    /// The value of `"level":` or `"severity":`.
    Member,
}

/// The properties of a kind.
struct Row {
    kind: LogKind,
    name: &'static str,
    time: TimePlace,
    level: LevelPlace,
    /// The pattern of lines that begin an entry, to show to users.
    pattern: &'static str,
    /// Whether the text before and after a time is typical of the kind. Kinds with the same place
    /// of the time differ only in this.
    is_typical: fn(before: &[u8], time: &[u8], after: &[u8]) -> bool,
}

const DATE: &str = r"^\S?\d{4}[-/]\d\d[-/]\d\d";

/// The kinds with times. Of kinds with the same place of the time, the more specific are first.
const ROWS: &[Row] = {
    use LevelPlace as L;
    use LogKind as K;
    use TimePlace as T;
    const fn row(kind: K, name: &'static str, time: T, level: L, pattern: &'static str) -> Row {
        Row { kind, name, time, level, pattern, is_typical: |_, _, _| true }
    }
    const fn typical(row: Row, is_typical: fn(&[u8], &[u8], &[u8]) -> bool) -> Row {
        Row { is_typical, ..row }
    }
    &[
        row(K::Access, "access", T::Brackets, L::Nowhere, r"^\S+ .*\[\d\d/[A-Z][a-z]{2}/\d{4}:"),
        row(
            K::ApacheError,
            "apache",
            T::CTime,
            L::Word,
            r"^\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d ",
        ),
        typical(row(K::NginxError, "nginx", T::Start, L::Word, DATE), is_nginx),
        typical(row(K::Docker, "docker", T::Start, L::Word, DATE), is_docker),
        typical(
            row(K::Tracing, "tracing", T::Indented, L::Word, r"^\s*\d{4}-\d\d-\d\dT"),
            is_tracing,
        ),
        typical(row(K::Python, "python", T::Start, L::Word, DATE), is_python),
        typical(row(K::Java, "java", T::Start, L::Word, DATE), is_java),
        typical(row(K::Journal, "journal", T::Start, L::Nowhere, DATE), is_journal),
        row(K::Syslog5424, "syslog", T::Priority, L::Priority, r"^<\d{1,3}>1 "),
        row(K::Syslog, "syslog", T::Month, L::Priority, r"^(<\d{1,3}>)?[A-Z][a-z]{2} [ \d]\d "),
        typical(row(K::Go, "go", T::Start, L::Word, DATE), |_, time, _| time.get(4) == Some(&b'/')),
        row(K::Dated, "dated", T::Start, L::Word, DATE),
        row(K::Undecided, "dated", T::Start, L::Word, DATE),
        row(K::Klog, "klog", T::Letter, L::Letter, r"^[IWEF]\d{4} \d\d:"),
        row(K::Logcat, "logcat", T::MonthDay, L::FifthWord, r"^\d\d-\d\d \d\d:\d\d:"),
        row(K::Spark, "spark", T::ShortYear, L::Word, r"^\d\d/\d\d/\d\d \d\d:"),
        row(K::Logfmt, "logfmt", T::Field, L::Field, r"\b(time|ts|timestamp|t)="),
        row(K::Json, "json", T::Member, L::Member, r"^\{"),
    ]
};

static MARKED: Row = Row {
    kind: LogKind::Marked,
    name: "",
    time: TimePlace::Nowhere,
    level: LevelPlace::Nowhere,
    pattern: r"^\[LOG-",
    is_typical: |_, _, _| true,
};

/// The number of lines that decide which kind a log is.
const FIRST_LINES: usize = 100;

impl LogKind {
    fn row(self) -> &'static Row {
        ROWS.iter().find(|row| row.kind == self).unwrap_or(&MARKED)
    }

    /// Returns the name, for messages. Empty if the entries have no times.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the pattern of lines that begin entries. It is only an approximation, to show to
    /// users.
    pub fn pattern(self) -> &'static str {
        self.row().pattern
    }

    /// Whether entries begin with a time. This is unknown if the first lines decide nothing.
    pub fn is_timed(self) -> bool {
        !matches!(self, Self::Marked | Self::Undecided)
    }

    /// Determines the kind of a log from its beginning: the kind of which most of the first lines
    /// begin an entry.
    pub fn of_log(head: &[u8]) -> Self {
        Census::take(head).kind()
    }

    /// Returns the kind of a text of which nothing says that it is a log. Most of its lines must
    /// begin with a date and a time.
    pub fn of_text(head: &[u8]) -> Option<Self> {
        let census = Census::take(head);
        let is_log =
            census.begins_with_entry && census.times > 1 && census.times * 2 > census.lines;
        // Objects in JSON are trees of keys.
        let kind = census.kind();
        (is_log && kind != Self::Json && kind.is_timed()).then_some(kind)
    }

    /// Whether a line begins an entry. The line has no line ending.
    #[inline]
    pub fn begins_entry(self, line: &[u8]) -> bool {
        match self {
            Self::Marked => is_log_entry(line),
            Self::Undecided if is_log_entry(line) => true,
            _ => self.row().time.find(line).is_some(),
        }
    }

    /// Returns the time of the entry that a line begins. If it has no year, this is the last year
    /// in which the time is not later than `latest`, in seconds since 1970, by more than a day.
    pub fn time(self, line: &[u8], latest: i64) -> Option<Timestamp> {
        let found = match self {
            Self::Marked => return Timestamp::find(line),
            _ => self.row().time.find(line)?,
        };
        Some(if found.has_year { found.time } else { found.time.in_last_year(latest) })
    }

    /// Returns the text that identifies an entry: its time, or its `[…]`.
    pub fn marker(self, line: &[u8]) -> Option<&[u8]> {
        match self {
            Self::Marked => bracketed(line),
            _ => Some(&line[self.row().time.find(line)?.at]),
        }
    }

    /// Returns the level of the entry that a line begins.
    pub fn level(self, line: &[u8]) -> Option<LogLevel> {
        let row = self.row();
        let word = match row.level {
            LevelPlace::Nowhere => None,
            LevelPlace::Word => {
                let after = &line[row.time.find(line)?.at.end..];
                return level_word(after);
            }
            LevelPlace::Priority => {
                let (number, _) = priority(line)?;
                return Some(match number % 8 {
                    0..=2 => LogLevel::Fatal,
                    3 => LogLevel::Error,
                    4 => LogLevel::Warn,
                    5 | 6 => LogLevel::Info,
                    _ => LogLevel::Debug,
                });
            }
            LevelPlace::Letter => line.get(..1),
            LevelPlace::FifthWord => {
                let mut words = line.split(u8::is_ascii_whitespace).filter(|it| !it.is_empty());
                words.nth(4)
            }
            LevelPlace::Field => ["level", "lvl", "severity"]
                .iter()
                .find_map(|key| field(line, key))
                .map(|at| &line[at]),
            LevelPlace::Member => {
                member(line, &["level", "severity", "levelname", "lvl"]).map(|at| &line[at])
            }
        };
        LogLevel::named(word?)
    }
}

impl LogLevel {
    /// Returns the level with a name. Ignores case. Letters are the levels of klog and logcat, and
    /// numbers those of Bunyan and Pino.
    pub fn named(name: &[u8]) -> Option<Self> {
        let is =
            |names: &[&str]| names.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(name));
        [
            (Self::Trace, &["trace", "finest", "finer", "verbose", "v", "10", "trc", "vrb"][..]),
            (Self::Debug, &["debug", "fine", "config", "d", "dbg", "20"]),
            (Self::Info, &["info", "information", "notice", "i", "inf", "30"]),
            (Self::Warn, &["warn", "warning", "w", "wrn", "40"]),
            (Self::Error, &["error", "err", "severe", "e", "50"]),
            (
                Self::Fatal,
                &[
                    "fatal",
                    "critical",
                    "crit",
                    "alert",
                    "emerg",
                    "emergency",
                    "panic",
                    "dpanic",
                    "f",
                    "ftl",
                    "60",
                ],
            ),
        ]
        .into_iter()
        .find_map(|(level, names)| is(names).then_some(level))
    }
}

/// A time in a line.
struct FoundTime {
    at: Range<usize>,
    time: Timestamp,
    has_year: bool,
}

impl TimePlace {
    fn find(self, line: &[u8]) -> Option<FoundTime> {
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
            Self::Letter => {
                line.first().filter(|byte| b"IWEF".contains(byte))?;
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
            Self::Member => {
                written(line, member(line, &["time", "timestamp", "ts", "@timestamp", "t"])?)
            }
        }
    }
}

/// Returns the offset after escape sequences that set colors.
fn after_colors(line: &[u8], mut at: usize) -> usize {
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
fn priority(line: &[u8]) -> Option<(i64, usize)> {
    let rest = line.strip_prefix(b"<")?;
    let digits = rest.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    let value = number(rest, 0, digits).filter(|&value| digits > 0 && value < 192)?;
    (rest.get(digits) == Some(&b'>')).then_some((value, digits + 2))
}

/// Returns the range of the value of a key in `key=value key="a value"`.
fn field(line: &[u8], key: &str) -> Option<Range<usize>> {
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

/// Returns the range of the value of the first of these keys in a JSON object, without quotes.
fn member(line: &[u8], keys: &[&str]) -> Option<Range<usize>> {
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

/// The number of words after a time of which one may be the level.
const LEVEL_WORDS: usize = 12;

/// Returns the level among the first words of a text: in capitals, in brackets, or the first word
/// with a colon.
fn level_word(text: &[u8]) -> Option<LogLevel> {
    let text = &text[..text.len().min(256)];
    let (mut at, mut count) = (0, 0);
    while count < LEVEL_WORDS {
        at = after_colors(text, at);
        let byte = *text.get(at)?;
        if !byte.is_ascii_alphabetic() {
            at += 1;
            continue;
        }
        let word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let length = text[at..].iter().take_while(word).count();
        let (name, next) = (&text[at..at + length], text.get(at + length));
        let before = text[..at].last();
        // `[core:error]` has a module before the level.
        let is_bracketed =
            matches!(before, Some(b'[' | b':' | b'<')) && matches!(next, Some(b']' | b'>'));
        let is_label = count == 0 && matches!(next, Some(b':' | b'\t' | b'|'));
        let is_written = name.iter().all(u8::is_ascii_uppercase) || is_bracketed || is_label;
        if length > 1 || is_bracketed {
            let level =
                LogLevel::named(name).filter(|_| is_written && !matches!(next, Some(b'.' | b'/')));
            if level.is_some() {
                return level;
            }
        }
        count += 1;
        at += length;
    }
    None
}

fn is_nginx(_: &[u8], time: &[u8], after: &[u8]) -> bool {
    let is_bracketed = after
        .strip_prefix(b" [")
        .is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_lowercase));
    time.get(4) == Some(&b'/') && is_bracketed
}

fn is_docker(before: &[u8], time: &[u8], after: &[u8]) -> bool {
    // Nanoseconds, even if the last digits are zeros.
    before.is_empty()
        && time.len() == 30
        && time.ends_with(b"Z")
        && time[10] == b'T'
        && after.first() == Some(&b' ')
}

fn is_tracing(_: &[u8], time: &[u8], after: &[u8]) -> bool {
    let mut plain = Vec::new();
    let mut at = 0;
    while at < after.len() {
        at = after_colors(after, at);
        plain.extend(after.get(at));
        at += 1;
    }
    let mut words = plain.split(|&byte| byte == b' ').filter(|word| !word.is_empty());
    let is_level =
        |word: &[u8]| word.iter().all(u8::is_ascii_uppercase) && LogLevel::named(word).is_some();
    // A span or a target follows the level.
    let is_source = |word: &[u8]| word.ends_with(b":") || word.contains(&b'{');
    let has_form = time.get(10) == Some(&b'T') && time.ends_with(b"Z");
    has_form && words.next().is_some_and(is_level) && words.next().is_some_and(is_source)
}

fn is_python(_: &[u8], _: &[u8], after: &[u8]) -> bool {
    let mut fields = after.split(|&byte| byte == b'-').map(<[u8]>::trim_ascii);
    let is_separated = after.starts_with(b" - ");
    let level = |field: Option<&[u8]>| {
        field.is_some_and(|name| name.len() > 1 && LogLevel::named(name).is_some())
    };
    is_separated && (level(fields.clone().nth(2)) || level(fields.nth(3)))
}

fn is_java(_: &[u8], time: &[u8], after: &[u8]) -> bool {
    let is_level = |name: &[u8]| LogLevel::named(name.trim_ascii()).is_some();
    let has_thread = bracketed(after).is_some_and(|name| !is_level(&name[1..name.len() - 1]));
    let has_comma = memchr::memchr(b',', time).is_some();
    level_word(after).is_some() && (has_thread || has_comma)
}

fn is_journal(_: &[u8], _: &[u8], after: &[u8]) -> bool {
    // `host unit[1]: message`.
    let mut words = after.split(|&byte| byte == b' ').filter(|word| !word.is_empty());
    let is_host = words.next().is_some_and(|word| {
        word.iter().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(byte))
    });
    let is_unit = |word: &[u8]| {
        word.ends_with(b"]:")
            || (word.ends_with(b":") && word.first().is_some_and(u8::is_ascii_alphabetic))
    };
    is_host
        && words.next().is_some_and(is_unit)
        && after.first() == Some(&b' ')
        && level_word(after).is_none()
}

/// How many of the first lines are of each kind.
struct Census {
    /// For each row, the number of lines that are typical of it and of no row before it.
    counts: [usize; ROWS.len()],
    lines: usize,
    /// The number of lines with a date and a time.
    times: usize,
    has_marks: bool,
    begins_with_entry: bool,
}

impl Census {
    fn take(head: &[u8]) -> Self {
        let mut census = Self {
            counts: [0; ROWS.len()],
            lines: 0,
            times: 0,
            has_marks: is_log_entry(head) || memchr::memmem::find(head, b"\n[LOG-").is_some(),
            begins_with_entry: false,
        };
        let lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end);
        for line in lines.filter(|line| !line.is_empty()).take(FIRST_LINES) {
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

    /// Returns the kind of the most lines. Kinds with the same place of the time count together.
    fn kind(&self) -> LogKind {
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

impl TimePlace {
    fn is_same_family(self, other: Self) -> bool {
        let family = |place| if place == Self::Indented { Self::Start } else { place };
        family(self) == family(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-07-01 00:00.
    const LATEST: i64 = 1_782_864_000;

    /// Lines of each kind: the name, the line, its time in seconds since 1970 and its level.
    const LINES: &[(&str, &str, &str, Option<LogLevel>)] = {
        use LogLevel::{Debug, Error, Fatal, Info, Trace, Warn};
        &[
            (
                "access",
                r#"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326"#,
                "2000-10-10 13:55:36 -0700",
                None,
            ),
            (
                "access",
                r#"a.com:80 ::1 - "b [c" [05/Jan/2026:10:00:00 +0000] "GET / HTTP/2.0" 404 1 "-" "curl""#,
                "2026-01-05 10:00:00 +0000",
                None,
            ),
            (
                "apache",
                "[Fri Sep 09 10:42:29.902022 2011] [core:error] [pid 35708:tid 4328636416] x",
                "2011-09-09 10:42:29.902022",
                Some(Error),
            ),
            (
                "apache",
                "[Sun Dec 04 04:47:44 2005] [notice] workerEnv.init() ok",
                "2005-12-04 04:47:44",
                Some(Info),
            ),
            (
                "nginx",
                "2026/01/05 10:00:00 [crit] 1234#0: *5 connect() failed",
                "2026-01-05 10:00:00",
                Some(Fatal),
            ),
            (
                "docker",
                "2026-01-05T10:00:00.123456700Z WARN low disk",
                "2026-01-05T10:00:00.1234567Z",
                Some(Warn),
            ),
            (
                "tracing",
                "2026-01-05T10:00:00.123456Z  INFO app::db: connected",
                "2026-01-05T10:00:00.123456Z",
                Some(Info),
            ),
            (
                "tracing",
                "  2026-01-05T10:00:00.123456Z TRACE app{id=1}: x",
                "2026-01-05T10:00:00.123456Z",
                Some(Trace),
            ),
            (
                "tracing",
                "\x1b[2m2026-01-05T10:00:00.1Z\x1b[0m \x1b[33m WARN\x1b[0m \x1b[2mapp\x1b[0m\x1b[2m:\x1b[0m x",
                "2026-01-05T10:00:00.1Z",
                Some(Warn),
            ),
            (
                "python",
                "2026-01-05 10:00:00,123 - app.db - CRITICAL - x",
                "2026-01-05 10:00:00.123",
                Some(Fatal),
            ),
            (
                "java",
                "2026-01-05 10:00:00,123 [main] ERROR c.e.App - x",
                "2026-01-05 10:00:00.123",
                Some(Error),
            ),
            (
                "java",
                "2015-07-29 17:41:44,747 - INFO  [QuorumPeer] - x",
                "2015-07-29 17:41:44.747",
                Some(Info),
            ),
            (
                "journal",
                "2026-01-05T10:00:00+0100 host sshd[12]: x",
                "2026-01-05T10:00:00+01:00",
                None,
            ),
            (
                "syslog",
                "<34>1 2003-10-11T22:14:15.003Z host su - ID47 - x",
                "2003-10-11T22:14:15.003Z",
                Some(Fatal),
            ),
            ("syslog", "<13>Oct 11 22:14:15 host su: x", "2025-10-11 22:14:15", Some(Info)),
            ("syslog", "Jan  5 10:00:00 host unit[1]: x", "2026-01-05 10:00:00", None),
            ("syslog", "Jan 05 2024 10:00:00 host unit[1]: x", "2024-01-05 10:00:00", None),
            ("syslog", "Jul  2 00:00:01 host x: tomorrow", "2025-07-02 00:00:01", None),
            ("syslog", "Jul  1 23:00:00 host x: within a day", "2026-07-01 23:00:00", None),
            ("syslog", "Feb 29 10:00:00 host x: leap", "2024-02-29 10:00:00", None),
            ("go", "2026/01/05 10:00:00.000001 main.go:12: x", "2026-01-05 10:00:00.000001", None),
            ("go", "2026/01/05 10:00:00 INFO hello", "2026-01-05 10:00:00", Some(Info)),
            ("dated", "[2026-01-05 10:00] ERROR x", "2026-01-05 10:00", Some(Error)),
            ("dated", "2026-01-05T10:00:00Z\twarn\tx", "2026-01-05T10:00:00Z", Some(Warn)),
            ("dated", "2026-01-05 x", "2026-01-05", None),
            (
                "klog",
                "E0105 10:00:00.123456   12 a.go:1] x",
                "2026-01-05 10:00:00.123456",
                Some(Error),
            ),
            (
                "logcat",
                "03-17 16:13:38.811  1702  2395 D Window: x",
                "2026-03-17 16:13:38.811",
                Some(Debug),
            ),
            ("spark", "17/06/09 20:10:40 INFO spark.A: x", "2017-06-09 20:10:40", Some(Info)),
            (
                "logfmt",
                r#"time="2026-01-05T10:00:00Z" level=warning msg="a level=error b""#,
                "2026-01-05T10:00:00Z",
                Some(Warn),
            ),
            (
                "logfmt",
                "level=info ts=1767607200.5 caller=a.go:1",
                "2026-01-05T10:00:00.5Z",
                Some(Info),
            ),
            (
                "json",
                r#"{"level":50,"a":{"time":"x"},"time":1767607200500,"msg":"\"time\":"}"#,
                "2026-01-05T10:00:00.5Z",
                Some(Error),
            ),
            (
                "json",
                r#"{"@timestamp": "2026-01-05T10:00:00Z", "severity": "WARN"}"#,
                "2026-01-05T10:00:00Z",
                Some(Warn),
            ),
        ]
    };

    #[test]
    fn lines_of_each_kind_begin_entries() {
        for &(name, line, time, level) in LINES {
            let kind = LogKind::of_log(line.as_bytes());
            assert_eq!(kind.name(), name, "{line}");
            assert!(kind.begins_entry(line.as_bytes()), "{line}");
            let found = kind.time(line.as_bytes(), LATEST).expect("a time");
            let expected = Timestamp::parse(time).expect("a time");
            assert_eq!(
                (found.sort_key(), found.offset()),
                (expected.sort_key(), expected.offset()),
                "{line}"
            );
            assert_eq!(kind.level(line.as_bytes()), level, "{line}");
            let pattern = crate::pattern::Pattern::new(kind.pattern(), Default::default())
                .expect("a pattern");
            assert!(pattern.is_match(line.as_bytes()) || line.starts_with('\x1b'), "{line}");
        }
    }

    #[test]
    fn other_lines_continue_entries() {
        let others = [
            "",
            "\tat org.example.Main(Main.java:1)",
            "    2026-01-05 10:00 indented",
            "Caused by: x",
            "January 5 10:00:00",
            "Jan 32 10:00:00",
            "Jan 5 25:00:00",
            "[Mon] x",
            "[Mon Jan 05",
            "I1305 10:00:00 x",
            "INFO:root:x",
            "<34>1 x",
            "<999>Jan 5 10:00:00",
            "{\"time\"",
            "{\"a\":\"time\"}",
            "{\"time\":12}",
            "a=b time",
            "a=\"b",
            "time=",
            "=",
            "é",
            "\x1b[",
            "\x1b[2m",
            "2026-01-05_10:00",
            "17/06/09",
            "03-17",
            "a [b] c",
        ];
        for kind in ROWS.iter().map(|row| row.kind).chain([LogKind::Marked]) {
            for line in others {
                assert!(!kind.begins_entry(line.as_bytes()), "{kind:?} {line}");
                assert_eq!(
                    kind.time(line.as_bytes(), LATEST).filter(|_| kind != LogKind::Marked),
                    None
                );
            }
        }
    }

    #[test]
    fn the_most_frequent_kind_is_the_kind_of_a_log() {
        let kind = |head: &str| LogKind::of_log(head.as_bytes()).name();
        assert_eq!(kind("-- Boot --\nJan 05 10:00:00 h u: x\n"), "syslog");
        let java = "2026-01-05 10:00:00,1 [main] ERROR x\n\tat a\n\tat b\n";
        assert_eq!(kind(&format!("2026-01-05 starts\n{java}{java}")), "java");
        assert_eq!(kind("[LOG-1] x\n2026-01-05 10:00 x\n2026-01-05 10:00 y\n"), "");
        assert_eq!(LogKind::of_log(b"nothing\n"), LogKind::Undecided);
        for line in [&b"2026-01-05 x"[..], b"[LOG-1] x"] {
            assert!(LogKind::Undecided.begins_entry(line));
        }
        let header = "nothing\n".repeat(FIRST_LINES);
        assert_eq!(LogKind::of_log(format!("{header}[LOG-1] x\n").as_bytes()), LogKind::Marked);
    }

    #[test]
    fn a_text_is_a_log_only_if_most_lines_begin_with_a_time() {
        let kind = |head: &str| LogKind::of_text(head.as_bytes()).map(LogKind::name);
        let line = "2026-01-05 10:00 x\n";
        assert_eq!(kind(line), None);
        assert_eq!(kind(&line.repeat(2)), Some("dated"));
        assert_eq!(kind(&format!("Notes\n{}", line.repeat(9))), None);
        assert_eq!(kind(&format!("{line}a\n{line}b\n")), None);
        assert_eq!(kind("2026-01-05 Version 2\n2026-01-04 Version 1\n"), None);
        assert_eq!(kind("{\"time\":1767607200}\n{\"time\":1767607200}\n"), None);
    }
}
