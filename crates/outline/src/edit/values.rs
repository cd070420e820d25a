//! Reads the content of an edit as a value of a document with keys, and notes which type it got if
//! there was a choice.

use super::place::Planner;
use super::plan::Plan;
use super::{Note, Refusal};
use crate::format::Feature;
use folio_keys::contrast::contrasts;
use folio_keys::models::{Doubt, FileKind, Models, Reading};
use folio_keys::value::Type;
use folio_keys::{Kind, Syntax, Tree};

/// Maximum number of notes about scalars in the content.
const MAX_CONTRASTS: usize = 3;

impl Planner<'_> {
    /// Returns the content as text, without a line ending at the end of a file. It may be empty.
    pub(super) fn text(&self) -> Result<String, Refusal> {
        let content = self.content_or_nothing()?;
        String::from_utf8(content).map_err(|_| Refusal::ContentNotUtf8)
    }

    /// Returns the content that replaces a value. If the old value is a string that ends with a
    /// line ending, so does the new one if it is a file or in a block scalar. A value of a requested
    /// other type has none.
    pub(super) fn new_text(&self, tree: &Tree, index: usize) -> Result<String, Refusal> {
        let (text, old) = (self.text()?, tree.scalar(index));
        let is_lines = tree.node(index).kind == Kind::String && old.ends_with('\n');
        let is_file = self.request.content.as_ref().is_some_and(|content| content.is_file);
        let is_block = tree.syntax == Syntax::Yaml && tree.written(index).starts_with(['|', '>']);
        if self.requested_type().is_some_and(|wanted| wanted != Type::String) {
            return Ok(text);
        }
        let is_same = text.trim_end_matches('\n') == old.trim_end_matches('\n');
        Ok(match is_lines && (is_file || is_block) {
            true if is_same => old.to_owned(),
            true if !text.ends_with('\n') => text + "\n",
            _ => text,
        })
    }

    /// Returns the content as a value that replaces that of an entry.
    pub(super) fn read_value(&self, tree: &Tree, index: usize) -> Result<Reading, Refusal> {
        let models = Models::of_value(tree, index).with_file_kind(self.file_kind());
        models
            .read(&self.new_text(tree, index)?, self.requested_type())
            .map_err(|message| Refusal::Value { message })
    }

    /// Returns the content as the value of a new key.
    pub(super) fn read_key(
        &self,
        tree: &Tree,
        mapping: usize,
        names: &[String],
    ) -> Result<Reading, Refusal> {
        let models = Models::of_key(tree, mapping, names).with_file_kind(self.file_kind());
        models
            .read(&self.text()?, self.requested_type())
            .map_err(|message| Refusal::Value { message })
    }

    /// Returns the content as a new item of a list.
    pub(super) fn read_item(&self, tree: &Tree, list: usize) -> Result<Reading, Refusal> {
        let models = Models::of_item(tree, list).with_file_kind(self.file_kind());
        models
            .read_item(&self.text()?, self.requested_type())
            .map_err(|message| Refusal::Value { message })
    }

    /// Returns the kind of the file, as far as it affects how values are read.
    fn file_kind(&self) -> FileKind {
        let extension = self.source.path().extension();
        match self.source.format().syntax() {
            None => FileKind::Page,
            Some(Syntax::Json)
                if extension.is_some_and(|extension| extension.eq_ignore_ascii_case("json5")) =>
            {
                FileKind::Json5
            }
            Some(_) => FileKind::Other,
        }
    }

    /// Returns the requested type. In INI, all values are strings, whatever their type.
    pub(super) fn requested_type(&self) -> Option<Type> {
        self.request
            .options
            .value_type
            .filter(|_| !self.source.format().has(Feature::MarkedSections))
    }

    /// Adds notes to a plan about scalars in the content that are not strings, although all others
    /// of the same keys are.
    pub(super) fn with_contrast_notes(
        &self,
        mut plan: Plan,
        tree: &Tree,
        content: Option<Tree>,
    ) -> Plan {
        let content = content.filter(|_| self.requested_type().is_none());
        let found = content.map_or_else(Vec::new, |content| contrasts(tree, &content));
        plan.warnings.extend(found.into_iter().take(MAX_CONTRASTS).map(Note::Contrast));
        plan
    }

    /// Adds a note about the type of the value to a plan.
    pub(super) fn with_type_note(
        &self,
        mut plan: Plan,
        doubt: Option<Doubt>,
    ) -> Result<Plan, Refusal> {
        if let Some(doubt) = doubt {
            plan.warnings.push(Note::Doubt { text: self.text()?, doubt });
        }
        Ok(plan)
    }
}
