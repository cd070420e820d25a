//! The entries of a document with keys: mappings, lists and scalars, with their bytes.

use std::ops::Range;

use super::path::{push_index, push_name};
use crate::text::span::LineRange;

/// Deeper documents are refused.
pub const MAX_DEPTH: usize = 512;

/// The syntax of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// TOML.
    Toml,
    /// YAML 1.2.
    Yaml,
    /// JSON, with the comments, trailing commas and quotes of JSON5.
    Json,
    /// A JSON value per line.
    JsonLines,
    /// Shell assignments, such as in `.env`.
    Env,
    /// Java properties.
    Properties,
}

impl Syntax {
    /// Whether documents have no nested entries.
    pub fn is_flat(self) -> bool {
        matches!(self, Self::Env | Self::Properties)
    }
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Keys with values.
    Mapping,
    /// A list of values.
    Sequence,
    /// A string.
    String,
    /// An integer.
    Integer,
    /// A number with a fraction or an exponent, infinity, or NaN.
    Float,
    /// `true` or `false`.
    Boolean,
    /// No value.
    Null,
    /// A date or a time of TOML.
    Date,
    /// A reference to an anchor of YAML.
    Alias,
}

impl Kind {
    /// Whether it contains other values.
    pub fn is_container(self) -> bool {
        matches!(self, Self::Mapping | Self::Sequence)
    }

    /// The name in messages and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mapping => "mapping",
            Self::Sequence => "list",
            Self::String => "string",
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Boolean => "boolean",
            Self::Null => "null",
            Self::Date => "date",
            Self::Alias => "alias",
        }
    }
}

/// How an entry is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A scalar.
    Scalar,
    /// A mapping or list in brackets.
    Flow,
    /// A mapping or list on lines of its own: in YAML by indentation, in TOML below a header.
    Block,
    /// The root of several documents.
    Documents,
    /// A table of TOML that has no header, because only keys of it are written.
    Implicit,
}

/// A range of bytes in a document, which is shorter than 4 GiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
}

impl Bytes {
    pub(super) fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// The same range for slices.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether it has no bytes.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// An entry: a key with its value, or an item of a list. The root is the first.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The index of the entry that contains it. The root contains itself.
    pub parent: u32,
    /// Its number in the entry that contains it, counted from 0.
    pub number: u32,
    /// The key as it is written, with quotes; empty for an item.
    pub key: Bytes,
    /// The value as it is written, without its anchor and tag.
    pub value: Bytes,
    /// The offset at which the entry begins: of its key, or of the dash of an item.
    pub start: u32,
    /// The type of the value.
    pub kind: Kind,
    /// How the value is written.
    pub form: Form,
}

/// A mistake because of which a document cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The offset at which it was found.
    pub offset: usize,
    /// What is wrong.
    pub message: String,
}

impl Fault {
    pub(super) fn new(offset: usize, message: impl Into<String>) -> Self {
        Self { offset, message: message.into() }
    }
}

/// The entries of a document.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The syntax.
    pub syntax: Syntax,
    /// The document, without a byte order mark.
    pub text: String,
    /// The entries, a container before those in it, in the order of the document.
    pub nodes: Vec<Node>,
    /// Texts of scalars that differ from what is written, in the order of the entries.
    pub(super) decoded: Vec<(u32, Box<str>)>,
    /// Names of keys that differ from what is written, in the order of the entries.
    pub(super) names: Vec<(u32, Box<str>)>,
    /// Aliases, and the entries that they refer to.
    pub(super) aliases: Vec<(u32, u32)>,
    /// Where names of entries are written, for TOML, in which tables may be named repeatedly.
    pub(super) mentions: Vec<(u32, Bytes)>,
    /// The lines of TOML, each with the entry that it belongs to.
    pub(super) statements: Vec<Statement>,
    /// The offsets at which lines begin.
    lines: Vec<u32>,
}

/// A header or a key of TOML, with its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Statement {
    /// The entry that it defines.
    pub(super) node: u32,
    /// Whether it is a header.
    pub(super) is_header: bool,
    /// Its bytes, without white space and comments around it.
    pub(super) at: Bytes,
}

/// A text without quotes, which are present if it begins with one.
fn unquoted(text: &str) -> &str {
    match text.as_bytes() {
        [first @ (b'"' | b'\''), .., last] if first == last => &text[1..text.len() - 1],
        _ => text,
    }
}

fn lookup(list: &[(u32, Box<str>)], index: usize) -> Option<&str> {
    let at = list.binary_search_by_key(&(index as u32), |(own, _)| *own).ok()?;
    Some(&list[at].1)
}

impl Tree {
    /// The index of the root.
    pub const ROOT: usize = 0;

    /// An entry.
    pub fn node(&self, index: usize) -> &Node {
        &self.nodes[index]
    }

    /// The entry that contains an entry, unless it is the root.
    pub fn parent(&self, index: usize) -> Option<usize> {
        (index != Self::ROOT).then(|| self.nodes[index].parent as usize)
    }

    /// The name of a key; `None` for an item.
    pub fn name(&self, index: usize) -> Option<&str> {
        let parent = self.parent(index)?;
        if self.nodes[parent].kind != Kind::Mapping {
            return None;
        }
        let written = &self.text[self.nodes[index].key.range()];
        Some(lookup(&self.names, index).unwrap_or_else(|| unquoted(written)))
    }

    /// The text of a scalar: a string without quotes and escapes, other values as written.
    pub fn scalar(&self, index: usize) -> &str {
        let node = &self.nodes[index];
        let written = &self.text[node.value.range()];
        let text = match node.kind {
            Kind::String => unquoted(written),
            _ => written,
        };
        lookup(&self.decoded, index).unwrap_or(text)
    }

    /// The text of a scalar, or a mapping or list as it is written, but not indented.
    pub fn value(&self, index: usize) -> String {
        let node = &self.nodes[index];
        if !node.kind.is_container() {
            return self.scalar(index).to_owned();
        }
        let written = self.written(index);
        if node.form != Form::Block || self.syntax != Syntax::Yaml {
            return written.to_owned();
        }
        let start = node.value.start as usize;
        let column = start - self.start_of_line(start);
        let mut value = String::with_capacity(written.len());
        for line in written.split_inclusive('\n') {
            let margin = line.len() - line.trim_start_matches(' ').len();
            value.push_str(&line[margin.min(if value.is_empty() { 0 } else { column })..]);
        }
        value
    }

    /// The value as it is written.
    pub fn written(&self, index: usize) -> &str {
        &self.text[self.nodes[index].value.range()]
    }

    /// The entries directly in an entry.
    pub fn children(&self, index: usize) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let is_child = move |child: &usize| self.nodes[*child].parent as usize == index;
        (index + 1..index + self.size(index)).filter(is_child)
    }

    /// Whether an entry is in a mapping or list in brackets.
    pub fn is_in_brackets(&self, index: usize) -> bool {
        self.parent(index).is_some_and(|parent| self.nodes[parent].form == Form::Flow)
    }

    /// The number of entries from an entry to the last one in it; in TOML, in which tables may be
    /// continued anywhere below, it counts all that follow.
    pub fn size(&self, index: usize) -> usize {
        let node = &self.nodes[index];
        match (node.kind.is_container(), self.syntax) {
            (false, _) => 1,
            (true, Syntax::Toml) => self.nodes.len() - index,
            (true, _) => {
                let end = self.nodes.partition_point(|other| other.start < node.value.end);
                end.max(index + 1) - index
            }
        }
    }

    /// Whether an entry is another one or within it.
    pub fn is_within(&self, index: usize, other: usize) -> bool {
        let mut at = index;
        while at > other {
            at = self.nodes[at].parent as usize;
        }
        at == other
    }

    /// The path of an entry, which selects it again.
    pub fn path(&self, index: usize) -> String {
        let mut path = String::new();
        let mut steps = Vec::new();
        let mut at = index;
        while let Some(parent) = self.parent(at) {
            steps.push(at);
            at = parent;
        }
        for step in steps.into_iter().rev() {
            self.push_step(&mut path, step);
        }
        path
    }

    /// Appends the last step of an entry's path. In documents without nesting, a name is not
    /// quoted, even if it contains dots.
    fn push_step(&self, path: &mut String, index: usize) {
        match (self.name(index), self.syntax.is_flat()) {
            (Some(name), true) if !name.is_empty() => path.push_str(name),
            (Some(name), _) => push_name(path, name),
            (None, _) => push_index(path, self.nodes[index].number),
        }
    }

    /// The number of the line that contains an offset, counted from 1.
    pub fn line_of(&self, offset: usize) -> u64 {
        self.lines.partition_point(|&start| start as usize <= offset) as u64
    }

    /// The offset at which a line begins, counted from 1; that of the end after the last line.
    pub fn line_start(&self, line: u64) -> usize {
        let start = self.lines.get((line as usize).saturating_sub(1));
        start.map_or(self.text.len(), |&start| start as usize)
    }

    /// The offset at which the line that contains an offset begins.
    pub fn start_of_line(&self, offset: usize) -> usize {
        self.line_start(self.line_of(offset))
    }

    /// The offset of the line ending of the line that contains an offset.
    pub fn end_of_line(&self, offset: usize) -> usize {
        let next = self.line_start(self.line_of(offset) + 1);
        offset.max(self.text[..next].trim_end_matches('\n').trim_end_matches('\r').len())
    }

    /// The indentation of the line that contains an offset, in bytes.
    pub fn indent_of(&self, offset: usize) -> usize {
        let line = &self.text[self.start_of_line(offset)..];
        line.len() - line.trim_start_matches([' ', '\t']).len()
    }

    /// The bytes from the start of an entry to the end of its value.
    pub fn span(&self, index: usize) -> Range<usize> {
        let node = &self.nodes[index];
        node.start as usize..node.value.range().end.max(node.key.range().end)
    }

    /// The lines of an entry, from its key to the end of its value.
    pub fn lines(&self, index: usize) -> LineRange {
        let span = self.span(index);
        let written = self.text[span.clone()].trim_end().len();
        let last = (span.start + written).max(span.start + 1) - 1;
        LineRange::from_to(self.line_of(span.start), self.line_of(last))
    }

    /// The entry that an alias refers to.
    pub fn anchor_of(&self, alias: usize) -> Option<usize> {
        let at = self.aliases.binary_search_by_key(&(alias as u32), |(own, _)| *own).ok()?;
        Some(self.aliases[at].1 as usize)
    }

    /// Removes a root that has a single entry, which becomes the root.
    pub(super) fn remove_root(&mut self) {
        self.nodes.remove(0);
        for node in &mut self.nodes {
            node.parent = node.parent.saturating_sub(1);
        }
        for (index, _) in self.decoded.iter_mut().chain(&mut self.names) {
            *index -= 1;
        }
        for (alias, anchor) in &mut self.aliases {
            (*alias, *anchor) = (*alias - 1, *anchor - 1);
        }
    }

    /// The line and the column of an offset, both counted from 1, the column in characters.
    pub fn line_and_column(text: &str, offset: usize) -> (u64, u64) {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.matches('\n').count() + 1;
        (line as u64, before[start..].chars().count() as u64 + 1)
    }
}

/// Collects the entries of a document in order.
pub(super) struct Builder {
    tree: Tree,
    /// The containers that are open, with the number of entries in each so far.
    open: Vec<(u32, u32)>,
}

impl Builder {
    pub(super) fn new(syntax: Syntax, text: &str) -> Result<Self, Fault> {
        if u32::try_from(text.len()).is_err() {
            return Err(Fault::new(0, "documents with keys may have at most 4 GiB"));
        }
        let mut lines = vec![0];
        lines.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end as u32 + 1));
        if lines.len() > 1 && lines.last() == Some(&(text.len() as u32)) {
            lines.pop();
        }
        let tree = Tree {
            syntax,
            text: text.to_owned(),
            nodes: Vec::new(),
            decoded: Vec::new(),
            names: Vec::new(),
            aliases: Vec::new(),
            mentions: Vec::new(),
            statements: Vec::new(),
            lines,
        };
        Ok(Self { tree, open: Vec::new() })
    }

    pub(super) fn tree(&mut self) -> &mut Tree {
        &mut self.tree
    }

    /// An entry that was added.
    pub(super) fn node(&self, index: usize) -> &Node {
        &self.tree.nodes[index]
    }

    /// Adds an entry to the innermost open container, and returns its index.
    pub(super) fn add(
        &mut self,
        start: usize,
        key: Bytes,
        value: Bytes,
        kind: Kind,
        form: Form,
    ) -> usize {
        let index = self.tree.nodes.len();
        let (parent, number) = match self.open.last_mut() {
            Some((parent, count)) => {
                *count += 1;
                (*parent, *count - 1)
            }
            None => (0, 0),
        };
        let start = start as u32;
        self.tree.nodes.push(Node { parent, number, key, value, start, kind, form });
        index
    }

    /// Opens a container, into which the following entries are put.
    ///
    /// # Errors
    ///
    /// Fails if too many are open.
    pub(super) fn open(&mut self, index: usize) -> Result<(), Fault> {
        if self.open.len() >= MAX_DEPTH {
            let at = self.tree.nodes[index].start as usize;
            return Err(Fault::new(at, format!("nested more than {MAX_DEPTH} levels deep")));
        }
        self.open.push((index as u32, 0));
        Ok(())
    }

    /// Closes the innermost container, whose value ends at an offset.
    pub(super) fn close(&mut self, end: usize) {
        if let Some((index, _)) = self.open.pop() {
            let value = &mut self.tree.nodes[index as usize].value;
            value.end = value.start.max(end as u32);
        }
    }

    /// Notes the name of a key, if it differs from what is written.
    pub(super) fn name(&mut self, index: usize, name: &str) {
        let written = &self.tree.text[self.tree.nodes[index].key.range()];
        if unquoted(written) != name {
            self.tree.names.push((index as u32, name.into()));
        }
    }

    /// Notes the text of a string, if it differs from what is written.
    pub(super) fn text(&mut self, index: usize, text: &str) {
        let written = &self.tree.text[self.tree.nodes[index].value.range()];
        if unquoted(written) != text {
            self.tree.decoded.push((index as u32, text.into()));
        }
    }

    pub(super) fn finish(self) -> Tree {
        self.tree
    }
}
