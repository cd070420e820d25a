//! Edits entries of a document, and checks the result.

use std::ops::Range;

use super::change::{Change, apply, newline_of};
use super::find::children_named;
use super::layout::{inside_brackets, margin, whole_lines};
use super::models::Models;
use super::names::NewKey;
use super::natural::{Dialect, unquoted};
use super::parse::{parse, parse_text};
use super::tree::{Form, Kind, Syntax, Tree};
use super::value::{Setting, Value};
use super::verify::{Difference, Intent, Place, data, data_outside, expected_data, keeps_order};
use super::{block, flow, toml_edits, variables, verify};

mod ini;
mod refusal;

pub(crate) use ini::insert_line_beside;
pub use ini::{insert_line, replace_line};
pub use refusal::KeyRefusal;

/// An edit of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edits {
    /// The changes, sorted and disjoint.
    pub changes: Vec<Change>,
    /// The intended difference, if the edit affects only one entry.
    pub difference: Option<Difference>,
    /// Facts that a report of the edit states.
    pub notes: Vec<Note>,
    /// Whether the edit is not verified, because it is possible only if other entries are removed
    /// too: an anchor with its aliases. See [`remove_together`](super::together::remove_together).
    pub needs_others: bool,
}

/// A fact about an edit that is not obvious from the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The key is in a new section with this marker.
    InNewSection(String),
    /// The key replaces a comment that contained it.
    InPlaceOfComment,
    /// The dots and numbers in the new key are part of its name, which is this one.
    LiteralName(String),
    /// The new section has the same name as the section with this index, except for letter case.
    SimilarSection(usize),
    /// The section with this index has the same name.
    SameSection(usize),
    /// The comment after the value is unchanged.
    KeptComment,
}

/// Replaces the value of an entry.
///
/// # Errors
///
/// Fails if the value cannot be written there.
pub fn replace(
    tree: &Tree,
    index: usize,
    value: &Value,
    check: Check,
) -> Result<Edits, KeyRefusal> {
    let mut edits = match tree.syntax {
        Syntax::Ini(_) => ini::replace(tree, index, value, check)?,
        _ => plan_replacement(tree, index, value, check)?,
    };
    edits.notes.extend(has_comment_beside(tree, index).then_some(Note::KeptComment));
    Ok(edits)
}

/// Whether a comment follows the value of an entry on its line.
fn has_comment_beside(tree: &Tree, index: usize) -> bool {
    let value = tree.node(index).value.range();
    let after = &tree.text[value.end..tree.end_of_line(value.end)];
    let comment = after.trim_start();
    let markers: &[&str] = match tree.syntax {
        Syntax::Json | Syntax::JsonLines => &["//"],
        Syntax::Ini(_) => &["#", ";"],
        Syntax::Properties => return false,
        _ => &["#"],
    };
    let is_apart = comment.len() < after.len();
    !value.is_empty() && is_apart && markers.iter().any(|marker| comment.starts_with(marker))
}

fn plan_replacement(
    tree: &Tree,
    index: usize,
    value: &Value,
    check: Check,
) -> Result<Edits, String> {
    let node = *tree.node(index);
    let old_tag = tree.tag(index);
    if let Some(tag) = old_tag.filter(|_| value.tag.is_none() && value.kind != node.kind) {
        return Err(format!("the tag {tag} determines the type of this value"));
    }
    if tree.syntax == Syntax::Toml && node.form != Form::Scalar && node.form != Form::Flow {
        return Err("a table has no value of its own; set its keys".to_owned());
    }
    let container = tree.parent(index).unwrap_or(Tree::ROOT);
    let style = Style { model: string_style(tree, index), ..Style::of_container(tree, container) };
    // An old tag is replaced where it is.
    let untagged_value = if old_tag.is_some() { &value.clone().tagged(None) } else { value };
    let in_flow = tree.syntax == Syntax::Yaml && tree.is_in_brackets(index);
    let text = value_source(tree, untagged_value, in_flow, style, || {
        margin(tree, node.start as usize).to_owned()
    })?;
    let mut changes = match tree.syntax {
        Syntax::Yaml if in_flow => vec![flow_value(tree, index, &text)],
        Syntax::Yaml => block::replace(tree, index, &text)?,
        Syntax::Env | Syntax::Properties => variables::set(tree, index, &text),
        _ => vec![Change::new(node.value.range(), text)],
    };
    let tag = value.tag.as_deref().or(old_tag);
    if old_tag.is_some() && tag != old_tag {
        let at = tree.properties(index).tag.range();
        changes.insert(0, Change::new(at, tag.unwrap_or_default()));
    }
    let intent = value.clone().tagged(tag).parsed(tree.syntax)?;
    verify_changes(tree, changes, &Intent::Replace(index, Some(&intent)), check)
}

/// Returns the source of an old string or, for other values, of a neighbor that is a string.
fn string_style(tree: &Tree, index: usize) -> Option<&str> {
    match tree.node(index).kind {
        Kind::String => Some(tree.written(index)),
        _ => Style::of_container(tree, tree.parent(index)?).model,
    }
}

/// Returns the change that sets a value in a YAML flow mapping, where the value may be missing.
fn flow_value(tree: &Tree, index: usize, text: &str) -> Change {
    let node = tree.node(index);
    let range = node.value.range();
    let before = &tree.text[..range.start];
    match (range.is_empty(), before.ends_with(':')) {
        (false, _) => Change::new(range, text),
        (true, true) => Change::insert(range.start, format!(" {text}")),
        (true, false) => Change::insert(range.start, format!(": {text}")),
    }
}

/// Adds an empty list at the end of a mapping, and returns the document with it and its index. The
/// last of `names` is its name; mappings are created for the others.
///
/// # Errors
///
/// Fails if there is no place for it, or if the syntax has no lists.
pub fn with_empty_list(
    tree: &Tree,
    container: usize,
    names: &[String],
) -> Result<(Tree, usize), KeyRefusal> {
    // A null of YAML becomes a list on lines of its own.
    let empty = match tree.syntax {
        Syntax::Yaml => Value::source(Kind::Null, "null"),
        syntax if syntax.has_only_strings() => {
            return Err("this format has no lists".to_owned().into());
        }
        _ => Value::source(Kind::Sequence, "[]"),
    };
    let edits = insert_key(tree, container, names, &empty, Check::Now)?;
    let new = apply(&tree.text, &edits.changes);
    let new = parse_text(tree.syntax, &new).map_err(|fault| fault.message)?;
    let path = tree.path(container);
    let mapping = (0..new.nodes.len()).find(|&index| new.path(index) == path);
    let index = names.iter().fold(mapping, |mapping, name| {
        mapping.and_then(|mapping| children_named(&new, mapping, name).first().copied())
    });
    let index = index.ok_or_else(|| "the new list would not be found".to_owned())?;
    Ok((new, index))
}

/// Adds a key at the end of a mapping. The last of `names` is its name; mappings are created for
/// the others.
///
/// # Errors
///
/// Fails if there is no place for it.
pub fn insert_key(
    tree: &Tree,
    container: usize,
    names: &[String],
    value: &Value,
    check: Check,
) -> Result<Edits, KeyRefusal> {
    let node = tree.node(container);
    if !matches!(node.kind, Kind::Mapping | Kind::Null) {
        return Err(format!("{} has no keys", node.kind.with_article()).into());
    }
    if let Syntax::Ini(_) = tree.syntax {
        return ini::insert_key(tree, container, names, value, check);
    }
    Ok(plan_key(tree, container, names, value, check)?)
}

fn plan_key(
    tree: &Tree,
    container: usize,
    names: &[String],
    value: &Value,
    check: Check,
) -> Result<Edits, String> {
    let node = tree.node(container);
    let parsed = value.parsed(tree.syntax)?;
    let mut keys = NewKey::for_names(tree, container, names);
    if let (Some(last), Some((name, source))) = (keys.last_mut(), &value.key) {
        last.keep_type(tree.syntax, name, source);
    }
    let keys = &keys[..];
    let intent = Intent::Insert(container, Place::Key(keys), &parsed);
    if let Some(table) = &value.table
        && let Ok(changes) = toml_edits::insert_table(tree, container, keys, table)
        && let Ok(edits) = verify_changes(tree, changes, &intent, Check::Now)
    {
        return Ok(edits);
    }
    let style = Style::of_container(tree, container);
    let model = Models::of_key(tree, container, names).last_string().or(style.model);
    let text = new_value_source(tree, container, value, Style { model, ..style })?;
    let formatted_pair = || flow::format_pair(tree, container, keys, &text);
    let is_flow_null = node.kind == Kind::Null && tree.is_in_brackets(container);
    let changes = match tree.syntax {
        _ if opens_lines(tree, container, value) => {
            block::insert_first(tree, container, keys, &text)?
        }
        _ if flow::brackets_of(tree, container).is_some() => {
            flow::insert(tree, container, None, &formatted_pair())?
        }
        Syntax::Yaml if is_flow_null => {
            vec![flow_value(tree, container, &format!("{{{}}}", formatted_pair()))]
        }
        Syntax::Json | Syntax::JsonLines => {
            let end = if tree.text.is_empty() { "\n" } else { "" };
            vec![Change::new(node.value.range(), format!("{{{}}}{end}", formatted_pair()))]
        }
        Syntax::Toml => toml_edits::insert(tree, container, keys, &text)?,
        // Keys of INI are added above.
        Syntax::Env | Syntax::Properties | Syntax::Ini(_) => {
            let [name] = names else { return Err("this format has no nested keys".to_owned()) };
            variables::insert(tree, name, &text)?
        }
        Syntax::Yaml => block::insert(tree, container, keys, None, &text)?,
    };
    verify_changes(tree, changes, &intent, check)
}

/// Adds an item to a list, before the item with the given number or at the end.
///
/// # Errors
///
/// Fails if the entry is not a list, or if it has no item with this number.
pub fn insert_item(
    tree: &Tree,
    list: usize,
    number: Option<u32>,
    value: &Value,
    check: Check,
) -> Result<Edits, KeyRefusal> {
    if let Syntax::Ini(_) = tree.syntax {
        return Err("this format has no lists".to_owned().into());
    }
    Ok(plan_item(tree, list, number, value, check)?)
}

fn plan_item(
    tree: &Tree,
    list: usize,
    number: Option<u32>,
    value: &Value,
    check: Check,
) -> Result<Edits, String> {
    let node = tree.node(list);
    let is_lines = tree.syntax == Syntax::JsonLines;
    let is_documents = node.form == Form::Documents && !is_lines;
    if !matches!(node.kind, Kind::Sequence | Kind::Null) || is_documents {
        return Err(format!("{} has no items", node.kind.with_article()));
    }
    let count = tree.children(list).count();
    let number = number.map_or(count, |number| (number as usize).min(count));
    let before = tree.children(list).nth(number);
    let parsed = value.parsed(tree.syntax)?;
    let intent = Intent::Insert(list, Place::Item(number as u32), &parsed);
    if let Some(table) = &value.table {
        let item_lines = |path: &str, _: (&str, &str)| table.lines_with_path(path, true);
        if let Ok(changes) = toml_edits::append_table(tree, list, number, item_lines)
            && let Ok(edits) = verify_changes(tree, changes, &intent, Check::Now)
        {
            return Ok(edits);
        }
    }
    let style = Style::of_container(tree, list);
    let model = style.model.or_else(|| Models::of_item(tree, list).last_string());
    let text = new_value_source(tree, list, value, Style { model, ..style })?;
    let is_flow_null = node.kind == Kind::Null && tree.is_in_brackets(list);
    let changes = match tree.syntax {
        _ if opens_lines(tree, list, value) => block::insert_first(tree, list, &[], &text)?,
        _ if inside_brackets(tree, list).is_some() => flow::insert(tree, list, before, &text)?,
        Syntax::Yaml if is_flow_null => vec![flow_value(tree, list, &format!("[{text}]"))],
        Syntax::JsonLines if node.form == Form::Documents => {
            vec![insert_record(tree, before, &text)]
        }
        Syntax::Yaml => block::insert(tree, list, &[], before, &text)?,
        Syntax::Toml => {
            let body = table_body(value)?;
            let item_lines = |path: &str, indents: (&str, &str)| {
                Some(toml_edits::item_lines(&body, path, indents))
            };
            toml_edits::append_table(tree, list, number, item_lines)?
        }
        _ => vec![Change::new(node.value.range(), format!("[{text}]"))],
    };
    verify_changes(tree, changes, &intent, check)
}

/// Inserts a line before the line of an entry, or at the end.
fn insert_record(tree: &Tree, before: Option<usize>, text: &str) -> Change {
    let newline = newline_of(tree);
    match before {
        Some(next) => {
            let start = tree.start_of_line(tree.node(next).start as usize);
            Change::insert(start, format!("{text}{newline}"))
        }
        None if tree.text.is_empty() || tree.text.ends_with('\n') => {
            Change::insert(tree.text.len(), format!("{text}{newline}"))
        }
        None => Change::insert(tree.text.len(), format!("{newline}{text}")),
    }
}

/// Formats the entries of an inline table as lines.
fn table_body(value: &Value) -> Result<String, String> {
    let tree = value.parsed(Syntax::Toml)?;
    if tree.node(0).kind != Kind::Mapping {
        return Err("an item of an array of tables is a table: { name = \"x\" }".to_owned());
    }
    let line =
        |index| format!("{} = {}", &tree.text[tree.node(index).key.range()], tree.written(index));
    Ok(tree.children(0).map(line).collect::<Vec<_>>().join("\n"))
}

/// Removes an entry.
///
/// # Errors
///
/// Fails if it cannot be removed.
pub fn remove(tree: &Tree, index: usize, check: Check) -> Result<Edits, KeyRefusal> {
    let Some(container) = tree.parent(index) else {
        return Err("the root of a document cannot be deleted".to_owned().into());
    };
    if let Syntax::Ini(_) = tree.syntax {
        return ini::remove(tree, index, check);
    }
    let refusal = anchor_refusal(tree, index, &[]);
    if let (Some(refusal), Check::Now) = (&refusal, check) {
        return Err(refusal.clone());
    }
    let changes = match tree.syntax {
        _ if flow::brackets_of(tree, container).is_some() => flow::remove(tree, index)?,
        Syntax::Toml => toml_edits::remove(tree, index)?,
        Syntax::Env | Syntax::Properties => variables::remove(tree, index),
        Syntax::JsonLines => vec![Change::delete(whole_lines(tree, &tree.span(index)))],
        _ if tree.node(container).form == Form::Documents => {
            return Err("a document of several cannot be deleted by its key".to_owned().into());
        }
        _ => block::remove(tree, index)?,
    };
    if refusal.is_some() {
        return Ok(Edits { needs_others: true, ..build_edits(tree, changes, None) });
    }
    Ok(verify_changes(tree, changes, &Intent::Remove(index), check)?)
}

/// Returns the refusal to remove an entry with an anchor to which an alias refers that is neither in
/// the entry nor in another removed one.
pub(super) fn anchor_refusal(tree: &Tree, index: usize, removed: &[usize]) -> Option<KeyRefusal> {
    let remains = |(alias, anchor): &&(u32, u32)| {
        let is_in = |&entry: &usize| tree.is_within(*alias as usize, entry);
        tree.is_within(*anchor as usize, index) && !is_in(&index) && !removed.iter().any(is_in)
    };
    let alias = tree.aliases.iter().find(remains)?.0 as usize;
    let (line, alias) = (tree.lines(alias).start(), tree.written(alias));
    let message = format!("its anchor is used by the alias {alias} on line {line}");
    Some(format!("{message}; delete that entry too").into())
}

/// Removes an entry that is inserted at another place, together with the comments above it.
///
/// # Errors
///
/// The same as those of [`remove`].
pub fn remove_with_comments(tree: &Tree, index: usize, check: Check) -> Result<Edits, KeyRefusal> {
    match tree.syntax {
        Syntax::Ini(_) => ini::remove_with_comments(tree, index, check),
        _ => remove(tree, index, check),
    }
}

/// Renames a key. If the name is in quotes, these are not part of it, and a name such as `200` is a
/// string in YAML.
///
/// # Errors
///
/// Fails if the entry is an item, or if the name is taken.
pub fn rename(tree: &Tree, index: usize, name: &str, check: Check) -> Result<Edits, KeyRefusal> {
    let quoted_name = unquoted(Dialect::of_document(tree), name);
    let is_quoted = quoted_name.is_some();
    let name = quoted_name.as_deref().unwrap_or(name);
    let (Some(parent), Some(old)) = (tree.parent(index), tree.name(index)) else {
        return Err("an item of a list has no name".to_owned().into());
    };
    if let Syntax::Ini(_) = tree.syntax {
        return ini::rename(tree, index, name, check);
    }
    if tree.children(parent).any(|other| tree.name(other) == Some(name)) {
        let message = if old == name {
            format!("the key is already named '{name}'")
        } else {
            format!("there is already a key '{name}'")
        };
        return Err(message.into());
    }
    let mut key = NewKey::replacing(tree, index, name);
    if is_quoted {
        key.become_string(tree.syntax);
    }
    let changes = match tree.syntax {
        Syntax::Toml => toml_edits::rename(tree, index, &key)?,
        Syntax::Env | Syntax::Properties => variables::rename(tree, index, name)?,
        _ => vec![Change::new(tree.node(index).key.range(), &key.source[..])],
    };
    Ok(verify_changes(tree, changes, &Intent::Rename(index, &key), check)?)
}

/// Whether two documents have the same data outside of an entry of each.
pub fn is_same_outside((old, index): (&Tree, usize), (new, new_index): (&Tree, usize)) -> bool {
    data_outside(old, index) == data_outside(new, new_index)
}

/// Whether a document has the same data as another one without an entry of it.
pub fn is_same_without(old: &Tree, (new, added): (&Tree, usize)) -> bool {
    data(old) == expected_data(new, &Intent::Remove(added))
}

/// When an edit is verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Check {
    /// Each edit is verified when it is planned.
    #[default]
    Now,
    /// An edit with a known [`Difference`] is not verified. The caller must call [`has_all`] with
    /// the text after all edits.
    Later,
}

/// An edit of several that are made together.
pub enum Alone {
    /// The difference that the edit makes.
    Difference(Difference),
    /// The text after this edit alone.
    Text(Vec<u8>),
}

/// Whether the text after several edits contains exactly the intended differences.
pub fn has_all(syntax: Syntax, old: &[u8], differences: &[Difference], combined: &[u8]) -> bool {
    let parsed = |text: &[u8]| parse(syntax, text).ok();
    parsed(old)
        .zip(parsed(combined))
        .is_some_and(|(old, combined)| verify::has_all(&old, differences, &combined))
}

/// Whether several edits can be made together. `combined` is the text after all of them. Also returns
/// true if the text is not valid before the edits or after one of them.
pub fn go_together(
    syntax: Syntax,
    old: &[u8],
    edits: impl Iterator<Item = Alone>,
    combined: &[u8],
) -> bool {
    let parsed = |text: &[u8]| parse(syntax, text).ok();
    let Some(old) = parsed(old) else { return true };
    let mut differences = Vec::new();
    for edit in edits {
        differences.push(match edit {
            Alone::Difference(difference) => difference,
            Alone::Text(text) => match parsed(&text) {
                Some(tree) => Difference::between(&old, &tree),
                None => return true,
            },
        });
    }
    parsed(combined).is_some_and(|combined| verify::has_all(&old, &differences, &combined))
}

/// Strings whose style a new string imitates.
#[derive(Clone, Copy, Default)]
struct Style<'t> {
    model: Option<&'t str>,
    quoted_model: Option<&'t str>,
}

impl<'t> Style<'t> {
    /// The style of the last strings of one line in a container.
    fn of_container(tree: &'t Tree, container: usize) -> Self {
        let strings = || {
            let strings =
                tree.children(container).filter(|&child| tree.node(child).kind == Kind::String);
            strings.map(|child| tree.written(child)).filter(|written| !written.contains('\n'))
        };
        let is_quoted = |written: &&str| written.starts_with(['"', '\'']);
        Self { model: strings().last(), quoted_model: strings().filter(is_quoted).last() }
    }
}

/// Whether a mapping or list of YAML is written as empty brackets that lines can replace.
fn opens_lines(tree: &Tree, container: usize, value: &Value) -> bool {
    let is_blank_range = |range: Range<usize>| tree.text[range].trim().is_empty();
    tree.syntax == Syntax::Yaml
        && value.is_lines()
        && !tree.is_in_brackets(container)
        && inside_brackets(tree, container).is_some_and(is_blank_range)
}

fn new_value_source(
    tree: &Tree,
    container: usize,
    value: &Value,
    style: Style<'_>,
) -> Result<String, String> {
    let in_flow = tree.syntax == Syntax::Yaml
        && inside_brackets(tree, container).is_some()
        && !opens_lines(tree, container, value);
    let margin = || flow::margin_inside(tree, container).unwrap_or_default();
    value_source(tree, value, in_flow, style, margin)
}

/// Returns the source of a value. In JSON, further lines get the indentation of the entry.
fn value_source(
    tree: &Tree,
    value: &Value,
    in_flow: bool,
    Style { model, quoted_model }: Style<'_>,
    margin: impl FnOnce() -> String,
) -> Result<String, String> {
    let text = value.write(tree, Setting { in_flow, model, quoted_model })?;
    if tree.syntax != Syntax::Json {
        return Ok(text);
    }
    Ok(with_margin(&text, &margin()))
}

/// Gives the lines after the first one a margin instead of the indentation that they have in common.
pub(super) fn with_margin(text: &str, margin: &str) -> String {
    let further = || text.lines().skip(1).filter(|line| !line.trim().is_empty());
    let indentation = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let common = further().map(indentation).min().unwrap_or(0);
    let line = |line: &str| format!("\n{margin}{}", line.get(common..).unwrap_or_default());
    let first = text.lines().next().unwrap_or_default().to_owned();
    text.lines().skip(1).fold(first, |all, next| all + &line(next))
}

/// Verifies that the result of an edit is valid and contains exactly the intended data, unless that
/// can be verified later.
pub(super) fn verify_changes(
    tree: &Tree,
    mut changes: Vec<Change>,
    intent: &Intent<'_>,
    check: Check,
) -> Result<Edits, String> {
    // A string with a line ending may share lines with the entries beside it.
    if changes.windows(2).any(|pair| pair[0].at.end > pair[1].at.start) {
        return Err("this entry shares a line with another one".to_owned());
    }
    with_line_ending(tree, &mut changes);
    let difference = Difference::of_edit(tree, intent);
    if check == Check::Later && difference.is_some() && !is_open_at_end(tree, &changes) {
        return Ok(build_edits(tree, changes, difference));
    }
    let text = apply(&tree.text, &changes);
    let new = parse_text(tree.syntax, &text)
        .map_err(|fault| format!("the result would be invalid: {}", fault.message))?;
    if count_endless_aliases(&new) > count_endless_aliases(tree) {
        return Err("an alias would refer to an entry that contains it".to_owned());
    }
    match data(&new) == expected_data(tree, intent) && keeps_order(tree, &new, intent) {
        true => Ok(build_edits(tree, changes, difference)),
        // A literal block at the end of the document needs a line ending.
        false if is_open_at_end(tree, &changes) => {
            if let Some(last) = changes.last_mut() {
                last.text.push_str(newline_of(tree));
            }
            verify_changes(tree, changes, intent, check)
        }
        false if ends_last_line(tree, &new, intent) => {
            let message = "the last line of the file is in a block scalar and has no line ending";
            Err(format!("{message}; add one first"))
        }
        false => Err("the edit would change other data too".to_owned()),
    }
}

/// Counts the aliases of YAML that refer to an entry that contains them.
fn count_endless_aliases(tree: &Tree) -> usize {
    tree.aliases
        .iter()
        .filter(|(alias, anchor)| tree.is_within(*alias as usize, *anchor as usize))
        .count()
}

/// Gives inserted lines the line ending of the document, unless it may be part of a value.
fn with_line_ending(tree: &Tree, changes: &mut [Change]) {
    if let Syntax::Env | Syntax::Properties | Syntax::Ini(_) = tree.syntax {
        return;
    }
    for change in changes.iter_mut().filter(|change| change.text.contains('\n')) {
        change.text = change.text.replace("\r\n", "\n").replace('\n', newline_of(tree));
    }
}

fn build_edits(tree: &Tree, changes: Vec<Change>, difference: Option<Difference>) -> Edits {
    let changes = changes.into_iter().map(|change| before_next_line(tree, change)).collect();
    Edits { changes, difference, notes: Vec::new(), needs_others: false }
}

/// Whether changes end a YAML document with text that has no line ending.
fn is_open_at_end(tree: &Tree, changes: &[Change]) -> bool {
    let is_open = |last: &Change| !last.text.is_empty() && !last.text.ends_with('\n');
    tree.syntax == Syntax::Yaml
        && changes.last().is_some_and(|last| last.at.end == tree.text.len() && is_open(last))
}

/// Whether the result has the intended data, except that a block scalar at the end of the document
/// has a line ending that was missing.
fn ends_last_line(tree: &Tree, new: &Tree, intent: &Intent<'_>) -> bool {
    let ended = format!("{}{}", tree.text, newline_of(tree));
    let ended = parse_text(tree.syntax, &ended).ok();
    let is_same_tree = |ended: &Tree| ended.nodes.len() == tree.nodes.len();
    ended.filter(is_same_tree).is_some_and(|ended| data(new) == expected_data(&ended, intent))
}

/// Inserts lines before the next line instead of after the end of a line, which is the same text,
/// so that the line above them is not part of the edit.
fn before_next_line(tree: &Tree, change: Change) -> Change {
    let newline = newline_of(tree);
    match change.text.strip_prefix(newline) {
        Some(rest) if change.at.is_empty() && tree.text[change.at.start..].starts_with(newline) => {
            Change::insert(change.at.start + newline.len(), format!("{rest}{newline}"))
        }
        _ => change,
    }
}
