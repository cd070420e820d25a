//! One call of a tool: what it has beside its arguments, and what is done.

use serde_json::{Map, Value};

use super::answer::Answer;
use super::arguments::Arguments;
use super::editor::Editor;
use super::spelling::Spelling;
use super::tool::Tool;
use crate::error::Error;
use crate::files::env::Env;

/// A tool with what it does.
pub struct Entry {
    /// What clients read of it.
    pub tool: Tool,
    /// Does it.
    pub run: fn(&Arguments, &Call<'_>) -> Answer,
    /// Answers where a call is refused.
    pub refuse: fn(Spelling<'_>, &Error) -> Answer,
}

/// What a call has beside its arguments.
pub struct Call<'a> {
    /// What is around it.
    pub env: &'a Env,
    /// How it is spelt.
    pub spelling: Spelling<'a>,
    /// Who is asked first what is in a file.
    pub editor: Option<&'a Editor>,
}

impl Entry {
    /// The answer to a call.
    pub fn call(&'static self, given: Map<String, Value>, call: &Call<'_>) -> Answer {
        match Arguments::check(&self.tool, given) {
            Ok(arguments) => (self.run)(&arguments, call),
            Err(error) => (self.refuse)(call.spelling, &error),
        }
    }
}
