//! The existing entries that decide the type and the style of a new value: the old value, or else
//! the other items of its list, or else the keys of the same name.

use super::find::{Found, resolved};
use super::natural::{Dialect, only_item, parse_value, table_of_lines, unquoted};
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
    /// The items of other lists with the same key.
    OtherItems,
    /// The other values of the mapping, which all are strings.
    Siblings,
}

/// The entries that decide the type and the style of a new value.
#[derive(Debug)]
pub struct Models<'t> {
    tree: &'t Tree,
    relation: Relation,
    entries: Vec<usize>,
    /// Entries that are less similar, which decide if there are no others of the form of the value.
    others: Vec<usize>,
    /// The mapping of a new key.
    mapping: Option<usize>,
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
    /// The other entries, which are strings, while the text has a tag of YAML.
    Untagged(Relation),
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
            _ => Self::new(tree, Relation::OldValue, vec![index]),
        }
    }

    fn new(tree: &'t Tree, relation: Relation, entries: Vec<usize>) -> Self {
        let file = FileKind::Other;
        Self { tree, relation, entries, others: Vec::new(), mapping: None, file }
    }

    /// The models of a new item of a list: the other items or, for an empty list, the items of
    /// lists with the same key.
    pub fn of_item(tree: &'t Tree, list: usize) -> Self {
        let is_list = |index: usize| tree.node(index).kind == Kind::Sequence;
        let entries = if is_list(list) { tree.children(list).collect() } else { Vec::new() };
        let models = Self::new(tree, Relation::Items, entries);
        let (None, Some(name), Some(mapping)) =
            (models.entries.first(), tree.name(list), tree.parent(list))
        else {
            return models;
        };
        let same_key = Self::of_key(tree, mapping, &[name.to_owned()]);
        let items = |lists: Vec<usize>| -> Vec<usize> {
            let lists = lists.into_iter().filter(|&index| is_list(index));
            lists.flat_map(|index| tree.children(index)).collect()
        };
        let (near, elsewhere) = (items(same_key.entries), items(same_key.others));
        let entries = if near.is_empty() { elsewhere } else { near };
        Self { relation: Relation::OtherItems, entries, ..models }
    }

    /// The models of a new key, which is in new mappings for all names except the last: its
    /// namesakes in the mappings beside its own or, without any, elsewhere in the document.
    pub fn of_key(tree: &'t Tree, mapping: usize, names: &[String]) -> Self {
        let name = names.last().map(String::as_str);
        let has_same_name = |index: &usize| name.is_some() && tree.name(*index) == name;
        let outer_mapping = match names.len() {
            1 => tree.parent(mapping),
            2 => Some(mapping),
            _ => None,
        };
        let is_beside = |index: &usize| {
            let outer_of_entry = tree.parent(*index).and_then(|inner| tree.parent(inner));
            outer_mapping.is_some() && outer_of_entry == outer_mapping
        };
        let others: Vec<usize> = (1..tree.nodes.len()).filter(has_same_name).collect();
        let entries = others.iter().copied().filter(is_beside).collect();
        let mapping = (names.len() == 1).then_some(mapping);
        let beside = Self { others, mapping, ..Self::new(tree, Relation::SameKey, entries) };
        match beside.common_kind() {
            Common::Nothing => Self { entries: beside.others.clone(), ..beside },
            _ => beside,
        }
    }

    /// Returns the models of a scalar, which are scalars if there are any.
    fn of_scalars(&self) -> Self {
        let is_scalar = |&index: &usize| self.kind(index).is_some_and(|kind| !kind.is_container());
        let scalars = |entries: &[usize]| -> Option<Vec<usize>> {
            let scalars: Vec<usize> = entries.iter().copied().filter(is_scalar).collect();
            (!scalars.is_empty()).then_some(scalars)
        };
        let entries = scalars(&self.entries).or_else(|| scalars(&self.others));
        let entries = entries.unwrap_or_else(|| self.entries.clone());
        Self { entries, others: Vec::new(), ..*self }
    }

    /// Whether all values beside a new key are strings. There are at least two of them.
    fn are_siblings_strings(&self) -> bool {
        let Some(mapping) = self.mapping else { return false };
        let mut kinds = self.tree.children(mapping).map(|index| self.tree.node(index).kind);
        self.tree.children(mapping).nth(1).is_some() && kinds.all(|kind| kind == Kind::String)
    }

    /// The same models in a kind of file.
    pub fn with_file_kind(self, file: FileKind) -> Self {
        Self { file, ..self }
    }

    /// Returns the value of a new item, which may begin with the dash of the item in YAML. For an
    /// array of tables in TOML, it may be the lines of a table.
    ///
    /// # Errors
    ///
    /// Fails with a message if the text is not of the requested type.
    pub fn read_item(&self, text: &str, wanted: Option<Type>) -> Result<Reading, String> {
        let is_list = matches!(self.common_kind(), Common::Type(Kind::Sequence));
        let may_have_dash = self.tree.syntax == Syntax::Yaml && wanted.is_none() && !is_list;
        let item = if may_have_dash { only_item(text) } else { None };
        if let (Syntax::Toml, None, Common::Type(Kind::Mapping), Some(&first)) =
            (self.tree.syntax, wanted, self.common_kind(), self.entries.first())
            && let Some(list) = self.tree.parent(first)
            && let Some(value) = table_of_lines(text, &self.tree.names_to(list))
        {
            return Ok(Reading { value, doubt: None });
        }
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
        let without_doubt = |value| Ok(Reading { value, doubt: None });
        if let Some(reading) = self.reading_in_old_type(text, wanted) {
            return Ok(reading);
        }
        let dialect = match self.file {
            FileKind::Json5 => Dialect::JSON5,
            _ => Dialect::of_document(self.tree),
        };
        if let Some(wanted) = wanted {
            return without_doubt(Value::of_type(dialect, text, wanted)?);
        }
        let inner = unquoted(dialect, text);
        if dialect.syntax.has_only_strings() {
            return without_doubt(Value::string(inner.as_deref().unwrap_or(text)));
        }
        let natural = parse_value(dialect, text);
        if natural.as_ref().is_some_and(|value| value.kind.is_container()) {
            Ok(self.reading(text, natural, inner))
        } else {
            Ok(self.of_scalars().reading(text, natural, inner))
        }
    }

    /// Decides between the value that a text is in the syntax and a string, whose text is `inner`
    /// if there are quotes around it.
    fn reading(&self, text: &str, natural: Option<Value>, inner: Option<String>) -> Reading {
        let without_doubt = |value| Reading { value, doubt: None };
        let string = || Value::string(inner.as_deref().unwrap_or(text));
        let common = self.common_kind();
        let had_tag = natural.as_ref().is_some_and(|value| value.tag.is_some());
        let natural = natural.filter(|value| {
            // A string without quotes is the text itself, with the blanks around it.
            value.is_source
                && self.may_have_tag(value, &common)
                && !(value.is_lines() && self.is_title(text, &common))
        });
        let read_as = natural.as_ref().map_or(Kind::String, |value| value.kind);
        let is_tagged = natural.as_ref().is_some_and(|value| value.tag.is_some());
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
            _ if is_tagged => return without_doubt(value),
            _ if had_tag && is_string => (Reason::Untagged(relation), Kind::String),
            (Common::Type(_), Some(old_kind)) => (Reason::Unlike(relation), old_kind),
            (Common::Type(kind), None) if !self.has_kind(value.kind) => {
                (Reason::Unlike(relation), kind)
            }
            // The quotes of the text decide.
            _ if inner.is_some() => return without_doubt(value),
            // An old string remains one without a word.
            (Common::Type(_), _) if is_string && relation != Relation::OldValue => {
                (Reason::Like(relation), read_as)
            }
            (Common::Mixed, _) if self.may_differ(read_as) => {
                (Reason::Mixed(relation), Kind::String)
            }
            (Common::Nothing, _) if is_line => (Reason::Format, Kind::String),
            (Common::Nothing, _) if !value.kind.is_container() && self.are_siblings_strings() => {
                (Reason::Unlike(Relation::Siblings), Kind::String)
            }
            _ => return without_doubt(value),
        };
        let taken = value.kind;
        let is_other = taken != other || matches!(reason, Reason::Untagged(_));
        Reading { value, doubt: is_other.then_some(Doubt { taken, other, reason }) }
    }

    fn has_kind(&self, kind: Kind) -> bool {
        self.entries.iter().any(|&entry| self.kind(entry) == Some(kind))
    }

    /// Returns the type that YAML 1.1 gives all models, if they are strings in YAML 1.2.
    fn old_kind(&self) -> Option<Kind> {
        let mut models = self.entries.iter().filter(|&&entry| self.kind(entry).is_some());
        let old_type_of_entry = |&index: &usize| {
            let text = self.tree.plain_text(index)?;
            old_type(text).filter(|_| plain_kind(text) == Kind::String)
        };
        let first = models.next().and_then(old_type_of_entry)?;
        first.kind().filter(|_| models.all(|model| old_type_of_entry(model) == Some(first)))
    }

    /// Returns the type of all models that have one.
    fn common_kind(&self) -> Common {
        let mut kinds = self.entries.iter().filter_map(|&entry| self.kind(entry));
        let Some(first) = kinds.next() else { return Common::Nothing };
        if kinds.all(|kind| class(kind) == class(first)) {
            Common::Type(first)
        } else {
            Common::Mixed
        }
    }

    /// Returns the type that an entry has as a model. Null has none, and no neighbor with a tag of
    /// an application.
    fn kind(&self, index: usize) -> Option<Kind> {
        let resolved_index = resolved(self.tree, Found { index, alias: None }).index;
        let is_old = self.relation == Relation::OldValue;
        let has_type =
            self.tree.tag(resolved_index).is_none_or(|tag| is_old || tag.starts_with("!!"));
        let kind = self.tree.node(resolved_index).kind;
        (has_type && !matches!(kind, Kind::Null | Kind::Alias)).then_some(kind)
    }

    /// Whether a value may have its tag: tags are used here, or there is nothing else to follow.
    fn may_have_tag(&self, value: &Value, common: &Common) -> bool {
        let Some(tag) = &value.tag else { return true };
        let is_used =
            |(_, properties): &(u32, Properties)| self.tree.text[properties.tag.range()] == tag[..];
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
        let has_class_of = |kind| {
            let mut kinds = self.entries.iter().filter_map(|&entry| self.kind(entry));
            kinds.any(|other_kind| class(other_kind) == class(kind))
        };
        has_class_of(Kind::String) || !has_class_of(read_as)
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
    fn reading_in_old_type(&self, text: &str, wanted: Option<Type>) -> Option<Reading> {
        let text_type = old_type(text)?;
        let is_wanted = match wanted {
            None => true,
            Some(Type::Boolean) => text_type == OldType::Boolean,
            Some(_) => false,
        };
        let taken = plain_kind(text);
        let typed = self.entries.iter().rev().filter(|&&entry| self.kind(entry).is_some());
        let model = |&entry: &usize| {
            let text = self.tree.plain_text(entry)?;
            (old_type(text) == Some(text_type)).then(|| plain_kind(text))
        };
        let models: Vec<Option<Kind>> = typed.map(model).collect();
        let has_allowed_kind = |other: &Option<Kind>| match wanted {
            None => other.is_some_and(|kind| kind == Kind::String || kind == taken),
            Some(_) => *other == Some(Kind::String),
        };
        let all_have_type =
            models.iter().all(Option::is_some) && models.iter().any(has_allowed_kind);
        (is_wanted && (all_have_type || models.first().is_some_and(has_allowed_kind)))
            .then(|| Reading { value: Value::source(taken, text), doubt: None })
    }

    /// Returns the source of the last string of one line, whose style new strings imitate.
    pub(super) fn last_string(&self) -> Option<&'t str> {
        let is_line = |&index: &usize| {
            self.tree.node(index).kind == Kind::String && !self.tree.written(index).contains('\n')
        };
        self.entries.iter().copied().rfind(is_line).map(|entry| self.tree.written(entry))
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

    fn index_of(tree: &Tree, path: &str) -> usize {
        match path {
            "" => Tree::ROOT,
            _ => find(tree, &KeyPath::parse(path).expect("a path")).expect("an entry").index,
        }
    }

    /// Sets the value of `a`.
    fn set(syntax: Syntax, text: &str, content: &str) -> (String, Option<Doubt>) {
        let tree = parse_text(syntax, text).expect("valid");
        let index = index_of(&tree, "a");
        let reading = Models::of_value(&tree, index).read(content, None).expect("a value");
        let edits = replace(&tree, index, &reading.value, Check::Now).expect("planned");
        (apply(text, &edits.changes), reading.doubt)
    }

    /// Appends an item to the list `a`.
    fn append(syntax: Syntax, text: &str, content: &str) -> (String, Option<Doubt>) {
        let tree = parse_text(syntax, text).expect("valid");
        let list = index_of(&tree, "a");
        let reading = Models::of_item(&tree, list).read_item(content, None).expect("a value");
        let edits = insert_item(&tree, list, None, &reading.value, Check::Now).expect("planned");
        (apply(text, &edits.changes), reading.doubt)
    }

    /// Adds a key to the mapping at a path.
    fn add(syntax: Syntax, text: &str, path: &str, content: &str) -> (String, Option<Doubt>) {
        let tree = parse_text(syntax, text).expect("valid");
        let path = KeyPath::parse(path).expect("a path");
        let Err(super::super::find::KeyMiss::NotFound { container, steps }) = find(&tree, &path)
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
    fn an_item_of_an_array_of_tables_may_be_lines() {
        let text = "[[a]]\nx = 1\n";
        let added = |content| append(Syntax::Toml, text, content);
        assert_eq!(added("x = 2"), (format!("{text}\n[[a]]\nx = 2\n"), None));
        let lines = "[[a]]\nx = 2 # c\n[a.b]\ny = 1\n";
        assert_eq!(added(lines), (format!("{text}\n{lines}"), None));
        assert_eq!(
            append(Syntax::Toml, "a = [{ x = 1 }]\n", "x = 2").0,
            "a = [{ x = 1 }, { x = 2 }]\n"
        );
        for content in ["[[b]]\nx = 2", "[[a]]\nx = 2\n[[a]]\nx = 3", "[a]\nx = 1", "x"] {
            assert_eq!(table_of_lines(content, &["a"]).map(|value| value.text), None);
        }
    }

    #[test]
    fn an_item_has_the_type_and_quotes_of_its_neighbors() {
        let doubt_like = |other| doubt(Kind::String, other, Reason::Like(Relation::Items));
        for (syntax, text, content, added, reason) in [
            (Syntax::Yaml, "a: [\"3.8\"^]\n", "3.10", ", \"3.10\"", doubt_like(Kind::Float)),
            (Syntax::Yaml, "a:\n- '80'\n^", "8080", "- '8080'\n", doubt_like(Kind::Integer)),
            (
                Syntax::Yaml,
                "a:\n- \"[[A]]\"\n^",
                "[[C]]",
                "- \"[[C]]\"\n",
                doubt_like(Kind::Sequence),
            ),
            (Syntax::Yaml, "a:\n- x\n^", "id: u", "- 'id: u'\n", doubt_like(Kind::Mapping)),
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
            (
                Syntax::Yaml,
                "a:\n- x\n^",
                "!Ref B",
                "- '!Ref B'\n",
                doubt(Kind::String, Kind::String, Reason::Untagged(Relation::Items)),
            ),
            (Syntax::Yaml, "a: ['80', [x]^]\n", "81", ", '81'", doubt_like(Kind::Integer)),
            (Syntax::Json, "{\"a\": [\"1.0\"^]}", "3.0", ", \"3.0\"", doubt_like(Kind::Float)),
            (Syntax::Json, "{a: ['1'^]}", "3", ", '3'", doubt_like(Kind::Integer)),
            (Syntax::Json, "{a: [0x1^]}", "0xF", ", 0xF", None),
            (Syntax::Toml, "a = ['1'^]\n", "3.11", ", '3.11'", doubt_like(Kind::Float)),
            (Syntax::Toml, "a = [true^]\n", "false", ", false", None),
        ] {
            let (before, after) = (text.replace('^', ""), text.replace('^', added));
            assert_eq!(append(syntax, &before, content), (after, reason), "{content}");
        }
    }

    #[test]
    fn a_choice_between_types_is_a_doubt() {
        let items_doubt = |reason: fn(Relation) -> Reason| reason(Relation::Items);
        for (text, content, expected) in [
            (
                "a: [80, '81']\n",
                "82",
                doubt(Kind::Integer, Kind::String, items_doubt(Reason::Mixed)),
            ),
            ("a: [80, '81']\n", "x", None),
            ("a: [true]\n", "yes", doubt(Kind::String, Kind::Boolean, items_doubt(Reason::Unlike))),
            ("a: [80, [81]]\n", "82", None),
            ("a: []\n", "Some words: here", None),
            ("a: [80]\n", "x", doubt(Kind::String, Kind::Integer, items_doubt(Reason::Unlike))),
            ("a: [80]\n", "null", doubt(Kind::Null, Kind::Integer, items_doubt(Reason::Unlike))),
            ("a: [80]\n", "8.5", doubt(Kind::Float, Kind::Integer, items_doubt(Reason::Unlike))),
            ("a: [80, 8.5]\n", "9", None),
            ("a: [80]\n", "'81'", doubt(Kind::String, Kind::Integer, items_doubt(Reason::Unlike))),
            ("a:\n- b: 1\n", "''", doubt(Kind::String, Kind::Mapping, items_doubt(Reason::Unlike))),
            ("a:\n- b: 1\n", "~", doubt(Kind::Null, Kind::Mapping, items_doubt(Reason::Unlike))),
            ("a: [80, '81']\n", "'82'", None),
            ("a: []\n", "x: 1", doubt(Kind::Mapping, Kind::String, Reason::Format)),
            ("a: []\n", "{x: 1}", None),
            (
                "a:\n- x\n",
                "k: 1\nl: 2",
                doubt(Kind::Mapping, Kind::String, items_doubt(Reason::Unlike)),
            ),
            (
                "a:\n- |\n  k: 1\n  l: 2\n",
                "k: 1\nl: 2",
                doubt(Kind::String, Kind::Mapping, items_doubt(Reason::Like)),
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
            (
                "a: x\n",
                "!Ref Y",
                doubt(Kind::String, Kind::String, Reason::Untagged(Relation::OldValue)),
            ),
            ("a: 1\n", "!Ref Y", None),
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
            let models = Models::of_key(&tree, Tree::ROOT, &["a".to_owned()]).with_file_kind(file);
            models.read(text, None).expect("a value").value.kind
        };
        assert_eq!(kind("Part: name", FileKind::Page), Kind::String);
        assert_eq!(kind("Part: name", FileKind::Other), Kind::Mapping);
        assert_eq!(kind("x: 1", FileKind::Page), Kind::Mapping);
        let tree = parse_text(Syntax::Json, "{\"b\": 1}").expect("valid");
        let kind = |file| {
            let models = Models::of_key(&tree, Tree::ROOT, &["a".to_owned()]).with_file_kind(file);
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
    fn an_item_of_an_empty_list_has_the_type_of_items_elsewhere() {
        let like = doubt(Kind::String, Kind::Integer, Reason::Like(Relation::OtherItems));
        let (text, reason) = append(Syntax::Yaml, "a: []\nb:\n  a: [\"1\"]\n", "80");
        assert_eq!((&text[..], reason), ("a: [\"80\"]\nb:\n  a: [\"1\"]\n", like));
        let (text, reason) = append(Syntax::Json, "{\"a\": [], \"b\": {\"a\": [\"1\"]}}", "80");
        assert_eq!((&text[..], reason), ("{\"a\": [\"80\"], \"b\": {\"a\": [\"1\"]}}", like));
        let (text, reason) = append(Syntax::Yaml, "a: []\nb:\n  a: [1]\n", "80");
        assert_eq!((&text[..], reason), ("a: [80]\nb:\n  a: [1]\n", None));
        let (text, reason) = append(Syntax::Yaml, "a:\nb:\n  a: ['1']\n", "80");
        assert_eq!((&text[..], reason), ("a:\n  - '80'\nb:\n  a: ['1']\n", like));
    }

    #[test]
    fn collections_do_not_decide_about_a_scalar() {
        let like = doubt(Kind::String, Kind::Float, Reason::Like(Relation::SameKey));
        let yaml = "m: {v: ['3.8']}\na: [{w: {v: '3.9'}}]\nb: {}\n";
        let (text, reason) = add(Syntax::Yaml, yaml, "b.v", "3.10");
        assert_eq!((text, reason), (yaml.replace("b: {}", "b: {v: '3.10'}"), like));
        let yaml = "v: {x: 1}\nb: {}\n";
        let (text, reason) = add(Syntax::Yaml, yaml, "b.v", "2");
        let unlike = doubt(Kind::Integer, Kind::Mapping, Reason::Unlike(Relation::SameKey));
        assert_eq!((text, reason), (yaml.replace("{}", "{v: 2}"), unlike));
    }

    #[test]
    fn a_new_key_may_be_unlike_its_siblings() {
        let unlike = |taken| doubt(taken, Kind::String, Reason::Unlike(Relation::Siblings));
        for (text, content, expected) in [
            ("{\"d\": {\"a\": \"1\", \"b\": \"2\"}}", "2", unlike(Kind::Integer)),
            ("{\"d\": {\"a\": \"1\", \"b\": \"2\"}}", "true", unlike(Kind::Boolean)),
            ("{\"d\": {\"a\": \"1\", \"b\": \"2\"}}", "x", None),
            ("{\"d\": {\"a\": \"1\", \"b\": \"2\"}}", "{}", None),
            ("{\"d\": {\"a\": \"1\"}}", "2", None),
            ("{\"d\": {\"a\": \"1\", \"b\": 2}}", "2", None),
        ] {
            assert_eq!(add(Syntax::Json, text, "d.c", content).1, expected, "{text} {content}");
        }
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
            (
                Syntax::Toml,
                "a = \"\"\"x\r\n\"\"\"\r\n",
                "q\nr\n",
                "a = \"\"\"\r\nq\r\nr\r\n\"\"\"\r\n",
            ),
            (Syntax::Toml, "a = 1\r\n", "[\n1,\n2]", "a = [\r\n1,\r\n2]\r\n"),
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
