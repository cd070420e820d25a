//! `list`: lists directories, in pages with a stable order.

pub mod args;
mod page;
mod report;
pub mod run;
mod text;
mod title;

use self::args::ListArgs;

use crate::commands::host::Host;
use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{Request, Schema};
use crate::commands::schema;

/// Returns the JSON Schema of the output.
pub fn schema() -> String {
    schema::output(
        "list",
        "One line of JSON for each entry, then one for the directory. With --json-object, one line \
         for each directory, with its entries. Empty lists are not omitted.",
        &[
            schema::record::<report::EntryRecord<'_>>,
            schema::record::<report::SummaryRecord<'_>>,
            schema::record::<report::DirectoryObject<'_>>,
        ],
    )
}

impl Request for ListArgs {
    const SCHEMAS: &'static [Schema] = &[("list", schema)];

    fn run(self, host: &Host, sink: &mut dyn Sink) -> Outcome {
        run::run(self, &host.env, sink)
    }
}
