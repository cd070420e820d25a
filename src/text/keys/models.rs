//! The existing entries that decide the type and the style of a new value: the old value, or else
//! the other items of its list, or else the keys of the same name.

use super::find::{Found, resolved};
use super::natural::{Dialect, natural, only_item, unquoted};
use super::tree::{Kind, Properties, Syntax, Tree};
use super::value::{Type, Value};
use super::yaml_scalar::{OldType, old_type, plain_kind};

/// The relation of the entries to the new value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The value that is replaced.
    OldValue,
    /// The other items of the list.
    Items,
    /// Entries with the same key.
    SameKey,
}

/// The entries that decide the type and the style of a new value.
#[derive(Debug)]
pub struct Models<'t> {
    tree: &'t Tree,
    relation: Relation,
    entries: Vec<usize>,
    file: FileKind,
}

/// The kind of a file, as far as it affects how values are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A page. The document is its front matter.
    Page,
    /// JSON5, even if the document is JSON.
    Json5,
    /// Any other file.
    Other,
}

/// A value that a text describes.
#[derive(Debug)]
pub struct Reading {
    /// The value.
    pub value: Value,
    /// Why a note reports the type that was taken, if it does.
    pub doubt: Option<Doubt>,
}

/// Two types between which a rule decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The type of the value.
    pub taken: Kind,
    /// The other type that the text could have.
    pub other: Kind,
    /// The reason.
    pub reason: Reason,
}

/// What decided about a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The format, because there are no other entries to compare with.
    Format,
    /// The other entries, all of which have the type that was taken.
    Like(Relation),
    /// The format, because the other entries have several types.
    Mixed(Relation),
    /// The text, which cannot have the type of the other entries.
    Unlike(Relation),
}

/// The type that some entries have in common.
enum Common {
    Nothing,
    Type(Kind),
    Mixed,
}

impl<'t> Models<'t> {
    /// The models of a value that replaces that of an entry. Null has no type.
    pub fn of_value(tree: &'t Tree, index: usize) -> Self {
        let parent = tree.parent(index);
        match (tree.node(index).kind, parent, tree.name(index)) {
            (Kind::Null, Some(list), None) => Self::of_item(tree, list),
            (Kind::Null, Some(mapping), Some(name)) => {
                Self::of_key(tree, mapping, &[name.to_owned()])
            }
            _ => Self {
                tree,
                relation: Relation::OldValue,
                entries: vec![index],
                file: FileKind::Other,
            },
        }
    }

    /// The models of a new item of a list.
    pub fn of_item(tree: &'t Tree, list: usize) -> Self {
        let is_list = tree.node(list).kind == Kind::Sequence;
        let entries = if is_list { tree.children(list).collect() } else { Vec::new() };
        Self { tree, relation: Relation::Items, entries, file: FileKind::Other }
    }

    /// The models of a new key, which is in new mappings for all names except the last: its
    /// namesakes in the mappings beside its own or, without any, elsewhere in the document.
    pub fn of_key(tree: &'t Tree, mapping: usize, names: &[String]) -> Self {
        let name = names.last().map(String::as_str);
        let is_same = |index: &usize| name.is_some() && tree.name(*index) == name;
        let own = match names.len() {
            1 => tree.parent(mapping),
            2 => Some(mapping),
            _ => None,
        };
        let is_beside = |index: &usize| {
            let outer = tree.parent(*index).and_then(|inner| tree.parent(inner));
            own.is_some() && outer == own
        };
        let all = || (1..tree.nodes.len()).filter(is_same);
        let entries = all().filter(is_beside).collect();
        let beside = Self { tree, relation: Relation::SameKey, entries, file: FileKind::Other };
        match beside.common() {
            Common::Nothing => Self { entries: all().collect(), ..beside },
            _ => beside,
        }
    }

    /// The same models in a kind of file.
    pub fn within(self, file: FileKind) -> Self {
        Self { file, ..self }
    }

    /// Returns the value of a new item, which may begin with the dash of the item in YAML.
    ///
    /// # Errors
    ///
    /// Fails with a message if the text is not of the requested type.
    pub fn read_item(&self, text: &str, wanted: Option<Type>) -> Result<Reading, String> {
        let is_list = matches!(self.common(), Common::Type(Kind::Sequence));
        let may_have_dash = self.tree.syntax == Syntax::Yaml && wanted.is_none() && !is_list;
        let item = if may_have_dash { only_item(text) } else { None };
        self.read(item.as_deref().unwrap_or(text), wanted)
    }

    /// Returns the value that a text describes: of the requested type, or else of the type of the
    /// models, or else as the syntax reads the text. Quotes around the whole text are not part of a
    /// string.
    ///
    /// # Errors
    ///
    /// Fails with a message if the text is not of the requested type.
    pub fn read(&self, text: &str, wanted: Option<Type>) -> Result<Reading, String> {
        let certain = |value| Ok(Reading { value, doubt: None });
        if let Some(reading) = self.old_type_of(text, wanted) {
            return Ok(reading);
        }
        let dialect = match self.file {
            FileKind::Json5 => Dialect::JSON5,
            _ => Dialect::of(self.tree),
        };
        if let Some(wanted) = wanted {
            return certain(Value::of_type(dialect, text, wanted)?);
        }
        let inner = unquoted(dialect, text);
        let string = || Value::string(inner.as_deref().unwrap_or(text));
        if dialect.syntax.is_flat() {
            return certain(string());
        }
        let common = self.common();
        let natural = natural(dialect, text).filter(|own| {
            // A string without quotes is the text itself, with the blanks around it.
            own.is_source
                && self.may_have_tag(own, &common)
                && !(own.is_lines() && self.is_title(text, &common))
        });
        let read_as = natural.as_ref().map_or(Kind::String, |own| own.kind);
        let is_tagged = natural.as_ref().is_some_and(|own| own.tag.is_some());
        let has_lines = natural.as_ref().is_some_and(Value::is_lines);
        let is_string = matches!(common, Common::Type(Kind::String))
            && !is_tagged
            && !(has_lines && self.prefers_lines(text));
        let value = match natural {
            Some(value) if !is_string => value,
            None if !is_string => Value::string(text),
            _ => string(),
        };
        let is_line = has_lines && !text.trim().contains('\n');
        let relation = self.relation;
        let (reason, other) = match (common, self.old_kind()) {
            _ if is_tagged => return certain(value),
            (Common::Type(_), Some(old)) => (Reason::Unlike(relation), old),
            (Common::Type(kind), None) if !self.has(value.kind) => (Reason::Unlike(relation), kind),
            // The quotes of the text decide.
            _ if inner.is_some() => return certain(value),
            // An old string remains one without a word.
            (Common::Type(_), _) if is_string && relation != Relation::OldValue => {
                (Reason::Like(relation), read_as)
            }
            (Common::Mixed, _) if self.may_differ(read_as) => {
                (Reason::Mixed(relation), Kind::String)
            }
            (Common::Nothing, _) if is_line => (Reason::Format, Kind::String),
            _ => return certain(value),
        };
        let taken = value.kind;
        let doubt = (taken != other).then_some(Doubt { taken, other, reason });
        Ok(Reading { value, doubt })
    }

    /// Whether a model has exactly this type.
    fn has(&self, kind: Kind) -> bool {
        self.entries.iter().any(|&entry| self.kind(entry) == Some(kind))
    }

    /// Returns the type that YAML 1.1 gives all models, if they are strings in YAML 1.2.
    fn old_kind(&self) -> Option<Kind> {
        let mut models = self.entries.iter().filter(|&&entry| self.kind(entry).is_some());
        let old = |&index: &usize| {
            let text = self.tree.plain_text(index)?;
            old_type(text).filter(|_| plain_kind(text) == Kind::String)
        };
        let first = models.next().and_then(old)?;
        first.kind().filter(|_| models.all(|model| old(model) == Some(first)))
    }

    /// Returns the type of all models that have one.
    fn common(&self) -> Common {
        let mut kinds = self.entries.iter().filter_map(|&entry| self.kind(entry));
        let Some(first) = kinds.next() else { return Common::Nothing };
        match kinds.all(|kind| class(kind) == class(first)) {
            true => Common::Type(first),
            false => Common::Mixed,
        }
    }

    /// Returns the type that an entry has as a model. Null has none, and no neighbor with a tag of
    /// an application.
    fn kind(&self, index: usize) -> Option<Kind> {
        let own = resolved(self.tree, Found { index, alias: None }).index;
        let is_old = self.relation == Relation::OldValue;
        let has_type = self.tree.tag(own).is_none_or(|tag| is_old || tag.starts_with("!!"));
        let kind = self.tree.node(own).kind;
        (has_type && !matches!(kind, Kind::Null | Kind::Alias)).then_some(kind)
    }

    /// Whether a value may have its tag: tags are used here, or there is nothing else to follow.
    fn may_have_tag(&self, value: &Value, common: &Common) -> bool {
        let Some(tag) = &value.tag else { return true };
        let is_used = |(_, own): &(u32, Properties)| self.tree.text[own.tag.range()] == tag[..];
        let are_tagged = || self.entries.iter().any(|&entry| self.tree.tag(entry).is_some());
        !matches!(common, Common::Type(Kind::String))
            || are_tagged()
            || self.tree.properties.iter().any(is_used)
    }

    /// Whether a line of text is a title or a sentence, such as `Part: name` in front matter, and
    /// not a key with its value.
    fn is_title(&self, text: &str, common: &Common) -> bool {
        let text = text.trim();
        let name = text.split(": ").next().unwrap_or_default();
        let is_capitalized = name.starts_with(char::is_uppercase)
            && name.chars().nth(1).is_some_and(char::is_lowercase);
        let is_free = matches!(common, Common::Nothing | Common::Mixed);
        let is_line = !text.contains('\n') && !text.starts_with("- ");
        is_free && is_line && (name.contains(' ') || self.file == FileKind::Page && is_capitalized)
    }

    /// Whether a value could have another of the several types of the models, or has none of them.
    fn may_differ(&self, read_as: Kind) -> bool {
        let has = |kind| {
            let mut kinds = self.entries.iter().filter_map(|&entry| self.kind(entry));
            kinds.any(|own| class(own) == class(kind))
        };
        has(Kind::String) || !has(read_as)
    }

    /// Whether lines of a mapping or list are not a string, although the models are strings: a new
    /// value of several lines, where the models have one.
    fn prefers_lines(&self, text: &str) -> bool {
        let is_long = |&entry: &usize| self.tree.scalar(entry).contains('\n');
        self.relation != Relation::OldValue
            && text.trim().contains('\n')
            && !self.entries.iter().any(is_long)
    }

    /// Returns the text unchanged if it has the same type of YAML 1.1 as a plain model, such as
    /// `yes`, `1_000` or a date: as the last model or, if all models have this type, any of them.
    /// Beside `true`, which all parsers read alike, `yes` is a string.
    fn old_type_of(&self, text: &str, wanted: Option<Type>) -> Option<Reading> {
        let own = old_type(text)?;
        let is_wanted = match wanted {
            None => true,
            Some(Type::Boolean) => own == OldType::Boolean,
            Some(_) => false,
        };
        let taken = plain_kind(text);
        let typed = self.entries.iter().rev().filter(|&&entry| self.kind(entry).is_some());
        let model = |&entry: &usize| {
            let text = self.tree.plain_text(entry)?;
            (old_type(text) == Some(own)).then(|| plain_kind(text))
        };
        let models: Vec<Option<Kind>> = typed.map(model).collect();
        let is_like = |other: &Option<Kind>| match wanted {
            None => other.is_some_and(|kind| kind == Kind::String || kind == taken),
            Some(_) => *other == Some(Kind::String),
        };
        let are_all = models.iter().all(Option::is_some) && models.iter().any(is_like);
        (is_wanted && (are_all || models.first().is_some_and(is_like)))
            .then(|| Reading { value: Value::source(taken, text), doubt: None })
    }

    /// Returns the source of the last string of one line, whose style new strings imitate.
    pub(super) fn string(&self) -> Option<&'t str> {
        let is_line = |&index: &usize| {
            self.tree.node(index).kind == Kind::String && !self.tree.written(index).contains('\n')
        };
        self.entries.iter().copied().rfind(is_line).map(|own| self.tree.written(own))
    }
}

/// Numbers are of one class.
fn class(kind: Kind) -> Kind {
    if kind == Kind::Float { Kind::Integer } else { kind }
}

#[cfg(test)]
mod tests {
    use super::super::change::apply;
    use super::super::edit::{Check, insert_item, insert_key, replace};
    use super::super::find::find;
    use super::super::parse::parse_text;
    use super::super::path::KeyPath;
    use super::*;

    fn at(tree: &Tree, path: &str) -> usize {
        match path {
            "" => Tree::ROOT,
            _ => find(tree, &KeyPath::parse(path).expect("a path")).expect("an entry").index,
        }
    }

    /// Sets the value of `a`.
    fn set(syntax: Syntax, text: &str, content: &str) -> (String, Option<Doubt>) {
        let tree = parse_text(syntax, text).expect("valid");
        let index = at(&tree, "a");
        let reading = Models::of_value(&tree, index).read(content, None).expect("a value");
        let edits = replace(&tree, index, &reading.value, Check::Now).expect("planned");
        (apply(text, &edits.changes), reading.doubt)
    }

    /// Appends an item to the list `a`.
    fn append(syntax: Syntax, text: &str, content: &str) -> (String, Option<Doubt>) {
        let tree = parse_text(syntax, text).expect("valid");
        let list = at(&tree, "a");
        let reading = Models::of_item(&tree, list).read_item(content, None).expect("a value");
        let edits = insert_item(&tree, list, None, &reading.value, Check::Now).expect("planned");
        (apply(text, &edits.changes), reading.doubt)
    }

    /// Adds a key to the mapping at a path.
    fn add(syntax: Syntax, text: &str, path: &str, content: &str) -> (String, Option<Doubt>) {
        let tree = parse_text(syntax, text).expect("valid");
        let path = KeyPath::parse(path).expect("a path");
        let Err(super::super::find::Miss::NotFound { container, steps }) = find(&tree, &path)
        else {
            unreachable!("the key exists");
        };
        let names = path.steps[steps..].iter().map(|step| match step {
            super::super::path::Step::Name(name) => name.clone(),
            _ => unreachable!("not a name"),
        });
        let names: Vec<String> = names.collect();
        let models = Models::of_key(&tree, container.index, &names);
        let reading = models.read(content, None).expect("a value");
        let edits = insert_key(&tree, container.index, &names, &reading.value, Check::Now);
        (apply(text, &edits.expect("planned").changes), reading.doubt)
    }

    fn doubt(taken: Kind, other: Kind, reason: Reason) -> Option<Doubt> {
        Some(Doubt { taken, other, reason })
    }

    #[test]
    fn an_item_has_the_type_and_quotes_of_its_neighbors() {
        let like = |other| doubt(Kind::String, other, Reason::Like(Relation::Items));
        for (syntax, text, content, added, reason) in [
            (Syntax::Yaml, "a: [\"3.8\"^]\n", "3.10", ", \"3.10\"", like(Kind::Float)),
            (Syntax::Yaml, "a:\n- '80'\n^", "8080", "- '8080'\n", like(Kind::Integer)),
            (Syntax::Yaml, "a:\n- \"[[A]]\"\n^", "[[C]]", "- \"[[C]]\"\n", like(Kind::Sequence)),
            (Syntax::Yaml, "a:\n- x\n^", "id: u", "- 'id: u'\n", like(Kind::Mapping)),
            (Syntax::Yaml, "a:\n- x\n^", "- z", "- z\n", None),
            (Syntax::Yaml, "a:\n- 8080:80\n^", "22:22", "- '22:22'\n", None),
            (Syntax::Yaml, "a:\n- x\n^", "'80'", "- '80'\n", None),
            (Syntax::Yaml, "a:\n- id: x\n^", "id: u", "- id: u\n", None),
            (Syntax::Yaml, "a: [{id: x}^]\n", "id: u", ", {id: u}", None),
            (Syntax::Yaml, "a: [80, '80'^]\n", "'81'", ", '81'", None),
            (Syntax::Yaml, "a: [yes, off^]\n", "on", ", on", None),
            (Syntax::Yaml, "a: [yes, true^]\n", "no", ", no", None),
            (Syntax::Yaml, "a: [yes, x^]\n", "no", ", 'no'", None),
            (Syntax::Yaml, "a: [8.0^]\n", "8.5", ", 8.5", None),
            (Syntax::Yaml, "a: [2020-01-01^]\n", "2021-05-05", ", 2021-05-05", None),
            (Syntax::Yaml, "a: ['2020-01-01'^]\n", "2021-05-05", ", '2021-05-05'", None),
            (Syntax::Yaml, "a:\n- !Ref A\n^", "!Ref B", "- !Ref B\n", None),
            (Syntax::Yaml, "a:\n- x\n^", "!Ref B", "- '!Ref B'\n", None),
            (Syntax::Json, "{\"a\": [\"1.0\"^]}", "3.0", ", \"3.0\"", like(Kind::Float)),
            (Syntax::Json, "{a: ['1'^]}", "3", ", '3'", like(Kind::Integer)),
            (Syntax::Json, "{a: [0x1^]}", "0xF", ", 0xF", None),
            (Syntax::Toml, "a = ['1'^]\n", "3.11", ", '3.11'", like(Kind::Float)),
            (Syntax::Toml, "a = [true^]\n", "false", ", false", None),
        ] {
            let (before, after) = (text.replace('^', ""), text.replace('^', added));
            assert_eq!(append(syntax, &before, content), (after, reason), "{content}");
        }
    }

    #[test]
    fn a_choice_between_types_is_a_doubt() {
        let items = |reason: fn(Relation) -> Reason| reason(Relation::Items);
        for (text, content, expected) in [
            ("a: [80, '81']\n", "82", doubt(Kind::Integer, Kind::String, items(Reason::Mixed))),
            ("a: [80, '81']\n", "x", None),
            ("a: [true]\n", "yes", doubt(Kind::String, Kind::Boolean, items(Reason::Unlike))),
            ("a: [80, [81]]\n", "82", None),
            ("a: []\n", "Some words: here", None),
            ("a: [80]\n", "x", doubt(Kind::String, Kind::Integer, items(Reason::Unlike))),
            ("a: [80]\n", "null", doubt(Kind::Null, Kind::Integer, items(Reason::Unlike))),
            ("a: [80]\n", "8.5", doubt(Kind::Float, Kind::Integer, items(Reason::Unlike))),
            ("a: [80, 8.5]\n", "9", None),
            ("a: [80]\n", "'81'", doubt(Kind::String, Kind::Integer, items(Reason::Unlike))),
            ("a:\n- b: 1\n", "''", doubt(Kind::String, Kind::Mapping, items(Reason::Unlike))),
            ("a:\n- b: 1\n", "~", doubt(Kind::Null, Kind::Mapping, items(Reason::Unlike))),
            ("a: [80, '81']\n", "'82'", None),
            ("a: []\n", "x: 1", doubt(Kind::Mapping, Kind::String, Reason::Format)),
            ("a: []\n", "{x: 1}", None),
            ("a:\n- x\n", "k: 1\nl: 2", doubt(Kind::Mapping, Kind::String, items(Reason::Unlike))),
            (
                "a:\n- |\n  k: 1\n  l: 2\n",
                "k: 1\nl: 2",
                doubt(Kind::String, Kind::Mapping, items(Reason::Like)),
            ),
        ] {
            assert_eq!(append(Syntax::Yaml, text, content).1, expected, "{text} {content}");
        }
        let old = |taken, other| doubt(taken, other, Reason::Unlike(Relation::OldValue));
        for (text, content, expected) in [
            ("a: 80\n", "x", old(Kind::String, Kind::Integer)),
            ("a: true\n", "1", old(Kind::Integer, Kind::Boolean)),
            ("a: 'x'\n", "1", None),
            ("a: 1\n", "'x'", old(Kind::String, Kind::Integer)),
            ("a: 1\n", "1.5", old(Kind::Float, Kind::Integer)),
            ("a: 1\n", "~", old(Kind::Null, Kind::Integer)),
            ("a: 1.5\n", "2", old(Kind::Integer, Kind::Float)),
            ("a: yes\n", "maybe", old(Kind::String, Kind::Boolean)),
            ("a: yes\n", "no", None),
            ("a: yes\n", "true", None),
            ("a: true\n", "no", old(Kind::String, Kind::Boolean)),
            ("a: 30\n", "1_0", old(Kind::String, Kind::Integer)),
            ("a: 2020-01-01\n", "soon", old(Kind::String, Kind::Date)),
            ("a: 1:30\n", "x", old(Kind::String, Kind::Integer)),
            ("a: 80:80\n", "x", None),
        ] {
            assert_eq!(set(Syntax::Yaml, text, content).1, expected, "{text} {content}");
        }
    }

    #[test]
    fn a_new_key_has_the_type_of_its_namesakes() {
        let like = |other| doubt(Kind::String, other, Reason::Like(Relation::SameKey));
        let cargo = "[dependencies]\na = { version = \"1\" }\nb = {}\n";
        let (text, reason) = add(Syntax::Toml, cargo, "dependencies.b.version", "1");
        assert_eq!(text, cargo.replace("b = {}", "b = { version = \"1\" }"));
        assert_eq!(reason, like(Kind::Integer));
        let (text, reason) = add(Syntax::Toml, cargo, "dependencies.c.version", "2");
        assert_eq!(
            (text, reason),
            (format!("{cargo}\n[dependencies.c]\nversion = \"2\"\n"), like(Kind::Integer))
        );
        // Mappings beside its own have priority.
        let yaml = "s:\n  a:\n    v: 1\n  b: {}\nv: x\n";
        let (text, reason) = add(Syntax::Yaml, yaml, "s.b.v", "2");
        assert_eq!((text, reason), (yaml.replace("{}", "{v: 2}"), None));
        let yaml = "s:\n  a:\n    w: 1\n  b: {}\nv: 'x'\n";
        let (text, reason) = add(Syntax::Yaml, yaml, "s.b.v", "2");
        assert_eq!((text, reason), (yaml.replace("{}", "{v: '2'}"), like(Kind::Integer)));
        let (text, reason) = add(Syntax::Json, "[{\"v\": \"1\"}, {}]", "[1].v", "2");
        assert_eq!((&text[..], reason), ("[{\"v\": \"1\"}, {\"v\": \"2\"}]", like(Kind::Integer)));
        let tree = parse_text(Syntax::Yaml, "b: 1\n").expect("valid");
        let kind = |text, file| {
            let models = Models::of_key(&tree, Tree::ROOT, &["a".to_owned()]).within(file);
            models.read(text, None).expect("a value").value.kind
        };
        assert_eq!(kind("Part: name", FileKind::Page), Kind::String);
        assert_eq!(kind("Part: name", FileKind::Other), Kind::Mapping);
        assert_eq!(kind("x: 1", FileKind::Page), Kind::Mapping);
        let tree = parse_text(Syntax::Json, "{\"b\": 1}").expect("valid");
        let kind = |file| {
            let models = Models::of_key(&tree, Tree::ROOT, &["a".to_owned()]).within(file);
            models.read("0xF", None).expect("a value").value.kind
        };
        assert_eq!([kind(FileKind::Json5), kind(FileKind::Other)], [Kind::Integer, Kind::String]);
        let (text, reason) = add(Syntax::Yaml, "b: 1\n", "a", "x: 1");
        assert_eq!(
            (&text[..], reason),
            ("b: 1\na:\n  x: 1\n", doubt(Kind::Mapping, Kind::String, Reason::Format))
        );
    }

    #[test]
    fn a_value_keeps_the_type_of_the_old_one() {
        for (syntax, text, content, expected) in [
            (Syntax::Yaml, "a: yes\n", "off", "a: off\n"),
            (Syntax::Yaml, "a: yes\n", "true", "a: true\n"),
            (Syntax::Yaml, "a: Off\n", "NO", "a: NO\n"),
            (Syntax::Yaml, "a: yEs\n", "no", "a: 'no'\n"),
            (Syntax::Yaml, "a: yes\n", "maybe", "a: maybe\n"),
            (Syntax::Yaml, "a: true\n", "no", "a: 'no'\n"),
            (Syntax::Yaml, "a: 5\n", "1_000", "a: '1_000'\n"),
            (Syntax::Yaml, "a: 5\n", "0b1", "a: '0b1'\n"),
            (Syntax::Yaml, "a: 5\n", "017", "a: 017\n"),
            (Syntax::Yaml, "a: 'yes'\n", "no", "a: 'no'\n"),
            (Syntax::Yaml, "a: x\n", "2021-05-05", "a: '2021-05-05'\n"),
            (Syntax::Yaml, "a: 2020-01-01\n", "2021-05-05", "a: 2021-05-05\n"),
            (Syntax::Yaml, "a: 2020-01-01\n", "2021-05-05T10:00:00Z", "a: 2021-05-05T10:00:00Z\n"),
            (
                Syntax::Yaml,
                "a: 2001-12-14t21:59:43.10-05:00\n",
                "2021-05-05 1:02:03",
                "a: 2021-05-05 1:02:03\n",
            ),
            (Syntax::Yaml, "a: 1_000\n", "2_000", "a: 2_000\n"),
            (Syntax::Yaml, "a: 1_000\n", "2000", "a: 2000\n"),
            (Syntax::Yaml, "a: 0b1\n", "0b10", "a: 0b10\n"),
            (Syntax::Yaml, "a: 1:30.5\n", "2:15.25", "a: 2:15.25\n"),
            (Syntax::Yaml, "a: 80\n", "22:22", "a: '22:22'\n"),
            (Syntax::Yaml, "a: 80:80\n", "22:22", "a: '22:22'\n"),
            (Syntax::Yaml, "a: 80:80\n", "8080:80", "a: 8080:80\n"),
            (Syntax::Yaml, "a: 01:30\n", "02:30", "a: 02:30\n"),
            (Syntax::Yaml, "a: 01:30\n", "2:30", "a: '2:30'\n"),
            (Syntax::Yaml, "a: 2020-1-2\n", "2021-05-05", "a: '2021-05-05'\n"),
            (Syntax::Yaml, "a: 0.1.0\n", "0.10.2", "a: 0.10.2\n"),
            (Syntax::Yaml, "a: 1\n", " x ", "a: ' x '\n"),
            (Syntax::Yaml, "a: 1\n", " 2 ", "a: 2\n"),
            (Syntax::Yaml, "a: 1\n", "\u{a0}x", "a: \u{a0}x\n"),
            (Syntax::Yaml, "a: x\n", "\u{a0}'y'", "a: \u{a0}'y'\n"),
            (Syntax::Yaml, "a: 1\n", "\u{feff}x", "a: \"\\ufeffx\"\n"),
            (Syntax::Json, "{\"a\": 1}", "\u{feff}2", "{\"a\": \"\u{feff}2\"}"),
            (Syntax::Yaml, "a: [1]\n", ": x", "a: ': x'\n"),
            (Syntax::Yaml, "a: 1\n", "--- x", "a: --- x\n"),
            (Syntax::Yaml, "a: 1\n", "---\nx: 2\n", "a:\n  x: 2\n"),
            (Syntax::Yaml, "a: !Ref X\n", "Z", "a: !Ref Z\n"),
            (Syntax::Yaml, "a: !Ref X\n", "!Sub Y", "a: !Sub Y\n"),
            (Syntax::Yaml, "a: &x !Ref X\n", "!Sub Y", "a: &x !Sub Y\n"),
            (Syntax::Yaml, "a: x\nb: !Ref X\n", "!Ref Y", "a: !Ref Y\nb: !Ref X\n"),
            (Syntax::Yaml, "a: x\n", "!Ref Y", "a: '!Ref Y'\n"),
            (Syntax::Yaml, "a: !!int 5\n", "6", "a: !!int 6\n"),
            (Syntax::Yaml, "a: null\n", "x: 1", "a:\n  x: 1\n"),
            (Syntax::Yaml, "a: 'b'\n", "c: d", "a: 'c: d'\n"),
            (Syntax::Json, "{a: 0xFF}", "0x10", "{a: 0x10}"),
            (Syntax::Json, "{a: Infinity}", "-Infinity", "{a: -Infinity}"),
            (Syntax::Json, "{a: 'x'}", "y", "{a: 'y'}"),
            (Syntax::Json, "{\"a\": 255}", "0x10", "{\"a\": \"0x10\"}"),
            (Syntax::Toml, "a = 1979-05-27\n", "1980-01-01", "a = 1980-01-01\n"),
            (Syntax::Toml, "a = 1_000\n", "0xFF", "a = 0xFF\n"),
        ] {
            assert_eq!(set(syntax, text, content).0, expected);
        }
    }

    #[test]
    fn a_block_scalar_keeps_its_indentation_and_style() {
        for (text, content, expected) in [
            ("a: |-\n      x\nb: 1\n", "y\nz", "a: |-\n      y\n      z\nb: 1\n"),
            ("a: > # c\n  x\n  y\n", "z\n", "a: > # c\n  z\n"),
            ("a: >-\n  x\n", "y\nz", "a: |-\n  y\n  z\n"),
            ("a: |2-\n    x\n", "  y", "a: |2-\n    y\n"),
            ("a: |+\n  x\n\nb: 1\n", "y\n", "a: |+\n  y\nb: 1\n"),
            ("a: |\n  x\n", "", "a: ''\n"),
            ("a: !v |\n  x\n", "y\n", "a: !v |\n  y\n"),
        ] {
            assert_eq!(set(Syntax::Yaml, text, content).0, expected);
        }
    }

    #[test]
    fn unlikely_values_are_strings() {
        let is_string = |syntax, content: &str| {
            let tree = parse_text(syntax, "").or_else(|_| parse_text(syntax, "0")).expect("valid");
            let reading = Models::of_item(&tree, Tree::ROOT).read(content, None).expect("a value");
            reading.value.kind == Kind::String
        };
        for text in ["{{ x }}", "[{{ x }}]", "-", "?", ":", "? q", "a\nb", "#c\nd", "*x", "!x"] {
            assert!(is_string(Syntax::Yaml, text), "{text}");
        }
        assert!(is_string(Syntax::Toml, "12:30") && !is_string(Syntax::Toml, "12:30:00"));
        assert!(!is_string(Syntax::Yaml, "a: b") && !is_string(Syntax::Yaml, "- a"));
        assert!(is_string(Syntax::Json, "{a: 1}") && !is_string(Syntax::Json, "{\"a\": 1}"));
    }
}
