//! Parses TOML 1.1. Later statements may add to a table, so entries are looked up by name.

use std::borrow::Cow;
use std::collections::HashMap;

use toml::value::Datetime;
use toml_parser::decoder::ScalarKind;
use toml_parser::parser::{Event, EventKind, RecursionGuard, ValidateWhitespace, parse_document};
use toml_parser::{ParseError, Raw, Source};

use super::path::MAX_DEPTH;
use super::tree::{Builder, Bytes, Fault, Form, Kind, Node, Statement, Syntax, Tree};

/// Maximum nesting of arrays and inline tables. The parser is recursive.
const MAX_BRACKETS: u32 = 128;

/// A name in a key or header, with its position.
struct Segment<'t> {
    at: Bytes,
    name: Cow<'t, str>,
}

/// The state of an entry while a document is read.
#[derive(Clone, Copy, Default)]
struct EntryState {
    depth: u32,
    /// The number of entries directly in it, and the last of them.
    count: u32,
    last: u32,
    /// Whether a dotted key defines the table. No header may define it then.
    is_dotted: bool,
}

struct TomlReader<'t> {
    builder: Builder,
    source: Source<'t>,
    /// The index of each entry by its container and name.
    indices: HashMap<(u32, Cow<'t, str>), u32>,
    states: Vec<EntryState>,
    /// The current table, to which key lines belong.
    table: u32,
    /// The arrays and inline tables that are open.
    open: Vec<u32>,
    /// The key or header that is being read.
    segments: Vec<Segment<'t>>,
    /// The offset of its first byte.
    start: u32,
    is_array: bool,
}

/// Parses a document, which has no byte order mark.
///
/// # Errors
///
/// Fails at the first syntax error.
pub(super) fn parse(text: &str) -> Result<Tree, Fault> {
    if text.starts_with('\u{feff}') {
        return Err(Fault::new(0, "unexpected byte order mark"));
    }
    let builder = Builder::new(Syntax::Toml, text)?;
    let source = Source::new(text);
    let mut reader = TomlReader {
        builder,
        source,
        indices: HashMap::new(),
        states: Vec::new(),
        table: 0,
        open: Vec::new(),
        segments: Vec::new(),
        start: 0,
        is_array: false,
    };
    let key = Bytes::default();
    let value = Bytes::new(0, text.len());
    reader.add_node(Node {
        parent: 0,
        number: 0,
        key,
        value,
        start: 0,
        size: 1,
        kind: Kind::Mapping,
        form: Form::Block,
    })?;
    for event in events(source)? {
        reader.handle_event(event)?;
    }
    let mut tree = reader.builder.finish();
    extend_tables(&mut tree);
    Ok(tree)
}

/// Returns the events of a document, except whitespace and separators.
fn events(source: Source<'_>) -> Result<Vec<Event>, Fault> {
    let mut events = Vec::new();
    let mut keep = |event: Event| {
        let is_ignored = matches!(
            event.kind(),
            EventKind::Whitespace
                | EventKind::Comment
                | EventKind::Newline
                | EventKind::KeySep
                | EventKind::KeyValSep
                | EventKind::ValueSep
        );
        if !is_ignored {
            events.push(event);
        }
    };
    let mut valid = ValidateWhitespace::new(&mut keep, source);
    let mut receiver = RecursionGuard::new(&mut valid, MAX_BRACKETS);
    let mut error = None;
    parse_document(&source.lex().into_vec(), &mut receiver, &mut error);
    match error {
        Some(error) => Err(fault_of(&error)),
        None => Ok(events),
    }
}

fn fault_of(error: &ParseError) -> Fault {
    let span = error.unexpected().or(error.context()).unwrap_or_default();
    match error.description() {
        "cannot recurse further; max recursion depth met" => {
            too_deep(span.start(), MAX_BRACKETS as usize)
        }
        "string values must be quoted" if span.is_empty() => {
            Fault::new(span.start(), "the value is missing")
        }
        message => Fault::new(span.start(), message.replace('`', "'")),
    }
}

fn too_deep(offset: usize, limit: usize) -> Fault {
    Fault::new(offset, format!("nested more than {limit} levels deep"))
}

impl<'t> TomlReader<'t> {
    fn handle_event(&mut self, event: Event) -> Result<(), Fault> {
        let at = Bytes::new(event.span().start(), event.span().end());
        match event.kind() {
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => {
                self.start = at.start;
                self.is_array = event.kind() == EventKind::ArrayTableOpen;
            }
            EventKind::StdTableClose | EventKind::ArrayTableClose => self.add_header(at.end)?,
            EventKind::SimpleKey => self.add_segment(event, at)?,
            EventKind::Scalar => self.add_scalar(event, at)?,
            EventKind::ArrayOpen => self.open_container(at, Kind::Sequence)?,
            EventKind::InlineTableOpen => self.open_container(at, Kind::Mapping)?,
            EventKind::ArrayClose | EventKind::InlineTableClose => self.close_container(at.end),
            _ => {}
        }
        Ok(())
    }

    fn add_segment(&mut self, event: Event, at: Bytes) -> Result<(), Fault> {
        let mut error = None;
        let mut name = Cow::Borrowed("");
        if let Some(raw) = self.source.get(event) {
            raw.decode_key(&mut name, &mut error);
        }
        if let Some(error) = error {
            return Err(fault_of(&error));
        }
        self.segments.push(Segment { at, name });
        Ok(())
    }

    fn add_scalar(&mut self, event: Event, at: Bytes) -> Result<(), Fault> {
        let mut error = None;
        let mut text = Cow::Borrowed("");
        let decoded = self.source.get(event).map(|raw| raw.decode_scalar(&mut text, &mut error));
        if let Some(error) = error {
            return Err(fault_of(&error));
        }
        let kind = match decoded {
            Some(ScalarKind::Boolean(_)) => Kind::Boolean,
            Some(ScalarKind::DateTime) => Kind::Date,
            Some(ScalarKind::Float) => Kind::Float,
            Some(ScalarKind::Integer(_)) => Kind::Integer,
            Some(ScalarKind::String) | None => Kind::String,
        };
        let is_valid = match decoded {
            Some(ScalarKind::DateTime) => text.parse::<Datetime>().is_ok(),
            // Integers of any size are accepted.
            Some(ScalarKind::Integer(radix)) => {
                let digits = text.trim_start_matches(['+', '-']);
                !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix.value()))
            }
            _ => true,
        };
        if !is_valid {
            return Err(Fault::new(at.start as usize, format!("invalid {}", kind.name())));
        }
        let index = self.add_entry(at, kind, Form::Scalar)?;
        if kind == Kind::String {
            let text = self.with_line_feeds(event).map_or(text, Cow::Owned);
            self.builder.text(index as usize, &text);
        }
        Ok(())
    }

    /// Returns the text of a string with line endings of Windows, which most parsers read as line
    /// feeds.
    fn with_line_feeds(&self, event: Event) -> Option<String> {
        let raw = self.source.get(event).filter(|raw| raw.as_str().contains("\r\n"))?;
        let source = raw.as_str().replace("\r\n", "\n");
        let mut text = Cow::Borrowed("");
        let raw = Raw::new_unchecked(&source, event.encoding(), event.span());
        let _ = raw.decode_scalar(&mut text, &mut None::<ParseError>);
        Some(text.into_owned())
    }

    fn open_container(&mut self, at: Bytes, kind: Kind) -> Result<(), Fault> {
        let index = self.add_entry(at, kind, Form::Flow)?;
        self.open.push(index);
        Ok(())
    }

    fn close_container(&mut self, end: u32) {
        let Some(index) = self.open.pop() else { return };
        let tree = self.builder.tree();
        tree.nodes[index as usize].value.end = end;
        if let (true, Some(statement)) = (self.open.is_empty(), tree.statements.last_mut()) {
            statement.at.end = end;
        }
    }

    /// Adds the entry for a value: an item, or the key before the value.
    fn add_entry(&mut self, value: Bytes, kind: Kind, form: Form) -> Result<u32, Fault> {
        let container = self.open.last().copied();
        let mut parent = container.unwrap_or(self.table);
        let mut segments = std::mem::take(&mut self.segments);
        let Some(Segment { at: key, name }) = segments.pop() else {
            let start = value.start;
            let key = Bytes::default();
            return self.add_node(Node {
                parent,
                number: 0,
                key,
                value,
                start,
                size: 1,
                kind,
                form,
            });
        };
        self.start = segments.first().map_or(key.start, |first| first.at.start);
        for segment in segments {
            parent = self.descend(parent, segment, true)?;
        }
        if let Some(&other) = self.indices.get(&(parent, name.clone())) {
            return Err(self.duplicate_error(other, key));
        }
        let start = self.start;
        let index =
            self.add_node(Node { parent, number: 0, key, value, start, size: 1, kind, form })?;
        self.record_name(index, name, key);
        if container.is_none() {
            let at = Bytes { start, end: value.end };
            self.builder.tree().statements.push(Statement { node: index, is_header: false, at });
        }
        Ok(index)
    }

    fn add_header(&mut self, end: u32) -> Result<(), Fault> {
        let mut parent = 0;
        let mut segments = std::mem::take(&mut self.segments);
        let Some(last) = segments.pop() else { return Ok(()) };
        for segment in segments {
            parent = self.descend(parent, segment, false)?;
        }
        self.table = if self.is_array {
            self.add_item(parent, last)?
        } else {
            self.define_table(parent, last)?
        };
        let at = Bytes { start: self.start, end };
        self.builder.tree().statements.push(Statement { node: self.table, is_header: true, at });
        Ok(())
    }

    fn define_table(
        &mut self,
        parent: u32,
        Segment { at, name }: Segment<'t>,
    ) -> Result<u32, Fault> {
        let start = self.start;
        let Some(&index) = self.indices.get(&(parent, name.clone())) else {
            return self.new_table(parent, Segment { at, name }, Kind::Mapping, Form::Block);
        };
        let node = &mut self.builder.tree().nodes[index as usize];
        if node.form != Form::Implicit || self.states[index as usize].is_dotted {
            return Err(self.duplicate_error(index, at));
        }
        node.form = Form::Block;
        node.start = start;
        self.builder.tree().mentions.push((index, at));
        Ok(index)
    }

    /// Adds an item to an array of tables.
    fn add_item(&mut self, parent: u32, Segment { at, name }: Segment<'t>) -> Result<u32, Fault> {
        let array = match self.indices.get(&(parent, name.clone())) {
            None => self.new_table(parent, Segment { at, name }, Kind::Sequence, Form::Block)?,
            Some(&index) => {
                let node = self.builder.tree().nodes[index as usize];
                if (node.kind, node.form) != (Kind::Sequence, Form::Block) {
                    return Err(self.duplicate_error(index, at));
                }
                self.builder.tree().mentions.push((index, at));
                index
            }
        };
        let start = self.start;
        let (kind, form) = (Kind::Mapping, Form::Block);
        let key = Bytes::default();
        self.add_node(Node {
            parent: array,
            number: 0,
            key,
            value: key,
            start,
            size: 1,
            kind,
            form,
        })
    }

    /// Returns the table that a name before the last one of a key or header refers to. Creates it
    /// if necessary.
    fn descend(
        &mut self,
        parent: u32,
        segment: Segment<'t>,
        is_dotted: bool,
    ) -> Result<u32, Fault> {
        let Some(&index) = self.indices.get(&(parent, segment.name.clone())) else {
            let index = self.new_table(parent, segment, Kind::Mapping, Form::Implicit)?;
            self.states[index as usize].is_dotted = is_dotted;
            return Ok(index);
        };
        let node = self.builder.tree().nodes[index as usize];
        self.builder.tree().mentions.push((index, segment.at));
        match (node.kind, node.form, is_dotted) {
            (_, Form::Implicit, _) => {
                self.states[index as usize].is_dotted |= is_dotted;
                Ok(index)
            }
            (Kind::Mapping, Form::Block, false) => Ok(index),
            (Kind::Sequence, Form::Block, false) => Ok(self.states[index as usize].last),
            _ => Err(self.duplicate_error(index, segment.at)),
        }
    }

    fn new_table(
        &mut self,
        parent: u32,
        Segment { at, name }: Segment<'t>,
        kind: Kind,
        form: Form,
    ) -> Result<u32, Fault> {
        let start = self.start;
        let value = Bytes { start, end: start };
        let index =
            self.add_node(Node { parent, number: 0, key: at, value, start, size: 1, kind, form })?;
        self.record_name(index, name, at);
        Ok(index)
    }

    /// Adds an entry, and assigns its number in its container.
    fn add_node(&mut self, mut node: Node) -> Result<u32, Fault> {
        let nodes = &mut self.builder.tree().nodes;
        let index = nodes.len() as u32;
        let mut depth = 0;
        if let Some(parent) = self.states.get_mut(node.parent as usize) {
            depth = parent.depth + 1;
            node.number = parent.count;
            parent.count += 1;
            parent.last = index;
        }
        if depth as usize >= MAX_DEPTH {
            return Err(too_deep(node.start as usize, MAX_DEPTH));
        }
        nodes.push(node);
        self.states.push(EntryState { depth, ..EntryState::default() });
        Ok(index)
    }

    fn record_name(&mut self, index: u32, name: Cow<'t, str>, at: Bytes) {
        self.builder.name(index as usize, &name);
        let tree = self.builder.tree();
        tree.mentions.push((index, at));
        self.indices.insert((tree.nodes[index as usize].parent, name), index);
    }

    fn duplicate_error(&mut self, index: u32, at: Bytes) -> Fault {
        let tree = self.builder.tree();
        let node = tree.node(index as usize);
        let line = tree.line_of(node.key.start as usize);
        let name = tree.name(index as usize).unwrap_or_default();
        let kind = match (node.kind, node.form) {
            (Kind::Mapping, Form::Flow) => "inline table",
            (Kind::Mapping, _) => "table",
            (Kind::Sequence, Form::Flow) => "array",
            (Kind::Sequence, _) => "array of tables",
            (kind, _) => kind.name(),
        };
        let message = format!("'{name}' is already defined on line {line}, as {kind}");
        Fault::new(at.start as usize, message)
    }
}

/// The extent of a table in the statements read so far.
#[derive(Clone, Copy, Default)]
struct Extent {
    /// The number of the last statement in the table, counted from 1.
    last: usize,
    /// Whether statements of other tables occur between its own.
    is_broken: bool,
    /// The end of its statements before the first statement of another table, and the end of the
    /// statements below its header.
    end: u32,
    below_header_end: u32,
}

/// Extends the bytes of tables that are not inline over their statements.
fn extend_tables(tree: &mut Tree) {
    let mut extents = vec![Extent::default(); tree.nodes.len()];
    let mut table = Tree::ROOT;
    for (number, statement) in tree.statements.iter().enumerate() {
        let defined = statement.node as usize;
        let mut index = defined;
        if statement.is_header {
            table = index;
            extents[index] = Extent::default();
        } else {
            index = tree.nodes[index].parent as usize;
        }
        let direct = index;
        while index != Tree::ROOT {
            let extent = &mut extents[index];
            extent.is_broken |= extent.last != 0 && extent.last != number;
            extent.last = number + 1;
            if !extent.is_broken {
                extent.end = statement.at.end;
            }
            if index == table || index == direct {
                extent.below_header_end = statement.at.end;
            }
            index = tree.nodes[index].parent as usize;
        }
    }
    for (node, extent) in tree.nodes.iter_mut().zip(&extents).skip(1) {
        if matches!(node.form, Form::Block | Form::Implicit) && extent.last != 0 {
            let end = if extent.is_broken && extent.below_header_end != 0 {
                extent.below_header_end
            } else {
                extent.end
            };
            node.value = Bytes { start: node.start, end };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str, Kind, Form)]) {
        let tree = parse(text).expect("a document");
        let entry = |index: usize| {
            let node = tree.node(index);
            (tree.path(index), &text[tree.span(index)], node.kind, node.form)
        };
        let found: Vec<_> = (1..tree.nodes.len()).map(entry).collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|&(path, span, kind, form)| (path.to_owned(), span, kind, form))
            .collect();
        assert_eq!(found, expected);
    }

    #[track_caller]
    fn check_fault(text: &str, offset: usize, message: &str) {
        assert_eq!(parse(text).map(|_| ()), Err(Fault::new(offset, message)), "{text}");
    }

    #[test]
    fn entries_have_the_correct_bytes() {
        use Form::{Block, Flow, Implicit, Scalar};
        use Kind::{Boolean, Date, Float, Integer, Mapping, Sequence, String};
        check(
            "a = 0x1F # c\n'b'.c = [1.5, {d.e = 1979-05-27}]\n[[f.g]]\nh = true\n[f.g.i]\n[[f.g]]\n",
            &[
                ("a", "a = 0x1F", Integer, Scalar),
                ("b", "'b'.c = [1.5, {d.e = 1979-05-27}]", Mapping, Implicit),
                ("b.c", "'b'.c = [1.5, {d.e = 1979-05-27}]", Sequence, Flow),
                ("b.c[0]", "1.5", Float, Scalar),
                ("b.c[1]", "{d.e = 1979-05-27}", Mapping, Flow),
                ("b.c[1].d", "d", Mapping, Implicit),
                ("b.c[1].d.e", "d.e = 1979-05-27", Date, Scalar),
                ("f", "[[f.g]]\nh = true\n[f.g.i]\n[[f.g]]", Mapping, Implicit),
                ("f.g", "[[f.g]]\nh = true\n[f.g.i]\n[[f.g]]", Sequence, Block),
                ("f.g[0]", "[[f.g]]\nh = true\n[f.g.i]", Mapping, Block),
                ("f.g[0].h", "h = true", Boolean, Scalar),
                ("f.g[0].i", "[f.g.i]", Mapping, Block),
                ("f.g[1]", "[[f.g]]", Mapping, Block),
            ],
        );
        check("a = \"\"\"\nx\"\"\"\n", &[("a", "a = \"\"\"\nx\"\"\"", String, Scalar)]);
    }

    #[test]
    fn a_table_ends_where_another_one_interrupts_it() {
        let text = "[a.b]\nx = 1\n[c]\n[a]\ny = 2\n[a.d]\n[c.e]\n";
        let tree = parse(text).expect("a document");
        let spans: Vec<&str> = (1..tree.nodes.len()).map(|index| &text[tree.span(index)]).collect();
        let expected =
            ["[a]\ny = 2\n[a.d]", "[a.b]\nx = 1", "x = 1", "[c]", "y = 2", "[a.d]", "[c.e]"];
        assert_eq!(spans, expected);
        let numbers: Vec<u32> = tree.nodes[1..].iter().map(|node| node.number).collect();
        assert_eq!(numbers, [0, 0, 0, 1, 1, 2, 0]);
        let mentions: Vec<(u32, u32)> =
            tree.mentions.iter().map(|(node, at)| (*node, at.start)).collect();
        let expected =
            [(1, 1), (2, 3), (3, 6), (4, 13), (1, 17), (5, 20), (1, 27), (6, 29), (4, 33), (7, 35)];
        assert_eq!(mentions, expected);
    }

    #[test]
    fn names_and_strings_are_decoded() {
        let tree = parse("\"a\\u00e4\".'\"' = \"\"\"\\\n  x\"\"\"\nb = '\\'\nc = ''''''\n")
            .expect("a document");
        let decoded: Vec<_> =
            (1..tree.nodes.len()).map(|index| (tree.name(index), tree.scalar(index))).collect();
        assert_eq!(decoded[0].0, Some("aä"));
        assert_eq!(decoded[1..], [(Some("\""), "x"), (Some("b"), "\\"), (Some("c"), "")]);
        let text = "a = \"\"\"\r\nx\r\n\\r\\n\\\r\n y\"\"\"\r\nb = '''x\r\n'''\r\n";
        let tree = parse(text).expect("a document");
        assert_eq!([tree.scalar(1), tree.scalar(2)], ["x\n\r\ny", "x\n"]);
    }

    #[test]
    fn entries_are_defined_once() {
        let already_defined = |name: &str, line, kind: &str| {
            format!("'{name}' is already defined on line {line}, as {kind}")
        };
        check_fault("a = 1\n'a' = 2", 6, &already_defined("a", 1, "integer"));
        check_fault("a = 1\n[a.b]", 7, &already_defined("a", 1, "integer"));
        check_fault("[a]\n[a]", 5, &already_defined("a", 1, "table"));
        check_fault("a.b = 1\n[a]", 9, &already_defined("a", 1, "table"));
        check_fault("[a.b]\n[a]\nb.c = 1", 10, &already_defined("b", 1, "table"));
        check_fault("a = {}\na.b = 1", 7, &already_defined("a", 1, "inline table"));
        check_fault("a = {b.c = 1, b = 2}", 14, &already_defined("b", 1, "table"));
        check_fault("a = [{}]\n[[a]]", 11, &already_defined("a", 1, "array"));
        check_fault("[[a]]\n[a]", 7, &already_defined("a", 1, "array of tables"));
        check_fault("[[a.b]]\n[a]\nb.c.d = 1", 12, &already_defined("b", 1, "array of tables"));
        for text in [
            "[a.b]\n[a]\n[a.c]",
            "[a.b.c]\n[a]\nb.d = 1",
            "[a]\nb.c = 1\n[a.b.d]",
            "[[a]]\n[a.b]\n[[a]]\n[a.b]",
        ] {
            assert!(parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn syntax_errors_have_a_place() {
        check_fault("a =", 3, "the value is missing");
        check_fault("b = 1\na = x", 10, "string values must be quoted");
        check_fault("a = 2021-02-30", 4, "invalid date");
        check_fault("a = 0x", 4, "invalid integer");
        check_fault("\u{feff}a = 1", 0, "unexpected byte order mark");
        let deep = "[".repeat(100_000);
        check_fault(&format!("a = {deep}"), 132, "nested more than 128 levels deep");
        check_fault(
            &format!("a = {}", deep.replace('[', "{a=")),
            388,
            "nested more than 128 levels deep",
        );
        check_fault(
            &format!("{}a = 1", deep.replace('[', "a.")),
            0,
            "nested more than 512 levels deep",
        );
        check_fault("a = 1\n<<<<<<< HEAD\n", 14, "key with no value");
    }
}
