//! Parses a command line with quotes, as bash passes it. Quotes completed words so that they
//! continue the typed text.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use super::question::Line;

/// The kind of quotes around a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quotes {
    None,
    Single,
    Double,
}

/// The words of a line without their quotes, and the state at the end of the line.
struct Words {
    words: Vec<Vec<u8>>,
    /// Whether the last word continues at the end of the line.
    open: bool,
    quotes: Quotes,
    /// Byte offset at which the last word begins.
    start: usize,
}

/// Creates a line from the text before and after the cursor.
pub(super) fn line(before: &[u8], after: &[u8]) -> Line {
    let mut words = read(before, Quotes::None);
    let current = if words.open { words.words.pop() } else { None };
    // The rest of the word at the cursor is not a separate word.
    let rest = after_word(after, words.quotes, words.open);
    let os = |words: Vec<Vec<u8>>| words.into_iter().map(OsString::from_vec).collect();
    Line {
        before: os(words.words),
        current: OsString::from_vec(current.unwrap_or_default()),
        after: os(read(rest, Quotes::None).words),
    }
}

/// Determines how the word at the cursor begins. bash replaces `typed`, the end of the line.
/// Returns the part of the word before `typed`, unquoted, and the quotes that are open at the end
/// of that part.
pub(super) fn word_beginning(before: &[u8], typed: &[u8]) -> (Vec<u8>, Quotes) {
    let words = read(before, Quotes::None);
    let raw = if words.open { &before[words.start..] } else { &[] };
    let kept = raw.strip_suffix(typed).unwrap_or_default();
    let mut kept = read(kept, Quotes::None);
    (kept.words.pop().unwrap_or_default(), kept.quotes)
}

fn read(line: &[u8], quotes: Quotes) -> Words {
    let mut found = Words { words: Vec::new(), open: false, quotes, start: 0 };
    let mut at = 0;
    while let Some(&byte) = line.get(at) {
        let next = line.get(at + 1).copied();
        let is_gap = found.quotes == Quotes::None && is_gap(byte);
        if !is_gap && !found.open {
            found.words.push(Vec::new());
            (found.open, found.start) = (true, at);
        }
        let mut take = None;
        match (found.quotes, byte) {
            _ if is_gap => found.open = false,
            (Quotes::None, b'\'') => found.quotes = Quotes::Single,
            (Quotes::None, b'"') => found.quotes = Quotes::Double,
            (Quotes::Single, b'\'') | (Quotes::Double, b'"') => found.quotes = Quotes::None,
            (Quotes::None, b'\\') => {
                take = next;
                at += 1;
            }
            (Quotes::Double, b'\\') if next.is_some_and(|next| b"\\\"$`".contains(&next)) => {
                take = next;
                at += 1;
            }
            (_, byte) => take = Some(byte),
        }
        if let (Some(byte), Some(word)) = (take, found.words.last_mut()) {
            word.push(byte);
        }
        at += 1;
    }
    found
}

fn is_gap(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"|&;<>()".contains(&byte)
}

/// Returns the text after the end of the word at the cursor. `rest` is the text after the cursor.
fn after_word(rest: &[u8], mut quotes: Quotes, open: bool) -> &[u8] {
    if !open {
        return rest;
    }
    let closes = match quotes {
        Quotes::None => None,
        Quotes::Single => memchr::memchr(b'\'', rest),
        Quotes::Double => memchr::memchr(b'"', rest),
    };
    // If no closing quote follows, the word ends at the next blank.
    let mut at = closes.map_or(0, |at| at + 1);
    quotes = Quotes::None;
    while let Some(&byte) = rest.get(at) {
        match (quotes, byte) {
            (Quotes::None, byte) if is_gap(byte) => break,
            (Quotes::None, b'\\') => at += 1,
            (Quotes::None, b'\'') => quotes = Quotes::Single,
            (Quotes::None, b'"') => quotes = Quotes::Double,
            (Quotes::Single, b'\'') | (Quotes::Double, b'"') => quotes = Quotes::None,
            _ => {}
        }
        at += 1;
    }
    rest.get(at..).unwrap_or_default()
}

/// Quotes `text` to continue inside `quotes`, which remain open.
pub(super) fn quoted(text: &str, quotes: Quotes) -> String {
    let mut quoted = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut is_first = true;
    while let Some(character) = characters.next() {
        let begins = std::mem::take(&mut is_first);
        match (quotes, character) {
            (Quotes::Single, '\'') => quoted.push_str(r"'\''"),
            // Inside double quotes, bash does not remove a backslash before `!`.
            (Quotes::Double, '!') if characters.peek().is_some() => quoted.push_str("\"'!'\""),
            (Quotes::Double, '\\' | '"' | '$' | '`') => {
                quoted.push('\\');
                quoted.push(character);
            }
            // These characters are special only at the beginning of a word.
            (Quotes::None, '#' | '~') if !begins => quoted.push(character),
            (Quotes::None, character)
                if character.is_ascii()
                    && !character.is_ascii_alphanumeric()
                    && !"_@%+=:,./-".contains(character) =>
            {
                quoted.push('\\');
                quoted.push(character);
            }
            (_, character) => quoted.push(character),
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line_of: &str, before: &[&str], current: &str, after: &[&str]) {
        let (start, end) = line_of.split_once('^').expect("a cursor");
        let line = line(start.as_bytes(), end.as_bytes());
        let words =
            |words: &[&str]| -> Vec<OsString> { words.iter().map(OsString::from).collect() };
        assert_eq!(
            (line.before, line.current, line.after),
            (words(before), current.into(), words(after)),
            "{line_of}"
        );
    }

    #[test]
    fn quotes_are_removed() {
        check("folio read a.md ^", &["folio", "read", "a.md"], "", &[]);
        check("f 'a b' \"c \\\" $d\" e\\ f g^", &["f", "a b", "c \" $d", "e f"], "g", &[]);
        check("f --section ^ a.md", &["f", "--section"], "", &["a.md"]);
        check("f --section In^stall a.md | less", &["f", "--section"], "In", &["a.md", "less"]);
        check("f --section 'In ^", &["f", "--section"], "In ", &[]);
        check("f --section 'In ^st' a.md", &["f", "--section"], "In ", &["a.md"]);
        check("f --section 'In^ a.md", &["f", "--section"], "In", &["a.md"]);
        check("f --section a\\^", &["f", "--section"], "a", &[]);
    }

    #[test]
    fn the_unreplaced_part_is_kept() {
        let check = |before: &str, typed: &str, kept: &str, quotes: Quotes| {
            let found = word_beginning(before.as_bytes(), typed.as_bytes());
            assert_eq!(found, (kept.as_bytes().to_vec(), quotes), "{before}");
        };
        check("f --section In", "In", "", Quotes::None);
        check("f --section ", "", "", Quotes::None);
        check("f --section=In", "In", "--section=", Quotes::None);
        check("f --section 'A B", "A B", "", Quotes::Single);
        check("f --section \"A: B", " B", "A:", Quotes::Double);
        check("f --section bash:1", "1", "bash:", Quotes::None);
    }

    #[test]
    fn words_are_quoted_like_their_beginning() {
        let check =
            |quotes, expected: &str| assert_eq!(quoted("a 'b' \"$c\"!é:", quotes), expected);
        check(Quotes::None, r#"a\ \'b\'\ \"\$c\"\!é:"#);
        check(Quotes::Single, r#"a '\''b'\'' "$c"!é:"#);
        check(Quotes::Double, "a 'b' \\\"\\$c\\\"\"'!'\"é:");
        assert_eq!(quoted("Hi!", Quotes::Double), "Hi!");
        assert_eq!(quoted("#a#b", Quotes::None), r"\#a#b");
    }
}
