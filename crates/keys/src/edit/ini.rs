//! Edits of INI files: sets, adds, removes and renames keys and sections.
//!
//! A new value is written so that the programs of the dialect read exactly this value, in the
//! quotes of the old one, and with the comment after it. A new key has the style of the keys beside
//! it. What INI cannot represent, and what its programs may read in different ways, is refused: see
//! [`KeyRefusal`].

use std::fmt;
use std::ops::Range;

use folio_text::content;
use folio_text::ini_dialect::{IniDialect, has_wide_edges};
use folio_text::lines::without_end;
use folio_text::sections::{LineKind, ini_line, marker_of};

use super::{Check, Edits, Note, checked};
use crate::change::{Change, apply, newline_of};
use crate::find::{find_sections, keys_named};
use crate::ini::{decoded, first_line, is_in_quotes, key_parts, parse};
use crate::layout::{
    comments_above, insert_lines, is_blank_before, margin, next_line, whole_lines,
    without_blank_lines,
};
use crate::names::NewKey;
use crate::path::split_index;
use crate::tree::{Kind, Tree};
use crate::value::Value;
use crate::verify::{Difference, Intent, Place};

/// The reason why an edit of an INI file is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyRefusal {
    /// The value spans several lines by the rules of TOML, so its end is unknown.
    OpenValue {
        /// The index of the key.
        index: usize,
        /// Its name.
        name: String,
    },
    /// Lines below a blank line or a comment may belong to the value.
    MayContinue {
        /// The index of the key.
        index: usize,
        /// Its name.
        name: String,
        /// The first of these lines.
        line: u64,
    },
    /// The value would be read as something else.
    OtherValue(String),
    /// The value has several lines.
    SeveralLines,
    /// The value begins or ends with whitespace that some programs remove.
    WideEdges,
    /// The text would not be read as the name of a key.
    NoKeyName(String),
    /// The text would not be read as the name of a section.
    NoSectionName(String),
    /// There are no keys before the first section, and a new one is not possible there.
    NeedsSection(String),
    /// The key is not before the first section, but in sections.
    InSections {
        /// The name of the key.
        name: String,
        /// The indices of the keys in sections with this name.
        keys: Vec<usize>,
    },
    /// The key exists.
    Exists {
        /// The index of the existing key.
        index: usize,
        /// Its name.
        name: String,
    },
    /// A key is on the line of the marker of its section.
    OnMarkerLine {
        /// The index of the section.
        section: usize,
    },
    /// The content is not a line of the key, or not only that.
    NotOneKey(String),
    /// Another reason, as a sentence without a full stop.
    Other(String),
}

impl fmt::Display for KeyRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OpenValue { name, .. } => write!(
                formatter,
                "the value of '{name}' spans several lines as in TOML, which INI does not support"
            ),
            Self::MayContinue { name, line, .. } => {
                write!(
                    formatter,
                    "the value of '{name}' may continue on line {line}, after a blank line"
                )
            }
            Self::OtherValue(value) => {
                write!(formatter, "the value '{value}' would be read as something else")
            }
            Self::SeveralLines => write!(formatter, "a value of this format has one line"),
            Self::WideEdges => {
                write!(
                    formatter,
                    "the value begins or ends with whitespace that some programs remove"
                )
            }
            Self::NoKeyName(name) => {
                write!(formatter, "'{}' would not be the name of a key", name.escape_debug())
            }
            Self::NoSectionName(name) => {
                write!(formatter, "'{}' would not be the name of a section", name.escape_debug())
            }
            Self::NeedsSection(name) => write!(formatter, "the new key '{name}' needs a section"),
            Self::InSections { name, .. } => {
                write!(formatter, "no key '{name}' before the first section")
            }
            Self::Exists { name, .. } => write!(formatter, "there is already a key '{name}'"),
            Self::OnMarkerLine { .. } => {
                write!(formatter, "a key on the line of its section is not supported")
            }
            Self::NotOneKey(name) => {
                write!(formatter, "the content is not a line that sets the key '{name}'")
            }
            Self::Other(message) => formatter.write_str(message),
        }
    }
}

impl From<String> for KeyRefusal {
    fn from(message: String) -> Self {
        Self::Other(message)
    }
}

impl From<KeyRefusal> for String {
    fn from(refusal: KeyRefusal) -> Self {
        refusal.to_string()
    }
}

/// The result of planning an edit, or of a part of it.
type IniResult<T = Edits> = Result<T, KeyRefusal>;

/// Maximum number of sections that decide whether blank lines separate sections.
const SAMPLES: usize = 32;

/// Replaces the value of a key. A key without a separator gets one.
///
/// # Errors
///
/// Fails if the value cannot be written so that it is read back, or if the end of the old value is
/// unknown.
pub(super) fn replace(tree: &Tree, index: usize, value: &Value, check: Check) -> IniResult {
    let ini = Ini::of(tree)?;
    ini.check_key(index)?;
    let content = ini.one_line(value)?;
    let (at, text, read) = if tree.node(index).kind == Kind::Null {
        ini.first_value(index, &content)?
    } else {
        ini.new_value(index, &content)?
    };
    let intent = string_tree(ini.tree, &read)?;
    let intent = Intent::Replace(index, Some(&intent));
    Ok(checked(tree, vec![Change::new(at, text)], &intent, check)?)
}

/// Adds a key after the other keys of a section, or before the first section. If the section has
/// the key in a comment such as `#Storage=auto`, the key replaces the comment. Two names are those
/// of a section and a key: a missing section is added at the end.
///
/// # Errors
///
/// Fails if programs would not read the names or the value, if the end of the values above is
/// unknown, or if keys are only possible in sections.
pub(super) fn insert_key(
    tree: &Tree,
    container: usize,
    names: &[String],
    value: &Value,
    check: Check,
) -> IniResult {
    let ini = Ini::of(tree)?;
    let content = ini.one_line(value)?;
    match (names, tree.node(container).kind) {
        ([name], Kind::Mapping) if container == Tree::ROOT => {
            ini.insert_before_sections(name, &content, check)
        }
        ([name], Kind::Mapping) => ini.set_new(container, name, &content, check),
        ([section, name], Kind::Mapping) if container == Tree::ROOT => {
            match find_sections(tree, section)[..] {
                [] => ini.insert_section(section, name, &content, check),
                [only] => ini.set_new(only, name, &content, check),
                _ => Err(format!("several sections are named '{section}'").into()),
            }
        }
        _ => Err("this format has no nested keys".to_owned().into()),
    }
}

/// Adds a key that is given as its source after the other keys of a section, or before the first
/// section.
///
/// # Errors
///
/// Fails if the source is not one key with this name, if the key exists, or if the end of the values
/// above is unknown.
pub fn insert_line(
    tree: &Tree,
    container: usize,
    name: &str,
    content: &str,
    check: Check,
) -> IniResult {
    let ini = Ini::of(tree)?;
    if tree.node(container).kind != Kind::Mapping {
        return Err("this format has no nested keys".to_owned().into());
    }
    ini.check_marker(container)?;
    let given = ini.one_key(content, name)?;
    let own = given.name(1).unwrap_or(name);
    let (at, margin) = ini.place_of_new(container, own)?;
    let mut value = given.clone();
    value.remove_root();
    let keys = [NewKey { name: own, source: own.to_owned() }];
    let intent = Intent::Insert(container, Place::Key(&keys), &value);
    let change = insert_lines(tree, at, &ini.indented(content, margin));
    let edits = checked(tree, vec![change], &intent, check)?;
    Ok(ini.with_literal_name(edits, container, own))
}

/// Replaces all lines of a key with its new source.
///
/// # Errors
///
/// Fails if the source is not one key with this name, or if the end of the old value is unknown.
pub fn replace_line(tree: &Tree, index: usize, content: &str) -> IniResult {
    let ini = Ini::of(tree)?;
    ini.check_key(index)?;
    let name = tree.name(index).unwrap_or_default();
    let given = ini.one_key(content, name)?;
    let at = whole_lines(tree, &tree.span(index));
    let newline = newline_of(tree);
    let margin = margin(tree, at.start);
    let mut text = ini.indented(content, margin).join(newline);
    if tree.text[at.clone()].ends_with('\n') {
        text.push_str(newline);
    }
    let change = Change::new(at, text);
    let new = parse(ini.dialect, &apply(&tree.text, std::slice::from_ref(&change)))
        .map_err(|fault| fault.message)?;
    let entry = |tree: &Tree, own: usize| {
        let node = tree.node(own);
        let text = if node.kind.is_container() { "" } else { tree.scalar(own) };
        (node.kind, node.parent, tree.name(own).map(str::to_owned), text.to_owned())
    };
    // The letter case of the name may differ.
    let is_same = |own: usize| {
        if own == index {
            let (kind, _, name, text) = entry(&given, 1);
            (kind, tree.node(index).parent, name, text) == entry(&new, own)
        } else {
            entry(tree, own) == entry(&new, own)
        }
    };
    if new.nodes.len() != tree.nodes.len() || !(1..tree.nodes.len()).all(is_same) {
        return Err("the edit would change other data too".to_owned().into());
    }
    let difference = Some(Difference::between(tree, &new));
    Ok(Edits { changes: vec![change], difference, notes: Vec::new() })
}

/// Removes the lines of a key, or of a section up to the next marker.
///
/// # Errors
///
/// Fails if the end of the value is unknown, or if other data would change.
pub(super) fn remove(tree: &Tree, index: usize, check: Check) -> IniResult {
    let ini = Ini::of(tree)?;
    let span = tree.span(index);
    let change = if tree.node(index).kind == Kind::Mapping {
        without_blank_lines(tree, tree.start_of_line(span.start), span.end)
    } else {
        ini.check_key(index)?;
        Change::delete(whole_lines(tree, &span))
    };
    Ok(checked(tree, vec![change], &Intent::Remove(index), check)?)
}

/// Removes the lines of a key together with the comments directly above it.
///
/// # Errors
///
/// The same as those of [`remove`].
pub(super) fn take(tree: &Tree, index: usize, check: Check) -> IniResult {
    let ini = Ini::of(tree)?;
    ini.check_key(index)?;
    let lines = whole_lines(tree, &tree.span(index));
    let start = comments_above(tree, lines.start, 0, &['#', ';']);
    let change = Change::delete(start..lines.end);
    Ok(checked(tree, vec![change], &Intent::Remove(index), check)?)
}

/// Renames a key or a section. The name of a section may be in the brackets of its marker.
///
/// # Errors
///
/// Fails if programs would not read the text as a name, or if another key has the name.
pub(super) fn rename(tree: &Tree, index: usize, name: &str, check: Check) -> IniResult {
    let ini = Ini::of(tree)?;
    if tree.node(index).kind == Kind::Mapping {
        return ini.rename_section(index, name, check);
    }
    ini.check_key(index)?;
    let container = tree.parent(index).unwrap_or(Tree::ROOT);
    let taken = keys_named(tree, container, name);
    // The letter case of a name may change.
    let is_own = taken == [index] && tree.name(index) != Some(name);
    if let Some(&other) = taken.first().filter(|_| !is_own) {
        return Err(KeyRefusal::Exists { index: other, name: name.to_owned() });
    }
    let key = tree.node(index).key.range();
    let lines = ini.lines_of(index);
    let (before, after) = (&tree.text[lines.start..key.start], &tree.text[key.end..lines.end]);
    let new = format!("{before}{name}{after}");
    let is_read = ini.one_key(&new, name).is_ok_and(|new| {
        new.name(1) == Some(name)
            && new.node(1).kind == tree.node(index).kind
            && new.scalar(1) == tree.scalar(index)
    });
    if !is_read || !is_safe_name(name) {
        return Err(KeyRefusal::NoKeyName(name.to_owned()));
    }
    let intent = NewKey { name, source: name.to_owned() };
    Ok(checked(tree, vec![Change::new(key, name)], &Intent::Rename(index, &intent), check)?)
}

/// Whether a name may be that of a key. Other parsers may read a line that begins with a bracket as
/// a section marker.
fn is_safe_name(name: &str) -> bool {
    !name.starts_with('[') && !has_wide_edges(name.as_bytes()) && !name.contains(['\n', '\r'])
}

/// Returns a string as the document of a value.
fn string_tree(tree: &Tree, text: &str) -> IniResult<Tree> {
    Ok(Value::string(text).parsed(tree.syntax)?)
}

/// A tree of keys in INI, with its dialect.
struct Ini<'t> {
    tree: &'t Tree,
    dialect: IniDialect,
}

impl<'t> Ini<'t> {
    fn of(tree: &'t Tree) -> IniResult<Self> {
        let dialect = tree.ini_dialect();
        let dialect = dialect.ok_or_else(|| "the document is not INI".to_owned())?;
        Ok(Self { tree, dialect })
    }

    /// Returns the text of a value, which must be on one line. It may be empty.
    fn one_line(&self, value: &Value) -> IniResult<String> {
        if value.kind != Kind::String {
            return Err("values of this format are strings".to_owned().into());
        }
        let content = value.text.clone();
        if content.contains(['\n', '\r']) {
            return Err(KeyRefusal::SeveralLines);
        }
        let removes = !matches!(self.dialect, IniDialect::Git | IniDialect::Systemd);
        if removes && has_wide_edges(content.as_bytes()) {
            return Err(KeyRefusal::WideEdges);
        }
        Ok(content)
    }

    /// Fails if an entry is not a key, or if the end of its value is unknown.
    fn check_key(&self, index: usize) -> IniResult<()> {
        if self.tree.node(index).kind == Kind::Mapping {
            return Err("a section has no value of its own; set its keys".to_owned().into());
        }
        self.check_open(index)?;
        self.check_end(index)
    }

    fn check_open(&self, index: usize) -> IniResult<()> {
        if self.tree.is_open(index) {
            let name = self.name(index);
            return Err(KeyRefusal::OpenValue { index, name });
        }
        Ok(())
    }

    /// Fails if lines after a blank line or a comment may belong to the value of a key.
    fn check_end(&self, index: usize) -> IniResult<()> {
        match self.tree.may_continue(index) {
            Some(line) => Err(KeyRefusal::MayContinue { index, name: self.name(index), line }),
            None => Ok(()),
        }
    }

    fn name(&self, index: usize) -> String {
        self.tree.name(index).unwrap_or_default().to_owned()
    }

    /// Returns the range of the lines of a key, without the last line ending.
    fn lines_of(&self, index: usize) -> Range<usize> {
        let span = self.tree.span(index);
        self.tree.start_of_line(span.start)..self.tree.end_of_line(span.end)
    }

    /// Returns the first line of a key.
    fn line_of_key(&self, index: usize) -> &'t str {
        first_line(&self.tree.text[self.lines_of(index)])
    }

    /// Returns the name of the key on a line.
    fn key_of<'l>(&self, line: &'l str) -> Option<&'l str> {
        key_parts(self.dialect, line).map(|parts| &line[parts.name])
    }

    /// Returns the value on a line.
    fn reads_back(&self, line: &str) -> String {
        let parts = key_parts(self.dialect, line);
        parts.map_or_else(String::new, |parts| decoded(self.dialect, &line[parts.value]))
    }

    /// Parses content that consists of one key, with a name whose letter case may differ.
    fn one_key(&self, content: &str, name: &str) -> IniResult<Tree> {
        let given = parse(self.dialect, content).map_err(|fault| fault.message)?;
        let is_one = given.nodes.len() == 2
            && given.node(1).kind != Kind::Mapping
            && given.name(1).is_some_and(|own| own.eq_ignore_ascii_case(name));
        if is_one { Ok(given) } else { Err(KeyRefusal::NotOneKey(name.to_owned())) }
    }

    /// Writes a value, and returns it as it will be read, too.
    fn encoded(&self, content: &str, is_quoted: bool) -> (String, String) {
        let (written, read) = self.dialect.encoded(content.as_bytes(), is_quoted);
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (text(written), text(read))
    }

    /// Returns the new source of a value, its place, and its text. The quotes of the old value are
    /// kept.
    fn new_value(&self, index: usize, content: &str) -> IniResult<(Range<usize>, String, String)> {
        let (text, lines) = (&self.tree.text, self.lines_of(index));
        let mut at = self.tree.node(index).value.range();
        let old = &text[at.clone()];
        let first = self.line_of_key(index);
        let is_inner = !old.contains('\n')
            && key_parts(self.dialect, first).is_some_and(|parts| is_in_quotes(first, &parts));
        if is_inner {
            at = at.start + 1..at.end - 1;
        }
        let is_git_quoted = old.len() > 1 && old.starts_with('"') && old.ends_with('"');
        let is_quoted = is_inner || self.dialect == IniDialect::Git && is_git_quoted;
        let (written, read) = self.encoded(content, is_quoted);
        let (before, after) = (&text[lines.start..at.start], &text[at.end..lines.end]);
        for (left, right) in [("", ""), (" ", ""), ("", " "), (" ", " ")] {
            let own = format!("{left}{written}{right}");
            let line = format!("{before}{own}{after}");
            if self.key_of(&line) == self.tree.name(index) && self.reads_back(&line) == read {
                return Ok((at, own, read));
            }
        }
        Err(KeyRefusal::OtherValue(content.to_owned()))
    }

    /// Returns the separator and the value of a key that has none, in the style of the last key of
    /// the document with a value.
    fn first_value(
        &self,
        index: usize,
        content: &str,
    ) -> IniResult<(Range<usize>, String, String)> {
        let lines = self.lines_of(index);
        let name = self.name(index);
        let is_model = |&own: &usize| self.tree.node(own).kind == Kind::String;
        let model = (1..self.tree.nodes.len()).rfind(is_model).map(|own| self.line_of_key(own));
        let (line, read) = self.key_line(&name, content, model)?;
        let rest = line[name.len()..].to_owned();
        let end = self.tree.node(index).key.range().end;
        let at = end..end;
        let text = &self.tree.text;
        let (before, after) = (&text[lines.start..at.start], &text[at.end..lines.end]);
        if self.reads_back(&format!("{before}{rest}{after}")) != read {
            return Err(KeyRefusal::OtherValue(content.to_owned()));
        }
        Ok((at, rest, read))
    }

    /// Returns the line of a new key, without indentation, and its value as it will be read. `model`
    /// is the line of a key whose separator the new one has.
    fn key_line(
        &self,
        key: &str,
        content: &str,
        model: Option<&str>,
    ) -> IniResult<(String, String)> {
        let separator = model.and_then(|line| {
            let parts = key_parts(self.dialect, line)?;
            let between = line.get(parts.name.end..parts.value.start)?;
            let marks = between.replace(['"', '\''], "");
            (!marks.is_empty()).then_some(marks)
        });
        let separator = separator.as_deref().unwrap_or(" = ");
        let is_key = |line: &str| self.one_key(line, key).is_ok();
        let example = format!("{key}{separator}v");
        if !is_safe_name(key) || self.key_of(&example) != Some(key) || !is_key(&example) {
            return Err(KeyRefusal::NoKeyName(key.to_owned()));
        }
        let (written, read) = self.encoded(content, false);
        let mut line = format!("{key}{separator}{written}");
        if content.is_empty() {
            line.truncate(line.trim_end().len());
        }
        if self.reads_back(&line) != read || !is_key(&line) {
            return Err(KeyRefusal::OtherValue(content.to_owned()));
        }
        Ok((line, read))
    }

    /// Fails if a key follows the marker of a section on its line, as in git's files.
    fn check_marker(&self, section: usize) -> IniResult<()> {
        if section == Tree::ROOT {
            return Ok(());
        }
        let marker_end = self.tree.node(section).value.range().start;
        let after = &self.tree.text[marker_end..self.tree.end_of_line(marker_end)];
        match after.trim().chars().next() {
            None | Some('#' | ';') => Ok(()),
            Some(_) => Err(KeyRefusal::OnMarkerLine { section }),
        }
    }

    /// Adds a key before the first section, if keys are possible there.
    fn insert_before_sections(&self, name: &str, content: &str, check: Check) -> IniResult {
        if self.tree.ini_keys(Tree::ROOT).is_empty() {
            let all =
                (1..self.tree.nodes.len()).filter(|&own| self.tree.node(own).kind != Kind::Mapping);
            let keys: Vec<usize> = all.filter(|&own| self.tree.name(own) == Some(name)).collect();
            // The first key before all sections would be another one than that of a section.
            if !keys.is_empty() {
                return Err(KeyRefusal::InSections { name: name.to_owned(), keys });
            }
            let in_comment = self.set_in_comment(Tree::ROOT, name, content)?;
            if let Some(edits) = in_comment {
                return Ok(edits);
            }
            if !self.may_precede_sections(name) {
                self.key_line(name, content, None)?;
                return Err(KeyRefusal::NeedsSection(name.to_owned()));
            }
        }
        self.set_new(Tree::ROOT, name, content, check)
    }

    /// Whether the first key before all sections may be a new one.
    fn may_precede_sections(&self, key: &str) -> bool {
        let is_empty = self.tree.ini_sections().next().is_none();
        match self.dialect {
            IniDialect::Git | IniDialect::Systemd | IniDialect::Python => false,
            IniDialect::Line => is_empty || key == "root",
            _ => is_empty,
        }
    }

    /// Sets a missing key of a section.
    fn set_new(&self, container: usize, name: &str, content: &str, check: Check) -> IniResult {
        if let Some(edits) = self.set_in_comment(container, name, content)? {
            return Ok(edits);
        }
        self.check_marker(container)?;
        self.key_line(name, content, None)?;
        let (at, margin) = self.place_of_new(container, name)?;
        let model = self.tree.ini_keys(container).next_back().map(|last| self.line_of_key(last));
        let (line, read) = self.key_line(name, content, model)?;
        let change = insert_lines(self.tree, at, &[format!("{margin}{line}")]);
        let edits = self.inserted(container, name, &read, change, check)?;
        Ok(self.with_literal_name(edits, container, name))
    }

    fn inserted(
        &self,
        container: usize,
        name: &str,
        read: &str,
        change: Change,
        check: Check,
    ) -> IniResult {
        let value = string_tree(self.tree, read)?;
        let keys = [NewKey { name, source: name.to_owned() }];
        let intent = Intent::Insert(container, Place::Key(&keys), &value);
        Ok(checked(self.tree, vec![change], &intent, check)?)
    }

    /// Returns the offset at which a new key is inserted, below the last key or the marker, and its
    /// indentation.
    fn place_of_new(&self, container: usize, name: &str) -> IniResult<(usize, &'t str)> {
        let tree = self.tree;
        let mut own = tree.ini_keys(container);
        if let Some(index) = own.clone().find(|&own| tree.name(own) == Some(name)) {
            return Err(KeyRefusal::Exists { index, name: name.to_owned() });
        }
        // Below a value that continues, the new key would be part of it.
        if self.dialect == IniDialect::Indented {
            own.clone().try_for_each(|own| self.check_end(own))?;
        }
        Ok(match own.next_back() {
            Some(last) => {
                self.check_open(last)?;
                let start = tree.node(last).start as usize;
                (next_line(tree, tree.span(last).end), margin(tree, start))
            }
            None if container == Tree::ROOT => (0, ""),
            None => (next_line(tree, tree.node(container).value.range().start), ""),
        })
    }

    /// Notes that dots and numbers are part of the name of a new key, if they might have been those
    /// of a path.
    fn with_literal_name(&self, mut edits: Edits, container: usize, name: &str) -> Edits {
        let may_nest = container == Tree::ROOT && self.dialect != IniDialect::Npm;
        if may_nest && name.contains('.') || split_index(name).is_some() {
            edits.notes.push(Note::LiteralName(name.to_owned()));
        }
        edits
    }

    /// Sets a missing key on the line of its section in which it is commented out. Returns `None`
    /// unless there is exactly one such line, and the key is the only change of the data.
    fn set_in_comment(
        &self,
        container: usize,
        name: &str,
        content: &str,
    ) -> IniResult<Option<Edits>> {
        let (tree, text) = (self.tree, &self.tree.text);
        let within = match container {
            Tree::ROOT => {
                let first = tree.ini_sections().next();
                0..first.map_or(text.len(), |first| tree.node(first).start as usize)
            }
            section => tree.span(section),
        };
        let mut start = within.start;
        let mut examples = text[within].split_inclusive('\n').filter_map(|line| {
            let at = start;
            start += line.len();
            let line = &line[..without_end(line.as_bytes()).len()];
            let margin = line.len() - line.trim_start_matches([' ', '\t']).len();
            let own = line[margin..].strip_prefix(['#', ';'])?;
            let parts = key_parts(self.dialect, own)?;
            let between = own.get(parts.name.end..parts.value.start)?;
            let is_own = own.get(..name.len()) == Some(name) && parts.name == (0..name.len());
            let at = at + margin..at + margin + 1 + own.len();
            (is_own && between.contains('=')).then_some((at, own, parts))
        });
        let (Some((at, own, parts)), None) = (examples.next(), examples.next()) else {
            return Ok(None);
        };
        let (written, read) = self.encoded(content, false);
        let (before, after) = (&own[..parts.value.start], &own[parts.value.end..]);
        let line = format!("{before}{written}{after}");
        if self.key_of(&line) != Some(name) || self.reads_back(&line) != read {
            return Ok(None);
        }
        // The line may be within the value of another key.
        let edits = self.inserted(container, name, &read, Change::new(at, line), Check::Now);
        Ok(edits.ok().map(|mut edits| {
            edits.notes.push(Note::InPlaceOfComment);
            edits
        }))
    }

    /// Appends a new section with a key.
    fn insert_section(&self, section: &str, name: &str, content: &str, check: Check) -> IniResult {
        let tree = self.tree;
        let no_name = || KeyRefusal::NoSectionName(section.to_owned());
        if !self.may_have_brackets(section) {
            return Err(no_name());
        }
        let marker = self.marker(section).ok_or_else(no_name)?;
        let last = (1..tree.nodes.len()).rfind(|&own| tree.node(own).kind != Kind::Mapping);
        let (line, read) = self.key_line(name, content, last.map(|own| self.line_of_key(own)))?;
        let own = parse(self.dialect, &format!("{marker}\n{line}")).map_err(|own| own.message)?;
        let is_one = own.nodes.len() == 3 && own.node(1).kind == Kind::Mapping;
        if !is_one || own.node(2).parent != 1 {
            return Err(no_name());
        }
        let section = own.name(1).unwrap_or_default();
        let mut lines = vec![marker.clone(), line];
        if self.needs_blank_line() {
            lines.insert(0, String::new());
        }
        let value = string_tree(tree, &read)?;
        let keys = [section, name].map(|name| NewKey { name, source: name.to_owned() });
        let intent = Intent::Insert(Tree::ROOT, Place::Key(&keys), &value);
        let change = insert_lines(tree, tree.text.len(), &lines);
        let mut edits = checked(tree, vec![change], &intent, check)?;
        let is_similar =
            |&own: &usize| tree.name(own).is_some_and(|own| own.eq_ignore_ascii_case(section));
        edits.notes.extend(tree.ini_sections().find(is_similar).map(Note::SimilarSection));
        edits.notes.push(Note::InNewSection(marker));
        Ok(edits)
    }

    /// Returns the marker of a section with a name, if programs read it as such.
    fn marker(&self, name: &str) -> Option<String> {
        let marker = String::from_utf8(marker_of(name.as_bytes())?).ok()?;
        let is_whole = match ini_line(marker.as_bytes(), self.dialect) {
            LineKind::Marker(at) => at == (0..marker.len()),
            _ => false,
        };
        (is_whole && !marker.contains(['\n', '\r'])).then_some(marker)
    }

    /// Whether a new section may have the brackets in its name, which may be given with those of
    /// its marker. Without them, brackets may be meant as those of a path. Most programs end the
    /// name at the first closing bracket.
    fn may_have_brackets(&self, name: &str) -> bool {
        let inner = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let unquoted = inner.unwrap_or(name).split('"').next().unwrap_or_default();
        !unquoted.contains(['[', ']'])
            || match self.dialect {
                IniDialect::Line => true,
                IniDialect::Python | IniDialect::Indented => inner.is_some(),
                _ => false,
            }
    }

    /// Whether a section at the end of the document needs a blank line above it: unless one is
    /// there, or the last sections have none.
    fn needs_blank_line(&self) -> bool {
        let tree = self.tree;
        let end = tree.text.len();
        let has_blank_line = tree.text.ends_with('\n') && is_blank_before(tree, end);
        if has_blank_line || tree.text.trim().is_empty() {
            return false;
        }
        let starts: Vec<usize> = tree
            .ini_sections()
            .map(|own| tree.start_of_line(tree.node(own).start as usize))
            .collect();
        let last = starts.iter().rev().take(SAMPLES).filter(|&&start| start > 0);
        let (apart, dense): (Vec<usize>, Vec<usize>) =
            last.partition(|&&start| is_blank_before(tree, start));
        dense.len() <= apart.len()
    }

    fn rename_section(&self, index: usize, name: &str, check: Check) -> IniResult {
        let tree = self.tree;
        let no_name = || KeyRefusal::NoSectionName(name.trim().to_owned());
        let marker = marker_of(name.as_bytes()).and_then(|marker| String::from_utf8(marker).ok());
        let marker = marker.ok_or_else(no_name)?;
        let node = tree.node(index);
        let at = node.start as usize..node.value.range().start;
        let (start, end) = (tree.start_of_line(at.start), tree.end_of_line(at.end));
        let line = format!("{}{marker}{}", &tree.text[start..at.start], &tree.text[at.end..end]);
        let new = parse(self.dialect, &line).map_err(|fault| fault.message)?;
        let is_read = new.nodes.len() == 2 && new.node(1).kind == Kind::Mapping;
        let range = new.nodes.get(1).map(|own| own.start as usize..own.value.range().start);
        if !is_read || range.is_none_or(|range| line[range] != marker) {
            return Err(no_name());
        }
        let own = new.name(1).unwrap_or_default();
        let key = NewKey { name: own, source: own.to_owned() };
        let intent = Intent::Rename(index, &key);
        let mut edits = checked(tree, vec![Change::new(at, marker)], &intent, check)?;
        let other = find_sections(tree, own).into_iter().find(|&other| other != index);
        edits.notes.extend(other.map(Note::SameSection));
        Ok(edits)
    }

    /// Returns the lines of a new key, indented like the keys beside it unless they already are.
    fn indented(&self, source: &str, margin: &str) -> Vec<String> {
        let source = source.trim_end_matches(['\n', '\r']);
        let text = content::indented(source.as_bytes(), margin.as_bytes());
        let text = String::from_utf8_lossy(&text).into_owned();
        text.split_inclusive('\n').map(|line| first_line(line).to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit;
    use crate::find::{Miss, Step, look_up};
    use crate::tree::Syntax;

    /// Sets a key, as a program does that knows only its path.
    fn set(dialect: IniDialect, text: &str, path: &str, value: &str) -> IniResult {
        let tree = parse(dialect, text).expect("a document");
        let value = Value::string(value);
        let (path, found) = look_up(&tree, path).expect("a path");
        let edits = match found {
            Ok(found) => replace(&tree, found.index, &value, Check::Now)?,
            Err(Miss::Ambiguous { .. }) => return Err("several".to_owned().into()),
            Err(Miss::NotFound { container, steps }) => {
                let name = |step: &Step| match step {
                    Step::Name(name) => Ok(name.clone()),
                    _ => Err(KeyRefusal::Other("no such number".to_owned())),
                };
                let names: IniResult<Vec<String>> = path.steps[steps..].iter().map(name).collect();
                insert_key(&tree, container.index, &names?, &value, Check::Now)?
            }
        };
        Ok(edits)
    }

    #[track_caller]
    fn sets(dialect: IniDialect, text: &str, path: &str, value: &str, expected: &str) -> Vec<Note> {
        let edits = set(dialect, text, path, value);
        let edits = edits.map_err(|refusal| format!("{path} = {value}: {refusal}"));
        let edits = edits.expect("planned");
        assert_eq!(apply(text, &edits.changes), expected, "{path} = {value}");
        edits.notes
    }

    #[track_caller]
    fn refuses(dialect: IniDialect, text: &str, path: &str, value: &str, message: &str) {
        let refusal = set(dialect, text, path, value).expect_err("refused").to_string();
        assert!(refusal.contains(message), "{refusal}");
    }

    const SETTINGS: &str = "[a]\nx = 1 ; note\n\n[b]\ny=2\n";

    #[test]
    fn values_are_set_in_their_style() {
        let sets = |path: &str, value: &str, expected: &str| {
            sets(IniDialect::Indented, SETTINGS, path, value, expected)
        };
        sets("a.x", "v w", &SETTINGS.replace("x = 1", "x = v w"));
        sets("a.X", "v", &SETTINGS.replace("x = 1", "x = v"));
        sets("a.x", "", &SETTINGS.replace("x = 1", "x = "));
        sets("a.z", "v w", &SETTINGS.replace("note\n", "note\nz = v w\n"));
        sets("b.z", "v w", &format!("{SETTINGS}z=v w\n"));
        sets("b.z", "", &format!("{SETTINGS}z=\n"));
        assert_eq!(
            sets("n.z", "v w", &format!("{SETTINGS}\n[n]\nz=v w\n")),
            [Note::InNewSection("[n]".to_owned())]
        );
        assert_eq!(
            sets("A.x", "1", &format!("{SETTINGS}\n[A]\nx=1\n")),
            [Note::SimilarSection(1), Note::InNewSection("[A]".to_owned())]
        );
    }

    #[test]
    fn quotes_and_comments_of_old_values_are_kept() {
        let indented = IniDialect::Indented;
        sets(indented, "k = \"a\" ; c\n", "k", "b ; d", "k = \"b ; d\" ; c\n");
        sets(indented, "k = 'a'\n", "k", "\"b\"", "k = 'b'\n");
        sets(indented, "k = a\n", "k", "\"b c\"", "k = \"b c\"\n");
        sets(indented, "k = \"a\", \"b\"\n", "k", "\"c\"", "k = \"c\"\n");
        refuses(indented, "k = a\n", "k", "b # c", "would be read as something else");
        refuses(indented, "k = \"a\"\n", "k", "a\"b ; c", "would be read as something else");
        refuses(indented, "k = a\n", "n", "b # c", "would be read as something else");
        sets(IniDialect::Python, "[a]\nk = \"1\" # z\n", "a.k", "2 # e", "[a]\nk = 2 # e\n");
        sets(IniDialect::Systemd, "[a]\nk=\"b ; c\"\n", "a.k", "new ; x", "[a]\nk=new ; x\n");
        sets(IniDialect::Git, "[a]\nx = \"b;c\" d#e\n", "a.x", "new", "[a]\nx = new#e\n");
        let git = "[a]\nx = \"b\\\\c\" # d\n";
        sets(IniDialect::Git, git, "a.x", r"C:\d", "[a]\nx = \"C:\\\\d\" # d\n");
        sets(IniDialect::Git, "[a]\nx = 1\n", "a.y", " b;", "[a]\nx = 1\ny = \" b;\"\n");
        sets(IniDialect::Npm, "@a:b=1 ; c\n", "@a:b", "x#y", "@a:b=\"x#y\" ; c\n");
        sets(IniDialect::Unknown, "k =# c\n", "k", "v", "k =v # c\n");
        sets(indented, "k = a\n  b ; c\n  # d\n  e\nl = 1\n", "k", "f", "k = f\nl = 1\n");
        sets(indented, "k = \"a\"\n  b\n", "k", "f", "k = f\n");
        sets(indented, "k: a\r\n[s]\r\n", "k", "b", "k: b\r\n[s]\r\n");
        sets(indented, "k: a\r\n[s]\r\n", "s.l", "b", "k: a\r\n[s]\r\nl = b\r\n");
    }

    #[test]
    fn edits_note_kept_comments() {
        let notes = |syntax: Syntax, text: &str| {
            let tree = crate::parse(syntax, text.as_bytes()).expect("valid");
            let value = Value::string("b");
            edit::replace(&tree, 1, &value, Check::Now).expect("planned").notes
        };
        let ini = Syntax::Ini(IniDialect::Indented);
        assert_eq!(notes(ini, "k = \"a\" ; c\n"), [Note::KeptComment]);
        assert_eq!(notes(Syntax::Yaml, "k: a # c\n"), [Note::KeptComment]);
        assert!(notes(Syntax::Ini(IniDialect::Python), "k = a # c\n").is_empty());
        assert!(notes(ini, "k = a\n").is_empty());
    }

    #[test]
    fn values_of_several_lines_are_refused() {
        let indented = IniDialect::Indented;
        for value in ["a\nb", "a\rb", "5\n[evil]"] {
            refuses(indented, SETTINGS, "a.x", value, "one line");
            refuses(indented, SETTINGS, "a.n", value, "one line");
        }
        refuses(indented, SETTINGS, "a.x", "\u{a0}b", "whitespace");
        sets(IniDialect::Systemd, "[a]\nx=1\n", "a.x", "b\u{a0}", "[a]\nx=b\u{a0}\n");
        let toml = "[a]\nx = 1\nlist = [\n  \"b\",\n]\n[c]\ny = \"\"\"\nz\n\"\"\"\n";
        for (path, message) in [
            ("a.list", "the value of 'list' spans several lines as in TOML"),
            ("a.new", "the value of 'list' spans several lines"),
            ("c.y", "the value of 'y' spans several lines"),
        ] {
            refuses(indented, toml, path, "1", message);
        }
        sets(indented, toml, "a.x", "2", &toml.replace("x = 1", "x = 2"));
        sets(indented, "k = [\n  1\n  ]\n", "l", "2", "k = [\n  1\n  ]\nl = 2\n");
    }

    #[test]
    fn values_that_may_continue_are_refused() {
        let text = "[tox]\nl = one\n\n  # c\n\n  two: 2\n";
        let message = "the value of 'l' may continue on line 6, after a blank line";
        refuses(IniDialect::Indented, text, "tox.l", "x", message);
        refuses(IniDialect::Indented, text, "tox.n", "x", message);
        sets(IniDialect::Python, text, "tox.l", "x", "[tox]\nl = x\n");
        let other = "[a]\n\tl = one\n\n\tthree\n";
        sets(IniDialect::Indented, other, "a.l", "x", &other.replace("one", "x"));
        let tree = parse(IniDialect::Indented, text).expect("a document");
        assert!(
            remove(&tree, 2, Check::Now).is_err() && rename(&tree, 2, "m", Check::Now).is_err()
        );
    }

    #[test]
    fn keys_before_the_first_section_are_not_possible_everywhere() {
        let message = "the new key 'z' needs a section";
        for dialect in [IniDialect::Indented, IniDialect::Systemd] {
            refuses(dialect, SETTINGS, "z", "v", message);
        }
        refuses(IniDialect::Git, "", "z", "v", message);
        refuses(IniDialect::Indented, SETTINGS, "x", "v", "no key 'x' before the first section");
        sets(IniDialect::Line, "[*]\n", "root", "true", "root = true\n[*]\n");
        sets(IniDialect::Indented, "k = 1\n[a]\n", "z", "v", "k = 1\nz = v\n[a]\n");
        sets(IniDialect::Npm, "", "//r.io/:_a", "2", "//r.io/:_a = 2\n");
        let notes = sets(IniDialect::Indented, "a = 1\n", "b.c", "2", "a = 1\nb.c = 2\n");
        assert_eq!(notes, [Note::LiteralName("b.c".to_owned())]);
        let notes = sets(IniDialect::Systemd, "[S]\nE=1\n", "S.'E[1]'", "x", "[S]\nE=1\nE[1]=x\n");
        assert_eq!(notes, [Note::LiteralName("E[1]".to_owned())]);
        refuses(IniDialect::Systemd, "[S]\nE=1\n", "S.E[1]", "x", "no such number");
    }

    #[test]
    fn bare_keys_get_a_value() {
        let text = "a: 1\n[b]\n x\ny=2\n[c]\nz\n  more\n";
        let indented = IniDialect::Indented;
        sets(indented, text, "b.x", "v w", &text.replace(" x\n", " x=v w\n"));
        // The key below would be a part of the value.
        refuses(indented, text, "c.z", "v", "the edit would change other data too");
        sets(indented, "[b]\nx\ny\n", "b.x", "v", "[b]\nx = v\ny\n");
        sets(indented, "k=1\nskip # c\n", "skip", "y", "k=1\nskip=y # c\n");
        sets(indented, "[a]\nx: 1\n[b]\n  skip", "b.SKIP", "y", "[a]\nx: 1\n[b]\n  skip: y");
        refuses(IniDialect::Python, "[a]\nskip # c\n", "a.skip", "y", "read as something else");
    }

    #[test]
    fn a_commented_example_is_replaced() {
        let unknown = IniDialect::Unknown;
        let before =
            "[Journal]\n# Storage=where logs are\n#Storage=auto ; note\nX=1\n[Other]\n#Y=1\n";
        let after = before.replace("#Storage=auto", "Storage=none");
        let notes = sets(unknown, before, "Journal.Storage", "none", &after);
        assert_eq!(notes, [Note::InPlaceOfComment]);
        let added = before.replace("X=1\n", "X=1\nY=none\n");
        assert!(sets(unknown, before, "Journal.Y", "none", &added).is_empty());
        let several = "[J]\n#S=a\n#S=b\nX=1\n";
        sets(unknown, several, "J.S", "c", &format!("{several}S=c\n"));
        // The line is within the value of another key.
        let within = "[J]\nX=1 \\\n#S=a\n  2\n";
        sets(unknown, within, "J.S", "c", &format!("{within}S=c\n"));
        let plain = "a = 1\n#port = 5432\t# (restart)\n";
        sets(unknown, plain, "port", "5", "a = 1\nport = 5\t# (restart)\n");
    }

    #[test]
    fn new_keys_are_below_the_last_key() {
        let text = "[u]\n\tn = a\n# on v\n\n[v]\n";
        let expected = text.replace("n = a\n", "n = a\n\tm = b\n");
        sets(IniDialect::Git, text, "u.m", "b", &expected);
        sets(IniDialect::Git, text, "v.m", "b", &format!("{text}m = b\n"));
        sets(IniDialect::Indented, "[a]", "a.k", "v", "[a]\nk = v");
        let message = "a key on the line of its section is not supported";
        refuses(IniDialect::Git, "[a] k = 1\n", "a.k", "2", message);
        sets(IniDialect::Git, "[a] ; c\n", "a.k", "2", "[a] ; c\nk = 2\n");
    }

    #[test]
    fn new_sections_are_at_the_end() {
        let indented = IniDialect::Indented;
        sets(indented, "", "n.z", "v", "[n]\nz = v\n");
        sets(indented, "[u]\n\tn = a\n", "c.e", "1", "[u]\n\tn = a\n\n[c]\ne = 1\n");
        sets(indented, "[u]\nn=a", "c.e", "1", "[u]\nn=a\n\n[c]\ne=1");
        sets(indented, "[u]\nn=a\n\n", "c.e", "1", "[u]\nn=a\n\n[c]\ne=1\n");
        // Where sections have no blank lines above them, neither has the new one.
        let dense = "[u]\nn=a\n[v]\nm=b\n";
        sets(indented, dense, "c.e", "1", &format!("{dense}[c]\ne=1\n"));
        let globs = "root = true\n\n[*.[ch]]\nx = 1\n";
        for section in ["[ab].[cd]", "*.rs", "file[12]"] {
            let added = format!("{globs}\n[{section}]\nx = 2\n");
            sets(IniDialect::Line, globs, &format!("{section}.x"), "2", &added);
        }
        let git = "[branch \"a\"]\n\tmerge = 1\n";
        let added = format!("{git}\n[remote \"b.c\"]\nurl = 2\n");
        sets(IniDialect::Git, git, "remote.b.c.url", "2", &added);
        for path in ["'Peer[2]'.k", "Peer[k=b].k", "a]b.k"] {
            refuses(IniDialect::Unknown, "[Peer]\nk=b\n", path, "1", "name of a section");
        }
        let tree = parse(IniDialect::Indented, SETTINGS).expect("a document");
        let names = ["[a]", "n"].map(str::to_owned);
        let value = Value::string("1");
        let edits = insert_key(&tree, Tree::ROOT, &names, &value, Check::Now).expect("planned");
        assert_eq!(apply(SETTINGS, &edits.changes), SETTINGS.replace("note\n", "note\nn = 1\n"));
    }

    #[test]
    fn names_must_be_read_back() {
        let tree = parse(IniDialect::Indented, SETTINGS).expect("a document");
        for name in ["x\n[evil]\ny", "[x]", " x ", "x=y", "x:y", "#x", ";x", "", "\u{a0}x"] {
            let names = [name.to_owned()];
            let value = Value::string("v");
            let added = insert_key(&tree, 1, &names, &value, Check::Now);
            assert_eq!(added, Err(KeyRefusal::NoKeyName(name.to_owned())), "{name}");
            let renamed = rename(&tree, 2, name, Check::Now);
            assert_eq!(renamed, Err(KeyRefusal::NoKeyName(name.to_owned())), "{name}");
        }
        let npm = parse(IniDialect::Npm, "a=1\n").expect("a document");
        assert!(rename(&npm, 1, "@x:y", Check::Now).is_ok());
    }

    #[test]
    fn keys_and_sections_are_renamed() {
        let text = "[u]\na = 1 ; one\nb=2\nb=3\nbare\n[v]\n [w ] ; c\n";
        let tree = parse(IniDialect::Indented, text).expect("a document");
        let renamed = |index: usize, name: &str| {
            rename(&tree, index, name, Check::Now)
                .map(|edits| (apply(text, &edits.changes), edits.notes))
        };
        let is = |index, name, from: &str, to: &str| {
            assert_eq!(renamed(index, name), Ok((text.replacen(from, to, 1), Vec::new())));
        };
        is(2, "c", "a =", "c =");
        is(2, "A", "a =", "A =");
        is(4, "c", "b=3", "c=3");
        is(5, "naked", "bare", "naked");
        is(1, "new", "[u]", "[new]");
        is(7, "[new]", "[w ]", "[new]");
        let exists = |index, name: &str| Err(KeyRefusal::Exists { index, name: name.to_owned() });
        assert_eq!(renamed(2, "b"), exists(3, "b"));
        assert_eq!(renamed(2, "a"), exists(2, "a"));
        assert_eq!(renamed(2, "B"), exists(3, "B"));
        let noted = renamed(1, "v").expect("planned");
        assert_eq!(noted, (text.replace("[u]", "[v]"), vec![Note::SameSection(6)]));
        for name in ["x]y", "[]", "", "a\n[b]"] {
            assert!(matches!(renamed(1, name), Err(KeyRefusal::NoSectionName(_))), "{name}");
        }
    }

    #[test]
    fn keys_and_sections_are_removed() {
        let text = "k=1\n\n[a]\n# on x\nx = 1\n  more\ny = 2\n\n[b]\nz = 3\n";
        let tree = parse(IniDialect::Indented, text).expect("a document");
        let removed = |index: usize| {
            let edits = remove(&tree, index, Check::Now).expect("planned");
            apply(text, &edits.changes)
        };
        assert_eq!(removed(3), text.replace("x = 1\n  more\n", ""));
        assert_eq!(removed(4), text.replace("y = 2\n", ""));
        assert_eq!(removed(2), "k=1\n\n[b]\nz = 3\n");
        assert_eq!(removed(5), text.replace("\n[b]\nz = 3\n", ""));
        let unit = "[Service]\nExecStart=/a \\\n  -d\n  Restart=no\n";
        let tree = parse(IniDialect::Systemd, unit).expect("a document");
        let edits = remove(&tree, 2, Check::Now).expect("planned");
        assert_eq!(apply(unit, &edits.changes), "[Service]\n  Restart=no\n");
    }

    #[test]
    fn whole_lines_are_inserted_and_replaced() {
        let text = "[a]\n  x = 1 ; one\n  y = 2\n\n[b]\n";
        let tree = parse(IniDialect::Indented, text).expect("a document");
        let inserted = |section, name, content| {
            let edits = insert_line(&tree, section, name, content, Check::Now);
            edits.map(|edits| apply(text, &edits.changes))
        };
        let line = |text: &str| Ok(text.to_owned());
        assert_eq!(
            inserted(1, "n", "n = 5 ; five\n"),
            line(&text.replace("2\n", "2\n  n = 5 ; five\n"))
        );
        assert_eq!(inserted(4, "n", "n: 5\n  more"), line(&format!("{text}n: 5\n  more\n")));
        assert_eq!(inserted(4, "n", "n"), line(&format!("{text}n\n")));
        let exists = KeyRefusal::Exists { index: 2, name: "x".to_owned() };
        assert_eq!(inserted(1, "x", "x = 1"), Err(exists));
        for content in ["5", "m = 1", "n = 5\n[evil]\nz = 1", "n = 5\nm = 1", "[n]", ""] {
            assert_eq!(inserted(1, "n", content), Err(KeyRefusal::NotOneKey("n".to_owned())));
        }
        let replaced = |index, content| {
            let edits = replace_line(&tree, index, content);
            edits.map(|edits| apply(text, &edits.changes))
        };
        assert_eq!(replaced(2, "X = 5 # c"), line(&text.replace("x = 1 ; one", "X = 5 # c")));
        assert_eq!(
            replaced(2, "x = \n    5\n    6\n"),
            line(&text.replace("x = 1 ; one", "x = \n      5\n      6"))
        );
        assert_eq!(replaced(3, "y = 3 \\"), line(&text.replace("y = 2", "y = 3 \\")));
        assert_eq!(
            replaced(2, "x = 3 \\"),
            Err(KeyRefusal::Other("the edit would change other data too".to_owned()))
        );
        for content in ["new", "x = 1\n[evil]", "y = 1", ""] {
            assert_eq!(replaced(2, content), Err(KeyRefusal::NotOneKey("x".to_owned())));
        }
    }

    #[test]
    fn the_order_of_repeated_sections_and_keys_is_data() {
        let tree = |text: &str| parse(IniDialect::Systemd, text).expect("a document");
        let old = tree("[P]\nk=1\n[P]\nl=2\nk=3\n");
        let value = string_tree(&old, "3").expect("a string");
        let keeps =
            |new: &str, intent: Intent<'_>| crate::verify::keeps_order(&old, &tree(new), &intent);
        let replace = Intent::Replace(2, Some(&value));
        assert!(keeps("[P]\nk=3\n[P]\nl=2\nk=3\n", replace));
        assert!(!keeps("[P]\nk=3\n[P]\nk=3\nl=2\n", replace));
        assert!(keeps("[P]\n[P]\nl=2\nk=3\n", Intent::Remove(2)));
        assert!(!keeps("[P]\nl=2\n[P]\nk=3\n", Intent::Remove(2)));
        let keys = [NewKey { name: "n", source: "n".to_owned() }];
        let insert = Intent::Insert(1, Place::Key(&keys), &value);
        assert!(keeps("[P]\nk=1\nn=3\n[P]\nl=2\nk=3\n", insert));
        assert!(!keeps("[P]\nk=1\n[P]\nl=2\nn=3\nk=3\n", insert));
        assert!(!keeps("[P]\nk=1\nn=3\n[P]\nk=3\nl=2\n", insert));
    }

    #[test]
    fn lists_nested_keys_and_other_types_are_refused() {
        let tree = parse(IniDialect::Indented, "k = 1\n[a]\nx = 1\nbare\n").expect("a document");
        let value = Value::string("v");
        let message = |edits: IniResult| edits.expect_err("refused").to_string();
        for index in 0..tree.nodes.len() {
            let added = edit::insert_item(&tree, index, None, &value, Check::Now);
            assert_eq!(message(added), "this format has no lists");
        }
        let names = ["n", "m"].map(str::to_owned);
        for index in [2, 4] {
            let added = edit::insert_key(&tree, index, &names, &value, Check::Now);
            assert_eq!(message(added), "this format has no nested keys");
        }
        assert_eq!(
            message(edit::insert_key(&tree, 1, &names[..1], &value, Check::Now)),
            "a string has no keys"
        );
        let number = Value::source(Kind::Integer, "1");
        let strings = "values of this format are strings";
        assert_eq!(message(edit::replace(&tree, 1, &number, Check::Now)), strings);
        let table = "a section has no value of its own; set its keys";
        assert_eq!(message(edit::replace(&tree, 2, &value, Check::Now)), table);
        let beside = crate::beside::insert_beside(&tree, 1, true, "z = 1", Check::Now);
        assert_eq!(message(beside), "a new key of INI is added after the others");
    }

    #[test]
    fn several_edits_go_together() {
        let text = "[a]\nx=1\nx=2\ny=1\n[b]\nz=1\n";
        let syntax = Syntax::Ini(IniDialect::Systemd);
        let tree = parse(IniDialect::Systemd, text).expect("a document");
        let value = Value::string("9");
        let edits = [
            remove(&tree, 2, Check::Later),
            replace(&tree, 4, &value, Check::Later),
            insert_key(&tree, 5, &["n".to_owned()], &value, Check::Later),
        ];
        let edits: Vec<Edits> = edits.into_iter().map(|edits| edits.expect("planned")).collect();
        let differences: Vec<Difference> =
            edits.iter().filter_map(|edits| edits.difference).collect();
        assert_eq!(differences.len(), edits.len());
        let changes: Vec<Change> = edits.into_iter().flat_map(|edits| edits.changes).collect();
        let new = apply(text, &changes);
        assert_eq!(new, "[a]\nx=2\ny=9\n[b]\nz=1\nn=9\n");
        assert!(edit::has_all(syntax, text.as_bytes(), &differences, new.as_bytes()));
        assert!(!edit::has_all(syntax, text.as_bytes(), &differences[1..], new.as_bytes()));
    }
}
