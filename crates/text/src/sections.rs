//! Classifies the lines of INI files, logs and plain text: markers, keys, comments and log entries.
//! The outline computes the lines of each section.

use std::ops::Range;

use crate::asciidoc;
use crate::ini_dialect::IniDialect;
pub use crate::line_kinds::{KeyParts, LineKind, indent};
use crate::markup_keys::{MarkupLines, entry_line};

/// Comment markers in plain text, longest first.
const COMMENT_MARKS: [&str; 5] = ["//", "--", "#", ";", "%"];

/// Parses the lines of an INI file, including multi-line values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IniParser {
    dialect: IniDialect,
    /// The indentation, in columns, of the key whose value may continue. `None` if there is no such
    /// value.
    key_indent: Option<usize>,
    /// Whether the line of this key contains text of the value.
    has_text: bool,
    /// Whether the last line of the value ends in a backslash.
    continued: bool,
    /// The parser of a document in light markup.
    markup: Option<MarkupLines>,
}

impl IniParser {
    /// Creates the parser of one document.
    pub fn new(dialect: IniDialect) -> Self {
        Self { dialect, markup: MarkupLines::new(dialect), ..Self::default() }
    }

    /// Creates the parser of a text that consists of entries. In a document, the lines around an
    /// entry may decide what it is.
    pub fn of_entries(dialect: IniDialect) -> Self {
        Self { dialect, markup: MarkupLines::of_entries(dialect), ..Self::default() }
    }

    /// Returns the kind of the next line, which is given without its line ending. All lines must be
    /// passed in order.
    pub fn line(&mut self, line: &[u8]) -> LineKind {
        if let Some(markup) = &mut self.markup {
            return markup.line(line);
        }
        let kind = ini_line(line, self.dialect);
        let is_value = match &kind {
            LineKind::Blank => false,
            LineKind::Comment(_) if self.dialect == IniDialect::Systemd => return kind,
            LineKind::Comment(_) => self.continued,
            kind => self.continued || self.is_indented_value(line, kind),
        };
        self.continued = false;
        if is_value && self.key_indent.is_some() {
            self.continued = ends_in_continuation(line, self.dialect);
            return LineKind::Value;
        }
        match &kind {
            LineKind::Comment(_) => {}
            LineKind::Blank if self.dialect == IniDialect::Python => {}
            LineKind::Key(parts) => {
                self.key_indent = Some(parts.indent);
                self.has_text = !parts.value.is_empty();
                self.continued = ends_in_continuation(line, self.dialect);
            }
            _ => self.key_indent = None,
        }
        match kind {
            LineKind::Other => bare_key(line),
            kind => kind,
        }
    }

    /// Whether the indentation of a line makes it a part of the value above.
    fn is_indented_value(&self, line: &[u8], kind: &LineKind) -> bool {
        let is_deeper = self.key_indent.is_some_and(|key| indent(line) > key);
        let is_assignment = || match kind {
            LineKind::Key(parts) => line[parts.name.end..].trim_ascii_start().starts_with(b"="),
            _ => false,
        };
        match self.dialect {
            IniDialect::Indented | IniDialect::Python => is_deeper,
            IniDialect::Unknown => is_deeper && !(self.has_text && is_assignment()),
            _ => false,
        }
    }
}

/// Whether a backslash at the end of a line continues a value on the next line.
pub fn ends_in_continuation(line: &[u8], dialect: IniDialect) -> bool {
    match dialect {
        IniDialect::Line | IniDialect::Npm | IniDialect::Python => false,
        IniDialect::Org | IniDialect::Rst => false,
        IniDialect::AsciiDoc => asciidoc::is_continued(line),
        IniDialect::Git => is_continued(line) && git_comment(line).is_none(),
        _ => is_continued(line),
    }
}

/// Classifies a line as a key without a value, such as `skip-networking`: a single word, possibly
/// followed by a comment.
fn bare_key(line: &[u8]) -> LineKind {
    let indent = indent(line);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let end = indent + line[indent..].iter().take_while(|byte| is_name(byte)).count();
    let rest = &line[end..];
    let is_alone = match rest.trim_ascii_start().first() {
        None => true,
        Some(b'#' | b';') => rest[0].is_ascii_whitespace(),
        Some(_) => false,
    };
    let has_letter = line[indent..end].iter().any(u8::is_ascii_alphabetic);
    if is_alone && has_letter {
        LineKind::Key(KeyParts { name: indent..end, value: end..end, indent })
    } else {
        LineKind::Other
    }
}

/// Classifies a line of an INI file, given without its line ending.
pub fn ini_line(line: &[u8], dialect: IniDialect) -> LineKind {
    if dialect.is_markup() {
        return entry_line(line, dialect);
    }
    let indent = indent(line);
    let rest = line[indent..].trim_ascii_end();
    match rest.first() {
        None => LineKind::Blank,
        Some(b'#') => LineKind::Comment("#"),
        Some(b';') => LineKind::Comment(";"),
        Some(b'[') => match marker_length(rest, dialect) {
            Some(length) => LineKind::Marker(indent..indent + length),
            None => key_line(rest, indent, dialect),
        },
        Some(_) => key_line(rest, indent, dialect),
    }
}

/// Whether a value continues on the next line: the line ends in an unescaped backslash.
pub fn is_continued(line: &[u8]) -> bool {
    line.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

/// Returns the length of the marker `[…]`, if nothing but a comment follows it. In git's files, a
/// key may follow it.
fn marker_length(rest: &[u8], dialect: IniDialect) -> Option<usize> {
    let mut quoted = false;
    let mut close = None;
    for (at, &byte) in rest.iter().enumerate() {
        match byte {
            b'"' if quoted && is_continued(&rest[..at]) => {}
            b'"' => quoted = !quoted,
            b']' if !quoted && dialect == IniDialect::Git => {
                close = Some(at);
                break;
            }
            b']' if !quoted => close = Some(at),
            b'#' | b';' if close.is_some() => break,
            _ => {}
        }
    }
    let length = close? + 1;
    let trailing = rest[length..].trim_ascii();
    let is_complete =
        trailing.is_empty() || matches!(trailing[0], b'#' | b';') || dialect == IniDialect::Git;
    (length > 2 && is_complete).then_some(length)
}

/// Returns the marker of a section, given its name with or without brackets around it. Returns
/// `None` if brackets in the name are not paired, because programs would end the name at another
/// one.
pub fn marker_of(name: &[u8]) -> Option<Vec<u8>> {
    let name = name.trim_ascii();
    let are_paired = |text: &[u8]| {
        let (mut open, mut quoted) = (0i64, false);
        let is_pair = |&byte: &u8| {
            quoted ^= byte == b'"';
            open += match byte {
                b'[' if !quoted => 1,
                b']' if !quoted => -1,
                _ => 0,
            };
            open >= 0
        };
        text.iter().all(is_pair) && open == 0
    };
    let inner = name.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]"));
    let inner = inner.filter(|inner| are_paired(inner)).unwrap_or(name);
    (!inner.is_empty() && are_paired(inner)).then(|| [b"[", inner, b"]"].concat())
}

fn key_line(rest: &[u8], indent: usize, dialect: IniDialect) -> LineKind {
    let separator = match dialect {
        IniDialect::Python | IniDialect::Indented | IniDialect::Unknown => {
            memchr::memchr2(b'=', b':', rest)
        }
        _ => memchr::memchr(b'=', rest),
    };
    let Some(separator) = separator else { return LineKind::Other };
    let name = rest[..separator].trim_ascii_end();
    if name.is_empty() {
        return LineKind::Other;
    }
    let start = shell_name_offset(rest, separator);
    let value_text = &rest[separator + 1..];
    let value_start =
        indent + separator + 1 + (value_text.len() - value_text.trim_ascii_start().len());
    LineKind::Key(KeyParts {
        name: indent + start..indent + name.len(),
        value: value_range(rest, value_start - indent, indent, dialect),
        indent,
    })
}

/// Returns the offset of the name in a shell assignment, `export NAME=value`.
fn shell_name_offset(rest: &[u8], separator: usize) -> usize {
    let Some(after) = rest[..separator].strip_prefix(b"export ") else { return 0 };
    let name = after.trim_ascii_start();
    let is_part = |&byte: &u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_shell = rest[separator] == b'=' && !name.is_empty() && name.iter().all(is_part);
    if is_shell { separator - name.len() } else { 0 }
}

/// Returns the range of the value that begins at offset `from` of `rest`.
fn value_range(rest: &[u8], from: usize, indent: usize, dialect: IniDialect) -> Range<usize> {
    let (text, start) = (&rest[from..], indent + from);
    let comment = match dialect {
        IniDialect::Systemd
        | IniDialect::Line
        | IniDialect::Python
        | IniDialect::AsciiDoc
        | IniDialect::Org
        | IniDialect::Rst => return start..start + text.len(),
        IniDialect::Git => git_comment(text),
        IniDialect::Npm => memchr::memchr2(b'#', b';', text),
        IniDialect::Indented | IniDialect::Unknown => memchr::memchr2_iter(b'#', b';', text)
            .find(|&at| at == 0 || text[at - 1] == b' ' || text[at - 1] == b'\t'),
    };
    if let Some(&quote @ (b'"' | b'\'')) = text.first()
        && dialect != IniDialect::Git
        && let Some(length) = memchr::memchr(quote, &text[1..])
    {
        let after = text[length + 2..].trim_ascii_start();
        if after.is_empty() || after[0] == b'#' || after[0] == b';' {
            return start + 1..start + 1 + length;
        }
    }
    let end = text[..comment.unwrap_or(text.len())].trim_ascii_end().len();
    start..start + end
}

fn git_comment(line: &[u8]) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    line.iter().position(|&byte| {
        let is_comment = !quoted && !escaped && matches!(byte, b'#' | b';');
        quoted ^= byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        is_comment
    })
}

/// Tracks whether the value of a key continues on the next line by the rules of TOML, that is,
/// inside brackets or a multi-line string.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenValue {
    brackets: usize,
    /// The quote character of an open multi-line string.
    quote: Option<u8>,
}

impl OpenValue {
    /// Creates the state after the first line of a value. `value` is the text after the separator.
    pub fn after_first_line(value: &[u8]) -> Self {
        let mut open = Self::default();
        match value {
            [b'[' | b'{', ..] | [b'"', b'"', b'"', ..] | [b'\'', b'\'', b'\'', ..] => {
                open.line(value)
            }
            _ => {}
        }
        open
    }

    /// Updates the state with the text after a key, or with the next line of the value.
    pub fn line(&mut self, line: &[u8]) {
        let mut at = 0;
        while at < line.len() {
            let (byte, rest) = (line[at], &line[at..]);
            let is_triple = rest.starts_with(&[byte; 3]);
            at += match (self.quote, byte) {
                (Some(b'"'), b'\\') => 2,
                (Some(quote), _) if byte == quote && is_triple => {
                    self.quote = None;
                    // Up to two more quotes are part of the string.
                    3 + rest[3..].iter().take(2).take_while(|&&byte| byte == quote).count()
                }
                (Some(_), _) => 1,
                (None, b'#') => return,
                (None, b'"' | b'\'') if is_triple => {
                    self.quote = Some(byte);
                    3
                }
                (None, b'"' | b'\'') => match quoted_length(rest, byte, false) {
                    Some(length) => length + 2,
                    None => return,
                },
                (None, b'[' | b'{') => {
                    self.brackets += 1;
                    1
                }
                (None, b']' | b'}') if self.brackets == 1 => {
                    self.brackets = 0;
                    return;
                }
                (None, b']' | b'}') => {
                    self.brackets = self.brackets.saturating_sub(1);
                    1
                }
                _ => 1,
            }
        }
    }

    /// Whether the value continues on the next line.
    pub fn is_open(self) -> bool {
        self.brackets > 0 || self.quote.is_some()
    }
}

/// Returns the length of the quoted text at the start of `text`, which begins with the quote. An
/// escaped quote does not end the text. If `may_double` is set, neither does a doubled single
/// quote.
pub fn quoted_length(text: &[u8], quote: u8, may_double: bool) -> Option<usize> {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' if quote == b'"' => at += 1,
            byte if byte == quote => {
                let is_doubled = text.get(at + 1) == Some(&quote);
                if !may_double || quote == b'"' || !is_doubled {
                    return Some(at - 1);
                }
                at += 1;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Whether a line begins with `[LOG-`, so that it begins a log entry.
pub fn is_log_entry(line: &[u8]) -> bool {
    line.starts_with(b"[LOG-")
}

/// Returns the text of the first `[…]` in a line, including the brackets.
pub fn bracketed(line: &[u8]) -> Option<&[u8]> {
    let open = memchr::memchr(b'[', line)?;
    let close = memchr::memchr(b']', &line[open..])?;
    Some(&line[open..=open + close])
}

/// Returns the comment marker of a line of plain text, or `None` if the line is not a comment.
pub fn comment_mark(line: &[u8]) -> Option<&'static str> {
    let rest = line[indent(line)..].trim_ascii_end();
    let mark = COMMENT_MARKS.into_iter().find(|mark| rest.starts_with(mark.as_bytes()))?;
    // `---` and `%d` are not comments. `#`, `//` and `;` begin a comment even without a space after
    // them.
    match mark {
        "--" | "%" => {
            let after = rest.get(mark.len());
            after.is_none_or(|&byte| byte == b' ' || byte == b'\t').then_some(mark)
        }
        _ => Some(mark),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_alone_is_a_key_without_a_value() {
        let is_key = |line: &str| {
            matches!(IniParser::default().line(line.as_bytes()), LineKind::Key(parts)
                if parts.value.is_empty())
        };
        for line in ["skip-networking", "  bare ; why", "a.b_c\t# x"] {
            assert!(is_key(line), "{line}");
        }
        for line in ["two words", "}", "server {", "-", "12", "a;b", ""] {
            assert!(!is_key(line), "{line}");
        }
        // When the format of a document is detected, only keys with values count.
        assert_eq!(ini_line(b"word", IniDialect::default()), LineKind::Other);
    }

    #[test]
    fn values_continue_on_indented_lines_and_after_backslashes() {
        let kinds = |text: &str| -> String {
            let mut parser = IniParser::default();
            text.lines()
                .map(|line| match parser.line(line.as_bytes()) {
                    LineKind::Blank => '-',
                    LineKind::Comment(_) => '#',
                    LineKind::Marker(_) => '[',
                    LineKind::Key(_) => 'k',
                    LineKind::Value => 'v',
                    LineKind::Other => '?',
                })
                .collect()
        };
        assert_eq!(kinds("k = a\n  b\n  # c\n  d\nl = 1"), "kv#vk");
        assert_eq!(kinds("k = a \\\n# b\nl = 1"), "kvk");
        assert_eq!(kinds("k = a \\\n\nl = 1"), "k-k");
        assert_eq!(kinds("k = a\n    \n  b = 1"), "k-k");
        assert_eq!(kinds("[m]\n  a = 1\n  b = 1\nc d"), "[kk?");
    }

    #[test]
    fn the_dialect_determines_which_values_continue() {
        let kinds = |dialect, text: &str| -> String {
            let mut parser = IniParser::new(dialect);
            text.lines()
                .map(|line| match parser.line(line.as_bytes()) {
                    LineKind::Comment(_) => '#',
                    LineKind::Key(_) => 'k',
                    LineKind::Value => 'v',
                    _ => '?',
                })
                .collect()
        };
        let indented = "k = a\n  # b\n  l = c\n  d";
        assert_eq!(kinds(IniDialect::Indented, indented), "k#vv");
        assert_eq!(kinds(IniDialect::Unknown, indented), "k#kk");
        assert_eq!(kinds(IniDialect::Unknown, "k = a\n  b: c\n    d"), "kvv");
        assert_eq!(kinds(IniDialect::Unknown, "k =\n  a = b\n  c = d"), "kvv");
        assert_eq!(kinds(IniDialect::Python, indented), "k#vv");
        assert_eq!(kinds(IniDialect::Python, "k = a\n\n  b\n# c\n  d = e\n\nl = f"), "k?v#v?k");
        assert_eq!(kinds(IniDialect::Python, "k = a \\\nl = b"), "kk");
        for dialect in [IniDialect::Git, IniDialect::Systemd, IniDialect::Line] {
            assert_eq!(kinds(dialect, indented), "k#kk");
        }
        let after_backslashes = "k = a \\\n# b\nl = 1";
        assert_eq!(kinds(IniDialect::Git, after_backslashes), "kvk");
        assert_eq!(kinds(IniDialect::Systemd, after_backslashes), "k#v");
        assert_eq!(kinds(IniDialect::Line, after_backslashes), "k#k");
        assert_eq!(kinds(IniDialect::Git, "k = a # b \\\nl = 1"), "kk");
    }

    #[test]
    fn the_dialect_determines_which_values_contain_comments() {
        let value = |dialect, line: &str| match ini_line(line.as_bytes(), dialect) {
            LineKind::Key(parts) => line[parts.value].to_owned(),
            other => format!("{other:?}"),
        };
        for dialect in [IniDialect::Systemd, IniDialect::Line, IniDialect::Python] {
            assert_eq!(value(dialect, "k=/bin/sh -c \"a ; b\" # c "), "/bin/sh -c \"a ; b\" # c");
            assert_eq!(value(dialect, "k = \"a\" ; 'b'"), "\"a\" ; 'b'");
        }
        let git = |line| value(IniDialect::Git, line);
        assert_eq!(git("k = a#b"), "a");
        assert_eq!(git("k = a \";\" b;c"), "a \";\" b");
        assert_eq!(git("k = \"a;b\" # c"), "\"a;b\"");
        assert_eq!(git("k = a\\\"b # c"), "a\\\"b");
        assert_eq!(git("k = 'a'"), "'a'");
    }

    #[track_caller]
    fn check_key(line: &str, name: &str, value: &str) {
        match ini_line(line.as_bytes(), IniDialect::default()) {
            LineKind::Key(parts) => {
                assert_eq!((&line[parts.name], &line[parts.value]), (name, value))
            }
            other => assert_eq!(other, LineKind::Blank, "{line:?} holds no key"),
        }
    }

    #[test]
    fn keys_and_values_are_separated() {
        check_key("host = localhost", "host", "localhost");
        check_key("host: localhost", "host", "localhost");
        check_key("\tname=x  ; note", "name", "x");
        check_key("url = http://a/#b", "url", "http://a/#b");
        check_key("q = \"a ; b\" # note", "q", "a ; b");
        check_key("q = \"a\" b", "q", "\"a\" b");
        check_key("empty =", "empty", "");
        check_key("empty = # note", "empty", "");
        check_key("a.b = c = d", "a.b", "c = d");
        check_key("export B=2", "B", "2");
        check_key("  export  B_1=", "B_1", "");
        check_key("export dir = x", "export dir", "x");
        check_key("export a-b=2", "export a-b", "2");
        check_key("export B: 2", "export B", "2");
        check_key("export = 2", "export", "2");
        check_key("k = a# b", "k", "a# b");
        check_key("k = a#\tb", "k", "a#\tb");
        check_key("k = a\t; b", "k", "a");
    }

    #[test]
    fn brackets_in_the_name_of_a_section_are_paired() {
        let marker = |name: &str| {
            marker_of(name.as_bytes()).map(|marker| String::from_utf8_lossy(&marker).into_owned())
        };
        for (name, expected) in [
            ("a", "[a]"),
            (" [a] ", "[a]"),
            ("*.[ch]", "[*.[ch]]"),
            ("[*.[ch]]", "[*.[ch]]"),
            ("[ab].[ch]", "[[ab].[ch]]"),
            ("[remote \"a]b\"]", "[remote \"a]b\"]"),
        ] {
            assert_eq!(marker(name).as_deref(), Some(expected), "{name}");
        }
        assert_eq!(["", "[]", "a]b", "[a", "]a["].map(marker), [const { None }; 5]);
    }

    #[test]
    fn other_lines_are_classified() {
        assert_eq!(ini_line(b"[a]", IniDialect::default()), LineKind::Marker(0..3));
        assert_eq!(
            ini_line(b" [remote \"or]igin\"] ; x", IniDialect::default()),
            LineKind::Marker(1..19)
        );
        assert_eq!(ini_line(b"[*.{md,txt}]", IniDialect::default()), LineKind::Marker(0..12));
        assert_eq!(ini_line(b"[a#b] ; x]", IniDialect::default()), LineKind::Marker(0..5));
        assert_eq!(ini_line(b"[a] # x", IniDialect::default()), LineKind::Marker(0..3));
        for line in ["[]", "[a] x", "[a \"b]"] {
            assert_eq!(ini_line(line.as_bytes(), IniDialect::default()), LineKind::Other, "{line}");
        }
        assert_eq!(ini_line(b"; c", IniDialect::default()), LineKind::Comment(";"));
        assert_eq!(ini_line(b"  ", IniDialect::default()), LineKind::Blank);
        assert_eq!(ini_line(b"word", IniDialect::default()), LineKind::Other);
        assert_eq!(ini_line(b"= x", IniDialect::default()), LineKind::Other);
        assert!(is_continued(b"a \\") && !is_continued(b"a \\\\"));
    }

    #[test]
    fn comments_in_plain_text_are_recognized_by_their_marker() {
        assert_eq!(comment_mark(b"# x"), Some("#"));
        assert_eq!(comment_mark(b"  // x"), Some("//"));
        assert_eq!(comment_mark(b"-- x"), Some("--"));
        assert_eq!(comment_mark(b"----"), None);
        assert_eq!(comment_mark(b"x"), None);
    }

    #[test]
    fn values_of_toml_are_open_until_their_brackets_close() {
        let is_open = |value: &str| {
            let mut lines = value.split('\n');
            let mut open = OpenValue::after_first_line(lines.next().expect("a line").as_bytes());
            lines.for_each(|line| open.line(line.as_bytes()));
            open.is_open()
        };
        for value in
            ["[", "[ # ]", "[[1],", "[']'", "[\n  \"a]\",", "{ a = 1,", "\"\"\"a\nb", "'''"]
        {
            assert!(is_open(value), "{value}");
        }
        for value in ["[]", "[1] [", "[\n 1\n]", "x [", "\"[\"", "\"\"\"a\"\"\"", "'''\nb'''", ""] {
            assert!(!is_open(value), "{value}");
        }
    }

    #[test]
    fn log_entries_begin_their_line() {
        assert!(is_log_entry(b"[LOG-015] x") && !is_log_entry(b" [LOG-015]"));
        assert_eq!(bracketed(b"[LOG-015] - [x]"), Some(&b"[LOG-015]"[..]));
    }

    /// Describes the keys, values and markers of a text, separated by commas.
    #[track_caller]
    fn check_keys(dialect: IniDialect, text: &str, expected: &str) {
        let mut parser = IniParser::new(dialect);
        let mut found = Vec::new();
        for line in text.lines() {
            let part = |range: Range<usize>| line[range].to_owned();
            match parser.line(line.as_bytes()) {
                LineKind::Key(parts) => {
                    found.push(format!("{}={}", part(parts.name), part(parts.value)));
                }
                LineKind::Value => found.push(format!("+{}", line.trim())),
                LineKind::Marker(name) => found.push(format!("[{}]", part(name))),
                LineKind::Blank | LineKind::Comment(_) | LineKind::Other => {}
            }
        }
        assert_eq!(found.join(", "), expected, "{text}");
    }

    #[test]
    fn attributes_of_asciidoc_are_between_blocks() {
        let check = |text: &str, expected: &str| check_keys(IniDialect::AsciiDoc, text, expected);
        check(
            "// c\n:a: 1\n= T\nA. Writer <a@b.org>\nv1.0, 2026-01-05\n:toc:\n:b-c: x y \n\n:d: 2\n",
            "a=1, toc=, b-c=x y, d=2",
        );
        check("= T\n:!toc:\n:sectnums!:\n\n", "toc=, sectnums=");
        check("= T\n:d: one \\\ntwo \\\n  three\n:e: 5\n", "d=one \\, +two \\, +three, e=5");
        check(":d: one +\ntwo\n:e: 5\n", "d=one +, +two, e=5");
        check("text\n:a: 1\n\n* item\n:b: 2\n", "");
        check("----\n:a: 1\n----\n:b: 2\n\n|===\n:c: 3\n|===\n", "b=2");
        check("====\n:a: 1\n====\n\n[[id]]\n.Title\n:b: 2\n", "a=1, b=2");
        check("== T\n:a: 1\n\nT\n-\n:b: 2\nimage::x.png[]\n:c: 3\n", "a=1, b=2, c=3");
        check("ifdef::x[]\n:a: 1\nendif::[]\n:b: 2\n", "a=1, b=2");
        check(":a:b\n\n: c: d\n\n:e f: g\n", "");
    }

    #[test]
    fn keywords_and_properties_of_org_are_keys() {
        let check = |text: &str, expected: &str| check_keys(IniDialect::Org, text, expected);
        check(
            "#+TITLE: x y\n#+author:z\n\ntext\n#+NAME: t\n#+begin_src\n#+A: b\n#+end_src\n#+C: d\n",
            "TITLE=x y, author=z, C=d",
        );
        check(
            ":PROPERTIES:\n:ID: 1\n:END:\n#+title: t\n* TODO [#A] One :x:\nSCHEDULED: <2026-01-05>\n\
             :PROPERTIES:\n  :Effort: 1:00\n :K+: v\n:END:\n#+not: this\n:PROPERTIES:\n:no: 1\n:END:\n",
            "ID=1, title=t, [One], Effort=1:00, K+=v",
        );
        check("#+TODO: WAIT | OK\n* WAIT a\n* TODO b\n", "TODO=WAIT | OK, [a], [TODO b]");
        check("* a\n\n:PROPERTIES:\n:b: c\n:END:\n", "[a]");
        check("* a\ntext\n:PROPERTIES:\n:b: c\n:END:\n", "[a]");
    }

    #[test]
    fn only_the_first_fields_of_rst_are_keys() {
        let check = |text: &str, expected: &str| check_keys(IniDialect::Rst, text, expected);
        let fields =
            ":Author: A. B.\n:Long name: one\n   two\n\n   three\n:orphan:\n\ntext\n:c: d\n";
        let expected = "Author=A. B., Long name=one, +two, +three, orphan=";
        check(fields, expected);
        check(&format!("Title\n=====\n\n{fields}"), expected);
        check(&format!("=====\nTitle\n=====\n{fields}"), expected);
        check(
            &format!(".. comment\n   :a: b\n\n.. _label:\n\nTitle\n=====\n\n.. x\n{fields}"),
            expected,
        );
        check(".. note:: x\n\n:a: b\n", "");
        check("text\n\n:a: b\n", "");
        check("A\n=\n\nB\n-\n\n:a: b\n", "");
        check(":role:`x` text\n", "");
    }
}
