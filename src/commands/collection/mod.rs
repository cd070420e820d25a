//! `collection`: manages named directories of documents, which are addressed as `@NAME/…` and
//! searched by `search`.

pub mod args;
mod report;
pub mod run;

use std::path::PathBuf;

use crate::collections::catalogue::Settings;
use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{Request, Schema};
use crate::commands::schema;
use crate::files::env::Env;

/// The JSON Schema of the output.
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

/// The action to perform.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// Names a directory.
    Add {
        /// The name; `None` to use the one in its `folio.toml`.
        name: Option<String>,
        /// The directory; empty for a collection that others keep in a database.
        directory: PathBuf,
        /// The database in which to keep the collection.
        store: Option<String>,
        /// Aliases.
        aliases: Vec<String>,
        /// Other settings.
        settings: Settings,
    },
    /// Lists all collections.
    #[default]
    List,
    /// Lists the documents of a collection.
    Show {
        /// Name, alias or directory.
        name: String,
        /// Maximum number of documents.
        limit: u64,
        /// Number of documents to skip.
        offset: u64,
    },
    /// Updates indexes.
    Update {
        /// The collection; `None` for all.
        name: Option<String>,
    },
    /// Removes a name and its index. The documents are not deleted.
    Remove {
        /// The collection.
        name: String,
    },
    /// Adds an alias.
    Alias {
        /// The collection.
        name: String,
        /// The alias.
        alias: String,
    },
}
