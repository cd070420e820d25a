//! Parses front matter with a YAML parser, for nested keys and the values as they are read.

use std::ops::Range;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle};

use crate::text::sections::quoted_length;

/// A value and its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// The keys from the top on and the indexes of list items, separated by dots.
    pub(super) path: String,
    /// The offset of its key, or of the item.
    pub(super) start: usize,
    /// The offset after the colon.
    pub(super) after_key: usize,
    /// The value, including quotes.
    pub(super) value: Range<usize>,
    /// The value as it is read, if it is a scalar.
    pub(super) scalar: Option<String>,
    /// The style in which the scalar is written.
    pub(super) style: ScalarStyle,
    /// Whether it is inside a flow collection.
    pub(super) in_flow: bool,
    /// Whether it is itself a flow collection.
    pub(super) is_flow: bool,
    /// Whether it is an item of a list.
    pub(super) is_item: bool,
    /// Whether it is the value of a top-level key.
    pub(super) is_top: bool,
}

impl Node {
    /// Whether it is a block scalar.
    pub(super) fn is_block(&self) -> bool {
        matches!(self.style, ScalarStyle::Literal | ScalarStyle::Folded)
    }

    /// Whether it is quoted.
    pub(super) fn is_quoted(&self) -> bool {
        let is_quoted = matches!(self.style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted);
        is_quoted && self.value.len() >= 2
    }
}

/// A collection that has not been closed.
struct Open {
    is_mapping: bool,
    is_flow: bool,
    /// Its own node; the outermost one has none.
    node: Option<usize>,
    /// The name and range of the key whose value comes next.
    key: Option<(String, Range<usize>)>,
    items: usize,
}

/// All values of a mapping, each before the values in it; `None` if the text is not a YAML
/// mapping with plain keys.
pub(super) fn nodes(text: &str) -> Option<Vec<Node>> {
    let mut reader =
        Reader { text, offsets: offsets(text), nodes: Vec::new(), open: Vec::new(), end: 0 };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.ok()?;
        let span = reader.offset(span.start)..reader.offset(span.end);
        reader.take(event, span)?;
    }
    Some(reader.nodes)
}

/// The offset of each character, if any of them is longer than a byte.
fn offsets(text: &str) -> Option<Vec<usize>> {
    let all = || text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    (!text.is_ascii()).then(all)
}

/// A copy of a string without excess capacity: the parser's strings have room for hundreds of
/// bytes.
fn short(text: &str) -> String {
    text.to_owned()
}

struct Reader<'a> {
    text: &'a str,
    offsets: Option<Vec<usize>>,
    nodes: Vec<Node>,
    open: Vec<Open>,
    /// The end of the last value.
    end: usize,
}

impl Reader<'_> {
    fn offset(&self, mark: Marker) -> usize {
        let at = match &self.offsets {
            Some(offsets) => offsets.get(mark.index()).copied(),
            None => Some(mark.index()),
        };
        at.unwrap_or(self.text.len()).min(self.text.len())
    }

    fn take(&mut self, event: Event<'_>, span: Range<usize>) -> Option<()> {
        match event {
            Event::Scalar(text, style, ..) => {
                let last = self.open.last_mut()?;
                if last.is_mapping && last.key.is_none() {
                    last.key = Some((short(&text), span));
                    return Some(());
                }
                let scalar = Some(short(&text));
                // The parser ends a quoted scalar at the end of its line.
                let mut span = span;
                let value = &self.text.as_bytes()[span.clone()];
                if let Some(&quote @ (b'"' | b'\'')) = value.first()
                    && matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted)
                {
                    let length = quoted_length(value, quote, true)?;
                    span.end = span.start + length + 2;
                }
                self.begin(span.clone(), scalar, style)?;
                self.end = self.end.max(span.start + self.text[span].trim_ascii_end().len());
            }
            Event::Alias(_) => {
                self.begin(span.clone(), None, ScalarStyle::Plain)?;
                self.end = span.end;
            }
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                let is_flow = !span.is_empty() && self.text[span.clone()].starts_with(['{', '[']);
                let is_mapping = matches!(event, Event::MappingStart(..));
                let node = match self.open.last() {
                    Some(_) => Some(self.begin(span, None, ScalarStyle::Plain)?),
                    None => None,
                };
                if let Some(node) = node {
                    self.nodes[node].is_flow = is_flow;
                }
                let is_flow = is_flow || self.open.last().is_some_and(|open| open.is_flow);
                self.open.push(Open { is_mapping, is_flow, node, key: None, items: 0 });
            }
            Event::MappingEnd | Event::SequenceEnd => {
                let closed = self.open.pop()?;
                if closed.is_flow {
                    // Only its bracket: the parser's end may be that of a comment.
                    self.end = span.end.min(span.start + 1);
                }
                if let Some(node) = closed.node {
                    self.nodes[node].value.end = self.end;
                }
            }
            _ => {}
        }
        Some(())
    }

    /// Begins a value: that of the last key, or the next item.
    fn begin(
        &mut self,
        span: Range<usize>,
        scalar: Option<String>,
        style: ScalarStyle,
    ) -> Option<usize> {
        let open = self.open.last_mut()?;
        let mut has_value = !span.is_empty() || scalar.is_none();
        let (name, start, after_key) = if open.is_mapping {
            // A collection cannot be a name.
            let (name, key) = open.key.take()?;
            let rest = self.text[key.end..].trim_start();
            let colon = rest.starts_with(':').then(|| self.text.len() - rest.len() + 1);
            has_value &= colon.is_some();
            (name, key.start, colon.unwrap_or(key.end))
        } else {
            open.items += 1;
            ((open.items - 1).to_string(), span.start, span.start)
        };
        let in_flow = open.is_flow;
        let is_item = !open.is_mapping;
        let is_top = open.node.is_none();
        let path = match open.node {
            Some(node) => format!("{}.{name}", self.nodes[node].path),
            None => name,
        };
        // An empty value is directly after its key.
        let value = if has_value { span } else { after_key..after_key };
        let end = value.start + self.text[value.clone()].trim_ascii_end().len();
        self.end = self.end.max(after_key);
        let value = value.start..end;
        let is_flow = false;
        self.nodes.push(Node {
            path,
            start,
            after_key,
            value,
            scalar,
            style,
            in_flow,
            is_flow,
            is_item,
            is_top,
        });
        Some(self.nodes.len() - 1)
    }
}

/// Whether YAML reads a text after a key as a single value.
pub(super) fn is_whole(value: &str, in_flow: bool) -> bool {
    let (before, after) = if in_flow { ("{k: ", "}") } else { ("k: ", "") };
    let found = nodes(&format!("{before}{value}{after}")).unwrap_or_default();
    let Some(node) = found.first() else { return false };
    let is_same = match &node.scalar {
        Some(text) => node.is_quoted() || (node.style == ScalarStyle::Plain && text == value),
        None => node.is_flow,
    };
    let is_one = found.iter().filter(|node| !node.path.contains('.')).count() == 1;
    is_one && is_same && node.value == (before.len()..before.len() + value.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let found = nodes(text).expect("a mapping");
        let found: Vec<(&str, &str)> =
            found.iter().map(|node| (&node.path[..], &text[node.value.clone()])).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn values_have_paths_and_places() {
        check("a: 1\r\nb: 'x' # c\r\n", &[("a", "1"), ("b", "'x'")]);
        check(
            "params:\n  weight: 3\n  # c\n  list:\n  - ä\n  - k: v\n\nz: ö\n",
            &[
                ("params", "weight: 3\n  # c\n  list:\n  - ä\n  - k: v"),
                ("params.weight", "3"),
                ("params.list", "ä\n  - k: v"),
                ("params.list.0", "ä"),
                ("params.list.1", "k: v"),
                ("params.list.1.k", "v"),
                ("z", "ö"),
            ],
        );
        check(
            "a: {b: [1, \"x\"], c: } # n\nd:\ne: y # z\nf: \"q # r\" # s\n",
            &[
                ("a", "{b: [1, \"x\"], c: }"),
                ("a.b", "[1, \"x\"]"),
                ("a.b.0", "1"),
                ("a.b.1", "\"x\""),
                ("a.c", ""),
                ("d", ""),
                ("e", "y"),
                ("f", "\"q # r\""),
            ],
        );
        check("t: |\n  one\n\n  two\nu: x\n", &[("t", "one\n\n  two"), ("u", "x")]);
    }
}
