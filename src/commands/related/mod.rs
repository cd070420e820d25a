//! `related`: finds sections related to a document, to some of its lines, or to a passage.

pub mod args;
pub mod run;

use self::args::RelatedArgs;

use crate::commands::host::Host;
use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{Request, Schema};
use crate::commands::retrieval::report::FoundObject;
use crate::commands::schema;
use folio_files::error::Error;
use folio_files::options::CHUNK;

/// Returns the JSON Schema of the output.
pub fn schema() -> String {
    let description = "A line of JSON for each section found, the nearest first.";
    schema::output("related", description, &[schema::record::<FoundObject<'_>>])
}

impl Request for RelatedArgs {
    const SCHEMAS: &'static [Schema] = &[("related", schema)];

    fn run(self, host: &Host, sink: &mut dyn Sink) -> Outcome {
        run::run(&self, host, sink)
    }
}

impl RelatedArgs {
    /// Fails if a value is invalid.
    fn check(&self) -> Result<(), Error> {
        if self.chunk.as_ref().is_some_and(|chunk| chunk.trim().is_empty()) {
            return Err(Error::usage(format!("{CHUNK}: the text is empty")));
        }
        Ok(())
    }
}
