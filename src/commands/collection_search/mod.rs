//! `search`: searches documents by meaning and by keyword.

pub mod args;
pub mod run;

use self::args::SearchArgs;
use crate::commands::host::Host;
use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{Request, Schema};
use crate::commands::retrieval::report::FoundObject;
use crate::commands::schema;
use folio_files::error::{Error, Hint};
use folio_files::options::MAX_DISTANCE;

/// Returns the JSON Schema of the output.
pub fn schema() -> String {
    let description =
        "A line of JSON for each section found, the best first, for each query in turn.";
    schema::output("search", description, &[schema::record::<FoundObject<'_>>])
}

impl Request for SearchArgs {
    const SCHEMAS: &'static [Schema] = &[("search", schema)];

    fn run(self, host: &Host, sink: &mut dyn Sink) -> Outcome {
        run::run(&self, host, sink)
    }
}

/// Maximum number of queries in one run.
pub const MAX_QUERIES: usize = 10;

impl SearchArgs {
    /// Fails if a value is invalid.
    fn check(&self, queries: &[String]) -> Result<(), Error> {
        if queries.is_empty() {
            let hint = Hint::command("search", ["how do I install it"]);
            return Err(Error::usage("the query is missing").hint(hint));
        }
        if queries.len() > MAX_QUERIES {
            let count = queries.len();
            let message = format!("too many queries: {count}; the maximum is {MAX_QUERIES}");
            return Err(Error::usage(message));
        }
        if self.max_distance.is_some_and(|distance| !(0.0..=2.0).contains(&distance)) {
            return Err(Error::usage(format!("{MAX_DISTANCE}: expected a number from 0 to 2")));
        }
        Ok(())
    }
}
