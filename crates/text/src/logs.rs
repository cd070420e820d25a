//! Recognizes the entries of logs: which lines begin an entry, when it was written, and how severe
//! it is. The table of kinds has a row for each kind of log.
//!
//! The kind is decided once for a log, from its first lines. This module parses no messages, and
//! never guesses the order of day and month.

use self::census::{Census, FIRST_LINES};
pub use self::level::LogLevel;
use self::level::level_word;
use self::place::{TimePlace, after_colors, field, member, priority};
use crate::sections::{bracketed, is_log_entry};
use crate::timestamp::Timestamp;

mod census;
mod level;
mod place;

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
    /// Other lines that begin with `[Mon Jan  5 10:00:00 2026]`, such as those of `dmesg -T`.
    CTime,
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
    /// Lines that begin with a date such as `05-Jan-2026`: Tomcat, PHP and Redis.
    DayMonth,
    /// Lines that begin with a word before a date: a level, the name of a container or a program.
    Prefixed,
    /// Kubernetes and glog.
    Klog,
    /// Android's `logcat`.
    Logcat,
    /// Spark, and other programs with years of two digits, as in `17/06/09 20:10:40`.
    Spark,
    /// Lines of `key=value`, with the key `time`, `ts`, `timestamp` or `t`.
    Logfmt,
    /// A JSON object per line, with a key for the time such as `time`, `ts` or `@timestamp`.
    Json,
}

/// Where the level of an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LevelPlace {
    Nowhere,
    /// One of the first words after the time.
    Word,
    /// The word before the time, or one of the first words after it.
    PrefixOrWord,
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

const CTIME: &str = r"^\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d ";

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
        typical(row(K::ApacheError, "apache", T::CTime, L::Word, CTIME), |_, _, after| {
            after.starts_with(b"] [")
        }),
        row(K::CTime, "dated", T::CTime, L::Word, CTIME),
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
        row(K::Klog, "klog", T::Letter, L::Letter, r"^[IWEF](\d{4}){1,2} \d\d:"),
        row(K::Logcat, "logcat", T::MonthDay, L::FifthWord, r"^\d\d-\d\d \d\d:\d\d:"),
        row(K::Spark, "spark", T::ShortYear, L::Word, r"^\d\d/\d\d/\d\d \d\d:"),
        row(K::Access, "access", T::Brackets, L::Nowhere, r"^\S+ .*\[\d\d/[A-Z][a-z]{2}/\d{4}:"),
        row(
            K::DayMonth,
            "dated",
            T::DayMonth,
            L::Word,
            r"^(\[|\d+:[A-Z] )?\d\d[- ][A-Z][a-z]{2}[- ]\d{4} ",
        ),
        row(K::Prefixed, "dated", T::AfterPrefix, L::PrefixOrWord, r"^\S.*\d{4}[-/]\d\d[-/]\d\d"),
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
        match Census::take(head, FIRST_LINES).kind() {
            // A long header may precede the first entry.
            Self::Undecided => Census::take(head, usize::MAX).kind(),
            kind => kind,
        }
    }

    /// Returns the kind of a text of which nothing says that it is a log. Most of its lines must
    /// begin with a date and a time.
    pub fn of_text(head: &[u8]) -> Option<Self> {
        let census = Census::take(head, FIRST_LINES);
        // Objects in JSON are trees of keys, and a word before a date may be part of a table.
        let is_other = |kind: &Self| matches!(kind, Self::Json | Self::Prefixed);
        census.kind_of_most().filter(|kind| census.begins_with_entry && !is_other(kind))
    }

    /// Returns the kind of a log to which a text belongs, if most of its lines begin an entry.
    pub fn of_most_lines(text: &[u8]) -> Option<Self> {
        Census::take(text, FIRST_LINES).kind_of_most()
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
            LevelPlace::PrefixOrWord => {
                let time = row.time.find(line)?.at;
                return level_word(&line[..time.start]).or_else(|| level_word(&line[time.end..]));
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
                let keys = ["level", "severity", "levelname", "lvl", "log.level", "@l", "s"];
                let found = member(line, &keys).map(|at| &line[at]);
                // Serilog omits the most frequent level.
                found.or_else(|| member(line, &["@t"]).map(|_| &b"info"[..]))
            }
        };
        LogLevel::named(word?)
    }
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

fn is_java(_: &[u8], _: &[u8], after: &[u8]) -> bool {
    let is_level = |name: &[u8]| LogLevel::named(name.trim_ascii()).is_some();
    let has_thread = bracketed(after).is_some_and(|name| {
        let name = &name[1..name.len() - 1];
        name.iter().any(u8::is_ascii_alphabetic) && !is_level(name)
    });
    let mut words = after.split(|byte| b" ()[]:".contains(byte));
    let has_class = words.any(|word| {
        let is_name = |name: &[u8]| name.first().is_some_and(u8::is_ascii_alphabetic);
        word.split(|&byte| byte == b'.').filter(|name| is_name(name)).count() > 2
    });
    level_word(after).is_some() && (has_thread || has_class)
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

#[cfg(test)]
mod tests;
