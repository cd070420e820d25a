//! INI files as trees of keys: the keys before the first section, and a mapping for each section
//! marker.
//!
//! The name of a section is its marker without brackets. Sections and keys may be repeated. All
//! values are strings. A key without a separator is null. Comments and other lines are not data.
//! The only mistake is an unresolved merge conflict: programs read INI files in different ways, so
//! other lines are skipped.

use std::ops::Range;

use folio_text::ini_dialect::IniDialect;
use folio_text::lines::without_end;
use folio_text::sections::{self, IniParser, KeyParts, LineKind, OpenValue};

use super::tree::{Builder, Bytes, Fault, Form, Kind, Syntax, Tree};

/// Parses an INI file.
///
/// # Errors
///
/// Fails if the text is too long for a tree.
pub(super) fn parse(dialect: IniDialect, text: &str) -> Result<Tree, Fault> {
    parse_lines(dialect, text, IniParser::new(dialect))
}

/// Parses a text that consists of entries.
///
/// # Errors
///
/// Fails if the text is too long for a tree.
pub(super) fn parse_entries(dialect: IniDialect, text: &str) -> Result<Tree, Fault> {
    parse_lines(dialect, text, IniParser::of_entries(dialect))
}

fn parse_lines(dialect: IniDialect, text: &str, mut parser: IniParser) -> Result<Tree, Fault> {
    let mut builder = Builder::new(Syntax::Ini(dialect), text)?;
    let all = Bytes::new(0, text.len());
    let root = builder.add(0, Bytes::default(), all, Kind::Mapping, Form::Block);
    builder.open(root)?;
    let mut reader = IniReader { text, dialect, builder, key: None, is_in_section: false };
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + without_end(line.as_bytes()).len();
        match parser.line(&text.as_bytes()[start..end]) {
            LineKind::Marker(at) => reader.open_section(start, at)?,
            LineKind::Key(parts) => {
                reader.close_key();
                reader.key = Some(KeyLines { start, end, parts });
            }
            LineKind::Value => {
                if let Some(key) = &mut reader.key {
                    key.end = end;
                }
            }
            LineKind::Blank | LineKind::Comment(_) | LineKind::Other => {}
        }
        start += line.len();
    }
    reader.close_key();
    reader.close_section(text.len());
    reader.builder.close(text.len());
    Ok(reader.builder.finish())
}

/// Adds sections and keys to a tree.
struct IniReader<'t> {
    text: &'t str,
    dialect: IniDialect,
    builder: Builder,
    /// The last key, whose value may continue.
    key: Option<KeyLines>,
    is_in_section: bool,
}

/// The lines of a key and its value.
struct KeyLines {
    /// The offset of the first line.
    start: usize,
    /// The end of the last line, without its line ending.
    end: usize,
    /// The parts of the first line.
    parts: KeyParts,
}

impl IniReader<'_> {
    /// Adds a section whose marker is at a range of the line that begins at `line`. Its value is
    /// the text up to the next marker.
    fn open_section(&mut self, line: usize, marker: Range<usize>) -> Result<(), Fault> {
        self.close_key();
        self.close_section(line);
        let (start, end) = (line + marker.start, line + marker.end);
        let bracket = usize::from(!self.dialect.is_markup());
        let inner = &self.text[start + bracket..end - bracket];
        let name = inner.trim();
        let name_start = start + bracket + inner.len() - inner.trim_start().len();
        let key = Bytes::new(name_start, name_start + name.len());
        let body = Bytes::new(end, end);
        // A headline of Org begins before its name.
        let start = if self.dialect.is_markup() { line } else { start };
        let index = self.builder.add(start, key, body, Kind::Mapping, Form::Block);
        self.builder.name(index, name);
        self.is_in_section = true;
        self.builder.open(index)
    }

    fn close_section(&mut self, end: usize) {
        if std::mem::take(&mut self.is_in_section) {
            self.builder.close(end);
        }
    }

    fn close_key(&mut self) {
        let Some(KeyLines { start, end, parts }) = self.key.take() else { return };
        let lines = &self.text[start..end];
        let value = value_range(lines, &parts);
        let key = Bytes::new(start + parts.name.start, start + parts.name.end);
        let is_bare = key_parts(self.dialect, first_line(lines)).is_none();
        let kind = if is_bare { Kind::Null } else { Kind::String };
        let value_bytes = Bytes::new(start + value.start, start + value.end);
        let index = self.builder.add(start + parts.indent, key, value_bytes, kind, Form::Scalar);
        self.builder.name(index, &lines[parts.name.clone()]);
        if !is_bare {
            self.builder.text(index, &value_text(self.dialect, lines, value, &parts));
        }
    }
}

/// Returns the first line of some lines, without its line ending.
pub(super) fn first_line(lines: &str) -> &str {
    let first = lines.split_inclusive('\n').next().unwrap_or_default();
    &first[..without_end(first.as_bytes()).len()]
}

/// Returns the parts of a line with a separator, without its line ending.
pub(super) fn key_parts(dialect: IniDialect, line: &str) -> Option<KeyParts> {
    match sections::ini_line(line.as_bytes(), dialect) {
        LineKind::Key(parts) => Some(parts),
        _ => None,
    }
}

/// Whether the value of a line is in quotes that are not part of it. Those of git are part of the
/// source of a value, which may have several quoted parts.
pub(super) fn is_in_quotes(line: &str, parts: &KeyParts) -> bool {
    parts.value.start > parts.name.end && line[..parts.value.start].ends_with(['"', '\''])
}

/// Returns the range of a value in its lines, with its quotes. Between the lines of a value, there
/// may be comments.
fn value_range(lines: &str, parts: &KeyParts) -> Range<usize> {
    let first = first_line(lines);
    let quotes = usize::from(is_in_quotes(first, parts));
    let start = parts.value.start - quotes;
    if first.len() < lines.len() { start..lines.len() } else { start..parts.value.end + quotes }
}

/// Returns the text of a value. Its lines are joined with line feeds, or without them if the value
/// continues after a backslash.
fn value_text(dialect: IniDialect, lines: &str, value: Range<usize>, parts: &KeyParts) -> String {
    let first = first_line(lines);
    if first.len() == lines.len() {
        return decoded(dialect, &lines[parts.value.clone()]);
    }
    if dialect == IniDialect::Git {
        return decoded(dialect, &lines[value]);
    }
    let mut joined = trim(&first[value.start..]).to_owned();
    let mut before = first;
    for line in further_lines(dialect, lines) {
        if sections::ends_in_continuation(before.as_bytes(), dialect) {
            joined.pop();
        } else {
            joined.push('\n');
        }
        joined.push_str(trim(line));
        before = line;
    }
    joined
}

/// Removes ASCII whitespace from the ends of a text. Other whitespace is part of a value.
fn trim(text: &str) -> &str {
    text.trim_matches(|character: char| character.is_ascii_whitespace())
}

/// Returns the text of a value of one line, or of git.
pub(super) fn decoded(dialect: IniDialect, source: &str) -> String {
    String::from_utf8_lossy(&dialect.decoded(source.as_bytes())).into_owned()
}

/// Returns the lines of a key after its first line, without comments between them.
fn further_lines(dialect: IniDialect, lines: &str) -> Vec<&str> {
    let mut before = first_line(lines);
    let mut found = Vec::new();
    for line in lines.split_inclusive('\n').skip(1).map(first_line) {
        let is_comment =
            matches!(sections::ini_line(line.as_bytes(), dialect), LineKind::Comment(_));
        let is_continued = sections::ends_in_continuation(before.as_bytes(), dialect);
        if !is_comment || is_continued && dialect != IniDialect::Systemd {
            found.push(line);
            before = line;
        }
    }
    found
}

impl Tree {
    /// Whether the value of a key of INI continues on the lines below it by the rules of TOML, such
    /// as an array that spans several lines. INI does not support this, so the end of the value is
    /// unknown.
    pub fn is_open(&self, index: usize) -> bool {
        let node = self.node(index);
        let Some(dialect) = self.ini_dialect().filter(|_| node.kind == Kind::String) else {
            return false;
        };
        if dialect.is_markup() {
            return false;
        }
        let start = self.start_of_line(node.start as usize);
        let lines = &self.text[start..self.end_of_line(self.span(index).end)];
        let first = &first_line(lines)[node.value.start as usize - start..];
        let mut open = OpenValue::after_first_line(first.as_bytes());
        if open.is_open() {
            further_lines(dialect, lines).iter().for_each(|line| open.line(line.as_bytes()));
        }
        open.is_open()
    }

    /// Returns the line on which the value of a key of INI may continue after blank lines or
    /// comments, as in files of Python.
    pub fn may_continue(&self, index: usize) -> Option<u64> {
        let dialect = self.ini_dialect().filter(|_| !self.node(index).kind.is_container())?;
        if dialect.is_markup() {
            return None;
        }
        let kind = |line: u64| sections::ini_line(self.ini_line(line).as_bytes(), dialect);
        let is_between = |line: u64| matches!(kind(line), LineKind::Blank | LineKind::Comment(_));
        let end = self.lines(index).end();
        let start = self.line_start(end + 1);
        let total = if start < self.text.len() { self.line_of(self.text.len() - 1) } else { end };
        let below =
            (end + 1..=total).find(|&line| !is_between(line)).filter(|&line| line > end + 1)?;
        let line = self.ini_line(below);
        // Other programs read an indented key as a key.
        let is_text = matches!(kind(below), LineKind::Other | LineKind::Key(_))
            && (dialect == IniDialect::Indented || !line.contains(['=', ':']));
        let margin = self.indent_of(self.node(index).start as usize);
        (sections::indent(line.as_bytes()) > margin && is_text).then_some(below)
    }

    /// Returns a line without its line ending.
    fn ini_line(&self, line: u64) -> &str {
        first_line(&self.text[self.line_start(line)..self.line_start(line + 1)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Describes the entries of a document: sections by their names, and keys by their paths.
    fn describe_entries(dialect: IniDialect, text: &str) -> Vec<String> {
        let tree = parse(dialect, text).expect("a document");
        let entry = |index: usize| {
            let name = tree.name(index).expect("a name");
            let lines = tree.lines(index);
            let at = format!("{}-{}", lines.start(), lines.end());
            match tree.node(index).kind {
                Kind::Mapping => format!("{at} [{name}]"),
                Kind::Null => format!("{at} {name}"),
                _ => format!("{at} {name}={}", tree.scalar(index)),
            }
        };
        (1..tree.nodes.len()).map(entry).collect()
    }

    #[track_caller]
    fn check(dialect: IniDialect, text: &str, expected: &[&str]) {
        for ending in ["\n", "\r\n"] {
            assert_eq!(describe_entries(dialect, &text.replace('\n', ending)), expected, "{text}");
        }
    }

    #[test]
    fn sections_and_keys_are_entries() {
        let text =
            "root = 1\n\n[a]\nk = v\n   more\nl: w \\\nz = 1\n# c\n# d\n[b]\n[a] ; x\nk=2\nbare\n";
        let expected = [
            "1-1 root=1",
            "3-9 [a]",
            "4-5 k=v\nmore",
            "6-7 l=w z = 1",
            "10-10 [b]",
            "11-13 [a]",
            "12-12 k=2",
            "13-13 bare",
        ];
        check(IniDialect::Indented, text, &expected);
        check(IniDialect::Indented, "", &[]);
        check(IniDialect::Indented, "not a key\n# c\n", &[]);
        check(IniDialect::Unknown, "[ remote \"o\" ]\nurl =", &["1-2 [remote \"o\"]", "2-2 url="]);
    }

    #[test]
    fn quotes_belong_to_the_source_of_a_value() {
        let tree = parse(IniDialect::Indented, "a = \"x ; y\" ; c\nb = 'z' w\n").expect("keys");
        assert_eq!([tree.written(1), tree.scalar(1)], ["\"x ; y\"", "x ; y"]);
        assert_eq!([tree.written(2), tree.scalar(2)], ["'z' w"; 2]);
        check(IniDialect::Python, "a = \"x\" # c\n", &["1-1 a=\"x\" # c"]);
        check(IniDialect::Git, "[a]\nx = \"b;c\" d#e\n", &["1-2 [a]", "2-2 x=b;c d"]);
        check(IniDialect::Npm, "\"q\"=1 ; c\n", &["1-1 \"q\"=1"]);
    }

    #[test]
    fn comments_between_lines_are_not_part_of_a_value() {
        let unit = "[S]\nE=/bin/sh \\\n# not this\n  -d\n";
        check(IniDialect::Systemd, unit, &["1-4 [S]", "2-4 E=/bin/sh -d"]);
        let python = "[o]\nreq = a # x\n    b\n\n    # note\n    c ; y\nn = 1\n";
        check(IniDialect::Python, python, &["1-7 [o]", "2-6 req=a # x\nb\n\nc ; y", "7-7 n=1"]);
        check(IniDialect::Git, "[a]\nk = \"b\\n\" \\\n  c\n", &["1-3 [a]", "2-3 k=b\n   c"]);
        check(IniDialect::Indented, "z\n  more\n", &["1-1 z", "2-2 more"]);
    }

    #[test]
    fn values_of_toml_are_open() {
        let open = |text: &str| {
            let tree = parse(IniDialect::Indented, text).expect("keys");
            (1..tree.nodes.len()).map(|index| tree.is_open(index)).collect::<Vec<_>>()
        };
        assert_eq!(open("x = 1\nl = [\n  1,\n]\ny = 2\n"), [false, true, false]);
        assert_eq!(open("l = [\n  1\n  ]\nq = \"[\"\nb\n"), [false; 3]);
        assert_eq!(open("y = \"\"\"\nz\n\"\"\"\n"), [true, false]);
    }

    #[test]
    fn a_value_may_continue_after_a_blank_line() {
        let line = |dialect, text: &str| parse(dialect, text).expect("keys").may_continue(2);
        let text = "[a]\nl = one\n  two\n\n  three\n";
        assert_eq!(line(IniDialect::Indented, text), Some(5));
        assert_eq!(line(IniDialect::Python, text), None);
        assert_eq!(line(IniDialect::Indented, "[a]\n\tl = one\n\n\tthree\n"), None);
        let key = "[a]\nl = one\n\n  # c\n\n  two: 2\n";
        assert_eq!(line(IniDialect::Indented, key), Some(6));
        assert_eq!(line(IniDialect::Unknown, key), None);
        assert_eq!(line(IniDialect::Unknown, "[a]\nl = 1\n\n"), None);
    }
}
