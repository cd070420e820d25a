//! Edits of parts: which bytes of a document change, so that a part is replaced, inserted, deleted,
//! renamed, moved, copied or set, and nothing else changes.
//!
//! [`LoadedDocument::edit`] plans one edit. [`edit_set()`] merges the edits of several plans, and
//! [`LoadedDocument::check_structure`] compares the structure before and after. An edit without the
//! intended effect is a [`Refusal`], which is data: this module does not write sentences for users,
//! and does not know options.

mod carried_entry;
mod check;
mod edit_set;
mod entries;
mod entry_move;
mod excerpt;
mod headings;
mod ini_entries;
mod joints;
mod matching;
mod note;
mod occurrences;
mod place;
mod plan;
mod refusal;
mod sections;
mod spacing;
mod symbols;
mod values;

pub use check::Effect;
pub use edit_set::{LineSet, are_exact, edit_set, without_first_end};
pub use entries::Pair;
pub use excerpt::Excerpt;
pub use folio_keys::edit::{Check, KeyRefusal};
pub use headings::HeadingName;
pub use matching::Engine;
pub use note::Note;
pub use plan::{Carried, LineEdit, Order, Plan, ValueChange};
pub use refusal::{Merge, Refusal};

use crate::document::LoadedDocument;
use crate::part::{CodeFilter, Occurrence, Part};
use folio_keys::value::Type;

/// What an edit does with its part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operation {
    /// Replaces the part with the content.
    #[default]
    Replace,
    /// Inserts the content before or after the part.
    Insert,
    /// Appends the content to a section, a list, or the document.
    Append,
    /// Deletes the part.
    Delete,
    /// Renames a heading, a section or a key.
    Rename,
    /// Removes the part, which is then inserted at another place.
    Move,
    /// Takes the part, which is then also inserted at another place.
    Copy,
    /// Sets the value of a key, and adds the key if it is missing.
    Set,
}

/// A side of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Before the part.
    Before,
    /// After the part.
    After,
}

/// The content of an edit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whether the bytes are those of a file. A line ending at its end is then not part of a text
    /// within a line.
    pub is_file: bool,
}

/// The place to which a part is moved or copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The part next to which the text is inserted. If it is the whole document, the text is inserted
    /// at its start or end.
    pub part: Part,
    /// Whether it is in the document that contains the moved part.
    pub is_here: bool,
}

/// A request for one edit in one document.
#[derive(Clone, Debug, Default)]
pub struct EditRequest {
    /// The operation.
    pub operation: Operation,
    /// The part. `None` is the whole document, which only appending accepts.
    pub part: Option<Part>,
    /// The name of the section to which the part is restricted.
    pub scope: Option<String>,
    /// The content.
    pub content: Option<Content>,
    /// The side of the part or of the destination on which text is inserted.
    pub side: Option<Side>,
    /// The destination of a move or copy.
    pub destination: Option<Destination>,
    /// Which matches are edited, and how content is adapted.
    pub options: EditOptions,
    /// Whether the document need not contain the part, so that no section is added for it.
    pub is_optional: bool,
    /// Whether the edit may change the structure outside the part.
    pub force: bool,
    /// When edits of a tree of keys are verified.
    pub check: Check,
}

impl EditRequest {
    /// Creates a request with content.
    pub fn new(operation: Operation, part: Part, content: impl Into<Vec<u8>>) -> Self {
        let content = Some(Content { bytes: content.into(), is_file: false });
        Self { operation, part: Some(part), content, ..Self::default() }
    }

    /// Creates a request that replaces a part.
    pub fn replace(part: Part, content: impl Into<Vec<u8>>) -> Self {
        Self::new(Operation::Replace, part, content)
    }

    /// Creates a request that sets the value of a key, which is given by its path.
    pub fn set(key: &str, value: impl Into<Vec<u8>>) -> Self {
        let part = Part::Key { section: None, key: key.to_owned(), value: false };
        Self::new(Operation::Set, part, value)
    }
}

impl LoadedDocument {
    /// Returns the document after an edit, which is checked: everything outside the part stays what
    /// it is.
    ///
    /// # Errors
    ///
    /// Fails if [`LoadedDocument::edit`] or [`LoadedDocument::check_structure`] does.
    pub fn with_edit(&self, request: &EditRequest) -> Result<Self, Refusal> {
        let mut plan = self.edit(request)?;
        let set = edit_set(self, vec![&mut plan])?;
        self.check_structure(&set.edits, request.force, false)?;
        Ok(self.edited(&set.edits))
    }
}

/// Which matches are edited, and how content is adapted to its place.
#[derive(Clone, Debug, Default)]
pub struct EditOptions {
    /// The matches of a text or pattern to edit.
    pub occurrence: Occurrence,
    /// The number of matches that there must be.
    pub expect: Option<u64>,
    /// Whether the content is a template with the groups of the pattern.
    pub expand: bool,
    /// Whether content is inserted next to a text, instead of next to its lines.
    pub inline: bool,
    /// Selects matches by whether they are in code.
    pub code: Option<CodeFilter>,
    /// Whether matches in comments are ignored.
    pub outside_comments: bool,
    /// Whether the content keeps its own indentation.
    pub keeps_indentation: bool,
    /// Whether neither indentation nor blank lines are adapted.
    pub exact: bool,
    /// The type of a value. `None` if it is inferred.
    pub value_type: Option<Type>,
}
