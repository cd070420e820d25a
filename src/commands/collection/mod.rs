//! `collection`: manages named directories of documents. Addresses refer to them as `@NAME/…`, and
//! `search` searches them.

pub mod args;
mod report;
pub mod run;

use crate::commands::host::Host;
use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{Request, Schema};
use crate::commands::schema;

/// Returns the JSON Schema of the output.
pub fn schema() -> String {
    schema::output(
        "collection",
        "A line of JSON for each collection, or a line with the documents of a collection.",
        &[
            schema::record::<report::CollectionRecord<'_>>,
            schema::record::<report::DocumentsRecord<'_>>,
        ],
    )
}

impl Request for args::CollectionArgs {
    const SCHEMAS: &'static [Schema] = &[("collection", schema)];

    fn run(self, host: &Host, sink: &mut dyn Sink) -> Outcome {
        run::run(&self, host, sink)
    }
}
