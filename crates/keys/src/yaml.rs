//! Parses YAML into entries.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span, Tag};

use super::tree::{Builder, Bytes, Fault, Form, Kind, Properties, Syntax, Tree};
use super::yaml_parts::{BLANKS, BlockScalar, plain_kind, quoted_length};
use super::yaml_source::YamlSource;

/// Parses a stream of documents. If there is only one, its root is the root of the tree.
///
/// # Errors
///
/// Fails at the first syntax error.
pub(super) fn parse(text: &str) -> Result<Tree, Fault> {
    parse_with(YamlSource::new(text))
}

/// Parses a part of a document, in which aliases may refer to anchors of the rest. Such an alias has
/// no entry that it refers to.
///
/// # Errors
///
/// Fails at the first syntax error.
pub(super) fn parse_fragment(text: &str) -> Result<Tree, Fault> {
    parse_with(YamlSource::of_fragment(text))
}

fn parse_with(mut source: YamlSource<'_>) -> Result<Tree, Fault> {
    for _ in 0..MAX_REWRITES {
        match parse_source(&source) {
            Err(fault) if source.accept(&fault, decode_string) => {}
            result => return result,
        }
    }
    parse_source(&source)
}

/// Returns the text of a string in quotes. As a document of its own, it needs no indentation.
fn decode_string(source: &str) -> Option<String> {
    let tree = parse_source(&YamlSource::new(source)).ok()?;
    let is_string = tree.nodes.len() == 1 && tree.written(Tree::ROOT) == source;
    is_string.then(|| tree.scalar(Tree::ROOT).to_owned())
}

/// Maximum number of rewritten places, each of which requires parsing the document again.
const MAX_REWRITES: usize = 100;

fn parse_source(source: &YamlSource<'_>) -> Result<Tree, Fault> {
    let text = source.text;
    let mut builder = Builder::new(Syntax::Yaml, text)?;
    let all = Bytes::new(0, text.len());
    let root = builder.add(0, Bytes::default(), all, Kind::Sequence, Form::Documents);
    builder.open(root)?;
    let offsets = offsets(&source.rewritten);
    let mut reader = YamlReader {
        text,
        source,
        offsets,
        builder,
        open: Vec::new(),
        key: Key::None,
        end: 0,
        anchors: HashMap::new(),
    };
    for event in events(&source.rewritten) {
        let (event, span) = event.map_err(|error| {
            Fault::new(reader.offset(*error.marker()), error.info().to_lowercase())
        })?;
        let span = reader.offset(span.start)..reader.offset(span.end);
        reader.handle_event(event, span)?;
    }
    let mut tree = reader.builder.finish();
    if tree.nodes.len() == 1 {
        let end = text.len();
        tree.nodes[0].kind = Kind::Null;
        tree.nodes[0].form = Form::Scalar;
        tree.nodes[0].value = Bytes::new(end, end);
        tree.nodes[0].start = end as u32;
    } else if tree.children(Tree::ROOT).nth(1).is_none() {
        tree.remove_root();
    }
    Ok(tree)
}

type Events<'a> = Box<dyn Iterator<Item = Result<(Event<'a>, Span), ScanError>> + 'a>;

/// Returns the events of a document, with the numbers of their characters.
fn events(text: &str) -> Events<'_> {
    // In a directive, the parser of strings counts bytes instead of characters.
    let is_directive = |line: &str| line.trim_start_matches('\u{feff}').starts_with('%');
    if !text.is_ascii() && text.split(['\n', '\r']).any(is_directive) {
        Box::new(Parser::new_from_iter(text.chars()))
    } else {
        Box::new(Parser::new_from_str(text))
    }
}

/// The offset of each character, if any character is longer than a byte.
fn offsets(text: &str) -> Vec<u32> {
    if text.is_ascii() {
        return Vec::new();
    }
    text.char_indices().map(|(at, _)| at as u32).chain([text.len() as u32]).collect()
}

/// The key whose value comes next.
enum Key {
    None,
    /// A key that is itself a collection: the number of its open collections, its bytes, and the
    /// hash of its data.
    Collection(usize, Range<usize>, DefaultHasher),
    /// Its name, and its bytes with an anchor and a tag.
    Name(String, Range<usize>),
}

/// A collection that is open.
struct Open {
    index: usize,
    is_mapping: bool,
    is_flow: bool,
    /// The number of entries so far.
    count: usize,
}

struct YamlReader<'a> {
    text: &'a str,
    source: &'a YamlSource<'a>,
    offsets: Vec<u32>,
    builder: Builder,
    open: Vec<Open>,
    key: Key,
    /// The end of the last entry.
    end: usize,
    /// The entries with anchors, by the number of the anchor. Keys have anchors too, but are not
    /// entries.
    anchors: HashMap<usize, u32>,
}

impl YamlReader<'_> {
    fn offset(&self, mark: Marker) -> usize {
        let at = if self.offsets.is_empty() {
            mark.index()
        } else {
            self.offsets.get(mark.index()).map_or(self.text.len(), |&at| at as usize)
        };
        at.min(self.text.len())
    }

    fn handle_event(&mut self, event: Event<'_>, span: Range<usize>) -> Result<(), Fault> {
        let event = match (event, self.source.decoded(&span)) {
            (Event::Scalar(_, style, anchor, tag), Some(text)) => {
                Event::Scalar(Cow::Owned(text.to_owned()), style, anchor, tag)
            }
            (event, _) => event,
        };
        if self.take_key(&event, &span) {
            return Ok(());
        }
        match event {
            Event::Scalar(_, ScalarStyle::Plain, ..)
                if self.text[span.start..].starts_with('*') =>
            {
                self.add_entry(&span, Kind::Alias, Form::Scalar, Properties::default());
                self.end = self.end.max(span.end);
            }
            Event::Scalar(text, style, anchor, tag) => {
                let value = self.scalar_bytes(&span, style, text.is_empty());
                let kind = scalar_kind(&text, style, tag.as_deref());
                let properties = self.value_properties(span.start, anchor, tag.is_some());
                let index = self.add_entry(&value, kind, Form::Scalar, properties);
                self.note_anchor(anchor, index);
                if kind == Kind::String {
                    // The parser adds a missing line ending at the end.
                    let is_cut = is_block(style) && span.end == self.text.len();
                    let is_cut = is_cut && !self.text.trim_end_matches([' ', '\t']).ends_with('\n');
                    let text = if is_cut { text.trim_end_matches('\n') } else { &text };
                    self.builder.text(index, text);
                }
                self.end = self.end.max(value.end);
            }
            Event::Alias(id) => {
                let index = self.add_entry(&span, Kind::Alias, Form::Scalar, Properties::default());
                if let Some(&anchor) = self.anchors.get(&id) {
                    self.builder.tree().aliases.push((index as u32, anchor));
                }
                self.end = self.end.max(span.end);
            }
            Event::MappingStart(anchor, tag) => {
                self.begin_collection(&span, Kind::Mapping, (anchor, tag.is_some()))?;
            }
            Event::SequenceStart(anchor, tag) => {
                self.begin_collection(&span, Kind::Sequence, (anchor, tag.is_some()))?;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                let is_flow = self.open.pop().is_some_and(|open| open.is_flow);
                if is_flow {
                    // Only the bracket: the end that the parser reports may include a comment.
                    self.end = span.end.min(span.start + 1);
                }
                self.builder.close(self.end);
            }
            Event::DocumentStart(_) => self.end = self.end.max(span.end),
            _ => {}
        }
        Ok(())
    }

    /// Handles an event that is part of a key.
    fn take_key(&mut self, event: &Event<'_>, span: &Range<usize>) -> bool {
        let is_start = matches!(event, Event::MappingStart(..) | Event::SequenceStart(..));
        let is_end = matches!(event, Event::MappingEnd | Event::SequenceEnd);
        if let Key::Collection(depth, range, data) = &mut self.key {
            *depth = *depth + usize::from(is_start) - usize::from(is_end);
            std::mem::discriminant(event).hash(data);
            if let Event::Scalar(text, ..) = event {
                text.hash(data);
            }
            let range = range.start..range.end.max(span.end);
            if *depth == 0 {
                let end = self.text[..range.end].trim_end_matches(BLANKS).len();
                let end = if is_end { end.min(span.start + 1) } else { end };
                let start = range.start.min(end);
                let data = (end as u32, data.finish());
                self.builder.tree().collection_keys.push(data);
                self.key = Key::Name(self.text[start..end].to_owned(), start..end);
            }
            return true;
        }
        let Some(Open { is_mapping: true, .. }) = self.open.last() else { return false };
        if !matches!(self.key, Key::None) || is_end {
            return false;
        }
        self.key = match event {
            Event::Scalar(text, style, ..) => {
                let bytes = self.scalar_bytes(span, *style, text.is_empty());
                let is_missing = text.is_empty()
                    && *style == ScalarStyle::Plain
                    && !self.text[span.start..].starts_with(['&', '!']);
                let missing = self.mark_offset('?').map_or(span.start, |at| at + 1);
                let bytes = if is_missing { missing..missing } else { bytes };
                let start = match self.mark_offset('?').filter(|_| is_block(*style)) {
                    Some(at) => self.after_comments(at + 1),
                    None => span.start.min(bytes.end),
                };
                let name = if self.text[span.start..].starts_with('*') {
                    self.text[span.clone()].to_owned()
                } else {
                    text.to_string()
                };
                Key::Name(name, start..bytes.end)
            }
            Event::Alias(_) => Key::Name(self.text[span.clone()].to_owned(), span.clone()),
            _ if is_start => {
                let start =
                    self.mark_offset('?').map_or(span.start, |at| self.after_comments(at + 1));
                let bytes = start.min(span.start)..span.end;
                Key::Collection(1, bytes, DefaultHasher::new())
            }
            _ => return false,
        };
        true
    }

    fn begin_collection(
        &mut self,
        span: &Range<usize>,
        kind: Kind,
        (anchor, is_tagged): (usize, bool),
    ) -> Result<(), Fault> {
        let properties = self.value_properties(span.start, anchor, is_tagged);
        let start = match properties.span() {
            // What follows may be the anchor or the tag of the first key.
            properties_span if properties_span.is_empty() => span.start,
            properties_span => self.after_comments(properties_span.end),
        };
        let is_flow = span.end > span.start && self.text[start..].starts_with(['{', '[']);
        let in_flow = self.open.last().is_some_and(|open| open.is_flow);
        let form = if is_flow || in_flow { Form::Flow } else { Form::Block };
        let index = self.add_entry(&(start..span.end.max(start)), kind, form, properties);
        self.note_anchor(anchor, index);
        self.builder.open(index)?;
        self.open.push(Open { index, is_mapping: kind == Kind::Mapping, is_flow, count: 0 });
        self.end = self.end.max(start + usize::from(is_flow));
        Ok(())
    }

    /// Records which entry has an anchor. Number 0 is no anchor.
    fn note_anchor(&mut self, anchor: usize, index: usize) {
        if anchor > 0 {
            self.anchors.insert(anchor, index as u32);
        }
    }

    /// Adds the value of the last key, the next item, or a document.
    fn add_entry(
        &mut self,
        value: &Range<usize>,
        kind: Kind,
        form: Form,
        properties: Properties,
    ) -> usize {
        let properties_span = properties.span();
        let key = std::mem::replace(&mut self.key, Key::None);
        let mut value = value.clone();
        let (start, name, written) = match key {
            Key::Name(name, bytes) => {
                let after = self.after_colon(&bytes).max(properties_span.end);
                if value.is_empty() || value.start < after {
                    value = after..after.max(value.end);
                }
                if kind == Kind::Null && self.text[value.clone()].trim_matches(BLANKS).is_empty() {
                    value = after..after;
                }
                let written = self.after_properties(bytes.start)..bytes.end;
                self.end = self.end.max(after);
                (
                    self.start_with_mark(bytes.start, '?'),
                    Some(name),
                    Bytes::new(written.start.min(written.end), written.end),
                )
            }
            _ => {
                let is_block = self.open.last().is_some_and(|open| !open.is_flow);
                let first =
                    if properties_span.is_empty() { value.start } else { properties_span.start };
                let start = if is_block { self.dash_offset(first) } else { first };
                let has_dash = is_block && self.text[start..].starts_with('-');
                if has_dash && value.is_empty() && form == Form::Scalar {
                    let after = properties_span.end.max(start + 1);
                    value = after..after;
                }
                (start, None, Bytes::default())
            }
        };
        if let Some(open) = self.open.last_mut() {
            open.count += 1;
            let (index, is_first) = (open.index, open.count == 1);
            let node = &mut self.builder.tree().nodes[index];
            if is_first && node.form == Form::Block {
                node.value.start = start as u32;
            }
        }
        let bytes = Bytes::new(value.start, value.end);
        let index = self.builder.add(start, written, bytes, kind, form);
        if let Some(name) = name {
            self.builder.name(index, &name);
        }
        if !properties_span.is_empty() {
            self.builder.tree().properties.push((index as u32, properties));
        }
        index
    }

    /// Returns the bytes of a scalar, without its anchor, tag and trailing comment.
    fn scalar_bytes(
        &self,
        span: &Range<usize>,
        style: ScalarStyle,
        is_empty: bool,
    ) -> Range<usize> {
        let is_block = is_block(style);
        if is_empty && !is_block && style == ScalarStyle::Plain {
            let end = self.properties(span.start).start;
            return end..end;
        }
        let start = match (is_block, &self.key) {
            (false, _) => self.after_properties(span.start),
            // The parser's span begins after the header.
            (true, Key::Name(_, key)) => self.after_properties(self.after_colon(key)),
            (true, _) => {
                let header = match self.open.last() {
                    None => self.end,
                    Some(open) => {
                        let mark = if open.is_mapping { '?' } else { '-' };
                        self.mark_offset(mark).map_or(span.start, |at| at + 1)
                    }
                };
                self.after_properties(header)
            }
        };
        let end = match self.text.as_bytes().get(start) {
            Some(quote @ (b'"' | b'\'')) if !is_block && style != ScalarStyle::Plain => {
                start + quoted_length(&self.text.as_bytes()[start..], *quote)
            }
            _ => span.end.max(start),
        };
        let end = start + self.text[start..end].trim_end_matches(BLANKS).len();
        let keeps_lines = is_block
            && BlockScalar::parse(&self.text[start..end])
                .is_some_and(|scalar| scalar.keeps_lines());
        start..if keeps_lines { self.end_of_blank_lines(end) } else { end }
    }

    /// Returns the end of the last of the blank lines below an offset.
    fn end_of_blank_lines(&self, mut end: usize) -> usize {
        loop {
            let Some(below) = self.text[end..].find('\n').map(|at| end + at + 1) else {
                return end;
            };
            let line = self.text[below..].split('\n').next().unwrap_or_default();
            if below == self.text.len() || !line.trim_matches(BLANKS).is_empty() {
                return end;
            }
            end = below + line.trim_end_matches('\r').len();
        }
    }

    /// Returns the offset after the colon of a key, or after the key if it has no colon.
    fn after_colon(&self, key: &Range<usize>) -> usize {
        let at = self.after_comments(key.end);
        let column = |at: usize| at - self.text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
        // On another line, a colon in another column belongs to an outer key.
        let is_colon_of_key = !self.text[key.end..at].contains(['\n', '\r'])
            || self.open.last().is_some_and(|open| open.is_flow)
            || column(at) == column(self.start_with_mark(key.start, '?'));
        if is_colon_of_key && self.text[at..].starts_with(':') { at + 1 } else { key.end }
    }

    /// Skips whitespace and comments.
    fn after_comments(&self, mut at: usize) -> usize {
        loop {
            let rest = &self.text[at..];
            at += rest.len() - rest.trim_start_matches(BLANKS).len();
            if !self.text[at..].starts_with('#') {
                return at;
            }
            at += self.text[at..].find(['\n', '\r']).unwrap_or(self.text.len() - at);
        }
    }

    /// Skips whitespace, anchors and tags.
    fn after_properties(&self, start: usize) -> usize {
        self.properties(start).end
    }

    /// Returns the bytes between the last anchor or tag from an offset on and the scalar after it.
    fn properties(&self, start: usize) -> Range<usize> {
        let (mut last, mut at) = (start, self.after_comments(start));
        while let Some(end) = self.end_of_property(at) {
            last = end;
            at = self.after_comments(last);
        }
        last..at
    }

    fn end_of_property(&self, at: usize) -> Option<usize> {
        let ends_property =
            |character: char| BLANKS.contains(&character) || ",[]{}".contains(character);
        let rest = &self.text[at..];
        let length = match rest.starts_with("!<") {
            true => rest.find('>').map(|end| end + 1),
            false if rest.starts_with(['&', '!']) => rest.find(ends_property),
            false => return None,
        };
        Some(at + length.unwrap_or(rest.len()))
    }

    /// Returns the anchor and the tag that a value has according to the parser. More of them may
    /// follow, which belong to the first key of a mapping.
    fn value_properties(&self, start: usize, anchor: usize, is_tagged: bool) -> Properties {
        let mut found = Properties::default();
        let mut at = self.after_comments(start);
        while let Some(end) = self.end_of_property(at) {
            let is_anchor = self.text[at..].starts_with('&');
            let property = if is_anchor { &mut found.anchor } else { &mut found.tag };
            if !property.is_empty() || !if is_anchor { anchor > 0 } else { is_tagged } {
                break;
            }
            *property = Bytes::new(at, end);
            at = self.after_comments(end);
        }
        found
    }

    /// Returns the offset of the mark that precedes an entry, or the start of the entry without
    /// one.
    fn start_with_mark(&self, start: usize, mark: char) -> usize {
        let before = self.text[..start].trim_end_matches(BLANKS);
        match before.strip_suffix(mark) {
            Some(rest) if rest.is_empty() || rest.ends_with(BLANKS) => rest.len(),
            _ => start,
        }
    }

    /// Returns the offset of the dash of the item whose value begins at an offset.
    fn dash_offset(&self, value: usize) -> usize {
        self.mark_offset('-').unwrap_or(value)
    }

    /// Returns the offset of the mark with which the next entry of the open collection begins.
    fn mark_offset(&self, mark: char) -> Option<usize> {
        let from = match self.open.last()? {
            open if open.count > 0 => self.end,
            open => self.builder_start(open.index),
        };
        // The collection or the last entry may have an anchor or a tag.
        let at = self.after_properties(from);
        self.text[at..].starts_with(mark).then_some(at)
    }

    fn builder_start(&self, index: usize) -> usize {
        self.builder.node(index).value.start as usize
    }
}

fn is_block(style: ScalarStyle) -> bool {
    matches!(style, ScalarStyle::Literal | ScalarStyle::Folded)
}

fn scalar_kind(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Kind {
    match tag {
        Some(tag) if tag.is_yaml_core_schema() => match &tag.suffix[..] {
            "int" => Kind::Integer,
            "float" => Kind::Float,
            "bool" => Kind::Boolean,
            "null" => Kind::Null,
            _ => Kind::String,
        },
        Some(_) => Kind::String,
        None if style == ScalarStyle::Plain => plain_kind(text),
        None => Kind::String,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str, &str)]) {
        let tree = parse(text).expect("valid YAML");
        let found: Vec<(String, &str, &str)> = (0..tree.nodes.len())
            .filter(|&index| index > 0 || tree.node(0).form == Form::Scalar)
            .map(|index| (tree.path(index), &text[tree.span(index)], tree.written(index)))
            .collect();
        let found: Vec<_> =
            found.iter().map(|(path, span, value)| (&path[..], *span, *value)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn entries_have_the_correct_bytes() {
        check(
            "a: &x 5 # c\nb: &y\n  c: 1\n  d: *x\n",
            &[
                ("a", "a: &x 5", "5"),
                ("b", "b: &y\n  c: 1\n  d: *x", "c: 1\n  d: *x"),
                ("b.c", "c: 1", "1"),
                ("b.d", "d: *x", "*x"),
            ],
        );
        check(
            "a: !!str 5\nb: \"q\n  r\" # s\nc: |\n  one\n\n  two\n\nd: >-\n  x\n",
            &[
                ("a", "a: !!str 5", "5"),
                ("b", "b: \"q\n  r\"", "\"q\n  r\""),
                ("c", "c: |\n  one\n\n  two", "|\n  one\n\n  two"),
                ("d", "d: >-\n  x", ">-\n  x"),
            ],
        );
        check(
            "- a: 1\n  b: 2\n# c\n- [1, {x: y}] # c\n-\n- |\n  lit\n",
            &[
                ("[0]", "- a: 1\n  b: 2", "a: 1\n  b: 2"),
                ("[0].a", "a: 1", "1"),
                ("[0].b", "b: 2", "2"),
                ("[1]", "- [1, {x: y}]", "[1, {x: y}]"),
                ("[1][0]", "1", "1"),
                ("[1][1]", "{x: y}", "{x: y}"),
                ("[1][1].x", "x: y", "y"),
                ("[2]", "-", ""),
                ("[3]", "- |\n  lit", "|\n  lit"),
            ],
        );
        check("%ä ü\n---\nö: x\n", &[("ö", "ö: x", "x")]);
        check(
            "? [a,b]\n: c\n? k\n: v\n",
            &[("\"[a,b]\"", "? [a,b]\n: c", "c"), ("k", "? k\n: v", "v")],
        );
        check(
            "a:\nb: # n\n  - - x\n    - y\nc: {}\nä: \"ö\" # z\n",
            &[
                ("a", "a:", ""),
                ("b", "b: # n\n  - - x\n    - y", "- - x\n    - y"),
                ("b[0]", "- - x\n    - y", "- x\n    - y"),
                ("b[0][0]", "- x", "x"),
                ("b[0][1]", "- y", "y"),
                ("c", "c: {}", "{}"),
                ("ä", "ä: \"ö\"", "\"ö\""),
            ],
        );
        check(
            "{a: 1, b, \"c\":2, d: [x: y]}",
            &[
                ("a", "a: 1", "1"),
                ("b", "b", ""),
                ("c", "\"c\":2", "2"),
                ("d", "d: [x: y]", "[x: y]"),
                ("d[0]", "x: y", "x: y"),
                ("d[0].x", "x: y", "y"),
            ],
        );
    }

    #[test]
    fn anchors_of_keys_are_not_entries() {
        check("&a a: &b b\n*b : *a\n", &[("a", "&a a: &b b", "b"), ("*b", "*b : *a", "*a")]);
        check("? &a a\n: &b b\n: *a\n", &[("a", "? &a a\n: &b b", "b"), ("\"\"", ": *a", "*a")]);
    }

    #[test]
    fn only_spaces_tabs_and_line_endings_are_blank() {
        check(
            "a: \u{a0}x\u{a0}\nb: \u{2003} # c\n",
            &[("a", "a: \u{a0}x\u{a0}", "\u{a0}x\u{a0}"), ("b", "b: \u{2003}", "\u{2003}")],
        );
        check("&\u{b}e\n  - \n", &[("[0]", "-", "")]);
    }

    #[test]
    fn the_colon_of_an_outer_key_is_not_that_of_a_key_without_value() {
        let text = "a:\n  ? b\n:\n";
        let tree = parse(text).expect("valid");
        let (inner, outer) = (tree.node(2), tree.node(3));
        assert_eq!((inner.value.start, outer.value.start), (8, 10));
        let tree = parse("? a\n: b\n").expect("valid");
        assert_eq!(tree.written(1), "b");
        let tree = parse("{ a\n : b }\n").expect("valid");
        assert_eq!(tree.written(1), "b");
    }

    #[test]
    fn an_empty_key_ends_at_its_anchor() {
        let text = "a: 1\n? &x\nb: 2\n? !t # c\n: 3\n";
        let tree = parse(text).expect("valid");
        let lines: Vec<&str> =
            tree.children(Tree::ROOT).map(|entry| &text[tree.span(entry)]).collect();
        assert_eq!(lines, ["a: 1", "? &x", "b: 2", "? !t # c\n: 3"]);
    }

    #[test]
    fn a_dash_that_is_not_found_has_no_bytes() {
        // The parser takes the bracket as part of the comment.
        for text in ["-\r#\n}\r-", "?\r-\n\r?\r- "] {
            let tree = parse(text).expect("accepted");
            assert!((0..tree.nodes.len()).all(|index| tree.text.get(tree.span(index)).is_some()));
        }
    }

    #[test]
    fn keys_may_be_empty() {
        check("'':\n- ", &[("\"\"", "'':\n- ", "- "), ("\"\"[0]", "-", "")]);
        check("&b :\n- ", &[("\"\"", "&b :\n- ", "- "), ("\"\"[0]", "-", "")]);
        check("?\n- ", &[("-", "?\n-", "")]);
        check("{&a}\n", &[("\"\"", "&a", "")]);
        check("- ?\n", &[("[0]", "- ?\n", "?\n"), ("[0].\"\"", "?", "")]);
    }

    #[test]
    fn the_first_item_of_a_list_with_an_anchor_begins_at_its_dash() {
        check("a: &n\n -", &[("a", "a: &n\n -", "-"), ("a[0]", "-", "")]);
        check(
            "a: &n\n - \n - x\n",
            &[("a", "a: &n\n - \n - x", "- \n - x"), ("a[0]", "-", ""), ("a[1]", "- x", "x")],
        );
        check(
            "a: !t # c\n- &m\n- x\n",
            &[
                ("a", "a: !t # c\n- &m\n- x", "- &m\n- x"),
                ("a[0]", "- &m", ""),
                ("a[1]", "- x", "x"),
            ],
        );
    }

    #[test]
    fn a_literal_may_be_a_key() {
        check(
            "x: 1\n? |\n  \u{e4}:\n: 2\nb: 3\n",
            &[
                ("x", "x: 1", "1"),
                ("\"\u{e4}:\\n\"", "? |\n  \u{e4}:\n: 2", "2"),
                ("b", "b: 3", "3"),
            ],
        );
        check("? &k >-\n  ab\n: 1\n", &[("ab", "? &k >-\n  ab\n: 1", "1")]);
    }

    #[test]
    fn a_closing_bracket_need_not_be_indented() {
        check(
            "a: [\n  x, # c ]\n  # d\n]\nb:\n  c: {\n    d: e\n  }\n",
            &[
                ("a", "a: [\n  x, # c ]\n  # d\n]", "[\n  x, # c ]\n  # d\n]"),
                ("a[0]", "x", "x"),
                ("b", "b:\n  c: {\n    d: e\n  }", "c: {\n    d: e\n  }"),
                ("b.c", "c: {\n    d: e\n  }", "{\n    d: e\n  }"),
                ("b.c.d", "d: e", "e"),
            ],
        );
    }

    #[test]
    fn a_literal_at_the_end_has_no_line_ending_of_its_own() {
        let scalar = |text: &str| parse(text).expect("valid YAML").scalar(1).to_owned();
        assert_eq!(scalar("a: |\n  x\n"), "x\n");
        assert_eq!(scalar("a: |\n  x"), "x");
        assert_eq!(scalar("a: |\n  x\n\n "), "x\n");
    }

    #[test]
    fn several_documents_are_items() {
        check(
            "---\na: 1\n---\n# c\nb: 2\n...\n",
            &[
                ("[0]", "a: 1", "a: 1"),
                ("[0].a", "a: 1", "1"),
                ("[1]", "b: 2", "b: 2"),
                ("[1].b", "b: 2", "2"),
            ],
        );
        check("# only\n", &[("", "", "")]);
        check("--- |\n text\n", &[("", "|\n text", "|\n text")]);
    }

    fn scalars(text: &str) -> Vec<String> {
        let tree = parse(text).expect("valid");
        let scalars = 1..tree.nodes.len();
        scalars.map(|index| tree.scalar(index).to_owned()).collect()
    }

    #[test]
    fn strings_in_quotes_need_no_indentation() {
        assert_eq!(scalars("a: &x \"p\nq\"\nb: *x\n")[0], "p q");
        assert_eq!(scalars("a: !!str 'r\ns'\n"), ["r s"]);
        check("? \"k\nl\"\n: 1\n", &[("k l", "? \"k\nl\"\n: 1", "1")]);
        assert_eq!(scalars("a: \"x\n\n y\\\n  z\"\nb: 1\n"), ["x\nyz", "1"]);
        assert_eq!(scalars("a:\n- 'é\n\n  it''s'\n- 1\n")[1..], ["é\nit's", "1"]);
        assert_eq!(scalars("a:\n  b: 'x\ny' # c\n  d: \"p\r\nq\"\n")[1..], ["x y", "p q"]);
        for text in ["a: \"x\n---\n\"\n", "a: \"x\ny\n", "\"x\ny\": 1\n"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn aliases_of_a_fragment_may_refer_to_the_rest() {
        let fragment = "<<: *d\na: [*e, &f 1, *f]\n*d : 1\n";
        let tree = parse_fragment(fragment).expect("valid");
        let outer: Vec<&str> = tree.outer_anchors(Tree::ROOT).collect();
        assert_eq!(outer, ["d", "e"]);
        let kinds = tree.nodes.iter().filter(|node| node.kind == Kind::Alias).count();
        assert_eq!((kinds, tree.name(6)), (3, Some("*d")));
        assert!(parse(fragment).is_err());
    }
}
