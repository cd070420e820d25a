//! How severe entries are: names of levels, and where they are in the text of an entry.

use super::place::after_colors;

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

impl LogLevel {
    /// Returns the level with a name. Ignores case. Letters are the levels of klog and logcat, and
    /// numbers those of Bunyan and Pino; `d1` to `d5` are levels of MongoDB.
    pub fn named(name: &[u8]) -> Option<Self> {
        let is =
            |names: &[&str]| names.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(name));
        [
            (Self::Trace, &["trace", "finest", "finer", "verbose", "v", "10", "trc", "vrb"][..]),
            (
                Self::Debug,
                &["debug", "fine", "config", "d", "dbg", "20", "d1", "d2", "d3", "d4", "d5"],
            ),
            (Self::Info, &["info", "information", "notice", "note", "i", "inf", "30"]),
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

/// The number of words after a time of which one may be the level.
const LEVEL_WORDS: usize = 12;

/// Returns the level among the first words of a text: in capitals, in brackets, or the first word
/// with a colon.
pub(super) fn level_word(text: &[u8]) -> Option<LogLevel> {
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
        let is_padded = text[at + length..].starts_with(b"  ");
        let is_label = count == 0 && (is_padded || matches!(next, Some(b':' | b'\t' | b'|')));
        let is_written = name.iter().all(u8::is_ascii_uppercase) || is_bracketed || is_label;
        // PostgreSQL.
        if name == b"LOG" && next == Some(&b':') {
            return Some(LogLevel::Info);
        }
        // `[W]` is a level, and `[w]` a name.
        if length > 1 || is_bracketed && byte.is_ascii_uppercase() {
            // `ERROR/MainProcess` has a process after the level.
            let is_path = next == Some(&b'.') || next == Some(&b'/') && count > 0;
            let level = LogLevel::named(name).filter(|_| is_written && !is_path);
            if level.is_some() {
                return level;
            }
        }
        count += 1;
        at += length;
    }
    None
}
