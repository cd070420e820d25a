//! `undo` reverts patches whose content is still in the files, and `redo` applies them again.
//! `undo` also recovers interrupted runs.

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
        "undo",
        "One line of JSON for each patch that was undone or redone; \
         with --list for each that can be, newest first; with --dry-run and --show the changes; \
         with --recover one for each interrupted run.",
        &[
            schema::record::<report::UndoneObject<'_>>,
            schema::record::<report::EntryObject<'_>>,
            schema::record::<report::DiffObject<'_>>,
            schema::record::<report::RecoveredObject<'_>>,
        ],
    )
}

impl Request for args::UndoArgs {
    const SCHEMAS: &'static [Schema] = &[("undo", schema)];

    fn run(self, host: &Host, sink: &mut dyn Sink) -> Outcome {
        run::run(&self, &host.env, sink)
    }
}

impl Request for args::RedoArgs {
    fn run(self, host: &Host, sink: &mut dyn Sink) -> Outcome {
        run::run(&self.into(), &host.env, sink)
    }
}
