//! `patch` and `edit`: edit the parts that addresses and targets select.
//!
//! A request becomes edits of the document's bytes. All requests of a run are planned before
//! any file is written, and either all of them are applied or none.

pub mod args;
mod asked;
pub mod edit_args;
mod edit_set;
pub mod editor;
mod file_move;
mod guards;
mod hints;
mod json_edits;
mod keys;
mod links;
mod matching;
mod measure;
mod occurrences;
mod open;
pub mod operation_args;
pub mod options;
mod place;
mod plan;
mod report;
pub mod run;
mod sections;
mod selected;
mod set;
mod spacing;
mod structure;
mod transaction;
mod walk;
mod work;

use std::ffi::OsString;
use std::path::PathBuf;

use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{self, Schema};
use crate::commands::schema;
use crate::commands::target::{Query, Target};
use crate::error::Error;
use crate::files::address::Address;
use crate::files::env::Env;

/// The JSON Schema of the output.
pub fn schema() -> String {
    schema::output(
        "patch",
        "One line of JSON for each edit, in order; after several edits one summary.",
        &[schema::record::<report::EditObject<'_>>, schema::record::<report::SummaryObject>],
    )
}

/// The JSON Schema of the edits of `apply`.
pub fn edits_schema() -> String {
    json_edits::schema()
}

impl request::Request for args::PatchArgs {
    const SCHEMAS: &'static [Schema] = &[("patch", schema), ("edits", edits_schema)];

    fn run(self, env: &Env, sink: &mut dyn Sink) -> Outcome {
        run::run(&self.options()?, env, sink)
    }
}

impl request::Request for edit_args::EditArgs {
    fn run(self, env: &Env, sink: &mut dyn Sink) -> Outcome {
        editor::run(&self.options()?, env, sink)
    }
}

/// Examples of edits, one per line.
pub const EDITS_EXAMPLE: &str = include_str!("edits_example.jsonl");

/// A request for one edit.
#[derive(Clone, Debug)]
pub struct Request {
    /// The file, and the lines or anchor in its address.
    pub address: Address,
    /// The operation.
    pub operation: Operation,
    /// The part; `None` if the address selects it, or for the whole file.
    pub target: Option<Target>,
    /// The section in which to look for the target.
    pub scope: Option<String>,
    /// The content as given.
    pub content: Option<Content>,
    /// Options of the edit.
    pub options: EditOptions,
    /// Whether the file was found by walking a directory; if so, it need not contain the part.
    pub is_found: bool,
    /// The index of the edit in a batch, if an edit may make several requests.
    pub edit: Option<usize>,
}

/// An operation on a part; `A` is the type of destinations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Operation<A = Address> {
    /// Replaces the part by the content.
    #[default]
    Replace,
    /// Inserts the content before or after the part. The default is before lines and after other
    /// parts.
    Insert(Option<Side>),
    /// Appends the content to a section or the file.
    Append,
    /// Deletes the part.
    Delete,
    /// Changes the text of a heading.
    Rename,
    /// Moves the part; without a part, the file.
    Move(A, Side),
    /// Copies the part.
    Copy(A, Side),
    /// Creates a file.
    Create,
    /// Sets the value of a key. The key and its section are created if they do not exist.
    Set,
}

impl<A> Operation<A> {
    /// The name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::Insert(_) => "insert",
            Self::Append => "append",
            Self::Delete => "delete",
            Self::Rename => "rename",
            Self::Move(..) => "move",
            Self::Copy(..) => "copy",
            Self::Create => "create",
            Self::Set => "set",
        }
    }

    /// Whether it may change the targets of links.
    pub fn relocates(&self) -> bool {
        matches!(self, Self::Rename | Self::Delete | Self::Move(..) | Self::Copy(..))
    }

    /// Converts the destination.
    fn located<B>(self, locate: impl FnOnce(A) -> Result<B, Error>) -> Result<Operation<B>, Error> {
        Ok(match self {
            Self::Replace => Operation::Replace,
            Self::Insert(side) => Operation::Insert(side),
            Self::Append => Operation::Append,
            Self::Delete => Operation::Delete,
            Self::Rename => Operation::Rename,
            Self::Move(to, side) => Operation::Move(locate(to)?, side),
            Self::Copy(to, side) => Operation::Copy(locate(to)?, side),
            Self::Create => Operation::Create,
            Self::Set => Operation::Set,
        })
    }
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
    /// The file they were read from, `-` for standard input. The final line ending of a file is
    /// ignored.
    pub file: Option<OsString>,
}

/// Selects among several matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Occurrence {
    /// The first.
    #[default]
    First,
    /// The last.
    Last,
    /// All of them.
    All,
    /// The match with this number, from 1.
    Number(u64),
}

/// The places in which to update links that an edit would break.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkScope {
    /// The whole repository, or else all roots.
    pub everywhere: bool,
    /// These documents, and those below these directories.
    pub paths: Vec<PathBuf>,
}

impl LinkScope {
    /// Whether links are to be updated at all.
    pub fn is_given(&self) -> bool {
        self.everywhere || !self.paths.is_empty()
    }
}

/// Options of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditOptions {
    /// The matches to edit; the first one by default.
    pub occurrence: Option<Occurrence>,
    /// Whether several matches are an error.
    pub unique: bool,
    /// The required number of matches.
    pub expect: Option<u64>,
    /// Whether matches in code are skipped.
    pub outside_code: bool,
    /// Whether matches in HTML comments are skipped.
    pub outside_comments: bool,
    /// Whether `$1` and `${name}` in the content are expanded.
    pub expand: bool,
    /// Whether content is indented like its place.
    pub preserve_indent: bool,
    /// Whether blank lines at the ends of parts and of content are preserved exactly.
    pub exact: bool,
    /// Names of placeholders and their values.
    pub set: Vec<(String, String)>,
    /// A prefix of the file's required checksum.
    pub if_match: Option<String>,
    /// A prefix of the part's required checksum.
    pub if_range_match: Option<String>,
    /// The places in which to update links.
    pub links: LinkScope,
}

impl Default for EditOptions {
    fn default() -> Self {
        Self {
            occurrence: None,
            unique: false,
            expect: None,
            outside_code: false,
            outside_comments: false,
            expand: false,
            preserve_indent: true,
            exact: false,
            set: Vec::new(),
            if_match: None,
            if_range_match: None,
            links: LinkScope::default(),
        }
    }
}
