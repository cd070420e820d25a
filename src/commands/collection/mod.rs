//! `collection`: directories of documents that have a name, so that `@NAME/…` means
//! them everywhere and `search` knows them.

pub mod args;
mod report;
pub mod run;

use std::path::PathBuf;

use crate::collections::catalogue::Settings;
use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{Request, Schema};
use crate::commands::schema;
use crate::files::env::Env;

/// The JSON Schema of what is printed.
pub fn schema() -> String {
    schema::output(
        "collection",
        "One line of JSON for each collection, or one with the documents of a collection.",
        &[
            schema::record::<report::CollectionObject<'_>>,
            schema::record::<report::DocumentsObject<'_>>,
        ],
    )
}

impl Request for args::CollectionArgs {
    const SCHEMAS: &'static [Schema] = &[("collection", schema)];

    fn run(self, env: &Env, sink: &mut dyn Sink) -> Outcome {
        run::run(&self.action()?, env, sink)
    }
}

/// What is to be done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// Give a directory a name.
    Add {
        /// The name; none where its `folio.toml` says one.
        name: Option<String>,
        /// The directory; empty for what others keep in a database.
        directory: PathBuf,
        /// The database that it is kept in.
        store: Option<String>,
        /// Other names.
        aliases: Vec<String>,
        /// What else is said of it.
        settings: Settings,
    },
    /// Show all there are.
    #[default]
    List,
    /// Show the documents of one.
    Show {
        /// Its name, an alias, or a directory.
        name: String,
        /// The most documents.
        limit: u64,
        /// How many are left out before them.
        offset: u64,
    },
    /// Bring indexes up to date.
    Update {
        /// Of one; none for all.
        name: Option<String>,
    },
    /// Take a name and its index away; the documents stay.
    Remove {
        /// Which.
        name: String,
    },
    /// Give one another name.
    Alias {
        /// Which.
        name: String,
        /// The other name.
        alias: String,
    },
}
