//! `patch` and `edit`: edits of the parts that addresses and targets name.
//!
//! A request becomes edits of the document's own bytes; all requests of a run
//! are planned before any file is written, and either all are or none.

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

/// The JSON Schema of what is printed.
pub fn schema() -> String {
    schema::output(
        "patch",
        "One line of JSON for each edit, in order; after several edits one summary.",
        &[schema::record::<report::EditObject<'_>>, schema::record::<report::SummaryObject>],
    )
}

/// The JSON Schema of the edits that `apply` takes.
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

/// Edits of each kind, one a line.
pub const EDITS_EXAMPLE: &str = include_str!("edits_example.jsonl");

/// One edit that is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The file, and the lines or anchor after its name.
    pub address: Address,
    /// What is to be done.
    pub operation: Operation,
    /// The part; absent where the address names it, or the whole file.
    pub target: Option<Target>,
    /// The section within which the target is looked for.
    pub scope: Option<String>,
    /// What is put in, as it was given.
    pub content: Option<Content>,
    /// How it is put in.
    pub options: EditOptions,
    /// Whether a walk found its file, which is left alone where it has no such part.
    pub is_found: bool,
    /// Which edit of a batch asks for it, from 0, where one may ask for several.
    pub edit: Option<usize>,
}

/// What is done with a part; `A` is what places are named by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Operation<A = Address> {
    /// The part becomes the content.
    #[default]
    Replace,
    /// The content comes before or after the part; by default before lines
    /// and after everything else.
    Insert(Option<Side>),
    /// The content comes at the end of a section or of the file.
    Append,
    /// The part goes.
    Delete,
    /// A heading gets another text.
    Rename,
    /// The part goes to another place; without a part the file itself.
    Move(A, Side),
    /// The part comes at another place too.
    Copy(A, Side),
    /// A new file.
    Create,
    /// A key gets a value; it or its section are made if they are not there.
    Set,
}

impl<A> Operation<A> {
    /// Its name as it is typed.
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

    /// Whether what links lead to may be elsewhere after it.
    pub fn relocates(&self) -> bool {
        matches!(self, Self::Rename | Self::Delete | Self::Move(..) | Self::Copy(..))
    }

    /// The same operation, its place named otherwise.
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

/// On which side of a part something comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Before it.
    Before,
    /// After it.
    After,
}

/// What is put in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The file that they came from, `-` for standard input: its final line
    /// end says nothing.
    pub file: Option<OsString>,
}

/// Which of several matches are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Occurrence {
    /// The first.
    #[default]
    First,
    /// The last.
    Last,
    /// All of them.
    All,
    /// The one with this number, from 1.
    Number(u64),
}

/// Where links are kept right that an edit would break.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkScope {
    /// In the whole repository, or wherever files may be.
    pub everywhere: bool,
    /// In these documents, and those below these directories.
    pub paths: Vec<PathBuf>,
}

impl LinkScope {
    /// Whether links are to be rewritten at all.
    pub fn is_given(&self) -> bool {
        self.everywhere || !self.paths.is_empty()
    }
}

/// How an edit is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditOptions {
    /// Which matches are meant; the first unless it is said.
    pub occurrence: Option<Occurrence>,
    /// Whether several matches are an error.
    pub unique: bool,
    /// How many matches there must be.
    pub expect: Option<u64>,
    /// Whether matches in code are passed over.
    pub outside_code: bool,
    /// Matches in HTML comments are passed over.
    pub outside_comments: bool,
    /// Whether `$1` and `${name}` in the content are filled in.
    pub expand: bool,
    /// Whether content takes the indentation of its place.
    pub preserve_indent: bool,
    /// Whether blank lines at the edges of parts and of content are taken as
    /// they are.
    pub exact: bool,
    /// Names in braces and their values.
    pub set: Vec<(String, String)>,
    /// What the file's checksum must begin with.
    pub if_match: Option<String>,
    /// What the part's checksum must begin with.
    pub if_range_match: Option<String>,
    /// Where links are rewritten.
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
