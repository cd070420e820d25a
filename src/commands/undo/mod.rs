//! `undo` reverts patches whose content is still in the files, and redoes them (`redo`). It also
//! recovers what an interrupted run left.

pub mod args;
mod report;
pub mod run;

use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{Request, Schema};
use crate::commands::schema;
use crate::files::env::Env;
use crate::files::undo::Which;

/// The JSON Schema of what is printed.
pub fn schema() -> String {
    schema::output(
        "undo",
        "One line of JSON for each patch that was undone or redone; \
         with --list for each that can be, newest first; with --dry-run and --show the changes; \
         with --recover one for each interrupted run.",
        &[
            schema::record::<report::UndoneObject<'_>>,
            schema::record::<report::ForgottenObject<'_>>,
            schema::record::<report::EntryObject<'_>>,
            schema::record::<report::DiffObject<'_>>,
            schema::record::<report::RecoveredObject<'_>>,
        ],
    )
}

impl Request for args::UndoArgs {
    const SCHEMAS: &'static [Schema] = &[("undo", schema)];

    fn run(self, env: &Env, sink: &mut dyn Sink) -> Outcome {
        run::run(&self.options()?, env, sink)
    }
}

impl Request for args::RedoArgs {
    fn run(self, env: &Env, sink: &mut dyn Sink) -> Outcome {
        run::run(&self.options()?, env, sink)
    }
}

/// What is to be done.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What is done.
    pub action: Action,
    /// The patches that it is about.
    pub which: Which,
    /// Whether the last one may be anywhere; else it is below the repository around
    /// the working directory, or below that directory.
    pub any: bool,
    /// Whether a file that the history does not have is looked for by its name.
    pub resolve: bool,
    /// Whether it is only shown what would be done.
    pub dry_run: bool,
}

/// What is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// Revert a patch.
    #[default]
    Undo,
    /// Redo a patch that was undone.
    Redo,
    /// List the patches that can be undone.
    List,
    /// Show what a patch did.
    Show,
    /// Leave a patch as it is, for good.
    Forget,
    /// Put in order what runs left that were cut off.
    Recover,
}
