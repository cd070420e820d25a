//! `undo`: takes back what `patch` wrote, as long as nothing has changed since;
//! and puts in order what a run left that was cut off.

pub mod args;
mod report;
pub mod run;

use crate::error::{Error, Hint};
use crate::files::undo::Which;

/// The JSON Schema of what is printed.
pub const SCHEMA: &str = include_str!("schema.json");

/// What is to be done.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What is done.
    pub action: Action,
    /// The patches that it is about.
    pub which: Which,
}

/// What is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// Take back.
    #[default]
    Undo,
    /// Show what can be taken back.
    List,
    /// Put in order what runs left that were cut off.
    Recover,
}

impl Options {
    /// Fails where they contradict one another.
    pub fn check(&self) -> Result<(), Error> {
        if self.action == Action::Recover && self.which != Which::Last {
            let message = "--recover takes no patch: it is about all runs that were cut off";
            return Err(Error::usage(message).hint(Hint::command("undo", ["--recover"])));
        }
        Ok(())
    }
}
