//! Decides which entries and headings meet the conditions on times and levels.

use std::path::Path;

use super::Conditions;
use crate::commands::shared_args::option_error;
use folio_files::env::Env;
use folio_files::error::{Error, Opt};
use folio_files::options::{LATER_THAN, SINCE, UNTIL};
use folio_text::logs::{LogKind, LogLevel};
use folio_text::time_bound::{Clock, TimeBound};
use folio_text::timestamp::Timestamp;

/// The conditions on times and levels, which may be relative to the current time.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryBounds {
    since: Option<TimeBound>,
    later_than: Option<TimeBound>,
    until: Option<TimeBound>,
    pub(super) level: Option<LogLevel>,
}

impl EntryBounds {
    /// Parses the bounds.
    ///
    /// # Errors
    ///
    /// Fails if one is not a time, or if the end is before the start.
    pub(super) fn new(conditions: &Conditions) -> Result<Self, Error> {
        let bound = |option: Opt, text: &Option<String>| {
            text.as_deref().map(|text| parse(option, text)).transpose()
        };
        let bounds = Self {
            since: bound(SINCE, &conditions.since)?,
            later_than: bound(LATER_THAN, &conditions.later_than)?,
            until: bound(UNTIL, &conditions.until)?,
            level: conditions.level_at_least.map(|level| level.level()),
        };
        for (start, option) in [(bounds.since, SINCE), (bounds.later_than, LATER_THAN)] {
            if let (Some(start), Some(until)) = (start, bounds.until)
                && until.is_before(start)
            {
                return Err(Error::usage(format!("{UNTIL} is before {option}")));
            }
        }
        Ok(bounds)
    }

    pub(super) fn has_times(&self) -> bool {
        [self.since, self.later_than, self.until].iter().any(Option::is_some)
    }

    /// Whether early entries do not meet the conditions.
    pub(super) fn has_start(&self) -> bool {
        self.since.is_some() || self.later_than.is_some()
    }

    /// Returns the bounds in the zone of a log. `first` is the first line of its first entry.
    pub(super) fn resolve(&self, kind: LogKind, first: &[u8], clock: &LogClock<'_>) -> EntryTimes {
        let offset = kind.time(first, clock.latest).and_then(|time| time.offset());
        let resolve = |bound: Option<TimeBound>| bound.map(|it| it.resolve(clock.clock, offset));
        EntryTimes {
            kind,
            latest: clock.latest,
            since: resolve(self.since),
            later_than: resolve(self.later_than),
            until: resolve(self.until),
            level: self.level,
        }
    }
}

fn parse(option: Opt, text: &str) -> Result<TimeBound, Error> {
    TimeBound::parse(text).ok_or_else(|| {
        let message = format!("'{text}' is not a time such as 2026-01-05, '2026-01-05 10:00', 10:00, yesterday, -2h or '1 hour ago'");
        option_error(option, Error::usage(message))
    })
}

/// What is needed to interpret the times of a log.
#[derive(Clone, Copy, Debug)]
pub struct LogClock<'a> {
    /// The current time.
    pub clock: &'a Clock,
    /// When the log was last changed, in seconds since 1970. Times without a year are not later.
    pub latest: i64,
}

/// Returns when a file was last changed, in seconds since 1970. For standard input, returns the
/// current time.
pub fn latest_time(path: &Path, env: &Env) -> i64 {
    match env.roots.status(path) {
        Ok(status) => status.identity.mtime.0,
        Err(_) => env.clock().now,
    }
}

/// The conditions on times and levels for one log.
pub(super) struct EntryTimes {
    kind: LogKind,
    latest: i64,
    since: Option<Timestamp>,
    later_than: Option<Timestamp>,
    until: Option<Timestamp>,
    level: Option<LogLevel>,
}

impl EntryTimes {
    /// Returns the time of an entry or heading with this name.
    pub(super) fn time(&self, name: &[u8]) -> Option<Timestamp> {
        // Entries that match custom patterns may contain a date elsewhere.
        self.kind.time(name, self.latest).or_else(|| Timestamp::find(name))
    }

    /// Whether an entry or heading with this time meets the conditions on times.
    pub(super) fn takes_time(&self, time: Option<Timestamp>) -> bool {
        time.is_some_and(|time| {
            !self.is_early(&time) && self.until.is_none_or(|until| time.is_until(&until))
        })
    }

    pub(super) fn is_early(&self, found: &Timestamp) -> bool {
        self.since.is_some_and(|since| !found.is_since(&since))
            || self.later_than.is_some_and(|time| found.is_until(&time))
    }

    /// Whether an entry meets the condition on levels.
    pub(super) fn takes_level(&self, name: &[u8]) -> bool {
        self.level.is_none_or(|least| self.kind.level(name) >= Some(least))
    }
}
