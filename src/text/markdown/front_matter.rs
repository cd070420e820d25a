//! Front matter: the block of metadata at the start of a document, with the lines and values of
//! its top-level keys. Nested keys are parsed only when they are requested by name.
//!
//! A document may also begin with a thematic break. Text after `---` is front matter if it is a
//! mapping followed by a closing delimiter.

mod toml;
mod value;
mod yaml;

use std::collections::HashSet;

use crate::text::lines::{Block, count_newlines, lines_with_ends, without_end};
use crate::text::sections::{OpenValue, indent};
use crate::text::span::LineRange;
pub use value::{FrontMatterFormat, Key};
use value::{key, value_span};
use yaml::Node;

/// Maximum length of front matter in bytes.
pub const MAX_LENGTH: usize = 1024 * 1024;

/// Front matter found at the top of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontMatter {
    /// Its lines, including the delimiters; the first is always 1.
    pub lines: LineRange,
    /// YAML or TOML.
    pub format: FrontMatterFormat,
    /// The top-level keys in order.
    pub keys: Vec<Key>,
    /// Its length in bytes, including the line ending of the last delimiter.
    pub length: usize,
    /// The first line of the value of `title`.
    pub title: Option<String>,
    /// The indentation of its keys, in columns.
    pub indent: usize,
    /// Whether it is a flow mapping, `{title: x}`, whose keys have no lines of their own.
    pub is_flow: bool,
    /// Its text up to the last delimiter, if keys were requested.
    text: Vec<u8>,
}

/// The place at which a missing key can be inserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewKey {
    /// Its name, preceded by the names of the missing keys around it.
    pub names: Vec<String>,
    /// The line after which to insert it.
    pub after: u64,
    /// Its indentation.
    pub indent: usize,
    /// Whether the key around it is a flow mapping.
    pub in_flow: bool,
    /// The name of the TOML table to begin before it.
    pub table: Vec<String>,
}

/// The result of looking for front matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// The document begins with front matter.
    Found(FrontMatter),
    /// It does not, as these first bytes show.
    Absent(usize),
    /// It does if a later line closes it.
    Open,
}

/// Finds front matter at the start of a complete document, without its byte order mark.
pub fn find(text: &[u8]) -> Option<FrontMatter> {
    match search(text, true, true) {
        Search::Found(found) => Some(found),
        Search::Absent(_) | Search::Open => None,
    }
}

/// Finds front matter at the start of `text`, with or without its keys. `is_all` says that
/// `text` is the whole document.
pub fn search(text: &[u8], is_all: bool, with_keys: bool) -> Search {
    let mut lines = lines_with_ends(&text[..text.len().min(MAX_LENGTH)]);
    let first = lines.next().unwrap_or_default();
    let Some(format) = FrontMatterFormat::opened_by(first) else {
        return Search::Absent(first.len());
    };
    let mut reader = Reader::new(format, with_keys);
    let mut at = first.len();
    for (line, number) in lines.zip(2u64..) {
        let end = at + line.len();
        if format.is_closed_by(line) {
            let found = reader.finish(&text[..at], number, end);
            return found.map_or(Search::Absent(end), Search::Found);
        }
        if !reader.line(without_end(line), at, number) {
            return Search::Absent(end);
        }
        at = end;
    }
    if is_all || text.len() >= MAX_LENGTH { Search::Absent(MAX_LENGTH) } else { Search::Open }
}

/// Parses the lines between the delimiters.
struct Reader {
    format: FrontMatterFormat,
    with_keys: bool,
    keys: Vec<Key>,
    /// The offset of the line of the last key, and of its value within that line.
    key_at: usize,
    value_at: usize,
    /// The first line that is neither blank nor a comment.
    first: Option<First>,
    /// Whether blank lines or comments precede it.
    has_blank: bool,
    has_comment: bool,
    in_table: bool,
    /// The value of the last key, in TOML.
    open: OpenValue,
}

/// A place in a text, with its line.
#[derive(Default)]
struct Cursor {
    at: usize,
    /// The offset of the line.
    line: usize,
    /// The number of line endings before it.
    newlines: u64,
}

impl Cursor {
    fn advance(&mut self, text: &[u8], to: usize) {
        let passed = &text[self.at..to];
        self.newlines += count_newlines(passed);
        self.line = memchr::memrchr(b'\n', passed).map_or(self.line, |end| self.at + end + 1);
        self.at = to;
    }
}

#[derive(Clone, Copy)]
struct First {
    indent: usize,
    is_flow: bool,
}

impl Reader {
    fn new(format: FrontMatterFormat, with_keys: bool) -> Self {
        Self {
            format,
            with_keys,
            keys: Vec::new(),
            key_at: 0,
            value_at: 0,
            first: None,
            has_blank: false,
            has_comment: false,
            in_table: false,
            open: OpenValue::default(),
        }
    }

    /// Parses the line at offset `at`. Returns false if it cannot be part of a mapping.
    fn line(&mut self, line: &[u8], at: usize, number: u64) -> bool {
        let indent = indent(line);
        let rest = line[indent..].trim_ascii_end();
        let Some(first) = self.first else {
            self.has_blank |= rest.is_empty();
            self.has_comment |= rest.first() == Some(&b'#');
            if matches!(rest.first(), None | Some(b'#')) {
                return true;
            }
            return self.begins(line, at, number);
        };
        let is_deeper = indent > first.indent;
        let is_comment = rest.first() == Some(&b'#') && !is_deeper && !self.open.is_open();
        if first.is_flow || rest.is_empty() || is_comment {
            return true;
        }
        let is_toml = self.format == FrontMatterFormat::Toml;
        let goes_on = self.open.is_open();
        if goes_on {
            self.open.line(line);
        } else if is_toml {
            // Indentation is not significant in TOML.
            self.in_table |= rest[0] == b'[';
        } else if indent < first.indent {
            return false;
        }
        let may_begin = !goes_on && (is_toml || !is_deeper);
        if self.in_table || (may_begin && self.key(line, at, number)) {
            return true;
        }
        if let Some(key) = self.keys.last_mut() {
            // For a value of several lines, everything after the key.
            key.lines = LineRange::from_to(key.lines.start(), number);
            key.value = self.value_at..at + line.len() - self.key_at;
        }
        // This is not valid YAML. It is tolerated only if the text is unlikely to be ordinary text
        // below a thematic break.
        let is_stray = !is_toml && !is_deeper && !matches!(rest[0], b'-' | b']' | b'}');
        !is_stray || (first.indent == 0 && !self.has_blank)
    }

    /// Parses the first line that is neither blank nor a comment.
    fn begins(&mut self, line: &[u8], at: usize, number: u64) -> bool {
        let indent = indent(line);
        let is_yaml = self.format == FrontMatterFormat::Yaml;
        let is_flow = is_yaml && line[indent] == b'{';
        self.first = Some(First { indent, is_flow });
        self.in_table = !is_yaml && line[indent] == b'[';
        // A line that is indented this far after a blank line is code below a thematic break.
        let is_code =
            is_yaml && ((self.has_blank && indent >= 4) || line[..indent].contains(&b'\t'));
        !is_code && (is_flow || self.in_table || self.key(line, at, number))
    }

    /// Parses a line that begins with a key; returns false if it does not.
    fn key(&mut self, line: &[u8], at: usize, number: u64) -> bool {
        let indent = indent(line);
        let Some((name, after)) = key(&line[indent..], self.format) else { return false };
        if self.format == FrontMatterFormat::Toml {
            self.open.line(&line[indent + after..]);
        }
        if self.with_keys {
            let after = indent + after;
            let value = value_span(line, after, self.format);
            let lines = LineRange::line(number);
            self.keys.push(Key { name, lines, value, in_flow: false });
            self.key_at = at;
            self.value_at = after + usize::from(line.get(after) == Some(&b' '));
        }
        true
    }

    /// The front matter that ends with line `last` and is `length` bytes long; `text` ends before
    /// that line.
    fn finish(self, text: &[u8], last: u64, length: usize) -> Option<FrontMatter> {
        let is_yaml = self.format == FrontMatterFormat::Yaml;
        if is_yaml && self.first.is_none() && self.has_comment && self.has_blank {
            // These are headings between thematic breaks, not comments.
            return None;
        }
        let is_flow = self.first.is_some_and(|first| first.is_flow);
        let is_needed = self.with_keys || is_flow;
        let mut found = FrontMatter {
            lines: LineRange::from_to(1, last),
            format: self.format,
            title: None,
            keys: self.keys,
            length,
            indent: self.first.map_or(0, |first| first.indent),
            is_flow,
            text: if is_needed { text.to_vec() } else { Vec::new() },
        };
        if is_flow {
            let top = found.nodes()?.into_iter().filter(|node| node.is_top);
            let mut cursor = Cursor::default();
            found.keys = top.map(|node| found.key_of(node, &mut cursor)).collect();
        }
        found.title = title(text, &found.keys);
        Some(found)
    }
}

impl FrontMatter {
    /// The value of a key in `text`, the document that begins with this front matter.
    pub fn value<'a>(&self, text: &'a [u8], name: &str) -> Option<&'a [u8]> {
        self.keys.iter().find(|key| key.name == name)?.value_in(text)
    }

    /// A key by its name, or by its path such as `params.weight`.
    pub fn key(&self, name: &str) -> Option<Key> {
        let top = self.keys.iter().find(|key| key.name == name).cloned();
        top.or_else(|| match self.format {
            FrontMatterFormat::Yaml if name.contains('.') => {
                let node = self.nodes()?.into_iter().find(|node| node.path == name)?;
                Some(self.key_of(node, &mut Cursor::default()))
            }
            FrontMatterFormat::Toml => {
                toml::keys(&self.text).into_iter().find(|key| key.name == name)
            }
            FrontMatterFormat::Yaml => None,
        })
    }

    /// The value of a key as written; `name` is the same as in [`Self::key`].
    pub fn written_value(&self, name: &str) -> Option<&[u8]> {
        self.key(name)?.value_in(&self.text)
    }

    /// The paths of nested keys such as `params.weight`, without the items of lists.
    pub fn nested_keys(&self) -> Vec<String> {
        let top: HashSet<&str> = self.keys.iter().map(|key| key.name.as_str()).collect();
        let is_nested = |name: &String| !top.contains(name.as_str());
        match self.format {
            FrontMatterFormat::Yaml => {
                let nodes = self.nodes().unwrap_or_default().into_iter();
                let keys = nodes.filter(|node| node.path.contains('.') && !node.is_item);
                keys.map(|node| node.path).filter(is_nested).collect()
            }
            FrontMatterFormat::Toml => {
                toml::keys(&self.text).into_iter().map(|key| key.name).filter(is_nested).collect()
            }
        }
    }

    /// The places at which a missing key can be inserted, the most suitable first. Empty if the
    /// value of a key around it is not a mapping.
    pub fn new_keys(&self, name: &str) -> Vec<NewKey> {
        let mut names: Vec<String> = name.split('.').map(str::to_owned).collect();
        if names.iter().any(String::is_empty) {
            names = vec![name.to_owned()];
        }
        match self.format {
            FrontMatterFormat::Toml => self.new_toml_keys(names),
            FrontMatterFormat::Yaml => self.new_yaml_key(names).into_iter().collect(),
        }
    }

    /// In its table, in a new table, or as a dotted key in an outer table or at the top.
    fn new_toml_keys(&self, names: Vec<String>) -> Vec<NewKey> {
        let top = self.keys.last().map_or(1, |last| last.lines.end());
        let new = |names: &[String], after, table: &[String]| NewKey {
            names: names.to_vec(),
            after,
            indent: self.indent,
            in_flow: false,
            table: table.to_vec(),
        };
        let in_table = |depth: usize| {
            let after = toml::table_end(&self.text, &names[..depth].join("."))?;
            Some(new(&names[depth..], after, &[]))
        };
        let depth = names.len() - 1;
        let end = self.lines.end() - 1;
        let own = in_table(depth).filter(|_| depth > 0);
        let table = (depth > 0).then(|| new(&names[depth..], end, &names[..depth]));
        let around = (1..depth).rev().filter_map(in_table);
        own.into_iter().chain(table).chain(around).chain([new(&names, top, &[])]).collect()
    }

    fn new_yaml_key(&self, all: Vec<String>) -> Option<NewKey> {
        let nodes = self.nodes().unwrap_or_default();
        for length in (1..all.len()).rev() {
            let path = all[..length].join(".");
            let Some(node) = nodes.iter().find(|node| node.path == path) else { continue };
            let key = self.key_of(node.clone(), &mut Cursor::default());
            let column = |node: &Node| {
                let before = &self.text[..self.first_line() + node.start];
                before.len() - memchr::memrchr(b'\n', before).map_or(0, |at| at + 1)
            };
            let below = format!("{path}.");
            let child = nodes.iter().find(|node| node.path.starts_with(&below));
            let indent = match (&node.scalar, child) {
                (None, Some(child)) if !child.is_item => column(child),
                (Some(_), _) if node.value.is_empty() => column(node) + 2,
                (None, None) if node.is_flow => 0,
                _ => return None,
            };
            let (after, in_flow) = (key.lines.end(), node.is_flow || node.in_flow);
            let names = all[length..].to_vec();
            return Some(NewKey { names, after, indent, in_flow, table: Vec::new() });
        }
        let (after, indent) = (self.lines.end() - 1, self.indent);
        Some(NewKey { names: all, after, indent, in_flow: false, table: Vec::new() })
    }

    /// The values that the YAML parser finds between the delimiters.
    fn nodes(&self) -> Option<Vec<Node>> {
        yaml::nodes(std::str::from_utf8(&self.text[self.first_line()..]).ok()?)
    }

    /// The length of the first delimiter's line.
    fn first_line(&self) -> usize {
        lines_with_ends(&self.text).next().map_or(0, <[u8]>::len)
    }

    /// The key of a node, found from a cursor at or before it.
    fn key_of(&self, node: Node, cursor: &mut Cursor) -> Key {
        let base = self.first_line();
        let start = base + node.start;
        cursor.advance(&self.text, start);
        let line = cursor.line;
        let mut value = base + node.value.start..base + node.value.end;
        let first = 1 + cursor.newlines;
        let last = first + count_newlines(&self.text[start..value.end.max(start)]);
        let lines = LineRange::from_to(first, last);
        if node.is_quoted() {
            value = value.start + 1..value.end - 1;
        } else if node.is_block() {
            // A block scalar begins with its indicator.
            value.start =
                base + node.after_key + usize::from(self.text[base + node.after_key] == b' ');
        } else if node.scalar.is_none() && !node.is_flow {
            // A block collection begins after the end of the key's line.
            value.start = base + node.after_key;
        }
        let value = value.start - line..value.end - line;
        Key { name: node.path, lines, value, in_flow: node.in_flow }
    }

    /// Whether the value of a key cannot contain other keys.
    pub fn is_closed(&self, name: &str) -> bool {
        match self.format {
            FrontMatterFormat::Yaml => {
                self.key(name).is_some() && self.new_keys(&format!("{name}.k")).is_empty()
            }
            FrontMatterFormat::Toml => {
                let values = self.values().unwrap_or_default();
                let is_value =
                    |(path, value): &(String, Option<String>)| path == name && value.is_some();
                self.key(name).is_some() || values.iter().any(is_value)
            }
        }
    }

    /// Whether it is valid in its format; a template is not.
    pub fn is_valid(&self) -> bool {
        self.values().is_some()
    }

    /// All values with their paths; collections have no value of their own. `None` if it is not
    /// valid in its format, such as a template.
    fn values(&self) -> Option<Vec<(String, Option<String>)>> {
        if self.format == FrontMatterFormat::Yaml {
            let nodes = self.nodes()?.into_iter();
            return Some(nodes.map(|node| (node.path, node.scalar)).collect());
        }
        toml::values(std::str::from_utf8(&self.text[self.first_line()..]).ok()?)
    }

    /// Whether `text` differs from this front matter only in `key`, which may be new, and `key` is
    /// read as `value` there or written so.
    pub fn has_value_in(&self, text: &[u8], key: &str, value: &[u8]) -> bool {
        let Some(found) = find(text) else { return false };
        let is_around = |name: &str| {
            key.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        fn others<'k>(
            found: &'k FrontMatter,
            is_around: &impl Fn(&str) -> bool,
        ) -> impl Iterator<Item = &'k str> {
            found.keys.iter().map(|key| &key.name[..]).filter(|name| !is_around(name))
        }
        let Some(there) = found.key(key) else { return false };
        if !others(self, &is_around).eq(others(&found, &is_around)) {
            return false;
        }
        let is_written = there.value_in(text) == Some(value);
        // If the old text is not valid, for example a template, the new one need not be.
        let Some(old) = self.values() else {
            let escaped = self.format.escaped(&String::from_utf8_lossy(value), '"');
            let is_toml = self.format == FrontMatterFormat::Toml;
            return is_written || (is_toml && there.value_in(text) == Some(escaped.as_bytes()));
        };
        let Some(new) = found.values() else { return false };
        let below = format!("{key}.");
        let is_other = |(path, value): &&(String, Option<String>)| {
            let is_mapping = value.as_deref().is_none_or(|text| matches!(text, "" | "~"));
            path != key && !path.starts_with(&below) && !(is_mapping && is_around(path))
        };
        let is_same = old.iter().filter(is_other).eq(new.iter().filter(is_other));
        is_same && found.reads(key, value, is_written)
    }

    /// Whether `key` is read as `value`. If the value is written literally, the key only has to
    /// exist.
    fn reads(&self, key: &str, value: &[u8], is_written: bool) -> bool {
        let Ok(text) = std::str::from_utf8(value) else { return is_written };
        if self.format == FrontMatterFormat::Toml {
            let values = self.values().unwrap_or_default();
            let own = values.iter().find(|(path, _)| path == key);
            return own.is_some_and(|(_, read)| match read {
                Some(read) => toml::is_read_as(read, text),
                None => is_written,
            });
        }
        let nodes = self.nodes().unwrap_or_default();
        let own = nodes.iter().find(|node| node.path == key);
        own.is_some_and(|node| {
            is_written || node.scalar.as_deref() == Some(text) || is_given_whole(value, node)
        })
    }
}

impl FrontMatterFormat {
    /// A value of one line as it must be written to be read back: unchanged if it is a single valid
    /// value, otherwise in double quotes.
    pub fn written(self, value: &str, in_flow: bool) -> String {
        let is_whole = match self {
            Self::Yaml => yaml::is_whole(value, in_flow),
            Self::Toml => toml::is_whole(value),
        };
        if is_whole { value.to_owned() } else { format!("\"{}\"", self.escaped(value, '"')) }
    }

    /// The name of a key as it must be written to be read back.
    pub fn written_key(self, name: &str) -> String {
        let is_plain = match self {
            Self::Yaml => {
                let line = format!("{name}: v");
                let nodes = yaml::nodes(&line).unwrap_or_default();
                let is_own = |node: &Node| node.path == name && node.scalar.as_deref() == Some("v");
                matches!(&nodes[..], [only] if is_own(only))
                    && key(line.as_bytes(), self).is_some_and(|(own, _)| own == name)
            }
            Self::Toml => {
                let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
                !name.is_empty() && name.bytes().all(is_bare)
            }
        };
        if is_plain { name.to_owned() } else { format!("\"{}\"", self.escaped(name, '"')) }
    }

    /// Escapes a text to be put between quotes.
    pub fn escaped(self, value: &str, quote: char) -> String {
        match (quote, self) {
            ('\'', Self::Yaml) => value.replace('\'', "''"),
            ('\'', Self::Toml) => value.to_owned(),
            _ => value.replace('\\', "\\\\").replace('"', "\\\""),
        }
    }
}

/// Whether a value was given including the quotes around it.
fn is_given_whole(value: &[u8], node: &Node) -> bool {
    node.is_quoted()
        && node.value.len() == value.len()
        && matches!(value, [b'"', .., b'"'] | [b'\'', .., b'\''])
}

fn title(text: &[u8], keys: &[Key]) -> Option<String> {
    let value = keys.iter().find(|key| key.name == "title")?.value_in(text)?;
    let is_text = |line: &&[u8]| !matches!(line.first(), None | Some(b'|' | b'>'));
    let title = lines_with_ends(value).map(<[u8]>::trim_ascii).find(is_text)?;
    Some(String::from_utf8_lossy(title).into_owned())
}

/// Separates front matter from a document that arrives in blocks. It buffers blocks until the
/// start of the text is known.
#[derive(Debug, Default)]
pub struct Opening {
    kept: Vec<u8>,
    offset: u64,
}

impl Opening {
    /// Takes the next block, or `None` at the end of the document. Returns the front matter and the
    /// text after it once they are known.
    pub fn take<'a>(
        &'a mut self,
        block: Option<&Block<'a>>,
        with_keys: bool,
    ) -> Option<(Option<FrontMatter>, Block<'a>)> {
        if let Some(block) = block {
            if self.kept.is_empty() {
                let found = search(block.bytes, false, with_keys);
                if found != Search::Open {
                    return Some(without(found, *block));
                }
                self.offset = block.offset;
            }
            let format = FrontMatterFormat::opened_by(&self.kept);
            self.kept.extend_from_slice(block.bytes);
            // Blocks may be small; do not search the buffered ones again for each.
            let is_closed = format.is_some_and(|format| {
                lines_with_ends(block.bytes).any(|line| format.is_closed_by(line))
            });
            if !is_closed && self.kept.len() < MAX_LENGTH {
                return None;
            }
        }
        let found = search(&self.kept, block.is_none(), with_keys);
        Some(without(found, Block::new(&self.kept, self.offset)))
    }
}

fn without(found: Search, mut block: Block<'_>) -> (Option<FrontMatter>, Block<'_>) {
    let Search::Found(found) = found else { return (None, block) };
    block.bytes = &block.bytes[found.length..];
    block.offset += found.length as u64;
    (Some(found), block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(u64, &[&str])>) {
        let found = find(text.as_bytes());
        let found = found.as_ref().map(|found| {
            let keys: Vec<_> = found.keys.iter().map(|key| key.name.as_str()).collect();
            (found.lines.end(), keys)
        });
        assert_eq!(found, expected.map(|(end, keys)| (end, keys.to_vec())));
    }

    #[test]
    fn front_matter_is_found_at_the_top_only() {
        check("---\ntitle: x\ntags: [a]\n---\n# H\n", Some((4, &["title", "tags"])));
        check("---\r\ntitle: x\r\n...\r\n", Some((3, &["title"])));
        check("+++\ntitle = 'x'\n[extra]\na = 1\n+++\n", Some((5, &["title"])));
        check("---\n---\n", Some((2, &[])));
        check(
            "---\n# note\n\"quoted key\": 1\nlist:\n- a\n- b\n---",
            Some((7, &["quoted key", "list"])),
        );
        check("\n---\ntitle: x\n---\n", None);
        check("---\ntitle: x\n", None);
        check("----\ntitle: x\n---\n", None);
    }

    #[test]
    fn a_thematic_break_at_the_top_is_none() {
        check("---\n\ntext\n\n---\n", None);
        check("---\n# Heading\nJust prose.\n---\n", None);
        check("---\nfoo\n---\nbar\n---\n", None);
    }

    #[test]
    fn a_key_holds_its_value_lines() {
        let found = find(b"---\na: |\n  one\n  two\nb:\n- x\n---\n").expect("front matter");
        let lines: Vec<_> =
            found.keys.iter().map(|key| (key.lines.start(), key.lines.end())).collect();
        assert_eq!(lines, [(2, 4), (5, 6)]);
    }

    /// Each key with its value.
    fn values(text: &str) -> Option<Vec<(String, String)>> {
        let found = find(text.as_bytes())?;
        let value = |key: &Key| key.value_in(text.as_bytes()).expect("in the text").to_vec();
        let value = |key: &Key| String::from_utf8(value(key)).expect("UTF-8");
        Some(found.keys.iter().map(|key| (key.name.clone(), value(key))).collect())
    }

    #[track_caller]
    fn check_values(text: &str, expected: &[(&str, &str)]) {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        assert_eq!(values(text), Some(expected.iter().map(own).collect()), "{text}");
    }

    #[test]
    fn a_mapping_may_stand_as_yaml_lets_it() {
        check("---\ntitle: x\n---", Some((3, &["title"])));
        check("---\n\n# note\n\ntitle: x\n\n# more\ntags: y\n---\n", Some((9, &["title", "tags"])));
        check(
            "---\n  title: x\n  list:\n    - a\n  tags: y\n---\n",
            Some((6, &["title", "list", "tags"])),
        );
        check("---\n\n---\n", Some((3, &[])));
        check("---\n{}\n---\n", Some((3, &[])));
        check("---\n\n{ # none\n}\n---\n", Some((5, &[])));
        check(
            "+++\n\n# note\n  title = 'x'\n  a = [\n    1\n  ]\n+++\n",
            Some((8, &["title", "a"])),
        );
        check("---\n# Only a comment\n---\n", Some((3, &[])));
    }

    #[test]
    fn text_below_a_thematic_break_stays_text() {
        check("---\n\n# Heading\n\n---\n", None);
        check("---\n\nNote: this is text\nthat goes on.\n\n---\n", None);
        check("---\n\n    key: in code\n\n---\n", None);
        check("---\n\tkey: in code\n---\n", None);
        check("---\n  a: b\nc\n---\n", None);
        check("---\n{{ template }}\n---\n", None);
        check("---\n{a: b} text\n---\n", None);
        check("---\n{a: [b}\n---\n", None);
        check("---\n- a: b\n---\n", None);
        check("---\ntitle: x\n# Heading\n", None);
    }

    #[test]
    fn keys_of_a_flow_mapping_have_values() {
        check_values(
            "---\n{title: a b, \"q\":'c, d', list: [x, {y: z}], u: http://a/b#c, none, e: }\n---\n",
            &[
                ("title", "a b"),
                ("q", "c, d"),
                ("list", "[x, {y: z}]"),
                ("u", "http://a/b#c"),
                ("none", ""),
                ("e", ""),
            ],
        );
        let text = "---\n{\n  title: x, # note\n  tags:\n    [a,\n    b]\n}\n---\n";
        check_values(text, &[("title", "x"), ("tags", "[a,\n    b]")]);
        let found = find(text.as_bytes()).expect("front matter");
        let lines = |at: usize| (found.keys[at].lines.start(), found.keys[at].lines.end());
        assert_eq!((lines(0), lines(1)), ((3, 3), (4, 6)));
        assert_eq!(found.title.as_deref(), Some("x"));
    }

    #[test]
    fn values_stand_behind_their_keys() {
        let text = "---\n  a: 'x' # note\n  'b:c': |\n    one\n    # two\n\n    three\n  d:\n---\n";
        check_values(text, &[("a", "x"), ("b:c", "|\n    one\n    # two\n\n    three"), ("d", "")]);
        let title = |text: &str| find(text.as_bytes()).and_then(|found| found.title);
        assert_eq!(title("---\ntitle: >-\n  long\n---\n").as_deref(), Some("long"));
        assert_eq!(title("---\ntitle: \"a\"\n---\n").as_deref(), Some("a"));
        assert_eq!(title("---\ntitle:\n---\n"), None);
    }

    const YAML: &str = "---\ntitle: 'a b'\nmap:\n  in: \"q\"\n  text: |\n    one\n    two\n  \
                        flow: {a: 1, b: [2]}\n  empty:\n  deep:\n    k: v # c\nd.e: f\n---\n# A\n";
    const TOML: &str = "+++\ntitle = 'a'\n[map]\nin = \"q\"\n[map.deep]\nk = 1\n+++\n# A\n";

    fn with_keys(text: &str) -> FrontMatter {
        let found = match search(text.as_bytes(), true, true) {
            Search::Found(found) => Some(found),
            Search::Open | Search::Absent(_) => None,
        };
        found.expect("front matter")
    }

    #[test]
    fn keys_stand_within_keys() {
        #[track_caller]
        fn check(text: &str, name: &str, value: &str, lines: (u64, u64)) {
            let found = with_keys(text);
            let written = found.written_value(name).map(String::from_utf8_lossy);
            let key = found.key(name).expect("a key");
            assert_eq!(written.as_deref(), Some(value), "{name}");
            assert_eq!((key.lines.start(), key.lines.end()), lines, "{name}");
        }
        check(YAML, "title", "a b", (2, 2));
        check(YAML, "map.in", "q", (4, 4));
        check(YAML, "map.text", "|\n    one\n    two", (5, 7));
        check(YAML, "map.flow", "{a: 1, b: [2]}", (8, 8));
        check(YAML, "map.flow.a", "1", (8, 8));
        check(YAML, "map.flow.b", "[2]", (8, 8));
        check(YAML, "map.empty", "", (9, 9));
        check(YAML, "map.deep", "\n    k: v", (10, 11));
        check(YAML, "map.deep.k", "v", (11, 11));
        check(YAML, "d.e", "f", (12, 12));
        check(TOML, "title", "a", (2, 2));
        check(TOML, "map.in", "q", (4, 4));
        check(TOML, "map.deep.k", "1", (6, 6));
        assert_eq!(with_keys(TOML).nested_keys(), ["map.in", "map.deep.k"]);
        let nested = with_keys(YAML).nested_keys();
        let within = ["in", "text", "flow", "flow.a", "flow.b", "empty", "deep", "deep.k"];
        assert_eq!(nested, within.map(|name| format!("map.{name}")));
        for (text, name) in [(YAML, "map.no"), (YAML, "no"), (TOML, "map.no"), (TOML, "in")] {
            assert_eq!(with_keys(text).key(name), None, "{name}");
        }
        assert!(with_keys(YAML).is_valid() && with_keys(TOML).is_valid());
        assert!(!with_keys("---\ntitle: {{ x }}: y\n---\n").is_valid());
    }

    #[test]
    fn new_keys_stand_with_their_like() {
        #[track_caller]
        fn check(text: &str, name: &str, expected: &[&str]) {
            let places = with_keys(text).new_keys(name).into_iter().map(|key| {
                let NewKey { names, after, indent, in_flow, table } = key;
                let table = format!("[{}]", table.join("."));
                format!("{table} {} {after} {indent} {in_flow}", names.join("."))
            });
            assert_eq!(places.collect::<Vec<_>>(), expected, "{name}");
        }
        check(YAML, "no", &["[] no 12 0 false"]);
        check(YAML, "no.more", &["[] no.more 12 0 false"]);
        check(YAML, "map.no", &["[] no 11 2 false"]);
        check(YAML, "map.empty.no", &["[] no 9 4 false"]);
        check(YAML, "map.deep.no.more", &["[] no.more 11 4 false"]);
        check(YAML, "map.flow.no", &["[] no 8 9 true"]);
        check(YAML, "title.no", &[]);
        check(TOML, "no", &["[] no 2 0 false"]);
        check(TOML, "map.no", &["[] no 4 0 false", "[map] no 6 0 false", "[] map.no 2 0 false"]);
        check(TOML, "t.no", &["[t] no 6 0 false", "[] t.no 2 0 false"]);
        let closed = |text: &str, name: &str| with_keys(text).is_closed(name);
        for name in ["title", "map.in", "map.flow.b"] {
            assert!(closed(YAML, name), "{name}");
        }
        for name in ["map", "map.flow", "map.empty", "map.deep", "no"] {
            assert!(!closed(YAML, name), "{name}");
        }
        assert!(closed(TOML, "map.in") && !closed(TOML, "map") && !closed(TOML, "no"));
    }

    #[test]
    fn a_value_is_all_that_changes() {
        let changed = |text: &str, from: &str, to: &str, key: &str, value: &str| {
            with_keys(text).has_value_in(text.replace(from, to).as_bytes(), key, value.as_bytes())
        };
        for text in [YAML, TOML] {
            assert!(changed(text, "\"q\"", "\"z\"", "map.in", "z"));
            assert!(changed(text, "", "", "map.in", "q"));
            assert!(!changed(text, "\"q\"", "\"y\"", "map.in", "z"));
            assert!(!changed(text, "title", "tit", "map.in", "q"));
            assert!(!changed(text, "#", "+++\n---\n#", "map.no", "q"));
        }
        assert!(changed(YAML, "\"q\"", "z", "map.in", "z"));
        assert!(!changed(TOML, "\"q\"", "z", "map.in", "z"));
        assert!(changed(YAML, "map:\n", "map:\n  new: 1\n", "map.new", "1"));
        assert!(changed(TOML, "[map]\n", "[map]\nnew = 1\n", "map.new", "1"));
        assert!(!changed(YAML, "map:\n", "map:\n  new: 1\n  newer: 1\n", "map.new", "1"));
    }

    #[test]
    fn front_matter_has_a_longest_length() {
        let text =
            |length: usize| format!("---\ntitle: x\nwords: {}\n---\n", "w ".repeat(length / 2));
        check(&text(130 * 1024), Some((4, &["title", "words"])));
        check(&text(MAX_LENGTH), None);
        let open = search(&text(130 * 1024).as_bytes()[..100_000], false, true);
        assert_eq!(open, Search::Open);
        assert!(matches!(search(b"---\n\nText.\n", false, true), Search::Absent(11)));
    }

    #[test]
    fn a_document_comes_in_blocks_of_any_size() {
        let texts = [
            "---\n\ntitle: x\n---\n# A\n",
            "---\ntitle: x\n---",
            "---\n{a: b,\nc: d}\n...\ntext",
            "---\n\n# Heading\n---\n# A\n",
            "---\nnever: closed\n# A\n",
            "# A\n---\n",
            "",
        ];
        for text in texts {
            let expected = find(text.as_bytes());
            let length = expected.as_ref().map_or(0, |found| found.length);
            let mut opening = Opening::default();
            let mut rest = Vec::new();
            let mut found = None;
            let mut is_known = false;
            let lines = lines_with_ends(text.as_bytes()).map(Some).chain([None]);
            let mut offset = 0;
            for line in lines {
                let block = line.map(|line| Block::new(line, offset));
                offset += line.map_or(0, |line| line.len() as u64);
                if is_known {
                    rest.extend_from_slice(line.unwrap_or_default());
                } else if let Some((front_matter, after)) = opening.take(block.as_ref(), true) {
                    (is_known, found) = (true, front_matter);
                    assert_eq!(after.offset, length as u64);
                    rest.extend_from_slice(after.bytes);
                }
            }
            assert_eq!((found, &rest[..]), (expected, &text.as_bytes()[length..]), "{text}");
        }
    }

    #[track_caller]
    fn check_written(format: FrontMatterFormat, same: &[&str], quoted: &[&str]) {
        for value in same {
            assert_eq!(&format.written(value, false), value);
        }
        for value in quoted {
            let expected = format!("\"{}\"", format.escaped(value, '"'));
            assert_eq!(format.written(value, false), expected);
        }
    }

    #[test]
    fn values_are_quoted_where_their_format_needs_it() {
        check_written(
            FrontMatterFormat::Yaml,
            &[
                "a", "a b", "[a, b]", "{a: 1}", "'x: y'", "\"q\"", "-1", "a:b", "a#b", "2026",
                "true", "a, b", "it's",
            ],
            &[
                "Pod: Life",
                "a:",
                "# b",
                "a # b",
                "- a",
                "'a",
                "*x",
                "&x y",
                "!t y",
                "[a",
                " a",
                "a ",
                "'a'b'",
                "| x",
                "? x",
                "@x",
                "%x",
                "`x`",
                "{{ page.title }}",
                "a: b: c",
                "say \"a\": \\",
            ],
        );
        check_written(
            FrontMatterFormat::Toml,
            &["1", "-1.5", "2026-01-02", "07:32:00", "true", "'x'", "\"x\"", "[1]", "{a = 1}"],
            &["x", "1 x", "-x", "true x", "it's", "a \"b\""],
        );
        assert_eq!(FrontMatterFormat::Yaml.written("a, b", true), "\"a, b\"");
        assert_eq!(FrontMatterFormat::Yaml.escaped("it's", '\''), "it''s");
    }
}
