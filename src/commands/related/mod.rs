//! `related`: sections that are about the same as a document, some of its lines, or
//! a passage.

pub mod args;
pub mod run;

use std::ffi::OsString;

use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{Request, Schema};
use crate::commands::retrieval::report::FoundObject;
use crate::commands::schema;
use crate::error::{Error, Hint};
use crate::files::env::Env;

/// The JSON Schema of what is printed.
pub fn schema() -> String {
    let description = "One line of JSON for each section that was found, the nearest first.";
    schema::output("related", description, &[schema::record::<FoundObject<'_>>])
}

impl Request for args::RelatedArgs {
    const SCHEMAS: &'static [Schema] = &[("related", schema)];

    fn run(self, env: &Env, sink: &mut dyn Sink) -> Outcome {
        run::run(&self.options(), env, sink)
    }
}

/// What others are to be like, and where they are looked for.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address of a document, or of lines in it.
    pub address: OsString,
    /// A passage that is compared in its place.
    pub chunk: Option<String>,
    /// Names, aliases and directories; none for the document's own.
    pub collections: Vec<String>,
    /// The most sections.
    pub limit: usize,
    /// Whether sections of the same document count too.
    pub same_document: bool,
    /// Whether files that changed are read first.
    pub update: bool,
    /// Whether JSON has the text of sections.
    pub content: bool,
    /// Whether text records end with NUL, for any file name.
    pub null: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            address: OsString::new(),
            chunk: None,
            collections: Vec::new(),
            limit: 5,
            same_document: false,
            update: true,
            content: false,
            null: false,
        }
    }
}

impl Options {
    /// Fails where they mean nothing.
    pub fn check(&self) -> Result<(), Error> {
        if self.limit == 0 {
            let message = "--limit 0: that would be no answer";
            return Err(Error::usage(message).hint(Hint::flag(["--limit", "5"])));
        }
        if self.chunk.as_ref().is_some_and(|chunk| chunk.trim().is_empty()) {
            return Err(Error::usage("--chunk is empty: there is nothing to compare"));
        }
        Ok(())
    }
}
