//! Front matter: the block of metadata at the start of a document, with the lines of its top-level
//! keys. [`FrontMatter::tree`] parses it as a tree of keys, with their values.
//!
//! `---` at the start of a document may also be a thematic break. The text after it is front matter
//! if it is a mapping that is followed by a closing delimiter. A document that begins with `{` on a
//! line of its own has front matter if the lines up to `}` are an object in JSON. `---json` and
//! `---toml` name the format.

mod format;

use std::sync::OnceLock;

use folio_keys::find::{self, Found};
use folio_keys::{Kind, Mistake, Tree};
use folio_text::lines::{Block, lines_with_ends, without_end};
use folio_text::sections::{OpenValue, indent};
use folio_text::span::LineRange;
pub use format::FrontMatterFormat;
use format::{OpeningLine, split_key};

/// Maximum length of front matter in bytes.
pub const MAX_LENGTH: usize = 1024 * 1024;

/// A top-level key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The name of the key, without quotes.
    pub name: String,
    /// The lines of the key and its value.
    pub lines: LineRange,
}

/// Front matter found at the top of a document.
#[derive(Clone, Debug)]
pub struct FrontMatter {
    /// The lines, including the delimiters. The first line is always 1.
    pub lines: LineRange,
    /// The format of the keys.
    pub format: FrontMatterFormat,
    /// The top-level keys in order.
    pub keys: Vec<Key>,
    /// The length in bytes, including the line ending of the last delimiter.
    pub length: usize,
    opening: OpeningLine,
    /// Whether the keys are in brackets.
    is_flow: bool,
    /// The text up to the last delimiter, which in JSON is included, if keys were requested.
    text: Vec<u8>,
    tree: OnceLock<Box<Result<Tree, Mistake>>>,
}

/// The result of looking for front matter.
#[derive(Clone, Debug)]
pub enum FrontMatterSearch {
    /// The document begins with front matter.
    Found(FrontMatter),
    /// The document does not begin with front matter. The value is the number of bytes that show
    /// this.
    Absent(usize),
    /// Whether the document begins with front matter depends on whether a later line closes it.
    Open,
}

/// Finds front matter at the start of a complete document, without its byte order mark.
pub fn find(text: &[u8]) -> Option<FrontMatter> {
    match search(text, true, true) {
        FrontMatterSearch::Found(found) => Some(found),
        FrontMatterSearch::Absent(_) | FrontMatterSearch::Open => None,
    }
}

/// Finds front matter at the start of `text`, with or without its keys. If `is_all` is set, `text`
/// is the whole document.
pub fn search(text: &[u8], is_all: bool, with_keys: bool) -> FrontMatterSearch {
    let mut lines = lines_with_ends(&text[..text.len().min(MAX_LENGTH)]);
    let first = lines.next().unwrap_or_default();
    let Some(opening) = OpeningLine::parse(first) else {
        return FrontMatterSearch::Absent(first.len());
    };
    let mut reader = KeyReader::new(opening, with_keys);
    let mut at = first.len();
    for (line, number) in lines.zip(2u64..) {
        let end = at + line.len();
        if opening.is_closed_by(line) {
            let inner = if opening.includes_end() { end } else { at };
            let found = reader.finish(&text[..inner], number, end);
            return found.map_or(FrontMatterSearch::Absent(end), FrontMatterSearch::Found);
        }
        if !reader.read_line(without_end(line), number) {
            return FrontMatterSearch::Absent(end);
        }
        at = end;
    }
    if is_all || text.len() >= MAX_LENGTH {
        FrontMatterSearch::Absent(MAX_LENGTH)
    } else {
        FrontMatterSearch::Open
    }
}

/// Parses the lines between the delimiters.
struct KeyReader {
    opening: OpeningLine,
    format: FrontMatterFormat,
    with_keys: bool,
    keys: Vec<Key>,
    /// The first line that is neither blank nor a comment.
    first: Option<First>,
    /// Whether blank lines or comments precede that line.
    has_blank: bool,
    has_comment: bool,
    in_table: bool,
    /// The value of the last key, if it is in TOML and continues on the next line.
    open: OpenValue,
}

#[derive(Clone, Copy)]
struct First {
    indent: usize,
    is_flow: bool,
}

impl KeyReader {
    fn new(opening: OpeningLine, with_keys: bool) -> Self {
        let is_flow = opening.format == FrontMatterFormat::Json;
        Self {
            opening,
            format: opening.format,
            with_keys,
            keys: Vec::new(),
            first: is_flow.then_some(First { indent: 0, is_flow }),
            has_blank: false,
            has_comment: false,
            in_table: false,
            open: OpenValue::default(),
        }
    }

    /// Parses a line. Returns false if it cannot be part of a mapping.
    fn read_line(&mut self, line: &[u8], number: u64) -> bool {
        let indent = indent(line);
        let rest = line[indent..].trim_ascii_end();
        let Some(first) = self.first else {
            self.has_blank |= rest.is_empty();
            self.has_comment |= rest.first() == Some(&b'#');
            if matches!(rest.first(), None | Some(b'#')) {
                return true;
            }
            return self.read_first_line(line, number);
        };
        let is_deeper = indent > first.indent;
        let is_comment = rest.first() == Some(&b'#') && !is_deeper && !self.open.is_open();
        if first.is_flow || rest.is_empty() || is_comment {
            return true;
        }
        let is_toml = self.format == FrontMatterFormat::Toml;
        let continues = self.open.is_open();
        if continues {
            self.open.line(line);
        } else if is_toml {
            // Indentation is not significant in TOML.
            self.in_table |= rest[0] == b'[';
        } else if indent < first.indent {
            return false;
        }
        let may_begin = !continues && (is_toml || !is_deeper);
        if self.in_table || (may_begin && self.read_key(line, number)) {
            return true;
        }
        if let Some(key) = self.keys.last_mut() {
            key.lines = LineRange::from_to(key.lines.start(), number);
        }
        // This is invalid YAML. It is tolerated if the text is unlikely to be ordinary text below a
        // thematic break.
        let is_stray = !is_toml && !is_deeper && !matches!(rest[0], b'-' | b']' | b'}');
        !is_stray || (first.indent == 0 && !self.has_blank)
    }

    /// Parses the first line that is neither blank nor a comment.
    fn read_first_line(&mut self, line: &[u8], number: u64) -> bool {
        let indent = indent(line);
        let is_yaml = self.format == FrontMatterFormat::Yaml;
        let is_flow = is_yaml && line[indent] == b'{';
        self.first = Some(First { indent, is_flow });
        self.in_table = !is_yaml && line[indent] == b'[';
        // After a blank line, a line with this indentation is code below a thematic break.
        let is_code =
            is_yaml && ((self.has_blank && indent >= 4) || line[..indent].contains(&b'\t'));
        !is_code && (is_flow || self.in_table || self.read_key(line, number))
    }

    /// Parses a line that begins with a key. Returns `false` if it does not begin with one.
    fn read_key(&mut self, line: &[u8], number: u64) -> bool {
        let indent = indent(line);
        let Some((name, after)) = split_key(&line[indent..], self.format) else { return false };
        if self.format == FrontMatterFormat::Toml {
            self.open.line(&line[indent + after..]);
        }
        if self.with_keys {
            self.keys.push(Key { name, lines: LineRange::line(number) });
        }
        true
    }

    /// Creates the front matter that ends with line `last` and is `length` bytes long. `text` ends
    /// before that line, except in JSON.
    fn finish(self, text: &[u8], last: u64, length: usize) -> Option<FrontMatter> {
        let is_yaml = self.format == FrontMatterFormat::Yaml;
        if is_yaml && self.first.is_none() && self.has_comment && self.has_blank {
            // Such lines are headings between thematic breaks, not comments.
            return None;
        }
        let is_flow = self.first.is_some_and(|first| first.is_flow);
        let is_needed = self.with_keys || is_flow;
        let mut found = FrontMatter {
            lines: LineRange::from_to(1, last),
            format: self.format,
            opening: self.opening,
            is_flow,
            keys: self.keys,
            length,
            text: if is_needed { text.to_vec() } else { Vec::new() },
            tree: OnceLock::new(),
        };
        if is_flow {
            found.keys = found.flow_keys()?;
        }
        Some(found)
    }
}

impl FrontMatter {
    /// Returns the tree of the entries. Offsets and lines are those of the document.
    ///
    /// # Errors
    ///
    /// Fails if the front matter is invalid in its format, for example because it is a template.
    pub fn tree(&self) -> Result<&Tree, &Mistake> {
        let parse = || Box::new(folio_keys::parse(self.format.syntax(), &self.source()));
        let tree: &Result<_, _> = self.tree.get_or_init(parse);
        tree.as_ref()
    }

    /// Returns the text up to the last delimiter. If the first one is not part of the syntax, it is
    /// replaced with blanks.
    pub fn source(&self) -> Vec<u8> {
        let mut text = self.text.clone();
        if self.opening.is_foreign {
            let is_mark = |byte: &&mut u8| !byte.is_ascii_whitespace() || **byte == b' ';
            text.iter_mut().take_while(is_mark).for_each(|byte| *byte = b' ');
        }
        text
    }

    /// Whether a line may be the first one of front matter.
    pub fn is_opening(line: &[u8]) -> bool {
        OpeningLine::parse(line).is_some()
    }

    /// Returns the entry at a key path.
    pub fn find(&self, key: &str) -> Option<(&Tree, Found)> {
        let tree = self.tree().ok()?;
        Some((tree, find::look_up(tree, key).ok()?.1.ok()?))
    }

    /// Returns the value at a key path. If the text is invalid, only the top-level keys are known.
    pub fn value_at(&self, key: &str) -> Option<String> {
        if self.tree().is_err() {
            return self.value_of(key);
        }
        let (tree, found) = self.find(key)?;
        Some(tree.value(find::resolved(tree, found).index))
    }

    /// Returns the value of a top-level key, the first with this name.
    pub fn value_of(&self, name: &str) -> Option<String> {
        let key = self.keys.iter().find(|key| key.name == name)?;
        Some(self.read_entry(key, Tree::value).unwrap_or_else(|| self.rest_of_line(key)))
    }

    /// Returns the items of the list of a top-level key, or a value that is not a list.
    pub fn values_of(&self, name: &str) -> Vec<String> {
        let Some(key) = self.keys.iter().find(|key| key.name == name) else { return Vec::new() };
        let values = |tree: &Tree, index: usize| match tree.node(index).kind {
            Kind::Sequence => tree.children(index).map(|item| tree.value(item)).collect(),
            _ => vec![tree.value(index)],
        };
        self.read_entry(key, values).unwrap_or_else(|| vec![self.rest_of_line(key)])
    }

    /// Returns the title: the first line of the value of `title`.
    pub fn title(&self) -> Option<String> {
        let value = self.value_of("title")?;
        value.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
    }

    /// Calls `read` with the entry of a top-level key. Only the lines of the key are parsed, so that
    /// mistakes elsewhere do not matter, unless its value refers to other lines.
    fn read_entry<T>(&self, key: &Key, read: impl Fn(&Tree, usize) -> T) -> Option<T> {
        let from_lines = || {
            let lines = lines_with_ends(&self.text).skip(key.lines.start() as usize - 1);
            let lines: Vec<&[u8]> = lines.take(key.lines.count() as usize).collect();
            let text = String::from_utf8_lossy(&lines.concat()).into_owned();
            let tree = folio_keys::parse(self.format.syntax(), text.as_bytes()).ok()?;
            let first = tree.children(Tree::ROOT).next()?;
            (tree.name(first) == Some(&key.name)).then(|| read(&tree, first))
        };
        let from_tree = || {
            let (tree, found) = self.find(&key.name)?;
            Some(read(tree, find::resolved(tree, found).index))
        };
        // In brackets, a line is no entry without the others.
        if self.is_flow { from_tree() } else { from_lines().or_else(from_tree) }
    }

    /// Returns the text after a key in its line, without quotes around it, and without a comment.
    fn rest_of_line(&self, key: &Key) -> String {
        let line = lines_with_ends(&self.text).nth(key.lines.start() as usize - 1);
        let line = line.unwrap_or_default().trim_ascii();
        let after = split_key(line, self.format).map_or(0, |(_, after)| after);
        let value = String::from_utf8_lossy(&line[after..]).into_owned();
        let value = value.split(" #").next().unwrap_or_default().trim();
        let unquoted = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
        unquoted('"').or_else(|| unquoted('\'')).unwrap_or(value).to_owned()
    }

    /// Returns the paths of nested keys such as `params.weight`, without the items of lists.
    pub fn nested_keys(&self) -> Vec<String> {
        let Ok(tree) = self.tree() else { return Vec::new() };
        let is_nested =
            |&index: &usize| tree.parent(index) != Some(Tree::ROOT) && tree.name(index).is_some();
        (1..tree.nodes.len()).filter(is_nested).map(|index| tree.path(index)).collect()
    }

    /// Returns the keys of a flow mapping, or `None` if the value is not one.
    fn flow_keys(&self) -> Option<Vec<Key>> {
        let tree = self.tree().ok()?;
        // `{{ template }}` is a mapping with a mapping as its key.
        let is_scalar_key =
            |index: usize| !tree.text[tree.node(index).key.range()].starts_with(['{', '[']);
        let is_mapping = tree.node(Tree::ROOT).kind == Kind::Mapping;
        if !is_mapping || !tree.children(Tree::ROOT).all(is_scalar_key) {
            return None;
        }
        let key = |index| Key {
            name: tree.name(index).unwrap_or_default().to_owned(),
            lines: tree.lines(index),
        };
        Some(tree.children(Tree::ROOT).map(key).collect())
    }
}

/// Separates front matter from a document that is read in blocks. Stores blocks until the end of
/// the front matter is known.
#[derive(Debug, Default)]
pub struct Opening {
    kept: Vec<u8>,
    offset: u64,
}

impl Opening {
    /// Adds the next block, or `None` at the end of the document. When the front matter is known,
    /// returns it and the text after it.
    pub fn read_front_matter<'a>(
        &'a mut self,
        block: Option<&Block<'a>>,
        with_keys: bool,
    ) -> Option<(Option<FrontMatter>, Block<'a>)> {
        if let Some(block) = block {
            if self.kept.is_empty() {
                let found = search(block.bytes, false, with_keys);
                if !matches!(found, FrontMatterSearch::Open) {
                    return Some(split_off(found, *block));
                }
                self.offset = block.offset;
            }
            let first = lines_with_ends(&self.kept).next().unwrap_or_default();
            let opening = OpeningLine::parse(first);
            self.kept.extend_from_slice(block.bytes);
            // Blocks may be small, so blocks that are stored already are not searched again when
            // another one is added.
            let is_closed = opening.is_some_and(|opening| {
                lines_with_ends(block.bytes).any(|line| opening.is_closed_by(line))
            });
            if !is_closed && self.kept.len() < MAX_LENGTH {
                return None;
            }
        }
        let found = search(&self.kept, block.is_none(), with_keys);
        Some(split_off(found, Block::new(&self.kept, self.offset)))
    }
}

fn split_off(found: FrontMatterSearch, mut block: Block<'_>) -> (Option<FrontMatter>, Block<'_>) {
    let FrontMatterSearch::Found(found) = found else { return (None, block) };
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
    fn front_matter_may_be_an_object() {
        let text = "{\n  \"title\": \"x\",\n  \"a\": {\n    \"b\": 1\n  }\n}\n# H\n";
        check(text, Some((6, &["title", "a"])));
        let found = find(text.as_bytes()).expect("front matter");
        assert_eq!(found.title().as_deref(), Some("x"));
        assert_eq!(found.value_at("a.b").as_deref(), Some("1"));
        check("{\n}\n", Some((2, &[])));
        check(";;;\n{}\n;;;\n", Some((3, &[])));
        check("---json\n{}\n---\n", Some((3, &[])));
        check("{}\n", None);
        check("{\n\"a\": 1\n", None);
        check("{\nfunction() {\n}\n", None);
        check("{ \"a\": 1 }\n", None);
    }

    #[test]
    fn the_first_line_may_name_the_format() {
        let json = "{\n  \"title\": \"x\", \"a\": {\"b\": 1}\n}\n";
        for (first, last) in [("---json", "---"), ("--- json ", "---"), (";;;", ";;;")] {
            let text = format!("{first}\n{json}{last}\n# H\n");
            check(&text, Some((5, &["title", "a"])));
            let found = find(text.as_bytes()).expect("front matter");
            assert_eq!(found.value_at("a.b").as_deref(), Some("1"));
            check(&format!("{first}\n{json}"), None);
            check(&format!("{first}\n[1]\n{last}\n"), None);
        }
        check("---toml\ntitle = 'x'\n[a]\nb = 1\n---\n", Some((5, &["title"])));
        check("---yaml\r\ntitle: x\r\n---\r\n", Some((3, &["title"])));
        check("---toml\ntitle: x\n---\n", None);
        check("--- rust\ntitle: x\n---\n", None);
        let yaml = find(b"---yml\na: {b: 1}\n---\n").expect("front matter");
        assert_eq!(yaml.value_at("a.b").as_deref(), Some("1"));
    }

    #[test]
    fn a_thematic_break_at_the_top_is_none() {
        check("---\n\ntext\n\n---\n", None);
        check("---\n# Heading\nJust prose.\n---\n", None);
        check("---\nfoo\n---\nbar\n---\n", None);
    }

    #[test]
    fn a_key_includes_the_lines_of_its_value() {
        let found = find(b"---\na: |\n  one\n  two\nb:\n- x\n---\n").expect("front matter");
        let lines: Vec<_> =
            found.keys.iter().map(|key| (key.lines.start(), key.lines.end())).collect();
        assert_eq!(lines, [(2, 4), (5, 6)]);
    }

    /// Returns each key with its value.
    fn values(text: &str) -> Option<Vec<(String, String)>> {
        let found = find(text.as_bytes())?;
        let value = |key: &Key| found.value_at(&format!("['{}']", key.name)).expect("a value");
        Some(found.keys.iter().map(|key| (key.name.clone(), value(key))).collect())
    }

    #[track_caller]
    fn check_values(text: &str, expected: &[(&str, &str)]) {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        assert_eq!(values(text), Some(expected.iter().map(owned).collect()), "{text}");
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
        assert_eq!(found.title().as_deref(), Some("x"));
    }

    #[test]
    fn values_follow_their_keys() {
        let text = "---\n  a: 'x' # note\n  'b:c': |\n    one\n    # two\n\n    three\n  d:\n---\n";
        check_values(text, &[("a", "x"), ("b:c", "one\n# two\n\nthree\n"), ("d", "")]);
        let title = |text: &str| find(text.as_bytes()).and_then(|found| found.title());
        assert_eq!(title("---\ntitle: >-\n  long\n---\n").as_deref(), Some("long"));
        assert_eq!(title("---\ntitle: \"a\"\n---\n").as_deref(), Some("a"));
        assert_eq!(title("---\ntitle:\n---\n"), None);
    }

    const YAML: &str = "---\ntitle: 'a b'\nmap:\n  in: \"q\"\n  text: |\n    one\n    two\n  \
                        flow: {a: 1, b: [2]}\n  empty:\n  deep:\n    k: v # c\nd.e: f\n---\n# A\n";
    const TOML: &str = "+++\ntitle = 'a'\n[map]\nin = \"q\"\n[map.deep]\nk = 1\n+++\n# A\n";

    #[test]
    fn keys_are_found_by_their_paths() {
        #[track_caller]
        fn check(text: &str, key: &str, value: &str, lines: (u64, u64)) {
            let front_matter = find(text.as_bytes()).expect("front matter");
            let (tree, found) = front_matter.find(key).expect("a key");
            let key_lines = tree.lines(found.index);
            assert_eq!(tree.value(found.index), value, "{key}");
            assert_eq!((key_lines.start(), key_lines.end()), lines, "{key}");
        }
        check(YAML, "title", "a b", (2, 2));
        check(YAML, "map.in", "q", (4, 4));
        check(YAML, "map.text", "one\ntwo\n", (5, 7));
        check(YAML, "map.flow", "{a: 1, b: [2]}", (8, 8));
        check(YAML, "map.flow.b", "[2]", (8, 8));
        check(YAML, "map.empty", "", (9, 9));
        check(YAML, "map.deep", "k: v", (10, 11));
        check(YAML, "map.deep.k", "v", (11, 11));
        check(YAML, "d.e", "f", (12, 12));
        check(TOML, "title", "a", (2, 2));
        check(TOML, "map.deep.k", "1", (6, 6));
        let nested = |text: &str| find(text.as_bytes()).expect("front matter").nested_keys();
        assert_eq!(nested(TOML), ["map.in", "map.deep", "map.deep.k"]);
        let within = ["in", "text", "flow", "flow.a", "flow.b", "empty", "deep", "deep.k"];
        assert_eq!(nested(YAML), within.map(|name| format!("map.{name}")));
        for (text, key) in [(YAML, "map.no"), (YAML, "no"), (TOML, "map.no"), (TOML, "in")] {
            assert!(find(text.as_bytes()).is_some_and(|found| found.find(key).is_none()), "{key}");
        }
    }

    #[test]
    fn a_template_has_only_top_level_keys() {
        let text = b"---\ntitle: {{ x }}: y\nmap:\n  in: z\n---\n";
        let found = find(text).expect("front matter");
        assert_eq!(found.tree().map(|_| ()).map_err(|mistake| mistake.line), Err(2));
        assert_eq!(found.value_at("title").as_deref(), Some("{{ x }}: y"));
        assert_eq!(found.value_at("map.in"), None);
    }

    #[test]
    fn a_mistake_does_not_affect_the_values_of_other_keys() {
        let text = b"---\ntitle: Intro: one # c\nstatus: final # reviewed\nquoted: \"a # b\" # c\n\
            fold: >-\n  one\n  two\nlist:\n  - a\n  - b\nwhere: caf\xe9 # c\n---\n";
        let found = find(text).expect("front matter");
        assert!(found.tree().is_err());
        for (key, value) in [
            ("title", "Intro: one"),
            ("status", "final"),
            ("quoted", "a # b"),
            ("fold", "one two"),
            ("list", "- a\n- b"),
            ("where", "caf\u{fffd}"),
        ] {
            assert_eq!(found.value_at(key).as_deref(), Some(value), "{key}");
        }
        assert_eq!(found.values_of("list"), ["a", "b"]);
        assert_eq!(found.values_of("status"), ["final"]);
        let toml = find(b"+++\nbad = {{ x }}\ns = \"done\" # c\nm = \"\"\"\nq\"\"\"\n+++\n");
        let toml = toml.expect("front matter");
        let values = ["s", "m"].map(|key| toml.value_at(key));
        assert_eq!(values, [Some("done".to_owned()), Some("q".to_owned())]);
        let twice = find(b"---\ntitle: A\ntitle: B\n---\n").expect("front matter");
        assert_eq!(twice.title().as_deref(), Some("A"));
    }

    #[test]
    fn front_matter_has_a_longest_length() {
        let text =
            |length: usize| format!("---\ntitle: x\nwords: {}\n---\n", "w ".repeat(length / 2));
        check(&text(130 * 1024), Some((4, &["title", "words"])));
        check(&text(MAX_LENGTH), None);
        let open = search(&text(130 * 1024).as_bytes()[..100_000], false, true);
        assert!(matches!(open, FrontMatterSearch::Open));
        assert!(matches!(search(b"---\n\nText.\n", false, true), FrontMatterSearch::Absent(11)));
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
                } else if let Some((front_matter, after)) =
                    opening.read_front_matter(block.as_ref(), true)
                {
                    (is_known, found) = (true, front_matter);
                    assert_eq!(after.offset, length as u64);
                    rest.extend_from_slice(after.bytes);
                }
            }
            let keys = |found: Option<FrontMatter>| found.map(|found| (found.lines, found.keys));
            assert_eq!(keys(found), keys(expected), "{text}");
            assert_eq!(rest, text.as_bytes()[length..], "{text}");
        }
    }
}
