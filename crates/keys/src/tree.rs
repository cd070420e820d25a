//! The entries of a document with keys: mappings, lists and scalars, with the bytes of each.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::OnceLock;

use super::path::{MAX_DEPTH, push_index, push_name};
use folio_text::ini_dialect::IniDialect;
use folio_text::span::LineRange;

mod ini;

pub(super) use ini::subsection;

/// The syntax of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// TOML.
    Toml,
    /// YAML 1.2.
    Yaml,
    /// JSON, including the comments, trailing commas and quotes of JSON5.
    Json,
    /// A JSON value per line.
    JsonLines,
    /// Shell assignments, such as in `.env`.
    Env,
    /// Java properties.
    Properties,
    /// INI, as the programs of a dialect read it.
    Ini(IniDialect),
}

impl Syntax {
    /// Whether documents have no nested entries.
    pub fn is_flat(self) -> bool {
        matches!(self, Self::Env | Self::Properties)
    }

    /// Whether all values are strings, so that there are no lists, numbers or nested mappings as
    /// values.
    pub fn has_only_strings(self) -> bool {
        self.is_flat() || matches!(self, Self::Ini(_))
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

    /// Returns the name used in messages and JSON.
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

    /// Returns the name with its article, if it has one.
    pub fn with_article(self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Integer | Self::Alias => format!("an {}", self.name()),
            _ => format!("a {}", self.name()),
        }
    }
}

/// The form in which an entry is written.
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
    /// A TOML table without a header, defined only by its keys.
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

    /// Returns the range as `usize`, for slices.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether the range is empty.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// An entry: a key with its value, or an item of a list. The root is the first.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The index of the entry that contains this entry. For the root, its own index.
    pub parent: u32,
    /// The position in the entry that contains it, counted from 0.
    pub number: u32,
    /// The key in the source, with quotes. Empty for an item.
    pub key: Bytes,
    /// The value in the source, without its anchor and tag.
    pub value: Bytes,
    /// The offset of the key, or of an item with its dash or its anchor and tag.
    pub start: u32,
    /// The number of entries from this entry to its last descendant. In TOML, where later
    /// statements may add to a table, always 1.
    pub(super) size: u32,
    /// The type of the value.
    pub kind: Kind,
    /// The form in which the value is written.
    pub form: Form,
}

/// A syntax error in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The offset of the error.
    pub offset: usize,
    /// The problem, as a sentence without a full stop.
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
    /// The entries in document order. Each container precedes its entries.
    pub nodes: Vec<Node>,
    /// Texts of scalars that differ from the source, in the order of the entries.
    pub(super) decoded: Vec<(u32, Box<str>)>,
    /// Names of keys that differ from the source, in the order of the entries.
    pub(super) names: Vec<(u32, Box<str>)>,
    /// Aliases, and the entries that they refer to.
    pub(super) aliases: Vec<(u32, u32)>,
    /// The entries of YAML whose values have an anchor or a tag, in the order of the entries.
    pub(super) properties: Vec<(u32, Properties)>,
    /// The ends of keys of YAML that are collections, with the hashes of their data.
    pub(super) collection_keys: Vec<(u32, u64)>,
    /// The positions of names in TOML, where a table may be named repeatedly.
    pub(super) mentions: Vec<(u32, Bytes)>,
    /// The statements of TOML, each with the entry that it defines.
    pub(super) statements: Vec<Statement>,
    /// The offsets at which lines begin.
    lines: Vec<u32>,
    /// Keys whose name occurs several times in their mapping, in the order of the entries, each
    /// with the number of earlier ones.
    repeated: OnceLock<Vec<(u32, u32)>>,
    /// The indentation of one level, see `layout::unit`.
    pub(super) unit: OnceLock<Bytes>,
}

/// The anchor and the tag of a value of YAML. A missing one is empty.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Properties {
    pub(super) anchor: Bytes,
    pub(super) tag: Bytes,
}

impl Properties {
    /// Returns the bytes from the first to the last of them. Empty if there is none.
    pub(super) fn span(self) -> Range<usize> {
        match (self.anchor.is_empty(), self.tag.is_empty()) {
            (false, false) => {
                let (anchor, tag) = (self.anchor.range(), self.tag.range());
                anchor.start.min(tag.start)..anchor.end.max(tag.end)
            }
            (true, _) => self.tag.range(),
            (_, true) => self.anchor.range(),
        }
    }
}

/// A header or a key of TOML, with its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Statement {
    /// The entry that it defines.
    pub(super) node: u32,
    /// Whether it is a header.
    pub(super) is_header: bool,
    /// Its bytes, without surrounding whitespace and comments.
    pub(super) at: Bytes,
}

/// Removes the quotes of a text, if it begins with a quote.
fn unquoted(text: &str) -> &str {
    match text.as_bytes() {
        [first @ (b'"' | b'\''), .., last] if first == last => &text[1..text.len() - 1],
        _ => text,
    }
}

fn lookup(list: &[(u32, Box<str>)], index: usize) -> Option<&str> {
    let position = list.binary_search_by_key(&(index as u32), |(entry, _)| *entry).ok()?;
    Some(&list[position].1)
}

impl Tree {
    /// The index of the root.
    pub const ROOT: usize = 0;

    /// Returns the entry at an index.
    pub fn node(&self, index: usize) -> &Node {
        &self.nodes[index]
    }

    /// Returns the entry that contains an entry, or `None` for the root.
    pub fn parent(&self, index: usize) -> Option<usize> {
        (index != Self::ROOT).then(|| self.nodes[index].parent as usize)
    }

    /// Returns the name of a key, or `None` for an item.
    pub fn name(&self, index: usize) -> Option<&str> {
        let parent = self.parent(index)?;
        if self.nodes[parent].kind != Kind::Mapping {
            return None;
        }
        let written = &self.text[self.nodes[index].key.range()];
        Some(lookup(&self.names, index).unwrap_or_else(|| unquoted(written)))
    }

    /// Returns the text of a scalar. Quotes and escapes of strings are resolved.
    pub fn scalar(&self, index: usize) -> &str {
        let node = &self.nodes[index];
        let written = &self.text[node.value.range()];
        let text = match node.kind {
            Kind::String => unquoted(written),
            _ => written,
        };
        lookup(&self.decoded, index).unwrap_or(text)
    }

    /// Whether the file consists of several documents.
    pub fn has_documents(&self) -> bool {
        self.nodes[Self::ROOT].form == Form::Documents
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

    /// Returns the source of the value.
    pub fn written(&self, index: usize) -> &str {
        &self.text[self.nodes[index].value.range()]
    }

    /// Returns the source of a scalar of YAML that has neither quotes nor a tag.
    pub(super) fn plain_text(&self, index: usize) -> Option<&str> {
        let written = self.written(index);
        let is_plain = self.syntax == Syntax::Yaml
            && self.nodes[index].form == Form::Scalar
            && !written.starts_with(['"', '\'', '|', '>', '*'])
            && self.tag(index).is_none();
        is_plain.then_some(written)
    }

    /// Returns the entries directly in an entry.
    pub fn children(&self, index: usize) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let is_child = move |child: &usize| self.nodes[*child].parent as usize == index;
        (index + 1..index + self.size(index)).filter(is_child)
    }

    /// Whether an entry is in a mapping or list in brackets.
    pub fn is_in_brackets(&self, index: usize) -> bool {
        self.parent(index).is_some_and(|parent| self.nodes[parent].form == Form::Flow)
    }

    /// Returns the number of entries from an entry to its last descendant. In TOML, where later
    /// statements may add to a table, counts all entries that follow.
    pub fn size(&self, index: usize) -> usize {
        let node = &self.nodes[index];
        match (node.kind.is_container(), self.syntax) {
            (false, _) => 1,
            (true, Syntax::Toml) => self.nodes.len() - index,
            (true, _) if index == Self::ROOT => self.nodes.len(),
            (true, _) => node.size as usize,
        }
    }

    /// Whether an entry is equal to another one or a descendant of it.
    pub fn is_within(&self, index: usize, other: usize) -> bool {
        let mut ancestor = index;
        while ancestor > other {
            ancestor = self.nodes[ancestor].parent as usize;
        }
        ancestor == other
    }

    /// Returns the key path that selects an entry.
    pub fn path(&self, index: usize) -> String {
        let mut path = String::new();
        let mut steps = Vec::new();
        let mut ancestor = index;
        while let Some(parent) = self.parent(ancestor) {
            steps.push(ancestor);
            ancestor = parent;
        }
        for step in steps.into_iter().rev() {
            self.push_step(&mut path, step);
        }
        path
    }

    /// Returns the names in the path of an entry, without the numbers of items.
    pub(super) fn names_to(&self, index: usize) -> Vec<&str> {
        let mut names = Vec::new();
        let mut ancestor = index;
        while let Some(parent) = self.parent(ancestor) {
            names.extend(self.name(ancestor));
            ancestor = parent;
        }
        names.reverse();
        names
    }

    /// Appends the last step of an entry's path. In documents without nesting, a name is not
    /// quoted, even if it contains dots.
    fn push_step(&self, path: &mut String, index: usize) {
        let is_ini = matches!(self.syntax, Syntax::Ini(_));
        match (self.name(index), self.syntax.is_flat()) {
            _ if is_ini => ini::push_step(self, path, index),
            (Some(name), true) if !name.is_empty() => path.push_str(name),
            (Some(name), _) => push_name(path, name),
            (None, _) => return push_index(path, self.nodes[index].number),
        }
        let repeated = self.repeated.get_or_init(|| self.number_repeated());
        if let Ok(position) = repeated.binary_search_by_key(&(index as u32), |(entry, _)| *entry) {
            // Sections of INI are counted from 1, as sections of other documents are.
            let is_section = is_ini && self.nodes[index].kind == Kind::Mapping;
            push_index(path, repeated[position].1 + u32::from(is_section));
        }
    }

    fn number_repeated(&self) -> Vec<(u32, u32)> {
        // In INI, a key before all sections may have the name of a section.
        let name = |index: u32| {
            let node = &self.nodes[index as usize];
            let is_section = matches!(self.syntax, Syntax::Ini(_)) && node.kind == Kind::Mapping;
            (node.parent, is_section, self.name(index as usize))
        };
        let hash = |index| {
            let mut hasher = DefaultHasher::new();
            name(index).hash(&mut hasher);
            (hasher.finish(), index)
        };
        let is_key = |index: &u32| self.name(*index as usize).is_some();
        let mut hashes: Vec<_> = (1..self.nodes.len() as u32).filter(is_key).map(hash).collect();
        hashes.sort_unstable();
        let groups =
            hashes.chunk_by(|entry, next| entry.0 == next.0 && name(entry.1) == name(next.1));
        let number_keys = |keys: &'_ [(u64, u32)]| {
            (0..keys.len()).map(|number| (keys[number].1, number as u32)).collect::<Vec<_>>()
        };
        let mut numbers: Vec<_> =
            groups.filter(|keys| keys.len() > 1).flat_map(number_keys).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Returns the number of the line that contains an offset, counted from 1.
    pub fn line_of(&self, offset: usize) -> u64 {
        self.lines.partition_point(|&start| start as usize <= offset) as u64
    }

    /// Returns the offset at which a line begins. Lines count from 1. After the last line, returns
    /// the end of the document.
    pub fn line_start(&self, line: u64) -> usize {
        let start = self.lines.get((line as usize).saturating_sub(1));
        start.map_or(self.text.len(), |&start| start as usize)
    }

    /// Returns the start of the line that contains an offset.
    pub fn start_of_line(&self, offset: usize) -> usize {
        self.line_start(self.line_of(offset))
    }

    /// Returns the offset of the line ending of the line that contains an offset.
    pub fn end_of_line(&self, offset: usize) -> usize {
        let next = self.line_start(self.line_of(offset) + 1);
        offset.max(self.text[..next].trim_end_matches('\n').trim_end_matches('\r').len())
    }

    /// Returns the indentation, in bytes, of the line that contains an offset.
    pub fn indent_of(&self, offset: usize) -> usize {
        let line = &self.text[self.start_of_line(offset)..];
        line.len() - line.trim_start_matches([' ', '\t']).len()
    }

    /// Returns the bytes from the start of an entry to the end of its value.
    pub fn span(&self, index: usize) -> Range<usize> {
        let node = &self.nodes[index];
        node.start as usize..node.value.range().end.max(node.key.range().end)
    }

    /// Returns the lines of an entry, from its key to the end of its value.
    pub fn lines(&self, index: usize) -> LineRange {
        let span = self.span(index);
        let written = self.text[span.clone()].trim_end().len();
        let last = (span.start + written).max(span.start + 1) - 1;
        LineRange::from_to(self.line_of(span.start), self.line_of(last))
    }

    /// Returns the names of the YAML anchors of an entry and the entries in it, with their indices.
    pub fn anchors(&self, index: usize) -> impl Iterator<Item = (&str, usize)> {
        let entries = index as u32..(index + self.size(index)) as u32;
        let first = self.properties.partition_point(|(entry, _)| *entry < entries.start);
        let properties =
            self.properties[first..].iter().take_while(move |(entry, _)| *entry < entries.end);
        properties.filter(|(_, properties)| !properties.anchor.is_empty()).map(
            |(index, properties)| (&self.text[properties.anchor.range()][1..], *index as usize),
        )
    }

    /// Returns the names of the anchors outside of an entry to which aliases in it refer.
    pub fn outer_anchors(&self, index: usize) -> impl Iterator<Item = &str> {
        let entries = index..index + self.size(index);
        let is_outer = move |alias: &usize| {
            let is_inner = |anchor: usize| self.is_within(anchor, index);
            self.nodes[*alias].kind == Kind::Alias && !self.anchor_of(*alias).is_some_and(is_inner)
        };
        entries.filter(is_outer).map(|alias| &self.written(alias)[1..])
    }

    /// Returns the anchor and the tag of a value.
    pub(super) fn properties(&self, index: usize) -> Properties {
        let position = self.properties.binary_search_by_key(&(index as u32), |(entry, _)| *entry);
        position.map_or(Properties::default(), |position| self.properties[position].1)
    }

    /// Returns the tag of a value of YAML, such as `!!str`.
    pub fn tag(&self, index: usize) -> Option<&str> {
        let tag = self.properties(index).tag;
        (!tag.is_empty()).then(|| &self.text[tag.range()])
    }

    /// Returns the tag of a key of YAML, which is not that of its value.
    pub fn key_tag(&self, index: usize) -> Option<&str> {
        let node = self.node(index);
        let before = self.text.get(node.start as usize..node.key.start as usize)?;
        let is_key = self.syntax == Syntax::Yaml && self.name(index).is_some();
        before.split_whitespace().find(|word| is_key && word.starts_with('!'))
    }

    /// Returns the entry that an alias refers to.
    pub fn anchor_of(&self, alias: usize) -> Option<usize> {
        let position =
            self.aliases.binary_search_by_key(&(alias as u32), |(entry, _)| *entry).ok()?;
        Some(self.aliases[position].1 as usize)
    }

    /// Replaces a root that has a single entry with that entry.
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
        for (index, _) in &mut self.properties {
            *index -= 1;
        }
    }

    /// Returns the line and column of an offset, counted from 1. The column is in characters.
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
    /// The open containers, with the number of entries in each so far.
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
            properties: Vec::new(),
            collection_keys: Vec::new(),
            mentions: Vec::new(),
            statements: Vec::new(),
            lines,
            repeated: OnceLock::new(),
            unit: OnceLock::new(),
        };
        Ok(Self { tree, open: Vec::new() })
    }

    pub(super) fn tree(&mut self) -> &mut Tree {
        &mut self.tree
    }

    /// Returns an entry that was added.
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
        self.tree.nodes.push(Node { parent, number, key, value, start, size: 1, kind, form });
        index
    }

    /// Opens a container for the entries that follow.
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

    /// Closes the innermost container. Its value ends at the given offset.
    pub(super) fn close(&mut self, end: usize) {
        if let Some((index, _)) = self.open.pop() {
            let size = self.tree.nodes.len() as u32 - index;
            let node = &mut self.tree.nodes[index as usize];
            node.size = size;
            node.value.end = node.value.start.max(end as u32);
        }
    }

    /// Records the name of a key, if it differs from the source.
    pub(super) fn name(&mut self, index: usize, name: &str) {
        let written = &self.tree.text[self.tree.nodes[index].key.range()];
        if unquoted(written) != name {
            self.tree.names.push((index as u32, name.into()));
        }
    }

    /// Records the text of a string, if it differs from the source.
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
