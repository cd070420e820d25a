//! A call of a tool: its context and how it is run.

use serde_json::{Map, Value};

use super::answer::Answer;
use super::arguments::Arguments;
use super::editor::Editor;
use super::spelling::Spelling;
use super::tool::Tool;
use crate::error::Error;
use crate::files::env::Env;

/// A tool and the functions that implement it.
pub struct Entry {
    /// The description that clients see.
    pub tool: Tool,
    /// Runs a call whose arguments are valid.
    pub run: fn(&Arguments, &Call<'_>) -> Answer,
    /// Builds the answer to a call that is refused.
    pub refuse: fn(Spelling<'_>, &Error) -> Answer,
}

/// The context of a call.
pub struct Call<'a> {
    /// The environment the command runs in.
    pub env: &'a Env,
    /// How messages and hints are spelled for the caller.
    pub spelling: Spelling<'a>,
    /// The editor that is asked for unsaved contents first, if there is one.
    pub editor: Option<&'a Editor>,
}

impl Entry {
    /// Checks the arguments and runs the tool.
    pub fn call(&'static self, given: Map<String, Value>, call: &Call<'_>) -> Answer {
        match Arguments::check(&self.tool, given) {
            Ok(arguments) => (self.run)(&arguments, call),
            Err(error) => (self.refuse)(call.spelling, &error),
        }
    }
}
