//! Edits of INI files: sets, adds, removes and renames keys and sections.
//!
//! A new value is written so that the programs of the dialect read exactly this value, in the
//! quotes of the old one, and with the comment after it. A new key has the style of the keys beside
//! it. What INI cannot represent, and what its programs may read in different ways, is refused: see
//! [`KeyRefusal`].

use std::ops::Range;

use folio_text::content;
use folio_text::ini_dialect::{IniDialect, has_wide_edges};
use folio_text::lines::without_end;
use folio_text::sections::{LineKind, ini_line, marker_of};

use super::{Check, Edits, KeyRefusal, Note, verify_changes};
use crate::change::{Change, apply, newline_of};
use crate::find::{find_sections, keys_named};
use crate::ini::{decoded, first_line, is_in_quotes, key_parts, parse, parse_entries};
use crate::layout::{
    comments_above, insert_lines, is_blank_before, margin, next_line_start, whole_lines,
    without_blank_lines,
};
use crate::names::NewKey;
use crate::path::split_index;
use crate::tree::{Kind, Tree};
use crate::value::Value;
use crate::verify::{Difference, Intent, Place};

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
    let ini = Ini::new(tree)?;
    ini.check_key(index)?;
    let content = ini.single_line_text(value)?;
    if ini.dialect.is_markup() && tree.node(index).kind == Kind::Null {
        return Err(format!(
            "not supported: this line unsets '{}'; replace the line",
            ini.name(index)
        )
        .into());
    }
    let (at, text, read) = if tree.node(index).kind == Kind::Null {
        ini.add_value(index, &content)?
    } else {
        ini.new_value(index, &content)?
    };
    let intent = string_value_tree(ini.tree, &read)?;
    let intent = Intent::Replace(index, Some(&intent));
    Ok(verify_changes(tree, vec![Change::new(at, text)], &intent, check)?)
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
    let ini = Ini::new(tree)?;
    let content = ini.single_line_text(value)?;
    match (names, tree.node(container).kind) {
        ([name], Kind::Mapping) if container == Tree::ROOT => {
            ini.insert_before_sections(name, &content, check)
        }
        ([name], Kind::Mapping) => ini.set_missing_key(container, name, &content, check),
        ([section, name], Kind::Mapping) if container == Tree::ROOT && !ini.dialect.is_markup() => {
            match find_sections(tree, section)[..] {
                [] => ini.insert_section(section, name, &content, check),
                [only] => ini.set_missing_key(only, name, &content, check),
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
    let ini = Ini::new(tree)?;
    if tree.node(container).kind != Kind::Mapping {
        return Err("this format has no nested keys".to_owned().into());
    }
    ini.check_marker(container)?;
    let parsed = ini.parse_key(content, name)?;
    let key_name = parsed.name(1).unwrap_or(name);
    let (at, margin) = ini.place_of_new_key(container, key_name)?;
    let mut value = parsed.clone();
    value.remove_root();
    let keys = [NewKey { name: key_name, source: key_name.to_owned() }];
    let intent = Intent::Insert(container, Place::Key(&keys), &value);
    let change = insert_lines(tree, at, &ini.indented(content, margin));
    let edits = verify_changes(tree, vec![change], &intent, check)?;
    Ok(ini.with_literal_name(edits, container, key_name))
}

/// Adds a key that is given as its source before or after another key.
///
/// # Errors
///
/// Fails if the source is not one key, if the section has a key with its name, or if the end of the
/// values in the section is unknown.
pub(crate) fn insert_line_beside(
    tree: &Tree,
    index: usize,
    is_after: bool,
    content: &str,
    check: Check,
) -> IniResult {
    let ini = Ini::new(tree)?;
    ini.check_key(index)?;
    let container = tree.parent(index).unwrap_or(Tree::ROOT);
    ini.check_marker(container)?;
    let parsed = parse_entries(ini.dialect, content).ok();
    let parsed = parsed.filter(|parsed| parsed.nodes.len() == 2);
    let parsed = parsed.filter(|parsed| parsed.node(1).kind != Kind::Mapping);
    let mut value = parsed.ok_or_else(|| "the content is not one key".to_owned())?;
    let name = value.name(1).unwrap_or_default().to_owned();
    if let Some(&other) = keys_named(tree, container, &name).first() {
        return Err(KeyRefusal::Exists { index: other, name });
    }
    ini.check_ends(container)?;
    let start = tree.start_of_line(tree.node(index).start as usize);
    let at = if is_after {
        next_line_start(tree, tree.span(index).end)
    } else {
        comments_above(tree, start, 0, ini.dialect.comment_marks())
    };
    value.remove_root();
    let keys = [NewKey { name: &name, source: name.clone() }];
    let intent = Intent::Insert(container, Place::Key(&keys), &value);
    let change = insert_lines(tree, at, &ini.indented(content, margin(tree, start)));
    let edits = verify_changes(tree, vec![change], &intent, check)?;
    Ok(ini.with_literal_name(edits, container, &name))
}

/// Replaces all lines of a key with its new source.
///
/// # Errors
///
/// Fails if the source is not one key with this name, or if the end of the old value is unknown.
pub fn replace_line(tree: &Tree, index: usize, content: &str) -> IniResult {
    let ini = Ini::new(tree)?;
    ini.check_key(index)?;
    let name = tree.name(index).unwrap_or_default();
    let parsed = ini.parse_key(content, name)?;
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
    let entry = |tree: &Tree, entry_index: usize| {
        let node = tree.node(entry_index);
        let text = if node.kind.is_container() { "" } else { tree.scalar(entry_index) };
        (node.kind, node.parent, tree.name(entry_index).map(str::to_owned), text.to_owned())
    };
    // The letter case of the name may differ.
    let is_same = |entry_index: usize| {
        if entry_index == index {
            let (kind, _, name, text) = entry(&parsed, 1);
            (kind, tree.node(index).parent, name, text) == entry(&new, entry_index)
        } else {
            entry(tree, entry_index) == entry(&new, entry_index)
        }
    };
    if new.nodes.len() != tree.nodes.len() || !(1..tree.nodes.len()).all(is_same) {
        return Err("the edit would change other data too".to_owned().into());
    }
    let difference = Some(Difference::between(tree, &new));
    Ok(Edits { changes: vec![change], difference, notes: Vec::new(), needs_others: false })
}

/// Removes the lines of a key, or of a section up to the next marker.
///
/// # Errors
///
/// Fails if the end of the value is unknown, or if other data would change.
pub(super) fn remove(tree: &Tree, index: usize, check: Check) -> IniResult {
    let ini = Ini::new(tree)?;
    let span = tree.span(index);
    let change = if tree.node(index).kind == Kind::Mapping {
        without_blank_lines(tree, tree.start_of_line(span.start), span.end)
    } else {
        ini.check_key(index)?;
        Change::delete(whole_lines(tree, &span))
    };
    Ok(verify_changes(tree, vec![change], &Intent::Remove(index), check)?)
}

/// Removes the lines of a key together with the comments directly above it.
///
/// # Errors
///
/// The same as those of [`remove`].
pub(super) fn remove_with_comments(tree: &Tree, index: usize, check: Check) -> IniResult {
    let ini = Ini::new(tree)?;
    ini.check_key(index)?;
    let lines = whole_lines(tree, &tree.span(index));
    let start = comments_above(tree, lines.start, 0, ini.dialect.comment_marks());
    let change = Change::delete(start..lines.end);
    Ok(verify_changes(tree, vec![change], &Intent::Remove(index), check)?)
}

/// Renames a key or a section. The name of a section may be in the brackets of its marker.
///
/// # Errors
///
/// Fails if programs would not read the text as a name, or if another key has the name.
pub(super) fn rename(tree: &Tree, index: usize, name: &str, check: Check) -> IniResult {
    let ini = Ini::new(tree)?;
    if tree.node(index).kind == Kind::Mapping {
        return ini.rename_section(index, name, check);
    }
    ini.check_key(index)?;
    let container = tree.parent(index).unwrap_or(Tree::ROOT);
    let taken = keys_named(tree, container, name);
    // The letter case of a name may change.
    let is_same_key = taken == [index] && tree.name(index) != Some(name);
    if let Some(&other) = taken.first().filter(|_| !is_same_key) {
        return Err(KeyRefusal::Exists { index: other, name: name.to_owned() });
    }
    let key = tree.node(index).key.range();
    let lines = ini.lines_of_key(index);
    let (before, after) = (&tree.text[lines.start..key.start], &tree.text[key.end..lines.end]);
    let new = format!("{before}{name}{after}");
    let is_read = ini.parse_key(&new, name).is_ok_and(|new| {
        new.name(1) == Some(name)
            && new.node(1).kind == tree.node(index).kind
            && new.scalar(1) == tree.scalar(index)
    });
    if !is_read || !is_safe_name(name) {
        return Err(KeyRefusal::NoKeyName(name.to_owned()));
    }
    let intent = NewKey { name, source: name.to_owned() };
    Ok(verify_changes(tree, vec![Change::new(key, name)], &Intent::Rename(index, &intent), check)?)
}

/// Whether a name may be that of a key. Other parsers may read a line that begins with a bracket as
/// a section marker.
fn is_safe_name(name: &str) -> bool {
    !name.starts_with('[') && !has_wide_edges(name.as_bytes()) && !name.contains(['\n', '\r'])
}

/// Returns a string as the document of a value.
fn string_value_tree(tree: &Tree, text: &str) -> IniResult<Tree> {
    Ok(Value::string(text).parsed(tree.syntax)?)
}

/// A tree of keys in INI, with its dialect.
struct Ini<'t> {
    tree: &'t Tree,
    dialect: IniDialect,
}

impl<'t> Ini<'t> {
    fn new(tree: &'t Tree) -> IniResult<Self> {
        let dialect = tree.ini_dialect();
        let dialect = dialect.ok_or_else(|| "the document is not INI".to_owned())?;
        Ok(Self { tree, dialect })
    }

    /// Returns the text of a value, which must be on one line. It may be empty.
    fn single_line_text(&self, value: &Value) -> IniResult<String> {
        if value.kind != Kind::String {
            return Err("values of this format are strings".to_owned().into());
        }
        let content = value.text.clone();
        if content.contains(['\n', '\r']) {
            return Err(KeyRefusal::SeveralLines);
        }
        let removes_wide_edges = !matches!(self.dialect, IniDialect::Git | IniDialect::Systemd);
        if removes_wide_edges && has_wide_edges(content.as_bytes()) {
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
    fn lines_of_key(&self, index: usize) -> Range<usize> {
        let span = self.tree.span(index);
        self.tree.start_of_line(span.start)..self.tree.end_of_line(span.end)
    }

    /// Returns the first line of a key.
    fn line_of_key(&self, index: usize) -> &'t str {
        first_line(&self.tree.text[self.lines_of_key(index)])
    }

    fn key_on_line<'l>(&self, line: &'l str) -> Option<&'l str> {
        key_parts(self.dialect, line).map(|parts| &line[parts.name])
    }

    fn value_on_line(&self, line: &str) -> String {
        let parts = key_parts(self.dialect, line);
        parts.map_or_else(String::new, |parts| decoded(self.dialect, &line[parts.value]))
    }

    /// Parses content that consists of one key, with a name whose letter case may differ.
    fn parse_key(&self, content: &str, name: &str) -> IniResult<Tree> {
        let parsed = parse_entries(self.dialect, content).map_err(|fault| fault.message)?;
        let is_one_key = parsed.nodes.len() == 2
            && parsed.node(1).kind != Kind::Mapping
            && parsed.name(1).is_some_and(|key_name| key_name.eq_ignore_ascii_case(name));
        if is_one_key { Ok(parsed) } else { Err(KeyRefusal::NotOneKey(name.to_owned())) }
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
        let (text, lines) = (&self.tree.text, self.lines_of_key(index));
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
            let source = format!("{left}{written}{right}");
            let line = format!("{before}{source}{after}");
            if self.key_on_line(&line) == self.tree.name(index) && self.value_on_line(&line) == read
            {
                return Ok((at, source, read));
            }
        }
        Err(KeyRefusal::OtherValue(content.to_owned()))
    }

    /// Returns the separator and the value of a key that has none, in the style of the last key of
    /// the document with a value.
    fn add_value(&self, index: usize, content: &str) -> IniResult<(Range<usize>, String, String)> {
        let lines = self.lines_of_key(index);
        let name = self.name(index);
        let is_model = |&entry_index: &usize| self.tree.node(entry_index).kind == Kind::String;
        let model = (1..self.tree.nodes.len())
            .rfind(is_model)
            .map(|entry_index| self.line_of_key(entry_index));
        let (line, read) = self.key_line(&name, content, model)?;
        let rest = line[name.len()..].to_owned();
        let end = self.tree.node(index).key.range().end;
        let at = end..end;
        let text = &self.tree.text;
        let (before, after) = (&text[lines.start..at.start], &text[at.end..lines.end]);
        if self.value_on_line(&format!("{before}{rest}{after}")) != read {
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
        if self.dialect.is_markup() {
            return self.markup_line(key, content, model);
        }
        let separator = model.and_then(|line| {
            let parts = key_parts(self.dialect, line)?;
            let between = line.get(parts.name.end..parts.value.start)?;
            let separator_text = between.replace(['"', '\''], "");
            (!separator_text.is_empty()).then_some(separator_text)
        });
        let separator = separator.as_deref().unwrap_or(" = ");
        let is_key = |line: &str| self.parse_key(line, key).is_ok();
        let example = format!("{key}{separator}v");
        if !is_safe_name(key) || self.key_on_line(&example) != Some(key) || !is_key(&example) {
            return Err(KeyRefusal::NoKeyName(key.to_owned()));
        }
        let (written, read) = self.encoded(content, false);
        let mut line = format!("{key}{separator}{written}");
        if content.is_empty() {
            line.truncate(line.trim_end().len());
        }
        if self.value_on_line(&line) != read || !is_key(&line) {
            return Err(KeyRefusal::OtherValue(content.to_owned()));
        }
        Ok((line, read))
    }

    /// Returns the line of a new key in light markup, with the marks of another key before its name.
    fn markup_line(
        &self,
        key: &str,
        content: &str,
        model: Option<&str>,
    ) -> IniResult<(String, String)> {
        let model = model.and_then(|line| Some(&line[..key_parts(self.dialect, line)?.name.start]));
        let marks = model.map_or(":", str::trim_start);
        let line = format!("{marks}{key}: {content}");
        let line = line.trim_end();
        if self.key_on_line(line) != Some(key) || self.parse_key(line, key).is_err() {
            return Err(KeyRefusal::NoKeyName(key.to_owned()));
        }
        if self.value_on_line(line) != content {
            return Err(KeyRefusal::OtherValue(content.to_owned()));
        }
        Ok((line.to_owned(), content.to_owned()))
    }

    /// Returns the key in light markup after which a new one is inserted: the last of the first
    /// adjacent ones. In Org, keywords are preferred to properties.
    fn model_in_markup(&self, container: usize, name: &str) -> IniResult<usize> {
        let tree = self.tree;
        let is_set = |key: &usize| tree.node(*key).kind == Kind::String;
        let is_keyword = |key: &usize| self.line_of_key(*key).trim_start().starts_with("#+");
        let first = tree.ini_keys(container).find(|key| is_set(key) && is_keyword(key));
        let first = first.or_else(|| tree.ini_keys(container).find(is_set));
        let no_model = || {
            format!("not supported: there is no other key to add '{name}' after; insert its line")
        };
        let mut last = first.ok_or_else(no_model)?;
        for key in last + 1..tree.ini_keys(container).end {
            if !is_set(&key) || tree.lines(key).start() != tree.lines(last).end() + 1 {
                break;
            }
            last = key;
        }
        Ok(last)
    }

    /// Fails if a key follows the marker of a section on its line, as in git's files.
    fn check_marker(&self, section: usize) -> IniResult<()> {
        if section == Tree::ROOT || self.dialect.is_markup() {
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
        if self.tree.ini_keys(Tree::ROOT).is_empty() && !self.dialect.is_markup() {
            let all = (1..self.tree.nodes.len())
                .filter(|&entry_index| self.tree.node(entry_index).kind != Kind::Mapping);
            let keys: Vec<usize> =
                all.filter(|&entry_index| self.tree.name(entry_index) == Some(name)).collect();
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
        self.set_missing_key(Tree::ROOT, name, content, check)
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

    fn set_missing_key(
        &self,
        container: usize,
        name: &str,
        content: &str,
        check: Check,
    ) -> IniResult {
        if let Some(edits) = self.set_in_comment(container, name, content)? {
            return Ok(edits);
        }
        self.check_marker(container)?;
        self.key_line(name, content, None)?;
        let (at, margin) = self.place_of_new_key(container, name)?;
        let model = match self.dialect.is_markup() {
            true => Some(self.model_in_markup(container, name)?),
            false => self.tree.ini_keys(container).next_back(),
        };
        let model = model.map(|key| self.line_of_key(key));
        let (line, read) = self.key_line(name, content, model)?;
        let change = insert_lines(self.tree, at, &[format!("{margin}{line}")]);
        let edits = self.plan_insertion(container, name, &read, change, check)?;
        Ok(self.with_literal_name(edits, container, name))
    }

    fn plan_insertion(
        &self,
        container: usize,
        name: &str,
        read: &str,
        change: Change,
        check: Check,
    ) -> IniResult {
        let value = string_value_tree(self.tree, read)?;
        let keys = [NewKey { name, source: name.to_owned() }];
        let intent = Intent::Insert(container, Place::Key(&keys), &value);
        Ok(verify_changes(self.tree, vec![change], &intent, check)?)
    }

    /// Fails if a value in a section may continue, so that a key below it would be part of it.
    fn check_ends(&self, container: usize) -> IniResult<()> {
        match self.dialect {
            IniDialect::Indented => {
                self.tree.ini_keys(container).try_for_each(|key| self.check_end(key))
            }
            _ => Ok(()),
        }
    }

    /// Returns the offset at which a new key is inserted, below the last key or the marker, and its
    /// indentation.
    fn place_of_new_key(&self, container: usize, name: &str) -> IniResult<(usize, &'t str)> {
        let tree = self.tree;
        let mut keys = tree.ini_keys(container);
        if let Some(index) = keys.clone().find(|&key| tree.name(key) == Some(name)) {
            return Err(KeyRefusal::Exists { index, name: name.to_owned() });
        }
        self.check_ends(container)?;
        let last = match self.dialect.is_markup() {
            true => Some(self.model_in_markup(container, name)?),
            false => keys.next_back(),
        };
        Ok(match last {
            Some(last) => {
                self.check_open(last)?;
                let start = tree.node(last).start as usize;
                (next_line_start(tree, tree.span(last).end), margin(tree, start))
            }
            None if container == Tree::ROOT => (0, ""),
            None => (next_line_start(tree, tree.node(container).value.range().start), ""),
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
        let range = match container {
            Tree::ROOT => {
                let first_section = tree.ini_sections().next();
                0..first_section
                    .map_or(text.len(), |first_section| tree.node(first_section).start as usize)
            }
            section => tree.span(section),
        };
        let mut start = range.start;
        let mut examples = text[range].split_inclusive('\n').filter_map(|line| {
            let at = start;
            start += line.len();
            let line = &line[..without_end(line.as_bytes()).len()];
            let margin = line.len() - line.trim_start_matches([' ', '\t']).len();
            let example = line[margin..].strip_prefix(self.dialect.comment_marks())?;
            let parts = key_parts(self.dialect, example)?;
            let between = example.get(parts.name.end..parts.value.start)?;
            let is_same_key =
                example.get(..name.len()) == Some(name) && parts.name == (0..name.len());
            let at = at + margin..at + margin + 1 + example.len();
            (is_same_key && between.contains('=')).then_some((at, example, parts))
        });
        let (Some((at, example, parts)), None) = (examples.next(), examples.next()) else {
            return Ok(None);
        };
        let (written, read) = self.encoded(content, false);
        let (before, after) = (&example[..parts.value.start], &example[parts.value.end..]);
        let line = format!("{before}{written}{after}");
        if self.key_on_line(&line) != Some(name) || self.value_on_line(&line) != read {
            return Ok(None);
        }
        // The line may be within the value of another key.
        let edits = self.plan_insertion(container, name, &read, Change::new(at, line), Check::Now);
        Ok(edits.ok().map(|mut edits| {
            edits.notes.push(Note::InPlaceOfComment);
            edits
        }))
    }

    /// Appends a new section with a key.
    fn insert_section(&self, section: &str, name: &str, content: &str, check: Check) -> IniResult {
        let tree = self.tree;
        let name_refusal = || KeyRefusal::NoSectionName(section.to_owned());
        if !self.may_have_brackets(section) {
            return Err(name_refusal());
        }
        let marker = self.marker(section).ok_or_else(name_refusal)?;
        let last = (1..tree.nodes.len())
            .rfind(|&entry_index| tree.node(entry_index).kind != Kind::Mapping);
        let (line, read) =
            self.key_line(name, content, last.map(|entry_index| self.line_of_key(entry_index)))?;
        let parsed =
            parse(self.dialect, &format!("{marker}\n{line}")).map_err(|fault| fault.message)?;
        let is_one_section = parsed.nodes.len() == 3 && parsed.node(1).kind == Kind::Mapping;
        if !is_one_section || parsed.node(2).parent != 1 {
            return Err(name_refusal());
        }
        let section = parsed.name(1).unwrap_or_default();
        let mut lines = vec![marker.clone(), line];
        if self.needs_blank_line() {
            lines.insert(0, String::new());
        }
        let value = string_value_tree(tree, &read)?;
        let keys = [section, name].map(|name| NewKey { name, source: name.to_owned() });
        let intent = Intent::Insert(Tree::ROOT, Place::Key(&keys), &value);
        let change = insert_lines(tree, tree.text.len(), &lines);
        let mut edits = verify_changes(tree, vec![change], &intent, check)?;
        let is_similar = |&section_index: &usize| {
            tree.name(section_index).is_some_and(|name| name.eq_ignore_ascii_case(section))
        };
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
            .map(|section_index| tree.start_of_line(tree.node(section_index).start as usize))
            .collect();
        let last = starts.iter().rev().take(SAMPLES).filter(|&&start| start > 0);
        let (apart, dense): (Vec<usize>, Vec<usize>) =
            last.partition(|&&start| is_blank_before(tree, start));
        dense.len() <= apart.len()
    }

    fn rename_section(&self, index: usize, name: &str, check: Check) -> IniResult {
        let tree = self.tree;
        let name_refusal = || KeyRefusal::NoSectionName(name.trim().to_owned());
        let marker = marker_of(name.as_bytes()).and_then(|marker| String::from_utf8(marker).ok());
        let marker = marker.ok_or_else(name_refusal)?;
        let node = tree.node(index);
        let at = node.start as usize..node.value.range().start;
        let (start, end) = (tree.start_of_line(at.start), tree.end_of_line(at.end));
        let line = format!("{}{marker}{}", &tree.text[start..at.start], &tree.text[at.end..end]);
        let new = parse(self.dialect, &line).map_err(|fault| fault.message)?;
        let is_read = new.nodes.len() == 2 && new.node(1).kind == Kind::Mapping;
        let range = new
            .nodes
            .get(1)
            .map(|marker_node| marker_node.start as usize..marker_node.value.range().start);
        if !is_read || range.is_none_or(|range| line[range] != marker) {
            return Err(name_refusal());
        }
        let section_name = new.name(1).unwrap_or_default();
        let key = NewKey { name: section_name, source: section_name.to_owned() };
        let intent = Intent::Rename(index, &key);
        let mut edits = verify_changes(tree, vec![Change::new(at, marker)], &intent, check)?;
        let other = find_sections(tree, section_name).into_iter().find(|&other| other != index);
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
mod tests;
