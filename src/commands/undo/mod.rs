//! `undo` reverts patches whose content is still in the files, and `redo` applies them again.
//! `undo` also recovers interrupted runs.

pub mod args;
mod report;
pub mod run;

use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{Request, Schema};
use crate::commands::schema;
use crate::files::env::Env;
use crate::files::undo::Which;

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

    fn run(self, env: &Env, sink: &mut dyn Sink) -> Outcome {
        run::run(&self.options()?, env, sink)
    }
}

impl Request for args::RedoArgs {
    fn run(self, env: &Env, sink: &mut dyn Sink) -> Outcome {
        run::run(&self.options()?, env, sink)
    }
}

/// The options of `undo` and `redo`.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The action to perform.
    pub action: Action,
    /// The patches to act on.
    pub which: Which,
    /// Whether the last patch may be in any directory. If not, it must be in the repository that
    /// contains the working directory or, outside a repository, below the working directory.
    pub any: bool,
    /// If the path of a file is not in the history, whether to search for its name.
    pub resolve: bool,
    /// Whether to show the changes without making them.
    pub dry_run: bool,
}

/// The action to perform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// Revert a patch.
    #[default]
    Undo,
    /// Redo a patch that was undone.
    Redo,
    /// List the patches that can be undone.
    List,
    /// Show the changes of a patch.
    Show,
    /// Remove a patch from the history without reverting it.
    Forget,
    /// Finish or roll back interrupted runs.
    Recover,
}
