//! `patch` and `edit`: edit the parts that addresses and targets select.
//!
//! A request is converted to edits of the document's bytes. All requests of a run are planned
//! before any file is written. Either all of them are applied, or none.

pub mod args;
mod collect;
mod context;
pub mod edit_args;
pub mod edit_option_args;
pub mod edited;
pub mod editor;
mod file_move;
mod guards;
mod hints;
mod json_edits;
mod links;
mod measure;
mod misplaced;
mod notes;
mod open;
pub mod operation_args;
pub mod options;
mod planned;
mod refusals;
pub mod report;
pub mod run;
mod selected;
mod text_refusals;
mod transaction;
mod walk;
mod work;
pub mod write_args;

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

pub use self::edit_option_args::EditOptions;
pub use self::operation_args::Operation;
use crate::commands::host::Host;
use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{self, Schema};
use crate::commands::schema;
use folio_files::address::Address;
pub use folio_outline::edit::Side;
use folio_outline::part::Part;
use folio_text::content;

/// Returns the JSON Schema of the output.
pub fn schema() -> String {
    schema::output(
        "patch",
        "One line of JSON for each edit, in order; after several edits a summary.",
        &[schema::record::<report::EditObject<'_>>, schema::record::<report::Summary>],
    )
}

/// Returns the JSON Schema of the edits of `apply`.
pub fn edits_schema() -> String {
    json_edits::schema()
}

impl request::Request for args::PatchArgs {
    const SCHEMAS: &'static [Schema] = &[("patch", schema), ("edits", edits_schema)];

    fn run(self, host: &Host, sink: &mut dyn Sink) -> Outcome {
        self.refuse_misplaced(host)?;
        let roots = &host.env.roots;
        let options = self.options(|path| roots.exists(path), |path| roots.is_directory(path))?;
        run::run(&options, host, sink)
    }
}

impl request::Request for edit_args::EditArgs {
    fn run(self, host: &Host, sink: &mut dyn Sink) -> Outcome {
        editor::run(&self.options()?, host, sink)
    }
}

/// Examples of edits, one per line.
pub const EDITS_EXAMPLE: &str = include_str!("edits_example.jsonl");

/// A request for one edit in one file.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The file, and the lines or the anchor in its address. Ignored in [`options::PatchOptions`], which
    /// have their own addresses.
    pub address: Address,
    /// The operation to perform.
    pub operation: Operation,
    /// The side of the part on which content is inserted, or of the destination.
    pub side: Option<Side>,
    /// The destination of `move` and `copy`. Ignored in [`options::PatchOptions`].
    pub to: Option<Address>,
    /// The part to edit. `None` if the address selects the part, or for the whole file.
    pub target: Option<Part>,
    /// The section in which to look for the target.
    pub scope: Option<String>,
    /// The content. In [`options::PatchOptions`], a file is not read yet.
    pub content: Option<Content>,
    /// The options of the edit.
    pub options: EditOptions,
    /// Whether the file was found in a directory. Such a file need not contain the part.
    pub is_found: bool,
    /// The index of the edit in the batch. `None` if each edit makes only one request.
    pub edit: Option<usize>,
    /// The edit of the batch as it was given, for hints.
    pub given: Option<Arc<Map<String, Value>>>,
}

impl Request {
    /// Returns the destination if the request moves a whole file.
    fn file_destination(&self) -> Option<&Path> {
        let to = self.to.as_ref().filter(|_| self.operation == Operation::Move)?;
        let is_whole = self.target.is_none() && self.scope.is_none();
        let are_files = self.address.part == Part::Whole && to.part == Part::Whole;
        (is_whole && are_files).then_some(&to.path)
    }
}

/// The content of an edit, as the user gave it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// The bytes. Empty if the file has not been read yet.
    pub bytes: Vec<u8>,
    /// The file from which the bytes were read. `-` is standard input. A line ending at the end of
    /// the file is ignored.
    pub file: Option<OsString>,
}

impl Content {
    /// Creates content. A byte order mark is not part of the text of a file.
    fn new(bytes: Vec<u8>, file: Option<OsString>) -> Self {
        let mut bytes = if file.is_some() { content::without_mark(bytes) } else { bytes };
        // A shell removes the line feed from the output of a command, but not the carriage return.
        if file.is_none() && bytes.len() > 1 && bytes.ends_with(b"\r") {
            bytes.pop();
        }
        Self { bytes, file }
    }
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Self {
        Self::new(bytes, None)
    }
}

impl From<OsString> for Content {
    /// Returns the content of a file, which must be read later.
    fn from(file: OsString) -> Self {
        Self { bytes: Vec::new(), file: Some(file) }
    }
}
