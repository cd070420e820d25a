//! `search`: the sections that answer a question best, in its words or in others.

pub mod args;
pub mod run;

use crate::collections::ranking::Ranking;
use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{Request, Schema};
use crate::commands::retrieval::report::FoundObject;
use crate::commands::schema;
use crate::error::{Error, Hint};
use crate::files::env::Env;

/// The JSON Schema of what is printed.
pub fn schema() -> String {
    let description = "One line of JSON for each section that was found: the best first, \
                       and for each query in turn.";
    schema::output("search", description, &[schema::record::<FoundObject<'_>>])
}

impl Request for args::SearchArgs {
    const SCHEMAS: &'static [Schema] = &[("search", schema)];

    fn run(self, env: &Env, sink: &mut dyn Sink) -> Outcome {
        run::run(&self.options(), env, sink)
    }
}

/// Queries that are answered at once.
pub const MAX_QUERIES: usize = 10;

/// What is searched for, and where.
#[derive(Clone, Debug)]
pub struct Options {
    /// Questions, answered in order.
    pub queries: Vec<String>,
    /// Names, aliases and directories; none for all that have names.
    pub collections: Vec<String>,
    /// Only sections below one that is called so.
    pub inside: Option<String>,
    /// The most sections for each query.
    pub limit: usize,
    /// The most sections of one document; `None` for two among the first five.
    pub per_document: Option<usize>,
    /// Only sections that are at most so far.
    pub max_distance: Option<f32>,
    /// How they are judged.
    pub ranking: Ranking,
    /// Whether words that occur nowhere are corrected.
    pub corrects: bool,
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
            queries: Vec::new(),
            collections: Vec::new(),
            inside: None,
            limit: 5,
            per_document: None,
            max_distance: None,
            ranking: Ranking::Both,
            corrects: true,
            update: true,
            content: false,
            null: false,
        }
    }
}

impl Options {
    /// Fails where they contradict one another or mean nothing.
    pub fn check(&self) -> Result<(), Error> {
        if self.queries.is_empty() {
            let hint = Hint::command("search", ["how do I install it"]);
            return Err(Error::usage("there is no query").hint(hint));
        }
        if self.queries.len() > MAX_QUERIES {
            let message = format!(
                "{} queries are too many: {MAX_QUERIES} are answered at once",
                self.queries.len()
            );
            return Err(Error::usage(message));
        }
        if self.limit == 0 {
            let message = "--limit 0: that would be no answer";
            return Err(Error::usage(message).hint(Hint::flag(["--limit", "5"])));
        }
        if self.per_document == Some(0) {
            let message = "--per-document 0: that would be no answer";
            return Err(Error::usage(message).hint(Hint::flag(["--per-document", "2"])));
        }
        if self.max_distance.is_some_and(|distance| !(0.0..=2.0).contains(&distance)) {
            return Err(Error::usage("--max-distance: a distance is between 0 and 2"));
        }
        if self.max_distance.is_some() && self.ranking == Ranking::Keywords {
            let message = "--max-distance cannot be used with --keyword-only: without \
                           vectors there is no distance";
            return Err(Error::usage(message));
        }
        Ok(())
    }
}
